//! Mask registers for AVX2: vectors of eight 32-bit lanes, all ones or all zeros.

use super::{Legalizer, Old, Parts, parts};
use crate::asm::op::*;
use crate::asm::{Alu, Len, Shift, Size, VOp};
use crate::machine::Kind;
use crate::machine::inst::GENERAL;
use crate::select::Unsupported;
use crate::select::vector::{Memory, Source, Spec};
use regalloc2::{Operand, VReg};

/// What an integer comparison asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Legalizer<'_> {
    /// The vectors of a mask.
    pub(super) fn mask_vectors(&mut self, mask: VReg) -> Parts {
        let first = self.names(mask, self.mask_parts);
        (0..self.mask_parts).map(|part| self.known(VReg::new(first.vreg() + part, first.class()))).collect()
    }

    /// Says what a mask is; lanes that are not said are not set.
    pub(super) fn define_mask(&mut self, mask: VReg, vectors: &[VReg]) {
        let first = self.names(mask, self.mask_parts);
        for part in 0..self.mask_parts {
            let by = match vectors.get(part) {
                Some(&vector) => vector,
                None => self.zero(),
            };
            self.replace(VReg::new(first.vreg() + part, first.class()), by);
        }
    }

    /// The mask for one register of elements of `bytes` bytes.
    pub(super) fn mask_of_width(&mut self, mask: VReg, bytes: u32, part: usize, len: Len) -> VReg {
        let vectors = self.mask_vectors(mask);
        if bytes == 4 {
            return vectors[part];
        }
        let key = (mask, bytes << 8 | len.bytes(), part);
        if let Some(&known) = self.masks.get(&key) {
            return known;
        }
        let made = match bytes {
            8 if self.full.contains(&vectors[part / 2]) => vectors[part / 2],
            8 => {
                let source = self.half(vectors[part / 2], part % 2 == 1);
                self.v1(VPMOVSXDQ, len, source)
            }
            2 if len == Len::Y => {
                let both = self.v2(VPACKSSDW, Len::Y, vectors[part * 2], vectors[part * 2 + 1]);
                self.v1_imm(VPERMQ_IMM, Len::Y, both, 0xd8)
            }
            2 => self.words_of(vectors[0]),
            _ if len == Len::Y => {
                let four = &vectors[part * 4..part * 4 + 4];
                let low = self.v2(VPACKSSDW, Len::Y, four[0], four[1]);
                let high = self.v2(VPACKSSDW, Len::Y, four[2], four[3]);
                let all = self.v2(VPACKSSWB, Len::Y, low, high);
                let order = self.pool_words(|word| word % 2 * 4 + word / 2);
                let order = self.in_register(order, Len::Y);
                self.v2(VPERMD, Len::Y, order, all)
            }
            _ => {
                let low = self.words_of(vectors[0]);
                let high = if self.mask_parts > 1 { self.words_of(vectors[1]) } else { low };
                self.v2(VPACKSSWB, Len::X, low, high)
            }
        };
        self.masks.insert(key, made);
        made
    }

    /// Eight 32-bit lanes to 16-bit ones, saturating.
    fn words_of(&mut self, vector: VReg) -> VReg {
        let high = self.half(vector, true);
        self.v2(VPACKSSDW, Len::X, vector, high)
    }

    /// Masks of eight lanes from those that comparisons of elements of `bytes` bytes give.
    fn mask_from_width(&mut self, bytes: u32, len: Len, results: &[VReg]) -> Parts {
        match bytes {
            4 => results.iter().copied().collect(),
            8 if len == Len::Z => {
                let both = self.v2_imm(VSHUFPS, Len::Y, results[0], results[1], 0x88);
                [self.v1_imm(VPERMQ_IMM, Len::Y, both, 0xd8)].into_iter().collect()
            }
            8 => {
                let high = if len == Len::Y { self.half(results[0], true) } else { results[0] };
                [self.v2_imm(VSHUFPS, Len::X, results[0], high, 0x88)].into_iter().collect()
            }
            _ => {
                let (_, len) = parts(len);
                let op = if bytes == 2 { VPMOVSXWD } else { VPMOVSXBD };
                let step = 8 * bytes;
                let mut all = Parts::new();
                for &result in results {
                    for offset in (0..len.bytes()).step_by(step as usize) {
                        let half = self.half(result, offset >= 16);
                        let low = match offset % 16 {
                            0 => half,
                            rest => self.shift(VPSRLDQ_IMM, 3, Len::X, half, rest as u8),
                        };
                        all.push(self.v1(op, Len::Y, low));
                    }
                }
                all
            }
        }
    }

    pub(super) fn complement(&mut self, mask: VReg) -> VReg {
        if let Some(&original) = self.complements.get(&mask) {
            return original;
        }
        let ones = self.pool32(u32::MAX);
        let complement = self.v2(VPXORD, Len::Y, mask, ones);
        self.complements.insert(complement, mask);
        complement
    }

    /// Comparisons to masks.
    pub(super) fn comparison(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let op = old.inst.op;
        let predicate = old.inst.imm.unwrap_or(0);
        let result = old.result().expect("comparisons have results");
        let scalar = match op {
            VCMPSS => Some(VCMPSS_AVX),
            VCMPSD => Some(VCMPSD_AVX),
            _ => None,
        };
        if let Some(avx) = scalar {
            let a = self.part(old.first(), 0);
            let b = self.rm(old, 0, Len::X);
            let compared = self.v2_imm(avx, Len::X, a, b, predicate);
            self.scalar_masks.insert(result);
            self.define_mask(result, &[compared]);
            return Ok(());
        }
        let bytes = match op {
            VPCMPB | VPCMPUB => 1,
            VPCMPW | VPCMPUW => 2,
            VPCMPD | VPCMPUD | VCMPPS | VPTESTMD => 4,
            VPCMPQ | VPCMPUQ | VCMPPD => 8,
            _ => return Err(self.unsupported(old)),
        };
        let (count, len) = old.parts();
        let mut negated = false;
        let mut results = Parts::new();
        for part in 0..count {
            let a = self.part(old.first(), part);
            let b = self.rm(old, part, len);
            results.push(match op {
                VCMPPS => self.v2_imm(VCMPPS_AVX, len, a, b, predicate),
                VCMPPD => self.v2_imm(VCMPPD_AVX, len, a, b, predicate),
                VPTESTMD => {
                    negated = true;
                    let both = self.v2(VPANDD, len, a, b);
                    let zero = self.zero();
                    self.v2(VPCMPEQD, len, both, zero)
                }
                _ => {
                    let unsigned = matches!(op, VPCMPUB | VPCMPUW | VPCMPUD | VPCMPUQ);
                    let relation = match predicate {
                        0 | 4 => Relation::Equal,
                        1 => Relation::Less,
                        2 => Relation::LessEqual,
                        5 => Relation::GreaterEqual,
                        _ => Relation::Greater,
                    };
                    let (register, turned) = self.integer_relation(bytes, unsigned, relation, len, a, b);
                    negated = turned != (predicate == 4);
                    register
                }
            });
        }
        let mut vectors = self.mask_from_width(bytes, old.inst.len, &results);
        if negated {
            for vector in &mut vectors {
                *vector = self.complement(*vector);
            }
        }
        if let Some(mask) = old.mask() {
            let masks = self.mask_vectors(mask);
            for (vector, mask) in vectors.iter_mut().zip(masks) {
                *vector = self.keep(Len::Y, *vector, mask);
            }
        }
        self.define_mask(result, &vectors);
        Ok(())
    }

    /// A comparison of integers, and whether the result is to be complemented.
    fn integer_relation(
        &mut self,
        bytes: u32,
        unsigned: bool,
        relation: Relation,
        len: Len,
        a: VReg,
        b: Source,
    ) -> (VReg, bool) {
        let pick = |ops: [VOp; 4]| ops[bytes.trailing_zeros() as usize];
        let equal = pick([VPCMPEQB, VPCMPEQW, VPCMPEQD, VPCMPEQQ]);
        let greater = pick([VPCMPGTB, VPCMPGTW, VPCMPGTD, VPCMPGTQ]);
        if relation == Relation::Equal {
            return (self.v2(equal, len, a, b), false);
        }
        if unsigned && bytes < 8 {
            // The smaller of the two is the first: less or equal.
            let min = matches!(relation, Relation::LessEqual | Relation::Greater);
            let op = if min {
                pick([VPMINUB, VPMINUW, VPMINUD, VPMINUD])
            } else {
                pick([VPMAXUB, VPMAXUW, VPMAXUD, VPMAXUD])
            };
            let extreme = self.v2(op, len, a, b);
            let strict = matches!(relation, Relation::Less | Relation::Greater);
            return (self.v2(equal, len, extreme, a), strict);
        }
        let (mut a, mut b) = (a, b);
        if unsigned {
            let sign = self.pool64(1 << 63);
            let sign = self.in_register(sign, len);
            a = self.v2(VPXORQ, len, a, sign);
            b = Source::Reg(self.v2(VPXORQ, len, sign, b));
        }
        match relation {
            Relation::Greater | Relation::LessEqual => {
                (self.v2(greater, len, a, b), relation == Relation::LessEqual)
            }
            _ => {
                let b = self.in_register(b, len);
                (self.v2(greater, len, b, a), relation == Relation::GreaterEqual)
            }
        }
    }

    /// Instructions on mask registers.
    pub(super) fn mask_inst(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let op = old.inst.op;
        let result = old.operands[0].vreg();
        if old.is_from_nothing() && matches!(op, KXORQ | KXNORQ) {
            let all = if op == KXNORQ { self.ones() } else { self.zero() };
            let vectors = vec![all; self.mask_parts];
            self.define_mask(result, &vectors);
            return Ok(());
        }
        let Some(source) = old.rm_register() else { return Err(self.unsupported(old)) };
        let vectors: Parts = match op {
            KMOVQ_TO => return self.mask_of_bits(old, source),
            KMOVQ_FROM | KMOVD_FROM | KMOVW_FROM | KMOVB_FROM => {
                self.bits_of_mask(result, source);
                return Ok(());
            }
            KMOVQ => self.mask_vectors(source),
            KNOTQ => {
                let vectors = self.mask_vectors(source);
                vectors.iter().map(|&vector| self.complement(vector)).collect()
            }
            KSHIFTRQ => {
                let lanes = usize::from(old.inst.imm.unwrap_or(0));
                if !lanes.is_multiple_of(8) {
                    return Err(self.unsupported(old));
                }
                self.mask_vectors(source).into_iter().skip(lanes / 8).collect()
            }
            KUNPCKBW | KUNPCKWD | KUNPCKDQ => {
                let each = match op {
                    KUNPCKBW => 1,
                    KUNPCKWD => 2,
                    _ => 4,
                };
                let (high, low) = (self.mask_vectors(old.first()), self.mask_vectors(source));
                low.into_iter().take(each).chain(high.into_iter().take(each)).collect()
            }
            KANDQ | KANDNQ | KORQ | KXORQ | KXNORQ => {
                let (a, b) = (self.mask_vectors(old.first()), self.mask_vectors(source));
                a.iter().zip(&b).map(|(&a, &b)| self.mask_binary(op, a, b)).collect()
            }
            _ => return Err(self.unsupported(old)),
        };
        self.define_mask(result, &vectors);
        Ok(())
    }

    fn mask_binary(&mut self, op: VOp, a: VReg, b: VReg) -> VReg {
        let complement = |this: &Self, mask: VReg| this.complements.get(&mask).copied();
        match op {
            KANDQ => match (complement(self, a), complement(self, b)) {
                (Some(original), _) => self.v2(VPANDND, Len::Y, original, b),
                (_, Some(original)) => self.v2(VPANDND, Len::Y, original, a),
                _ => self.v2(VPANDD, Len::Y, a, b),
            },
            KANDNQ => match complement(self, a) {
                Some(original) => self.v2(VPANDD, Len::Y, original, b),
                None => self.v2(VPANDND, Len::Y, a, b),
            },
            KORQ => self.v2(VPORD, Len::Y, a, b),
            KXORQ => self.v2(VPXORD, Len::Y, a, b),
            _ => {
                let different = self.v2(VPXORD, Len::Y, a, b);
                self.complement(different)
            }
        }
    }

    /// A mask from the bits of a general register.
    fn mask_of_bits(&mut self, old: &Old<'_>, bits: VReg) -> Result<(), Unsupported> {
        let result = old.operands[0].vreg();
        let mut vectors = Parts::new();
        if let Some(&value) = self.immediates.get(&bits) {
            for part in 0..self.mask_parts {
                vectors.push(match (value >> (part * 8)) as u8 {
                    0 => self.zero(),
                    0xff => self.ones(),
                    byte => {
                        let lanes = self.pool_words(|lane| if byte >> lane & 1 != 0 { u32::MAX } else { 0 });
                        self.in_register(lanes, Len::Y)
                    }
                });
            }
            self.define_mask(result, &vectors);
            return Ok(());
        }
        for word in 0..self.mask_parts.div_ceil(4) {
            let half = match word {
                0 => bits,
                _ => self.general_shift(Shift::Shr, bits, 32),
            };
            let low = self.v1(VMOVD_TO, Len::X, half);
            let all = self.v1(VPBROADCASTD, Len::Y, low);
            for part in 0..(self.mask_parts - word * 4).min(4) {
                let places = self.pool_words(|lane| 1 << (part as u32 * 8 + lane));
                let places = self.in_register(places, Len::Y);
                let set = self.v2(VPANDD, Len::Y, all, places);
                vectors.push(self.v2(VPCMPEQD, Len::Y, set, places));
            }
        }
        self.define_mask(result, &vectors);
        Ok(())
    }

    fn general_shift(&mut self, op: Shift, register: VReg, count: u8) -> VReg {
        let to = self.new.vreg(GENERAL);
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(register)];
        self.new.push(Kind::ShiftImm(op, Size::S64, count), &operands, self.loc);
        to
    }

    pub(super) fn general_alu(&mut self, op: Alu, a: VReg, b: VReg) -> VReg {
        let to = self.new.vreg(GENERAL);
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(a), Operand::reg_use(b)];
        self.new.push(Kind::Alu(op, Size::S64), &operands, self.loc);
        to
    }

    fn general_and(&mut self, register: VReg, imm: i32) -> VReg {
        let to = self.new.vreg(GENERAL);
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(register)];
        self.new.push(Kind::AluImm(Alu::And, Size::S32, imm), &operands, self.loc);
        to
    }

    /// The bits of a mask's lanes in a general register.
    pub(super) fn lane_bits(&mut self, vectors: &[VReg]) -> VReg {
        let key = Parts::from_slice(vectors);
        if let Some(&known) = self.bits.get(&key) {
            return known;
        }
        let len = if self.lanes < 8 { Len::X } else { Len::Y };
        let mut all: Option<VReg> = None;
        for (part, &vector) in vectors.iter().enumerate() {
            let bits = self.emit(Spec::unary(VMOVMSKPS, len, vector).class(GENERAL));
            all = Some(match all {
                None => bits,
                Some(all) => {
                    let shifted = self.general_shift(Shift::Shl, bits, part as u8 * 8);
                    self.general_alu(Alu::Or, all, shifted)
                }
            });
        }
        let all = all.expect("a mask has lanes");
        self.bits.insert(key, all);
        all
    }

    fn bits_of_mask(&mut self, result: VReg, mask: VReg) {
        let vectors = self.mask_vectors(mask);
        let bits = if self.scalar_masks.contains(&mask) {
            let low = self.emit(Spec::unary(VMOVD_FROM, Len::X, vectors[0]).reversed().class(GENERAL));
            self.general_and(low, 1)
        } else {
            self.lane_bits(&vectors[..self.lanes.div_ceil(8) as usize])
        };
        self.replace(result, bits);
    }

    /// Masks as numbers: all ones where set.
    pub(super) fn mask_to_vector(&mut self, old: &Old<'_>, bytes: u32) {
        let mask = old.rm_register().expect("a mask register");
        let (count, len) = old.parts();
        let parts: Parts = (0..count).map(|part| self.mask_of_width(mask, bytes, part, len)).collect();
        if bytes == 4 {
            self.whole.extend(parts.iter().copied());
        }
        self.define(old.result().expect("has a result"), &parts);
    }

    /// The signs of 32-bit lanes as a mask.
    pub(super) fn vector_to_mask(&mut self, old: &Old<'_>) {
        let (count, len) = old.parts();
        let vectors: Parts = (0..count)
            .map(|part| {
                let from = self.rm_part(old, part, len);
                if self.whole.contains(&from) { from } else { self.shift(VPSHIFT_D_IMM, 4, len, from, 31) }
            })
            .collect();
        self.define_mask(old.result().expect("has a result"), &vectors);
    }

    /// `mask ? b : a`.
    pub(super) fn blend_inst(&mut self, old: &Old<'_>, bytes: u32) {
        let mask = old.mask().expect("blends have masks");
        let (count, len) = old.parts();
        let parts: Parts = (0..count)
            .map(|part| {
                let a = self.part(old.first(), part);
                let b = self.rm(old, part, len);
                let mask = self.mask_of_width(mask, bytes, part, len);
                self.blend(bytes, len, a, b, mask)
            })
            .collect();
        self.define(old.result().expect("has a result"), &parts);
    }

    /// A move of whole registers, perhaps under a mask that zeroes or merges.
    pub(super) fn move_inst(&mut self, old: &Old<'_>, bytes: u32) {
        let (count, len) = old.parts();
        let mut parts = Parts::new();
        for part in 0..count {
            let source = self.rm(old, part, len);
            parts.push(match source {
                Source::Reg(register) => register,
                Source::Memory(Memory { .. }) | Source::Broadcast(_) | Source::BroadcastMemory(_) => {
                    self.v1(VMOVUPS, len, source)
                }
            });
        }
        self.under_mask(old, bytes, &mut parts, len);
        self.define(old.result().expect("has a result"), &parts);
    }
}
