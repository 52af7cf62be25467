//! Objects that the commands of a list refer to by number.

use crate::Shared;
use core::marker::PhantomData;
use std::sync::Arc;

/// The number of an object among those of its type that a list keeps.
pub struct Number<T>(u32, PhantomData<fn() -> T>);

impl<T> Clone for Number<T> {
    fn clone(&self) -> Number<T> {
        *self
    }
}

impl<T> Copy for Number<T> {}

/// Objects that are remembered as kept, by some bits of their addresses.
const RECENT: usize = 16;

/// The objects of one type. Few are there twice: of those used lately it is known that they are there.
pub(super) struct Kept<T> {
    objects: Vec<Arc<T>>,
    /// Addresses and numbers; all of them are of objects that are kept, so no other object has such an address.
    recent: [(usize, u32); RECENT],
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { objects: Vec::new(), recent: [(0, 0); RECENT] }
    }
}

impl<T> Kept<T> {
    /// Where the address of an object is remembered.
    #[inline(always)]
    fn place(address: usize) -> usize {
        // Objects are allocated one by one, so their addresses are multiples of sixteen.
        (address >> 4 ^ address >> 10) % RECENT
    }

    /// The number of an object that is remembered as kept.
    #[inline(always)]
    pub(super) fn known(&self, object: &T) -> Option<Number<T>> {
        let address = core::ptr::from_ref(object) as usize;
        let (known, number) = self.recent[Self::place(address)];
        (known == address).then_some(Number(number, PhantomData))
    }

    /// Keeps an object; its number.
    #[inline]
    pub(super) fn number(&mut self, object: impl Shared<T>) -> Number<T> {
        let address = core::ptr::from_ref(object.object()) as usize;
        let recent = &mut self.recent[Self::place(address)];
        if recent.0 != address {
            *recent = (address, self.objects.len() as u32);
            self.objects.push(object.share());
        }
        Number(recent.1, PhantomData)
    }

    /// The object of a number that [`Kept::number`] gave.
    pub(super) fn get(&self, number: Number<T>) -> &Arc<T> {
        &self.objects[number.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_kept_once_while_they_are_used() {
        let object = Arc::new(1);
        let mut kept = Kept::default();
        for _ in 0..100 {
            let number = kept.number(&object);
            assert!(Arc::ptr_eq(kept.get(number), &object));
        }
        assert_eq!(kept.objects.len(), 1);
    }

    #[test]
    fn objects_that_are_kept_stay() {
        let mut kept = Kept::default();
        let numbers: Vec<Number<i32>> = (0..1000).map(|value| kept.number(&Arc::new(value))).collect();
        assert!(numbers.iter().zip(0..).all(|(&number, value)| **kept.get(number) == value));
    }
}
