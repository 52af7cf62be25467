//! Packing of vectors into integers. `f32` components, `i32` words.

use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `PackSnorm4x8`: `round(clamp(c, -1, 1) * 127)`, the first component in the low bits; NaN counts as -1.
pub fn pack_snorm_4x8(b: &mut Builder, components: [Value; 4]) -> Value {
    let _ = (components, b.lane_id());
    todo!()
}

/// `PackUnorm4x8`: `round(clamp(c, 0, 1) * 255)`; NaN counts as 0.
pub fn pack_unorm_4x8(b: &mut Builder, components: [Value; 4]) -> Value {
    let _ = (components, b);
    todo!()
}

/// `PackSnorm2x16`: `round(clamp(c, -1, 1) * 32767)`; NaN counts as -1.
pub fn pack_snorm_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let _ = (components, b);
    todo!()
}

/// `PackUnorm2x16`: `round(clamp(c, 0, 1) * 65535)`; NaN counts as 0.
pub fn pack_unorm_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let _ = (components, b);
    todo!()
}

/// `PackHalf2x16`: each component to `f16`, rounded to nearest even.
pub fn pack_half_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let _ = (components, b);
    todo!()
}

/// `PackDouble2x32`: two words, the first the low one, to an `f64`.
pub fn pack_double_2x32(b: &mut Builder, words: [Value; 2]) -> Value {
    let _ = (words, b);
    todo!()
}

/// `UnpackSnorm4x8`: `clamp(byte / 127, -1, 1)` of each byte, the low one first.
pub fn unpack_snorm_4x8(b: &mut Builder, word: Value) -> [Value; 4] {
    let _ = (word, b);
    todo!()
}

/// `UnpackUnorm4x8`: `byte / 255`.
pub fn unpack_unorm_4x8(b: &mut Builder, word: Value) -> [Value; 4] {
    let _ = (word, b);
    todo!()
}

/// `UnpackSnorm2x16`: `clamp(half / 32767, -1, 1)`.
pub fn unpack_snorm_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    let _ = (word, b);
    todo!()
}

/// `UnpackUnorm2x16`: `half / 65535`.
pub fn unpack_unorm_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    let _ = (word, b);
    todo!()
}

/// `UnpackHalf2x16`: two `f16`, exactly.
pub fn unpack_half_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    let _ = (word, b);
    todo!()
}

/// `UnpackDouble2x32`: the low and the high word of an `f64`.
pub fn unpack_double_2x32(b: &mut Builder, x: Value) -> [Value; 2] {
    let _ = (x, b);
    todo!()
}
