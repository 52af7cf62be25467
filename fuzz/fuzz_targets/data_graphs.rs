//! `cargo fuzz run data_graphs`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("data_graphs");
