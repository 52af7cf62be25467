//! Where the system gives no executable memory, shaders are interpreted. A process of its own, since nothing
//! gives it back.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)] // asks the system for this; kernels access memory by address

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};
use pyro_shadertext::Shader;
use pyro_test_environment::{Need, in_child, skip};

/// `prctl`'s options of Linux 6.3: no memory may become executable.
const PR_SET_MDWE: i32 = 65;
const PR_MDWE_REFUSE_EXEC_GAIN: u64 = 1;

unsafe extern "C" {
    fn prctl(option: i32, a: u64, b: u64, c: u64, d: u64) -> i32;
}

fn shader() -> String {
    Shader::compute(
        [64, 1, 1],
        "%ids = OpLoad %uint3 %id
        %x = OpCompositeExtract %uint %ids 0
        %from = OpAccessChain %buffer_uint %in %uint_0 %x
        %word = OpLoad %uint %from
        OpControlBarrier %uint_2 %uint_2 %order
        %sum = OpIAdd %uint %word %x
        %to = OpAccessChain %buffer_uint %out %uint_0 %x
        OpStore %to %sum",
    )
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["in", "out"])
    .declare("%order = OpConstant %uint 264")
    .text()
}

#[test]
fn shaders_are_interpreted_without_executable_memory() {
    if !in_child(module_path!(), "shaders_are_interpreted_without_executable_memory", &[]) {
        return;
    }
    let words = pyro_spirv::asm::assemble(&shader()).expect("valid assembly");
    let (expected, _) = run(&words, SubgroupSize::Required(16), Backend::Interpreter, 0);
    assert_eq!((expected[0], expected[5]), (0, 5_u32.wrapping_mul(0x9e37_79b9).wrapping_add(5)));
    let best = Backend::best();
    if best == Backend::Interpreter {
        skip!(Need::MachineCode);
    }
    assert!(crate::support::has_code(&words, best), "with executable memory");
    // SAFETY: takes numbers, and only forbids what nobody here needs but the compiler.
    if unsafe { prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) } != 0 {
        skip!(Need::RefusedExecutableMemory);
    }
    assert!(!crate::support::has_code(&words, best), "without");
    let (found, _) = run(&words, SubgroupSize::Required(16), best, 0);
    assert_eq!(found, expected);
}
