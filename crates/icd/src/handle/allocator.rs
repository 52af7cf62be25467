//! Host memory from the application's allocation callbacks.

use crate::pointers::Allocator;
use pyro_driver::{Error, Result};
use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use vulkanalia_sys as vk;

/// One value in memory of the application's allocator, or of ours when it has none.
pub(crate) struct HostBox<T>(NonNull<BiasedLockGuard<T>>);

struct BiasedLockGuard<T> {
    value: T,
    callbacks: Option<vk::AllocationCallbacks>,
}

// SAFETY: it owns its value; the callbacks may be called from any thread that calls a command (specification,
// "Host Memory"), and are called only within commands.
unsafe impl<T: Send> Send for HostBox<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for HostBox<T> {}

impl<T> HostBox<T> {
    /// Allocates memory for an allocation of this scope and moves the value there.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_HOST_MEMORY` when the application gives none.
    pub(crate) fn new(
        value: T,
        allocator: Allocator,
        scope: vk::SystemAllocationScope,
    ) -> Result<HostBox<T>> {
        let callbacks = allocator.map(|callbacks| *callbacks);
        let Some(AllocationCall { function, user_data }) = callbacks.as_ref().and_then(AllocationCall::new)
        else {
            return Ok(HostBox(NonNull::from(Box::leak(Box::new(BiasedLockGuard {
                value,
                callbacks: None,
            })))));
        };
        let layout = Layout::new::<BiasedLockGuard<T>>();
        // SAFETY: a valid allocation function; size and alignment are the type's.
        let memory = unsafe { function(user_data, layout.size(), layout.align(), scope) };
        let memory = NonNull::new(memory.cast::<BiasedLockGuard<T>>()).filter(|memory| memory.is_aligned());
        let memory = memory.ok_or_else(Error::out_of_host_memory)?;
        // SAFETY: the application gave this much aligned memory.
        unsafe { memory.write(BiasedLockGuard { value, callbacks }) };
        Ok(HostBox(memory))
    }

    /// Drops the value and frees its memory through these callbacks, which are compatible with those of its
    /// allocation; none: through those.
    pub(crate) fn free(mut self, allocator: Allocator) {
        // SAFETY: what is inside lives as long as the box, and is its alone.
        let old = unsafe { &mut self.0.as_mut().callbacks };
        if let (Some(new), Some(old)) = (allocator, old) {
            *old = *new;
        }
    }
}

struct AllocationCall {
    function: unsafe extern "system" fn(*mut c_void, usize, usize, vk::SystemAllocationScope) -> *mut c_void,
    user_data: *mut c_void,
}

impl AllocationCall {
    /// Needs both functions (VUID-VkAllocationCallbacks-pfnAllocation-00632, -pfnFree-00634).
    fn new(callbacks: &vk::AllocationCallbacks) -> Option<AllocationCall> {
        let function = callbacks.allocation.filter(|_| callbacks.free.is_some())?;
        Some(AllocationCall { function, user_data: callbacks.user_data })
    }
}

impl<T> std::ops::Deref for HostBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: what is inside lives as long as the box.
        unsafe { &self.0.as_ref().value }
    }
}

impl<T> Drop for HostBox<T> {
    fn drop(&mut self) {
        // SAFETY: as above.
        match unsafe { self.0.as_ref() }.callbacks {
            // SAFETY: made by `Box::leak` in `new`.
            None => drop(unsafe { Box::from_raw(self.0.as_ptr()) }),
            Some(callbacks) => {
                // SAFETY: the value was moved there in `new`, and nobody uses it any more.
                unsafe { self.0.drop_in_place() };
                if let Some(free) = callbacks.free {
                    // SAFETY: the memory came from these callbacks.
                    unsafe { free(callbacks.user_data, self.0.as_ptr().cast()) };
                }
            }
        }
    }
}
