//! Every limit on what is lowered, so that a small module cannot make an endless function.

use pyro_abi::raytrace::{HIT_ATTRIBUTE_WORDS, HIT_WORDS};

/// Instructions of the lowered function. Inlining can multiply a module's size; this ends it.
pub(crate) const INST_COUNT_MAX: usize = 1_000_000;

/// The same where the sanitizer adds its own.
pub(crate) const SANITIZED_INST_COUNT_MAX: usize = 4 * INST_COUNT_MAX;

/// Instructions behind which the sanitizer looks at no more reads: writes count for what others find.
pub(crate) const SANITIZED_READS_MAX: usize = 400_000;

/// Blocks of the lowered function.
pub(crate) const BLOCK_COUNT_MAX: usize = 200_000;

/// The same where the sanitizer adds its own.
pub(crate) const SANITIZED_BLOCK_COUNT_MAX: usize = 4 * BLOCK_COUNT_MAX;

/// Scalars of one value: whole arrays are seldom loaded, and small when they are.
pub(crate) const VALUE_SCALAR_COUNT_MAX: u64 = 16_384;

/// Scalars that all values at one time may hold together, counted as they are made.
pub(crate) const TOTAL_SCALAR_COUNT_MAX: u64 = 16_000_000;

/// Hit objects of one private variable: code makes each one empty.
pub(crate) const HIT_OBJECT_COUNT_MAX: u64 = 64;

/// Words of a hit object: what it is, its record and the ray, a hit and attributes
/// (`ray::hit_object`).
pub(crate) const HIT_OBJECT_WORDS: u32 = 12 + (HIT_WORDS + HIT_ATTRIBUTE_WORDS) as u32;

/// Bytes of one private variable.
pub(crate) const SLOT_BYTES_MAX: u64 = 1 << 22;

/// Bytes of workgroup memory.
pub(crate) const SHARED_BYTES_MAX: u64 = 1 << 20;

/// The same with the places through which cooperative matrices pass.
pub(crate) const STAGING_BYTES_MAX: u64 = 1 << 22;

/// Invocations of a workgroup.
pub(crate) const WORKGROUP_INVOCATION_COUNT_MAX: u64 = 4096;

/// Functions that are being inlined in one another.
pub(crate) const CALL_DEPTH_MAX: usize = 1024;
