//! Rules on entry points: what they may use in their stage.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage, StageRule};
use crate::vulkan::instruction::Applies;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel as Model, MemoryModel, Op, Scope,
    StorageClass,
};
use pyro_spirv::{Instruction, Type};
use std::collections::HashMap;

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-None-04633", no_parameters),
    ("VUID-StandaloneSpirv-None-08720", tile_image_stage),
    ("VUID-StandaloneSpirv-Execution-10584", |s| nested_component(s, StorageClass::Input)),
    ("VUID-StandaloneSpirv-Execution-10585", |s| nested_component(s, StorageClass::Output)),
    ("VUID-StandaloneSpirv-Output-10586", |s| overlap(s, false)),
    ("VUID-StandaloneSpirv-Output-10587", fragment_overlap),
    ("VUID-StandaloneSpirv-Input-10588", |s| overlap(s, true)),
    ("VUID-StandaloneSpirv-Input-10604", shared_interpolation),
    ("VUID-StandaloneSpirv-ViewportRelativeNV-04672", viewport_relative_stage),
    ("VUID-StandaloneSpirv-ViewportRelativeNV-04673", viewport_relative_needs),
    ("VUID-StandaloneSpirv-ViewportMaskNV-04674", viewport_mask_alone),
    ("VUID-StandaloneSpirv-VulkanMemoryModel-04678", volatile_built_in),
    ("VUID-StandaloneSpirv-OpVariable-06673", one_push_constant_block),
    ("VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565", reconverging_repack),
];

/// Rules on the instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    ("VUID-StandaloneSpirv-ExecutionModel-07320", has_memory_scope, tessellation_scope),
    ("VUID-StandaloneSpirv-MeshEXT-07107", |op| op == Op::Load, mesh_output_read),
    ("VUID-FragDepth-FragDepth-04216", |op| op == Op::Store, depth_replacing),
];

fn no_parameters(stage: &Stage<'_, '_, '_>) -> Verdict {
    let module = stage.cx.module;
    let Some(function) = module.function_of(stage.entry.function) else { return Ok(()) };
    let is_void = stage.cx.ty(module.function(function).result_type) == Type::Void;
    ensure!(
        is_void && module.parameters(function).next().is_none(),
        "an entry point has parameters or a return value"
    );
    Ok(())
}

fn tile_image_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_used = stage.used().any(|variable| variable.class == StorageClass::TileImageEXT);
    ensure!(!is_used || stage.model() == Model::Fragment, "a {:?} shader uses a tile image", stage.model());
    Ok(())
}

fn nested_component(stage: &Stage<'_, '_, '_>, class: StorageClass) -> Verdict {
    let is_arrayed = match class {
        StorageClass::Input => matches!(
            stage.model(),
            Model::TessellationControl | Model::TessellationEvaluation | Model::Geometry
        ),
        _ => matches!(stage.model(), Model::TessellationControl | Model::MeshNV | Model::MeshEXT),
    };
    let is_array = |ty| match stage.cx.ty(ty) {
        Type::Array { element, .. } => Some(element),
        _ => None,
    };
    for variable in stage.used().filter(|variable| variable.class == class) {
        let has = |kind| stage.cx.module.has_decoration(variable.id, kind);
        let levels = variable.value_type.and_then(is_array).and_then(is_array);
        let is_nested = levels.is_some() && !is_arrayed && !has(Decoration::PerVertexKHR);
        ensure!(
            !(is_nested && has(Decoration::Component)),
            "{} has a Component, but is an array of arrays",
            variable.id
        );
    }
    Ok(())
}

fn found_overlap(variables: &[pyro_interface::Variable]) -> Verdict {
    match pyro_interface::link::overlap(variables) {
        Some((first, second, location)) => {
            let (first, second) = (first.label(), second.label());
            Err(format!("{first} and {second} share a component of location {location}"))
        }
        None => Ok(()),
    }
}

fn overlap(stage: &Stage<'_, '_, '_>, is_input: bool) -> Verdict {
    let is_one = match stage.model() {
        Model::TessellationControl | Model::TessellationEvaluation | Model::Geometry => true,
        Model::Vertex => !is_input,
        Model::Fragment => is_input,
        _ => false,
    };
    match (is_one, is_input) {
        (false, _) => Ok(()),
        (true, true) => found_overlap(&stage.interface.inputs),
        (true, false) => found_overlap(&stage.interface.outputs),
    }
}

fn fragment_overlap(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() == Model::Fragment { found_overlap(&stage.interface.outputs) } else { Ok(()) }
}

fn shared_interpolation(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::Fragment {
        return Ok(());
    }
    let mut known = HashMap::new();
    for input in &stage.interface.inputs {
        for leaf in &input.leaves {
            let first = *known.entry(leaf.location).or_insert(input.interpolation);
            ensure!(
                first == input.interpolation,
                "inputs at location {} are decorated differently",
                leaf.location
            );
        }
    }
    Ok(())
}

fn viewport_relative<'s>(stage: &'s Stage<'_, '_, '_>) -> impl Iterator<Item = pyro_spirv::Id> + 's {
    let is_relative =
        |id: &pyro_spirv::Id| stage.cx.module.has_decoration(*id, Decoration::ViewportRelativeNV);
    stage.used().map(|variable| variable.id).filter(is_relative).collect::<Vec<_>>().into_iter()
}

fn uses(stage: &Stage<'_, '_, '_>, built_in: BuiltIn) -> bool {
    stage.interface.built_ins.iter().any(|found| found.built_in == built_in)
}

fn viewport_relative_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    for variable in viewport_relative(stage) {
        let is_layer = stage.cx.module.built_in(variable) == Some(BuiltIn::Layer);
        let is_stage =
            matches!(stage.model(), Model::Vertex | Model::TessellationEvaluation | Model::Geometry);
        ensure!(
            is_layer && is_stage,
            "{variable} is ViewportRelativeNV, but no layer that this stage writes"
        );
    }
    Ok(())
}

fn viewport_relative_needs(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_used = viewport_relative(stage).next().is_some();
    let has = uses(stage, BuiltIn::ViewportIndex) || uses(stage, BuiltIn::ViewportMaskNV);
    ensure!(!is_used || has, "ViewportRelativeNV is used without a viewport");
    Ok(())
}

fn viewport_mask_alone(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_geometry = stage.model() != Model::Fragment;
    let both = uses(stage, BuiltIn::ViewportIndex) && uses(stage, BuiltIn::ViewportMaskNV);
    ensure!(!(is_geometry && both), "both ViewportIndex and ViewportMaskNV are used");
    Ok(())
}

fn volatile_built_in(stage: &Stage<'_, '_, '_>) -> Verdict {
    if !super::instruction::waits_for_others(stage.model())
        || stage.cx.has_capability(Capability::VulkanMemoryModel)
    {
        return Ok(());
    }
    for found in &stage.interface.built_ins {
        let changes = super::instruction::CHANGING.contains(&found.built_in);
        let is_volatile = stage.cx.module.has_decoration(found.variable, Decoration::Volatile);
        ensure!(!changes || is_volatile, "{:?} changes in ray stages, but is not Volatile", found.built_in);
    }
    Ok(())
}

fn one_push_constant_block(stage: &Stage<'_, '_, '_>) -> Verdict {
    let listed = stage.entry.interface.iter().filter_map(|id| stage.cx.module.global(id));
    let count = listed.filter(|variable| variable.class == StorageClass::PushConstant).count();
    let has_banks = stage.cx.has_capability(Capability::PushConstantBanksNV);
    ensure!(count <= 1 || has_banks, "{count} push constant blocks are listed");
    Ok(())
}

/// Instructions after which invocations may be arranged anew.
fn is_repack(op: Op) -> bool {
    matches!(
        op,
        Op::TraceRayKHR
            | Op::TraceRayMotionNV
            | Op::ExecuteCallableKHR
            | Op::ReorderThreadWithHintNV
            | Op::ReorderThreadWithHitObjectNV
            | Op::HitObjectTraceRayNV
            | Op::HitObjectExecuteShaderNV
    )
}

fn reconverging_repack(stage: &Stage<'_, '_, '_>) -> Verdict {
    if !stage.has_mode(ExecutionMode::MaximallyReconvergesKHR) {
        return Ok(());
    }
    ensure!(!stage.any_instruction(|inst| is_repack(inst.op())), "invocations are repacked");
    Ok(())
}

fn has_memory_scope(op: Op) -> bool {
    facts(op).memory_scope.is_some()
}

fn tessellation_scope(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_glsl = stage.cx.module.memory_model().is_some_and(|(_, model)| model == MemoryModel::GLSL450);
    if stage.model() != Model::TessellationControl || !is_glsl {
        return Ok(());
    }
    let position = if inst.op() == Op::MemoryBarrier { 0 } else { 1 };
    let scope =
        inst.get_id(position).and_then(|id| stage.cx.constants.unsigned(id)).and_then(Scope::from_u32);
    ensure!(scope != Some(Scope::Workgroup), "memory of a workgroup needs the Vulkan memory model here");
    Ok(())
}

fn mesh_output_read(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_output =
        || stage.cx.pointer_value(inst.id(0)).is_ok_and(|(class, _)| class == StorageClass::Output);
    ensure!(stage.model() != Model::MeshEXT || !is_output(), "a mesh shader reads an output");
    Ok(())
}

fn depth_replacing(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    if stage.model() != Model::Fragment || stage.has_mode(ExecutionMode::DepthReplacing) {
        return Ok(());
    }
    let variable = super::instruction::base(stage.cx, inst.id(0));
    let is_depth =
        variable.is_some_and(|variable| stage.cx.module.built_in(variable.id) == Some(BuiltIn::FragDepth));
    ensure!(!is_depth, "FragDepth is written without DepthReplacing");
    Ok(())
}
