//! Undefined values that go through workgroup memory: what one invocation leaves there undefined is undefined
//! for whoever reads it.
//!
//! # Approach
//! A table behind workgroup memory has a byte for each byte of it, not zero where the value is undefined.
//! Loads and stores of scalars access it at the same offset and with the same width, so what is copied in
//! other types stays exact. Most modules have no undefined value that could come there, which a walk over
//! their instructions tells ([`Lowerer::follows_workgroup_definedness`]): those have no table.
//!
//! # Invariants
//! * The walk finds too much rather than too little; the table decides.
//! * Atomic operations define what they access, and instructions that are not followed switch all of it off.

use super::state::WorkgroupTable;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::{Access, Leaf};
use crate::pointer::{Pointer, PointerBase, Range};
use crate::types::memory_bytes;
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, SourceLoc, Space, Value};
use pyro_spirv::facts::{Family, facts, is_access_chain};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Instruction, Module};
use pyro_util::sanitize::Kind;
use rustc_hash::FxHashSet;
use std::collections::hash_map::Entry;

/// Walks over a module's instructions until nothing more is found; what has not ended then is followed.
const ROUNDS_MAX: usize = 16;

/// Blocks times variables that are looked at in a function; variables beyond count as not written.
const STEPS_MAX: usize = 1 << 20;

/// The integer that takes as many bytes as a scalar does in memory.
fn flag_scalar(scalar: Scalar) -> Scalar {
    match memory_bytes(scalar) {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

/// Leaves of a table that has a byte for each byte of what it is of.
pub(super) fn flag_leaves(leaves: &[Leaf]) -> Vec<Leaf> {
    leaves.iter().map(|leaf| Leaf { scalar: flag_scalar(leaf.scalar), ..*leaf }).collect()
}

impl<'m> Lowerer<'m, '_> {
    /// Whether undefined values may come to workgroup memory, and are followed there.
    fn follows_workgroup_definedness(&mut self) -> bool {
        if let Some(known) = self.sanitizer.definedness.reaches_workgroup {
            return known;
        }
        let is_on = self.sanitizer.is_on(Kind::UninitializedVariable) && self.has_workgroups();
        let follows = is_on
            && self.found().workgroup_memory
            && !self.has_cooperative_workgroup_access()
            && may_be_stored_undefined(self.module);
        *self.sanitizer.definedness.reaches_workgroup.insert(follows)
    }

    /// Whether cooperative matrices are stored to workgroup memory, past the table.
    fn has_cooperative_workgroup_access(&self) -> bool {
        self.module.insts().any(|inst| {
            facts(inst.op()).family == Family::Cooperative
                && !self.accessed_types(inst, &[StorageClass::Workgroup]).is_empty()
        })
    }

    /// Where the table says whether what a pointer points to is undefined; none where it is not followed.
    fn workgroup_flags(&mut self, pointer: &Pointer) -> Result<Option<Pointer>> {
        let PointerBase::Range(range) = pointer.base else { return Ok(None) };
        if range.space != Space::Shared || !self.follows_workgroup_definedness() {
            return Ok(None);
        }
        let base = self.shared_base()?;
        if range.base != base || pointer.layout.soa.is_some() {
            return Ok(None);
        }
        let table = match self.sanitizer.definedness.workgroup {
            Some(table) => table,
            None => {
                let table = self.in_prologue(|cx| {
                    // Not `Builder::constant`: it changes.
                    let ty = pyro_ir::Type::varying(Scalar::I64);
                    let loc = SourceLoc::default();
                    let place = cx.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), loc);
                    let block = cx.b.block();
                    cx.b.function.blocks[block].insts.push(place);
                    let start = cx.b.function.insts[place].expect_result();
                    Ok(WorkgroupTable { address: cx.b.op(Opcode::IAdd, &[base, start]), place })
                })?;
                *self.sanitizer.definedness.workgroup.insert(table)
            }
        };
        let base = PointerBase::Range(Range { base: table.address, ..range });
        Ok(Some(Pointer { base, ..pointer.clone() }))
    }

    /// After scalars have been read from a range.
    pub(crate) fn sanitize_range_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        scalars: &Scalars,
    ) -> Result {
        let Some(flags) = self.workgroup_flags(pointer)? else { return Ok(()) };
        let mut words = Scalars::new();
        self.range_load(&flags, &flag_leaves(leaves), Access::default(), &mut words)?;
        for (&scalar, word) in scalars.iter().zip(words) {
            if self.b.function.const_bits(scalar).is_none() {
                let is_defined = self.equals(word, 0);
                let flag = self.not(is_defined);
                self.set_undefined_variable(scalar, flag);
            }
        }
        Ok(())
    }

    /// After scalars have been written to a range.
    pub(crate) fn sanitize_range_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
    ) -> Result {
        let Some(flags) = self.workgroup_flags(pointer)? else { return Ok(()) };
        let leaves = flag_leaves(leaves);
        let scalars = leaves.iter().flat_map(|leaf| std::iter::repeat_n(leaf.scalar, leaf.count as usize));
        let mut words = Vec::with_capacity(value.len());
        for (scalar, &value) in scalars.zip(value) {
            let zero = self.b.constant(scalar, 0);
            words.push(match self.undefined_variable(value) {
                Some(flag) => {
                    let ones = self.b.constant(scalar, scalar.mask());
                    self.b.select(flag, ones, zero)
                }
                None => zero,
            });
        }
        self.range_store(&flags, &leaves, &words, Access::default())
    }

    /// Before an atomic operation: what it leaves counts as defined, and as written.
    pub(super) fn define_workgroup_word(&mut self, inst: Instruction<'m>) -> Result {
        if matches!(inst.op(), Op::AtomicLoad | Op::AtomicStore) || !self.sanitizer_follows(inst) {
            return Ok(());
        }
        let pointer = self.pointer(inst.id(0))?;
        let Some(ty) = self.accessed_type(inst, 0, inst.id(0)) else { return Ok(()) };
        if matches!(
            self.class_of(inst),
            Some(StorageClass::TaskPayloadWorkgroupEXT | StorageClass::NodePayloadAMDX)
        ) {
            let leaves = self.leaves(ty, pointer.layout)?;
            return self.sanitize_payload_store(&pointer, &leaves);
        }
        if let Some(flags) = self.workgroup_flags(&pointer)? {
            let leaves = flag_leaves(&self.leaves(ty, pointer.layout)?);
            let mut zeros = Vec::new();
            for leaf in &leaves {
                let zero = self.b.constant(leaf.scalar, 0);
                zeros.extend(std::iter::repeat_n(zero, leaf.count as usize));
            }
            self.range_store(&flags, &leaves, &zeros, Access::default())?;
        }
        Ok(())
    }

    /// Whether an instruction is an access of workgroup memory or a payload that is followed.
    fn sanitizer_follows(&mut self, inst: Instruction<'m>) -> bool {
        match self.class_of(inst) {
            Some(StorageClass::Workgroup) => self.follows_workgroup_definedness(),
            Some(StorageClass::TaskPayloadWorkgroupEXT | StorageClass::NodePayloadAMDX) => {
                self.follows_definedness()
            }
            _ => false,
        }
    }

    /// The storage class of an instruction's first operand, a pointer.
    fn class_of(&self, inst: Instruction<'m>) -> Option<StorageClass> {
        let ty = inst.get_id(0).and_then(|id| self.module.type_of(id))?;
        self.module.pointer(ty).map(|(class, _)| class)
    }

    /// Gives the table its place behind `data` bytes of workgroup memory and what else lies there.
    pub(super) fn finish_workgroup_definedness(&mut self, data: u32) {
        let Some(table) = self.sanitizer.definedness.workgroup.take() else { return };
        let start = self.workgroup.bytes.next_multiple_of(64);
        self.b.function.insts[table.place].imm = start.into();
        let end = start + data.next_multiple_of(64);
        self.workgroup.exchange_bytes += end - self.workgroup.bytes;
        self.workgroup.shadow_bytes += match self.workgroup.shadow_bytes {
            0 => end - start,
            _ => end - self.workgroup.bytes,
        };
        self.workgroup.bytes = end;
    }
}

/// The variable, parameter or other value at the end of access chains.
fn base_of(module: &Module, mut id: Id) -> Id {
    while let Some(inst) = module.definition(id) {
        let goes_on = is_access_chain(inst.op()) || inst.op() == Op::CopyObject;
        match inst.get_id(0).filter(|_| goes_on) {
            Some(base) => id = base,
            None => break,
        }
    }
    id
}

/// Whether some value that comes from a variable nobody may have written is stored to workgroup memory.
///
/// Variables that are written as a whole in a block that dominates all that uses them are not among these;
/// from the others everything that is computed, stored, passed and returned is followed by id.
fn may_be_stored_undefined(module: &Module) -> bool {
    let mut found = Found { module, ids: unwritten_variables(module) };
    if found.ids.is_empty() {
        return false;
    }
    let is_reached = |found: &Found<'_>| {
        let mut globals = module.globals();
        globals.any(|it| it.class == StorageClass::Workgroup && found.ids.contains(&it.id))
    };
    for _ in 0..ROUNDS_MAX {
        let before = found.ids.len();
        found.walk();
        if is_reached(&found) {
            return true;
        }
        if found.ids.len() == before {
            return false;
        }
    }
    true
}

/// What may be undefined, by id: values, variables for what they hold, functions for what they return.
struct Found<'m> {
    module: &'m Module,
    ids: FxHashSet<Id>,
}

impl Found<'_> {
    fn has(&self, id: Id) -> bool {
        self.ids.contains(&id)
    }

    fn add_if(&mut self, condition: bool, id: Id) {
        if condition {
            self.ids.insert(id);
        }
    }

    fn walk(&mut self) {
        let module = self.module;
        let mut function = None;
        for inst in module.insts() {
            let base = |place: usize| inst.get_id(place).map(|id| base_of(module, id));
            match (inst.op(), inst.result()) {
                (Op::Function, Some(result)) => function = Some(result),
                (Op::Load | Op::AtomicLoad, Some(result)) => {
                    let holds = base(0).is_some_and(|base| self.has(base));
                    self.add_if(holds, result);
                }
                (Op::Store, _) => self.add_if(self.has(inst.id(1)), base_of(module, inst.id(0))),
                (Op::AtomicStore, _) => self.add_if(self.has(inst.id(3)), base_of(module, inst.id(0))),
                (Op::CopyMemory | Op::CopyMemorySized, _) => {
                    let holds = base(1).is_some_and(|base| self.has(base));
                    self.add_if(holds, base_of(module, inst.id(0)));
                }
                (Op::ReturnValue, _) => {
                    if let Some(function) = function {
                        self.add_if(self.has(inst.id(0)), function);
                    }
                }
                (Op::FunctionCall, Some(result)) => self.walk_call(inst, result),
                (_, Some(result)) if !self.has(result) => {
                    let uses = inst.id_operands().any(|id| self.has(id));
                    self.add_if(uses, result);
                }
                _ => {}
            }
        }
    }

    /// Arguments and parameters, which may be pointers, hold the same.
    fn walk_call(&mut self, call: Instruction<'_>, result: Id) {
        let callee = call.id(0);
        self.add_if(self.has(callee), result);
        let Some(index) = self.module.function_of(callee) else { return };
        let module = self.module;
        let parameters = module.parameters(index).filter_map(|parameter| parameter.result());
        for (place, parameter) in (1..).zip(parameters) {
            let Some(argument) = call.get_id(place) else { break };
            let base = base_of(self.module, argument);
            self.add_if(self.has(argument) || self.has(base), parameter);
            self.add_if(self.has(parameter), base);
        }
    }
}

/// Variables of functions, and private ones, that have no initializer and that something may use before they
/// have been written as a whole.
fn unwritten_variables(module: &Module) -> FxHashSet<Id> {
    let is_private = |class| matches!(class, StorageClass::Private | StorageClass::Function);
    let globals = module.globals().filter(|it| is_private(it.class) && it.initializer.is_none());
    let mut unwritten: FxHashSet<Id> = globals.map(|it| it.id).collect();
    for index in module.functions() {
        unwritten_in(module, index, &mut unwritten);
    }
    unwritten
}

fn unwritten_in(module: &Module, index: FunctionIndex, unwritten: &mut FxHashSet<Id>) {
    let function = module.function(index);
    let blocks = function.blocks().len();
    // By variable: where it is first stored as a whole, and in which blocks it is used before.
    let mut first_stores = rustc_hash::FxHashMap::<Id, Option<BlockIndex>>::default();
    let mut uses = rustc_hash::FxHashMap::<Id, FxHashSet<BlockIndex>>::default();
    for block in function.blocks() {
        for inst in module.block(block).body() {
            let inst = module.inst(inst);
            if matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR) {
                let has_initializer = inst.op() == Op::Variable && inst.get_id(1).is_some();
                if let Some(result) = inst.result().filter(|_| !has_initializer) {
                    first_stores.insert(result, None);
                }
                continue;
            }
            let is_debug = facts(inst.op()).family == Family::Debug;
            if is_debug {
                continue;
            }
            for (place, id) in inst.id_operands().enumerate() {
                let Entry::Occupied(mut store) = first_stores.entry(id) else { continue };
                let is_whole = inst.op() == Op::Store && place == 0;
                match *store.get() {
                    None if is_whole && !uses.contains_key(&id) => {
                        store.insert(Some(block));
                    }
                    Some(first) if first == block => {}
                    _ => {
                        uses.entry(id).or_default().insert(block);
                    }
                }
            }
        }
    }
    let mut steps = 0;
    for (variable, store) in first_stores {
        let Some(used) = uses.get(&variable) else {
            // It is used in the block that writes it alone, or not at all.
            continue;
        };
        steps += blocks;
        let Some(store) = store.filter(|_| steps <= STEPS_MAX) else {
            unwritten.insert(variable);
            continue;
        };
        if is_reached_without(module, index, store, used) {
            unwritten.insert(variable);
        }
    }
}

/// Whether a way from a function's entry leads to one of these blocks without going through another.
fn is_reached_without(
    module: &Module,
    function: FunctionIndex,
    without: BlockIndex,
    wanted: &FxHashSet<BlockIndex>,
) -> bool {
    let mut seen = FxHashSet::default();
    let mut open: Vec<BlockIndex> = module.function(function).entry().into_iter().collect();
    while let Some(block) = open.pop() {
        if block == without || !seen.insert(block) {
            continue;
        }
        if wanted.contains(&block) {
            return true;
        }
        open.extend(module.successors(block).filter_map(|label| module.block_of(label)));
    }
    false
}
