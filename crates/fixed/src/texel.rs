//! Access to the texels of a fragment's pixel in the attachments.

use crate::block::Block;
use crate::fragment::{Fragment, Sample, Variant};
use pyro_abi::graphics::graphics_offset as at;
use pyro_image::texel::{self, load_words, store_words};
use pyro_image::{Aspect, Format};
use pyro_ir::{BlockCall, Builder, MemoryOp, Merge, Opcode, Scalar, Space, Value};
use pyro_library::Ops;
use std::cell::RefCell;

/// Where one sample of a fragment lies in an attachment.
#[derive(Clone, Debug)]
pub(crate) struct TexelLocation {
    format: Format,
    address: Value,
    /// Byte offset. Of blocks: of the lane of row order, if it is in the first row, and in the second.
    offset: Value,
    second: Option<Value>,
}

/// A store that waits for others.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    place: TexelLocation,
    words: Vec<Value>,
    predicate: Value,
}

impl Store {
    fn emit(&self, b: &mut Builder, memory: MemoryOp) {
        let TexelLocation { format, address, offset, .. } = self.place;
        store_words(b, format, memory, address, offset, &self.words, self.predicate);
    }
}

/// The words of a block's texels, in row order. All of it is there.
fn load_rows(
    b: &mut Builder,
    format: Format,
    memory: MemoryOp,
    block: &Block,
    address: Value,
    offsets: [Value; 2],
) -> Vec<Value> {
    let [first, second] =
        [0, 1].map(|row| load_words(b, format, memory, address, offsets[row], block.rows[row]));
    first.into_iter().zip(second).map(|(first, second)| b.or(first, second)).collect()
}

impl Fragment<'_> {
    /// The texel of an attachment whose record is at offset `record` of the draw context. For accesses where
    /// all lanes of the subgroup have come.
    pub(crate) fn texel(
        &self,
        b: &mut Builder,
        record: u32,
        format: Format,
        sample: Sample,
    ) -> TexelLocation {
        self.texel_of(b, record, format, sample, self.block.as_ref())
    }

    /// The same for accesses anywhere.
    pub(crate) fn own_texel(
        &self,
        b: &mut Builder,
        record: u32,
        format: Format,
        sample: Sample,
    ) -> TexelLocation {
        self.texel_of(b, record, format, sample, None)
    }

    fn texel_of(
        &self,
        b: &mut Builder,
        record: u32,
        format: Format,
        sample: Sample,
        block: Option<&Block>,
    ) -> TexelLocation {
        let zero = b.i32(0);
        let memory = MemoryOp::new(Space::Context).speculatable();
        let mut load = |scalar, place: u32| {
            b.load(scalar, memory.at((record + place) as i32), self.context, zero, self.always)
        };
        let address = load(Scalar::I64, at::ATTACHMENT_ADDRESS);
        let row_pitch = load(Scalar::I32, at::ATTACHMENT_ROW_PITCH);
        let layer_pitch = load(Scalar::I32, at::ATTACHMENT_LAYER_PITCH);
        let layer = self.attachment_layer(b);
        let layer = b.imul(layer, layer_pitch);
        let bytes = b.i32(format.block_bytes());
        let (x, y) = match block {
            Some(block) => (block.x, block.y),
            None => (self.x, self.y),
        };
        let x = b.imul(x, bytes);
        let y = b.imul(y, row_pitch);
        let offset = b.iadd(y, layer);
        let mut offset = b.iadd(offset, x);
        if sample.count > 1 {
            let place = memory.at((record + at::ATTACHMENT_SAMPLE_PITCH) as i32);
            let pitch = b.load(Scalar::I32, place, self.context, zero, self.always);
            let sample = b.imul(pitch, sample.index);
            offset = b.iadd(offset, sample);
        }
        let second = block.map(|_| {
            let lane = b.lane_id();
            let within = b.imul(lane, bytes);
            offset = b.iadd(offset, within);
            // Lane 8 is the second row's first.
            let first_row = b.i32(8 * format.block_bytes());
            let pitch = b.isub(row_pitch, first_row);
            b.iadd(offset, pitch)
        });
        TexelLocation { format, address, offset, second }
    }

    /// The decoded aspect of the fragment's texel, for accesses anywhere; for one sample, modulo the
    /// attachment's samples (`sample`: its number, and how many there are).
    /// Quads lie in one tile, which one thread draws, so helper invocations can read too, as far as the
    /// attachment goes.
    pub(crate) fn own_decoded(
        &self,
        b: &mut Builder,
        record: u32,
        format: Format,
        aspect: Aspect,
        (sample, count): (Value, u32),
    ) -> [Value; 4] {
        let (zero, most) = (b.i32(0), b.i32(count.max(1) - 1));
        let memory = MemoryOp::new(Space::Context).speculatable();
        let mut inside = self.always;
        for (place, position) in [(0, self.x), (4, self.y)] {
            let memory = memory.at((record + at::ATTACHMENT_EXTENT + place) as i32);
            let extent = b.load(Scalar::I32, memory, self.context, zero, self.always);
            let within = b.op(Opcode::ULt, &[position, extent]);
            inside = b.and(inside, within);
        }
        let sample = Sample { index: b.and(sample, most), bit: zero, count };
        let place = self.own_texel(b, record, format, sample);
        let words = self.load(b, &place, inside);
        texel::decode(b, format, aspect, &words)
    }

    /// Access to texels of a quad, of which two lie side by side unless fragments are of several pixels.
    fn quad_access(&self, format: Format) -> MemoryOp {
        let memory = MemoryOp::new(Space::Global);
        if format.block_bytes() == 4 && !self.key.coarse { memory.pairs() } else { memory }
    }

    /// The words of a texel where `predicate`; anything elsewhere.
    pub(crate) fn load(&self, b: &mut Builder, place: &TexelLocation, predicate: Value) -> Vec<Value> {
        let memory = MemoryOp::new(Space::Global);
        let TexelLocation { format, address, offset, second } = *place;
        let (Some(block), Some(second)) = (&self.block, second) else {
            let access = self.quad_access(format);
            // All texels of quads can be read.
            let predicate = if self.stores.is_some() && access.pairs { self.always } else { predicate };
            return load_words(b, format, access, address, offset, predicate);
        };
        let words = load_rows(b, format, memory, block, address, [offset, second]);
        words.into_iter().map(|word| block.to_quads(b, word)).collect()
    }

    /// Emits the stores that wait: whole pairs where nobody else draws pixels of the quads, else no texel but
    /// those that change.
    pub(crate) fn store_waiting(&self, b: &mut Builder) {
        let stores = self.stores.as_ref().map(RefCell::take).unwrap_or_default();
        if stores.is_empty() {
            return;
        }
        let (zero, memory) = (b.i32(0), MemoryOp::new(Space::Context).speculatable());
        let whole = memory.at(at::WHOLE_QUADS as i32);
        let whole = b.load(Scalar::I32, whole, self.record(), zero, self.always);
        let whole = b.ine(whole, zero);
        let [first, second, merge] = [(); 3].map(|()| b.function.make_block());
        let block = b.block();
        b.function.blocks[block].merge = Some(Merge::Selection { merge });
        b.branch(whole, BlockCall::new(first, &[]), BlockCall::new(second, &[]));
        let memory = MemoryOp::new(Space::Global);
        for (block, memory) in [(first, memory.whole_pairs()), (second, memory.pairs())] {
            b.start(block);
            stores.iter().for_each(|store| store.emit(b, memory));
            b.jump(merge, &[]);
        }
        b.start(merge);
    }

    /// Stores the words of a texel where `predicate`. `old`: what [`Fragment::load`] has given for it, if it
    /// was asked.
    pub(crate) fn store(
        &self,
        b: &mut Builder,
        place: &TexelLocation,
        words: &[Value],
        old: &[Value],
        predicate: Value,
    ) {
        let memory = MemoryOp::new(Space::Global);
        let TexelLocation { format, address, offset, second } = *place;
        let (Some(block), Some(second)) = (&self.block, second) else {
            let access = self.quad_access(format);
            match &self.stores {
                Some(stores) if access.pairs => {
                    let words = words.to_vec();
                    stores.borrow_mut().push(Store { place: place.clone(), words, predicate });
                }
                _ => store_words(b, format, access, address, offset, words, predicate),
            }
            return;
        };
        let [mut first_row, mut second_row] = block.rows;
        let keeps = old.len() == words.len();
        let merges = self.variant == Variant::MergedBlocks && !keeps;
        if !keeps && !merges {
            let predicate = block.condition_to_rows(b, predicate);
            first_row = b.and(first_row, predicate);
            second_row = b.and(second_row, predicate);
        }
        let words: Vec<Value> = (0..words.len())
            .map(|index| {
                // What was there can be written back: nobody else writes the block meanwhile.
                let word = if keeps { b.select(predicate, words[index], old[index]) } else { words[index] };
                block.to_rows(b, word)
            })
            .collect();
        let words = if merges {
            let predicate = block.condition_to_rows(b, predicate);
            let old = load_rows(b, format, memory, block, address, [offset, second]);
            words.iter().zip(old).map(|(&word, old)| b.select(predicate, word, old)).collect()
        } else {
            words
        };
        store_words(b, format, memory, address, offset, &words, first_row);
        store_words(b, format, memory, address, second, &words, second_row);
    }
}
