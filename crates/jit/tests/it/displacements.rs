//! Accesses at the ends of the range of displacements.

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator};
use pyro_jit::{Features, compile_checked};

const LANES: u32 = 16;

/// Of elements `words` words apart, each lane's word at a displacement is copied to another displacement, in
/// the lanes that are active.
fn function(words: u32, from: i32, to: i32) -> Function {
    let mut function = Function::new("far", Form::Mask, LANES);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    let context = builder.arg(1);
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let place =
        MemoryOp::new(Space::Context).at(pyro_abi::context::offset::ACTIVE_LANES as i32).speculatable();
    let bits = builder.load(Scalar::I64, place, context, zero, always);
    let active = builder.emit(Opcode::MaskFromBits, &[bits], 0, Scalar::I1).expect("gives a result");
    let lane = builder.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let size = builder.i32(words * 4);
    let size = builder.splat(size);
    let offset = builder.op(Opcode::IMul, &[lane, size]);
    let memory = MemoryOp::new(Space::Global);
    let value = builder.load(Scalar::I32, memory.at(from), context, offset, active);
    builder.store(memory.at(to), context, offset, value, active);
    builder.terminate(Terminator::Return(Exit::Done as u32));
    function
}

/// The search for components that lie side by side ends at the greatest displacement too.
#[test]
fn accesses_at_the_ends_of_displacements_compile() {
    for ((_, features), words) in
        Features::all().iter().flat_map(|level| (1..=4).map(move |words| (level, words)))
    {
        for (from, to) in [(i32::MAX, i32::MIN), (i32::MAX - 4, i32::MAX), (i32::MIN, i32::MIN + 4)] {
            let function = function(words, from, to);
            let info = KernelInfo { subgroup_size: LANES, ..KernelInfo::default() };
            let kernel = compile_checked(&function, info, *features).unwrap();
            let mut subgroup = SubgroupContext { active_lanes: 0, ..SubgroupContext::default() };
            // SAFETY: no lane accesses memory.
            #[allow(unsafe_code)]
            let exit = unsafe { kernel.run(&DispatchContext::default(), &mut subgroup) };
            assert_eq!(exit, Exit::Done);
        }
    }
}
