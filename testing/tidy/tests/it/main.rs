//! Checks of the repository itself.

mod coverage;
mod docs;
mod families;
mod features;
mod imports;
mod manifests;
mod registry_extensions;
mod source;
mod text;
