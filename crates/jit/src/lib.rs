//! Machine code for x86-64 from functions in mask form.
//!
//! ```text
//! IR, mask form ──select──▶ instructions over virtual registers ──allocate──▶ registers ──emit──▶ bytes
//! ```
//!
//! [`asm`] holds the tables and the encoder, [`machine`] instructions before and after register allocation
//! (by `regalloc2`), `select` what each operation becomes, `legalize` what that becomes without AVX-512.
//! [`Compiled`] is the result: a [`Kernel`].
//!
//! The results are those of the interpreter, bit for bit: all float operations are single IEEE operations,
//! with the default rounding and denormals kept, and what instructions do differently from the IR's
//! definitions is mended by selection.
#![cfg(target_arch = "x86_64")]
#![deny(unsafe_code)]

pub mod asm;
mod cpu;
mod kernel;
mod legalize;
pub mod machine;
mod runtime;
mod select;

pub use cpu::{Features, Level};
pub use kernel::{
    Allocator, CompileOptions, Compiled, JitError, Observer, Statistics, compile, compile_checked,
    compile_with, disassemble,
};
