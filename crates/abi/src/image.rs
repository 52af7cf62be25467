//! Images and samplers: the records that descriptors point at, and how a shader calls image operations.
//!
//! A shader holds no sampling code. An image instruction writes its operands into a *call record* in scratch
//! memory and calls a function that was compiled for the static facts of the view ([`ImageRecord::view`]), of
//! the sampler ([`SamplerRecord::row`]) and of the operation ([`ImageOp`]):
//!
//! ```text
//! table    = image.functions                                  array of row addresses
//! row      = table[lanes_index(lanes) * SAMPLER_STATES_MAX + sampler.row]   array of callable addresses
//! callable = row[op.code()]
//! (callable.entry)(callable, record)
//! ```
//!
//! A table is filled from the start, at first with callables that compile what is missing, so generated code
//! checks nothing. A null descriptor is replaced by `DispatchContext::null_image` and `null_sampler`.
// `Memory::call` calls by address; the contract is on `Memory::new`.
#![allow(unsafe_code)]

use crate::Memory;
use core::mem::offset_of;
use std::ptr::with_exposed_provenance;

/// Levels of one image (2^15 texels and below).
pub const LEVELS_MAX: usize = 16;
/// Sampler states that can be alive at a time, that of row 0 (no sampler) included.
pub const SAMPLER_STATES_MAX: usize = 1024;
/// Subgroup sizes: 4, 8, 16, 32, 64.
pub const LANE_COUNTS: usize = 5;
/// Entries of one row of a function table.
pub const ROW_ENTRIES: usize = 104;
/// Entries of a function table.
pub const TABLE_ENTRIES: usize = LANE_COUNTS * SAMPLER_STATES_MAX;

/// The part of a table index that the subgroup size decides.
///
/// # Panics
/// When `lanes` is not 4, 8, 16, 32 or 64.
pub const fn lanes_index(lanes: u32) -> usize {
    assert!(lanes.is_power_of_two() && lanes >= 4 && lanes <= 64, "subgroup size");
    lanes.trailing_zeros() as usize - 2
}

/// The index of a row's address in [`ImageRecord::functions`].
pub const fn table_index(lanes: u32, sampler_row: u32) -> usize {
    lanes_index(lanes) * SAMPLER_STATES_MAX + sampler_row as usize
}

/// A descriptor of an image kind in a descriptor set: 16 bytes, 16-aligned. Zero is null. Kinds that lack one
/// half leave it zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ImageDescriptor {
    /// Address of an [`ImageRecord`].
    pub image: u64,
    /// Address of a [`SamplerRecord`].
    pub sampler: u64,
}

/// Bytes from one image descriptor to the next.
pub const IMAGE_DESCRIPTOR_BYTES: u32 = 16;
const _: () = assert!(size_of::<ImageDescriptor>() == IMAGE_DESCRIPTOR_BYTES as usize);

/// What a shader needs of an image view or texel buffer view; owned by the view. All zero but `functions` and
/// `view`, it reads as an empty image.
///
/// Texel (x, y, z) of `layer`, `level`, `sample` begins at `address + level_offset[level] + y *
/// row_pitch[level] + z * slice_pitch[level] + layer * layer_pitch + sample * sample_pitch + x * (texel
/// bytes)`, in blocks instead of texels for compressed formats.
#[derive(Clone, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct ImageRecord {
    /// Host address of the view's first texel: first level, first layer.
    pub address: u64,
    /// Address of the view's function table, [`TABLE_ENTRIES`] row addresses.
    pub functions: u64,
    /// The resolver's key of the view; in the high half what the view is, for debuggers: `pyro_image`'s code
    /// of its key, or zero.
    pub view: u64,
    /// Texels of the first level in x; elements of a texel buffer.
    pub width: u32,
    /// Texels of the first level in y (1 for one-dimensional images and buffers).
    pub height: u32,
    /// Texels of the first level in z (1 for all but three-dimensional images).
    pub depth: u32,
    /// Array layers; six for each cube.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Bytes from one layer to the next.
    pub layer_pitch: u32,
    /// Bytes from one sample to the next.
    pub sample_pitch: u32,
    /// Least level of detail (`VK_EXT_image_view_min_lod`), counted from the view's first level.
    pub min_lod: f32,
    /// What [`processing`] says of images.
    pub weights: u32,
    /// Bytes from `address` to each level.
    pub level_offset: [u32; LEVELS_MAX],
    /// Bytes from one row of texels (or blocks) to the next, for each level.
    pub row_pitch: [u32; LEVELS_MAX],
    /// Bytes from one slice of a three-dimensional image to the next, for each level.
    pub slice_pitch: [u32; LEVELS_MAX],
}

/// Texels of a dimension at a level; `extent` are those of the first one. Of corner-sampled images, halves
/// are rounded up, down to two texels; a dimension that such an image lacks has one (Vulkan, "Image Mip Level
/// Sizing").
pub const fn level_extent(extent: u32, level: u32, is_corner_sampled: bool) -> u32 {
    let level = if level < u32::BITS { level } else { u32::BITS - 1 };
    // Steps from texel to texel halve as texels of other images do.
    let beside = (is_corner_sampled && extent > 1) as u32;
    let halved = (extent - beside) >> level;
    beside + if halved == 0 { 1 } else { halved }
}

impl ImageRecord {
    /// Whether its image is corner-sampled.
    pub const fn is_corner_sampled(&self) -> bool {
        self.weights >> processing::CORNER_SAMPLED & 1 != 0
    }
}

/// What a shader needs of a sampler; owned by the sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct SamplerRecord {
    /// Row of the sampler's static state, below [`SAMPLER_STATES_MAX`]; 0 when there is no sampler.
    pub row: u32,
    /// `mipLodBias`.
    pub lod_bias: f32,
    /// `minLod`.
    pub min_lod: f32,
    /// `maxLod`.
    pub max_lod: f32,
    /// `maxAnisotropy`; 1 when anisotropy is off.
    pub max_anisotropy: f32,
    /// Of a sampler for image processing, what [`processing`] says; zero.
    pub processing: u32,
    /// The resolver's key of the sampler.
    pub key: u64,
    /// Border colour: bits of floats or integers.
    pub border: [u32; 4],
}

/// Byte offsets of the records' fields, for generated code.
pub mod image_offset {
    use super::{Callable, ImageRecord as I, SamplerRecord as S, offset_of};

    /// [`super::Callable::context`]: for image functions the address of `pyro_image`'s tables.
    pub const CALLABLE_CONTEXT: u32 = offset_of!(Callable, context) as u32;

    /// [`super::ImageRecord::address`].
    pub const ADDRESS: u32 = offset_of!(I, address) as u32;
    /// [`super::ImageRecord::functions`].
    pub const FUNCTIONS: u32 = offset_of!(I, functions) as u32;
    /// [`super::ImageRecord::view`].
    pub const VIEW: u32 = offset_of!(I, view) as u32;
    /// [`super::ImageRecord::width`].
    pub const WIDTH: u32 = offset_of!(I, width) as u32;
    /// [`super::ImageRecord::height`].
    pub const HEIGHT: u32 = offset_of!(I, height) as u32;
    /// [`super::ImageRecord::depth`].
    pub const DEPTH: u32 = offset_of!(I, depth) as u32;
    /// [`super::ImageRecord::layers`].
    pub const LAYERS: u32 = offset_of!(I, layers) as u32;
    /// [`super::ImageRecord::levels`].
    pub const LEVELS: u32 = offset_of!(I, levels) as u32;
    /// [`super::ImageRecord::samples`].
    pub const SAMPLES: u32 = offset_of!(I, samples) as u32;
    /// [`super::ImageRecord::layer_pitch`].
    pub const LAYER_PITCH: u32 = offset_of!(I, layer_pitch) as u32;
    /// [`super::ImageRecord::sample_pitch`].
    pub const SAMPLE_PITCH: u32 = offset_of!(I, sample_pitch) as u32;
    /// [`super::ImageRecord::min_lod`].
    pub const LOD_MIN: u32 = offset_of!(I, min_lod) as u32;
    /// [`super::ImageRecord::weights`].
    pub const WEIGHTS: u32 = offset_of!(I, weights) as u32;
    /// [`super::ImageRecord::level_offset`].
    pub const LEVEL_OFFSET: u32 = offset_of!(I, level_offset) as u32;
    /// [`super::ImageRecord::row_pitch`].
    pub const ROW_PITCH: u32 = offset_of!(I, row_pitch) as u32;
    /// [`super::ImageRecord::slice_pitch`].
    pub const SLICE_PITCH: u32 = offset_of!(I, slice_pitch) as u32;
    /// [`super::SamplerRecord::row`].
    pub const SAMPLER_ROW: u32 = offset_of!(S, row) as u32;
    /// [`super::SamplerRecord::lod_bias`].
    pub const SAMPLER_LOD_BIAS: u32 = offset_of!(S, lod_bias) as u32;
    /// [`super::SamplerRecord::min_lod`].
    pub const SAMPLER_MIN_LOD: u32 = offset_of!(S, min_lod) as u32;
    /// [`super::SamplerRecord::max_lod`].
    pub const SAMPLER_MAX_LOD: u32 = offset_of!(S, max_lod) as u32;
    /// [`super::SamplerRecord::max_anisotropy`].
    pub const SAMPLER_MAX_ANISOTROPY: u32 = offset_of!(S, max_anisotropy) as u32;
    /// [`super::SamplerRecord::processing`].
    pub const SAMPLER_PROCESSING: u32 = offset_of!(S, processing) as u32;
    /// [`super::SamplerRecord::border`].
    pub const SAMPLER_BORDER: u32 = offset_of!(S, border) as u32;
}

/// What image processing instructions look up in records (`VK_QCOM_image_processing`): bits of
/// [`ImageRecord::weights`] and of [`SamplerRecord::processing`], from which place on.
pub mod processing {
    /// Of a weight image: `filterSize.width`, seven bits.
    pub const WEIGHTS_WIDTH: u32 = 0;
    /// `filterSize.height`, seven bits.
    pub const WEIGHTS_HEIGHT: u32 = 7;
    /// `filterCenter.x`, below the width: six bits.
    pub const WEIGHTS_CENTER_X: u32 = 14;
    /// `filterCenter.y`, six bits.
    pub const WEIGHTS_CENTER_Y: u32 = 20;
    /// The logarithm of the phases in each direction, three bits.
    pub const WEIGHTS_PHASES: u32 = 26;
    /// Of any image: it is corner-sampled, one bit.
    pub const CORNER_SAMPLED: u32 = 30;
    /// Of any image: its format has no alpha, one bit.
    pub const NO_ALPHA: u32 = 31;

    /// Of a sampler: coordinates are normalized.
    pub const NORMALIZED: u32 = 0;
    /// How texels' values become one, two bits: one of the numbers below.
    pub const REDUCTION: u32 = 1;
    /// They are added.
    pub const REDUCTION_ADD: u32 = 0;
    /// The least.
    pub const REDUCTION_MIN: u32 = 1;
    /// The greatest.
    pub const REDUCTION_MAX: u32 = 2;
    /// The greatest error of a window is wanted.
    pub const WINDOW_MAX: u32 = 3;
    /// Width of the window, seven bits.
    pub const WINDOW_WIDTH: u32 = 4;
    /// Height of the window, seven bits.
    pub const WINDOW_HEIGHT: u32 = 11;

    /// The greatest width or height of a weight image's filter, and of a window.
    pub const FILTER_MAX: u32 = 64;
    /// The greatest number of phases, of both directions.
    pub const PHASES_MAX: u32 = 1024;
    /// The greatest width or height of blocks that are matched.
    pub const BLOCK_MAX: u32 = 64;
    /// The greatest width or height of a box.
    pub const BOX_MAX: u32 = 64;
}

crate::code_abi! {
    /// A function that can be called by address: what [`Callable::entry`] is given is the address of its own
    /// [`Callable`] and an argument. The same signature as a compiled shader's; it catches its own panics.
    pub type CallableEntry = unsafe fn(callable: u64, argument: u64) -> u32;
}

/// Something that generated code calls. Owners put it first in a larger record, or use `context`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Callable {
    /// The function.
    pub entry: CallableEntry,
    /// Free for the function's use: image functions find their constant tables here.
    pub context: u64,
}

impl Memory {
    /// Calls the [`Callable`] at `callable`. What it may do with `argument` is part of the promise that
    /// [`Memory::new`] asks for.
    pub fn call(self, callable: u64, argument: u64) -> u32 {
        let pointer = with_exposed_provenance::<Callable>(callable as usize);
        // SAFETY: the maker of the `Memory` promised that the address is that of a `Callable`, exposed, and
        // that the record it is called with is what its function expects.
        unsafe { ((*pointer).entry)(callable, argument) }
    }
}

mod op;
pub use op::{AtomicOp, GatherSource, ImageOp, LodMode};

/// The call record: a header, then columns of one 32-bit value for each lane.
///
/// The header is as long as `max(16, lanes)` words, that is a whole number of columns. Lane-form shaders keep
/// the record in a slot, whose memory is interleaved by lane: column `r` is the slot's word at
/// [`record::column_slot_offset`].
pub mod record {
    use crate::context::offset;

    /// Address of the [`super::ImageRecord`], `u64`.
    pub const IMAGE: u32 = 0;
    /// Address of the [`super::SamplerRecord`], `u64`. Meaningful for operations that use a sampler; for
    /// others any valid record, such as the null one.
    pub const SAMPLER: u32 = 8;
    /// Bit `i` is set where lane `i` takes part, `u64`: where a function's own active lanes come from.
    pub const ACTIVE_LANES: u32 = offset::ACTIVE_LANES;
    /// Not used: image functions need no scratch memory. Where one would look for its address.
    pub const SCRATCH: u32 = offset::SCRATCH;
    /// The least size of the header.
    pub const HEADER_MIN_BYTES: u32 = 64;

    /// First of four columns: coordinates as SPIR-V gives them (after projection): floats for sampling and
    /// gathering, integers for fetch, read, write and atomics; then the array layer.
    pub const COORDINATE: u32 = 0;
    /// The depth reference, a float.
    pub const DREF: u32 = 4;
    /// Explicit level of detail or bias (float), level of a fetch (integer, 0 when the instruction has
    /// none), or sample number (integer) where the image is multisampled.
    pub const LOD: u32 = 5;
    /// First of three columns: derivatives in x, floats.
    pub const DDX: u32 = 6;
    /// First of three columns: derivatives in y, floats.
    pub const DDY: u32 = 9;
    /// First of three columns: texel offsets, signed integers.
    pub const OFFSET: u32 = 12;
    /// The `MinLod` operand, a float.
    pub const LOD_MIN: u32 = 15;
    /// First of four columns. Out: the texel or the result (atomics: the first column, the old value; depth
    /// comparison: the first column; [`super::ImageOp::QueryLod`]: the first two). In: the texel to write;
    /// for atomics the operand in the first column and the comparator in the second.
    pub const TEXEL: u32 = 16;
    /// First of four columns: the high halves of 64-bit texels.
    pub const TEXEL_HIGH: u32 = 20;
    /// Columns of [`super::ImageOp::Footprint`].
    pub mod footprint {
        /// In: the granularity that is asked for, an integer.
        pub const GRANULARITY: u32 = super::DREF;
        /// In: not zero where the coarser of two levels is meant.
        pub const COARSE: u32 = super::OFFSET;
        /// Out: the first of two columns, the mask.
        pub const MASK: u32 = super::TEXEL;
        /// Out: the first of three columns, the anchor.
        pub const ANCHOR: u32 = MASK + 2;
        /// Out: the offsets, [`OFFSET_BITS`] for each dimension, x lowest.
        pub const OFFSETS: u32 = ANCHOR + 3;
        /// Bits of an offset.
        pub const OFFSET_BITS: u32 = 8;
        /// Out: the level, and in bit [`SINGLE`] whether a sample reads no other.
        pub const LEVEL: u32 = OFFSETS + 1;
        /// The bit that says so.
        pub const SINGLE: u32 = 8;
        /// Out: the granularity if it is not the one that is asked for, else zero.
        pub const COARSENED: u32 = LEVEL + 1;
        const _: () = assert!(COARSENED < super::RESIDENCY);
    }
    /// Residency code (0: resident).
    pub const RESIDENCY: u32 = 24;
    /// Number of columns.
    pub const COLUMNS: u32 = 25;

    /// Bytes of the header.
    pub const fn header_bytes(lanes: u32) -> u32 {
        if 4 * lanes > HEADER_MIN_BYTES { 4 * lanes } else { HEADER_MIN_BYTES }
    }

    /// Bytes from the record's start to a column.
    pub const fn column_offset(column: u32, lanes: u32) -> u32 {
        header_bytes(lanes) + column * 4 * lanes
    }

    /// Bytes of the whole record.
    pub const fn bytes(lanes: u32) -> u32 {
        column_offset(COLUMNS, lanes)
    }

    /// Byte offset of a column in the slot of a function in lane form.
    pub const fn column_slot_offset(column: u32, lanes: u32) -> u32 {
        column_offset(column, lanes) / lanes
    }

    /// Bytes for one lane of a slot that holds a record.
    pub const fn slot_bytes(lanes: u32) -> u32 {
        bytes(lanes) / lanes
    }
}

const _: () = assert!(size_of::<ImageRecord>() == 256 && size_of::<SamplerRecord>() == 64);
const _: () = assert!(record::SCRATCH as usize + 8 <= record::HEADER_MIN_BYTES as usize);
const _: () = assert!(record::SAMPLER + 8 <= record::ACTIVE_LANES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_whole_columns() {
        for lanes in [4, 8, 16, 32, 64] {
            assert_eq!(record::header_bytes(lanes) % (4 * lanes), 0);
            assert_eq!(record::bytes(lanes), record::slot_bytes(lanes) * lanes);
            assert_eq!(table_index(lanes, 7) % SAMPLER_STATES_MAX, 7);
        }
        assert_eq!(table_index(64, SAMPLER_STATES_MAX as u32 - 1), TABLE_ENTRIES - 1);
    }

    /// The chains of 9 and of 5 texels, and what they are of other images.
    #[test]
    fn levels_halve() {
        let chain = |extent, is_corner| [0, 1, 2, 3, 40].map(|level| level_extent(extent, level, is_corner));
        assert_eq!((chain(9, false), chain(9, true)), ([9, 4, 2, 1, 1], [9, 5, 3, 2, 2]));
        assert_eq!((chain(4, false), chain(4, true)), ([4, 2, 1, 1, 1], [4, 2, 2, 2, 2]));
        assert_eq!((chain(1, true), chain(0, true)), ([1; 5], [1; 5]));
        for extent in 2..200u32 {
            let next = |extent: u32| extent.div_ceil(2).max(2);
            for level in 0..8 {
                assert_eq!(level_extent(extent, level + 1, true), next(level_extent(extent, level, true)));
            }
        }
    }

    #[test]
    fn calls_by_address() {
        crate::code_abi! {
            unsafe fn entry(callable: u64, argument: u64) -> u32 {
                // SAFETY: called below with the address of a `Callable`.
                let context = unsafe { (*with_exposed_provenance::<Callable>(callable as usize)).context };
                (context + argument) as u32
            }
        }
        let callable = Callable { entry, context: 40 };
        let address = (&raw const callable).expose_provenance() as u64;
        // SAFETY: only the callable above is called, and it accesses nothing else.
        assert_eq!(unsafe { Memory::new() }.call(address, 2), 42);
    }
}
