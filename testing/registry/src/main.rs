//! Makes the tables, or the extract that they are made from.
//!
//! ```text
//! # Writes registry.tsv, for a newer registry or newer bindings:
//! cargo run -p pyro-registry -- extract VK_XML BINDINGS
//! # Writes the tables, for a new extension or a new registry.tsv:
//! cargo run -p pyro-registry -- generate
//! ```
//!
//! `VK_XML` is the registry (`vk.xml`, in the Vulkan headers and in several packages), `BINDINGS` the folder
//! `src` of the package `vulkanalia-sys`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["extract", registry, bindings] => pyro_registry::write_extract(registry, bindings),
        ["generate"] => pyro_registry::write_tables(),
        _ => Err("arguments: extract VK_XML BINDINGS, or generate".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
