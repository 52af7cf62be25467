//! Conversions (`cvt`).

use super::Lowerer;
use super::float::Around;
use super::words::{Rounding, Words};
use crate::error::Result;
use crate::module::Instruction;
use crate::types::Type;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::{Ops, float};

const RULE: &str = "Data Movement and Conversion Instructions: cvt";

impl<'m> Lowerer<'m, '_> {
    pub(super) fn convert(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        if words.take("pack") {
            return self.unsupported(RULE, inst.opcode.as_ref());
        }
        let integral = words.one_of(&[
            ("rni", Opcode::FRound),
            ("rzi", Opcode::FTrunc),
            ("rmi", Opcode::FFloor),
            ("rpi", Opcode::FCeil),
        ]);
        let rounding = words.rounding().unwrap_or(Rounding::Nearest);
        let flush = words.take("ftz");
        let saturate = words.take("sat");
        let around = Around::of(words);
        let (to, from) = (words.ty()?, words.ty()?);
        let operand = inst.operand(1)?;
        if matches!(to, Type::F16x2 | Type::Bf16x2) {
            let part = if to == Type::F16x2 { Type::F16 } else { Type::Bf16 };
            let (high, low) = (self.value(operand, from)?, self.value(inst.operand(2)?, from)?);
            let mut halves = [low, high];
            for half in &mut halves {
                let value = self.finished(*half, around);
                *half = self.narrowed(value, part, rounding)?;
            }
            let word = self.word_of(halves);
            return self.set_result(inst, Type::B32, word);
        }
        if inst.operands.len() != 2 {
            return self.invalid(
                "Instruction Operands",
                format!("{} with {} operands", inst.opcode, inst.operands.len()),
            );
        }
        let x = self.relaxed_value(operand, from)?;
        let is_float = |ty: Type| ty.is_float() || ty == Type::Bf16;
        let value = match (is_float(from), is_float(to)) {
            (false, false) => self.integer_to_integer(x, from, to, saturate),
            (false, true) => {
                let value = self.integer_to_float(x, from, to, rounding)?;
                if saturate { self.saturated(value) } else { value }
            }
            (true, to_float) => {
                let x =
                    if from == Type::Bf16 { self.b.convert(Opcode::FromBfloat, x, Scalar::F32) } else { x };
                let mut x = if flush && self.b.scalar(x) == Scalar::F32 { self.flushed(x) } else { x };
                if let Some(op) = integral {
                    x = self.b.op(op, &[x]);
                }
                if to_float {
                    x = self.finished(x, around);
                    if saturate {
                        x = self.saturated(x);
                    }
                    let value = self.narrowed(x, to, rounding)?;
                    if flush && to == Type::F32 { self.flushed(value) } else { value }
                } else {
                    self.float_to_integer(x, to)
                }
            }
        };
        // Bfloats are 16 bits here.
        let to = if to == Type::Bf16 { Type::B16 } else { to };
        self.relaxed_set(inst.operand(0)?, to, value)
    }

    /// A float as another type, of integers that stand for bfloats too.
    fn narrowed(&mut self, x: Value, to: Type, rounding: Rounding) -> Result<Value> {
        let own = self.b.scalar(x);
        let toward_zero = rounding == Rounding::Zero;
        match to {
            Type::Bf16 => {
                let x = match own {
                    Scalar::F64 => return self.unsupported(RULE, "binary64 to bfloat16"),
                    _ => self.b.to_float(x, Scalar::F32),
                };
                match rounding {
                    Rounding::Nearest => Ok(self.b.convert(Opcode::ToBfloat, x, Scalar::I16)),
                    Rounding::Zero => {
                        let bits = self.cast(x, Scalar::I32);
                        let amount = self.b.i32(16);
                        let upper = self.b.lshr(bits, amount);
                        let upper = self.b.resize_u(upper, Scalar::I16);
                        let is_nan = float::is_nan(&mut self.b, x);
                        let nan = self.b.constant(Scalar::I16, 0x7fff);
                        Ok(self.b.select(is_nan, nan, upper))
                    }
                    _ => self.unsupported(RULE, "bfloats that are rounded up or down"),
                }
            }
            _ if to.bits() >= own.bits() => Ok(self.b.to_float(x, to.scalar())),
            Type::F32 if rounding != Rounding::Nearest => {
                let exact = self.exactly(x);
                Ok(self.round(exact, rounding, None))
            }
            _ if matches!(rounding, Rounding::Nearest | Rounding::Zero) => {
                let imm = toward_zero.into();
                Ok(self.b.emit(Opcode::FConvert, &[x], imm, to.scalar()).expect("gives a result"))
            }
            _ => self.unsupported(RULE, "halves that are rounded up or down"),
        }
    }

    fn integer_to_integer(&mut self, x: Value, from: Type, to: Type, saturate: bool) -> Value {
        let scalar = to.scalar();
        if !saturate {
            return if from.is_signed() { self.b.resize_s(x, scalar) } else { self.b.resize_u(x, scalar) };
        }
        let most = scalar.mask() >> u32::from(to.is_signed());
        let wide = if from.is_signed() {
            let x = self.b.resize_s(x, Scalar::I64);
            let least = if to.is_signed() { !most } else { 0 };
            let least = self.b.i64(least);
            let x = self.b.smax(x, least);
            // All that is not negative fits 64 bits without a sign.
            let most = self.b.i64(most.min(i64::MAX as u64));
            self.b.smin(x, most)
        } else {
            let x = self.b.resize_u(x, Scalar::I64);
            let most = self.b.i64(most);
            self.b.umin(x, most)
        };
        self.b.resize_u(wide, scalar)
    }

    fn integer_to_float(&mut self, x: Value, from: Type, to: Type, rounding: Rounding) -> Result<Value> {
        let op = if from.is_signed() { Opcode::SToF } else { Opcode::UToF };
        match (to, rounding) {
            (Type::F32, Rounding::Zero | Rounding::Down | Rounding::Up) if from.bits() <= 32 => {
                let exact = self.b.convert(op, x, Scalar::F64);
                let exact = self.exactly(exact);
                Ok(self.round(exact, rounding, None))
            }
            (Type::F64, _) if from.bits() <= 32 => Ok(self.b.convert(op, x, Scalar::F64)),
            (Type::Bf16, Rounding::Nearest) if from.bits() <= 16 => {
                let single = self.b.convert(op, x, Scalar::F32);
                Ok(self.b.convert(Opcode::ToBfloat, single, Scalar::I16))
            }
            (Type::F16 | Type::F32 | Type::F64, Rounding::Nearest) => Ok(self.b.convert(op, x, to.scalar())),
            _ => self.unsupported(RULE, format!("this rounding of .{} to .{}", from.name(), to.name())),
        }
    }

    /// Towards zero, as the value has no fraction any more; as near as the type allows; what the type says
    /// for NaN.
    fn float_to_integer(&mut self, x: Value, to: Type) -> Value {
        let from = self.b.scalar(x);
        let op = if to.is_signed() { Opcode::FToS } else { Opcode::FToU };
        let x = if from == Scalar::F16 { self.b.to_float(x, Scalar::F32) } else { x };
        let value = self.b.convert(op, x, to.scalar());
        if from != Scalar::F64 && to.bits() != 64 {
            return value;
        }
        let is_nan = float::is_nan(&mut self.b, x);
        let nan = self.b.constant(to.scalar(), 1 << (to.bits() - 1));
        self.b.select(is_nan, nan, value)
    }
}
