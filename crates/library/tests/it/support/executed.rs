//! A test program on the real way: through the passes into mask form and onto each executor.

use super::is_nan;
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_passes::pipeline;

/// Arguments and results lie in workgroup memory, each an array of one 64-bit word per lane.
fn place(b: &mut Builder, index: usize) -> (MemoryOp, Value, Value, Value) {
    let context = b.arg(1);
    let zero = b.i32(0);
    let always = b.bool(true);
    let memory = MemoryOp::new(Space::Context).at(pyro_abi::context::offset::SHARED as i32);
    let base = b.load(Scalar::I64, memory, context, zero, always);
    let lane = b.op(Opcode::LaneId, &[]);
    let eight = b.i32(8);
    let offset = b.op(Opcode::IMul, &[lane, eight]);
    let displacement = (index * 8 * b.function.lanes as usize) as i32;
    (MemoryOp::new(Space::Shared).at(displacement), base, offset, always)
}

/// Loads of the parameters. Truth values are stored as bytes.
pub fn load_params(b: &mut Builder, params: &[Scalar]) -> Vec<Value> {
    let load = |(index, &scalar): (usize, &Scalar)| {
        let (memory, base, offset, always) = place(b, index);
        if scalar != Scalar::I1 {
            return b.load(scalar, memory, base, offset, always);
        }
        let byte = b.load(Scalar::I8, memory, base, offset, always);
        let zero = b.constant(Scalar::I8, 0);
        b.op(Opcode::INe, &[byte, zero])
    };
    params.iter().enumerate().map(load).collect()
}

/// Stores of the results behind the parameters.
pub fn store_results(b: &mut Builder, params: usize, results: &[Value]) {
    for (index, &result) in results.iter().enumerate() {
        let (memory, base, offset, always) = place(b, params + index);
        let result = match b.function.ty(result).scalar {
            Scalar::I1 => b.convert(Opcode::ZeroExtend, result, Scalar::I8),
            _ => result,
        };
        b.store(memory, base, offset, result, always);
    }
}

/// The program on the executors.
pub struct Executed {
    kernels: Vec<(&'static str, Box<dyn Kernel>)>,
    params: Vec<Scalar>,
    results: Vec<Scalar>,
}

impl Executed {
    /// Sends a function in lane form through the passes and onto the executors.
    pub fn new(function: &Function, params: Vec<Scalar>, results: Vec<Scalar>) -> Executed {
        let mut function = function.clone();
        let options = pipeline::Options { verify: true, ..pipeline::Options::default() };
        pipeline::run(&mut function, &options, None).expect("passes accept library functions");
        let info = KernelInfo {
            subgroup_size: function.lanes,
            workgroup_size: [function.lanes, 1, 1],
            shared_bytes: ((params.len() + results.len()) * 8 * function.lanes as usize) as u32,
            scratch_bytes: function.scratch_bytes,
            frame_bytes: function.frame_bytes,
            ..KernelInfo::default()
        };
        let mut kernels: Vec<(&'static str, Box<dyn Kernel>)> = Vec::new();
        for (name, features) in pyro_jit::Features::all() {
            let code = pyro_jit::compile(&function, info.clone(), features).expect("has machine code");
            kernels.push((name, Box::new(code)));
        }
        let interpreter = pyro_interp::Interpreter::new(function, info).expect("finished mask form");
        kernels.push(("interpreter", Box::new(interpreter)));
        Executed { kernels, params, results }
    }

    /// The machine code that the executor of this name runs.
    pub fn assembly(&self, name: &str) -> String {
        let kernel = self.kernels.iter().find(|(known, _)| *known == name);
        let (_, kernel) = kernel.expect("is one of the executors");
        kernel.representations().into_iter().map(|(_, text)| text).collect()
    }

    /// Checks that every executor gives `want` in the active lanes (any NaN for a NaN). Of very many lanes,
    /// some subgroups are checked.
    pub fn check(&self, lanes: usize, args: &[&[u64]], active: Option<&[bool]>, want: &[Vec<u64>]) {
        let count = args.first().map_or(lanes, |arg| arg.len());
        let starts: Vec<usize> = (0..count).step_by(lanes).collect();
        let step = starts.len().div_ceil(32);
        for &start in starts.iter().step_by(step) {
            let inside = lanes.min(count - start);
            let is_active = |lane: usize| lane < inside && active.is_none_or(|active| active[lane]);
            let mask = (0..lanes).filter(|&lane| is_active(lane)).fold(0, |mask, lane| mask | 1u64 << lane);
            for (name, kernel) in &self.kernels {
                let mut memory = vec![0u64; (self.params.len() + self.results.len()) * lanes];
                for (index, arg) in args.iter().enumerate() {
                    memory[index * lanes..][..inside].copy_from_slice(&arg[start..start + inside]);
                }
                run_subgroup(kernel.as_ref(), mask, &mut memory);
                for (index, (&scalar, want)) in self.results.iter().zip(want).enumerate() {
                    let got = &memory[(self.params.len() + index) * lanes..][..lanes];
                    for lane in (0..inside).filter(|&lane| is_active(lane)) {
                        let (got, want) = (got[lane], want[start + lane]);
                        let equal = got == want || is_nan(scalar, got) && is_nan(scalar, want);
                        assert!(equal, "{name}: result {index}, lane {lane}: {got:#x}, not {want:#x}");
                    }
                }
            }
        }
    }
}

#[allow(unsafe_code)] // Kernels read the memory that the test gives them by address.
fn run_subgroup(kernel: &dyn Kernel, active_lanes: u64, memory: &mut [u64]) {
    let abort = 0u32;
    let dispatch = DispatchContext {
        abort: &raw const abort as u64,
        num_workgroups: [1; 3],
        ..DispatchContext::default()
    };
    let mut subgroup =
        SubgroupContext { active_lanes, shared: memory.as_mut_ptr() as u64, ..SubgroupContext::default() };
    // SAFETY: the program touches `shared` only, as far as `shared_bytes` says, which is `memory`'s size; it
    // has neither scratch nor frame memory.
    let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
    assert_eq!(exit, Exit::Done);
}
