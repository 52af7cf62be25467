//! Operations on uniform values: general registers, and the low elements of vector registers for floats.

use super::arithmetic::{by_width, float_op, float_predicate, integer_op, rounding_mode};
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector, Unsupported};
use crate::asm::op::*;
use crate::asm::{Alu, Condition, Len, Shift, Size, VOp};
use crate::cpu::Level;
use crate::machine::Kind;
use crate::machine::inst::{GENERAL, MASK};
use pyro_ir::{InstData, Opcode, Scalar, Signature, Value};
use regalloc2::{Operand, PReg, VReg};

/// Lanes of the vectors in which uniform values are computed by vector instructions: all types fill one
/// register then.
const STAND_IN_LANES: u32 = 4;

/// The operation size for a width.
const fn size(bits: u32) -> Size {
    if bits == 64 { Size::S64 } else { Size::S32 }
}

/// The condition code of an integer comparison.
pub(super) fn condition(op: Opcode) -> Condition {
    match op {
        Opcode::IEq => Condition::Equal,
        Opcode::INe => Condition::NotEqual,
        Opcode::ULt => Condition::Below,
        Opcode::ULe => Condition::BelowEqual,
        Opcode::SLt => Condition::Less,
        _ => Condition::LessEqual,
    }
}

impl Selector<'_> {
    /// A constant in a general register.
    pub(super) fn imm(&mut self, value: u64) -> VReg {
        let to = self.general();
        self.push(Kind::Imm(value), &[Operand::reg_def(to)]);
        to
    }

    /// A uniform constant.
    pub(super) fn uniform_constant(&mut self, scalar: Scalar, bits: u64) -> VReg {
        if !scalar.is_float() {
            return self.imm(bits);
        }
        if self.has_short_vectors() {
            return self.neon_constant(scalar, bits);
        }
        if bits == 0 {
            return self.zero();
        }
        let constant = self.element(scalar, bits);
        let source = Source::Memory(Memory::pool(constant));
        match scalar {
            Scalar::F64 => self.v1(VMOVSD, Len::X, source),
            Scalar::F32 => self.v1(VMOVSS, Len::X, source),
            _ => self.v1(VPBROADCASTW, Len::X, source),
        }
    }

    /// Clears the bits above a narrow integer's width.
    pub(super) fn clean(&mut self, register: VReg, scalar: Scalar) -> VReg {
        match scalar.bits() {
            1 => self.alu_imm(Alu::And, Size::S32, register, 1),
            8 | 16 => self.unary_to(Kind::ZeroExtend(scalar.bits()), register),
            _ => register,
        }
    }

    /// `[to, from]`.
    pub(super) fn unary_to(&mut self, kind: Kind, from: VReg) -> VReg {
        let to = self.general();
        self.push(kind, &[Operand::reg_def(to), Operand::reg_use(from)]);
        to
    }

    /// `[to = a, a]`.
    pub(super) fn unary_tied(&mut self, kind: Kind, from: VReg) -> VReg {
        let to = self.general();
        self.push(kind, &[Operand::reg_reuse_def(to, 1), Operand::reg_use(from)]);
        to
    }

    /// A narrow integer with its sign extended to the operation's size.
    fn signed(&mut self, register: VReg, scalar: Scalar) -> VReg {
        match scalar.bits() {
            8 | 16 => self.unary_to(Kind::SignExtend(scalar.bits(), Size::S32), register),
            _ => register,
        }
    }

    /// `condition ? then : otherwise` on general registers.
    pub(super) fn select_general(
        &mut self,
        size: Size,
        condition: VReg,
        then: VReg,
        otherwise: VReg,
    ) -> VReg {
        let to = self.general();
        let operands = [
            Operand::reg_reuse_def(to, 1),
            Operand::reg_use(otherwise),
            Operand::reg_use(then),
            Operand::reg_use(condition),
        ];
        self.push(Kind::Select(size), &operands);
        to
    }

    /// 0 or 1.
    fn compare_general(&mut self, condition: Condition, size: Size, a: VReg, b: VReg) -> VReg {
        let to = self.general();
        let operands = [Operand::reg_def(to), Operand::reg_use(a), Operand::reg_use(b)];
        self.push(Kind::Compare(condition, size), &operands);
        to
    }

    /// A constant that an instruction of this size can hold.
    pub(super) fn immediate(&self, value: Value, size: Size) -> Option<i32> {
        let bits = self.constant(value)?;
        match size {
            Size::S32 => Some(bits as u32 as i32),
            Size::S64 => i32::try_from(bits as i64).ok(),
        }
    }

    /// One of two values by a comparison that is folded into it.
    fn uniform_select_compared(&mut self, data: &InstData) -> VReg {
        let compare = self.def(data.args[0]).expect("a comparison").clone();
        let from = self.ty(compare.args[0]).scalar;
        let (then, otherwise) = (self.one(data.args[1]), self.one(data.args[2]));
        let (condition, compared, a, b) = self.comparison(compare.op, from, compare.args[0], compare.args[1]);
        let to = self.general();
        let mut operands = crate::machine::Operands::from_slice(&[
            Operand::reg_reuse_def(to, 1),
            Operand::reg_use(otherwise),
            Operand::reg_use(then),
            Operand::reg_use(a),
        ]);
        let kind = match b {
            Right::Immediate(value) => Kind::SelectCompareImm(condition, compared, value),
            Right::Register(b) => {
                operands.push(Operand::reg_use(b));
                Kind::SelectCompare(condition, compared)
            }
        };
        self.push(kind, &operands);
        to
    }

    /// An operation on uniform values that gives a uniform value.
    pub(super) fn uniform(
        &mut self,
        data: &InstData,
        result: Value,
        scalar: Scalar,
    ) -> Result<(), Unsupported> {
        let from = self.ty(*data.args.last().expect("has operands")).scalar;
        let register = match data.op.signature() {
            _ if self.has_short_vectors() && self.neon_computes_uniform(data, from, scalar) => {
                self.neon_uniform(data, from, scalar)
            }
            Signature::IntUnary | Signature::BitUnary => self.uniform_unary(data, scalar),
            Signature::IntBinary
                if matches!(
                    data.op,
                    Opcode::DotBytes | Opcode::DotFourBytes | Opcode::DotHalves | Opcode::ShuffleBytes
                ) =>
            {
                self.by_vector(data, from, scalar)?
            }
            Signature::IntBinary | Signature::BitBinary => self.uniform_binary(data, scalar),
            Signature::IntCompare => {
                let (condition, size, a, b) = self.comparison(data.op, from, data.args[0], data.args[1]);
                match b {
                    Right::Immediate(value) => self.unary_to(Kind::CompareImm(condition, size, value), a),
                    Right::Register(b) => self.compare_general(condition, size, a, b),
                }
            }
            Signature::FloatCompare if self.computes(from) => {
                let a = self.one(data.args[0]);
                let b = self.low_source(data.args[1]);
                let op = by_width(from, [VCMPSH, VCMPSS, VCMPSD]);
                let mask = self.compare(op, Len::X, a, b, float_predicate(data.op));
                self.vector(Spec::unary(KMOVD_FROM, Len::X, mask).class(GENERAL))
            }
            Signature::Select if scalar.is_float() => {
                let condition = self.one(data.args[0]);
                let mask = self.mask_from_bits(condition);
                let (then, otherwise) = (self.one(data.args[1]), self.one(data.args[2]));
                let op = if scalar == Scalar::F64 { VPBLENDMQ } else { VPBLENDMD };
                self.vector(Spec::binary(op, Len::X, otherwise, then).masked(mask))
            }
            Signature::Select if self.folded[data.args[0]] => self.uniform_select_compared(data),
            Signature::Select => {
                let condition = self.one(data.args[0]);
                let (then, otherwise) = (self.one(data.args[1]), self.one(data.args[2]));
                self.select_general(size(scalar.bits()), condition, then, otherwise)
            }
            Signature::FloatBinary if self.computes(scalar) => {
                let op = float_op(data.op, scalar, true).expect("all binary ones are there");
                let a = self.one(data.args[0]);
                let b = self.low_source(data.args[1]);
                self.v2(op, Len::X, a, b)
            }
            Signature::FloatTernary if self.computes(scalar) => {
                let form = by_width(scalar, [VFMADD213SH, VFMADD213SS, VFMADD213SD]);
                let (a, b) = (self.one(data.args[0]), self.one(data.args[1]));
                let c = self.low_source(data.args[2]);
                self.vector(Spec::binary(form, Len::X, b, c).tied(a))
            }
            Signature::FloatUnary if self.computes(scalar) => self.uniform_float_unary(data, scalar),
            Signature::Truncate => {
                let register = self.one(data.args[0]);
                match scalar.bits() {
                    1 => self.alu_imm(Alu::And, Size::S32, register, 1),
                    bits => self.unary_to(Kind::ZeroExtend(bits), register),
                }
            }
            Signature::Extend => self.uniform_extend(data, from, scalar),
            Signature::Bitcast => {
                let register = self.one(data.args[0]);
                match (from.is_float(), scalar.is_float()) {
                    (false, true) => self.low_element(register, scalar.bits().max(32)),
                    (true, false) => self.uniform_from_low(register, scalar),
                    _ => register,
                }
            }
            _ => self.by_vector(data, from, scalar)?,
        };
        self.define(result, [register]);
        Ok(())
    }

    /// The low element of an operand, from the pool where it is constant.
    fn low_source(&mut self, value: Value) -> Source {
        match self.constant(value) {
            Some(bits) => {
                let scalar = self.ty(value).scalar;
                Source::Memory(Memory::pool(self.element(scalar, bits)))
            }
            None => Source::Reg(self.one(value)),
        }
    }

    fn uniform_unary(&mut self, data: &InstData, scalar: Scalar) -> VReg {
        let bits = scalar.bits();
        let from = self.one(data.args[0]);
        match data.op {
            Opcode::Not if bits == 1 => self.alu_imm(Alu::Xor, Size::S32, from, 1),
            Opcode::Not => {
                let not = self.unary_tied(Kind::Not(size(bits)), from);
                self.clean(not, scalar)
            }
            Opcode::PopCount if self.features.level == Level::Sse41 => self.count_ones(size(bits), from),
            Opcode::PopCount => self.unary_to(Kind::PopCount(size(bits)), from),
            Opcode::CountLeadingZeros => {
                let zeros = self.unary_to(Kind::LeadingZeros(size(bits)), from);
                if bits >= 32 { zeros } else { self.alu_imm(Alu::Sub, Size::S32, zeros, 32 - bits as i32) }
            }
            Opcode::CountTrailingZeros => {
                let from = if bits >= 32 { from } else { self.alu_imm(Alu::Or, Size::S32, from, 1 << bits) };
                self.unary_to(Kind::TrailingZeros(size(bits)), from)
            }
            // Bits of each byte by swapping neighbours, then pairs, then halves; bytes by the instruction.
            _ => self.uniform_bit_reverse(from, scalar),
        }
    }

    /// The number of one bits: sums of neighbours of growing width, the last by a product.
    fn count_ones(&mut self, size: Size, value: VReg) -> VReg {
        let wide = size == Size::S64;
        let mask = |this: &mut Self, mask: u64| this.imm(if wide { mask } else { mask & 0xffff_ffff });
        let [ones, twos, fours] = [0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f]
            .map(|bits| mask(self, bits));
        let right =
            |this: &mut Self, value, count| this.unary_tied(Kind::ShiftImm(Shift::Shr, size, count), value);
        let odd = right(self, value, 1);
        let odd = self.alu(Alu::And, size, odd, ones);
        let pairs = self.alu(Alu::Sub, size, value, odd);
        let high = right(self, pairs, 2);
        let high = self.alu(Alu::And, size, high, twos);
        let low = self.alu(Alu::And, size, pairs, twos);
        let quads = self.alu(Alu::Add, size, low, high);
        let high = right(self, quads, 4);
        let bytes = self.alu(Alu::Add, size, quads, high);
        let bytes = self.alu(Alu::And, size, bytes, fours);
        let each = mask(self, 0x0101_0101_0101_0101);
        let sum = self.imul(size, bytes, each);
        right(self, sum, if wide { 56 } else { 24 })
    }

    /// A shift by a register, whose low bits count: the processor takes it from `rcx`.
    fn shift_by_register(&mut self, op: Opcode, size: Size, value: VReg, count: VReg) -> VReg {
        let shift = match op {
            Opcode::Shl => Shift::Shl,
            Opcode::LShr => Shift::Shr,
            _ => Shift::Sar,
        };
        let to = self.general();
        let operands = [
            Operand::reg_reuse_def(to, 1),
            Operand::reg_use(value),
            Operand::reg_fixed_use(count, PReg::new(1, GENERAL)),
        ];
        self.push(Kind::ShiftByCl(shift, size), &operands);
        to
    }

    fn uniform_bit_reverse(&mut self, mut value: VReg, scalar: Scalar) -> VReg {
        let size = size(scalar.bits());
        for (mask, count) in
            [(0x5555_5555_5555_5555u64, 1), (0x3333_3333_3333_3333, 2), (0x0f0f_0f0f_0f0f_0f0f, 4)]
        {
            let mask = self.imm(if size == Size::S64 { mask } else { mask & 0xffff_ffff });
            let right = self.unary_tied(Kind::ShiftImm(Shift::Shr, size, count), value);
            let right = self.alu(Alu::And, size, right, mask);
            let left = self.alu(Alu::And, size, value, mask);
            let left = self.unary_tied(Kind::ShiftImm(Shift::Shl, size, count), left);
            value = self.alu(Alu::Or, size, left, right);
        }
        let swapped = self.unary_tied(Kind::ByteSwap(size), value);
        match scalar.bits() {
            bits @ (8 | 16) => {
                self.unary_tied(Kind::ShiftImm(Shift::Shr, Size::S32, (32 - bits) as u8), swapped)
            }
            _ => swapped,
        }
    }

    fn uniform_binary(&mut self, data: &InstData, scalar: Scalar) -> VReg {
        use Opcode as O;
        let bits = scalar.bits();
        let size = size(bits);
        let (a, b) = (data.args[0], data.args[1]);
        let (a, b) = if data.op.is_commutative() && self.constant(a).is_some() { (b, a) } else { (a, b) };
        let alu = match data.op {
            O::IAdd => Some(Alu::Add),
            O::ISub => Some(Alu::Sub),
            O::And => Some(Alu::And),
            O::Or => Some(Alu::Or),
            O::Xor => Some(Alu::Xor),
            _ => None,
        };
        if let Some(alu) = alu {
            let left = self.one(a);
            let result = match self.immediate(b, size) {
                Some(value) => self.alu_imm(alu, size, left, value),
                None => {
                    let right = self.one(b);
                    self.alu(alu, size, left, right)
                }
            };
            // Bit operations leave no dirt.
            let dirty = matches!(alu, Alu::Add | Alu::Sub);
            return if dirty { self.clean(result, scalar) } else { result };
        }
        match data.op {
            O::IMul => {
                let left = self.one(a);
                let product = match self.immediate(b, size) {
                    Some(value) => self.unary_to(Kind::ImulImm(size, value), left),
                    None => {
                        let right = self.one(b);
                        self.imul(size, left, right)
                    }
                };
                self.clean(product, scalar)
            }
            O::AndNot => {
                let (keep, not) = (self.one(a), self.one(b));
                if self.has_short_vectors() && !self.is_arm() {
                    let not = self.unary_tied(Kind::Not(Size::S64), not);
                    return self.alu(Alu::And, Size::S64, not, keep);
                }
                if self.is_arm() {
                    return self.general_operation(crate::neon::op::BIC_GENERAL.of(64), &[keep, not]);
                }
                let op = if size == Size::S64 { ANDN64 } else { ANDN32 };
                self.general_op(op, keep, not)
            }
            O::Shl | O::LShr | O::AShr => self.uniform_shift(data.op, scalar, a, b),
            O::UMin | O::UMax | O::SMin | O::SMax => {
                let (mut left, mut right) = (self.one(a), self.one(b));
                let (x, y) = (left, right);
                if matches!(data.op, O::SMin | O::SMax) {
                    (left, right) = (self.signed(left, scalar), self.signed(right, scalar));
                }
                let condition = match data.op {
                    O::UMin => Condition::Below,
                    O::UMax => Condition::Above,
                    O::SMin => Condition::Less,
                    _ => Condition::Greater,
                };
                let first = self.compare_general(condition, size, left, right);
                self.select_general(size, first, x, y)
            }
            O::UMulHigh | O::SMulHigh => self.uniform_mul_high(data.op == O::SMulHigh, scalar, a, b),
            _ => self.uniform_divide(data.op, scalar, a, b),
        }
    }

    fn imul(&mut self, size: Size, a: VReg, b: VReg) -> VReg {
        let to = self.general();
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(a), Operand::reg_use(b)];
        self.push(Kind::Imul(size), &operands);
        to
    }

    /// A VEX instruction on general registers: `rm` first, `vvvv` second.
    fn general_op(&mut self, op: VOp, rm: VReg, vvvv: VReg) -> VReg {
        self.vector(Spec::binary(op, Len::X, vvvv, rm).class(GENERAL))
    }

    fn uniform_shift(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> VReg {
        let bits = scalar.bits();
        let size = size(bits);
        let mut from = self.one(a);
        if op == Opcode::AShr {
            from = self.signed(from, scalar);
        }
        let shifted = if let Some(count) = self.constant(b) {
            let count = (count as u32 & (bits - 1)) as u8;
            let shift = match op {
                Opcode::Shl => Shift::Shl,
                Opcode::LShr => Shift::Shr,
                _ => Shift::Sar,
            };
            self.unary_tied(Kind::ShiftImm(shift, size, count), from)
        } else {
            let mut count = self.one(b);
            if bits < 32 {
                count = self.alu_imm(Alu::And, Size::S32, count, bits as i32 - 1);
            }
            if self.has_short_vectors() && !self.is_arm() {
                let shifted = self.shift_by_register(op, size, from, count);
                return if op == Opcode::LShr { shifted } else { self.clean(shifted, scalar) };
            }
            if self.is_arm() {
                let shifted = self.neon_shift(op, size, from, count);
                return if op == Opcode::LShr { shifted } else { self.clean(shifted, scalar) };
            }
            let op = match (op, size) {
                (Opcode::Shl, Size::S32) => SHLX32,
                (Opcode::Shl, Size::S64) => SHLX64,
                (Opcode::LShr, Size::S32) => SHRX32,
                (Opcode::LShr, Size::S64) => SHRX64,
                (_, Size::S32) => SARX32,
                (_, Size::S64) => SARX64,
            };
            self.general_op(op, from, count)
        };
        if op == Opcode::LShr { shifted } else { self.clean(shifted, scalar) }
    }

    fn uniform_mul_high(&mut self, signed: bool, scalar: Scalar, a: Value, b: Value) -> VReg {
        let (a, b) = (self.one(a), self.one(b));
        self.mul_high(signed, scalar, a, b)
    }

    /// The high half of a product of general registers.
    pub(super) fn mul_high(&mut self, signed: bool, scalar: Scalar, mut a: VReg, mut b: VReg) -> VReg {
        let bits = scalar.bits();
        if bits == 64 && self.is_arm() {
            let op = if signed { crate::neon::op::SMULH } else { crate::neon::op::UMULH };
            return self.general_operation(op.one(), &[a, b]);
        }
        if bits == 64 {
            let (high, low) = (self.general(), self.general());
            let operands = [
                Operand::reg_fixed_def(high, PReg::new(2, GENERAL)),
                Operand::reg_fixed_def(low, PReg::new(0, GENERAL)),
                Operand::reg_fixed_use(a, PReg::new(0, GENERAL)),
                Operand::reg_use(b),
            ];
            self.push(Kind::MulHigh { signed, size: Size::S64 }, &operands);
            return high;
        }
        if signed {
            a = self.unary_to(Kind::SignExtend(bits, Size::S64), a);
            b = self.unary_to(Kind::SignExtend(bits, Size::S64), b);
        }
        let product = self.imul(Size::S64, a, b);
        let high = self.unary_tied(Kind::ShiftImm(Shift::Shr, Size::S64, bits as u8), product);
        // Only the low bits of what is left belong to the result.
        match bits {
            32 => self.unary_to(Kind::ZeroExtend(32), high),
            _ => self.clean(high, scalar),
        }
    }

    fn uniform_divide(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> VReg {
        let (dividend, divisor) = (self.one(a), self.one(b));
        self.divide_general(op, scalar, dividend, divisor)
    }

    /// A quotient or remainder of general registers.
    pub(super) fn divide_general(
        &mut self,
        op: Opcode,
        scalar: Scalar,
        mut dividend: VReg,
        mut divisor: VReg,
    ) -> VReg {
        use Opcode as O;
        let bits = scalar.bits();
        let signed = matches!(op, O::SDiv | O::SRem);
        let wants_quotient = matches!(op, O::UDiv | O::SDiv);
        if signed && bits < 64 {
            // 64 bits hold every quotient.
            dividend = self.unary_to(Kind::SignExtend(bits, Size::S64), dividend);
            divisor = self.unary_to(Kind::SignExtend(bits, Size::S64), divisor);
        }
        let size = if signed { Size::S64 } else { size(bits) };
        if self.is_arm() {
            let result = self.neon_divide(signed, wants_quotient, size, dividend, divisor);
            return match bits {
                32 => self.unary_to(Kind::ZeroExtend(32), result),
                _ => self.clean(result, scalar),
            };
        }
        let one = self.imm(1);
        let by_zero = self.unary_to(Kind::CompareImm(Condition::Equal, size, 0), divisor);
        let mut safe = self.select_general(size, by_zero, one, divisor);
        let by_minus_one = (signed && bits == 64).then(|| {
            // The one quotient that does not fit: negation wraps as it should.
            let condition = self.unary_to(Kind::CompareImm(Condition::Equal, size, -1), divisor);
            safe = self.select_general(size, condition, one, safe);
            condition
        });
        let (quotient, remainder) = (self.general(), self.general());
        let operands = [
            Operand::reg_fixed_def(quotient, PReg::new(0, GENERAL)),
            Operand::reg_fixed_def(remainder, PReg::new(2, GENERAL)),
            Operand::reg_fixed_use(dividend, PReg::new(0, GENERAL)),
            super::vector::late_use(safe),
        ];
        self.push(Kind::Divide { signed, size }, &operands);
        let result = if wants_quotient {
            let all = self.imm(u64::MAX);
            let mut result = self.select_general(size, by_zero, all, quotient);
            if let Some(condition) = by_minus_one {
                let negated = self.unary_tied(Kind::Neg(size), dividend);
                result = self.select_general(size, condition, negated, result);
            }
            result
        } else {
            self.select_general(size, by_zero, dividend, remainder)
        };
        match bits {
            32 => self.unary_to(Kind::ZeroExtend(32), result),
            _ => self.clean(result, scalar),
        }
    }

    fn uniform_float_unary(&mut self, data: &InstData, scalar: Scalar) -> VReg {
        let double = scalar == Scalar::F64;
        let from = self.one(data.args[0]);
        match data.op {
            Opcode::FNeg | Opcode::FAbs => {
                let sign = 1u64 << (scalar.bits() - 1);
                let bits = if data.op == Opcode::FNeg { sign } else { sign - 1 };
                let op = match (data.op, double) {
                    (Opcode::FNeg, false) => VPXORD,
                    (Opcode::FNeg, true) => VPXORQ,
                    (_, false) => VPANDD,
                    (_, true) => VPANDQ,
                };
                let constant = self.constant_source(scalar, bits, op);
                self.v2(op, Len::X, from, constant)
            }
            Opcode::FSqrt => {
                let op = by_width(scalar, [VSQRTSH, VSQRTSS, VSQRTSD]);
                self.v2(op, Len::X, from, from)
            }
            op => {
                let mode = rounding_mode(op).unwrap_or(8);
                let op = by_width(scalar, [VRNDSCALESH, VRNDSCALESS, VRNDSCALESD]);
                self.vector(Spec::binary(op, Len::X, from, from).imm(mode))
            }
        }
    }

    fn uniform_extend(&mut self, data: &InstData, from: Scalar, to: Scalar) -> VReg {
        let register = self.one(data.args[0]);
        if data.op == Opcode::ZeroExtend {
            return register;
        }
        let extended = match from {
            Scalar::I1 => self.unary_tied(Kind::Neg(size(to.bits())), register),
            _ => self.unary_to(Kind::SignExtend(from.bits(), size(to.bits())), register),
        };
        self.clean(extended, to)
    }

    /// Computes in the low lane of vectors what there is no other way for.
    fn by_vector(&mut self, data: &InstData, from: Scalar, to: Scalar) -> Result<VReg, Unsupported> {
        let lanes = std::mem::replace(&mut self.lanes, STAND_IN_LANES);
        let operands: Vec<Registers> = data
            .args
            .iter()
            .map(|&arg| {
                let scalar = self.ty(arg).scalar;
                let register = self.one(arg);
                let low = match scalar {
                    _ if scalar.is_float() => register,
                    Scalar::I1 => self.mask_from_bits(register),
                    _ => self.low_element(register, scalar.bits().max(32)),
                };
                std::iter::once(low).collect()
            })
            .collect();
        let result = self.by_vector_operands(data, from, to, &operands);
        self.lanes = lanes;
        let register = result?;
        Ok(match to {
            Scalar::I1 => {
                let bits = self.raw_mask_bits(register);
                self.alu_imm(Alu::And, Size::S32, bits, 1)
            }
            _ => self.uniform_from_low(register, to),
        })
    }

    fn by_vector_operands(
        &mut self,
        data: &InstData,
        from: Scalar,
        to: Scalar,
        operands: &[Registers],
    ) -> Result<VReg, Unsupported> {
        let registers = match data.op.signature() {
            Signature::FloatToFloat
            | Signature::FloatToInt
            | Signature::IntToFloat
            | Signature::FromBfloat
            | Signature::ToBfloat
            | Signature::FromSrgb
            | Signature::ToSrgb => self.convert_registers(data.op, data.imm, operands[0], from, to),
            Signature::FloatCompare => {
                let (a, b) = (self.half_to_single(operands[0]), self.half_to_single(operands[1]));
                let b = Source::Reg(b[0]);
                let len = self.tiling(Scalar::F32).len;
                return Ok(self.compare(VCMPPS, len, a[0], b, float_predicate(data.op)));
            }
            Signature::IntBinary
                if data.op == Opcode::ShuffleBytes
                    && to.bits() >= 16
                    && self.constant(data.args[1]).is_some() =>
            {
                let order = self.byte_order(to, self.constant(data.args[1]).unwrap_or(0));
                std::iter::once(self.v2(VPSHUFB, Len::X, operands[0][0], order)).collect()
            }
            Signature::IntBinary if data.op == Opcode::DotFourBytes && to.bits() >= 32 => {
                std::iter::once(self.four_bytes(Len::X, operands[0][0], operands[1][0])).collect()
            }
            Signature::IntBinary if integer_op(data.op, to.bits()).is_some() => {
                let op = integer_op(data.op, to.bits()).expect("just seen");
                std::iter::once(self.v2(op, Len::X, operands[0][0], operands[1][0])).collect()
            }
            // What is left is half precision.
            Signature::FloatUnary | Signature::FloatBinary | Signature::FloatTernary => {
                self.half_registers(data.op, operands)
            }
            _ => self.evaluate_registers(data.op, data.imm, from, to, operands),
        };
        debug_assert!(registers[0].class() != MASK);
        Ok(registers[0])
    }

    /// An integer comparison: condition, size and operands of the instruction.
    pub(super) fn comparison(
        &mut self,
        op: Opcode,
        scalar: Scalar,
        a: Value,
        b: Value,
    ) -> (Condition, Size, VReg, Right) {
        let mut condition = condition(op);
        let signed = matches!(op, Opcode::SLt | Opcode::SLe);
        if scalar == Scalar::I1 && signed {
            // True is -1: the smaller one.
            condition = if op == Opcode::SLt { Condition::Above } else { Condition::AboveEqual };
        }
        let (a, b) = if self.constant(a).is_some() && self.constant(b).is_none() {
            condition = condition.swapped();
            (b, a)
        } else {
            (a, b)
        };
        let narrow_signed = signed && matches!(scalar.bits(), 8 | 16);
        let size = size(scalar.bits());
        let mut left = self.one(a);
        if narrow_signed {
            left = self.signed(left, scalar);
        }
        let right = match self.immediate(b, size) {
            Some(value) if narrow_signed => {
                Right::Immediate(pyro_ir::eval::sign_extend(scalar, value as u32 as u64) as i32)
            }
            Some(value) => Right::Immediate(value),
            None => {
                let right = self.one(b);
                Right::Register(if narrow_signed { self.signed(right, scalar) } else { right })
            }
        };
        (condition, size, left, right)
    }
}

/// The right side of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) enum Right {
    Register(VReg),
    Immediate(i32),
}
