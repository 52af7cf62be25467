//! What it costs to ask for next to nothing.

use super::{Scale, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::{Buffer, Gpu, Step};

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
