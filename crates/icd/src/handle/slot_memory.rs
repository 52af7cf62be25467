//! Memory of the table's slots.

use super::primitives::CHUNK;
use super::slots::Slot;
use std::alloc::Layout;
use std::ptr::null_mut;

/// The slots of a chunk, all free, which are never given back; null when there is no memory. The system gives
/// its pages when they are touched.
pub(super) fn chunk<T>() -> *mut Slot<T> {
    // Larger by a slot's alignment: zeroed memory of no more than the usual alignment is not touched.
    let size = CHUNK * size_of::<Slot<T>>() + align_of::<Slot<T>>();
    let Ok(layout) = Layout::from_size_align(size, align_of::<usize>()) else { return null_mut() };
    // SAFETY: the size is not zero.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return null_mut();
    }
    // SAFETY: the offset is less than what was added to the size.
    unsafe { memory.add(memory.align_offset(align_of::<Slot<T>>())) }.cast()
}
