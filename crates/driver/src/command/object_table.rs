//! Objects that the commands of a list refer to by number.

use crate::Shared;
use crate::objects::descriptor::DescriptorSet;
use crate::pipeline::ComputePipeline;
use crate::pipeline::graphics::GraphicsPipeline;
use crate::pipeline::raytrace::RayPipeline;
use core::marker::PhantomData;
use std::sync::Arc;

/// The number of an object among those of its type that a list keeps.
pub struct ObjectId<T>(u32, PhantomData<fn() -> T>);

impl<T> Clone for ObjectId<T> {
    fn clone(&self) -> ObjectId<T> {
        *self
    }
}

impl<T> Copy for ObjectId<T> {}

/// Objects that are remembered as kept, by some bits of their addresses.
const RECENT: usize = 16;

/// The objects of one type. Few are there twice: of those used lately it is known that they are there.
pub(in crate::command) struct ObjectTable<T> {
    objects: Vec<Arc<T>>,
    /// Addresses and numbers; all of them are of objects that are kept, so no other object has such an
    /// address.
    recent: [(usize, u32); RECENT],
}

impl<T> Default for ObjectTable<T> {
    fn default() -> ObjectTable<T> {
        ObjectTable { objects: Vec::new(), recent: [(0, 0); RECENT] }
    }
}

impl<T> ObjectTable<T> {
    /// Where the address of an object is remembered.
    #[inline(always)]
    fn place(address: usize) -> usize {
        // Objects are allocated one by one, so their addresses are multiples of sixteen.
        (address >> 4 ^ address >> 10) % RECENT
    }

    /// The number of an object that is remembered as kept.
    #[inline(always)]
    pub(in crate::command) fn find(&self, object: &T) -> Option<ObjectId<T>> {
        let address = core::ptr::from_ref(object) as usize;
        let (known, number) = self.recent[Self::place(address)];
        (known == address).then_some(ObjectId(number, PhantomData))
    }

    /// Keeps an object; its number.
    #[inline]
    pub(in crate::command) fn insert(&mut self, object: impl Shared<T>) -> ObjectId<T> {
        let address = core::ptr::from_ref(object.object()) as usize;
        let recent = &mut self.recent[Self::place(address)];
        if recent.0 != address {
            *recent = (address, self.objects.len() as u32);
            self.objects.push(object.share());
        }
        ObjectId(recent.1, PhantomData)
    }

    /// The object of a number that [`ObjectTable::insert`] gave.
    pub(in crate::command) fn get(&self, number: ObjectId<T>) -> &Arc<T> {
        &self.objects[number.0 as usize]
    }
}

/// The objects of a command list, by type.
#[derive(Default)]
pub(in crate::command) struct ListObjects {
    pub(in crate::command) compute_pipelines: ObjectTable<ComputePipeline>,
    pub(in crate::command) graphics_pipelines: ObjectTable<GraphicsPipeline>,
    pub(in crate::command) ray_pipelines: ObjectTable<RayPipeline>,
    pub(in crate::command) sets: ObjectTable<DescriptorSet>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_kept_once_while_they_are_used() {
        let object = Arc::new(1);
        let mut table = ObjectTable::default();
        for _ in 0..100 {
            let number = table.insert(&object);
            assert!(Arc::ptr_eq(table.get(number), &object));
        }
        assert_eq!(table.objects.len(), 1);
    }

    #[test]
    fn objects_that_are_kept_stay() {
        let mut table = ObjectTable::default();
        let numbers: Vec<ObjectId<i32>> = (0..1000).map(|value| table.insert(&Arc::new(value))).collect();
        assert!(numbers.iter().zip(0..).all(|(&number, value)| **table.get(number) == value));
    }
}
