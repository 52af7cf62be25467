//! The command under way on a thread: whose it is, and what it is called.
//!
//! The first dispatchable handle that a command looks up says which instance and device the command is one of. Objects
//! that it makes belong to these, and objects that it uses must belong to them ([`Owner::admits`]).

use std::cell::Cell;
use vulkanalia_sys as vk;

/// The places, in the table of objects, of an instance and one of its devices; zero: none, or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) instance: u64,
    pub(crate) device: u64,
}

impl Owner {
    /// Whether a command of this owner may use an object of another: where both are known, they are the same. An
    /// object of the instance serves all its devices.
    pub(crate) fn admits(self, object: Owner) -> bool {
        let agree = |one: u64, other: u64| one == 0 || other == 0 || one == other;
        agree(self.instance, object.instance) && agree(self.device, object.device)
    }
}

/// What is known of a command.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    owner: Owner,
    /// A path in this crate that its body's path is part of.
    path: &'static str,
}

/// Objects that a message names at most.
const INVOLVED_MAX: usize = 8;

/// The command under way, and the objects that it looked up. In one place: every command comes here a few times. Each
/// part has a cell of its own: what is written in parts and read as a whole waits for the writes.
struct Current {
    instance: Cell<u64>,
    device: Cell<u64>,
    path: Cell<&'static str>,
    count: Cell<usize>,
    involved: [Cell<(i32, u64)>; INVOLVED_MAX],
}

thread_local! {
    static CURRENT: Current = const {
        Current {
            instance: Cell::new(0),
            device: Cell::new(0),
            path: Cell::new(""),
            count: Cell::new(0),
            involved: [const { Cell::new((0, 0)) }; INVOLVED_MAX],
        }
    };
}

/// A command begins; gives the one around it, if there is one (a callback's), for [`leave`].
#[inline]
pub(crate) fn enter(path: &'static str) -> Scope {
    CURRENT.with(|current| {
        let owner = Owner { instance: current.instance.replace(0), device: current.device.replace(0) };
        Scope { owner, path: current.path.replace(path) }
    })
}

/// Forgets what the last command of the application's used.
#[inline]
pub(crate) fn begin() {
    CURRENT.with(|current| current.count.set(0));
}

/// The command ends.
#[inline]
pub(crate) fn leave(outer: Scope) {
    CURRENT.with(|current| {
        current.instance.set(outer.owner.instance);
        current.device.set(outer.owner.device);
        current.path.set(outer.path);
    });
}

/// Whose the command is, as far as it is known.
#[inline]
pub(crate) fn owner() -> Owner {
    CURRENT.with(|current| Owner { instance: current.instance.get(), device: current.device.get() })
}

/// The command is one of these.
#[inline]
pub(crate) fn belongs_to(owner: Owner) {
    CURRENT.with(|current| {
        let known = |cell: &Cell<u64>, other: u64| {
            if cell.get() == 0 {
                cell.set(other);
            }
        };
        known(&current.instance, owner.instance);
        known(&current.device, owner.device);
    });
}

/// The command uses this object.
#[inline]
pub(crate) fn involve(ty: vk::ObjectType, handle: u64) {
    CURRENT.with(|current| {
        let (count, object) = (current.count.get(), (ty.as_raw(), handle));
        let known = &current.involved[..count.min(INVOLVED_MAX)];
        if count < INVOLVED_MAX && !known.iter().any(|known| known.get() == object) {
            current.involved[count].set(object);
            current.count.set(count + 1);
        }
    });
}

/// The objects that the command uses, the first of them.
pub(crate) fn involved() -> Vec<(vk::ObjectType, u64)> {
    CURRENT.with(|current| {
        let known = current.involved[..current.count.get()].iter().map(Cell::get);
        known.map(|(ty, handle)| (vk::ObjectType::from_raw(ty), handle)).collect()
    })
}

/// The command's name.
pub(crate) fn command() -> Option<&'static str> {
    crate::table::name_of(CURRENT.with(|current| current.path.get()))
}
