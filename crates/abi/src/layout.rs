//! Where the compiler finds each resource.

use crate::heap::Mappings;
use crate::trace::TraceOptions;
use pyro_util::sanitize::KindSet;
use std::collections::BTreeMap;

/// What a binding holds, as far as addressing it needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DescriptorKind {
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER` and its dynamic twin.
    UniformBuffer,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER` and its dynamic twin.
    StorageBuffer,
    /// `VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK`: the bytes lie in the set itself, `count` of them.
    InlineUniformBlock,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER`.
    UniformTexelBuffer,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER`.
    StorageTexelBuffer,
    /// `VK_DESCRIPTOR_TYPE_SAMPLER`.
    Sampler,
    /// `VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER`.
    CombinedImageSampler,
    /// `VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE`.
    SampledImage,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_IMAGE`.
    StorageImage,
    /// `VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR`: [`crate::ray::RayState::structure`] in the first 8 of
    /// 16 bytes.
    AccelerationStructure,
    /// `VK_DESCRIPTOR_TYPE_TENSOR_ARM`.
    Tensor,
    /// `VK_DESCRIPTOR_TYPE_MUTABLE_EXT`: any of the others but inline uniform blocks and dynamic buffers;
    /// which, the last write says.
    Mutable,
}

/// One binding of a set layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BindingLayout {
    /// What it holds.
    pub kind: DescriptorKind,
    /// Bytes from the start of the set's memory to the first descriptor (or inline byte).
    pub offset: u32,
    /// Descriptors in the array; bytes for an inline uniform block.
    pub count: u32,
    /// Bytes from one descriptor to the next.
    pub stride: u32,
    /// For a dynamic buffer: index of its first descriptor in [`crate::DispatchContext::dynamic_buffers`],
    /// counted over the whole pipeline layout.
    pub dynamic_index: Option<u32>,
    /// The count is the most that a set may hold (`VARIABLE_DESCRIPTOR_COUNT`): the set's own size bounds
    /// indices.
    pub variable_count: bool,
    /// What its one descriptor will be whenever the code runs, if that is known: image operations on it are
    /// then part of the code.
    pub known: Option<KnownImage>,
}

/// The static facts of what a descriptor names, as `pyro_image`'s codes of keys; zero: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KnownImage {
    /// Of the image or texel buffer view.
    pub view: u32,
    /// Of the sampler.
    pub sampler: u32,
}

/// One descriptor set of a pipeline layout, by binding number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SetLayout {
    /// The bindings by number.
    pub bindings: BTreeMap<u32, BindingLayout>,
}

/// All that the compiler needs of a `VkPipelineLayout`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineLayout {
    /// The sets by number.
    pub sets: Vec<SetLayout>,
    /// One past the last push constant byte.
    pub push_constant_bytes: u32,
    /// What the pipeline's flags say of its shaders.
    pub options: ShaderOptions,
}

/// What a pipeline's flags and a stage's own structures say of its shaders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShaderOptions {
    /// Storage buffers may be larger than 4 GiB, and are indexed with 64 bits
    /// (`VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT`).
    pub indexing_64bit: bool,
    /// `ViewIndex` is `DeviceIndex` (`VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT`).
    pub view_index_is_device_index: bool,
    /// The shader is for descriptor heaps, with these mappings
    /// (`VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT`).
    pub heap: Option<Mappings>,
    /// Functions count how often each of the shader's basic blocks runs
    /// (`VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM`, `VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM`).
    pub instrumented: bool,
    /// The index of a node of an execution graph, where it is not the shader that says it.
    pub node_index: Option<u32>,
    /// What shaders check while they run (`PYROCLAST_SANITIZE`).
    pub sanitize: KindSet,
    /// Iterations of one invocation at which the sanitizer takes a loop for endless; zero: its own number.
    pub loop_iterations: u32,
    /// Functions tell a debugger what chosen invocations do ([`crate::trace`]).
    pub trace: Option<TraceOptions>,
    /// Code is attributed to instructions of SPIR-V, and says where these come from
    /// ([`crate::KernelInfo::map`]).
    pub map: bool,
    /// Shaders count how often their blocks run, in memory of the process that has this number; zero: they do
    /// not.
    pub counts: u64,
    /// Subgroups have the same lanes for every processor, also where shaders cannot see them: the order of
    /// accesses within a workgroup follows from them (`PYROCLAST_DETERMINISTIC`).
    pub fixed_lanes: bool,
    /// A binding that the layout lacks is an error, not a null descriptor: of modules that are put in the
    /// place of others while a program runs.
    pub needs_bindings: bool,
}

impl PipelineLayout {
    /// The binding at `set`, `binding`, if the layout has it.
    pub fn binding(&self, set: u32, binding: u32) -> Option<&BindingLayout> {
        self.sets.get(set as usize)?.bindings.get(&binding)
    }
}
