//! How long the workgroups of a pipeline take, which is learned as it runs.
//!
//! Each compute pipeline measures some of its dispatches ([`CostEstimate`]). One without loops has a first
//! estimate from its instructions. An estimate may be wrong where work depends on data; then one submission
//! takes longer to return, and the estimate is corrected.

use pyro_abi::KernelInfo;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds for an operation of a subgroup, at most: some are done lane by lane.
const OPERATION_NS: u64 = 20;
/// Dispatches between two measurements of a pipeline that is fast.
const MEASURE_EVERY: u32 = 64;
/// A dispatch that is expected to take longer than this is always measured: the clock costs nothing beside
/// it.
const ALWAYS_MEASURED_NS: u64 = 2_000;
/// The most stack that code may take which runs on threads of the application, whose stacks may be small.
const BORROWED_STACK_BYTES_MAX: u32 = 64 << 10;

/// How long a pipeline's workgroups take.
#[derive(Default)]
pub(crate) struct CostEstimate {
    /// It takes too much stack for threads of the application, so that it does not matter how long.
    is_deep: bool,
    /// 1/256 nanoseconds for a workgroup; zero: not known yet.
    group_time: AtomicU64,
    /// Dispatches until the next measurement.
    unmeasured: AtomicU32,
}

impl CostEstimate {
    /// What is known of a pipeline that has not run yet.
    pub(crate) fn of(info: &KernelInfo) -> CostEstimate {
        let group_time = info.subgroup_operations.map_or(0, |operations| {
            u64::from(operations.max(1)) * u64::from(info.subgroup_count()) * OPERATION_NS * 256
        });
        let is_deep = info.stack_bytes > BORROWED_STACK_BYTES_MAX;
        CostEstimate { is_deep, group_time: AtomicU64::new(group_time), ..CostEstimate::default() }
    }

    /// Nanoseconds that so many workgroups will take; none when it is not known, or they must not run on any
    /// thread.
    pub(crate) fn estimate_ns(&self, groups: u64) -> Option<u64> {
        let time = self.group_time.load(Ordering::Relaxed);
        (time != 0 && !self.is_deep).then(|| time.saturating_mul(groups) / 256)
    }

    /// Runs a dispatch of so many workgroups, on the clock where that is due.
    pub(crate) fn measure<R>(&self, groups: u64, run: impl FnOnce() -> R) -> R {
        let left = self.unmeasured.load(Ordering::Relaxed);
        let is_fast = self.estimate_ns(groups).is_some_and(|estimate| estimate < ALWAYS_MEASURED_NS);
        if left != 0 && is_fast {
            self.unmeasured.store(left - 1, Ordering::Relaxed);
            return run();
        }
        let start = Instant::now();
        let result = run();
        let elapsed = start.elapsed().as_nanos() as u64;
        let measured = elapsed.saturating_mul(256) / groups.max(1);
        // What was slow once is believed for a while, since it may be again.
        let known = self.group_time.load(Ordering::Relaxed);
        self.group_time.store(measured.max(known - known / 4).max(1), Ordering::Relaxed);
        self.unmeasured.store(MEASURE_EVERY, Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn paces_are_learned() {
        let cost = CostEstimate::default();
        assert_eq!(cost.estimate_ns(1), None);
        cost.measure(4, || std::thread::sleep(Duration::from_millis(2)));
        let slow = cost.estimate_ns(4).unwrap();
        assert!(slow >= 2_000_000, "{slow}");
        (0..100).for_each(|_| cost.measure(4, || ()));
        assert!(cost.estimate_ns(4).unwrap() < slow / 2);
        assert!(cost.estimate_ns(u64::MAX).is_some());
    }

    #[test]
    fn estimate_without_history_is_the_initial_one() {
        let info = KernelInfo { workgroup_size: [1, 1, 1], subgroup_size: 16, ..KernelInfo::default() };
        assert_eq!(CostEstimate::of(&info).estimate_ns(1), None);
        let straight = KernelInfo { subgroup_operations: Some(10), ..info };
        let deep = KernelInfo { stack_bytes: BORROWED_STACK_BYTES_MAX + 1, ..straight.clone() };
        assert_eq!(CostEstimate::of(&deep).estimate_ns(3), None);
        assert_eq!(CostEstimate::of(&straight).estimate_ns(3), Some(30 * OPERATION_NS));
    }
}
