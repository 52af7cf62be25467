//! Descriptor pools: they count sets; the sets' memory is their own.
//!
//! What a pool says of its descriptors is not held against it: a set of more than that *may* fail
//! (specification, `vkAllocateDescriptorSets`), and programs that get their sums wrong run elsewhere. Sets
//! are counted, for programs that fill one pool after the other.

use super::{DescriptorSet, SetLayout};
use crate::error::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vulkanalia_sys as vk;

/// A `VkDescriptorPool`.
pub struct DescriptorPool {
    max_sets: u32,
    /// Sets that are allocated.
    used: Mutex<u32>,
}

impl DescriptorPool {
    /// A pool for so many sets.
    pub fn new(max_sets: u32) -> DescriptorPool {
        DescriptorPool { max_sets, used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, u32> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one set.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_POOL_MEMORY` when the pool is used up.
    pub fn allocate(&self, layout: &Arc<SetLayout>, variable_count: Option<u32>) -> Result<DescriptorSet> {
        if layout.is_push() {
            return Err(Error::misuse(
                "a push descriptor layout (VUID-VkDescriptorSetAllocateInfo-pSetLayouts-00308)",
            ));
        }
        let mut used = self.used();
        if *used >= self.max_sets {
            return Err(Error::new(
                vk::Result::ERROR_OUT_OF_POOL_MEMORY,
                "the descriptor pool has no descriptor set left (maxSets)",
            ));
        }
        let set = DescriptorSet::new(Arc::clone(layout), variable_count.or(layout.variable().map(|_| 0)))?;
        *used += 1;
        Ok(set)
    }

    /// Takes a set back.
    pub fn free(&self) {
        let mut used = self.used();
        *used = used.saturating_sub(1);
    }

    /// Takes all sets back.
    pub fn reset(&self) {
        *self.used() = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::descriptor::BindingInfo;

    #[test]
    fn pools_run_out_and_recover() {
        let ty = vk::DescriptorType::STORAGE_BUFFER;
        let flags = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let (mutable_types, immutable_samplers) = (Vec::new(), Vec::new());
        let info = BindingInfo { binding: 0, ty, count: 8, flags, mutable_types, immutable_samplers };
        let layout = Arc::new(SetLayout::new(vec![info], false).unwrap());
        let pool = DescriptorPool::new(2);
        let _first = pool.allocate(&layout, Some(6)).unwrap();
        let _second = pool.allocate(&layout, None).unwrap();
        let full = pool.allocate(&layout, None).map(|_| ()).unwrap_err();
        assert_eq!(full.code, vk::Result::ERROR_OUT_OF_POOL_MEMORY, "a third set of two");
        pool.free();
        let _third = pool.allocate(&layout, Some(8)).unwrap();
        assert!(pool.allocate(&layout, None).is_err(), "a third set of two");
        pool.reset();
        assert!(pool.allocate(&layout, Some(8)).is_ok());
    }
}
