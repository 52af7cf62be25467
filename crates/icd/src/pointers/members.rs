//! The pointers in structures, each by a function named as its member: what it gives is valid as the
//! structure that it is reached through is.
//!
//! A member that the registry gives no implicit valid usage (`noautovalidity`) is valid under a condition:
//! its function is unsafe, and the block that calls it says why the condition holds.

use super::{Data, Enumeration, In, Memory, Out, Slice, array, bytes, fixed, memory, nullable, string};
use crate::registry::{for_each_pointer_member, for_each_selected_member};
use std::cell::Cell;
use std::ffi::CStr;

/// The types of members by their names in the bindings.
mod types {
    pub(super) use core::primitive::*;
    pub(super) use pyro_driver::registry_supplement::*;
    // The bindings have it, too, with another mask.
    pub(super) use pyro_driver::registry_supplement::DecompressMemoryInfoEXT;
    pub(super) use vulkanalia_sys::*;
}

macro_rules! input_member {
    (one $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> In<'call, types::$ty> {
            // SAFETY: the registry says that the member is a valid pointer to one value.
            In(unsafe { &*self.0.$member })
        }
    };
    (nullable $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Option<In<'call, types::$ty>> {
            // SAFETY: the registry says that the member is null or a valid pointer to one value.
            unsafe { nullable(self.0.$member) }
        }
    };
    (conditional $member:ident $ty:ident) => {
        /// # Safety
        /// The pointer is null or valid: what the specification makes that depend on holds.
        #[inline]
        pub(crate) unsafe fn $member(self) -> Option<In<'call, types::$ty>> {
            // SAFETY: the caller's contract.
            unsafe { nullable(self.0.$member) }
        }
    };
    (array $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Slice<'call, types::$ty> {
            // SAFETY: the registry says that the member is a valid pointer to as many values as counted.
            unsafe { array(self.0.$member, self.0.$count) }
        }
    };
    (conditional_array $member:ident [$count:tt] $ty:ident) => {
        /// # Safety
        /// The pointer is null or valid: what the specification makes that depend on holds.
        #[inline]
        pub(crate) unsafe fn $member(self) -> Slice<'call, types::$ty> {
            // SAFETY: the caller's contract.
            unsafe { array(self.0.$member, self.0.$count) }
        }
    };
    (pointers $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> impl ExactSizeIterator<Item = In<'call, types::$ty>> {
            // SAFETY: the registry says that the member is a valid pointer to as many pointers as counted,
            // each valid and to one value.
            unsafe { array(self.0.$member, self.0.$count) }.iter().map(|one| In(unsafe { &**one }))
        }
    };
    (strings $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> impl ExactSizeIterator<Item = Option<&'call CStr>> {
            // SAFETY: the registry says that the member is a valid pointer to as many pointers as counted,
            // each to a string.
            unsafe { array(self.0.$member, self.0.$count) }.iter().map(|one| unsafe { string(*one) })
        }
    };
    (string $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Option<&'call CStr> {
            // SAFETY: the registry says that the member is a string.
            unsafe { string(self.0.$member) }
        }
    };
    (words $member:ident [$size:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> &'call [u32] {
            // SAFETY: the registry says that the member is a valid pointer to words of so many bytes.
            unsafe { array(self.0.$member, self.0.$size / 4) }.get()
        }
    };
    (fixed $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> In<'call, [types::$ty; $count]> {
            // SAFETY: the registry says that the member is a valid pointer to so many values.
            unsafe { fixed(self.0.$member) }
        }
    };
    (bytes $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> &'call [u8] {
            // SAFETY: the registry says that the member is a valid pointer to as many bytes as counted.
            unsafe { bytes(self.0.$member, self.0.$count) }
        }
    };
    (conditional_bytes $member:ident [$count:tt] $ty:ident) => {};
    (within $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> In<'call, types::$ty> {
            // What a valid structure consists of is valid.
            In(&self.0.$member)
        }
    };
    (cell $member:ident $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Option<&'call Cell<types::$ty>> {
            // SAFETY: the registry says that the member is a valid pointer to one value, to be written; null
            // is none.
            unsafe { self.0.$member.cast::<Cell<types::$ty>>().as_ref() }
        }
    };
    (cells $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> &'call [Cell<types::$ty>] {
            // SAFETY: the registry says that the member is a valid pointer to as many values as counted, to
            // be written.
            unsafe { array(self.0.$member.cast::<Cell<types::$ty>>().cast_const(), self.0.$count) }.get()
        }
    };
    (memory $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(self) -> Memory<'call> {
            // SAFETY: the registry says that the member is a valid pointer to as many bytes as counted, to be
            // written.
            unsafe { memory(self.0.$member, self.0.$count) }
        }
    };
}

/// Lists that a command fills, in structures that it fills.
macro_rules! output_member {
    (cells $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(&mut self) -> Enumeration<'_, types::$ty> {
            // The registry says that the member is null or a valid pointer to as many values as counted.
            Enumeration { count: &mut self.0.$count, out: self.0.$member }
        }
    };
    (memory $member:ident [$count:tt] $ty:ident) => {
        #[inline]
        pub(crate) fn $member(&mut self) -> Data<'_> {
            // The registry says that the member is null or a valid pointer to as many bytes as counted.
            Data { size: &mut self.0.$count, out: self.0.$member, _memory: std::marker::PhantomData }
        }
    };
    ($kind:ident $member:ident $([$count:tt])? $ty:ident) => {};
}

macro_rules! pointer_members {
    ($($name:ident { $($kind:ident $member:ident $([$count:tt])?: $ty:ident;)* })*) => {$(
        #[allow(dead_code)] // made for all members; a few are not read
        impl<'call> In<'call, types::$name> {
            $(input_member! { $kind $member $([$count])? $ty })*
        }

        #[allow(dead_code)] // as above
        impl Out<'_, types::$name> {
            $(output_member! { $kind $member $([$count])? $ty })*
        }
    )*};
}

for_each_pointer_member!(pointer_members);

macro_rules! selected_member {
    (pointer $place:expr) => {
        // SAFETY: the registry says that the member which is selected is null or a valid pointer to one
        // value.
        unsafe { nullable($place) }
    };
    (within $place:expr) => {
        // SAFETY: the selector says that the application has set this member.
        Some(In(unsafe { &$place }))
    };
}

macro_rules! selected_members {
    ($($name:ident.$union:ident[$selector:ident: $selector_type:ident] {
        $($kind:ident $accessor:ident $member:ident: $ty:ident = $($value:ident)*;)*
    })*) => {$(
        #[allow(dead_code)] // made for all members; a few are not read
        impl<'call> In<'call, types::$name> {$(
            /// What the union holds, where the selector says this member.
            #[inline]
            pub(crate) fn $accessor(self) -> Option<In<'call, types::$ty>> {
                if ![$(types::$selector_type::$value),*].contains(&self.0.$selector) {
                    return None;
                }
                selected_member! { $kind self.0.$union.$member }
            }
        )*}
    )*};
}

for_each_selected_member!(selected_members);
