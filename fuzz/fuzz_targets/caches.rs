//! `cargo fuzz run caches`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("caches");
