//! Random programs: mask form, with and without each pass, does what lane form says.

use crate::support::generate::{Kind, program};
use crate::support::reorder::reorder;
use crate::support::{Memory, Random, SUBGROUP, lane, mask};
use pyro_abi::context::offset;
use pyro_ir::{Function, Scalar};
use pyro_passes::pipeline::{self, OPTIMIZATIONS, Options};
use pyro_passes::target::Target;
use pyro_passes::workgroup_loop::WorkgroupShape;

const VISITS: u32 = 200_000;

fn make(random: &mut Random, lanes: u32, kind: Kind) -> Function {
    let mut function = program(random, lanes, kind);
    if kind.reordered {
        reorder(&mut function, random);
    }
    pyro_ir::verify::verify(&function).expect("the generator makes well-formed programs");
    function
}

fn check(seed: u64, lanes: u32, kind: Kind) {
    let mut random = Random::new(seed);
    let source = make(&mut random, lanes, kind);
    let full = random.chance(30);
    let all = u64::MAX >> (64 - lanes);
    let active = if full { all } else { (random.bits() | 1 << random.below(u64::from(lanes))) & all };
    let inputs: Vec<u32> = (0..16).map(|_| random.bits() as u32 & 0xff).collect();
    let before = Memory::new(active, &inputs);

    let mut expected = before.clone();
    if !lane::run(&source, &mut expected, active, VISITS) {
        return;
    }
    let mut variants = vec![
        Options { full_subgroups: full, disable_all: true, verify: true, ..Options::default() },
        Options { full_subgroups: full, verify: true, ..Options::default() },
    ];
    let left_out = OPTIMIZATIONS[random.below(OPTIMIZATIONS.len() as u64) as usize];
    variants.push(Options {
        full_subgroups: full,
        disabled: vec![left_out],
        verify: true,
        ..Options::default()
    });
    // The whole workgroup in one call: of one subgroup, so that it writes what the subgroup writes.
    let workgroup_loop = Some(WorkgroupShape { subgroup_count: 1, last_lanes: active });
    variants.push(Options { full_subgroups: full, workgroup_loop, verify: true, ..Options::default() });
    for options in variants {
        let mut function: Function = source.clone();
        if let Err(error) = pipeline::run(&mut function, &options, None) {
            panic!("seed {seed}, {lanes} lanes, {options:?}: {error}");
        }
        if random.below(2) == 0 {
            let mut any = || random.below(2) == 0;
            let target = Target {
                wide_vectors: any(),
                dot_product: any(),
                fuses: any(),
                fetch_adds: any(),
                fast_gathers: any(),
                permutes_tables: any(),
            };
            if let Err(error) = pipeline::run_for_target(&mut function, target, &options, None) {
                panic!("seed {seed}, {lanes} lanes, {options:?}, {target:?}: {error}");
            }
        }
        let mut memory = before.clone();
        if options.workgroup_loop.is_none() {
            memory.store(SUBGROUP + u64::from(offset::RESUME_POINT), Scalar::I32, 0);
        }
        let visits = mask::run(&function, &mut memory, VISITS * 20);
        assert!(visits.is_some(), "seed {seed}, {lanes} lanes, {options:?}: does not end");
        let differs = memory.output().iter().zip(expected.output()).position(|(a, b)| a != b);
        assert!(differs.is_none(), "seed {seed}, {lanes} lanes, {options:?}: byte {differs:x?} differs");
    }
}

fn check_many(first: u64, kind: Kind) {
    let count = pyro_test_environment::number("PYRO_RANDOM_PROGRAMS", 400);
    for seed in first..first + count {
        check(seed, [4, 8, 16, 32, 64][seed as usize % 5], kind);
    }
}

#[test]
fn small_programs() {
    check_many(1, Kind { statements: 12, suspends: false, reordered: false });
}

#[test]
fn programs() {
    check_many(1_000_000, Kind { statements: 60, suspends: false, reordered: false });
}

#[test]
fn programs_with_suspend_points() {
    check_many(2_000_000, Kind { statements: 40, suspends: true, reordered: false });
}

#[test]
fn reordered_programs() {
    check_many(3_000_000, Kind { statements: 40, suspends: true, reordered: true });
}

/// Prints one program, before and after each pass: `PYRO_RANDOM_PROGRAM=seed,statements,suspends + 2 *
/// reordered,optimized`.
#[test]
fn one_program() {
    let Some(text) = pyro_test_environment::text("PYRO_RANDOM_PROGRAM") else { return };
    let numbers: Vec<u64> = text.split(',').filter_map(|part| part.parse().ok()).collect();
    let &[seed, statements, suspends, optimized] = numbers.as_slice() else { panic!("four numbers") };
    let kind =
        Kind { statements: statements as u32, suspends: suspends & 1 != 0, reordered: suspends & 2 != 0 };
    let lanes = [4, 8, 16, 32, 64][seed as usize % 5];
    let mut function = make(&mut Random::new(seed), lanes, kind);
    println!("{function}");
    let options = Options { disable_all: optimized == 0, ..Options::default() };
    let mut observe = |pass: &'static str, function: &Function| println!("; after {pass}\n{function}");
    pipeline::run(&mut function, &options, Some(&mut observe)).unwrap();
    check(seed, lanes, kind);
}
