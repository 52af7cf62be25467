//! Y'CbCr conversions against a plain reference.

use crate::support::Random;
use crate::support::image::{CallRecord, Functions, LANES, TestImage, sampler_record};
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_image::layout::ImageShape;
use pyro_image::{
    AddressMode, Aspect, Conversion, Filter, Format, Model, Planar, SamplerKey, Swizzle, ViewKey, ViewType,
};

const WIDTH: u32 = 12;
const HEIGHT: u32 = 8;

/// The inverse of sRGB's encoding.
fn decoded(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// A component of a plane, filtered at luma texel coordinates; whether it is encoded as sRGB is.
fn component(image: &TestImage, index: usize, [u, v]: [f64; 2], linear: bool, degamma: bool) -> f64 {
    let [width, height, _] = image.layout.shape.extent;
    let texel = |x: f64, y: f64| {
        let at =
            [x.clamp(0.0, f64::from(width) - 1.0) as u32, y.clamp(0.0, f64::from(height) - 1.0) as u32, 0];
        let value = f64::from(f32::from_bits(image.texel(Aspect::Color, 0, 0, 0, at)[index] as u32));
        if degamma { decoded(value) } else { value }
    };
    if !linear {
        return texel(u.floor(), v.floor());
    }
    let (x, y) = ((u - 0.5).floor(), (v - 0.5).floor());
    let (a, b) = (u - 0.5 - x, v - 0.5 - y);
    let row = |y: f64| texel(x, y) * (1.0 - a) + texel(x + 1.0, y) * a;
    row(y) * (1.0 - b) + row(y + 1.0) * b
}

/// The specification's formulas, with the numbers that it gives for BT.709.
fn reference(conversion: &Conversion, [r, g, b]: [f64; 3]) -> [f64; 3] {
    if conversion.model == Model::RgbIdentity {
        return [r, g, b];
    }
    let bits = u32::from(conversion.bits);
    let (most, step) = (2f64.powi(bits as i32) - 1.0, 2f64.powi(bits as i32 - 8));
    let (y, cb, cr) = if conversion.narrow {
        let chroma = |c: f64| (c * most - 128.0 * step) / (224.0 * step);
        ((g * most - 16.0 * step) / (219.0 * step), chroma(b), chroma(r))
    } else {
        let chroma = |c: f64| c - 2f64.powi(bits as i32 - 1) / most;
        (g, chroma(b), chroma(r))
    };
    match conversion.model {
        Model::YcbcrIdentity => [cr, y, cb],
        Model::Ycbcr709 => {
            let green = y - (0.13397432 / 0.7152) * cb - (0.33480248 / 0.7152) * cr;
            [y + 1.5748 * cr, green, y + 1.8556 * cb]
        }
        Model::Ycbcr601 => {
            let green = y - (0.202008 / 0.587) * cb - (0.419198 / 0.587) * cr;
            [y + 1.402 * cr, green, y + 1.772 * cb]
        }
        _ => {
            let green = y - (0.11156702 / 0.6780) * cb - (0.38737742 / 0.6780) * cr;
            [y + 1.4746 * cr, green, y + 1.8814 * cb]
        }
    }
}

#[test]
fn planes_become_colours() {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let mut functions = Functions::default();
    let models =
        [Model::RgbIdentity, Model::YcbcrIdentity, Model::Ycbcr709, Model::Ycbcr601, Model::Ycbcr2020];
    // 3 planes 4:2:0, 2 planes 4:2:2 of 10 bits, 3 planes 4:4:4 of 16 bits, 2 planes 4:2:0 of 14 bits.
    for (round, number) in
        [1_000_156_002, 1_000_156_015, 1_000_156_033, 1_000_156_003, 1_000_609_012].into_iter().enumerate()
    {
        let planar = Planar::from_number(number).expect("multi-planar");
        let mut planes: Vec<TestImage> = (0..planar.planes.len())
            .map(|plane| {
                let extent = planar.extent(plane, [WIDTH, HEIGHT, 1]);
                let format = planar.planes[plane];
                let shape = ImageShape {
                    format,
                    extent,
                    levels: 1,
                    layers: 1,
                    samples: 1,
                    is_3d: false,
                    corner_sampled: false,
                };
                TestImage::random(shape, &mut random)
            })
            .collect();
        let mut records: Vec<_> = planes.iter_mut().map(TestImage::record).collect();
        for model in models {
            let conversion = Conversion {
                planes: [1, 2].map(|plane| planar.planes.get(plane).copied()),
                halved: planar.halved,
                cosited: [round % 2 == 0, round / 2 == 0],
                chroma_filter: random.pick(&[Filter::Nearest, Filter::Linear]),
                model,
                narrow: random.below(2) == 0,
                components: Swizzle::IDENTITY,
                bits: planar.planes[0].info().components[0].bits,
                degamma: [random.below(2) == 0, random.below(2) == 0],
            };
            let luma = random.pick(&[Filter::Nearest, Filter::Linear]);
            let mut view = ViewKey::new(planar.planes[0], Aspect::Color, ViewType::D2, 1);
            view.conversion = Some(conversion);
            let address = [AddressMode::ClampToEdge; 3];
            let key = SamplerKey { mag: luma, min: luma, address, ..SamplerKey::default() };
            let op = ImageOp::Sample { lod: LodMode::Explicit, dref: false, offset: false, min_lod: false };
            let function = functions.get(&view, Some(&key), op);
            let mut call = CallRecord::default();
            // Away from where rounding decides between texels.
            let at: Vec<[f32; 2]> = (0..LANES)
                .map(|_| {
                    [WIDTH, HEIGHT].map(|size| {
                        let texel = random.below(u64::from(size)) as f32 + random.float(0.05, 0.45);
                        texel / size as f32
                    })
                })
                .collect();
            call.floats(record::COORDINATE, at.iter().map(|at| at[0]));
            call.floats(record::COORDINATE + 1, at.iter().map(|at| at[1]));
            call.run(function, &mut records[0], &mut sampler_record([0; 4]));
            for (lane, at) in at.iter().enumerate() {
                let luma_at = [f64::from(at[0]) * f64::from(WIDTH), f64::from(at[1]) * f64::from(HEIGHT)];
                let linear = conversion.chroma_filter == Filter::Linear;
                let chroma_at = [0, 1].map(|axis: usize| match planar.halved[axis] {
                    true if conversion.cosited[axis] && linear => (luma_at[axis] + 0.5) / 2.0,
                    true => luma_at[axis] / 2.0,
                    false => luma_at[axis],
                });
                let chroma = |plane: usize, index: usize| {
                    component(&planes[plane], index, chroma_at, linear, conversion.degamma[1])
                };
                let (blue, red) = if planes.len() == 3 {
                    (chroma(1, 0), chroma(2, 0))
                } else {
                    (chroma(1, 0), chroma(1, 1))
                };
                let green = component(&planes[0], 0, luma_at, luma == Filter::Linear, conversion.degamma[0]);
                let expected = reference(&conversion, [red, green, blue]);
                let result = call.result_floats(lane);
                for (index, expected) in expected.into_iter().enumerate() {
                    let error = (f64::from(result[index]) - expected).abs();
                    assert!(error < 1e-4, "{number} {conversion:?} {at:?}: {result:?}, not {expected}");
                }
                assert_eq!(result[3], 1.0);
            }
        }
    }
    assert_eq!(Format::R10X6_UNORM_PACK16.info().components[0].bits, 10);
}

/// One stored component may be encoded as one of the components that it becomes, and plain as another.
#[test]
fn components_are_encoded_by_what_they_become() {
    let mut random = Random::new(0x0fed_cba9_8765_4321);
    let mut functions = Functions::default();
    let format = Format::R8G8B8A8_UNORM;
    let extent = [WIDTH, HEIGHT, 1];
    let shape =
        ImageShape { format, extent, levels: 1, layers: 1, samples: 1, is_3d: false, corner_sampled: false };
    let mut image = TestImage::random(shape, &mut random);
    let mut record = image.record();
    let mut view = ViewKey::new(format, Aspect::Color, ViewType::D2, 1);
    view.conversion = Some(Conversion {
        planes: [None; 2],
        halved: [false; 2],
        cosited: [false; 2],
        chroma_filter: Filter::Nearest,
        model: Model::RgbIdentity,
        narrow: false,
        components: [Swizzle::A, Swizzle::R, Swizzle::R, Swizzle::B],
        bits: 8,
        degamma: [true, false],
    });
    let key = SamplerKey { address: [AddressMode::ClampToEdge; 3], ..SamplerKey::default() };
    let op = ImageOp::Sample { lod: LodMode::Explicit, dref: false, offset: false, min_lod: false };
    let function = functions.get(&view, Some(&key), op);
    let mut call = CallRecord::default();
    call.floats(record::COORDINATE, (0..LANES).map(|lane| (lane as f32 + 0.5) / WIDTH as f32));
    call.floats(record::COORDINATE + 1, (0..LANES).map(|_| 0.5 / HEIGHT as f32));
    call.run(function, &mut record, &mut sampler_record([0; 4]));
    for lane in 0..LANES.min(WIDTH as usize) {
        let texel = image.texel(Aspect::Color, 0, 0, 0, [lane as u32, 0, 0]);
        let [r, _, b, a] = texel.map(|word| f64::from(f32::from_bits(word as u32)));
        let expected = [a, decoded(r), r, b];
        for (found, expected) in call.result_floats(lane).into_iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() < 1e-4, "{lane}: {found}, not {expected}");
        }
    }
}
