//! What a draw is made of.

use crate::graphics::context::Resources;
use crate::graphics::geometry::tessellation::TessellationProgram;
use crate::graphics::raster::shading_rate::ShadingRate;
use pyro_abi::graphics::{
    DrawExtra, GeometryInfo, MAX_SAMPLES, MeshLayout, SetupLayout, VERTEX_STREAM_COUNT, VertexLayout,
};
use pyro_abi::{DrawContext, Kernel};
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

/// One drawing command's numbers: those of `vkCmdDraw` or `vkCmdDrawIndexed`, or of one line of an indirect or
/// multi draw.
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
    /// Of `vkCmdDrawMeshTasksEXT`, task workgroups, or mesh workgroups where there is no task stage; else nothing.
    pub groups: [u32; 3],
    /// Address of the payload of a mesh node of an execution graph, which stays as it is until the draw has run; 0: there is
    /// none.
    pub payload: u64,
    /// Bytes of it.
    pub payload_bytes: u32,
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
    pub fn intersect(self, other: Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// It has no pixel.
    pub fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
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
    pub sample_locations: Option<[(u8, u8); MAX_SAMPLES as usize]>,
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
    /// By viewport, which component of the position, or its negative, each component becomes. Empty: all as they are.
    pub swizzles: Vec<Swizzle>,
    /// By viewport, what x and y of clip coordinates are multiplied by and added to w (`VK_NV_clip_space_w_scaling`).
    /// Empty: w is as it is.
    pub w_scalings: Vec<[f32; 2]>,
}

/// What `VkViewportSwizzleNV` makes of a position: each component's new source, and whether it is negated.
pub type Swizzle = [(u8, bool); 4];

/// A compiled vertex function and where its outputs are.
#[derive(Clone)]
pub struct VertexProgram {
    /// Called with a `DrawContext` and a `VertexSubgroup`.
    pub kernel: Arc<dyn Kernel>,
    /// Rows of its outputs.
    pub layout: Arc<VertexLayout>,
}

/// A compiled mesh function, perhaps with a task function before it.
#[derive(Clone)]
pub struct MeshProgram {
    /// Both are called with a `DrawContext` and a `SubgroupContext`, whose workgroup memory begins with a
    /// [`pyro_abi::graphics::MeshWorkgroup`].
    pub task: Option<Arc<dyn Kernel>>,
    /// The mesh function.
    pub kernel: Arc<dyn Kernel>,
    /// What it writes for primitives.
    pub layout: Arc<MeshLayout>,
}

/// A compiled geometry function.
#[derive(Clone)]
pub struct GeometryProgram {
    /// Called with a `DrawContext` and a `GeometrySubgroup`.
    pub kernel: Arc<dyn Kernel>,
    /// What primitives it takes and makes.
    pub info: GeometryInfo,
}

/// The compiled stages before rasterization.
#[derive(Clone)]
pub struct PreRasterization {
    /// The vertex function, where there is a vertex stage.
    pub vertex: Option<VertexProgram>,
    /// The tessellation functions, where there are such stages; primitives are patches then.
    pub tessellation: Option<TessellationProgram>,
    /// The mesh function, in place of all others.
    pub mesh: Option<MeshProgram>,
    /// The geometry function, where there is a geometry stage.
    pub geometry: Option<GeometryProgram>,
    /// The vertex stream whose primitives are rasterized.
    pub raster_stream: u32,
    /// Rows of the last stage's vertices: what comes to clipping, and what the fragment function's setup data is made of.
    pub outputs: Arc<VertexLayout>,
}

impl PreRasterization {
    /// A vertex stage alone.
    pub fn of_vertex(vertex: VertexProgram) -> PreRasterization {
        let outputs = Arc::clone(&vertex.layout);
        PreRasterization {
            vertex: Some(vertex),
            tessellation: None,
            geometry: None,
            mesh: None,
            raster_stream: 0,
            outputs,
        }
    }

    /// Primitives that may come of one of the input's, at most.
    pub(crate) fn amplification(&self) -> u64 {
        self.geometry.as_ref().map_or(1, GeometryProgram::most_primitives)
    }

    /// Input primitives of a chunk, where their number must be less than usual: for so long their vertices take memory.
    pub(crate) fn chunk_primitives(&self) -> Option<u32> {
        /// Bytes of the vertices of a chunk.
        const CHUNK_BYTES: u64 = 4 << 20;
        let vertex_bytes = 4 * u64::from(self.outputs.rows.max(4));
        let geometry = self.geometry.as_ref()?;
        // At least a subgroup of invocations.
        let least = 16_u64.div_ceil(u64::from(geometry.info.invocations.max(1)));
        Some((CHUNK_BYTES / (geometry.most_primitives() * vertex_bytes)).clamp(least, 1024) as u32)
    }
}

/// A compiled fragment function in its variants. A pipeline without a fragment shader has one too, for depth
/// and stencil.
#[derive(Clone)]
pub struct FragmentProgram {
    /// All lanes of a subgroup belong to one primitive.
    pub single_primitive: Arc<dyn Kernel>,
    /// Each quad has its primitive.
    pub multi_primitive: Arc<dyn Kernel>,
    /// `multi_primitive` draws lists of [`pyro_abi::graphics::QuadSubgroup`]s, or of [`pyro_abi::graphics::GroupedQuads`] where
    /// pixels have one sample.
    pub is_grouped: bool,
    /// Draws lists of whole blocks of eight by two pixels; none for functions that run once for each sample or
    /// count samples, and for subgroups of other than 16 lanes.
    pub full_block: Option<Arc<dyn Kernel>>,
    /// What it reads of a primitive.
    pub setup: Arc<SetupLayout>,
    /// It runs once for each sample.
    pub per_sample: bool,
    /// It writes `FragmentSubgroup::passed`.
    pub counts_samples: bool,
    /// Coverage tells which pixels lie in the primitive as a whole ([`pyro_abi::graphics::FULLY_COVERED`]).
    pub sees_full_coverage: bool,
}

/// One or several draws with the same state.
#[derive(Clone)]
pub struct Draw {
    /// What it has in place of what its state's context says; none: nothing.
    pub resources: Option<Resources>,
    /// The draws, in order.
    pub commands: SmallVec<[DrawCommand; 1]>,
    /// Everything else, which many draws may share: those that do have resources for the same pipeline layout, or none.
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
    /// The scissors, one for each viewport.
    pub scissors: Vec<Rect>,
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
