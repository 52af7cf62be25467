//! Shapes of values, types and memory.

use crate::line;
use crate::text::{Stage, Text};
use std::fmt::Write;

/// Values that are all combined in the end.
fn sum(text: &mut Text, n: usize, value: &str) -> String {
    for at in 0..n {
        let before = if at == 0 { "c0".to_owned() } else { format!("s{}", at - 1) };
        line!(text.body, "%t{at} = OpIMul %uint %{before} %c7");
        line!(text.body, "%s{at} = OpIAdd %uint %t{at} %{value}{at}");
    }
    format!("s{}", n - 1)
}

/// The name of the value before the first of a chain, or of this one.
fn before(at: usize) -> String {
    if at == 0 { "x".to_owned() } else { format!("v{}", at - 1) }
}

/// Operations in a row, each of the one before.
pub(crate) fn straight(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        let op = ["OpIMul", "OpIAdd", "OpBitwiseXor", "OpISub"][at % 4];
        line!(text.body, "%v{at} = {op} %uint %{} %{}", before(at), ["c7", "x"][at / 4 % 2]);
    }
    text.storing(format!("v{}", n - 1))
}

/// Loads, all alive before the first is used.
pub(crate) fn live_loads(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%i{at} = OpIAdd %uint %index %k{at}");
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_storage_uint %data %c0 %i{at}\n%v{at} = OpLoad %uint %p{at}"
        );
    }
    let result = sum(&mut text, n, "v");
    text.storing(result)
}

/// Products that are read as they are made, and once more when all of them are alive.
pub(crate) fn live_products(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    let mut bits = "x".to_owned();
    for at in 0..n {
        line!(text.body, "%v{at} = OpIMul %uint %x %k{at}\n%b{at} = OpBitwiseXor %uint %{bits} %v{at}");
        bits = format!("b{at}");
    }
    let result = sum(&mut text, n, "v");
    line!(text.body, "%both = OpIAdd %uint %{bits} %{result}");
    text.storing("both")
}

/// Values that are alive across a loop.
pub(crate) fn live_across_loop(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%v{at} = OpIMul %uint %x %k{at}");
    }
    line!(text.body, "OpBranch %head\n%head = OpLabel");
    line!(text.body, "%i = OpPhi %uint %c0 %entry %j %next\n%c_ = OpULessThan %bool %i %x");
    line!(text.body, "OpLoopMerge %merge %next None\nOpBranchConditional %c_ %next %merge");
    line!(text.body, "%next = OpLabel\n%j = OpIAdd %uint %i %c1\nOpStore %place %j\nOpBranch %head");
    line!(text.body, "%merge = OpLabel");
    let result = sum(&mut text, n, "v");
    text.storing(result)
}

/// Selections in a row.
pub(crate) fn selects(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%c_{at} = OpUGreaterThan %bool %x %k{at}");
        line!(text.body, "%v{at} = OpSelect %uint %c_{at} %{} %k{at}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Constants that are all used.
pub(crate) fn constants(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.types, "%k{at} = OpConstant %uint {}", (at as u32).wrapping_mul(0x9e37_79b1));
        line!(text.body, "%v{at} = OpBitwiseXor %uint %{} %k{at}", before(at));
    }
    for at in 0..n {
        line!(
            text.body,
            "%w{at} = OpIMul %uint %{} %k{at}",
            match at {
                0 => format!("v{}", n - 1),
                _ => format!("w{}", at - 1),
            }
        );
    }
    text.storing(format!("w{}", n - 1))
}

/// A constant array, indexed.
pub(crate) fn constant_array(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    let all: String = (0..n).map(|at| format!(" %k{at}")).collect();
    line!(text.types, "%n = OpConstant %uint {n}\n%array = OpTypeArray %uint %n");
    line!(text.types, "%table = OpConstantComposite %array{all}\n%p_array = OpTypePointer Function %array");
    line!(text.locals, "%local = OpVariable %p_array Function %table");
    line!(text.body, "%p = OpAccessChain %p_function_uint %local %x\n%result = OpLoad %uint %p");
    text.storing("result")
}

/// Constants that hold one another.
pub(crate) fn nested_constants(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%vec0 = OpConstantComposite %uint2 %c0 %c1");
    for at in 0..n {
        line!(text.types, "%pair{at} = OpTypeStruct %uint2 %uint");
        line!(
            text.types,
            "%k{at} = OpConstant %uint {at}\n%composite{at} = OpConstantComposite %pair{at} %vec0 %k{at}"
        );
        line!(text.body, "%e{at} = OpCompositeExtract %uint %composite{at} 1");
        line!(text.body, "%v{at} = OpIAdd %uint %{} %e{at}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Specialization constants, each an operation on the one before.
pub(crate) fn spec_constants(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.decorations, "OpDecorate %spec SpecId 0");
    line!(text.types, "%spec = OpSpecConstant %uint 3");
    for at in 0..n {
        let before = if at == 0 { "spec".to_owned() } else { format!("o{}", at - 1) };
        line!(text.types, "%o{at} = OpSpecConstantOp %uint {} %{before} %c7", ["IAdd", "IMul"][at % 2]);
    }
    line!(text.body, "%result = OpIAdd %uint %x %o{}", n - 1);
    text.storing("result")
}

/// Types that differ.
pub(crate) fn types(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n + 1);
    for at in 0..n {
        line!(text.types, "%a{at} = OpTypeArray %uint %k{}\n%s{at} = OpTypeStruct %a{at} %uint", at + 1);
        line!(text.types, "%p_s{at} = OpTypePointer Private %s{at}");
    }
    text
}

/// A structure of as many members (SPIR-V allows 16,383), all of them written and some read.
pub(crate) fn members(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    let mut list = String::new();
    (0..n).for_each(|_| list += " %uint");
    line!(text.types, "%big = OpTypeStruct{list}\n%p_big = OpTypePointer Function %big");
    line!(text.locals, "%local = OpVariable %p_big Function");
    for at in 0..n {
        line!(text.body, "%p{at} = OpAccessChain %p_function_uint %local %k{at}\nOpStore %p{at} %x");
    }
    for at in 0..n {
        line!(
            text.body,
            "%q{at} = OpAccessChain %p_function_uint %local %k{at}\n%v{at} = OpLoad %uint %q{at}"
        );
    }
    let result = sum(&mut text, n, "v");
    text.storing(result)
}

/// A structure of a storage buffer of as many members.
pub(crate) fn buffer_members(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    let mut list = String::new();
    for at in 0..n {
        list += " %uint";
        line!(text.decorations, "OpMemberDecorate %big {at} Offset {}", at * 4);
    }
    line!(
        text.decorations,
        "OpDecorate %big Block\nOpDecorate %wide DescriptorSet 0\nOpDecorate %wide Binding 1"
    );
    line!(text.types, "%big = OpTypeStruct{list}\n%p_big = OpTypePointer StorageBuffer %big");
    line!(text.types, "%wide = OpVariable %p_big StorageBuffer");
    text.interface += " %wide";
    for at in 0..n {
        line!(text.body, "%q{at} = OpAccessChain %p_storage_uint %wide %k{at}\n%l{at} = OpLoad %uint %q{at}");
        line!(text.body, "%v{at} = OpIAdd %uint %l{at} %{}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Structures inside one another. SPIR-V allows 255 levels.
pub(crate) fn nested_structures(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%nest0 = OpTypeStruct %uint %uint");
    for at in 1..n {
        line!(text.types, "%nest{at} = OpTypeStruct %nest{} %uint", at - 1);
    }
    line!(text.types, "%p_nest = OpTypePointer Function %nest{}", n - 1);
    line!(text.locals, "%local = OpVariable %p_nest Function");
    for at in 0..n {
        let zeros = " %c0".repeat(at);
        line!(text.body, "%p{at} = OpAccessChain %p_function_uint %local{zeros} %c1\nOpStore %p{at} %x");
    }
    line!(text.body, "%q = OpAccessChain %p_function_uint %local %c1\n%result = OpLoad %uint %q");
    text.storing("result")
}

/// Arrays of 16 elements, indexed.
pub(crate) fn local_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    for at in 0..n {
        line!(text.locals, "%local{at} = OpVariable %p_array Function");
        line!(text.body, "%i{at} = OpBitwiseAnd %uint %{} %c7", before(at));
        line!(text.body, "%p{at} = OpAccessChain %p_function_uint %local{at} %i{at}\nOpStore %p{at} %x");
        line!(
            text.body,
            "%q{at} = OpAccessChain %p_function_uint %local{at} %c3\n%v{at} = OpLoad %uint %q{at}"
        );
    }
    text.storing(format!("v{}", n - 1))
}

/// Arrays of 16 elements, whose indices are constants.
pub(crate) fn promoted_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    for at in 0..n {
        line!(text.locals, "%local{at} = OpVariable %p_array Function");
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_function_uint %local{at} %c3\nOpStore %p{at} %{}",
            before(at)
        );
        line!(
            text.body,
            "%q{at} = OpAccessChain %p_function_uint %local{at} %c3\n%l{at} = OpLoad %uint %q{at}"
        );
        line!(text.body, "%v{at} = OpIMul %uint %l{at} %c7");
    }
    text.storing(format!("v{}", n - 1))
}

/// Arrays of 16 elements that are initialized whole, and indexed.
pub(crate) fn initialized_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    line!(text.types, "%zero = OpConstantNull %array");
    for at in 0..n {
        line!(text.locals, "%local{at} = OpVariable %p_array Function %zero");
        line!(text.body, "%i{at} = OpBitwiseAnd %uint %{} %c7", before(at));
        line!(text.body, "%p{at} = OpAccessChain %p_function_uint %local{at} %i{at}\nOpStore %p{at} %x");
        line!(
            text.body,
            "%q{at} = OpAccessChain %p_function_uint %local{at} %c3\n%v{at} = OpLoad %uint %q{at}"
        );
    }
    text.storing(format!("v{}", n - 1))
}

/// One array of a hundred elements, indexed as many times.
pub(crate) fn indexed_array(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%hundred = OpConstant %uint 100\n%array = OpTypeArray %uint %hundred");
    line!(text.types, "%p_array = OpTypePointer Function %array");
    line!(text.locals, "%local = OpVariable %p_array Function");
    for at in 0..n {
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_function_uint %local %{}\nOpStore %p{at} %index",
            before(at)
        );
        line!(text.body, "%q{at} = OpAccessChain %p_function_uint %local %c{}", at % 4);
        line!(text.body, "%v{at} = OpLoad %uint %q{at}");
    }
    text.storing(format!("v{}", n - 1))
}

/// Variables of the workgroup.
pub(crate) fn shared_variables(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.types, "%shared{at} = OpVariable %p_workgroup_uint Workgroup");
        let _ = write!(text.interface, " %shared{at}");
        line!(text.body, "OpStore %shared{at} %{}\n%v{at} = OpLoad %uint %shared{at}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Variables of the invocation.
pub(crate) fn private_variables(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.types, "%private{at} = OpVariable %p_private_uint Private");
        let _ = write!(text.interface, " %private{at}");
        line!(text.body, "OpStore %private{at} %{}\n%v{at} = OpLoad %uint %private{at}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Storage buffers.
pub(crate) fn buffers(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(
            text.decorations,
            "OpDecorate %buffer{at} DescriptorSet 0\nOpDecorate %buffer{at} Binding {}",
            at + 1
        );
        line!(text.types, "%buffer{at} = OpVariable %p_Data StorageBuffer");
        let _ = write!(text.interface, " %buffer{at}");
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %buffer{at} %c0 %index");
        line!(text.body, "%l{at} = OpLoad %uint %p{at}\n%v{at} = OpIAdd %uint %l{at} %{}", before(at));
    }
    text.storing(format!("v{}", n - 1))
}

/// Inputs of a fragment shader.
pub(crate) fn inputs(n: usize) -> Text {
    let mut text = Text::new();
    (text.stage, text.locations) = (Stage::Fragment, n.max(1));
    for at in 0..n {
        let before = if at == 0 { "first".to_owned() } else { format!("v{}", at - 1) };
        line!(text.body, "%l{at} = OpLoad %float4 %in{at}\n%v{at} = OpFAdd %float4 %l{at} %{before}");
    }
    text.storing(format!("v{}", n - 1))
}

/// A ray payload of as many vectors.
pub(crate) fn payload(n: usize) -> Text {
    let mut text = Text::new();
    text.stage = Stage::RayGeneration;
    let mut list = String::new();
    (0..n).for_each(|_| list += " %float4");
    text.words(n);
    line!(text.types, "%Payload = OpTypeStruct{list}\n%p_Payload = OpTypePointer RayPayloadKHR %Payload");
    line!(text.types, "%payload = OpVariable %p_Payload RayPayloadKHR");
    line!(text.types, "%p_payload_float4 = OpTypePointer RayPayloadKHR %float4");
    text.interface += " %payload";
    let trace = "OpTraceRayKHR %rays %c0 %c0 %c0 %c0 %c0 %origin %f0 %origin %f1 %payload";
    for at in 0..n {
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_payload_float4 %payload %k{at}\n%l{at} = OpLoad %float4 %p{at}"
        );
        line!(text.body, "%v{at} = OpFAdd %float4 %l{at} %l{at}\nOpStore %p{at} %v{at}");
    }
    line!(text.body, "{trace}\n{trace}");
    text
}

/// Rays in a row.
pub(crate) fn rays(n: usize) -> Text {
    let mut text = Text::new();
    text.stage = Stage::RayGeneration;
    line!(
        text.types,
        "%p_Payload = OpTypePointer RayPayloadKHR %float4\n%payload = OpVariable %p_Payload RayPayloadKHR"
    );
    text.interface += " %payload";
    for at in 0..n {
        line!(text.body, "OpTraceRayKHR %rays %c0 %c0 %c0 %c0 %c0 %origin %f0 %origin %f1 %payload");
        line!(text.body, "%l{at} = OpLoad %float4 %payload\n%v{at} = OpFAdd %float4 %l{at} %l{at}");
        line!(text.body, "OpStore %payload %v{at}");
    }
    text
}

/// Access chains from one another.
pub(crate) fn access_chains(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    line!(text.locals, "%local = OpVariable %p_array Function");
    for at in 0..n {
        let base = if at == 0 { "local".to_owned() } else { format!("p{}", at - 1) };
        line!(text.body, "%p{at} = OpAccessChain %p_array %{base}");
    }
    line!(text.body, "%q = OpAccessChain %p_function_uint %p{} %c1\nOpStore %q %x", n - 1);
    line!(text.body, "%result = OpLoad %uint %q");
    text.storing("result")
}

/// Loads at addresses that are loaded.
pub(crate) fn dependent_loads(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %{}", before(at));
        line!(text.body, "%v{at} = OpLoad %uint %p{at}");
    }
    text.storing(format!("v{}", n - 1))
}

/// Stores to neighbouring words.
pub(crate) fn stores(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%i{at} = OpIAdd %uint %index %k{at}");
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %i{at}\nOpStore %p{at} %x");
    }
    text
}

/// Copies of one word from place to place.
pub(crate) fn copies(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n + 1);
    for at in 0..n {
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_storage_uint %data %c0 %k{at}\n%l{at} = OpLoad %uint %p{at}"
        );
        line!(
            text.body,
            "%q{at} = OpAccessChain %p_storage_uint %data %c0 %k{}\nOpStore %q{at} %l{at}",
            at + 1
        );
    }
    text
}

/// Arrays of 16 elements that are all written, at constant places, before any is read.
pub(crate) fn live_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    text.words(n.max(16));
    for at in 0..n {
        line!(text.locals, "%local{at} = OpVariable %p_array Function");
        line!(text.body, "%w{at} = OpIMul %uint %x %k{at}");
        line!(
            text.body,
            "%p{at} = OpAccessChain %p_function_uint %local{at} %k{}\nOpStore %p{at} %w{at}",
            at % 16
        );
    }
    for at in 0..n {
        line!(text.body, "%q{at} = OpAccessChain %p_function_uint %local{at} %k{}", at % 16);
        line!(text.body, "%v{at} = OpLoad %uint %q{at}");
    }
    let result = sum(&mut text, n, "v");
    text.storing(result)
}

/// Arrays of 16 elements that are written and read whole.
pub(crate) fn copied_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Function %array");
    line!(text.types, "%zero = OpConstantNull %array\n%p_uint = OpTypePointer Function %uint");
    line!(text.locals, "%first = OpVariable %p_array Function %zero");
    line!(text.body, "%px = OpAccessChain %p_function_uint %first %c3\nOpStore %px %x");
    for at in 0..n {
        let source = if at == 0 { "first".to_owned() } else { format!("local{}", at - 1) };
        line!(text.locals, "%local{at} = OpVariable %p_array Function");
        line!(text.body, "%a{at} = OpLoad %array %{source}\nOpStore %local{at} %a{at}");
    }
    line!(text.body, "%q = OpAccessChain %p_function_uint %local{} %x\n%result = OpLoad %uint %q", n - 1);
    text.storing("result")
}

/// Variables of the workgroup that are arrays, indexed.
pub(crate) fn shared_arrays(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%p_array = OpTypePointer Workgroup %array");
    for at in 0..n {
        line!(text.types, "%shared{at} = OpVariable %p_array Workgroup");
        let _ = write!(text.interface, " %shared{at}");
        line!(text.body, "%i{at} = OpBitwiseAnd %uint %{} %c7", before(at));
        line!(text.body, "%p{at} = OpAccessChain %p_workgroup_uint %shared{at} %i{at}\nOpStore %p{at} %x");
        line!(text.body, "%v{at} = OpLoad %uint %p{at}");
    }
    text.storing(format!("v{}", n - 1))
}

/// Insertions into an array and extractions from it.
pub(crate) fn insertions(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%array = OpTypeArray %uint %c16\n%zero = OpConstantNull %array");
    for at in 0..n {
        let array = if at == 0 { "zero".to_owned() } else { format!("a{}", at - 1) };
        line!(text.body, "%a{at} = OpCompositeInsert %array %{} %{array} {}", before(at), at % 16);
        line!(text.body, "%e{at} = OpCompositeExtract %uint %a{at} {}", at * 7 % 16);
        line!(text.body, "%v{at} = OpIAdd %uint %e{at} %x");
    }
    text.storing(format!("v{}", n - 1))
}
