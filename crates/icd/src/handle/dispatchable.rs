//! Dispatchable handles.

use super::{Object, get, hold};
use crate::scope::{self, Owner};
use pyro_driver::{Error, Result};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vulkanalia_sys as vk;

/// What the loader wants to find in a new dispatchable object, to put its own pointer there.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// What a dispatchable handle points at.
#[repr(C)]
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

const FIRST_CHUNK: usize = 64;
const CHUNK_COUNT: usize = 24;

static CHUNKS: [OnceLock<Box<[Node]>>; CHUNK_COUNT] = [const { OnceLock::new() }; CHUNK_COUNT];

/// Nodes that are free, those freed last at the end, so that a destroyed handle is known as one for long.
static FREE: Mutex<VecDeque<&'static Node>> = Mutex::new(VecDeque::new());

/// The place of a dispatchable object in the table, if the number is the handle of one.
pub(crate) fn place_of(handle: usize) -> Option<u64> {
    node(handle).map(|node| node.object.load(Ordering::Acquire)).filter(|&object| object != 0)
}

/// The node at this address, if one is there.
fn node(handle: usize) -> Option<&'static Node> {
    for chunk in &CHUNKS {
        let nodes = chunk.get()?;
        let offset = handle.wrapping_sub(nodes.as_ptr() as usize);
        if offset < size_of_val::<[Node]>(nodes) {
            return offset.is_multiple_of(size_of::<Node>()).then(|| &nodes[offset / size_of::<Node>()]);
        }
    }
    None
}

fn take_free() -> Option<&'static Node> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(node) = free.pop_front() {
        return Some(node);
    }
    let (index, chunk) = CHUNKS.iter().enumerate().find(|(_, chunk)| chunk.get().is_none())?;
    let nodes =
        chunk.get_or_init(|| std::iter::repeat_with(Node::default).take(FIRST_CHUNK << index).collect());
    free.extend(nodes.iter());
    free.pop_front()
}

/// Counts the dispatchable handles that were destroyed: what a thread knows of one holds as long as this is the same.
static DESTROYED: AtomicU64 = AtomicU64::new(0);

/// A dispatchable handle's object as a thread found it last.
pub(crate) struct Found<T> {
    handle: usize,
    destroyed: u64,
    owner: Owner,
    object: Arc<T>,
}

impl<T: Object> Found<T> {
    /// What [`Dispatchable::get`] gives.
    ///
    /// # Errors
    /// As of that.
    pub(crate) fn new(handle: usize) -> Result<Found<T>> {
        // Read first: a handle that is destroyed meanwhile is looked up again.
        let destroyed = DESTROYED.load(Ordering::Acquire);
        let object = Dispatchable::get(handle)?;
        let owner = Dispatchable::<T>::owner(handle)?;
        Ok(Found { handle, destroyed, owner, object })
    }

    /// Whether this is what a command that comes later finds, too.
    pub(crate) fn again(&self, handle: usize) -> bool {
        let holds = self.handle == handle && self.destroyed == DESTROYED.load(Ordering::Acquire);
        if !holds || !scope::owner().admits(self.owner) {
            return false;
        }
        scope::involve(T::TYPE, handle as u64);
        scope::belongs_to(self.owner);
        true
    }

    /// The object.
    pub(crate) fn object(&self) -> &T {
        &self.object
    }
}

/// Handles of dispatchable objects of one type.
pub(crate) struct Dispatchable<T>(PhantomData<T>);

impl<T: Object> Dispatchable<T> {
    /// Makes a handle of an object that belongs to an owner, or is one, with host memory from the application's
    /// callbacks.
    ///
    /// # Errors
    /// When there is no memory.
    ///
    /// # Safety
    /// `allocator` is null or valid.
    pub(crate) unsafe fn into_handle(
        object: Arc<T>,
        owner: Owner,
        allocator: *const vk::AllocationCallbacks,
    ) -> Result<usize> {
        // SAFETY: the caller's contract.
        let object = unsafe { hold(object, Owner::default(), allocator) }?;
        let Some(node) = take_free() else {
            // SAFETY: as above.
            unsafe { super::destroy::<T>(object, allocator) }?;
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
        let found = node(handle).map(|node| (node, node.object.load(Ordering::Acquire)));
        found.filter(|&(_, object)| object != 0).ok_or_else(|| {
            crate::scope::involve(T::TYPE, handle as u64);
            let what = if handle == 0 { "a null" } else { "a destroyed or foreign" };
            Error::misuse(format!("{what} handle {handle:#x} where one of type {:?} is needed", T::TYPE))
        })
    }

    /// The object of a handle; what it belongs to is what the command belongs to.
    ///
    /// # Errors
    /// When the handle is null, foreign, destroyed, of another type, or of another device than the command.
    pub(crate) fn get(handle: usize) -> Result<Arc<T>> {
        let (node, object) = Self::place(handle)?;
        let owner = node.owner();
        if !scope::owner().admits(owner) {
            return Err(super::elsewhere(T::TYPE, handle as u64));
        }
        let found = get(object).inspect(|_| crate::scope::involve(T::TYPE, handle as u64))?;
        scope::belongs_to(owner);
        Ok(found)
    }

    /// Says what the command belongs to, as [`Dispatchable::get`] does, but does not get the object.
    ///
    /// # Errors
    /// As of [`Dispatchable::get`].
    pub(crate) fn check(handle: usize) -> Result<()> {
        let (node, _) = Self::place(handle)?;
        let owner = node.owner();
        if node.ty.load(Ordering::Relaxed) != T::TYPE.as_raw() || !scope::owner().admits(owner) {
            // That says what is wrong.
            return Self::get(handle).map(drop);
        }
        crate::scope::involve(T::TYPE, handle as u64);
        scope::belongs_to(owner);
        Ok(())
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

    /// Takes the object back, and the handle. Null and bad handles give nothing, the latter with a message.
    ///
    /// # Safety
    /// As [`super::destroy`].
    pub(crate) unsafe fn take(handle: usize, allocator: *const vk::AllocationCallbacks) -> Option<Arc<T>> {
        if handle == 0 {
            return None;
        }
        let taken = Self::place(handle).and_then(|(node, object)| Ok((get(object)?, (node, object))));
        let (object, (node, place)) = taken.inspect_err(crate::message::error).ok()?;
        // Of two threads that destroy the same handle, one does.
        node.object.compare_exchange(place, 0, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        DESTROYED.fetch_add(1, Ordering::AcqRel);
        // SAFETY: the caller's contract.
        unsafe { super::destroy::<T>(place, allocator) }.inspect_err(crate::message::error).ok();
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push_back(node);
        Some(object)
    }
}
