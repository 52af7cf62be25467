//! Transform feedback: the vertices of primitives go to buffers, primitive after primitive (specification,
//! "Transform Feedback").
//!
//! Buffers are filled in order, so this runs on one thread, beside the drawing of the same primitives. A
//! primitive that does not fit into all buffers goes to none.

use crate::aborted::Aborted;
use crate::graphics::assembly::stream::{Ids, Stream};
use crate::graphics::assembly::vertices::{Reuse, Shaded, VertexShading};
use crate::graphics::geometry::geometry_shader::{GeometryShading, Input};
use crate::graphics::geometry::tessellation::{Evaluation, PatchRange, PatchShading, VertexMemory};
use crate::graphics::state::context::ContextMemory;
use crate::graphics::state::{Draw, DrawCommand, GeometryProgram, Topology};
use crate::{DispatchError, Engine};
use half::f16;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, CaptureKind, Captures, VERTEX_STREAM_COUNT};
use pyro_abi::{DrawContext, Memory};
use std::sync::atomic::Ordering;

/// A buffer that vertices are captured to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureBuffer {
    /// Its first byte; 0 when there is no buffer.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
    /// Where the next vertex goes.
    pub offset: u64,
}

/// What a capture did, for queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureCounts {
    /// Primitives that came.
    pub needed: u64,
    /// Primitives that were written.
    pub written: u64,
}

impl CaptureCounts {
    /// Adds another's.
    pub fn add(&mut self, other: CaptureCounts) {
        self.needed += other.needed;
        self.written += other.written;
    }
}

/// Primitives whose vertices are shaded together.
const TOGETHER: u32 = 1024;

impl Engine {
    /// Captures the primitives of one of a draw's commands, and moves the buffers' offsets on. Gives what it
    /// did for each vertex stream.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// That of [`Engine::draw`], and the buffers' bytes are valid for writes.
    #[allow(unsafe_code)]
    pub unsafe fn capture(
        &self,
        draw: &Draw,
        command: &DrawCommand,
        captures: &Captures,
        buffers: &mut [CaptureBuffer; CAPTURE_BUFFER_COUNT],
    ) -> Result<[CaptureCounts; VERTEX_STREAM_COUNT], DispatchError> {
        let _deadline = self.watchdog.as_ref().map(crate::watchdog::Watchdog::watch);
        let mut context = ContextMemory::default();
        let mut context = context.of(draw, self.abort.as_ptr() as u64, None).clone();
        // The invocations that draw the same primitives count; these do what has been counted once more.
        context.dispatch.instrumentation = 0;
        let context = &context;
        // SAFETY: the index buffer is read, and what the buffers hold is written.
        let memory = unsafe { Memory::new() };
        let indices = draw.indices.as_ref().filter(|_| draw.primitive_restart);
        let stream = Stream::new(draw.topology, command, indices.map(|indices| (indices, memory)));
        if let (Topology::PatchList(_), Some(_)) = (draw.topology, &draw.stages.tessellation) {
            // SAFETY: the caller's contract.
            let counts = unsafe { capture_patches(draw, command, &stream, context, captures, buffers) };
            return counts.and_then(|counts| self.unless_stopped().map(|()| counts)).map_err(|aborted| {
                self.abort.store(1, Ordering::Relaxed);
                aborted.into()
            });
        }
        let (mut counts, mut work) = ([CaptureCounts::default(); VERTEX_STREAM_COUNT], Work::default());
        let geometry = draw.stages.geometry.as_ref();
        let together = draw.stages.chunk_primitives().unwrap_or(TOGETHER);
        if geometry.is_none() {
            counts[0].needed = u64::from(stream.primitive_count) * u64::from(command.instance_count);
        }
        for instance in 0..command.instance_count {
            let instance = command.first_instance.wrapping_add(instance);
            for first in (0..stream.primitive_count).step_by(together as usize) {
                let end = stream.primitive_count.min(first.saturating_add(together));
                let corner_count = work.collect(draw, command, &stream, first..end, memory);
                work.reuse.number(&mut work.indices);
                work.reuse.list(instance, 1);
                // SAFETY: the caller vouches for the addresses reachable from the draw.
                let mut result = unsafe {
                    work.shading.run(&mut work.shaded, draw, context, command, 0, &work.reuse.vertices)
                };
                if let Some(geometry) = geometry.filter(|_| result.is_ok()) {
                    let input = Input {
                        vertices: &work.shaded,
                        corners: &work.indices,
                        vertex_count: corner_count,
                        ids: Ids::Numbers { first, count: end - first },
                    };
                    // SAFETY: as above; the input's corners are numbers of its vertices.
                    result = unsafe { work.made.run(draw, geometry, context, 0, &input, true) };
                }
                if let Err(aborted) = result.and_then(|()| self.unless_stopped()) {
                    self.abort.store(1, Ordering::Relaxed);
                    return Err(aborted.into());
                }
                if let Some(geometry) = geometry {
                    work.made.capture(geometry, captures, buffers, memory, &mut counts);
                    continue;
                }
                for corners in work.indices.chunks_exact(corner_count) {
                    if !write(&work.shaded, corners, 0, captures, buffers, memory) {
                        // Those behind it are as large.
                        return Ok(counts);
                    }
                    counts[0].written += 1;
                }
            }
        }
        Ok(counts)
    }
}

/// Patches of which the control function runs together.
const PATCHES_TOGETHER: usize = 64;

/// The same for the primitives that are made of patches.
///
/// # Safety
/// That of [`Engine::capture`].
#[allow(unsafe_code)]
unsafe fn capture_patches(
    draw: &Draw,
    command: &DrawCommand,
    stream: &Stream,
    context: &DrawContext,
    captures: &Captures,
    buffers: &mut [CaptureBuffer; CAPTURE_BUFFER_COUNT],
) -> Result<[CaptureCounts; VERTEX_STREAM_COUNT], Aborted> {
    // SAFETY: what the buffers hold is written.
    let memory = unsafe { Memory::new() };
    let program = draw.stages.tessellation.as_ref().ok_or(Aborted)?;
    let vertex_count = program.kind().corner_count();
    let (mut counts, mut work) = ([CaptureCounts::default(); VERTEX_STREAM_COUNT], Work::default());
    let (mut patches, mut evaluation) = (PatchShading::default(), Evaluation::default());
    for instance in 0..command.instance_count {
        for first in (0..stream.primitive_count).step_by(PATCHES_TOGETHER) {
            let end = stream.primitive_count.min(first.saturating_add(PATCHES_TOGETHER as u32));
            let (instances, numbers) = (instance..instance + 1, first..end);
            let range = PatchRange { draw, command, stream, view_index: 0, instances, numbers };
            let Work { indices, reuse, shading, shaded, made } = &mut work;
            let vertices = VertexMemory { reuse, indices, shading, shaded };
            // SAFETY: the caller's contract.
            let block = unsafe { patches.run(&range, context, vertices) }?;
            for patch in 0..block.count() {
                // SAFETY: the caller vouches for the addresses reachable from the draw.
                unsafe { evaluation.run(shaded, draw, context, 0, &block, patch..patch + 1)? };
                let (corners, ids) = (&evaluation.corners[..], Ids::Each(&evaluation.ids));
                let Some(geometry) = &draw.stages.geometry else {
                    counts[0].needed += evaluation.ids.len() as u64;
                    for corners in corners.chunks_exact(vertex_count) {
                        let fits = write(shaded, corners, 0, captures, buffers, memory);
                        counts[0].written += u64::from(fits);
                    }
                    continue;
                };
                let input = Input { vertices: shaded, corners, vertex_count, ids };
                // SAFETY: as above; the input's corners are numbers of its vertices.
                unsafe { made.run(draw, geometry, context, 0, &input, true)? };
                made.capture(geometry, captures, buffers, memory, &mut counts);
            }
        }
    }
    Ok(counts)
}

impl GeometryShading {
    /// Captures what a geometry function has made.
    fn capture(
        &self,
        geometry: &GeometryProgram,
        captures: &Captures,
        buffers: &mut [CaptureBuffer; CAPTURE_BUFFER_COUNT],
        memory: Memory,
        counts: &mut [CaptureCounts; VERTEX_STREAM_COUNT],
    ) {
        for (count, generated) in counts.iter_mut().zip(self.generated) {
            count.needed += generated;
        }
        let corner_count = geometry.kind().corner_count();
        for (stream, corners) in &self.captured {
            if write(&self.vertices, &corners[..corner_count], *stream, captures, buffers, memory) {
                counts[*stream as usize].written += 1;
            }
        }
    }
}

#[derive(Default)]
struct Work {
    /// The index of each corner, then the number of its vertex.
    indices: Vec<u32>,
    reuse: Reuse,
    shading: VertexShading,
    shaded: Shaded,
    made: GeometryShading,
}

impl Work {
    /// The corners of some primitives in the order in which they are captured: the provoking vertex is the
    /// first, or the last where that is the convention; of those that a geometry shader takes, in its order.
    /// Gives how many a primitive has.
    fn collect(
        &mut self,
        draw: &Draw,
        command: &DrawCommand,
        stream: &Stream,
        numbers: std::ops::Range<u32>,
        memory: Memory,
    ) -> usize {
        self.indices.clear();
        if draw.stages.geometry.is_some() {
            let count = draw.topology.vertex_count();
            for number in numbers {
                for &at in &stream.vertices(draw.topology, number)[..count] {
                    draw.corner_indices(command, memory, at..at + 1, &mut self.indices);
                }
            }
            return count;
        }
        let corner_count = draw.topology.kind().corner_count();
        let provoking_last = draw.raster.provoking_last;
        for number in numbers {
            let mut corners = stream.corners(draw.topology, number, provoking_last);
            let wanted = if provoking_last { corner_count - 1 } else { 0 };
            if corner_count == 3 {
                corners.stream.rotate_right((3 + wanted - usize::from(corners.provoking)) % 3);
            }
            for &at in &corners.stream[..corner_count] {
                draw.corner_indices(command, memory, at..at + 1, &mut self.indices);
            }
        }
        corner_count
    }
}

/// Writes the vertices of a stream's primitive; false when they do not fit.
fn write(
    shading: &Shaded,
    corners: &[u32],
    stream: u32,
    captures: &Captures,
    buffers: &mut [CaptureBuffer; CAPTURE_BUFFER_COUNT],
    memory: Memory,
) -> bool {
    let of_stream = |index: usize| captures.streams[index] == stream;
    let fits = buffers.iter().zip(captures.strides).enumerate().all(|(index, (buffer, stride))| {
        let bytes = if of_stream(index) { u64::from(stride) * corners.len() as u64 } else { 0 };
        let left = if buffer.address == 0 { 0 } else { buffer.size.saturating_sub(buffer.offset) };
        bytes == 0 || bytes <= left
    });
    if !fits {
        return false;
    }
    for &vertex in corners {
        for captured in captures.columns.iter().filter(|captured| of_stream(captured.buffer as usize)) {
            let buffer = &buffers[captured.buffer as usize];
            let bits = shading.bits(vertex, captured.column);
            let address = buffer.address + buffer.offset + u64::from(captured.offset);
            match captured.kind {
                CaptureKind::Word => memory.store(address, bits),
                CaptureKind::Short => memory.store(address, bits as u16),
                CaptureKind::Half => {
                    memory.store(address, f16::from_f32(f32::from_bits(bits)).to_bits());
                }
            }
        }
        for (index, (buffer, stride)) in buffers.iter_mut().zip(captures.strides).enumerate() {
            buffer.offset += if of_stream(index) { u64::from(stride) } else { 0 };
        }
    }
    true
}
