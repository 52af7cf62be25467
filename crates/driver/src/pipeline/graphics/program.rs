//! The code of a graphics pipeline for one state: what it is made from, and its making.

use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use crate::pipeline::cache::{self, Digest, PipelineCache, WeakCache};
use crate::pipeline::deferred::{Deferred, find, keeps_lowered};
use crate::pipeline::graphics::stages::{Stages, vertex_key};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::specialize::{Made, Specialized};
use crate::pipeline::stage::compile_error;
use crate::worker::Worker;
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::cache::Session;
use pyro_compile::graphics::{
    CompiledFragment, FragmentRequest, LoweredStage, VertexRequest, compile_fragment, lower_fragment,
    lower_vertex,
};
use pyro_compile::{Backend, CompileError, SubgroupSize, instruction_count};
use pyro_engine::graphics::{BLOCK_COST, FragmentProgram, PreRasterization, QUAD_COST};
use pyro_fixed::Variant;
use pyro_fixed::state::{FragmentOutputKey, VertexInputState};
use std::borrow::Cow;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// All that compiled code depends on beside the pipeline itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ProgramKey {
    pub(super) vertex_input: VertexInputState,
    /// None: nothing is rasterised.
    pub(super) output: Option<FragmentOutputKey>,
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

    /// The fragment function by what its descriptors are.
    pub(super) fn specialized(&self) -> &Arc<Specialized<FragmentProgram>> {
        &self.specialized
    }
}

fn graphics_error(error: CompileError) -> crate::error::Error {
    compile_error("graphics", error)
}

/// What all code of a pipeline is made from.
pub(super) struct Source {
    pub(super) stages: Stages,
    pub(super) layout: Arc<PipelineLayout>,
    pub(super) backend: Backend,
}

impl Source {
    /// What the fragment shader's compiler is told of the layout.
    fn fragment_layout(&self) -> Cow<'_, pyro_abi::PipelineLayout> {
        let options = self.stages.fragment.as_ref().map(|shader| &shader.options);
        self.layout.abi(options.unwrap_or(&ShaderOptions::default()))
    }

    fn fragment_subgroup_size(&self) -> SubgroupSize {
        self.stages.fragment.as_ref().map_or(SubgroupSize::Default, |shader| shader.subgroup_size)
    }

    fn variants(&self, output: &FragmentOutputKey) -> Result<Variants> {
        let lanes = self.fragment_subgroup_size().lanes().map_err(graphics_error)?;
        let (of_several, loops) = Variant::of_several(output, lanes);
        let overwritten = output.overwritten() & self.stages.facts.always_written;
        let covered = self.backend.covered_blocks().filter(|_| of_several == Variant::GroupedQuads);
        Ok(Variants { of_several, loops, covered, overwritten })
    }

    fn fragment_request<'a>(
        &'a self,
        output: &'a FragmentOutputKey,
        variant: Variant,
        layout: &'a pyro_abi::PipelineLayout,
    ) -> FragmentRequest<'a> {
        FragmentRequest {
            shader: self.stages.fragment.as_ref().map(|shader| &shader.shader),
            layout,
            subgroup_size: self.fragment_subgroup_size(),
            key: output,
            variant,
            from: self.stages.outputs(),
        }
    }

    /// Calls `run` with what the vertex function is made from, and its key in caches, where the vertex shader
    /// is all that runs before rasterization.
    fn with_vertex<R>(
        &self,
        input: &VertexInputState,
        run: impl FnOnce(&VertexRequest<'_>) -> R,
    ) -> Option<R> {
        let (shader, outputs) = self.stages.only_vertex()?;
        let layout = &self.layout.abi(&shader.options);
        let (shader, subgroup_size) = (&shader.shader, shader.subgroup_size);
        Some(run(&VertexRequest { shader, layout, subgroup_size, input, outputs }))
    }

    /// The stages before rasterization, as something to be made; with a worker, a vertex shader is lowered
    /// now, so that what is wrong with it is found.
    fn before(
        self: &Arc<Self>,
        input: &VertexInputState,
        cache: Option<&PipelineCache>,
        session: &Session<'_>,
        worker: Option<&Worker>,
    ) -> Result<Part<PreRasterization>> {
        let backend = self.backend;
        let found = self.with_vertex(input, |request| {
            let (key, found) = find(&vertex_key(backend, request), cache, session)?;
            let lowered = match (&found, worker) {
                (None, Some(_)) => Some(lower_vertex(request)?),
                _ => None,
            };
            Ok((key, found, lowered))
        });
        let Some(found) = found else {
            let compiled = self.stages.compile(session, &self.layout, input, backend);
            return Ok(Part { key: None, made: Deferred::ready(compiled.map_err(graphics_error)?) });
        };
        let (key, found, lowered) = found.map_err(graphics_error)?;
        if let Some(kernel) = found {
            return Ok(Part { key: None, made: Deferred::ready(self.stages.of_vertex(kernel)) });
        }
        let lowered = lowered.filter(|_| worker.is_some_and(keeps_lowered));
        let (this, input, cache) = (Arc::clone(self), input.clone(), WeakCache::of(cache));
        let made = Deferred::new(move || {
            let cache = cache.get();
            let kernel = this.with_vertex(&input, |request| {
                let session = cache::session(cache.as_ref(), backend);
                let lowered = lowered.map_or_else(|| lower_vertex(request), Ok);
                session.artifact(vertex_key(backend, request), || lowered?.compile(backend))
            });
            let missing = || Err(CompileError::Internal("the vertex shader is gone".to_owned()));
            let kernel = kernel.unwrap_or_else(missing).map_err(graphics_error)?;
            Ok(this.stages.of_vertex(kernel))
        });
        Ok(Part { key: Some(key), made })
    }

    /// A variant of the fragment function, as something to be made; with a worker, it is lowered now.
    fn fragment(
        self: &Arc<Self>,
        (output, variant): (&FragmentOutputKey, Variant),
        cache: Option<&PipelineCache>,
        session: &Session<'_>,
        worker: Option<&Worker>,
    ) -> Result<Part<CompiledFragment>> {
        let backend = self.backend;
        let layout = self.fragment_layout();
        let request = self.fragment_request(output, variant, &layout);
        let (key, found) = find(&fragment_key(backend, &request), cache, session).map_err(graphics_error)?;
        if let Some(found) = found {
            return Ok(Part { key: None, made: Deferred::ready(found) });
        }
        let mut lowered: Option<LoweredStage> = None;
        if let Some(worker) = worker {
            lowered = Some(lower_fragment(&request).map_err(graphics_error)?);
            lowered = lowered.filter(|_| keeps_lowered(worker));
        }
        let (this, output, cache) = (Arc::clone(self), output.clone(), WeakCache::of(cache));
        let made = Deferred::new(move || {
            let layout = this.fragment_layout();
            let request = this.fragment_request(&output, variant, &layout);
            let cache = cache.get();
            let session = cache::session(cache.as_ref(), backend);
            let make = || lowered.map_or_else(|| lower_fragment(&request), Ok)?.compile_fragment(backend);
            session.artifact(fragment_key(backend, &request), make).map_err(graphics_error)
        });
        Ok(Part { key: Some(key), made })
    }

    /// The fragment function made for what descriptors are.
    pub(super) fn specialize(&self, programs: &Programs, made: Made) -> Option<FragmentProgram> {
        let (layout, output) = (made.layout(&self.fragment_layout()), programs.output.as_ref()?);
        let session = cache::session(None, self.backend);
        let variants = self.variants(output).ok()?;
        let compile = |variant| {
            let request = self.fragment_request(output, variant, &layout);
            let make = || compile_fragment(&request, self.backend, None);
            session.artifact(fragment_key(self.backend, &request), make).ok()
        };
        let [first, several] = variants.both();
        Some(variants.program(output, &compile(first)?, &compile(several)?))
    }
}

/// What caches know a fragment function by.
fn fragment_key(backend: Backend, request: &FragmentRequest<'_>) -> impl Hash {
    ("fragment", backend, *request)
}

/// Instructions that it takes to list a block that a primitive covers in part, and a quad, about; for each of
/// its samples.
const LISTED_BLOCK: u32 = 40;
const LISTED_QUAD: u32 = 40;

/// The variants of the fragment function that a pipeline has.
#[derive(Clone, Copy)]
struct Variants {
    of_several: Variant,
    loops: bool,
    /// The variant for blocks that primitives cover in part (`FragmentProgram::covers_blocks`), if there is
    /// one.
    covered: Option<Variant>,
    /// `FragmentProgram::overwritten`.
    overwritten: u32,
}

impl Variants {
    /// With functions of blocks, subgroups of quads that one primitive fills are few, and compiling takes its
    /// time.
    fn both(self) -> [Variant; 2] {
        let first = if self.loops { Variant::FullBlock } else { Variant::SinglePrimitive };
        [self.covered.unwrap_or(first), self.of_several]
    }

    /// `FragmentProgram::block_cost`, for the functions of blocks and of quads.
    fn block_cost(self, samples: u32, block: &dyn Kernel, quads: &dyn Kernel) -> u32 {
        if self.covered != Some(Variant::MergedBlocks) {
            return BLOCK_COST;
        }
        let [block, quads] = [block, quads].map(|kernel| instruction_count(kernel) as u32);
        if block == 0 || quads == 0 {
            return BLOCK_COST;
        }
        // A subgroup has four quads; a block that has all of them is never drawn as quads.
        let (block, quad) = (block + samples * LISTED_BLOCK, quads / 4 + samples * LISTED_QUAD);
        (QUAD_COST * block).div_ceil(quad).clamp(BLOCK_COST, 4 * QUAD_COST)
    }

    fn program(
        self,
        output: &FragmentOutputKey,
        first: &CompiledFragment,
        several: &CompiledFragment,
    ) -> FragmentProgram {
        let [first, packed] = [&first.kernel, &several.kernel].map(Arc::clone);
        let info = packed.info();
        let only_colors = !output.tests_or_writes_depth_stencil()
            && !output.count_samples
            && !info.writes_memory
            && info.sites.is_none()
            && info.map.is_none();
        let block_cost = self.block_cost(output.samples, &*first, &*packed);
        let (uniform, block) = if self.loops { (Arc::clone(&packed), Some(first)) } else { (first, None) };
        FragmentProgram {
            single_primitive: uniform,
            multi_primitive: packed,
            takes_lists: self.loops,
            takes_groups: self.of_several == Variant::GroupedQuads,
            full_block: block,
            covers_blocks: self.covered.is_some(),
            block_cost,
            setup: Arc::new(several.setup.clone()),
            per_sample: output.sample_shading,
            counts_samples: output.count_samples,
            sees_full_coverage: output.full_coverage,
            only_colors,
            overwritten: if only_colors { self.overwritten } else { 0 },
        }
    }
}

/// A function to be made, and what caches know it by where they do not have it yet.
struct Part<T> {
    key: Option<Digest>,
    made: Arc<Deferred<T>>,
}

impl<T: Send + Sync + 'static> Part<T> {
    /// Has it made in the background, if there is a worker and it is not known yet.
    fn start(&self, cache: Option<&PipelineCache>, worker: Option<&Worker>) {
        if let (Some(key), Some(worker)) = (self.key, worker) {
            self.made.start_for(cache, key, worker);
        }
    }
}

/// The code of a pipeline for one state, checked and in the making.
pub(super) struct First {
    key: ProgramKey,
    before: Part<PreRasterization>,
    /// Those of [`Variants::both`].
    fragment: Option<(Variants, [Part<CompiledFragment>; 2])>,
    programs: OnceLock<Result<Arc<Programs>>>,
}

impl First {
    /// The code for a state. With a worker all stages are lowered now, which finds what is wrong with them,
    /// and the rest is made in the background as soon as it can be, for the application's cache too. Without,
    /// [`First::get`] does it, on all threads.
    ///
    /// # Errors
    /// As of [`GraphicsPipeline::new`](super::GraphicsPipeline::new).
    pub(super) fn new(
        source: &Arc<Source>,
        key: ProgramKey,
        cache: Option<&PipelineCache>,
        session: &Session<'_>,
        worker: Option<&Worker>,
    ) -> Result<First> {
        // Both variants of the fragment function are of one shader: what is wrong in one is so in the other.
        // So one is lowered and made in the background from the start.
        let fragment = match &key.output {
            Some(output) => {
                let variants = source.variants(output)?;
                let several = source.fragment((output, variants.both()[1]), cache, session, None)?;
                several.start(cache, worker);
                Some((output, variants, several))
            }
            None => None,
        };
        let before = source.before(&key.vertex_input, cache, session, worker)?;
        before.start(cache, worker);
        let fragment = match fragment {
            Some((output, variants, several)) => {
                let first = source.fragment((output, variants.both()[0]), cache, session, worker)?;
                first.start(cache, worker);
                Some((variants, [first, several]))
            }
            None => None,
        };
        Ok(First { key, before, fragment, programs: OnceLock::new() })
    }

    /// What it is for.
    pub(super) fn key(&self) -> &ProgramKey {
        &self.key
    }

    /// It, made now by all threads as far as it is not made yet.
    ///
    /// # Errors
    /// Those of the compiler that are no fault of a shader's.
    pub(super) fn get(&self, source: &Source, device: &DeviceCore) -> Result<Arc<Programs>> {
        if self.programs.get().is_none() {
            let [first, several] = [0, 1].map(|at| self.fragment.as_ref().map(|(_, parts)| &parts[at]));
            let count = if self.fragment.is_some() { 3 } else { 1 };
            // What fails says so below.
            device.for_each_part(count, &|part| match part {
                0 => first.map_or_else(|| drop(self.before.made.get()), |first| drop(first.made.get())),
                1 => drop(several.map(|several| several.made.get())),
                _ => drop(self.before.made.get()),
            });
        }
        self.get_one_by_one(source)
    }

    /// The same by the calling thread.
    ///
    /// # Errors
    /// As of [`First::get`].
    pub(super) fn get_one_by_one(&self, source: &Source) -> Result<Arc<Programs>> {
        let assemble = || {
            let fragment = match (&self.fragment, &self.key.output) {
                (Some((variants, [first, several])), Some(output)) => {
                    Some(variants.program(output, first.made.get()?, several.made.get()?))
                }
                _ => None,
            };
            let images =
                fragment.as_ref().map_or(&[][..], |fragment| &fragment.single_primitive.info().images);
            Ok(Arc::new(Programs {
                stages: self.before.made.get()?.clone(),
                specialized: Arc::new(Specialized::new(images, &source.fragment_layout())),
                fragment,
                vertex_input: self.key.vertex_input.clone(),
                output: self.key.output.clone(),
            }))
        };
        self.programs.get_or_init(assemble).clone()
    }
}
