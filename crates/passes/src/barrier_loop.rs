//! One call for many workgroups of a shader with barriers: loops over workgroups, over the rounds between
//! barriers, and over the subgroups of the workgroup.
//!
//! In a round each subgroup of the workgroup runs from where it waits to the next suspend point, or to its
//! end. Where it waits is in its record; [`crate::coroutine_split`], which comes later, adds the suspend
//! points' numbers to the header's switch, and leads the suspend points to the latch. What is the same for
//! the whole workgroup, or for all of them, is invariant in these loops: other passes move it out, and then
//! it lives in registers across barriers.
//!
//! ```text
//! entry ─▶ group(x, y, z, left) ─▶ round(mask) ─▶ header(record, subgroup) ─▶ body … ─▶ finish
//!            ▲                       ▲               ▲                   │                   │
//!            │                       │               └────────────────── latch ◀─────────────┘
//!            │                       └───────────────────────────────── after
//!            └───────────────────────────────────────────────────────── next ─▶ return 0
//! ```
//!
//! The function's argument 1 is the address of the records of all subgroups, one behind the other. The first
//! says which workgroups run, as for [`crate::workgroup_loop`], and counts the subgroups that have ended. The
//! last subgroup comes first in each round where [`crate::barrier_order`] asks for it. A
//! subgroup that has ended stays so while others go on. Resume points that an earlier workgroup left do not
//! matter: in the first round the mask hides them.

use crate::loop_body;
use crate::workgroup_loop::{self, State, WorkgroupShape};
use pyro_abi::{Exit, SubgroupContext, context::offset};
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value,
};

/// The resume point of a subgroup that has ended.
const ENDED: u64 = 1;

/// How many loops are made: over workgroups, rounds and subgroups.
pub const LOOPS: usize = 3;

/// Where subgroups go on, for [`crate::coroutine_split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The block that runs first for a subgroup in each round. It ends in a switch on the resume point, whose
    /// default is the shader's start.
    pub header: Block,
    /// The address of the subgroup's record.
    pub record: Value,
    /// The subgroup's number.
    pub subgroup: Value,
    /// Where a subgroup goes when it waits.
    pub latch: Block,
    /// The first number for a suspend point.
    pub first_point: u64,
}

/// Makes the loops, in a function in mask form with suspend points. `last_first`: the order of the subgroups.
pub fn run(function: &mut Function, shape: WorkgroupShape, last_first: bool) -> Resume {
    debug_assert_eq!(function.form, Form::Mask);
    let body = std::mem::take(&mut function.block_order);
    let [entry, group, round, header, finish] = [(); 5].map(|()| function.make_block());
    let [latch, after, next, exit] = [(); 4].map(|()| function.make_block());
    let uniform = Type::uniform;
    let [x, y, z, left] = [(); 4].map(|()| function.add_param(group, uniform(Scalar::I32)));
    let mask = function.add_param(round, uniform(Scalar::I32));
    let record = function.add_param(header, uniform(Scalar::I64));
    let number = function.add_param(header, uniform(Scalar::I32));
    let field = |space, place: u32| MemoryOp::new(space).at(place as i32);
    let (resume_point, ended_count) =
        (field(Space::Frame, offset::RESUME_POINT), field(Space::Frame, offset::ENDED_COUNT));

    let mut builder = Builder::new(function);
    builder.start(entry);
    let (zero, one, always, records) = (builder.i32(0), builder.i32(1), builder.bool(true), builder.arg(1));
    let (count, all) = (builder.i32(shape.subgroup_count), builder.i32(u32::MAX));
    let last = builder.i32(shape.subgroup_count - 1);
    let bytes = size_of::<SubgroupContext>() as u64;
    let first_record = match last_first {
        false => records,
        true => {
            let distance = builder.i64(bytes * u64::from(shape.subgroup_count - 1));
            builder.op(Opcode::IAdd, &[records, distance])
        }
    };
    let step = builder.i64(if last_first { bytes.wrapping_neg() } else { bytes });
    let first = workgroup_loop::first(&mut builder, records);
    builder.jump(group, &first);

    builder.start(group);
    builder.store(ended_count, records, zero, zero, always);
    builder.jump(round, &[zero]);

    builder.start(round);
    builder.jump(header, &[first_record, zero]);

    builder.start(header);
    let subgroup = if last_first { builder.op(Opcode::ISub, &[last, number]) } else { number };
    let state = State { workgroup: [x, y, z], subgroup, left };
    let lanes = workgroup_loop::active_lanes(&mut builder, subgroup, shape);
    let scratch = field(Space::Context, offset::SCRATCH).speculatable();
    let scratch = builder.load(Scalar::I64, scratch, record, zero, always);
    let point = builder.load(Scalar::I32, resume_point, record, zero, always);
    let selector = builder.op(Opcode::And, &[point, mask]);
    builder.terminate(Terminator::Switch {
        selector,
        cases: vec![(ENDED, BlockCall::new(latch, &[]))],
        default: BlockCall::new(body[0], &[]),
    });
    loop_body::replace_loads(function, &body, |place| match place {
        offset::SCRATCH => [Some(scratch), None],
        _ => [workgroup_loop::field(place, state, lanes), None],
    });
    loop_body::end_in(function, &body, finish);
    function.block_order.extend_from_slice(&body);

    let mut builder = Builder::new(function);
    builder.start(finish);
    let ended = builder.i32(ENDED as u32);
    builder.store(resume_point, record, zero, ended, always);
    let sum = builder.load(Scalar::I32, ended_count, records, zero, always);
    let sum = builder.op(Opcode::IAdd, &[sum, one]);
    builder.store(ended_count, records, zero, sum, always);
    builder.jump(latch, &[]);

    builder.start(latch);
    let next_record = builder.op(Opcode::IAdd, &[record, step]);
    let next_number = builder.op(Opcode::IAdd, &[number, one]);
    let again = builder.op(Opcode::INe, &[next_number, count]);
    let next_subgroup = BlockCall::new(header, &[next_record, next_number]);
    builder.branch(again, next_subgroup, BlockCall::new(after, &[]));

    builder.start(after);
    let sum = builder.load(Scalar::I32, ended_count, records, zero, always);
    let waiting = builder.op(Opcode::INe, &[sum, count]);
    builder.branch(waiting, BlockCall::new(round, &[all]), BlockCall::new(next, &[]));

    builder.start(next);
    let (state, again) =
        workgroup_loop::advance(&mut builder, state, WorkgroupShape { subgroup_count: 1, ..shape });
    let [x, y, z, _, left] = state.values();
    builder.branch(again, BlockCall::new(group, &[x, y, z, left]), BlockCall::new(exit, &[]));
    builder.start(exit);
    builder.terminate(Terminator::Return(Exit::Done as u32));
    Resume { header, record, subgroup, latch, first_point: ENDED + 1 }
}
