//! Machine code for x86-64 and 64-bit ARM from functions in mask form.
//!
//! ```text
//! IR, mask form ──select──▶ instructions over virtual registers ──allocate──▶ registers ──emit──▶ bytes
//! ```
//!
//! `select` decides what each operation becomes; what it knows of addresses, folding and control flow is the
//! same for all processors. [`machine`] holds instructions before and after register allocation (by
//! `regalloc2`). For x86-64 [`asm`] holds the tables and the encoder, and `legalize` rewrites what asks for
//! AVX-512 for AVX2, and `sse` what asks for NEON for SSE4.1; for ARM `neon` holds the table, the encoder and
//! the emission. Code for each of them is made on every machine; it runs on its own. [`Compiled`] is the
//! result.
//!
//! The results are those of the interpreter, bit for bit: all float operations are single IEEE operations,
//! with the default rounding and denormals kept, and what instructions do differently from the IR's
//! definitions is mended by selection.
#![deny(unsafe_code)]

pub mod asm;
mod cpu;
mod kernel;
mod legalize;
pub mod machine;
mod neon;
mod pool;
mod runtime;
mod select;
mod sse;

pub use cpu::{Features, Level};
pub use kernel::{
    Allocator, CompileOptions, Compiled, JitError, Observer, Statistics, compile, compile_checked,
    compile_with, disassemble,
};
