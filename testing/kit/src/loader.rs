//! The driver in this process, as a loader would find it.

use std::ffi::CString;
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
