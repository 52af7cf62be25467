//! Ray tracing pipelines and their libraries (`VK_KHR_ray_tracing_pipeline`; specification, "Ray Tracing
//! Pipelines").
//!
//! A pipeline is a list of compiled shaders and a list of groups of them. What a library has is compiled when
//! the library is made; a pipeline that links it takes the shaders and groups over, handles included
//! (`VK_EXT_pipeline_library_group_handles`). A handle is a number that no other group of the process has, or
//! what the application says that it was before (capture and replay).

pub use crate::caps::limits::{RAY_HIT_ATTRIBUTE_BYTES_MAX, RAY_INVOCATIONS_MAX, RAY_RECURSION_DEPTH_MAX};
use crate::error::{Error, Result};
use crate::pipeline::binary;
use crate::pipeline::cache::{self, PipelineCache};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::profiled_name::ProfiledName;
use crate::pipeline::stage::{
    CreationFeedback, Executable, ShaderStage, backend_of, captures, compile_error,
};
use crate::pipeline::successor::Successor;
use pyro_abi::heap::{EmbeddedSampler, Mapping};
use pyro_abi::ray::ray_flags;
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::ExecutionModel;
use pyro_compile::cache::Session;
use pyro_compile::graphics::GraphicsShader;
use pyro_compile::ray::{RayRequest, compile_ray_cached};
use pyro_engine::raytrace::{Handle, NestingLimits, RayGroup, RayProgram, stack_bytes};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;
use vulkanalia_sys as vk;

/// The stages, by their flags, with what executables show of them.
const STAGES: [(vk::ShaderStageFlags, ExecutionModel, &str); 6] = [
    (vk::ShaderStageFlags::RAYGEN_KHR, ExecutionModel::RayGenerationKHR, "ray generation"),
    (vk::ShaderStageFlags::INTERSECTION_KHR, ExecutionModel::IntersectionKHR, "intersection"),
    (vk::ShaderStageFlags::ANY_HIT_KHR, ExecutionModel::AnyHitKHR, "any-hit"),
    (vk::ShaderStageFlags::CLOSEST_HIT_KHR, ExecutionModel::ClosestHitKHR, "closest-hit"),
    (vk::ShaderStageFlags::MISS_KHR, ExecutionModel::MissKHR, "miss"),
    (vk::ShaderStageFlags::CALLABLE_KHR, ExecutionModel::CallableKHR, "callable"),
];

/// All stages of ray tracing.
pub fn all_stages() -> vk::ShaderStageFlags {
    STAGES.iter().fold(vk::ShaderStageFlags::empty(), |all, stage| all | stage.0)
}

/// The shaders of a group, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupShaders {
    /// A ray generation, miss or callable shader.
    pub general: Option<u32>,
    /// The closest-hit shader.
    pub closest_hit: Option<u32>,
    /// The any-hit shader.
    pub any_hit: Option<u32>,
    /// The intersection shader.
    pub intersection: Option<u32>,
}

/// A group to be made: its shaders' numbers among the pipeline's own stages first, then those of its
/// libraries.
#[derive(Clone, Copy, Debug)]
pub struct GroupInfo {
    /// What kind of group it is.
    pub kind: vk::RayTracingShaderGroupTypeKHR,
    /// Its shaders.
    pub shaders: GroupShaders,
    /// The handle that it had before, if it is to have that again.
    pub handle: Option<Handle>,
}

/// What a pipeline, or a library, is made from.
#[derive(Clone)]
pub struct RayPipelineInfo {
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
    /// Its own shaders.
    pub stages: Vec<ShaderStage>,
    /// Its own groups.
    pub groups: Vec<GroupInfo>,
    /// What it links.
    pub libraries: Vec<Arc<RayPipeline>>,
    /// Where resources lie; none for descriptor heaps (`VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT`), where
    /// the mappings of each stage say it.
    pub layout: Option<Arc<PipelineLayout>>,
    /// `maxPipelineRayRecursionDepth`
    pub recursion_depth: u32,
    /// What decides how large the stack is.
    pub stack: Stack,
}

/// What decides how large the stack of a pipeline is. Here it is as large as it has to be: only the sanitizer
/// asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// The specification's formula.
    Default,
    /// `vkCmdSetRayTracingPipelineStackSizeKHR`
    Dynamic,
    /// Nothing (`VK_NV_ray_tracing`).
    Unlimited,
}

/// A compiled shader.
#[derive(Clone)]
struct Shader {
    stage: vk::ShaderStageFlags,
    name: &'static str,
    kernel: Arc<dyn Kernel>,
    /// Of a shader for descriptor heaps that embeds samplers, what it is compiled from: its code holds the
    /// places of its samplers in the table of its stage, which differ in a pipeline that links it.
    embedding: Option<Arc<Embedding>>,
}

/// A shader that embeds samplers.
struct Embedding {
    /// The shader, with its samplers numbered from zero.
    stage: ShaderStage,
    /// The place of its first sampler in the table of its stage, as compiled.
    first: u32,
}

impl Embedding {
    /// The options of the shader with its first sampler at place `first`.
    fn options_at(&self, first: u32) -> ShaderOptions {
        embedded_at(&self.stage.options, first)
    }
}

/// A shader's options, with its first embedded sampler at place `first` of its stage's table.
fn embedded_at(options: &ShaderOptions, first: u32) -> ShaderOptions {
    let moved = |mapping: &Mapping| Mapping {
        embedded_sampler: mapping
            .embedded_sampler
            .map(|one| EmbeddedSampler { index: one.index + first, ..one }),
        ..*mapping
    };
    let heap = options.heap.as_ref().map(|mappings| mappings.iter().map(moved).collect());
    ShaderOptions { heap, ..options.clone() }
}

/// A `VkPipeline` for ray tracing, or a library of one.
pub struct RayPipeline {
    program: Arc<RayProgram>,
    shaders: Vec<Shader>,
    groups: Vec<(Handle, GroupInfo)>,
    layout: Arc<PipelineLayout>,
    capture: bool,
    is_library: bool,
    /// The key of its create info, of a library: part of the keys of the pipelines that link it.
    key: Option<[u8; 16]>,
    recursion_depth: u32,
    stack: Stack,
    profiled_name: ProfiledName,
    pub(super) successor: Successor<RayPipeline>,
}

/// A handle that no group has had.
fn new_handle() -> Handle {
    // Handles that were captured in another process are of other numbers.
    static FIRST: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("shader group"));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut handle = Handle::default();
    handle[..8].copy_from_slice(&FIRST.to_le_bytes());
    handle[8..16].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    handle
}

/// How many places of each stage's table of embedded samplers are taken.
#[derive(Default)]
struct SamplerPlaces(BTreeMap<u32, u32>);

impl SamplerPlaces {
    /// Takes places for a shader's samplers; gives the first.
    fn take(&mut self, stage: &ShaderStage) -> u32 {
        let next = self.0.entry(stage.stage.bits()).or_default();
        let first = *next;
        *next += stage.samplers.len() as u32;
        first
    }
}

fn compile(
    stage: &ShaderStage,
    model: ExecutionModel,
    options: &ShaderOptions,
    layout: &PipelineLayout,
    session: &Session<'_>,
) -> Result<Arc<dyn Kernel>> {
    let module = Arc::clone(stage.module.for_compiler());
    let shader = GraphicsShader::unchecked(module, &stage.entry_point, &stage.specialization);
    let request = RayRequest { shader: &shader, model, layout: &layout.abi(options) };
    compile_ray_cached(&request, session).map_err(|error| compile_error("ray tracing", error))
}

impl Shader {
    /// The shader of a library in a pipeline that links it: compiled again where its samplers have other
    /// places there.
    fn linked(
        &self,
        places: &mut SamplerPlaces,
        layout: &PipelineLayout,
        session: &Session<'_>,
    ) -> Result<Shader> {
        let Some(embedding) = &self.embedding else { return Ok(self.clone()) };
        let first = places.take(&embedding.stage);
        if first == embedding.first {
            return Ok(self.clone());
        }
        let Some(&(.., model, _)) = STAGES.iter().find(|known| known.0 == self.stage) else {
            return Ok(self.clone());
        };
        let kernel = compile(&embedding.stage, model, &embedding.options_at(first), layout, session)?;
        let embedding = Embedding { stage: embedding.stage.clone(), first };
        Ok(Shader { kernel, embedding: Some(Arc::new(embedding)), ..self.clone() })
    }
}

impl RayPipelineInfo {
    /// The key of pipelines made from this (`vkGetPipelineKeyKHR`).
    pub fn key(&self) -> [u8; 16] {
        let layout = self.layout.as_ref().map(|layout| layout.abi(&ShaderOptions::default()));
        let libraries: Vec<_> = self.libraries.iter().map(|library| library.key).collect();
        let skips = self.flags
            & (vk::PipelineCreateFlags::RAY_TRACING_SKIP_TRIANGLES_KHR
                | vk::PipelineCreateFlags::RAY_TRACING_SKIP_AABBS_KHR
                | vk::PipelineCreateFlags::RAY_TRACING_ALLOW_MOTION_NV
                | vk::PipelineCreateFlags::LIBRARY_KHR);
        binary::pipeline_key(&self.stages, (layout, &self.groups, libraries, skips, self.recursion_depth))
    }

    /// The layout; for descriptor heaps what stands for it, with the samplers of its own stages and of its
    /// libraries' in their order.
    fn whole_layout(&self) -> Arc<PipelineLayout> {
        if let Some(layout) = &self.layout {
            return Arc::clone(layout);
        }
        let linked = self.libraries.iter().flat_map(|library| &library.shaders);
        let linked = linked.filter_map(|shader| shader.embedding.as_ref()).map(|one| &one.stage);
        Arc::new(PipelineLayout::for_heaps(self.stages.iter().chain(linked)))
    }
}

impl RayPipeline {
    /// Takes the shaders from the cache or compiles them.
    ///
    /// # Errors
    /// `VK_PIPELINE_COMPILE_REQUIRED` when something would have to be compiled and must not be;
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what
    /// the compiler lacks; the message is the compiler's.
    pub fn new(
        mut info: RayPipelineInfo,
        cache: Option<&PipelineCache>,
    ) -> Result<(RayPipeline, CreationFeedback)> {
        let start = Instant::now();
        for library in &mut info.libraries {
            if let Some(newest) = library.newest() {
                *library = newest;
            }
        }
        if info.recursion_depth > RAY_RECURSION_DEPTH_MAX {
            return Err(Error::misuse(
                "more than maxRayRecursionDepth \
                 (VUID-VkRayTracingPipelineCreateInfoKHR-maxPipelineRayRecursionDepth-03589)",
            ));
        }
        let has = |flag| info.flags.contains(flag);
        let is_library = has(vk::PipelineCreateFlags::LIBRARY_KHR);
        let key = is_library.then(|| info.key());
        let fail = has(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        let session = cache::session(cache, backend_of(&info.stages)).must_not_compile(fail);
        let layout = info.whole_layout();
        let mut places = SamplerPlaces::default();
        let mut shaders = Vec::new();
        for stage in &info.stages {
            let Some(&(flag, model, name)) = STAGES.iter().find(|known| known.0 == stage.stage) else {
                return Err(Error::misuse(
                    "a stage that is none of ray tracing (VUID-VkRayTracingPipelineCreateInfoKHR-stage-06899)",
                ));
            };
            let first = places.take(stage);
            let embedding =
                (!stage.samplers.is_empty()).then(|| Arc::new(Embedding { stage: stage.clone(), first }));
            let kernel = compile(stage, model, &embedded_at(&stage.options, first), &layout, &session)?;
            shaders.push(Shader { stage: flag, name, kernel, embedding });
        }
        let mut groups: Vec<(Handle, GroupInfo)> = Vec::new();
        for group in info.groups {
            groups.push((group.handle.unwrap_or_else(new_handle), group));
        }
        for library in &info.libraries {
            let first = shaders.len() as u32;
            for shader in &library.shaders {
                shaders.push(shader.linked(&mut places, &layout, &session)?);
            }
            let moved = |shader: Option<u32>| shader.and_then(|shader| shader.checked_add(first));
            groups.extend(library.groups.iter().map(|&(handle, group)| {
                let GroupShaders { general, closest_hit, any_hit, intersection } = group.shaders;
                let shaders = GroupShaders {
                    general: moved(general),
                    closest_hit: moved(closest_hit),
                    any_hit: moved(any_hit),
                    intersection: moved(intersection),
                };
                (handle, GroupInfo { shaders, ..group })
            }));
        }
        let mut flags = 0;
        if has(vk::PipelineCreateFlags::RAY_TRACING_SKIP_TRIANGLES_KHR) {
            flags |= ray_flags::SKIP_TRIANGLES;
        }
        if has(vk::PipelineCreateFlags::RAY_TRACING_SKIP_AABBS_KHR) {
            flags |= ray_flags::SKIP_AABBS;
        }
        let kernels = shaders.iter().map(|shader| Arc::clone(&shader.kernel)).collect();
        let by_handle = groups.iter().map(|&(handle, group)| (handle, usable(&shaders, group.shaders)));
        let may_move = has(vk::PipelineCreateFlags::RAY_TRACING_ALLOW_MOTION_NV);
        let program = Arc::new(RayProgram::new(kernels, by_handle, flags).with_motion(may_move));
        let feedback = CreationFeedback { cache_hit: session.hit(), duration: start.elapsed() };
        let pipeline = RayPipeline {
            program,
            shaders,
            groups,
            layout,
            capture: captures(info.flags),
            is_library,
            key,
            recursion_depth: info.recursion_depth,
            stack: info.stack,
            profiled_name: ProfiledName::default(),
            successor: Successor::default(),
        };
        Ok((pipeline, feedback))
    }

    /// Its name in a profile.
    pub(crate) fn profiled_name(&self) -> &ProfiledName {
        &self.profiled_name
    }

    /// Its number in a profile.
    pub(crate) fn profiled_number(&self) -> u32 {
        self.profiled_name.number(|| self.shaders.iter().map(|shader| Arc::clone(&shader.kernel)).collect())
    }

    /// What was made in its place, if anything was.
    pub(crate) fn newest(&self) -> Option<Arc<RayPipeline>> {
        self.successor.get()
    }

    /// What launches run.
    pub fn program(&self) -> &Arc<RayProgram> {
        &self.program
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// Whether it can only be linked.
    pub fn is_library(&self) -> bool {
        self.is_library
    }

    /// Whether the application wants to see what it was compiled to.
    pub fn captures(&self) -> bool {
        self.capture
    }

    /// The handles of groups, from `first` on.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn handles(&self, first: u32, count: u32) -> Result<impl Iterator<Item = Handle>> {
        let (first, count) = (first as usize, count as usize);
        let groups = self.groups.get(first..).and_then(|groups| groups.get(..count)).ok_or_else(|| {
            Error::misuse(
                "there are fewer groups (VUID-vkGetRayTracingShaderGroupHandlesKHR-firstGroup-02419)",
            )
        })?;
        Ok(groups.iter().map(|(handle, _)| *handle))
    }

    /// Bytes that an invocation of a group's shader keeps while it waits for what it traces or calls.
    ///
    /// # Errors
    /// When there is no such group or shader.
    pub fn stack_size(&self, group: u32, shader: vk::ShaderGroupShaderKHR) -> Result<u64> {
        let found = self.groups.get(group as usize).and_then(|(_, group)| match shader {
            vk::ShaderGroupShaderKHR::GENERAL => group.shaders.general,
            vk::ShaderGroupShaderKHR::CLOSEST_HIT => group.shaders.closest_hit,
            vk::ShaderGroupShaderKHR::ANY_HIT => group.shaders.any_hit,
            vk::ShaderGroupShaderKHR::INTERSECTION => group.shaders.intersection,
            _ => None,
        });
        let shader = found.and_then(|shader| self.shaders.get(shader as usize)).ok_or_else(|| {
            Error::misuse(
                "no such shader (VUID-vkGetRayTracingShaderGroupStackSizeKHR-group-03608, \
                 VUID-vkGetRayTracingShaderGroupStackSizeKHR-groupShader-03609)",
            )
        })?;
        Ok(stack_bytes(shader.kernel.info()).into())
    }

    /// How deep traces and calls may be nested in launches; `stack_bytes`: what
    /// `vkCmdSetRayTracingPipelineStackSizeKHR` says.
    pub(crate) fn limits(&self, stack_bytes: Option<u32>) -> NestingLimits {
        let stack_bytes = match (self.stack, stack_bytes) {
            (Stack::Unlimited, _) => u32::MAX,
            (Stack::Dynamic, said) => said.unwrap_or(u32::MAX),
            (Stack::Default, _) => self.default_stack_bytes(),
        };
        NestingLimits { traces: self.recursion_depth, stack_bytes }
    }

    /// The default size of the stack ("Ray Tracing Pipeline Stack" of the specification).
    fn default_stack_bytes(&self) -> u32 {
        use vk::ShaderStageFlags as Stages;
        let most = |stage| {
            let of_stage = self.shaders.iter().filter(|shader| shader.stage == stage);
            of_stage.map(|shader| u64::from(stack_bytes(shader.kernel.info()))).max().unwrap_or(0)
        };
        let hit = most(Stages::CLOSEST_HIT_KHR).max(most(Stages::MISS_KHR));
        let decides = most(Stages::INTERSECTION_KHR) + most(Stages::ANY_HIT_KHR);
        let depth = u64::from(self.recursion_depth);
        let all = most(Stages::RAYGEN_KHR)
            + depth.min(1) * hit.max(decides)
            + depth.saturating_sub(1) * hit
            + 2 * most(Stages::CALLABLE_KHR);
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// What it was compiled to.
    pub fn executables(&self) -> Vec<Executable> {
        let show = |shader: &Shader| Executable {
            stages: shader.stage,
            name: shader.name,
            description: "A ray tracing shader, for one subgroup at a time",
            kernel: Arc::clone(&shader.kernel),
        };
        self.shaders.iter().map(show).collect()
    }
}

/// The shaders of a group that are of the stages that they are named for.
fn usable(shaders: &[Shader], group: GroupShaders) -> RayGroup {
    use vk::ShaderStageFlags as Stages;
    let of = |shader: Option<u32>, stage: Stages| {
        shader.filter(|&shader| shaders.get(shader as usize).is_some_and(|shader| shader.stage == stage))
    };
    RayGroup {
        ray_generation: of(group.general, Stages::RAYGEN_KHR),
        miss: of(group.general, Stages::MISS_KHR),
        callable: of(group.general, Stages::CALLABLE_KHR),
        closest_hit: of(group.closest_hit, Stages::CLOSEST_HIT_KHR),
        any_hit: of(group.any_hit, Stages::ANY_HIT_KHR),
        intersection: of(group.intersection, Stages::INTERSECTION_KHR),
    }
}
