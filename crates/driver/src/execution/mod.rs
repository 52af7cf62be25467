//! Where recorded work meets the engine.

pub(crate) mod unsafe_engine;
