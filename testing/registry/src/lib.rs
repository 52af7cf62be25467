//! The Vulkan registry as data: an extract of its facts, and the tables of the driver that are made of them.
//!
//! The problem: which command has which name, aliases, first parameter and provider, which fields a feature
//! structure has, what a pointer must be, and which features an extension promises are facts of the registry
//! (`vk.xml`); typed by hand they have gaps. The approach: `registry.tsv` is an extract with one fact per
//! line ([`Registry::parse`] says what the columns are); from it and from the driver's list of the extensions
//! that it exposes, [`mod@tables`] makes Rust sources, which are checked in. The invariant: the checked-in
//! tables are those that [`mod@tables`] makes (a test compares them). *Must not know* what a command does, or
//! which features work: that is the driver's.

mod extract;
mod layouts;
mod parents;
mod pointer_tables;
mod pointers;
mod registry;
mod schema_tables;
mod supplement;
mod supplement_table;
mod tables;

pub use extract::extract;
pub use registry::Registry;
pub use tables::{Table, tables};

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a file of the repository.
///
/// # Errors
/// When it cannot be read, with its name.
pub fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

fn write(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(root().join(path), text).map_err(|error| format!("{path}: {error}"))
}

/// The extract, in the repository.
pub const EXTRACT: &str = "testing/registry/registry.tsv";

/// The driver's list of the extensions that it exposes, in the repository.
pub const EXPOSED: &str = "crates/driver/src/caps/extensions.rs";

/// The commands' bodies, in the repository.
const BODIES: &str = "crates/icd/src/entry";

/// The driver's values of properties in structures that the bindings do not have, in the repository.
const NEWER_PROPERTIES: &str = "crates/driver/src/caps/newer_properties.rs";

/// The sources of the commands' bodies and of the values that they answer with, one after the other: a body
/// that is a safe function takes checked parameters.
///
/// # Errors
/// When a file cannot be read, with its name.
pub fn bodies() -> Result<String, String> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut text = read(&root().join(NEWER_PROPERTIES))?;
    let mut folders = vec![root().join(BODIES)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            if path.is_dir() {
                folders.push(path);
            } else {
                text += &read(&path)?;
            }
        }
    }
    Ok(text)
}

/// Writes [`EXTRACT`] from the registry and the folder of the bindings' sources.
///
/// # Errors
/// When a file cannot be read, parsed or written.
pub fn write_extract(registry: &str, bindings: &str) -> Result<(), String> {
    let text = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let sources = ["structs.rs", "unions.rs", "commands.rs", "extensions.rs"];
    let sources = sources.iter().map(|source| text(&format!("{bindings}/{source}")));
    let bindings = sources.collect::<Result<Vec<_>, _>>()?.join("\n");
    write(EXTRACT, &extract(&text(registry)?, &bindings)?)
}

/// Writes all tables.
///
/// # Errors
/// When a file cannot be read, parsed or written.
pub fn write_tables() -> Result<(), String> {
    let registry = Registry::parse(&read(EXTRACT)?)?;
    tables(&registry, &read(EXPOSED)?, &bodies()?).iter().try_for_each(|table| write(table.path, &table.text))
}
