//! The hash table of value numbering: for each computation the value that first computed it.
//!
//! The table holds a hash and the result of each computation, eight bytes; what is computed is read from the
//! function. So it stays small where a map with whole keys leaves the caches.

use pyro_ir::{Block, Function, Opcode, Type, Value, ValueDef};
use pyro_util::{EntityRef, PackedOption, SecondaryMap};

/// A computation: operation, type of the result, version of the memory that it reads, immediate, operands.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) op: Opcode,
    pub(crate) ty: Type,
    pub(crate) version: u32,
    pub(crate) imm: u64,
    pub(crate) args: &'a [Value],
}

impl Key<'_> {
    /// Its hash.
    pub(crate) fn hash(&self) -> u32 {
        let mix = |hash: u64, word: u64| {
            let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 32)
        };
        let ty = u64::from(self.ty.scalar as u8) << 1 | u64::from(self.ty.is_varying());
        let head = u64::from(self.version) << 32 | (self.op as u64) << 8 | ty;
        let hash =
            self.args.iter().fold(mix(mix(0, head), self.imm), |hash, arg| mix(hash, arg.index() as u64));
        hash as u32
    }

    /// Whether `value` is the result of this computation.
    fn is(&self, function: &Function, value: Value, version: u32) -> bool {
        let data = function.values[value];
        let ValueDef::Inst(inst) = data.def else { return false };
        let inst = &function.insts[inst];
        inst.op == self.op
            && data.ty == self.ty
            && version == self.version
            && inst.imm == self.imm
            && inst.args.as_slice() == self.args
    }
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    value: PackedOption<Value>,
}

/// The table: open addressing, linear probing, at most three quarters full.
pub(crate) struct Table {
    entries: Vec<Entry>,
    count: usize,
    /// The version and the block of each value in the table.
    places: SecondaryMap<Value, (u32, Block)>,
}

impl Default for Table {
    fn default() -> Self {
        Table { entries: vec![EMPTY; 64], count: 0, places: SecondaryMap::with_default((0, Block::RESERVED)) }
    }
}

const EMPTY: Entry = Entry { hash: 0, value: PackedOption::NONE };

impl Table {
    /// Where the computation is, or where it goes.
    fn place(&self, function: &Function, key: &Key<'_>, hash: u32) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.entries[at];
            let Some(value) = entry.value.expand() else { return at };
            if entry.hash == hash && key.is(function, value, self.places[value].0) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The last value entered for a computation, and its block.
    pub(crate) fn get(&self, function: &Function, key: &Key<'_>, hash: u32) -> Option<(Value, Block)> {
        let value = self.entries[self.place(function, key, hash)].value.expand()?;
        Some((value, self.places[value].1))
    }

    /// Enters the value of a computation. Its instruction must not change any more.
    pub(crate) fn insert(
        &mut self,
        function: &Function,
        key: &Key<'_>,
        hash: u32,
        value: Value,
        block: Block,
    ) {
        if (self.count + 1) * 4 > self.entries.len() * 3 {
            self.grow();
        }
        let at = self.place(function, key, hash);
        self.count += usize::from(!self.entries[at].value.is_some());
        self.entries[at] = Entry { hash, value: value.into() };
        self.places[value] = (key.version, block);
    }

    fn grow(&mut self) {
        let count = self.entries.len() * 4;
        let mask = count - 1;
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; count]);
        for entry in old.into_iter().filter(|entry| entry.value.is_some()) {
            let mut at = entry.hash as usize & mask;
            while self.entries[at].value.is_some() {
                at = (at + 1) & mask;
            }
            self.entries[at] = entry;
        }
    }
}
