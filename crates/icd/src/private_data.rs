//! Private data: a number of the application for each object and slot.

use crate::{guard, handle, quiet};
use pyro_driver::device::PrivateDataSlot;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_slot(
    handle_: vk::Device,
    _info: *const vk::PrivateDataSlotCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        *out = vk::PrivateDataSlot::from_raw(handle::new(PrivateDataSlot::default(), allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

handle::destroy_command!(destroy_slot(PrivateDataSlot), PrivateDataSlot);

pub(crate) unsafe extern "system" fn set(
    handle_: vk::Device,
    ty: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> vk::Result {
    guard(|| {
        crate::device::check(handle_)?;
        let slot = handle::get::<PrivateDataSlot>(slot.as_raw())?;
        slot.set(ty, handle::identity(object), data);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get(
    handle_: vk::Device,
    ty: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    quiet(|| unsafe {
        *out = 0;
        crate::device::check(handle_)?;
        *out = handle::get::<PrivateDataSlot>(slot.as_raw())?.get(ty, handle::identity(object));
        Ok(())
    });
}
