//! Exact identities: what a pure operation can be replaced by without changing any result.
//!
//! Rules for `gvn`, which applies them until none fits. Each result is a value, a constant, or an operation
//! (with operands that may be new operations themselves) that is cheaper, or opens the way for other rules.
//! Integers wrap, so they may be reassociated; floats only get rules that hold for every operand, signed
//! zeros and infinities included (the payload of NaNs is unspecified).

use pyro_ir::{Function, InstData, Opcode, Scalar, Value};

/// What stands for an operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Simple {
    /// A value that is there.
    Value(Value),
    /// Constant bits of the result's type.
    Const(u64),
    /// Constant bits of another type, for all lanes if the result is: an operand of a comparison.
    Other(Scalar, u64),
    /// An operation that gives the result's type.
    Op(Opcode, Vec<Simple>),
    /// The same for all lanes; what is inside is uniform. Mask form.
    Splat(Box<Simple>),
}

use Simple::{Const, Op};

/// What stands for a pure operation whose result has the scalar type `result`.
/// Nested operations and constants have that type too.
pub(crate) fn simplify(
    function: &Function,
    op: Opcode,
    args: &[Value],
    imm: u64,
    result: Scalar,
) -> Option<Simple> {
    use Opcode as O;
    let x = args.first().copied();
    let operation = Operation { function, op, args, imm, result, x, y: args.get(1).copied() };
    match op {
        O::IAdd | O::ISub | O::IMul | O::UDiv | O::URem | O::SDiv | O::SRem => operation.arithmetic(),
        O::UMin | O::UMax | O::SMin | O::SMax => operation.arithmetic(),
        O::Shl | O::LShr | O::AShr => shift(function, op, x?, operation.y?, result),
        O::And | O::Or | O::Xor | O::AndNot | O::Not => operation.bitwise(),
        O::IEq | O::INe | O::ULt | O::ULe | O::SLt | O::SLe => operation.comparison(),
        O::Select => select(function, args, result),
        O::FNeg | O::FAbs | O::FAdd | O::FSub | O::FMul | O::FDiv | O::FFma => operation.float(),
        O::Bitcast | O::Truncate | O::ZeroExtend | O::SignExtend | O::FConvert | O::UToF => {
            operation.conversion()
        }
        // The operand is the same for all lanes.
        O::Any | O::LaneRead | O::Shuffle => {
            let inner = function.def_inst(x?).filter(|inner| inner.op == O::Splat)?;
            Some(Simple::Value(if op == O::Shuffle { x? } else { inner.args[0] }))
        }
        _ => None,
    }
}

/// Of a divisor `overflows || other ? 1 : d` of a signed division of `x`, where `overflows` is
/// `x == MIN && d == -1`: `other`, 1 and `d`. A division that overflows gives what one by 1 does, and
/// compilers that do not rely on it make divisors that lanes do not share.
fn chosen_divisor(function: &Function, x: Value, divisor: Value) -> Option<(Value, Value, Value)> {
    let choice = function.def_inst(divisor).filter(|data| data.op == Opcode::Select)?;
    let &[condition, one, d] = choice.args.as_slice() else { return None };
    let least = 1 << (function.ty(x).scalar.bits() - 1);
    let is_equal = |value: Value, to: Value, bits: u64| {
        let data = function.def_inst(value).filter(|data| data.op == Opcode::IEq);
        data.is_some_and(|data| data.args[0] == to && function.const_bits(data.args[1]) == Some(bits))
    };
    let all = function.ty(x).scalar.mask();
    let overflows = |value: Value| {
        let both = function.def_inst(value).filter(|data| data.op == Opcode::And);
        both.is_some_and(|both| {
            let (a, b) = (both.args[0], both.args[1]);
            is_equal(a, x, least) && is_equal(b, d, all) || is_equal(b, x, least) && is_equal(a, d, all)
        })
    };
    let either = function.def_inst(condition).filter(|data| data.op == Opcode::Or)?;
    let other = match (overflows(either.args[0]), overflows(either.args[1])) {
        (true, _) => either.args[1],
        (_, true) => either.args[0],
        _ => return None,
    };
    (function.const_bits(one) == Some(1)).then_some((other, one, d))
}

/// The product of a quotient with its divisor, where that is as in [`chosen_divisor`]: that of what stands
/// for it in the quotient. The product of -1 with the least integer is what that by 1 is.
fn multiple(function: &Function, quotient: Value, divisor: Value) -> Option<Simple> {
    let division = function.def_inst(quotient).filter(|data| data.op == Opcode::SDiv)?;
    let (other, one, d) = chosen_divisor(function, division.args[0], divisor)?;
    let by = function.def_inst(division.args[1]).filter(|data| data.op == Opcode::Select)?;
    (by.args.as_slice() == [other, one, d])
        .then(|| Op(Opcode::IMul, vec![Simple::Value(quotient), Simple::Value(division.args[1])]))
}

/// A pure operation that something simpler may stand for.
struct Operation<'f> {
    function: &'f Function,
    op: Opcode,
    args: &'f [Value],
    imm: u64,
    /// The type of the result.
    result: Scalar,
    /// The first two operands, where there are as many.
    x: Option<Value>,
    y: Option<Value>,
}

/// A value that is there.
fn value(value: Option<Value>) -> Option<Simple> {
    value.map(Simple::Value)
}

impl Operation<'_> {
    /// The bits of a constant operand.
    fn bits(&self, index: usize) -> Option<u64> {
        self.args.get(index).and_then(|&arg| self.function.const_bits(arg))
    }

    /// Whether the first two operands are one value.
    fn is_same(&self) -> bool {
        self.y.is_some() && self.x == self.y
    }

    /// The type of the first operand.
    fn source(&self) -> Scalar {
        self.x.map_or(self.result, |x| self.function.ty(x).scalar)
    }

    /// Integer arithmetic.
    fn arithmetic(&self) -> Option<Simple> {
        use Opcode as O;
        let Operation { function, op, args, result, x, y, .. } = *self;
        let bits = |index| self.bits(index);
        let all = result.mask();
        match op {
            O::IAdd if bits(1) == Some(0) => value(x),
            O::IAdd => bits(1)
                .and_then(|c| reassociate(function, O::IAdd, x?, c, all, u64::wrapping_add))
                .or_else(|| cancel(function, x?, y?))
                .or_else(|| rejoin(function, x?, y?, all))
                .or_else(|| gather_uniform(function, x?, y?)),
            O::ISub => match (bits(0), bits(1)) {
                (_, Some(c)) => Some(Op(O::IAdd, vec![value(x)?, Const(c.wrapping_neg() & all)])),
                _ if self.is_same() => Some(Const(0)),
                _ => unbiased_product(function, x?, y?),
            },
            O::IMul => match bits(1) {
                Some(0) => Some(Const(0)),
                Some(1) => value(x),
                Some(c) if c == all => Some(Op(O::ISub, vec![Const(0), value(x)?])),
                Some(c) if c.is_power_of_two() => {
                    Some(Op(O::Shl, vec![value(x)?, Const(c.trailing_zeros().into())]))
                }
                Some(c) => reassociate(function, O::IMul, x?, c, all, u64::wrapping_mul)
                    .or_else(|| distribute(function, op, x?, y?)),
                None => distribute(function, op, x?, y?)
                    .or_else(|| distribute(function, op, y?, x?))
                    .or_else(|| multiple(function, x?, y?))
                    .or_else(|| multiple(function, y?, x?)),
            },
            // Of numbers that are not negative the unsigned one needs no correction.
            O::SDiv | O::SRem
                if bits(1).is_some_and(|c| c <= all >> 1)
                    && greatest(function, args[0], BITS_DEPTH) <= all >> 1 =>
            {
                let op = if op == O::SDiv { O::UDiv } else { O::URem };
                Some(Op(op, vec![value(x)?, value(y)?]))
            }
            O::SDiv | O::SRem if bits(1).is_none() => {
                let (condition, one, divisor) = chosen_divisor(function, x?, y?)?;
                let chosen = Op(O::Select, [condition, one, divisor].map(Simple::Value).into());
                Some(Op(op, vec![value(x)?, chosen]))
            }
            O::UDiv | O::URem | O::SDiv | O::SRem => crate::divide::by_constant(op, x?, bits(1)?, result),
            O::UMin | O::UMax | O::SMin | O::SMax if self.is_same() => value(x),
            O::UMin if bits(1) == Some(0) => Some(Const(0)),
            O::UMin if bits(1).is_some_and(|c| greatest(function, args[0], BITS_DEPTH) <= c) => value(x),
            O::UMax if bits(1) == Some(0) => value(x),
            O::UMax if bits(1) == Some(all) => Some(Const(all)),
            _ => None,
        }
    }

    /// Operations on bits and masks.
    fn bitwise(&self) -> Option<Simple> {
        use Opcode as O;
        let Operation { function, op, args, result, x, y, .. } = *self;
        let bits = |index| self.bits(index);
        let all = result.mask();
        match op {
            O::And => match bits(1) {
                _ if self.is_same() => value(x),
                Some(0) => Some(Const(0)),
                Some(c) if c == all => value(x),
                // Bits that are never set, or never cleared.
                Some(c) if possible_bits(function, x?, BITS_DEPTH) & c == 0 => Some(Const(0)),
                Some(c) if possible_bits(function, x?, BITS_DEPTH) & !c == 0 => value(x),
                Some(_) if disjoint_sum(function, x?).is_some() => apart(function, O::And, x?, bits(1)?),
                Some(c) if aligned_sum(function, x?, !c & all).is_some() => clear_uniform(function, x?, c),
                Some(c) => reassociate(function, O::And, x?, c, all, |a, b| a & b),
                None => not_of(function, y?)
                    .map(|inner| Op(O::AndNot, vec![Simple::Value(args[0]), inner]))
                    .or_else(|| {
                        not_of(function, args[0])
                            .map(|inner| Op(O::AndNot, vec![Simple::Value(args[1]), inner]))
                    }),
            },
            O::Or => match bits(1) {
                _ if self.is_same() => value(x),
                Some(0) => value(x),
                Some(c) if c == all => Some(Const(all)),
                Some(c) => reassociate(function, O::Or, x?, c, all, |a, b| a | b),
                None => crate::byte_shuffle::in_another_order(function, x?, y?, result),
            },
            O::Xor => match bits(1) {
                _ if self.is_same() => Some(Const(0)),
                Some(0) => value(x),
                Some(c) if c == all => Some(Op(O::Not, vec![value(x)?])),
                Some(c) => reassociate(function, O::Xor, x?, c, all, |a, b| a ^ b),
                None => None,
            },
            O::AndNot => match (bits(0), bits(1)) {
                _ if self.is_same() => Some(Const(0)),
                (Some(0), _) => Some(Const(0)),
                (Some(c), _) if c == all => Some(Op(O::Not, vec![value(y)?])),
                (_, Some(c)) if c == all => Some(Const(0)),
                (_, Some(0)) => value(x),
                (_, Some(c)) => Some(Op(O::And, vec![value(x)?, Const(!c & all)])),
                _ => not_of(function, y?).map(|inner| Op(O::And, vec![Simple::Value(args[0]), inner])),
            },
            O::Not => inverted(function.def_inst(x?)?),
            _ => None,
        }
    }

    /// Comparisons of integers.
    fn comparison(&self) -> Option<Simple> {
        use Opcode as O;
        let Operation { function, op, args, x, .. } = *self;
        let bits = |index| self.bits(index);
        match op {
            O::IEq | O::ULe | O::SLe if self.is_same() => Some(Const(1)),
            O::INe | O::ULt | O::SLt if self.is_same() => Some(Const(0)),
            O::IEq | O::INe => {
                let c = bits(1)?;
                let holds = u64::from(op == O::IEq);
                if self.source() == Scalar::I1 {
                    return if c == holds { value(x) } else { Some(Op(O::Not, vec![value(x)?])) };
                }
                compare_of_choice(function, x?, |bits| u64::from(bits == c) == holds, self.source())
            }
            O::ULt if bits(1) == Some(0) => Some(Const(0)),
            O::ULe if bits(0) == Some(0) => Some(Const(1)),
            O::ULt if bits(1).is_some_and(|c| greatest(function, args[0], BITS_DEPTH) < c) => Some(Const(1)),
            O::ULe if bits(1).is_some_and(|c| greatest(function, args[0], BITS_DEPTH) <= c) => Some(Const(1)),
            O::ULt if bits(0).is_some_and(|c| greatest(function, args[1], BITS_DEPTH) <= c) => Some(Const(0)),
            O::ULe if bits(0).is_some_and(|c| greatest(function, args[1], BITS_DEPTH) < c) => Some(Const(0)),
            O::ULt if let Some((value, least)) = in_range(function, args, self.source()) => {
                Some(Op(O::ULe, vec![Simple::Other(self.source(), least), Simple::Value(value)]))
            }
            _ => None,
        }
    }

    /// Operations on floats.
    fn float(&self) -> Option<Simple> {
        use Opcode as O;
        let Operation { function, op, args, result, x, y, .. } = *self;
        let bits = |index| self.bits(index);
        match op {
            O::FNeg => {
                let inner = function.def_inst(x?)?;
                (inner.op == O::FNeg).then(|| Simple::Value(inner.args[0]))
            }
            O::FAbs => {
                let inner = function.def_inst(x?)?;
                match inner.op {
                    O::FAbs => value(x),
                    O::FNeg => Some(Op(O::FAbs, vec![Simple::Value(inner.args[0])])),
                    _ => None,
                }
            }
            O::FMul | O::FDiv if bits(1) == Some(one(result)?) => value(x),
            O::FMul | O::FDiv | O::FFma if negated(function, x?).is_some() => {
                let x = negated(function, x?)?;
                // Two signs cancel, and a constant takes one.
                let y = match bits(1) {
                    Some(c) => Const(c ^ 1 << (result.bits() - 1)),
                    None => Simple::Value(negated(function, y?)?),
                };
                let rest = args[2..].iter().map(|&arg| Simple::Value(arg));
                Some(Op(op, [Simple::Value(x), y].into_iter().chain(rest).collect()))
            }
            O::FDiv => {
                let reciprocal = exact_reciprocal(bits(1)?, result)?;
                Some(Op(O::FMul, vec![value(x)?, Const(reciprocal)]))
            }
            // x + -0 and x - +0 are x for every x; with the other zero, -0 would change.
            O::FAdd if bits(1) == Some(1 << (result.bits() - 1)) => value(x),
            O::FSub if bits(1) == Some(0) => value(x),
            O::FAdd => match (negated(function, x?), negated(function, y?)) {
                (_, Some(y)) => Some(Op(O::FSub, vec![value(x)?, Simple::Value(y)])),
                (Some(x), None) => Some(Op(O::FSub, vec![value(y)?, Simple::Value(x)])),
                (None, None) => None,
            },
            O::FSub => Some(Op(O::FAdd, vec![value(x)?, Simple::Value(negated(function, y?)?)])),
            _ => None,
        }
    }

    /// Conversions.
    fn conversion(&self) -> Option<Simple> {
        use Opcode as O;
        let Operation { function, op, imm, result, x, .. } = *self;
        match op {
            O::Bitcast => {
                if self.source() == result {
                    return value(x);
                }
                let inner = function.def_inst(x?)?;
                (inner.op == O::Bitcast).then(|| Op(O::Bitcast, vec![Simple::Value(inner.args[0])]))
            }
            O::Truncate => {
                let inner = function.def_inst(x?)?;
                let source = inner.args.first().map(|&arg| function.ty(arg).scalar);
                match inner.op {
                    O::ZeroExtend | O::SignExtend if source == Some(result) => {
                        Some(Simple::Value(inner.args[0]))
                    }
                    O::Truncate => Some(Op(O::Truncate, vec![Simple::Value(inner.args[0])])),
                    _ => None,
                }
            }
            O::ZeroExtend | O::SignExtend => {
                let inner = function.def_inst(x?)?;
                match inner.op {
                    // Already non-negative after zeros were filled in.
                    O::ZeroExtend => Some(Op(O::ZeroExtend, vec![Simple::Value(inner.args[0])])),
                    O::SignExtend if op == O::SignExtend => {
                        Some(Op(O::SignExtend, vec![Simple::Value(inner.args[0])]))
                    }
                    // The low half of a word: there and back would be two moves across a register.
                    O::Truncate
                        if op == O::ZeroExtend
                            && self.source() == Scalar::I16
                            && function.ty(inner.args[0]).scalar == result =>
                    {
                        Some(Op(O::And, vec![Simple::Value(inner.args[0]), Const(Scalar::I16.mask())]))
                    }
                    _ => None,
                }
            }
            // A number that was short already, and so has no sign.
            O::UToF => {
                let word = function.def_inst(x?).filter(|inner| inner.op == O::Truncate)?.args[0];
                let is_short = function.ty(word).scalar == Scalar::I32
                    && possible_bits(function, word, BITS_DEPTH) & !self.source().mask() == 0;
                is_short.then(|| Op(O::SToF, vec![Simple::Value(word)]))
            }
            O::FConvert if self.source() == result && imm == 0 => value(x),
            _ => None,
        }
    }
}

/// What stands for `not` of the result of an operation.
fn inverted(inner: &InstData) -> Option<Simple> {
    use Opcode as O;
    let operand = |index: usize| Simple::Value(inner.args[index]);
    let inverse = |op| Some(Op(op, vec![operand(0), operand(1)]));
    let swapped = |op| Some(Op(op, vec![operand(1), operand(0)]));
    match inner.op {
        O::Not => Some(operand(0)),
        O::IEq => inverse(O::INe),
        O::INe => inverse(O::IEq),
        O::FEq => inverse(O::FNe),
        O::FNe => inverse(O::FEq),
        O::ULt => swapped(O::ULe),
        O::ULe => swapped(O::ULt),
        O::SLt => swapped(O::SLe),
        O::SLe => swapped(O::SLt),
        _ => None,
    }
}

/// What `value` is the negative of.
fn negated(function: &Function, value: Value) -> Option<Value> {
    let inner = function.def_inst(value)?;
    (inner.op == Opcode::FNeg).then(|| inner.args[0])
}

/// `op(op(x, a), b)` as `op(x, a op b)`.
fn reassociate(
    function: &Function,
    op: Opcode,
    x: Value,
    c: u64,
    all: u64,
    combine: impl Fn(u64, u64) -> u64,
) -> Option<Simple> {
    let inner = function.def_inst(x)?;
    if inner.op != op {
        return None;
    }
    let before = function.const_bits(inner.args[1])?;
    Some(Op(op, vec![Simple::Value(inner.args[0]), Const(combine(before, c) & all)]))
}

/// What stands for a shift of `x` by a constant.
fn shift(function: &Function, op: Opcode, x: Value, by: Value, result: Scalar) -> Option<Simple> {
    use Opcode as O;
    let all = result.mask();
    let width = u64::from(result.bits());
    let c = function.const_bits(by)? % width;
    if c == 0 {
        return Some(Simple::Value(x));
    }
    // There and back clears bits.
    if let Some(inner) = function.def_inst(x)
        && matches!((inner.op, op), (O::Shl, O::LShr) | (O::LShr, O::Shl))
        && function.const_bits(inner.args[1]) == Some(c)
    {
        let mask = if op == O::LShr { all >> c } else { all << c & all };
        return Some(Op(O::And, vec![Simple::Value(inner.args[0]), Const(mask)]));
    }
    // Upper bits that were cleared are shifted out.
    if op == O::Shl
        && let Some(inner) = function.def_inst(x).filter(|inner| inner.op == O::And)
        && function.const_bits(inner.args[1]).is_some_and(|kept| (!kept & all) << c & all == 0)
    {
        return Some(Op(O::Shl, vec![Simple::Value(inner.args[0]), Const(c)]));
    }
    if op == O::LShr && greatest(function, x, BITS_DEPTH) >> c == 0 {
        return Some(Const(0));
    }
    // Shifts one after the other; past the width only where the result is plain.
    if let Some(inner) = function.def_inst(x)
        && inner.op == op
        && let Some(before) = function.const_bits(inner.args[1])
    {
        let sum = before % width + c;
        let inner = Simple::Value(inner.args[0]);
        return Some(match op {
            _ if sum < width => Op(op, vec![inner, Const(sum)]),
            O::AShr => Op(op, vec![inner, Const(width - 1)]),
            _ => Const(0),
        });
    }
    match op {
        O::Shl => shift_sum(function, x, by, c),
        O::LShr => apart(function, op, x, c).or_else(|| shifted_constant(function, x, c)),
        _ => None,
    }
}

/// `dot(a ^ bias, b) - dot(bias, b)`, the product of signed bytes, where one factor's bytes have no sign: the
/// product of bytes without and with sign that processors have. The bias is the sign of each byte.
fn unbiased_product(function: &Function, x: Value, y: Value) -> Option<Simple> {
    const SIGNS: u64 = 0x8080_8080;
    let product = |value: Value| function.def_inst(value).filter(|data| data.op == Opcode::DotFourBytes);
    let (whole, rest) = (product(x)?, product(y)?);
    let biased = function.def_inst(whole.args[0]).filter(|data| data.op == Opcode::Xor)?;
    let is_bias = |value: Value| function.const_bits(value) == Some(SIGNS);
    if !is_bias(rest.args[0]) || !is_bias(biased.args[1]) || whole.args[1] != rest.args[1] {
        return None;
    }
    let (a, b) = (biased.args[0], whole.args[1]);
    let has_signs = |value: Value| possible_bits(function, value, BITS_DEPTH) & SIGNS != 0;
    let (unsigned, signed) = match (has_signs(a), has_signs(b)) {
        (false, _) => (a, b),
        (true, false) => (b, a),
        (true, true) => return None,
    };
    Some(Op(Opcode::DotFourBytes, vec![Simple::Value(unsigned), Simple::Value(signed)]))
}

/// How far operands are followed to find out about bits and limits.
pub(crate) const BITS_DEPTH: u32 = 7;

/// The instruction that makes a value, where there is more to look at; else the greatest that it can be,
/// which is also all of its bits that can be set: leaves cost nothing.
fn inner(function: &Function, value: Value, depth: u32) -> Result<&InstData, u64> {
    let all = function.ty(value).scalar.mask();
    let data = function.def_inst(value).ok_or(all)?;
    match data.op {
        Opcode::Const => Err(data.imm & all),
        Opcode::LaneId => Err(u64::from(function.lanes) - 1),
        _ if depth == 0 => Err(all),
        _ => Ok(data),
    }
}

/// Bits of an integer that can be set; the others are zero.
pub(crate) fn possible_bits(function: &Function, value: Value, depth: u32) -> u64 {
    use Opcode as O;
    let all = function.ty(value).scalar.mask();
    let data = match inner(function, value, depth) {
        Ok(data) => data,
        Err(known) => return known,
    };
    let of = |index: usize| possible_bits(function, data.args[index], depth - 1);
    let shift = || function.const_bits(data.args[1]).map(|c| c % u64::from(function.ty(value).scalar.bits()));
    let bits = match data.op {
        O::Splat | O::ZeroExtend => of(0),
        O::And => of(0) & of(1),
        O::Or | O::Xor => of(0) | of(1),
        O::AndNot => of(0),
        O::ToSrgb => 0xff,
        O::Select => of(1) | of(2),
        O::Shl => shift().map_or(all, |c| of(0) << c),
        O::LShr => shift().map_or(all, |c| of(0) >> c),
        O::IAdd => {
            let (a, b) = (of(0), of(1));
            // No carry where the parts do not meet; else up to one bit above the greatest sum, if it fits.
            if a & b == 0 {
                a | b
            } else {
                let low = (a | b).trailing_zeros();
                below_sum(a, b).filter(|&sum| sum <= all).unwrap_or(all) >> low << low
            }
        }
        O::IMul => all << (of(0).trailing_zeros() + of(1).trailing_zeros()).min(63),
        _ => all,
    };
    bits & all
}

/// An offset as a sum of something and a constant that does not wrap.
pub(crate) fn split_offset(function: &Function, offset: Value) -> Option<(Value, u64)> {
    let data = function.def_inst(offset)?;
    if data.op != Opcode::IAdd {
        return None;
    }
    let constant = function.const_bits(data.args[1])?;
    let all = function.ty(offset).scalar.mask();
    let fits =
        greatest(function, data.args[0], BITS_DEPTH).checked_add(constant).is_some_and(|sum| sum <= all)
            || possible_bits(function, data.args[0], BITS_DEPTH) & constant == 0;
    (fits && constant != 0).then_some((data.args[0], constant))
}

/// All bits up to the highest that `a + b` can have.
fn below_sum(a: u64, b: u64) -> Option<u64> {
    let sum = a.checked_add(b)?;
    Some(u64::MAX >> sum.leading_zeros().min(63))
}

/// A limit of an integer, unsigned.
fn greatest(function: &Function, value: Value, depth: u32) -> u64 {
    use Opcode as O;
    let all = function.ty(value).scalar.mask();
    let data = match inner(function, value, depth) {
        Ok(data) => data,
        Err(known) => return known,
    };
    let of = |index: usize| greatest(function, data.args[index], depth - 1);
    let constant = |index: usize| function.const_bits(data.args[index]);
    let width = u64::from(function.ty(value).scalar.bits());
    let within = |limit: Option<u64>| limit.filter(|&limit| limit <= all).unwrap_or(all);
    let limit = match data.op {
        O::Splat | O::ZeroExtend => of(0),
        O::And => of(0).min(of(1)),
        O::UMin => of(0).min(of(1)),
        O::Select => of(1).max(of(2)),
        O::UMax => of(0).max(of(1)),
        O::IAdd => within(of(0).checked_add(of(1))),
        O::IMul => within(of(0).checked_mul(of(1))),
        O::Shl => constant(1)
            .map_or(all, |c| within(of(0).checked_mul(1u64.checked_shl((c % width) as u32).unwrap_or(0)))),
        O::LShr => constant(1).map_or(all, |c| of(0) >> (c % width)),
        O::URem => constant(1).filter(|&c| c > 0).map_or(all, |c| of(0).min(c - 1)),
        O::UDiv => constant(1).filter(|&c| c > 0).map_or(all, |c| of(0) / c),
        _ => all,
    };
    limit.min(possible_bits(function, value, depth.min(2))).min(all)
}

/// `x + (z - x)` is `z`.
fn cancel(function: &Function, x: Value, y: Value) -> Option<Simple> {
    let other = |sum: Value, difference: Value| {
        let data = function.def_inst(difference).filter(|data| data.op == Opcode::ISub)?;
        (data.args[1] == sum).then_some(Simple::Value(data.args[0]))
    };
    other(x, y).or_else(|| other(y, x))
}

/// `q * (d * s) + (x - q * d) * s` is `x * s`: a quotient and its remainder, as row and column of an array
/// whose rows are as long as the divisor. One of the two may be part of another sum.
fn rejoin(function: &Function, x: Value, y: Value, all: u64) -> Option<Simple> {
    // A factor and its constant.
    let product = |value: Value| {
        let data = function.def_inst(value)?;
        match data.op {
            Opcode::IMul => Some((data.args[0], function.const_bits(data.args[1])?)),
            Opcode::Shl => {
                let count = function.const_bits(data.args[1]).filter(|&count| count < 64)?;
                Some((data.args[0], 1 << count & all))
            }
            _ => None,
        }
    };
    let join = |row: Value, column: Value| {
        let (quotient, row_size) = product(row)?;
        let (difference, size) = product(column).unwrap_or((column, 1));
        let data = function.def_inst(difference).filter(|data| data.op == Opcode::ISub)?;
        let (other, divisor) = product(data.args[1])?;
        let fits = other == quotient && divisor.wrapping_mul(size) & all == row_size;
        fits.then(|| Op(Opcode::IMul, vec![Simple::Value(data.args[0]), Const(size)]))
    };
    let either = |a: Value, b: Value| join(a, b).or_else(|| join(b, a));
    either(x, y).or_else(|| {
        [(x, y), (y, x)].into_iter().find_map(|(sum, part)| {
            let data = function.def_inst(sum).filter(|data| data.op == Opcode::IAdd)?;
            [(0, 1), (1, 0)].into_iter().find_map(|(rest, of)| {
                let joined = either(data.args[of], part)?;
                Some(Op(Opcode::IAdd, vec![joined, Simple::Value(data.args[rest])]))
            })
        })
    })
}

/// What a `splat` gives to all lanes.
fn splat_of(function: &Function, value: Value) -> Option<Value> {
    let data = function.def_inst(value)?;
    (data.op == Opcode::Splat).then(|| data.args[0])
}

/// `value` as a sum of something varying and something uniform.
fn uniform_summand(function: &Function, value: Value) -> Option<(Value, Value)> {
    let data = function.def_inst(value)?;
    if data.op != Opcode::IAdd {
        return None;
    }
    let (a, b) = (data.args[0], data.args[1]);
    match (splat_of(function, a), splat_of(function, b)) {
        (None, Some(uniform)) => Some((a, uniform)),
        (Some(uniform), None) => Some((b, uniform)),
        _ => None,
    }
}

/// Sums with uniform parts become `varying + splat(uniform)`: addresses then show what differs from lane to
/// lane, which does not change from iteration to iteration or from access to access as the rest does.
fn gather_uniform(function: &Function, x: Value, y: Value) -> Option<Simple> {
    let v = Simple::Value;
    let splat = |part: Simple| Simple::Splat(Box::new(part));
    for (x, y) in [(x, y), (y, x)] {
        let Some((varying, uniform)) = uniform_summand(function, x) else { continue };
        return Some(match splat_of(function, y) {
            Some(other) => {
                Op(Opcode::IAdd, vec![v(varying), splat(Op(Opcode::IAdd, vec![v(uniform), v(other)]))])
            }
            None => Op(Opcode::IAdd, vec![Op(Opcode::IAdd, vec![v(varying), v(y)]), splat(v(uniform))]),
        });
    }
    None
}

/// `value` as a sum of something varying and something uniform, where `low` is a number of lowest bits that
/// the varying part leaves zero.
fn aligned_sum(function: &Function, value: Value, low: u64) -> Option<(Value, Value)> {
    let (varying, uniform) = uniform_summand(function, value)?;
    let is_low = low != 0 && low & (low + 1) == 0;
    (is_low && possible_bits(function, varying, BITS_DEPTH) & low == 0).then_some((varying, uniform))
}

/// `value` as a sum of something varying and something uniform that never have the same bits.
fn disjoint_sum(function: &Function, value: Value) -> Option<(Value, Value)> {
    let (varying, uniform) = uniform_summand(function, value)?;
    let bits = |part: Value| possible_bits(function, part, BITS_DEPTH);
    (bits(varying) & bits(uniform) == 0).then_some((varying, uniform))
}

/// A bitwise operation or a shift to the right by a constant, on the two parts of a sum that have no bits in
/// common.
fn apart(function: &Function, op: Opcode, sum: Value, by: u64) -> Option<Simple> {
    let (varying, uniform) = disjoint_sum(function, sum)?;
    let part = |value: Value| Op(op, vec![Simple::Value(value), Const(by)]);
    Some(Op(Opcode::IAdd, vec![part(varying), Simple::Splat(Box::new(part(uniform)))]))
}

/// `(a + constant) >> by`, where no bit is carried: places a constant apart then show how far.
fn shifted_constant(function: &Function, sum: Value, by: u64) -> Option<Simple> {
    let data = function.def_inst(sum).filter(|data| data.op == Opcode::IAdd)?;
    let (a, constant) = (data.args[0], function.const_bits(data.args[1])?);
    let is_apart = function.ty(sum).is_uniform() && possible_bits(function, a, BITS_DEPTH) & constant == 0;
    let shifted = Op(Opcode::LShr, vec![Simple::Value(a), Const(by)]);
    is_apart.then(|| Op(Opcode::IAdd, vec![shifted, Const(constant >> by)]))
}

/// `(varying + splat(uniform)) & mask`, of which the varying part has the bits already.
fn clear_uniform(function: &Function, sum: Value, mask: u64) -> Option<Simple> {
    let (varying, uniform) = aligned_sum(function, sum, !mask & function.ty(sum).scalar.mask())?;
    let rounded = Op(Opcode::And, vec![Simple::Value(uniform), Const(mask)]);
    Some(Op(Opcode::IAdd, vec![Simple::Value(varying), Simple::Splat(Box::new(rounded))]))
}

/// A sum shifted left by a constant `c`, which is `by`, as a sum.
fn shift_sum(function: &Function, sum: Value, by: Value, c: u64) -> Option<Simple> {
    round_uniform(function, sum, c).or_else(|| distribute(function, Opcode::Shl, sum, by))
}

/// `(varying + splat(uniform)) >> k << c`, where the varying part is a multiple of `2^k`: only the uniform
/// part is rounded down, which shows the distance of the lanes. Exact modulo the width, since `c` is at least
/// `k`.
fn round_uniform(function: &Function, shifted: Value, c: u64) -> Option<Simple> {
    let data = function.def_inst(shifted).filter(|data| data.op == Opcode::LShr)?;
    let k = function.const_bits(data.args[1]).filter(|&k| 0 < k && k < c)?;
    let (varying, uniform) = aligned_sum(function, data.args[0], (1 << k) - 1)?;
    let op = |op: Opcode, value: Simple, by: u64| Op(op, vec![value, Const(by)]);
    let rounded = op(Opcode::Shl, op(Opcode::LShr, Simple::Value(uniform), k), c);
    let lanes = op(Opcode::Shl, Simple::Value(varying), c - k);
    Some(Op(Opcode::IAdd, vec![lanes, Simple::Splat(Box::new(rounded))]))
}

/// `(varying + splat(uniform)) * splat(factor)`, or shifted left, as a sum of products.
fn distribute(function: &Function, op: Opcode, x: Value, y: Value) -> Option<Simple> {
    let v = Simple::Value;
    let factor = splat_of(function, y)?;
    let (varying, uniform) = uniform_summand(function, x)?;
    let product = Op(op, vec![v(uniform), v(factor)]);
    Some(Op(Opcode::IAdd, vec![Op(op, vec![v(varying), v(y)]), Simple::Splat(Box::new(product))]))
}

fn not_of(function: &Function, value: Value) -> Option<Simple> {
    let data = function.def_inst(value)?;
    (data.op == Opcode::Not).then(|| Simple::Value(data.args[0]))
}

/// A test of `choice`, which is one of two constants by a condition, as that condition.
fn compare_of_choice(
    function: &Function,
    choice: Value,
    test: impl Fn(u64) -> bool,
    scalar: Scalar,
) -> Option<Simple> {
    let data = function.def_inst(choice)?;
    let (condition, then, otherwise) = match data.op {
        Opcode::Select => {
            (data.args[0], function.const_bits(data.args[1])?, function.const_bits(data.args[2])?)
        }
        Opcode::ZeroExtend if function.ty(data.args[0]).scalar == Scalar::I1 => (data.args[0], 1, 0),
        Opcode::SignExtend if function.ty(data.args[0]).scalar == Scalar::I1 => {
            (data.args[0], scalar.mask(), 0)
        }
        _ => return None,
    };
    Some(match (test(then), test(otherwise)) {
        (true, true) => Const(1),
        (false, false) => Const(0),
        (true, false) => Simple::Value(condition),
        (false, true) => Op(Opcode::Not, vec![Simple::Value(condition)]),
    })
}

fn select(function: &Function, args: &[Value], result: Scalar) -> Option<Simple> {
    let &[condition, then, otherwise] = args else { return None };
    if then == otherwise {
        return Some(Simple::Value(then));
    }
    match function.const_bits(condition) {
        Some(0) => return Some(Simple::Value(otherwise)),
        Some(_) => return Some(Simple::Value(then)),
        None => {}
    }
    if let Some(inner) = not_of(function, condition) {
        return Some(Op(Opcode::Select, vec![inner, Simple::Value(otherwise), Simple::Value(then)]));
    }
    if let Some(load) = loaded_or_zero(function, condition, then, otherwise) {
        return Some(Simple::Value(load));
    }
    if result != Scalar::I1 {
        return None;
    }
    let v = Simple::Value;
    match (function.const_bits(then), function.const_bits(otherwise)) {
        (Some(1), Some(0)) => Some(v(condition)),
        (Some(0), Some(1)) => Some(Op(Opcode::Not, vec![v(condition)])),
        (Some(1), _) => Some(Op(Opcode::Or, vec![v(condition), v(otherwise)])),
        (_, Some(0)) => Some(Op(Opcode::And, vec![v(condition), v(then)])),
        (Some(0), _) => Some(Op(Opcode::AndNot, vec![v(otherwise), v(condition)])),
        _ => None,
    }
}

/// Whether `value - least < limit` says that the value is not below `least`, since no value is as large as
/// `least + limit`: an index of an array of which a part is passed over.
fn in_range(function: &Function, args: &[Value], scalar: Scalar) -> Option<(Value, u64)> {
    let limit = function.const_bits(args[1])?;
    let sum = function.def_inst(args[0]).filter(|data| data.op == Opcode::IAdd)?;
    let (value, all) = (sum.args[0], scalar.mask());
    let least = function.const_bits(sum.args[1])?.wrapping_neg() & all;
    // Below `least` the difference wraps, and is beyond the limit too.
    let end = limit.checked_add(least).filter(|&end| end != 0 && end - 1 <= all)?;
    (greatest(function, value, BITS_DEPTH) < end).then_some((value, least))
}

/// Of a choice between a load and zero the load, where it reads zero anyway if it is not chosen.
fn loaded_or_zero(function: &Function, condition: Value, then: Value, otherwise: Value) -> Option<Value> {
    let predicate = |value: Value| {
        function.def_inst(value).filter(|data| data.op == Opcode::Load).map(|data| data.args[2])
    };
    if function.const_bits(otherwise) == Some(0) {
        return (predicate(then) == Some(condition)).then_some(then);
    }
    let is_zero = function.const_bits(then) == Some(0);
    (is_zero && is_complement(function, condition, predicate(otherwise)?)).then_some(otherwise)
}

/// Whether one of two truth values is the other's complement, as comparisons show it.
fn is_complement(function: &Function, a: Value, b: Value) -> bool {
    let (Some(x), Some(y)) = (function.def_inst(a), function.def_inst(b)) else { return false };
    match (x.op, y.op) {
        (Opcode::ULt, Opcode::ULe)
        | (Opcode::ULe, Opcode::ULt)
        | (Opcode::SLt, Opcode::SLe)
        | (Opcode::SLe, Opcode::SLt) => {
            // Constants of the same bits are the same, whichever instructions they are.
            let is_same = |a: Value, b: Value| {
                let bits = function.const_bits(a);
                a == b || bits.is_some() && bits == function.const_bits(b)
            };
            is_same(x.args[0], y.args[1]) && is_same(x.args[1], y.args[0])
        }
        _ => false,
    }
}

/// The bits of 1.0.
fn one(scalar: Scalar) -> Option<u64> {
    Some(match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::F32 => 0x3f80_0000,
        Scalar::F64 => 0x3ff0_0000_0000_0000,
        _ => return None,
    })
}

/// The reciprocal of a power of two, where both are normal numbers: dividing by one and multiplying by the
/// other is then the same real number, rounded in the same way.
fn exact_reciprocal(bits: u64, scalar: Scalar) -> Option<u64> {
    let (mantissa_bits, exponent_bits) = match scalar {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        Scalar::F64 => (52, 11),
        _ => return None,
    };
    let exponent_mask = (1u64 << exponent_bits) - 1;
    let exponent = bits >> mantissa_bits & exponent_mask;
    let sign = bits & 1 << (scalar.bits() - 1);
    let bias = exponent_mask >> 1;
    if bits & ((1 << mantissa_bits) - 1) != 0 || exponent == 0 || exponent >= 2 * bias {
        return None;
    }
    Some(sign | (2 * bias - exponent) << mantissa_bits)
}
