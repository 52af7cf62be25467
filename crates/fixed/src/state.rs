//! Pipeline state that shapes code. All of it is hashable: functions are compiled once for each key.
//!
//! Enumerations have Vulkan's names and numbers.

use pyro_abi::graphics::{COLOR_ATTACHMENTS_MAX, VertexAttributeRecord};
use pyro_image::Format;

macro_rules! numbered {
    ($( $(#[$meta:meta])* $name:ident { $($variant:ident = $number:literal),+ $(,)? } )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // Named as in Vulkan.
        pub enum $name { #[default] $($variant = $number),+ }

        impl $name {
            /// All of them in ascending order of Vulkan's numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The one with Vulkan's number.
            pub fn from_raw(number: i32) -> Option<$name> {
                match number { $($number => Some($name::$variant),)+ _ => None }
            }
        }
    )+ };
}

numbered! {
    /// The advanced operations of `VkBlendOp`.
    AdvancedOp {
        Zero = 1_000_148_000, Src = 1_000_148_001, Dst = 1_000_148_002,
        SrcOver = 1_000_148_003, DstOver = 1_000_148_004, SrcIn = 1_000_148_005,
        DstIn = 1_000_148_006, SrcOut = 1_000_148_007, DstOut = 1_000_148_008,
        SrcAtop = 1_000_148_009, DstAtop = 1_000_148_010, Xor = 1_000_148_011,
        Multiply = 1_000_148_012, Screen = 1_000_148_013, Overlay = 1_000_148_014,
        Darken = 1_000_148_015, Lighten = 1_000_148_016, ColorDodge = 1_000_148_017,
        ColorBurn = 1_000_148_018, HardLight = 1_000_148_019, SoftLight = 1_000_148_020,
        Difference = 1_000_148_021, Exclusion = 1_000_148_022, Invert = 1_000_148_023,
        InvertRgb = 1_000_148_024, LinearDodge = 1_000_148_025, LinearBurn = 1_000_148_026,
        VividLight = 1_000_148_027, LinearLight = 1_000_148_028, PinLight = 1_000_148_029,
        HardMix = 1_000_148_030, HslHue = 1_000_148_031, HslSaturation = 1_000_148_032,
        HslColor = 1_000_148_033, HslLuminosity = 1_000_148_034, Plus = 1_000_148_035,
        PlusClamped = 1_000_148_036, PlusClampedAlpha = 1_000_148_037, PlusDarker = 1_000_148_038,
        Minus = 1_000_148_039, MinusClamped = 1_000_148_040, Contrast = 1_000_148_041,
        InvertOvg = 1_000_148_042, Red = 1_000_148_043, Green = 1_000_148_044,
        Blue = 1_000_148_045,
    }
    /// `VkBlendOverlapEXT`.
    BlendOverlap { Uncorrelated = 0, Disjoint = 1, Conjoint = 2 }
    /// `VkCompareOp`.
    CompareOp {
        Never = 0, Less = 1, Equal = 2, LessOrEqual = 3, Greater = 4, NotEqual = 5, GreaterOrEqual = 6,
        Always = 7,
    }
    /// `VkStencilOp`.
    StencilOp {
        Keep = 0, Zero = 1, Replace = 2, IncrementAndClamp = 3, DecrementAndClamp = 4, Invert = 5,
        IncrementAndWrap = 6, DecrementAndWrap = 7,
    }
    /// `VkBlendFactor`.
    BlendFactor {
        Zero = 0, One = 1, SrcColor = 2, OneMinusSrcColor = 3, DstColor = 4, OneMinusDstColor = 5, SrcAlpha = 6,
        OneMinusSrcAlpha = 7, DstAlpha = 8, OneMinusDstAlpha = 9, ConstantColor = 10,
        OneMinusConstantColor = 11, ConstantAlpha = 12, OneMinusConstantAlpha = 13, SrcAlphaSaturate = 14,
        Src1Color = 15, OneMinusSrc1Color = 16, Src1Alpha = 17, OneMinusSrc1Alpha = 18,
    }
    /// `VkBlendOp`, but for the advanced ones.
    BlendOp { Add = 0, Subtract = 1, ReverseSubtract = 2, Min = 3, Max = 4 }
    /// `VkLogicOp`.
    LogicOp {
        Clear = 0, And = 1, AndReverse = 2, Copy = 3, AndInverted = 4, NoOp = 5, Xor = 6, Or = 7, Nor = 8,
        Equivalent = 9, Invert = 10, OrReverse = 11, CopyInverted = 12, OrInverted = 13, Nand = 14, Set = 15,
    }
}

/// When a binding goes on to its next element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InputRate {
    /// With every vertex.
    #[default]
    Vertex,
    /// With every so many instances; 0: never.
    Instance {
        /// Instances that share an element.
        divisor: u32,
    },
}

/// One vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexAttribute {
    /// The shader's location.
    pub location: u32,
    /// The binding that it is read from.
    pub binding: u32,
    /// The format; not compressed.
    pub format: Format,
    /// Bytes from the element's start.
    pub offset: u32,
    /// The binding's rate.
    pub rate: InputRate,
}

/// The vertex input state. An attribute's place in the list is that of its record in
/// `DrawContext::attributes`. Strides and offsets are data of the records and no part of the code, but
/// offsets are kept here to make the records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexInputState {
    /// At most 32 attributes.
    pub attributes: Vec<VertexAttribute>,
}

/// A bound vertex buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexBuffer {
    /// Address of element 0; zero when nothing (or a null buffer) is bound.
    pub address: u64,
    /// Bytes that may be read from there.
    pub size: u64,
    /// Bytes from one element to the next.
    pub stride: u32,
}

impl VertexInputState {
    /// The attribute of a location.
    pub fn attribute_at(&self, location: u32) -> Option<(usize, &VertexAttribute)> {
        self.attributes.iter().enumerate().find(|(_, attribute)| attribute.location == location)
    }

    /// The record of an attribute whose binding holds `buffer`.
    pub fn record(attribute: &VertexAttribute, buffer: VertexBuffer) -> VertexAttributeRecord {
        // Generated code computes offsets with 32 bits.
        let size = buffer.size.min(u32::MAX.into());
        let bytes = u64::from(attribute.offset) + u64::from(attribute.format.block_bytes());
        let limit = match size.checked_sub(bytes) {
            _ if buffer.address == 0 => 0,
            None => 0,
            Some(_) if buffer.stride == 0 => u64::from(u32::MAX),
            Some(rest) => (rest / u64::from(buffer.stride) + 1).min(u32::MAX.into()),
        };
        VertexAttributeRecord {
            address: buffer.address.wrapping_add(attribute.offset.into()),
            limit: limit as u32,
            stride: buffer.stride,
        }
    }
}

/// How a fragment's colour and the attachment's are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in `VkPipelineColorBlendAttachmentState`.
pub struct BlendEquation {
    pub src_color: BlendFactor,
    pub dst_color: BlendFactor,
    pub color_op: BlendOp,
    pub src_alpha: BlendFactor,
    pub dst_alpha: BlendFactor,
    pub alpha_op: BlendOp,
    /// An advanced operation in place of all that.
    pub advanced: Option<AdvancedBlend>,
}

/// An advanced blend operation (`VkPipelineColorBlendAdvancedStateCreateInfoEXT`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as there.
pub struct AdvancedBlend {
    pub op: AdvancedOp,
    pub src_premultiplied: bool,
    pub dst_premultiplied: bool,
    pub overlap: BlendOverlap,
}

/// One colour attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColorAttachmentKey {
    /// Its format.
    pub format: Format,
    /// Blending, where it is enabled.
    pub blend: Option<BlendEquation>,
    /// Bits 0 to 3: red, green, blue, alpha are written; 0 where colour writes are disabled.
    pub write_mask: u8,
}

/// The stencil test for one facing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in `VkStencilOpState`.
pub struct StencilFaceKey {
    pub fail_op: StencilOp,
    pub pass_op: StencilOp,
    pub depth_fail_op: StencilOp,
    pub compare_op: CompareOp,
}

/// The depth and stencil state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DepthStencilKey {
    /// The depth test, where it is enabled. Without it depth is not written either.
    pub depth_test: Option<CompareOp>,
    /// Depth is written where the test passes.
    pub depth_write: bool,
    /// The depth bounds test is enabled.
    pub depth_bounds_test: bool,
    /// The stencil test for front and back faces, where it is enabled.
    pub stencil: Option<[StencilFaceKey; 2]>,
}

/// The discard rectangle test, where it is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiscardRectangles {
    /// Fragments outside of all rectangles are discarded; else those inside of one.
    pub inclusive: bool,
    /// Rectangles of `DrawExtra::discard_rectangles`.
    pub count: u8,
}

/// How samples of colour attachments take the coverage of more rasterization samples
/// (`VkCoverageReductionModeNV`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CoverageReduction {
    /// Each has as many rasterization samples, one after another, of which one must be covered.
    #[default]
    Merge,
    /// Each takes that of the sample with its number; others do not count.
    Truncate,
}

/// Colours are multiplied by the share of covered samples (`VK_NV_framebuffer_mixed_samples`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoverageModulation {
    /// The first three components are.
    pub rgb: bool,
    /// The fourth is.
    pub alpha: bool,
    /// By what `DrawExtra::coverage_modulation` has for the number of samples.
    pub table: bool,
}

/// All that the code around a fragment shader depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FragmentOutputKey {
    /// The colour attachments by fragment output location.
    pub colors: [Option<ColorAttachmentKey>; COLOR_ATTACHMENTS_MAX],
    /// The logic operation, where it is enabled: then nothing is blended.
    pub logic_op: Option<LogicOp>,
    /// The depth and stencil attachment's format. Tests of aspects that it lacks always pass.
    pub depth_stencil_format: Option<Format>,
    /// Depth and stencil state.
    pub depth_stencil: DepthStencilKey,
    /// Depth that the shader writes is clamped to the viewport's range (`depthClampEnable`).
    pub depth_clamp: bool,
    /// Depth that the shader writes is not clamped to [0, 1] either.
    pub depth_unrestricted: bool,
    /// Samples of a pixel that are rasterized: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Samples of colour attachments that have fewer, by location; 0: as many.
    pub fewer_color_samples: [u8; COLOR_ATTACHMENTS_MAX],
    /// How those take coverage.
    pub coverage_reduction: CoverageReduction,
    /// Coverage modulation, where it is on.
    pub coverage_modulation: Option<CoverageModulation>,
    /// The function runs once for each sample.
    pub sample_shading: bool,
    /// Fragments have the size that `FragmentSubgroup::shading_rate` says; not for functions that run once
    /// for each sample.
    pub coarse: bool,
    /// There may be several invocations for a fragment, where [`pyro_abi::graphics::INVOCATIONS_SHIFT`] says;
    /// with `coarse`.
    pub invocations_vary: bool,
    /// The bits of a shader's sample masks are in the order of `DrawExtra::sample_orders`; with `coarse`.
    pub sample_order: bool,
    /// Coverage has [`pyro_abi::graphics::FULLY_COVERED`]; not with `coarse`.
    pub full_coverage: bool,
    /// `pSampleMask` leaves out a sample.
    pub sample_mask: bool,
    /// `alphaToCoverageEnable`.
    pub alpha_to_coverage: bool,
    /// Primitives are smooth lines: how much of a pixel one covers multiplies alpha.
    pub smooth_lines: bool,
    /// `alphaToOneEnable`.
    pub alpha_to_one: bool,
    /// Samples that pass are counted: the function writes `FragmentSubgroup::passed`.
    pub count_samples: bool,
    /// Samples lie where `DrawExtra::sample_locations` says.
    pub sample_locations: bool,
    /// The discard rectangle test.
    pub discard_rectangles: Option<DiscardRectangles>,
    /// Fragments inside of their viewport's exclusive scissor are discarded.
    pub exclusive_scissor: bool,
    /// The location whose first component becomes the mask of samples that are left
    /// (`VK_NV_fragment_coverage_to_color`).
    pub coverage_to_color: Option<u8>,
    /// Colours are dithered where [`dithers`] holds.
    pub dither: bool,
}

/// Whether colours of a format are dithered where that is on: they are normalized and have few bits.
pub fn dithers(format: Format) -> bool {
    use pyro_image::format::Numeric;
    let few = |component: &pyro_image::format::Component| {
        component.numeric == Numeric::UNorm && component.bits <= 8
    };
    !format.has_depth() && !format.has_stencil() && format.info().components.iter().all(few)
}

impl FragmentOutputKey {
    /// The depth format, where depth can be tested.
    pub fn depth_format(&self) -> Option<Format> {
        self.depth_stencil_format.filter(|format| format.has_depth())
    }

    /// The stencil format, where stencil can be tested.
    pub fn stencil_format(&self) -> Option<Format> {
        self.depth_stencil_format.filter(|format| format.has_stencil())
    }

    /// Samples of the colour attachment at a location.
    pub fn color_samples(&self, location: usize) -> u32 {
        match self.fewer_color_samples.get(location) {
            None | Some(0) => self.samples,
            Some(&fewer) => self.samples.min(fewer.into()),
        }
    }

    /// A test of depth or stencil may fail, or may change what is there.
    pub fn tests_or_writes_depth_stencil(&self) -> bool {
        let DepthStencilKey { depth_test, depth_bounds_test, stencil, .. } = &self.depth_stencil;
        self.depth_stencil_format.is_some()
            && (depth_test.is_some() || *depth_bounds_test || stencil.is_some())
    }

    /// Bits of the locations whose attachments have, of the pixels that a primitive covers, what the shader
    /// writes and nothing of what was there before; none where something else is changed than colours, or
    /// where covered samples may be left as they are.
    pub fn overwritten(&self) -> u32 {
        let is_plain = self.logic_op.is_none()
            && !self.tests_or_writes_depth_stencil()
            && self.fewer_color_samples == [0; COLOR_ATTACHMENTS_MAX]
            && self.coverage_modulation.is_none()
            && !self.sample_shading
            && !self.coarse
            && !self.sample_mask
            && !self.alpha_to_coverage
            && !self.smooth_lines
            && !self.count_samples
            && self.discard_rectangles.is_none()
            && !self.exclusive_scissor
            && self.coverage_to_color.is_none();
        if !is_plain {
            return 0;
        }
        let is_overwritten =
            |color: &ColorAttachmentKey| color.blend.is_none() && color.write_mask & 15 == 15;
        let colors = (0..).zip(&self.colors);
        colors.fold(0, |all, (location, color)| {
            all | u32::from(color.as_ref().is_some_and(is_overwritten)) << location
        })
    }

    /// Bits of all samples.
    pub fn all_samples(&self) -> u32 {
        ((1u64 << self.samples.max(1)) - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_attributes() {
        let attribute = |offset| VertexAttribute {
            location: 0,
            binding: 0,
            format: Format::R32G32_SFLOAT,
            offset,
            rate: InputRate::Vertex,
        };
        let limit = |offset, size, stride| {
            VertexInputState::record(&attribute(offset), VertexBuffer { address: 64, size, stride }).limit
        };
        assert_eq!(limit(0, 7, 8), 0);
        assert_eq!(limit(0, 8, 8), 1);
        assert_eq!(limit(4, 19, 8), 1);
        assert_eq!(limit(4, 20, 8), 2);
        assert_eq!(limit(0, 8, 0), u32::MAX);
        assert_eq!(limit(4, 8, 0), 0);
        assert_eq!(limit(0, u64::MAX, 1), u32::MAX - 7);
        let unbound = VertexInputState::record(&attribute(0), VertexBuffer::default());
        assert_eq!(unbound.limit, 0);
    }

    #[test]
    fn what_blends_or_tests_overwrites_nothing() {
        let color = ColorAttachmentKey { format: Format::R8G8B8A8_UNORM, blend: None, write_mask: 15 };
        let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
        (key.colors[0], key.colors[2]) = (Some(color), Some(color));
        assert_eq!(key.overwritten(), 0b101);
        key.colors[2] = Some(ColorAttachmentKey { write_mask: 7, ..color });
        assert_eq!(key.overwritten(), 0b001);
        key.depth_stencil_format = Some(Format::D32_SFLOAT);
        assert_eq!(key.overwritten(), 0b001);
        key.depth_stencil.depth_test = Some(CompareOp::Less);
        assert_eq!(key.overwritten(), 0);
    }

    #[test]
    fn numbers_are_vulkans() {
        for (index, &op) in LogicOp::ALL.iter().enumerate() {
            assert_eq!(LogicOp::from_raw(index as i32), Some(op));
        }
        assert_eq!(BlendFactor::from_raw(18), Some(BlendFactor::OneMinusSrc1Alpha));
        assert_eq!(CompareOp::from_raw(8), None);
    }
}
