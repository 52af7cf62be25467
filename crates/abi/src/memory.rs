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
    /// Reads values from several addresses.
    fn gather<const N: usize>(
        memory: Memory,
        addresses: impl Addresses<N>,
        mask: u64,
        values: &mut [Self; N],
    );
    /// Writes values to several addresses.
    fn scatter<const N: usize>(memory: Memory, addresses: impl Addresses<N>, mask: u64, values: &[Self; N]);
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
    /// exposed (`expose_provenance`), and the memory must not be borrowed as an ordinary Rust reference by
    /// anyone at that time, but for references to what is only read. What is called ([`Memory::call`]) must
    /// be the exposed address of a [`crate::Callable`] whose function may be called with that argument.
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

    /// Reads a value from each address whose bit in `mask` is set; the others give 0.
    #[inline]
    pub fn gather<T: Word, const N: usize>(
        self,
        addresses: impl Addresses<N>,
        mask: u64,
        values: &mut [T; N],
    ) {
        T::gather(self, addresses, mask, values);
    }

    /// Writes each value to its address if its bit in `mask` is set, in ascending order.
    #[inline]
    pub fn scatter<T: Word, const N: usize>(self, addresses: impl Addresses<N>, mask: u64, values: &[T; N]) {
        T::scatter(self, addresses, mask, values);
    }

    /// Replaces the value at `address` by what `change` makes of it, and gives the old one: one step,
    /// sequentially consistent, when the address is aligned; not atomic as a whole when it is not. `change`
    /// may be called several times.
    #[inline]
    pub fn update<T: Word>(self, address: u64, change: impl FnMut(T) -> T) -> T {
        T::update(self, address, change)
    }
}

/// `N` addresses. Implemented here only: [`Memory`] relies on `are_aligned`.
pub trait Addresses<const N: usize>: Copy + sealed::Sealed {
    /// One of them.
    fn at(self, index: usize) -> u64;
    /// True only if every address is a multiple of `bytes`, a power of two.
    fn are_aligned(self, bytes: u64) -> bool;
}

impl<const N: usize> sealed::Sealed for &[u64; N] {}

impl<const N: usize> Addresses<N> for &[u64; N] {
    #[inline(always)]
    fn at(self, index: usize) -> u64 {
        self[index]
    }

    #[inline(always)]
    fn are_aligned(self, bytes: u64) -> bool {
        self.iter().fold(0, |bits, address| bits | address) & (bytes - 1) == 0
    }
}

impl<const N: usize> sealed::Sealed for (u64, &[u32; N]) {}

/// One address and unsigned offsets to it.
impl<const N: usize> Addresses<N> for (u64, &[u32; N]) {
    #[inline(always)]
    fn at(self, index: usize) -> u64 {
        self.0.wrapping_add(self.1[index].into())
    }

    #[inline(always)]
    fn are_aligned(self, bytes: u64) -> bool {
        let offsets = self.1.iter().fold(0, |bits, offset| bits | offset);
        (self.0 | u64::from(offsets)) & (bytes - 1) == 0
    }
}

/// Whether the low `count` bits are set.
#[inline(always)]
fn all_set(mask: u64, count: usize) -> bool {
    mask.trailing_ones() as usize >= count
}

/// Calls `f` with the number of each bit that is set, below `count`, in ascending order.
#[inline(always)]
fn each_bit(mask: u64, count: usize, mut f: impl FnMut(usize)) {
    let mut left = if count < 64 { mask & ((1 << count) - 1) } else { mask };
    while left != 0 {
        f(left.trailing_zeros() as usize);
        left &= left - 1;
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

            #[inline(always)]
            fn gather<const N: usize>(
                memory: Memory,
                addresses: impl Addresses<N>,
                mask: u64,
                values: &mut [$word; N],
            ) {
                if !all_set(mask, N) || !addresses.are_aligned(size_of::<$word>() as u64) {
                    *values = [0; N];
                    each_bit(mask, N, |index| values[index] = Self::load(memory, addresses.at(index)));
                    return;
                }
                for (index, value) in values.iter_mut().enumerate() {
                    let pointer = with_exposed_provenance_mut::<$word>(addresses.at(index) as usize);
                    debug_assert!(pointer.is_aligned());
                    // SAFETY: as in `load`; the address is aligned, as `Addresses` promises.
                    *value = unsafe { $atomic::from_ptr(pointer) }.load(Ordering::Relaxed);
                }
            }

            #[inline(always)]
            fn scatter<const N: usize>(
                memory: Memory,
                addresses: impl Addresses<N>,
                mask: u64,
                values: &[$word; N],
            ) {
                if !all_set(mask, N) || !addresses.are_aligned(size_of::<$word>() as u64) {
                    each_bit(mask, N, |index| Self::store(memory, addresses.at(index), values[index]));
                    return;
                }
                for (index, &value) in values.iter().enumerate() {
                    let pointer = with_exposed_provenance_mut::<$word>(addresses.at(index) as usize);
                    debug_assert!(pointer.is_aligned());
                    // SAFETY: as in `store`; the address is aligned, as `Addresses` promises.
                    unsafe { $atomic::from_ptr(pointer) }.store(value, Ordering::Relaxed);
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
    fn several_at_once() {
        let mut words = [0u32; 8];
        let address = words.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: only addresses inside `words` are accessed, which nothing borrows meanwhile.
        let memory = unsafe { Memory::new() };
        fn gather<T: Word + Default>(memory: Memory, addresses: impl Addresses<4>, mask: u64) -> [T; 4] {
            let mut values = [T::default(); 4];
            memory.gather(addresses, mask, &mut values);
            values
        }
        let offsets = [4, 0, 12, 8];
        let aligned = offsets.map(|offset| address + u64::from(offset));
        memory.scatter(&aligned, 0b1111, &[1u32, 2, 3, 4]);
        assert_eq!(gather::<u32>(memory, &aligned, u64::MAX), [1, 2, 3, 4]);
        assert_eq!(gather::<u32>(memory, (address, &offsets), u64::MAX), [1, 2, 3, 4]);
        assert_eq!(gather::<u32>(memory, &aligned, 0b0101), [1, 0, 3, 0]);
        assert_eq!(gather::<u16>(memory, (address + 1, &offsets), 0b1110), [0, 0, 0, 0]);
        assert_eq!(gather::<u64>(memory, (address, &offsets), 0b0010), [0, 1 << 32 | 2, 0, 0]);
        memory.scatter((address, &offsets), 0b1111, &[9u32, 9, 9, 9]);
        assert_eq!(gather::<u32>(memory, &aligned, u64::MAX), [9, 9, 9, 9]);
        memory.scatter(&[address; 4], 0b0111, &[5u32, 6, 7, 8]);
        assert_eq!(
            gather::<u32>(memory, &[address, address + 4, address + 1, 0], 0b0111),
            [7, 9, 0x900_0000, 0]
        );
        memory.scatter(&[0, address + 17, 0, 0], 0b0010, &[0u32, 0x0102_0304, 0, 0]);
        assert_eq!(memory.load::<u64>(address + 16), 0x1_0203_0400);
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
