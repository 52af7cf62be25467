//! Graphics pipelines.

use super::key::{self, TargetFormats, may_be_coarse, output_key, vertex_input_key};
use super::program::{First, ProgramKey, Programs, Source};
use super::stages::{self, Stages};
use super::state::{AttachmentLocations, DynamicStates, GraphicsState};
use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use crate::pipeline::cache::{self, PipelineCache};
use crate::pipeline::instrumentation::InstrumentedShader;
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::profiled_name::ProfiledName;
use crate::pipeline::stage::{
    CreationFeedback, Executable, ShaderStage, backend_of, captures, find_words, keep_words, may_wait,
};
use crate::pipeline::successor::Successor;
use crate::report::ObjectName;
use pyro_abi::graphics::{Captures, ClusterInfo};
use pyro_compile::image_functions::Record;
use pyro_engine::graphics::FragmentProgram;
use pyro_util::sync::Mutex;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use vulkanalia_sys as vk;

/// What a graphics pipeline is made from.
#[derive(Clone)]
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

/// A `VkPipeline` for graphics.
pub struct GraphicsPipeline {
    state: GraphicsState,
    dynamic: DynamicStates,
    /// What it draws to; none: to all that there is.
    formats: Option<TargetFormats>,
    locations: AttachmentLocations,
    source: Arc<Source>,
    programs: Mutex<FxHashMap<ProgramKey, Arc<Programs>>>,
    /// The code for the state that it was made with; none of shader objects.
    first: Option<First>,
    /// Nothing that is dynamic decides what code is compiled.
    has_fixed_code: bool,
    /// Attachments that draws had for which that is `first`.
    usual_formats: OnceLock<TargetFormats>,
    capture: bool,
    instrumented: Vec<Arc<InstrumentedShader>>,
    name: ObjectName,
    profiled_name: ProfiledName,
    pub(in crate::pipeline) successor: Successor<GraphicsPipeline>,
}

impl GraphicsPipeline {
    /// Checks the shaders, and has them compiled for the state as far as it is fixed, in the background. What
    /// is compiled here is what draws will ask for, unless they count samples or something that shapes code
    /// is dynamic.
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
        let has_fixed_code = !dynamic.iter().any(key::decides_code);
        let mut pipeline = GraphicsPipeline {
            state,
            has_fixed_code,
            usual_formats: OnceLock::new(),
            dynamic,
            formats: Some(formats.clone()),
            locations,
            source: Arc::new(Source { stages, layout, backend: device.backend() }),
            programs: Mutex::default(),
            first: None,
            capture: captures(flags),
            instrumented,
            name: ObjectName::default(),
            profiled_name: ProfiledName::default(),
            successor: Successor::default(),
        };
        let key = pipeline.key(&pipeline.state, &formats, false)?;
        let worker = may_wait(flags, &session).then_some(&device.worker);
        let first = First::new(&pipeline.source, key, cache, &session, worker)?;
        if worker.is_none() {
            first.get(&pipeline.source, device)?;
        }
        pipeline.first = Some(first);
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
            formats: None,
            locations: AttachmentLocations::default(),
            source: Arc::new(Source { stages, layout, backend }),
            programs: Mutex::default(),
            first: None,
            has_fixed_code: false,
            usual_formats: OnceLock::new(),
            capture: false,
            instrumented,
            name: ObjectName::default(),
            profiled_name: ProfiledName::default(),
            successor: Successor::default(),
        })
    }

    /// Its name in a profile.
    pub(crate) fn profiled_name(&self) -> &ProfiledName {
        &self.profiled_name
    }

    /// Its number in a profile.
    pub(crate) fn profiled_number(&self) -> u32 {
        let executables = || self.executables().into_iter();
        self.profiled_name.number(|| executables().map(|executable| executable.kernel).collect())
    }

    /// What was made in its place, if anything was.
    pub(crate) fn newest(&self) -> Option<Arc<GraphicsPipeline>> {
        self.successor.get()
    }

    /// The handle that messages name.
    pub fn name(&self) -> &ObjectName {
        &self.name
    }

    /// What its shaders count that do.
    pub(crate) fn instrumented(&self) -> &[Arc<InstrumentedShader>] {
        &self.instrumented
    }

    /// The code for the state that it was made with; nothing when it cannot be compiled.
    pub(crate) fn executables(&self) -> Vec<Executable> {
        let programs = self.first.as_ref().and_then(|first| first.get_one_by_one(&self.source).ok());
        let Some(programs) = programs else { return Vec::new() };
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
        &self.source.layout
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
        &self.source.stages.outputs().captures
    }

    /// What clusters say, where a cluster culling shader emits them.
    pub(crate) fn cluster(&self) -> Option<ClusterInfo> {
        self.source.stages.cluster()
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
        device: &DeviceCore,
    ) -> Result<Arc<Programs>> {
        // Draws that switch between pipelines come here each time; making and hashing the key takes as long
        // as the rest of such a draw's state.
        let usual = self.first.as_ref().filter(|_| self.has_fixed_code && !count_samples);
        if let Some(first) = usual
            && self.usual_formats.get() == Some(formats)
        {
            return first.get(&self.source, device);
        }
        let key = self.key(state, formats, count_samples)?;
        if let Some(first) = usual
            && *first.key() == key
        {
            // Where other attachments have been remembered, draws with these find their code below.
            let _ = self.usual_formats.set(formats.clone());
        }
        let programs = || self.programs.lock();
        if let Some(found) = programs().get(&key) {
            return Ok(Arc::clone(found));
        }
        // Not under the lock: compiling takes long, and draws with other state, on other queues, go on
        // meanwhile. Of two threads that compile for the same state, the first one's code stays.
        let compiled = match &self.first {
            Some(first) if *first.key() == key => first.get(&self.source, device)?,
            _ => {
                let session = cache::session(None, self.source.backend);
                let now = First::new(&self.source, key.clone(), None, &session, None)?;
                now.get(&self.source, device)?
            }
        };
        Ok(Arc::clone(programs().entry(key).or_insert(compiled)))
    }

    /// What decides the code for a state and attachments.
    fn key(&self, state: &GraphicsState, formats: &TargetFormats, count_samples: bool) -> Result<ProgramKey> {
        let stages = &self.source.stages;
        let formats = match &self.formats {
            Some(own) => formats.used_by(own),
            None => formats.clone(),
        };
        let mut output = output_key(state, &formats, self.locations(state), count_samples);
        output.sample_shading = (output.sample_shading || stages.facts.sample_shading) && output.samples > 1;
        let outputs = stages.outputs();
        let of_cluster = stages.cluster().is_some_and(|cluster| cluster.has_shading_rate);
        let mut from_primitive = of_cluster || outputs.layout.shading_rate.is_some();
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
            && !stages.facts.sample_shading
            && !stages.facts.reads_tile_images
            && !stages.facts.sees_full_coverage;
        output.invocations_vary = output.coarse && state.shading_rate_image_enable;
        output.sample_order = output.coarse && key::has_sample_order(state);
        if let Some(kind) = stages.output() {
            output.smooth_lines = key::smooth_lines(state, kind);
        }
        output.full_coverage = stages.facts.sees_full_coverage;
        Ok(ProgramKey {
            vertex_input: vertex_input_key(&state.vertex_input)?,
            output: (!state.rasterizer_discard).then_some(output),
        })
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
        programs.specialized().choose(sets, &device.textures, &device.worker, pixels, keep, |made| {
            let (source, programs) = (Arc::clone(&self.source), Arc::clone(programs));
            Box::new(move || source.specialize(&programs, made))
        })
    }
}
