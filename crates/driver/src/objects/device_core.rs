//! What a device's objects, commands and queues share.

use crate::caps::PhysicalDevice;
use crate::error::Result;
use crate::objects::buffer::BufferView;
use crate::objects::descriptor::HeapObjects;
use crate::objects::memory::FileOwner;
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::sync::wait::Waiters;
use crate::primitives::{AtomicBool, Ordering};
use crate::process::Process;
use crate::report::{Reporter, Severity};
use crate::worker::Worker;
use pyro_abi::trace::TraceOptions;
use pyro_compile::Backend;
use pyro_compile::image_functions::ImageFunctionCache;
use pyro_engine::{Engine, EngineOptions};
use pyro_sanitizer::commands::CommandRecorder;
use pyro_sanitizer::{Event, Reports};
use pyro_util::sanitize::KindSet;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The part of a `VkDevice` that does not know its queues.
///
/// *Must not know* pipelines, commands and queues: they hold it.
pub struct DeviceCore {
    pub(crate) engine: Engine,
    pub(crate) textures: ImageFunctionCache,
    /// Compiles code in the background.
    pub(crate) worker: Worker,
    /// Command buffers inherit the state that the last one of their queue has set
    /// (`VK_NV_command_buffer_inheritance`).
    pub(crate) inherits_state: bool,
    physical_device: Arc<PhysicalDevice>,
    backend: Backend,
    reporter: Arc<Reporter>,
    lost: AtomicBool,
    /// The process whose threads run its queues.
    process: Process,
    lost_waiters: Waiters,
    texels: Mutex<HashMap<(u64, u64, vk::Format), Arc<BufferView>>>,
    /// What its shaders report.
    reports: Reports,
    sanitize: KindSet,
    heap_objects: HeapObjects,
    /// The last checkpoint that each queue has passed (`VK_NV_device_diagnostic_checkpoints`).
    checkpoints: Mutex<HashMap<u32, u64>>,
}

impl DeviceCore {
    /// A device whose messages go to `reporter`.
    pub(crate) fn new(
        physical_device: &Arc<PhysicalDevice>,
        options: EngineOptions,
        backend: Backend,
        inherits_state: bool,
        reporter: Reporter,
        sanitizer: &pyro_sanitizer::Options,
    ) -> DeviceCore {
        let reporter = Arc::new(reporter);
        let compiler = Arc::clone(&reporter);
        let report = move |message: &str| compiler.report(Severity::Warning, message, None);
        DeviceCore {
            engine: Engine::with_options(options),
            textures: ImageFunctionCache::new(backend, Box::new(report)),
            worker: Worker::default(),
            inherits_state,
            physical_device: Arc::clone(physical_device),
            backend,
            reporter,
            lost: AtomicBool::new(false),
            process: Process::here(),
            lost_waiters: Waiters::default(),
            texels: Mutex::default(),
            reports: Reports::new(sanitizer.clone()),
            sanitize: sanitizer.kinds,
            heap_objects: HeapObjects::default(),
            checkpoints: Mutex::default(),
        }
    }

    /// What its shaders are compiled for.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Where messages go.
    pub(crate) fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire) || self.is_left_behind()
    }

    /// Whether it belongs to the process that this one was copied from (`fork`): its threads run there, so
    /// here it is lost, and must not be dropped, as dropping waits for them.
    pub fn is_left_behind(&self) -> bool {
        let is = self.process.is_another();
        if is {
            self.lost.store(true, Ordering::Release);
        }
        is
    }

    /// Whether it is lost, as a value that others may look at.
    pub fn lost(&self) -> &AtomicBool {
        self.is_left_behind();
        &self.lost
    }

    /// Loses the device.
    pub(crate) fn lose(&self) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            let message = format!("the device is lost: {}", self.why_lost());
            self.reporter.report(Severity::Error, &message, None);
        }
        self.lost_waiters.wake();
    }

    /// Who answers for files that are imported as memory.
    pub fn file_owner(&self) -> FileOwner {
        FileOwner(self.engine.abort_flag().as_ptr() as u64)
    }

    /// Loses the device if an access found a file of its memory truncated.
    #[inline]
    pub(crate) fn lose_if_truncated(&self) {
        if let Some(address) = pyro_codemem::fault::truncated(self.file_owner().0) {
            self.lose_truncated(address);
        }
    }

    #[cold]
    fn lose_truncated(&self, address: u64) {
        if !self.lost.load(Ordering::Acquire) {
            let message = format!("a file of imported memory was truncated (SIGBUS at address {address:#x})");
            pyro_abi::fault::record(self.file_owner().0, message);
            self.lose();
        }
    }

    fn why_lost(&self) -> String {
        self.engine.stopped().unwrap_or_else(|| "a shader was stopped or failed".to_owned())
    }

    /// Why it is lost, when it is: which shader was stopped, and where, as far as that is known.
    pub fn fault(&self) -> Option<String> {
        self.is_lost().then(|| self.why_lost())
    }

    /// Threads that wait for something else, and stop when the device is lost.
    pub(crate) fn lost_waiters(&self) -> &Waiters {
        &self.lost_waiters
    }

    /// The kinds of findings that its shaders look for.
    pub fn sanitize(&self) -> KindSet {
        self.sanitize
    }

    /// What a shader of these words is compiled with for a debugger; none: it is not traced.
    pub fn trace(&self, words: &[u32]) -> Option<TraceOptions> {
        self.reports.recorder().map(|recorder| recorder.options(words))
    }

    /// What a debugger puts in the place of a module.
    pub fn replacement(&self, words: &[u32]) -> Option<Arc<[u32]>> {
        self.reports.recorder()?.replacement(words)
    }

    /// Whether a debugger follows its shaders.
    pub(crate) fn is_traced(&self) -> bool {
        self.reports.recorder().is_some()
    }

    /// Whether its shaders' code says where it comes from, and the number of the process if shaders are to
    /// count: for a profile, and for coverage.
    pub fn observation(&self) -> (bool, u64) {
        let config = pyro_util::config::get();
        let counts = config.coverage.is_some() || (config.profile.is_some() && config.profile_counts);
        (config.profile.is_some(), if counts { pyro_profiler::counters::process_key() } else { 0 })
    }

    /// Where its shaders report.
    pub(crate) fn reports(&self) -> &Reports {
        &self.reports
    }

    /// Calls `run` with what follows commands, where the sanitizer does.
    pub fn follow(&self, run: impl FnOnce(&CommandRecorder<'_>)) {
        self.reports.commands(run);
    }

    /// Hands what its shaders have reported to the application. Not on threads that run shaders.
    pub(crate) fn deliver_reports(&self) {
        for event in self.reports.take_events() {
            match event {
                Event::Print(text) => self.reporter.tell(Severity::Printed, &text),
                Event::Finding(finding) => {
                    self.reporter.tell(Severity::Finding(finding.kind), &finding.to_string());
                }
                Event::Dropped(count) => {
                    let message = format!("{count} reports of shaders were dropped, as there were too many");
                    self.reporter.report(Severity::Warning, &message, None);
                }
            }
        }
    }

    /// The physical device.
    pub fn physical_device(&self) -> &Arc<PhysicalDevice> {
        &self.physical_device
    }

    /// The image functions that views and samplers share.
    pub fn textures(&self) -> &ImageFunctionCache {
        &self.textures
    }

    /// The views and samplers that descriptors in heaps name.
    pub(crate) fn heap_objects(&self) -> &HeapObjects {
        &self.heap_objects
    }

    /// A queue has passed a checkpoint: all commands before it have run.
    pub(crate) fn pass_checkpoint(&self, queue: u32, marker: u64) {
        self.checkpoints.lock().insert(queue, marker);
    }

    /// The marker of the last checkpoint that a queue has passed.
    pub(crate) fn last_checkpoint(&self, queue: u32) -> Option<u64> {
        self.checkpoints.lock().get(&queue).copied()
    }

    /// Calls `run` with each number below `count`, on all threads that run shaders and the calling one,
    /// several at a time; returns when all calls have.
    ///
    /// # Panics
    /// When a call did.
    pub fn for_each_part(&self, count: u64, run: &(dyn Fn(u64) + Sync)) {
        self.engine.for_each_part(count, run);
    }

    /// The view of `size` bytes of texels at an address, which descriptors in buffers name. It is made once
    /// and stays as long as the device, since no call tells when a descriptor in a buffer is gone.
    ///
    /// # Errors
    /// When the format is not for texel buffers.
    pub fn texels(
        &self,
        memory: DeviceAddresses,
        address: u64,
        size: u64,
        format: vk::Format,
    ) -> Result<Arc<BufferView>> {
        let mut texels = self.texels.lock();
        if let Some(view) = texels.get(&(address, size, format)) {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(BufferView::of_range(&self.textures, memory.range(address, size), format)?);
        texels.insert((address, size, format), Arc::clone(&view));
        Ok(view)
    }
}
