//! Block compression: against texels that other decoders give, and against plain arithmetic.

use crate::support::image::{CallRecord, Functions, LANES, TestImage, sampler_record};
use crate::support::{Random, Runnable};
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_image::access::build;
use pyro_image::layout::ImageShape;
use pyro_image::{Aspect, Filter, Format, SamplerKey, ViewKey, ViewType};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

const FETCH: ImageOp = ImageOp::Fetch { offset: false };

fn shape(format: Format, extent: [u32; 3]) -> ImageShape {
    ImageShape {
        format,
        extent,
        levels: 1,
        layers: 1,
        samples: 1,
        is_3d: is_3d(format),
        corner_sampled: false,
    }
}

/// Whether a format is for three-dimensional images only.
fn is_3d(format: Format) -> bool {
    format.block_extent()[2] > 1
}

/// A view of an image of one level.
fn view(format: Format) -> ViewKey {
    let view_type = if is_3d(format) { ViewType::D3 } else { ViewType::D2 };
    ViewKey::new(format, Aspect::Color, view_type, 1)
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal"))
        .collect()
}

/// The function that fetches from a view. Those of compressed formats are long, so all tests share them.
fn fetch(view: &ViewKey) -> &'static Runnable {
    type Made = BTreeMap<String, &'static OnceLock<Runnable>>;
    static MADE: Mutex<Made> = Mutex::new(Made::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let cell = *made.entry(format!("{view:?}")).or_insert_with(|| Box::leak(Box::default()));
    drop(made);
    cell.get_or_init(|| {
        let function = build(Some(view), None, FETCH, LANES as u32);
        Runnable::new(function.unwrap_or_else(|error| panic!("{error}: {view:?}")))
    })
}

/// All texels of a block, row by row, that lies behind another one in all dimensions of an image.
fn decode(format: Format, block: &[u8]) -> Vec<[f32; 4]> {
    decode_as(&view(format), block)
}

fn decode_as(view: &ViewKey, block: &[u8]) -> Vec<[f32; 4]> {
    let format = view.format;
    let [width, height, depth] = format.block_extent();
    let (slices, z) = if is_3d(format) { (2 * depth + 1, 1) } else { (1, 0) };
    let mut image = TestImage::new(shape(format, [3 * width - 1, 2 * height + 1, slices]));
    let start = image.layout.offset(0, 0, 0, [1, 1, z]) as usize;
    image.set_bytes(start, block);
    let count = (width * height * depth) as usize;
    let mut texels = Vec::new();
    for first in (0..count).step_by(LANES) {
        let lanes = first as u32..(first + LANES).min(count) as u32;
        let mut call = CallRecord::default();
        call.ints(record::COORDINATE, lanes.clone().map(|texel| width + texel % width));
        call.ints(record::COORDINATE + 1, lanes.clone().map(|texel| height + texel / width % height));
        if is_3d(format) {
            let slice = |texel| depth + texel / (width * height);
            call.ints(record::COORDINATE + 2, lanes.clone().map(slice));
        }
        call.run(fetch(view), &mut image.record(), &mut sampler_record([0; 4]));
        texels.extend((0..lanes.len()).map(|lane| call.result_floats(lane)));
    }
    if view.astc_unorm8 {
        return texels;
    }
    let host = pyro_image::texel::decode_block(format, block).expect("a compressed format");
    assert_eq!(host.len(), texels.len());
    for (number, (got, want)) in texels.iter().zip(host).enumerate() {
        let same = got.iter().zip(want).all(|(got, want)| {
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || *got == 0.0 && want == 0.0
        });
        assert!(same, "{format:?} {block:x?}, texel {number}: {got:?}, and on the host {want:?}");
    }
    texels
}

/// Out of bounds, whatever a block of zeros would decode to: zeros, and an alpha of 1 where the format has
/// none ("Robust Image Access 2").
#[test]
fn fetches_out_of_bounds_give_zeros() {
    let mut random = Random::new(41);
    for &format in Format::ALL.iter().filter(|format| format.is_compressed()) {
        let [width, height, depth] = format.block_extent();
        let [width, height] = [2 * width, 2 * height];
        let mut image = TestImage::random(shape(format, [width, height, depth]), &mut random);
        let function = fetch(&view(format));
        let mut call = CallRecord::default();
        let outside = [(width, 0), (0, height), (u32::MAX, 1), (3, u32::MAX), (width + 7, height + 9)];
        let places = outside.map(|(x, y)| (x, y, 0)).into_iter().chain([(0, 0, 1), (1, 1, u32::MAX)]);
        for (lane, (x, y, level)) in places.clone().cycle().take(LANES).enumerate() {
            call.columns[record::COORDINATE as usize][lane] = x;
            call.columns[record::COORDINATE as usize + 1][lane] = y;
            call.columns[record::LOD as usize][lane] = level;
        }
        call.run(function, &mut image.record(), &mut sampler_record([0; 4]));
        let alpha = if format.component(pyro_image::Channel::A).is_some() { 0.0 } else { 1.0 };
        for lane in 0..LANES {
            assert_eq!(call.result_floats(lane), [0.0, 0.0, 0.0, alpha], "{format:?}, lane {lane}");
        }
    }
}

/// Blocks, one a line: format, block, 16 texels of 8-bit components or 16-bit floats.
#[test]
fn blocks_agree_with_other_decoders() {
    let mut count = 0;
    for line in include_str!("../data/bc.txt").lines() {
        let [name, block, texels] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("three words") };
        let format = *Format::ALL.iter().find(|format| format.info().name == name).expect("a format");
        let got = decode(format, &bytes(block));
        let floats = name.starts_with("BC6H");
        let components = format.info().components.len();
        let values: Vec<f64> = if floats {
            let halves = bytes(texels);
            halves
                .chunks(2)
                .map(|pair| half::f16::from_bits(u16::from_be_bytes([pair[0], pair[1]])).to_f64())
                .collect()
        } else {
            bytes(texels).into_iter().map(|byte| f64::from(byte) / 255.0).collect()
        };
        // Decoders to bytes round what BC1 to BC5 interpolate; BC6H and BC7 are exact.
        let tolerance: f64 = if floats || name.starts_with("BC7") { 1e-7 } else { 1.01 / 255.0 };
        for (texel, (got, want)) in got.iter().zip(values.chunks(components)).enumerate() {
            for (got, &want) in got.iter().zip(want) {
                let near = (f64::from(*got) - want).abs() <= tolerance.max(want.abs() * tolerance);
                assert!(near, "{name} {block} texel {texel}: {got}, not {want}");
            }
        }
        count += 1;
    }
    assert!(count > 120);
}

/// Blocks, one a line: format, block, texels as the Khronos tests' decoders give them: bytes; of EAC, 16
/// bits; of ASTC without transfer function, 16 bits before they become halves.
#[test]
fn blocks_agree_with_the_reference() {
    let mut names = std::collections::BTreeSet::new();
    for line in include_str!("../data/etc_astc.txt").lines() {
        let [name, block, texels] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("three words") };
        let format = *Format::ALL.iter().find(|format| format.info().name == name).expect("a format");
        let components = format.info().components.len();
        let got = decode(format, &bytes(block));
        let words = bytes(texels);
        let pairs = || words.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let wide = name.starts_with("EAC") || name.starts_with("ASTC") && !format.is_srgb();
        let values: Vec<f64> = if !wide {
            words.iter().map(|&byte| f64::from(byte) / 255.0).collect()
        } else if name.contains("SNORM") {
            pairs().map(|word| f64::from(word as i16) / 1023.0).collect()
        } else if name.starts_with("EAC") {
            pairs().map(|word| f64::from(word) / 2047.0).collect()
        } else {
            pairs().map(|word| if word == 0xffff { 1.0 } else { f64::from(word) / 65536.0 }).collect()
        };
        assert_eq!(values.len(), got.len() * components, "{name}");
        for (texel, (got, want)) in got.iter().zip(values.chunks(components)).enumerate() {
            for (component, (&got, &want)) in got.iter().zip(want).enumerate() {
                let (got, want) = (f64::from(got), want);
                let same = match (format.is_srgb(), component) {
                    // By the specification alpha is repeated to 16 bits; these decoders treat it as the
                    // colour.
                    (true, 3) => (got - want).abs() < 1.01 / 255.0,
                    (true, _) => {
                        let linear =
                            if want <= 0.04045 { want / 12.92 } else { ((want + 0.055) / 1.055).powf(2.4) };
                        (got - linear).abs() < 1e-5
                    }
                    _ if wide && components == 4 => {
                        got <= want
                            && f64::from(half::f16::from_f64(got)) == got
                            && want - got < want / 1024.0 + 1e-9
                    }
                    _ => (got - want).abs() < 1e-7,
                };
                assert!(same, "{name} {block} texel {texel}, component {component}: {got}, not {want}");
            }
        }
        names.insert(name);
    }
    assert!(names.len() > 20);
}

/// Blocks of ASTC that may be of high dynamic range, one a line: format, block, texels as the Khronos tests'
/// decoder gives them, as halves.
#[test]
fn high_range_blocks_agree_with_the_reference() {
    let (mut count, mut large) = (0, 0);
    for line in include_str!("../data/astc_high_range.txt").lines() {
        let [name, block, texels] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("three words") };
        let format = *Format::ALL.iter().find(|format| format.info().name == name).expect("a format");
        let got = decode(format, &bytes(block));
        let halves = bytes(texels);
        let want: Vec<f32> = halves
            .chunks(2)
            .map(|pair| half::f16::from_bits(u16::from_be_bytes([pair[0], pair[1]])).to_f32())
            .collect();
        assert_eq!(got.concat(), want, "{name} {block}");
        count += 1;
        large += usize::from(want.iter().any(|&value| value > 1.0));
        // The format of low dynamic range of the same blocks has the error's colour there.
        if want.iter().any(|&value| value > 1.0) {
            let low = format.info().name.replace("SFLOAT", "UNORM");
            let low = *Format::ALL.iter().find(|format| format.info().name == low).expect("a format");
            let texels = decode(low, &bytes(block));
            assert!(texels.contains(&[1.0, 0.0, 1.0, 1.0]), "{name} {block}");
        }
    }
    assert!(count > 70 && large > 40, "{count} blocks, {large} with large values");
}

/// Blocks of one colour, as halves and as bytes, and an invalid block.
#[test]
fn blocks_of_one_color() {
    let block = "fcfdffffffffffff3412ffff0000cdab";
    let half = |word: u16| f32::from_bits((f32::from(word) / 65536.0).to_bits() & !0x1fff);
    let error = [1.0, 0.0, 1.0, 1.0];
    for format in [Format::ASTC_4x4_UNORM_BLOCK, Format::ASTC_10x5_UNORM_BLOCK] {
        let texels = decode(format, &bytes(block));
        assert!(texels.iter().all(|&texel| texel == [half(0x1234), 1.0, 0.0, half(0xabcd)]), "{texels:?}");
        let view = ViewKey { astc_unorm8: true, ..ViewKey::new(format, Aspect::Color, ViewType::D2, 1) };
        let texels = decode_as(&view, &bytes(block));
        let near = |got: f32, want: u8| (got - f32::from(want) / 255.0).abs() < 1e-7;
        assert!(texels.iter().all(|&[r, g, b, a]| near(r, 0x12) && g == 1.0 && b == 0.0 && near(a, 0xab)));
        // High dynamic range, an extent that is none, modes that are reserved.
        for wrong in [
            "fcffffffffffffff3412ffff0000cdab",
            "fcfd00000000000034120000000000ff",
            "00000000000000000000000000000000",
            "c4010000000000000000000000000000",
        ] {
            let texels = decode(format, &bytes(wrong));
            assert!(texels.iter().all(|&texel| texel == error), "{wrong}: {texels:?}");
        }
    }
}

/// ETC2's and EAC's blocks of zeros, and with single fields.
#[test]
fn modifiers_of_etc_blocks() {
    let all = |format, block: &str, want: [f32; 4]| {
        let near = |texel: &[f32; 4]| texel.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-7);
        let texels = decode(format, &bytes(block));
        assert!(texels.iter().all(near), "{format:?} {block}: {texels:?}, not {want:?}");
    };
    let gray = |byte: u8| [f32::from(byte) / 255.0; 3];
    let with = |[red, green, blue]: [f32; 3], alpha: f32| [red, green, blue, alpha];
    // The first table's smaller distance up from black; its greater one down from 0x88.
    all(Format::ETC2_R8G8B8_UNORM_BLOCK, "0000000000000000", with(gray(2), 1.0));
    all(Format::ETC2_R8G8B8_UNORM_BLOCK, "88888800ffffffff", with(gray(0x80), 1.0));
    // With a bit of alpha, the middle code is no colour, and the first has no distance.
    all(Format::ETC2_R8G8B8A1_UNORM_BLOCK, "0000000000000000", [0.0, 0.0, 0.0, 1.0]);
    all(Format::ETC2_R8G8B8A1_UNORM_BLOCK, "80808000ffff0000", [0.0; 4]);
    all(Format::ETC2_R8G8B8A1_UNORM_BLOCK, "00000002ffff0000", [0.0, 0.0, 0.0, 1.0]);
    // Alpha of 0x80 + 1 * -3.
    all(Format::ETC2_R8G8B8A8_UNORM_BLOCK, "80100000000000000000000000000000", with(gray(2), 125.0 / 255.0));
    // Without a factor, modifiers count an eighth.
    all(Format::EAC_R11_UNORM_BLOCK, "0000000000000000", [1.0 / 2047.0, 0.0, 0.0, 1.0]);
    all(Format::EAC_R11_SNORM_BLOCK, "8000000000000000", [-1019.0 / 1023.0, 0.0, 0.0, 1.0]);
    all(Format::EAC_R11_SNORM_BLOCK, "8010000000000000", [-1.0, 0.0, 0.0, 1.0]);
    let both = "00000000000000007f1fffffffffffff";
    all(Format::EAC_R11G11_UNORM_BLOCK, both, [1.0 / 2047.0, (127.0 * 8.0 + 4.0 + 64.0) / 2047.0, 0.0, 1.0]);
}

#[test]
fn random_blocks_agree_with_the_host() {
    let mut random = Random::new(43);
    // Texels of several blocks are compared in `pvrtc`.
    let is_alone = |format: &&Format| format.is_compressed() && !format.has_blocks_around();
    for &format in Format::ALL.iter().filter(is_alone) {
        for _ in 0..60 {
            let mut block: Vec<u8> = (0..format.block_bytes()).map(|_| random.bits() as u8).collect();
            // Modes with many zeros, too.
            block[0] &= (0xff00 >> random.below(9)) as u8 | random.bits() as u8;
            decode(format, &block);
        }
    }
}

#[test]
fn signed_channels() {
    let mut random = Random::new(41);
    for _ in 0..40 {
        let mut block = random.bits().to_le_bytes();
        if random.below(4) == 0 {
            block[random.below(2) as usize] = 0x80;
        }
        let whole = u64::from_le_bytes(block);
        let got = decode(Format::BC4_SNORM_BLOCK, &block);
        let (x, y) = (block[0] as i8, block[1] as i8);
        let value = |end: i8| f64::from(end.max(-127)) / 127.0;
        for (texel, got) in got.into_iter().enumerate() {
            let code = f64::from((whole >> (16 + 3 * texel) & 7) as u8);
            let parts = if x > y { 7.0 } else { 5.0 };
            let want = match code as u8 {
                0 => value(x),
                1 => value(y),
                6 if x <= y => -1.0,
                7 if x <= y => 1.0,
                _ => (value(x) * (parts + 1.0 - code) + value(y) * (code - 1.0)) / parts,
            };
            assert!(
                (f64::from(got[0]) - want).abs() < 1e-6,
                "{block:x?} texel {texel}: {} not {want}",
                got[0]
            );
            assert_eq!(got[1..], [0.0, 0.0, 1.0]);
        }
    }
}

#[test]
fn color_blocks() {
    // Full red to full blue, falling and rising, codes 0 to 3.
    let falling = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    let rising = [0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4];
    let near = |got: [f32; 4], want: [f32; 4]| {
        assert!(got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-6), "{got:?}, not {want:?}");
    };
    let third = 1.0 / 3.0;
    let texels = decode(Format::BC1_RGBA_UNORM_BLOCK, &falling);
    near(texels[0], [1.0, 0.0, 0.0, 1.0]);
    near(texels[5], [0.0, 0.0, 1.0, 1.0]);
    near(texels[6], [2.0 * third, 0.0, third, 1.0]);
    near(texels[7], [third, 0.0, 2.0 * third, 1.0]);
    let texels = decode(Format::BC1_RGBA_UNORM_BLOCK, &rising);
    near(texels[2], [0.5, 0.0, 0.5, 1.0]);
    near(texels[3], [0.0; 4]);
    let texels = decode(Format::BC1_RGB_UNORM_BLOCK, &rising);
    near(texels[3], [0.0, 0.0, 0.0, 1.0]);
    // Transfer functions apply to what was interpolated; alpha is linear.
    let texels = decode(Format::BC1_RGBA_SRGB_BLOCK, &falling);
    assert!((texels[6][0] - 0.401_98).abs() < 1e-4);
    let mut block = [0u8; 16];
    block[..8].copy_from_slice(&[0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe]);
    block[8..].copy_from_slice(&rising);
    let texels = decode(Format::BC2_SRGB_BLOCK, &block);
    for (texel, value) in texels.iter().enumerate() {
        assert!((value[3] - texel as f32 / 15.0).abs() < 1e-6);
    }
    // BC2 and BC3 have no black.
    assert!((texels[3][0] - 0.401_98).abs() < 1e-4 && (texels[3][2] - 0.090_84).abs() < 1e-4);
}

/// Filtering meets texels of several blocks, and the same texels as fetching.
#[test]
fn filters_meet_the_fetched_texels() {
    let mut random = Random::new(42);
    for format in [
        Format::BC1_RGBA_UNORM_BLOCK,
        Format::BC4_SNORM_BLOCK,
        Format::BC7_UNORM_BLOCK,
        Format::ETC2_R8G8B8A8_UNORM_BLOCK,
        Format::EAC_R11G11_SNORM_BLOCK,
        Format::ASTC_5x4_UNORM_BLOCK,
        Format::ASTC_8x6_SRGB_BLOCK,
    ] {
        let mut functions = Functions::default();
        let mut image = TestImage::random(shape(format, [10, 7, 1]), &mut random);
        let view = ViewKey::new(format, Aspect::Color, ViewType::D2, 1);
        let key = SamplerKey { mag: Filter::Linear, min: Filter::Linear, ..SamplerKey::default() };
        let sample = ImageOp::Sample { lod: LodMode::Explicit, dref: false, offset: false, min_lod: false };
        for _ in 0..8 {
            let places: Vec<[f32; 2]> =
                (0..LANES).map(|_| [random.float(0.0, 1.0), random.float(0.0, 1.0)]).collect();
            let mut call = CallRecord::default();
            call.floats(record::COORDINATE, places.iter().map(|at| at[0]));
            call.floats(record::COORDINATE + 1, places.iter().map(|at| at[1]));
            call.run(
                functions.get(&view, Some(&key), sample),
                &mut image.record(),
                &mut sampler_record([0; 4]),
            );
            for (lane, at) in places.into_iter().enumerate() {
                let (u, v) = (f64::from(at[0]) * 10.0 - 0.5, f64::from(at[1]) * 7.0 - 0.5);
                let mut fetched = CallRecord::default();
                for tap in 0..4 {
                    let (x, y) = (u.floor() as i32 + (tap & 1), v.floor() as i32 + (tap >> 1));
                    fetched.columns[record::COORDINATE as usize][tap as usize] = x.rem_euclid(10) as u32;
                    fetched.columns[record::COORDINATE as usize + 1][tap as usize] = y.rem_euclid(7) as u32;
                }
                let fetch = fetch(&view);
                fetched.run(fetch, &mut image.record(), &mut sampler_record([0; 4]));
                let (a, b) = (u - u.floor(), v - v.floor());
                for component in 0..4 {
                    let tap = |tap: usize| f64::from(fetched.result_floats(tap)[component]);
                    let want =
                        (tap(0) * (1.0 - a) + tap(1) * a) * (1.0 - b) + (tap(2) * (1.0 - a) + tap(3) * a) * b;
                    let got = f64::from(call.result_floats(lane)[component]);
                    assert!((got - want).abs() < 1e-4, "{format:?} at {at:?}: {got}, not {want}");
                }
            }
        }
    }
}
