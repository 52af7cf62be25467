//! `cargo fuzz run pairs`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("pairs");
