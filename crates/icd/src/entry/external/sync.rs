//! Fences and semaphores from and for others: opaque descriptors, which share a payload, and the kernel's
//! sync files, which stand for one signal (`VK_KHR_external_fence_fd`, `VK_KHR_external_semaphore_fd`).

use crate::call::guard;
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::file_descriptor::{self, OwnedFd};
use pyro_driver::sync::payload::{Kind, Payload};
use pyro_driver::sync::{Fence, Semaphore};
use pyro_driver::{Error, Result};
use std::ffi::c_int;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

type FenceType = vk::ExternalFenceHandleTypeFlags;
type SemaphoreType = vk::ExternalSemaphoreHandleTypeFlags;

/// What a handle type is, of fences and semaphores alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Opaque,
    SyncFile,
}

fn fence_type(ty: FenceType) -> Result<Type> {
    match ty {
        FenceType::OPAQUE_FD if file_descriptor::ARE_THERE => Ok(Type::Opaque),
        FenceType::SYNC_FD if file_descriptor::ARE_THERE => Ok(Type::SyncFile),
        _ => Err(Error::misuse(format!(
            "fences cannot be imported from handle type {ty:?} (VUID-VkImportFenceFdInfoKHR-handleType-01464, \
             VUID-VkFenceGetFdInfoKHR-handleType-01456)"
        ))),
    }
}

fn semaphore_type(ty: SemaphoreType) -> Result<Type> {
    match ty {
        SemaphoreType::OPAQUE_FD if file_descriptor::ARE_THERE => Ok(Type::Opaque),
        SemaphoreType::SYNC_FD if file_descriptor::ARE_THERE => Ok(Type::SyncFile),
        _ => Err(Error::misuse(format!(
            "semaphores cannot be imported from handle type {ty:?} (VUID-VkImportSemaphoreFdInfoKHR-handleType-01143, \
             VUID-VkSemaphoreGetFdInfoKHR-handleType-01136)"
        ))),
    }
}

/// Whether a new fence's payload is one that other processes can have.
///
/// # Errors
/// For handle types that there are not.
pub(crate) fn exports_fence(info: In<'_, vk::FenceCreateInfo>) -> Result<bool> {
    let types = info.find::<vk::ExportFenceCreateInfo>();
    let types = types.map_or(FenceType::empty(), |export| export.handle_types);
    let known = FenceType::OPAQUE_FD | FenceType::SYNC_FD;
    let are_known = types.is_empty() || file_descriptor::ARE_THERE && known.contains(types);
    if !are_known {
        return Err(Error::misuse(
            "fences cannot be exported to these handle types (VUID-VkExportFenceCreateInfo-handleTypes-01446)",
        ));
    }
    Ok(types.contains(FenceType::OPAQUE_FD))
}

/// Whether a new semaphore's payload is one that other processes can have.
///
/// # Errors
/// For handle types that there are not.
pub(crate) fn exports_semaphore(info: In<'_, vk::SemaphoreCreateInfo>) -> Result<bool> {
    let types = info.find::<vk::ExportSemaphoreCreateInfo>();
    let types = types.map_or(SemaphoreType::empty(), |export| export.handle_types);
    let known = SemaphoreType::OPAQUE_FD | SemaphoreType::SYNC_FD;
    let are_known = types.is_empty() || file_descriptor::ARE_THERE && known.contains(types);
    if !are_known {
        return Err(Error::misuse(
            "semaphores cannot be exported to these handle types (VUID-VkExportSemaphoreCreateInfo-handleTypes-01124)",
        ));
    }
    Ok(types.contains(SemaphoreType::OPAQUE_FD))
}

pub(crate) fn get_physical_device_external_fence_properties(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalFenceInfo>,
    mut out: Out<'_, vk::ExternalFenceProperties>,
) {
    use vk::ExternalFenceFeatureFlags as Feature;
    let (out, ty) = (out.get_mut(), info.handle_type);
    let known = fence_type(ty).is_ok();
    let all = FenceType::OPAQUE_FD | FenceType::SYNC_FD;
    out.export_from_imported_handle_types = if known { ty } else { FenceType::empty() };
    out.compatible_handle_types = if known { all } else { FenceType::empty() };
    out.external_fence_features =
        if known { Feature::EXPORTABLE | Feature::IMPORTABLE } else { Feature::empty() };
}

pub(crate) fn get_physical_device_external_semaphore_properties(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalSemaphoreInfo>,
    mut out: Out<'_, vk::ExternalSemaphoreProperties>,
) {
    use vk::ExternalSemaphoreFeatureFlags as Feature;
    let (out, info) = (out.get_mut(), info);
    let timeline = info.find::<vk::SemaphoreTypeCreateInfo>();
    let timeline = timeline.is_some_and(|ty| ty.semaphore_type == vk::SemaphoreType::TIMELINE);
    let ty = info.handle_type;
    // A sync file stands for one signal; a timeline has many.
    let known = semaphore_type(ty).is_ok_and(|ty| !timeline || ty == Type::Opaque);
    let all =
        if timeline { SemaphoreType::OPAQUE_FD } else { SemaphoreType::OPAQUE_FD | SemaphoreType::SYNC_FD };
    out.export_from_imported_handle_types = if known { ty } else { SemaphoreType::empty() };
    out.compatible_handle_types = if known { all } else { SemaphoreType::empty() };
    out.external_semaphore_features =
        if known { Feature::EXPORTABLE | Feature::IMPORTABLE } else { Feature::empty() };
}

/// The payload behind an application's descriptor, which becomes the driver's when `put` has been called with
/// it.
fn import(ty: Type, kind: Kind, fd: c_int, put: impl FnOnce(Arc<Payload>)) -> Result<vk::Result> {
    let bad = || {
        Error::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, format!("{fd} is not a valid file descriptor"))
    };
    // -1 is a sync file of something that is done.
    let given = match (ty, fd) {
        (Type::SyncFile, -1) => None,
        (_, ..0) => return Err(bad()),
        // SAFETY: an imported descriptor that is not -1 is open (VUID-VkImportSemaphoreFdInfoKHR-fd-01544,
        // VUID-VkImportFenceFdInfoKHR-fd-01541) and is not closed before the import is done.
        _ => unsafe { file_descriptor::borrow(fd) },
    };
    let payload = match (ty, given) {
        (Type::Opaque, Some(fd)) => Payload::import(kind, fd)?,
        (_, given) => {
            let copy = given.map(|fd| file_descriptor::try_clone(fd).ok_or_else(bad)).transpose()?;
            Payload::import_sync_file(kind, copy)?
        }
    };
    put(payload);
    if given.is_some() {
        // SAFETY: a successful import takes the descriptor over; nothing else closes it.
        unsafe { file_descriptor::take(fd) };
    }
    Ok(vk::Result::SUCCESS)
}

pub(crate) fn import_fence_fd_khr(device: vk::Device, info: In<'_, vk::ImportFenceFdInfoKHR>) -> vk::Result {
    guard(CommandId::import_fence_fd_khr, || {
        crate::entry::device::check(device)?;
        let fence = handle::get::<Fence>(info.fence.as_raw())?;
        let ty = fence_type(info.handle_type)?;
        let temporary = info.flags.contains(vk::FenceImportFlags::TEMPORARY);
        if ty == Type::SyncFile && !temporary {
            return Err(Error::misuse(
                "a sync file can be imported into a fence only temporarily (VUID-VkImportFenceFdInfoKHR-handleType-07306)",
            ));
        }
        import(ty, Kind::Fence, info.fd, |payload| fence.import(payload, temporary))
    })
}

pub(crate) fn import_semaphore_fd_khr(
    device: vk::Device,
    info: In<'_, vk::ImportSemaphoreFdInfoKHR>,
) -> vk::Result {
    guard(CommandId::import_semaphore_fd_khr, || {
        crate::entry::device::check(device)?;
        let semaphore = handle::get::<Semaphore>(info.semaphore.as_raw())?;
        let ty = semaphore_type(info.handle_type)?;
        let temporary = info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
        if ty == Type::SyncFile && !temporary {
            return Err(Error::misuse(
                "a sync file can be imported into a semaphore only temporarily (VUID-VkImportSemaphoreFdInfoKHR-handleType-07307)",
            ));
        }
        if semaphore.is_timeline() && (temporary || ty == Type::SyncFile) {
            return Err(Error::misuse(
                "a timeline semaphore's payload cannot be imported temporarily (VUID-VkImportSemaphoreFdInfoKHR-flags-03323)",
            ));
        }
        import(ty, semaphore.kind(), info.fd, |payload| semaphore.import(payload, temporary))
    })
}

/// The number of a descriptor that is the application's from now on; none stands for what is done already.
fn give(fd: Option<OwnedFd>) -> c_int {
    fd.map_or(-1, file_descriptor::give)
}

pub(crate) fn get_fence_fd_khr(
    device: vk::Device,
    info: In<'_, vk::FenceGetFdInfoKHR>,
    mut out: Out<'_, c_int>,
) -> vk::Result {
    guard(CommandId::get_fence_fd_khr, || {
        let device = device_object(device)?;
        let fence = handle::get::<Fence>(info.fence.as_raw())?;
        out.write(give(match fence_type(info.handle_type)? {
            Type::Opaque => Some(fence.payload().export()?),
            Type::SyncFile => fence.export_sync_file(device.device.lost())?,
        }));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_semaphore_fd_khr(
    device: vk::Device,
    info: In<'_, vk::SemaphoreGetFdInfoKHR>,
    mut out: Out<'_, c_int>,
) -> vk::Result {
    guard(CommandId::get_semaphore_fd_khr, || {
        let device = device_object(device)?;
        let semaphore = handle::get::<Semaphore>(info.semaphore.as_raw())?;
        out.write(give(match semaphore_type(info.handle_type)? {
            Type::Opaque => Some(semaphore.payload().export()?),
            Type::SyncFile => semaphore.export_sync_file(device.device.lost())?,
        }));
        Ok(vk::Result::SUCCESS)
    })
}
