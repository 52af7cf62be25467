//! Sampling against a plain reference.

use crate::support::Random;
use crate::support::image::{CallRecord, Functions, LANES, TestImage, sampler_record};
use crate::support::reference::{Reference, Sampler};
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_image::layout::ImageShape;
use pyro_image::{
    AddressMode, Aspect, CompareOp, CubicWeights, Filter, Format, Reduction, SamplerKey, ViewKey, ViewType,
};

const MODES: [AddressMode; 5] = [
    AddressMode::Repeat,
    AddressMode::MirroredRepeat,
    AddressMode::ClampToEdge,
    AddressMode::ClampToBorder,
    AddressMode::MirrorClampToEdge,
];
const FILTERS: [Filter; 2] = [Filter::Nearest, Filter::Linear];

fn shape(format: Format, extent: [u32; 3], levels: u32, layers: u32) -> ImageShape {
    ImageShape { format, extent, levels, layers, samples: 1, is_3d: extent[2] > 1, corner_sampled: false }
}

fn op(lod: LodMode, dref: bool, offset: bool) -> ImageOp {
    ImageOp::Sample { lod, dref, offset, min_lod: false }
}

fn random_sampler(random: &mut Random) -> Sampler {
    let key = SamplerKey {
        mag: random.pick(&FILTERS),
        min: random.pick(&FILTERS),
        mip: random.pick(&FILTERS),
        address: [(); 3].map(|()| random.pick(&MODES)),
        reduction: random.pick(&[
            Reduction::WeightedAverage,
            Reduction::WeightedAverage,
            Reduction::Min,
            Reduction::Max,
        ]),
        ..SamplerKey::default()
    };
    let clamp = random.below(4) == 0;
    Sampler {
        key,
        border: [0.25, 0.5, 0.75, 0.125],
        bias: random.pick(&[0.0, 0.0, 0.375, -0.625]),
        min_lod: if clamp { 0.3 } else { -1000.0 },
        max_lod: if clamp { 1.8 } else { 1000.0 },
    }
}

/// Samples with explicit levels of detail at random coordinates; gives how many samples were compared.
fn check(
    functions: &mut Functions,
    random: &mut Random,
    image: &mut TestImage,
    view: ViewKey,
    sampler: Sampler,
    dref: bool,
    rounds: usize,
) -> usize {
    let with_offset = !view.view_type.is_cube() && random.below(3) == 0;
    let operation = op(LodMode::Explicit, dref, with_offset);
    let function = functions.get(&view, Some(&sampler.key), operation);
    let count = view.view_type.coordinates();
    let layers = image.layout.shape.layers;
    let mut compared = 0;
    for _ in 0..rounds {
        let mut call = CallRecord::default();
        let span = random.pick(&[0.5f32, 1.0, 4.0]);
        let mut inputs = Vec::new();
        for lane in 0..LANES {
            let at: [f32; 3] = std::array::from_fn(|index| match index < count {
                true if view.view_type.is_cube() => random.float(-2.0, 2.0),
                true => random.float(0.5 - span, 0.5 + span),
                false => 0.0,
            });
            let layer = random.float(-1.0, layers as f32);
            let lod = random.float(-1.0, image.layout.shape.levels as f32 + 0.5);
            let reference = random.float(-0.1, 1.1);
            let offset = std::array::from_fn(|_| if with_offset { random.below(16) - 8 } else { 0 });
            let mut set = |column: u32, bits: u32| call.columns[column as usize][lane] = bits;
            for index in 0..count {
                set(record::COORDINATE + index as u32, at[index].to_bits());
                set(record::OFFSET + index as u32, offset[index] as u32);
            }
            if view.view_type.is_array() {
                set(record::COORDINATE + count as u32, layer.to_bits());
            }
            set(record::LOD, lod.to_bits());
            set(record::DREF, reference.to_bits());
            inputs.push((at, layer, lod, reference, offset));
        }
        let mut record = sampler_record(sampler.border.map(f32::to_bits));
        (record.lod_bias, record.min_lod, record.max_lod) = (sampler.bias, sampler.min_lod, sampler.max_lod);
        call.run(function, &mut image.record(), &mut record);
        for (lane, (at, layer, lod, dref_value, offset)) in inputs.into_iter().enumerate() {
            let reference = Reference { image, view, sampler, dref: dref.then_some(dref_value), offset };
            let layer = if view.view_type.is_array() { f64::from(layer) } else { 0.0 };
            let near_tie = (layer - layer.floor() - 0.5).abs() < 1e-3;
            let Some(want) = reference.sample(at.map(f64::from), layer, lod.into()) else { continue };
            if near_tie {
                continue;
            }
            compared += 1;
            let got = call.result_floats(lane);
            let shown = if dref { 1 } else { 4 };
            for component in 0..shown {
                let (got, want) = (f64::from(got[component]), want[component]);
                assert!(
                    (got - want).abs() <= 2e-4,
                    "{view:?} {sampler:?} at {at:?} layer {layer} lod {lod} offset {offset:?} dref {dref_value}: \
                     component {component} is {got}, not {want}"
                );
            }
        }
    }
    compared
}

#[test]
fn one_to_three_dimensions() {
    let mut random = Random::new(21);
    let mut compared = 0;
    let cases = [
        (ViewType::D1, shape(Format::R32G32B32A32_SFLOAT, [11, 1, 1], 4, 1)),
        (ViewType::D1Array, shape(Format::R32G32B32A32_SFLOAT, [16, 1, 1], 1, 3)),
        (ViewType::D2, shape(Format::R8G8B8A8_UNORM, [16, 16, 1], 5, 1)),
        (ViewType::D2, shape(Format::R8G8B8A8_UNORM, [1, 16, 1], 5, 1)),
        (ViewType::D2Array, shape(Format::R8G8B8A8_UNORM, [13, 7, 1], 3, 4)),
        (ViewType::D2, shape(Format::R32G32B32A32_SFLOAT, [13, 6, 1], 3, 1)),
        (ViewType::D2, shape(Format::B8G8R8A8_SRGB, [1, 1, 1], 1, 1)),
        (ViewType::D2Array, shape(Format::A2B10G10R10_UNORM_PACK32, [5, 9, 1], 4, 4)),
        (ViewType::D3, shape(Format::R16G16B16A16_UNORM, [6, 5, 7], 3, 1)),
    ];
    for (view_type, shape) in cases {
        let mut functions = Functions::default();
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(shape.format, Aspect::Color, view_type, shape.levels);
        for _ in 0..25 {
            let sampler = random_sampler(&mut random);
            compared += check(&mut functions, &mut random, &mut image, view, sampler, false, 4);
        }
    }
    assert!(compared > 5000, "{compared} samples are too few");
}

/// Texels at integral coordinates, one cell less than texels, halves that are rounded up: by every filter, by
/// integers and floats, and with the one level of unnormalized coordinates.
#[test]
fn corner_sampled_images() {
    let mut random = Random::new(41);
    let mut compared = 0;
    let cases = [
        (ViewType::D2, shape(Format::R8G8B8A8_UNORM, [17, 9, 1], 5, 1)),
        (ViewType::D2Array, shape(Format::R8G8B8A8_UNORM, [13, 6, 1], 3, 4)),
        (ViewType::D2, shape(Format::R32G32B32A32_SFLOAT, [12, 5, 1], 3, 1)),
        (ViewType::D2, shape(Format::R32_SFLOAT, [2, 2, 1], 1, 1)),
        (ViewType::D3, shape(Format::R16G16B16A16_UNORM, [6, 5, 7], 3, 1)),
    ];
    for (view_type, shape) in cases {
        let shape = ImageShape { corner_sampled: true, ..shape };
        let mut functions = Functions::default();
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey {
            corner_sampled: true,
            ..ViewKey::new(shape.format, Aspect::Color, view_type, shape.levels)
        };
        for turn in 0..25 {
            let mut sampler = random_sampler(&mut random);
            sampler.key.address = [AddressMode::ClampToEdge; 3];
            sampler.key.unnormalized = turn % 6 == 0 && view_type == ViewType::D2 && shape.levels == 1;
            if turn % 5 == 0 && shape.format != Format::R8G8B8A8_UNORM {
                (sampler.key.mag, sampler.key.min) = (Filter::Cubic, Filter::Cubic);
                sampler.key.reduction = Reduction::WeightedAverage;
            }
            compared += check(&mut functions, &mut random, &mut image, view, sampler, false, 4);
        }
    }
    assert!(compared > 4000, "{compared} samples are too few");
}

#[test]
fn cubic_filters() {
    let mut random = Random::new(31);
    let mut compared = 0;
    let cases = [
        (ViewType::D1, shape(Format::R32G32B32A32_SFLOAT, [11, 1, 1], 4, 1)),
        (ViewType::D1Array, shape(Format::R32G32B32A32_SFLOAT, [16, 1, 1], 1, 3)),
        (ViewType::D2, shape(Format::R8G8B8A8_UNORM, [16, 16, 1], 5, 1)),
        (ViewType::D2Array, shape(Format::R8G8B8A8_UNORM, [13, 7, 1], 3, 4)),
        (ViewType::D2, shape(Format::B8G8R8A8_SRGB, [1, 2, 1], 1, 1)),
        (ViewType::D2, shape(Format::R32_SFLOAT, [13, 6, 1], 3, 1)),
        (ViewType::D3, shape(Format::R16G16B16A16_UNORM, [6, 5, 7], 3, 1)),
    ];
    let weights = [
        CubicWeights::CatmullRom,
        CubicWeights::ZeroTangentCardinal,
        CubicWeights::BSpline,
        CubicWeights::MitchellNetravali,
    ];
    let reductions = [Reduction::WeightedAverage, Reduction::RangeClamp, Reduction::Min, Reduction::Max];
    for (view_type, shape) in cases {
        let mut functions = Functions::default();
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(shape.format, Aspect::Color, view_type, shape.levels);
        for turn in 0..16 {
            let mut sampler = random_sampler(&mut random);
            let filters = [Filter::Cubic, Filter::Linear, Filter::Nearest];
            (sampler.key.mag, sampler.key.min) = (Filter::Cubic, random.pick(&filters));
            if turn & 1 == 1 {
                (sampler.key.mag, sampler.key.min) = (sampler.key.min, sampler.key.mag);
            }
            sampler.key.cubic_weights = weights[turn / 4];
            sampler.key.reduction = reductions[turn % 4];
            compared += check(&mut functions, &mut random, &mut image, view, sampler, false, 4);
        }
    }
    assert!(compared > 3000, "{compared} samples are too few");
}

#[test]
fn cubes() {
    let mut random = Random::new(22);
    let mut compared = 0;
    for (view_type, layers) in [(ViewType::Cube, 6), (ViewType::CubeArray, 18)] {
        for (size, levels) in [(8, 4), (5, 1), (1, 1)] {
            let mut functions = Functions::default();
            let shape = shape(Format::R32G32B32A32_SFLOAT, [size, size, 1], levels, layers);
            let mut image = TestImage::random(shape, &mut random);
            let view = ViewKey::new(shape.format, Aspect::Color, view_type, levels);
            for _ in 0..8 {
                let mut sampler = random_sampler(&mut random);
                sampler.key.reduction = Reduction::WeightedAverage;
                compared += check(&mut functions, &mut random, &mut image, view, sampler, false, 8);
            }
        }
    }
    assert!(compared > 4000, "{compared} samples are too few");
}

#[test]
fn depth_comparison() {
    let mut random = Random::new(23);
    let ops = [
        CompareOp::Never,
        CompareOp::Less,
        CompareOp::Equal,
        CompareOp::LessOrEqual,
        CompareOp::Greater,
        CompareOp::NotEqual,
        CompareOp::GreaterOrEqual,
        CompareOp::Always,
    ];
    let formats =
        [Format::D16_UNORM, Format::D32_SFLOAT, Format::D24_UNORM_S8_UINT, Format::D32_SFLOAT_S8_UINT];
    let mut compared = 0;
    for format in formats {
        let mut functions = Functions::default();
        let mut image = TestImage::random(shape(format, [8, 8, 1], 3, 1), &mut random);
        let mut cube = TestImage::random(shape(format, [4, 4, 1], 1, 6), &mut random);
        let flat_view = ViewKey::new(format, Aspect::Depth, ViewType::D2, 3);
        let cube_view = ViewKey::new(format, Aspect::Depth, ViewType::Cube, 1);
        for compare in ops {
            let mut sampler = random_sampler(&mut random);
            sampler.key.compare = Some(compare);
            compared += check(&mut functions, &mut random, &mut image, flat_view, sampler, true, 4);
            sampler.key.reduction = Reduction::WeightedAverage;
            compared += check(&mut functions, &mut random, &mut cube, cube_view, sampler, true, 4);
        }
    }
    assert!(compared > 2000, "{compared} samples are too few");
}
