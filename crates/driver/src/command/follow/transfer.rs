//! What transfers read and write.

use super::fixed;
use crate::command::acceleration_structure::{StructureCommand, indirect_ranges};
use crate::command::family::transfer::TransferCommand;
use crate::command::transfer::{
    CompressedRegion, Decompression, IndirectCopy, MatrixConversion, Surface, Touched, Transfer,
};
use crate::objects::acceleration_structure::cluster_operation::Accesses;
use crate::objects::acceleration_structure::{
    AccelerationStructure, Build, BuildInput, BuildRange, SCRATCH_BYTES,
};
use crate::objects::memory::mapped::{self, DeviceAddresses};
use pyro_abi::Memory;
use pyro_raytrace::build_reads;
use pyro_sanitizer::commands::FixedAccess;
use pyro_sanitizer::commands::scope::{access, stage};
use std::ops::Range;

/// The name of a transfer of images.
pub(super) fn name(list: &[Transfer]) -> &'static str {
    match list.first() {
        Some(Transfer::Buffer(copy)) if copy.to_image => "vkCmdCopyBufferToImage",
        Some(Transfer::Buffer(_)) => "vkCmdCopyImageToBuffer",
        Some(Transfer::Image(_)) => "vkCmdCopyImage",
        Some(Transfer::Blit(_)) => "vkCmdBlitImage",
        Some(Transfer::Clear(_)) => "vkCmdClearColorImage or vkCmdClearDepthStencilImage",
        Some(Transfer::Resolve(_)) => "vkCmdResolveImage",
        None => "a transfer",
    }
}

fn whole(range: &mapped::Range) -> Range<u64> {
    range.address()..range.address() + range.size()
}

/// The addresses of a box of texels or blocks of a surface, rows that follow one another together.
pub(super) fn box_ranges(surface: &Surface, first: [u32; 3], count: [u32; 3]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let base = surface.memory().address();
    let bytes = u64::from(count[0]) * surface.texel_bytes() as u64;
    for plane in first[2]..first[2].saturating_add(count[2]) {
        for sample in 0..surface.samples.max(1) {
            for y in first[1]..first[1].saturating_add(count[1]) {
                let start = base + surface.at([first[0], y, plane], sample);
                match ranges.last_mut() {
                    Some(last) if last.end == start => last.end += bytes,
                    _ => ranges.push(start..start + bytes),
                }
            }
        }
    }
    ranges
}

/// What a transfer reads and writes. It has not run.
pub(super) fn accesses(command: &TransferCommand, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    match command {
        TransferCommand::Copy(pairs) => {
            for (source, target) in pairs {
                to.push(fixed(whole(source), stage::COPY, access::TRANSFER_READ));
                to.push(fixed(whole(target), stage::COPY, access::TRANSFER_WRITE));
            }
        }
        TransferCommand::Fill(range, _) => {
            to.push(fixed(whole(range), stage::CLEAR, access::TRANSFER_WRITE));
        }
        TransferCommand::Update(update) => {
            to.push(fixed(whole(&update.target), stage::CLEAR, access::TRANSFER_WRITE));
        }
        TransferCommand::Images(list) => list.iter().for_each(|transfer| images(transfer, to)),
        TransferCommand::CopyTensor(copy) => {
            let [source, target] = copy.ranges();
            to.push(fixed(whole(source), stage::COPY, access::TRANSFER_READ));
            to.push(fixed(whole(target), stage::COPY, access::TRANSFER_WRITE));
        }
        TransferCommand::ConvertMatrices(conversions) => {
            let of = |access| move |range| fixed(range, stage::CONVERT_MATRIX, access);
            for [source, target] in conversions.iter().map(MatrixConversion::ranges) {
                to.extend(source.into_iter().map(of(access::TRANSFER_READ)));
                to.extend(target.into_iter().map(of(access::TRANSFER_WRITE)));
            }
        }
        TransferCommand::CopyIndirect(copy) => indirect_copies(copy, memory, to),
        TransferCommand::Decompress(regions) => decompression(regions, memory, to),
        TransferCommand::Structures(command) => structures(command, memory, to),
    }
}

/// What a copy reads and writes whose regions are in memory, which also is read. The copies have not run.
fn indirect_copies(copy: &IndirectCopy, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    let mut copies = vec![fixed(copy.commands(), stage::COPY_COMMANDS, access::INDIRECT_READ)];
    let mut of_images = Vec::new();
    copy.each(
        memory,
        |source, target, size| {
            copies.push(fixed(source..source + size, stage::COPY, access::TRANSFER_READ));
            copies.push(fixed(target..target + size, stage::COPY, access::TRANSFER_WRITE));
        },
        |transfer| images(&transfer, &mut of_images),
    );
    to.extend(copies.into_iter().chain(of_images));
}

/// What a decompression reads and writes. It has not run.
fn decompression(regions: &Decompression, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    if let Decompression::Indirect(indirect) = regions {
        let all = indirect.addresses(memory).into_iter();
        to.extend(all.map(|range| fixed(range, stage::DRAW_INDIRECT, access::INDIRECT_READ)));
    }
    for [source, target] in regions.regions(memory).iter().map(CompressedRegion::ranges) {
        to.push(fixed(source, stage::DECOMPRESSION, access::DECOMPRESSION_READ));
        to.push(fixed(target, stage::DECOMPRESSION, access::DECOMPRESSION_WRITE));
    }
}

/// The name of a command on acceleration structures.
pub(super) fn structure_name(command: &StructureCommand) -> &'static str {
    match command {
        StructureCommand::Build(builds) if builds.iter().any(|(build, _)| build.target.is_micromap()) => {
            "vkCmdBuildMicromapsEXT"
        }
        StructureCommand::Copy(source, _) if source.is_micromap() => "vkCmdCopyMicromapEXT",
        StructureCommand::Build(_) => "vkCmdBuildAccelerationStructuresKHR",
        StructureCommand::BuildIndirect(_) => "vkCmdBuildAccelerationStructuresIndirectKHR",
        StructureCommand::Copy(..) => "vkCmdCopyAccelerationStructureKHR",
        StructureCommand::Serialize(..) => "vkCmdCopyAccelerationStructureToMemoryKHR",
        StructureCommand::Deserialize(..) => "vkCmdCopyMemoryToAccelerationStructureKHR",
        StructureCommand::WriteProperties(..) => "vkCmdWriteAccelerationStructuresPropertiesKHR",
        StructureCommand::Clusters(_) => "vkCmdBuildClusterAccelerationStructureIndirectNV",
        StructureCommand::Partitioned(_) => "vkCmdBuildPartitionedAccelerationStructuresNV",
    }
}

/// What a command reads and writes of acceleration structures, and what builds read of memory.
fn structures(command: &StructureCommand, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    let of = |structure: &AccelerationStructure, access: u64, of_micromap: u64| {
        let range = structure.followed_range()?;
        Some(match structure.is_micromap() {
            true => fixed(range, stage::MICROMAP_BUILD, of_micromap),
            false => fixed(range, stage::BUILD, access),
        })
    };
    let reads =
        |structure: &AccelerationStructure| of(structure, access::STRUCTURE_READ, access::MICROMAP_READ);
    let writes =
        |structure: &AccelerationStructure| of(structure, access::STRUCTURE_WRITE, access::MICROMAP_WRITE);
    match command {
        StructureCommand::Build(builds) => {
            for (build, ranges) in builds {
                to.extend(build_inputs(build, ranges, memory.memory()));
                to.extend(writes(&build.target));
            }
        }
        StructureCommand::BuildIndirect(builds) => {
            for (build, ranges) in builds {
                to.extend(build_inputs(build, &indirect_ranges(memory, ranges), memory.memory()));
                to.extend(writes(&build.target));
            }
        }
        StructureCommand::Copy(source, target) => {
            to.extend(reads(source));
            to.extend(writes(target));
        }
        StructureCommand::Serialize(source, _) => to.extend(reads(source)),
        StructureCommand::Deserialize(_, target) => to.extend(writes(target)),
        StructureCommand::WriteProperties(all, ..) => {
            to.extend(all.iter().filter_map(|structure| reads(structure)));
        }
        StructureCommand::Clusters(command) => cluster_accesses(command.accesses(memory.memory()), to),
        StructureCommand::Partitioned(command) => cluster_accesses(command.accesses(memory.memory()), to),
    }
}

/// What a command on clusters or a partitioned structure reads and writes. What it makes has no handles: the
/// first byte stands for it.
fn cluster_accesses(accesses: Accesses, to: &mut Vec<FixedAccess>) {
    let Accesses { inputs, outputs, read, micromaps, written } = accesses;
    let of = |access| move |range| fixed(range, stage::BUILD, access);
    let object = |access| move |address| fixed(address..address + 1, stage::BUILD, access);
    to.extend(inputs.into_iter().map(of(access::CLUSTER_INPUT_READ)));
    to.extend(read.into_iter().map(object(access::CLUSTER_INPUT_READ)));
    to.extend(micromaps.into_iter().map(object(access::CLUSTER_INPUT_READ | access::MICROMAP_READ)));
    to.extend(outputs.into_iter().map(of(access::STRUCTURE_WRITE)));
    to.extend(written.into_iter().map(object(access::STRUCTURE_WRITE)));
}

/// What a build reads, and the scratch memory that it may write.
fn build_inputs(build: &Build, ranges: &[BuildRange], memory: Memory) -> Vec<FixedAccess> {
    let mut all = Vec::new();
    let mut inputs = Vec::new();
    let structure = |access| move |address: u64| fixed(address..address + 1, stage::BUILD, access);
    match (&build.input, ranges) {
        (BuildInput::Bottom(geometries), _) => {
            for (geometry, range) in geometries.iter().zip(ranges) {
                inputs.extend(build_reads::of_geometry(geometry, memory, *range));
                let (indices, micromap) = build_reads::of_micromap_indices(geometry, *range);
                inputs.extend(indices);
                all.extend(micromap.map(structure(access::GEOMETRY_MICROMAP_READ)));
            }
        }
        (BuildInput::Top(instances), [range, ..]) => {
            let (reads, structures) = build_reads::of_instances(instances, memory, *range);
            inputs.extend(reads);
            all.extend(structures.into_iter().map(structure(access::STRUCTURE_READ)));
        }
        (BuildInput::Micromap(input), _) => inputs.extend(build_reads::of_micromap(input, memory)),
        (BuildInput::Top(_), []) => {}
    }
    let at = if build.target.is_micromap() { stage::MICROMAP_BUILD } else { stage::BUILD };
    all.extend(inputs.into_iter().map(|range| fixed(range, at, access::BUILD_INPUT_READ)));
    if build.scratch != 0 {
        let range = build.scratch..build.scratch + SCRATCH_BYTES;
        all.push(fixed(range, stage::BUILD, access::STRUCTURE_WRITE));
    }
    all
}

fn images(transfer: &Transfer, to: &mut Vec<FixedAccess>) {
    let at = match transfer {
        Transfer::Buffer(_) | Transfer::Image(_) => stage::COPY,
        Transfer::Blit(_) => stage::BLIT,
        Transfer::Clear(_) => stage::CLEAR,
        Transfer::Resolve(_) => stage::RESOLVE,
    };
    if let Transfer::Buffer(copy) = transfer {
        let access = if copy.to_image { access::TRANSFER_READ } else { access::TRANSFER_WRITE };
        let [width, height] = copy.buffer_count();
        let row = u64::from(width) * u64::from(copy.surface.format.copy_bytes(copy.aspect));
        let start = copy.buffer.range.address();
        for plane in 0..u64::from(copy.region.count[2]) {
            for y in 0..u64::from(height) {
                let start = start + plane * copy.buffer.plane_pitch + y * copy.buffer.row_pitch;
                match to.last_mut() {
                    Some(last) if last.access == access && last.range.end == start => last.range.end += row,
                    _ => to.push(fixed(start..start + row, at, access)),
                }
            }
        }
    }
    let is_one_aspect = transfer.is_one_aspect();
    for Touched { surface, first, count, writes } in transfer.touched() {
        let access = if writes { access::TRANSFER_WRITE } else { access::TRANSFER_READ };
        let all = box_ranges(surface, first, count).into_iter();
        to.extend(all.map(|range| FixedAccess { is_one_aspect, ..fixed(range, at, access) }));
    }
}
