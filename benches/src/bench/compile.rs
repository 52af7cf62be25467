//! Pipelines, their creation and first use together: some drivers compile at the first dispatch.

use ash::vk;
use std::time::Instant;

use super::generate::{Program, WORKGROUP_SIZE};
use super::{Random, Scale, check_words};
use crate::error::Failure;
use crate::gpu::{Gpu, Step};

/// Words of the buffer that generated programs read.
const INPUT_LEN: usize = 1024;

/// Sixty distinct shaders of a few hundred instructions: all created, all dispatched once.
pub(super) fn pipelines(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count = scale.pick(60, 3);
    let programs: Vec<_> = (0..count).map(|seed| Program::with_instructions(seed, 400)).collect();
    let seconds = first_use(gpu, &programs)?;
    Ok(count as f64 / seconds)
}

/// The same shaders on a device of their own, from a pipeline cache with the data of one that has seen them.
pub(super) fn pipelines_cached(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count = scale.pick(60, 3);
    let programs: Vec<_> = (0..count).map(|seed| Program::with_instructions(seed, 400)).collect();
    let cache = gpu.cache(&[])?;
    first_use_from(gpu, &programs, cache)?;
    let fresh = gpu.another()?;
    let warm = fresh.cache(&gpu.cache_data(cache)?)?;
    Ok(count as f64 / first_use_from(&fresh, &programs, warm)?)
}

/// The same shaders, all created and none used.
pub(super) fn pipelines_unused(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count = scale.pick(60, 3);
    let programs: Vec<_> = (0..count).map(|seed| Program::with_instructions(seed, 400)).collect();
    let buffer = gpu.buffer(INPUT_LEN)?;
    let modules: Vec<_> = programs.iter().map(Program::spirv).collect();
    let start = Instant::now();
    for module in &modules {
        gpu.kernel_from(module, &[&buffer, &buffer], vk::PipelineCache::null())?;
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

/// One shader of about `N` instructions: milliseconds to create and use it once.
pub(super) fn instructions<const N: usize>(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let program = Program::with_instructions(1000, scale.pick(N, 300));
    Ok(first_use(gpu, &[program])? * 1e3)
}

/// Seconds to create a pipeline of each program and run all of them once, checked.
fn first_use(gpu: &Gpu, programs: &[Program]) -> Result<f64, Failure> {
    first_use_from(gpu, programs, vk::PipelineCache::null())
}

/// The same with a pipeline cache, or null.
fn first_use_from(gpu: &Gpu, programs: &[Program], cache: vk::PipelineCache) -> Result<f64, Failure> {
    let mut random = Random::new(6);
    let input: Vec<u32> = (0..INPUT_LEN).map(|_| random.word()).collect();
    let source = gpu.buffer_of(&input)?;
    let outputs: Vec<_> = programs.iter().map(|_| gpu.buffer(WORKGROUP_SIZE)).collect::<Result<_, _>>()?;
    let modules: Vec<_> = programs.iter().map(Program::spirv).collect();

    let start = Instant::now();
    let kernels: Vec<_> = modules
        .iter()
        .zip(&outputs)
        .map(|(module, output)| gpu.kernel_from(module, &[output, &source], cache))
        .collect::<Result<_, _>>()?;
    let steps: Vec<_> = kernels.iter().map(|kernel| Step::Dispatch(kernel, [1, 1, 1], &[])).collect();
    gpu.run(&gpu.record(&steps)?)?;
    let seconds = start.elapsed().as_secs_f64();

    for (program, output) in programs.iter().zip(&outputs) {
        output.read(|got| check_words("generated shader", got, &program.evaluate(&input)))?;
    }
    Ok(seconds)
}
