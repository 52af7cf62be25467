//! Passes over the intermediate representation: analyses, the way from lane form to mask form, and
//! optimisations. [`pipeline`] is the list of them in order.
//!
//! Each pass is one file and starts with what it does, how, and what it keeps true. Passes are
//! deterministic, use no recursion over the program, and take time linear (or nearly) in its size.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod block_loop;
mod block_table;
pub mod branch_fold;
mod bytes;
mod computations;
pub mod constant_table;
pub mod contract;
pub mod dce;
mod divide;
mod fast_map;
pub mod grid;
pub mod gvn;
pub mod in_bounds;
pub mod lcssa;
pub mod licm;
pub mod linearize;
pub mod load_combine;
mod loop_body;
pub mod mix;
pub mod pipeline;
pub mod poll;
pub mod prune;
pub mod quad_loop;
mod rename;
pub mod rounds;
pub mod scale;
mod schedule;
mod simplify;
pub mod sink;
pub mod slots;
pub mod ssa;
pub mod suspend;
mod uniformity;
pub mod unroll;
pub mod wide_halves;

/// Why a pass gave up on a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// The private variables that need memory are too large.
    #[error("private variables need {bytes} bytes of scratch memory for one subgroup; the limit is {limit}")]
    ScratchTooLarge {
        /// Bytes needed.
        bytes: u64,
        /// [`slots::MAX_SCRATCH_BYTES`].
        limit: u64,
    },
    /// A pass made something that the verifier rejects: a mistake of the compiler.
    #[error("internal compiler error after pass {pass}: {message}")]
    Broken {
        /// Name of the pass.
        pass: &'static str,
        /// What the verifier says.
        message: String,
    },
}
