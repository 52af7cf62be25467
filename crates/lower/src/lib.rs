//! Decoded SPIR-V to the intermediate representation in lane form.
//!
//! [`lower_compute`] takes one entry point with everything that it calls and gives one
//! [`pyro_ir::Function`]: what one invocation does. The module must have passed validation for the result to
//! be meaningful; a module that has not gives an error or a function that means nothing, but never a panic.
//!
//! # How things look afterwards
//! * **Values** are flat lists of scalars ([`value`]): a vector's components, a matrix's columns, a
//!   structure's members one behind the other. Booleans are `i1`.
//! * **Pointers** ([`memory::pointer`]) are resolved while lowering: a place (a slot, a bounded range of
//!   memory, a device address) and a byte offset of a constant and dynamic terms. Where a pointer goes through
//!   a phi, a select or memory, it becomes scalars: base, size and offset of the range, or the address.
//! * **Variables** of `Function` and `Private` storage, and the stage's inputs, are slots. The passes turn
//!   those into SSA values.
//! * **Calls** are inlined ([`call`]): lowering walks the callee's blocks in the place of the call.
//! * **Blocks** come in structured order ([`control`]).
//! * The **prologue**, the function's first block, holds what is the same wherever it is needed: descriptors,
//!   bounds derived from them, built-in variables, initial values of variables.
//!
//! # Where to find what
//! One file for each family of instructions, named for it; [`dispatch`] is the list of all. What belongs to
//! a stage is behind [`stage::Stage`], in a file of the stage's name ([`compute`]). [`limits`] holds every
//! limit.
#![forbid(unsafe_code)]

mod arithmetic;
mod atomic;
mod bits;
mod builtin;
mod call;
mod composite;
mod compute;
mod constant;
mod context;
mod control;
mod conversion;
mod dispatch;
mod error;
mod ext_amd;
mod ext_glsl;
mod fast_map;
mod float_mode;
mod group;
mod image;
mod limits;
mod location;
mod logic;
mod matrix;
mod memory;
mod stage;
mod types;
mod value;

pub use error::LowerError;

use pyro_abi::{KernelInfo, PipelineLayout};
use pyro_ir::Function;
use pyro_spirv::{Module, SourceLocation, Specialization};

/// A lowered entry point.
#[derive(Debug)]
pub struct Lowered {
    /// In lane form, its constructs in structured order.
    pub function: Function,
    /// Facts for the engine. Scratch and frame sizes are the passes' to find and 0 here.
    pub info: KernelInfo,
    /// The source locations that [`pyro_ir::SourceLoc`] indexes; number 0 stands for none.
    pub locations: Vec<Option<SourceLocation>>,
}

/// Lowers a compute entry point for subgroups of `lanes` lanes (4, 8, 16, 32 or 64).
///
/// # Errors
/// See [`LowerError`].
pub fn lower_compute(
    module: &Module,
    entry_point: &str,
    specialization: &Specialization,
    layout: &PipelineLayout,
    lanes: u32,
) -> Result<Lowered, LowerError> {
    compute::lower(module, entry_point, specialization, layout, lanes)
}
