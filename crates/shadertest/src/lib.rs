//! Tests of shaders: what a test is ([`case`]), how results and pictures are compared ([`values`],
//! [`picture`]), and how outcomes are reported ([`report`]).
//!
//! Must not know: the driver, and how shaders are compiled and run.
#![forbid(unsafe_code)]

pub mod case;
pub mod picture;
pub mod reason;
pub mod report;
pub mod values;
