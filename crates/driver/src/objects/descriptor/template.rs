//! Descriptor update templates.

use super::buffer_binding_table::SmallTemplate;
use super::{DescriptorSet, SetLayout, SmallBuffer};
use vulkanalia_sys as vk;

/// One entry of a template.
#[derive(Clone, Copy, Debug)]
pub struct TemplateEntry {
    /// First binding.
    pub binding: u32,
    /// First element of it.
    pub first: u32,
    /// Descriptors; bytes, for an inline uniform block.
    pub count: u32,
    /// Their type.
    pub ty: vk::DescriptorType,
    /// Bytes from the data's start to the first.
    pub offset: usize,
    /// Bytes from one to the next.
    pub stride: usize,
}

/// A `VkDescriptorUpdateTemplate`.
#[derive(Clone, Debug)]
pub struct UpdateTemplate {
    /// The entries.
    pub entries: Vec<TemplateEntry>,
    /// The set that a push template writes.
    pub set: u32,
    /// Where a push template binds it.
    pub point: vk::PipelineBindPoint,
    small: Option<SmallTemplate>,
}

impl UpdateTemplate {
    /// A template; `layout`: of the sets that it is for.
    pub fn new(
        entries: Vec<TemplateEntry>,
        (point, set): (vk::PipelineBindPoint, u32),
        layout: Option<&SetLayout>,
    ) -> UpdateTemplate {
        let small = layout.and_then(|layout| SmallTemplate::of(&entries, layout));
        UpdateTemplate { entries, set, point, small }
    }

    /// Writes a set's descriptors, if they all are small buffers' ([`SmallBuffers`](super::SmallBuffers)) and
    /// the set is of the layout that the template is for; `get` gives the buffer and the range of it (first
    /// byte, bytes) that lie so many bytes from the data's start. False when they are not, and what was
    /// written then is to be written again.
    #[inline(always)]
    pub fn write_small(
        &self,
        set: &DescriptorSet,
        get: impl Fn(usize) -> Option<(SmallBuffer, (u64, u64))>,
    ) -> bool {
        self.small.as_ref().is_some_and(|small| small.write(set, get))
    }
}
