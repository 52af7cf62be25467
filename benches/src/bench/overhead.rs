//! What it costs to ask for next to nothing.

use super::{Scale, median_of, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::{Buffer, Gpu, Step};
use std::time::Instant;

/// Many one-group dispatches in one command buffer.
pub(super) fn dispatch(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    dispatches(gpu, scale, false)
}

/// The same with a barrier after each.
pub(super) fn dispatch_ordered(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    dispatches(gpu, scale, true)
}

fn dispatches(gpu: &Gpu, scale: Scale, ordered: bool) -> Result<f64, Failure> {
    let count: usize = scale.pick(2000, 10);
    let counter = gpu.buffer(1)?;
    let kernel = gpu.kernel(&shader!("tick"), &[&counter])?;
    let mut steps = Vec::new();
    for _ in 0..count {
        steps.push(Step::Dispatch(&kernel, [1, 1, 1], &[]));
        if ordered {
            steps.push(Step::Barrier);
        }
    }
    let commands = gpu.record(&steps)?;
    let seconds = median_seconds(gpu, scale, &commands, || counter.write(|words| words[0] = 0))?;
    check_counter(&counter, count)?;
    Ok(count as f64 / seconds / 1e3)
}

/// Commands recorded, in millions a second: a pipeline bound, its set bound, a dispatch, over and over.
pub(super) fn record(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count: usize = scale.pick(2000, 10);
    let counters = [gpu.buffer(1)?, gpu.buffer(1)?];
    let kernels =
        [gpu.kernel(&shader!("tick"), &[&counters[0]])?, gpu.kernel(&shader!("tick"), &[&counters[1]])?];
    let steps: Vec<_> = (0..count).map(|index| Step::Dispatch(&kernels[index % 2], [1, 1, 1], &[])).collect();
    let seconds = median_of(scale, || {
        let start = Instant::now();
        let commands = gpu.record(&steps)?;
        let seconds = start.elapsed().as_secs_f64();
        gpu.free(commands);
        Ok(seconds)
    })?;
    gpu.run(&gpu.record(&steps)?)?;
    counters.iter().try_for_each(|counter| check_counter(counter, count / 2))?;
    Ok(3.0 * count as f64 / seconds / 1e6)
}

/// Descriptors written, in millions a second, four by one call.
pub(super) fn descriptors(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count: usize = scale.pick(5000, 10);
    let counters = [gpu.buffer(1)?, gpu.buffer(1)?, gpu.buffer(1)?];
    let kernel = gpu.kernel(&shader!("tick"), &[&counters[0]])?;
    let seconds = median_of(scale, || {
        let start = Instant::now();
        for index in 0..count {
            let [first, second] = [&counters[index % 2], &counters[1 - index % 2]];
            gpu.rebind(&kernel, &[first, second, first, second]);
        }
        Ok(start.elapsed().as_secs_f64())
    })?;
    // What was written last is what is used.
    gpu.rebind(&kernel, &[&counters[2]]);
    gpu.run(&gpu.record(&[Step::Dispatch(&kernel, [1, 1, 1], &[])])?)?;
    check_counter(&counters[2], 1)?;
    Ok(4.0 * count as f64 / seconds / 1e6)
}

/// One tiny dispatch, submitted and waited for, in microseconds.
pub(super) fn submit(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let counter = gpu.buffer(1)?;
    let kernel = gpu.kernel(&shader!("tick"), &[&counter])?;
    let commands = gpu.record(&[Step::Dispatch(&kernel, [1, 1, 1], &[])])?;
    let seconds = median_seconds(gpu, scale, &commands, || counter.write(|words| words[0] = 0))?;
    check_counter(&counter, 1)?;
    Ok(seconds * 1e6)
}

/// One dispatch and its result, for the runner to time from the process's start.
pub(super) fn start(gpu: &Gpu) -> Result<(), Failure> {
    let counter = gpu.buffer(1)?;
    let kernel = gpu.kernel(&shader!("tick"), &[&counter])?;
    gpu.run(&gpu.record(&[Step::Dispatch(&kernel, [1, 1, 1], &[])])?)?;
    check_counter(&counter, 1)
}

fn check_counter(counter: &Buffer, expected: usize) -> Result<(), Failure> {
    let got = counter.read(|words| words[0]);
    if got as usize == expected {
        Ok(())
    } else {
        Err(Failure::Wrong(format!("{got} dispatches counted, expected {expected}")))
    }
}
