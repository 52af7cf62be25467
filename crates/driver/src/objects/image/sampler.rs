//! Samplers.

use crate::error::{Error, Result};
use pyro_abi::SamplerRecord;
use pyro_abi::image::processing as bits;
use pyro_compile::image_functions::{ImageFunctionCache, SamplerState};
use pyro_image::{AddressMode, CompareOp, CubicWeights, Filter, Reduction, SamplerKey};
use pyro_sanitizer::commands::resources::LiveSampler;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What a sampler is made from.
#[derive(Clone, Copy, Debug)]
pub struct SamplerInfo {
    /// Filter for magnification.
    pub mag_filter: vk::Filter,
    /// Filter for minification.
    pub min_filter: vk::Filter,
    /// Between levels.
    pub mipmap_mode: vk::SamplerMipmapMode,
    /// Beyond the edges, in u, v and w.
    pub address_modes: [vk::SamplerAddressMode; 3],
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// The most samples of anisotropic filtering; none: isotropic.
    pub max_anisotropy: Option<f32>,
    /// The test of depth comparison; none: no comparison.
    pub compare: Option<vk::CompareOp>,
    /// Least level of detail.
    pub min_lod: f32,
    /// Most level of detail.
    pub max_lod: f32,
    /// The colour of the border.
    pub border: Border,
    /// Coordinates count texels.
    pub unnormalized: bool,
    /// A `VkSamplerYcbcrConversion` is chained.
    pub has_conversion: bool,
    /// Average, minimum or maximum.
    pub reduction: vk::SamplerReductionMode,
    /// Weights of cubic filters.
    pub cubic_weights: vk::CubicFilterWeightsQCOM,
    /// Cubes' faces are filtered alone.
    pub non_seamless_cube: bool,
    /// For weighted sampling, box filters and block matching (`VK_SAMPLER_CREATE_IMAGE_PROCESSING_BIT_QCOM`).
    pub processing: Option<Window>,
}

/// The window of a sampler for block matching (`VkSamplerBlockMatchWindowCreateInfoQCOM`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Width and height; zeros where there is none.
    pub extent: [u32; 2],
    /// The greatest error is wanted, not the least.
    pub wants_max: bool,
}

impl SamplerInfo {
    /// What image processing instructions are told of it.
    fn processing_word(&self) -> u32 {
        let Some(window) = self.processing else { return 0 };
        let reduction = match self.reduction {
            vk::SamplerReductionMode::MIN => bits::REDUCTION_MIN,
            vk::SamplerReductionMode::MAX => bits::REDUCTION_MAX,
            _ => bits::REDUCTION_ADD,
        };
        let [width, height] = window.extent.map(|extent| extent.min(bits::FILTER_MAX));
        u32::from(!self.unnormalized) << bits::NORMALIZED
            | reduction << bits::REDUCTION
            | u32::from(window.wants_max) << bits::WINDOW_MAX
            | width << bits::WINDOW_WIDTH
            | height << bits::WINDOW_HEIGHT
    }

    /// The function that reads a texel where its centre is, for a sampler for image processing: what else
    /// these do is up to their instructions.
    fn of_texels(self) -> SamplerInfo {
        SamplerInfo {
            mag_filter: vk::Filter::NEAREST,
            min_filter: vk::Filter::NEAREST,
            mipmap_mode: vk::SamplerMipmapMode::NEAREST,
            lod_bias: 0.0,
            max_anisotropy: None,
            compare: None,
            min_lod: 0.0,
            max_lod: 0.0,
            unnormalized: true,
            reduction: vk::SamplerReductionMode::WEIGHTED_AVERAGE,
            ..self
        }
    }
}

/// A border colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Bits of floats or integers.
    pub color: [u32; 4],
    /// The bits are of integers.
    pub is_integer: bool,
    /// Its alpha is one and red, green, blue are zero or one, as in Vulkan's opaque colours.
    pub is_custom: bool,
}

impl Border {
    /// One of Vulkan's colours, or the custom one.
    ///
    /// # Errors
    /// For unknown colours, and custom ones without their value.
    pub fn new(color: vk::BorderColor, custom: Option<[u32; 4]>) -> Result<Border> {
        let one = 1_f32.to_bits();
        let (color, is_integer, is_custom) = match color {
            vk::BorderColor::FLOAT_TRANSPARENT_BLACK => ([0; 4], false, false),
            vk::BorderColor::INT_TRANSPARENT_BLACK => ([0; 4], true, false),
            vk::BorderColor::FLOAT_OPAQUE_BLACK => ([0, 0, 0, one], false, false),
            vk::BorderColor::INT_OPAQUE_BLACK => ([0, 0, 0, 1], true, false),
            vk::BorderColor::FLOAT_OPAQUE_WHITE => ([one; 4], false, false),
            vk::BorderColor::INT_OPAQUE_WHITE => ([1; 4], true, false),
            vk::BorderColor::FLOAT_CUSTOM_EXT | vk::BorderColor::INT_CUSTOM_EXT => {
                let missing = || {
                    Error::misuse(
                        "a custom border colour without its value (VUID-VkSamplerCreateInfo-borderColor-04011)",
                    )
                };
                (custom.ok_or_else(missing)?, color == vk::BorderColor::INT_CUSTOM_EXT, true)
            }
            other => return Err(Error::unsupported(format!("the border colour {other:?}"))),
        };
        Ok(Border { color, is_integer, is_custom })
    }
}

/// A `VkSampler`.
pub struct Sampler {
    info: SamplerInfo,
    /// Descriptors hold its address.
    record: Arc<[SamplerRecord]>,
    /// Behind the record, which it retires.
    #[expect(dead_code, reason = "keeps what the record points at")]
    state: SamplerState,
    #[expect(dead_code, reason = "keeps the sampler known to the sanitizer")]
    live: Option<LiveSampler>,
}

fn filter(filter: vk::Filter) -> Result<Filter> {
    match filter {
        vk::Filter::NEAREST => Ok(Filter::Nearest),
        vk::Filter::LINEAR => Ok(Filter::Linear),
        vk::Filter::CUBIC_EXT => Ok(Filter::Cubic),
        other => Err(Error::unsupported(format!("the filter {other:?}"))),
    }
}

/// The compiler's name of weights.
///
/// # Errors
/// For others than those of `VK_QCOM_filter_cubic_weights`.
pub(crate) fn cubic_weights(weights: vk::CubicFilterWeightsQCOM) -> Result<CubicWeights> {
    match weights {
        vk::CubicFilterWeightsQCOM::CATMULL_ROM => Ok(CubicWeights::CatmullRom),
        vk::CubicFilterWeightsQCOM::ZERO_TANGENT_CARDINAL => Ok(CubicWeights::ZeroTangentCardinal),
        vk::CubicFilterWeightsQCOM::B_SPLINE => Ok(CubicWeights::BSpline),
        vk::CubicFilterWeightsQCOM::MITCHELL_NETRAVALI => Ok(CubicWeights::MitchellNetravali),
        other => Err(Error::unsupported(format!("the weights {other:?}"))),
    }
}

fn address_mode(mode: vk::SamplerAddressMode) -> Result<AddressMode> {
    Ok(match mode {
        vk::SamplerAddressMode::REPEAT => AddressMode::Repeat,
        vk::SamplerAddressMode::MIRRORED_REPEAT => AddressMode::MirroredRepeat,
        vk::SamplerAddressMode::CLAMP_TO_EDGE => AddressMode::ClampToEdge,
        vk::SamplerAddressMode::CLAMP_TO_BORDER => AddressMode::ClampToBorder,
        vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => AddressMode::MirrorClampToEdge,
        other => return Err(Error::unsupported(format!("the address mode {other:?}"))),
    })
}

/// The compiler's name of a comparison.
pub(crate) fn compare_op(op: vk::CompareOp) -> CompareOp {
    match op {
        vk::CompareOp::NEVER => CompareOp::Never,
        vk::CompareOp::LESS => CompareOp::Less,
        vk::CompareOp::EQUAL => CompareOp::Equal,
        vk::CompareOp::LESS_OR_EQUAL => CompareOp::LessOrEqual,
        vk::CompareOp::GREATER => CompareOp::Greater,
        vk::CompareOp::NOT_EQUAL => CompareOp::NotEqual,
        vk::CompareOp::GREATER_OR_EQUAL => CompareOp::GreaterOrEqual,
        _ => CompareOp::Always,
    }
}

fn key(info: &SamplerInfo) -> Result<SamplerKey> {
    let [u, v, w] = info.address_modes;
    let is_cubic = [info.mag_filter, info.min_filter].contains(&vk::Filter::CUBIC_EXT);
    Ok(SamplerKey {
        mag: filter(info.mag_filter)?,
        min: filter(info.min_filter)?,
        mip: match info.mipmap_mode {
            vk::SamplerMipmapMode::LINEAR => Filter::Linear,
            _ => Filter::Nearest,
        },
        address: [address_mode(u)?, address_mode(v)?, address_mode(w)?],
        anisotropic: info.max_anisotropy.is_some_and(|most| most > 1.0),
        compare: info.compare.map(compare_op),
        reduction: match info.reduction {
            vk::SamplerReductionMode::WEIGHTED_AVERAGE => Reduction::WeightedAverage,
            vk::SamplerReductionMode::MIN => Reduction::Min,
            vk::SamplerReductionMode::MAX => Reduction::Max,
            vk::SamplerReductionMode::WEIGHTED_AVERAGE_RANGECLAMP_QCOM if is_cubic => Reduction::RangeClamp,
            vk::SamplerReductionMode::WEIGHTED_AVERAGE_RANGECLAMP_QCOM => Reduction::WeightedAverage,
            other => return Err(Error::unsupported(format!("the reduction mode {other:?}"))),
        },
        cubic_weights: if is_cubic { cubic_weights(info.cubic_weights)? } else { CubicWeights::default() },
        unnormalized: info.unnormalized,
        non_seamless_cube: info.non_seamless_cube,
    })
}

impl Sampler {
    /// A sampler.
    ///
    /// # Errors
    /// For filters and address modes of features that do not exist, and when there are too many samplers.
    pub fn new(textures: &ImageFunctionCache, info: SamplerInfo) -> Result<Sampler> {
        let (given, processing) = (info, info.processing_word());
        let info = if info.processing.is_some() { info.of_texels() } else { info };
        let key = key(&info)?;
        let mut state = textures
            .sampler(&key)
            .map_err(|error| Error::new(vk::Result::ERROR_TOO_MANY_OBJECTS, error.to_string()))?;
        let mut record = SamplerRecord {
            lod_bias: info.lod_bias,
            min_lod: info.min_lod,
            max_lod: info.max_lod,
            max_anisotropy: info.max_anisotropy.unwrap_or(1.0),
            border: info.border.color,
            processing,
            ..SamplerRecord::default()
        };
        state.fill(&mut record);
        let record = state.publish(record);
        let live = crate::objects::followed::is_on()
            .then(|| LiveSampler::new(record.as_ptr().expose_provenance() as u64, key));
        Ok(Sampler { info: given, record, state, live })
    }

    /// What it was made from.
    pub fn info(&self) -> &SamplerInfo {
        &self.info
    }

    /// Where shaders find what they read of it.
    pub fn record_address(&self) -> u64 {
        self.record.as_ptr().expose_provenance() as u64
    }
}
