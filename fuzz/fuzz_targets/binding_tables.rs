//! `cargo fuzz run binding_tables`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("binding_tables");
