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
    /// The best one that this processor has, unless the environment variable `PYROCLAST_CPU` names another one that
    /// it has (see [`Executor::all`]). Read once.
    pub fn from_environment() -> Executor {
        static CHOICE: OnceLock<Executor> = OnceLock::new();
        *CHOICE.get_or_init(|| match std::env::var("PYROCLAST_CPU").as_deref() {
            Ok("") | Err(_) => Executor::best(),
            Ok(name) => {
                let all = Executor::all();
                let found = all.iter().find(|(known, _)| *known == name);
                found.map_or_else(
                    || {
                        let names: Vec<&str> = all.iter().map(|&(name, _)| name).collect();
                        let names = names.join(", ");
                        eprintln!(
                            "pyroclast: PYROCLAST_CPU={name} is not among what this processor has: {names}"
                        );
                        Executor::best()
                    },
                    |&(_, executor)| executor,
                )
            }
        })
    }

    /// The fastest one on this processor.
    pub fn best() -> Executor {
        Executor::all().last().map_or(Executor::Interpreter, |&(_, executor)| executor)
    }

    /// All that this processor has, with the names that `PYROCLAST_CPU` knows, slowest first: `interpreter`, `avx2`,
    /// `avx512`.
    pub fn all() -> Vec<(&'static str, Executor)> {
        let mut all = vec![("interpreter", Executor::Interpreter)];
        #[cfg(target_arch = "x86_64")]
        all.extend(
            pyro_jit::Features::all()
                .into_iter()
                .rev()
                .map(|(name, features)| (name, Executor::MachineCode(features))),
        );
        all
    }

    /// Makes a kernel of a finished function in mask form. What has no machine code is interpreted.
    ///
    /// # Errors
    /// [`CompileError::Internal`] when the function is not well formed.
    pub fn make(self, mut function: Function, info: KernelInfo) -> Result<Arc<dyn Kernel>, CompileError> {
        match self {
            Executor::Interpreter => {
                let interpreter = Interpreter::new(function, info);
                Ok(Arc::new(interpreter.map_err(|error| CompileError::Internal(error.to_string()))?))
            }
            #[cfg(target_arch = "x86_64")]
            Executor::MachineCode(features) => {
                pyro_jit::schedule::run(&mut function, features);
                match pyro_jit::compile(&function, info.clone(), features) {
                    Ok(kernel) => Ok(Arc::new(kernel)),
                    Err(pyro_jit::JitError::Malformed(error)) => {
                        Err(CompileError::Internal(error.to_string()))
                    }
                    Err(error) => {
                        eprintln!("pyroclast: {} is interpreted: {error}", function.name);
                        Executor::Interpreter.make(function, info)
                    }
                }
            }
        }
    }
}
