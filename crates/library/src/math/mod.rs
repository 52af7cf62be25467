//! The extended instruction set GLSL.std.450, one function an instruction, in the instruction's name.
//!
//! Types: `f32` functions take `f16` too (computed in `f32`, rounded once more at the end) and, beyond what
//! the instruction set allows, `f64` (computed in `f32`: these functions have no 64-bit form in SPIR-V).
//! Functions whose documentation says "any float" compute in the operand's own type.
//!
//! Special values are given with each function. Denormal operands and results are kept everywhere.

mod amd;
mod bits;
mod common;
mod exponential;
mod geometric;
mod hyperbolic;
mod matrix;
mod packing;
mod rounding;
mod split;
mod trigonometric;

pub use amd::*;
pub use bits::*;
pub use common::*;
pub use exponential::*;
pub use geometric::*;
pub use hyperbolic::*;
pub use matrix::*;
pub use packing::*;
pub use rounding::*;
pub use split::*;
pub use trigonometric::*;

use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// Computes `f` in `f32` on the operands and gives the result in their type.
fn in_f32<const N: usize>(
    b: &mut Builder,
    args: [Value; N],
    f: impl FnOnce(&mut Builder, [Value; N]) -> Value,
) -> Value {
    let scalar = b.scalar(args[0]);
    let args = args.map(|arg| b.to_float(arg, Scalar::F32));
    let result = f(b, args);
    b.to_float(result, scalar)
}
