//! Blending, logic operations, write masks, and conversion to the attachments' formats (Vulkan, "The
//! Framebuffer").

use crate::advanced;
use crate::fragment::{Fragment, Outputs};
use crate::state::{BlendEquation, BlendFactor, BlendOp, ColorAttachmentKey, LogicOp, dithers};
use pyro_abi::graphics::graphics_offset as at;
use pyro_image::format::Numeric;
use pyro_image::texel::{self, RGBA};
use pyro_image::{Aspect, Format, NumericClass};
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// Whether a colour format reads as floats.
pub(crate) fn is_float(format: Format) -> bool {
    format.numeric_class(Aspect::Color) == NumericClass::Float
}

/// The samples that alpha leaves: bit `i` of `n` where `alpha > (i + 0.5) / n`.
pub(crate) fn alpha_coverage(b: &mut Builder, fragment: &Fragment<'_>, alpha: Value) -> Value {
    let count = fragment.key.samples.max(1);
    let (zero, half) = (b.i32(0), b.f32(0.5));
    if count == 1 {
        let one = b.i32(1);
        let opaque = b.fle(half, alpha);
        return b.select(opaque, one, zero);
    }
    let mut mask = zero;
    for sample in 0..count {
        let threshold = b.f32((sample as f32 + 0.5) / count as f32);
        let bit = b.i32(1 << sample);
        let above = b.flt(threshold, alpha);
        let bit = b.select(above, bit, zero);
        mask = b.or(mask, bit);
    }
    mask
}

/// What the numbers of a fixed-point format are clamped to; none for floating-point formats.
fn clamp_range(format: Format) -> Option<(f32, f32)> {
    match format.info().components.first().map(|component| component.numeric) {
        Some(Numeric::UNorm | Numeric::Srgb) => Some((0.0, 1.0)),
        Some(Numeric::SNorm) => Some((-1.0, 1.0)),
        _ => None,
    }
}

fn clamp(b: &mut Builder, range: Option<(f32, f32)>, value: Value) -> Value {
    let Some((least, most)) = range else { return value };
    let (least, most) = (b.f32(least), b.f32(most));
    let value = b.fmax(value, least);
    b.fmin(value, most)
}

/// How far a stored colour may be from the one that was written, in a normalized attachment.
fn rounding(format: Format) -> f32 {
    let Some(component) = format.info().components.first() else { return 0.0 };
    match component.numeric {
        Numeric::UNorm => 0.5 / ((1u64 << component.bits) - 1) as f32,
        Numeric::SNorm => 0.5 / ((1u64 << (component.bits - 1)) - 1) as f32,
        _ => 0.0,
    }
}

/// The colours that blending combines, clamped.
struct Sources {
    source: [Value; 4],
    second: [Value; 4],
    target: [Value; 4],
    constant: [Value; 4],
}

impl Sources {
    /// For colours as the shader gives them; the target is not there yet.
    fn new(
        b: &mut Builder,
        fragment: &Fragment<'_>,
        range: Option<(f32, f32)>,
        color: [Value; 4],
        second: [Value; 4],
    ) -> Sources {
        let source = color.map(|value| clamp(b, range, value));
        let second = second.map(|value| {
            let value = b.bitcast(value, Scalar::F32);
            clamp(b, range, value)
        });
        let constant = constants(b, fragment, range);
        Sources { source, second, target: color, constant }
    }

    /// A factor for a channel.
    fn factor(&self, b: &mut Builder, factor: BlendFactor, channel: usize) -> Value {
        use BlendFactor as F;
        let one = b.f32(1.0);
        let value = match factor {
            F::Zero => return b.f32(0.0),
            F::One => return one,
            F::SrcColor | F::OneMinusSrcColor => self.source[channel],
            F::DstColor | F::OneMinusDstColor => self.target[channel],
            F::SrcAlpha | F::OneMinusSrcAlpha => self.source[3],
            F::DstAlpha | F::OneMinusDstAlpha => self.target[3],
            F::ConstantColor | F::OneMinusConstantColor => self.constant[channel],
            F::ConstantAlpha | F::OneMinusConstantAlpha => self.constant[3],
            F::SrcAlphaSaturate if channel == 3 => return one,
            F::SrcAlphaSaturate => {
                let rest = b.fsub(one, self.target[3]);
                return b.fmin(self.source[3], rest);
            }
            F::Src1Color | F::OneMinusSrc1Color => self.second[channel],
            F::Src1Alpha | F::OneMinusSrc1Alpha => self.second[3],
        };
        let inverted = matches!(
            factor,
            F::OneMinusSrcColor
                | F::OneMinusDstColor
                | F::OneMinusSrcAlpha
                | F::OneMinusDstAlpha
                | F::OneMinusConstantColor
                | F::OneMinusConstantAlpha
                | F::OneMinusSrc1Color
                | F::OneMinusSrc1Alpha
        );
        if !inverted {
            return value;
        }
        // For signed formats the difference may leave the range; the conformance tests want it unclamped.
        b.fsub(one, value)
    }

    /// `value * factor`, where a factor of zero or one is exact whatever the value.
    fn term(&self, b: &mut Builder, value: Value, factor: BlendFactor, channel: usize) -> Value {
        match factor {
            BlendFactor::One => value,
            BlendFactor::Zero => b.f32(0.0),
            _ => {
                let factor = self.factor(b, factor, channel);
                b.fmul(value, factor)
            }
        }
    }

    fn blend(&self, b: &mut Builder, format: Format, equation: &BlendEquation) -> [Value; 4] {
        if let Some(advanced) = &equation.advanced {
            return advanced::blend(b, advanced, rounding(format), self.source, self.target);
        }
        [0, 1, 2, 3].map(|channel| {
            let (op, source_factor, target_factor) = if channel == 3 {
                (equation.alpha_op, equation.src_alpha, equation.dst_alpha)
            } else {
                (equation.color_op, equation.src_color, equation.dst_color)
            };
            let (source, target) = (self.source[channel], self.target[channel]);
            match op {
                BlendOp::Min => return b.fmin(source, target),
                BlendOp::Max => return b.fmax(source, target),
                _ => {}
            }
            let source = self.term(b, source, source_factor, channel);
            let target = self.term(b, target, target_factor, channel);
            match op {
                BlendOp::Subtract => b.fsub(source, target),
                BlendOp::ReverseSubtract => b.fsub(target, source),
                _ => b.fadd(source, target),
            }
        })
    }
}

impl Sources {
    /// [`Sources::blend`] for [`blends_unscaled`]: the target, and what it gives, are multiplied by the
    /// components' greatest integers.
    fn blend_unscaled(&self, b: &mut Builder, format: Format, equation: &BlendEquation) -> [Value; 4] {
        [0, 1, 2, 3].map(|channel| {
            let Some(component) = format.component(RGBA[channel]) else { return self.source[channel] };
            let most = b.f32(((1u32 << component.bits) - 1) as f32);
            let (op, source_factor, target_factor) = if channel == 3 {
                (equation.alpha_op, equation.src_alpha, equation.dst_alpha)
            } else {
                (equation.color_op, equation.src_color, equation.dst_color)
            };
            let (source, target) = (self.source[channel], self.target[channel]);
            let minmax = matches!(op, BlendOp::Min | BlendOp::Max);
            let source = if minmax { source } else { self.term(b, source, source_factor, channel) };
            let source = b.fmul(source, most);
            let value = match (op, target_factor) {
                (BlendOp::Min, _) => b.fmin(source, target),
                (BlendOp::Max, _) => b.fmax(source, target),
                (BlendOp::Add, BlendFactor::Zero) => source,
                (BlendOp::Add, BlendFactor::One) => b.fadd(source, target),
                (BlendOp::Add, _) => {
                    let factor = self.factor(b, target_factor, channel);
                    b.mad(target, factor, source)
                }
                _ => {
                    let target = self.term(b, target, target_factor, channel);
                    match op {
                        BlendOp::Subtract => b.fsub(source, target),
                        _ => b.fsub(target, source),
                    }
                }
            };
            let (below, above) = leaves_range(equation, channel);
            let zero = b.f32(0.0);
            let value = if below { b.fmax(value, zero) } else { value };
            if above { b.fmin(value, most) } else { value }
        })
    }
}

/// Which ends of its range the sum of a channel's terms may leave, if source and target are within it.
fn leaves_range(equation: &BlendEquation, channel: usize) -> (bool, bool) {
    use BlendFactor as F;
    let (op, source, target) = if channel == 3 {
        (equation.alpha_op, equation.src_alpha, equation.dst_alpha)
    } else {
        (equation.color_op, equation.src_color, equation.dst_color)
    };
    let weighted = matches!(
        (source, target),
        (F::SrcColor, F::OneMinusSrcColor)
            | (F::OneMinusSrcColor, F::SrcColor)
            | (F::SrcAlpha, F::OneMinusSrcAlpha)
            | (F::OneMinusSrcAlpha, F::SrcAlpha)
            | (F::ConstantColor, F::OneMinusConstantColor)
            | (F::OneMinusConstantColor, F::ConstantColor)
            | (F::ConstantAlpha, F::OneMinusConstantAlpha)
            | (F::OneMinusConstantAlpha, F::ConstantAlpha)
            | (F::Src1Color, F::OneMinusSrc1Color)
            | (F::OneMinusSrc1Color, F::Src1Color)
            | (F::Src1Alpha, F::OneMinusSrc1Alpha)
            | (F::OneMinusSrc1Alpha, F::Src1Alpha)
            | (F::Zero, _)
            | (_, F::Zero)
    );
    // a + (1 - a) x
    let own =
        source == F::One && (target == F::OneMinusSrcColor || channel == 3 && target == F::OneMinusSrcAlpha);
    match op {
        BlendOp::Add => (false, !weighted && !own),
        BlendOp::Subtract | BlendOp::ReverseSubtract => (true, false),
        _ => (false, false),
    }
}

/// Whether the terms need the target only as a factor of one of them, so that all may be multiplied by the
/// greatest integer: then the target need not be divided by it, nor the result be multiplied.
fn blends_unscaled(format: Format, equation: &BlendEquation) -> bool {
    let needs_target = |factor| {
        use BlendFactor as F;
        matches!(
            factor,
            F::DstColor | F::OneMinusDstColor | F::DstAlpha | F::OneMinusDstAlpha | F::SrcAlphaSaturate
        )
    };
    let factors = [equation.src_color, equation.dst_color, equation.src_alpha, equation.dst_alpha];
    equation.advanced.is_none()
        && texel::is_scalable(format)
        && format.info().components.iter().all(|component| component.bits <= 10)
        && !factors.into_iter().any(needs_target)
}

/// Adds the pixel's threshold of ordered dithering, so that the conversion to the format, which rounds, gives
/// the unit below or above a colour the more often the nearer it is. What the format can represent stays as
/// it is.
fn dither(b: &mut Builder, fragment: &Fragment<'_>, format: Format, color: [Value; 4]) -> [Value; 4] {
    // Bits of a 4 by 4 matrix in which neighbours differ much.
    let [one, two, three] = [1, 2, 3].map(|bits| b.i32(bits));
    let differ = b.xor(fragment.x, fragment.y);
    let mut rank = b.and(differ, two);
    for (word, shift) in [(differ, three), (fragment.y, two)] {
        let bit = b.and(word, one);
        let bit = b.shl(bit, shift);
        rank = b.or(rank, bit);
    }
    let high = b.lshr(fragment.y, one);
    let high = b.and(high, one);
    let rank = b.or(rank, high);
    let rank = b.convert(Opcode::SToF, rank, Scalar::F32);
    let (step, least) = (b.f32(1.0 / 16.0), b.f32(1.0 / 32.0 - 0.5));
    let threshold = b.fma(rank, step, least);
    let mut dithered = color;
    for (value, channel) in dithered.iter_mut().zip(RGBA) {
        let Some(component) = format.component(channel) else { continue };
        let unit = b.f32(1.0 / ((1u32 << component.bits) - 1) as f32);
        let clamped = clamp(b, Some((0.0, 1.0)), *value);
        *value = b.fma(threshold, unit, clamped);
    }
    dithered
}

/// A logic operation on bits of a texel.
fn logic(b: &mut Builder, op: LogicOp, source: Value, target: Value) -> Value {
    match op {
        LogicOp::Clear => b.i32(0),
        LogicOp::And => b.and(source, target),
        LogicOp::AndReverse => b.andnot(source, target),
        LogicOp::Copy => source,
        LogicOp::AndInverted => b.andnot(target, source),
        LogicOp::NoOp => target,
        LogicOp::Xor => b.xor(source, target),
        LogicOp::Or => b.or(source, target),
        LogicOp::Nor => {
            let either = b.or(source, target);
            b.not(either)
        }
        LogicOp::Equivalent => {
            let differ = b.xor(source, target);
            b.not(differ)
        }
        LogicOp::Invert => b.not(target),
        LogicOp::OrReverse => {
            let inverted = b.not(target);
            b.or(source, inverted)
        }
        LogicOp::CopyInverted => b.not(source),
        LogicOp::OrInverted => {
            let inverted = b.not(source);
            b.or(inverted, target)
        }
        LogicOp::Nand => {
            let both = b.and(source, target);
            b.not(both)
        }
        LogicOp::Set => b.i32(u32::MAX),
    }
}

/// The bits of each word that the write mask names, and whether that is all of the texel.
fn written_bits(key: &ColorAttachmentKey) -> (Vec<u32>, bool) {
    let words = key.format.block_bytes().div_ceil(4) as usize;
    let (mut bits, mut whole) = (vec![0u32; words], true);
    if key.format.is_shared_exponent() {
        let all = key.write_mask & 7 == 7;
        return (vec![if all { u32::MAX } else { 0 }], all);
    }
    for (index, channel) in RGBA.into_iter().enumerate() {
        let Some(component) = key.format.component(channel) else { continue };
        if key.write_mask >> index & 1 == 0 {
            whole = false;
            continue;
        }
        let width = u32::from(component.bits).min(32);
        let mask = (u32::MAX >> (32 - width)) << (component.offset % 32);
        bits[usize::from(component.offset / 32)] |= mask;
        if component.bits == 64 {
            bits[usize::from(component.offset / 32) + 1] = u32::MAX;
        }
    }
    (bits, whole)
}

/// Four `f32` constants of the draw.
fn constants(b: &mut Builder, fragment: &Fragment<'_>, range: Option<(f32, f32)>) -> [Value; 4] {
    let zero = b.i32(0);
    [0, 4, 8, 12].map(|place| {
        let memory = MemoryOp::new(Space::Context).speculatable().at((at::BLEND_CONSTANTS + place) as i32);
        let value = b.load(Scalar::F32, memory, fragment.context, zero, fragment.always);
        clamp(b, range, value)
    })
}

/// Writes all colour attachments for the samples of `coverage`.
pub(crate) fn write(b: &mut Builder, fragment: &Fragment<'_>, outputs: &Outputs, coverage: Value) {
    for (index, key) in fragment.key.colors.iter().enumerate() {
        let (Some(key), Some(color)) = (key, outputs.colors[index]) else { continue };
        let second = outputs.second_color.unwrap_or(color);
        write_attachment(b, fragment, index as u32, key, color, second, coverage);
    }
}

fn write_attachment(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    index: u32,
    key: &ColorAttachmentKey,
    color: [Value; 4],
    second: [Value; 4],
    coverage: Value,
) {
    let format = key.format;
    let (written, whole) = written_bits(key);
    if written.iter().all(|&bits| bits == 0) {
        return;
    }
    let float = is_float(format);
    let scalar = if float { Scalar::F32 } else { Scalar::I32 };
    let range = clamp_range(format);
    let color = color.map(|value| b.bitcast(value, scalar));
    // With a logic operation nothing is blended, and formats that logic is not for take the colour as it is.
    let logic_op = fragment.key.logic_op.filter(|_| logic_applies(format));
    let blend = key.blend.filter(|_| float && fragment.key.logic_op.is_none());
    let dithers = fragment.key.dither && dithers(format);
    let encode = |b: &mut Builder, color: [Value; 4]| {
        let color = if dithers { dither(b, fragment, format, color) } else { color };
        texel::encode(b, format, color)
    };
    // What blending starts from, or what is written without.
    let prepare = |b: &mut Builder, color: [Value; 4], second: [Value; 4]| match blend {
        Some(_) => (Some(Sources::new(b, fragment, range, color, second)), Vec::new()),
        None => (None, encode(b, color)),
    };
    let modulation = fragment.key.coverage_modulation.filter(|_| float);
    let same_for_all = modulation.is_none().then(|| prepare(b, color, second));
    let reads = blend.is_some() || logic_op.is_some_and(|op| op != LogicOp::Copy) || !whole;
    for color_sample in fragment.color_samples(b, index as usize) {
        let covered = fragment.covers_color(b, coverage, color_sample);
        let own = modulation.map(|modulation| {
            let factor = fragment.modulation_factor(b, modulation, coverage, index as usize, color_sample);
            let second = second.map(|value| b.bitcast(value, Scalar::F32));
            let [color, second] = [color, second].map(|color| modulation.modulate(b, color, factor));
            prepare(b, color, second)
        });
        let Some((sources, encoded)) = own.as_ref().or(same_for_all.as_ref()) else { continue };
        let record = at::COLORS + index * at::ATTACHMENT_BYTES;
        let place = fragment.texel(b, record, format, color_sample.sample);
        let old = if reads { fragment.load(b, &place, covered) } else { Vec::new() };
        let mut words = match (&blend, sources) {
            (Some(equation), Some(sources)) if !dithers && blends_unscaled(format, equation) => {
                let target = texel::decode_unscaled(b, format, &old);
                let blended = Sources { target, ..*sources }.blend_unscaled(b, format, equation);
                texel::encode_unscaled(b, format, blended)
            }
            (Some(equation), Some(sources)) => {
                let target = texel::decode(b, format, Aspect::Color, &old);
                let sources = Sources { target, ..*sources };
                let blended = sources.blend(b, format, equation);
                encode(b, blended)
            }
            _ => encoded.clone(),
        };
        for (at, word) in words.iter_mut().enumerate() {
            if let Some(op) = logic_op {
                let target = old.get(at).copied().unwrap_or(*word);
                *word = logic(b, op, *word, target);
            }
            if !whole {
                let bits = b.i32(written[at]);
                let new = b.and(*word, bits);
                let kept = b.andnot(old[at], bits);
                *word = b.or(new, kept);
            }
        }
        fragment.store(b, &place, &words, &old, covered);
    }
}

/// Logic operations are for integer and normalized formats other than sRGB.
fn logic_applies(format: Format) -> bool {
    format.info().components.iter().all(|component| {
        matches!(component.numeric, Numeric::UNorm | Numeric::SNorm | Numeric::UInt | Numeric::SInt)
    })
}

/// The decoded colour of the fragment's texel in the attachment of a fragment output location, for one sample
/// (`i32`; too large numbers count modulo the samples), where there is such a pixel; anything elsewhere.
/// Fragments of one pixel run one after another, so this is what those before have left. None where there is
/// no attachment.
pub fn load_attachment(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    location: u32,
    sample: Value,
) -> Option<[Value; 4]> {
    let key = fragment.key.colors.get(location as usize).copied().flatten()?;
    let record = at::COLORS + location * at::ATTACHMENT_BYTES;
    let sample = (sample, fragment.key.color_samples(location as usize));
    Some(fragment.own_decoded(b, record, key.format, Aspect::Color, sample))
}
