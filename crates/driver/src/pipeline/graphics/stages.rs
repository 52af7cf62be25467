//! The shaders of a graphics pipeline, stage by stage.
//!
//! What a stage joins: the list of stages ([`BEFORE`]), their compilation ([`Stages::compile`]) and what
//! shows their code ([`executables`]); in the engine, [`PreRasterization`].

use crate::error::{Error, Result};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::stage::{ShaderStage, compile_error};
use pyro_abi::graphics::{ClusterInfo, GeometryInfo, GeometryOutput};
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::ExecutionModel;
use pyro_compile::cache::Session;
use pyro_compile::graphics::{
    ControlRequest, EvaluationRequest, GeometryRequest, GraphicsShader, MeshRequest, MeshStage,
    VertexRequest, compile_control, compile_evaluation, compile_geometry, compile_mesh, compile_vertex,
};
use pyro_compile::{Backend, CompileError, FragmentInfo, PatchVaryingLayout, SubgroupSize, VaryingLayout};
use pyro_engine::graphics::{
    ClusterProgram, GeometryProgram, MeshProgram, PreRasterization, TessellationProgram, VertexProgram,
};
use pyro_fixed::state::VertexInputState;
use pyro_util::sanitize::Kind;
use std::hash::Hash;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The stages before rasterization, in their order.
pub(super) const BEFORE: [(vk::ShaderStageFlags, ExecutionModel); 7] = [
    (vk::ShaderStageFlags::CLUSTER_CULLING_HUAWEI, ExecutionModel::ClusterCullingHUAWEI),
    (vk::ShaderStageFlags::VERTEX, ExecutionModel::Vertex),
    (vk::ShaderStageFlags::TESSELLATION_CONTROL, ExecutionModel::TessellationControl),
    (vk::ShaderStageFlags::TESSELLATION_EVALUATION, ExecutionModel::TessellationEvaluation),
    (vk::ShaderStageFlags::GEOMETRY, ExecutionModel::Geometry),
    (vk::ShaderStageFlags::TASK_EXT, ExecutionModel::TaskEXT),
    (vk::ShaderStageFlags::MESH_EXT, ExecutionModel::MeshEXT),
];

/// Shaders that may be bound at the same time.
pub(crate) const SHADER_COUNT: usize = BEFORE.len() + 1;

/// The place of a graphics stage among those, in their order.
pub(crate) fn place(flag: vk::ShaderStageFlags) -> Option<usize> {
    let before = BEFORE.iter().position(|&(stage, _)| stage == flag);
    before.or((flag == vk::ShaderStageFlags::FRAGMENT).then_some(BEFORE.len()))
}

fn graphics_error(error: CompileError) -> Error {
    compile_error("graphics", error)
}

/// A checked shader.
pub(super) struct Shader {
    pub(super) shader: GraphicsShader,
    pub(super) subgroup_size: SubgroupSize,
    pub(super) options: ShaderOptions,
}

impl Shader {
    fn new(stage: &ShaderStage) -> Shader {
        let module = Arc::clone(stage.module.for_compiler());
        let shader = GraphicsShader::unchecked(module, &stage.entry_point, &stage.specialization);
        let subgroup_size = stage.subgroup_size.map_or(SubgroupSize::Default, SubgroupSize::Required);
        Shader { shader, subgroup_size, options: stage.options.clone() }
    }
}

/// A stage before rasterization.
pub(super) struct Before {
    model: ExecutionModel,
    shader: Shader,
    /// Where the vertices that it gives the next stage lie.
    outputs: VaryingLayout,
}

/// The shaders of a pipeline, and what there is to know of them.
pub(super) struct Stages {
    /// The stages before rasterization, in order; at least one.
    before: Vec<Before>,
    cluster: Option<ClusterInfo>,
    geometry: Option<GeometryInfo>,
    /// The patches between the tessellation stages, where there are such.
    patches: Option<PatchVaryingLayout>,
    pub(super) fragment: Option<Shader>,
    pub(super) facts: FragmentInfo,
}

impl Stages {
    pub(super) fn new(stages: &[ShaderStage], session: &Session<'_>) -> Result<Stages> {
        if let Some(other) = stages.iter().find(|stage| place(stage.stage).is_none()) {
            return Err(Error::unsupported(format!("the stage {:?}", other.stage)));
        }
        // Of several the last one counts.
        let find = |flag| stages.iter().rfind(|stage| stage.stage == flag).map(Shader::new);
        let fragment = find(vk::ShaderStageFlags::FRAGMENT);
        let shaders: Vec<(ExecutionModel, Shader)> =
            BEFORE.iter().filter_map(|&(flag, model)| Some((model, find(flag)?))).collect();
        let has = |model| shaders.iter().any(|(other, _)| *other == model);
        let has_mesh = has(ExecutionModel::MeshEXT);
        if !has_mesh && !has(ExecutionModel::Vertex) {
            return Err(Error::misuse(
                "no vertex or mesh shader (VUID-VkGraphicsPipelineCreateInfo-stage-02096)",
            ));
        }
        let is_of_mesh =
            |model: &ExecutionModel| matches!(model, ExecutionModel::TaskEXT | ExecutionModel::MeshEXT);
        if shaders.iter().any(|(model, _)| is_of_mesh(model) != has_mesh) {
            return Err(Error::misuse(
                "mesh and other stages before rasterization (VUID-VkGraphicsPipelineCreateInfo-pStages-02095)",
            ));
        }
        let facts = match &fragment {
            Some(fragment) => {
                let shader = &fragment.shader;
                session.artifact(shader, || shader.fragment_info()).map_err(graphics_error)?
            }
            None => FragmentInfo::default(),
        };
        let fragment_shader = fragment.as_ref().map(|fragment| (&fragment.shader, ExecutionModel::Fragment));
        let mut outputs = Vec::new();
        for (number, (model, shader)) in shaders.iter().enumerate() {
            let next = shaders.get(number + 1).map(|(model, next)| (&next.shader, *model));
            let (model, shader, next) = (*model, &shader.shader, next.or(fragment_shader));
            let key = (model as u32, shader, next.map(|(shader, model)| (shader, model as u32)));
            let found = session.artifact(key, || shader.outputs(model, next));
            outputs.push(found.map_err(graphics_error)?);
        }
        let of = |model| shaders.iter().find(|(other, _)| *other == model).map(|(_, shader)| &shader.shader);
        let control = of(ExecutionModel::TessellationControl);
        let patches = match (control, of(ExecutionModel::TessellationEvaluation)) {
            (Some(control), Some(evaluation)) => {
                let found =
                    session.artifact(("patches", control, evaluation), || control.patch_outputs(evaluation));
                let found = found.map_err(graphics_error)?;
                let follows =
                    |(_, shader): &(_, Shader)| shader.options.sanitize.contains(Kind::UninitializedVariable);
                // Both stages have the same options.
                Some(if shaders.iter().any(follows) { found.with_written() } else { found })
            }
            (None, None) => None,
            _ => {
                return Err(Error::misuse(
                    "one tessellation shader of two (VUID-VkGraphicsPipelineCreateInfo-pStages-00729, -00730)",
                ));
            }
        };
        let before = shaders.into_iter().zip(outputs);
        let before = before.map(|((model, shader), outputs)| Before { model, shader, outputs }).collect();
        let mut stages = Stages { before, patches, cluster: None, geometry: None, fragment, facts };
        if let Some(Before { shader: Shader { shader, .. }, .. }) =
            stages.find(ExecutionModel::ClusterCullingHUAWEI)
        {
            stages.cluster = Some(shader.cluster_info().map_err(graphics_error)?);
        }
        if let Some(Before { shader: Shader { shader, .. }, .. }) = stages.find(ExecutionModel::Geometry) {
            let facts =
                session.artifact((ExecutionModel::Geometry as u32, shader), || shader.geometry_info());
            stages.geometry = Some(facts.map_err(graphics_error)?);
        }
        Ok(stages)
    }

    fn find(&self, model: ExecutionModel) -> Option<&Before> {
        self.before.iter().find(|stage| stage.model == model)
    }

    /// What clusters say, where a cluster culling shader emits them.
    pub(super) fn cluster(&self) -> Option<ClusterInfo> {
        self.cluster
    }

    /// What is rasterized of the primitives that a stage makes; none: those of the topology.
    pub(super) fn output(&self) -> Option<GeometryOutput> {
        let of_patches = || self.patches.as_ref().map(|patches| patches.layout.modes.output());
        self.geometry.map(|geometry| geometry.output).or_else(of_patches)
    }

    /// What the last stage before rasterization gives.
    pub(super) fn outputs(&self) -> &VaryingLayout {
        &self.before.last().expect("there is a stage before rasterization").outputs
    }

    fn no_programs(&self) -> PreRasterization {
        PreRasterization {
            cluster: None,
            vertex: None,
            tessellation: None,
            geometry: None,
            mesh: None,
            raster_stream: 0,
            outputs: Arc::new(self.outputs().layout.clone()),
        }
    }

    /// The stages before rasterization where these are the vertex shader, compiled to this.
    pub(super) fn of_vertex(&self, kernel: Arc<dyn Kernel>) -> PreRasterization {
        PreRasterization { vertex: Some(vertex_program(kernel, self.outputs())), ..self.no_programs() }
    }

    /// The vertex shader, where it is all that runs before rasterization.
    pub(super) fn only_vertex(&self) -> Option<(&Shader, &VaryingLayout)> {
        match &self.before[..] {
            [Before { model: ExecutionModel::Vertex, shader, outputs }] => Some((shader, outputs)),
            _ => None,
        }
    }

    /// Compiles the stages before rasterization.
    pub(super) fn compile(
        &self,
        session: &Session<'_>,
        layout: &PipelineLayout,
        input: &VertexInputState,
        backend: Backend,
    ) -> std::result::Result<PreRasterization, CompileError> {
        let mut programs = self.no_programs();
        let mut last: Option<(&VaryingLayout, SubgroupSize)> = None;
        let (mut control, mut task) = (None, None);
        for Before { model, shader: Shader { shader, subgroup_size, options }, outputs } in &self.before {
            let layout = &layout.abi(options);
            match model {
                ExecutionModel::Vertex => {
                    let subgroup_size = *subgroup_size;
                    let request = VertexRequest { shader, layout, subgroup_size, input, outputs };
                    let kernel = session.artifact(vertex_key(backend, &request), || {
                        compile_vertex(&request, backend, None)
                    })?;
                    programs.vertex = Some(vertex_program(kernel, outputs));
                }
                ExecutionModel::Geometry => {
                    let (Some((from, input_size)), Some(facts)) = (last, self.geometry) else { continue };
                    let subgroup_size = *subgroup_size;
                    let request =
                        GeometryRequest { shader, layout, subgroup_size, from, input_size, outputs };
                    let kernel = session.artifact(("geometry", backend, &request), || {
                        compile_geometry(&request, backend, None)
                    })?;
                    programs.geometry = Some(GeometryProgram { kernel, info: facts });
                }
                ExecutionModel::ClusterCullingHUAWEI => {
                    let Some(info) = self.cluster else { continue };
                    let (subgroup_size, stage) = (*subgroup_size, MeshStage::Cluster);
                    let request = MeshRequest { shader, layout, subgroup_size, stage };
                    let kernel = || compile_mesh(&request, backend, None);
                    let kernel = session.artifact(("cluster", backend, &request), kernel)?;
                    programs.cluster = Some(ClusterProgram { kernel, info });
                }
                ExecutionModel::TaskEXT => {
                    let (subgroup_size, stage) = (*subgroup_size, MeshStage::Task);
                    let request = MeshRequest { shader, layout, subgroup_size, stage };
                    let kernel = || compile_mesh(&request, backend, None);
                    task = Some(session.artifact(("task", backend, &request), kernel)?);
                }
                ExecutionModel::MeshEXT => {
                    let (subgroup_size, stage) = (*subgroup_size, MeshStage::Mesh(outputs));
                    let request = MeshRequest { shader, layout, subgroup_size, stage };
                    let kernel = || compile_mesh(&request, backend, None);
                    let kernel = session.artifact(("mesh", backend, &request), kernel)?;
                    let layout = Arc::new(outputs.mesh.clone().unwrap_or_default());
                    programs.mesh = Some(MeshProgram { task: task.take(), kernel, layout });
                }
                ExecutionModel::TessellationControl => {
                    let (Some((inputs, input_size)), Some(outputs)) = (last, &self.patches) else {
                        continue;
                    };
                    let request = ControlRequest { shader, layout, inputs, input_size, outputs };
                    control = Some(session.artifact(("control", backend, &request), || {
                        compile_control(&request, backend, None)
                    })?);
                }
                ExecutionModel::TessellationEvaluation => {
                    let (Some(control), Some(inputs)) = (control.take(), &self.patches) else { continue };
                    let evaluation = |same_patch| {
                        let subgroup_size = *subgroup_size;
                        let request =
                            EvaluationRequest { shader, layout, subgroup_size, inputs, outputs, same_patch };
                        session.artifact(("evaluation", backend, &request), || {
                            compile_evaluation(&request, backend, None)
                        })
                    };
                    programs.tessellation = Some(TessellationProgram {
                        control,
                        evaluation: evaluation(false)?,
                        evaluation_of_one: evaluation(true)?,
                        patches: Arc::new(inputs.layout.clone()),
                        layout: Arc::new(outputs.layout.clone()),
                    });
                }
                other => return Err(pyro_compile::CompileError::Unsupported(format!("{other:?} stages"))),
            }
            last = Some((outputs, *subgroup_size));
        }
        Ok(programs)
    }
}

/// What caches know a vertex function by.
pub(super) fn vertex_key(backend: Backend, request: &VertexRequest<'_>) -> impl Hash {
    ("vertex", backend, *request)
}

fn vertex_program(kernel: Arc<dyn Kernel>, outputs: &VaryingLayout) -> VertexProgram {
    VertexProgram { kernel, layout: Arc::new(outputs.layout.clone()) }
}

/// The execution model of a stage before rasterization.
fn model_before(flag: vk::ShaderStageFlags) -> Option<ExecutionModel> {
    BEFORE.iter().find(|&&(stage, _)| stage == flag).map(|&(_, model)| model)
}

/// Checks a shader that may become part of a pipeline.
///
/// # Errors
/// As of [`super::GraphicsPipeline::new`].
pub(crate) fn check(stage: &ShaderStage) -> Result<()> {
    let shader = Shader::new(stage).shader;
    match (stage.stage, model_before(stage.stage)) {
        (_, Some(ExecutionModel::Geometry)) => {
            shader.geometry_info().map_err(graphics_error)?;
            shader.outputs(ExecutionModel::Geometry, None).map(drop).map_err(graphics_error)
        }
        (_, Some(model)) => shader.outputs(model, None).map(drop).map_err(graphics_error),
        (vk::ShaderStageFlags::FRAGMENT, _) => shader.fragment_info().map(drop).map_err(graphics_error),
        (other, _) => Err(Error::unsupported(format!("the stage {other:?}"))),
    }
}

/// What `VK_KHR_pipeline_executable_properties` shows of code: stage, name, description.
pub(super) type Shown<'a> = (vk::ShaderStageFlags, &'static str, &'static str, &'a Arc<dyn Kernel>);

/// The code of the first stage.
pub(crate) fn first_kernel(stages: &PreRasterization) -> Option<&Arc<dyn Kernel>> {
    executables(stages).first().map(|&(_, _, _, kernel)| kernel)
}

/// The code of the stages before rasterization.
pub(super) fn executables(stages: &PreRasterization) -> Vec<Shown<'_>> {
    use vk::ShaderStageFlags as Flags;
    let vertex = stages.vertex.as_ref().map(|vertex| &vertex.kernel);
    let vertex = vertex.map(|kernel| (Flags::VERTEX, "vertex", "Attributes and the vertex shader", kernel));
    let geometry = stages.geometry.as_ref().map(|geometry| &geometry.kernel);
    let geometry = geometry.map(|kernel| (Flags::GEOMETRY, "geometry", "The geometry shader", kernel));
    let task = stages.mesh.as_ref().and_then(|mesh| mesh.task.as_ref());
    let task = task.map(|kernel| (Flags::TASK_EXT, "task", "The task shader", kernel));
    let mesh = stages.mesh.as_ref().map(|mesh| &mesh.kernel);
    let mesh = mesh.map(|kernel| (Flags::MESH_EXT, "mesh", "The mesh shader", kernel));
    let cluster = stages.cluster.as_ref().map(|cluster| {
        let text = "The cluster culling shader";
        (Flags::CLUSTER_CULLING_HUAWEI, "cluster culling", text, &cluster.kernel)
    });
    let mut all: Vec<Shown<'_>> =
        cluster.into_iter().chain(vertex).chain(geometry).chain(task).chain(mesh).collect();
    if let Some(tessellation) = &stages.tessellation {
        let (control, evaluation) = (Flags::TESSELLATION_CONTROL, Flags::TESSELLATION_EVALUATION);
        let patches = "The tessellation control shader, some patches at a time";
        all.push((control, "tessellation control", patches, &tessellation.control));
        let of_one = "The tessellation evaluation shader, for vertices of one patch";
        all.push((evaluation, "tessellation evaluation", of_one, &tessellation.evaluation_of_one));
        let packed = "The tessellation evaluation shader, each vertex with its own patch";
        all.push((evaluation, "tessellation evaluation, packed", packed, &tessellation.evaluation));
    }
    all
}
