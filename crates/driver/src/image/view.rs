//! Image views.

use super::{Image, aspects, format};
use crate::error::{Error, Result};
use pyro_abi::ImageRecord;
use pyro_compile::texture::{TextureCache, ViewFunctions};
use pyro_image::{Aspect, Format, NumericClass, Swizzle, ViewKey, ViewType};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What a view is made from.
#[derive(Clone, Copy, Debug)]
pub struct ImageViewInfo {
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
}

/// A `VkImageView`.
pub struct ImageView {
    image: Arc<Image>,
    info: ImageViewInfo,
    format: Format,
    level: u32,
    first_layer: u32,
    /// Boxed: descriptors hold its address.
    record: Box<ImageRecord>,
    #[expect(dead_code, reason = "keeps what the record points at")]
    functions: ViewFunctions,
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
        other => return Err(Error::misuse(format!("{other:?} is no type of image views"))),
    })
}

impl ImageView {
    /// A view of a bound image.
    ///
    /// # Errors
    /// When the image lacks the levels, layers or aspects, or the format does not fit it.
    pub fn new(textures: &TextureCache, image: Arc<Image>, info: ImageViewInfo) -> Result<ImageView> {
        let format = format::check_view(&image, info.format)?;
        let range = info.range;
        let level_count = image.level_count(range.base_mip_level, range.level_count)?;
        let layers = if info.ty == vk::ImageViewType::_3D {
            1
        } else {
            image.layer_count(range.base_array_layer, range.layer_count)?
        };
        if range.aspect_mask.is_empty() || !aspects(image.format()).contains(range.aspect_mask) {
            return Err(Error::misuse(
                "the image lacks the view's aspects (VUID-VkImageSubresourceRange-aspectMask-parameter)",
            ));
        }
        let cubes = matches!(info.ty, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY);
        if cubes && !layers.is_multiple_of(6) {
            return Err(Error::misuse(
                "a cube view of a number of layers that is no multiple of 6 \
                 (VUID-VkImageViewCreateInfo-viewType-02960)",
            ));
        }
        let slices = image.info().ty == vk::ImageType::_3D && info.ty != vk::ImageViewType::_3D;
        if slices && level_count != 1 {
            return Err(Error::misuse(
                "a view of slices has one level (VUID-VkImageViewCreateInfo-image-04970)",
            ));
        }
        let mut record = image.layout().view(
            image.address()?,
            (range.base_mip_level, level_count),
            (range.base_array_layer, layers),
            slices,
            format,
        );
        record.min_lod = (info.min_lod - range.base_mip_level as f32).max(0.0);
        // Shaders see one aspect; a view of both is an attachment, or its depth.
        let aspect = super::aspect_list(range.aspect_mask).next().unwrap_or(Aspect::Color);
        let components = info.components;
        let functions = textures.view(&ViewKey {
            format,
            aspect,
            view_type: view_type(info.ty)?,
            multisampled: record.samples > 1,
            single_level: level_count == 1,
            swizzle: [
                swizzle(components.r, Swizzle::R),
                swizzle(components.g, Swizzle::G),
                swizzle(components.b, Swizzle::B),
                swizzle(components.a, Swizzle::A),
            ],
        });
        functions.fill(&mut record);
        let (level, first_layer) = (range.base_mip_level, range.base_array_layer);
        Ok(ImageView { image, info, format, level, first_layer, record: Box::new(record), functions })
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

    /// Its aspects.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        self.info.range.aspect_mask
    }

    /// The image's level that is the view's first.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The image's layer (or slice) that is the view's first.
    pub fn first_layer(&self) -> u32 {
        self.first_layer
    }

    /// Whether its layers are slices of a three-dimensional image.
    pub fn is_slices(&self) -> bool {
        self.image.info().ty == vk::ImageType::_3D && self.info.ty != vk::ImageViewType::_3D
    }

    /// What shaders read of it.
    pub fn record(&self) -> &ImageRecord {
        &self.record
    }

    /// Where shaders find that.
    pub fn record_address(&self) -> u64 {
        (&raw const *self.record).expose_provenance() as u64
    }

    /// How a render pass resolves it as a colour attachment.
    pub fn color_resolve_mode(&self) -> vk::ResolveModeFlags {
        match self.format.numeric_class(Aspect::Color) {
            NumericClass::Float => vk::ResolveModeFlags::AVERAGE,
            NumericClass::SInt | NumericClass::UInt => vk::ResolveModeFlags::SAMPLE_ZERO,
        }
    }
}
