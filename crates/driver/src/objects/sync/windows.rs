//! A word that several processes signal and wait for: a page of a section, whose handle they hand each other.
//!
//! The page holds a value, a count of the changes, and the names of the events on which waiters sleep, one
//! for each process that waits. Who changes the value counts it after, and then sets all events that are
//! named there; who waits names its event first, then reads the count, and sleeps only while it is what it
//! was. Events reset themselves with the wait that they end, and nobody else waits for them; so one that was
//! set before the wait ends it.
#![allow(unsafe_code)] // memory that is shared with other processes: atomics in a mapping

use super::page_header::{PageHeader, refused};
use super::payload::{Kind, Payload};
use crate::error::{Error, Result};
use crate::file_descriptor::{BorrowedFd, OwnedFd};
use crate::system::View;
use std::hash::{BuildHasher as _, RandomState};
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, FromRawHandle as _};
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, GetLastError};
use windows_sys::Win32::System::Threading::{
    CreateEventW, EVENT_MODIFY_STATE, INFINITE, OpenEventW, SetEvent, WaitForSingleObject,
};

/// How many processes can sleep on a page. Others look every few milliseconds.
const SLEEPERS_MAX: usize = 64;
const POLL: Duration = Duration::from_millis(2);

/// What lies at the page's start.
#[repr(C)]
struct Layout {
    header: PageHeader,
    /// Of what the names of events are made; zero: none.
    sleepers: [AtomicU64; SLEEPERS_MAX],
}

const MAGIC: u64 = u64::from_le_bytes(*b"pyrosyn2");
const PAGE_BYTES: usize = 4096;
const _: () = assert!(size_of::<Layout>() <= PAGE_BYTES);

/// The page, mapped here.
pub(crate) struct Page {
    section: OwnedFd,
    view: View,
    /// Where this process sleeps; none without a place in the page.
    sleeper: OnceLock<Option<Sleeper>>,
}

struct Sleeper {
    place: usize,
    name: u64,
    event: OwnedFd,
}

/// The name of an event, which ends in zero.
fn event_name(name: u64) -> Vec<u16> {
    format!("Local\\pyroclast-sync-{name:016x}\0").encode_utf16().collect()
}

impl Page {
    /// A page of this kind with this value.
    ///
    /// # Errors
    /// When the system has no memory or no handles left.
    pub(crate) fn new(kind: Kind, value: u64) -> Result<Arc<Page>> {
        let section = crate::system::memory_file(PAGE_BYTES as u64).ok_or_else(Error::out_of_host_memory)?;
        let page = Page::map(section.into()).ok_or_else(Error::out_of_host_memory)?;
        page.header().begin(MAGIC, kind, value);
        Ok(Arc::new(page))
    }

    /// The page that a handle of another process, or of this one, stands for.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when it is none, or one of another kind.
    pub(crate) fn import(handle: BorrowedFd<'_>, kind: Kind) -> Result<Arc<Page>> {
        let section = handle.try_clone_to_owned().map_err(|_| refused("no handle"))?;
        let page = Page::map(section).ok_or_else(|| refused("no semaphore or fence"))?;
        page.header().check(MAGIC, kind)?;
        Ok(Arc::new(page))
    }

    fn map(section: OwnedFd) -> Option<Page> {
        let view = View::new(section.as_handle(), PAGE_BYTES, 0)?;
        Some(Page { section, view, sleeper: OnceLock::new() })
    }

    /// A handle of the page.
    ///
    /// # Errors
    /// When the process may have no more.
    pub(crate) fn export(&self) -> Result<OwnedFd> {
        let too_many = |_| Error::new(vulkanalia_sys::Result::ERROR_TOO_MANY_OBJECTS, "no handle is left");
        self.section.try_clone().map_err(too_many)
    }

    fn layout(&self) -> &Layout {
        let start = std::ptr::with_exposed_provenance::<Layout>(self.view.address() as usize);
        // SAFETY: the view is a page, aligned as one, that lives as long as `self`; sections do not shrink.
        // Everybody accesses it by atomics, for which every value is valid.
        unsafe { &*start }
    }

    fn header(&self) -> &PageHeader {
        &self.layout().header
    }

    /// The value.
    pub(crate) fn value(&self) -> &AtomicU64 {
        &self.header().value
    }

    /// Wakes everybody, in all processes, after a change.
    pub(crate) fn wake(&self) {
        let layout = self.layout();
        // Before the names are read: who names its event later sees the new count.
        layout.header.changes.fetch_add(1, Ordering::SeqCst);
        layout.sleepers.iter().for_each(wake_one);
    }

    /// The count of changes, for [`Page::sleep`].
    pub(crate) fn changes(&self) -> u32 {
        self.header().changes.load(Ordering::SeqCst)
    }

    /// Sleeps while the count of changes is this; may end early.
    pub(crate) fn sleep(&self, changes: u32) {
        let sleeper = self.sleeper.get_or_init(|| Sleeper::new(self.layout()));
        if self.changes() != changes {
            return;
        }
        match sleeper {
            // SAFETY: the handle is open. The wait fails for no other reason.
            Some(sleeper) => _ = unsafe { WaitForSingleObject(sleeper.event.as_raw_handle(), INFINITE) },
            None => std::thread::sleep(POLL),
        }
    }
}

/// Sets the event of a place, if one is named there.
fn wake_one(place: &AtomicU64) {
    let name = place.load(Ordering::SeqCst);
    if name == 0 {
        return;
    }
    // SAFETY: the name ends in zero; the handle is the caller's.
    let event = unsafe { OpenEventW(EVENT_MODIFY_STATE, 0, event_name(name).as_ptr()) };
    if event.is_null() {
        // SAFETY: it reads the calling thread's last error.
        if unsafe { GetLastError() } == ERROR_FILE_NOT_FOUND {
            // Its process has ended.
            let _ = place.compare_exchange(name, 0, Ordering::SeqCst, Ordering::Relaxed);
        }
        return;
    }
    // SAFETY: the handle is open, and nobody else's.
    unsafe {
        let event = OwnedFd::from_raw_handle(event);
        SetEvent(event.as_raw_handle());
    }
}

impl Sleeper {
    /// An event that is named in the page from now on.
    fn new(layout: &Layout) -> Option<Sleeper> {
        let name = RandomState::new().hash_one(std::process::id()).max(1);
        // SAFETY: the name ends in zero; the handle is the caller's. It resets itself and is not set.
        let event = unsafe { CreateEventW(null(), 0, 0, event_name(name).as_ptr()) };
        // SAFETY: the handle is open, and nobody else's.
        let event = (!event.is_null()).then(|| unsafe { OwnedFd::from_raw_handle(event) })?;
        let claim =
            |place: &AtomicU64| place.compare_exchange(0, name, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        let place = layout.sleepers.iter().position(claim)?;
        Some(Sleeper { place, name, event })
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(Some(Sleeper { place, name, .. })) = self.sleeper.get() {
            let place = &self.layout().sleepers[*place];
            let _ = place.compare_exchange(*name, 0, Ordering::SeqCst, Ordering::Relaxed);
        }
    }
}

/// There are no sync files.
///
/// # Errors
/// Always.
pub(super) fn follow(_: OwnedFd, _: Weak<Payload>) -> Result<()> {
    Err(refused("the system has no sync files"))
}
