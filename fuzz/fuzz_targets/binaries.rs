//! `cargo fuzz run binaries`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("binaries");
