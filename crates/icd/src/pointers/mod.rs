//! What a command's parameters point at, as types that only valid pointers make.
//!
//! The problem: Vulkan passes structures, arrays and results by pointer, with their own pointers inside, and
//! says once for all of them that they are valid ("Valid Usage (Implicit)": a parameter `pX` of a command or
//! member of a structure "must be a valid pointer to ..."). The approach: the functions at the end turn the
//! raw parameters of a command into the types here, as the registry says (`registry::parameters`); from then
//! on a body is safe code, since what is reached through an [`In`] is an [`In`]. The invariant: the types
//! here exist only for memory that is valid until their command returns, with all pointers in it that have an
//! implicit valid usage.
//!
//! [`chain`] has `pNext` chains, [`members`] the pointers in structures, [`mod@output`] what commands write,
//! [`unions`] the unions that no member selects.

mod chain;
mod members;
mod output;
mod strided;
mod unions;

pub(crate) use chain::{Chain, OutLink, format_features};
pub(crate) use output::{Data, Enumeration, EnumerationPair, Memory, Out, Outputs};
pub(crate) use strided::{Strided, strided};
pub(crate) use unions::{DeviceOrHostAddress, PlainWords};

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
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

impl<'call> In<'call, vk::GraphicsPipelineCreateInfo> {
    /// Calls `make` with what a pipeline is made from, but for what a shader group has of its own.
    pub(crate) fn with_group<T>(
        self,
        group: In<'call, vk::GraphicsShaderGroupCreateInfoNV>,
        make: impl FnOnce(In<'_, vk::GraphicsPipelineCreateInfo>) -> T,
    ) -> T {
        // Each pointer is as valid as the same one of a pipeline's
        // (VUID-VkGraphicsShaderGroupCreateInfoNV-pStages-02889,
        // VUID-VkGraphicsShaderGroupCreateInfoNV-pVertexInputState-02890,
        // VUID-VkGraphicsShaderGroupCreateInfoNV-pTessellationState-02891).
        let own = vk::GraphicsPipelineCreateInfo {
            stage_count: group.stage_count,
            stages: group.stages,
            vertex_input_state: group.vertex_input_state,
            tessellation_state: group.tessellation_state,
            ..*self.get()
        };
        make(In(&own))
    }
}

/// Host memory of the application's: valid callbacks, which are compatible with those of the creation where
/// an object is destroyed.
pub(crate) type Allocator<'call> = Option<In<'call, vk::AllocationCallbacks>>;

/// The data of a descriptor update template, valid while the command runs: where the template's entries say,
/// there is what they say (VUID-vkUpdateDescriptorSetWithTemplate-pData-01685).
#[derive(Clone, Copy)]
pub(crate) struct TemplateData<'call> {
    first: *const u8,
    _data: PhantomData<&'call u8>,
}

impl TemplateData<'_> {
    /// The place at an offset of one of the template's entries.
    #[inline]
    pub(crate) fn at(self, offset: usize) -> *const u8 {
        self.first.wrapping_add(offset)
    }
}

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

    /// One of the values, with what it points at.
    #[inline]
    pub(crate) fn at(self, index: usize) -> Option<In<'call, T>> {
        self.0.get(index).map(In)
    }

    /// The first value, and the others.
    #[inline]
    pub(crate) fn split_first(self) -> Option<(In<'call, T>, Slice<'call, T>)> {
        self.0.split_first().map(|(first, rest)| (In(first), Slice(rest)))
    }

    /// The first values, as many as these.
    #[inline]
    pub(crate) fn first_values(self, count: usize) -> Slice<'call, T> {
        Slice(self.0.get(..count).unwrap_or(self.0))
    }

    /// No values.
    pub(crate) fn empty() -> Slice<'call, T> {
        Slice(&[])
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

/// A parameter is null, or "must be a null-terminated UTF-8 string".
///
/// # Safety
/// It is, until the command returns.
#[inline(always)]
pub(crate) unsafe fn string<'call>(pointer: *const c_char) -> Option<&'call CStr> {
    // SAFETY: the caller's contract; the pointer is not null.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// A parameter is the data of the template that is another parameter.
///
/// # Safety
/// It is, until the command returns.
#[inline(always)]
pub(crate) unsafe fn template_data<'call>(data: *const c_void) -> TemplateData<'call> {
    TemplateData { first: data.cast(), _data: PhantomData }
}

/// A parameter "must be a valid pointer to an array of" a known number of values.
///
/// # Safety
/// As of [`input`].
#[inline(always)]
pub(crate) unsafe fn fixed<'call, const N: usize, T>(pointer: *const T) -> In<'call, [T; N]> {
    // SAFETY: the caller's contract.
    unsafe { input(pointer.cast()) }
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

/// A parameter is null, or "must be a valid pointer to" one value, to be written.
///
/// # Safety
/// As of [`mod@output`], unless it is null.
#[inline(always)]
pub(crate) unsafe fn nullable_output<'call, T>(pointer: *mut T) -> Option<Out<'call, T>> {
    // SAFETY: the caller's contract; a structure of the API has no invalid values.
    unsafe { pointer.as_mut() }.map(Out)
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
/// It is, and nothing refers to the memory until the command returns.
#[inline(always)]
pub(crate) unsafe fn memory<'call>(pointer: *mut c_void, size: impl Count) -> Memory<'call> {
    let size = if pointer.is_null() { 0 } else { size.count() };
    Memory { first: pointer.cast(), size, _memory: PhantomData }
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

/// Three parameters of an enumeration of two things at once.
///
/// # Safety
/// `count` is valid, and `first` and `second` are null or have room for `*count` values; nothing else uses
/// their memory until the command returns.
#[inline(always)]
pub(crate) unsafe fn enumeration_pair<'call, A, B>(
    first: *mut A,
    second: *mut B,
    count: *mut u32,
) -> EnumerationPair<'call, A, B> {
    // SAFETY: the caller's contract.
    EnumerationPair { count: unsafe { &mut *count }, first, second }
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
