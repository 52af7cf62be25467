//! Dispatchable handles.

use super::{Found, Object, ReadGuard, get, hold};
use crate::handle::call_context::{self, Owner};
use crate::handle::thread::Thread;
use crate::pointers::Allocator;
use pyro_driver::{Error, Result, Shared};
use pyro_util::sync::Mutex;
use std::cell::Cell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use vulkanalia_sys as vk;

/// What the loader wants to find in a new dispatchable object, to put its own pointer there.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// What a dispatchable handle points at.
#[repr(C, align(64))]
#[derive(Default)]
struct Node {
    /// The loader's word.
    loader: AtomicUsize,
    /// The object's place in the table; zero when the node is free.
    object: AtomicU64,
    /// The object's type.
    ty: AtomicI32,
    /// The place of the instance that the object belongs to, or is.
    instance: AtomicU64,
    /// The place of the device that the object belongs to, or is.
    device: AtomicU64,
}

impl Node {
    fn owner(&self) -> Owner {
        let load = |place: &AtomicU64| place.load(Ordering::Relaxed);
        Owner { instance: load(&self.instance), device: load(&self.device) }
    }
}

/// Nodes of the first chunk; each has twice as many as the one before.
const FIRST_CHUNK: usize = 64;
const CHUNK_COUNT: usize = 24;

static CHUNKS: [AtomicPtr<Node>; CHUNK_COUNT] = [const { AtomicPtr::new(null_mut()) }; CHUNK_COUNT];

/// Nodes that are free, those freed last at the end, so that a destroyed handle is known as one for long.
static FREE: Mutex<VecDeque<&'static Node>> = Mutex::new(VecDeque::new());

/// The place of a dispatchable object in the table, if the number is the handle of one.
pub(crate) fn place_of(handle: usize) -> Option<u64> {
    place(handle).map(|(_, object)| object)
}

/// The node at this address, if one is there.
fn node(handle: usize) -> Option<&'static Node> {
    for (index, chunk) in CHUNKS.iter().enumerate() {
        let nodes = chunk.load(Ordering::Acquire);
        if nodes.is_null() {
            return None;
        }
        let offset = handle.wrapping_sub(nodes as usize);
        if offset < (FIRST_CHUNK << index) * size_of::<Node>() {
            // SAFETY: a chunk has so many nodes, which stay there.
            let node = || unsafe { &*nodes.byte_add(offset) };
            return offset.is_multiple_of(size_of::<Node>()).then(node);
        }
    }
    None
}

fn take_free() -> Option<&'static Node> {
    let mut free = FREE.lock();
    if let Some(node) = free.pop_front() {
        return Some(node);
    }
    let (index, chunk) =
        CHUNKS.iter().enumerate().find(|(_, chunk)| chunk.load(Ordering::Relaxed).is_null())?;
    let nodes = Vec::leak(std::iter::repeat_with(Node::default).take(FIRST_CHUNK << index).collect());
    chunk.store(nodes.as_mut_ptr(), Ordering::Release);
    // SAFETY: they are never freed, and used through shared references only.
    let nodes: &'static [Node] =
        unsafe { std::slice::from_raw_parts(chunk.load(Ordering::Relaxed), nodes.len()) };
    free.extend(nodes);
    free.pop_front()
}

/// The node at this address and its object's place, if there is one.
#[inline(always)]
fn place(handle: usize) -> Option<(&'static Node, u64)> {
    let node = node(handle)?;
    let object = node.object.load(Ordering::Acquire);
    (object != 0).then_some((node, object))
}

#[cold]
fn bad(ty: vk::ObjectType, handle: usize) -> Error {
    call_context::involve(ty, handle as u64);
    Error::misuse(match handle {
        0 => format!("the handle is null; a {ty:?} is required"),
        _ => format!("{handle:#x} is not a handle of this driver, or was destroyed; a {ty:?} is required"),
    })
}

/// A dispatchable object that a thread used last, so that it is found without a search.
pub(crate) struct Remembered<T> {
    /// None: no object.
    node: Cell<Option<&'static Node>>,
    /// The object's place in the table.
    object: Cell<u64>,
    /// The object, as long as the node has it.
    value: Cell<*const T>,
    /// The device that it belongs to.
    device: Cell<u64>,
}

impl<T: Object> Remembered<T> {
    pub(crate) const fn new() -> Remembered<T> {
        let (node, object) = (Cell::new(None), Cell::new(0));
        Remembered { node, object, value: Cell::new(std::ptr::null()), device: Cell::new(0) }
    }

    /// Remembers the object of a handle that was found.
    pub(crate) fn remember(&self, handle: usize, found: &T) {
        let Some((node, object)) = place(handle) else { return };
        self.node.set(Some(node));
        self.object.set(object);
        self.value.set(found);
        self.device.set(node.owner().device);
    }

    /// The object of this handle and the device that it belongs to, if it is remembered and still there.
    #[inline(always)]
    pub(crate) fn found<'l>(&self, _read: &'l ReadGuard, handle: usize) -> Option<(&'l T, u64)> {
        let node = self.node.get()?;
        // Whoever destroys the object first makes the node name nothing and then waits for the
        // sections of other threads.
        let is_it = std::ptr::from_ref(node) as usize == handle
            && node.object.load(Ordering::SeqCst) == self.object.get();
        // SAFETY: no other object ever has this place in the table, so it is the one that was found; it stays
        // until the section ends.
        is_it.then(|| (unsafe { &*self.value.get() }, self.device.get()))
    }
}

impl ReadGuard {
    /// The object of a dispatchable handle; what it belongs to is what the command belongs to.
    ///
    /// # Errors
    /// When the handle is null, foreign, destroyed, of another type, or of another device than the command.
    #[inline]
    pub(crate) fn dispatchable<T: Object>(&self, handle: usize) -> Result<Found<'_, T>> {
        self.dispatchable_found(handle).ok_or_else(|| {
            let Some((node, object)) = place(handle) else { return bad(T::TYPE, handle) };
            if !self.0.thread().context.owner().admits(node.owner()) {
                return super::elsewhere(T::TYPE, handle as u64);
            }
            self.reason(T::TYPE, object)
        })
    }

    /// The same, if there is one.
    #[inline(always)]
    pub(super) fn dispatchable_found<T: Object>(&self, handle: usize) -> Option<Found<'_, T>> {
        let (node, object) = place(handle)?;
        let (owner, scope) = (node.owner(), &self.0.thread().context);
        if !scope.owner().admits(owner) {
            return None;
        }
        let found = self.found(object)?;
        scope.involve(T::TYPE, handle as u64);
        scope.belongs_to(owner);
        Some(found)
    }
}

/// Handles of dispatchable objects of one type.
pub(crate) struct Dispatchable<T>(PhantomData<T>);

/// Makes the command one of this device, as [`Dispatchable::get`] does, but does not get the object.
///
/// # Errors
/// As of [`Dispatchable::get`].
#[inline(always)]
pub(crate) fn check_device(thread: &'static Thread, handle: usize) -> Result<()> {
    match checked_device(thread, handle) {
        Some(owner) if thread.context.owner() == Owner::default() => {
            thread.context.involve(vk::ObjectType::DEVICE, handle as u64);
            thread.context.belongs_to(owner);
            Ok(())
        }
        _ => check_device_anew(thread, handle),
    }
}

/// What a device's handle is, if it is the one that was checked last.
#[inline(always)]
pub(super) fn checked_device(thread: &Thread, handle: usize) -> Option<Owner> {
    let (known, object, owner) = thread.checked.get();
    if known != handle || known == 0 {
        return None;
    }
    // SAFETY: what was found to be a node stays one.
    let node = unsafe { &*(handle as *const Node) };
    (node.object.load(Ordering::Acquire) == object).then_some(owner)
}

fn check_device_anew(thread: &'static Thread, handle: usize) -> Result<()> {
    const DEVICE: vk::ObjectType = vk::ObjectType::DEVICE;
    let Some((node, object)) = place(handle) else { return Err(bad(DEVICE, handle)) };
    let (owner, context) = (node.owner(), &thread.context);
    if !context.owner().admits(owner) {
        return Err(super::elsewhere(DEVICE, handle as u64));
    }
    if node.ty.load(Ordering::Relaxed) != DEVICE.as_raw() {
        return Err(ReadGuard::on(thread).reason(DEVICE, object));
    }
    context.involve(DEVICE, handle as u64);
    context.belongs_to(owner);
    thread.checked.set((handle, object, owner));
    Ok(())
}

impl<T: Object> Dispatchable<T> {
    /// Makes a handle of an object that belongs to an owner, or is one, with host memory from the
    /// application's callbacks.
    ///
    /// # Errors
    /// When there is no memory.
    pub(crate) fn into_handle(object: Arc<T>, owner: Owner, allocator: Allocator) -> Result<usize> {
        let object = hold(object, Owner::default(), allocator)?;
        let Some(node) = take_free() else {
            super::remove::<T>(object, allocator)?;
            return Err(Error::out_of_host_memory());
        };
        let is = |ty, place| if T::TYPE == ty { object } else { place };
        node.loader.store(LOADER_MAGIC, Ordering::Relaxed);
        node.instance.store(is(vk::ObjectType::INSTANCE, owner.instance), Ordering::Relaxed);
        node.device.store(is(vk::ObjectType::DEVICE, owner.device), Ordering::Relaxed);
        node.ty.store(T::TYPE.as_raw(), Ordering::Relaxed);
        node.object.store(object, Ordering::Release);
        Ok(std::ptr::from_ref(node) as usize)
    }

    fn place(handle: usize) -> Result<(&'static Node, u64)> {
        place(handle).ok_or_else(|| bad(T::TYPE, handle))
    }

    /// The object of a handle; what it belongs to is what the command belongs to.
    ///
    /// # Errors
    /// When the handle is null, foreign, destroyed, of another type, or of another device than the command.
    pub(crate) fn get(handle: usize) -> Result<Arc<T>> {
        Ok(ReadGuard::new().dispatchable::<T>(handle)?.share())
    }

    /// What a handle's object belongs to, or is.
    ///
    /// # Errors
    /// For bad handles.
    pub(crate) fn owner(handle: usize) -> Result<Owner> {
        Ok(Self::place(handle)?.0.owner())
    }

    /// Makes an object one of a device that was made after it.
    ///
    /// # Errors
    /// For bad handles.
    pub(crate) fn adopt(handle: usize, device: u64) -> Result<()> {
        Self::place(handle)?.0.device.store(device, Ordering::Relaxed);
        Ok(())
    }

    /// Takes the object back, and the handle. Null, and a handle that another thread destroys, give nothing.
    ///
    /// # Errors
    /// For bad handles.
    pub(crate) fn take(handle: usize, allocator: Allocator) -> Result<Option<Arc<T>>> {
        if handle == 0 {
            return Ok(None);
        }
        let (node, place) = Self::place(handle)?;
        let object = get(place)?;
        // Of two threads that destroy the same handle, one does.
        if node.object.compare_exchange(place, 0, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return Ok(None);
        }
        let destroyed = super::remove::<T>(place, allocator);
        FREE.lock().push_back(node);
        destroyed.map(|()| Some(object))
    }
}
