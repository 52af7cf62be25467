//! Memory of files that others may truncate: zeros take the place of what is gone.
//!
//! **Problem.** Whoever has the file behind a mapping may truncate it. Then each access to what is gone
//! raises `SIGBUS`, in generated code, in the driver's own code and in the application's.
//!
//! **Approach.** [`FileMemory`] says which addresses are such a file's, and who answers for them. Outside of
//! generated code, whose calls end early, the signal handler maps a page of zeros over the one that is gone
//! and lets the instruction run again; the owner learns of it from [`truncated`].
//!
//! **Invariants.** The table is read without locks, as the handler reads it. Where there is no handler, the
//! signal ends the process.

use super::ranges::Table;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The owner of memory that any files may be mapped in: the first owner who asks after one was truncated.
pub const ANY_OWNER: u64 = 0;

/// What a mapping is of.
#[derive(Default)]
struct File {
    owner: AtomicU64,
    /// The first address that was gone when it was accessed, or zero.
    gone: AtomicU64,
}

/// Memory that it has no place for is not found.
static TABLE: Table<File> = Table::new();
/// Whether a page was ever replaced, for a quick answer.
static REPLACED: AtomicBool = AtomicBool::new(false);

/// Addresses of a file that others may truncate, as long as this lives.
#[derive(Debug)]
pub struct FileMemory {
    number: Option<usize>,
    owner: u64,
}

impl FileMemory {
    /// For a mapping, which ends after this does.
    #[must_use]
    pub fn new(addresses: Range<u64>, owner: u64) -> FileMemory {
        super::install();
        let number = TABLE.insert(addresses.start as usize, addresses.end as usize, |file| {
            // In this order: who sees the owner does not see what was gone of the mapping before.
            file.gone.store(0, Ordering::Relaxed);
            file.owner.store(owner, Ordering::Release);
        });
        FileMemory { number, owner }
    }

    /// Who answers for it.
    #[must_use]
    pub fn owner(&self) -> u64 {
        self.owner
    }
}

impl Drop for FileMemory {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            TABLE.remove(number, |file| file.gone.store(0, Ordering::Release));
        }
    }
}

/// Has `map` put zeros at an address that is gone, if it is such memory's; whether it has. Takes no lock.
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code))] // there is no handler
pub(super) fn replace(address: u64, map: impl FnOnce() -> bool) -> bool {
    let Some((_, file)) = TABLE.find(address as usize) else { return false };
    let done = map();
    if done {
        let _ = file.gone.compare_exchange(0, address, Ordering::AcqRel, Ordering::Relaxed);
        REPLACED.store(true, Ordering::Release);
    }
    done
}

/// An address of memory of this owner whose file did not have it any more when it was accessed.
#[inline]
#[must_use]
pub fn truncated(owner: u64) -> Option<u64> {
    if REPLACED.load(Ordering::Acquire) { find_truncated(owner) } else { None }
}

#[cold]
fn find_truncated(owner: u64) -> Option<u64> {
    TABLE.entries().find_map(|entry| {
        let File { owner: of, gone } = &entry.of;
        let gone = match of.load(Ordering::Acquire) {
            of if of == owner => gone.load(Ordering::Acquire),
            ANY_OWNER => gone.swap(0, Ordering::AcqRel),
            _ => 0,
        };
        (gone != 0).then_some(gone)
    })
}

/// Tests take turns: what any owner may learn of, the first who asks does.
#[cfg(test)]
pub(crate) static TURN: pyro_util::sync::Mutex<()> = pyro_util::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_learn_of_their_own_files() {
        let _turn = TURN.lock();
        let page = |start: u64| start..start + 4096;
        let mut memory: Vec<_> =
            (1..600).map(|number| FileMemory::new(page(number << 44), 7 + number % 2)).collect();
        assert_eq!(memory[4].owner(), 8);
        let any = FileMemory::new(page(700 << 44), ANY_OWNER);
        assert!(!replace((5 << 44) + 4096, || true));
        assert!(!replace(5 << 44, || false));
        assert_eq!((truncated(7), truncated(8)), (None, None));
        assert!(replace((5 << 44) + 9, || true) && replace((5 << 44) + 10, || true));
        assert_eq!(
            (truncated(7), truncated(8), truncated(8)),
            (None, Some((5 << 44) + 9), Some((5 << 44) + 9))
        );
        memory.remove(4);
        assert_eq!(truncated(8), None);
        assert!(replace(700 << 44, || true));
        assert_eq!((truncated(7), truncated(7)), (Some(700 << 44), None));
        drop(any);
        assert!(!replace(700 << 44, || true));
    }
}
