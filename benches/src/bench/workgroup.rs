//! Work that invocations of a workgroup share.

use super::{Random, Scale, check_floats, check_words, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::{Gpu, Step};

/// A square matrix product straight from memory.
pub(super) fn matmul_naive(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matmul(gpu, &shader!("matmul_naive"), scale.pick(512, 32), 16, scale)
}

/// A square matrix product by tiles in workgroup memory.
pub(super) fn matmul_tiled(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matmul(gpu, &shader!("matmul_tiled"), scale.pick(512, 32), 16, scale)
}

/// A square matrix product straight from memory, with sums in a private array that loop counters index.
pub(super) fn matmul_registers(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matmul(gpu, &shader!("matmul_registers"), scale.pick(512, 32), 16, scale)
}

/// A square matrix product by tiles of vectors of four, with sums in a private array.
pub(super) fn matmul_vec4(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matmul(gpu, &shader!("matmul_vec4"), scale.pick(512, 64), 32, scale)
}

/// The same by tiles of floats, and blocks of 4 x 4 sums for each invocation.
pub(super) fn matmul_blocks(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matmul(gpu, &shader!("matmul_blocks"), scale.pick(512, 64), 64, scale)
}

/// `side`: rows and columns of the product that a workgroup makes.
fn matmul(gpu: &Gpu, spirv: &[u32], n: usize, side: usize, scale: Scale) -> Result<f64, Failure> {
    let mut random = Random::new(1);
    let left: Vec<f32> = (0..n * n).map(|_| random.float(0.0, 1.0)).collect();
    let right: Vec<f32> = (0..n * n).map(|_| random.float(0.0, 1.0)).collect();
    let buffers = [gpu.buffer(n * n)?, gpu.buffer_of_floats(&left)?, gpu.buffer_of_floats(&right)?];
    let kernel = gpu.kernel(spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let groups = [(n / side) as u32, (n / side) as u32, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, &[n as u32])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let product = buffers[0].floats();
    // A sample that meets every row and column, since 29 is prime to every power of two.
    let samples = (0..n * n).step_by(29).map(|i| {
        let (row, column) = (i / n, i % n);
        let sum = (0..n).map(|k| f64::from(left[row * n + k]) * f64::from(right[k * n + column])).sum();
        (product[i], sum)
    });
    check_floats("matmul", samples, 1e-4)?;
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

/// The product of a square matrix and a vector, both of vectors of four; a row for each invocation.
pub(super) fn matvec(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matrix_by_vector(gpu, "matvec", &shader!("matvec"), scale)
}

/// The same by elements that the shader names one by one.
pub(super) fn matvec_scalar(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    matrix_by_vector(gpu, "matvec_scalar", &shader!("matvec_scalar"), scale)
}

fn matrix_by_vector(gpu: &Gpu, name: &str, spirv: &[u32], scale: Scale) -> Result<f64, Failure> {
    let n: usize = scale.pick(1024, 64);
    let mut random = Random::new(7);
    let matrix: Vec<f32> = (0..n * n).map(|_| random.float(0.0, 1.0)).collect();
    let vector: Vec<f32> = (0..n).map(|_| random.float(0.0, 1.0)).collect();
    let buffers = [gpu.buffer(n)?, gpu.buffer_of_floats(&matrix)?, gpu.buffer_of_floats(&vector)?];
    let kernel = gpu.kernel(spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let commands = gpu.record(&[Step::Dispatch(&kernel, [(n / 64) as u32, 1, 1], &[(n / 4) as u32])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let product = buffers[0].floats();
    let rows = matrix
        .chunks_exact(n)
        .zip(&product)
        .map(|(row, &got)| (got, row.iter().zip(&vector).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()));
    check_floats(name, rows, 1e-4)?;
    Ok(2.0 * (n as f64).powi(2) / seconds / 1e9)
}

/// A square product of matrices in half precision by cooperative matrices.
pub(super) fn matmul_coop(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let halves = |numbers: &[u32]| -> Vec<u32> {
        let half = |number: u32| match number.checked_ilog2() {
            Some(exponent) => (15 + exponent) << 10 | (number << (10 - exponent) & 0x3ff),
            None => 0,
        };
        numbers.chunks(2).map(|pair| half(pair[0]) | half(pair[1]) << 16).collect()
    };
    cooperative(gpu, scale, "matmul_coop", &shader!("matmul_coop"), halves, |sum| (sum as f32).to_bits())
}

/// The same of bytes.
pub(super) fn matmul_coop_int8(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let bytes = |numbers: &[u32]| -> Vec<u32> {
        numbers.chunks(4).map(|four| four.iter().rev().fold(0, |word, byte| word << 8 | byte)).collect()
    };
    cooperative(gpu, scale, "matmul_coop_int8", &shader!("matmul_coop_int8"), bytes, |sum| sum)
}

/// A square product by a shader with cooperative matrices: how numbers are packed, and what a sum is in
/// memory.
fn cooperative(
    gpu: &Gpu,
    scale: Scale,
    name: &str,
    spirv: &[u32],
    packed: impl Fn(&[u32]) -> Vec<u32>,
    bits: impl Fn(u32) -> u32,
) -> Result<f64, Failure> {
    if !gpu.cooperative_matrices() {
        return Err(Failure::Unsupported(
            "cooperative matrices of these sizes in subgroups of 16".to_owned(),
        ));
    }
    let n: usize = scale.pick(512, 32);
    let mut random = Random::new(7);
    // Integers up to 7: all sums are exact, and halves have their bits in few places.
    let mut numbers = || -> Vec<u32> { (0..n * n).map(|_| random.below(8)).collect() };
    let (left, right) = (numbers(), numbers());
    let buffers = [gpu.buffer(n * n)?, gpu.buffer_of(&packed(&left))?, gpu.buffer_of(&packed(&right))?];
    let kernel = gpu.kernel(spirv, &[&buffers[0], &buffers[1], &buffers[2]])?;
    let groups = [(n / 16) as u32, (n / 16) as u32, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, &[n as u32])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    // A sample that meets every row and column, since 29 is prime to every power of two.
    let samples: Vec<usize> = (0..n * n).step_by(29).collect();
    let product = |i: usize| -> u32 { (0..n).map(|k| left[i / n * n + k] * right[k * n + i % n]).sum() };
    let expected: Vec<u32> = samples.iter().map(|&i| bits(product(i))).collect();
    buffers[0].read(|got| {
        let got: Vec<u32> = samples.iter().map(|&i| got[i]).collect();
        check_words(name, &got, &expected)
    })?;
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

/// A square product of matrices of bytes, as quantised networks have them.
pub(super) fn matmul_int8(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    if !gpu.dot_product() {
        return Err(Failure::Unsupported("products of packed bytes".to_owned()));
    }
    let n: usize = scale.pick(1024, 64);
    let words = n / 4;
    let mut random = Random::new(6);
    let left: Vec<u32> = (0..n * words).map(|_| random.word()).collect();
    // Its columns, one behind the other.
    let right: Vec<u32> = (0..n * words).map(|_| random.word()).collect();
    let buffers = [gpu.buffer(n * n)?, gpu.buffer_of(&left)?, gpu.buffer_of(&right)?];
    let kernel = gpu.kernel(&shader!("matmul_int8"), &[&buffers[0], &buffers[1], &buffers[2]])?;
    let groups = [(n / 16) as u32, (n / 16) as u32, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, &[words as u32])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let product = |row: usize, column: usize| -> i32 {
        let (row, column) = (&left[row * words..][..words], &right[column * words..][..words]);
        row.iter()
            .zip(column)
            .map(|(x, y)| {
                let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
                (0..4).map(|byte| i32::from(x[byte] as i8) * i32::from(y[byte] as i8)).sum::<i32>()
            })
            .sum()
    };
    // A sample that meets every row and column, since 29 is prime to every power of two.
    let samples: Vec<usize> = (0..n * n).step_by(29).collect();
    let expected: Vec<u32> = samples.iter().map(|&i| product(i / n, i % n) as u32).collect();
    buffers[0].read(|got| {
        let got: Vec<u32> = samples.iter().map(|&i| got[i]).collect();
        check_words("matmul_int8", &got, &expected)
    })?;
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

/// Gravity between all pairs of bodies.
pub(super) fn nbody(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    // Three differences, three products and three sums for the square with softening, a square root and
    // a division as one each, three products for the weight, three products and three sums: as others
    // count it, 20.
    const FLOPS_PER_PAIR: f64 = 20.0;
    const SOFTENING: f32 = 0.01;
    let n: usize = scale.pick(4096, 256);
    let mut random = Random::new(2);
    let bodies: Vec<f32> = (0..n * 4).map(|_| random.float(0.0, 1.0)).collect();
    let acceleration = gpu.buffer(n * 4)?;
    let source = gpu.buffer_of_floats(&bodies)?;
    let kernel = gpu.kernel(&shader!("nbody"), &[&acceleration, &source])?;
    let push = [n as u32, SOFTENING.to_bits()];
    let commands = gpu.record(&[Step::Dispatch(&kernel, [(n / 256) as u32, 1, 1], &push)])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let body = |i: usize| [0, 1, 2, 3].map(|k| f64::from(bodies[i * 4 + k]));
    let got = acceleration.floats();
    for i in (0..n).step_by(61) {
        let here = body(i);
        let mut sum = [0.0f64; 3];
        let mut size = 0.0f64;
        for j in 0..n {
            let there = body(j);
            let d = [there[0] - here[0], there[1] - here[1], there[2] - here[2]];
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + f64::from(SOFTENING);
            let weight = there[3] * square.sqrt().recip().powi(3);
            for k in 0..3 {
                sum[k] += d[k] * weight;
                size += (d[k] * weight).abs();
            }
        }
        // The sum cancels, so the error is judged against the size of its terms.
        for k in 0..3 {
            let error = (f64::from(got[i * 4 + k]) - sum[k]).abs();
            if error.is_nan() || error > 1e-5 * size {
                let got = got[i * 4 + k];
                return Err(Failure::Wrong(format!("nbody: body {i} is {got}, expected {}", sum[k])));
            }
        }
    }
    Ok(FLOPS_PER_PAIR * (n as f64).powi(2) / seconds / 1e9)
}

/// Sums by a tree in workgroup memory.
pub(super) fn reduce_shared(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    reduce(gpu, scale, &shader!("reduce_shared"))
}

/// Sums by subgroup arithmetic.
pub(super) fn reduce_subgroup(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    if !gpu.subgroup_arithmetic() {
        return Err(Failure::Unsupported("subgroup arithmetic in compute shaders".to_owned()));
    }
    reduce(gpu, scale, &shader!("reduce_subgroup"))
}

fn reduce(gpu: &Gpu, scale: Scale, spirv: &[u32]) -> Result<f64, Failure> {
    const PER_GROUP: usize = 1024;
    let groups: usize = scale.pick(16 << 10, 3);
    // Whole numbers below 16: every order of summing is exact.
    let mut random = Random::new(3);
    let values: Vec<f32> = (0..groups * PER_GROUP).map(|_| random.below(16) as f32).collect();
    let sums = gpu.buffer(groups)?;
    let source = gpu.buffer_of_floats(&values)?;
    let kernel = gpu.kernel(spirv, &[&sums, &source])?;
    let commands = gpu.record(&[Step::Dispatch(&kernel, [groups as u32, 1, 1], &[])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let expected: Vec<u32> =
        values.chunks_exact(PER_GROUP).map(|chunk| chunk.iter().sum::<f32>().to_bits()).collect();
    sums.read(|got| check_words("reduce", got, &expected))?;
    Ok((values.len() * 4) as f64 / seconds / 1e9)
}

/// Counts of byte values by atomics in workgroup memory and in a buffer.
pub(super) fn histogram(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let (groups, words_per_invocation) = scale.pick((1024usize, 16u32), (2, 2));
    let mut random = Random::new(4);
    let len = groups * 256 * words_per_invocation as usize;
    // The lesser of two bytes: a slope, so that some bins are met often.
    let samples: Vec<u32> = (0..len)
        .map(|_| {
            let (x, y) = (random.word().to_le_bytes(), random.word().to_le_bytes());
            u32::from_le_bytes([0, 1, 2, 3].map(|k| x[k].min(y[k])))
        })
        .collect();
    let bins = gpu.buffer(256)?;
    let source = gpu.buffer_of(&samples)?;
    let kernel = gpu.kernel(&shader!("histogram"), &[&bins, &source])?;
    let groups = [groups as u32, 1, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, &[words_per_invocation])])?;
    let seconds = median_seconds(gpu, scale, &commands, || bins.write(|bins| bins.fill(0)))?;

    let mut expected = [0u32; 256];
    samples.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| expected[usize::from(byte)] += 1);
    bins.read(|got| check_words("histogram", got, &expected))?;
    Ok((len * 4) as f64 / seconds / 1e9)
}

/// Counts of 256 values by atomics in a buffer: threads count in the same few places.
pub(super) fn histogram_global(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    counts(gpu, scale, 256)
}

/// The same of a million values: threads hardly meet.
pub(super) fn histogram_sparse(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    counts(gpu, scale, 1 << 20)
}

/// Samples a second, each counted in one of `bins` places (a power of two).
fn counts(gpu: &Gpu, scale: Scale, bins: usize) -> Result<f64, Failure> {
    let (groups, words_per_invocation) = scale.pick((1024usize, 16u32), (2, 2));
    let mut random = Random::new(6);
    let len = groups * 256 * words_per_invocation as usize;
    let samples: Vec<u32> = (0..len).map(|_| random.word()).collect();
    let (counts, source) = (gpu.buffer(bins)?, gpu.buffer_of(&samples)?);
    let kernel = gpu.kernel(&shader!("histogram_global"), &[&counts, &source])?;
    let mask = bins - 1;
    let params = [words_per_invocation, mask as u32];
    let commands = gpu.record(&[Step::Dispatch(&kernel, [groups as u32, 1, 1], &params)])?;
    let seconds = median_seconds(gpu, scale, &commands, || counts.write(|counts| counts.fill(0)))?;

    let mut expected = vec![0u32; bins];
    samples.iter().for_each(|&sample| expected[sample as usize & mask] += 1);
    counts.read(|got| check_words("histogram", got, &expected))?;
    Ok(len as f64 / seconds / 1e9)
}

/// Inclusive prefix sums over an array: blocks, blocks of blocks, and back.
pub(super) fn scan(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    // Three levels of 256.
    let len: usize = scale.pick(4 << 20, 512);
    let mut random = Random::new(5);
    let values: Vec<u32> = (0..len).map(|_| random.word()).collect();
    let level = |below: usize| (below / 256).next_multiple_of(256);
    let lens = [len, level(len), level(level(len)), 256];
    let buffers = [gpu.buffer(lens[0])?, gpu.buffer(lens[1])?, gpu.buffer(lens[2])?, gpu.buffer(lens[3])?];
    let (up, down) = (shader!("scan_blocks"), shader!("scan_add"));
    let kernels: Vec<_> = (0..3)
        .map(|i| {
            let bound = [&buffers[i], &buffers[i + 1]];
            Ok((gpu.kernel(&up, &bound)?, gpu.kernel(&down, &bound)?))
        })
        .collect::<Result<_, Failure>>()?;
    let groups = |i: usize| [(lens[i] / 256) as u32, 1, 1];
    let commands = gpu.record(&[
        Step::Dispatch(&kernels[0].0, groups(0), &[]),
        Step::Barrier,
        Step::Dispatch(&kernels[1].0, groups(1), &[]),
        Step::Barrier,
        Step::Dispatch(&kernels[2].0, groups(2), &[]),
        Step::Barrier,
        Step::Dispatch(&kernels[1].1, groups(1), &[]),
        Step::Barrier,
        Step::Dispatch(&kernels[0].1, groups(0), &[]),
    ])?;
    // The sums are made in place.
    let seconds = median_seconds(gpu, scale, &commands, || {
        buffers[0].write(|words| words.copy_from_slice(&values));
    })?;

    let mut sum = 0u32;
    let expected: Vec<u32> = values
        .iter()
        .map(|value| {
            sum = sum.wrapping_add(*value);
            sum
        })
        .collect();
    buffers[0].read(|got| check_words("scan", got, &expected))?;
    Ok(len as f64 / seconds / 1e9)
}
