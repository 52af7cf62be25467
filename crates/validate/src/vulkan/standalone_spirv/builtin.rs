//! Rules on built-ins beyond the table of `pyro_interface`: what mesh shaders and others decorate besides,
//! and which execution modes built-ins need.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage, StageRule};
use crate::vulkan::instruction::Applies;
use pyro_interface::BuiltInVariable;
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op, StorageClass,
};
use pyro_spirv::{Id, Instruction, Type};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("Built-in Interface Block", one_block),
    ("VUID-ClipDistancePerViewNV-ClipDistancePerViewNV-04194", |s| {
        per_view(s, BuiltIn::ClipDistancePerViewNV)
    }),
    ("VUID-CullDistancePerViewNV-CullDistancePerViewNV-04203", |s| {
        per_view(s, BuiltIn::CullDistancePerViewNV)
    }),
    ("VUID-LayerPerViewNV-LayerPerViewNV-04279", |s| per_view(s, BuiltIn::LayerPerViewNV)),
    ("VUID-CullPrimitiveEXT-CullPrimitiveEXT-07038", |s| per_primitive(s, BuiltIn::CullPrimitiveEXT)),
    ("VUID-Layer-Layer-07039", |s| per_primitive(s, BuiltIn::Layer)),
    ("VUID-PrimitiveId-PrimitiveId-07040", |s| per_primitive(s, BuiltIn::PrimitiveId)),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-07059", |s| {
        per_primitive(s, BuiltIn::PrimitiveShadingRateKHR)
    }),
    ("VUID-ViewportIndex-ViewportIndex-07060", |s| per_primitive(s, BuiltIn::ViewportIndex)),
    ("VUID-CullPrimitiveEXT-CullPrimitiveEXT-07036", |s| mesh_type(s, BuiltIn::CullPrimitiveEXT)),
    ("VUID-Layer-Layer-10592", |s| mesh_type(s, BuiltIn::Layer)),
    ("VUID-PrimitiveId-PrimitiveId-10595", |s| mesh_type(s, BuiltIn::PrimitiveId)),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10598", |s| {
        mesh_type(s, BuiltIn::PrimitiveShadingRateKHR)
    }),
    ("VUID-ViewportIndex-ViewportIndex-10601", |s| mesh_type(s, BuiltIn::ViewportIndex)),
    ("VUID-CullPrimitiveEXT-CullPrimitiveEXT-10589", |s| array_size(s, BuiltIn::CullPrimitiveEXT, false)),
    ("VUID-CullPrimitiveEXT-CullPrimitiveEXT-10590", |s| array_size(s, BuiltIn::CullPrimitiveEXT, true)),
    ("VUID-Layer-Layer-10593", |s| array_size(s, BuiltIn::Layer, false)),
    ("VUID-Layer-Layer-10594", |s| array_size(s, BuiltIn::Layer, true)),
    ("VUID-PrimitiveId-PrimitiveId-10596", |s| array_size(s, BuiltIn::PrimitiveId, false)),
    ("VUID-PrimitiveId-PrimitiveId-10597", |s| array_size(s, BuiltIn::PrimitiveId, true)),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10599", |s| {
        array_size(s, BuiltIn::PrimitiveShadingRateKHR, false)
    }),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10600", |s| {
        array_size(s, BuiltIn::PrimitiveShadingRateKHR, true)
    }),
    ("VUID-ViewportIndex-ViewportIndex-10602", |s| array_size(s, BuiltIn::ViewportIndex, false)),
    ("VUID-ViewportIndex-ViewportIndex-10603", |s| array_size(s, BuiltIn::ViewportIndex, true)),
    ("VUID-CullPrimitiveEXT-CullPrimitiveEXT-10591", one_cull_primitive),
    ("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07042", |s| {
        needs_mode(s, BuiltIn::PrimitivePointIndicesEXT, Mode::OutputPoints)
    }),
    ("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07048", |s| {
        needs_mode(s, BuiltIn::PrimitiveLineIndicesEXT, Mode::OutputLinesEXT)
    }),
    ("VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07054", |s| {
        needs_mode(s, BuiltIn::PrimitiveTriangleIndicesEXT, Mode::OutputTrianglesEXT)
    }),
    ("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07046", |s| {
        indices_size(s, BuiltIn::PrimitivePointIndicesEXT, None, 1)
    }),
    ("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07052", |s| {
        indices_size(s, BuiltIn::PrimitiveLineIndicesEXT, None, 1)
    }),
    ("VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07058", |s| {
        indices_size(s, BuiltIn::PrimitiveTriangleIndicesEXT, None, 1)
    }),
    ("VUID-PrimitiveIndicesNV-OutputPoints-04342", |s| {
        indices_size(s, BuiltIn::PrimitiveIndicesNV, Some(Mode::OutputPoints), 1)
    }),
    ("VUID-PrimitiveIndicesNV-OutputLinesNV-04343", |s| {
        indices_size(s, BuiltIn::PrimitiveIndicesNV, Some(Mode::OutputLinesEXT), 2)
    }),
    ("VUID-PrimitiveIndicesNV-OutputTrianglesNV-04344", |s| {
        indices_size(s, BuiltIn::PrimitiveIndicesNV, Some(Mode::OutputTrianglesEXT), 3)
    }),
    ("VUID-PrimitiveId-Fragment-04333", primitive_id_capability),
    ("VUID-WorkgroupSize-TileShadingRateQCOM-10635", tile_workgroup_size),
    ("VUID-FullyCoveredEXT-conservativeRasterizationPostDepthCoverage-04235", post_depth_coverage),
    ("VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04415", viewport_masks),
];

/// Rules on the instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    ("VUID-PositionPerViewNV-PositionPerViewNV-04326", is_access_chain, |s, inst| {
        constant_view(s, inst, BuiltIn::PositionPerViewNV)
    }),
    ("VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04417", is_access_chain, |s, inst| {
        constant_view(s, inst, BuiltIn::ViewportMaskPerViewNV)
    }),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04487", is_store, |s, inst| {
        shading_rate(s, inst, |rate| rate & 0x3 != 0x3, "two heights")
    }),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04488", is_store, |s, inst| {
        shading_rate(s, inst, |rate| rate & 0xc != 0xc, "two widths")
    }),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04489", is_store, |s, inst| {
        shading_rate(s, inst, |rate| rate & !0xf == 0, "bits that have no meaning")
    }),
];

/// An interface has at most one block of built-ins; what mesh shaders write may have one for each vertex and
/// one for each primitive.
fn one_block(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_mesh = matches!(stage.model(), Model::MeshEXT | Model::MeshNV);
    let mut seen: Vec<((StorageClass, bool), Id)> = Vec::new();
    for found in stage.interface.built_ins.iter().filter(|found| found.member.is_some()) {
        let is_per_primitive = is_mesh
            && found.class == StorageClass::Output
            && found.has_decoration(stage.cx.module, Decoration::PerPrimitiveEXT);
        let interface = (found.class, is_per_primitive);
        match seen.iter().find(|(known, _)| *known == interface) {
            None => seen.push((interface, found.variable)),
            Some(&(_, block)) if block == found.variable => {}
            Some((_, block)) => {
                stage.look_at(found.variable);
                return Err(format!(
                    "{} is a second block of built-ins beside {block} in the {:?} interface",
                    found.variable, found.class
                ));
            }
        }
    }
    Ok(())
}

fn is_store(op: Op) -> bool {
    op == Op::Store
}

/// A built-in with one element for each view is indexed by constants.
fn constant_view(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>, built_in: BuiltIn) -> Verdict {
    let Some((found, used)) = inst.result().and_then(|pointer| reached(stage, pointer)) else {
        return Ok(());
    };
    let variables = stage.interface.built_ins.iter();
    let Some(variable) = variables.clone().find(|found| found.built_in == built_in) else { return Ok(()) };
    if found != built_in {
        return Ok(());
    }
    // The level of arrayed interfaces, which a member lies below, comes before that of views.
    let place = 1 + used + usize::from(variable.is_arrayed && variable.member.is_none());
    let is_constant = inst.get_id(place).is_none_or(|index| stage.cx.is_constant(index));
    ensure!(is_constant, "{built_in:?} is indexed by a view that is not constant");
    Ok(())
}

/// Constants that are written as shading rates; other values are known at run time only.
fn shading_rate(
    stage: &Stage<'_, '_, '_>,
    inst: Instruction<'_>,
    is_fine: fn(u32) -> bool,
    message: &str,
) -> Verdict {
    let Some(rate) = stage.cx.constants.unsigned(inst.id(1)) else { return Ok(()) };
    let found = reached(stage, inst.id(0)).map(|(built_in, _)| built_in);
    let is_rate = found == Some(BuiltIn::PrimitiveShadingRateKHR);
    ensure!(!is_rate || is_fine(rate), "the shading rate {rate:#x} has {message}");
    Ok(())
}

fn each<'s>(
    stage: &'s Stage<'_, '_, '_>,
    built_in: BuiltIn,
) -> impl Iterator<Item = &'s BuiltInVariable> + 's {
    stage.interface.built_ins.iter().filter(move |found| found.built_in == built_in)
}

/// Outputs of a mesh shader.
fn of_mesh<'s>(
    stage: &'s Stage<'_, '_, '_>,
    built_in: BuiltIn,
) -> impl Iterator<Item = &'s BuiltInVariable> + 's {
    let is_mesh = stage.model() == Model::MeshEXT;
    each(stage, built_in).filter(move |found| is_mesh && found.class == StorageClass::Output)
}

/// Whether a built-in, its variable or its block is decorated.
pub(crate) fn has(stage: &Stage<'_, '_, '_>, found: &BuiltInVariable, kind: Decoration) -> bool {
    found.has_decoration(stage.cx.module, kind)
}

/// The built-in that a pointer leads to, or into, with the count of the chain's indices up to it; none when a
/// chain of chains leads there.
pub(super) fn reached(stage: &Stage<'_, '_, '_>, pointer: Id) -> Option<(BuiltIn, usize)> {
    let module = stage.cx.module;
    let (base, indices) = match module.definition(pointer) {
        Some(inst) if is_access_chain(inst.op()) => (inst.id(0), inst.ids_from(1).iter().collect::<Vec<_>>()),
        _ => (pointer, Vec::new()),
    };
    let variable = module.global(base)?;
    if let Some(built_in) = module.built_in(variable.id) {
        return Some((built_in, 0));
    }
    let mut ty = variable.value_type?;
    for (place, index) in indices.into_iter().enumerate() {
        ty = match module.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Struct { members } => {
                let member = stage.cx.constants.unsigned(index)?;
                if let Some(built_in) = module.member_built_in(ty, member) {
                    return Some((built_in, place + 1));
                }
                members.get(member as usize)?
            }
            _ => return None,
        };
    }
    None
}

fn per_view(stage: &Stage<'_, '_, '_>, built_in: BuiltIn) -> Verdict {
    for found in each(stage, built_in) {
        ensure!(has(stage, found, Decoration::PerViewNV), "{built_in:?} is not decorated PerViewNV");
    }
    Ok(())
}

fn per_primitive(stage: &Stage<'_, '_, '_>, built_in: BuiltIn) -> Verdict {
    for found in of_mesh(stage, built_in) {
        ensure!(
            has(stage, found, Decoration::PerPrimitiveEXT),
            "{built_in:?} is not decorated PerPrimitiveEXT"
        );
    }
    Ok(())
}

fn mesh_type(stage: &Stage<'_, '_, '_>, built_in: BuiltIn) -> Verdict {
    for found in of_mesh(stage, built_in) {
        let is_scalar = match stage.cx.ty(found.ty) {
            Type::Bool => built_in == BuiltIn::CullPrimitiveEXT,
            Type::Int { width: 32, .. } => built_in != BuiltIn::CullPrimitiveEXT,
            _ => false,
        };
        ensure!(found.is_arrayed && is_scalar, "{built_in:?} is not one value for each primitive");
    }
    Ok(())
}

/// The count that a mode gives.
fn count(stage: &Stage<'_, '_, '_>, mode: Mode) -> Option<u64> {
    let found = stage.cx.module.execution_mode(stage.entry.function, mode)?;
    found.operands.first().map(|&count| count.into())
}

/// The length of a variable's outer array.
fn length(stage: &Stage<'_, '_, '_>, found: &BuiltInVariable) -> Option<u64> {
    let ty = stage.cx.module.global(found.variable)?.value_type?;
    match stage.cx.ty(ty) {
        Type::Array { .. } => stage.cx.constants.array_len(ty),
        _ => None,
    }
}

fn array_size(stage: &Stage<'_, '_, '_>, built_in: BuiltIn, is_member: bool) -> Verdict {
    let Some(primitives) = count(stage, Mode::OutputPrimitivesEXT) else { return Ok(()) };
    for found in of_mesh(stage, built_in).filter(|found| found.member.is_some() == is_member) {
        let len = length(stage, found).unwrap_or(primitives);
        ensure!(len == primitives, "{built_in:?} has {len} elements for {primitives} primitives");
    }
    Ok(())
}

fn one_cull_primitive(stage: &Stage<'_, '_, '_>) -> Verdict {
    let count = of_mesh(stage, BuiltIn::CullPrimitiveEXT).count();
    ensure!(count <= 1, "CullPrimitiveEXT is declared {count} times");
    Ok(())
}

fn needs_mode(stage: &Stage<'_, '_, '_>, built_in: BuiltIn, mode: Mode) -> Verdict {
    let is_used = of_mesh(stage, built_in).next().is_some();
    ensure!(!is_used || stage.has_mode(mode), "{built_in:?} needs the mode {mode:?}");
    Ok(())
}

fn indices_size(
    stage: &Stage<'_, '_, '_>,
    built_in: BuiltIn,
    mode: Option<Mode>,
    each_takes: u64,
) -> Verdict {
    if mode.is_some_and(|mode| !stage.has_mode(mode)) {
        return Ok(());
    }
    let Some(primitives) = count(stage, Mode::OutputPrimitivesEXT) else { return Ok(()) };
    let needed = primitives.saturating_mul(each_takes);
    for found in each(stage, built_in).filter(|found| found.class == StorageClass::Output) {
        let len = length(stage, found).unwrap_or(needed);
        ensure!(len == needed, "{built_in:?} has {len} elements, but {needed} are needed");
    }
    Ok(())
}

fn primitive_id_capability(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_read = stage.model() == Model::Fragment && each(stage, BuiltIn::PrimitiveId).next().is_some();
    let allowing = [
        Capability::MeshShadingEXT,
        Capability::MeshShadingNV,
        Capability::Geometry,
        Capability::Tessellation,
        // Each of these implies one of the above.
        Capability::GeometryPointSize,
        Capability::GeometryStreams,
        Capability::MultiViewport,
        Capability::TessellationPointSize,
    ];
    let is_allowed = allowing.iter().any(|&capability| stage.cx.has_capability(capability));
    ensure!(
        !is_read || is_allowed,
        "PrimitiveId in a fragment shader needs Geometry, Tessellation or mesh shading"
    );
    Ok(())
}

fn tile_workgroup_size(stage: &Stage<'_, '_, '_>) -> Verdict {
    if !stage.has_mode(Mode::TileShadingRateQCOM) {
        return Ok(());
    }
    // A constant's decoration is not a variable of the interface.
    let module = stage.cx.module;
    let on_constant = module.global_insts().any(|inst| {
        inst.result().is_some_and(|id| {
            module.global(id).is_none() && module.built_in(id) == Some(BuiltIn::WorkgroupSize)
        })
    });
    ensure!(!on_constant, "WorkgroupSize is not an input beside TileShadingRateQCOM");
    Ok(())
}

fn post_depth_coverage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_off = stage.cx.property("conservativeRasterizationPostDepthCoverage") == Some(0);
    let both =
        stage.has_mode(Mode::PostDepthCoverage) && each(stage, BuiltIn::FullyCoveredEXT).next().is_some();
    ensure!(!(is_off && both), "FullyCoveredEXT with PostDepthCoverage");
    Ok(())
}

fn viewport_masks(stage: &Stage<'_, '_, '_>) -> Verdict {
    for found in each(stage, BuiltIn::ViewportMaskPerViewNV) {
        let len = match stage.cx.ty(found.ty) {
            Type::Array { .. } => stage.cx.constants.array_len(found.ty).unwrap_or(0),
            _ => 0,
        };
        ensure!(len <= 32, "ViewportMaskPerViewNV has {len} elements");
    }
    Ok(())
}
