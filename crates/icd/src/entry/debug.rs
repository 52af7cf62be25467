//! `VK_EXT_debug_utils` and `VK_EXT_debug_report`.

use crate::call::messages::{self, Callback, Message, Messenger};
use crate::call::{guard, guard_void};
use crate::entry::instance::Instance;
use crate::handle::call_context;
use crate::handle::{self, Dispatchable};
use crate::pointers::{Allocator, In, Out};
use crate::registry::CommandId;
use pyro_driver::Result;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// A `VkDebugUtilsMessengerEXT`.
pub(crate) struct UtilsMessenger(Arc<Messenger>);

/// A `VkDebugReportCallbackEXT`.
pub(crate) struct ReportCallback(Arc<Messenger>);

fn utils(instance: u64, info: &vk::DebugUtilsMessengerCreateInfoEXT) -> Arc<Messenger> {
    let callback = Callback::Utils {
        severities: info.message_severity,
        types: info.message_type,
        function: info.user_callback,
    };
    Arc::new(Messenger { instance, callback, user_data: info.user_data as usize })
}

fn report(instance: u64, info: &vk::DebugReportCallbackCreateInfoEXT) -> Arc<Messenger> {
    let callback = Callback::Report { flags: info.flags, function: info.callback };
    Arc::new(Messenger { instance, callback, user_data: info.user_data as usize })
}

/// The messengers in the chain of an instance's creation.
///
/// # Safety
/// The chain is valid.
pub(crate) unsafe fn chained(mut next: *const c_void) -> Vec<Arc<Messenger>> {
    let mut found = Vec::new();
    // SAFETY: each structure of a valid chain begins as `VkBaseInStructure` does, and its `pNext` is null or
    // the next one.
    while let Some(base) = unsafe { next.cast::<vk::BaseInStructure>().as_ref() } {
        match base.s_type {
            vk::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT => {
                // SAFETY: its `sType` says that it is this structure.
                found.push(utils(0, unsafe { &*next.cast() }));
            }
            vk::StructureType::DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT => {
                // SAFETY: its `sType` says that it is this structure.
                found.push(report(0, unsafe { &*next.cast() }));
            }
            _ => {}
        }
        next = base.next.cast();
    }
    found
}

pub(crate) fn create_debug_utils_messenger_ext(
    instance: vk::Instance,
    info: In<'_, vk::DebugUtilsMessengerCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::DebugUtilsMessengerEXT>,
) -> vk::Result {
    guard(CommandId::create_debug_utils_messenger_ext, || {
        Dispatchable::<Instance>::get(instance.as_raw())?;
        let messenger = utils(call_context::owner().instance, &info);
        let made = handle::create(UtilsMessenger(Arc::clone(&messenger)), allocator)?;
        messages::add(&messenger);
        out.write(vk::DebugUtilsMessengerEXT::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_debug_utils_messenger_ext(
    instance: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    allocator: Allocator,
) {
    guard_void(CommandId::destroy_debug_utils_messenger_ext, || {
        if messenger.is_null() {
            return Ok(());
        }
        Dispatchable::<Instance>::get(instance.as_raw())?;
        messages::remove(&handle::get::<UtilsMessenger>(messenger.as_raw())?.0);
        handle::remove::<UtilsMessenger>(messenger.as_raw(), allocator)
    });
}

pub(crate) unsafe extern "system" fn submit_debug_utils_message_ext(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT,
) {
    guard_void(CommandId::submit_debug_utils_message_ext, || {
        let instance = Dispatchable::<Instance>::owner(instance.as_raw())?.instance;
        // SAFETY: `data` is valid (VUID-vkSubmitDebugUtilsMessageEXT-pCallbackData-parameter).
        messages::submit(instance, &Message { severity, types, data: unsafe { &*data } });
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn set_debug_utils_object_name_ext(
    device: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT,
) -> vk::Result {
    // SAFETY: `info` is valid (VUID-vkSetDebugUtilsObjectNameEXT-pNameInfo-parameter).
    guard(CommandId::set_debug_utils_object_name_ext, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let name = info.object_name;
        let name = (!name.is_null()).then(|| CStr::from_ptr(name).to_owned());
        handle::names::set(handle::identity(info.object_handle), name);
        Ok(vk::Result::SUCCESS)
    })
}

/// Tags are for tools; the driver has no use for them.
pub(crate) fn set_debug_utils_object_tag_ext(
    device: vk::Device,
    _info: In<'_, vk::DebugUtilsObjectTagInfoEXT>,
) -> vk::Result {
    guard(CommandId::set_debug_utils_object_tag_ext, || {
        crate::entry::device::device_object(device).map(|_| vk::Result::SUCCESS)
    })
}

fn with_queue(queue: vk::Queue) -> Result<()> {
    Dispatchable::<pyro_driver::queue::Queue>::get(queue.as_raw()).map(|_| ())
}

/// Labels are for tools; the driver has no use for them.
pub(crate) fn queue_begin_debug_utils_label_ext(queue: vk::Queue, _label: In<'_, vk::DebugUtilsLabelEXT>) {
    guard_void(CommandId::queue_begin_debug_utils_label_ext, || with_queue(queue));
}

pub(crate) fn queue_insert_debug_utils_label_ext(queue: vk::Queue, _label: In<'_, vk::DebugUtilsLabelEXT>) {
    guard_void(CommandId::queue_insert_debug_utils_label_ext, || with_queue(queue));
}

pub(crate) fn queue_end_debug_utils_label_ext(queue: vk::Queue) {
    guard_void(CommandId::queue_end_debug_utils_label_ext, || with_queue(queue));
}

pub(crate) fn cmd_begin_debug_utils_label_ext(
    buffer: vk::CommandBuffer,
    _label: In<'_, vk::DebugUtilsLabelEXT>,
) {
    crate::call::recording::record(CommandId::cmd_begin_debug_utils_label_ext, buffer, |_| Ok(()));
}

pub(crate) fn cmd_insert_debug_utils_label_ext(
    buffer: vk::CommandBuffer,
    _label: In<'_, vk::DebugUtilsLabelEXT>,
) {
    crate::call::recording::record(CommandId::cmd_insert_debug_utils_label_ext, buffer, |_| Ok(()));
}

pub(crate) fn cmd_end_debug_utils_label_ext(buffer: vk::CommandBuffer) {
    crate::call::recording::record(CommandId::cmd_end_debug_utils_label_ext, buffer, |_| Ok(()));
}

pub(crate) fn create_debug_report_callback_ext(
    instance: vk::Instance,
    info: In<'_, vk::DebugReportCallbackCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::DebugReportCallbackEXT>,
) -> vk::Result {
    guard(CommandId::create_debug_report_callback_ext, || {
        Dispatchable::<Instance>::get(instance.as_raw())?;
        let messenger = report(call_context::owner().instance, &info);
        let made = handle::create(ReportCallback(Arc::clone(&messenger)), allocator)?;
        messages::add(&messenger);
        out.write(vk::DebugReportCallbackEXT::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_debug_report_callback_ext(
    instance: vk::Instance,
    callback: vk::DebugReportCallbackEXT,
    allocator: Allocator,
) {
    guard_void(CommandId::destroy_debug_report_callback_ext, || {
        if callback.is_null() {
            return Ok(());
        }
        Dispatchable::<Instance>::get(instance.as_raw())?;
        messages::remove(&handle::get::<ReportCallback>(callback.as_raw())?.0);
        handle::remove::<ReportCallback>(callback.as_raw(), allocator)
    });
}

pub(crate) fn debug_report_message_ext(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    ty: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    code: i32,
    prefix: *const c_char,
    text: *const c_char,
) {
    guard_void(CommandId::debug_report_message_ext, || {
        let instance = Dispatchable::<Instance>::owner(instance.as_raw())?.instance;
        // SAFETY: `prefix` and `text` are valid (VUID-vkDebugReportMessageEXT-pLayerPrefix-parameter,
        // VUID-vkDebugReportMessageEXT-pMessage-parameter).
        unsafe { messages::report(instance, flags, (ty, object), (location, code), (prefix, text)) };
        Ok(())
    });
}
