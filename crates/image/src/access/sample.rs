//! Sampling, gathering and level of detail queries: coordinates in, levels and filters put together, results
//! out.

use super::filter::{filtered, gathered, mix, picked};
use super::lod::{self, Anisotropy, Footprint};
use super::{Access, BuildError, Level, Stage, cube, if_else, packed, repeat, ycbcr};
use crate::format::NumericClass;
use crate::key::{AddressMode, Filter, Reduction, SamplerKey, ViewKey};
use crate::texel;
use pyro_abi::image::{GatherSource, ImageOp, LodMode, image_offset as field, record};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

/// The sampler's side of an operation.
#[derive(Clone)]
pub(super) struct Sampling {
    pub(super) key: SamplerKey,
    /// Address of the sampler's record.
    pub(super) record: Value,
    /// What texels are compared with.
    pub(super) reference: Option<Value>,
}

impl Sampling {
    /// A field of the sampler record.
    pub(super) fn field(&self, access: &mut Access, scalar: Scalar, offset: u32) -> Value {
        super::context_load(access.b, scalar, self.record, offset)
    }
}

/// Coordinates on the image.
#[derive(Clone)]
pub(super) struct Projected {
    /// One for each dimension of a layer.
    pub(super) coordinates: Vec<Value>,
    /// Texel offsets, if the operation has them.
    pub(super) offsets: Vec<Value>,
    /// Array layer, in range; of cubes, with the face.
    pub(super) layer: Option<Value>,
    /// Face of a cube.
    pub(super) face: Option<Value>,
}

/// The sampler's state as it holds for a view.
fn effective_key(view: &ViewKey, key: &SamplerKey) -> SamplerKey {
    let mut key = *key;
    if view.numeric_class() != NumericClass::Float {
        // Integers have no linear filter.
        (key.mag, key.min, key.mip) = (Filter::Nearest, Filter::Nearest, Filter::Nearest);
        (key.reduction, key.anisotropic) = (Reduction::WeightedAverage, false);
    }
    if view.corner_sampled {
        // Others are not allowed.
        key.address = [AddressMode::ClampToEdge; 3];
    }
    if key.unnormalized {
        (key.mip, key.anisotropic) = (Filter::Nearest, false);
        for mode in &mut key.address {
            // Others are not allowed, and would leave the image.
            if *mode != AddressMode::ClampToBorder {
                *mode = AddressMode::ClampToEdge;
            }
        }
    }
    key
}

/// The sampler's side of an operation without a reference.
///
/// # Errors
/// When the view is not sampled.
pub(super) fn sampling(access: &mut Access, key: &SamplerKey) -> Result<Sampling, BuildError> {
    let view = *access.view;
    if view.multisampled || view.view_type == crate::key::ViewType::Buffer {
        return Err(BuildError::Invalid("sampling a multisampled image or a buffer"));
    }
    if !view.format.features().sampled {
        return Err(BuildError::Invalid("sampling a format that is not sampled"));
    }
    let key = effective_key(&view, key);
    Ok(Sampling { key, record: access.sampler_record(), reference: None })
}

/// Writes the operation's function.
pub(super) fn operate(access: &mut Access, key: &SamplerKey, op: ImageOp) -> Result<(), BuildError> {
    let view = *access.view;
    let mut sampling = sampling(access, key)?;
    let key = sampling.key;
    let (dref, with_offset) = match op {
        ImageOp::Sample { dref, offset, .. } => (dref, offset),
        ImageOp::Gather { source, offset, .. } => (source == GatherSource::Dref, offset),
        ImageOp::Pick { .. } => (false, true),
        _ => (false, false),
    };
    if dref {
        if key.compare.is_none() || view.numeric_class() != NumericClass::Float {
            return Err(BuildError::Invalid("a depth comparison without comparing sampler"));
        }
        sampling.reference = Some(access.column(record::DREF, Scalar::F32));
    }
    let count = view.view_type.coordinates();
    let coordinates: Vec<Value> =
        (0..count as u32).map(|index| access.column(record::COORDINATE + index, Scalar::F32)).collect();
    let offsets: Vec<Value> = match with_offset && !view.view_type.is_cube() {
        true => (0..count as u32).map(|index| access.column(record::OFFSET + index, Scalar::I32)).collect(),
        false => Vec::new(),
    };
    let input = Input { layer: layer(access), offsets };
    match op {
        ImageOp::QueryLod => {
            let footprint = lod::footprint(access, &sampling, &coordinates, LodMode::Implicit, false);
            let level = lod::queried_level(access, footprint.lod, key.mip);
            access.store_texel(&[level, footprint.unclamped]);
        }
        ImageOp::Gather { source, lod: mode, .. } => {
            let at = input.project(access, &coordinates);
            gather(access, &sampling, &coordinates, &at, (source, mode))?;
        }
        ImageOp::Pick { component } => {
            let at = input.project(access, &coordinates);
            let texel = picked(access, &sampling, &at, Level::First)?;
            let level = access.b.i32(0);
            let whole = within_levels(access, level, &texel);
            let value = access.swizzle(whole)[component as usize];
            access.store_texel(&[value]);
        }
        ImageOp::Sample { lod: mode, min_lod, .. } if view.conversion.is_some() => {
            let Some(conversion) = &view.conversion else { return Ok(()) };
            let values =
                ycbcr::converted(access, &sampling, &input, &coordinates, mode, min_lod, conversion)?;
            access.store_texel(&values);
        }
        ImageOp::Sample { lod: mode, min_lod, .. } => {
            // What is linear in the texels may be scaled at the end.
            let linear = key.mag != Filter::Nearest || key.min != Filter::Nearest;
            let bordered = key.address[..view.view_type.dimensions()].contains(&AddressMode::ClampToBorder);
            access.stage = match () {
                () if packed::is_packed(&view, &key, dref) => Stage::Packed,
                () if !dref && linear && !bordered && texel::is_scalable(view.format) => Stage::Unscaled,
                () => Stage::Decoded,
            };
            let mut values = sampled(access, &sampling, &input, &coordinates, mode, min_lod)?;
            match access.stage {
                Stage::Decoded | Stage::Linear(_) => {}
                Stage::Unscaled => {
                    let whole = [values[0], values[1], values[2], values[3]];
                    values = texel::scale(access.b, view.format, whole).to_vec();
                }
                Stage::Packed => values = packed::unpacked(access, &values).to_vec(),
            }
            match dref {
                true => access.store_texel(&values[..1]),
                false => {
                    let values = access.swizzle([values[0], values[1], values[2], values[3]]);
                    access.store_texel(&values);
                }
            }
        }
        _ => return Err(BuildError::Invalid("no sampling operation")),
    }
    Ok(())
}

/// The texels that a linear filter would take, of one component each.
fn gather(
    access: &mut Access,
    sampling: &Sampling,
    coordinates: &[Value],
    at: &Projected,
    (source, mode): (GatherSource, Option<LodMode>),
) -> Result<(), BuildError> {
    let level = match mode {
        // Texels of two levels cannot be told apart.
        Some(mode) if !access.view.single_level && !sampling.key.unnormalized => {
            let footprint = lod::footprint(access, sampling, coordinates, mode, false);
            let (level, _) = lod::levels(access, footprint.lod, Filter::Nearest, footprint.is_clamped);
            Level::Lane(level)
        }
        _ => Level::First,
    };
    let texels = gathered(access, sampling, at, level)?;
    // Gathering reads one level, which the view's least level of detail may rule out.
    let least = access.least_level();
    let level = match level {
        Level::First => access.b.i32(0),
        Level::Lane(level) => level,
    };
    let is_there = access.b.sle(least, level);
    let (zero, _) = access.zero_and_one();
    let results = texels.map(|texel| match source {
        GatherSource::Dref => access.b.select(is_there, texel[0], zero),
        _ => {
            let whole = [0, 1, 2, 3].map(|index| access.b.select(is_there, texel[index], zero));
            access.swizzle(whole)[source as usize]
        }
    });
    access.store_texel(&results);
    Ok(())
}

/// A texel of a level, zeros where the view's least level of detail rules that level out.
fn within_levels(access: &mut Access, level: Value, texel: &[Value]) -> [Value; 4] {
    let least = access.least_level();
    let is_there = access.b.sle(least, level);
    let (zero, _) = access.zero_and_one();
    [0, 1, 2, 3].map(|index| access.b.select(is_there, texel[index], zero))
}

/// The array layer from the record, in range (of cubes: the first face's); none for images without layers.
fn layer(access: &mut Access) -> Option<Value> {
    let view_type = access.view.view_type;
    if !view_type.is_array() {
        return None;
    }
    let column = record::COORDINATE + view_type.coordinates() as u32;
    let layer = access.column(column, Scalar::F32);
    let layers = access.field(Scalar::I32, field::LAYERS);
    let b = &mut *access.b;
    let layer = b.fround(layer);
    let layer = b.convert(Opcode::FToS, layer, Scalar::I32);
    let (zero, one, six) = (b.i32(0), b.i32(1), b.i32(6));
    let count = if view_type.is_cube() { b.udiv(layers, six) } else { layers };
    let last = b.isub(count, one);
    let layer = b.smin(layer, last);
    let layer = b.smax(layer, zero);
    Some(if view_type.is_cube() { b.imul(layer, six) } else { layer })
}

/// What an operation has besides coordinates.
pub(super) struct Input {
    layer: Option<Value>,
    offsets: Vec<Value>,
}

impl Input {
    /// The coordinates on the image.
    fn project(&self, access: &mut Access, coordinates: &[Value]) -> Projected {
        if !access.view.view_type.is_cube() {
            return Projected {
                coordinates: coordinates.to_vec(),
                offsets: self.offsets.clone(),
                layer: self.layer,
                face: None,
            };
        }
        let projection = cube::project(access, [coordinates[0], coordinates[1], coordinates[2]]);
        let layer = match self.layer {
            Some(layer) => access.b.iadd(layer, projection.face),
            None => projection.face,
        };
        Projected {
            coordinates: projection.at.to_vec(),
            offsets: Vec::new(),
            layer: Some(layer),
            face: Some(projection.face),
        }
    }
}

pub(super) fn sampled(
    access: &mut Access,
    sampling: &Sampling,
    input: &Input,
    coordinates: &[Value],
    mode: LodMode,
    min_lod: bool,
) -> Result<Vec<Value>, BuildError> {
    let key = sampling.key;
    // Where neither filter nor level depends on it, no level of detail is computed.
    let plain = !key.anisotropic && key.mag == key.min && access.view.single_level;
    if plain || key.unnormalized {
        let at = input.project(access, coordinates);
        return filtered(access, sampling, &at, Level::First, key.mag);
    }
    let footprint = lod::footprint(access, sampling, coordinates, mode, min_lod);
    let Footprint { lod, anisotropy, is_clamped, .. } = footprint;
    let Some(anisotropy) = anisotropy else {
        let at = input.project(access, coordinates);
        return on_levels(access, sampling, &at, lod, is_clamped);
    };
    let step = sample_step(access, &anisotropy);
    let b = &mut *access.b;
    let one = b.f32(1.0);
    let components = if sampling.reference.is_some() { 1 } else { 4 };
    let zero = b.f32(0.0);
    let mut start = vec![one];
    start.extend(std::iter::repeat_n(zero, components));
    let results = repeat(
        access,
        &start,
        |access, state| access.b.fle(state[0], anisotropy.count),
        |access, state| {
            let moved = sample_place(access, coordinates, &anisotropy, step, state[0]);
            let at = input.project(access, &moved);
            let values = on_levels(access, sampling, &at, lod, is_clamped)?;
            let b = &mut *access.b;
            let first = b.feq(state[0], one);
            let mut next = vec![b.fadd(state[0], one)];
            for (&sum, value) in state[1..].iter().zip(values) {
                let both = match key.reduction {
                    Reduction::WeightedAverage | Reduction::RangeClamp => {
                        next.push(b.fadd(sum, value));
                        continue;
                    }
                    Reduction::Min => b.fmin(sum, value),
                    Reduction::Max => b.fmax(sum, value),
                };
                next.push(b.select(first, value, both));
            }
            Ok(next)
        },
    )?;
    let b = &mut *access.b;
    Ok(results[1..]
        .iter()
        .map(|&sum| match key.reduction {
            Reduction::WeightedAverage | Reduction::RangeClamp => b.fdiv(sum, anisotropy.count),
            Reduction::Min | Reduction::Max => sum,
        })
        .collect())
}

/// From one sample of an anisotropic filter to the next, as a part of the axis: sample `i` of `n` (from 1)
/// lies at `i / (n + 1) - 1/2` along it.
pub(super) fn sample_step(access: &mut Access, anisotropy: &Anisotropy) -> Value {
    let b = &mut *access.b;
    let one = b.f32(1.0);
    let intervals = b.fadd(anisotropy.count, one);
    b.fdiv(one, intervals)
}

/// The coordinates of such a sample, of this number.
pub(super) fn sample_place(
    access: &mut Access,
    coordinates: &[Value],
    anisotropy: &Anisotropy,
    step: Value,
    number: Value,
) -> Vec<Value> {
    let b = &mut *access.b;
    let half = b.f32(0.5);
    let one = b.f32(1.0);
    let along = b.fmul(number, step);
    let along = b.fsub(along, half);
    let moved: Vec<Value> = coordinates
        .iter()
        .zip(&anisotropy.axis)
        .map(|(&coordinate, &axis)| b.mad(axis, along, coordinate))
        .collect();
    // One sample is the plain one, without the axis' rounding or infinity.
    let single = b.fle(anisotropy.count, one);
    moved
        .into_iter()
        .zip(coordinates)
        .map(|(moved, &coordinate)| b.select(single, coordinate, moved))
        .collect()
}

/// The value at a level of detail (clamped to the view's levels or not): magnified at the first level, or
/// minified.
fn on_levels(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    lod: Value,
    is_clamped: bool,
) -> Result<Vec<Value>, BuildError> {
    let key = sampling.key;
    let minified = |access: &mut Access| -> Result<Vec<Value>, BuildError> {
        if access.view.single_level {
            return filtered(access, sampling, at, Level::First, key.min);
        }
        let (level, share) = lod::levels(access, lod, key.mip, is_clamped);
        let leveled = |access: &mut Access| between_levels(access, sampling, at, level, share);
        if access.stage != Stage::Packed || !access.are_block() {
            return leveled(access);
        }
        // What is magnified needs no level of each lane, so its texels need not wait for the level of detail.
        let b = &mut *access.b;
        let (first, zero) = (b.i32(0), b.f32(0.0));
        let mut is_beyond = b.ine(level, first);
        if let Some(share) = share {
            let between = b.flt(zero, share);
            is_beyond = b.or(is_beyond, between);
        }
        let beyond_first = packed::is_anywhere(access, is_beyond);
        if_else(access, beyond_first, leveled, |access| filtered(access, sampling, at, Level::First, key.min))
    };
    if key.mag == key.min {
        return minified(access);
    }
    let zero = access.b.f32(0.0);
    let is_minified = access.b.flt(zero, lod);
    if_else(access, is_minified, minified, |access| filtered(access, sampling, at, Level::First, key.mag))
}

/// The value at each lane's level, with a share of the next level's where there is one.
fn between_levels(
    access: &mut Access,
    sampling: &Sampling,
    at: &Projected,
    level: Value,
    share: Option<Value>,
) -> Result<Vec<Value>, BuildError> {
    let key = sampling.key;
    let near = filtered(access, sampling, at, Level::Lane(level), key.min)?;
    let Some(share) = share else { return Ok(near) };
    let b = &mut *access.b;
    let zero = b.f32(0.0);
    let between = b.flt(zero, share);
    // What is an integer stays the same without a share, so all lanes may mix it.
    let mixes = match access.stage {
        Stage::Packed => packed::is_anywhere(access, between),
        _ => between,
    };
    let unmixed = near.clone();
    if_else(
        access,
        mixes,
        |access| {
            let one = access.b.i32(1);
            let next = access.b.iadd(level, one);
            // Lanes without a share come here too: one level past their last would be no level.
            let levels = access.field(Scalar::I32, field::LEVELS);
            let last = access.b.isub(levels, one);
            let next = access.b.smin(next, last);
            let far = filtered(access, sampling, at, Level::Lane(next), key.min)?;
            Ok(mix(access, sampling, &near, &far, share))
        },
        |_| Ok(unmixed),
    )
}
