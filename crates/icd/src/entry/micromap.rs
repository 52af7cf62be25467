//! Micromaps: `VK_EXT_opacity_micromap`, and what `VK_KHR_opacity_micromap` has of its own.
//!
//! A micromap is an acceleration structure of a type of its own; `VkMicromapEXT` is another handle for one.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::acceleration_structure::{
    Side, at_once, compatibility, deferred_result, deserialize, host_memory, index_bytes,
    write_host_properties, write_properties,
};
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{Allocator, Chain, In, Memory, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::{
    self, AccelerationStructure, Build, BuildInput, Micromap, MicromapInput, OpacityMap, Property,
};
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{StructureCommand, TransferCommand};
use pyro_driver::registry_supplement::{
    AccelerationStructureGeometryMicromapDataKHR, AccelerationStructureTrianglesOpacityMicromapKHR,
};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

fn find(micromap: vk::MicromapEXT) -> Result<Arc<AccelerationStructure>> {
    Ok(Arc::clone(&handle::get::<Micromap>(micromap.as_raw())?.0))
}

pub(crate) fn create_micromap_ext(
    device: vk::Device,
    info: In<'_, vk::MicromapCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::MicromapEXT>,
) -> vk::Result {
    guard(CommandId::create_micromap_ext, || {
        crate::entry::device::check(device)?;
        if info.type_ != vk::MicromapTypeEXT::OPACITY_MICROMAP {
            return Err(Error::misuse(
                "the type is not OPACITY_MICROMAP (VUID-VkMicromapCreateInfoEXT-type-parameter)",
            ));
        }
        let buffer = handle::get::<Buffer>(info.buffer.as_raw())?;
        let structure = AccelerationStructure::new_micromap(buffer, info.offset, info.size)?;
        let replays = vk::MicromapCreateFlagsEXT::DEVICE_ADDRESS_CAPTURE_REPLAY;
        if info.device_address != 0 && !info.create_flags.contains(replays) {
            return Err(Error::misuse(
                "deviceAddress is not 0, but createFlags lack DEVICE_ADDRESS_CAPTURE_REPLAY \
                 (VUID-VkMicromapCreateInfoEXT-deviceAddress-07433)",
            ));
        }
        if info.device_address != 0 && structure.address()? != info.device_address {
            return Err(Error::new(
                vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
                format!("the buffer's memory is not where deviceAddress {:#x} is", info.device_address),
            ));
        }
        let made = handle::create(Micromap(Arc::new(structure)), allocator)?;
        out.write(vk::MicromapEXT::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_micromap_ext(MicromapEXT), Micromap);

fn input(info: In<'_, vk::MicromapBuildInfoEXT>, side: Side) -> MicromapInput {
    let mut input = MicromapInput {
        data: side.address(info.data),
        triangles: side.address(info.triangle_array),
        stride: info.triangle_array_stride,
        ..MicromapInput::default()
    };
    for usage in info.usage_counts().into_iter().chain(info.pointer_usage_counts()) {
        input.add_usage(usage.count, usage.subdivision_level, usage.format);
    }
    input
}

/// What a structure of the type of micromaps is built from.
pub(crate) fn micromap_input(
    geometry: In<'_, vk::AccelerationStructureGeometryKHR>,
) -> Result<MicromapInput> {
    let info = geometry.find::<AccelerationStructureGeometryMicromapDataKHR>().ok_or_else(|| {
        Error::misuse(
            "a micromap's geometry has no VkAccelerationStructureGeometryMicromapDataKHR in its pNext chain",
        )
    })?;
    let mut input = MicromapInput {
        data: info.data,
        triangles: info.triangle_array,
        stride: info.triangle_array_stride,
        ..MicromapInput::default()
    };
    for usage in info.usage_counts().into_iter().chain(info.pointer_usage_counts()) {
        input.add_usage(usage.count, usage.subdivision_level, usage.format.as_raw() as u32);
    }
    Ok(input)
}

/// The micromap of a geometry of triangles, if it has one.
pub(crate) fn opacity_map(data: Chain<'_>, side: Side) -> Result<Option<OpacityMap>> {
    let (structure, index_type, indices, stride, base, is_reference) =
        if let Some(map) = data.find::<vk::AccelerationStructureTrianglesOpacityMicromapEXT>() {
            let structure = if map.micromap.is_null() { None } else { Some(find(map.micromap)?) };
            let indices = side.address(map.index_buffer);
            (structure, map.index_type, indices, map.index_stride, map.base_triangle, false)
        } else if let Some(map) = data.find::<AccelerationStructureTrianglesOpacityMicromapKHR>() {
            let structure = match map.micromap.is_null() {
                true => None,
                false => Some(handle::get::<AccelerationStructure>(map.micromap.as_raw())?),
            };
            (structure, map.index_type, map.index_buffer, map.index_stride, map.base_triangle, true)
        } else {
            return Ok(None);
        };
    let index_bytes = index_bytes(index_type).ok_or_else(|| {
        Error::misuse(
            "the index type is not supported for opacity micromaps \
             (VUID-VkAccelerationStructureTrianglesOpacityMicromapKHR-indexType-11570)",
        )
    })?;
    let micromap = structure.map(|structure| structure.structure().cloned()).transpose()?;
    Ok(Some(OpacityMap { micromap, index_bytes, indices, stride, base, is_reference }))
}

fn build(info: In<'_, vk::MicromapBuildInfoEXT>, side: Side) -> Result<Build> {
    if info.type_ != vk::MicromapTypeEXT::OPACITY_MICROMAP {
        return Err(Error::misuse(
            "the type is not OPACITY_MICROMAP (VUID-VkMicromapBuildInfoEXT-type-parameter)",
        ));
    }
    let input = BuildInput::Micromap(input(info, side));
    Ok(Build { target: find(info.dst_micromap)?, input, scratch: 0 })
}

fn builds(
    infos: Slice<'_, vk::MicromapBuildInfoEXT>,
    side: Side,
) -> Result<Vec<(Build, Vec<acceleration_structure::BuildRange>)>> {
    infos.into_iter().map(|info| Ok((build(info, side)?, Vec::new()))).collect()
}

pub(crate) fn get_micromap_build_sizes_ext(
    device: vk::Device,
    _ty: vk::AccelerationStructureBuildTypeKHR,
    info: In<'_, vk::MicromapBuildInfoEXT>,
    mut out: Out<'_, vk::MicromapBuildSizesInfoEXT>,
) {
    guard_void(CommandId::get_micromap_build_sizes_ext, || {
        crate::entry::device::check(device)?;
        out.micromap_size = input(info, Side::Device).bytes();
        out.build_scratch_size = acceleration_structure::SCRATCH_BYTES;
        // Structures share the content of the micromaps that they were built with.
        out.discardable = vk::TRUE;
        Ok(())
    });
}

fn push(
    command: CommandId,
    buffer: vk::CommandBuffer,
    structures: impl FnOnce() -> Result<StructureCommand>,
) {
    record(command, buffer, |buffer| buffer.push(TransferCommand::Structures(Box::new(structures()?))));
}

pub(crate) fn cmd_build_micromaps_ext(buffer: vk::CommandBuffer, infos: Slice<'_, vk::MicromapBuildInfoEXT>) {
    let builds = || Ok(StructureCommand::Build(builds(infos, Side::Device)?));
    push(CommandId::cmd_build_micromaps_ext, buffer, builds);
}

pub(crate) fn cmd_copy_micromap_ext(buffer: vk::CommandBuffer, info: In<'_, vk::CopyMicromapInfoEXT>) {
    let copy = || Ok(StructureCommand::Copy(find(info.src)?, find(info.dst)?));
    push(CommandId::cmd_copy_micromap_ext, buffer, copy);
}

pub(crate) fn cmd_copy_micromap_to_memory_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CopyMicromapToMemoryInfoEXT>,
) {
    let serialize = || Ok(StructureCommand::Serialize(find(info.src)?, Side::Device.address(info.dst)));
    push(CommandId::cmd_copy_micromap_to_memory_ext, buffer, serialize);
}

pub(crate) fn cmd_copy_memory_to_micromap_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CopyMemoryToMicromapInfoEXT>,
) {
    let deserialize = || Ok(StructureCommand::Deserialize(Side::Device.address(info.src), find(info.dst)?));
    push(CommandId::cmd_copy_memory_to_micromap_ext, buffer, deserialize);
}

fn property(ty: vk::QueryType) -> Result<Property> {
    let is_of_micromaps = matches!(
        ty,
        vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT | vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT
    );
    Property::of(ty).filter(|_| is_of_micromaps).ok_or_else(|| {
        Error::misuse(
            "the query type is not a property of micromaps \
             (VUID-vkCmdWriteMicromapsPropertiesEXT-queryType-07503)",
        )
    })
}

pub(crate) fn cmd_write_micromaps_properties_ext(
    buffer: vk::CommandBuffer,
    micromaps: Slice<'_, vk::MicromapEXT>,
    ty: vk::QueryType,
    pool: vk::QueryPool,
    first: u32,
) {
    let command = CommandId::cmd_write_micromaps_properties_ext;
    let micromaps = micromaps.iter().map(|&micromap| find(micromap));
    let mismatch = "the query pool's type does not fit the property \
                    (VUID-vkCmdWriteMicromapsPropertiesEXT-queryPool-07525)";
    write_properties((command, buffer), micromaps, property(ty), (pool, first), mismatch);
}

pub(crate) fn build_micromaps_ext(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    infos: Slice<'_, vk::MicromapBuildInfoEXT>,
) -> vk::Result {
    guard(CommandId::build_micromaps_ext, || {
        let device = device_object(device)?;
        let result = deferred_result(operation)?;
        for (build, ranges) in builds(infos, Side::Host)? {
            build.run_on_host(&device.device, host_memory(), &ranges, &|_| None);
        }
        Ok(result)
    })
}

pub(crate) fn copy_micromap_ext(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyMicromapInfoEXT>,
) -> vk::Result {
    at_once(CommandId::copy_micromap_ext, device, operation, || {
        acceleration_structure::copy(&*find(info.src)?, &*find(info.dst)?);
        Ok(())
    })
}

pub(crate) fn copy_micromap_to_memory_ext(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyMicromapToMemoryInfoEXT>,
) -> vk::Result {
    at_once(CommandId::copy_micromap_to_memory_ext, device, operation, || {
        let target = Side::Host.address(info.dst);
        acceleration_structure::serialize_to(&*find(info.src)?, host_memory(), target);
        Ok(())
    })
}

pub(crate) fn copy_memory_to_micromap_ext(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyMemoryToMicromapInfoEXT>,
) -> vk::Result {
    at_once(CommandId::copy_memory_to_micromap_ext, device, operation, || {
        let mismatch = "the data is not a serialized micromap of this driver version \
                        (VUID-VkCopyMemoryToMicromapInfoEXT-src-07547)";
        deserialize(info.src, &*find(info.dst)?, mismatch)
    })
}

pub(crate) fn write_micromaps_properties_ext(
    device: vk::Device,
    micromaps: Slice<'_, vk::MicromapEXT>,
    ty: vk::QueryType,
    out: Memory<'_>,
    stride: usize,
) -> vk::Result {
    guard(CommandId::write_micromaps_properties_ext, || {
        crate::entry::device::check(device)?;
        let too_small = "dataSize is too small for the properties \
                         (VUID-vkWriteMicromapsPropertiesEXT-dataSize-07576)";
        let micromaps = micromaps.iter().map(|&micromap| find(micromap));
        write_host_properties(micromaps, property(ty)?, out, stride, too_small)
    })
}

pub(crate) fn get_device_micromap_compatibility_ext(
    device: vk::Device,
    info: In<'_, vk::MicromapVersionInfoEXT>,
    mut out: Out<'_, vk::AccelerationStructureCompatibilityKHR>,
) {
    guard_void(CommandId::get_device_micromap_compatibility_ext, || {
        crate::entry::device::check(device)?;
        out.write(compatibility(&info.version_data()));
        Ok(())
    });
}
