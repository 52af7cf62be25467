//! Accesses whose places are a constant apart get one offset and one predicate, so that they are one.
//!
//! Problem: `a[i]`, `a[i + 1]`, `a[i + 2]`, the bytes of a block of weights: each is checked against the
//! bounds by itself and has its own offset, so what lies side by side in memory is gathered or scattered
//! element by element. ([`crate::target::access_merge`] and selection join accesses of one offset and one
//! predicate.)
//!
//! ```text
//! x = load a + f(i)     if i < n          branch not every lane has i < n and i + 1 < n, slow, fast
//! y = load a + f(i + 1) if i + 1 < n      fast: x = load a + f(i); y = load a + f(i) +4
//!                                         slow: as before
//! ```
//!
//! Approach: offsets are taken apart into sums ([`LinearOffsets`]). Accesses of a block whose sums differ by
//! constants and that lie within [`SPAN`] bytes happen together: loads where the first of them is, with what
//! their predicates are computed from, stores where the last is. Nothing that is between them may touch the
//! same memory, and stores of different lanes never do. Where the predicates are the same already, offsets
//! alone change.
//!
//! Invariants: all lanes take part in all of the fast accesses. So the offset of the least one is below 2^31,
//! and the others are as far behind it as their sums say, without wrapping. Groups are made only of lanes
//! that are not side by side in memory, since these are vector moves already.

use crate::analysis::{LinearOffsets, Steps};
use crate::target::{RareBlocks, access_merge};
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, SourceLoc, Space, Terminator,
    Type, Value, ValueDef,
};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;

/// Bytes of one lane that a group loads at most.
const SPAN: i64 = 16;
/// Lanes further apart than this are left to gathers by selection.
const STEP_MAX: u32 = 1 << 12;
/// The most groups of a function, since each is code twice.
const GROUPS_MAX: usize = 256;
/// The most that may be joined at one time.
const OPEN_MAX: usize = 64;
/// The most operations that are moved in front of a group.
const HOISTED_MAX: usize = 64;

/// What accesses have in common that may become a group.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    terms: SmallVec<[(Value, u32); 4]>,
    space: Space,
    is_store: bool,
    /// Elements of less than 32 bits.
    is_narrow: bool,
}

/// An access that may become part of a group.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    /// Its place in the block.
    place: usize,
    /// Where it is, beside the terms that it shares.
    constant: i64,
    bytes: i64,
}

impl Member {
    fn end(&self) -> i64 {
        self.constant + self.bytes
    }
}

/// Accesses in the order of their constants.
type Members = SmallVec<[Member; 4]>;

/// Accesses that are to be one.
struct Group {
    members: Members,
    is_store: bool,
}

impl Group {
    /// Where it happens: loads with the first, stores with the last.
    fn place(&self) -> usize {
        let places = self.members.iter().map(|member| member.place);
        if self.is_store { places.max() } else { places.min() }.unwrap_or(0)
    }
}

/// Makes groups of the accesses of a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, rare: &RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut state = SecondaryMap::with_capacity(State::Elsewhere, function.insts.len());
    let blocks = std::mem::take(&mut function.block_order);
    let mut order = Vec::with_capacity(blocks.len());
    let mut changed = false;
    let mut finder = Finder::new(function);
    for block in blocks {
        order.push(block);
        let groups = if rare.contains(&block) { Default::default() } else { finder.groups(function, block) };
        if !groups.is_empty() {
            let count = finder.count;
            drop(finder);
            changed |= Rewriter::new(function, block, &mut order, &mut state).run(groups);
            finder = Finder { count, ..Finder::new(function) };
        }
    }
    function.block_order = order;
    changed
}

/// Finds groups.
struct Finder<'f> {
    offsets: LinearOffsets<'f>,
    steps: Steps,
    /// How many have been found.
    count: usize,
    /// By space.
    open: [Vec<Open>; Space::ALL.len()],
}

/// Accesses that may still be joined by later ones.
struct Open {
    key: Key,
    members: Vec<Member>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function) -> Finder<'f> {
        let offsets = LinearOffsets::new(function);
        Finder { offsets, steps: Steps::default(), count: 0, open: Default::default() }
    }

    /// The groups of a block, in the order of their places.
    fn groups(&mut self, function: &Function, block: Block) -> Vec<Group> {
        let mut groups = Vec::new();
        for (place, &inst) in function.blocks[block].insts.iter().enumerate() {
            let data = &function.insts[inst];
            let access = self.member(function, inst, place);
            match data.op.effect() {
                Effect::Pure | Effect::Convergent => continue,
                Effect::Barrier => {
                    let ordered = Space::ALL.into_iter().filter(|&space| data.orders(space));
                    ordered.for_each(|space| self.close(function, space, &mut groups, |_| true));
                }
                Effect::Write if data.op.is_memory() => {
                    let space = MemoryOp::from_imm(data.imm).space;
                    self.close(function, space, &mut groups, |open| {
                        access.as_ref().is_none_or(|(key, _)| open.key != *key)
                    });
                }
                Effect::Read if data.op.is_memory() => {
                    let space = MemoryOp::from_imm(data.imm).space;
                    self.close(function, space, &mut groups, |open| open.key.is_store);
                }
                Effect::Read | Effect::Write => {
                    Space::ALL
                        .into_iter()
                        .for_each(|space| self.close(function, space, &mut groups, |_| true));
                }
            }
            if let Some((key, member)) = access {
                let open = &mut self.open[key.space as usize];
                match open.iter().position(|open| open.key == key) {
                    Some(at) => open[at].members.push(member),
                    None if open.len() < OPEN_MAX => open.push(Open { key, members: vec![member] }),
                    None => {}
                }
            }
        }
        Space::ALL.into_iter().for_each(|space| self.close(function, space, &mut groups, |_| true));
        groups.sort_by_key(Group::place);
        groups
    }

    fn member(&mut self, function: &Function, inst: Inst, place: usize) -> Option<(Key, Member)> {
        let data = &function.insts[inst];
        let (value, is_store) = match data.op {
            Opcode::Load => (data.result.expand()?, false),
            Opcode::Store => (data.args[2], true),
            _ => return None,
        };
        let (base, offset, predicate) = (data.args[0], data.args[1], data.args[data.args.len() - 1]);
        let (ty, memory) = (function.ty(value), MemoryOp::from_imm(data.imm));
        let fits = ty.is_varying()
            && ty.scalar.bits() <= 32
            && !memory.volatile
            && !memory.pairs
            && memory.space != Space::Context
            && function.ty(base).is_uniform()
            && function.ty(offset) == Type::varying(Scalar::I32)
            && function.ty(predicate).is_varying();
        if !fits {
            return None;
        }
        let sum = self.offsets.of(offset);
        let is_narrow = ty.scalar.bits() < 32;
        let constant = i64::from(sum.constant as i32) + i64::from(memory.displacement);
        let key = Key { base, terms: sum.terms, space: memory.space, is_store, is_narrow };
        Some((key, Member { inst, place, constant, bytes: ty.scalar.bytes().into() }))
    }

    /// Makes groups of accesses to a space that were found so far, where later ones may not join them.
    fn close(
        &mut self,
        function: &Function,
        space: Space,
        groups: &mut Vec<Group>,
        ends: impl Fn(&Open) -> bool,
    ) {
        let all = std::mem::take(&mut self.open[space as usize]);
        let (closed, open): (Vec<Open>, Vec<Open>) = all.into_iter().partition(ends);
        self.open[space as usize] = open;
        for Open { key, mut members } in closed {
            members.sort_by_key(|member| (member.constant, member.place));
            if members.len() > 1
                && let Some(span) = self.span(function, &key, &members)
            {
                self.cut(function, &key, &members, span, groups);
            }
        }
    }

    /// Within how many bytes accesses are one; none where they are better apart, or where stores of two lanes
    /// may go to one place, so that their order counts.
    fn span(&mut self, function: &Function, key: &Key, members: &[Member]) -> Option<i64> {
        let (first, last) = (members[0], members[members.len() - 1]);
        let step = if key.is_store {
            let offset = function.insts[first.inst].args[1];
            let step = access_merge::lane_step(function, offset, access_merge::DEPTH)?;
            let are_apart = members.windows(2).all(|pair| pair[0].end() <= pair[1].constant);
            if !are_apart || last.end() - first.constant > step.abs() {
                return None;
            }
            step.unsigned_abs() as u32
        } else {
            match self.steps.of(function, &key.terms) {
                Some(step) => step.unsigned_abs(),
                None => return Some(SPAN),
            }
        };
        if key.is_narrow {
            return (i64::from(step) > first.bytes).then_some(SPAN);
        }
        let is_apart = (8..STEP_MAX).contains(&step) && step.is_multiple_of(4);
        is_apart.then_some(SPAN.min(step.into()))
    }

    fn cut(
        &mut self,
        function: &Function,
        key: &Key,
        members: &[Member],
        span: i64,
        groups: &mut Vec<Group>,
    ) {
        let mut rest = members;
        while let [first, ..] = *rest {
            let len = rest.iter().take_while(|member| member.end() <= first.constant + span).count();
            let (now, later) = rest.split_at(len.max(1));
            rest = later;
            let mut group = Members::new();
            for &member in now {
                let is_apart = group.last().is_none_or(|last| last.end() <= member.constant);
                let is_aligned = member.bytes < 4 || (member.constant - first.constant) % 4 == 0;
                if is_apart && is_aligned {
                    group.push(member);
                }
            }
            let fits = group.len() > 1
                && self.count < GROUPS_MAX
                && !is_one_access(function, &group)
                && displacements(function, &group).is_some();
            if fits {
                self.count += 1;
                groups.push(Group { members: group, is_store: key.is_store });
            }
        }
    }
}

/// Whether accesses have one offset and one predicate, and stand side by side already.
fn is_one_access(function: &Function, group: &Members) -> bool {
    let of = |member: &Member| {
        let args = &function.insts[member.inst].args;
        (args[1], args[args.len() - 1])
    };
    group.iter().all(|member| of(member) == of(&group[0]))
}

/// What is added to the first access's offset for each of a group.
fn displacements(function: &Function, members: &Members) -> Option<SmallVec<[i32; 4]>> {
    let own = i64::from(MemoryOp::from_imm(function.insts[members[0].inst].imm).displacement);
    let start = own - members[0].constant;
    members.iter().map(|member| i32::try_from(start + member.constant).ok()).collect()
}

/// What has become of an instruction of the block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Elsewhere,
    Waits,
    /// A store of a group that happens later.
    Held,
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
        for group in groups.iter().filter(|group| group.is_store) {
            group.members.iter().for_each(|member| self.state[member.inst] = State::Held);
        }
        let mut groups = groups.into_iter().peekable();
        let mut changed = false;
        for (place, inst) in std::mem::take(&mut self.insts).into_iter().enumerate() {
            while let Some(group) = groups.next_if(|group| group.place() == place) {
                changed |=
                    if group.is_store { self.stores(group.members) } else { self.loads(group.members) };
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

    /// Makes one access of loads of which the first is next. Returns whether it did.
    fn loads(&mut self, group: Members) -> bool {
        let mut members = Members::new();
        for member in group {
            if self.hoist(self.predicate(&member)) {
                members.push(member);
            }
        }
        // The least one's offset serves all.
        while let Some(first) = members.first()
            && !self.hoist(self.function.insts[first.inst].args[1])
        {
            members.remove(0);
        }
        if members.len() < 2 || is_one_access(self.function, &members) {
            return false;
        }
        self.access(members);
        true
    }

    /// Makes one access of stores of which the last is next.
    fn stores(&mut self, members: Members) -> bool {
        self.access(members);
        true
    }

    fn predicate(&self, member: &Member) -> Value {
        *self.function.insts[member.inst].args.last().expect("accesses have a predicate")
    }

    /// Makes one access here of loads or stores whose operands are here.
    fn access(&mut self, members: Members) {
        let mut predicates: SmallVec<[Value; 4]> = SmallVec::new();
        for member in &members {
            let predicate = self.predicate(member);
            if !predicates.contains(&predicate) {
                predicates.push(predicate);
            }
        }
        let offset = self.function.insts[members[0].inst].args[1];
        let Some(displacements) = displacements(self.function, &members) else {
            unreachable!("they were found when the group was made")
        };
        let mut placed: SmallVec<[(Member, i32); 4]> = members.into_iter().zip(displacements).collect();
        placed.sort_by_key(|(member, _)| member.place);
        if predicates.len() > 1 {
            return self.split(&placed, &predicates, offset);
        }
        for (member, displacement) in placed {
            let data = &mut self.function.insts[member.inst];
            data.args[1] = offset;
            data.imm = MemoryOp::from_imm(data.imm).at(displacement).to_imm();
            self.state[member.inst] = State::Done;
            self.out.push(member.inst);
        }
    }

    /// Ends the block with a choice between the group as one access and its loads as they are, and goes on
    /// behind that.
    fn split(&mut self, members: &[(Member, i32)], predicates: &[Value], offset: Value) {
        let mask = Type::varying(Scalar::I1);
        let loc = self.function.insts[members[0].0.inst].loc;
        let mut all = predicates[0];
        for &predicate in &predicates[1..] {
            all = self.op(Opcode::And, &[all, predicate], 0, mask, loc);
        }
        let missing = self.op(Opcode::Not, &[all], 0, mask, loc);
        let condition = self.op(Opcode::Any, &[missing], 0, Type::uniform(Scalar::I1), loc);
        let always = self.op(Opcode::Const, &[], 1, Type::uniform(Scalar::I1), loc);
        let always = self.op(Opcode::Splat, &[always], 0, mask, loc);
        let [slow, fast, join] = [(); 3].map(|()| self.function.make_block());
        self.function.blocks[self.block].insts = std::mem::take(&mut self.out);
        self.function.blocks[self.block].terminator = Terminator::Branch {
            condition,
            then: BlockCall::new(slow, &[]),
            otherwise: BlockCall::new(fast, &[]),
        };
        let mut results: [SmallVec<[Value; 4]>; 2] = Default::default();
        for &(member, displacement) in members {
            let data = self.function.insts[member.inst].clone();
            let memory = MemoryOp::from_imm(data.imm);
            let distance = displacement.wrapping_sub(memory.displacement);
            self.state[member.inst] = State::Done;
            // An offset of its own, since those of lanes that do not take part may wrap.
            let own = self.offset_behind(slow, offset, distance, loc);
            let ways = [
                (fast, offset, always, memory.at(displacement)),
                (slow, own, self.predicate(&member), memory),
            ];
            for ((block, offset, predicate, memory), results) in ways.into_iter().zip(&mut results) {
                let mut args = data.args.clone();
                args[1] = offset;
                *args.last_mut().expect("accesses have a predicate") = predicate;
                let ty = data.result.expand().map(|result| self.function.ty(result));
                let inst = self.function.make_inst(data.op, &args, memory.to_imm(), ty, data.loc);
                self.function.blocks[block].insts.push(inst);
                results.extend(self.function.insts[inst].result.expand());
            }
            // A load's value is what comes from either.
            if let Some(result) = data.result.expand() {
                let position = self.function.blocks[join].params.len() as u32;
                self.function.blocks[join].params.push(result);
                self.function.values[result].def = ValueDef::Param(join, position);
            }
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

    fn op(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type, loc: SourceLoc) -> Value {
        let inst = self.function.make_inst(op, args, imm, Some(ty), loc);
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
