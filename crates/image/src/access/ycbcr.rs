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
    let luma = ViewKey { conversion: None, ..*access.view };
    let plane = |access: &mut Access, view: &ViewKey, number: usize, coordinates: &[Value], key| {
        let image = match number {
            0 => access.image,
            _ => {
                let bytes = access.b.i64((number * size_of::<ImageRecord>()) as u64);
                access.b.iadd(access.image, bytes)
            }
        };
        let sampling = Sampling { key, ..sampling.clone() };
        let mut access = Access { b: &mut *access.b, view, image, inline: None, stage: Stage::Decoded };
        sampled(&mut access, &sampling, input, coordinates, mode, min_lod)
    };
    let mut values = plane(access, &luma, 0, coordinates, sampling.key)?;
    let chroma = conversion.planes.iter().flatten().count();
    if chroma > 0 {
        let mut key = sampling.key;
        (key.mag, key.min) = (conversion.chroma_filter, conversion.chroma_filter);
        let moved: Vec<Value> = coordinates
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
            let texel = plane(access, &view, index + 1, &moved, key)?;
            both.extend_from_slice(&texel[..if chroma == 1 { 2 } else { 1 }]);
        }
        // Red takes red chroma, blue takes blue.
        (values[1], values[2], values[0]) = (values[0], both[0], both[1]);
        values[3] = access.b.f32(1.0);
    }
    let (zero, one) = (access.b.f32(0.0), access.b.f32(1.0));
    let values = conversion.components.map(|swizzle| match swizzle.component() {
        Some(index) => values[index],
        None if swizzle == Swizzle::One => one,
        None => zero,
    });
    Ok(to_rgb(access, conversion, values).to_vec())
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
        b.fma(value, scale, offset)
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
        b.fma(value, weight, sum)
    };
    let red = weigh(y, 2.0 * (1.0 - kr), cr);
    let blue = weigh(y, 2.0 * (1.0 - kb), cb);
    let green = weigh(y, -2.0 * kb * (1.0 - kb) / kg, cb);
    let green = weigh(green, -2.0 * kr * (1.0 - kr) / kg, cr);
    [red, green, blue, a]
}
