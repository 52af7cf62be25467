//! Private data: a number of the application for each object and slot.

use crate::call::{guard, guard_void};
use crate::handle;
use crate::pointers::{Allocator, In, Out};
use crate::registry::CommandId;
use pyro_driver::device::PrivateDataSlot;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_private_data_slot(
    device: vk::Device,
    _info: In<'_, vk::PrivateDataSlotCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::PrivateDataSlot>,
) -> vk::Result {
    guard(CommandId::create_private_data_slot, || {
        crate::entry::device::check(device)?;
        out.write(vk::PrivateDataSlot::from_raw(handle::create(PrivateDataSlot::default(), allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_private_data_slot(PrivateDataSlot), PrivateDataSlot);

pub(crate) fn set_private_data(
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

pub(crate) fn get_private_data(
    device: vk::Device,
    ty: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    mut out: Out<'_, u64>,
) {
    guard_void(CommandId::get_private_data, || {
        out.write(0);
        crate::entry::device::check(device)?;
        out.write(handle::get::<PrivateDataSlot>(slot.as_raw())?.get(ty, handle::identity(object)));
        Ok(())
    });
}
