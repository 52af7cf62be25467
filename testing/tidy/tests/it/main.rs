//! Checks of the repository itself.

mod coverage;
mod families;
mod imports;
mod manifests;
mod source;
mod text;
