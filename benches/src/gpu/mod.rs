//! A device and the few objects that a compute benchmark needs, over `ash`.
//!
//! `graphics` has images, render passes and pipelines on top. Every object here lives until the process ends:
//! a client process runs one benchmark and exits, and tearing down is not what is measured. Memory is
//! host-visible and mapped throughout, which every driver for CPUs offers.
#![allow(unsafe_code)] // The Vulkan API is foreign functions; this module is the only one that calls it.

pub(crate) mod graphics;
pub(crate) mod image;
mod rays;

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::slice;
use std::time::Duration;

use ash::vk;

use crate::error::Failure;
use pyro_test_loader::{Driver, Mapped};

/// How long one submission may take before the driver counts as hung, in nanoseconds.
const FENCE_TIMEOUT_NS: u64 = 100_000_000_000;

/// The most storage buffers that a kernel binds.
const BINDINGS_MAX: u32 = 4;

/// Bytes of push constants that every pipeline layout has.
const PUSH_SIZE: u32 = 64;

/// An open device with one compute queue.
pub(crate) struct Gpu {
    device: pyro_test_loader::Device,
    pool: vk::CommandPool,
    has_graphics: bool,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    subgroup_arithmetic: bool,
    dot_product: bool,
    halves: bool,
    geometry: bool,
    anisotropy: bool,
    /// Commands of acceleration structures, and of buffers' addresses, where there are ray queries.
    rays: Option<(ash::khr::acceleration_structure::Device, ash::khr::buffer_device_address::Device)>,
    cooperative_matrices: bool,
    /// [`Gpu::run`] gives processor time.
    pub(crate) counts_processor_time: bool,
}

/// A storage buffer of 32-bit words, mapped.
pub(crate) struct Buffer {
    handle: vk::Buffer,
    words: *mut u32,
    len: usize,
}

/// A compute pipeline, with the descriptor set of the buffers it works on.
pub(crate) struct Kernel {
    pipeline: vk::Pipeline,
    set: vk::DescriptorSet,
}

/// One step of a command buffer.
pub(crate) enum Step<'a> {
    /// Runs a kernel over so many workgroups with these push constants.
    Dispatch(&'a Kernel, [u32; 3], &'a [u32]),
    /// Makes the writes of the steps before visible to the steps after.
    Barrier,
}

/// A recorded command buffer and the fence that its submission signals.
pub(crate) struct Commands {
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
}

/// Whether the device lists the products for subgroups that the benchmarks are made of: of halves, 16 by 16,
/// added in single precision, and of signed bytes, 16 by 32 by 16, added in 32 bits.
fn multiplies_matrices(driver: &Driver) -> Result<bool> {
    use vk::ComponentTypeKHR as T;
    let query = ash::khr::cooperative_matrix::Instance::new(&driver.entry, &driver.instance);
    // SAFETY: `physical` comes from this instance, whose device has the extension.
    let list = unsafe { query.get_physical_device_cooperative_matrix_properties(driver.physical) }?;
    let has = |size: [u32; 3], factor: T, sum: T| {
        list.iter().any(|row| {
            [row.m_size, row.n_size, row.k_size] == size
                && [row.a_type, row.b_type] == [factor; 2]
                && [row.c_type, row.result_type] == [sum; 2]
                && row.saturating_accumulation == vk::FALSE
                && row.scope == vk::ScopeKHR::SUBGROUP
        })
    };
    Ok(has([16; 3], T::FLOAT16, T::FLOAT32) && has([16, 16, 32], T::SINT8, T::SINT32))
}

/// The result type of everything here.
type Result<T> = std::result::Result<T, Failure>;

impl Gpu {
    /// Opens the first device that the system's Vulkan loader lists.
    pub(crate) fn open() -> Result<Self> {
        Self::with_entry(pyro_test_loader::load()?)
    }

    /// Opens a driver's library itself, as the loader would, with no loader between.
    pub(crate) fn open_driver(path: &Path) -> Result<Self> {
        // SAFETY: the caller names a Vulkan driver; loading it runs its initialisers.
        let library = unsafe { libloading::Library::new(path) }
            .map_err(|error| Failure::Unsupported(format!("{}: {error}", path.display())))?;
        let library = Box::leak(Box::new(library));
        type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;
        // SAFETY: the symbol has this signature in every driver of loader interface 2 and later.
        let negotiate = unsafe { library.get::<Negotiate>(b"vk_icdNegotiateLoaderICDInterfaceVersion\0") };
        if let Ok(negotiate) = negotiate {
            let mut version = 5;
            // SAFETY: `version` outlives the call, which reads and writes one u32.
            unsafe { negotiate(&mut version) }.result()?;
        }
        // SAFETY: the symbol has `vkGetInstanceProcAddr`'s signature by the loader interface.
        let get = unsafe { library.get::<vk::PFN_vkGetInstanceProcAddr>(b"vk_icdGetInstanceProcAddr\0") }
            .map_err(|error| Failure::Unsupported(format!("{}: {error}", path.display())))?;
        // SAFETY: the pointer stays valid since the library is leaked.
        let entry = unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: *get }) };
        Self::with_entry(entry)
    }

    #[allow(clippy::too_many_lines, reason = "one optional feature after the other")]
    fn with_entry(entry: ash::Entry) -> Result<Self> {
        let driver = Driver::open(entry, &[], &[])?;
        let (instance, physical) = (&driver.instance, driver.physical);
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        // SAFETY: `physical` comes from this instance and the chain is live.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let subgroup_arithmetic = driver.api_version >= vk::API_VERSION_1_1
            && subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && subgroup
                .supported_operations
                .contains(vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::ARITHMETIC);

        let compute = vk::QueueFlags::COMPUTE;
        let family = driver.family(vk::QueueFlags::GRAPHICS | compute).or_else(|_| driver.family(compute))?;
        let has_graphics = driver.families[family as usize].queue_flags.contains(vk::QueueFlags::GRAPHICS);
        let has = |name: &CStr| driver.has(name);
        let dot_product = has(ash::khr::shader_integer_dot_product::NAME);
        let mut half_feature = vk::PhysicalDeviceShaderFloat16Int8Features::default();
        if has(ash::khr::shader_float16_int8::NAME) {
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut half_feature);
            // SAFETY: as above.
            unsafe { instance.get_physical_device_features2(physical, &mut features) };
        }
        let halves = half_feature.shader_float16 == vk::TRUE;
        let bytes = half_feature.shader_int8 == vk::TRUE;
        let mut dot_product_feature =
            vk::PhysicalDeviceShaderIntegerDotProductFeatures::default().shader_integer_dot_product(true);
        half_feature =
            vk::PhysicalDeviceShaderFloat16Int8Features::default().shader_float16(true).shader_int8(bytes);
        let mut enabled = Vec::new();
        let mut device_info = vk::DeviceCreateInfo::default();
        if dot_product {
            enabled.push(ash::khr::shader_integer_dot_product::NAME.as_ptr());
            device_info = device_info.push_next(&mut dot_product_feature);
        }
        if halves {
            enabled.push(ash::khr::shader_float16_int8::NAME.as_ptr());
            device_info = device_info.push_next(&mut half_feature);
        }
        let rays = rays::EXTENSIONS.iter().all(|name| has(name));
        let mut addresses =
            vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
        let mut structures =
            vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default().acceleration_structure(true);
        let mut queries = vk::PhysicalDeviceRayQueryFeaturesKHR::default().ray_query(true);
        if rays {
            enabled.extend(rays::EXTENSIONS.iter().map(|name| name.as_ptr()));
            device_info =
                device_info.push_next(&mut addresses).push_next(&mut structures).push_next(&mut queries);
        }
        // SAFETY: as above.
        let known = unsafe { instance.get_physical_device_features(physical) };
        let geometry = known.geometry_shader == vk::TRUE;
        let anisotropy = known.sampler_anisotropy == vk::TRUE;
        let features = vk::PhysicalDeviceFeatures::default()
            .geometry_shader(geometry)
            .sampler_anisotropy(anisotropy)
            .large_points(known.large_points == vk::TRUE)
            .fill_mode_non_solid(known.fill_mode_non_solid == vk::TRUE);
        device_info = device_info.enabled_features(&features);
        let cooperative_matrices = halves
            && bytes
            && driver.api_version >= vk::API_VERSION_1_3
            && subgroup.subgroup_size == 16
            && has(ash::khr::cooperative_matrix::NAME)
            && multiplies_matrices(&driver)?;
        let mut memory_model =
            vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
        let mut storage = vk::PhysicalDevice16BitStorageFeatures::default().storage_buffer16_bit_access(true);
        let mut byte_storage =
            vk::PhysicalDevice8BitStorageFeatures::default().storage_buffer8_bit_access(true);
        let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
        if cooperative_matrices {
            enabled.push(ash::khr::cooperative_matrix::NAME.as_ptr());
            device_info = device_info
                .push_next(&mut memory_model)
                .push_next(&mut storage)
                .push_next(&mut byte_storage)
                .push_next(&mut matrices);
        }
        device_info = device_info.enabled_extension_names(&enabled);
        let device = driver.device(family, device_info)?;
        let rays = rays.then(|| {
            let structures = ash::khr::acceleration_structure::Device::new(instance, &device);
            (structures, ash::khr::buffer_device_address::Device::new(instance, &device))
        });
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: `device` is live.
        let pool = unsafe { device.create_command_pool(&pool_info, None) }?;

        let bindings: Vec<_> = (0..BINDINGS_MAX)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let set_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: `bindings` lives until the call returns.
        let set_layout = unsafe { device.create_descriptor_set_layout(&set_info, None) }?;
        let (sets, ranges) = (
            [set_layout],
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(PUSH_SIZE)],
        );
        let layout_info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        // SAFETY: as above.
        let layout = unsafe { device.create_pipeline_layout(&layout_info, None) }?;

        Ok(Self {
            device,
            pool,
            has_graphics,
            set_layout,
            layout,
            subgroup_arithmetic,
            dot_product,
            halves,
            geometry,
            anisotropy,
            rays,
            cooperative_matrices,
            counts_processor_time: false,
        })
    }

    /// The device's name and API version, for the report.
    pub(crate) fn describe(&self) -> String {
        let driver = &self.device.driver;
        let version = driver.api_version;
        format!(
            "{} (Vulkan {}.{}.{})",
            driver.name,
            vk::api_version_major(version),
            vk::api_version_minor(version),
            vk::api_version_patch(version)
        )
    }

    /// Whether compute shaders may use subgroup arithmetic.
    pub(crate) fn subgroup_arithmetic(&self) -> bool {
        self.subgroup_arithmetic
    }

    /// Whether shaders may use products of packed bytes.
    pub(crate) fn dot_product(&self) -> bool {
        self.dot_product
    }

    /// Whether it has geometry shaders.
    pub(crate) fn geometry(&self) -> bool {
        self.geometry
    }

    /// Whether shaders may compute in half precision.
    pub(crate) fn halves(&self) -> bool {
        self.halves
    }

    /// Whether subgroups of 16 multiply the cooperative matrices of the benchmarks, of halves and of bytes.
    pub(crate) fn cooperative_matrices(&self) -> bool {
        self.cooperative_matrices
    }

    /// A zeroed buffer of `len` words, for every use that benchmarks make of one.
    pub(crate) fn buffer(&self, len: usize) -> Result<Buffer> {
        let size = (len as u64) * 4;
        let of_rays = match self.rays {
            Some(_) => {
                vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
                    | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
                    | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            }
            None => vk::BufferUsageFlags::empty(),
        };
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | of_rays;
        let Mapped { buffer, address } = self.device.buffer(size, usage).map_err(|error| match error {
            vk::Result::ERROR_FEATURE_NOT_PRESENT => {
                Failure::Unsupported("storage buffers in host-coherent memory".to_owned())
            }
            error => error.into(),
        })?;
        let buffer = Buffer { handle: buffer, words: address.cast(), len };
        buffer.write(|words| words.fill(0));
        Ok(buffer)
    }

    /// A buffer that holds `words`.
    pub(crate) fn buffer_of(&self, words: &[u32]) -> Result<Buffer> {
        let buffer = self.buffer(words.len())?;
        buffer.write(|target| target.copy_from_slice(words));
        Ok(buffer)
    }

    /// A buffer that holds `values`.
    pub(crate) fn buffer_of_floats(&self, values: &[f32]) -> Result<Buffer> {
        let buffer = self.buffer(values.len())?;
        buffer.write(|words| words.iter_mut().zip(values).for_each(|(word, v)| *word = v.to_bits()));
        Ok(buffer)
    }

    /// Another instance and device of the same driver.
    pub(crate) fn another(&self) -> Result<Self> {
        Self::with_entry(self.device.driver.entry.clone())
    }

    /// A pipeline cache that starts from the data of another, or from none.
    pub(crate) fn cache(&self, data: &[u8]) -> Result<vk::PipelineCache> {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: `data` lives until the call returns.
        Ok(unsafe { self.device.create_pipeline_cache(&info, None) }?)
    }

    /// What a cache holds, for [`Gpu::cache`] in another process or device.
    pub(crate) fn cache_data(&self, cache: vk::PipelineCache) -> Result<Vec<u8>> {
        // SAFETY: the cache is live.
        Ok(unsafe { self.device.get_pipeline_cache_data(cache) }?)
    }

    /// Makes a module and a pipeline of its entry point `main`, bound to `buffers` from binding 0 on.
    pub(crate) fn kernel(&self, spirv: &[u32], buffers: &[&Buffer]) -> Result<Kernel> {
        self.kernel_from(spirv, buffers, vk::PipelineCache::null())
    }

    /// The same with a pipeline cache, or null.
    pub(crate) fn kernel_from(
        &self,
        spirv: &[u32],
        buffers: &[&Buffer],
        cache: vk::PipelineCache,
    ) -> Result<Kernel> {
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: `spirv` lives until the call returns.
        let module = unsafe { self.device.create_shader_module(&info, None) }?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: module, layout, name and cache are live.
        let pipelines = unsafe { self.device.create_compute_pipelines(cache, &info, None) }
            .map_err(|(_, error)| error)?;
        Ok(Kernel { pipeline: pipelines[0], set: self.set(buffers)? })
    }

    fn set(&self, buffers: &[&Buffer]) -> Result<vk::DescriptorSet> {
        assert!(buffers.len() <= BINDINGS_MAX as usize, "a kernel binds at most {BINDINGS_MAX} buffers");
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(BINDINGS_MAX)];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: `sizes` lives until the call returns.
        let pool = unsafe { self.device.create_descriptor_pool(&info, None) }?;
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool holds exactly this set.
        let set = unsafe { self.device.allocate_descriptor_sets(&info) }?[0];
        self.write_set(set, buffers);
        Ok(set)
    }

    /// Has a kernel work on other buffers, by one update of its set.
    pub(crate) fn rebind(&self, kernel: &Kernel, buffers: &[&Buffer]) {
        self.write_set(kernel.set, buffers);
    }

    fn write_set(&self, set: vk::DescriptorSet, buffers: &[&Buffer]) {
        let mut ranges = [vk::DescriptorBufferInfo::default().range(vk::WHOLE_SIZE); BINDINGS_MAX as usize];
        ranges.iter_mut().zip(buffers).for_each(|(range, buffer)| range.buffer = buffer.handle);
        let mut writes = [vk::WriteDescriptorSet::default(); BINDINGS_MAX as usize];
        for (binding, (write, range)) in writes.iter_mut().zip(&ranges).enumerate() {
            *write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(slice::from_ref(range));
        }
        // SAFETY: the set is not in use, and all buffers are live.
        unsafe { self.device.update_descriptor_sets(&writes[..buffers.len()], &[]) };
    }

    /// Gives a command buffer back to its pool.
    pub(crate) fn free(&self, commands: Commands) {
        // SAFETY: both are this device's, and every submission was waited for.
        unsafe {
            self.device.free_command_buffers(self.pool, &[commands.buffer]);
            self.device.destroy_fence(commands.fence, None);
        }
    }

    /// Records `steps` into a command buffer that may be submitted again and again.
    pub(crate) fn record(&self, steps: &[Step<'_>]) -> Result<Commands> {
        let device = &self.device;
        let buffer = self.begin()?;
        let point = vk::PipelineBindPoint::COMPUTE;
        let mut bound = vk::Pipeline::null();
        for step in steps {
            match step {
                Step::Dispatch(kernel, groups, push) => {
                    // SAFETY: the command buffer is recording, and the kernel's objects belong to this
                    // device and share the one layout.
                    unsafe {
                        if bound != kernel.pipeline {
                            device.cmd_bind_pipeline(buffer, point, kernel.pipeline);
                            let sets = [kernel.set];
                            device.cmd_bind_descriptor_sets(buffer, point, self.layout, 0, &sets, &[]);
                            bound = kernel.pipeline;
                        }
                        if !push.is_empty() {
                            let bytes: Vec<u8> = push.iter().flat_map(|word| word.to_ne_bytes()).collect();
                            let stage = vk::ShaderStageFlags::COMPUTE;
                            device.cmd_push_constants(buffer, self.layout, stage, 0, &bytes);
                        }
                        device.cmd_dispatch(buffer, groups[0], groups[1], groups[2]);
                    }
                }
                Step::Barrier => {
                    let barrier = [vk::MemoryBarrier::default()
                        .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                        .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
                    let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
                    let flags = vk::DependencyFlags::empty();
                    // SAFETY: recording; the barrier names no object.
                    unsafe {
                        device.cmd_pipeline_barrier(buffer, stage, stage, flags, &barrier, &[], &[]);
                    }
                }
            }
        }
        self.finish(buffer)
    }

    /// A command buffer that is recording.
    fn begin(&self) -> Result<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is live and used by this thread alone.
        let buffer = unsafe { self.device.allocate_command_buffers(&info) }?[0];
        // SAFETY: the command buffer is fresh; all objects recorded into it live as long as the process.
        unsafe { self.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()) }?;
        Ok(buffer)
    }

    /// Ends a recording, with everything written made visible to the host.
    fn finish(&self, buffer: vk::CommandBuffer) -> Result<Commands> {
        let to_host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        // SAFETY: recording; the barrier names no object; recording then ends.
        unsafe {
            self.device.cmd_pipeline_barrier(
                buffer,
                vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &to_host,
                &[],
                &[],
            );
            self.device.end_command_buffer(buffer)?;
        }
        // SAFETY: the device is live.
        let fence = unsafe { self.device.create_fence(&vk::FenceCreateInfo::default(), None) }?;
        Ok(Commands { buffer, fence })
    }

    /// Time since some moment: elapsed, or the processor time of all threads divided by the processors.
    fn now(&self) -> Result<Duration> {
        let clock =
            if self.counts_processor_time { libc::CLOCK_PROCESS_CPUTIME_ID } else { libc::CLOCK_MONOTONIC };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is that of a live `timespec`.
        if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
            return Err(Failure::Unsupported(std::io::Error::last_os_error().to_string()));
        }
        let time = Duration::new(time.tv_sec as u64, time.tv_nsec as u32);
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        Ok(if self.counts_processor_time { time / processors } else { time })
    }

    /// Submits recorded commands, waits for their end, and says how long both took, in seconds.
    pub(crate) fn run(&self, commands: &Commands) -> Result<f64> {
        let buffers = [commands.buffer];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let fences = [commands.fence];
        let start = self.now()?;
        // SAFETY: the commands are executable and not pending: every earlier submission was waited for.
        unsafe { self.device.queue_submit(self.device.queue, &submit, commands.fence) }?;
        // SAFETY: the fence belongs to this device.
        unsafe { self.device.wait_for_fences(&fences, true, FENCE_TIMEOUT_NS) }?;
        let seconds = self.now()?.saturating_sub(start).as_secs_f64();
        // SAFETY: the fence is signalled, so not in use.
        unsafe { self.device.reset_fences(&fences) }?;
        Ok(seconds)
    }
}

impl Buffer {
    /// Lets `f` see the words. No submission may be pending.
    pub(crate) fn read<T>(&self, f: impl FnOnce(&[u32]) -> T) -> T {
        // SAFETY: the mapping holds `len` words and outlives the call; the device is idle, since
        // `Gpu::run` waits, so nobody writes.
        f(unsafe { std::slice::from_raw_parts(self.words, self.len) })
    }

    /// Lets `f` change the words. No submission may be pending.
    pub(crate) fn write<T>(&self, f: impl FnOnce(&mut [u32]) -> T) -> T {
        // SAFETY: as in `read`; the slice is made and dropped here, and `Buffer` is not `Sync`, so it
        // is the only one.
        f(unsafe { std::slice::from_raw_parts_mut(self.words, self.len) })
    }

    /// The words as floats.
    pub(crate) fn floats(&self) -> Vec<f32> {
        self.read(|words| words.iter().map(|&word| f32::from_bits(word)).collect())
    }
}

/// Words of a SPIR-V file's bytes.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    assert!(bytes.len().is_multiple_of(4), "a SPIR-V module is whole words");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

const _: () = assert!(size_of::<*mut c_void>() == 8, "buffers here are larger than 32-bit hosts map");
