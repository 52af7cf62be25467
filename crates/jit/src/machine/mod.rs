//! Machine code before and after register allocation.
//!
//! Selection makes [`Inst`]s over virtual registers; [`allocate`] gives them registers, [`regalloc_regions`] region by region where there are many; [`emit`] encodes them.

pub mod allocate;
pub mod emit;
pub mod inst;
mod lane_loop;
pub mod regalloc_regions;

pub use inst::{
    Address, AddressBase, Block, Code, Helper, Inst, Kind, LaneLoop, LaneOp, NONE, Operands, Vector,
};
