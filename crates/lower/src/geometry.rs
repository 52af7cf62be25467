//! The geometry stage: a lane is one invocation for one input primitive. Inputs are read from the columns of
//! the vertices that the stage before has made; each emitted vertex's outputs go to columns of the lane's
//! own.
//!
//! Shaders that pass inputs on as they are (`PassthroughNV`; specification, "Passthrough Decoration") emit
//! nothing: at their end each vertex of the input becomes one of the output, with the same words of what is
//! passed on, and outputs that are the same for all.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid};
use crate::outputs::{of_view, store_outputs};
use crate::pointer::{SoaLocation, SoaSource, VertexPlaces};
use crate::stage::Stage;
use crate::value::Scalars;
use crate::varyings::{self, VaryingLayout, interface_of};
use crate::{Lowered, Shader};
use pyro_abi::graphics::{
    COLUMN_BYTES, GEOMETRY_INVOCATIONS_MAX, GEOMETRY_VERTICES_MAX, GeometryInfo, GeometryOutput,
    VERTEX_STREAM_COUNT, geometry_offset as at,
};
use pyro_interface::Interface;
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Slot, Space, Value};
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, Op, StorageClass};
use pyro_spirv::{EntryPoint, GlobalVariable, Id, Instruction, Module, Type};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the engine must know of a geometry entry point.
pub(crate) fn info(module: &Module, entry: &EntryPoint<'_>) -> Result<GeometryInfo> {
    let mut info = GeometryInfo { invocations: 1, ..GeometryInfo::default() };
    let (mut output, mut max_vertices) = (None, None);
    for mode in module.execution_modes(entry.function) {
        let operand = || mode.operands.first().copied().unwrap_or(0);
        match mode.mode {
            ExecutionMode::InputPoints => info.input_vertices = 1,
            ExecutionMode::InputLines => info.input_vertices = 2,
            ExecutionMode::InputLinesAdjacency => info.input_vertices = 4,
            ExecutionMode::Triangles => info.input_vertices = 3,
            ExecutionMode::InputTrianglesAdjacency => info.input_vertices = 6,
            ExecutionMode::OutputPoints => output = Some(GeometryOutput::Points),
            ExecutionMode::OutputLineStrip => output = Some(GeometryOutput::LineStrip),
            ExecutionMode::OutputTriangleStrip => output = Some(GeometryOutput::TriangleStrip),
            ExecutionMode::OutputVertices => max_vertices = Some(operand()),
            ExecutionMode::Invocations => info.invocations = operand(),
            _ => {}
        }
    }
    if passes_inputs(module, entry) {
        // Primitives are those of the input, whatever else the shader says.
        output = match info.input_vertices {
            1 => Some(GeometryOutput::Points),
            2 => Some(GeometryOutput::LineStrip),
            3 => Some(GeometryOutput::TriangleStrip),
            _ => None,
        };
        max_vertices = Some(info.input_vertices);
        if info.invocations != 1 {
            return invalid("several invocations of a geometry shader that passes its inputs on");
        }
    }
    let (Some(output), Some(max_vertices), 1..) = (output, max_vertices, info.input_vertices) else {
        return invalid("a geometry shader that does not declare its input and output primitives");
    };
    if max_vertices > GEOMETRY_VERTICES_MAX || !(1..=GEOMETRY_INVOCATIONS_MAX).contains(&info.invocations) {
        return invalid("a geometry shader with too many vertices or invocations");
    }
    Ok(GeometryInfo { output, max_vertices, ..info })
}

/// Whether an input is passed on as it is.
fn passes_inputs(module: &Module, entry: &EntryPoint<'_>) -> bool {
    entry.interface.iter().any(|id| {
        let block = module.global(id).and_then(|global| global.value_type).map(|ty| module.strip_arrays(ty));
        let member_count = match block.map(|block| module.ty(block)) {
            Some(Type::Struct { members }) => members.len() as u32,
            _ => 0,
        };
        let mut members = (0..member_count).map(Some);
        varyings::is_passed(module, id, None) || members.any(|member| varyings::is_passed(module, id, member))
    })
}

/// What lanes start from.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    record: Value,
    lane_offset: Value,
    always: Value,
    inputs: SoaSource,
    outputs: Value,
    strips: Value,
}

impl Geometry {
    /// `input_lanes`: lanes of the subgroups that the input's vertices lie in.
    fn begin(b: &mut Builder<'_>, input_lanes: u32, info: &GeometryInfo) -> Geometry {
        let (record, always, zero) = (b.arg(1), b.bool(true), b.i32(0));
        let (lane, two) = (b.op(Opcode::LaneId, &[]), b.i32(2));
        let lane_offset = b.op(Opcode::Shl, &[lane, two]);
        let memory = MemoryOp::new(Space::Context).speculatable();
        let mut address = |place: u32| b.load(Scalar::I64, memory.at(place as i32), record, zero, always);
        let (base, outputs, strips) = (address(at::INPUTS), address(at::OUTPUTS), address(at::STRIPS));
        let vertices = b.i32(at::VERTICES);
        let inputs = SoaSource {
            base,
            column_bytes: 4 * input_lanes,
            first: b.op(Opcode::IAdd, &[lane_offset, vertices]),
            vertices: VertexPlaces::Table { table: record, stride: COLUMN_BYTES },
            vertex_count: b.i32(info.input_vertices),
            space: Space::Constant,
            written: None,
        };
        Geometry { record, lane_offset, always, inputs, outputs, strips }
    }

    /// A word of the record, the lane's own of a column.
    fn word(&self, b: &mut Builder<'_>, place: u32, is_column: bool) -> Value {
        let memory = MemoryOp::new(Space::Context).speculatable().at(place as i32);
        let offset = if is_column { self.lane_offset } else { b.i32(0) };
        b.load(Scalar::I32, memory, self.record, offset, self.always)
    }
}

/// A geometry shader's stage.
struct GeometryStage<'s> {
    /// What the stage before gives.
    from: &'s VaryingLayout,
    outputs: &'s VaryingLayout,
    module: &'s Module,
    interface: Interface,
    info: GeometryInfo,
    /// It passes inputs on, and emits nothing.
    passes: bool,
    geometry: OnceCell<Geometry>,
    /// How many vertices were emitted; for each stream, how many of its strip.
    slots: OnceCell<(Slot, [Slot; VERTEX_STREAM_COUNT])>,
}

/// Lowers a geometry entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    lanes: u32,
    (from, input_lanes): (&VaryingLayout, u32),
    outputs: &VaryingLayout,
) -> Result<Lowered> {
    check_lanes(lanes)?;
    let interface = interface_of(shader.checked, shader.entry_point, ExecutionModel::Geometry)?;
    let entry = interface.function;
    let Some(point) = shader.checked.entry_point(shader.entry_point, ExecutionModel::Geometry) else {
        return invalid(format!("no geometry entry point is named \"{}\"", shader.entry_point));
    };
    let (info, passes) = (info(shader.checked, &point)?, passes_inputs(shader.checked, &point));
    let constants = shader.checked.constants_for(entry, 0)?;
    let (geometry, slots) = (OnceCell::new(), OnceCell::new());
    let module = shader.checked;
    let stage = GeometryStage { from, outputs, module, interface, info, passes, geometry, slots };
    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(shader.checked, entry, constants, shader.layout, &stage, &mut function)?;
    cx.sanitize_inputs(&stage.interface, &stage.from.missing);
    let geometry = *stage.geometry.get_or_init(|| Geometry::begin(&mut cx.b, input_lanes, &info));
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
    let count = match passes {
        true => {
            stage.pass_inputs(&mut cx)?;
            cx.b.i32(info.max_vertices)
        }
        false => cx.b.slot_load(Scalar::I32, emitted, zero),
    };
    let memory = MemoryOp::new(Space::Global).at(at::EMITTED as i32);
    cx.b.store(memory, geometry.record, geometry.lane_offset, count, geometry.always);
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let info = cx.subgroup_info(lanes);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

impl GeometryStage<'_> {
    fn geometry(&self) -> &Geometry {
        self.geometry.get().expect("made before the shader is lowered")
    }

    /// The end of a shader that passes inputs on: the input's vertices become those of the output.
    fn pass_inputs(&self, cx: &mut Lowerer<'_, '_>) -> Result {
        let geometry = *self.geometry();
        let mut words = BTreeMap::new();
        store_outputs(cx, &self.interface, self.outputs, 0, &mut |cx, column, value| {
            words.insert(column, cx.b.bitcast(value, Scalar::I32));
        })?;
        let (to, from) = (&self.outputs.layout, &self.from.layout);
        let mut passed = BTreeMap::new();
        for found in
            self.interface.built_ins.iter().filter(|found| self.is_passed(found.variable, found.member))
        {
            let Some((first, count)) = varyings::built_in_columns(to, found.built_in) else { continue };
            let (source, source_count) = varyings::built_in_columns(from, found.built_in).unwrap_or((0, 0));
            for column in 0..count {
                passed.insert(first + column, (column < source_count).then_some(source + column));
            }
        }
        for input in self.interface.inputs.iter().filter(|found| self.is_passed(found.variable, found.member))
        {
            for word in varyings::words(input) {
                if let Some(&column) = self.outputs.columns.get(&word) {
                    passed.insert(column, self.from.columns.get(&word).copied());
                }
            }
        }
        let per_view = self.interface.built_in(BuiltIn::PositionPerViewNV, StorageClass::Input);
        let per_view = per_view.filter(|found| self.is_passed(found.variable, found.member));
        let positions = per_view.and_then(|_| varyings::built_in_columns(from, BuiltIn::PositionPerViewNV));
        let (lanes, columns) = (cx.b.function.lanes, to.columns.max(4));
        let one = cx.b.f32(1.0);
        let one = cx.b.bitcast(one, Scalar::I32);
        for vertex in 0..self.info.input_vertices {
            let store = |cx: &mut Lowerer<'_, '_>, base, column: u32, value| {
                let memory = MemoryOp::new(Space::Global).at((4 * lanes * column) as i32);
                cx.b.store(memory, base, geometry.lane_offset, value, geometry.always);
            };
            let position = match positions {
                Some((first, count)) => {
                    let mut load = |columns: Range<u32>| -> Scalars {
                        columns.map(|column| cx.vertex_word(&geometry.inputs, vertex, column)).collect()
                    };
                    let (plain, per_view) = (load(0..4), load(first..first + count));
                    of_view(cx, &plain, &per_view, 4)?
                }
                None => Scalars::new(),
            };
            let all: BTreeSet<u32> = words.keys().chain(passed.keys()).copied().collect();
            for column in all {
                let value = match passed.get(&column) {
                    _ if (column as usize) < position.len() => position[column as usize],
                    Some(&Some(source)) => cx.vertex_word(&geometry.inputs, vertex, source),
                    // What nobody writes is zero, but points have a size.
                    Some(None) if Some(column) == to.point_size => one,
                    Some(None) => cx.b.i32(0),
                    None => words[&column],
                };
                store(cx, geometry.outputs, vertex * columns + column, value);
            }
            let place = cx.b.i32(vertex);
            store(cx, geometry.strips, vertex, place);
        }
        Ok(())
    }

    fn is_passed(&self, variable: Id, member: Option<u32>) -> bool {
        varyings::is_passed(self.module, variable, member)
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
        let mut word = |place, is_column| geometry.word(&mut cx.b, place, is_column);
        Ok(smallvec::smallvec![match built_in {
            BuiltIn::PrimitiveId => word(at::PRIMITIVE_ID, true),
            BuiltIn::InvocationId => word(at::INVOCATION_ID, true),
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => self.view(cx)?,
            other => return cx.common_built_in(other),
        }])
    }

    fn view(&self, cx: &mut Lowerer<'_, '_>) -> Result<Value> {
        Ok(self.geometry().word(&mut cx.b, at::VIEW_INDEX, false))
    }

    fn soa_source(
        &self,
        _: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
        is_arrayed: bool,
    ) -> Result<Option<SoaSource>> {
        let is_input = variable.class == StorageClass::Input && is_arrayed;
        Ok(is_input.then(|| self.geometry().inputs))
    }

    fn first_column(&self, variable: Id, member: Option<u32>) -> Result<SoaLocation> {
        match self.from.first_column(&self.interface, variable, member) {
            Some(column) => Ok(column),
            None => invalid(format!("{variable} is not an input of vertices")),
        }
    }

    fn emit_vertex(&self, cx: &mut Lowerer<'_, '_>, stream: u32) -> Result {
        if self.passes {
            return invalid("a vertex is emitted by a geometry shader that passes its inputs on");
        }
        let geometry = self.geometry();
        let (emitted_slot, strips) = *self.slots.get().expect("made before the shader is lowered");
        let Some(&strip_slot) = strips.get(stream as usize) else {
            return invalid(format!("a vertex for stream {stream}"));
        };
        let (zero, one) = (cx.b.i32(0), cx.b.i32(1));
        let emitted = cx.b.slot_load(Scalar::I32, emitted_slot, zero);
        let most = cx.b.i32(self.info.max_vertices);
        // What is emitted beyond is lost.
        let fits = cx.b.op(Opcode::ULt, &[emitted, most]);
        let (lanes, columns) = (cx.b.function.lanes, self.outputs.layout.columns.max(4));
        let block_bytes = cx.b.i32(4 * lanes * columns);
        let block = cx.b.op(Opcode::IMul, &[emitted, block_bytes]);
        let offset = cx.b.op(Opcode::IAdd, &[block, geometry.lane_offset]);
        store_outputs(cx, &self.interface, self.outputs, stream, &mut |cx, column, value| {
            let memory = MemoryOp::new(Space::Global).at((4 * lanes * column) as i32);
            let bits = cx.b.bitcast(value, Scalar::I32);
            cx.b.store(memory, geometry.outputs, offset, bits, fits);
        })?;
        let column_bytes = cx.b.i32(4 * lanes);
        let column = cx.b.op(Opcode::IMul, &[emitted, column_bytes]);
        let offset = cx.b.op(Opcode::IAdd, &[column, geometry.lane_offset]);
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

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>, _: u64) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}

impl<'m> Lowerer<'m, '_> {
    /// `OpEmitVertex`, `OpEndPrimitive`, and those with a stream; `OpDispatchClusterHUAWEI`.
    pub(crate) fn lower_emission(&mut self, inst: Instruction<'m>) -> Result {
        let stage = self.stage;
        let is_of_clusters = stage.model() == Some(ExecutionModel::ClusterCullingHUAWEI);
        if is_of_clusters != inst.dispatches_cluster() {
            return invalid(format!("Op{} in a stage that does not emit such", inst.info().name));
        }
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
