//! Whole blocks of pixels: eight columns, two rows, four quads side by side.
//!
//! Lanes are in *quad order*, as everywhere: lane `4 k + n` is pixel (`2 k + (n & 1)`, `n >> 1`) of the
//! block. In *row order*, element `8 y + x` is pixel (x, y), so that half a register is one row and thus
//! consecutive in memory.

use crate::state::FragmentOutputKey;
use pyro_abi::graphics::graphics_offset as at;
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// A block's place.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The upper left pixel, `i32`, the same in all lanes.
    pub(crate) x: Value,
    pub(crate) y: Value,
    /// For each lane of row order, the lane of quad order with the same pixel.
    quad_lane: Value,
    /// The opposite.
    row_lane: Value,
    /// Lanes of the first and of the second row, in row order, `i1`.
    pub(crate) rows: [Value; 2],
    /// For each sample the lanes that a primitive covers, where that need not be all of them: in quad order,
    /// and in row order.
    pub(crate) covered: Vec<(Value, Value)>,
}

/// The lanes that have a bit in a word, which is the same in all, `i1`.
pub(crate) fn lanes_of(b: &mut Builder<'_>, word: Value) -> Value {
    let bits = b.resize_u(word, Scalar::I64);
    b.op(Opcode::MaskFromBits, &[bits])
}

/// The words of a covered block, one for each sample.
pub(crate) fn block_coverage(b: &mut Builder<'_>, key: &FragmentOutputKey, record: Value) -> Vec<Value> {
    let (zero, always) = (b.i32(0), b.bool(true));
    let memory = MemoryOp::new(Space::Context).speculatable();
    let places = (0..key.samples.max(1)).map(|sample| (at::BLOCK_COVERAGE + 4 * sample) as i32);
    places.map(|place| b.load(Scalar::I32, memory.at(place), record, zero, always)).collect()
}

/// The samples that a primitive covers of each lane of a block.
pub(crate) fn coverage_of_block(b: &mut Builder<'_>, block: &Block) -> Value {
    let zero = b.i32(0);
    (0..).zip(&block.covered).fold(zero, |coverage, (sample, &(lanes, _))| {
        let bit = b.i32(1 << sample);
        let bit = b.select(lanes, bit, zero);
        if sample == 0 { bit } else { b.or(coverage, bit) }
    })
}

impl Block {
    /// A block whose upper left is in the halves of `word`, x in the lower one.
    pub(crate) fn begin(b: &mut Builder, word: Value) -> Block {
        assert_eq!(b.function.lanes, 16, "blocks are of 16 lanes");
        let (sixteen, low) = (b.i32(16), b.i32(0xffff));
        let (x, y) = (b.and(word, low), b.lshr(word, sixteen));
        let lane = b.lane_id();
        let [one, two, three, six, eight] = [1, 2, 3, 6, 8].map(|bits| b.i32(bits));
        // Row order: bits y x2 x1 x0; quad order: bits x2 x1 y x0.
        let low_bit = b.and(lane, one);
        let columns = b.and(lane, six);
        let columns = b.shl(columns, one);
        let row = b.lshr(lane, three);
        let row = b.shl(row, one);
        let quad_lane = b.or(columns, row);
        let quad_lane = b.or(quad_lane, low_bit);
        let columns = b.lshr(lane, two);
        let columns = b.shl(columns, one);
        let row = b.and(lane, two);
        let row = b.shl(row, two);
        let row_lane = b.or(columns, row);
        let row_lane = b.or(row_lane, low_bit);
        let upper = b.ult(lane, eight);
        Block { x, y, quad_lane, row_lane, rows: [upper, b.not(upper)], covered: Vec::new() }
    }

    /// The pixels' x and y.
    pub(crate) fn pixel(&self, b: &mut Builder) -> (Value, Value) {
        let (seven, three) = (b.i32(7), b.i32(3));
        let x = b.and(self.row_lane, seven);
        let y = b.lshr(self.row_lane, three);
        (b.iadd(self.x, x), b.iadd(self.y, y))
    }

    /// A primitive covers what the words of a `CoveredBlock` say, one for each sample.
    pub(crate) fn cover(&mut self, b: &mut Builder<'_>, words: &[Value]) {
        let (low, sixteen) = (b.i32(0xffff), b.i32(16));
        self.covered.extend(words.iter().map(|&word| {
            let (quads, rows) = (b.and(word, low), b.lshr(word, sixteen));
            (lanes_of(b, quads), lanes_of(b, rows))
        }));
    }

    /// The pixels' x, but in quads that the primitive does not touch, those of one that it touches. `words`:
    /// of a `CoveredBlock`, one for each sample.
    pub(crate) fn x_near(&self, b: &mut Builder<'_>, x: Value, words: &[Value]) -> Value {
        let zero = b.i32(0);
        let any = words.iter().fold(zero, |any, &word| b.or(any, word));
        let [one, two, firsts, all] = [1, 2, 0x1111, 15].map(|bits| b.i32(bits));
        // A quad's bits in its first one.
        let pairs = b.lshr(any, one);
        let pairs = b.or(any, pairs);
        let quads = b.lshr(pairs, two);
        let quads = b.or(pairs, quads);
        let quads = b.and(quads, firsts);
        let first = b.emit_op(Opcode::CountTrailingZeros, &[quads]);
        let first = b.lshr(first, one);
        let first = b.iadd(self.x, first);
        let lanes = b.imul(quads, all);
        let lanes = lanes_of(b, lanes);
        let lane = b.lane_id();
        let within = b.and(lane, one);
        let other = b.iadd(first, within);
        b.select(lanes, x, other)
    }

    /// From quad order to row order.
    pub(crate) fn to_rows(&self, b: &mut Builder, value: Value) -> Value {
        b.op(Opcode::Shuffle, &[value, self.quad_lane])
    }

    /// The same for a condition, `i1`; where it follows from what a primitive covers, that is known in row
    /// order.
    pub(crate) fn condition_to_rows(&self, b: &mut Builder<'_>, condition: Value) -> Value {
        let known = |value: Value| self.covered.iter().find(|(quads, _)| *quads == value);
        if let Some(&(_, rows)) = known(condition) {
            return rows;
        }
        let made = b.function.def_inst(condition).filter(|made| made.op == Opcode::And);
        let parts = made.map(|made| [made.args[0], made.args[1]]);
        match parts.filter(|parts| parts.iter().any(|&part| known(part).is_some())) {
            Some(parts) => {
                let [first, second] = parts.map(|part| match known(part) {
                    Some(&(_, rows)) => rows,
                    None => self.to_rows(b, part),
                });
                b.and(first, second)
            }
            None => self.to_rows(b, condition),
        }
    }

    /// From row order to quad order.
    pub(crate) fn to_quads(&self, b: &mut Builder, value: Value) -> Value {
        b.op(Opcode::Shuffle, &[value, self.row_lane])
    }
}
