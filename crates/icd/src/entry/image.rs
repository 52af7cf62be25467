//! Images, image views, buffer views and samplers; what formats can do.

use crate::call::{guard, guard_void};
use crate::entry::device::device_object;
use crate::entry::memory::fill_requirements;
use crate::entry::{external, memory_report};
use crate::handle;
use crate::pointers::{Allocator, Chain, In, Out, PlainWords, Slice, format_features};
use crate::registry::CommandId;
use pyro_driver::buffer::BufferView;
use pyro_driver::image::{
    self, Border, Image, ImageInfo, ImageView, ImageViewInfo, PLANES_MAX, PlanePlace, Sampler, SamplerInfo,
    Weights, Window, YcbcrConversion, plane_of,
};
use pyro_driver::memory::DeviceMemory;
use pyro_driver::registry_supplement::{
    FORMAT_FEATURE_2_BLOCK_MATCHING_SXD_QCOM, FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_2D_IMG,
    FormatProperties4KHR, IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_KHR, IMAGE_TILING_CONTROL_DEFAULT_EXT,
    IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT, IMAGE_TILING_CONTROL_MIN_SIZE_EXT,
    ImageCreateFlags2CreateInfoKHR, ImageTilingControlCreateInfoEXT, ImageUsageFlags2CreateInfoKHR,
    ImageViewUsage2CreateInfoKHR,
};
use pyro_driver::{Error, Result, tensor, transfer};
use vulkanalia_sys::{self as vk, Handle};

/// Flags without those that change nothing: views of one layer are arrays too for shaders, whatever the
/// flags.
fn image_flags(bits: u32) -> vk::ImageCreateFlags {
    vk::ImageCreateFlags::from_bits_truncate(bits & !IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_KHR)
}

/// Flags and usage of an image: those of 64 bits, whose upper half is of no use here, go before those of 32.
fn wide_flags(
    chain: Chain,
    flags: vk::ImageCreateFlags,
    usage: vk::ImageUsageFlags,
) -> (vk::ImageCreateFlags, vk::ImageUsageFlags) {
    let wide = chain.find::<ImageCreateFlags2CreateInfoKHR>();
    (image_flags(wide.map_or(flags.bits(), |wide| wide.flags as u32)), wide_usage(chain, usage))
}

/// The usage alone.
pub(crate) fn wide_usage(chain: Chain, usage: vk::ImageUsageFlags) -> vk::ImageUsageFlags {
    let wide = chain.find::<ImageUsageFlags2CreateInfoKHR>();
    wide.map_or(usage, |wide| vk::ImageUsageFlags::from_bits_truncate(wide.usage as u32))
}

/// The modifier that an image is made with, and where its planes lie.
///
/// # Errors
/// When it is not one of the device's.
fn modifier(info: In<'_, vk::ImageCreateInfo>) -> Result<Option<[PlanePlace; PLANES_MAX]>> {
    let linear = image::format::LINEAR_MODIFIER;
    let unknown = |rule: &str| {
        Err(Error::misuse(format!("no DRM format modifier of the device: it has {linear:#x} alone ({rule})")))
    };
    let list = info.find::<vk::ImageDrmFormatModifierListCreateInfoEXT>();
    if let Some(list) = list
        && !list.drm_format_modifiers().iter().any(|modifier| *modifier == linear)
    {
        return unknown("VUID-VkImageDrmFormatModifierListCreateInfoEXT-pDrmFormatModifiers-02263");
    }
    let Some(explicit) = info.find::<vk::ImageDrmFormatModifierExplicitCreateInfoEXT>() else {
        return Ok(None);
    };
    if explicit.drm_format_modifier != linear {
        return unknown("VUID-VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifier-02264");
    }
    let layouts = explicit.plane_layouts().get();
    if layouts.len() != image::format::modifier_planes(info.format) as usize {
        return Err(Error::misuse(
            "another number of planes than the modifier has for the format \
             (VUID-VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifierPlaneCount-02265)",
        ));
    }
    let mut places = [PlanePlace::default(); PLANES_MAX];
    for (place, layout) in places.iter_mut().zip(layouts) {
        *place = PlanePlace { offset: layout.offset, row_pitch: layout.row_pitch };
    }
    Ok(Some(places))
}

/// Whether an image shall take few bytes. What makes images fast is what they have without the structure.
///
/// # Errors
/// When the choice is none, or of a tiling whose rows applications know.
fn is_small(info: In<'_, vk::ImageCreateInfo>) -> Result<bool> {
    let Some(control) = info.find::<ImageTilingControlCreateInfoEXT>() else { return Ok(false) };
    let control = control.tiling_control;
    if ![
        IMAGE_TILING_CONTROL_DEFAULT_EXT,
        IMAGE_TILING_CONTROL_MIN_SIZE_EXT,
        IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT,
    ]
    .contains(&control)
    {
        return Err(Error::misuse(format!(
            "{control} is no tiling control (VUID-VkImageTilingControlCreateInfoEXT-tilingControl-parameter)"
        )));
    }
    if control != IMAGE_TILING_CONTROL_DEFAULT_EXT && info.tiling == vk::ImageTiling::LINEAR {
        return Err(Error::misuse(
            "a tiling control of a linear image (VUID-VkImageTilingControlCreateInfoEXT-imageTiling-12479)",
        ));
    }
    Ok(control == IMAGE_TILING_CONTROL_MIN_SIZE_EXT)
}

/// What an image is made from.
///
/// # Errors
/// When it has a modifier or a tiling control that the device does not know.
pub(crate) fn image_info(info: In<'_, vk::ImageCreateInfo>) -> Result<ImageInfo> {
    let (flags, usage) = wide_flags(info.chain(), info.flags, info.usage);
    Ok(ImageInfo {
        flags,
        ty: info.image_type,
        format: info.format,
        extent: info.extent,
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples,
        tiling: info.tiling,
        usage,
        places: modifier(info)?,
        is_small: is_small(info)?,
    })
}

pub(crate) fn create_image(
    device: vk::Device,
    info: In<'_, vk::ImageCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Image>,
) -> vk::Result {
    guard(CommandId::create_image, || {
        let device = device_object(device)?;
        let mut image = Image::new(image_info(info)?)?;
        image.reserve(&device.sparse_quota)?;
        out.write(vk::Image::from_raw(handle::create(image, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_image(device: vk::Device, image: vk::Image, allocator: Allocator) {
    guard_void(CommandId::destroy_image, || {
        if image.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        if memory_report::is_wanted() {
            let object = handle::get::<Image>(image.as_raw())?;
            let range = device_range(&object);
            let object = (vk::ObjectType::IMAGE, image.as_raw());
            device_object(device)?.memory_reports.unbound(object, range);
        }
        handle::remove::<Image>(image.as_raw(), allocator)?;
        device_object(device)?.device.forget_heap_views();
        Ok(())
    });
}

pub(crate) fn get_image_memory_requirements(
    device: vk::Device,
    image: vk::Image,
    mut out: Out<'_, vk::MemoryRequirements>,
) {
    guard_void(CommandId::get_image_memory_requirements, || {
        crate::entry::device::check(device)?;
        out.write(handle::get::<Image>(image.as_raw())?.requirements(None)?);
        Ok(())
    });
}

/// Says in a chain that memory need not be dedicated.
pub(crate) fn fill_dedicated(out: &mut Out<'_, vk::MemoryRequirements2>) {
    if let Some(mut dedicated) = out.find_mut::<vk::MemoryDedicatedRequirements>() {
        dedicated.prefers_dedicated_allocation = vk::FALSE;
        dedicated.requires_dedicated_allocation = vk::FALSE;
    }
}

pub(crate) fn get_image_memory_requirements2(
    device: vk::Device,
    info: In<'_, vk::ImageMemoryRequirementsInfo2>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_image_memory_requirements2, || {
        crate::entry::device::check(device)?;
        let plane = info.find::<vk::ImagePlaneMemoryRequirementsInfo>();
        let plane = plane.map(|plane| plane_of(plane.plane_aspect));
        let image = handle::get::<Image>(info.image.as_raw())?;
        fill_requirements(out, image.requirements(plane)?, image.is_for_tiles());
        Ok(())
    });
}

pub(crate) fn get_device_image_memory_requirements(
    device: vk::Device,
    info: In<'_, vk::DeviceImageMemoryRequirements>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_device_image_memory_requirements, || {
        crate::entry::device::check(device)?;
        let created = info.create_info();
        let created = image_info(created)?;
        let disjoint = created.flags.contains(vk::ImageCreateFlags::DISJOINT);
        let plane = disjoint.then(|| plane_of(info.plane_aspect));
        let image = Image::new(created)?;
        fill_requirements(out, image.requirements(plane)?, image.is_for_tiles());
        Ok(())
    });
}

pub(crate) fn bind_image_memory(
    device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    guard(CommandId::bind_image_memory, || bind(device, image, None, memory, offset))
}

fn bind(
    device: vk::Device,
    image: vk::Image,
    plane: Option<usize>,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> Result<vk::Result> {
    crate::entry::device::check(device)?;
    let bound = handle::get::<Image>(image.as_raw())?;
    bound.bind(plane, &handle::get(memory.as_raw())?, offset)?;
    if memory_report::is_wanted() {
        let object = (vk::ObjectType::IMAGE, image.as_raw());
        device_object(device)?.memory_reports.bound(object, device_range(&bound));
    }
    Ok(vk::Result::SUCCESS)
}

/// The device addresses of an image's first plane: the first and how many.
fn device_range(image: &Image) -> Option<(u64, u64)> {
    let is_disjoint = image.info().flags.contains(vk::ImageCreateFlags::DISJOINT);
    let size = image.requirements(is_disjoint.then_some(0)).ok()?.size;
    Some((image.address(0).ok()?, size))
}

/// Whether an image that is bound there already is only to be split between instances of its memory, of which
/// there is one.
fn splits_instances(info: In<'_, vk::BindImageMemoryInfo>) -> Result<bool> {
    let group = info.find::<vk::BindImageMemoryDeviceGroupInfo>();
    if group.is_none_or(|group| group.split_instance_bind_region_count == 0) {
        return Ok(false);
    }
    let (image, memory) = (handle::get::<Image>(info.image.as_raw())?, info.memory.as_raw());
    let memory = handle::get::<DeviceMemory>(memory)?.block().address();
    Ok(image.address(0).is_ok_and(|address| address == memory.wrapping_add(info.memory_offset)))
}

pub(crate) fn bind_image_memory2(
    device: vk::Device,
    infos: Slice<'_, vk::BindImageMemoryInfo>,
) -> vk::Result {
    let mut worst = vk::Result::SUCCESS;
    for info in infos {
        let code = guard(CommandId::bind_image_memory2, || {
            if splits_instances(info)? {
                return Ok(vk::Result::SUCCESS);
            }
            let plane = info.find::<vk::BindImagePlaneMemoryInfo>();
            let plane = plane.map(|plane| plane_of(plane.plane_aspect));
            crate::entry::present::bind_to_swapchain(device, info)
                .unwrap_or_else(|| bind(device, info.image, plane, info.memory, info.memory_offset))
        });
        crate::entry::memory::tell_status(info.chain(), code);
        worst = worst.min(code);
    }
    worst
}

pub(crate) fn get_image_subresource_layout(
    device: vk::Device,
    image: vk::Image,
    subresource: In<'_, vk::ImageSubresource>,
    mut out: Out<'_, vk::SubresourceLayout>,
) {
    guard_void(CommandId::get_image_subresource_layout, || {
        crate::entry::device::check(device)?;
        let (level, layer) = (subresource.mip_level, subresource.array_layer);
        let plane = plane_of(subresource.aspect_mask);
        out.write(handle::get::<Image>(image.as_raw())?.subresource_layout(plane, level, layer)?);
        Ok(())
    });
}

/// No image is compressed, whatever is asked for.
pub(crate) fn fill_compression(out: &mut vk::ImageCompressionPropertiesEXT) {
    out.image_compression_flags = vk::ImageCompressionFlagsEXT::DISABLED;
    out.image_compression_fixed_rate_flags = vk::ImageCompressionFixedRateFlagsEXT::NONE;
}

fn fill_layout2(
    image: &Image,
    subresource: &vk::ImageSubresource,
    out: &mut Out<'_, vk::SubresourceLayout2>,
) -> Result<()> {
    let plane = plane_of(subresource.aspect_mask);
    out.subresource_layout =
        image.subresource_layout(plane, subresource.mip_level, subresource.array_layer)?;
    if let Some(mut size) = out.find_mut::<vk::SubresourceHostMemcpySize>() {
        size.size = transfer::memcpy_size(image, subresource)?;
    }
    if let Some(mut compression) = out.find_mut::<vk::ImageCompressionPropertiesEXT>() {
        fill_compression(&mut compression);
    }
    Ok(())
}

pub(crate) fn get_image_subresource_layout2(
    device: vk::Device,
    image: vk::Image,
    subresource: In<'_, vk::ImageSubresource2>,
    mut out: Out<'_, vk::SubresourceLayout2>,
) {
    guard_void(CommandId::get_image_subresource_layout2, || {
        crate::entry::device::check(device)?;
        let image = handle::get::<Image>(image.as_raw())?;
        fill_layout2(&image, &subresource.image_subresource, &mut out)
    });
}

pub(crate) fn get_device_image_subresource_layout(
    device: vk::Device,
    info: In<'_, vk::DeviceImageSubresourceInfo>,
    mut out: Out<'_, vk::SubresourceLayout2>,
) {
    guard_void(CommandId::get_device_image_subresource_layout, || {
        crate::entry::device::check(device)?;
        let image = Image::new(image_info(info.create_info())?)?;
        fill_layout2(&image, &info.subresource().image_subresource, &mut out)
    });
}

/// What a view is made from.
pub(crate) fn view_info(info: In<'_, vk::ImageViewCreateInfo>) -> Result<ImageViewInfo> {
    let usage = info.find::<vk::ImageViewUsageCreateInfo>().map(|info| info.usage);
    let wide_usage = info.find::<ImageViewUsage2CreateInfoKHR>();
    let wide_usage = wide_usage.map(|info| vk::ImageUsageFlags::from_bits_truncate(info.usage as u32));
    let min_lod = info.find::<vk::ImageViewMinLodCreateInfoEXT>();
    let slices = info.find::<vk::ImageViewSlicedCreateInfoEXT>();
    let decode_mode = info.find::<vk::ImageViewASTCDecodeModeEXT>();
    let weights = info.find::<vk::ImageViewSampleWeightCreateInfoQCOM>();
    Ok(ImageViewInfo {
        conversion: conversion(info.chain())?,
        ty: info.view_type,
        format: info.format,
        components: info.components,
        range: info.subresource_range,
        usage: wide_usage.or(usage),
        min_lod: min_lod.map_or(0.0, |info| info.min_lod),
        slices: slices.map(|info| (info.slice_offset, info.slice_count)),
        decode_mode: decode_mode.map(|info| info.decode_mode),
        weights: weights.map(|info| Weights {
            center: [info.filter_center.x, info.filter_center.y],
            size: [info.filter_size.width, info.filter_size.height],
            phases: info.num_phases,
        }),
    })
}

pub(crate) fn create_image_view(
    device: vk::Device,
    info: In<'_, vk::ImageViewCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::ImageView>,
) -> vk::Result {
    guard(CommandId::create_image_view, || {
        let device = device_object(device)?;
        let image = handle::get(info.image.as_raw())?;
        let view = ImageView::new(device.device.textures(), image, view_info(info)?)?;
        out.write(vk::ImageView::from_raw(handle::create(view, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_image_view(ImageView), ImageView);

pub(crate) fn create_buffer_view(
    device: vk::Device,
    info: In<'_, vk::BufferViewCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::BufferView>,
) -> vk::Result {
    guard(CommandId::create_buffer_view, || {
        let device = device_object(device)?;
        let textures = device.device.textures();
        let buffer = handle::get(info.buffer.as_raw())?;
        let view = BufferView::new(textures, &buffer, info.format, info.offset, info.range)?;
        out.write(vk::BufferView::from_raw(handle::create(view, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_buffer_view(BufferView), BufferView);

pub(crate) fn sampler_info(info: In<'_, vk::SamplerCreateInfo>) -> Result<SamplerInfo> {
    let custom = info.find::<vk::SamplerCustomBorderColorCreateInfoEXT>();
    let custom = custom.map(|custom| custom.custom_border_color.words());
    let reduction = info.find::<vk::SamplerReductionModeCreateInfo>();
    let weights = info.find::<vk::SamplerCubicWeightsCreateInfoQCOM>();
    let is_processing = info.flags.contains(vk::SamplerCreateFlags::IMAGE_PROCESSING_QCOM);
    let window = info.find::<vk::SamplerBlockMatchWindowCreateInfoQCOM>();
    let window = window.map_or(Window::default(), |window| Window {
        extent: [window.window_extent.width, window.window_extent.height],
        wants_max: window.window_compare_mode == vk::BlockMatchWindowCompareModeQCOM::MAX,
    });
    Ok(SamplerInfo {
        mag_filter: info.mag_filter,
        min_filter: info.min_filter,
        mipmap_mode: info.mipmap_mode,
        address_modes: [info.address_mode_u, info.address_mode_v, info.address_mode_w],
        lod_bias: info.mip_lod_bias,
        max_anisotropy: (info.anisotropy_enable != 0).then_some(info.max_anisotropy),
        compare: (info.compare_enable != 0).then_some(info.compare_op),
        min_lod: info.min_lod,
        max_lod: info.max_lod,
        border: Border::new(info.border_color, custom)?,
        unnormalized: info.unnormalized_coordinates != 0,
        has_conversion: conversion(info.chain())?.is_some(),
        reduction: reduction.map_or(vk::SamplerReductionMode::WEIGHTED_AVERAGE, |info| info.reduction_mode),
        cubic_weights: weights.map_or(vk::CubicFilterWeightsQCOM::CATMULL_ROM, |info| info.cubic_weights),
        non_seamless_cube: info.flags.contains(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT),
        processing: is_processing.then_some(window),
    })
}

pub(crate) fn create_sampler(
    device: vk::Device,
    info: In<'_, vk::SamplerCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Sampler>,
) -> vk::Result {
    guard(CommandId::create_sampler, || {
        let sampler = Sampler::new(device_object(device)?.device.textures(), sampler_info(info)?)?;
        out.write(vk::Sampler::from_raw(handle::create(sampler, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_sampler(Sampler), Sampler);

pub(crate) fn create_sampler_ycbcr_conversion(
    device: vk::Device,
    info: In<'_, vk::SamplerYcbcrConversionCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::SamplerYcbcrConversion>,
) -> vk::Result {
    guard(CommandId::create_sampler_ycbcr_conversion, || {
        crate::entry::device::check(device)?;
        let conversion = YcbcrConversion {
            format: info.format,
            model: info.ycbcr_model,
            range: info.ycbcr_range,
            components: info.components,
            offsets: [info.x_chroma_offset, info.y_chroma_offset],
            chroma_filter: info.chroma_filter,
            degamma: info
                .find::<vk::SamplerYcbcrConversionYcbcrDegammaCreateInfoQCOM>()
                .map_or([false; 2], |info| {
                    [info.enable_y_degamma, info.enable_cb_cr_degamma].map(|on| on != 0)
                }),
        };
        conversion.check()?;
        out.write(vk::SamplerYcbcrConversion::from_raw(handle::create(conversion, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// The conversion that a chain names. Views and samplers name the same; the views do the work.
fn conversion(chain: Chain) -> Result<Option<YcbcrConversion>> {
    match chain.find::<vk::SamplerYcbcrConversionInfo>() {
        Some(info) => Ok(Some(*handle::get::<YcbcrConversion>(info.conversion.as_raw())?)),
        None => Ok(None),
    }
}

crate::call::destroy_command!(destroy_sampler_ycbcr_conversion(SamplerYcbcrConversion), YcbcrConversion);

pub(crate) fn get_physical_device_format_properties(
    _physical_device: vk::PhysicalDevice,
    format: vk::Format,
    mut out: Out<'_, vk::FormatProperties>,
) {
    out.write(image::format::properties(format));
}

/// Features of images with those that the bindings lack: linear filters in one and two dimensions, and block
/// matching, where there are linear filters and all block matching.
fn filtered(features: vk::FormatFeatureFlags2) -> vk::FormatFeatureFlags2 {
    let is_filtered = features.contains(vk::FormatFeatureFlags2::SAMPLED_IMAGE_FILTER_LINEAR);
    let is_matched = features.contains(vk::FormatFeatureFlags2::BLOCK_MATCHING_QCOM);
    let more = [
        (is_filtered, FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_2D_IMG),
        (is_matched, FORMAT_FEATURE_2_BLOCK_MATCHING_SXD_QCOM),
    ];
    format_features(features, more.into_iter().map(|(is, bit)| if is { bit } else { 0 }).sum())
}

pub(crate) fn get_physical_device_format_properties2(
    _physical_device: vk::PhysicalDevice,
    format: vk::Format,
    mut out: Out<'_, vk::FormatProperties2>,
) {
    out.format_properties = image::format::properties(format);
    if let Some(mut out) = out.find_mut::<vk::TensorFormatPropertiesARM>() {
        let features = tensor::features(format);
        out.optimal_tiling_tensor_features = features;
        out.linear_tiling_tensor_features = features;
    }
    if let Some(mut out) = out.find_mut::<vk::FormatProperties3>() {
        let all = image::format::properties3(format);
        out.linear_tiling_features = filtered(all.linear_tiling_features);
        out.optimal_tiling_features = filtered(all.optimal_tiling_features);
        out.buffer_features = all.buffer_features;
    }
    let features = image::format::modifier_features(format);
    let (drm_format_modifier, has_one) = (image::format::LINEAR_MODIFIER, usize::from(!features.is_empty()));
    let drm_format_modifier_plane_count = image::format::modifier_planes(format);
    if let Some(mut out) = out.find_mut::<vk::DrmFormatModifierPropertiesListEXT>() {
        let one = vk::DrmFormatModifierPropertiesEXT {
            drm_format_modifier,
            drm_format_modifier_plane_count,
            drm_format_modifier_tiling_features: image::format::narrow(features),
        };
        out.drm_format_modifier_properties().answer(&[one][..has_one]);
    }
    if let Some(mut out) = out.find_mut::<vk::DrmFormatModifierPropertiesList2EXT>() {
        let one = vk::DrmFormatModifierProperties2EXT {
            drm_format_modifier,
            drm_format_modifier_plane_count,
            drm_format_modifier_tiling_features: filtered(features),
        };
        out.drm_format_modifier_properties().answer(&[one][..has_one]);
    }
    if let Some(mut out) = out.find_mut::<vk::SubpassResolvePerformanceQueryEXT>() {
        // All are resolved the same way.
        out.optimal = vk::TRUE;
    }
    if let Some(mut out) = out.find_mut::<FormatProperties4KHR>() {
        // There are no such features yet.
        (out.linear_tiling_features, out.optimal_tiling_features, out.buffer_features) = (0, 0, 0);
    }
}

pub(crate) fn get_image_drm_format_modifier_properties_ext(
    device: vk::Device,
    image: vk::Image,
    mut out: Out<'_, vk::ImageDrmFormatModifierPropertiesEXT>,
) -> vk::Result {
    guard(CommandId::get_image_drm_format_modifier_properties_ext, || {
        crate::entry::device::check(device)?;
        if handle::get::<Image>(image.as_raw())?.info().tiling != vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT {
            return Err(Error::misuse(
                "an image without a DRM format modifier \
                 (VUID-vkGetImageDrmFormatModifierPropertiesEXT-image-02272)",
            ));
        }
        out.get_mut().drm_format_modifier = image::format::LINEAR_MODIFIER;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_physical_device_image_format_properties(
    _physical_device: vk::PhysicalDevice,
    format: vk::Format,
    ty: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    mut out: Out<'_, vk::ImageFormatProperties>,
) -> vk::Result {
    image_format_properties(format, ty, tiling, usage, image_flags(flags.bits()), out.get_mut())
}

fn image_format_properties(
    format: vk::Format,
    ty: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    out: &mut vk::ImageFormatProperties,
) -> vk::Result {
    // Asking is no mistake, so nothing is reported.
    let properties = image::format::image_properties(format, ty, tiling, usage, flags);
    let code = properties.as_ref().map_or_else(|error| error.code, |_| vk::Result::SUCCESS);
    *out = properties.unwrap_or_default();
    code
}

pub(crate) fn get_physical_device_image_format_properties2(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceImageFormatInfo2>,
    mut out: Out<'_, vk::ImageFormatProperties2>,
) -> vk::Result {
    if let Some(mut external) = out.find_mut::<vk::ExternalImageFormatProperties>() {
        external.external_memory_properties = vk::ExternalMemoryProperties::default();
    }
    if let Some(mut planes) = out.find_mut::<vk::SamplerYcbcrConversionImageFormatProperties>() {
        planes.combined_image_sampler_descriptor_count = 1;
    }
    if let Some(mut subsampled) = out.find_mut::<vk::SubsampledImageFormatPropertiesEXT>() {
        subsampled.subsampled_image_descriptor_count = 1;
    }
    if let Some(mut host) = out.find_mut::<vk::HostImageCopyDevicePerformanceQuery>() {
        // Texels lie where they lie, whoever copies them.
        (host.optimal_device_access, host.identical_memory_layout) = (vk::TRUE, vk::TRUE);
    }
    if let Some(mut cubic) = out.find_mut::<vk::FilterCubicImageViewImageFormatPropertiesEXT>() {
        let view = info.find::<vk::PhysicalDeviceImageViewImageFormatInfoEXT>();
        let is = view.is_some_and(|view| image::format::is_cubic(info.format, view.image_view_type));
        (cubic.filter_cubic, cubic.filter_cubic_minmax) = (is.into(), is.into());
    }
    if let Some(mut gather) = out.find_mut::<vk::TextureLODGatherFormatPropertiesAMD>() {
        // What is gathered from has two dimensions and is sampled.
        let is = info.type_ == vk::ImageType::_2D && info.usage.contains(vk::ImageUsageFlags::SAMPLED);
        gather.supports_texture_gather_lod_bias_amd = is.into();
    }
    let (flags, usage) = wide_flags(info.chain(), info.flags, info.usage);
    let external = info.find::<vk::PhysicalDeviceExternalImageFormatInfo>();
    if let Some(external) = external.filter(|external| !external.handle_type.is_empty()) {
        let Some(properties) = external::image_properties(external.handle_type, info.tiling, flags) else {
            out.image_format_properties = vk::ImageFormatProperties::default();
            return vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
        };
        if let Some(mut out) = out.find_mut::<vk::ExternalImageFormatProperties>() {
            out.external_memory_properties = properties;
        }
    }
    let modifier = info.find::<vk::PhysicalDeviceImageDrmFormatModifierInfoEXT>();
    if modifier.is_some_and(|info| info.drm_format_modifier != image::format::LINEAR_MODIFIER) {
        out.image_format_properties = vk::ImageFormatProperties::default();
        return vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
    }
    if let Some(mut compression) = out.find_mut::<vk::ImageCompressionPropertiesEXT>() {
        fill_compression(&mut compression);
    }
    let out = &mut out.image_format_properties;
    image_format_properties(info.format, info.type_, info.tiling, usage, flags, out)
}
