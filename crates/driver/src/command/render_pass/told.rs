//! What the sanitizer is told of a render pass: the uses of attachments, and the layouts and dependencies of
//! subpasses.

use crate::command::followed::view_subresources;
use crate::objects::image::ImageView;
use crate::objects::render_pass::{PassOrder, RenderPass};
use pyro_sanitizer::commands::scope::{Scope, access, stage};
use pyro_sanitizer::commands::{Barrier, Transition};
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
    // Those of earlier subpasses and of the outside end here as well as those of the subpass before.
    let barriers_of = |is_first: &dyn Fn(u32) -> bool| -> Vec<Barrier> {
        let all = order.dependencies.iter().filter(|one| one.to == to && is_first(one.from));
        all.map(|one| one.barrier.clone()).collect()
    };
    let barriers =
        if from == EXTERNAL { barriers_of(&|it| it == EXTERNAL) } else { barriers_of(&|it| it != to) };
    // A transition is behind all that the dependencies name before, and before all that they name behind.
    let join = |mut all: Barrier, one: &Barrier| {
        for (scope, other) in [(&mut all.first, &one.first), (&mut all.second, &one.second)] {
            scope.stages |= other.stages;
            scope.accesses |= other.accesses;
        }
        all
    };
    let joined =
        |barriers: &[Barrier]| (!barriers.is_empty()).then(|| barriers.iter().fold(Barrier::default(), join));
    // What the specification has where no dependency with the outside is given ("VkSubpassDependency").
    let accesses = access::COLOR_WRITE | access::DEPTH_STENCIL_WRITE;
    let reads = access::INPUT_ATTACHMENT_READ | access::COLOR_READ | access::DEPTH_STENCIL_READ;
    let from_outside = || {
        let second = Scope { stages: stage::ALL_COMMANDS, accesses: accesses | reads };
        joined(&barriers_of(&|it| it == EXTERNAL)).unwrap_or(Barrier { second, ..Barrier::default() })
    };
    let to_outside = || {
        let first = Scope { stages: stage::ALL_COMMANDS, accesses };
        Barrier { first, ..Barrier::default() }
    };
    let around = match joined(&barriers) {
        Some(barrier) => barrier,
        None if from == EXTERNAL => from_outside(),
        None if to == EXTERNAL => to_outside(),
        None => Barrier::default(),
    };
    let mut transitions = Vec::new();
    for (index, view) in (0..).zip(views) {
        let Some((old, new)) = order.change(index, to) else { continue };
        let (Some(image), true) = (view.image().resource(), old != new) else { continue };
        // An attachment comes from the outside to the first subpass that uses it.
        let is_first = to != EXTERNAL && order.uses(index).next() == Some(to);
        let barrier = if is_first { from_outside() } else { around.clone() };
        transitions.push(Transition {
            image: Arc::clone(image),
            subresources: view_subresources(view),
            old,
            new,
            barrier,
            is_ownership: false,
        });
    }
    (barriers, transitions)
}

impl PassOrder {
    /// The layout that an attachment has in a subpass; none where that does not use it.
    fn layout_in(&self, attachment: u32, subpass: u32) -> Option<i32> {
        let references = self.references.get(subpass as usize)?;
        references.iter().find(|(index, _)| *index == attachment).map(|&(_, layout)| layout)
    }

    /// The subpasses that use an attachment, in order.
    fn uses(&self, attachment: u32) -> impl DoubleEndedIterator<Item = u32> {
        let all = 0..self.references.len() as u32;
        all.filter(move |&subpass| self.layout_in(attachment, subpass).is_some())
    }

    /// The layouts of an attachment before and behind the step between two subpasses; none where it is not
    /// used there.
    fn change(&self, attachment: u32, to: u32) -> Option<(i32, i32)> {
        let [initial, last] = *self.layouts.get(attachment as usize)?;
        let of = |subpass: u32| self.layout_in(attachment, subpass);
        let (first_use, last_use) = (self.uses(attachment).next()?, self.uses(attachment).next_back()?);
        if to == EXTERNAL {
            return Some((of(last_use)?, last));
        }
        let new = of(to)?;
        if to == first_use {
            return Some((initial, new));
        }
        let before = self.uses(attachment).rfind(|&subpass| subpass < to)?;
        Some((of(before)?, new))
    }
}
