//! Draws random scenes on a Vulkan device and compares the pictures of several devices.
//!
//! Scenes of one defined answer ([`Scene::new`]) are for the comparison of devices; free ones
//! ([`Scene::free`]), which devices may draw differently, for that of one driver with itself ([`Renderer`]
//! draws both).
//!//!
//! ```sh
//! VK_DRIVER_FILES=pyroclast.json pyro-scenes draw --count 1000 --out ours.png     # on each device
//! pyro-scenes compare ours.png lavapipe.png swiftshader.png nvidia.png
//! ```
//!
//! `reference.png` is what an NVIDIA H200 draws for the first 200.
//!
//! `compare` names the scenes in which the first file differs from all others while these agree with each
//! other (exit code 1 when there are any), and counts those where the others disagree, which says that the
//! scene has no one answer. Exit code 2: no device, or a file that cannot be read.

mod cli;
mod device;
mod free;
mod picture;
mod render;
mod scene;
mod shaders;

pub use device::Device;
pub use render::Renderer;
pub use scene::Scene;

/// The program `pyro-scenes`.
#[must_use]
pub fn main() -> std::process::ExitCode {
    cli::run()
}
