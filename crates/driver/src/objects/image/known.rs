//! What the sanitizer knows of images and views.

use super::{Image, ImageViewInfo, aspect_list, sample_count};
use pyro_abi::report::declaration;
use pyro_image::{Aspect, Format, NumericClass};
use pyro_sanitizer::commands::resources::{Subresources, View};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Levels and layers of a range, which may say `VK_REMAINING_*`; of three-dimensional images all slices.
pub fn subresources(image: &Image, range: &vk::ImageSubresourceRange) -> Subresources {
    let is_3d = image.info().ty == vk::ImageType::_3D;
    let (layer, layers) = if is_3d { (0, 1) } else { (range.base_array_layer, range.layer_count) };
    Subresources { level: range.base_mip_level, levels: range.level_count, layer, layers }
}

/// The class of a format's texels, as shaders declare it.
pub(crate) fn class(format: Format, aspect: Aspect) -> u32 {
    match format.numeric_class(aspect) {
        NumericClass::Float => declaration::FLOAT,
        NumericClass::SInt => declaration::SIGNED,
        NumericClass::UInt => declaration::UNSIGNED,
    }
}

/// What a shader has to declare of a view.
fn declared(image: &Image, info: &ImageViewInfo, format: Format) -> u32 {
    let dim = match info.ty {
        vk::ImageViewType::_1D => declaration::D1,
        vk::ImageViewType::_1D_ARRAY => declaration::D1 | declaration::ARRAYED,
        vk::ImageViewType::_2D => declaration::D2,
        vk::ImageViewType::_2D_ARRAY => declaration::D2 | declaration::ARRAYED,
        vk::ImageViewType::_3D => declaration::D3,
        vk::ImageViewType::CUBE => declaration::CUBE,
        vk::ImageViewType::CUBE_ARRAY => declaration::CUBE | declaration::ARRAYED,
        _ => declaration::ANY,
    };
    let samples = if sample_count(image.info().samples) > 1 { declaration::MULTISAMPLED } else { 0 };
    let aspect = aspect_list(info.range.aspect_mask).next().unwrap_or(Aspect::Color);
    dim | samples | class(format, aspect) | declaration::format_bits(format.info().name)
}

/// What the sanitizer knows of a view.
pub(super) fn view(image: &Image, info: &ImageViewInfo, format: Format) -> View {
    let subresources = subresources(image, &info.range);
    let is_tiled = image.layout().tile.is_some();
    let [width, height, depth] = format.block_extent();
    View {
        image: image.resource().map(|resource| (Arc::clone(resource), subresources)),
        texel_bytes: if is_tiled || depth > 1 { 0 } else { format.block_bytes() },
        block: [width, height],
        declared: declared(image, info, format),
        layouts: Vec::new(),
        converts: info.conversion.is_some(),
    }
}
