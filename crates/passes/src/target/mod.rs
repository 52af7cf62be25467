//! Passes that rewrite finished mask form for one kind of processor. Results stay the same, bit for bit.
//!
//! [`crate::pipeline::run_for_target`] is their order. They run last, and only for functions that become
//! machine code. They see the processor as a [`Target`]; they must not know encodings or registers by name.

pub mod access_group;
pub mod access_merge;
pub mod affine_guard;
pub mod atomic_scan;
pub mod biased_conversion;
pub mod bounds_group;
pub mod branch_sink;
pub mod distance_guard;
pub mod dot_product;
pub mod double_quotient;
pub mod exact_product;
pub mod flatten;
mod fronts;
pub mod interior;
mod lane_bounds;
pub mod list_schedule;
pub mod load_sink;
pub mod quad_loads;
pub mod row_guard;
pub mod software_pipeline;
pub mod spread_halves;
pub mod srgb_formula;
pub mod uniform_atomic;
mod versions;
pub mod word_splat;

/// Blocks that seldom run, since passes have made faster ones for what is usual: not worth another version.
pub type RareBlocks = rustc_hash::FxHashSet<pyro_ir::Block>;

/// What a processor is good at, as far as passes care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Target {
    /// It has 32 vector registers of 512 bits, and registers for masks.
    pub wide_vectors: bool,
    /// One instruction multiplies four bytes each and adds the products to a 32-bit sum.
    pub dot_product: bool,
    /// It multiplies and adds floats with one instruction, and one rounding.
    pub fuses: bool,
    /// One instruction adds to memory and gives what it held.
    pub fetch_adds: bool,
    /// A gather of words from the nearest cache takes less time than a square root.
    pub fast_gathers: bool,
    /// Tables of 256 values are looked up by permutations of bytes.
    pub permutes_tables: bool,
}
