//! The state that draws depend on: one structure for what pipelines fix and what commands set.
//!
//! A command buffer has one [`GraphicsState`]. Binding a pipeline copies into it every group that is not
//! dynamic in that pipeline ([`GraphicsState::overwrite`]); a dynamic state command changes one group
//! ([`GraphicsState::set`]). A draw then reads this structure and nothing else.

use super::shading_rate_image::{CoarseSampleOrder, ShadingRatePalette};
use crate::caps::limits::{COLOR_ATTACHMENTS_MAX, VERTEX_BINDINGS_MAX};
use pyro_abi::graphics::{Rate, SAMPLES_MAX};
use pyro_engine::graphics::Combiner;
use smallvec::SmallVec;
use vulkanalia_sys as vk;

/// The fragment output location of each colour attachment (`VkRenderingAttachmentLocationInfo`); none for
/// attachments that are not written. Attachments behind the list's end have their own number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AttachmentLocations(pub SmallVec<[Option<u32>; COLOR_ATTACHMENTS_MAX]>);

impl AttachmentLocations {
    /// The location of a colour attachment.
    pub fn location(&self, attachment: usize) -> Option<usize> {
        let location = match self.0.get(attachment) {
            Some(location) => (*location)? as usize,
            None => attachment,
        };
        (location < COLOR_ATTACHMENTS_MAX).then_some(location)
    }
}

/// The dynamic states of a pipeline, as `VkDynamicState` names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DynamicStates(SmallVec<[vk::DynamicState; 16]>);

impl DynamicStates {
    /// These states.
    pub fn new(states: &[vk::DynamicState]) -> DynamicStates {
        DynamicStates(states.iter().copied().collect())
    }

    /// Those of these states that `keep` names.
    pub fn filter(mut self, keep: impl Fn(vk::DynamicState) -> bool) -> DynamicStates {
        self.0.retain(|state| keep(*state));
        self
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = vk::DynamicState> + '_ {
        self.0.iter().copied()
    }

    /// Whether commands set this one.
    pub fn contains(&self, state: vk::DynamicState) -> bool {
        self.0.contains(&state)
    }

    /// All of these and those of another: a pipeline linked from libraries.
    pub fn extend(&mut self, other: &DynamicStates) {
        self.0.extend(other.0.iter().copied());
    }
}

/// One vertex buffer binding as the pipeline sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexBinding {
    /// Its number.
    pub binding: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Elements step with instances, not with vertices.
    pub per_instance: bool,
    /// Instances that share an element; zero: all of a draw do.
    pub divisor: u32,
}

/// One vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexAttribute {
    /// The shader's location.
    pub location: u32,
    /// The binding that it is read from.
    pub binding: u32,
    /// How the bytes are components.
    pub format: vk::Format,
    /// Bytes from the element's start.
    pub offset: u32,
}

/// All of the vertex input state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexInput {
    /// The bindings.
    pub bindings: SmallVec<[VertexBinding; 4]>,
    /// The attributes.
    pub attributes: SmallVec<[VertexAttribute; 8]>,
}

/// Operations and values of the stencil test for one facing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// When the stencil test fails.
    pub fail_op: vk::StencilOp,
    /// When both tests pass.
    pub pass_op: vk::StencilOp,
    /// When the depth test fails.
    pub depth_fail_op: vk::StencilOp,
    /// The test.
    pub compare_op: vk::CompareOp,
    /// Bits that are compared.
    pub compare_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
    /// The value compared with.
    pub reference: u32,
}

/// How one colour attachment is blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColorBlend {
    /// Blending is on.
    pub enable: bool,
    /// Factor of the fragment's colour.
    pub source_color: vk::BlendFactor,
    /// Factor of the attachment's colour.
    pub target_color: vk::BlendFactor,
    /// How they are combined.
    pub color_op: vk::BlendOp,
    /// Factor of the fragment's alpha.
    pub source_alpha: vk::BlendFactor,
    /// Factor of the attachment's alpha.
    pub target_alpha: vk::BlendFactor,
    /// How they are combined.
    pub alpha_op: vk::BlendOp,
    /// How advanced operations take colours.
    pub advanced: AdvancedBlend,
    /// Components that are written.
    pub write_mask: vk::ColorComponentFlags,
}

/// `VkPipelineColorBlendAdvancedStateCreateInfoEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdvancedBlend {
    /// The fragment's colour is premultiplied.
    pub source_premultiplied: bool,
    /// The attachment's colour is.
    pub target_premultiplied: bool,
    /// How their coverages are correlated.
    pub overlap: vk::BlendOverlapEXT,
}

impl Default for AdvancedBlend {
    /// As without the structure.
    fn default() -> Self {
        AdvancedBlend {
            source_premultiplied: true,
            target_premultiplied: true,
            overlap: vk::BlendOverlapEXT::UNCORRELATED,
        }
    }
}

impl Default for ColorBlend {
    /// No blending, all components written.
    fn default() -> Self {
        ColorBlend {
            enable: false,
            source_color: vk::BlendFactor::ONE,
            target_color: vk::BlendFactor::ZERO,
            color_op: vk::BlendOp::ADD,
            source_alpha: vk::BlendFactor::ONE,
            target_alpha: vk::BlendFactor::ZERO,
            alpha_op: vk::BlendOp::ADD,
            advanced: AdvancedBlend::default(),
            write_mask: vk::ColorComponentFlags::all(),
        }
    }
}

/// `VkDepthBiasRepresentationInfoEXT`: what the constant factor multiplies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBiasUnit {
    /// The representation.
    pub representation: vk::DepthBiasRepresentationEXT,
    /// `depthBiasExact`.
    pub exact: bool,
}

/// The depth bias.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// Multiplies the smallest difference of the depth format.
    pub constant: f32,
    /// The most it can be; zero: no limit.
    pub clamp: f32,
    /// Multiplies the polygon's slope.
    pub slope: f32,
    /// The smallest difference.
    pub unit: DepthBiasUnit,
}

/// Everything fixed-function about a draw.
#[derive(Clone, Debug)]
pub struct GraphicsState {
    /// Vertex bindings and attributes.
    pub vertex_input: VertexInput,
    /// Strides that `vkCmdBindVertexBuffers2` set, by binding.
    pub strides: [Option<u32>; VERTEX_BINDINGS_MAX],
    /// The primitives.
    pub topology: vk::PrimitiveTopology,
    /// The largest index restarts a strip.
    pub primitive_restart: bool,
    /// Vertices of a patch.
    pub patch_control_points: u32,
    /// The origin of the tessellation domain is in the lower left.
    pub tessellation_lower_left: bool,
    /// The viewports.
    pub viewports: SmallVec<[vk::Viewport; 1]>,
    /// The scissors.
    pub scissors: SmallVec<[vk::Rect2D; 1]>,
    /// Clip space's depth runs from -1, not from 0.
    pub negative_one_to_one: bool,
    /// Nothing is rasterised.
    pub rasterizer_discard: bool,
    /// Depth is clamped to the viewport's range.
    pub depth_clamp: bool,
    /// What depth is clamped to instead (`VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT`).
    pub depth_clamp_range: Option<[f32; 2]>,
    /// Depths may lie outside of [0, 1] (`VK_EXT_depth_range_unrestricted` is enabled).
    pub depth_unrestricted: bool,
    /// Primitives are clipped at near and far plane; none: when depth is not clamped.
    pub depth_clip: Option<bool>,
    /// Filled, lines or points.
    pub polygon_mode: vk::PolygonMode,
    /// Facings that are not drawn.
    pub cull_mode: vk::CullModeFlags,
    /// The winding of front faces.
    pub front_face: vk::FrontFace,
    /// Depth bias is on.
    pub depth_bias_enable: bool,
    /// The bias.
    pub depth_bias: DepthBias,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// How lines are rasterised.
    pub line_mode: vk::LineRasterizationMode,
    /// How filled triangles cover pixels (`VK_EXT_conservative_rasterization`).
    pub conservative: vk::ConservativeRasterizationModeEXT,
    /// Lines are stippled.
    pub line_stipple_enable: bool,
    /// Factor and pattern.
    pub line_stipple: (u32, u16),
    /// The provoking vertex is the last.
    pub provoking_last: bool,
    /// The vertex stream that is rasterized.
    pub raster_stream: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// The fragment shader runs for samples.
    pub sample_shading: bool,
    /// The fraction of samples that get their own invocation.
    pub min_sample_shading: f32,
    /// Samples that are written.
    pub sample_mask: [u32; 2],
    /// Alpha of the first output decides coverage.
    pub alpha_to_coverage: bool,
    /// Alpha becomes one after that.
    pub alpha_to_one: bool,
    /// The depth test is on.
    pub depth_test: bool,
    /// Depth is written.
    pub depth_write: bool,
    /// The depth test.
    pub depth_compare: vk::CompareOp,
    /// The depth bounds test is on.
    pub depth_bounds_test: bool,
    /// The depth bounds.
    pub depth_bounds: [f32; 2],
    /// The stencil test is on.
    pub stencil_test: bool,
    /// The stencil test of front and back faces.
    pub stencil: [StencilFace; 2],
    /// Logical operations instead of blending.
    pub logic_op_enable: bool,
    /// Which.
    pub logic_op: vk::LogicOp,
    /// Blending by colour attachment.
    pub blend: [ColorBlend; COLOR_ATTACHMENTS_MAX],
    /// Colour attachments that are written at all (`VK_EXT_color_write_enable`).
    pub color_write: [bool; COLOR_ATTACHMENTS_MAX],
    /// The constant colour of blending.
    pub blend_constants: [f32; 4],
    /// The discard rectangle test is on.
    pub discard_rectangle_enable: bool,
    /// It keeps what is inside of a rectangle, not what is outside of all.
    pub discard_rectangle_inclusive: bool,
    /// Rectangles that the pipeline uses at most.
    pub discard_rectangle_count: u32,
    /// The rectangles.
    pub discard_rectangles: SmallVec<[vk::Rect2D; 1]>,
    /// Exclusive scissors by viewport.
    pub exclusive_scissors: SmallVec<[vk::Rect2D; 1]>,
    /// Which of them are on.
    pub exclusive_scissor_enable: SmallVec<[bool; 8]>,
    /// How positions are swizzled, by viewport; as they are where there is none.
    pub viewport_swizzles: SmallVec<[vk::ViewportSwizzleNV; 1]>,
    /// w of clip coordinates is scaled.
    pub w_scaling_enable: bool,
    /// By how much, by viewport.
    pub w_scalings: SmallVec<[vk::ViewportWScalingNV; 1]>,
    /// The mask of samples goes to a colour attachment.
    pub coverage_to_color_enable: bool,
    /// To this location.
    pub coverage_to_color_location: u32,
    /// The bound shading rate image says the rates.
    pub shading_rate_image_enable: bool,
    /// What its texels mean, by viewport.
    pub shading_rate_palettes: SmallVec<[ShadingRatePalette; 1]>,
    /// The order of the samples of fragments of several pixels.
    pub coarse_sample_order: CoarseSampleOrder,
    /// How samples of colour attachments take the coverage of more rasterization samples; none: the device's
    /// default.
    pub coverage_reduction: Option<vk::CoverageReductionModeNV>,
    /// The default is to truncate (`VK_AMD_mixed_attachment_samples` is enabled, and not NVIDIA's extension).
    pub truncates_coverage: bool,
    /// Components that the share of covered samples multiplies.
    pub coverage_modulation: vk::CoverageModulationModeNV,
    /// That goes by a table.
    pub coverage_modulation_table_enable: bool,
    /// The table.
    pub coverage_modulation_table: CoverageModulationTable,
    /// The pipeline's fragment shading rate.
    pub fragment_size: Rate,
    /// How it is combined with the primitive's, and the result with the attachment's.
    pub rate_combiners: [Combiner; 2],
    /// Samples lie where the application says.
    pub sample_locations_enable: bool,
    /// Where.
    pub sample_locations: SampleLocations,
    /// The fragment output location of each colour attachment, where shader objects are bound.
    pub attachment_locations: AttachmentLocations,
}

/// State that neither pipelines nor commands set, but the extensions that a device is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceDefaults {
    /// [`GraphicsState::depth_unrestricted`].
    pub depth_unrestricted: bool,
    /// [`GraphicsState::truncates_coverage`].
    pub truncates_coverage: bool,
}

impl DeviceDefaults {
    /// Those of a device with these extensions.
    pub fn new(extensions: &[&str]) -> DeviceDefaults {
        let has = |name: &str| extensions.contains(&name);
        DeviceDefaults {
            depth_unrestricted: has("VK_EXT_depth_range_unrestricted"),
            truncates_coverage: has("VK_AMD_mixed_attachment_samples")
                && !has("VK_NV_framebuffer_mixed_samples"),
        }
    }

    /// Puts them into a state.
    pub fn apply(self, state: &mut GraphicsState) {
        state.depth_unrestricted = self.depth_unrestricted;
        state.truncates_coverage = self.truncates_coverage;
    }
}

/// `pCoverageModulationTable`, each value in [0, 1]; one where nothing is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageModulationTable(pub [f32; SAMPLES_MAX as usize]);

impl Default for CoverageModulationTable {
    fn default() -> Self {
        CoverageModulationTable([1.0; SAMPLES_MAX as usize])
    }
}

impl CoverageModulationTable {
    /// These values, clamped.
    pub fn new(values: &[f32]) -> CoverageModulationTable {
        let mut table = CoverageModulationTable::default();
        table.0.iter_mut().zip(values).for_each(|(to, value)| *to = value.clamp(0.0, 1.0));
        table
    }
}

/// `VkSampleLocationsInfoEXT` of a grid of one pixel: x and y in sixteenths of it, sample by sample. What is
/// not given is the pixel's centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleLocations(pub [(u8, u8); SAMPLES_MAX as usize]);

impl Default for SampleLocations {
    fn default() -> Self {
        SampleLocations([(8, 8); SAMPLES_MAX as usize])
    }
}

impl SampleLocations {
    /// These, in [0, 1).
    pub fn new(locations: &[vk::SampleLocationEXT]) -> SampleLocations {
        let mut all = SampleLocations::default();
        let sixteenths = |value: f32| (value * 16.0).round().clamp(0.0, 15.0) as u8;
        for (to, location) in all.0.iter_mut().zip(locations) {
            *to = (sixteenths(location.x), sixteenths(location.y));
        }
        all
    }
}

impl Default for GraphicsState {
    fn default() -> Self {
        GraphicsState {
            vertex_input: VertexInput::default(),
            strides: [None; VERTEX_BINDINGS_MAX],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            primitive_restart: false,
            patch_control_points: 1,
            tessellation_lower_left: false,
            viewports: SmallVec::new(),
            scissors: SmallVec::new(),
            negative_one_to_one: false,
            rasterizer_discard: false,
            depth_clamp: false,
            depth_clamp_range: None,
            depth_unrestricted: false,
            depth_clip: None,
            polygon_mode: vk::PolygonMode::FILL,
            cull_mode: vk::CullModeFlags::NONE,
            front_face: vk::FrontFace::COUNTER_CLOCKWISE,
            depth_bias_enable: false,
            depth_bias: DepthBias::default(),
            line_width: 1.0,
            line_mode: vk::LineRasterizationMode::DEFAULT,
            conservative: vk::ConservativeRasterizationModeEXT::DISABLED,
            line_stipple_enable: false,
            line_stipple: (1, 0xFFFF),
            provoking_last: false,
            raster_stream: 0,
            samples: 1,
            sample_shading: false,
            min_sample_shading: 0.0,
            sample_mask: [u32::MAX; 2],
            alpha_to_coverage: false,
            alpha_to_one: false,
            depth_test: false,
            depth_write: false,
            depth_compare: vk::CompareOp::ALWAYS,
            depth_bounds_test: false,
            depth_bounds: [0.0, 1.0],
            stencil_test: false,
            stencil: [StencilFace::default(); 2],
            logic_op_enable: false,
            logic_op: vk::LogicOp::COPY,
            blend: [ColorBlend::default(); COLOR_ATTACHMENTS_MAX],
            color_write: [true; COLOR_ATTACHMENTS_MAX],
            blend_constants: [0.0; 4],
            discard_rectangle_enable: false,
            discard_rectangle_inclusive: true,
            discard_rectangle_count: u32::MAX,
            discard_rectangles: SmallVec::new(),
            exclusive_scissors: SmallVec::new(),
            exclusive_scissor_enable: SmallVec::new(),
            viewport_swizzles: SmallVec::new(),
            w_scaling_enable: false,
            w_scalings: SmallVec::new(),
            coverage_to_color_enable: false,
            coverage_to_color_location: 0,
            shading_rate_image_enable: false,
            shading_rate_palettes: SmallVec::new(),
            coarse_sample_order: CoarseSampleOrder::default(),
            coverage_reduction: None,
            truncates_coverage: false,
            coverage_modulation: vk::CoverageModulationModeNV::NONE,
            coverage_modulation_table_enable: false,
            coverage_modulation_table: CoverageModulationTable::default(),
            fragment_size: Rate::PIXEL,
            rate_combiners: [Combiner::Keep; 2],
            sample_locations_enable: false,
            sample_locations: SampleLocations::default(),
            attachment_locations: AttachmentLocations::default(),
        }
    }
}
