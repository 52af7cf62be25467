//! Parameters are the same when they are decoded, and no bytes lead the decoder astray.
#![allow(unsafe_code)] // structures by address

use pyro_capture::decode::{self, DecodeError, Handles, Parameters, Same};
use pyro_capture::encode;
use pyro_capture::schema::{self, Command};
use pyro_random::Random;
use pyro_test_environment::number;
use std::ffi::CStr;
use vulkanalia_sys::{self as vk, Handle};

fn command(name: &str) -> &'static Command {
    &schema::commands()[usize::from(schema::command_number(name).expect("known"))]
}

fn address<T: ?Sized>(value: &T) -> u64 {
    (&raw const *value).cast::<()>().expose_provenance() as u64
}

fn encoded(command: &'static Command, slots: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // SAFETY: the tests' slots are valid for their commands.
    unsafe { encode::parameters(command, slots, &mut bytes) };
    bytes
}

/// A device's creation: strings, arrays, a chain.
fn device_creation() -> (&'static Command, Vec<u8>) {
    let features = vk::PhysicalDeviceVulkan12Features { timeline_semaphore: vk::TRUE, ..Default::default() };
    let priorities = [0.5_f32, 1.0];
    let queue = vk::DeviceQueueCreateInfo {
        queue_count: 2,
        queue_priorities: priorities.as_ptr(),
        ..Default::default()
    };
    let names = [c"VK_KHR_swapchain".as_ptr(), c"VK_KHR_maintenance5".as_ptr()];
    let info = vk::DeviceCreateInfo {
        next: (&raw const features).cast(),
        queue_create_info_count: 1,
        queue_create_infos: &queue,
        enabled_extension_count: 2,
        enabled_extension_names: names.as_ptr(),
        ..Default::default()
    };
    let device = 0x77_u64;
    let command = command("vkCreateDevice");
    (command, encoded(command, &[0x1234, address(&info), 0, address(&device)]))
}

#[test]
fn chains_strings_and_arrays_are_rebuilt() {
    let (command, bytes) = device_creation();
    let mut parameters = Parameters::default();
    decode::parameters(command, &bytes, &mut Same, &mut parameters).expect("decodes");
    assert_eq!(parameters.slots[0], 0x1234);
    let info = parameters.pointer(1).cast::<vk::DeviceCreateInfo>();
    // SAFETY: the decoder made all of it.
    unsafe {
        let info = &*info;
        let queue = &*info.queue_create_infos;
        assert_eq!(std::slice::from_raw_parts(queue.queue_priorities, 2), [0.5, 1.0]);
        let names = std::slice::from_raw_parts(info.enabled_extension_names, 2);
        assert_eq!(CStr::from_ptr(names[1]), c"VK_KHR_maintenance5");
        let features = &*info.next.cast::<vk::PhysicalDeviceVulkan12Features>();
        assert_eq!(features.timeline_semaphore, vk::TRUE);
        assert!(features.next.is_null());
    }
    let [output] = &parameters.outputs[..] else { panic!("one handle is made") };
    assert_eq!((output.captured, parameters.written(output)), (0x77, 0x77));
}

struct Plus;

impl Handles for Plus {
    fn translate(&mut self, _: u16, captured: u64) -> u64 {
        captured + 1
    }
}

#[test]
fn handles_are_translated_and_ignored_pointers_are_not_followed() {
    let buffers = [vk::DescriptorBufferInfo { buffer: vk::Buffer::from_raw(10), offset: 1, range: 2 }];
    let write = vk::WriteDescriptorSet {
        dst_set: vk::DescriptorSet::from_raw(20),
        descriptor_count: 1,
        descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
        buffer_info: buffers.as_ptr(),
        // Garbage, as it is ignored for this type.
        image_info: std::ptr::without_provenance(0xdead_beef),
        ..Default::default()
    };
    let command = command("vkUpdateDescriptorSets");
    let bytes = encoded(command, &[1, 1, address(&write), 0, 0]);
    let mut parameters = Parameters::default();
    decode::parameters(command, &bytes, &mut Plus, &mut parameters).expect("decodes");
    // SAFETY: the decoder made it.
    let write = unsafe { &*parameters.pointer(2).cast::<vk::WriteDescriptorSet>() };
    assert_eq!(write.dst_set.as_raw(), 21);
    assert!(write.image_info.is_null());
    // SAFETY: as above.
    assert_eq!(unsafe { &*write.buffer_info }.buffer.as_raw(), 11);
}

#[test]
fn unreadable_memory_is_not_followed() {
    let info = vk::CommandBufferBeginInfo {
        inheritance_info: std::ptr::without_provenance(0x1000),
        ..Default::default()
    };
    let command = command("vkBeginCommandBuffer");
    let bytes = encoded(command, &[1, address(&info)]);
    let mut parameters = Parameters::default();
    decode::parameters(command, &bytes, &mut Same, &mut parameters).expect("decodes");
    // SAFETY: the decoder made it.
    let info = unsafe { &*parameters.pointer(1).cast::<vk::CommandBufferBeginInfo>() };
    assert!(info.inheritance_info.is_null());
}

#[test]
fn what_is_cut_or_too_long_is_refused() {
    let (command, bytes) = device_creation();
    for end in 0..bytes.len() {
        let mut parameters = Parameters::default();
        let decoded = decode::parameters(command, &bytes[..end], &mut Same, &mut parameters);
        assert!(decoded.is_err(), "{end} bytes of {}", bytes.len());
    }
    let longer = [&bytes[..], &[0]].concat();
    let decoded = decode::parameters(command, &longer, &mut Same, &mut Parameters::default());
    assert_eq!(decoded, Err(DecodeError::Trailing(1)));
}

#[test]
fn no_bytes_crash_the_decoder() {
    let (command, bytes) = device_creation();
    let mut random = Random::new(number("PYRO_SEED", 1));
    let mut refused = 0;
    for _ in 0..number("PYRO_MUTATIONS", 20_000) {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(4_u32) {
            let at = random.below(bytes.len());
            bytes[at] = random.word() as u8;
        }
        let decoded = decode::parameters(command, &bytes, &mut Same, &mut Parameters::default());
        refused += u32::from(decoded.is_err());
    }
    assert!(refused > 0);
    // Any bytes as parameters of any command.
    for command in schema::commands() {
        for _ in 0..20 {
            let length = random.below(400_usize);
            let bytes: Vec<u8> =
                (0..length).map(|_| [0, 1, random.word() as u8][random.below(3_usize)]).collect();
            let _ = decode::parameters(command, &bytes, &mut Same, &mut Parameters::default());
        }
    }
}
