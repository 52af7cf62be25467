//! Which texels a sample would read: `OpImageSampleFootprintNV` (Vulkan, "Texel Footprint Evaluation").
//!
//! The answer is a mask of groups of texels, 8x8 of them in two dimensions and 4x4x4 in three. A group's bit
//! is that of its number within an aligned window of so many groups; the anchor is the last window that has
//! texels in it, and the offset how many columns, rows and slices of the mask are those of the window before.
//!
//! All texels that a filter's formula names count, whatever their weights. Addresses are clamped to the
//! edges, the one mode that Vulkan defines this for.

use super::address::{Rule, axis};
use super::lod::{self, Anisotropy};
use super::sample::{Sampling, sample_place, sample_step, sampling};
use super::{Access, BuildError, Level, repeat};
use crate::key::{AddressMode, Filter, SamplerKey, ViewType};
use pyro_abi::image::{LodMode, image_offset as field, record};
use pyro_ir::{Scalar, Value};
use pyro_library::Ops;

/// The granularities that an image has, with the logarithms of their groups' extents.
struct Granularities {
    all: &'static [(u32, [u32; 3])],
    /// The logarithm of the groups of a mask in each dimension.
    bits: u32,
}

const FLAT: Granularities = Granularities {
    all: &[
        (1, [1, 1, 0]),
        (2, [2, 1, 0]),
        (3, [2, 2, 0]),
        (4, [3, 2, 0]),
        (5, [3, 3, 0]),
        (6, [4, 3, 0]),
        (7, [4, 4, 0]),
        (11, [6, 6, 0]),
        (12, [7, 6, 0]),
        (13, [7, 7, 0]),
        (14, [8, 7, 0]),
        (15, [8, 8, 0]),
    ],
    bits: 3,
};
const DEEP: Granularities = Granularities {
    all: &[
        (1, [1, 1, 1]),
        (3, [2, 2, 1]),
        (10, [4, 4, 4]),
        (11, [5, 4, 4]),
        (12, [5, 5, 4]),
        (13, [5, 5, 5]),
        (14, [6, 5, 5]),
    ],
    bits: 2,
};

impl Granularities {
    /// Four bits for each number: the logarithm of the extent in a dimension. Numbers that there are not have
    /// the extent of the next one, or the last.
    fn packed(&self, dimension: usize) -> u64 {
        (0..16u32).fold(0, |packed, number| {
            let next = self.all.iter().find(|&&(one, _)| one >= number).or(self.all.last());
            packed | u64::from(next.map_or(0, |(_, extents)| extents[dimension])) << (4 * number)
        })
    }
}

/// Indices of the texels of each dimension.
type Indices = Vec<Vec<Value>>;

/// The parts of the operation that do not change from sample to sample.
struct Filtering<'a> {
    sampling: &'a Sampling,
    level: Level,
    /// Where the filter for minification holds, if there are two.
    is_minified: Option<Value>,
}

impl Filtering<'_> {
    fn indices(&self, access: &mut Access, coordinates: &[Value]) -> Indices {
        let key = self.sampling.key;
        let at_corners = access.view.corner_sampled;
        (0..access.view.view_type.dimensions())
            .map(|dimension| {
                let extent = access.extent(dimension, self.level);
                let of = |access: &mut Access, filter: Filter| {
                    let (mode, unnormalized) = (AddressMode::ClampToEdge, key.unnormalized);
                    let rule = Rule { mode, filter, unnormalized, gathers: true, at_corners };
                    axis(access, coordinates[dimension], extent, rule, None).indices
                };
                let mut indices = of(access, key.min);
                if let Some(is_minified) = self.is_minified {
                    let mut magnified = of(access, key.mag);
                    let count = indices.len().max(magnified.len());
                    for indices in [&mut indices, &mut magnified] {
                        indices.resize(count, indices[indices.len() - 1]);
                    }
                    for (index, magnified) in indices.iter_mut().zip(magnified) {
                        *index = access.b.select(is_minified, *index, magnified);
                    }
                }
                indices
            })
            .collect()
    }
}

/// Writes the operation's results ([`record::footprint`]).
pub(super) fn tell(
    access: &mut Access,
    key: &SamplerKey,
    (mode, min_lod): (LodMode, bool),
) -> Result<(), BuildError> {
    let table = match access.view.view_type {
        ViewType::D2 => &FLAT,
        ViewType::D3 => &DEEP,
        _ => {
            return Err(BuildError::Invalid(
                "the footprint of a sample in other than two or three dimensions",
            ));
        }
    };
    let sampling = &sampling(access, key)?;
    let coordinates: Vec<Value> = (0..access.view.view_type.dimensions() as u32)
        .map(|index| access.column(record::COORDINATE + index, Scalar::F32))
        .collect();
    let coordinates = &coordinates[..];
    let requested = access.column(record::footprint::GRANULARITY, Scalar::I32);
    let coarse = access.column(record::footprint::COARSE, Scalar::I32);
    let key = sampling.key;
    let plain = !key.anisotropic && key.mag == key.min && access.view.single_level;
    let found =
        (!plain && !key.unnormalized).then(|| lod::footprint(access, sampling, coordinates, mode, min_lod));
    let zero = access.b.i32(0);
    let (fine, share) = match &found {
        Some(found) if !access.view.single_level => lod::levels(access, found.lod, key.mip, found.is_clamped),
        _ => (zero, None),
    };
    let b = &mut *access.b;
    let nothing = b.f32(0.0);
    let is_between = match share {
        Some(share) => b.flt(nothing, share),
        None => b.bool(false),
    };
    let is_coarse = b.ine(coarse, zero);
    let wants_next = b.and(is_coarse, is_between);
    let is_empty = b.andnot(is_coarse, is_between);
    let level = next_level(access, fine, wants_next);
    let is_minified =
        found.as_ref().filter(|_| key.mag != key.min).map(|found| access.b.flt(nothing, found.lod));
    let at = if access.view.single_level { Level::First } else { Level::Lane(level) };
    let filtering = Filtering { sampling, level: at, is_minified };
    let anisotropy = found.and_then(|found| found.anisotropy);
    let samples = Samples { coordinates, filtering: &filtering, anisotropy: anisotropy.as_ref() };
    let ends = samples.ends(access)?;
    let (granularity, coarsened) = match anisotropy {
        None => (requested, zero),
        Some(_) => granularity_of(access, table, requested, &ends),
    };
    let shifts: Vec<Value> = (0..ends.len())
        .map(|dimension| packed_nibble(access, table.packed(dimension), granularity))
        .collect();
    let mask = samples.mask(access, table.bits, &shifts)?;
    let b = &mut *access.b;
    let none = b.i64(0);
    let mask = b.select(is_empty, none, mask);
    let (mut offsets, mut anchors) = (zero, Vec::new());
    for (dimension, (&[low, high], &shift)) in ends.iter().zip(&shifts).enumerate() {
        let (bits, most) = (b.i32(table.bits), b.i32((1 << table.bits) - 1));
        let [first, last] = [low, high].map(|texel| b.lshr(texel, shift));
        let [before, anchor] = [first, last].map(|group| b.lshr(group, bits));
        let start = b.shl(anchor, bits);
        let columns = b.isub(start, first);
        let columns = b.umin(columns, most);
        let is_one = b.ieq(before, anchor);
        let columns = b.select(is_one, zero, columns);
        let by = b.i32(record::footprint::OFFSET_BITS * dimension as u32);
        let columns = b.shl(columns, by);
        offsets = b.or(offsets, columns);
        anchors.push(b.select(is_empty, zero, anchor));
    }
    let offsets = b.select(is_empty, zero, offsets);
    let (half, one, single) = (b.i64(32), b.i32(1), b.i32(record::footprint::SINGLE));
    let high = b.lshr(mask, half);
    let words = [b.resize_u(mask, Scalar::I32), b.resize_u(high, Scalar::I32)];
    let level = {
        let flag = b.shl(one, single);
        let whole = b.or(level, flag);
        b.select(is_between, level, whole)
    };
    for (column, word) in (record::footprint::MASK..).zip(words) {
        access.store_column(column, word);
    }
    for (column, anchor) in (record::footprint::ANCHOR..).zip(anchors) {
        access.store_column(column, anchor);
    }
    access.store_column(record::footprint::OFFSETS, offsets);
    access.store_column(record::footprint::LEVEL, level);
    access.store_column(record::footprint::COARSENED, coarsened);
    Ok(())
}

/// The level behind this one where asked for, within the view.
fn next_level(access: &mut Access, level: Value, wants_next: Value) -> Value {
    if access.view.single_level {
        return level;
    }
    let levels = access.field(Scalar::I32, field::LEVELS);
    let b = &mut *access.b;
    let one = b.i32(1);
    let last = b.isub(levels, one);
    let next = b.iadd(level, one);
    let next = b.smin(next, last);
    b.select(wants_next, next, level)
}

/// A number's four bits.
fn packed_nibble(access: &mut Access, packed: u64, number: Value) -> Value {
    let b = &mut *access.b;
    let (packed, two, mask) = (b.i64(packed), b.i32(2), b.i32(15));
    let number = b.and(number, mask);
    let by = b.shl(number, two);
    let by = b.resize_u(by, Scalar::I64);
    let bits = b.lshr(packed, by);
    let bits = b.resize_u(bits, Scalar::I32);
    b.and(bits, mask)
}

/// The least granularity from the one asked for on whose groups all fit into a mask, and what is told of it:
/// nothing if it is the one.
fn granularity_of(
    access: &mut Access,
    table: &Granularities,
    requested: Value,
    ends: &[[Value; 2]],
) -> (Value, Value) {
    let b = &mut *access.b;
    let groups = b.i32(1 << table.bits);
    let mut chosen = b.i32(table.all.last().map_or(0, |&(number, _)| number));
    for (number, extents) in table.all.iter().rev() {
        let number = b.i32(*number);
        let mut fits = b.ule(requested, number);
        for (&[low, high], &extent) in ends.iter().zip(extents) {
            let by = b.i32(extent);
            let (low, high) = (b.lshr(low, by), b.lshr(high, by));
            let span = b.isub(high, low);
            let is_within = b.ult(span, groups);
            fits = b.and(fits, is_within);
        }
        chosen = b.select(fits, number, chosen);
    }
    let (zero, same) = (b.i32(0), b.ieq(chosen, requested));
    let told = b.select(same, zero, chosen);
    (chosen, told)
}

/// The samples of which the result is made: one, or several along a line.
struct Samples<'a> {
    coordinates: &'a [Value],
    filtering: &'a Filtering<'a>,
    anisotropy: Option<&'a Anisotropy>,
}

impl Samples<'_> {
    /// Goes from sample to sample: a state becomes the next by the sample's texels.
    fn fold(
        &self,
        access: &mut Access,
        start: Vec<Value>,
        step: impl Fn(&mut Access, &[Value], &Indices) -> Vec<Value>,
    ) -> Result<Vec<Value>, BuildError> {
        let Some(anisotropy) = self.anisotropy else {
            let indices = self.filtering.indices(access, self.coordinates);
            return Ok(step(access, &start, &indices));
        };
        let step_along = sample_step(access, anisotropy);
        let one = access.b.f32(1.0);
        let mut state = vec![one];
        state.extend(start);
        let end = repeat(
            access,
            &state,
            |access, state| access.b.fle(state[0], anisotropy.count),
            |access, state| {
                let moved = sample_place(access, self.coordinates, anisotropy, step_along, state[0]);
                let indices = self.filtering.indices(access, &moved);
                let mut next = vec![access.b.fadd(state[0], one)];
                next.extend(step(access, &state[1..], &indices));
                Ok(next)
            },
        )?;
        Ok(end[1..].to_vec())
    }

    /// The first and the last texel of each dimension.
    fn ends(&self, access: &mut Access) -> Result<Vec<[Value; 2]>, BuildError> {
        let (far, near) = (access.b.i32(i32::MAX as u32), access.b.i32(0));
        let start = [far, near].repeat(access.view.view_type.dimensions());
        let ends = self.fold(access, start, |access, state, indices| {
            // Within one sample, indices ascend.
            let ends = indices.iter().map(|indices| [indices[0], indices[indices.len() - 1]]);
            let state = state.as_chunks::<2>().0.iter();
            let next = state.zip(ends).flat_map(|(&[low, high], [first, last])| {
                [access.b.smin(low, first), access.b.smax(high, last)]
            });
            next.collect()
        })?;
        Ok(ends.as_chunks::<2>().0.to_vec())
    }

    /// The bits of all groups that have a texel.
    fn mask(&self, access: &mut Access, bits: u32, shifts: &[Value]) -> Result<Value, BuildError> {
        let none = access.b.i64(0);
        let mask = self.fold(access, vec![none], |access, state, indices| {
            let b = &mut *access.b;
            let within = b.i32((1 << bits) - 1);
            let mut sum = b.i64(1);
            for (dimension, (indices, &shift)) in indices.iter().zip(shifts).enumerate() {
                let stride = b.i32(bits * dimension as u32);
                let placed: Vec<Value> = indices
                    .iter()
                    .map(|&texel| {
                        let group = b.lshr(texel, shift);
                        let place = b.and(group, within);
                        let place = b.shl(place, stride);
                        let place = b.resize_u(place, Scalar::I64);
                        b.shl(sum, place)
                    })
                    .collect();
                sum = placed.into_iter().reduce(|all, one| b.or(all, one)).unwrap_or(sum);
            }
            vec![b.or(state[0], sum)]
        })?;
        Ok(mask[0])
    }
}
