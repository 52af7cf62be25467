//! Rules on types that depend on the device: limits on vectors and cooperative vectors, matrices of workgroup
//! scope, shapes of tensors.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::declaration::Rule;
use pyro_spirv::spirv::{Capability, Op, Scope};
use pyro_spirv::{Instruction, Type};

/// Rules on one instruction before the functions.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-longVector-12296", vector_limit),
    ("VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094", cooperative_vector_limit),
    ("VUID-RuntimeSpirv-cooperativeMatrixWorkgroupScope-10164", matrix_workgroup_scope),
    ("VUID-RuntimeSpirv-OpTypeTensorARM-09902", tensor_shape),
    ("VUID-RuntimeSpirv-OpTypeTensorARM-09907", tensor_rank),
    ("VUID-RuntimeSpirv-GraphARM-09922", graph),
];

fn vector_limit(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let count = match inst.result().map(|id| cx.ty(id)) {
        Some(Type::Vector { count, .. }) => u64::from(count),
        Some(Type::CooperativeVector { count, .. }) if inst.op() == Op::TypeVectorIdEXT => {
            cx.constants.unsigned(count).map_or(0, u64::from)
        }
        _ => return Ok(()),
    };
    cx.at_most("the count of components", count, "maxVectorComponents")
}

fn cooperative_vector_limit(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeVector { count, .. }) = inst.result().map(|id| cx.ty(id)) else {
        return Ok(());
    };
    let count = cx.constants.unsigned(count).map_or(0, u64::from);
    cx.at_most("the count of components", count, "maxCooperativeVectorComponents")
}

fn matrix_workgroup_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeMatrixKhr { scope, .. }) = inst.result().map(|id| cx.ty(id)) else {
        return Ok(());
    };
    let is_workgroup = cx.constants.unsigned(scope).and_then(Scope::from_u32) == Some(Scope::Workgroup);
    let feature = "cooperativeMatrixWorkgroupScope";
    ensure!(!is_workgroup || !cx.lacks(feature), "a matrix of a workgroup needs {feature}");
    Ok(())
}

fn tensor_shape(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let has = matches!(inst.result().map(|id| cx.ty(id)), Some(Type::Tensor { shape: Some(_), .. }));
    // Graphs have shaped tensors; shaders do not.
    ensure!(!has || cx.has_capability(Capability::GraphARM), "a shader's tensor has a shape");
    Ok(())
}

fn tensor_rank(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let lacks = matches!(inst.result().map(|id| cx.ty(id)), Some(Type::Tensor { rank: None, .. }));
    ensure!(!lacks, "a shader's tensor has no rank");
    Ok(())
}

fn graph(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_graph = inst.op() == Op::Capability && inst.word(0) == Capability::GraphARM as u32;
    ensure!(!is_graph || cx.module.entry_points().len() == 0, "a shader's module declares GraphARM");
    Ok(())
}
