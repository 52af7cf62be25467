//! A hash map from 64-bit keys for the passes' inner loops: no iteration, so no order to depend on.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Multiplies and folds; keys here are small dense numbers.
#[derive(Clone, Copy, Default)]
pub(crate) struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// Builds [`MixHasher`]s.
pub(crate) type MixBuild = BuildHasherDefault<MixHasher>;

/// The map.
#[derive(Clone)]
pub(crate) struct FastMap<V>(HashMap<u64, V, MixBuild>);

impl<V> Default for FastMap<V> {
    fn default() -> Self {
        FastMap(HashMap::default())
    }
}

impl<V: Copy> FastMap<V> {
    pub(crate) fn get(&self, key: u64) -> Option<V> {
        self.0.get(&key).copied()
    }

    pub(crate) fn insert(&mut self, key: u64, value: V) -> Option<V> {
        self.0.insert(key, value)
    }
}
