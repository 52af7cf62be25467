//! The driver gives the same bits for the same program everywhere, and other bits in another pixels epoch
//! only.

use pyro_digests::compare::{self, Digests, Setting, THREADS, arguments, each, levels, settings};
use pyro_digests::float::{self, Nan};
use pyro_digests::stored::{self, Stored};
use pyro_digests::{Kind, Maker};
use pyro_util::version::PIXELS_EPOCH;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pyro-digests");
/// Processes at a time.
const JOBS: usize = 2;

/// `PYRO_BLESS=1` writes the file, where that is allowed.
#[test]
fn stored_digests_hold() {
    if pyro_test_environment::bless() {
        stored::bless().expect("digests change with the epoch");
    }
    let stored = stored::path().and_then(|path| Stored::read(&path)).expect("the file");
    let found = stored::current().expect("a device");
    assert_eq!(found.len(), stored.digests.len(), "other cases than those of the file");
    let refused: Vec<_> = found.iter().filter(|(_, digest)| digest.starts_with("refused")).collect();
    assert!(refused.is_empty(), "{refused:?}");
    stored.check(PIXELS_EPOCH, &found).unwrap_or_else(|why| panic!("{why}"));
}

/// Each setting gives the stored digests in a part of the cases, each in another one.
#[test]
fn every_level_and_number_of_threads_gives_the_stored_digests() {
    let stored = Stored::built_in().expect("digests");
    let count = pyro_test_environment::number("PYRO_DIGESTS", 8);
    let least = stored::COUNTS.iter().map(|&(_, count)| count).min().unwrap_or_default();
    let settings = settings(&levels(), &THREADS, false);
    let run = |(index, setting): (usize, Setting)| {
        let first = 1 + index as u64 * count % (least - count).max(1);
        (setting, arguments(&Kind::SAME, first, count.min(least)))
    };
    let runs: Vec<_> = settings.into_iter().enumerate().map(run).collect();
    let wrong = Mutex::new(Vec::new());
    each(Path::new(PROGRAM), &runs, JOBS, None, &|setting, found| {
        let outcome = found.and_then(|found| stored.check(stored.epoch, &found));
        if let Err(why) = outcome {
            wrong.lock().expect("no panic").push(format!("{setting}: {why}"));
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A change of digests needs a new epoch, and a new epoch new digests.
#[test]
fn digests_change_with_the_epoch_alone() {
    let digests = |digest: &str| -> Digests {
        [((Kind::Scene, 1), "1".to_owned()), ((Kind::Float, 7), digest.to_owned())].into()
    };
    let stored = Stored { epoch: 4, digests: digests("2") };
    assert_eq!(Stored::parse(&stored.text()).as_ref(), Ok(&stored));
    assert_eq!(stored.check(4, &digests("2")), Ok(()));
    assert!(stored.check(4, &digests("3")).is_err_and(|why| why.contains("float 7: 3 instead of 2")));
    assert!(stored.check(5, &digests("2")).is_err_and(|why| why.contains("epoch")));
    assert!(stored.renewed(4, &digests("3")).is_err());
    assert_eq!(stored.renewed(5, &digests("3")), Ok(Stored { epoch: 5, digests: digests("3") }));
    // More cases need no new epoch.
    let more: Digests = digests("2").into_iter().chain([((Kind::Free, 2), "9".to_owned())]).collect();
    assert_eq!(stored.renewed(4, &more).map(|new| new.digests), Ok(more));
}

/// Words that compute shaders write under a setting, by number.
fn words(setting: &Setting, kind: Kind, count: u64) -> BTreeMap<u64, Vec<u32>> {
    let arguments = [arguments(&[kind], 1, count), vec!["--words".to_owned()]].concat();
    let text = compare::output(Path::new(PROGRAM), setting, &arguments).expect("it runs");
    let parsed = compare::parse(&text).expect("lines");
    let word = |word: &str| u32::from_str_radix(word, 16).expect("a word");
    parsed.iter().map(|((_, number), words)| (*number, words.split(' ').map(word).collect())).collect()
}

/// The payload of a NaN is the one exception: what differs between levels is a NaN on both.
#[test]
fn only_payloads_of_nan_differ_between_levels() {
    let count = 60;
    let all: Vec<_> = levels()
        .into_iter()
        .map(|level| words(&Setting { level, threads: 2, deterministic: false }, Kind::Nan, count))
        .collect();
    let mut nans = 0;
    for number in 1..=count {
        let (_, widths) = float::shader(number, Nan::Kept);
        let first = float::values(&widths, &all[0][&number]);
        nans += first.iter().filter(|(width, value)| float::is_nan(*width, value)).count();
        for other in &all[1..] {
            let other = float::values(&widths, &other[&number]);
            assert_eq!(first.len(), other.len());
            for (at, (one, two)) in first.iter().zip(&other).enumerate() {
                let both_nan = float::is_nan(one.0, one.1) && float::is_nan(two.0, two.1);
                assert!(one == two || both_nan, "shader {number}, value {at}: {one:x?} and {two:x?}");
            }
        }
    }
    assert!(nans > 1000, "there are NaNs: {nans}");
}

/// The digests of shaders whose results follow from the order of their invocations.
fn orders(setting: &Setting) -> Digests {
    let text =
        compare::output(Path::new(PROGRAM), setting, &arguments(&[Kind::Order], 1, 3)).expect("it runs");
    compare::parse(&text).expect("lines")
}

/// With `PYROCLAST_DETERMINISTIC` not even what atomic operations see depends on threads and levels.
#[test]
fn order_of_atomics_can_be_fixed() {
    let settings = settings(&levels(), &THREADS, true);
    let first = orders(&settings[0]);
    for setting in &settings[1..] {
        assert_eq!(orders(setting), first, "{setting}");
    }
}

/// Without it these shaders show that the order is not fixed: else the test above could not fail.
#[test]
fn order_of_atomics_is_free_otherwise() {
    let level = levels().swap_remove(0);
    let free = Setting { level: level.clone(), threads: 16, deterministic: false };
    let fixed = orders(&Setting { level, threads: 1, deterministic: true });
    assert!((0..50).any(|_| orders(&free) != fixed), "always the same order");
}

/// A case that takes too long is refused, and the next ones have a new device.
#[test]
fn cases_behind_a_wait_that_timed_out_have_digests() {
    for kind in [Kind::Order, Kind::Scene, Kind::Shader] {
        let mut maker = Maker::new();
        for timeout in [None, Some(Duration::ZERO)] {
            maker.timeout = timeout;
            let digest = maker.digest(kind, 3).expect("a device");
            assert_eq!(digest.starts_with("refused"), timeout.is_some(), "{kind:?}: {digest}");
        }
        maker.timeout = Some(Duration::from_secs(60));
        for number in [3, 4] {
            let (found, fresh) = (maker.digest(kind, number), Maker::new().digest(kind, number));
            let digest = found.as_ref().expect("a device");
            assert_eq!(digest.len(), 16, "{kind:?}: {digest}");
            // What the order of invocations decides is another digest each time.
            assert!(found == fresh || kind == Kind::Order, "{kind:?} {number}");
        }
    }
}

/// Refusals have no digest.
#[test]
fn every_kind_has_digests() {
    let mut maker = Maker::new();
    // What the order of invocations decides may be another digest the next time.
    for kind in Kind::SAME.into_iter().chain([Kind::Nan]) {
        let digest = maker.digest(kind, 3).expect("a device");
        assert_eq!((digest.len(), maker.digest(kind, 3)), (16, Ok(digest)), "{kind:?}");
    }
}
