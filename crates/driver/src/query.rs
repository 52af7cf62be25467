//! Query pools.

use crate::error::{Error, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    /// Samples that passed; none, as long as nothing is drawn.
    Occlusion,
    /// Counters.
    Statistics(vk::QueryPipelineStatisticFlags),
}

/// A `VkQueryPool`.
pub struct QueryPool {
    kind: QueryKind,
    queries: Mutex<Vec<Query>>,
}

/// How results are written.
#[derive(Clone, Copy, Debug)]
pub struct ResultLayout {
    /// Bytes from one query's results to the next's.
    pub stride: u64,
    /// 64 bits, wait, availability, partial.
    pub flags: vk::QueryResultFlags,
}

impl QueryPool {
    /// A pool of `count` queries.
    pub fn new(kind: QueryKind, count: u32) -> Result<QueryPool> {
        let count = count as usize;
        let mut queries = Vec::new();
        queries.try_reserve_exact(count).map_err(|_| Error::out_of_host_memory())?;
        queries.resize(count, Query::default());
        Ok(QueryPool { kind, queries: Mutex::new(queries) })
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
        self.queries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers that one query gives, availability not counted.
    pub fn value_count(&self) -> usize {
        match self.kind {
            QueryKind::Statistics(which) => which.bits().count_ones() as usize,
            _ => 1,
        }
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

    /// Writes a timestamp.
    pub(crate) fn write_timestamp(&self, query: u32, value_ns: u64) {
        if let Some(query) = self.lock().get_mut(query as usize) {
            *query = Query { available: true, values: vec![value_ns] };
        }
    }

    /// Ends a query during which `invocations` compute invocations ran.
    pub(crate) fn end(&self, query: u32, invocations: u64) {
        let values = match self.kind {
            QueryKind::Statistics(which) => (0..u32::BITS)
                .map(|bit| vk::QueryPipelineStatisticFlags::from_bits_truncate(1 << bit))
                .filter(|flag| !flag.is_empty() && which.contains(*flag))
                .map(|flag| {
                    if flag == vk::QueryPipelineStatisticFlags::COMPUTE_SHADER_INVOCATIONS {
                        invocations
                    } else {
                        0
                    }
                })
                .collect(),
            _ => vec![0],
        };
        if let Some(query) = self.lock().get_mut(query as usize) {
            *query = Query { available: true, values };
        }
    }

    /// Whether all of these queries have ended.
    pub fn available(&self, first: u32, count: u32) -> bool {
        self.lock().iter().skip(first as usize).take(count as usize).all(|query| query.available)
    }

    /// The results as they are written, one query after another: each piece goes to its own offset. A query
    /// that is not available gives only its availability, or zeros when partial results are asked for.
    /// The second value says whether all were available.
    pub fn results(&self, first: u32, count: u32, layout: ResultLayout) -> (Vec<(u64, Vec<u8>)>, bool) {
        let wide = layout.flags.contains(vk::QueryResultFlags::_64);
        let number = |value: u64, bytes: &mut Vec<u8>| {
            if wide {
                bytes.extend(value.to_ne_bytes());
            } else {
                bytes.extend((value.min(u32::MAX.into()) as u32).to_ne_bytes());
            }
        };
        let with_availability = layout.flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY);
        let value_bytes = (self.value_count() * if wide { 8 } else { 4 }) as u64;
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
