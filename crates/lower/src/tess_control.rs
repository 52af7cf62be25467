//! The tessellation control stage.
//!
//! A lane is a control point of an output patch; a subgroup holds as many patches as it has room for, side by
//! side. All that the stage gives lies in columns ([`crate::memory::soa_varyings`]), which the invocations of
//! a patch share. Since they are lanes of one subgroup, which are together at a barrier, a barrier is no more
//! than an order of memory operations.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes};
use crate::patch_varyings::PatchVaryingLayout;
use crate::pointer::{SoaLocation, SoaSource, VertexPlaces};
use crate::stage::Stage;
use crate::value::Scalars;
use crate::varyings::{VaryingLayout, interface_of};
use crate::{Lowered, Shader};
use pyro_abi::graphics::tessellation_offset as at;
use pyro_interface::Interface;
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::workgroup::divide;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, StorageClass};
use pyro_spirv::{GlobalVariable, Id};
use std::cell::OnceCell;

struct ControlStage<'s> {
    interface: Interface,
    /// Where the vertices lie that it reads.
    inputs: &'s VaryingLayout,
    /// Lanes of the subgroups that shade them.
    input_lanes: u32,
    outputs: &'s PatchVaryingLayout,
    sources: OnceCell<Sources>,
}

/// What lanes start from, from the prologue.
#[derive(Clone, Copy)]
struct Sources {
    /// `InvocationId`
    invocation: Value,
    patch_vertices: Value,
    input: SoaSource,
    output: SoaSource,
}

/// Lowers a tessellation control entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    inputs: &VaryingLayout,
    input_lanes: u32,
    outputs: &PatchVaryingLayout,
) -> Result<Lowered> {
    let lanes = outputs.layout.lanes;
    check_lanes(lanes)?;
    let model = ExecutionModel::TessellationControl;
    let interface = interface_of(shader.checked, shader.entry_point, model)?;
    let entry = interface.function;
    let constants = shader.checked.constants_for(entry, 0)?;
    let stage = ControlStage { interface, inputs, input_lanes, outputs, sources: OnceCell::new() };
    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(shader.checked, entry, constants, shader.layout, &stage, &mut function)?;
    cx.sanitize_inputs(&stage.interface, &inputs.missing);
    // Outputs that the shader never names have values too where they are initialized.
    for variable in shader.checked.globals() {
        let is_output = variable.class == StorageClass::Output && stage.interface.used.contains(&variable.id);
        if variable.initializer.is_some() && is_output {
            cx.global_variable(variable)?;
        }
    }
    if outputs.written.is_none() {
        cx.lower_entry_point(entry)?;
    } else {
        let output = stage.sources(&mut cx)?.output;
        let end = cx.make_block()?;
        cx.end = Some(end);
        cx.lower_entry_point(entry)?;
        cx.b.start(end);
        cx.sanitize_levels(entry, &output, &outputs.layout)?;
        cx.b.terminate(pyro_ir::Terminator::Return(0));
    }
    let info = cx.subgroup_info(lanes);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

/// A field of the subgroup's record, the same in all lanes.
pub(crate) fn field(cx: &mut Lowerer<'_, '_>, place: u32, scalar: Scalar) -> Value {
    let record = cx.b.arg(1);
    cx.load_context(record, place, scalar)
}

/// A lane's word of a column in the subgroup's record.
pub(crate) fn lane_field(cx: &mut Lowerer<'_, '_>, place: u32, scalar: Scalar) -> Value {
    let (record, lane) = (cx.b.arg(1), cx.b.op(Opcode::LaneId, &[]));
    let (offset, always) = (cx.scale(lane, 4), cx.b.bool(true));
    let memory = MemoryOp::new(Space::Context).speculatable().at(place as i32);
    cx.b.load(scalar, memory, record, offset, always)
}

impl ControlStage<'_> {
    fn sources(&self, cx: &mut Lowerer<'_, '_>) -> Result<Sources> {
        if let Some(known) = self.sources.get() {
            return Ok(*known);
        }
        let layout = &self.outputs.layout;
        let made = cx.in_prologue(|cx| {
            let lane = cx.b.op(Opcode::LaneId, &[]);
            let vertices = layout.modes.output_vertices;
            let (patch, invocation) = divide(&mut cx.b, lane, vertices, layout.lanes);
            let patch_vertices = field(cx, at::CONTROL_PATCH_VERTICES, Scalar::I32);
            let first_in_table = cx.b.op(Opcode::IMul, &[patch, patch_vertices]);
            let first_lane = cx.scale(patch, vertices.into());
            let vertex_count = cx.b.i32(vertices);
            let table = field(cx, at::CONTROL_VERTICES, Scalar::I64);
            let input = SoaSource {
                base: field(cx, at::CONTROL_INPUTS, Scalar::I64),
                column_bytes: 4 * self.input_lanes,
                first: cx.scale(first_in_table, 4),
                vertices: VertexPlaces::Table { table, stride: 4 },
                vertex_count: patch_vertices,
                space: Space::Constant,
                written: None,
            };
            let output = SoaSource {
                base: field(cx, at::CONTROL_OUTPUTS, Scalar::I64),
                column_bytes: 4 * layout.lanes,
                first: cx.scale(first_lane, 4),
                vertices: VertexPlaces::Consecutive,
                vertex_count,
                space: Space::Global,
                written: self.outputs.written,
            };
            cx.sanitize_patch(&output, self.outputs.layout.columns);
            Ok(Sources { invocation, patch_vertices, input, output })
        })?;
        Ok(*self.sources.get_or_init(|| made))
    }
}

impl Stage for ControlStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::TessellationControl)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        Ok(Scalars::from_slice(&[match built_in {
            BuiltIn::InvocationId => self.sources(cx)?.invocation,
            BuiltIn::PatchVertices => self.sources(cx)?.patch_vertices,
            BuiltIn::PrimitiveId => lane_field(cx, at::CONTROL_PRIMITIVE_ID, Scalar::I32),
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => {
                field(cx, at::CONTROL_VIEW_INDEX, Scalar::I32)
            }
            other => return cx.common_built_in(other),
        }]))
    }

    fn soa_source(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
        is_arrayed: bool,
    ) -> Result<Option<SoaSource>> {
        Ok(match variable.class {
            StorageClass::Output => Some(self.sources(cx)?.output),
            _ if is_arrayed => Some(self.sources(cx)?.input),
            _ => None,
        })
    }

    fn first_column(&self, variable: Id, member: Option<u32>) -> Result<SoaLocation> {
        let input = self.inputs.first_column(&self.interface, variable, member);
        Ok(input.unwrap_or_else(|| self.outputs.first_column(&self.interface, variable, member)))
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, _: u64) -> Result {
        cx.b.effect(Opcode::Fence, 0);
        Ok(())
    }
}
