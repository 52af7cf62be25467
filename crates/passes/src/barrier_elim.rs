//! Barriers between pieces of which only the first subgroup accesses memory are left out. Lane form.
//!
//! Problem: the last steps of a reduction or scan have fewer invocations than a subgroup has lanes, and a
//! barrier after each. What lies between two barriers is a round over all subgroups, of which all but one
//! find that they have nothing to do.
//!
//! ```text
//! suspend                              suspend
//! if (id < 32) a[id] += a[id + 32]     if (id < 32) a[id] += a[id + 32]
//! suspend
//! if (id < 16) a[id] += a[id + 16]     if (id < 16) a[id] += a[id + 16]
//! ```
//!
//! Approach: a condition that depends on nothing but the invocation's number is computed for every
//! invocation of the workgroup. So of each block is known whether the first subgroup alone comes there. A
//! suspend point goes if all accesses that may happen since the suspend point before it, and all that may
//! until the next one, are in such blocks: the subgroup does them in the order of the program. Fences stay.
//!
//! Invariants: between two suspend points that remain, the accesses of two subgroups never go over a suspend
//! point that was left out, since all accesses around those are the first subgroup's. That does not change
//! as suspend points are left out, so all are decided at once.

use crate::analysis::{Cfg, Invocations};
use pyro_ir::{Effect, Form, Function, MemoryOp, Opcode, Space};
use smallvec::SmallVec;

/// The most invocations of a workgroup.
const INVOCATIONS_MAX: usize = 2048;

/// Runs the pass on a shader whose workgroups are so many subgroups. Returns whether anything changed.
pub fn run(function: &mut Function, subgroup_count: u32) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let is_small = function.lanes as usize * subgroup_count as usize <= INVOCATIONS_MAX;
    if subgroup_count < 2 || !is_small || !crate::coroutine_split::suspends(function) {
        return false;
    }
    let cfg = Cfg::new(function);
    let single = Invocations::new(function, subgroup_count, None).single_blocks(&cfg);
    if !single.contains(&true) {
        return false;
    }
    let written = written(function);
    let Some(pieces) = pieces(function, &single, written) else { return false };
    let forward = spread(&cfg, function, &pieces, true);
    let backward = spread(&cfg, function, &pieces, false);
    let mut changed = false;
    for (index, pieces) in pieces.iter().enumerate() {
        // Between two suspend points of one block is a piece of its own.
        let last = pieces.len() - 1;
        let before = |point: usize| pieces[point] || point == 0 && forward[index];
        let after = |point: usize| pieces[point + 1] || point + 1 == last && backward[index];
        let mut point = 0;
        let mut insts = std::mem::take(&mut function.blocks[function.block_order[index]].insts);
        insts.retain(|&inst| {
            if function.insts[inst].op != Opcode::Suspend {
                return true;
            }
            let stays = before(point) || after(point);
            point += 1;
            changed |= !stays;
            stays
        });
        function.blocks[function.block_order[index]].insts = insts;
    }
    changed
}

/// Whether the function writes a space.
pub(crate) fn written(function: &Function) -> [bool; Space::ALL.len()] {
    let mut written = [false; Space::ALL.len()];
    for inst in function.block_order.iter().flat_map(|&block| &function.blocks[block].insts) {
        let data = &function.insts[*inst];
        if data.op.effect() == Effect::Write && data.op.is_memory() {
            written[MemoryOp::from_imm(data.imm).space as usize] = true;
        }
    }
    written
}

/// Of each block, the pieces that its suspend points cut it into: whether one accesses memory that others
/// see, and not in the first subgroup alone. None where something does that no access says.
fn pieces(
    function: &Function,
    single: &[bool],
    written: [bool; Space::ALL.len()],
) -> Option<Vec<SmallVec<[bool; 2]>>> {
    let mut all = Vec::with_capacity(function.block_order.len());
    for (&block, &is_single) in function.block_order.iter().zip(single) {
        let mut pieces: SmallVec<[bool; 2]> = SmallVec::from_slice(&[false]);
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let shared = match data.op {
                Opcode::Suspend => {
                    pieces.push(false);
                    continue;
                }
                Opcode::Call | Opcode::SlotCall | Opcode::Report | Opcode::Track => return None,
                op if op.is_memory() => {
                    let memory = MemoryOp::from_imm(data.imm);
                    let is_own = matches!(memory.space, Space::Scratch | Space::Frame);
                    memory.volatile || written[memory.space as usize] && !is_own
                }
                _ => false,
            };
            if let Some(last) = pieces.last_mut() {
                *last |= shared && !is_single;
            }
        }
        all.push(pieces);
    }
    Some(all)
}

/// Whether such an access may have happened since the last suspend point where each block begins, or may
/// happen until the next one behind its end.
fn spread(cfg: &Cfg, function: &Function, pieces: &[SmallVec<[bool; 2]>], forward: bool) -> Vec<bool> {
    let mut at = vec![false; pieces.len()];
    // What leaves a block: with a suspend point its last piece, else also what came.
    let leaves = |at: &[bool], index: usize| {
        let of = &pieces[index];
        let own = if forward { of[of.len() - 1] } else { of[0] };
        own || of.len() == 1 && at[index]
    };
    let mut open: Vec<usize> = (0..pieces.len()).filter(|&index| leaves(&at, index)).collect();
    while let Some(index) = open.pop() {
        let block = function.block_order[index];
        let mut reach = |next: usize, open: &mut Vec<usize>| {
            if !at[next] {
                at[next] = true;
                if pieces[next].len() == 1 {
                    open.push(next);
                }
            }
        };
        if forward {
            let targets = function.blocks[block].terminator.targets();
            targets.for_each(|target| reach(cfg.position(target.block) as usize, &mut open));
        } else {
            let preds = cfg.preds(block).iter();
            preds.for_each(|edge| reach(cfg.position(edge.from) as usize, &mut open));
        }
    }
    at
}
