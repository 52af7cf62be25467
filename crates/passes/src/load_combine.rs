//! Loads of what was just stored or loaded take the value; stores that are overwritten before anybody can see
//! them go away.
//!
//! Each block is walked with a list of places whose contents are known: a place is a base (an address, or a
//! slot), an offset and a displacement. It runs on lane form, where one invocation executes one operation
//! after the other, so that what it wrote is what it reads:
//!
//! * a store or an atomic operation makes everything unknown that it may touch: places of its space, except
//!   those with the same base and offset and other displacements. Spaces never alias, nor do slots. Other
//!   invocations can write the same memory only in a race, or ordered by a barrier (or an atomic operation
//!   with a fence), which makes everything unknown;
//! * a block begins with what its only predecessor ends with; where control flow joins, nothing is known;
//! * volatile accesses neither give nor take values, and a volatile write forgets like any other.
//!
//! A load whose predicate may be false gives zero then, so a value stored without a predicate is selected by
//! the load's; under the same predicate, a loaded value is right as it is.
//!
//! A store goes away when a later one of the same block covers it under the same predicate, and nothing
//! between them may read it. The list is bounded ([`PLACES_MAX`]), and so is the time.

use crate::analysis::Cfg;
use crate::branch_fold::{replace_all, resolve};
use pyro_ir::{
    Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Signature, Slot, SourceLoc, Space, Type, Value,
};
use pyro_util::{PackedOption, SecondaryMap};
use std::collections::HashSet;
use std::rc::Rc;

/// Places that are known at one time; the oldest is forgotten first.
const PLACES_MAX: usize = 48;

/// What an access is relative to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// A space and an address in it.
    Address(Space, Value),
    /// A private variable.
    Slot(Slot),
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    base: Base,
    /// None for a constant offset, which is part of the displacement.
    offset: Option<Value>,
    displacement: i64,
    bytes: u32,
    /// [`MemoryOp::apart`].
    apart: bool,
}

impl Place {
    /// Whether two accesses may touch the same byte.
    fn may_overlap(&self, other: &Place) -> bool {
        match (self.base, other.base) {
            (Base::Slot(a), Base::Slot(b)) if a != b => return false,
            (Base::Slot(_), Base::Address(..)) | (Base::Address(..), Base::Slot(_)) => return false,
            (Base::Address(a, _), Base::Address(b, _)) if a != b => return false,
            (Base::Address(_, a), Base::Address(_, b)) if a != b && self.apart && other.apart => {
                return false;
            }
            _ => {}
        }
        if self.base != other.base || self.offset != other.offset {
            return true;
        }
        self.displacement < other.displacement + i64::from(other.bytes)
            && other.displacement < self.displacement + i64::from(self.bytes)
    }
}

/// A place's contents.
#[derive(Clone)]
struct Known {
    place: Place,
    value: Value,
    /// Where it holds: the access's predicate; none when it always does.
    predicate: Option<Value>,
    /// The value comes from a load, and is zero where the predicate is false.
    is_zero_elsewhere: bool,
    /// The store that put it there, as long as nothing may have read it.
    unread: Option<Inst>,
}

struct Combiner<'f> {
    function: &'f mut Function,
    alias: SecondaryMap<Value, PackedOption<Value>>,
    known: Vec<Known>,
    out: Vec<Inst>,
    dead: HashSet<Inst>,
    changed: bool,
}

/// Runs the pass on lane form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let cfg = Cfg::new(function);
    let order = function.block_order.clone();
    // What is known at the end of blocks that are the only predecessor of another.
    let mut ends: SecondaryMap<Block, Option<Rc<Vec<Known>>>> =
        SecondaryMap::with_capacity(None, function.blocks.len());
    let mut combiner = Combiner {
        function,
        alias: SecondaryMap::new(),
        known: Vec::new(),
        out: Vec::new(),
        dead: HashSet::new(),
        changed: false,
    };
    for (position, &block) in order.iter().enumerate() {
        combiner.known = match cfg.preds(block) {
            [edge] if (cfg.position(edge.from) as usize) < position => {
                ends[edge.from].as_ref().map_or_else(Vec::new, |known| known.to_vec())
            }
            _ => Vec::new(),
        };
        combiner.visit_block(block);
        let leads_on = combiner.function.blocks[block].terminator.targets().any(|target| {
            cfg.preds(target.block).len() == 1 && cfg.position(target.block) as usize > position
        });
        if leads_on {
            let mut known = std::mem::take(&mut combiner.known);
            known.iter_mut().for_each(|known| known.unread = None);
            ends[block] = Some(Rc::new(known));
        }
    }
    let Combiner { mut alias, changed, .. } = combiner;
    if changed {
        replace_all(function, &mut alias);
    }
    changed
}

impl Combiner<'_> {
    fn visit_block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        self.out = Vec::with_capacity(insts.len());
        self.dead.clear();
        for inst in insts {
            self.visit_inst(inst);
        }
        let mut out = std::mem::take(&mut self.out);
        if !self.dead.is_empty() {
            out.retain(|inst| !self.dead.contains(inst));
        }
        self.function.blocks[block].insts = out;
    }

    fn visit_inst(&mut self, inst: Inst) {
        let data = &mut self.function.insts[inst];
        if data.op.effect() == Effect::Barrier {
            let orders = Space::ALL.map(|space| data.orders(space));
            // A call reads and writes its own slot.
            let own = (data.op == Opcode::SlotCall).then(|| Slot::from_u32(data.imm as u32));
            self.known.retain_mut(|known| {
                known.unread = None;
                match known.place.base {
                    Base::Address(space, _) => !orders[space as usize],
                    Base::Slot(slot) => own.is_some_and(|own| own != slot),
                }
            });
            self.out.push(inst);
            return;
        }
        for arg in data.args.iter_mut() {
            *arg = resolve(&mut self.alias, *arg);
        }
        let data = &self.function.insts[inst];
        let keep = match data.op.signature() {
            Signature::Load | Signature::SlotLoad => self.visit_load(inst),
            Signature::Store | Signature::SlotStore => {
                self.visit_store(inst);
                true
            }
            Signature::Atomic | Signature::AtomicCompare => {
                let value = data.args[data.args.len() - 2];
                if let Some(place) = self.place(inst, self.function.ty(value)) {
                    self.known.retain(|known| !known.place.may_overlap(&place));
                }
                true
            }
            _ => true,
        };
        if keep {
            self.out.push(inst);
        }
    }

    /// Where an access of a type goes; none when nothing writes there.
    fn place(&self, inst: Inst, ty: Type) -> Option<Place> {
        let data = &self.function.insts[inst];
        let (base, offset, displacement, apart) = match data.op.signature() {
            Signature::SlotLoad | Signature::SlotStore => {
                (Base::Slot(Slot::from_u32(data.imm as u32)), data.args[0], 0, true)
            }
            _ => {
                let memory = MemoryOp::from_imm(data.imm);
                if memory.space.is_read_only() {
                    return None;
                }
                (Base::Address(memory.space, data.args[0]), data.args[1], memory.displacement, memory.apart)
            }
        };
        let (offset, constant) = match self.function.const_bits(offset) {
            Some(bits) => (None, bits as i64),
            None => (Some(offset), 0),
        };
        // Offsets are below 2^32 but for addresses that make no sense.
        let displacement = i64::from(displacement).checked_add(constant)?;
        (displacement.unsigned_abs() < 1 << 40).then_some(Place {
            base,
            offset,
            displacement,
            bytes: ty.scalar.bytes(),
            apart,
        })
    }

    /// The predicate of an access, unless it is always true; and whether it is volatile.
    fn terms(&self, inst: Inst) -> (Option<Value>, bool) {
        let data = &self.function.insts[inst];
        if !data.op.has_predicate() {
            return (None, false);
        }
        let predicate = *data.args.last().expect("it has a predicate");
        let always = self.function.const_bits(predicate) == Some(1);
        ((!always).then_some(predicate), MemoryOp::from_imm(data.imm).volatile)
    }

    /// Whether the load stays.
    fn visit_load(&mut self, inst: Inst) -> bool {
        let result = self.function.insts[inst].expect_result();
        let ty = self.function.ty(result);
        let Some(place) = self.place(inst, ty) else { return true };
        let (predicate, volatile) = self.terms(inst);
        if volatile {
            self.mark_read(&place);
            return true;
        }
        let found = self.known.iter().rev().find(|known| known.place == place);
        if let Some(found) = found.cloned()
            && let Some(value) = self.value_for(&found, predicate, ty, inst)
        {
            self.alias[result] = value.into();
            self.changed = true;
            return false;
        }
        self.mark_read(&place);
        // It says nothing of places that are known under other predicates, and contradicts none.
        self.remember(Known { place, value: result, predicate, is_zero_elsewhere: true, unread: None });
        true
    }

    /// A known value as the result of a load, where that is possible.
    fn value_for(&mut self, known: &Known, predicate: Option<Value>, ty: Type, load: Inst) -> Option<Value> {
        let loc = self.function.insts[load].loc;
        let from = self.function.ty(known.value).scalar;
        if from.bits() != ty.scalar.bits() || known.predicate.is_some() && known.predicate != predicate {
            return None;
        }
        let value = if from == ty.scalar {
            known.value
        } else {
            self.append(Opcode::Bitcast, &[known.value], 0, ty, loc)
        };
        let is_right_elsewhere = known.is_zero_elsewhere && known.predicate == predicate;
        Some(match predicate {
            Some(predicate) if !is_right_elsewhere => {
                let zero = self.append(Opcode::Const, &[], 0, ty, loc);
                self.append(Opcode::Select, &[predicate, value, zero], 0, ty, loc)
            }
            _ => value,
        })
    }

    fn visit_store(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let value = data.args[if data.op == Opcode::SlotStore { 1 } else { 2 }];
        let ty = self.function.ty(value);
        let Some(place) = self.place(inst, ty) else {
            self.known.clear();
            return;
        };
        let (predicate, volatile) = self.terms(inst);
        if !volatile {
            for known in &self.known {
                if known.place == place
                    && (known.predicate == predicate || predicate.is_none())
                    && let Some(store) = known.unread
                {
                    self.dead.insert(store);
                    self.changed = true;
                }
            }
        }
        self.known.retain(|known| !known.place.may_overlap(&place));
        if !volatile {
            let unread = Some(inst);
            self.remember(Known { place, value, predicate, is_zero_elsewhere: false, unread });
        }
    }

    /// Stores that an access may read have to stay.
    fn mark_read(&mut self, place: &Place) {
        for known in &mut self.known {
            if known.unread.is_some() && known.place.may_overlap(place) {
                known.unread = None;
            }
        }
    }

    fn remember(&mut self, known: Known) {
        if self.known.len() >= PLACES_MAX {
            self.known.remove(0);
        }
        self.known.push(known);
    }

    fn append(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type, loc: SourceLoc) -> Value {
        let inst = self.function.make_inst(op, args, imm, Some(ty), loc);
        self.out.push(inst);
        self.function.insts[inst].expect_result()
    }
}
