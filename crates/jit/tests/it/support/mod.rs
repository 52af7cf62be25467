//! Functions of one block over the memory at an address, for tests of loads and stores.

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext, context::offset};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value};
use pyro_jit::{Compiled, Features, Level, compile_checked};

/// What a function begins with.
pub(crate) struct Begun<'f> {
    pub(crate) builder: Builder<'f>,
    /// The address, 64 bits.
    pub(crate) base: Value,
    /// The lanes that are active, a mask.
    pub(crate) active: Value,
    /// The number of each lane.
    pub(crate) lane: Value,
}

impl Begun<'_> {
    /// `value` in all lanes.
    pub(crate) fn splat(&mut self, value: u32) -> Value {
        let value = self.builder.i32(value);
        self.builder.splat(value)
    }

    /// The lane's number times `factor`.
    pub(crate) fn lanes_times(&mut self, factor: u32) -> Value {
        let factor = self.splat(factor);
        self.builder.op(Opcode::IMul, &[self.lane, factor])
    }
}

/// A function whose block does what `fill` says.
pub(crate) fn function(lanes: u32, fill: impl FnOnce(&mut Begun<'_>)) -> Function {
    let mut function = Function::new("accesses", Form::Mask, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    let (dispatch, context) = (builder.arg(0), builder.arg(1));
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let record = |place: u32| MemoryOp::new(Space::Context).at(place as i32).speculatable();
    let base = builder.load(Scalar::I64, record(offset::PUSH_CONSTANTS), dispatch, zero, always);
    let bits = builder.load(Scalar::I64, record(offset::ACTIVE_LANES), context, zero, always);
    let active = builder.emit(Opcode::MaskFromBits, &[bits], 0, Scalar::I1).expect("gives a result");
    let lane = builder.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let mut begun = Begun { builder, base, active, lane };
    fill(&mut begun);
    begun.builder.terminate(Terminator::Return(Exit::Done as u32));
    function
}

/// The levels of this processor with masked moves and gathers, or with sequences in their place.
pub(crate) fn with_long_vectors() -> impl Iterator<Item = (&'static str, Features)> {
    let short = [Level::Neon, Level::Sse41];
    Features::all().into_iter().filter(move |(_, features)| !short.contains(&features.level))
}

/// Machine code of a function.
pub(crate) fn compiled(function: &Function, features: Features) -> Compiled {
    let info = KernelInfo { subgroup_size: function.lanes, ..KernelInfo::default() };
    compile_checked(function, info, features).unwrap()
}

/// The machine code of a function, disassembled.
pub(crate) fn assembly(function: &Function, features: Features) -> String {
    let texts = compiled(function, features).representations();
    texts.into_iter().find(|(title, _)| title == "assembly").expect("there is code").1
}

/// The bits of all lanes.
pub(crate) fn all(lanes: u32) -> u64 {
    u64::MAX >> (64 - lanes)
}

/// Calls a function's code with an address, the active lanes, and whether the dispatch is a streaming one.
///
/// # Safety
/// What the active lanes access must be there.
#[allow(unsafe_code)]
pub(crate) unsafe fn run(kernel: &impl Kernel, base: u64, active: u64, streaming: bool) {
    let mut dispatch = DispatchContext { streaming: streaming.into(), ..DispatchContext::default() };
    dispatch.push_constants[..8].copy_from_slice(&base.to_le_bytes());
    let mut subgroup = SubgroupContext { active_lanes: active, ..SubgroupContext::default() };
    // SAFETY: the caller's contract.
    let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
    assert_eq!(exit, Exit::Done);
}

/// Calls a function's code with the address of `memory`, all lanes active.
///
/// # Safety
/// What the lanes access must lie within `memory`.
#[allow(unsafe_code)]
pub(crate) unsafe fn run_over<T>(kernel: &impl Kernel, memory: &mut [T], lanes: u32) {
    let base = memory.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: the caller's contract.
    unsafe { run(kernel, base, all(lanes), false) };
}
