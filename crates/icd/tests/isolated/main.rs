//! Tests that need a process of their own: each runs itself again, alone (`in_child`).
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe; handles are made here and alive

mod abort;
mod address_space;
mod compile_limit;
mod debug_printf;
mod destroyed_objects;
mod device_groups;
mod dropped_attachments;
mod engines;
mod external_sync;
mod external_win32;
mod faults;
mod handle_ownership;
mod heap;
mod hostile_bytes;
mod leaks;
mod library;
mod one_shader;
mod process_exit;
mod profile;
mod sanitizer;
mod sanitizer_builds;
mod sanitizer_draws;
mod sanitizer_work;
mod semaphores;
mod strict;
mod strict_pipelines;
mod strict_rays;
mod trace;
mod truncated_files;
mod wayland;
mod win32;
mod window_server;

/// Runs a test of a module in a process for each backend that this processor has, with further variables;
/// whether this is one of them.
fn on_each_backend(module: &str, test: &str, more: &[(&str, &str)]) -> bool {
    pyro_compile::Backend::all().into_iter().fold(false, |is_child, (name, _)| {
        let variables = [&[("PYROCLAST_CPU", name)], more].concat();
        is_child || pyro_test_environment::in_child(module, test, &variables)
    })
}
