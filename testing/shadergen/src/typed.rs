//! Operations in other types than 32-bit words, and what they compute.
//!
//! A word becomes a value of the type, the operation works on two of those, and the bits of its result become
//! a word again, so that programs stay trees of words. Float operands are small integers: every operation on
//! them is exact, or a single correctly rounded one, so that there is one answer.

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "integers and floats by their widths")]
pub enum Type {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Type {
    /// All of them.
    pub const ALL: [Type; 7] = [Type::I8, Type::I16, Type::I32, Type::I64, Type::F16, Type::F32, Type::F64];

    /// Bits.
    pub fn width(self) -> u32 {
        match self {
            Type::I8 => 8,
            Type::I16 | Type::F16 => 16,
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }

    /// All bits of a value.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }
}

/// An operation on two values of a type; named as in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum TypedBinary {
    Add,
    Sub,
    Mul,
    /// Unsigned, the divisor made odd; of floats, the divisor is not zero.
    Div,
    /// Unsigned, the divisor made odd; of floats the difference of minimum and maximum.
    Mod,
    UMin,
    SMax,
    /// The amount is taken modulo the width; of floats a multiplication by -1.
    ShiftRightArithmetic,
    /// Signed less-than, as 1 or 0.
    Less,
    /// From here on idioms of integers, made of several instructions; of floats a sum. The first operand
    /// rotated left by 1, exclusive or the second.
    RotateByOne,
    /// The same by one less than half the width.
    RotateByHalf,
    /// The same by one less than the width.
    RotateByAll,
    /// The bytes of the first in reverse order, exclusive or the second.
    ByteSwap,
    /// The sum and its carry, added.
    Carry,
    /// The high half of the unsigned product; of 64 bits the product of the high halves.
    MultiplyHigh,
    /// The sum, or the greatest number if that wraps.
    AddSaturated,
}

impl TypedBinary {
    /// All of them.
    pub const ALL: [TypedBinary; 16] = [
        TypedBinary::Add,
        TypedBinary::Sub,
        TypedBinary::Mul,
        TypedBinary::Div,
        TypedBinary::Mod,
        TypedBinary::UMin,
        TypedBinary::SMax,
        TypedBinary::ShiftRightArithmetic,
        TypedBinary::Less,
        TypedBinary::RotateByOne,
        TypedBinary::RotateByHalf,
        TypedBinary::RotateByAll,
        TypedBinary::ByteSwap,
        TypedBinary::Carry,
        TypedBinary::MultiplyHigh,
        TypedBinary::AddSaturated,
    ];

    /// What it is on values of a type: floats have no idioms.
    pub fn on(self, ty: Type) -> TypedBinary {
        if ty.is_float() && self.is_idiom() { TypedBinary::Add } else { self }
    }

    fn is_idiom(self) -> bool {
        self.rotation(Type::I8).is_some()
            || matches!(
                self,
                TypedBinary::ByteSwap
                    | TypedBinary::Carry
                    | TypedBinary::MultiplyHigh
                    | TypedBinary::AddSaturated
            )
    }

    /// How far a rotation rotates.
    pub fn rotation(self, ty: Type) -> Option<u32> {
        match self {
            TypedBinary::RotateByOne => Some(1),
            TypedBinary::RotateByHalf => Some(ty.width() / 2 - 1),
            TypedBinary::RotateByAll => Some(ty.width() - 1),
            _ => None,
        }
    }
}

/// What a reduction combines with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum Combine {
    Add,
    Mul,
    UMin,
    SMin,
    UMax,
    SMax,
    And,
    Or,
    Xor,
}

impl Combine {
    /// All of them.
    pub const ALL: [Combine; 9] = [
        Combine::Add,
        Combine::Mul,
        Combine::UMin,
        Combine::SMin,
        Combine::UMax,
        Combine::SMax,
        Combine::And,
        Combine::Or,
        Combine::Xor,
    ];

    /// Those that floats have.
    pub const FLOAT: [Combine; 3] = [Combine::Add, Combine::SMin, Combine::SMax];
}

/// Over which lanes a group operation combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    Reduce,
    /// Those up to the lane.
    InclusiveScan,
    /// Those before the lane.
    ExclusiveScan,
    /// The lane's cluster of this many.
    Clustered(u32),
}

/// Which lane another lane's value comes from. Where that lane is inactive or does not exist, the result is
/// 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The operand's own choice, modulo the subgroup size.
    Shuffle,
    /// The lane's number with these bits flipped.
    Xor(u32),
    /// So many lanes below.
    Up(u32),
    /// So many lanes above.
    Down(u32),
    /// So many lanes above, around the end of the subgroup.
    Rotate(u32),
    /// So many lanes above, around the end of the cluster of four.
    RotateClustered(u32),
    /// This lane of the quad.
    QuadBroadcast(u32),
    /// The quad's neighbour: 0 horizontally, 1 vertically, 2 diagonally.
    QuadSwap(u32),
}

impl Source {
    /// The lane that `lane` reads, of `lanes`, where `choice` is the operand's.
    pub fn lane(self, lane: u32, lanes: u32, choice: u32) -> Option<u32> {
        match self {
            Source::Shuffle => Some(choice % lanes),
            Source::Xor(bits) => Some(lane ^ bits),
            Source::Up(delta) => lane.checked_sub(delta),
            Source::Down(delta) => Some(lane + delta),
            Source::Rotate(delta) => Some((lane + delta) % lanes),
            Source::RotateClustered(delta) => Some(lane & !3 | (lane + delta) & 3),
            Source::QuadBroadcast(index) => Some(lane & !3 | index),
            Source::QuadSwap(direction) => Some(lane ^ (direction + 1)),
        }
        .filter(|&source| source < lanes)
    }
}

fn sign_extend(ty: Type, bits: u64) -> i64 {
    let shift = 64 - ty.width();
    ((bits << shift) as i64) >> shift
}

/// A word as a value's bits: integers take their low bits or are widened by a multiplication, floats are
/// integers of 5 bits with sign (16 bits wide) or 11.
pub fn from_word(ty: Type, word: u32) -> u64 {
    match ty {
        Type::I8 | Type::I16 | Type::I32 => u64::from(word) & ty.mask(),
        Type::I64 => u64::from(word).wrapping_mul(WIDENING),
        Type::F16 => f16_bits(small(word, 5)),
        Type::F32 => u64::from((small(word, 11) as f32).to_bits()),
        Type::F64 => f64::from(small(word, 11)).to_bits(),
    }
}

/// What makes 64 bits of 32.
pub const WIDENING: u64 = 0x9e37_79b9_7f4a_7c15;

/// The low `bits` bits as a signed number.
fn small(word: u32, bits: u32) -> i32 {
    (word << (32 - bits)) as i32 >> (32 - bits)
}

/// A value's bits as a word: 64 bits are folded.
pub fn to_word(bits: u64) -> u32 {
    bits as u32 ^ (bits >> 32) as u32
}

/// An integer up to 2048 in magnitude as a 16-bit float's bits.
fn f16_bits(number: i32) -> u64 {
    if number == 0 {
        return 0;
    }
    let magnitude = number.unsigned_abs();
    let top = magnitude.ilog2();
    let fraction = (u64::from(magnitude) << 10 >> top) & 0x3ff;
    u64::from(number < 0) << 15 | u64::from(top + 15) << 10 | fraction
}

/// A 16-bit float that is an integer (or a zero) as that.
fn f16_value(bits: u64) -> i32 {
    let exponent = (bits >> 10 & 0x1f) as i32;
    if exponent == 0 {
        return 0;
    }
    let significand = (bits & 0x3ff | 0x400) as i32;
    let magnitude =
        if exponent >= 25 { significand << (exponent - 25) } else { significand >> (25 - exponent) };
    if bits >> 15 & 1 != 0 { -magnitude } else { magnitude }
}

/// The result's bits of an operation on the words `a` and `b`.
pub fn binary(ty: Type, op: TypedBinary, a: u32, b: u32) -> u64 {
    let op = op.on(ty);
    if op == TypedBinary::Less {
        let (a, b) = (from_word(ty, a), from_word(ty, b));
        let less = match ty {
            Type::F16 => f16_value(a) < f16_value(b),
            Type::F32 => f32::from_bits(a as u32) < f32::from_bits(b as u32),
            Type::F64 => f64::from_bits(a) < f64::from_bits(b),
            _ => sign_extend(ty, a) < sign_extend(ty, b),
        };
        return less.into();
    }
    match ty {
        Type::F16 => {
            let (a, b) = (small(a, 5), small(b, 5));
            f16_bits(exact(op, a, b))
        }
        Type::F32 => match op {
            TypedBinary::Div => u64::from((small(a, 11) as f32 / divisor(b) as f32).to_bits()),
            _ => u64::from((exact(op, small(a, 11), small(b, 11)) as f32).to_bits()),
        },
        Type::F64 => match op {
            TypedBinary::Div => (f64::from(small(a, 11)) / f64::from(divisor(b))).to_bits(),
            _ => f64::from(exact(op, small(a, 11), small(b, 11))).to_bits(),
        },
        _ => integer(ty, op, from_word(ty, a), from_word(ty, b)),
    }
}

/// A divisor that is a power of two, so that quotients are exact.
fn divisor(word: u32) -> i32 {
    1 << (word & 7)
}

/// An operation on small integers as floats; the quotient of 16-bit floats is by one.
fn exact(op: TypedBinary, a: i32, b: i32) -> i32 {
    match op {
        TypedBinary::Add => a + b,
        TypedBinary::Sub => a - b,
        TypedBinary::Mul => a * b,
        TypedBinary::Div => a,
        TypedBinary::Mod => a.min(b) - a.max(b),
        TypedBinary::UMin => a.min(b),
        TypedBinary::SMax => a.max(b),
        TypedBinary::ShiftRightArithmetic => 0 - a,
        _ => unreachable!("comparisons are done before, and idioms are of integers"),
    }
}

fn integer(ty: Type, op: TypedBinary, a: u64, b: u64) -> u64 {
    let result = match op {
        TypedBinary::Add => a.wrapping_add(b),
        TypedBinary::Sub => a.wrapping_sub(b),
        TypedBinary::Mul => a.wrapping_mul(b),
        TypedBinary::Div => a / (b | 1),
        TypedBinary::Mod => a % (b | 1),
        TypedBinary::UMin => a.min(b),
        TypedBinary::SMax => sign_extend(ty, a).max(sign_extend(ty, b)) as u64,
        TypedBinary::ShiftRightArithmetic => (sign_extend(ty, a) >> (b & u64::from(ty.width() - 1))) as u64,
        TypedBinary::Less => unreachable!("done before"),
        TypedBinary::ByteSwap => a.swap_bytes() >> (64 - ty.width()) ^ b,
        TypedBinary::Carry => {
            let sum = a.wrapping_add(b) & ty.mask();
            sum.wrapping_add((sum < a).into())
        }
        TypedBinary::MultiplyHigh if ty == Type::I64 => (a >> 32).wrapping_mul(b >> 32),
        TypedBinary::MultiplyHigh => a.wrapping_mul(b) >> ty.width(),
        TypedBinary::AddSaturated => {
            let sum = a.wrapping_add(b) & ty.mask();
            if sum < a { ty.mask() } else { sum }
        }
        TypedBinary::RotateByOne | TypedBinary::RotateByHalf | TypedBinary::RotateByAll => {
            let count = op.rotation(ty).expect("a rotation");
            (a << count | a >> (ty.width() - count)) ^ b
        }
    };
    result & ty.mask()
}

/// What an empty set combines to.
fn identity(ty: Type, combine: Combine) -> u64 {
    let sign = 1u64 << (ty.width() - 1);
    if ty.is_float() {
        let infinity = match ty {
            Type::F16 => 0x7c00,
            Type::F32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        return match combine {
            Combine::SMin => infinity,
            Combine::SMax => sign | infinity,
            _ => 0,
        };
    }
    match combine {
        Combine::Add | Combine::Or | Combine::Xor | Combine::UMax => 0,
        Combine::Mul => 1,
        Combine::UMin | Combine::And => ty.mask(),
        Combine::SMin => sign - 1,
        Combine::SMax => sign,
    }
}

/// The bits that the words of some lanes combine to; programs add +0 to floats, so that no zero is negative.
pub fn combined(ty: Type, combine: Combine, words: impl Iterator<Item = u32>) -> u64 {
    let values: Vec<u64> = words.map(|word| from_word(ty, word)).collect();
    if values.is_empty() {
        return identity(ty, combine);
    }
    if ty.is_float() {
        let number = |bits: u64| match ty {
            Type::F16 => f64::from(f16_value(bits)),
            Type::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
        let numbers = values.iter().map(|&bits| number(bits));
        let result = match combine {
            Combine::SMin => numbers.fold(f64::INFINITY, f64::min),
            Combine::SMax => numbers.fold(f64::NEG_INFINITY, f64::max),
            _ => numbers.sum(),
        };
        return match ty {
            Type::F16 => f16_bits(result as i32),
            Type::F32 => u64::from((result as f32).to_bits()),
            _ => (result + 0.0).to_bits(),
        };
    }
    values.into_iter().fold(identity(ty, combine), |a, b| {
        let (signed_a, signed_b) = (sign_extend(ty, a), sign_extend(ty, b));
        let result = match combine {
            Combine::Add => a.wrapping_add(b),
            Combine::Mul => a.wrapping_mul(b),
            Combine::UMin => a.min(b),
            Combine::SMin => signed_a.min(signed_b) as u64,
            Combine::UMax => a.max(b),
            Combine::SMax => signed_a.max(signed_b) as u64,
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        };
        result & ty.mask()
    })
}
