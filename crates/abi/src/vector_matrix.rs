//! How matrices that cooperative vectors are multiplied with lie in memory in the layouts that are ours to
//! choose (`VkCooperativeVectorMatrixLayoutNV`): shaders read what conversions by host and device have
//! written.
//!
//! Both are row by row. For training, elements are of the matrix's own type, since shaders add to them. For
//! inferencing, floats narrower than 32 bits are stored as `f32`, which holds them exactly: so each is an
//! operand that a multiplication reads from memory, with nothing to convert.

/// `VkComponentTypeKHR`, or `ComponentType` of SPIR-V, whose numbers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComponentNumber(pub u32);

impl ComponentNumber {
    /// `FLOAT16`
    pub const FLOAT16: ComponentNumber = ComponentNumber(0);
    /// `FLOAT32`
    pub const FLOAT32: ComponentNumber = ComponentNumber(1);
    /// `SINT8`
    pub const SINT8: ComponentNumber = ComponentNumber(3);
    /// `SINT32`
    pub const SINT32: ComponentNumber = ComponentNumber(5);
    /// `UINT8`
    pub const UINT8: ComponentNumber = ComponentNumber(7);
    /// `UINT32`
    pub const UINT32: ComponentNumber = ComponentNumber(9);
    /// `SINT8_PACKED_NV`
    pub const SINT8_PACKED: ComponentNumber = ComponentNumber(1_000_491_000);
    /// `UINT8_PACKED_NV`
    pub const UINT8_PACKED: ComponentNumber = ComponentNumber(1_000_491_001);
    /// `FLOAT8_E4M3_EXT`
    pub const FLOAT8_E4M3: ComponentNumber = ComponentNumber(1_000_491_002);
    /// `FLOAT8_E5M2_EXT`
    pub const FLOAT8_E5M2: ComponentNumber = ComponentNumber(1_000_491_003);

    /// Bytes of an element by itself, of the types that matrices may have; none of others.
    pub const fn bytes(self) -> Option<u32> {
        match self {
            Self::FLOAT16 => Some(2),
            Self::FLOAT32 => Some(4),
            Self::SINT8 | Self::UINT8 | Self::FLOAT8_E4M3 | Self::FLOAT8_E5M2 => Some(1),
            _ => None,
        }
    }

    /// What its elements are in a layout.
    pub const fn stored(self, layout: MatrixLayout) -> ComponentNumber {
        match (self, layout) {
            (Self::FLOAT16 | Self::FLOAT8_E4M3 | Self::FLOAT8_E5M2, MatrixLayout::Inferencing) => {
                Self::FLOAT32
            }
            _ => self,
        }
    }
}

/// `VkCooperativeVectorMatrixLayoutNV`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixLayout {
    /// `ROW_MAJOR_NV`
    RowMajor,
    /// `COLUMN_MAJOR_NV`
    ColumnMajor,
    /// `INFERENCING_OPTIMAL_NV`
    Inferencing,
    /// `TRAINING_OPTIMAL_NV`
    Training,
}

impl MatrixLayout {
    /// By its number in the API and in SPIR-V.
    pub const fn from_number(number: u32) -> Option<MatrixLayout> {
        Some(match number {
            0 => MatrixLayout::RowMajor,
            1 => MatrixLayout::ColumnMajor,
            2 => MatrixLayout::Inferencing,
            3 => MatrixLayout::Training,
            _ => return None,
        })
    }

    /// Whether the stride is ours.
    pub const fn is_optimal(self) -> bool {
        matches!(self, MatrixLayout::Inferencing | MatrixLayout::Training)
    }
}

/// Bytes from one row of `columns` elements of `bytes` bytes to the next in an optimal layout: whole words of
/// four bytes, which products of bytes are made of.
pub const fn optimal_stride(columns: u32, bytes: u32) -> u64 {
    (columns as u64 * bytes as u64).next_multiple_of(16)
}
