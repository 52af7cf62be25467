//! What is recorded for the sanitizer, and what is kept while it is told.
//!
//! *Must not know* commands.

pub use crate::objects::followed::is_on;
pub use crate::objects::image::subresources;
use crate::objects::image::{Image, ImageView, aspects};
use pyro_sanitizer::commands::resources::Subresources;
use pyro_sanitizer::commands::{CommandName, Dependency, ExpectedLayout};
use vulkanalia_sys as vk;

/// What is recorded for the sanitizer.
pub enum Followed {
    /// What orders commands, and the name of the command that says so.
    Order(Dependency, &'static str),
    /// A debug label begins.
    BeginLabel(String),
    /// It ends.
    EndLabel,
    /// The layouts that the images of the next command must be in.
    Layouts(Vec<ExpectedLayout>),
}

/// What is known while a command buffer runs.
#[derive(Clone)]
pub(in crate::command) struct Follower {
    pub(in crate::command) queue: u32,
    /// Whether what commands access is followed; else only what they are alone.
    pub(in crate::command) follows_accesses: bool,
    pub(in crate::command) labels: Vec<String>,
    /// Commands so far.
    number: u32,
    pub(in crate::command) layouts: Vec<ExpectedLayout>,
    /// The number of the command that began the render pass instance under way.
    pub(in crate::command) instance: Option<u32>,
}

impl Follower {
    /// On the queue of this number.
    pub(in crate::command) fn new(queue: u32, follows_accesses: bool) -> Follower {
        Follower {
            queue,
            follows_accesses,
            labels: Vec::new(),
            number: 0,
            layouts: Vec::new(),
            instance: None,
        }
    }

    /// Goes on behind a secondary command buffer. Its labels end with it.
    pub(in crate::command) fn resume(&mut self, inner: Follower) {
        let labels = std::mem::take(&mut self.labels);
        *self = Follower { labels, ..inner };
    }

    /// The name of the next command.
    pub(in crate::command) fn name(&mut self, command: &'static str) -> CommandName {
        self.number += 1;
        CommandName { command, number: self.number - 1, labels: self.labels.clone() }
    }
}

/// What a view shows.
pub(in crate::command) fn view_subresources(view: &ImageView) -> Subresources {
    subresources(view.image(), &view.info().range)
}

/// Whether these are not all aspects of an image of depth and stencil.
pub fn is_one_aspect(image: &Image, aspect_mask: vk::ImageAspectFlags) -> bool {
    image.format().is_depth_stencil() && aspect_mask != aspects(image.format())
}

impl Followed {
    /// The layout of one level's layers, for the next command.
    pub fn layers(
        image: &Image,
        side: &vk::ImageSubresourceLayers,
        layout: vk::ImageLayout,
    ) -> Option<ExpectedLayout> {
        let range = vk::ImageSubresourceRange {
            aspect_mask: side.aspect_mask,
            base_mip_level: side.mip_level,
            level_count: 1,
            base_array_layer: side.base_array_layer,
            layer_count: side.layer_count,
        };
        Followed::range(image, &range, layout)
    }

    /// The layout of a range, for the next command.
    pub fn range(
        image: &Image,
        range: &vk::ImageSubresourceRange,
        layout: vk::ImageLayout,
    ) -> Option<ExpectedLayout> {
        // Depth and stencil may be in two layouts.
        if is_one_aspect(image, range.aspect_mask) {
            return None;
        }
        let resource = image.resource()?;
        Some(ExpectedLayout {
            image: resource.clone(),
            subresources: subresources(image, range),
            layout: layout.as_raw(),
        })
    }
}
