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
    /// Bytes in the range; zero for a null descriptor. A size above [`Self::SMALL_MAX`] is split, since code
    /// without 64-bit indexing looks at the low 32 bits and its offsets have 31: the high half is the size
    /// without its low byte, the low half some number up to `SMALL_MAX` with that byte. See [`Self::new`].
    pub size: u64,
}

impl BufferDescriptor {
    /// The largest size that is written as it is.
    pub const SMALL_MAX: u64 = i32::MAX as u64;
    /// The largest size.
    pub const SIZE_MAX: u64 = (1 << 40) - 1;
    /// Of a large size, the bits that are in the low half.
    pub const LARGE_LOW: u64 = 0xff;
    /// How far the other bits of a large size are above where they belong.
    pub const LARGE_SHIFT: u32 = 24;

    /// Of `size` bytes at `address`; at most [`Self::SIZE_MAX`] of them.
    pub const fn new(address: u64, size: u64) -> BufferDescriptor {
        if size <= Self::SMALL_MAX {
            return BufferDescriptor { address, size };
        }
        let size = if size > Self::SIZE_MAX { Self::SIZE_MAX } else { size };
        let high = (size & !Self::LARGE_LOW) << Self::LARGE_SHIFT;
        BufferDescriptor {
            address,
            size: high | (Self::SMALL_MAX & !Self::LARGE_LOW) | (size & Self::LARGE_LOW),
        }
    }

    /// Bytes of the range.
    pub const fn bytes(self) -> u64 {
        if self.size <= Self::SMALL_MAX {
            return self.size;
        }
        (self.size >> Self::LARGE_SHIFT) & !Self::LARGE_LOW | self.size & Self::LARGE_LOW
    }
}

/// Bytes of a [`SetHeader`]: the smallest offset of a binding.
pub const SET_HEADER_BYTES: u32 = 16;
/// Bytes from one buffer descriptor to the next.
pub const BUFFER_DESCRIPTOR_BYTES: u32 = 16;

const _: () = assert!(size_of::<SetHeader>() == SET_HEADER_BYTES as usize);
const _: () = assert!(size_of::<BufferDescriptor>() == BUFFER_DESCRIPTOR_BYTES as usize);
