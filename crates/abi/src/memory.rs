//! The one view of application memory that safe code may use.
//!
//! Shaders compute addresses. Code that follows them on the host (the interpreter, tools) does so through
//! [`Memory`], which somebody made with a promise: that whatever the shader accesses is there. With that
//! promise given once, the accesses themselves are safe functions, and no other `unsafe` is needed.
//!
//! Other threads may access the same memory at the same time, since shaders may race. So every access is
//! atomic: relaxed where it is aligned, byte by byte where it is not. On x86-64 that costs nothing.
// Following addresses is what this module is for; the contract is on `Memory::new`.
#![allow(unsafe_code)]

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Permission to access memory by address.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    // Not made but by `new`.
    _private: (),
}

/// An integer that [`Memory`] reads and writes: `u8`, `u16`, `u32`, `u64`.
pub trait Word: Copy + Eq + sealed::Sealed {
    /// Reads the bytes at `address`.
    fn load(memory: Memory, address: u64) -> Self;
    /// Writes the bytes at `address`.
    fn store(memory: Memory, address: u64, value: Self);
    /// Replaces the value at `address` by what `change` makes of it, and gives the old one.
    fn update(memory: Memory, address: u64, change: impl FnMut(Self) -> Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

impl Memory {
    /// A view of all memory.
    ///
    /// # Safety
    /// As long as this value or a copy of it is in use, every address passed to its methods must be valid for
    /// reading (for the writing methods: and writing) as many bytes as accessed, its provenance must be
    /// exposed ([`pointer::expose_provenance`]), and the memory must not be borrowed as an ordinary Rust
    /// reference by anyone at that time, but for references to what is only read.
    pub const unsafe fn new() -> Memory {
        Memory { _private: () }
    }

    /// Reads the bytes at `address`, aligned or not.
    #[inline]
    pub fn load<T: Word>(self, address: u64) -> T {
        T::load(self, address)
    }

    /// Writes the bytes at `address`, aligned or not.
    #[inline]
    pub fn store<T: Word>(self, address: u64, value: T) {
        T::store(self, address, value);
    }

    /// Replaces the value at `address` by what `change` makes of it, and gives the old one: one step,
    /// sequentially consistent, when the address is aligned; not atomic as a whole when it is not. `change`
    /// may be called several times.
    #[inline]
    pub fn update<T: Word>(self, address: u64, change: impl FnMut(T) -> T) -> T {
        T::update(self, address, change)
    }
}

macro_rules! words {
    ($($word:ident $atomic:ident;)+) => { $(
        impl sealed::Sealed for $word {}

        impl Word for $word {
            #[inline]
            fn load(_: Memory, address: u64) -> $word {
                let pointer = with_exposed_provenance_mut::<$word>(address as usize);
                if pointer.is_aligned() {
                    // SAFETY: the maker of the `Memory` promised that the address is valid and exposed, and
                    // all accesses that may race with this one are atomic; it is aligned.
                    return unsafe { $atomic::from_ptr(pointer) }.load(Ordering::Relaxed);
                }
                let mut bytes = [0; size_of::<$word>()];
                for (index, byte) in bytes.iter_mut().enumerate() {
                    // SAFETY: as above; bytes need no alignment.
                    *byte = unsafe { AtomicU8::from_ptr(pointer.cast::<u8>().wrapping_add(index)) }
                        .load(Ordering::Relaxed);
                }
                $word::from_le_bytes(bytes)
            }

            #[inline]
            fn store(_: Memory, address: u64, value: $word) {
                let pointer = with_exposed_provenance_mut::<$word>(address as usize);
                if pointer.is_aligned() {
                    // SAFETY: as in `load`, and the address is valid for writing.
                    unsafe { $atomic::from_ptr(pointer) }.store(value, Ordering::Relaxed);
                    return;
                }
                for (index, byte) in value.to_le_bytes().into_iter().enumerate() {
                    // SAFETY: as above; bytes need no alignment.
                    unsafe { AtomicU8::from_ptr(pointer.cast::<u8>().wrapping_add(index)) }
                        .store(byte, Ordering::Relaxed);
                }
            }

            #[inline]
            fn update(
                memory: Memory,
                address: u64,
                mut change: impl FnMut($word) -> $word,
            ) -> $word {
                let pointer = with_exposed_provenance_mut::<$word>(address as usize);
                if !pointer.is_aligned() {
                    let old = Self::load(memory, address);
                    Self::store(memory, address, change(old));
                    return old;
                }
                // SAFETY: as in `store`.
                let cell = unsafe { $atomic::from_ptr(pointer) };
                let mut old = cell.load(Ordering::SeqCst);
                loop {
                    let new = change(old);
                    match cell.compare_exchange_weak(old, new, Ordering::SeqCst, Ordering::SeqCst) {
                        Ok(_) => return old,
                        Err(other) => old = other,
                    }
                }
            }
        }
    )+ };
}

words! {
    u8 AtomicU8;
    u16 AtomicU16;
    u32 AtomicU32;
    u64 AtomicU64;
}

const _: () = assert!(cfg!(target_endian = "little"), "shaders see little-endian memory");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_and_not() {
        let mut bytes = [0u64; 4];
        let address = bytes.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: only addresses inside `bytes` are accessed, which nothing borrows meanwhile.
        let memory = unsafe { Memory::new() };
        memory.store(address, 0x0123_4567_89ab_cdefu64);
        assert_eq!(memory.load::<u8>(address + 7), 0x01);
        assert_eq!(memory.load::<u16>(address + 1), 0xabcd);
        assert_eq!(memory.load::<u32>(address + 3), 0x2345_6789);
        memory.store(address + 9, 0xdead_beefu32);
        assert_eq!(memory.load::<u64>(address + 8), 0xde_adbe_ef00);
        assert_eq!(memory.update(address + 9, |old: u32| old + 1), 0xdead_beef);
        assert_eq!(memory.update(address, |old: u16| old.wrapping_add(0x4000)), 0xcdef);
        assert_eq!(memory.load::<u64>(address + 8), 0xde_adbe_f000);
        assert_eq!(memory.load::<u64>(address), 0x0123_4567_89ab_0def);
    }

    #[test]
    fn updates_are_atomic() {
        let mut word = 0u32;
        let address = (&raw mut word).expose_provenance() as u64;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // SAFETY: only `word` is accessed, which outlives the scope.
                    let memory = unsafe { Memory::new() };
                    for _ in 0..1000 {
                        memory.update(address, |old: u32| old + 1);
                    }
                });
            }
        });
        // SAFETY: only `word` is accessed.
        assert_eq!(unsafe { Memory::new() }.load::<u32>(address), 4000);
    }
}
