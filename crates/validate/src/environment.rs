//! What modules are checked against.

use crate::device::Device;
use pyro_spirv::Specialization;

/// What modules are checked against.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Values of specialization constants: lengths of arrays depend on them.
    pub specialization: Specialization,
    /// Sizes that are refused.
    pub limits: Limits,
    /// Which explicit layouts are allowed.
    pub layout: LayoutFeatures,
    /// Whether rules are checked too that no compiler relies on: capabilities, and Vulkan's.
    pub strict: bool,
    /// With [`Environment::strict`]: the device or Vulkan version whose features and limits hold; without
    /// one, only what holds for every device is checked.
    pub device: Option<Device>,
    /// How many diagnostics are collected before checking stops.
    pub diagnostic_count_max: usize,
}

impl Default for Environment {
    fn default() -> Self {
        Environment {
            specialization: Specialization::new(),
            limits: Limits::default(),
            layout: LayoutFeatures::default(),
            strict: false,
            device: None,
            diagnostic_count_max: 100,
        }
    }
}

/// Features that relax explicit layouts.
#[derive(Clone, Debug)]
pub struct LayoutFeatures {
    /// `VK_KHR_relaxed_block_layout`, part of Vulkan 1.1: vectors are aligned to their components.
    pub relaxed: bool,
    /// `uniformBufferStandardLayout`: uniform blocks are laid out as storage blocks are.
    pub uniform_standard: bool,
    /// `scalarBlockLayout`: everything is aligned to its components.
    pub scalar: bool,
    /// `workgroupMemoryExplicitLayoutScalarBlockLayout`: the same for workgroup memory.
    pub workgroup_scalar: bool,
}

impl Default for LayoutFeatures {
    fn default() -> Self {
        LayoutFeatures { relaxed: true, uniform_standard: false, scalar: false, workgroup_scalar: false }
    }
}

impl LayoutFeatures {
    /// Those that a device has.
    pub fn of(device: &Device) -> LayoutFeatures {
        LayoutFeatures {
            relaxed: device.api_version >= (1, 1) || device.has_extension("VK_KHR_relaxed_block_layout"),
            uniform_standard: device.has_feature("uniformBufferStandardLayout"),
            scalar: device.has_feature("scalarBlockLayout"),
            workgroup_scalar: device.has_feature("workgroupMemoryExplicitLayoutScalarBlockLayout"),
        }
    }
}

/// Sizes that are refused, so that what compiles a checked module needs bounded time and memory. The
/// numbers of the specification are its "Universal Limits" (SPIR-V, 2.17).
#[derive(Clone, Debug)]
pub struct Limits {
    /// How deep selections and loops may nest (universal limit).
    pub control_flow_nesting_depth_max: u32,
    /// Members and elements inside one another (universal limit on structures).
    pub type_nesting_depth_max: u32,
    /// Parameters of a function and arguments of a call (universal limit).
    pub parameter_count_max: usize,
    /// Indices of an access chain (universal limit).
    pub index_count_max: usize,
    /// Scalars of a value that an instruction makes or a constant holds: values are split into them.
    pub value_component_count_max: u64,
    /// Bytes of a variable in storage that is ours to allocate: `Function`, `Private`, `Workgroup`.
    pub variable_size_max: u64,
    /// Instructions of an entry point once every call is replaced by the function that it calls.
    pub inlined_instruction_count_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            control_flow_nesting_depth_max: 1023,
            type_nesting_depth_max: 255,
            parameter_count_max: 255,
            index_count_max: 255,
            value_component_count_max: 1 << 16,
            variable_size_max: 1 << 24,
            inlined_instruction_count_max: 1 << 23,
        }
    }
}
