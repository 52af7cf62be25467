//! What a creation says, as far as rules on shaders ask for it.

use crate::stage::Mapping;
use pyro_spirv::spirv::ExecutionModel as Model;
use std::collections::BTreeSet;

/// Flags or dynamic states, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// Adds a name, with or without its prefix (`VK_DYNAMIC_STATE_`, `VK_PIPELINE_CREATE_`,
    /// `VK_SHADER_CREATE_`) and `_BIT`.
    pub fn insert(&mut self, name: &str) {
        const PREFIXES: [&str; 4] =
            ["VK_DYNAMIC_STATE_", "VK_PIPELINE_CREATE_2_", "VK_PIPELINE_CREATE_", "VK_SHADER_CREATE_"];
        let short = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        let plain = VENDORS.iter().find_map(|vendor| {
            let without = short.strip_suffix(vendor)?.strip_suffix("_BIT")?;
            Some(format!("{without}{vendor}"))
        });
        let plain = plain.unwrap_or_else(|| short.strip_suffix("_BIT").unwrap_or(short).to_owned());
        self.0.insert(plain);
    }

    /// Whether a name is there, with or without a vendor's ending.
    pub fn has(&self, name: &str) -> bool {
        let ending =
            |found: &str| found.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_vendor(rest));
        self.0.iter().any(|found| ending(found))
    }

    /// Whether all of some names are there.
    pub fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }
}

/// Endings of vendors' names.
const VENDORS: [&str; 8] = ["_KHR", "_EXT", "_NV", "_AMDX", "_ARM", "_QCOM", "_HUAWEI", "_ANDROID"];

fn is_vendor(rest: &str) -> bool {
    VENDORS.contains(&rest)
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut found = Names::default();
        names.into_iter().for_each(|name| found.insert(name));
        found
    }
}

/// What a pointer of a creation leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State<T> {
    /// It is not known.
    #[default]
    Unknown,
    /// The pointer is null.
    Null,
    /// What it leads to.
    Given(T),
}

impl<T> State<T> {
    /// What it leads to, when that is known.
    pub fn given(&self) -> Option<&T> {
        match self {
            State::Given(found) => Some(found),
            _ => None,
        }
    }

    /// Whether the pointer is known to be null.
    pub fn is_null(&self) -> bool {
        matches!(self, State::Null)
    }
}

/// Which create-info makes the pipeline, where the stages do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Api {
    /// `VkGraphicsPipelineCreateInfo`, `VkComputePipelineCreateInfo` or `VkRayTracingPipelineCreateInfoKHR`
    #[default]
    Khr,
    /// `VkRayTracingPipelineCreateInfoNV`
    RayTracingNv,
    /// `VkExecutionGraphPipelineCreateInfoAMDX`
    ExecutionGraph,
}

/// What a creation says beside its shaders and layout.
#[derive(Clone, Debug, Default)]
pub struct CreateInfo<'a> {
    /// Which create-info it is.
    pub api: Api,
    /// `flags`, those of `VkPipelineCreateFlags2CreateInfo` too.
    pub flags: Names,
    /// The state of a graphics pipeline; none when it is none, or not known.
    pub graphics: Option<GraphicsState>,
    /// `VkShaderDescriptorSetAndBindingMappingInfoEXT`
    pub mappings: &'a [Mapping],
    /// `VkRenderingAttachmentLocationInfo`
    pub locations: Option<AttachmentLocations>,
    /// `VkRenderingInputAttachmentIndexInfo`
    pub input_indices: Option<InputAttachmentIndices>,
    /// `VkPipelineRobustnessCreateInfo`, of the pipeline and of its stages.
    pub robustness: Vec<Robustness>,
    /// `pGroups` of a ray tracing pipeline.
    pub groups: Vec<ShaderGroup>,
    /// How many shaders linked libraries bring, behind the pipeline's own.
    pub library_shader_count: u32,
    /// The stages of each of `VkGraphicsPipelineShaderGroupsCreateInfoNV::pGroups`.
    pub generated_groups: Vec<Vec<Model>>,
    /// Of shader objects: what is said of each, in the order of the stages.
    pub objects: Vec<ObjectInfo>,
}

/// The subsets of a graphics pipeline's state (`VkGraphicsPipelineLibraryFlagBitsEXT`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// `VERTEX_INPUT_INTERFACE`
    pub vertex_input: bool,
    /// `PRE_RASTERIZATION_SHADERS`
    pub pre_rasterization: bool,
    /// `FRAGMENT_SHADER`
    pub fragment_shader: bool,
    /// `FRAGMENT_OUTPUT_INTERFACE`
    pub fragment_output: bool,
}

impl Parts {
    /// A whole pipeline.
    pub const ALL: Parts =
        Parts { vertex_input: true, pre_rasterization: true, fragment_shader: true, fragment_output: true };
    /// None of it.
    pub const NONE: Parts = Parts {
        vertex_input: false,
        pre_rasterization: false,
        fragment_shader: false,
        fragment_output: false,
    };
}

/// `VkPrimitiveTopology`, as far as shaders tell topologies apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // as the API calls them
pub enum Topology {
    Points,
    Lines,
    Triangles,
    LinesWithAdjacency,
    TrianglesWithAdjacency,
    Patches,
}

impl Topology {
    /// The topology of a name as the API has it, with or without `VK_PRIMITIVE_TOPOLOGY_`.
    pub fn from_name(name: &str) -> Option<Topology> {
        Some(match name.strip_prefix("VK_PRIMITIVE_TOPOLOGY_").unwrap_or(name) {
            "POINT_LIST" => Topology::Points,
            "LINE_LIST" | "LINE_STRIP" => Topology::Lines,
            "TRIANGLE_LIST" | "TRIANGLE_STRIP" | "TRIANGLE_FAN" => Topology::Triangles,
            "LINE_LIST_WITH_ADJACENCY" | "LINE_STRIP_WITH_ADJACENCY" => Topology::LinesWithAdjacency,
            "TRIANGLE_LIST_WITH_ADJACENCY" | "TRIANGLE_STRIP_WITH_ADJACENCY" => {
                Topology::TrianglesWithAdjacency
            }
            "PATCH_LIST" => Topology::Patches,
            _ => return None,
        })
    }
}

/// The state of `VkGraphicsPipelineCreateInfo`.
#[derive(Clone, Debug)]
pub struct GraphicsState {
    /// Which parts of a pipeline it makes.
    pub parts: Parts,
    /// The parts that come from linked libraries.
    pub linked: Parts,
    /// The linked libraries.
    pub libraries: Vec<Library>,
    /// `pDynamicStates`
    pub dynamic: Names,
    /// Whether there is a `pVertexInputState`.
    pub vertex_input: State<()>,
    /// `topology`
    pub topology: Option<Topology>,
    /// `patchControlPoints`
    pub tessellation: State<u32>,
    /// `viewportCount`
    pub viewport_count: Option<u32>,
    /// `rasterizerDiscardEnable`
    pub discards: bool,
    /// `rasterizationStream`
    pub stream: u32,
    /// Whether lines are Bresenham's or smooth rectangles (`lineRasterizationMode`).
    pub has_bresenham_or_smooth_lines: bool,
    /// `pMultisampleState`
    pub multisample: State<Multisample>,
    /// `pDepthStencilState`
    pub depth_stencil: State<DepthStencil>,
    /// What is rendered to; none when it is not known.
    pub rendering: Option<Rendering>,
    /// `VkMultiviewPerViewAttributesInfoNVX`: `perViewAttributes` and `perViewAttributesPositionXOnly`.
    pub per_view_attributes: Option<(bool, bool)>,
    /// `VkPipelineFragmentShadingRateStateCreateInfoKHR`
    pub shading_rate: Option<ShadingRate>,
    /// `VkPipelineFragmentShadingRateEnumStateCreateInfoNV`
    pub shading_rate_enum: Option<ShadingRateEnum>,
}

impl Default for GraphicsState {
    fn default() -> Self {
        GraphicsState {
            parts: Parts::ALL,
            linked: Parts::NONE,
            libraries: Vec::new(),
            dynamic: Names::default(),
            vertex_input: State::Unknown,
            topology: None,
            tessellation: State::Unknown,
            viewport_count: None,
            discards: false,
            stream: 0,
            has_bresenham_or_smooth_lines: false,
            multisample: State::Unknown,
            depth_stencil: State::Unknown,
            rendering: None,
            per_view_attributes: None,
            shading_rate: None,
            shading_rate_enum: None,
        }
    }
}

/// A linked library, of which the layout is known.
#[derive(Clone, Debug)]
pub struct Library {
    /// What it has.
    pub parts: Parts,
    /// Its layout.
    pub layout: pyro_interface::pipeline::PipelineLayout,
}

/// `VkPipelineMultisampleStateCreateInfo`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Multisample {
    /// `rasterizationSamples`
    pub samples: u32,
    /// `sampleShadingEnable`
    pub has_sample_shading: bool,
    /// `alphaToCoverageEnable`
    pub has_alpha_to_coverage: bool,
    /// `alphaToOneEnable`
    pub has_alpha_to_one: bool,
    /// `sampleLocationsPerPixel`, where sample locations are enabled.
    pub location_count: Option<u32>,
}

/// `VkPipelineDepthStencilStateCreateInfo`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthStencil {
    /// `depthWriteEnable`
    pub writes_depth: bool,
    /// `writeMask` of both faces, or of either.
    pub stencil_write_mask: u32,
    /// `minDepthBounds` and `maxDepthBounds`, where the test is enabled.
    pub bounds: Option<(f32, f32)>,
    /// `RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS` of its flags.
    pub has_ordered_depth: bool,
    /// `RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS` of its flags.
    pub has_ordered_stencil: bool,
}

/// What a pipeline renders to.
#[derive(Clone, Debug, Default)]
pub struct Rendering {
    /// The subpass of a render pass; none for dynamic rendering.
    pub subpass: Option<Subpass>,
    /// The view mask of either.
    pub view_mask: u32,
    /// Whether it has a depth or stencil attachment.
    pub has_depth_stencil: bool,
    /// Colour attachments.
    pub color_count: Option<u32>,
    /// Whether an external format is rendered to or resolved.
    pub has_external_format: bool,
}

/// A subpass.
#[derive(Clone, Debug, Default)]
pub struct Subpass {
    /// Its input attachments; none for those that are unused. None when they are not known.
    pub inputs: Option<Vec<Option<InputAttachment>>>,
    /// `VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT`
    pub shades_regions: bool,
    /// `RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS`
    pub has_ordered_depth: bool,
    /// `RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS`
    pub has_ordered_stencil: bool,
}

/// An input attachment of a subpass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputAttachment {
    /// Its samples; zero when not known.
    pub samples: u32,
    /// Whether depth may be read, where its aspects are depth, stencil or both.
    pub has_depth: bool,
    /// Whether stencil may be read.
    pub has_stencil: bool,
}

/// `VkFragmentShadingRateCombinerOpKHR`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // as the API calls them
pub enum CombinerOp {
    #[default]
    Keep,
    Replace,
    Min,
    Max,
    Mul,
}

/// `VkPipelineFragmentShadingRateStateCreateInfoKHR`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadingRate {
    /// `fragmentSize`
    pub size: (u32, u32),
    /// `combinerOps`
    pub combiners: [CombinerOp; 2],
}

/// `VkPipelineFragmentShadingRateEnumStateCreateInfoNV`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadingRateEnum {
    /// Whether `shadingRateType` is `VK_FRAGMENT_SHADING_RATE_TYPE_ENUMS_NV`.
    pub is_enum: bool,
    /// Invocations for each pixel of `shadingRate`: zero for none; one too for all rates of several pixels.
    pub invocations: u32,
    /// Whether `shadingRate` is one invocation for each pixel.
    pub is_one_per_pixel: bool,
    /// `combinerOps`
    pub combiners: [CombinerOp; 2],
}

/// `VkRenderingAttachmentLocationInfo`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachmentLocations {
    /// `pColorAttachmentLocations`; none for `VK_ATTACHMENT_UNUSED`. None when it is null.
    pub colors: Option<Vec<Option<u32>>>,
    /// `colorAttachmentCount`
    pub count: u32,
}

/// `VkRenderingInputAttachmentIndexInfo`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputAttachmentIndices {
    /// `pColorAttachmentInputIndices`; none for `VK_ATTACHMENT_UNUSED`. None when it is null.
    pub colors: Option<Vec<Option<u32>>>,
    /// `colorAttachmentCount`
    pub count: u32,
    /// `pDepthInputAttachmentIndex`
    pub depth: State<Option<u32>>,
    /// `pStencilInputAttachmentIndex`
    pub stencil: State<Option<u32>>,
}

/// `VkPipelineRobustnessBufferBehavior` and `VkPipelineRobustnessImageBehavior`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behavior {
    /// `DEVICE_DEFAULT`
    #[default]
    DeviceDefault,
    /// `DISABLED`
    Disabled,
    /// `ROBUST_BUFFER_ACCESS`, `ROBUST_IMAGE_ACCESS`
    Robust,
    /// `ROBUST_BUFFER_ACCESS_2`, `ROBUST_IMAGE_ACCESS_2`
    Robust2,
}

/// `VkPipelineRobustnessCreateInfo`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Robustness {
    /// The stage that it is chained to, by its place; none for the pipeline.
    pub stage: Option<usize>,
    /// `storageBuffers`
    pub storage_buffers: Behavior,
    /// `uniformBuffers`
    pub uniform_buffers: Behavior,
    /// `vertexInputs`
    pub vertex_inputs: Behavior,
    /// `images`
    pub images: Behavior,
}

/// `VkRayTracingShaderGroupTypeKHR`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // as the API calls them
pub enum GroupType {
    #[default]
    General,
    TrianglesHit,
    ProceduralHit,
}

/// A group of ray tracing shaders; indices into the stages, none for `VK_SHADER_UNUSED_KHR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShaderGroup {
    /// `type`
    pub ty: GroupType,
    /// `generalShader`
    pub general: Option<u32>,
    /// `closestHitShader`
    pub closest_hit: Option<u32>,
    /// `anyHitShader`
    pub any_hit: Option<u32>,
    /// `intersectionShader`
    pub intersection: Option<u32>,
}

/// `VkShaderCreateInfoEXT` beside its code, layouts and name.
#[derive(Clone, Debug, Default)]
pub struct ObjectInfo {
    /// `flags`
    pub flags: Names,
    /// `nextStage`; none when it is not known.
    pub next_stages: Option<Vec<Model>>,
    /// Whether `codeType` is `VK_SHADER_CODE_TYPE_BINARY_EXT`.
    pub is_binary: bool,
    /// `codeSize` in bytes, when known.
    pub code_size: Option<usize>,
    /// The address of `pCode`, when known.
    pub code_address: Option<usize>,
    /// `setLayoutCount` and whether `pSetLayouts` is not null, when known.
    pub set_layouts: Option<(u32, bool)>,
    /// `pPushConstantRanges`, each with its stages, when known.
    pub push_constant_stages: Option<Vec<Vec<Model>>>,
}
