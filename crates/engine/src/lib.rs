//! Runs compiled shaders: workgroups over threads, barriers, workgroup memory.
//!
//! A [`ComputeDispatch`] is cut into runs of consecutive workgroups that threads take from one atomic
//! counter ([`pool`]); a thread runs the subgroups of a workgroup one after another, and, where the shader
//! has barriers, round by round: every subgroup is called until all of them have come to the barrier, then
//! all are called again ([`workgroup`]). Workgroup, private and frame memory belong to the thread and are
//! reused from one workgroup to the next.
//!
//! Which thread runs a workgroup, and in which order, is left open by Vulkan; nothing else depends on it.

mod aborted;
mod arena;
mod cache;
mod compute;
pub mod execution_graph;
mod float;
#[cfg(target_os = "linux")]
pub mod frequency;
pub mod graphics;
mod pool;
pub mod raytrace;
mod watchdog;
mod work_partition;
mod workgroup;

pub use compute::{ComputeDispatch, DispatchError, Engine, EngineOptions};
pub use pool::{
    CALLER_COUNT_MAX, WorkerStart, core_count, patience, set_caller, set_patience, thread_count,
    thread_limit, with_thread_limit,
};
