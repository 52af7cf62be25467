//! `cargo fuzz run ptx`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("ptx");
