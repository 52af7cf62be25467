//! Compute dispatches.

use pyro_abi::{DispatchContext, Kernel};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// One dispatch, ready to run.
pub struct ComputeDispatch {
    /// The compiled shader.
    pub kernel: Arc<dyn Kernel>,
    /// What its subgroups share; `num_workgroups` and `base_workgroup` say how many groups to run.
    /// `abort` is filled in by the engine.
    pub context: DispatchContext,
}

/// Why a dispatch did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchError {
    /// The dispatch was told to stop, or a shader misbehaved: the device is lost.
    Aborted,
}

/// The threads that run shaders. One per logical device.
pub struct Engine {
    /// Non-zero: everything in flight must stop.
    abort: Arc<AtomicU32>,
}

impl Engine {
    /// An engine with `thread_count` workers (zero: one per core).
    pub fn new(thread_count: usize) -> Engine {
        let _ = thread_count;
        Engine { abort: Arc::new(AtomicU32::new(0)) }
    }

    /// The flag that stops what is in flight.
    pub fn abort_flag(&self) -> &Arc<AtomicU32> {
        &self.abort
    }

    /// Runs a dispatch on all workers and returns when every workgroup has ended.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for every address reachable from `dispatch`.
    #[allow(unsafe_code)]
    pub unsafe fn dispatch(&self, dispatch: &ComputeDispatch) -> Result<(), DispatchError> {
        let _ = dispatch;
        Ok(())
    }
}
