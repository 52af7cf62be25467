//! Arithmetic, comparisons and selections.

use super::{Lanes, register_count};
use crate::machine::fused::Signs;
use crate::neon::op::{self, Encoded, Op};
use crate::runtime::Operation;
use crate::select::{Selector, Unsupported};
use pyro_ir::{InstData, Opcode, Scalar, Signature, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// An operation on varying values that gives a varying value.
    pub(in crate::select) fn neon_varying(
        &mut self,
        data: &InstData,
        result: Value,
        to: Scalar,
    ) -> Result<(), Unsupported> {
        let from = self.ty(*data.args.last().expect("has operands")).scalar;
        let registers = match data.op {
            Opcode::Shl | Opcode::LShr | Opcode::AShr if self.constant(data.args[1]).is_some() => {
                let count = self.constant(data.args[1]).unwrap_or(0) as u32 & (to.bits() - 1);
                let value = self.lanes_of(data.args[0]);
                self.shifted(data.op, to.bits(), &value, count)
            }
            Opcode::FFma if self.computes(to) && !(self.is_sse() && to == Scalar::F64) => {
                self.fused(data, to)
            }
            Opcode::ShuffleBytes if self.constant(data.args[1]).is_some() => {
                let order = self.constant(data.args[1]).unwrap_or(0);
                let value = self.lanes_of(data.args[0]);
                self.shuffled_by_constant(to, &value, order)
            }
            Opcode::FConvert if self.rounded_to_half(data).is_some() => {
                let single = self.rounded_to_half(data).unwrap_or(data.args[0]);
                let value = self.lanes_of(single);
                self.sse_round_to_half(&value)
            }
            _ => {
                let args: Vec<Lanes> = data.args.iter().map(|&arg| self.lanes_of(arg)).collect();
                self.neon_compute(data, from, to, &args)?
            }
        };
        self.define_lanes(result, registers);
        Ok(())
    }

    /// A pure operation on registers that hold its operands. Of uniform values the first lane counts.
    pub(super) fn neon_compute(
        &mut self,
        data: &InstData,
        from: Scalar,
        to: Scalar,
        args: &[Lanes],
    ) -> Result<Lanes, Unsupported> {
        let op = data.op;
        if self.is_sse() && self.sse_lacks(data, from, to) {
            return Ok(self.neon_evaluate(data, from, to, args));
        }
        Ok(match op.signature() {
            Signature::IntCompare if from == Scalar::I1 => self.compare_masks(op, &args[0], &args[1]),
            Signature::IntCompare | Signature::FloatCompare => {
                self.compare_lanes(op, from, &args[0], &args[1])
            }
            Signature::Select if to == Scalar::I1 => self.select_lanes(&args[0], &args[1], &args[2]),
            Signature::Select => {
                let mask = self.mask_to(to.bits(), &args[0]);
                self.select_lanes(&mask, &args[1], &args[2])
            }
            Signature::IntUnary | Signature::BitUnary => self.integer_lanes(op, to.bits(), &args[0]),
            Signature::IntBinary | Signature::BitBinary => self.binary_lanes(data, to, &args[0], &args[1]),
            Signature::FloatUnary | Signature::FloatBinary | Signature::FloatTernary => {
                self.float_lanes(data, to, args)
            }
            _ => self.neon_convert(data, from, to, &args[0])?,
        })
    }

    /// Asks the runtime, lane by lane.
    pub(super) fn neon_evaluate(
        &mut self,
        data: &InstData,
        from: Scalar,
        to: Scalar,
        args: &[Lanes],
    ) -> Lanes {
        let places: Vec<i32> = args.iter().map(|registers| self.lanes_to_frame(registers)).collect();
        let result = self.frame(register_count(self.lanes, to.bits()) as u32 * 16);
        let operation = Operation { op: data.op, from, to, imm: data.imm as u8, count: self.lanes as u8 };
        self.call_evaluate(operation, result, &places);
        self.lanes_from_frame(result, to.bits())
    }

    /// The second where the mask, of the same width, is set, else the third.
    pub(super) fn select_lanes(&mut self, mask: &[VReg], then: &[VReg], otherwise: &[VReg]) -> Lanes {
        let pairs = then.iter().zip(otherwise);
        mask.iter()
            .zip(pairs)
            .map(|(&mask, (&then, &other))| self.v(op::BSL.one(), &[mask, then, other]))
            .collect()
    }

    fn compare_masks(&mut self, op: Opcode, a: &[VReg], b: &[VReg]) -> Lanes {
        use Opcode as O;
        match op {
            O::IEq => {
                let differ = self.each_pair(op::EOR.one(), a, b);
                self.each_lane(op::NOT.one(), &differ)
            }
            O::INe => self.each_pair(op::EOR.one(), a, b),
            // True is larger unsigned, and smaller (-1) signed.
            O::ULt => self.each_pair(op::BIC.one(), b, a),
            O::SLt => self.each_pair(op::BIC.one(), a, b),
            O::ULe => self.each_pair(op::ORN.one(), b, a),
            _ => self.each_pair(op::ORN.one(), a, b),
        }
    }

    fn compare_lanes(&mut self, op: Opcode, scalar: Scalar, a: &[VReg], b: &[VReg]) -> Lanes {
        let bits = scalar.bits();
        if scalar == Scalar::F16 && !self.features.fp16 {
            let (a, b) = (self.half_to_float(a), self.half_to_float(b));
            return self.compare_lanes(op, Scalar::F32, &a, &b);
        }
        let compared = self.compare_wide(op, scalar, a, b);
        self.mask_from(bits, &compared)
    }

    /// A comparison whose mask has lanes of the operands' width.
    fn compare_wide(&mut self, op: Opcode, scalar: Scalar, a: &[VReg], b: &[VReg]) -> Lanes {
        use Opcode as O;
        let bits = scalar.bits();
        let half = scalar == Scalar::F16;
        let float = |whole: Op, of_half: Op| if half { of_half.one() } else { whole.of(bits) };
        let (encoded, swapped) = match op {
            O::IEq | O::INe => (op::CMEQ.of(bits), false),
            O::ULt => (op::CMHI.of(bits), true),
            O::ULe => (op::CMHS.of(bits), true),
            O::SLt => (op::CMGT.of(bits), true),
            O::SLe => (op::CMGE.of(bits), true),
            O::FEq | O::FNe => (float(op::FCMEQ, op::FCMEQ_HALF), false),
            O::FLt => (float(op::FCMGT, op::FCMGT_HALF), true),
            _ => (float(op::FCMGE, op::FCMGE_HALF), true),
        };
        let compared = if swapped { self.each_pair(encoded, b, a) } else { self.each_pair(encoded, a, b) };
        match op {
            O::INe | O::FNe => self.each_lane(op::NOT.one(), &compared),
            _ => compared,
        }
    }

    pub(super) fn integer_lanes(&mut self, op: Opcode, bits: u32, value: &[VReg]) -> Lanes {
        match op {
            Opcode::Not => self.each_lane(op::NOT.one(), value),
            Opcode::PopCount => {
                let mut counted = self.each_lane(op::CNT.one(), value);
                let mut width = 8;
                while width < bits {
                    counted = self.each_lane(op::UADDLP.of(width), &counted);
                    width *= 2;
                }
                counted
            }
            Opcode::CountLeadingZeros => self.leading_zeros(bits, value),
            Opcode::CountTrailingZeros if self.is_sse() => self.sse_trailing_zeros(bits, value),
            Opcode::CountTrailingZeros => {
                let reversed = self.reversed(bits, value);
                self.leading_zeros(bits, &reversed)
            }
            _ => self.reversed(bits, value),
        }
    }

    fn leading_zeros(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        if self.is_sse() {
            return self.sse_leading_zeros(bits, value);
        }
        if bits < 64 {
            return self.each_lane(op::CLZ.of(bits), value);
        }
        self.by_general(64, value, value, |this, a, _| this.general_operation(op::CLZ_GENERAL.of(64), &[a]))
    }

    fn reversed(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        let reversed = self.each_lane(op::RBIT.one(), value);
        let bytes = match bits {
            8 => return reversed,
            16 => op::REV16_BYTES.one(),
            32 => op::REV32_BYTES.one(),
            _ => op::REV64.of(8),
        };
        self.each_lane(bytes, &reversed)
    }

    /// A shift by a constant that is less than the width.
    pub(super) fn shifted(&mut self, op: Opcode, bits: u32, value: &[VReg], count: u32) -> Lanes {
        let encoded = match op {
            _ if count == 0 => return value.into(),
            Opcode::Shl => op::SHL.shift(bits, count),
            Opcode::LShr => op::USHR.shift(bits, count),
            _ => op::SSHR.shift(bits, count),
        };
        self.each_lane(encoded, value)
    }

    /// Computes each lane of 32 or 64 bits in general registers.
    fn by_general(
        &mut self,
        bits: u32,
        a: &[VReg],
        b: &[VReg],
        compute: impl Fn(&mut Self, VReg, VReg) -> VReg,
    ) -> Lanes {
        let per_register = (128 / bits).min(self.lanes);
        a.iter()
            .zip(b)
            .map(|(&a, &b)| {
                let mut result = None;
                for lane in 0..per_register {
                    let x = self.lane_element(bits, a, lane);
                    let y = if a == b { x } else { self.lane_element(bits, b, lane) };
                    let computed = compute(self, x, y);
                    result = Some(self.with_element(bits, result, computed, lane));
                }
                result.expect("has lanes")
            })
            .collect()
    }

    /// A lane as a general register, zero-extended.
    pub(super) fn lane_element(&mut self, bits: u32, register: VReg, lane: u32) -> VReg {
        let encoded = match (bits, lane) {
            (64, 0) => op::FMOV_TO_GENERAL_QUAD.one(),
            (64, _) => op::UMOV_QUAD_HIGH.one(),
            (32, 0) => op::FMOV_TO_GENERAL.one(),
            _ => op::UMOV.lane(bits, lane),
        };
        self.general_operation(encoded, &[register])
    }

    /// The register with a lane from a general register; none yet: the others are anything.
    pub(super) fn with_element(
        &mut self,
        bits: u32,
        register: Option<VReg>,
        element: VReg,
        lane: u32,
    ) -> VReg {
        match register {
            Some(register) => self.v(op::INS_GENERAL.lane(bits, lane), &[register, element]),
            None if bits == 64 => self.v(op::FMOV_FROM_GENERAL_QUAD.one(), &[element]),
            None => self.v(op::FMOV_FROM_GENERAL.one(), &[element]),
        }
    }

    fn binary_lanes(&mut self, data: &InstData, scalar: Scalar, a: &Lanes, b: &Lanes) -> Lanes {
        use Opcode as O;
        let bits = scalar.bits();
        let bitwise = match data.op {
            O::And => Some(op::AND),
            O::Xor => Some(op::EOR),
            O::AndNot => Some(op::BIC),
            _ => None,
        };
        if data.op == O::Or {
            return a.iter().zip(b).map(|(&a, &b)| self.either(a, b)).collect();
        }
        if let Some(op) = bitwise {
            return self.each_pair(op.one(), a, b);
        }
        match data.op {
            O::IAdd => self.each_sized(op::ADD, bits, a, b),
            O::ISub => self.each_sized(op::SUB, bits, a, b),
            O::IMul if bits == 64 => a.iter().zip(b).map(|(&a, &b)| self.product_of_quads(a, b)).collect(),
            O::IMul => self.each_sized(op::MUL, bits, a, b),
            O::UMulHigh | O::SMulHigh => self.high_product(data.op == O::SMulHigh, bits, a, b),
            O::UDiv | O::SDiv | O::URem | O::SRem => self.divided(data.op, bits, a, b),
            O::UMin | O::UMax | O::SMin | O::SMax => self.least_or_greatest(data.op, bits, a, b),
            O::Shl | O::LShr | O::AShr => {
                let most = self.neon_constant(scalar, u64::from(bits) - 1);
                let mut count: Lanes = b.iter().map(|&b| self.v(op::AND.one(), &[b, most])).collect();
                if self.is_sse() {
                    return self.sse_shifts(data.op, bits, a, &count);
                }
                if data.op != O::Shl {
                    count = self.each_lane(op::NEG.of(bits), &count);
                }
                let op = if data.op == O::AShr { op::SSHL } else { op::USHL };
                self.each_sized(op, bits, a, &count)
            }
            O::ShuffleBytes => self.shuffled_lanes(scalar, a, b),
            O::DotBytes | O::DotHalves | O::DotFourBytes if self.is_sse() => {
                match self.sse_dot(data.op, bits, a, b) {
                    Some(sums) => sums,
                    None => self.neon_evaluate(data, scalar, scalar, &[a.clone(), b.clone()]),
                }
            }
            _ => self.neon_evaluate(data, scalar, scalar, &[a.clone(), b.clone()]),
        }
    }

    /// The bits of both. Of rows that are put together one has none.
    fn either(&mut self, a: VReg, b: VReg) -> VReg {
        match (self.neon.zeros.contains(&a), self.neon.zeros.contains(&b)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.v(op::ORR.one(), &[a, b]),
        }
    }

    /// The low halves of products of 64 bits: the crossed products of halves count in the high half only.
    fn product_of_quads(&mut self, a: VReg, b: VReg) -> VReg {
        let swapped = self.v(op::REV64.of(32), &[b]);
        let crossed = self.v(op::MUL.of(32), &[a, swapped]);
        let crossed = self.v(op::UADDLP.of(32), &[crossed]);
        let high = self.v(op::SHL.shift(64, 32), &[crossed]);
        let (a, b) = (self.v(op::XTN.of(32), &[a]), self.v(op::XTN.of(32), &[b]));
        self.v(op::UMLAL.of(32), &[high, a, b])
    }

    fn high_product(&mut self, signed: bool, bits: u32, a: &[VReg], b: &[VReg]) -> Lanes {
        if bits == 64 {
            if self.is_sse() {
                return self.by_general(64, a, b, |this, a, b| this.mul_high(signed, Scalar::I64, a, b));
            }
            let op = if signed { op::SMULH } else { op::UMULH };
            return self.by_general(64, a, b, |this, a, b| this.general_operation(op.one(), &[a, b]));
        }
        let (low, high) = if signed { (op::SMULL, op::SMULL2) } else { (op::UMULL, op::UMULL2) };
        let (low, high) = (self.each_sized(low, bits, a, b), self.each_sized(high, bits, a, b));
        self.each_sized(op::UZP2, bits, &low, &high)
    }

    fn divided(&mut self, op: Opcode, bits: u32, a: &Lanes, b: &Lanes) -> Lanes {
        use Opcode as O;
        let signed = matches!(op, O::SDiv | O::SRem);
        if bits < 32 {
            let (a, b) = (self.widened(a, bits, 32, signed), self.widened(b, bits, 32, signed));
            let quotient = self.divided(op, 32, &a, &b);
            return self.narrowed(&quotient, 32, bits);
        }
        if self.is_sse() {
            let scalar = if bits == 64 { Scalar::I64 } else { Scalar::I32 };
            return self.by_general(bits, a, b, |this, a, b| this.divide_general(op, scalar, a, b));
        }
        let divide = if signed { op::SDIV } else { op::UDIV };
        // By zero the processor gives zero, which makes the remainder right.
        match op {
            O::UDiv | O::SDiv => {
                let quotient = self
                    .by_general(bits, a, b, |this, a, b| this.general_operation(divide.of(bits), &[a, b]));
                let by_zero = self.each_lane(op::CMEQ_ZERO.of(bits), b);
                self.each_pair(op::ORR.one(), &quotient, &by_zero)
            }
            _ => self.by_general(bits, a, b, |this, a, b| {
                let quotient = this.general_operation(divide.of(bits), &[a, b]);
                this.general_operation(op::MSUB.of(bits), &[quotient, b, a])
            }),
        }
    }

    fn least_or_greatest(&mut self, op: Opcode, bits: u32, a: &[VReg], b: &[VReg]) -> Lanes {
        use Opcode as O;
        if bits < 64 {
            let op = match op {
                O::UMin => op::UMIN,
                O::UMax => op::UMAX,
                O::SMin => op::SMIN,
                _ => op::SMAX,
            };
            return self.each_sized(op, bits, a, b);
        }
        let (compare, first_wins) = match op {
            O::UMin => (op::CMHI, false),
            O::UMax => (op::CMHI, true),
            O::SMin => (op::CMGT, false),
            _ => (op::CMGT, true),
        };
        let greater = self.each_sized(compare, 64, a, b);
        match first_wins {
            true => self.select_lanes(&greater, a, b),
            false => self.select_lanes(&greater, b, a),
        }
    }

    /// Bytes of each lane by number: the table is the whole register, so numbers get the lane's first byte;
    /// those past the table give zero, as those with the highest bit must.
    fn shuffled_lanes(&mut self, scalar: Scalar, a: &[VReg], b: &[VReg]) -> Lanes {
        let bytes = scalar.bytes() as u8;
        let kept = self.neon_constant(Scalar::I8, u64::from(0x80 | (bytes - 1)));
        let first = self.constant_register(std::array::from_fn(|byte| byte as u8 / bytes * bytes));
        a.iter()
            .zip(b)
            .map(|(&a, &b)| {
                let number = self.v(op::AND.one(), &[b, kept]);
                let number = self.v(op::ORR.one(), &[number, first]);
                self.v(op::TBL.one(), &[a, number])
            })
            .collect()
    }

    /// The same where the numbers are known.
    fn shuffled_by_constant(&mut self, scalar: Scalar, value: &[VReg], order: u64) -> Lanes {
        let bytes = scalar.bytes() as usize;
        let order =
            self.constant_register(std::array::from_fn(|byte| match order.to_le_bytes()[byte % bytes] {
                number @ 0..0x80 => (byte / bytes * bytes) as u8 + number % bytes as u8,
                _ => 0x80,
            }));
        value.iter().map(|&value| self.v(op::TBL.one(), &[value, order])).collect()
    }

    fn float_lanes(&mut self, data: &InstData, scalar: Scalar, args: &[Lanes]) -> Lanes {
        use Opcode as O;
        let bits = scalar.bits();
        let sign = 1u64 << (bits - 1);
        match data.op {
            // These move bits.
            O::FNeg if bits >= 32 => return self.each_lane(op::FNEG.of(bits), &args[0]),
            O::FAbs if bits >= 32 => return self.each_lane(op::FABS.of(bits), &args[0]),
            O::FNeg | O::FAbs => {
                let sign = self.neon_constant(scalar, sign);
                let op = if data.op == O::FNeg { op::EOR } else { op::BIC };
                return args[0].iter().map(|&a| self.v(op.one(), &[a, sign])).collect();
            }
            O::FMin | O::FMax => return self.float_min_max(data.op, scalar, &args[0], &args[1]),
            _ => {}
        }
        if scalar == Scalar::F16 && !self.features.fp16 {
            if data.op == O::FFma && self.is_sse() {
                return self.sse_fused_halves(args);
            }
            if data.op == O::FFma {
                return self.neon_evaluate(data, scalar, scalar, args);
            }
            // Single has more than twice the bits: rounding twice is rounding once.
            let wide: Vec<Lanes> = args.iter().map(|arg| self.half_to_float(arg)).collect();
            let computed = self.float_lanes(data, Scalar::F32, &wide);
            return self.float_to_half(&computed);
        }
        let encoded = float_op(data.op, scalar);
        match args {
            [a] => self.each_lane(encoded, a),
            [a, b] => self.each_pair(encoded, a, b),
            [a, b, c] => {
                let factors = a.iter().zip(b);
                c.iter().zip(factors).map(|(&c, (&a, &b))| self.v(encoded, &[c, a, b])).collect()
            }
            _ => unreachable!("operations have one to three operands"),
        }
    }

    /// `a < b ? a : b`, whatever the bits are.
    fn float_min_max(&mut self, op: Opcode, scalar: Scalar, a: &Lanes, b: &Lanes) -> Lanes {
        if self.is_sse() && scalar != Scalar::F16 {
            return self.sse_min_max(op, scalar, a, b);
        }
        let (less, greater) = if op == Opcode::FMin { (a, b) } else { (b, a) };
        let mask = if scalar == Scalar::F16 && !self.features.fp16 {
            let (less, greater) = (self.half_to_float(less), self.half_to_float(greater));
            let mask = self.compare_wide(Opcode::FLt, Scalar::F32, &less, &greater);
            self.narrowed(&mask, 32, 16)
        } else {
            self.compare_wide(Opcode::FLt, scalar, less, greater)
        };
        self.select_lanes(&mask, a, b)
    }

    /// `a * b + c`; negated factors are part of the instruction.
    fn fused(&mut self, data: &InstData, scalar: Scalar) -> Lanes {
        let [(a, minus_a), (b, minus_b), (c, minus_c)] = [0, 1, 2].map(|index| {
            let arg = data.args[index];
            self.negated_by_fma(data, arg).map_or((arg, false), |negated| (negated, true))
        });
        let [mut a, b, mut c] = [a, b, c].map(|value| self.lanes_of(value));
        if self.is_sse() {
            let signs = Signs { minus_product: minus_a != minus_b, minus_addend: minus_c };
            let factors = a.iter().zip(&b);
            return c.iter().zip(factors).map(|(&c, (&a, &b))| self.sse_fused(signs, c, a, b)).collect();
        }
        let half = scalar == Scalar::F16;
        let negated = |this: &mut Self, value: &Lanes| match half {
            true => {
                let sign = this.neon_constant(scalar, 0x8000);
                value.iter().map(|&a| this.v(op::EOR.one(), &[a, sign])).collect()
            }
            false => this.each_lane(op::FNEG.of(scalar.bits()), value),
        };
        if minus_c {
            c = negated(self, &c);
        }
        let encoded = match (half, minus_a != minus_b) {
            (true, minus) => {
                if minus {
                    a = negated(self, &a);
                }
                op::FMLA_HALF.one()
            }
            (false, false) => op::FMLA.of(scalar.bits()),
            (false, true) => op::FMLS.of(scalar.bits()),
        };
        let factors = a.iter().zip(&b);
        c.iter().zip(factors).map(|(&c, (&a, &b))| self.v(encoded, &[c, a, b])).collect()
    }
}

/// The instruction of an operation on floats.
fn float_op(op: Opcode, scalar: Scalar) -> Encoded {
    use Opcode as O;
    let (whole, half) = match op {
        O::FAdd => (op::FADD, op::FADD_HALF),
        O::FSub => (op::FSUB, op::FSUB_HALF),
        O::FMul => (op::FMUL, op::FMUL_HALF),
        O::FDiv => (op::FDIV, op::FDIV_HALF),
        O::FFma => (op::FMLA, op::FMLA_HALF),
        O::FSqrt => (op::FSQRT, op::FSQRT_HALF),
        O::FFloor => (op::FRINTM, op::FRINTM_HALF),
        O::FCeil => (op::FRINTP, op::FRINTP_HALF),
        O::FTrunc => (op::FRINTZ, op::FRINTZ_HALF),
        _ => (op::FRINTN, op::FRINTN_HALF),
    };
    if scalar == Scalar::F16 { half.one() } else { whole.of(scalar.bits()) }
}
