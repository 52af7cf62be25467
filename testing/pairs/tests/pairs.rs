//! What is changed in a pair is found; what is not is accepted.

use pyro_pairs::{Change, NEIGHBOURS, Pair, Random, Stage, judge};
use pyro_test_environment::number;

#[test]
fn equal_sides_match() {
    let mut random = Random::new(1);
    let mut count = 0;
    while count < 150 {
        let stages = NEIGHBOURS[count % NEIGHBOURS.len()];
        let pair = Pair::random(&mut random, stages);
        if pair.inputs != pair.outputs {
            continue;
        }
        count += 1;
        let modules = pair.modules().expect("modules");
        assert_eq!(judge(&modules, true).expect("a verdict"), [].into(), "{pair:?}");
    }
}

#[test]
fn changes_are_found() {
    let mut random = Random::new(2);
    let mut missing = 0;
    for round in 0..600 {
        let pair = Pair::random(&mut random, NEIGHBOURS[round % NEIGHBOURS.len()]);
        let modules = pair.modules().expect("modules");
        let found = judge(&modules, true).expect("a verdict");
        if pair.changes == [Change::Removed] && pair.outputs.len() < pair.inputs.len() {
            missing += 1;
            let rule = match pair.stages {
                (Stage::Task, _) => "VUID-RuntimeSpirv-MeshEXT-12380",
                _ => "VUID-RuntimeSpirv-OpEntryPoint-08743",
            };
            assert!(found.contains(rule), "{pair:?}: {found:?}");
        }
        // Neither precision nor interpolation matter between stages that are compiled together.
        let is_harmless = |change: &Change| matches!(change, Change::Precision | Change::Interpolation);
        if pair.changes.iter().all(is_harmless) {
            assert!(found.iter().all(|rule| !rule.contains("RuntimeSpirv")), "{pair:?}: {found:?}");
        }
    }
    assert!(missing > 5);
}

/// Pairs whose modules have changed words are judged or refused; nothing panics.
#[test]
fn mutated_pairs_do_not_panic() {
    let first: u64 = number("PYRO_SEED", 1);
    let rounds: u64 = number("PYRO_MUTATIONS", 1500);
    let mut judged = 0;
    for seed in first..first + rounds {
        let mut random = Random::new(seed);
        let pair = Pair::random(&mut random, NEIGHBOURS[seed as usize % NEIGHBOURS.len()]);
        let mut modules = pair.modules().expect("modules");
        for (_, words) in &mut modules {
            for _ in 0..random.below(3) {
                // Behind the header.
                let at = 5 + random.below(words.len() - 5);
                words[at] = match random.below(4) {
                    0 => words[at] ^ 1 << random.below(32),
                    1 => random.below(words[3] + 2),
                    2 => words[5 + random.below(words.len() - 5)],
                    _ => random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff]),
                };
            }
        }
        judged += u64::from(judge(&modules, true).is_ok());
    }
    assert!(judged * 20 > rounds, "{judged} of {rounds} are judged");
}
