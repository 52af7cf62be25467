//! One call for many workgroups: the shader becomes the body of a loop over subgroups and workgroups.
//!
//! A shader without suspend points runs its subgroups one after the other, so the loop over them may as well
//! be part of the code. Then everything that is the same for all of them (descriptors, bounds, constants in
//! vector registers) is invariant in that loop, and other passes move it out.
//!
//! ```text
//! entry ─▶ header(x, y, z, subgroup, left) ─▶ body … ─▶ latch ─┬─▶ return 0
//!               ▲                                             │
//!               └─────────────────────────────────────────────┘
//! ```
//!
//! The workgroups are those from [`SubgroupContext::workgroup_id`](pyro_abi::SubgroupContext::workgroup_id)
//! on, as many as [`SubgroupContext::workgroup_count`](pyro_abi::SubgroupContext::workgroup_count) says, x
//! first.

use crate::loop_body;
use pyro_abi::{Exit, context::offset};
use pyro_ir::{
    Block, BlockCall, Builder, Effect, Form, Function, MemoryOp, Opcode, Scalar, Signature, Space,
    Terminator, Type, Value,
};
use pyro_util::SecondaryMap;

/// What the loop runs for each workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkgroupShape {
    /// Subgroups of a workgroup.
    pub subgroup_count: u32,
    /// Lanes of the last subgroup that hold an invocation; of the others all do.
    pub last_lanes: u64,
}

/// The parts of the loop's state.
#[derive(Clone, Copy)]
pub(crate) struct State {
    pub(crate) workgroup: [Value; 3],
    pub(crate) subgroup: Value,
    pub(crate) left: Value,
}

impl State {
    pub(crate) fn values(self) -> [Value; 5] {
        let [x, y, z] = self.workgroup;
        [x, y, z, self.subgroup, self.left]
    }
}

/// Makes the loop, in a function in mask form without suspend points. `last_first`: the order of the
/// subgroups of a workgroup.
pub fn run(function: &mut Function, shape: WorkgroupShape, last_first: bool) {
    debug_assert_eq!(function.form, Form::Mask);
    let body = std::mem::take(&mut function.block_order);
    let (entry, header) = (function.make_block(), function.make_block());
    let (latch, exit) = (function.make_block(), function.make_block());
    let params = [(); 5].map(|()| function.add_param(header, Type::uniform(Scalar::I32)));
    let [x, y, z, subgroup, left] = params;
    let state = State { workgroup: [x, y, z], subgroup, left };

    let mut builder = Builder::new(function);
    builder.start(entry);
    let (zero, record) = (builder.i32(0), builder.arg(1));
    let [x, y, z, count] = first(&mut builder, record);
    builder.jump(header, &[x, y, z, zero, count]);

    mark_streams(function, &body);

    let mut builder = Builder::new(function);
    builder.start(header);
    let mut here = state;
    if last_first {
        let last = builder.i32(shape.subgroup_count - 1);
        here.subgroup = builder.op(Opcode::ISub, &[last, subgroup]);
    }
    let lanes = active_lanes(&mut builder, here.subgroup, shape);
    builder.jump(body[0], &[]);
    loop_body::replace_loads(function, &body, |place| [field(place, here, lanes), None]);
    loop_body::end_in(function, &body, latch);
    function.block_order.extend_from_slice(&body);

    let mut builder = Builder::new(function);
    builder.start(latch);
    let (next, again) = advance(&mut builder, state, shape);
    let next = BlockCall::new(header, &next.values());
    builder.branch(again, next, BlockCall::new(exit, &[]));
    builder.start(exit);
    builder.terminate(Terminator::Return(Exit::Done as u32));
}

/// What the record says of the workgroups of a call: the first, and how many.
pub(crate) fn first(builder: &mut Builder<'_>, record: Value) -> [Value; 4] {
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let first = offset::WORKGROUP_ID;
    [first, first + 4, first + 8, offset::WORKGROUP_COUNT].map(|place| {
        let memory = MemoryOp::new(Space::Context).at(place as i32).speculatable();
        builder.load(Scalar::I32, memory, record, zero, always)
    })
}

/// Marks the stores that write each place once: those of a body that repeats nothing. What other threads look
/// at while the dispatch runs has to become visible in order, so nothing is marked where there are atomics or
/// fences.
fn mark_streams(function: &mut Function, body: &[Block]) {
    let mut seen = SecondaryMap::<Block, bool>::with_capacity(false, function.blocks.len());
    let mut stores = Vec::new();
    for &block in body {
        seen[block] = true;
        if function.blocks[block].terminator.targets().any(|to| seen[to.block]) {
            return;
        }
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            match data.op.signature() {
                Signature::Store => {
                    let memory = MemoryOp::from_imm(data.imm);
                    if memory.space == Space::Global && !memory.volatile {
                        stores.push(inst);
                    }
                }
                Signature::Atomic | Signature::AtomicCompare => return,
                _ if data.op.effect() == Effect::Barrier && data.op != Opcode::Clock => return,
                _ => {}
            }
        }
    }
    for inst in stores {
        let data = &mut function.insts[inst];
        data.imm = MemoryOp { streaming: true, ..MemoryOp::from_imm(data.imm) }.to_imm();
    }
}

/// Bits of the lanes that hold an invocation in a subgroup.
pub(crate) fn active_lanes(builder: &mut Builder<'_>, subgroup: Value, shape: WorkgroupShape) -> Value {
    let lanes = builder.function.lanes;
    let full = builder.i64(u64::MAX >> (64 - lanes));
    let last = builder.i64(shape.last_lanes);
    let number = builder.i32(shape.subgroup_count - 1);
    let is_last = builder.op(Opcode::IEq, &[subgroup, number]);
    builder.select(is_last, last, full)
}

/// The state after a subgroup has run, and whether there is another one.
pub(crate) fn advance(builder: &mut Builder<'_>, state: State, shape: WorkgroupShape) -> (State, Value) {
    let (zero, one) = (builder.i32(0), builder.i32(1));
    let always = builder.bool(true);
    let dispatch = builder.arg(0);
    let axis = |builder: &mut Builder<'_>, place: u32, axis: u32| {
        let memory = MemoryOp::new(Space::Context).at((place + 4 * axis) as i32).speculatable();
        builder.load(Scalar::I32, memory, dispatch, zero, always)
    };
    // The workgroup's last subgroup carries into x, the row's last workgroup into y, and so on.
    let (subgroup, mut carry) = if shape.subgroup_count == 1 {
        (zero, always)
    } else {
        let next = builder.op(Opcode::IAdd, &[state.subgroup, one]);
        let count = builder.i32(shape.subgroup_count);
        let done = builder.op(Opcode::IEq, &[next, count]);
        (builder.select(done, zero, next), done)
    };
    let used = builder.convert(Opcode::ZeroExtend, carry, Scalar::I32);
    let left = builder.op(Opcode::ISub, &[state.left, used]);
    let mut workgroup = state.workgroup;
    for (index, id) in workgroup.iter_mut().enumerate() {
        let step = builder.convert(Opcode::ZeroExtend, carry, Scalar::I32);
        let next = builder.op(Opcode::IAdd, &[*id, step]);
        let base = axis(builder, offset::BASE_WORKGROUP, index as u32);
        let count = axis(builder, offset::NUM_WORKGROUPS, index as u32);
        let end = builder.op(Opcode::IAdd, &[base, count]);
        carry = builder.op(Opcode::IEq, &[next, end]);
        *id = builder.select(carry, base, next);
    }
    let again = builder.op(Opcode::INe, &[left, zero]);
    (State { workgroup, subgroup, left }, again)
}

/// What the loop's state says of the field of the subgroup's context at a byte offset.
pub(crate) fn field(place: u32, state: State, lanes: Value) -> Option<Value> {
    match place {
        offset::WORKGROUP_ID => Some(state.workgroup[0]),
        _ if place == offset::WORKGROUP_ID + 4 => Some(state.workgroup[1]),
        _ if place == offset::WORKGROUP_ID + 8 => Some(state.workgroup[2]),
        offset::SUBGROUP_ID => Some(state.subgroup),
        offset::ACTIVE_LANES => Some(lanes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_well_formed() {
        let mut function = Function::new("body", Form::Mask, 16);
        let block = function.make_block();
        let mut builder = Builder::new(&mut function);
        builder.start(block);
        let (context, zero, always) = (builder.arg(1), builder.i32(0), builder.bool(true));
        for place in [offset::WORKGROUP_ID, offset::SUBGROUP_ID] {
            let memory = MemoryOp::new(Space::Context).at(place as i32);
            builder.load(Scalar::I32, memory, context, zero, always);
        }
        builder.terminate(Terminator::Return(0));
        run(&mut function, WorkgroupShape { subgroup_count: 3, last_lanes: 0xff }, true);
        pyro_ir::verify::verify_executable(&function).unwrap();
        assert_eq!(function.block_order.len(), 5);
    }
}
