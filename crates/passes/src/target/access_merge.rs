//! Neighbouring loads and stores of 8 and 16 bits become one of 16 or 32 bits (store merging, load
//! vectorization).
//!
//! Problem: shaders read quantized weights, half vectors and packed pixels element by element, and processors
//! gather and scatter whole words only.
//!
//! Approach: within a block, accesses of the same base, offset and predicate, whose displacements are
//! neighbours, happen at once: loads where the first of them is, stores where the last is. Between them there
//! is no access that may touch the same memory.
//!
//! Invariants: all bytes from the first to the last element of a lane belong to one object that the predicate
//! admits, so nothing is read that was not admitted. Bytes between loaded elements may be read, bytes between
//! stored ones are never written. Lanes whose elements are consecutive are left alone, since these are single
//! vector moves. Stores are merged only where no two lanes write the same byte, so that their order stays
//! without meaning, or where lanes that meet write all the same bytes.

use crate::simplify::{BITS_DEPTH, possible_bits};
use pyro_ir::{Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// How far offsets are followed.
pub(super) const DEPTH: u32 = 8;

/// Bytes of a merged access at most.
const BYTES_MAX: i64 = 4;

/// What accesses have in common that may be merged.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    offset: Value,
    predicate: Value,
    space: Space,
    is_store: bool,
}

/// An access that may be merged with others.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    /// Its place in the block.
    place: usize,
    displacement: i64,
    scalar: Scalar,
}

impl Member {
    fn end(&self) -> i64 {
        self.displacement + i64::from(self.scalar.bytes())
    }
}

/// Merges the accesses of a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut changed = false;
    for block in function.block_order.clone() {
        let merges = find(function, &function.blocks[block].insts);
        if merges.is_empty() {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut replacements: SecondaryMap<Inst, Option<Vec<Inst>>> =
            SecondaryMap::with_capacity(None, function.insts.len());
        for members in merges {
            merge(function, &members, &mut replacements);
        }
        let mut listed = Vec::with_capacity(insts.len() + 8);
        for inst in insts {
            match replacements[inst].take() {
                Some(new) => listed.extend(new),
                None => listed.push(inst),
            }
        }
        function.blocks[block].insts = listed;
    }
    changed
}

/// The accesses of a block that may still be merged with later ones.
#[derive(Default)]
struct Open {
    members: FxHashMap<Key, Vec<Member>>,
    /// By space, loads and stores apart, in the order of their first accesses.
    order: FxHashMap<(Space, bool), Vec<Key>>,
    merges: Vec<Vec<Member>>,
}

impl Open {
    fn add(&mut self, key: Key, member: Member) {
        let members = self.members.entry(key).or_default();
        if members.is_empty() {
            self.order.entry((key.space, key.is_store)).or_default().push(key);
        }
        members.push(member);
    }

    /// Ends the groups of a space's loads or stores, but for one.
    fn close(&mut self, function: &Function, space: Space, is_store: bool, but: Option<Key>) {
        let Some(keys) = self.order.get_mut(&(space, is_store)) else { return };
        for key in std::mem::take(keys) {
            if but == Some(key) {
                keys.push(key);
            } else if let Some(members) = self.members.remove(&key) {
                cut(function, key, members, &mut self.merges);
            }
        }
    }

    fn close_all(&mut self, function: &Function) {
        for space in Space::ALL {
            self.close(function, space, false, None);
            self.close(function, space, true, None);
        }
    }
}

/// The groups of accesses of a block that become one each, in the order of displacements.
fn find(function: &Function, insts: &[Inst]) -> Vec<Vec<Member>> {
    let mut open = Open::default();
    for (place, &inst) in insts.iter().enumerate() {
        let data = &function.insts[inst];
        let member = member(function, inst, place);
        let own = member.map(|(key, _)| key);
        match data.op.effect() {
            Effect::Read if data.op.is_memory() => {
                open.close(function, MemoryOp::from_imm(data.imm).space, true, None);
            }
            Effect::Write if data.op.is_memory() => {
                let space = MemoryOp::from_imm(data.imm).space;
                open.close(function, space, false, None);
                open.close(function, space, true, own);
            }
            Effect::Read | Effect::Write | Effect::Barrier => open.close_all(function),
            Effect::Pure | Effect::Convergent => {}
        }
        if let Some((key, member)) = member {
            open.add(key, member);
        }
    }
    open.close_all(function);
    open.merges
}

fn member(function: &Function, inst: Inst, place: usize) -> Option<(Key, Member)> {
    let data = &function.insts[inst];
    let (value, is_store) = match data.op {
        Opcode::Load => (data.result.expand()?, false),
        Opcode::Store => (data.args[2], true),
        _ => return None,
    };
    let (ty, memory) = (function.ty(value), MemoryOp::from_imm(data.imm));
    if ty.is_uniform() || !matches!(ty.scalar.bits(), 8 | 16) || memory.volatile || memory.pairs {
        return None;
    }
    let predicate = data.args[data.args.len() - 1];
    let key = Key { base: data.args[0], offset: data.args[1], predicate, space: memory.space, is_store };
    let displacement = i64::from(memory.displacement);
    Some((key, Member { inst, place, displacement, scalar: ty.scalar }))
}

/// Cuts accesses into groups.
fn cut(function: &Function, key: Key, mut members: Vec<Member>, merges: &mut Vec<Vec<Member>>) {
    if members.len() < 2 {
        return;
    }
    members.sort_by_key(|member| (member.displacement, member.place));
    let step = lane_step(function, key.offset, DEPTH).filter(|_| function.ty(key.base).is_uniform());
    // Lanes beside each other: one vector move for each access already.
    if step.is_some_and(|step| step.unsigned_abs() <= u64::from(members[0].scalar.bytes())) {
        return;
    }
    if key.is_store {
        // Every byte once, and none by two lanes.
        let apart = members.windows(2).all(|pair| pair[0].end() <= pair[1].displacement);
        let span = members[members.len() - 1].end() - members[0].displacement;
        // Lanes a known step apart, or at multiples of what each writes: apart, or at one place, where the
        // last lane's bytes remain as if one element came after the other.
        let are_apart = match step {
            Some(step) => step.unsigned_abs() as i64 >= span,
            None => {
                let zeros = possible_bits(function, key.offset, BITS_DEPTH).trailing_zeros().min(31);
                function.ty(key.base).is_uniform() && 1 << zeros >= span
            }
        };
        if !apart || !are_apart {
            return;
        }
    }
    let mut rest = members.as_slice();
    while let Some(first) = rest.first() {
        let mut len = rest.iter().take_while(|member| member.end() <= first.displacement + BYTES_MAX).count();
        // Three bytes are no access.
        while len > 1 && !is_mergeable(&rest[..len], key.is_store) {
            len -= 1;
        }
        let len = len.max(1);
        if len > 1 {
            merges.push(rest[..len].to_vec());
        }
        rest = &rest[len..];
    }
}

/// Whether accesses in the order of their displacements span an integer's bytes, and all of them if stored.
fn is_mergeable(members: &[Member], is_store: bool) -> bool {
    let first = members[0].displacement;
    let end = members.iter().map(Member::end).max().unwrap_or(first);
    let has_no_gaps = members.windows(2).all(|pair| pair[0].end() == pair[1].displacement);
    let are_apart = members.windows(2).all(|pair| pair[0].end() <= pair[1].displacement);
    matches!(end - first, 2 | 4) && are_apart && (has_no_gaps || !is_store)
}

/// Bytes from one lane's offset to the next one's, where it is the same for all.
pub(super) fn lane_step(function: &Function, offset: Value, depth: u32) -> Option<i64> {
    if function.ty(offset).is_uniform() || function.const_bits(offset).is_some() {
        return Some(0);
    }
    let data = function.def_inst(offset)?;
    if depth == 0 || function.ty(offset).scalar != Scalar::I32 {
        return None;
    }
    let go = |index: usize| lane_step(function, data.args[index], depth - 1);
    let constant = |index: usize| function.const_bits(data.args[index]);
    match data.op {
        Opcode::LaneId => Some(1),
        Opcode::Splat => Some(0),
        Opcode::IAdd => go(0)?.checked_add(go(1)?),
        Opcode::ISub => go(0)?.checked_sub(go(1)?),
        Opcode::Shl => go(0)?.checked_mul(1 << (constant(1)? & 31)),
        Opcode::IMul => go(0)?.checked_mul(i64::from(constant(1)? as u32 as i32)),
        _ => None,
    }
    .filter(|step| step.unsigned_abs() < 1 << 16)
}

/// Makes one access of several.
fn merge(
    function: &mut Function,
    members: &[Member],
    replacements: &mut SecondaryMap<Inst, Option<Vec<Inst>>>,
) {
    let first = members[0];
    let end = members.iter().map(Member::end).max().unwrap_or(first.displacement);
    let wide = if end - first.displacement == 2 { Scalar::I16 } else { Scalar::I32 };
    let is_store = function.insts[first.inst].op == Opcode::Store;
    let in_order = members.iter().copied();
    let here = match is_store {
        true => in_order.max_by_key(|member| member.place),
        false => in_order.min_by_key(|member| member.place),
    };
    let here = here.expect("a group has members").inst;
    let ops = members.iter().map(|member| MemoryOp::from_imm(function.insts[member.inst].imm));
    let speculatable = ops.clone().all(|op| op.speculatable);
    let streaming = ops.clone().all(|op| op.streaming);
    let memory = MemoryOp {
        displacement: first.displacement as i32,
        speculatable,
        streaming,
        ..MemoryOp::from_imm(function.insts[first.inst].imm)
    };
    let mut new = New { function, insts: Vec::new(), at: here, wide };
    if is_store {
        new.store(members, memory);
    } else {
        new.load(members, memory);
    }
    let insts = new.insts;
    for member in members {
        replacements[member.inst] = Some(Vec::new());
    }
    replacements[here] = Some(insts);
}

/// The instructions that stand for a group.
struct New<'f> {
    function: &'f mut Function,
    insts: Vec<Inst>,
    /// The access that they take the place of.
    at: Inst,
    /// Of the merged access.
    wide: Scalar,
}

impl New<'_> {
    fn op(&mut self, op: Opcode, args: &[Value], imm: u64, scalar: Scalar) -> Value {
        let loc = self.function.insts[self.at].loc;
        let inst = self.function.make_inst(op, args, imm, Some(Type::varying(scalar)), loc);
        self.insts.push(inst);
        self.function.insts[inst].expect_result()
    }

    /// A constant of the merged access's type.
    fn splat(&mut self, bits: u64) -> Value {
        let loc = self.function.insts[self.at].loc;
        let inst = self.function.make_inst(Opcode::Const, &[], bits, Some(Type::uniform(self.wide)), loc);
        self.insts.push(inst);
        let constant = self.function.insts[inst].expect_result();
        self.op(Opcode::Splat, &[constant], 0, self.wide)
    }

    fn load(&mut self, members: &[Member], memory: MemoryOp) {
        let args = self.function.insts[self.at].args.clone();
        let word = self.op(Opcode::Load, &args, memory.to_imm(), self.wide);
        for member in members {
            let bits = 8 * (member.displacement - i64::from(memory.displacement)) as u64;
            let mut part = word;
            if bits > 0 {
                let count = self.splat(bits);
                part = self.op(Opcode::LShr, &[word, count], 0, self.wide);
            }
            let scalar = member.scalar;
            let integer = if scalar.bits() == 8 { Scalar::I8 } else { Scalar::I16 };
            // The instruction stays and gives its value in another way.
            let (op, arg) = match integer == scalar {
                true => (Opcode::Truncate, part),
                false => (Opcode::Bitcast, self.op(Opcode::Truncate, &[part], 0, integer)),
            };
            let data = &mut self.function.insts[member.inst];
            (data.op, data.imm) = (op, 0);
            data.args = [arg].into_iter().collect();
            self.insts.push(member.inst);
        }
    }

    fn store(&mut self, members: &[Member], memory: MemoryOp) {
        let mut word = None;
        for member in members {
            let bits = 8 * (member.displacement - i64::from(memory.displacement)) as u64;
            let mut part = self.function.insts[member.inst].args[2];
            let integer = if member.scalar.bits() == 8 { Scalar::I8 } else { Scalar::I16 };
            if integer != member.scalar {
                part = self.op(Opcode::Bitcast, &[part], 0, integer);
            }
            part = self.op(Opcode::ZeroExtend, &[part], 0, self.wide);
            if bits > 0 {
                let count = self.splat(bits);
                part = self.op(Opcode::Shl, &[part, count], 0, self.wide);
            }
            word = Some(match word {
                None => part,
                Some(word) => self.op(Opcode::Or, &[word, part], 0, self.wide),
            });
        }
        let word = word.expect("a group has members");
        let data = &mut self.function.insts[self.at];
        data.imm = memory.to_imm();
        data.args[2] = word;
        self.insts.push(self.at);
    }
}
