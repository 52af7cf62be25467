//! Loads whose places are a constant apart get one offset and one predicate, so that they are one access.
//!
//! Problem: `a[i]`, `a[i + 1]`, `a[i + 2]`, the bytes of a block of weights: each is checked against the
//! bounds by itself and has an offset of its own, so what lies side by side in memory is gathered element by
//! element. ([`crate::target::access_merge`] and selection join accesses of one offset and one predicate.)
//!
//! ```text
//! x = load a + f(i)     if i < n          all = i < n and i + 1 < n
//! y = load a + f(i + 1) if i + 1 < n      branch some lane loads one but not the other, slow, fast
//!                                         fast: x = load a + f(i) if all; y = load a + f(i) if all +4
//!                                         slow: as before
//! ```
//!
//! Approach: offsets are taken apart into sums ([`LinearOffsets`]). Loads of a block, with nothing between
//! them that may write the same memory, whose sums differ by constants and that lie within [`SPAN`] bytes
//! happen where the first of them is, with what their predicates are computed from. Where the predicates are
//! the same already, offsets alone change.
//!
//! Invariants: a lane takes part in a fast load if it takes part in all loads of the group. So the offset of
//! the least one is below 2^31, and the others are as far behind it as their sums say, without wrapping.
//! Groups are made only of lanes that are not side by side in memory, since these are vector moves already.

use crate::analysis::{LinearOffsets, Steps};
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, SourceLoc, Space, Terminator,
    Type, Value, ValueDef,
};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Bytes of one lane that a group loads at most.
const SPAN: i64 = 16;
/// Lanes further apart than this are left to gathers by selection.
const STEP_MAX: u32 = 1 << 12;
/// The most groups of a function, since each is code twice.
const GROUPS_MAX: usize = 256;
/// The most operations that are moved in front of a group.
const HOISTED_MAX: usize = 64;

/// What loads have in common that may become a group.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    terms: SmallVec<[(Value, u32); 4]>,
    space: Space,
    /// Elements of less than 32 bits.
    is_narrow: bool,
}

/// A load that may become part of a group.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    /// Its place in the block.
    place: usize,
    /// Where it is, beside the terms that it shares.
    constant: i64,
    bytes: i64,
}

/// Loads in the order of their constants.
type Group = SmallVec<[Member; 4]>;

/// Makes groups of the loads of a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut finder = Finder::default();
    let mut state = SecondaryMap::with_capacity(State::Elsewhere, function.insts.len());
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut changed = false;
    for block in std::mem::take(&mut function.block_order) {
        order.push(block);
        let groups = finder.groups(function, block);
        if !groups.is_empty() {
            changed |= Rewriter::new(function, block, &mut order, &mut state).run(groups);
        }
    }
    function.block_order = order;
    changed
}

/// Finds groups.
#[derive(Default)]
struct Finder {
    offsets: LinearOffsets,
    steps: Steps,
    /// How many have been found.
    count: usize,
    /// By space.
    open: [Open; Space::ALL.len()],
}

/// Loads that may still be joined by later ones.
#[derive(Default)]
struct Open {
    /// In the order of the first of each.
    members: Vec<(Key, Vec<Member>)>,
    /// Where a key's are.
    places: FxHashMap<Key, usize>,
}

impl Finder {
    /// The groups of a block, in the order of their first loads.
    fn groups(&mut self, function: &Function, block: Block) -> Vec<Group> {
        let mut groups = Vec::new();
        for (place, &inst) in function.blocks[block].insts.iter().enumerate() {
            let data = &function.insts[inst];
            if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
                let ordered = Space::ALL.into_iter().filter(|&space| data.orders(space));
                ordered.for_each(|space| self.close(function, space, &mut groups));
            }
            if let Some((key, member)) = self.member(function, inst, place) {
                let open = &mut self.open[key.space as usize];
                let next = open.members.len();
                let slot = *open.places.entry(key.clone()).or_insert(next);
                if slot == next {
                    open.members.push((key, Vec::new()));
                }
                open.members[slot].1.push(member);
            }
        }
        Space::ALL.into_iter().for_each(|space| self.close(function, space, &mut groups));
        groups.sort_by_key(|group: &Group| group.iter().map(|member| member.place).min());
        groups
    }

    fn member(&mut self, function: &Function, inst: Inst, place: usize) -> Option<(Key, Member)> {
        let data = &function.insts[inst];
        if data.op != Opcode::Load {
            return None;
        }
        let (base, offset) = (data.args[0], data.args[1]);
        let (ty, memory) = (function.ty(data.result.expand()?), MemoryOp::from_imm(data.imm));
        let fits = ty.is_varying()
            && ty.scalar.bits() <= 32
            && !memory.volatile
            && !memory.pairs
            && memory.space != Space::Context
            && function.ty(base).is_uniform()
            && function.ty(offset) == Type::varying(Scalar::I32)
            && function.ty(data.args[2]).is_varying();
        if !fits {
            return None;
        }
        let sum = self.offsets.of(function, offset);
        let is_narrow = ty.scalar.bits() < 32;
        let constant = i64::from(sum.constant as i32) + i64::from(memory.displacement);
        let key = Key { base, terms: sum.terms, space: memory.space, is_narrow };
        Some((key, Member { inst, place, constant, bytes: ty.scalar.bytes().into() }))
    }

    /// Makes groups of the loads of a space that were found so far.
    fn close(&mut self, function: &Function, space: Space, groups: &mut Vec<Group>) {
        for (key, members) in std::mem::take(&mut self.open[space as usize]).members {
            if members.len() > 1
                && let Some(span) = self.span(function, &key, members[0].bytes)
            {
                self.cut(function, members, span, groups);
            }
        }
    }

    /// Within how many bytes loads are one access; none where they are better apart.
    fn span(&mut self, function: &Function, key: &Key, bytes: i64) -> Option<i64> {
        let Some(step) = self.steps.of(function, &key.terms) else { return Some(SPAN) };
        let step = step.unsigned_abs();
        if key.is_narrow {
            return (i64::from(step) > bytes).then_some(SPAN);
        }
        let is_apart = (8..STEP_MAX).contains(&step) && step.is_multiple_of(4);
        is_apart.then_some(SPAN.min(step.into()))
    }

    fn cut(&mut self, function: &Function, mut members: Vec<Member>, span: i64, groups: &mut Vec<Group>) {
        members.sort_by_key(|member| (member.constant, member.place));
        let mut rest = members.as_slice();
        while let [first, ..] = *rest {
            let len = rest.iter().take_while(|member| member.constant + member.bytes <= first.constant + span);
            let (now, later) = rest.split_at(len.count().max(1));
            rest = later;
            let mut group = Group::new();
            for &member in now {
                let is_apart = group.last().is_none_or(|last| last.constant + last.bytes <= member.constant);
                let is_aligned = member.bytes < 4 || (member.constant - first.constant) % 4 == 0;
                if is_apart && is_aligned {
                    group.push(member);
                }
            }
            if group.len() > 1 && !is_one_access(function, &group) && self.count < GROUPS_MAX {
                self.count += 1;
                groups.push(group);
            }
        }
    }
}

/// Whether loads have one offset and one predicate already.
fn is_one_access(function: &Function, group: &Group) -> bool {
    let args = |member: &Member| &function.insts[member.inst].args;
    group.iter().all(|member| args(member)[1..] == args(&group[0])[1..])
}

/// What has become of an instruction of the block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Elsewhere,
    Waits,
    Done,
}

/// Lays out a block anew.
struct Rewriter<'f> {
    function: &'f mut Function,
    order: &'f mut Vec<Block>,
    block: Block,
    insts: Vec<Inst>,
    /// Of all instructions that were looked at.
    state: &'f mut SecondaryMap<Inst, State>,
    /// The instructions of `block` so far.
    out: Vec<Inst>,
}

impl<'f> Rewriter<'f> {
    fn new(
        function: &'f mut Function,
        block: Block,
        order: &'f mut Vec<Block>,
        state: &'f mut SecondaryMap<Inst, State>,
    ) -> Rewriter<'f> {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        insts.iter().for_each(|&inst| state[inst] = State::Waits);
        let out = Vec::with_capacity(insts.len());
        Rewriter { function, order, block, insts, state, out }
    }

    /// Returns whether anything changed.
    fn run(mut self, groups: Vec<Group>) -> bool {
        let terminator = std::mem::take(&mut self.function.blocks[self.block].terminator);
        let mut groups = groups.into_iter().peekable();
        let mut changed = false;
        for (place, inst) in std::mem::take(&mut self.insts).into_iter().enumerate() {
            while let Some(group) =
                groups.next_if(|group| group.iter().any(|member| member.place == place))
            {
                changed |= self.group(group);
            }
            if self.state[inst] == State::Waits {
                self.state[inst] = State::Done;
                self.out.push(inst);
            }
        }
        self.function.blocks[self.block].insts = self.out;
        self.function.blocks[self.block].terminator = terminator;
        changed
    }

    /// Makes one access of a group whose first load is next. Returns whether it did.
    fn group(&mut self, group: Group) -> bool {
        let mut members = Group::new();
        for member in group {
            // A load that was moved already is part of another group.
            let is_here = self.state[member.inst] == State::Waits;
            let predicate = self.function.insts[member.inst].args[2];
            if is_here && self.hoist(predicate) {
                members.push(member);
            }
        }
        // The least one's offset serves all.
        while let Some(&first) = members.first()
            && !self.hoist(self.function.insts[first.inst].args[1])
        {
            members.remove(0);
        }
        if members.len() < 2 {
            return false;
        }
        let predicates: SmallVec<[Value; 4]> = members.iter().fold(SmallVec::new(), |mut all, member| {
            let predicate = self.function.insts[member.inst].args[2];
            if !all.contains(&predicate) {
                all.push(predicate);
            }
            all
        });
        let offset = self.function.insts[members[0].inst].args[1];
        let Some(displacements) = self.displacements(&members) else { return false };
        if predicates.len() == 1 {
            for (member, displacement) in members.iter().zip(displacements) {
                let data = &mut self.function.insts[member.inst];
                data.args[1] = offset;
                data.imm = MemoryOp::from_imm(data.imm).at(displacement).to_imm();
            }
            return true;
        }
        self.split(&members, &predicates, offset, &displacements);
        true
    }

    /// What is added to the least load's offset for each of a group.
    fn displacements(&self, members: &Group) -> Option<SmallVec<[i32; 4]>> {
        let own = |member: &Member| i64::from(MemoryOp::from_imm(self.function.insts[member.inst].imm).displacement);
        let start = own(&members[0]) - members[0].constant;
        members.iter().map(|member| i32::try_from(start + member.constant).ok()).collect()
    }

    /// Ends the block with a choice between the group as one access and its loads as they are, and goes on
    /// behind that.
    fn split(&mut self, members: &Group, predicates: &[Value], offset: Value, displacements: &[i32]) {
        let mask = Type::varying(Scalar::I1);
        let loc = self.function.insts[members[0].inst].loc;
        let (mut all, mut any) = (predicates[0], predicates[0]);
        for &predicate in &predicates[1..] {
            all = self.op(Opcode::And, &[all, predicate], mask, loc);
            any = self.op(Opcode::Or, &[any, predicate], mask, loc);
        }
        let partly = self.op(Opcode::AndNot, &[any, all], mask, loc);
        let condition = self.op(Opcode::Any, &[partly], Type::uniform(Scalar::I1), loc);
        let [slow, fast, join] = [(); 3].map(|()| self.function.make_block());
        self.function.blocks[self.block].insts = std::mem::take(&mut self.out);
        self.function.blocks[self.block].terminator = Terminator::Branch {
            condition,
            then: BlockCall::new(slow, &[]),
            otherwise: BlockCall::new(fast, &[]),
        };

        let mut results: [SmallVec<[Value; 4]>; 2] = Default::default();
        for (member, &displacement) in members.iter().zip(displacements) {
            let data = self.function.insts[member.inst].clone();
            let result = data.expect_result();
            let (ty, memory) = (self.function.ty(result), MemoryOp::from_imm(data.imm));
            let at = memory.at(displacement).to_imm();
            let base = data.args[0];
            let load = self.function.make_inst(Opcode::Load, &[base, offset, all], at, Some(ty), data.loc);
            self.function.blocks[fast].insts.push(load);
            results[0].push(self.function.insts[load].expect_result());
            // An offset of its own, since those of lanes that do not take part may wrap.
            let own = self.offset_behind(slow, offset, displacement.wrapping_sub(memory.displacement), loc);
            let args = [base, own, data.args[2]];
            let load = self.function.make_inst(Opcode::Load, &args, data.imm, Some(ty), data.loc);
            self.function.blocks[slow].insts.push(load);
            results[1].push(self.function.insts[load].expect_result());
            // The load's value is what comes from either.
            let position = self.function.blocks[join].params.len() as u32;
            self.function.blocks[join].params.push(result);
            self.function.values[result].def = ValueDef::Param(join, position);
            self.state[member.inst] = State::Done;
        }
        for (block, results) in [(fast, &results[0]), (slow, &results[1])] {
            self.function.blocks[block].terminator = Terminator::Jump(BlockCall::new(join, results));
        }
        self.order.extend([slow, fast, join]);
        self.block = join;
    }

    /// `offset + distance`, computed at the end of a block.
    fn offset_behind(&mut self, block: Block, offset: Value, distance: i32, loc: SourceLoc) -> Value {
        if distance == 0 {
            return offset;
        }
        let mut value = Value::RESERVED;
        let constant = (Opcode::Const, u64::from(distance as u32), Type::uniform(Scalar::I32));
        let varying = Type::varying(Scalar::I32);
        for (op, imm, ty) in [constant, (Opcode::Splat, 0, varying), (Opcode::IAdd, 0, varying)] {
            let args: &[Value] = match op {
                Opcode::Const => &[],
                Opcode::Splat => &[value],
                _ => &[offset, value],
            };
            let inst = self.function.make_inst(op, args, imm, Some(ty), loc);
            self.function.blocks[block].insts.push(inst);
            value = self.function.insts[inst].expect_result();
        }
        value
    }

    fn op(&mut self, op: Opcode, args: &[Value], ty: Type, loc: SourceLoc) -> Value {
        let inst = self.function.make_inst(op, args, 0, Some(ty), loc);
        self.out.push(inst);
        self.function.insts[inst].expect_result()
    }

    /// Computes a value here, if it is not there already. Returns whether that is possible.
    fn hoist(&mut self, value: Value) -> bool {
        let waits = |this: &Self, value: Value| match this.function.values[value].def {
            ValueDef::Inst(inst) if this.state[inst] == State::Waits => Some(inst),
            _ => None,
        };
        let Some(root) = waits(self, value) else { return true };
        // What is needed, and of what is needed the operands; operands first.
        let mut needed: SmallVec<[Inst; 16]> = SmallVec::new();
        let mut stack: SmallVec<[(Inst, usize); 16]> = SmallVec::from_slice(&[(root, 0)]);
        while let Some((inst, operand)) = stack.pop() {
            let data = &self.function.insts[inst];
            if data.op.effect() != Effect::Pure || needed.len() + stack.len() > HOISTED_MAX {
                return false;
            }
            match data.args.get(operand) {
                Some(&arg) => {
                    stack.push((inst, operand + 1));
                    if let Some(inner) = waits(self, arg).filter(|inner| !needed.contains(inner)) {
                        stack.push((inner, 0));
                    }
                }
                None => needed.push(inst),
            }
        }
        for inst in needed {
            if self.state[inst] == State::Waits {
                self.state[inst] = State::Done;
                self.out.push(inst);
            }
        }
        true
    }
}
