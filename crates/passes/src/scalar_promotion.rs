//! Memory that a loop reads and writes at one place becomes a value that the loop carries. Lane form.
//!
//! `for (k…) out[i] += a[k] * b[k];` loads and stores `out[i]` in every iteration. Where the place does not
//! change in the loop, and nothing else in the loop may touch it, it is loaded in front of the loop and
//! stored behind it. In between it is a slot, which [`crate::sroa`] turns into an SSA value. Private arrays
//! at an unchanging index are treated alike.
//!
//! Other invocations see the same: they may access the place meanwhile only in a race, or ordered by a
//! barrier, a fence or an atomic operation with one, and loops with such stay as they are. A store behind the
//! loop happens only where the loop has stored: either its first iteration always stores and the exit's
//! condition tells whether there is one, or a flag that the loop carries says so. What a load gives outside
//! of its buffer (zero) it gives here, too.
//!
//! A place qualifies where
//!
//! * its base, offset and predicates are defined outside of the loop, and all its accesses have the same
//!   displacement and size; loads are speculatable, so they may happen though the loop would not;
//! * no other access of the loop to the same space has another base or offset, unless both bases are those of
//!   memory objects that do not overlap ([`MemoryOp::apart`]), nor overlaps it, nor is volatile or atomic;
//! * the loop is entered by one edge, and left only to its merge block or by returning.
//!
//! Loops are taken from the inside out: what an inner loop leaves in the outer one may move on, at once where
//! its store always happens, else when the pass runs again and other passes have put the store's condition in
//! front of the outer loop. Time is linear in the accesses of each loop; loops with more than [`LEVELS_MAX`]
//! levels of loops inside stay as they are, so that each access is looked at a few times only.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest, LoopId};
use pyro_ir::{
    Block, Effect, Form, Function, Inst, InstData, MemoryOp, Merge, Opcode, Scalar, Signature, Slot,
    SlotData, SourceLoc, Space, Terminator, Type, Value, ValueDef, eval,
};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most places of one loop: more values than this do not fit registers anyway.
const PLACES_MAX: usize = 64;
/// The most levels of loops inside a loop, beside its own.
const LEVELS_MAX: u32 = 15;
/// The most operations that an exit's condition takes.
const CONDITION_MAX: usize = 16;
/// The most operations from a load to the stores that take what it gives.
const WAY_MAX: usize = 24;

/// Runs the pass on lane form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let dominators = Dominators::new(function, &cfg);
    let def_block = def_blocks(function);
    let mut pass = Promotion {
        function,
        cfg,
        forest,
        dominators,
        def_block,
        uses: None,
        insertions: FxHashMap::default(),
        changed: false,
    };
    let mut waits = vec![false; pass.forest.len()];
    let mut inside = vec![0; pass.forest.len()];
    for index in (0..pass.forest.len()).rev() {
        let id = LoopId(index as u32);
        let stays = waits[index] || inside[index] <= LEVELS_MAX && pass.visit(id);
        if let Some(parent) = pass.forest.get(id).parent {
            let parent = parent.0 as usize;
            waits[parent] |= stays;
            inside[parent] = inside[parent].max(inside[index] + 1);
        }
    }
    pass.changed
}

/// What an access is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Base {
    Address(Space, Value),
    Slot(Slot),
}

/// Accesses with the same base and offset, of which displacements tell whether they overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Base,
    /// None for a constant offset, which is part of the displacement.
    offset: Option<Value>,
    apart: bool,
}

/// An access of the loop.
struct Access {
    inst: Inst,
    block: Block,
    displacement: i64,
    bytes: u32,
    is_store: bool,
    /// A plain load or store that may be replaced.
    is_plain: bool,
    /// None where it always happens.
    predicate: Option<Value>,
}

/// A loop that qualifies.
struct Shape {
    id: LoopId,
    start: u32,
    end: u32,
    front: Block,
    header: Block,
    merge: Block,
    latches: SmallVec<[Block; 2]>,
    /// The only branch that leaves, and where it goes then, where there is one such.
    exit: Option<(Block, Block)>,
    /// Blocks that return.
    returns: Vec<Block>,
}

/// A place that all iterations access, and nothing else of the loop.
struct Place {
    accesses: Vec<Access>,
    /// None of a slot.
    base: Option<Value>,
    offset: Value,
    /// The immediate of an access: a slot's number, or a [`MemoryOp`].
    imm: u64,
}

/// What stands for a place in the loop.
struct Promoted {
    slot: Slot,
    scalar: Scalar,
    flag: Flag,
    /// Of all accesses.
    predicate: Option<Value>,
}

/// What says behind the loop whether it has stored.
enum Flag {
    /// It always has.
    None,
    Value(Value),
    Slot(Slot),
}

struct Promotion<'f> {
    function: &'f mut Function,
    cfg: Cfg,
    forest: LoopForest,
    dominators: Dominators,
    def_block: SecondaryMap<Value, Block>,
    /// Who uses values, once asked.
    uses: Option<Users>,
    /// What comes before accesses of the loop at hand.
    insertions: FxHashMap<Inst, Vec<Inst>>,
    changed: bool,
}

impl Promotion<'_> {
    /// Promotes what qualifies in a loop. Returns whether the loop around it has to wait.
    fn visit(&mut self, id: LoopId) -> bool {
        let Some(shape) = self.shape(id) else { return false };
        let Some(places) = self.places(&shape) else { return false };
        let mut is_conditional = false;
        let (mut front, mut merge) = (Vec::new(), Vec::new());
        let mut returns: Vec<Vec<Inst>> = shape.returns.iter().map(|_| Vec::new()).collect();
        let zero = self.emit(&mut front, Opcode::Const, &[], 0, Some(Scalar::I32));
        let mut first = None;
        for place in &places {
            let promoted = self.promote(place, &shape, zero, &mut first, &mut front);
            is_conditional |= !matches!(promoted.flag, Flag::None);
            self.store_back(place, &promoted, zero, &mut merge);
            for out in &mut returns {
                self.store_back(place, &promoted, zero, out);
            }
        }
        let (front_block, merge_block) = (shape.front, shape.merge);
        for &inst in &front {
            if let Some(result) = self.function.insts[inst].result.expand() {
                self.def_block[result] = front_block;
            }
        }
        for &inst in &merge {
            if let Some(result) = self.function.insts[inst].result.expand() {
                self.def_block[result] = merge_block;
            }
        }
        self.insert_all(&shape);
        self.function.blocks[front_block].insts.extend(front);
        self.function.blocks[merge_block].insts.splice(0..0, merge);
        for (&block, out) in shape.returns.iter().zip(returns) {
            self.function.blocks[block].insts.extend(out);
        }
        self.changed = true;
        is_conditional
    }

    /// What the loop is like, if places of it can be promoted.
    fn shape(&self, id: LoopId) -> Option<Shape> {
        let data = *self.forest.get(id);
        let function = &*self.function;
        let Some(Merge::Loop { merge, .. }) = function.blocks[data.header].merge else { return None };
        let inside = |block: Block| self.forest.contains(id, self.cfg.position(block));
        let mut latches = SmallVec::new();
        let mut front = None;
        for edge in self.cfg.preds(data.header) {
            if inside(edge.from) {
                latches.push(edge.from);
            } else if front.replace(edge.from).is_some() {
                return None;
            }
        }
        let front =
            front.filter(|&block| matches!(function.blocks[block].terminator, Terminator::Jump(_)))?;
        if latches.is_empty() || self.cfg.position(merge) != data.end {
            return None;
        }
        let (mut returns, mut exits) = (Vec::new(), SmallVec::<[Block; 4]>::new());
        for &block in &function.block_order[data.start as usize..data.end as usize] {
            if !self.cfg.is_reachable(block) {
                continue;
            }
            match function.blocks[block].terminator {
                Terminator::Return(_) => returns.push(block),
                Terminator::None => return None,
                _ => {}
            }
            for target in function.blocks[block].terminator.targets() {
                if inside(target.block) {
                    continue;
                }
                if target.block != merge {
                    return None;
                }
                exits.push(block);
            }
        }
        let is_left_only = self.cfg.preds(merge).iter().all(|edge| inside(edge.from));
        let exit = match exits.as_slice() {
            &[exit] if returns.is_empty() => self.leaving_branch(exit, merge),
            _ => None,
        };
        let (start, end, header) = (data.start, data.end, data.header);
        let shape = Shape { id, start, end, front, header, merge, latches, exit, returns };
        (is_left_only && !exits.is_empty()).then_some(shape)
    }

    /// The branch from whose block a loop is left through a block, and its target on that way.
    fn leaving_branch(&self, exit: Block, merge: Block) -> Option<(Block, Block)> {
        let is_branch =
            |block: Block| matches!(self.function.blocks[block].terminator, Terminator::Branch { .. });
        if is_branch(exit) {
            return Some((exit, merge));
        }
        match self.cfg.preds(exit) {
            &[edge] if is_branch(edge.from) => Some((edge.from, exit)),
            _ => None,
        }
    }

    /// Whether a value is the same in all iterations.
    fn is_invariant(&self, shape: &Shape, value: Value) -> bool {
        let home = self.def_block[value];
        home != Block::RESERVED && !self.forest.contains(shape.id, self.cfg.position(home))
    }

    /// The places of the loop that qualify.
    fn places(&self, shape: &Shape) -> Option<Vec<Place>> {
        let function = &*self.function;
        let mut keys: Vec<(Key, Vec<Access>)> = Vec::new();
        let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
        let mut ordered = [false; Space::ALL.len()];
        let mut called: SmallVec<[Slot; 2]> = SmallVec::new();
        for &block in &function.block_order[shape.start as usize..shape.end as usize] {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                match data.op.effect() {
                    Effect::Pure | Effect::Convergent => continue,
                    Effect::Barrier => {
                        for space in Space::ALL {
                            ordered[space as usize] |= data.orders(space);
                        }
                        if data.op == Opcode::SlotCall {
                            called.push(Slot::from_u32((data.imm & !InstData::CALL_FLAGS) as u32));
                        }
                        continue;
                    }
                    // What is followed access by access stays.
                    _ if data.op == Opcode::Track => return None,
                    Effect::Read | Effect::Write => {}
                }
                if let Some((key, access)) = self.access(inst, block) {
                    let number = *numbers.entry(key).or_insert_with(|| {
                        keys.push((key, Vec::new()));
                        keys.len() - 1
                    });
                    keys[number].1.push(access);
                }
            }
        }
        let mut counts: FxHashMap<Base, usize> = FxHashMap::default();
        let mut of_space = [[0_usize; 2]; Space::ALL.len()];
        for (key, _) in &keys {
            *counts.entry(key.base).or_default() += 1;
            if let Base::Address(space, _) = key.base {
                of_space[space as usize][usize::from(key.apart)] += 1;
            }
        }
        let mut places = Vec::new();
        for (key, accesses) in keys {
            let is_alone = counts[&key.base] == 1
                && match key.base {
                    Base::Slot(slot) => !called.contains(&slot),
                    Base::Address(space, _) => {
                        let [others, apart] = of_space[space as usize];
                        !ordered[space as usize] && if key.apart { others == 0 } else { others + apart == 1 }
                    }
                };
            if is_alone && key.offset.is_none_or(|offset| self.is_invariant(shape, offset)) {
                self.add_places(shape, key, accesses, &mut places);
            }
        }
        places.truncate(PLACES_MAX);
        (!places.is_empty()).then_some(places)
    }

    /// What an access touches; none of what nothing writes.
    fn access(&self, inst: Inst, block: Block) -> Option<(Key, Access)> {
        let function = &*self.function;
        let data = &function.insts[inst];
        let (is_slot, is_store, value) = match data.op.signature() {
            Signature::SlotLoad => (true, false, data.expect_result()),
            Signature::SlotStore => (true, true, data.args[1]),
            Signature::Load => (false, false, data.expect_result()),
            Signature::Store | Signature::Atomic | Signature::AtomicCompare => {
                (false, true, data.args[data.args.len() - 2])
            }
            _ => return None,
        };
        let bytes = function.ty(value).scalar.bytes();
        let (base, offset, mut displacement, apart, is_plain, predicate) = if is_slot {
            let slot = Slot::from_u32(data.imm as u32);
            let SlotData { keeps, .. } = function.slots[slot];
            (Base::Slot(slot), data.args[0], 0, true, !keeps, None)
        } else {
            let memory = MemoryOp::from_imm(data.imm);
            if memory.space.is_read_only() {
                return None;
            }
            let usual = MemoryOp::new(memory.space).at(memory.displacement);
            let usual = MemoryOp { apart: memory.apart, ..usual };
            let is_plain = if is_store {
                data.op == Opcode::Store && memory == usual
            } else {
                memory == usual.speculatable()
            };
            let predicate = data.args[data.args.len() - 1];
            let predicate = (function.const_bits(predicate) != Some(1)).then_some(predicate);
            let base = Base::Address(memory.space, data.args[0]);
            (base, data.args[1], i64::from(memory.displacement), memory.apart, is_plain, predicate)
        };
        let mut offset = Some(offset);
        // Offsets in slots do not wrap; those elsewhere have their constants in the displacement.
        while is_slot
            && let Some((rest, constant)) = offset.and_then(|offset| added_constant(function, offset))
        {
            (offset, displacement) = (Some(rest), displacement + constant);
        }
        if let Some(bits) = offset.and_then(|offset| function.const_bits(offset)) {
            (offset, displacement) = (None, displacement.wrapping_add(bits as i64));
        }
        let key = Key { base, offset, apart };
        Some((key, Access { inst, block, displacement, bytes, is_store, is_plain, predicate }))
    }

    /// Adds the places among accesses with one base and offset that qualify.
    fn add_places(&self, shape: &Shape, key: Key, mut accesses: Vec<Access>, places: &mut Vec<Place>) {
        accesses.sort_by_key(|access| access.displacement);
        let mut rest = accesses.into_iter().peekable();
        while let Some(first) = rest.next() {
            let (start, bytes) = (first.displacement, first.bytes);
            let mut end = start + i64::from(bytes);
            let mut group = vec![first];
            while let Some(next) = rest.next_if(|next| next.displacement < end) {
                end = end.max(next.displacement + i64::from(next.bytes));
                group.push(next);
            }
            let is_one =
                |access: &Access| access.displacement == start && access.bytes == bytes && access.is_plain;
            let mut loads = group.iter().filter(|access| !access.is_store);
            let Some(load) = loads.next() else { continue };
            let qualifies = group.iter().all(is_one)
                && group.iter().any(|access| access.is_store)
                && loads.all(|other| other.predicate == load.predicate)
                && load.predicate.is_none_or(|predicate| self.is_invariant(shape, predicate));
            if !qualifies {
                continue;
            }
            let data = &self.function.insts[load.inst];
            let (base, offset) = match key.base {
                Base::Slot(_) => (None, data.args[0]),
                Base::Address(..) => (Some(data.args[0]), data.args[1]),
            };
            // Of a slot, the offset is that of an access, which may be computed in the loop.
            if base.into_iter().chain([offset]).all(|value| self.is_invariant(shape, value)) {
                places.push(Place { accesses: group, base, offset, imm: data.imm });
            }
        }
    }

    /// Loads a place in front of the loop, and puts a slot in its place in the loop.
    fn promote(
        &mut self,
        place: &Place,
        shape: &Shape,
        zero: Value,
        first: &mut Option<Option<Value>>,
        front: &mut Vec<Inst>,
    ) -> Promoted {
        let load = place.accesses.iter().find(|access| !access.is_store).expect("it has a load");
        let (load_inst, predicate) = (load.inst, load.predicate);
        let is_same = place.accesses.iter().all(|access| access.predicate == predicate);
        let data = &self.function.insts[load_inst];
        let (original, ty) = (data.clone(), self.function.ty(data.expect_result()));
        let slot = self.function.add_slot(ty.scalar.bytes());
        let value = self.emit(front, original.op, &original.args, original.imm, Some(ty.scalar));
        self.emit(front, Opcode::SlotStore, &[zero, value], slot.as_u32().into(), None);

        let stores = || place.accesses.iter().filter(|access| access.is_store);
        // Nobody else sees a slot.
        let always =
            place.base.is_none() || is_same && stores().any(|store| self.is_before_exits(store.block, shape));
        let flag = if always {
            Flag::None
        } else if is_same
            && stores().any(|store| self.is_behind_exit(store.block, shape))
            && let Some(first) = *first.get_or_insert_with(|| self.first_condition(shape, front))
        {
            if self.function.const_bits(first) == Some(1) { Flag::None } else { Flag::Value(first) }
        } else {
            let flag = self.function.add_slot(1);
            let no = self.emit(front, Opcode::Const, &[], 0, Some(Scalar::I1));
            self.emit(front, Opcode::SlotStore, &[zero, no], flag.as_u32().into(), None);
            Flag::Slot(flag)
        };
        let keeps_zero = predicate.is_some() && !(is_same && self.feeds_only_stores(place));
        for access in &place.accesses {
            let predicate = access.predicate;
            match access.is_store {
                false => self.replace_load(access.inst, zero, slot, predicate.filter(|_| keeps_zero)),
                true => self.replace_store(access, zero, slot, predicate.filter(|_| !is_same), &flag),
            }
        }
        Promoted { slot, scalar: ty.scalar, flag, predicate: predicate.filter(|_| is_same) }
    }

    /// Whether a block comes before all ways out of the loop.
    fn is_before_exits(&self, block: Block, shape: &Shape) -> bool {
        shape.exit.is_some_and(|(exit, _)| self.dominators.dominates(&self.cfg, block, exit))
    }

    /// Whether each iteration that goes on at the only exit comes to a block.
    fn is_behind_exit(&self, block: Block, shape: &Shape) -> bool {
        let dominates = |a, b| self.dominators.dominates(&self.cfg, a, b);
        shape.exit.is_some_and(|(exit, _)| dominates(exit, block))
            && shape.latches.iter().all(|&latch| dominates(block, latch))
    }

    /// Whether the first iteration goes on at the only exit, computed in front of the loop; none where that
    /// takes too much.
    fn first_condition(&mut self, shape: &Shape, front: &mut Vec<Inst>) -> Option<Value> {
        let (exit, outside) = shape.exit?;
        let Terminator::Branch { condition, then, .. } = &self.function.blocks[exit].terminator else {
            return None;
        };
        let (condition, leaves) = (*condition, then.block == outside);
        // Each operand's own copy: first what it needs, then itself.
        let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
        let mut order = Vec::new();
        let mut open = vec![condition];
        while let Some(value) = open.pop() {
            if self.is_invariant(shape, value) {
                continue;
            }
            match self.function.values[value].def {
                ValueDef::Param(block, position) if block == shape.header => {
                    let Terminator::Jump(call) = &self.function.blocks[shape.front].terminator else {
                        return None;
                    };
                    copies.insert(value, call.args[position as usize]);
                }
                ValueDef::Param(..) => return None,
                ValueDef::Inst(inst) => {
                    let data = &self.function.insts[inst];
                    if data.op.effect() != Effect::Pure || order.len() >= CONDITION_MAX {
                        return None;
                    }
                    order.push(inst);
                    open.extend(data.args.iter().copied());
                }
            }
        }
        for &inst in order.iter().rev() {
            let data = self.function.insts[inst].clone();
            let result = data.expect_result();
            if copies.contains_key(&result) {
                continue;
            }
            let args: SmallVec<[Value; 4]> =
                data.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
            copies.insert(result, self.folded(front, &data, &args));
        }
        let first = copies.get(&condition).copied().unwrap_or(condition);
        if !leaves {
            return Some(first);
        }
        Some(match self.function.const_bits(first) {
            Some(bits) => self.emit(front, Opcode::Const, &[], 1 - bits, Some(Scalar::I1)),
            None => self.emit(front, Opcode::Not, &[first], 0, Some(Scalar::I1)),
        })
    }

    /// A copy of an operation with other operands, a constant where these are.
    fn folded(&mut self, front: &mut Vec<Inst>, data: &InstData, args: &[Value]) -> Value {
        let scalar = self.function.ty(data.expect_result()).scalar;
        let bits: Option<SmallVec<[u64; 4]>> =
            args.iter().map(|&arg| self.function.const_bits(arg)).collect();
        if let (Some(bits), Some(&last)) = (bits, args.last())
            && let Some(result) = eval::pure(data.op, self.function.ty(last).scalar, scalar, &bits, data.imm)
        {
            return self.emit(front, Opcode::Const, &[], result, Some(scalar));
        }
        self.emit(front, data.op, args, data.imm, Some(scalar))
    }

    fn replace_load(&mut self, inst: Inst, zero: Value, slot: Slot, predicate: Option<Value>) {
        let result = self.function.insts[inst].expect_result();
        let imm = slot.as_u32().into();
        let Some(predicate) = predicate else {
            let data = &mut self.function.insts[inst];
            (data.op, data.imm, data.args) = (Opcode::SlotLoad, imm, smallvec::smallvec![zero]);
            return;
        };
        // Outside of the buffer it is zero, whatever has been stored.
        let scalar = self.function.ty(result).scalar;
        let mut out = Vec::new();
        let value = self.emit(&mut out, Opcode::SlotLoad, &[zero], imm, Some(scalar));
        let nothing = self.emit(&mut out, Opcode::Const, &[], 0, Some(scalar));
        let data = &mut self.function.insts[inst];
        (data.op, data.imm) = (Opcode::Select, 0);
        data.args = smallvec::smallvec![predicate, value, nothing];
        self.insertions.insert(inst, out);
    }

    fn replace_store(
        &mut self,
        access: &Access,
        zero: Value,
        slot: Slot,
        predicate: Option<Value>,
        flag: &Flag,
    ) {
        let imm: u64 = slot.as_u32().into();
        let data = &self.function.insts[access.inst];
        let mut value = data.args[if data.op == Opcode::SlotStore { 1 } else { 2 }];
        let scalar = self.function.ty(value).scalar;
        let mut out = Vec::new();
        if let Some(predicate) = predicate {
            let old = self.emit(&mut out, Opcode::SlotLoad, &[zero], imm, Some(scalar));
            value = self.emit(&mut out, Opcode::Select, &[predicate, value, old], 0, Some(scalar));
        }
        if let &Flag::Slot(flag) = flag {
            let flag: u64 = flag.as_u32().into();
            let stored = match predicate {
                Some(predicate) => {
                    let old = self.emit(&mut out, Opcode::SlotLoad, &[zero], flag, Some(Scalar::I1));
                    self.emit(&mut out, Opcode::Or, &[predicate, old], 0, Some(Scalar::I1))
                }
                None => self.emit(&mut out, Opcode::Const, &[], 1, Some(Scalar::I1)),
            };
            self.emit(&mut out, Opcode::SlotStore, &[zero, stored], flag, None);
        }
        let data = &mut self.function.insts[access.inst];
        (data.op, data.imm, data.args) = (Opcode::SlotStore, imm, smallvec::smallvec![zero, value]);
        if !out.is_empty() {
            self.insertions.insert(access.inst, out);
        }
    }

    /// Enters what comes before accesses into their blocks.
    fn insert_all(&mut self, shape: &Shape) {
        if self.insertions.is_empty() {
            return;
        }
        for position in shape.start..shape.end {
            let block = self.function.block_order[position as usize];
            let insts = &self.function.blocks[block].insts;
            if !insts.iter().any(|inst| self.insertions.contains_key(inst)) {
                continue;
            }
            let insts = std::mem::take(&mut self.function.blocks[block].insts);
            let mut out = Vec::with_capacity(insts.len() + 4);
            for inst in insts {
                out.extend(self.insertions.remove(&inst).unwrap_or_default());
                out.push(inst);
            }
            self.function.blocks[block].insts = out;
        }
        self.insertions.clear();
    }

    /// Stores what a place's slot holds, where the loop has stored.
    fn store_back(&mut self, place: &Place, promoted: &Promoted, zero: Value, out: &mut Vec<Inst>) {
        let &Promoted { slot, scalar, ref flag, predicate } = promoted;
        let value = self.emit(out, Opcode::SlotLoad, &[zero], slot.as_u32().into(), Some(scalar));
        let Some(base) = place.base else {
            self.emit(out, Opcode::SlotStore, &[place.offset, value], place.imm, None);
            return;
        };
        let flag = match *flag {
            Flag::None => None,
            Flag::Value(value) => Some(value),
            Flag::Slot(flag) => {
                Some(self.emit(out, Opcode::SlotLoad, &[zero], flag.as_u32().into(), Some(Scalar::I1)))
            }
        };
        let predicate = match (flag, predicate) {
            (Some(flag), Some(predicate)) => {
                self.emit(out, Opcode::And, &[flag, predicate], 0, Some(Scalar::I1))
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => self.emit(out, Opcode::Const, &[], 1, Some(Scalar::I1)),
        };
        let memory = MemoryOp { speculatable: false, ..MemoryOp::from_imm(place.imm) };
        let args = [base, place.offset, value, predicate];
        self.emit(out, Opcode::Store, &args, memory.to_imm(), None);
    }

    /// Whether what the loads of a place give decides nothing but what is stored there.
    fn feeds_only_stores(&mut self, place: &Place) -> bool {
        let function = &*self.function;
        let uses = self.uses.get_or_insert_with(|| Users::of(function));
        let mut open: SmallVec<[Value; 8]> = SmallVec::new();
        for access in place.accesses.iter().filter(|access| !access.is_store) {
            open.push(function.insts[access.inst].expect_result());
        }
        let mut steps = 0;
        while let Some(value) = open.pop() {
            steps += 1;
            let Some(users) = uses.of_value(value).filter(|_| steps < WAY_MAX) else { return false };
            for &user in users {
                let data = &function.insts[user];
                if data.op.effect() == Effect::Pure {
                    open.push(data.expect_result());
                    continue;
                }
                let is_own = place.accesses.iter().any(|access| access.inst == user && access.is_store);
                let is_value = |(index, &arg): (usize, &Value)| {
                    arg != value || index == if data.op == Opcode::SlotStore { 1 } else { 2 }
                };
                if !is_own || !data.args.iter().enumerate().all(is_value) {
                    return false;
                }
            }
        }
        true
    }

    fn emit(
        &mut self,
        out: &mut Vec<Inst>,
        op: Opcode,
        args: &[Value],
        imm: u64,
        scalar: Option<Scalar>,
    ) -> Value {
        let inst = self.function.make_inst(op, args, imm, scalar.map(Type::varying), SourceLoc::default());
        out.push(inst);
        self.function.insts[inst].result.expand().unwrap_or(Value::RESERVED)
    }
}

/// The constant that is added to an offset, and the rest.
fn added_constant(function: &Function, offset: Value) -> Option<(Value, i64)> {
    let data = function.def_inst(offset).filter(|data| data.op == Opcode::IAdd)?;
    let constant = |index: usize| Some((data.args[1 - index], function.const_bits(data.args[index])? as i64));
    constant(1).or_else(|| constant(0))
}

/// Who uses the values of a function.
struct Users {
    insts: FxHashMap<Value, SmallVec<[Inst; 2]>>,
    /// Values from here on are newer.
    end: usize,
}

impl Users {
    fn of(function: &Function) -> Users {
        let mut insts = FxHashMap::<Value, SmallVec<[Inst; 2]>>::default();
        let mut elsewhere = Vec::new();
        for &block in &function.block_order {
            let data = &function.blocks[block];
            for &inst in &data.insts {
                for &arg in &function.insts[inst].args {
                    insts.entry(arg).or_default().push(inst);
                }
            }
            data.terminator.for_each_value(|value| elsewhere.push(value));
        }
        elsewhere.into_iter().for_each(|value| drop(insts.remove(&value)));
        Users { insts, end: function.values.len() }
    }

    /// The instructions that use a value, if nothing else does, and something.
    fn of_value(&self, value: Value) -> Option<&[Inst]> {
        let is_known = (value.as_u32() as usize) < self.end;
        self.insts.get(&value).filter(|_| is_known).map(|users| users.as_slice())
    }
}
