//! Arithmetic of floats.

use super::Lowerer;
use super::words::{Rounding, Words};
use crate::error::Result;
use crate::module::Instruction;
use crate::types::{Kind, Type};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::{Ops, float, math};

const RULE: &str = "Floating-Point Instructions";

/// What is done to operands and results of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    flush: bool,
    saturate: bool,
    relu: bool,
}

impl Around {
    pub(super) fn of(words: &mut Words<'_>) -> Around {
        Around { flush: words.take("ftz"), saturate: words.take("sat"), relu: words.take("relu") }
    }
}

impl<'m> Lowerer<'m, '_> {
    /// The operands, with denormals flushed where the instruction says so.
    fn float_sources<const N: usize>(
        &mut self,
        inst: &Instruction,
        ty: Type,
        around: Around,
    ) -> Result<[Value; N]> {
        let values = self.sources::<N>(inst, ty)?;
        Ok(if around.flush { values.map(|value| self.flushed(value)) } else { values })
    }

    pub(super) fn finished(&mut self, mut value: Value, around: Around) -> Value {
        if around.flush {
            value = self.flushed(value);
        }
        if around.saturate {
            value = self.saturated(value);
        }
        if around.relu {
            // NaN stays.
            let zero = self.b.float(self.b.function.ty(value).scalar, 0.0);
            let is_negative = self.b.flt(value, zero);
            let bits = self.b.select(is_negative, zero, value);
            value = bits;
        }
        value
    }

    fn set_finished(&mut self, inst: &Instruction, ty: Type, value: Value, around: Around) -> Result {
        let value = self.finished(value, around);
        self.set_result(inst, ty, value)
    }

    /// That only binary32 results are rounded otherwise than to nearest.
    fn check_rounding(&self, ty: Type, rounding: Option<Rounding>) -> Result<Rounding> {
        match rounding {
            None | Some(Rounding::Nearest) => Ok(Rounding::Nearest),
            Some(rounding) if ty == Type::F32 => Ok(rounding),
            Some(_) => {
                let message = format!("results of .{} that are not rounded to nearest", ty.name());
                self.unsupported("Instructions: Rounding Modifiers", message)
            }
        }
    }

    pub(super) fn float_arithmetic(
        &mut self,
        inst: &'m Instruction,
        words: &mut Words<'m>,
        ty: Type,
    ) -> Result {
        let around = Around::of(words);
        let rounding = words.rounding();
        match inst.name() {
            "add" | "sub" | "mul" => {
                let rounding = self.check_rounding(ty, rounding)?;
                let [x, y] = self.float_sources(inst, ty, around)?;
                let op = match inst.name() {
                    "add" => Opcode::FAdd,
                    "sub" => Opcode::FSub,
                    _ => Opcode::FMul,
                };
                let value = self.rounded(op, x, y, rounding);
                self.set_finished(inst, ty, value, around)
            }
            "fma" | "mad" => {
                let rounding = self.check_rounding(ty, rounding)?;
                let [x, y, z] = self.float_sources(inst, ty, around)?;
                let value = match rounding {
                    Rounding::Nearest => self.b.fma(x, y, z),
                    rounding => {
                        let exact = self.exact_fma(x, y, z);
                        let [wide_x, wide_y, wide_z] =
                            [x, y, z].map(|value| self.b.to_float(value, Scalar::F64));
                        let product = self.b.fmul(wide_x, wide_y);
                        self.round(exact, rounding, Some([product, wide_z]))
                    }
                };
                self.set_finished(inst, ty, value, around)
            }
            "div" => {
                words.take("approx");
                words.take("full");
                let rounding = self.check_rounding(ty, rounding)?;
                if ty == Type::F16 {
                    return self.invalid(RULE, "div of .f16");
                }
                let [x, y] = self.float_sources(inst, ty, around)?;
                let value = self.rounded(Opcode::FDiv, x, y, rounding);
                self.set_finished(inst, ty, value, around)
            }
            "min" | "max" => {
                let keeps_nan = words.take("NaN");
                let signs = words.take("xorsign");
                if signs && !words.take("abs") {
                    return self.invalid(RULE, ".xorsign without .abs");
                }
                let [x, y] = self.float_sources(inst, ty, around)?;
                let value = self.extreme(x, y, inst.name() == "min", keeps_nan, signs);
                self.set_finished(inst, ty, value, around)
            }
            "abs" | "neg" => {
                let [x] = self.float_sources(inst, ty, around)?;
                let value = if inst.name() == "abs" { self.b.fabs(x) } else { self.b.fneg(x) };
                self.set_result(inst, ty, value)
            }
            name => self.invalid(RULE, format!("{name} of .{}", ty.name())),
        }
    }

    /// A sum, difference, product or quotient.
    pub(super) fn rounded(&mut self, op: Opcode, x: Value, y: Value, rounding: Rounding) -> Value {
        if rounding == Rounding::Nearest {
            return if op == Opcode::FDiv { self.b.fdiv(x, y) } else { self.b.emit_rounded(op, x, y) };
        }
        let exact = self.exact_binary(op, x, y);
        let sums = match op {
            Opcode::FAdd => Some([x, y]),
            Opcode::FSub => Some([x, self.b.fneg(y)]),
            _ => None,
        };
        self.round(exact, rounding, sums)
    }

    /// The smaller or larger; the other where one is NaN, unless NaN is kept; -0 is less than +0.
    pub(super) fn extreme(&mut self, x: Value, y: Value, least: bool, keeps_nan: bool, signs: bool) -> Value {
        let (own_x, own_y) = (x, y);
        let (x, y) = if signs { (self.b.fabs(x), self.b.fabs(y)) } else { (x, y) };
        let mut value =
            if least { math::n_min_signed(&mut self.b, x, y) } else { math::n_max_signed(&mut self.b, x, y) };
        if keeps_nan {
            let unordered = float::unordered(&mut self.b, x, y);
            let nan = self.b.float(self.b.function.ty(x).scalar, f64::NAN);
            value = self.b.select(unordered, nan, value);
        }
        if signs {
            let scalar = self.b.scalar(value);
            let bits = scalar.to_int();
            let [one, other, whole] = [own_x, own_y, value].map(|value| self.cast(value, bits));
            let sign = self.b.xor(one, other);
            let highest = self.b.constant(bits, 1 << (bits.bits() - 1));
            let sign = self.b.and(sign, highest);
            let signed = self.b.or(whole, sign);
            value = self.cast(signed, scalar);
        }
        value
    }

    /// Roots, reciprocals, and the functions that are computed approximately.
    pub(super) fn float_function(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let name = inst.name();
        if name == "testp" {
            return self.test_property(inst, words);
        }
        let around = Around::of(words);
        let approximate = words.take("approx");
        let rounding = words.rounding();
        let ty = words.ty()?;
        if ty.kind() == Kind::Packed {
            return match name {
                "ex2" | "tanh" if ty == Type::F16x2 => self.packed_function(inst, around),
                _ => self.unsupported(RULE, inst.opcode.as_ref()),
            };
        }
        if !ty.is_float() {
            return self.invalid(RULE, format!("{name} of .{}", ty.name()));
        }
        if name == "copysign" {
            let [sign, x] = self.sources(inst, ty)?;
            let value = float::copy_sign(&mut self.b, x, sign);
            return self.set_result(inst, ty, value);
        }
        let has_half = matches!(name, "ex2" | "tanh");
        let has_double = matches!(name, "sqrt" | "rcp" | "rsqrt");
        if ty == Type::F16 && !has_half || ty == Type::F64 && !has_double {
            return self.invalid(RULE, format!("{name} of .{}", ty.name()));
        }
        if ty == Type::F64 && approximate {
            return self.approximate_double(inst);
        }
        let rounding = self.check_rounding(ty, rounding)?;
        let [x] = self.float_sources(inst, ty, around)?;
        let value = self.function(name, x, rounding);
        self.set_finished(inst, ty, value, around)
    }

    pub(super) fn function(&mut self, name: &str, x: Value, rounding: Rounding) -> Value {
        match name {
            "sqrt" => match rounding {
                Rounding::Nearest => self.b.fsqrt(x),
                rounding => {
                    let exact = self.exact_root(x);
                    self.round(exact, rounding, None)
                }
            },
            "rcp" => {
                let one = self.b.float(self.b.function.ty(x).scalar, 1.0);
                self.rounded(Opcode::FDiv, one, x, rounding)
            }
            "rsqrt" => math::inverse_sqrt(&mut self.b, x),
            "ex2" => math::exp2(&mut self.b, x),
            "lg2" => self.logarithm(x),
            "sin" => math::sin(&mut self.b, x),
            "cos" => math::cos(&mut self.b, x),
            _ => math::tanh(&mut self.b, x),
        }
    }

    /// `lg2`, of denormals too.
    fn logarithm(&mut self, x: Value) -> Value {
        let least = self.b.f32(f32::MIN_POSITIVE);
        let magnitude = self.b.fabs(x);
        let is_small = self.b.flt(magnitude, least);
        let factor = self.b.f32((1u32 << 24) as f32);
        let scaled = self.b.fmul(x, factor);
        let x = self.b.select(is_small, scaled, x);
        let value = math::log2(&mut self.b, x);
        let amount = self.b.f32(24.0);
        let lower = self.b.fsub(value, amount);
        self.b.select(is_small, lower, value)
    }

    /// `rcp.approx.ftz.f64`, `rsqrt.approx.f64`: the upper words of operand and result count.
    fn approximate_double(&mut self, inst: &'m Instruction) -> Result {
        let [x] = self.sources(inst, Type::F64)?;
        let upper = |lowerer: &mut Self, value: Value| {
            let bits = lowerer.cast(value, Scalar::I64);
            let mask = lowerer.b.i64(0xffff_ffff_0000_0000);
            let bits = lowerer.b.and(bits, mask);
            lowerer.cast(bits, Scalar::F64)
        };
        let x = upper(self, x);
        let x = self.flushed(x);
        let one = self.b.f64(1.0);
        let value = match inst.name() {
            "rcp" => self.b.fdiv(one, x),
            "rsqrt" => {
                let root = self.b.fsqrt(x);
                self.b.fdiv(one, root)
            }
            _ => return self.invalid(RULE, inst.opcode.as_ref()),
        };
        let value = self.flushed(value);
        // A NaN whose payload is in the lower word stays one, since it is quiet.
        let value = upper(self, value);
        self.set_result(inst, Type::F64, value)
    }

    fn test_property(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let properties =
            ["finite", "infinite", "number", "notanumber", "normal", "subnormal"].map(|name| (name, name));
        let Some(property) = words.one_of(&properties) else {
            return self.invalid(RULE, "testp without a property");
        };
        let ty = words.ty()?;
        if !matches!(ty, Type::F32 | Type::F64) {
            return self.invalid(RULE, format!("testp of .{}", ty.name()));
        }
        let x = self.value(inst.operand(1)?, ty)?;
        let value = match property {
            "finite" => float::is_finite(&mut self.b, x),
            "infinite" => float::is_inf(&mut self.b, x),
            "number" => float::ordered(&mut self.b, x, x),
            "notanumber" => float::is_nan(&mut self.b, x),
            "normal" => float::is_normal(&mut self.b, x),
            _ => {
                let zero = self.b.float(ty.scalar(), 0.0);
                let other = self.b.fne(x, zero);
                let (finite, normal) = (float::is_finite(&mut self.b, x), float::is_normal(&mut self.b, x));
                let denormal = self.b.andnot(finite, normal);
                self.b.and(denormal, other)
            }
        };
        self.set_result(inst, Type::Pred, value)
    }
}
