//! The driver in this process, as a loader would find it, or another through the system's loader, or a shared
//! library.

use crate::Messages;
use std::ffi::{CString, c_char};
use std::path::Path;
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

/// The system's loader, or a driver's library, and the errors that messengers heard.
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

/// From now on, clients of this process use a driver's shared library, without a loader between. Gives the
/// list that all errors come to which the driver tells.
///
/// # Errors
/// When it is no driver of Vulkan, or one that speaks another version of the loader's interface.
pub fn use_library(path: &Path) -> Result<Messages, String> {
    /// The newest version of the loader's interface.
    const INTERFACE_VERSION: u32 = 7;
    type Find = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;
    type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;
    // SAFETY: the caller names a driver; loading it runs its initialisers. It stays loaded.
    let library = unsafe { libloading::Library::new(path) };
    let library = Box::leak(Box::new(library.map_err(|error| format!("{}: {error}", path.display()))?));
    // SAFETY: the functions are declared as the loader's interface has them ("Driver interface to the Vulkan
    // Loader").
    let (find, negotiate) = unsafe {
        let negotiate = library.get::<Negotiate>(b"vk_icdNegotiateLoaderICDInterfaceVersion\0");
        let find = library.get::<Find>(b"vk_icdGetInstanceProcAddr\0");
        let missing = |error: libloading::Error| format!("{}: {error}", path.display());
        (*find.map_err(missing)?, *negotiate.map_err(missing)?)
    };
    let mut version = INTERFACE_VERSION;
    // SAFETY: the version lives through the call.
    let agreed = unsafe { negotiate(&raw mut version) };
    if agreed != vk::Result::SUCCESS || version != INTERFACE_VERSION {
        return Err(format!("{}: version {version} of the loader's interface: {agreed:?}", path.display()));
    }
    let system = SYSTEM.get_or_init(|| System {
        // SAFETY: the name ends in zero; commands of no instance are asked for.
        find: Box::new(move |name| unsafe { find(vk::Instance::null(), name.as_ptr()) }),
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
