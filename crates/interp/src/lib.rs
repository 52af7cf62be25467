//! The interpreter: runs functions in mask form, one instruction for all lanes at a time.
//!
//! It is the oracle for generated code, and the executor where there is none. A function is decoded once
//! ([`code`]) into a list of steps whose operands are offsets into one register file of 64-bit words: a
//! varying value takes a word for each lane, a uniform value one word, and a mask (varying `i1`) one word of
//! bits. Integers and floats are kept as zero-extended bits. What a pure step does to its lanes is a function
//! chosen when decoding ([`lanes`]): a loop over the lanes for common operations, and
//! [`pyro_ir::eval::pure`] for each lane otherwise.
//!
//! Nothing is kept between two calls of a kernel: what lives across a suspend point, the IR itself stores in
//! frame memory.

mod code;
mod lanes;
mod run;

use code::Code;
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::Function;

/// Why a function cannot be interpreted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The function is not finished mask form: a mistake of the passes.
    #[error("cannot be interpreted: {0}")]
    Malformed(String),
}

/// A function, ready to run.
pub struct Interpreter {
    function: Function,
    code: Code,
    info: KernelInfo,
}

impl Interpreter {
    /// Decodes a function in mask form that the verifier accepts and the `suspend` pass has run on.
    ///
    /// # Errors
    /// [`InterpError::Malformed`] for anything else.
    pub fn new(function: Function, info: KernelInfo) -> Result<Interpreter, InterpError> {
        let code = Code::decode(&function)?;
        Ok(Interpreter { function, code, info })
    }

    /// Like [`Kernel::run`], but gives up with [`Exit::Aborted`] after `step_limit` steps.
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
        unsafe { run::run(&self.code, &raw const *dispatch as u64, &raw mut *subgroup as u64, step_limit) }
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
        vec![("IR".to_owned(), self.function.to_string())]
    }
}
