//! What differs from stage to stage.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::value::Scalars;
use pyro_interface::{Interface, Variable};
use pyro_ir::Value;
use pyro_spirv::Id;
use pyro_spirv::spirv::BuiltIn;

/// Where an input is interpolated, when an instruction says so.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputPlace {
    /// `InterpolateAtCentroid`
    Centroid,
    /// `InterpolateAtSample`: the sample's number, `i32`.
    Sample(Value),
    /// `InterpolateAtOffset`: pixels from the centre, `f32`.
    Offset([Value; 2]),
    /// `InterpolateAtVertexAMD`: not interpolated, but as this vertex has it.
    Vertex(u32),
}

/// A stage's own part of lowering.
pub(crate) trait Stage {
    /// The scalars of a built-in input variable, computed in the prologue. The id is that of the variable, whose
    /// decorations may matter.
    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars>;

    /// The entry point's interface, in stages that have inputs and outputs.
    fn interface(&self) -> Option<&Interface> {
        None
    }

    /// The scalars of an input variable: of its members one behind the other.
    fn user_input(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _parts: &[&Variable],
        _at: Option<InputPlace>,
    ) -> Result<Scalars> {
        unsupported("inputs that are no built-ins in this stage")
    }

    /// Makes the invocation a helper.
    fn demote(&self, cx: &mut Lowerer<'_, '_>) -> Result {
        let helper = cx.b.bool(true);
        self.set_helper(cx, helper)
    }

    /// Says whether the invocation is a helper from now on, `i1`.
    fn set_helper(&self, _cx: &mut Lowerer<'_, '_>, _helper: Value) -> Result {
        invalid("discarding outside of a fragment shader")
    }

    /// Whether the invocation is a helper now, `i1`.
    fn is_helper(&self, _cx: &mut Lowerer<'_, '_>) -> Result<Value> {
        invalid("helper invocations outside of a fragment shader")
    }

    /// Where invocations may write memory that others see; none when all may. (Helper invocations may not.)
    fn may_write(&self, _cx: &mut Lowerer<'_, '_>) -> Option<Value> {
        None
    }

    /// The place in the framebuffer that an input attachment is read at: x, y, layer, as `i32`.
    fn framebuffer_place(&self, _cx: &mut Lowerer<'_, '_>) -> Result<[Value; 3]> {
        invalid("subpass data is for fragment shaders")
    }

    /// What a colour attachment holds at the fragment's pixel, by fragment output location: the sample's (`i32`) colour,
    /// floats or `i32`. None where there is no attachment.
    fn color_attachment(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _location: u32,
        _sample: Value,
    ) -> Result<Option<[Value; 4]>> {
        invalid("tile images are for fragment shaders")
    }

    /// The depth (`f32`) or stencil (`i32`) at the fragment's pixel. None where the attachment has none.
    fn depth_stencil_attachment(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _stencil: bool,
        _sample: Value,
    ) -> Result<Option<Value>> {
        invalid("tile images are for fragment shaders")
    }

    /// A barrier at which the invocations of the workgroup wait for each other.
    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>) -> Result;
}
