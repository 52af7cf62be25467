//! Rows of 8- and 16-bit elements, of which the shader's run tells where each begins.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Bytes from what is read to what is written, and from one row to the next.
const WRITTEN: u32 = 0x400;
const ROW: u32 = 42;

/// `bytes[WRITTEN + place] = bytes[place] + lane` of elements, for the lanes up to `memory[1]` or all; the
/// place is `lane % columns` elements and `lane / columns` rows of `memory[0]` bytes behind a start.
fn function(lanes: u32, columns: u32, scalar: Scalar, is_masked: bool) -> Function {
    use Opcode as O;
    crate::support::function(lanes, |begun| {
        let memory = MemoryOp::new(Space::Global);
        let [low, log] = [columns - 1, columns.trailing_zeros()].map(|number| begun.splat(number));
        let size = begun.splat(scalar.bytes());
        let (lane, base) = (begun.lane, begun.base);
        let b = &mut begun.builder;
        let (zero, always) = (b.i32(0), b.bool(true));
        let row = b.load(Scalar::I32, memory, base, zero, always);
        let row = b.splat(row);
        let predicate = if is_masked {
            let last = b.load(Scalar::I32, memory.at(4), base, zero, always);
            let last = b.splat(last);
            b.op(O::ULe, &[lane, last])
        } else {
            b.splat(always)
        };
        let column = b.op(O::And, &[lane, low]);
        let column = b.op(O::IMul, &[column, size]);
        let rows = b.op(O::LShr, &[lane, log]);
        let rows = b.op(O::IMul, &[rows, row]);
        let offset = b.op(O::IAdd, &[column, rows]);
        let element = b.load(scalar, memory.at(16), base, offset, predicate);
        let wide = b.convert(O::ZeroExtend, element, Scalar::I32);
        let sum = b.op(O::IAdd, &[wide, lane]);
        let narrow = b.convert(O::Truncate, sum, scalar);
        b.store(memory.at(16 + WRITTEN as i32), base, offset, narrow, predicate);
    })
}

#[test]
fn rows_are_moved_as_they_lie() {
    for (name, features) in Features::all() {
        for (scalar, columns) in [(Scalar::I8, 16), (Scalar::I8, 8), (Scalar::I16, 8), (Scalar::I16, 4)] {
            for (lanes, last) in [(16, None), (32, None), (64, None), (16, Some(10)), (64, Some(43))] {
                let what = format!("{name}, {lanes} lanes, {columns} columns of {scalar:?}, up to {last:?}");
                let kernel =
                    crate::support::compiled(&function(lanes, columns, scalar, last.is_some()), features);
                let mut memory: Vec<u32> =
                    (0..2 * WRITTEN / 4 + 8).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
                (memory[0], memory[1]) = (ROW, last.unwrap_or(0));
                let size = scalar.bytes();
                let mut expected: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
                for lane in 0..lanes.min(last.map_or(lanes, |last| last + 1)) {
                    let at = (16 + lane % columns * size + lane / columns * ROW) as usize;
                    let element = (0..size as usize)
                        .fold(0u32, |sum, byte| sum | u32::from(expected[at + byte]) << (8 * byte));
                    let sum = element.wrapping_add(lane).to_le_bytes();
                    let to = at + WRITTEN as usize;
                    expected[to..to + size as usize].copy_from_slice(&sum[..size as usize]);
                }
                // SAFETY: the elements of all lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run_over(&kernel, &mut memory, lanes);
                }
                let found: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}

#[test]
fn rows_need_neither_gathers_nor_loops() {
    for is_masked in [false, true] {
        let function = function(64, 16, Scalar::I8, is_masked);
        let text = crate::support::assembly(&function, Features::base(Level::Avx512));
        assert!(!text.contains("gather") && !text.contains("tzcnt"), "{text}");
    }
}
