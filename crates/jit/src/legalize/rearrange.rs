//! Permutations, insertions, extractions and alignments for AVX2.

use super::{Legalizer, Old, Parts};
use crate::asm::op::*;
use crate::asm::{Len, VOp};
use crate::select::Unsupported;
use crate::select::vector::{Base, Memory, Spec};
use regalloc2::VReg;

impl Legalizer<'_> {
    /// Rearrangements; false: none of them.
    pub(super) fn rearrange(&mut self, old: &Old<'_>) -> Result<bool, Unsupported> {
        let op = old.inst.op;
        let imm = old.inst.imm.unwrap_or(0);
        let result = old.operands[0].vreg();
        match op {
            VEXTRACTF64X4 => {
                let part = self.part(old.register(old.inst.reg), usize::from(imm & 1));
                self.define(result, &[part]);
            }
            VEXTRACTF32X4 => {
                let part = self.part(old.register(old.inst.reg), usize::from(imm >> 1 & 1));
                let half = self.half(part, imm & 1 != 0);
                if self.whole.contains(&part) {
                    self.whole.insert(half);
                }
                self.define(result, &[half]);
            }
            VINSERTF64X4 => {
                let part = self.rm_part(old, 0, Len::Y);
                let mut parts = [self.part(old.first(), 0), self.part(old.first(), 1)];
                parts[usize::from(imm & 1)] = part;
                self.define(result, &parts);
            }
            VINSERTF32X4 => {
                let quarter = self.rm_part(old, 0, Len::X);
                let (count, _) = old.parts();
                let mut parts: Parts = (0..count).map(|part| self.part(old.first(), part)).collect();
                let part = usize::from(imm >> 1 & 1).min(count - 1);
                parts[part] = self.v2_imm(VINSERTI128, Len::Y, parts[part], quarter, imm & 1);
                self.define(result, &parts);
            }
            VPBROADCASTB_GPR | VPBROADCASTW_GPR | VPBROADCASTD_GPR | VPBROADCASTQ_GPR => {
                let from = old.rm_register().ok_or_else(|| self.unsupported(old))?;
                let (to_vector, broadcast, bytes) = match op {
                    VPBROADCASTB_GPR => (VMOVD_TO, VPBROADCASTB, 1),
                    VPBROADCASTW_GPR => (VMOVD_TO, VPBROADCASTW, 2),
                    VPBROADCASTD_GPR => (VMOVD_TO, VPBROADCASTD, 4),
                    _ => (VMOVQ_TO, VPBROADCASTQ, 8),
                };
                let low = self.v1(to_vector, Len::X, from);
                self.broadcast_register(old, broadcast, low, bytes);
            }
            VPBROADCASTB | VPBROADCASTW | VPBROADCASTD | VPBROADCASTQ | VBROADCASTSS => {
                let bytes = match op {
                    VPBROADCASTB => 1,
                    VPBROADCASTW => 2,
                    VPBROADCASTQ => 8,
                    _ => 4,
                };
                match old.rm_register() {
                    Some(from) => {
                        let low = self.part(from, 0);
                        self.broadcast_register(old, op, low, bytes);
                    }
                    None => self.broadcast_load(old, bytes)?,
                }
            }
            VPERMD => self.permute(old)?,
            VPERMI2D => self.permute_two(old)?,
            VALIGND | VALIGNQ => self.align(old)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn broadcast_register(&mut self, old: &Old<'_>, op: VOp, low: VReg, bytes: u32) {
        let (count, len) = old.parts();
        let all = self.v1(op, len, low);
        let mut parts: Parts = std::iter::repeat_n(all, count).collect();
        self.under_mask(old, bytes, &mut parts, len);
        self.define(old.operands[0].vreg(), &parts);
    }

    /// 32-bit elements by index within one register.
    fn permute(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        if old.mask().is_some() {
            return Err(self.unsupported(old));
        }
        let (count, len) = old.parts();
        let sources: Parts = (0..count).map(|part| self.rm_part(old, part, len)).collect();
        let constant = self.constant_index(old.first());
        let pairs = constant.as_deref().filter(|_| count == 2).and_then(pairs_of);
        let in_pairs = pairs.and_then(|pairs| self.permute_pairs(&sources, pairs));
        let parts: Parts = in_pairs.unwrap_or_else(|| {
            (0..count)
                .map(|part| {
                    if let Some(index) = &constant {
                        return self.pick(&sources, |lane| index[part * 8 + lane as usize]);
                    }
                    let index = self.part(old.first(), part);
                    self.pick_by(&sources, index)
                })
                .collect()
        });
        if sources.iter().all(|source| self.whole.contains(source)) {
            self.whole.extend(parts.iter().copied());
        }
        self.define(old.operands[0].vreg(), &parts);
        Ok(())
    }

    /// Sixteen elements in pairs, from quad order to row order or back, as blocks of pixels are moved.
    fn permute_pairs(&mut self, sources: &[VReg], pairs: [u32; 8]) -> Option<Parts> {
        let both = [VPUNPCKLQDQ, VPUNPCKHQDQ];
        let parts = match pairs {
            [0, 2, 4, 6, 1, 3, 5, 7] => both.map(|op| {
                let mixed = self.v2(op, Len::Y, sources[0], sources[1]);
                self.v1_imm(VPERMQ_IMM, Len::Y, mixed, 0xd8)
            }),
            [0, 4, 1, 5, 2, 6, 3, 7] => {
                let [a, b] = [0, 1].map(|at| self.v1_imm(VPERMQ_IMM, Len::Y, sources[at], 0xd8));
                both.map(|op| self.v2(op, Len::Y, a, b))
            }
            _ => return None,
        };
        Some(parts.into_iter().collect())
    }

    /// 32-bit elements by index from two registers; the index is in the result's register.
    fn permute_two(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let (Some(index), None, Len::Z) = (old.tied(), old.mask(), old.inst.len) else {
            return Err(self.unsupported(old));
        };
        let mut sources: Parts = (0..2).map(|part| self.part(old.first(), part)).collect();
        for part in 0..2 {
            sources.push(self.rm_part(old, part, Len::Y));
        }
        let constant = self.constant_index(index);
        let parts: Parts = (0..2)
            .map(|part| {
                if let Some(first) = constant.as_deref().and_then(every_other) {
                    // Two from each quarter, then the quarters in order.
                    let order = if first == 0 { 0x88 } else { 0xdd };
                    let mixed = self.v2_imm(VSHUFPS, Len::Y, sources[2 * part], sources[2 * part + 1], order);
                    return self.v1_imm(VPERMQ_IMM, Len::Y, mixed, 0xd8);
                }
                if let Some(index) = &constant {
                    return self.pick(&sources, |lane| index[part * 8 + lane as usize]);
                }
                let index = self.part(index, part);
                self.pick_by(&sources, index)
            })
            .collect();
        if sources.iter().all(|source| self.whole.contains(source)) {
            self.whole.extend(parts.iter().copied());
        }
        self.define(old.operands[0].vreg(), &parts);
        Ok(())
    }

    /// The elements of an index that was loaded from the pool.
    fn constant_index(&self, index: VReg) -> Option<Vec<u32>> {
        let &constant = self.indices.get(&index)?;
        let (constant, len) = constant;
        let bytes = self.asm.constant_bytes(constant, len.bytes() as usize);
        Some(bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// Element `index[lane]` of registers of eight, counted through, modulo their number, for each lane.
    fn pick_by(&mut self, sources: &[VReg], index: VReg) -> VReg {
        let mut level: Parts = sources.iter().map(|&source| self.v2(VPERMD, Len::Y, index, source)).collect();
        let mut bit = 3;
        while level.len() > 1 {
            // The bit that decides goes where blends look.
            let mask = self.shift(VPSHIFT_D_IMM, 6, Len::Y, index, 31 - bit);
            level = level
                .chunks(2)
                .map(|pair| {
                    let spec = Spec::binary(VBLENDVPS, Len::Y, pair[0], pair[1]);
                    self.emit(spec.fourth(mask))
                })
                .collect();
            bit += 1;
        }
        level[0]
    }

    /// Element `from(lane)` of registers of eight, counted through, for each lane.
    pub(super) fn pick(&mut self, sources: &[VReg], from: impl Fn(u32) -> u32) -> VReg {
        let total = sources.len() as u32 * 8;
        let from = |lane: u32| from(lane) % total;
        let mut result: Option<VReg> = None;
        for (number, &source) in sources.iter().enumerate() {
            let lanes: Vec<u32> = (0..8).filter(|&lane| from(lane) / 8 == number as u32).collect();
            if lanes.is_empty() {
                continue;
            }
            let in_place = lanes.iter().all(|&lane| from(lane) % 8 == lane);
            let moved = if in_place {
                source
            } else {
                let index = self
                    .pool_words(|lane| if from(lane) / 8 == number as u32 { from(lane) % 8 } else { lane });
                let index = self.in_register(index, Len::Y);
                self.v2(VPERMD, Len::Y, index, source)
            };
            result = Some(match result {
                None => moved,
                Some(others) => {
                    let mask = lanes.iter().fold(0, |mask, lane| mask | 1 << lane);
                    self.v2_imm(VPBLENDD, Len::Y, others, moved, mask)
                }
            });
        }
        result.expect("every lane comes from somewhere")
    }

    /// The elements of two registers as one row, `imm` elements further.
    fn align(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let words = if old.inst.op == VALIGNQ { 2 } else { 1 };
        let count = u32::from(old.inst.imm.unwrap_or(0)) * words;
        let (high, low) = (old.first(), old.rm_register().ok_or_else(|| self.unsupported(old))?);
        if old.mask().is_some() || high != low {
            return Err(self.unsupported(old));
        }
        let (parts, len) = old.parts();
        let sources: Parts = (0..parts).map(|part| self.part(low, part)).collect();
        let result = if len == Len::X {
            let order = (0..4).fold(0, |order, lane| order | ((lane + count) % 4) << (2 * lane));
            let turned = self.v1_imm(VPSHUFD, Len::X, sources[0], order as u8);
            [turned].into_iter().collect::<Parts>()
        } else {
            (0..parts as u32).map(|part| self.pick(&sources, |lane| part * 8 + lane + count)).collect()
        };
        self.define(old.operands[0].vreg(), &result);
        Ok(())
    }

    /// Remembers indices that come from the pool.
    pub(super) fn note_index(&mut self, old: &Old<'_>) {
        if let (Some(result), Some(Memory { base: Base::Pool(constant), .. })) =
            (old.result(), old.memory_address())
            && old.mask().is_none()
        {
            self.indices.insert(result, (constant, old.inst.len));
        }
    }
}

/// The first element of an index that takes every other one from there.
fn every_other(index: &[u32]) -> Option<u32> {
    let &first = index.first().filter(|&&first| first < 2)?;
    (0..).zip(index).all(|(lane, &from)| from == 2 * lane + first).then_some(first)
}

/// An index of sixteen elements by pairs, if it takes both elements of each pair side by side.
fn pairs_of(index: &[u32]) -> Option<[u32; 8]> {
    let mut pairs = [0; 8];
    for (pair, elements) in pairs.iter_mut().zip(index.as_chunks::<2>().0) {
        if elements[0] % 2 != 0 || elements[1] != elements[0] + 1 {
            return None;
        }
        *pair = elements[0] / 2;
    }
    (index.len() == 16).then_some(pairs)
}
