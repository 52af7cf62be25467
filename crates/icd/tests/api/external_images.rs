//! Images in memory from and for others: DRM format modifiers, dma-bufs, files of memory.

use pyro_test_kit::{Client, Gpu};
use std::os::fd::FromRawFd;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtImageDrmFormatModifierExtensionDeviceCommands, KhrExternalMemoryFdExtensionDeviceCommands,
};

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DMA_BUF: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
const OPAQUE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const HOST: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
const MODIFIER: vk::ImageTiling = vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT;
/// `DRM_FORMAT_MOD_LINEAR`
const LINEAR: u64 = 0;
const SIZE: [u32; 2] = [33, 17];
/// Bytes from one row to the next, and before the first, of an image that another program has laid out.
const PITCH: u64 = 192;
const FIRST: u64 = 64;

fn gpu() -> Gpu {
    let extensions = [
        c"VK_EXT_image_drm_format_modifier",
        c"VK_EXT_external_memory_dma_buf",
        c"VK_KHR_external_memory_fd",
    ];
    Client::new(vk::make_version(1, 3, 0), &[]).device(&extensions, None, std::ptr::null_mut())
}

fn image_info() -> vk::ImageCreateInfo {
    vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(FORMAT)
        .extent(vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .tiling(MODIFIER)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
        .build()
}

/// What the device says of images of a tiling in memory of a handle type.
fn external(
    client: &Client,
    tiling: vk::ImageTiling,
    modifier: u64,
    handle_type: vk::ExternalMemoryHandleTypeFlags,
) -> Option<vk::ExternalMemoryProperties> {
    let mut modifier =
        vk::PhysicalDeviceImageDrmFormatModifierInfoEXT::builder().drm_format_modifier(modifier);
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::builder().handle_type(handle_type);
    let mut info = vk::PhysicalDeviceImageFormatInfo2::builder()
        .format(FORMAT)
        .type_(vk::ImageType::_2D)
        .tiling(tiling)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::COLOR_ATTACHMENT)
        .push_next(&mut external);
    if tiling == MODIFIER {
        info = info.push_next(&mut modifier);
    }
    let mut found = vk::ExternalImageFormatProperties::default();
    let mut properties = vk::ImageFormatProperties2::builder().push_next(&mut found).build();
    let (instance, device) = (&client.instance, client.physical_device);
    let told =
        unsafe { instance.get_physical_device_image_format_properties2(device, &info, &mut properties) };
    told.is_ok().then_some(found.external_memory_properties)
}

#[test]
fn images_can_be_of_memory_of_others() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    use vk::ExternalMemoryFeatureFlags as Feature;
    let both = Feature::EXPORTABLE | Feature::IMPORTABLE;
    let (optimal, linear) = (vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR);
    for (tiling, modifier, ty, features) in [
        (optimal, 0, OPAQUE, Some(both)),
        (linear, 0, OPAQUE, Some(both)),
        (linear, 0, HOST, Some(Feature::IMPORTABLE)),
        (linear, 0, DMA_BUF, Some(both)),
        (MODIFIER, LINEAR, DMA_BUF, Some(both)),
        // Nobody else knows where texels lie.
        (optimal, 0, DMA_BUF, None),
        // There is no such modifier.
        (MODIFIER, LINEAR + 1, DMA_BUF, None),
        (linear, 0, vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32, None),
    ] {
        let found = external(&client, tiling, modifier, ty).map(|found| found.external_memory_features);
        assert_eq!(found, features, "{tiling:?} {modifier} {ty:?}");
    }
    for (format, planes) in [(FORMAT, 1), (vk::Format::G8_B8R8_2PLANE_420_UNORM, 2)] {
        let mut modifiers =
            [vk::DrmFormatModifierPropertiesEXT { drm_format_modifier: 9, ..Default::default() }; 2];
        let mut list = vk::DrmFormatModifierPropertiesListEXT {
            drm_format_modifier_count: 2,
            drm_format_modifier_properties: modifiers.as_mut_ptr(),
            ..Default::default()
        };
        let mut properties = vk::FormatProperties2 { next: (&raw mut list).cast(), ..Default::default() };
        let device = client.physical_device;
        unsafe { client.instance.get_physical_device_format_properties2(device, format, &mut properties) };
        assert_eq!(list.drm_format_modifier_count, 1);
        let [found, _] = modifiers;
        assert_eq!((found.drm_format_modifier, found.drm_format_modifier_plane_count), (LINEAR, planes));
        let linear = properties.format_properties.linear_tiling_features;
        assert_eq!(found.drm_format_modifier_tiling_features, linear);
    }
}

/// A file of a dma-buf as another program has made it: each texel's bytes say where it is.
fn file() -> (std::fs::File, Vec<u8>) {
    use std::io::Write;
    let mut bytes = vec![0xee_u8; 4096];
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let at = (FIRST + u64::from(y) * PITCH + 4 * u64::from(x)) as usize;
            bytes[at..at + 4].copy_from_slice(&[x as u8, y as u8, 7, 255]);
        }
    }
    let path = std::env::temp_dir().join(format!("pyro-external-image-{}", std::process::id()));
    let file = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path);
    std::fs::remove_file(&path).expect("removed");
    let mut file = file.expect("a file");
    file.write_all(&bytes).expect("written");
    (file, bytes)
}

/// An image over imported memory has its texels where its creator says.
#[test]
fn imported_dma_bufs_are_images() {
    use std::os::fd::IntoRawFd;
    let gpu = gpu();
    let device = &gpu.device;
    let (file, mut expected) = file();
    let layout = vk::SubresourceLayout { offset: FIRST, row_pitch: PITCH, ..Default::default() };
    let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::builder()
        .drm_format_modifier(LINEAR)
        .plane_layouts(std::slice::from_ref(&layout));
    let mut external = vk::ExternalMemoryImageCreateInfo::builder().handle_types(DMA_BUF);
    let mut info = image_info();
    external.next = (&raw mut explicit).cast();
    info.next = (&raw mut external).cast();
    unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let mut modifier =
            vk::ImageDrmFormatModifierPropertiesEXT { drm_format_modifier: 9, ..Default::default() };
        device.get_image_drm_format_modifier_properties_ext(image, &mut modifier).expect("told");
        assert_eq!(modifier.drm_format_modifier, LINEAR);
        let plane = vk::ImageSubresource {
            aspect_mask: vk::ImageAspectFlags::MEMORY_PLANE_0_EXT,
            ..Default::default()
        };
        let found = device.get_image_subresource_layout(image, &plane);
        assert_eq!((found.offset, found.row_pitch), (FIRST, PITCH));
        let size = device.get_image_memory_requirements(image).size;
        assert!((FIRST + PITCH * u64::from(SIZE[1])..=4096).contains(&size), "{size}");
        let fd = file.try_clone().expect("a descriptor").into_raw_fd();
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        device.get_memory_fd_properties_khr(DMA_BUF, fd, &mut properties).expect("told");
        assert_eq!(properties.memory_type_bits, 1);
        let mut import = vk::ImportMemoryFdInfoKHR::builder().handle_type(DMA_BUF).fd(fd);
        let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size).push_next(&mut import);
        let memory = device.allocate_memory(&allocate, None).expect("imported");
        device.bind_image_memory(image, memory, 0).expect("bound");
        // Reads it all, then clears some of it.
        let (buffer, buffer_memory, bytes) = gpu.mapped_buffer(4096, vk::BufferUsageFlags::TRANSFER_DST);
        let general = vk::ImageLayout::GENERAL;
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let region = vk::BufferImageCopy {
            image_subresource: layers,
            image_extent: vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 },
            ..Default::default()
        };
        gpu.run(|commands| device.cmd_copy_image_to_buffer(commands, image, general, buffer, &[region]));
        let texels = std::slice::from_raw_parts(bytes, (4 * SIZE[0] * SIZE[1]) as usize);
        for (at, texel) in texels.chunks_exact(4).enumerate() {
            let (x, y) = (at as u32 % SIZE[0], at as u32 / SIZE[0]);
            assert_eq!(texel, [x as u8, y as u8, 7, 255]);
        }
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let color = vk::ClearColorValue { float32: [1.0, 0.0, 1.0, 0.0] };
        gpu.run(|commands| device.cmd_clear_color_image(commands, image, general, &color, &[range]));
        // Bytes between rows are not the image's.
        use std::io::{Read, Seek, SeekFrom};
        let mut found = vec![0; 4096];
        (&file).seek(SeekFrom::Start(0)).expect("from the start");
        (&file).read_exact(&mut found).expect("all of it");
        for y in 0..SIZE[1] {
            let row = (FIRST + u64::from(y) * PITCH) as usize;
            expected[row..row + 4 * SIZE[0] as usize].chunks_exact_mut(4).for_each(|texel| {
                texel.copy_from_slice(&[255, 0, 255, 0]);
            });
        }
        assert!(found == expected);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(buffer_memory, None);
    }
}

/// Layouts that cannot be, modifiers that the device does not have.
#[test]
fn impossible_layouts_are_refused() {
    let gpu = gpu();
    let create = |next: *const std::ffi::c_void| {
        let info = vk::ImageCreateInfo { next, ..image_info() };
        let image = unsafe { gpu.device.create_image(&info, None) };
        image.map(|image| unsafe { gpu.device.destroy_image(image, None) })
    };
    let layout = |offset, row_pitch| vk::SubresourceLayout { offset, row_pitch, ..Default::default() };
    let row = u64::from(4 * SIZE[0]);
    for (modifier, layouts, works) in [
        (LINEAR, vec![layout(0, row)], true),
        (LINEAR, vec![layout(0, row - 4)], false),
        (LINEAR, vec![layout(0, row + 2)], false),
        (LINEAR, vec![layout(0, u64::MAX)], false),
        (LINEAR, vec![layout(0, 1 << 31)], false),
        (LINEAR, vec![layout(2, row)], false),
        (LINEAR, vec![layout(u64::MAX - 3, row)], false),
        (LINEAR, vec![layout(0, row); 2], false),
        (LINEAR, vec![], false),
        (LINEAR + 1, vec![layout(0, row)], false),
    ] {
        let explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::builder()
            .drm_format_modifier(modifier)
            .plane_layouts(&layouts);
        assert_eq!(create((&raw const explicit).cast()).is_ok(), works, "{modifier} {layouts:?}");
    }
    for (modifiers, works) in [(&[5, LINEAR][..], true), (&[5, 6][..], false), (&[][..], false)] {
        let list = vk::ImageDrmFormatModifierListCreateInfoEXT::builder().drm_format_modifiers(modifiers);
        assert_eq!(create((&raw const list).cast()).is_ok(), works, "{modifiers:?}");
    }
}

/// An exported dma-buf can be mapped by others, is as large as the memory, and has what the device writes.
#[test]
fn exported_dma_bufs_are_shared() {
    use std::io::{Seek, SeekFrom};
    let gpu = gpu();
    let device = &gpu.device;
    unsafe {
        let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(DMA_BUF | OPAQUE);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut export);
        let memory = device.allocate_memory(&info, None).expect("memory");
        let get = vk::MemoryGetFdInfoKHR::builder().memory(memory).handle_type(DMA_BUF);
        let mut file = std::fs::File::from_raw_fd(device.get_memory_fd_khr(&get).expect("a descriptor"));
        assert_eq!(file.seek(SeekFrom::End(0)).expect("its size"), 8192);
        let mut import = vk::ImportMemoryFdInfoKHR::builder()
            .handle_type(DMA_BUF)
            .fd(std::os::fd::IntoRawFd::into_raw_fd(file));
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut import);
        let other = device.allocate_memory(&info, None).expect("imported");
        let map = |memory| {
            let flags = vk::MemoryMapFlags::empty();
            device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>()
        };
        let (here, there) = (map(memory), map(other));
        here.add(2000).write_volatile(0xfeed);
        assert_eq!(there.add(2000).read_volatile(), 0xfeed);
        [memory, other].into_iter().for_each(|memory| device.free_memory(memory, None));
    }
}
