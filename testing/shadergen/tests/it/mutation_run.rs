//! Broken modules that compile all the same, run for a number of steps: they touch no memory but their own,
//! and end or go on, but neither panic nor stop making steps.
//!
//! `PYRO_MUTATIONS` sets how many (default 2000), `PYRO_SEED` where to start, `PYRO_CORPUS` the modules to
//! break (see [`Corpus`]). `PYRO_TRACE` is a folder into which each module is written before it runs, as
//! `module.spv`, for those that end the process.

use crate::guarded;
use pyro_random::Random;
use pyro_shadergen::corpus::Corpus;
use pyro_shadergen::mutate::{mutate, mutate_gently};
use pyro_shadergen::{assembly, generate};
use pyro_test_environment::number;

#[test]
fn mutated_modules_stay_in_their_memory() {
    let (count, first) = (number("PYRO_MUTATIONS", 2000), number("PYRO_SEED", 0));
    let corpus = Corpus::from_environment();
    guarded::WATCH.start();
    let mut ran = 0;
    for seed in first..first + count {
        let mut words = match corpus {
            Corpus::Generated => {
                let text = assembly::write(&generate::program(seed / 8 % 200, 4 + (seed % 40) as u32));
                pyro_spirv::asm::assemble(&text).expect("valid assembly")
            }
            Corpus::Files(_) => corpus.module(seed / 8),
        };
        let mut random = Random::new(seed ^ 0x0ddba11);
        if random.one_in(4) {
            mutate(&mut words, &mut random)
        } else {
            mutate_gently(&mut words, &mut random)
        }
        guarded::trace(&words, seed);
        ran += u64::from(guarded::run_on_both(&words, seed));
    }
    println!("{ran} of {count} ran");
    assert!(ran > count / 20 || matches!(corpus, Corpus::Files(_)), "{ran} of {count} ran");
}
