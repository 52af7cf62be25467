//! `CAST`: conversions between types of elements.

use super::block::{BLOCK, load_f32, load_i64, store_f32, store_i64};
use super::{Built, Kernel};
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

/// Whether there is such a conversion.
fn is_there(from: Element, to: Element) -> bool {
    use Element as E;
    let is_small = |element| matches!(element, E::F8E4M3 | E::F8E5M2);
    let is_plain = |element| matches!(element, E::I8 | E::I16 | E::I32);
    match (from, to) {
        (E::Bool, to) => is_plain(to),
        (from, E::Bool) => is_plain(from),
        _ if from == to => false,
        _ if is_plain(from) && is_plain(to) => true,
        _ if is_plain(from) => matches!(to, E::F16 | E::Bf16 | E::F32),
        _ if is_plain(to) => matches!(from, E::F16 | E::Bf16 | E::F32),
        _ if !from.is_float() || !to.is_float() => false,
        _ if is_small(from) => !is_small(to),
        (E::F16, E::Bf16) | (E::Bf16, E::F16) => false,
        _ => true,
    }
}

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let (from, to) = (cx.element(0), cx.result(0).element());
    if !is_there(from, to) {
        return Err(cx.no_support(0));
    }
    cx.expect_result_like(0)?;
    Ok(Built::kernel(Cast { from, to }, &[0]))
}

struct Cast {
    from: Element,
    to: Element,
}

impl Kernel for Cast {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Cast { from, to } = *self;
        divide(threads, outputs[0], to.bytes(), 1, |first, output| {
            let count = output.len() / to.bytes();
            let input = &inputs[0][first * from.bytes()..][..count * from.bytes()];
            vectorize(Blocks { from, to, input, output });
        });
    }
}

struct Blocks<'a> {
    from: Element,
    to: Element,
    input: &'a [u8],
    output: &'a mut [u8],
}

impl Vectorized for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Blocks { from, to, input, output } = self;
        let (mut floats, mut integers) = ([0.0_f32; BLOCK], [0_i64; BLOCK]);
        let (low, high) = to.signed_range();
        let blocks = output.chunks_mut(BLOCK * to.bytes()).zip(input.chunks(BLOCK * from.bytes()));
        for (output, input) in blocks {
            match (from.is_float(), to.is_float()) {
                (true, true) => {
                    load_f32(from, input, &mut floats);
                    store_f32(to, &floats, output);
                }
                (true, false) => {
                    load_f32(from, input, &mut floats);
                    for (to, &from) in integers.iter_mut().zip(&floats) {
                        // The conversion saturates; NaN becomes zero.
                        *to = (f64::from(from).round_ties_even() as i64).clamp(low, high);
                    }
                    store_i64(to, &integers, output);
                }
                (false, true) => {
                    load_i64(from, input, &mut integers);
                    for (to, &from) in floats.iter_mut().zip(&integers) {
                        *to = from as i32 as f32;
                    }
                    store_f32(to, &floats, output);
                    narrow_wide_integers(from, to, &integers, output);
                }
                (false, false) => {
                    load_i64(from, input, &mut integers);
                    store_i64(to, &integers, output);
                }
            }
        }
    }
}

/// Integers with more bits than a 32-bit float has, in types with fewer still: what is rounded twice may be
/// off, so the first rounding is to odd.
#[inline(always)]
fn narrow_wide_integers(from: Element, to: Element, integers: &[i64; BLOCK], output: &mut [u8]) {
    if from != Element::I32 || to == Element::F32 {
        return;
    }
    let mut floats = [0.0_f32; BLOCK];
    for (to, &from) in floats.iter_mut().zip(integers) {
        // Sixteen bits are enough for both types, the last of which says whether more were there.
        let magnitude = from.unsigned_abs();
        let drop = (64 - magnitude.leading_zeros()).saturating_sub(20);
        let rest = u64::from(magnitude & ((1 << drop) - 1) != 0);
        let odd = (magnitude >> drop | rest) << drop;
        *to = if from < 0 { -(odd as f32) } else { odd as f32 };
    }
    store_f32(to, &floats, output);
}
