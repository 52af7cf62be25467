//! What is changed in decoded parameters before a call is made again.

use crate::present::Swapchains;
use crate::sync::chained;
use pyro_capture::decode::Parameters;
use pyro_capture::host;
use vulkanalia_sys::{self as vk, Handle};

/// Takes the structures of a type out of a chain; the last one that was there.
///
/// # Safety
/// `next` is the `pNext` of a structure with a valid chain, in memory of parameters.
pub(crate) unsafe fn unlink<T>(
    next: *mut *const std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<*mut T> {
    let (mut place, mut found) = (next.cast::<*mut vk::BaseOutStructure>(), None);
    // SAFETY: each structure of the chain begins as `VkBaseOutStructure` does; the contract of this function.
    unsafe {
        while let Some(structure) = (*place).as_mut() {
            if structure.s_type == s_type {
                found = Some((*place).cast());
                *place = structure.next;
            } else {
                place = &raw mut structure.next;
            }
        }
    }
    found
}

/// Bytes that a tensor takes at most, whatever its elements are; none where it has no size.
///
/// # Safety
/// The description was decoded.
unsafe fn tensor_bytes_max(tensor: &vk::TensorDescriptionARM) -> Option<usize> {
    const ELEMENT_BYTES_MAX: u128 = 8;
    let axis = |index: usize| {
        // SAFETY: there are as many dimensions, and strides where there are some.
        let (size, stride) = unsafe {
            let stride = (!tensor.strides.is_null()).then(|| *tensor.strides.add(index));
            (*tensor.dimensions.add(index), stride)
        };
        Some((u128::try_from(size).ok().filter(|&size| size > 0)?, stride))
    };
    let (mut elements, mut strided) = (ELEMENT_BYTES_MAX, ELEMENT_BYTES_MAX);
    for index in 0..tensor.dimension_count as usize {
        let (size, stride) = axis(index)?;
        elements = elements.checked_mul(size)?;
        if let Some(stride) = stride {
            strided = strided.checked_add(size.checked_mul(u128::try_from(stride).ok()?)?)?;
        }
    }
    usize::try_from(elements.max(strided)).ok()
}

/// Gives the constants of data graphs the elements that the capture holds behind the call, in their order;
/// whether it holds as much as their tensors have.
///
/// # Safety
/// The parameters are those of `vkCreateDataGraphPipelinesARM`.
pub(crate) unsafe fn graph_constants(parameters: &mut Parameters, contents: &[u8]) -> bool {
    /// Elements have 1 to 8 bytes, and what is described by strides may be counted once for each axis.
    const SLACK: usize = 64;
    let Some(all) = host::read(contents) else { return false };
    let mut all = all.into_iter().peekable();
    let count = parameters.slots.get(3).copied().unwrap_or(0) as u32 as usize;
    let infos = parameters.pointer(4).cast::<vk::DataGraphPipelineCreateInfoARM>();
    for index in 0..if infos.is_null() { 0 } else { count } {
        // SAFETY: the infos, their chains and arrays were decoded.
        unsafe {
            let graph = chained::<vk::DataGraphPipelineShaderModuleCreateInfoARM>(
                (*infos.add(index)).next,
                vk::StructureType::DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
            );
            let Some(graph) = graph.filter(|graph| !graph.constants.is_null()) else { continue };
            for index in 0..graph.constant_count as usize {
                let constant = graph.constants.add(index).cast_mut();
                let ty = vk::StructureType::TENSOR_DESCRIPTION_ARM;
                let Some(tensor) = chained::<vk::TensorDescriptionARM>((*constant).next, ty) else {
                    continue;
                };
                // Those of pipelines that were refused before they were read are not there.
                let Some(own) = all.next_if(|own| own.node == (*constant).id) else { continue };
                let Some(bytes) = tensor_bytes_max(tensor) else { continue };
                if bytes / SLACK > own.bytes.len() {
                    return false;
                }
                let to = parameters.allocate(bytes.max(own.bytes.len())).cast::<u8>();
                to.copy_from_nonoverlapping(own.bytes.as_ptr(), own.bytes.len());
                (*constant).constant_data = to.cast();
            }
        }
    }
    true
}

/// Puts memory where it was: without imports, at the address of the capture if one is known.
///
/// # Safety
/// The parameters are those of `vkAllocateMemory`.
pub(crate) unsafe fn allocation(parameters: &mut Parameters, address: Option<u64>) -> u64 {
    use vk::StructureType as Type;
    let info = parameters.pointer(1).cast::<vk::MemoryAllocateInfo>();
    let flags = parameters.allocate(size_of::<vk::MemoryAllocateFlagsInfo>());
    let opaque = parameters.allocate(size_of::<vk::MemoryOpaqueCaptureAddressAllocateInfo>());
    // SAFETY: the info was decoded, its chain is valid, and new structures have room and live as long.
    unsafe {
        let Some(info) = info.as_mut() else { return 0 };
        let next = &raw mut info.next;
        unlink::<vk::BaseOutStructure>(next, Type::IMPORT_MEMORY_FD_INFO_KHR);
        unlink::<vk::BaseOutStructure>(next, Type::IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
        unlink::<vk::BaseOutStructure>(next, Type::MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
        let known = unlink::<vk::MemoryAllocateFlagsInfo>(next, Type::MEMORY_ALLOCATE_FLAGS_INFO);
        let Some(address) = address else { return info.allocation_size };
        let (flags, opaque) = (
            flags.cast::<vk::MemoryAllocateFlagsInfo>(),
            opaque.cast::<vk::MemoryOpaqueCaptureAddressAllocateInfo>(),
        );
        opaque.write(vk::MemoryOpaqueCaptureAddressAllocateInfo {
            next: info.next,
            opaque_capture_address: address,
            ..Default::default()
        });
        flags.write(vk::MemoryAllocateFlagsInfo {
            next: opaque.cast(),
            flags: known.map_or(vk::MemoryAllocateFlags::DEVICE_ADDRESS, |known| (*known).flags)
                | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
            device_mask: known.map_or(0, |known| (*known).device_mask),
            ..Default::default()
        });
        info.next = flags.cast();
        info.allocation_size
    }
}

/// Images of a swapchain's memory are ordinary images; images that are read by the replay are ones that can
/// be copied. Gives what is made.
///
/// # Safety
/// The parameters are those of `vkCreateImage`.
pub(crate) unsafe fn image(parameters: &Parameters, is_read: bool) -> Option<vk::ImageCreateInfo> {
    let info = parameters.pointer(1).cast::<vk::ImageCreateInfo>();
    // SAFETY: the info was decoded, its chain is valid.
    unsafe {
        let info = info.as_mut()?;
        let s_type = vk::StructureType::IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
        unlink::<vk::BaseOutStructure>(&raw mut info.next, s_type);
        if is_read && !info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT) {
            info.usage |= vk::ImageUsageFlags::TRANSFER_SRC;
        }
        Some(*info)
    }
}

/// Bindings to a swapchain's images are bindings to their memory.
///
/// # Safety
/// The parameters are those of `vkBindImageMemory2`.
pub(crate) unsafe fn image_bindings(parameters: &Parameters, swapchains: &Swapchains) {
    let (infos, count) =
        (parameters.pointer(2).cast::<vk::BindImageMemoryInfo>(), parameters.slots[1] as u32);
    for index in 0..if infos.is_null() { 0 } else { count as usize } {
        // SAFETY: so many infos were decoded, with valid chains.
        unsafe {
            let info = &mut *infos.add(index);
            let s_type = vk::StructureType::BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR;
            let Some(binding) = unlink::<vk::BindImageMemorySwapchainInfoKHR>(&raw mut info.next, s_type)
            else {
                continue;
            };
            let swapchain = swapchains.get(&(*binding).swapchain.as_raw());
            if let Some(image) = swapchain.and_then(|one| one.images.get((*binding).image_index as usize)) {
                info.memory = image.memory;
            }
        }
    }
}

/// Lets pipelines be compiled where the program wanted to know only whether a cache has them: it had.
///
/// # Safety
/// The parameters are those of a command that makes pipelines of infos of type `T`, which begin with `sType`,
/// `pNext` and flags; their number is in this slot, the infos in the next one.
pub(crate) unsafe fn compile_always<T>(parameters: &Parameters, count_slot: usize) {
    let infos = parameters.pointer(count_slot + 1);
    let count = if infos.is_null() { 0 } else { parameters.slots[count_slot] as u32 as usize };
    for index in 0..count {
        // SAFETY: so many infos were decoded; flags are behind `pNext`, and chains are valid.
        unsafe {
            let info = infos.add(index * size_of::<T>());
            let flags = info.add(16).cast::<vk::PipelineCreateFlags>();
            *flags &= !vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
            let mut next = info.add(8).cast::<*mut vk::BaseOutStructure>().read();
            while let Some(structure) = next.as_mut() {
                if structure.s_type == vk::StructureType::PIPELINE_CREATE_FLAGS_2_CREATE_INFO {
                    (*next.cast::<vk::PipelineCreateFlags2CreateInfo>()).flags &=
                        !vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
                }
                next = structure.next;
            }
        }
    }
}

/// Gives the groups of ray tracing pipelines the handles that they had.
///
/// # Safety
/// The parameters are those of `vkCreateRayTracingPipelinesKHR`.
pub(crate) unsafe fn ray_pipelines(parameters: &mut Parameters, handles: &[&[u8]]) {
    let (infos, count) =
        (parameters.pointer(4).cast::<vk::RayTracingPipelineCreateInfoKHR>(), parameters.slots[3]);
    if infos.is_null() {
        return;
    }
    for (index, handles) in (0..count as u32 as usize).zip(handles) {
        // SAFETY: so many infos were decoded, with their groups and valid chains.
        unsafe {
            let info = &mut *infos.add(index);
            let groups = info.groups.cast_mut();
            let count = if groups.is_null() { 0 } else { info.group_count as usize };
            let size = if count == 0 { 0 } else { handles.len() / count.max(1) };
            if size == 0 {
                continue;
            }
            info.flags |= vk::PipelineCreateFlags::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR;
            let mut next = info.next.cast_mut().cast::<vk::BaseOutStructure>();
            while let Some(structure) = next.as_mut() {
                if structure.s_type == vk::StructureType::PIPELINE_CREATE_FLAGS_2_CREATE_INFO {
                    (*next.cast::<vk::PipelineCreateFlags2CreateInfo>()).flags |=
                        vk::PipelineCreateFlags2::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR;
                }
                next = structure.next;
            }
            for (group, handle) in (0..count).zip(handles.chunks_exact(size)) {
                let place = parameters.allocate(size);
                place.copy_from_nonoverlapping(handle.as_ptr(), size);
                (*groups.add(group)).shader_group_capture_replay_handle = place.cast();
            }
        }
    }
}
