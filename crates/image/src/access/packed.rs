//! Linear filters of four unsigned normalized components of 8 bits: in integers, all components of a texel at
//! once.
//!
//! Two texels that lie side by side are one element of a gather. Weights have 8 bits
//! (`subTexelPrecisionBits`): a place between texels is rounded down to a 256th, and the share of the `n`th
//! of these is `n / 255`, so that a texel's centre gives that texel with rounding on either side. Products of
//! bytes are those of signed numbers with unsigned ones, so texels are less 128 until the end ([`unpacked`]).
//! Nothing else is rounded before levels are mixed.

use super::address::{self, Rule};
use super::sample::{Projected, Sampling};
use super::{Access, BuildError, Level, TexelLocation, if_else};
use crate::format::{Format, Numeric};
use crate::key::{AddressMode, Filter, Reduction, SamplerKey, ViewKey, ViewType};
use crate::texel;
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// What a filtered component is a multiple of: the shares' denominators times the greatest component.
const WHOLE: u32 = 255 * 255 * 255;
/// What filtered components lack: 128 of each texel.
const MIDDLE: f32 = 128.0 * 255.0 * 255.0;
/// The weights' bytes as [`Opcode::ShuffleBytes`] takes them from the lowest byte, and what complements every
/// other.
const EVERY_BYTE: u32 = 0;
const COMPLEMENT_BYTES: u32 = 0x00ff_00ff;
const EVERY_HALF: u32 = 0x8000_8000;
const COMPLEMENT_HALF: u32 = 0x0000_00ff;
/// Two texels' bytes, component by component.
const BY_COMPONENT: u64 = 0x0703_0602_0501_0400;
/// The same of the first two components, and of the others: bytes of the first texel and of the second.
const PAIRS_OF_COMPONENTS: [[u32; 2]; 2] = [[0x8001_8000, 0x0180_0080], [0x8003_8002, 0x0380_0280]];
/// The low word twice.
const TWICE: u64 = 0x0302_0100_0302_0100;
/// Flips the sign of every byte.
const SIGNS: u64 = 0x8080_8080_8080_8080;
/// Integers below 2^22, added to it, are the low bits of a float.
const SHIFT: f32 = 12_582_912.0;
/// From a coordinate in 256ths of a texel to the 256th that its centred filter is in, rounded to nearest:
/// half a texel and half a 256th, but a little less, so that what lies on a 256th stays there.
const CENTRE: f32 = -128.5 + 1.0 / 64.0;

/// Whether all of a sampler's results on a view's levels are linear filters of this kind.
pub(super) fn is_packed(view: &ViewKey, key: &SamplerKey, compares: bool) -> bool {
    let linear = key.mag == Filter::Linear && key.min == Filter::Linear;
    let flat = matches!(view.view_type, ViewType::D2 | ViewType::D2Array);
    linear
        && flat
        && !compares
        && !key.unnormalized
        && key.reduction == Reduction::WeightedAverage
        && !key.address[..2].contains(&AddressMode::ClampToBorder)
        && has_bytes(view.format)
}

/// Four components of 8 bits, unsigned normalized.
fn has_bytes(format: Format) -> bool {
    let components = format.info().components;
    !format.is_compressed()
        && components.len() == 4
        && components.iter().all(|component| component.numeric == Numeric::UNorm && component.bits == 8)
}

/// The two texels of one dimension.
struct Axis {
    low: Value,
    high: Value,
    /// Its low byte is the upper texel's share.
    share: Value,
    /// Where the upper texel is the one behind the lower one; nothing: everywhere, or in an image of one
    /// texel, whose upper texel has no share.
    adjacent: Option<Value>,
}

/// The filtered components at a level, as what [`unpacked`] takes.
pub(super) fn filtered(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Level,
) -> Result<Vec<Value>, BuildError> {
    let [mut x, y] = [0, 1].map(|dimension| axis(access, sampling, at, level, dimension));
    let plane = access.plane_offset(level, at.layer, None);
    let rows = [y.low, y.high].map(|row| access.texel_place(plane, level, &[x.low, row]));
    if let Some(has_next) = access.has_next(x.low) {
        x.adjacent = Some(x.adjacent.map_or(has_next, |adjacent| access.b.and(adjacent, has_next)));
        let ends = [y.low, y.high].map(|row| access.texel_place(plane, level, &[x.high, row]));
        let always = access.b.bool(true);
        rows.into_iter().chain(ends).for_each(|place| access.note_residency(place, always));
    }
    // Of each row, red with green and blue with alpha, 16 bits each.
    let halves = match access.pair_windows(level, (x.low, x.adjacent), &rows) {
        None => from_pairs(access, plane, level, &x, &y, rows)?,
        Some(windows) => if_else(
            access,
            windows.is_near,
            |access| {
                let texels = windows.pairs(access);
                let texels = texels.as_chunks().0.iter();
                Ok(texels.flat_map(|&texels| across_texels(access, x.share, texels)).collect())
            },
            |access| from_pairs(access, plane, level, &x, &y, rows),
        )?,
    };
    let halves = halves.as_chunks::<2>().0;
    let b = &mut *access.b;
    let (every, complement) = (b.i32(EVERY_HALF), b.i32(COMPLEMENT_HALF));
    let shares = b.shuffle_bytes(y.share, every);
    let in_y = b.xor(shares, complement);
    let (low_half, high_half, bits) = (b.i32(0xffff), b.i32(0xffff_0000), b.i32(16));
    let mut components = Vec::new();
    for (&upper, &lower) in halves[0].iter().zip(&halves[1]) {
        let (first, second) = (b.and(upper, low_half), b.shl(lower, bits));
        components.push(b.or(first, second));
        let (first, second) = (b.lshr(upper, bits), b.and(lower, high_half));
        components.push(b.or(second, first));
    }
    Ok(components
        .into_iter()
        .map(|component| {
            let sum = b.dot_halves(component, in_y);
            b.convert(Opcode::SToF, sum, Scalar::F32)
        })
        .collect())
}

/// Red, green, blue and alpha of what [`filtered`] gave, or of a mixture of that.
pub(super) fn unpacked(access: &mut Access, values: &[Value]) -> [Value; 4] {
    let format = access.view.format;
    let b = &mut *access.b;
    let middle = b.f32(MIDDLE);
    texel::RGBA.map(|channel| {
        let byte = format.component(channel).map_or(0, |component| component.offset / 8);
        let sum = b.fadd(values[usize::from(byte)], middle);
        pyro_library::texel::divide_by(b, sum, WHOLE)
    })
}

/// The shares of both texels of a row, twice: what products of bytes take.
fn shares_across(b: &mut Builder, share: Value) -> Value {
    let (every, complement) = (b.i32(EVERY_BYTE), b.i32(COMPLEMENT_BYTES));
    let shares = b.shuffle_bytes(share, every);
    b.xor(shares, complement)
}

/// Of two rows of two texels each, which are read lane by lane, what [`across_texels`] gives of each row.
fn from_pairs(
    access: &mut Access,
    plane: Value,
    level: Level,
    x: &Axis,
    y: &Axis,
    rows: [TexelLocation; 2],
) -> Result<Vec<Value>, BuildError> {
    // Places of lanes that were not asked may be at an end, so nothing is read before.
    let pairs = |access: &mut Access| {
        let always = access.b.bool(true);
        Ok(rows.map(|row| load(access, Scalar::I64, MemoryOp::new(Space::Global), row, always)).to_vec())
    };
    let pairs = match x.adjacent {
        None => rows.map(|row| pair(access, row)).to_vec(),
        Some(adjacent) => {
            let apart = access.b.not(adjacent);
            let apart_somewhere = is_anywhere(access, apart);
            if_else(
                access,
                apart_somewhere,
                |access| {
                    let ends = [y.low, y.high].map(|row| access.texel_place(plane, level, &[x.high, row]));
                    Ok([0, 1].map(|row| from_two(access, adjacent, rows[row], ends[row])).to_vec())
                },
                pairs,
            )?
        }
    };
    let b = &mut *access.b;
    let shares = shares_across(b, x.share);
    let shares = b.resize_u(shares, Scalar::I64);
    let twice = b.i64(TWICE);
    let in_x = b.shuffle_bytes(shares, twice);
    let (order, signs, word) = (b.i64(BY_COMPONENT), b.i64(SIGNS), b.i64(32));
    let mut halves = Vec::new();
    for row in pairs {
        let bytes = b.shuffle_bytes(row, order);
        let bytes = b.xor(bytes, signs);
        let row = b.dot_bytes(in_x, bytes);
        let high = b.lshr(row, word);
        halves.extend([b.resize_u(row, Scalar::I32), b.resize_u(high, Scalar::I32)]);
    }
    Ok(halves)
}

/// The sums over two texels, by their shares: the first two components with 16 bits each, and the others.
fn across_texels(access: &mut Access, share: Value, texels: [Value; 2]) -> [Value; 2] {
    let b = &mut *access.b;
    let shares = shares_across(b, share);
    let signs = b.i32(SIGNS as u32);
    PAIRS_OF_COMPONENTS.map(|orders| {
        let [low, high] = [0, 1].map(|at| {
            let order = b.i32(orders[at]);
            b.shuffle_bytes(texels[at], order)
        });
        let bytes = b.or(low, high);
        let bytes = b.xor(bytes, signs);
        b.dot_bytes(shares, bytes)
    })
}

/// Whether a condition holds in any lane that is active: the same for all.
pub(super) fn is_anywhere(access: &mut Access, condition: Value) -> Value {
    let b = &mut *access.b;
    let (active, none) = (b.active(), b.i64(0));
    let lanes = b.and(condition, active);
    let lanes = b.ballot(lanes);
    b.ine(lanes, none)
}

fn load(
    access: &mut Access,
    scalar: Scalar,
    memory: MemoryOp,
    place: TexelLocation,
    predicate: Value,
) -> Value {
    let address = access.address();
    access.b.load(scalar, memory, address, place.offset, predicate)
}

/// Two texels side by side; the second one the higher.
fn pair(access: &mut Access, place: TexelLocation) -> Value {
    let (memory, always) = (access.texel_memory(Space::Global), access.b.bool(true));
    load(access, Scalar::I64, memory, place, always)
}

/// Two texels that are side by side in some lanes only.
fn from_two(access: &mut Access, adjacent: Value, low: TexelLocation, high: TexelLocation) -> Value {
    let memory = access.texel_memory(Space::Global);
    let apart = access.b.not(adjacent);
    let both = load(access, Scalar::I64, memory, low, adjacent);
    let [low, high] = [low, high].map(|place| {
        let texel = load(access, Scalar::I32, memory, place, apart);
        access.b.resize_u(texel, Scalar::I64)
    });
    let b = &mut *access.b;
    let word = b.i64(32);
    let high = b.shl(high, word);
    let texels = b.or(low, high);
    b.or(both, texels)
}

fn axis(access: &mut Access, sampling: &Sampling, at: &Projected, level: Level, dimension: usize) -> Axis {
    let extent = access.extent(dimension, level);
    let (mode, offset) = (sampling.key.address[dimension], at.offsets.get(dimension).copied());
    let coordinate = at.coordinates[dimension];
    if offset.is_none() && mode == AddressMode::ClampToEdge {
        return clamped(access, coordinate, extent);
    }
    if offset.is_none() && mode == AddressMode::Repeat {
        // The upper index counts where tiles end, too.
        return repeated(access, coordinate, extent, dimension == 0 && !access.view.sparse);
    }
    let rule = Rule {
        mode,
        filter: Filter::Linear,
        unnormalized: false,
        gathers: false,
        at_corners: access.view.corner_sampled,
    };
    let axis = address::axis(access, coordinate, extent, rule, offset);
    let b = &mut *access.b;
    let (zero, one, fractions, most) = (b.f32(0.0), b.i32(1), b.f32(256.0), b.f32(255.0));
    let half = b.f32(CENTRE + 128.0);
    let share = b.mad(axis.weight.unwrap_or(zero), fractions, half);
    let share = b.fmin(share, most);
    let (_, share) = split(access, share);
    let b = &mut *access.b;
    let next = b.iadd(axis.indices[0], one);
    let adjacent = Some(b.ieq(next, axis.indices[1]));
    Axis { low: axis.indices[0], high: axis.indices[1], share, adjacent }
}

fn clamped(access: &mut Access, coordinate: Value, extent: Value) -> Axis {
    let at_corners = access.view.corner_sampled;
    let scale = access.scale_of(extent);
    let b = &mut *access.b;
    let fractions = b.f32(256.0);
    let scale = b.fmul(scale, fractions);
    // The last place still has two texels, and the upper one has all of the share. Centres at corners are
    // half a texel before others.
    let (centre, end) = if at_corners { (CENTRE + 128.0, -1.0) } else { (CENTRE, -257.0) };
    let (centre, end, zero) = (b.f32(centre), b.f32(end), b.f32(0.0));
    let last = b.fadd(scale, end);
    let place = b.mad(coordinate, scale, centre);
    let place = b.fmin(place, last);
    let place = b.fmax(place, zero);
    let (low, share) = split(access, place);
    let b = &mut *access.b;
    let one = b.i32(1);
    let (next, last) = (b.iadd(low, one), b.isub(extent, one));
    Axis { low, high: b.smin(next, last), share, adjacent: None }
}

/// Where pairs are read, the upper index only counts in lanes whose texels are apart.
fn repeated(access: &mut Access, coordinate: Value, extent: Value, in_pairs: bool) -> Axis {
    let b = &mut *access.b;
    let (centre, fractions) = (b.f32(CENTRE), b.f32(256.0));
    let whole = b.ffloor(coordinate);
    let fraction = b.fsub(coordinate, whole);
    // The same for all levels.
    let fraction = b.fmul(fraction, fractions);
    let size = b.convert(Opcode::SToF, extent, Scalar::F32);
    let place = b.mad(fraction, size, centre);
    let place = b.fmax(place, centre);
    let (low, share) = split(access, place);
    let b = &mut *access.b;
    // The lower index is at least -1, the greatest number without a sign; the upper one is at most the
    // extent.
    let (zero, one) = (b.i32(0), b.i32(1));
    let last = b.isub(extent, one);
    let adjacent = Some(b.ult(low, last));
    let high = if in_pairs {
        zero
    } else {
        let next = b.iadd(low, one);
        let inside = b.ult(next, extent);
        b.select(inside, next, zero)
    };
    Axis { low: b.umin(low, last), high, share, adjacent }
}

/// The texel and the share of a place in 256ths of texels.
fn split(access: &mut Access, place: Value) -> (Value, Value) {
    let b = &mut *access.b;
    let (shift, bits, start) = (b.f32(SHIFT), b.i32(8), b.i32(SHIFT.to_bits() >> 8));
    let sum = b.fadd(place, shift);
    let share = b.bitcast(sum, Scalar::I32);
    let texel = b.lshr(share, bits);
    (b.isub(texel, start), share)
}
