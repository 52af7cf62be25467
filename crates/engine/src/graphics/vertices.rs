//! Runs vertex functions for the distinct vertices of a chunk.

use super::corners::{self, Corner, DepthClip, Projection};
use super::draw::Draw;
use super::prepare::Prepared;
use super::wide::vectorize;
use super::words::Words;
use pyro_abi::{DrawContext, Exit, VertexSubgroup};

/// One vertex to shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VertexId {
    /// `VertexIndex`.
    pub(crate) index: u32,
    /// `InstanceIndex`.
    pub(crate) instance: u32,
}

/// Finds the vertices that a chunk uses more than once.
#[derive(Default)]
pub(crate) struct Reuse {
    /// Open addressing: a vertex's number plus one, or 0.
    table: Vec<u32>,
    /// The distinct vertices, in the order of their first use.
    pub(crate) vertices: Vec<VertexId>,
}

impl Reuse {
    /// Forgets all; makes room for `uses` uses.
    pub(crate) fn start(&mut self, uses: usize) {
        self.vertices.clear();
        self.table.clear();
        self.table.resize((2 * uses).next_power_of_two().max(16), 0);
    }

    /// The number of a vertex among the distinct ones.
    pub(crate) fn number(&mut self, vertex: VertexId) -> u32 {
        let mask = self.table.len() - 1;
        let hash = (u64::from(vertex.index) | u64::from(vertex.instance) << 32)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 32;
        let mut at = hash as usize & mask;
        loop {
            match self.table[at] {
                0 => {
                    self.vertices.push(vertex);
                    self.table[at] = self.vertices.len() as u32;
                    return self.vertices.len() as u32 - 1;
                }
                number if self.vertices[number as usize - 1] == vertex => return number - 1,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// A thread's memory for vertex functions.
#[derive(Default)]
pub(crate) struct VertexShading {
    record: Box<VertexSubgroup>,
    scratch: Words,
    outputs: Words,
    rows: usize,
    lanes_log2: u32,
    corners: Vec<Corner>,
}

impl VertexShading {
    /// Shades vertices; false when a function did not end as it should.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        draw: &Draw,
        command: &super::draw::DrawCommand,
        view_index: u32,
        vertices: &[VertexId],
    ) -> bool {
        let kernel = &*draw.vertex.kernel;
        let info = kernel.info();
        self.lanes_log2 = info.subgroup_size.clamp(4, 64).ilog2();
        let lanes = 1 << self.lanes_log2;
        self.rows = draw.vertex.layout.rows.max(4) as usize;
        let subgroup_words = self.rows * lanes;
        let outputs = self.outputs.reserve(vertices.len().div_ceil(lanes) * subgroup_words);
        let scratch =
            self.scratch.reserve((info.scratch_bytes as usize + info.frame_bytes as usize) / 4 + 32);
        let record = &mut *self.record;
        record.subgroup.scratch = scratch;
        record.subgroup.frame = scratch + u64::from(info.scratch_bytes.next_multiple_of(64));
        // Both records' functions are called with the address of their first field.
        (&raw mut *record).expose_provenance();
        (&raw const *draw.context).cast::<DrawContext>().expose_provenance();
        record.base_vertex =
            if draw.indices.is_some() { command.vertex_offset as u32 } else { command.first };
        record.base_instance = command.first_instance;
        record.draw_index = command.draw_index;
        record.view_index = view_index;
        for (number, part) in vertices.chunks(lanes).enumerate() {
            for (lane, vertex) in part.iter().enumerate() {
                record.vertex_index[lane] = vertex.index;
                record.instance_index[lane] = vertex.instance;
            }
            record.outputs = outputs + 4 * (number * subgroup_words) as u64;
            record.subgroup.active_lanes = u64::MAX >> (64 - part.len());
            record.subgroup.resume_point = 0;
            // SAFETY: the caller vouches for the draw; the outputs and the scratch memory are large enough.
            if unsafe { kernel.run(&draw.context.dispatch, &mut record.subgroup) } != Exit::Done {
                return false;
            }
        }
        true
    }

    /// Projects the vertices of the last run, for [`VertexShading::corners`]. All go to the first viewport.
    pub(crate) fn project(&mut self, prepared: &Prepared, count: usize) {
        let draw = &prepared.draw;
        let Some(transform) = prepared.transforms.first() else { return };
        let clip = DepthClip {
            enabled: draw.raster.depth_clip,
            negative_one_to_one: draw.raster.negative_one_to_one,
        };
        let lanes = 1usize << self.lanes_log2;
        let (rows, lanes_log2, outputs) = (self.rows, self.lanes_log2, &self.outputs);
        self.corners.clear();
        self.corners.resize(count.next_multiple_of(corners::LANES), Corner::default());
        let load = |number: usize, position: &mut [[f32; corners::LANES]; 4]| {
            for (row, values) in position.iter_mut().enumerate() {
                for part in (0..corners::LANES).step_by(lanes) {
                    let vertex = number + part;
                    if vertex < count {
                        let first = ((vertex >> lanes_log2) * rows + row) << lanes_log2;
                        let end = corners::LANES.min(part + lanes);
                        outputs.copy_out(first + (vertex & (lanes - 1)), &mut values[part..end]);
                    }
                }
            }
        };
        let (corners, _) = self.corners.as_chunks_mut();
        vectorize(Projection { transform, clip, corners, load });
        let (first, rows) = draw.vertex.layout.clip_distance;
        for row in first..first + rows {
            let mut corners = std::mem::take(&mut self.corners);
            let distances = (0..count).map(|vertex| self.float(vertex as u32, row));
            corners::clip_by_distance(&mut corners[..count], distances);
            self.corners = corners;
        }
    }

    /// The projected vertices, of a run that [`VertexShading::project`] followed.
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// Where a vertex's outputs begin, and how far it is from row to row.
    #[inline]
    pub(crate) fn first_word(&self, vertex: u32) -> usize {
        self.word(vertex, 0)
    }

    /// A row of a vertex whose outputs begin at `first`.
    #[inline]
    pub(crate) fn row_bits(&self, first: usize, row: u32) -> u32 {
        self.outputs.get(first + ((row as usize) << self.lanes_log2))
    }

    #[inline]
    fn word(&self, vertex: u32, row: u32) -> usize {
        let (vertex, shift) = (vertex as usize, self.lanes_log2);
        (((vertex >> shift) * self.rows + row as usize) << shift) + (vertex & ((1 << shift) - 1))
    }

    /// The bits of an output of a vertex of the last run.
    #[inline]
    pub(crate) fn bits(&self, vertex: u32, row: u32) -> u32 {
        self.outputs.get(self.word(vertex, row))
    }

    /// An output as a float.
    #[inline]
    pub(crate) fn float(&self, vertex: u32, row: u32) -> f32 {
        self.outputs.float(self.word(vertex, row))
    }

    /// The position.
    #[inline]
    pub(crate) fn position(&self, vertex: u32) -> [f32; 4] {
        let (first, lanes) = (self.word(vertex, 0), 1 << self.lanes_log2);
        let float = |row: usize| self.outputs.float(first + row * lanes);
        [float(0), float(1), float(2), float(3)]
    }
}
