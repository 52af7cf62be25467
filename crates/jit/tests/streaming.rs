//! Stores that pass the caches by write what others write, wherever they go and whichever lanes take part; loads under a mask
//! are announced to the processor, which reads nothing.

#![cfg(target_arch = "x86_64")]

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator};
use pyro_jit::{Features, compile_checked};

/// Bytes of memory, and where the subgroup's first element lies at most.
const MEMORY: usize = 2048;
const FIRST_MAX: u64 = 256;

/// `memory[offset + lane] = !lane` for the lanes that are active. The context's push constants hold the offset.
fn function(lanes: u32, scalar: Scalar) -> Function {
    let mut function = Function::new("stream", Form::Mask, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    let (dispatch, context) = (builder.arg(0), builder.arg(1));
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let record = |place: u32| MemoryOp::new(Space::Context).at(place as i32).speculatable();
    let place = record(pyro_abi::context::offset::PUSH_CONSTANTS);
    let base = builder.load(Scalar::I64, place, dispatch, zero, always);
    let place = record(pyro_abi::context::offset::ACTIVE_LANES);
    let bits = builder.load(Scalar::I64, place, context, zero, always);
    let active = builder.emit(Opcode::MaskFromBits, &[bits], 0, Scalar::I1).expect("gives a result");
    let lane = builder.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let log = builder.i32(scalar.bytes().trailing_zeros());
    let log = builder.splat(log);
    let offset = builder.op(Opcode::Shl, &[lane, log]);
    let mut value = builder.op(Opcode::Not, &[lane]);
    if scalar == Scalar::I64 {
        value = builder.convert(Opcode::ZeroExtend, value, Scalar::I64);
    }
    let memory = MemoryOp { streaming: true, ..MemoryOp::new(Space::Global) };
    builder.store(memory, base, offset, value, active);
    builder.terminate(Terminator::Return(Exit::Done as u32));
    function
}

fn check(features: Features, lanes: u32, scalar: Scalar) {
    let function = function(lanes, scalar);
    let info = KernelInfo { subgroup_size: lanes, ..KernelInfo::default() };
    let kernel = compile_checked(&function, info, features).unwrap();
    let all = u64::MAX >> (64 - lanes);
    let mut memory = vec![0u64; MEMORY / 8 + 8];
    let start = memory.as_mut_ptr().expose_provenance() as u64;
    let line = start.next_multiple_of(64);
    for streaming in [0, 1] {
        for (first, active) in
            [(0, all), (64, all), (8, all), (FIRST_MAX, all >> 1), (64, all & !1), (0, 0), (64, all & 0x00ff)]
        {
            memory.fill(0x5555_5555_5555_5555);
            let mut dispatch = DispatchContext { streaming, ..DispatchContext::default() };
            dispatch.push_constants[..8].copy_from_slice(&(line + first).to_le_bytes());
            let mut subgroup = SubgroupContext { active_lanes: active, ..SubgroupContext::default() };
            // SAFETY: the elements of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
            assert_eq!(exit, Exit::Done);
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

/// `memory[0x800 + lane] = memory[lane * stride]` in words, for the lanes that are active.
fn copy(lanes: u32, stride: u32) -> Function {
    let mut function = Function::new("copy", Form::Mask, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    let (dispatch, context) = (builder.arg(0), builder.arg(1));
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let record = |place: u32| MemoryOp::new(Space::Context).at(place as i32).speculatable();
    let place = record(pyro_abi::context::offset::PUSH_CONSTANTS);
    let base = builder.load(Scalar::I64, place, dispatch, zero, always);
    let place = record(pyro_abi::context::offset::ACTIVE_LANES);
    let bits = builder.load(Scalar::I64, place, context, zero, always);
    let active = builder.emit(Opcode::MaskFromBits, &[bits], 0, Scalar::I1).expect("gives a result");
    let lane = builder.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let mut scaled = |by: u32| {
        let by = builder.i32(by);
        let by = builder.splat(by);
        builder.op(Opcode::IMul, &[lane, by])
    };
    let (from, to) = (scaled(4 * stride), scaled(4));
    let value = builder.load(Scalar::I32, MemoryOp::new(Space::Global), base, from, active);
    builder.store(MemoryOp::new(Space::Global).at(0x2000), base, to, value, active);
    builder.terminate(Terminator::Return(Exit::Done as u32));
    function
}

#[test]
fn loads_under_a_mask_are_announced() {
    for (name, features) in Features::all() {
        for (lanes, stride) in [(8, 1), (16, 1), (64, 1), (16, 2), (32, 9), (64, 16), (16, 100)] {
            let function = copy(lanes, stride);
            let info = KernelInfo { subgroup_size: lanes, ..KernelInfo::default() };
            let kernel = compile_checked(&function, info, features).unwrap();
            let texts = kernel.representations();
            let prefetches = texts.iter().map(|(_, text)| text.matches("prefetcht0").count()).max();
            // One for each register, or for each line of lanes that lie apart, but not for each lane.
            let expected = match stride {
                1 => (lanes * 4).div_ceil(64),
                100 => 0,
                _ => (lanes - 1) * stride * 4 / 64 + 1,
            };
            assert_eq!(prefetches, Some(expected as usize), "{name}, {lanes} lanes, {stride}: {texts:?}");
            let mut memory: Vec<u32> = (0..0x1000).collect();
            let start = memory.as_mut_ptr().expose_provenance() as u64;
            let active = u64::MAX >> (64 - lanes) & !0x11;
            // Where no lane takes part, the address is anything.
            for (base, active) in [(start, active), (0x10, 0), (u64::MAX - 0xfff, 0)] {
                let mut dispatch = DispatchContext::default();
                dispatch.push_constants[..8].copy_from_slice(&base.to_le_bytes());
                let mut subgroup = SubgroupContext { active_lanes: active, ..SubgroupContext::default() };
                // SAFETY: the words of all active lanes lie within `memory`.
                #[allow(unsafe_code)]
                let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
                assert_eq!(exit, Exit::Done);
            }
            for lane in 0..lanes {
                let place = 0x800 + lane;
                let expected = if active >> lane & 1 != 0 { lane * stride } else { place };
                assert_eq!(memory[place as usize], expected, "{name}, {lanes} lanes, {stride}, lane {lane}");
            }
        }
    }
}
