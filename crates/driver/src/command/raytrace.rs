//! Launches of ray tracing pipelines.

use super::sets::Sets;
use super::{CommandProcessor, Outcome};
use crate::caps::limits::MAX_DYNAMIC_BUFFERS;
use crate::objects::memory::mapped;
use crate::pipeline::raytrace::RayPipeline;
use pyro_abi::{BufferDescriptor, DispatchContext};
use pyro_engine::raytrace::{Table, TraceRays};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The tables of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tables {
    /// The record of the ray generation shader.
    pub raygen: Table,
    /// Miss shaders.
    pub miss: Table,
    /// Hit groups.
    pub hit: Table,
    /// Callable shaders.
    pub callable: Table,
}

/// `vkCmdTraceRaysKHR` and its indirect forms.
#[derive(Clone, Copy, Debug)]
pub enum Launch {
    /// As many invocations in x, y, z.
    Direct(Tables, [u32; 3]),
    /// As many as a `VkTraceRaysIndirectCommandKHR` at this device address says.
    Indirect(Tables, u64),
    /// As a `VkTraceRaysIndirectCommand2KHR` at this device address says.
    Indirect2(u64),
}

/// What commands have set for launches.
pub(super) struct RayState {
    pipeline: Option<Arc<RayPipeline>>,
    pub(super) sets: Sets,
    pub(super) dynamic: Box<[BufferDescriptor; MAX_DYNAMIC_BUFFERS as usize]>,
}

impl Default for RayState {
    fn default() -> RayState {
        let dynamic = Box::new([BufferDescriptor::default(); MAX_DYNAMIC_BUFFERS as usize]);
        RayState { pipeline: None, sets: Sets::default(), dynamic }
    }
}

impl RayState {
    pub(super) fn bind_pipeline(&mut self, pipeline: &Arc<RayPipeline>) {
        self.pipeline = Some(Arc::clone(pipeline));
    }
}

/// Bytes at a device address; zeros at null.
fn read<const N: usize>(address: u64) -> [u8; N] {
    let mut bytes = [0; N];
    if address != 0 {
        mapped::at_address(address, N as u64).read(0, &mut bytes);
    }
    bytes
}

/// The `index`-th word of 64 bits.
fn wide(bytes: &[u8], index: usize) -> u64 {
    bytes.as_chunks().0.get(index).map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

/// Three words of 32 bits from the `first` byte on.
fn triple(bytes: &[u8], first: usize) -> [u32; 3] {
    [0, 4, 8].map(|byte| {
        let word = bytes.get(first + byte..).and_then(|bytes| bytes.first_chunk());
        word.map_or(0, |&bytes| u32::from_le_bytes(bytes))
    })
}

impl CommandProcessor<'_> {
    pub(super) fn trace_rays(&mut self, launch: &Launch) -> Outcome {
        let (tables, size) = match *launch {
            Launch::Direct(tables, size) => (tables, size),
            Launch::Indirect(tables, address) => {
                let bytes = read::<{ size_of::<vk::TraceRaysIndirectCommandKHR>() }>(address);
                (tables, triple(&bytes, 0))
            }
            Launch::Indirect2(address) => {
                const SIZE_OFFSET: usize = core::mem::offset_of!(vk::TraceRaysIndirectCommand2KHR, width);
                let bytes = read::<{ size_of::<vk::TraceRaysIndirectCommand2KHR>() }>(address);
                let table = |first| {
                    let [address, size, stride] = [0usize, 1, 2].map(|word| wide(&bytes, first + word));
                    Table { address, stride, size }
                };
                let raygen = Table { address: wide(&bytes, 0), stride: 0, size: wide(&bytes, 1) };
                let tables = Tables { raygen, miss: table(2), hit: table(5), callable: table(8) };
                (tables, triple(&bytes, SIZE_OFFSET))
            }
        };
        // Without a pipeline there is nothing to run: recording said so.
        let Some(pipeline) = self.rays.pipeline.clone() else { return Outcome::Done };
        let mut context = DispatchContext {
            num_workgroups: size,
            base_workgroup: [0; 3],
            dynamic_buffers: self.rays.dynamic.as_ptr() as u64,
            ..self.compute.context().clone()
        };
        if self.rays.sets.show(pipeline.layout(), &mut context.sets).is_none() {
            self.device.lose();
            return Outcome::Stopped;
        }
        let Tables { raygen, miss, hit, callable } = tables;
        let program = Arc::clone(pipeline.program());
        let trace = TraceRays { program, context, raygen, miss, hit, callable };
        match mapped::trace_rays(&self.device.engine, &trace) {
            Ok(()) => Outcome::Done,
            Err(pyro_engine::DispatchError::Aborted) => {
                self.device.lose();
                Outcome::Stopped
            }
        }
    }
}
