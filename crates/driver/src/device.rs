//! The logical device.

use crate::caps::extensions;
use crate::caps::limits;
use crate::caps::{PhysicalDevice, QUEUE_FAMILIES};
use crate::command::InheritedState;
use crate::error::{Error, Result};
use crate::objects::buffer::BufferView;
use crate::objects::descriptor::heap::HeapObjects;
use crate::objects::query::QueryPool;
use crate::objects::sync::wait::{self, Waiters};
use crate::pipeline::specialize::Worker;
use crate::primitives::{AtomicBool, Ordering};
use crate::process::Process;
use crate::queue::Queue;
use pyro_compile::Backend;
use pyro_compile::image_functions::ImageFunctionCache;
use pyro_engine::{Engine, EngineOptions};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vulkanalia_sys as vk;

/// What queues share with their device.
pub struct DeviceCore {
    pub(crate) engine: Engine,
    pub(crate) textures: ImageFunctionCache,
    /// Makes code on the side.
    pub(crate) worker: Worker,
    /// What the last command buffer of each queue has set, where the next inherits it.
    pub(crate) inherited: Option<Mutex<HashMap<u32, InheritedState>>>,
    lost: AtomicBool,
    /// Whose threads run its queues.
    process: Process,
    lost_waiters: Waiters,
    texels: Mutex<HashMap<(u64, u64, vk::Format), Arc<BufferView>>>,
    heap_objects: HeapObjects,
}

impl DeviceCore {
    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire) || self.is_left_behind()
    }

    /// Whether its threads are another process's: a device is lost in a copy of its process.
    fn is_left_behind(&self) -> bool {
        let is = self.process.is_another();
        if is {
            self.lost.store(true, Ordering::Release);
        }
        is
    }

    /// Loses the device.
    pub(crate) fn lose(&self) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            report(&format!("the device is lost: {}", self.why_lost()));
        }
        self.lost_waiters.wake();
    }

    fn why_lost(&self) -> String {
        self.engine.stopped().unwrap_or_else(|| "a shader was stopped or failed".to_owned())
    }

    /// Those who wait for something else, and stop when the device is lost.
    pub(crate) fn lost_waiters(&self) -> &Waiters {
        &self.lost_waiters
    }
}

/// A `VkDevice`.
pub struct Device {
    physical_device: Arc<PhysicalDevice>,
    extensions: Vec<&'static str>,
    queues: Vec<Arc<Queue>>,
    /// Queues of each family.
    queue_counts: [u32; QUEUE_FAMILIES],
    core: Arc<DeviceCore>,
}

/// Extensions by which shaders see on which of how many cores they run.
const CORE_BUILTINS: [&str; 2] = ["VK_ARM_shader_core_builtins", "VK_NV_shader_sm_builtins"];

/// Says what could not be compiled on the way, when `PYROCLAST_MESSAGES` is set.
fn report(message: &str) {
    if pyro_util::config::get().messages {
        eprintln!("pyroclast: {message}");
    }
}

impl Device {
    /// A device with so many queues of each family, and these extensions.
    ///
    /// # Errors
    /// For unknown extensions and too many queues.
    pub fn new(
        physical_device: &Arc<PhysicalDevice>,
        names: &[&str],
        queue_counts: [u32; QUEUE_FAMILIES],
    ) -> Result<Device> {
        let find = |name: &&str| {
            extensions::of_devices(name).map(|extension| extension.name).ok_or_else(|| {
                let message = format!("there is no device extension {name}");
                Error::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
            })
        };
        let extensions = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        if queue_counts.iter().any(|&count| count > crate::caps::limits::QUEUE_COUNT) {
            return Err(Error::misuse(
                "more queues than the family has (VUID-VkDeviceQueueCreateInfo-queueCount-00382)",
            ));
        }
        if extensions.iter().any(|name| CORE_BUILTINS.contains(name)) {
            // Shaders may ask for it: it takes long to find out, so that is done only then.
            limits::core_count();
        }
        let options = EngineOptions {
            thread_count: limits::thread_count(),
            watchdog: pyro_util::config::get().watchdog,
        };
        let core = Arc::new(DeviceCore {
            engine: Engine::with_options(options),
            textures: ImageFunctionCache::new(Backend::from_environment(), Box::new(report)),
            worker: Worker::default(),
            lost: AtomicBool::new(false),
            process: Process::here(),
            inherited: extensions.contains(&"VK_NV_command_buffer_inheritance").then(Mutex::default),
            lost_waiters: Waiters::default(),
            texels: Mutex::default(),
            heap_objects: HeapObjects::default(),
        });
        let queues = (0..queue_counts.iter().sum()).map(|index| Arc::new(Queue::new(&core, index))).collect();
        Ok(Device { physical_device: Arc::clone(physical_device), extensions, queues, queue_counts, core })
    }

    /// Calls `run` with each number below `count`, on all threads that run shaders and the calling one, several at a time;
    /// returns when all calls have.
    ///
    /// # Panics
    /// When a call did.
    pub fn for_each_part(&self, count: u64, run: &(dyn Fn(u64) + Sync)) {
        self.core.engine.for_each_part(count, run);
    }

    /// The view of `size` bytes of texels at an address, which descriptors in buffers name: made once, it stays as long
    /// as the device, since nobody says when descriptors are gone.
    ///
    /// # Errors
    /// When the format is not for texel buffers.
    pub fn texels(&self, address: u64, size: u64, format: vk::Format) -> Result<Arc<BufferView>> {
        let mut texels = self.core.texels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = texels.get(&(address, size, format)) {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(BufferView::at_address(&self.core.textures, address, size, format)?);
        texels.insert((address, size, format), Arc::clone(&view));
        Ok(view)
    }

    /// What descriptors in heaps name.
    pub(crate) fn heap_objects(&self) -> &HeapObjects {
        &self.core.heap_objects
    }

    /// The physical device.
    pub fn physical_device(&self) -> &Arc<PhysicalDevice> {
        &self.physical_device
    }

    /// The extensions it was made with.
    pub fn extensions(&self) -> &[&'static str] {
        &self.extensions
    }

    /// Where a queue of a family is among all queues, if it was made.
    pub fn queue_position(&self, family: u32, index: u32) -> Option<usize> {
        let &count = self.queue_counts.get(family as usize)?;
        let before: u32 = self.queue_counts[..family as usize].iter().sum();
        (index < count).then_some((before + index) as usize)
    }

    /// Its queues, family after family.
    pub fn queues(&self) -> &[Arc<Queue>] {
        &self.queues
    }

    /// The image functions that views and samplers share.
    pub fn textures(&self) -> &ImageFunctionCache {
        &self.core.textures
    }

    /// Why it is lost, when it is: which shader was stopped, and where, as far as that is known.
    pub fn fault(&self) -> Option<String> {
        self.core.is_lost().then(|| self.core.why_lost())
    }

    /// Whether it belongs to the process that this one was copied from. It cannot be dropped then, as dropping waits for
    /// threads that are not here.
    pub fn is_left_behind(&self) -> bool {
        self.core.is_left_behind()
    }

    /// Whether it is lost.
    pub fn lost(&self) -> &AtomicBool {
        self.core.is_left_behind();
        &self.core.lost
    }

    /// Waits until queries of a pool have ended.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_for_queries(&self, pool: &QueryPool, first: u32, count: u32) -> Result<()> {
        let ready = || (self.core.is_lost() || pool.available(first, count)).then_some(());
        wait::wait([pool.waiters(), self.core.lost_waiters()].into_iter(), None, ready);
        self.check_lost()
    }

    /// `VK_ERROR_DEVICE_LOST` when it is.
    ///
    /// # Errors
    /// That one.
    pub fn check_lost(&self) -> Result<()> {
        if self.core.is_lost() { Err(Error::device_lost()) } else { Ok(()) }
    }

    /// Waits until all queues are idle.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_idle(&self) -> Result<()> {
        self.queues.iter().try_for_each(|queue| queue.wait_idle())
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
        self.values.lock().unwrap_or_else(PoisonError::into_inner).insert((ty, handle), value);
    }

    /// An object's number; zero when none was set.
    pub fn get(&self, ty: vk::ObjectType, handle: u64) -> u64 {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.get(&(ty, handle)).copied().unwrap_or(0)
    }

    /// Forgets an object.
    pub fn forget(&self, handle: u64) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, other), _| *other != handle);
    }
}
