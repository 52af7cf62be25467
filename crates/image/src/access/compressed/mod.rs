//! Block compression: one texel of a block, decoded where it is sampled (Khronos Data Format Specification,
//! "S3TC Compressed Texture Image Formats", "RGTC", "BPTC", "ETC2", "ASTC",
//! "PVRTC").
//!
//! BC1 to BC5, ETC2 and EAC are straight-line code. BC6H and BC7 have blocks of several modes, whose fields
//! lie in different places: each mode is a case of a switch, which extracts its fields at constant places, so
//! that only the modes that a subgroup meets take time. What their partitions look like is in [`tables`].
//! ASTC ([`astc`]) is mostly table look-ups.

mod astc;
mod astc_high_range;
mod bc1;
mod bc6h;
mod bc7;
mod etc;
mod pvrtc;
pub(crate) mod tables;

use super::{Access, BuildError};
use crate::format::{Compression, Format, Numeric};
use crate::texel::pvrtc::Kind;
use astc::Precision;
use pyro_abi::image::image_offset;
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::{Ops, texel};

pub(super) use pvrtc::Around;

/// A block's 32-bit words: two or four.
pub(super) type Words = [Value];

/// Decodes texel `within` of the first of four blocks of PVRTC.
pub(super) fn decode_around(
    access: &mut Access,
    around: &Around,
    within: Value,
) -> Result<[Value; 4], BuildError> {
    let Some(kind) = Kind::of(access.view.format) else {
        return Err(BuildError::Invalid("a format whose texels are those of one block"));
    };
    let values = pvrtc::decode(access.b, kind, around, within);
    Ok(linear(access, values))
}

/// sRGB components become linear.
fn linear(access: &mut Access, values: [Value; 4]) -> [Value; 4] {
    if !access.view.format.is_srgb() {
        return values;
    }
    let [red, green, blue, alpha] = values;
    let [red, green, blue] = [red, green, blue].map(|value| texel::srgb_to_linear(access.b, value));
    [red, green, blue, alpha]
}

/// Decodes texel `within` of a block (0 to 15, row by row; of ASTC, column, row and slice of four bits
/// each); sRGB components become linear.
pub(super) fn decode(access: &mut Access, words: &Words, within: Value) -> Result<[Value; 4], BuildError> {
    let info = access.view.format.info();
    let numeric = info.components[0].numeric;
    let signed = matches!(numeric, Numeric::SNorm | Numeric::SFloat);
    let b = &mut *access.b;
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let values = match info.compression {
        Some(Compression::Bc1Rgb) => {
            let [red, green, blue, _] = bc1::color(b, [words[0], words[1]], within, true);
            [red, green, blue, one]
        }
        Some(Compression::Bc1Rgba) => bc1::color(b, [words[0], words[1]], within, true),
        Some(Compression::Bc2) => {
            let [red, green, blue, _] = bc1::color(b, [words[2], words[3]], within, false);
            [red, green, blue, bc1::explicit_alpha(b, [words[0], words[1]], within)]
        }
        Some(Compression::Bc3) => {
            let [red, green, blue, _] = bc1::color(b, [words[2], words[3]], within, false);
            [red, green, blue, bc1::channel(b, [words[0], words[1]], within, false)]
        }
        Some(Compression::Bc4) => [bc1::channel(b, [words[0], words[1]], within, signed), zero, zero, one],
        Some(Compression::Bc5) => {
            let red = bc1::channel(b, [words[0], words[1]], within, signed);
            [red, bc1::channel(b, [words[2], words[3]], within, signed), zero, one]
        }
        Some(Compression::Bc6h) => bc6h::decode(access, words, within, signed)?,
        Some(Compression::Bc7) => bc7::decode(access, words, within)?,
        Some(Compression::Etc2Rgb) => etc::color(access, words, within, false),
        Some(Compression::Etc2RgbA1) => etc::color(access, words, within, true),
        Some(Compression::Etc2Rgba) => {
            let [red, green, blue, _] = etc::color(access, &words[2..], within, false);
            [red, green, blue, etc::alpha(access, words, within)]
        }
        Some(Compression::EacR) => [etc::channel(access, words, within, signed), zero, zero, one],
        Some(Compression::EacRg) => {
            let red = etc::channel(access, words, within, signed);
            [red, etc::channel(access, &words[2..], within, signed), zero, one]
        }
        Some(Compression::Astc(..)) => {
            let precision = match numeric {
                Numeric::Srgb => Precision::Srgb,
                _ if access.view.astc_unorm8 => Precision::UNorm8,
                Numeric::SFloat => Precision::HighRange,
                _ => Precision::Half,
            };
            let extent = access.view.format.block_extent();
            astc::decode(access, words, within, extent, precision)?
        }
        Some(Compression::Pvrtc1(_) | Compression::Pvrtc2(_)) => {
            return Err(BuildError::Invalid("a texel of several blocks"));
        }
        None => return Err(BuildError::Invalid("a format without blocks")),
    };
    Ok(linear(access, values))
}

/// Bits of a texel's column below its row: blocks of ASTC may have more than four columns.
pub(super) fn column_bits(format: Format) -> u32 {
    match format.info().compression {
        Some(Compression::Astc(..)) => 4,
        _ => format.block_extent()[0].ilog2(),
    }
}

/// Whether a texel takes so much code that it is better written once, in a loop over the texels of a filter.
pub(super) fn is_long(compression: Option<Compression>) -> bool {
    matches!(
        compression,
        Some(
            Compression::Bc6h
                | Compression::Bc7
                | Compression::Etc2Rgb
                | Compression::Etc2RgbA1
                | Compression::Etc2Rgba
                | Compression::Astc(..)
                | Compression::Pvrtc1(_)
                | Compression::Pvrtc2(_)
        )
    )
}

/// `count` bits (at most 32) from bit `first` of the block on, zero-extended.
fn field(b: &mut Builder, words: &Words, first: u32, count: u32) -> Value {
    let (word, shift) = ((first / 32) as usize, first % 32);
    let by = b.i32(shift);
    let mut value = if shift == 0 { words[word] } else { b.lshr(words[word], by) };
    if shift + count > 32 {
        let up = b.i32(32 - shift);
        let high = b.shl(words[word + 1], up);
        value = b.or(value, high);
    }
    if count == 32 || shift + count == 32 {
        return value;
    }
    let mask = b.i32((1 << count) - 1);
    b.and(value, mask)
}

/// 64 bits from bit `first` on; zeros behind the block's end.
fn wide_field(b: &mut Builder, words: &Words, first: u32) -> Value {
    let mut parts = [0, 32].map(|at| {
        let (from, end) = (first + at, 32 * words.len() as u32);
        if from >= end { b.i32(0) } else { field(b, words, from, 32.min(end - from)) }
    });
    for part in &mut parts {
        *part = b.resize_u(*part, Scalar::I64);
    }
    let shift = b.i64(32);
    let high = b.shl(parts[1], shift);
    b.or(parts[0], high)
}

/// The low bits of `wide >> by`, under a mask (`i32`s but for `wide`).
fn variable_field(b: &mut Builder, wide: Value, by: Value, mask: Value) -> Value {
    let by = b.resize_u(by, Scalar::I64);
    let value = b.lshr(wide, by);
    let value = b.resize_u(value, Scalar::I32);
    b.and(value, mask)
}

/// A word of the tables, by table and index within it.
fn lookup(access: &mut Access, table: u32, index: Value) -> Value {
    let callable = access.b.arg(0);
    let base = super::context_load(access.b, Scalar::I64, callable, image_offset::CALLABLE_CONTEXT);
    let b = &mut *access.b;
    let two = b.i32(2);
    let at = b.shl(index, two);
    let always = b.bool(true);
    let place = MemoryOp::new(Space::Context).at((4 * table) as i32).speculatable();
    b.load(Scalar::I32, place, base, at, always)
}

/// A weight of 0 to 64 for an index of 2, 3 or 4 bits.
fn weight(b: &mut Builder, index: Value, bits: u32) -> Value {
    // round(64 * index / (2^bits - 1)), a byte each.
    let most = (1u128 << bits) - 1;
    let rounded = |index: u128| (2 * 64 * index + most) / (2 * most);
    let bytes = (0..=most).fold(0, |sum, index| sum | rounded(index) << (8 * index));
    let low = b.i64(bytes as u64);
    let packed = if bits == 4 {
        let high = b.i64((bytes >> 64) as u64);
        let eight = b.i32(8);
        let is_low = b.ult(index, eight);
        b.select(is_low, low, high)
    } else {
        low
    };
    let (seven, three, mask) = (b.i32(7), b.i32(3), b.i32(0x7f));
    let index = b.and(index, seven);
    let by = b.shl(index, three);
    variable_field(b, packed, by, mask)
}

/// `((64 - weight) * x + weight * y + 32) >> 6`.
fn interpolate(b: &mut Builder, x: Value, y: Value, weight: Value) -> Value {
    let (sixty_four, half, six) = (b.i32(64), b.i32(32), b.i32(6));
    let rest = b.isub(sixty_four, weight);
    let (x, y) = (b.imul(x, rest), b.imul(y, weight));
    let sum = b.iadd(x, y);
    let sum = b.iadd(sum, half);
    b.ashr(sum, six)
}

/// 1 where the condition holds, else 0.
fn as_int(b: &mut Builder, condition: Value) -> Value {
    b.convert(Opcode::ZeroExtend, condition, Scalar::I32)
}
