//! What formats can do, and what images of them can be: `vkGetPhysicalDevice*FormatProperties`.

use super::IMAGE_BYTES_MAX;
use crate::caps::limits;
use crate::error::{Error, Result};
use crate::system;
use pyro_image::layout::{Tile, chain_levels};
use pyro_image::{Channel, Format, Numeric, Planar};
use pyro_raytrace::input::{Component, VertexFormat};
use vulkanalia_sys as vk;

/// The table's line of a format.
///
/// # Errors
/// `VK_ERROR_FORMAT_NOT_SUPPORTED` when it has none.
pub fn find(format: vk::Format) -> Result<Format> {
    u32::try_from(format.as_raw()).ok().and_then(Format::from_number).ok_or_else(|| unsupported(format))
}

/// A multi-planar format.
pub fn planar(format: vk::Format) -> Option<&'static Planar> {
    u32::try_from(format.as_raw()).ok().and_then(Planar::from_number)
}

/// What images of a multi-planar format can be used for.
fn planar_features(planar: &Planar) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as F;
    let features = F::SAMPLED_IMAGE
        | F::SAMPLED_IMAGE_FILTER_LINEAR
        | F::SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER
        | F::TRANSFER_SRC
        | F::TRANSFER_DST
        | F::HOST_IMAGE_TRANSFER
        | F::DISJOINT
        | F::MIDPOINT_CHROMA_SAMPLES
        | F::COSITED_CHROMA_SAMPLES;
    if planar.halved == [false; 2] {
        features
    } else {
        features | F::SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER
    }
}

fn unsupported(format: vk::Format) -> Error {
    Error::new(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, format!("{format:?} cannot be used so"))
}

/// How vertices of a format lie in memory, where acceleration structures can be built from them
/// (`VK_FORMAT_FEATURE_ACCELERATION_STRUCTURE_VERTEX_BUFFER_BIT_KHR`).
pub fn acceleration_structure_vertex(format: vk::Format) -> Option<VertexFormat> {
    let info = find(format).ok()?.info();
    let first = info.components[0];
    let component = match (first.numeric, first.bits) {
        (Numeric::SFloat, 64) => Component::Float64,
        (Numeric::SFloat, 32) => Component::Float32,
        (Numeric::SFloat, 16) => Component::Float16,
        (Numeric::SNorm, 16) => Component::Snorm16,
        (Numeric::SNorm, 8) => Component::Snorm8,
        (Numeric::UNorm, 16) => Component::Unorm16,
        (Numeric::UNorm, 8) => Component::Unorm8,
        _ => return None,
    };
    // x is first in memory, then y; z and a fourth that is not read may follow.
    let mut places = [Channel::R, Channel::G, Channel::B, Channel::A].into_iter().zip(0..);
    let is_vector = info.components.iter().all(|one| {
        let same = (one.numeric, one.bits) == (first.numeric, first.bits);
        same && places.next().is_some_and(|(channel, place)| {
            (one.channel, one.offset) == (channel, place * u16::from(first.bits))
        })
    });
    let count = info.components.len() as u32;
    (is_vector && count >= 2).then_some(VertexFormat { component, count })
}

/// What images of a format, in either tiling, can be used for.
fn image_features(format: Format) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as F;
    let features = format.features();
    let ycbcr = F::SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER
        | F::MIDPOINT_CHROMA_SAMPLES
        | F::COSITED_CHROMA_SAMPLES;
    if format.requires_ycbcr_conversion() {
        let transfer = F::TRANSFER_SRC | F::TRANSFER_DST | F::HOST_IMAGE_TRANSFER;
        return F::SAMPLED_IMAGE | F::SAMPLED_IMAGE_FILTER_LINEAR | ycbcr | transfer;
    }
    let mut flags = if format.allows_ycbcr_conversion() { ycbcr } else { F::empty() };
    for (on, flag) in [
        (features.sampled, F::SAMPLED_IMAGE),
        (
            features.filtered,
            F::SAMPLED_IMAGE_FILTER_LINEAR | F::SAMPLED_IMAGE_FILTER_MINMAX | F::SAMPLED_IMAGE_FILTER_CUBIC,
        ),
        (features.compared, F::SAMPLED_IMAGE_DEPTH_COMPARISON),
        (
            features.storage,
            F::STORAGE_IMAGE | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT,
        ),
        (features.storage_atomic, F::STORAGE_IMAGE_ATOMIC),
        (features.color_attachment, F::COLOR_ATTACHMENT),
        (features.blend, F::COLOR_ATTACHMENT_BLEND),
        (features.depth_stencil_attachment, F::DEPTH_STENCIL_ATTACHMENT),
        (features.blit_source, F::BLIT_SRC),
        (features.blit_destination, F::BLIT_DST),
        (
            features.transfer,
            F::TRANSFER_SRC | F::TRANSFER_DST | F::HOST_IMAGE_TRANSFER | F::COPY_IMAGE_INDIRECT_DST_KHR,
        ),
    ] {
        if on {
            flags |= flag;
        }
    }
    // Any format that is sampled as floats: the filters are instructions.
    if features.filtered {
        flags |= F::WEIGHT_IMAGE_QCOM
            | F::WEIGHT_SAMPLED_IMAGE_QCOM
            | F::BLOCK_MATCHING_QCOM
            | F::BOX_FILTER_SAMPLED_QCOM;
    }
    if format == Format::R8_UINT {
        flags |= F::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
    }
    if format == Format::R8G8_UNORM {
        flags |= F::FRAGMENT_DENSITY_MAP_EXT;
    }
    // Copies are the same on all queues.
    if features.transfer && format.has_depth() {
        flags |= F::DEPTH_COPY_ON_COMPUTE_QUEUE_KHR | F::DEPTH_COPY_ON_TRANSFER_QUEUE_KHR;
    }
    if features.transfer && format.has_stencil() {
        flags |= F::STENCIL_COPY_ON_COMPUTE_QUEUE_KHR | F::STENCIL_COPY_ON_TRANSFER_QUEUE_KHR;
    }
    flags
}

/// Whether views of a type are sampled with cubic filters (`VkFilterCubicImageViewImageFormatPropertiesEXT`):
/// not those of cubes, whose filters would go over two edges.
pub fn is_cubic(format: vk::Format, ty: vk::ImageViewType) -> bool {
    let features = properties3(format).optimal_tiling_features;
    features.contains(vk::FormatFeatureFlags2::SAMPLED_IMAGE_FILTER_CUBIC)
        && !matches!(ty, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY)
}

/// How radii of spheres in acceleration structures are read in a format, if they may have it
/// (`VK_FORMAT_FEATURE_2_ACCELERATION_STRUCTURE_RADIUS_BUFFER_BIT_NV`).
pub fn acceleration_structure_radius(format: vk::Format) -> Option<Component> {
    match format {
        vk::Format::R16_SFLOAT => Some(Component::Float16),
        vk::Format::R32_SFLOAT => Some(Component::Float32),
        _ => None,
    }
}

fn buffer_features(format: Format, is_structure_vertex: bool) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as F;
    let features = format.features();
    let mut flags = F::empty();
    for (on, flag) in [
        (features.vertex_buffer, F::VERTEX_BUFFER),
        (is_structure_vertex, F::ACCELERATION_STRUCTURE_VERTEX_BUFFER_KHR),
        (features.uniform_texel_buffer, F::UNIFORM_TEXEL_BUFFER),
        (
            features.storage_texel_buffer,
            F::STORAGE_TEXEL_BUFFER | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT,
        ),
        (features.storage_texel_buffer && features.storage_atomic, F::STORAGE_TEXEL_BUFFER_ATOMIC),
    ] {
        if on {
            flags |= flag;
        }
    }
    flags
}

/// `VkFormatProperties3`: all zero for a format that cannot be used.
pub fn properties3(format: vk::Format) -> vk::FormatProperties3 {
    if let Some(planar) = planar(format) {
        let features = planar_features(planar);
        return vk::FormatProperties3 {
            linear_tiling_features: features,
            optimal_tiling_features: features,
            ..Default::default()
        };
    }
    let is_structure_vertex = acceleration_structure_vertex(format).is_some();
    let is_radius = acceleration_structure_radius(format).is_some();
    let Ok(format) = find(format) else { return vk::FormatProperties3::default() };
    let image = image_features(format);
    let is_color = image.contains(vk::FormatFeatureFlags2::COLOR_ATTACHMENT);
    let linear =
        if is_color { vk::FormatFeatureFlags2::LINEAR_COLOR_ATTACHMENT_NV } else { Default::default() };
    let radius = if is_radius {
        vk::FormatFeatureFlags2::ACCELERATION_STRUCTURE_RADIUS_BUFFER_NV
    } else {
        Default::default()
    };
    vk::FormatProperties3 {
        linear_tiling_features: image | linear,
        optimal_tiling_features: image,
        buffer_features: buffer_features(format, is_structure_vertex) | radius,
        ..Default::default()
    }
}

/// `VkFormatProperties`.
pub fn properties(format: vk::Format) -> vk::FormatProperties {
    let all = properties3(format);
    vk::FormatProperties {
        linear_tiling_features: narrow(all.linear_tiling_features),
        optimal_tiling_features: narrow(all.optimal_tiling_features),
        buffer_features: narrow(all.buffer_features),
    }
}

/// Those of the features that `VkFormatFeatureFlags` has.
pub fn narrow(flags: vk::FormatFeatureFlags2) -> vk::FormatFeatureFlags {
    vk::FormatFeatureFlags::from_bits_truncate(flags.bits() as u32 & 0x7FFF_FFFF)
}

/// The features that a use of an image asks for, any of them for each use.
fn needed(usage: vk::ImageUsageFlags) -> impl Iterator<Item = vk::FormatFeatureFlags2> {
    use vk::FormatFeatureFlags2 as F;
    use vk::ImageUsageFlags as U;
    [
        (U::SAMPLED, F::SAMPLED_IMAGE),
        (U::STORAGE, F::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
        (U::INPUT_ATTACHMENT, F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT),
        (U::TRANSFER_SRC, F::TRANSFER_SRC),
        (U::TRANSFER_DST, F::TRANSFER_DST),
        (U::HOST_TRANSFER, F::HOST_IMAGE_TRANSFER),
        (U::SAMPLE_WEIGHT_QCOM, F::WEIGHT_IMAGE_QCOM),
        (U::SAMPLE_BLOCK_MATCH_QCOM, F::BLOCK_MATCHING_QCOM),
        (U::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR, F::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR),
        (U::FRAGMENT_DENSITY_MAP_EXT, F::FRAGMENT_DENSITY_MAP_EXT),
    ]
    .into_iter()
    .filter_map(move |(one, features)| usage.contains(one).then_some(features))
}

/// Uses that images can have.
const USAGES: vk::ImageUsageFlags = vk::ImageUsageFlags::SAMPLED
    .union(vk::ImageUsageFlags::STORAGE)
    .union(vk::ImageUsageFlags::COLOR_ATTACHMENT)
    .union(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT)
    .union(vk::ImageUsageFlags::INPUT_ATTACHMENT)
    .union(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT)
    .union(vk::ImageUsageFlags::TRANSFER_SRC)
    .union(vk::ImageUsageFlags::TRANSFER_DST)
    .union(vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT)
    .union(vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR)
    .union(vk::ImageUsageFlags::SAMPLE_WEIGHT_QCOM)
    .union(vk::ImageUsageFlags::SAMPLE_BLOCK_MATCH_QCOM)
    .union(vk::ImageUsageFlags::INVOCATION_MASK_HUAWEI)
    .union(vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT)
    .union(vk::ImageUsageFlags::TILE_MEMORY_QCOM)
    .union(vk::ImageUsageFlags::HOST_TRANSFER);

/// Flags that images can have.
const FLAGS: vk::ImageCreateFlags = vk::ImageCreateFlags::MUTABLE_FORMAT
    .union(vk::ImageCreateFlags::CUBE_COMPATIBLE)
    .union(vk::ImageCreateFlags::_2D_ARRAY_COMPATIBLE)
    .union(vk::ImageCreateFlags::_2D_VIEW_COMPATIBLE_EXT)
    .union(vk::ImageCreateFlags::EXTENDED_USAGE)
    .union(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE)
    .union(vk::ImageCreateFlags::SPLIT_INSTANCE_BIND_REGIONS)
    .union(vk::ImageCreateFlags::DISJOINT)
    // Depth is stored as it is, wherever samples are.
    .union(vk::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT)
    .union(vk::ImageCreateFlags::SUBSAMPLED_EXT)
    .union(vk::ImageCreateFlags::CORNER_SAMPLED_NV)
    .union(vk::ImageCreateFlags::FRAGMENT_DENSITY_MAP_OFFSET_EXT)
    .union(vk::ImageCreateFlags::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT)
    .union(vk::ImageCreateFlags::SPARSE_BINDING)
    .union(vk::ImageCreateFlags::SPARSE_RESIDENCY)
    .union(vk::ImageCreateFlags::SPARSE_ALIASED)
    .union(vk::ImageCreateFlags::ALIAS);

/// How texels of an image with sparse residency and so many samples lie in a block of memory; none where
/// there are no such images.
pub fn sparse_tile(
    number: vk::Format,
    ty: vk::ImageType,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    samples: u32,
) -> Option<Tile> {
    use vk::ImageCreateFlags as F;
    use vk::ImageUsageFlags as U;
    let format = find(number).ok().filter(|_| system::binds_sparsely())?;
    let transfers = U::TRANSFER_SRC | U::TRANSFER_DST;
    let attachments = U::COLOR_ATTACHMENT | U::DEPTH_STENCIL_ATTACHMENT | U::INPUT_ATTACHMENT;
    let uses = U::SAMPLED | U::STORAGE | attachments | transfers;
    let never = F::_2D_ARRAY_COMPATIBLE | F::_2D_VIEW_COMPATIBLE_EXT | F::DISJOINT | F::SUBSAMPLED_EXT;
    let is_3d = ty == vk::ImageType::_3D;
    let has_kind = (ty == vk::ImageType::_2D || is_3d && !format.is_depth_stencil())
        && !format.requires_ycbcr_conversion()
        && !format.has_blocks_around();
    let has_tile = has_kind && uses.contains(usage) && !flags.intersects(never);
    has_tile.then(|| Tile::of(format, is_3d, samples)).flatten()
}

/// `vkGetPhysicalDeviceSparseImageFormatProperties`: what its one aspect is bound in, if there are such
/// images.
pub fn sparse_properties(
    number: vk::Format,
    ty: vk::ImageType,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
    tiling: vk::ImageTiling,
) -> Option<vk::SparseImageFormatProperties> {
    let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
    let counts = image_properties(number, ty, tiling, usage, flags).ok()?.sample_counts;
    let is_one = samples.bits().count_ones() == 1 && counts.contains(samples);
    let tile = is_one.then(|| sparse_tile(number, ty, usage, flags, samples.bits())).flatten()?;
    Some(sparse_aspect(find(number).ok()?, tile))
}

/// What a tile is for applications.
pub(super) fn sparse_aspect(format: Format, tile: Tile) -> vk::SparseImageFormatProperties {
    let [width, height, depth] = tile.extent(format);
    vk::SparseImageFormatProperties {
        // Depth and stencil lie together.
        aspect_mask: super::aspects(format),
        image_granularity: vk::Extent3D { width, height, depth },
        flags: vk::SparseImageFormatFlags::empty(),
    }
}

/// `DRM_FORMAT_MOD_LINEAR`: rows of texels, the one modifier that there is.
pub const LINEAR_MODIFIER: u64 = 0;

/// What images with a modifier cannot be.
const NEVER_OF_MODIFIERS: vk::ImageCreateFlags = vk::ImageCreateFlags::SPARSE_BINDING
    .union(vk::ImageCreateFlags::SPARSE_RESIDENCY)
    .union(vk::ImageCreateFlags::SPARSE_ALIASED)
    .union(vk::ImageCreateFlags::CUBE_COMPATIBLE)
    .union(vk::ImageCreateFlags::DISJOINT);

/// What images with [`LINEAR_MODIFIER`] can do: those with linear tiling, of colours that are not compressed.
pub fn modifier_features(number: vk::Format) -> vk::FormatFeatureFlags2 {
    let is_color = |format: Format| format.has_aspect(pyro_image::Aspect::Color) && !format.is_compressed();
    let is_plain = planar(number).is_some() || find(number).is_ok_and(is_color);
    if is_plain { properties3(number).linear_tiling_features } else { vk::FormatFeatureFlags2::empty() }
}

/// Planes of memory of an image with [`LINEAR_MODIFIER`]: those of the format.
pub fn modifier_planes(number: vk::Format) -> u32 {
    planar(number).map_or(1, |planar| planar.planes.len() as u32)
}

/// Whether there are corner-sampled images of a kind (VUID-VkImageCreateInfo-flags-02050,
/// VUID-VkImageCreateInfo-flags-02051): not of several planes, whose chroma lies between texels of luma, nor
/// for image processing, whose instructions count whole texels.
fn can_be_corner_sampled(
    number: vk::Format,
    ty: vk::ImageType,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> bool {
    let processing =
        vk::ImageUsageFlags::SAMPLE_WEIGHT_QCOM.union(vk::ImageUsageFlags::SAMPLE_BLOCK_MATCH_QCOM);
    let is_plain =
        find(number).is_ok_and(|format| !format.is_depth_stencil() && !format.requires_ycbcr_conversion());
    is_plain
        && matches!(ty, vk::ImageType::_2D | vk::ImageType::_3D)
        && !flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE)
        && !usage.intersects(processing)
}

/// `vkGetPhysicalDeviceImageFormatProperties`.
///
/// # Errors
/// `VK_ERROR_FORMAT_NOT_SUPPORTED` when there can be no such image.
pub fn image_properties(
    number: vk::Format,
    ty: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Result<vk::ImageFormatProperties> {
    let planar = planar(number);
    let format = planar.map_or_else(|| find(number), |planar| Ok(planar.planes[0]))?;
    let refuse = || Err(unsupported(number));
    let all = properties3(number);
    let features = match tiling {
        vk::ImageTiling::OPTIMAL => all.optimal_tiling_features,
        vk::ImageTiling::LINEAR => all.linear_tiling_features,
        vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT => modifier_features(number),
        _ => return refuse(),
    };
    let is_of_modifier = tiling == vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT;
    if is_of_modifier && (ty != vk::ImageType::_2D || flags.intersects(NEVER_OF_MODIFIERS)) {
        return refuse();
    }
    if features.is_empty() || !FLAGS.contains(flags) || !USAGES.contains(usage) {
        return refuse();
    }
    // Storage images are views of single planes, whose formats have the feature.
    let seen = match planar.is_some() && flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT) {
        true => features | vk::FormatFeatureFlags2::STORAGE_IMAGE,
        false => features,
    };
    if flags.contains(vk::ImageCreateFlags::SPARSE_BINDING) {
        let never = usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT)
            || flags.contains(vk::ImageCreateFlags::DISJOINT);
        if never || !system::binds_sparsely() {
            return refuse();
        }
    } else if flags.intersects(vk::ImageCreateFlags::SPARSE_ALIASED | vk::ImageCreateFlags::SPARSE_RESIDENCY)
    {
        return refuse();
    }
    let is_tiled = flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY);
    if is_tiled && (tiling != vk::ImageTiling::OPTIMAL || sparse_tile(number, ty, usage, flags, 1).is_none())
    {
        return refuse();
    }
    let extended = flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE);
    if !extended && needed(usage).any(|any| !seen.intersects(any)) {
        return refuse();
    }
    let compressed_views = flags.contains(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE);
    if compressed_views && !format.is_compressed() {
        return refuse();
    }
    let is_2d = ty == vk::ImageType::_2D;
    if planar.is_some() && (!is_2d || flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE))
        || planar.is_none()
            && flags.contains(vk::ImageCreateFlags::DISJOINT)
            && !flags.contains(vk::ImageCreateFlags::ALIAS)
    {
        return refuse();
    }
    let sliced = vk::ImageCreateFlags::_2D_ARRAY_COMPATIBLE | vk::ImageCreateFlags::_2D_VIEW_COMPATIBLE_EXT;
    if flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE) && !is_2d
        || flags.intersects(sliced) && ty != vk::ImageType::_3D
        || format.is_compressed() && ty == vk::ImageType::_1D
        // Texels of PVRTC are those of flat images.
        || format.has_blocks_around() && !is_2d
        || format.block_extent()[2] > 1 && (ty != vk::ImageType::_3D || flags.intersects(sliced))
    {
        return refuse();
    }
    let is_corner_sampled = flags.contains(vk::ImageCreateFlags::CORNER_SAMPLED_NV);
    if is_corner_sampled && !can_be_corner_sampled(number, ty, usage, flags) {
        return refuse();
    }
    let device = limits::limits();
    let (max_extent, layers) = match ty {
        vk::ImageType::_1D => ([device.max_image_dimension_1d, 1, 1], device.max_image_array_layers),
        vk::ImageType::_2D => {
            ([device.max_image_dimension_2d, device.max_image_dimension_2d, 1], device.max_image_array_layers)
        }
        vk::ImageType::_3D => ([device.max_image_dimension_3d; 3], 1),
        _ => return refuse(),
    };
    let multisampled = tiling == vk::ImageTiling::OPTIMAL
        && is_2d
        && !flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE)
        && features.intersects(
            vk::FormatFeatureFlags2::COLOR_ATTACHMENT | vk::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT,
        );
    Ok(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width: max_extent[0], height: max_extent[1], depth: max_extent[2] },
        max_mip_levels: if planar.is_some() || is_of_modifier {
            1
        } else {
            chain_levels(max_extent[0], is_corner_sampled)
        },
        max_array_layers: if is_of_modifier { 1 } else { layers },
        sample_counts: if multisampled { limits::SAMPLE_COUNTS } else { vk::SampleCountFlags::_1 },
        // Vulkan asks for 2^31 at least. An image of just that size is out of memory.
        max_resource_size: IMAGE_BYTES_MAX.next_power_of_two(),
    })
}

/// Checks that an image's view may have a format: the same, or with a mutable image one of the same class. Of
/// a multi-planar format, the format of the first plane, or one like that of the plane that is seen.
///
/// # Errors
/// When it may not.
pub fn check_view(image: &super::Image, number: vk::Format, aspects: vk::ImageAspectFlags) -> Result<Format> {
    let own = image.plane(super::plane_of(aspects))?.format;
    if number == image.info().format {
        return Ok(own);
    }
    let format = find(number)?;
    let flags = image.info().flags;
    let same_class = format.compatibility_class() == own.compatibility_class();
    let blocks = flags.contains(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE)
        && format.block_bytes() == own.block_bytes();
    if !flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT) || !(same_class || blocks) {
        return Err(Error::misuse(format!(
            "a view of {number:?} on an image of {:?} (VUID-VkImageViewCreateInfo-image-01762)",
            image.info().format
        )));
    }
    Ok(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_formats_do_nothing() {
        assert_eq!(properties(vk::Format::UNDEFINED), vk::FormatProperties::default());
        assert_eq!(properties(vk::Format::from_raw(i32::MAX)), vk::FormatProperties::default());
        assert_eq!(properties(vk::Format::from_raw(-1)), vk::FormatProperties::default());
    }

    #[test]
    fn images_need_features() {
        let ask = |format, usage, flags| {
            image_properties(format, vk::ImageType::_2D, vk::ImageTiling::OPTIMAL, usage, flags)
        };
        let plain = vk::ImageCreateFlags::empty();
        let color = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let properties = ask(vk::Format::R8G8B8A8_UNORM, color, plain).unwrap();
        assert!(properties.sample_counts.contains(vk::SampleCountFlags::_4));
        assert_eq!(properties.max_mip_levels, 15);
        let cube = ask(vk::Format::R8G8B8A8_UNORM, color, vk::ImageCreateFlags::CUBE_COMPATIBLE).unwrap();
        assert_eq!(cube.sample_counts, vk::SampleCountFlags::_1);
        assert!(ask(vk::Format::D32_SFLOAT, color, plain).is_err());
        assert!(ask(vk::Format::D32_SFLOAT, color, vk::ImageCreateFlags::EXTENDED_USAGE).is_ok());
        let sparse = vk::ImageCreateFlags::SPARSE_BINDING;
        assert_eq!(ask(vk::Format::R8G8B8A8_UNORM, color, sparse).is_ok(), system::binds_sparsely());
        assert!(ask(vk::Format::R8G8B8A8_UNORM, color, vk::ImageCreateFlags::SPARSE_ALIASED).is_err());
        // Planes can be stored to, whole images of several not.
        let (planar, storage) = (vk::Format::G8_B8R8_2PLANE_420_UNORM, vk::ImageUsageFlags::STORAGE);
        assert!(
            !super::properties(planar)
                .optimal_tiling_features
                .intersects(vk::FormatFeatureFlags::STORAGE_IMAGE)
        );
        assert!(ask(planar, storage, plain).is_err());
        assert!(ask(planar, storage, vk::ImageCreateFlags::MUTABLE_FORMAT).is_ok());
    }
}
