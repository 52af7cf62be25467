//! Programs under the sanitizer: those of the generator are silent, and a bug that is put into one is found
//! with its kind, its line and the other side.
#![allow(unsafe_code)] // dispatches

use crate::buffers::{self, Set};
use crate::inject::{Bug, LINE, OTHER_LINE, inject};
use crate::program::{INPUT_WORDS, OUTPUT_WORDS};
use crate::{Program, assembly, generate};
use pyro_abi::DispatchContext;
use pyro_compile::{ComputeRequest, ShaderModule, SubgroupSize, compile_compute};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_sanitizer::{Event, Finding, Options, Reports};
use pyro_util::sanitize::KindSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Workgroups of every dispatch.
const GROUPS: u32 = 3;
/// Invocations of a subgroup.
const LANES: u32 = 16;

/// What became of a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is said of the program, and the bug that is put into it is found.
    Found(Bug),
    /// There is a finding in the program without a bug.
    False(String),
    /// The bug is not found where it is, or not with its other side.
    Missed(Bug, String),
    /// The program or its twin does not compile or run.
    Failed(String),
}

/// What the sanitizer says of a program.
fn findings(engine: &Engine, program: &Program, kinds: KindSet) -> Result<Vec<Finding>, String> {
    let options = Options { kinds, output: Some("/dev/null".into()), ..Options::default() };
    let reports = Reports::new(options, vec![std::sync::Arc::clone(engine.abort_flag())]);
    let words = pyro_spirv::asm::assemble(&assembly::write(program)).map_err(|error| error.to_string())?;
    let mut layout = buffers::layout();
    layout.options.sanitize = kinds;
    let request = ComputeRequest {
        module: &ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Required(LANES),
    };
    let kernel = compile_compute(&request).map_err(|error| error.to_string())?;
    let input: Vec<u32> = (0..INPUT_WORDS).collect();
    let mut words = vec![0u32; (program.workgroup_size * GROUPS * OUTPUT_WORDS) as usize];
    let mut counter = [0u32];
    let set = Set::new(&input, &mut words, &mut counter);
    let sets = set.addresses();
    let invocations = program.workgroup_size * GROUPS;
    let (shadow, shadow_first) = reports.buffer_shadow(invocations.into());
    let context = DispatchContext {
        sets,
        num_workgroups: [GROUPS, 1, 1],
        reporter: reports.address(),
        serial: reports.next_serial(),
        shadow,
        shadow_first,
        shadow_count: invocations,
        ..DispatchContext::default()
    };
    // SAFETY: the set, the buffers and their sizes are right, and live through the call, as do the reports.
    unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }.map_err(|error| format!("{error:?}"))?;
    let findings = reports.take_events().into_iter().filter_map(|event| match event {
        Event::Finding(finding) => Some(*finding),
        _ => None,
    });
    Ok(findings.collect())
}

/// Whether a finding is of the bug, with both sides where it has two.
fn is_of(bug: Bug, finding: &Finding) -> bool {
    let other = finding.other.as_ref().map(|other| other.place.line);
    let has_other = bug != Bug::RaceWorkgroup || other == Some(OTHER_LINE);
    finding.kind.name() == bug.kind() && finding.place.line == LINE && has_other
}

fn outcome(engine: &Engine, seed: u64, kinds: KindSet) -> Result<Outcome, String> {
    let program = generate::program(seed, 4 + (seed % 24) as u32);
    if let Some(stray) = findings(engine, &program, kinds)?.first() {
        return Ok(Outcome::False(stray.to_string()));
    }
    let (program, bug) = inject(&program, seed);
    let found = findings(engine, &program, kinds)?;
    if found.iter().any(|finding| is_of(bug, finding)) {
        return Ok(Outcome::Found(bug));
    }
    let all: Vec<String> = found.iter().map(ToString::to_string).collect();
    Ok(Outcome::Missed(bug, format!("{all:?}")))
}

/// Runs a seed's program and its twin with a bug.
#[must_use]
pub fn run(engine: &Engine, seed: u64, kinds: KindSet) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| outcome(engine, seed, kinds))) {
        Ok(result) => result.unwrap_or_else(Outcome::Failed),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Outcome::Failed(format!("panic: {}", text.unwrap_or_default()))
        }
    }
}
