//! Reads of rows of workgroup memory by all lanes: they leave the same marks, and report the same, as reads
//! that the pass does not know to be of a row.

use crate::support::{INPUT, LANE_BYTES, Memory, OUTPUT, Random, mask};
use pyro_abi::report::AccessKind;
use pyro_abi::shadow::{MarkLayout, Tracked};
use pyro_ir::{Builder, Form, Function, InstData, MemoryOp, Opcode, Scalar, Space, Terminator, Value};

const LANES: u32 = 16;
const VISITS: u32 = 1000;
const CELLS: u32 = 64;
const INTERVAL: u32 = 3;
const TABLE_BYTES: u64 = 4 * CELLS as u64;
/// Where the writes and reads of reports go, behind both tables.
const REPORTS: u64 = OUTPUT + 2 * TABLE_BYTES;

/// Reads of cells, in order, by some lanes.
#[derive(Debug)]
struct Case {
    root: u32,
    cells: Vec<u32>,
    lanes: u32,
    checks_unwritten: bool,
}

fn layout() -> MarkLayout {
    MarkLayout::new(3, LANES)
}

impl Case {
    fn new(random: &mut Random) -> Case {
        let count = 4 + random.below(13) as u32;
        let mut cells: Vec<u32> = (0..count).collect();
        cells.extend((0..random.below(3)).map(|_| random.below(u64::from(count)) as u32));
        for at in (1..cells.len()).rev() {
            cells.swap(at, random.below(at as u64 + 1) as usize);
        }
        let one = 1 << random.below(u64::from(LANES));
        let lanes = [0xffff, one, random.bits() as u32 & 0xffff, 0][random.below(4) as usize];
        Case { root: random.below(16) as u32, cells, lanes, checks_unwritten: random.chance(50) }
    }

    /// With offsets that are sums, or ones that the pass does not see through.
    fn function(&self, is_sum: bool) -> Function {
        use Opcode as O;
        let mut function = Function::new("reads", Form::Mask, LANES);
        let entry = function.make_block();
        let b = &mut Builder::new(&mut function);
        b.start(entry);
        let (zero, always, source) = (b.i32(0), b.bool(true), b.i64(INPUT));
        let root = b.load(Scalar::I32, MemoryOp::new(Space::Context), source, zero, always);
        let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        let low = b.i32(layout().low);
        let low = b.splat(low);
        let own = b.op(O::Shl, &[lane, low]);
        let interval = b.i32(INTERVAL << layout().high);
        let interval = b.splat(interval);
        let mark = b.op(O::Or, &[own, interval]);
        let bits = b.i64(self.lanes.into());
        let here = b.emit(O::MaskFromBits, &[bits], 0, Scalar::I1).expect("a result");
        let [writes, reads] = [OUTPUT, OUTPUT + TABLE_BYTES].map(|at| b.i64(at));
        for (site, &cell) in (0..).zip(&self.cells) {
            let offset = if is_sum {
                let more = b.i32(4 * cell);
                let sum = b.op(O::IAdd, &[root, more]);
                let aligned = b.i32(!3);
                b.op(O::And, &[sum, aligned])
            } else {
                let less = b.i32((4 * cell).wrapping_neg());
                b.op(O::ISub, &[root, less])
            };
            let tracked = Tracked {
                access: AccessKind::Read,
                cells: 1,
                site,
                number: 2,
                is_buffer: false,
                layout: layout(),
                has_atomics: false,
                checks_unwritten: self.checks_unwritten,
            };
            let args = [writes, reads, reads, reads, source, source, source, lane, mark, offset, here];
            b.emit(O::Track, &args, tracked.to_bits(), Scalar::I1);
        }
        b.terminate(Terminator::Return(0));
        function
    }

    fn memory(&self, random: &mut Random) -> Memory {
        let layout = layout();
        let mut memory = Memory::new(u64::MAX, &[4 * self.root]);
        // The lane that is here, if it is one.
        let lane = self.lanes.trailing_zeros() % LANES;
        let profile = random.below(4);
        for table in 0..2 {
            for cell in 0..CELLS {
                let own = INTERVAL << layout.high | lane << layout.low;
                let (is_odd, before) = (random.chance(6), (INTERVAL - 1) << layout.high | 5 << layout.low);
                let kinds = [before, own, own | layout.many_and_releases(), 0];
                // Reads that are known all are not mixed with others that are, as then nothing is odd.
                let odd = if table == 0 { random.below(4) } else { 3 * random.below(2) };
                let mut plain = if is_odd { odd } else { profile };
                // Mostly there are no conflicts.
                if table == 0 && !is_odd {
                    plain = 0;
                }
                let plain = kinds[plain as usize];
                let mark = if plain == 0 { 0 } else { plain | (1 + random.below(3) as u32) };
                let at = OUTPUT + table * TABLE_BYTES + 4 * u64::from(cell);
                memory.store(at, Scalar::I32, mark.into());
            }
        }
        memory
    }
}

/// Makes a store of each report: what was found among the writes, for each lane in which something is odd.
fn store_reports(function: &mut Function) {
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        for inst in insts {
            let InstData { op, args, imm, .. } = function.insts[inst].clone();
            if op != Opcode::Report {
                function.blocks[block].insts.push(inst);
                continue;
            }
            let [holds, here] = [2, 1].map(|behind| args[args.len() - behind]);
            let written: Value = args[5];
            let b = &mut Builder::new(function);
            b.switch_to(block);
            let odd = b.op(Opcode::AndNot, &[here, holds]);
            let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
            let two = b.i32(2);
            let two = b.splat(two);
            let own = b.op(Opcode::Shl, &[lane, two]);
            let one = b.i32(1);
            let one = b.splat(one);
            let told = b.op(Opcode::IAdd, &[written, one]);
            let base = b.i64(REPORTS + 4 * u64::from(LANES) * (imm & 0xffff));
            b.store(MemoryOp::new(Space::Global), base, own, told, odd);
        }
    }
}

/// The invocations and intervals of marks, and the reports.
fn outcome(function: &mut Function, memory: &Memory) -> (Vec<u64>, Vec<u8>) {
    assert!(pyro_passes::track_lowering::run(function));
    store_reports(function);
    pyro_ir::verify::verify(function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    let mut memory = memory.clone();
    mask::run(function, &mut memory, VISITS).expect("it ends");
    let cells = 0..2 * u64::from(CELLS);
    let marks = cells.map(|cell| memory.load(OUTPUT + 4 * cell, Scalar::I32) >> layout().low).collect();
    let reports = REPORTS as usize..(REPORTS + 20 * LANE_BYTES) as usize;
    (marks, memory.0[reports].to_vec())
}

#[test]
fn rows_are_followed_as_their_cells() {
    let mut random = Random::new(7);
    let (mut reporting, mut quiet) = (0, 0);
    for number in 0..800 {
        let case = Case::new(&mut random);
        let memory = case.memory(&mut random);
        let [mut row, mut single] = [true, false].map(|is_sum| case.function(is_sum));
        let [found, expected] = [&mut row, &mut single].map(|function| outcome(function, &memory));
        assert!(found == expected, "{number}: {case:?}\n{row}");
        // The body of the row and what reports besides it.
        assert!(row.block_order.len() > single.block_order.len(), "{number}: no row\n{row}");
        let is_quiet = found.1.iter().all(|&byte| byte == 0);
        *if is_quiet { &mut quiet } else { &mut reporting } += 1;
    }
    assert!(reporting > 100 && quiet > 100, "{reporting} {quiet}");
}
