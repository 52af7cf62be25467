//! What a device's objects, commands and queues share.

use crate::caps::{PhysicalDevice, device_group};
use crate::error::Result;
use crate::objects::buffer::BufferView;
use crate::objects::descriptor::HeapObjects;
use crate::objects::memory::FileOwner;
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::memory::tile::TileMemory;
use crate::objects::performance_hint::worker_start;
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
use pyro_sanitizer::trace::Recorder;
use pyro_sanitizer::{Event, Reports};
use pyro_util::sanitize::KindSet;
use pyro_util::sync::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use vulkanalia_sys as vk;

/// Makes calls, on as many threads, this one among them, or `in_order` all on this one.
/// Gives what they returned. `caller`: the number of the queue that they work for.
///
/// # Panics
/// When a call did.
pub(crate) fn at_once<R: Send>(in_order: bool, caller: u32, calls: Vec<impl FnOnce() -> R + Send>) -> Vec<R> {
    if in_order || calls.len() < 2 {
        return calls.into_iter().map(|call| call()).collect();
    }
    let count = calls.len();
    let calls = Mutex::new(calls.into_iter().enumerate());
    let results = Mutex::new(Vec::with_capacity(count));
    let limit = pyro_engine::thread_limit();
    let work = || {
        pyro_engine::set_caller(caller);
        pyro_engine::with_thread_limit(limit, || {
            loop {
                let next = calls.lock().next();
                let Some((number, call)) = next else { return };
                let result = call();
                results.lock().push((number, result));
            }
        });
    };
    std::thread::scope(|scope| {
        for _ in 1..count {
            let thread = std::thread::Builder::new().stack_size(pyro_abi::THREAD_STACK_BYTES);
            // What a thread that the system refuses would have done, the others do.
            let _ = thread.spawn_scoped(scope, work);
        }
        work();
    });
    let mut results = std::mem::take(&mut *results.lock());
    results.sort_unstable_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The cores of all these devices.
fn whole_engine(devices: &[Arc<PhysicalDevice>], options: EngineOptions) -> Engine {
    match devices {
        [device] => {
            let share = device.share();
            let options = EngineOptions { thread_count: share.threads, ..options };
            Engine::with_workers(options, worker_start(share.start()))
        }
        _ => {
            let thread_count = devices.iter().map(|device| device.share().threads).sum();
            Engine::with_workers(EngineOptions { thread_count, ..options }, worker_start(None))
        }
    }
}

/// The cores of each of several devices.
fn own_engines(devices: &[Arc<PhysicalDevice>], options: EngineOptions) -> Vec<Engine> {
    if devices.len() < 2 {
        return Vec::new();
    }
    devices.iter().map(|device| whole_engine(std::slice::from_ref(device), options)).collect()
}

/// The part of a `VkDevice` that does not know its queues.
///
/// *Must not know* pipelines, commands and queues: they hold it.
pub struct DeviceCore {
    /// The cores of all its physical devices.
    pub(crate) engine: Engine,
    /// The cores of each physical device, where it has several.
    engines: Vec<Engine>,
    pub(crate) textures: ImageFunctionCache,
    /// The heap of tile memory.
    pub(crate) tile_memory: TileMemory,
    /// Compiles code in the background.
    pub(crate) worker: Worker,
    /// Command buffers inherit the state that the last one of their queue has set
    /// (`VK_NV_command_buffer_inheritance`).
    pub(crate) inherits_state: bool,
    /// Each view has a viewport of its own (`VK_QCOM_multiview_per_view_viewports`).
    pub(crate) per_view_viewports: AtomicBool,
    /// Lines of no named mode are Bresenham's (`VK_IMG_relaxed_line_rasterization`).
    pub(crate) relaxed_lines: AtomicBool,
    /// Says what is wrong with what acceleration structures are built from (`VK_NV_ray_tracing_validation`).
    pub(crate) checks_builds: AtomicBool,
    physical_devices: Vec<Arc<PhysicalDevice>>,
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
    /// What is known by an address.
    remembered: Mutex<HashMap<u64, Weak<dyn Any + Send + Sync>>>,
    /// The last checkpoint that each queue has passed (`VK_NV_device_diagnostic_checkpoints`).
    checkpoints: Mutex<HashMap<u32, u64>>,
}

impl DeviceCore {
    /// A device whose messages go to `reporter`.
    pub(crate) fn new(
        physical_devices: &[Arc<PhysicalDevice>],
        options: EngineOptions,
        backend: Backend,
        inherits_state: bool,
        reporter: Reporter,
        sanitizer: &pyro_sanitizer::Options,
    ) -> DeviceCore {
        let reporter = Arc::new(reporter);
        let compiler = Arc::clone(&reporter);
        let report = move |message: &str| compiler.report(Severity::Warning, message, None);
        let engine = whole_engine(physical_devices, options);
        let engines = own_engines(physical_devices, options);
        let flags = engines.iter().chain([&engine]).map(|engine| Arc::clone(engine.abort_flag())).collect();
        DeviceCore {
            engine,
            engines,
            tile_memory: TileMemory::default(),
            textures: ImageFunctionCache::new(backend, Box::new(report)),
            worker: Worker::default(),
            inherits_state,
            per_view_viewports: AtomicBool::new(false),
            relaxed_lines: AtomicBool::new(false),
            checks_builds: AtomicBool::new(false),
            physical_devices: physical_devices.to_vec(),
            backend,
            reporter,
            lost: AtomicBool::new(false),
            process: Process::here(),
            lost_waiters: Waiters::default(),
            texels: Mutex::default(),
            reports: Reports::new(sanitizer.clone(), flags),
            sanitize: sanitizer.kinds,
            heap_objects: HeapObjects::default(),
            remembered: Mutex::default(),
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
        let stopped = self.engines.iter().chain([&self.engine]).find_map(Engine::stopped);
        stopped.unwrap_or_else(|| "a shader was stopped or failed".to_owned())
    }

    /// Why it is lost, when it is: which shader was stopped, and where, as far as that is known.
    pub fn fault(&self) -> Option<String> {
        self.is_lost().then(|| self.why_lost())
    }

    /// What its shaders have said by `OpAbortKHR`: the bytes of `VkDeviceFaultShaderAbortMessageInfoKHR`.
    pub fn abort_messages(&self) -> Vec<u8> {
        self.reports.abort_messages()
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

    /// The debugger that follows its shaders.
    pub fn debugger(&self) -> Option<Arc<Recorder>> {
        self.reports.recorder().cloned()
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

    /// Calls `run` with what follows commands, where the sanitizer follows what they access.
    pub fn follow(&self, run: impl FnOnce(&CommandRecorder<'_>)) {
        if self.reports.follows_accesses() {
            self.reports.commands(run);
        }
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

    /// The physical devices, by device index; at least one.
    pub fn physical_devices(&self) -> &[Arc<PhysicalDevice>] {
        &self.physical_devices
    }

    /// The first physical device. Memory is the same for all.
    pub fn physical_device(&self) -> &Arc<PhysicalDevice> {
        &self.physical_devices[0]
    }

    /// The device mask of all physical devices.
    pub fn all_devices(&self) -> u32 {
        device_group::mask(self.physical_devices.len())
    }

    /// The cores of these physical devices: of one its own, of several those of all.
    pub(crate) fn engine_of(&self, devices: u32) -> &Engine {
        let own = self.engines.get(devices.trailing_zeros() as usize);
        own.filter(|_| devices.is_power_of_two()).unwrap_or(&self.engine)
    }

    /// Calls `run` with the index and the cores of each of these physical devices; on several at a time, but
    /// `in_order` or where the order of invocations is fixed. `caller`: the number of the queue.
    pub(crate) fn for_each_device<R: Send>(
        &self,
        devices: u32,
        in_order: bool,
        caller: u32,
        run: impl Fn(u32, &Engine) -> R + Sync,
    ) -> Vec<R> {
        let indices = (0..u32::BITS).filter(|index| devices >> index & 1 != 0);
        let calls: Vec<_> = indices.map(|index| (index, self.engine_of(1 << index))).collect();
        let in_order = in_order || pyro_util::config::has_fixed_order();
        let run = &run;
        at_once(
            in_order,
            caller,
            calls.into_iter().map(|(index, engine)| move || run(index, engine)).collect(),
        )
    }

    /// The image functions that views and samplers share.
    pub fn textures(&self) -> &ImageFunctionCache {
        &self.textures
    }

    /// Makes an object known by an address, as long as others keep it.
    pub(crate) fn remember(&self, address: u64, object: Arc<dyn Any + Send + Sync>) {
        let mut remembered = self.remembered.lock();
        remembered.retain(|_, known| known.strong_count() > 0);
        remembered.insert(address, Arc::downgrade(&object));
    }

    /// The object that is known by an address, if it is of this type and still there.
    pub(crate) fn remembered<T: Any + Send + Sync>(&self, address: u64) -> Option<Arc<T>> {
        let object = self.remembered.lock().get(&address)?.upgrade()?;
        object.downcast().ok()
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
