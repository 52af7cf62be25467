//! Clusters of triangles, and structures of them: `VK_NV_cluster_acceleration_structure`.

use crate::call::guard_void;
use crate::call::recording::record;
use crate::entry::acceleration_structure::vertex_format;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::SCRATCH_BYTES;
use pyro_driver::acceleration_structure::cluster_operation::{
    Command, Mode, ObjectType, Operation, Region, TRIANGLES_MAX, TriangleLimits, VERTICES_MAX,
};
use pyro_driver::command::{StructureCommand, TransferCommand};
use pyro_driver::{Error, Result};
use vulkanalia_sys as vk;

type Input<'call> = In<'call, vk::ClusterAccelerationStructureInputInfoNV>;

fn mode(input: Input<'_>) -> Result<Mode> {
    Ok(match input.op_mode {
        vk::ClusterAccelerationStructureOpModeNV::IMPLICIT_DESTINATIONS => Mode::Implicit,
        vk::ClusterAccelerationStructureOpModeNV::EXPLICIT_DESTINATIONS => Mode::Explicit,
        vk::ClusterAccelerationStructureOpModeNV::COMPUTE_SIZES => Mode::ComputeSizes,
        _ => {
            return Err(Error::misuse(
                "opMode is none of the modes (VUID-VkClusterAccelerationStructureInputInfoNV-opMode-parameter)",
            ));
        }
    })
}

fn object_type(ty: vk::ClusterAccelerationStructureTypeNV) -> Result<ObjectType> {
    Ok(match ty {
        vk::ClusterAccelerationStructureTypeNV::CLUSTERS_BOTTOM_LEVEL => ObjectType::Bottom,
        vk::ClusterAccelerationStructureTypeNV::TRIANGLE_CLUSTER => ObjectType::Cluster,
        vk::ClusterAccelerationStructureTypeNV::TRIANGLE_CLUSTER_TEMPLATE => ObjectType::Template,
        _ => {
            return Err(Error::misuse(
                "type is none of the types \
                 (VUID-VkClusterAccelerationStructureMoveObjectsInputNV-type-parameter)",
            ));
        }
    })
}

fn triangle_limits(
    input: In<'_, vk::ClusterAccelerationStructureTriangleClusterInputNV>,
) -> Result<TriangleLimits> {
    if input.max_cluster_triangle_count > TRIANGLES_MAX {
        return Err(Error::misuse(
            "maxClusterTriangleCount is greater than maxTrianglesPerCluster \
             (VUID-VkClusterAccelerationStructureTriangleClusterInputNV-maxClusterTriangleCount-10440)",
        ));
    }
    if input.max_cluster_vertex_count > VERTICES_MAX {
        return Err(Error::misuse(
            "maxClusterVertexCount is greater than maxVerticesPerCluster \
             (VUID-VkClusterAccelerationStructureTriangleClusterInputNV-maxClusterVertexCount-10441)",
        ));
    }
    if input.min_position_truncate_bit_count > 32 {
        return Err(Error::misuse(
            "minPositionTruncateBitCount is greater than 32 \
             (VUID-VkClusterAccelerationStructureTriangleClusterInputNV-minPositionTruncateBitCount-10442)",
        ));
    }
    let rule = "VUID-VkClusterAccelerationStructureTriangleClusterInputNV-vertexFormat-10439";
    Ok(TriangleLimits {
        format: vertex_format(input.vertex_format, rule)?,
        triangles: input.max_cluster_triangle_count,
        vertices: input.max_cluster_vertex_count,
    })
}

fn operation(input: Input<'_>) -> Result<Operation> {
    if let Some(moved) = input.op_input_move_objects() {
        return Ok(Operation::Move {
            ty: object_type(moved.type_)?,
            keeps_sources: moved.no_move_overlap != 0,
            bytes_max: moved.max_moved_bytes,
        });
    }
    if let Some(bottom) = input.op_input_clusters_bottom_level() {
        return Ok(Operation::BuildBottom {
            clusters_max: bottom.max_cluster_count_per_acceleration_structure,
            total_max: bottom.max_total_cluster_count,
        });
    }
    let Some(triangles) = input.op_input_triangle_clusters() else {
        return Err(Error::misuse(
            "opType is none of the types, or opInput has nothing for it \
             (VUID-VkClusterAccelerationStructureInputInfoNV-opType-parameter)",
        ));
    };
    let limits = triangle_limits(triangles)?;
    Ok(match input.op_type {
        vk::ClusterAccelerationStructureOpTypeNV::BUILD_TRIANGLE_CLUSTER => Operation::BuildCluster(limits),
        vk::ClusterAccelerationStructureOpTypeNV::BUILD_TRIANGLE_CLUSTER_TEMPLATE => {
            Operation::BuildTemplate(limits)
        }
        vk::ClusterAccelerationStructureOpTypeNV::INSTANTIATE_TRIANGLE_CLUSTER => {
            Operation::Instantiate(limits)
        }
        _ => Operation::GetIndices(limits),
    })
}

pub(crate) fn get_cluster_acceleration_structure_build_sizes_nv(
    device: vk::Device,
    info: In<'_, vk::ClusterAccelerationStructureInputInfoNV>,
    mut out: Out<'_, vk::AccelerationStructureBuildSizesInfoKHR>,
) {
    guard_void(CommandId::get_cluster_acceleration_structure_build_sizes_nv, || {
        crate::entry::device::check(device)?;
        let count = info.max_acceleration_structure_count;
        out.acceleration_structure_size = operation(info)?.size(mode(info)?, count);
        out.build_scratch_size = SCRATCH_BYTES;
        out.update_scratch_size = SCRATCH_BYTES;
        Ok(())
    });
}

pub(crate) fn cmd_build_cluster_acceleration_structure_indirect_nv(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::ClusterAccelerationStructureCommandsInfoNV>,
) {
    record(CommandId::cmd_build_cluster_acceleration_structure_indirect_nv, buffer, |buffer| {
        let region = |region: vk::StridedDeviceAddressRegionKHR| Region {
            address: region.device_address,
            stride: region.stride,
            size: region.size,
        };
        let input = info.input();
        let command = Command {
            operation: operation(input)?,
            mode: mode(input)?,
            count_max: input.max_acceleration_structure_count,
            destination: info.dst_implicit_data,
            addresses: region(info.dst_addresses_array),
            sizes: region(info.dst_sizes_array),
            infos: region(info.src_infos_array),
            count: info.src_infos_count,
            resolution: info.address_resolution_flags.bits(),
        };
        buffer.push(TransferCommand::Structures(Box::new(StructureCommand::Clusters(command))))
    });
}
