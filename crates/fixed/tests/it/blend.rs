//! Blending, logic operations and write masks against plain arithmetic.

use crate::support::{LANES, Pixel, Random, Shader, draw, flat_setup, fragment_function};
use pyro_abi::DrawContext;
use pyro_fixed::state::{
    AdvancedBlend, AdvancedOp, BlendEquation, BlendFactor, BlendOp, BlendOverlap, ColorAttachmentKey, LogicOp,
};
use pyro_fixed::{FragmentOutputKey, Variant};
use pyro_image::texel::host;
use pyro_image::{Aspect, Format};

fn key(format: Format, blend: Option<BlendEquation>, write_mask: u8) -> FragmentOutputKey {
    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    key.colors[0] = Some(ColorAttachmentKey { format, blend, write_mask });
    key
}

fn range(format: Format) -> Option<(f64, f64)> {
    match format.info().name {
        name if name.contains("SNORM") => Some((-1.0, 1.0)),
        name if name.contains("UNORM") || name.contains("SRGB") => Some((0.0, 1.0)),
        _ => None,
    }
}

struct Colors {
    source: [f64; 4],
    second: [f64; 4],
    target: [f64; 4],
    constant: [f64; 4],
}

fn factor(colors: &Colors, factor: BlendFactor, at: usize) -> f64 {
    use BlendFactor as F;
    let Colors { source, second, target, constant } = colors;
    match factor {
        F::Zero => 0.0,
        F::One => 1.0,
        F::SrcColor => source[at],
        F::OneMinusSrcColor => 1.0 - source[at],
        F::DstColor => target[at],
        F::OneMinusDstColor => 1.0 - target[at],
        F::SrcAlpha => source[3],
        F::OneMinusSrcAlpha => 1.0 - source[3],
        F::DstAlpha => target[3],
        F::OneMinusDstAlpha => 1.0 - target[3],
        F::ConstantColor => constant[at],
        F::OneMinusConstantColor => 1.0 - constant[at],
        F::ConstantAlpha => constant[3],
        F::OneMinusConstantAlpha => 1.0 - constant[3],
        F::SrcAlphaSaturate => {
            if at == 3 {
                1.0
            } else {
                source[3].min(1.0 - target[3])
            }
        }
        F::Src1Color => second[at],
        F::OneMinusSrc1Color => 1.0 - second[at],
        F::Src1Alpha => second[3],
        F::OneMinusSrc1Alpha => 1.0 - second[3],
    }
}

fn blend(colors: &Colors, equation: &BlendEquation, range: Option<(f64, f64)>) -> [f64; 4] {
    let clamp = |value: f64| range.map_or(value, |(least, most)| value.clamp(least, most));
    let colors = Colors {
        source: colors.source.map(clamp),
        second: colors.second.map(clamp),
        target: colors.target,
        constant: colors.constant.map(clamp),
    };
    [0, 1, 2, 3].map(|at| {
        let (op, source, target) = if at == 3 {
            (equation.alpha_op, equation.src_alpha, equation.dst_alpha)
        } else {
            (equation.color_op, equation.src_color, equation.dst_color)
        };
        let (s, d) = (colors.source[at], colors.target[at]);
        let term = |value: f64, name| value * factor(&colors, name, at);
        clamp(match op {
            BlendOp::Add => term(s, source) + term(d, target),
            BlendOp::Subtract => term(s, source) - term(d, target),
            BlendOp::ReverseSubtract => term(d, target) - term(s, source),
            BlendOp::Min => s.min(d),
            BlendOp::Max => s.max(d),
        })
    })
}

fn floats(format: Format, bytes: &[u8]) -> [f64; 4] {
    host::decode(format, Aspect::Color, bytes).map(|bits| f64::from(f32::from_bits(bits as u32)))
}

#[test]
fn random_equations() {
    let mut random = Random::new(3);
    let formats = [
        (Format::R8G8B8A8_UNORM, 0.51 / 255.0),
        (Format::B8G8R8A8_UNORM, 0.51 / 255.0),
        (Format::R8G8B8A8_SNORM, 0.51 / 127.0),
        (Format::R5G6B5_UNORM_PACK16, 0.51 / 31.0),
        (Format::A2B10G10R10_UNORM_PACK32, 0.51 / 3.0),
        (Format::R16G16B16A16_SFLOAT, 2e-3),
        (Format::R32G32B32A32_SFLOAT, 1e-6),
        // Half a step of the encoding, at its widest in linear values.
        (Format::R8G8B8A8_SRGB, 5e-3),
    ];
    for round in 0..200 {
        let (format, tolerance) = formats[round % formats.len()];
        let mut factor = || random.pick(BlendFactor::ALL);
        let [src_color, dst_color, src_alpha, dst_alpha] = [factor(), factor(), factor(), factor()];
        let equation = BlendEquation {
            src_color,
            dst_color,
            color_op: random.pick(BlendOp::ALL),
            src_alpha,
            dst_alpha,
            alpha_op: random.pick(BlendOp::ALL),
            advanced: None,
        };
        let write_mask = random.pick(&[15, 15, 15, 5, 8, 6]);
        let function = fragment_function(
            &key(format, Some(equation), write_mask),
            Variant::PackedQuads,
            Shader::default(),
        );
        let bytes = format.block_bytes() as usize;
        let mut memory = vec![0u8; LANES * bytes];
        let pixels: Vec<Pixel> = (0..LANES)
            .map(|_| {
                let words = [(); 10].map(|()| random.float(-0.5, 1.5).to_bits());
                Pixel { setup: flat_setup(0.5, true), words, coverage: 1 }
            })
            .collect();
        for texel in memory.chunks_mut(bytes) {
            let values = [(); 4].map(|()| u64::from(random.float(0.0, 1.0).to_bits()));
            host::encode(format, Aspect::Color, values, texel);
        }
        let old = memory.clone();
        let mut context = Box::new(DrawContext::default());
        context.blend_constants = [0.25, -0.5, 1.25, 0.75];
        draw(&function, true, &mut context, &pixels, &mut memory, &mut [0; 64], (bytes as u32, 4));
        for (lane, pixel) in pixels.iter().enumerate() {
            let texel = lane * bytes..(lane + 1) * bytes;
            let word = |at: usize| f64::from(f32::from_bits(pixel.words[at]));
            let target = floats(format, &old[texel.clone()]);
            let colors = Colors {
                source: [0, 1, 2, 3].map(word),
                second: [4, 5, 6, 7].map(word),
                target,
                constant: context.blend_constants.map(f64::from),
            };
            let wanted = blend(&colors, &equation, range(format));
            let got = floats(format, &memory[texel]);
            for at in 0..4 {
                if format == Format::R5G6B5_UNORM_PACK16 && at == 3 {
                    continue;
                }
                let wanted = if write_mask >> at & 1 != 0 { wanted[at] } else { target[at] };
                let near = (got[at] - wanted).abs() <= tolerance * wanted.abs().max(1.0);
                assert!(near, "{format:?} {equation:?} lane {lane} component {at}: {} {wanted}", got[at]);
            }
        }
    }
}

#[test]
fn logic_operations_and_masks_of_integers() {
    let mut random = Random::new(9);
    for (number, &op) in LogicOp::ALL.iter().enumerate() {
        let write_mask = if number % 3 == 0 { 0b0101 } else { 15 };
        let format = if number % 2 == 0 { Format::R8G8B8A8_UINT } else { Format::R8G8B8A8_UNORM };
        let mut key = key(format, None, write_mask);
        key.logic_op = Some(op);
        let function =
            fragment_function(&key, Variant::PackedQuads, Shader { discards: true, ..Shader::default() });
        let mut memory = [(); 64].map(|()| random.bits() as u8);
        let old = memory;
        let pixels: Vec<Pixel> = (0..LANES)
            .map(|_| {
                let mut words = [0; 10];
                for word in &mut words {
                    let byte = random.below(256) as u32;
                    *word = if number % 2 == 0 { byte } else { (byte as f32 / 255.0).to_bits() };
                }
                Pixel { setup: flat_setup(0.5, true), words, coverage: 1 }
            })
            .collect();
        draw(&function, true, &mut DrawContext::default(), &pixels, &mut memory, &mut [0; 64], (4, 4));
        for (at, (&new, &old)) in memory.iter().zip(&old).enumerate() {
            let (lane, component) = (at / 4, at % 4);
            let word = pixels[lane].words[component];
            let s = if number % 2 == 0 { word as u8 } else { (f32::from_bits(word) * 255.0).round() as u8 };
            // Bit 3 - (2 s + d) of the operation's number is the result: Vulkan's table, read by columns.
            let wanted = (0..8).fold(0u8, |result, bit| {
                let (s, d) = (s >> bit & 1, old >> bit & 1);
                let column = match (s, d) {
                    (1, 1) => 0,
                    (1, 0) => 1,
                    (0, 1) => 2,
                    _ => 3,
                };
                result | (number as u8 >> column & 1) << bit
            });
            let wanted = if lane % 2 == 1 || write_mask >> component & 1 == 0 { old } else { wanted };
            assert_eq!(new, wanted, "{op:?} lane {lane} component {component}");
        }
    }
}

/// What an advanced operation gives for colours of alpha 1, where only the shared part counts.
fn opaque(op: AdvancedOp, s: [f64; 3], d: [f64; 3]) -> [f64; 3] {
    use AdvancedOp as A;
    let zip = |f: &dyn Fn(f64, f64) -> f64| [0, 1, 2].map(|at| f(s[at], d[at]));
    let hard = |s: f64, d: f64| if s <= 0.5 { 2.0 * s * d } else { 1.0 - 2.0 * (1.0 - s) * (1.0 - d) };
    let light = |c: [f64; 3]| 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
    match op {
        A::Multiply => zip(&|s, d| s * d),
        A::Screen => zip(&|s, d| 1.0 - (1.0 - s) * (1.0 - d)),
        A::Overlay => zip(&|s, d| hard(d, s)),
        A::HardLight => zip(&hard),
        A::Darken => zip(&f64::min),
        A::Lighten => zip(&f64::max),
        A::ColorDodge => zip(&|s, d| if d <= 0.0 { 0.0 } else { (d / (1.0 - s).max(1e-9)).min(1.0) }),
        A::ColorBurn => zip(&|s, d| if d >= 1.0 { 1.0 } else { 1.0 - ((1.0 - d) / s.max(1e-9)).min(1.0) }),
        A::Difference => zip(&|s, d| (s - d).abs()),
        A::Exclusion => zip(&|s, d| s + d - 2.0 * s * d),
        A::LinearLight => zip(&|s, d| (2.0 * s + d - 1.0).clamp(0.0, 1.0)),
        A::PinLight => zip(&|s, d| d.clamp((2.0 * s - 1.0).max(0.0), (2.0 * s).max(0.0))),
        A::SoftLight => zip(&|s, d| {
            let curve = if d <= 0.25 { ((16.0 * d - 12.0) * d + 4.0) * d } else { d.sqrt() };
            if s <= 0.5 { d - (1.0 - 2.0 * s) * d * (1.0 - d) } else { d + (2.0 * s - 1.0) * (curve - d) }
        }),
        // Of greys: what has no hue takes the other's luminosity.
        A::HslColor => [light(d); 3],
        A::HslLuminosity => [light(s); 3],
        _ => s,
    }
}

#[test]
fn advanced_operations() {
    use AdvancedOp as A;
    let mut random = Random::new(31);
    let format = Format::R32G32B32A32_SFLOAT;
    let state = |op, src_premultiplied, overlap| {
        let advanced = AdvancedBlend { op, src_premultiplied, dst_premultiplied: true, overlap };
        BlendEquation {
            src_color: BlendFactor::One,
            dst_color: BlendFactor::Zero,
            color_op: BlendOp::Add,
            src_alpha: BlendFactor::One,
            dst_alpha: BlendFactor::Zero,
            alpha_op: BlendOp::Add,
            advanced: Some(advanced),
        }
    };
    let mut run = |equation: BlendEquation, alphas: [f32; 2], grey: bool| {
        let function =
            fragment_function(&key(format, Some(equation), 15), Variant::PackedQuads, Shader::default());
        let mut color = |alpha: f32| {
            let mut color = [(); 3].map(|()| random.float(0.0, 1.0) * alpha);
            if grey {
                color = [color[0]; 3];
            }
            [color[0], color[1], color[2], alpha]
        };
        let pairs: Vec<_> = (0..LANES).map(|_| (color(alphas[0]), color(alphas[1]))).collect();
        let mut memory: Vec<u8> = pairs
            .iter()
            .flat_map(|(_, target)| target.iter().flat_map(|value| value.to_le_bytes()))
            .collect();
        let pixels: Vec<Pixel> = pairs
            .iter()
            .map(|(source, _)| {
                let words = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0].map(|at: usize| source[at].to_bits());
                Pixel { setup: flat_setup(0.5, true), words, coverage: 1 }
            })
            .collect();
        draw(&function, true, &mut DrawContext::default(), &pixels, &mut memory, &mut [0; 64], (16, 4));
        let results: Vec<[f64; 4]> = memory.chunks(16).map(|texel| floats(format, texel)).collect();
        (pairs, results)
    };
    let near = |x: f64, y: f64| (x - y).abs() < 2e-5;
    for op in [
        A::Multiply,
        A::Screen,
        A::Overlay,
        A::HardLight,
        A::Darken,
        A::Lighten,
        A::ColorDodge,
        A::ColorBurn,
        A::Difference,
        A::Exclusion,
        A::LinearLight,
        A::PinLight,
        A::SoftLight,
        A::HslColor,
        A::HslLuminosity,
    ] {
        let grey = matches!(op, A::HslColor | A::HslLuminosity);
        let (pairs, results) = run(state(op, true, BlendOverlap::Uncorrelated), [1.0, 1.0], grey);
        for ((s, d), got) in pairs.iter().zip(results) {
            let [s, d] = [s, d].map(|color| [0, 1, 2].map(|at: usize| f64::from(color[at])));
            let wanted = opaque(op, s, d);
            assert!((0..3).all(|at| near(got[at], wanted[at])), "{op:?} {s:?} {d:?}: {got:?} {wanted:?}");
            assert!(near(got[3], 1.0), "{op:?}: {got:?}");
        }
    }
    // Coverage of half and three quarters: how much each has alone.
    for (overlap, [shared, source, target]) in [
        (BlendOverlap::Uncorrelated, [0.375, 0.125, 0.375]),
        (BlendOverlap::Conjoint, [0.5, 0.0, 0.25]),
        (BlendOverlap::Disjoint, [0.25, 0.25, 0.5]),
    ] {
        let (pairs, results) = run(state(A::SrcOver, false, overlap), [0.5, 0.75], false);
        for ((s, d), got) in pairs.iter().zip(results) {
            for at in 0..3 {
                let (s, d) = (f64::from(s[at]), f64::from(d[at]) / 0.75);
                assert!(near(got[at], s * (shared + source) + d * target), "{overlap:?}: {got:?}");
            }
            assert!(near(got[3], shared + source + target), "{overlap:?}: {got:?}");
        }
    }
    // Where neither colour is premultiplied, what is stored is not either: opaque over anything is itself.
    let mut equation = state(A::SrcOver, false, BlendOverlap::Uncorrelated);
    if let Some(advanced) = &mut equation.advanced {
        advanced.dst_premultiplied = false;
    }
    let (pairs, results) = run(equation, [0.5, 0.5], false);
    for ((s, d), got) in pairs.iter().zip(results) {
        let wanted = |at: usize| (0.5 * f64::from(s[at]) + 0.25 * f64::from(d[at])) / 0.75;
        assert!((0..3).all(|at| near(got[at], wanted(at))) && near(got[3], 0.75), "{got:?}");
    }
    // Nothing has no colour, and adding is adding.
    let (_, results) = run(state(A::Multiply, true, BlendOverlap::Uncorrelated), [0.0, 0.0], false);
    assert!(results.iter().flatten().all(|&value| value == 0.0));
    let (pairs, results) = run(state(A::Plus, true, BlendOverlap::Uncorrelated), [0.5, 0.25], false);
    for ((s, d), got) in pairs.iter().zip(results) {
        assert!((0..4).all(|at| near(got[at], f64::from(s[at]) + f64::from(d[at]))));
    }
}

/// Hard mix has a step where the colours add up to one: a target that storing rounded down is still on its
/// upper side.
#[test]
fn hard_mix_of_rounded_targets() {
    let format = Format::R8G8B8A8_UNORM;
    let advanced = AdvancedBlend {
        op: AdvancedOp::HardMix,
        src_premultiplied: false,
        dst_premultiplied: false,
        overlap: BlendOverlap::Uncorrelated,
    };
    let equation = BlendEquation {
        src_color: BlendFactor::One,
        dst_color: BlendFactor::Zero,
        color_op: BlendOp::Add,
        src_alpha: BlendFactor::One,
        dst_alpha: BlendFactor::Zero,
        alpha_op: BlendOp::Add,
        advanced: Some(advanced),
    };
    let function =
        fragment_function(&key(format, Some(equation), 15), Variant::PackedQuads, Shader::default());
    // 0.75 is stored as 191 / 255, which is less; 190 / 255 is another colour.
    let cases = [(0.25f32, 191u8, 255u8), (0.25, 190, 0), (0.75, 64, 255), (0.75, 63, 0)];
    let mut memory: Vec<u8> =
        (0..LANES).flat_map(|lane| [cases[lane % cases.len()].1, 0, 255, 255]).collect();
    let pixels: Vec<Pixel> = (0..LANES)
        .map(|lane| {
            let source = [cases[lane % cases.len()].0, 0.5, 0.5, 1.0];
            let words = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0].map(|at: usize| source[at].to_bits());
            Pixel { setup: flat_setup(0.5, true), words, coverage: 1 }
        })
        .collect();
    draw(&function, true, &mut DrawContext::default(), &pixels, &mut memory, &mut [0; 64], (16, 4));
    for (lane, texel) in memory.chunks(4).enumerate() {
        let (source, target, wanted) = cases[lane % cases.len()];
        assert_eq!(texel, [wanted, 0, 255, 255], "{source} on {target}");
    }
}
