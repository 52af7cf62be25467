//! `PAD`: a tensor within a larger one of a constant.

use super::views::{MOVED, steps};
use super::{Built, Kernel};
use crate::Threads;
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(0, &MOVED)?;
    cx.expect_element(2, element)?;
    ensure!(cx.ty(2).count() == 1, "pad_const is {}, not one element", cx.ty(2));
    let (shape, result) = (cx.ty(0).shape(), cx.result(0));
    let padding = cx.ints(1, Some(2 * shape.len()))?;
    ensure!(result.rank() == shape.len(), "the result is {result}, the input {}", cx.ty(0));
    let mut axes = Vec::new();
    let input_steps = steps(shape);
    for (axis, &[before, after]) in padding.as_chunks::<2>().0.iter().enumerate() {
        ensure!(before >= 0 && after >= 0, "{before} and {after} elements of padding along axis {axis}");
        let size = before.checked_add(after).and_then(|padding| padding.checked_add(shape[axis].into()));
        let wanted = result.shape()[axis];
        ensure!(
            size == Some(wanted.into()),
            "{before} + {} + {after} elements along axis {axis} are not {wanted}",
            shape[axis]
        );
        axes.push(Axis {
            before: before as usize,
            size: shape[axis] as usize,
            length: wanted as usize,
            step: input_steps[axis] as usize,
        });
    }
    // Dimensions behind the last padded one are one row of it.
    let mut inner = element.bytes();
    while axes.len() > 1 && axes.last().is_some_and(|axis| axis.size == axis.length) {
        inner *= axes.pop().map_or(1, |axis| axis.size);
    }
    if axes.is_empty() {
        axes.push(Axis { before: 0, size: 1, length: 1, step: 1 });
    }
    let last = axes.len() - 1;
    let unit = axes[last].step * element.bytes();
    debug_assert_eq!(unit, inner);
    Ok(Built::kernel(Pad { axes, bytes: element.bytes(), unit: inner }, &[0, 2]))
}

/// A dimension of the output.
struct Axis {
    /// Elements of padding before the input's.
    before: usize,
    /// Elements of the input.
    size: usize,
    /// Elements of the output.
    length: usize,
    /// How far elements of the input are apart.
    step: usize,
}

struct Pad {
    /// Up to the last one that is padded.
    axes: Vec<Axis>,
    /// Of an element.
    bytes: usize,
    /// Bytes of an element of the last axis: what lies behind it is not padded.
    unit: usize,
}

impl Pad {
    /// Where the input's row lies for a row of the output, if it has one.
    fn row(&self, row: usize) -> Option<usize> {
        let (mut rest, mut place) = (row, 0);
        for axis in self.axes.iter().rev().skip(1) {
            let at = rest % axis.length;
            rest /= axis.length;
            place += at.checked_sub(axis.before).filter(|&at| at < axis.size)? * axis.step;
        }
        Some(place * self.bytes)
    }
}

impl Kernel for Pad {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let fill = |bytes: &mut [u8]| {
            for element in bytes.chunks_mut(self.bytes) {
                element.copy_from_slice(&inputs[1][..element.len()]);
            }
        };
        let Some(last) = self.axes.last() else { return };
        divide(threads, outputs[0], last.length * self.unit, 1, |first, output| {
            for (number, output) in output.chunks_mut(last.length * self.unit).enumerate() {
                let Some(from) = self.row(first + number) else {
                    fill(output);
                    continue;
                };
                let (before, rest) = output.split_at_mut(last.before * self.unit);
                let (middle, after) = rest.split_at_mut(last.size * self.unit);
                fill(before);
                middle.copy_from_slice(&inputs[0][from..from + middle.len()]);
                fill(after);
            }
        });
    }
}
