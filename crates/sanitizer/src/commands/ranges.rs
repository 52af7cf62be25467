//! The bytes that reports of accesses are about.

use super::resources::{self, ViewTexels};
use crate::footprint::{self, Texel};
use crate::report::Record;
use pyro_abi::image::{image_offset as field, level_extent, processing};
use pyro_abi::report::SiteKind;
use std::ops::Range;

/// What the lanes of a report of memory access, `bytes` each, with the numbers of their commands: runs of
/// bytes one behind the other.
pub(super) fn each_run(record: &Record, bytes: u32, mut each: impl FnMut(u32, &Range<u64>)) {
    let row = record.sites.id_columns();
    let mut run: Option<(u32, Range<u64>)> = None;
    for lane in record.active_lanes() {
        let serial = record.word(row, lane);
        let start = u64::from(record.word(row + 1, lane)) | u64::from(record.word(row + 2, lane)) << 32;
        let end = start.saturating_add(bytes.into());
        match &mut run {
            Some((number, range)) if *number == serial && range.end == start => range.end = end,
            Some((number, range)) if *number == serial && range.start <= start && end <= range.end => {}
            run => {
                if let Some((number, range)) = run.replace((serial, start..end)) {
                    each(number, &range);
                }
            }
        }
    }
    if let Some((number, range)) = run {
        each(number, &range);
    }
}

/// Visits the bytes that a lane accesses in a report, with the number of its command, as far as they are
/// known.
pub(crate) fn accessed(record: &Record, lane: u32, each: &mut dyn FnMut(u32, Range<u64>)) {
    let row = record.sites.id_columns();
    let serial = record.word(row, lane);
    let at = wide(record, row + 1, lane);
    let range = match record.site().kind {
        SiteKind::MemoryAccess { bytes, .. } => at.checked_add(bytes.into()).map(|end| at..end),
        SiteKind::TexelAccess { .. } => told_texel(record, lane),
        SiteKind::SampleAccess { operands, .. } => {
            let records = (at, wide(record, row + 4, lane));
            sampled(record, lane, records, operands, &mut |range| each(serial, range));
            None
        }
        _ => None,
    };
    range.into_iter().for_each(|range| each(serial, range));
}

/// A number of 64 bits of a lane.
pub(super) fn wide(record: &Record, column: u32, lane: u32) -> u64 {
    u64::from(record.word(column, lane)) | u64::from(record.word(column + 1, lane)) << 32
}

/// The bytes of the texel that a lane accesses; none where it is outside of the image, or nobody knows the
/// view.
pub(super) fn told_texel(record: &Record, lane: u32) -> Option<Range<u64>> {
    let row = record.sites.id_columns();
    let image = wide(record, row + 1, lane);
    let [x, y, z, layer, level, sample] =
        std::array::from_fn(|index| record.word(row + 4 + index as u32, lane));
    texel(record, image, resources::view_texels(image)?, ([x, y, z, layer, level], sample))
}

/// Visits the bytes of the texels that a lane reads through a sampler, by the addresses of both records.
/// False where it is not known which they are.
pub(super) fn sampled(
    record: &Record,
    lane: u32,
    (image, sampler): (u64, u64),
    operands: u32,
    each: &mut dyn FnMut(Range<u64>),
) -> bool {
    let (Some(view), Some(key)) = (resources::view_texels(image), resources::sampler(sampler)) else {
        return false;
    };
    let records = ((image, view.declared), (sampler, key));
    !view.converts
        && footprint::visit(record, lane, records, operands, &mut |read| {
            texel(record, image, view, (read, 0)).into_iter().for_each(&mut *each);
        })
}

/// Visits what stands for the texels that a lane reads among the invocations of a dispatch: bytes that texels
/// of a row would have if they had one each.
pub(crate) fn tracked(record: &Record, lane: u32, operands: u32, each: &mut dyn FnMut(u64)) {
    let Some([.., image, sampler]) = record.numbers::<{ pyro_abi::report::WORKGROUP_VALUES.len() + 2 }>(lane)
    else {
        return;
    };
    let Some(view) = resources::view_texels(image).filter(|view| !view.converts) else { return };
    let key = resources::sampler(sampler).unwrap_or_default();
    let one = ViewTexels { texel_bytes: 1, block: [1, 1], ..view };
    let records = ((image, view.declared), (sampler, key));
    if sampler == 0 && operands & pyro_abi::report::sampling::FETCH == 0 {
        return;
    }
    footprint::visit(record, lane, records, operands, &mut |read| {
        texel(record, image, one, (read, 0)).into_iter().for_each(|range| each(range.start));
    });
}

/// The bytes of a texel; none where it is outside of the image.
fn texel(
    record: &Record,
    image: u64,
    view: ViewTexels,
    ([x, y, z, layer, level], sample): (Texel, u32),
) -> Option<Range<u64>> {
    let memory = record.memory();
    let word = |byte: u32| memory.load::<u32>(image + u64::from(byte));
    let address: u64 = memory.load(image + u64::from(field::ADDRESS));
    let at_corners = word(field::WEIGHTS) >> processing::CORNER_SAMPLED & 1 != 0;
    let size = |byte: u32| level_extent(word(byte), level, at_corners);
    let is_inside = address != 0
        && level < word(field::LEVELS).max(1)
        && x < size(field::WIDTH)
        && y < size(field::HEIGHT)
        && z < size(field::DEPTH)
        && layer < word(field::LAYERS)
        && sample < word(field::SAMPLES).max(1);
    if !is_inside || level as usize >= pyro_abi::image::LEVELS_MAX {
        return None;
    }
    let of_level = |byte: u32| u64::from(word(byte + 4 * level));
    let [width, height] = view.block.map(|side| side.max(1));
    let start = address
        + of_level(field::LEVEL_OFFSET)
        + u64::from(y / height) * of_level(field::ROW_PITCH)
        + u64::from(z) * of_level(field::SLICE_PITCH)
        + u64::from(layer) * u64::from(word(field::LAYER_PITCH))
        + u64::from(sample) * u64::from(word(field::SAMPLE_PITCH))
        + u64::from(x / width) * u64::from(view.texel_bytes);
    Some(start..start + u64::from(view.texel_bytes))
}
