//! Packed half-precision floats (`.f16x2`).

use super::Lowerer;
use super::float::Around;
use super::words::{Rounding, Words};
use crate::error::Result;
use crate::module::Instruction;
use crate::types::Type;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

const RULE: &str = "Half Precision Floating-Point Instructions";

impl<'m> Lowerer<'m, '_> {
    /// The two halves of a word, the lower one first.
    pub(super) fn halves(&mut self, word: Value) -> [Value; 2] {
        let amount = self.b.i32(16);
        let high = self.b.lshr(word, amount);
        [word, high].map(|word| {
            let half = self.b.resize_u(word, Scalar::I16);
            self.cast(half, Scalar::F16)
        })
    }

    /// A word of two values of 16 bits, the lower one first.
    pub(super) fn word_of(&mut self, halves: [Value; 2]) -> Value {
        let [low, high] = halves.map(|half| {
            let half = self.cast(half, Scalar::I16);
            self.b.resize_u(half, Scalar::I32)
        });
        let amount = self.b.i32(16);
        let high = self.b.shl(high, amount);
        self.b.or(low, high)
    }

    pub(super) fn packed_arithmetic(
        &mut self,
        inst: &'m Instruction,
        words: &mut Words<'m>,
        ty: Type,
    ) -> Result {
        if ty != Type::F16x2 {
            return self.unsupported(RULE, inst.opcode.as_ref());
        }
        let around = Around::of(words);
        if !matches!(words.rounding(), None | Some(Rounding::Nearest)) {
            return self.invalid(RULE, "halves that are not rounded to nearest");
        }
        let keeps_nan = words.take("NaN");
        let count = match inst.name() {
            "fma" => 3,
            "abs" | "neg" => 1,
            "div" | "mad" => return self.invalid(RULE, format!("{} of .f16x2", inst.name())),
            _ => 2,
        };
        if inst.operands.len() != count + 1 {
            return self.invalid(RULE, format!("{} takes {} operands", inst.opcode, count + 1));
        }
        let mut operands = Vec::new();
        for index in 1..=count {
            let word = self.value(inst.operand(index)?, Type::B32)?;
            operands.push(self.halves(word));
        }
        let halves = [0, 1].map(|half| {
            let x = operands[0][half];
            let y = operands.get(1).map_or(x, |all| all[half]);
            let value = match inst.name() {
                "add" => self.b.fadd(x, y),
                "sub" => self.b.fsub(x, y),
                "mul" => self.b.fmul(x, y),
                "fma" => self.b.fma(x, y, operands[2][half]),
                "min" => self.extreme(x, y, true, keeps_nan, false),
                "max" => self.extreme(x, y, false, keeps_nan, false),
                "abs" => return self.b.fabs(x),
                _ => return self.b.fneg(x),
            };
            self.finished(value, around)
        });
        let value = self.word_of(halves);
        self.set_result(inst, Type::B32, value)
    }

    /// `ex2.approx.f16x2`, `tanh.approx.f16x2`
    pub(super) fn packed_function(&mut self, inst: &'m Instruction, around: Around) -> Result {
        let [word] = self.sources(inst, Type::B32)?;
        let halves = self.halves(word).map(|half| {
            let value = self.function(inst.name(), half, Rounding::Nearest);
            self.finished(value, around)
        });
        let value = self.word_of(halves);
        self.set_result(inst, Type::B32, value)
    }

    /// The sum of words of two halves.
    pub(super) fn packed_sum(&mut self, x: Value, y: Value) -> Value {
        let (x, y) = (self.halves(x), self.halves(y));
        let halves = [0, 1].map(|half| self.b.emit_rounded(Opcode::FAdd, x[half], y[half]));
        self.word_of(halves)
    }
}
