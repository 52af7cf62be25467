//! Queues: each runs its submissions in order, on a thread of its own.
//!
//! A submission waits for its semaphores there, so a timeline may be waited for before anybody has submitted
//! its signal, and other queues go on.
//!
//! Two changes of thread cost more than small work itself. So a batch that is known to be short
//! ([`CommandList::estimate_ns`]), has nothing to wait for and finds the queue idle runs on the thread that
//! submits it; whichever thread runs a batch holds `running`. The queue's thread starts with the first batch
//! that needs it.
//!
//! When the device is lost, or goes
//! away, what is left is not run, but its fences and semaphores are signaled, so that nobody waits for ever.

use crate::command::{CommandList, CommandProcessor, InheritedState, OnQueue, Outcome};
use crate::error::{Error, Result};
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::sparse::{SparseBinds, discard_writes};
use crate::objects::performance_hint::{self, PerformanceHint, QueueHint};
use crate::objects::sync::payload::Payload;
use crate::objects::sync::progress::QueueProgress;
use crate::objects::sync::wait;
use crate::present::Present;
use crate::primitives::{Builder, Condvar, JoinHandle, Mutex, MutexGuard};
use pyro_codemem::sample;
use pyro_profiler::commands;
use pyro_sanitizer::commands::scope::stage;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// One batch of a submission.
#[derive(Default)]
pub struct Batch {
    /// What it waits for; the value is a timeline's.
    pub waits: Vec<(Arc<Payload>, u64)>,
    /// What it binds to sparse resources.
    pub binds: SparseBinds,
    /// What it runs.
    pub lists: Vec<Arc<CommandList>>,
    /// The physical devices that each of them runs on, by device mask; zero, or none there: all.
    pub device_masks: Vec<u32>,
    /// What it presents after that.
    pub presents: Vec<Present>,
    /// What it signals.
    pub signals: Vec<(Arc<Payload>, u64)>,
    /// The fence of the submission's last batch.
    pub fence: Option<Arc<Payload>>,
    /// The stages of each wait, where the sanitizer follows commands.
    pub wait_stages: Vec<u64>,
    /// Its number for the sanitizer.
    pub(crate) number: u32,
    /// The queue's label around it, as the number of a profile's pass.
    pub(crate) label: u32,
}

impl Batch {
    /// The payloads that it will signal.
    fn signaled(&self) -> impl Iterator<Item = &Arc<Payload>> {
        self.signals.iter().map(|(payload, _)| payload).chain(&self.fence)
    }

    /// Whether it may run on the thread that submits it: it has nothing to wait for, and will not take long.
    fn is_short(&self) -> bool {
        let total = self.lists.iter().try_fold(0, |sum: u64, list| Some(sum + list.estimate_ns()?));
        self.presents.is_empty()
            && self.binds.len() <= SHORT_BINDS
            && self.waits.iter().all(|(payload, value)| payload.reached(*value))
            && total.is_some_and(|total| total <= SHORT_NS)
    }
}

/// What the sanitizer calls a payload.
pub(crate) fn payload_id(payload: &Arc<Payload>) -> u64 {
    Arc::as_ptr(payload) as u64
}

fn signals_of(batch: &Batch) -> Vec<(u64, u64)> {
    batch.signals.iter().map(|(payload, value)| (payload_id(payload), *value)).collect()
}

/// A `VkQueue`.
pub struct Queue {
    /// Its index in the family.
    pub index: u32,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The labels that are open, outermost first, as numbers of a profile's passes.
    labels: Mutex<Vec<u32>>,
}

struct Shared {
    /// The queue's index.
    index: u32,
    /// Cores that run its commands at most; 0: all.
    core_limit: u32,
    hint: QueueHint,
    device: Arc<DeviceCore>,
    state: Mutex<State>,
    /// What the last command buffer has set, where the next inherits it.
    inherited: Mutex<Option<InheritedState>>,
    wake: Condvar,
    progress: QueueProgress,
}

#[derive(Default)]
struct State {
    batches: VecDeque<Batch>,
    submitted: u64,
    /// Some thread runs a batch.
    running: bool,
}

/// The longest batch, in nanoseconds, that runs on the thread that submits it: about what the two changes of
/// thread take that it saves.
const SHORT_NS: u64 = 15_000;
/// The most sparse bindings of such a batch.
const SHORT_BINDS: usize = 4;

impl Queue {
    pub(crate) fn new(device: &Arc<DeviceCore>, index: u32, core_limit: u32) -> Queue {
        let shared = Shared {
            index,
            core_limit,
            hint: QueueHint::default(),
            device: Arc::clone(device),
            state: Mutex::default(),
            inherited: Mutex::default(),
            wake: Condvar::new(),
            progress: QueueProgress::default(),
        };
        Queue { index, shared: Arc::new(shared), thread: Mutex::new(None), labels: Mutex::default() }
    }

    /// A label begins, for a profile: around what is submitted from now on.
    pub fn begin_label(&self, name: &str) {
        let mut labels = self.labels.lock();
        let around = labels.last().copied().unwrap_or(0);
        labels.push(commands::pass(around, name));
    }

    /// The last label ends.
    pub fn end_label(&self) {
        self.labels.lock().pop();
    }

    /// How fast processors should run while it runs, from the next batch on.
    pub fn set_hint(&self, hint: PerformanceHint) {
        self.shared.hint.set(hint);
    }

    /// Physical devices of the device.
    pub fn device_count(&self) -> u32 {
        self.shared.device.all_devices().count_ones()
    }

    /// Queues batches.
    ///
    /// # Errors
    /// When the device is lost, or no thread can be started.
    pub fn submit(&self, batches: Vec<Batch>) -> Result<()> {
        if self.shared.device.is_lost() {
            return Err(Error::device_lost());
        }
        for list in batches.iter().flat_map(|batch| &batch.lists) {
            list.begin_pending();
        }
        batches.iter().flat_map(Batch::signaled).for_each(|payload| payload.begin_pending());
        let mut batches = batches;
        let label = if sample::is_on() { self.labels.lock().last().copied().unwrap_or(0) } else { 0 };
        for batch in &mut batches {
            batch.label = label;
            self.shared.device.follow(|recorder| {
                let fence = batch.fence.iter().map(|fence| (payload_id(fence), 1));
                let signals: Vec<_> = signals_of(batch).into_iter().chain(fence).collect();
                batch.number = recorder.submit(self.index, &signals);
            });
        }
        let mut batches = batches.into_iter();
        let mut state = self.shared.lock();
        state.submitted += batches.len() as u64;
        while let Some(first) = batches.as_slice().first()
            && !state.running
            && state.batches.is_empty()
            && first.is_short()
            && let Some(batch) = batches.next()
        {
            state.running = true;
            drop(state);
            self.shared.finish(batch);
            state = self.shared.lock();
            state.running = false;
        }
        let mut started = Ok(());
        if !batches.as_slice().is_empty() || !state.batches.is_empty() {
            started = self.start();
        }
        if started.is_ok() {
            state.batches.extend(batches);
            self.shared.wake.notify_one();
        } else {
            // They were not submitted.
            state.submitted -= batches.len() as u64;
            for batch in batches {
                batch.signaled().for_each(|payload| payload.end_pending());
                batch.lists.iter().for_each(|list| list.end_pending());
            }
        }
        started
    }

    fn start(&self) -> Result<()> {
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let name = format!("pyro-queue-{}", self.index);
            let builder = Builder::new().name(name).stack_size(pyro_abi::THREAD_STACK_BYTES);
            *thread = Some(builder.spawn(move || shared.serve()).map_err(|_| Error::out_of_host_memory())?);
        }
        Ok(())
    }

    /// Waits until everything submitted so far has ended.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_idle(&self) -> Result<()> {
        self.shared.device.follow(|recorder| recorder.look_at_host());
        let target = self.shared.lock().submitted;
        self.shared.progress.wait_completed(target);
        self.shared.device.follow(|recorder| recorder.observe_queue(Some(self.index)));
        if self.shared.device.is_lost() { Err(Error::device_lost()) } else { Ok(()) }
    }

    /// The marker of the last checkpoint that its commands have passed.
    ///
    /// # Errors
    /// When the device is not lost.
    pub fn last_checkpoint(&self) -> Result<Option<u64>> {
        if !self.shared.device.is_lost() {
            return Err(Error::misuse(
                "the device is not lost (VUID-vkGetQueueCheckpointDataNV-queue-02025)",
            ));
        }
        Ok(self.shared.device.last_checkpoint(self.index))
    }

    /// Waits until everything submitted so far has ended, or waits itself for a semaphore or an event, or
    /// until a time has passed; whether it has ended.
    pub fn settle(&self, timeout_ns: u64) -> bool {
        let target = self.shared.lock().submitted;
        self.shared.progress.settle(target, timeout_ns)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.progress.quit();
        // Under the lock, so that the thread cannot be between its look at `quit` and its wait.
        drop(self.shared.lock());
        self.shared.wake.notify_all();
        let thread = self.thread.get_mut();
        if let Some(thread) = thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The thread's life.
    fn serve(&self) {
        performance_hint::follow_hints();
        loop {
            let mut state = self.lock();
            let batch = loop {
                if !state.running
                    && let Some(batch) = state.batches.pop_front()
                {
                    state.running = true;
                    break batch;
                }
                if self.progress.is_quit() {
                    return;
                }
                state = self.wake.wait(state);
            };
            drop(state);
            self.finish(batch);
            self.lock().running = false;
        }
    }

    /// Runs a batch and signals what it has to.
    fn finish(&self, batch: Batch) {
        let run = || pyro_engine::with_thread_limit(self.core_limit, || self.run(&batch));
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            self.device.lose();
        }
        self.device.lose_if_truncated();
        // Before the fence, so that who has waited for it has seen what shaders said.
        self.device.deliver_reports();
        for list in &batch.lists {
            list.end_pending();
        }
        self.device.follow(|recorder| recorder.end_batch(self.index, &signals_of(&batch)));
        let Batch { signals, fence, .. } = batch;
        for (payload, value) in &signals {
            payload.signal(*value);
            payload.end_pending();
        }
        // Before the fence, so that who has waited for the fence sees an idle queue.
        self.progress.complete();
        if let Some(fence) = fence {
            fence.signal(1);
            fence.end_pending();
        }
        self.progress.wake();
    }

    fn run_list(&self, list: &CommandList, label: u32, devices: u32) -> Outcome {
        let (progress, queue) = (&self.progress, OnQueue { queue: self.index, label });
        CommandProcessor::run_on_queue(&self.device, progress, queue, &self.inherited, list, devices)
    }

    fn run(&self, batch: &Batch) {
        let stopped = || self.progress.is_quit() || self.device.is_lost();
        for (payload, value) in &batch.waits {
            if payload.acquire(*value) {
                continue;
            }
            let lost = std::iter::once(self.device.lost_waiters());
            let sources = std::iter::once(payload).map(Payload::waiters).chain(lost);
            let ready = || (payload.acquire(*value) || stopped()).then_some(());
            self.progress.block(|| wait::wait(sources, None, ready));
        }
        self.device.follow(|recorder| {
            let waits = batch.waits.iter().enumerate().map(|(index, (payload, value))| {
                let stages = batch.wait_stages.get(index).copied().unwrap_or(stage::ALL_COMMANDS);
                (payload_id(payload), *value, stages)
            });
            recorder.begin_batch(self.index, batch.number, &waits.collect::<Vec<_>>());
        });
        if !batch.binds.is_empty() && (stopped() || !batch.binds.run()) {
            self.device.lose();
            return;
        }
        let _running = self.hint.run();
        let uses_tile_memory = batch.lists.iter().any(|list| list.uses_tile_memory());
        let _tile = uses_tile_memory.then(|| self.device.tile_memory.enter(self.index));
        for (number, list) in batch.lists.iter().enumerate() {
            let devices = batch.device_masks.get(number).copied().unwrap_or(0);
            if stopped() || self.run_list(list, batch.label, devices) == Outcome::Stopped {
                return;
            }
        }
        discard_writes();
        batch.presents.iter().for_each(Present::run);
    }
}
