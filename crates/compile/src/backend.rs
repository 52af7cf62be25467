//! Which backend runs a function.

use crate::{CompileError, Tracer};
use pyro_abi::{Kernel, KernelInfo};
use pyro_fixed::Variant;
use pyro_interp::Interpreter;
use pyro_ir::Function;
use pyro_jit::JitError;
use pyro_passes::pipeline;
use pyro_passes::target::Target;
use pyro_util::report::to_stderr;
use std::sync::{Arc, OnceLock};

/// What runs compiled shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The lane-wide interpreter.
    Interpreter,
    /// Machine code for the level of vector instructions: x86-64 or 64-bit ARM.
    MachineCode(pyro_jit::Features),
}

impl Backend {
    /// The best one that this processor has, unless the environment variable `PYROCLAST_CPU` names another
    /// one that it has (see [`Backend::all`]). Read once.
    pub fn from_environment() -> Backend {
        static CHOICE: OnceLock<Backend> = OnceLock::new();
        *CHOICE.get_or_init(|| {
            let name = pyro_util::config::get().cpu.as_deref();
            let (backend, message) = Backend::choose(name, &Backend::all());
            if let Some(message) = message {
                to_stderr(&message);
            }
            backend
        })
    }

    /// The one with this name among all, else the last of them; and what is to be said about that.
    fn choose(name: Option<&str>, all: &[(&str, Backend)]) -> (Backend, Option<String>) {
        let best = all.last().map_or(Backend::Interpreter, |&(_, backend)| backend);
        let Some(name) = name else {
            let message = "this processor has neither SSE4.1 nor AVX2 nor NEON, so shaders are interpreted";
            return (best, (best == Backend::Interpreter).then(|| message.to_owned()));
        };
        match all.iter().find(|(known, _)| *known == name) {
            Some(&(_, backend)) => (backend, None),
            None => {
                let names = all.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
                let message = format!("PYROCLAST_CPU={name} is not among what this processor has: {names}");
                (best, Some(message))
            }
        }
    }

    /// Whether code may ask the runtime for products of matrices by tiles.
    pub(crate) fn has_tiles(self) -> bool {
        matches!(self, Backend::MachineCode(features) if features.tiles)
    }

    /// The variant of fragment functions that draws blocks which primitives cover in part, where it takes no
    /// longer than that of quads.
    pub fn covered_blocks(self) -> Option<Variant> {
        let Backend::MachineCode(features) = self else { return None };
        match features.level {
            pyro_jit::Level::Avx512 => Some(Variant::CoveredBlocks),
            pyro_jit::Level::Avx2 | pyro_jit::Level::Sse41 => Some(Variant::MergedBlocks),
            pyro_jit::Level::Neon => None,
        }
    }

    /// The fastest one on this processor.
    pub fn best() -> Backend {
        Backend::all().last().map_or(Backend::Interpreter, |&(_, backend)| backend)
    }

    /// All that this processor has, with the names that `PYROCLAST_CPU` knows, slowest first: `interpreter`,
    /// `sse4.1`, `avx2`, `avx512`, `amx`; `neon`.
    pub fn all() -> Vec<(&'static str, Backend)> {
        let mut all = vec![("interpreter", Backend::Interpreter)];
        all.extend(
            pyro_jit::Features::all()
                .into_iter()
                .rev()
                .map(|(name, features)| (name, Backend::MachineCode(features))),
        );
        all
    }

    /// One of any processor, for code that is only looked at: a level by the name that `PYROCLAST_CPU` knows,
    /// with the further extensions that follow it after plus signs, such as `avx512+vnni+fp16`.
    pub fn named(name: &str) -> Option<Backend> {
        use pyro_jit::{Features, Level};
        let mut parts = name.split('+');
        let level = match parts.next()? {
            "interpreter" => return parts.next().is_none().then_some(Backend::Interpreter),
            "sse4.1" => Level::Sse41,
            "avx2" => Level::Avx2,
            "avx512" | "amx" => Level::Avx512,
            "neon" => Level::Neon,
            _ => return None,
        };
        let base = Features { tiles: name.starts_with("amx"), ..Features::base(level) };
        let features = parts.try_fold(base, Features::with)?;
        Some(Backend::MachineCode(features))
    }

    /// What runs shaders in this process, and why, for users.
    pub fn explanation() -> String {
        let (all, chosen) = (Backend::all(), Backend::from_environment());
        let name = |backend: Backend| {
            all.iter().find(|known| known.1 == backend).map_or("interpreter", |known| known.0)
        };
        let what = match chosen {
            Backend::Interpreter => "interpreter".to_owned(),
            Backend::MachineCode(_) => format!("machine code for {}", name(chosen)),
        };
        let best = Backend::best();
        let why = match (chosen == best, best) {
            (true, Backend::Interpreter) if cfg!(target_arch = "x86_64") => {
                "the processor has not even sse4.1".to_owned()
            }
            (true, Backend::Interpreter) => "there is no machine code for this architecture".to_owned(),
            (true, _) => "the best that the processor has".to_owned(),
            (false, _) => format!("PYROCLAST_CPU asks for it; the processor has {}", name(best)),
        };
        let rounding = match chosen.rounds_twice() {
            true => ", products that are added rounded, too: PYROCLAST_ROUND_TWICE",
            false => "",
        };
        format!("{what} ({why}{rounding})")
    }

    /// Whether functions are to compute in single precision what is of half: the machine code would do
    /// nothing else.
    fn widens_halves(self) -> bool {
        match self {
            Backend::Interpreter => false,
            Backend::MachineCode(features) => !features.fp16,
        }
    }

    /// Whether products that are added are rounded, too, where a shader leaves it open.
    pub fn rounds_twice(self) -> bool {
        matches!(self, Backend::MachineCode(features) if features.rounds_twice)
    }

    /// Options of the passes that follow from what runs the result.
    pub(crate) fn pass_options(self) -> pipeline::Options {
        let (promote_f16, rounds_twice) = (self.widens_halves(), self.rounds_twice());
        pipeline::Options { promote_f16, rounds_twice, ..pipeline::Options::default() }
    }

    /// How many invocations with long vectors take about as long as one that calls image functions: with
    /// vectors of 128 bits there are neither masked moves nor gathers for call records and texels.
    pub fn invocation_weight(self) -> u64 {
        use pyro_jit::Level;
        match self {
            Backend::MachineCode(features) if matches!(features.level, Level::Sse41 | Level::Neon) => 8,
            _ => 1,
        }
    }

    /// What the processor is good at, for passes of machine code.
    pub fn target(self) -> Option<Target> {
        match self {
            Backend::Interpreter => None,
            Backend::MachineCode(features) => Some(Target {
                wide_vectors: features.level == pyro_jit::Level::Avx512,
                dot_product: features.vnni,
                fuses: features.level != pyro_jit::Level::Sse41,
                fetch_adds: features.level != pyro_jit::Level::Neon,
                fast_gathers: features.gathers_fast(),
                permutes_tables: features.permutes_tables(),
            }),
        }
    }

    /// Makes a kernel of a finished function in mask form. What has no machine code is interpreted.
    ///
    /// # Errors
    /// [`CompileError::Internal`] when the function is not well formed.
    pub fn make(self, function: Function, info: KernelInfo) -> Result<Arc<dyn Kernel>, CompileError> {
        self.make_traced(function, info, &pipeline::Options::default(), None)
    }

    /// The same with the options of the passes for machine code, showing them to `tracer`.
    ///
    /// # Errors
    /// [`CompileError::Internal`] when the function is not well formed.
    pub fn make_traced(
        self,
        function: Function,
        info: KernelInfo,
        options: &pipeline::Options,
        tracer: Option<Tracer<'_>>,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        match self {
            Backend::Interpreter => Ok(Arc::new(interpreter(function, info)?)),
            Backend::MachineCode(features) => {
                let mut function = function;
                let target = self.target().unwrap_or_default();
                // Whoever wants to see the passes wants to see what follows them.
                let listings = tracer.is_some();
                pipeline::run_for_target(&mut function, target, options, tracer)?;
                let verify = options.verify;
                let code =
                    pyro_jit::CompileOptions { verify, listings, ..pyro_jit::CompileOptions::default() };
                match pyro_jit::compile_with(&function, info.clone(), features, &code, &mut |_, _| {}) {
                    Ok(kernel) => Ok(Arc::new(kernel)),
                    Err(error @ (JitError::Malformed(_) | JitError::Miscompiled(_))) => {
                        Err(CompileError::Internal(error.to_string()))
                    }
                    Err(JitError::Budget(spent)) => Err(CompileError::Budget(spent.to_string())),
                    Err(error) => {
                        to_stderr(&format_args!("{} is interpreted: {error}", function.name));
                        Ok(Arc::new(interpreter(function, info)?.instead_of_code(error.to_string())))
                    }
                }
            }
        }
    }
}

fn interpreter(function: Function, info: KernelInfo) -> Result<Interpreter, CompileError> {
    Interpreter::new(function, info).map_err(|error| CompileError::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_without_vectors_interprets_and_says_so() {
        let all = [("interpreter", Backend::Interpreter)];
        let (backend, message) = Backend::choose(None, &all);
        assert_eq!(backend, Backend::Interpreter);
        assert!(message.is_some_and(|text| text.contains("interpreted")));
        assert_eq!(Backend::choose(Some("interpreter"), &all), (Backend::Interpreter, None));
    }

    #[test]
    fn unsupported_cpu_level_is_named_in_the_error() {
        let all = Backend::all();
        let best = Backend::best();
        let (backend, message) = Backend::choose(Some("avx1024"), &all);
        assert_eq!(backend, best);
        assert!(message.is_some_and(|text| text.contains("avx1024") && text.contains("interpreter")));
        for &(name, backend) in &all {
            assert_eq!(Backend::choose(Some(name), &all), (backend, None));
        }
    }
}
