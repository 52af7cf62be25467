//! The engine's calls, which follow addresses: the one module that may make them.
//!
//! The engine runs shaders, and shaders follow the addresses in their context: descriptor sets, dynamic
//! buffers, records of attachments, device addresses of the application. All of them must be valid until the
//! call returns. That is a fact about the command list that runs, so each function here asks for its witness,
//! [`CommandListAlive`].
//!
//! *Must not know* commands: it gets the engine's own records.
#![allow(unsafe_code)]

use crate::objects::memory::mapped::DeviceAddresses;
use crate::pipeline::data_graph::DataGraphSession;
use core::marker::PhantomData;
use pyro_abi::DispatchContext;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, Captures, VERTEX_STREAM_COUNT};
use pyro_abi::tensor::{self, TensorRecord};
use pyro_engine::execution_graph::{DrawNodes, Graph, GraphInput};
use pyro_engine::graphics::{
    CaptureBuffer, CaptureCounts, Draw, DrawCommand, Frame, PendingDraws, Statistics,
};
use pyro_engine::raytrace::TraceRays;
use pyro_engine::{ComputeDispatch, DispatchError, Engine};

/// Witness that a recorded command list is alive for `'l`, and with it every object that its commands name:
/// pipelines, descriptor sets, buffers, attachments.
#[derive(Clone, Copy)]
pub(crate) struct CommandListAlive<'l> {
    list: PhantomData<&'l ()>,
}

impl<'l> CommandListAlive<'l> {
    /// The witness of this list.
    ///
    /// # Safety
    /// Until `'l` ends, `list` holds all objects that its commands name, and the application keeps the memory
    /// that is bound to them, and all memory whose device addresses it gives to commands and shaders
    /// (VUID-vkFreeMemory-memory-00677). The engine's records that are used with the witness hold only
    /// addresses of these, of the processor that runs the list, and of null descriptors.
    pub(crate) unsafe fn of<L>(_list: &'l L) -> CommandListAlive<'l> {
        CommandListAlive { list: PhantomData }
    }

    /// The application's memory by device address, which it keeps while the list runs.
    pub(crate) fn memory(self) -> DeviceAddresses {
        // SAFETY: the witness's contract includes memory by device address.
        unsafe { DeviceAddresses::trusted() }
    }
}

/// What the descriptor at a place in a set's memory says of a tensor; none: it is null.
pub(crate) fn tensor_record(alive: CommandListAlive<'_>, set: u64, offset: u32) -> Option<TensorRecord> {
    // By the witness, the set's memory and what its descriptors name is there; views that are destroyed leave
    // null records.
    let memory = alive.memory().memory();
    let address = if set == 0 { 0 } else { memory.load::<u64>(set + u64::from(offset)) };
    if address == 0 {
        return None;
    }
    let at = |field: u32, index: usize| memory.load::<u32>(address + u64::from(field) + 4 * index as u64);
    let record = TensorRecord {
        address: memory.load(address + u64::from(tensor::offset::ADDRESS)),
        dimensions: std::array::from_fn(|index| at(tensor::offset::DIMENSIONS, index)),
        strides: std::array::from_fn(|index| at(tensor::offset::STRIDES, index)),
    };
    (record.address != 0).then_some(record)
}

/// Calls a function with the memory of a data graph's session; gives none when it is not bound.
pub(crate) fn with_session_memory<T>(
    _alive: CommandListAlive<'_>,
    session: &DataGraphSession,
    run: impl FnOnce(&mut [u8]) -> T,
) -> Option<T> {
    let _alone = session.lock();
    let Some(range) = session.memory() else {
        return (session.transient_bytes() == 0).then(|| run(&mut []));
    };
    let (first, length) = (range.address() as *mut u8, range.size() as usize);
    // SAFETY: the session keeps the memory object that the range lies in. While a graph runs, the memory that
    // is bound to its session is the implementation's: the application neither reads nor writes it then, nor
    // runs what does (specification, "Data Graph Pipeline Sessions"), and the lock keeps other dispatches of
    // the session out. What a graph finds there is never trusted: it decides no place in memory unchecked.
    let memory = unsafe { std::slice::from_raw_parts_mut(first, length) };
    Some(run(memory))
}

/// Runs a dispatch, of whose workgroups a thread takes so many at a time; 0: as many as seem best.
///
/// # Errors
/// When the device is lost.
pub(crate) fn dispatch(
    _alive: CommandListAlive<'_>,
    engine: &Engine,
    dispatch: &ComputeDispatch,
    batch: u32,
) -> Result<(), DispatchError> {
    // SAFETY: by the witness, the sets, buffers and addresses in the context are valid until this returns.
    unsafe { engine.dispatch_in_batches(dispatch, batch) }
}

/// Runs payloads for nodes of an execution graph. Returns the number of invocations.
///
/// # Errors
/// When the device is lost.
pub(crate) fn run_graph(
    _alive: CommandListAlive<'_>,
    engine: &Engine,
    graph: &Graph,
    context: &DispatchContext,
    inputs: &[GraphInput<'_>],
    draw: &mut DrawNodes<'_>,
) -> Result<u64, DispatchError> {
    // SAFETY: by the witness, the sets, buffers and addresses in the context are valid until this returns.
    unsafe { engine.run_graph(graph, context, inputs, draw) }
}

/// Runs a launch of ray tracing shaders.
///
/// # Errors
/// When the device is lost.
pub(crate) fn trace_rays(
    _alive: CommandListAlive<'_>,
    engine: &Engine,
    trace: &TraceRays,
) -> Result<(), DispatchError> {
    // SAFETY: by the witness, as for dispatches; shader binding tables are memory by device address
    // (VUID-VkStridedDeviceAddressRegionKHR-size-04631), which the witness covers, and a handle in them that
    // is not the pipeline's runs no shader.
    unsafe { engine.trace_rays(trace) }
}

/// Runs draws and what surrounds them.
///
/// # Errors
/// When the device is lost.
pub(crate) fn render(
    _alive: CommandListAlive<'_>,
    engine: &Engine,
    frame: Frame,
) -> Result<Statistics, DispatchError> {
    // SAFETY: by the witness, as for dispatches; attachments are views that the list's steps hold, and
    // `Targets::pixels` keeps areas inside of them.
    unsafe { engine.render(frame) }
}

/// Begins to run draws and what surrounds them.
pub(crate) fn begin_draws<'l>(
    _alive: CommandListAlive<'l>,
    engine: &'l Engine,
    frame: Frame,
) -> PendingDraws<'l> {
    // SAFETY: as for `render`. What the witness says holds until `'l` ends, and the result ends before: only
    // the processor that runs the list has it, with what else the draws look at, and drops it first.
    unsafe { engine.begin_draws(frame) }
}

/// Captures the vertices of a draw's command (transform feedback).
///
/// # Errors
/// When the device is lost.
pub(crate) fn capture(
    _alive: CommandListAlive<'_>,
    engine: &Engine,
    draw: &Draw,
    command: &DrawCommand,
    captures: &Captures,
    buffers: &mut [CaptureBuffer; CAPTURE_BUFFER_COUNT],
) -> Result<[CaptureCounts; VERTEX_STREAM_COUNT], DispatchError> {
    // SAFETY: by the witness, as for draws; the buffers are ranges that the list's commands hold.
    unsafe { engine.capture(draw, command, captures, buffers) }
}
