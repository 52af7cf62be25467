//! What a pipeline's creation says of a stage (`VkPipelineShaderStageCreateInfo`, `VkSpecializationInfo`, flags of the
//! pipeline), held against the module and the device. A rule is one function, listed with its VUID.

mod heap;

pub use heap::{Mapping, MappingSource};

use crate::context::{Verdict, ensure};
use crate::device::Device;
use pyro_interface::Interface;
use pyro_spirv::spirv::{BuiltIn, Capability, ExecutionMode, ExecutionModel as Model, Op, RayFlags, Scope};
use pyro_spirv::{ConstantValues, Instruction, Module, Type};

/// `VkSpecializationMapEntry`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// `constantID`
    pub constant_id: u32,
    /// `offset` in bytes.
    pub offset: u32,
    /// `size` in bytes.
    pub size: usize,
}

/// What a pipeline's creation says of a stage.
#[derive(Clone, Debug)]
pub struct StageInfo<'a> {
    /// `stage`
    pub model: Model,
    /// `pName`
    pub name: &'a str,
    /// `VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT`
    pub allows_varying_subgroup_size: bool,
    /// `VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT`
    pub requires_full_subgroups: bool,
    /// `VkPipelineShaderStageRequiredSubgroupSizeCreateInfo`, when chained.
    pub required_subgroup_size: Option<u32>,
    /// `pMapEntries` of the specialization.
    pub map_entries: &'a [MapEntry],
    /// `dataSize` of the specialization, in bytes.
    pub data_size: usize,
    /// `VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR`
    pub skips_triangles: bool,
    /// `VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR`
    pub skips_aabbs: bool,
    /// `VK_PIPELINE_CREATE_RAY_TRACING_ALLOW_MOTION_BIT_NV`
    pub allows_motion: bool,
    /// `VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT`
    pub has_64_bit_indexing: bool,
    /// The view mask of the subpass or of dynamic rendering; zero without multiview.
    pub view_mask: u32,
    /// `pMappings` of `VkShaderDescriptorSetAndBindingMappingInfoEXT`, when chained.
    pub mappings: &'a [Mapping],
    /// The stage is a shader object, not part of a pipeline.
    pub is_shader_object: bool,
    /// `VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT` of the subpass.
    pub shades_regions: bool,
    /// `minSampleShading`, where sample shading is enabled.
    pub min_sample_shading: Option<f32>,
}

impl<'a> StageInfo<'a> {
    /// A stage of which nothing else is said.
    pub fn new(model: Model, name: &'a str) -> Self {
        StageInfo {
            model,
            name,
            allows_varying_subgroup_size: false,
            requires_full_subgroups: false,
            required_subgroup_size: None,
            map_entries: &[],
            data_size: 0,
            skips_triangles: false,
            skips_aabbs: false,
            allows_motion: false,
            has_64_bit_indexing: false,
            view_mask: 0,
            mappings: &[],
            is_shader_object: false,
            shades_regions: false,
            min_sample_shading: None,
        }
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFinding {
    /// The rule: a VUID.
    pub rule: &'static str,
    /// What is wrong, in plain words.
    pub message: String,
}

struct Cx<'c> {
    info: &'c StageInfo<'c>,
    device: &'c Device,
    module: &'c Module,
    constants: &'c ConstantValues<'c>,
    interface: Option<Interface>,
}

type Rule = fn(&Cx<'_>) -> Verdict;

const RULES: &[(&str, Rule)] = &[
    ("VUID-VkPipelineShaderStageCreateInfo-pName-00707", entry_exists),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02784", |cx| {
        needs(cx, cx.info.allows_varying_subgroup_size, "subgroupSizeControl")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02785", |cx| {
        needs(cx, cx.info.requires_full_subgroups, "computeFullSubgroups")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-08988", full_stage),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-02754", required_and_varying),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-02755", required_stage),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-02756", required_invocations),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-02757", |cx| {
        let info = cx.info;
        full_width(cx, info.required_subgroup_size.filter(|_| info.requires_full_subgroups))
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02758", |cx| {
        let is_asked = cx.info.requires_full_subgroups && cx.info.allows_varying_subgroup_size;
        full_width(cx, property(cx, "maxSubgroupSize").filter(|_| is_asked))
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02759", |cx| {
        let is_plain = !cx.info.allows_varying_subgroup_size && cx.info.required_subgroup_size.is_none();
        full_width(cx, property(cx, "subgroupSize").filter(|_| is_plain && cx.info.requires_full_subgroups))
    }),
    ("VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760", |cx| {
        let size = cx.info.required_subgroup_size;
        ensure!(size.is_none_or(u32::is_power_of_two), "the subgroup size {size:?} is not a power of two");
        Ok(())
    }),
    ("VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02761", |cx| {
        let least = property(cx, "minSubgroupSize");
        let is_fine = cx.info.required_subgroup_size.zip(least).is_none_or(|(size, least)| size >= least);
        ensure!(is_fine, "the subgroup size is below minSubgroupSize, which is {least:?}");
        Ok(())
    }),
    ("VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02762", |cx| {
        let greatest = property(cx, "maxSubgroupSize");
        let found = cx.info.required_subgroup_size.zip(greatest);
        let is_fine = found.is_none_or(|(size, greatest)| size <= greatest);
        ensure!(is_fine, "the subgroup size is above maxSubgroupSize, which is {greatest:?}");
        Ok(())
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-module-08987", |cx| matrix_width(cx, Scope::Subgroup)),
    ("VUID-VkPipelineShaderStageCreateInfo-module-10169", |cx| matrix_width(cx, Scope::Workgroup)),
    ("VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10770", |cx| full_matrices(cx, false)),
    ("VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10771", |cx| full_matrices(cx, true)),
    ("VUID-RuntimeSpirv-SampleRateShading-06378", |cx| {
        let is_fine = !cx.info.shades_regions
            || cx.info.model != Model::Fragment
            || !cx.module.has_capability(Capability::SampleRateShading);
        ensure!(is_fine, "the subpass shades regions of fragments, the shader declares SampleRateShading");
        Ok(())
    }),
    ("VUID-RuntimeSpirv-minSampleShading-08732", tile_reads),
    ("VUID-VkSpecializationInfo-offset-00773", |cx| {
        let outside = cx.info.map_entries.iter().find(|entry| entry.offset as usize >= cx.info.data_size);
        ensure!(outside.is_none(), "{outside:?} begins behind the data's {} bytes", cx.info.data_size);
        Ok(())
    }),
    ("VUID-VkSpecializationInfo-pMapEntries-00774", |cx| {
        let left = |entry: &&MapEntry| cx.info.data_size.saturating_sub(entry.offset as usize);
        let outside = cx.info.map_entries.iter().find(|entry| entry.size > left(entry));
        ensure!(outside.is_none(), "{outside:?} ends behind the data's {} bytes", cx.info.data_size);
        Ok(())
    }),
    ("VUID-VkSpecializationInfo-constantID-04911", unique_constants),
    ("VUID-VkSpecializationMapEntry-constantID-00776", constant_sizes),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06553", |cx| ray_flags(cx, &[Op::TraceRayKHR], 1, true)),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06554", |cx| ray_flags(cx, &[Op::TraceRayKHR], 1, false)),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07715", |cx| ray_flags(cx, HIT_OBJECT_NV, 2, true)),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07716", |cx| ray_flags(cx, HIT_OBJECT_NV, 2, false)),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11886", |cx| ray_flags(cx, HIT_OBJECT_EXT, 2, true)),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11887", |cx| ray_flags(cx, HIT_OBJECT_EXT, 2, false)),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06367", |cx| motion(cx, &[Op::TraceRayMotionNV])),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayMotionNV-07711", |cx| {
        motion(cx, &[Op::HitObjectTraceRayMotionNV])
    }),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayMotionEXT-11877", |cx| {
        motion(cx, &[Op::HitObjectTraceRayMotionEXT, Op::HitObjectTraceMotionReorderExecuteEXT])
    }),
    ("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulAddNV-11808", |cx| {
        narrow_offsets(cx, &[Op::CooperativeVectorMatrixMulNV], &[3])?;
        narrow_offsets(cx, &[Op::CooperativeVectorMatrixMulAddNV], &[3, 6])
    }),
    ("VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-11809", |cx| {
        let ops = [
            Op::CooperativeVectorLoadNV,
            Op::CooperativeVectorStoreNV,
            Op::CooperativeVectorOuterProductAccumulateNV,
            Op::CooperativeVectorReduceSumAccumulateNV,
        ];
        narrow_offsets(cx, &ops, &[1])
    }),
    ("VUID-RuntimeSpirv-OpConstantSizeOfEXT-11475", narrow_sizes),
    ("VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04416", views),
];

const HIT_OBJECT_NV: &[Op] = &[Op::HitObjectTraceRayNV, Op::HitObjectTraceRayMotionNV];

const HIT_OBJECT_EXT: &[Op] = &[
    Op::HitObjectTraceRayEXT,
    Op::HitObjectTraceRayMotionEXT,
    Op::HitObjectTraceReorderExecuteEXT,
    Op::HitObjectTraceMotionReorderExecuteEXT,
];

/// The rules of every file.
fn tables() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    RULES.iter().chain(heap::RULES)
}

/// Holds a stage's creation against every rule. The constants are the module's under the stage's specialization;
/// the module must have passed validation.
pub fn check(constants: &ConstantValues<'_>, info: &StageInfo<'_>, device: &Device) -> Vec<StageFinding> {
    let module = constants.module();
    let interface =
        module.entry_point(info.name, info.model).and_then(|entry| Interface::of(constants, &entry).ok());
    let cx = Cx { info, device, module, constants, interface };
    let verdicts = tables().map(|(rule, function)| (rule, function(&cx)));
    let broken = verdicts.filter_map(|(rule, verdict)| Some(StageFinding { rule, message: verdict.err()? }));
    broken.collect()
}

/// Every VUID that [`check`] may report, sorted.
pub fn covered_vuids() -> Vec<&'static str> {
    let mut covered: Vec<_> = tables().map(|(rule, _)| *rule).collect();
    covered.sort_unstable();
    covered
}

fn property(cx: &Cx<'_>, name: &str) -> Option<u32> {
    cx.device.property(name).and_then(|value| u32::try_from(value).ok())
}

fn needs(cx: &Cx<'_>, is_used: bool, feature: &str) -> Verdict {
    ensure!(!is_used || cx.device.has_feature(feature), "the flag needs the feature {feature}");
    Ok(())
}

fn entry_exists(cx: &Cx<'_>) -> Verdict {
    let (name, model) = (cx.info.name, cx.info.model);
    let has = cx.module.entry_point(name, model).is_some();
    ensure!(has, "the module has no {model:?} entry point '{name}'");
    Ok(())
}

fn full_stage(cx: &Cx<'_>) -> Verdict {
    let is_allowed = matches!(cx.info.model, Model::MeshEXT | Model::TaskEXT | Model::GLCompute);
    ensure!(
        !cx.info.requires_full_subgroups || is_allowed,
        "{:?} shaders have no workgroups that full subgroups could be of",
        cx.info.model
    );
    Ok(())
}

fn required_and_varying(cx: &Cx<'_>) -> Verdict {
    let both = cx.info.required_subgroup_size.is_some() && cx.info.allows_varying_subgroup_size;
    ensure!(!both, "a required subgroup size may not vary");
    Ok(())
}

fn required_stage(cx: &Cx<'_>) -> Verdict {
    needs(cx, cx.info.required_subgroup_size.is_some(), "subgroupSizeControl")?;
    let bit = crate::vulkan::runtime_spirv::group::stage_bit(cx.info.model);
    let is_fine = cx.device.property("requiredSubgroupSizeStages").is_none_or(|stages| stages & bit != 0);
    ensure!(
        cx.info.required_subgroup_size.is_none() || is_fine,
        "the device requires no subgroup size of {:?} shaders",
        cx.info.model
    );
    Ok(())
}

fn workgroup_size(cx: &Cx<'_>) -> Option<[u32; 3]> {
    cx.interface.as_ref()?.workgroup_size
}

fn invocations(size: [u32; 3]) -> u64 {
    size.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

fn required_invocations(cx: &Cx<'_>) -> Verdict {
    let subgroups = property(cx, "maxComputeWorkgroupSubgroups");
    let (Some(size), Some(required), Some(subgroups)) =
        (workgroup_size(cx), cx.info.required_subgroup_size, subgroups)
    else {
        return Ok(());
    };
    let (found, most) = (invocations(size), u64::from(required) * u64::from(subgroups));
    ensure!(found <= most, "{found} invocations are more than {subgroups} subgroups of {required} have");
    Ok(())
}

/// That the first side of a workgroup is a multiple of a subgroup, when one is given.
fn full_width(cx: &Cx<'_>, subgroup: Option<u32>) -> Verdict {
    let (Some([x, ..]), Some(subgroup)) = (workgroup_size(cx), subgroup.filter(|size| *size != 0)) else {
        return Ok(());
    };
    ensure!(x.is_multiple_of(subgroup), "the workgroup's width {x} is not a multiple of {subgroup}");
    Ok(())
}

/// Whether the module has cooperative matrices, of a scope or any.
fn has_matrices(cx: &Cx<'_>, scope: Option<Scope>) -> bool {
    cx.module.global_insts().any(|inst| match inst.result().map(|id| cx.module.ty(id)) {
        Some(Type::CooperativeMatrixKhr { scope: found, .. }) => {
            scope.is_none_or(|scope| cx.constants.unsigned(found) == Some(scope as u32))
        }
        _ => false,
    })
}

fn matrix_width(cx: &Cx<'_>, scope: Scope) -> Verdict {
    // The size that subgroups have in effect is known only if it does not vary.
    let of_device = || property(cx, "subgroupSize").filter(|_| !cx.info.allows_varying_subgroup_size);
    let subgroup = cx.info.required_subgroup_size.or_else(of_device).filter(|size| *size != 0);
    if !has_matrices(cx, Some(scope)) {
        return Ok(());
    }
    full_width(cx, subgroup)?;
    let (Some(size), Some(subgroup), Scope::Workgroup) = (workgroup_size(cx), subgroup, scope) else {
        return Ok(());
    };
    let found = invocations(size);
    let is_fine = found.is_multiple_of(subgroup.into()) && (found / u64::from(subgroup)).is_power_of_two();
    ensure!(is_fine, "{found} invocations are not a power of two of subgroups of {subgroup}");
    let limit = property(cx, "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize");
    ensure!(limit.is_none_or(|limit| found <= limit.into()), "{found} invocations share a matrix");
    Ok(())
}

fn full_matrices(cx: &Cx<'_>, of_objects: bool) -> Verdict {
    if cx.info.is_shader_object != of_objects {
        return Ok(());
    }
    let is_new = cx.module.header().version() >= (1, 6);
    let is_fine = cx.info.requires_full_subgroups || is_new || !has_matrices(cx, None);
    ensure!(is_fine, "cooperative matrices before SPIR-V 1.6 need the flag for full subgroups");
    Ok(())
}

fn tile_reads(cx: &Cx<'_>) -> Verdict {
    let ops = [Op::ColorAttachmentReadEXT, Op::DepthAttachmentReadEXT, Op::StencilAttachmentReadEXT];
    let has = each(cx, &ops).next().is_some();
    let is_partial = cx.info.min_sample_shading.is_some_and(|least| least < 1.0);
    ensure!(
        !has || !is_partial,
        "attachments are read while samples are shaded, but minSampleShading is below 1"
    );
    Ok(())
}

fn unique_constants(cx: &Cx<'_>) -> Verdict {
    let mut ids: Vec<u32> = cx.info.map_entries.iter().map(|entry| entry.constant_id).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    ensure!(twice.is_none(), "the constant {:?} is mapped twice", twice.map(|pair| pair[0]));
    Ok(())
}

fn constant_sizes(cx: &Cx<'_>) -> Verdict {
    let constants = cx.interface.iter().flat_map(|interface| &interface.spec_constants);
    for constant in constants {
        let mut entries = cx.info.map_entries.iter();
        if let Some(entry) = entries.find(|entry| entry.constant_id == constant.spec_id) {
            ensure!(
                entry.size == constant.size as usize,
                "the constant {} has {} bytes, its entry {}",
                constant.spec_id,
                constant.size,
                entry.size
            );
        }
    }
    Ok(())
}

fn each<'m>(cx: &Cx<'m>, ops: &[Op]) -> impl Iterator<Item = Instruction<'m>> {
    let module: &'m Module = cx.module;
    let start = module.global_insts().len();
    module.insts().skip(start).filter(move |inst| ops.contains(&inst.op()))
}

/// Rays that skip what the pipeline skips too would meet nothing.
fn ray_flags(cx: &Cx<'_>, ops: &[Op], position: usize, triangles: bool) -> Verdict {
    let (flag, is_skipped) = if triangles {
        (RayFlags::SKIP_TRIANGLES_KHR, cx.info.skips_aabbs)
    } else {
        (RayFlags::SKIP_AAB_BS_KHR, cx.info.skips_triangles)
    };
    let mut found = each(cx, ops).filter_map(|inst| cx.constants.unsigned(inst.get_id(position)?));
    let has = found.any(|flags| RayFlags::from_bits_retain(flags).contains(flag));
    ensure!(!is_skipped || !has, "a ray has {flag:?}, the pipeline skips the other kind of geometry");
    Ok(())
}

fn motion(cx: &Cx<'_>, ops: &[Op]) -> Verdict {
    let has = each(cx, ops).next().is_some();
    ensure!(!has || cx.info.allows_motion, "rays in motion need the pipeline's flag for motion");
    Ok(())
}

fn has_wide_indices(cx: &Cx<'_>) -> bool {
    let entry = cx.module.entry_point(cx.info.name, cx.info.model);
    let mode = ExecutionMode::Shader64BitIndexingEXT;
    let has_mode = entry.is_some_and(|entry| cx.module.execution_mode(entry.function, mode).is_some());
    has_mode || cx.info.has_64_bit_indexing
}

fn narrow_offsets(cx: &Cx<'_>, ops: &[Op], positions: &[usize]) -> Verdict {
    if has_wide_indices(cx) {
        return Ok(());
    }
    for inst in each(cx, ops) {
        for id in positions.iter().filter_map(|position| inst.get_id(*position)) {
            let ty = cx.module.type_of(id).map(|ty| cx.module.ty(ty));
            let is_narrow = matches!(ty, Some(Type::Int { width: 32, .. }));
            ensure!(is_narrow, "the offset {id} has not 32 bits, and indexing with 64 is off");
        }
    }
    Ok(())
}

fn narrow_sizes(cx: &Cx<'_>) -> Verdict {
    let sizes = cx.module.global_insts().filter(|inst| inst.op() == Op::ConstantSizeOfEXT);
    let is_wide = |inst: Instruction<'_>| {
        matches!(inst.result_type().map(|ty| cx.module.ty(ty)), Some(Type::Int { width: 64, .. }))
    };
    let has = sizes.into_iter().any(is_wide);
    ensure!(!has || has_wide_indices(cx), "a size has 64 bits, and indexing with 64 is off");
    Ok(())
}

fn views(cx: &Cx<'_>) -> Verdict {
    let needed = u64::from(32 - cx.info.view_mask.leading_zeros());
    let built_ins = cx.interface.iter().flat_map(|interface| &interface.built_ins);
    for found in built_ins.filter(|found| found.built_in == BuiltIn::ViewportMaskPerViewNV) {
        let len = cx.constants.array_len(found.ty).unwrap_or(0);
        ensure!(len >= needed, "ViewportMaskPerViewNV has {len} elements, the view mask needs {needed}");
    }
    Ok(())
}
