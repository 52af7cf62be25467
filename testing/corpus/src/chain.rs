//! Instances and devices, and which functions are the layer's (the loader's interface to layers, version 2).
#![allow(unsafe_code)] // pointers of the loader and of the program; each block says what it relies on

use crate::commands;
use crate::record::Recorder;
use crate::times;
use ash::vk::{self, Handle};
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, LazyLock};

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct NegotiateLayerInterface {
    structure: i32,
    next: *mut c_void,
    /// `loaderLayerInterfaceVersion`.
    pub version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: *const c_void,
}

/// `VkLayerInstanceLink`, `VkLayerDeviceLink`: the functions of what comes next.
#[repr(C)]
pub struct Link {
    /// What comes after that.
    pub next: *mut Link,
    /// The next `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// Of instances unused; of devices, the next `vkGetDeviceProcAddr`.
    pub get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
}

/// `VkLayerInstanceCreateInfo`, `VkLayerDeviceCreateInfo`: the loader's part of a creation.
#[repr(C)]
pub struct LinkInfo {
    /// [`INSTANCE`] or [`DEVICE`].
    pub structure: vk::StructureType,
    /// The next structure.
    pub next: *const c_void,
    /// What this is: [`LINKS`], or something else.
    pub function: i32,
    /// The links.
    pub links: *mut Link,
}

/// `VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO`.
pub const INSTANCE: vk::StructureType = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
/// `VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO`.
pub const DEVICE: vk::StructureType = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
/// `VK_LAYER_LINK_INFO`.
pub const LINKS: i32 = 0;

/// A device.
pub(crate) struct Layered {
    pub(crate) device: ash::Device,
    get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    handle: vk::Device,
    /// Numbers of shader modules and of pipelines, by handle.
    pub(crate) numbers: Mutex<HashMap<u64, u64>>,
    /// Words of shader modules, by number.
    pub(crate) words: Mutex<HashMap<u64, usize>>,
    /// None where the device has no timestamps, or nothing is to be measured.
    pub(crate) recorder: Option<Mutex<Recorder>>,
    pub(crate) repeats: u32,
}

impl Layered {
    /// The next function of a name.
    pub(crate) fn next(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device lives as long as this does.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }
}

struct LayeredInstance {
    instance: ash::Instance,
    get_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

static INSTANCES: LazyLock<Mutex<HashMap<usize, Arc<LayeredInstance>>>> = LazyLock::new(Mutex::default);
static DEVICES: LazyLock<Mutex<HashMap<usize, Arc<Layered>>>> = LazyLock::new(Mutex::default);

/// The loader's table of an instance or a device, which all its dispatchable handles begin with.
fn key(handle: u64) -> usize {
    // SAFETY: a dispatchable handle is a pointer to an object that begins with a pointer of the loader.
    unsafe { *(handle as *const usize) }
}

/// The device that a dispatchable handle belongs to.
pub(crate) fn device_of(handle: impl Handle) -> Option<Arc<Layered>> {
    DEVICES.lock().get(&key(handle.as_raw())).cloned()
}

/// The loader's structure with links in a chain of structures.
unsafe fn links(mut next: *const c_void, structure: vk::StructureType) -> Option<&'static mut LinkInfo> {
    while !next.is_null() {
        // SAFETY: by the interface every structure of the chain begins as this one does, and the loader's may
        // be written to.
        let info = unsafe { &mut *(next as *mut LinkInfo) };
        // What a structure is, is known before what it means is read.
        if info.structure == structure && info.function == LINKS {
            return Some(info);
        }
        next = info.next;
    }
    None
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the program's structure lives through the call.
    let Some(link_info) = (unsafe { links((*info).p_next, INSTANCE) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the loader's link lives through the call; the next one gets the rest.
    let link = unsafe { &*link_info.links };
    link_info.links = link.next;
    let get = link.get_instance_proc_addr;
    // SAFETY: a global command, with the program's own parameters.
    let result = unsafe {
        let Some(create) = get(vk::Instance::null(), c"vkCreateInstance".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create)(
            info, allocator, instance,
        )
    };
    if result == vk::Result::SUCCESS {
        // SAFETY: the instance has just been written, and the functions are its own.
        let (handle, loaded) = unsafe {
            let static_fn = ash::StaticFn { get_instance_proc_addr: get };
            (*instance, ash::Instance::load(&static_fn, *instance))
        };
        let layered = LayeredInstance { instance: loaded, get_proc_addr: get };
        INSTANCES.lock().insert(key(handle.as_raw()), Arc::new(layered));
    }
    result
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if instance.is_null() {
        return;
    }
    let layered = INSTANCES.lock().remove(&key(instance.as_raw()));
    if let Some(layered) = layered {
        // SAFETY: the program's own call.
        unsafe { (layered.instance.fp_v1_0().destroy_instance)(instance, allocator) };
    }
    times::write();
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    let Some(instance) = INSTANCES.lock().get(&key(physical.as_raw())).cloned() else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the program's structure lives through the call.
    let Some(link_info) = (unsafe { links((*info).p_next, DEVICE) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the loader's link lives through the call; the next one gets the rest.
    let link = unsafe { &*link_info.links };
    link_info.links = link.next;
    let Some(get) = link.get_device_proc_addr else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the program's own call.
    let result = unsafe { (instance.instance.fp_v1_0().create_device)(physical, info, allocator, device) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    // SAFETY: the device has just been written, and the functions are its own.
    let (handle, loaded) = unsafe {
        let handle = *device;
        let load =
            |name: &CStr| get(handle, name.as_ptr()).map_or(std::ptr::null(), |found| found as *const c_void);
        (handle, ash::Device::load_with(load, handle))
    };
    // SAFETY: the physical device belongs to this instance.
    let (properties, families) = unsafe {
        let instance = &instance.instance;
        (
            instance.get_physical_device_properties(physical),
            instance.get_physical_device_queue_family_properties(physical),
        )
    };
    let has_stamps = families.iter().all(|family| family.timestamp_valid_bits > 0);
    let measures = times::output().is_some() && has_stamps;
    if measures {
        times::note_device(&properties.device_name_as_c_str().unwrap_or_default().to_string_lossy());
    }
    let period = f64::from(properties.limits.timestamp_period);
    let recorder = measures.then(|| Mutex::new(Recorder::new(loaded.clone(), period)));
    let repeats = std::env::var("CORPUS_LAYER_REPEAT").ok().and_then(|text| text.parse().ok());
    let layered = Layered {
        device: loaded,
        get_proc_addr: get,
        handle,
        numbers: Mutex::default(),
        words: Mutex::default(),
        recorder,
        repeats: repeats.unwrap_or(1).max(1),
    };
    DEVICES.lock().insert(key(handle.as_raw()), Arc::new(layered));
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device.is_null() {
        return;
    }
    let layered = DEVICES.lock().remove(&key(device.as_raw()));
    if let Some(layered) = layered {
        if let Some(recorder) = &layered.recorder {
            recorder.lock().destroy();
        }
        // SAFETY: the program's own call.
        unsafe { (layered.device.fp_v1_0().destroy_device)(device, allocator) };
    }
    times::write();
}

/// A function as one without parameters, as `vkGet…ProcAddr` give them.
macro_rules! function {
    ($function:path, $ty:ty) => {
        // SAFETY: the caller casts it back to its type.
        Some(unsafe { std::mem::transmute::<$ty, unsafe extern "system" fn()>($function as $ty) })
    };
}

/// The layer's `vkGetInstanceProcAddr`.
///
/// # Safety
/// As of Vulkan's command; `name` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn corpus_get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    let wanted = unsafe { CStr::from_ptr(name) };
    match wanted.to_bytes() {
        b"vkGetInstanceProcAddr" => {
            function!(corpus_get_instance_proc_addr, vk::PFN_vkGetInstanceProcAddr)
        }
        b"vkGetDeviceProcAddr" => function!(corpus_get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        b"vkCreateInstance" => function!(create_instance, vk::PFN_vkCreateInstance),
        b"vkDestroyInstance" => function!(destroy_instance, vk::PFN_vkDestroyInstance),
        b"vkCreateDevice" => function!(create_device, vk::PFN_vkCreateDevice),
        b"vkDestroyDevice" => function!(destroy_device, vk::PFN_vkDestroyDevice),
        _ if instance.is_null() => None,
        _ => commands::find(wanted).or_else(|| {
            let layered = INSTANCES.lock().get(&key(instance.as_raw())).cloned()?;
            // SAFETY: the program's own call.
            unsafe { (layered.get_proc_addr)(instance, name) }
        }),
    }
}

/// The layer's `vkGetDeviceProcAddr`.
///
/// # Safety
/// As of Vulkan's command; `name` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn corpus_get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    let wanted = unsafe { CStr::from_ptr(name) };
    match wanted.to_bytes() {
        b"vkGetDeviceProcAddr" => function!(corpus_get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        b"vkDestroyDevice" => function!(destroy_device, vk::PFN_vkDestroyDevice),
        _ => {
            let next = device_of(device)?.next(wanted)?;
            // A function that the device lacks is not the layer's either.
            Some(commands::find(wanted).unwrap_or(next))
        }
    }
}

/// The loader's first call.
///
/// # Safety
/// `interface` is the loader's structure.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: the caller's promise.
    let interface = unsafe { &mut *interface };
    if interface.version < 2 {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.version = 2;
    interface.get_instance_proc_addr = Some(corpus_get_instance_proc_addr);
    interface.get_device_proc_addr = Some(corpus_get_device_proc_addr);
    interface.get_physical_device_proc_addr = std::ptr::null();
    vk::Result::SUCCESS
}
