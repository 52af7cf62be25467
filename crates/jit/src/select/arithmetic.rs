//! Arithmetic, comparisons and selections of all lanes: integers and floats of every width.

use super::memory::masked_moves;
use super::vector::Source;
use super::vector::Spec;
use super::{Registers, Selector, Unsupported};
use crate::asm::VOp;
use crate::asm::op::*;
use crate::cpu::Level;
use crate::machine::Helper;
use crate::runtime::Operation;
use pyro_ir::{InstData, Opcode, Scalar, Signature, Value};
use regalloc2::VReg;

/// The instruction of an operation on two integer vectors, if there is one.
pub(super) fn integer_op(op: Opcode, bits: u32) -> Option<VOp> {
    let pick = |b, w, d, q| match bits {
        8 => b,
        16 => w,
        32 => d,
        _ => q,
    };
    use Opcode as O;
    match op {
        O::IAdd => pick(Some(VPADDB), Some(VPADDW), Some(VPADDD), Some(VPADDQ)),
        O::ISub => pick(Some(VPSUBB), Some(VPSUBW), Some(VPSUBD), Some(VPSUBQ)),
        O::IMul => pick(None, Some(VPMULLW), Some(VPMULLD), Some(VPMULLQ)),
        O::UMulHigh => pick(None, Some(VPMULHUW), None, None),
        O::SMulHigh => pick(None, Some(VPMULHW), None, None),
        O::UMin => pick(Some(VPMINUB), Some(VPMINUW), Some(VPMINUD), Some(VPMINUQ)),
        O::UMax => pick(Some(VPMAXUB), Some(VPMAXUW), Some(VPMAXUD), Some(VPMAXUQ)),
        O::SMin => pick(Some(VPMINSB), Some(VPMINSW), Some(VPMINSD), Some(VPMINSQ)),
        O::SMax => pick(Some(VPMAXSB), Some(VPMAXSW), Some(VPMAXSD), Some(VPMAXSQ)),
        O::And => Some(if bits == 64 { VPANDQ } else { VPANDD }),
        O::Or => Some(if bits == 64 { VPORQ } else { VPORD }),
        O::Xor => Some(if bits == 64 { VPXORQ } else { VPXORD }),
        O::DotBytes => pick(None, Some(VPMADDUBSW), Some(VPMADDUBSW), Some(VPMADDUBSW)),
        O::DotHalves => pick(None, None, Some(VPMADDWD), Some(VPMADDWD)),
        _ => None,
    }
}

/// The instruction of a float operation on two vectors or, `low`, on their low elements.
pub(super) fn float_op(op: Opcode, scalar: Scalar, low: bool) -> Option<VOp> {
    let pick = |all: [VOp; 3], one: [VOp; 3]| by_width(scalar, if low { one } else { all });
    use Opcode as O;
    Some(match op {
        O::FAdd => pick([VADDPH, VADDPS, VADDPD], [VADDSH, VADDSS, VADDSD]),
        O::FSub => pick([VSUBPH, VSUBPS, VSUBPD], [VSUBSH, VSUBSS, VSUBSD]),
        O::FMul => pick([VMULPH, VMULPS, VMULPD], [VMULSH, VMULSS, VMULSD]),
        O::FDiv => pick([VDIVPH, VDIVPS, VDIVPD], [VDIVSH, VDIVSS, VDIVSD]),
        O::FMin => pick([VMINPH, VMINPS, VMINPD], [VMINSH, VMINSS, VMINSD]),
        O::FMax => pick([VMAXPH, VMAXPS, VMAXPD], [VMAXSH, VMAXSS, VMAXSD]),
        _ => return None,
    })
}

/// Of instructions for floats of 16, 32 and 64 bits the one for this type.
pub(super) fn by_width(scalar: Scalar, [half, single, double]: [VOp; 3]) -> VOp {
    match scalar {
        Scalar::F16 => half,
        Scalar::F64 => double,
        _ => single,
    }
}

/// The selection of elements by a mask.
pub(super) fn blend_op(scalar: Scalar) -> VOp {
    match scalar.bits() {
        8 => VPBLENDMB,
        16 => VPBLENDMW,
        32 => VPBLENDMD,
        _ => VPBLENDMQ,
    }
}

/// The immediate of `vrndscale` for a rounding operation: the mode, exceptions suppressed.
pub(super) fn rounding_mode(op: Opcode) -> Option<u8> {
    Some(match op {
        Opcode::FRound => 8,
        Opcode::FFloor => 9,
        Opcode::FCeil => 10,
        Opcode::FTrunc => 11,
        _ => return None,
    })
}

/// The predicate of a float comparison: ordered and quiet, but for not equal.
pub(super) fn float_predicate(op: Opcode) -> u8 {
    match op {
        Opcode::FEq => 0,
        Opcode::FNe => 4,
        Opcode::FLt => 0x11,
        _ => 0x12,
    }
}

/// The forms of fused multiply-add with `-(a * b)` or the addend negated, by which operand the result
/// replaces: the first factor with the addend last (213), the addend with a factor last (231).
fn fma_ops(scalar: Scalar, product: bool, addend: bool) -> (VOp, VOp) {
    let (form213, form231) = match (product, addend) {
        (false, false) => ([VFMADD213PH, VFMADD213PS, VFMADD213PD], [VFMADD231PH, VFMADD231PS, VFMADD231PD]),
        (false, true) => ([VFMSUB213PH, VFMSUB213PS, VFMSUB213PD], [VFMSUB231PH, VFMSUB231PS, VFMSUB231PD]),
        (true, false) => {
            ([VFNMADD213PH, VFNMADD213PS, VFNMADD213PD], [VFNMADD231PH, VFNMADD231PS, VFNMADD231PD])
        }
        (true, true) => {
            ([VFNMSUB213PH, VFNMSUB213PS, VFNMSUB213PD], [VFNMSUB231PH, VFNMSUB231PS, VFNMSUB231PD])
        }
    };
    (by_width(scalar, form213), by_width(scalar, form231))
}

impl Selector<'_> {
    /// Whether there are instructions for the arithmetic of a float type.
    pub(super) fn computes(&self, scalar: Scalar) -> bool {
        scalar != Scalar::F16 || self.features.fp16
    }

    /// What an operand of a fused multiply-add negates, when the instruction can do that itself.
    pub(super) fn negated_by_fma(&self, data: &InstData, arg: Value) -> Option<Value> {
        let ty = self.ty(arg);
        let folds = data.op == Opcode::FFma
            && ty.is_varying()
            && self.computes(ty.scalar)
            // Else the runtime computes it.
            && !(self.features.level == Level::Sse41 && ty.scalar == Scalar::F64)
            && self.constant(arg).is_none();
        self.def(arg).filter(|negation| folds && negation.op == Opcode::FNeg).map(|negation| negation.args[0])
    }

    /// An operation on varying values that gives a varying value.
    pub(super) fn varying(
        &mut self,
        data: &InstData,
        result: Value,
        scalar: Scalar,
    ) -> Result<(), Unsupported> {
        let from = self.ty(*data.args.last().expect("has operands")).scalar;
        if let Some(combined) = self.combined(data) {
            let registers = self.emit_combined(&combined, scalar);
            self.define(result, registers.iter().copied());
            return Ok(());
        }
        let registers = match data.op.signature() {
            Signature::IntCompare | Signature::FloatCompare => {
                let mask = self.varying_compare(data.op, from, data.args[0], data.args[1]);
                if self.uses[result] > 1 {
                    self.mask_concats.forget(mask);
                }
                std::iter::once(mask).collect()
            }
            _ if scalar == Scalar::I1 => std::iter::once(self.mask_operation(data)?).collect(),
            Signature::Select => self.varying_select(data, scalar),
            Signature::IntUnary | Signature::BitUnary => self.integer_unary(data.op, scalar, data.args[0]),
            Signature::IntBinary
                if data.op == Opcode::ShuffleBytes
                    && scalar.bits() >= 16
                    && self.constant(data.args[1]).is_some() =>
            {
                let order = self.constant(data.args[1]).unwrap_or(0);
                self.shuffled_bytes(data, order)
            }
            Signature::IntBinary if data.op == Opcode::DotFourBytes && scalar.bits() >= 32 => {
                self.dot_four_bytes(scalar, data.args[0], data.args[1])
            }
            Signature::IntBinary | Signature::BitBinary => {
                self.integer_binary(data.op, scalar, data.args[0], data.args[1])
            }
            Signature::FloatUnary | Signature::FloatBinary | Signature::FloatTernary => {
                self.float_operation(data, scalar)
            }
            Signature::Truncate
            | Signature::Extend
            | Signature::FloatToFloat
            | Signature::FloatToInt
            | Signature::IntToFloat
            | Signature::FromBfloat
            | Signature::ToBfloat
            | Signature::FromSrgb
            | Signature::ToSrgb => self.convert(data, from, scalar),
            _ => return Err(Unsupported(data.op.name().to_owned())),
        };
        self.define(result, registers.iter().copied());
        Ok(())
    }

    /// Asks the runtime, lane by lane.
    pub(super) fn evaluate(&mut self, data: &InstData, from: Scalar, to: Scalar) -> Registers {
        let registers: Vec<Registers> = data.args.iter().map(|&arg| self.used(arg)).collect();
        self.evaluate_registers(data.op, data.imm, from, to, &registers)
    }

    pub(super) fn evaluate_registers(
        &mut self,
        op: Opcode,
        imm: u64,
        from: Scalar,
        to: Scalar,
        operands: &[Registers],
    ) -> Registers {
        let places: Vec<i32> = operands.iter().map(|&registers| self.spill_lanes(registers, from)).collect();
        let result = self.frame(self.tiling(to).count * 64);
        let operation = Operation { op, from, to, imm: imm as u8, count: self.lanes as u8 };
        self.call_evaluate(operation, result, &places);
        self.load_lanes(result, to)
    }

    /// Calls [`crate::runtime::evaluate`] on arrays in the frame.
    pub(super) fn call_evaluate(&mut self, operation: Operation, result: i32, places: &[i32]) {
        let mut arguments = vec![self.imm(operation.pack()), self.frame_address(result)];
        for &place in places {
            arguments.push(self.frame_address(place));
        }
        self.call_helper(Helper::Evaluate, &arguments);
    }

    /// A comparison of two varying values.
    fn varying_compare(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> VReg {
        use Opcode as O;
        if scalar == Scalar::I1 {
            let (a, b) = (self.one(a), self.one(b));
            return match op {
                O::IEq => self.mask2(KXNORQ, a, b),
                O::INe => self.mask2(KXORQ, a, b),
                // True is larger unsigned, and smaller (-1) signed.
                O::ULt => self.mask_not_and(a, b),
                O::SLt => self.mask_not_and(b, a),
                O::ULe => {
                    let not = self.mask_not(a);
                    self.mask_or(not, b)
                }
                _ => {
                    let not = self.mask_not(b);
                    self.mask_or(not, a)
                }
            };
        }
        if !self.computes(scalar) {
            let (a, b) = (self.widened_f16(a), self.widened_f16(b));
            let pieces = self.tiling(Scalar::F32);
            let masks = self.each(pieces, |this, piece| {
                let b = Source::Reg(b[piece]);
                this.compare(VCMPPS, pieces.len, a[piece], b, float_predicate(op))
            });
            return self.concat_masks(&masks, pieces.lanes);
        }
        let pieces = self.tiling(scalar);
        let (vop, predicate) = if scalar.is_float() {
            (by_width(scalar, [VCMPPH, VCMPPS, VCMPPD]), float_predicate(op))
        } else {
            let signed = matches!(op, O::SLt | O::SLe | O::IEq | O::INe);
            let vop = match (scalar.bits(), signed) {
                (8, true) => VPCMPB,
                (8, false) => VPCMPUB,
                (16, true) => VPCMPW,
                (16, false) => VPCMPUW,
                (32, true) => VPCMPD,
                (32, false) => VPCMPUD,
                (_, true) => VPCMPQ,
                (_, false) => VPCMPUQ,
            };
            let predicate = match op {
                O::IEq => 0,
                O::INe => 4,
                O::ULt | O::SLt => 1,
                _ => 2,
            };
            (vop, predicate)
        };
        // A constant on the left goes right, with the comparison turned round.
        let (a, b, predicate) = if self.constant(a).is_some() && self.constant(b).is_none() {
            let turned = match predicate {
                1 => 6,
                2 => 5,
                0x11 => 0x1e,
                0x12 => 0x1d,
                same => same,
            };
            (b, a, turned)
        } else {
            (a, b, predicate)
        };
        let left = self.used(a);
        let masks = self.each(pieces, |this, piece| {
            let right = this.source(b, piece, vop);
            this.compare(vop, pieces.len, left[piece], right, predicate)
        });
        self.concat_masks(&masks, pieces.lanes)
    }

    /// Operations that give a mask from masks.
    fn mask_operation(&mut self, data: &InstData) -> Result<VReg, Unsupported> {
        let args: Vec<VReg> = data.args.iter().map(|&arg| self.one(arg)).collect();
        Ok(match data.op {
            Opcode::And => self.mask_and(args[0], args[1]),
            Opcode::Or => self.mask_or(args[0], args[1]),
            Opcode::Xor => self.mask2(KXORQ, args[0], args[1]),
            Opcode::AndNot => self.mask_not_and(args[1], args[0]),
            Opcode::Not => self.mask_not(args[0]),
            Opcode::Select => {
                let then = self.mask_and(args[0], args[1]);
                let otherwise = self.mask_not_and(args[0], args[2]);
                self.mask_or(then, otherwise)
            }
            op => return Err(Unsupported(format!("{} on masks", op.name()))),
        })
    }

    fn varying_select(&mut self, data: &InstData, scalar: Scalar) -> Registers {
        let condition = self.one(data.args[0]);
        let pieces = self.tiling(scalar);
        let (then, otherwise) = (data.args[1], data.args[2]);
        let op = blend_op(scalar);
        // Zero where false needs no second operand.
        if self.constant(otherwise) == Some(0) {
            let then = self.used(then);
            let (op, _) = masked_moves(scalar);
            return self.each(pieces, |this, piece| {
                let mask = this.mask_piece(condition, piece as u32, pieces.lanes);
                this.vector(Spec::unary(op, pieces.len, then[piece]).zeroing(mask))
            });
        }
        let otherwise = self.used(otherwise);
        self.each(pieces, |this, piece| {
            let mask = this.mask_piece(condition, piece as u32, pieces.lanes);
            let then = this.source(then, piece, op);
            this.vector(Spec::binary(op, pieces.len, otherwise[piece], then).masked(mask))
        })
    }

    fn integer_unary(&mut self, op: Opcode, scalar: Scalar, value: Value) -> Registers {
        let from = self.used(value);
        let pieces = self.tiling(scalar);
        match op {
            Opcode::Not => self.each(pieces, |this, piece| {
                let a = from[piece];
                this.vector(Spec::binary(VPTERNLOGD, pieces.len, a, a).tied(a).imm(0x55))
            }),
            _ => self.bit_operation(op, scalar, from),
        }
    }

    fn integer_binary(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> Registers {
        use Opcode as O;
        let bits = scalar.bits();
        let pieces = self.tiling(scalar);
        if op == O::Or
            && let Some(registers) = self.folded_bits(scalar, a, b)
        {
            return registers;
        }
        // Constants are better on the right, where they are memory operands.
        let (a, b) = if op.is_commutative() && self.prefers_memory(a) { (b, a) } else { (a, b) };
        if let Some(vop) = integer_op(op, bits) {
            let left = self.used(a);
            return self.each(pieces, |this, piece| {
                let right = this.source(b, piece, vop);
                this.v2(vop, pieces.len, left[piece], right)
            });
        }
        match op {
            O::AndNot => {
                // The instruction complements its first operand.
                let (not, vop) = (self.used(b), if bits == 64 { VPANDNQ } else { VPANDND });
                self.each(pieces, |this, piece| {
                    let right = this.source(a, piece, vop);
                    this.v2(vop, pieces.len, not[piece], right)
                })
            }
            O::Shl | O::LShr | O::AShr if bits >= 16 => self.varying_shift(op, scalar, a, b),
            O::Shl | O::LShr | O::AShr | O::IMul | O::UMulHigh | O::SMulHigh if bits == 8 => {
                self.through_words(op, a, b)
            }
            O::UMulHigh | O::SMulHigh if bits == 32 => {
                let (a, b) = (self.used(a), self.used(b));
                let mul = if op == O::UMulHigh { VPMULUDQ } else { VPMULDQ };
                self.each(pieces, |this, piece| {
                    let odd_a = this.shift_imm(VPSHIFT_Q_IMM, 2, pieces.len, a[piece], 32);
                    let odd_b = this.shift_imm(VPSHIFT_Q_IMM, 2, pieces.len, b[piece], 32);
                    let even = this.v2(mul, pieces.len, a[piece], b[piece]);
                    let odd = this.v2(mul, pieces.len, odd_a, odd_b);
                    let even = this.shift_imm(VPSHIFT_Q_IMM, 2, pieces.len, even, 32);
                    let high = this.asm.constant(&0xffff_ffff_0000_0000u64.to_le_bytes());
                    // (even & !high) | (odd & high): even where high is clear.
                    let spec = Spec::binary(VPTERNLOGQ, pieces.len, odd, Source::Broadcast(high));
                    this.vector(spec.tied(even).imm(0xd8))
                })
            }
            O::UDiv | O::SDiv | O::URem | O::SRem if bits <= 32 => self.divide(op, scalar, a, b),
            _ => {
                let operands = [self.used(a), self.used(b)];
                self.evaluate_registers(op, 0, scalar, scalar, &operands)
            }
        }
    }

    /// Shifts of 16 to 64 bits.
    fn varying_shift(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> Registers {
        let bits = scalar.bits();
        let pieces = self.tiling(scalar);
        if let Some(count) = self.constant(b) {
            let from = self.used(a);
            let count = (count as u32 & (bits - 1)) as u8;
            let extension = match op {
                Opcode::Shl => 6,
                Opcode::LShr => 2,
                _ => 4,
            };
            let vop = match (bits, op) {
                (16, _) => VPSHIFT_W_IMM,
                (32, _) => VPSHIFT_D_IMM,
                (_, Opcode::AShr) => VPSRA_VPROL_Q_IMM,
                _ => VPSHIFT_Q_IMM,
            };
            return self
                .each(pieces, |this, piece| this.shift_imm(vop, extension, pieces.len, from[piece], count));
        }
        let (from, counts) = (self.used(a), self.used(b));
        let vop = match (op, bits) {
            (Opcode::Shl, 16) => VPSLLVW,
            (Opcode::Shl, 32) => VPSLLVD,
            (Opcode::Shl, _) => VPSLLVQ,
            (Opcode::LShr, 16) => VPSRLVW,
            (Opcode::LShr, 32) => VPSRLVD,
            (Opcode::LShr, _) => VPSRLVQ,
            (_, 16) => VPSRAVW,
            (_, 32) => VPSRAVD,
            _ => VPSRAVQ,
        };
        let and = if bits == 64 { VPANDQ } else { VPANDD };
        if self.is_below(b, bits) {
            return self.each(pieces, |this, piece| this.v2(vop, pieces.len, from[piece], counts[piece]));
        }
        self.each(pieces, |this, piece| {
            let limit = this.constant_source(scalar, (bits - 1).into(), and);
            let count = this.v2(and, pieces.len, counts[piece], limit);
            this.v2(vop, pieces.len, from[piece], count)
        })
    }

    /// Operations on bytes that only wider lanes have.
    fn through_words(&mut self, op: Opcode, a: Value, b: Value) -> Registers {
        use Opcode as O;
        let signed = matches!(op, O::AShr | O::SMulHigh);
        let (a, b) = (self.used(a), self.used(b));
        let a = self.extend(a, Scalar::I8, Scalar::I16, signed);
        let b = self.extend(b, Scalar::I8, Scalar::I16, signed);
        let pieces = self.tiling(Scalar::I16);
        let wide = self.each(pieces, |this, piece| {
            let (a, b) = (a[piece], b[piece]);
            match op {
                O::IMul => this.v2(VPMULLW, pieces.len, a, b),
                O::UMulHigh | O::SMulHigh => {
                    let product = this.v2(VPMULLW, pieces.len, a, b);
                    this.shift_imm(VPSHIFT_W_IMM, 2, pieces.len, product, 8)
                }
                _ => {
                    let limit = this.constant_source(Scalar::I16, 7, VPANDD);
                    let count = this.v2(VPANDD, pieces.len, b, limit);
                    let vop = match op {
                        O::Shl => VPSLLVW,
                        O::LShr => VPSRLVW,
                        _ => VPSRAVW,
                    };
                    this.v2(vop, pieces.len, a, count)
                }
            }
        });
        self.truncate(wide, Scalar::I16, Scalar::I8)
    }

    /// Division of at most 32 bits by way of doubles, whose 53 bits make the quotient exact.
    fn divide(&mut self, op: Opcode, scalar: Scalar, a: Value, b: Value) -> Registers {
        use Opcode as O;
        let signed = matches!(op, O::SDiv | O::SRem);
        let reciprocal = if scalar == Scalar::I32 { self.reciprocal(b, signed) } else { None };
        let (mut a, mut b) = (self.used(a), self.used(b));
        if scalar != Scalar::I32 {
            a = self.extend(a, scalar, Scalar::I32, signed);
            b = self.extend(b, scalar, Scalar::I32, signed);
        }
        let pieces = self.tiling(Scalar::I32);
        let wide = self.tiling(Scalar::F64);
        let (to_double, to_int) = if signed { (VCVTDQ2PD, VCVTTPD2DQ) } else { (VCVTUDQ2PD, VCVTTPD2UDQ) };
        let per_piece = wide.count / pieces.count;
        let quotient = self.each(pieces, |this, piece| {
            let parts: Vec<VReg> = (0..per_piece)
                .map(|part| {
                    let offset = part * wide.lanes * 4;
                    let low = this.extract(a[piece], offset, wide.lanes * 4);
                    let dividend = this.v1(to_double, wide.len, low);
                    if let Some(reciprocal) = reciprocal {
                        let quotient = this.v2(VMULPD, wide.len, dividend, reciprocal);
                        return this.v1(to_int, wide.len, quotient);
                    }
                    let low = this.extract(b[piece], offset, wide.lanes * 4);
                    let divisor = this.v1(to_double, wide.len, low);
                    let quotient = this.v2(VDIVPD, wide.len, dividend, divisor);
                    this.v1(to_int, wide.len, quotient)
                })
                .collect();
            let quotient = this.join(&parts, wide.lanes * 4);
            if !signed {
                // Overflow, as of x / 0, and NaN, as of 0 / 0, convert to all ones.
                return quotient;
            }
            let zero = this.constant_source(Scalar::I32, 0, VPCMPD);
            let by_zero = this.compare(VPCMPD, pieces.len, b[piece], zero, 0);
            let minus_one = this.splat_constant(Scalar::I32, u64::from(u32::MAX));
            this.vector(Spec::binary(VPBLENDMD, pieces.len, quotient, minus_one).masked(by_zero))
        });
        let result = if matches!(op, O::UDiv | O::SDiv) {
            quotient
        } else {
            self.each(pieces, |this, piece| {
                let product = this.v2(VPMULLD, pieces.len, quotient[piece], b[piece]);
                this.v2(VPSUBD, pieces.len, a[piece], product)
            })
        };
        if scalar == Scalar::I32 { result } else { self.truncate(result, Scalar::I32, scalar) }
    }

    /// An f16 value as f32.
    pub(super) fn widened_f16(&mut self, value: Value) -> Registers {
        let from = self.used(value);
        self.half_to_single(from)
    }

    fn float_operation(&mut self, data: &InstData, scalar: Scalar) -> Registers {
        if matches!(data.op, Opcode::FNeg | Opcode::FAbs) {
            return self.sign_operation(data.op, scalar, data.args[0]);
        }
        if !self.computes(scalar) {
            return self.half_operation(data);
        }
        let pieces = self.tiling(scalar);
        match data.op {
            Opcode::FFma => self.fma(data, scalar),
            Opcode::FSqrt => {
                let from = self.used(data.args[0]);
                let op = by_width(scalar, [VSQRTPH, VSQRTPS, VSQRTPD]);
                self.each(pieces, |this, piece| this.v1(op, pieces.len, from[piece]))
            }
            op => match (float_op(op, scalar, false), rounding_mode(op)) {
                (Some(vop), _) => {
                    let (a, b) = (data.args[0], data.args[1]);
                    let swap = matches!(op, Opcode::FAdd | Opcode::FMul) && self.prefers_memory(a);
                    let (a, b) = if swap { (b, a) } else { (a, b) };
                    let left = self.used(a);
                    self.each(pieces, |this, piece| {
                        let right = this.source(b, piece, vop);
                        this.v2(vop, pieces.len, left[piece], right)
                    })
                }
                (None, Some(mode)) => {
                    let from = self.used(data.args[0]);
                    let vop = by_width(scalar, [VRNDSCALEPH, VRNDSCALEPS, VRNDSCALEPD]);
                    self.each(pieces, |this, piece| {
                        this.vector(Spec::unary(vop, pieces.len, from[piece]).imm(mode))
                    })
                }
                (None, None) => self.evaluate(data, scalar, scalar),
            },
        }
    }

    /// Negation and magnitude, which move bits only.
    fn sign_operation(&mut self, op: Opcode, scalar: Scalar, value: Value) -> Registers {
        let from = self.used(value);
        self.sign_registers(op, scalar, from)
    }

    fn sign_registers(&mut self, op: Opcode, scalar: Scalar, from: Registers) -> Registers {
        let pieces = self.tiling(scalar);
        let sign = 1u64 << (scalar.bits() - 1);
        let wide = scalar == Scalar::F64;
        let (vop, bits) = match (op, wide) {
            (Opcode::FNeg, false) => (VPXORD, sign),
            (Opcode::FNeg, true) => (VPXORQ, sign),
            (_, false) => (VPANDD, sign - 1),
            (_, true) => (VPANDQ, sign - 1),
        };
        self.each(pieces, |this, piece| {
            let constant = this.constant_source(scalar, bits, vop);
            this.v2(vop, pieces.len, from[piece], constant)
        })
    }

    fn fma(&mut self, data: &InstData, scalar: Scalar) -> Registers {
        let pieces = self.tiling(scalar);
        let [(a, minus_a), (b, minus_b), (c, minus_c)] = [0, 1, 2].map(|index| {
            let arg = data.args[index];
            self.negated_by_fma(data, arg).map_or((arg, false), |negated| (negated, true))
        });
        let (form213, form231) = fma_ops(scalar, minus_a != minus_b, minus_c);
        // A constant factor goes second.
        let (a, b) = if self.prefers_memory(a) { (b, a) } else { (a, b) };
        let dies = self.uses[c] == 1 || self.accumulators[c];
        let tie_addend = !self.prefers_memory(c) && (self.prefers_memory(b) || dies);
        if tie_addend {
            let (factor, addend) = (self.used(a), self.used(c));
            self.each(pieces, |this, piece| {
                let b = this.source(b, piece, form231);
                this.vector(Spec::binary(form231, pieces.len, factor[piece], b).tied(addend[piece]))
            })
        } else {
            // The factor that dies is the better one to replace.
            let (a, b) = if self.uses[b] == 1 && !self.prefers_memory(b) { (b, a) } else { (a, b) };
            let (first, second) = (self.used(a), self.used(b));
            self.each(pieces, |this, piece| {
                let c = this.source(c, piece, form213);
                this.vector(Spec::binary(form213, pieces.len, second[piece], c).tied(first[piece]))
            })
        }
    }

    /// Half precision by way of single: for all these operations rounding twice is rounding once (single has
    /// more than twice the bits), but for fused multiply-add, which goes through double. For processors
    /// without instructions for it, which give the same bits.
    fn half_operation(&mut self, data: &InstData) -> Registers {
        let args: Vec<Registers> = data.args.iter().map(|&arg| self.used(arg)).collect();
        self.half_registers(data.op, &args)
    }

    pub(super) fn half_registers(&mut self, op: Opcode, args: &[Registers]) -> Registers {
        if matches!(op, Opcode::FNeg | Opcode::FAbs) {
            return self.sign_registers(op, Scalar::F16, args[0]);
        }
        let halves = args;
        let args: Vec<Registers> = args.iter().map(|&arg| self.half_to_single(arg)).collect();
        let pieces = self.tiling(Scalar::F32);
        if matches!(op, Opcode::FMin | Opcode::FMax) {
            // Which one is found out by a comparison, since conversions would quieten NaN.
            let (first, second) =
                if op == Opcode::FMin { (&args[0], &args[1]) } else { (&args[1], &args[0]) };
            let masks = self.each(pieces, |this, piece| {
                this.compare(VCMPPS, pieces.len, first[piece], second[piece].into(), 0x11)
            });
            let mask = self.concat_masks(&masks, pieces.lanes);
            let pieces = self.tiling(Scalar::F16);
            return self.each(pieces, |this, piece| {
                let mask = this.mask_piece(mask, piece as u32, pieces.lanes);
                let (then, otherwise) = (halves[0][piece], halves[1][piece]);
                this.vector(Spec::binary(VPBLENDMW, pieces.len, otherwise, then).masked(mask))
            });
        }
        if op == Opcode::FFma {
            return self.half_fma(&args);
        }
        let wide = self.each(pieces, |this, piece| match (float_op(op, Scalar::F32, false), op) {
            (Some(vop), _) => this.v2(vop, pieces.len, args[0][piece], args[1][piece]),
            (None, Opcode::FSqrt) => this.v1(VSQRTPS, pieces.len, args[0][piece]),
            (None, op) => {
                let mode = rounding_mode(op).unwrap_or(8);
                this.vector(Spec::unary(VRNDSCALEPS, pieces.len, args[0][piece]).imm(mode))
            }
        });
        self.single_to_half(wide, 0)
    }

    /// Double holds every product and, to 53 bits, every sum of halves; rounding that to odd first makes the
    /// second rounding right.
    fn half_fma(&mut self, args: &[Registers]) -> Registers {
        let args: Vec<Registers> = args.iter().map(|&arg| self.single_to_double(arg)).collect();
        let pieces = self.tiling(Scalar::F64);
        let sums = self.each(pieces, |this, piece| {
            let spec = Spec::binary(VFMADD213PD, pieces.len, args[1][piece], args[2][piece]);
            this.vector(spec.tied(args[0][piece]))
        });
        let single = self.double_to_single_odd(sums);
        self.single_to_half(single, 0)
    }
}
