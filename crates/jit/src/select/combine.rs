//! Several operations that are one instruction of AVX-512 (or of AVX-VNNI, the last):
//!
//! * bitwise functions of three values: `vpternlog`;
//! * `x << n | x >> 32 - n`: a rotation;
//! * `float(x >> n) * 2^k` of a number that keeps at most 24 bits, as shaders make fractions of hashes: the
//!   low bits are cleared instead of shifted out, and the factor makes up for it. Shifts share their ports
//!   with conversions and sums, and clearing can be part of a `vpternlog`;
//! * a product of bytes or of halves, added to a word: see `dot`.
//!
//! What is combined has no other use and is in the same block, so nothing is computed twice or kept for
//! longer.

use super::vector::Spec;
use super::{Registers, Selector};
use crate::asm::VOp;
use crate::asm::op::*;
use crate::cpu::Level;
use pyro_ir::{Block, InstData, Opcode, Scalar, Type, Value};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;

/// Bits of an `f32`'s significand.
const SIGNIFICAND: u32 = 24;

/// Where values are, and how often they are named.
pub(super) struct Places {
    block: SecondaryMap<Value, Block>,
    mentions: SecondaryMap<Value, u32>,
}

/// One instruction, or a few, that do what several operations say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Combined {
    /// A bitwise function of two or three values; the truth table has the first as the highest bit of the
    /// index.
    Bits(SmallVec<[Value; 3]>, u8),
    /// To the left.
    Rotate(Value, u8),
    /// The sum of something and the product of `a` and `b`, saturated where the instruction does that.
    Accumulated { op: VOp, a: Value, b: Value, sum: Value },
    /// The product of four bytes, signed or unsigned all of them.
    Alike { is_signed: bool, a: Value, b: Value },
    /// The product of the number without its low bits and a factor.
    Fraction {
        /// A value, or two.
        leaves: SmallVec<[Value; 3]>,
        /// Of two values the bitwise function with the mask that makes the number.
        table: u8,
        /// Of the bits that stay.
        mask: u32,
        /// An `f32`'s bits.
        factor: u32,
    },
}

impl Combined {
    /// The values that it reads.
    pub(super) fn operands(&self) -> SmallVec<[Value; 3]> {
        match self {
            Combined::Bits(leaves, _) | Combined::Fraction { leaves, .. } => leaves.clone(),
            Combined::Rotate(value, _) => SmallVec::from_slice(&[*value]),
            Combined::Accumulated { a, b, sum, .. } => SmallVec::from_slice(&[*a, *b, *sum]),
            Combined::Alike { a, b, .. } => SmallVec::from_slice(&[*a, *b]),
        }
    }
}

fn is_bitwise(op: Opcode) -> bool {
    matches!(op, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::AndNot)
}

fn bitwise(op: Opcode, a: u8, b: u8) -> u8 {
    match op {
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        _ => a & !b,
    }
}

/// The truth tables of the three operands of `vpternlog`.
const TABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Selector<'_> {
    /// What [`Selector::combined`] asks for; none where nothing is combined.
    pub(super) fn find_places(&mut self) {
        if self.has_short_vectors() || self.features.level != Level::Avx512 && !self.features.vnni {
            return;
        }
        let function = self.function;
        let count = function.values.len();
        let mut places = Places {
            block: SecondaryMap::with_capacity(Block::RESERVED, count),
            mentions: SecondaryMap::with_capacity(0, count),
        };
        for &block in &function.block_order {
            let data = &function.blocks[block];
            for &inst in &data.insts {
                let data = &function.insts[inst];
                data.args.iter().for_each(|&arg| places.mentions[arg] += 1);
                if let Some(result) = data.result.expand() {
                    places.block[result] = block;
                }
            }
            data.terminator.for_each_value(|value| places.mentions[value] += 1);
        }
        self.places = Some(places);
    }

    /// The operation that gives `value` for a user in `block`, if nobody else needs it.
    pub(super) fn inner(&self, value: Value, block: Block) -> Option<&InstData> {
        let places = self.places.as_ref()?;
        let fits = places.mentions[value] == 1 && places.block[value] == block && self.ty(value).is_varying();
        self.def(value).filter(|_| fits && self.constant(value).is_none())
    }

    /// What an operation is part of, as its last.
    pub(super) fn combined(&self, data: &InstData) -> Option<Combined> {
        if data.op == Opcode::ISub && !self.has_short_vectors() {
            return self.alike(data);
        }
        let result = data.result.expand()?;
        let ty = self.ty(result);
        let block = self.places.as_ref()?.block[result];
        match data.op {
            Opcode::IAdd if ty == Type::varying(Scalar::I32) => self.accumulated(data, block),
            Opcode::Select if ty == Type::varying(Scalar::I32) => self.accumulated_saturated(data),
            _ if self.features.level != Level::Avx512 => None,
            Opcode::FMul if ty == Type::varying(Scalar::F32) => self.fraction(data, block),
            op if is_bitwise(op) && ty.is_varying() && ty.scalar != Scalar::I1 => {
                self.rotation(data, ty.scalar, block).or_else(|| self.bits(data, block))
            }
            _ => None,
        }
    }

    fn rotation(&self, data: &InstData, scalar: Scalar, block: Block) -> Option<Combined> {
        let width = u64::from(scalar.bits());
        if data.op == Opcode::And || data.op == Opcode::AndNot || !matches!(width, 32 | 64) {
            return None;
        }
        let shift = |value: Value, op: Opcode| {
            let shift = self.inner(value, block).filter(|shift| shift.op == op)?;
            Some((shift.args[0], self.constant(shift.args[1])? % width))
        };
        let both = |left: Value, right: Value| {
            let ((x, left), (y, right)) = (shift(left, Opcode::Shl)?, shift(right, Opcode::LShr)?);
            (x == y && left + right == width).then_some(Combined::Rotate(x, left as u8))
        };
        both(data.args[0], data.args[1]).or_else(|| both(data.args[1], data.args[0]))
    }

    fn bits(&self, data: &InstData, block: Block) -> Option<Combined> {
        let [x, y] = [data.args[0], data.args[1]];
        let is_inner = |value: Value| {
            let inner = self.inner(value, block).filter(|inner| is_bitwise(inner.op));
            inner.is_some_and(|inner| self.rotation(inner, self.ty(value).scalar, block).is_none())
        };
        [[true, true], [true, false], [false, true]].into_iter().find_map(|[open_x, open_y]| {
            if open_x && !is_inner(x) || open_y && !is_inner(y) {
                return None;
            }
            let mut leaves = SmallVec::<[Value; 3]>::new();
            let mut table = |value: Value, opened: bool| {
                let mut leaf = |value: Value| {
                    let known = leaves.iter().position(|&leaf| leaf == value);
                    let index = known.unwrap_or_else(|| {
                        leaves.push(value);
                        leaves.len() - 1
                    });
                    TABLES.get(index).copied()
                };
                match self.def(value).filter(|_| opened) {
                    Some(inner) => Some(bitwise(inner.op, leaf(inner.args[0])?, leaf(inner.args[1])?)),
                    None => leaf(value),
                }
            };
            let table = bitwise(data.op, table(x, open_x)?, table(y, open_y)?);
            // Two constants would need registers, where each operation has one in memory.
            let constants = leaves.iter().filter(|&&leaf| self.constant(leaf).is_some()).count();
            (leaves.len() == 3 && constants <= 1).then_some(Combined::Bits(leaves, table))
        })
    }

    fn fraction(&self, data: &InstData, block: Block) -> Option<Combined> {
        let factor = self.constant(data.args[1])? as u32;
        let converted = self.inner(data.args[0], block)?;
        if !matches!(converted.op, Opcode::UToF | Opcode::SToF) {
            return None;
        }
        let shift = self.inner(converted.args[0], block)?;
        if shift.op != Opcode::LShr || self.ty(converted.args[0]).scalar != Scalar::I32 {
            return None;
        }
        let count = self.constant(shift.args[1])? as u32 % 32;
        let exponent = factor >> 23 & 0xff;
        let is_power = factor & 0x7f_ffff == 0 && exponent > count && exponent < 0xff;
        if !is_power || count < 32 - SIGNIFICAND {
            return None;
        }
        let number = shift.args[0];
        let two = self.inner(number, block).filter(|inner| {
            let [x, y] = [inner.args[0], *inner.args.last().expect("has operands")];
            is_bitwise(inner.op)
                && x != y
                && self.constant(x).or(self.constant(y)).is_none()
                && self.rotation(inner, Scalar::I32, block).is_none()
        });
        let [a, b, c] = TABLES;
        let (leaves, table) = match two {
            Some(inner) => (SmallVec::from_slice(&inner.args), bitwise(inner.op, a, b) & c),
            None => (SmallVec::from_slice(&[number]), a),
        };
        let factor = factor - (count << 23);
        Some(Combined::Fraction { leaves, table, mask: u32::MAX << count, factor })
    }

    /// The instructions of what [`Selector::combined`] found.
    pub(super) fn emit_combined(&mut self, combined: &Combined, scalar: Scalar) -> Registers {
        let pieces = self.tiling(scalar);
        match *combined {
            Combined::Accumulated { op, a, b, sum } => self.emit_accumulated(op, [a, b], sum),
            Combined::Alike { is_signed, a, b } => self.emit_alike(is_signed, a, b),
            Combined::Rotate(value, count) => {
                let op = if scalar.bits() == 64 { VPSRA_VPROL_Q_IMM } else { VPROL_D_IMM };
                let from = self.used(value);
                self.each(pieces, |this, piece| {
                    this.shift_imm(op, ROTATE_LEFT, pieces.len, from[piece], count)
                })
            }
            Combined::Bits(ref leaves, table) => {
                let op = if scalar.bits() == 64 { VPTERNLOGQ } else { VPTERNLOGD };
                // The last may be memory, the first is replaced.
                let mut order: [usize; 3] = [0, 1, 2];
                order.sort_by_key(|&index| {
                    let leaf = leaves[index];
                    let constant = self.constant(leaf).is_some();
                    (self.prefers_memory(leaf) && !constant, constant, self.uses[leaf] > 1)
                });
                let table = permuted(table, order);
                let [first, second] = [0, 1].map(|place| self.used(leaves[order[place]]));
                self.each(pieces, |this, piece| {
                    let last = this.source(leaves[order[2]], piece, op);
                    let spec = Spec::binary(op, pieces.len, second[piece], last).tied(first[piece]);
                    this.vector(spec.imm(table))
                })
            }
            Combined::Fraction { ref leaves, table, mask, factor } => {
                let from: SmallVec<[Registers; 2]> = leaves.iter().map(|&leaf| self.used(leaf)).collect();
                self.each(pieces, |this, piece| {
                    let first = from[0][piece];
                    let high = match from.get(1) {
                        Some(second) => {
                            let mask = this.constant_source(Scalar::I32, mask.into(), VPTERNLOGD);
                            let spec = Spec::binary(VPTERNLOGD, pieces.len, second[piece], mask);
                            this.vector(spec.tied(first).imm(table))
                        }
                        None => {
                            let mask = this.constant_source(Scalar::I32, mask.into(), VPANDD);
                            this.v2(VPANDD, pieces.len, first, mask)
                        }
                    };
                    let number = this.v1(VCVTUDQ2PS, pieces.len, high);
                    let factor = this.constant_source(Scalar::F32, factor.into(), VMULPS);
                    this.v2(VMULPS, pieces.len, number, factor)
                })
            }
        }
    }
}

/// The extension of the shifts' opcode that rotates to the left.
const ROTATE_LEFT: u8 = 1;

/// The truth table of the same function whose operands come in another order.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    (0..8).fold(0, |all, index| {
        // The bits of the index are the operands, the first one highest.
        let old = (0..3).fold(0, |old, place| old | (index >> (2 - place) & 1) << (2 - order[place]));
        all | (table >> old & 1) << index
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_change_places_with_their_bits() {
        let [a, b, c] = TABLES;
        let table = (a & b) ^ !c;
        assert_eq!(permuted(table, [0, 1, 2]), table);
        // The third first: what was `c` has the first table now.
        assert_eq!(permuted(table, [2, 0, 1]), (b & c) ^ !a);
        assert_eq!(permuted(table, [1, 2, 0]), (c & a) ^ !b);
    }
}
