//! What transfers read and write.

use super::fixed;
use crate::command::acceleration_structure::{StructureCommand, indirect_ranges};
use crate::command::family::transfer::TransferCommand;
use crate::command::transfer::{
    CompressedRegion, Decompression, IndirectCopy, MatrixConversion, Surface, Touched, Transfer,
};
use crate::objects::acceleration_structure::{
    AccelerationStructure, Build, BuildInput, BuildRange, Instances, SCRATCH_BYTES,
};
use crate::objects::memory::mapped::{self, DeviceAddresses};
use pyro_abi::Memory;
use pyro_raytrace::build_reads;
use pyro_sanitizer::commands::FixedAccess;
use pyro_sanitizer::commands::scope::{access, stage};
use std::collections::BTreeSet;
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

/// What a transfer reads and writes.
pub(super) fn accesses(command: &TransferCommand, to: &mut Vec<FixedAccess>) {
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
        TransferCommand::CopyIndirect(_)
        | TransferCommand::Decompress(_)
        | TransferCommand::Structures(_) => {}
    }
}

/// What a copy reads and writes whose regions are in memory, which also is read. The copies have not run.
pub(super) fn indirect_copies(copy: &IndirectCopy, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
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
pub(super) fn decompression(regions: &Decompression, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    if let Decompression::Indirect(indirect) = regions {
        let all = indirect.addresses(memory).into_iter();
        to.extend(all.map(|range| fixed(range, stage::DRAW_INDIRECT, access::INDIRECT_READ)));
    }
    for [source, target] in regions.regions(memory).iter().map(CompressedRegion::ranges) {
        to.push(fixed(source, stage::DECOMPRESSION, access::DECOMPRESSION_READ));
        to.push(fixed(target, stage::DECOMPRESSION, access::DECOMPRESSION_WRITE));
    }
}

/// Instances of a top-level structure whose bottom-level structures are looked at.
const INSTANCES_MAX: u32 = 1 << 16;

/// Bytes of an instance, and where it has the address of its structure.
const INSTANCE_BYTES: u64 = 64;
const INSTANCE_STRUCTURE: u64 = 56;

/// The name of a command on acceleration structures.
pub(super) fn structure_name(command: &StructureCommand) -> &'static str {
    match command {
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
pub(super) fn structures(command: &StructureCommand, memory: DeviceAddresses, to: &mut Vec<FixedAccess>) {
    let of = |structure: &AccelerationStructure, access| {
        Some(fixed(structure.followed_range()?, stage::BUILD, access))
    };
    let reads = |structure: &AccelerationStructure| of(structure, access::STRUCTURE_READ);
    let writes = |structure: &AccelerationStructure| of(structure, access::STRUCTURE_WRITE);
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
        // What they make has no handles.
        StructureCommand::Clusters(_) | StructureCommand::Partitioned(_) => {}
    }
}

/// What a build reads, and the scratch memory that it may write.
fn build_inputs(build: &Build, ranges: &[BuildRange], memory: Memory) -> Vec<FixedAccess> {
    let mut structures = Vec::new();
    let reads: Vec<Range<u64>> = match (&build.input, ranges) {
        (BuildInput::Bottom(geometries), _) => {
            let all = geometries.iter().zip(ranges);
            all.flat_map(|(geometry, range)| build_reads::of_geometry(geometry, memory, *range)).collect()
        }
        (BuildInput::Top(instances), [range, ..]) => {
            structures = bottom_structures(instances, range, |address| memory.load(address));
            build_reads::of_instances(instances, memory, *range)
        }
        _ => Vec::new(),
    };
    let reads = reads.into_iter().map(|range| fixed(range, stage::BUILD, access::BUILD_INPUT_READ));
    let scratch = (build.scratch != 0).then(|| build.scratch..build.scratch + SCRATCH_BYTES);
    let scratch = scratch.map(|range| fixed(range, stage::BUILD, access::STRUCTURE_WRITE));
    structures.into_iter().chain(reads).chain(scratch).collect()
}

/// The bottom-level structures that a build of a top-level one reads.
fn bottom_structures(
    instances: &Instances,
    range: &BuildRange,
    read: impl Fn(u64) -> u64,
) -> Vec<FixedAccess> {
    let mut addresses = BTreeSet::new();
    // Those that move are larger, and of several kinds.
    if instances.may_move || range.primitive_count > INSTANCES_MAX {
        return Vec::new();
    }
    let start = instances.data + u64::from(range.primitive_offset);
    for index in 0..u64::from(range.primitive_count) {
        let instance = match instances.are_pointers {
            true => read(start + 8 * index),
            false => start + INSTANCE_BYTES * index,
        };
        addresses.insert(read(instance + INSTANCE_STRUCTURE));
    }
    // Zero is no structure.
    addresses.remove(&0);
    let one = |address| fixed(address..address + 1, stage::BUILD, access::STRUCTURE_READ);
    addresses.into_iter().map(one).collect()
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
