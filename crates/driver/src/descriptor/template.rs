//! Descriptor update templates.

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
}
