//! Every limit, so that a small text cannot make an endless function.

/// Bytes of a text.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Registers of one function.
pub const REGISTER_COUNT_MAX: u32 = 1 << 24;

/// Bytes of one variable outside of functions, and of all in one module.
pub const VARIABLE_BYTES_MAX: u64 = 1 << 29;

/// Parameters of a kernel or function.
pub const PARAMETER_COUNT_MAX: usize = 4096;

/// Bytes of a kernel's parameters.
pub const PARAMETER_BYTES_MAX: u32 = 32_764;

/// Bytes of a parameter of a function that kernels call.
pub const ARGUMENT_BYTES_MAX: u64 = 1 << 16;

/// Instructions of the lowered function. Inlining can multiply a text's size; this ends it.
pub const INST_COUNT_MAX: usize = 1_000_000;

/// Blocks of the lowered function.
pub const BLOCK_COUNT_MAX: usize = 200_000;

/// Functions that are being inlined in one another.
pub const CALL_DEPTH_MAX: usize = 64;

/// Loops inside one another.
pub const LOOP_DEPTH_MAX: usize = 200;

/// Braces, parentheses and the like inside one another.
pub const NESTING_MAX: u32 = 100;

/// Threads of a block.
pub const BLOCK_THREAD_COUNT_MAX: u32 = 1024;

/// Bytes of a thread's local memory.
pub const LOCAL_BYTES_MAX: u64 = 512 << 10;

/// Bytes of the memory of one block, local memory of its threads included.
pub const BLOCK_BYTES_MAX: u64 = 1 << 29;
