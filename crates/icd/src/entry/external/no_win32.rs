//! There are no handles of Windows, whose extensions are not listed here.

use super::refused;
use crate::call::guard;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::{Error, Result};
use std::fs::File;
use vulkanalia_sys as vk;

fn none() -> Error {
    Error::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, "handles of Windows are of other systems")
}

/// There is none.
///
/// # Errors
/// Always.
pub(super) fn file(import: &vk::ImportMemoryWin32HandleInfoKHR) -> Result<File> {
    Err(refused(import.handle_type))
}

/// Names are ignored with the structures that have them.
///
/// # Errors
/// None here.
pub(crate) fn check_name(_: Option<vk::LPCWSTR>) -> Result<()> {
    Ok(())
}

/// Commands that nobody gets the address of.
macro_rules! no_commands {
    ($($name:ident($($parameter:ty),*);)*) => {
        $(pub(crate) fn $name(_: vk::Device, $(_: $parameter),*) -> vk::Result {
            guard(CommandId::$name, || Err(none()))
        })*
    };
}

no_commands! {
    get_memory_win32_handle_khr(In<'_, vk::MemoryGetWin32HandleInfoKHR>, Out<'_, vk::HANDLE>);
    get_memory_win32_handle_properties_khr(
        vk::ExternalMemoryHandleTypeFlags, vk::HANDLE, Out<'_, vk::MemoryWin32HandlePropertiesKHR>
    );
    import_fence_win32_handle_khr(In<'_, vk::ImportFenceWin32HandleInfoKHR>);
    import_semaphore_win32_handle_khr(In<'_, vk::ImportSemaphoreWin32HandleInfoKHR>);
    get_fence_win32_handle_khr(In<'_, vk::FenceGetWin32HandleInfoKHR>, Out<'_, vk::HANDLE>);
    get_semaphore_win32_handle_khr(In<'_, vk::SemaphoreGetWin32HandleInfoKHR>, Out<'_, vk::HANDLE>);
}
