//! Runs recorded commands on several physical devices of a group.
//!
//! Problem: a device mask says which devices run a command, and a command that sets state sets only theirs,
//! so devices differ. Approach: devices that no mask of the list tells apart have one processor together
//! ([`partition`]). Commands run in their order, each on the processors of its mask. As long as all devices
//! have the same state, what several of them are to do is done by the first processor for all
//! (`state::device_group`). Commands one behind the other that are of one processor each
//! run at once with those of others, by the cores of their own device.
//!
//! Events and queries have one state for all devices; queries count what all devices do.

use super::family::query::QueryCommand;
use super::family::render::RenderCommand;
use super::family::sync::SyncCommand;
use super::list::{Command, CommandList};
use super::state::{CommandProcessor, Outcome};
use crate::objects::device_core::at_once;
use std::sync::Arc;

/// The devices of `all`, those together that no mask tells apart, by their first.
pub(super) fn partition(all: u32, masks: &[u32]) -> Vec<u32> {
    let mut parts = vec![all];
    for mask in masks {
        let cut = parts.iter().flat_map(|part| [part & mask, part & !mask]);
        parts = cut.filter(|part| *part != 0).collect();
    }
    parts.sort_unstable_by_key(|part| part.trailing_zeros());
    parts
}

/// Processors that run a list together.
pub(super) struct DeviceGroup<'r, 'd> {
    /// One for each part of the devices, in the order of the first devices.
    processors: &'r mut [CommandProcessor<'d>],
    /// The devices of each.
    parts: &'r [u32],
    /// All of them.
    all: u32,
    /// Those that run the commands to come.
    mask: u32,
    /// Those that run the render pass instance under way.
    render_mask: u32,
    /// Devices have been in different states.
    differ: bool,
}

impl<'r, 'd> DeviceGroup<'r, 'd> {
    /// These processors, of these parts of the devices, whose states are the same unless they `differ`.
    /// Commands run on those of `mask` first.
    pub(super) fn new(
        processors: &'r mut [CommandProcessor<'d>],
        parts: &'r [u32],
        mask: u32,
        differ: bool,
    ) -> DeviceGroup<'r, 'd> {
        let all = parts.iter().fold(0, |all, part| all | part);
        DeviceGroup { processors, parts, all, mask: mask & all, render_mask: mask & all, differ }
    }

    /// Runs a list.
    pub(super) fn run(&mut self, list: &CommandList) -> Outcome {
        let mut rest = &list.commands[..];
        while let [command, behind @ ..] = rest {
            let alone = self.alone(rest);
            let outcome = if alone > 1 {
                let (section, behind) = rest.split_at(alone);
                rest = behind;
                self.section(list, section)
            } else {
                rest = behind;
                self.command(list, command)
            };
            if outcome == Outcome::Stopped {
                return Outcome::Stopped;
            }
        }
        self.close_draw_batches();
        Outcome::Done
    }

    /// The processors of a mask.
    fn of(&self, mask: u32) -> Vec<usize> {
        (0..self.parts.len()).filter(|&index| self.parts[index] & mask != 0).collect()
    }

    /// The one processor of a mask, if it is not several.
    fn only(&self, mask: u32) -> Option<usize> {
        match self.of(mask)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// How many of the next commands are of one processor each.
    fn alone(&self, commands: &[Command]) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let mut is_alone = self.only(self.mask).is_some();
        let end = commands.iter().position(|command| match command {
            Command::Sync(SyncCommand::DeviceMask(mask)) => {
                is_alone = self.only(mask & self.all).is_some();
                !is_alone
            }
            command => !is_alone || !command.is_of_one_device(),
        });
        end.unwrap_or(commands.len())
    }

    /// Runs commands that are of one processor each, those of different ones at once.
    fn section(&mut self, list: &CommandList, commands: &[Command]) -> Outcome {
        self.close_draw_batches();
        let mut work: Vec<Vec<&Command>> = self.parts.iter().map(|_| Vec::new()).collect();
        for command in commands {
            match (command, self.only(self.mask)) {
                (Command::Sync(SyncCommand::DeviceMask(mask)), _) => self.mask = mask & self.all,
                (command, Some(index)) => {
                    self.differ |= command.is_state() || matches!(command, Command::Generated(_));
                    work[index].push(command);
                }
                (_, None) => {}
            }
        }
        let queue = self.processors.first().map_or(0, |processor| processor.queue);
        let processors = self.processors.iter_mut().zip(self.parts).zip(work);
        let calls = processors.filter(|(_, work)| !work.is_empty()).map(|((processor, part), work)| {
            move || {
                processor.run_for(*part);
                let stopped = work.iter().any(|command| processor.one(list, command) == Outcome::Stopped);
                processor.close_draw_batch();
                stopped
            }
        });
        let in_order = pyro_util::config::has_fixed_order();
        if at_once(in_order, queue, calls.collect()).contains(&true) {
            Outcome::Stopped
        } else {
            Outcome::Done
        }
    }

    /// Runs a command on all processors of its mask.
    fn command(&mut self, list: &CommandList, command: &Command) -> Outcome {
        let mask = if self.is_of_instance(command) { self.render_mask } else { self.mask };
        if !command.keeps_draw_batch_open() {
            self.close_draw_batches();
        }
        if let Command::Sync(SyncCommand::DeviceMask(mask)) = command {
            self.mask = mask & self.all;
            return Outcome::Done;
        }
        let of_mask = self.of(mask);
        let Some(&first) = of_mask.first() else { return Outcome::Done };
        match command {
            Command::Render(RenderCommand::Step(step)) => {
                let is_begin = self.processors[first].rendering.targets.is_none();
                if is_begin {
                    self.render_mask = self.mask;
                }
                self.close_draw_batches();
                self.lead(first, mask).render_step(step);
                let leader = &self.processors[first].rendering;
                let shared = (leader.substitute_targets.clone(), leader.regions.clone());
                for &index in &of_mask[1..] {
                    self.processors[index].rendering.set_targets(step, shared.clone());
                }
                if self.parts.len() > 1 {
                    // Before other processors draw.
                    self.close_draw_batches();
                }
                Outcome::Done
            }
            Command::Render(
                RenderCommand::BeginTransformFeedback(_) | RenderCommand::EndTransformFeedback(_),
            ) => {
                // The first has captured, and writes last how far it came.
                self.each(list, command, of_mask.into_iter().rev())
            }
            Command::Execute(lists) => self.execute_secondary(lists),
            Command::Query(QueryCommand::Begin(..) | QueryCommand::End(..)) => self.query(list, command),
            command if command.is_state() => {
                self.differ |= mask != self.all;
                self.each(list, command, of_mask.into_iter())
            }
            Command::Draw(_) | Command::Dispatch(_) | Command::Generated(_) if self.differ => {
                for index in of_mask {
                    let part = self.parts[index];
                    let processor = self.lead(index, part);
                    if processor.one(list, command) == Outcome::Stopped {
                        return Outcome::Stopped;
                    }
                    processor.close_draw_batch();
                }
                Outcome::Done
            }
            command => self.lead(first, mask).one(list, command),
        }
    }

    /// Whether it runs on the devices of the render pass instance under way, whatever the mask is.
    fn is_of_instance(&self, command: &Command) -> bool {
        let is_inside = || {
            let of_instance = self.of(self.render_mask);
            of_instance.iter().any(|&index| self.processors[index].rendering.targets.is_some())
        };
        matches!(command, Command::Render(RenderCommand::Step(_))) && is_inside()
    }

    /// A processor, which runs for these devices now. No draws of others wait.
    fn lead(&mut self, index: usize, devices: u32) -> &mut CommandProcessor<'d> {
        for (number, processor) in self.processors.iter_mut().enumerate() {
            if number != index {
                processor.close_draw_batch();
            }
        }
        let processor = &mut self.processors[index];
        processor.run_for(devices);
        processor
    }

    /// Runs a command on each of these processors.
    fn each(
        &mut self,
        list: &CommandList,
        command: &Command,
        indices: impl Iterator<Item = usize>,
    ) -> Outcome {
        for index in indices {
            if self.processors[index].one(list, command) == Outcome::Stopped {
                return Outcome::Stopped;
            }
        }
        Outcome::Done
    }

    fn close_draw_batches(&mut self) {
        self.processors.iter_mut().for_each(CommandProcessor::close_draw_batch);
    }

    /// Begins or ends a query, which the first processor has for all.
    fn query(&mut self, list: &CommandList, command: &Command) -> Outcome {
        let Some((first, others)) = self.processors.split_first_mut() else { return Outcome::Done };
        for other in others.iter_mut() {
            first.take_counters(other);
        }
        let outcome = first.one(list, command);
        for other in others {
            other.rendering.count_samples_as(&first.rendering);
        }
        outcome
    }

    /// Runs secondary command buffers: see [`CommandProcessor::execute_secondary`].
    fn execute_secondary(&mut self, lists: &[Arc<CommandList>]) -> Outcome {
        self.close_draw_batches();
        let inherits = lists.iter().any(|list| list.inherits_viewports);
        let mut viewports: Vec<_> =
            self.processors.iter().map(|outer| inherits.then(|| outer.rendering.state.clone())).collect();
        for list in lists {
            let mut inner: Vec<_> = self.processors.iter().map(CommandProcessor::secondary).collect();
            for (inner, viewports) in inner.iter_mut().zip(&viewports) {
                if let Some(viewports) = viewports.as_ref().filter(|_| list.inherits_viewports) {
                    inner.rendering.state.take_viewports(viewports);
                }
            }
            let mask = if list.device_mask == 0 { self.mask } else { self.mask & list.device_mask };
            // All of them start from nothing.
            let differ = list.inherits_viewports && self.differ;
            let outcome = DeviceGroup::new(&mut inner, self.parts, mask, differ).run(list);
            for ((outer, inner), viewports) in self.processors.iter_mut().zip(&mut inner).zip(&mut viewports)
            {
                outer.take_counters(inner);
                if let Some(viewports) = viewports {
                    viewports.take_viewports(&inner.rendering.state);
                }
            }
            if outcome == Outcome::Stopped {
                return outcome;
            }
        }
        Outcome::Done
    }
}

#[cfg(test)]
mod tests {
    use super::partition;

    #[test]
    fn devices_that_no_mask_tells_apart_are_together() {
        assert_eq!(partition(0b111, &[]), [0b111]);
        assert_eq!(partition(0b111, &[0b111, 0]), [0b111]);
        assert_eq!(partition(0b1111, &[0b0110, 0b0100]), [0b1001, 0b0010, 0b0100]);
        assert_eq!(partition(0b0101, &[u32::MAX, 0b1110]), [0b0001, 0b0100]);
        assert_eq!(partition(u32::MAX, &(0..32).map(|bit| 1 << bit).collect::<Vec<_>>()).len(), 32);
    }
}
