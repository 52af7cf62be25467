//! `cargo fuzz run graphics_states`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("graphics_states");
