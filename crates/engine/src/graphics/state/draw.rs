//! A draw: its commands, its state, and the statistics that it gives.

use super::programs::{FragmentProgram, PreRasterization};
use super::region_counters::RegionCounters;
use super::shading_rate::ShadingRate;
use pyro_abi::DrawContext;
use pyro_abi::graphics::{DrawExtra, SAMPLES_MAX, VERTEX_STREAM_COUNT, sample_positions};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// `VkPrimitiveTopology`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in Vulkan.
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    #[default]
    TriangleList,
    TriangleStrip,
    TriangleFan,
    LineListWithAdjacency,
    LineStripWithAdjacency,
    TriangleListWithAdjacency,
    TriangleStripWithAdjacency,
    /// Patches of so many vertices, at least one.
    PatchList(u32),
}

/// What is rasterized: what kind of primitive a topology, or a stage, makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PrimitiveKind {
    Point,
    Line,
    Triangle,
}

impl PrimitiveKind {
    /// Vertices of a primitive.
    pub(crate) fn corner_count(self) -> usize {
        match self {
            PrimitiveKind::Point => 1,
            PrimitiveKind::Line => 2,
            PrimitiveKind::Triangle => 3,
        }
    }
}

/// The width of indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IndexType {
    Uint8,
    Uint16,
    #[default]
    Uint32,
}

impl IndexType {
    /// Bytes of an index.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            IndexType::Uint8 => 1,
            IndexType::Uint16 => 2,
            IndexType::Uint32 => 4,
        }
    }
}

/// A bound index buffer, its binding offset included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexBuffer {
    /// Address of index 0.
    pub address: u64,
    /// Bytes that may be read from there: indices behind them read as 0.
    pub size: u64,
    /// Width of an index.
    pub kind: IndexType,
    /// The index that restarts, where it is another one than the greatest.
    pub restart: Option<u32>,
}

/// One drawing command's numbers: those of `vkCmdDraw` or `vkCmdDrawIndexed`, or of one line of an indirect
/// or multi draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawCommand {
    /// `firstVertex`, or `firstIndex` when indexed.
    pub first: u32,
    /// Vertices or indices.
    pub count: u32,
    /// `vertexOffset`; 0 when not indexed.
    pub vertex_offset: i32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
    /// `DrawIndex`.
    pub draw_index: u32,
    /// Of `vkCmdDrawMeshTasksEXT`, task workgroups, or mesh workgroups where there is no task stage; of
    /// `vkCmdDrawClusterHUAWEI`, cluster culling workgroups; else nothing.
    pub groups: [u32; 3],
    /// Address of the payload of a mesh node of an execution graph, which stays as it is until the draw has
    /// run; 0: there is none.
    pub payload: u64,
    /// Bytes of it.
    pub payload_bytes: u32,
    /// The shading rate of its primitives, as bits, where no stage gives them one: its cluster's.
    pub shading_rate: u32,
    /// What its time is attributed to ([`pyro_codemem::sample::set_tag`]); 0: what the calling thread does.
    pub tag: u32,
}

/// A viewport. Depths within [0, 1] unless the application asked for more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Named as in `VkViewport`.
pub struct Viewport {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    pub min_depth: f32,
    pub max_depth: f32,
}

/// Pixels from (`x0`, `y0`) up to, not including, (`x1`, `y1`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Rect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl Rect {
    /// The pixels in both.
    #[inline(always)]
    pub fn intersect(self, other: Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// It has no pixel.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    /// How many pixels it has, which fit 31 bits.
    #[inline(always)]
    pub(crate) fn pixel_count(self) -> i32 {
        (self.x1 - self.x0).max(0) * (self.y1 - self.y0).max(0)
    }
}

/// `VkPolygonMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PolygonMode {
    #[default]
    Fill,
    Line,
    Point,
    /// The box around it is filled (`VK_POLYGON_MODE_FILL_RECTANGLE_NV`).
    FillRectangle,
}

/// `VkLineRasterizationMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineMode {
    /// Rectangles along the line, as `strictLines` has it. Also what the default mode is.
    #[default]
    Rectangular,
    /// Diamond-exit rule, one pixel for each step of the major axis.
    Bresenham,
    /// Rectangles with a soft edge: what the fragment function makes of `Interpolation::SmoothLine`.
    Smooth,
}

/// `VkConservativeRasterizationModeEXT`: which pixels a triangle covers, and all their samples then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Conservative {
    /// Coverage is by samples.
    #[default]
    Disabled,
    /// All pixels that it touches.
    Overestimate,
    /// The pixels that lie in it as a whole.
    Underestimate,
}

/// The stipple of lines: bit `counter / factor % 16` of the pattern says whether a part of a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStipple {
    /// `lineStippleFactor`, 1 to 256.
    pub factor: u32,
    /// `lineStipplePattern`.
    pub pattern: u16,
}

/// `VkCullModeFlags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct CullMode {
    pub front: bool,
    pub back: bool,
}

/// What `depthBiasConstantFactor` multiplies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DepthBiasUnit {
    /// This much: 2^-16 or 2^-24 for fixed-point formats, or what `VkDepthBiasRepresentationInfoEXT` says.
    Constant(f32),
    /// For floating-point formats: 2^(e - 23), e being the exponent of the primitive's greatest depth.
    #[default]
    FloatExponent,
}

/// Depth bias, where it is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// `depthBiasConstantFactor`.
    pub constant: f32,
    /// `depthBiasClamp`.
    pub clamp: f32,
    /// `depthBiasSlopeFactor`.
    pub slope: f32,
    /// What the constant multiplies.
    pub unit: DepthBiasUnit,
}

/// Rasterization state that is no part of any compiled function.
#[derive(Clone, Debug, Default)]
pub struct RasterState {
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Where several samples lie in their pixel, in sixteenths of it; none: at the standard places.
    pub sample_locations: Option<[(u8, u8); SAMPLES_MAX as usize]>,
    /// How polygons are drawn.
    pub polygon_mode: PolygonMode,
    /// Which facings are not drawn.
    pub cull: CullMode,
    /// `VK_FRONT_FACE_CLOCKWISE`.
    pub front_clockwise: bool,
    /// Depth bias.
    pub depth_bias: Option<DepthBias>,
    /// Primitives are clipped at the near and far plane: `depthClipEnable`, or else `!depthClampEnable`.
    pub depth_clip: bool,
    /// `depthClampEnable`.
    pub depth_clamp: bool,
    /// Depths are not clamped to [0, 1].
    pub depth_unrestricted: bool,
    /// What depths are clamped to; none: the viewport's range.
    pub depth_clamp_range: Option<[f32; 2]>,
    /// `negativeOneToOne`: clip-space z runs from -w.
    pub negative_one_to_one: bool,
    /// How lines are drawn.
    pub line_mode: LineMode,
    /// How triangles that are filled cover pixels.
    pub conservative: Conservative,
    /// `lineWidth`.
    pub line_width: f32,
    /// The stipple, where it is enabled.
    pub line_stipple: Option<LineStipple>,
    /// The provoking vertex is a primitive's last.
    pub provoking_last: bool,
    /// `rasterizerDiscardEnable`.
    pub discard: bool,
    /// By viewport, which component of the position, or its negative, each component becomes. Empty: all as
    /// they are.
    pub swizzles: Vec<Swizzle>,
    /// By viewport, what x and y of clip coordinates are multiplied by and added to w
    /// (`VK_NV_clip_space_w_scaling`). Empty: w is as it is.
    pub w_scalings: Vec<[f32; 2]>,
}

impl RasterState {
    /// Where samples lie in a pixel, in sixteenths.
    #[inline(always)]
    pub(crate) fn samples(&self) -> &[(u8, u8)] {
        let count = self.samples.max(1);
        match self.conservative {
            Conservative::Disabled => match &self.sample_locations {
                Some(locations) if count > 1 => &locations[..count as usize],
                _ => sample_positions(count),
            },
            // Edges have moved, so that a pixel's centre stands for all its samples.
            _ => &[(8, 8); SAMPLES_MAX as usize][..count as usize],
        }
    }
}

/// What `VkViewportSwizzleNV` makes of a position: each component's new source, and whether it is negated.
pub type Swizzle = [(u8, bool); 4];

/// What a draw has for itself of what its functions read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Addresses of the first descriptor sets, as many as the pipeline layout has.
    pub sets: SmallVec<[u64; 4]>,
    /// As in [`pyro_abi::DispatchContext`].
    pub dynamic_buffers: u64,
    /// The first bytes of the push constants, as many as the pipeline layout has.
    pub push_constants: SmallVec<[u8; 64]>,
}

/// One or several draws with the same state.
#[derive(Clone)]
pub struct Draw {
    /// What it has in place of what its state's context says; none: nothing.
    pub resources: Option<Resources>,
    /// The draws, in order.
    pub commands: SmallVec<[DrawCommand; 1]>,
    /// The scissors, one for each viewport. Draws of one state may differ in them.
    pub scissors: SmallVec<[Rect; 1]>,
    /// Everything else, which many draws may share: those that do have resources for the same pipeline
    /// layout, or none.
    pub state: Arc<DrawState>,
}

impl Deref for Draw {
    type Target = DrawState;

    fn deref(&self) -> &DrawState {
        &self.state
    }
}

/// Changes the state of this draw alone.
impl DerefMut for Draw {
    fn deref_mut(&mut self) -> &mut DrawState {
        Arc::make_mut(&mut self.state)
    }
}

/// What draws may share.
#[derive(Clone)]
pub struct DrawState {
    /// Argument 0 of both functions. `abort` is filled in by the engine.
    pub context: DrawContext,
    /// The stages before rasterization.
    pub stages: PreRasterization,
    /// The fragment function; none when nothing is rasterized.
    pub fragment: Option<FragmentProgram>,
    /// How vertices make primitives.
    pub topology: Topology,
    /// The domain's origin is in the lower left (`VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT`).
    pub tessellation_lower_left: bool,
    /// The index with all bits set starts a new strip or list.
    pub primitive_restart: bool,
    /// The index buffer, for indexed draws.
    pub indices: Option<IndexBuffer>,
    /// Rasterization state.
    pub raster: RasterState,
    /// The viewports; at least one.
    pub viewports: Vec<Viewport>,
    /// Where may be drawn: the render area within all attachments.
    pub area: Rect,
    /// Layers of the framebuffer: primitives for others are dropped. With views, 1.
    pub layers: u32,
    /// How many pixels fragments have; none: one, and the fragment function is made for that.
    pub shading_rate: Option<ShadingRate>,
    /// What `DrawContext::extra` points to.
    pub extra: Option<Arc<DrawExtra>>,
    /// `viewMask`: the draws run once for each bit, into the layer of its number; 0 without multiview.
    pub view_mask: u32,
    /// Each view has the viewport and scissor of its number; no shader names another
    /// (`VK_QCOM_multiview_per_view_viewports`).
    pub per_view_viewports: bool,
    /// Where what it does is counted by region.
    pub counters: Option<Arc<RegionCounters>>,
}

impl DrawState {
    /// Whether a shader of any stage may ask which device of a group it runs on.
    pub fn uses_device_index(&self) -> bool {
        let fragment = self.fragment.as_ref().map(|fragment| &fragment.single_primitive);
        self.stages.kernels().chain(fragment).any(|kernel| kernel.info().uses_device_index)
    }

    /// Whether a shader of any stage writes memory that other invocations may read.
    pub(crate) fn writes_memory(&self) -> bool {
        let fragment = self.fragment.as_ref().map(|fragment| &fragment.single_primitive);
        self.stages.kernels().chain(fragment).any(|kernel| kernel.info().writes_memory)
    }
}

/// What a draw did, for queries. Names as in `VkQueryPipelineStatisticFlagBits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices that entered input assembly.
    pub input_assembly_vertices: u64,
    /// Primitives that left it.
    pub input_assembly_primitives: u64,
    /// Invocations of the vertex shader.
    pub vertex_shader_invocations: u64,
    /// Invocations of the geometry shader.
    pub geometry_shader_invocations: u64,
    /// Primitives that it made, of all streams.
    pub geometry_shader_primitives: u64,
    /// Primitives that the last stage before rasterization made, by vertex stream.
    pub generated: [u64; VERTEX_STREAM_COUNT],
    /// Primitives that came to clipping.
    pub clipping_invocations: u64,
    /// Primitives that left clipping.
    pub clipping_primitives: u64,
    /// Patches of the tessellation control shader.
    pub tessellation_control_shader_patches: u64,
    /// Invocations of the tessellation evaluation shader.
    pub tessellation_evaluation_shader_invocations: u64,
    /// Invocations of the fragment shader, helpers not counted.
    pub fragment_shader_invocations: u64,
    /// Invocations of the cluster culling shader.
    pub cluster_culling_shader_invocations: u64,
    /// Invocations of the task shader.
    pub task_shader_invocations: u64,
    /// Invocations of the mesh shader.
    pub mesh_shader_invocations: u64,
    /// Primitives that mesh shaders made (`VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT`).
    pub mesh_primitives_generated: u64,
    /// Samples that passed all tests; 0 unless the function counts them.
    pub samples_passed: u64,
}

impl Statistics {
    /// Each number, made of those of two.
    fn zip(self, other: Statistics, f: impl Fn(u64, u64) -> u64) -> Statistics {
        Statistics {
            input_assembly_vertices: f(self.input_assembly_vertices, other.input_assembly_vertices),
            input_assembly_primitives: f(self.input_assembly_primitives, other.input_assembly_primitives),
            vertex_shader_invocations: f(self.vertex_shader_invocations, other.vertex_shader_invocations),
            geometry_shader_invocations: f(
                self.geometry_shader_invocations,
                other.geometry_shader_invocations,
            ),
            geometry_shader_primitives: f(self.geometry_shader_primitives, other.geometry_shader_primitives),
            generated: std::array::from_fn(|stream| f(self.generated[stream], other.generated[stream])),
            clipping_invocations: f(self.clipping_invocations, other.clipping_invocations),
            clipping_primitives: f(self.clipping_primitives, other.clipping_primitives),
            tessellation_control_shader_patches: f(
                self.tessellation_control_shader_patches,
                other.tessellation_control_shader_patches,
            ),
            tessellation_evaluation_shader_invocations: f(
                self.tessellation_evaluation_shader_invocations,
                other.tessellation_evaluation_shader_invocations,
            ),
            fragment_shader_invocations: f(
                self.fragment_shader_invocations,
                other.fragment_shader_invocations,
            ),
            cluster_culling_shader_invocations: f(
                self.cluster_culling_shader_invocations,
                other.cluster_culling_shader_invocations,
            ),
            task_shader_invocations: f(self.task_shader_invocations, other.task_shader_invocations),
            mesh_shader_invocations: f(self.mesh_shader_invocations, other.mesh_shader_invocations),
            mesh_primitives_generated: f(self.mesh_primitives_generated, other.mesh_primitives_generated),
            samples_passed: f(self.samples_passed, other.samples_passed),
        }
    }

    /// What was counted since.
    #[must_use]
    pub fn since(self, before: Statistics) -> Statistics {
        self.zip(before, |now, then| now - then)
    }
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        *self = self.zip(other, |one, other| one + other);
    }
}
