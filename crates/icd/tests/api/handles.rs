//! Handles that are null, destroyed, foreign or of the wrong type; allocation callbacks; debug messengers;
//! which names resolve.

use pyro_test_kit::{Message, Messages};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use vulkanalia::vk::{self, Handle, HasBuilder};

macro_rules! command {
    ($get:expr, $name:literal as $pfn:ident) => {
        std::mem::transmute::<unsafe extern "system" fn(), vk::$pfn>($get(concat!($name, "\0")).expect($name))
    };
}

fn c_string(name: &str) -> *const i8 {
    CStr::from_bytes_with_nul(name.as_bytes()).expect("ends in zero").as_ptr().cast()
}

struct Api {
    instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
}

impl Api {
    fn new(version: u32, extensions: &[&CStr], next: *const c_void) -> Api {
        unsafe {
            let application = vk::ApplicationInfo::builder().api_version(version);
            let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
            let mut info = vk::InstanceCreateInfo::builder()
                .application_info(&application)
                .enabled_extension_names(&names)
                .build();
            info.next = next;
            let global =
                |name: &str| pyroclast_icd::get_instance_proc_addr(vk::Instance::null(), c_string(name));
            let create = command!(global, "vkCreateInstance" as PFN_vkCreateInstance);
            let mut instance = vk::Instance::null();
            assert_eq!(create(&info, null(), &mut instance), vk::Result::SUCCESS);
            let mut api = Api { instance, physical_device: vk::PhysicalDevice::null() };
            let enumerate = command!(
                |name| api.get(name),
                "vkEnumeratePhysicalDevices" as PFN_vkEnumeratePhysicalDevices
            );
            assert_eq!(enumerate(instance, &mut 1, &mut api.physical_device), vk::Result::SUCCESS);
            api
        }
    }

    fn get(&self, name: &str) -> vk::PFN_vkVoidFunction {
        unsafe { pyroclast_icd::get_instance_proc_addr(self.instance, c_string(name)) }
    }

    fn device(&self, extensions: &[&CStr]) -> vk::Device {
        unsafe {
            let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&[1.0]);
            let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
            let info = vk::DeviceCreateInfo::builder()
                .queue_create_infos(std::slice::from_ref(&queue))
                .enabled_extension_names(&names);
            let create = command!(|name| self.get(name), "vkCreateDevice" as PFN_vkCreateDevice);
            let mut device = vk::Device::null();
            assert_eq!(create(self.physical_device, &*info, null(), &mut device), vk::Result::SUCCESS);
            device
        }
    }

    fn get_for(&self, device: vk::Device, name: &str) -> vk::PFN_vkVoidFunction {
        let get =
            unsafe { command!(|name| self.get(name), "vkGetDeviceProcAddr" as PFN_vkGetDeviceProcAddr) };
        unsafe { get(device, c_string(name)) }
    }

    fn destroy(&self, device: vk::Device) {
        unsafe {
            command!(|name| self.get(name), "vkDestroyDevice" as PFN_vkDestroyDevice)(device, null());
            command!(|name| self.get(name), "vkDestroyInstance" as PFN_vkDestroyInstance)(
                self.instance,
                null(),
            );
        }
    }
}

const V1_0: u32 = vk::make_version(1, 0, 0);

#[test]
fn only_enabled_names_resolve() {
    let api = Api::new(V1_0, &[], null());
    assert!(api.get("vkCreateDebugUtilsMessengerEXT\0").is_none(), "its extension is not enabled");
    assert!(api.get("vkCmdDispatch\0").is_some());
    assert!(api.get("vkCmdDecodeVideoKHR\0").is_none(), "no such extension");
    assert!(api.get("vkGetPhysicalDeviceFeatures2\0").is_some(), "all of the core");
    let device = api.device(&[c"VK_KHR_copy_commands2"]);
    for (name, resolves) in [
        ("vkCmdDispatch\0", true),
        ("vkCmdCopyBuffer2KHR\0", true),
        ("vkCmdCopyBuffer2\0", false),  // of 1.3
        ("vkQueueSubmit2KHR\0", false), // its extension is not enabled
        ("vkCmdDrawMeshTasksEXT\0", false),
        ("vkBindBufferMemory2\0", false), // of 1.1
        ("vkSetDebugUtilsObjectNameEXT\0", false),
        ("vkCreateDevice\0", false), // not a device's
        ("vkNoSuchCommand\0", false),
    ] {
        assert_eq!(api.get_for(device, name).is_some(), resolves, "{name}");
    }
    api.destroy(device);
    let api = Api::new(vk::make_version(1, 1, 7), &[c"VK_EXT_debug_utils"], null());
    assert!(api.get("vkCreateDebugUtilsMessengerEXT\0").is_some());
    let device = api.device(&[]);
    assert!(api.get_for(device, "vkBindBufferMemory2\0").is_some());
    assert!(api.get_for(device, "vkSetDebugUtilsObjectNameEXT\0").is_some(), "of an instance extension");
    api.destroy(device);
}

fn messenger_info(heard: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT {
    heard.messenger_info(
        vk::DebugUtilsMessageSeverityFlagsEXT::all(),
        vk::DebugUtilsMessageTypeFlagsEXT::all(),
    )
}

#[test]
fn invalid_handles_are_reported() {
    let heard = Messages::default();
    let api = Api::new(V1_0, &[c"VK_EXT_debug_utils"], null());
    unsafe {
        let get = |name: &str| api.get(name);
        let create = command!(get, "vkCreateDebugUtilsMessengerEXT" as PFN_vkCreateDebugUtilsMessengerEXT);
        let mut messenger = vk::DebugUtilsMessengerEXT::null();
        assert_eq!(
            create(api.instance, &messenger_info(&heard), null(), &mut messenger),
            vk::Result::SUCCESS
        );
        let device = api.device(&[]);
        let last = || heard.pop();

        let mut event = vk::Event::null();
        let create = command!(get, "vkCreateEvent" as PFN_vkCreateEvent);
        let status = command!(get, "vkGetEventStatus" as PFN_vkGetEventStatus);
        let destroy = command!(get, "vkDestroyEvent" as PFN_vkDestroyEvent);
        assert_eq!(create(device, &vk::EventCreateInfo::default(), null(), &mut event), vk::Result::SUCCESS);
        assert_eq!(status(device, event), vk::Result::EVENT_RESET);
        assert!(last().is_none());

        // Named, and of the wrong type for a fence's command.
        let name = CString::new("my event").expect("no zero");
        let info = vk::DebugUtilsObjectNameInfoEXT {
            object_type: vk::ObjectType::EVENT,
            object_handle: event.as_raw(),
            object_name: name.as_ptr(),
            ..Default::default()
        };
        let set_name = command!(get, "vkSetDebugUtilsObjectNameEXT" as PFN_vkSetDebugUtilsObjectNameEXT);
        assert_eq!(set_name(device, &info), vk::Result::SUCCESS);
        let fence_status = command!(get, "vkGetFenceStatus" as PFN_vkGetFenceStatus);
        let wrong = fence_status(device, vk::Fence::from_raw(event.as_raw()));
        assert_eq!(wrong, vk::Result::ERROR_VALIDATION_FAILED);
        let Message { text, objects, .. } = last().expect("a message");
        assert!(text.contains("EVENT") && text.contains("FENCE"), "{text}");
        assert_eq!(objects[0], (vk::ObjectType::DEVICE, device.as_raw() as u64, None));
        let named = objects.iter().find(|(_, handle, _)| *handle == event.as_raw()).expect("the event");
        assert_eq!(named.2.as_deref(), Some("my event"));

        // Destroyed, twice; null; foreign.
        destroy(device, event, null());
        assert!(last().is_none());
        assert_eq!(status(device, event), vk::Result::ERROR_VALIDATION_FAILED);
        assert!(last().expect("a message").text.contains("destroyed"));
        destroy(device, event, null());
        assert!(last().expect("a message").text.contains("destroyed"));
        destroy(device, vk::Event::null(), null());
        assert!(last().is_none(), "null may be destroyed");
        assert_eq!(status(device, vk::Event::null()), vk::Result::ERROR_VALIDATION_FAILED);
        assert!(last().expect("a message").text.contains("null"));
        assert_eq!(
            status(device, vk::Event::from_raw(0xdead_beef_0000)),
            vk::Result::ERROR_VALIDATION_FAILED
        );
        assert!(last().expect("a message").text.contains("not a handle"));

        // Dispatchable ones: null, foreign, inside an object, of the wrong type.
        let wait = command!(get, "vkDeviceWaitIdle" as PFN_vkDeviceWaitIdle);
        let (device_word, instance_word) = (device.as_raw(), api.instance.as_raw());
        for bad in
            [0, 8, std::ptr::from_ref(&heard) as usize, device_word + 8, device_word + 1, instance_word]
        {
            assert_eq!(wait(vk::Device::from_raw(bad)), vk::Result::ERROR_VALIDATION_FAILED, "{bad:#x}");
            assert!(last().is_some());
        }
        api_destroy_device(&api, device);
        assert_eq!(wait(device), vk::Result::ERROR_VALIDATION_FAILED);
        assert!(last().expect("a message").text.contains("destroyed"));

        let submit = command!(get, "vkSubmitDebugUtilsMessageEXT" as PFN_vkSubmitDebugUtilsMessageEXT);
        let data = vk::DebugUtilsMessengerCallbackDataEXT {
            message_id_name: c"id".as_ptr(),
            message: c"hello".as_ptr(),
            ..Default::default()
        };
        let severity = vk::DebugUtilsMessageSeverityFlagsEXT::INFO;
        submit(api.instance, severity, vk::DebugUtilsMessageTypeFlagsEXT::GENERAL, &data);
        assert_eq!(last().map(|message| (message.id, message.text)), Some(("id".into(), "hello".into())));
        let destroy = command!(get, "vkDestroyDebugUtilsMessengerEXT" as PFN_vkDestroyDebugUtilsMessengerEXT);
        destroy(api.instance, messenger, null());
        submit(api.instance, severity, vk::DebugUtilsMessageTypeFlagsEXT::GENERAL, &data);
        assert!(last().is_none(), "the messenger is gone");
        command!(get, "vkDestroyInstance" as PFN_vkDestroyInstance)(api.instance, null());
    }
}

unsafe fn api_destroy_device(api: &Api, device: vk::Device) {
    unsafe { command!(|name| api.get(name), "vkDestroyDevice" as PFN_vkDestroyDevice)(device, null()) };
}

#[test]
fn messenger_in_pnext_hears_instance_creation() {
    let heard = Messages::default();
    let messenger = messenger_info(&heard);
    unsafe {
        let names = [c"VK_NO_such_extension".as_ptr()];
        let mut info = vk::InstanceCreateInfo::builder().enabled_extension_names(&names).build();
        info.next = std::ptr::from_ref(&messenger).cast();
        let global = |name: &str| pyroclast_icd::get_instance_proc_addr(vk::Instance::null(), c_string(name));
        let create = command!(global, "vkCreateInstance" as PFN_vkCreateInstance);
        let mut instance = vk::Instance::null();
        assert_eq!(create(&info, null(), &mut instance), vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    assert!(heard.take()[0].text.contains("VK_NO_such_extension"));
}

/// What an application's allocator gave out, and how much more it gives.
struct Host {
    blocks: HashMap<usize, std::alloc::Layout>,
    scopes: Vec<vk::SystemAllocationScope>,
    left: usize,
}

unsafe extern "system" fn allocate(
    user_data: *mut c_void,
    size: usize,
    alignment: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    unsafe {
        let mut host = (*user_data.cast::<Mutex<Host>>()).lock().expect("not poisoned");
        let Some(left) = host.left.checked_sub(1) else { return null_mut() };
        host.left = left;
        let layout = std::alloc::Layout::from_size_align(size, alignment).expect("a power of two");
        let block = std::alloc::alloc(layout);
        host.blocks.insert(block as usize, layout);
        host.scopes.push(scope);
        block.cast()
    }
}

unsafe extern "system" fn free(user_data: *mut c_void, block: *mut c_void) {
    unsafe {
        let mut host = (*user_data.cast::<Mutex<Host>>()).lock().expect("not poisoned");
        let layout = host.blocks.remove(&(block as usize)).expect("a block of ours, once");
        std::alloc::dealloc(block.cast(), layout);
    }
}

#[test]
fn host_memory_is_the_applications() {
    let host = Mutex::new(Host { blocks: HashMap::new(), scopes: Vec::new(), left: 1 });
    let callbacks = vk::AllocationCallbacks {
        user_data: std::ptr::from_ref(&host).cast_mut().cast(),
        allocation: Some(allocate),
        free: Some(free),
        ..unsafe { std::mem::zeroed() }
    };
    let api = Api::new(V1_0, &[], null());
    let device = api.device(&[]);
    unsafe {
        let get = |name: &str| api.get(name);
        let info = vk::SemaphoreCreateInfo::default();
        let create = command!(get, "vkCreateSemaphore" as PFN_vkCreateSemaphore);
        let mut semaphore = vk::Semaphore::null();
        assert_eq!(create(device, &info, &callbacks, &mut semaphore), vk::Result::SUCCESS);
        assert_eq!(host.lock().expect("not poisoned").scopes, [vk::SystemAllocationScope::OBJECT]);
        let mut none = vk::Semaphore::null();
        assert_eq!(create(device, &info, &callbacks, &mut none), vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        command!(get, "vkDestroySemaphore" as PFN_vkDestroySemaphore)(device, semaphore, &callbacks);
        assert!(host.lock().expect("not poisoned").blocks.is_empty(), "all is freed");
    }
    api.destroy(device);
}
