//! Words in bytes that were read from memory, in host byte order.

/// The word of 32 bits at an offset.
///
/// # Panics
/// If it is not all inside.
pub(crate) fn word(bytes: &[u8], offset: usize) -> u32 {
    u32::from_ne_bytes([bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]])
}

/// The word of 64 bits at an offset, its low half first.
///
/// # Panics
/// If it is not all inside.
pub(crate) fn wide(bytes: &[u8], offset: usize) -> u64 {
    let (low, high) = (word(bytes, offset), word(bytes, offset + 4));
    u64::from(low) | u64::from(high) << 32
}
