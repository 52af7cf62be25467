//! The command under way on a thread: which command it is, which instance and device it belongs to, and the
//! objects that it has looked up.
//!
//! The first dispatchable handle that a command looks up decides the instance and device that the command
//! belongs to. Objects that it creates belong to these, and objects that it uses must belong to them
//! ([`Owner::admits`]). Messages name the objects.

use super::thread;
use crate::registry::CommandId;
use std::cell::Cell;
use vulkanalia_sys as vk;

/// The places, in the table of objects, of an instance and one of its devices; zero: none, or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) instance: u64,
    pub(crate) device: u64,
}

impl Owner {
    /// Whether a command of this owner may use an object of another: where both are known, they are the same.
    /// An object of the instance serves all its devices.
    #[inline]
    pub(crate) fn admits(self, object: Owner) -> bool {
        let agree = |one: u64, other: u64| one == other || one == 0 || other == 0;
        agree(self.instance, object.instance) && agree(self.device, object.device)
    }
}

/// What is known of the command around one that a callback calls.
#[derive(Clone, Copy)]
pub(crate) struct OuterCall {
    owner: Owner,
    command: Option<CommandId>,
}

/// Objects that a message names at most.
const INVOLVED_MAX: usize = 8;

/// The command under way, and the objects that it looked up. Each part has a cell of its own: what is written
/// in parts and read as a whole waits for the writes.
pub(crate) struct CallContext {
    instance: Cell<u64>,
    device: Cell<u64>,
    command: Cell<Option<CommandId>>,
    count: Cell<usize>,
    involved: [Cell<(i32, u64)>; INVOLVED_MAX],
}

impl CallContext {
    pub(crate) const fn new() -> CallContext {
        CallContext {
            instance: Cell::new(0),
            device: Cell::new(0),
            command: Cell::new(None),
            count: Cell::new(0),
            involved: [const { Cell::new((0, 0)) }; INVOLVED_MAX],
        }
    }

    /// A command begins, which has used nothing yet; gives the one around it, if there is one (a callback's),
    /// for [`CallContext::leave`].
    #[inline]
    pub(crate) fn enter(&self, command: CommandId) -> OuterCall {
        self.count.set(0);
        let owner = Owner { instance: self.instance.replace(0), device: self.device.replace(0) };
        OuterCall { owner, command: self.command.replace(Some(command)) }
    }

    /// The command ends.
    #[inline]
    pub(crate) fn leave(&self, outer: OuterCall) {
        self.instance.set(outer.owner.instance);
        self.device.set(outer.owner.device);
        self.command.set(outer.command);
    }

    /// Whose the command is, as far as it is known.
    #[inline]
    pub(crate) fn owner(&self) -> Owner {
        Owner { instance: self.instance.get(), device: self.device.get() }
    }

    /// Whether the command may use an object of this owner.
    #[inline(always)]
    pub(crate) fn admits(&self, object: Owner) -> bool {
        // A device is one of one instance.
        (object.device != 0 && object.device == self.device.get()) || self.owner().admits(object)
    }

    /// The command is one of these.
    #[inline]
    pub(crate) fn belongs_to(&self, owner: Owner) {
        let known = |cell: &Cell<u64>, other: u64| {
            if cell.get() == 0 {
                cell.set(other);
            }
        };
        known(&self.instance, owner.instance);
        known(&self.device, owner.device);
    }

    /// The command uses this object.
    #[inline]
    pub(crate) fn involve(&self, ty: vk::ObjectType, handle: u64) {
        let (count, object) = (self.count.get(), (ty.as_raw(), handle));
        if count == 0 {
            self.involved[0].set(object);
            self.count.set(1);
            return;
        }
        let known = &self.involved[..count.min(INVOLVED_MAX)];
        if count < INVOLVED_MAX && !known.iter().any(|known| known.get() == object) {
            self.involved[count].set(object);
            self.count.set(count + 1);
        }
    }
}

/// Forgets what the last command of the application's used.
pub(crate) fn begin() {
    thread::here().context.count.set(0);
}

/// Whose the command is, as far as it is known.
pub(crate) fn owner() -> Owner {
    thread::here().context.owner()
}

/// The command is one of these.
pub(crate) fn belongs_to(owner: Owner) {
    thread::here().context.belongs_to(owner);
}

/// The command uses this object.
pub(crate) fn involve(ty: vk::ObjectType, handle: u64) {
    thread::here().context.involve(ty, handle);
}

/// Looks at objects outside of any command: of all instances and devices, and without a trace in what the
/// thread's next command belongs to.
pub(crate) fn apart<R>(look: impl FnOnce() -> R) -> R {
    let context = &thread::here().context;
    let owner = Owner { instance: context.instance.replace(0), device: context.device.replace(0) };
    let result = look();
    context.instance.set(owner.instance);
    context.device.set(owner.device);
    result
}

/// The objects that the command uses, the first of them.
pub(crate) fn involved() -> Vec<(vk::ObjectType, u64)> {
    let current = &thread::here().context;
    let known = current.involved[..current.count.get()].iter().map(Cell::get);
    known.map(|(ty, handle)| (vk::ObjectType::from_raw(ty), handle)).collect()
}

/// The command's name.
pub(crate) fn command() -> Option<&'static str> {
    thread::here().context.command.get().map(CommandId::name)
}
