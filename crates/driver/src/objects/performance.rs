//! Counters of performance queries (`VK_KHR_performance_query`): what each says, and where its value is.

use crate::objects::query::Counters;
use vulkanalia_sys as vk;
use vulkanalia_sys::QueryPipelineStatisticFlags as Statistic;

/// Where a counter's value is in what a query has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Nanoseconds of the monotonic clock.
    ElapsedTime,
    /// Nanoseconds of processor time of all threads of the process.
    ProcessorTime,
    /// A statistic of pipelines.
    Statistic(Statistic),
    /// Samples that passed all tests.
    SamplesPassed,
    /// Primitives of vertex stream 0 that came to rasterization or transform feedback.
    PrimitivesGenerated,
}

/// A counter that performance queries have. Its values are 64-bit unsigned integers, and it counts what the
/// commands between begin and end do.
#[derive(Debug, PartialEq, Eq)]
pub struct PerformanceCounter {
    /// Its name, shown to users.
    pub name: &'static str,
    /// What it belongs to.
    pub category: &'static str,
    /// What it counts.
    pub description: &'static str,
    /// Number in its UUID, never given to another counter.
    number: u8,
    source: Source,
}

impl PerformanceCounter {
    /// The same in all versions of the driver.
    pub fn uuid(&self) -> [u8; vk::UUID_SIZE] {
        let mut uuid = *b"pyroclast count\0";
        uuid[vk::UUID_SIZE - 1] = self.number;
        uuid
    }

    /// What its values measure.
    pub fn unit(&self) -> vk::PerformanceCounterUnitKHR {
        if self.is_time() {
            vk::PerformanceCounterUnitKHR::NANOSECONDS
        } else {
            vk::PerformanceCounterUnitKHR::GENERIC
        }
    }

    /// Whether work of other queues, or of the program, changes it, too.
    pub fn is_time(&self) -> bool {
        matches!(self.source, Source::ElapsedTime | Source::ProcessorTime)
    }

    /// Whether draws have to count samples for it.
    pub fn counts_samples(&self) -> bool {
        self.source == Source::SamplesPassed
    }

    /// Its value.
    pub(crate) fn value(&self, counters: &Counters) -> u64 {
        match self.source {
            Source::ElapsedTime => counters.elapsed_ns,
            Source::ProcessorTime => counters.processor_ns,
            Source::Statistic(which) => counters.statistic(which),
            Source::SamplesPassed => counters.graphics.samples_passed,
            Source::PrimitivesGenerated => counters.graphics.generated[0],
        }
    }
}

/// A counter of the shader stages or of fixed functions.
const fn counter(
    number: u8,
    category: &'static str,
    name: &'static str,
    description: &'static str,
    source: Source,
) -> PerformanceCounter {
    PerformanceCounter { name, category, description, number, source }
}

/// All counters, of every queue family. A query has any number of them in one pass.
#[rustfmt::skip] // a row for each
pub static PERFORMANCE_COUNTERS: &[PerformanceCounter] = &[
    counter(0, "Time", "Elapsed time", "Time from the first command to the end of the last", Source::ElapsedTime),
    counter(1, "Time", "Processor time", "Time that all threads of the process have run meanwhile",
        Source::ProcessorTime),
    counter(2, "Vertex input", "Vertices", "Vertices of draws", Source::Statistic(Statistic::INPUT_ASSEMBLY_VERTICES)),
    counter(3, "Vertex input", "Primitives", "Primitives of draws",
        Source::Statistic(Statistic::INPUT_ASSEMBLY_PRIMITIVES)),
    counter(4, "Shaders", "Vertex shader invocations", "Invocations of vertex shaders",
        Source::Statistic(Statistic::VERTEX_SHADER_INVOCATIONS)),
    counter(5, "Shaders", "Tessellation control patches", "Patches that tessellation control shaders processed",
        Source::Statistic(Statistic::TESSELLATION_CONTROL_SHADER_PATCHES)),
    counter(6, "Shaders", "Tessellation evaluation shader invocations",
        "Invocations of tessellation evaluation shaders",
        Source::Statistic(Statistic::TESSELLATION_EVALUATION_SHADER_INVOCATIONS)),
    counter(7, "Shaders", "Geometry shader invocations", "Invocations of geometry shaders",
        Source::Statistic(Statistic::GEOMETRY_SHADER_INVOCATIONS)),
    counter(8, "Shaders", "Geometry shader primitives", "Primitives that geometry shaders emitted",
        Source::Statistic(Statistic::GEOMETRY_SHADER_PRIMITIVES)),
    counter(9, "Shaders", "Task shader invocations", "Invocations of task shaders",
        Source::Statistic(Statistic::TASK_SHADER_INVOCATIONS_EXT)),
    counter(10, "Shaders", "Mesh shader invocations", "Invocations of mesh shaders",
        Source::Statistic(Statistic::MESH_SHADER_INVOCATIONS_EXT)),
    counter(11, "Shaders", "Fragment shader invocations", "Invocations of fragment shaders",
        Source::Statistic(Statistic::FRAGMENT_SHADER_INVOCATIONS)),
    counter(12, "Shaders", "Compute shader invocations", "Invocations of compute shaders",
        Source::Statistic(Statistic::COMPUTE_SHADER_INVOCATIONS)),
    counter(13, "Rasterization", "Primitives before clipping", "Primitives that came to clipping",
        Source::Statistic(Statistic::CLIPPING_INVOCATIONS)),
    counter(14, "Rasterization", "Primitives after clipping", "Primitives that clipping gave",
        Source::Statistic(Statistic::CLIPPING_PRIMITIVES)),
    counter(15, "Rasterization", "Primitives generated",
        "Primitives of vertex stream 0 that the last stage before rasterization gave", Source::PrimitivesGenerated),
    counter(16, "Rasterization", "Samples passed", "Samples that passed all tests", Source::SamplesPassed),
];
