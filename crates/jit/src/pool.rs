//! The constants of a function, which lie behind its code.

use std::collections::HashMap;

/// Offset of a constant in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant(pub(crate) u32);

impl std::fmt::Display for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{}", self.0)
    }
}

impl Constant {
    /// The place `bytes` bytes further.
    pub const fn plus(self, bytes: u32) -> Constant {
        Constant(self.0 + bytes)
    }
}

/// Bytes of a cache line.
const CACHE_LINE: u32 = 64;

/// Constants that grow.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    pub(crate) bytes: Vec<u8>,
    constants: HashMap<Box<[u8]>, Constant>,
}

impl Pool {
    /// A constant, aligned to its own size (a power of two); equal ones are shared.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> Constant {
        debug_assert!(bytes.len().is_power_of_two());
        if let Some(&constant) = self.constants.get(bytes) {
            return constant;
        }
        let constant = self.data(bytes, bytes.len() as u32);
        self.constants.insert(bytes.into(), constant);
        constant
    }

    /// Bytes of any number, aligned to a cache line; equal ones are shared.
    pub(crate) fn table(&mut self, bytes: &[u8]) -> Constant {
        if let Some(&constant) = self.constants.get(bytes) {
            return constant;
        }
        let constant = self.data(bytes, CACHE_LINE);
        self.constants.insert(bytes.into(), constant);
        constant
    }

    /// Read-only bytes at an offset that `alignment` divides, not shared with others.
    pub(crate) fn data(&mut self, bytes: &[u8], alignment: u32) -> Constant {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment as usize), 0);
        let constant = Constant(self.bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        constant
    }
}
