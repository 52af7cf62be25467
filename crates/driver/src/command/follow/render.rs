//! What render passes do besides draws: loads and stores of attachments.

use super::fixed;
use super::transfer::box_ranges;
use crate::command::followed::view_subresources;
use crate::command::render_pass::told::{AttachmentUse, StepUse};
use crate::command::state::CommandProcessor;
use crate::command::transfer::Surface;
use pyro_sanitizer::commands::scope::{access, stage};
use pyro_sanitizer::commands::{CommandUse, Dependency, ExpectedLayout, FixedAccess};
use std::sync::Arc;
use vulkanalia_sys as vk;

impl CommandProcessor<'_> {
    /// Tells what happens at a step: what is stored, what is ordered, what is loaded.
    pub(in crate::command) fn tell_step(&mut self, step: &StepUse) {
        let Some(follower) = &mut self.follow else { return };
        let queue = follower.queue;
        let none = CommandUse::default();
        let mut loads = Vec::new();
        let mut stores = Vec::new();
        let mut layouts: Vec<ExpectedLayout> = Vec::new();
        let mut discarded = Vec::new();
        for one in &step.loads {
            let (ranges, Some(load)) = (ranges(one, step), one.load) else { continue };
            let read = load == vk::AttachmentLoadOp::LOAD;
            if load == vk::AttachmentLoadOp::DONT_CARE {
                discarded.extend(ranges.iter().cloned());
            }
            for range in ranges {
                let (stage, access) = way(one.depth_stencil, !read, true);
                loads.push(FixedAccess { needs_content: read, ..fixed(range, stage, access) });
            }
            if let (Some(layout), Some(image)) = (one.layout, one.view.image().resource()) {
                let subresources = view_subresources(&one.view);
                layouts.push(ExpectedLayout {
                    image: Arc::clone(image),
                    subresources,
                    layout: layout.as_raw(),
                });
            }
        }
        for one in &step.stores {
            let (ranges, Some(store)) = (ranges(one, step), one.store) else { continue };
            if store == vk::AttachmentStoreOp::NONE {
                continue;
            }
            for range in ranges {
                let (stage, access) = way(one.depth_stencil, true, false);
                stores.push(fixed(range.clone(), stage, access));
                if store == vk::AttachmentStoreOp::DONT_CARE {
                    discarded.push(range);
                }
            }
        }
        let name = follower.name(step.command);
        let start = follower.instance;
        let mut begun = None;
        self.device.reports().commands(|recorder| {
            if !stores.is_empty() {
                // What the instance itself has done is before its stores.
                recorder.command(queue, name.clone(), CommandUse { fixed: &stores, before: start, ..none });
            }
            if !step.barriers.is_empty() || !step.transitions.is_empty() {
                let order = Dependency::Barriers(step.barriers.clone(), step.transitions.clone());
                recorder.dependency(queue, &order, &name);
            }
            let number = recorder.command(
                queue,
                name.clone(),
                CommandUse { fixed: &loads, layouts: &layouts, ..none },
            );
            begun = begun.or(number);
            discarded.iter().for_each(|range| recorder.discard(range));
        });
        if let Some(follower) = &mut self.follow {
            follower.instance = if step.stores.is_empty() { start.or(begun) } else { None };
        }
    }
}

/// Stage and access of an attachment's load or store.
fn way(depth_stencil: bool, writes: bool, loads: bool) -> (u64, u64) {
    match (depth_stencil, writes) {
        (false, false) => (stage::COLOR_OUTPUT, access::COLOR_READ),
        (false, true) => (stage::COLOR_OUTPUT, access::COLOR_WRITE),
        (true, false) => (stage::EARLY_TESTS, access::DEPTH_STENCIL_READ),
        (true, true) => {
            (if loads { stage::EARLY_TESTS } else { stage::LATE_TESTS }, access::DEPTH_STENCIL_WRITE)
        }
    }
}

/// The addresses of an attachment's pixels in the render area.
fn ranges(one: &AttachmentUse, step: &StepUse) -> Vec<std::ops::Range<u64>> {
    let Ok(surface) = Surface::view(&one.view) else { return Vec::new() };
    let first = [step.area.offset.x.max(0) as u32, step.area.offset.y.max(0) as u32, 0];
    let limits = [surface.width, surface.height, surface.planes];
    let wanted = [step.area.extent.width, step.area.extent.height, step.layers.max(1)];
    let count = [0, 1, 2].map(|axis| wanted[axis].min(limits[axis].saturating_sub(first[axis])));
    box_ranges(&surface, first, count)
}
