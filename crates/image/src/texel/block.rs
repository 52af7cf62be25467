//! Compressed blocks in plain Rust, for blits: the same bits as the functions of [`crate::access`] give.

use super::bc6h_modes::{self, FIRST_WHOLE};
use super::{astc, etc};
use crate::access::tables::{anchors_3, partition_2, partition_3};
use crate::format::{Compression, Format, Numeric};
use half::f16;

/// The texels of a block, row by row and slice by slice; sRGB components become linear. `None` for formats
/// without blocks, or whose texels need those around theirs ([`super::decode_texel`]).
///
/// # Panics
/// When `block` is shorter than [`Format::block_bytes`].
pub fn decode_block(format: Format, block: &[u8]) -> Option<Vec<[f32; 4]>> {
    let [_, height, depth] = format.block_extent();
    let lines = (0..height * depth).map(|line| decode_line(format, block, [line % height, line / height]));
    Some(lines.collect::<Option<Vec<_>>>()?.concat())
}

/// The texels of one line of a block, which is a row of a slice.
///
/// # Panics
/// When `block` is shorter than [`Format::block_bytes`].
pub fn decode_line(format: Format, block: &[u8], [line, slice]: [u32; 2]) -> Option<Vec<[f32; 4]>> {
    let info = format.info();
    let compression = info.compression.filter(|_| !format.has_blocks_around())?;
    let numeric = info.components[0].numeric;
    let signed = matches!(numeric, Numeric::SNorm | Numeric::SFloat);
    let srgb = numeric == Numeric::Srgb;
    let mut bytes = [0; 16];
    let count = usize::from(info.block_bytes);
    bytes[..count].copy_from_slice(&block[..count]);
    let whole = u128::from_le_bytes(bytes);
    let (low, high) = (whole as u64, (whole >> 64) as u64);
    let extent = format.block_extent();
    let astc = matches!(compression, Compression::Astc(..)).then(|| astc::Block::new(whole, extent));
    let texel = |column: u32| -> [f32; 4] {
        let (at, place) = (4 * line + column, [column, line]);
        match compression {
            Compression::Bc1Rgb => {
                let [red, green, blue, _] = color(low, at, true);
                [red, green, blue, 1.0]
            }
            Compression::Bc1Rgba => color(low, at, true),
            Compression::Bc2 => {
                let [red, green, blue, _] = color(high, at, false);
                [red, green, blue, ratio((low >> (4 * at) & 15) as i32, 15)]
            }
            Compression::Bc3 => {
                let [red, green, blue, _] = color(high, at, false);
                [red, green, blue, channel(low, at, false)]
            }
            Compression::Bc4 => [channel(low, at, signed), 0.0, 0.0, 1.0],
            Compression::Bc5 => [channel(low, at, signed), channel(high, at, signed), 0.0, 1.0],
            Compression::Bc6h => bc6h(whole, at, signed),
            Compression::Bc7 => bc7(whole, at),
            Compression::Etc2Rgb => etc_color(low, place, false),
            Compression::Etc2RgbA1 => etc_color(low, place, true),
            Compression::Etc2Rgba => {
                let [red, green, blue, _] = etc_color(high, place, false);
                [red, green, blue, ratio(etc::alpha(low.swap_bytes(), place), 255)]
            }
            Compression::EacR => [eac_channel(low, place, signed), 0.0, 0.0, 1.0],
            Compression::EacRg => {
                [eac_channel(low, place, signed), eac_channel(high, place, signed), 0.0, 1.0]
            }
            Compression::Pvrtc1(_) | Compression::Pvrtc2(_) => [0.0; 4],
            Compression::Astc(..) => {
                let profile = match numeric {
                    Numeric::Srgb => astc::Profile::Srgb,
                    Numeric::SFloat => astc::Profile::High,
                    _ => astc::Profile::Low,
                };
                let place = [column, line, slice];
                astc.as_ref().and_then(|block| block.texel(place, profile)).unwrap_or([1.0, 0.0, 1.0, 1.0])
            }
        }
    };
    let linear = |value: f32| if srgb { pyro_ir::eval::srgb::to_linear(value) } else { value };
    let texels = (0..extent[0]).map(|column| {
        let [red, green, blue, alpha] = texel(column);
        [linear(red), linear(green), linear(blue), alpha]
    });
    Some(texels.collect())
}

fn etc_color(block: u64, at: [u32; 2], punchthrough: bool) -> [f32; 4] {
    match etc::color(block.swap_bytes(), at, punchthrough) {
        Some(color) => {
            let [red, green, blue] = color.map(|value| ratio(value, 255));
            [red, green, blue, 1.0]
        }
        None => [0.0; 4],
    }
}

fn eac_channel(block: u64, at: [u32; 2], signed: bool) -> f32 {
    ratio(etc::channel(block.swap_bytes(), at, signed), if signed { 1023 } else { 2047 })
}

/// The quotient of integers below 2^24, correctly rounded.
pub(super) fn ratio(value: i32, most: i32) -> f32 {
    (f64::from(value) / f64::from(most)) as f32
}

/// The second end's parts of a code: 0, all, 1, 2, ...
fn share(code: i32, parts: i32) -> i32 {
    match code {
        0 => 0,
        1 => parts,
        _ => code - 1,
    }
}

fn color(block: u64, at: u32, has_black: bool) -> [f32; 4] {
    let code = (block >> (32 + 2 * at) & 3) as i32;
    let ends = [block as u16, (block >> 16) as u16];
    let thirds = !has_black || ends[0] > ends[1];
    if !thirds && code == 3 {
        return [0.0; 4];
    }
    let parts = if thirds { 3 } else { 2 };
    let share = share(code, parts);
    let value = |shift: u32, bits: u32| {
        let most = (1 << bits) - 1;
        let end = |end: u16| i32::from(end >> shift) & most;
        ratio(end(ends[0]) * (parts - share) + end(ends[1]) * share, parts * most)
    };
    [value(11, 5), value(5, 6), value(0, 5), 1.0]
}

fn channel(block: u64, at: u32, signed: bool) -> f32 {
    let code = (block >> (16 + 3 * at) & 7) as i32;
    let bytes = [block as u8, (block >> 8) as u8];
    let ends = bytes.map(|byte| if signed { i32::from(byte as i8) } else { i32::from(byte) });
    let falls = ends[0] > ends[1];
    if !falls && code >= 6 {
        return if code == 7 {
            1.0
        } else if signed {
            -1.0
        } else {
            0.0
        };
    }
    let ends = if signed { ends.map(|end| end.max(-127)) } else { ends };
    let parts = if falls { 7 } else { 5 };
    let share = share(code, parts);
    ratio(ends[0] * (parts - share) + ends[1] * share, parts * if signed { 127 } else { 255 })
}

fn bits(block: u128, first: u32, count: u32) -> u32 {
    if count == 0 { 0 } else { (block >> first) as u32 & (u32::MAX >> (32 - count)) }
}

/// The weight of a texel's index: `count` bits each from `first` on, one less for anchors.
fn weight(block: u128, first: u32, count: u32, at: u32, anchors: &[u32]) -> i32 {
    let before = anchors.iter().filter(|&&anchor| anchor < at).count() as u32;
    let short = u32::from(anchors.contains(&at));
    let index = bits(block, first + at * count - before, count - short) as i32;
    let most = (1 << count) - 1;
    (2 * 64 * index + most) / (2 * most)
}

fn interpolate(ends: [i32; 2], weight: i32) -> i32 {
    (ends[0] * (64 - weight) + ends[1] * weight + 32) >> 6
}

fn bc7(block: u128, at: u32) -> [f32; 4] {
    let number = (block as u8).trailing_zeros();
    let Some(mode) = super::bc7_modes::MODES.get(number as usize) else { return [0.0; 4] };
    let mut place = number + 1;
    let mut take = |count: u32| {
        let value = bits(block, place, count);
        place += count;
        value
    };
    let partition = take(mode.partition_bits);
    let rotation = take(mode.rotation_bits) as usize;
    let selection = take(mode.selection_bits);
    let (subset, anchors) = match mode.subsets {
        1 => (0, vec![0]),
        2 => {
            let word = partition_2(partition);
            (word >> at & 1, vec![0, word >> 16])
        }
        _ => {
            let anchors = anchors_3(partition);
            (partition_3(partition) >> (2 * at) & 3, vec![0, anchors & 15, anchors >> 8])
        }
    };
    let subset = subset as usize;
    let mut ends = [[255; 2]; 4];
    for (channel, ends) in ends.iter_mut().enumerate() {
        let count = if channel < 3 { mode.color_bits } else { mode.alpha_bits };
        if count > 0 {
            let all: Vec<u32> = (0..2 * mode.subsets).map(|_| take(count)).collect();
            *ends = [all[2 * subset], all[2 * subset + 1]];
        }
    }
    let low = if mode.own_low_bits {
        let all: Vec<u32> = (0..2 * mode.subsets).map(|_| take(1)).collect();
        Some([all[2 * subset], all[2 * subset + 1]])
    } else if mode.shared_low_bits {
        let all: Vec<u32> = (0..mode.subsets).map(|_| take(1)).collect();
        Some([all[subset]; 2])
    } else {
        None
    };
    let ends: [[i32; 2]; 4] = std::array::from_fn(|channel| {
        let count = if channel < 3 { mode.color_bits } else { mode.alpha_bits };
        std::array::from_fn(|end| {
            let (mut value, mut count) = (ends[channel][end], count);
            if count == 0 {
                return value as i32;
            }
            if let Some(low) = low {
                (value, count) = (value << 1 | low[end], count + 1);
            }
            (value << (8 - count) | value >> (2 * count - 8).min(31)) as i32 & 255
        })
    });
    let first = weight(block, place, mode.index_bits, at, &anchors);
    place += 16 * mode.index_bits - mode.subsets;
    let (mut color, mut alpha) = (first, first);
    if mode.second_index_bits > 0 {
        let second = weight(block, place, mode.second_index_bits, at, &anchors);
        (color, alpha) = if selection == 0 { (first, second) } else { (second, first) };
    }
    let mut values: [i32; 4] =
        std::array::from_fn(|channel| interpolate(ends[channel], if channel < 3 { color } else { alpha }));
    if rotation > 0 {
        values.swap(rotation - 1, 3);
    }
    values.map(|value| ratio(value, 255))
}

fn bc6h(block: u128, at: u32, signed: bool) -> [f32; 4] {
    let low = bits(block, 0, 2);
    let (number, start) = match low {
        0 | 1 => (low as usize, 2),
        _ => (bits(block, 2, 3) as usize + if low == 3 { 10 } else { 2 }, 5),
    };
    let Some(mode) = bc6h_modes::MODES.get(number) else { return [0.0, 0.0, 0.0, 1.0] };
    let mut raw = [[0u32; 4]; 3];
    let mut place = start;
    for field in mode.fields() {
        let count = field.first.abs_diff(field.last) + 1;
        let mut value = bits(block, place, count);
        if field.last > field.first {
            value = value.reverse_bits() >> (32 - count);
        }
        raw[field.color][field.point] |= value << field.first.min(field.last);
        place += count;
    }
    let word = partition_2(bits(block, bc6h_modes::PARTITION.0, bc6h_modes::PARTITION.1));
    let second = number < FIRST_WHOLE && word >> at & 1 != 0;
    let weight = if number < FIRST_WHOLE {
        weight(block, 82, 3, at, &[0, word >> 16])
    } else {
        weight(block, 65, 4, at, &[0])
    };
    let extend = |value: u32, count: u32| (value << (32 - count)) as i32 >> (32 - count);
    let mask = u32::MAX >> (32 - mode.bits);
    let value = |color: usize| {
        let [w, x, y, z] = raw[color];
        let add =
            |difference: u32| (w as i32).wrapping_add(extend(difference, mode.others[color])) as u32 & mask;
        let ends = match (mode.differences, second) {
            (true, true) => [add(y), add(z)],
            (true, false) => [w, add(x)],
            (false, true) => [y, z],
            (false, false) => [w, x],
        };
        let ends = ends.map(|end| {
            unquantize(if signed { extend(end, mode.bits) } else { end as i32 }, mode.bits, signed)
        });
        let value = interpolate(ends, weight);
        let half = match (signed, value < 0) {
            (false, _) => (value * 31) >> 6,
            (true, false) => (value * 31) >> 5,
            (true, true) => (-value * 31) >> 5 | 0x8000,
        };
        f16::from_bits(half as u16).to_f32()
    };
    [value(0), value(1), value(2), 1.0]
}

fn unquantize(value: i32, bits: u32, signed: bool) -> i32 {
    if !signed {
        return match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xffff,
            _ => ((value << 16) + 0x8000) >> bits,
        };
    }
    if bits >= 16 {
        return value;
    }
    let size = value.abs();
    let scaled = match size {
        0 => 0,
        _ if size >= (1 << (bits - 1)) - 1 => 0x7fff,
        _ => ((size << 15) + 0x4000) >> (bits - 1),
    };
    if value < 0 { -scaled } else { scaled }
}
