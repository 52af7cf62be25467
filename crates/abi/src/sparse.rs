//! Where generated code looks up whether memory is bound to a part of a sparse resource.
//!
//! Addresses of sparse resources are in windows of [`SPACE_BYTES`], which begin at multiples of
//! [`SPACE_ALIGNMENT`]. Behind each window is a table with a byte for each block of [`BLOCK_BYTES`], which is
//! [`BOUND`] where memory is bound. So an address is all that a look-up needs.

/// The unit in which memory is bound: Vulkan's standard block size.
pub const BLOCK_BYTES: u64 = 1 << BLOCK_BITS;
/// Its logarithm.
pub const BLOCK_BITS: u32 = 16;
/// Addresses for all sparse resources together.
pub const SPACE_BYTES: u64 = 3 << 39;
/// What the first address is a multiple of.
pub const SPACE_ALIGNMENT: u64 = 1 << 41;
/// Bytes of the table.
pub const TABLE_BYTES: u64 = SPACE_BYTES >> BLOCK_BITS;
/// The byte of a block to which memory is bound.
pub const BOUND: u8 = 1;

const _: () = assert!(SPACE_BYTES + TABLE_BYTES <= SPACE_ALIGNMENT);
