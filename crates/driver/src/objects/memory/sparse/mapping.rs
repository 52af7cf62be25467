//! The system calls behind sparse resources: what is mapped at addresses of their window, and memory that
//! changes into a file's.
#![allow(unsafe_code)] // mappings by address

use pyro_abi::sparse::{BLOCK_BYTES, SPACE_ALIGNMENT, SPACE_BYTES, TABLE_BYTES};
use std::fs::File;
use std::sync::atomic::AtomicU8;

/// Where the window begins, if the addresses are free: above that of [`super::super::fixed`]. The same in
/// each process, so that a replay finds device addresses again.
const WINDOW: u64 = 0x3000_0000_0000;

#[cfg(unix)]
mod system {
    use super::{SPACE_ALIGNMENT, SPACE_BYTES, TABLE_BYTES};
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect};
    use std::ffi::c_void;
    use std::fs::File;

    const ANONYMOUS: MapFlags = MapFlags::PRIVATE.union(MapFlags::NORESERVE);

    fn place(address: u64) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(address as usize)
    }

    /// Anonymous pages in place of what is mapped there.
    ///
    /// # Safety
    /// The addresses are of a mapping that the caller may replace.
    unsafe fn replace(address: u64, bytes: u64, protection: ProtFlags) -> bool {
        // SAFETY: the caller's contract.
        unsafe {
            mmap_anonymous(place(address), bytes as usize, protection, ANONYMOUS | MapFlags::FIXED).is_ok()
        }
    }

    /// Addresses for the window that nothing can be accessed at, with its table behind; the first.
    pub(super) fn reserve() -> Option<u64> {
        let start = reserve_aligned(SPACE_BYTES + TABLE_BYTES, SPACE_ALIGNMENT)?;
        // SAFETY: part of what was just reserved.
        unsafe { zeros(start + SPACE_BYTES, TABLE_BYTES, true) }.then_some(start)
    }

    /// Reserves addresses that nothing can be accessed at; the first, which is a multiple of `alignment`.
    fn reserve_aligned(bytes: u64, alignment: u64) -> Option<u64> {
        let preferred = place(super::WINDOW);
        let flags = ANONYMOUS | MapFlags::FIXED_NOREPLACE;
        // SAFETY: a new mapping, which replaces none.
        let mapped = unsafe { mmap_anonymous(preferred, bytes as usize, ProtFlags::empty(), flags) };
        let more = (bytes + alignment) as usize;
        // SAFETY: as above.
        let anywhere =
            || unsafe { mmap_anonymous(std::ptr::null_mut(), more, ProtFlags::empty(), ANONYMOUS) };
        let mapped = mapped.or_else(|_| anywhere()).ok()?;
        // What is left over stays reserved.
        Some((mapped.expose_provenance() as u64).next_multiple_of(alignment))
    }

    /// Makes an access to the addresses raise a signal.
    ///
    /// # Safety
    /// They are of the window, and nobody uses them.
    pub(super) unsafe fn hide(address: u64, bytes: u64) -> bool {
        // SAFETY: the caller's contract.
        unsafe { replace(address, bytes, ProtFlags::empty()) }
    }

    /// Zeros, which can be written only if it says so.
    ///
    /// # Safety
    /// The addresses are of the window, and who uses them expects what is bound there to change.
    pub(super) unsafe fn zeros(address: u64, bytes: u64, writable: bool) -> bool {
        let write = if writable { ProtFlags::WRITE } else { ProtFlags::empty() };
        // SAFETY: the caller's contract.
        unsafe { replace(address, bytes, ProtFlags::READ | write) }
    }

    /// Lets zeros be written, for now.
    ///
    /// # Safety
    /// As [`zeros`].
    pub(super) unsafe fn unlock(address: u64, bytes: u64) -> bool {
        // SAFETY: the caller's contract.
        unsafe {
            mprotect(place(address), bytes as usize, MprotectFlags::READ | MprotectFlags::WRITE).is_ok()
        }
    }

    /// Bytes of a file, shared with all who map it.
    ///
    /// # Safety
    /// As [`zeros`].
    pub(super) unsafe fn file(address: u64, bytes: u64, file: &File, offset: u64) -> bool {
        let (flags, access) = (MapFlags::SHARED | MapFlags::FIXED, ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: the caller's contract.
        unsafe { mmap(place(address), bytes as usize, access, flags, file, offset).is_ok() }
    }

    /// Lets nobody write.
    ///
    /// # Safety
    /// Writes that arrive meanwhile wait until the mapping is replaced.
    pub(super) unsafe fn lock(address: u64, bytes: u64) -> bool {
        // SAFETY: the caller's contract.
        unsafe { mprotect(place(address), bytes as usize, MprotectFlags::READ).is_ok() }
    }
}

#[cfg(windows)]
#[path = "windows.rs"]
mod system;

/// Addresses that were reserved for sparse resources and nothing else, and the table of their blocks
/// ([`pyro_abi::sparse`]).
pub(super) struct Window {
    start: u64,
}

impl Window {
    /// Reserves addresses; none where the system does not.
    pub(super) fn reserve() -> Option<Window> {
        system::reserve().map(|start| Window { start })
    }

    /// The byte of a block.
    ///
    /// # Panics
    /// When there is no such block.
    pub(super) fn state(&self, block: u64) -> &AtomicU8 {
        assert!(block < TABLE_BYTES);
        let at = std::ptr::with_exposed_provenance_mut((self.start + SPACE_BYTES + block) as usize);
        // SAFETY: a byte of the table, which stays as long as the window.
        unsafe { AtomicU8::from_ptr(at) }
    }

    /// The first.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The address at an offset.
    ///
    /// # Panics
    /// When the range is not inside.
    fn at(&self, offset: u64, bytes: u64) -> u64 {
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= SPACE_BYTES));
        self.start + offset
    }

    /// Makes accesses raise signals. Like the others, false where the system has no room for more mappings;
    /// then what was there stays.
    pub(super) fn hide(&self, offset: u64, bytes: u64) -> bool {
        let address = self.at(offset, bytes);
        // SAFETY: inside the window, which is this value's alone.
        #[cfg(unix)]
        return unsafe { system::hide(address, bytes) };
        // SAFETY: as above.
        #[cfg(windows)]
        return unsafe { system::clear(address, bytes) };
    }

    /// Puts zeros there, which can be written only if it says so. On Windows nothing, until it is accessed.
    pub(super) fn zeros(&self, offset: u64, bytes: u64, writable: bool) -> bool {
        let address = self.at(offset, bytes);
        // SAFETY: as above; that memory changes under its users is what binding means.
        #[cfg(unix)]
        return unsafe { system::zeros(address, bytes, writable) };
        #[cfg(windows)]
        {
            assert!(!writable, "without a handler there is no window");
            // SAFETY: as above.
            unsafe { system::clear(address, bytes) }
        }
    }

    /// Lets zeros of a block be written until they are put there again. Called by the handler.
    pub(super) fn unlock(&self, block: u64) -> bool {
        let address = self.at(block * BLOCK_BYTES, BLOCK_BYTES);
        // SAFETY: as above.
        #[cfg(unix)]
        return unsafe { system::unlock(address, BLOCK_BYTES) };
        #[cfg(windows)]
        return system::unlock(address);
    }

    /// Whether what is bound at an offset is there, or soon will be: mappings are replaced at once. Called by
    /// the handler.
    #[cfg(unix)]
    #[allow(clippy::unused_self, reason = "as on Windows")]
    pub(super) fn is_there(&self, _offset: u64) -> bool {
        true
    }

    /// Whether what is bound at an offset is there, or soon will be. Called by the handler.
    #[cfg(windows)]
    pub(super) fn is_there(&self, offset: u64) -> bool {
        system::is_there(self.at(offset, 1))
    }

    /// Puts bytes of a file there.
    pub(super) fn file(&self, offset: u64, bytes: u64, file: &File, file_offset: u64) -> bool {
        // SAFETY: as above.
        unsafe { system::file(self.at(offset, bytes), bytes, file, file_offset) }
    }
}

/// Replaces memory by the same bytes of a new file. `guarded`: writes that arrive meanwhile wait, for
/// somebody resolves them. None, and the memory is as before, where the system gives no file.
///
/// # Safety
/// The pages are of an anonymous mapping that is the caller's, whole.
#[cfg(unix)]
pub(super) unsafe fn into_file(address: u64, bytes: u64, guarded: bool) -> Option<File> {
    use std::io::Write;
    const PIECE: usize = 64 << 10;
    let mut file = crate::system::memory_file(bytes)?;
    // SAFETY: writes wait, or the application has been told not to.
    if guarded && !unsafe { system::lock(address, bytes) } {
        return None;
    }
    let mut piece = vec![0; PIECE];
    let mut copied = true;
    for at in (0..bytes).step_by(PIECE) {
        let count = PIECE.min((bytes - at) as usize);
        let from = std::ptr::with_exposed_provenance::<u8>((address + at) as usize);
        // SAFETY: inside the pages, by this function's contract.
        unsafe { std::ptr::copy_nonoverlapping(from, piece.as_mut_ptr(), count) };
        // What was never written needs no memory.
        let written = piece[..count].iter().any(|&byte| byte != 0);
        let seek = std::io::SeekFrom::Start(at);
        copied &= !written
            || std::io::Seek::seek(&mut file, seek).and_then(|_| file.write_all(&piece[..count])).is_ok();
    }
    // SAFETY: the same bytes in place of the old ones.
    if copied && unsafe { system::file(address, bytes, &file, 0) } {
        return Some(file);
    }
    // SAFETY: as it was.
    unsafe { system::unlock(address, bytes) };
    None
}

/// Puts zeroed anonymous memory in place of a file's bytes.
///
/// # Safety
/// As [`into_file`], and nobody uses the memory any more.
#[cfg(unix)]
pub(super) unsafe fn out_of_file(address: u64, bytes: u64) {
    // SAFETY: the caller's contract.
    unsafe { system::zeros(address, bytes, true) };
}
