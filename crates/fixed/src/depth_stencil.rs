//! Depth bounds, stencil and depth test for each sample (Vulkan, "Fragment Operations").
//!
//! Tests and writes are apart, so that a shader can run between them: no two lanes of a subgroup have the
//! same pixel, and a pixel's fragments run one after another, so what was read before the shader is still
//! there behind it.

use crate::fragment::{Fragment, Outputs, Sample};
use crate::state::{CompareOp, StencilFaceKey, StencilOp};
use crate::texel::TexelLocation;
use pyro_abi::graphics::graphics_offset as at;
use pyro_image::format::Component;
use pyro_image::{Aspect, Channel, Format, texel};
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// What the tests found, for each sample.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    samples: Vec<TestedSample>,
}

#[derive(Clone, Debug)]
struct TestedSample {
    sample: Sample,
    /// Passes all tests, `i1`; none: always.
    passes: Option<Value>,
    /// What the texel becomes, where it may change.
    update: Option<Update>,
}

#[derive(Clone, Debug)]
struct Update {
    place: TexelLocation,
    words: Vec<Value>,
    /// What was there; empty where it was not read.
    old: Vec<Value>,
    /// The words change, `i1`; none: always.
    condition: Option<Value>,
    /// They may change where a test fails.
    where_failed: bool,
}

/// `x op y`; integers count as unsigned.
pub(crate) fn compare(b: &mut Builder, op: CompareOp, x: Value, y: Value) -> Value {
    let float = b.scalar(x).is_float();
    let (less, less_equal, equal, not_equal) = if float {
        (Opcode::FLt, Opcode::FLe, Opcode::FEq, Opcode::FNe)
    } else {
        (Opcode::ULt, Opcode::ULe, Opcode::IEq, Opcode::INe)
    };
    match op {
        CompareOp::Never => b.bool(false),
        CompareOp::Less => b.op(less, &[x, y]),
        CompareOp::Equal => b.op(equal, &[x, y]),
        CompareOp::LessOrEqual => b.op(less_equal, &[x, y]),
        CompareOp::Greater => b.op(less, &[y, x]),
        CompareOp::NotEqual => b.op(not_equal, &[x, y]),
        CompareOp::GreaterOrEqual => b.op(less_equal, &[y, x]),
        CompareOp::Always => b.bool(true),
    }
}

/// Both conditions, either of which may be none: always true.
fn both(b: &mut Builder, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    match (x, y) {
        (Some(x), Some(y)) => Some(b.and(x, y)),
        (x, y) => x.or(y),
    }
}

/// A component's bits, zero-extended.
fn extract(b: &mut Builder, component: &Component, words: &[Value]) -> Value {
    let word = words[usize::from(component.offset / 32)];
    if component.bits == 32 {
        return word;
    }
    let shift = b.i32(u32::from(component.offset % 32));
    let mask = b.i32((1 << component.bits) - 1);
    let word = b.lshr(word, shift);
    b.and(word, mask)
}

/// Puts a component's bits, which have zeros above, into the words.
fn insert(b: &mut Builder, component: &Component, words: &mut [Value], bits: Value) {
    let index = usize::from(component.offset / 32);
    if component.bits == 32 {
        words[index] = bits;
        return;
    }
    let shift = u32::from(component.offset % 32);
    let keep = b.i32(!(((1 << component.bits) - 1) << shift));
    let shift = b.i32(shift);
    let word = b.and(words[index], keep);
    let bits = b.shl(bits, shift);
    words[index] = b.or(word, bits);
}

/// The depth of a fragment at a sample, in the way that it is compared and stored: bits of a fixed-point
/// format, or an `f32`.
fn fragment_depth(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    format: Format,
    outputs: &Outputs,
    sample: Sample,
) -> Value {
    let fixed = format.is_fixed_point_depth();
    let depth = match outputs.depth {
        Some(depth) => {
            let clamp = |b: &mut Builder, least: Value, greatest: Value, depth: Value| {
                let depth = b.fmax(depth, least);
                b.fmin(depth, greatest)
            };
            if fragment.key.depth_clamp {
                let least = fragment.setup_word(b, Scalar::F32, at::CLAMP_LEAST);
                let greatest = fragment.setup_word(b, Scalar::F32, at::CLAMP_GREATEST);
                clamp(b, least, greatest, depth)
            } else if fragment.key.depth_unrestricted {
                depth
            } else {
                let (least, greatest) = (b.f32(0.0), b.f32(1.0));
                clamp(b, least, greatest, depth)
            }
        }
        None => {
            let place = fragment.at_sample(b, sample.index);
            fragment.depth_at(b, place)
        }
    };
    if !fixed {
        return depth;
    }
    let bits = format.component(Channel::D).map_or(16, |component| component.bits);
    pyro_library::texel::float_to_unorm(b, depth, bits.into())
}

/// The stencil test's values for the fragment's facing.
struct StencilFace {
    reference: Value,
    compare_mask: Value,
    write_mask: Value,
}

fn stencil_face(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    outputs: &Outputs,
    front_facing: Value,
) -> StencilFace {
    let zero = b.i32(0);
    let field = |b: &mut Builder, place: u32| {
        let memory = MemoryOp::new(Space::Context).speculatable();
        let [front, back] = [0, 1].map(|face| {
            let place = at::STENCIL + face * at::STENCIL_BYTES + place;
            b.load(Scalar::I32, memory.at(place as i32), fragment.context, zero, fragment.always)
        });
        b.select(front_facing, front, back)
    };
    StencilFace {
        reference: match outputs.stencil_reference {
            Some(reference) => reference,
            None => field(b, at::STENCIL_REFERENCE),
        },
        compare_mask: field(b, at::STENCIL_COMPARE_MASK),
        write_mask: field(b, at::STENCIL_WRITE_MASK),
    }
}

/// What a stencil operation makes of an 8-bit value.
fn stencil_op(b: &mut Builder, op: StencilOp, value: Value, reference: Value) -> Value {
    let (one, most) = (b.i32(1), b.i32(0xff));
    match op {
        StencilOp::Keep => value,
        StencilOp::Zero => b.i32(0),
        StencilOp::Replace => b.and(reference, most),
        StencilOp::IncrementAndClamp => {
            let value = b.iadd(value, one);
            b.umin(value, most)
        }
        StencilOp::DecrementAndClamp => {
            let value = b.umax(value, one);
            b.isub(value, one)
        }
        StencilOp::Invert => b.xor(value, most),
        StencilOp::IncrementAndWrap => {
            let value = b.iadd(value, one);
            b.and(value, most)
        }
        StencilOp::DecrementAndWrap => {
            let value = b.isub(value, one);
            b.and(value, most)
        }
    }
}

/// Stencil test of one facing: whether it passes, given whether the depth test does, and the new value.
fn stencil_test(
    b: &mut Builder,
    key: &StencilFaceKey,
    face: &StencilFace,
    stored: Value,
    depth_passes: Option<Value>,
) -> (Value, Value) {
    let most = b.i32(0xff);
    let mask = b.and(face.compare_mask, most);
    let reference = b.and(face.reference, mask);
    let masked = b.and(stored, mask);
    let passes = compare(b, key.compare_op, reference, masked);
    let failed = stencil_op(b, key.fail_op, stored, face.reference);
    let mut passed = stencil_op(b, key.pass_op, stored, face.reference);
    if let Some(depth_passes) = depth_passes {
        let depth_failed = stencil_op(b, key.depth_fail_op, stored, face.reference);
        passed = b.select(depth_passes, passed, depth_failed);
    }
    let value = b.select(passes, passed, failed);
    let kept = b.andnot(stored, face.write_mask);
    let new = b.and(value, face.write_mask);
    (passes, b.or(kept, new))
}

/// Whether the test of a facing can change the stencil value.
fn stencil_writes(key: &StencilFaceKey, depth_tested: bool) -> bool {
    let fails = key.compare_op != CompareOp::Always && key.fail_op != StencilOp::Keep;
    let passes = key.compare_op != CompareOp::Never
        && (key.pass_op != StencilOp::Keep || depth_tested && key.depth_fail_op != StencilOp::Keep);
    fails || passes
}

impl Tested {
    /// Runs the tests for all samples in `coverage`.
    pub(crate) fn test(
        b: &mut Builder,
        fragment: &Fragment<'_>,
        coverage: Value,
        outputs: &Outputs,
    ) -> Tested {
        let samples = fragment.samples(b);
        let samples = samples.into_iter().map(|sample| test_sample(b, fragment, coverage, outputs, sample));
        Tested { samples: samples.collect() }
    }

    /// The samples of `coverage` that pass.
    pub(crate) fn passed(&self, b: &mut Builder, coverage: Value) -> Value {
        let zero = b.i32(0);
        let mut failed = zero;
        for tested in &self.samples {
            if let Some(passes) = tested.passes {
                let bit = b.select(passes, zero, tested.sample.bit);
                failed = b.or(failed, bit);
            }
        }
        b.andnot(coverage, failed)
    }

    /// Something may change where a test fails.
    pub(crate) fn changes_failed(&self) -> bool {
        let update = |tested: &TestedSample| tested.update.as_ref().map(|update| update.where_failed);
        self.samples.iter().any(|tested| update(tested) == Some(true))
    }

    /// Writes what changes for the samples of `coverage`.
    pub(crate) fn write(&self, b: &mut Builder, fragment: &Fragment<'_>, coverage: Value) {
        for tested in &self.samples {
            let Some(update) = &tested.update else { continue };
            let covered = fragment.covers(b, coverage, tested.sample);
            let predicate = match update.condition {
                Some(condition) => b.and(covered, condition),
                None => covered,
            };
            fragment.store(b, &update.place, &update.words, &update.old, predicate);
        }
    }
}

/// The depth bounds test: whether the depth of a texel with these words lies within the bounds.
fn within_bounds(b: &mut Builder, fragment: &Fragment<'_>, format: Format, words: &[Value]) -> Value {
    let [stored, ..] = texel::decode(b, format, Aspect::Depth, words);
    let zero = b.i32(0);
    let memory = MemoryOp::new(Space::Context).speculatable();
    let [least, most] = [0, 4].map(|place| {
        let memory = memory.at((at::DEPTH_BOUNDS + place) as i32);
        b.load(Scalar::F32, memory, fragment.context, zero, fragment.always)
    });
    let above = b.fle(least, stored);
    let below = b.fle(stored, most);
    b.and(above, below)
}

fn test_sample(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    coverage: Value,
    outputs: &Outputs,
    sample: Sample,
) -> TestedSample {
    let key = &fragment.key.depth_stencil;
    let Some(format) = fragment.key.depth_stencil_format else {
        return TestedSample { sample, passes: None, update: None };
    };
    let depth_format = fragment.key.depth_format();
    let depth_test = key.depth_test.filter(|_| depth_format.is_some());
    let bounds_test = key.depth_bounds_test && depth_format.is_some();
    let stencil = key.stencil.filter(|_| format.has_stencil());
    let depth_write = depth_test.is_some() && key.depth_write && depth_test != Some(CompareOp::Never);
    if depth_test.is_none() && !bounds_test && stencil.is_none() {
        return TestedSample { sample, passes: None, update: None };
    }
    // The old texel is not needed where depth is all of it and is written anyway.
    let always_depth = depth_test == Some(CompareOp::Always) && !bounds_test && stencil.is_none();
    let replaces = always_depth && format.info().components.len() == 1;
    let place = fragment.texel(b, at::DEPTH_STENCIL, format, sample);
    let covered = fragment.covers(b, coverage, sample);
    let old = if replaces {
        let zero = b.i32(0);
        vec![zero; format.block_bytes().div_ceil(4) as usize]
    } else {
        fragment.load(b, &place, covered)
    };

    let bounds = bounds_test.then(|| within_bounds(b, fragment, format, &old));

    let depth_component = format.component(Channel::D);
    let mut depth_passes = None;
    let mut depth_bits = None;
    if let (Some(op), Some(component)) = (depth_test, depth_component) {
        let depth = fragment_depth(b, fragment, format, outputs, sample);
        if op != CompareOp::Always {
            let stored = extract(b, component, &old);
            let scalar = b.scalar(depth);
            let stored = b.bitcast(stored, scalar);
            depth_passes = Some(compare(b, op, depth, stored));
        }
        depth_bits = Some(b.bitcast(depth, Scalar::I32));
    }

    let mut words = old.clone();
    let mut stencil_changes = false;
    let mut stencil_passes = None;
    if let (Some(faces), Some(component)) = (stencil, format.component(Channel::S)) {
        let front_facing = fragment.front_facing(b);
        let face = stencil_face(b, fragment, outputs, front_facing);
        let stored = extract(b, component, &old);
        let (front, new_front) = stencil_test(b, &faces[0], &face, stored, depth_passes);
        let (test, new) = if faces[0] == faces[1] {
            (front, new_front)
        } else {
            let (back, new_back) = stencil_test(b, &faces[1], &face, stored, depth_passes);
            (b.select(front_facing, front, back), b.select(front_facing, new_front, new_back))
        };
        stencil_passes = Some(test);
        stencil_changes = faces.iter().any(|face| stencil_writes(face, depth_passes.is_some()));
        if stencil_changes {
            insert(b, component, &mut words, new);
        }
    }
    let passes = both(b, bounds, stencil_passes);
    let passes = both(b, passes, depth_passes);

    let mut condition = None;
    if let (true, Some(bits), Some(component)) = (depth_write, depth_bits, depth_component) {
        if stencil_changes {
            // Depth changes where all passes, stencil also elsewhere.
            let mut written = words.clone();
            insert(b, component, &mut written, bits);
            for (word, written) in words.iter_mut().zip(written) {
                *word = match passes {
                    Some(passes) => b.select(passes, written, *word),
                    None => written,
                };
            }
        } else {
            insert(b, component, &mut words, bits);
            condition = passes;
        }
    }
    if stencil_changes {
        condition = bounds;
    }
    let update = (depth_write || stencil_changes).then(|| Update {
        place,
        words,
        old: if replaces { Vec::new() } else { old },
        condition,
        where_failed: stencil_changes,
    });
    TestedSample { sample, passes, update }
}

/// The depth (`f32`) or stencil (`i32`) of the fragment's texel for one sample (`i32`; too large numbers
/// count modulo the samples), where there is such a pixel; anything elsewhere. None where the attachment
/// lacks the aspect.
pub fn load_attachment(
    b: &mut Builder,
    fragment: &Fragment<'_>,
    aspect: Aspect,
    sample: Value,
) -> Option<Value> {
    let format = match aspect {
        Aspect::Stencil => fragment.key.stencil_format()?,
        _ => fragment.key.depth_format()?,
    };
    Some(fragment.own_decoded(b, at::DEPTH_STENCIL, format, aspect, (sample, fragment.key.samples))[0])
}
