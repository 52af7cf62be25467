//! The one view of memory by host address: what the interpreter reads and writes on behalf of a shader.
//!
//! Shader invocations on several threads may touch the same bytes, and the application may too; Vulkan calls
//! that a race only when it is unsynchronised, and even then the process must go on. So aligned accesses are
//! relaxed atomics, and the others go byte by byte, likewise.
#![allow(unsafe_code)] // the purpose of this module

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Reads `bytes` (1, 2, 4 or 8) little-endian bytes, zero-extended.
///
/// # Safety
/// The bytes at `address` must be readable during the call.
pub unsafe fn load(address: u64, bytes: u32) -> u64 {
    let aligned = address % u64::from(bytes) == 0;
    // SAFETY: the caller's contract; each atomic is used only where the address is aligned for it.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(address as *mut u8).load(Ordering::Relaxed).into(),
            2 if aligned => AtomicU16::from_ptr(address as *mut u16).load(Ordering::Relaxed).into(),
            4 if aligned => AtomicU32::from_ptr(address as *mut u32).load(Ordering::Relaxed).into(),
            8 if aligned => AtomicU64::from_ptr(address as *mut u64).load(Ordering::Relaxed),
            _ => (0..u64::from(bytes)).map(|index| load(address + index, 1) << (8 * index)).sum(),
        }
    }
}

/// Writes the low `bytes` (1, 2, 4 or 8) bytes of `value`, little-endian.
///
/// # Safety
/// The bytes at `address` must be writable during the call.
pub unsafe fn store(address: u64, bytes: u32, value: u64) {
    let aligned = address % u64::from(bytes) == 0;
    // SAFETY: the caller's contract; each atomic is used only where the address is aligned for it.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(address as *mut u8).store(value as u8, Ordering::Relaxed),
            2 if aligned => AtomicU16::from_ptr(address as *mut u16).store(value as u16, Ordering::Relaxed),
            4 if aligned => AtomicU32::from_ptr(address as *mut u32).store(value as u32, Ordering::Relaxed),
            8 if aligned => AtomicU64::from_ptr(address as *mut u64).store(value, Ordering::Relaxed),
            _ => {
                for index in 0..u64::from(bytes) {
                    store(address + index, 1, value >> (8 * index));
                }
            }
        }
    }
}

/// Replaces `bytes` (1, 2, 4 or 8) bytes by `new(old)` as one atomic operation and gives the old value.
/// Where the address is not aligned (Vulkan forbids it) the operation is not atomic.
///
/// # Safety
/// The bytes at `address` must be readable and writable during the call.
pub unsafe fn update(address: u64, bytes: u32, new: impl Fn(u64) -> u64) -> u64 {
    let order = (Ordering::SeqCst, Ordering::SeqCst);
    let aligned = address % u64::from(bytes) == 0;
    // SAFETY: the caller's contract; each atomic is used only where the address is aligned for it.
    unsafe {
        match bytes {
            1 => {
                let cell = AtomicU8::from_ptr(address as *mut u8);
                cell.fetch_update(order.0, order.1, |old| Some(new(old.into()) as u8))
                    .unwrap_or_else(|old| old)
                    .into()
            }
            2 if aligned => {
                let cell = AtomicU16::from_ptr(address as *mut u16);
                cell.fetch_update(order.0, order.1, |old| Some(new(old.into()) as u16))
                    .unwrap_or_else(|old| old)
                    .into()
            }
            4 if aligned => {
                let cell = AtomicU32::from_ptr(address as *mut u32);
                cell.fetch_update(order.0, order.1, |old| Some(new(old.into()) as u32))
                    .unwrap_or_else(|old| old)
                    .into()
            }
            8 if aligned => AtomicU64::from_ptr(address as *mut u64)
                .fetch_update(order.0, order.1, |old| Some(new(old)))
                .unwrap_or_else(|old| old),
            _ => {
                let old = load(address, bytes);
                store(address, bytes, new(old));
                old
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_at_every_alignment() {
        let mut memory = [0u64; 4];
        let base = memory.as_mut_ptr() as u64;
        for bytes in [1, 2, 4, 8] {
            for offset in 0..16 {
                let value =
                    0x1122_3344_5566_7788u64.rotate_left(offset as u32) & (u64::MAX >> (64 - 8 * bytes));
                // SAFETY: within `memory`, which nothing else uses.
                unsafe {
                    store(base + offset, bytes, value);
                    assert_eq!(load(base + offset, bytes), value);
                    assert_eq!(update(base + offset, bytes, |old| !old), value);
                    assert_eq!(load(base + offset, bytes), !value & (u64::MAX >> (64 - 8 * bytes)));
                }
            }
        }
    }
}
