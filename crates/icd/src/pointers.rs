//! What a command's parameters point at, as types that only valid pointers make.
//!
//! The problem: Vulkan passes structures, arrays and results by pointer, with their own pointers inside, and
//! says once for all of them that they are valid ("Valid Usage (Implicit)": a parameter `pX` of a command or
//! member of a structure "must be a valid pointer to ..."). The approach: the functions at the end turn the
//! raw parameters of a command into the types here, as the registry says (`registry::parameters`); from then
//! on a body is safe code, since what is reached through an [`In`] is an [`In`]. The invariant: an [`In`], a
//! [`Slice`] and an [`Out`] exist only for memory that is valid until their command returns, with all
//! pointers in it that have an implicit valid usage.

use crate::registry::{for_each_chained_struct, for_each_pointer_member};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;
use vulkanalia_sys as vk;

/// A value that the application passes by pointer: valid while the command runs, with all that it points at.
pub(crate) struct In<'call, T>(&'call T);

impl<T> Clone for In<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<'_, T> {}

impl<T> Deref for In<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<'call, T> In<'call, T> {
    /// The value, for as long as the command runs.
    #[inline]
    pub(crate) fn get(self) -> &'call T {
        self.0
    }
}

/// Host memory of the application's: valid callbacks, which are compatible with those of the creation where
/// an object is destroyed.
pub(crate) type Allocator<'call> = Option<In<'call, vk::AllocationCallbacks>>;

/// An array that the application passes: valid while the command runs, with all that its values point at.
pub(crate) struct Slice<'call, T>(&'call [T]);

impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<'_, T> {}

impl<T> Deref for Slice<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<'call, T> Slice<'call, T> {
    /// The values, for as long as the command runs.
    #[inline]
    pub(crate) fn get(self) -> &'call [T] {
        self.0
    }

    /// The values one by one, as such.
    #[inline]
    pub(crate) fn iter(self) -> std::slice::Iter<'call, T> {
        self.0.iter()
    }
}

/// The values one by one, each with what it points at.
impl<'call, T> IntoIterator for Slice<'call, T> {
    type Item = In<'call, T>;
    type IntoIter = std::iter::Map<std::slice::Iter<'call, T>, fn(&'call T) -> In<'call, T>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(In)
    }
}

/// A structure that begins with `sType` and `pNext`.
///
/// # Safety
/// It begins as `VkBaseInStructure`, and no other structure has its default `sType`.
pub(crate) unsafe trait Chained: Default {
    /// Its `sType`.
    fn s_type() -> vk::StructureType;
}

impl<'call, T: Chained> In<'call, T> {
    /// The first structure of a type in the `pNext` chain.
    pub(crate) fn find<S: Chained>(self) -> Option<In<'call, S>> {
        let wanted = S::s_type();
        let mut next = std::ptr::from_ref(self.0).cast::<vk::BaseInStructure>();
        // SAFETY: `T` and each structure of its chain begin so, and `pNext` is null or the next one
        // ("Valid Usage for Structure Types", "Valid Usage for Extending Structures").
        while let Some(base) = unsafe { next.as_ref() } {
            next = base.next;
            // SAFETY: as above.
            if let Some(found) = unsafe { next.as_ref() }.filter(|found| found.s_type == wanted) {
                // SAFETY: its `sType` says that it is an `S`.
                return Some(In(unsafe { &*std::ptr::from_ref(found).cast::<S>() }));
            }
        }
        None
    }
}

macro_rules! chained_structs {
    ($($name:ident)*) => {$(
        // SAFETY: the registry gives it `sType` and `pNext` first; the bindings' default has the `sType`.
        unsafe impl Chained for vk::$name {
            #[inline]
            fn s_type() -> vk::StructureType {
                vk::$name::default().s_type
            }
        }
    )*};
}

for_each_chained_struct!(chained_structs);

macro_rules! pointer_members {
    (@one $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> In<'call, member_types::$ty> {
            // SAFETY: the registry says that the member is a valid pointer to one value.
            In(unsafe { &*self.0.$member })
        }
    };
    (@nullable $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Option<In<'call, member_types::$ty>> {
            // SAFETY: the registry says that the member is null or a valid pointer to one value.
            unsafe { self.0.$member.as_ref() }.map(In)
        }
    };
    (@array $member:ident [$count:ident] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Slice<'call, member_types::$ty> {
            // SAFETY: the registry says that the member is a valid pointer to as many values as counted.
            unsafe { array(self.0.$member, self.0.$count) }
        }
    };
    (@bytes $member:ident [$count:ident] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> &'call [u8] {
            // SAFETY: the registry says that the member is a valid pointer to as many bytes as counted.
            unsafe { bytes(self.0.$member, self.0.$count) }
        }
    };
    ($($name:ident { $($kind:ident $member:ident $([$count:ident])?: $ty:ident;)* })*) => {$(
        #[allow(dead_code)] // made for all members; a few are not read
        impl<'call> In<'call, vk::$name> {
            $(pointer_members! { @$kind $member $([$count])? $ty })*
        }
    )*};
}

/// The types of members by their names in the bindings.
mod member_types {
    pub(super) use core::primitive::*;
    pub(super) use vulkanalia_sys::*;
}

for_each_pointer_member!(pointer_members);

/// Where a command writes a result: valid memory for one value, of no use after the command.
pub(crate) struct Out<'call, T>(&'call mut T);

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

impl<T: Chained> Out<'_, T> {
    /// The first structure of a type in the `pNext` chain.
    pub(crate) fn find_mut<S: Chained>(&mut self) -> Option<&mut S> {
        let wanted = S::s_type();
        let mut next = std::ptr::from_mut(self.0).cast::<vk::BaseOutStructure>();
        // SAFETY: `T` and each structure of its chain begin so, and `pNext` is null or the next one
        // ("Valid Usage for Structure Types", "Valid Usage for Extending Structures").
        while let Some(base) = unsafe { next.as_ref() } {
            next = base.next;
            // SAFETY: as above.
            if unsafe { next.as_ref() }.is_some_and(|found| found.s_type == wanted) {
                // SAFETY: its `sType` says that it is an `S`; nothing else refers to it meanwhile, since the
                // `Out` is borrowed.
                return unsafe { next.cast::<S>().as_mut() };
            }
        }
        None
    }
}

/// Where a command writes results, as many as the application counts.
pub(crate) struct Outputs<'call, T>(&'call mut [MaybeUninit<T>]);

impl<T> Outputs<'_, T> {
    /// Writes one of the results.
    #[inline]
    pub(crate) fn write(&mut self, index: usize, value: T) {
        self.0[index].write(value);
    }
}

/// Where a command that enumerates writes: a count, and the values if the application has room for them
/// (specification, "Retrieving Results").
pub(crate) struct Enumeration<'call, T> {
    count: &'call mut u32,
    out: *mut T,
}

impl<T> Enumeration<'_, T> {
    /// Answers with the count alone, or as many items as fit.
    pub(crate) fn answer(&mut self, items: &[T]) -> vk::Result
    where
        T: Copy,
    {
        self.fill(items, |out, one| *out = *one)
    }

    /// Answers with the count alone, or has as many structures filled as fit; their type and chain are the
    /// application's.
    pub(crate) fn fill<S>(&mut self, all: &[S], fill: impl Fn(&mut T, &S)) -> vk::Result {
        if self.out.is_null() {
            *self.count = u32::try_from(all.len()).unwrap_or(u32::MAX);
            return vk::Result::SUCCESS;
        }
        let given = all.len().min(*self.count as usize);
        // SAFETY: the type's invariant: it is not null, hence has room for as many as the count said.
        let out = unsafe { std::slice::from_raw_parts_mut(self.out, given) };
        out.iter_mut().zip(all).for_each(|(out, one)| fill(out, one));
        *self.count = given as u32;
        if given < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Where a command writes data: its size in bytes, and the bytes if the application has room for them.
pub(crate) struct Data<'call> {
    size: &'call mut usize,
    out: *mut c_void,
    _memory: PhantomData<&'call mut [u8]>,
}

impl Data<'_> {
    /// Answers with the size alone, or as many bytes as fit; none where not even a cache's header does.
    pub(crate) fn answer_cache(&mut self, data: &[u8]) -> vk::Result {
        if self.out.is_null() {
            *self.size = data.len();
            return vk::Result::SUCCESS;
        }
        // The header begins with its size.
        let header = data.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let copied = if *self.size < header { 0 } else { data.len().min(*self.size) };
        // SAFETY: the type's invariant: it is not null, hence has room for as many as the size said.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.out.cast::<u8>(), copied) };
        *self.size = copied;
        if copied < data.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// A parameter "must be a valid pointer to" one value.
///
/// # Safety
/// It is, and the value is valid until the command returns, with all that it points at.
#[inline(always)]
pub(crate) unsafe fn input<'call, T>(pointer: *const T) -> In<'call, T> {
    // SAFETY: the caller's contract.
    In(unsafe { &*pointer })
}

/// A parameter is null, or "must be a valid pointer to" one value.
///
/// # Safety
/// As of [`input`], unless it is null.
#[inline(always)]
pub(crate) unsafe fn nullable<'call, T>(pointer: *const T) -> Option<In<'call, T>> {
    // SAFETY: the caller's contract.
    unsafe { pointer.as_ref() }.map(In)
}

/// A count of values: the API has counts of several types.
pub(crate) trait Count: Copy {
    /// The count in the processor's words.
    fn count(self) -> usize;
}

macro_rules! counts {
    ($($ty:ty)*) => {$(
        impl Count for $ty {
            #[inline]
            fn count(self) -> usize {
                self as usize
            }
        }
    )*};
}

counts!(u32 usize u64);

/// A parameter "must be a valid pointer to an array of" `count` values; null counts as none.
///
/// # Safety
/// It is, and the values are valid until the command returns, with all that they point at.
#[inline(always)]
pub(crate) unsafe fn array<'call, T>(pointer: *const T, count: impl Count) -> Slice<'call, T> {
    let count = count.count();
    if count == 0 || pointer.is_null() {
        return Slice(&[]);
    }
    // SAFETY: the caller's contract; the pointer is not null.
    Slice(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A parameter "must be a valid pointer to an array of" `size` bytes; null counts as none.
///
/// # Safety
/// It is, until the command returns.
#[inline(always)]
pub(crate) unsafe fn bytes<'call>(pointer: *const c_void, size: impl Count) -> &'call [u8] {
    // SAFETY: the caller's contract; every byte is a value.
    unsafe { array(pointer.cast::<u8>(), size) }.get()
}

/// A parameter "must be a valid pointer to" one value, to be written.
///
/// # Safety
/// It is, and nothing else uses the memory until the command returns.
#[inline(always)]
pub(crate) unsafe fn output<'call, T>(pointer: *mut T) -> Out<'call, T> {
    // SAFETY: the caller's contract; a structure of the API has no invalid values.
    Out(unsafe { &mut *pointer })
}

/// A parameter "must be a valid pointer to an array of" `count` values, to be written; null counts as none.
///
/// # Safety
/// It is, and nothing else uses the memory until the command returns.
#[inline(always)]
pub(crate) unsafe fn outputs<'call, T>(pointer: *mut T, count: impl Count) -> Outputs<'call, T> {
    let count = count.count();
    if count == 0 || pointer.is_null() {
        return Outputs(&mut []);
    }
    // SAFETY: the caller's contract; the pointer is not null.
    Outputs(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), count) })
}

/// A parameter "must be a valid pointer to an array of" `size` bytes, to be written; null counts as none.
///
/// # Safety
/// As of [`outputs`].
#[allow(dead_code)] // no body with such a parameter is safe yet
#[inline(always)]
pub(crate) unsafe fn output_bytes<'call>(pointer: *mut c_void, size: impl Count) -> Outputs<'call, u8> {
    // SAFETY: the caller's contract.
    unsafe { outputs(pointer.cast(), size) }
}

/// Two parameters of an enumeration.
///
/// # Safety
/// `count` is valid, and `pointer` is null or has room for `*count` values; nothing else uses their memory
/// until the command returns.
#[inline(always)]
pub(crate) unsafe fn enumeration<'call, T>(pointer: *mut T, count: *mut u32) -> Enumeration<'call, T> {
    // SAFETY: the caller's contract.
    Enumeration { count: unsafe { &mut *count }, out: pointer }
}

/// Two parameters of a query of data.
///
/// # Safety
/// `size` is valid, and `pointer` is null or has room for `*size` bytes; nothing else uses their memory until
/// the command returns.
#[inline(always)]
pub(crate) unsafe fn data<'call>(pointer: *mut c_void, size: *mut usize) -> Data<'call> {
    // SAFETY: the caller's contract.
    Data { size: unsafe { &mut *size }, out: pointer, _memory: PhantomData }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_arrays_are_empty() {
        // SAFETY: null counts as no values.
        let (values, bytes) =
            unsafe { (array::<u64>(std::ptr::null(), 3_u32), bytes(std::ptr::null(), 3_usize)) };
        assert!(values.is_empty() && bytes.is_empty());
    }

    #[test]
    fn chains_are_searched_behind_their_head() {
        let last = vk::BufferUsageFlags2CreateInfo::default();
        let next = vk::BufferCreateInfo { next: (&raw const last).cast(), ..Default::default() };
        let head = vk::BufferCreateInfo { size: 1, next: (&raw const next).cast(), ..Default::default() };
        // SAFETY: the chain is valid.
        let head = unsafe { input(&head) };
        let usage = head.find::<vk::BufferUsageFlags2CreateInfo>();
        assert!(usage.is_some_and(|usage| std::ptr::eq(usage.get(), &last)));
        assert!(head.find::<vk::BufferCreateInfo>().is_some_and(|other| std::ptr::eq(other.get(), &next)));
        assert!(head.find::<vk::ImageCreateInfo>().is_none());
    }

    #[test]
    fn enumerations_fill_as_many_as_fit() {
        let (mut count, mut out) = (0, [0_u32; 2]);
        // SAFETY: the count and the array are valid.
        let mut asked = unsafe { enumeration::<u32>(std::ptr::null_mut(), &mut count) };
        assert_eq!(asked.fill(&[1, 2, 3], |out, one| *out = *one), vk::Result::SUCCESS);
        assert_eq!(count, 3);
        count = 2;
        // SAFETY: as above.
        let mut given = unsafe { enumeration(out.as_mut_ptr(), &mut count) };
        assert_eq!(given.fill(&[1, 2, 3], |out, one| *out = *one), vk::Result::INCOMPLETE);
        assert_eq!((count, out), (2, [1, 2]));
    }
}
