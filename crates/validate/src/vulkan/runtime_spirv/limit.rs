//! Rules on sizes and counts of entry points.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_interface::{ResourceKind, Variable};
use pyro_spirv::Type;
use pyro_spirv::spirv::{BuiltIn, ExecutionMode as Mode, ExecutionModel as Model, StorageClass};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-x-06429", |s| side(s, Model::GLCompute, 0, "maxComputeWorkGroupSize[0]")),
    ("VUID-RuntimeSpirv-y-06430", |s| side(s, Model::GLCompute, 1, "maxComputeWorkGroupSize[1]")),
    ("VUID-RuntimeSpirv-z-06431", |s| side(s, Model::GLCompute, 2, "maxComputeWorkGroupSize[2]")),
    ("VUID-RuntimeSpirv-x-06432", |s| invocations(s, Model::GLCompute, "maxComputeWorkGroupInvocations")),
    ("VUID-RuntimeSpirv-TaskEXT-07291", |s| side(s, Model::TaskEXT, 0, "maxTaskWorkGroupSize[0]")),
    ("VUID-RuntimeSpirv-TaskEXT-07292", |s| side(s, Model::TaskEXT, 1, "maxTaskWorkGroupSize[1]")),
    ("VUID-RuntimeSpirv-TaskEXT-07293", |s| side(s, Model::TaskEXT, 2, "maxTaskWorkGroupSize[2]")),
    ("VUID-RuntimeSpirv-TaskEXT-07294", |s| invocations(s, Model::TaskEXT, "maxTaskWorkGroupInvocations")),
    ("VUID-RuntimeSpirv-MeshEXT-07295", |s| side(s, Model::MeshEXT, 0, "maxMeshWorkGroupSize[0]")),
    ("VUID-RuntimeSpirv-MeshEXT-07296", |s| side(s, Model::MeshEXT, 1, "maxMeshWorkGroupSize[1]")),
    ("VUID-RuntimeSpirv-MeshEXT-07297", |s| side(s, Model::MeshEXT, 2, "maxMeshWorkGroupSize[2]")),
    ("VUID-RuntimeSpirv-MeshEXT-07298", |s| invocations(s, Model::MeshEXT, "maxMeshWorkGroupInvocations")),
    ("VUID-RuntimeSpirv-MeshNV-07113", |s| {
        mode_count(s, Model::MeshNV, Mode::OutputVertices, "maxMeshOutputVertices")
    }),
    ("VUID-RuntimeSpirv-MeshNV-07114", |s| {
        mode_count(s, Model::MeshNV, Mode::OutputPrimitivesEXT, "maxMeshOutputPrimitives")
    }),
    ("VUID-RuntimeSpirv-MeshEXT-07115", |s| {
        mode_count(s, Model::MeshEXT, Mode::OutputVertices, "maxMeshOutputVertices")
    }),
    ("VUID-RuntimeSpirv-MeshEXT-07116", |s| {
        mode_count(s, Model::MeshEXT, Mode::OutputPrimitivesEXT, "maxMeshOutputPrimitives")
    }),
    ("VUID-RuntimeSpirv-Workgroup-06530", |s| {
        storage(s, Model::GLCompute, true, false, "maxComputeSharedMemorySize")
    }),
    ("VUID-RuntimeSpirv-maxComputeSharedMemorySize-10168", reserved_storage),
    ("VUID-RuntimeSpirv-maxMeshSharedMemorySize-08754", |s| {
        storage(s, Model::MeshEXT, true, false, "maxMeshSharedMemorySize")
    }),
    ("VUID-RuntimeSpirv-maxMeshPayloadAndSharedMemorySize-08755", |s| {
        storage(s, Model::MeshEXT, true, true, "maxMeshPayloadAndSharedMemorySize")
    }),
    ("VUID-RuntimeSpirv-maxTaskPayloadSize-08758", |s| {
        storage(s, Model::TaskEXT, false, true, "maxTaskPayloadSize")
    }),
    ("VUID-RuntimeSpirv-maxTaskSharedMemorySize-08759", |s| {
        storage(s, Model::TaskEXT, true, false, "maxTaskSharedMemorySize")
    }),
    ("VUID-RuntimeSpirv-maxTaskPayloadAndSharedMemorySize-08760", |s| {
        storage(s, Model::TaskEXT, true, true, "maxTaskPayloadAndSharedMemorySize")
    }),
    ("VUID-RuntimeSpirv-Location-06272", locations),
    ("VUID-RuntimeSpirv-Location-06428", combined_outputs),
    ("VUID-RuntimeSpirv-OpEntryPoint-08727", input_attachments),
    ("VUID-RuntimeSpirv-maxPushDataSize-12455", push_constants),
    ("VUID-RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09193", |s| {
        node_payload(s, StorageClass::NodePayloadAMDX)
    }),
    ("VUID-RuntimeSpirv-NodePayloadAMDX-09192", node_payload_stage),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-00704", |s| {
        stage_feature(s, &[Model::Geometry], "geometryShader")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-00705", |s| {
        stage_feature(s, &[Model::TessellationControl, Model::TessellationEvaluation], "tessellationShader")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-02091", |s| {
        stage_feature(s, &[Model::MeshEXT, Model::MeshNV], "meshShader")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-02092", |s| {
        stage_feature(s, &[Model::TaskEXT, Model::TaskNV], "taskShader")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-clustercullingShader-07813", |s| {
        stage_feature(s, &[Model::ClusterCullingHUAWEI], "clustercullingShader")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-maxClipDistances-00708", |s| {
        distances(s, &[BuiltIn::ClipDistance], "maxClipDistances")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-maxCullDistances-00709", |s| {
        distances(s, &[BuiltIn::CullDistance], "maxCullDistances")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-maxCombinedClipAndCullDistances-00710", |s| {
        distances(s, &[BuiltIn::ClipDistance, BuiltIn::CullDistance], "maxCombinedClipAndCullDistances")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-maxSampleMaskWords-00711", |s| {
        distances(s, &[BuiltIn::SampleMask], "maxSampleMaskWords")
    }),
    ("VUID-RuntimeSpirv-NonWritable-06340", |s| writes(s, &[Model::Fragment], "fragmentStoresAndAtomics")),
    ("VUID-RuntimeSpirv-NonWritable-06341", |s| {
        writes(s, &PRE_RASTERIZATION, "vertexPipelineStoresAndAtomics")
    }),
    ("VUID-Layer-Layer-04273", |s| outside_geometry(s, BuiltIn::Layer, "shaderOutputLayer")),
    ("VUID-ViewportIndex-ViewportIndex-04405", |s| {
        outside_geometry(s, BuiltIn::ViewportIndex, "shaderOutputViewportIndex")
    }),
    ("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-12275", mesh_shading_rate),
];

const PRE_RASTERIZATION: [Model; 4] =
    [Model::Vertex, Model::TessellationControl, Model::TessellationEvaluation, Model::Geometry];

fn side(stage: &Stage<'_, '_, '_>, model: Model, dimension: usize, limit: &str) -> Verdict {
    let size = stage.interface.workgroup_size.filter(|_| stage.model() == model);
    let Some(size) = size else { return Ok(()) };
    stage.cx.at_most("the workgroup's size", size[dimension].into(), limit)
}

fn invocations(stage: &Stage<'_, '_, '_>, model: Model, limit: &str) -> Verdict {
    let size = stage.interface.workgroup_size.filter(|_| stage.model() == model);
    let count = size.unwrap_or([0; 3]).iter().map(|&side| u64::from(side)).fold(1, u64::saturating_mul);
    stage.cx.at_most("the count of the workgroup's invocations", count, limit)
}

fn mode_count(stage: &Stage<'_, '_, '_>, model: Model, mode: Mode, limit: &str) -> Verdict {
    let mode = stage.cx.module.execution_mode(stage.entry.function, mode).filter(|_| stage.model() == model);
    let count = mode.and_then(|mode| mode.operands.first().copied()).unwrap_or(0);
    stage.cx.at_most("the count", count.into(), limit)
}

fn storage(
    stage: &Stage<'_, '_, '_>,
    model: Model,
    has_workgroup: bool,
    has_payload: bool,
    limit: &str,
) -> Verdict {
    if stage.model() != model {
        return Ok(());
    }
    let mut size = if has_workgroup { stage.interface.workgroup_storage_size } else { 0 };
    if has_payload {
        let payloads = stage.interface.payloads.iter();
        let task = payloads.filter(|payload| payload.class == StorageClass::TaskPayloadWorkgroupEXT);
        size = task.map(|payload| payload.size).fold(size, u64::saturating_add);
    }
    stage.cx.at_most("the count of bytes", size, limit)
}

/// Matrices that a workgroup shares take some of its memory.
fn reserved_storage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let cx = stage.cx;
    let reserved = cx.property("cooperativeMatrixWorkgroupScopeReservedSharedMemory");
    let limit = cx.property("maxComputeSharedMemorySize");
    let (Some(reserved), Some(limit)) = (reserved, limit) else { return Ok(()) };
    if stage.model() != Model::GLCompute || !super::cooperative::has_workgroup_matrix(cx) {
        return Ok(());
    }
    let (size, left) = (stage.interface.workgroup_storage_size, limit.saturating_sub(reserved));
    let is_fine = i64::try_from(size).is_ok_and(|size| size <= left);
    ensure!(is_fine, "workgroup memory takes {size} bytes, matrices of the workgroup leave {left}");
    Ok(())
}

/// The greatest location, plus one, that variables take.
fn location_end(variables: &[Variable]) -> u64 {
    let leaves = variables.iter().flat_map(|variable| &variable.leaves);
    let ends =
        leaves.map(|leaf| u64::from(leaf.location) + if leaf.width == 64 && leaf.count > 2 { 2 } else { 1 });
    ends.max().unwrap_or(0)
}

fn locations(stage: &Stage<'_, '_, '_>) -> Verdict {
    // Limits are in components, four to a location, but where locations are attributes or attachments.
    let (input, output) = match stage.model() {
        Model::Vertex => (Some(("maxVertexInputAttributes", 1)), Some(("maxVertexOutputComponents", 4))),
        Model::TessellationControl => (
            Some(("maxTessellationControlPerVertexInputComponents", 4)),
            Some(("maxTessellationControlPerVertexOutputComponents", 4)),
        ),
        Model::TessellationEvaluation => (
            Some(("maxTessellationEvaluationInputComponents", 4)),
            Some(("maxTessellationEvaluationOutputComponents", 4)),
        ),
        Model::Geometry => {
            (Some(("maxGeometryInputComponents", 4)), Some(("maxGeometryOutputComponents", 4)))
        }
        Model::Fragment => {
            (Some(("maxFragmentInputComponents", 4)), Some(("maxFragmentOutputAttachments", 1)))
        }
        Model::MeshEXT => (None, Some(("maxMeshOutputComponents", 4))),
        _ => return Ok(()),
    };
    let sides = [(&stage.interface.inputs, input, "inputs"), (&stage.interface.outputs, output, "outputs")];
    for (variables, limit, what) in sides {
        // Patch variables have limits of their own.
        let own: Vec<Variable> = variables.iter().filter(|variable| !variable.is_patch).cloned().collect();
        let Some((limit, unit)) = limit else { continue };
        let end = location_end(&own) * unit;
        // Locations that are attributes or attachments have no built-ins beside them.
        let beside = match (unit, what) {
            (1, _) => 0,
            (_, "inputs") => block_components(stage, StorageClass::Input),
            _ => block_components(stage, StorageClass::Output),
        };
        match beside {
            0 => stage.cx.at_most(&format!("the end of the {what}"), end, limit)?,
            _ => {
                let message = format!("the end of the {what}, with {beside} components of built-ins,");
                stage.cx.at_most(&message, end.saturating_add(beside), limit)?;
            }
        }
    }
    Ok(())
}

/// Components of 32 bits that the block of built-ins of an interface takes.
fn block_components(stage: &Stage<'_, '_, '_>, class: StorageClass) -> u64 {
    let mut layouts =
        pyro_spirv::layout::Layouts::new(&stage.cx.constants, pyro_spirv::layout::LayoutKind::Logical);
    let members = stage.interface.built_ins.iter();
    let members = members.filter(|found| found.class == class && found.member.is_some());
    members.map(|found| layouts.extent(found.ty).map_or(0, |extent| extent.size / 4)).sum()
}

fn combined_outputs(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::Fragment {
        return Ok(());
    }
    let is_storage = |kind| {
        matches!(
            kind,
            ResourceKind::StorageBuffer | ResourceKind::StorageImage | ResourceKind::StorageTexelBuffer
        )
    };
    let resources = stage.interface.resources.iter().filter(|resource| is_storage(resource.kind));
    let storage: u64 = resources.map(|resource| resource.count.unwrap_or(1)).fold(0, u64::saturating_add);
    let outputs: std::collections::BTreeSet<u32> =
        stage.interface.outputs.iter().flat_map(|output| &output.leaves).map(|leaf| leaf.location).collect();
    let count = storage.saturating_add(outputs.len() as u64);
    stage.cx.at_most(
        "the count of storage resources and attachments",
        count,
        "maxFragmentCombinedOutputResources",
    )
}

fn push_constants(stage: &Stage<'_, '_, '_>) -> Verdict {
    let end = stage.interface.push_constants.as_ref().map_or(0, |block| block.end);
    stage.cx.at_most("the size of the push constants", end, "maxPushDataSize")
}

fn node_payload(stage: &Stage<'_, '_, '_>, class: StorageClass) -> Verdict {
    let mut layouts =
        pyro_spirv::layout::Layouts::new(&stage.cx.constants, pyro_spirv::layout::LayoutKind::Logical);
    for variable in stage.used().filter(|variable| variable.class == class) {
        let size = variable.value_type.and_then(|ty| layouts.extent(ty).ok()).map_or(0, |extent| extent.size);
        stage.cx.at_most("the size of a node's payload", size, "maxExecutionGraphShaderPayloadSize")?;
    }
    Ok(())
}

fn node_payload_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_used = stage.used().any(|variable| variable.class == StorageClass::NodePayloadAMDX);
    let is_allowed = matches!(stage.model(), Model::GLCompute | Model::MeshEXT);
    ensure!(!is_used || is_allowed, "a {:?} shader has a node payload", stage.model());
    Ok(())
}

fn stage_feature(stage: &Stage<'_, '_, '_>, models: &[Model], feature: &str) -> Verdict {
    let is_one = models.contains(&stage.model());
    ensure!(!is_one || !stage.cx.lacks(feature), "{:?} shaders need the feature {feature}", stage.model());
    Ok(())
}

/// The sum of the lengths of built-in arrays; inputs and outputs each by themselves.
fn distances(stage: &Stage<'_, '_, '_>, built_ins: &[BuiltIn], limit: &str) -> Verdict {
    for class in [StorageClass::Input, StorageClass::Output] {
        let found = stage.interface.built_ins.iter();
        let found = found.filter(|found| found.class == class && built_ins.contains(&found.built_in));
        let len = found.map(|found| match stage.cx.ty(found.ty) {
            Type::Array { .. } => stage.cx.constants.array_len(found.ty).unwrap_or(0),
            _ => 0,
        });
        let sum = len.fold(0, u64::saturating_add);
        stage.cx.at_most(&format!("the length of {built_ins:?}"), sum, limit)?;
    }
    Ok(())
}

fn writes(stage: &Stage<'_, '_, '_>, models: &[Model], feature: &str) -> Verdict {
    if !models.contains(&stage.model()) || !stage.cx.lacks(feature) {
        return Ok(());
    }
    for resource in &stage.interface.resources {
        let is_storage = matches!(
            resource.kind,
            ResourceKind::StorageBuffer | ResourceKind::StorageImage | ResourceKind::StorageTexelBuffer
        );
        stage.look_at(resource.variable);
        ensure!(
            !is_storage || resource.access.non_writable,
            "{} is not NonWritable, and {feature} is off",
            resource.label()
        );
    }
    Ok(())
}

fn outside_geometry(stage: &Stage<'_, '_, '_>, built_in: BuiltIn, feature: &str) -> Verdict {
    let has = stage.interface.built_ins.iter().any(|found| found.built_in == built_in);
    let is_allowed =
        matches!(stage.model(), Model::Geometry | Model::Fragment | Model::MeshEXT | Model::MeshNV);
    // Extensions allow it, too.
    let device = stage.cx.environment.device.as_ref();
    let is_extended = device.is_some_and(|device| {
        device.has_extension("VK_EXT_shader_viewport_index_layer")
            || device.has_extension("VK_NV_viewport_array2")
    });
    ensure!(
        !has || is_allowed || is_extended || !stage.cx.lacks(feature),
        "{built_in:?} in a {:?} shader needs the feature {feature}",
        stage.model()
    );
    Ok(())
}

fn mesh_shading_rate(stage: &Stage<'_, '_, '_>) -> Verdict {
    let has =
        stage.interface.built_ins.iter().any(|found| found.built_in == BuiltIn::PrimitiveShadingRateKHR);
    let is_mesh = stage.model() == Model::MeshEXT;
    let feature = "primitiveFragmentShadingRateMeshShader";
    ensure!(!has || !is_mesh || !stage.cx.lacks(feature), "a mesh shader's shading rate needs {feature}");
    Ok(())
}

/// The aspects of an attachment that is read as floats are colour and depth, as integers colour and stencil:
/// two variables of an index that give the same kind of number would be of one aspect.
fn input_attachments(stage: &Stage<'_, '_, '_>) -> Verdict {
    let module = stage.cx.module;
    let mut seen: Vec<(u64, u64, Type<'_>)> = Vec::new();
    for resource in &stage.interface.resources {
        let (Some(index), Some(image)) = (resource.input_attachment_index, resource.image) else { continue };
        let Some(count) = resource.count else { continue };
        let (start, kind) = (u64::from(index), module.ty(image.sampled_type));
        let overlaps = |(from, len, of): &(u64, u64, Type<'_>)| {
            start < from.saturating_add(*len) && *from < start.saturating_add(count) && *of == kind
        };
        if seen.iter().any(overlaps) {
            stage.look_at(resource.variable);
            return Err(format!(
                "{} has InputAttachmentIndex {index} and gives numbers of the same type as another variable does",
                resource.label()
            ));
        }
        seen.push((start, count, kind));
    }
    Ok(())
}
