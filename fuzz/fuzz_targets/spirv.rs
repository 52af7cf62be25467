//! `cargo fuzz run spirv`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("spirv");
