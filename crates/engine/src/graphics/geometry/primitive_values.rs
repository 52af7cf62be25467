//! The per-primitive outputs of mesh shaders.

use pyro_abi::graphics::MeshLayout;

/// What primitives have for themselves: the words behind those of their corners, by their numbers in the
/// chunk.
#[derive(Default)]
pub(crate) struct PrimitiveValues {
    pub(super) words: Vec<u32>,
    first_column: usize,
    stride: usize,
}

impl PrimitiveValues {
    /// A word of a primitive.
    #[inline]
    pub(crate) fn get(&self, number: u32, column: u32) -> u32 {
        let place = self.stride * number as usize + (column as usize).wrapping_sub(self.first_column);
        self.words.get(place).copied().unwrap_or(0)
    }

    /// Bytes of memory that it holds.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.words.capacity()
    }

    pub(super) fn start(&mut self, layout: &MeshLayout) {
        self.words.clear();
        self.first_column = layout.corners as usize;
        self.stride = (layout.columns as usize).saturating_sub(self.first_column);
    }
}
