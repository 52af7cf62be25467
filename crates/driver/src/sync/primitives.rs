//! What [`super::wait`] is made of. A model checker puts its own in their place (`tests/wait_model.rs`).

pub(crate) use std::sync::Mutex;
pub(crate) use std::thread::{Thread, current, park, park_timeout};
