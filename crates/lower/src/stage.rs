//! What differs from stage to stage.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::pointer::{Pointer, Range, SoaLocation, SoaSource};
use crate::value::Scalars;
use pyro_interface::{Interface, Variable};
use pyro_ir::Value;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel};
use pyro_spirv::{GlobalVariable, Id, Instruction, Module};

/// Where an input is interpolated, when an instruction says so.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InterpolateAt {
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
    /// Which stage it is, for instrumentation and reports; of several models of one any. None: it is one of
    /// them that are not known.
    fn model(&self) -> Option<ExecutionModel> {
        None
    }

    /// The scalars of a built-in input variable, computed in the prologue. The id is that of the variable,
    /// whose decorations may matter.
    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars>;

    /// The view that is drawn (`ViewIndex`), `i32`, in stages before rasterization.
    fn view(&self, _cx: &mut Lowerer<'_, '_>) -> Result<Value> {
        invalid("views outside of the stages before rasterization")
    }

    /// The entry point's interface, in stages that have inputs and outputs.
    fn interface(&self) -> Option<&Interface> {
        None
    }

    /// The scalars of an input variable: of its members one behind the other.
    fn user_input(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _parts: &[&Variable],
        _at: Option<InterpolateAt>,
    ) -> Result<Scalars> {
        unsupported("inputs that are not built-ins in this stage")
    }

    /// The place of an input, an output or a payload, where that lies in memory: none where it is a private
    /// variable.
    fn variable_place(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _variable: GlobalVariable<'_>,
    ) -> Result<Option<Pointer>> {
        Ok(None)
    }

    /// The first SoA column of a built-in member of a structure, among those of vertices or primitives.
    fn member_column(&self, _module: &Module, _ty: Id, _member: u32) -> Option<u32> {
        None
    }

    /// `OpSetMeshOutputsEXT`
    fn set_mesh_outputs(&self, _cx: &mut Lowerer<'_, '_>, _counts: [Value; 2]) -> Result {
        invalid("OpSetMeshOutputsEXT outside of a mesh shader")
    }

    /// `OpWritePackedPrimitiveIndices4x8NV`: four indices from this one on, a byte each.
    fn write_packed_indices(&self, _cx: &mut Lowerer<'_, '_>, _first: Value, _packed: Value) -> Result {
        invalid("OpWritePackedPrimitiveIndices4x8NV outside of a mesh shader")
    }

    /// `OpEmitMeshTasksEXT`, without the end of the invocation.
    fn emit_mesh_tasks(&self, _cx: &mut Lowerer<'_, '_>, _groups: [Value; 3]) -> Result {
        invalid("OpEmitMeshTasksEXT outside of a task shader")
    }

    /// Gives a stream a vertex of what the output variables hold now.
    fn emit_vertex(&self, _cx: &mut Lowerer<'_, '_>, _stream: u32) -> Result {
        invalid("vertices are emitted outside of a geometry shader")
    }

    /// Ends a stream's strip.
    fn end_primitive(&self, _cx: &mut Lowerer<'_, '_>, _stream: u32) -> Result {
        invalid("a primitive is ended outside of a geometry shader")
    }

    /// Where the values of an input or output lie, if in SoA columns rather than with the invocation.
    /// `is_arrayed`: it has one for each vertex.
    fn soa_source(
        &self,
        _cx: &mut Lowerer<'_, '_>,
        _variable: GlobalVariable<'_>,
        _is_arrayed: bool,
    ) -> Result<Option<SoaSource>> {
        Ok(None)
    }

    /// The first column of a variable in SoA columns, or of a member of its block.
    fn first_column(&self, _variable: Id, _member: Option<u32>) -> Result<SoaLocation> {
        invalid("SoA columns of vertices in this stage")
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

    /// What a colour attachment holds at the fragment's pixel, by fragment output location: the sample's
    /// (`i32`) colour, floats or `i32`. None where there is no attachment.
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

    /// `OpIgnoreIntersectionKHR` and `OpTerminateRayKHR`, without the end of the invocation. `is_accepted`:
    /// the latter.
    fn end_ray(&self, _cx: &mut Lowerer<'_, '_>, _is_accepted: bool) -> Result {
        invalid("an intersection is ignored, or a ray ended, outside of an any-hit shader")
    }

    /// The data of the shader record, which differs between the lanes of a subgroup.
    fn shader_record(&self, _cx: &mut Lowerer<'_, '_>) -> Result<Range> {
        unsupported("mappings to shader records outside of ray tracing")
    }

    /// Instructions that trace rays, call callable shaders and report intersections, terminators apart.
    fn lower_ray<'m>(&self, _cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        unsupported(format!("Op{:?} outside of a ray tracing stage", inst.op()))
    }

    /// Instructions on the payloads of execution graph nodes.
    fn lower_node<'m>(&self, _cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        invalid(format!("Op{:?} in a shader that is not a node of an execution graph", inst.op()))
    }

    /// A barrier at which the invocations of the workgroup wait for each other. `fence` is the immediate of
    /// its fence, for stages whose invocations share variables of workgroup memory alone.
    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, fence: u64) -> Result;
}
