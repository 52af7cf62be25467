//! A module ten times as large takes at most a few times ten times as long, whatever its shape.

use pyro_compile::Backend;
use pyro_shapes::measure::{Measured, assemble, measure_for};
use pyro_shapes::{SHAPES, Shape};

/// The larger size; the smaller one is a tenth of it. The interpreter's is smaller: what is in front of it is
/// in front of machine code, too.
const SIZE: usize = 15_000;
const INTERPRETER_SIZE: usize = 5_000;
/// How many times as long the larger size may take: ten times, a logarithm, and what no longer fits the
/// caches. What is quadratic takes a hundred times as long, or nearly.
const RATIO_MAX: f64 = 22.0;
/// Below so many seconds of the larger size, nothing is said.
const SECONDS_MIN: f64 = 0.03;
/// The least of as many measurements counts, since others use the processor, too: of the larger size, and of
/// the smaller one, which is measured more often; of a shape that took too long again as often.
const ROUNDS: u32 = 3;
const ROUNDS_AGAIN: [u32; 2] = [4, 12];

/// The seconds of each step, the least of some rounds.
fn best(shape: &Shape, size: usize, backend: Backend, rounds: u32) -> Measured {
    let words = assemble(&(shape.make)(size));
    let mut best = measure_for(&words, backend);
    for _ in 1..rounds {
        let next = measure_for(&words, backend);
        for (best, next) in best.steps.iter_mut().zip(&next.steps) {
            best.1 = best.1.min(next.1);
        }
    }
    assert_eq!(best.error, None, "{} of size {size}", shape.name);
    best
}

/// The larger size, or what the shape's own limits or those of the compiler leave of it, and its seconds.
fn largest(shape: &Shape, backend: Backend) -> (usize, Measured) {
    let most = if backend == Backend::Interpreter { INTERPRETER_SIZE } else { SIZE };
    let mut size = most.min(shape.size_max);
    loop {
        let found = measure_for(&assemble(&(shape.make)(size)), backend);
        match &found.error {
            None => return (size, found),
            Some(error) => assert!(error.starts_with("too large"), "{} of size {size}: {error}", shape.name),
        }
        size /= 2;
    }
}

fn check(backend: Backend) {
    let mut failures = Vec::new();
    let step = pyro_test_environment::number("PYRO_SHAPES", 1);
    for shape in SHAPES.iter().step_by(step) {
        let (size, mut large) = largest(shape, backend);
        let ratio =
            |large: &Measured, rounds| large.total() / best(shape, size / 10, backend, rounds).total();
        if large.total() < SECONDS_MIN {
            continue;
        }
        let mut ratio_found = ratio(&large, ROUNDS);
        if ratio_found > RATIO_MAX {
            large = best(shape, size, backend, ROUNDS_AGAIN[0]);
            ratio_found = ratio(&large, ROUNDS_AGAIN[1]);
        }
        if ratio_found > RATIO_MAX {
            let steps = large.steps.iter().filter(|step| step.1 > large.total() / 10.0);
            let steps: Vec<String> =
                steps.map(|(name, time)| format!("{name} {:.0} ms", time * 1e3)).collect();
            failures.push(format!("{}: {ratio_found:.0} times as long ({})", shape.name, steps.join(", ")));
        }
    }
    assert!(failures.is_empty(), "ten times the size takes\n{}", failures.join("\n"));
}

#[test]
fn machine_code_takes_time_in_proportion() {
    check(Backend::best());
}

#[test]
fn shaders_for_the_interpreter_take_time_in_proportion() {
    check(Backend::Interpreter);
}

/// What lives at once and does not fit the stack has no machine code, which is known soon.
#[test]
fn what_does_not_fit_the_stack_is_interpreted() {
    if Backend::best() == Backend::Interpreter {
        return;
    }
    let shape = pyro_shapes::shape("live_products").expect("a shape");
    let fits = measure_for(&assemble(&(shape.make)(20_000)), Backend::best());
    assert_eq!((fits.error, fits.interpreted), (None, None));
    let measured = measure_for(&assemble(&(shape.make)(100_000)), Backend::best());
    assert_eq!(measured.error, None);
    assert!(measured.interpreted.is_some_and(|reason| reason.contains("bytes of stack")));
}
