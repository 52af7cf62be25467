//! Levels of detail, anisotropy, gathering, and coordinates that are no numbers.

use crate::support::Random;
use crate::support::image::{CallRecord, Functions, LANES, TestImage, positions, sampler_record};
use crate::support::reference::face_of;
use pyro_abi::image::{GatherSource, ImageOp, LodMode, record};
use pyro_image::layout::ImageShape;
use pyro_image::texel::host;
use pyro_image::{AddressMode, Aspect, CompareOp, Filter, Format, SamplerKey, Swizzle, ViewKey, ViewType};

fn shape(format: Format, extent: [u32; 3], levels: u32, layers: u32) -> ImageShape {
    ImageShape { format, extent, levels, layers, samples: 1, is_3d: extent[2] > 1, corner_sampled: false }
}

fn op(lod: LodMode, min_lod: bool) -> ImageOp {
    ImageOp::Sample { lod, dref: false, offset: false, min_lod }
}

/// Every texel of level `n` is `n`.
fn levels_image(extent: [u32; 3], levels: u32, layers: u32) -> TestImage {
    let mut image = TestImage::new(shape(Format::R32_SFLOAT, extent, levels, layers));
    for level in 0..levels {
        for layer in 0..layers {
            for at in positions(image.layout.levels[level as usize].extent) {
                let start = image.layout.offset(level, layer, 0, at) as usize;
                image.set_bytes(start, &(level as f32).to_le_bytes());
            }
        }
    }
    image
}

fn trilinear() -> SamplerKey {
    SamplerKey { mag: Filter::Linear, min: Filter::Linear, mip: Filter::Linear, ..SamplerKey::default() }
}

/// The level of detail that derivatives (of x and of y, in coordinates) make.
fn expected_lod(dx: [f64; 3], dy: [f64; 3], extent: [u32; 3]) -> f64 {
    let length =
        |d: [f64; 3]| d.iter().zip(extent).map(|(d, size)| (d * f64::from(size)).powi(2)).sum::<f64>().sqrt();
    length(dx).max(length(dy)).log2()
}

#[test]
fn implicit_and_explicit_derivatives_choose_levels() {
    let mut random = Random::new(31);
    let mut functions = Functions::default();
    let cases =
        [(ViewType::D1, [64, 1, 1], 7), (ViewType::D2, [64, 32, 1], 7), (ViewType::D3, [32, 16, 8], 6)];
    for (view_type, extent, levels) in cases {
        let mut image = levels_image(extent, levels, 1);
        let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, view_type, levels);
        let dimensions = view_type.dimensions();
        for mode in [LodMode::Implicit, LodMode::Bias, LodMode::Grad] {
            for min_lod in [false, true] {
                for _ in 0..20 {
                    let mut call = CallRecord::default();
                    let mut wanted = [0.0; LANES];
                    for quad in 0..LANES / 4 {
                        let scale = 2f32.powf(random.float(-7.0, 1.0));
                        let derivative = |random: &mut Random| -> [f32; 3] {
                            std::array::from_fn(|d| {
                                if d < dimensions { random.float(-scale, scale) } else { 0.0 }
                            })
                        };
                        let (dx, dy) = (derivative(&mut random), derivative(&mut random));
                        let (bias, least) = (random.float(-2.0, 2.0), random.float(0.0, 3.0));
                        for (lane, wanted) in wanted.iter_mut().enumerate().skip(4 * quad).take(4) {
                            for d in 0..dimensions {
                                let at = 0.5 + (lane & 1) as f32 * dx[d] + (lane >> 1 & 1) as f32 * dy[d];
                                call.columns[record::COORDINATE as usize + d][lane] = at.to_bits();
                                call.columns[record::DDX as usize + d][lane] = dx[d].to_bits();
                                call.columns[record::DDY as usize + d][lane] = dy[d].to_bits();
                            }
                            call.columns[record::LOD as usize][lane] = bias.to_bits();
                            call.columns[record::LOD_MIN as usize][lane] = least.to_bits();
                            let mut lod = expected_lod(dx.map(f64::from), dy.map(f64::from), extent);
                            if mode == LodMode::Bias {
                                lod += f64::from(bias);
                            }
                            if min_lod {
                                lod = lod.max(least.into());
                            }
                            *wanted = lod.clamp(0.0, f64::from(levels - 1));
                        }
                    }
                    let function = functions.get(&view, Some(&trilinear()), op(mode, min_lod));
                    call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
                    for (lane, want) in wanted.into_iter().enumerate() {
                        let got = f64::from(call.result_floats(lane)[0]);
                        assert!(
                            (got - want).abs() < 2e-3,
                            "{view_type:?} {mode:?} {min_lod}: {got}, not {want}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn derivatives_of_directions_choose_levels() {
    let mut random = Random::new(32);
    let mut functions = Functions::default();
    let mut image = levels_image([64, 64, 1], 7, 6);
    let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::Cube, 7);
    let function = functions.get(&view, Some(&trilinear()), op(LodMode::Grad, false));
    let mut compared = 0;
    for _ in 0..50 {
        let mut call = CallRecord::default();
        let mut wanted = [None; LANES];
        for (lane, wanted) in wanted.iter_mut().enumerate() {
            let at: [f32; 3] = std::array::from_fn(|_| random.float(-1.0, 1.0));
            let scale = 2f32.powf(random.float(-7.0, -2.0));
            let [dx, dy]: [[f32; 3]; 2] =
                [(); 2].map(|()| std::array::from_fn(|_| random.float(-scale, scale)));
            for d in 0..3 {
                call.columns[record::COORDINATE as usize + d][lane] = at[d].to_bits();
                call.columns[record::DDX as usize + d][lane] = dx[d].to_bits();
                call.columns[record::DDY as usize + d][lane] = dy[d].to_bits();
            }
            // By differences of the projection.
            let (face, s, t, gap) = face_of(at.map(f64::from));
            let step = 1e-5;
            let along = |d: [f32; 3]| {
                let moved = std::array::from_fn(|index| f64::from(at[index]) + step * f64::from(d[index]));
                let (other, s2, t2, _) = face_of(moved);
                (other == face).then_some([(s2 - s) / step, (t2 - t) / step, 0.0])
            };
            let longest = at.iter().fold(0f32, |longest, x| longest.max(x.abs()));
            if gap > 0.01
                && longest > 0.1
                && let (Some(dx), Some(dy)) = (along(dx), along(dy))
            {
                *wanted = Some(expected_lod(dx, dy, [64, 64, 1]).clamp(0.0, 6.0));
            }
        }
        call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
        for (lane, want) in wanted.into_iter().enumerate() {
            let Some(want) = want else { continue };
            compared += 1;
            let got = f64::from(call.result_floats(lane)[0]);
            assert!((got - want).abs() < 5e-3, "{got}, not {want}");
        }
    }
    assert!(compared > 500);
}

#[test]
fn queries_report_levels() {
    let mut functions = Functions::default();
    let mut image = levels_image([64, 64, 1], 4, 1);
    let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::D2, 4);
    for mip in [Filter::Nearest, Filter::Linear] {
        let key = SamplerKey { mip, ..trilinear() };
        let function = functions.get(&view, Some(&key), ImageOp::QueryLod);
        for (step, lod) in [(1.0 / 64.0, 0.0), (3.0 / 64.0, 3f32.log2()), (1.0, 6.0), (1.0 / 256.0, -2.0)] {
            let mut call = CallRecord::default();
            call.floats(record::COORDINATE, (0..LANES).map(|lane| (lane & 1) as f32 * step));
            call.floats(record::COORDINATE + 1, [0.0; LANES]);
            call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
            let [level, unclamped, ..] = call.result_floats(5);
            let clamped = lod.clamp(0.0, 3.0);
            let want = if mip == Filter::Nearest { (clamped + 0.5).ceil() - 1.0 } else { clamped };
            assert!(
                (level - want).abs() < 1e-3 && (unclamped - lod).abs() < 1e-3,
                "{level} {unclamped}, {lod}"
            );
        }
    }
}

#[test]
fn anisotropy_samples_along_the_longer_axis() {
    let mut functions = Functions::default();
    // Columns alternate within level 0; an isotropic sample of a wide footprint sees the coarse levels.
    let mut image = levels_image([64, 64, 1], 7, 1);
    let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::D2, 7);
    let key = SamplerKey { anisotropic: true, ..trilinear() };
    let function = functions.get(&view, Some(&key), op(LodMode::Grad, false));
    let run = |image: &mut TestImage, dx: [f32; 2], dy: [f32; 2], most: f32| {
        let mut call = CallRecord::default();
        call.floats(record::COORDINATE, [0.5; LANES]);
        call.floats(record::COORDINATE + 1, [0.25; LANES]);
        for index in 0..2 {
            call.floats(record::DDX + index, [dx[index as usize]; LANES]);
            call.floats(record::DDY + index, [dy[index as usize]; LANES]);
        }
        let mut record = sampler_record([0; 4]);
        record.max_anisotropy = most;
        call.run(function, &mut image.record(), &mut record);
        call.result_floats(7)[0]
    };
    let texel = 1.0 / 64.0;
    // 8 texels by 1: eight samples at level 0; at most two samples: level 2.
    assert!(run(&mut image, [8.0 * texel, 0.0], [0.0, texel], 16.0).abs() < 1e-3);
    assert!((run(&mut image, [8.0 * texel, 0.0], [0.0, texel], 2.0) - 2.0).abs() < 1e-3);
    assert!((run(&mut image, [0.0, texel], [0.0, 8.0 * texel], 4.0) - 1.0).abs() < 1e-3);
    // Round footprints do as without anisotropy; empty ones are the first level.
    assert!((run(&mut image, [4.0 * texel, 0.0], [0.0, 4.0 * texel], 16.0) - 2.0).abs() < 1e-3);
    assert_eq!(run(&mut image, [0.0; 2], [0.0; 2], 16.0), 0.0);
    assert_eq!(run(&mut image, [f32::NAN; 2], [f32::INFINITY; 2], 16.0).to_bits() >> 31, 0);
    // Where the samples lie: a ramp along x averages to its middle, a step to its share.
    let mut ramp = TestImage::new(shape(Format::R32_SFLOAT, [64, 64, 1], 1, 1));
    for at in positions([64, 64, 1]) {
        let start = ramp.layout.offset(0, 0, 0, at) as usize;
        ramp.set_bytes(start, &(if at[0] < 30 { 0f32 } else { 1.0 }).to_le_bytes());
    }
    let got = run(&mut ramp, [8.0 * texel, 0.0], [0.0, texel], 16.0);
    // Samples at 32 + 8 * (i / 9 - 1/2) texels, i = 1 to 8, each filtered linearly over the step at 30.
    let want =
        (1..=8).map(|i| (32.0 + 8.0 * (f64::from(i) / 9.0 - 0.5) - 29.5).clamp(0.0, 1.0)).sum::<f64>() / 8.0;
    assert!((f64::from(got) - want).abs() < 1e-3, "{got}, not {want}");
}

#[test]
fn gathers_give_the_four_texels() {
    let mut random = Random::new(33);
    let mut functions = Functions::default();
    let format = Format::R8G8B8A8_UINT;
    let mut image = TestImage::random(shape(format, [5, 4, 1], 1, 3), &mut random);
    let mut view = ViewKey::new(format, Aspect::Color, ViewType::D2Array, 1);
    view.swizzle = [Swizzle::A, Swizzle::G, Swizzle::One, Swizzle::Zero];
    let key = SamplerKey {
        address: [AddressMode::ClampToBorder, AddressMode::Repeat, AddressMode::Repeat],
        ..SamplerKey::default()
    };
    let sources = [
        GatherSource::Component0,
        GatherSource::Component1,
        GatherSource::Component2,
        GatherSource::Component3,
    ];
    for offset in [false, true] {
        for (component, source) in sources.into_iter().enumerate() {
            let function = functions.get(&view, Some(&key), ImageOp::Gather { source, lod: None, offset });
            let mut call = CallRecord::default();
            let mut wanted = Vec::new();
            for lane in 0..LANES {
                // Coordinates at texels' centres plus a bit: the four texels are those at and beyond it.
                let (i, j) = (random.below(9) as i64 - 2, random.below(8) as i64 - 2);
                let (x, y) = ((i as f32 + 0.75) / 5.0, (j as f32 + 0.75) / 4.0);
                let layer = random.below(3) as u32;
                let by = [random.below(9) as i64 - 4, random.below(9) as i64 - 4];
                let (di, dj) = if offset { (by[0], by[1]) } else { (0, 0) };
                for (column, bits) in
                    [x.to_bits(), y.to_bits(), (layer as f32).to_bits()].into_iter().enumerate()
                {
                    call.columns[record::COORDINATE as usize + column][lane] = bits;
                }
                call.columns[record::OFFSET as usize][lane] = by[0] as u32;
                call.columns[record::OFFSET as usize + 1][lane] = by[1] as u32;
                wanted.push([(0, 1), (1, 1), (1, 0), (0, 0)].map(|(a, b)| {
                    let (x, y) = (i + di + a, j + dj + b);
                    let texel = if (0..5).contains(&x) {
                        image.texel(Aspect::Color, 0, layer, 0, [x as u32, y.rem_euclid(4) as u32, 0])
                    } else {
                        [70, 71, 72, 73]
                    };
                    [texel[3], texel[1], 1, 0][component] as u32
                }));
            }
            call.run(function, &mut image.record(), &mut sampler_record([70, 71, 72, 73]));
            for (lane, want) in wanted.into_iter().enumerate() {
                assert_eq!(call.result(lane), want, "{source:?} offset {offset}");
            }
        }
    }
    // Compared.
    let mut depth = TestImage::random(shape(Format::D32_SFLOAT, [4, 4, 1], 1, 1), &mut random);
    let view = ViewKey::new(Format::D32_SFLOAT, Aspect::Depth, ViewType::D2, 1);
    let key = SamplerKey { compare: Some(CompareOp::Less), ..SamplerKey::default() };
    let function = functions.get(
        &view,
        Some(&key),
        ImageOp::Gather { source: GatherSource::Dref, lod: None, offset: false },
    );
    let mut call = CallRecord::default();
    call.floats(record::COORDINATE, [0.5; LANES]);
    call.floats(record::COORDINATE + 1, [0.5; LANES]);
    call.floats(record::DREF, [0.5; LANES]);
    call.run(function, &mut depth.record(), &mut sampler_record([0; 4]));
    let want = [[1, 2], [2, 2], [2, 1], [1, 1]].map(|[x, y]| {
        let texel = f32::from_bits(depth.texel(Aspect::Depth, 0, 0, 0, [x, y, 0])[0] as u32);
        if 0.5 < texel { 1.0 } else { 0.0 }
    });
    assert_eq!(call.result_floats(0), want);
}

/// At an edge both texels of a dimension are the last one, on the low side as on the high side.
#[test]
fn gathers_clamp_to_all_edges() {
    let mut random = Random::new(35);
    let mut functions = Functions::default();
    let modes = [AddressMode::ClampToEdge, AddressMode::MirrorClampToEdge, AddressMode::Repeat];
    for (mode, compares) in modes.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        let (format, aspect) = match compares {
            true => (Format::D32_SFLOAT, Aspect::Depth),
            false => (Format::R32_SFLOAT, Aspect::Color),
        };
        let mut image = TestImage::random(shape(format, [5, 4, 1], 1, 1), &mut random);
        let view = ViewKey::new(format, aspect, ViewType::D2, 1);
        let compare = compares.then_some(CompareOp::Less);
        let key = SamplerKey { address: [mode; 3], compare, ..SamplerKey::default() };
        let source = if compares { GatherSource::Dref } else { GatherSource::Component0 };
        let function = functions.get(&view, Some(&key), ImageOp::Gather { source, offset: false, lod: None });
        let wrap = |index: i64, size: i64| match mode {
            AddressMode::Repeat => index.rem_euclid(size),
            AddressMode::MirrorClampToEdge => (if index < 0 { -1 - index } else { index }).min(size - 1),
            _ => index.clamp(0, size - 1),
        };
        for round in 0..8 {
            let mut call = CallRecord::default();
            call.floats(record::DREF, [0.5; LANES]);
            let mut wanted = Vec::new();
            for lane in 0..LANES {
                // The four texels are those at (i, j) and beyond; half of them are at an edge.
                let (i, j) = ((lane as i64 + round) % 7 - 1, (lane as i64 / 3 + round) % 6 - 1);
                call.columns[record::COORDINATE as usize][lane] = ((i as f32 + 0.75) / 5.0).to_bits();
                call.columns[record::COORDINATE as usize + 1][lane] = ((j as f32 + 0.75) / 4.0).to_bits();
                wanted.push([(0, 1), (1, 1), (1, 0), (0, 0)].map(|(a, b)| {
                    let at = [wrap(i + a, 5) as u32, wrap(j + b, 4) as u32, 0];
                    let texel = f32::from_bits(image.texel(aspect, 0, 0, 0, at)[0] as u32);
                    if !compares { texel } else { f32::from(u8::from(0.5 < texel)) }
                }));
            }
            call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
            for (lane, want) in wanted.into_iter().enumerate() {
                assert_eq!(call.result_floats(lane), want, "{mode:?}, compared: {compares}, lane {lane}");
            }
        }
    }
}

/// `VK_EXT_image_view_min_lod`: texels of levels below the least one are not there.
#[test]
fn views_have_a_least_level() {
    let mut functions = Functions::default();
    let mut image = levels_image([8, 8, 1], 4, 1);
    for at in positions([8, 8, 1]) {
        let start = image.layout.offset(0, 0, 0, at) as usize;
        image.set_bytes(start, &7f32.to_le_bytes());
    }
    let view = ViewKey::new(Format::R32_SFLOAT, Aspect::Color, ViewType::D2, 4);
    let gather = ImageOp::Gather { source: GatherSource::Component0, offset: false, lod: None };
    let explicit = op(LodMode::Explicit, false);
    for (least, gathered, fetched, sampled) in [
        (0.0, 7.0, [7.0, 1.0, 2.0, 3.0], 7.0),
        (0.5, 7.0, [7.0, 1.0, 2.0, 3.0], 4.0),
        (1.5, 0.0, [0.0, 1.0, 2.0, 3.0], 1.5),
    ] {
        let mut record = image.record();
        record.min_lod = least;
        let mut call = CallRecord::default();
        call.ints(record::LOD, [0, 1, 2, 3]);
        let fetch = ImageOp::Fetch { offset: false };
        call.run(functions.get(&view, None, fetch), &mut record, &mut sampler_record([0; 4]));
        assert_eq!([0, 1, 2, 3].map(|lane| call.result_floats(lane)[0]), fetched, "{least}");
        let mut call = CallRecord::default();
        call.run(functions.get(&view, Some(&trilinear()), gather), &mut record, &mut sampler_record([0; 4]));
        assert_eq!(call.result_floats(0), [gathered; 4], "{least}");
        call.run(
            functions.get(&view, Some(&trilinear()), explicit),
            &mut record,
            &mut sampler_record([0; 4]),
        );
        assert_eq!(call.result_floats(0)[0], sampled, "{least}");
    }
}

#[test]
fn unnormalized_and_integer_images() {
    let mut random = Random::new(34);
    let mut functions = Functions::default();
    let mut image = TestImage::random(shape(Format::R16G16_SINT, [7, 5, 1], 1, 1), &mut random);
    let view = ViewKey::new(Format::R16G16_SINT, Aspect::Color, ViewType::D2, 1);
    let key =
        SamplerKey { address: [AddressMode::ClampToBorder; 3], unnormalized: true, ..SamplerKey::default() };
    let function = functions.get(&view, Some(&key), op(LodMode::Explicit, false));
    let mut call = CallRecord::default();
    let places: Vec<[f32; 2]> =
        (0..LANES).map(|_| [random.float(-1.0, 8.0), random.float(-1.0, 6.0)]).collect();
    call.floats(record::COORDINATE, places.iter().map(|at| at[0]));
    call.floats(record::COORDINATE + 1, places.iter().map(|at| at[1]));
    call.run(function, &mut image.record(), &mut sampler_record([9, 8, 7, 6]));
    for (lane, [x, y]) in places.into_iter().enumerate() {
        let inside = (0.0..7.0).contains(&x) && (0.0..5.0).contains(&y);
        let want = if inside {
            image.texel(Aspect::Color, 0, 0, 0, [x as u32, y as u32, 0]).map(|bits| bits as u32)
        } else {
            // What the format lacks is 0, alpha 1, in the border too.
            [9, 8, 0, 1]
        };
        assert_eq!(call.result(lane), want, "{x} {y}");
    }
}

#[test]
fn nan_coordinates_stay_inside_the_image() {
    let mut functions = Functions::default();
    let strange = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e9,
        -1e9,
        16_777_217.0,
        -0.0,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        1.0,
        0.999_999_94,
        -1e-10,
        2.0,
        3e38,
    ];
    let mut random = Random::new(35);
    let modes = [
        AddressMode::Repeat,
        AddressMode::MirroredRepeat,
        AddressMode::ClampToEdge,
        AddressMode::ClampToBorder,
        AddressMode::MirrorClampToEdge,
    ];
    let cases = [
        (ViewType::D2, [3, 5, 1], 2, 1),
        (ViewType::D3, [2, 3, 4], 2, 1),
        (ViewType::CubeArray, [4, 4, 1], 3, 12),
        (ViewType::D1Array, [16384, 1, 1], 15, 2),
    ];
    for (view_type, extent, levels, layers) in cases {
        let mut image = TestImage::random(shape(Format::R8G8B8A8_UNORM, extent, levels, layers), &mut random);
        let view = ViewKey::new(Format::R8G8B8A8_UNORM, Aspect::Color, view_type, levels);
        for mode in modes {
            for (filter, anisotropic) in
                [(Filter::Nearest, false), (Filter::Linear, false), (Filter::Linear, true)]
            {
                let key = SamplerKey {
                    mag: Filter::Linear,
                    min: filter,
                    mip: filter,
                    address: [mode; 3],
                    anisotropic,
                    ..SamplerKey::default()
                };
                for lod in [LodMode::Explicit, LodMode::Grad] {
                    let operation = ImageOp::Sample { lod, dref: false, offset: true, min_lod: true };
                    let function = functions.get(&view, Some(&key), operation);
                    for _ in 0..20 {
                        let mut call = CallRecord::default();
                        for column in (0..record::OFFSET).chain([record::LOD_MIN]) {
                            call.columns[column as usize] =
                                [(); LANES].map(|()| random.pick(&strange).to_bits());
                        }
                        for column in record::OFFSET..record::OFFSET + 3 {
                            call.columns[column as usize] = [(); LANES].map(|()| random.bits() as u32);
                        }
                        let mut sampler = sampler_record([0x3f00_0000; 4]);
                        sampler.max_anisotropy = 16.0;
                        // Reads beyond the image would be found by its values: all are within [0, 1].
                        call.run(function, &mut image.record(), &mut sampler);
                        for lane in 0..LANES {
                            for value in call.result_floats(lane) {
                                assert!(
                                    (-1e-6..=1.000_001).contains(&value),
                                    "{view_type:?} {mode:?}: {value}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn srgb_is_decoded_before_filtering() {
    let mut functions = Functions::default();
    let mut image = TestImage::new(shape(Format::R8G8B8A8_SRGB, [2, 1, 1], 1, 1));
    image.memory[0] = 0xff00_00ff_ff00_0000;
    let view = ViewKey::new(Format::R8G8B8A8_SRGB, Aspect::Color, ViewType::D2, 1);
    let function = functions.get(&view, Some(&trilinear()), op(LodMode::Explicit, false));
    let mut call = CallRecord::default();
    call.floats(record::COORDINATE, [0.5; LANES]);
    call.floats(record::COORDINATE + 1, [0.5; LANES]);
    call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
    assert_eq!(call.result_floats(0), [0.5, 0.0, 0.0, 1.0]);
    let texel = host::decode(Format::R8G8B8A8_SRGB, Aspect::Color, &[128, 0, 0, 128]);
    assert!((f32::from_bits(texel[0] as u32) - 0.215_86).abs() < 1e-4, "alpha is linear");
    assert!((f32::from_bits(texel[3] as u32) - 128.0 / 255.0).abs() < 1e-6);
}
