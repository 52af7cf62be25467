//! Rules on variables at module scope.

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, Dim, FPEncoding, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Type};

type Rule = fn(&Context<'_, '_>, &GlobalVariable<'_>) -> Verdict;

/// The rules, by VUID.
pub(crate) const RULES: &[(&str, Rule)] = &[
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

fn is_interface(class: StorageClass) -> bool {
    matches!(class, StorageClass::Input | StorageClass::Output)
}

fn bare(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<Id> {
    variable.value_type.map(|ty| cx.module.strip_arrays(ty))
}

fn has(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>, decoration: Decoration) -> bool {
    cx.module.has_decoration(variable.id, decoration)
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
    ensure!(!is_bare || is_heap, "a variable without a data type is no heap");
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
    ensure!(!is_class || is_tile_image(cx, variable), "a variable in TileImageEXT is no tile image");
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
