//! Products of the bytes and halves of words, added: with VNNI one instruction, which adds them to a third
//! word too.
//!
//! The IR has one product of four bytes, of unsigned ones with signed ones, as VNNI has. Products of bytes
//! that are alike (`library::integer::dot_4x8`) are differences of two of these; where there is no VNNI, the
//! bytes are widened instead, as their signs say.

use super::combine::Combined;
use super::vector::{Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::*;
use crate::asm::{Len, VOp};
use pyro_ir::{Block, InstData, Opcode, Scalar, Type, Value};
use regalloc2::VReg;

/// What makes signed bytes of unsigned ones, and the other way round.
const BIAS: u64 = 0x8080_8080;

/// Opcode extensions of shifts by constants.
const RIGHT: u8 = 2;
const RIGHT_SIGNED: u8 = 4;
const LEFT: u8 = 6;

impl Selector<'_> {
    /// The instruction that adds a product to a word.
    fn accumulating(&self, op: Opcode) -> Option<VOp> {
        match op {
            Opcode::DotFourBytes if self.features.vnni => Some(VPDPBUSD),
            Opcode::DotHalves if self.features.vnni => Some(VPDPWSSD),
            _ => None,
        }
    }

    /// `iadd`: a product, added to something.
    pub(super) fn accumulated(&self, data: &InstData, block: Block) -> Option<Combined> {
        let [x, y] = [data.args[0], data.args[1]];
        [(x, y), (y, x)].into_iter().find_map(|(value, sum)| {
            let product = self.inner(value, block)?;
            let op = self.accumulating(product.op)?;
            let [a, b] = [product.args[0], product.args[1]];
            Some(Combined::Accumulated { op, a, b, sum })
        })
    }

    /// `select`: the sum of a product and something, saturated (`library::integer::dot_acc_sat`), of a
    /// product that VNNI has: `overflow < 0 ? (sign >> 31) ^ greatest : sum`, where the overflow is `(sign ^
    /// sum) & (other ^ sum)`.
    pub(super) fn accumulated_saturated(&self, data: &InstData) -> Option<Combined> {
        if !self.features.vnni {
            return None;
        }
        let def = |value: Value, op: Opcode| self.def(value).filter(|data| data.op == op);
        // Whether an operation has these operands, in any order.
        let is_of = |value: Value, op: Opcode, x: Value, y: Value| {
            def(value, op).is_some_and(|data| data.args[..] == [x, y] || data.args[..] == [y, x])
        };
        let [condition, limit, sum] = [data.args[0], data.args[1], data.args[2]];
        let negative = def(condition, Opcode::SLt).filter(|data| self.constant(data.args[1]) == Some(0))?;
        let overflow = def(negative.args[0], Opcode::And)?;
        let limit =
            def(limit, Opcode::Xor).filter(|data| self.constant(data.args[1]) == Some(i32::MAX as u64))?;
        let sign =
            def(limit.args[0], Opcode::AShr).filter(|data| self.constant(data.args[1]) == Some(31))?.args[0];
        let added = def(sum, Opcode::IAdd)?;
        let [x, y] = [added.args[0], added.args[1]];
        [(x, y), (y, x)].into_iter().find_map(|(value, other)| {
            let product = self.def(value)?;
            let op = match product.op {
                Opcode::DotFourBytes if sign == value => VPDPBUSDS,
                // Its sum may overflow: the sign is that of one less.
                Opcode::DotHalves => {
                    let less = def(sign, Opcode::IAdd)?;
                    let is_less =
                        less.args[0] == value && self.constant(less.args[1]) == Some(u32::MAX.into());
                    is_less.then_some(VPDPWSSDS)?
                }
                _ => return None,
            };
            let [first, second] = [overflow.args[0], overflow.args[1]];
            let differ = |first, second| {
                is_of(first, Opcode::Xor, sign, sum) && is_of(second, Opcode::Xor, other, sum)
            };
            let [a, b] = [product.args[0], product.args[1]];
            (differ(first, second) || differ(second, first)).then_some(Combined::Accumulated {
                op,
                a,
                b,
                sum: other,
            })
        })
    }

    /// `isub`: the two products that are one of bytes alike, where there is no instruction for them.
    pub(super) fn alike(&self, data: &InstData) -> Option<Combined> {
        let ty = self.ty(data.result.expand()?);
        let product = |value: Value| self.def(value).filter(|data| data.op == Opcode::DotFourBytes);
        if self.features.vnni || ty != Type::varying(Scalar::I32) {
            return None;
        }
        let (whole, rest) = (product(data.args[0])?, product(data.args[1])?);
        let biased = |value: Value| {
            let xor = self.def(value).filter(|data| data.op == Opcode::Xor)?;
            (self.constant(xor.args[1]) == Some(BIAS)).then_some(xor.args[0])
        };
        let is_bias = |value: Value| self.constant(value) == Some(BIAS);
        if is_bias(rest.args[0]) && rest.args[1] == whole.args[1] {
            let a = biased(whole.args[0])?;
            return Some(Combined::Alike { is_signed: true, a, b: whole.args[1] });
        }
        if is_bias(rest.args[1]) && rest.args[0] == whole.args[0] {
            let b = biased(whole.args[1])?;
            return Some(Combined::Alike { is_signed: false, a: whole.args[0], b });
        }
        None
    }

    /// The instructions of [`Combined::Accumulated`].
    pub(super) fn emit_accumulated(&mut self, op: VOp, [a, b]: [Value; 2], sum: Value) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        let swaps = matches!(op, VPDPWSSD | VPDPWSSDS) && self.prefers_memory(a);
        let (a, b) = if swaps { (b, a) } else { (a, b) };
        let (left, sum) = (self.used(a), self.used(sum));
        self.each(pieces, |this, piece| {
            let right = this.source(b, piece, op);
            this.vector(Spec::binary(op, pieces.len, left[piece], right).tied(sum[piece]))
        })
    }

    /// The instructions of [`Combined::Alike`].
    pub(super) fn emit_alike(&mut self, is_signed: bool, a: Value, b: Value) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        let (a, b) = (self.used(a), self.used(b));
        self.each(pieces, |this, piece| {
            this.widened_product(pieces.len, [(a[piece], is_signed), (b[piece], is_signed)])
        })
    }

    /// `dot_four_bytes` on words.
    pub(super) fn dot_four_bytes(&mut self, scalar: Scalar, a: Value, b: Value) -> Registers {
        let pieces = self.tiling(scalar);
        let left = self.used(a);
        if self.features.vnni {
            // One for all: then registers that are the same have the same product.
            let zero = self.zero();
            return self.each(pieces, |this, piece| {
                let right = match scalar {
                    Scalar::I32 => this.source(b, piece, VPDPBUSD),
                    _ => Source::Reg(this.used(b)[piece]),
                };
                this.vector(Spec::binary(VPDPBUSD, pieces.len, left[piece], right).tied(zero))
            });
        }
        let right = self.used(b);
        self.each(pieces, |this, piece| this.four_bytes(pieces.len, left[piece], right[piece]))
    }

    /// The same of one register each.
    pub(super) fn four_bytes(&mut self, len: Len, a: VReg, b: VReg) -> VReg {
        if self.features.vnni {
            let zero = self.zero();
            return self.vector(Spec::binary(VPDPBUSD, len, a, b).tied(zero));
        }
        self.widened_product(len, [(a, false), (b, true)])
    }

    /// The same of bytes that are signed or not.
    fn widened_product(&mut self, len: Len, [a, b]: [(VReg, bool); 2]) -> VReg {
        let (even_a, odd_a) = self.halves_of_bytes(len, a);
        let (even_b, odd_b) = self.halves_of_bytes(len, b);
        let even = self.v2(VPMADDWD, len, even_a, even_b);
        let odd = self.v2(VPMADDWD, len, odd_a, odd_b);
        self.v2(VPADDD, len, even, odd)
    }

    /// The even and the odd bytes as halves.
    fn halves_of_bytes(&mut self, len: Len, (from, is_signed): (VReg, bool)) -> (VReg, VReg) {
        if is_signed {
            let even = self.shift_imm(VPSHIFT_W_IMM, LEFT, len, from, 8);
            let even = self.shift_imm(VPSHIFT_W_IMM, RIGHT_SIGNED, len, even, 8);
            return (even, self.shift_imm(VPSHIFT_W_IMM, RIGHT_SIGNED, len, from, 8));
        }
        let low = self.constant_source(Scalar::I16, 0xff, VPANDD);
        let even = self.v2(VPANDD, len, from, low);
        (even, self.shift_imm(VPSHIFT_W_IMM, RIGHT, len, from, 8))
    }
}
