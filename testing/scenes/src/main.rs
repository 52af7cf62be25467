//! Draws random scenes on a Vulkan device and compares the pictures of several devices: see the library.

fn main() -> std::process::ExitCode {
    pyro_scenes::main()
}
