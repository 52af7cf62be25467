//! Words of lanes that are moved one by one, or in runs: what gathers and scatters would move.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};

const WORDS: usize = 1 << 13;
/// The first word that is written.
const WRITTEN: u32 = 1 << 12;
/// A word that says where lanes begin.
const START: u32 = WRITTEN - 1;

fn memory() -> Vec<u32> {
    (0..WORDS as u32).map(|word| word.wrapping_mul(0x9e37_79b9) >> 3).collect()
}

/// Runs a function on memory for these lanes at every level, and compares what it writes.
#[allow(unsafe_code)]
fn check(name: &str, function: &Function, active: u64, before: &[u32], expected: &[u32]) {
    for (level, features) in crate::support::with_long_vectors() {
        let kernel = crate::support::compiled(function, features);
        let mut memory = before.to_vec();
        // SAFETY: all lanes access words of `memory`.
        unsafe {
            crate::support::run(&kernel, memory.as_mut_ptr().expose_provenance() as u64, active, false)
        };
        let wrong = memory.iter().zip(expected).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "{level}: {name}, lanes {active:#x}");
    }
}

/// The first lanes store the words that they load, `stride` bytes apart.
#[test]
fn first_lanes_move_their_words() {
    for lanes in [16, 32, 64] {
        for stride in [12, 32, 36, 128] {
            for count in [1, 2, 3, 4, 5, 8, 11, 12, 15, 16, 17, 24, 31, 33, 48, 64] {
                if count > lanes {
                    continue;
                }
                let function = crate::support::function(lanes, |begun| {
                    let (limit, memory) = (begun.splat(count), MemoryOp::new(Space::Global));
                    let offset = begun.lanes_times(stride);
                    let first = begun.builder.op(Opcode::ULt, &[begun.lane, limit]);
                    let always = begun.builder.bool(true);
                    let all = begun.builder.splat(always);
                    let loaded = begun.builder.load(Scalar::I32, memory, begun.base, offset, first);
                    // What other lanes have is zero.
                    let words = begun.lanes_times(4);
                    let beside = memory.at(4 * (WRITTEN + 3072) as i32);
                    begun.builder.store(beside, begun.base, words, loaded, all);
                    let to = memory.at(4 * WRITTEN as i32);
                    begun.builder.store(to, begun.base, offset, loaded, first);
                });
                let before = memory();
                let mut expected = before.clone();
                for lane in 0..lanes {
                    let place = lane * stride / 4;
                    let word = if lane < count { before[place as usize] } else { 0 };
                    expected[(WRITTEN + 3072 + lane) as usize] = word;
                    if lane < count {
                        expected[(WRITTEN + place) as usize] = word;
                    }
                }
                let name = format!("{lanes} lanes, {count} of them, {stride} bytes apart");
                check(&name, &function, crate::support::all(lanes), &before, &expected);
            }
        }
    }
}

/// Lanes read parts of rows, of a picture whose columns are limited.
#[test]
fn rows_are_read_in_runs() {
    for lanes in [16, 32, 64] {
        for (divisor, width, limit) in [(18, 40, 99), (18, 18, 15), (5, 50, 99), (40, 64, 33), (1, 3, 0)] {
            let function = crate::support::function(lanes, |begun| {
                use Opcode as O;
                let memory = MemoryOp::new(Space::Global);
                let (zero, always) = (begun.builder.i32(0), begun.builder.bool(true));
                let at = memory.at(4 * START as i32);
                let start = begun.builder.load(Scalar::I32, at, begun.base, zero, always);
                let start = begun.builder.splat(start);
                let [divisor, width, limit, four] = [divisor, width, limit, 4].map(|word| begun.splat(word));
                let number = begun.builder.op(O::IAdd, &[begun.lane, start]);
                let row = begun.builder.op(O::UDiv, &[number, divisor]);
                let column = begun.builder.op(O::URem, &[number, divisor]);
                let column = begun.builder.op(O::UMin, &[column, limit]);
                let place = begun.builder.op(O::IMul, &[row, width]);
                let place = begun.builder.op(O::IAdd, &[place, column]);
                let offset = begun.builder.op(O::IMul, &[place, four]);
                let loaded = begun.builder.load(Scalar::I32, memory, begun.base, offset, begun.active);
                let words = begun.lanes_times(4);
                let all = begun.builder.splat(always);
                begun.builder.store(memory.at(4 * WRITTEN as i32), begun.base, words, loaded, all);
            });
            let all = crate::support::all(lanes);
            for active in [all, all >> 5, all & 0x7777_1234_fffe_0ff0, 0] {
                for start in [0, 1, 7, 17, 30] {
                    let mut before = memory();
                    before[START as usize] = start;
                    let mut expected = before.clone();
                    for lane in 0..lanes {
                        let number = lane + start;
                        let place = number / divisor * width + (number % divisor).min(limit);
                        let is_active = active >> lane & 1 != 0;
                        let word = if is_active { before[place as usize] } else { 0 };
                        expected[(WRITTEN + lane) as usize] = word;
                    }
                    let name = format!("{lanes} lanes from {start}, rows of {divisor}, {width} apart");
                    check(&name, &function, active, &before, &expected);
                }
            }
        }
    }
}

/// Lanes write anywhere, several of them to one place: that of the last stays.
#[test]
fn words_are_scattered_in_the_order_of_lanes() {
    for lanes in [16, 32, 64] {
        for (factor, mask) in [(0x9e37_79b9_u32, 1023), (0x85eb_ca6b, 15), (4, 255), (0, 7)] {
            let function = crate::support::function(lanes, |begun| {
                use Opcode as O;
                let memory = MemoryOp::new(Space::Global);
                let [factor, shift, mask, two] = [factor, 7, mask, 2].map(|word| begun.splat(word));
                let number = begun.builder.op(O::IMul, &[begun.lane, factor]);
                let moved = begun.builder.op(O::LShr, &[number, shift]);
                let number = begun.builder.op(O::Xor, &[number, moved]);
                // So that places are not known.
                let word = begun.builder.op(O::Shl, &[begun.lane, two]);
                let loaded = begun.builder.load(Scalar::I32, memory, begun.base, word, begun.active);
                let number = begun.builder.op(O::IAdd, &[number, loaded]);
                let place = begun.builder.op(O::And, &[number, mask]);
                let offset = begun.builder.op(O::Shl, &[place, two]);
                let to = memory.at(4 * WRITTEN as i32);
                begun.builder.store(to, begun.base, offset, begun.lane, begun.active);
            });
            let all = crate::support::all(lanes);
            for active in [all, all >> 5, all & 0x7777_1234_fffe_0ff0, 0] {
                let before = memory();
                let mut expected = before.clone();
                for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                    let number = lane.wrapping_mul(factor);
                    let number = (number ^ number >> 7).wrapping_add(before[lane as usize]);
                    expected[(WRITTEN + (number & mask)) as usize] = lane;
                }
                let name = format!("{lanes} lanes, hash of {factor:#x}, below {mask}");
                check(&name, &function, active, &before, &expected);
            }
        }
    }
}

/// Lanes load bytes and halves that are an odd number of bytes apart, such as colours of three bytes.
#[test]
fn elements_at_odd_distances() {
    for (lanes, scalar) in
        [16, 32, 64].into_iter().flat_map(|lanes| [(lanes, Scalar::I8), (lanes, Scalar::I16)])
    {
        for (stride, start) in [(3, 0), (3, 2), (5, 1), (6, 1), (7, 3), (17, 1)] {
            let function = crate::support::function(lanes, |begun| {
                let memory = MemoryOp::new(Space::Global);
                let offset = begun.lanes_times(stride);
                let always = begun.builder.bool(true);
                let all = begun.builder.splat(always);
                let loaded = begun.builder.load(scalar, memory.at(start), begun.base, offset, all);
                let word = begun.builder.convert(Opcode::ZeroExtend, loaded, Scalar::I32);
                let words = begun.lanes_times(4);
                begun.builder.store(memory.at(4 * WRITTEN as i32), begun.base, words, word, all);
            });
            let before = memory();
            let bytes: Vec<u8> = before.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut expected = before.clone();
            for lane in 0..lanes {
                let place = (lane * stride) as usize + start as usize;
                let high = if scalar == Scalar::I16 { bytes[place + 1] } else { 0 };
                expected[(WRITTEN + lane) as usize] = u32::from_le_bytes([bytes[place], high, 0, 0]);
            }
            let name = format!("{lanes} lanes, {} bits, {stride} bytes apart from {start}", scalar.bits());
            check(&name, &function, crate::support::all(lanes), &before, &expected);
        }
    }
}
