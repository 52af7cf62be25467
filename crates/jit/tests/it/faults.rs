//! Signals that generated code raises end the call and are described: where in the source, by which
//! instruction.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use pyro_abi::kernel::Source;
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext, fault};
use pyro_ir::{Function, MemoryOp, Scalar, SourceLoc, Space};
use pyro_jit::{Compiled, Features, compile_checked};
use pyro_util::codec::Reader;
use std::sync::Arc;

/// `memory[2048 + lane] = memory[lane]`, the load in place 2, the store in place 1.
fn copies(lanes: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let offset = begun.lanes_times(4);
        let memory = MemoryOp::new(Space::Global);
        begun.builder.loc = SourceLoc(2);
        let value = begun.builder.load(Scalar::I32, memory, begun.base, offset, begun.active);
        begun.builder.loc = SourceLoc(1);
        begun.builder.store(memory.at(0x2000), begun.base, offset, value, begun.active);
    })
}

/// `memory[lane] = memory[0]`, the load in place 2, the store in place 1.
fn broadcasts(lanes: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let offset = begun.lanes_times(4);
        let memory = MemoryOp::new(Space::Global);
        begun.builder.loc = SourceLoc(2);
        let (zero, always) = (begun.builder.i32(0), begun.builder.bool(true));
        let value = begun.builder.load(Scalar::I32, memory, begun.base, zero, always);
        let value = begun.builder.splat(value);
        begun.builder.loc = SourceLoc(1);
        begun.builder.store(memory, begun.base, offset, value, begun.active);
    })
}

/// Runs with `memory` at an address; the exit, and what is said of a signal.
fn run(kernel: &Compiled, address: u64, lanes: u32) -> (Exit, Option<String>) {
    let abort = 0_u32;
    let abort = (&raw const abort).expose_provenance() as u64;
    let mut dispatch = DispatchContext { abort, ..DispatchContext::default() };
    dispatch.push_constants[..8].copy_from_slice(&address.to_le_bytes());
    let active_lanes = crate::support::all(lanes);
    let mut subgroup = SubgroupContext { active_lanes, ..SubgroupContext::default() };
    // SAFETY: what the function accesses is there, or raises a signal, which is handled.
    #[allow(unsafe_code)]
    let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
    (exit, fault::take(abort))
}

#[test]
fn signals_end_calls_and_are_described() {
    let places = ["", "a.comp:1", "a.comp:2"].map(str::to_owned).to_vec();
    let source = Source { shader: "copies".to_owned(), loops: Vec::new(), places };
    for (name, features) in Features::all() {
        for (lanes, make) in [4, 16, 64]
            .into_iter()
            .flat_map(|lanes| [(lanes, copies as fn(u32) -> Function), (lanes, broadcasts)])
        {
            let info = KernelInfo {
                subgroup_size: lanes,
                source: Some(Arc::new(source.clone())),
                ..KernelInfo::default()
            };
            let made = compile_checked(&make(lanes), info, features).unwrap();
            let mut bytes = Vec::new();
            made.write_portable(&mut bytes);
            let loaded = Compiled::from_portable(&mut Reader::new(&bytes)).unwrap();
            let memory = vec![7_u32; 4096];
            let good = memory.as_ptr().expose_provenance() as u64;
            for kernel in [&made, &loaded] {
                assert_eq!(run(kernel, good, lanes), (Exit::Done, None));
                // The load fails at the first address, only the store at the second one.
                for (address, said) in [(0, "a.comp:2"), (0x2000_u64.wrapping_neg(), "SIG")] {
                    let (exit, text) = run(kernel, address, lanes);
                    let text = text.unwrap_or_default();
                    assert_eq!(exit, Exit::Aborted, "{name}, {lanes} lanes");
                    let all = ["shader \"copies\" raised SIGSEGV at address", "machine code at", said];
                    assert!(all.iter().all(|said| text.contains(said)), "{name}, {lanes} lanes: {text}");
                }
            }
        }
    }
}
