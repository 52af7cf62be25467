//! A Vulkan client of the driver in the same process: what tests of the API have in common.
//!
//! Problem: every test of the API needs an instance, a device, memory and commands before it tests anything.
//! Approach: [`Client`] is an instance of the driver, linked into this process and found as a loader would
//! find it; [`Messages`] are what its messengers hear; [`Gpu`] is a device of it with a queue and a command
//! pool; [`LinearImage`] is an image whose texels tests read. On them stand the clients of families of
//! tests: [`compute::Compute`] runs compute shaders on buffers, [`canvas::Canvas`] sees which pixels a draw
//! covers, [`scene::Lab`] draws whole pictures by pipelines and by shader objects, [`graphics::Context`]
//! draws a triangle, [`pipelines::Context`] makes pipelines with caches and binaries, [`matrices`]
//! multiplies cooperative matrices, [`kernels::KernelDevice`] launches CUDA kernels. Each dereferences to its
//! device and instance, and destroys what it made.
//!
//! After [`use_system_loader`], clients are those of whatever driver and layers the environment names; the
//! corpus of the sanitizer is compared with validation layers so. After [`use_library`] they are those of a
//! driver's shared library, which is opened as a loader would open it.
//!
//! Programs that must not use the kit: `benches`, `testing/pairs`, `testing/oracle` and `testing/scenes` run
//! other vendors' drivers too, through the system's loader (`pyro_test_loader`); `testing/clients` stands for
//! a user's program; `crates/cli` is shipped, and the kit is for tests only.
//!
//! *Must not know*: what a single test is about. What machines lack and the variables that control tests are
//! in `pyro_test_environment`, which has no dependencies.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe; handles are made here and alive
#![allow(clippy::new_without_default, clippy::missing_safety_doc)] // a device has no default; commands name their rules

pub mod canvas;
pub mod compute;
pub mod fixed_state;
mod gpu;
pub mod graphics;
pub mod kernels;
mod linear_image;
mod loader;
pub mod matrices;
mod messages;
pub mod pipelines;
pub mod scene;

pub use gpu::{Client, Gpu, resident_bytes};
pub use linear_image::LinearImage;
pub use loader::{InProcess, use_library, use_system_loader};
pub use messages::{Message, Messages};
