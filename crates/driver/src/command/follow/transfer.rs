//! What transfers read and write.

use super::fixed;
use crate::command::family::transfer::TransferCommand;
use crate::command::transfer::{Surface, Touched, Transfer};
use crate::objects::memory::mapped;
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
        TransferCommand::CopyTensor(_)
        | TransferCommand::CopyIndirect(_)
        | TransferCommand::ConvertMatrices(_)
        | TransferCommand::Structures(_) => {}
    }
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
        let row = u64::from(copy.region.count[0]) * u64::from(copy.surface.format.copy_bytes(copy.aspect));
        let start = copy.buffer.range.address();
        for plane in 0..u64::from(copy.region.count[2]) {
            for y in 0..u64::from(copy.region.count[1]) {
                let start = start + plane * copy.buffer.plane_pitch + y * copy.buffer.row_pitch;
                match to.last_mut() {
                    Some(last) if last.access == access && last.range.end == start => last.range.end += row,
                    _ => to.push(fixed(start..start + row, at, access)),
                }
            }
        }
    }
    for Touched { surface, first, count, writes } in transfer.touched() {
        let access = if writes { access::TRANSFER_WRITE } else { access::TRANSFER_READ };
        to.extend(box_ranges(surface, first, count).into_iter().map(|range| fixed(range, at, access)));
    }
}
