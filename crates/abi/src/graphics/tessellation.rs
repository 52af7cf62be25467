//! What tessellation shaders say of their patches, and what their functions are called with.

use super::{COLUMN_LANES, GeometryOutput};
use crate::SubgroupContext;

/// What is subdivided (execution modes `Triangles`, `Quads`, `IsoLines`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in Vulkan.
pub enum Domain {
    #[default]
    Triangles,
    Quads,
    Isolines,
}

impl Domain {
    /// Outer levels that matter: a patch is discarded when one of these is not above zero.
    pub const fn outer_levels(self) -> usize {
        match self {
            Domain::Triangles => 3,
            Domain::Quads => 4,
            Domain::Isolines => 2,
        }
    }
}

/// How edges are subdivided (execution modes `SpacingEqual`, `SpacingFractionalEven`,
/// `SpacingFractionalOdd`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Spacing {
    #[default]
    Equal,
    FractionalEven,
    FractionalOdd,
}

/// The execution modes of both tessellation shaders together. Each may say any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessellationModes {
    /// What is subdivided.
    pub domain: Domain,
    /// How.
    pub spacing: Spacing,
    /// `PointMode`
    pub point_mode: bool,
    /// `VertexOrderCw`; else triangles are counter-clockwise.
    pub clockwise: bool,
    /// `OutputVertices`: control points of an output patch, 1 to [`super::PATCH_VERTICES_MAX`].
    pub output_vertices: u32,
}

pyro_util::codec_enum!(Domain { Triangles, Quads, Isolines });
pyro_util::codec_enum!(Spacing { Equal, FractionalEven, FractionalOdd });
pyro_util::codec_struct!(TessellationModes { domain, spacing, point_mode, clockwise, output_vertices });

impl TessellationModes {
    /// What the tessellator makes of patches; of isolines and triangles lists, though.
    pub const fn output(&self) -> GeometryOutput {
        match (self.point_mode, self.domain) {
            (true, _) => GeometryOutput::Points,
            (false, Domain::Isolines) => GeometryOutput::LineStrip,
            (false, _) => GeometryOutput::TriangleStrip,
        }
    }
}

/// Where the values of output patches lie: in subgroups of the control function, whose lanes are
/// `TessellationModes::output_vertices` control points for each patch, one patch behind the other. What there
/// is one of for a patch is in the lane of its first control point. Columns are 4 * `lanes` bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PatchLayout {
    /// Columns in all.
    pub columns: u32,
    /// The first of six columns: `TessLevelOuter`, then `TessLevelInner`.
    pub levels: u32,
    /// Lanes of a subgroup.
    pub lanes: u32,
    /// What the shaders say.
    pub modes: TessellationModes,
}

impl PatchLayout {
    /// Patches that a subgroup holds.
    pub const fn patches(&self) -> u32 {
        let vertices = if self.modes.output_vertices == 0 { 1 } else { self.modes.output_vertices };
        let patches = self.lanes / vertices;
        if patches == 0 { 1 } else { patches }
    }
}

pyro_util::codec_struct!(PatchLayout { columns, levels, lanes, modes });

/// One subgroup of control points: `PatchLayout::patches` patches, or fewer.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ControlSubgroup {
    /// Active lanes, scratch memory.
    pub subgroup: SubgroupContext,
    /// Address of the output columns of this subgroup, 64-byte aligned.
    pub outputs: u64,
    /// Address that the input vertices' offsets count from.
    pub inputs: u64,
    /// Address of the offsets of the input vertices, `u32`, [`ControlSubgroup::patch_vertices`] for each
    /// patch of the subgroup: where the first column of a vertex has its word.
    pub vertices: u64,
    /// `PatchVertices`
    pub patch_vertices: u32,
    /// `ViewIndex`
    pub view_index: u32,
    /// Zero.
    pub reserved: [u32; 8],
    /// Column: `PrimitiveId`
    pub primitive_id: [u32; COLUMN_LANES],
}

/// One subgroup of tessellated vertices.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct EvaluationSubgroup {
    /// Active lanes, scratch memory.
    pub subgroup: SubgroupContext,
    /// Address of the output columns of this subgroup, 64-byte aligned.
    pub outputs: u64,
    /// Address that the patches' offsets count from.
    pub inputs: u64,
    /// `ViewIndex`
    pub view_index: u32,
    /// For functions of a single patch: the patch's offset, as in [`EvaluationSubgroup::patch`].
    pub same_patch: u32,
    /// Zero.
    pub reserved: [u32; 10],
    /// Column: `TessCoord`, x, a float.
    pub u: [u32; COLUMN_LANES],
    /// Column: `TessCoord`, y, a float. Of triangles z is 1 - x - y.
    pub v: [u32; COLUMN_LANES],
    /// Column: where the first column of the patch's first control point has its word.
    pub patch: [u32; COLUMN_LANES],
    /// Column: `PrimitiveId`
    pub primitive_id: [u32; COLUMN_LANES],
}

impl Default for ControlSubgroup {
    fn default() -> ControlSubgroup {
        ControlSubgroup {
            subgroup: SubgroupContext::default(),
            outputs: 0,
            inputs: 0,
            vertices: 0,
            patch_vertices: 1,
            view_index: 0,
            reserved: [0; 8],
            primitive_id: [0; COLUMN_LANES],
        }
    }
}

impl Default for EvaluationSubgroup {
    fn default() -> EvaluationSubgroup {
        EvaluationSubgroup {
            subgroup: SubgroupContext::default(),
            outputs: 0,
            inputs: 0,
            view_index: 0,
            same_patch: 0,
            reserved: [0; 10],
            u: [0; COLUMN_LANES],
            v: [0; COLUMN_LANES],
            patch: [0; COLUMN_LANES],
            primitive_id: [0; COLUMN_LANES],
        }
    }
}

const _: () = assert!(core::mem::offset_of!(ControlSubgroup, subgroup) == 0);
const _: () = assert!(core::mem::offset_of!(EvaluationSubgroup, subgroup) == 0);

/// Byte offsets of the fields, for generated code.
pub mod tessellation_offset {
    use super::{ControlSubgroup as C, EvaluationSubgroup as E};
    use core::mem::offset_of;

    /// [`super::ControlSubgroup::outputs`].
    pub const CONTROL_OUTPUTS: u32 = offset_of!(C, outputs) as u32;
    /// [`super::ControlSubgroup::inputs`].
    pub const CONTROL_INPUTS: u32 = offset_of!(C, inputs) as u32;
    /// [`super::ControlSubgroup::vertices`].
    pub const CONTROL_VERTICES: u32 = offset_of!(C, vertices) as u32;
    /// [`super::ControlSubgroup::patch_vertices`].
    pub const CONTROL_PATCH_VERTICES: u32 = offset_of!(C, patch_vertices) as u32;
    /// [`super::ControlSubgroup::view_index`].
    pub const CONTROL_VIEW_INDEX: u32 = offset_of!(C, view_index) as u32;
    /// [`super::ControlSubgroup::primitive_id`].
    pub const CONTROL_PRIMITIVE_ID: u32 = offset_of!(C, primitive_id) as u32;
    /// [`super::EvaluationSubgroup::outputs`].
    pub const EVALUATION_OUTPUTS: u32 = offset_of!(E, outputs) as u32;
    /// [`super::EvaluationSubgroup::inputs`].
    pub const EVALUATION_INPUTS: u32 = offset_of!(E, inputs) as u32;
    /// [`super::EvaluationSubgroup::view_index`].
    pub const EVALUATION_VIEW_INDEX: u32 = offset_of!(E, view_index) as u32;
    /// [`super::EvaluationSubgroup::same_patch`].
    pub const EVALUATION_SAME_PATCH: u32 = offset_of!(E, same_patch) as u32;
    /// [`super::EvaluationSubgroup::u`].
    pub const EVALUATION_U: u32 = offset_of!(E, u) as u32;
    /// [`super::EvaluationSubgroup::v`].
    pub const EVALUATION_V: u32 = offset_of!(E, v) as u32;
    /// [`super::EvaluationSubgroup::patch`].
    pub const EVALUATION_PATCH: u32 = offset_of!(E, patch) as u32;
    /// [`super::EvaluationSubgroup::primitive_id`].
    pub const EVALUATION_PRIMITIVE_ID: u32 = offset_of!(E, primitive_id) as u32;
}
