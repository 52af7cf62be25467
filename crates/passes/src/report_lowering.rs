//! Reports become branches and calls. Mask form.
//!
//! # Problem
//! A `report` looks at conditions that nearly always hold. While passes work on the shader it is a single
//! instruction without a result, so that loops with checks are unrolled, hoisted from and versioned as
//! without them. Executors know no such instruction.
//!
//! # Approach
//! The reports of a block share one branch at its end, or in front of what orders memory: `any(here and not
//! holds)`. Behind it, each report that has lanes writes the rows into its call record and calls. What only
//! reports use is computed there, not where the shader left it.
//!
//! # Invariant
//! What a report computes again is pure, or a load of memory that nothing writes: it is the same there.

use crate::dce::{self, has_effect};
use pyro_abi::report::record;
use pyro_ir::{
    Block, BlockCall, Builder, Effect, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Space,
    Terminator, Value, ValueDef,
};
use pyro_util::SecondaryMap;
use std::collections::HashMap;

/// The operands of a `report`.
pub(crate) mod report {
    use pyro_ir::Value;

    /// Which operand is the address of the call record.
    pub(crate) const RECORD: usize = 1;

    /// Operands in front of the rows, and behind them.
    const BEFORE: usize = 3;
    const BEHIND: usize = 3;

    /// The rows.
    pub(crate) fn rows(args: &[Value]) -> &[Value] {
        &args[BEFORE..args.len() - BEHIND]
    }

    /// What should hold.
    pub(crate) fn holds(args: &[Value]) -> Value {
        args[args.len() - 2]
    }

    /// The lanes that are here.
    pub(crate) fn here(args: &[Value]) -> Value {
        args[args.len() - 1]
    }

    /// Where nothing is reported all the same.
    pub(crate) fn unless(args: &[Value]) -> Value {
        args[args.len() - 3]
    }
}

/// How far computations are followed that only reports use.
const DEPTH: u32 = 48;

/// Whether the function has reports.
pub(crate) fn has_reports(function: &Function) -> bool {
    let mut insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    insts.any(|&inst| function.insts[inst].op == Opcode::Report)
}

/// Runs the pass. Returns whether there were reports.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !has_reports(function) {
        return false;
    }
    let used = used_besides(function);
    let old = std::mem::take(&mut function.block_order);
    let mut order = Vec::with_capacity(old.len());
    for block in old {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let terminator = std::mem::take(&mut function.blocks[block].terminator);
        order.push(block);
        let mut current = block;
        let mut pending = Vec::new();
        for inst in insts {
            let data = &function.insts[inst];
            if data.op == Opcode::Report {
                pending.push(inst);
                continue;
            }
            if data.op.effect() == Effect::Barrier && !pending.is_empty() {
                current = lower(function, &used, current, &mut pending, &mut order);
            }
            function.blocks[current].insts.push(inst);
        }
        if !pending.is_empty() {
            current = lower(function, &used, current, &mut pending, &mut order);
        }
        function.blocks[current].terminator = terminator;
    }
    function.block_order = order;
    dce::run(function);
    true
}

/// Which values something uses besides the rows of reports.
fn used_besides(function: &Function) -> SecondaryMap<Value, bool> {
    let mut used = SecondaryMap::with_capacity(false, function.values.len());
    let mut work = Vec::new();
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for data in data.insts.iter().map(|&inst| &function.insts[inst]) {
            match data.op {
                Opcode::Report => work.extend([report::holds(&data.args), report::here(&data.args)]),
                _ if has_effect(data) => work.extend_from_slice(&data.args),
                _ => {}
            }
        }
        data.terminator.for_each_value(|value| work.push(value));
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut used[value], true) {
            continue;
        }
        if let Some(data) = function.def_inst(value) {
            work.extend_from_slice(&data.args);
        }
    }
    used
}

/// Ends a block with the branch to what reports; gives the block where the shader goes on.
fn lower(
    function: &mut Function,
    used: &SecondaryMap<Value, bool>,
    block: Block,
    reports: &mut Vec<Inst>,
    order: &mut Vec<Block>,
) -> Block {
    let reports = std::mem::take(reports);
    let (body, next) = (function.make_block(), function.make_block());
    let b = &mut Builder::new(function);
    b.switch_to(block);
    let any = any_fails(b, &reports);
    b.branch(any, BlockCall::new(body, &[]), BlockCall::new(next, &[]));
    let mut at = body;
    order.push(body);
    for (index, &inst) in reports.iter().enumerate() {
        let data = function.insts[inst].clone();
        let after = if index + 1 == reports.len() { next } else { function.make_block() };
        let call = function.make_block();
        let holds = report::holds(&data.args);
        let unless = again(function, used, at, &mut HashMap::new(), report::unless(&data.args), DEPTH);
        let b = &mut Builder::new(function);
        b.switch_to(at);
        b.loc = data.loc;
        let [holds, unless] = [holds, unless].map(|value| b.splat(value));
        let lanes = b.op(Opcode::AndNot, &[report::here(&data.args), holds]);
        let lanes = b.op(Opcode::AndNot, &[lanes, unless]);
        let some = b.op(Opcode::Any, &[lanes]);
        b.branch(some, BlockCall::new(call, &[]), BlockCall::new(after, &[]));
        order.push(call);
        make_call(function, used, (call, after), lanes, &data, order);
        order.push(after);
        at = after;
    }
    next
}

/// Whether something does not hold in some lane that is here, at the end of the builder's block.
fn any_fails(b: &mut Builder<'_>, reports: &[Inst]) -> Value {
    // One conjunction for all with the same lanes.
    let mut groups: Vec<(Value, Value)> = Vec::new();
    let mut uniform: Option<Value> = None;
    for &inst in reports {
        let args = b.function.insts[inst].args.clone();
        let (holds, here) = (report::holds(&args), report::here(&args));
        if b.function.ty(holds).is_uniform() {
            uniform = Some(uniform.map_or(holds, |all| b.op(Opcode::And, &[all, holds])));
            continue;
        }
        match groups.iter().position(|group| group.0 == here) {
            Some(index) => groups[index].1 = b.op(Opcode::And, &[groups[index].1, holds]),
            None => groups.push((here, holds)),
        }
    }
    let mut fails: Option<Value> = None;
    for (here, holds) in groups {
        let own = match b.function.const_bits(here) {
            Some(1) => b.op(Opcode::Not, &[holds]),
            _ => b.op(Opcode::AndNot, &[here, holds]),
        };
        fails = Some(fails.map_or(own, |fails| b.op(Opcode::Or, &[fails, own])));
    }
    let lanes = fails.map(|fails| b.op(Opcode::Any, &[fails]));
    let uniform = uniform.map(|holds| b.op(Opcode::Not, &[holds]));
    match (lanes, uniform) {
        (Some(lanes), Some(uniform)) => b.op(Opcode::Or, &[lanes, uniform]),
        (Some(any), None) | (None, Some(any)) => any,
        (None, None) => b.bool(false),
    }
}

/// Fills the block with the record and the call, if there is a reporter.
fn make_call(
    function: &mut Function,
    used: &SecondaryMap<Value, bool>,
    (block, after): (Block, Block),
    lanes: Value,
    data: &InstData,
    order: &mut Vec<Block>,
) {
    let mut known = HashMap::new();
    let mut recompute =
        |function: &mut Function, value: Value| again(function, used, block, &mut known, value, DEPTH);
    let [reporter, record_at, table] = [0, report::RECORD, 2].map(|at| recompute(function, data.args[at]));
    let lane_count = function.lanes;
    let call = function.make_block();
    let b = &mut Builder::new(function);
    b.switch_to(block);
    b.loc = data.loc;
    let lane = b.op(Opcode::LaneId, &[]);
    let two = b.i32(2);
    let two = b.splat(two);
    let own = b.op(Opcode::Shl, &[lane, two]);
    let (zero, always) = (b.i32(0), b.bool(true));
    let all = b.splat(always);
    for (column, &value) in (0..).zip(report::rows(&data.args)) {
        let memory = MemoryOp::new(Space::Scratch).at(record::column_offset(column, lane_count) as i32);
        // One behind the other, so that few of them live at once.
        let value = recompute(b.function, value);
        let value = b.splat(value);
        b.store(memory, record_at, own, value, all);
    }
    let bits = b.op(Opcode::Ballot, &[lanes]);
    let site = b.i64(data.imm | u64::from(lane_count) << 32);
    for (field, value) in [(record::TABLE, table), (record::SITE, site), (record::ACTIVE_LANES, bits)] {
        b.store(MemoryOp::new(Space::Scratch).at(field as i32), record_at, zero, value, always);
    }
    let nobody = b.i64(0);
    let is_heard = b.op(Opcode::INe, &[reporter, nobody]);
    b.branch(is_heard, BlockCall::new(call, &[]), BlockCall::new(after, &[]));
    b.switch_to(call);
    b.emit(Opcode::Call, &[reporter, record_at], InstData::CALL_FLAGS, Scalar::I1);
    b.terminate(Terminator::Jump(BlockCall::new(after, &[])));
    order.push(call);
}

/// A value that only reports use, computed once more at the end of a block; others as they are.
fn again(
    function: &mut Function,
    used: &SecondaryMap<Value, bool>,
    block: Block,
    known: &mut HashMap<Value, Value>,
    value: Value,
    depth: u32,
) -> Value {
    if let Some(&known) = known.get(&value) {
        return known;
    }
    let ValueDef::Inst(inst) = function.values[value].def else { return value };
    let data = &function.insts[inst];
    let may_move = match data.op {
        Opcode::Load => {
            let memory = MemoryOp::from_imm(data.imm);
            memory.speculatable && !memory.volatile && memory.space.is_read_only()
        }
        op => op.effect() == Effect::Pure,
    };
    if used[value] || !may_move || depth == 0 {
        return value;
    }
    let data = data.clone();
    let args: Vec<Value> =
        data.args.iter().map(|&arg| again(function, used, block, known, arg, depth - 1)).collect();
    let ty = function.ty(value);
    let copy = function.make_inst(data.op, &args, data.imm, Some(ty), data.loc);
    function.blocks[block].insts.push(copy);
    let copy = function.insts[copy].expect_result();
    known.insert(value, copy);
    copy
}
