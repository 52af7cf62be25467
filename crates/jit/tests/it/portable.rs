//! Machine code as bytes and back.

use pyro_abi::Kernel;
use pyro_irgen::{Config, Executor, check_seeds};
use pyro_jit::{Compiled, Features, compile_checked};
use pyro_test_environment::{Need, skip};
use pyro_util::codec::Reader;

/// Random functions mean the same after a round trip, and what is cut is not loaded.
#[test]
fn code_means_the_same_after_a_round_trip() {
    let levels = Features::all();
    if levels.is_empty() {
        skip!(Need::Avx2);
    }
    for (_, features) in levels {
        survives_round_trip(features);
    }
}

fn survives_round_trip(features: Features) {
    let machine_code: Box<pyro_irgen::compare::Compile> = Box::new(move |function, info| {
        let first = compile_checked(function, info, features).map_err(|error| error.to_string())?;
        let bytes = first.portable().expect("machine code has a portable form");
        drop(first);
        for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(Compiled::from_portable(&mut Reader::new(&bytes[..len])).is_none());
        }
        let mut reader = Reader::new(&bytes);
        let loaded = Compiled::from_portable(&mut reader).expect("is well formed");
        assert_eq!(reader.left(), 0);
        assert_eq!(loaded.portable().as_ref(), Some(&bytes));
        Ok(Box::new(loaded))
    });
    let executor = Executor { name: "loaded machine code", compile: &*machine_code };
    for lanes in [4, 16, 64] {
        check_seeds(&Config::new(lanes, 60), &executor, 40);
    }
}
