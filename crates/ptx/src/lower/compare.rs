//! Comparisons and selections.

use super::Lowerer;
use super::words::Words;
use crate::error::Result;
use crate::module::{Instruction, Operand};
use crate::types::{Kind, Type};
use pyro_ir::{Opcode, Value};
use pyro_library::{Ops, float};

const RULE: &str = "Comparison and Selection Instructions";

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Neither is NaN.
    Numbers,
    /// One is NaN.
    Nan,
}

/// With what a comparison is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combine {
    And,
    Or,
    Xor,
}

/// A comparison, whether it holds for NaN, and whether it is of integers without a sign.
type Relation = (Comparison, bool, bool);

const RELATIONS: [(&str, Relation); 18] = [
    ("eq", (Comparison::Equal, false, false)),
    ("ne", (Comparison::NotEqual, false, false)),
    ("lt", (Comparison::Less, false, false)),
    ("le", (Comparison::LessEqual, false, false)),
    ("gt", (Comparison::Greater, false, false)),
    ("ge", (Comparison::GreaterEqual, false, false)),
    ("lo", (Comparison::Less, false, true)),
    ("ls", (Comparison::LessEqual, false, true)),
    ("hi", (Comparison::Greater, false, true)),
    ("hs", (Comparison::GreaterEqual, false, true)),
    ("equ", (Comparison::Equal, true, false)),
    ("neu", (Comparison::NotEqual, true, false)),
    ("ltu", (Comparison::Less, true, false)),
    ("leu", (Comparison::LessEqual, true, false)),
    ("gtu", (Comparison::Greater, true, false)),
    ("geu", (Comparison::GreaterEqual, true, false)),
    ("num", (Comparison::Numbers, false, false)),
    ("nan", (Comparison::Nan, false, false)),
];

impl<'m> Lowerer<'m, '_> {
    pub(super) fn compare(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        match inst.name() {
            "selp" => {
                let ty = words.ty()?;
                let (x, y) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
                let condition = self.value(inst.operand(3)?, Type::Pred)?;
                let value = self.b.select(condition, x, y);
                return self.set_result(inst, ty, value);
            }
            "slct" => return self.select_by_sign(inst, words),
            _ => {}
        }
        let flush = words.take("ftz");
        let Some(relation) = words.one_of(&RELATIONS) else {
            return self.invalid(RULE, format!("{} without a comparison", inst.opcode));
        };
        let combine = words.one_of(&[("and", Combine::And), ("or", Combine::Or), ("xor", Combine::Xor)]);
        let result = if inst.name() == "set" { Some(words.ty()?) } else { None };
        let ty = words.ty()?;
        let (mut x, mut y) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
        if flush && ty.is_float() {
            (x, y) = (self.flushed(x), self.flushed(y));
        }
        let holds = self.relation(relation, ty, x, y)?;
        let other = match combine {
            None => None,
            Some(combine) => Some((combine, self.value(inst.operand(3)?, Type::Pred)?)),
        };
        if inst.operands.len() != 3 + usize::from(combine.is_some()) {
            return self.invalid(
                "Instruction Operands",
                format!("{} with {} operands", inst.opcode, inst.operands.len()),
            );
        }
        let combined = |lowerer: &mut Self, holds: Value| match other {
            None => holds,
            Some((Combine::And, other)) => lowerer.b.and(holds, other),
            Some((Combine::Or, other)) => lowerer.b.or(holds, other),
            Some((Combine::Xor, other)) => lowerer.b.xor(holds, other),
        };
        let first = combined(self, holds);
        match (result, inst.operand(0)?) {
            (None, Operand::Pair(both)) => {
                let not = self.b.not(holds);
                let second = combined(self, not);
                self.set(&both.0, Type::Pred, first)?;
                self.set(&both.1, Type::Pred, second)
            }
            (None, one) => self.set(one, Type::Pred, first),
            (Some(ty), one)
                if matches!(ty, Type::U32 | Type::S32 | Type::B32 | Type::U16 | Type::S16 | Type::B16) =>
            {
                let value = self.b.convert(Opcode::SignExtend, first, ty.scalar());
                self.set(one, ty, value)
            }
            (Some(ty), one) if matches!(ty, Type::F32 | Type::F16) => {
                let (one_value, zero) = (self.b.float(ty.scalar(), 1.0), self.b.float(ty.scalar(), 0.0));
                let value = self.b.select(first, one_value, zero);
                self.set(one, ty, value)
            }
            (Some(ty), _) => self.invalid(RULE, format!("set with a result of .{}", ty.name())),
        }
    }

    fn relation(&mut self, relation: Relation, ty: Type, x: Value, y: Value) -> Result<Value> {
        use Comparison as C;
        let (comparison, for_nan, unsigned) = relation;
        let b = &mut self.b;
        match ty.kind() {
            Kind::Float => {
                if unsigned {
                    return self.invalid(RULE, "an integer comparison of floats");
                }
                Ok(match (comparison, for_nan) {
                    (C::Equal, false) => b.feq(x, y),
                    (C::Equal, true) => float::unord_equal(b, x, y),
                    (C::NotEqual, false) => float::ord_not_equal(b, x, y),
                    (C::NotEqual, true) => b.fne(x, y),
                    (C::Less, false) => b.flt(x, y),
                    (C::Less, true) => float::unord_less_than(b, x, y),
                    (C::LessEqual, false) => b.fle(x, y),
                    (C::LessEqual, true) => float::unord_less_than_equal(b, x, y),
                    (C::Greater, false) => b.flt(y, x),
                    (C::Greater, true) => float::unord_less_than(b, y, x),
                    (C::GreaterEqual, false) => b.fle(y, x),
                    (C::GreaterEqual, true) => float::unord_less_than_equal(b, y, x),
                    (C::Numbers, _) => float::ordered(b, x, y),
                    (C::Nan, _) => float::unordered(b, x, y),
                })
            }
            Kind::Packed | Kind::Predicate => {
                self.unsupported(RULE, format!("comparisons of .{}", ty.name()))
            }
            kind => {
                let signed = kind == Kind::Signed && !unsigned;
                if for_nan || matches!(comparison, C::Numbers | C::Nan) {
                    return self.invalid(RULE, "a float comparison of integers");
                }
                if kind == Kind::Bits && !matches!(comparison, C::Equal | C::NotEqual) {
                    return self.invalid(RULE, "bits compare as equal or not");
                }
                Ok(match (comparison, signed) {
                    (C::Equal, _) => b.ieq(x, y),
                    (C::NotEqual, _) => b.ine(x, y),
                    (C::Less, true) => b.slt(x, y),
                    (C::Less, false) => b.ult(x, y),
                    (C::LessEqual, true) => b.sle(x, y),
                    (C::LessEqual, false) => b.ule(x, y),
                    (C::Greater, true) => b.slt(y, x),
                    (C::Greater, false) => b.ult(y, x),
                    (_, true) => b.sle(y, x),
                    (_, false) => b.ule(y, x),
                })
            }
        }
    }

    /// `slct`: by the sign of the third.
    fn select_by_sign(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let flush = words.take("ftz");
        let (ty, by) = (words.ty()?, words.ty()?);
        let (x, y) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
        let sign = self.value(inst.operand(3)?, by)?;
        let condition = match by {
            Type::S32 => {
                let zero = self.b.i32(0);
                self.b.sle(zero, sign)
            }
            Type::F32 => {
                let sign = if flush { self.flushed(sign) } else { sign };
                let zero = self.b.f32(0.0);
                self.b.fle(zero, sign)
            }
            _ => return self.invalid(RULE, format!("slct by .{}", by.name())),
        };
        let value = self.b.select(condition, x, y);
        self.set_result(inst, ty, value)
    }
}
