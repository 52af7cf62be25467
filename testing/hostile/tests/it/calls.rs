//! Random sequences of calls.

use pyro_hostile::calls;
use pyro_random::Random;
use pyro_test_environment::{in_child, number};

/// `PYRO_CALLS` sets how many calls (8,000), `PYRO_SEED` the first seed. A failure says its seed.
#[test]
fn random_api_calls_are_safe() {
    if !in_child(module_path!(), "random_api_calls_are_safe", &[]) {
        return;
    }
    let (calls, first) = (number("PYRO_CALLS", 8_000_u32), number("PYRO_SEED", 1_u64));
    for seed in first..first + 4 {
        println!("seed {seed}");
        calls::run(Random::new(seed), calls / 4);
    }
}
