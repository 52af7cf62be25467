//! Image views.

use super::{Image, format, known, plane_of};
use crate::error::{Error, Result};
use crate::objects::followed;
use pyro_abi::ImageRecord;
use pyro_abi::image::processing as bits;
use pyro_compile::image_functions::{ImageFunctionCache, ViewFunctions};
use pyro_image::format::Compression;
use pyro_image::{
    Aspect, Channel, Conversion, Filter, Format, Model, NumericClass, Swizzle, ViewKey, ViewType,
};
use pyro_sanitizer::commands::resources::LiveView;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// A `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug)]
pub struct YcbcrConversion {
    /// The format of the views.
    pub format: vk::Format,
    /// From luma and chroma to red, green and blue.
    pub model: vk::SamplerYcbcrModelConversion,
    /// What part of the numbers is used.
    pub range: vk::SamplerYcbcrRange,
    /// Where components come from.
    pub components: vk::ComponentMapping,
    /// Where chroma lies, in x and y.
    pub offsets: [vk::ChromaLocation; 2],
    /// The filter of chroma.
    pub chroma_filter: vk::Filter,
    /// Whether luma, and whether chroma, is encoded as sRGB is.
    pub degamma: [bool; 2],
}

impl YcbcrConversion {
    /// Checks what is encoded as sRGB is.
    ///
    /// # Errors
    /// When that is something, and components have no eight bits.
    pub fn check(&self) -> Result<()> {
        if self.degamma == [false; 2] {
            return Ok(());
        }
        let planar = format::planar(self.format);
        let single = if planar.is_some() { None } else { Some(format::find(self.format)?) };
        let mut formats = planar.map_or(&[][..], |planar| planar.planes).iter().copied().chain(single);
        let is_unorm8 = |one: &pyro_image::format::Component| {
            one.channel == Channel::A || one.bits == 8 && one.numeric == pyro_image::Numeric::UNorm
        };
        if formats.all(|format| !format.is_compressed() && format.info().components.iter().all(is_unorm8)) {
            return Ok(());
        }
        Err(Error::misuse(
            "degamma of components of another size than eight bits \
             (VUID-VkSamplerYcbcrConversionCreateInfo-pNext-09209)",
        ))
    }

    /// What sampling functions are told.
    ///
    /// # Errors
    /// For formats that cannot be sampled.
    fn key(&self) -> Result<Conversion> {
        let planar = format::planar(self.format);
        let first = match planar {
            Some(planar) => planar.planes[0],
            None => format::find(self.format)?,
        };
        let chroma = |plane: usize| planar.and_then(|planar| planar.planes.get(plane).copied());
        let components = self.components;
        Ok(Conversion {
            planes: [chroma(1), chroma(2)],
            halved: planar.map_or([false; 2], |planar| planar.halved),
            cosited: self.offsets.map(|offset| offset == vk::ChromaLocation::COSITED_EVEN),
            chroma_filter: if self.chroma_filter == vk::Filter::LINEAR {
                Filter::Linear
            } else {
                Filter::Nearest
            },
            model: match self.model {
                vk::SamplerYcbcrModelConversion::YCBCR_IDENTITY => Model::YcbcrIdentity,
                vk::SamplerYcbcrModelConversion::YCBCR_709 => Model::Ycbcr709,
                vk::SamplerYcbcrModelConversion::YCBCR_601 => Model::Ycbcr601,
                vk::SamplerYcbcrModelConversion::YCBCR_2020 => Model::Ycbcr2020,
                _ => Model::RgbIdentity,
            },
            narrow: self.range == vk::SamplerYcbcrRange::ITU_NARROW,
            components: [
                swizzle(components.r, Swizzle::R),
                swizzle(components.g, Swizzle::G),
                swizzle(components.b, Swizzle::B),
                swizzle(components.a, Swizzle::A),
            ],
            bits: first.info().components[0].bits.clamp(8, 16),
            degamma: self.degamma,
        })
    }
}

/// What a view is made from.
#[derive(Clone, Copy, Debug)]
pub struct ImageViewInfo {
    /// How samplers convert what they read.
    pub conversion: Option<YcbcrConversion>,
    /// Its dimensions.
    pub ty: vk::ImageViewType,
    /// Its format.
    pub format: vk::Format,
    /// Where components come from.
    pub components: vk::ComponentMapping,
    /// Aspects, levels and layers.
    pub range: vk::ImageSubresourceRange,
    /// What it may be used for; none: what the image may.
    pub usage: Option<vk::ImageUsageFlags>,
    /// Least level of detail, counted from the image's first level.
    pub min_lod: f32,
    /// First slice and slices of a three-dimensional view (`VkImageViewSlicedCreateInfoEXT`).
    pub slices: Option<(u32, u32)>,
    /// What ASTC blocks are decoded to (`VkImageViewASTCDecodeModeEXT`); none: halves.
    pub decode_mode: Option<vk::Format>,
    /// Of a weight image (`VkImageViewSampleWeightCreateInfoQCOM`).
    pub weights: Option<Weights>,
}

/// The filter of a weight image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Its centre.
    pub center: [i32; 2],
    /// Width and height.
    pub size: [u32; 2],
    /// Phases of both directions together.
    pub phases: u32,
}

impl Weights {
    /// What image processing instructions are told.
    ///
    /// # Errors
    /// For filters above the limits, and numbers of phases that are no square of a power of two.
    fn word(&self) -> Result<u32> {
        let [width, height] = self.size;
        let [x, y] = self.center.map(|center| u32::try_from(center).unwrap_or(u32::MAX));
        let fits = width <= bits::FILTER_MAX && height <= bits::FILTER_MAX && x < width && y < height;
        if !fits {
            return Err(Error::misuse(
                "a filter of weights that is too large, or whose centre is outside \
                 (VUID-VkImageViewSampleWeightCreateInfoQCOM-filterSize-06958, \
                 VUID-VkImageViewSampleWeightCreateInfoQCOM-filterCenter-06960)",
            ));
        }
        let log2 = self.phases.trailing_zeros();
        if !self.phases.is_power_of_two() || !log2.is_multiple_of(2) || self.phases > bits::PHASES_MAX {
            return Err(Error::misuse(format!(
                "a filter of {} phases (VUID-VkImageViewSampleWeightCreateInfoQCOM-numPhases-06962)",
                self.phases
            )));
        }
        Ok(width << bits::WEIGHTS_WIDTH
            | height << bits::WEIGHTS_HEIGHT
            | x << bits::WEIGHTS_CENTER_X
            | y << bits::WEIGHTS_CENTER_Y
            | (log2 / 2) << bits::WEIGHTS_PHASES)
    }
}

impl ImageViewInfo {
    /// Whether ASTC blocks are decoded to eight bits a component.
    ///
    /// # Errors
    /// When the format has no such blocks, or they are not decoded to that.
    fn decodes_to_unorm8(&self, format: Format) -> Result<bool> {
        let Some(mode) = self.decode_mode else { return Ok(false) };
        if !matches!(format.info().compression, Some(Compression::Astc(..))) {
            return Err(Error::misuse(
                "a decode mode of a format other than ASTC (VUID-VkImageViewASTCDecodeModeEXT-format-04084)",
            ));
        }
        match mode {
            vk::Format::R8G8B8A8_UNORM => Ok(true),
            vk::Format::R16G16B16A16_SFLOAT => Ok(false),
            vk::Format::E5B9G9R9_UFLOAT_PACK32 => Err(Error::misuse(
                "the feature decodeModeSharedExponent is missing (VUID-VkImageViewASTCDecodeModeEXT-decodeMode-02231)",
            )),
            _ => Err(Error::misuse(format!(
                "{mode:?} is not a decode mode (VUID-VkImageViewASTCDecodeModeEXT-decodeMode-02230)"
            ))),
        }
    }
}

/// A `VkImageView`.
pub struct ImageView {
    image: Arc<Image>,
    info: ImageViewInfo,
    format: Format,
    level: u32,
    first_layer: u32,
    /// For storage images alone: of some slices.
    storage: Option<Arc<[ImageRecord]>>,
    /// Descriptors hold the address. With a conversion, one for each plane.
    records: Arc<[ImageRecord]>,
    /// Behind the records, which it retires.
    #[expect(dead_code, reason = "keeps what the record points at")]
    functions: ViewFunctions,
    #[expect(dead_code, reason = "keeps the view known to the sanitizer")]
    live: Vec<LiveView>,
}

/// What a component of a view is.
fn swizzle(mapping: vk::ComponentSwizzle, identity: Swizzle) -> Swizzle {
    match mapping {
        vk::ComponentSwizzle::ZERO => Swizzle::Zero,
        vk::ComponentSwizzle::ONE => Swizzle::One,
        vk::ComponentSwizzle::R => Swizzle::R,
        vk::ComponentSwizzle::G => Swizzle::G,
        vk::ComponentSwizzle::B => Swizzle::B,
        vk::ComponentSwizzle::A => Swizzle::A,
        _ => identity,
    }
}

fn view_type(ty: vk::ImageViewType) -> Result<ViewType> {
    Ok(match ty {
        vk::ImageViewType::_1D => ViewType::D1,
        vk::ImageViewType::_1D_ARRAY => ViewType::D1Array,
        vk::ImageViewType::_2D => ViewType::D2,
        vk::ImageViewType::_2D_ARRAY => ViewType::D2Array,
        vk::ImageViewType::_3D => ViewType::D3,
        vk::ImageViewType::CUBE => ViewType::Cube,
        vk::ImageViewType::CUBE_ARRAY => ViewType::CubeArray,
        other => return Err(Error::misuse(format!("{other:?} is not an image view type"))),
    })
}

/// Makes a view known to the sanitizer by its records, where that follows commands.
fn make_known(
    image: &Image,
    info: &ImageViewInfo,
    format: Format,
    records: [Option<&Arc<[ImageRecord]>>; 2],
) -> Vec<LiveView> {
    if !followed::is_on() {
        return Vec::new();
    }
    let view = known::view(image, info, format);
    let addresses = records.into_iter().flatten().map(|records| records.as_ptr().expose_provenance() as u64);
    addresses.map(|record| LiveView::new(record, view.clone())).collect()
}

impl ImageView {
    /// A view of a bound image.
    ///
    /// # Errors
    /// When the image lacks the levels, layers or aspects, or the format does not fit it.
    pub fn new(
        textures: &ImageFunctionCache,
        image: Arc<Image>,
        mut info: ImageViewInfo,
    ) -> Result<ImageView> {
        info.range.aspect_mask = image.aspects_of(info.range.aspect_mask)?;
        let format = format::check_view(&image, info.format, info.range.aspect_mask)?;
        let range = info.range;
        let level_count = image.level_count(range.base_mip_level, range.level_count)?;
        let layers = if info.ty == vk::ImageViewType::_3D {
            1
        } else {
            image.layer_count(range.base_mip_level, range.base_array_layer, range.layer_count)?
        };
        let cubes = matches!(info.ty, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY);
        if cubes && !layers.is_multiple_of(6) {
            return Err(Error::misuse(
                "a cube view whose number of layers is not a multiple of 6 \
                 (VUID-VkImageViewCreateInfo-viewType-02960)",
            ));
        }
        let slices = image.info().ty == vk::ImageType::_3D && info.ty != vk::ImageViewType::_3D;
        if slices && level_count != 1 {
            return Err(Error::misuse(
                "a view of slices has one level (VUID-VkImageViewCreateInfo-image-04970)",
            ));
        }
        let is_3d = image.info().ty == vk::ImageType::_3D;
        if image.is_tiled() && (info.slices.is_some() || is_3d != (info.ty == vk::ImageViewType::_3D)) {
            return Err(Error::misuse(
                "a view of slices of a sparse image (VUID-VkImageViewCreateInfo-image-06723)",
            ));
        }
        let view_slices = match info.slices {
            Some((first, count)) if info.ty == vk::ImageViewType::_3D => {
                if level_count != 1 {
                    return Err(Error::misuse(
                        "a view of some slices has one level (VUID-VkImageViewSlicedCreateInfoEXT-None-07870)",
                    ));
                }
                Some((first, image.slice_count(range.base_mip_level, first, count)?))
            }
            _ => None,
        };
        let is_corner_sampled = image.info().flags.contains(vk::ImageCreateFlags::CORNER_SAMPLED_NV);
        let record = |plane: usize, format: Format| -> Result<ImageRecord> {
            let mut record = image.plane(plane)?.layout.view(
                image.address(plane)?,
                (range.base_mip_level, level_count),
                (range.base_array_layer, layers),
                slices,
                format,
            );
            let no_alpha = u32::from(format.component(Channel::A).is_none()) << bits::NO_ALPHA;
            let at_corners = u32::from(is_corner_sampled) << bits::CORNER_SAMPLED;
            record.weights = info.weights.map_or(Ok(0), |weights| weights.word())? | no_alpha | at_corners;
            record.min_lod = (info.min_lod - range.base_mip_level as f32).max(0.0);
            Ok(record)
        };
        let first_plane = plane_of(range.aspect_mask);
        let mut records = vec![record(first_plane, format)?];
        let conversion = match &info.conversion {
            Some(conversion) => Some(conversion.key()?),
            None => None,
        };
        if let Some(conversion) = &conversion
            && first_plane == 0
        {
            for (number, &format) in conversion.planes.iter().flatten().enumerate() {
                records.push(record(number + 1, format)?);
            }
        }
        // Shaders see one aspect; a view of both is an attachment, or its depth.
        let aspect = super::aspect_list(range.aspect_mask).next().unwrap_or(Aspect::Color);
        let components = info.components;
        let mut functions = textures.view(&ViewKey {
            format,
            aspect,
            view_type: view_type(info.ty)?,
            multisampled: records[0].samples > 1,
            single_level: level_count == 1,
            swizzle: [
                swizzle(components.r, Swizzle::R),
                swizzle(components.g, Swizzle::G),
                swizzle(components.b, Swizzle::B),
                swizzle(components.a, Swizzle::A),
            ],
            conversion,
            // Blocks of sRGB formats are always decoded so.
            astc_unorm8: info.decodes_to_unorm8(format)? && !format.is_srgb(),
            sparse: image.is_tiled(),
            sample_bits: if image.is_tiled() { records[0].samples.ilog2() as u8 } else { 0 },
            corner_sampled: is_corner_sampled,
        });
        functions.fill(&mut records[0]);
        let storage = view_slices.map(|(first, count)| {
            let mut record = records[0].clone();
            record.address += u64::from(first) * u64::from(record.slice_pitch[0]);
            record.depth = count;
            functions.place(&[record])
        });
        let (level, first_layer) = (range.base_mip_level, range.base_array_layer);
        let records = functions.publish(&records);
        let live = make_known(&image, &info, format, [Some(&records), storage.as_ref()]);
        Ok(ImageView { image, info, format, level, first_layer, records, storage, functions, live })
    }

    /// The image.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// What it was made from.
    pub fn info(&self) -> &ImageViewInfo {
        &self.info
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its aspects as an attachment: of depth and stencil, what the format has, whatever the view's range
    /// names (Vulkan, `VkFramebufferCreateInfo`).
    pub fn attachment_aspects(&self) -> vk::ImageAspectFlags {
        if self.format.is_depth_stencil() { super::aspects(self.format) } else { self.info.range.aspect_mask }
    }

    /// The image's level that is the view's first.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The image's layer (or slice) that is the view's first.
    pub fn first_layer(&self) -> u32 {
        self.first_layer
    }

    /// How many layers it has.
    pub fn layer_count(&self) -> u32 {
        let range = &self.info.range;
        let count = self.image.layer_count(range.base_mip_level, range.base_array_layer, range.layer_count);
        count.unwrap_or(1)
    }

    /// Whether its layers are slices of a three-dimensional image.
    pub fn is_slices(&self) -> bool {
        self.image.info().ty == vk::ImageType::_3D && self.info.ty != vk::ImageViewType::_3D
    }

    /// What shaders read of it.
    pub fn record(&self) -> &ImageRecord {
        &self.records[0]
    }

    /// The image's plane that it shows, or the first.
    pub fn plane(&self) -> usize {
        plane_of(self.info.range.aspect_mask)
    }

    /// Where shaders find that.
    pub fn record_address(&self) -> u64 {
        self.records.as_ptr().expose_provenance() as u64
    }

    /// Where shaders find what they see of it as a storage image.
    pub fn storage_address(&self) -> u64 {
        let records = self.storage.as_ref().unwrap_or(&self.records);
        records.as_ptr().expose_provenance() as u64
    }

    /// How a render pass resolves it as a colour attachment.
    pub fn color_resolve_mode(&self) -> vk::ResolveModeFlags {
        match self.format.numeric_class(Aspect::Color) {
            NumericClass::Float => vk::ResolveModeFlags::AVERAGE,
            NumericClass::SInt | NumericClass::UInt => vk::ResolveModeFlags::SAMPLE_ZERO,
        }
    }
}
