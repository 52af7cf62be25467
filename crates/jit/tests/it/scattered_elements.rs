//! Elements of 8 to 64 bits that are not consecutive: every lane reads and writes its own, also misaligned
//! ones and those beside pages that may not be touched.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

/// Bytes of a page, and from what is read to what is written.
const PAGE: usize = 4096;
const WRITTEN: usize = 2 * PAGE;

/// Two pages with pages around them that may not be touched.
struct Pages {
    first: *mut u8,
}

impl Pages {
    #[allow(unsafe_code)]
    fn new() -> Pages {
        // SAFETY: a new private mapping of five pages, the second and the fourth made accessible.
        unsafe {
            let start = mmap_anonymous(std::ptr::null_mut(), 5 * PAGE, ProtFlags::empty(), MapFlags::PRIVATE);
            let first = start.unwrap().cast::<u8>().add(PAGE);
            for page in [first, first.add(WRITTEN)] {
                mprotect(page.cast(), PAGE, MprotectFlags::READ | MprotectFlags::WRITE).unwrap();
            }
            Pages { first }
        }
    }

    /// The page that is read, and the one that is written.
    #[allow(unsafe_code)]
    fn pages(&mut self) -> [&mut [u8]; 2] {
        // SAFETY: both pages are mapped for as long as the process runs, and apart.
        [0, WRITTEN].map(|at| unsafe { std::slice::from_raw_parts_mut(self.first.add(at), PAGE) })
    }
}

/// How lanes find their elements, `distance` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressing {
    /// In the order of the lanes.
    Strided,
    /// In another order, by 32-bit offsets from a base for all.
    Offsets,
    /// In another order, by an address for each lane.
    Addresses,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    lanes: u32,
    scalar: Scalar,
    addressing: Addressing,
    distance: u32,
    masked: bool,
}

impl Case {
    /// The element of a lane, in the order of their places.
    fn number(self, lane: u32) -> u32 {
        if self.addressing == Addressing::Strided { lane } else { lane ^ 3 }
    }

    /// `memory[WRITTEN + place] = !memory[place]` for the active lanes.
    fn function(self) -> Function {
        crate::support::function(self.lanes, |begun| {
            let always = begun.builder.bool(true);
            let active = if self.masked { begun.active } else { begun.builder.splat(always) };
            let (order, distance) = (begun.splat(3), begun.splat(self.distance));
            let number = match self.addressing {
                Addressing::Strided => begun.lane,
                _ => begun.builder.op(Opcode::Xor, &[begun.lane, order]),
            };
            let offset = begun.builder.op(Opcode::IMul, &[number, distance]);
            let (base, offset) = match self.addressing {
                Addressing::Addresses => {
                    let base = begun.builder.splat(begun.base);
                    let wide = begun.builder.convert(Opcode::ZeroExtend, offset, Scalar::I64);
                    let zero = begun.builder.i32(0);
                    (begun.builder.op(Opcode::IAdd, &[base, wide]), zero)
                }
                _ => (begun.base, offset),
            };
            let memory = MemoryOp::new(Space::Global);
            let value = begun.builder.load(self.scalar, memory, base, offset, active);
            let value = begun.builder.op(Opcode::Not, &[value]);
            begun.builder.store(memory.at(WRITTEN as i32), base, offset, value, active);
        })
    }

    fn check(self, name: &str, features: Features, memory: &mut Pages) {
        let all = crate::support::all(self.lanes);
        let kernel = crate::support::compiled(&self.function(), features);
        let size = self.scalar.bytes() as usize;
        let span = (self.lanes - 1) as usize * self.distance as usize + size;
        // At the beginning of a page, misaligned, and up to its end.
        for first in [0, 1, 2, 3, PAGE - span] {
            for active in [all, all >> 1, all & 0x7777_1234_fffe_0ff0, 1, 0] {
                let active = if self.masked { active } else { all };
                let [read, written] = memory.pages();
                for (place, byte) in read.iter_mut().enumerate() {
                    *byte = (place.wrapping_mul(0x9e37) >> 7) as u8;
                }
                written.fill(0x55);
                let mut expected = vec![0x55; PAGE];
                for lane in (0..self.lanes).filter(|lane| active >> lane & 1 != 0) {
                    let at = first + (self.number(lane) * self.distance) as usize;
                    for place in at..at + size {
                        expected[place] = !read[place];
                    }
                }
                let base = memory.first.expose_provenance() as u64 + first as u64;
                // SAFETY: the elements of all lanes lie within the two pages.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run(&kernel, base, active, false);
                }
                let [_, written] = memory.pages();
                let wrong = written.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(wrong, None, "{name}, {self:?}, from {first}, lanes {active:#x}");
            }
        }
    }
}

/// The levels of this processor; that of AVX2 with and without loads of single lanes for gathers.
fn both_moves() -> Vec<(&'static str, Features)> {
    let turned = Features::avx2().map(|features| {
        ("avx2, the other moves", Features { microcoded_moves: !features.microcoded_moves, ..features })
    });
    Features::all().into_iter().chain(turned).collect()
}

#[test]
fn lanes_access_their_own_elements() {
    let mut memory = Pages::new();
    for (name, features) in both_moves() {
        for lanes in [4, 8, 16, 32, 64] {
            for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
                for addressing in [Addressing::Strided, Addressing::Offsets, Addressing::Addresses] {
                    let distances = [1, 2, 3, 4, 6, 8, 12, 16, 34].into_iter();
                    for distance in distances.filter(|&distance| distance >= scalar.bytes()) {
                        for masked in [false, true] {
                            let case = Case { lanes, scalar, addressing, distance, masked };
                            case.check(name, features, &mut memory);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn loads_are_gathers_of_words() {
    for (name, features) in crate::support::with_long_vectors() {
        let features = Features { microcoded_moves: false, ..features };
        for addressing in [Addressing::Strided, Addressing::Offsets, Addressing::Addresses] {
            let case = Case { lanes: 16, scalar: Scalar::I16, addressing, distance: 34, masked: false };
            let assembly = crate::support::assembly(&case.function(), features);
            assert!(assembly.contains("vpgather"), "{name}, {addressing:?}: {assembly}");
        }
    }
}

#[test]
fn gathers_of_all_lanes_are_loads_of_single_ones_where_they_are_microcode() {
    let with = Features::base(Level::Avx2).with("microcoded").unwrap();
    for scalar in [Scalar::I32, Scalar::I64] {
        for addressing in [Addressing::Offsets, Addressing::Addresses] {
            let case = |masked| Case { lanes: 16, scalar, addressing, distance: 34, masked };
            let text = |masked, features| crate::support::assembly(&case(masked).function(), features);
            let count = |text: String| text.matches("vpgather").count();
            let gathers = if scalar == Scalar::I64 || addressing == Addressing::Addresses { 4 } else { 2 };
            assert_eq!(count(text(false, with)), 0, "{:?}", case(false));
            assert_eq!(count(text(true, with)), gathers, "{:?}", case(true));
            // At offsets of 32 bits elements are loaded one by one for every AVX2 processor.
            let expected = if addressing == Addressing::Offsets { 0 } else { gathers };
            assert_eq!(count(text(false, Features::base(Level::Avx2))), expected, "{:?}", case(false));
        }
    }
}
