//! The geometry stage: a lane is one invocation for one input primitive. Inputs are gathered from the rows of the vertices that
//! the stage before has made; each emitted vertex's outputs go to rows of the lane's own.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid};
use crate::link::{VertexOutputs, interface_of};
use crate::outputs::{store_outputs, value_of_words};
use crate::stage::{InputPlace, Stage};
use crate::value::Scalars;
use crate::{Lowered, Shader};
use pyro_abi::KernelInfo;
use pyro_abi::graphics::{
    GeometryFacts, GeometryOutput, MAX_GEOMETRY_INVOCATIONS, MAX_GEOMETRY_VERTICES, MAX_INPUT_VERTICES,
    ROW_BYTES, VERTEX_STREAM_COUNT, geometry_offset as at,
};
use pyro_interface::{Interface, Variable};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Slot, Space, Value};
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, Op};
use pyro_spirv::{ConstantValues, GlobalVariable, Id, Instruction, Module, Type};
use std::cell::OnceCell;

/// What the engine must know of a geometry entry point.
pub(crate) fn facts(module: &Module, function: Id) -> Result<GeometryFacts> {
    let mut facts = GeometryFacts { invocations: 1, ..GeometryFacts::default() };
    let (mut output, mut max_vertices) = (None, None);
    for mode in module.execution_modes(function) {
        let operand = || mode.operands.first().copied().unwrap_or(0);
        match mode.mode {
            ExecutionMode::InputPoints => facts.input_vertices = 1,
            ExecutionMode::InputLines => facts.input_vertices = 2,
            ExecutionMode::InputLinesAdjacency => facts.input_vertices = 4,
            ExecutionMode::Triangles => facts.input_vertices = 3,
            ExecutionMode::InputTrianglesAdjacency => facts.input_vertices = 6,
            ExecutionMode::OutputPoints => output = Some(GeometryOutput::Points),
            ExecutionMode::OutputLineStrip => output = Some(GeometryOutput::LineStrip),
            ExecutionMode::OutputTriangleStrip => output = Some(GeometryOutput::TriangleStrip),
            ExecutionMode::OutputVertices => max_vertices = Some(operand()),
            ExecutionMode::Invocations => facts.invocations = operand(),
            _ => {}
        }
    }
    let (Some(output), Some(max_vertices), 1..) = (output, max_vertices, facts.input_vertices) else {
        return invalid("a geometry shader that does not say what primitives it takes and makes");
    };
    if max_vertices > MAX_GEOMETRY_VERTICES || !(1..=MAX_GEOMETRY_INVOCATIONS).contains(&facts.invocations) {
        return invalid("a geometry shader with too many vertices or invocations");
    }
    Ok(GeometryFacts { output, max_vertices, ..facts })
}

/// What lanes start from.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    record: Value,
    lane_offset: Value,
    always: Value,
    inputs: Value,
    row_bytes: Value,
    /// Byte offsets of the input vertices.
    vertices: [Value; MAX_INPUT_VERTICES],
    outputs: Value,
    strips: Value,
}

impl Geometry {
    fn begin(b: &mut Builder<'_>) -> Geometry {
        let (record, always, zero) = (b.arg(1), b.bool(true), b.i32(0));
        let (lane, two) = (b.op(Opcode::LaneId, &[]), b.i32(2));
        let lane_offset = b.op(Opcode::Shl, &[lane, two]);
        let memory = MemoryOp::new(Space::Context).speculatable();
        let mut load =
            |scalar, place: u32, offset| b.load(scalar, memory.at(place as i32), record, offset, always);
        let vertices = std::array::from_fn(|vertex| {
            load(Scalar::I32, at::VERTICES + vertex as u32 * ROW_BYTES, lane_offset)
        });
        Geometry {
            record,
            lane_offset,
            always,
            inputs: load(Scalar::I64, at::INPUTS, zero),
            row_bytes: load(Scalar::I32, at::INPUT_ROW_BYTES, zero),
            vertices,
            outputs: load(Scalar::I64, at::OUTPUTS, zero),
            strips: load(Scalar::I64, at::STRIPS, zero),
        }
    }

    /// A word of the record, the lane's own of a row.
    fn word(&self, b: &mut Builder<'_>, place: u32, is_row: bool) -> Value {
        let memory = MemoryOp::new(Space::Context).speculatable().at(place as i32);
        let offset = if is_row { self.lane_offset } else { b.i32(0) };
        b.load(Scalar::I32, memory, self.record, offset, self.always)
    }

    /// A row of an input vertex.
    fn input(&self, b: &mut Builder<'_>, vertex: usize, row: u32) -> Value {
        let row = b.i32(row);
        let row = b.op(Opcode::IMul, &[row, self.row_bytes]);
        let offset = b.op(Opcode::IAdd, &[self.vertices[vertex], row]);
        let memory = MemoryOp::new(Space::Context).speculatable();
        b.load(Scalar::I32, memory, self.inputs, offset, self.always)
    }
}

/// A geometry shader's stage.
struct GeometryStage<'s> {
    /// What the stage before gives.
    from: &'s VertexOutputs,
    outputs: &'s VertexOutputs,
    interface: Interface,
    facts: GeometryFacts,
    geometry: OnceCell<Geometry>,
    /// How many vertices were emitted; for each stream, how many of its strip.
    slots: OnceCell<(Slot, [Slot; VERTEX_STREAM_COUNT])>,
}

/// Lowers a geometry entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    lanes: u32,
    from: &VertexOutputs,
    outputs: &VertexOutputs,
) -> Result<Lowered> {
    check_lanes(lanes)?;
    let interface =
        interface_of(shader.module, shader.entry_point, ExecutionModel::Geometry, shader.specialization)?;
    let entry = interface.function;
    let facts = facts(shader.module, entry)?;
    let constants = ConstantValues::evaluate_for(shader.module, shader.specialization, entry)?;
    let (geometry, slots) = (OnceCell::new(), OnceCell::new());
    let stage = GeometryStage { from, outputs, interface, facts, geometry, slots };
    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(shader.module, entry, constants, shader.layout, &stage, &mut function);
    cx.read_float_modes(entry)?;
    let geometry = *stage.geometry.get_or_init(|| Geometry::begin(&mut cx.b));
    let mut counter = || {
        let slot = cx.b.function.add_slot(4);
        let zero = cx.b.i32(0);
        cx.b.slot_store(slot, zero, zero);
        slot
    };
    let (emitted, strips) = (counter(), std::array::from_fn(|_| counter()));
    stage.slots.get_or_init(|| (emitted, strips));
    let end = cx.make_block()?;
    cx.end = Some(end);
    cx.lower_entry_point(entry)?;
    cx.b.start(end);
    let zero = cx.b.i32(0);
    let count = cx.b.slot_load(Scalar::I32, emitted, zero);
    let memory = MemoryOp::new(Space::Global).at(at::EMITTED as i32);
    cx.b.store(memory, geometry.record, geometry.lane_offset, count, geometry.always);
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let images = cx.image.used();
    let workgroup_size = [lanes, 1, 1];
    let info = KernelInfo { subgroup_size: lanes, workgroup_size, images, ..KernelInfo::default() };
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations })
}

impl GeometryStage<'_> {
    fn geometry(&self) -> &Geometry {
        self.geometry.get().expect("made before the shader is lowered")
    }

    /// The rows of a built-in of an input vertex, as scalars of its type; what the stage before does not write is zero.
    fn vertex_built_in(
        &self,
        cx: &mut Lowerer<'_, '_>,
        built_in: BuiltIn,
        ty: Id,
        vertex: usize,
    ) -> Result<Scalars> {
        let layout = &self.from.layout;
        let one = |row: Option<u32>| (row.unwrap_or(0), u32::from(row.is_some()));
        let (first, count) = match built_in {
            BuiltIn::Position => (0, 4),
            BuiltIn::PointSize => one(layout.point_size),
            BuiltIn::ClipDistance => layout.clip_distance,
            BuiltIn::CullDistance => layout.cull_distance,
            BuiltIn::Layer => one(layout.layer),
            BuiltIn::ViewportIndex => one(layout.viewport_index),
            // As much as other built-ins have is written by no stage before.
            _ => (0, 0),
        };
        let scalars = cx.type_scalars(ty)?;
        let mut value = Scalars::new();
        for (index, &scalar) in (0..).zip(&scalars[..]) {
            value.push(if index < count && matches!(scalar, Scalar::F32 | Scalar::I32) {
                let word = self.geometry().input(&mut cx.b, vertex, first + index);
                cx.b.bitcast(word, scalar)
            } else {
                cx.b.constant(scalar, 0)
            });
        }
        Ok(value)
    }

    /// User-defined inputs of a vertex.
    fn vertex_inputs(
        &self,
        cx: &mut Lowerer<'_, '_>,
        parts: &[&Variable],
        vertex: usize,
        value: &mut Scalars,
    ) -> Result {
        for leaf in parts.iter().flat_map(|part| &part.leaves) {
            let scalar = cx.type_scalars(leaf.scalar)?.first().copied().unwrap_or(Scalar::I32);
            let mut word = leaf.location.saturating_mul(4).saturating_add(leaf.component);
            for _ in 0..leaf.count {
                value.push(value_of_words(cx, scalar, &mut |cx| {
                    let row = self.from.rows.get(&word).copied();
                    word = word.saturating_add(1);
                    match row {
                        Some(row) => self.geometry().input(&mut cx.b, vertex, row),
                        None => cx.b.i32(0),
                    }
                })?);
            }
        }
        Ok(())
    }
}

impl Stage for GeometryStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::Geometry)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        let geometry = self.geometry();
        let mut word = |place, is_row| geometry.word(&mut cx.b, place, is_row);
        Ok(smallvec::smallvec![match built_in {
            BuiltIn::PrimitiveId => word(at::PRIMITIVE_ID, true),
            BuiltIn::InvocationId => word(at::INVOCATION_ID, true),
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index =>
                word(at::VIEW_INDEX, false),
            other => return cx.common_built_in(other),
        }])
    }

    fn user_input(&self, _: &mut Lowerer<'_, '_>, _: &[&Variable], _: Option<InputPlace>) -> Result<Scalars> {
        invalid("an input of a geometry shader that is no array")
    }

    fn arrayed_input(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
        ty: Id,
    ) -> Result<Option<Scalars>> {
        let Type::Array { element, .. } = cx.module.ty(ty) else { return Ok(None) };
        let count = cx.constants.array_len(ty).unwrap_or(0);
        let mut parts: Vec<&Variable> =
            self.interface.inputs.iter().filter(|found| found.variable == variable.id).collect();
        parts.sort_by_key(|part| part.member);
        let members = match cx.module.ty(element) {
            Type::Struct { members } => members.iter().collect(),
            _ => Vec::new(),
        };
        let mut value = Scalars::new();
        for vertex in 0..count {
            // No primitive has more; arrays that say so read some vertex.
            let vertex = vertex.min(u64::from(self.facts.input_vertices) - 1) as usize;
            if let Some(built_in) = cx.module.built_in(variable.id) {
                value.extend(self.vertex_built_in(cx, built_in, element, vertex)?);
                continue;
            }
            self.vertex_inputs(cx, &parts, vertex, &mut value)?;
            for (index, &member) in (0..).zip(&members) {
                if let Some(built_in) = cx.module.member_built_in(element, index) {
                    value.extend(self.vertex_built_in(cx, built_in, member, vertex)?);
                }
            }
            if value.len() as u64 > crate::limits::VALUE_SCALAR_COUNT_MAX {
                return crate::error::limit("the inputs of a geometry shader have too many components");
            }
        }
        Ok(Some(value))
    }

    fn emit_vertex(&self, cx: &mut Lowerer<'_, '_>, stream: u32) -> Result {
        let geometry = self.geometry();
        let (emitted_slot, strips) = *self.slots.get().expect("made before the shader is lowered");
        let Some(&strip_slot) = strips.get(stream as usize) else {
            return invalid(format!("a vertex for stream {stream}"));
        };
        let (zero, one) = (cx.b.i32(0), cx.b.i32(1));
        let emitted = cx.b.slot_load(Scalar::I32, emitted_slot, zero);
        let most = cx.b.i32(self.facts.max_vertices);
        // What is emitted beyond is lost.
        let fits = cx.b.op(Opcode::ULt, &[emitted, most]);
        let (lanes, rows) = (cx.b.function.lanes, self.outputs.layout.rows.max(4));
        let block_bytes = cx.b.i32(4 * lanes * rows);
        let block = cx.b.op(Opcode::IMul, &[emitted, block_bytes]);
        let offset = cx.b.op(Opcode::IAdd, &[block, geometry.lane_offset]);
        store_outputs(cx, &self.interface, self.outputs, stream, &mut |cx, row, value| {
            let memory = MemoryOp::new(Space::Global).at((4 * lanes * row) as i32);
            let bits = cx.b.bitcast(value, Scalar::I32);
            cx.b.store(memory, geometry.outputs, offset, bits, fits);
        })?;
        let row_bytes = cx.b.i32(4 * lanes);
        let row = cx.b.op(Opcode::IMul, &[emitted, row_bytes]);
        let offset = cx.b.op(Opcode::IAdd, &[row, geometry.lane_offset]);
        let strip = cx.b.slot_load(Scalar::I32, strip_slot, zero);
        let of_stream = cx.b.i32(stream << 16);
        let word = cx.b.op(Opcode::Or, &[strip, of_stream]);
        cx.b.store(MemoryOp::new(Space::Global), geometry.strips, offset, word, fits);
        for (slot, value) in [(emitted_slot, emitted), (strip_slot, strip)] {
            let next = cx.b.op(Opcode::IAdd, &[value, one]);
            let next = cx.b.select(fits, next, value);
            cx.b.slot_store(slot, zero, next);
        }
        Ok(())
    }

    fn end_primitive(&self, cx: &mut Lowerer<'_, '_>, stream: u32) -> Result {
        let (_, strips) = self.slots.get().expect("made before the shader is lowered");
        let Some(&slot) = strips.get(stream as usize) else {
            return invalid(format!("a primitive of stream {stream}"));
        };
        let zero = cx.b.i32(0);
        cx.b.slot_store(slot, zero, zero);
        Ok(())
    }

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}

impl<'m> Lowerer<'m, '_> {
    /// `OpEmitVertex`, `OpEndPrimitive`, and those with a stream.
    pub(crate) fn lower_emission(&mut self, inst: Instruction<'m>) -> Result {
        let stage = self.stage;
        match inst.op() {
            Op::EmitVertex => stage.emit_vertex(self, 0),
            Op::EndPrimitive => stage.end_primitive(self, 0),
            Op::EmitStreamVertex => {
                let stream = self.constant_operand(inst.id(0))?;
                stage.emit_vertex(self, stream)
            }
            _ => {
                let stream = self.constant_operand(inst.id(0))?;
                stage.end_primitive(self, stream)
            }
        }
    }
}
