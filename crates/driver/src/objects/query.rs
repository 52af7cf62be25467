//! Query pools.

use crate::error::{Error, Result};
use crate::objects::acceleration_structure::Property;
use crate::objects::performance::PerformanceCounter;
use crate::objects::sync::wait::Waiters;
use crate::system;
use pyro_abi::graphics::VERTEX_STREAM_COUNT;
use pyro_engine::graphics::{CaptureCounts, Statistics};
use pyro_util::sync::{Mutex, MutexGuard};
use vulkanalia_sys as vk;

/// A query's results, if it has ended since its reset.
#[derive(Clone, Default)]
struct Query {
    available: bool,
    /// The counters, in the order of the statistics' bits.
    values: Vec<u64>,
}

/// What one query of a pool counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// The clock.
    Timestamp,
    /// Samples that passed.
    Occlusion,
    /// Counters.
    Statistics(vk::QueryPipelineStatisticFlags),
    /// Primitives that transform feedback wrote, and those that came to it.
    Captured,
    /// Primitives that the last stage before rasterization made.
    Generated,
    /// Primitives that mesh shaders made.
    MeshGenerated,
    /// What commands write that ask about acceleration structures.
    Structure(Property),
    /// The performance counters of the pool.
    Performance,
}

/// What queries count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Invocations of compute shaders.
    pub compute_invocations: u64,
    /// What draws did.
    pub graphics: Statistics,
    /// What transform feedback did.
    pub captured: [CaptureCounts; VERTEX_STREAM_COUNT],
    /// The monotonic clock, where a query wants it.
    pub elapsed_ns: u64,
    /// The clock of the process's processor time, where a query wants it.
    pub processor_ns: u64,
}

impl Counters {
    /// What was counted since.
    pub(crate) fn since(&self, before: &Counters) -> Counters {
        Counters {
            compute_invocations: self.compute_invocations - before.compute_invocations,
            captured: std::array::from_fn(|stream| CaptureCounts {
                needed: self.captured[stream].needed - before.captured[stream].needed,
                written: self.captured[stream].written - before.captured[stream].written,
            }),
            graphics: self.graphics.since(before.graphics),
            elapsed_ns: self.elapsed_ns.saturating_sub(before.elapsed_ns),
            processor_ns: self.processor_ns.saturating_sub(before.processor_ns),
        }
    }

    /// Reads the clocks.
    fn read_clocks(&mut self) {
        self.elapsed_ns = system::monotonic_ns();
        self.processor_ns = system::process_ns();
    }

    /// Adds what another counted.
    pub(crate) fn add(&mut self, other: &Counters) {
        self.compute_invocations = self.compute_invocations.saturating_add(other.compute_invocations);
        self.graphics += other.graphics;
        self.add_captured(&other.captured);
    }

    /// Adds what was captured, stream by stream.
    pub(crate) fn add_captured(&mut self, other: &[CaptureCounts; VERTEX_STREAM_COUNT]) {
        self.captured.iter_mut().zip(other).for_each(|(counts, other)| counts.add(*other));
    }

    /// The value of a statistic of pipelines.
    pub(crate) fn statistic(&self, flag: vk::QueryPipelineStatisticFlags) -> u64 {
        use vk::QueryPipelineStatisticFlags as F;
        let graphics = &self.graphics;
        match flag {
            F::INPUT_ASSEMBLY_VERTICES => graphics.input_assembly_vertices,
            F::INPUT_ASSEMBLY_PRIMITIVES => graphics.input_assembly_primitives,
            F::VERTEX_SHADER_INVOCATIONS => graphics.vertex_shader_invocations,
            F::GEOMETRY_SHADER_INVOCATIONS => graphics.geometry_shader_invocations,
            F::GEOMETRY_SHADER_PRIMITIVES => graphics.geometry_shader_primitives,
            F::CLIPPING_INVOCATIONS => graphics.clipping_invocations,
            F::CLIPPING_PRIMITIVES => graphics.clipping_primitives,
            F::TESSELLATION_CONTROL_SHADER_PATCHES => graphics.tessellation_control_shader_patches,
            F::TESSELLATION_EVALUATION_SHADER_INVOCATIONS => {
                graphics.tessellation_evaluation_shader_invocations
            }
            F::FRAGMENT_SHADER_INVOCATIONS => graphics.fragment_shader_invocations,
            F::CLUSTER_CULLING_SHADER_INVOCATIONS_HUAWEI => graphics.cluster_culling_shader_invocations,
            F::TASK_SHADER_INVOCATIONS_EXT => graphics.task_shader_invocations,
            F::MESH_SHADER_INVOCATIONS_EXT => graphics.mesh_shader_invocations,
            F::COMPUTE_SHADER_INVOCATIONS => self.compute_invocations,
            _ => 0,
        }
    }
}

/// A `VkQueryPool`.
pub struct QueryPool {
    kind: QueryKind,
    /// What performance queries count, in the order of their results.
    performance: Box<[&'static PerformanceCounter]>,
    queries: Mutex<Vec<Query>>,
    /// Threads that wait for results.
    waiters: Waiters,
}

/// How results are written.
#[derive(Clone, Copy, Debug)]
pub struct ResultLayout {
    /// Bytes from one query's results to the next's.
    pub stride: u64,
    /// 64 bits, wait, availability, partial.
    pub flags: vk::QueryResultFlags,
}

impl ResultLayout {
    /// Bytes of the results of `count` queries of a pool.
    pub fn size(&self, pool: &QueryPool, count: u32) -> u64 {
        let availability = u64::from(self.flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY));
        let one = (pool.value_count() as u64 + availability) * pool.value_bytes(self.flags) as u64;
        self.stride.saturating_mul(u64::from(count.saturating_sub(1))).saturating_add(one)
    }
}

impl QueryPool {
    /// A pool of `count` queries.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_HOST_MEMORY`.
    pub fn new(kind: QueryKind, count: u32) -> Result<QueryPool> {
        QueryPool::with(kind, Box::default(), count)
    }

    /// A pool of `count` queries of these performance counters.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_HOST_MEMORY`.
    pub fn of_performance(counters: Box<[&'static PerformanceCounter]>, count: u32) -> Result<QueryPool> {
        QueryPool::with(QueryKind::Performance, counters, count)
    }

    fn with(
        kind: QueryKind,
        performance: Box<[&'static PerformanceCounter]>,
        count: u32,
    ) -> Result<QueryPool> {
        let count = count as usize;
        let mut queries = Vec::new();
        queries.try_reserve_exact(count).map_err(|_| Error::out_of_host_memory())?;
        queries.resize(count, Query::default());
        Ok(QueryPool { kind, performance, queries: Mutex::new(queries), waiters: Waiters::default() })
    }

    /// What its queries count.
    pub fn kind(&self) -> QueryKind {
        self.kind
    }

    /// Queries in it.
    pub fn count(&self) -> u32 {
        self.lock().len() as u32
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Query>> {
        self.queries.lock()
    }

    /// Numbers that one query gives, availability not counted.
    pub fn value_count(&self) -> usize {
        match self.kind {
            QueryKind::Statistics(which) => which.bits().count_ones() as usize,
            QueryKind::Captured => 2,
            QueryKind::Performance => self.performance.len(),
            _ => 1,
        }
    }

    /// Bytes of one of the numbers: results of performance queries are unions of 64 bits.
    fn value_bytes(&self, flags: vk::QueryResultFlags) -> usize {
        if self.kind == QueryKind::Performance || flags.contains(vk::QueryResultFlags::_64) { 8 } else { 4 }
    }

    /// Whether draws have to count samples for it.
    pub(crate) fn counts_samples(&self) -> bool {
        self.kind == QueryKind::Occlusion || self.performance.iter().any(|counter| counter.counts_samples())
    }

    /// Whether it may tell how many fragments draws have run.
    pub(crate) fn counts_invocations(&self) -> bool {
        matches!(self.kind, QueryKind::Statistics(_) | QueryKind::Performance)
    }

    /// What has been counted so far, with the clocks where its queries want them.
    pub(crate) fn with_clocks(&self, mut counters: Counters) -> Counters {
        if self.kind == QueryKind::Performance {
            counters.read_clocks();
        }
        counters
    }

    /// Checks that queries exist.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self, first: u32, count: u32) -> Result<()> {
        let end = first.checked_add(count);
        if end.is_some_and(|end| end <= self.count()) {
            Ok(())
        } else {
            Err(Error::misuse("the query pool has fewer queries"))
        }
    }

    /// Makes queries unavailable.
    pub fn reset(&self, first: u32, count: u32) {
        for query in self.lock().iter_mut().skip(first as usize).take(count as usize) {
            *query = Query::default();
        }
    }

    /// Writes a timestamp, with multiview to `views` queries.
    pub(crate) fn write_timestamp(&self, query: u32, value_ns: u64, views: u32) {
        for query in self.lock().iter_mut().skip(query as usize).take(views as usize) {
            *query = Query { available: true, values: vec![value_ns] };
        }
        self.waiters.wake();
    }

    /// Gives a query its result.
    pub(crate) fn write(&self, query: u32, value: u64) {
        if let Some(query) = self.lock().get_mut(query as usize) {
            *query = Query { available: true, values: vec![value] };
        }
        self.waiters.wake();
    }

    /// Ends a query during which this was counted. With multiview, `views` queries from this one on end, and
    /// the first has everything. `stream`: the vertex stream whose primitives count.
    pub(crate) fn end(&self, query: u32, stream: u32, counters: &Counters, views: u32) {
        let stream = stream as usize % VERTEX_STREAM_COUNT;
        let values = match self.kind {
            QueryKind::Statistics(which) => (0..u32::BITS)
                .map(|bit| vk::QueryPipelineStatisticFlags::from_bits_truncate(1 << bit))
                .filter(|flag| !flag.is_empty() && which.contains(*flag))
                .map(|flag| counters.statistic(flag))
                .collect(),
            QueryKind::Captured => {
                vec![counters.captured[stream].written, counters.captured[stream].needed]
            }
            QueryKind::Generated => vec![counters.graphics.generated[stream]],
            QueryKind::MeshGenerated => vec![counters.graphics.mesh_primitives_generated],
            QueryKind::Performance => {
                self.performance.iter().map(|counter| counter.value(counters)).collect()
            }
            QueryKind::Occlusion | QueryKind::Timestamp | QueryKind::Structure(_) => {
                vec![counters.graphics.samples_passed]
            }
        };
        let zeros = vec![0; values.len()];
        let mut queries = self.lock();
        for (index, query) in queries.iter_mut().skip(query as usize).take(views as usize).enumerate() {
            let values = if index == 0 { values.clone() } else { zeros.clone() };
            *query = Query { available: true, values };
        }
        drop(queries);
        self.waiters.wake();
    }

    /// Those who wait for queries to end.
    pub(crate) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// Whether all of these queries have ended.
    pub fn available(&self, first: u32, count: u32) -> bool {
        self.lock().iter().skip(first as usize).take(count as usize).all(|query| query.available)
    }

    /// The results as they are written, one query after another: each piece goes to its own offset. A query
    /// that is not available gives only its availability, or zeros when partial results are asked for.
    /// The second value says whether all were available.
    pub fn results(&self, first: u32, count: u32, layout: ResultLayout) -> (Vec<(u64, Vec<u8>)>, bool) {
        let wide = self.value_bytes(layout.flags) == 8;
        let number = |value: u64, bytes: &mut Vec<u8>| {
            if wide {
                bytes.extend(value.to_ne_bytes());
            } else {
                bytes.extend((value.min(u32::MAX.into()) as u32).to_ne_bytes());
            }
        };
        let with_availability = layout.flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY);
        let value_bytes = (self.value_count() * self.value_bytes(layout.flags)) as u64;
        let mut pieces = Vec::new();
        let mut all = true;
        let queries = self.lock();
        for (index, query) in queries.iter().skip(first as usize).take(count as usize).enumerate() {
            let at = index as u64 * layout.stride;
            all &= query.available;
            let mut bytes = Vec::new();
            if query.available {
                // A timestamp of 32 bits wraps; counters saturate.
                let values = query.values.iter();
                let truncate = self.kind == QueryKind::Timestamp && !wide;
                values.for_each(|&value| {
                    number(if truncate { value & u64::from(u32::MAX) } else { value }, &mut bytes)
                });
            } else if layout.flags.contains(vk::QueryResultFlags::PARTIAL) {
                (0..self.value_count()).for_each(|_| number(0, &mut bytes));
            }
            if !bytes.is_empty() {
                pieces.push((at, bytes));
            }
            if with_availability {
                let mut bytes = Vec::new();
                number(query.available.into(), &mut bytes);
                pieces.push((at + value_bytes, bytes));
            }
        }
        (pieces, all)
    }
}
