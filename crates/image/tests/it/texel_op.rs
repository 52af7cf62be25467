//! Fetch, read, write and atomics against plain Rust.

use crate::support::Random;
use crate::support::image::{CallRecord, Functions, LANES, TestImage, sampler_record};
use pyro_abi::image::{AtomicOp, ImageOp, record};
use pyro_image::layout::ImageShape;
use pyro_image::{Aspect, Format, SamplerKey, Swizzle, ViewKey, ViewType, texel};

const FETCH: ImageOp = ImageOp::Fetch { offset: false };

/// A view type with a shape that fits.
fn shapes() -> Vec<(ViewType, ImageShape)> {
    let shape = |extent: [u32; 3], levels, layers, samples| ImageShape {
        format: Format::R8G8B8A8_UNORM,
        extent,
        levels,
        layers,
        samples,
        is_3d: extent[2] > 1,
        corner_sampled: false,
    };
    vec![
        (ViewType::D1, shape([13, 1, 1], 3, 1, 1)),
        (ViewType::D1Array, shape([13, 1, 1], 1, 3, 1)),
        (ViewType::D2, shape([13, 7, 1], 4, 1, 1)),
        (ViewType::D2Array, shape([8, 8, 1], 2, 5, 1)),
        (ViewType::D2, shape([5, 3, 1], 1, 1, 4)),
        (ViewType::D2Array, shape([5, 3, 1], 1, 2, 8)),
        (ViewType::D3, shape([5, 6, 7], 3, 1, 1)),
    ]
}

#[test]
fn fetches_agree_and_are_robust() {
    let mut random = Random::new(11);
    let mut functions = Functions::default();
    let formats = [Format::R8G8B8A8_UNORM, Format::R32_UINT, Format::R16G16B16_SFLOAT, Format::R64_UINT];
    for (view_type, shape) in shapes() {
        for format in formats {
            let shape = ImageShape { format, ..shape };
            let mut image = TestImage::random(shape, &mut random);
            let mut view = ViewKey::new(format, Aspect::Color, view_type, shape.levels);
            view.multisampled = shape.samples > 1;
            view.swizzle = [Swizzle::B, Swizzle::One, Swizzle::A, Swizzle::R];
            let dimensions = view_type.dimensions();
            let function = functions.get(&view, None, FETCH);
            for _ in 0..20 {
                let mut call = CallRecord::default();
                // Often in range, sometimes beyond, sometimes far out.
                let mut index = |extent: u32| match random.below(12) {
                    0 => random.bits() as u32,
                    1 => extent,
                    _ => random.below(extent),
                };
                let mut lanes = Vec::new();
                for lane in 0..LANES {
                    let level = if shape.samples > 1 { 0 } else { index(shape.levels) };
                    let extent = image.layout.levels.get(level as usize).map_or([1; 3], |level| level.extent);
                    let at = extent.map(&mut index);
                    let at = [
                        at[0],
                        if dimensions > 1 { at[1] } else { 0 },
                        if dimensions > 2 { at[2] } else { 0 },
                    ];
                    let layer = if view_type.is_array() { index(shape.layers) } else { 0 };
                    let sample = if shape.samples > 1 { index(shape.samples) } else { 0 };
                    for (column, &at) in at[..dimensions].iter().enumerate() {
                        call.columns[record::COORDINATE as usize + column][lane] = at;
                    }
                    if view_type.is_array() {
                        call.columns[record::COORDINATE as usize + dimensions][lane] = layer;
                    }
                    call.columns[record::LOD as usize][lane] = if shape.samples > 1 { sample } else { level };
                    let inside = level < shape.levels
                        && layer < shape.layers
                        && sample < shape.samples
                        && at.iter().zip(extent).all(|(&at, extent)| at < extent);
                    let texel = if inside {
                        image.texel(Aspect::Color, level, layer, sample, at)
                    } else {
                        texel::host::decode(format, Aspect::Color, &[0; 32])
                    };
                    let one = texel::host::decode(Format::A8_UNORM, Aspect::Color, &[255])[3];
                    let one = if format == Format::R32_UINT || format == Format::R64_UINT { 1 } else { one };
                    lanes.push([texel[2], one, texel[3], texel[0]]);
                }
                call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
                for (lane, want) in lanes.into_iter().enumerate() {
                    assert_eq!(call.result(lane), want.map(|bits| bits as u32), "{view:?}");
                    if format == Format::R64_UINT {
                        let high = call.columns[record::TEXEL_HIGH as usize + 3][lane];
                        assert_eq!(high, (want[3] >> 32) as u32);
                    }
                }
            }
        }
    }
}

/// Texels as neighbouring fragments read them, each quad's next to the last one's: side by side, mirrored,
/// magnified, turned, past the edges, for all lanes or some.
#[test]
fn neighbours_fetch_neighbouring_texels() {
    let mut random = Random::new(29);
    let mut functions = Functions::default();
    let shape = |extent: [u32; 3], levels, layers| ImageShape {
        format: Format::R32_UINT,
        extent,
        levels,
        layers,
        samples: 1,
        is_3d: extent[2] > 1,
        corner_sampled: false,
    };
    let shapes = [
        (ViewType::D1, shape([40, 1, 1], 1, 1)),
        (ViewType::D2, shape([40, 9, 1], 1, 1)),
        // Of fewer texels than there are lanes, and of as many.
        (ViewType::D2, shape([5, 3, 1], 1, 1)),
        (ViewType::D2, shape([4, 4, 1], 1, 1)),
        (ViewType::D2, shape([33, 17, 1], 4, 1)),
        (ViewType::D2Array, shape([24, 6, 1], 1, 3)),
        (ViewType::D3, shape([24, 6, 3], 1, 1)),
    ];
    for (view_type, shape) in shapes {
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(shape.format, Aspect::Color, view_type, shape.levels);
        let function = functions.get(&view, None, FETCH);
        let dimensions = view_type.dimensions();
        for round in 0..60 {
            let mut call = CallRecord::default();
            let active = if round % 3 == 0 { random.bits() & 0xffff } else { 0xffff };
            call.activate(active);
            let level = random.below(shape.levels);
            let extent = image.layout.levels[level as usize].extent;
            let begin = [0, 1].map(|axis| random.below(extent[axis] + 4) as i32 - 4);
            let last = random.below(if view_type.is_array() { shape.layers } else { extent[2] });
            let steps =
                [[1, 0, 0, 1], [-1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [2, 0, 0, 1], [1, 1, 0, 1]];
            let (step, magnified) = (steps[random.below(6) as usize], 1 + random.below(3));
            let mut lanes = Vec::new();
            for lane in 0..LANES as i32 {
                // Eight by two fragments.
                let fragment = [lane / 4 * 2 + lane % 2, lane / 2 % 2].map(|place| place / magnified);
                let mut at = [0, 1].map(|axis: usize| {
                    let [x, y] = [step[2 * axis], step[2 * axis + 1]];
                    begin[axis] + x * fragment[0] + y * fragment[1]
                });
                at[1] = if dimensions > 1 { at[1] } else { 0 };
                let place = [at[0] as u32, at[1] as u32, last];
                let coordinates = if view_type.is_array() || dimensions > 2 { 3 } else { dimensions };
                for (column, &at) in place[..coordinates].iter().enumerate() {
                    call.columns[record::COORDINATE as usize + column][lane as usize] = at;
                }
                call.columns[record::LOD as usize][lane as usize] = level;
                let (depth, layer) = if dimensions > 2 { (last, 0) } else { (0, last) };
                let layer = if view_type.is_array() { layer } else { 0 };
                let place = [place[0], place[1], depth];
                let inside = place[0] < extent[0] && place[1] < extent[1];
                lanes.push(if inside {
                    image.texel(Aspect::Color, level, layer, 0, place)[0] as u32
                } else {
                    0
                });
            }
            call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
            for (lane, want) in lanes.into_iter().enumerate().filter(|(lane, _)| active >> lane & 1 != 0) {
                assert_eq!(call.result(lane)[0], want, "{view_type:?} {shape:?} {step:?} {lane}");
            }
        }
    }
}

#[test]
fn written_texels_are_read_back() {
    let mut random = Random::new(12);
    let mut functions = Functions::default();
    let shape = |format| ImageShape {
        format,
        extent: [16, 16, 1],
        levels: 1,
        layers: 2,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    for &format in Format::ALL.iter().filter(|format| format.features().storage) {
        let mut image = TestImage::new(shape(format));
        let view = ViewKey::new(format, Aspect::Color, ViewType::D2Array, 1);
        let mut call = CallRecord::default();
        let wide = format.is_64_bit();
        for lane in 0..LANES {
            call.columns[record::COORDINATE as usize][lane] = lane as u32 + 1;
            call.columns[record::COORDINATE as usize + 1][lane] = (lane * 5 % 16) as u32;
            call.columns[record::COORDINATE as usize + 2][lane] = lane as u32 & 1;
            for column in record::TEXEL..record::RESIDENCY {
                call.columns[column as usize][lane] = match format.numeric_class(Aspect::Color) {
                    pyro_image::NumericClass::Float => random.float(-0.5, 1.5).to_bits(),
                    _ => random.bits() as u32,
                };
            }
        }
        call.activate(0xdfff);
        let written = call.clone();
        call.run(
            functions.get(&view, None, ImageOp::Write { level: false }),
            &mut image.record(),
            &mut sampler_record([0; 4]),
        );
        assert!(call.columns == written.columns, "writing gives no result");
        call.activate(0xffff);
        call.run(functions.get(&view, None, ImageOp::Read), &mut image.record(), &mut sampler_record([0; 4]));
        for lane in 0..LANES {
            let value = |column: u32| u64::from(written.columns[column as usize][lane]);
            let values = [0, 1, 2, 3].map(|index| {
                value(record::TEXEL + index) | if wide { value(record::TEXEL_HIGH + index) << 32 } else { 0 }
            });
            // Lane 13 was not active, and the last one's x is out of range.
            let mut bytes = [0; 32];
            if lane != 13 && lane != 15 {
                texel::host::encode(format, Aspect::Color, values, &mut bytes);
            }
            let want = texel::host::decode(format, Aspect::Color, &bytes);
            assert_eq!(call.result(lane), want.map(|bits| bits as u32), "{format:?}, lane {lane}");
            if lane < 15 && lane != 13 {
                let at = [lane as u32 + 1, (lane * 5 % 16) as u32, 0];
                assert_eq!(image.texel(Aspect::Color, 0, lane as u32 & 1, 0, at), want);
            }
        }
    }
}

#[test]
fn atomics_give_the_old_value() {
    let mut functions = Functions::default();
    let shape = ImageShape {
        format: Format::R32_UINT,
        extent: [4, 4, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    let cases = [
        (AtomicOp::IAdd, 5u32.wrapping_add(u32::MAX)),
        (AtomicOp::SMin, u32::MAX),
        (AtomicOp::SMax, 5),
        (AtomicOp::UMin, 5),
        (AtomicOp::UMax, u32::MAX),
        (AtomicOp::And, 5),
        (AtomicOp::Or, u32::MAX),
        (AtomicOp::Xor, !5),
        (AtomicOp::Exchange, u32::MAX),
        (AtomicOp::CompareExchange, u32::MAX),
    ];
    for (op, want) in cases {
        for format in [Format::R32_UINT, Format::R32_SINT] {
            let mut image = TestImage::new(ImageShape { format, ..shape });
            image.memory.fill(5 | 5 << 32);
            let view = ViewKey::new(format, Aspect::Color, ViewType::D2, 1);
            let mut call = CallRecord::default();
            call.ints(record::COORDINATE, [1, 3, 4, 2]);
            call.ints(record::COORDINATE + 1, [2, 3, 0, 0]);
            call.ints(record::TEXEL, [u32::MAX; LANES]);
            call.ints(record::TEXEL + 1, [5, 6, 5, 5]);
            call.activate(0b0111);
            call.run(
                functions.get(&view, None, ImageOp::Atomic(op)),
                &mut image.record(),
                &mut sampler_record([0; 4]),
            );
            assert_eq!([0, 1, 2].map(|lane| call.result(lane)[0]), [5, 5, 0], "{op:?}");
            let texel = |x, y| image.texel(Aspect::Color, 0, 0, 0, [x, y, 0])[0] as u32;
            assert_eq!(texel(1, 2), want, "{op:?}");
            assert_eq!(texel(3, 3), if op == AtomicOp::CompareExchange { 5 } else { want });
            assert_eq!((texel(0, 1), texel(2, 0)), (5, 5), "{op:?}: out of range, not active");
        }
    }
    let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::D2, 1);
    for (op, want) in [(AtomicOp::FAdd, 4.0f32), (AtomicOp::FMin, 1.5), (AtomicOp::FMax, 2.5)] {
        let mut image = TestImage::new(ImageShape { format: Format::R32_SFLOAT, ..shape });
        image.memory[0] = u64::from(2.5f32.to_bits());
        let mut call = CallRecord::default();
        call.floats(record::TEXEL, [1.5]);
        call.activate(1);
        call.run(
            functions.get(&view, None, ImageOp::Atomic(op)),
            &mut image.record(),
            &mut sampler_record([0; 4]),
        );
        assert_eq!(image.memory[0], u64::from(want.to_bits()));
        assert_eq!(call.result_floats(0)[0], 2.5);
    }
    let view = ViewKey::new(Format::R64_UINT, Aspect::Color, ViewType::D2, 1);
    let mut image = TestImage::new(ImageShape { format: Format::R64_UINT, ..shape });
    image.memory[0] = u64::MAX;
    let mut call = CallRecord::default();
    call.ints(record::TEXEL, [2]);
    call.ints(record::TEXEL_HIGH, [1]);
    call.activate(1);
    let add = functions.get(&view, None, ImageOp::Atomic(AtomicOp::IAdd));
    call.run(add, &mut image.record(), &mut sampler_record([0; 4]));
    assert_eq!(image.memory[0], 0x1_0000_0001);
    assert_eq!((call.result(0)[0], call.columns[record::TEXEL_HIGH as usize][0]), (u32::MAX, u32::MAX));
}

#[test]
fn impossible_combinations_are_errors() {
    let view = |format| ViewKey::new(format, Aspect::Color, ViewType::D2, 1);
    let build =
        |view: &ViewKey, op| pyro_image::access::build(Some(view), Some(&SamplerKey::default()), op, 16);
    assert!(build(&view(Format::R8_UINT), ImageOp::Atomic(AtomicOp::IAdd)).is_err());
    assert!(build(&view(Format::R32_SFLOAT), ImageOp::Atomic(AtomicOp::IAdd)).is_err());
    assert!(build(&view(Format::R32_SFLOAT), ImageOp::Atomic(AtomicOp::Exchange)).is_ok());
    assert!(build(&view(Format::BC1_RGB_UNORM_BLOCK), ImageOp::Write { level: false }).is_err());
    let buffer = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::Buffer, 1);
    assert!(build(&buffer, ImageOp::QueryLod).is_err());
}
