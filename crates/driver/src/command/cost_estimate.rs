//! How long command lists will take, as far as it is known: a queue runs short ones without a change of thread.
//!
//! What dispatches take is learned: each pipeline notes, now and then, what its workgroups took ([`CostEstimate`]). So a list
//! is of unknown length until its pipelines have run, but for those that repeat nothing. An estimate may be wrong where work depends on data; then one
//! submission takes longer to return, and the cost is corrected.

use super::{Command, CommandList};
use pyro_abi::KernelInfo;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Lists with more commands than this are not looked at.
const MAX_COMMANDS: usize = 32;
/// Nanoseconds for any command.
const COMMAND_NS: u64 = 50;
/// Nanoseconds for a dispatch besides its workgroups.
const DISPATCH_NS: u64 = 300;
/// Nanoseconds for an operation of a subgroup, at most: some are done lane by lane.
const OPERATION_NS: u64 = 20;
/// Bytes that a copy moves in a nanosecond, at least.
const BYTES_PER_NS: u64 = 4;
/// Dispatches between two measurements of a pipeline that is fast.
const MEASURE_EVERY: u32 = 64;
/// A dispatch that is expected to take longer than this is always measured: the clock costs nothing beside it.
const ALWAYS_MEASURED_NS: u64 = 2_000;
/// The most stack that code may take which runs on threads of the application, whose stacks may be small.
const MAX_BORROWED_STACK_BYTES: u32 = 64 << 10;

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
        let is_deep = info.stack_bytes > MAX_BORROWED_STACK_BYTES;
        CostEstimate { is_deep, group_time: AtomicU64::new(group_time), ..CostEstimate::default() }
    }

    /// Nanoseconds that so many workgroups will take; none when it is not known, or they must not run on any thread.
    fn estimate_ns(&self, groups: u64) -> Option<u64> {
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

impl CommandList {
    /// Nanoseconds that the list will take; none when it is not known, or when it could wait for something.
    pub(crate) fn estimate_ns(&self) -> Option<u64> {
        if self.commands.len() > MAX_COMMANDS {
            return None;
        }
        let mut pipeline = None;
        let mut total = 0;
        for command in &self.commands {
            total += COMMAND_NS;
            total += match command {
                Command::BindPipeline(next) => {
                    pipeline = Some(self.pipelines.get(*next));
                    0
                }
                Command::Dispatch { count, .. } => {
                    let groups = count.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
                    match pipeline {
                        Some(pipeline) if groups != 0 => {
                            DISPATCH_NS.saturating_add(pipeline.cost().estimate_ns(groups)?)
                        }
                        _ => 0,
                    }
                }
                Command::Copy(pairs) => {
                    pairs.iter().map(|(source, _)| source.size() / BYTES_PER_NS).sum::<u64>()
                }
                Command::Fill(range, _) | Command::Update(range, _) => range.size() / BYTES_PER_NS,
                Command::BindSets(_)
                | Command::BindSet(_)
                | Command::PushWords(_)
                | Command::BindAddresses(_)
                | Command::BindHeap(..)
                | Command::PushConstants { .. }
                | Command::PutEvent(..)
                | Command::WriteTimestamp(..)
                | Command::BeginQuery(..)
                | Command::EndQuery(..)
                | Command::Barrier => 0,
                Command::ResetQueries(_, _, count) => u64::from(*count),
                _ => return None,
            };
        }
        Some(total)
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
    fn what_repeats_nothing_has_a_first_estimate() {
        let info = KernelInfo { workgroup_size: [1, 1, 1], subgroup_size: 16, ..KernelInfo::default() };
        assert_eq!(CostEstimate::of(&info).estimate_ns(1), None);
        let straight = KernelInfo { subgroup_operations: Some(10), ..info };
        let deep = KernelInfo { stack_bytes: MAX_BORROWED_STACK_BYTES + 1, ..straight.clone() };
        assert_eq!(CostEstimate::of(&deep).estimate_ns(3), None);
        assert_eq!(CostEstimate::of(&straight).estimate_ns(3), Some(30 * OPERATION_NS));
    }

    #[test]
    fn lists_that_may_wait_have_no_estimate() {
        let list = |commands| CommandList { commands, ..CommandList::default() };
        assert!(list(vec![Command::Barrier]).estimate_ns().is_some());
        assert_eq!(list(vec![Command::WaitEvents(Box::new([]))]).estimate_ns(), None);
        assert_eq!(list((0..100).map(|_| Command::Barrier).collect()).estimate_ns(), None);
    }
}
