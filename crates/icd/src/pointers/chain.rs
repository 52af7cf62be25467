//! Chains of structures (`pNext`): each begins with its `sType` and the pointer to the next one.

use super::{In, Out};
use crate::registry::for_each_chained_struct;
use pyro_driver::caps::features::FeatureStruct;
use std::marker::PhantomData;
use std::mem::offset_of;
use vulkanalia_sys as vk;

/// A structure that begins with `sType` and `pNext`.
///
/// # Safety
/// It begins as `VkBaseInStructure`, and no other structure has its default `sType`.
pub(crate) unsafe trait Chained: Default {
    /// Its `sType`.
    fn s_type() -> vk::StructureType;
}

/// The structures behind one, as its `pNext` leads to them.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'call> {
    /// Null, or a structure that is valid while the command runs, with its own chain.
    first: *const vk::BaseInStructure,
    _structures: PhantomData<&'call vk::BaseInStructure>,
}

impl<'call> Chain<'call> {
    /// The structures one by one.
    fn links(self) -> impl Iterator<Item = Link<'call>> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let at = next;
            // SAFETY: the type's invariant: each structure of a chain begins so, and `pNext` is null or the
            // next one ("Valid Usage for Structure Types", "Valid Usage for Extending Structures").
            let base = unsafe { at.as_ref() }?;
            next = base.next;
            Some(Link { at, s_type: base.s_type, _structure: PhantomData })
        })
    }

    /// The first structure of a type.
    pub(crate) fn find<S: Chained + 'call>(self) -> Option<In<'call, S>> {
        self.find_all().next()
    }

    /// All structures of a type, of which a few may be there several times.
    pub(crate) fn find_all<S: Chained + 'call>(self) -> impl Iterator<Item = In<'call, S>> {
        let wanted = S::s_type();
        // SAFETY: its `sType` says that it is an `S`.
        let structure = |link: Link<'call>| In(unsafe { &*link.at.cast::<S>() });
        self.links().filter(move |link| link.s_type == wanted).map(structure)
    }

    /// The structures of features, each with the values of its features.
    pub(crate) fn features(self) -> impl Iterator<Item = (&'static FeatureStruct, &'call [vk::Bool32])> {
        self.links().filter_map(|link| {
            let known = FeatureStruct::find(link.s_type)?;
            // SAFETY: the structure consists of a `VkBool32` for each feature, behind `sType` and `pNext`.
            let values = unsafe {
                let first = link.at.add(1).cast::<vk::Bool32>();
                std::slice::from_raw_parts(first, known.fields.len())
            };
            Some((known, values))
        })
    }
}

/// A structure of a chain.
struct Link<'call> {
    at: *const vk::BaseInStructure,
    s_type: vk::StructureType,
    _structure: PhantomData<&'call vk::BaseInStructure>,
}

impl<'call, T: Chained> In<'call, T> {
    /// What its `pNext` leads to.
    #[inline]
    pub(crate) fn chain(self) -> Chain<'call> {
        let this = std::ptr::from_ref(self.0).cast::<vk::BaseInStructure>();
        // SAFETY: `T` begins so.
        Chain { first: unsafe { (*this).next }, _structures: PhantomData }
    }

    /// The first structure of a type in the `pNext` chain.
    pub(crate) fn find<S: Chained + 'call>(self) -> Option<In<'call, S>> {
        self.chain().find()
    }
}

/// A structure of a chain that a command fills.
pub(crate) struct OutLink<'out> {
    at: *mut vk::BaseOutStructure,
    s_type: vk::StructureType,
    _structure: PhantomData<&'out mut vk::BaseOutStructure>,
}

impl OutLink<'_> {
    /// The structure, if it is of this type.
    pub(crate) fn get<S: Chained>(&mut self) -> Option<Out<'_, S>> {
        // SAFETY: its `sType` says that it is an `S`; nothing else refers to it, since the link is borrowed,
        // and links of one chain are for different structures.
        (self.s_type == S::s_type()).then(|| Out(unsafe { &mut *self.at.cast::<S>() }))
    }

    /// The values of its features, if it is a structure of features.
    pub(crate) fn features(&mut self) -> Option<(&'static FeatureStruct, &mut [vk::Bool32])> {
        let known = FeatureStruct::find(self.s_type)?;
        // SAFETY: the structure consists of a `VkBool32` for each feature, behind `sType` and `pNext`;
        // nothing else refers to them, as of `get`.
        let values = unsafe {
            let first = self.at.add(1).cast::<vk::Bool32>();
            std::slice::from_raw_parts_mut(first, known.fields.len())
        };
        Some((known, values))
    }
}

impl<T: Chained> Out<'_, T> {
    /// The structures in the `pNext` chain.
    pub(crate) fn links(&mut self) -> impl Iterator<Item = OutLink<'_>> {
        let this = std::ptr::from_mut(self.0).cast::<vk::BaseOutStructure>();
        // SAFETY: `T` begins so.
        let mut next = unsafe { (*this).next };
        std::iter::from_fn(move || {
            let at = next;
            // SAFETY: each structure of a chain begins so, and `pNext` is null or the next one ("Valid Usage
            // for Structure Types", "Valid Usage for Extending Structures"); the reference ends here.
            let base = unsafe { at.as_ref() }?;
            next = base.next;
            Some(OutLink { at, s_type: base.s_type, _structure: PhantomData })
        })
    }

    /// The first structure of a type in the `pNext` chain.
    pub(crate) fn find_mut<S: Chained>(&mut self) -> Option<Out<'_, S>> {
        let wanted = S::s_type();
        let found = self.links().find(|link| link.s_type == wanted)?;
        // SAFETY: its `sType` says that it is an `S`; nothing else refers to it meanwhile, since the `Out` is
        // borrowed.
        Some(Out(unsafe { &mut *found.at.cast::<S>() }))
    }
}

impl Out<'_, vk::PhysicalDeviceMemoryDecompressionPropertiesEXT> {
    /// Clears the upper half of `decompressionMethods`, which the bindings lack: they have 32 of the 64 bits
    /// of `VkMemoryDecompressionMethodFlagsEXT`.
    pub(crate) fn clear_upper_methods(&mut self) {
        let offset =
            offset_of!(vk::PhysicalDeviceMemoryDecompressionPropertiesEXT, decompression_methods) + 4;
        // SAFETY: what follows the lower half is aligned to eight bytes, so that the upper one lies within
        // the structure.
        unsafe { (&raw mut *self.0).byte_add(offset).cast::<u32>().write(0) };
    }
}

impl Out<'_, vk::PhysicalDeviceSchedulingControlsPropertiesARM> {
    /// Adds `VK_PHYSICAL_DEVICE_SCHEDULING_CONTROLS_DISPATCH_PARAMETERS_ARM`, which the bindings lack, and
    /// clears the upper half of `schedulingControlsFlags`: they have 32 of its 64 bits.
    pub(crate) fn add_dispatch_parameters(&mut self) {
        let offset = offset_of!(vk::PhysicalDeviceSchedulingControlsPropertiesARM, scheduling_controls_flags);
        let flags = u64::from(self.scheduling_controls_flags.bits()) | 1 << 1;
        // SAFETY: the flags are the first half of eight bytes at a multiple of eight within the structure, of
        // which the bindings have the second for padding.
        unsafe { (&raw mut *self.0).byte_add(offset).cast::<u64>().write(flags) };
    }
}

/// These features of formats, and `more`, which the bindings lack.
pub(crate) fn format_features(known: vk::FormatFeatureFlags2, more: u64) -> vk::FormatFeatureFlags2 {
    // SAFETY: the flags are a word of 64 bits of which any may be set; none of the bits means something to
    // the bindings.
    unsafe { vk::FormatFeatureFlags2::from_bits_unchecked(known.bits() | more) }
}

/// The types of structures by their names in the bindings.
mod types {
    pub(super) use pyro_driver::registry_supplement::*;
    // The bindings have it, too, with another mask.
    pub(super) use pyro_driver::registry_supplement::DecompressMemoryInfoEXT;
    pub(super) use vulkanalia_sys::*;
}

macro_rules! chained_structs {
    ($($name:ident)*) => {$(
        // SAFETY: the registry gives it `sType` and `pNext` first; the bindings' default has the `sType`.
        unsafe impl Chained for types::$name {
            #[inline]
            fn s_type() -> vk::StructureType {
                types::$name::default().s_type
            }
        }
    )*};
}

for_each_chained_struct!(chained_structs);
