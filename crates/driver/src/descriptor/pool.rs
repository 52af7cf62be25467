//! Descriptor pools: they count; the sets' memory is their own.

use super::{DescriptorSet, SetLayout};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vulkanalia_sys as vk;

/// A `VkDescriptorPool`.
pub struct DescriptorPool {
    max_sets: u32,
    capacity: HashMap<vk::DescriptorType, u64>,
    max_inline_bindings: u64,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    sets: u32,
    descriptors: HashMap<vk::DescriptorType, u64>,
}

impl DescriptorPool {
    /// A pool for so many sets and descriptors (bytes of inline uniform blocks) of each type.
    pub fn new(max_sets: u32, sizes: &[vk::DescriptorPoolSize], max_inline_bindings: u32) -> DescriptorPool {
        let mut capacity = HashMap::new();
        for size in sizes {
            *capacity.entry(size.type_).or_default() += u64::from(size.descriptor_count);
        }
        let max_inline_bindings = max_inline_bindings.into();
        DescriptorPool { max_sets, capacity, max_inline_bindings, used: Mutex::default() }
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
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let out = |what| {
            Err(Error::new(vk::Result::ERROR_OUT_OF_POOL_MEMORY, format!("the pool has no {what} left")))
        };
        if used.sets >= self.max_sets {
            return out("set".to_owned());
        }
        let wanted = descriptor_counts(layout, variable_count.or(layout.variable().map(|_| 0)));
        for (ty, count) in &wanted {
            let capacity = if *ty == vk::DescriptorType::MUTABLE_EXT {
                u64::MAX
            } else {
                self.capacity.get(ty).copied().unwrap_or(0)
            };
            if used.descriptors.get(ty).copied().unwrap_or(0) + count > capacity {
                return out(format!("{ty:?}"));
            }
        }
        let inline = |ty: vk::DescriptorType| ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
        if layout.bindings().values().filter(|binding| inline(binding.info.ty)).count() as u64
            > self.max_inline_bindings
        {
            return out("inline uniform block binding".to_owned());
        }
        let set = DescriptorSet::new(Arc::clone(layout), variable_count.or(layout.variable().map(|_| 0)))?;
        used.sets += 1;
        for (ty, count) in wanted {
            *used.descriptors.entry(ty).or_default() += count;
        }
        Ok(set)
    }

    /// Takes a set's share back.
    pub fn free(&self, set: &DescriptorSet) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.sets = used.sets.saturating_sub(1);
        let layout = set.layout();
        let variable_count = layout.variable().map(|binding| set.variable_count(binding));
        for (ty, count) in descriptor_counts(layout, variable_count) {
            let left = used.descriptors.entry(ty).or_default();
            *left = left.saturating_sub(count);
        }
    }

    /// Takes all sets' shares back.
    pub fn reset(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Used::default();
    }
}

fn descriptor_counts(layout: &SetLayout, variable_count: Option<u32>) -> Vec<(vk::DescriptorType, u64)> {
    let variable = layout.variable().map(|binding| binding.info.binding);
    let counts = layout.bindings().values().map(|binding| {
        let variable = variable == Some(binding.info.binding);
        let count = if variable { variable_count.unwrap_or(0) } else { binding.info.count };
        (binding.info.ty, u64::from(count))
    });
    let mut sums: Vec<(vk::DescriptorType, u64)> = Vec::new();
    for (ty, count) in counts {
        match sums.iter_mut().find(|(other, _)| *other == ty) {
            Some((_, sum)) => *sum += count,
            None => sums.push((ty, count)),
        }
    }
    sums
}

impl DescriptorSet {
    /// Descriptors in the binding of variable count.
    fn variable_count(&self, binding: &super::Binding) -> u32 {
        ((self.size() as u32).saturating_sub(binding.offset)) / binding.stride.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::BindingInfo;

    #[test]
    fn pools_run_out_and_recover() {
        let ty = vk::DescriptorType::STORAGE_BUFFER;
        let flags = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let (mutable_types, immutable_samplers) = (Vec::new(), Vec::new());
        let info = BindingInfo { binding: 0, ty, count: 8, flags, mutable_types, immutable_samplers };
        let layout = Arc::new(SetLayout::new(vec![info], false).unwrap());
        let pool = DescriptorPool::new(3, &[vk::DescriptorPoolSize { type_: ty, descriptor_count: 10 }], 0);
        let first = pool.allocate(&layout, Some(6)).unwrap();
        assert_eq!(pool.allocate(&layout, Some(5)).unwrap_err().code, vk::Result::ERROR_OUT_OF_POOL_MEMORY);
        let _second = pool.allocate(&layout, Some(4)).unwrap();
        pool.free(&first);
        let _third = pool.allocate(&layout, Some(6)).unwrap();
        let _fourth = pool.allocate(&layout, None).unwrap();
        assert!(pool.allocate(&layout, None).is_err(), "a fourth set of three");
        pool.reset();
        assert!(pool.allocate(&layout, Some(8)).is_ok());
    }
}
