//! `cargo fuzz run calls`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("calls");
