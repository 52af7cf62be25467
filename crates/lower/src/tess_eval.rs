//! The tessellation evaluation stage: a lane is a vertex that the tessellator has made.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid};
use crate::outputs::store_outputs;
use crate::patch_varyings::PatchVaryingLayout;
use crate::pointer::{SoaLocation, SoaSource, VertexPlaces};
use crate::stage::Stage;
use crate::tess_control::{field, lane_field};
use crate::value::Scalars;
use crate::varyings::{VaryingLayout, interface_of};
use crate::{Lowered, Shader};
use pyro_abi::graphics::Domain;
use pyro_abi::graphics::tessellation_offset as at;
use pyro_interface::Interface;
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, StorageClass};
use pyro_spirv::{GlobalVariable, Id};
use std::cell::OnceCell;

struct EvaluationStage<'s> {
    interface: Interface,
    inputs: &'s PatchVaryingLayout,
    /// All lanes are of one patch.
    same_patch: bool,
    source: OnceCell<SoaSource>,
}

/// Lowers a tessellation evaluation entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    lanes: u32,
    inputs: &PatchVaryingLayout,
    outputs: &VaryingLayout,
    same_patch: bool,
) -> Result<Lowered> {
    check_lanes(lanes)?;
    let model = ExecutionModel::TessellationEvaluation;
    let interface = interface_of(shader.checked, shader.entry_point, model)?;
    let entry = interface.function;
    let constants = shader.checked.constants_for(entry, 0)?;
    let stage = EvaluationStage { interface, inputs, same_patch, source: OnceCell::new() };
    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(shader.checked, entry, constants, shader.layout, &stage, &mut function)?;
    cx.sanitize_inputs(&stage.interface, &inputs.missing);
    let end = cx.make_block()?;
    cx.end = Some(end);
    cx.lower_entry_point(entry)?;
    cx.b.start(end);
    let lane = cx.b.op(Opcode::LaneId, &[]);
    let (columns, offset) = (field(&mut cx, at::EVALUATION_OUTPUTS, Scalar::I64), cx.scale(lane, 4));
    store_outputs(&mut cx, &stage.interface, outputs, 0, &mut |cx, column, value| {
        let place = MemoryOp::new(Space::Global).at((column * 4 * lanes) as i32);
        let (bits, always) = (cx.b.bitcast(value, Scalar::I32), cx.b.bool(true));
        cx.b.store(place, columns, offset, bits, always);
    })?;
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let info = cx.subgroup_info(lanes);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

impl EvaluationStage<'_> {
    /// Where the lane's patch lies.
    fn source(&self, cx: &mut Lowerer<'_, '_>) -> Result<SoaSource> {
        if let Some(known) = self.source.get() {
            return Ok(*known);
        }
        let layout = &self.inputs.layout;
        let made = cx.in_prologue(|cx| {
            let first = match self.same_patch {
                true => field(cx, at::EVALUATION_SAME_PATCH, Scalar::I32),
                false => lane_field(cx, at::EVALUATION_PATCH, Scalar::I32),
            };
            Ok(SoaSource {
                base: field(cx, at::EVALUATION_INPUTS, Scalar::I64),
                column_bytes: 4 * layout.lanes,
                first,
                vertices: VertexPlaces::Consecutive,
                vertex_count: cx.b.i32(layout.modes.output_vertices),
                space: Space::Constant,
                written: self.inputs.written,
            })
        })?;
        Ok(*self.source.get_or_init(|| made))
    }

    fn levels(&self, cx: &mut Lowerer<'_, '_>, first: u32, count: u32) -> Result<Scalars> {
        let source = self.source(cx)?;
        let always = cx.b.bool(true);
        let level = |column| {
            let memory = MemoryOp::new(source.space).at((column * source.column_bytes) as i32);
            cx.b.load(Scalar::F32, memory, source.base, source.first, always)
        };
        Ok((first..first + count).map(level).collect())
    }
}

impl Stage for EvaluationStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::TessellationEvaluation)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        let layout = &self.inputs.layout;
        Ok(Scalars::from_slice(&[match built_in {
            BuiltIn::TessCoord => {
                let u = lane_field(cx, at::EVALUATION_U, Scalar::F32);
                let v = lane_field(cx, at::EVALUATION_V, Scalar::F32);
                let w = match layout.modes.domain {
                    Domain::Triangles => {
                        let one = cx.b.f32(1.0);
                        let rest = cx.b.op(Opcode::FSub, &[one, u]);
                        cx.b.op(Opcode::FSub, &[rest, v])
                    }
                    _ => cx.b.f32(0.0),
                };
                return Ok(Scalars::from_slice(&[u, v, w]));
            }
            BuiltIn::TessLevelOuter => return self.levels(cx, layout.levels, 4),
            BuiltIn::TessLevelInner => return self.levels(cx, layout.levels + 4, 2),
            BuiltIn::PatchVertices => cx.b.i32(layout.modes.output_vertices),
            BuiltIn::PrimitiveId => lane_field(cx, at::EVALUATION_PRIMITIVE_ID, Scalar::I32),
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => self.view(cx)?,
            other => return cx.common_built_in(other),
        }]))
    }

    fn view(&self, cx: &mut Lowerer<'_, '_>) -> Result<Value> {
        Ok(field(cx, at::EVALUATION_VIEW_INDEX, Scalar::I32))
    }

    fn soa_source(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
        is_arrayed: bool,
    ) -> Result<Option<SoaSource>> {
        let is_patch = self.interface.inputs.iter().any(|found| found.variable == variable.id);
        let is_input = variable.class == StorageClass::Input && (is_arrayed || is_patch);
        Ok(if is_input { Some(self.source(cx)?) } else { None })
    }

    fn first_column(&self, variable: Id, member: Option<u32>) -> Result<SoaLocation> {
        Ok(self.inputs.first_column(&self.interface, variable, member))
    }

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>, _: u64) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}
