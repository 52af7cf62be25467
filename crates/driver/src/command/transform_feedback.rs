//! Transform feedback while a command buffer runs (`VK_EXT_transform_feedback`).

use super::render::Rendering;
use crate::device::DeviceCore;
use crate::objects::memory::mapped::{self, Range};
use crate::pipeline::graphics::Draw;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, VERTEX_STREAM_COUNT};
use pyro_engine::graphics::{CaptureBuffer, CaptureCounts};
use smallvec::SmallVec;

/// `vkCmdBindTransformFeedbackBuffersEXT`.
pub struct BindFeedbackBuffers {
    /// The first binding.
    pub first: usize,
    /// The buffers.
    pub buffers: SmallVec<[Range; CAPTURE_BUFFER_COUNT]>,
}

/// The counters of buffers, in order: where the next vertex goes, in bytes; none: at the start.
pub type FeedbackCounters = [Option<Range>; CAPTURE_BUFFER_COUNT];

/// `vkCmdDrawIndirectByteCountEXT`.
pub struct DrawByteCount {
    /// `instanceCount`.
    pub instance_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// Four bytes with the number of bytes.
    pub counter: Range,
    /// What is taken from that number.
    pub counter_offset: u32,
    /// Bytes of a vertex.
    pub stride: u32,
}

/// What transform feedback commands set.
#[derive(Default)]
pub(super) struct TransformFeedback {
    buffers: [Option<Range>; CAPTURE_BUFFER_COUNT],
    /// Where the buffers are, while it is active.
    active: Option<[CaptureBuffer; CAPTURE_BUFFER_COUNT]>,
    /// What was captured so far, of each vertex stream.
    pub(super) counts: [CaptureCounts; VERTEX_STREAM_COUNT],
}

fn word(range: &Range) -> u32 {
    let mut bytes = [0; 4];
    range.read(0, &mut bytes);
    u32::from_ne_bytes(bytes)
}

impl TransformFeedback {
    /// Binds buffers.
    pub(super) fn bind(&mut self, bind: &BindFeedbackBuffers) {
        for (buffer, range) in self.buffers.iter_mut().skip(bind.first).zip(&bind.buffers) {
            *buffer = Some(range.clone());
        }
    }

    /// Starts, or goes on where the counters say.
    pub(super) fn begin(&mut self, counters: &FeedbackCounters) {
        let mut active = [CaptureBuffer::default(); CAPTURE_BUFFER_COUNT];
        for ((to, buffer), counter) in active.iter_mut().zip(&self.buffers).zip(counters) {
            if let Some(buffer) = buffer {
                let offset = counter.as_ref().map_or(0, word).into();
                *to = CaptureBuffer { address: buffer.address(), size: buffer.size(), offset };
            }
        }
        self.active = Some(active);
    }

    /// Stops, and says in the counters how far it came.
    pub(super) fn end(&mut self, counters: &FeedbackCounters) {
        let Some(active) = self.active.take() else { return };
        for (buffer, counter) in active.iter().zip(counters) {
            if let Some(counter) = counter {
                counter.write(0, &(buffer.offset as u32).to_ne_bytes());
            }
        }
    }
}

impl Rendering {
    /// Captures the last command of the last draw that waits, if transform feedback is active.
    pub(super) fn capture(&mut self, device: &DeviceCore) {
        let (Some(buffers), Some(pipeline)) = (&mut self.transform_feedback.active, &self.pipeline) else {
            return;
        };
        let captures = pipeline.captures_of_vertices();
        let Some(draw) = self.pending.draws.last() else { return };
        let Some(command) = draw.commands.last() else { return };
        if captures.strides == [0; CAPTURE_BUFFER_COUNT] {
            return;
        }
        match mapped::capture(&device.engine, draw, command, captures, buffers) {
            Ok(counts) => {
                self.transform_feedback
                    .counts
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(all, counts)| all.add(counts));
            }
            Err(pyro_engine::DispatchError::Aborted) => device.lose(),
        }
    }

    /// Draws as many vertices as were captured.
    pub(super) fn draw_byte_count(&mut self, device: &DeviceCore, draw: &DrawByteCount) {
        let bytes = word(&draw.counter).saturating_sub(draw.counter_offset);
        let vertex_count = bytes.checked_div(draw.stride).unwrap_or(0);
        let (instance_count, first_instance) = (draw.instance_count, draw.first_instance);
        self.draw(device, &Draw { vertex_count, instance_count, first_vertex: 0, first_instance, index: 0 });
    }
}
