//! `cargo fuzz run graphics_shaders`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("graphics_shaders");
