//! Runs compiled shaders: workgroups over threads, barriers, workgroup memory.

mod compute;
pub use compute::{ComputeDispatch, DispatchError, Engine};
