//! Integer arithmetic.

use super::Lowerer;
use super::words::Words;
use crate::error::Result;
use crate::module::Instruction;
use crate::types::{Kind, Type};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;
use pyro_library::integer::{DotKind, dot_4x8};

const RULE: &str = "Integer Arithmetic Instructions";

/// Which part of a product counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Low,
    High,
    Wide,
}

/// The type of twice the width.
fn wide(ty: Type) -> Option<Type> {
    Some(match ty {
        Type::U8 | Type::B8 => Type::U16,
        Type::S8 => Type::S16,
        Type::U16 | Type::B16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 | Type::B32 => Type::U64,
        Type::S32 => Type::S64,
        _ => return None,
    })
}

impl<'m> Lowerer<'m, '_> {
    /// What there is of integers and floats alike.
    pub(super) fn arithmetic(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let part = words.one_of(&[("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)]);
        let ty = words.ty()?;
        match ty.kind() {
            Kind::Float => self.float_arithmetic(inst, words, ty),
            Kind::Packed => self.packed_arithmetic(inst, words, ty),
            Kind::Predicate => self.invalid(RULE, format!("{} of predicates", inst.name())),
            _ => self.integer_arithmetic(inst, words, ty, part),
        }
    }

    fn integer_arithmetic(
        &mut self,
        inst: &'m Instruction,
        words: &mut Words<'m>,
        ty: Type,
        part: Option<Part>,
    ) -> Result {
        let signed = ty.is_signed();
        match inst.name() {
            "add" | "sub" => {
                if words.take("cc") {
                    let [x, y] = self.sources(inst, ty)?;
                    let none = self.b.bool(false);
                    return self.with_carry(inst, ty, x, y, none, inst.name() == "sub", true);
                }
                let saturates = words.take("sat");
                let [x, y] = self.sources(inst, ty)?;
                let value = match (inst.name(), saturates && ty == Type::S32) {
                    ("add", false) => self.b.iadd(x, y),
                    ("add", true) => pyro_library::integer::s_add_sat(&mut self.b, x, y),
                    (_, false) => self.b.isub(x, y),
                    (_, true) => pyro_library::integer::s_sub_sat(&mut self.b, x, y),
                };
                if saturates && ty != Type::S32 {
                    return self.invalid(RULE, ".sat of something that is not a .s32");
                }
                self.set_result(inst, ty, value)
            }
            "mul" => {
                let [x, y] = self.sources(inst, ty)?;
                let Some(part) = part else { return self.invalid(RULE, "mul without .lo, .hi or .wide") };
                let (value, ty) = self.product(x, y, ty, part)?;
                self.set_result(inst, ty, value)
            }
            "mad" => {
                let Some(part) = part else { return self.invalid(RULE, "mad without .lo, .hi or .wide") };
                let carries = words.take("cc");
                let saturates = words.take("sat");
                let (x, y) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
                let (value, ty) = self.product(x, y, ty, part)?;
                let z = self.value(inst.operand(3)?, ty)?;
                if carries {
                    let none = self.b.bool(false);
                    return self.with_carry(inst, ty, value, z, none, false, true);
                }
                let sum = if saturates {
                    if ty != Type::S32 || part != Part::High {
                        return self.invalid(RULE, ".sat of something that is not a mad.hi.s32");
                    }
                    pyro_library::integer::s_add_sat(&mut self.b, value, z)
                } else {
                    self.b.iadd(value, z)
                };
                self.set_result(inst, ty, sum)
            }
            "div" => {
                let [x, y] = self.sources(inst, ty)?;
                self.sanitize_divisor(y)?;
                let value = self.b.op(if signed { Opcode::SDiv } else { Opcode::UDiv }, &[x, y]);
                self.set_result(inst, ty, value)
            }
            "min" | "max" => {
                let relu = words.take("relu");
                let [x, y] = self.sources(inst, ty)?;
                let op = match (inst.name(), signed) {
                    ("min", true) => Opcode::SMin,
                    ("min", false) => Opcode::UMin,
                    (_, true) => Opcode::SMax,
                    (_, false) => Opcode::UMax,
                };
                let mut value = self.b.op(op, &[x, y]);
                if relu {
                    if ty != Type::S32 {
                        return self.unsupported(RULE, inst.opcode.as_ref());
                    }
                    let zero = self.b.i32(0);
                    value = self.b.smax(value, zero);
                }
                self.set_result(inst, ty, value)
            }
            "abs" | "neg" => {
                if !signed {
                    return self.invalid(RULE, format!("{} of .{}", inst.name(), ty.name()));
                }
                let [x] = self.sources(inst, ty)?;
                let value = match inst.name() {
                    "abs" => pyro_library::math::s_abs(&mut self.b, x),
                    _ => pyro_library::integer::s_negate(&mut self.b, x),
                };
                self.set_result(inst, ty, value)
            }
            name => self.invalid(RULE, format!("{name} of .{}", ty.name())),
        }
    }

    /// A part of a product, and its type.
    fn product(&mut self, x: Value, y: Value, ty: Type, part: Part) -> Result<(Value, Type)> {
        let signed = ty.is_signed();
        Ok(match part {
            Part::Low => (self.b.imul(x, y), ty),
            Part::High if signed => (self.b.smulh(x, y), ty),
            Part::High => (self.b.umulh(x, y), ty),
            Part::Wide => {
                let Some(wide) = wide(ty) else {
                    return self.invalid(RULE, format!(".wide of .{}", ty.name()));
                };
                let scalar = wide.scalar();
                let [x, y] = [x, y].map(|value| match signed {
                    true => self.b.resize_s(value, scalar),
                    false => self.b.resize_u(value, scalar),
                });
                (self.b.imul(x, y), wide)
            }
        })
    }

    fn carry_slot(&mut self) -> pyro_ir::Slot {
        match self.carry {
            Some(slot) => slot,
            None => *self.carry.insert(self.b.function.add_slot(1)),
        }
    }

    fn read_carry(&mut self) -> Value {
        let slot = self.carry_slot();
        let zero = self.b.i32(0);
        self.b.slot_load(Scalar::I1, slot, zero)
    }

    /// `x + y + carry`, or `x - (y + carry)`, which `keeps` the carry for the next instruction.
    #[expect(clippy::too_many_arguments, reason = "the operands of one sum")]
    fn with_carry(
        &mut self,
        inst: &'m Instruction,
        ty: Type,
        x: Value,
        y: Value,
        carry: Value,
        subtract: bool,
        keeps: bool,
    ) -> Result {
        let scalar = ty.scalar();
        let more = self.b.convert(Opcode::ZeroExtend, carry, scalar);
        let (result, out) = if subtract {
            let first = self.b.isub(x, y);
            let result = self.b.isub(first, more);
            let (one, two) = (self.b.ult(x, y), self.b.ult(first, more));
            (result, self.b.or(one, two))
        } else {
            let first = self.b.iadd(x, y);
            let result = self.b.iadd(first, more);
            let (one, two) = (self.b.ult(first, x), self.b.ult(result, first));
            (result, self.b.or(one, two))
        };
        self.set_result(inst, ty, result)?;
        if keeps {
            let out = match self.guard {
                None => out,
                Some(guard) => {
                    let old = self.read_carry();
                    self.b.select(guard, out, old)
                }
            };
            let slot = self.carry_slot();
            let zero = self.b.i32(0);
            self.b.slot_store(slot, zero, out);
        }
        Ok(())
    }

    /// What there is of integers only.
    pub(super) fn integer(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        match inst.name() {
            "addc" | "subc" => {
                let keeps = words.take("cc");
                let ty = words.ty()?;
                let [x, y] = self.sources(inst, ty)?;
                let carry = self.read_carry();
                self.with_carry(inst, ty, x, y, carry, inst.name() == "subc", keeps)
            }
            "madc" => {
                let Some(part) = words.one_of(&[("lo", Part::Low), ("hi", Part::High)]) else {
                    return self.invalid(RULE, "madc without .lo or .hi");
                };
                let keeps = words.take("cc");
                let ty = words.ty()?;
                let [x, y, z] = self.sources(inst, ty)?;
                let (product, ty) = self.product(x, y, ty, part)?;
                let carry = self.read_carry();
                self.with_carry(inst, ty, product, z, carry, false, keeps)
            }
            "mul24" | "mad24" => self.product_24(inst, words),
            "sad" => {
                let ty = words.ty()?;
                let [x, y, z] = self.sources(inst, ty)?;
                let difference = match ty.is_signed() {
                    true => pyro_library::integer::s_abs_difference(&mut self.b, x, y),
                    false => pyro_library::integer::u_abs_difference(&mut self.b, x, y),
                };
                let value = self.b.iadd(difference, z);
                self.set_result(inst, ty, value)
            }
            "rem" => {
                let ty = words.ty()?;
                if !matches!(ty.kind(), Kind::Signed | Kind::Unsigned) {
                    return self.invalid(RULE, format!("rem of .{}", ty.name()));
                }
                let [x, y] = self.sources(inst, ty)?;
                self.sanitize_divisor(y)?;
                let value = self.b.op(if ty.is_signed() { Opcode::SRem } else { Opcode::URem }, &[x, y]);
                self.set_result(inst, ty, value)
            }
            "dp4a" => {
                let (first, second) = (words.ty()?, words.ty()?);
                let (x, y) =
                    (self.value(inst.operand(1)?, Type::B32)?, self.value(inst.operand(2)?, Type::B32)?);
                let z = self.value(inst.operand(3)?, Type::B32)?;
                let product = match (first, second) {
                    (Type::U32, Type::U32) => dot_4x8(&mut self.b, DotKind::Unsigned, x, y, Scalar::I32),
                    (Type::S32, Type::S32) => dot_4x8(&mut self.b, DotKind::Signed, x, y, Scalar::I32),
                    (Type::S32, Type::U32) => dot_4x8(&mut self.b, DotKind::Mixed, x, y, Scalar::I32),
                    (Type::U32, Type::S32) => dot_4x8(&mut self.b, DotKind::Mixed, y, x, Scalar::I32),
                    _ => return self.invalid(RULE, "dp4a of other types than .u32 and .s32"),
                };
                let value = self.b.iadd(product, z);
                self.set_result(inst, Type::B32, value)
            }
            _ => self.dot_2(inst, words),
        }
    }

    /// `dp2a`: two numbers of 16 bits times two of 8.
    fn dot_2(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let Some(high) = words.one_of(&[("lo", false), ("hi", true)]) else {
            return self.invalid(RULE, "dp2a without .lo or .hi");
        };
        let (first, second) = (words.ty()?, words.ty()?);
        if !matches!((first, second), (Type::U32 | Type::S32, Type::U32 | Type::S32)) {
            return self.invalid(RULE, "dp2a of other types than .u32 and .s32");
        }
        let [x, y, mut sum] = self.sources(inst, Type::B32)?;
        for index in 0..2u32 {
            let from = if high { 16 } else { 0 };
            let half = self.field(x, 16 * index, 16, first.is_signed());
            let byte = self.field(y, from + 8 * index, 8, second.is_signed());
            let product = self.b.imul(half, byte);
            sum = self.b.iadd(sum, product);
        }
        self.set_result(inst, Type::B32, sum)
    }

    /// Bits of a word from a place on, extended to 32.
    pub(super) fn field(&mut self, word: Value, from: u32, bits: u32, signed: bool) -> Value {
        let (up, down) = (self.b.i32(32 - from - bits), self.b.i32(32 - bits));
        let value = self.b.shl(word, up);
        if signed { self.b.ashr(value, down) } else { self.b.lshr(value, down) }
    }

    /// `mul24`, `mad24`: of products of 24 bits the upper or lower 32.
    fn product_24(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let Some(high) = words.one_of(&[("lo", false), ("hi", true)]) else {
            return self.invalid(RULE, format!("{} without .lo or .hi", inst.name()));
        };
        let ty = words.ty()?;
        if !matches!(ty, Type::U32 | Type::S32) {
            return self.invalid(RULE, format!("{} of .{}", inst.name(), ty.name()));
        }
        let saturates = words.take("sat");
        let (x, y) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
        let signed = ty.is_signed();
        let [x, y] = [x, y].map(|value| {
            let value = self.field(value, 0, 24, signed);
            if signed { self.b.resize_s(value, Scalar::I64) } else { self.b.resize_u(value, Scalar::I64) }
        });
        let product = self.b.imul(x, y);
        let amount = self.b.i64(if high { 16 } else { 0 });
        let product = self.b.lshr(product, amount);
        let mut value = self.b.resize_u(product, Scalar::I32);
        if inst.name() == "mad24" {
            let z = self.value(inst.operand(3)?, ty)?;
            value = match saturates {
                true if high && signed => pyro_library::integer::s_add_sat(&mut self.b, value, z),
                true => return self.invalid(RULE, ".sat of something that is not a mad24.hi.s32"),
                false => self.b.iadd(value, z),
            };
        } else if saturates {
            return self.invalid(RULE, ".sat of mul24");
        }
        self.set_result(inst, ty, value)
    }
}
