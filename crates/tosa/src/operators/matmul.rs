//! `MATMUL`: products of matrices.

use super::block::one;
use super::gemm::{Arithmetic, Bytes, Columns, Floats, Packed, Patches, Product, TileRow, Words};
use super::tile_gemm::ByteTiles;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::{Element, Threads};
use std::marker::PhantomData;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    let pairs = [
        (E::I8, E::I32),
        (E::I16, E::I48),
        (E::F8E4M3, E::F16),
        (E::F8E5M2, E::F16),
        (E::F16, E::F16),
        (E::F16, E::F32),
        (E::Bf16, E::F32),
        (E::F32, E::F32),
    ];
    let (from, to) = cx.one_of(0, &pairs)?;
    cx.expect_element(1, from)?;
    cx.zero_point(2, from)?;
    cx.zero_point(3, from)?;
    let [batches, rows, depth] = cx.shape::<3>(0)?;
    let [other_batches, other_depth, columns] = cx.shape::<3>(1)?;
    ensure!(batches == other_batches, "{batches} matrices and {other_batches}");
    ensure!(depth == other_depth, "rows of {depth} elements and columns of {other_depth}");
    cx.expect_result(&[batches, rows, columns])?;
    let sizes = Sizes { from, to, rows, depth, columns };
    let reads = [0, 1, 2, 3];
    Ok(match from {
        E::I8 if ByteTiles::are_there() => {
            Built::kernel(MatMul::<ByteTiles> { sizes, arithmetic: PhantomData }, &reads)
        }
        E::I8 => Built::kernel(MatMul::<Bytes> { sizes, arithmetic: PhantomData }, &reads),
        E::I16 => Built::kernel(MatMul::<Words> { sizes, arithmetic: PhantomData }, &reads),
        _ => Built::kernel(MatMul::<Floats> { sizes, arithmetic: PhantomData }, &reads),
    })
}

#[derive(Clone, Copy)]
struct Sizes {
    from: Element,
    to: Element,
    rows: usize,
    depth: usize,
    columns: usize,
}

struct MatMul<A> {
    sizes: Sizes,
    arithmetic: PhantomData<A>,
}

/// The rows of a matrix.
struct Rows<'a> {
    element: Element,
    bytes: &'a [u8],
    zero_point: i32,
    depth: usize,
}

impl<A: Arithmetic> Patches<A> for Rows<'_> {
    fn zero_point(&self) -> i32 {
        self.zero_point
    }

    fn fill(&self, row: usize, to: &mut TileRow<'_, A>) {
        let from = &self.bytes[row * self.depth * self.element.bytes()..];
        to.put(0, self.depth, (self.element, from), self.zero_point);
    }
}

impl<A: Arithmetic> Kernel for MatMul<A> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Sizes { from, to, rows, depth, columns } = self.sizes;
        let [row_point, column_point] = [2, 3].map(|at| one::<i32>(from, inputs[at]));
        let batches = outputs[0].chunks_mut(rows * columns * to.bytes());
        let matrices = inputs[1].chunks(depth * columns * from.bytes());
        for (number, (output, bytes)) in batches.zip(matrices).enumerate() {
            let of =
                Columns { element: from, bytes, zero_point: column_point, depth, columns, by_column: false };
            let packed = Packed::<A>::new(&of, threads);
            let patches = Rows { element: from, bytes: inputs[0], zero_point: row_point, depth };
            let product = Product { patches: &patches, packed: &packed, bias: &[], element: to };
            product.run(output, number * rows, threads);
        }
    }
}
