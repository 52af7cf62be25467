//! Bits: logic, shifts, fields, permutations of bytes.

use super::Lowerer;
use super::words::Words;
use crate::error::Result;
use crate::module::{Instruction, Operand};
use crate::types::Type;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

const RULE: &str = "Logic and Shift Instructions";

impl<'m> Lowerer<'m, '_> {
    pub(super) fn bits(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        match inst.name() {
            "and" | "or" | "xor" => {
                let ty = words.ty()?;
                if ty.is_float() {
                    return self.invalid(RULE, format!("{} of .{}", inst.name(), ty.name()));
                }
                let [x, y] = self.sources(inst, ty)?;
                let value = match inst.name() {
                    "and" => self.b.and(x, y),
                    "or" => self.b.or(x, y),
                    _ => self.b.xor(x, y),
                };
                self.set_result(inst, ty, value)
            }
            "not" | "cnot" => {
                let ty = words.ty()?;
                if ty.is_float() {
                    return self.invalid(RULE, format!("{} of .{}", inst.name(), ty.name()));
                }
                let [x] = self.sources(inst, ty)?;
                let value = if inst.name() == "not" {
                    self.b.not(x)
                } else {
                    let zero = self.b.constant(ty.scalar(), 0);
                    let is_zero = self.b.ieq(x, zero);
                    if ty == Type::Pred {
                        return self.invalid(RULE, "cnot of predicates");
                    }
                    self.b.convert(Opcode::ZeroExtend, is_zero, ty.scalar())
                };
                self.set_result(inst, ty, value)
            }
            "shl" | "shr" => self.shift(inst, words),
            "shf" => self.funnel_shift(inst, words),
            "lop3" => self.logic_3(inst, words),
            "popc" | "clz" => {
                let ty = self.wide_type(inst, words)?;
                let x = self.value(inst.operand(1)?, ty)?;
                let value = if inst.name() == "popc" { self.b.popcnt(x) } else { self.b.clz(x) };
                let value = self.b.resize_u(value, Scalar::I32);
                self.set_result(inst, Type::U32, value)
            }
            "brev" => {
                let ty = self.wide_type(inst, words)?;
                let [x] = self.sources(inst, ty)?;
                let value = self.b.bitrev(x);
                self.set_result(inst, ty, value)
            }
            "bfind" => self.find_bit(inst, words),
            "bfe" => self.extract(inst, words),
            "bfi" => self.insert(inst, words),
            "bmsk" => {
                let wraps = words.take("wrap");
                if !wraps && !words.take("clamp") {
                    return self.invalid(RULE, "bmsk without .clamp or .wrap");
                }
                words.ty()?;
                let [from, count] = self.sources(inst, Type::B32)?;
                let value = if wraps {
                    let low = self.b.i32(31);
                    let (from, count) = (self.b.and(from, low), self.b.and(count, low));
                    let mask = self.low_bits(Scalar::I32, count);
                    self.b.shl(mask, from)
                } else {
                    let mask = self.low_bits(Scalar::I32, count);
                    self.shift_left(mask, from)
                };
                self.set_result(inst, Type::B32, value)
            }
            "szext" => {
                let wraps = words.take("wrap");
                if !wraps && !words.take("clamp") {
                    return self.invalid(RULE, "szext without .clamp or .wrap");
                }
                let ty = words.ty()?;
                if !matches!(ty, Type::U32 | Type::S32) {
                    return self.invalid(RULE, format!("szext of .{}", ty.name()));
                }
                let [x, count] = self.sources(inst, ty)?;
                let low = self.b.i32(31);
                let count = if wraps { self.b.and(count, low) } else { count };
                let zero = self.b.i32(0);
                let value = self.extract_bits(x, zero, count, ty);
                self.set_result(inst, ty, value)
            }
            _ => self.permute(inst, words),
        }
    }

    /// A type of 32 or 64 bits.
    fn wide_type(&self, inst: &Instruction, words: &mut Words<'_>) -> Result<Type> {
        let ty = words.ty()?;
        if !ty.is_integer() || ty.bits() < 32 {
            return self
                .invalid("Integer Arithmetic Instructions", format!("{} of .{}", inst.name(), ty.name()));
        }
        Ok(ty)
    }

    /// `value << amount` of an amount of any size (`i32`).
    fn shift_left(&mut self, value: Value, amount: Value) -> Value {
        let scalar = self.b.scalar(value);
        let limit = self.b.i32(scalar.bits());
        let fits = self.b.ult(amount, limit);
        let amount = self.b.resize_u(amount, scalar);
        let shifted = self.b.shl(value, amount);
        let zero = self.b.constant(scalar, 0);
        self.b.select(fits, shifted, zero)
    }

    fn shift(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let ty = words.ty()?;
        if !ty.is_integer() {
            return self.invalid(RULE, format!("{} of .{}", inst.name(), ty.name()));
        }
        let x = self.value(inst.operand(1)?, ty)?;
        let amount = self.value(inst.operand(2)?, Type::U32)?;
        let scalar = ty.scalar();
        let value = if inst.name() == "shl" {
            self.shift_left(x, amount)
        } else if ty.is_signed() {
            let most = self.b.i32(scalar.bits() - 1);
            let amount = self.b.umin(amount, most);
            let amount = self.b.resize_u(amount, scalar);
            self.b.ashr(x, amount)
        } else {
            let limit = self.b.i32(scalar.bits());
            let fits = self.b.ult(amount, limit);
            let amount = self.b.resize_u(amount, scalar);
            let shifted = self.b.lshr(x, amount);
            let zero = self.b.constant(scalar, 0);
            self.b.select(fits, shifted, zero)
        };
        self.set_result(inst, ty, value)
    }

    /// `shf`: of 64 bits the upper or lower 32 once they are shifted.
    fn funnel_shift(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let Some(left) = words.one_of(&[("l", true), ("r", false)]) else {
            return self.invalid(RULE, "shf without .l or .r");
        };
        let Some(wraps) = words.one_of(&[("wrap", true), ("clamp", false)]) else {
            return self.invalid(RULE, "shf without .wrap or .clamp");
        };
        words.ty()?;
        let [low, high, amount] = self.sources(inst, Type::B32)?;
        let amount = if wraps {
            let mask = self.b.i32(31);
            self.b.and(amount, mask)
        } else {
            let most = self.b.i32(32);
            self.b.umin(amount, most)
        };
        let amount = self.b.resize_u(amount, Scalar::I64);
        let thirty_two = self.b.i64(32);
        let (low, high) = (self.b.resize_u(low, Scalar::I64), self.b.resize_u(high, Scalar::I64));
        let high = self.b.shl(high, thirty_two);
        let both = self.b.or(low, high);
        let both = if left {
            let shifted = self.b.shl(both, amount);
            self.b.lshr(shifted, thirty_two)
        } else {
            self.b.lshr(both, amount)
        };
        let value = self.b.resize_u(both, Scalar::I32);
        self.set_result(inst, Type::B32, value)
    }

    /// `lop3`: a bitwise function of three values by its table.
    fn logic_3(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        words.ty()?;
        let [x, y, z, table] = [1, 2, 3, 4].map(|index| inst.operands.get(index));
        let (Some(x), Some(y), Some(z), Some(&Operand::Integer(table))) = (x, y, z, table) else {
            return self.invalid(RULE, "lop3 takes three values and a constant");
        };
        let [x, y, z] = [self.value(x, Type::B32)?, self.value(y, Type::B32)?, self.value(z, Type::B32)?];
        let table = table as u8;
        let (with, without) = (table >> 4, table & 15);
        let value = match with == without {
            true => self.logic_2(with, y, z),
            false => {
                let (with, without) = (self.logic_2(with, y, z), self.logic_2(without, y, z));
                let (one, other) = (self.b.and(with, x), self.b.andnot(without, x));
                self.b.or(one, other)
            }
        };
        self.set_result(inst, Type::B32, value)
    }

    /// A bitwise function of two values by its table: bit `2 * x + y` for bits `x` and `y`.
    fn logic_2(&mut self, table: u8, x: Value, y: Value) -> Value {
        let by_bit = |lowerer: &mut Self, table: u8| match table & 3 {
            0 => lowerer.b.i32(0),
            1 => lowerer.b.not(y),
            2 => y,
            _ => lowerer.b.i32(u32::MAX),
        };
        match table {
            0b1100 => x,
            0b0011 => self.b.not(x),
            0b1000 => self.b.and(x, y),
            0b1110 => self.b.or(x, y),
            0b0110 => self.b.xor(x, y),
            _ => {
                let (with, without) = (by_bit(self, table >> 2), by_bit(self, table));
                if with == without {
                    return with;
                }
                let (one, other) = (self.b.and(with, x), self.b.andnot(without, x));
                self.b.or(one, other)
            }
        }
    }

    fn find_bit(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let shift_amount = words.take("shiftamt");
        let ty = self.wide_type(inst, words)?;
        let mut x = self.value(inst.operand(1)?, ty)?;
        let scalar = ty.scalar();
        if ty.is_signed() {
            // Of negative numbers, the highest bit that is not the sign.
            let amount = self.b.constant(scalar, u64::from(scalar.bits()) - 1);
            let sign = self.b.ashr(x, amount);
            x = self.b.xor(x, sign);
        }
        let above = self.b.clz(x);
        let above = self.b.resize_u(above, Scalar::I32);
        let width = self.b.i32(scalar.bits());
        let none = self.b.ieq(above, width);
        let last = self.b.i32(scalar.bits() - 1);
        let place = if shift_amount { above } else { self.b.isub(last, above) };
        let all = self.b.i32(u32::MAX);
        let value = self.b.select(none, all, place);
        self.set_result(inst, Type::U32, value)
    }

    /// As many of the lowest bits as `count` (`i32`) says, all from the width on.
    fn low_bits(&mut self, scalar: Scalar, count: Value) -> Value {
        let limit = self.b.i32(scalar.bits());
        let fits = self.b.ult(count, limit);
        let one = self.b.constant(scalar, 1);
        let amount = self.b.resize_u(count, scalar);
        let bit = self.b.shl(one, amount);
        let below = self.b.isub(bit, one);
        let all = self.b.constant(scalar, u64::MAX);
        self.b.select(fits, below, all)
    }

    fn extract(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let ty = self.wide_type(inst, words)?;
        let x = self.value(inst.operand(1)?, ty)?;
        let (from, count) =
            (self.value(inst.operand(2)?, Type::U32)?, self.value(inst.operand(3)?, Type::U32)?);
        let byte = self.b.i32(0xff);
        let (from, count) = (self.b.and(from, byte), self.b.and(count, byte));
        let value = self.extract_bits(x, from, count, ty);
        self.set_result(inst, ty, value)
    }

    /// `count` bits from the place `from` on (both `i32`), extended with zeros, or with the highest of them
    /// that there is.
    fn extract_bits(&mut self, x: Value, from: Value, count: Value, ty: Type) -> Value {
        let scalar = ty.scalar();
        let width = self.b.i32(scalar.bits());
        if !ty.is_signed() {
            let fits = self.b.ult(from, width);
            let amount = self.b.resize_u(from, scalar);
            let shifted = self.b.lshr(x, amount);
            let mask = self.low_bits(scalar, count);
            let field = self.b.and(shifted, mask);
            let zero = self.b.constant(scalar, 0);
            return self.b.select(fits, field, zero);
        }
        let count = self.b.umin(count, width);
        let end = self.b.iadd(from, count);
        let end = self.b.umin(end, width);
        let up = self.b.isub(width, end);
        let (one, zero) = (self.b.i32(1), self.b.i32(0));
        let last = self.b.isub(width, one);
        let down = self.b.iadd(up, from);
        let down = self.b.umin(down, last);
        let (up, down) = (self.b.resize_u(up, scalar), self.b.resize_u(down, scalar));
        let shifted = self.b.shl(x, up);
        let field = self.b.ashr(shifted, down);
        let is_empty = self.b.ieq(count, zero);
        let none = self.b.constant(scalar, 0);
        self.b.select(is_empty, none, field)
    }

    fn insert(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let ty = self.wide_type(inst, words)?;
        let (x, into) = (self.value(inst.operand(1)?, ty)?, self.value(inst.operand(2)?, ty)?);
        let (from, count) =
            (self.value(inst.operand(3)?, Type::U32)?, self.value(inst.operand(4)?, Type::U32)?);
        let byte = self.b.i32(0xff);
        let (from, count) = (self.b.and(from, byte), self.b.and(count, byte));
        let mask = self.low_bits(ty.scalar(), count);
        let mask = self.shift_left(mask, from);
        let amount = self.b.resize_u(from, ty.scalar());
        let shifted = self.b.shl(x, amount);
        let (new, old) = (self.b.and(shifted, mask), self.b.andnot(into, mask));
        let value = self.b.or(new, old);
        self.set_result(inst, ty, value)
    }

    /// `prmt`: four of eight bytes.
    fn permute(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        // The selectors that the lowest two bits stand for.
        const MODES: [(&str, [u32; 4]); 6] = [
            ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
            ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
            ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
            ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
            ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
            ("rc16", [0x1010, 0x1010, 0x3232, 0x3232]),
        ];
        words.ty()?;
        let [low, high, mut selector] = self.sources(inst, Type::B32)?;
        if let Some(modes) = words.one_of(&MODES) {
            let (one, two, zero) = (self.b.i32(1), self.b.i32(2), self.b.i32(0));
            let bits = [one, two].map(|bit| {
                let bit = self.b.and(selector, bit);
                self.b.ine(bit, zero)
            });
            let modes = modes.map(|mode| self.b.i32(mode));
            let even = self.b.select(bits[0], modes[1], modes[0]);
            let odd = self.b.select(bits[0], modes[3], modes[2]);
            selector = self.b.select(bits[1], odd, even);
        }
        // Each digit of the selector to the lowest bits of a byte.
        let mut spread = self.b.i32(0);
        for byte in 0..4u32 {
            let mask = self.b.i32(0xf << (4 * byte));
            let amount = self.b.i32(4 * byte);
            let digit = self.b.and(selector, mask);
            let digit = self.b.shl(digit, amount);
            spread = self.b.or(spread, digit);
        }
        let (places, signs) = (self.b.i32(0x0707_0707), self.b.i32(0x0808_0808));
        let (places, signs) = (self.b.and(spread, places), self.b.and(spread, signs));
        let [low, high, places] = [low, high, places].map(|value| self.b.resize_u(value, Scalar::I64));
        let amount = self.b.i64(32);
        let high = self.b.shl(high, amount);
        let both = self.b.or(low, high);
        let bytes = self.b.shuffle_bytes(both, places);
        let bytes = self.b.resize_u(bytes, Scalar::I32);
        // Where a digit's highest bit is set, the byte's sign fills the byte.
        let (three, seven, all) = (self.b.i32(3), self.b.i32(7), self.b.i32(0xff));
        let is_sign = self.b.lshr(signs, three);
        let is_sign = self.b.imul(is_sign, all);
        let highest = self.b.i32(0x8080_8080);
        let filled = self.b.and(bytes, highest);
        let filled = self.b.lshr(filled, seven);
        let filled = self.b.imul(filled, all);
        let (one, other) = (self.b.and(filled, is_sign), self.b.andnot(bytes, is_sign));
        let value = self.b.or(one, other);
        self.set_result(inst, Type::B32, value)
    }
}
