//! Images that say which function was called with what.

use pyro_abi::image::{Callable, ImageOp, ROW_ENTRIES, TABLE_ENTRIES, record, table_index};
use pyro_abi::{ImageRecord, Memory, SamplerRecord};

/// Every operation of every image: the callable is one of a table for each subgroup size and sampler row.
#[repr(C)]
struct Function {
    callable: Callable,
    lanes: u32,
    code: u32,
    row: u32,
}

/// A table of fake functions, which several images share.
pub(crate) struct Functions {
    table: Vec<u64>,
    _rows: Vec<Vec<u64>>,
    // Called by address, so that they must stay where they are.
    #[allow(clippy::vec_box)]
    _functions: Vec<Box<Function>>,
}

pyro_abi::code_abi! {
    /// For each lane that takes part:
    /// * writes of images leave what they are given with the image, see [`writes`];
    /// * atomics give the operand plus 1000 times the code, plus the comparator;
    /// * all others give the coordinates' digits (as floats or integers), then operation code and sampler
    ///   row, then what the image is called, then the other operands' digits.
    unsafe fn entry(callable: u64, argument: u64) -> u32 {
        // SAFETY: called as the test's shaders do, with the address of a `Function` and a record.
        let (function, memory) =
            unsafe { (&*std::ptr::with_exposed_provenance::<Function>(callable as usize), Memory::new()) };
        let op = ImageOp::from_code(function.code).expect("a code");
        let image: u64 = memory.load(argument + u64::from(record::IMAGE));
        let name: u64 = memory.load(image + u64::from(pyro_abi::image::image_offset::VIEW));
        let active: u64 = memory.load(argument + u64::from(record::ACTIVE_LANES));
        assert!(active != 0, "a call for no lane");
        for lane in (0..function.lanes).filter(|lane| active >> lane & 1 != 0) {
            let column_offset = |column: u32| record::column_offset(column, function.lanes) + 4 * lane;
            let at = |column: u32| argument + u64::from(column_offset(column));
            let word = |column: u32| memory.load::<u32>(at(column));
            let float = |column: u32| f32::from_bits(word(column));
            let digits =
                |first: u32, count: u32| (0..count).fold(0.0, |sum, i| sum * 10.0 + float(first + i));
            let int_digits =
                |first: u32, count: u32| (0..count).fold(0, |sum, i| sum * 10 + word(first + i) as i32);
            let texel: [u32; 4] = match op {
                ImageOp::Sample { lod, dref, offset, min_lod } => {
                    use pyro_abi::image::LodMode as L;
                    let mut rest = if dref { float(record::DREF) * 100.0 } else { 0.0 };
                    rest += match lod {
                        L::Implicit => 0.0,
                        L::Bias | L::Explicit => float(record::LOD) * 1000.0,
                        L::Grad => digits(record::DDX, 2) * 1000.0 + digits(record::DDY, 2) * 100_000.0,
                    };
                    rest += if offset { int_digits(record::OFFSET, 2) as f32 } else { 0.0 };
                    rest += if min_lod { float(record::LOD_MIN) * 0.5 } else { 0.0 };
                    let code = (function.code * 10 + function.row) as f32;
                    [digits(record::COORDINATE, 3), code, name as f32, rest].map(f32::to_bits)
                }
                ImageOp::Gather { .. } | ImageOp::Pick { .. } => {
                    let offset = matches!(op, ImageOp::Gather { offset: true, .. } | ImageOp::Pick { .. });
                    let rest = if offset { int_digits(record::OFFSET, 2) as f32 } else { 0.0 };
                    let code = (function.code * 10 + function.row) as f32;
                    [digits(record::COORDINATE, 3), code, name as f32, rest].map(f32::to_bits)
                }
                // Their results are not those of a sample.
                ImageOp::Footprint { .. } => continue,
                ImageOp::QueryLod => {
                    [digits(record::COORDINATE, 2), function.row as f32, 0.0, 0.0].map(f32::to_bits)
                }
                ImageOp::Fetch { offset } => {
                    let offset = if offset { int_digits(record::OFFSET, 2) } else { 0 };
                    let place = int_digits(record::COORDINATE, 2);
                    [place as f32, word(record::LOD) as f32, name as f32, offset as f32].map(f32::to_bits)
                }
                ImageOp::Read => [int_digits(record::COORDINATE, 2) as u32, function.code, name as u32, 0],
                ImageOp::Atomic(_) => {
                    [word(record::TEXEL) + 1000 * function.code + 1_000_000 * word(record::COORDINATE), 0, 0, 0]
                }
                ImageOp::Write { .. } => {
                    // The image's address is that of the words that it keeps.
                    let address: u64 = memory.load(image);
                    let index = int_digits(record::COORDINATE, 2) as u64;
                    let sum =
                        (0..4).fold(0u32, |sum, i| sum.wrapping_mul(10).wrapping_add(word(record::TEXEL + i)));
                    memory.store(address + 4 * index, sum);
                    continue;
                }
            };
            for (column, word) in (record::TEXEL..).zip(texel) {
                memory.store(at(column), word);
            }
        }
        0
    }
}

impl Functions {
    pub(crate) fn new() -> Functions {
        let (mut functions, mut rows) = (Vec::new(), Vec::new());
        let mut table = vec![0; TABLE_ENTRIES];
        for lanes in [4, 8, 16, 32, 64] {
            for row in 0..3 {
                let mut addresses = vec![0; ROW_ENTRIES];
                for code in 0..60 {
                    let callable = Callable { entry, context: 0 };
                    let function = Box::new(Function { callable, lanes, code, row });
                    addresses[code as usize] = (&raw const *function).expose_provenance() as u64;
                    functions.push(function);
                }
                table[table_index(lanes, row)] = addresses.as_ptr().expose_provenance() as u64;
                rows.push(addresses);
            }
        }
        Functions { table, _rows: rows, _functions: functions }
    }

    /// An image of 12 x 7 texels, 18 layers, 4 levels, with a name.
    pub(crate) fn image(&self, name: u64, words: &mut [u32]) -> Box<ImageRecord> {
        Box::new(ImageRecord {
            address: words.as_mut_ptr().expose_provenance() as u64,
            functions: self.table.as_ptr().expose_provenance() as u64,
            view: name,
            width: 12,
            height: 7,
            depth: 5,
            layers: 18,
            levels: 4,
            samples: 2,
            ..ImageRecord::default()
        })
    }
}

/// A sampler with a row.
pub(crate) fn sampler(row: u32) -> Box<SamplerRecord> {
    Box::new(SamplerRecord { row, ..SamplerRecord::default() })
}

/// A record's address.
pub(crate) fn address<T>(record: &T) -> u64 {
    (&raw const *record).expose_provenance() as u64
}

/// Descriptors of pairs of records.
pub(crate) fn descriptors(kind: pyro_abi::DescriptorKind, pairs: &[[u64; 2]]) -> super::Buffer {
    let words = pairs.iter().flatten().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
    super::Buffer { kind, words, count: pairs.len() as u32, binding: super::Binding::Resource }
}
