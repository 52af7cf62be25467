//! Acceleration structures: `VK_KHR_acceleration_structure`, and deferred operations.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::device::device_object;
use crate::entry::micromap;
use crate::handle;
use crate::pointers::{self, Allocator, DeviceOrHostAddress, In, Memory, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::{
    self, AccelerationStructure, Build, BuildInput, BuildRange, Component, DenseTriangles, Geometry,
    GeometryFlags, Instances, Property, Spheres, SweptSpheres, Triangles, VertexFormat, dense,
};
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{StructureCommand, TransferCommand};
use pyro_driver::image::format::{acceleration_structure_radius, acceleration_structure_vertex};
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::query::{QueryKind, QueryPool};
use pyro_driver::registry_supplement::ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
use pyro_driver::{Error, Result};
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

pub(crate) fn get_acceleration_structure_device_address_khr(
    device: vk::Device,
    info: In<'_, vk::AccelerationStructureDeviceAddressInfoKHR>,
) -> vk::DeviceAddress {
    let mut address = 0;
    guard_void(CommandId::get_acceleration_structure_device_address_khr, || {
        crate::entry::device::check(device)?;
        address = find(info.acceleration_structure)?.address()?;
        Ok(())
    });
    address
}

/// Where an address comes from: the device's, or a pointer of the host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Device,
    Host,
}

impl Side {
    pub(crate) fn address(self, place: impl DeviceOrHostAddress) -> u64 {
        match self {
            Side::Device => place.device(),
            Side::Host => place.host(),
        }
    }
}

/// Bytes of an index of a type; 0 of none.
pub(crate) fn index_bytes(ty: vk::IndexType) -> Option<u32> {
    Some(match ty {
        vk::IndexType::UINT8 => 1,
        vk::IndexType::UINT16 => 2,
        vk::IndexType::UINT32 => 4,
        vk::IndexType::NONE_KHR => 0,
        _ => return None,
    })
}

/// The format of vertices or centers; `rule` refuses those that cannot be.
pub(crate) fn vertex_format(format: vk::Format, rule: &str) -> Result<VertexFormat> {
    acceleration_structure_vertex(format).ok_or_else(|| {
        Error::misuse(format!("the format is not supported for vertices of acceleration structures ({rule})"))
    })
}

/// The format of vertices, and bytes of an index.
pub(crate) fn triangles_format(vertices: vk::Format, indices: vk::IndexType) -> Result<(VertexFormat, u32)> {
    let rule = "VUID-VkAccelerationStructureGeometryTrianglesDataKHR-vertexFormat-03797";
    let format = vertex_format(vertices, rule)?;
    let index_bytes = index_bytes(indices).ok_or_else(|| {
        Error::misuse(
            "the index type is not supported \
             (VUID-VkAccelerationStructureGeometryTrianglesDataKHR-indexType-03798)",
        )
    })?;
    Ok((format, index_bytes))
}

fn triangles(
    data: In<'_, vk::AccelerationStructureGeometryTrianglesDataKHR>,
    side: Side,
) -> Result<Triangles> {
    let (format, index_bytes) = triangles_format(data.vertex_format, data.index_type)?;
    let motion = data.find::<vk::AccelerationStructureGeometryMotionTrianglesDataNV>();
    Ok(Triangles {
        format,
        vertices: side.address(data.vertex_data),
        end_vertices: motion.map_or(0, |motion| side.address(motion.vertex_data)),
        stride: data.vertex_stride,
        max_vertex: data.max_vertex,
        index_bytes,
        indices: side.address(data.index_data),
        transform: side.address(data.transform_data),
        opacity_map: micromap::opacity_map(data.chain(), side)?,
    })
}

/// How centers and radii lie in memory, and bytes of an index.
fn sphere_formats(
    (centers, radii, indices): (vk::Format, vk::Format, vk::IndexType),
    [center_rule, radius_rule, index_rule]: [&'static str; 3],
) -> Result<(VertexFormat, Component, u32)> {
    let format = vertex_format(centers, center_rule)?;
    let radius = acceleration_structure_radius(radii).ok_or_else(|| {
        Error::misuse(format!("radiusFormat is not one of radii of acceleration structures ({radius_rule})"))
    })?;
    let index_bytes = index_bytes(indices)
        .filter(|&bytes| bytes != 1)
        .ok_or_else(|| Error::misuse(format!("indexType is not UINT16, UINT32 or NONE ({index_rule})")))?;
    Ok((format, radius, index_bytes))
}

fn spheres(geometry: In<'_, vk::AccelerationStructureGeometryKHR>, side: Side) -> Result<Spheres> {
    let data = geometry.find::<vk::AccelerationStructureGeometrySpheresDataNV>().ok_or_else(|| {
        Error::misuse(
            "a geometry of spheres has no VkAccelerationStructureGeometrySpheresDataNV in its pNext",
        )
    })?;
    let rules = [
        "VUID-VkAccelerationStructureGeometrySpheresDataNV-vertexFormat-10434",
        "VUID-VkAccelerationStructureGeometrySpheresDataNV-radiusFormat-10435",
        "VUID-VkAccelerationStructureGeometrySpheresDataNV-indexData-10437",
    ];
    let formats = (data.vertex_format, data.radius_format, data.index_type);
    let (format, radius, index_bytes) = sphere_formats(formats, rules)?;
    let indices = side.address(data.index_data);
    Ok(Spheres {
        format,
        centers: side.address(data.vertex_data),
        center_stride: data.vertex_stride,
        radius,
        radii: side.address(data.radius_data),
        radius_stride: data.radius_stride,
        index_bytes: if indices == 0 { 0 } else { index_bytes },
        indices,
        index_stride: data.index_stride,
        swept: None,
    })
}

fn swept_spheres(geometry: In<'_, vk::AccelerationStructureGeometryKHR>, side: Side) -> Result<Spheres> {
    let data =
        geometry.find::<vk::AccelerationStructureGeometryLinearSweptSpheresDataNV>().ok_or_else(|| {
            Error::misuse(
                "a geometry of linear swept spheres has no \
                 VkAccelerationStructureGeometryLinearSweptSpheresDataNV in its pNext",
            )
        })?;
    let rules = [
        "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-vertexFormat-10423",
        "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-radiusFormat-10424",
        "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-indexData-10428",
    ];
    let formats = (data.vertex_format, data.radius_format, data.index_type);
    let (format, radius, index_bytes) = sphere_formats(formats, rules)?;
    let has_caps = data.end_caps_mode == vk::RayTracingLssPrimitiveEndCapsModeNV::CHAINED;
    let swept = match data.indexing_mode {
        vk::RayTracingLssIndexingModeNV::SUCCESSIVE => SweptSpheres::Successive { has_caps },
        _ => SweptSpheres::List { has_caps },
    };
    let indices = side.address(data.index_data);
    Ok(Spheres {
        format,
        centers: side.address(data.vertex_data),
        center_stride: data.vertex_stride,
        radius,
        radii: side.address(data.radius_data),
        radius_stride: data.radius_stride,
        index_bytes: if indices == 0 { 0 } else { index_bytes },
        indices,
        index_stride: data.index_stride,
        swept: Some(swept),
    })
}

fn dense_triangles(
    geometry: In<'_, vk::AccelerationStructureGeometryKHR>,
    side: Side,
) -> Result<DenseTriangles> {
    let data = geometry.find::<vk::AccelerationStructureDenseGeometryFormatTrianglesDataAMDX>().ok_or_else(
        || {
            Error::misuse(
                "a dense geometry has no VkAccelerationStructureDenseGeometryFormatTrianglesDataAMDX in its \
                 pNext",
            )
        },
    )?;
    if side == Side::Host {
        return Err(Error::misuse(
            "a dense geometry is built on the host (VUID-vkBuildAccelerationStructuresKHR-pInfos-10893)",
        ));
    }
    if data.format != vk::CompressedTriangleFormatAMDX::DGF1 {
        return Err(Error::misuse(
            "the format of a dense geometry does not exist \
             (VUID-VkAccelerationStructureDenseGeometryFormatTrianglesDataAMDX-format-parameter)",
        ));
    }
    let address = side.address(data.compressed_data);
    let block_count = u32::try_from(data.data_size / dense::BLOCK_BYTES).ok();
    let are_blocks = [address, data.data_size].iter().all(|at| at.is_multiple_of(dense::BLOCK_BYTES));
    let Some(block_count) = block_count.filter(|_| are_blocks) else {
        return Err(Error::misuse(format!(
            "a dense geometry of {} bytes at {address:#x} is not made of whole, aligned blocks of 128 bytes \
             (VUID-VkAccelerationStructureDenseGeometryFormatTrianglesDataAMDX-format-10887, \
             VUID-VkAccelerationStructureDenseGeometryFormatTrianglesDataAMDX-format-10888)",
            data.data_size
        )));
    };
    Ok(DenseTriangles {
        data: address,
        block_count,
        triangle_count: data.num_triangles,
        max_primitive: data.max_primitive_index,
        opacity_map: micromap::opacity_map(data.chain(), side)?,
    })
}

type BuildInfo<'call> = In<'call, vk::AccelerationStructureBuildGeometryInfoKHR>;

fn build_input(info: BuildInfo, side: Side) -> Result<BuildInput> {
    let geometries: Vec<In<vk::AccelerationStructureGeometryKHR>> =
        info.geometries().into_iter().chain(info.pointer_geometries()).collect();
    if info.type_ == vk::AccelerationStructureTypeKHR::TOP_LEVEL {
        let [geometry] = geometries[..] else {
            return Err(Error::misuse(
                "a top-level acceleration structure must have exactly one geometry \
                 (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03790)",
            ));
        };
        let instances = geometry.geometry_instances().ok_or_else(|| {
            Error::misuse(
                "a geometry of a top-level acceleration structure is not instances \
                 (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03789)",
            )
        })?;
        let data = side.address(instances.data);
        return Ok(BuildInput::Top(Instances {
            data,
            are_pointers: instances.array_of_pointers != 0,
            may_move: info.flags.contains(vk::BuildAccelerationStructureFlagsKHR::MOTION_NV),
        }));
    }
    if info.type_ == ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR {
        let [geometry] = geometries[..] else {
            return Err(Error::misuse("a micromap must have exactly one geometry"));
        };
        return Ok(BuildInput::Micromap(micromap::micromap_input(geometry)?));
    }
    let is_dense = |geometry: &In<vk::AccelerationStructureGeometryKHR>| {
        geometry.geometry_type == vk::GeometryTypeKHR::DENSE_GEOMETRY_FORMAT_TRIANGLES_AMDX
    };
    if geometries.len() > 1 && geometries.iter().any(is_dense) {
        return Err(Error::misuse(
            "a dense geometry is not the only one \
             (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-10884)",
        ));
    }
    let geometries = geometries.into_iter().map(|geometry| {
        let flags = GeometryFlags { opaque: geometry.flags.contains(vk::GeometryFlagsKHR::OPAQUE) };
        match geometry.geometry_type {
            vk::GeometryTypeKHR::SPHERES_NV => return Ok(Geometry::Spheres(spheres(geometry, side)?, flags)),
            vk::GeometryTypeKHR::LINEAR_SWEPT_SPHERES_NV => {
                return Ok(Geometry::Spheres(swept_spheres(geometry, side)?, flags));
            }
            vk::GeometryTypeKHR::DENSE_GEOMETRY_FORMAT_TRIANGLES_AMDX => {
                return Ok(Geometry::Dense(dense_triangles(geometry, side)?));
            }
            _ => {}
        }
        match (geometry.geometry_triangles(), geometry.geometry_aabbs()) {
            (Some(data), _) => Ok(Geometry::Triangles(triangles(data, side)?, flags)),
            (_, Some(boxes)) => Ok(Geometry::Boxes(side.address(boxes.data), boxes.stride, flags)),
            _ => Err(Error::misuse(
                "a geometry of a bottom-level acceleration structure is neither triangles, boxes nor spheres \
                 (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03791)",
            )),
        }
    });
    Ok(BuildInput::Bottom(geometries.collect::<Result<_>>()?))
}

fn build(info: BuildInfo, side: Side) -> Result<Build> {
    let target = find(info.dst_acceleration_structure)?;
    if !target.takes(info.type_) {
        return Err(Error::misuse(
            "the acceleration structure's type does not fit \
             (VUID-vkCmdBuildAccelerationStructuresKHR-pInfos-03699)",
        ));
    }
    let input = build_input(info, side)?;
    let lacks_indices = |geometry: &Geometry| {
        let Geometry::Spheres(spheres, _) = geometry else { return false };
        spheres.index_bytes == 0 && matches!(spheres.swept, Some(SweptSpheres::Successive { .. }))
    };
    if matches!(&input, BuildInput::Bottom(geometries) if geometries.iter().any(lacks_indices)) {
        return Err(Error::misuse(
            "successive linear swept spheres have no indices \
             (VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-indexingMode-10427)",
        ));
    }
    let scratch = side.address(info.scratch_data);
    Ok(Build { target, input, scratch })
}

/// The builds of a command and their ranges.
fn builds(
    infos: Slice<'_, vk::AccelerationStructureBuildGeometryInfoKHR>,
    ranges: Slice<'_, *const vk::AccelerationStructureBuildRangeInfoKHR>,
    side: Side,
) -> Result<Vec<(Build, Vec<BuildRange>)>> {
    let builds = infos.into_iter().zip(ranges).map(|(info, ranges)| {
        // SAFETY: each element of `ppBuildRangeInfos` has one range for each geometry
        // (VUID-vkCmdBuildAccelerationStructuresKHR-ppBuildRangeInfos-03676).
        let ranges =
            unsafe { pointers::array(*ranges, info.geometry_count) }.iter().map(|range| BuildRange {
                primitive_count: range.primitive_count,
                primitive_offset: range.primitive_offset,
                first_vertex: range.first_vertex,
                transform_offset: range.transform_offset,
            });
        // Dense geometries have none (VUID-vkCmdBuildAccelerationStructuresKHR-pInfos-10906).
        let mut ranges: Vec<BuildRange> = ranges.collect();
        ranges.resize(info.geometry_count as usize, BuildRange::default());
        Ok((build(info, side)?, ranges))
    });
    builds.collect()
}

pub(crate) fn get_acceleration_structure_build_sizes_khr(
    device: vk::Device,
    _ty: vk::AccelerationStructureBuildTypeKHR,
    info: In<'_, vk::AccelerationStructureBuildGeometryInfoKHR>,
    counts: Slice<'_, u32>,
    mut out: Out<'_, vk::AccelerationStructureBuildSizesInfoKHR>,
) {
    guard_void(CommandId::get_acceleration_structure_build_sizes_khr, || {
        crate::entry::device::check(device)?;
        // Only the kinds of geometries matter.
        let input = build_input(info, Side::Device)?;
        out.acceleration_structure_size = acceleration_structure::build_size(&input, counts.get());
        out.build_scratch_size = acceleration_structure::SCRATCH_BYTES;
        out.update_scratch_size = acceleration_structure::SCRATCH_BYTES;
        Ok(())
    });
}

pub(crate) fn cmd_build_acceleration_structures_khr(
    buffer: vk::CommandBuffer,
    infos: Slice<'_, vk::AccelerationStructureBuildGeometryInfoKHR>,
    ranges: Slice<'_, *const vk::AccelerationStructureBuildRangeInfoKHR>,
) {
    record(CommandId::cmd_build_acceleration_structures_khr, buffer, |buffer| {
        let builds = builds(infos, ranges, Side::Device)?;
        buffer.push(TransferCommand::Structures(Box::new(StructureCommand::Build(builds))))
    });
}

pub(crate) fn cmd_build_acceleration_structures_indirect_khr(
    buffer: vk::CommandBuffer,
    infos: Slice<'_, vk::AccelerationStructureBuildGeometryInfoKHR>,
    addresses: Slice<'_, vk::DeviceAddress>,
    strides: Slice<'_, u32>,
    counts: Slice<'_, *const u32>,
) {
    record(CommandId::cmd_build_acceleration_structures_indirect_khr, buffer, |buffer| {
        let places = addresses.iter().zip(strides.iter()).zip(counts.iter());
        let builds = infos.into_iter().zip(places).map(|(info, ((&address, &stride), &counts))| {
            // SAFETY: each element of `ppMaxPrimitiveCounts` has one count for each geometry
            // (VUID-vkCmdBuildAccelerationStructuresIndirectKHR-ppMaxPrimitiveCounts-03653).
            let counts = unsafe { pointers::array(counts, info.geometry_count) }.to_vec();
            Ok((build(info, Side::Device)?, (address, stride, counts)))
        });
        let command = StructureCommand::BuildIndirect(builds.collect::<Result<_>>()?);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
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

pub(crate) fn cmd_copy_acceleration_structure_to_memory_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CopyAccelerationStructureToMemoryInfoKHR>,
) {
    record(CommandId::cmd_copy_acceleration_structure_to_memory_khr, buffer, |buffer| {
        let target = Side::Device.address(info.dst);
        let command = StructureCommand::Serialize(find(info.src)?, target);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
}

pub(crate) fn cmd_copy_memory_to_acceleration_structure_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CopyMemoryToAccelerationStructureInfoKHR>,
) {
    record(CommandId::cmd_copy_memory_to_acceleration_structure_khr, buffer, |buffer| {
        let source = Side::Device.address(info.src);
        let command = StructureCommand::Deserialize(source, find(info.dst)?);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
}

pub(crate) fn property(ty: vk::QueryType) -> Result<Property> {
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
    let command = CommandId::cmd_write_acceleration_structures_properties_khr;
    let structures = structures.iter().map(|&structure| find(structure));
    let mismatch = "the query pool's type does not fit the property \
                    (VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-queryPool-02493)";
    write_properties((command, buffer), structures, property(ty), (pool, first), mismatch);
}

/// Records a write of a property of structures to queries from `first` on. `mismatch` is said where the pool
/// is of another property.
pub(crate) fn write_properties(
    (command, buffer): (CommandId, vk::CommandBuffer),
    structures: impl ExactSizeIterator<Item = Result<Arc<AccelerationStructure>>>,
    property: Result<Property>,
    (pool, first): (vk::QueryPool, u32),
    mismatch: &'static str,
) {
    record(command, buffer, |buffer| {
        let property = property?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        if pool.kind() != QueryKind::Structure(property) {
            return Err(Error::misuse(mismatch));
        }
        pool.check(first, structures.len() as u32)?;
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

/// The memory at the addresses of a command of the host.
pub(crate) fn host_memory() -> DeviceAddresses {
    // SAFETY: geometries have what the ranges say (VUID-vkBuildAccelerationStructuresKHR-pInfos-03771 and
    // those that follow it); serialized structures are as long as their headers say, or there is room for
    // them (VUID-vkCopyMemoryToAccelerationStructureKHR-pInfo-03729,
    // VUID-VkCopyMemoryToAccelerationStructureInfoKHR-src-04960,
    // VUID-vkCopyAccelerationStructureToMemoryKHR-pInfo-03732,
    // VUID-VkCopyAccelerationStructureToMemoryInfoKHR-dst-03561).
    unsafe { DeviceAddresses::trusted() }
}

pub(crate) fn build_acceleration_structures_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    infos: Slice<'_, vk::AccelerationStructureBuildGeometryInfoKHR>,
    ranges: Slice<'_, *const vk::AccelerationStructureBuildRangeInfoKHR>,
) -> vk::Result {
    guard(CommandId::build_acceleration_structures_khr, || {
        let device = device_object(device)?;
        let result = deferred_result(operation)?;
        for (build, ranges) in builds(infos, ranges, Side::Host)? {
            // Of instances that the host builds from, handles are the references.
            let resolve = |reference: u64| {
                let found = handle::get::<AccelerationStructure>(reference).ok()?;
                found.structure().ok().cloned()
            };
            build.run_on_host(&device.device, host_memory(), &ranges, &resolve);
        }
        Ok(result)
    })
}

/// A command of the host that may be deferred, and is done at once.
pub(crate) fn at_once(
    command: CommandId,
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    run: impl FnOnce() -> Result<()>,
) -> vk::Result {
    guard(command, || {
        crate::entry::device::check(device)?;
        let result = deferred_result(operation)?;
        run()?;
        Ok(result)
    })
}

pub(crate) fn copy_acceleration_structure_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyAccelerationStructureInfoKHR>,
) -> vk::Result {
    at_once(CommandId::copy_acceleration_structure_khr, device, operation, || {
        acceleration_structure::copy(&*find(info.src)?, &*find(info.dst)?);
        Ok(())
    })
}

pub(crate) fn copy_acceleration_structure_to_memory_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyAccelerationStructureToMemoryInfoKHR>,
) -> vk::Result {
    at_once(CommandId::copy_acceleration_structure_to_memory_khr, device, operation, || {
        let target = Side::Host.address(info.dst);
        acceleration_structure::serialize_to(&*find(info.src)?, host_memory(), target);
        Ok(())
    })
}

/// Takes over what the host has of a serialized structure; `mismatch` says that it is none.
pub(crate) fn deserialize(
    source: vk::DeviceOrHostAddressConstKHR,
    target: &AccelerationStructure,
    mismatch: &'static str,
) -> Result<()> {
    if !acceleration_structure::deserialize_from(host_memory(), Side::Host.address(source), target) {
        return Err(Error::misuse(mismatch));
    }
    Ok(())
}

pub(crate) fn copy_memory_to_acceleration_structure_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    info: In<'_, vk::CopyMemoryToAccelerationStructureInfoKHR>,
) -> vk::Result {
    at_once(CommandId::copy_memory_to_acceleration_structure_khr, device, operation, || {
        let mismatch = "the data is not a serialized acceleration structure of this driver version \
                        (VUID-VkCopyMemoryToAccelerationStructureInfoKHR-pInfo-03414)";
        deserialize(info.src, &*find(info.dst)?, mismatch)
    })
}

/// Writes a property of each structure, `stride` bytes apart; `too_small` says that there is no room for all.
pub(crate) fn write_host_properties(
    structures: impl Iterator<Item = Result<Arc<AccelerationStructure>>>,
    property: Property,
    out: Memory<'_>,
    stride: usize,
    too_small: &'static str,
) -> Result<vk::Result> {
    for (index, structure) in structures.enumerate() {
        let value = property.value(&*structure?);
        if !index.checked_mul(stride).is_some_and(|at| out.write(at, &value.to_ne_bytes())) {
            return Err(Error::misuse(too_small));
        }
    }
    Ok(vk::Result::SUCCESS)
}

pub(crate) fn write_acceleration_structures_properties_khr(
    device: vk::Device,
    structures: Slice<'_, vk::AccelerationStructureKHR>,
    ty: vk::QueryType,
    out: Memory<'_>,
    stride: usize,
) -> vk::Result {
    guard(CommandId::write_acceleration_structures_properties_khr, || {
        crate::entry::device::check(device)?;
        let too_small = "dataSize is too small for the properties \
                         (VUID-vkWriteAccelerationStructuresPropertiesKHR-dataSize-03452)";
        let structures = structures.iter().map(|&structure| find(structure));
        write_host_properties(structures, property(ty)?, out, stride, too_small)
    })
}

/// Whether this driver can take over serialized structures of this version.
pub(crate) fn compatibility(version: &[u8; 32]) -> vk::AccelerationStructureCompatibilityKHR {
    match acceleration_structure::is_compatible(version) {
        true => vk::AccelerationStructureCompatibilityKHR::COMPATIBLE,
        false => vk::AccelerationStructureCompatibilityKHR::INCOMPATIBLE,
    }
}

pub(crate) fn get_device_acceleration_structure_compatibility_khr(
    device: vk::Device,
    info: In<'_, vk::AccelerationStructureVersionInfoKHR>,
    mut out: Out<'_, vk::AccelerationStructureCompatibilityKHR>,
) {
    guard_void(CommandId::get_device_acceleration_structure_compatibility_khr, || {
        crate::entry::device::check(device)?;
        out.write(compatibility(&info.version_data()));
        Ok(())
    });
}
