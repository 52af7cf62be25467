//! Lookups for commands that cannot fail: a bad handle counts as null, and the developer is told.

use crate::call::messages;
use crate::handle::{self, Dispatchable, Found, Object, ReadGuard};
use crate::pointers::Allocator;
use std::sync::Arc;

impl ReadGuard {
    /// The object of a handle that may be null. A bad handle counts as null, with a message.
    #[inline]
    pub(crate) fn get_or_report<T: Object>(&self, handle: u64) -> Option<Found<'_, T>> {
        self.get_nullable(handle).inspect_err(messages::error).ok().flatten()
    }
}

/// The object of a handle that may be null. A bad handle counts as null, with a message.
pub(crate) fn get_or_report<T: Object>(handle: u64) -> Option<Arc<T>> {
    handle::get_nullable(handle).inspect_err(messages::error).ok().flatten()
}

/// Takes a dispatchable object back, and its handle; a bad handle gives nothing, and the developer is told.
pub(crate) fn take_or_report<T: Object>(handle: usize, allocator: Allocator) -> Option<Arc<T>> {
    Dispatchable::take(handle, allocator).inspect_err(messages::error).ok().flatten()
}
