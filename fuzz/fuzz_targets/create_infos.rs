//! `cargo fuzz run create_infos`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("create_infos");
