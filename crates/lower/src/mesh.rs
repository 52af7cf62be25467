//! Mesh and task stages: workgroups as in compute ([`crate::compute`]), with outputs in memory.
//!
//! Any invocation may write any vertex and primitive, so outputs are no variables of invocations: they lie in
//! the columns that [`pyro_abi::graphics::mesh`] describes, which the engine takes as it takes those of
//! vertex functions. Outputs that the fragment shader does not read have no columns, and stores to them
//! vanish as those outside of a buffer do. Task payloads are memory, too. The workgroup's own memory begins
//! with a [`MeshWorkgroup`](pyro_abi::graphics::MeshWorkgroup), which says where all of that is.

use crate::compute::Compute;
use crate::context::Lowerer;
use crate::error::{Result, check_lanes, limit};
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Size, SoaLayout};
use crate::sanitize::mesh_definedness::{MeshColumns, MeshReads};
use crate::stage::Stage;
use crate::value::Scalars;
use crate::varyings::{self, Entry, VaryingLayout, interface_of};
use crate::{Lowered, Shader};
use pyro_abi::graphics::VertexLayout;
use pyro_abi::graphics::mesh::{
    MESH_PRIMITIVES_MAX, MESH_VERTICES_MAX, MESH_WORKGROUP_BYTES, MeshIndices, MeshLayout,
    TASK_PAYLOAD_BYTES_MAX, mesh_offset as at,
};
use pyro_interface::{Interface, Variable};
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, StorageClass};
use pyro_spirv::{ConstantValues, GlobalVariable, Id, Module, Type};
use pyro_validate::Checked;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Mesh shaders of either extension.
pub(crate) const MESH_MODELS: [ExecutionModel; 2] = [ExecutionModel::MeshEXT, ExecutionModel::MeshNV];

/// The one of these models that an entry point has; the first where there is no such entry point.
fn model_of(module: &Checked, name: &str, models: [ExecutionModel; 2]) -> ExecutionModel {
    let found = models.into_iter().find(|&model| module.entry_point(name, model).is_some());
    found.unwrap_or(models[0])
}

/// The columns of a mesh shader's outputs. With the words of the fragment shader's inputs, only these get
/// columns; without, all that is written.
pub(crate) fn outputs(
    &Entry { checked: module, name, .. }: &Entry<'_>,
    read: Option<&BTreeSet<u32>>,
) -> Result<VaryingLayout> {
    let model = model_of(module, name, MESH_MODELS);
    let interface = interface_of(module, name, model)?;
    let constants = module.constants_for(interface.function, 0)?;
    let mode = |mode| module.execution_mode(interface.function, mode);
    let count = |kind, most: u32| match mode(kind).and_then(|mode| mode.operands.first()) {
        Some(&count) if count <= most => Ok(count.max(1)),
        _ => limit(format!("{kind:?} is missing or greater than {most}")),
    };
    let max_vertices = count(ExecutionMode::OutputVertices, MESH_VERTICES_MAX)?;
    let max_primitives = count(ExecutionMode::OutputPrimitivesEXT, MESH_PRIMITIVES_MAX)?;
    let corners = if mode(ExecutionMode::OutputPoints).is_some() {
        1
    } else if mode(ExecutionMode::OutputLinesEXT).is_some() {
        2
    } else {
        3
    };
    let is_list = interface.built_in(BuiltIn::PrimitiveIndicesNV, StorageClass::Output).is_some()
        || model == ExecutionModel::MeshNV;
    let mut built_ins = BTreeMap::new();
    let mut take = |columns: &mut u32, built_in| -> Result {
        let Some(ty) = varyings::written(module, &interface, built_in) else { return Ok(()) };
        let count = scalar_count(&constants, ty);
        if count > BUILT_IN_COLUMNS_MAX {
            return limit(format!("{built_in:?} has {count} components"));
        }
        built_ins.insert(built_in as u32, *columns);
        *columns += count as u32;
        Ok(())
    };
    let mut columns = corners;
    for built_in in OF_PRIMITIVES {
        take(&mut columns, built_in)?;
    }
    // What is rasterized is the position of the view that is drawn, where there is one for each.
    let mut vertex_columns = 0;
    for built_in in OF_VERTICES {
        take(&mut vertex_columns, built_in)?;
        vertex_columns = vertex_columns.max(if built_in == BuiltIn::Position { 4 } else { 0 });
    }
    let column = |built_in| built_ins.get(&(built_in as u32)).copied();
    let of_view = |per_view, plain| column(per_view).or_else(|| column(plain));
    let mut mesh = MeshLayout {
        max_vertices,
        max_primitives,
        corners,
        indices: if is_list { MeshIndices::List } else { MeshIndices::Columns },
        columns: 0,
        primitive_id: column(BuiltIn::PrimitiveId),
        layer: of_view(BuiltIn::LayerPerViewNV, BuiltIn::Layer),
        viewport_index: column(BuiltIn::ViewportIndex),
        viewport_mask: of_view(BuiltIn::ViewportMaskPerViewNV, BuiltIn::ViewportMaskNV),
        shading_rate: column(BuiltIn::PrimitiveShadingRateKHR),
        cull: column(BuiltIn::CullPrimitiveEXT),
    };
    let distances = |per_view, plain, capability| {
        let of_views = column(per_view).is_some();
        let ty = varyings::written(module, &interface, if of_views { per_view } else { plain });
        let ty = ty
            .filter(|_| of_views || varyings::distances_are_effective(module, &interface, plain, capability));
        let ty = match ty.map(|ty| (ty, module.ty(ty))) {
            Some((_, Type::Array { element, .. })) if of_views => Some(element),
            other => other.map(|(ty, _)| ty),
        };
        (of_view(per_view, plain).unwrap_or(0), varyings::distance_count(&constants, ty))
    };
    let layout = VertexLayout {
        columns: vertex_columns,
        point_size: column(BuiltIn::PointSize),
        clip_distance: distances(
            BuiltIn::ClipDistancePerViewNV,
            BuiltIn::ClipDistance,
            Capability::ClipDistance,
        ),
        cull_distance: distances(
            BuiltIn::CullDistancePerViewNV,
            BuiltIn::CullDistance,
            Capability::CullDistance,
        ),
        layer_is_relative: varyings::layer_is_relative(module, &interface),
        position_is_invariant: varyings::position_is_invariant(module, &interface),
        ..VertexLayout::default()
    };
    let mut outputs = VaryingLayout { layout, built_ins, ..VaryingLayout::default() };
    place_variables(&interface, &constants, read, &mut outputs, &mut columns);
    mesh.columns = columns;
    Ok(VaryingLayout { mesh: Some(mesh), ..outputs })
}

/// Gives the words of the output variables columns, behind those that vertices have and the
/// `primitive_columns` of primitives. Variables of which the fragment shader reads nothing get none.
fn place_variables(
    interface: &Interface,
    constants: &ConstantValues<'_>,
    read: Option<&BTreeSet<u32>>,
    outputs: &mut VaryingLayout,
    primitive_columns: &mut u32,
) {
    let mut variables: BTreeMap<Id, Vec<&Variable>> = BTreeMap::new();
    for variable in &interface.outputs {
        variables.entry(variable.variable).or_default().push(variable);
    }
    for parts in variables.values_mut() {
        parts.sort_by_key(|part| part.member);
        let is_read = |word: u32| read.is_none_or(|read| read.contains(&word));
        if !parts.iter().flat_map(|part| varyings::words(part)).any(is_read) {
            continue;
        }
        for part in parts {
            let (columns, next) = match part.is_per_primitive {
                true => (&mut outputs.primitive_columns, &mut *primitive_columns),
                false => (&mut outputs.columns, &mut outputs.layout.columns),
            };
            let first = *next;
            for word in varyings::words(part) {
                columns.entry(word).or_insert(*next);
                *next += 1;
                if !read.is_some_and(|read| read.contains(&word)) {
                    outputs.unread.push(word);
                }
            }
            // What there is for other views lies behind what there is for the one that is drawn.
            *next += (*next - first) * (view_count(constants, part) - 1);
        }
    }
}

/// A task or mesh shader's stage.
struct MeshStage<'s> {
    compute: Compute,
    interface: Interface,
    /// Of mesh shaders.
    outputs: Option<&'s VaryingLayout>,
    payload_bytes: Cell<u32>,
}

/// Lowers a mesh entry point, whose outputs lie as these say, or a task entry point.
pub(crate) fn lower(shader: &Shader<'_>, lanes: u32, outputs: Option<&VaryingLayout>) -> Result<Lowered> {
    check_lanes(lanes)?;
    let Shader { checked: module, entry_point, layout, .. } = *shader;
    let models = match outputs {
        None => [ExecutionModel::TaskEXT, ExecutionModel::TaskNV],
        Some(_) => MESH_MODELS,
    };
    let model = model_of(module, entry_point, models);
    let interface = interface_of(module, entry_point, model)?;
    let entry = interface.function;
    let constants = module.constants_for(entry, 0)?;
    let compute = Compute::new(module, &constants, entry, lanes)?;
    let stage = MeshStage { compute, interface, outputs, payload_bytes: Cell::new(0) };
    let mut function = Function::new(entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry, constants, layout, &stage, &mut function)?;
    cx.workgroup.bytes = MESH_WORKGROUP_BYTES;
    let end = cx.make_block()?;
    cx.end = Some(end);
    cx.lower_entry_point(entry)?;
    cx.b.start(end);
    if let Some((reads, index)) = stage.reads(&mut cx) {
        cx.sanitize_mesh_outputs(entry, index, &reads)?;
    }
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let mut info = stage.compute.info(&mut cx);
    info.payload_bytes = stage.payload_bytes.get();
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

/// Scalars of a type.
fn scalar_count(constants: &ConstantValues<'_>, ty: Id) -> u64 {
    match constants.module().ty(ty) {
        Type::Array { element, .. } => {
            let count = constants.array_len(ty).unwrap_or(0);
            count.saturating_mul(scalar_count(constants, element))
        }
        Type::Vector { count, .. } => count.into(),
        _ => 1,
    }
}

/// For how many views an output has values (`PerViewNV`).
fn view_count(constants: &ConstantValues<'_>, part: &Variable) -> u32 {
    let module = constants.module();
    let Some(mut ty) = module.global(part.variable).and_then(|global| global.value_type) else { return 1 };
    if part.is_arrayed
        && let Type::Array { element, .. } = module.ty(ty)
    {
        ty = element;
    }
    if !varyings::is_decorated(module, part.variable, part.member, Decoration::PerViewNV) {
        return 1;
    }
    if let Some(member) = part.member
        && let Type::Struct { members } = module.ty(module.strip_arrays(ty))
    {
        ty = members.get(member as usize).unwrap_or(ty);
    }
    constants.array_len(ty).unwrap_or(1).clamp(1, varyings::VIEW_COUNT_MAX) as u32
}

/// Built-ins that vertices have, the position first.
const OF_VERTICES: [BuiltIn; 7] = [
    BuiltIn::PositionPerViewNV,
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistancePerViewNV,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistancePerViewNV,
    BuiltIn::CullDistance,
];

/// Built-ins that primitives have beside their indices.
const OF_PRIMITIVES: [BuiltIn; 8] = [
    BuiltIn::PrimitiveId,
    BuiltIn::LayerPerViewNV,
    BuiltIn::Layer,
    BuiltIn::ViewportIndex,
    BuiltIn::ViewportMaskPerViewNV,
    BuiltIn::ViewportMaskNV,
    BuiltIn::PrimitiveShadingRateKHR,
    BuiltIn::CullPrimitiveEXT,
];

/// Columns of a built-in: eight distances for each of so many views.
const BUILT_IN_COLUMNS_MAX: u64 = 8 * varyings::VIEW_COUNT_MAX;

/// The column of a built-in of vertices or primitives, if it has one.
fn built_in_column(outputs: &VaryingLayout, built_in: BuiltIn) -> Option<u32> {
    match built_in {
        BuiltIn::PrimitivePointIndicesEXT
        | BuiltIn::PrimitiveLineIndicesEXT
        | BuiltIn::PrimitiveTriangleIndicesEXT => Some(0),
        _ => outputs.built_ins.get(&(built_in as u32)).copied(),
    }
}

/// Whether a built-in output of mesh shaders is one of primitives.
fn is_of_primitives(built_in: BuiltIn) -> bool {
    !OF_VERTICES.contains(&built_in)
}

/// A field of the [`MeshWorkgroup`](pyro_abi::graphics::MeshWorkgroup) that workgroup memory begins with.
pub(crate) fn workgroup_field(cx: &mut Lowerer<'_, '_>, field: u32, scalar: Scalar) -> Result<Value> {
    let base = cx.shared_base()?;
    cx.in_prologue(|cx| Ok(cx.load_context(base, field, scalar)))
}

impl MeshStage<'_> {
    fn field(&self, cx: &mut Lowerer<'_, '_>, field: u32, scalar: Scalar) -> Result<Value> {
        workgroup_field(cx, field, scalar)
    }

    /// Writes consecutive words of the record. What the workgroup's first invocation says counts.
    fn store_fields(&self, cx: &mut Lowerer<'_, '_>, field: u32, values: &[Value]) -> Result {
        let base = cx.shared_base()?;
        let (index, zero) = (self.compute.linear_index(cx), cx.b.i32(0));
        let is_first = cx.b.op(Opcode::IEq, &[index, zero]);
        for (place, &value) in (field..).step_by(4).zip(values) {
            let value = cx.integer_of_width(value, Scalar::I32, false)?;
            cx.b.store(MemoryOp::new(Space::Shared).at(place as i32), base, zero, value, is_first);
        }
        Ok(())
    }

    /// A pointer to a word of the record.
    fn word(&self, cx: &mut Lowerer<'_, '_>, ty: Id, field: u32) -> Result<Pointer> {
        let base = cx.shared_base()?;
        let mut pointer = self.memory(base, field + 4, ty, MemoryLayout::LOGICAL);
        pointer.offset = field.into();
        Ok(pointer)
    }

    fn memory(&self, base: Value, bytes: u32, ty: Id, layout: MemoryLayout) -> Pointer {
        let size = Size::Known(bytes);
        let range = Range { base, size, hoisted: true, space: Space::Shared, speculatable: true };
        Pointer::new(PointerBase::Range(range), Some(ty), layout)
    }

    /// A pointer to what is passed from task to mesh shaders.
    fn payload(&self, cx: &mut Lowerer<'_, '_>, ty: Id, is_block: bool) -> Result<Pointer> {
        let (bytes, layout) = match is_block {
            true => (cx.block_bytes(ty)?, MemoryLayout::EXPLICIT),
            false => (cx.types.extent(&cx.constants, ty)?.size, MemoryLayout::LOGICAL),
        };
        if bytes > TASK_PAYLOAD_BYTES_MAX.into() {
            return limit(format!("a task payload of {bytes} bytes"));
        }
        self.payload_bytes.set(self.payload_bytes.get().max(bytes as u32));
        let base = self.field(cx, at::PAYLOAD, Scalar::I64)?;
        Ok(self.memory(base, bytes as u32, ty, layout))
    }

    /// A pointer to the payload of a node, which is an array of one.
    fn node_payload(&self, cx: &mut Lowerer<'_, '_>, ty: Id) -> Result<Pointer> {
        let bytes = match cx.module.ty(ty) {
            pyro_spirv::Type::NodePayloadArray { payload } => cx.payload_stride(ty, payload)?,
            _ => cx.block_bytes(ty)?,
        };
        if bytes > u64::from(2 * pyro_abi::node::PAYLOAD_BYTES_MAX) {
            return limit(format!("a payload of {bytes} bytes"));
        }
        self.payload_bytes.set(self.payload_bytes.get().max(bytes as u32));
        let base = self.field(cx, at::PAYLOAD, Scalar::I64)?;
        Ok(self.memory(base, bytes as u32, ty, MemoryLayout::EXPLICIT))
    }

    /// A pointer to outputs in the columns of primitives or vertices, from a column on; to nothing where
    /// there is none.
    fn columns(
        &self,
        cx: &mut Lowerer<'_, '_>,
        (outputs, mesh): (&VaryingLayout, &MeshLayout),
        ty: Id,
        of_primitives: bool,
        column: Option<u32>,
    ) -> Result<Pointer> {
        let (field, columns, pitch) = match of_primitives {
            true => (at::PRIMITIVES, mesh.columns, mesh.primitive_pitch()),
            false => (at::VERTICES, outputs.layout.columns, mesh.vertex_pitch()),
        };
        let base = self.field(cx, field, Scalar::I64)?;
        if mesh.indices == MeshIndices::Columns {
            let of_vertices = 4 * outputs.layout.columns * mesh.vertex_pitch();
            let all = of_vertices + 4 * mesh.columns * mesh.primitive_pitch();
            cx.sanitize_mesh_columns(base, if of_primitives { of_vertices } else { 0 }, all)?;
        }
        let pitch = 4 * pitch;
        let bytes = if column.is_some() { columns * pitch } else { 0 };
        let soa = Some(SoaLayout { pitch, is_whole: true });
        let mut pointer = self.memory(base, bytes, ty, MemoryLayout { soa, ..MemoryLayout::LOGICAL });
        pointer.offset = u64::from(column.unwrap_or(0)) * u64::from(pitch);
        Ok(pointer)
    }

    /// What is read of a mesh shader's outputs, and the invocation's number.
    fn reads(&self, cx: &mut Lowerer<'_, '_>) -> Option<(MeshReads<'_>, Value)> {
        let outputs = self.outputs?;
        let mesh = outputs.mesh.as_ref().filter(|mesh| mesh.indices == MeshIndices::Columns)?;
        let named = |name: &str, columns: Vec<u32>| MeshColumns { name: name.to_owned(), columns };
        let mut vertices = Vec::new();
        if let Some(first) = built_in_column(outputs, BuiltIn::Position) {
            vertices.push(named("the position", (first..first + 4).collect()));
        }
        let mut primitives = vec![named("an index", (0..mesh.corners).collect())];
        for part in &self.interface.outputs {
            let (columns, groups) = match part.is_per_primitive {
                true => (&outputs.primitive_columns, &mut primitives),
                false => (&outputs.columns, &mut vertices),
            };
            let words = varyings::words(part).filter(|word| !outputs.unread.contains(word));
            let columns: Vec<u32> = words.filter_map(|word| columns.get(&word).copied()).collect();
            if !columns.is_empty() {
                let name = format!("the output {}", cx.id_text(part.variable));
                groups.push(MeshColumns { name, columns });
            }
        }
        let invocations = self.compute.invocation_count();
        let index = self.compute.linear_index(cx);
        Some((MeshReads { mesh, invocations, vertices, primitives }, index))
    }

    /// A mesh shader's output.
    fn output(
        &self,
        cx: &mut Lowerer<'_, '_>,
        (outputs, mesh): (&VaryingLayout, &MeshLayout),
        variable: Id,
        ty: Id,
    ) -> Result<Pointer> {
        let known = (outputs, mesh);
        if let Some(built_in) = cx.module.built_in(variable) {
            return match built_in {
                BuiltIn::PrimitiveCountNV => self.word(cx, ty, at::PRIMITIVE_COUNT),
                BuiltIn::PrimitiveIndicesNV => {
                    let base = self.field(cx, at::PRIMITIVES, Scalar::I64)?;
                    let bytes = 4 * mesh.corners * mesh.primitive_pitch();
                    Ok(self.memory(base, bytes, ty, MemoryLayout::LOGICAL))
                }
                _ => {
                    let column = built_in_column(outputs, built_in);
                    self.columns(cx, known, ty, is_of_primitives(built_in), column)
                }
            };
        }
        let block = cx.module.strip_arrays(ty);
        if let Some(built_in) = cx.module.member_built_in(block, 0) {
            // Members have their own columns.
            return self.columns(cx, known, ty, is_of_primitives(built_in), Some(0));
        }
        let parts = self.interface.outputs.iter().filter(|part| part.variable == variable);
        let Some(first) = parts.min_by_key(|part| part.member) else {
            return self.columns(cx, known, ty, false, None);
        };
        let columns = if first.is_per_primitive { &outputs.primitive_columns } else { &outputs.columns };
        let column = varyings::words(first).next().and_then(|word| columns.get(&word).copied());
        self.columns(cx, known, ty, first.is_per_primitive, column)
    }
}

impl Stage for MeshStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(if self.outputs.is_some() { ExecutionModel::MeshEXT } else { ExecutionModel::TaskEXT })
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars> {
        let field = match built_in {
            BuiltIn::ShaderIndexAMDX => {
                let index = crate::node::mesh_node_index(cx, self.interface.function)?;
                return Ok(smallvec::smallvec![cx.b.i32(index)]);
            }
            // Mesh shaders enqueue nothing.
            BuiltIn::RemainingRecursionLevelsAMDX => return Ok(smallvec::smallvec![cx.b.i32(0)]),
            BuiltIn::NumWorkgroups => {
                let words = [0, 4, 8].map(|byte| self.field(cx, at::NUM_WORKGROUPS + byte, Scalar::I32));
                return words.into_iter().collect();
            }
            // An invocation works for one view.
            BuiltIn::MeshViewCountNV => return Ok(smallvec::smallvec![cx.b.i32(1)]),
            BuiltIn::MeshViewIndicesNV => {
                let ty = cx.module.global(variable).and_then(|global| global.value_type);
                let count = ty.and_then(|ty| cx.constants.array_len(ty)).unwrap_or(0);
                let view = self.field(cx, at::VIEW_INDEX, Scalar::I32)?;
                return Ok((0..count.min(varyings::VIEW_COUNT_MAX)).map(|_| view).collect());
            }
            BuiltIn::DrawIndex => at::DRAW_INDEX,
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => at::VIEW_INDEX,
            other => return self.compute.built_in(cx, variable, other),
        };
        Ok(smallvec::smallvec![self.field(cx, field, Scalar::I32)?])
    }

    fn variable_place(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
    ) -> Result<Option<Pointer>> {
        let Some(ty) = variable.value_type else { return Ok(None) };
        let is_built_in = || cx.module.built_in(variable.id).is_some();
        match (variable.class, self.outputs) {
            (StorageClass::NodePayloadAMDX, Some(_)) => self.node_payload(cx, ty).map(Some),
            (StorageClass::TaskPayloadWorkgroupEXT, _) => {
                let pointer = self.payload(cx, ty, false)?;
                let PointerBase::Range(Range { base, size: Size::Known(bytes), .. }) = pointer.base else {
                    return Ok(Some(pointer));
                };
                let all = cx.sanitize_payload(base, bytes, self.outputs.is_none())?;
                self.payload_bytes.set(self.payload_bytes.get().max(all));
                Ok(Some(pointer))
            }
            (StorageClass::Output, Some(outputs)) => {
                let Some(mesh) = &outputs.mesh else { return Ok(None) };
                self.output(cx, (outputs, mesh), variable.id, ty).map(Some)
            }
            (StorageClass::Output, None) if is_built_in() => self.word(cx, ty, at::TASK_GROUPS).map(Some),
            (StorageClass::Output, None) | (StorageClass::Input, Some(_)) if !is_built_in() => {
                let is_block = cx.module.has_decoration(ty, Decoration::Block);
                let has_built_ins = cx.module.member_built_in(ty, 0).is_some();
                if has_built_ins { Ok(None) } else { self.payload(cx, ty, is_block).map(Some) }
            }
            _ => Ok(None),
        }
    }

    fn member_column(&self, module: &Module, ty: Id, member: u32) -> Option<u32> {
        let (outputs, built_in) = (self.outputs?, module.member_built_in(ty, member)?);
        let mesh = outputs.mesh.as_ref()?;
        // Behind the last column nothing is written.
        let column_count = if is_of_primitives(built_in) { mesh.columns } else { outputs.layout.columns };
        Some(built_in_column(outputs, built_in).unwrap_or(column_count))
    }

    fn set_mesh_outputs(&self, cx: &mut Lowerer<'_, '_>, counts: [Value; 2]) -> Result {
        self.store_fields(cx, at::VERTEX_COUNT, &counts)
    }

    fn write_packed_indices(&self, cx: &mut Lowerer<'_, '_>, first: Value, packed: Value) -> Result {
        let Some(mesh) = self.outputs.and_then(|outputs| outputs.mesh.as_ref()) else {
            return crate::error::invalid("OpWritePackedPrimitiveIndices4x8NV outside of a mesh shader");
        };
        let base = self.field(cx, at::PRIMITIVES, Scalar::I64)?;
        let limit = cx.b.i32(mesh.corners * mesh.primitive_pitch());
        for number in 0..4u32 {
            let (number, shift) = (cx.b.i32(number), cx.b.i32(8 * number));
            let index = cx.op(Opcode::IAdd, &[first, number])?;
            let inside = cx.op(Opcode::ULt, &[index, limit])?;
            let offset = cx.scale(index, 4);
            let (byte, mask) = (cx.op(Opcode::LShr, &[packed, shift])?, cx.b.i32(0xff));
            let value = cx.op(Opcode::And, &[byte, mask])?;
            cx.b.store(MemoryOp::new(Space::Shared), base, offset, value, inside);
        }
        Ok(())
    }

    fn emit_mesh_tasks(&self, cx: &mut Lowerer<'_, '_>, groups: [Value; 3]) -> Result {
        self.store_fields(cx, at::TASK_GROUPS, &groups)
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, _: u64) -> Result {
        self.compute.workgroup_barrier(cx, 0)
    }
}
