//! Partitioned top-level structures: `VK_NV_partitioned_acceleration_structure`.

use crate::call::guard_void;
use crate::call::recording::record;
use crate::pointers::{In, Out};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::SCRATCH_BYTES;
use pyro_driver::acceleration_structure::partition::{Command, Input, PARTITIONS_MAX};
use pyro_driver::command::{StructureCommand, TransferCommand};
use pyro_driver::{Error, Result};
use vulkanalia_sys as vk;

fn input(info: In<'_, vk::PartitionedAccelerationStructureInstancesInputNV>) -> Result<Input> {
    let partitions = info.partition_count.checked_add(info.max_instance_in_global_partition_count);
    if partitions.is_none_or(|count| count > PARTITIONS_MAX) {
        return Err(Error::misuse(
            "there are more partitions than maxPartitionCount \
             (VUID-VkPartitionedAccelerationStructureInstancesInputNV-partitionCount-10535)",
        ));
    }
    let flags = info.find::<vk::PartitionedAccelerationStructureFlagsNV>();
    Ok(Input {
        instance_count: info.instance_count,
        partition_count: info.partition_count,
        has_translations: flags.is_some_and(|flags| flags.enable_partition_translation != 0),
    })
}

pub(crate) fn get_partitioned_acceleration_structures_build_sizes_nv(
    device: vk::Device,
    info: In<'_, vk::PartitionedAccelerationStructureInstancesInputNV>,
    mut out: Out<'_, vk::AccelerationStructureBuildSizesInfoKHR>,
) {
    guard_void(CommandId::get_partitioned_acceleration_structures_build_sizes_nv, || {
        crate::entry::device::check(device)?;
        out.acceleration_structure_size = input(info)?.bytes();
        out.build_scratch_size = SCRATCH_BYTES;
        out.update_scratch_size = SCRATCH_BYTES;
        Ok(())
    });
}

pub(crate) fn cmd_build_partitioned_acceleration_structures_nv(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::BuildPartitionedAccelerationStructureInfoNV>,
) {
    record(CommandId::cmd_build_partitioned_acceleration_structures_nv, buffer, |buffer| {
        let command = Command {
            input: input(info.input())?,
            source: info.src_acceleration_structure_data,
            destination: info.dst_acceleration_structure_data,
            infos: info.src_infos,
            count: info.src_infos_count,
        };
        buffer.push(TransferCommand::Structures(Box::new(StructureCommand::Partitioned(command))))
    });
}
