//! Samplers.

use crate::error::{Error, Result};
use pyro_abi::image::SamplerRecord;
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
    /// Average, minimum or maximum.
    pub reduction: vk::SamplerReductionMode,
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
    /// Boxed: descriptors hold its address.
    record: Box<SamplerRecord>,
}

impl Sampler {
    /// A sampler.
    ///
    /// # Errors
    /// For filters and address modes of features that do not exist.
    pub fn new(info: SamplerInfo) -> Result<Sampler> {
        for filter in [info.mag_filter, info.min_filter] {
            if filter != vk::Filter::NEAREST && filter != vk::Filter::LINEAR {
                return Err(Error::unsupported(format!("the filter {filter:?}")));
            }
        }
        let record = SamplerRecord {
            lod_bias: info.lod_bias,
            min_lod: info.min_lod,
            max_lod: info.max_lod,
            max_anisotropy: info.max_anisotropy.unwrap_or(1.0),
            border: info.border.color,
            ..SamplerRecord::default()
        };
        Ok(Sampler { info, record: Box::new(record) })
    }

    /// What it was made from.
    pub fn info(&self) -> &SamplerInfo {
        &self.info
    }

    /// Where shaders find what they read of it.
    pub fn record_address(&self) -> u64 {
        (&raw const *self.record).expose_provenance() as u64
    }
}
