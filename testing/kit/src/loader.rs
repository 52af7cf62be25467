//! The driver in this process, as a loader would find it, or another through the system's loader.

use crate::Messages;
use std::ffi::CString;
use std::sync::OnceLock;
use vulkanalia::loader::{Loader, LoaderError};
use vulkanalia::vk::{self, Handle};

/// Finds the driver's commands.
pub struct InProcess;

impl Loader for InProcess {
    unsafe fn load(&self, name: &[u8]) -> Result<extern "system" fn(), Box<dyn LoaderError>> {
        let name = CString::new(name).map_err(|_| "a name with a zero byte")?;
        // SAFETY: the name ends in zero; the pointer is cast back to the command's type.
        unsafe {
            pyroclast_icd::get_instance_proc_addr(vk::Instance::null(), name.as_ptr())
                .map(|command| {
                    std::mem::transmute::<unsafe extern "system" fn(), extern "system" fn()>(command)
                })
                .ok_or_else(|| "no such command".into())
        }
    }
}

/// The system's loader, and the errors that messengers heard.
struct System {
    find: Box<dyn Fn(&CString) -> Option<unsafe extern "system" fn()> + Send + Sync>,
    heard: Messages,
}

static SYSTEM: OnceLock<System> = OnceLock::new();

/// From now on, clients of this process use the system's loader: whatever driver and layers the environment
/// names. Gives the list that all errors come to which the driver and layers tell.
///
/// # Errors
/// When there is no loader.
pub fn use_system_loader() -> Result<Messages, String> {
    let entry = pyro_test_loader::load()?;
    let system = SYSTEM.get_or_init(|| System {
        // SAFETY: the name ends in zero; commands of no instance are asked for.
        find: Box::new(move |name| unsafe {
            entry.get_instance_proc_addr(Default::default(), name.as_ptr())
        }),
        heard: Messages::default(),
    });
    Ok(system.heard.clone())
}

/// What all messengers hear, where clients use the system's loader.
pub(crate) fn heard_by_all() -> Option<Messages> {
    SYSTEM.get().map(|system| system.heard.clone())
}

/// Finds the commands of the system's loader.
pub(crate) struct ThroughSystem;

impl Loader for ThroughSystem {
    unsafe fn load(&self, name: &[u8]) -> Result<extern "system" fn(), Box<dyn LoaderError>> {
        let name = CString::new(name).map_err(|_| "a name with a zero byte")?;
        let found = SYSTEM.get().and_then(|system| (system.find)(&name));
        // SAFETY: the pointer is cast back to the command's type.
        found
            .map(|command| unsafe {
                std::mem::transmute::<unsafe extern "system" fn(), extern "system" fn()>(command)
            })
            .ok_or_else(|| "no such command".into())
    }
}
