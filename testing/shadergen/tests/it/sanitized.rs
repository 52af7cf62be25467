//! Random shaders are silent under the sanitizer, and a bug that is put into them is found with its kind and
//! place.
//!
//! `PYRO_BUGS` sets how many (default 300), `PYRO_SEED` where to start:
//! `PYRO_BUGS=100000 cargo test --release -p pyro-shadergen --test it -- sanitized`.
#![allow(unsafe_code)] // dispatches

use crate::buffers::{self, Set};
use pyro_abi::{DispatchContext, PipelineLayout};
use pyro_compile::{ComputeRequest, SubgroupSize, compile_compute};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_sanitizer::{Event, Finding, Options, Reports};
use pyro_shadergen::inject::{Bug, LINE, OTHER_LINE, inject};
use pyro_shadergen::program::{INPUT_WORDS, OUTPUT_WORDS};
use pyro_shadergen::{Program, assembly, generate};
use pyro_test_environment::number;
use pyro_util::sanitize::KindSet;

const GROUPS: u32 = 3;

fn layout(kinds: KindSet) -> PipelineLayout {
    let mut layout = buffers::layout();
    layout.options.sanitize = kinds;
    layout
}

/// What the sanitizer says of a program.
fn findings(engine: &Engine, program: &Program, kinds: KindSet) -> Vec<Finding> {
    let options = Options { kinds, output: Some("/dev/null".into()), ..Options::default() };
    let reports = Reports::new(options);
    let words = pyro_spirv::asm::assemble(&assembly::write(program)).expect("valid assembly");
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout(kinds),
        subgroup_size: SubgroupSize::Required(16),
    };
    let kernel = compile_compute(&request).expect("a kernel");
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
    unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }.expect("it runs");
    let findings = reports.take_events().into_iter().filter_map(|event| match event {
        Event::Finding(finding) => Some(*finding),
        _ => None,
    });
    findings.collect()
}

/// What is wrong with the findings of a program with a bug.
fn complaint(bug: Bug, found: &[Finding]) -> Option<String> {
    let is_it = |finding: &&Finding| {
        let other = finding.other.as_ref().map(|other| other.place.line);
        let has_other = bug != Bug::RaceWorkgroup || other == Some(OTHER_LINE);
        finding.kind.name() == bug.kind() && finding.place.line == LINE && has_other
    };
    let all: Vec<String> = found.iter().map(ToString::to_string).collect();
    found.iter().find(is_it).is_none().then(|| format!("{bug:?} is not found: {all:?}"))
}

#[test]
fn bugs_in_random_shaders_are_found() {
    let (count, first) = (number("PYRO_BUGS", 300), number("PYRO_SEED", 0));
    let engine = Engine::new(1);
    let kinds = KindSet::parse("all").expect("kinds");
    let mut complaints = Vec::new();
    for seed in first..first + count {
        let program = generate::program(seed, 4 + (seed % 24) as u32);
        let stray = findings(&engine, &program, kinds);
        if let Some(stray) = stray.first() {
            complaints.push(format!("seed {seed}: a false finding: {stray}"));
        }
        let (program, bug) = inject(&program, seed);
        let found = findings(&engine, &program, kinds);
        complaints.extend(complaint(bug, &found).map(|text| format!("seed {seed}: {text}")));
        if count > 1000 && (seed - first + 1).is_multiple_of(1000) {
            println!("{} of {count}, {} complaints", seed - first + 1, complaints.len());
        }
        assert!(complaints.len() < 20, "{}", complaints.join("\n"));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
