//! One compilation in a process of its own.

use crate::Arguments;
use pyro_compile::Backend;
use pyro_shapes::Shape;
use pyro_shapes::measure::measure_for;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What one process found.
#[derive(Clone, Default)]
pub(crate) struct Found {
    /// Of all steps.
    pub(crate) seconds: f64,
    /// The most that it took at once beside the module in assembly.
    pub(crate) mebibytes: f64,
    /// The instructions of the module.
    pub(crate) instructions: usize,
    /// Seconds by step.
    pub(crate) steps: Vec<(String, f64)>,
    /// Why there is no machine code.
    pub(crate) interpreted: Option<String>,
    /// Why it was given up.
    pub(crate) error: Option<String>,
}

/// Compiles in this process and prints the steps and the peak memory.
pub(crate) fn one(shape: &Shape, size: usize, backend: Backend) {
    let words = pyro_shapes::measure::assemble(&(shape.make)(size));
    // What it took to make the module does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let base = resident("VmRSS");
    let found = measure_for(&words, backend);
    for (name, time) in &found.steps {
        println!("{name}={time}");
    }
    println!("peak={}", resident("VmHWM").saturating_sub(base));
    println!("instructions={}", words.instructions());
    if let Some(reason) = found.interpreted {
        println!("interpreted={reason}");
    }
    if let Some(error) = found.error {
        println!("error={}", error.lines().next().unwrap_or_default());
    }
}

/// A figure of this process's memory, in KiB.
fn resident(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Seconds of processor time that a process has taken, in its user's code.
fn processor_seconds(id: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Behind the name, which may have spaces: in ticks of a hundredth of a second.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

/// Compiles in a process of its own, ended after some seconds of processor time.
pub(crate) fn in_process(shape: &Shape, size: usize, arguments: &Arguments) -> Found {
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(program)
        .args(["--one", &size.to_string(), shape.name])
        .args(arguments.backend.iter().flat_map(|name| ["--backend", name]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program starts");
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break Some(status);
        }
        if processor_seconds(child.id()) > arguments.seconds {
            child.kill().expect("a child");
            child.wait().expect("a child");
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut found = Found::default();
    let Some(status) = status else {
        let error = format!("ended after {} s", arguments.seconds);
        return Found { error: Some(error), ..found };
    };
    let mut output = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut output).expect("text");
    for line in output.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        match name {
            "error" => found.error = Some(value.to_owned()),
            "peak" => found.mebibytes = value.parse::<f64>().unwrap_or(0.0) / 1024.0,
            "instructions" => found.instructions = value.parse().unwrap_or(0),
            "interpreted" => found.interpreted = Some(value.to_owned()),
            _ => found.steps.push((name.to_owned(), value.parse().unwrap_or(0.0))),
        }
    }
    found.seconds = found.steps.iter().map(|step| step.1).sum();
    if !status.success() {
        found.error = Some(format!("{status}"));
    }
    found
}
