//! Which vertex output lies in which column, and how the columns become setup data.

use super::SETUP_HEADER_BYTES;

/// The columns of a vertex function's outputs. Columns 0 to 3 are the position's x, y, z, w.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// Columns in all; at least 4.
    pub columns: u32,
    /// `PointSize`, a float.
    pub point_size: Option<u32>,
    /// First column and number of `ClipDistance`, floats.
    pub clip_distance: (u32, u32),
    /// First column and number of `CullDistance`, floats.
    pub cull_distance: (u32, u32),
    /// `Layer`, an integer.
    pub layer: Option<u32>,
    /// `ViewportIndex`, an integer.
    pub viewport_index: Option<u32>,
    /// `PrimitiveShadingRateKHR`, an integer.
    pub shading_rate: Option<u32>,
    /// The first word of `ViewportMaskNV`.
    pub viewport_mask: Option<u32>,
    /// `PrimitiveId`, an integer: what the last stage says of the primitives whose provoking vertex this is.
    pub primitive_id: Option<u32>,
    /// First column and number of the columns of `PositionPerViewNV`, four floats for each view: for a next
    /// stage that reads it. What is rasterized is the position.
    pub position_per_view: (u32, u32),
    /// The viewport's index is added to the layer (`ViewportRelativeNV`).
    pub layer_is_relative: bool,
    /// The position is the same in all shaders that compute it alike (`Invariant`).
    pub position_is_invariant: bool,
}

/// How a component gets from the vertices to a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The provoking vertex's bits (`Flat`).
    Flat,
    /// A float, interpolated in clip space.
    Perspective,
    /// A float, interpolated in the window (`NoPerspective`).
    Linear,
    /// The bits of all vertices (`PerVertexKHR`).
    PerVertex,
    /// The primitive's bits (`PerPrimitiveEXT`): the column is one of primitives.
    PerPrimitive,
    /// No output of a vertex, but where a fragment lies in a smooth line: the plane of its distance from the
    /// axis, the plane of its distance from the middle along it, half of the width, half of the length, all
    /// in pixels.
    SmoothLine,
}

impl Interpolation {
    /// Words of setup data.
    pub const fn words(self) -> u32 {
        match self {
            Interpolation::Flat | Interpolation::PerPrimitive => 1,
            Interpolation::SmoothLine => 8,
            _ => 3,
        }
    }
}

pyro_util::codec_struct!(VertexLayout {
    columns,
    point_size,
    clip_distance,
    cull_distance,
    layer,
    viewport_index,
    shading_rate,
    viewport_mask,
    primitive_id,
    position_per_view,
    layer_is_relative,
    position_is_invariant,
});
pyro_util::codec_enum!(Interpolation { Flat, Perspective, Linear, PerVertex, PerPrimitive, SmoothLine });
pyro_util::codec_struct!(Varying { column, interpolation });
pyro_util::codec_struct!(SetupLayout { varyings, offsets, bytes });

/// One 32-bit component that the fragment function reads. 64-bit values are two, narrower floats are
/// converted to 32 bits by the vertex function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Varying {
    /// Its column among the vertex outputs; `None` when the vertex stage does not write it: zero.
    pub column: Option<u32>,
    /// How it is interpolated.
    pub interpolation: Interpolation,
}

/// The words behind a [`super::PrimitiveSetup`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SetupLayout {
    varyings: Vec<Varying>,
    offsets: Vec<u32>,
    bytes: u32,
}

impl SetupLayout {
    /// A layout with no components.
    pub fn new() -> SetupLayout {
        SetupLayout { bytes: SETUP_HEADER_BYTES, ..SetupLayout::default() }
    }

    /// Adds a component; gives the byte offset of its first word from the start of the setup data.
    pub fn push(&mut self, varying: Varying) -> u32 {
        self.bytes = self.bytes.max(SETUP_HEADER_BYTES);
        let offset = self.bytes;
        self.varyings.push(varying);
        self.offsets.push(offset);
        self.bytes += 4 * varying.interpolation.words();
        offset
    }

    /// The components in order.
    pub fn varyings(&self) -> &[Varying] {
        &self.varyings
    }

    /// The byte offset of a component's first word.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn offset(&self, index: usize) -> u32 {
        self.offsets[index]
    }

    /// Bytes of one primitive's setup data, a multiple of 64.
    pub fn stride(&self) -> u32 {
        self.bytes.max(SETUP_HEADER_BYTES).next_multiple_of(64)
    }
}

/// The standard locations of the samples of a pixel, x and y in sixteenths from its upper left corner
/// (Vulkan, "Multisampling"). Empty for counts other than 1, 2, 4, 8 and 16.
pub const fn sample_positions(samples: u32) -> &'static [(u8, u8)] {
    match samples {
        1 => &[(8, 8)],
        2 => &[(12, 12), (4, 4)],
        4 => &[(6, 2), (14, 6), (2, 10), (10, 14)],
        8 => &[(9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)],
        16 => &[
            (9, 9),
            (7, 5),
            (5, 10),
            (12, 7),
            (3, 6),
            (10, 13),
            (13, 11),
            (11, 3),
            (6, 14),
            (8, 1),
            (4, 2),
            (2, 12),
            (0, 8),
            (15, 4),
            (14, 15),
            (1, 0),
        ],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_follow_the_header() {
        let mut layout = SetupLayout::new();
        assert_eq!(layout.stride(), SETUP_HEADER_BYTES);
        let mut push = |column, interpolation| layout.push(Varying { column: Some(column), interpolation });
        assert_eq!(push(4, Interpolation::Perspective), SETUP_HEADER_BYTES);
        assert_eq!(push(5, Interpolation::Flat), SETUP_HEADER_BYTES + 12);
        assert_eq!(push(6, Interpolation::PerVertex), SETUP_HEADER_BYTES + 16);
        assert_eq!((layout.offset(2), layout.stride()), (SETUP_HEADER_BYTES + 16, SETUP_HEADER_BYTES + 64));
    }
}
