//! Input that is slightly wrong, and who watches what becomes of it.
//!
//! Problem: modules of random words are refused before anything interesting happens to them, and a driver
//! that catches its panics hides them. Approach: [`text`] changes the assembly of working shaders a little,
//! so that much of it still passes the checks that are always made; [`states`], [`libraries`], [`pipelines`]
//! and [`calls`] do so with what an application says. [`watch`] sees every panic in this process, caught or
//! not, and ends a process that hangs. The tests draw, dispatch and launch what comes of it. [`targets`] has
//! a function of bytes for each thing that is not trusted, which tests and `fuzz/` call.
#![forbid(unsafe_op_in_unsafe_fn)]

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe; pointers are valid
pub mod calls;
mod graphs;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
pub mod libraries;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
pub mod modules;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
pub mod pipelines;
pub mod shaders;
pub mod states;
#[allow(unsafe_code)] // traversals of structures
mod structures;
pub mod targets;
pub mod text;
pub mod victim;
pub mod watch;

use pyro_random::Random;

/// A number at an edge of something.
pub fn number(random: &mut Random) -> u32 {
    random.pick(&[
        0,
        0,
        1,
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        15,
        16,
        17,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        128,
        256,
        1000,
        4096,
        65_535,
        65_536,
        1 << 20,
        1 << 24,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_fffe,
        0xffff_ffff,
    ])
}

/// A float at an edge of something.
pub fn float(random: &mut Random) -> f32 {
    random.pick(&[
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.0,
        1.5,
        16.0,
        -16.0,
        64.0,
        255.0,
        1e-40,
        1e-7,
        4096.0,
        65_536.0,
        1e9,
        -1e9,
        2_147_483_648.0,
        4_294_967_296.0,
        1e30,
        -1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ])
}
