//! Typed indices and the tables they index.
#![forbid(unsafe_code)]

pub mod entity;

pub use entity::{EntityRef, PackedOption, PrimaryMap, SecondaryMap};
