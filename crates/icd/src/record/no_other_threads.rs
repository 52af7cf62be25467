//! Where no clock tells which threads of the program run while a submission does: any may.

/// See `other_threads.rs`.
#[derive(Default)]
pub(super) struct OtherThreads;

impl OtherThreads {
    pub(super) fn begin(&mut self) {}

    /// Whether others than the calling thread may have written.
    pub(super) fn may_have_written(&mut self) -> bool {
        super::recorder::threads() > 1
    }
}
