//! From a sampling coordinate to texel indices and weight, one dimension at a time (Vulkan, "Texel Coordinate
//! Systems", "Wrapping Operation").

use super::Access;
use crate::key::{AddressMode, Filter};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

/// Beyond this many texels from zero, where fractions of a texel end, all coordinates are alike: clamping
/// there keeps indices within 32 bits, and NaN out.
const FAR: f32 = 8_388_608.0;

/// The texels of one dimension that a filter meets.
pub(super) struct Axis {
    /// Indices in range: one (nearest), or the lower and the upper one (linear).
    pub(super) indices: Vec<Value>,
    /// For each index, where the border takes the texel's place.
    pub(super) borders: Vec<Option<Value>>,
    /// The upper texel's share, within [0, 1).
    pub(super) weight: Option<Value>,
}

/// How a dimension's coordinates become indices.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) mode: AddressMode,
    pub(super) filter: Filter,
    pub(super) unnormalized: bool,
}

/// Indices for `coordinate` (`f32`) in a dimension of `extent` texels (`i32`).
pub(super) fn axis(
    access: &mut Access,
    coordinate: Value,
    extent: Value,
    rule: Rule,
    offset: Option<Value>,
) -> Axis {
    let scaled = scale(access, coordinate, extent, rule);
    let b = &mut *access.b;
    let (low, weight) = match rule.filter {
        Filter::Nearest => (b.ffloor(scaled), None),
        Filter::Linear => {
            let half = b.f32(0.5);
            let centred = b.fsub(scaled, half);
            let low = b.ffloor(centred);
            (low, Some(b.fsub(centred, low)))
        }
    };
    let mut low = b.convert(Opcode::FToS, low, Scalar::I32);
    if let Some(offset) = offset {
        low = b.iadd(low, offset);
    }
    let mut indices = vec![low];
    if weight.is_some() {
        let one = b.i32(1);
        indices.push(b.iadd(low, one));
    }
    let borders = indices
        .iter()
        .map(|&index| {
            (rule.mode == AddressMode::ClampToBorder).then(|| {
                let inside = b.ult(index, extent);
                b.not(inside)
            })
        })
        .collect();
    // Nearest and repeated, only rounding can leave the image, and only at the end.
    let nearest_repeat = rule.mode == AddressMode::Repeat && weight.is_none() && offset.is_none();
    let mode = if nearest_repeat { AddressMode::ClampToEdge } else { rule.mode };
    let indices =
        indices.into_iter().map(|index| wrap(access, index, extent, mode, offset.is_some())).collect();
    Axis { indices, borders, weight }
}

/// The coordinate in texels: within the image for the repeating modes (twice the image for the mirrored one).
fn scale(access: &mut Access, coordinate: Value, extent: Value, rule: Rule) -> Value {
    let b = &mut *access.b;
    let (low, high) = (b.f32(-FAR), b.f32(FAR));
    if rule.unnormalized {
        let scaled = b.fmax(coordinate, low);
        return b.fmin(scaled, high);
    }
    let size = b.convert(Opcode::SToF, extent, Scalar::F32);
    match rule.mode {
        AddressMode::Repeat | AddressMode::MirroredRepeat => {
            let mirrored = rule.mode == AddressMode::MirroredRepeat;
            let half = b.f32(0.5);
            let periods = if mirrored { b.fmul(coordinate, half) } else { coordinate };
            let whole = b.ffloor(periods);
            let fraction = b.fsub(periods, whole);
            // NaN becomes 0.
            let zero = b.f32(0.0);
            let fraction = b.fmax(fraction, zero);
            let fraction = if mirrored { b.fadd(fraction, fraction) } else { fraction };
            b.fmul(fraction, size)
        }
        _ => {
            let scaled = b.fmul(coordinate, size);
            let scaled = b.fmax(scaled, low);
            b.fmin(scaled, high)
        }
    }
}

/// An index in range. Without an offset, those of the repeating modes are at most one texel outside of what
/// [`scale`] gives.
fn wrap(access: &mut Access, index: Value, extent: Value, mode: AddressMode, far: bool) -> Value {
    let b = &mut *access.b;
    let (zero, one) = (b.i32(0), b.i32(1));
    let last = b.isub(extent, one);
    match mode {
        AddressMode::Repeat if far => modulo(access, index, extent),
        AddressMode::Repeat => {
            let below = b.slt(index, zero);
            let index = b.select(below, last, index);
            let above = b.slt(last, index);
            b.select(above, zero, index)
        }
        AddressMode::MirroredRepeat => {
            let period = b.iadd(extent, extent);
            let index = if far { modulo(access, index, period) } else { index };
            let b = &mut *access.b;
            let end = b.isub(period, one);
            let back = b.isub(end, index);
            let index = b.smin(index, back);
            b.smax(index, zero)
        }
        AddressMode::ClampToEdge | AddressMode::ClampToBorder => {
            let index = b.smax(index, zero);
            b.smin(index, last)
        }
        AddressMode::MirrorClampToEdge => {
            let sign = b.i32(31);
            let sign = b.ashr(index, sign);
            let index = b.xor(index, sign);
            b.smin(index, last)
        }
    }
}

/// The remainder that is not negative.
fn modulo(access: &mut Access, index: Value, count: Value) -> Value {
    let b = &mut *access.b;
    let rest = b.srem(index, count);
    let zero = b.i32(0);
    let negative = b.slt(rest, zero);
    let up = b.iadd(rest, count);
    b.select(negative, up, rest)
}
