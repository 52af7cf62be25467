//! The function that generated code calls.
// Records and matrices are addresses of memory that generated code vouches for.
#![allow(unsafe_code)]

use crate::Tiles;
use crate::loops::{Loop, WRITTEN};
use pyro_abi::image::record;
use pyro_abi::tiles::Shape;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

pyro_abi::code_abi! {
    /// # Safety
    /// `address` is that of a call record as `pyro_abi::tiles` describes it, which nobody else accesses
    /// meanwhile; the memory of its matrices may be read.
    pub(crate) unsafe fn entry(_callable: u64, address: u64) -> u32 {
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the caller's contract.
            unsafe { run(address) }
        }));
        result.is_err().into()
    }
}

/// Runs a loop ahead, and says how many iterations.
unsafe fn run(address: u64) {
    let place = |offset: u32| (address as usize).wrapping_add(offset as usize);
    // SAFETY: the record has a header.
    let header = |offset: u32| unsafe { with_exposed_provenance::<u64>(place(offset)).read_unaligned() };
    let shape = Shape::from_words([record::IMAGE, record::SAMPLER].map(header));
    let lanes = shape.lanes;
    let column = |column: u32| place(record::column_offset(column, lanes));
    // SAFETY: the record has the columns that its shape says.
    let word = |number: u32| unsafe { with_exposed_provenance::<u32>(column(number)).read_unaligned() };
    let tell = |done: u64| {
        for lane in 0..lanes {
            let to = with_exposed_provenance_mut::<u32>(column(WRITTEN).wrapping_add(4 * lane as usize));
            // SAFETY: the column has a word for each lane.
            unsafe { to.write_unaligned(done as u32) };
        }
    };
    tell(0);
    let all = u64::MAX >> (64 - lanes.clamp(1, 64));
    // Lanes that are not here have no sums, and the others' columns may be anything.
    if header(record::ACTIVE_LANES) & all == all
        && let Some(this) = Loop::new(shape, word)
        && let Some(tiles) = Tiles::get()
    {
        let sum = |number: u32| with_exposed_provenance_mut::<i32>(column(shape.sum_column(number)));
        // SAFETY: the caller's contract, and the record has the sums.
        tell(unsafe { this.run(tiles, sum) });
    }
}
