//! `VK_ARM_shader_instrumentation`: objects that shaders count in (specification, "Shader Instrumentation").
//!
//! What is counted, and how, is the compiler's (`pyro_lower`, module `instrument`): a shader counts how often
//! its basic blocks run; here these counters are kept by result index, and multiplied out when the
//! application asks.

use crate::error::{Error, Result};
use crate::pipeline::stage::ShaderStage;
use pyro_abi::context::INSTRUMENTED_STAGES;
use pyro_compile::ExecutionModel as Model;
pub use pyro_compile::METRICS;
use pyro_compile::{BlockCost, instrumented_blocks};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vulkanalia_sys as vk;

/// A shader that counts.
pub struct InstrumentedShader {
    stage: vk::ShaderStageFlags,
    blocks: Vec<BlockCost>,
}

impl InstrumentedShader {
    /// What the shaders among `stages` count that do.
    ///
    /// # Errors
    /// When a module has no such entry point.
    pub(crate) fn of(stages: &[ShaderStage]) -> Result<Vec<Arc<InstrumentedShader>>> {
        let counting = stages.iter().filter(|stage| stage.options.instrumented);
        let shaders = counting.filter_map(|stage| {
            let blocks =
                instrumented_blocks(stage.module.for_compiler(), &stage.entry_point, models(stage.stage)?);
            Some(match blocks {
                Ok(blocks) => Ok(Arc::new(InstrumentedShader { stage: stage.stage, blocks })),
                Err(error) => Err(Error::new(vk::Result::ERROR_INVALID_SHADER_NV, error.to_string())),
            })
        });
        shaders.collect()
    }

    /// The stage's place in tables of counters.
    fn place(&self) -> usize {
        self.stage.bits().trailing_zeros() as usize
    }
}

/// The execution models of a stage whose shaders can count; none of others.
fn models(stage: vk::ShaderStageFlags) -> Option<&'static [Model]> {
    Some(match stage {
        vk::ShaderStageFlags::VERTEX => &[Model::Vertex],
        vk::ShaderStageFlags::TESSELLATION_CONTROL => &[Model::TessellationControl],
        vk::ShaderStageFlags::TESSELLATION_EVALUATION => &[Model::TessellationEvaluation],
        vk::ShaderStageFlags::GEOMETRY => &[Model::Geometry],
        vk::ShaderStageFlags::FRAGMENT => &[Model::Fragment],
        vk::ShaderStageFlags::COMPUTE => &[Model::GLCompute],
        vk::ShaderStageFlags::TASK_EXT => &[Model::TaskEXT, Model::TaskNV],
        vk::ShaderStageFlags::MESH_EXT => &[Model::MeshEXT, Model::MeshNV],
        _ => return None,
    })
}

/// A `VkShaderInstrumentationARM`.
#[derive(Default)]
pub struct ShaderInstrumentation {
    /// The index of the next command that is recorded.
    next: AtomicU32,
    /// What was counted, by result index: mostly the shaders of one pipeline.
    results: Mutex<BTreeMap<u32, Vec<Counted>>>,
}

/// What the shaders of a pipeline count.
struct Counted {
    /// With a counter for each block.
    shaders: Vec<(Arc<InstrumentedShader>, Box<[AtomicU64]>)>,
    /// The addresses of these, by the bits of `VkShaderStageFlagBits`.
    table: Box<[u64; INSTRUMENTED_STAGES]>,
}

impl Counted {
    fn new(shaders: &[Arc<InstrumentedShader>]) -> Counted {
        let mut table = Box::new([0; INSTRUMENTED_STAGES]);
        let counters = |shader: &Arc<InstrumentedShader>| {
            let counters: Box<[AtomicU64]> = shader.blocks.iter().map(|_| AtomicU64::new(0)).collect();
            if let Some(place) = table.get_mut(shader.place()) {
                *place = counters.as_ptr().expose_provenance() as u64;
            }
            (Arc::clone(shader), counters)
        };
        let shaders = shaders.iter().map(counters).collect();
        Counted { shaders, table }
    }

    fn is_of(&self, shaders: &[Arc<InstrumentedShader>]) -> bool {
        self.shaders.iter().map(|(shader, _)| Arc::as_ptr(shader)).eq(shaders.iter().map(Arc::as_ptr))
    }
}

/// `VkShaderInstrumentationMetricDataHeaderARM` and the values behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MetricBlock {
    /// `resultIndex`: the command, as counted when it was recorded.
    pub result_index: u32,
    /// `resultSubIndex`: always zero.
    pub result_sub_index: u32,
    /// `stages`: one.
    pub stages: u32,
    /// `basicBlockIndex`: the block, in the order of the module, among those of functions that the entry
    /// point calls.
    pub basic_block_index: u32,
    /// The values of [`METRICS`], in their order.
    pub values: [u64; METRICS.len()],
}

impl ShaderInstrumentation {
    fn results(&self) -> MutexGuard<'_, BTreeMap<u32, Vec<Counted>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result index of a command that is recorded now.
    pub(crate) fn next_result(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The address of the table where shaders find their counters for a result: zero where none counts. It is
    /// valid as long as this is.
    pub(crate) fn table(&self, result: u32, shaders: &[Arc<InstrumentedShader>]) -> u64 {
        if shaders.is_empty() {
            return 0;
        }
        let mut results = self.results();
        let counted = results.entry(result).or_default();
        let known = counted.iter().position(|counted| counted.is_of(shaders)).unwrap_or_else(|| {
            counted.push(Counted::new(shaders));
            counted.len() - 1
        });
        counted[known].table.as_ptr().expose_provenance() as u64
    }

    /// All that was counted, in the order of the specification. A block that is no part of any command that
    /// has run is not there.
    pub fn blocks(&self) -> Vec<MetricBlock> {
        let mut blocks = Vec::new();
        for (&result_index, counted) in &*self.results() {
            let first = blocks.len();
            for (shader, counters) in counted.iter().flat_map(|counted| &counted.shaders) {
                for (index, (cost, counter)) in (0..).zip(shader.blocks.iter().zip(counters)) {
                    let count = counter.load(Ordering::Relaxed);
                    blocks.push(MetricBlock {
                        result_index,
                        result_sub_index: 0,
                        stages: shader.stage.bits(),
                        basic_block_index: index,
                        values: cost.map(|cost| count.wrapping_mul(cost.into())),
                    });
                }
            }
            blocks[first..].sort_by_key(|block| (block.stages, block.basic_block_index));
        }
        blocks
    }

    /// Sets all that was counted to zero.
    pub fn clear(&self) {
        for counted in self.results().values().flatten() {
            counted.shaders.iter().flat_map(|(_, counters)| counters).for_each(|counter| {
                counter.store(0, Ordering::Relaxed);
            });
        }
    }
}
