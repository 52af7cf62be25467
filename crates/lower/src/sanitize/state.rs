//! What the sanitizer looks for, and what it keeps while an entry point is lowered.
//!
//! Must not know: the lowering context, which holds it.

use pyro_ir::{Slot, Value};
use pyro_spirv::BlockIndex;
use pyro_util::sanitize::{Kind, KindSet};
use rustc_hash::FxHashMap;

/// What the sanitizer looks for, and what it keeps while an entry point is lowered.
pub(crate) struct Sanitizer {
    pub(super) kinds: KindSet,
    pub(super) loops: LoopCounters,
    pub(super) tracking: Tracking,
    pub(super) definedness: Definedness,
}

impl Sanitizer {
    pub(crate) fn new(kinds: KindSet) -> Sanitizer {
        Sanitizer {
            kinds,
            loops: Default::default(),
            tracking: Default::default(),
            definedness: Default::default(),
        }
    }

    pub(crate) fn is_on(&self, kind: Kind) -> bool {
        self.kinds.contains(kind)
    }

    pub(crate) fn is_off(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// The counters of loops, by the depth of the call and the header.
#[derive(Default)]
pub(crate) struct LoopCounters {
    pub(super) slots: FxHashMap<(usize, BlockIndex), Slot>,
}

/// What the entry point's module has of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tracking {
    pub(super) found: Option<Found>,
    pub(super) counters: Option<[Slot; 4]>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Found {
    /// Workgroup memory that is accessed by instructions that are told.
    pub(super) workgroup_memory: bool,
    pub(super) barriers: bool,
    /// Some memory barrier orders workgroup memory.
    pub(super) workgroup_fences: bool,
    /// Some memory barrier orders buffers.
    pub(super) buffer_fences: bool,
}

/// What is known of values and variables.
#[derive(Default)]
pub(crate) struct Definedness {
    /// For each followed slot: which of its scalars have been written, a byte each.
    pub(super) written: FxHashMap<Slot, Slot>,
    /// Whether a value is undefined (`i1`), where it may be.
    pub(super) undefined: FxHashMap<Value, Value>,
}
