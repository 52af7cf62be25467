//! Checked SPIR-V to the intermediate representation in lane form.
//!
//! [`lower`] takes one entry point of a [`Checked`] module with everything that it calls and gives one
//! [`pyro_ir::Function`]: what one invocation does.
//!
//! # What is relied on
//! The rules that [`pyro_validate`] lists, the values of constants and the structured order, all of which
//! [`Checked`] carries and only checking can make. Indices are not trusted: each access is checked against
//! the end of its memory. What is not known or implemented gives a [`LowerError`], never a panic.
//!
//! # Must not know
//! Vulkan objects; masks and vectors (`passes`); instructions of the processor.
//!
//! # How things look afterwards
//! * **Values** are flat lists of scalars ([`value`]): a vector's components, a matrix's columns, a
//!   structure's members one behind the other. Booleans are `i1`.
//! * **Pointers** ([`mod@pointer`]) are resolved while lowering: a base (a slot, a bounded range of memory, a
//!   device address) and a byte offset of a constant and dynamic terms. Where a pointer goes through a phi, a
//!   select or memory, it becomes scalars: base, size and offset of the range, or the address.
//! * **Variables** of `Function` and `Private` storage, and the stage's inputs, are slots. The passes turn
//!   those into SSA values.
//! * **Calls** are inlined ([`inline`]): lowering walks the callee's blocks in the place of the call.
//! * **Blocks** come in structured order ([`block_order`]).
//! * The **prologue**, the function's first block, holds what is the same wherever it is needed: descriptors,
//!   bounds derived from them, built-in variables, initial values of variables.
//!
//! # Where to find what
//! * [`context`]: the state of lowering, and the services that all families rest on; [`operand`]: what ids
//!   stand for.
//! * [`mod@pointer`], [`value`], [`frame`], [`float_mode`]: data without behaviour, which the context holds.
//! * One file for each family of instructions, named for it. [`dispatch`] leads from an instruction to its
//!   family by the instruction facts ([`pyro_spirv::facts`]); [`inline`] walks blocks and calls it.
//! * What belongs to a stage is behind [`stage::Stage`], in a file of the stage's name ([`compute`]), and
//!   uses the families as they use the context.
//! * [`report`] makes the code by which shaders tell the runtime something: what they print
//!   ([`debug_printf`]), what the sanitizer finds ([`sanitize`]), what a debugger follows ([`trace`]).
//! * [`limits`] holds every limit.
#![forbid(unsafe_code)]

mod abort;
mod arithmetic;
mod atomic;
mod bfloat;
mod bits;
mod block_counters;
mod block_order;
mod builtin;
mod cluster;
mod composite;
mod compute;
mod constant;
mod context;
mod conversion;
mod cooperative;
mod count_access;
mod counting;
mod debug_printf;
mod deferrable;
mod discard;
mod dispatch;
mod error;
mod ext_amd;
mod ext_glsl;
mod float8;
mod float_mode;
mod float_operand;
mod fragment;
mod frame;
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
mod microscaling;
mod node;
mod operand;
mod outputs;
mod patch_varyings;
mod pointer;
mod pointer_operand;
mod ray;
mod ray_query;
mod report;
mod report_state;
mod rounding;
mod sanitize;
mod shader_map;
mod stage;
mod stage_name;
mod storage_buffers;
mod tensor;
mod tess_control;
mod tess_eval;
mod trace;
mod transform_feedback;
mod type_kind;
mod types;
mod value;
mod varyings;
mod vertex;

pub use error::{ErrorKind, ErrorPlace, LowerError};
pub use instrument::{BlockCost, METRICS, instrumented_blocks};
pub use location::LocationTable;
pub use patch_varyings::PatchVaryingLayout;
pub use varyings::{Entry, VaryingLayout};

use pyro_abi::graphics::{ClusterInfo, GeometryInfo, SetupLayout};
use pyro_abi::node::{NodeInfo, NodeNames};
use pyro_abi::{KernelInfo, PipelineLayout};
use pyro_fixed::{FragmentOutputKey, Variant, VertexInputState};
use pyro_ir::Function;
use pyro_spirv::spirv::{Capability, ExecutionModel};
use pyro_util::steps;
use pyro_validate::Checked;

/// A lowered entry point.
#[derive(Debug)]
pub struct Lowered {
    /// In lane form, its constructs in structured order.
    pub function: Function,
    /// What the engine must know. Scratch and frame sizes are the passes' to find and 0 here.
    pub info: KernelInfo,
    /// What [`pyro_ir::SourceLoc`] indexes.
    pub locations: LocationTable,
    /// The setup data that a fragment function reads; empty for other stages.
    pub setup: SetupLayout,
}

/// An entry point of a checked module, and where its resources lie.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// Its module, checked under the pipeline's specialization.
    pub checked: &'a Checked,
    /// The entry point's name.
    pub entry_point: &'a str,
    /// Where the descriptors of each set and binding lie in memory, with the options of compilation.
    pub layout: &'a PipelineLayout,
    /// Loops of products of cooperative matrices of bytes ask the runtime to run them ahead
    /// (`pyro_abi::tiles`).
    pub tiles: bool,
}

/// The stage that an entry point is lowered for, with the layouts of what it exchanges with the stages before
/// and behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageRequest<'a> {
    /// `GLCompute`.
    Compute,
    /// A compute shader that is a node of an execution graph of these nodes.
    Node(&'a NodeNames),
    /// `ClusterCullingHUAWEI`.
    Cluster,
    /// `TaskEXT` or `TaskNV`.
    Task,
    /// `MeshEXT` or `MeshNV`.
    Mesh {
        /// Where the outputs go.
        outputs: &'a VaryingLayout,
    },
    /// `Vertex`: with the fetch of its attributes in front and the stores of its outputs behind.
    Vertex {
        /// The vertex input state.
        input: &'a VertexInputState,
        /// Where the outputs go.
        outputs: &'a VaryingLayout,
    },
    /// `TessellationControl`, with as many lanes as the layout of its output patches has.
    TessellationControl {
        /// Where the vertex stage's outputs lie.
        inputs: &'a VaryingLayout,
        /// Lanes of the vertex stage's subgroups.
        input_lanes: u32,
        /// Where the outputs go.
        outputs: &'a PatchVaryingLayout,
    },
    /// `TessellationEvaluation`: with the stores of its outputs behind.
    TessellationEvaluation {
        /// Where the control stage's outputs lie.
        inputs: &'a PatchVaryingLayout,
        /// Where the outputs go.
        outputs: &'a VaryingLayout,
        /// The lanes of a subgroup are of one patch, so what they read of the patch is the same.
        same_patch: bool,
    },
    /// `Geometry`.
    Geometry {
        /// Where the vertices that it reads lie.
        inputs: &'a VaryingLayout,
        /// Lanes of the subgroups of the stage that makes them.
        input_lanes: u32,
        /// Where the vertices that it emits go.
        outputs: &'a VaryingLayout,
    },
    /// `Fragment`: with interpolation and early tests in front, late tests and attachment writes behind.
    Fragment {
        /// Attachments, tests and blending.
        key: &'a FragmentOutputKey,
        /// How the fragments of a subgroup belong together.
        variant: Variant,
        /// Where the outputs of the stage before lie.
        inputs: &'a VaryingLayout,
    },
    /// A stage of ray tracing pipelines. It has [`pyro_abi::raytrace::RAY_LANES`] lanes.
    Ray(ExecutionModel),
}

impl StageRequest<'_> {
    /// The execution model, of several that are lowered in the same way the newer one.
    fn model(&self) -> ExecutionModel {
        match *self {
            StageRequest::Compute | StageRequest::Node(_) => ExecutionModel::GLCompute,
            StageRequest::Cluster => ExecutionModel::ClusterCullingHUAWEI,
            StageRequest::Task => ExecutionModel::TaskEXT,
            StageRequest::Mesh { .. } => ExecutionModel::MeshEXT,
            StageRequest::Vertex { .. } => ExecutionModel::Vertex,
            StageRequest::TessellationControl { .. } => ExecutionModel::TessellationControl,
            StageRequest::TessellationEvaluation { .. } => ExecutionModel::TessellationEvaluation,
            StageRequest::Geometry { .. } => ExecutionModel::Geometry,
            StageRequest::Fragment { .. } => ExecutionModel::Fragment,
            StageRequest::Ray(model) => model,
        }
    }
}

/// Lowers an entry point of a stage for subgroups of `lanes` lanes (4, 8, 16, 32 or 64).
///
/// # Errors
/// See [`LowerError`].
pub fn lower(shader: &Shader<'_>, lanes: u32, stage: &StageRequest<'_>) -> Result<Lowered, LowerError> {
    steps::begin("lower");
    let mut lowered = lower_stage(shader, lanes, stage)?;
    lowered.info.writes_memory = fragment::writes_memory(shader.checked);
    lowered.info.uses_device_index = builtin::uses_device_index(shader);
    lowered.info.shades_tiles = shader.checked.has_capability(Capability::TileShadingQCOM);
    if shader.layout.options.map {
        lowered.info.map = Some(shader_map::of(shader, stage.model(), &lowered.locations).into());
    }
    Ok(lowered)
}

fn lower_stage(shader: &Shader<'_>, lanes: u32, stage: &StageRequest<'_>) -> Result<Lowered, LowerError> {
    match *stage {
        StageRequest::Compute => compute::lower(shader, lanes),
        StageRequest::Node(nodes) => node::lower(shader, lanes, nodes),
        StageRequest::Cluster => cluster::lower(shader, lanes),
        StageRequest::Task => mesh::lower(shader, lanes, None),
        StageRequest::Mesh { outputs } => mesh::lower(shader, lanes, Some(outputs)),
        StageRequest::Vertex { input, outputs } => vertex::lower(shader, lanes, input, outputs),
        StageRequest::TessellationControl { inputs, input_lanes, outputs } => {
            tess_control::lower(shader, inputs, input_lanes, outputs)
        }
        StageRequest::TessellationEvaluation { inputs, outputs, same_patch } => {
            tess_eval::lower(shader, lanes, inputs, outputs, same_patch)
        }
        StageRequest::Geometry { inputs, input_lanes, outputs } => {
            geometry::lower(shader, lanes, (inputs, input_lanes), outputs)
        }
        StageRequest::Fragment { key, variant, inputs } => {
            fragment::lower(shader, lanes, key, variant, inputs)
        }
        StageRequest::Ray(model) => ray::lower(shader, model),
    }
}

/// What stands for a fragment stage without a shader: coverage, tests, and writes of depth and stencil.
///
/// # Errors
/// [`ErrorKind::Invalid`] when there is no subgroup of `lanes` lanes.
pub fn lower_without_fragment_shader(
    lanes: u32,
    key: &FragmentOutputKey,
    variant: Variant,
) -> Result<Lowered, LowerError> {
    fragment::lower_without_shader(lanes, key, variant)
}

/// What the driver must know of a fragment shader before it is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FragmentInfo {
    /// It must run once for each sample: it reads `SampleId` or `SamplePosition`, or has an input,
    /// user-defined or built-in, decorated `Sample`.
    pub sample_shading: bool,
    /// It reads tile images, which only fragments of one pixel can.
    pub reads_tile_images: bool,
    /// It sees whether the primitive covers all of a fragment's area (`FullyCoveredEXT`).
    pub sees_full_coverage: bool,
    /// Bits of the locations of colours that every invocation writes, and that depend on nothing which
    /// earlier fragments may have left there; none of a shader that discards or takes samples away.
    pub always_written: u32,
}

pyro_util::codec_struct!(FragmentInfo {
    sample_shading,
    reads_tile_images,
    sees_full_coverage,
    always_written
});

/// Finds the facts of a fragment entry point.
///
/// # Errors
/// When there is no such entry point, or its interface is broken.
pub fn fragment_info(module: &Checked, entry_point: &str) -> Result<FragmentInfo, LowerError> {
    use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, StorageClass};
    let interface = varyings::interface_of(module, entry_point, ExecutionModel::Fragment)?;
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
        always_written: fragment::always_written(module, &interface),
    })
}

/// Finds what the engine must know of a geometry entry point.
///
/// # Errors
/// When there is no such entry point, or it does not declare its input and output primitives.
pub fn geometry_info(module: &Checked, entry_point: &str) -> Result<GeometryInfo, LowerError> {
    let model = ExecutionModel::Geometry;
    match module.entry_point(entry_point, model) {
        Some(entry) => geometry::info(module, &entry),
        None => error::invalid(format!("no geometry entry point is named \"{entry_point}\"")),
    }
}

/// Finds what must be known of a cluster culling entry point before it is compiled.
///
/// # Errors
/// When there is no such entry point, or its interface is broken.
pub fn cluster_info(module: &Checked, entry_point: &str) -> Result<ClusterInfo, LowerError> {
    cluster::info(module, entry_point)
}

/// Finds what there is to know of an entry point that is a node of execution graphs: a compute shader, or a
/// mesh shader.
///
/// # Errors
/// When there is no such entry point, or its payloads are broken or larger than the limits.
pub fn node_info(module: &Checked, entry_point: &str, is_mesh: bool) -> Result<NodeInfo, LowerError> {
    let model = if is_mesh { ExecutionModel::MeshEXT } else { ExecutionModel::GLCompute };
    node::info(module, entry_point, model)
}
