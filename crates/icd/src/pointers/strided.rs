//! Values that lie a number of bytes apart.

use super::{Slice, TemplateData};
use std::marker::PhantomData;

/// Values that lie a number of bytes apart, aligned or not: valid while the command runs.
pub(crate) struct Strided<'call, T> {
    first: *const u8,
    stride: usize,
    count: u32,
    _values: PhantomData<&'call T>,
}

impl<'call, T: Copy> Strided<'call, T> {
    /// The value with this index.
    ///
    /// # Panics
    /// When it is not less than their count.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> T {
        assert!(index < self.count, "there are fewer values");
        // SAFETY: the type's invariant; it is one of the values.
        unsafe { self.first.add(index as usize * self.stride).cast::<T>().read_unaligned() }
    }

    /// The values one by one.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = T> {
        (0..self.count).map(|index| self.get(index))
    }
}

impl<'call, T> From<Slice<'call, T>> for Strided<'call, T> {
    fn from(values: Slice<'call, T>) -> Strided<'call, T> {
        let first = values.as_ptr().cast();
        Strided { first, stride: size_of::<T>(), count: values.len() as u32, _values: PhantomData }
    }
}

impl<'call> TemplateData<'call> {
    /// The values of one of the template's entries: its offset, stride and count.
    pub(crate) fn values<T>(self, offset: usize, stride: usize, count: u32) -> Strided<'call, T> {
        Strided { first: self.at(offset), stride, count, _values: PhantomData }
    }
}

/// A parameter "must be a valid pointer to memory containing" so many values, `stride` bytes apart; null
/// counts as none.
///
/// # Safety
/// It is, until the command returns.
#[inline(always)]
pub(crate) unsafe fn strided<'call, T>(first: *const T, count: u32, stride: u32) -> Strided<'call, T> {
    let count = if first.is_null() { 0 } else { count };
    Strided { first: first.cast(), stride: stride as usize, count, _values: PhantomData }
}
