//! PVRTC, whose texels depend on blocks around theirs: image functions against plain Rust, texel by texel.

use crate::support::Random;
use crate::support::image::{CallRecord, Functions, LANES, TestImage, sampler_record};
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_image::layout::ImageShape;
use pyro_image::texel::decode_texel;
use pyro_image::{Aspect, Filter, Format, SamplerKey, ViewKey, ViewType};

const FORMATS: [Format; 8] = [
    Format::PVRTC1_2BPP_UNORM_BLOCK_IMG,
    Format::PVRTC1_4BPP_UNORM_BLOCK_IMG,
    Format::PVRTC2_2BPP_UNORM_BLOCK_IMG,
    Format::PVRTC2_4BPP_UNORM_BLOCK_IMG,
    Format::PVRTC1_2BPP_SRGB_BLOCK_IMG,
    Format::PVRTC1_4BPP_SRGB_BLOCK_IMG,
    Format::PVRTC2_2BPP_SRGB_BLOCK_IMG,
    Format::PVRTC2_4BPP_SRGB_BLOCK_IMG,
];

/// A texel of a level and a layer, in plain Rust.
fn expected(image: &TestImage, level: u32, layer: u32, at: [u32; 2]) -> [f32; 4] {
    let format = image.layout.shape.format;
    let [width, height, _] = image.layout.levels[level as usize].extent;
    let [columns, rows, _] = format.block_extent();
    let word = |[x, y]: [u32; 2]| {
        let start = image.layout.offset(level, layer, 0, [x, y, 0]) as usize;
        u64::from_le_bytes(image.bytes(start, 8).try_into().expect("eight bytes"))
    };
    decode_texel(format, [width.div_ceil(columns), height.div_ceil(rows)], at, word).expect("PVRTC")
}

fn shapes(format: Format) -> Vec<ImageShape> {
    let mut extents = vec![[16, 16], [64, 16], [8, 32], [32, 4], [4, 4], [2, 8]];
    if !format.is_morton() {
        extents.extend([[37, 21], [9, 50], [20, 3]]);
    }
    let shape = |[width, height]: [u32; 2]| ImageShape {
        format,
        extent: [width, height, 1],
        levels: width.max(height).ilog2().min(3),
        layers: 2,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    extents.into_iter().map(shape).collect()
}

#[test]
fn texels_agree_with_plain_rust() {
    let mut random = Random::new(71);
    let fetch = ImageOp::Fetch { offset: false };
    for format in FORMATS {
        let mut functions = Functions::default();
        for shape in shapes(format) {
            let mut image = TestImage::random(shape, &mut random);
            let view = ViewKey::new(format, Aspect::Color, ViewType::D2Array, shape.levels);
            let function = functions.get(&view, None, fetch);
            for level in 0..shape.levels {
                let [width, height, _] = image.layout.levels[level as usize].extent;
                let texels: Vec<[u32; 3]> = (0..2)
                    .flat_map(|layer| (0..width * height).map(move |at| [at % width, at / width, layer]))
                    .collect();
                for some in texels.chunks(LANES) {
                    let mut call = CallRecord::default();
                    for axis in 0..3 {
                        call.ints(record::COORDINATE + axis as u32, some.iter().map(|at| at[axis]));
                    }
                    call.ints(record::LOD, some.iter().map(|_| level));
                    call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
                    for (lane, &[x, y, layer]) in some.iter().enumerate() {
                        let (got, want) = (call.result_floats(lane), expected(&image, level, layer, [x, y]));
                        assert_eq!(got, want, "{shape:?} level {level}: {x} {y} of layer {layer}");
                    }
                }
            }
        }
    }
}

/// Linear filters mix what fetches give, and a cube's edges are those of its faces.
#[test]
fn filters_mix_texels() {
    let mut random = Random::new(72);
    let operation = ImageOp::Sample { lod: LodMode::Explicit, dref: false, offset: false, min_lod: false };
    let key = SamplerKey { mag: Filter::Linear, min: Filter::Linear, ..SamplerKey::default() };
    for format in &FORMATS[..4] {
        let mut functions = Functions::default();
        let shape = ImageShape { levels: 1, layers: 1, ..shapes(*format)[0] };
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(*format, Aspect::Color, ViewType::D2, 1);
        let function = functions.get(&view, Some(&key), operation);
        let mut call = CallRecord::default();
        // Between texels `lane` and `lane + 1` of two rows, of an image that repeats.
        for lane in 0..LANES {
            let place = |at: usize| ((at as f32 + 1.0) / 16.0).to_bits();
            call.columns[record::COORDINATE as usize][lane] = place(lane);
            call.columns[record::COORDINATE as usize + 1][lane] = place(7);
        }
        call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
        for lane in 0..LANES as u32 {
            let four = [[0, 0], [1, 0], [0, 1], [1, 1]]
                .map(|[x, y]| expected(&image, 0, 0, [(lane + x) % 16, 7 + y]));
            for (component, got) in call.result_floats(lane as usize).into_iter().enumerate() {
                let want: f32 = four.iter().map(|texel| texel[component] / 4.0).sum();
                assert!((got - want).abs() < 1e-5, "{format:?}, lane {lane}: {got}, not {want}");
            }
        }
    }
}

/// Faces are levels of their own: blocks around those at a face's edge are the face's.
#[test]
fn faces_of_cubes_wrap_alone() {
    let mut random = Random::new(73);
    let operation = ImageOp::Sample { lod: LodMode::Explicit, dref: false, offset: false, min_lod: false };
    for filter in [Filter::Nearest, Filter::Linear] {
        for &format in &FORMATS[..4] {
            let mut functions = Functions::default();
            let shape = ImageShape { levels: 1, layers: 6, extent: [16, 16, 1], ..shapes(format)[0] };
            let mut image = TestImage::random(shape, &mut random);
            let view = ViewKey::new(format, Aspect::Color, ViewType::Cube, 1);
            let key = SamplerKey { mag: filter, min: filter, ..SamplerKey::default() };
            let function = functions.get(&view, Some(&key), operation);
            let mut call = CallRecord::default();
            // Centres of texels on the face of positive z.
            let centre = |texel: usize| (2.0 * (texel as f32 + 0.5) / 16.0 - 1.0).to_bits();
            for lane in 0..LANES {
                call.columns[record::COORDINATE as usize][lane] = centre(lane);
                call.columns[record::COORDINATE as usize + 1][lane] = centre(15 - 5);
                call.columns[record::COORDINATE as usize + 2][lane] = 1f32.to_bits();
            }
            call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
            for lane in 0..LANES as u32 {
                let want = expected(&image, 0, 4, [lane, 5]);
                let got = call.result_floats(lane as usize);
                let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-5);
                assert!(near, "{format:?}, lane {lane}: {got:?}, not {want:?}");
            }
        }
    }
}
