//! Vertex and fragment shaders to kernels.
//!
//! A [`GraphicsShader`] is decoded and checked once and compiled as often as pipeline state asks for. The
//! vertex shader goes first: where its outputs lie ([`VaryingLayout`]) is what the fragment shader is
//! compiled with.

use crate::{
    Backend, CompileError, ShaderModule, SpecConstant, SubgroupSize, Tracer, finish, specialization_of,
    workgroup,
};
use pyro_abi::graphics::{ClusterInfo, GeometryInfo, SetupLayout};
use pyro_abi::{Kernel, PipelineLayout};
pub use pyro_fixed::Variant;
use pyro_fixed::{FragmentOutputKey, VertexInputState};
use pyro_lower::{Entry, FragmentInfo, Lowered, PatchVaryingLayout, Shader, StageRequest, VaryingLayout};
use pyro_passes::block_loop::BlockList;
use pyro_passes::pipeline;
use pyro_passes::quad_loop::QuadList;
use pyro_spirv::Specialization;
use pyro_spirv::spirv::ExecutionModel;
use pyro_validate::Checked;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A shader of a pipeline: an entry point of a module, with specialization constants. The module is decoded
/// and checked when it is first looked at, which is never when caches have all that is asked of it.
#[derive(Clone, Debug)]
pub struct GraphicsShader {
    module: Arc<ShaderModule>,
    entry_point: String,
    specialization: Specialization,
}

/// Equal where everything compiled from them is equal.
impl Hash for GraphicsShader {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.module.digest(), &self.entry_point, &self.specialization).hash(state);
    }
}

impl GraphicsShader {
    /// Decodes and checks a shader.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when the words are no valid module.
    pub fn new(
        words: &[u32],
        entry_point: &str,
        specialization: &[SpecConstant],
    ) -> Result<GraphicsShader, CompileError> {
        let module = Arc::new(ShaderModule::new(words));
        let shader = GraphicsShader::unchecked(module, entry_point, specialization);
        shader.checked()?;
        Ok(shader)
    }

    /// A shader that is decoded and checked later.
    pub fn unchecked(
        module: Arc<ShaderModule>,
        entry_point: &str,
        specialization: &[SpecConstant],
    ) -> GraphicsShader {
        let specialization = specialization_of(specialization);
        GraphicsShader { module, entry_point: entry_point.to_owned(), specialization }
    }

    /// The module, decoded and checked.
    pub(crate) fn checked(&self) -> Result<Checked, CompileError> {
        self.module.checked(&self.specialization)
    }

    pub(crate) fn shader<'a>(&'a self, checked: &'a Checked, layout: &'a PipelineLayout) -> Shader<'a> {
        Shader { checked, entry_point: &self.entry_point, layout, tiles: false }
    }

    /// What a driver must know of a fragment shader before it is compiled.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when there is no such fragment entry point, or the module is not valid.
    pub fn fragment_info(&self) -> Result<FragmentInfo, CompileError> {
        Ok(pyro_lower::fragment_info(&self.checked()?, &self.entry_point)?)
    }

    /// What the engine must know of a geometry shader.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when there is no such geometry entry point, or the module is not valid.
    pub fn geometry_info(&self) -> Result<GeometryInfo, CompileError> {
        Ok(pyro_lower::geometry_info(&self.checked()?, &self.entry_point)?)
    }

    /// What must be known of a cluster culling shader.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when there is no such entry point, or the module is not valid.
    pub fn cluster_info(&self) -> Result<ClusterInfo, CompileError> {
        Ok(pyro_lower::cluster_info(&self.checked()?, &self.entry_point)?)
    }

    /// The columns of the vertices that this shader, one of a stage before rasterization, gives the next
    /// stage's. With that, only what it reads has columns; without (a library compiled apart), all that is
    /// written.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when an entry point is missing, or a module is not valid.
    pub fn outputs(
        &self,
        model: ExecutionModel,
        next: Option<(&GraphicsShader, ExecutionModel)>,
    ) -> Result<VaryingLayout, CompileError> {
        let next = next
            .map(|(shader, model)| Ok::<_, CompileError>((shader.checked()?, shader, model)))
            .transpose()?;
        let next = next.as_ref().map(|(checked, shader, model)| shader.entry(checked, *model));
        Ok(VaryingLayout::between(&self.entry(&self.checked()?, model), next.as_ref())?)
    }

    /// The columns of the patches that this tessellation control shader gives an evaluation shader.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when an entry point is missing, a module is not valid, or neither shader
    /// says how many control points a patch has.
    pub fn patch_outputs(&self, evaluation: &GraphicsShader) -> Result<PatchVaryingLayout, CompileError> {
        let checked = [self.checked()?, evaluation.checked()?];
        let control = self.entry(&checked[0], ExecutionModel::TessellationControl);
        let evaluation = evaluation.entry(&checked[1], ExecutionModel::TessellationEvaluation);
        Ok(PatchVaryingLayout::between(&control, &evaluation)?)
    }

    fn entry<'a>(&'a self, checked: &'a Checked, model: ExecutionModel) -> Entry<'a> {
        Entry { checked, name: &self.entry_point, model }
    }
}

/// What to compile for a vertex stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct VertexRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// The vertex input state.
    pub input: &'a VertexInputState,
    /// Where the outputs go ([`GraphicsShader::outputs`]).
    pub outputs: &'a VaryingLayout,
}

/// What to compile for a geometry stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct GeometryRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// Where the vertices that it reads lie.
    pub from: &'a VaryingLayout,
    /// Lanes of the subgroups of the stage that makes them.
    pub input_size: SubgroupSize,
    /// Where those that it emits go.
    pub outputs: &'a VaryingLayout,
}

/// The stages before fragments that run in workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshStage<'a> {
    /// `ClusterCullingHUAWEI`, in front of vertices.
    Cluster,
    /// `TaskEXT` or `TaskNV`.
    Task,
    /// `MeshEXT` or `MeshNV`, with where its outputs go.
    Mesh(&'a VaryingLayout),
}

/// What to compile for a cluster culling, task or mesh stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct MeshRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// Which of these; of mesh shaders, where the outputs go.
    pub stage: MeshStage<'a>,
}

/// What to compile for a tessellation control stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct ControlRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Where the vertex stage's outputs lie.
    pub inputs: &'a VaryingLayout,
    /// Lanes of the vertex stage's subgroups.
    pub input_size: SubgroupSize,
    /// Where the outputs go ([`GraphicsShader::patch_outputs`]). Says how many lanes there are.
    pub outputs: &'a PatchVaryingLayout,
}

/// What to compile for a tessellation evaluation stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct EvaluationRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// Where the control stage's outputs lie.
    pub inputs: &'a PatchVaryingLayout,
    /// Where the outputs go ([`GraphicsShader::outputs`]).
    pub outputs: &'a VaryingLayout,
    /// The lanes of a subgroup are of one patch.
    pub same_patch: bool,
}

/// What to compile for a fragment stage.
#[derive(Clone, Copy, Debug, Hash)]
pub struct FragmentRequest<'a> {
    /// The shader; none in pipelines that only test and write depth and stencil.
    pub shader: Option<&'a GraphicsShader>,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// Attachments, tests and blending.
    pub key: &'a FragmentOutputKey,
    /// How the fragments of a subgroup belong together. The kernel of [`Variant::FullBlock`] loops over
    /// blocks.
    pub variant: Variant,
    /// Where the vertex stage's outputs lie.
    pub from: &'a VaryingLayout,
}

/// A compiled fragment stage.
#[derive(Clone)]
pub struct CompiledFragment {
    /// Called with a `DrawContext` and a `FragmentSubgroup`.
    pub kernel: Arc<dyn Kernel>,
    /// What it reads of a primitive; the same in all variants.
    pub setup: SetupLayout,
}

/// A vertex or fragment stage in the IR, as no pass has seen it yet. Nothing that a shader may have wrong is
/// found later.
pub struct LoweredStage {
    lowered: Lowered,
    options: pipeline::Options,
}

impl LoweredStage {
    /// The kernel of a vertex stage.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile(self, backend: Backend) -> Result<Arc<dyn Kernel>, CompileError> {
        finish(self.lowered, backend, None, self.options)
    }

    /// A fragment stage.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile_fragment(self, backend: Backend) -> Result<CompiledFragment, CompileError> {
        self.finish_fragment(backend, None)
    }

    fn finish_fragment(
        self,
        backend: Backend,
        tracer: Option<Tracer<'_>>,
    ) -> Result<CompiledFragment, CompileError> {
        let setup = self.lowered.setup.clone();
        let kernel = finish(self.lowered, backend, tracer, self.options)?;
        Ok(CompiledFragment { kernel, setup })
    }
}

/// Checks and lowers a vertex stage.
///
/// # Errors
/// See [`CompileError`].
pub fn lower_vertex(request: &VertexRequest<'_>) -> Result<LoweredStage, CompileError> {
    let VertexRequest { shader, layout, input, outputs, .. } = *request;
    let stage = StageRequest::Vertex { input, outputs };
    let checked = shader.checked()?;
    let lowered =
        pyro_lower::lower(&shader.shader(&checked, layout), request.subgroup_size.lanes()?, &stage)?;
    Ok(LoweredStage { lowered, options: pipeline::Options::default() })
}

/// Compiles a stage that runs subgroup by subgroup.
fn compile_stage(
    from: &GraphicsShader,
    layout: &PipelineLayout,
    lanes: u32,
    stage: &StageRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let checked = from.checked()?;
    let lowered = pyro_lower::lower(&from.shader(&checked, layout), lanes, stage)?;
    finish(lowered, backend, tracer, pipeline::Options::default())
}

/// Compiles a vertex stage. The kernel is called with a `DrawContext` and a `VertexSubgroup`.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_vertex(
    request: &VertexRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let LoweredStage { lowered, options } = lower_vertex(request)?;
    finish(lowered, backend, tracer, options)
}

/// Compiles a cluster culling, task or mesh stage. The kernel is called with a `DrawContext` and a
/// `SubgroupContext`, whose workgroup memory begins with a
/// [`MeshWorkgroup`](pyro_abi::graphics::MeshWorkgroup).
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_mesh(
    request: &MeshRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let MeshRequest { shader: from, layout, subgroup_size, stage } = *request;
    let checked = from.checked()?;
    let stage = match stage {
        MeshStage::Cluster => StageRequest::Cluster,
        MeshStage::Task => StageRequest::Task,
        MeshStage::Mesh(outputs) => StageRequest::Mesh { outputs },
    };
    workgroup::compile(&from.shader(&checked, layout), stage, subgroup_size, backend, None, tracer)
}

/// Compiles a geometry stage. The kernel is called with a `DrawContext` and a `GeometrySubgroup`.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_geometry(
    request: &GeometryRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let GeometryRequest { shader, layout, from: inputs, outputs, .. } = *request;
    let (lanes, input_lanes) = (request.subgroup_size.lanes()?, request.input_size.lanes()?);
    let stage = StageRequest::Geometry { inputs, input_lanes, outputs };
    compile_stage(shader, layout, lanes, &stage, backend, tracer)
}

/// Compiles a tessellation control stage. The kernel is called with a `DrawContext` and a `ControlSubgroup`.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_control(
    request: &ControlRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let ControlRequest { shader, layout, inputs, outputs, .. } = *request;
    let input_lanes = request.input_size.lanes()?;
    let stage = StageRequest::TessellationControl { inputs, input_lanes, outputs };
    compile_stage(shader, layout, outputs.layout.lanes, &stage, backend, tracer)
}

/// Compiles a tessellation evaluation stage. The kernel is called with a `DrawContext` and an
/// `EvaluationSubgroup`.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_evaluation(
    request: &EvaluationRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let EvaluationRequest { shader, layout, inputs, outputs, same_patch, .. } = *request;
    let stage = StageRequest::TessellationEvaluation { inputs, outputs, same_patch };
    compile_stage(shader, layout, request.subgroup_size.lanes()?, &stage, backend, tracer)
}

/// Compiles a fragment stage with all that surrounds it.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_fragment(
    request: &FragmentRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<CompiledFragment, CompileError> {
    lower_fragment(request)?.finish_fragment(backend, tracer)
}

/// Checks and lowers a fragment stage with all that surrounds it.
///
/// # Errors
/// See [`CompileError`].
pub fn lower_fragment(request: &FragmentRequest<'_>) -> Result<LoweredStage, CompileError> {
    let lanes = request.subgroup_size.lanes()?;
    let FragmentRequest { key, variant, from: inputs, .. } = *request;
    let lowered = match request.shader {
        Some(shader) => {
            let stage = StageRequest::Fragment { key, variant, inputs };
            pyro_lower::lower(&shader.shader(&shader.checked()?, request.layout), lanes, &stage)?
        }
        None => pyro_lower::lower_without_fragment_shader(lanes, key, variant)?,
    };
    let block_loop = match request.variant {
        Variant::FullBlock => Some(BlockList::Whole),
        variant if variant.covers_in_part() => Some(BlockList::Covered),
        _ => None,
    };
    let quad_loop = match Variant::of_several(request.key, lanes) {
        (variant, true) if variant == request.variant => Some(match variant {
            Variant::GroupedQuads => QuadList::Grouped,
            _ => QuadList::Subgroups,
        }),
        _ => None,
    };
    let options = pipeline::Options {
        full_subgroups: block_loop.is_some() || quad_loop.is_some(),
        block_loop,
        quad_loop,
        ..pipeline::Options::default()
    };
    Ok(LoweredStage { lowered, options })
}
