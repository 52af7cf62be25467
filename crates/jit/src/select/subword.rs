//! Parts of lanes: high and low words of 64-bit lanes, byte shuffles, and bits selected from two values.

use super::vector::{Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::*;
use pyro_ir::{Block, InstData, Opcode, Scalar, Type, Value};
use std::collections::HashMap;

/// What an order of bytes has for a zero, and any number from there on.
const ZERO: u8 = 0x80;

impl Selector<'_> {
    /// Finds operations that their users do on their own: shifts to the high words of which only words are
    /// taken, extensions of which only bytes are, bits that only an `or` takes.
    pub(super) fn fold_parts(&mut self, block: Block) {
        let function = self.function;
        let mut users: HashMap<Value, u32> = HashMap::new();
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let Some(result) = data.result.expand() else { continue };
            if self.uses[result] == 0 || self.ty(result).is_uniform() {
                continue;
            }
            match data.op {
                Opcode::Truncate if self.high_words(data).is_some() => {
                    *users.entry(data.args[0]).or_default() += 1;
                }
                Opcode::ShuffleBytes if self.extended_bytes(data).is_some() => {
                    *users.entry(data.args[0]).or_default() += 1;
                }
                // What is combined takes its operands as they are, what is known reads none.
                Opcode::Or
                    if self.known_of_lanes(data).is_none()
                        && self.combined(data).is_none()
                        && data.args.iter().all(|&arg| self.is_in_register(arg)) =>
                {
                    if let Some(and) = data.args.iter().copied().find(|&arg| self.is_and_of_or(arg)) {
                        self.folded[and] = true;
                    }
                }
                _ => {}
            }
        }
        for (value, count) in users {
            if self.uses[value] == count {
                self.folded[value] = true;
            }
        }
    }

    /// Whether a value is bits of integers that one `or` uses.
    fn is_and_of_or(&self, value: Value) -> bool {
        let Some(data) = self.def(value).filter(|data| data.op == Opcode::And) else { return false };
        let ty = self.ty(value);
        ty.scalar != Scalar::I1
            && !ty.is_uniform()
            && self.uses[value] == 1
            && !self.folded[value]
            // What is combined has other operands.
            && self.combined(data).is_none()
            && data.args.iter().all(|&arg| self.is_in_register(arg))
    }

    /// Whether a value is no load that is a memory operand: those stay where they are.
    fn is_in_register(&self, value: Value) -> bool {
        !self.broadcasts.contains_key(&value)
    }

    /// `(x & y) | z`, where the first is folded.
    pub(super) fn folded_bits(&mut self, scalar: Scalar, a: Value, b: Value) -> Option<Registers> {
        let is_bits = |this: &Self, value: Value| {
            this.folded[value] && this.def(value).is_some_and(|data| data.op == Opcode::And)
        };
        let (and, other) = match () {
            () if is_bits(self, a) => (a, b),
            () if is_bits(self, b) => (b, a),
            () => return None,
        };
        let args = self.def(and)?.args.clone();
        let (x, y) = if self.constant(args[0]).is_some() { (args[1], args[0]) } else { (args[0], args[1]) };
        let (x, other) = (self.used(x), self.used(other));
        let pieces = self.tiling(scalar);
        // An operand that is broadcast is as wide as the operation's elements.
        let op = if scalar.bits() == 64 { VPTERNLOGQ } else { VPTERNLOGD };
        Some(self.each(pieces, |this, piece| {
            let y = this.source(y, piece, op);
            this.vector(Spec::binary(op, pieces.len, x[piece], y).tied(other[piece]).imm(0xf8))
        }))
    }

    /// Of the words of full registers' 64-bit lanes: the value whose high words they are.
    fn high_words(&self, data: &InstData) -> Option<Value> {
        let wide = Type::varying(Scalar::I64);
        if self.lanes < 16
            || self.ty(data.args[0]) != wide
            || self.ty(data.result.expand()?).scalar != Scalar::I32
        {
            return None;
        }
        let shift = self.def(data.args[0]).filter(|data| data.op == Opcode::LShr)?;
        (self.constant(shift.args[1]) == Some(32)).then_some(shift.args[0])
    }

    /// The words of 64-bit lanes, if a permutation makes them.
    pub(super) fn words(&mut self, data: &InstData) -> Option<Registers> {
        if self.lanes < 16 || self.ty(data.args[0]).scalar != Scalar::I64 {
            return None;
        }
        let (value, first) = match self.high_words(data).filter(|_| self.folded[data.args[0]]) {
            Some(value) => (value, 1),
            None => (data.args[0], 0),
        };
        let value = self.used(value);
        let index: Vec<u8> = (0..16_u32).flat_map(|lane| (2 * lane + first).to_le_bytes()).collect();
        Some(self.each(self.tiling(Scalar::I32), |this, piece| {
            let index = this.pool_vector(&index);
            let index = this.v1(VMOVUPS, Len::Z, index);
            this.permute_pair(index, value[2 * piece], value[2 * piece + 1])
        }))
    }

    /// Of an order of bytes of 64-bit lanes in full registers: the words, if it takes theirs only.
    fn extended_bytes(&self, data: &InstData) -> Option<Value> {
        let order = self.constant(data.args[1])?;
        let from_words = order.to_le_bytes().iter().all(|&byte| byte >= ZERO || byte % 8 < 4);
        if self.lanes < 16 || self.ty(data.args[0]).scalar != Scalar::I64 || !from_words {
            return None;
        }
        let extension = self.def(data.args[0]).filter(|data| data.op == Opcode::ZeroExtend)?;
        (self.ty(extension.args[0]).scalar == Scalar::I32).then_some(extension.args[0])
    }

    /// Bytes of each lane in an order that is known.
    pub(super) fn shuffled_bytes(&mut self, data: &InstData, order: u64) -> Registers {
        /// The low word twice.
        const TWICE: u64 = 0x0302_0100_0302_0100;
        let scalar = self.ty(data.args[0]).scalar;
        let pieces = self.tiling(scalar);
        let from = match self.extended_bytes(data).filter(|_| self.folded[data.args[0]]) {
            None => self.used(data.args[0]),
            Some(words) => {
                let words = self.used(words);
                let twice = self.each(pieces, |this, piece| {
                    let first = 8 * piece as u32 % 16;
                    let index: Vec<u8> =
                        (0..16_u32).flat_map(|lane| (first + lane / 2).to_le_bytes()).collect();
                    let index = this.pool_vector(&index);
                    let index = this.v1(VMOVUPS, Len::Z, index);
                    this.v2(VPERMD, Len::Z, index, words[piece / 2])
                });
                if order == TWICE {
                    return twice;
                }
                twice
            }
        };
        let order = self.byte_order(scalar, order);
        self.each(pieces, |this, piece| this.v2(VPSHUFB, pieces.len, from[piece], order))
    }

    /// The order of `vpshufb` that takes the bytes of each element in the same order.
    pub(super) fn byte_order(&mut self, scalar: Scalar, order: u64) -> Source {
        let (bytes, order) = (scalar.bytes() as u8, order.to_le_bytes());
        let vector: Vec<u8> = (0..64_u8)
            .map(|byte| match order[usize::from(byte % bytes)] {
                number if number < ZERO => (byte & 15) / bytes * bytes + number % bytes,
                _ => ZERO,
            })
            .collect();
        self.pool_vector(&vector)
    }
}
