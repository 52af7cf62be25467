//! Checks of the repository itself.

mod coverage;
mod imports;
mod manifests;
mod source;
mod text;
