//! Memory, fences and semaphores from and for others by handles of Windows
//! (`VK_KHR_external_memory_win32`, `VK_KHR_external_fence_win32`, `VK_KHR_external_semaphore_win32`).
//! Handles are those of sections; they have no names. An import takes no handle over: the application
//! closes it.

use super::sync::HandleType;
use super::{WIN32, refused};
use crate::call::guard;
use crate::entry::device::{check, device_object};
use crate::handle;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::file_descriptor::{self, BorrowedFd, OwnedFd};
use pyro_driver::memory::DeviceMemory;
use pyro_driver::sync::payload::{Kind, Payload};
use pyro_driver::sync::{Fence, Semaphore};
use pyro_driver::{Error, Result};
use std::fmt::Debug;
use std::fs::File;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Names are not known, so that one is a name of nothing.
fn unnamed(name: vk::LPCWSTR) -> Result<()> {
    if name.is_null() {
        return Ok(());
    }
    let text = "the driver's handles have no names";
    Err(Error::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, text))
}

/// The application's handle.
///
/// # Safety
/// It is open, and is not closed meanwhile, unless it is none.
unsafe fn borrow<'a>(handle: vk::HANDLE, name: vk::LPCWSTR) -> Result<BorrowedFd<'a>> {
    unnamed(name)?;
    let invalid = || Error::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, "no handle");
    // SAFETY: the caller's contract.
    unsafe { file_descriptor::borrow_handle(handle) }.ok_or_else(invalid)
}

/// The section that memory is imported from, by a handle of the driver's own.
///
/// # Errors
/// For handle types that cannot be imported, names, and invalid handles.
pub(super) fn file(import: &vk::ImportMemoryWin32HandleInfoKHR) -> Result<File> {
    if import.handle_type != WIN32 {
        return Err(refused(import.handle_type));
    }
    // SAFETY: the handle is open (VUID-VkImportMemoryWin32HandleInfoKHR-handleType-00660), and copied here.
    let given = unsafe { borrow(import.handle, import.name) }?;
    let copy = file_descriptor::try_clone(given).ok_or_else(|| refused(import.handle_type))?;
    Ok(file_descriptor::to_file(copy))
}

/// Refuses names for new objects, which others could not find them by.
///
/// # Errors
/// For a name.
pub(crate) fn check_name(name: Option<vk::LPCWSTR>) -> Result<()> {
    name.map_or(Ok(()), unnamed)
}

fn is_opaque<T: HandleType + PartialEq + Debug>(ty: T, rule: &str) -> Result<()> {
    if ty == T::OPAQUE {
        return Ok(());
    }
    let objects = T::OBJECTS;
    Err(Error::misuse(format!("{objects} have no handles of type {ty:?} ({rule})")))
}

fn import(kind: Kind, given: BorrowedFd<'_>) -> Result<Arc<Payload>> {
    Payload::import(kind, given)
}

fn give(handle: OwnedFd, out: &mut Out<'_, vk::HANDLE>) -> vk::Result {
    out.write(file_descriptor::give_handle(handle));
    vk::Result::SUCCESS
}

pub(crate) fn get_memory_win32_handle_khr(
    device: vk::Device,
    info: In<'_, vk::MemoryGetWin32HandleInfoKHR>,
    mut out: Out<'_, vk::HANDLE>,
) -> vk::Result {
    guard(CommandId::get_memory_win32_handle_khr, || {
        check(device)?;
        if info.handle_type != WIN32 {
            return Err(refused(info.handle_type));
        }
        let file = handle::get::<DeviceMemory>(info.memory.as_raw())?.export()?;
        let handle = file_descriptor::of_file(file).ok_or_else(|| refused(info.handle_type))?;
        Ok(give(handle, &mut out))
    })
}

/// Opaque handles have no properties to ask for (VUID-vkGetMemoryWin32HandlePropertiesKHR-handleType-00666).
pub(crate) fn get_memory_win32_handle_properties_khr(
    device: vk::Device,
    ty: vk::ExternalMemoryHandleTypeFlags,
    _handle: vk::HANDLE,
    _out: Out<'_, vk::MemoryWin32HandlePropertiesKHR>,
) -> vk::Result {
    guard(CommandId::get_memory_win32_handle_properties_khr, || {
        check(device)?;
        Err(refused(ty))
    })
}

pub(crate) fn import_fence_win32_handle_khr(
    device: vk::Device,
    info: In<'_, vk::ImportFenceWin32HandleInfoKHR>,
) -> vk::Result {
    guard(CommandId::import_fence_win32_handle_khr, || {
        check(device)?;
        let fence = handle::get::<Fence>(info.fence.as_raw())?;
        is_opaque(info.handle_type, "VUID-VkImportFenceWin32HandleInfoKHR-handleType-01457")?;
        // SAFETY: the handle is open (VUID-VkImportFenceWin32HandleInfoKHR-handle-01539).
        let given = unsafe { borrow(info.handle, info.name) }?;
        fence.import(import(Kind::Fence, given)?, info.flags.contains(vk::FenceImportFlags::TEMPORARY));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn import_semaphore_win32_handle_khr(
    device: vk::Device,
    info: In<'_, vk::ImportSemaphoreWin32HandleInfoKHR>,
) -> vk::Result {
    guard(CommandId::import_semaphore_win32_handle_khr, || {
        check(device)?;
        let semaphore = handle::get::<Semaphore>(info.semaphore.as_raw())?;
        is_opaque(info.handle_type, "VUID-VkImportSemaphoreWin32HandleInfoKHR-handleType-01140")?;
        let temporary = info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
        if semaphore.is_timeline() && temporary {
            return Err(Error::misuse(
                "a timeline semaphore's payload cannot be imported temporarily \
                 (VUID-VkImportSemaphoreWin32HandleInfoKHR-flags-03322)",
            ));
        }
        // SAFETY: the handle is open (VUID-VkImportSemaphoreWin32HandleInfoKHR-handle-01542).
        let given = unsafe { borrow(info.handle, info.name) }?;
        semaphore.import(import(semaphore.kind(), given)?, temporary);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_fence_win32_handle_khr(
    device: vk::Device,
    info: In<'_, vk::FenceGetWin32HandleInfoKHR>,
    mut out: Out<'_, vk::HANDLE>,
) -> vk::Result {
    guard(CommandId::get_fence_win32_handle_khr, || {
        device_object(device)?;
        is_opaque(info.handle_type, "VUID-VkFenceGetWin32HandleInfoKHR-handleType-01452")?;
        let exported = handle::get::<Fence>(info.fence.as_raw())?.payload().export()?;
        Ok(give(exported, &mut out))
    })
}

pub(crate) fn get_semaphore_win32_handle_khr(
    device: vk::Device,
    info: In<'_, vk::SemaphoreGetWin32HandleInfoKHR>,
    mut out: Out<'_, vk::HANDLE>,
) -> vk::Result {
    guard(CommandId::get_semaphore_win32_handle_khr, || {
        device_object(device)?;
        is_opaque(info.handle_type, "VUID-VkSemaphoreGetWin32HandleInfoKHR-handleType-01131")?;
        let exported = handle::get::<Semaphore>(info.semaphore.as_raw())?.payload().export()?;
        Ok(give(exported, &mut out))
    })
}
