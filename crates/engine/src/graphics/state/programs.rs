//! The compiled functions of a pipeline.

use super::draw::PrimitiveKind;
use pyro_abi::Kernel;
use pyro_abi::graphics::{
    ClusterInfo, GeometryInfo, GeometryOutput, MeshLayout, PatchLayout, SetupLayout, VertexLayout,
};
use std::sync::Arc;

/// A compiled vertex function and where its outputs are.
#[derive(Clone)]
pub struct VertexProgram {
    /// Called with a `DrawContext` and a `VertexSubgroup`.
    pub kernel: Arc<dyn Kernel>,
    /// Columns of its outputs.
    pub layout: Arc<VertexLayout>,
}

/// The compiled functions of both tessellation stages.
#[derive(Clone)]
pub struct TessellationProgram {
    /// Called with a `DrawContext` and a `ControlSubgroup`.
    pub control: Arc<dyn Kernel>,
    /// Called with a `DrawContext` and an `EvaluationSubgroup`.
    pub evaluation: Arc<dyn Kernel>,
    /// The same for subgroups whose lanes are of one patch.
    pub evaluation_of_one: Arc<dyn Kernel>,
    /// Where the control function's outputs lie.
    pub patches: Arc<PatchLayout>,
    /// Columns of the evaluation function's outputs.
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

/// A compiled cluster culling function.
#[derive(Clone)]
pub struct ClusterProgram {
    /// Called with a `DrawContext` and a `SubgroupContext`, whose workgroup memory begins with a
    /// [`pyro_abi::graphics::MeshWorkgroup`].
    pub kernel: Arc<dyn Kernel>,
    /// What clusters say.
    pub info: ClusterInfo,
}

/// The compiled stages before rasterization.
#[derive(Clone)]
pub struct PreRasterization {
    /// The cluster culling function, whose clusters are what the vertex function is drawn with.
    pub cluster: Option<ClusterProgram>,
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
    /// Columns of the last stage's vertices: what comes to clipping, and what the fragment function's setup
    /// data is made of.
    pub outputs: Arc<VertexLayout>,
}

impl PreRasterization {
    /// A vertex stage alone.
    pub fn of_vertex(vertex: VertexProgram) -> PreRasterization {
        let outputs = Arc::clone(&vertex.layout);
        PreRasterization {
            cluster: None,
            vertex: Some(vertex),
            tessellation: None,
            geometry: None,
            mesh: None,
            raster_stream: 0,
            outputs,
        }
    }

    /// The functions of all stages; of those in variants, one.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Arc<dyn Kernel>> {
        let tessellation = self.tessellation.iter();
        let tessellation = tessellation.flat_map(|program| [&program.control, &program.evaluation]);
        let mesh = self.mesh.iter().flat_map(|program| program.task.iter().chain([&program.kernel]));
        let vertex = self.vertex.iter().map(|program| &program.kernel);
        let geometry = self.geometry.iter().map(|program| &program.kernel);
        let cluster = self.cluster.iter().map(|program| &program.kernel);
        cluster.chain(vertex).chain(tessellation).chain(mesh).chain(geometry)
    }

    /// Primitives that may come of one of the input's, at most.
    pub(crate) fn amplification(&self) -> u64 {
        self.geometry.as_ref().map_or(1, GeometryProgram::most_primitives)
    }

    /// Input primitives of a chunk, where their number must be less than usual: for so long their vertices
    /// take memory.
    pub(crate) fn chunk_primitives(&self) -> Option<u32> {
        /// Bytes of the vertices of a chunk.
        const CHUNK_BYTES: u64 = 4 << 20;
        let vertex_bytes = 4 * u64::from(self.outputs.columns.max(4));
        let geometry = self.geometry.as_ref()?;
        // At least a subgroup of invocations.
        let least = 16_u64.div_ceil(u64::from(geometry.info.invocations.max(1)));
        Some((CHUNK_BYTES / (geometry.most_primitives() * vertex_bytes)).clamp(least, 1024) as u32)
    }
}

/// What a quad of a list takes.
pub const QUAD_COST: u32 = 4;
/// What a block takes that a primitive covers in part, of functions that do little, with AVX-512.
pub const BLOCK_COST: u32 = 5;

/// A compiled fragment function in its variants. A pipeline without a fragment shader has one too, for depth
/// and stencil.
#[derive(Clone)]
pub struct FragmentProgram {
    /// All lanes of a subgroup belong to one primitive.
    pub single_primitive: Arc<dyn Kernel>,
    /// Each quad has its primitive.
    pub multi_primitive: Arc<dyn Kernel>,
    /// `multi_primitive` draws lists: of [`pyro_abi::graphics::QuadSubgroup`]s, ...
    pub takes_lists: bool,
    /// ... or of [`pyro_abi::graphics::GroupedQuads`].
    pub takes_groups: bool,
    /// Draws lists of whole blocks of eight by two pixels; none for functions that run once for each sample
    /// or count samples, and for subgroups of other than 16 lanes.
    pub full_block: Option<Arc<dyn Kernel>>,
    /// `full_block` draws lists of blocks that primitives cover in part, each with its primitive, whose setup
    /// data is that of [`pyro_abi::graphics::GroupedQuads`].
    pub covers_blocks: bool,
    /// What a block takes that a primitive covers in part, where a quad takes [`QUAD_COST`]: [`BLOCK_COST`]
    /// for functions that do little.
    pub block_cost: u32,
    /// What it reads of a primitive.
    pub setup: Arc<SetupLayout>,
    /// It runs once for each sample.
    pub per_sample: bool,
    /// It writes `FragmentSubgroup::passed`.
    pub counts_samples: bool,
    /// Coverage tells which pixels lie in the primitive as a whole ([`pyro_abi::graphics::FULLY_COVERED`]).
    pub sees_full_coverage: bool,
    /// It changes nothing but colour attachments, and tells nobody anything.
    pub only_colors: bool,
    /// Bits of the locations whose attachments have in all samples that a primitive covers what the function
    /// computes, whatever was there before; with `only_colors`.
    pub overwritten: u32,
}

impl TessellationProgram {
    /// What is made of patches.
    pub(crate) fn kind(&self) -> PrimitiveKind {
        self.patches.modes.output().into()
    }

    /// AlignedWords of one patch's outputs, about.
    pub(crate) fn patch_words(&self) -> u64 {
        u64::from(self.patches.columns) * u64::from(self.patches.lanes / self.patches.patches())
    }
}

impl MeshProgram {
    /// The kind of its primitives.
    pub(crate) fn kind(&self) -> PrimitiveKind {
        match self.layout.corners {
            1 => PrimitiveKind::Point,
            2 => PrimitiveKind::Line,
            _ => PrimitiveKind::Triangle,
        }
    }

    /// Primitives go to viewports that they name themselves.
    pub fn names_viewports(&self) -> bool {
        self.layout.viewport_index.is_some() || self.layout.viewport_mask.is_some()
    }

    pub(crate) fn payload_bytes(&self) -> u32 {
        // A mesh function that expects more than its task gives reads what is there.
        let of = |kernel: &Arc<dyn Kernel>| kernel.info().payload_bytes;
        self.task.as_ref().map_or(0, of).max(of(&self.kernel))
    }
}

impl GeometryProgram {
    /// The kind of its primitives.
    pub(crate) fn kind(&self) -> PrimitiveKind {
        self.info.output.into()
    }

    /// Primitives of all streams that come of one input primitive at most.
    pub(crate) fn most_primitives(&self) -> u64 {
        u64::from(self.info.max_vertices.max(1)) * u64::from(self.info.invocations)
    }
}

impl From<GeometryOutput> for PrimitiveKind {
    fn from(output: GeometryOutput) -> PrimitiveKind {
        match output {
            GeometryOutput::Points => PrimitiveKind::Point,
            GeometryOutput::LineStrip => PrimitiveKind::Line,
            GeometryOutput::TriangleStrip => PrimitiveKind::Triangle,
        }
    }
}
