//! What differs from stage to stage.

use crate::context::Lowerer;
use crate::error::Result;
use crate::value::Scalars;
use pyro_ir::Value;
use pyro_spirv::spirv::BuiltIn;

/// A stage's own part of lowering.
pub(crate) trait Stage {
    /// The scalars of a built-in input variable, computed in the prologue.
    fn built_in(&self, cx: &mut Lowerer<'_, '_>, built_in: BuiltIn) -> Result<Scalars>;

    /// Where invocations may write memory that others see; none when all may. (Helper invocations may not.)
    fn may_write(&self, _cx: &mut Lowerer<'_, '_>) -> Option<Value> {
        None
    }

    /// The place in the framebuffer that an input attachment is read at: x, y, layer, as `i32`.
    fn framebuffer_place(&self, _cx: &mut Lowerer<'_, '_>) -> Result<[Value; 3]> {
        crate::error::invalid("subpass data is for fragment shaders")
    }

    /// A barrier at which the invocations of the workgroup wait for each other.
    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>) -> Result;
}
