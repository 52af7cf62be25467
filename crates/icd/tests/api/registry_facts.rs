//! What the registry says of the extensions that are exposed, held against what the driver answers.

use crate::property_structs::for_each_property_struct;
use pyro_test_kit::graphics::Context;
use std::mem::offset_of;
use std::ptr::null_mut;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _,
    KhrGetSurfaceCapabilities2ExtensionInstanceCommands as _, KhrSurfaceExtensionInstanceCommands as _,
};

/// A property structure: name, `sType`, bytes, its fields (name, first byte, bytes), its pointers' first
/// bytes.
struct PropertyStruct {
    name: &'static str,
    s_type: i32,
    size: usize,
    fields: &'static [(&'static str, usize, usize)],
    pointers: &'static [usize],
}

const fn field_size<S, F>(_: fn(&S) -> &F) -> usize {
    size_of::<F>()
}

macro_rules! property_structs {
    ($($name:ident $s_type:literal { $($field:ident)* } { $($pointer:ident)* })*) => {
        const STRUCTS: &[PropertyStruct] = &[$(PropertyStruct {
            name: stringify!($name),
            s_type: $s_type,
            size: size_of::<vk::$name>(),
            fields: &[$((
                stringify!($field),
                offset_of!(vk::$name, $field),
                field_size::<vk::$name, _>(|one| &one.$field),
            )),*],
            pointers: &[$(offset_of!(vk::$name, $pointer)),*],
        }),*];
    };
}

for_each_property_struct!(property_structs);

/// The bytes of a structure that held `byte` everywhere before it was filled, but null in its pointers.
fn filled(context: &Context, one: &PropertyStruct, byte: u8) -> Vec<u8> {
    let mut words = vec![u64::from_ne_bytes([byte; 8]); one.size.div_ceil(8)];
    let bytes = words.as_mut_ptr().cast::<u8>();
    unsafe {
        bytes.cast::<i32>().write(one.s_type);
        bytes.add(8).cast::<*mut u8>().write(null_mut());
        one.pointers.iter().for_each(|&at| bytes.add(at).cast::<*mut u8>().write(null_mut()));
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let mut properties = vk::PhysicalDeviceProperties2 { next: bytes.cast(), ..Default::default() };
        context.instance.get_physical_device_properties2(physical_device, &mut properties);
        std::slice::from_raw_parts(bytes, one.size).to_vec()
    }
}

#[test]
fn every_property_of_exposed_extensions_is_filled() {
    let context = Context::with(&[]);
    assert!(STRUCTS.len() > 70, "{}", STRUCTS.len());
    let mut left = Vec::new();
    for one in STRUCTS {
        let (first, second) = (filled(&context, one, 0xA5), filled(&context, one, 0x5A));
        for &(field, at, size) in one.fields {
            if first[at..at + size] != second[at..at + size] {
                left.push(format!("{}::{field}", one.name));
            }
        }
    }
    assert!(left.is_empty(), "left as they were: {left:#?}");
}

#[test]
fn lists_of_layouts_in_property_structures_are_the_applications() {
    let context = Context::with(&[]);
    unsafe {
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let mut counts = vk::PhysicalDeviceVulkan14Properties::default();
        let mut properties =
            vk::PhysicalDeviceProperties2 { next: (&raw mut counts).cast(), ..Default::default() };
        context.instance.get_physical_device_properties2(physical_device, &mut properties);
        let all = counts.copy_src_layout_count as usize;
        assert!(all > 2 && counts.copy_src_layouts.is_null() && counts.copy_dst_layouts.is_null());

        let unset = vk::ImageLayout::from_raw(i32::MAX);
        let (mut source, mut target) = (vec![unset; all], [unset; 3]);
        let mut lists = vk::PhysicalDeviceVulkan14Properties {
            copy_src_layout_count: all as u32,
            copy_src_layouts: source.as_mut_ptr(),
            // Less room than there are layouts.
            copy_dst_layout_count: 2,
            copy_dst_layouts: target.as_mut_ptr(),
            ..Default::default()
        };
        let mut properties =
            vk::PhysicalDeviceProperties2 { next: (&raw mut lists).cast(), ..Default::default() };
        context.instance.get_physical_device_properties2(physical_device, &mut properties);
        assert_eq!(lists.copy_src_layouts, source.as_mut_ptr());
        assert_eq!(lists.copy_dst_layouts, target.as_mut_ptr());
        assert_eq!((lists.copy_src_layout_count as usize, lists.copy_dst_layout_count), (all, 2));
        assert!(!source.contains(&unset));
        // Layouts of attachments can be replaced by the general one (`unifiedImageLayouts`), so all are
        // taken.
        for layout in [
            vk::ImageLayout::GENERAL,
            vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
            vk::ImageLayout::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR,
            vk::ImageLayout::FRAGMENT_DENSITY_MAP_OPTIMAL_EXT,
        ] {
            assert!(source.contains(&layout), "{layout:?}");
        }
        assert_eq!(target[..2], source[..2]);
        assert_eq!(target[2], unset, "written behind the list's end");
        assert_ne!(lists.max_push_descriptors, 0);
    }
}

/// A list of compatible present modes that is too short for all has the mode that is asked about.
#[test]
fn compatible_present_modes_have_the_mode_asked_for() {
    let context = Context::with(&[]);
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let known = context.instance.get_physical_device_surface_present_modes_khr(physical_device, surface);
        for asked in known.expect("modes") {
            let mut modes = [vk::PresentModeKHR::from_raw(i32::MAX); 1];
            let mut compatible = vk::SurfacePresentModeCompatibilityKHR {
                present_mode_count: 1,
                present_modes: modes.as_mut_ptr(),
                ..Default::default()
            };
            let mut capabilities = vk::SurfaceCapabilities2KHR::builder().push_next(&mut compatible).build();
            let mut mode = vk::SurfacePresentModeKHR::builder().present_mode(asked);
            let info = vk::PhysicalDeviceSurfaceInfo2KHR::builder().surface(surface).push_next(&mut mode);
            context
                .instance
                .get_physical_device_surface_capabilities2_khr(physical_device, &info, &mut capabilities)
                .expect("capabilities");
            assert_eq!((compatible.present_mode_count, modes), (1, [asked]));
        }
        context.instance.destroy_surface_khr(surface, None);
    }
}

/// Extensions under older and newer names of the same are both exposed, and their features are on.
#[test]
fn extensions_are_exposed_under_all_their_names() {
    let context = Context::with(&[c"VK_KHR_robustness2", c"VK_NV_fragment_shader_barycentric"]);
    unsafe {
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let mut barycentric = vk::PhysicalDeviceFragmentShaderBarycentricFeaturesKHR::default();
        let mut robustness = vk::PhysicalDeviceRobustness2FeaturesKHR::default();
        let mut features = vk::PhysicalDeviceFeatures2::builder()
            .push_next(&mut barycentric)
            .push_next(&mut robustness)
            .build();
        context.instance.get_physical_device_features2(physical_device, &mut features);
        assert_eq!(barycentric.fragment_shader_barycentric, vk::TRUE);
        assert_eq!((robustness.null_descriptor, robustness.robust_buffer_access2), (vk::TRUE, vk::TRUE));
    }
}
