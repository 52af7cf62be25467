//! Loads of one element for all lanes under a condition: their neighbours share the choice of the address,
//! and read zeros where it does not hold.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

const LANES: u32 = 16;
/// Words before what the function is given the address of.
const BEFORE: usize = 64;
/// Words from there to what is written.
const WRITTEN: u32 = 64;
/// Bytes from there to what is read, for each load.
const PLACES: [i32; 9] = [-96, -4, 4, 8, 28, 32, 60, 64, 68];

/// Sums of each lane's number and elements at [`PLACES`], if the first word of memory says so, are written
/// one behind the other; each element is read by as many operations.
fn function(scalar: Scalar, readers: u32) -> Function {
    crate::support::function(LANES, |begun| {
        let always = begun.builder.bool(true);
        let (zero, limit) = (begun.builder.i32(0), begun.builder.i32(3));
        let memory = |place: i32| MemoryOp::new(Space::Global).at(place);
        let base = begun.base;
        let flag = begun.builder.load(Scalar::I32, memory(0), base, zero, always);
        let holds = begun.builder.op(Opcode::ULt, &[limit, flag]);
        let loaded: Vec<_> = PLACES
            .iter()
            .map(|&place| begun.builder.load(scalar, memory(place), base, zero, holds))
            .collect();
        let all = begun.builder.splat(always);
        let size = scalar.bytes();
        let own = begun.lanes_times(size);
        let lane = match scalar {
            Scalar::I64 => begun.builder.convert(Opcode::ZeroExtend, begun.lane, scalar),
            _ => begun.lane,
        };
        let sums: Vec<_> = loaded
            .into_iter()
            .map(|value| {
                let value = begun.builder.splat(value);
                (0..readers).fold(lane, |sum, _| begun.builder.op(Opcode::IAdd, &[sum, value]))
            })
            .collect();
        for (row, sum) in (0..).zip(sums) {
            let to = memory((4 * WRITTEN + row * LANES * size) as i32);
            begun.builder.store(to, begun.base, own, sum, all);
        }
    })
}

#[test]
fn elements_are_zero_where_the_condition_does_not_hold() {
    for (name, features) in Features::all() {
        for (scalar, readers) in [(Scalar::I32, 1), (Scalar::I32, 3), (Scalar::I64, 1), (Scalar::I64, 2)] {
            let kernel = crate::support::compiled(&function(scalar, readers), features);
            for flag in [3, 4] {
                let mut memory: Vec<u32> =
                    (0..1024).map(|word: u32| word.wrapping_mul(0x9e37_79b9)).collect();
                memory[BEFORE] = flag;
                let read = |place: i32| {
                    let word = (BEFORE as i32 + place / 4) as usize;
                    let high = if scalar == Scalar::I64 { u64::from(memory[word + 1]) << 32 } else { 0 };
                    if flag > 3 { high | u64::from(memory[word]) } else { 0 }
                };
                let elements = PLACES.map(read);
                let address = memory[BEFORE..].as_mut_ptr().expose_provenance() as u64;
                // SAFETY: all places lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run(&kernel, address, u64::MAX, false);
                }
                for (row, element) in elements.into_iter().enumerate() {
                    for lane in 0..LANES as usize {
                        let place = BEFORE + WRITTEN as usize;
                        let index = row * LANES as usize + lane;
                        let sum = (lane as u64).wrapping_add(element.wrapping_mul(readers.into()));
                        let got = match scalar {
                            Scalar::I64 => {
                                let word = place + 2 * index;
                                u64::from(memory[word + 1]) << 32 | u64::from(memory[word])
                            }
                            _ => memory[place + index].into(),
                        };
                        let expected = if scalar == Scalar::I64 { sum } else { u64::from(sum as u32) };
                        assert_eq!(got, expected, "{name}, {scalar:?}, {readers}, {flag}, {row}, {lane}");
                    }
                }
            }
        }
    }
}

#[test]
fn neighbours_share_the_choice_and_are_broadcast_from_memory() {
    let code =
        |readers| crate::support::assembly(&function(Scalar::I32, readers), Features::base(Level::Avx512));
    let count = |text: &str, what: &str| text.matches(what).count();
    // The places are in five runs of 32 bytes.
    let text = code(1);
    assert_eq!(count(&text, "cmov"), 5, "{text}");
    assert_eq!(count(&text, "{1to16}"), PLACES.len(), "{text}");
    let text = code(3);
    assert_eq!(count(&text, "cmov"), 5, "{text}");
    assert_eq!(count(&text, "vpbroadcastd"), PLACES.len(), "{text}");
    assert_eq!(count(&text, "vmovd "), 0, "{text}");
}
