//! `TRANSPOSE_CONV2D`: a convolution of an input with gaps between its elements.

use super::block::one;
use super::gemm::{Arithmetic, Bytes, Floats, Packed, Patches, Product, TileRow, Words};
use super::patches::{Prepared, Types, bias, check_bias, pack, types};
use super::tile_gemm::ByteTiles;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::{Element, Threads};

/// Along height or width.
#[derive(Clone, Copy)]
struct Axis {
    input: usize,
    kernel: usize,
    output: usize,
    stride: usize,
    /// Elements of the output before the first of the input, or less than none.
    pad: i64,
}

impl Axis {
    fn new(input: usize, kernel: usize, output: usize, stride: i64, pad: [i64; 2]) -> Result<Axis> {
        ensure!(stride >= 1, "a stride of {stride}");
        ensure!(pad.iter().all(|&pad| pad > -(kernel as i64)), "out_pad {pad:?} of a kernel of {kernel}");
        let wanted = (input as i64 - 1)
            .checked_mul(stride)
            .and_then(|size| size.checked_add(pad[0])?.checked_add(pad[1])?.checked_add(kernel as i64));
        ensure!(
            wanted == Some(output as i64),
            "the output has {output} elements along an axis, {wanted:?} are wanted"
        );
        Ok(Axis { input, kernel, output, stride: stride as usize, pad: pad[0] })
    }

    /// The place in the input that an element of the kernel has for an element of the output.
    #[inline(always)]
    fn place(&self, output: usize, kernel: usize) -> Option<usize> {
        let at = usize::try_from(output as i64 - self.pad - kernel as i64).ok()?;
        let place = at / self.stride;
        (at.is_multiple_of(self.stride) && place < self.input).then_some(place)
    }
}

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let (types, first) = types(cx)?;
    let [batches, input_h, input_w, channels] = cx.shape::<4>(first)?;
    let [columns, kernel_h, kernel_w, weight_channels] = cx.shape::<4>(first + 1)?;
    let [out_batches, output_h, output_w, out_channels] = cx.result_shape::<4>(0)?;
    let [top, bottom, left, right] = cx.array::<4>(0)?;
    let [stride_y, stride_x] = cx.array::<2>(1)?;
    let height = Axis::new(input_h, kernel_h, output_h, stride_y, [top, bottom])?;
    let width = Axis::new(input_w, kernel_w, output_w, stride_x, [left, right])?;
    ensure!(batches == out_batches, "{batches} batches, the output has {out_batches}");
    ensure!(channels == weight_channels, "{channels} channels, the weights have {weight_channels}");
    ensure!(columns == out_channels, "weights of {columns} channels, the output has {out_channels}");
    check_bias(cx, first + 2, columns)?;
    let sizes = Sizes { types, height, width, channels, columns };
    let reads = [first, first + 1, first + 2, first + 3, first + 4];
    Ok(match types.input {
        Element::I8 if ByteTiles::are_there() => {
            Built::kernel(TransposeConv::<ByteTiles>::new(cx, sizes, first), &reads)
        }
        Element::I8 => Built::kernel(TransposeConv::<Bytes>::new(cx, sizes, first), &reads),
        Element::I16 => Built::kernel(TransposeConv::<Words>::new(cx, sizes, first), &reads),
        _ => Built::kernel(TransposeConv::<Floats>::new(cx, sizes, first), &reads),
    })
}

#[derive(Clone, Copy)]
struct Sizes {
    types: Types,
    height: Axis,
    width: Axis,
    /// Channels of the input.
    channels: usize,
    /// Channels of the output.
    columns: usize,
}

struct TransposeConv<A: Arithmetic> {
    sizes: Sizes,
    weights: Prepared<Packed<A>>,
}

impl<A: Arithmetic> TransposeConv<A> {
    fn new(cx: &Operands<'_>, sizes: Sizes, first: usize) -> TransposeConv<A> {
        TransposeConv { sizes, weights: Prepared::new(cx, first + 1, first + 4) }
    }
}

/// The elements that each place of the output sees.
struct Seen<'a> {
    sizes: Sizes,
    bytes: &'a [u8],
    zero_point: i32,
}

impl<A: Arithmetic> Patches<A> for Seen<'_> {
    fn zero_point(&self) -> i32 {
        self.zero_point
    }

    fn fill(&self, row: usize, to: &mut TileRow<'_, A>) {
        let Sizes { types, height, width, channels, .. } = self.sizes;
        let element = types.input;
        let (x, rest) = (row % width.output, row / width.output);
        let (y, batch) = (rest % height.output, rest / height.output);
        for ky in 0..height.kernel {
            let Some(iy) = height.place(y, ky) else { continue };
            for kx in 0..width.kernel {
                let Some(ix) = width.place(x, kx) else { continue };
                let at = (batch * height.input + iy) * width.input + ix;
                let from = &self.bytes[at * channels * element.bytes()..];
                let place = (ky * width.kernel + kx) * channels;
                to.put(place, channels, (element, from), self.zero_point);
            }
        }
    }
}

impl<A: Arithmetic> Kernel for TransposeConv<A> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Sizes { types, height, width, channels, columns } = self.sizes;
        let depth = height.kernel * width.kernel * channels;
        let packed =
            self.weights.get(|| pack((types.weight, inputs[1]), inputs[4], [depth, columns], threads));
        let zero_point = one::<i32>(types.input, inputs[3]);
        let patches = Seen { sizes: self.sizes, bytes: inputs[0], zero_point };
        let bias = bias::<A::Sum>(types.output, inputs[2]);
        let product = Product { patches: &patches, packed: &packed, bias: &bias, element: types.output };
        product.run(outputs[0], 0, threads);
    }
}
