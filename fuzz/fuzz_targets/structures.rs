//! `cargo fuzz run structures`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("structures");
