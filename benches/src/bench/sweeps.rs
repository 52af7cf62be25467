//! Sweeps: one small piece of work each in many forms, so that the worst form is seen. Shaders are generated.

use super::{Bench, Random, Scale, check_floats, check_words, generate, median_seconds, rate};
use crate::error::Failure;
use crate::gpu::{Gpu, Kernel, Step};

/// Every sweep's rows.
pub(crate) const SWEEPS: &[Bench] = &[
    rate("load_word_1", "Maccess/s", load::<1, STRIDE_1>, None),
    rate("load_word_2", "Maccess/s", load::<1, STRIDE_2>, None),
    rate("load_word_3", "Maccess/s", load::<1, STRIDE_3>, None),
    rate("load_word_16", "Maccess/s", load::<1, STRIDE_16>, None),
    rate("load_word_reversed", "Maccess/s", load::<1, REVERSED>, None),
    rate("load_word_clamped", "Maccess/s", load::<1, CLAMPED>, None),
    rate("load_word_wrapped", "Maccess/s", load::<1, WRAPPED>, None),
    rate("load_word_rows", "Maccess/s", load::<1, ROWS>, None),
    rate("load_word_random", "Maccess/s", load::<1, RANDOM>, None),
    rate("load_vec2_1", "Maccess/s", load::<2, STRIDE_1>, None),
    rate("load_vec2_3", "Maccess/s", load::<2, STRIDE_3>, None),
    rate("load_vec2_clamped", "Maccess/s", load::<2, CLAMPED>, None),
    rate("load_vec2_random", "Maccess/s", load::<2, RANDOM>, None),
    rate("load_triple_1", "Maccess/s", load::<3, STRIDE_1>, None),
    rate("load_triple_clamped", "Maccess/s", load::<3, CLAMPED>, None),
    rate("load_triple_random", "Maccess/s", load::<3, RANDOM>, None),
    rate("load_vec4_1", "Maccess/s", load::<4, STRIDE_1>, None),
    rate("load_vec4_3", "Maccess/s", load::<4, STRIDE_3>, None),
    rate("load_vec4_4", "Maccess/s", load::<4, STRIDE_4>, None),
    rate("load_vec4_reversed", "Maccess/s", load::<4, REVERSED>, None),
    rate("load_vec4_clamped", "Maccess/s", load::<4, CLAMPED>, None),
    rate("load_vec4_rows", "Maccess/s", load::<4, ROWS>, None),
    rate("load_vec4_random", "Maccess/s", load::<4, RANDOM>, None),
    rate("store_word_2", "Maccess/s", store::<1, STRIDE_2>, None),
    rate("store_word_3", "Maccess/s", store::<1, STRIDE_3>, None),
    rate("store_word_reversed", "Maccess/s", store::<1, REVERSED>, None),
    rate("store_word_random", "Maccess/s", store::<1, RANDOM>, None),
    rate("store_triple_1", "Maccess/s", store::<3, STRIDE_1>, None),
    rate("store_vec4_3", "Maccess/s", store::<4, STRIDE_3>, None),
    rate("store_vec4_4", "Maccess/s", store::<4, STRIDE_4>, None),
    rate("store_vec4_random", "Maccess/s", store::<4, RANDOM>, None),
    rate("count_1", "Matomic/s", count::<1, false>, None),
    rate("count_16", "Matomic/s", count::<16, false>, None),
    rate("count_256", "Matomic/s", count::<256, false>, None),
    rate("count_65536", "Matomic/s", count::<65536, false>, None),
    rate("ticket_1", "Matomic/s", count::<1, true>, None),
    rate("ticket_16", "Matomic/s", count::<16, true>, None),
    rate("ticket_256", "Matomic/s", count::<256, true>, None),
    rate("ticket_65536", "Matomic/s", count::<65536, true>, None),
    rate("workgroup_1", "Minvocation/s", shape::<1>, None),
    rate("workgroup_7", "Minvocation/s", shape::<7>, None),
    rate("workgroup_32", "Minvocation/s", shape::<32>, None),
    rate("workgroup_64", "Minvocation/s", shape::<64>, None),
    rate("workgroup_1024", "Minvocation/s", shape::<1024>, None),
    rate("workgroup_8x8", "Minvocation/s", tiles, None),
    rate("private_8", "Maccess/s", private::<8>, None),
    rate("private_32", "Maccess/s", private::<32>, None),
    rate("private_128", "Maccess/s", private::<128>, None),
    rate("convolution_3x3", "Mpixel/s", convolution, None),
    rate("function_sin", "Mcall/s", function::<0>, None),
    rate("function_cos", "Mcall/s", function::<1>, None),
    rate("function_tan", "Mcall/s", function::<2>, None),
    rate("function_exp", "Mcall/s", function::<3>, None),
    rate("function_log", "Mcall/s", function::<4>, None),
    rate("function_pow", "Mcall/s", function::<5>, None),
    rate("function_sqrt", "Mcall/s", function::<6>, None),
    rate("function_inversesqrt", "Mcall/s", function::<7>, None),
    rate("function_atan2", "Mcall/s", function::<8>, None),
    rate("function_tanh", "Mcall/s", function::<9>, None),
];

const STRIDE_1: usize = 0;
const STRIDE_2: usize = 1;
const STRIDE_3: usize = 2;
const STRIDE_16: usize = 3;
const REVERSED: usize = 4;
const CLAMPED: usize = 5;
const WRAPPED: usize = 6;
const ROWS: usize = 7;
const RANDOM: usize = 8;
const STRIDE_4: usize = 9;

/// Which element an invocation accesses: as WGSL over `i`, in Rust, and how many elements for each.
struct Pattern {
    wgsl: &'static str,
    index: fn(u32) -> u32,
    spread: usize,
}

/// By the constants above. All but `CLAMPED` and `WRAPPED` are one to one for up to [`INVOCATIONS`].
const PATTERNS: [Pattern; 10] = [
    Pattern { wgsl: "i", index: |i| i, spread: 1 },
    Pattern { wgsl: "i * 2u", index: |i| i * 2, spread: 2 },
    Pattern { wgsl: "i * 3u", index: |i| i * 3, spread: 3 },
    Pattern { wgsl: "i * 16u", index: |i| i * 16, spread: 16 },
    Pattern { wgsl: "262143u - i", index: |i| 262_143 - i, spread: 1 },
    Pattern {
        wgsl: "u32(clamp(i32(i & 1023u) + 2, 0, 1023)) + (i & 261120u)",
        index: |i| ((i & 1023) + 2).min(1023) + (i & 261_120),
        spread: 1,
    },
    Pattern { wgsl: "i % 1000u", index: |i| i % 1000, spread: 1 },
    // Columns of 512 by 512.
    Pattern { wgsl: "(i & 511u) * 512u + (i >> 9u)", index: |i| (i & 511) * 512 + (i >> 9), spread: 1 },
    Pattern {
        wgsl: "(i * 2654435761u) & 262143u",
        index: |i| i.wrapping_mul(2_654_435_761) & 262_143,
        spread: 1,
    },
    Pattern { wgsl: "i * 4u", index: |i| i * 4, spread: 4 },
];

/// Of one dispatch.
const INVOCATIONS: usize = 1 << 18;
/// In one submission, so that the submission does not count.
const DISPATCHES: usize = 4;

fn invocations(scale: Scale) -> usize {
    scale.pick(INVOCATIONS, 1 << 10)
}

/// Runs a kernel some times and says how many million invocations a second that is.
fn measure(gpu: &Gpu, scale: Scale, kernel: &Kernel, size: usize) -> Result<f64, Failure> {
    let count = invocations(scale);
    let groups = [count.div_ceil(size) as u32, 1, 1];
    let steps: Vec<Step<'_>> = (0..DISPATCHES).map(|_| Step::Dispatch(kernel, groups, &[])).collect();
    let commands = gpu.record(&steps)?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;
    Ok((count * DISPATCHES) as f64 / seconds / 1e6)
}

/// The WGSL around a kernel's body: `i` is the invocation, `a` and `b` are arrays of `element`.
fn kernel(element: &str, size: impl std::fmt::Display, body: &str) -> Vec<u32> {
    generate::spirv_of(&format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<{element}>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @group(0) @binding(2) var<storage, read_write> c: array<{plain}>;
         @compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x;
             {body}
         }}",
        plain = if element.starts_with("atomic") { "u32" } else { element },
    ))
}

/// The element type of so many words, and how an element moves: whole, or word by word.
fn element(words: usize) -> &'static str {
    ["u32", "vec2<u32>", "u32", "vec4<u32>"][words - 1]
}

fn assignment(words: usize, to: &str, from: &str) -> String {
    if words != 3 {
        return format!("a[{to}] = c[{from}];");
    }
    let word = |k: usize| format!("a[({to}) * 3u + {k}u] = c[({from}) * 3u + {k}u];");
    (0..3).map(word).collect()
}

/// `a[i] = c[pattern(i)]`.
fn load<const WORDS: usize, const PATTERN: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    copy::<WORDS>(gpu, scale, &PATTERNS[PATTERN], true)
}

/// `a[pattern(i)] = c[i]`.
fn store<const WORDS: usize, const PATTERN: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    copy::<WORDS>(gpu, scale, &PATTERNS[PATTERN], false)
}

fn copy<const WORDS: usize>(gpu: &Gpu, scale: Scale, pattern: &Pattern, loads: bool) -> Result<f64, Failure> {
    let count = invocations(scale);
    let (near, far) = (INVOCATIONS * WORDS, INVOCATIONS * pattern.spread * WORDS);
    let (written, read) = if loads { (near, far) } else { (far, near) };
    let source: Vec<u32> = (0..read as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
    let buffers = [gpu.buffer(written)?, gpu.buffer(1)?, gpu.buffer_of(&source)?];
    let (to, from) = if loads { ("i", pattern.wgsl) } else { (pattern.wgsl, "i") };
    let spirv = kernel(element(WORDS), 256, &assignment(WORDS, to, from));
    let kernel = gpu.kernel(&spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let rate = measure(gpu, scale, &kernel, 256)?;

    let mut expected = vec![0; written];
    for i in 0..count {
        let place = (pattern.index)(i as u32) as usize;
        let (to, from) = if loads { (i, place) } else { (place, i) };
        expected[to * WORDS..][..WORDS].copy_from_slice(&source[from * WORDS..][..WORDS]);
    }
    buffers[0].read(|got| check_words("copy", got, &expected))?;
    Ok(rate)
}

/// Counts in so many places, of random order; `USED`: each invocation keeps the number that it got.
fn count<const BINS: usize, const USED: bool>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count = invocations(scale);
    let mut random = Random::new(8);
    let places: Vec<u32> = (0..count).map(|_| random.word() & (BINS as u32 - 1)).collect();
    let buffers = [gpu.buffer(BINS)?, gpu.buffer_of(&places)?, gpu.buffer(count)?];
    let add = "atomicAdd(&a[b[i]], 1u)";
    let body = if USED { format!("c[i] = {add};") } else { format!("{add};") };
    let spirv = kernel("atomic<u32>", 256, &body);
    let kernel = gpu.kernel(&spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let steps: Vec<Step<'_>> = (0..DISPATCHES)
        .flat_map(|_| [Step::Barrier, Step::Dispatch(&kernel, [(count / 256) as u32, 1, 1], &[])])
        .collect();
    let commands = gpu.record(&steps)?;
    let seconds = median_seconds(gpu, scale, &commands, || buffers[0].write(|bins| bins.fill(0)))?;

    let mut expected = vec![0u32; BINS];
    places.iter().for_each(|&place| expected[place as usize] += 1);
    // The last dispatch gave each place's numbers from where the ones before ended.
    let first: Vec<u32> = expected.iter().map(|number| number * (DISPATCHES as u32 - 1)).collect();
    let all: Vec<u32> = expected.iter().map(|number| number * DISPATCHES as u32).collect();
    buffers[0].read(|got| check_words("count", got, &all))?;
    if USED {
        let mut seen: Vec<Vec<bool>> = expected.iter().map(|&number| vec![false; number as usize]).collect();
        let is_right = buffers[2].read(|got| {
            got.iter().zip(&places).all(|(&ticket, &place)| {
                let number = ticket.wrapping_sub(first[place as usize]) as usize;
                seen[place as usize].get_mut(number).is_some_and(|seen| !std::mem::replace(seen, true))
            })
        });
        if !is_right {
            return Err(Failure::Wrong("ticket: a number was given twice, or not at all".to_owned()));
        }
    }
    Ok((count * DISPATCHES) as f64 / seconds / 1e6)
}

/// Next to no work in workgroups of one size.
fn shape<const SIZE: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    // No more groups than every device takes in one dimension.
    let count = invocations(scale).min(SIZE * 65_535);
    let buffers = [gpu.buffer(count)?, gpu.buffer(1)?, gpu.buffer(1)?];
    let spirv = kernel("u32", SIZE, &format!("if (i < {count}u) {{ a[i] = i * 3u + 1u; }}"));
    let kernel = gpu.kernel(&spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let groups = [count.div_ceil(SIZE) as u32, 1, 1];
    let steps: Vec<Step<'_>> = (0..DISPATCHES).map(|_| Step::Dispatch(&kernel, groups, &[])).collect();
    let commands = gpu.record(&steps)?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;
    let expected: Vec<u32> = (0..count as u32).map(|i| i * 3 + 1).collect();
    buffers[0].read(|got| check_words("shape", got, &expected))?;
    Ok((count * DISPATCHES) as f64 / seconds / 1e6)
}

/// Workgroups of eight rows of eight, which add to a picture.
fn tiles(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let side = scale.pick(512, 32);
    let source: Vec<u32> = (0..(side * side) as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
    let buffers = [gpu.buffer(side * side)?, gpu.buffer(1)?, gpu.buffer_of(&source)?];
    let body = format!("let place = id.y * {side}u + i; a[place] = c[place] + 1u;");
    let kernel = gpu.kernel(&kernel("u32", "8, 8", &body), &[&buffers[0], &buffers[1], &buffers[2]])?;
    let groups = [side as u32 / 8, side as u32 / 8, 1];
    let steps: Vec<Step<'_>> = (0..DISPATCHES).map(|_| Step::Dispatch(&kernel, groups, &[])).collect();
    let commands = gpu.record(&steps)?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;
    let expected: Vec<u32> = source.iter().map(|word| word.wrapping_add(1)).collect();
    buffers[0].read(|got| check_words("tiles", got, &expected))?;
    Ok((side * side * DISPATCHES) as f64 / seconds / 1e6)
}

/// A private array at indices that its own elements say.
fn private<const LEN: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    const ROUNDS: u32 = 32;
    let (count, mask) = (invocations(scale), LEN as u32 - 1);
    let mut random = Random::new(9);
    let seeds: Vec<u32> = (0..count).map(|_| random.word()).collect();
    let buffers = [gpu.buffer(count)?, gpu.buffer_of(&seeds)?, gpu.buffer(1)?];
    let spirv = kernel(
        "u32",
        256,
        &format!(
            "var own: array<u32, {LEN}>;
             for (var k = 0u; k < {LEN}u; k++) {{ own[k] = b[i] + k * 7u; }}
             var x = b[i];
             for (var k = 0u; k < {ROUNDS}u; k++) {{
                 x = x * 1664525u + own[(x >> 16u) & {mask}u];
                 own[(x >> 8u) & {mask}u] = x;
             }}
             a[i] = x;"
        ),
    );
    let kernel = gpu.kernel(&spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let rate = measure(gpu, scale, &kernel, 256)?;
    let last = |seed: u32| {
        let mut own: Vec<u32> = (0..LEN as u32).map(|k| seed.wrapping_add(k * 7)).collect();
        (0..ROUNDS).fold(seed, |x, _| {
            let x = x.wrapping_mul(1_664_525).wrapping_add(own[(x >> 16 & mask) as usize]);
            own[(x >> 8 & mask) as usize] = x;
            x
        })
    };
    let expected: Vec<u32> = seeds.iter().map(|&seed| last(seed)).collect();
    buffers[0].read(|got| check_words("private", got, &expected))?;
    Ok(rate * f64::from(2 * ROUNDS))
}

/// A 3 x 3 filter, as it is written plainly: rows of 512 with a border of their own.
fn convolution(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    const PITCH: usize = 512;
    let count = invocations(scale);
    let source: Vec<u32> = (0..(count + 4 * PITCH) as u32).map(|word| word.wrapping_mul(77) & 255).collect();
    let buffers = [gpu.buffer(count)?, gpu.buffer(1)?, gpu.buffer_of(&source)?];
    let body = format!(
        "var sum = 0u;
         for (var y = 0u; y < 3u; y++) {{
             for (var x = 0u; x < 3u; x++) {{ sum += c[i + y * {PITCH}u + x] * (x + 2u * y + 1u); }}
         }}
         a[i] = sum;"
    );
    let kernel = gpu.kernel(&kernel("u32", 256, &body), &[&buffers[0], &buffers[1], &buffers[2]])?;
    let rate = measure(gpu, scale, &kernel, 256)?;
    let taps = || (0..3usize).flat_map(|y| (0..3usize).map(move |x| (y, x)));
    let at = |i: usize| taps().map(|(y, x)| source[i + y * PITCH + x] * (x + 2 * y + 1) as u32).sum::<u32>();
    let expected: Vec<u32> = (0..count).map(at).collect();
    buffers[0].read(|got| check_words("convolution", got, &expected))?;
    Ok(rate)
}

type Reference = fn(f64) -> f64;

/// Functions of `x`, in WGSL and in Rust.
const FUNCTIONS: [(&str, Reference); 10] = [
    ("sin(x)", f64::sin),
    ("cos(x)", f64::cos),
    ("tan(x)", f64::tan),
    ("exp(-x)", |x| (-x).exp()),
    ("log(x + 1.5)", |x| (x + 1.5).ln()),
    ("pow(x + 0.1, 1.7)", |x| (x + 0.1).powf(1.7)),
    ("sqrt(x + 0.1)", |x| (x + 0.1).sqrt()),
    ("inverseSqrt(x + 0.5)", |x| (x + 0.5).sqrt().recip()),
    ("atan2(x, x + 0.5)", |x| x.atan2(x + 0.5)),
    ("tanh(x)", f64::tanh),
];

/// A function of the standard library, over and over: `x = f(x) / 2 + 1 / 4`, which stays between 0 and 1.
fn function<const NUMBER: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    const ROUNDS: u32 = 16;
    let (count, (text, reference)) = (invocations(scale), FUNCTIONS[NUMBER]);
    let start: Vec<f32> = (0..count).map(|i| (i & 1023) as f32 / 1024.0).collect();
    let buffers = [gpu.buffer(count)?, gpu.buffer(1)?, gpu.buffer_of_floats(&start)?];
    let body = format!(
        "var x = c[i]; for (var k = 0u; k < {ROUNDS}u; k++) {{ x = {text} * 0.5 + 0.25; }} a[i] = x;"
    );
    let kernel = gpu.kernel(&kernel("f32", 256, &body), &[&buffers[0], &buffers[1], &buffers[2]])?;
    let rate = measure(gpu, scale, &kernel, 256)?;
    let last = |x: f32| (0..ROUNDS).fold(f64::from(x), |x, _| reference(x).mul_add(0.5, 0.25));
    let pairs = buffers[0].floats().into_iter().zip(start.iter().map(|&x| last(x)));
    // What Vulkan asks for of sines is 2^-11; tangents are quotients of such, and the rounds add to it.
    check_floats(text, pairs.step_by(97), 2e-2)?;
    Ok(rate * f64::from(ROUNDS))
}
