//! Typed indices and the tables they index; values as bytes.
#![forbid(unsafe_code)]

pub mod entity;
pub mod wire;

pub use entity::{EntityRef, PackedOption, PrimaryMap, SecondaryMap};
