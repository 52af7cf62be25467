//! BC7's modes (Khronos Data Format Specification, "BC7").

/// A mode's fields, in the order of the block.
pub(crate) struct Mode {
    pub(crate) subsets: u32,
    pub(crate) partition_bits: u32,
    pub(crate) rotation_bits: u32,
    pub(crate) selection_bits: u32,
    pub(crate) color_bits: u32,
    pub(crate) alpha_bits: u32,
    /// A bit below each end point.
    pub(crate) own_low_bits: bool,
    /// A bit below both end points of a subset.
    pub(crate) shared_low_bits: bool,
    pub(crate) index_bits: u32,
    pub(crate) second_index_bits: u32,
}

#[rustfmt::skip]
pub(crate) const MODES: [Mode; 8] = [
    Mode { subsets: 3, partition_bits: 4, rotation_bits: 0, selection_bits: 0, color_bits: 4, alpha_bits: 0,
           own_low_bits: true, shared_low_bits: false, index_bits: 3, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 6, alpha_bits: 0,
           own_low_bits: false, shared_low_bits: true, index_bits: 3, second_index_bits: 0 },
    Mode { subsets: 3, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 5, alpha_bits: 0,
           own_low_bits: false, shared_low_bits: false, index_bits: 2, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 7, alpha_bits: 0,
           own_low_bits: true, shared_low_bits: false, index_bits: 2, second_index_bits: 0 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 2, selection_bits: 1, color_bits: 5, alpha_bits: 6,
           own_low_bits: false, shared_low_bits: false, index_bits: 2, second_index_bits: 3 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 2, selection_bits: 0, color_bits: 7, alpha_bits: 8,
           own_low_bits: false, shared_low_bits: false, index_bits: 2, second_index_bits: 2 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 0, selection_bits: 0, color_bits: 7, alpha_bits: 7,
           own_low_bits: true, shared_low_bits: false, index_bits: 4, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 5, alpha_bits: 5,
           own_low_bits: true, shared_low_bits: false, index_bits: 2, second_index_bits: 0 },
];
