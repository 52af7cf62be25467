//! `cargo fuzz run ray_shaders`: see `pyro_hostile::targets`.
#![no_main]

pyro_fuzz::target!("ray_shaders");
