//! Texels of one level, and how they are put together (Vulkan, "Texel Filtering").

use super::address::{Axis, Rule, axis};
use super::sample::{Projected, Sampling};
use super::{
    Access, BuildError, Level, Stage, TexelLocation, compressed, cube, cubic, if_else, packed, repeat,
    small_integer,
};
use crate::format::Aspect;
use crate::key::{AddressMode, CompareOp, Filter, Reduction};
use crate::texel;
use pyro_abi::image::image_offset as field;
use pyro_ir::{Scalar, Space, Value};
use pyro_library::Ops;

/// The texels that one filter meets: bit `d` of an index says whether it is the upper one in dimension `d`.
/// Of cubic filters, two bits say which of four it is.
pub(super) struct Taps {
    pub(super) places: Vec<TexelLocation>,
    pub(super) borders: Vec<Option<Value>>,
    /// The upper texels' shares in each dimension (of cubic filters, the fraction); none for nearest.
    pub(super) weights: Vec<Value>,
    /// For linear filters of all but cubes.
    pub(super) adjacent: Option<Adjacent>,
    /// For each tap, whether it is a cube's corner, where there is no texel.
    pub(super) corners: Option<Vec<Value>>,
}

/// Where texels lie side by side.
pub(super) struct Adjacent {
    level: Level,
    /// The lower texel's column.
    column: Value,
    /// Where the upper one in x lies right behind it.
    holds: Value,
}

/// The filtered value at a level: four components, one after comparison.
pub(super) fn filtered(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Level,
    filter: Filter,
) -> Result<Vec<Value>, BuildError> {
    if access.stage == Stage::Packed {
        return packed::filtered(access, sampling, at, level);
    }
    let filter = match filter {
        Filter::Cubic if access.view.view_type.is_cube() => Filter::Linear,
        other => other,
    };
    let taps = taps(access, sampling, at, level, filter, false)?;
    if filter == Filter::Cubic {
        return cubic::filtered(access, sampling, &taps);
    }
    let Some(any) = any_corner(access, &taps) else {
        let texels = present(access, sampling, &taps)?;
        return mixed(access, sampling, texels, &taps.weights);
    };
    // Texels are few values less than their components: both ways load and mix by themselves.
    if_else(
        access,
        any,
        |access| {
            let texels = present(access, sampling, &taps)?;
            let texels = with_corners(access, texels, &taps);
            mixed(access, sampling, texels, &taps.weights)
        },
        |access| {
            let texels = present(access, sampling, &taps)?;
            mixed(access, sampling, texels, &taps.weights)
        },
    )
}

/// Texels put together by the shares in each dimension.
fn mixed(
    access: &mut Access,
    sampling: &Sampling,
    mut texels: Vec<Vec<Value>>,
    weights: &[Value],
) -> Result<Vec<Value>, BuildError> {
    for &weight in weights {
        texels = texels.chunks(2).map(|pair| mix(access, sampling, &pair[0], &pair[1], weight)).collect();
    }
    texels.pop().ok_or(BuildError::Invalid("no texel"))
}

/// The four texels of a level that a linear filter would meet, in gathering order: (0, 1), (1, 1), (1, 0),
/// (0, 0).
pub(super) fn gathered(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Level,
) -> Result<[Vec<Value>; 4], BuildError> {
    let taps = taps(access, sampling, at, level, Filter::Linear, true)?;
    let texels = texels(access, sampling, &taps)?;
    let [low, right, below, opposite] = <[Vec<Value>; 4]>::try_from(texels)
        .map_err(|_| BuildError::Invalid("gathering in other than two dimensions"))?;
    Ok([below, opposite, right, low])
}

/// The texel of a level that a nearest filter meets.
pub(super) fn picked(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Level,
) -> Result<Vec<Value>, BuildError> {
    let taps = taps(access, sampling, at, level, Filter::Nearest, true)?;
    texels(access, sampling, &taps)?.pop().ok_or(BuildError::Invalid("no texel"))
}

/// Two values put together: by the second one's share, or by the reduction mode, where a share of nothing
/// counts for nothing.
pub(super) fn mix(
    access: &mut Access,
    sampling: &Sampling,
    first: &[Value],
    second: &[Value],
    share: Value,
) -> Vec<Value> {
    let b = &mut *access.b;
    let zero = b.f32(0.0);
    let nothing = b.feq(share, zero);
    let mut one = |(&x, &y): (&Value, &Value)| {
        let both = match sampling.key.reduction {
            Reduction::WeightedAverage | Reduction::RangeClamp => {
                let step = b.fsub(y, x);
                return b.mad(share, step, x);
            }
            Reduction::Min => b.fmin(x, y),
            Reduction::Max => b.fmax(x, y),
        };
        b.select(nothing, x, both)
    };
    first.iter().zip(second).map(&mut one).collect()
}

fn taps(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Level,
    filter: Filter,
    gathers: bool,
) -> Result<Taps, BuildError> {
    let view = *access.view;
    let dimensions = view.view_type.dimensions();
    let seamless = view.view_type.is_cube() && !sampling.key.non_seamless_cube;
    if seamless && filter == Filter::Linear {
        return cube_taps(access, at, level);
    }
    let axes: Vec<Axis> = (0..dimensions)
        .map(|dimension| {
            let extent = access.extent(dimension, level);
            let mode = if seamless { AddressMode::ClampToEdge } else { sampling.key.address[dimension] };
            let unnormalized = sampling.key.unnormalized;
            let rule = Rule { mode, filter, unnormalized, gathers, at_corners: view.corner_sampled };
            axis(access, at.coordinates[dimension], extent, rule, at.offsets.get(dimension).copied())
        })
        .collect();
    let plane = access.plane_offset(level, at.layer, None);
    let per_axis = axes[0].indices.len();
    let mut taps = Taps {
        places: Vec::new(),
        borders: Vec::new(),
        weights: axes.iter().filter_map(|axis| axis.weight).collect(),
        adjacent: None,
        corners: None,
    };
    if let [low, high] = axes[0].indices[..] {
        let one = access.b.i32(1);
        let next = access.b.iadd(low, one);
        let adjacent = access.b.ieq(high, next);
        let holds = match access.has_next(low) {
            Some(has_next) => access.b.and(adjacent, has_next),
            None => adjacent,
        };
        taps.adjacent = Some(Adjacent { level, column: low, holds });
    }
    let (bits, mask) = (per_axis.ilog2() as usize, per_axis - 1);
    for tap in 0..per_axis.pow(dimensions as u32) {
        let indices: Vec<Value> = axes
            .iter()
            .enumerate()
            .map(|(dimension, axis)| axis.indices[tap >> (bits * dimension) & mask])
            .collect();
        let place = access.texel_place(plane, level, &indices);
        taps.places.push(place);
        let borders = axes
            .iter()
            .enumerate()
            .filter_map(|(dimension, axis)| axis.borders[tap >> (bits * dimension) & mask])
            .collect::<Vec<_>>();
        let border = borders.into_iter().reduce(|x, y| access.b.or(x, y));
        let counts = match border {
            Some(border) => access.b.not(border),
            None => access.b.bool(true),
        };
        access.note_residency(place, counts);
        taps.borders.push(border);
    }
    Ok(taps)
}

/// The four texels of a cube's linear filter: some may be on neighbouring faces.
fn cube_taps(access: &mut Access, at: &Projected, level: Level) -> Result<Taps, BuildError> {
    let width = access.extent(0, level);
    let b = &mut *access.b;
    let size = b.convert(pyro_ir::Opcode::SToF, width, Scalar::F32);
    let (zero, half, one) = (b.f32(0.0), b.f32(0.5), b.i32(1));
    let mut lows = Vec::new();
    let mut weights = Vec::new();
    for &coordinate in &at.coordinates[..2] {
        let scaled = b.fmul(coordinate, size);
        let scaled = b.fmax(scaled, zero);
        let scaled = b.fmin(scaled, size);
        let centred = b.fsub(scaled, half);
        let low = b.ffloor(centred);
        weights.push(b.fsub(centred, low));
        lows.push(small_integer(b, low));
    }
    let highs: Vec<Value> = lows.iter().map(|&low| b.iadd(low, one)).collect();
    let indices = |tap: usize| [[lows[0], highs[0]][tap & 1], [lows[1], highs[1]][tap >> 1]];
    let beyond = |b: &mut pyro_ir::Builder, index: Value| {
        let inside = b.ult(index, width);
        b.not(inside)
    };
    let outside: Vec<[Value; 2]> = (0..4).map(|tap| indices(tap).map(|index| beyond(b, index))).collect();
    let corners = outside.iter().map(|&[x, y]| b.and(x, y)).collect();
    let (far, near) = (outside[3], outside[0]);
    let any = [far[1], near[0], near[1]].into_iter().fold(far[0], |sum, flag| b.or(sum, flag));
    let (layer, face) = (at.layer, at.face);
    // Most footprints lie within their face.
    let values = if_else(
        access,
        any,
        |access| {
            let places = (0..4)
                .map(|tap| {
                    let number = face.unwrap_or(one);
                    let (new_face, index) = cube::across_edge(access, number, indices(tap), width);
                    // `layer` is that of `face`.
                    let layer = layer.map(|layer| {
                        let step = access.b.isub(new_face, number);
                        access.b.iadd(layer, step)
                    });
                    let plane = access.plane_offset(level, layer, None);
                    access.texel_place(plane, level, &index)
                })
                .collect::<Vec<TexelLocation>>();
            Ok(flat(places))
        },
        |access| {
            let plane = access.plane_offset(level, layer, None);
            let places = (0..4)
                .map(|tap| access.texel_place(plane, level, &indices(tap)))
                .collect::<Vec<TexelLocation>>();
            Ok(flat(places))
        },
    )?;
    let places = values.chunks(values.len() / 4).map(TexelLocation::of).collect::<Vec<_>>();
    let always = access.b.bool(true);
    places.iter().for_each(|&place| access.note_residency(place, always));
    Ok(Taps { places, borders: vec![None; 4], weights, adjacent: None, corners: Some(corners) })
}

/// Places as the values that go through a branch.
fn flat(places: Vec<TexelLocation>) -> Vec<Value> {
    places.into_iter().flat_map(TexelLocation::values).collect()
}

/// The words of texels of four bytes, two by two where they lie side by side: gathering is most of the work.
fn pairs(access: &mut Access, places: &[TexelLocation], adjacent: Value) -> Result<Vec<Value>, BuildError> {
    let address = access.address();
    let memory = access.texel_memory(Space::Global);
    if_else(
        access,
        adjacent,
        |access| {
            let mut words = Vec::new();
            for pair in places.chunks(2) {
                // Others' eight bytes may go beyond the image.
                let both = access.b.load(Scalar::I64, memory, address, pair[0].offset, adjacent);
                let half = access.b.i64(32);
                let high = access.b.lshr(both, half);
                words.push(access.b.resize_u(both, Scalar::I32));
                words.push(access.b.resize_u(high, Scalar::I32));
            }
            Ok(words)
        },
        |access| {
            let always = access.b.bool(true);
            let word =
                |place: &TexelLocation| access.b.load(Scalar::I32, memory, address, place.offset, always);
            Ok(places.iter().map(word).collect())
        },
    )
}

/// The words of texels of eight bytes.
fn doubles(access: &mut Access, places: &[TexelLocation]) -> Vec<Value> {
    let (format, address, always) = (access.view.format, access.address(), access.b.bool(true));
    let memory = access.texel_memory(Space::Global);
    let words =
        |place: &TexelLocation| texel::load_words(access.b, format, memory, address, place.offset, always);
    places.iter().flat_map(words).collect()
}

/// The decoded texels at places that are in range.
fn loaded(access: &mut Access, taps: &Taps) -> Result<Vec<[Value; 4]>, BuildError> {
    let always = access.b.bool(true);
    let places = &taps.places;
    let bytes = access.view.format.block_bytes();
    if let Some(Adjacent { level, column, holds }) = taps.adjacent
        && matches!(bytes, 4 | 8)
        && !access.view.format.is_compressed()
    {
        let rows: Vec<TexelLocation> = places.iter().step_by(2).copied().collect();
        // Pairs of four bytes in two rows are loaded one by one sooner than windows are found.
        let windows = match (bytes, rows.len()) {
            (4, ..=2) => None,
            _ => access.pair_windows(level, (column, Some(holds)), &rows),
        };
        let one_by_one = |access: &mut Access| match bytes {
            4 => pairs(access, places, holds),
            _ => Ok(doubles(access, places)),
        };
        let words = match windows {
            None => one_by_one(access)?,
            Some(windows) => {
                if_else(access, windows.is_near, |access| Ok(windows.pairs(access)), one_by_one)?
            }
        };
        return Ok(words.chunks(bytes as usize / 4).map(|words| access.decode(words)).collect());
    }
    if let [place] = places[..] {
        return Ok(vec![access.load_near(place, always)?]);
    }
    if !compressed::is_long(access.view.format.info().compression) {
        return places.iter().map(|&place| access.load(place, always, Space::Global)).collect();
    }
    // One after the other, by the same code.
    let (first, zero) = (access.b.i32(0), access.b.f32(0.0));
    let mut start = vec![first];
    start.extend(vec![zero; 4 * places.len()]);
    let state = repeat(
        access,
        &start,
        |access, state| {
            let count = access.b.i32(places.len() as u32);
            access.b.ult(state[0], count)
        },
        |access, state| {
            let b = &mut *access.b;
            let is_turn: Vec<Value> = (0..places.len() as u32)
                .map(|number| {
                    let number = b.i32(number);
                    b.ieq(state[0], number)
                })
                .collect();
            let place = (1..places.len()).fold(places[0].values(), |chosen, number| {
                let values = chosen.into_iter().zip(places[number].values());
                values.map(|(chosen, value)| b.select(is_turn[number], value, chosen)).collect()
            });
            let place = TexelLocation::of(&place);
            let texel = access.load(place, always, Space::Global)?;
            let b = &mut *access.b;
            let one = b.i32(1);
            let mut next = vec![b.iadd(state[0], one)];
            for (index, &old) in state[1..].iter().enumerate() {
                next.push(b.select(is_turn[index / 4], texel[index % 4], old));
            }
            Ok(next)
        },
    )?;
    Ok(state[1..].chunks(4).map(|texel| [texel[0], texel[1], texel[2], texel[3]]).collect())
}

/// The texels at the taps: border colour where it takes their place, compared if the sampler does. Those at
/// corners of cubes are the average of the other three.
pub(super) fn texels(
    access: &mut Access,
    sampling: &Sampling,
    taps: &Taps,
) -> Result<Vec<Vec<Value>>, BuildError> {
    let texels = present(access, sampling, taps)?;
    let Some(any) = any_corner(access, taps) else { return Ok(texels) };
    let count = texels[0].len();
    let fixed = if_else(
        access,
        any,
        |access| Ok(with_corners(access, texels.clone(), taps).concat()),
        |_| Ok(texels.concat()),
    )?;
    Ok(fixed.chunks(count).map(<[Value]>::to_vec).collect())
}

/// Whether one of the taps is a cube's corner.
fn any_corner(access: &mut Access, taps: &Taps) -> Option<Value> {
    taps.corners.as_ref()?.iter().copied().reduce(|x, y| access.b.or(x, y))
}

/// The average of the other three texels in the place of one at a corner, where they are filtered.
fn with_corners(access: &mut Access, texels: Vec<Vec<Value>>, taps: &Taps) -> Vec<Vec<Value>> {
    let Some(corners) = &taps.corners else { return texels };
    let b = &mut *access.b;
    if b.function.ty(texels[0][0]).scalar != Scalar::F32 {
        return texels;
    }
    let third = b.f32(1.0 / 3.0);
    let mut at = |tap: usize, component: usize| {
        let others: Vec<Value> =
            (0..4).filter(|&other| other != tap).map(|other| texels[other][component]).collect();
        let sum = b.fadd(others[0], others[1]);
        let sum = b.fadd(sum, others[2]);
        let average = b.fmul(sum, third);
        b.select(corners[tap], average, texels[tap][component])
    };
    (0..4).map(|tap| (0..texels[tap].len()).map(|component| at(tap, component)).collect()).collect()
}

/// The same as [`texels`], of corners anything.
fn present(access: &mut Access, sampling: &Sampling, taps: &Taps) -> Result<Vec<Vec<Value>>, BuildError> {
    let mut texels = Vec::new();
    for (mut texel, &border) in loaded(access, taps)?.into_iter().zip(&taps.borders) {
        if let Some(border) = border {
            let colour = border_colour(access, sampling);
            for (value, colour) in texel.iter_mut().zip(colour) {
                *value = access.b.select(border, colour, *value);
            }
        }
        texels.push(match sampling.reference {
            Some(reference) => vec![compare(access, sampling, reference, texel[0])],
            None => texel.to_vec(),
        });
    }
    Ok(texels)
}

/// The border colour as the format's values; what the format lacks is 0, alpha 1.
fn border_colour(access: &mut Access, sampling: &Sampling) -> [Value; 4] {
    let view = *access.view;
    let scalar = texel::value_scalar(view.format, view.aspect);
    let present = texel::aspect_components(view.format, view.aspect);
    let (zero, one) = access.zero_and_one();
    [0, 1, 2, 3].map(|index| {
        if present[index].is_none() {
            return if index == 3 { one } else { zero };
        }
        let at = field::SAMPLER_BORDER + 4 * index as u32;
        let bits = sampling.field(access, Scalar::I32, at);
        let wide = access.b.resize_u(bits, scalar.to_int());
        access.b.bitcast(wide, scalar)
    })
}

/// 1 where the reference compares so to the texel, else 0.
fn compare(access: &mut Access, sampling: &Sampling, reference: Value, texel: Value) -> Value {
    let clamped = access.view.aspect == Aspect::Depth && access.view.format.is_fixed_point_depth();
    let b = &mut *access.b;
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let reference = if clamped {
        let low = b.fmax(reference, zero);
        b.fmin(low, one)
    } else {
        reference
    };
    let passes = match sampling.key.compare.unwrap_or(CompareOp::Never) {
        CompareOp::Never => b.bool(false),
        CompareOp::Always => b.bool(true),
        CompareOp::Less => b.flt(reference, texel),
        CompareOp::LessOrEqual => b.fle(reference, texel),
        CompareOp::Greater => b.flt(texel, reference),
        CompareOp::GreaterOrEqual => b.fle(texel, reference),
        CompareOp::Equal => b.feq(reference, texel),
        CompareOp::NotEqual => b.fne(reference, texel),
    };
    b.select(passes, one, zero)
}
