//! Tensors as generated code finds them (`VK_ARM_tensors`).

/// Dimensions that a tensor may have (`maxTensorDimensionCount`).
pub const DIMENSIONS_MAX: usize = 8;
/// Bytes that a tensor may have (`maxTensorSize`): offsets in it have 32 bits.
pub const BYTES_MAX: u64 = i32::MAX as u64;
/// Elements that one instruction may read or write (`maxTensorShaderAccessArrayLength`).
pub const ACCESS_MAX: u32 = 1024;

/// A tensor view. Descriptors hold its address; zero is a null descriptor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct TensorRecord {
    /// Host address of the first element.
    pub address: u64,
    /// Elements along each dimension, the outermost first; zero behind the last dimension, so that no
    /// coordinate is inside.
    pub dimensions: [u32; DIMENSIONS_MAX],
    /// Bytes from one element to the next along each dimension.
    pub strides: [u32; DIMENSIONS_MAX],
}

/// Byte offsets of the fields, for generated code.
pub mod offset {
    use super::TensorRecord as T;
    use core::mem::offset_of;

    /// [`super::TensorRecord::address`].
    pub const ADDRESS: u32 = offset_of!(T, address) as u32;
    /// [`super::TensorRecord::dimensions`].
    pub const DIMENSIONS: u32 = offset_of!(T, dimensions) as u32;
    /// [`super::TensorRecord::strides`].
    pub const STRIDES: u32 = offset_of!(T, strides) as u32;
}
