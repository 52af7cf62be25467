//! Stores that pass the caches by write what others write, wherever they go and whichever lanes take part;
//! loads under a mask are announced to the processor, which reads nothing.

use pyro_abi::Kernel;
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::Features;

/// Bytes of memory, and where the subgroup's first element lies at most.
const MEMORY: usize = 2048;
const FIRST_MAX: u64 = 256;

/// `memory[lane] = !lane` for the lanes that are active.
fn stores(lanes: u32, scalar: Scalar) -> Function {
    crate::support::function(lanes, |begun| {
        let offset = begun.lanes_times(scalar.bytes());
        let builder = &mut begun.builder;
        let mut value = builder.op(Opcode::Not, &[begun.lane]);
        if scalar == Scalar::I64 {
            value = builder.convert(Opcode::ZeroExtend, value, Scalar::I64);
        }
        let memory = MemoryOp { streaming: true, ..MemoryOp::new(Space::Global) };
        builder.store(memory, begun.base, offset, value, begun.active);
    })
}

fn check(features: Features, lanes: u32, scalar: Scalar) {
    let kernel = crate::support::compiled(&stores(lanes, scalar), features);
    let all = crate::support::all(lanes);
    let mut memory = vec![0u64; MEMORY / 8 + 8];
    let start = memory.as_mut_ptr().expose_provenance() as u64;
    let line = start.next_multiple_of(64);
    for streaming in [false, true] {
        for (first, active) in
            [(0, all), (64, all), (8, all), (FIRST_MAX, all >> 1), (64, all & !1), (0, 0), (64, all & 0x00ff)]
        {
            memory.fill(0x5555_5555_5555_5555);
            // SAFETY: the elements of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run(&kernel, line + first, active, streaming);
            }
            let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
            let size = scalar.bytes() as usize;
            let at = (line - start + first) as usize;
            for (index, element) in bytes[at % size..].chunks_exact(size).enumerate() {
                let place = at % size + index * size;
                let lane = place.checked_sub(at).map(|distance| distance / size);
                let lane = lane.filter(|&lane| lane < lanes as usize && active >> lane & 1 != 0);
                let expected = lane.map_or([0x55; 8], |lane| u64::from(!(lane as u32)).to_le_bytes());
                assert_eq!(
                    element,
                    &expected[..size],
                    "{lanes} lanes of {}, {streaming}, from {first}, lanes {active:#x}, byte {place}",
                    scalar.name()
                );
            }
        }
    }
}

#[test]
fn streaming_stores_write_the_same() {
    for (_, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            for scalar in [Scalar::I32, Scalar::I64] {
                check(features, lanes, scalar);
            }
        }
    }
}

/// Words from the beginning of what is read to that of what is written.
const WRITTEN: u32 = 0x800;

/// `memory[WRITTEN + lane] = memory[lane * stride]` in words, for the lanes that are active.
fn copies(lanes: u32, stride: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let (from, to) = (begun.lanes_times(4 * stride), begun.lanes_times(4));
        let memory = MemoryOp::new(Space::Global);
        let value = begun.builder.load(Scalar::I32, memory, begun.base, from, begun.active);
        begun.builder.store(memory.at(4 * WRITTEN as i32), begun.base, to, value, begun.active);
    })
}

#[test]
fn loads_under_a_mask_are_announced() {
    for (name, features) in crate::support::with_long_vectors() {
        for (lanes, stride) in [(8, 1), (16, 1), (64, 1), (16, 2), (32, 9), (64, 16), (16, 100)] {
            let kernel = crate::support::compiled(&copies(lanes, stride), features);
            let texts = kernel.representations();
            let prefetches = texts.iter().map(|(_, text)| text.matches("prefetcht0").count()).max();
            // One for each register, or for each line of lanes that lie apart, but not for each lane.
            let expected = match stride {
                1 => (lanes * 4).div_ceil(64),
                100 => 0,
                _ => (lanes - 1) * stride * 4 / 64 + 1,
            };
            assert_eq!(prefetches, Some(expected as usize), "{name}, {lanes} lanes, {stride}: {texts:?}");
            let mut memory: Vec<u32> = (0..2 * WRITTEN).collect();
            let start = memory.as_mut_ptr().expose_provenance() as u64;
            let active = crate::support::all(lanes) & !0x11;
            // Where no lane takes part, the address is anything.
            for (base, active) in [(start, active), (0x10, 0), (u64::MAX - 0xfff, 0)] {
                // SAFETY: the words of all active lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run(&kernel, base, active, false);
                }
            }
            for lane in 0..lanes {
                let place = WRITTEN + lane;
                let expected = if active >> lane & 1 != 0 { lane * stride } else { place };
                assert_eq!(memory[place as usize], expected, "{name}, {lanes} lanes, {stride}, lane {lane}");
            }
        }
    }
}
