//! `cargo fuzz run graphics_libraries`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("graphics_libraries");
