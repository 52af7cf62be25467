//! Which storage buffers count as unchanging, and as memory of their own.

use pyro_spirv::{Module, Specialization, asm};

/// Reads `%from` and writes `%to`.
fn module(decorations: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 4 1 1
        OpDecorate %runtime ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %from DescriptorSet 0
        OpDecorate %to DescriptorSet 0
        OpDecorate %from Binding 0
        {decorations}
        %void = OpTypeVoid
        %fn_void = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %runtime = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %runtime
        %ptr_block = OpTypePointer StorageBuffer %block
        %ptr_uint = OpTypePointer StorageBuffer %uint
        %from = OpVariable %ptr_block StorageBuffer
        %to = OpVariable %ptr_block StorageBuffer
        %main = OpFunction %void None %fn_void
        %entry = OpLabel
        %source = OpAccessChain %ptr_uint %from %u0 %u0
        %word = OpLoad %uint %source
        %target = OpAccessChain %ptr_uint %to %u0 %u1
        OpStore %target %word
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

/// The line of the first load from a buffer, and that of the first store.
fn accesses(decorations: &str, body: &str) -> [String; 2] {
    let words = asm::assemble(&module(decorations, body)).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::decode(&words).unwrap();
    let layout = crate::support::layout::layout_of(&module);
    let checked = crate::support::checked::check(&module, &Specialization::new()).unwrap();
    let lowered = crate::support::checked::lower_compute(&checked, &layout, 16).unwrap();
    pyro_ir::verify::verify(&lowered.function).unwrap_or_else(|errors| panic!("{errors}"));
    let text = lowered.function.to_string();
    let line = |wanted: &[&str]| {
        let found = text.lines().find(|line| wanted.iter().any(|wanted| line.contains(wanted)));
        found.expect("there is one").to_owned()
    };
    [line(&["load.input", "load.global"]), line(&["store.global"])]
}

const TWO: &str = "OpDecorate %to Binding 1";

#[test]
fn what_a_module_only_reads_does_not_change() {
    let [load, store] = accesses(TWO, "");
    assert!(load.contains("load.input"), "{load}");
    assert!(store.contains(" apart"), "{store}");
}

#[test]
fn what_others_may_write_changes() {
    for decoration in ["Aliased", "Coherent", "Volatile"] {
        let [load, store] = accesses(&format!("{TWO} OpDecorate %from {decoration}"), "");
        assert!(load.contains("load.global") && !load.contains(" apart"), "{decoration}: {load}");
        // The other one is no less memory of its own.
        assert!(store.contains(" apart"), "{decoration}: {store}");
    }
    let coherent_member = format!("{TWO} OpMemberDecorate %block 0 Coherent");
    for written in [
        accesses(TWO, "OpStore %source %word"),
        accesses(TWO, "%old = OpAtomicIAdd %uint %source %u1 %u0 %u1"),
        accesses(TWO, "OpCopyMemory %source %target"),
        // One binding is one buffer.
        accesses("OpDecorate %to Binding 0", ""),
        accesses(&coherent_member, ""),
    ] {
        assert!(written[0].contains("load.global"), "{}", written[0]);
    }
}
