//! Runs geometry functions: the vertices that they emit, and the primitives that these make.

use crate::aborted::Aborted;
use crate::graphics::assembly::stream::Ids;
use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::state::{Draw, GeometryProgram, PrimitiveKind};
use pyro_abi::DrawContext;
use pyro_abi::graphics::{GeometrySubgroup, INPUT_VERTICES_MAX, VERTEX_STREAM_COUNT};

/// A stage's input primitives.
pub(crate) struct Input<'a> {
    /// The vertices of the stage before.
    pub(crate) vertices: &'a Shaded,
    /// The numbers of the primitives' vertices among those; as many for each as [`Input::vertex_count`] says.
    pub(crate) corners: &'a [u32],
    /// Vertices of a primitive.
    pub(crate) vertex_count: usize,
    pub(crate) ids: Ids<'a>,
}

/// A thread's memory for geometry functions, and what they have made.
#[derive(Default)]
pub(crate) struct GeometryShading {
    record: Box<GeometrySubgroup>,
    scratch: AlignedWords,
    /// The strips' words of a subgroup's vertices.
    strips: AlignedWords,
    /// The emitted vertices, those of one subgroup behind those of another. Places of invocations that emit
    /// fewer than others of their subgroup hold anything.
    pub(crate) vertices: Shaded,
    /// How many places of vertices there are.
    pub(crate) vertex_count: usize,
    /// The vertices of the primitives of the stream that is rasterized, the provoking one first, or last
    /// where that is the convention.
    pub(crate) corners: Vec<u32>,
    /// Their `PrimitiveId`s.
    pub(crate) ids: Vec<u32>,
    /// Numbers of those that begin a strip.
    pub(crate) strip_starts: Vec<u32>,
    /// The same as [`GeometryShading::corners`] for all streams, in order, each primitive with its stream;
    /// where it is asked for.
    pub(crate) captured: Vec<(u32, [u32; 3])>,
    /// Primitives of each stream.
    pub(crate) generated: [u64; VERTEX_STREAM_COUNT],
}

impl GeometryShading {
    /// Runs the invocations for some primitives. `capturing`: primitives of all streams are listed.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        draw: &Draw,
        program: &GeometryProgram,
        context: &DrawContext,
        view_index: u32,
        input: &Input<'_>,
        capturing: bool,
    ) -> Result<(), Aborted> {
        let (kernel, geometry) = (&*program.kernel, &program.info);
        let info = kernel.info();
        let lanes = info.subgroup_size.clamp(4, 64) as usize;
        let most = geometry.max_vertices as usize;
        self.vertex_count = 0;
        self.corners.clear();
        self.ids.clear();
        self.strip_starts.clear();
        self.captured.clear();
        self.generated = [0; VERTEX_STREAM_COUNT];
        self.vertices.start(draw.stages.outputs.columns, lanes as u32);
        let strips = self.strips.reserve((most * lanes).max(1));
        let scratch =
            self.scratch.reserve((info.scratch_bytes as usize + info.frame_bytes as usize) / 4 + 32);
        let record = &mut *self.record;
        record.subgroup.scratch = scratch;
        record.subgroup.core = crate::pool::core();
        record.subgroup.frame = scratch + u64::from(info.scratch_bytes.next_multiple_of(64));
        (&raw mut *record).expose_provenance();
        (&raw const *context).expose_provenance();
        record.strips = strips;
        record.view_index = view_index;
        record.inputs = input.vertices.address();
        let vertex_count = input.vertex_count.clamp(1, INPUT_VERTICES_MAX);
        let primitive_count = input.corners.len() / vertex_count;
        let invocations = geometry.invocations.max(1) as usize;
        let total = primitive_count * invocations;
        for first in (0..total).step_by(lanes) {
            let count = lanes.min(total - first);
            for lane in 0..count {
                let (primitive, invocation) = ((first + lane) / invocations, (first + lane) % invocations);
                record.primitive_id[lane] = input.ids.id(primitive as u32);
                record.invocation_id[lane] = invocation as u32;
                let corners = &input.corners[primitive * vertex_count..][..vertex_count];
                for (at, offsets) in record.vertices.iter_mut().enumerate() {
                    // A function that expects more than the topology has reads one of those.
                    let corner = corners[at.min(vertex_count - 1)];
                    offsets[lane] = 4 * input.vertices.first_word(corner) as u32;
                }
            }
            record.outputs = self.vertices.reserve(self.vertex_count + most * lanes, self.vertex_count);
            record.subgroup.active_lanes = u64::MAX >> (64 - count);
            record.subgroup.resume_point = 0;
            // SAFETY: the caller vouches for the draw; outputs, strips' words and scratch memory are large
            // enough.
            Aborted::unless_done(unsafe { kernel.run(&context.dispatch, &mut record.subgroup) })?;
            let emitted = &record.emitted[..count];
            let mut assembly = Assembly {
                program,
                draw,
                vertices: &self.vertices,
                strips: &self.strips,
                lanes,
                first_vertex: self.vertex_count as u32,
                corners: &mut self.corners,
                ids: &mut self.ids,
                strip_starts: &mut self.strip_starts,
                captured: capturing.then_some(&mut self.captured),
                generated: &mut self.generated,
            };
            for (lane, &emitted) in emitted.iter().enumerate() {
                assembly.invocation(lane, (emitted as usize).min(most), record.primitive_id[lane]);
            }
            let blocks = emitted.iter().copied().max().unwrap_or(0) as usize;
            self.vertex_count += blocks.min(most) * lanes;
        }
        Ok(())
    }
}

/// Makes primitives of a subgroup's vertices.
struct Assembly<'a> {
    program: &'a GeometryProgram,
    draw: &'a Draw,
    vertices: &'a Shaded,
    strips: &'a AlignedWords,
    lanes: usize,
    /// The number of the first lane's first vertex.
    first_vertex: u32,
    corners: &'a mut Vec<u32>,
    ids: &'a mut Vec<u32>,
    strip_starts: &'a mut Vec<u32>,
    captured: Option<&'a mut Vec<(u32, [u32; 3])>>,
    generated: &'a mut [u64; VERTEX_STREAM_COUNT],
}

impl Assembly<'_> {
    /// The primitives of an invocation that has emitted so many vertices.
    fn invocation(&mut self, lane: usize, emitted: usize, id: u32) {
        let kind = self.program.kind();
        let corner_count = kind.corner_count();
        let provoking_last = self.draw.raster.provoking_last;
        // The last two vertices of each stream.
        let mut last = [[0; 2]; VERTEX_STREAM_COUNT];
        for number in 0..emitted {
            let vertex = self.first_vertex + (number * self.lanes + lane) as u32;
            let word = self.strips.get(number * self.lanes + lane);
            let (place, stream) = ((word & 0xffff) as usize, (word >> 16) as usize % VERTEX_STREAM_COUNT);
            let [second, first] = last[stream];
            last[stream] = [vertex, second];
            if place + 1 < corner_count {
                continue;
            }
            self.generated[stream] += 1;
            let primitive = match kind {
                PrimitiveKind::Point => [vertex, 0, 0],
                PrimitiveKind::Line => [second, vertex, 0],
                // Odd triangles of a strip are turned round.
                PrimitiveKind::Triangle => match (place % 2 == 1, provoking_last) {
                    (false, _) => [first, second, vertex],
                    (true, false) => [first, vertex, second],
                    (true, true) => [second, first, vertex],
                },
            };
            if let Some(captured) = &mut self.captured {
                captured.push((stream as u32, primitive));
            }
            if stream as u32 != self.draw.stages.raster_stream {
                continue;
            }
            if place + 1 == corner_count {
                self.strip_starts.push((self.corners.len() / corner_count) as u32);
            }
            self.corners.extend_from_slice(&primitive[..corner_count]);
            let provoking = if provoking_last { vertex } else { primitive[0] };
            let column = self.draw.stages.outputs.primitive_id;
            self.ids.push(column.map_or(id, |column| self.vertices.bits(provoking, column)));
        }
    }
}
