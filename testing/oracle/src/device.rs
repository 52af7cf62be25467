//! A compute device of any driver, over `ash`.
#![allow(unsafe_code)] // The Vulkan API is foreign functions; this file is the only one that calls it.

use ash::vk;
use pyro_test_loader::{Device, Driver, Mapped, Submission};
use std::time::Duration;

/// Bytes of each of the three buffers: input, output, counter.
const BUFFER_BYTES: u64 = 1 << 22;
/// Words of the counter that are zero before every run.
const COUNTER_WORDS: usize = 8;

/// A device that has what the generator's shaders use.
pub struct Runner {
    device: Device,
    submission: Submission,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
    buffers: [(vk::Buffer, *mut u32); 3],
    sizes: std::ops::RangeInclusive<u32>,
    required_sizes: bool,
}

fn text(error: vk::Result) -> String {
    error.to_string()
}

impl Runner {
    /// Opens the first device of the loader, or of a driver.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(entry: ash::Entry) -> Result<Runner, String> {
        let driver = Driver::of_version_1_3(entry)?;
        let name = &driver.name;
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
        // SAFETY: the physical device is the instance's and the chain is live.
        unsafe { driver.instance.get_physical_device_properties2(driver.physical, &mut properties) };
        let required_sizes = sizes.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
        let sizes = sizes.min_subgroup_size..=sizes.max_subgroup_size;

        let names = [
            c"VK_KHR_shader_maximal_reconvergence",
            c"VK_KHR_shader_subgroup_rotate",
            c"VK_NV_shader_subgroup_partitioned",
        ];
        if let Some(missing) = names.iter().find(|name| !driver.has(name)) {
            return Err(format!("{name} lacks {}", missing.to_string_lossy()));
        }
        let names = names.map(std::ffi::CStr::as_ptr);
        let mut rotate = vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR::default()
            .shader_subgroup_rotate(true)
            .shader_subgroup_rotate_clustered(true);
        let mut reconverge = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
            .shader_maximal_reconvergence(true);
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default()
            .shader_float16(true)
            .shader_int8(true)
            .shader_subgroup_extended_types(true);
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
            .subgroup_size_control(true)
            .shader_integer_dot_product(true)
            .compute_full_subgroups(true);
        let features =
            vk::PhysicalDeviceFeatures::default().shader_int16(true).shader_int64(true).shader_float64(true);
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .features(features)
            .push_next(&mut v12)
            .push_next(&mut v13)
            .push_next(&mut rotate)
            .push_next(&mut reconverge);

        let family = driver.family(vk::QueueFlags::COMPUTE)?;
        let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names).push_next(&mut features);
        let device = driver.device(family, info).map_err(|error| {
            format!("{name} makes no device with the features that the shaders use: {error}")
        })?;
        Self::with_device(device, sizes, required_sizes).map_err(text)
    }

    /// Opens the first device of the loader, or of a driver, for shaders of 32 bits without operations of
    /// subgroups.
    ///
    /// # Errors
    /// What is missing.
    pub fn plain(entry: ash::Entry) -> Result<Runner, String> {
        let driver = Driver::of_version_1_3(entry)?;
        let family = driver.family(vk::QueueFlags::COMPUTE)?;
        let device = driver.device(family, vk::DeviceCreateInfo::default()).map_err(text)?;
        Self::with_device(device, 1..=1, false).map_err(text)
    }

    /// Makes the objects that every run shares.
    fn with_device(
        device: Device,
        sizes: std::ops::RangeInclusive<u32>,
        required_sizes: bool,
    ) -> Result<Runner, vk::Result> {
        let bindings: Vec<_> = (0..3)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let sizes_of_pool =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 3 }];
        // SAFETY: every object is made from `device`, and the structures named live until each call returns.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layouts = [device.create_descriptor_set_layout(&info, None)?];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
            let layout = device.create_pipeline_layout(&info, None)?;
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes_of_pool);
            let descriptors = device.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(descriptors)
                .set_layouts(&set_layouts);
            let set = device.allocate_descriptor_sets(&info)?[0];
            let buffers = [buffer(&device, set, 0)?, buffer(&device, set, 1)?, buffer(&device, set, 2)?];
            let submission = Submission::new(&device)?;
            Ok(Runner { device, submission, set, layout, buffers, sizes, required_sizes })
        }
    }

    /// The device's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.device.driver.name
    }

    /// Whether work was waited for in vain, or the device is lost: it runs nothing any more.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.submission.has_failed()
    }

    /// How long a dispatch may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.submission.timeout = timeout;
    }

    /// The subgroup sizes that a pipeline may ask for.
    pub fn subgroup_sizes(&self) -> impl Iterator<Item = u32> {
        let sizes = self.sizes.clone();
        [4, 8, 16, 32, 64, 128].into_iter().filter(move |size| sizes.contains(size))
    }

    /// Runs a shader, with subgroups of `lanes` invocations or of any number, over `groups` with `input` at
    /// binding 0: the first `count` words of binding 1 and the first of binding 2. These, and seven more of
    /// binding 2, are zero before.
    ///
    /// # Errors
    /// The device's refusal.
    ///
    /// # Panics
    /// When input or output are larger than the buffers.
    pub fn run(
        &self,
        words: &[u32],
        lanes: Option<u32>,
        groups: [u32; 3],
        input: &[u32],
        count: usize,
    ) -> Result<(Vec<u32>, u32), String> {
        let pipeline = self.pipeline(words, lanes)?;
        self.run_pipeline(&pipeline, groups, input, count)
    }

    /// The same for a pipeline that [`Runner::pipeline`] has made.
    ///
    /// # Errors
    /// The device's refusal.
    ///
    /// # Panics
    /// When input or output are larger than the buffers.
    pub fn run_pipeline(
        &self,
        pipeline: &Pipeline<'_>,
        groups: [u32; 3],
        input: &[u32],
        count: usize,
    ) -> Result<(Vec<u32>, u32), String> {
        assert!(count as u64 * 4 <= BUFFER_BYTES && input.len() as u64 * 4 <= BUFFER_BYTES);
        // SAFETY: the buffers are mapped with BUFFER_BYTES each, and the device is idle.
        unsafe {
            std::ptr::copy_nonoverlapping(input.as_ptr(), self.buffers[0].1, input.len());
            std::ptr::write_bytes(self.buffers[1].1, 0, count);
            std::ptr::write_bytes(self.buffers[2].1, 0, COUNTER_WORDS);
        }
        self.dispatch(pipeline.pipeline, groups).map_err(text)?;
        // SAFETY: as above; the fence was waited for.
        unsafe {
            let words = std::slice::from_raw_parts(self.buffers[1].1, count).to_vec();
            Ok((words, self.buffers[2].1.read()))
        }
    }

    /// Compiles a shader.
    ///
    /// # Errors
    /// The device's refusal.
    pub fn pipeline(&self, words: &[u32], lanes: Option<u32>) -> Result<Pipeline<'_>, String> {
        let pipeline = self.make(words, lanes).map_err(text)?;
        Ok(Pipeline { runner: self, pipeline })
    }

    fn make(&self, words: &[u32], lanes: Option<u32>) -> Result<vk::Pipeline, vk::Result> {
        let device = &self.device;
        // SAFETY: the structures named live until each call returns; the module is used by that call alone.
        unsafe {
            let module =
                device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                .required_subgroup_size(lanes.unwrap_or_default());
            let mut stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            if lanes.is_some() && self.required_sizes {
                stage = stage.push_next(&mut size);
            }
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error)
        }
    }

    fn dispatch(&self, pipeline: vk::Pipeline, groups: [u32; 3]) -> Result<(), vk::Result> {
        let device = &self.device;
        let point = vk::PipelineBindPoint::COMPUTE;
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
        self.submission.run(device, |commands| {
            // SAFETY: the command buffer records, and all objects are this device's.
            unsafe {
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
                device.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
                let flags = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, from, to, flags, &barrier, &[], &[]);
            }
        })
    }
}

/// A compiled shader.
pub struct Pipeline<'r> {
    runner: &'r Runner,
    pipeline: vk::Pipeline,
}

impl Drop for Pipeline<'_> {
    fn drop(&mut self) {
        if !self.runner.has_failed() {
            // SAFETY: every run of it was waited for.
            unsafe { self.runner.device.destroy_pipeline(self.pipeline, None) };
        }
    }
}

/// A mapped storage buffer, written to `binding` of `set`.
///
/// # Safety
/// `set` belongs to `device` and is not in use.
unsafe fn buffer(
    device: &Device,
    set: vk::DescriptorSet,
    binding: u32,
) -> Result<(vk::Buffer, *mut u32), vk::Result> {
    let Mapped { buffer, address } = device.buffer(BUFFER_BYTES, vk::BufferUsageFlags::STORAGE_BUFFER)?;
    // SAFETY: by the contract above; the structures live until the call returns.
    unsafe {
        let range = [vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&range);
        device.update_descriptor_sets(&[write], &[]);
        Ok((buffer, address.cast()))
    }
}
