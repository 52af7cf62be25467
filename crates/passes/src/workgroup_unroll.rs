//! A workgroup of few subgroups with barriers becomes one piece of straight code. Mask form.
//!
//! Problem: the loops of [`crate::barrier_loop`] look up where a subgroup waits, keep what lives across a
//! barrier in its frame, and ask each subgroup which of its lanes a step is for, though that follows from the
//! subgroup's number. A step of a scan is a load, an addition and a store, so this is most of its time.
//!
//! Approach: suspend points that every invocation comes to once cut the shader into pieces. Each piece is
//! there once for each subgroup, with the subgroup's number as a constant, one behind the other; the loop
//! around them runs over workgroups alone.
//!
//! ```text
//! entry ─▶ group(x, y, z, left) ─▶ piece 0 of subgroup 0 ─▶ piece 0 of subgroup 1 ─▶ piece 1 of subgroup 0 ┐
//!            ▲                                                                                             │
//!            └── latch ◀─────────────────────────────────────────────── piece 1 of subgroup 1 ◀────────────┘
//! ```
//!
//! What lives across barriers are values like others, which the register allocator keeps or moves to the
//! stack; masks are constants; and what is the same for the workgroup is computed once.
//!
//! Code grows with the number of subgroups, so there is a limit ([`INSTRUCTIONS_MAX`]), and there have to be
//! some barriers ([`BARRIERS_MIN`]). Shaders with barriers in loops, behind conditions or behind returns keep
//! the loops.

use crate::analysis::{Cfg, LoopForest};
use crate::loop_body;
use crate::workgroup_loop::{self, State, WorkgroupShape};
use pyro_abi::{Exit, SubgroupContext, context::offset};
use pyro_ir::{
    Block, BlockCall, BlockData, Builder, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Terminator,
    Type, Value,
};
use pyro_util::SecondaryMap;

/// The most instructions that all subgroups have together.
const INSTRUCTIONS_MAX: usize = 1536;
/// The most subgroups.
const SUBGROUPS_MAX: u32 = 16;
/// The fewest suspend points: with two or three, as of a tree whose last steps are the first subgroup's, the
/// loops take no longer.
const BARRIERS_MIN: usize = 4;

/// How many loops are made.
pub const LOOPS: usize = 1;

/// Whether a function with suspend points can be taken apart, whatever its size.
pub fn is_candidate(function: &Function, shape: WorkgroupShape) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let insts = || function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    let is_other = |&inst: &Inst| matches!(function.insts[inst].op, Opcode::Report | Opcode::Track);
    let is_suspend = |&&inst: &&Inst| function.insts[inst].op == Opcode::Suspend;
    shape.subgroup_count <= SUBGROUPS_MAX
        && insts().filter(is_suspend).count() >= BARRIERS_MIN
        && !insts().any(is_other)
        && is_straight(function)
}

/// Whether a candidate that other passes have cleaned up would not become too large.
pub fn fits(function: &Function, shape: WorkgroupShape) -> bool {
    let cfg = Cfg::new(function);
    let is_reachable = |&block: &Block| cfg.is_reachable(block);
    let insts: usize = function.block_order.iter().map(|&block| function.blocks[block].insts.len()).sum();
    insts * shape.subgroup_count as usize <= INSTRUCTIONS_MAX && function.block_order.iter().all(is_reachable)
}

/// Whether every invocation comes to each suspend point once.
fn is_straight(function: &Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let (mut reach, mut returns) = (0, false);
    function.block_order.iter().enumerate().all(|(position, &block)| {
        let is_passed = !returns && reach <= position as u32 && forest.innermost(position as u32).is_none();
        let is_suspend = |&inst: &Inst| function.insts[inst].op == Opcode::Suspend;
        let terminator = &function.blocks[block].terminator;
        let furthest = terminator.targets().map(|target| cfg.position(target.block)).max();
        reach = reach.max(furthest.unwrap_or(0));
        returns |= furthest.is_none();
        is_passed || !function.blocks[block].insts.iter().any(is_suspend)
    })
}

/// Takes a candidate apart that [`fits`]. `last_first`: the order of the subgroups in a piece.
pub fn run(function: &mut Function, shape: WorkgroupShape, last_first: bool) {
    debug_assert_eq!(function.form, Form::Mask);
    let pieces = split(function);
    function.block_order.clear();
    let [entry, group, latch, exit] = [(); 4].map(|()| function.make_block());
    let [x, y, z, left] = [(); 4].map(|()| function.add_param(group, Type::uniform(Scalar::I32)));

    let mut builder = Builder::new(function);
    builder.start(entry);
    let (zero, always, records) = (builder.i32(0), builder.bool(true), builder.arg(1));
    let mut subgroups: Vec<Subgroup> = (0..shape.subgroup_count)
        .map(|number| {
            let place = size_of::<SubgroupContext>() as u32 * number + offset::SCRATCH;
            let memory = MemoryOp::new(Space::Context).at(place as i32).speculatable();
            let all = u64::MAX >> (64 - builder.function.lanes);
            let is_last = number + 1 == shape.subgroup_count;
            Subgroup {
                number: builder.i32(number),
                lanes: builder.i64(if is_last { shape.last_lanes } else { all }),
                scratch: builder.load(Scalar::I64, memory, records, zero, always),
                copies: SecondaryMap::with_capacity(None, builder.function.values.len()),
                blocks: Vec::new(),
            }
        })
        .collect();
    let first = workgroup_loop::first(&mut builder, records);
    builder.jump(group, &first);
    function.block_order.push(group);
    if last_first {
        subgroups.reverse();
    }

    // The block that goes on with the next copy of a piece.
    let mut from = group;
    for (index, piece) in pieces.iter().enumerate() {
        let is_last = index + 1 == pieces.len();
        for subgroup in &mut subgroups {
            let [start, end] = subgroup.copy(function, piece, is_last);
            function.blocks[from].terminator = Terminator::Jump(BlockCall::new(start, &[]));
            from = end;
        }
    }
    function.blocks[from].terminator = Terminator::Jump(BlockCall::new(latch, &[]));
    for subgroup in &subgroups {
        let state = State { workgroup: [x, y, z], subgroup: subgroup.number, left };
        loop_body::replace_loads(function, &subgroup.blocks, |place| match place {
            offset::SCRATCH => [Some(subgroup.scratch), None],
            _ => [workgroup_loop::field(place, state, subgroup.lanes), None],
        });
    }

    let mut builder = Builder::new(function);
    builder.start(latch);
    let state = State { workgroup: [x, y, z], subgroup: zero, left };
    let (state, again) =
        workgroup_loop::advance(&mut builder, state, WorkgroupShape { subgroup_count: 1, ..shape });
    let [x, y, z, _, left] = state.values();
    builder.branch(again, BlockCall::new(group, &[x, y, z, left]), BlockCall::new(exit, &[]));
    builder.start(exit);
    builder.terminate(Terminator::Return(Exit::Done as u32));
}

/// Splits blocks behind their suspend points. Returns the pieces between, whose last blocks have no
/// terminator but for those of the last piece.
fn split(function: &mut Function) -> Vec<Vec<Block>> {
    let mut pieces = vec![Vec::new()];
    for block in std::mem::take(&mut function.block_order) {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut at = block;
        for inst in insts {
            if function.insts[inst].op != Opcode::Suspend {
                function.blocks[at].insts.push(inst);
                continue;
            }
            let terminator = std::mem::take(&mut function.blocks[at].terminator);
            pieces.last_mut().expect("there is a piece").push(at);
            pieces.push(Vec::new());
            at = function.blocks.push(BlockData { terminator, ..BlockData::default() });
        }
        pieces.last_mut().expect("there is a piece").push(at);
    }
    pieces
}

/// One subgroup of the workgroup.
struct Subgroup {
    number: Value,
    /// Bits of the lanes that hold an invocation.
    lanes: Value,
    scratch: Value,
    /// What stands for the shader's values.
    copies: SecondaryMap<Value, Option<Value>>,
    /// Its blocks.
    blocks: Vec<Block>,
}

impl Subgroup {
    /// Lays out a copy of a piece. Returns its first block, and the one that goes on behind it.
    fn copy(&mut self, function: &mut Function, piece: &[Block], is_last: bool) -> [Block; 2] {
        let mut copies = SecondaryMap::<Block, Option<Block>>::with_capacity(None, function.blocks.len());
        for &block in piece {
            let copy = function.make_block();
            copies[block] = Some(copy);
            for index in 0..function.blocks[block].params.len() {
                let param = function.blocks[block].params[index];
                let ty = function.ty(param);
                self.copies[param] = Some(function.add_param(copy, ty));
            }
            self.blocks.push(copy);
            function.block_order.push(copy);
        }
        let end = match is_last {
            true => {
                let end = function.make_block();
                function.block_order.push(end);
                Some(end)
            }
            false => None,
        };
        let mut last = Block::RESERVED;
        for &block in piece {
            let copy = copies[block].expect("was made above");
            for index in 0..function.blocks[block].insts.len() {
                let inst = function.blocks[block].insts[index];
                let data = function.insts[inst].clone();
                let args: smallvec::SmallVec<[Value; 4]> =
                    data.args.iter().map(|&arg| self.copies[arg].unwrap_or(arg)).collect();
                let ty = data.result.expand().map(|result| function.ty(result));
                let made = function.make_inst(data.op, &args, data.imm, ty, data.loc);
                if let Some(result) = data.result.expand() {
                    self.copies[result] = function.insts[made].result.expand();
                }
                function.blocks[copy].insts.push(made);
            }
            let mut terminator = function.blocks[block].terminator.clone();
            for target in terminator.targets_mut() {
                target.block = copies[target.block].expect("a piece is left at its end");
            }
            terminator.for_each_value_mut(|value| *value = self.copies[*value].unwrap_or(*value));
            if terminator == Terminator::Return(Exit::Done as u32)
                && let Some(end) = end
            {
                terminator = Terminator::Jump(BlockCall::new(end, &[]));
            }
            function.blocks[copy].terminator = terminator;
            last = copy;
        }
        [copies[piece[0]].expect("was made above"), end.unwrap_or(last)]
    }
}
