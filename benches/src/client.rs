//! The client: one process, one driver, one benchmark, one line of JSON.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;

use crate::bench::{Bench, Clock, Scale, all, sweep};
use crate::error::Failure;
use crate::gpu::Gpu;

/// What a client is asked for.
pub(crate) struct Request {
    /// The benchmark's name.
    pub(crate) bench: String,
    /// How much work it does.
    pub(crate) scale: Scale,
    /// Measures the machine itself instead of a driver.
    pub(crate) native: bool,
    /// A driver to open without the loader.
    pub(crate) direct: Option<PathBuf>,
    /// How many processors to stay on, counted from the first; all where none is given.
    pub(crate) threads: Option<usize>,
    /// Counts processor time instead of elapsed time.
    pub(crate) processor_time: bool,
}

/// Runs the request, prints the answer, and leaves the process without tearing anything down.
pub(crate) fn serve(request: &Request) -> ! {
    let answer = match answer(request) {
        Ok(answer) => answer,
        Err(Failure::Unsupported(text)) => json!({ "unsupported": text }),
        Err(failure) => json!({ "error": failure.to_string() }),
    };
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{answer}").and_then(|()| out.flush());
    std::process::exit(i32::from(written.is_err()));
}

fn answer(request: &Request) -> Result<serde_json::Value, Failure> {
    if let Some(threads) = request.threads {
        stay_on(threads).map_err(|error| Failure::Unsupported(format!("CPU affinity: {error}")))?;
    }
    let bench: &Bench = all()
        .find(|bench| bench.name == request.bench)
        .ok_or_else(|| Failure::Unsupported(format!("no benchmark is named {}", request.bench)))?;
    if request.native {
        let value = bench.native.and_then(|native| native(request.scale));
        return match value {
            Some(value) => Ok(json!({ "value": value })),
            None => Err(Failure::Unsupported("no loop for this processor".to_owned())),
        };
    }
    let mut gpu = match &request.direct {
        Some(path) => Gpu::open_driver(path)?,
        None => Gpu::open()?,
    };
    gpu.counts_processor_time = request.processor_time;
    let value = match bench.clock {
        Clock::Client(run) => Some(run(&gpu, request.scale)?),
        Clock::Sweep(case) => Some(sweep(&gpu, request.scale, case)?),
        Clock::Runner(run) => {
            run(&gpu)?;
            None
        }
    };
    Ok(json!({ "value": value, "device": gpu.describe() }))
}

/// Keeps this process, and the threads that it makes later, on the first `threads` processors of those
/// that it may use.
#[allow(unsafe_code)] // CPU affinity is a call of the C library.
fn stay_on(threads: usize) -> std::io::Result<()> {
    // SAFETY: cpu_set_t is plain bits, for which all zeros is the empty set.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer and the size are those of `allowed`.
    if unsafe { libc::sched_getaffinity(0, size_of_val(&allowed), &raw mut allowed) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: as above.
    let mut chosen: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let mut left = threads.max(1);
    for cpu in 0..libc::CPU_SETSIZE as usize {
        // SAFETY: `cpu` is below CPU_SETSIZE, so within both sets.
        unsafe {
            if left > 0 && libc::CPU_ISSET(cpu, &allowed) {
                libc::CPU_SET(cpu, &mut chosen);
                left -= 1;
            }
        }
    }
    if left > 0 {
        return Err(std::io::Error::other(format!("fewer than {threads} processors")));
    }
    // SAFETY: the pointer and the size are those of `chosen`.
    if unsafe { libc::sched_setaffinity(0, size_of_val(&chosen), &raw const chosen) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}
