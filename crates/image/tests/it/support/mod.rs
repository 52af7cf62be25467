//! Runs builder functions and image functions on the executors.
#![allow(unreachable_pub)]
#![allow(unsafe_code)] // Functions follow the addresses that a test gives them.

use pyro_abi::KernelInfo;
use pyro_interp::Interpreter;
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value};
use pyro_passes::pipeline;
pub use pyro_random::Random;

/// A function, ready to run.
pub struct Runnable {
    interpreter: Interpreter,
    machine_code: Vec<(&'static str, pyro_jit::Compiled)>,
    writes: bool,
}

impl Runnable {
    /// Sends a function in lane form through the passes.
    pub fn new(mut function: Function) -> Runnable {
        let options = pipeline::Options { verify: true, ..pipeline::Options::default() };
        pyro_ir::verify::verify(&function).unwrap_or_else(|errors| panic!("{errors}\n{function}"));
        pipeline::run(&mut function, &options, None).expect("passes accept the function");
        assert_eq!((function.scratch_bytes, function.frame_bytes), (0, 0), "image functions need no memory");
        let info = KernelInfo { subgroup_size: function.lanes, ..KernelInfo::default() };
        let writes = function.insts.values().any(|inst| {
            let op = inst.op;
            op.is_memory()
                && op.effect() == pyro_ir::Effect::Write
                && MemoryOp::from_imm(inst.imm).space == Space::Global
        });
        Runnable {
            machine_code: pyro_jit::Features::all()
                .into_iter()
                .filter_map(|(name, features)| {
                    Some((name, pyro_jit::compile(&function, info.clone(), features).ok()?))
                })
                .collect(),
            interpreter: Interpreter::new(function, info).expect("finished mask form"),
            writes,
        }
    }

    /// Whether it writes more than its record.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// The levels that it has machine code for.
    pub fn levels(&self) -> Vec<&'static str> {
        self.machine_code.iter().map(|&(name, _)| name).collect()
    }

    /// Calls its machine code of a level that it has with a record.
    pub fn call_machine_code(&self, level: &str, record: u64) {
        if let Some((_, compiled)) = self.machine_code.iter().find(|(name, _)| *name == level) {
            let context = pyro_image::access::tables_address();
            let callable = pyro_abi::Callable { entry: compiled.entry(), context };
            // SAFETY: the tests give records whose addresses are valid.
            unsafe { pyro_abi::Memory::new() }.call((&raw const callable).expose_provenance() as u64, record);
        }
    }

    /// Calls it with a record.
    pub fn call(&self, record: u64) {
        pyro_abi::code_abi! {
            unsafe fn never(_: u64, _: u64) -> u32 {
                unreachable!("the interpreter is called directly")
            }
        }
        let context = pyro_image::access::tables_address();
        let callable = pyro_abi::Callable { entry: never, context };
        // SAFETY: the tests give records whose addresses are valid.
        unsafe { self.interpreter.call([(&raw const callable).expose_provenance() as u64, record]) };
    }
}

/// A function of `inputs` 64-bit words per lane: `build` gets the lane's input address (`i64`) and writes
/// behind it what it likes.
pub fn per_lane(stride: u32, build: impl FnOnce(&mut Builder, Value, Value)) -> Runnable {
    let mut function = Function::new("test", Form::Lane, 16);
    let block = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(block);
    let context = b.arg(1);
    let (zero, always) = (b.i32(0), b.bool(true));
    let place = MemoryOp::new(Space::Context).at(pyro_abi::context::offset::SHARED as i32);
    let base = b.load(Scalar::I64, place, context, zero, always);
    let lane = b.op(Opcode::LaneId, &[]);
    let stride = b.i32(stride);
    let offset = b.op(Opcode::IMul, &[lane, stride]);
    build(&mut b, base, offset);
    b.terminate(Terminator::Return(0));
    Runnable::new(function)
}

/// Runs such a function over all of `memory`, 16 lanes of `stride` bytes at a time.
pub fn run_per_lane(function: &Runnable, stride: usize, memory: &mut [u64]) {
    for chunk in memory.chunks_mut(16 * stride / 8) {
        assert_eq!(chunk.len(), 16 * stride / 8);
        let mut record = pyro_abi::SubgroupContext {
            active_lanes: 0xffff,
            shared: chunk.as_mut_ptr().expose_provenance() as u64,
            ..Default::default()
        };
        function.call((&raw mut record).expose_provenance() as u64);
    }
}

pub mod image;
pub mod reference;
