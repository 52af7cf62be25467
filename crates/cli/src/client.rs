//! A small Vulkan client: opens the driver in this process through its real entry points, without a loader,
//! and runs compute shaders on it.
#![allow(unsafe_code)] // every Vulkan call is; each block relies on handles made here and kept until drop

pub(crate) mod draw;
pub(crate) mod image;
pub(crate) mod rays;

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::slice;
use std::time::{Duration, Instant};
use vulkanalia::loader::{Loader, LoaderError};
use vulkanalia::prelude::v1_2::*;

/// Finds `vkGetInstanceProcAddr` in the driver that is linked into this program.
struct InProcess;

impl Loader for InProcess {
    unsafe fn load(&self, name: &[u8]) -> Result<extern "system" fn(), Box<dyn LoaderError>> {
        let name = std::ffi::CString::new(name).map_err(|_| "a name with a zero byte")?;
        // SAFETY: the name ends in zero, and no instance is needed for global commands.
        unsafe { pyroclast_icd::get_instance_proc_addr(vk::Instance::null(), name.as_ptr()) }
            .map(|command| {
                // SAFETY: both are the same kind of pointer; the caller casts it to the command's type.
                unsafe { std::mem::transmute::<unsafe extern "system" fn(), extern "system" fn()>(command) }
            })
            .ok_or_else(|| "the driver lacks this command".into())
    }
}

/// The driver's instance and its one physical device.
pub(crate) struct Driver {
    _entry: Entry,
    pub(crate) instance: Instance,
    pub(crate) physical_device: vk::PhysicalDevice,
}

impl Driver {
    /// Opens the driver.
    pub(crate) fn open() -> Result<Driver> {
        // SAFETY: the loader gives the driver's own commands.
        let entry = unsafe { Entry::new(InProcess) }.map_err(|error| anyhow::anyhow!("{error}"))?;
        let application = vk::ApplicationInfo::builder()
            .application_name(b"pyroclast\0")
            .engine_name(b"pyroclast\0")
            .api_version(vk::make_version(1, 2, 0));
        let info = vk::InstanceCreateInfo::builder().application_info(&application);
        // SAFETY: `info` and what it points at live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }.context("vkCreateInstance")?;
        // SAFETY: the instance is alive.
        let devices =
            unsafe { instance.enumerate_physical_devices() }.context("vkEnumeratePhysicalDevices")?;
        let physical_device = *devices.first().context("the driver shows no device")?;
        Ok(Driver { _entry: entry, instance, physical_device })
    }

    /// The device's name.
    pub(crate) fn name(&self) -> String {
        // SAFETY: the physical device belongs to this instance.
        unsafe { self.instance.get_physical_device_properties(self.physical_device) }.device_name.to_string()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: everything made from the instance borrows the driver and is gone.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// What a device is asked for, beside the features of its core versions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Needs {
    /// Task and mesh shaders.
    pub(crate) meshes: bool,
    /// Acceleration structures, ray queries and ray tracing pipelines.
    pub(crate) rays: bool,
}

/// A device with one queue, memory that the host can map, and what is needed to run compute shaders.
pub(crate) struct Gpu<'d> {
    pub(crate) device: Device,
    queue: vk::Queue,
    command_pool: vk::CommandPool,
    memory_type: u32,
    // The instance must outlive the device.
    driver: &'d Driver,
}

/// A buffer in mapped memory.
pub(crate) struct Buffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) memory: vk::DeviceMemory,
    address: *mut u8,
    byte_count: usize,
}

/// What a descriptor refers to. Images are in the general layout.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    Storage(vk::Buffer),
    Uniform(vk::Buffer),
    StorageTexels(vk::BufferView),
    UniformTexels(vk::BufferView),
    Sampler(vk::Sampler),
    Texture(vk::ImageView),
    Combined(vk::ImageView, vk::Sampler),
    StorageImage(vk::ImageView),
    /// With its index among the input attachments of the pass.
    Input {
        view: vk::ImageView,
        index: u32,
        format: vk::Format,
    },
    Structure(vk::AccelerationStructureKHR),
}

/// A resource of a shader.
#[derive(Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    /// The element, where the binding is an array.
    pub(crate) index: u32,
    pub(crate) bound: Bound,
}

impl Binding {
    /// A buffer.
    pub(crate) fn of_buffer(set: u32, binding: u32, is_uniform: bool, buffer: &Buffer) -> Binding {
        let bound = if is_uniform { Bound::Uniform(buffer.buffer) } else { Bound::Storage(buffer.buffer) };
        Binding { set, binding, index: 0, bound }
    }

    fn kind(&self) -> vk::DescriptorType {
        match self.bound {
            Bound::Storage(_) => vk::DescriptorType::STORAGE_BUFFER,
            Bound::Uniform(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Bound::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Bound::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Bound::Sampler(_) => vk::DescriptorType::SAMPLER,
            Bound::Texture(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Bound::Combined(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Bound::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
            Bound::Input { .. } => vk::DescriptorType::INPUT_ATTACHMENT,
            Bound::Structure(_) => vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
        }
    }
}

/// A compute shader and what it is called with.
pub(crate) struct Job<'j> {
    pub(crate) words: &'j [u32],
    pub(crate) entry_point: &'j str,
    pub(crate) constants: &'j crate::constants::Values,
    pub(crate) push_constants: &'j [u8],
    pub(crate) bindings: &'j [Binding],
    /// The first workgroup.
    pub(crate) base: [u32; 3],
    pub(crate) groups: [u32; 3],
}

/// Where a job's buffers are bound.
struct Resources {
    set_layouts: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
}

/// How long the two halves of a job took.
pub(crate) struct Times {
    /// Pipeline creation.
    pub(crate) compile: Duration,
    /// From submission to the fence.
    pub(crate) run: Duration,
}

impl Buffer {
    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the memory stays mapped while the buffer lives, and no job is running: `Gpu::run` waits.
        unsafe { slice::from_raw_parts(self.address, self.byte_count) }
    }

    /// The bytes, to change.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.address, self.byte_count) }
    }
}

impl<'d> Gpu<'d> {
    /// Makes a device with every feature of its core version that shaders may use.
    pub(crate) fn with_needs(driver: &'d Driver, needs: Needs) -> Result<Gpu<'d>> {
        let (instance, physical_device) = (&driver.instance, driver.physical_device);
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut vulkan11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut features =
            vk::PhysicalDeviceFeatures2::builder().push_next(&mut vulkan11).push_next(&mut vulkan12);
        // SAFETY: the chain lives through the call; likewise below.
        unsafe { instance.get_physical_device_features2(physical_device, &mut features) };
        let mut mesh =
            vk::PhysicalDeviceMeshShaderFeaturesEXT::builder().mesh_shader(true).task_shader(true).build();
        let mut structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder()
            .acceleration_structure(true)
            .build();
        let mut pipelines =
            vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder().ray_tracing_pipeline(true).build();
        let mut queries = vk::PhysicalDeviceRayQueryFeaturesKHR::builder().ray_query(true).build();
        let mut info = vk::DeviceCreateInfo::builder().push_next(&mut features);
        let mut extensions: Vec<&CStr> = Vec::new();
        if needs.meshes {
            info = info.push_next(&mut mesh);
            extensions.push(c"VK_EXT_mesh_shader");
        }
        if needs.rays {
            info = info.push_next(&mut structures).push_next(&mut pipelines).push_next(&mut queries);
            extensions.extend([
                c"VK_KHR_acceleration_structure",
                c"VK_KHR_deferred_host_operations",
                c"VK_KHR_ray_query",
                c"VK_KHR_ray_tracing_pipeline",
            ]);
        }
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        Gpu::with(driver, info.enabled_extension_names(&names))
    }

    /// Makes a device; `info` says all but its queue.
    pub(crate) fn with(driver: &'d Driver, info: vk::DeviceCreateInfoBuilder<'_>) -> Result<Gpu<'d>> {
        let (instance, physical_device) = (&driver.instance, driver.physical_device);
        let priorities = [1.0];
        let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&priorities);
        let info = info.queue_create_infos(slice::from_ref(&queue));
        let device =
            // SAFETY: the structures live through the call.
            unsafe { instance.create_device(physical_device, &info, None) }.context("vkCreateDevice")?;
        // SAFETY: as above.
        let queue = unsafe { device.get_device_queue(0, 0) };
        let pool_info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
        let command_pool =
            // SAFETY: as above.
            unsafe { device.create_command_pool(&pool_info, None) }.context("vkCreateCommandPool")?;
        // SAFETY: as above.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical_device) };
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let memory_type = (0..memory.memory_type_count)
            .find(|&index| memory.memory_types[index as usize].property_flags.contains(wanted))
            .context("no memory that the host can map")?;
        Ok(Gpu { device, queue, command_pool, memory_type, driver })
    }

    /// Makes a buffer with these contents, for any descriptor.
    pub(crate) fn buffer(&self, contents: &[u8]) -> Result<Buffer> {
        let byte_count = contents.len().max(4);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let mut made = self.mapped_buffer(byte_count, usage)?;
        made.bytes_mut()[..contents.len()].copy_from_slice(contents);
        Ok(made)
    }

    /// Makes a buffer for these uses.
    pub(crate) fn mapped_buffer(&self, byte_count: usize, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let info = vk::BufferCreateInfo::builder().size(byte_count as u64).usage(usage);
        // SAFETY: the device is alive, and the handles are this function's own until it returns them.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).context("vkCreateBuffer")?;
            let requirements = self.device.get_buffer_memory_requirements(buffer);
            if requirements.memory_type_bits & 1 << self.memory_type == 0 {
                bail!("buffers cannot use mappable memory");
            }
            let memory = self.allocate_for(requirements, usage)?;
            self.device.bind_buffer_memory(buffer, memory, 0).context("vkBindBufferMemory")?;
            let address = self
                .device
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .context("vkMapMemory")?;
            Ok(Buffer { buffer, memory, address: address.cast(), byte_count })
        }
    }

    /// Allocates memory, which the host can map if that is possible.
    pub(crate) fn allocate(&self, needs: vk::MemoryRequirements) -> Result<vk::DeviceMemory> {
        self.allocate_for(needs, vk::BufferUsageFlags::empty())
    }

    /// The same for a buffer with these uses.
    fn allocate_for(
        &self,
        needs: vk::MemoryRequirements,
        usage: vk::BufferUsageFlags,
    ) -> Result<vk::DeviceMemory> {
        let preferred = needs.memory_type_bits & 1 << self.memory_type != 0;
        let kind = if preferred { self.memory_type } else { needs.memory_type_bits.trailing_zeros() };
        let mut flags = vk::MemoryAllocateFlagsInfo::builder().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size).memory_type_index(kind);
        if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            info = info.push_next(&mut flags);
        }
        // SAFETY: the device is alive, and the structures outlive the call.
        unsafe { self.device.allocate_memory(&info, None) }.context("vkAllocateMemory")
    }

    /// Records commands, runs them and waits for their end; gives the time from submission to the fence.
    pub(crate) fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<Duration> {
        let device = &self.device;
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(self.command_pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the handles are made here, and the fence is waited for before they are destroyed.
        unsafe {
            let buffers = device.allocate_command_buffers(&info).context("vkAllocateCommandBuffers")?;
            let begin =
                vk::CommandBufferBeginInfo::builder().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            device.begin_command_buffer(buffers[0], &begin).context("vkBeginCommandBuffer")?;
            record(buffers[0]);
            device.end_command_buffer(buffers[0]).context("vkEndCommandBuffer")?;
            let fence =
                device.create_fence(&vk::FenceCreateInfo::default(), None).context("vkCreateFence")?;
            let submit = vk::SubmitInfo::builder().command_buffers(&buffers);
            let start = Instant::now();
            device.queue_submit(self.queue, slice::from_ref(&submit), fence).context("vkQueueSubmit")?;
            let waited = device.wait_for_fences(&[fence], true, u64::MAX).context("vkWaitForFences");
            let run = start.elapsed();
            device.destroy_fence(fence, None);
            device.free_command_buffers(self.command_pool, &buffers);
            waited?;
            Ok(run)
        }
    }

    /// Frees a buffer.
    pub(crate) fn destroy(&self, buffer: Buffer) {
        // SAFETY: no job is running, and the buffer is given up.
        unsafe {
            self.device.destroy_buffer(buffer.buffer, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    /// Makes layouts and descriptors for a job, which these stages use.
    fn resources(&self, job: &Job<'_>, stages: vk::ShaderStageFlags) -> Result<Resources> {
        let Driver { instance, physical_device, .. } = self.driver;
        // SAFETY: the physical device belongs to this instance.
        let limits = unsafe { instance.get_physical_device_properties(*physical_device) }.limits;
        let pushed = job.push_constants.len();
        if pushed > limits.max_push_constants_size as usize {
            bail!(
                "there are {pushed} bytes of push constants, and the device has {}",
                limits.max_push_constants_size
            );
        }
        let set_layouts = self.set_layouts(job, stages)?;
        let push_range = vk::PushConstantRange::builder()
            .stage_flags(stages)
            .size(job.push_constants.len().next_multiple_of(4) as u32);
        let push_ranges = if job.push_constants.is_empty() { &[][..] } else { slice::from_ref(&push_range) };
        let layout_info = vk::PipelineLayoutCreateInfo::builder()
            .set_layouts(&set_layouts)
            .push_constant_ranges(push_ranges);
        // SAFETY: the device is alive, and the structures outlive the call.
        let layout = unsafe { self.device.create_pipeline_layout(&layout_info, None) }
            .context("vkCreatePipelineLayout")?;
        let (pool, sets) = self.descriptor_sets(job, &set_layouts)?;
        Ok(Resources { set_layouts, layout, pool, sets })
    }

    /// Frees what [`Gpu::resources`] made.
    fn destroy_resources(&self, resources: Resources) {
        let Resources { set_layouts, layout, pool, .. } = resources;
        // SAFETY: no job is running, and the resources are given up.
        unsafe {
            self.device.destroy_descriptor_pool(pool, None);
            self.device.destroy_pipeline_layout(layout, None);
            for set_layout in set_layouts {
                self.device.destroy_descriptor_set_layout(set_layout, None);
            }
        }
    }

    /// Binds a job's descriptors and push constants.
    ///
    /// # Safety
    /// The command buffer is being recorded, and the resources are alive until it has run.
    unsafe fn bind(
        &self,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        stages: vk::ShaderStageFlags,
        job: &Job<'_>,
        resources: &Resources,
    ) {
        let Resources { layout, sets, .. } = resources;
        // SAFETY: the contract of this function.
        unsafe {
            if !sets.is_empty() {
                self.device.cmd_bind_descriptor_sets(commands, point, *layout, 0, sets, &[]);
            }
            if !job.push_constants.is_empty() {
                let mut bytes = job.push_constants.to_vec();
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                self.device.cmd_push_constants(commands, *layout, stages, 0, &bytes);
            }
        }
    }

    /// Compiles and runs a compute shader and waits for its end.
    pub(crate) fn run(&self, job: &Job<'_>) -> Result<Times> {
        let device = &self.device;
        let resources = self.resources(job, vk::ShaderStageFlags::COMPUTE)?;
        let layout = resources.layout;
        // SAFETY: all handles are made here from a live device, the structures outlive the calls that read
        // them, and the fence is waited for before anything is destroyed.
        unsafe {
            let module_info =
                vk::ShaderModuleCreateInfo::builder().code_size(job.words.len() * 4).code(job.words);
            let module = device.create_shader_module(&module_info, None).context("vkCreateShaderModule")?;
            let (pipeline, compile) = self.pipeline(job, module, layout)?;
            let run = self.submit(|commands| {
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(commands, point, pipeline);
                self.bind(commands, point, vk::ShaderStageFlags::COMPUTE, job, &resources);
                let ([x, y, z], [width, height, depth]) = (job.base, job.groups);
                device.cmd_dispatch_base(commands, x, y, z, width, height, depth);
            });
            device.destroy_pipeline(pipeline, None);
            self.destroy_resources(resources);
            device.destroy_shader_module(module, None);
            Ok(Times { compile, run: run? })
        }
    }

    /// The layouts of the sets that a job's bindings are in, from set 0 on.
    fn set_layouts(
        &self,
        job: &Job<'_>,
        stages: vk::ShaderStageFlags,
    ) -> Result<Vec<vk::DescriptorSetLayout>> {
        let set_count = job.bindings.iter().map(|binding| binding.set + 1).max().unwrap_or(0);
        let layout = |set| {
            // One for each binding: of an array, that of the last element.
            let mut last: BTreeMap<u32, &Binding> = BTreeMap::new();
            for one in job.bindings.iter().filter(|binding| binding.set == set) {
                let known = last.entry(one.binding).or_insert(one);
                if known.index < one.index {
                    *known = one;
                }
            }
            let bindings: Vec<_> = last
                .values()
                .map(|one| {
                    vk::DescriptorSetLayoutBinding::builder()
                        .binding(one.binding)
                        .descriptor_type(one.kind())
                        .descriptor_count(one.index + 1)
                        .stage_flags(match one.bound {
                            Bound::Input { .. } => vk::ShaderStageFlags::FRAGMENT,
                            _ => stages,
                        })
                        .build()
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
            // SAFETY: the device is alive, and the structures outlive the call.
            unsafe { self.device.create_descriptor_set_layout(&info, None) }
                .context("vkCreateDescriptorSetLayout")
        };
        (0..set_count).map(layout).collect()
    }

    /// A job's pipeline, and how long it took to make.
    fn pipeline(
        &self,
        job: &Job<'_>,
        module: vk::ShaderModule,
        layout: vk::PipelineLayout,
    ) -> Result<(vk::Pipeline, Duration)> {
        let shaders = [(vk::ShaderStageFlags::COMPUTE, module, job.entry_point)];
        with_stages(job, &shaders, |stages| {
            let flags = vk::PipelineCreateFlags::DISPATCH_BASE;
            let info = vk::ComputePipelineCreateInfo::builder().flags(flags).stage(stages[0]).layout(layout);
            let (cache, infos, start) = (vk::PipelineCache::null(), slice::from_ref(&info), Instant::now());
            // SAFETY: the device, module and layout are alive, and the structures outlive the call.
            let made = unsafe { self.device.create_compute_pipelines(cache, infos, None) };
            let compile = start.elapsed();
            Ok((made.context("vkCreateComputePipelines")?.0[0], compile))
        })
    }

    /// Sets of these layouts with a job's buffers, and their pool.
    fn descriptor_sets(
        &self,
        job: &Job<'_>,
        set_layouts: &[vk::DescriptorSetLayout],
    ) -> Result<(vk::DescriptorPool, Vec<vk::DescriptorSet>)> {
        let device = &self.device;
        // SAFETY: the device, layouts and buffers are alive, and the structures outlive the calls.
        unsafe {
            let mut pool_sizes: Vec<vk::DescriptorPoolSize> = job
                .bindings
                .iter()
                .map(|one| vk::DescriptorPoolSize { type_: one.kind(), descriptor_count: 1 })
                .collect();
            if pool_sizes.is_empty() {
                let type_ = vk::DescriptorType::STORAGE_BUFFER;
                pool_sizes.push(vk::DescriptorPoolSize { type_, descriptor_count: 1 });
            }
            let pool_info = vk::DescriptorPoolCreateInfo::builder()
                .max_sets(set_layouts.len().max(1) as u32)
                .pool_sizes(&pool_sizes);
            let pool = device.create_descriptor_pool(&pool_info, None).context("vkCreateDescriptorPool")?;
            let sets = if set_layouts.is_empty() {
                Vec::new()
            } else {
                let info =
                    vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(set_layouts);
                device.allocate_descriptor_sets(&info).context("vkAllocateDescriptorSets")?
            };
            job.bindings.iter().for_each(|binding| self.write(sets[binding.set as usize], binding));
            Ok((pool, sets))
        }
    }

    /// Writes a descriptor of a set.
    fn write(&self, set: vk::DescriptorSet, binding: &Binding) {
        let mut buffer = vk::DescriptorBufferInfo { range: vk::WHOLE_SIZE, ..Default::default() };
        let mut image =
            vk::DescriptorImageInfo { image_layout: vk::ImageLayout::GENERAL, ..Default::default() };
        let (texels, structure);
        let mut structures;
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding.binding)
            .dst_array_element(binding.index)
            .descriptor_type(binding.kind());
        match binding.bound {
            Bound::Storage(own) | Bound::Uniform(own) => {
                buffer.buffer = own;
                write = write.buffer_info(slice::from_ref(&buffer));
            }
            Bound::StorageTexels(view) | Bound::UniformTexels(view) => {
                texels = view;
                write = write.texel_buffer_view(slice::from_ref(&texels));
            }
            Bound::Sampler(sampler) => {
                image.sampler = sampler;
                write = write.image_info(slice::from_ref(&image));
            }
            Bound::Texture(view) | Bound::StorageImage(view) | Bound::Input { view, .. } => {
                image.image_view = view;
                write = write.image_info(slice::from_ref(&image));
            }
            Bound::Combined(view, sampler) => {
                (image.image_view, image.sampler) = (view, sampler);
                write = write.image_info(slice::from_ref(&image));
            }
            Bound::Structure(own) => {
                structure = own;
                structures = vk::WriteDescriptorSetAccelerationStructureKHR::builder()
                    .acceleration_structures(slice::from_ref(&structure));
                write = write.push_next(&mut structures);
                write.descriptor_count = 1;
            }
        }
        // SAFETY: the device, the set and what it refers to are alive, and the structures outlive the call.
        unsafe {
            self.device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
        }
    }
}

/// Calls `make` with the stages of a job's pipeline: these modules and entry points, all with the job's
/// specialization.
fn with_stages<R>(
    job: &Job<'_>,
    shaders: &[(vk::ShaderStageFlags, vk::ShaderModule, &str)],
    make: impl FnOnce(&[vk::PipelineShaderStageCreateInfo]) -> R,
) -> R {
    // The constants' values are one behind the other.
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (id, value) in job.constants {
        let (offset, size) = (data.len() as u32, value.len());
        entries.push(vk::SpecializationMapEntry { constant_id: *id, offset, size });
        data.extend_from_slice(value);
    }
    let specialization = vk::SpecializationInfo::builder().map_entries(&entries).data(&data);
    let names: Vec<Vec<u8>> = shaders.iter().map(|(.., name)| [name.as_bytes(), b"\0"].concat()).collect();
    let stage = |((stage, module, _), name): (&(_, _, _), &Vec<u8>)| {
        vk::PipelineShaderStageCreateInfo::builder()
            .stage(*stage)
            .module(*module)
            .name(name)
            .specialization_info(&specialization)
            .build()
    };
    let stages: Vec<_> = shaders.iter().zip(&names).map(stage).collect();
    make(&stages)
}

impl Drop for Gpu<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is running, and what was made from the device has been destroyed.
        unsafe {
            self.device.destroy_command_pool(self.command_pool, None);
            self.device.destroy_device(None);
        }
    }
}
