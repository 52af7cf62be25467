//! Rules on the stages in which a device has group operations.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Stage, StageRule};
use crate::vulkan::instruction::Applies;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{ExecutionModel as Model, Op};

/// Rules on the instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    ("VUID-RuntimeSpirv-None-06342", is_quad, quad_stage),
    ("VUID-RuntimeSpirv-None-06343", is_group, group_stage),
];

fn is_quad(op: Op) -> bool {
    pyro_spirv::grammar::table().get(op).name.starts_with("GroupNonUniformQuad")
}

fn quad_stage(stage: &Stage<'_, '_, '_>, _inst: Instruction<'_>) -> Verdict {
    let is_off = stage.cx.property("subgroupQuadOperationsInAllStages") == Some(0);
    let is_plain = matches!(stage.model(), Model::Fragment | Model::GLCompute);
    ensure!(!is_off || is_plain, "quad operations in a {:?} shader", stage.model());
    Ok(())
}

fn is_group(op: Op) -> bool {
    pyro_spirv::grammar::table().get(op).name.starts_with("GroupNonUniform")
}

/// `VkShaderStageFlagBits` of a stage.
pub(crate) fn stage_bit(model: Model) -> i64 {
    match model {
        Model::Vertex => 0x1,
        Model::TessellationControl => 0x2,
        Model::TessellationEvaluation => 0x4,
        Model::Geometry => 0x8,
        Model::Fragment => 0x10,
        Model::GLCompute => 0x20,
        Model::TaskEXT | Model::TaskNV => 0x40,
        Model::MeshEXT | Model::MeshNV => 0x80,
        Model::RayGenerationKHR => 0x100,
        Model::AnyHitKHR => 0x200,
        Model::ClosestHitKHR => 0x400,
        Model::MissKHR => 0x800,
        Model::IntersectionKHR => 0x1000,
        Model::CallableKHR => 0x2000,
        _ => 0,
    }
}

fn group_stage(stage: &Stage<'_, '_, '_>, _inst: Instruction<'_>) -> Verdict {
    let bit = stage_bit(stage.model());
    let stages = stage.cx.property("subgroupSupportedStages");
    let is_allowed = bit == 0 || stages.is_none_or(|stages| stages & bit != 0);
    ensure!(is_allowed, "{:?} shaders have no subgroup operations on this device", stage.model());
    Ok(())
}
