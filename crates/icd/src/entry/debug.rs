//! `VK_EXT_debug_utils` and `VK_EXT_debug_report`.

use crate::call::messages::{self, Callback, Message, Messenger};
use crate::call::{guard, guard_void};
use crate::entry::follow;
use crate::entry::instance::Instance;
use crate::handle::call_context;
use crate::handle::{self, Dispatchable};
use crate::pointers::{Allocator, Chain, In, Out};
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::QueryCommand;
use pyro_driver::command::followed::Followed;
use pyro_driver::image::Image;
use pyro_driver::pipeline::Pipeline;
use pyro_driver::queue::Queue;
use std::ffi::{CStr, CString};
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
pub(crate) fn chained(chain: Chain) -> Vec<Arc<Messenger>> {
    let utils = chain.find_all::<vk::DebugUtilsMessengerCreateInfoEXT>().map(|info| utils(0, &info));
    let reports = chain.find_all::<vk::DebugReportCallbackCreateInfoEXT>().map(|info| report(0, &info));
    utils.chain(reports).collect()
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

pub(crate) fn submit_debug_utils_message_ext(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: In<'_, vk::DebugUtilsMessengerCallbackDataEXT>,
) {
    guard_void(CommandId::submit_debug_utils_message_ext, || {
        let instance = Dispatchable::<Instance>::owner(instance.as_raw())?.instance;
        messages::submit(instance, &Message { severity, types, data: data.get() });
        Ok(())
    });
}

pub(crate) fn set_debug_utils_object_name_ext(
    device: vk::Device,
    info: In<'_, vk::DebugUtilsObjectNameInfoEXT>,
) -> vk::Result {
    guard(CommandId::set_debug_utils_object_name_ext, || {
        crate::entry::device::check(device)?;
        let name = info.object_name().map(CStr::to_owned);
        name_object(device, info.object_type, info.object_handle, name);
        Ok(vk::Result::SUCCESS)
    })
}

/// Gives an object a name, or takes it away.
pub(crate) fn name_object(device: vk::Device, ty: vk::ObjectType, object: u64, name: Option<CString>) {
    if !pyro_util::config::get().sanitize.is_empty() {
        tell_name(device, ty, object, name.as_deref());
    }
    if pyro_profiler::is_sampling()
        && ty == vk::ObjectType::PIPELINE
        && let (Some(name), Ok(pipeline)) = (&name, handle::get::<Pipeline>(object))
    {
        pipeline.name_in_profile(&name.to_string_lossy());
    }
    handle::names::set(handle::identity(object), name);
}

/// Gives a buffer, image or pipeline its name in findings of the sanitizer.
fn tell_name(device: vk::Device, ty: vk::ObjectType, object: u64, name: Option<&CStr>) {
    let Some(name) = name.map(CStr::to_string_lossy) else { return };
    match ty {
        vk::ObjectType::BUFFER => {
            if let Ok(buffer) = handle::get::<Buffer>(object) {
                buffer.set_name(&name);
            }
        }
        vk::ObjectType::IMAGE => {
            if let Ok(image) = handle::get::<Image>(object) {
                image.set_name(&name);
            }
        }
        vk::ObjectType::PIPELINE => {
            if let (Ok(device), Ok(pipeline)) =
                (crate::entry::device::device_object(device), handle::get::<Pipeline>(object))
            {
                device.device.name_pipeline(&pipeline, &name);
            }
        }
        _ => {}
    }
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

fn with_queue(queue: vk::Queue, body: impl FnOnce(&Queue)) -> Result<()> {
    Dispatchable::<Queue>::get(queue.as_raw()).map(|queue| body(&queue))
}

/// A label begins around what is submitted from now on, for a profile.
pub(crate) fn queue_begin_debug_utils_label_ext(queue: vk::Queue, label: In<'_, vk::DebugUtilsLabelEXT>) {
    guard_void(CommandId::queue_begin_debug_utils_label_ext, || {
        with_queue(queue, |queue| {
            if pyro_profiler::is_sampling() {
                queue.begin_label(&label.label_name().map(CStr::to_string_lossy).unwrap_or_default());
            }
        })
    });
}

pub(crate) fn queue_insert_debug_utils_label_ext(queue: vk::Queue, _label: In<'_, vk::DebugUtilsLabelEXT>) {
    guard_void(CommandId::queue_insert_debug_utils_label_ext, || with_queue(queue, |_| ()));
}

pub(crate) fn queue_end_debug_utils_label_ext(queue: vk::Queue) {
    guard_void(CommandId::queue_end_debug_utils_label_ext, || with_queue(queue, Queue::end_label));
}

pub(crate) fn cmd_begin_debug_utils_label_ext(
    buffer: vk::CommandBuffer,
    label: In<'_, vk::DebugUtilsLabelEXT>,
) {
    begin_label(CommandId::cmd_begin_debug_utils_label_ext, buffer, label.label_name());
}

/// A label begins, for a profile and the sanitizer.
pub(crate) fn begin_label(command: CommandId, buffer: vk::CommandBuffer, name: Option<&CStr>) {
    crate::call::recording::record(command, buffer, |buffer| {
        if !pyro_profiler::is_sampling() && !follow::is_on() {
            return Ok(());
        }
        let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if pyro_profiler::is_sampling() {
            buffer.push(QueryCommand::BeginLabel(name.clone().into()))?;
        }
        if follow::is_on() {
            follow::push(buffer, Followed::BeginLabel(name))?;
        }
        Ok(())
    });
}

pub(crate) fn cmd_insert_debug_utils_label_ext(
    buffer: vk::CommandBuffer,
    _label: In<'_, vk::DebugUtilsLabelEXT>,
) {
    crate::call::recording::record(CommandId::cmd_insert_debug_utils_label_ext, buffer, |_| Ok(()));
}

pub(crate) fn cmd_end_debug_utils_label_ext(buffer: vk::CommandBuffer) {
    end_label(CommandId::cmd_end_debug_utils_label_ext, buffer);
}

/// The last label ends.
pub(crate) fn end_label(command: CommandId, buffer: vk::CommandBuffer) {
    crate::call::recording::record(command, buffer, |buffer| {
        if pyro_profiler::is_sampling() {
            buffer.push(QueryCommand::EndLabel)?;
        }
        if follow::is_on() {
            follow::push(buffer, Followed::EndLabel)?;
        }
        Ok(())
    });
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
    prefix: Option<&CStr>,
    text: Option<&CStr>,
) {
    guard_void(CommandId::debug_report_message_ext, || {
        let instance = Dispatchable::<Instance>::owner(instance.as_raw())?.instance;
        messages::report(instance, flags, (ty, object), (location, code), (prefix, text));
        Ok(())
    });
}
