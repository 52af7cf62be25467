//! Fences and semaphores from and for others: opaque descriptors, which share a payload, and the kernel's
//! sync files, which stand for one signal (`VK_KHR_external_fence_fd`, `VK_KHR_external_semaphore_fd`).

use super::win32::check_name;
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
use std::fmt::Debug;
use std::ops::BitOr;
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

/// The handle types of fences, or those of semaphores.
pub(super) trait HandleType: Copy + PartialEq + Debug + BitOr<Output = Self> {
    const OPAQUE: Self;
    const SYNC_FILE: Self;
    /// Those of them that the system has.
    const ALL: Self;
    const NONE: Self;
    /// Whose handle types they are.
    const OBJECTS: &'static str;
    /// The rules that say of which types handles are imported and given.
    const IMPORT_RULES: &'static str;
    /// The rule that says which types a new object may be exported to.
    const EXPORT_RULE: &'static str;
}

impl HandleType for FenceType {
    const OPAQUE: Self = if cfg!(windows) { Self::OPAQUE_WIN32 } else { Self::OPAQUE_FD };
    const SYNC_FILE: Self = Self::SYNC_FD;
    const ALL: Self = if cfg!(windows) { Self::OPAQUE } else { Self::OPAQUE.union(Self::SYNC_FILE) };
    const NONE: Self = Self::empty();
    const OBJECTS: &'static str = "fences";
    const IMPORT_RULES: &'static str =
        "VUID-VkImportFenceFdInfoKHR-handleType-01464, VUID-VkFenceGetFdInfoKHR-handleType-01456";
    const EXPORT_RULE: &'static str = "VUID-VkExportFenceCreateInfo-handleTypes-01446";
}

impl HandleType for SemaphoreType {
    const OPAQUE: Self = if cfg!(windows) { Self::OPAQUE_WIN32 } else { Self::OPAQUE_FD };
    const SYNC_FILE: Self = Self::SYNC_FD;
    const ALL: Self = if cfg!(windows) { Self::OPAQUE } else { Self::OPAQUE.union(Self::SYNC_FILE) };
    const NONE: Self = Self::empty();
    const OBJECTS: &'static str = "semaphores";
    const IMPORT_RULES: &'static str =
        "VUID-VkImportSemaphoreFdInfoKHR-handleType-01143, VUID-VkSemaphoreGetFdInfoKHR-handleType-01136";
    const EXPORT_RULE: &'static str = "VUID-VkExportSemaphoreCreateInfo-handleTypes-01124";
}

/// What a handle type is, if handles of it can be imported and given.
fn type_of<T: HandleType>(ty: T) -> Result<Type> {
    match ty {
        ty if ty == T::OPAQUE => return Ok(Type::Opaque),
        ty if ty == T::SYNC_FILE && file_descriptor::ARE_THERE => return Ok(Type::SyncFile),
        _ => {}
    }
    let (objects, rules) = (T::OBJECTS, T::IMPORT_RULES);
    Err(Error::misuse(format!("{objects} cannot be imported from handle type {ty:?} ({rules})")))
}

/// Whether the payload of a new object that is to be exported to these types is one that other processes can
/// have.
fn exports<T: HandleType>(types: T) -> Result<bool> {
    if types | T::ALL != T::ALL {
        let (objects, rule) = (T::OBJECTS, T::EXPORT_RULE);
        return Err(Error::misuse(format!("{objects} cannot be exported to these handle types ({rule})")));
    }
    Ok(types | T::OPAQUE == types)
}

/// Whether a new fence's payload is one that other processes can have.
///
/// # Errors
/// For handle types that there are not.
pub(crate) fn exports_fence(info: In<'_, vk::FenceCreateInfo>) -> Result<bool> {
    check_name(info.find::<vk::ExportFenceWin32HandleInfoKHR>().map(|export| export.name))?;
    info.find::<vk::ExportFenceCreateInfo>().map_or(Ok(false), |export| exports(export.handle_types))
}

/// Whether a new semaphore's payload is one that other processes can have.
///
/// # Errors
/// For handle types that there are not.
pub(crate) fn exports_semaphore(info: In<'_, vk::SemaphoreCreateInfo>) -> Result<bool> {
    check_name(info.find::<vk::ExportSemaphoreWin32HandleInfoKHR>().map(|export| export.name))?;
    info.find::<vk::ExportSemaphoreCreateInfo>().map_or(Ok(false), |export| exports(export.handle_types))
}

/// The types that a handle of type `ty` can be exported from and to: both where there is such a handle.
fn compatible<T: HandleType>(ty: T, is_known: bool, all: T) -> [T; 2] {
    if is_known { [ty, all] } else { [T::NONE; 2] }
}

pub(crate) fn get_physical_device_external_fence_properties(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalFenceInfo>,
    mut out: Out<'_, vk::ExternalFenceProperties>,
) {
    use vk::ExternalFenceFeatureFlags as Feature;
    let (out, ty) = (out.get_mut(), info.handle_type);
    let known = type_of(ty).is_ok();
    let all = FenceType::ALL;
    [out.export_from_imported_handle_types, out.compatible_handle_types] = compatible(ty, known, all);
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
    let known = type_of(ty).is_ok_and(|ty| !timeline || ty == Type::Opaque);
    let all = if timeline { SemaphoreType::OPAQUE } else { SemaphoreType::ALL };
    [out.export_from_imported_handle_types, out.compatible_handle_types] = compatible(ty, known, all);
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
        (Type::Opaque, None) => return Err(bad()),
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
        let ty = type_of(info.handle_type)?;
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
        let ty = type_of(info.handle_type)?;
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
        out.write(give(match type_of(info.handle_type)? {
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
        out.write(give(match type_of(info.handle_type)? {
            Type::Opaque => Some(semaphore.payload().export()?),
            Type::SyncFile => semaphore.export_sync_file(device.device.lost())?,
        }));
        Ok(vk::Result::SUCCESS)
    })
}
