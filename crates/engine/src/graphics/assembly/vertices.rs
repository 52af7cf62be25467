//! Runs vertex functions for the distinct vertices of a chunk.

use crate::aborted::Aborted;
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::state::{Draw, DrawCommand, VertexProgram};
use pyro_abi::{DrawContext, VertexSubgroup};

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
    /// Where indices lie close together, by their distance from the least; else open addressing: a vertex's
    /// number plus one, or 0.
    table: Vec<u32>,
    /// The distinct indices: in order where they lie close together, else in the order of their first use.
    distinct: Vec<u32>,
    /// The distinct vertices: those of the first instance, then those of the next.
    pub(crate) vertices: Vec<VertexId>,
}

impl Reuse {
    /// Replaces indices by the numbers of their vertices among the distinct ones.
    pub(crate) fn number(&mut self, indices: &mut [u32]) {
        self.distinct.clear();
        self.table.clear();
        let least = indices.iter().copied().min().unwrap_or(0);
        let most = indices.iter().copied().max().unwrap_or(0);
        if ((most - least) as usize) < 4 * indices.len() {
            self.number_close(indices, least, most);
        } else {
            self.number_any(indices);
        }
    }

    fn number_close(&mut self, indices: &mut [u32], least: u32, most: u32) {
        self.table.resize((most - least) as usize + 1, 0);
        let table = &mut self.table[..];
        for index in &*indices {
            table[(*index - least) as usize] = 1;
        }
        let count = table.iter().sum::<u32>();
        if count as usize == table.len() {
            self.distinct.extend(least..=most);
            indices.iter_mut().for_each(|index| *index -= least);
            return;
        }
        let mut number = 0;
        for (index, place) in (least..=most).zip(table.iter_mut()) {
            if std::mem::replace(place, number) != 0 {
                self.distinct.push(index);
                number += 1;
            }
        }
        for index in indices {
            *index = table[(*index - least) as usize];
        }
    }

    fn number_any(&mut self, indices: &mut [u32]) {
        self.table.resize((2 * indices.len()).next_power_of_two().max(16), 0);
        let mask = self.table.len() - 1;
        for index in indices {
            let hash = u64::from(*index).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let mut at = hash as usize & mask;
            *index = loop {
                match self.table[at] {
                    0 => {
                        self.distinct.push(*index);
                        self.table[at] = self.distinct.len() as u32;
                        break self.distinct.len() as u32 - 1;
                    }
                    number if self.distinct[number as usize - 1] == *index => break number - 1,
                    _ => at = (at + 1) & mask,
                }
            };
        }
    }

    /// Lists the vertices of the last numbered indices for so many instances from one on; gives how many each
    /// has.
    pub(crate) fn list(&mut self, first_instance: u32, instance_count: u32) -> u32 {
        self.vertices.clear();
        for instance in 0..instance_count {
            let instance = first_instance.wrapping_add(instance);
            self.vertices.extend(self.distinct.iter().map(|&index| VertexId { index, instance }));
        }
        self.distinct.len() as u32
    }
}

/// A thread's memory for vertex functions.
#[derive(Default)]
pub(crate) struct VertexShading {
    record: Box<VertexSubgroup>,
    scratch: AlignedWords,
}

/// Shaded vertices: those of a chunk.
#[derive(Default)]
pub(crate) struct Shaded {
    outputs: AlignedWords,
    /// Columns of each vertex.
    pub(crate) columns: usize,
    lanes_log2: u32,
}

impl VertexShading {
    /// Shades vertices.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        shaded: &mut Shaded,
        draw: &Draw,
        context: &DrawContext,
        command: &DrawCommand,
        view_index: u32,
        vertices: &[VertexId],
    ) -> Result<(), Aborted> {
        let Some(VertexProgram { kernel, layout }) = &draw.stages.vertex else { return Err(Aborted) };
        let kernel = &**kernel;
        let info = kernel.info();
        shaded.start(layout.columns, info.subgroup_size);
        let lanes = 1 << shaded.lanes_log2;
        let subgroup_words = shaded.columns * lanes;
        let outputs = shaded.reserve(vertices.len(), 0);
        let scratch =
            self.scratch.reserve((info.scratch_bytes as usize + info.frame_bytes as usize) / 4 + 32);
        let record = &mut *self.record;
        record.subgroup.scratch = scratch;
        record.subgroup.core = crate::pool::core();
        record.subgroup.frame = scratch + u64::from(info.scratch_bytes.next_multiple_of(64));
        // Both records' functions are called with the address of their first field.
        (&raw mut *record).expose_provenance();
        (&raw const *context).expose_provenance();
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
            Aborted::unless_done(unsafe { kernel.run(&context.dispatch, &mut record.subgroup) })?;
        }
        Ok(())
    }
}

impl Shaded {
    /// Begins with vertices of so many columns, in blocks of `lanes` vertices (4 to 64, a power of two).
    pub(crate) fn start(&mut self, columns: u32, lanes: u32) {
        self.lanes_log2 = lanes.clamp(4, 64).ilog2();
        self.columns = columns.max(4) as usize;
    }

    /// Makes room for so many blocks of vertices of so many columns; gives the address of the first, behind
    /// which the others follow. `lanes`: vertices of a block, a power of two.
    pub(crate) fn start_blocks(&mut self, columns: u32, lanes: usize, count: usize) -> u64 {
        self.lanes_log2 = lanes.ilog2();
        self.columns = columns as usize;
        self.outputs.reserve(count * self.columns * lanes)
    }

    /// Makes room for the vertices of a subgroup and those before it; the address of the subgroup's columns.
    pub(crate) fn subgroup(&mut self, number: usize) -> u64 {
        let words = self.columns << self.lanes_log2;
        // Far more than is asked for, as what is there moves.
        if self.outputs.rows().len() * LANES < (number + 1) * words {
            self.outputs.reserve(2 * (number + 1) * words);
        }
        self.outputs.address() + 4 * (number * words) as u64
    }

    /// Makes room for so many vertices; gives the address of the block of vertex `first`, the first of its
    /// block. Vertices that were there stay.
    pub(crate) fn reserve(&mut self, count: usize, first: usize) -> u64 {
        let lanes = 1 << self.lanes_log2;
        self.outputs.reserve(count.div_ceil(lanes) * lanes * self.columns) + 4 * (first * self.columns) as u64
    }

    /// The address that the words of vertices count from ([`Shaded::first_word`]).
    pub(crate) fn address(&self) -> u64 {
        self.outputs.address()
    }

    /// Swizzles the positions of so many vertices (`VK_NV_viewport_swizzle`), each by its viewport.
    pub(crate) fn swizzle(&mut self, draw: &Draw, count: usize) {
        for vertex in 0..count as u32 {
            let viewport = draw.stages.outputs.viewport_index.map_or(0, |column| self.bits(vertex, column));
            let Some(swizzle) = draw.raster.swizzles.get(viewport as usize) else { continue };
            let position = self.position(vertex);
            for (column, &(source, negated)) in (0..).zip(swizzle) {
                let value = position[usize::from(source & 3)];
                let word = self.word(vertex, column);
                self.outputs.set(word, (if negated { -value } else { value }).to_bits());
            }
        }
    }

    /// A column of the outputs of sixteen vertices from `first` on, a multiple of as many, of `count`.
    #[inline(always)]
    pub(crate) fn lanes_from(&self, first: usize, column: usize, count: usize) -> Row {
        if self.lanes_log2 >= LANES.ilog2() {
            return *self.outputs.row(self.word(first as u32, column as u32));
        }
        let mut values = Row::default();
        for (vertex, value) in (first..count).zip(&mut values.0) {
            *value = self.bits(vertex as u32, column as u32);
        }
        values
    }

    /// Where a vertex's outputs begin, and how far it is from column to column.
    #[inline]
    pub(crate) fn first_word(&self, vertex: u32) -> usize {
        self.word(vertex, 0)
    }

    /// A column of a vertex whose outputs begin at `first`.
    #[inline]
    pub(crate) fn column_bits(&self, first: usize, column: u32) -> u32 {
        self.outputs.get(first + ((column as usize) << self.lanes_log2))
    }

    #[inline]
    fn word(&self, vertex: u32, column: u32) -> usize {
        let (vertex, shift) = (vertex as usize, self.lanes_log2);
        (((vertex >> shift) * self.columns + column as usize) << shift) + (vertex & ((1 << shift) - 1))
    }

    /// The bits of an output of a vertex.
    #[inline]
    pub(crate) fn bits(&self, vertex: u32, column: u32) -> u32 {
        self.outputs.get(self.word(vertex, column))
    }

    /// An output as a float.
    #[inline]
    pub(crate) fn float(&self, vertex: u32, column: u32) -> f32 {
        self.outputs.float(self.word(vertex, column))
    }

    /// The position.
    #[inline]
    pub(crate) fn position(&self, vertex: u32) -> [f32; 4] {
        let (first, lanes) = (self.word(vertex, 0), 1 << self.lanes_log2);
        let float = |column: usize| self.outputs.float(first + column * lanes);
        [float(0), float(1), float(2), float(3)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_indices_are_one_vertex() {
        let mut reuse = Reuse::default();
        for spread in [1, 1000, 0x0fff_ffff] {
            let mut indices = [7, 3, 7, 9, 3, 7, 15, 0].map(|index: u32| index * spread);
            reuse.number(&mut indices);
            assert_eq!(reuse.list(u32::MAX, 2), 5);
            let (numbers, order) = match spread {
                1 => ([2, 1, 2, 3, 1, 2, 4, 0], [0, 3, 7, 9, 15]),
                _ => ([0, 1, 0, 2, 1, 0, 3, 4], [7, 3, 9, 15, 0]),
            };
            assert_eq!(indices, numbers);
            let ids: Vec<_> = reuse.vertices.iter().map(|id| (id.index / spread, id.instance)).collect();
            assert_eq!(ids[..5], order.map(|index| (index, u32::MAX)));
            assert_eq!(ids[5..], order.map(|index| (index, 0)));
        }
        let mut indices = [9, 7, 8, 9, 10, 7];
        reuse.number(&mut indices);
        assert_eq!(indices, [2, 0, 1, 2, 3, 0]);
        assert_eq!(reuse.list(0, 1), 4);
        assert_eq!(reuse.vertices[3], VertexId { index: 10, instance: 0 });
        reuse.number(&mut []);
        assert_eq!(reuse.list(0, 3), 0);
    }
}
