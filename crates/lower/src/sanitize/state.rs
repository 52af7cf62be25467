//! What the sanitizer looks for, and what it keeps while an entry point is lowered.
//!
//! Must not know: the lowering context, which holds it.

use pyro_abi::shadow::MarkLayout;
use pyro_ir::{Inst, Slot, Value};
use pyro_spirv::{BlockIndex, Id, Inst as SpirvInst};
use pyro_util::sanitize::{Kind, KindSet};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// What the sanitizer looks for, and what it keeps while an entry point is lowered.
pub(crate) struct Sanitizer {
    pub(super) kinds: KindSet,
    pub(super) loops: LoopCounters,
    pub(super) tracking: Tracking,
    pub(super) definedness: Definedness,
    /// How marks of workgroup memory are laid out, once known: the bytes of a cell, and whether there are
    /// atomic operations; none where it is not followed.
    pub(super) shadow_layout: Option<Option<(MarkLayout, u32, bool)>>,
    pub(super) shadow: Option<Shadow>,
    pub(super) ways: Option<Ways>,
    /// The numbers of instructions in marks.
    pub(super) shadow_sites: FxHashMap<SpirvInst, u32>,
    /// Whether buffers are followed by shadow memory alone, once known.
    pub(super) buffer_words: Option<bool>,
    pub(super) buffer_shadow: Option<BufferShadow>,
    /// The numbers of instructions in details.
    pub(super) buffer_sites: FxHashMap<SpirvInst, u32>,
    /// Whether the module has shaders with fragment interlocks, once known.
    pub(super) interlocked: OnceCell<bool>,
    /// Whether the module has instructions that write texels, once known.
    pub(super) writes_images: OnceCell<bool>,
    /// The buffer variables that the module writes, once known; none where it cannot be said.
    pub(super) written_buffers: Option<Option<Vec<Id>>>,
    /// The slot of the line where the subgroup has parted, once known; none where it is not followed.
    pub(super) parting: Option<Option<Slot>>,
    /// By base: whether a range that is only read overlaps one that is written.
    pub(super) overlaps: FxHashMap<Value, Value>,
}

impl Sanitizer {
    pub(crate) fn new(kinds: KindSet) -> Sanitizer {
        Sanitizer {
            kinds,
            loops: Default::default(),
            tracking: Default::default(),
            definedness: Default::default(),
            shadow_layout: None,
            interlocked: OnceCell::new(),
            writes_images: OnceCell::new(),
            shadow: None,
            ways: None,
            shadow_sites: Default::default(),
            buffer_words: None,
            buffer_shadow: None,
            buffer_sites: Default::default(),
            written_buffers: None,
            parting: None,
            overlaps: Default::default(),
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

/// Shadow memory of workgroup memory.
#[derive(Clone)]
pub(crate) struct Shadow {
    /// Addresses of the tables of cells, from the prologue.
    pub(super) tables: [Value; 4],
    /// The constants of their places.
    pub(super) places: Vec<Inst>,
    /// The invocation's mark without a site.
    pub(super) mark: Slot,
    pub(super) layout: MarkLayout,
    /// Bytes that a cell stands for.
    pub(super) granule: u32,
    pub(super) has_atomics: bool,
}

/// Which barriers an invocation has come to.
#[derive(Clone)]
pub(crate) struct Ways {
    /// A digest of their numbers in order, and the last number.
    pub(super) slots: [Slot; 2],
    /// The address of what the first invocation that ended left, from the prologue, and the constant in it.
    pub(super) header: Value,
    pub(super) place: Inst,
    pub(super) invocation: Value,
    /// The numbers of barriers and ends.
    pub(super) numbers: FxHashMap<SpirvInst, u32>,
}

/// Shadow memory of buffers, from the prologue.
#[derive(Clone, Copy)]
pub(crate) struct BufferShadow {
    pub(super) tables: Value,
    /// The number of the dispatch's first invocation.
    pub(super) first: Value,
    /// Workgroups in x and y.
    pub(super) counts: [Value; 2],
    /// The invocation's number.
    pub(super) number: Value,
    /// The first number, and in the high half how many there are.
    pub(super) range: Value,
    pub(super) is_there: Value,
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
    /// Some barrier or atomic operation makes memory available or visible.
    pub(super) makes_visible: bool,
    /// Some memory barrier orders buffers.
    pub(super) buffer_fences: bool,
}

/// Why a value is undefined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// It comes from a variable that has not been written.
    Variable = 0,
    /// It comes from an invocation of the subgroup that is not active.
    Lane = 1,
}

impl Source {
    pub(super) const ALL: [Source; 2] = [Source::Variable, Source::Lane];

    /// Its bit in second slots.
    pub(super) fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// What second slots have of a scalar that nobody has written.
pub(super) const UNWRITTEN: u64 = 1;

/// What they have of a hit attribute before a store: it is not undefined for who reports the hit.
pub(super) const NEVER: u64 = 1 << 7;

/// Where the number of the store begins, in bytes of second slots of outputs.
pub(super) const STORE_SHIFT: u32 = 2;

/// The stores of an output that are told apart.
const STORES_MAX: usize = 63;

/// Where (`i1`) a value is undefined, by source, and the instruction that made it so, where that is known.
#[derive(Clone, Copy, Default)]
pub(super) struct Undefined {
    pub(super) flags: [Option<Value>; 2],
    /// Of an integer from a variable: which of its bits, where that is known.
    pub(super) bits: Option<Value>,
    pub(super) origin: Option<SpirvInst>,
}

/// What says where workgroup memory is undefined.
#[derive(Clone, Copy)]
pub(super) struct WorkgroupTable {
    /// Its address, from the prologue.
    pub(super) address: Value,
    /// The constant of its place.
    pub(super) place: Inst,
}

/// What says which outputs of a mesh shader have been written.
#[derive(Clone, Copy)]
pub(super) struct MeshTable {
    /// Its address, from the prologue.
    pub(super) address: Value,
    /// The constant of its place.
    pub(super) place: Inst,
    pub(super) bytes: u32,
}

/// What says which bytes of a payload have been written, of task shaders or of nodes.
#[derive(Clone, Copy)]
pub(super) struct PayloadTable {
    /// Its address.
    pub(super) address: Value,
    /// Its bytes, where they are others than the payload's.
    pub(super) bytes: Option<Value>,
    /// Whether it says so; none where it always does.
    pub(super) is_followed: Option<Value>,
}

/// What is known of values and variables.
#[derive(Default)]
pub(crate) struct Definedness {
    /// For each followed slot: why its scalars are undefined, a byte each.
    pub(super) written: FxHashMap<Slot, Slot>,
    /// For followed slots of integers: which bits of their scalars are undefined.
    pub(super) masks: FxHashMap<Slot, Slot>,
    /// Where a value is undefined, if it may be.
    pub(super) undefined: FxHashMap<Value, Undefined>,
    /// The instruction that is being lowered.
    pub(super) current: Option<SpirvInst>,
    /// Of outputs: the instructions that store values that may be undefined, by their numbers from 1.
    pub(super) stores: FxHashMap<Slot, Vec<SpirvInst>>,
    /// The shuffle whose values a slot holds.
    pub(super) origins: FxHashMap<Slot, SpirvInst>,
    /// Whether the module has shuffles, once known.
    pub(super) has_shuffles: Option<bool>,
    /// Whether undefined values may come to workgroup memory, once known.
    pub(super) reaches_workgroup: Option<bool>,
    /// What says where workgroup memory is undefined.
    pub(super) workgroup: Option<WorkgroupTable>,
    /// What says where payloads have been written, by their addresses.
    pub(super) payloads: FxHashMap<Value, PayloadTable>,
    /// What says which outputs of a mesh shader have been written, and where in it columns are, by theirs.
    pub(super) mesh: Option<MeshTable>,
    pub(super) mesh_columns: FxHashMap<Value, Value>,
    /// Inputs that the stage before does not write: variables, members of their blocks, whether they are
    /// arrays of vertices.
    pub(super) missing_inputs: Vec<(Id, Option<u32>, bool)>,
}

impl Definedness {
    /// The number of the instruction at hand among the stores of an output; zero of other variables.
    pub(super) fn store_number(&mut self, slot: Slot) -> u64 {
        let (Some(stores), Some(current)) = (self.stores.get_mut(&slot), self.current) else { return 0 };
        let place = stores.iter().position(|&store| store == current);
        let place = place.unwrap_or_else(|| {
            stores.push(current);
            stores.len() - 1
        });
        if place < STORES_MAX { place as u64 + 1 } else { 0 }
    }
}
