//! Which executor runs a function.

use crate::CompileError;
use pyro_abi::{Kernel, KernelInfo};
use pyro_interp::Interpreter;
use pyro_ir::Function;
use std::sync::{Arc, OnceLock};

/// What runs compiled shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executor {
    /// The lane-wide interpreter.
    Interpreter,
}

impl Executor {
    /// The best one, unless the environment variable `PYRO_CPU` names a lesser one. Read once.
    pub fn from_environment() -> Executor {
        static CHOICE: OnceLock<Executor> = OnceLock::new();
        *CHOICE.get_or_init(|| Executor::Interpreter)
    }

    /// Makes a kernel of a finished function in mask form.
    pub(crate) fn make(self, function: Function, info: KernelInfo) -> Result<Arc<dyn Kernel>, CompileError> {
        match self {
            Executor::Interpreter => {
                let interpreter = Interpreter::new(function, info);
                Ok(Arc::new(interpreter.map_err(|error| CompileError::Internal(error.to_string()))?))
            }
        }
    }
}
