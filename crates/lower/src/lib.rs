//! Decoded SPIR-V to the intermediate representation in lane form.
//!
//! [`lower_compute`] takes one entry point with everything that it calls and gives one
//! [`pyro_ir::Function`]: what one invocation does. The module must have passed validation for the result to
//! be meaningful; a module that has not gives an error or a function that means nothing, but never a panic.
//!
//! # How things look afterwards
//! * **Values** are flat lists of scalars ([`value`]): a vector's components, a matrix's columns, a
//!   structure's members one behind the other. Booleans are `i1`.
//! * **Pointers** ([`memory::pointer`]) are resolved while lowering: a place (a slot, a bounded range of
//!   memory, a device address) and a byte offset of a constant and dynamic terms. Where a pointer goes through
//!   a phi, a select or memory, it becomes scalars: base, size and offset of the range, or the address.
//! * **Variables** of `Function` and `Private` storage, and the stage's inputs, are slots. The passes turn
//!   those into SSA values.
//! * **Calls** are inlined ([`inline`]): lowering walks the callee's blocks in the place of the call.
//! * **Blocks** come in structured order ([`block_order`]).
//! * The **prologue**, the function's first block, holds what is the same wherever it is needed: descriptors,
//!   bounds derived from them, built-in variables, initial values of variables.
//!
//! # Where to find what
//! One file for each family of instructions, named for it; [`dispatch`] is the list of all. What belongs to
//! a stage is behind [`stage::Stage`], in a file of the stage's name ([`compute`]). [`limits`] holds every
//! limit.
#![forbid(unsafe_code)]

mod arithmetic;
mod atomic;
mod bfloat;
mod bits;
mod block_order;
mod builtin;
mod composite;
mod compute;
mod constant;
mod context;
mod conversion;
mod cooperative;
mod discard;
mod dispatch;
mod error;
mod ext_amd;
mod ext_glsl;
mod float8;
mod float_mode;
mod fragment;
mod geometry;
mod group;
mod image;
mod inline;
mod instrument;
mod limits;
mod location;
mod logic;
mod matrix;
mod memory;
mod mesh;
mod node;
mod outputs;
mod patch_varyings;
mod ray;
mod ray_query;
mod stage;
mod tensor;
mod tess_control;
mod tess_eval;
mod transform_feedback;
mod types;
mod value;
mod varyings;
mod vertex;

pub use error::LowerError;
pub use instrument::{BlockCost, METRICS, instrumented_blocks};
pub use patch_varyings::PatchVaryingLayout;
pub use varyings::{Entry, VaryingLayout};

use pyro_abi::graphics::{GeometryInfo, SetupLayout};
use pyro_abi::node::{NodeInfo, NodeNames};
use pyro_abi::{KernelInfo, PipelineLayout};
use pyro_fixed::{FragmentOutputKey, Variant, VertexInputState};
use pyro_ir::Function;
use pyro_spirv::{Module, SourceLocation, Specialization};

/// A lowered entry point.
#[derive(Debug)]
pub struct Lowered {
    /// In lane form, its constructs in structured order.
    pub function: Function,
    /// Facts for the engine. Scratch and frame sizes are the passes' to find and 0 here.
    pub info: KernelInfo,
    /// The source locations that [`pyro_ir::SourceLoc`] indexes; number 0 stands for none.
    pub locations: Vec<Option<SourceLocation>>,
}

/// A shader of a graphics pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// Its module.
    pub module: &'a Module,
    /// The entry point's name.
    pub entry_point: &'a str,
    /// Specialization constants.
    pub specialization: &'a Specialization,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
}

/// A lowered fragment shader.
#[derive(Debug)]
pub struct LoweredFragment {
    /// The function.
    pub lowered: Lowered,
    /// The setup data that it reads.
    pub setup: SetupLayout,
}

/// What the driver must know of a fragment shader before it is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FragmentInfo {
    /// It must run once for each sample: it reads `SampleId` or `SamplePosition`, or has an input, user-defined or
    /// built-in, decorated `Sample`.
    pub sample_shading: bool,
    /// It reads tile images, which only fragments of one pixel can.
    pub reads_tile_images: bool,
    /// It sees whether the primitive covers all of a fragment's area (`FullyCoveredEXT`).
    pub sees_full_coverage: bool,
}

pyro_util::codec_struct!(FragmentInfo { sample_shading, reads_tile_images, sees_full_coverage });

/// Finds the facts of a fragment entry point.
///
/// # Errors
/// When there is no such entry point, or its interface is broken.
pub fn fragment_info(
    module: &Module,
    entry_point: &str,
    specialization: &Specialization,
) -> Result<FragmentInfo, LowerError> {
    use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionModel, StorageClass};
    let interface = varyings::interface_of(module, entry_point, ExecutionModel::Fragment, specialization)?;
    let reads = |built_in| interface.built_in(built_in, StorageClass::Input).is_some();
    let sample_shading = reads(BuiltIn::SampleId)
        || reads(BuiltIn::SamplePosition)
        || reads(BuiltIn::BaryCoordNoPerspSampleAMD)
        || reads(BuiltIn::BaryCoordSmoothSampleAMD)
        || interface.inputs.iter().any(|input| input.interpolation.sample)
        || interface.built_ins.iter().any(|found| {
            let is_input = found.class == StorageClass::Input;
            is_input && found.has_decoration(module, Decoration::Sample)
        });
    let reads_tile_images = [
        Capability::TileImageColorReadAccessEXT,
        Capability::TileImageDepthReadAccessEXT,
        Capability::TileImageStencilReadAccessEXT,
    ]
    .into_iter()
    .any(|capability| module.has_capability(capability));
    Ok(FragmentInfo {
        sample_shading,
        reads_tile_images,
        sees_full_coverage: reads(BuiltIn::FullyCoveredEXT),
    })
}

/// Lowers a vertex entry point, with the fetch of its attributes in front and the stores of its outputs behind.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_vertex(
    shader: &Shader<'_>,
    lanes: u32,
    input: &VertexInputState,
    outputs: &VaryingLayout,
) -> Result<Lowered, LowerError> {
    vertex::lower(shader, lanes, input, outputs)
}

/// The stages of mesh pipelines that run before fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshStage<'a> {
    /// `TaskEXT` or `TaskNV`.
    Task,
    /// `MeshEXT` or `MeshNV`, with the rows of its outputs.
    Mesh(&'a VaryingLayout),
}

/// Lowers a task or mesh entry point for subgroups of `lanes` lanes.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_mesh(shader: &Shader<'_>, lanes: u32, stage: MeshStage<'_>) -> Result<Lowered, LowerError> {
    mesh::lower(shader, lanes, stage)
}

/// Finds what the engine must know of a geometry entry point.
///
/// # Errors
/// When there is no such entry point, or it does not say what primitives it takes and makes.
pub fn geometry_info(module: &Module, entry_point: &str) -> Result<GeometryInfo, LowerError> {
    let model = pyro_spirv::spirv::ExecutionModel::Geometry;
    match module.entry_point(entry_point, model) {
        Some(entry) => geometry::info(module, &entry),
        None => error::invalid(format!("no geometry entry point is named \"{entry_point}\"")),
    }
}

/// Lowers a geometry entry point, whose vertices come as the rows of `from`, in subgroups of so many lanes, and go as those of
/// `outputs`.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_geometry(
    shader: &Shader<'_>,
    lanes: u32,
    from: (&VaryingLayout, u32),
    outputs: &VaryingLayout,
) -> Result<Lowered, LowerError> {
    geometry::lower(shader, lanes, from, outputs)
}

/// Lowers a tessellation control entry point. `inputs`: the rows of the vertex stage, whose subgroups have `input_lanes` lanes.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_tessellation_control(
    shader: &Shader<'_>,
    inputs: &VaryingLayout,
    input_lanes: u32,
    outputs: &PatchVaryingLayout,
) -> Result<Lowered, LowerError> {
    tess_control::lower(shader, inputs, input_lanes, outputs)
}

/// Lowers a tessellation evaluation entry point, with the stores of its outputs behind. `same_patch`: the lanes of a subgroup
/// are of one patch, so what they read is the same.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_tessellation_evaluation(
    shader: &Shader<'_>,
    lanes: u32,
    inputs: &PatchVaryingLayout,
    outputs: &VaryingLayout,
    same_patch: bool,
) -> Result<Lowered, LowerError> {
    tess_eval::lower(shader, lanes, inputs, outputs, same_patch)
}

/// Lowers a fragment entry point, with interpolation and early tests in front and late tests and attachment
/// writes behind.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_fragment(
    shader: &Shader<'_>,
    lanes: u32,
    key: &FragmentOutputKey,
    variant: Variant,
    from: &VaryingLayout,
) -> Result<LoweredFragment, LowerError> {
    fragment::lower(shader, lanes, key, variant, from)
}

/// What stands for a fragment stage without a shader: coverage, tests, and writes of depth and stencil.
///
/// # Errors
/// [`LowerError::Invalid`] when there is no subgroup of `lanes` lanes.
pub fn lower_without_fragment_shader(
    lanes: u32,
    key: &FragmentOutputKey,
    variant: Variant,
) -> Result<LoweredFragment, LowerError> {
    fragment::lower_without_shader(lanes, key, variant)
}

/// Lowers an entry point of a ray tracing stage, for subgroups of [`pyro_abi::raytrace::RAY_LANES`] lanes.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_ray(
    shader: &Shader<'_>,
    model: pyro_spirv::spirv::ExecutionModel,
) -> Result<Lowered, LowerError> {
    ray::lower(shader, model)
}

/// Lowers a compute entry point for subgroups of `lanes` lanes (4, 8, 16, 32 or 64).
///
/// # Errors
/// See [`LowerError`].
pub fn lower_compute(
    module: &Module,
    entry_point: &str,
    specialization: &Specialization,
    layout: &PipelineLayout,
    lanes: u32,
) -> Result<Lowered, LowerError> {
    compute::lower(module, entry_point, specialization, layout, lanes)
}

/// Finds what there is to know of an entry point that is a node of execution graphs: a compute shader, or a mesh shader.
///
/// # Errors
/// When there is no such entry point, or its payloads are broken or larger than the limits.
pub fn node_info(
    module: &Module,
    entry_point: &str,
    specialization: &Specialization,
    is_mesh: bool,
) -> Result<NodeInfo, LowerError> {
    use pyro_spirv::spirv::ExecutionModel;
    let model = if is_mesh { ExecutionModel::MeshEXT } else { ExecutionModel::GLCompute };
    node::info(module, entry_point, specialization, model)
}

/// Lowers a node's entry point for subgroups of `lanes` lanes, in a graph of these nodes.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_node(
    module: &Module,
    entry_point: &str,
    specialization: &Specialization,
    layout: &PipelineLayout,
    lanes: u32,
    nodes: &NodeNames,
) -> Result<Lowered, LowerError> {
    node::lower(module, entry_point, specialization, layout, lanes, nodes)
}
