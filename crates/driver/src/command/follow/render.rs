//! What render passes do besides draws: loads and stores of attachments, and the layouts and dependencies of
//! subpasses.

use super::transfer::box_ranges;
use super::view_subresources;
use crate::command::state::CommandProcessor;
use crate::command::transfer::Surface;
use crate::objects::image::ImageView;
use crate::objects::render_pass::{PassOrder, RenderPass};
use pyro_sanitizer::commands::scope::{Scope, access, stage};
use pyro_sanitizer::commands::{Barrier, CommandUse, Dependency, ExpectedLayout, FixedAccess, Transition};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What happens to an attachment at an end of an instance.
#[derive(Clone)]
pub(in crate::command) struct AttachmentUse {
    pub(in crate::command) view: Arc<ImageView>,
    /// It is one of depth or stencil.
    pub(in crate::command) depth_stencil: bool,
    /// At its beginning.
    pub(in crate::command) load: Option<vk::AttachmentLoadOp>,
    /// At its end.
    pub(in crate::command) store: Option<vk::AttachmentStoreOp>,
    /// The layout that it must be in, where the instance does not change it.
    pub(in crate::command) layout: Option<vk::ImageLayout>,
}

/// What is told at a step of an instance.
#[derive(Clone, Default)]
pub(in crate::command) struct StepUse {
    pub(in crate::command) command: &'static str,
    pub(in crate::command) area: vk::Rect2D,
    pub(in crate::command) layers: u32,
    pub(in crate::command) stores: Vec<AttachmentUse>,
    pub(in crate::command) barriers: Vec<Barrier>,
    pub(in crate::command) transitions: Vec<Transition>,
    pub(in crate::command) loads: Vec<AttachmentUse>,
}

/// The first or last subpass, as dependencies name what is outside.
const EXTERNAL: u32 = vk::SUBPASS_EXTERNAL;

/// The dependencies from one subpass to another, and the transitions of attachments between them.
pub(in crate::command) fn between(
    pass: &RenderPass,
    views: &[Arc<ImageView>],
    (from, to): (u32, u32),
) -> (Vec<Barrier>, Vec<Transition>) {
    let Some(order) = pass.order() else { return Default::default() };
    let of = |first: u32, second: u32| {
        order.dependencies.iter().filter(move |one| (one.from, one.to) == (first, second))
    };
    let barriers: Vec<Barrier> = of(from, to).map(|one| one.barrier.clone()).collect();
    // A transition is behind all that the dependencies name before, and before all that they name behind.
    let join = |mut all: Barrier, one: &Barrier| {
        for (scope, other) in [(&mut all.first, &one.first), (&mut all.second, &one.second)] {
            scope.stages |= other.stages;
            scope.accesses |= other.accesses;
        }
        all
    };
    let mut around = (!barriers.is_empty()).then(|| barriers.iter().fold(Barrier::default(), join));
    // What the specification has where no dependency with the outside is given.
    if around.is_none() && from == EXTERNAL {
        let accesses = access::INPUT_ATTACHMENT_READ
            | access::COLOR_READ
            | access::COLOR_WRITE
            | access::DEPTH_STENCIL_READ
            | access::DEPTH_STENCIL_WRITE;
        let second = Scope { stages: stage::ALL_COMMANDS, accesses };
        around = Some(Barrier { second, ..Barrier::default() });
    }
    if around.is_none() && to == EXTERNAL {
        let accesses = access::COLOR_WRITE | access::DEPTH_STENCIL_WRITE;
        let first = Scope { stages: stage::ALL_COMMANDS, accesses };
        around = Some(Barrier { first, ..Barrier::default() });
    }
    let around = around.unwrap_or_default();
    let mut transitions = Vec::new();
    for (index, view) in (0..).zip(views) {
        let Some((old, new)) = order.change(index, to) else { continue };
        let (Some(image), true) = (view.image().resource(), old != new) else { continue };
        transitions.push(Transition {
            image: Arc::clone(image),
            subresources: view_subresources(view),
            old,
            new,
            barrier: around.clone(),
            is_ownership: false,
        });
    }
    (barriers, transitions)
}

impl PassOrder {
    /// The layouts of an attachment before and behind the step between two subpasses; none where it is not
    /// used there.
    fn change(&self, attachment: u32, to: u32) -> Option<(i32, i32)> {
        let [initial, last] = *self.layouts.get(attachment as usize)?;
        let of = |subpass: u32| {
            let references = self.references.get(subpass as usize)?;
            references.iter().find(|(index, _)| *index == attachment).map(|&(_, layout)| layout)
        };
        let uses: Vec<u32> =
            (0..self.references.len() as u32).filter(|&subpass| of(subpass).is_some()).collect();
        let (first_use, last_use) = (*uses.first()?, *uses.last()?);
        if to == EXTERNAL {
            return Some((of(last_use)?, last));
        }
        let new = of(to)?;
        if to == first_use {
            return Some((initial, new));
        }
        let before = uses.iter().rev().find(|&&subpass| subpass < to)?;
        Some((of(*before)?, new))
    }
}

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
                loads.push(FixedAccess { range, stage, access, needs_content: read });
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
                stores.push(FixedAccess { range: range.clone(), stage, access, needs_content: false });
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
