//! Components that lie side by side: every lane reads and writes its own words, and no others are touched.

#![cfg(target_arch = "x86_64")]

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator};
use pyro_jit::{Features, compile_checked};

/// Words from the beginning of what is read to that of what is written.
const WRITTEN: u32 = 0x400;

/// For the active lanes, `memory[WRITTEN + lane * words + c] = memory[lane * words + c] + c + 1`, of the components in `members`.
fn function(lanes: u32, words: u32, members: u32, masked: bool) -> Function {
    let mut function = Function::new("components", Form::Mask, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    let (dispatch, context) = (builder.arg(0), builder.arg(1));
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let record = |place: u32| MemoryOp::new(Space::Context).at(place as i32).speculatable();
    let place = record(pyro_abi::context::offset::PUSH_CONSTANTS);
    let base = builder.load(Scalar::I64, place, dispatch, zero, always);
    let active = if masked {
        let place = record(pyro_abi::context::offset::ACTIVE_LANES);
        let bits = builder.load(Scalar::I64, place, context, zero, always);
        builder.emit(Opcode::MaskFromBits, &[bits], 0, Scalar::I1).expect("gives a result")
    } else {
        builder.splat(always)
    };
    let lane = builder.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let stride = builder.i32(4 * words);
    let stride = builder.splat(stride);
    let offset = builder.op(Opcode::IMul, &[lane, stride]);
    let members: Vec<u32> = (0..words).filter(|component| members >> component & 1 != 0).collect();
    let memory = |word: u32| MemoryOp::new(Space::Global).at(4 * word as i32);
    let sums: Vec<_> = members
        .iter()
        .map(|&component| {
            let value = builder.load(Scalar::I32, memory(component), base, offset, active);
            let added = builder.i32(component + 1);
            let added = builder.splat(added);
            (component, builder.op(Opcode::IAdd, &[value, added]))
        })
        .collect();
    for (component, sum) in sums {
        builder.store(memory(WRITTEN + component), base, offset, sum, active);
    }
    builder.terminate(Terminator::Return(Exit::Done as u32));
    function
}

fn check(name: &str, features: Features, [lanes, words, members]: [u32; 3]) {
    let all = u64::MAX >> (64 - lanes);
    for masked in [false, true] {
        let function = function(lanes, words, members, masked);
        let info = KernelInfo { subgroup_size: lanes, ..KernelInfo::default() };
        let kernel = compile_checked(&function, info, features).unwrap();
        for active in [all, all >> 1, all & 0x7777_1234_fffe_0ff0, 0] {
            let active = if masked { active } else { all };
            let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let mut expected = memory.clone();
            for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
                for component in (0..words).filter(|component| members >> component & 1 != 0) {
                    let place = lane * words + component;
                    expected[(WRITTEN + place) as usize] = memory[place as usize].wrapping_add(component + 1);
                }
            }
            let base = memory.as_mut_ptr().expose_provenance() as u64;
            let mut dispatch = DispatchContext::default();
            dispatch.push_constants[..8].copy_from_slice(&base.to_le_bytes());
            let mut subgroup = SubgroupContext { active_lanes: active, ..SubgroupContext::default() };
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
            assert_eq!(exit, Exit::Done);
            assert_eq!(
                memory, expected,
                "{name}, {lanes} lanes of {words} words, components {members:#b}, {active:#x}"
            );
        }
    }
}

#[test]
fn lanes_have_their_own_words() {
    for (name, features) in Features::all() {
        for lanes in [8, 16, 32, 64] {
            for words in 2..=4 {
                for members in 1..1 << words {
                    check(name, features, [lanes, words, members]);
                }
            }
        }
    }
}

#[test]
fn whole_registers_are_moved() {
    for (name, features) in Features::all() {
        for lanes in [16, 32, 64] {
            let function = function(lanes, 4, 0b1111, true);
            let info = KernelInfo { subgroup_size: lanes, ..KernelInfo::default() };
            let kernel = compile_checked(&function, info, features).unwrap();
            let texts = kernel.representations();
            let (_, assembly) = texts.iter().find(|(title, _)| title == "assembly").unwrap();
            for slow in ["gather", "scatter"] {
                assert!(!assembly.contains(slow), "{name}, {lanes} lanes: {assembly}");
            }
        }
    }
}
