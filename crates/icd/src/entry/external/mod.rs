//! Memory from and for others: file descriptors, handles of Windows, and host pointers.

pub(crate) mod sync;
#[cfg(windows)]
pub(crate) mod win32;
#[cfg(not(windows))]
#[path = "no_win32.rs"]
pub(crate) mod win32;

use crate::call::guard;
use crate::entry::device::Device;
use crate::handle;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::memory::mapped::Block;
use pyro_driver::memory::{DeviceMemory, MEMORY_ALIGNMENT, MemorySource, file_size};
use pyro_driver::{Error, Result, file_descriptor};
use std::ffi::{c_int, c_void};
use std::fs::File;
use vulkanalia_sys::{self as vk, Handle};

const FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const WIN32: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32;
/// Exported, it is the same file of memory, or a dma-buf of it where the system makes such
/// (`DeviceMemory::export_dma_buf`).
const DMA_BUF: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
const HOST: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// All memory types.
const TYPE_BITS: u32 = pyro_driver::limits::MEMORY_TYPE_BITS;

fn refused(what: vk::ExternalMemoryHandleTypeFlags) -> Error {
    Error::new(
        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
        format!("memory handle type {what:?} is not supported"),
    )
}

/// The handle types that the system has.
fn types_of_system() -> vk::ExternalMemoryHandleTypeFlags {
    if cfg!(windows) {
        WIN32
    } else if file_descriptor::ARE_THERE {
        FD | DMA_BUF
    } else {
        vk::ExternalMemoryHandleTypeFlags::empty()
    }
}

/// What buffers and images can do with memory of a handle type.
pub(crate) fn properties(ty: vk::ExternalMemoryHandleTypeFlags) -> vk::ExternalMemoryProperties {
    use vk::ExternalMemoryFeatureFlags as Feature;
    match ty {
        FD | DMA_BUF | WIN32 if types_of_system().contains(ty) => vk::ExternalMemoryProperties {
            external_memory_features: Feature::EXPORTABLE | Feature::IMPORTABLE,
            export_from_imported_handle_types: ty,
            compatible_handle_types: ty,
        },
        HOST => vk::ExternalMemoryProperties {
            external_memory_features: Feature::IMPORTABLE,
            export_from_imported_handle_types: vk::ExternalMemoryHandleTypeFlags::empty(),
            compatible_handle_types: HOST,
        },
        _ => vk::ExternalMemoryProperties::default(),
    }
}

/// What images can do with memory of a handle type: none where others could not know where texels lie.
pub(crate) fn image_properties(
    ty: vk::ExternalMemoryHandleTypeFlags,
    tiling: vk::ImageTiling,
    flags: vk::ImageCreateFlags,
) -> Option<vk::ExternalMemoryProperties> {
    let sparse = vk::ImageCreateFlags::SPARSE_BINDING;
    let is_known = ty != DMA_BUF || tiling != vk::ImageTiling::OPTIMAL;
    let properties = properties(ty);
    (is_known && !flags.contains(sparse) && !properties.external_memory_features.is_empty())
        .then_some(properties)
}

/// A file descriptor that becomes the driver's when the import succeeds.
pub(crate) struct Import(c_int);

impl Import {
    /// The import succeeded.
    pub(crate) fn take(self) {
        // SAFETY: a successful import takes the descriptor over (`VkImportMemoryFdInfoKHR`); nothing else
        // closes it.
        unsafe { file_descriptor::take(self.0) };
    }
}

/// The file that a descriptor of the application stands for, by a descriptor of the driver's own.
///
/// # Safety
/// The descriptor is open, and is not closed meanwhile.
unsafe fn file(fd: c_int) -> Option<File> {
    // SAFETY: the caller's contract.
    let given = unsafe { file_descriptor::borrow(fd) };
    given.and_then(file_descriptor::try_clone).map(file_descriptor::to_file)
}

/// Where an allocation's memory comes from.
///
/// # Errors
/// For handle types that cannot be imported or exported, and host pointers that are not aligned.
pub(crate) fn source(
    device: &Device,
    info: In<'_, vk::MemoryAllocateInfo>,
) -> Result<(MemorySource, Option<Import>)> {
    let export = info.find::<vk::ExportMemoryAllocateInfo>();
    let exported = export.map_or(vk::ExternalMemoryHandleTypeFlags::empty(), |export| export.handle_types);
    if !types_of_system().contains(exported) {
        return Err(refused(exported));
    }
    win32::check_name(info.find::<vk::ExportMemoryWin32HandleInfoKHR>().map(|export| export.name))?;
    if let Some(import) = info.find::<vk::ImportMemoryWin32HandleInfoKHR>()
        && !import.handle_type.is_empty()
    {
        let source = MemorySource::File(win32::file(&import)?, device.device.file_owner());
        return Ok((source, None));
    }
    if let Some(import) = info.find::<vk::ImportMemoryFdInfoKHR>()
        && !import.handle_type.is_empty()
    {
        if ![FD, DMA_BUF].contains(&import.handle_type) || import.fd < 0 {
            return Err(refused(import.handle_type));
        }
        // The application keeps its descriptor when the import fails, so the memory gets a copy.
        // SAFETY: the descriptor is open (VUID-VkImportMemoryFdInfoKHR-handleType-00670), and only
        // [`Import::take`] closes it.
        let file = unsafe { file(import.fd) }.ok_or_else(|| refused(import.handle_type))?;
        return Ok((MemorySource::File(file, device.device.file_owner()), Some(Import(import.fd))));
    }
    if let Some(import) = info.find::<vk::ImportMemoryHostPointerInfoEXT>()
        && !import.handle_type.is_empty()
    {
        let alignment = MEMORY_ALIGNMENT as u64;
        let address = import.host_pointer as u64;
        let aligned = address.is_multiple_of(alignment) && info.allocation_size.is_multiple_of(alignment);
        if import.handle_type != HOST || address == 0 || !aligned {
            return Err(refused(import.handle_type));
        }
        // SAFETY: the application keeps imported host memory for as long as the memory object
        // (`VkImportMemoryHostPointerInfoEXT`).
        let block = unsafe { Block::imported(address, info.allocation_size) };
        return Ok((MemorySource::Block(block), None));
    }
    let source = MemorySource::New {
        exportable: !exported.is_empty(),
        fixed_address: fixed_address(info),
        placeable: device.places_mappings
            || device.reserves_mappings
            || cfg!(windows) && device.binds_sparsely,
        exceeds_heap: device.exceeds_heap,
    };
    Ok((source, None))
}

/// The address that memory for capture and replay has to have; zero: any that another process can use.
fn fixed_address(info: In<'_, vk::MemoryAllocateInfo>) -> Option<u64> {
    let flags = info.find::<vk::MemoryAllocateFlagsInfo>()?.flags;
    let address = info.find::<vk::MemoryOpaqueCaptureAddressAllocateInfo>();
    flags
        .contains(vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY)
        .then(|| address.map_or(0, |address| address.opaque_capture_address))
}

pub(crate) fn get_memory_fd_khr(
    device: vk::Device,
    info: In<'_, vk::MemoryGetFdInfoKHR>,
    mut out: Out<'_, c_int>,
) -> vk::Result {
    guard(CommandId::get_memory_fd_khr, || {
        crate::entry::device::check(device)?;
        let memory = || handle::get::<DeviceMemory>(info.memory.as_raw());
        let file = match info.handle_type {
            FD => memory()?.export()?,
            DMA_BUF => memory()?.export_dma_buf()?,
            other => return Err(refused(other)),
        };
        let exported = file_descriptor::of_file(file).ok_or_else(|| refused(info.handle_type))?;
        out.write(file_descriptor::give(exported));
        Ok(vk::Result::SUCCESS)
    })
}

/// Opaque descriptors have no properties to ask for (VUID-vkGetMemoryFdPropertiesKHR-handleType-00674).
pub(crate) fn get_memory_fd_properties_khr(
    device: vk::Device,
    ty: vk::ExternalMemoryHandleTypeFlags,
    fd: c_int,
    mut out: Out<'_, vk::MemoryFdPropertiesKHR>,
) -> vk::Result {
    guard(CommandId::get_memory_fd_properties_khr, || {
        crate::entry::device::check(device)?;
        if ty != DMA_BUF || fd < 0 {
            return Err(refused(ty));
        }
        // SAFETY: the descriptor is open (VUID-vkGetMemoryFdPropertiesKHR-fd-00673).
        let file = unsafe { file(fd) };
        if file.is_none_or(|file| file_size(&file) == 0) {
            return Err(refused(ty));
        }
        out.get_mut().memory_type_bits = TYPE_BITS;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_memory_host_pointer_properties_ext(
    device: vk::Device,
    ty: vk::ExternalMemoryHandleTypeFlags,
    pointer: *const c_void,
    mut out: Out<'_, vk::MemoryHostPointerPropertiesEXT>,
) -> vk::Result {
    guard(CommandId::get_memory_host_pointer_properties_ext, || {
        crate::entry::device::check(device)?;
        if ty != HOST || !(pointer as usize).is_multiple_of(MEMORY_ALIGNMENT) {
            return Err(refused(ty));
        }
        out.get_mut().memory_type_bits = TYPE_BITS;
        Ok(vk::Result::SUCCESS)
    })
}
