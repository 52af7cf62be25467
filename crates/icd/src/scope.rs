//! The command under way on a thread: whose it is, and what it is called.
//!
//! The first dispatchable handle that a command looks up says which instance and device the command is one of. Objects
//! that it makes belong to these, and objects that it uses must belong to them ([`Owner::admits`]).

use std::cell::Cell;

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

    /// Both, as far as either is known.
    fn with(self, other: Owner) -> Owner {
        let known = |one: u64, other: u64| if one == 0 { other } else { one };
        Owner { instance: known(self.instance, other.instance), device: known(self.device, other.device) }
    }
}

/// What is known of a command.
#[derive(Clone, Copy, Default)]
pub(crate) struct Scope {
    owner: Owner,
    /// A path in this crate that its body's path is part of.
    path: &'static str,
}

thread_local! {
    static SCOPE: Cell<Scope> = const { Cell::new(Scope { owner: Owner { instance: 0, device: 0 }, path: "" }) };
}

/// A command begins; gives the one around it, if there is one (a callback's), for [`leave`].
pub(crate) fn enter(path: &'static str) -> Scope {
    SCOPE.replace(Scope { owner: Owner::default(), path })
}

/// The command ends.
pub(crate) fn leave(outer: Scope) {
    SCOPE.set(outer);
}

/// Whose the command is, as far as it is known.
pub(crate) fn owner() -> Owner {
    SCOPE.get().owner
}

/// The command is one of these.
pub(crate) fn belongs_to(owner: Owner) {
    let scope = SCOPE.get();
    SCOPE.set(Scope { owner: scope.owner.with(owner), ..scope });
}

/// The command's name.
pub(crate) fn command() -> Option<&'static str> {
    crate::table::name_of(SCOPE.get().path)
}
