//! The extensions, each with the version of its specification that is implemented.

/// An extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name.
    pub name: &'static str,
    /// `specVersion`.
    pub version: u32,
}

const fn extension(name: &'static str, version: u32) -> Extension {
    Extension { name, version }
}

/// What an instance can be made with.
pub const INSTANCE_EXTENSIONS: &[Extension] = &[
    extension("VK_EXT_debug_report", 10),
    extension("VK_EXT_debug_utils", 2),
    extension("VK_KHR_device_group_creation", 1),
    extension("VK_KHR_external_fence_capabilities", 1),
    extension("VK_KHR_external_memory_capabilities", 1),
    extension("VK_KHR_external_semaphore_capabilities", 1),
    extension("VK_KHR_get_physical_device_properties2", 2),
];

/// What a device can be made with.
pub const DEVICE_EXTENSIONS: &[Extension] = &[
    extension("VK_EXT_buffer_device_address", 2),
    extension("VK_EXT_calibrated_timestamps", 2),
    extension("VK_EXT_descriptor_indexing", 2),
    extension("VK_EXT_external_memory_host", 1),
    extension("VK_EXT_host_query_reset", 1),
    extension("VK_EXT_inline_uniform_block", 1),
    extension("VK_EXT_memory_budget", 1),
    extension("VK_EXT_memory_priority", 1),
    extension("VK_EXT_pipeline_creation_cache_control", 3),
    extension("VK_EXT_pipeline_creation_feedback", 1),
    extension("VK_EXT_pipeline_robustness", 1),
    extension("VK_EXT_private_data", 1),
    extension("VK_EXT_robustness2", 1),
    extension("VK_EXT_scalar_block_layout", 1),
    extension("VK_EXT_subgroup_size_control", 2),
    extension("VK_EXT_tooling_info", 1),
    extension("VK_KHR_bind_memory2", 1),
    extension("VK_KHR_buffer_device_address", 1),
    extension("VK_KHR_calibrated_timestamps", 1),
    extension("VK_KHR_copy_commands2", 1),
    extension("VK_KHR_dedicated_allocation", 3),
    extension("VK_KHR_descriptor_update_template", 1),
    extension("VK_KHR_device_group", 4),
    extension("VK_KHR_driver_properties", 1),
    extension("VK_KHR_external_fence", 1),
    extension("VK_KHR_external_memory", 1),
    extension("VK_KHR_external_memory_fd", 1),
    extension("VK_KHR_external_semaphore", 1),
    extension("VK_KHR_get_memory_requirements2", 1),
    extension("VK_KHR_maintenance1", 2),
    extension("VK_KHR_maintenance2", 1),
    extension("VK_KHR_maintenance3", 1),
    extension("VK_KHR_maintenance4", 2),
    extension("VK_KHR_map_memory2", 1),
    extension("VK_KHR_pipeline_executable_properties", 1),
    extension("VK_KHR_push_descriptor", 2),
    extension("VK_KHR_relaxed_block_layout", 1),
    extension("VK_KHR_shader_non_semantic_info", 1),
    extension("VK_KHR_spirv_1_4", 1),
    extension("VK_KHR_storage_buffer_storage_class", 1),
    extension("VK_KHR_synchronization2", 1),
    extension("VK_KHR_timeline_semaphore", 2),
    extension("VK_KHR_uniform_buffer_standard_layout", 1),
    extension("VK_KHR_variable_pointers", 1),
    extension("VK_KHR_vulkan_memory_model", 3),
    extension("VK_KHR_zero_initialize_workgroup_memory", 1),
];

/// Whether an instance or device extension of this name exists.
pub fn exists(name: &str) -> bool {
    INSTANCE_EXTENSIONS.iter().chain(DEVICE_EXTENSIONS).any(|extension| extension.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(INSTANCE_EXTENSIONS.is_sorted_by_key(|extension| extension.name));
        assert!(DEVICE_EXTENSIONS.is_sorted_by_key(|extension| extension.name));
    }
}
