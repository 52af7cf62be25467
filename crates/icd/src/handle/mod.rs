//! Handles: how objects become numbers and come back.
//!
//! All objects are in one table ([`slots`]); a non-dispatchable handle is a place in it with a generation, so
//! null, foreign, destroyed and wrong handles are told apart without reading the memory they might mean. A
//! dispatchable handle must be the address of memory whose first word is the loader's: it is the address of a
//! node ([`dispatchable`]), which holds that word and a handle as above. Nodes lie in chunks that are never
//! freed, so a word that is not the address of a node is known for what it is.
//!
//! The table also knows to which instance and device an object belongs ([`Owner`]): a command of another
//! device does not get it.
//!
//! The application owns one count of an object; a command that keeps it takes another.

pub(crate) mod allocator;
pub(crate) mod biased_lock;
pub(crate) mod call_context;
mod dispatchable;
pub(crate) mod exclusive;
pub(crate) mod known_handles;
pub(crate) mod names;
mod primitives;
pub(crate) mod rcu;
mod slot_memory;
mod slots;
#[cfg(test)]
mod slots_tests;
pub(crate) mod thread;
mod thread_slot;

pub(crate) use biased_lock::BiasedLock;
pub(crate) use dispatchable::{Dispatchable, Remembered, check_device};

use crate::pointers::Allocator;
use allocator::HostBox;
use call_context::Owner;
use pyro_driver::{Error, Result, Shared};
use rcu::RcuSection;
use slots::{Missing, Slot, Slots};
use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use thread::Thread;
use vulkanalia_sys as vk;

/// What has handles.
///
/// # Safety
/// No other implementation has the same `TYPE`: by it the table knows which Rust type an object has.
pub(crate) unsafe trait Object: Any + Send + Sync {
    /// Its type.
    const TYPE: vk::ObjectType;
    /// The scope of its host memory.
    const SCOPE: vk::SystemAllocationScope = vk::SystemAllocationScope::OBJECT;
}

/// An object in the table.
struct Held {
    /// The place of what `kept` keeps.
    object: NonNull<()>,
    owner: Owner,
    ty: vk::ObjectType,
    kept: HostBox<Arc<dyn Any + Send + Sync>>,
}

// SAFETY: the place is that of an object which may be used by all threads.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

static OBJECTS: Slots<Held> = Slots::new();

/// See [`epoch`].
static EPOCH: AtomicU64 = AtomicU64::new(1);

/// A number that changes when a buffer or a device is destroyed: what is known of such by their handles holds
/// as long as this is the same.
#[inline]
pub(crate) fn epoch() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

/// A number for the object of a handle that no other object ever has, unlike the address of a dispatchable
/// one.
pub(crate) fn identity(handle: u64) -> u64 {
    usize::try_from(handle).ok().and_then(dispatchable::place_of).unwrap_or(handle)
}

/// How many handles there are.
pub(crate) fn count() -> usize {
    OBJECTS.len()
}

/// Makes a handle whose host memory comes from the application's callbacks.
///
/// # Errors
/// `VK_ERROR_OUT_OF_HOST_MEMORY` when they give none.
pub(crate) fn create<T: Object>(object: T, allocator: Allocator) -> Result<u64> {
    hold(Arc::new(object), call_context::owner(), allocator)
}

/// The same of an object that others may keep.
///
/// # Errors
/// As of [`create`].
pub(crate) fn create_shared<T: Object>(object: Arc<T>, allocator: Allocator) -> Result<u64> {
    hold(object, call_context::owner(), allocator)
}

/// Makes a handle of an object that is shared already.
///
/// # Errors
/// When there are too many.
pub(crate) fn share<T: Object>(object: Arc<T>) -> Result<u64> {
    hold(object, call_context::owner(), None)
}

fn hold<T: Object>(object: Arc<T>, owner: Owner, allocator: Allocator) -> Result<u64> {
    let place = NonNull::from(&*object).cast();
    let kept = HostBox::new(object as Arc<dyn Any + Send + Sync>, allocator, T::SCOPE)?;
    OBJECTS.insert(Held { object: place, owner, ty: T::TYPE, kept }).ok_or_else(Error::out_of_host_memory)
}

fn bad(ty: vk::ObjectType, handle: u64, missing: Missing) -> Error {
    Error::misuse(match missing {
        _ if handle == 0 => format!("the handle is null; a {ty:?} is required"),
        Missing::Foreign => format!("{handle:#x} is not a handle of this driver; a {ty:?} is required"),
        Missing::Destroyed => format!("the {ty:?} {handle:#x} was already destroyed"),
    })
}

fn wrong(ty: vk::ObjectType, handle: u64, real: vk::ObjectType) -> Error {
    Error::misuse(format!("the handle {handle:#x} is a {real:?}; a {ty:?} is required"))
}

/// The error of a command that uses an object of another device or instance.
fn elsewhere(ty: vk::ObjectType, handle: u64) -> Error {
    let command = call_context::command();
    let rule = command.and_then(|command| crate::registry::parent_vuids::rule(command, ty));
    let rule = rule.map_or(String::new(), |rule| format!(" ({rule})"));
    let command = command.unwrap_or("the command");
    Error::misuse(format!(
        "the {ty:?} {handle:#x} belongs to another device or instance than {command}'s other handles{rule}"
    ))
}

/// A read section in which objects are found, which are not destroyed before it is dropped. Meanwhile this
/// thread must neither wait for other threads' sections nor call the application.
pub(crate) struct ReadGuard(RcuSection);

/// An object that was found.
pub(crate) struct Found<'l, T> {
    held: &'l Held,
    _object: PhantomData<&'l T>,
}

impl<T> std::ops::Deref for Found<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: each type of the API is the `TYPE` of one type here, and `ReadGuard::find` compared it;
        // what is held keeps the object.
        unsafe { self.held.object.cast::<T>().as_ref() }
    }
}

impl<'l, T> Found<'l, T> {
    /// The object, until the section ends.
    #[inline]
    pub(crate) fn seen(&self) -> &'l T {
        // SAFETY: as in `deref`; what is held stays until the section ends.
        unsafe { self.held.object.cast::<T>().as_ref() }
    }
}

impl<T> Shared<T> for Found<'_, T> {
    #[inline]
    fn object(&self) -> &T {
        self
    }

    fn share(&self) -> Arc<T> {
        let object = Arc::into_raw(Arc::clone(&self.held.kept)).cast::<T>();
        // SAFETY: as in `deref`; the pointer comes from `into_raw`.
        unsafe { Arc::from_raw(object) }
    }
}

/// The handle of an object of a device that was found last, and where it is: no other object ever has this
/// handle.
pub(crate) struct Last<T> {
    handle: Cell<u64>,
    slot: Cell<Option<&'static Slot<Held>>>,
    _object: PhantomData<fn() -> T>,
}

impl<T> Last<T> {
    /// Of no object.
    pub(crate) const fn new() -> Last<T> {
        Last { handle: Cell::new(0), slot: Cell::new(None), _object: PhantomData }
    }

    /// What is found next may be another device's.
    pub(crate) fn forget(&self) {
        self.slot.set(None);
    }
}

impl ReadGuard {
    /// Enters a read section.
    pub(crate) fn new() -> ReadGuard {
        ReadGuard::on(thread::here())
    }

    /// The same, of the calling thread.
    #[inline(always)]
    pub(crate) fn on(thread: &'static Thread) -> ReadGuard {
        ReadGuard(rcu::enter(thread))
    }

    /// The same, if the thread has a record and is in no section.
    #[inline(always)]
    pub(crate) fn anew(thread: &'static Thread) -> Option<ReadGuard> {
        rcu::try_enter(thread).map(ReadGuard)
    }

    /// The object of a handle, if there is one.
    #[inline(always)]
    pub(crate) fn found<T: Object>(&self, handle: u64) -> Option<Found<'_, T>> {
        let held = OBJECTS.get(handle, &self.0)?;
        let fits = held.ty == T::TYPE && self.0.thread().context.admits(held.owner);
        fits.then_some(Found { held, _object: PhantomData })
    }

    /// The object of a handle, if there is one that belongs to this device itself.
    #[inline(always)]
    pub(crate) fn found_on<T: Object>(&self, device: u64, handle: u64) -> Option<Found<'_, T>> {
        let held = OBJECTS.get(handle, &self.0)?;
        (held.ty == T::TYPE && held.owner.device == device).then_some(Found { held, _object: PhantomData })
    }

    /// The same, of which `last` says what was found with it last; always with the same device, or it has
    /// forgotten.
    #[inline(always)]
    pub(crate) fn found_again<T: Object>(
        &self,
        last: &Last<T>,
        device: u64,
        handle: u64,
    ) -> Option<Found<'_, T>> {
        if last.handle.get() == handle
            && let Some(slot) = last.slot.get()
            && let Some(held) = slot.get(handle, &self.0)
        {
            return Some(Found { held, _object: PhantomData });
        }
        let found = self.found_on(device, handle)?;
        last.slot.set(OBJECTS.slot(handle as u32));
        last.handle.set(handle);
        Some(found)
    }

    /// The object of a handle.
    ///
    /// # Errors
    /// When the handle is null, foreign, destroyed, of another type, or of another device than the command.
    #[inline]
    pub(crate) fn find<T: Object>(&self, handle: u64) -> Result<Found<'_, T>> {
        self.found(handle).ok_or_else(|| self.reason(T::TYPE, handle))
    }

    /// Why a handle is no good where one of type `ty` is needed.
    #[cold]
    fn reason(&self, ty: vk::ObjectType, handle: u64) -> Error {
        call_context::involve(ty, handle);
        match OBJECTS.get(handle, &self.0) {
            Some(held) if held.ty != ty => wrong(ty, handle, held.ty),
            Some(_) => elsewhere(ty, handle),
            None => bad(ty, handle, OBJECTS.missing(handle)),
        }
    }

    /// The object of a handle that may be null.
    ///
    /// # Errors
    /// As [`ReadGuard::find`]'s, for other handles.
    #[inline]
    pub(crate) fn get_nullable<T: Object>(&self, handle: u64) -> Result<Option<Found<'_, T>>> {
        if handle == 0 { Ok(None) } else { self.find(handle).map(Some) }
    }
}

/// The object of a handle.
///
/// # Errors
/// When the handle is null, foreign, destroyed, of another type, or of another device than the command.
pub(crate) fn get<T: Object>(handle: u64) -> Result<Arc<T>> {
    Ok(ReadGuard::new().find::<T>(handle)?.share())
}

/// The object of a handle that may be null.
///
/// # Errors
/// As [`get`]'s, for other handles.
pub(crate) fn get_nullable<T: Object>(handle: u64) -> Result<Option<Arc<T>>> {
    if handle == 0 { Ok(None) } else { get(handle).map(Some) }
}

/// Gives up the application's count, and the handle. Null is ignored.
///
/// # Errors
/// When the handle is foreign, destroyed, of another type, or of another device than the command.
pub(crate) fn remove<T: Object>(handle: u64, allocator: Allocator) -> Result<()> {
    if handle == 0 {
        return Ok(());
    }
    let mut error = None;
    let removed = OBJECTS.remove(handle, |held| {
        error = if held.ty != T::TYPE {
            Some(wrong(T::TYPE, handle, held.ty))
        } else if !call_context::owner().admits(held.owner) {
            Some(elsewhere(T::TYPE, handle))
        } else {
            None
        };
        error.is_none()
    });
    match removed {
        Ok(Some(held)) => {
            // The object's own drop may take long; it runs after the table's lock is gone.
            held.kept.free(allocator);
            names::forget(identity(handle));
            if matches!(T::TYPE, vk::ObjectType::BUFFER | vk::ObjectType::DEVICE) {
                EPOCH.fetch_add(1, Ordering::Release);
            }
            return Ok(());
        }
        Ok(None) => {}
        Err(missing) => error = Some(bad(T::TYPE, handle, missing)),
    }
    crate::handle::call_context::involve(T::TYPE, handle);
    error.map_or(Ok(()), Err)
}
