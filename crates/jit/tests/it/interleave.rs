//! Components that lie side by side: every lane reads and writes its own words, and no others are touched.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Words from the beginning of what is read to that of what is written.
const WRITTEN: u32 = 0x400;

/// Which components of how many are accessed by lane, how many words the lanes are apart, and whether only
/// active lanes access.
#[derive(Clone, Copy, Debug)]
struct Components {
    lanes: u32,
    words: u32,
    stride: u32,
    members: u32,
    masked: bool,
}

impl Components {
    fn numbers(self) -> impl Iterator<Item = u32> {
        (0..self.words).filter(move |component| self.members >> component & 1 != 0)
    }

    /// `memory[WRITTEN + lane * stride + c] = memory[lane * stride + c] + c + 1`.
    fn function(self) -> Function {
        crate::support::function(self.lanes, |begun| {
            let offset = begun.lanes_times(4 * self.stride);
            let always = begun.builder.bool(true);
            let active = if self.masked { begun.active } else { begun.builder.splat(always) };
            let memory = |word: u32| MemoryOp::new(Space::Global).at(4 * word as i32);
            let base = begun.base;
            let sums: Vec<_> = self
                .numbers()
                .map(|component| {
                    let added = begun.splat(component + 1);
                    let value = begun.builder.load(Scalar::I32, memory(component), base, offset, active);
                    (component, begun.builder.op(Opcode::IAdd, &[value, added]))
                })
                .collect();
            for (component, sum) in sums {
                begun.builder.store(memory(WRITTEN + component), base, offset, sum, active);
            }
        })
    }

    fn check(self, name: &str, features: Features) {
        let all = crate::support::all(self.lanes);
        let kernel = crate::support::compiled(&self.function(), features);
        for active in [all, all >> 1, all & 0x7777_1234_fffe_0ff0, 0] {
            let active = if self.masked { active } else { all };
            let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let mut expected = memory.clone();
            for lane in (0..self.lanes).filter(|lane| active >> lane & 1 != 0) {
                for component in self.numbers() {
                    let place = lane * self.stride + component;
                    expected[(WRITTEN + place) as usize] = memory[place as usize].wrapping_add(component + 1);
                }
            }
            let base = memory.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run(&kernel, base, active, false);
            }
            assert_eq!(memory, expected, "{name}, {self:?}, {active:#x}");
        }
    }
}

#[test]
fn lanes_have_their_own_words() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for (words, stride) in [(2, 2), (3, 3), (4, 4), (2, 5), (4, 7), (8, 8), (8, 12), (4, 15)] {
                let members =
                    if words == 8 { [0xff, 0xf0, 0x77, 0x3c].to_vec() } else { (1..1 << words).collect() };
                for members in members {
                    for masked in [false, true] {
                        Components { lanes, words, stride, members, masked }.check(name, features);
                    }
                }
            }
        }
    }
}

/// Words from a block's first row to its second one.
const SECOND: u32 = 0x100;

/// The lane of quad order with the pixel of an element of row order.
fn quad_lane(element: u32) -> u32 {
    (element & 6) << 1 | element >> 3 << 1 | element & 1
}

/// Adds the pixels' lanes of quad order to two rows of eight pixels of so many words, by way of that order.
fn through_quads(words: u32) -> Function {
    crate::support::function(16, |begun| {
        let [offset, b] = [begun.lanes_times(4 * words), begun.base];
        let lane = begun.lane;
        let [one, two, three, six, eight] = [1, 2, 3, 6, 8].map(|number| begun.splat(number));
        let builder = &mut begun.builder;
        let mut op = |op, a, b| builder.op(op, &[a, b]);
        let (low, columns) = (op(Opcode::And, lane, one), op(Opcode::And, lane, six));
        let (columns, row) = (op(Opcode::Shl, columns, one), op(Opcode::LShr, lane, three));
        let row = op(Opcode::Shl, row, one);
        let to_rows = op(Opcode::Or, columns, row);
        let to_rows = op(Opcode::Or, to_rows, low);
        let (columns, row) = (op(Opcode::LShr, lane, two), op(Opcode::And, lane, two));
        let (columns, row) = (op(Opcode::Shl, columns, one), op(Opcode::Shl, row, two));
        let to_quads = op(Opcode::Or, columns, row);
        let to_quads = op(Opcode::Or, to_quads, low);
        let first = op(Opcode::ULt, lane, eight);
        let rows = [first, builder.op(Opcode::Not, &[first])];
        let place = |row: usize, from: u32, word: u32| {
            let second = SECOND - 8 * words;
            MemoryOp::new(Space::Global).at(4 * (from + row as u32 * second + word) as i32)
        };
        let sums: Vec<_> = (0..words)
            .map(|word| {
                let [first, second] =
                    [0, 1].map(|row| builder.load(Scalar::I32, place(row, 0, word), b, offset, rows[row]));
                let value = builder.op(Opcode::Or, &[first, second]);
                let value = builder.op(Opcode::Shuffle, &[value, to_quads]);
                let value = builder.op(Opcode::IAdd, &[value, lane]);
                builder.op(Opcode::Shuffle, &[value, to_rows])
            })
            .collect();
        for (word, &sum) in (0..).zip(&sums) {
            for (row, &lanes) in rows.iter().enumerate() {
                builder.store(place(row, WRITTEN, word), b, offset, sum, lanes);
            }
        }
    })
}

#[test]
fn rows_of_blocks_are_halves_of_a_subgroup() {
    for (name, features) in Features::all() {
        for words in 1..=4 {
            let kernel = crate::support::compiled(&through_quads(words), features);
            let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let mut expected = memory.clone();
            for element in 0..16 {
                for word in 0..words {
                    let place = (element / 8 * SECOND + element % 8 * words + word) as usize;
                    let sum = memory[place].wrapping_add(quad_lane(element));
                    expected[WRITTEN as usize + place] = sum;
                }
            }
            let base = memory.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run(&kernel, base, crate::support::all(16), false);
            }
            assert_eq!(memory, expected, "{name}, {words} words");
        }
    }
}

/// Words from the beginning of what is read to the offsets that lanes have.
const ORDER: u32 = 0x380;

/// Lanes read some of four neighbouring words at offsets from memory, and write them in columns.
fn anywhere(lanes: u32, members: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let column = begun.lanes_times(4);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let offset = begun.builder.load(Scalar::I32, order, begun.base, column, active);
        let components = || (0..4).filter(|component| members >> component & 1 != 0);
        let loaded: Vec<_> = components()
            .map(|component| {
                let from = MemoryOp::new(Space::Global).at(4 * component);
                begun.builder.load(Scalar::I32, from, begun.base, offset, active)
            })
            .collect();
        for (component, value) in components().zip(loaded) {
            let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + component * 64));
            begun.builder.store(to, begun.base, column, value, active);
        }
    })
}

#[test]
fn lanes_read_neighbouring_words_anywhere() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for (members, masked) in (1..16).flat_map(|members| [(members, false), (members, true)]) {
                let kernel = crate::support::compiled(&anywhere(lanes, members, masked), features);
                let all = crate::support::all(lanes);
                for active in if masked { vec![all, all & 0x7777_1234_fffe_0ff0, 2, 0] } else { vec![all] } {
                    let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                    for lane in 0..lanes {
                        memory[(ORDER + lane) as usize] = (lane ^ 5) * 48;
                    }
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                        for component in (0..4).filter(|component| members >> component & 1 != 0) {
                            let to = WRITTEN + component * 64 + lane;
                            expected[to as usize] = memory[((lane ^ 5) * 12 + component) as usize];
                        }
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(memory, expected, "{name}, {lanes} lanes, {members:#b}, {active:#x}");
                }
            }
        }
    }
}

/// All lanes read words so many bytes from offsets that memory says, and write them in columns.
fn spread(lanes: u32, places: &[i32]) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let all = begun.builder.splat(always);
        let column = begun.lanes_times(4);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let offset = begun.builder.load(Scalar::I32, order, begun.base, column, all);
        let loaded: Vec<_> = places
            .iter()
            .map(|&place| {
                let from = MemoryOp::new(Space::Global).at(place);
                begun.builder.load(Scalar::I32, from, begun.base, offset, all)
            })
            .collect();
        for (row, value) in (0..).zip(loaded) {
            let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + row * 64));
            begun.builder.store(to, begun.base, column, value, all);
        }
    })
}

#[test]
fn lanes_read_words_that_are_spread() {
    let spreads: [&[i32]; 9] = [
        &[0, 8, 16, 24],
        &[24, 8, 0, 16],
        &[0, 4, 6, 10],
        &[0, 4, 16, 20, 32, 36, 48, 52],
        &[0, 4, 5, 9],
        &[0, 4, 40, 44, 12],
        &[0, 8, 16, 20],
        &[-8, 0, 8, 16, 20, 24],
        &[0, 0, 4, 6, 10],
    ];
    for (name, features) in Features::all() {
        for (lanes, places) in
            [16, 32, 64].into_iter().flat_map(|lanes| spreads.map(|places| (lanes, places)))
        {
            let kernel = crate::support::compiled(&spread(lanes, places), features);
            let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let start = |lane: u32| 8 + (lane ^ 5) * 44 + lane % 3;
            for lane in 0..lanes {
                memory[(ORDER + lane) as usize] = start(lane);
            }
            let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut expected = memory.clone();
            for lane in 0..lanes {
                for (row, &place) in (0..).zip(places) {
                    let from = (start(lane) as i32 + place) as usize;
                    let word = bytes[from..from + 4].try_into().expect("four bytes");
                    expected[(WRITTEN + row * 64 + lane) as usize] = u32::from_le_bytes(word);
                }
            }
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run_over(&kernel, &mut memory, lanes);
            }
            assert_eq!(memory, expected, "{name}, {lanes} lanes, {places:?}");
        }
    }
}

/// Every second word, halves two words apart, and pairs that are apart are whole loads of each lane, without
/// masks and gathers.
#[test]
fn words_that_are_spread_are_loads_of_lanes() {
    for (places, loads) in
        [(&[0, 8, 16, 24], 32), (&[0, 4, 6, 10], 32), (&[0, 4, 16, 20], 32), (&[0, 4, 8, 12], 16)]
    {
        let text = crate::support::assembly(&spread(16, places), Features::base(Level::Avx512));
        let count = |name: &str| text.lines().filter(|line| line.contains(name)).count();
        assert_eq!(count("vpgatherdd"), 0, "{places:?}\n{text}");
        assert_eq!(count("vbroadcastf32x4"), 0, "{places:?}\n{text}");
        let halves = count("vmovsd") + count("vmovhps");
        let quads = text
            .lines()
            .filter(|line| line.contains("xmm") && line.contains('[') && line.contains("vmovups"));
        let inserted = text.lines().filter(|line| line.contains("vinsertf32x4") && line.contains('['));
        assert_eq!(halves + quads.count() + inserted.count(), loads, "{places:?}\n{text}");
    }
}

/// Which place a lane reads, of those that it shares with others.
#[derive(Clone, Copy, Debug)]
enum Shared {
    /// So many lanes a row, as a power of two; rows are so far apart as memory says.
    Rows(u32),
    /// Every eighth lane the same, so far apart as the code says.
    Repeated,
}

impl Shared {
    const PITCH: u32 = 48;

    fn of(self, lane: u32) -> u32 {
        match self {
            Shared::Rows(shift) => (lane >> shift) * Shared::PITCH,
            Shared::Repeated => (lane & 7) * Shared::PITCH,
        }
    }

    /// Lanes read four neighbouring words of the places that they share, and write them in columns.
    fn function(self, lanes: u32, masked: bool) -> Function {
        crate::support::function(lanes, |begun| {
            let always = begun.builder.bool(true);
            let active = if masked { begun.active } else { begun.builder.splat(always) };
            let column = begun.lanes_times(4);
            let zero = begun.builder.i32(0);
            let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
            let offset = match self {
                Shared::Rows(shift) => {
                    let pitch = begun.builder.load(Scalar::I32, order, begun.base, zero, always);
                    let (pitch, shift) = (begun.builder.splat(pitch), begun.splat(shift));
                    let row = begun.builder.op(Opcode::LShr, &[begun.lane, shift]);
                    begun.builder.op(Opcode::IMul, &[row, pitch])
                }
                Shared::Repeated => {
                    let (seven, pitch) = (begun.splat(7), begun.splat(4 * Shared::PITCH));
                    let place = begun.builder.op(Opcode::And, &[begun.lane, seven]);
                    begun.builder.op(Opcode::IMul, &[place, pitch])
                }
            };
            for component in 0..4 {
                let from = MemoryOp::new(Space::Global).at(4 * component);
                let value = begun.builder.load(Scalar::I32, from, begun.base, offset, active);
                let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + component * 64));
                begun.builder.store(to, begun.base, column, value, active);
            }
        })
    }
}

#[test]
fn lanes_share_places() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for shared in [Shared::Rows(2), Shared::Rows(3), Shared::Rows(4), Shared::Repeated] {
                for masked in [false, true] {
                    let kernel = crate::support::compiled(&shared.function(lanes, masked), features);
                    let all = crate::support::all(lanes);
                    for active in
                        if masked { vec![all, all & 0x7777_1234_fffe_0ff0, 2, 0] } else { vec![all] }
                    {
                        let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                        memory[ORDER as usize] = 4 * Shared::PITCH;
                        let mut expected = memory.clone();
                        for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                            for component in 0..4 {
                                let to = (WRITTEN + component * 64 + lane) as usize;
                                expected[to] = expected[(shared.of(lane) + component) as usize];
                            }
                        }
                        let base = memory.as_mut_ptr().expose_provenance() as u64;
                        // SAFETY: the words of all lanes lie within `memory`.
                        #[allow(unsafe_code)]
                        unsafe {
                            crate::support::run(&kernel, base, active, false);
                        }
                        assert_eq!(memory, expected, "{name}, {lanes} lanes, {shared:?}, {active:#x}");
                    }
                }
            }
        }
    }
}

/// Levels of which the code is looked at, whatever this processor has.
const LONG_VECTORS: [Features; 2] = [Features::base(Level::Avx512), Features::base(Level::Avx2)];

#[test]
fn rows_that_lanes_share_are_broadcast() {
    for features in LONG_VECTORS {
        for (lanes, shift) in [(16, 2), (16, 3), (8, 2)] {
            for masked in [false, true] {
                let is_short = features.level == Level::Avx2;
                // Stores are between the loads, so that each is on its own.
                if is_short && shift == 2 && masked || !is_short && lanes == 8 {
                    continue;
                }
                let text = crate::support::assembly(&Shared::Rows(shift).function(lanes, masked), features);
                assert!(!text.contains("gather"), "{features:?}, {lanes} lanes, {shift}, {masked}: {text}");
            }
        }
    }
}

#[test]
fn neighbouring_words_anywhere_are_a_load_for_each_lane() {
    for features in LONG_VECTORS {
        // There two gathers take less time; where all lanes take part, loads of one word each do.
        let is_short = features.level == Level::Avx2;
        for lanes in [8, 16, 32, 64] {
            if lanes == 8 && features.level == Level::Avx512 {
                continue;
            }
            for (members, gathers) in
                [(0b1111, false), (0b0111, false), (0b1101, false), (0b0011, is_short), (0b0010, true)]
            {
                for masked in [false, true] {
                    let text = crate::support::assembly(&anywhere(lanes, members, masked), features);
                    let what = format!("{features:?}, {lanes} lanes, {members:#b}, {masked}");
                    // The offsets are loaded side by side.
                    let gathers = gathers && (masked || !is_short);
                    assert_eq!(text.contains("gather"), gathers, "{what}: {text}");
                }
            }
        }
    }
}

#[test]
fn lanes_that_are_apart_need_no_gathers() {
    for features in LONG_VECTORS {
        for lanes in [8, 16, 32] {
            if lanes == 8 && features.level == Level::Avx512 {
                continue;
            }
            for masked in [false, true] {
                let components = Components { lanes, words: 4, stride: 16, members: 0b1111, masked };
                let text = crate::support::assembly(&components.function(), features);
                // Scatters of AVX2 are loops that take one bit of a mask after the other.
                for slow in ["gather", "scatter", "blsr"] {
                    assert!(!text.contains(slow), "{features:?}, {lanes} lanes, {masked}: {text}");
                }
            }
        }
    }
}

/// Rows of eight lanes, so far apart as memory says: what lanes read and write, plus one.
fn rows_of_eight(lanes: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let zero = begun.builder.i32(0);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let pitch = begun.builder.load(Scalar::I32, order, begun.base, zero, always);
        let (pitch, [three, seven, two, one]) =
            (begun.builder.splat(pitch), [3, 7, 2, 1].map(|number| begun.splat(number)));
        let row = begun.builder.op(Opcode::LShr, &[begun.lane, three]);
        let row = begun.builder.op(Opcode::IMul, &[row, pitch]);
        let column = begun.builder.op(Opcode::And, &[begun.lane, seven]);
        let column = begun.builder.op(Opcode::Shl, &[column, two]);
        let offset = begun.builder.op(Opcode::IAdd, &[row, column]);
        let memory = MemoryOp::new(Space::Global);
        let value = begun.builder.load(Scalar::I32, memory, begun.base, offset, active);
        let value = begun.builder.op(Opcode::IAdd, &[value, one]);
        let to = memory.at(4 * WRITTEN as i32);
        begun.builder.store(to, begun.base, offset, value, active);
    })
}

#[test]
fn rows_of_eight_lanes_are_moved() {
    for (name, features) in Features::all() {
        for lanes in [16, 32, 64] {
            for masked in [false, true] {
                let function = rows_of_eight(lanes, masked);
                let kernel = crate::support::compiled(&function, features);
                let all = crate::support::all(lanes);
                for (active, pitch) in [(all, 40), (all & 0x7777_1234_fffe_0ff0, 40), (all, 0), (0, 8)] {
                    let active = if masked { active } else { all };
                    let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                    memory[ORDER as usize] = 4 * pitch;
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                        let place = (lane >> 3) * pitch + (lane & 7);
                        expected[(WRITTEN + place) as usize] = memory[place as usize].wrapping_add(1);
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(memory, expected, "{name}, {lanes} lanes, {masked}, {active:#x}");
                }
            }
        }
    }
    for features in LONG_VECTORS {
        for masked in [false, true] {
            let text = crate::support::assembly(&rows_of_eight(32, masked), features);
            for slow in ["gather", "scatter", "blsr"] {
                assert!(!text.contains(slow), "{features:?}, {masked}: {text}");
            }
        }
    }
}

#[test]
fn whole_registers_are_moved() {
    for (name, features) in Features::all() {
        for lanes in [16, 32, 64] {
            let components = Components { lanes, words: 4, stride: 4, members: 0b1111, masked: true };
            let assembly = crate::support::assembly(&components.function(), features);
            for slow in ["gather", "scatter"] {
                assert!(!assembly.contains(slow), "{name}, {lanes} lanes: {assembly}");
            }
        }
    }
}

/// Vectors of four words in two rows of eight lanes at a known distance: copied, each word plus one.
fn vectors_in_rows(lanes: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let [three, seven, four, pitch, one] = [3, 7, 4, 0x90, 1].map(|number| begun.splat(number));
        let row = begun.builder.op(Opcode::LShr, &[begun.lane, three]);
        let row = begun.builder.op(Opcode::IMul, &[row, pitch]);
        let column = begun.builder.op(Opcode::And, &[begun.lane, seven]);
        let column = begun.builder.op(Opcode::Shl, &[column, four]);
        let offset = begun.builder.op(Opcode::IAdd, &[row, column]);
        let memory = |word: i32| MemoryOp::new(Space::Global).at(4 * word);
        let values = [0, 1, 2, 3]
            .map(|word| begun.builder.load(Scalar::I32, memory(word), begun.base, offset, active))
            .map(|value| begun.builder.op(Opcode::IAdd, &[value, one]));
        for (word, value) in (WRITTEN as i32..).zip(values) {
            begun.builder.store(memory(word), begun.base, offset, value, active);
        }
    })
}

#[test]
fn vectors_in_rows_are_whole_registers() {
    for lanes in [16, 32] {
        for masked in [false, true] {
            let text =
                crate::support::assembly(&vectors_in_rows(lanes, masked), Features::base(Level::Avx512));
            // Sixteen lanes are four registers of words, moved without any part of them.
            for slow in ["gather", "scatter", "vbroadcastf32x4", "vinsertf32x4", "vextract"] {
                assert!(!text.contains(slow), "{lanes} lanes, {masked}: {text}");
            }
            let text = crate::support::assembly(&vectors_in_rows(lanes, masked), Features::base(Level::Avx2));
            for slow in ["gather", "blsr"] {
                assert!(!text.contains(slow), "{lanes} lanes, {masked}: {text}");
            }
        }
    }
}

/// Bytes that the vectors of an array take, by the components that lanes write of them.
const fn vector_bytes(members: u32) -> u32 {
    if members & 0b1100 == 0 { 8 } else { 16 }
}

/// Lanes read words in columns, and write them as neighbours of the vectors whose numbers are in memory.
fn to_vectors(lanes: u32, members: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let column = begun.lanes_times(4);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let number = begun.builder.load(Scalar::I32, order, begun.base, column, active);
        let size = begun.splat(vector_bytes(members).trailing_zeros());
        let offset = begun.builder.op(Opcode::Shl, &[number, size]);
        let components = || (0..4).filter(|component| members >> component & 1 != 0);
        let loaded: Vec<_> = components()
            .map(|component| {
                let from = MemoryOp::new(Space::Global).at(4 * component * 64);
                (component, begun.builder.load(Scalar::I32, from, begun.base, column, active))
            })
            .collect();
        for (component, value) in loaded {
            let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + component));
            begun.builder.store(to, begun.base, offset, value, active);
        }
    })
}

#[test]
fn lanes_write_vectors_anywhere() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for (members, masked) in (1..16).flat_map(|members| [(members, false), (members, true)]) {
                let kernel = crate::support::compiled(&to_vectors(lanes, members, masked), features);
                let all = crate::support::all(lanes);
                for active in if masked { vec![all, all & 0x7777_1234_fffe_0ff0, 2, 0] } else { vec![all] } {
                    let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                    // Some lanes write to one vector: the last of them remains.
                    let number = |lane: u32| if lane % 7 == 6 { 3 } else { lane ^ 5 };
                    for lane in 0..lanes {
                        memory[(ORDER + lane) as usize] = number(lane);
                    }
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                        for component in (0..4).filter(|component| members >> component & 1 != 0) {
                            let to = WRITTEN + number(lane) * vector_bytes(members) / 4 + component;
                            expected[to as usize] = memory[(component * 64 + lane) as usize];
                        }
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(memory, expected, "{name}, {lanes} lanes, {members:#b}, {active:#x}");
                }
            }
        }
    }
}

#[test]
fn vectors_anywhere_are_stored_without_scatters() {
    for features in LONG_VECTORS {
        // Stores of AVX2 under masks take long.
        let is_short = features.level == Level::Avx2;
        for lanes in [8, 16, 32, 64] {
            if lanes == 8 && !is_short {
                continue;
            }
            for (members, scatters) in
                [(0b1111, false), (0b0111, is_short), (0b0011, is_short), (0b0010, true)]
            {
                for masked in [false, true] {
                    let text = crate::support::assembly(&to_vectors(lanes, members, masked), features);
                    // Scatters of AVX2 are loops that take one bit of a mask after the other.
                    let found = text.contains("scatter") || text.contains("blsr");
                    // Those of all lanes need no mask.
                    let expected = scatters && (masked || !is_short);
                    assert_eq!(
                        found, expected,
                        "{features:?}, {lanes} lanes, {members:#b}, {masked}: {text}"
                    );
                }
            }
        }
    }
}

/// Lanes read some of four neighbouring words of one of eight places, which follow from numbers in memory.
fn repeated(lanes: u32, members: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let column = begun.lanes_times(4);
        let zero = begun.builder.i32(0);
        let order = |place: u32| MemoryOp::new(Space::Global).at(4 * (ORDER + place) as i32);
        let (pitch, most) = (
            begun.builder.load(Scalar::I32, order(0), begun.base, zero, always),
            begun.builder.load(Scalar::I32, order(1), begun.base, zero, always),
        );
        let (pitch, most) = (begun.builder.splat(pitch), begun.builder.splat(most));
        let seven = begun.splat(7);
        let place = begun.builder.op(Opcode::And, &[begun.lane, seven]);
        let place = begun.builder.op(Opcode::IMul, &[place, pitch]);
        let offset = begun.builder.op(Opcode::UMin, &[place, most]);
        let loaded: Vec<_> = (0..4)
            .filter(|component| members >> component & 1 != 0)
            .map(|component| {
                let from = MemoryOp::new(Space::Global).at(4 * component);
                (component, begun.builder.load(Scalar::I32, from, begun.base, offset, active))
            })
            .collect();
        for (component, value) in loaded {
            let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + component * 64));
            begun.builder.store(to, begun.base, column, value, active);
        }
    })
}

#[test]
fn places_that_follow_from_the_column_repeat() {
    const PITCH: u32 = 52;
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for (members, masked) in (1..16).flat_map(|members| [(members, false), (members, true)]) {
                let kernel = crate::support::compiled(&repeated(lanes, members, masked), features);
                let all = crate::support::all(lanes);
                // Also lanes of which only the first of two takes part, or only the second.
                for active in if masked { vec![all, all & 0x7777_1234_fffe_0ff0, 2, 0] } else { vec![all] } {
                    let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                    (memory[ORDER as usize], memory[ORDER as usize + 1]) = (PITCH, 6 * PITCH);
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                        for component in (0..4).filter(|component| members >> component & 1 != 0) {
                            let to = WRITTEN + component * 64 + lane;
                            let from = (lane & 7).min(6) * PITCH / 4 + component;
                            expected[to as usize] = memory[from as usize];
                        }
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(memory, expected, "{name}, {lanes} lanes, {members:#b}, {active:#x}");
                }
            }
        }
    }
}

#[test]
fn what_repeats_is_loaded_once() {
    let count = |text: &str, what: &str| text.matches(what).count();
    for lanes in [16, 32] {
        let registers = lanes as usize / 16;
        for masked in [false, true] {
            let text =
                crate::support::assembly(&repeated(lanes, 0b0010, masked), Features::base(Level::Avx512));
            assert_eq!(count(&text, "vpgatherdd ymm"), registers, "{lanes} lanes, {masked}: {text}");
            assert_eq!(count(&text, "vpgatherdd"), registers, "{lanes} lanes, {masked}: {text}");
        }
        let text = crate::support::assembly(&repeated(lanes, 0b1111, false), Features::base(Level::Avx512));
        assert_eq!(count(&text, "vinsertf32x4"), 4 * registers, "{lanes} lanes: {text}");
        assert_eq!(count(&text, "vbroadcastf32x4"), 0, "{lanes} lanes: {text}");
    }
}

/// Pairs of words in rows of eight lanes, as far apart as memory says: copied, each word plus one.
fn pairs_in_rows(lanes: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let zero = begun.builder.i32(0);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let pitch = begun.builder.load(Scalar::I32, order, begun.base, zero, always);
        let pitch = begun.builder.splat(pitch);
        let [three, seven, eight, one] = [3, 7, 8, 1].map(|number| begun.splat(number));
        let row = begun.builder.op(Opcode::LShr, &[begun.lane, three]);
        let row = begun.builder.op(Opcode::IMul, &[row, pitch]);
        let column = begun.builder.op(Opcode::And, &[begun.lane, seven]);
        // That rows are multiples of eight bytes apart is known.
        let offset = begun.builder.op(Opcode::IAdd, &[row, column]);
        let offset = begun.builder.op(Opcode::IMul, &[offset, eight]);
        let memory = |word: i32| MemoryOp::new(Space::Global).at(4 * word);
        let values = [0, 1]
            .map(|word| begun.builder.load(Scalar::I32, memory(word), begun.base, offset, active))
            .map(|value| begun.builder.op(Opcode::IAdd, &[value, one]));
        for (word, value) in (WRITTEN as i32..).zip(values) {
            begun.builder.store(memory(word), begun.base, offset, value, active);
        }
    })
}

#[test]
fn pairs_in_rows_are_moved() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for masked in [false, true] {
                let kernel = crate::support::compiled(&pairs_in_rows(lanes, masked), features);
                let all = crate::support::all(lanes);
                for (active, pitch) in
                    [(all, 20), (all & 0x7777_1234_fffe_0ff0, 20), (all, 3), (all, 0), (2, 8)]
                {
                    let active = if masked { active } else { all };
                    let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word ^ 0x9e37_79b9).collect();
                    memory[ORDER as usize] = pitch;
                    let mut expected = memory.clone();
                    for word in 0..2 {
                        for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                            let place = ((lane >> 3) * pitch + (lane & 7)) * 2 + word;
                            expected[(WRITTEN + place) as usize] = memory[place as usize].wrapping_add(1);
                        }
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(memory, expected, "{name}, {lanes} lanes, {masked}, {active:#x}, {pitch}");
                }
            }
        }
    }
    for lanes in [16, 32] {
        for masked in [false, true] {
            let text = crate::support::assembly(&pairs_in_rows(lanes, masked), Features::base(Level::Avx512));
            for slow in ["gather", "scatter", "vinsertf32x4", "vbroadcastf32x4", "vextract"] {
                assert!(!text.contains(slow), "{lanes} lanes, {masked}: {text}");
            }
        }
    }
}

/// Bytes of a block of weights, of which each of four lanes reads two words.
const BLOCK: u32 = 34;

/// Where a lane's first word is, behind the first block that memory says.
fn in_block(lane: u32) -> u32 {
    lane / 4 * BLOCK + lane % 4 * 8
}

/// Lanes read some of two words, or one half of a word, of their parts of blocks, and write them in columns.
fn blocks(lanes: u32, scalar: Scalar, members: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let active = if masked { begun.active } else { begun.builder.splat(always) };
        let zero = begun.builder.i32(0);
        let order = MemoryOp::new(Space::Global).at(4 * ORDER as i32);
        let first = begun.builder.load(Scalar::I32, order, begun.base, zero, always);
        let first = begun.builder.splat(first);
        let (two, three) = (begun.splat(2), begun.splat(3));
        let (bytes, size) = (begun.splat(BLOCK), begun.splat(8));
        let block = begun.builder.op(Opcode::LShr, &[begun.lane, two]);
        let part = begun.builder.op(Opcode::And, &[begun.lane, three]);
        let block = begun.builder.op(Opcode::IMul, &[block, bytes]);
        let part = begun.builder.op(Opcode::IMul, &[part, size]);
        let offset = begun.builder.op(Opcode::IAdd, &[block, part]);
        let offset = begun.builder.op(Opcode::IAdd, &[offset, first]);
        let column = begun.lanes_times(4);
        let loaded: Vec<_> = (0..2)
            .filter(|component| members >> component & 1 != 0)
            .map(|component| {
                let from = MemoryOp::new(Space::Global).at(4 * component + 2);
                let value = begun.builder.load(scalar, from, begun.base, offset, active);
                (component, begun.builder.convert(Opcode::ZeroExtend, value, Scalar::I64))
            })
            .collect();
        for (component, value) in loaded {
            let value = begun.builder.convert(Opcode::Truncate, value, Scalar::I32);
            let to = MemoryOp::new(Space::Global).at(4 * (WRITTEN as i32 + component * 64));
            begun.builder.store(to, begun.base, column, value, active);
        }
    })
}

#[test]
fn lanes_read_their_parts_of_blocks() {
    const FIRST: u32 = 20;
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for (scalar, members, masked) in [
                (Scalar::I32, 0b11, false),
                (Scalar::I32, 0b11, true),
                (Scalar::I32, 0b01, false),
                (Scalar::I16, 0b10, false),
                (Scalar::I16, 0b11, true),
            ] {
                let kernel = crate::support::compiled(&blocks(lanes, scalar, members, masked), features);
                let all = crate::support::all(lanes);
                for active in if masked { vec![all, all & 0x7777_1234_fffe_0ff0, 2, 0] } else { vec![all] } {
                    let mut memory: Vec<u32> =
                        (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
                    memory[ORDER as usize] = FIRST;
                    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                        for component in (0..2).filter(|component| members >> component & 1 != 0) {
                            let from = (FIRST + in_block(lane) + 4 * component + 2) as usize;
                            let element = &bytes[from..from + scalar.bytes() as usize];
                            let number =
                                element.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
                            expected[(WRITTEN + component * 64 + lane) as usize] = number;
                        }
                    }
                    let base = memory.as_mut_ptr().expose_provenance() as u64;
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run(&kernel, base, active, false);
                    }
                    assert_eq!(
                        memory, expected,
                        "{name}, {lanes} lanes, {scalar:?}, {members:#b}, {active:#x}"
                    );
                }
            }
        }
    }
}

#[test]
fn parts_of_blocks_are_loaded_by_windows() {
    for lanes in [16, 32] {
        for (scalar, members) in [(Scalar::I32, 0b11), (Scalar::I32, 0b10), (Scalar::I16, 0b01)] {
            // A register of 32 halves would be of more windows than there may be.
            if lanes == 32 && scalar == Scalar::I16 {
                continue;
            }
            let text = crate::support::assembly(
                &blocks(lanes, scalar, members, false),
                Features::base(Level::Avx512),
            );
            for slow in ["gather", "vbroadcastf32x4"] {
                assert!(!text.contains(slow), "{lanes} lanes, {scalar:?}, {members:#b}: {text}");
            }
            // Runs of four lanes are moved to their places, and need only be told apart.
            if members == 0b11 {
                assert!(!text.contains("vpermi2w"), "{lanes} lanes: {text}");
                assert!(text.contains("vpermi2d"), "{lanes} lanes: {text}");
            }
        }
    }
}

/// Words from the beginning, where the lanes' offsets are, to what lies at those.
const READ: u32 = 0x80;

/// `memory[WRITTEN + row * lanes + lane]` becomes the word at the lane's offset, and in the next row that
/// behind it.
fn pairs_anywhere(lanes: u32, masked: bool) -> Function {
    crate::support::function(lanes, |begun| {
        let own = begun.lanes_times(4);
        let always = begun.builder.bool(true);
        let all = begun.builder.splat(always);
        let taking_part = if masked { begun.active } else { all };
        let base = begun.base;
        let memory = |word: u32| MemoryOp::new(Space::Global).at(4 * word as i32);
        let offset = begun.builder.load(Scalar::I32, memory(0), base, own, all);
        let [first, second] = [0, 1]
            .map(|word| begun.builder.load(Scalar::I32, memory(READ + word), base, offset, taking_part));
        begun.builder.store(memory(WRITTEN), base, own, first, taking_part);
        begun.builder.store(memory(WRITTEN + lanes), base, own, second, taking_part);
    })
}

#[test]
fn two_words_anywhere_are_one_load_for_each_lane() {
    for lanes in [8, 16, 32] {
        for (name, features) in Features::all() {
            for masked in [false, true] {
                let kernel = crate::support::compiled(&pairs_anywhere(lanes, masked), features);
                let active = if masked {
                    crate::support::all(lanes) & 0x7777_5a5a
                } else {
                    crate::support::all(lanes)
                };
                let mut memory: Vec<u32> =
                    (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
                for lane in 0..lanes {
                    memory[lane as usize] = 4 * (lane * 7919 % 61);
                }
                let mut expected = memory.clone();
                for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                    let place = READ + memory[lane as usize] / 4;
                    for row in 0..2 {
                        expected[(WRITTEN + row * lanes + lane) as usize] = memory[(place + row) as usize];
                    }
                }
                let base = memory.as_mut_ptr().expose_provenance() as u64;
                // SAFETY: the words of all lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run(&kernel, base, active, false);
                }
                assert_eq!(memory, expected, "{name}, {lanes} lanes, masked: {masked}");
            }
        }
        let code = crate::support::assembly(&pairs_anywhere(lanes, false), Features::base(Level::Avx2));
        let count = |name: &str| code.lines().filter(|line| line.contains(name)).count() as u32;
        assert_eq!([count("vmovsd"), count("vmovhps")], [lanes / 2; 2], "{code}");
        assert_eq!([count("vpinsrd"), count("vpgather")], [0; 2], "{code}");
    }
}
