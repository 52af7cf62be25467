//! Private data: a number of the application for each object and slot.

use crate::call::{guard, guard_void};
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::device::PrivateDataSlot;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_private_data_slot(
    device: vk::Device,
    _info: *const vk::PrivateDataSlotCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    // SAFETY: `out` is valid; `allocator` is null or valid
    // (VUID-vkCreatePrivateDataSlot-pAllocator-parameter,
    // VUID-vkCreatePrivateDataSlot-pPrivateDataSlot-parameter).
    guard(CommandId::create_private_data_slot, || unsafe {
        crate::entry::device::check(device)?;
        *out = vk::PrivateDataSlot::from_raw(handle::new(PrivateDataSlot::default(), allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_private_data_slot(PrivateDataSlot), PrivateDataSlot);

pub(crate) unsafe extern "system" fn set_private_data(
    device: vk::Device,
    ty: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> vk::Result {
    guard(CommandId::set_private_data, || {
        crate::entry::device::check(device)?;
        let slot = handle::get::<PrivateDataSlot>(slot.as_raw())?;
        slot.set(ty, handle::identity(object), data);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_private_data(
    device: vk::Device,
    ty: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    // SAFETY: `out` is valid (VUID-vkGetPrivateData-pData-parameter).
    guard_void(CommandId::get_private_data, || unsafe {
        *out = 0;
        crate::entry::device::check(device)?;
        *out = handle::get::<PrivateDataSlot>(slot.as_raw())?.get(ty, handle::identity(object));
        Ok(())
    });
}
