//! Words that are the bytes of another word in some order, put together by shifts, masks and `or`: byte
//! swaps, rows of pixels, hashes. One shuffle of bytes does as much.
//!
//! In mask form and on all lanes only: vectors have such an instruction, and uniform values are better off as
//! they are.

use crate::simplify::Simple;
use pyro_ir::{Form, Function, Opcode, Scalar, Value};

/// How far operands are followed.
const DEPTH: u32 = 5;

/// What `shuffle_bytes` has for a byte that is zero.
const ZERO: u8 = 0x80;

/// Bytes of a word, and zeros.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    /// None: all are zero.
    source: Option<Value>,
    /// By byte: its number in the source, or [`ZERO`].
    order: [u8; 8],
}

const ALL_ZERO: Bytes = Bytes { source: None, order: [ZERO; 8] };

/// What stands for `x | y`, if it is the bytes of one word in another order.
pub(crate) fn in_another_order(function: &Function, x: Value, y: Value, scalar: Scalar) -> Option<Simple> {
    let ty = function.ty(x);
    if function.form != Form::Mask || !ty.is_varying() || !matches!(scalar, Scalar::I32 | Scalar::I64) {
        return None;
    }
    // A rotation is one operation already.
    let shifted = |value: Value| {
        let data = function.def_inst(value)?;
        matches!(data.op, Opcode::Shl | Opcode::LShr).then(|| data.args[0])
    };
    if shifted(x).is_some() && shifted(x) == shifted(y) {
        return None;
    }
    let count = scalar.bytes() as usize;
    let (x, y) = (bytes_of(function, x, count, DEPTH)?, bytes_of(function, y, count, DEPTH)?);
    let all = x.or(y)?;
    let order = &all.order[..count];
    let word =
        |byte: &dyn Fn(usize) -> u8| (0..count).fold(0u64, |word, i| word | u64::from(byte(i)) << (8 * i));
    let (op, bits) = match order.iter().enumerate().all(|(i, &byte)| byte == ZERO || usize::from(byte) == i) {
        true => (Opcode::And, word(&|i| if order[i] == ZERO { 0 } else { 0xff })),
        false => (Opcode::ShuffleBytes, word(&|i| order[i])),
    };
    Some(Simple::Op(op, vec![Simple::Value(all.source?), Simple::Const(bits)]))
}

impl Bytes {
    /// The same word's bytes in another order, of `count` bytes.
    fn map(self, count: usize, order: impl Fn(usize) -> u8) -> Bytes {
        Bytes { order: std::array::from_fn(|i| if i < count { order(i) } else { ZERO }), ..self }
    }

    /// The bytes of both; none where a byte is in both, or of two words.
    fn or(self, other: Bytes) -> Option<Bytes> {
        let is_apart = self.order.iter().zip(other.order).all(|(&a, b)| a == ZERO || b == ZERO);
        let source = match (self.source, other.source) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        let order = |i: usize| if self.order[i] == ZERO { other.order[i] } else { self.order[i] };
        is_apart.then(|| Bytes { source, order: std::array::from_fn(order) })
    }
}

/// `value` as bytes of a word: at least of itself.
fn bytes_of(function: &Function, value: Value, count: usize, depth: u32) -> Option<Bytes> {
    let itself = Bytes { source: Some(value), ..ALL_ZERO }.map(count, |i| i as u8);
    let Some(data) = function.def_inst(value).filter(|_| depth > 0) else { return Some(itself) };
    let of = |index: usize| bytes_of(function, data.args[index], count, depth - 1);
    let constant = |index: usize| function.const_bits(data.args[index]);
    let whole_bytes = |bits: u64| {
        let bytes = bits % (8 * count as u64);
        bytes.is_multiple_of(8).then_some(bytes as usize / 8)
    };
    let bytes = match data.op {
        Opcode::Splat if function.const_bits(data.args[0]) == Some(0) => Some(ALL_ZERO),
        Opcode::Shl => constant(1).and_then(whole_bytes).and_then(|by| {
            let from = of(0)?;
            Some(from.map(count, |i| if i < by { ZERO } else { from.order[i - by] }))
        }),
        Opcode::LShr => constant(1).and_then(whole_bytes).and_then(|by| {
            let from = of(0)?;
            Some(from.map(count, |i| if i + by < count { from.order[i + by] } else { ZERO }))
        }),
        Opcode::And => constant(1).and_then(|mask| {
            let mask = mask.to_le_bytes();
            let from = of(0).filter(|_| mask[..count].iter().all(|byte| matches!(byte, 0 | 0xff)))?;
            Some(from.map(count, |i| if mask[i] == 0 { ZERO } else { from.order[i] }))
        }),
        Opcode::Or => of(0).and_then(|x| x.or(of(1)?)),
        Opcode::ShuffleBytes => constant(1).and_then(|order| {
            let (from, order) = (of(0)?, order.to_le_bytes());
            Some(from.map(count, |i| match order[i] {
                number if number < ZERO => from.order[usize::from(number) % count],
                _ => ZERO,
            }))
        }),
        _ => None,
    };
    Some(bytes.unwrap_or(itself))
}
