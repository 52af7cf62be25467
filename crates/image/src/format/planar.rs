//! Multi-planar formats: which plane is which format, and how much smaller chroma's are (Vulkan, "Compatible
//! Formats of Planes of Multi-Planar Formats").

use super::Format;

/// A multi-planar format. Luma (green) is in plane 0; with three planes, blue chroma is in plane 1 and red
/// chroma in plane 2; with two, plane 1 has both, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planar {
    /// `VkFormat`'s number.
    pub number: u32,
    /// The planes' formats.
    pub planes: &'static [Format],
    /// Whether chroma has half as many texels in x and in y.
    pub halved: [bool; 2],
}

impl Planar {
    /// The format with this `VkFormat` number, if it is multi-planar.
    pub fn from_number(number: u32) -> Option<&'static Planar> {
        PLANAR.iter().find(|planar| planar.number == number)
    }

    /// Texels of a plane of an image of this extent.
    pub fn extent(&self, plane: usize, extent: [u32; 3]) -> [u32; 3] {
        let half = |axis: usize| {
            if plane > 0 && self.halved[axis] { extent[axis].div_ceil(2) } else { extent[axis] }
        };
        [half(0), half(1), extent[2]]
    }
}

const fn planar(number: u32, planes: &'static [Format], x: bool, y: bool) -> Planar {
    Planar { number, planes, halved: [x, y] }
}

/// Formats of two and of three planes, by the format of luma.
const TWO_8: &[Format] = &[Format::R8_UNORM, Format::R8G8_UNORM];
const THREE_8: &[Format] = &[Format::R8_UNORM; 3];
const TWO_10: &[Format] = &[Format::R10X6_UNORM_PACK16, Format::R10X6G10X6_UNORM_2PACK16];
const THREE_10: &[Format] = &[Format::R10X6_UNORM_PACK16; 3];
const TWO_12: &[Format] = &[Format::R12X4_UNORM_PACK16, Format::R12X4G12X4_UNORM_2PACK16];
const THREE_12: &[Format] = &[Format::R12X4_UNORM_PACK16; 3];
const TWO_14: &[Format] = &[Format::R14X2_UNORM_PACK16_ARM, Format::R14X2G14X2_UNORM_2PACK16_ARM];
const TWO_16: &[Format] = &[Format::R16_UNORM, Format::R16G16_UNORM];
const THREE_16: &[Format] = &[Format::R16_UNORM; 3];

/// In ascending order of their numbers.
static PLANAR: &[Planar] = &[
    planar(1_000_156_002, THREE_8, true, true),
    planar(1_000_156_003, TWO_8, true, true),
    planar(1_000_156_004, THREE_8, true, false),
    planar(1_000_156_005, TWO_8, true, false),
    planar(1_000_156_006, THREE_8, false, false),
    planar(1_000_156_012, THREE_10, true, true),
    planar(1_000_156_013, TWO_10, true, true),
    planar(1_000_156_014, THREE_10, true, false),
    planar(1_000_156_015, TWO_10, true, false),
    planar(1_000_156_016, THREE_10, false, false),
    planar(1_000_156_022, THREE_12, true, true),
    planar(1_000_156_023, TWO_12, true, true),
    planar(1_000_156_024, THREE_12, true, false),
    planar(1_000_156_025, TWO_12, true, false),
    planar(1_000_156_026, THREE_12, false, false),
    planar(1_000_156_029, THREE_16, true, true),
    planar(1_000_156_030, TWO_16, true, true),
    planar(1_000_156_031, THREE_16, true, false),
    planar(1_000_156_032, TWO_16, true, false),
    planar(1_000_156_033, THREE_16, false, false),
    planar(1_000_330_000, TWO_8, false, false),
    planar(1_000_330_001, TWO_10, false, false),
    planar(1_000_330_002, TWO_12, false, false),
    planar(1_000_330_003, TWO_16, false, false),
    planar(1_000_609_012, TWO_14, true, true),
    planar(1_000_609_013, TWO_14, true, false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chroma_is_halved() {
        assert!(PLANAR.is_sorted_by_key(|planar| planar.number));
        let both = Planar::from_number(1_000_156_003).unwrap();
        assert_eq!(both.extent(0, [6, 4, 1]), [6, 4, 1]);
        assert_eq!(both.extent(1, [6, 4, 1]), [3, 2, 1]);
        let wide = Planar::from_number(1_000_156_004).unwrap();
        assert_eq!(wide.extent(2, [6, 4, 1]), [3, 4, 1]);
        assert!(Planar::from_number(37).is_none());
    }
}
