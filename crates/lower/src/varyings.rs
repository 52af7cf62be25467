//! Where the vertex stage's outputs lie, and how they become the fragment stage's inputs.
//!
//! A *word* is 32 bits of a location: word `4 * location + component`. Outputs get columns in the order of
//! their words, behind the built-ins; inputs get places in the primitive's setup data in the order of theirs.

use crate::error::{Result, invalid, limit};
use crate::pointer::SoaLocation;
use crate::transform_feedback;
use pyro_abi::graphics::{
    CLIP_CULL_DISTANCES_MAX, Captures, Interpolation as Way, MeshLayout, SetupLayout, Varying, VertexLayout,
};
use pyro_interface::{Interface, Interpolation, Variable};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionModel, Op, StorageClass};
use pyro_spirv::{ConstantValues, Id, Instruction, Module, Type};
use pyro_validate::Checked;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Locations of one stage's interface.
const LOCATION_COUNT_MAX: u32 = 128;
/// Views that a view mask has bits for.
pub(crate) const VIEW_COUNT_MAX: u64 = 32;

/// An entry point of a graphics pipeline, as its neighbours see it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its module.
    pub checked: &'a Checked,
    /// Its name.
    pub name: &'a str,
    /// Its stage.
    pub model: ExecutionModel,
}

/// The columns of the vertices that a stage before rasterization gives the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VaryingLayout {
    /// The columns of built-ins, and how many there are in all.
    pub layout: VertexLayout,
    /// The column of each word, which is `4 * location + component`.
    pub columns: BTreeMap<u32, u32>,
    /// What transform feedback captures: nothing unless the entry point declares `Xfb`.
    pub captures: Captures,
    /// Of mesh shaders, what else they write.
    pub mesh: Option<MeshLayout>,
    /// Of mesh shaders, the column of each word of primitives.
    pub primitive_columns: BTreeMap<u32, u32>,
    /// Of mesh shaders, the first column of each built-in, by its number.
    pub built_ins: BTreeMap<u32, u32>,
    /// Words that the next stage reads and this one does not declare.
    pub missing: Vec<u32>,
    /// Of mesh shaders, words that have columns and that the fragment shader does not read.
    pub unread: Vec<u32>,
}

pyro_util::codec_struct!(VaryingLayout {
    layout,
    columns,
    captures,
    mesh,
    primitive_columns,
    built_ins,
    missing,
    unread
});

/// One word of a fragment shader's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputWord {
    /// Byte offset in the setup data.
    pub(crate) offset: u32,
    pub(crate) way: Way,
}

/// A fragment shader's inputs in the setup data.
#[derive(Clone, Debug, Default)]
pub(crate) struct FragmentInputs {
    pub(crate) setup: SetupLayout,
    pub(crate) words: BTreeMap<u32, InputWord>,
    /// Offsets of the elements of `ClipDistance` and `CullDistance`.
    pub(crate) clip_distance: Vec<u32>,
    pub(crate) cull_distance: Vec<u32>,
}

/// The interface of an entry point, whose locations are not too large.
pub(crate) fn interface_of(checked: &Checked, name: &str, model: ExecutionModel) -> Result<Interface> {
    let Some(entry) = checked.entry_point(name, model) else {
        return invalid(format!("no {model:?} entry point is named \"{name}\""));
    };
    let constants = checked.constants_for(entry.function, 0)?;
    match Interface::of(&constants, &entry) {
        Ok(interface) => {
            check_words(&interface)?;
            Ok(interface)
        }
        Err(error) => limit(error.to_string()),
    }
}

/// The words of a variable.
pub(crate) fn words(variable: &Variable) -> impl Iterator<Item = u32> + '_ {
    variable
        .leaves
        .iter()
        .flat_map(|leaf| leaf.words().map(|word| leaf.location.saturating_mul(4).saturating_add(word)))
}

/// The words of whole locations that variables take.
pub(crate) fn whole_locations<'v>(variables: impl Iterator<Item = &'v Variable>) -> BTreeSet<u32> {
    variables.flat_map(words).flat_map(|word| (0..4).map(move |component| word / 4 * 4 + component)).collect()
}

fn check_words(interface: &Interface) -> Result {
    for variable in interface.inputs.iter().chain(&interface.outputs) {
        if words(variable).any(|word| word >= 4 * LOCATION_COUNT_MAX) {
            return limit(format!("{} is at a location from {LOCATION_COUNT_MAX} on", variable.variable));
        }
    }
    Ok(())
}

impl VaryingLayout {
    /// The columns for a vertex shader that a fragment shader may follow: those of
    /// [`VaryingLayout::between`].
    ///
    /// # Errors
    /// When an entry point is missing, or its interface is broken.
    pub fn new(vertex: (&Checked, &str), fragment: Option<(&Checked, &str)>) -> Result<VaryingLayout> {
        let entry = |model, (checked, name)| Entry { checked, name, model };
        let next = fragment.map(|fragment| entry(ExecutionModel::Fragment, fragment));
        VaryingLayout::between(&entry(ExecutionModel::Vertex, vertex), next.as_ref())
    }

    /// The columns for the vertices that a stage gives the next one. Only what that reads and what is
    /// captured gets columns; where no stage follows, all that is written. Captured is what the last stage
    /// before rasterization writes.
    ///
    /// # Errors
    /// When an entry point is missing, or its interface is broken.
    pub fn between(from: &Entry<'_>, next: Option<&Entry<'_>>) -> Result<VaryingLayout> {
        let &Entry { checked, name, model } = from;
        let module = checked.module();
        // What tasks give are payloads, and what cluster culling shaders give are draws.
        use ExecutionModel as M;
        if matches!(model, M::TaskEXT | M::TaskNV | M::ClusterCullingHUAWEI) {
            return Ok(VaryingLayout::default());
        }
        let mut distances = [0; 2];
        let mut views = 0;
        let mut missing = Vec::new();
        let read = match next {
            Some(next) => {
                let interface = interface_of(next.checked, next.name, next.model)?;
                missing.extend(interface.inputs.iter().flat_map(words));
                if reads_in_place(next.model) {
                    let constants = next.checked.constants_for(interface.function, 0)?;
                    distances = [BuiltIn::ClipDistance, BuiltIn::CullDistance].map(|built_in| {
                        let found = interface.built_in(built_in, StorageClass::Input);
                        distance_count(&constants, found.map(|found| found.ty))
                    });
                    let per_view = interface.built_in(BuiltIn::PositionPerViewNV, StorageClass::Input);
                    let count = per_view.and_then(|found| constants.array_len(found.ty)).unwrap_or(0);
                    views = count.min(VIEW_COUNT_MAX) as u32;
                }
                Some(match reads_in_place(next.model) {
                    true => whole_locations(interface.inputs.iter()),
                    false => interface.inputs.iter().flat_map(words).collect::<BTreeSet<u32>>(),
                })
            }
            None => None,
        };
        if matches!(model, ExecutionModel::MeshEXT | ExecutionModel::MeshNV) {
            let layout = crate::mesh::outputs(from, read.as_ref())?;
            missing.retain(|word| {
                !(layout.columns.contains_key(word) || layout.primitive_columns.contains_key(word))
            });
            return Ok(VaryingLayout { missing, ..layout });
        }
        let interface = interface_of(checked, name, model)?;
        let is_last = next.is_none_or(|next| next.model == ExecutionModel::Fragment);
        let constants = checked.constants_for(interface.function, 0)?;
        let is_captured = is_last && transform_feedback::is_captured(module, &interface);
        let captured = match is_captured {
            true => transform_feedback::captured_words(&constants, &interface),
            false => Vec::new(),
        };
        let mut layout = vertex_built_ins(module, &constants, &interface, distances);
        let writes = |built_in| is_given(module, &interface, built_in);
        let mut take = |count: u32| {
            layout.columns += count;
            layout.columns - count
        };
        let layer = writes(BuiltIn::Layer).then(|| take(1));
        let viewport_index = writes(BuiltIn::ViewportIndex).then(|| take(1));
        let shading_rate = writes(BuiltIn::PrimitiveShadingRateKHR).then(|| take(1));
        let has_masks = writes(BuiltIn::ViewportMaskNV) || writes(BuiltIn::ViewportMaskPerViewNV);
        let viewport_mask = has_masks.then(|| take(1));
        let primitive_id = writes(BuiltIn::PrimitiveId).then(|| take(1));
        let position_per_view = match writes(BuiltIn::PositionPerViewNV) {
            true => (take(4 * views), 4 * views),
            false => (0, 0),
        };
        let mut columns = BTreeMap::new();
        let mut all: Vec<u32> = interface.outputs.iter().flat_map(words).collect();
        all.extend(passed_inputs(module, &interface).flat_map(words));
        missing.retain(|word| !all.contains(word));
        if next.is_some_and(|next| reads_in_place(next.model)) {
            // Indices may go from location to location ([`crate::memory::soa_varyings`]).
            all.extend(read.iter().flatten());
        }
        all.sort_unstable();
        all.dedup();
        for word in all {
            if read.as_ref().is_none_or(|read| read.contains(&word)) || captured.contains(&word) {
                columns.insert(word, take(1));
            }
        }
        let layout = VertexLayout {
            layer,
            viewport_index,
            shading_rate,
            viewport_mask,
            primitive_id,
            position_per_view,
            layer_is_relative: layer_is_relative(module, &interface),
            position_is_invariant: position_is_invariant(module, &interface),
            ..layout
        };
        let captures = match is_captured {
            true => transform_feedback::captures(&constants, &interface, &layout, &columns),
            false => Captures::default(),
        };
        Ok(VaryingLayout { layout, columns, captures, missing, ..VaryingLayout::default() })
    }
}

/// How a shader writes a built-in output.
#[derive(Clone, Copy, Debug)]
struct BuiltInWrites {
    /// Its type.
    ty: Id,
    /// The shader may write it: shaders declare blocks of built-ins of which they use some.
    is_possible: bool,
    /// A store names it: through a variable of its own, or an access chain to the member or into it. A store
    /// of the whole block does not.
    is_named: bool,
}

impl BuiltInWrites {
    /// None where the interface lacks the output.
    fn of(module: &Module, interface: &Interface, built_in: BuiltIn) -> Option<BuiltInWrites> {
        let found = interface.built_in(built_in, StorageClass::Output)?;
        let Some(member) = found.member else {
            let writes = BuiltInWrites { ty: found.ty, is_possible: true, is_named: false };
            return Some(writes.walk(module, HashSet::from([found.variable]), |_| BlockUse::None));
        };
        let position = 1 + usize::from(found.is_arrayed);
        let writes = BuiltInWrites { ty: found.ty, is_possible: false, is_named: false };
        Some(writes.walk(module, HashSet::new(), |inst| {
            let uses_block = match inst.op() {
                op if is_access_chain(op) => inst.get_id(0) == Some(found.variable),
                Op::Store | Op::CopyMemory => inst.get_id(0) == Some(found.variable),
                Op::FunctionCall => inst.ids_from(1).iter().any(|id| id == found.variable),
                _ => false,
            };
            let index = inst.get_id(position).filter(|_| is_access_chain(inst.op()));
            let index = index.and_then(|id| module.definition(id)).filter(|index| index.op() == Op::Constant);
            match index {
                _ if !uses_block => BlockUse::None,
                Some(index) if index.word(0) == member => BlockUse::Member,
                Some(_) => BlockUse::None,
                None => BlockUse::Any,
            }
        }))
    }

    /// Goes through the module's instructions. `named`: pointers to the built-in. `uses`: how an instruction
    /// uses the block that holds it.
    fn walk(
        mut self,
        module: &Module,
        mut named: HashSet<Id>,
        uses: impl Fn(Instruction<'_>) -> BlockUse,
    ) -> BuiltInWrites {
        // A definition precedes its uses in the order of instructions, apart from phis, which pointers to
        // outputs cannot be.
        for inst in module.insts() {
            let used = uses(inst);
            self.is_possible |= used != BlockUse::None;
            let goes_on =
                is_access_chain(inst.op()) && inst.get_id(0).is_some_and(|base| named.contains(&base));
            if goes_on || used == BlockUse::Member {
                named.extend(inst.result());
            }
            if matches!(inst.op(), Op::Store | Op::CopyMemory) {
                self.is_named |= inst.get_id(0).is_some_and(|pointer| named.contains(&pointer));
            }
        }
        self
    }
}

/// How an instruction uses the block that a built-in output is a member of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockUse {
    /// Not at all, or another member of it.
    None,
    /// As a whole, or a member that is not known.
    Any,
    /// It is an access chain to the built-in or into it.
    Member,
}

/// Whether clip or cull distances that a shader writes clip or cull: with their capability, and without it if
/// a store names them. Translators such as zink write them without declaring the capability, and other
/// drivers take that; a store of a whole block without the capability leaves the block's distances unset.
pub(crate) fn distances_are_effective(
    module: &Module,
    interface: &Interface,
    built_in: BuiltIn,
    capability: Capability,
) -> bool {
    module.has_capability(capability)
        || BuiltInWrites::of(module, interface, built_in).is_some_and(|writes| writes.is_named)
}

/// How many clip or cull distances a type has.
pub(crate) fn distance_count(constants: &ConstantValues<'_>, ty: Option<Id>) -> u32 {
    let count = ty.and_then(|ty| constants.array_len(ty)).unwrap_or(0);
    count.min(CLIP_CULL_DISTANCES_MAX as u64) as u32
}

/// The columns of built-ins that vertices have in every stage: behind the position, point size and distances.
/// `read`: how many clip and cull distances the next stage reads from here, so that each access stays within
/// them.
fn vertex_built_ins(
    module: &Module,
    constants: &ConstantValues<'_>,
    interface: &Interface,
    [clip_read, cull_read]: [u32; 2],
) -> VertexLayout {
    let mut layout = VertexLayout { columns: 4, ..VertexLayout::default() };
    let mut take = |count: u32| {
        layout.columns += count;
        layout.columns - count
    };
    // Passing distances on needs no capability.
    let count_of = |built_in, capability, read| {
        let is_written = written(module, interface, built_in).is_some();
        match type_given(module, interface, built_in) {
            Some(ty) if distances_are_effective(module, interface, built_in, capability) || !is_written => {
                distance_count(constants, Some(ty)).max(read)
            }
            _ => 0,
        }
    };
    let point_size = is_given(module, interface, BuiltIn::PointSize).then(|| take(1));
    let clip_count = count_of(BuiltIn::ClipDistance, Capability::ClipDistance, clip_read);
    let clip_distance = (take(clip_count), clip_count);
    let cull_count = count_of(BuiltIn::CullDistance, Capability::CullDistance, cull_read);
    let cull_distance = (take(cull_count), cull_count);
    VertexLayout { point_size, clip_distance, cull_distance, ..layout }
}

/// Whether a stage reads its vertices where they lie ([`crate::memory::soa_varyings`]).
fn reads_in_place(model: ExecutionModel) -> bool {
    matches!(model, ExecutionModel::TessellationControl | ExecutionModel::Geometry)
}

/// Whether an input, or the block that it is a member of, is passed on as it is (`PassthroughNV`).
pub(crate) fn is_passed(module: &Module, variable: Id, member: Option<u32>) -> bool {
    let decoration = Decoration::PassthroughNV;
    module.has_decoration(variable, decoration) || is_decorated(module, variable, member, decoration)
}

/// The user-defined inputs that a geometry shader passes on as they are.
fn passed_inputs<'i>(module: &Module, interface: &'i Interface) -> impl Iterator<Item = &'i Variable> {
    let is_geometry = interface.model == ExecutionModel::Geometry;
    let inputs = interface.inputs.iter().filter(move |_| is_geometry);
    inputs.filter(|input| is_passed(module, input.variable, input.member))
}

/// The type of a built-in that the vertices of a stage have: since the shader writes it, or passes it on.
fn type_given(module: &Module, interface: &Interface, built_in: BuiltIn) -> Option<Id> {
    let passed = || {
        let found = interface.built_in(built_in, StorageClass::Input)?;
        let is_passed = interface.model == ExecutionModel::Geometry
            && found.is_arrayed
            && is_passed(module, found.variable, found.member);
        is_passed.then_some(found.ty)
    };
    written(module, interface, built_in).or_else(passed)
}

fn is_given(module: &Module, interface: &Interface, built_in: BuiltIn) -> bool {
    type_given(module, interface, built_in).is_some()
}

/// The columns of a built-in of vertices: the first, and how many; none of what has no columns.
pub(crate) fn built_in_columns(layout: &VertexLayout, built_in: BuiltIn) -> Option<(u32, u32)> {
    let one = |column: Option<u32>| column.map(|column| (column, 1));
    let several = |(first, count): (u32, u32)| (count > 0).then_some((first, count));
    match built_in {
        BuiltIn::Position => Some((0, 4)),
        BuiltIn::PointSize => one(layout.point_size),
        BuiltIn::ClipDistance => several(layout.clip_distance),
        BuiltIn::CullDistance => several(layout.cull_distance),
        BuiltIn::Layer => one(layout.layer),
        BuiltIn::ViewportIndex => one(layout.viewport_index),
        BuiltIn::PrimitiveShadingRateKHR => one(layout.shading_rate),
        BuiltIn::ViewportMaskNV => one(layout.viewport_mask),
        BuiltIn::PrimitiveId => one(layout.primitive_id),
        BuiltIn::PositionPerViewNV => several(layout.position_per_view),
        _ => None,
    }
}

/// The built-ins that have columns.
pub(crate) const VERTEX_BUILT_INS: [BuiltIn; 10] = [
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistance,
    BuiltIn::Layer,
    BuiltIn::ViewportIndex,
    BuiltIn::PrimitiveShadingRateKHR,
    BuiltIn::ViewportMaskNV,
    BuiltIn::PrimitiveId,
    BuiltIn::PositionPerViewNV,
];

impl VaryingLayout {
    /// Where an input of the next stage, or a member of its block, begins among the columns of a vertex; none
    /// where it is no such input.
    pub(crate) fn first_column(
        &self,
        interface: &Interface,
        variable: Id,
        member: Option<u32>,
    ) -> Option<SoaLocation> {
        let is_it = |found: Id, of: Option<u32>| found == variable && of == member;
        let mut built_ins = interface.built_ins.iter().filter(|found| found.class == StorageClass::Input);
        if let Some(found) = built_ins.find(|found| is_it(found.variable, found.member)) {
            let column = built_in_columns(&self.layout, found.built_in).map(|(first, _)| first);
            return Some(SoaLocation { column, is_built_in: true });
        }
        let found = interface.inputs.iter().find(|found| is_it(found.variable, found.member))?;
        let column = words(found).next().and_then(|word| self.columns.get(&word)).copied();
        Some(SoaLocation { column, is_built_in: false })
    }
}

/// Whether the viewport's index is added to the layer (`ViewportRelativeNV`).
pub(crate) fn layer_is_relative(module: &Module, interface: &Interface) -> bool {
    interface.built_in(BuiltIn::Layer, StorageClass::Output).is_some_and(|found| {
        is_decorated(module, found.variable, found.member, Decoration::ViewportRelativeNV)
    })
}

/// Whether the position is decorated `Invariant`.
pub(crate) fn position_is_invariant(module: &Module, interface: &Interface) -> bool {
    interface
        .built_in(BuiltIn::Position, StorageClass::Output)
        .is_some_and(|found| is_decorated(module, found.variable, found.member, Decoration::Invariant))
}

impl FragmentInputs {
    /// The places of a fragment shader's inputs, which come from these outputs.
    pub(crate) fn new(
        module: &Module,
        constants: &ConstantValues<'_>,
        interface: &Interface,
        outputs: &VaryingLayout,
    ) -> Result<FragmentInputs> {
        let mut inputs = FragmentInputs { setup: SetupLayout::new(), ..FragmentInputs::default() };
        for variable in &interface.inputs {
            for leaf in &variable.leaves {
                let is_float =
                    matches!(module.ty(leaf.scalar), pyro_spirv::Type::Float { .. }) && leaf.width <= 32;
                let way = way_of(variable.interpolation, is_float);
                for word in leaf.words().map(|word| 4 * leaf.location + word) {
                    inputs.words.entry(word).or_insert_with(|| {
                        let (column, way) = match outputs.primitive_columns.get(&word) {
                            Some(&column) => (Some(column), Way::PerPrimitive),
                            None => (outputs.columns.get(&word).copied(), way),
                        };
                        InputWord { offset: inputs.setup.push(Varying { column, interpolation: way }), way }
                    });
                }
            }
        }
        let layout = &outputs.layout;
        for (built_in, (first, count)) in
            [(BuiltIn::ClipDistance, layout.clip_distance), (BuiltIn::CullDistance, layout.cull_distance)]
        {
            let Some(found) = interface.built_in(built_in, StorageClass::Input) else { continue };
            let len = constants.array_len(found.ty).unwrap_or(0).min(CLIP_CULL_DISTANCES_MAX as u64) as u32;
            let offsets = (0..len).map(|index| {
                let column = (index < count).then_some(first + index);
                inputs.setup.push(Varying { column, interpolation: Way::Perspective })
            });
            let offsets = offsets.collect();
            match built_in {
                BuiltIn::ClipDistance => inputs.clip_distance = offsets,
                _ => inputs.cull_distance = offsets,
            }
        }
        Ok(inputs)
    }
}

fn way_of(interpolation: Interpolation, is_float: bool) -> Way {
    if interpolation.per_vertex {
        Way::PerVertex
    } else if interpolation.flat || !is_float {
        Way::Flat
    } else if interpolation.no_perspective {
        Way::Linear
    } else {
        Way::Perspective
    }
}

/// Whether a variable, or the member of the block that it is, has a decoration.
pub(crate) fn is_decorated(
    module: &Module,
    variable: Id,
    member: Option<u32>,
    decoration: Decoration,
) -> bool {
    let Some(member) = member else { return module.has_decoration(variable, decoration) };
    let ty = module.type_of(variable).map(|ty| module.ty(ty));
    match ty {
        Some(Type::Pointer { pointee, .. }) => {
            module.member_decoration(module.strip_arrays(pointee), member, decoration).is_some()
        }
        _ => false,
    }
}

/// The type of a built-in output, if the shader may write it.
pub(crate) fn written(module: &Module, interface: &Interface, built_in: BuiltIn) -> Option<Id> {
    let found = interface.built_in(built_in, StorageClass::Output)?;
    if found.member.is_none() {
        return Some(found.ty);
    }
    BuiltInWrites::of(module, interface, built_in).filter(|writes| writes.is_possible).map(|writes| writes.ty)
}
