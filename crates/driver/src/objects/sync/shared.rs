//! A word that several processes signal and wait for: a page of a memory file, whose descriptor they hand
//! each other.
//!
//! The page holds a value and a count of the changes, on which waiters sleep (a futex). Who changes the value
//! counts it after, and wakes; who waits reads the count first, then looks at the value, then sleeps only
//! while the count is what it was.
#![allow(unsafe_code)] // memory that is shared with other processes: atomics in a mapping

use super::page_header::{PageHeader, refused};
use super::payload::Kind;
use crate::error::{Error, Result};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::thread::futex;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: u64 = u64::from_le_bytes(*b"pyrosync");
const PAGE_BYTES: u64 = 4096;
const _: () = assert!(size_of::<PageHeader>() <= PAGE_BYTES as usize);

/// The page, mapped here.
pub(crate) struct Page {
    file: OwnedFd,
    mapping: memmap2::MmapRaw,
}

impl Page {
    /// A page of this kind with this value.
    ///
    /// # Errors
    /// When the system has no memory or no descriptors left.
    pub(crate) fn new(kind: Kind, value: u64) -> Result<Arc<Page>> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create("pyroclast-sync", flags);
        let file = file.map_err(|_| Error::out_of_host_memory())?;
        rustix::fs::ftruncate(&file, PAGE_BYTES).map_err(|_| Error::out_of_host_memory())?;
        // So that whoever gets it may rely on the page.
        rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)
            .map_err(|_| Error::out_of_host_memory())?;
        let page = Page::map(file)?;
        page.header().begin(MAGIC, kind, value);
        Ok(Arc::new(page))
    }

    /// The page that a descriptor of another process, or of this one, stands for.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when it is none, or one of another kind.
    pub(crate) fn import(file: BorrowedFd<'_>, kind: Kind) -> Result<Arc<Page>> {
        let sealed = rustix::fs::fcntl_get_seals(file).map_err(|_| refused("no semaphore or fence"))?;
        let size = rustix::fs::fstat(file).map_err(|_| refused("no semaphore or fence"))?.st_size;
        if !sealed.contains(SealFlags::SHRINK) || size != PAGE_BYTES as i64 {
            return Err(refused("no semaphore or fence of this driver"));
        }
        let file = file.try_clone_to_owned().map_err(|_| Error::out_of_host_memory())?;
        let page = Page::map(file)?;
        page.header().check(MAGIC, kind)?;
        Ok(Arc::new(page))
    }

    fn map(file: OwnedFd) -> Result<Page> {
        let file = File::from(file);
        let mapping = memmap2::MmapOptions::new().len(PAGE_BYTES as usize).map_raw(&file);
        let mapping = mapping.map_err(|_| Error::out_of_host_memory())?;
        Ok(Page { file: file.into(), mapping })
    }

    /// A descriptor of the page.
    ///
    /// # Errors
    /// When the process may have no more.
    pub(crate) fn export(&self) -> Result<OwnedFd> {
        let too_many =
            |_| Error::new(vulkanalia_sys::Result::ERROR_TOO_MANY_OBJECTS, "no descriptor is left");
        self.file.try_clone().map_err(too_many)
    }

    fn header(&self) -> &PageHeader {
        // SAFETY: the mapping is a page, aligned as one, that lives as long as `self`, and cannot shrink
        // (`new` sealed it, `import` looked). Everybody accesses it by atomics, for which every value is
        // valid.
        unsafe { &*self.mapping.as_ptr().cast::<PageHeader>() }
    }

    /// The value.
    pub(crate) fn value(&self) -> &AtomicU64 {
        &self.header().value
    }

    /// Wakes everybody, in all processes, after a change.
    pub(crate) fn wake(&self) {
        let changes = &self.header().changes;
        changes.fetch_add(1, Ordering::AcqRel);
        // It fails for addresses that are none, which this is not.
        let _ = futex::wake(changes, futex::Flags::empty(), i32::MAX as u32);
    }

    /// The count of changes, for [`Page::sleep`].
    pub(crate) fn changes(&self) -> u32 {
        self.header().changes.load(Ordering::Acquire)
    }

    /// Sleeps until the count of changes is no longer this, or something else wakes.
    pub(crate) fn sleep(&self, changes: u32) {
        let _ = futex::wait(&self.header().changes, futex::Flags::empty(), changes, None);
    }
}
