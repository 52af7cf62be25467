//! Random shaders are silent under the sanitizer, and a bug that is put into them is found with its kind and
//! place.
//!
//! `PYRO_BUGS` sets how many (default 300), `PYRO_SEED` where to start. `pyro-injected-bugs` runs many.

use pyro_engine::Engine;
use pyro_shadergen::sanitized::{Outcome, run};
use pyro_test_environment::number;
use pyro_util::sanitize::KindSet;

#[test]
fn bugs_in_random_shaders_are_found() {
    let (count, first) = (number("PYRO_BUGS", 300), number("PYRO_SEED", 0));
    let engine = Engine::new(1);
    let kinds = KindSet::parse("all").expect("kinds");
    let mut complaints = Vec::new();
    for seed in first..first + count {
        let outcome = run(&engine, seed, kinds);
        if !matches!(outcome, Outcome::Found(_)) {
            complaints.push(format!("seed {seed}: {outcome:?}"));
        }
        assert!(complaints.len() < 20, "{}", complaints.join("\n"));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
