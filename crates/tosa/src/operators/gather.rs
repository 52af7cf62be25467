//! `GATHER`: rows by their indices.

use super::views::MOVED;
use super::{Built, Kernel};
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

/// Rows whose indices are read from memory.
pub(super) const ROWS: [Element; 8] =
    [MOVED[1], MOVED[2], MOVED[3], MOVED[4], MOVED[5], MOVED[6], MOVED[7], MOVED[8]];

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(0, &ROWS)?;
    cx.expect_element(1, Element::I32)?;
    let [batches, rows, channels] = cx.shape::<3>(0)?;
    let [index_batches, count] = cx.shape::<2>(1)?;
    crate::error::ensure!(
        index_batches == batches,
        "indices of {index_batches} batches, the values have {batches}"
    );
    cx.expect_result(&[batches, count, channels])?;
    let row = channels * element.bytes();
    Ok(Built::kernel(Gather { rows, count, row }, &[0, 1]))
}

struct Gather {
    /// Rows of a batch of values.
    rows: usize,
    /// Indices of a batch.
    count: usize,
    /// Bytes of a row.
    row: usize,
}

impl Kernel for Gather {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let indices = inputs[1].as_chunks::<4>().0;
        divide(threads, outputs[0], self.row, 1, |first, output| {
            for (number, output) in output.chunks_mut(self.row).enumerate() {
                let at = first + number;
                let index = usize::try_from(i32::from_le_bytes(indices[at])).ok();
                match index.filter(|&index| index < self.rows) {
                    Some(index) => {
                        let row = at / self.count * self.rows + index;
                        output.copy_from_slice(&inputs[0][row * self.row..][..self.row]);
                    }
                    None => output.fill(0),
                }
            }
        });
    }
}
