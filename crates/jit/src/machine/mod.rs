//! Machine code before and after register allocation.
//!
//! Selection makes [`Inst`]s over virtual registers; [`allocate`] gives them registers, region by region
//! ([`regalloc_regions`]) where there are many; [`emit`] encodes them. A [`Listing`] is either stage as text.

pub mod allocate;
pub mod emit;
pub(crate) mod fold_reloads;
pub mod fused;
mod half;
pub mod inst;
mod lane_access;
mod lane_loop;
mod lane_registers;
mod listing;
mod masked_move;
mod pending_atomics;
pub mod regalloc_regions;
mod run_gather;
mod split_gather;
mod stack_slots;

pub use emit::EmitError;
pub use inst::{
    Address, AddressBase, Block, Code, Helper, Inst, Kind, LaneLoop, LaneOp, LaneRegisters, NONE, Operands,
    PendingAtomics, RunGather, SplitGather, Vector,
};
pub use listing::Listing;
