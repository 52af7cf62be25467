//! Descriptors as they lie in a descriptor set's memory.
//!
//! A set's memory starts with a [`SetHeader`]; each binding follows at
//! [`crate::BindingLayout::offset`]. Generated code bounds-checks every access against what a descriptor
//! says, so zeroed memory is a set of null descriptors: reads give zero, writes are dropped.

/// The start of a descriptor set's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SetHeader {
    /// Bytes of the whole set, this header included. A binding of variable descriptor count is the last one
    /// and ends here, so indices into it are checked against this.
    pub size: u64,
    /// Zero.
    pub reserved: u64,
}

/// A uniform or storage buffer. 16 bytes, 16-aligned in the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BufferDescriptor {
    /// Host address of the range's first byte; zero for a null descriptor.
    pub address: u64,
    /// Bytes in the range; zero for a null descriptor.
    pub size: u64,
}

/// Bytes of a [`SetHeader`]: the smallest offset of a binding.
pub const SET_HEADER_BYTES: u32 = 16;
/// Bytes from one buffer descriptor to the next.
pub const BUFFER_DESCRIPTOR_BYTES: u32 = 16;

const _: () = assert!(size_of::<SetHeader>() == SET_HEADER_BYTES as usize);
const _: () = assert!(size_of::<BufferDescriptor>() == BUFFER_DESCRIPTOR_BYTES as usize);
