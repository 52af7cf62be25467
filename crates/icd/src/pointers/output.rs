//! What commands write for the application.

use super::chain::Chained;
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use vulkanalia_sys as vk;

/// Where a command writes a result: valid memory for one value, of no use after the command.
pub(crate) struct Out<'call, T>(pub(super) &'call mut T);

impl<T> Out<'_, T> {
    /// Writes the result.
    #[inline]
    pub(crate) fn write(&mut self, value: T) {
        *self.0 = value;
    }

    /// The structure to fill.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T> Deref for Out<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for Out<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

/// Where a command writes results, as many as the application counts.
pub(crate) struct Outputs<'call, T>(pub(super) &'call mut [MaybeUninit<T>]);

impl<T> Outputs<'_, T> {
    /// Writes one of the results, if there is room for so many: the application's pointer may be null.
    #[inline]
    pub(crate) fn write(&mut self, index: usize, value: T) {
        if let Some(out) = self.0.get_mut(index) {
            out.write(value);
        }
    }

    /// How many there is room for.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The structures, which say themselves what the application wants of each.
    pub(crate) fn structures(&mut self) -> impl Iterator<Item = Out<'_, T>>
    where
        T: Chained,
    {
        // SAFETY: structures with a chain are valid when they are passed: `sType` and `pNext` "must be" what
        // they are ("Valid Usage for Structure Types"), and the members that say what is wanted are set; a
        // structure of the API has no invalid values.
        self.0.iter_mut().map(|one| Out(unsafe { one.assume_init_mut() }))
    }

    /// Writes one value to all.
    pub(crate) fn fill(&mut self, value: T)
    where
        T: Copy,
    {
        self.0.fill(MaybeUninit::new(value));
    }
}

/// Where a command that enumerates writes: a count, and the values if the application has room for them
/// (specification, "Retrieving Results").
pub(crate) struct Enumeration<'call, T> {
    pub(super) count: &'call mut u32,
    pub(super) out: *mut T,
}

impl<T> Enumeration<'_, T> {
    /// How many there is room for; none where the application asks for the count alone.
    pub(crate) fn room(&self) -> Option<usize> {
        (!self.out.is_null()).then_some(*self.count as usize)
    }

    /// Answers with the count alone, or as many items as fit.
    pub(crate) fn answer(&mut self, items: &[T]) -> vk::Result
    where
        T: Copy,
    {
        self.fill(items, |out, one| *out = *one)
    }

    /// Answers with the count alone, or has as many structures filled as fit; their type and chain are the
    /// application's.
    pub(crate) fn fill<S>(&mut self, all: &[S], mut fill: impl FnMut(&mut T, &S)) -> vk::Result {
        self.fill_members(all, |out, one| fill(out.0, one))
    }

    /// The same for structures that have lists of their own to fill.
    pub(crate) fn fill_members<S>(&mut self, all: &[S], mut fill: impl FnMut(Out<'_, T>, &S)) -> vk::Result {
        if self.out.is_null() {
            *self.count = u32::try_from(all.len()).unwrap_or(u32::MAX);
            return vk::Result::SUCCESS;
        }
        let given = all.len().min(*self.count as usize);
        // SAFETY: the type's invariant: it is not null, hence has room for as many as the count said.
        let out = unsafe { std::slice::from_raw_parts_mut(self.out, given) };
        out.iter_mut().zip(all).for_each(|(out, one)| fill(Out(out), one));
        *self.count = given as u32;
        if given < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Where a command that enumerates writes two things of each item, of which the application may ask for one.
pub(crate) struct EnumerationPair<'call, A, B> {
    pub(super) count: &'call mut u32,
    pub(super) first: *mut A,
    pub(super) second: *mut B,
}

impl<A, B> EnumerationPair<'_, A, B> {
    /// Answers with the count alone, or has as many structures filled as fit; their type and chain are the
    /// application's.
    pub(crate) fn fill<S>(
        &mut self,
        all: &[S],
        fill_first: impl FnMut(&mut A, &S),
        fill_second: impl FnMut(&mut B, &S),
    ) -> vk::Result {
        let mut counts = [*self.count; 2];
        let [first, second] = &mut counts;
        let mut first = Enumeration { count: first, out: self.first };
        let mut second = Enumeration { count: second, out: self.second };
        let results = [first.fill(all, fill_first), second.fill(all, fill_second)];
        // Where only one is asked for, the other has counted all.
        let asked = if self.first.is_null() { 1 } else { 0 };
        *self.count = counts[asked];
        results[asked]
    }
}

/// A number of bytes, by its type in Vulkan: `size_t`, or 32 or 64 bits.
pub(crate) trait ByteCount {
    /// The number.
    fn get(&self) -> usize;
    /// Replaces it.
    fn set(&mut self, count: usize);
}

impl ByteCount for usize {
    fn get(&self) -> usize {
        *self
    }

    fn set(&mut self, count: usize) {
        *self = count;
    }
}

impl ByteCount for u32 {
    fn get(&self) -> usize {
        *self as usize
    }

    fn set(&mut self, count: usize) {
        *self = u32::try_from(count).unwrap_or(u32::MAX);
    }
}

impl ByteCount for u64 {
    fn get(&self) -> usize {
        usize::try_from(*self).unwrap_or(usize::MAX)
    }

    fn set(&mut self, count: usize) {
        *self = count as u64;
    }
}

/// Where a command writes data: its size in bytes, and the bytes if the application has room for them.
pub(crate) struct Data<'call> {
    pub(super) size: &'call mut dyn ByteCount,
    pub(super) out: *mut c_void,
    pub(super) _memory: PhantomData<&'call mut [u8]>,
}

impl Data<'_> {
    /// Whether the application asks for the size alone.
    pub(crate) fn asks_for_size(&self) -> bool {
        self.out.is_null()
    }

    /// How many bytes there is room for.
    pub(crate) fn room(&self) -> usize {
        if self.out.is_null() { 0 } else { self.size.get() }
    }

    /// Says how many bytes there are, without writing any.
    pub(crate) fn set_size(&mut self, size: usize) {
        self.size.set(size);
    }

    /// Writes as many bytes as there is room for, and says how many these are.
    fn write(&mut self, data: &[u8]) -> vk::Result {
        let copied = data.len().min(self.room());
        // SAFETY: the type's invariant: it is not null where there is room.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.out.cast::<u8>(), copied) };
        self.size.set(copied);
        if copied < data.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }

    /// Answers with the size alone, or all bytes; none, and a size of zero, where they do not fit.
    pub(crate) fn answer_whole(&mut self, data: &[u8]) -> vk::Result {
        if self.out.is_null() {
            self.size.set(data.len());
            return vk::Result::SUCCESS;
        }
        if self.room() < data.len() {
            self.size.set(0);
            return vk::Result::INCOMPLETE;
        }
        self.write(data)
    }

    /// Answers with the size alone, or as many bytes as fit.
    pub(crate) fn answer_cut(&mut self, data: &[u8]) -> vk::Result {
        if self.out.is_null() {
            self.size.set(data.len());
            return vk::Result::SUCCESS;
        }
        self.write(data)
    }

    /// Answers with the size alone, or a text that ends in zero, cut where it does not fit.
    pub(crate) fn answer_text(&mut self, text: &str) -> vk::Result {
        let size = text.len() + 1;
        if self.out.is_null() {
            self.size.set(size);
            return vk::Result::SUCCESS;
        }
        let cut = text.len().min(self.room().saturating_sub(1));
        let mut bytes = text.as_bytes()[..cut].to_vec();
        bytes.push(0);
        let fits = self.room() >= size;
        self.write(&bytes);
        if fits { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE }
    }

    /// Answers with the size alone, or as many bytes as fit; none where not even a cache's header does.
    pub(crate) fn answer_cache(&mut self, data: &[u8]) -> vk::Result {
        if self.out.is_null() {
            self.size.set(data.len());
            return vk::Result::SUCCESS;
        }
        // The header begins with its size.
        let header = data.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        if self.room() < header {
            self.size.set(0);
            return vk::Result::INCOMPLETE;
        }
        self.write(data)
    }
}

/// Bytes that the application wants written: valid until the command returns, and not read by the driver.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'call> {
    pub(super) first: *mut u8,
    pub(super) size: usize,
    pub(super) _memory: PhantomData<&'call Cell<u8>>,
}

impl Memory<'_> {
    /// Writes bytes to a place; false, and none are written, where they do not fit.
    #[must_use]
    #[inline]
    pub(crate) fn write(self, at: usize, bytes: &[u8]) -> bool {
        let fits = at.checked_add(bytes.len()).is_some_and(|end| end <= self.size);
        if fits {
            // SAFETY: the type's invariant; the bytes fit, and are not the application's, to which nothing
            // refers.
            unsafe { self.first.add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        fits
    }
}
