//! Whole dispatches: a runaway loop is stopped and named; a large workgroup with much shared memory and many
//! barriers runs, with frames that hold only what lives across them.
#![allow(unsafe_code)] // dispatches

use pyro_abi::descriptor::SET_HEADER_BYTES;
use pyro_abi::{
    BindingLayout, BufferDescriptor, DescriptorKind, DispatchContext, Kernel, PipelineLayout, SETS_MAX,
    SetHeader, SetLayout,
};
use pyro_compile::{ComputeRequest, SubgroupSize, compile_compute};
use pyro_engine::{ComputeDispatch, DispatchError, Engine, EngineOptions};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const DECLARATIONS: &str = "
OpDecorate %words ArrayStride 4
OpDecorate %buffer Block
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%true = OpConstantTrue %bool
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%words = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %words
%p_buffer = OpTypePointer StorageBuffer %buffer
%p_uint = OpTypePointer StorageBuffer %uint
%p_in = OpTypePointer Input %uint
%data = OpVariable %p_buffer StorageBuffer
%index = OpVariable %p_in Input
";

fn compile(text: &str) -> Arc<dyn Kernel> {
    let words = pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let binding = BindingLayout {
        kind: DescriptorKind::StorageBuffer,
        offset: SET_HEADER_BYTES,
        count: 1,
        stride: 16,
        dynamic_index: None,
        variable_count: false,
        known: None,
    };
    let set = SetLayout { bindings: [(0, binding)].into_iter().collect() };
    let layout = PipelineLayout { sets: vec![set], push_constant_bytes: 0, ..PipelineLayout::default() };
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    compile_compute(&request).unwrap_or_else(|error| panic!("{error}"))
}

#[repr(C)]
struct Set {
    header: SetHeader,
    buffer: BufferDescriptor,
}

fn dispatch(
    engine: &Engine,
    kernel: Arc<dyn Kernel>,
    groups: u32,
    words: &mut [u32],
) -> Result<(), DispatchError> {
    let set = Set {
        header: SetHeader { size: size_of::<Set>() as u64, reserved: 0 },
        buffer: BufferDescriptor { address: words.as_mut_ptr() as u64, size: size_of_val(words) as u64 },
    };
    let mut sets = [0; SETS_MAX];
    sets[0] = &raw const set as u64;
    let context = DispatchContext { sets, num_workgroups: [groups, 1, 1], ..DispatchContext::default() };
    // SAFETY: the set and its buffer are right, and live through the call.
    unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }
}

#[test]
fn a_runaway_loop_is_stopped_and_named() {
    let text = format!(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %index
OpExecutionMode %main LocalSize 8 1 1
%file = OpString \"runaway.comp\"
{DECLARATIONS}
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpLine %file 10 1
%p = OpAccessChain %p_uint %data %u0 %u0
OpBranch %header
%header = OpLabel
OpLine %file 12 5
OpLoopMerge %merge %next None
OpBranch %body
%body = OpLabel
OpLine %file 13 9
%old = OpLoad %uint %p
%new = OpIAdd %uint %old %u1
OpStore %p %new
OpBranch %next
%next = OpLabel
OpBranchConditional %true %header %merge
%merge = OpLabel
OpReturn
OpFunctionEnd
"
    );
    let kernel = compile(&text);
    let options = EngineOptions {
        thread_count: 2,
        watchdog: Some(Duration::from_millis(60)),
        ..EngineOptions::default()
    };
    let engine = Engine::with_options(options);
    assert_eq!(engine.stopped(), None);
    let mut words = [0; 4];
    assert_eq!(dispatch(&engine, kernel, 40, &mut words), Err(DispatchError::Aborted));
    let said = engine.stopped().expect("it says which");
    assert!(said.contains("shader \"main\"") && said.contains("runaway.comp:1"), "{said}");
    assert_ne!(words[0], 0, "it ran before");
}

/// Each round writes shared memory, waits, and reads what another invocation wrote.
#[test]
fn a_large_workgroup_with_many_barriers() {
    const INVOCATIONS: u32 = 1024;
    const SHARED_WORDS: u32 = 8192;
    const ROUNDS: u32 = 10;
    let mut body = String::new();
    for round in 0..ROUNDS {
        let _ = write!(
            body,
            "
%own{round} = OpIAdd %uint %i %place{round}
%p{round} = OpAccessChain %p_shared %shared %own{round}
OpStore %p{round} %x{round}
OpControlBarrier %u2 %u2 %semantics
%sum{round} = OpIAdd %uint %i %distance{round}
%wrapped{round} = OpBitwiseAnd %uint %sum{round} %mask
%other{round} = OpIAdd %uint %wrapped{round} %place{round}
%q{round} = OpAccessChain %p_shared %shared %other{round}
%read{round} = OpLoad %uint %q{round}
OpControlBarrier %u2 %u2 %semantics
%product{round} = OpIMul %uint %read{round} %factor
%x{next} = OpIAdd %uint %product{round} %i
",
            next = round + 1
        );
    }
    let constants: String = (0..ROUNDS)
        .map(|round| {
            let place = round % (SHARED_WORDS / INVOCATIONS) * INVOCATIONS;
            let distance = 37 * round + 5;
            format!(
                "%place{round} = OpConstant %uint {place}\n%distance{round} = OpConstant %uint {distance}\n"
            )
        })
        .collect();
    let text = format!(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %index
OpExecutionMode %main LocalSize {INVOCATIONS} 1 1
{DECLARATIONS}
%semantics = OpConstant %uint 264
%mask = OpConstant %uint {}
%factor = OpConstant %uint 2654435761
%shared_words = OpConstant %uint {SHARED_WORDS}
%array = OpTypeArray %uint %shared_words
%p_array = OpTypePointer Workgroup %array
%p_shared = OpTypePointer Workgroup %uint
%shared = OpVariable %p_array Workgroup
{constants}
%main = OpFunction %void None %fn_void
%entry = OpLabel
%i = OpLoad %uint %index
%x0 = OpIMul %uint %i %factor
{body}
%out = OpAccessChain %p_uint %data %u0 %i
OpStore %out %x{ROUNDS}
OpReturn
OpFunctionEnd
",
        INVOCATIONS - 1
    );
    let kernel = compile(&text);
    let info = kernel.info();
    assert_eq!(info.shared_bytes, SHARED_WORDS * 4);
    // One value of 32 bits lives across each barrier (the invocation's index can be made again), two at most.
    assert!(info.frame_bytes <= 2 * 4 * info.subgroup_size + 64, "{} bytes of frame", info.frame_bytes);
    let mut values: Vec<u32> = (0..INVOCATIONS).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    for round in 0..ROUNDS {
        let before = values.clone();
        for i in 0..INVOCATIONS {
            let other = (i + 37 * round + 5) % INVOCATIONS;
            values[i as usize] = before[other as usize].wrapping_mul(2_654_435_761).wrapping_add(i);
        }
    }
    // On a thread with a small stack: nothing on it grows with the workgroup or the barriers.
    let check = move || {
        let engine = Engine::new(1);
        let mut words = vec![0; INVOCATIONS as usize];
        dispatch(&engine, kernel, 3, &mut words).expect("it ends");
        assert_eq!(words, values);
    };
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(check).expect("a thread");
    thread.join().expect("it ran to its end");
}
