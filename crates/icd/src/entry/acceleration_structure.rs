//! Acceleration structures: `VK_KHR_acceleration_structure`, and deferred operations.

use crate::call::recording::record;
use crate::call::{guard, guard_void, slice};
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{Allocator, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::{
    self, AccelerationStructure, Build, BuildInput, BuildRange, Geometry, GeometryFlags, Instances, Property,
    Triangles,
};
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{StructureCommand, TransferCommand};
use pyro_driver::image::format::acceleration_structure_vertex;
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::query::{QueryKind, QueryPool};
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_acceleration_structure_khr(
    device: vk::Device,
    info: In<'_, vk::AccelerationStructureCreateInfoKHR>,
    allocator: Allocator,
    mut out: Out<'_, vk::AccelerationStructureKHR>,
) -> vk::Result {
    guard(CommandId::create_acceleration_structure_khr, || {
        crate::entry::device::check(device)?;
        let buffer = handle::get::<Buffer>(info.buffer.as_raw())?;
        let structure = AccelerationStructure::new(buffer, info.offset, info.size, info.type_)?;
        let replays = vk::AccelerationStructureCreateFlagsKHR::DEVICE_ADDRESS_CAPTURE_REPLAY;
        if info.device_address != 0 && !info.create_flags.contains(replays) {
            return Err(Error::misuse(
                "deviceAddress is not 0, but createFlags lack DEVICE_ADDRESS_CAPTURE_REPLAY \
                 (VUID-VkAccelerationStructureCreateInfoKHR-deviceAddress-03612)",
            ));
        }
        // The address is that of the buffer's bytes.
        if info.device_address != 0 && structure.address()? != info.device_address {
            return Err(Error::new(
                vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
                format!("the buffer's memory is not where deviceAddress {:#x} is", info.device_address),
            ));
        }
        out.write(vk::AccelerationStructureKHR::from_raw(handle::create(structure, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(
    destroy_acceleration_structure_khr(AccelerationStructureKHR),
    AccelerationStructure
);

fn find(structure: vk::AccelerationStructureKHR) -> Result<Arc<AccelerationStructure>> {
    handle::get(structure.as_raw())
}

pub(crate) unsafe extern "system" fn get_acceleration_structure_device_address_khr(
    device: vk::Device,
    info: *const vk::AccelerationStructureDeviceAddressInfoKHR,
) -> vk::DeviceAddress {
    let mut address = 0;
    guard_void(CommandId::get_acceleration_structure_device_address_khr, || {
        crate::entry::device::check(device)?;
        // SAFETY: `info` is valid (VUID-vkGetAccelerationStructureDeviceAddressKHR-pInfo-parameter).
        address = find(unsafe { &*info }.acceleration_structure)?.address()?;
        Ok(())
    });
    address
}

/// Where an address comes from: the device's, or a pointer of the host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Device,
    Host,
}

impl Side {
    /// # Safety
    /// The application has set the member of the union that `self` says.
    unsafe fn address(self, place: vk::DeviceOrHostAddressConstKHR) -> u64 {
        match self {
            // SAFETY: the side says which of the two it is; any bits are sound as either.
            Side::Device => unsafe { place.device_address },
            // SAFETY: as above.
            Side::Host => unsafe { place.host_address }.expose_provenance() as u64,
        }
    }

    /// # Safety
    /// The application has set the member of the union that `self` says.
    unsafe fn target(self, place: vk::DeviceOrHostAddressKHR) -> u64 {
        match self {
            // SAFETY: as above.
            Side::Device => unsafe { place.device_address },
            // SAFETY: as above.
            Side::Host => unsafe { place.host_address }.expose_provenance() as u64,
        }
    }
}

/// # Safety
/// `data` is valid, with its chain and all that it points to
/// (`VkAccelerationStructureGeometryTrianglesDataKHR`, "Valid Usage").
unsafe fn triangles(
    data: &vk::AccelerationStructureGeometryTrianglesDataKHR,
    side: Side,
) -> Result<Triangles> {
    let format = acceleration_structure_vertex(data.vertex_format).ok_or_else(|| {
        Error::misuse(
            "the format is not supported for vertices of acceleration structures \
             (VUID-VkAccelerationStructureGeometryTrianglesDataKHR-vertexFormat-03797)",
        )
    })?;
    let index_bytes = match data.index_type {
        vk::IndexType::UINT8 => 1,
        vk::IndexType::UINT16 => 2,
        vk::IndexType::UINT32 => 4,
        vk::IndexType::NONE_KHR => 0,
        _ => {
            return Err(Error::misuse(
                "the index type is not supported \
                 (VUID-VkAccelerationStructureGeometryTrianglesDataKHR-indexType-03798)",
            ));
        }
    };
    // SAFETY: the side is that of the command.
    unsafe {
        Ok(Triangles {
            format,
            vertices: side.address(data.vertex_data),
            stride: data.vertex_stride,
            max_vertex: data.max_vertex,
            index_bytes,
            indices: side.address(data.index_data),
            transform: side.address(data.transform_data),
        })
    }
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkAccelerationStructureBuildGeometryInfoKHR`,
/// "Valid Usage").
unsafe fn build_input(
    info: &vk::AccelerationStructureBuildGeometryInfoKHR,
    side: Side,
) -> Result<BuildInput> {
    // SAFETY: `pointer_geometries` has as many elements as counted, by the contract of this function.
    let by_pointer = unsafe { slice(info.pointer_geometries, info.geometry_count) };
    // SAFETY: each pointer of `ppGeometries` is valid
    // (VUID-VkAccelerationStructureBuildGeometryInfoKHR-ppGeometries-parameter).
    let by_pointer = by_pointer.iter().map(|&geometry| unsafe { &*geometry });
    // SAFETY: `pGeometries` has as many elements as counted
    // (VUID-VkAccelerationStructureBuildGeometryInfoKHR-pGeometries-parameter).
    let in_row = unsafe { slice(info.geometries, info.geometry_count) }.iter();
    let geometries: Vec<&vk::AccelerationStructureGeometryKHR> = in_row.chain(by_pointer).collect();
    if info.type_ == vk::AccelerationStructureTypeKHR::TOP_LEVEL {
        let [geometry] = geometries[..] else {
            return Err(Error::misuse(
                "a top-level acceleration structure must have exactly one geometry \
                 (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03790)",
            ));
        };
        if geometry.geometry_type != vk::GeometryTypeKHR::INSTANCES {
            return Err(Error::misuse(
                "a geometry of a top-level acceleration structure is not instances \
                 (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03789)",
            ));
        }
        // SAFETY: the type says so.
        let instances = unsafe { geometry.geometry.instances };
        // SAFETY: `side` says which member of the union the application has set.
        let data = unsafe { side.address(instances.data) };
        return Ok(BuildInput::Top(Instances { data, are_pointers: instances.array_of_pointers != 0 }));
    }
    let geometries = geometries.into_iter().map(|geometry| {
        let flags = GeometryFlags { opaque: geometry.flags.contains(vk::GeometryFlagsKHR::OPAQUE) };
        // SAFETY, for the fields of the union: the type says which it is.
        Ok(match geometry.geometry_type {
            // SAFETY: the type says which member of the union the application has set.
            vk::GeometryTypeKHR::TRIANGLES => unsafe {
                Geometry::Triangles(triangles(&geometry.geometry.triangles, side)?, flags)
            },
            // SAFETY: the type says which member of the union the application has set.
            vk::GeometryTypeKHR::AABBS => unsafe {
                let boxes = geometry.geometry.aabbs;
                Geometry::Boxes(side.address(boxes.data), boxes.stride, flags)
            },
            _ => {
                return Err(Error::misuse(
                    "a geometry of a bottom-level acceleration structure is neither triangles nor boxes \
                     (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03791)",
                ));
            }
        })
    });
    Ok(BuildInput::Bottom(geometries.collect::<Result<_>>()?))
}

fn build(info: &vk::AccelerationStructureBuildGeometryInfoKHR, side: Side) -> Result<Build> {
    let target = find(info.dst_acceleration_structure)?;
    if !target.takes(info.type_) {
        return Err(Error::misuse(
            "the acceleration structure's type does not fit \
             (VUID-vkCmdBuildAccelerationStructuresKHR-dstAccelerationStructure-03699)",
        ));
    }
    // SAFETY: `info` is valid by the contract of this function, as `build_input` requires.
    Ok(Build { target, input: unsafe { build_input(info, side) }? })
}

/// The builds of a command and their ranges.
///
/// # Safety
/// `infos` has as many elements as counted and `ranges` has as many elements as counted.
unsafe fn builds(
    count: u32,
    infos: *const vk::AccelerationStructureBuildGeometryInfoKHR,
    ranges: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
    side: Side,
) -> Result<Vec<(Build, Vec<BuildRange>)>> {
    // SAFETY: `infos` and `ranges` have as many elements as counted, by the contract of this function.
    let (infos, ranges) = unsafe { (slice(infos, count), slice(ranges, count)) };
    let builds = infos.iter().zip(ranges).map(|(info, &ranges)| {
        // SAFETY: `ranges` has as many elements as counted, by the contract of this function.
        let ranges = unsafe { slice(ranges, info.geometry_count) }.iter().map(|range| BuildRange {
            primitive_count: range.primitive_count,
            primitive_offset: range.primitive_offset,
            first_vertex: range.first_vertex,
            transform_offset: range.transform_offset,
        });
        Ok((build(info, side)?, ranges.collect()))
    });
    builds.collect()
}

pub(crate) unsafe extern "system" fn get_acceleration_structure_build_sizes_khr(
    device: vk::Device,
    _ty: vk::AccelerationStructureBuildTypeKHR,
    info: *const vk::AccelerationStructureBuildGeometryInfoKHR,
    counts: *const u32,
    out: *mut vk::AccelerationStructureBuildSizesInfoKHR,
) {
    // SAFETY: `info` and `out` are valid; `counts` has as many elements as counted
    // (VUID-vkGetAccelerationStructureBuildSizesKHR-pBuildInfo-parameter,
    // VUID-vkGetAccelerationStructureBuildSizesKHR-pMaxPrimitiveCounts-parameter,
    // VUID-vkGetAccelerationStructureBuildSizesKHR-pSizeInfo-parameter).
    guard_void(CommandId::get_acceleration_structure_build_sizes_khr, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        // Only the kinds of geometries matter.
        let input = build_input(info, Side::Device)?;
        let out = &mut *out;
        out.acceleration_structure_size =
            acceleration_structure::build_size(&input, slice(counts, info.geometry_count));
        out.build_scratch_size = acceleration_structure::SCRATCH_BYTES;
        out.update_scratch_size = acceleration_structure::SCRATCH_BYTES;
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn cmd_build_acceleration_structures_khr(
    buffer: vk::CommandBuffer,
    count: u32,
    infos: *const vk::AccelerationStructureBuildGeometryInfoKHR,
    ranges: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
) {
    // SAFETY: `infos` and `ranges` are valid (VUID-vkCmdBuildAccelerationStructuresKHR-pInfos-parameter,
    // VUID-vkCmdBuildAccelerationStructuresKHR-ppBuildRangeInfos-parameter).
    unsafe {
        record(CommandId::cmd_build_acceleration_structures_khr, buffer, |buffer| {
            let builds = builds(count, infos, ranges, Side::Device)?;
            buffer.push(TransferCommand::Structures(Box::new(StructureCommand::Build(builds))))
        });
    }
}

pub(crate) unsafe extern "system" fn cmd_build_acceleration_structures_indirect_khr(
    buffer: vk::CommandBuffer,
    count: u32,
    infos: *const vk::AccelerationStructureBuildGeometryInfoKHR,
    addresses: *const vk::DeviceAddress,
    strides: *const u32,
    counts: *const *const u32,
) {
    // SAFETY: `infos`, `addresses`, `strides` and `counts` have as many elements as counted
    // (VUID-vkCmdBuildAccelerationStructuresIndirectKHR-pInfos-parameter,
    // VUID-vkCmdBuildAccelerationStructuresIndirectKHR-pIndirectDeviceAddresses-parameter,
    // VUID-vkCmdBuildAccelerationStructuresIndirectKHR-pIndirectStrides-parameter,
    // VUID-vkCmdBuildAccelerationStructuresIndirectKHR-ppMaxPrimitiveCounts-parameter).
    unsafe {
        record(CommandId::cmd_build_acceleration_structures_indirect_khr, buffer, |buffer| {
            let (addresses, strides) = (slice(addresses, count), slice(strides, count));
            let places = addresses.iter().zip(strides).zip(slice(counts, count));
            let builds =
                slice(infos, count).iter().zip(places).map(|(info, ((&address, &stride), &counts))| {
                    let counts = slice(counts, info.geometry_count).to_vec();
                    Ok((build(info, Side::Device)?, (address, stride, counts)))
                });
            let command = StructureCommand::BuildIndirect(builds.collect::<Result<_>>()?);
            buffer.push(TransferCommand::Structures(Box::new(command)))
        });
    }
}

pub(crate) fn cmd_copy_acceleration_structure_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CopyAccelerationStructureInfoKHR>,
) {
    record(CommandId::cmd_copy_acceleration_structure_khr, buffer, |buffer| {
        let command = StructureCommand::Copy(find(info.src)?, find(info.dst)?);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
}

pub(crate) unsafe extern "system" fn cmd_copy_acceleration_structure_to_memory_khr(
    buffer: vk::CommandBuffer,
    info: *const vk::CopyAccelerationStructureToMemoryInfoKHR,
) {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCmdCopyAccelerationStructureToMemoryKHR-pInfo-parameter).
    unsafe {
        record(CommandId::cmd_copy_acceleration_structure_to_memory_khr, buffer, |buffer| {
            let target = Side::Device.target((*info).dst);
            let command = StructureCommand::Serialize(find((*info).src)?, target);
            buffer.push(TransferCommand::Structures(Box::new(command)))
        });
    }
}

pub(crate) unsafe extern "system" fn cmd_copy_memory_to_acceleration_structure_khr(
    buffer: vk::CommandBuffer,
    info: *const vk::CopyMemoryToAccelerationStructureInfoKHR,
) {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCmdCopyMemoryToAccelerationStructureKHR-pInfo-parameter).
    unsafe {
        record(CommandId::cmd_copy_memory_to_acceleration_structure_khr, buffer, |buffer| {
            let source = Side::Device.address((*info).src);
            let command = StructureCommand::Deserialize(source, find((*info).dst)?);
            buffer.push(TransferCommand::Structures(Box::new(command)))
        });
    }
}

fn property(ty: vk::QueryType) -> Result<Property> {
    Property::of(ty).ok_or_else(|| {
        Error::misuse(
            "the query type is not a property of acceleration structures \
             (VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-queryType-06742)",
        )
    })
}

pub(crate) fn cmd_write_acceleration_structures_properties_khr(
    buffer: vk::CommandBuffer,
    structures: Slice<'_, vk::AccelerationStructureKHR>,
    ty: vk::QueryType,
    pool: vk::QueryPool,
    first: u32,
) {
    record(CommandId::cmd_write_acceleration_structures_properties_khr, buffer, |buffer| {
        let property = property(ty)?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        if pool.kind() != QueryKind::Structure(property) {
            return Err(Error::misuse(
                "the query pool's type does not fit the property \
                     (VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-queryPool-02493)",
            ));
        }
        pool.check(first, structures.len() as u32)?;
        let structures = structures.iter().map(|&structure| find(structure));
        let structures = structures.collect::<Result<_>>()?;
        let command = StructureCommand::WriteProperties(structures, property, pool, first);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
}

/// A `VkDeferredOperationKHR`. Commands that could be deferred are done at once, on as many threads as they
/// like.
pub(crate) struct DeferredOperation;

pub(crate) fn create_deferred_operation_khr(
    device: vk::Device,
    allocator: Allocator,
    mut out: Out<'_, vk::DeferredOperationKHR>,
) -> vk::Result {
    guard(CommandId::create_deferred_operation_khr, || {
        crate::entry::device::check(device)?;
        out.write(vk::DeferredOperationKHR::from_raw(handle::create(DeferredOperation, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_deferred_operation_khr(DeferredOperationKHR), DeferredOperation);

/// There is nothing left for other threads to do.
pub(crate) fn get_deferred_operation_max_concurrency_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
) -> u32 {
    guard_void(CommandId::get_deferred_operation_max_concurrency_khr, || {
        crate::entry::device::check(device)?;
        handle::get::<DeferredOperation>(operation.as_raw()).map(|_| ())
    });
    0
}

/// As nothing is deferred, all that was has succeeded.
pub(crate) fn get_deferred_operation_result_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
) -> vk::Result {
    guard(CommandId::get_deferred_operation_result_khr, || {
        crate::entry::device::check(device)?;
        handle::get::<DeferredOperation>(operation.as_raw())?;
        Ok(vk::Result::SUCCESS)
    })
}

/// There is nothing left for this thread to do.
pub(crate) fn deferred_operation_join_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
) -> vk::Result {
    guard(CommandId::deferred_operation_join_khr, || {
        crate::entry::device::check(device)?;
        handle::get::<DeferredOperation>(operation.as_raw())?;
        Ok(vk::Result::SUCCESS)
    })
}

/// The result of a command that has done at once what it was to defer.
pub(crate) fn deferred_result(operation: vk::DeferredOperationKHR) -> Result<vk::Result> {
    if operation.is_null() {
        return Ok(vk::Result::SUCCESS);
    }
    handle::get::<DeferredOperation>(operation.as_raw())?;
    Ok(vk::Result::OPERATION_NOT_DEFERRED_KHR)
}

pub(crate) unsafe extern "system" fn build_acceleration_structures_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    count: u32,
    infos: *const vk::AccelerationStructureBuildGeometryInfoKHR,
    ranges: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
) -> vk::Result {
    // SAFETY: `infos` and `ranges` are valid (VUID-vkBuildAccelerationStructuresKHR-pInfos-parameter,
    // VUID-vkBuildAccelerationStructuresKHR-ppBuildRangeInfos-parameter).
    guard(CommandId::build_acceleration_structures_khr, || unsafe {
        let device = device_object(device)?;
        let result = deferred_result(operation)?;
        for (build, ranges) in builds(count, infos, ranges, Side::Host)? {
            // Of instances that the host builds from, handles are the references.
            let resolve = |reference: u64| {
                let found = handle::get::<AccelerationStructure>(reference).ok()?;
                found.structure().ok().cloned()
            };
            build.run_on_host(&device.device, DeviceAddresses::trusted(), &ranges, &resolve);
        }
        Ok(result)
    })
}

pub(crate) fn copy_acceleration_structure_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyAccelerationStructureInfoKHR>,
) -> vk::Result {
    guard(CommandId::copy_acceleration_structure_khr, || {
        crate::entry::device::check(device)?;
        let result = deferred_result(operation)?;
        acceleration_structure::copy(&*find(info.src)?, &*find(info.dst)?);
        Ok(result)
    })
}

pub(crate) unsafe extern "system" fn copy_acceleration_structure_to_memory_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: *const vk::CopyAccelerationStructureToMemoryInfoKHR,
) -> vk::Result {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCopyAccelerationStructureToMemoryKHR-pInfo-parameter).
    guard(CommandId::copy_acceleration_structure_to_memory_khr, || unsafe {
        crate::entry::device::check(device)?;
        let result = deferred_result(operation)?;
        acceleration_structure::serialize_to(
            &*find((*info).src)?,
            DeviceAddresses::trusted(),
            Side::Host.target((*info).dst),
        );
        Ok(result)
    })
}

pub(crate) unsafe extern "system" fn copy_memory_to_acceleration_structure_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: *const vk::CopyMemoryToAccelerationStructureInfoKHR,
) -> vk::Result {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCopyMemoryToAccelerationStructureKHR-pInfo-parameter).
    guard(CommandId::copy_memory_to_acceleration_structure_khr, || unsafe {
        crate::entry::device::check(device)?;
        let result = deferred_result(operation)?;
        let target = find((*info).dst)?;
        if !acceleration_structure::deserialize_from(
            DeviceAddresses::trusted(),
            Side::Host.address((*info).src),
            &target,
        ) {
            return Err(Error::misuse(
                "the data is not a serialized acceleration structure of this driver version \
                 (VUID-VkCopyMemoryToAccelerationStructureInfoKHR-pInfo-03414)",
            ));
        }
        Ok(result)
    })
}

pub(crate) unsafe extern "system" fn write_acceleration_structures_properties_khr(
    device: vk::Device,
    count: u32,
    structures: *const vk::AccelerationStructureKHR,
    ty: vk::QueryType,
    size: usize,
    out: *mut c_void,
    stride: usize,
) -> vk::Result {
    // SAFETY: `out` is valid; `structures` has as many elements as counted; each structure of the chain is of
    // the type that its `sType` says
    // (VUID-vkWriteAccelerationStructuresPropertiesKHR-pAccelerationStructures-parameter,
    // VUID-vkWriteAccelerationStructuresPropertiesKHR-pData-parameter).
    guard(CommandId::write_acceleration_structures_properties_khr, || unsafe {
        crate::entry::device::check(device)?;
        let property = property(ty)?;
        for (index, &structure) in slice(structures, count).iter().enumerate() {
            let at = index.checked_mul(stride).filter(|at| at.checked_add(8).is_some_and(|end| end <= size));
            let at = at.ok_or_else(|| {
                Error::misuse(
                    "dataSize is too small for the properties \
                     (VUID-vkWriteAccelerationStructuresPropertiesKHR-dataSize-03452)",
                )
            })?;
            let value = property.value(&*find(structure)?);
            // SAFETY: the application says that there are so many bytes.
            out.byte_add(at).cast::<u64>().write_unaligned(value);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_device_acceleration_structure_compatibility_khr(
    device: vk::Device,
    info: *const vk::AccelerationStructureVersionInfoKHR,
    out: *mut vk::AccelerationStructureCompatibilityKHR,
) {
    // SAFETY: `info` and `out` are valid
    // (VUID-vkGetDeviceAccelerationStructureCompatibilityKHR-pVersionInfo-parameter,
    // VUID-vkGetDeviceAccelerationStructureCompatibilityKHR-pCompatibility-parameter).
    guard_void(CommandId::get_device_acceleration_structure_compatibility_khr, || unsafe {
        crate::entry::device::check(device)?;
        // SAFETY: there are two UUIDs.
        let version = (*info).version_data.cast::<[u8; 2 * vk::UUID_SIZE]>().read_unaligned();
        *out = match acceleration_structure::is_compatible(&version) {
            true => vk::AccelerationStructureCompatibilityKHR::COMPATIBLE,
            false => vk::AccelerationStructureCompatibilityKHR::INCOMPATIBLE,
        };
        Ok(())
    });
}
