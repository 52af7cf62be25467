//! Rows: cells one behind the other that all lanes of a subgroup read, each looked at by a lane.
//!
//! # Problem
//! A loop over a row of a tile reads cells at addresses that are the same for all lanes. Unrolled, each of
//! them is looked at by itself, though one vector holds them all.
//!
//! # Approach
//! Where the cells of a row have neither the first lane's mark nor that of many, those of writes are compared
//! at once, too. The mark is left for all, unless some cell is odd: then each read is followed by itself,
//! which reports.

use super::{Late, Tracker, track};
use pyro_abi::report::AccessKind;
use pyro_abi::shadow::{Tables, Tracked};
use pyro_ir::{Block, BlockCall, Builder, Function, InstData, MemoryOp, Opcode, Scalar, Space, Value};

/// The least cells of a row.
const CELLS_MIN: u32 = 4;
/// The bits of an offset that cells have.
const ALIGNED: u64 = !3 & 0xffff_ffff;

/// Reads of cells one behind the other.
pub(super) struct Row {
    /// In the order of the cells; several may be of one.
    reads: Vec<Late>,
    cells: u32,
}

/// What the reads of a row have in common.
#[derive(PartialEq, Eq)]
struct Key {
    /// What offsets are counted from.
    root: Option<Value>,
    /// Of that, the last two bits are dropped.
    is_masked: bool,
    /// Tables, mark and lanes.
    operands: [Value; track::TABLES + 2],
    number: u32,
    checks_unwritten: bool,
}

/// Takes the rows out of reads.
pub(super) fn take(function: &Function, reads: Vec<Late>) -> (Vec<Row>, Vec<Late>) {
    let mut groups: Vec<(Key, Vec<(u32, Late)>)> = Vec::new();
    let mut others = Vec::new();
    for read in reads {
        let Some((key, at)) = place(function, &read) else {
            others.push(read);
            continue;
        };
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push((at, read)),
            None => groups.push((key, vec![(at, read)])),
        }
    }
    let mut rows = Vec::new();
    for (_, mut reads) in groups {
        reads.sort_by_key(|&(at, _)| at);
        let mut row: Option<(u32, Row)> = None;
        for (at, read) in reads {
            let cell = row.as_ref().map(|(start, _)| (at - start) / 4);
            match (&mut row, cell) {
                (Some((_, row)), Some(cell)) if cell <= row.cells && cell < function.lanes => {
                    row.cells = cell + 1;
                    row.reads.push(read);
                }
                _ => {
                    finish(row.replace((at, Row { reads: vec![read], cells: 1 })), &mut rows, &mut others);
                }
            }
        }
        finish(row, &mut rows, &mut others);
    }
    (rows, others)
}

fn finish(row: Option<(u32, Row)>, rows: &mut Vec<Row>, others: &mut Vec<Late>) {
    match row {
        Some((_, row)) if row.cells >= CELLS_MIN => rows.push(row),
        Some((_, row)) => others.extend(row.reads),
        None => {}
    }
}

/// Where a read of a cell by all lanes is, counted from a root.
fn place(function: &Function, read: &Late) -> Option<(Key, u32)> {
    let args = &read.data.args;
    let tracked = Tracked::from_bits(read.data.imm);
    let [mark, offset, here] = [3, 2, 1].map(|behind| args[args.len() - behind]);
    if function.ty(offset).is_varying() || tracked.access != AccessKind::Read || tracked.has_atomics {
        return None;
    }
    let (root, is_masked, at) = offset_from_root(function, offset);
    let operands = [args[0], args[1], args[2], args[3], mark, here];
    let Tracked { number, checks_unwritten, .. } = tracked;
    Some((Key { root, is_masked, operands, number, checks_unwritten }, at.wrapping_add(4 * read.cell)))
}

/// An offset as a root, whether that is rounded down to a cell, and what is added.
fn offset_from_root(function: &Function, offset: Value) -> (Option<Value>, bool, u32) {
    let (mut value, mut is_masked, mut at) = (offset, false, 0u32);
    loop {
        if let Some(bits) = function.const_bits(value) {
            let kept = if is_masked { bits & ALIGNED } else { bits };
            return (None, false, at.wrapping_add(kept as u32));
        }
        let Some(data) = function.def_inst(value) else { break };
        let constant = data.args.get(1).and_then(|&arg| function.const_bits(arg));
        match (data.op, constant) {
            (Opcode::And, Some(ALIGNED)) => is_masked = true,
            (Opcode::IAdd, Some(more)) if !is_masked || more % 4 == 0 => at = at.wrapping_add(more as u32),
            (Opcode::Shl, Some(2..=31)) => {
                is_masked = false;
                break;
            }
            _ => break,
        }
        value = data.args[0];
    }
    (Some(value), is_masked, at)
}

/// Ends a block with a branch to where a row is followed; gives the block where the shader goes on.
pub(super) fn leave(function: &mut Function, block: Block, row: &Row, order: &mut Vec<Block>) -> Block {
    let [body, mark, odd, next] = std::array::from_fn(|_| function.make_block());
    let first = &row.reads[0];
    let mut b = Builder::new(function);
    b.switch_to(block);
    b.loc = first.data.loc;
    let view = View::new(&mut b, first, row.cells);
    let (known, is_new) = view.unmarked(&mut b);
    let any = b.op(Opcode::Any, &[is_new]);
    b.branch(any, BlockCall::new(body, &[]), BlockCall::new(next, &[]));

    b.switch_to(body);
    let is_odd = view.odd(&mut b);
    let any = b.op(Opcode::Any, &[is_odd]);
    b.branch(any, BlockCall::new(odd, &[]), BlockCall::new(mark, &[]));

    b.switch_to(mark);
    view.mark(&mut b, known);
    b.jump(next, &[]);

    b.switch_to(odd);
    for Late { data, cell, .. } in &row.reads {
        b.loc = data.loc;
        Tracker::new(&mut b, data, Tracked::from_bits(data.imm), false).follow(*cell);
    }
    b.jump(next, &[]);
    order.extend([body, mark, odd, next]);
    next
}

/// A row, seen by a lane for each cell.
struct View<'a> {
    data: &'a InstData,
    tracked: Tracked,
    memory: MemoryOp,
    offset: Value,
    /// The lanes that have a cell, if some lane reads it.
    here: Value,
    /// The mark of the first lane that reads, without a site and with it.
    first_plain: Value,
    first: Value,
    is_single: Value,
}

impl<'a> View<'a> {
    fn new(b: &mut Builder<'_>, first: &'a Late, cells: u32) -> View<'a> {
        use Opcode as O;
        let data = &first.data;
        let tracked = Tracked::from_bits(data.imm);
        let lanes = b.function.lanes;
        let tracker = Tracker::new(b, data, tracked, false);
        let together = tracker.together.expect("all lanes read one cell");
        let start = b.splat(data.args[data.args.len() - 2]);
        let lane = b.op(O::LaneId, &[]);
        let two = b.i32(2);
        let two = b.splat(two);
        let own = b.op(O::Shl, &[lane, two]);
        let offset = b.op(O::IAdd, &[start, own]);
        let mut here = b.splat(together.some);
        if cells < lanes {
            let cells = b.i32(cells);
            let cells = b.splat(cells);
            let has_cell = b.op(O::ULt, &[lane, cells]);
            here = b.op(O::And, &[here, has_cell]);
        }
        View {
            data,
            tracked,
            memory: MemoryOp::new(Space::Global).at(4 * first.cell as i32),
            offset,
            here,
            first_plain: together.first_plain,
            first: together.first,
            is_single: together.is_single,
        }
    }

    fn load(&self, b: &mut Builder<'_>, table: Tables) -> Value {
        b.load(Scalar::I32, self.memory, self.data.args[table as usize], self.offset, self.here)
    }

    /// What the cells among the reads are, and which have neither the first lane's mark, if it is the only
    /// one, nor that of many.
    fn unmarked(&self, b: &mut Builder<'_>) -> (Value, Value) {
        use Opcode as O;
        let known = self.load(b, Tables::Reads);
        let shift = b.i32(self.tracked.layout.releases_low());
        let many = b.i32(self.tracked.layout.many_and_releases());
        let of_many = b.op(O::Or, &[self.first_plain, many]);
        let [own, of_many] = [self.first_plain, of_many].map(|mark| {
            let mark = b.op(O::LShr, &[mark, shift]);
            b.splat(mark)
        });
        let shift = b.splat(shift);
        let content = b.op(O::LShr, &[known, shift]);
        let is_other = b.op(O::INe, &[content, of_many]);
        let is_own = b.op(O::IEq, &[content, own]);
        let is_single = b.splat(self.is_single);
        let is_own = b.op(O::And, &[is_own, is_single]);
        let is_new = b.op(O::AndNot, &[is_other, is_own]);
        (known, b.op(O::And, &[is_new, self.here]))
    }

    /// Which cells somebody has written in this interval whom some lane is not, or should be written.
    fn odd(&self, b: &mut Builder<'_>) -> Value {
        use Opcode as O;
        let written = self.load(b, Tables::Writes);
        let first = b.splat(self.first);
        let differs = b.op(O::Xor, &[written, first]);
        let layout = self.tracked.layout;
        // Of several lanes, all but one are others.
        let (least, zero) = (b.i32(1 << layout.low), b.i32(0));
        let least = b.op(O::Select, &[self.is_single, least, zero]);
        let end = b.i32(1 << layout.high);
        let width = b.op(O::ISub, &[end, least]);
        let [least, width] = [least, width].map(|value| b.splat(value));
        let from = b.op(O::ISub, &[differs, least]);
        let mut odd = b.op(O::ULt, &[from, width]);
        if self.tracked.checks_unwritten {
            let zero = b.splat(zero);
            let unwritten = b.op(O::IEq, &[written, zero]);
            odd = b.op(O::Or, &[odd, unwritten]);
        }
        b.op(O::And, &[odd, self.here])
    }

    /// Leaves the mark of the first lane, or that of many.
    fn mark(&self, b: &mut Builder<'_>, known: Value) {
        use Opcode as O;
        let first = b.splat(self.first);
        let mut tracker = Tracker::new(b, self.data, self.tracked, false);
        let conflicts = tracker.conflicts(known, first);
        let is_single = b.splat(self.is_single);
        let is_own = b.op(O::AndNot, &[is_single, conflicts]);
        let many = b.i32(self.tracked.layout.many_and_releases());
        let of_many = b.op(O::Or, &[self.first, many]);
        let of_many = b.splat(of_many);
        let mark = b.op(O::Select, &[is_own, first, of_many]);
        b.store(self.memory, self.data.args[Tables::Reads as usize], self.offset, mark, self.here);
    }
}
