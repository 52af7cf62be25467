//! Transform feedback while a command buffer runs (`VK_EXT_transform_feedback`).

use super::rendering::Rendering;
use crate::execution::unsafe_engine::{self, CommandListAlive};
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::mapped::Range;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, VERTEX_STREAM_COUNT};
use pyro_engine::graphics::{CaptureBuffer, CaptureCounts};

/// What transform feedback commands set.
#[derive(Default)]
pub(in crate::command) struct TransformFeedback {
    buffers: [Option<Range>; CAPTURE_BUFFER_COUNT],
    /// Where the buffers are, while it is active.
    active: Option<[CaptureBuffer; CAPTURE_BUFFER_COUNT]>,
    /// What was captured so far, of each vertex stream.
    pub(in crate::command) counts: [CaptureCounts; VERTEX_STREAM_COUNT],
}

impl TransformFeedback {
    /// Whether draws are captured.
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Binds buffers.
    pub(in crate::command) fn bind(&mut self, first: usize, buffers: &[Range]) {
        for (buffer, range) in self.buffers.iter_mut().skip(first).zip(buffers) {
            *buffer = Some(range.clone());
        }
    }

    /// Starts, or goes on where the counters say.
    pub(in crate::command) fn begin(&mut self, counters: &[Option<Range>; CAPTURE_BUFFER_COUNT]) {
        let mut active = [CaptureBuffer::default(); CAPTURE_BUFFER_COUNT];
        for ((to, buffer), counter) in active.iter_mut().zip(&self.buffers).zip(counters) {
            if let Some(buffer) = buffer {
                let offset = counter.as_ref().map_or(0, |counter| counter.word_at(0)).into();
                *to = CaptureBuffer { address: buffer.address(), size: buffer.size(), offset };
            }
        }
        self.active = Some(active);
    }

    /// Stops, and says in the counters how far it came.
    pub(in crate::command) fn end(&mut self, counters: &[Option<Range>; CAPTURE_BUFFER_COUNT]) {
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
    pub(in crate::command) fn capture(&mut self, device: &DeviceCore, alive: CommandListAlive<'_>) {
        let (Some(buffers), Some(pipeline)) = (&mut self.transform_feedback.active, &self.pipeline) else {
            return;
        };
        let captures = pipeline.captures_of_vertices();
        let Some(draw) = self.batch.draws.last() else { return };
        let Some(command) = draw.commands.last() else { return };
        if captures.strides == [0; CAPTURE_BUFFER_COUNT] {
            return;
        }
        match unsafe_engine::capture(alive, device.engine_of(self.devices), draw, command, captures, buffers)
        {
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
}
