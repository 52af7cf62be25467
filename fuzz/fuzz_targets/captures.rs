//! `cargo fuzz run captures`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("captures");
