//! The window of sparse resources on Windows.
//!
//! **Problem.** What is mapped at reserved addresses can be replaced part by part only where the system has
//! placeholders, which older systems and Wine 8 have not.
//!
//! **Approach.** Nothing is reserved but the table: the system puts mappings there only when it is asked to.
//! Views of sections begin at multiples of 64 KiB, which is the size of a block. At blocks where nothing is
//! bound there is nothing; the handler of exceptions puts zeros there when one is accessed ([`unlock`]), and
//! discarding what was written takes them away. A view ends whole, so what goes on beside a part that is
//! replaced is mapped anew; who accesses it meanwhile tries again ([`is_there`]).
//!
//! **Invariants.** Views change under the space's lock. The handler takes no lock.

use super::{SPACE_ALIGNMENT, SPACE_BYTES, TABLE_BYTES, WINDOW};
use crate::caps::limits::SPARSE_BLOCK_BYTES;
use crate::system::{View, unmap_view};
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::windows::io::AsHandle as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_FREE, MEM_RELEASE, MEM_RESERVE, MEMORY_BASIC_INFORMATION, PAGE_READWRITE, VirtualAlloc,
    VirtualFree, VirtualQuery,
};

/// Windows that are tried, where others have something at an earlier one.
const WINDOWS_MAX: u64 = 16;
/// How often a view is put where another thread has just accessed the block, at most.
const ATTEMPTS: usize = 64;

/// A view of a section.
struct Piece {
    bytes: u64,
    section: Arc<File>,
    offset: u64,
}

/// By address.
static VIEWS: Mutex<BTreeMap<u64, Piece>> = Mutex::new(BTreeMap::new());

/// Addresses where views change now: first, and the one behind the last.
static CHANGING: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// Changes that have begun, and those that have ended: odd while there is one.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// A change of views.
struct Change;

impl Change {
    fn new(address: u64, bytes: u64) -> Change {
        CHANGES.fetch_add(1, Ordering::AcqRel);
        CHANGING[0].store(address, Ordering::Release);
        CHANGING[1].store(address + bytes, Ordering::Release);
        Change
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        CHANGING[1].store(0, Ordering::Release);
        CHANGES.fetch_add(1, Ordering::AcqRel);
    }
}

fn place(address: u64) -> *mut std::ffi::c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// What is at an address, and at those behind it.
fn query(address: u64) -> MEMORY_BASIC_INFORMATION {
    let mut about = MEMORY_BASIC_INFORMATION::default();
    // SAFETY: it fills the structure in, whose size it is told.
    unsafe { VirtualQuery(place(address), &raw mut about, size_of::<MEMORY_BASIC_INFORMATION>()) };
    about
}

/// Addresses for the window, at which there is nothing, with its table behind; the first.
pub(super) fn reserve() -> Option<u64> {
    let is_free = |start: u64| {
        let about = query(start);
        about.State == MEM_FREE && about.RegionSize as u64 >= SPACE_BYTES + TABLE_BYTES
    };
    let mut windows = (0..WINDOWS_MAX).map(|number| WINDOW + number * SPACE_ALIGNMENT);
    windows.find(|&start| is_free(start) && commit(start + SPACE_BYTES, TABLE_BYTES))
}

/// Zeros where there is nothing.
fn commit(address: u64, bytes: u64) -> bool {
    // SAFETY: a new mapping, which replaces none.
    let there =
        unsafe { VirtualAlloc(place(address), bytes as usize, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    there as u64 == address
}

/// Leaves nothing at the addresses. False where what goes on beside them could not be mapped anew.
///
/// # Safety
/// They are of the window, and who uses them expects what is bound there to change.
pub(super) unsafe fn clear(address: u64, bytes: u64) -> bool {
    let _change = Change::new(address, bytes);
    // SAFETY: the caller's contract.
    unsafe { cut(&mut VIEWS.lock(), address, bytes) }
}

/// Ends views at the addresses, and gives back what the handler has put there.
///
/// # Safety
/// As [`clear`], within a [`Change`].
unsafe fn cut(views: &mut BTreeMap<u64, Piece>, address: u64, bytes: u64) -> bool {
    let end = address + bytes;
    let before = views.range(..address).next_back().filter(|(start, view)| **start + view.bytes > address);
    let first = before.map_or(address, |(&start, _)| start);
    let cut: Vec<u64> = views.range(first..end).map(|(&start, _)| start).collect();
    let mut is_done = true;
    for start in cut {
        let Some(Piece { bytes, section, offset }) = views.remove(&start) else { continue };
        // SAFETY: a view of this module; the caller's contract, and who uses what is mapped anew waits.
        unsafe { unmap_view(start) };
        for part in [start..address, end..start + bytes] {
            if part.start < part.end {
                is_done &=
                    map(views, part.start, part.end - part.start, &section, offset + part.start - start);
            }
        }
    }
    // Zeros are there block by block.
    let mut at = address;
    while at < end {
        let about = query(at);
        if about.RegionSize == 0 {
            break;
        }
        if about.State == MEM_COMMIT && about.AllocationBase as u64 == at {
            // SAFETY: there is no view, so the handler has put it there.
            unsafe { VirtualFree(place(at), 0, MEM_RELEASE) };
        }
        at = (about.BaseAddress as u64 + about.RegionSize as u64).max(at + SPARSE_BLOCK_BYTES);
    }
    is_done
}

/// Maps bytes of a section where there is nothing.
fn map(views: &mut BTreeMap<u64, Piece>, address: u64, bytes: u64, section: &Arc<File>, offset: u64) -> bool {
    let view = View::part(section.as_handle(), offset, bytes as usize, address);
    let is_there = view.map(View::leave) == Some(address);
    if is_there {
        views.insert(address, Piece { bytes, section: Arc::clone(section), offset });
    }
    is_there
}

/// Bytes of a section, shared with all who map it.
///
/// # Safety
/// As [`clear`].
pub(super) unsafe fn file(address: u64, bytes: u64, section: &File, offset: u64) -> bool {
    let Ok(section) = section.try_clone().map(Arc::new) else { return false };
    let mut views = VIEWS.lock();
    let _change = Change::new(address, bytes);
    // Who has asked before the change began may put zeros there still.
    (0..ATTEMPTS).any(|_| {
        // SAFETY: the caller's contract.
        unsafe { cut(&mut views, address, bytes) && map(&mut views, address, bytes, &section, offset) }
    })
}

/// Puts zeros at a block, which was accessed where there was nothing: called by the handler.
pub(super) fn unlock(address: u64) -> bool {
    let is_changing =
        (CHANGING[0].load(Ordering::Acquire)..CHANGING[1].load(Ordering::Acquire)).contains(&address);
    if is_changing {
        std::thread::yield_now();
        return true;
    }
    // Where another thread was first, they are there.
    commit(address, SPARSE_BLOCK_BYTES) || is_there(address)
}

/// Whether there is something at an address that is bound, or may be at once: an access is to be tried again.
pub(super) fn is_there(address: u64) -> bool {
    let changes = CHANGES.load(Ordering::Acquire);
    let is_there = query(address).State == MEM_COMMIT;
    is_there || changes % 2 == 1 || CHANGES.load(Ordering::Acquire) != changes
}
