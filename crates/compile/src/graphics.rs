//! Vertex and fragment shaders to kernels.
//!
//! A [`GraphicsShader`] is decoded and checked once and compiled as often as pipeline state asks for. The vertex
//! shader goes first: where its outputs lie ([`VertexOutputs`]) is what the fragment shader is compiled with.

use crate::{CompileError, Executor, SpecConstant, SubgroupSize, Tracer, bits_of, finish, rejected};
use pyro_abi::graphics::SetupLayout;
use pyro_abi::{Kernel, PipelineLayout};
use pyro_fixed::{FragmentOutputKey, VertexInputState};
use pyro_lower::{FragmentFacts, Shader, VertexOutputs};
use pyro_spirv::{Module, Specialization};
use pyro_validate::Environment;
use std::sync::Arc;

/// A decoded and checked shader of a graphics pipeline.
#[derive(Debug)]
pub struct GraphicsShader {
    module: Module,
    entry_point: String,
    specialization: Specialization,
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
        let module = Module::decode(words).map_err(|error| CompileError::Invalid(error.to_string()))?;
        let specialization = specialization.iter().map(bits_of).collect::<Result<Specialization, _>>()?;
        let environment = Environment { specialization: specialization.clone(), ..Environment::default() };
        pyro_validate::validate(&module, &environment).map_err(rejected)?;
        Ok(GraphicsShader { module, entry_point: entry_point.to_owned(), specialization })
    }

    fn shader<'a>(&'a self, layout: &'a PipelineLayout) -> Shader<'a> {
        Shader {
            module: &self.module,
            entry_point: &self.entry_point,
            specialization: &self.specialization,
            layout,
        }
    }

    /// What a driver must know of a fragment shader before it is compiled.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when there is no such fragment entry point.
    pub fn fragment_facts(&self) -> Result<FragmentFacts, CompileError> {
        Ok(pyro_lower::fragment_facts(&self.module, &self.entry_point, &self.specialization)?)
    }

    /// The rows of this vertex shader's outputs. With the fragment shader, only what that reads has rows;
    /// without (a library compiled apart), all that is written.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when an entry point is missing.
    pub fn vertex_outputs(&self, fragment: Option<&GraphicsShader>) -> Result<VertexOutputs, CompileError> {
        let fragment =
            fragment.map(|shader| (&shader.module, shader.entry_point.as_str(), &shader.specialization));
        Ok(VertexOutputs::new((&self.module, &self.entry_point, &self.specialization), fragment)?)
    }
}

/// What to compile for a vertex stage.
#[derive(Clone, Copy, Debug)]
pub struct VertexRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// The vertex input state.
    pub input: &'a VertexInputState,
    /// Where the outputs go ([`GraphicsShader::vertex_outputs`]).
    pub outputs: &'a VertexOutputs,
}

/// What to compile for a fragment stage.
#[derive(Clone, Copy, Debug)]
pub struct FragmentRequest<'a> {
    /// The shader; none in pipelines that only test and write depth and stencil.
    pub shader: Option<&'a GraphicsShader>,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
    /// Attachments, tests and blending.
    pub key: &'a FragmentOutputKey,
    /// The variant in which each quad has its own primitive.
    pub packed: bool,
    /// Where the vertex stage's outputs lie.
    pub from: &'a VertexOutputs,
}

/// A compiled fragment stage.
#[derive(Clone)]
pub struct CompiledFragment {
    /// Called with a `DrawContext` and a `FragmentSubgroup`.
    pub kernel: Arc<dyn Kernel>,
    /// What it reads of a primitive; the same in both variants.
    pub setup: SetupLayout,
}

/// Compiles a vertex stage. The kernel is called with a `DrawContext` and a `VertexSubgroup`.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_vertex(
    request: &VertexRequest<'_>,
    executor: Executor,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let lanes = request.subgroup_size.lanes()?;
    let shader = request.shader.shader(request.layout);
    let lowered = pyro_lower::lower_vertex(&shader, lanes, request.input, request.outputs)?;
    finish(lowered, None, executor, tracer, pyro_passes::pipeline::Options::default())
}

/// Compiles a fragment stage with all that surrounds it.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_fragment(
    request: &FragmentRequest<'_>,
    executor: Executor,
    tracer: Option<Tracer<'_>>,
) -> Result<CompiledFragment, CompileError> {
    let lanes = request.subgroup_size.lanes()?;
    let found = match request.shader {
        Some(shader) => {
            let shader = shader.shader(request.layout);
            pyro_lower::lower_fragment(&shader, lanes, request.key, request.packed, request.from)?
        }
        None => pyro_lower::lower_without_fragment_shader(lanes, request.key, request.packed)?,
    };
    let kernel = finish(found.lowered, None, executor, tracer, pyro_passes::pipeline::Options::default())?;
    Ok(CompiledFragment { kernel, setup: found.setup })
}
