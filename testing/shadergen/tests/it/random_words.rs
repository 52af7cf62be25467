//! Random words, random words behind a header, and modules grown from random instructions: decoding,
//! checking, lowering, all passes with the verifier, and both backends neither panic, hang nor leave their
//! memory.
//!
//! `PYRO_INPUTS` sets how many are tried (default 1100), `PYRO_SEED` where to start. `PYRO_TRACE` is a folder
//! into which each module is written before it is lowered, as `module.spv`, for those that end the process.

use crate::guarded;
use pyro_compile::reflect::layout_of;
use pyro_random::Random;
use pyro_shadergen::noise;
use pyro_spirv::Module;
use pyro_test_environment::number;
use std::time::{Duration, Instant};

/// Instructions that a module tries to take up.
const TRIES: u32 = 3000;

/// Decodes, checks and lowers; whether all of it succeeded.
fn lowers(words: &[u32]) -> bool {
    let Ok(module) = Module::decode(words) else { return false };
    let environment = pyro_validate::Environment::default();
    let Ok(checked) = pyro_validate::validate(std::sync::Arc::new(module), &environment) else {
        return false;
    };
    let layout = layout_of(&checked).unwrap_or_default();
    let shader = pyro_lower::Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
    pyro_lower::lower(&shader, 16, &pyro_lower::StageRequest::Compute).is_ok()
}

#[test]
fn random_words_are_safe() {
    let (count, first) = (number("PYRO_INPUTS", 1100), number("PYRO_SEED", 0));
    guarded::WATCH.start();
    let (mut inputs, mut ran, mut taken) = (0u64, 0u64, Vec::new());
    for seed in first..first + count {
        let random = &mut Random::new(seed ^ 0x4a5d);
        let start = Instant::now();
        // A module takes as long to grow as hundreds of others.
        let words = match seed % 512 {
            0 => {
                let mut tried = 0;
                let (words, ops) = noise::grow(TRIES, random, &mut |words| {
                    tried += 1;
                    lowers(words)
                });
                inputs += tried;
                taken.extend(ops);
                words
            }
            even if even % 2 == 0 => noise::behind_header(random),
            _ => noise::words(random),
        };
        inputs += 1;
        guarded::trace(&words, seed);
        lowers(&words);
        ran += u64::from(guarded::run_on_both(&words, seed));
        // Much more than any takes on a machine that does nothing else.
        assert!(start.elapsed() < Duration::from_secs(900), "module {seed} took {:?}", start.elapsed());
    }
    let instructions = taken.len();
    taken.sort_by_key(|&op| op as u32);
    taken.dedup();
    println!(
        "{inputs} inputs, {ran} of {count} ran, {instructions} instructions of {} opcodes grown",
        taken.len()
    );
    assert!(ran > 0 && instructions as u64 > 5 * ran, "{ran} of {count} ran");
}
