//! Rules on variables at module scope.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::variable::Rule;
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, Dim, FPEncoding, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Type};

/// The rules, by VUID.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-None-04643", class_exists),
    ("VUID-StandaloneSpirv-OpVariable-04651", initializer_class),
    ("VUID-StandaloneSpirv-OpVariable-04734", workgroup_initializer),
    ("VUID-StandaloneSpirv-UniformConstant-04655", uniform_constant_type),
    ("VUID-StandaloneSpirv-Uniform-06807", buffer_type),
    ("VUID-StandaloneSpirv-PushConstant-06808", push_constant_type),
    ("VUID-StandaloneSpirv-PushConstant-06675", block),
    ("VUID-StandaloneSpirv-Uniform-06676", uniform_block),
    ("VUID-StandaloneSpirv-UniformConstant-06677", set_and_binding),
    ("VUID-StandaloneSpirv-InputAttachmentIndex-06678", input_attachment_index),
    ("VUID-StandaloneSpirv-DescriptorSet-06491", set_and_binding_class),
    ("VUID-StandaloneSpirv-Location-06672", location_class),
    ("VUID-StandaloneSpirv-Location-04915", location_of_built_in),
    ("VUID-StandaloneSpirv-Location-04917", location_missing),
    ("VUID-StandaloneSpirv-Location-04918", location_twice),
    ("VUID-StandaloneSpirv-Location-04919", member_location_missing),
    ("VUID-StandaloneSpirv-Component-04920", component_range),
    ("VUID-StandaloneSpirv-Component-04921", component_narrow),
    ("VUID-StandaloneSpirv-Component-04922", component_wide),
    ("VUID-StandaloneSpirv-Component-04923", component_odd),
    ("VUID-StandaloneSpirv-Component-07703", component_long),
    ("VUID-StandaloneSpirv-Component-10583", component_type),
    ("VUID-StandaloneSpirv-Flat-04670", interpolation_class),
    ("VUID-StandaloneSpirv-TessLevelInner-10880", tess_level_patch),
    ("VUID-StandaloneSpirv-OpTypeRuntimeArray-04680", runtime_array),
    ("VUID-StandaloneSpirv-Input-07290", boolean_interface),
    ("VUID-StandaloneSpirv-OpTypeFloat-10370", bfloat_interface),
    ("VUID-StandaloneSpirv-OpUntypedVariableKHR-11167", untyped_data_type),
    ("VUID-StandaloneSpirv-Location-04916", location_user),
    ("VUID-StandaloneSpirv-Input-09557", address_interface),
    ("VUID-StandaloneSpirv-Invariant-04677", invariant_class),
    ("VUID-StandaloneSpirv-Function-04681", |cx, v| {
        sized_by_specialization(cx, v, "an array", |ty| match ty {
            Type::Array { len, .. } => Some(len),
            _ => None,
        })
    }),
    ("VUID-StandaloneSpirv-Function-12294", |cx, v| {
        sized_by_specialization(cx, v, "a vector", |ty| match ty {
            Type::CooperativeVector { count, .. } => Some(count),
            _ => None,
        })
    }),
    ("VUID-StandaloneSpirv-OpUntypedVariableKHR-11347", untyped_heap),
    ("VUID-StandaloneSpirv-TileImageEXT-08723", tile_image),
    ("VUID-StandaloneSpirv-None-08724", tile_image_only),
    ("VUID-StandaloneSpirv-TileAttachmentQCOM-10689", tile_attachment_capability),
    ("VUID-StandaloneSpirv-OpTypeImage-10693", tile_attachment_dimension),
    ("VUID-StandaloneSpirv-OpTypeImage-10694", tile_attachment_sampled),
    ("VUID-StandaloneSpirv-TileAttachmentQCOM-10695", tile_attachment_binding),
    ("VUID-StandaloneSpirv-TileAttachmentQCOM-10696", tile_attachment_component),
    ("VUID-StandaloneSpirv-OpTypeFloat-10823", float8_interface),
];

fn has(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>, decoration: Decoration) -> bool {
    cx.module.has_decoration(variable.id, decoration)
}

/// What the variable holds, without outer arrays.
fn bare_type(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<Id> {
    variable.value_type.map(|ty| cx.module.strip_arrays(ty))
}

fn is_interface(class: StorageClass) -> bool {
    matches!(class, StorageClass::Input | StorageClass::Output)
}

fn class_exists(_cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_missing = matches!(
        variable.class,
        StorageClass::CrossWorkgroup | StorageClass::Generic | StorageClass::AtomicCounter
    );
    ensure!(!is_missing, "storage class {:?} does not exist in Vulkan", variable.class);
    Ok(())
}

fn initializer_class(_cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let may_have = matches!(
        variable.class,
        StorageClass::Output | StorageClass::Private | StorageClass::Function | StorageClass::Workgroup
    );
    ensure!(
        variable.initializer.is_none() || may_have,
        "storage class {:?} has no initializers",
        variable.class
    );
    Ok(())
}

fn workgroup_initializer(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let initializer = variable.initializer.filter(|_| variable.class == StorageClass::Workgroup);
    let is_null = initializer.is_none_or(|id| cx.op_of(id) == Op::ConstantNull);
    ensure!(is_null, "workgroup memory is initialized with other than OpConstantNull");
    Ok(())
}

fn uniform_constant_type(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some(ty) = bare_type(cx, variable).filter(|_| variable.class == StorageClass::UniformConstant) else {
        return Ok(());
    };
    let is_handle = matches!(
        cx.ty(ty),
        Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::AccelerationStructure
            | Type::Tensor { .. }
            | Type::Other(_)
    );
    ensure!(is_handle, "{ty} is neither an image, sampler, acceleration structure nor tensor");
    Ok(())
}

fn buffer_type(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    if !matches!(variable.class, StorageClass::Uniform | StorageClass::StorageBuffer) {
        return Ok(());
    }
    // Of arrays one level.
    let ty = variable.value_type.map(|ty| match cx.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => cx.ty(element),
        found => found,
    });
    ensure!(
        matches!(ty, None | Some(Type::Struct { .. })),
        "a buffer is neither a structure nor an array of one"
    );
    Ok(())
}

fn push_constant_type(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let ty = variable.value_type.filter(|_| variable.class == StorageClass::PushConstant);
    let is_struct = ty.is_none_or(|ty| matches!(cx.ty(ty), Type::Struct { .. }));
    ensure!(is_struct, "push constants are not structure");
    Ok(())
}

fn block(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let needs_block = matches!(variable.class, StorageClass::PushConstant | StorageClass::StorageBuffer);
    let is_block = bare_type(cx, variable).is_none_or(|ty| cx.module.has_decoration(ty, Decoration::Block));
    ensure!(!needs_block || is_block, "the structure is not decorated Block");
    Ok(())
}

fn uniform_block(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some(ty) = bare_type(cx, variable).filter(|_| variable.class == StorageClass::Uniform) else {
        return Ok(());
    };
    let is_block =
        [Decoration::Block, Decoration::BufferBlock].iter().any(|&kind| cx.module.has_decoration(ty, kind));
    ensure!(is_block, "the structure is decorated neither Block nor BufferBlock");
    Ok(())
}

fn is_resource(class: StorageClass) -> bool {
    matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
}

fn set_and_binding(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_heap =
        matches!(cx.module.built_in(variable.id), Some(BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT));
    if !is_resource(variable.class) || is_heap {
        return Ok(());
    }
    ensure!(has(cx, variable, Decoration::DescriptorSet), "the resource has no DescriptorSet");
    ensure!(has(cx, variable, Decoration::Binding), "the resource has no Binding");
    Ok(())
}

fn input_attachment_index(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_uniform = variable.class == StorageClass::UniformConstant;
    let has_index = has(cx, variable, Decoration::InputAttachmentIndex);
    ensure!(is_uniform || !has_index, "InputAttachmentIndex is on other than UniformConstant");
    Ok(())
}

fn set_and_binding_class(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let has_either = has(cx, variable, Decoration::DescriptorSet) || has(cx, variable, Decoration::Binding);
    ensure!(
        is_resource(variable.class) || !has_either,
        "DescriptorSet or Binding is on a variable that is not a resource"
    );
    Ok(())
}

fn location_class(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let may_have = matches!(
        variable.class,
        StorageClass::Input
            | StorageClass::Output
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::HitObjectAttributeNV
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::ShaderRecordBufferKHR
            | StorageClass::TileImageEXT
    );
    let has_either = has(cx, variable, Decoration::Location) || has(cx, variable, Decoration::Component);
    ensure!(may_have || !has_either, "Location or Component is on storage class {:?}", variable.class);
    Ok(())
}

fn location_of_built_in(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_built_in = has(cx, variable, Decoration::BuiltIn);
    let has_either = has(cx, variable, Decoration::Location) || has(cx, variable, Decoration::Component);
    ensure!(!is_built_in || !has_either, "a built-in has a Location or Component");
    Ok(())
}

/// The block that a user-defined input or output is, its members and whether any is a built-in.
fn interface_block<'m>(cx: &Context<'_, 'm>, variable: &GlobalVariable<'m>) -> Option<(Id, u32, bool)> {
    let ty = bare_type(cx, variable).filter(|_| is_interface(variable.class))?;
    let Type::Struct { members } = cx.ty(ty) else { return None };
    let is_block = cx.module.has_decoration(ty, Decoration::Block);
    let has_built_ins = cx.module.all_decorations(ty).any(|found| found.kind == Decoration::BuiltIn);
    is_block.then_some((ty, members.len() as u32, has_built_ins))
}

fn location_missing(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_user = is_interface(variable.class) && !has(cx, variable, Decoration::BuiltIn);
    let built_in_members = bare_type(cx, variable)
        .is_some_and(|ty| cx.module.all_decorations(ty).any(|found| found.kind == Decoration::BuiltIn));
    if !is_user || built_in_members || interface_block(cx, variable).is_some() {
        return Ok(());
    }
    ensure!(has(cx, variable, Decoration::Location), "an input or output has no Location");
    Ok(())
}

fn location_twice(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some(ty) = bare_type(cx, variable).filter(|_| is_interface(variable.class)) else { return Ok(()) };
    let is_struct = matches!(cx.ty(ty), Type::Struct { .. });
    if !is_struct || !has(cx, variable, Decoration::Location) {
        return Ok(());
    }
    let of_member = cx
        .module
        .all_decorations(ty)
        .any(|found| found.member.is_some() && found.kind == Decoration::Location);
    ensure!(!of_member, "the variable and a member of its structure both have a Location");
    Ok(())
}

fn member_location_missing(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some((ty, count, false)) = interface_block(cx, variable) else { return Ok(()) };
    if has(cx, variable, Decoration::Location) {
        return Ok(());
    }
    // Members of the first mesh extension's task outputs have offsets.
    let of_task = |member| cx.module.member_decoration(ty, member, Decoration::PerTaskNV).is_some();
    for member in (0..count).filter(|member| !of_task(*member)) {
        let has_location = cx.module.member_decoration(ty, member, Decoration::Location).is_some();
        ensure!(has_location, "member {member} of the block has no Location, nor has the variable");
    }
    Ok(())
}

/// The component number, the width of a component and how many the variable's scalar or vector has.
fn component(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<(u32, u32, u32)> {
    let number = cx.module.decoration_literal(variable.id, Decoration::Component)?;
    let shape = cx.shape(bare_type(cx, variable)?)?;
    Some((number, shape.width(), shape.count()))
}

fn component_range(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let number = cx.module.decoration_literal(variable.id, Decoration::Component).unwrap_or(0);
    ensure!(number <= 3, "component {number} is beyond 3");
    Ok(())
}

fn component_narrow(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some((number, ..=32, count)) = component(cx, variable) else { return Ok(()) };
    ensure!(
        number.saturating_add(count) <= 4,
        "{count} components from component {number} pass the location's end"
    );
    Ok(())
}

fn component_wide(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some((number, 64, count @ ..=2)) = component(cx, variable) else { return Ok(()) };
    let end = number.saturating_add(2 * count);
    ensure!(end <= 4, "{count} wide components from component {number} pass the location's end");
    Ok(())
}

fn component_odd(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some((number, 64, ..=2)) = component(cx, variable) else { return Ok(()) };
    ensure!(!matches!(number, 1 | 3), "a 64-bit type begins at component {number}");
    Ok(())
}

fn component_long(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_long = matches!(component(cx, variable), Some((_, 64, 3..)));
    ensure!(!is_long, "a 64-bit vector of more than two components has a Component");
    Ok(())
}

fn component_type(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let has_component = has(cx, variable, Decoration::Component);
    let is_plain = bare_type(cx, variable).is_some_and(|ty| cx.shape(ty).is_some());
    ensure!(!has_component || is_plain, "Component is on other than scalars, vectors and arrays of these");
    Ok(())
}

pub(super) const INTERPOLATION: [Decoration; 4] =
    [Decoration::Flat, Decoration::NoPerspective, Decoration::Sample, Decoration::Centroid];

fn interpolation_class(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let found = INTERPOLATION.iter().find(|&&kind| has(cx, variable, kind));
    let is_fine = is_interface(variable.class) || found.is_none();
    ensure!(is_fine, "{found:?} is on other than inputs and outputs");
    Ok(())
}

fn tess_level_patch(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_level =
        matches!(cx.module.built_in(variable.id), Some(BuiltIn::TessLevelInner | BuiltIn::TessLevelOuter));
    ensure!(!is_level || has(cx, variable, Decoration::Patch), "a tessellation level is not decorated Patch");
    Ok(())
}

fn runtime_array(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let Some(ty) = variable.value_type else { return Ok(()) };
    // An array of descriptors may be one, and the blocks in it may end in one.
    let (is_outer, inner) = match cx.ty(ty) {
        Type::RuntimeArray { element } => (true, element),
        Type::Array { element, .. } => (false, element),
        _ => (false, ty),
    };
    let is_resource = is_resource(variable.class);
    ensure!(!is_outer || is_resource, "a runtime array is in storage class {:?}", variable.class);
    let has_capability =
        || crate::capabilities::declared(cx).contains(&pyro_spirv::spirv::Capability::RuntimeDescriptorArray);
    ensure!(!is_outer || has_capability(), "a runtime array of resources needs RuntimeDescriptorArray");
    if cx.facts(inner).has_runtime_array {
        // Of uniform blocks, rule 11806 asks for the feature.
        let is_uniform =
            variable.class == StorageClass::Uniform && cx.module.has_decoration(inner, Decoration::Block);
        let is_storage = variable.class == StorageClass::StorageBuffer
            || is_uniform
            || cx.module.has_decoration(inner, Decoration::BufferBlock)
            || variable.class == StorageClass::ShaderRecordBufferKHR
            || variable.class == StorageClass::NodePayloadAMDX;
        ensure!(is_storage, "a variable that ends in a runtime array is no block of a buffer");
    }
    Ok(())
}

fn boolean_interface(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_boolean = bare_type(cx, variable).is_some_and(|ty| cx.ty(ty) == Type::Bool);
    let is_user = is_interface(variable.class) && !has(cx, variable, Decoration::BuiltIn);
    ensure!(!is_boolean || !is_user, "a boolean is an input or output, but no built-in");
    Ok(())
}

fn bfloat_interface(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let shape = bare_type(cx, variable).and_then(|ty| cx.shape(ty)).filter(|_| is_interface(variable.class));
    let is_bfloat = shape.is_some_and(|shape| {
        matches!(shape.component, Type::Float { encoding: Some(FPEncoding::BFloat16KHR), .. })
    });
    ensure!(!is_bfloat, "a bfloat16 is an input or output");
    Ok(())
}

fn untyped_data_type(_cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_untyped = variable.inst.op() == Op::UntypedVariableKHR;
    let may_lack = variable.class == StorageClass::UniformConstant;
    ensure!(
        !is_untyped || may_lack || variable.value_type.is_some(),
        "the variable does not say its data type"
    );
    Ok(())
}

fn bare(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<Id> {
    variable.value_type.map(|ty| cx.module.strip_arrays(ty))
}

/// The members of an input or output block that have a decoration.
fn any_member(cx: &Context<'_, '_>, ty: Id, decoration: Decoration) -> bool {
    cx.module.all_decorations(ty).any(|found| found.member.is_some() && found.kind == decoration)
}

fn location_user(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    // Built-in members of a block beside user-defined ones with locations.
    let Some(ty) = bare(cx, variable).filter(|_| is_interface(variable.class)) else { return Ok(()) };
    let Type::Struct { members } = cx.ty(ty) else { return Ok(()) };
    for member in 0..members.len() as u32 {
        let has = |kind| cx.module.member_decoration(ty, member, kind).is_some();
        ensure!(
            !(has(Decoration::BuiltIn) && has(Decoration::Location)),
            "member {member} is a built-in with a Location"
        );
    }
    Ok(())
}

fn address_interface(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_user = is_interface(variable.class) && !has(cx, variable, Decoration::BuiltIn);
    let is_address =
        |ty| matches!(cx.ty(ty), Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. });
    let Some(ty) = bare(cx, variable).filter(|_| is_user) else { return Ok(()) };
    let is_found = match cx.ty(ty) {
        Type::Struct { members } => members.iter().any(|member| is_address(cx.module.strip_arrays(member))),
        _ => is_address(ty),
    };
    ensure!(!is_found, "an input or output holds an address");
    Ok(())
}

fn invariant_class(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let of_members = bare(cx, variable).is_some_and(|ty| {
        matches!(cx.ty(ty), Type::Struct { .. }) && any_member(cx, ty, Decoration::Invariant)
    });
    let is_invariant = has(cx, variable, Decoration::Invariant) || of_members;
    ensure!(!is_invariant || is_interface(variable.class), "Invariant is on other than inputs and outputs");
    Ok(())
}

/// Whether the size of a type is a specialization constant, or computed from one.
fn is_specialized(cx: &Context<'_, '_>, ty: Id, size: Size) -> bool {
    let Some(len) = size(cx.ty(ty)) else { return false };
    let (mut seen, mut pending) = (std::collections::HashSet::new(), vec![len]);
    while let Some(id) = pending.pop() {
        let Some(inst) = cx.module.definition(id).filter(|_| seen.insert(id)) else { continue };
        match inst.op() {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => return true,
            Op::SpecConstantOp | Op::SpecConstantComposite => pending.extend(inst.id_operands()),
            _ => {}
        }
    }
    false
}

/// The constant that is the size of the types that a rule is about.
type Size = fn(Type<'_>) -> Option<Id>;

/// Whether what is sized by a specialization constant is in a type, below its outer level.
fn contains_specialized(cx: &Context<'_, '_>, ty: Id, size: Size) -> bool {
    let (mut seen, mut pending) = (std::collections::HashSet::new(), Vec::new());
    let push = |ty: Id, pending: &mut Vec<Id>| match cx.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => pending.push(element),
        Type::Struct { members } => pending.extend(members.iter()),
        _ => {}
    };
    push(ty, &mut pending);
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        if is_specialized(cx, ty, size) {
            return true;
        }
        push(ty, &mut pending);
    }
    false
}

fn sized_by_specialization(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
    what: &str,
    size: Size,
) -> Verdict {
    let Some(ty) = variable.value_type else { return Ok(()) };
    let is_block = cx.module.has_decoration(cx.module.strip_arrays(ty), Decoration::Block);
    let is_free = match variable.class {
        StorageClass::Function | StorageClass::Private => true,
        StorageClass::Workgroup => !is_block,
        // The level of arrayed interfaces is not looked below.
        StorageClass::Input | StorageClass::Output => true,
        _ => false,
    };
    ensure!(
        is_free || !contains_specialized(cx, ty, size),
        "{what} sized by a specialization constant lies in a type of {:?} memory",
        variable.class
    );
    Ok(())
}

fn untyped_heap(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_bare = variable.inst.op() == Op::UntypedVariableKHR
        && variable.class == StorageClass::UniformConstant
        && variable.value_type.is_none();
    let is_heap =
        matches!(cx.module.built_in(variable.id), Some(BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT));
    ensure!(!is_bare || is_heap, "a variable without a data type is not a heap");
    Ok(())
}

fn is_tile_image(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> bool {
    bare(cx, variable)
        .is_some_and(|ty| matches!(cx.ty(ty), Type::Image(image) if image.dim == Dim::DimTileImageDataEXT))
}

fn tile_image(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    if variable.class != StorageClass::TileImageEXT {
        return Ok(());
    }
    ensure!(has(cx, variable, Decoration::Location), "a tile image has no Location");
    ensure!(!has(cx, variable, Decoration::Component), "a tile image has a Component");
    Ok(())
}

fn tile_image_only(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_class = variable.class == StorageClass::TileImageEXT;
    ensure!(!is_class || is_tile_image(cx, variable), "a variable in TileImageEXT is not a tile image");
    Ok(())
}

fn is_tile_attachment(variable: &GlobalVariable<'_>) -> bool {
    variable.class == StorageClass::TileAttachmentQCOM
}

fn tile_attachment_capability(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_declared = cx.has_capability(Capability::TileShadingQCOM);
    ensure!(!is_tile_attachment(variable) || is_declared, "a tile attachment needs TileShadingQCOM");
    Ok(())
}

fn tile_attachment_image(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
) -> Option<pyro_spirv::ImageType> {
    match cx.ty(bare(cx, variable).filter(|_| is_tile_attachment(variable))?) {
        Type::Image(image) => Some(image),
        _ => None,
    }
}

fn tile_attachment_dimension(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_2d = tile_attachment_image(cx, variable).is_none_or(|image| image.dim == Dim::Dim2D);
    ensure!(is_2d, "a tile attachment is not 2D");
    Ok(())
}

fn tile_attachment_sampled(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_known = tile_attachment_image(cx, variable).is_none_or(|image| matches!(image.sampled, 1 | 2));
    ensure!(is_known, "it must be known whether a tile attachment is used with a sampler");
    Ok(())
}

fn tile_attachment_binding(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_bound = has(cx, variable, Decoration::DescriptorSet) && has(cx, variable, Decoration::Binding);
    ensure!(!is_tile_attachment(variable) || is_bound, "a tile attachment lacks DescriptorSet or Binding");
    Ok(())
}

fn tile_attachment_component(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let has_component = has(cx, variable, Decoration::Component);
    ensure!(!is_tile_attachment(variable) || !has_component, "a tile attachment has a Component");
    Ok(())
}

fn float8_interface(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let shape = bare(cx, variable).and_then(|ty| cx.shape(ty)).filter(|_| is_interface(variable.class));
    let is_float8 = shape.is_some_and(|shape| {
        let Type::Float { encoding, .. } = shape.component else { return false };
        matches!(encoding, Some(FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT))
    });
    ensure!(!is_float8, "an 8-bit float is an input or output");
    Ok(())
}
