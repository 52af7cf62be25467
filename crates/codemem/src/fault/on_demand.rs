//! Address space that takes memory where it is touched.
//!
//! **Problem.** Shadow memory is as large as the addresses that it stands for, and hardly any of it is used.
//! Linux gives such mappings; Windows has memory that counts as used once it is there, and addresses that
//! nothing can be accessed at. **Approach.** There the handler of exceptions makes memory of the addresses
//! around one that is accessed, and lets the instruction run again. Without a handler there is no such
//! address space. **Invariant.** What was never written reads as zeros.

use crate::{SystemError, system};
use std::ptr::NonNull;

/// Zeros, as many as the system has addresses for. What has been touched is given back as a whole, when this
/// is dropped.
#[derive(Debug)]
pub struct OnDemand {
    /// Of the addresses that the handler makes memory of; the first field, so that it ends before they do.
    #[cfg(windows)]
    _addresses: windows::Addresses,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it only owns the mapping; who uses its bytes does so by address.
unsafe impl Send for OnDemand {}

impl OnDemand {
    /// So many bytes.
    ///
    /// # Errors
    /// The system's, where it has not so many addresses, or no handler (`PYROCLAST_FAULT_HANDLER`) that it
    /// would need.
    pub fn new(bytes: usize) -> Result<OnDemand, SystemError> {
        #[cfg(windows)]
        if !windows::is_handled() {
            return Err(windows::NOT_SUPPORTED);
        }
        let start = system::map_on_demand(bytes)?;
        Ok(OnDemand {
            #[cfg(windows)]
            _addresses: windows::Addresses::new(start.as_ptr().expose_provenance(), bytes),
            start,
            bytes,
        })
    }

    /// The first byte's address.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }
}

impl Drop for OnDemand {
    fn drop(&mut self) {
        // SAFETY: our own mapping, and nobody uses it any more.
        unsafe { system::unmap(self.start, self.bytes) };
    }
}

#[cfg(windows)]
pub(super) mod windows {
    use super::super::ranges::Table;
    use crate::SystemError;
    use windows_sys::Win32::Foundation::ERROR_NOT_SUPPORTED;
    use windows_sys::Win32::System::Memory::{MEM_COMMIT, PAGE_READWRITE, VirtualAlloc};

    pub(super) const NOT_SUPPORTED: SystemError = SystemError(ERROR_NOT_SUPPORTED as i32);

    /// Bytes that one access makes memory of.
    const PIECE_BYTES: usize = 64 << 10;

    /// Addresses that have no memory yet, or do.
    static TABLE: Table<()> = Table::new();

    /// Whether accesses are seen.
    pub(super) fn is_handled() -> bool {
        super::super::install();
        cfg!(target_arch = "x86_64") && pyro_util::config::get().fault_handler
    }

    /// An entry of the table.
    #[derive(Debug)]
    pub(super) struct Addresses(Option<usize>);

    impl Addresses {
        pub(super) fn new(start: usize, bytes: usize) -> Addresses {
            Addresses(TABLE.insert(start, start + bytes, |()| {}))
        }
    }

    impl Drop for Addresses {
        fn drop(&mut self) {
            if let Some(number) = self.0 {
                TABLE.remove(number, |()| {});
            }
        }
    }

    /// Makes memory of the addresses around one, if they are such; whether there is some now. Takes no lock.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // there is no handler
    pub(crate) fn commit(address: u64) -> bool {
        if TABLE.find(address as usize).is_none() {
            return false;
        }
        let piece = std::ptr::without_provenance(address as usize / PIECE_BYTES * PIECE_BYTES);
        // SAFETY: addresses that were reserved for this, which all who know them may access. Where another
        // thread was first, its memory stays as it is.
        !unsafe { VirtualAlloc(piece, PIECE_BYTES, MEM_COMMIT, PAGE_READWRITE) }.is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than any machine has: what is touched is there, and reads as zeros before.
    #[cfg(any(target_os = "linux", all(windows, target_arch = "x86_64")))]
    #[test]
    fn pages_are_there_once_they_are_touched() {
        const BYTES: usize = 4 << 40;
        let memory = OnDemand::new(BYTES).expect("addresses");
        let start = memory.address() as usize;
        let byte = move |at: usize| std::ptr::with_exposed_provenance_mut::<u8>(start + at);
        let places = [0, 65_535, 65_536, BYTES / 2 + 5, BYTES - 1];
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    for at in places.map(|at| (at & !3) + number) {
                        // SAFETY: inside the memory; each thread has bytes of its own.
                        let read = unsafe { byte(at).read_volatile() };
                        assert_eq!(read, 0, "{at:#x}");
                        // SAFETY: as above.
                        unsafe { byte(at).write_volatile(number as u8 + 1) };
                    }
                });
            }
        });
        for (number, at) in (0..4).flat_map(|number| places.map(|at| (number, (at & !3) + number))) {
            // SAFETY: inside the memory, which nobody writes any more.
            assert_eq!(unsafe { byte(at).read_volatile() }, number as u8 + 1, "{at:#x}");
        }
        assert!(OnDemand::new(1 << 60).is_err(), "there are no such addresses");
    }
}
