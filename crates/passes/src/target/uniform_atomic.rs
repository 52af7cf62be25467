//! Atomics at one place for all lanes, where only memory says that it is one, are one operation.
//!
//! Problem: selection makes one operation of an atomic whose place is the same in all lanes by its form
//! (`atomicAdd(counter, 1)`). `atomicAdd(counters[kind], 1)` is one operation a lane, though lanes often have
//! one kind: flat parts of a picture in a histogram, lists that are filled one after the other.
//!
//! ```text
//! r = atomic_add a + x, 1        branch in some lane x differs from that of lane 0, slow, fast
//!                                fast: r = atomic_add a + splat(x of lane 0), 1
//!                                slow: as before
//! ```
//!
//! Invariants: the fast code runs only where all lanes, active or not, have the same offset. Lanes take
//! effect in the order that the loop over them has.

use crate::analysis::UseCounts;
use crate::target::versions::Region;
use pyro_ir::{Block, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// The most atomics of a function that are there twice.
const ATOMICS_MAX: usize = 16;

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut all = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    if !all.any(|&inst| function.insts[inst].op == Opcode::AtomicAdd) {
        return false;
    }
    let uses = UseCounts::new(function);
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut count = 0;
    for mut block in function.block_order.clone() {
        order.push(block);
        while count < ATOMICS_MAX
            && let Some(place) =
                function.blocks[block].insts.iter().position(|&inst| gains(function, inst, &uses))
        {
            count += 1;
            let [slow, fast, join] = split(function, block, place, &uses);
            order.extend([slow, fast, join]);
            block = join;
        }
    }
    function.block_order = order;
    count > 0
}

/// Whether an atomic may be one operation. One whose result nobody uses may wait in a table, unless it is in
/// workgroup memory.
fn gains(function: &Function, inst: Inst, uses: &UseCounts) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand().filter(|_| data.op == Opcode::AtomicAdd) else { return false };
    let is_varying = function.ty(data.args[1]) == Type::varying(Scalar::I32);
    let is_splat = function.def_inst(data.args[1]).is_some_and(|offset| offset.op == Opcode::Splat);
    if !is_varying || is_splat || !function.ty(result).scalar.is_int() {
        return false;
    }
    MemoryOp::from_imm(data.imm).space == Space::Shared || uses.count(result) > 0
}

fn split(function: &mut Function, block: Block, place: usize, uses: &UseCounts) -> [Block; 3] {
    let atomic = function.blocks[block].insts[place];
    let offset = function.insts[atomic].args[1];
    let hoisted = FxHashSet::default();
    let region = Region { block, start: place, end: place + 1, hoisted: &hoisted };
    let shared = Cell::new(offset);
    region.split(
        function,
        uses,
        |new| {
            let (number, mask) = (Type::varying(Scalar::I32), Type::varying(Scalar::I1));
            let zero = new.op(Opcode::Const, &[], 0, Type::uniform(Scalar::I32));
            let first = new.op(Opcode::LaneRead, &[offset, zero], 0, Type::uniform(Scalar::I32));
            let first = new.op(Opcode::Splat, &[first], 0, number);
            shared.set(first);
            let differs = new.op(Opcode::INe, &[offset, first], 0, mask);
            new.op(Opcode::Any, &[differs], 0, Type::uniform(Scalar::I1))
        },
        |_, _, args, _| {
            args[1] = shared.get();
            None
        },
    )
}
