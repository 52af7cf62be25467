//! Idioms: short patterns of operations that instruction selection turns into fewer instructions.
//!
//! Random operations seldom meet in the patterns that selection looks for, and hardly ever with the one
//! constant that a pattern wants. So each pattern is listed here, for every width that it exists in and with
//! the constants at its edges, including those just outside, which must not match. [`all`] is the list;
//! [`crate::generate()`] mixes idioms into random functions, and [`crate::generate::idiom_function`] makes
//! one function of each.

use pyro_ir::{Builder, Opcode, Scalar, Shape, Value};

/// A pattern at a width.
#[derive(Clone, Debug)]
pub struct Idiom {
    /// What the pattern computes.
    pub name: &'static str,
    /// The type of its operands.
    pub scalar: Scalar,
    /// The constants to make it with.
    pub constants: Vec<u64>,
    emit: Emit,
}

type Emit = fn(&mut Maker<'_, '_>, [Value; 3], u64) -> Value;

impl Idiom {
    /// Emits the pattern with a constant on three operands of [`Idiom::scalar`]. The result may be any scalar
    /// but `i1`.
    pub fn emit(&self, b: &mut Builder<'_>, shape: Shape, operands: [Value; 3], constant: u64) -> Value {
        (self.emit)(&mut Maker { b, shape, scalar: self.scalar }, operands, constant)
    }
}

const INTEGERS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];

/// Every idiom at every width.
#[allow(clippy::too_many_lines, reason = "a table of idioms")]
pub fn all() -> Vec<Idiom> {
    let mut all = Vec::new();
    for scalar in INTEGERS {
        let width = u64::from(scalar.bits());
        // Counts are taken modulo the width.
        let counts = vec![0, 1, 2, 7, 8, width / 2 - 1, width / 2, width - 1, width, width + 1];
        let masks: Vec<u64> =
            [0, 1, 0x0f, 0x55, 0xff, u64::MAX >> 1, u64::MAX].map(|m| m & scalar.mask()).into();
        let mut add = |name, constants: &[u64], emit: Emit| {
            all.push(Idiom { name, scalar, constants: constants.to_vec(), emit });
        };
        add("rotation", &counts, |m, [x, ..], k| m.rotation(Opcode::Or, x, x, k, 0, false));
        add("rotation, right shift first", &counts, |m, [x, ..], k| m.rotation(Opcode::Or, x, x, k, 0, true));
        add("rotation by exclusive or", &counts, |m, [x, ..], k| m.rotation(Opcode::Xor, x, x, k, 0, false));
        add("rotation by sum", &counts, |m, [x, ..], k| m.rotation(Opcode::IAdd, x, x, k, 0, false));
        add("no rotation: a bit is lost", &counts, |m, [x, ..], k| m.rotation(Opcode::Or, x, x, k, 1, false));
        add("funnel shift", &counts, |m, [x, y, _], k| m.rotation(Opcode::Or, x, y, k, 0, false));
        add("rotation of a sum", &counts, |m, [x, y, _], k| {
            let sum = m.op(Opcode::IAdd, &[x, y]);
            m.rotation(Opcode::Or, sum, sum, k, 0, false)
        });
        add("shift left", &counts, |m, [x, ..], k| m.by_constant(Opcode::Shl, x, k));
        add("shift right", &counts, |m, [x, ..], k| m.by_constant(Opcode::LShr, x, k));
        add("arithmetic shift right", &counts, |m, [x, ..], k| m.by_constant(Opcode::AShr, x, k));
        add("shift by a value", &[4, 5, 6], |m, [x, y, _], k| {
            m.op([Opcode::Shl, Opcode::LShr, Opcode::AShr][k as usize % 3], &[x, y])
        });
        add("selection of bits", &masks, |m, [x, y, _], mask| {
            let mask = m.constant(mask);
            let (first, second) = (m.op(Opcode::And, &[x, mask]), m.op(Opcode::AndNot, &[y, mask]));
            m.op(Opcode::Or, &[first, second])
        });
        add("bits under a mask, or others", &masks, |m, [x, y, _], mask| {
            let first = m.by_constant(Opcode::And, x, mask);
            m.op(Opcode::Or, &[first, y])
        });
        let pairs: Vec<u64> = (0..64).step_by(3).collect();
        add("function of three bits", &pairs, |m, operands, k| m.three_bits(operands, k));
        add("carry", &[0], |m, [x, y, _], _| {
            let sum = m.op(Opcode::IAdd, &[x, y]);
            let carry = m.op(Opcode::ULt, &[sum, x]);
            let carry = m.b.convert(Opcode::ZeroExtend, carry, m.scalar);
            m.op(Opcode::IAdd, &[sum, carry])
        });
        add("borrow", &[0], |m, [x, y, _], _| {
            let difference = m.op(Opcode::ISub, &[x, y]);
            let borrow = m.op(Opcode::ULt, &[x, y]);
            let borrow = m.b.convert(Opcode::ZeroExtend, borrow, m.scalar);
            m.op(Opcode::ISub, &[difference, borrow])
        });
        add("high half of a product", &[0, 1], |m, [x, y, _], signed| {
            m.op(if signed == 1 { Opcode::SMulHigh } else { Opcode::UMulHigh }, &[x, y])
        });
        add("product by a constant", &masks, |m, [x, ..], k| m.by_constant(Opcode::IMul, x, k));
        let divisors = [1, 2, 3, 7, 10, scalar.mask() >> 1, scalar.mask()];
        add("quotient by a constant", &divisors, |m, [x, ..], k| m.by_constant(Opcode::UDiv, x, k));
        add("saturated sum", &[0], |m, [x, y, _], _| {
            let all = m.constant(u64::MAX);
            let left = m.op(Opcode::ISub, &[all, x]);
            let least = m.op(Opcode::UMin, &[left, y]);
            m.op(Opcode::IAdd, &[x, least])
        });
        add("saturated difference", &[0], |m, [x, y, _], _| {
            let most = m.op(Opcode::UMax, &[x, y]);
            m.op(Opcode::ISub, &[most, y])
        });
        add("clamp", &masks, |m, [x, ..], limit| {
            let least = m.by_constant(Opcode::SMax, x, limit.wrapping_neg());
            m.by_constant(Opcode::SMin, least, limit)
        });
        add("counts of bits", &[0, 1, 2, 3], |m, [x, ..], which| {
            const OPS: [Opcode; 4] =
                [Opcode::PopCount, Opcode::CountLeadingZeros, Opcode::CountTrailingZeros, Opcode::BitReverse];
            m.op(OPS[which as usize], &[x])
        });
        add("bytes in reverse order", &[0], |m, operands, k| m.byte_swap(operands, k));
        let orders = [
            0x0706_0504_0302_0100,
            0x0001_0203_0405_0607,
            0x0302_0100_0302_0100,
            0x8080_8080_0706_0504,
            0x8080_8080_8080_8000,
        ];
        add("bytes in some order", &orders, |m, [x, ..], order| {
            // An order is a constant of the operand's type, and numbers bytes within it.
            let bytes = u64::from(m.scalar.bits()) / 8;
            let order = order.to_le_bytes().map(|byte| if byte < 0x80 { byte % bytes as u8 } else { byte });
            m.by_constant(Opcode::ShuffleBytes, x, u64::from_le_bytes(order))
        });
        add("choice of the greater", &[0, 1, 2, 3], |m, [x, y, z], which| {
            const OPS: [Opcode; 4] = [Opcode::ULt, Opcode::SLe, Opcode::IEq, Opcode::INe];
            let condition = m.op(OPS[which as usize], &[x, y]);
            m.op(Opcode::Select, &[condition, z, y])
        });
        add("products of bytes", &[0, 1, 2], |m, [x, y, z], which| {
            const OPS: [Opcode; 3] = [Opcode::DotFourBytes, Opcode::DotHalves, Opcode::DotBytes];
            let product = m.op(OPS[which as usize], &[x, y]);
            m.op(Opcode::IAdd, &[product, z])
        });
        add("products of bytes of one kind", &[0x8080_8080, 0x8080_8081], |m, operands, k| {
            m.bytes_of_one_kind(operands, k)
        });
    }
    for (scalar, narrower) in
        [(Scalar::I16, Scalar::I8), (Scalar::I32, Scalar::I16), (Scalar::I64, Scalar::I32)]
    {
        let width = u64::from(narrower.bits());
        let mut add = |name, constants: &[u64], emit: Emit| {
            all.push(Idiom { name, scalar, constants: constants.to_vec(), emit });
        };
        add("high half", &[width - 1, width, width + 1], |m, [x, ..], k| {
            let high = m.by_constant(Opcode::LShr, x, k);
            m.b.convert(Opcode::Truncate, high, m.half())
        });
        add("value of two halves", &[width - 1, width], |m, [x, y, _], k| {
            let [low, high] = [x, y].map(|value| {
                let half = m.b.convert(Opcode::Truncate, value, m.half());
                m.b.convert(Opcode::ZeroExtend, half, m.scalar)
            });
            let high = m.by_constant(Opcode::Shl, high, k);
            m.op(Opcode::Or, &[low, high])
        });
        add("saturated narrowing", &[narrower.mask(), narrower.mask() >> 1], |m, [x, ..], limit| {
            let least = m.by_constant(Opcode::UMin, x, limit);
            m.b.convert(Opcode::Truncate, least, m.half())
        });
        add("signs of a half", &[0, 1], |m, [x, ..], signed| {
            let half = m.b.convert(Opcode::Truncate, x, m.half());
            m.b.convert(if signed == 1 { Opcode::SignExtend } else { Opcode::ZeroExtend }, half, m.scalar)
        });
    }
    // A fraction of a random word: the count, and the exponent of the factor.
    let counts = [7_u64, 8, 9, 16, 24, 31];
    let fractions =
        counts.map(|count| [count, count + 1, 103, 127, 254].map(|exponent| count | exponent << 8));
    all.push(Idiom {
        name: "fraction",
        scalar: Scalar::I32,
        constants: fractions.concat(),
        emit: |m, operands, k| m.fraction(operands, k),
    });
    for scalar in FLOATS {
        let signs: Vec<u64> = (0..8).collect();
        all.push(Idiom {
            name: "negated product and sum",
            scalar,
            constants: signs,
            emit: |m, operands, k| m.negated_fma(operands, k),
        });
    }
    all
}

/// Emits the operations of an idiom.
struct Maker<'m, 'f> {
    b: &'m mut Builder<'f>,
    shape: Shape,
    scalar: Scalar,
}

impl Maker<'_, '_> {
    fn op(&mut self, op: Opcode, args: &[Value]) -> Value {
        self.b.op(op, args)
    }

    /// The integer type of half the width.
    fn half(&self) -> Scalar {
        match self.scalar {
            Scalar::I64 => Scalar::I32,
            Scalar::I32 => Scalar::I16,
            _ => Scalar::I8,
        }
    }

    fn constant(&mut self, bits: u64) -> Value {
        self.constant_of(self.scalar, bits)
    }

    fn constant_of(&mut self, scalar: Scalar, bits: u64) -> Value {
        let constant = self.b.constant(scalar, bits & scalar.mask());
        if self.shape == Shape::Varying { self.b.splat(constant) } else { constant }
    }

    fn by_constant(&mut self, op: Opcode, x: Value, constant: u64) -> Value {
        let constant = self.constant(constant);
        self.op(op, &[x, constant])
    }

    /// `x << k op y >> width - k - lost`.
    fn rotation(&mut self, op: Opcode, x: Value, y: Value, k: u64, lost: u64, swapped: bool) -> Value {
        let width = u64::from(self.scalar.bits());
        let left = self.by_constant(Opcode::Shl, x, k);
        let right = self.by_constant(Opcode::LShr, y, width.wrapping_sub(k).wrapping_sub(lost));
        self.op(op, &if swapped { [right, left] } else { [left, right] })
    }

    /// `(x op y) op z` or `z op (x op y)`, by the digits of `which`.
    fn three_bits(&mut self, [x, y, z]: [Value; 3], which: u64) -> Value {
        const OPS: [Opcode; 4] = [Opcode::And, Opcode::Or, Opcode::Xor, Opcode::AndNot];
        let digit = |place: u32| OPS[(which >> (2 * place) & 3) as usize];
        let inner = self.op(digit(0), &[x, y]);
        match which >> 4 & 3 {
            0 => self.op(digit(1), &[inner, z]),
            1 => self.op(digit(1), &[z, inner]),
            2 => {
                let z = self.constant(0x3c5a_96f0_0f69_a5c3);
                self.op(digit(1), &[inner, z])
            }
            _ => {
                let other = self.op(digit(2), &[z, x]);
                self.op(digit(1), &[inner, other])
            }
        }
    }

    /// Bytes in reverse order, by shifts and masks.
    fn byte_swap(&mut self, [x, ..]: [Value; 3], _: u64) -> Value {
        let width = u64::from(self.scalar.bits());
        let mut result = self.constant(0);
        for byte in (0..width).step_by(8) {
            let low = self.by_constant(Opcode::LShr, x, byte);
            let low = self.by_constant(Opcode::And, low, 0xff);
            let moved = self.by_constant(Opcode::Shl, low, width - 8 - byte);
            result = self.op(Opcode::Or, &[result, moved]);
        }
        result
    }

    /// The difference of two products of four bytes that is a product of signed or of unsigned bytes, with a
    /// bias of 0x80 for each byte; other biases give something else.
    fn bytes_of_one_kind(&mut self, [x, y, _]: [Value; 3], bias: u64) -> Value {
        let bias = self.constant(bias);
        let biased = self.op(Opcode::Xor, &[x, bias]);
        let whole = self.op(Opcode::DotFourBytes, &[biased, y]);
        let rest = self.op(Opcode::DotFourBytes, &[bias, y]);
        self.op(Opcode::ISub, &[whole, rest])
    }

    /// `float(x >> count) * 2^(exponent - 127)`.
    fn fraction(&mut self, [x, y, _]: [Value; 3], constant: u64) -> Value {
        let bits = if constant & 1 == 0 { x } else { self.op(Opcode::Xor, &[x, y]) };
        let shifted = self.by_constant(Opcode::LShr, bits, constant & 0xff);
        let number = self.b.convert(Opcode::UToF, shifted, Scalar::F32);
        let factor = self.constant_of(Scalar::F32, constant >> 8 << 23);
        self.op(Opcode::FMul, &[number, factor])
    }

    /// `±x * ±y ± z` by the bits of `signs`.
    fn negated_fma(&mut self, operands: [Value; 3], signs: u64) -> Value {
        let mut args = operands;
        for (index, arg) in args.iter_mut().enumerate() {
            if signs >> index & 1 == 1 {
                *arg = self.op(Opcode::FNeg, &[*arg]);
            }
        }
        self.op(Opcode::FFma, &args)
    }
}
