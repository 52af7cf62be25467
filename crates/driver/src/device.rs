//! The logical device: its shared part, its extensions and its queues.

use crate::caps::extensions;
use crate::caps::limits;
use crate::caps::{PhysicalDevice, QUEUE_FAMILIES};
use crate::error::{Error, Result};
pub use crate::objects::device_core::DeviceCore;
use crate::objects::memory::DeviceMemory;
use crate::objects::query::QueryPool;
use crate::objects::sync::payload::Payload;
use crate::objects::sync::wait;
use crate::pipeline::CreationFeedback;
use crate::pipeline::reload::{Reloads, Remade};
use crate::pipeline::shader::ShaderModule;
use crate::queue::Queue;
use crate::report::Reporter;
use pyro_compile::Backend;
use pyro_engine::EngineOptions;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vulkanalia_sys as vk;

/// A `VkDevice`.
pub struct Device {
    extensions: Vec<&'static str>,
    queues: Vec<Arc<Queue>>,
    /// Queues of each family.
    queue_counts: [u32; QUEUE_FAMILIES],
    core: Arc<DeviceCore>,
    /// Where a debugger may replace shader modules.
    reloads: Option<Arc<Reloads>>,
}

impl Deref for Device {
    type Target = DeviceCore;

    fn deref(&self) -> &DeviceCore {
        &self.core
    }
}

/// Extensions by which shaders see on which of how many cores they run.
const CORE_BUILTINS: [&str; 2] = ["VK_ARM_shader_core_builtins", "VK_NV_shader_sm_builtins"];

impl Device {
    /// A device of these physical devices, at least one, with queues of each family, each of which has a
    /// number in `core_limits`: of the cores that run its commands at most, 0 for all. It has these
    /// extensions, and its messages go to `reporter`.
    /// Its shaders are compiled for `backend`.
    ///
    /// # Errors
    /// `VK_ERROR_EXTENSION_NOT_PRESENT` for an unknown extension, and when a family has fewer queues.
    pub fn new(
        physical_devices: &[Arc<PhysicalDevice>],
        names: &[&str],
        core_limits: &[Vec<u32>; QUEUE_FAMILIES],
        backend: Backend,
        reporter: Reporter,
    ) -> Result<Device> {
        let find = |name: &&str| {
            extensions::of_devices(name).map(|extension| extension.name).ok_or_else(|| {
                let message = format!("there is no device extension {name}");
                Error::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
            })
        };
        let extensions = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        let queue_counts = core_limits.each_ref().map(|limits| limits.len() as u32);
        if queue_counts.iter().any(|&count| count > limits::QUEUE_COUNT) {
            return Err(Error::misuse(
                "more queues than the family has (VUID-VkDeviceQueueCreateInfo-queueCount-00382)",
            ));
        }
        if extensions.iter().any(|name| CORE_BUILTINS.contains(name)) {
            // Shaders may ask for the number of cores: it takes long to find out, so that is done only then.
            limits::core_count();
        }
        let options = EngineOptions {
            thread_count: limits::thread_count(),
            watchdog: pyro_util::config::get().watchdog,
            fixed_order: pyro_util::config::has_fixed_order(),
        };
        pyro_profiler::session::begin(pyro_engine::thread_count(options.thread_count));
        let inherits_state = extensions.contains(&"VK_NV_command_buffer_inheritance");
        if inherits_state && physical_devices.len() > 1 {
            return Err(Error::new(
                vk::Result::ERROR_EXTENSION_NOT_PRESENT,
                "a device of several physical devices has no VK_NV_command_buffer_inheritance",
            ));
        }
        let core = DeviceCore::new(
            physical_devices,
            options,
            backend,
            inherits_state,
            reporter,
            &sanitizer_options(),
        );
        let core = Arc::new(core);
        let limits = (0..).zip(core_limits.iter().flatten());
        let queues = limits.map(|(index, &limit)| Arc::new(Queue::new(&core, index, limit))).collect();
        let reloads = Reloads::of(&core);
        Ok(Device { extensions, queues, queue_counts, core, reloads })
    }

    /// Allocates tile memory.
    ///
    /// # Errors
    /// When its heap is smaller, or the system has no memory.
    pub fn tile_memory(&self, size: u64) -> Result<DeviceMemory> {
        DeviceMemory::of_tile(&self.core.tile_memory, size)
    }

    /// Makes a pipeline or shader object, and where a debugger may replace modules, keeps what it is made
    /// from.
    ///
    /// # Errors
    /// As of `make`.
    pub fn make<T: Remade>(
        &self,
        info: T::Info,
        make: impl FnOnce(T::Info) -> Result<(T, CreationFeedback)>,
    ) -> Result<(Arc<T>, CreationFeedback)> {
        let kept = self.reloads.as_ref().map(|reloads| (reloads, info.clone()));
        let (made, feedback) = make(info)?;
        let made = Arc::new(made);
        if let Some((reloads, info)) = kept {
            reloads.keep(&made, info);
        }
        Ok((made, feedback))
    }

    /// What stands for a module that a debugger has replaced.
    pub fn reloaded(&self, module: &ShaderModule) -> Option<Arc<ShaderModule>> {
        self.reloads.as_ref()?.replacement(module)
    }

    /// Each view has a viewport of its own (the feature `multiviewPerViewViewports`).
    pub fn enable_per_view_viewports(&self) {
        self.core.per_view_viewports.store(true, Ordering::Relaxed);
    }

    /// Draws lines of no named mode as OpenGL does, by Bresenham's algorithm (`relaxedLineRasterization`).
    pub fn relax_lines(&self) {
        self.core.relaxed_lines.store(true, Ordering::Relaxed);
    }

    /// Says what is wrong with what acceleration structures are built from (`rayTracingValidation`).
    pub fn check_builds(&self) {
        self.core.checks_builds.store(true, Ordering::Relaxed);
    }

    /// The extensions it was made with.
    pub fn extensions(&self) -> &[&'static str] {
        &self.extensions
    }

    /// The index of a queue of a family among all queues, if it was made.
    pub fn queue_position(&self, family: u32, index: u32) -> Option<usize> {
        let &count = self.queue_counts.get(family as usize)?;
        let before: u32 = self.queue_counts[..family as usize].iter().sum();
        (index < count).then_some((before + index) as usize)
    }

    /// Its queues, family after family.
    pub fn queues(&self) -> &[Arc<Queue>] {
        &self.queues
    }

    /// Null descriptors may be used (`nullDescriptor`), or are a finding of the sanitizer's.
    pub fn allow_null_descriptors(&self, allowed: bool) {
        self.core.follow(|recorder| {
            recorder.set_null_image(self.core.textures.null_image(), allowed);
            recorder.set_memory(crate::objects::memory::read_known);
        });
    }

    /// Gives a pipeline its name in findings of the sanitizer.
    pub fn name_pipeline(&self, pipeline: &crate::pipeline::Pipeline, name: &str) {
        for executable in pipeline.executables() {
            if let Some(sites) = &executable.kernel.info().sites {
                self.core.reports().name_pipeline(sites.number(), name);
            }
        }
    }

    /// The host is about to wait, for the sanitizer.
    pub fn look_at_host(&self) {
        self.core.follow(|recorder| recorder.look_at_host());
    }

    /// The host knows that payloads have values.
    pub fn observe(&self, payloads: impl IntoIterator<Item = (Arc<Payload>, u64)>) {
        if self.core.reports().follows_accesses() {
            for (payload, value) in payloads {
                self.core.follow(|recorder| {
                    recorder.observe_signal(crate::queue::payload_id(&payload), value);
                });
            }
        }
    }

    /// Waits until queries of a pool are available.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_for_queries(&self, pool: &QueryPool, first: u32, count: u32) -> Result<()> {
        let ready = || (self.is_lost() || pool.available(first, count)).then_some(());
        wait::wait([pool.waiters(), self.lost_waiters()].into_iter(), None, ready);
        self.check_lost()
    }

    /// Why it is lost; waits for its loss for so many nanoseconds.
    pub fn wait_for_fault(&self, timeout_ns: u64) -> Option<String> {
        if timeout_ns != 0 {
            let ready = || self.is_lost().then_some(());
            wait::wait(core::iter::once(self.lost_waiters()), wait::deadline(timeout_ns), ready);
        }
        self.fault()
    }

    /// Returns `VK_ERROR_DEVICE_LOST` when it is lost.
    ///
    /// # Errors
    /// That one.
    pub fn check_lost(&self) -> Result<()> {
        self.lose_if_truncated();
        if self.is_lost() { Err(Error::device_lost()) } else { Ok(()) }
    }

    /// Waits until all queues are idle.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_idle(&self) -> Result<()> {
        self.queues.iter().try_for_each(|queue| queue.wait_idle())
    }
}

/// What the environment asks of the sanitizer; what it asks that cannot be understood is said.
fn sanitizer_options() -> pyro_sanitizer::Options {
    let config = pyro_util::config::get();
    if let Some(error) = &config.sanitize_error {
        crate::report::to_stderr(error);
    }
    pyro_sanitizer::Options {
        kinds: config.sanitize,
        printf: config.printf,
        output: config.sanitize_output.clone(),
        stop: config.sanitize_stop,
    }
}

/// A `VkPrivateDataSlot`: a number for each object it was set on.
#[derive(Default)]
pub struct PrivateDataSlot {
    values: Mutex<HashMap<(vk::ObjectType, u64), u64>>,
}

impl PrivateDataSlot {
    /// Sets an object's number.
    pub fn set(&self, ty: vk::ObjectType, handle: u64, value: u64) {
        self.values.lock().insert((ty, handle), value);
    }

    /// An object's number; zero when none was set.
    pub fn get(&self, ty: vk::ObjectType, handle: u64) -> u64 {
        let values = self.values.lock();
        values.get(&(ty, handle)).copied().unwrap_or(0)
    }

    /// Forgets an object.
    pub fn forget(&self, handle: u64) {
        self.values.lock().retain(|(_, other), _| *other != handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::shader::ShaderModule;
    use crate::pipeline::stage::ShaderStage;
    use crate::pipeline::{ComputePipeline, ComputePipelineInfo, PipelineLayout};

    /// A compute shader that does nothing.
    #[rustfmt::skip]
    const WORDS: [u32; 35] = [
        0x0723_0203, 0x0001_0300, 0, 5, 0, // the header
        0x0002_0011, 1, // OpCapability Shader
        0x0003_000e, 0, 1, // OpMemoryModel Logical GLSL450
        0x0005_000f, 5, 1, 0x6e69_616d, 0, // OpEntryPoint GLCompute %1 "main"
        0x0006_0010, 1, 17, 1, 1, 1, // OpExecutionMode %1 LocalSize 1 1 1
        0x0002_0013, 2, // %2 = OpTypeVoid
        0x0003_0021, 3, 2, // %3 = OpTypeFunction %2
        0x0005_0036, 2, 1, 0, 3, // %1 = OpFunction %2 None %3
        0x0002_00f8, 4, // %4 = OpLabel
        0x0001_00fd, // OpReturn
        0x0001_0038, // OpFunctionEnd
    ];

    #[test]
    fn devices_of_one_process_compile_for_different_backends() {
        let physical_devices = [Arc::new(PhysicalDevice::default())];
        let device = |backend| {
            Device::new(
                &physical_devices,
                &[],
                &std::array::from_fn(|_| vec![0]),
                backend,
                Reporter::default(),
            )
            .unwrap()
        };
        let devices: Vec<_> =
            Backend::all().into_iter().map(|(name, backend)| (name, backend, device(backend))).collect();
        for (name, backend, device) in &devices {
            assert_eq!(device.backend(), *backend);
            let stage = ShaderStage {
                stage: vk::ShaderStageFlags::COMPUTE,
                module: Arc::new(ShaderModule::new(&WORDS).unwrap()),
                entry_point: "main".to_owned(),
                specialization: Vec::new(),
                subgroup_size: None,
                options: Default::default(),
                samplers: Vec::new(),
                backend: device.backend(),
            };
            let info = ComputePipelineInfo {
                flags: vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR,
                stage,
                layout: Arc::new(PipelineLayout::new(Vec::new(), &[]).unwrap()),
            };
            let (pipeline, _) = ComputePipeline::new(info, None, None).unwrap();
            let texts = pipeline.executables()[0].kernel.representations();
            let has_code = texts.iter().any(|(title, _)| title == "assembly");
            assert_eq!(has_code, *backend != Backend::Interpreter, "{name}");
        }
    }
}
