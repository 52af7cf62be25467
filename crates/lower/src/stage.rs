//! What differs from stage to stage.

use crate::context::Lowerer;
use crate::error::Result;
use crate::value::Scalars;
use pyro_spirv::spirv::BuiltIn;

/// A stage's own part of lowering.
pub(crate) trait Stage {
    /// The scalars of a built-in input variable, computed in the prologue.
    fn built_in(&self, cx: &mut Lowerer<'_, '_>, built_in: BuiltIn) -> Result<Scalars>;

    /// A barrier at which the invocations of the workgroup wait for each other.
    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>) -> Result;
}
