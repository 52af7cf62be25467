//! Runs recorded commands, one after another, on the thread of a queue.
//!
//! *Must not know* how commands are recorded, nor what any one command does: that is `family`'s.

use super::device_group::{self, DeviceGroup};
use super::followed::Follower;
use super::list::{Command, CommandList};
use super::state::attribution::Attribution;
use super::state::{CommandProcessor, InheritedState, Outcome};
use crate::execution::unsafe_engine::CommandListAlive;
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::sparse::discard_writes;
use crate::objects::sync::progress::QueueProgress;
use crate::primitives::Mutex;
use std::sync::Arc;

/// Where a list runs.
#[derive(Clone, Copy)]
pub struct OnQueue {
    /// The queue's number.
    pub queue: u32,
    /// The queue's label around it, as the number of a profile's pass; zero: none.
    pub label: u32,
}

impl<'d> CommandProcessor<'d> {
    /// Runs the list of a primary command buffer on a queue, on these physical devices
    /// (zero: all); no other thread does at the same time. `inherited`: what the queue's last command buffer
    /// has set, where the next inherits it.
    pub fn run_on_queue(
        device: &'d DeviceCore,
        progress: &'d QueueProgress,
        on: OnQueue,
        inherited: &Mutex<Option<InheritedState>>,
        list: &'d CommandList,
        devices: u32,
    ) -> Outcome {
        let OnQueue { queue, label } = on;
        pyro_engine::set_caller(queue);
        let _activity = pyro_profiler::activity::enter(pyro_profiler::Activity::Queue);
        let make = || {
            let mut processor = CommandProcessor::new(device, progress, alive(list));
            processor.queue = queue;
            processor.attribution = Attribution::new(queue, label);
            processor
        };
        if device.physical_devices().len() > 1 {
            return run_on_group(make, device.all_devices(), devices, list);
        }
        let mut processor = make();
        if device.reports().follows_commands() {
            let follows_accesses = device.reports().follows_accesses();
            processor.follow = Some(Box::new(Follower::new(queue, follows_accesses)));
        }
        if !device.inherits_state {
            return processor.run(list);
        }
        let take = || inherited.lock();
        if let Some(inherited) = take().take() {
            processor.restore(inherited);
        }
        let outcome = processor.run(list);
        *take() = Some(processor.into_inherited());
        outcome
    }

    /// Runs a list.
    fn run(&mut self, list: &CommandList) -> Outcome {
        for command in &list.commands {
            if self.one(list, command) == Outcome::Stopped {
                return Outcome::Stopped;
            }
        }
        self.close_draw_batch();
        Outcome::Done
    }

    /// Runs a command.
    #[inline(always)]
    pub(super) fn one(&mut self, list: &CommandList, command: &Command) -> Outcome {
        if self.prepare(command) == Outcome::Stopped {
            return Outcome::Stopped;
        }
        let running = self.attribute(command);
        if self.command(list, command) == Outcome::Stopped {
            return Outcome::Stopped;
        }
        if let Some(running) = running {
            running.end();
        }
        Outcome::Done
    }

    /// What comes before each command: draws that wait are handed on, where it needs that.
    #[inline(always)]
    fn prepare(&mut self, command: &Command) -> Outcome {
        if !command.keeps_draw_batch_open() {
            self.close_draw_batch();
        } else if self.rendering.batch.has_many() {
            self.run_early_draws();
        }
        discard_writes();
        self.device.lose_if_truncated();
        if self.device.is_lost() { Outcome::Stopped } else { Outcome::Done }
    }

    /// Runs a command that memory said.
    fn generated(&mut self, list: &CommandList, command: &Command) -> Outcome {
        match self.prepare(command) {
            Outcome::Stopped => Outcome::Stopped,
            Outcome::Done => self.command(list, command),
        }
    }

    fn command(&mut self, list: &CommandList, command: &Command) -> Outcome {
        if self.skips_conditional && command.is_conditional() {
            return Outcome::Done;
        }
        if self.follow.is_some() {
            return self.followed(command, |processor| processor.plain_command(list, command));
        }
        self.plain_command(list, command)
    }

    fn plain_command(&mut self, list: &CommandList, command: &Command) -> Outcome {
        match command {
            Command::Bind(command) => command.run(&list.objects, self),
            Command::PushWords(words) => words.run(self),
            Command::Draw(command) => command.run(self),
            Command::Dispatch(command) => return command.run(self),
            Command::Transfer(command) => command.run(self),
            Command::Query(command) => command.run(self),
            Command::Sync(command) => return command.run(self),
            Command::Render(command) => command.run(self),
            Command::Execute(lists) => return self.execute_secondary(lists),
            Command::Generated(generated) => {
                return generated.run(self, |processor, command| processor.generated(list, command));
            }
        }
        Outcome::Done
    }

    /// Runs secondary command buffers.
    fn execute_secondary(&mut self, lists: &[Arc<CommandList>]) -> Outcome {
        if self.device.inherits_state {
            // All state goes through (`VK_NV_command_buffer_inheritance`).
            let stopped = lists.iter().any(|list| self.run(list) == Outcome::Stopped);
            return if stopped { Outcome::Stopped } else { Outcome::Done };
        }
        // What lists leave behind for others of the same command.
        let inherits = lists.iter().any(|list| list.inherits_viewports);
        let mut viewports = inherits.then(|| self.rendering.state.clone());
        for list in lists {
            // A secondary command buffer inherits no state, but for viewports where it asks for them, and
            // leaves none behind; its invocations count in the queries around it.
            let mut inner = self.secondary();
            if let Some(viewports) = viewports.as_ref().filter(|_| list.inherits_viewports) {
                inner.rendering.state.take_viewports(viewports);
            }
            let outcome = inner.run(list);
            self.counters.add(&inner.counters());
            self.resume_follower(inner.follow.take());
            if let Some(viewports) = &mut viewports {
                viewports.take_viewports(&inner.rendering.state);
            }
            if outcome == Outcome::Stopped {
                return outcome;
            }
        }
        Outcome::Done
    }
}

/// Runs a list on the devices of a mask (zero: all), of `all` that the logical device has. `make` gives
/// processors in the state that a command buffer begins in.
fn run_on_group<'d>(
    make: impl Fn() -> CommandProcessor<'d>,
    all: u32,
    mask: u32,
    list: &CommandList,
) -> Outcome {
    let devices = if mask == 0 { all } else { mask & all };
    if devices == 0 {
        return Outcome::Done;
    }
    let parts = device_group::partition(devices, &list.device_masks);
    let mut processors: Vec<_> = parts.iter().map(|_| make()).collect();
    processors.iter_mut().zip(&parts).for_each(|(processor, part)| processor.run_for(*part));
    let begin = if list.device_mask == 0 { devices } else { list.device_mask };
    DeviceGroup::new(&mut processors, &parts, begin, false).run(list)
}

/// The witness that a list is alive while the queue runs it.
#[allow(unsafe_code)]
fn alive(list: &CommandList) -> CommandListAlive<'_> {
    // SAFETY: `CommandBuffer` filled the list: its object tables and boxed commands hold every pipeline, set
    // and view that its commands name, secondary lists included, and the borrow keeps the list for as long as
    // the witness. Device addresses in commands and shaders are the application's responsibility
    // (VUID-vkFreeMemory-memory-00677).
    unsafe { CommandListAlive::of(list) }
}
