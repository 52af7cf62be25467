//! Every limit on what is decoded, so that memory and time stay proportional to the input.
//!
//! The numbers of the specification are its "Universal Limits" (SPIR-V, 2.17).

/// Words in a module; word offsets fit comfortably in 32 bits.
pub const MODULE_WORD_COUNT_MAX: usize = 1 << 26;

/// The header's bound on ids (SPIR-V universal limit).
pub const ID_BOUND_MAX: u32 = 4_194_303;

/// How deep types may nest in one another; the universal limit on structures is 255, and arrays,
/// matrices and vectors inside them add a few.
pub const TYPE_NESTING_DEPTH_MAX: u32 = 300;

/// Members of a structure (SPIR-V universal limit).
pub const STRUCT_MEMBER_COUNT_MAX: usize = 16_383;

/// Decorations that groups may expand to, as a multiple of the module's words.
pub const GROUP_DECORATION_FACTOR_MAX: usize = 4;

/// Constituents that the evaluation of constants may produce beyond those written in the module
/// (shuffles and insertions copy composites), as a multiple of the module's words.
pub const CONSTANT_COPY_FACTOR_MAX: usize = 16;
