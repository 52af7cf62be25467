//! `RESCALE`: integers multiplied, shifted with rounding, and saturated.

use super::block::{BLOCK, load_i64, one, store_i64};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    let from_types = [E::I8, E::I16, E::I32, E::I48];
    let pairs = from_types.map(|from| [E::I8, E::I16, E::I32].map(|to| (from, to)));
    let (from, to) = cx.one_of(5, pairs.as_flattened())?;
    cx.expect_result_like(5)?;
    let scale32 = cx.boolean(0)?;
    let rounding = cx.int(1)?;
    let (per_channel, input_unsigned, output_unsigned) = (cx.boolean(2)?, cx.boolean(3)?, cx.boolean(4)?);
    ensure!((1..=3).contains(&rounding), "{rounding} is no rounding_mode");
    let double_round = rounding == 3;
    ensure!(!(scale32 && from == E::I48), "48 bits with multipliers of 32 bits");
    ensure!(scale32 || !double_round, "DOUBLE_ROUND with multipliers of 16 bits");
    ensure!(!(input_unsigned && output_unsigned), "both input and output are unsigned");
    ensure!(!(input_unsigned && to == E::I32), "an unsigned input of an output of i32_t");
    ensure!(
        !(output_unsigned && matches!(from, E::I32 | E::I48)),
        "an unsigned output of an input of {from}"
    );
    ensure!(!(input_unsigned && matches!(from, E::I32 | E::I48)), "an unsigned input of {from}");
    ensure!(!(output_unsigned && to == E::I32), "an unsigned output of {to}");
    zero_point(cx, 8, from, input_unsigned)?;
    zero_point(cx, 9, to, output_unsigned)?;
    let (input, multiplier, shift) = (cx.ty(5), cx.ty(6), cx.ty(7));
    ensure!(!per_channel || input.rank() >= 1, "per_channel without a dimension");
    let channels = if per_channel { input.shape()[input.rank() - 1] as usize } else { 1 };
    cx.expect_element(6, if scale32 { E::I32 } else { E::I16 })?;
    cx.expect_element(7, E::I8)?;
    for (name, ty) in [("multiplier", multiplier), ("shift", shift)] {
        ensure!(ty.rank() == 1 && ty.count() == channels, "{name} is {ty}, not of {channels} elements");
    }
    if let Some(shifts) = cx.constant(7) {
        let bad = shifts.iter().find(|&&shift| !(2..=62).contains(&shift));
        ensure!(bad.is_none(), "a shift of {}", bad.map_or(0, |&shift| shift as i8));
    }
    let kernel = Rescale { from, to, scale32, double_round, input_unsigned, output_unsigned, channels };
    Ok(Built::kernel(kernel, &[5, 6, 7, 8, 9]))
}

/// Checks a zero point, which only integers of 8 bits, and unsigned ones of 16, may have.
fn zero_point(cx: &Operands<'_>, operand: usize, element: Element, is_unsigned: bool) -> Result<()> {
    if element != Element::I16 || !is_unsigned {
        return cx.zero_point(operand, element);
    }
    cx.expect_element(operand, element)?;
    ensure!(cx.ty(operand).count() == 1, "the zero point is {}, not one element", cx.ty(operand));
    if let Some(bytes) = cx.constant(operand) {
        let value = one::<i32>(element, bytes) & 0xffff;
        ensure!(value == 0 || value == 0x8000, "a zero point of {value}");
    }
    Ok(())
}

struct Rescale {
    from: Element,
    to: Element,
    scale32: bool,
    double_round: bool,
    input_unsigned: bool,
    output_unsigned: bool,
    /// Multipliers: one, or one for each element of the last dimension.
    channels: usize,
}

impl Kernel for Rescale {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let multiplier_element = if self.scale32 { Element::I32 } else { Element::I16 };
        let (mut multipliers, mut shifts) = (vec![0; self.channels], vec![0; self.channels]);
        load_i64(multiplier_element, inputs[1], &mut multipliers);
        load_i64(Element::I8, inputs[2], &mut shifts);
        let point = |at: usize, element, is_unsigned: bool| {
            let value = one::<i64>(element, inputs[at]);
            if is_unsigned { value & mask(element) } else { value }
        };
        let scale = |(&multiplier, &shift): (&i64, &i64)| Scale::new(multiplier, shift, self.double_round);
        let scales: Vec<Scale> = multipliers.iter().zip(&shifts).map(scale).collect();
        let points = [point(3, self.from, self.input_unsigned), point(4, self.to, self.output_unsigned)];
        // Rows of channels, or blocks where all have the same multiplier.
        let unit = if self.channels == 1 { 1 } else { self.channels };
        divide(threads, outputs[0], unit * self.to.bytes(), 2, |first, output| {
            let (first, count) = (first * unit, output.len() / self.to.bytes());
            let input = &inputs[0][first * self.from.bytes()..][..count * self.from.bytes()];
            vectorize(Blocks { kernel: self, scales: &scales, points, input, output });
        });
    }
}

/// The bits of an element.
fn mask(element: Element) -> i64 {
    if element == Element::I8 { 0xff } else { 0xffff }
}

/// How a value is scaled.
#[derive(Clone, Copy)]
struct Scale {
    multiplier: i64,
    shift: u32,
    /// What is added before the shift: to values that are not negative, and to negative ones.
    round: [i64; 2],
}

impl Scale {
    fn new(multiplier: i64, shift: i64, double_round: bool) -> Scale {
        let shift = shift.clamp(1, 62) as u32;
        let half = 1 << (shift - 1);
        let more = if double_round && shift > 31 { 1 << 30 } else { 0 };
        Scale { multiplier, shift, round: [half + more, half - more] }
    }

    /// `apply_scale_32` and `apply_scale_16`.
    #[inline(always)]
    fn apply(self, value: i64) -> i64 {
        let round = if value >= 0 { self.round[0] } else { self.round[1] };
        let result = value.wrapping_mul(self.multiplier).wrapping_add(round) >> self.shift;
        result as i32 as i64
    }
}

struct Blocks<'a> {
    kernel: &'a Rescale,
    scales: &'a [Scale],
    points: [i64; 2],
    input: &'a [u8],
    output: &'a mut [u8],
}

impl Vectorized for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Rescale { from, to, input_unsigned, output_unsigned, .. } = *self.kernel;
        let (low, high) = if output_unsigned { (0, mask(to)) } else { to.signed_range() };
        let keep = if input_unsigned { mask(from) } else { -1 };
        let [input_point, output_point] = self.points;
        let mut numbers = [0_i64; BLOCK];
        let row = if self.scales.len() == 1 { self.output.len() / to.bytes() } else { self.scales.len() };
        let rows = self.output.chunks_mut(row * to.bytes()).zip(self.input.chunks(row * from.bytes()));
        for (output, input) in rows {
            let blocks = output.chunks_mut(BLOCK * to.bytes()).zip(input.chunks(BLOCK * from.bytes()));
            for (number, (output, input)) in blocks.enumerate() {
                load_i64(from, input, &mut numbers);
                let finish = |value: i64, scale: Scale| {
                    let scaled = scale.apply((value & keep) - input_point);
                    (scaled + output_point).clamp(low, high)
                };
                if let [scale] = *self.scales {
                    for number in &mut numbers {
                        *number = finish(*number, scale);
                    }
                } else {
                    for (number, scale) in numbers.iter_mut().zip(&self.scales[number * BLOCK..]) {
                        *number = finish(*number, *scale);
                    }
                }
                store_i64(to, &numbers, output);
            }
        }
    }
}
