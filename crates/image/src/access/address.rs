//! From a sampling coordinate to texel indices and weight, one dimension at a time (Vulkan, "Texel Coordinate
//! Systems", "Wrapping Operation").

use super::{Access, small_integer};
use crate::key::{AddressMode, Filter};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::Ops;

/// Beyond this many texels from zero, farther than any image reaches, all coordinates are alike: clamping
/// there keeps indices small, and NaN out.
const FAR: f32 = 4_000_000.0;

/// The texels of one dimension that a filter meets.
pub(super) struct Axis {
    /// Indices in range: one (nearest), the lower and the upper one (linear), or these between two others
    /// (cubic).
    pub(super) indices: Vec<Value>,
    /// For each index, where the border takes the texel's place.
    pub(super) borders: Vec<Option<Value>>,
    /// The fraction within [0, 1): a linear filter's upper texel's share.
    pub(super) weight: Option<Value>,
}

/// How a dimension's coordinates become indices.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) mode: AddressMode,
    pub(super) filter: Filter,
    pub(super) unnormalized: bool,
    /// The texels themselves are the result (`textureGather`), so an index counts even where its weight is 0.
    pub(super) gathers: bool,
    /// The view is corner-sampled; the mode is [`AddressMode::ClampToEdge`].
    pub(super) at_corners: bool,
}

/// Indices for `coordinate` (`f32`) in a dimension of `extent` texels (`i32`).
pub(super) fn axis(
    access: &mut Access,
    coordinate: Value,
    extent: Value,
    rule: Rule,
    offset: Option<Value>,
) -> Axis {
    let is_linear = rule.filter == Filter::Linear;
    // With the coordinate clamped to the first and last texel's centre, a linear filter needs no clamp of the
    // lower index: below the first centre it gives the upper texel, which is then the second, a weight of 0.
    // A gather would return that texel, so its indices are clamped instead.
    let to_centres = is_linear && rule.mode == AddressMode::ClampToEdge && offset.is_none() && !rule.gathers;
    let scaled = scale(access, coordinate, extent, rule, !to_centres);
    let b = &mut *access.b;
    let (zero, one, half) = (b.i32(0), b.i32(1), b.f32(0.5));
    let last = b.isub(extent, one);
    let scaled = if to_centres {
        let size = b.convert(Opcode::SToF, extent, Scalar::F32);
        let end = b.fsub(size, half);
        let scaled = b.fmax(scaled, half);
        b.fmin(scaled, end)
    } else {
        scaled
    };
    let (low, weight) = match rule.filter {
        Filter::Nearest => (b.ffloor(scaled), None),
        Filter::Linear | Filter::Cubic => {
            let centred = b.fsub(scaled, half);
            let low = b.ffloor(centred);
            (low, Some(b.fsub(centred, low)))
        }
    };
    let low = small_integer(b, low);
    if offset.is_none() && rule.filter != Filter::Cubic {
        let indices = match (rule.mode, is_linear) {
            (AddressMode::ClampToEdge, true) if to_centres => {
                let high = b.iadd(low, one);
                Some(vec![low, b.smin(high, last)])
            }
            (AddressMode::Repeat, true) => {
                // The lower index is at least -1, the greatest number without a sign; the upper one is at
                // most the extent.
                let high = b.iadd(low, one);
                let inside = b.ult(high, extent);
                Some(vec![b.umin(low, last), b.select(inside, high, zero)])
            }
            // Only rounding can leave the image, and only at the end.
            (AddressMode::Repeat, false) => Some(vec![b.smin(low, last)]),
            _ => None,
        };
        if let Some(indices) = indices {
            return Axis { borders: vec![None; indices.len()], indices, weight };
        }
    }
    let low = match offset {
        Some(offset) => b.iadd(low, offset),
        None => low,
    };
    let indices = match rule.filter {
        Filter::Nearest => vec![low],
        Filter::Linear => vec![low, b.iadd(low, one)],
        Filter::Cubic => {
            let (before, next) = (b.isub(low, one), b.iadd(low, one));
            vec![before, low, next, b.iadd(next, one)]
        }
    };
    let far = offset.is_some() || rule.filter == Filter::Cubic;
    let borders = indices
        .iter()
        .map(|&index| {
            (rule.mode == AddressMode::ClampToBorder).then(|| {
                let inside = b.ult(index, extent);
                b.not(inside)
            })
        })
        .collect();
    let indices = indices.into_iter().map(|index| wrap(access, index, extent, rule.mode, far)).collect();
    Axis { indices, borders, weight }
}

/// The coordinate in texels: within the image for the repeating modes (twice the image for the mirrored one);
/// for others, `bounded` by [`FAR`].
fn scale(access: &mut Access, coordinate: Value, extent: Value, rule: Rule, bounded: bool) -> Value {
    let b = &mut *access.b;
    let (low, high) = (b.f32(-FAR), b.f32(FAR));
    let bound = |b: &mut Builder, scaled: Value| {
        if !bounded {
            return scaled;
        }
        let scaled = b.fmax(scaled, low);
        b.fmin(scaled, high)
    };
    if rule.at_corners {
        // Half a texel further, so that from here on centres lie where those of other images do.
        let half = b.f32(0.5);
        let scaled = if rule.unnormalized {
            b.fadd(coordinate, half)
        } else {
            let cells = access.scale_of(extent);
            access.b.mad(coordinate, cells, half)
        };
        return bound(access.b, scaled);
    }
    if rule.unnormalized {
        return bound(b, coordinate);
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
            bound(b, scaled)
        }
    }
}

/// An index in range. Unless it may be far out, that of the mirrored mode is at most one texel outside of
/// what [`scale`] gives.
fn wrap(access: &mut Access, index: Value, extent: Value, mode: AddressMode, far: bool) -> Value {
    let b = &mut *access.b;
    let (zero, one) = (b.i32(0), b.i32(1));
    let last = b.isub(extent, one);
    match mode {
        AddressMode::Repeat => modulo(access, index, extent),
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
