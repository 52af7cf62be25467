//! Passes over the intermediate representation: analyses, the way from lane form to mask form, and
//! optimisations. [`pipeline`] is the list of them in order.
//!
//! Each pass is one file and starts with what it does, how, and what it keeps true. Passes are
//! deterministic, use no recursion over the program, and take time linear (or nearly) in its size.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod barrier_elim;
pub mod barrier_loop;
pub mod barrier_order;
pub mod block_loop;
mod block_table;
pub mod bounds_check_elim;
pub mod branch_fold;
mod byte_shuffle;
pub mod constant_params;
pub mod constant_table;
pub mod contract;
pub mod coroutine_split;
pub mod dce;
mod divide;
pub mod first_subgroup;
pub mod gvn;
pub mod hoist_pow2_scale;
pub mod induction_split;
pub mod lcssa;
pub mod lerp;
pub mod licm;
mod linear_order;
pub mod linearize;
pub mod load_combine;
mod loop_body;
pub mod lower_slots;
mod node_set;
pub mod pipeline;
pub mod promote_f16;
pub mod prune;
pub mod quad_loop;
pub mod range_fold;
pub mod report_lowering;
pub mod round_twice;
pub mod safepoint;
pub mod scalar_promotion;
mod simplify;
pub mod sink;
pub mod sroa;
mod ssa_builder;
mod ssa_rename;
pub mod target;
pub mod track_lowering;
mod uniformity;
pub mod unmasked_loop;
pub mod unroll;
mod value_table;
pub mod workgroup_loop;
pub mod workgroup_unroll;

use pyro_util::budget::Spent;

/// Why a pass gave up on a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// The private variables that need memory are too large.
    #[error("private variables need {bytes} bytes of scratch memory for one subgroup; the limit is {limit}")]
    ScratchTooLarge {
        /// Bytes needed.
        bytes: u64,
        /// [`lower_slots::SCRATCH_BYTES_MAX`].
        limit: u64,
    },
    /// It takes longer than the thread's budget allows.
    #[error("{0}")]
    Budget(Spent),
    /// A pass made something that the verifier rejects: a mistake of the compiler.
    #[error("internal compiler error after pass {pass}: {message}")]
    Broken {
        /// Name of the pass.
        pass: &'static str,
        /// What the verifier says.
        message: String,
    },
}
