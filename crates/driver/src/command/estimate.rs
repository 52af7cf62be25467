//! How long command lists will take, as far as it is known: a queue runs short ones without a change of
//! thread.
//!
//! The cost of dispatches is learned pipeline by pipeline
//! ([`CostEstimate`](crate::pipeline::cost_estimate::CostEstimate)). So a list is of unknown length until its
//! pipelines have run, but for those without loops.

use super::family::bind::BindCommand;
use super::family::query::QueryCommand;
use super::family::sync::SyncCommand;
use super::list::{Command, CommandList};

/// Longer lists have no estimate.
const COMMAND_COUNT_MAX: usize = 32;
/// Nanoseconds for any command.
const COMMAND_NS: u64 = 50;
/// Nanoseconds for a dispatch besides its workgroups.
const DISPATCH_NS: u64 = 300;
/// Bytes that a copy moves in a nanosecond, at least.
const BYTES_PER_NS: u64 = 4;

impl CommandList {
    /// Nanoseconds that the list will take; `None` when that is unknown, or when the list might wait for
    /// something.
    pub(crate) fn estimate_ns(&self) -> Option<u64> {
        if self.commands.len() > COMMAND_COUNT_MAX {
            return None;
        }
        let mut pipeline = None;
        let mut total = 0_u64;
        for command in &self.commands {
            let cost = match command {
                Command::Bind(BindCommand::ComputePipeline(id)) => {
                    pipeline = Some(self.objects.compute_pipelines.get(*id));
                    0
                }
                Command::Bind(bind) if is_free(bind) => 0,
                Command::PushWords(_) | Command::Sync(SyncCommand::PutEvent(..) | SyncCommand::Barrier) => 0,
                Command::Dispatch(dispatch) => {
                    let count = dispatch.workgroups()?;
                    let groups = count.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
                    match pipeline {
                        Some(pipeline) if groups != 0 => {
                            DISPATCH_NS.saturating_add(pipeline.cost()?.estimate_ns(groups)?)
                        }
                        _ => 0,
                    }
                }
                Command::Transfer(transfer) => transfer.bytes()? / BYTES_PER_NS,
                Command::Query(
                    QueryCommand::WriteTimestamp(..) | QueryCommand::Begin(..) | QueryCommand::End(..),
                ) => 0,
                Command::Query(QueryCommand::Reset(_, _, count)) => u64::from(*count),
                _ => return None,
            };
            total = total.saturating_add(COMMAND_NS).saturating_add(cost);
        }
        Some(total)
    }
}

/// Whether binding costs no more than any command.
fn is_free(bind: &BindCommand) -> bool {
    matches!(
        bind,
        BindCommand::Sets(_)
            | BindCommand::Set(_)
            | BindCommand::SetAddresses(_)
            | BindCommand::Heap(..)
            | BindCommand::RayStack(_)
            | BindCommand::InvocationMask(_)
            | BindCommand::PushConstants { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_may_wait_have_no_estimate() {
        let barrier = || Command::from(SyncCommand::Barrier);
        let list = |commands| CommandList { commands, ..CommandList::default() };
        assert!(list(vec![barrier()]).estimate_ns().is_some());
        assert_eq!(list(vec![SyncCommand::WaitEvents(Box::new([])).into()]).estimate_ns(), None);
        assert_eq!(list((0..100).map(|_| barrier()).collect()).estimate_ns(), None);
    }
}
