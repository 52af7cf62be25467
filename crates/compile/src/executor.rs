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
    /// Machine code for x86-64.
    #[cfg(target_arch = "x86_64")]
    MachineCode(pyro_jit::Features),
}

impl Executor {
    /// The best one that this processor has, unless the environment variable `PYROCLAST_CPU` names a lesser one:
    /// `interpreter` or `avx512`. Read once.
    pub fn from_environment() -> Executor {
        static CHOICE: OnceLock<Executor> = OnceLock::new();
        *CHOICE.get_or_init(|| match std::env::var("PYROCLAST_CPU").as_deref() {
            Ok("interpreter") => Executor::Interpreter,
            Ok("avx512" | "") | Err(_) => Executor::best(),
            Ok(other) => {
                eprintln!(
                    "pyroclast: PYROCLAST_CPU={other} names no executor; there are interpreter and avx512"
                );
                Executor::best()
            }
        })
    }

    /// The fastest one on this processor.
    pub fn best() -> Executor {
        #[cfg(target_arch = "x86_64")]
        if let Some(features) = pyro_jit::Features::detect() {
            return Executor::MachineCode(features);
        }
        Executor::Interpreter
    }

    /// All that this processor has, with the names that `PYROCLAST_CPU` knows.
    pub fn all() -> Vec<(&'static str, Executor)> {
        let mut all = vec![("interpreter", Executor::Interpreter)];
        if Executor::best() != Executor::Interpreter {
            all.push(("avx512", Executor::best()));
        }
        all
    }

    /// Makes a kernel of a finished function in mask form. What has no machine code is interpreted.
    ///
    /// # Errors
    /// [`CompileError::Internal`] when the function is not well formed.
    pub fn make(self, function: Function, info: KernelInfo) -> Result<Arc<dyn Kernel>, CompileError> {
        match self {
            Executor::Interpreter => {
                let interpreter = Interpreter::new(function, info);
                Ok(Arc::new(interpreter.map_err(|error| CompileError::Internal(error.to_string()))?))
            }
            #[cfg(target_arch = "x86_64")]
            Executor::MachineCode(features) => match pyro_jit::compile(&function, info.clone(), features) {
                Ok(kernel) => Ok(Arc::new(kernel)),
                Err(pyro_jit::JitError::Malformed(error)) => Err(CompileError::Internal(error.to_string())),
                Err(error) => {
                    eprintln!("pyroclast: {} is interpreted: {error}", function.name);
                    Executor::Interpreter.make(function, info)
                }
            },
        }
    }
}
