//! Pipeline layouts.

use super::stage::ShaderStage;
use crate::caps::limits;
use crate::error::{Error, Result};
use crate::objects::descriptor::SetLayout;
use crate::objects::descriptor::heap::EmbeddedSamplers;
use pyro_abi::ShaderOptions;
use std::borrow::Cow;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// A `VkPipelineLayout`.
pub struct PipelineLayout {
    sets: Vec<Arc<SetLayout>>,
    abi: pyro_abi::PipelineLayout,
    /// Of shaders for descriptor heaps: the samplers that they embed.
    heap: Option<EmbeddedSamplers>,
}

impl PipelineLayout {
    /// A layout of sets by number and push constant ranges.
    ///
    /// # Errors
    /// When there are more sets, dynamic buffers or push constants than the limits allow.
    pub fn new(sets: Vec<Arc<SetLayout>>, push_ranges: &[vk::PushConstantRange]) -> Result<PipelineLayout> {
        if sets.len() > pyro_abi::SETS_MAX {
            return Err(Error::misuse(
                "more sets than maxBoundDescriptorSets (VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286)",
            ));
        }
        let ends = push_ranges.iter().map(|range| range.offset.saturating_add(range.size));
        let push_constant_bytes = ends.max().unwrap_or(0);
        if push_constant_bytes > pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32 {
            return Err(Error::misuse(
                "push constants beyond maxPushConstantsSize (VUID-VkPushConstantRange-size-00298)",
            ));
        }
        let mut dynamic_count = 0;
        let mut abi = pyro_abi::PipelineLayout { push_constant_bytes, ..Default::default() };
        for set in &sets {
            abi.sets.push(set.abi(dynamic_count));
            dynamic_count += set.dynamic_count();
        }
        if dynamic_count > limits::DYNAMIC_BUFFERS_MAX {
            return Err(Error::misuse("more dynamic buffers than the limits allow"));
        }
        Ok(PipelineLayout { sets, abi, heap: None })
    }

    /// What stands for a layout where shaders are for descriptor heaps.
    pub fn for_heaps<'s>(stages: impl IntoIterator<Item = &'s ShaderStage>) -> PipelineLayout {
        let push_constant_bytes = pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32;
        let abi = pyro_abi::PipelineLayout { push_constant_bytes, ..Default::default() };
        PipelineLayout {
            sets: Vec::new(),
            abi,
            heap: Some(EmbeddedSamplers::of(
                stages.into_iter().map(|stage| (stage.stage, &stage.samplers[..])),
            )),
        }
    }

    /// The samplers that shaders for descriptor heaps embed; none for shaders with descriptor sets.
    pub(crate) fn heap(&self) -> Option<&EmbeddedSamplers> {
        self.heap.as_ref()
    }

    /// A layout with the sets and push constants of two, of which each has sets that the other lacks
    /// (`VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT`).
    ///
    /// # Errors
    /// As [`PipelineLayout::new`].
    pub fn union(&self, other: &PipelineLayout) -> Result<Arc<PipelineLayout>> {
        if let (Some(own), Some(theirs)) = (&self.heap, &other.heap) {
            let (sets, abi) = (Vec::new(), self.abi.clone());
            return Ok(Arc::new(PipelineLayout { sets, abi, heap: Some(own.union(theirs)) }));
        }
        let mut sets = self.sets.clone();
        for (number, set) in other.sets.iter().enumerate() {
            match sets.get_mut(number) {
                Some(own) if own.is_empty() => *own = Arc::clone(set),
                Some(_) => {}
                None => sets.push(Arc::clone(set)),
            }
        }
        let size = self.abi.push_constant_bytes.max(other.abi.push_constant_bytes);
        let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::ALL, offset: 0, size };
        Ok(Arc::new(PipelineLayout::new(sets, &[range])?))
    }

    /// The sets by number.
    pub fn sets(&self) -> &[Arc<SetLayout>] {
        &self.sets
    }

    /// How many bytes of the push constants shaders may read.
    pub fn push_constant_bytes(&self) -> usize {
        self.abi.push_constant_bytes as usize
    }

    /// Dynamic buffers in the sets before `set`.
    pub fn dynamic_before(&self, set: usize) -> u32 {
        self.sets.iter().take(set).map(|set| set.dynamic_count()).sum()
    }

    /// What the compiler is told for a shader with such options.
    pub fn abi(&self, options: &ShaderOptions) -> Cow<'_, pyro_abi::PipelineLayout> {
        match *options == ShaderOptions::default() {
            true => Cow::Borrowed(&self.abi),
            false => Cow::Owned(pyro_abi::PipelineLayout { options: options.clone(), ..self.abi.clone() }),
        }
    }
}
