//! The static facts of views and samplers: what image functions are specialised on.

use crate::format::{Aspect, Format, NumericClass};

/// `VkImageViewType`, and texel buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum ViewType {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
    Buffer,
}

impl ViewType {
    /// Texel coordinates of one layer: 1 to 3. Two for cubes, whose layers are faces.
    pub fn dimensions(self) -> usize {
        match self {
            ViewType::D1 | ViewType::D1Array | ViewType::Buffer => 1,
            ViewType::D2 | ViewType::D2Array | ViewType::Cube | ViewType::CubeArray => 2,
            ViewType::D3 => 3,
        }
    }

    /// Coordinates for sampling, without the array layer: three for cubes.
    pub fn coordinates(self) -> usize {
        if self.is_cube() { 3 } else { self.dimensions() }
    }

    /// Faces are chosen by direction.
    pub fn is_cube(self) -> bool {
        matches!(self, ViewType::Cube | ViewType::CubeArray)
    }

    /// Has an array layer coordinate.
    pub fn is_array(self) -> bool {
        matches!(self, ViewType::D1Array | ViewType::D2Array | ViewType::CubeArray)
    }
}

/// `VkComponentSwizzle`, identity resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum Swizzle {
    Zero,
    One,
    R,
    G,
    B,
    A,
}

impl Swizzle {
    /// No change.
    pub const IDENTITY: [Swizzle; 4] = [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];

    /// The component that it takes, if it takes one.
    pub fn component(self) -> Option<usize> {
        Swizzle::IDENTITY.iter().position(|&other| other == self)
    }
}

/// The static facts of an image view or texel buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewKey {
    /// The view's format. It may differ from the image's.
    pub format: Format,
    /// The aspect that shaders see; colour for texel buffers.
    pub aspect: Aspect,
    /// Dimensions.
    pub view_type: ViewType,
    /// The image has more than one sample per texel.
    pub multisampled: bool,
    /// The view has one level only.
    pub single_level: bool,
    /// The view's component mapping.
    pub swizzle: [Swizzle; 4],
    /// The Y'CbCr conversion, with the view's format that of plane 0.
    pub conversion: Option<Conversion>,
    /// ASTC blocks are decoded to eight bits a component (`VkImageViewASTCDecodeModeEXT`): those of sRGB
    /// formats always are.
    pub astc_unorm8: bool,
    /// Memory may be bound to parts only: an image's texels lie in tiles ([`crate::layout::Tile`]), and
    /// operations tell whether there is memory.
    pub sparse: bool,
    /// Of an image in tiles, the logarithm of its samples, on which their extents depend; 0 of others.
    pub sample_bits: u8,
    /// Texels lie at the corners of cells (`VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV`): their centres have
    /// integral coordinates, and images are one cell less wide than they have texels.
    pub corner_sampled: bool,
}

/// `VkSamplerYcbcrModelConversion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum Model {
    RgbIdentity,
    YcbcrIdentity,
    Ycbcr709,
    Ycbcr601,
    Ycbcr2020,
}

/// A `VkSamplerYcbcrConversion` for views of a format. The records of planes 1 and 2 follow the view's
/// record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// The formats of planes 1 and 2: none for a format of one plane; of two planes, the second has both
    /// chroma components, blue first.
    pub planes: [Option<Format>; 2],
    /// Whether these have half as many texels in x and in y.
    pub halved: [bool; 2],
    /// Whether chroma lies where even luma does (`VK_CHROMA_LOCATION_COSITED_EVEN`), in x and in y.
    pub cosited: [bool; 2],
    /// `chromaFilter`.
    pub chroma_filter: Filter,
    /// `ycbcrModel`.
    pub model: Model,
    /// `VK_SAMPLER_YCBCR_RANGE_ITU_NARROW`.
    pub narrow: bool,
    /// `components`.
    pub components: [Swizzle; 4],
    /// Bits of a component.
    pub bits: u8,
    /// Whether luma, and whether chroma, is encoded as sRGB is
    /// (`VkSamplerYcbcrConversionYcbcrDegammaCreateInfoQCOM`).
    pub degamma: [bool; 2],
}

impl ViewKey {
    /// A view without swizzle of a single-sampled image.
    pub fn new(format: Format, aspect: Aspect, view_type: ViewType, levels: u32) -> ViewKey {
        ViewKey {
            format,
            aspect,
            view_type,
            multisampled: false,
            single_level: levels == 1,
            swizzle: Swizzle::IDENTITY,
            conversion: None,
            astc_unorm8: false,
            sparse: false,
            sample_bits: 0,
            corner_sampled: false,
        }
    }

    /// The numeric class in which shaders read the view.
    pub fn numeric_class(&self) -> NumericClass {
        self.format.numeric_class(self.aspect)
    }
}

/// `VkFilter`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum Filter {
    #[default]
    Nearest,
    Linear,
    /// Of four texels in each dimension. Cubes' faces are filtered linearly, and levels are not mixed by it.
    Cubic,
}

/// `VkCubicFilterWeightsQCOM`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum CubicWeights {
    #[default]
    CatmullRom,
    ZeroTangentCardinal,
    BSpline,
    MitchellNetravali,
}

impl CubicWeights {
    /// The weights of the four texels, from the first: each a polynomial of the fraction, whose coefficients
    /// begin with the constant one.
    pub fn polynomials(self) -> [[f32; 4]; 4] {
        let (divisor, rows) = match self {
            CubicWeights::CatmullRom => (2.0, [[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]),
            CubicWeights::ZeroTangentCardinal => {
                (1.0, [[0, -1, 2, -1], [1, 0, -2, 1], [0, 1, 1, -1], [0, 0, -1, 1]])
            }
            CubicWeights::BSpline => (6.0, [[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]),
            CubicWeights::MitchellNetravali => {
                (18.0, [[1, -9, 15, -7], [16, 0, -36, 21], [1, 9, 27, -21], [0, 0, -6, 7]])
            }
        };
        rows.map(|row| row.map(|coefficient: i8| f32::from(coefficient) / divisor))
    }
}

/// `VkSamplerAddressMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum AddressMode {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    MirrorClampToEdge,
}

/// `VkSamplerReductionMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum Reduction {
    #[default]
    WeightedAverage,
    Min,
    Max,
    /// The average of a cubic filter, brought into the range of its texels.
    RangeClamp,
}

/// `VkCompareOp`: reference, operation, texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Vulkan's.
pub enum CompareOp {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

/// The static facts of a sampler. Biases, clamps and border colours are data
/// ([`pyro_abi::SamplerRecord`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SamplerKey {
    /// `magFilter`.
    pub mag: Filter,
    /// `minFilter`.
    pub min: Filter,
    /// `mipmapMode`.
    pub mip: Filter,
    /// `addressModeU`, `V`, `W`.
    pub address: [AddressMode; 3],
    /// `anisotropyEnable`, with a `maxAnisotropy` above 1.
    pub anisotropic: bool,
    /// `compareOp` when `compareEnable`.
    pub compare: Option<CompareOp>,
    /// `reductionMode`.
    pub reduction: Reduction,
    /// `VkSamplerCubicWeightsCreateInfoQCOM::cubicWeights`, for cubic filters.
    pub cubic_weights: CubicWeights,
    /// `unnormalizedCoordinates`.
    pub unnormalized: bool,
    /// `VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT`: faces are filtered alone.
    pub non_seamless_cube: bool,
}
