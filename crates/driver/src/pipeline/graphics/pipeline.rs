//! Graphics pipelines.

use super::key::{self, TargetFormats, may_be_coarse, output_key, vertex_input_key};
use super::stages::{self, Stages};
use super::state::{AttachmentLocations, DynamicStates, GraphicsState};
use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use crate::pipeline::cache::{self, PipelineCache};
use crate::pipeline::instrumentation::InstrumentedShader;
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::profiled_name::ProfiledName;
use crate::pipeline::specialize::Specialized;
use crate::pipeline::stage::{
    CreationFeedback, Executable, ShaderStage, backend_of, captures, compile_error, find_words, keep_words,
};
use crate::report::ObjectName;
use pyro_abi::ShaderOptions;
use pyro_abi::graphics::Captures;
use pyro_compile::cache::Session;
use pyro_compile::graphics::{FragmentRequest, compile_fragment};
use pyro_compile::image_functions::Record;
use pyro_compile::{Backend, CompileError, SubgroupSize};
use pyro_engine::graphics::{FragmentProgram, PreRasterization};
use pyro_fixed::Variant;
use pyro_fixed::state::{FragmentOutputKey, VertexInputState};
use pyro_util::sync::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use vulkanalia_sys as vk;

/// What a graphics pipeline is made from.
pub struct GraphicsPipelineInfo {
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
    /// The shaders.
    pub stages: Vec<ShaderStage>,
    /// All state, as far as it is not dynamic.
    pub state: GraphicsState,
    /// What is dynamic.
    pub dynamic: DynamicStates,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
    /// What is drawn to.
    pub formats: TargetFormats,
    /// Which output goes to which colour attachment.
    pub locations: AttachmentLocations,
}

/// All that compiled code depends on beside the pipeline itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProgramKey {
    vertex_input: VertexInputState,
    /// None: nothing is rasterised.
    output: Option<FragmentOutputKey>,
}

/// Compiled code of a pipeline.
pub struct Programs {
    /// The stages before rasterization.
    pub stages: PreRasterization,
    /// The fragment function; none when the pipeline rasterises nothing.
    pub fragment: Option<FragmentProgram>,
    /// The attributes in the order that the vertex function numbers them.
    pub vertex_input: VertexInputState,
    /// What the fragment function does behind the shader.
    output: Option<FragmentOutputKey>,
    /// The fragment function by what its descriptors are.
    specialized: Arc<Specialized<FragmentProgram>>,
}

impl Programs {
    /// Whether fragments may be of several pixels.
    pub(crate) fn is_coarse(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.coarse)
    }

    /// Whether the fragment function runs for each sample.
    pub(crate) fn is_per_sample(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.sample_shading)
    }

    /// Whether there may be a fragment function made for what its descriptors are.
    pub(crate) fn uses_images(&self) -> bool {
        self.specialized.uses_images()
    }
}

/// A `VkPipeline` for graphics.
pub struct GraphicsPipeline {
    state: GraphicsState,
    dynamic: DynamicStates,
    layout: Arc<PipelineLayout>,
    backend: Backend,
    /// What it draws to; none: to all that there is.
    formats: Option<TargetFormats>,
    locations: AttachmentLocations,
    stages: Stages,
    programs: Mutex<HashMap<ProgramKey, Arc<Programs>>>,
    /// The code for the state that it was made with.
    first: OnceLock<Arc<Programs>>,
    capture: bool,
    instrumented: Vec<Arc<InstrumentedShader>>,
    name: ObjectName,
    profiled_name: ProfiledName,
}

impl GraphicsPipeline {
    /// Checks the shaders and compiles them for the state as far as it is fixed. What is compiled here is
    /// what draws will ask for, unless they count samples or something that shapes code is dynamic. All
    /// threads of the device help.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what
    /// the compiler lacks; the message is the compiler's.
    pub fn new(
        mut info: GraphicsPipelineInfo,
        cache: Option<&PipelineCache>,
        device: &DeviceCore,
    ) -> Result<(GraphicsPipeline, CreationFeedback)> {
        let start = Instant::now();
        let fail = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let session = cache::session(cache, device.backend()).must_not_compile(info.flags.contains(fail));
        find_words(&mut info.stages, &session)?;
        let stages = Stages::new(&info.stages, &session)?;
        let instrumented = InstrumentedShader::of(&info.stages)?;
        let GraphicsPipelineInfo { flags, stages: shaders, state, dynamic, layout, formats, locations } =
            info;
        let pipeline = GraphicsPipeline {
            state,
            dynamic,
            layout,
            backend: device.backend(),
            formats: Some(formats.clone()),
            locations,
            stages,
            programs: Mutex::default(),
            first: OnceLock::new(),
            capture: captures(flags),
            instrumented,
            name: ObjectName::default(),
            profiled_name: ProfiledName::default(),
        };
        let each = |count: u64, run: &Part<'_>| device.for_each_part(count, run);
        let first = pipeline.programs_in(&session, &pipeline.state, &formats, false, &each)?;
        pipeline.first.get_or_init(|| first);
        keep_words(&shaders, &session);
        let feedback = CreationFeedback { cache_hit: session.hit(), duration: start.elapsed() };
        Ok((pipeline, feedback))
    }

    /// A pipeline of shader objects: all of its state is dynamic, and it draws to all attachments.
    ///
    /// # Errors
    /// As of [`GraphicsPipeline::new`].
    pub(crate) fn of_objects<'s>(
        stages: impl Iterator<Item = &'s ShaderStage>,
        layout: Arc<PipelineLayout>,
    ) -> Result<GraphicsPipeline> {
        let stages: Vec<ShaderStage> = stages.cloned().collect();
        let instrumented = InstrumentedShader::of(&stages)?;
        let backend = backend_of(&stages);
        let stages = Stages::new(&stages, &cache::session(None, backend))?;
        Ok(GraphicsPipeline {
            state: GraphicsState::default(),
            dynamic: DynamicStates::default(),
            layout,
            backend,
            formats: None,
            locations: AttachmentLocations::default(),
            stages,
            programs: Mutex::default(),
            first: OnceLock::new(),
            capture: false,
            instrumented,
            name: ObjectName::default(),
            profiled_name: ProfiledName::default(),
        })
    }

    /// Its number in a profile.
    pub(crate) fn profiled_number(&self) -> u32 {
        let executables = || self.executables().into_iter();
        self.profiled_name.number(|| executables().map(|executable| executable.kernel).collect())
    }

    /// The handle that messages name.
    pub fn name(&self) -> &ObjectName {
        &self.name
    }

    /// What its shaders count that do.
    pub(crate) fn instrumented(&self) -> &[Arc<InstrumentedShader>] {
        &self.instrumented
    }

    /// The code for the state that it was made with.
    pub(crate) fn executables(&self) -> Vec<Executable> {
        let Some(programs) = self.first.get() else { return Vec::new() };
        let fragment = programs.fragment.as_ref();
        let mut all = stages::executables(&programs.stages);
        if let Some(fragment) = fragment {
            let uniform = "Tests, fragment shader and blending, for quads of one primitive";
            let packed = "Tests, fragment shader and blending, each quad with its own primitive";
            let block = "Tests, fragment shader and blending, for blocks that a primitive covers";
            all.push(match &fragment.full_block {
                Some(kernel) => (vk::ShaderStageFlags::FRAGMENT, "fragment", block, kernel),
                None => (vk::ShaderStageFlags::FRAGMENT, "fragment", uniform, &fragment.single_primitive),
            });
            all.push((vk::ShaderStageFlags::FRAGMENT, "fragment, packed", packed, &fragment.multi_primitive));
        }
        let executable = |(stages, name, description, kernel): (_, _, _, &Arc<_>)| Executable {
            stages,
            name,
            description,
            kernel: Arc::clone(kernel),
        };
        all.into_iter().map(executable).collect()
    }

    /// Whether the application wants to see what it was compiled to.
    pub(crate) fn captures(&self) -> bool {
        self.capture
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// The state that it fixes.
    pub fn state(&self) -> &GraphicsState {
        &self.state
    }

    /// What it does not fix.
    pub fn dynamic(&self) -> &DynamicStates {
        &self.dynamic
    }

    /// What transform feedback captures of its vertices.
    pub(crate) fn captures_of_vertices(&self) -> &Captures {
        &self.stages.outputs().captures
    }

    /// The fragment output location of each colour attachment: the pipeline's, or the state's where it is one
    /// of shader objects.
    pub fn locations<'a>(&'a self, state: &'a GraphicsState) -> &'a AttachmentLocations {
        if self.formats.is_some() { &self.locations } else { &state.attachment_locations }
    }

    /// The code for a state and attachments, compiled if it is the first time.
    ///
    /// # Errors
    /// As [`GraphicsPipeline::new`].
    pub fn programs(
        &self,
        state: &GraphicsState,
        formats: &TargetFormats,
        count_samples: bool,
    ) -> Result<Arc<Programs>> {
        self.programs_in(&cache::session(None, self.backend), state, formats, count_samples, &one_by_one)
    }

    fn programs_in(
        &self,
        session: &Session<'_>,
        state: &GraphicsState,
        formats: &TargetFormats,
        count_samples: bool,
        each: &EachPart<'_>,
    ) -> Result<Arc<Programs>> {
        let formats = match &self.formats {
            Some(own) => formats.used_by(own),
            None => formats.clone(),
        };
        let mut output = output_key(state, &formats, self.locations(state), count_samples);
        output.sample_shading =
            (output.sample_shading || self.stages.facts.sample_shading) && output.samples > 1;
        let outputs = self.stages.outputs();
        let mut from_primitive = outputs.layout.shading_rate.is_some();
        if let Some(mesh) = &outputs.mesh {
            from_primitive |= mesh.shading_rate.is_some();
            output.smooth_lines = state.line_mode == vk::LineRasterizationMode::RECTANGULAR_SMOOTH
                && (mesh.corners == 2 || mesh.corners == 3 && state.polygon_mode == vk::PolygonMode::LINE);
        }
        // Sample shading makes fragments of one pixel even where that has one sample, and so does
        // conservative rasterization (`fragmentShadingRateWithConservativeRasterization`): there is no bit
        // for full coverage of several.
        output.coarse = may_be_coarse(state, from_primitive, formats.shading_rate)
            && !state.sample_shading
            && state.conservative == vk::ConservativeRasterizationModeEXT::DISABLED
            && !self.stages.facts.sample_shading
            && !self.stages.facts.reads_tile_images
            && !self.stages.facts.sees_full_coverage;
        output.invocations_vary = output.coarse && state.shading_rate_image_enable;
        output.sample_order = output.coarse && key::has_sample_order(state);
        if let Some(kind) = self.stages.output() {
            output.smooth_lines = key::smooth_lines(state, kind);
        }
        output.full_coverage = self.stages.facts.sees_full_coverage;
        let key = ProgramKey {
            vertex_input: vertex_input_key(&state.vertex_input)?,
            output: (!state.rasterizer_discard).then_some(output),
        };
        let programs = || self.programs.lock();
        if let Some(found) = programs().get(&key) {
            return Ok(Arc::clone(found));
        }
        // Not under the lock: compiling takes long, and draws with other state, on other queues, go on
        // meanwhile. Of two threads that compile for the same state, the first one's code stays.
        let compiled = Arc::new(self.compile(session, &key, each)?);
        Ok(Arc::clone(programs().entry(key).or_insert(compiled)))
    }

    fn compile(&self, session: &Session<'_>, key: &ProgramKey, each: &EachPart<'_>) -> Result<Programs> {
        let backend = session.backend();
        let (compiled, layout) = (OnceLock::new(), self.fragment_layout());
        let compile_before = || {
            drop(compiled.set(self.stages.compile(session, &self.layout, &key.vertex_input, backend)));
        };
        let fragment = match &key.output {
            Some(output) => {
                Some(self.compile_fragment(session, output, &layout, backend, each, Some(&compile_before))?)
            }
            None => {
                compile_before();
                None
            }
        };
        let stages = taken(compiled)?;
        let images = fragment.as_ref().map_or(&[][..], |fragment| &fragment.single_primitive.info().images);
        let specialized = Arc::new(Specialized::new(images, &self.fragment_layout()));
        let (vertex_input, output) = (key.vertex_input.clone(), key.output.clone());
        Ok(Programs { stages, fragment, vertex_input, output, specialized })
    }

    /// The fragment function made for the descriptors in these sets, if it is; it is about to run for up to
    /// so many pixels.
    pub(crate) fn specialized(
        self: &Arc<Self>,
        programs: &Arc<Programs>,
        device: &DeviceCore,
        sets: &[u64],
        pixels: u64,
        keep: &mut Vec<Record>,
    ) -> Option<FragmentProgram> {
        programs.specialized.choose(sets, &device.textures, &device.worker, pixels, keep, |made| {
            let (this, programs) = (Arc::clone(self), Arc::clone(programs));
            Box::new(move || {
                let layout = made.layout(&this.fragment_layout());
                let backend = this.backend;
                let session = cache::session(None, backend);
                let output = programs.output.as_ref()?;
                this.compile_fragment(&session, output, &layout, backend, &one_by_one, None).ok()
            })
        })
    }

    /// What the fragment shader's compiler is told of the layout.
    fn fragment_layout(&self) -> Cow<'_, pyro_abi::PipelineLayout> {
        let options = self.stages.fragment.as_ref().map(|shader| &shader.options);
        self.layout.abi(options.unwrap_or(&ShaderOptions::default()))
    }

    /// Compiles the fragment stage, and does `other` at the same time.
    fn compile_fragment(
        &self,
        session: &Session<'_>,
        output: &FragmentOutputKey,
        layout: &pyro_abi::PipelineLayout,
        backend: Backend,
        each: &EachPart<'_>,
        other: Option<&(dyn Fn() + Sync)>,
    ) -> Result<FragmentProgram> {
        let shader = self.stages.fragment.as_ref();
        let subgroup_size = shader.map_or(SubgroupSize::Default, |shader| shader.subgroup_size);
        let lanes = subgroup_size.lanes().map_err(|error| compile_error("graphics", error))?;
        let (of_several, loops) = Variant::of_several(output, lanes);
        // With functions of blocks, subgroups of quads that one primitive fills are few, and compiling takes
        // its time.
        let variants = [if loops { Variant::FullBlock } else { Variant::SinglePrimitive }, of_several];
        let compiled = [const { OnceLock::new() }; 2];
        let compile = |number: usize| {
            let variant = variants[number];
            let shader = shader.map(|shader| &shader.shader);
            let request = FragmentRequest {
                shader,
                layout,
                subgroup_size,
                key: output,
                variant,
                from: self.stages.outputs(),
            };
            let key = ("fragment", backend, &request);
            let made = session.artifact(key, || compile_fragment(&request, backend, None));
            drop(compiled[number].set(made));
        };
        each(2 + u64::from(other.is_some()), &|part| match other {
            Some(other) if part == 2 => other(),
            _ => compile(part as usize),
        });
        let [first, packed] = compiled;
        let (first, packed) = (taken(first)?, taken(packed)?);
        let (uniform, block) =
            if loops { (Arc::clone(&packed.kernel), Some(first.kernel)) } else { (first.kernel, None) };
        Ok(FragmentProgram {
            single_primitive: uniform,
            multi_primitive: packed.kernel,
            takes_lists: loops,
            takes_groups: of_several == Variant::GroupedQuads,
            full_block: block,
            setup: Arc::new(packed.setup),
            per_sample: output.sample_shading,
            counts_samples: output.count_samples,
            sees_full_coverage: output.full_coverage,
        })
    }
}

/// Does the part of a number.
type Part<'a> = dyn Fn(u64) + Sync + 'a;

/// Does so many parts, on any threads.
type EachPart<'a> = dyn Fn(u64, &Part<'_>) + 'a;

fn one_by_one(count: u64, run: &Part<'_>) {
    (0..count).for_each(run);
}

/// What a part has made.
fn taken<T>(made: OnceLock<std::result::Result<T, CompileError>>) -> Result<T> {
    let made = made.into_inner().unwrap_or_else(|| Err(CompileError::Internal("it was not compiled".into())));
    made.map_err(|error| compile_error("graphics", error))
}
