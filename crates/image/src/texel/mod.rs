//! Texels in memory and as shader values: builder functions, and their equals in plain Rust ([`host`]).
//!
//! A texel's memory is a little-endian number, here as 32-bit *words* (`i32` values, the last one
//! zero-extended). Decoded, it is four values for red, green, blue and alpha: `f32` for normalized, scaled
//! and float formats, `i32` for integers; `i64` and `f64` for components of 64 bits. Depth and stencil are in
//! the first. A component that the format lacks is 0, alpha 1 (Vulkan, "Conversion to RGBA").
//!
//! Used by image operations, vertex fetch, attachments and texel buffers. Conversions are exact or correctly
//! rounded but for the sRGB curve; see `pyro_library::texel`. Zero words decode to zeros in all formats.

mod astc;
mod astc_high_range;
pub(crate) mod astc_numbers;
pub(crate) mod bc6h_modes;
pub(crate) mod bc7_modes;
mod block;
mod decode;
mod encode;
pub(crate) mod etc;
pub mod host;
pub(crate) mod pvrtc;

pub use block::{decode_block, decode_line};
pub(crate) use decode::scale;
pub use decode::{decode, decode_channel, decode_unscaled, is_scalable};
pub use encode::{encode, encode_aspect, encode_unscaled};
pub use pvrtc::decode_texel;

use crate::format::{Aspect, Channel, Component, Format, NumericClass};
use pyro_ir::{Builder, MemoryOp, Scalar, Value};
use pyro_library::Ops;

/// The colour channels in order.
pub const RGBA: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

/// The scalar type of a format's decoded values.
pub fn value_scalar(format: Format, aspect: Aspect) -> Scalar {
    match (format.numeric_class(aspect), format.is_64_bit()) {
        (NumericClass::Float, false) => Scalar::F32,
        (NumericClass::Float, true) => Scalar::F64,
        (_, false) => Scalar::I32,
        (_, true) => Scalar::I64,
    }
}

/// The components of an aspect that stand for red, green, blue and alpha.
pub(crate) fn aspect_components(format: Format, aspect: Aspect) -> [Option<&'static Component>; 4] {
    match aspect {
        Aspect::Color => RGBA.map(|channel| format.component(channel)),
        Aspect::Depth => [format.component(Channel::D), None, None, None],
        Aspect::Stencil => [format.component(Channel::S), None, None, None],
    }
}

/// The accesses that a texel of `bytes` bytes takes: size and byte offset of each, in words or below.
fn accesses(bytes: u32) -> impl Iterator<Item = (Scalar, u32)> {
    // Texels of 3 and 6 bytes lie at any multiple of their component's size.
    let unit = match bytes {
        1 | 3 => Scalar::I8,
        2 | 6 => Scalar::I16,
        _ => Scalar::I32,
    };
    (0..bytes / unit.bytes()).map(move |index| (unit, index * unit.bytes()))
}

/// Loads the words of an uncompressed texel at `base + offset` where `predicate`; zeros elsewhere.
pub fn load_words(
    b: &mut Builder,
    format: Format,
    memory: MemoryOp,
    base: Value,
    offset: Value,
    predicate: Value,
) -> Vec<Value> {
    debug_assert!(!format.is_compressed());
    let bytes = format.block_bytes();
    let mut words: Vec<Value> = Vec::new();
    for (unit, at) in accesses(bytes) {
        let place = memory.at(memory.displacement + at as i32);
        let part = b.load(unit, place, base, offset, predicate);
        let part = b.resize_u(part, Scalar::I32);
        if at % 4 == 0 {
            words.push(part);
        } else {
            let shift = b.i32(at % 4 * 8);
            let part = b.shl(part, shift);
            let last = words.len() - 1;
            words[last] = b.or(words[last], part);
        }
    }
    words
}

/// Stores the words of an uncompressed texel at `base + offset` where `predicate`.
pub fn store_words(
    b: &mut Builder,
    format: Format,
    memory: MemoryOp,
    base: Value,
    offset: Value,
    words: &[Value],
    predicate: Value,
) {
    for (unit, at) in accesses(format.block_bytes()) {
        let mut part = words[(at / 4) as usize];
        if at % 4 != 0 {
            let shift = b.i32(at % 4 * 8);
            part = b.lshr(part, shift);
        }
        let part = b.resize_u(part, unit);
        let place = memory.at(memory.displacement + at as i32);
        b.store(place, base, offset, part, predicate);
    }
}
