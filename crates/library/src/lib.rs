//! Shader functions written once against the IR builder: GLSL.std.450, wide arithmetic, group operations.
//!
//! Every function appends straight-line instructions in lane form to the builder's current block (all values
//! varying, no new blocks) and gives the result's value. Both executors run exactly these instructions, so a
//! function's results are the same bits on every machine; `docs/PRECISION.md` lists how far they are from
//! the true ones and how many instructions each takes.
//!
//! Functions work on scalars: the front end splits composites and calls per component. Where the components
//! meet (dot products, matrices, packing), the function takes a slice. A function takes any scalar type of
//! its class unless its documentation says otherwise; operands of one call share one type.
//!
//! * [`math`]: the extended instruction set GLSL.std.450 (and AMD's small ones).
//! * [`integer`], [`float`]: SPIR-V core instructions that have no single opcode in the IR.
//! * [`group`]: subgroup and quad operations.
//! * [`derivative`]: screen-space derivatives over quads.
//! * [`Ops`]: short names for the builder's operations.
//! * [`texel`]: conversions between texels and shader values.
//! * [`workgroup`]: places of invocations in their workgroup.
#![forbid(unsafe_code)]

pub mod derivative;
pub mod float;
pub mod group;
pub mod integer;
pub mod math;
mod ops;
pub mod texel;
pub mod workgroup;

pub use ops::Ops;
