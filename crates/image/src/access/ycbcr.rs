//! Sampling with a Y'CbCr conversion (Vulkan, "Sampler Y'CbCr Conversion"): planes put together with implicit
//! chroma reconstruction, then range and model.

use super::sample::{Input, Sampling, sampled};
use super::{Access, BuildError, Level, Stage};
use crate::key::{Conversion, Filter, Model, Swizzle, ViewKey};
use pyro_abi::ImageRecord;
use pyro_abi::image::LodMode;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

/// The converted value at the coordinates.
pub(super) fn converted(
    access: &mut Access,
    sampling: &Sampling,
    input: &Input,
    coordinates: &[Value],
    mode: LodMode,
    min_lod: bool,
    conversion: &Conversion,
) -> Result<Vec<Value>, BuildError> {
    let at = Place { sampling, input, coordinates, mode, min_lod };
    let [luma, chroma] = conversion.degamma;
    let is_encoded = [chroma, luma, chroma, false];
    // What encoded components, and what others, are made of.
    let sources = |encoded: bool| {
        let made = conversion.components.iter().zip(is_encoded).filter(move |(_, one)| *one == encoded);
        made.filter_map(|(swizzle, _)| swizzle.component()).fold(0_u8, |mask, index| mask | 1 << index)
    };
    let (linear, plain) = (sources(true), sources(false));
    let encoded = components(access, &at, conversion, linear)?;
    // One source may be both.
    let others = if linear & plain == 0 { encoded } else { components(access, &at, conversion, 0)? };
    let (zero, one) = (access.b.f32(0.0), access.b.f32(1.0));
    let values = [0, 1, 2, 3].map(|index: usize| {
        let values = if is_encoded[index] { &encoded } else { &others };
        match conversion.components[index].component() {
            Some(source) => values[source],
            None if conversion.components[index] == Swizzle::One => one,
            None => zero,
        }
    });
    Ok(to_rgb(access, conversion, values).to_vec())
}

/// Where and how planes are sampled.
struct Place<'a> {
    sampling: &'a Sampling,
    input: &'a Input,
    coordinates: &'a [Value],
    mode: LodMode,
    min_lod: bool,
}

/// Chroma and luma, put together: red chroma, luma, blue chroma, alpha. Those of the mask, from red on, are
/// encoded as sRGB is.
fn components(
    access: &mut Access,
    at: &Place<'_>,
    conversion: &Conversion,
    linear: u8,
) -> Result<[Value; 4], BuildError> {
    let luma = ViewKey { conversion: None, ..*access.view };
    let plane = |access: &mut Access, view: &ViewKey, number: usize, coordinates: &[Value], key, linear| {
        let image = match number {
            0 => access.image,
            _ => {
                let bytes = access.b.i64((number * size_of::<ImageRecord>()) as u64);
                access.b.iadd(access.image, bytes)
            }
        };
        let sampling = Sampling { key, ..at.sampling.clone() };
        let stage = if linear == 0 { Stage::Decoded } else { Stage::Linear(linear) };
        let mut access = Access { b: &mut *access.b, view, image, inline: None, stage };
        sampled(&mut access, &sampling, at.input, coordinates, at.mode, at.min_lod)
    };
    let chroma = conversion.planes.iter().flatten().count();
    // Luma is the first component of its plane, and green.
    let bit = |component: u32| u8::from(linear & 1 << component != 0);
    let first = if chroma > 0 { bit(1) } else { linear };
    let values = plane(access, &luma, 0, at.coordinates, at.sampling.key, first)?;
    let mut values = [values[0], values[1], values[2], values[3]];
    if chroma > 0 {
        let mut key = at.sampling.key;
        (key.mag, key.min) = (conversion.chroma_filter, conversion.chroma_filter);
        let moved: Vec<Value> = at
            .coordinates
            .iter()
            .enumerate()
            .map(|(axis, &coordinate)| {
                let cosited = conversion.halved.get(axis) == Some(&true) && conversion.cosited[axis];
                if !cosited || conversion.chroma_filter == Filter::Nearest {
                    return coordinate;
                }
                // Half a texel of luma further.
                let extent = access.extent(axis, Level::First);
                let extent = access.b.convert(Opcode::SToF, extent, Scalar::F32);
                let half = access.b.f32(0.5);
                let step = access.b.fdiv(half, extent);
                access.b.fadd(coordinate, step)
            })
            .collect();
        let mut both = Vec::new();
        for (index, &format) in conversion.planes.iter().flatten().enumerate() {
            let view = ViewKey { format, ..luma };
            let linear = match (chroma, index) {
                (1, _) => bit(2) | bit(0) << 1,
                (_, 0) => bit(2),
                _ => bit(0),
            };
            let texel = plane(access, &view, index + 1, &moved, key, linear)?;
            both.extend_from_slice(&texel[..if chroma == 1 { 2 } else { 1 }]);
        }
        // Red takes red chroma, blue takes blue.
        (values[1], values[2], values[0]) = (values[0], both[0], both[1]);
        values[3] = access.b.f32(1.0);
    }
    Ok(values)
}

/// Range expansion and model conversion.
fn to_rgb(access: &mut Access, conversion: &Conversion, [r, g, b_, a]: [Value; 4]) -> [Value; 4] {
    let b = &mut *access.b;
    if conversion.model == Model::RgbIdentity {
        return [r, g, b_, a];
    }
    let most = (1u64 << conversion.bits) as f64 - 1.0;
    let step = (1u64 << (conversion.bits - 8)) as f64;
    // value * scale - offset.
    let (luma, chroma) = if conversion.narrow {
        ((most / (219.0 * step), 16.0 / 219.0), (most / (224.0 * step), 128.0 / 224.0))
    } else {
        ((1.0, 0.0), (1.0, 128.0 * step / most))
    };
    let mut expand = |value: Value, (scale, offset): (f64, f64)| {
        let (scale, offset) = (b.f32(scale as f32), b.f32(-offset as f32));
        b.mad(value, scale, offset)
    };
    let (cr, y, cb) = (expand(r, chroma), expand(g, luma), expand(b_, chroma));
    // Weights of red and of blue in luma.
    let (kr, kb) = match conversion.model {
        Model::RgbIdentity | Model::YcbcrIdentity => return [cr, y, cb, a],
        Model::Ycbcr709 => (0.2126, 0.0722),
        Model::Ycbcr601 => (0.299, 0.114),
        Model::Ycbcr2020 => (0.2627, 0.0593),
    };
    let kg: f64 = 1.0 - kr - kb;
    let mut weigh = |sum: Value, weight: f64, value: Value| {
        let weight = b.f32(weight as f32);
        b.mad(value, weight, sum)
    };
    let red = weigh(y, 2.0 * (1.0 - kr), cr);
    let blue = weigh(y, 2.0 * (1.0 - kb), cb);
    let green = weigh(y, -2.0 * kb * (1.0 - kb) / kg, cb);
    let green = weigh(green, -2.0 * kr * (1.0 - kr) / kg, cr);
    [red, green, blue, a]
}
