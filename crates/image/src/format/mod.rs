//! Formats: one table of facts ([`Format::info`]) and what follows from them.

mod planar;
mod table;

pub use planar::Planar;
pub use table::Format;

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// Red.
    R,
    /// Green.
    G,
    /// Blue.
    B,
    /// Alpha.
    A,
    /// Depth.
    D,
    /// Stencil.
    S,
}

/// How a component's bits stand for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    /// Unsigned normalized.
    UNorm,
    /// Signed normalized.
    SNorm,
    /// Unsigned integer converted to float.
    UScaled,
    /// Signed integer converted to float.
    SScaled,
    /// Unsigned integer.
    UInt,
    /// Signed integer.
    SInt,
    /// IEEE 754 float of 16, 32 or 64 bits.
    SFloat,
    /// Unsigned float: 11 or 10 bits, or shared exponent (9).
    UFloat,
    /// Unsigned normalized with the sRGB transfer function.
    Srgb,
}

/// One component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// What it is.
    pub channel: Channel,
    /// Its lowest bit within the texel, taken as a little-endian number.
    pub offset: u16,
    /// Its width; 0 in compressed formats.
    pub bits: u8,
    /// What its bits mean.
    pub numeric: Numeric,
}

/// A block compression. Blocks have 4x4 texels, but those of ASTC, which names its own in x, y and z, and of
/// PVRTC, which names bits of a texel, with two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as the Khronos Data Format Specification does.
pub enum Compression {
    Bc1Rgb,
    Bc1Rgba,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6h,
    Bc7,
    Etc2Rgb,
    Etc2RgbA1,
    Etc2Rgba,
    EacR,
    EacRg,
    Astc(u8, u8, u8),
    Pvrtc1(u8),
    Pvrtc2(u8),
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// `VkFormat`'s name without its prefix.
    pub name: &'static str,
    /// `VkFormat`'s number.
    pub number: u32,
    /// Bytes of a texel, or of a block of a compressed format.
    pub block_bytes: u8,
    /// The components in the order R, G, B, A, D, S.
    pub components: &'static [Component],
    /// For compressed formats.
    pub compression: Option<Compression>,
}

/// The numeric class in which shaders read a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumericClass {
    /// Floats.
    Float,
    /// Signed integers.
    SInt,
    /// Unsigned integers.
    UInt,
}

/// The part of an image that a view or a copy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aspect {
    /// `VK_IMAGE_ASPECT_COLOR_BIT`.
    Color,
    /// `VK_IMAGE_ASPECT_DEPTH_BIT`.
    Depth,
    /// `VK_IMAGE_ASPECT_STENCIL_BIT`.
    Stencil,
}

/// Formats of one class may stand for one another in views (`VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT`), Vulkan's
/// "format compatibility classes".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompatibilityClass {
    /// Colour formats of this many bytes.
    Bytes(u8),
    /// `A8_UNORM`.
    Alpha,
    /// A depth or stencil format is compatible with itself only.
    DepthStencil(Format),
    /// Formats of one block compression.
    Compressed(Compression),
}

/// What a format can be used for here, in optimal and linear tiling alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Sampled images, and the source of copies and blits.
    pub sampled: bool,
    /// Linear filtering, and reduction to minimum or maximum.
    pub filtered: bool,
    /// Sampling with depth comparison.
    pub compared: bool,
    /// Storage images, with and without a format in the shader.
    pub storage: bool,
    /// Atomics on storage images and storage texel buffers.
    pub storage_atomic: bool,
    /// Colour attachments.
    pub color_attachment: bool,
    /// Blending of colour attachments.
    pub blend: bool,
    /// Depth and stencil attachments.
    pub depth_stencil_attachment: bool,
    /// Vertex attributes.
    pub vertex_buffer: bool,
    /// Uniform texel buffers.
    pub uniform_texel_buffer: bool,
    /// Storage texel buffers.
    pub storage_texel_buffer: bool,
    /// Source of a blit.
    pub blit_source: bool,
    /// Destination of a blit.
    pub blit_destination: bool,
    /// Source and destination of copies.
    pub transfer: bool,
}

impl Format {
    /// The format with this `VkFormat` number, if the table has it.
    pub fn from_number(number: u32) -> Option<Format> {
        let index = table::TABLE.binary_search_by_key(&number, |info| info.number).ok()?;
        Some(Format::ALL[index])
    }

    /// Its line of the table.
    pub fn info(self) -> &'static FormatInfo {
        &table::TABLE[self as usize]
    }

    /// `VkFormat`'s number.
    pub fn number(self) -> u32 {
        self.info().number
    }

    /// Bytes of a texel, or of a block of a compressed format, as they lie in an image.
    pub fn block_bytes(self) -> u32 {
        self.info().block_bytes.into()
    }

    /// Texels of a block in x, y and z: one of formats that are not compressed. Formats of more than one in z
    /// are for three-dimensional images only.
    pub fn block_extent(self) -> [u32; 3] {
        match self.info().compression {
            None => [1; 3],
            Some(Compression::Astc(width, height, depth)) => [width, height, depth].map(u32::from),
            Some(Compression::Pvrtc1(2) | Compression::Pvrtc2(2)) => [8, 4, 1],
            Some(_) => [4, 4, 1],
        }
    }

    /// The component of a channel, if the format has it.
    pub fn component(self, channel: Channel) -> Option<&'static Component> {
        self.info().components.iter().find(|component| component.channel == channel)
    }

    /// Has depth.
    pub fn has_depth(self) -> bool {
        self.component(Channel::D).is_some()
    }

    /// Has stencil.
    pub fn has_stencil(self) -> bool {
        self.component(Channel::S).is_some()
    }

    /// Has depth or stencil.
    pub fn is_depth_stencil(self) -> bool {
        self.has_depth() || self.has_stencil()
    }

    /// Block-compressed.
    pub fn is_compressed(self) -> bool {
        self.info().compression.is_some()
    }

    /// Whether blocks lie in Morton order, so that levels have powers of two of texels (PVRTC1).
    pub fn is_morton(self) -> bool {
        matches!(self.info().compression, Some(Compression::Pvrtc1(_)))
    }

    /// Whether texels depend on the blocks around theirs, over the edges of a level (PVRTC).
    pub fn has_blocks_around(self) -> bool {
        self.is_morton() || matches!(self.info().compression, Some(Compression::Pvrtc2(_)))
    }

    /// Whether the format has the aspect.
    pub fn has_aspect(self, aspect: Aspect) -> bool {
        match aspect {
            Aspect::Color => !self.is_depth_stencil(),
            Aspect::Depth => self.has_depth(),
            Aspect::Stencil => self.has_stencil(),
        }
    }

    /// Bytes of one texel (or block) of the aspect in a buffer, for copies (Vulkan, "Depth/Stencil Aspect
    /// Copy Table"): stencil 1, 24-bit depth 4.
    pub fn copy_bytes(self, aspect: Aspect) -> u32 {
        match aspect {
            Aspect::Color => self.block_bytes(),
            Aspect::Stencil => 1,
            Aspect::Depth => match self.component(Channel::D) {
                Some(Component { bits: 16, .. }) => 2,
                _ => 4,
            },
        }
    }

    /// The numeric class in which shaders read an aspect.
    pub fn numeric_class(self, aspect: Aspect) -> NumericClass {
        let numeric = match aspect {
            Aspect::Color => self.info().components[0].numeric,
            Aspect::Depth => return NumericClass::Float,
            Aspect::Stencil => return NumericClass::UInt,
        };
        match numeric {
            Numeric::UInt => NumericClass::UInt,
            Numeric::SInt => NumericClass::SInt,
            _ => NumericClass::Float,
        }
    }

    /// Components of 10, 12 or 14 bits in the upper bits of 16.
    pub fn is_padded(self) -> bool {
        let first = self.info().components[0];
        self.info().components.len() * 16 == usize::from(self.info().block_bytes) * 8
            && u32::from(first.bits) + u32::from(first.offset) == 16
            && matches!(first.bits, 10 | 12 | 14)
    }

    /// Components are 64 bits wide.
    pub fn is_64_bit(self) -> bool {
        self.info().components[0].bits == 64
    }

    /// Encoded with the sRGB transfer function.
    pub fn is_srgb(self) -> bool {
        self.info().components[0].numeric == Numeric::Srgb
    }

    /// Two or four components of 16-bit floats, whose texels have atomics by component.
    pub fn has_vector_atomics(self) -> bool {
        matches!(self, Format::R16G16_SFLOAT | Format::R16G16B16A16_SFLOAT)
    }

    /// A shared exponent.
    pub fn is_shared_exponent(self) -> bool {
        self == Format::E5B9G9R9_UFLOAT_PACK32
    }

    /// The depth aspect is a normalized integer (so references and results lie within [0, 1]).
    pub fn is_fixed_point_depth(self) -> bool {
        self.component(Channel::D).is_some_and(|depth| depth.numeric == Numeric::UNorm)
    }

    /// Whether an image view of the colour aspect needs a sampler Y'CbCr conversion (Vulkan, "Formats
    /// Requiring Sampler Y'CbCr Conversion"). Multi-planar formats, which all do, are [`Planar`];
    /// `R10X6G10X6B10X6A10X6` does not, by `formatRgba10x6WithoutYCbCrSampler`.
    pub fn requires_ycbcr_conversion(self) -> bool {
        self == Format::R12X4G12X4B12X4A12X4_UNORM_4PACK16
    }

    /// Whether a sampler Y'CbCr conversion may have this format.
    pub fn allows_ycbcr_conversion(self) -> bool {
        self.requires_ycbcr_conversion() || self == Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16
    }

    /// Which formats a view may put in this one's place.
    pub fn compatibility_class(self) -> CompatibilityClass {
        match self.info().compression {
            Some(Compression::Bc1Rgb) => CompatibilityClass::Compressed(Compression::Bc1Rgb),
            Some(compression) => CompatibilityClass::Compressed(compression),
            None if self.is_depth_stencil() => CompatibilityClass::DepthStencil(self),
            None if self == Format::A8_UNORM => CompatibilityClass::Alpha,
            None => CompatibilityClass::Bytes(self.info().block_bytes),
        }
    }

    /// What the format can be used for.
    pub fn features(self) -> Features {
        let info = self.info();
        let first = info.components[0];
        let scaled = matches!(first.numeric, Numeric::UScaled | Numeric::SScaled);
        let integer = matches!(first.numeric, Numeric::UInt | Numeric::SInt);
        if self.is_depth_stencil() {
            let depth = self.has_depth();
            return Features {
                sampled: true,
                filtered: depth,
                compared: depth,
                depth_stencil_attachment: true,
                blit_source: true,
                blit_destination: true,
                transfer: true,
                ..Features::default()
            };
        }
        if self.is_compressed() {
            return Features {
                sampled: true,
                filtered: true,
                blit_source: true,
                transfer: true,
                ..Features::default()
            };
        }
        if self.requires_ycbcr_conversion() {
            return Features { sampled: true, filtered: true, transfer: true, ..Features::default() };
        }
        let narrow = info.components.iter().any(|component| component.bits < 8 && component.bits != 2);
        // Scaled formats are for vertices: no other driver has images of them, and the conformance tests
        // expect normalized values there.
        if scaled || (self.is_64_bit() && (info.components.len() > 1 || !integer)) {
            return Features { vertex_buffer: !narrow, ..Features::default() };
        }
        let whole = info.block_bytes.is_power_of_two();
        let srgb = self.is_srgb();
        let plain = !srgb && !narrow && !self.is_shared_exponent();
        let padded = self.is_padded();
        let wide = self.is_64_bit();
        // Two signed bits of an integer are of no use to anybody.
        let tiny = first.numeric == Numeric::SInt && info.components.iter().any(|one| one.bits == 2);
        let storage = plain && whole && !tiny;
        let color = !wide;
        Features {
            sampled: true,
            filtered: !integer,
            compared: false,
            storage,
            storage_atomic: self.has_vector_atomics()
                || info.components.len() == 1
                    && (first.bits == 32 || first.bits == 64)
                    && first.offset == 0
                    && (integer || first.bits == 32),
            color_attachment: color,
            blend: color && !integer,
            depth_stencil_attachment: false,
            vertex_buffer: plain && !padded,
            uniform_texel_buffer: !self.allows_ycbcr_conversion(),
            storage_texel_buffer: storage && !self.allows_ycbcr_conversion(),
            blit_source: !wide,
            blit_destination: color,
            transfer: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(Format::ALL.len(), table::TABLE.len());
        for pair in table::TABLE.windows(2) {
            assert!(pair[0].number < pair[1].number, "{}", pair[1].name);
        }
        for &format in Format::ALL {
            let info = format.info();
            assert_eq!(Format::from_number(info.number), Some(format));
            assert_eq!(format!("{format:?}"), info.name);
            if format.is_compressed() {
                continue;
            }
            let mut used = vec![false; usize::from(info.block_bytes) * 8];
            for component in info.components {
                let (first, bits) = (usize::from(component.offset), usize::from(component.bits));
                assert!(first / 32 == (first + bits - 1) / 32 || bits == 64, "{}: straddles", info.name);
                for bit in &mut used[first..first + bits] {
                    assert!(!std::mem::replace(bit, true), "{}: overlap", info.name);
                }
            }
        }
    }

    /// Names say where components are: packed ones from the highest bit down, others from the lowest up.
    #[test]
    fn components_are_where_names_say() {
        for &format in Format::ALL.iter().filter(|format| !format.is_compressed()) {
            let name = format.info().name;
            let mut words = name.split('_');
            let mut layout = words.next().unwrap_or("").to_owned();
            if name.contains("_S8_") {
                layout += "S8";
            } else if layout == "X8" {
                layout += words.next().unwrap_or("");
            }
            let mut parts: Vec<(char, u16)> = Vec::new();
            for character in layout.chars() {
                match (character.to_digit(10), parts.last_mut()) {
                    (Some(digit), Some((_, bits))) => *bits = *bits * 10 + digit as u16,
                    _ => parts.push((character, 0)),
                }
            }
            if format.is_padded() {
                // Each component has its word, and padding below.
                parts = parts.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            } else if name.contains("_PACK") {
                parts.reverse();
            }
            let mut first = 0;
            let mut found = 0;
            for (letter, bits) in parts {
                let component = format
                    .info()
                    .components
                    .iter()
                    .find(|component| format!("{:?}", component.channel).starts_with(letter));
                if let Some(component) = component {
                    assert_eq!(
                        (component.offset, u16::from(component.bits)),
                        (first, bits),
                        "{name}: {letter}"
                    );
                    found += 1;
                } else {
                    assert!(matches!(letter, 'X' | 'E'), "{name}: {letter}");
                }
                first += bits;
            }
            assert_eq!(found, format.info().components.len(), "{name}");
        }
    }

    #[test]
    fn required_features_are_there() {
        use Format as F;
        for format in [F::R8G8B8A8_UNORM, F::R16G16B16A16_SFLOAT, F::R32_SFLOAT, F::A2B10G10R10_UNORM_PACK32]
        {
            let features = format.features();
            assert!(
                features.sampled && features.filtered && features.storage && features.blend,
                "{format:?}"
            );
        }
        // Direct3D's A8 is written by compute shaders; without it DXVK keeps R8 in its place.
        assert!(F::A8_UNORM.features().storage && F::A8_UNORM.features().storage_texel_buffer);
        assert!(F::B8G8R8A8_SRGB.features().blend && !F::B8G8R8A8_SRGB.features().storage);
        assert!(F::R5G6B5_UNORM_PACK16.features().color_attachment);
        assert!(F::R32_UINT.features().storage_atomic && F::R64_SINT.features().storage_atomic);
        assert!(
            F::R16G16_SFLOAT.features().storage_atomic && F::R16G16B16A16_SFLOAT.features().storage_atomic
        );
        assert!(!F::R16_SFLOAT.features().storage_atomic && !F::R16G16_UNORM.features().storage_atomic);
        assert!(!F::R16_UINT.features().storage_atomic && !F::R32G32_UINT.features().storage_atomic);
        assert!(F::R8G8B8A8_USCALED.features().vertex_buffer && !F::R8G8B8A8_USCALED.features().sampled);
        assert!(F::E5B9G9R9_UFLOAT_PACK32.features().filtered);
        for format in [F::R8G8B8_UNORM, F::B8G8R8_SRGB, F::R16G16B16_SFLOAT, F::R32G32B32_SFLOAT] {
            let features = format.features();
            assert!(features.blend && features.blit_destination && !features.storage, "{format:?}");
        }
        assert!(F::R32G32B32_UINT.features().color_attachment && !F::R32G32B32_UINT.features().blend);
        let (ten, twelve) = (F::R10X6G10X6B10X6A10X6_UNORM_4PACK16, F::R12X4G12X4B12X4A12X4_UNORM_4PACK16);
        assert!(ten.features().color_attachment && !twelve.features().color_attachment);
        for format in [ten, twelve] {
            let features = format.features();
            assert!(features.sampled && !features.uniform_texel_buffer && !features.storage_texel_buffer);
        }
        assert!(F::D24_UNORM_S8_UINT.features().depth_stencil_attachment);
        assert_eq!(F::D24_UNORM_S8_UINT.copy_bytes(Aspect::Depth), 4);
        assert_eq!(F::from_number(0), None);
    }
}
