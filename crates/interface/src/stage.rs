//! One entry point's interface.

use crate::location::{LOCATION_COUNT_MAX, Leaf, leaves};
use crate::resource::{Resource, resource};
use crate::usage::{non_uniform_globals, used_globals};
use pyro_spirv::layout::{LayoutKind, Layouts};
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, StorageClass};
use pyro_spirv::{ConstantValues, EntryPoint, GlobalVariable, Id, Module, Type};
use std::collections::BTreeSet;

/// Whether a variable is read from the stage before or written to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Storage class `Input`
    Input,
    /// Storage class `Output`
    Output,
}

/// How a fragment's value comes from the vertices', and what else tells variables apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interpolation {
    /// `Flat`
    pub flat: bool,
    /// `NoPerspective`
    pub no_perspective: bool,
    /// `Centroid`
    pub centroid: bool,
    /// `Sample`
    pub sample: bool,
    /// `PerVertexKHR` or `ExplicitInterpAMD`: the vertices' values as they are.
    pub per_vertex: bool,
}

/// A user-defined input or output, or a member of a block of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The variable.
    pub variable: Id,
    /// The member of its block.
    pub member: Option<u32>,
    /// Its name; empty when the module does not say.
    pub name: String,
    /// Its type, without the array level of arrayed interfaces, nor that of `PerViewNV`.
    pub ty: Id,
    /// Whether the interface is arrayed: one element for each vertex or primitive.
    pub is_arrayed: bool,
    /// `Location`; none when it is missing.
    pub location: Option<u32>,
    /// `Component`
    pub component: u32,
    /// `Index`: which of two sources for blending.
    pub index: u32,
    /// `Patch`
    pub is_patch: bool,
    /// `PerPrimitiveEXT`
    pub is_per_primitive: bool,
    /// How it is interpolated.
    pub interpolation: Interpolation,
    /// Its scalars and vectors at their places; empty without a location.
    pub leaves: Vec<Leaf>,
}

impl Variable {
    /// What to call it: its name in quotes, or its id in modules without names.
    pub fn label(&self) -> String {
        if self.name.is_empty() { self.variable.to_string() } else { format!("'{}'", self.name) }
    }
}

/// A built-in variable, or a built-in member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInVariable {
    /// The built-in that it is.
    pub built_in: BuiltIn,
    /// The variable.
    pub variable: Id,
    /// The member of its block.
    pub member: Option<u32>,
    /// Its storage class.
    pub class: StorageClass,
    /// Its type, without the array level of arrayed interfaces.
    pub ty: Id,
    /// Whether the interface is arrayed.
    pub is_arrayed: bool,
}

impl BuiltInVariable {
    /// Whether the variable, its block or the member is decorated so.
    pub fn has_decoration(&self, module: &Module, kind: Decoration) -> bool {
        let block = module.global(self.variable).and_then(|variable| variable.value_type);
        let block = block.map(|ty| module.strip_arrays(ty));
        let of_member = self.member.zip(block).is_some_and(|(member, block)| {
            module.member_decoration(block, member, kind).is_some() || module.has_decoration(block, kind)
        });
        of_member || module.has_decoration(self.variable, kind)
    }
}

/// The push constant block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConstants {
    /// The variable.
    pub variable: Id,
    /// The structure.
    pub ty: Id,
    /// `BankNV`: which bank of push constants the block lies in; zero when it does not say.
    pub bank: u32,
    /// Least offset of a member, in bytes of its bank, `MemberOffsetNV` included.
    pub offset: u32,
    /// End of the last member, in bytes.
    pub end: u64,
}

/// A variable that is passed along rays, between shaders of a ray pipeline, or from task to mesh shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The variable.
    pub variable: Id,
    /// Which kind: ray payload, hit attribute, callable data, task payload, …
    pub class: StorageClass,
    /// Its type.
    pub ty: Id,
    /// `Location`, for what trace and call instructions name by number.
    pub location: Option<u32>,
    /// Bytes, in the layout that we choose.
    pub size: u64,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// The constant.
    pub id: Id,
    /// `SpecId`
    pub spec_id: u32,
    /// Its type: a boolean, integer or float.
    pub ty: Id,
    /// Bytes of a `VkSpecializationMapEntry` for it; booleans take 4.
    pub size: u32,
    /// Its value under the specialization that the interface was made with: bits, zero-extended.
    pub bits: u64,
    /// Its name; empty when the module does not say.
    pub name: String,
}

/// Why the interface of an entry point cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterfaceError {
    /// A variable takes more locations than any device has, or is of a type that has none.
    #[error("{variable} ({name}) is of a type that has no locations, or takes more than {max}", max = LOCATION_COUNT_MAX)]
    Locations {
        /// The variable.
        variable: Id,
        /// Its name.
        name: String,
    },
}

/// What a pipeline and the neighbouring stages can see of an entry point: inputs, outputs, resources,
/// constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The stage.
    pub model: ExecutionModel,
    /// The entry point's name.
    pub name: String,
    /// The entry point's function.
    pub function: Id,
    /// The variables that it uses statically: those that its call tree names, and those that `OpEntryPoint`
    /// lists.
    pub used: BTreeSet<Id>,
    /// Inputs, by location where they have one.
    pub inputs: Vec<Variable>,
    /// Outputs, by location where they have one.
    pub outputs: Vec<Variable>,
    /// Built-ins, inputs before outputs.
    pub built_ins: Vec<BuiltInVariable>,
    /// Resources by set and binding.
    pub resources: Vec<Resource>,
    /// The push constant block; of several, that of bank zero.
    pub push_constants: Option<PushConstants>,
    /// The push constant blocks of every bank, by bank; there is more than one with `PushConstantBanksNV`
    /// only.
    pub push_constant_banks: Vec<PushConstants>,
    /// Payloads, hit attributes, callable data.
    pub payloads: Vec<Payload>,
    /// Bytes of `Workgroup` variables, in the layout that we choose or, for explicit ones, theirs.
    pub workgroup_storage_size: u64,
    /// Invocations of a workgroup in each dimension, for stages that have workgroups and say it.
    pub workgroup_size: Option<[u32; 3]>,
    /// Specialization constants of the module, by `SpecId`.
    pub spec_constants: Vec<SpecConstant>,
}

impl Interface {
    /// Computes the interface of an entry point, under the specialization that `constants` were evaluated
    /// with.
    ///
    /// # Errors
    /// When an input or output takes absurdly many locations.
    pub fn of(constants: &ConstantValues<'_>, entry: &EntryPoint<'_>) -> Result<Interface, InterfaceError> {
        let module = constants.module();
        let mut used = used_globals(module, entry.function);
        used.extend(entry.interface.iter());
        let mut interface = Interface {
            model: entry.model,
            name: entry.name().into_owned(),
            function: entry.function,
            inputs: Vec::new(),
            outputs: Vec::new(),
            built_ins: Vec::new(),
            resources: Vec::new(),
            push_constants: None,
            push_constant_banks: Vec::new(),
            payloads: Vec::new(),
            workgroup_storage_size: workgroup_storage_size(constants, &used),
            workgroup_size: workgroup_size(constants, entry),
            spec_constants: spec_constants(constants),
            used,
        };
        let variables: Vec<_> = interface.used.iter().filter_map(|&id| module.global(id)).collect();
        for variable in &variables {
            match variable.class {
                StorageClass::Input | StorageClass::Output => interface.add_user(constants, variable)?,
                StorageClass::PushConstant => interface.add_push_constants(constants, variable),
                StorageClass::RayPayloadKHR
                | StorageClass::IncomingRayPayloadKHR
                | StorageClass::HitAttributeKHR
                | StorageClass::CallableDataKHR
                | StorageClass::IncomingCallableDataKHR
                | StorageClass::HitObjectAttributeNV
                | StorageClass::TaskPayloadWorkgroupEXT => interface.add_payload(constants, variable),
                _ => interface.resources.extend(resource(constants, variable)),
            }
        }
        let order =
            |variable: &Variable| (variable.location.unwrap_or(u32::MAX), variable.component, variable.index);
        interface.inputs.sort_by_key(order);
        interface.outputs.sort_by_key(order);
        interface.built_ins.sort_by_key(|found| (found.class as u32, found.built_in as u32));
        interface.push_constant_banks.sort_by_key(|block| (block.bank, block.variable));
        let non_uniform = non_uniform_globals(module, entry.function);
        for resource in &mut interface.resources {
            resource.is_non_uniform = non_uniform.contains(&resource.variable);
        }
        interface.resources.sort_by_key(|found| (found.set, found.binding, found.variable));
        Ok(interface)
    }

    /// The user-defined variables of a direction.
    pub fn variables(&self, direction: Direction) -> &[Variable] {
        match direction {
            Direction::Input => &self.inputs,
            Direction::Output => &self.outputs,
        }
    }

    /// The built-in of a direction, when it is used.
    pub fn built_in(&self, built_in: BuiltIn, class: StorageClass) -> Option<&BuiltInVariable> {
        self.built_ins.iter().find(|found| found.built_in == built_in && found.class == class)
    }

    /// One more than the greatest location that a direction's variables take.
    pub fn location_end(&self, direction: Direction) -> u32 {
        let leaves = self.variables(direction).iter().flat_map(|variable| &variable.leaves);
        leaves.map(|leaf| leaf.location + 1 + leaf.words().end.saturating_sub(1) / 4).max().unwrap_or(0)
    }

    fn add_user(
        &mut self,
        constants: &ConstantValues<'_>,
        variable: &GlobalVariable<'_>,
    ) -> Result<(), InterfaceError> {
        let module = constants.module();
        let Some(outer) = variable.value_type else { return Ok(()) };
        let is_arrayed = is_arrayed(constants, self.model, variable);
        let ty = match module.ty(outer) {
            Type::Array { element, .. } | Type::RuntimeArray { element } if is_arrayed => element,
            _ => outer,
        };
        if let Some(built_in) = module.built_in(variable.id) {
            let (variable, class) = (variable.id, variable.class);
            self.built_ins.push(BuiltInVariable { built_in, variable, member: None, class, ty, is_arrayed });
            return Ok(());
        }
        // A block may be arrayed more than the interface is.
        let block = module.strip_arrays(ty);
        let is_block = module.has_decoration(block, Decoration::Block);
        let members = match module.ty(block) {
            Type::Struct { members } => members,
            _ => return self.add_variable(constants, variable, None, ty, is_arrayed, None),
        };
        let has_own = |kind| {
            (0..members.len() as u32).any(|index| module.member_decoration(block, index, kind).is_some())
        };
        // The elements of an array of blocks follow one another, from the variable's location on.
        let is_plain = !is_block || block != ty && !has_own(Decoration::Location);
        if is_plain && !has_own(Decoration::BuiltIn) {
            return self.add_variable(constants, variable, None, ty, is_arrayed, None);
        }
        // Members without a location follow the one before, from the variable's own.
        let mut next = module.decoration_literal(variable.id, Decoration::Location);
        for (index, member) in members.iter().enumerate() {
            let index = index as u32;
            if let Some(built_in) = module.member_built_in(block, index) {
                let (variable, class) = (variable.id, variable.class);
                let member_of = Some(index);
                self.built_ins.push(BuiltInVariable {
                    built_in,
                    variable,
                    member: member_of,
                    class,
                    ty: member,
                    is_arrayed,
                });
                continue;
            }
            let own = module.member_decoration_literal(block, index, Decoration::Location);
            let location = own.or(next);
            self.add_variable(constants, variable, Some((block, index)), member, is_arrayed, location)?;
            // One element for each view, all at the same locations.
            let per_view = module.member_decoration(block, index, Decoration::PerViewNV).is_some();
            let member = match module.ty(member) {
                Type::Array { element, .. } if per_view => element,
                _ => member,
            };
            let count = crate::location::location_count(constants, member).unwrap_or(0);
            next = location.and_then(|location| location.checked_add(u32::try_from(count).ok()?));
        }
        Ok(())
    }

    /// Adds a variable, or a member of a block. `location` is a member's that follows from those before.
    fn add_variable(
        &mut self,
        constants: &ConstantValues<'_>,
        variable: &GlobalVariable<'_>,
        member: Option<(Id, u32)>,
        ty: Id,
        is_arrayed: bool,
        location: Option<u32>,
    ) -> Result<(), InterfaceError> {
        let module = constants.module();
        let of_members = |block: Id, count: u32, kind| {
            (0..count).all(|index| module.member_decoration(block, index, kind).is_some())
        };
        let has = |kind| {
            let block = module.strip_arrays(ty);
            module.has_decoration(variable.id, kind)
                || match (member, module.ty(block)) {
                    (Some((block, index)), _) => module.member_decoration(block, index, kind).is_some(),
                    // Of an array of blocks, what all members say.
                    (None, Type::Struct { members }) if block != ty && !members.is_empty() => {
                        of_members(block, members.len() as u32, kind)
                    }
                    _ => false,
                }
        };
        let literal = |kind| {
            let of_member =
                member.and_then(|(block, index)| module.member_decoration_literal(block, index, kind));
            of_member.or_else(|| module.decoration_literal(variable.id, kind))
        };
        let own_name = match member {
            Some((block, index)) => module.member_name(block, index),
            None => module.name(variable.id),
        };
        let name = own_name.map(|name| name.into_owned()).unwrap_or_default();
        let location = match member {
            Some(_) => location,
            None => literal(Decoration::Location),
        };
        let component = literal(Decoration::Component).unwrap_or(0);
        // One element for each view, all at the same location.
        let ty = match module.ty(ty) {
            Type::Array { element, .. } if has(Decoration::PerViewNV) => element,
            _ => ty,
        };
        let mut found = Vec::new();
        if let Some(location) = location
            && leaves(constants, ty, location, component, &mut found).is_none()
        {
            return Err(InterfaceError::Locations { variable: variable.id, name });
        }
        let variable = Variable {
            variable: variable.id,
            member: member.map(|(_, index)| index),
            name,
            ty,
            is_arrayed,
            location,
            component,
            index: literal(Decoration::Index).unwrap_or(0),
            is_patch: has(Decoration::Patch),
            is_per_primitive: has(Decoration::PerPrimitiveEXT),
            interpolation: Interpolation {
                flat: has(Decoration::Flat),
                no_perspective: has(Decoration::NoPerspective),
                centroid: has(Decoration::Centroid),
                sample: has(Decoration::Sample),
                per_vertex: has(Decoration::PerVertexKHR) || has(Decoration::ExplicitInterpAMD),
            },
            leaves: found,
        };
        match module.global(variable.variable).map(|global| global.class) {
            Some(StorageClass::Output) => self.outputs.push(variable),
            _ => self.inputs.push(variable),
        }
        Ok(())
    }

    fn add_push_constants(&mut self, constants: &ConstantValues<'_>, variable: &GlobalVariable<'_>) {
        let module = constants.module();
        let Some(ty) = variable.value_type else { return };
        let Type::Struct { members } = module.ty(ty) else { return };
        let offsets = (0..members.len() as u32).filter_map(|member| module.member_layout(ty, member));
        let offset = offsets.map(|layout| layout.offset).min().unwrap_or(0);
        let end = Layouts::new(constants, LayoutKind::Explicit).extent(ty).map_or(0, |extent| extent.size);
        let literal = |kind| module.decoration_literal(variable.id, kind).unwrap_or(0);
        let (bank, shift) = (literal(Decoration::BankNV), literal(Decoration::MemberOffsetNV));
        let offset = offset.saturating_add(shift);
        let end = end.saturating_add(shift.into());
        let block = PushConstants { variable: variable.id, ty, bank, offset, end };
        if bank == 0 || self.push_constants.is_none() {
            self.push_constants = Some(block.clone());
        }
        self.push_constant_banks.push(block);
    }

    fn add_payload(&mut self, constants: &ConstantValues<'_>, variable: &GlobalVariable<'_>) {
        let Some(ty) = variable.value_type else { return };
        let size = Layouts::new(constants, LayoutKind::Logical).extent(ty).map_or(0, |extent| extent.size);
        let location = constants.module().decoration_literal(variable.id, Decoration::Location);
        self.payloads.push(Payload { variable: variable.id, class: variable.class, ty, location, size });
    }
}

/// Whether a variable has one element for each vertex of its primitive, patch or meshlet, or each primitive
/// of the latter.
fn is_arrayed(constants: &ConstantValues<'_>, model: ExecutionModel, variable: &GlobalVariable<'_>) -> bool {
    let module = constants.module();
    let Some(ty) = variable.value_type else { return false };
    let is_array = matches!(module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. });
    let block = module.strip_arrays(ty);
    let has = |kind| {
        module.has_decoration(variable.id, kind)
            || matches!(module.ty(block), Type::Struct { .. })
                && module.all_decorations(block).any(|found| found.kind == kind)
    };
    // These are arrays of their own, with no level for a vertex.
    let is_whole = matches!(
        module.built_in(variable.id),
        Some(
            BuiltIn::TessLevelInner
                | BuiltIn::TessLevelOuter
                | BuiltIn::SampleMask
                | BuiltIn::PrimitiveIndicesNV
                | BuiltIn::PrimitivePointIndicesEXT
                | BuiltIn::PrimitiveLineIndicesEXT
                | BuiltIn::PrimitiveTriangleIndicesEXT
                | BuiltIn::PrimitiveCountNV
        )
    );
    if !is_array || is_whole {
        return false;
    }
    match (model, variable.class) {
        (ExecutionModel::TessellationControl, _) => !has(Decoration::Patch),
        (ExecutionModel::TessellationEvaluation, StorageClass::Input) => !has(Decoration::Patch),
        (ExecutionModel::Geometry, StorageClass::Input) => true,
        (ExecutionModel::MeshEXT | ExecutionModel::MeshNV, StorageClass::Output) => true,
        (ExecutionModel::Fragment, StorageClass::Input) => has(Decoration::PerVertexKHR),
        _ => false,
    }
}

fn workgroup_storage_size(constants: &ConstantValues<'_>, used: &BTreeSet<Id>) -> u64 {
    let module = constants.module();
    let mut logical = Layouts::new(constants, LayoutKind::Logical);
    let mut explicit = Layouts::new(constants, LayoutKind::Explicit);
    let (mut sum, mut shared) = (0u64, 0u64);
    for variable in used.iter().filter_map(|&id| module.global(id)) {
        let Some(ty) = variable.value_type.filter(|_| variable.class == StorageClass::Workgroup) else {
            continue;
        };
        if module.has_decoration(ty, Decoration::Block) {
            // Explicit blocks alias one another.
            shared = shared.max(explicit.extent(ty).map_or(u64::MAX, |extent| extent.size));
        } else if let Ok(extent) = logical.extent(ty) {
            let start = sum.next_multiple_of(u64::from(extent.align));
            sum = start.saturating_add(extent.size);
        } else {
            sum = u64::MAX;
        }
    }
    sum.saturating_add(shared)
}

/// `LocalSize`, `LocalSizeId`, or a constant decorated `WorkgroupSize`, which overrides them.
fn workgroup_size(constants: &ConstantValues<'_>, entry: &EntryPoint<'_>) -> Option<[u32; 3]> {
    let module = constants.module();
    let constant = module.workgroup_sizes().find_map(|inst| constants.get(inst.result()?));
    if let Some(value) = constant {
        let part = |index| {
            let bits = constants.scalar_of(constants.element(value, index)?)?;
            u32::try_from(bits).ok()
        };
        return Some([part(0)?, part(1)?, part(2)?]);
    }
    if let Some(mode) = module.execution_mode(entry.function, ExecutionMode::LocalSizeId) {
        let ids: Vec<_> = mode.operands.iter().map(|&word| constants.unsigned(Id::from_u32(word))).collect();
        return match ids[..] {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        };
    }
    let mode = module.execution_mode(entry.function, ExecutionMode::LocalSize)?;
    mode.operands.try_into().ok()
}

/// The specialization constants of a module, by `SpecId`.
pub fn spec_constants(constants: &ConstantValues<'_>) -> Vec<SpecConstant> {
    let module = constants.module();
    let mut found: Vec<_> = module
        .spec_constants()
        .filter_map(|inst| {
            let (id, ty) = (inst.result()?, inst.result_type()?);
            Some(SpecConstant {
                id,
                spec_id: module.decoration_literal(id, Decoration::SpecId)?,
                ty,
                size: module.ty(ty).width().map_or(4, |width| width / 8),
                bits: constants.scalar(id)?,
                name: module.name(id).map(|name| name.into_owned()).unwrap_or_default(),
            })
        })
        .collect();
    found.sort_by_key(|constant| (constant.spec_id, constant.id));
    found
}
