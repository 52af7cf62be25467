//! Messages that no command returns: what happens on the threads of queues and compilers.
//!
//! The one place where the driver writes to standard error. A message goes to the application's debug
//! messengers, which the entry points know ([`Reporter::new`]), and, when `PYROCLAST_MESSAGES` is set, to
//! standard error.

use std::fmt::Display;
use std::sync::OnceLock;
use vulkanalia_sys as vk;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Results are as they should be, by a slower way.
    Warning,
    /// Something was not done.
    Error,
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

/// Writes a line to standard error.
#[expect(clippy::print_stderr, reason = "this is the sink")]
pub fn to_stderr(message: &dyn Display) {
    eprintln!("pyroclast: {message}");
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
