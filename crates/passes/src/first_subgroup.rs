//! What runs in the first subgroup alone is made for its number, which is zero there. Mask form.
//!
//! Problem: `if (id < 8) a[id] += a[id + 8]` asks every subgroup for its lanes, and moves all registers of
//! the subgroup under masks that are computed. What the next such step loads was stored under a mask, so it
//! has to wait until it is in the cache.
//!
//! ```text
//! m = ult (lane + splat(s << 6)), 8               branch s == 0, then, merge
//! branch any m, then, merge                       then: load a + lane << 2 + 32 if lane < 8
//! then: load a + (lane + splat(s << 6 + 8)) << 2
//! ```
//!
//! Approach: [`run`] asks for the subgroup's number instead of for lanes, where the number alone decides, and
//! computes again with zero what blocks need that only subgroup zero comes to; other passes fold that.
//! [`narrow`] then loads no more lanes than the store that the load is for writes, where these are known by
//! number: machine code moves the first one to sixteen lanes without a mask.
//!
//! Invariants: the rewritten condition holds in the same subgroups. Lanes that a narrowed load leaves out are
//! read by operations on single lanes only, whose results no store writes.

use crate::analysis::{Cfg, Dominators, Invocations, UseCounts};
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Terminator, Type, Value};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// How deep an operation is made again.
const DEPTH: u32 = 10;

/// Runs the first part on a shader in the loops of [`crate::barrier_loop`], of which `subgroup` is the number
/// that is counted. Returns whether anything changed.
pub fn run(function: &mut Function, subgroup: Value, subgroup_count: u32) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let limits = limits(function, subgroup, subgroup_count);
    let changed = !limits.is_empty();
    for (block, inst, limit) in limits {
        let loc = function.insts[inst].loc;
        let number = Some(Type::uniform(Scalar::I32));
        let is_first = limit == 1;
        let bits = if is_first { 0 } else { limit.into() };
        let constant = function.make_inst(Opcode::Const, &[], bits, number, loc);
        let bound = function.insts[constant].expect_result();
        let data = &mut function.insts[inst];
        data.op = if is_first { Opcode::IEq } else { Opcode::ULt };
        data.args = smallvec::smallvec![subgroup, bound];
        let insts = &mut function.blocks[block].insts;
        let at = insts.iter().position(|&other| other == inst).unwrap_or(0);
        insts.insert(at, constant);
    }
    let blocks = first_blocks(function, subgroup);
    let mut maker = Maker { subgroup, depends: FxHashMap::default() };
    blocks.iter().fold(changed, |changed, &block| maker.remake_block(function, block) | changed)
}

/// The conditions that hold in the first subgroups, and in how many: those that ask for any lane of a mask
/// that invocations' numbers decide.
fn limits(function: &Function, subgroup: Value, subgroup_count: u32) -> Vec<(Block, Inst, u32)> {
    let lanes = function.lanes as usize;
    let mut invocations = Invocations::new(function, subgroup_count, Some(subgroup));
    let mut found = Vec::new();
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if data.op != Opcode::Any {
                continue;
            }
            let Some(numbers) = invocations.of(data.args[0]) else { continue };
            let holds: Vec<bool> = numbers.chunks(lanes).map(|lanes| lanes.contains(&1)).collect();
            let limit = holds.iter().take_while(|&&holds| holds).count();
            let is_first = (1..holds.len()).contains(&limit) && !holds[limit..].contains(&true);
            if is_first {
                found.push((block, inst, limit as u32));
            }
        }
    }
    found
}

/// The blocks that only the first subgroup comes to.
fn first_blocks(function: &Function, subgroup: Value) -> Vec<Block> {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut is_first = vec![false; function.block_order.len()];
    let asks = |condition: Value| {
        function.def_inst(condition).is_some_and(|data| {
            data.op == Opcode::IEq && data.args[0] == subgroup && function.const_bits(data.args[1]) == Some(0)
        })
    };
    for &position in dominators.preorder() {
        let block = function.block_order[position as usize];
        let above = dominators.idom_position(position).is_some_and(|idom| is_first[idom as usize]);
        let way = match cfg.preds(block) {
            [edge] => match function.blocks[edge.from].terminator {
                Terminator::Branch { condition, .. } => edge.ordinal == 0 && asks(condition),
                _ => false,
            },
            _ => false,
        };
        is_first[position as usize] = above || way;
    }
    let all = function.block_order.iter().zip(&is_first);
    all.filter(|(_, is_first)| **is_first).map(|(&block, _)| block).collect()
}

/// Computes again what depends on the subgroup's number.
struct Maker {
    subgroup: Value,
    depends: FxHashMap<Value, bool>,
}

impl Maker {
    /// Returns whether anything changed.
    fn remake_block(&mut self, function: &mut Function, block: Block) -> bool {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut made = FxHashMap::default();
        let mut changed = false;
        for inst in insts {
            for index in 0..function.insts[inst].args.len() {
                let arg = function.insts[inst].args[index];
                if self.depends(function, arg, DEPTH) {
                    let new = self.remake(function, arg, &mut made, &mut out);
                    function.insts[inst].args[index] = new;
                    changed = true;
                }
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
        changed
    }

    /// Whether a value is made from the subgroup's number, by few operations.
    fn depends(&mut self, function: &Function, value: Value, depth: u32) -> bool {
        if value == self.subgroup {
            return true;
        }
        if let Some(&known) = self.depends.get(&value) {
            return known;
        }
        let Some(data) = function.def_inst(value) else { return false };
        let is_made = depth > 0 && data.op.effect() == Effect::Pure && data.args.len() <= 3;
        let found = is_made && data.args.iter().any(|&arg| self.depends(function, arg, depth - 1));
        self.depends.insert(value, found);
        found
    }

    /// The value for the number zero, computed in front of what is next.
    fn remake(
        &mut self,
        function: &mut Function,
        value: Value,
        made: &mut FxHashMap<Value, Value>,
        out: &mut Vec<Inst>,
    ) -> Value {
        if let Some(&known) = made.get(&value) {
            return known;
        }
        let (op, args, imm, loc) = match function.def_inst(value) {
            Some(data) if value != self.subgroup => (data.op, data.args.clone(), data.imm, data.loc),
            _ => (Opcode::Const, Default::default(), 0, Default::default()),
        };
        let mut args = args;
        for arg in &mut args {
            if self.depends.get(arg) == Some(&true) || *arg == self.subgroup {
                *arg = self.remake(function, *arg, made, out);
            }
        }
        let ty = function.ty(value);
        let inst = function.make_inst(op, &args, imm, Some(ty), loc);
        out.push(inst);
        let result = function.insts[inst].expect_result();
        made.insert(value, result);
        result
    }
}

/// Loads only the lanes that are stored, where these are the first ones of the subgroup. Returns whether
/// anything changed.
pub fn narrow(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut uses = None;
    let mut home = SecondaryMap::<Value, Block>::with_default(Block::RESERVED);
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = &function.blocks[block].insts;
        let is_narrow = |&inst: &Inst| {
            let data = &function.insts[inst];
            data.op == Opcode::Store && first_lanes(function, data.args[3]).is_some()
        };
        if !insts.iter().any(is_narrow) {
            continue;
        }
        let uses = uses.get_or_insert_with(|| UseCounts::new(function));
        let results = insts.iter().filter_map(|&inst| function.insts[inst].result.expand());
        results.for_each(|result| home[result] = block);
        for (inst, mask) in narrowed(function, insts, uses) {
            if is_before(function, &home, block, mask, inst) {
                function.insts[inst].args[2] = mask;
                changed = true;
            }
        }
    }
    changed
}

/// The loads of a block of which fewer lanes are wanted than are loaded, and the masks of those.
fn narrowed(function: &Function, insts: &[Inst], uses: &UseCounts) -> Vec<(Inst, Value)> {
    // Of the values of the block: how many of the first lanes are wanted, by which mask, and by how many
    // operands.
    let mut wanted: FxHashMap<Value, (u32, Value, u32)> = FxHashMap::default();
    let mut found = Vec::new();
    for &inst in insts.iter().rev() {
        let data = &function.insts[inst];
        let own = data.result.expand().and_then(|result| {
            let &(count, mask, users) = wanted.get(&result)?;
            (users == uses.count(result)).then_some((count, mask))
        });
        let wants = match (data.op, own) {
            (Opcode::Store, _) => {
                let mask = data.args[3];
                let Some(count) = first_lanes(function, mask) else { continue };
                want(&mut wanted, data.args[2], count, mask);
                continue;
            }
            (Opcode::Load, Some((count, mask))) if function.ty(data.args[2]).is_varying() => {
                let predicate = data.args[2];
                let is_more = function.const_bits(predicate) == Some(1)
                    || first_lanes(function, predicate).is_some_and(|loaded| loaded > count);
                if is_more && predicate != mask && !MemoryOp::from_imm(data.imm).volatile {
                    found.push((inst, mask));
                }
                continue;
            }
            (op, own) => {
                own.filter(|_| op.effect() == Effect::Pure && function.ty(data.expect_result()).is_varying())
            }
        };
        let Some((count, mask)) = wants else { continue };
        for &arg in &data.args {
            if function.ty(arg).is_varying() {
                want(&mut wanted, arg, count, mask);
            }
        }
    }
    found
}

/// Notes that an operand wants so many of the first lanes of a value.
fn want(wanted: &mut FxHashMap<Value, (u32, Value, u32)>, value: Value, count: u32, mask: Value) {
    let known = wanted.entry(value).or_insert((count, mask, 0));
    if count > known.0 {
        (known.0, known.1) = (count, mask);
    }
    known.2 += 1;
}

/// Makes a mask known where an instruction of a block is; whether it can be.
fn is_before(
    function: &mut Function,
    home: &SecondaryMap<Value, Block>,
    block: Block,
    mask: Value,
    inst: Inst,
) -> bool {
    if home[mask] != block {
        return true;
    }
    let insts = &function.blocks[block].insts;
    let place = |wanted: &dyn Fn(Inst) -> bool| insts.iter().position(|&other| wanted(other));
    let made = place(&|other| function.insts[other].result.expand() == Some(mask));
    let (Some(made), Some(at)) = (made, place(&|other| other == inst)) else { return false };
    if made < at {
        return true;
    }
    // What the mask is compared from is known everywhere, mostly.
    let moves = function.insts[insts[made]].args.iter().all(|&arg| home[arg] != block);
    if moves {
        let insts = &mut function.blocks[block].insts;
        let mask = insts.remove(made);
        insts.insert(0, mask);
    }
    moves
}

/// How many of the first lanes of the subgroup a mask is of, if it is one of these.
fn first_lanes(function: &Function, mask: Value) -> Option<u32> {
    let data = function.def_inst(mask).filter(|data| data.op == Opcode::ULt)?;
    let is_lane = function.def_inst(data.args[0]).is_some_and(|lane| lane.op == Opcode::LaneId);
    function.const_bits(data.args[1]).filter(|_| is_lane).map(|count| count as u32)
}
