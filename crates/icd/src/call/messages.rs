//! What the driver tells the developer: debug messengers of `VK_EXT_debug_utils`, callbacks of
//! `VK_EXT_debug_report`, and standard error when `PYROCLAST_MESSAGES` is set.
//!
//! While a command runs, its thread remembers the objects that it looked up; a message names them, and goes
//! to the messengers of their instance. A message of a command whose instance is unknown (every handle was
//! bad) goes to all messengers of the process.

use crate::handle::thread::{self, Thread};
use crate::handle::{self, call_context};
use crate::pointers;
use pyro_driver::report::{self, Reporter};
use pyro_driver::{Error, strict};
use pyro_util::sync::RwLock;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The identity of what shaders print: that of the validation layer, which tools look for.
const PRINTF_ID: &str = "VVL-DEBUG-PRINTF";

/// Somebody who wants messages.
pub(crate) struct Messenger {
    /// The instance's place in the table of objects.
    pub(crate) instance: u64,
    pub(crate) callback: Callback,
    /// A pointer that only the callback understands.
    pub(crate) user_data: usize,
}

/// How they want them.
pub(crate) enum Callback {
    Utils {
        severities: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        function: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    },
    Report {
        flags: vk::DebugReportFlagsEXT,
        function: vk::PFN_vkDebugReportCallbackEXT,
    },
}

/// A message of `VK_EXT_debug_utils`.
pub(crate) struct Message<'a> {
    pub(crate) severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    pub(crate) types: vk::DebugUtilsMessageTypeFlagsEXT,
    pub(crate) data: &'a vk::DebugUtilsMessengerCallbackDataEXT,
}

static MESSENGERS: RwLock<Vec<Arc<Messenger>>> = RwLock::new(Vec::new());

thread_local! {
    /// Messengers of the `pNext` chain of an instance's creation, while it is created or destroyed.
    static TEMPORARY: RefCell<Vec<Arc<Messenger>>> = const { RefCell::new(Vec::new()) };
    /// Messages of the command under way that wait for its end.
    static POSTPONED: RefCell<Vec<(Wanted, String)>> = const { RefCell::new(Vec::new()) };
}

/// Adds a messenger.
pub(crate) fn add(messenger: &Arc<Messenger>) {
    MESSENGERS.write().push(Arc::clone(messenger));
}

/// Removes a messenger.
pub(crate) fn remove(messenger: &Arc<Messenger>) {
    let mut messengers = MESSENGERS.write();
    messengers.retain(|other| !Arc::ptr_eq(other, messenger));
}

/// Removes the messengers that an instance still has.
pub(crate) fn remove_all(instance: u64) {
    let mut messengers = MESSENGERS.write();
    messengers.retain(|messenger| messenger.instance != instance);
}

/// Runs with more messengers on this thread.
pub(crate) fn with<R>(messengers: Vec<Arc<Messenger>>, body: impl FnOnce() -> R) -> R {
    // A thread that is ending has none.
    let _ = TEMPORARY.try_with(|temporary| temporary.replace(messengers));
    let result = body();
    let _ = TEMPORARY.try_with(RefCell::take);
    result
}

/// Whether a result is an answer that applications expect, such as that a pool is used up, and not a failure.
fn is_expected(code: vk::Result) -> bool {
    matches!(
        code,
        vk::Result::ERROR_OUT_OF_POOL_MEMORY
            | vk::Result::ERROR_FRAGMENTED_POOL
            | vk::Result::ERROR_FORMAT_NOT_SUPPORTED
            | vk::Result::ERROR_OUT_OF_DATE_KHR
            | vk::Result::PIPELINE_COMPILE_REQUIRED
            | vk::Result::NOT_READY
            | vk::Result::TIMEOUT
    )
}

/// Reports why a command failed; results that applications expect have the severity `VERBOSE`.
pub(crate) fn error(error: &Error) {
    use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
    let types =
        if error.code == vk::Result::ERROR_VALIDATION_FAILED { Type::VALIDATION } else { Type::GENERAL };
    let severity = if is_expected(error.code) { Severity::VERBOSE } else { Severity::ERROR };
    if report::is_wanted() {
        report::to_stderr(error);
    }
    tell(Wanted { severity, types }, &error.to_string());
}

/// Where a device of an instance reports what happens on its own threads: to the instance's messengers.
pub(crate) fn reporter(instance: u64) -> Reporter {
    use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
    Reporter::new(Box::new(move |severity, text, object| {
        let (severity, types, id) = match severity {
            report::Severity::Error => (Severity::ERROR, Type::GENERAL, None),
            report::Severity::Warning => (Severity::WARNING, Type::PERFORMANCE, None),
            report::Severity::Printed => (Severity::INFO, Type::VALIDATION, Some(PRINTF_ID.to_owned())),
            report::Severity::Finding(kind) => {
                let severity = if kind.is_warning() { Severity::WARNING } else { Severity::ERROR };
                (severity, Type::VALIDATION, Some(format!("PYROCLAST-SANITIZER-{}", kind.name())))
            }
        };
        let objects: Vec<_> = object.into_iter().collect();
        deliver(Wanted { severity, types }, instance, &objects, (id.as_deref(), text), null());
    }))
}

/// Tells which rule a shader module breaks (strict mode), also on standard error.
pub(crate) fn finding(text: &str) {
    let text = match call_context::command() {
        Some("vkCreateShadersEXT") => &*strict::named_for_objects(text),
        _ => text,
    };
    use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
    report::to_stderr(&text);
    tell(Wanted { severity: Severity::ERROR, types: Type::VALIDATION }, text);
}

/// Hands a message about the command under way to those who want it; later, where the thread reads the
/// table of objects just now and must not call the application.
fn tell(wanted: Wanted, text: &str) {
    let thread = thread::here();
    if thread.reads.in_section() {
        thread.postponed.set(true);
        let _ = POSTPONED.try_with(|postponed| postponed.borrow_mut().push((wanted, text.to_owned())));
        return;
    }
    deliver(wanted, call_context::owner().instance, &call_context::involved(), (None, text), null());
}

/// Tells an instance's messengers which device addresses an object has from now on, or has no more.
pub(crate) fn binding(
    instance: u64,
    object: (vk::ObjectType, u64),
    binding: &vk::DeviceAddressBindingCallbackDataEXT,
) {
    use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
    let wanted = Wanted { severity: Severity::INFO, types: Type::DEVICE_ADDRESS_BINDING };
    let does = match binding.binding_type {
        vk::DeviceAddressBindingTypeEXT::BIND => "has",
        _ => "no longer has",
    };
    let text = format!(
        "the object {does} {} bytes from device address {:#x} on",
        binding.size, binding.base_address
    );
    let id = Some("VK_EXT_device_address_binding_report");
    deliver(wanted, instance, &[object], (id, &text), std::ptr::from_ref(binding).cast());
}

/// Calls the messengers of an instance (of all instances for zero) with a message about these objects. What
/// has no identity of its own is known by the first rule that it names. `next` is null or a structure for the
/// message's chain.
fn deliver(
    wanted: Wanted,
    instance: u64,
    objects: &[(vk::ObjectType, u64)],
    (id, text): (Option<&str>, &str),
    next: *const c_void,
) {
    let receivers = wanted.receivers(instance);
    if receivers.is_empty() {
        return;
    }
    let is_separator = |c: char| matches!(c, '(' | ')' | '[' | ']' | ',' | ':') || c.is_whitespace();
    let id = id.or_else(|| text.split(is_separator).find(|word| word.starts_with("VUID-")));
    let id = CString::new(id.unwrap_or("Pyroclast")).unwrap_or_default();
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let names = handle::names::all();
    let objects: Vec<_> = objects
        .iter()
        .map(|(ty, handle)| vk::DebugUtilsObjectNameInfoEXT {
            object_type: *ty,
            object_handle: *handle,
            object_name: names.get(&handle::identity(*handle)).map_or(std::ptr::null(), |name| name.as_ptr()),
            ..Default::default()
        })
        .collect();
    let data = vk::DebugUtilsMessengerCallbackDataEXT {
        next,
        message_id_name: id.as_ptr(),
        message: text.as_ptr(),
        object_count: objects.len() as u32,
        objects: objects.as_ptr(),
        ..Default::default()
    };
    let message = Message { severity: wanted.severity, types: wanted.types, data: &data };
    receivers.iter().for_each(|messenger| messenger.tell(&message));
}

/// Hands on the messages that had to wait, when a command ends.
#[inline]
pub(crate) fn tell_postponed(thread: &Thread) {
    #[cold]
    fn tell_all() {
        let postponed = POSTPONED.try_with(RefCell::take).unwrap_or_default();
        postponed.iter().for_each(|(wanted, text)| tell(*wanted, text));
    }
    if thread.postponed.get() && !thread.reads.in_section() {
        thread.postponed.set(false);
        tell_all();
    }
}

/// Hands an application's own message to an instance's messengers.
pub(crate) fn submit(instance: u64, message: &Message) {
    let wanted = Wanted { severity: message.severity, types: message.types };
    wanted.receivers(instance).iter().for_each(|messenger| messenger.tell(message));
}

/// Hands an application's own report to an instance's callbacks.
pub(crate) fn report(
    instance: u64,
    wanted: vk::DebugReportFlagsEXT,
    (ty, object): (vk::DebugReportObjectTypeEXT, u64),
    (location, code): (usize, i32),
    (prefix, text): (Option<&CStr>, Option<&CStr>),
) {
    let receivers = MESSENGERS.read().clone();
    let [prefix, text] = [prefix, text].map(|string| string.map_or(std::ptr::null(), CStr::as_ptr));
    for messenger in receivers.iter().filter(|messenger| messenger.instance == instance) {
        if let Callback::Report { flags, function: Some(function) } = messenger.callback
            && flags.intersects(wanted)
        {
            let user_data = messenger.user_data as *mut c_void;
            // SAFETY: the application's callback, with what it asked for; the strings are the application's.
            unsafe { function(wanted, ty, object, location, code, prefix, text, user_data) };
        }
    }
}

#[derive(Clone, Copy)]
struct Wanted {
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
}

impl Wanted {
    /// Who gets such messages. No lock is held while they get them: a callback may call commands.
    fn receivers(self, instance: u64) -> Vec<Arc<Messenger>> {
        let messengers = MESSENGERS.read();
        let ours = messengers.iter().filter(|messenger| instance == 0 || messenger.instance == instance);
        let mut receivers: Vec<_> = ours.filter(|messenger| messenger.wants(self)).cloned().collect();
        let _ = TEMPORARY.try_with(|messengers| {
            let messengers = messengers.borrow();
            receivers.extend(messengers.iter().filter(|messenger| messenger.wants(self)).cloned());
        });
        receivers
    }

    fn report_flags(self) -> vk::DebugReportFlagsEXT {
        use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
        match self.severity {
            Severity::ERROR => vk::DebugReportFlagsEXT::ERROR,
            Severity::WARNING if self.types.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE) => {
                vk::DebugReportFlagsEXT::PERFORMANCE_WARNING
            }
            Severity::WARNING => vk::DebugReportFlagsEXT::WARNING,
            Severity::INFO => vk::DebugReportFlagsEXT::INFORMATION,
            _ => vk::DebugReportFlagsEXT::DEBUG,
        }
    }
}

impl Messenger {
    fn wants(&self, wanted: Wanted) -> bool {
        match self.callback {
            Callback::Utils { severities, types, .. } => {
                severities.contains(wanted.severity) && types.intersects(wanted.types)
            }
            Callback::Report { flags, .. } => flags.intersects(wanted.report_flags()),
        }
    }

    fn tell(&self, message: &Message) {
        let user_data = self.user_data as *mut c_void;
        match self.callback {
            Callback::Utils { function: Some(function), .. } => {
                // SAFETY: the application's callback, with valid data.
                unsafe { function(message.severity, message.types, message.data, user_data) };
            }
            Callback::Report { function: Some(function), .. } => {
                let flags = Wanted { severity: message.severity, types: message.types }.report_flags();
                let data = message.data;
                // SAFETY: `objects` holds `object_count` values.
                let object = unsafe { pointers::array(data.objects, data.object_count) }.get().first();
                // The older enumeration has the core object types at the same values.
                let ty = object.map_or(0, |object| object.object_type.as_raw());
                let ty = vk::DebugReportObjectTypeEXT::from_raw(if ty <= 25 { ty } else { 0 });
                let handle = object.map_or(0, |object| object.object_handle);
                // SAFETY: as above.
                unsafe { function(flags, ty, handle, 0, 0, c"Pyroclast".as_ptr(), data.message, user_data) };
            }
            _ => {}
        }
    }
}
