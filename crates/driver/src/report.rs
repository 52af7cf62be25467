//! Messages that no command returns: what happens on the threads of queues and compilers.
//!
//! A message goes to the application's debug
//! messengers, which the entry points know ([`Reporter::new`]), and, when `PYROCLAST_MESSAGES` is set, to
//! standard error.

pub use pyro_util::report::to_stderr;
use pyro_util::sanitize::Kind;
use std::sync::OnceLock;
use vulkanalia_sys as vk;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Results are as they should be, by a slower way.
    Warning,
    /// Something was not done.
    Error,
    /// A shader printed it.
    Printed,
    /// The sanitizer found it in a shader.
    Finding(Kind),
}

/// Gets a message, and the object that it is about, where there is one.
pub type Messenger = dyn Fn(Severity, &str, Option<(vk::ObjectType, u64)>) + Send + Sync;

/// Where a device's messages go.
#[derive(Default)]
pub struct Reporter {
    messenger: Option<Box<Messenger>>,
}

impl Reporter {
    /// To this messenger too.
    pub fn new(messenger: Box<Messenger>) -> Reporter {
        Reporter { messenger: Some(messenger) }
    }

    /// Hands a message to the messenger alone.
    pub(crate) fn tell(&self, severity: Severity, message: &str) {
        if let Some(messenger) = &self.messenger {
            messenger(severity, message, None);
        }
    }

    /// Reports a message about an object.
    pub(crate) fn report(&self, severity: Severity, message: &str, object: Option<(vk::ObjectType, u64)>) {
        if is_wanted() {
            to_stderr(&message);
        }
        if let Some(messenger) = &self.messenger {
            messenger(severity, message, object);
        }
    }
}

/// Whether `PYROCLAST_MESSAGES` asks for messages on standard error.
pub fn is_wanted() -> bool {
    pyro_util::config::get().messages
}

/// The type and the handle by which the application knows an object, for messages about it.
#[derive(Debug, Default)]
pub struct ObjectName(OnceLock<(vk::ObjectType, u64)>);

impl ObjectName {
    /// Sets them, when the object gets its handle.
    pub fn set(&self, ty: vk::ObjectType, handle: u64) {
        // An object has one handle.
        let _ = self.0.set((ty, handle));
    }

    /// The type and the handle; `None` where the application has none.
    pub fn get(&self) -> Option<(vk::ObjectType, u64)> {
        self.0.get().copied()
    }
}
