//! The interpreter: runs functions in mask form, one instruction for all lanes at a time.
//!
//! It is the oracle for generated code, the executor where there is none, and what a debugger steps. A
//! function is decoded once (`decode`): every value gets a place in a register file (`registers`) that keeps
//! lanes in arrays of their own width, and every instruction a handler, a plain function chosen by operation,
//! type and shape (`ops`). Handlers of common operations are loops over 16 lanes that the compiler turns into
//! vector code; all others ask [`pyro_ir::eval::pure`] lane by lane. Running (`machine`) is then calling one
//! handler after the other.
//!
//! Nothing is kept between two calls of a kernel: what lives across a suspend point, the IR itself stores in
//! frame memory.
//!
//! Shaders that never end are stopped by the abort flag that the IR itself polls;
//! [`Interpreter::run_limited`] stops those that do not poll it.

mod decode;
mod machine;
mod ops;
mod registers;

pub use machine::Execution;

use decode::Program;
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, Memory, SubgroupContext};
use pyro_ir::Function;
use pyro_ir::verify::{VerifierErrors, verify_executable};
use pyro_util::sync::Mutex;
use registers::Registers;

/// Why a function cannot be interpreted: mistakes of the compiler's earlier steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// It is not well formed, or not finished mask form.
    #[error(transparent)]
    Malformed(#[from] VerifierErrors),
    /// It leaves with a code that is no [`Exit`].
    #[error("the exit code {0} means nothing")]
    ExitCode(u32),
    /// What the engine is told does not fit the function.
    #[error("the kernel's facts say {0}")]
    Info(String),
    /// It has more values than the register file can number.
    #[error("too many values")]
    TooLarge,
}

/// A function, ready to run.
pub struct Interpreter {
    function: Function,
    program: Program,
    info: KernelInfo,
    /// Why it does not run as machine code, where that was tried.
    reason: Option<String>,
    /// Register files that no call uses at the moment, with all constants in place.
    idle: Mutex<Vec<Registers>>,
}

impl Interpreter {
    /// Decodes a function in mask form without suspend points.
    ///
    /// # Errors
    /// When the verifier does not accept the function, or `info` does not fit it.
    pub fn new(function: Function, info: KernelInfo) -> Result<Interpreter, InterpError> {
        verify_executable(&function)?;
        let facts = [
            ("lanes", info.subgroup_size == function.lanes, info.subgroup_size, function.lanes),
            (
                "scratch bytes",
                info.scratch_bytes >= function.scratch_bytes,
                info.scratch_bytes,
                function.scratch_bytes,
            ),
            ("frame bytes", info.frame_bytes >= function.frame_bytes, info.frame_bytes, function.frame_bytes),
        ];
        for (what, fits, told, needed) in facts {
            if !fits {
                return Err(InterpError::Info(format!("{told} {what}, and the function {needed}")));
            }
        }
        let program = Program::decode(&function)?;
        Ok(Interpreter { function, program, info, reason: None, idle: Mutex::new(Vec::new()) })
    }

    /// The same, with why the function has no machine code, for [`Kernel::representations`].
    #[must_use]
    pub fn instead_of_code(self, reason: String) -> Interpreter {
        Interpreter { reason: Some(reason), ..self }
    }

    /// Like [`Kernel::run`], but gives up with [`Exit::Aborted`] after about `step_limit` instructions.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`].
    #[allow(unsafe_code)]
    pub unsafe fn run_limited(
        &self,
        dispatch: &DispatchContext,
        subgroup: &mut SubgroupContext,
        step_limit: u64,
    ) -> Exit {
        // SAFETY: the caller's contract.
        let mut execution = unsafe { self.start(dispatch, subgroup) };
        let exit = execution.run(step_limit);
        let registers = execution.into_registers();
        self.idle.lock().push(registers);
        exit
    }

    /// Stands before the first instruction of a call that [`Execution::step`] or [`Execution::run`] makes.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`], for as long as the execution is used; `subgroup` is accessed by
    /// address meanwhile, and by nobody else.
    #[allow(unsafe_code)]
    pub unsafe fn start(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Execution<'_> {
        let idle = self.idle.lock().pop();
        let registers = idle.unwrap_or_else(|| self.program.registers.clone());
        let args = [
            (&raw const *dispatch).expose_provenance() as u64,
            (&raw mut *subgroup).expose_provenance() as u64,
            self.constants(),
        ];
        // SAFETY: the addresses that the shader follows are valid by the caller's contract; those that it
        // computes are the application's promise.
        let memory = unsafe { Memory::new() };
        Execution::new(&self.program, registers, memory, args)
    }

    /// Runs the function with these two entry arguments.
    ///
    /// # Safety
    /// Every address that the function follows from its arguments must be valid for what it does there, its
    /// provenance exposed, and what it writes must not be borrowed meanwhile.
    #[allow(unsafe_code)]
    pub unsafe fn call(&self, args: [u64; 2]) -> Exit {
        let registers = self.idle.lock().pop();
        let registers = registers.unwrap_or_else(|| self.program.registers.clone());
        // SAFETY: the caller's contract.
        let memory = unsafe { Memory::new() };
        let args = [args[0], args[1], self.constants()];
        let mut execution = Execution::new(&self.program, registers, memory, args);
        let exit = execution.run(u64::MAX);
        self.idle.lock().push(execution.into_registers());
        exit
    }

    /// The address of the function's constants.
    fn constants(&self) -> u64 {
        self.function.constants.as_ref().map_or(0, |words| words.as_ptr().expose_provenance() as u64)
    }

    /// The function that runs.
    pub fn function(&self) -> &Function {
        &self.function
    }
}

impl Kernel for Interpreter {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    #[allow(unsafe_code)]
    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit {
        // SAFETY: the caller's contract.
        unsafe { self.run_limited(dispatch, subgroup, u64::MAX) }
    }

    fn representations(&self) -> Vec<(String, String)> {
        let reason = self.reason.iter().map(|reason| ("interpreted because".to_owned(), reason.clone()));
        reason.chain([("IR".to_owned(), self.function.to_string())]).collect()
    }
}
