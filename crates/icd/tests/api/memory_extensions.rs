//! Extensions of memory: mappings where the application wants them, reports of allocations
//! and of device addresses, dedicated allocations of the first kind.

use pyro_test_kit::{Client, Gpu};
use std::ffi::c_void;
use std::ptr::{from_mut, from_ref, null_mut};
use std::sync::Mutex;
use vulkanalia::prelude::v1_4::*;
#[cfg(target_os = "linux")]
use vulkanalia::vk::KhrExternalMemoryFdExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const V1_4: u32 = vk::make_version(1, 4, 0);

fn allocate(gpu: &Gpu, size: u64) -> Result<vk::DeviceMemory, vk::ErrorCode> {
    let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
    unsafe { gpu.device.allocate_memory(&info, None) }
}

#[cfg(any(target_os = "linux", windows))]
mod placed {
    use super::*;

    /// `minPlacedMemoryMapAlignment`.
    const PAGE: u64 = if cfg!(windows) { 64 << 10 } else { 4096 };

    fn placing() -> Gpu {
        let mut features = vk::PhysicalDeviceMapMemoryPlacedFeaturesEXT::builder()
            .memory_map_placed(true)
            .memory_map_range_placed(true)
            .memory_unmap_reserve(true);
        let next = from_mut(&mut features).cast();
        Client::new(V1_4, &[]).device(&[c"VK_EXT_map_memory_placed"], None, next)
    }

    /// Addresses that the process has reserved: memory of its own, which a placed mapping replaces.
    #[cfg(unix)]
    fn reserved(gpu: &Gpu, pages: u64) -> (vk::DeviceMemory, *mut u8) {
        let needs = vk::MemoryRequirements { size: pages * PAGE, ..Default::default() };
        gpu.mapped_memory(needs)
    }

    /// Addresses that the process has reserved, at which there is nothing.
    #[cfg(windows)]
    fn reserved(_: &Gpu, pages: u64) -> (vk::DeviceMemory, *mut u8) {
        use windows_sys::Win32::System::Memory::{MEM_RESERVE, PAGE_NOACCESS, VirtualAlloc};
        let bytes = (pages * PAGE) as usize;
        let address = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE, PAGE_NOACCESS) };
        (vk::DeviceMemory::null(), address.cast())
    }

    fn map(
        gpu: &Gpu,
        memory: vk::DeviceMemory,
        offset: u64,
        size: u64,
        address: *mut u8,
    ) -> Result<*mut u8, vk::ErrorCode> {
        let mut placed = vk::MemoryMapPlacedInfoEXT { placed_address: address.cast(), ..Default::default() };
        let info = vk::MemoryMapInfo::builder()
            .flags(vk::MemoryMapFlags::PLACED_EXT)
            .memory(memory)
            .offset(offset)
            .size(size)
            .push_next(&mut placed);
        unsafe { gpu.device.map_memory2(&info) }.map(<*mut c_void>::cast)
    }

    /// The device and both mappings see the same bytes; a range is mapped as well as the whole; an address
    /// that is not a page's, and host memory of others, are refused.
    #[test]
    fn mappings_are_where_the_application_wants_them() {
        let gpu = placing();
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let (_room, room) = reserved(&gpu, 80);
        let info = vk::BufferCreateInfo::builder().size(64 * PAGE).usage(usage);
        unsafe {
            let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
            let needs = gpu.device.get_buffer_memory_requirements(buffer);
            let memory = allocate(&gpu, needs.size).expect("memory");
            gpu.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let fill = |word: u32| {
                gpu.run(|commands| gpu.device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, word));
            };
            let ranges = [(0, vk::WHOLE_SIZE, 64, 0), (3 * PAGE, 2 * PAGE, 2, 0), (PAGE, PAGE, 1, 7)];
            for (offset, size, pages, place) in ranges {
                let place = room.add(place * PAGE as usize);
                let at = map(&gpu, memory, offset, size, place).expect("mapped");
                assert_eq!(at, place);
                fill(0x1234_5678 + pages);
                let last = at.add(pages as usize * PAGE as usize - 4).cast::<u32>();
                assert_eq!(last.read_volatile(), 0x1234_5678 + pages);
                last.write_volatile(pages);
                let unmap =
                    vk::MemoryUnmapInfo::builder().flags(vk::MemoryUnmapFlags::RESERVE_EXT).memory(memory);
                gpu.device.unmap_memory2(&unmap).expect("unmapped");
            }
            for (offset, address) in [(0, room.add(1)), (1, room), (0, null_mut())] {
                assert!(map(&gpu, memory, offset, PAGE, address).is_err(), "{offset} {address:?}");
            }
            // What was refused is not mapped.
            let flags = vk::MemoryMapFlags::empty();
            let plain = gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped");
            let words = plain.cast::<u32>();
            assert_eq!(words.read_volatile(), 0x1234_5678 + 1);
            assert_eq!(words.add(2 * PAGE as usize / 4 - 1).read_volatile(), 1);
            gpu.device.destroy_buffer(buffer, None);
            gpu.device.free_memory(memory, None);
        }
    }

    /// The addresses of any mapping can stay reserved. They are the application's then, which may place
    /// another mapping there or give them back, and the memory stays as it is.
    #[test]
    fn addresses_of_plain_mappings_stay_reserved() {
        let gpu = placing();
        let device = &gpu.device;
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
        let info = vk::BufferCreateInfo::builder().size(8 * PAGE).usage(usage);
        let flags = vk::MemoryMapFlags::empty();
        unsafe {
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let needs = device.get_buffer_memory_requirements(buffer);
            let memory = allocate(&gpu, needs.size).expect("memory");
            device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let reserve =
                vk::MemoryUnmapInfo::builder().flags(vk::MemoryUnmapFlags::RESERVE_EXT).memory(memory);
            assert!(device.unmap_memory2(&reserve).is_err(), "nothing is mapped");
            let mut reserved = Vec::new();
            for (number, offset, size) in
                [(1, 0, vk::WHOLE_SIZE), (2, PAGE + 256, 2 * PAGE), (3, 3 * PAGE - 4, vk::WHOLE_SIZE)]
            {
                gpu.run(|commands| device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, number));
                let mapped = device.map_memory(memory, offset, size, flags).expect("mapped").cast::<u32>();
                assert_eq!(mapped as u64 % 64, offset % 64, "minMemoryMapAlignment");
                let bytes = if size == vk::WHOLE_SIZE { needs.size - offset } else { size };
                let last = bytes / 4 - 1;
                assert_eq!([0, last].map(|word| mapped.add(word as usize).read_volatile()), [number; 2]);
                mapped.write_volatile(number + 10);
                device.unmap_memory2(&reserve).expect("reserved");
                let seen = device.map_memory(memory, offset, size, flags).expect("mapped").cast::<u32>();
                assert_ne!(seen, mapped, "addresses that are reserved are not used again");
                assert_eq!(seen.read_volatile(), number + 10, "the memory is as it was");
                device.unmap_memory(memory);
                reserved.push((mapped as u64 / PAGE * PAGE, mapped));
            }
            // Nothing is there any more, and what is there next is placed by the application.
            #[cfg(target_os = "linux")]
            for &(page, _) in &reserved {
                let maps = std::fs::read_to_string("/proc/self/maps").expect("mappings");
                let line = maps.lines().find(|line| {
                    let (start, rest) = line.split_once('-').expect("a range");
                    let end = rest.split(' ').next().expect("its end");
                    let [start, end] = [start, end].map(|hex| u64::from_str_radix(hex, 16).expect("hex"));
                    (start..end).contains(&page)
                });
                assert!(line.expect("reserved").contains("---p"), "{line:?}");
            }
            let room = reserved[0].0 as *mut u8;
            assert_eq!(map(&gpu, memory, 0, vk::WHOLE_SIZE, room).expect("placed"), room);
            assert_eq!(room.cast::<u32>().add(1).read_volatile(), 3);
            // The device goes on using the memory.
            gpu.run(|commands| device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, 77));
            assert_eq!(room.cast::<u32>().read_volatile(), 77);
            device.unmap_memory(memory);
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
    }

    /// Memory of the application has no addresses that the driver could reserve: it stays mapped.
    #[test]
    fn a_mapping_that_cannot_be_reserved_stays() {
        let mut features = vk::PhysicalDeviceMapMemoryPlacedFeaturesEXT::builder()
            .memory_map_placed(true)
            .memory_unmap_reserve(true);
        let extensions = [c"VK_EXT_map_memory_placed", c"VK_EXT_external_memory_host"];
        let gpu = Client::new(V1_4, &[]).device(&extensions, None, from_mut(&mut features).cast());
        let mut words = vec![7u32; 3 << 14];
        let address = (words.as_mut_ptr() as u64).next_multiple_of(1 << 16);
        let mut import = vk::ImportMemoryHostPointerInfoEXT::builder()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        import.host_pointer = address as *mut c_void;
        let info = vk::MemoryAllocateInfo::builder().allocation_size(1 << 16).push_next(&mut import);
        unsafe {
            let memory = gpu.device.allocate_memory(&info, None).expect("imported");
            let flags = vk::MemoryMapFlags::empty();
            let mapped = gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped");
            assert_eq!(mapped as u64, address);
            let unmap =
                vk::MemoryUnmapInfo::builder().flags(vk::MemoryUnmapFlags::RESERVE_EXT).memory(memory);
            assert_eq!(gpu.device.unmap_memory2(&unmap), Err(vk::ErrorCode::MEMORY_MAP_FAILED));
            assert_eq!(mapped.cast::<u32>().read_volatile(), 7);
            assert!(gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).is_err(), "it is mapped still");
            gpu.device.unmap_memory(memory);
            gpu.device.free_memory(memory, None);
        }
    }

    /// Part of memory that is in use is not replaced, since mappings end whole.
    #[cfg(windows)]
    #[test]
    fn parts_of_mappings_are_not_replaced() {
        use windows_sys::Win32::System::Memory::{MEM_COMMIT, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc};
        let gpu = placing();
        let memory = allocate(&gpu, PAGE).expect("memory");
        let bytes = 3 * PAGE as usize;
        let used = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        let middle = used.cast::<u8>().wrapping_add(PAGE as usize);
        unsafe {
            middle.write_volatile(7);
            assert_eq!(map(&gpu, memory, 0, vk::WHOLE_SIZE, middle), Err(vk::ErrorCode::MEMORY_MAP_FAILED));
            assert_eq!(middle.read_volatile(), 7);
            gpu.device.free_memory(memory, None);
        }
    }

    /// Without the feature nothing is placed.
    #[test]
    fn placing_needs_its_feature() {
        let gpu = Client::new(V1_4, &[]).device(&[c"VK_EXT_map_memory_placed"], None, null_mut());
        let memory = allocate(&gpu, PAGE).expect("memory");
        let (room_memory, room) = reserved(&gpu, 1);
        assert!(map(&gpu, memory, 0, vk::WHOLE_SIZE, room).is_err());
        unsafe {
            gpu.device.free_memory(memory, None);
            gpu.device.free_memory(room_memory, None);
        }
    }
}

/// What a callback was told: the event, the memory's number, its bytes and its handle.
type Event = (vk::DeviceMemoryReportEventTypeEXT, u64, u64, u64);

unsafe extern "system" fn tell(data: *const vk::DeviceMemoryReportCallbackDataEXT, events: *mut c_void) {
    unsafe {
        let data = &*data;
        assert!(data.object_type == vk::ObjectType::DEVICE_MEMORY && data.heap_index == 0);
        let event = (data.type_, data.memory_object_id, data.size, data.object_handle);
        (*events.cast::<Mutex<Vec<Event>>>()).lock().expect("not poisoned").push(event);
    }
}

/// A device that reports to the list, which must outlive it.
fn reporting(extensions: &[&'static std::ffi::CStr], events: &Mutex<Vec<Event>>) -> Gpu {
    let mut features = vk::PhysicalDeviceDeviceMemoryReportFeaturesEXT::builder().device_memory_report(true);
    let mut report = vk::DeviceDeviceMemoryReportCreateInfoEXT {
        user_callback: Some(tell),
        user_data: from_ref(events).cast_mut().cast(),
        next: from_mut(&mut features).cast(),
        ..Default::default()
    };
    Client::new(V1_3, &[]).device(extensions, None, from_mut(&mut report).cast())
}

#[test]
fn allocations_are_reported() {
    use vk::DeviceMemoryReportEventTypeEXT as Type;
    let events = Mutex::new(Vec::<Event>::new());
    let gpu = reporting(&[c"VK_EXT_device_memory_report"], &events);
    let take = || std::mem::take(&mut *events.lock().expect("not poisoned"));
    unsafe {
        let memory = allocate(&gpu, 5000).expect("memory");
        let [(Type::ALLOCATE, id, 5000, handle)] = take()[..] else { panic!("no allocation") };
        assert_eq!(handle, memory.as_raw());
        let second = allocate(&gpu, 5000).expect("memory");
        let [(Type::ALLOCATE, other, ..)] = take()[..] else { panic!("no allocation") };
        assert_ne!(id, other);
        gpu.device.free_memory(memory, None);
        assert_eq!(take(), [(Type::FREE, id, 5000, handle)]);
        gpu.device.free_memory(second, None);
        gpu.device.free_memory(vk::DeviceMemory::null(), None);
        assert_eq!(take().len(), 1);
        assert!(allocate(&gpu, u64::MAX / 2).is_err());
        assert_eq!(take(), [(Type::ALLOCATION_FAILED, 0, u64::MAX / 2, 0)]);
    }
}

/// Memory that is exported and imported has one number, in all its events.
#[cfg(target_os = "linux")]
#[test]
fn imports_are_reported_with_the_number_of_what_was_exported() {
    use vk::DeviceMemoryReportEventTypeEXT as Type;
    let opaque = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let events = Mutex::new(Vec::<Event>::new());
    let gpu = reporting(&[c"VK_EXT_device_memory_report", c"VK_KHR_external_memory_fd"], &events);
    let take = || std::mem::take(&mut *events.lock().expect("not poisoned"));
    unsafe {
        let export = |size| {
            let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(opaque);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size).push_next(&mut export);
            gpu.device.allocate_memory(&info, None).expect("memory")
        };
        let memory = export(8192);
        let [(Type::ALLOCATE, id, 8192, handle)] = take()[..] else { panic!("no allocation") };
        let other = export(8192);
        let [(Type::ALLOCATE, other_id, ..)] = take()[..] else { panic!("no allocation") };
        assert_ne!(id, other_id);
        let import = || {
            let get = vk::MemoryGetFdInfoKHR::builder().memory(memory).handle_type(opaque);
            let fd = gpu.device.get_memory_fd_khr(&get).expect("a descriptor");
            let mut import = vk::ImportMemoryFdInfoKHR::builder().handle_type(opaque).fd(fd);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut import);
            gpu.device.allocate_memory(&info, None).expect("imported")
        };
        let imports = [import(), import()];
        assert_eq!(take(), imports.map(|import| (Type::IMPORT, id, 8192, import.as_raw())));
        gpu.device.free_memory(memory, None);
        assert_eq!(take(), [(Type::FREE, id, 8192, handle)]);
        imports.into_iter().for_each(|import| gpu.device.free_memory(import, None));
        assert_eq!(take(), imports.map(|import| (Type::UNIMPORT, id, 8192, import.as_raw())));
        gpu.device.free_memory(other, None);
    }
}

/// Each object is reported once with the addresses that it has and once when it has them no more.
#[test]
fn device_addresses_of_objects_are_reported() {
    let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils"]);
    let messages = client.listen(
        vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        vk::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING,
    );
    let mut features =
        vk::PhysicalDeviceAddressBindingReportFeaturesEXT::builder().report_address_binding(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
    features.next = from_mut(&mut addresses).cast();
    let next = from_mut(&mut features).cast();
    let gpu = client.device(&[c"VK_EXT_device_address_binding_report"], None, next);
    let told = |ty: vk::ObjectType, handle: u64, address: Option<u64>| {
        let all = messages.take();
        let [message] = &all[..] else { panic!("{all:?}") };
        assert_eq!(message.objects[0].0, ty);
        assert_eq!(message.objects[0].1, handle);
        if let Some(address) = address {
            assert!(message.text.contains(&format!("{address:#x}")), "{}", message.text);
        }
        message.text.clone()
    };
    unsafe {
        let memory = allocate(&gpu, 65536).expect("memory");
        told(vk::ObjectType::DEVICE_MEMORY, memory.as_raw(), None);
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let info = vk::BufferCreateInfo::builder().size(512).usage(usage);
        let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
        gpu.device.bind_buffer_memory(buffer, memory, 1024).expect("bound");
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
        let address = gpu.device.get_buffer_device_address(&info);
        let bound = told(vk::ObjectType::BUFFER, buffer.as_raw(), Some(address));
        assert!(bound.contains("has 512 bytes"), "{bound}");
        gpu.device.destroy_buffer(buffer, None);
        let unbound = told(vk::ObjectType::BUFFER, buffer.as_raw(), Some(address));
        assert!(unbound.contains("no longer has 512 bytes"), "{unbound}");

        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: 8, height: 8, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::TRANSFER_DST);
        let image = gpu.device.create_image(&info, None).expect("an image");
        gpu.device.bind_image_memory(image, memory, 4096).expect("bound");
        told(vk::ObjectType::IMAGE, image.as_raw(), Some(address - 1024 + 4096));
        gpu.device.destroy_image(image, None);
        told(vk::ObjectType::IMAGE, image.as_raw(), Some(address - 1024 + 4096));
        // An object without memory has no addresses to lose.
        let info = vk::BufferCreateInfo::builder().size(512).usage(usage);
        let unbound = gpu.device.create_buffer(&info, None).expect("a buffer");
        gpu.device.destroy_buffer(unbound, None);
        assert!(messages.take().is_empty());
        gpu.device.free_memory(memory, None);
        told(vk::ObjectType::DEVICE_MEMORY, memory.as_raw(), Some(address - 1024));
    }
}

/// Memory is allocated for a buffer or an image alone, and another image may share it where aliasing is
/// enabled.
#[test]
fn dedicated_allocations_of_the_first_kind() {
    let mut aliasing = vk::PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV::builder()
        .dedicated_allocation_image_aliasing(true);
    let next = from_mut(&mut aliasing).cast();
    let extensions = [c"VK_NV_dedicated_allocation", c"VK_NV_dedicated_allocation_image_aliasing"];
    let gpu = Client::new(V1_3, &[]).device(&extensions, None, next);
    let mut dedicated = vk::DedicatedAllocationBufferCreateInfoNV::builder().dedicated_allocation(true);
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::builder().size(256).usage(usage).push_next(&mut dedicated);
    unsafe {
        let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
        let needs = gpu.device.get_buffer_memory_requirements(buffer);
        let mut whose = vk::DedicatedAllocationMemoryAllocateInfoNV::builder().buffer(buffer);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size).push_next(&mut whose);
        let memory = gpu.device.allocate_memory(&info, None).expect("memory");
        gpu.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        gpu.run(|commands| gpu.device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, 77));
        let flags = vk::MemoryMapFlags::empty();
        let mapped = gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped");
        assert_eq!(mapped.cast::<u32>().add(63).read_volatile(), 77);
        gpu.device.destroy_buffer(buffer, None);
        gpu.device.free_memory(memory, None);
    }
}
