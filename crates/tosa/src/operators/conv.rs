//! `CONV2D` and `CONV3D`: products of the patches around each place and the weights.

use super::block::one;
use super::gemm::{Arithmetic, Bytes, Floats, Packed, Patches, Product, TileRow, Words};
use super::patches::{Prepared, Types, bias, check_bias, pack, types};
use super::tile_gemm::ByteTiles;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result, steps};
use crate::{Element, Opcode, Threads};

/// Along an axis of space: depth, height or width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Elements of the input.
    pub(super) input: usize,
    /// Elements of the kernel.
    pub(super) kernel: usize,
    /// Elements of the output.
    pub(super) output: usize,
    pub(super) stride: usize,
    pub(super) dilation: usize,
    /// Elements of padding before the first.
    pub(super) pad: usize,
}

impl Axis {
    /// The place in the input that an element of the kernel has for an element of the output.
    #[inline(always)]
    pub(super) fn place(&self, output: usize, kernel: usize) -> Option<usize> {
        let place = (output * self.stride + kernel * self.dilation).checked_sub(self.pad)?;
        (place < self.input).then_some(place)
    }
}

/// The axes of space of a convolution, from attributes: pad, stride, dilation.
pub(super) fn axes(
    cx: &Operands<'_>,
    input: &[usize],
    kernel: &[usize],
    output: &[usize],
) -> Result<Vec<Axis>> {
    let count = input.len();
    let pad = cx.ints(0, Some(2 * count))?;
    let (stride, dilation) = (cx.ints(1, Some(count))?, cx.ints(2, Some(count))?);
    let axis = |at: usize| {
        let [before, after] = [pad[2 * at], pad[2 * at + 1]];
        ensure!(before >= 0 && after >= 0, "{before} and {after} elements of padding");
        ensure!(dilation[at] >= 1, "a dilation of {}", dilation[at]);
        let reach = (kernel[at] as i64 - 1).checked_mul(dilation[at]);
        let size = reach.and_then(|reach| {
            (input[at] as i64 - 1).checked_add(before)?.checked_add(after)?.checked_sub(reach)
        });
        ensure!(size.is_some(), "padding or dilation is too large");
        let wanted = steps(size.unwrap_or(0), stride[at])?;
        ensure!(
            wanted == output[at] as i64,
            "the output has {} elements along an axis, it shall have {wanted}",
            output[at]
        );
        Ok(Axis {
            input: input[at],
            kernel: kernel[at],
            output: output[at],
            stride: stride[at] as usize,
            dilation: dilation[at] as usize,
            pad: before as usize,
        })
    };
    (0..count).map(axis).collect()
}

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let (types, first) = types(cx)?;
    if cx.opcode == Opcode::Conv2d {
        let [n, h, w, channels] = cx.shape::<4>(first)?;
        let [columns, kernel_h, kernel_w, weight_channels] = cx.shape::<4>(first + 1)?;
        let [batches, out_h, out_w, out_channels] = cx.result_shape::<4>(0)?;
        let axes = axes(cx, &[h, w], &[kernel_h, kernel_w], &[out_h, out_w])?;
        let flat = Axis { input: 1, kernel: 1, output: 1, stride: 1, dilation: 1, pad: 0 };
        let axes = [flat, axes[0], axes[1]];
        convolution(
            cx,
            types,
            first,
            axes,
            [n, batches],
            [channels, weight_channels],
            [columns, out_channels],
        )
    } else {
        let [n, d, h, w, channels] = cx.shape::<5>(first)?;
        let [columns, kernel_d, kernel_h, kernel_w, weight_channels] = cx.shape::<5>(first + 1)?;
        let [batches, out_d, out_h, out_w, out_channels] = cx.result_shape::<5>(0)?;
        let axes = axes(cx, &[d, h, w], &[kernel_d, kernel_h, kernel_w], &[out_d, out_h, out_w])?;
        let axes = [axes[0], axes[1], axes[2]];
        convolution(
            cx,
            types,
            first,
            axes,
            [n, batches],
            [channels, weight_channels],
            [columns, out_channels],
        )
    }
}

/// A convolution whose batches, input channels and output channels are said twice.
fn convolution(
    cx: &Operands<'_>,
    types: Types,
    first: usize,
    axes: [Axis; 3],
    batches: [usize; 2],
    channels: [usize; 2],
    columns: [usize; 2],
) -> Result<Built> {
    ensure!(batches[0] == batches[1], "{} batches, the output has {}", batches[0], batches[1]);
    ensure!(channels[0] == channels[1], "{} channels, the weights have {}", channels[0], channels[1]);
    ensure!(columns[0] == columns[1], "weights of {} channels, the output has {}", columns[0], columns[1]);
    check_bias(cx, first + 2, columns[0])?;
    let sizes = Sizes { types, axes, channels: channels[0], columns: columns[0] };
    let reads = [first, first + 1, first + 2, first + 3, first + 4];
    Ok(match types.input {
        Element::I8 if ByteTiles::are_there() => {
            Built::kernel(Conv::<ByteTiles>::new(cx, sizes, first), &reads)
        }
        Element::I8 => Built::kernel(Conv::<Bytes>::new(cx, sizes, first), &reads),
        Element::I16 => Built::kernel(Conv::<Words>::new(cx, sizes, first), &reads),
        _ => Built::kernel(Conv::<Floats>::new(cx, sizes, first), &reads),
    })
}

#[derive(Clone, Copy)]
struct Sizes {
    types: Types,
    axes: [Axis; 3],
    /// Channels of the input.
    channels: usize,
    /// Channels of the output.
    columns: usize,
}

struct Conv<A: Arithmetic> {
    sizes: Sizes,
    weights: Prepared<Packed<A>>,
}

impl<A: Arithmetic> Conv<A> {
    fn new(cx: &Operands<'_>, sizes: Sizes, first: usize) -> Conv<A> {
        Conv { sizes, weights: Prepared::new(cx, first + 1, first + 4) }
    }
}

/// The patches around each place.
struct Around<'a> {
    sizes: Sizes,
    bytes: &'a [u8],
    zero_point: i32,
}

impl<A: Arithmetic> Patches<A> for Around<'_> {
    fn zero_point(&self) -> i32 {
        self.zero_point
    }

    fn fill(&self, row: usize, to: &mut TileRow<'_, A>) {
        let Sizes { types, axes: [depth, height, width], channels, .. } = self.sizes;
        let element = types.input;
        let (x, rest) = (row % width.output, row / width.output);
        let (y, rest) = (rest % height.output, rest / height.output);
        let (z, batch) = (rest % depth.output, rest / depth.output);
        for kz in 0..depth.kernel {
            let Some(iz) = depth.place(z, kz) else { continue };
            for ky in 0..height.kernel {
                let Some(iy) = height.place(y, ky) else { continue };
                let line = ((batch * depth.input + iz) * height.input + iy) * width.input;
                let first = (kz * height.kernel + ky) * width.kernel;
                let mut kx = 0;
                while kx < width.kernel {
                    let Some(ix) = width.place(x, kx) else {
                        kx += 1;
                        continue;
                    };
                    // Without dilation the elements of a line lie side by side.
                    let count = match width.dilation {
                        1 => (width.kernel - kx).min(width.input - ix),
                        _ => 1,
                    };
                    let from = &self.bytes[(line + ix) * channels * element.bytes()..];
                    to.put((first + kx) * channels, count * channels, (element, from), self.zero_point);
                    kx += count;
                }
            }
        }
    }
}

impl<A: Arithmetic> Kernel for Conv<A> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Sizes { types, axes, channels, columns } = self.sizes;
        let depth = axes.iter().map(|axis| axis.kernel).product::<usize>() * channels;
        let packed =
            self.weights.get(|| pack((types.weight, inputs[1]), inputs[4], [depth, columns], threads));
        let zero_point = one::<i32>(types.input, inputs[3]);
        let patches = Around { sizes: self.sizes, bytes: inputs[0], zero_point };
        let bias = bias::<A::Sum>(types.output, inputs[2]);
        let product = Product { patches: &patches, packed: &packed, bias: &bias, element: types.output };
        product.run(outputs[0], 0, threads);
    }
}
