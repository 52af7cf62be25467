//! Texel conversions: builder functions against plain Rust, and both against what the formats say.

use crate::support::{Random, per_lane, run_per_lane};
use pyro_image::format::Numeric;
use pyro_image::texel::{self, host};
use pyro_image::{Aspect, Format, NumericClass};
use pyro_ir::{MemoryOp, Scalar, Space};

const ASPECTS: [Aspect; 3] = [Aspect::Color, Aspect::Depth, Aspect::Stencil];

fn cases() -> impl Iterator<Item = (Format, Aspect)> {
    let formats = Format::ALL.iter().filter(|format| !format.is_compressed());
    formats.flat_map(|&format| {
        ASPECTS
            .into_iter()
            .filter(move |&aspect| format.has_aspect(aspect))
            .map(move |aspect| (format, aspect))
    })
}

/// Equal bits, or both NaN.
fn same(scalar: Scalar, x: u64, y: u64) -> bool {
    match scalar {
        Scalar::F32 => x == y || f32::from_bits(x as u32).is_nan() && f32::from_bits(y as u32).is_nan(),
        Scalar::F64 => x == y || f64::from_bits(x).is_nan() && f64::from_bits(y).is_nan(),
        _ => x == y,
    }
}

/// One lane's memory: the texel (32 bytes), then four values of 8 bytes.
const STRIDE: usize = 64;

#[test]
fn decoding_agrees_with_the_host() {
    let mut random = Random::new(1);
    for (format, aspect) in cases() {
        let scalar = texel::value_scalar(format, aspect);
        let function = per_lane(STRIDE as u32, |b, base, offset| {
            let memory = MemoryOp::new(Space::Global);
            let always = b.bool(true);
            let words = texel::load_words(b, format, memory, base, offset, always);
            for (index, value) in texel::decode(b, format, aspect, &words).into_iter().enumerate() {
                b.store(memory.at(32 + 8 * index as i32), base, offset, value, always);
            }
        });
        let mut memory: Vec<u64> = (0..STRIDE / 8 * 1024).map(|_| random.bits()).collect();
        for lane in memory.chunks_mut(STRIDE / 8) {
            lane[4..].fill(0);
        }
        // All texels of 8 and 16 bits that fit.
        for (index, lane) in memory.chunks_mut(STRIDE / 8).enumerate() {
            if format.block_bytes() == 1 {
                lane[0] = index as u64;
            }
        }
        let words = memory.clone();
        run_per_lane(&function, STRIDE, &mut memory);
        for (lane, from) in memory.chunks(STRIDE / 8).zip(words.chunks(STRIDE / 8)) {
            let bytes: Vec<u8> = from[..4].iter().flat_map(|word| word.to_le_bytes()).collect();
            let want = host::decode(format, aspect, &bytes);
            for (&got, want) in lane[4..].iter().zip(want) {
                assert!(
                    same(scalar, got, want),
                    "{format:?} {aspect:?}: {got:#x}, not {want:#x}, of {from:x?}"
                );
            }
        }
    }
}

/// A value that is interesting for a format.
fn interesting(random: &mut Random, class: NumericClass) -> u32 {
    if class != NumericClass::Float {
        return random.bits() as u32 >> random.below(32);
    }
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 65504.0, 65520.0, 1e-7];
    match random.below(6) {
        0 => random.pick(&special).to_bits(),
        1 => random.bits() as u32,
        2 => (random.below(65536) as f32 / 255.0 / 128.0).to_bits(),
        3 => random.float(-100.0, 70_000.0).to_bits(),
        _ => random.float(-1.1, 1.1).to_bits(),
    }
}

#[test]
fn encoding_agrees_with_the_host() {
    let mut random = Random::new(2);
    for (format, aspect) in cases() {
        let scalar = texel::value_scalar(format, aspect);
        let function = per_lane(STRIDE as u32, |b, base, offset| {
            let memory = MemoryOp::new(Space::Global);
            let always = b.bool(true);
            let values =
                [0, 1, 2, 3].map(|index| b.load(scalar, memory.at(32 + 8 * index), base, offset, always));
            let old = texel::load_words(b, format, memory, base, offset, always);
            let words = texel::encode_aspect(b, format, aspect, values, &old);
            texel::store_words(b, format, memory, base, offset, &words, always);
        });
        let mut memory: Vec<u64> = (0..STRIDE / 8 * 2048).map(|_| random.bits()).collect();
        for lane in memory.chunks_mut(STRIDE / 8) {
            for value in &mut lane[4..] {
                if !format.is_64_bit() {
                    *value = interesting(&mut random, format.numeric_class(aspect)).into();
                }
            }
        }
        let words = memory.clone();
        run_per_lane(&function, STRIDE, &mut memory);
        for (lane, from) in memory.chunks(STRIDE / 8).zip(words.chunks(STRIDE / 8)) {
            let mut want: Vec<u8> = from[..4].iter().flat_map(|word| word.to_le_bytes()).collect();
            let got: Vec<u8> = lane[..4].iter().flat_map(|word| word.to_le_bytes()).collect();
            host::encode(format, aspect, [from[4], from[5], from[6], from[7]], &mut want);
            let values = |bytes: &[u8]| host::decode(format, aspect, bytes);
            let equal =
                got == want || values(&got).iter().zip(values(&want)).all(|(&x, y)| same(scalar, x, y));
            assert!(equal, "{format:?} {aspect:?}: {got:x?}, not {want:x?}, of {:x?}", &from[4..]);
        }
    }
}

#[test]
fn texels_survive_decoding_and_encoding() {
    let mut random = Random::new(3);
    for (format, aspect) in cases() {
        for _ in 0..2000 {
            let mut bytes = [0u8; 32];
            bytes.iter_mut().for_each(|byte| *byte = random.bits() as u8);
            let values = host::decode(format, aspect, &bytes);
            let mut again = bytes;
            host::encode(format, aspect, values, &mut again);
            let scalar = texel::value_scalar(format, aspect);
            let back = host::decode(format, aspect, &again);
            assert!(back.iter().zip(values).all(|(&x, y)| same(scalar, x, y)), "{format:?}: {bytes:x?}");
            let unique = !format.is_shared_exponent()
                && format.info().components.iter().all(|component| {
                    matches!(
                        component.numeric,
                        Numeric::UNorm | Numeric::UInt | Numeric::SInt | Numeric::Srgb
                    ) && (component.bits as u32 + component.offset as u32) <= format.block_bytes() * 8
                });
            let full: u32 = format.info().components.iter().map(|component| u32::from(component.bits)).sum();
            if unique && full == format.block_bytes() * 8 {
                assert_eq!(again, bytes, "{format:?} {aspect:?}");
            }
        }
    }
}

#[test]
fn known_texels() {
    let float = |format: Format, bytes: &[u8]| {
        host::decode(format, Aspect::Color, bytes).map(|bits| f32::from_bits(bits as u32))
    };
    assert_eq!(float(Format::B8G8R8A8_UNORM, &[255, 0, 51, 255]), [0.2, 0.0, 1.0, 1.0]);
    assert_eq!(float(Format::R5G6B5_UNORM_PACK16, &[0x1f, 0xf8]), [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(float(Format::R8_SNORM, &[0x80]), [-1.0, 0.0, 0.0, 1.0]);
    assert_eq!(float(Format::B10G11R11_UFLOAT_PACK32, &0x781e_03c0u32.to_le_bytes()), [1.0, 1.0, 1.0, 1.0]);
    assert_eq!(float(Format::E5B9G9R9_UFLOAT_PACK32, &0x8402_0100u32.to_le_bytes()), [1.0, 1.0, 1.0, 1.0]);
    assert_eq!(float(Format::A8_UNORM, &[255]), [0.0, 0.0, 0.0, 1.0]);
    let depth = host::decode(Format::D24_UNORM_S8_UINT, Aspect::Depth, &[0xff, 0xff, 0xff, 7]);
    assert_eq!(depth.map(|bits| f32::from_bits(bits as u32)), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(host::decode(Format::D24_UNORM_S8_UINT, Aspect::Stencil, &[1, 2, 3, 7]), [7, 0, 0, 1]);
    assert_eq!(host::decode(Format::R8_SINT, Aspect::Color, &[0xff]), [0xffff_ffff, 0, 0, 1]);
    let mut bytes = [0x11; 4];
    host::encode(Format::D24_UNORM_S8_UINT, Aspect::Stencil, [0x1ab, 0, 0, 0], &mut bytes);
    assert_eq!(bytes, [0x11, 0x11, 0x11, 0xab]);
}
