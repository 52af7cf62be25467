//! What vertex and fragment functions are called with.
//!
//! Entry argument 0 is the address of a [`DrawContext`], argument 1 that of a [`VertexSubgroup`] or a
//! [`FragmentSubgroup`]. The first starts with a [`DispatchContext`], the others with a [`SubgroupContext`],
//! so what does not depend on the stage (descriptors, push constants, active lanes, scratch memory) lies
//! where it does for compute.
//!
//! A *column* holds one 32-bit value for each lane, lane 0 first. Columns inside the records are as long as
//! the largest subgroup needs ([`COLUMN_BYTES`]); columns of vertex outputs are 4 * lanes bytes.
//!
//! # Vertex outputs
//! A vertex subgroup writes its outputs at [`VertexSubgroup::outputs`], a column for each 32-bit component:
//! [`VertexLayout`] says which column holds what. Position comes first.
//!
//! # Setup data
//! The engine turns each primitive into a [`PrimitiveSetup`] header followed by words for the components that
//! the fragment function reads ([`SetupLayout`]):
//!
//! | interpolation | words |
//! | --- | --- |
//! | flat | the provoking vertex's bits |
//! | perspective, linear | `v0`, `v1 - v0`, `v2 - v0` (floats) |
//! | per vertex | bits of vertices 0, 1, 2 |
//!
//! An interpolated value is `v0 + i * (v1 - v0) + j * (v2 - v0)`, with `i` and `j` the barycentric
//! coordinates of vertices 1 and 2, from planes in the header. A plane is three floats: its value at the
//! centre of the reference pixel (`ref_x`, `ref_y`), its change for one pixel in x, and in y. With `dx = x -
//! ref_x` and so on (plus the distance from the pixel's centre for other places than that):
//!
//! * linear: `i = linear_i(dx, dy)`, `j = linear_j(dx, dy)`;
//! * perspective: `w = inverse_w(dx, dy)`, `i = perspective_i(dx, dy) / w`, `j = perspective_j(dx, dy) / w`.
//!
//! `FragCoord.w` is `w`. Lines have `j = 0`. A point's values are those of its vertex, and its linear
//! coordinates are `PointCoord` instead.

use crate::{DispatchContext, SubgroupContext};

/// Vertex input bindings (`maxVertexInputBindings`).
pub const VERTEX_BINDINGS_MAX: usize = 32;
/// Vertex input attributes (`maxVertexInputAttributes`).
pub const VERTEX_ATTRIBUTES_MAX: usize = 32;
/// Colour attachments (`maxColorAttachments`).
pub const COLOR_ATTACHMENTS_MAX: usize = 16;
/// Viewports and scissors (`maxViewports`).
pub const VIEWPORTS_MAX: usize = 16;
/// Clip and cull distances together (`maxCombinedClipAndCullDistances`).
pub const CLIP_CULL_DISTANCES_MAX: usize = 8;
/// Samples of one pixel.
pub const SAMPLES_MAX: u32 = 16;
/// In coverage of functions that look at it: the primitive covers all of the pixel's area.
pub const FULLY_COVERED: u32 = 1 << 31;
/// Control points of a patch (`maxTessellationPatchSize`).
pub const PATCH_VERTICES_MAX: u32 = 32;
/// Discard rectangles (`maxDiscardRectangles`).
pub const DISCARD_RECTANGLES_MAX: usize = 16;
/// Lanes that a column inside a record has room for.
pub const COLUMN_LANES: usize = crate::SUBGROUP_SIZE_MAX as usize;
/// Bytes of a column inside a record.
pub const COLUMN_BYTES: u32 = 4 * COLUMN_LANES as u32;
/// Lanes of functions that draw blocks of eight by two pixels.
pub const BLOCK_LANES: u32 = 16;
/// Samples of a pixel, at most, of blocks that a primitive covers in part.
pub const COVERED_BLOCK_SAMPLES_MAX: usize = 4;
/// Sub-pixel bits of window coordinates (`subPixelPrecisionBits`).
pub const SUB_PIXEL_BITS: u32 = 8;

/// Where one attribute's elements lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct VertexAttributeRecord {
    /// Address of the attribute in element 0.
    pub address: u64,
    /// Elements that lie in the buffer whole: an attribute of any other element reads zero bytes.
    pub limit: u32,
    /// Bytes from one element to the next: the binding's stride.
    pub stride: u32,
}

/// Where an attachment's texels lie. The texel (x, y) of a sample and layer begins at `address + y *
/// row_pitch + layer * layer_pitch + sample * sample_pitch + x * (texel bytes)`.
///
/// Where there is one sample for each pixel, texels of four bytes are read in quads of two by two that begin
/// at even coordinates: memory reaches as far as these do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AttachmentRecord {
    /// Address of the view's texel (0, 0) of layer 0, sample 0.
    pub address: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u32,
    /// Bytes from one layer to the next.
    pub layer_pitch: u32,
    /// Bytes from one sample to the next.
    pub sample_pitch: u32,
    /// Pixels in x and y that the view has.
    pub extent: [u32; 2],
    /// Zero.
    pub reserved: u32,
}

/// Dynamic values of the stencil test for one facing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct StencilValues {
    /// The value compared with.
    pub reference: u32,
    /// Bits that are compared.
    pub compare_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
    /// Zero.
    pub reserved: u32,
}

/// State that few draws have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct DrawExtra {
    /// Where samples lie within their pixel, x and y in [0, 1).
    pub sample_locations: [[f32; 2]; SAMPLES_MAX as usize],
    /// Discard rectangles: x and y of the first pixel, then of the one behind the last.
    pub discard_rectangles: [[i32; 4]; DISCARD_RECTANGLES_MAX],
    /// Exclusive scissors by viewport, in the same way.
    pub exclusive_scissors: [[i32; 4]; VIEWPORTS_MAX],
    /// For fragments of each size ([`Rate::bits`]) and each bit of a shader's sample mask, the bit of the
    /// coverage (custom orders of samples).
    pub sample_orders: [[u32; COVERAGE_SAMPLES_MAX as usize]; 16],
    /// What colours are multiplied by where so many samples, less one, are covered (coverage modulation).
    pub coverage_modulation: [f32; SAMPLES_MAX as usize],
}

/// What all subgroups of a draw share, in both stages.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct DrawContext {
    /// Descriptors, push constants, abort flag; its workgroup fields mean nothing here.
    pub dispatch: DispatchContext,
    /// The attributes, in the order of the pipeline's vertex input state.
    pub attributes: [VertexAttributeRecord; VERTEX_ATTRIBUTES_MAX],
    /// Colour attachments, by fragment output location.
    pub colors: [AttachmentRecord; COLOR_ATTACHMENTS_MAX],
    /// The depth and stencil attachment.
    pub depth_stencil: AttachmentRecord,
    /// Front and back facing stencil values.
    pub stencil: [StencilValues; 2],
    /// `blendConstants`.
    pub blend_constants: [f32; 4],
    /// `minDepthBounds`, `maxDepthBounds`.
    pub depth_bounds: [f32; 2],
    /// `pSampleMask`, the first word.
    pub sample_mask: u32,
    /// `viewMask`; 0 without multiview.
    pub view_mask: u32,
    /// Address of a [`DrawExtra`], for fragment functions that look at it.
    pub extra: u64,
}

/// Nothing bound; the whole range of depths, every sample.
impl Default for DrawContext {
    fn default() -> DrawContext {
        DrawContext {
            dispatch: DispatchContext::default(),
            attributes: Default::default(),
            colors: Default::default(),
            depth_stencil: AttachmentRecord::default(),
            stencil: Default::default(),
            blend_constants: [0.0; 4],
            depth_bounds: [0.0, 1.0],
            sample_mask: u32::MAX,
            view_mask: 0,
            extra: 0,
        }
    }
}

/// One subgroup of vertices.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct VertexSubgroup {
    /// Active lanes, scratch memory.
    pub subgroup: SubgroupContext,
    /// Address of the output columns of this subgroup, 64-byte aligned.
    pub outputs: u64,
    /// `BaseVertex`: `vertexOffset` of an indexed draw, `firstVertex` of another.
    pub base_vertex: u32,
    /// `BaseInstance`.
    pub base_instance: u32,
    /// `DrawIndex`.
    pub draw_index: u32,
    /// `ViewIndex`.
    pub view_index: u32,
    /// Zero.
    pub reserved: [u32; 10],
    /// Column: `VertexIndex`, base included.
    pub vertex_index: [u32; COLUMN_LANES],
    /// Column: `InstanceIndex`, base included.
    pub instance_index: [u32; COLUMN_LANES],
}

/// One subgroup of fragments. Lanes `4 k` to `4 k + 3` are the quad of two by two pixels whose upper left is
/// in lane `4 k`; lane `4 k + n` is its pixel (`n & 1`, `n >> 1`). Active lanes are those of all quads that
/// the subgroup holds; among them, the ones with no coverage are helper invocations.
///
/// Functions of blocks draw a list of them, each eight pixels wide and two high, with even coordinates and
/// wholly covered by one primitive; of the columns they read none. Functions of covered blocks draw a list of
/// [`CoveredBlock`]s.
///
/// In functions of coarse fragments ([`Rate`]) a lane is a fragment of several pixels, all of one size, and x
/// and y are those of its upper left pixel. Bits of coverage are those of Vulkan's coverage mask: sample `i`
/// of pixel `p`, counted row by row, is bit `i + samples * (pixels - 1 - p)`.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct FragmentSubgroup {
    /// Active lanes, scratch memory.
    pub subgroup: SubgroupContext,
    /// Address that primitives' offsets count from.
    pub setup: u64,
    /// For functions of one primitive: the byte offset of its [`PrimitiveSetup`]. For functions of
    /// [`GroupedQuads`]: that of their group. For functions of covered blocks, within their loop: that of the
    /// primitive's first word in its group.
    pub primitive: u32,
    /// For functions that run once for each sample: the sample. Coverage has no other bit then.
    pub sample_id: u32,
    /// For functions of blocks: the address of the blocks' words, x of the upper left pixel in the lower
    /// half, y in the upper half. For functions that loop over subgroups: the address of [`QuadSubgroup`]s or
    /// of [`GroupedQuads`].
    pub blocks: u64,
    /// How many there are; at least 1.
    pub block_count: u32,
    /// The block's word, within such a function's loop.
    pub block: u32,
    /// For functions of coarse fragments: the rate of all of them ([`Rate::bits`]).
    pub shading_rate: u32,
    /// For functions that loop over subgroups of quads with one sample for each pixel: whether pixels of a
    /// quad that have no coverage may be written with what they hold, as nobody else draws them meanwhile.
    pub whole_quads: u32,
    /// For functions of covered blocks, within their loop: [`CoveredBlock::coverage`].
    pub block_coverage: [u32; COVERED_BLOCK_SAMPLES_MAX],
    /// Zero.
    pub reserved: [u32; 2],
    /// Column: the pixel's x.
    pub x: [u32; COLUMN_LANES],
    /// Column: the pixel's y.
    pub y: [u32; COLUMN_LANES],
    /// Column: bit `i` is set when the primitive covers sample `i`. Zero in inactive lanes.
    pub coverage: [u32; COLUMN_LANES],
    /// Column: for functions of several primitives, the byte offset of the lane's [`PrimitiveSetup`]. Valid
    /// in all active lanes, equal in the lanes of a quad. For functions of [`GroupedQuads`]: the quad's word.
    pub primitives: [u32; COLUMN_LANES],
    /// Column, written by functions that count samples: bit `i` is set when sample `i` has passed all tests.
    /// The caller zeroes it.
    pub passed: [u32; COLUMN_LANES],
}

/// Four quads, one for each four lanes of a subgroup of 16, as functions that loop over lists of such
/// subgroups read them: in the place of the columns of a [`FragmentSubgroup`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct QuadSubgroup {
    /// Each lane's coverage.
    pub coverage: [u32; 16],
    /// The quads' upper left pixels, x in the lower half, y in the upper half; both even.
    pub corners: [u32; 4],
    /// Byte offsets of the quads' [`PrimitiveSetup`]s.
    pub primitives: [u32; 4],
    /// Anything: what lies behind the quads' words is read with them.
    pub reserved: [u32; 8],
}

/// A block of eight by two pixels, and what a primitive covers of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CoveredBlock {
    /// The upper left pixel, x in the lower half, y in the upper half; both even.
    pub corner: u32,
    /// Byte offset of the primitive's first word in its group of setup data.
    pub primitive: u32,
    /// For each sample, a bit for each lane in which the primitive covers it; in the upper half the same for
    /// the block's pixels row by row. Any pixel at all is covered.
    pub coverage: [u32; COVERED_BLOCK_SAMPLES_MAX],
}

/// Primitives whose setup data lies together, word by word: first the first words of all of them, then the
/// second ones.
pub const GROUP_PRIMITIVES: usize = 16;

/// Quads of a list at most.
pub const GROUPED_QUADS: usize = 512;

/// Quads with up to four samples for each pixel, four quads for each subgroup of 16 lanes, whose primitives
/// belong to one group of [`GROUP_PRIMITIVES`]. No subgroup covers a pixel twice, or a quad where pixels have
/// several samples.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct GroupedQuads {
    /// The quads' upper left pixels, x in the lower half, y in the upper half; both even.
    pub corners: [u32; GROUPED_QUADS],
    /// The number of the quad's primitive in the group, in the lower four bits; then for each sample, a bit
    /// for each pixel in which the primitive covers it.
    pub quads: [u32; GROUPED_QUADS],
    /// For each subgroup: byte offset of the group's setup data.
    pub groups: [u32; GROUPED_QUADS / 4],
}

/// No quads.
impl Default for GroupedQuads {
    fn default() -> GroupedQuads {
        GroupedQuads {
            corners: [0; GROUPED_QUADS],
            quads: [0; GROUPED_QUADS],
            groups: [0; GROUPED_QUADS / 4],
        }
    }
}

/// A value that changes linearly over the pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Plane {
    /// At the centre of the reference pixel.
    pub value: f32,
    /// Change for one pixel in x.
    pub dx: f32,
    /// Change for one pixel in y.
    pub dy: f32,
}

/// The start of a primitive's setup data. See the module's documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct PrimitiveSetup {
    /// The reference pixel's x.
    pub ref_x: i32,
    /// The reference pixel's y.
    pub ref_y: i32,
    /// Layer of the attachments that is drawn to (multiview: the view).
    pub layer: u32,
    /// The `Layer` built-in as the fragment stage sees it.
    pub layer_built_in: u32,
    /// `ViewportIndex`.
    pub viewport_index: u32,
    /// `PrimitiveId`.
    pub primitive_id: u32,
    /// `FrontFacing`: 1 or 0. Points and lines are front facing.
    pub front_facing: u32,
    /// `ViewIndex`.
    pub view_index: u32,
    /// Window depth, biased, not clamped.
    pub depth: Plane,
    /// Clip-space `1 / w`.
    pub inverse_w: Plane,
    /// Vertex 1's barycentric coordinate over its `w`.
    pub perspective_i: Plane,
    /// Vertex 2's barycentric coordinate over its `w`.
    pub perspective_j: Plane,
    /// Vertex 1's barycentric coordinate in the window; a point's `PointCoord.x`.
    pub linear_i: Plane,
    /// Vertex 2's barycentric coordinate in the window; a point's `PointCoord.y`.
    pub linear_j: Plane,
    /// The least depth of the primitive: covered samples are clamped to what lies between it and the next.
    pub depth_least: f32,
    /// The greatest depth of the primitive.
    pub depth_greatest: f32,
    /// The viewport's `minDepth` or `maxDepth`, whichever is smaller: where depth clamping ends.
    pub clamp_least: f32,
    /// The other of them.
    pub clamp_greatest: f32,
    /// 1 for points, else 0.
    pub is_point: u32,
    /// The fragment shading rate of pipeline and primitive together, as [`crate::graphics::Rate`] encodes it.
    pub shading_rate: u32,
}

/// Bytes of [`PrimitiveSetup`]: where the components' words begin.
pub const SETUP_HEADER_BYTES: u32 = 128;
const _: () = assert!(size_of::<PrimitiveSetup>() == SETUP_HEADER_BYTES as usize);
const _: () = assert!(size_of::<AttachmentRecord>() == 32 && size_of::<VertexAttributeRecord>() == 16);
const _: () = assert!(core::mem::offset_of!(DrawContext, dispatch) == 0);
const _: () = assert!(core::mem::offset_of!(VertexSubgroup, subgroup) == 0);
const _: () = assert!(core::mem::offset_of!(FragmentSubgroup, subgroup) == 0);

impl Default for VertexSubgroup {
    fn default() -> VertexSubgroup {
        VertexSubgroup {
            subgroup: SubgroupContext::default(),
            outputs: 0,
            base_vertex: 0,
            base_instance: 0,
            draw_index: 0,
            view_index: 0,
            reserved: [0; 10],
            vertex_index: [0; COLUMN_LANES],
            instance_index: [0; COLUMN_LANES],
        }
    }
}

impl Default for FragmentSubgroup {
    fn default() -> FragmentSubgroup {
        FragmentSubgroup {
            subgroup: SubgroupContext::default(),
            setup: 0,
            primitive: 0,
            sample_id: 0,
            blocks: 0,
            block_count: 0,
            block: 0,
            shading_rate: 0,
            whole_quads: 0,
            block_coverage: [0; COVERED_BLOCK_SAMPLES_MAX],
            reserved: [0; 2],
            x: [0; COLUMN_LANES],
            y: [0; COLUMN_LANES],
            coverage: [0; COLUMN_LANES],
            primitives: [0; COLUMN_LANES],
            passed: [0; COLUMN_LANES],
        }
    }
}

pub mod cluster;
mod geometry;
mod layout;
pub mod mesh;
mod rate;
mod tessellation;
mod transform_feedback;
pub use cluster::{CLUSTERS_MAX, Cluster, ClusterInfo};
pub use geometry::{
    GEOMETRY_INVOCATIONS_MAX, GEOMETRY_VERTICES_MAX, GeometryInfo, GeometryOutput, GeometrySubgroup,
    INPUT_VERTICES_MAX, VERTEX_STREAM_COUNT, geometry_offset,
};
pub use layout::{Interpolation, SetupLayout, Varying, VertexLayout, sample_positions};
pub use mesh::{MeshIndices, MeshLayout, MeshWorkgroup};
pub use rate::{COVERAGE_SAMPLES_MAX, INVOCATIONS_SHIFT, Rate};
pub use tessellation::{
    ControlSubgroup, Domain, EvaluationSubgroup, PatchLayout, Spacing, TessellationModes, tessellation_offset,
};
pub use transform_feedback::{CAPTURE_BUFFER_COUNT, CaptureKind, CapturedColumn, Captures};

/// Byte offsets of the fields, for generated code.
pub mod graphics_offset {
    use super::{
        AttachmentRecord as A, DrawContext as D, DrawExtra as E, FragmentSubgroup as F, GroupedQuads as G,
        PrimitiveSetup as P, QuadSubgroup as Q, StencilValues as S, VertexAttributeRecord as R,
        VertexSubgroup as V,
    };
    use core::mem::offset_of;

    /// [`super::DrawContext::attributes`]: [`ATTRIBUTE_BYTES`] each.
    pub const ATTRIBUTES: u32 = offset_of!(D, attributes) as u32;
    /// Bytes of a [`super::VertexAttributeRecord`].
    pub const ATTRIBUTE_BYTES: u32 = size_of::<R>() as u32;
    /// [`super::VertexAttributeRecord::address`].
    pub const ATTRIBUTE_ADDRESS: u32 = offset_of!(R, address) as u32;
    /// [`super::VertexAttributeRecord::limit`].
    pub const ATTRIBUTE_LIMIT: u32 = offset_of!(R, limit) as u32;
    /// [`super::VertexAttributeRecord::stride`].
    pub const ATTRIBUTE_STRIDE: u32 = offset_of!(R, stride) as u32;
    /// [`super::DrawContext::colors`]: [`ATTACHMENT_BYTES`] each.
    pub const COLORS: u32 = offset_of!(D, colors) as u32;
    /// Bytes of a [`super::AttachmentRecord`].
    pub const ATTACHMENT_BYTES: u32 = size_of::<A>() as u32;
    /// [`super::AttachmentRecord::address`].
    pub const ATTACHMENT_ADDRESS: u32 = offset_of!(A, address) as u32;
    /// [`super::AttachmentRecord::row_pitch`].
    pub const ATTACHMENT_ROW_PITCH: u32 = offset_of!(A, row_pitch) as u32;
    /// [`super::AttachmentRecord::layer_pitch`].
    pub const ATTACHMENT_LAYER_PITCH: u32 = offset_of!(A, layer_pitch) as u32;
    /// [`super::AttachmentRecord::sample_pitch`].
    pub const ATTACHMENT_SAMPLE_PITCH: u32 = offset_of!(A, sample_pitch) as u32;
    /// [`super::AttachmentRecord::extent`].
    pub const ATTACHMENT_EXTENT: u32 = offset_of!(A, extent) as u32;
    /// [`super::DrawContext::depth_stencil`].
    pub const DEPTH_STENCIL: u32 = offset_of!(D, depth_stencil) as u32;
    /// [`super::DrawContext::stencil`]: [`STENCIL_BYTES`] each.
    pub const STENCIL: u32 = offset_of!(D, stencil) as u32;
    /// Bytes of a [`super::StencilValues`].
    pub const STENCIL_BYTES: u32 = size_of::<S>() as u32;
    /// [`super::StencilValues::reference`].
    pub const STENCIL_REFERENCE: u32 = offset_of!(S, reference) as u32;
    /// [`super::StencilValues::compare_mask`].
    pub const STENCIL_COMPARE_MASK: u32 = offset_of!(S, compare_mask) as u32;
    /// [`super::StencilValues::write_mask`].
    pub const STENCIL_WRITE_MASK: u32 = offset_of!(S, write_mask) as u32;
    /// [`super::DrawContext::blend_constants`].
    pub const BLEND_CONSTANTS: u32 = offset_of!(D, blend_constants) as u32;
    /// [`super::DrawContext::depth_bounds`].
    pub const DEPTH_BOUNDS: u32 = offset_of!(D, depth_bounds) as u32;
    /// [`super::DrawContext::sample_mask`].
    pub const SAMPLE_MASK: u32 = offset_of!(D, sample_mask) as u32;
    /// [`super::DrawContext::view_mask`].
    pub const VIEW_MASK: u32 = offset_of!(D, view_mask) as u32;
    /// [`super::DrawContext::extra`].
    pub const EXTRA: u32 = offset_of!(D, extra) as u32;
    /// [`super::DrawExtra::sample_locations`].
    pub const SAMPLE_LOCATIONS: u32 = offset_of!(E, sample_locations) as u32;
    /// [`super::DrawExtra::discard_rectangles`].
    pub const DISCARD_RECTANGLES: u32 = offset_of!(E, discard_rectangles) as u32;
    /// [`super::DrawExtra::sample_orders`].
    pub const SAMPLE_ORDERS: u32 = offset_of!(E, sample_orders) as u32;
    /// [`super::DrawExtra::coverage_modulation`].
    pub const COVERAGE_MODULATION: u32 = offset_of!(E, coverage_modulation) as u32;
    /// [`super::DrawExtra::exclusive_scissors`].
    pub const EXCLUSIVE_SCISSORS: u32 = offset_of!(E, exclusive_scissors) as u32;

    /// [`super::VertexSubgroup::outputs`].
    pub const OUTPUTS: u32 = offset_of!(V, outputs) as u32;
    /// [`super::VertexSubgroup::base_vertex`].
    pub const BASE_VERTEX: u32 = offset_of!(V, base_vertex) as u32;
    /// [`super::VertexSubgroup::base_instance`].
    pub const BASE_INSTANCE: u32 = offset_of!(V, base_instance) as u32;
    /// [`super::VertexSubgroup::draw_index`].
    pub const DRAW_INDEX: u32 = offset_of!(V, draw_index) as u32;
    /// [`super::VertexSubgroup::view_index`].
    pub const VIEW_INDEX: u32 = offset_of!(V, view_index) as u32;
    /// [`super::VertexSubgroup::vertex_index`].
    pub const VERTEX_INDEX: u32 = offset_of!(V, vertex_index) as u32;
    /// [`super::VertexSubgroup::instance_index`].
    pub const INSTANCE_INDEX: u32 = offset_of!(V, instance_index) as u32;

    /// [`super::FragmentSubgroup::setup`].
    pub const SETUP: u32 = offset_of!(F, setup) as u32;
    /// [`super::FragmentSubgroup::primitive`].
    pub const PRIMITIVE: u32 = offset_of!(F, primitive) as u32;
    /// [`super::FragmentSubgroup::sample_id`].
    pub const SAMPLE_ID: u32 = offset_of!(F, sample_id) as u32;
    /// [`super::FragmentSubgroup::blocks`].
    pub const BLOCKS: u32 = offset_of!(F, blocks) as u32;
    /// [`super::FragmentSubgroup::block_count`].
    pub const BLOCK_COUNT: u32 = offset_of!(F, block_count) as u32;
    /// [`super::FragmentSubgroup::block`].
    pub const BLOCK: u32 = offset_of!(F, block) as u32;
    /// [`super::FragmentSubgroup::shading_rate`].
    pub const SHADING_RATE: u32 = offset_of!(F, shading_rate) as u32;
    /// [`super::FragmentSubgroup::whole_quads`].
    pub const WHOLE_QUADS: u32 = offset_of!(F, whole_quads) as u32;
    /// [`super::FragmentSubgroup::block_coverage`].
    pub const BLOCK_COVERAGE: u32 = offset_of!(F, block_coverage) as u32;
    /// [`super::FragmentSubgroup::x`].
    pub const X: u32 = offset_of!(F, x) as u32;
    /// [`super::FragmentSubgroup::y`].
    pub const Y: u32 = offset_of!(F, y) as u32;
    /// [`super::FragmentSubgroup::coverage`].
    pub const COVERAGE: u32 = offset_of!(F, coverage) as u32;
    /// [`super::FragmentSubgroup::primitives`].
    pub const PRIMITIVES: u32 = offset_of!(F, primitives) as u32;
    /// [`super::FragmentSubgroup::passed`].
    pub const PASSED: u32 = offset_of!(F, passed) as u32;

    /// Bytes of a [`super::QuadSubgroup`].
    pub const QUAD_SUBGROUP_BYTES: u32 = size_of::<Q>() as u32;
    /// [`super::QuadSubgroup::coverage`].
    pub const QUAD_COVERAGE: u32 = offset_of!(Q, coverage) as u32;
    /// [`super::QuadSubgroup::corners`].
    pub const QUAD_CORNERS: u32 = offset_of!(Q, corners) as u32;
    /// [`super::QuadSubgroup::primitives`].
    pub const QUAD_PRIMITIVES: u32 = offset_of!(Q, primitives) as u32;
    /// [`super::GroupedQuads::corners`].
    pub const GROUPED_CORNERS: u32 = offset_of!(G, corners) as u32;
    /// [`super::GroupedQuads::quads`].
    pub const GROUPED_QUADS: u32 = offset_of!(G, quads) as u32;
    /// [`super::GroupedQuads::groups`].
    pub const GROUPED_GROUPS: u32 = offset_of!(G, groups) as u32;

    /// [`super::PrimitiveSetup::ref_x`].
    pub const REF_X: u32 = offset_of!(P, ref_x) as u32;
    /// [`super::PrimitiveSetup::ref_y`].
    pub const REF_Y: u32 = offset_of!(P, ref_y) as u32;
    /// [`super::PrimitiveSetup::layer`].
    pub const LAYER: u32 = offset_of!(P, layer) as u32;
    /// [`super::PrimitiveSetup::layer_built_in`].
    pub const LAYER_BUILT_IN: u32 = offset_of!(P, layer_built_in) as u32;
    /// [`super::PrimitiveSetup::viewport_index`].
    pub const VIEWPORT_INDEX: u32 = offset_of!(P, viewport_index) as u32;
    /// [`super::PrimitiveSetup::primitive_id`].
    pub const PRIMITIVE_ID: u32 = offset_of!(P, primitive_id) as u32;
    /// [`super::PrimitiveSetup::front_facing`].
    pub const FRONT_FACING: u32 = offset_of!(P, front_facing) as u32;
    /// [`super::PrimitiveSetup::view_index`].
    pub const SETUP_VIEW_INDEX: u32 = offset_of!(P, view_index) as u32;
    /// [`super::PrimitiveSetup::depth`].
    pub const DEPTH: u32 = offset_of!(P, depth) as u32;
    /// [`super::PrimitiveSetup::inverse_w`].
    pub const INVERSE_W: u32 = offset_of!(P, inverse_w) as u32;
    /// [`super::PrimitiveSetup::perspective_i`].
    pub const PERSPECTIVE_I: u32 = offset_of!(P, perspective_i) as u32;
    /// [`super::PrimitiveSetup::perspective_j`].
    pub const PERSPECTIVE_J: u32 = offset_of!(P, perspective_j) as u32;
    /// [`super::PrimitiveSetup::linear_i`].
    pub const LINEAR_I: u32 = offset_of!(P, linear_i) as u32;
    /// [`super::PrimitiveSetup::linear_j`].
    pub const LINEAR_J: u32 = offset_of!(P, linear_j) as u32;
    /// [`super::PrimitiveSetup::depth_least`].
    pub const DEPTH_LEAST: u32 = offset_of!(P, depth_least) as u32;
    /// [`super::PrimitiveSetup::depth_greatest`].
    pub const DEPTH_GREATEST: u32 = offset_of!(P, depth_greatest) as u32;
    /// [`super::PrimitiveSetup::clamp_least`].
    pub const CLAMP_LEAST: u32 = offset_of!(P, clamp_least) as u32;
    /// [`super::PrimitiveSetup::clamp_greatest`].
    pub const CLAMP_GREATEST: u32 = offset_of!(P, clamp_greatest) as u32;
    /// [`super::PrimitiveSetup::is_point`].
    pub const IS_POINT: u32 = offset_of!(P, is_point) as u32;
}
