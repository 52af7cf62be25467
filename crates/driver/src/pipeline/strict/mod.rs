//! Strict mode: shader modules are held against all of Vulkan's rules when they are made, not only those that
//! the compiler relies on; and pipelines against those on stages, their neighbours, layout, attributes and
//! attachments.
//!
//! The environment variable `PYROCLAST_STRICT` switches it on. What is found is reported once for each
//! module; the module is made all the same, since many programs live with broken rules. A validation cache
//! that knows a module spares the check ([`crate::pipeline::validation_cache`]).

mod pipeline;

pub use pipeline::{check_compute, check_graphics, check_rays};
pub(crate) use pipeline::{compute_findings, graphics_findings, ray_findings, shader_findings};
pub use pyro_compile::strict::Api;

use crate::caps::extensions::DEVICE_EXTENSIONS;
use crate::caps::limits;
use crate::caps::{cooperative, features, properties};
use crate::pipeline::shader::ShaderModule;
pub use pyro_compile::strict::named_for_objects;
use pyro_compile::strict::{self, Device, Environment, LayoutFeatures};
use pyro_compile::{ExecutionModel, SpecConstant};
use std::sync::LazyLock;
use vulkanalia_sys as vk;

/// Whether strict mode is on.
pub fn is_on() -> bool {
    pyro_util::config::get().strict
}

/// What this device takes.
fn environment() -> &'static Environment {
    static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
        let version = limits::API_VERSION;
        let mut device = Device::bare(version >> 22 & 0x7f, version >> 12 & 0x3ff);
        features::ON.iter().for_each(|feature| device.set_feature(feature, true));
        let of_system = DEVICE_EXTENSIONS.iter().filter(|extension| extension.is_of_system());
        of_system.for_each(|extension| device.add_extension(extension.name));
        let structures = [
            format!("{:?}", properties::core_properties().limits),
            format!("{:?}", properties::vulkan11()),
            format!("{:?}", properties::vulkan12()),
            format!("{:?}", properties::vulkan13()),
            format!("{:?}", properties::vulkan14()),
        ];
        structures.iter().for_each(|structure| read_properties(structure, &mut device));
        let vulkan13 = properties::vulkan13();
        for (name, value) in [
            ("subgroupSize", pyro_abi::DEFAULT_SUBGROUP_SIZE),
            ("minSubgroupSize", vulkan13.min_subgroup_size),
            ("maxSubgroupSize", vulkan13.max_subgroup_size),
            ("maxComputeWorkgroupSubgroups", vulkan13.max_compute_workgroup_subgroups),
            ("cooperativeMatrixSupportedStages", vk::ShaderStageFlags::COMPUTE.bits()),
            ("cooperativeMatrixWorkgroupScopeMaxWorkgroupSize", cooperative::WORKGROUP_SIZE_MAX),
            ("cooperativeMatrixFlexibleDimensionsMaxDimension", cooperative::DIMENSION_MAX),
            ("cooperativeVectorSupportedStages", cooperative::VECTOR_STAGES.bits()),
            ("maxCooperativeVectorComponents", crate::caps::limits::VECTOR_COMPONENT_COUNT_MAX),
            ("requiredSubgroupSizeStages", vulkan13.required_subgroup_size_stages.bits()),
        ] {
            device.set_property(name, i64::from(value));
        }
        device.cooperative_matrices = Some(cooperative::listed());
        device.cooperative_vectors = Some(cooperative::listed_vectors());
        Environment {
            strict: true,
            layout: LayoutFeatures::of(&device),
            device: Some(device),
            ..Environment::default()
        }
    });
    &ENVIRONMENT
}

/// Numbers, and arrays of numbers, of a structure of properties, by the names in its `Debug` form; the
/// structures have no other way of telling their fields' names.
fn read_properties(debug: &str, device: &mut Device) {
    let fields = debug.split_once('{').map_or("", |(_, rest)| rest.trim_end().trim_end_matches('}'));
    let mut rest = fields;
    while let Some((name, after)) = rest.split_once(':') {
        let (name, after) = (name.trim(), after.trim_start());
        let (value, next) = match after.strip_prefix('[').and_then(|list| list.split_once(']')) {
            Some((list, next)) => {
                for (index, value) in list.split(',').enumerate() {
                    if let Ok(value) = value.trim().parse() {
                        device.set_property(&format!("{name}[{index}]"), value);
                    }
                }
                ("", next)
            }
            None => after.split_once(',').unwrap_or((after, "")),
        };
        if let Ok(value) = value.trim().parse::<f64>() {
            device.set_real(name, value);
        }
        rest = next.trim_start_matches(',');
    }
}

/// What a module breaks, ready to be shown; nothing when it keeps every rule.
pub fn findings(module: &ShaderModule) -> Vec<String> {
    strict::module_findings(module.for_compiler(), environment())
}

/// Checks a module in strict mode and reports what it breaks; whether it keeps every rule, so far as was
/// looked.
pub fn check(module: &ShaderModule, report: &dyn Fn(&str)) -> bool {
    let found = if is_on() { findings(module) } else { Vec::new() };
    found.iter().for_each(|finding| report(finding.trim_end()));
    found.is_empty()
}

/// What a pipeline's creation says of a stage.
pub use pyro_compile::strict::{MapEntry, StageInfo as Stage};

/// The execution model of a stage, of those that there are.
pub fn model(stage: vk::ShaderStageFlags) -> Option<ExecutionModel> {
    match stage {
        vk::ShaderStageFlags::VERTEX => Some(ExecutionModel::Vertex),
        vk::ShaderStageFlags::GEOMETRY => Some(ExecutionModel::Geometry),
        vk::ShaderStageFlags::FRAGMENT => Some(ExecutionModel::Fragment),
        vk::ShaderStageFlags::TASK_EXT => Some(ExecutionModel::TaskEXT),
        vk::ShaderStageFlags::CLUSTER_CULLING_HUAWEI => Some(ExecutionModel::ClusterCullingHUAWEI),
        vk::ShaderStageFlags::MESH_EXT => Some(ExecutionModel::MeshEXT),
        vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI => {
            Some(ExecutionModel::GLCompute)
        }
        vk::ShaderStageFlags::RAYGEN_KHR => Some(ExecutionModel::RayGenerationKHR),
        vk::ShaderStageFlags::INTERSECTION_KHR => Some(ExecutionModel::IntersectionKHR),
        vk::ShaderStageFlags::ANY_HIT_KHR => Some(ExecutionModel::AnyHitKHR),
        vk::ShaderStageFlags::CLOSEST_HIT_KHR => Some(ExecutionModel::ClosestHitKHR),
        vk::ShaderStageFlags::MISS_KHR => Some(ExecutionModel::MissKHR),
        vk::ShaderStageFlags::CALLABLE_KHR => Some(ExecutionModel::CallableKHR),
        _ => None,
    }
}

/// The rules that a stage of a pipeline breaks; none for a module that cannot be read, which was reported
/// when it was made.
pub fn stage_findings(module: &ShaderModule, constants: &[SpecConstant], info: &Stage<'_>) -> Vec<String> {
    strict::stage_findings(module.for_compiler(), constants, info, environment())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry point with a variable of a storage class that does not exist in Vulkan.
    fn words(class: u32) -> Vec<u32> {
        let inst = |opcode: u32, operands: &[u32]| {
            let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
            words.extend_from_slice(operands);
            words
        };
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 20, 0];
        words.extend(inst(17, &[1])); // Shader
        words.extend(inst(14, &[0, 1])); // Logical GLSL450
        words.extend(inst(15, &[5, 1, 0x6e69_616d, 0])); // GLCompute "main"
        words.extend(inst(16, &[1, 17, 1, 1, 1])); // LocalSize
        words.extend(inst(19, &[2]));
        words.extend(inst(21, &[3, 32, 0]));
        words.extend(inst(32, &[4, class, 3]));
        words.extend(inst(59, &[4, 5, class]));
        words.extend(inst(33, &[6, 2]));
        words.extend(inst(54, &[2, 1, 0, 6]));
        words.extend(inst(248, &[7]));
        words.extend(inst(253, &[]));
        words.extend(inst(56, &[]));
        words
    }

    #[test]
    fn limits_are_known() {
        let device = environment().device.as_ref().expect("a device");
        let limits = properties::core_properties().limits;
        let invocations = i64::from(limits.max_compute_work_group_invocations);
        assert_eq!(device.property("maxComputeWorkGroupInvocations"), Some(invocations));
        let widest = i64::from(limits.max_compute_work_group_size[0]);
        assert_eq!(device.property("maxComputeWorkGroupSize[0]"), Some(widest));
        let members = i64::from(properties::vulkan11().max_multiview_view_count);
        assert_eq!(device.property("maxMultiviewViewCount"), Some(members));
    }

    #[test]
    fn strict_mode_reports_violated_vuids() {
        // Private, then CrossWorkgroup.
        let findings = |words: &[u32]| findings(&ShaderModule::unchecked(words).expect("is SPIR-V"));
        assert_eq!(findings(&words(6)), [] as [&str; 0]);
        let found = findings(&words(5));
        assert!(found.iter().any(|text| text.contains("VUID-StandaloneSpirv-None-04643")), "{found:?}");
        assert_eq!(findings(&[0x0723_0203]).len(), 1);
    }
}
