//! What generated code calls by address. The only `unsafe` of this crate: following the addresses that such
//! calls bring.
//!
//! # Contract
//! The caller is generated code or an interpreter that follows [`pyro_abi::image`]: `callable` is the address
//! of a callable that this module made and that is still alive, which the cache sees to as long as the view
//! and the sampler of the call are held; and the argument is the address of a call record whose image and
//! sampler records are valid and filled by this cache.
#![allow(unsafe_code)]

use super::state::Shared;
use crate::cache::{Digest, DiskCache, SharedCache};
use crate::{Backend, CompileError};
use pyro_abi::image::{image_offset, record};
use pyro_abi::{Callable, KernelInfo, Memory};
use pyro_image::access;
use pyro_interp::Interpreter;
use pyro_passes::target::{double_quotient, exact_product, srgb_formula};
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::with_exposed_provenance;
use std::sync::Arc;

/// A callable that compiles what it is called for.
#[repr(C)]
pub(super) struct Resolver {
    callable: Callable,
    shared: u64,
    lanes: u32,
    code: u32,
}

impl Resolver {
    /// For operation `code` in subgroups of `lanes`; `shared` is the cache that will own it.
    pub(super) fn new(shared: *const Shared, lanes: u32, code: u32) -> Resolver {
        let callable = Callable { entry: resolve, context: 0 };
        Resolver { callable, shared: shared.expose_provenance() as u64, lanes, code }
    }
}

#[cfg(target_arch = "x86_64")]
pyro_abi::code_abi! {
    /// Compiles, then runs: jumps to the function, so that no frame of Rust is between generated ones, which
    /// signal handlers unwind (`pyro_codemem::fault`).
    #[unsafe(naked)]
    unsafe fn resolve(callable: u64, argument: u64) -> u32 {
        // Three words on the stack align it for the call.
        core::arch::naked_asm!(
            "push rdi",
            "push rsi",
            "push rsi",
            "call {function}",
            "pop rsi",
            "pop rsi",
            "pop rdi",
            "test rax, rax",
            "jz 2f",
            "mov rdi, rax",
            "jmp qword ptr [rax]",
            "2:",
            "xor eax, eax",
            "ret",
            function = sym resolved,
        )
    }
}

#[cfg(not(target_arch = "x86_64"))]
pyro_abi::code_abi! {
    /// Compiles, then runs.
    unsafe fn resolve(callable: u64, argument: u64) -> u32 {
        // SAFETY: the module's contract holds for these arguments.
        match unsafe { resolved(callable, argument) } {
            0 => 0,
            // SAFETY: the address of a callable of this cache, with the record that it expects.
            function => unsafe { Memory::new() }.call(function, argument),
        }
    }
}

const _: () = assert!(core::mem::offset_of!(Callable, entry) == 0);

pyro_abi::code_abi! {
    /// The address of the callable that a call is for; zero if there is none.
    unsafe fn resolved(callable: u64, argument: u64) -> u64 {
        let found = catch_unwind(|| {
            // SAFETY: by the module's contract the callable is a live `Resolver`, whose cache is alive too.
            let (resolver, shared) = unsafe {
                let resolver = &*with_exposed_provenance::<Resolver>(callable as usize);
                (resolver, &*with_exposed_provenance::<Shared>(resolver.shared as usize))
            };
            // SAFETY: by the module's contract the call record and the two records it names are valid.
            let memory = unsafe { Memory::new() };
            let image: u64 = memory.load(argument + u64::from(record::IMAGE));
            let sampler: u64 = memory.load(argument + u64::from(record::SAMPLER));
            let view: u64 = memory.load(image + u64::from(image_offset::VIEW));
            let row: u32 = memory.load(sampler + u64::from(image_offset::SAMPLER_ROW));
            shared.resolve(view & u64::from(u32::MAX), row, resolver.lanes, resolver.code)
        });
        found.ok().flatten().unwrap_or(0)
    }
}

/// What runs a function.
enum Code {
    Interpreter(Box<Interpreter>),
    /// The callable's entry is the machine code itself; this keeps it alive.
    Compiled(#[allow(dead_code)] Arc<pyro_jit::Compiled>),
    /// Results stay as they are: when not even the function that writes zeros can be made.
    Nothing,
}

/// A compiled function; the callable is first.
#[repr(C)]
pub(super) struct Function {
    callable: Callable,
    code: Code,
}

impl Function {
    /// For a function in finished mask form.
    pub(super) fn new(
        backend: Backend,
        mut function: pyro_ir::Function,
    ) -> Result<Box<Function>, CompileError> {
        if let Some(target) = backend.target() {
            srgb_formula::run(&mut function, target);
            exact_product::run(&mut function, target);
            double_quotient::run(&mut function, target);
        }
        let info = KernelInfo { subgroup_size: function.lanes, ..KernelInfo::default() };
        if let Backend::MachineCode(features) = backend
            && let Ok(compiled) = pyro_jit::compile(&function, info.clone(), features)
        {
            return Ok(Function::compiled(Arc::new(compiled)));
        }
        let _ = backend;
        let interpreter = Interpreter::new(function, info);
        let interpreter = interpreter.map_err(|error| CompileError::Internal(error.to_string()))?;
        Ok(Function::interpreted(Code::Interpreter(Box::new(interpreter))))
    }

    fn compiled(compiled: Arc<pyro_jit::Compiled>) -> Box<Function> {
        let callable = Callable { entry: compiled.entry(), context: access::tables_address() };
        Box::new(Function { callable, code: Code::Compiled(compiled) })
    }

    /// The function for a key, from the user's cache or that of a fleet if there is one, else made.
    pub(super) fn find_or_make(
        backend: Backend,
        key: impl Hash,
        make: impl FnOnce() -> Result<pyro_ir::Function, CompileError>,
    ) -> Result<Box<Function>, CompileError> {
        let (directory, shared) = (DiskCache::from_environment(), SharedCache::from_environment());
        if backend == Backend::Interpreter || directory.is_none() && shared.is_none() {
            return Function::new(backend, make()?);
        }
        let key = Digest::of(("image function", backend, key));
        if let Some(found) = directory.and_then(|directory| directory.get(key)) {
            return Ok(Function::compiled(found));
        }
        let keep = |compiled: &Arc<pyro_jit::Compiled>| {
            if let Some(directory) = directory {
                directory.put(key, compiled);
            }
        };
        let _claim = match shared.map(|shared| shared.get_or_claim(key)) {
            Some(Ok(found)) => {
                keep(&found);
                return Ok(Function::compiled(found));
            }
            Some(Err(claim)) => claim,
            None => None,
        };
        let made = Function::new(backend, make()?)?;
        if let Code::Compiled(compiled) = &made.code {
            keep(compiled);
            if let Some(shared) = shared {
                shared.put(key, compiled);
            }
        }
        Ok(made)
    }

    /// One that does nothing.
    pub(super) fn nothing() -> Box<Function> {
        Function::interpreted(Code::Nothing)
    }

    fn interpreted(code: Code) -> Box<Function> {
        Box::new(Function {
            callable: Callable { entry: interpret, context: access::tables_address() },
            code,
        })
    }

    /// The callable's address.
    pub(super) fn address(&self) -> u64 {
        (&raw const *self).expose_provenance() as u64
    }
}

pyro_abi::code_abi! {
    /// Runs an interpreted function.
    unsafe fn interpret(callable: u64, argument: u64) -> u32 {
        // SAFETY: by the module's contract the callable is a live `Function`.
        let function = unsafe { &*with_exposed_provenance::<Function>(callable as usize) };
        let run = AssertUnwindSafe(|| match &function.code {
            // SAFETY: image functions follow nothing but their record, which is valid by the module's
            // contract.
            Code::Interpreter(interpreter) => unsafe { interpreter.call([callable, argument]) as u32 },
            // Never called through here.
            Code::Compiled(_) => 0,
            Code::Nothing => 0,
        });
        catch_unwind(run).unwrap_or(0)
    }
}
