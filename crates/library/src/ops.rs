//! Short names for the builder's operations, so that formulas stay readable.

use pyro_ir::{Builder, InstData, Opcode, Scalar, Value};

/// `1.5 * 2^23`: added to a value below `2^22`, it leaves the value, rounded to an integer, in the sum's low
/// bits; subtracting it again gives that integer as a float.
pub(crate) const MAGIC: f32 = 12_582_912.0;

macro_rules! binary {
    ($($name:ident $op:ident;)+) => { $(
        #[doc = concat!("[`Opcode::", stringify!($op), "`].")]
        fn $name(&mut self, x: Value, y: Value) -> Value { self.emit_op(Opcode::$op, &[x, y]) }
    )+ };
}

macro_rules! unary {
    ($($name:ident $op:ident;)+) => { $(
        #[doc = concat!("[`Opcode::", stringify!($op), "`].")]
        fn $name(&mut self, x: Value) -> Value { self.emit_op(Opcode::$op, &[x]) }
    )+ };
}

/// Makes `f16` operands `f32`, for functions of several steps: fewer conversions on machines without half
/// arithmetic, and one rounding at the end. Gives the type that results go back to.
pub(crate) fn widen_half(b: &mut Builder, values: &[Value]) -> (Scalar, Vec<Value>) {
    let scalar = b.scalar(values[0]);
    let wide = if scalar == Scalar::F16 { Scalar::F32 } else { scalar };
    (scalar, values.iter().map(|&value| b.to_float(value, wide)).collect())
}

/// One method per operation.
pub trait Ops {
    /// Appends an operation whose operands decide its type.
    fn emit_op(&mut self, op: Opcode, args: &[Value]) -> Value;
    /// The scalar type of a value.
    fn scalar(&self, x: Value) -> Scalar;
    /// An integer constant of the type `scalar`, truncated.
    fn int(&mut self, scalar: Scalar, value: i64) -> Value;
    /// A floating-point constant of the type `scalar`, rounded.
    fn float(&mut self, scalar: Scalar, value: f64) -> Value;
    /// `x` as another float type (itself when it has it).
    fn to_float(&mut self, x: Value, scalar: Scalar) -> Value;
    /// Low bits or zero-extension of an integer.
    fn resize_u(&mut self, x: Value, scalar: Scalar) -> Value;
    /// Low bits or sign-extension of an integer.
    fn resize_s(&mut self, x: Value, scalar: Scalar) -> Value;
    /// The lane's number.
    fn lane_id(&mut self) -> Value;
    /// The lanes that have come here.
    fn active(&mut self) -> Value;
    /// A mask's lanes as bits.
    fn ballot(&mut self, mask: Value) -> Value;

    binary! {
        iadd IAdd; isub ISub; imul IMul; umulh UMulHigh; smulh SMulHigh;
        srem SRem;
        umin UMin; umax UMax; smin SMin; smax SMax;
        shl Shl; lshr LShr; ashr AShr; and And; or Or; xor Xor; andnot AndNot;
        ieq IEq; ine INe; ult ULt; ule ULe; slt SLt; sle SLe; udiv UDiv; urem URem;
        fdiv FDiv; fmin FMin; fmax FMax;
        feq FEq; fne FNe; flt FLt; fle FLe;
        shuffle Shuffle; lane_read LaneRead;
        dot_bytes DotBytes; dot_four_bytes DotFourBytes; dot_halves DotHalves; shuffle_bytes ShuffleBytes;
    }
    unary! {
        not Not; popcnt PopCount; clz CountLeadingZeros; ctz CountTrailingZeros; bitrev BitReverse;
        fneg FNeg; fabs FAbs; fsqrt FSqrt; ffloor FFloor; fceil FCeil; ftrunc FTrunc; fround FRound;
        any Any;
    }

    /// A rounded operation that the passes may not fuse with another: what this crate fuses is spelled out,
    /// and its error analysis holds for nothing else.
    fn emit_rounded(&mut self, op: Opcode, x: Value, y: Value) -> Value;

    /// `x + y`.
    fn fadd(&mut self, x: Value, y: Value) -> Value {
        self.emit_rounded(Opcode::FAdd, x, y)
    }

    /// `x - y`.
    fn fsub(&mut self, x: Value, y: Value) -> Value {
        self.emit_rounded(Opcode::FSub, x, y)
    }

    /// `x * y`.
    fn fmul(&mut self, x: Value, y: Value) -> Value {
        self.emit_rounded(Opcode::FMul, x, y)
    }

    /// `x * y + z`, rounded once.
    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.emit_op(Opcode::FFma, &[x, y, z])
    }

    /// `x * y + z`, rounded once, or twice where the user prefers that on processors without fused operations
    /// (`PYROCLAST_ROUND_TWICE`): what is made of the result must be right either way.
    fn mad(&mut self, x: Value, y: Value, z: Value) -> Value;

    /// `z - x * y` like [`Ops::mad`].
    fn nmad(&mut self, x: Value, y: Value, z: Value) -> Value {
        let negative = self.fneg(x);
        self.mad(negative, y, z)
    }

    /// `z - x * y`, rounded once.
    fn fnma(&mut self, x: Value, y: Value, z: Value) -> Value {
        let negative = self.fneg(x);
        self.fma(negative, y, z)
    }

    /// The polynomial in the `f32` value `x` with these coefficients, the highest first, by Horner's rule and
    /// fused operations.
    fn fused_poly(&mut self, x: Value, coefficients: &[f32]) -> Value {
        self.horner(x, coefficients, Self::fma)
    }

    /// The same by [`Ops::mad`].
    fn poly(&mut self, x: Value, coefficients: &[f32]) -> Value {
        self.horner(x, coefficients, Self::mad)
    }

    /// The same by any such operation.
    fn horner(
        &mut self,
        x: Value,
        coefficients: &[f32],
        mad: fn(&mut Self, Value, Value, Value) -> Value,
    ) -> Value {
        let mut sum = self.float(Scalar::F32, coefficients[0].into());
        for &coefficient in &coefficients[1..] {
            let coefficient = self.float(Scalar::F32, coefficient.into());
            sum = mad(self, sum, x, coefficient);
        }
        sum
    }
}

impl Ops for Builder<'_> {
    fn emit_op(&mut self, op: Opcode, args: &[Value]) -> Value {
        self.op(op, args)
    }

    fn emit_rounded(&mut self, op: Opcode, x: Value, y: Value) -> Value {
        let scalar = self.scalar(x);
        self.emit(op, &[x, y], 1, scalar).expect("gives a result")
    }

    fn mad(&mut self, x: Value, y: Value, z: Value) -> Value {
        let scalar = self.scalar(x);
        self.emit(Opcode::FFma, &[x, y, z], InstData::MAY_ROUND_TWICE, scalar).expect("gives a result")
    }

    fn scalar(&self, x: Value) -> Scalar {
        self.function.ty(x).scalar
    }

    fn int(&mut self, scalar: Scalar, value: i64) -> Value {
        self.constant(scalar, value as u64)
    }

    fn float(&mut self, scalar: Scalar, value: f64) -> Value {
        match scalar {
            Scalar::F16 => {
                let value = self.float(Scalar::F32, value);
                self.convert(Opcode::FConvert, value, Scalar::F16)
            }
            Scalar::F32 => self.f32(value as f32),
            _ => self.f64(value),
        }
    }

    fn to_float(&mut self, x: Value, scalar: Scalar) -> Value {
        if self.scalar(x) == scalar { x } else { self.convert(Opcode::FConvert, x, scalar) }
    }

    fn resize_u(&mut self, x: Value, scalar: Scalar) -> Value {
        match scalar.bits().cmp(&self.scalar(x).bits()) {
            std::cmp::Ordering::Less => self.convert(Opcode::Truncate, x, scalar),
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => self.convert(Opcode::ZeroExtend, x, scalar),
        }
    }

    fn resize_s(&mut self, x: Value, scalar: Scalar) -> Value {
        match scalar.bits().cmp(&self.scalar(x).bits()) {
            std::cmp::Ordering::Less => self.convert(Opcode::Truncate, x, scalar),
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => self.convert(Opcode::SignExtend, x, scalar),
        }
    }

    fn lane_id(&mut self) -> Value {
        self.op(Opcode::LaneId, &[])
    }

    fn active(&mut self) -> Value {
        self.op(Opcode::Active, &[])
    }

    fn ballot(&mut self, mask: Value) -> Value {
        self.op(Opcode::Ballot, &[mask])
    }
}
