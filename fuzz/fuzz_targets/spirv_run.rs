//! `cargo fuzz run spirv_run`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("spirv_run");
