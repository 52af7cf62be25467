//! Random functions against the reference evaluator, at every subgroup size.

use pyro_irgen::{Config, Executor, check_seeds};
use pyro_jit::{CompileOptions, Features, Level, compile_checked, compile_with};
use pyro_test_environment::{Need, skip_current_test};

/// Every level that this processor has; those that it lacks are counted as skipped.
fn levels() -> Vec<(&'static str, Features)> {
    let all = Features::all();
    if all.is_empty() {
        skip_current_test(Need::Avx2);
    }
    if !all.iter().any(|(_, features)| features.level == Level::Avx512) {
        skip_current_test(Need::Avx512);
    }
    all
}

fn check(lanes: u32, size: u32, count: u64) {
    for (name, features) in levels() {
        let base = Features::base(features.level);
        if base != features {
            check_level("without extensions", base, lanes, size, count / 2);
        }
        check_level(name, features, lanes, size, count);
    }
}

fn check_level(name: &'static str, features: Features, lanes: u32, size: u32, count: u64) {
    let machine_code: Box<pyro_irgen::compare::Compile> =
        Box::new(move |function, info| match compile_checked(function, info, features) {
            Ok(kernel) => Ok(Box::new(kernel)),
            Err(error) => Err(error.to_string()),
        });
    let executor = Executor { name, compile: &*machine_code };
    check_seeds(&Config::new(lanes, size), &executor, count);
}

#[test]
fn lanes_4() {
    check(4, 60, 150);
}

#[test]
fn lanes_8() {
    check(8, 60, 150);
}

#[test]
fn lanes_16() {
    check(16, 60, 300);
}

#[test]
fn lanes_32() {
    check(32, 60, 150);
}

#[test]
fn lanes_64() {
    check(64, 60, 150);
}

#[test]
fn long_functions_spill() {
    check(16, 600, 20);
}

/// Values that live from one region to another, in all ways that control flow allows.
#[test]
fn allocation_regions_are_independent() {
    for (name, features) in levels() {
        for (lanes, size, region_size, count) in [
            (16, 60, 5, 100),
            (8, 60, 23, 60),
            (32, 200, 40, 30),
            (64, 60, 1, 20),
            (16, 600, 300, 6),
            (16, 400, 130, 10),
        ] {
            let machine_code: Box<pyro_irgen::compare::Compile> = Box::new(move |function, info| {
                let options = CompileOptions { region_size, verify: true, ..CompileOptions::default() };
                match compile_with(function, info, features, &options, &mut |_, _| {}) {
                    Ok(kernel) => Ok(Box::new(kernel)),
                    Err(error) => Err(error.to_string()),
                }
            });
            let executor = Executor { name, compile: &*machine_code };
            check_seeds(&Config::new(lanes, size), &executor, count);
        }
    }
}
