//! `SCATTER`: rows written by their indices.

use super::gather::ROWS;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(0, &ROWS)?;
    cx.expect_element(1, Element::I32)?;
    cx.expect_element(2, element)?;
    let [batches, rows, channels] = cx.shape::<3>(0)?;
    let [index_batches, count] = cx.shape::<2>(1)?;
    ensure!(index_batches == batches, "indices of {index_batches} batches, the values have {batches}");
    let input = cx.shape::<3>(2)?;
    let wanted = [batches, count, channels];
    ensure!(input == wanted, "the input has the shape {input:?}, not {wanted:?}");
    cx.expect_result(&[batches, rows, channels])?;
    Ok(Built::kernel(Scatter { rows, count, row: channels * element.bytes() }, &[0, 1, 2]))
}

struct Scatter {
    /// Rows of a batch of values.
    rows: usize,
    /// Indices of a batch.
    count: usize,
    /// Bytes of a row.
    row: usize,
}

impl Kernel for Scatter {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let indices = inputs[1].as_chunks::<4>().0;
        let batch = self.rows * self.row;
        divide(threads, outputs[0], batch, 1, |first, output| {
            for (number, output) in output.chunks_mut(batch).enumerate() {
                let at = first + number;
                output.copy_from_slice(&inputs[0][at * batch..][..batch]);
                for row in at * self.count..(at + 1) * self.count {
                    let index = usize::try_from(i32::from_le_bytes(indices[row])).ok();
                    if let Some(index) = index.filter(|&index| index < self.rows) {
                        let from = &inputs[2][row * self.row..][..self.row];
                        output[index * self.row..][..self.row].copy_from_slice(from);
                    }
                }
            }
        });
    }
}
