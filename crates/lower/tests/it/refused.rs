//! What is refused, and how it is said; and that large or odd modules end in time.

use crate::support::checked::lower_compute;
use pyro_lower::{ErrorKind, LowerError, Lowered};
use pyro_spirv::{Module, Specialization, asm};
use std::fmt::Write;

const HEADER: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %data
    OpExecutionMode %main LocalSize 4 1 1
    OpDecorate %runtime ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %runtime = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %runtime
    %ptr_block = OpTypePointer StorageBuffer %block
    %ptr_uint = OpTypePointer StorageBuffer %uint
    %data = OpVariable %ptr_block StorageBuffer
    ";

/// Why a module is not lowered: it breaks a rule, or lowering refuses it.
#[derive(Debug)]
enum Refusal {
    Checker(String),
    Lowering(LowerError),
}

impl Refusal {
    fn is(&self, kind: ErrorKind) -> bool {
        matches!(self, Refusal::Lowering(error) if error.kind == kind)
    }
}

fn lower(text: &str) -> Result<Lowered, Refusal> {
    let words = asm::assemble(text).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}"));
    let layout = crate::support::layout::layout_of(&module);
    let checked =
        crate::support::checked::check(&module, &Specialization::new()).map_err(Refusal::Checker)?;
    let lowered = lower_compute(&checked, &layout, 16).map_err(Refusal::Lowering)?;
    pyro_ir::verify::verify(&lowered.function).unwrap_or_else(|errors| panic!("{errors}"));
    Ok(lowered)
}

/// The header with a main function of this body.
fn main_of(body: &str) -> String {
    format!("{HEADER} %main = OpFunction %void None %fn_void\n %entry = OpLabel\n {body} OpFunctionEnd\n")
}

#[track_caller]
fn message(text: &str) -> String {
    match lower(text) {
        Ok(_) => panic!("it was lowered"),
        Err(Refusal::Checker(found)) => found,
        Err(Refusal::Lowering(error)) => error.to_string(),
    }
}

#[test]
fn an_unsupported_instruction_is_named() {
    let text = main_of("OpRetainEvent %u0 OpReturn");
    let words = asm::assemble(&text).unwrap();
    let module = Module::decode(&words).unwrap();
    let layout = crate::support::layout::layout_of(&module);
    let error = lower_compute(&crate::support::checked::checked(&module), &layout, 16).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("not supported: OpRetainEvent (word "), "{text}");
    let place = error.place.expect("an instruction");
    assert_eq!(place.op, pyro_spirv::spirv::Op::RetainEvent);
    assert_eq!(place.result, None);
}

#[test]
fn misuse_is_an_error() {
    // Ids that are no values, values of wrong types, parts that are not there.
    let bodies = [
        "%x = OpIAdd %uint %u0 %void OpReturn",
        "%x = OpIAdd %uint %u0 %later %later = OpIAdd %uint %u0 %u1 OpReturn",
        "%x = OpFAdd %uint %u0 %u1 OpReturn",
        "%x = OpIAdd %bool %u0 %u1 OpReturn",
        "%x = OpCompositeExtract %uint %u0 7 OpReturn",
        "%p = OpAccessChain %ptr_uint %data %u1 %u0 OpReturn",
        "OpStore %u0 %u1 OpReturn",
        "%x = OpLoad %uint %main OpReturn",
        "%x = OpFunctionCall %void %entry OpReturn",
        "OpBranch %main",
        "%x = OpSelect %uint %u0 %u1 %u0 OpReturn",
        "OpReturnValue %u0",
        "%x = OpPhi %uint %u0 %entry OpReturn",
        "OpControlBarrier %data %u0 %u0 OpReturn",
        "%x = OpAtomicIAdd %uint %data %u1 %u0 %data OpReturn",
        "%x = OpArrayLength %uint %data 3 OpReturn",
    ];
    for body in bodies {
        let text = message(&main_of(body));
        assert!(!text.contains("internal"), "{body}: {text}");
    }
}

#[test]
fn unstructured_control_flow_is_an_error() {
    // A branch back to a block that is not a loop header.
    let text = main_of("OpBranch %a %a = OpLabel OpBranch %b %b = OpLabel OpBranch %a");
    assert!(matches!(lower(&text), Err(Refusal::Checker(_))));
    // A branch into a loop past its header.
    let text = main_of(
        "%c = OpIEqual %bool %u0 %u1
         OpSelectionMerge %end None
         OpBranchConditional %c %head %inside
         %head = OpLabel
         OpLoopMerge %end %continue None
         OpBranch %inside
         %inside = OpLabel
         OpBranchConditional %c %continue %end
         %continue = OpLabel
         OpBranch %head
         %end = OpLabel
         OpReturn",
    );
    assert!(matches!(lower(&text), Err(Refusal::Checker(_))));
}

#[test]
fn recursion_is_an_error() {
    let text = format!(
        "{HEADER} %main = OpFunction %void None %fn_void
         %entry = OpLabel
         %r = OpFunctionCall %void %f
         OpReturn
         OpFunctionEnd
         %f = OpFunction %void None %fn_void
         %f_entry = OpLabel
         %s = OpFunctionCall %void %f
         OpReturn
         OpFunctionEnd"
    );
    assert!(message(&text).contains("calls itself"));
}

#[test]
fn inlining_that_explodes_is_an_error() {
    // Forty functions that each call the next one twice.
    let mut text = main_of("%r = OpFunctionCall %void %f0 OpReturn");
    for index in 0..40 {
        let calls = match index {
            39 => "%p = OpAccessChain %ptr_uint %data %u0 %u1 %v = OpLoad %uint %p".to_owned(),
            _ => format!(
                "%a{index} = OpFunctionCall %void %f{next} %b{index} = OpFunctionCall %void %f{next}",
                next = index + 1
            ),
        };
        writeln!(
            text,
            "%f{index} = OpFunction %void None %fn_void %l{index} = OpLabel {calls} OpReturn OpFunctionEnd"
        )
        .unwrap();
    }
    assert!(lower(&text).is_err_and(|refusal| refusal.is(ErrorKind::Limit)));
}

#[test]
fn deep_nesting_and_long_chains_of_calls_need_no_stack() {
    // Ten thousand selections in one another.
    let depth = 10_000;
    let mut body = String::from("%c = OpIEqual %bool %u0 %u1\n");
    for level in 0..depth {
        writeln!(
            body,
            "OpSelectionMerge %m{level} None OpBranchConditional %c %t{level} %m{level} %t{level} = OpLabel"
        )
        .unwrap();
    }
    body.push_str("OpBranch %m9999\n");
    for level in (0..depth).rev() {
        let next = if level == 0 { "OpReturn".to_owned() } else { format!("OpBranch %m{}", level - 1) };
        writeln!(body, "%m{level} = OpLabel {next}").unwrap();
    }
    let lowered = lower(&main_of(&body)).unwrap();
    assert!(lowered.function.block_order.len() > 2 * depth);

    // A thousand functions that each call the next.
    let mut text = main_of("%r = OpFunctionCall %void %f0 OpReturn");
    for index in 0..1000 {
        let call = match index {
            999 => String::new(),
            _ => format!("%r{index} = OpFunctionCall %void %f{}", index + 1),
        };
        writeln!(
            text,
            "%f{index} = OpFunction %void None %fn_void %l{index} = OpLabel {call} OpReturn OpFunctionEnd"
        )
        .unwrap();
    }
    lower(&text).unwrap();
}

#[test]
fn huge_types_are_an_error_or_cost_nothing() {
    let types = "
        %big = OpConstant %uint 4000000000
        %array = OpTypeArray %uint %big
        %arrays = OpTypeArray %array %big
        %ptr_private = OpTypePointer Private %arrays
        %ptr_element = OpTypePointer Private %uint
        %ptr_shared = OpTypePointer Workgroup %arrays
        %shared_element = OpTypePointer Workgroup %uint
        %private = OpVariable %ptr_private Private
        %shared = OpVariable %ptr_shared Workgroup
        %null = OpConstantNull %arrays\n";
    let body =
        |code: &str| main_of(code).replace("%main = OpFunction", &format!("{types}%main = OpFunction"));
    lower(&body("OpReturn")).unwrap();
    for code in [
        "%p = OpAccessChain %ptr_element %private %u0 %u0 OpStore %p %u1 OpReturn",
        "%p = OpAccessChain %shared_element %shared %u0 %u0 OpStore %p %u1 OpReturn",
        "OpStore %private %null OpReturn",
        "%x = OpLoad %arrays %private OpReturn",
    ] {
        assert!(lower(&body(code)).is_err_and(|refusal| refusal.is(ErrorKind::Limit)), "{code}");
    }
}

#[test]
fn layouts_must_fit() {
    let text = main_of("%p = OpAccessChain %ptr_uint %data %u0 %u1 OpStore %p %u1 OpReturn");
    let words = asm::assemble(&text).unwrap();
    let module = Module::decode(&words).unwrap();
    let mut layout = crate::support::layout::layout_of(&module);
    let set_kind = |layout: &mut pyro_abi::PipelineLayout, kind| {
        layout.sets[0].bindings.get_mut(&0).unwrap().kind = kind;
    };
    let checked = crate::support::checked::checked(&module);
    let kind = |layout: &pyro_abi::PipelineLayout, lanes| {
        lower_compute(&checked, layout, lanes).err().map(|error| error.kind)
    };
    set_kind(&mut layout, pyro_abi::DescriptorKind::StorageImage);
    assert_eq!(kind(&layout, 16), Some(ErrorKind::Invalid));
    // Against a rule, but descriptors of buffers are alike.
    set_kind(&mut layout, pyro_abi::DescriptorKind::UniformBuffer);
    assert_eq!(kind(&layout, 16), None);
    // Bindings that the layout lacks are null descriptors, unless they have to be there.
    layout.sets.clear();
    assert_eq!(kind(&layout, 16), None);
    layout.options.needs_bindings = true;
    assert_eq!(kind(&layout, 16), Some(ErrorKind::Invalid));
    let layout = crate::support::layout::layout_of(&module);
    assert_eq!(kind(&layout, 7), Some(ErrorKind::Invalid));
    assert_eq!(kind(&layout, 64), None);
    let other = pyro_lower::Shader { checked: &checked, entry_point: "other", layout: &layout, tiles: false };
    let error = pyro_lower::lower(&other, 16, &pyro_lower::StageRequest::Compute).unwrap_err();
    assert_eq!((error.kind, error.place), (ErrorKind::Invalid, None));
}

/// Only strict checking says so, but code for one would read behind the words of the other.
#[test]
fn tensor_layouts_and_views_are_not_taken_for_one_another() {
    let with = |instruction: &str| {
        format!(
            "{HEADER}
            %false = OpConstantFalse %bool
            %u2 = OpConstant %uint 2
            %u3 = OpConstant %uint 3
            %Layout = OpTypeTensorLayoutNV %u2 %u0
            %Larger = OpTypeTensorLayoutNV %u3 %u0
            %View = OpTypeTensorViewNV %u2 %false %u0 %u1
            %main = OpFunction %void None %fn_void
            %entry = OpLabel
            %layout = OpCreateTensorLayoutNV %Layout
            %larger = OpCreateTensorLayoutNV %Larger
            %view = OpCreateTensorViewNV %View
            %r = {instruction}
            OpReturn
            OpFunctionEnd"
        )
    };
    for right in [
        "OpTensorLayoutSetDimensionNV %Layout %layout %u1 %u1",
        "OpTensorViewSetClipNV %View %view %u0 %u1 %u0 %u1",
    ] {
        assert!(lower(&with(right)).is_ok(), "{right}");
    }
    for wrong in [
        "OpTensorViewSetClipNV %View %layout %u0 %u1 %u0 %u1",
        "OpTensorViewSetClipNV %Layout %layout %u0 %u1 %u0 %u1",
        "OpTensorViewSetStrideNV %View %layout %u1 %u1",
        "OpTensorViewSetDimensionNV %View %larger %u1 %u1",
        "OpTensorLayoutSetDimensionNV %Layout %view %u1 %u1",
        "OpTensorLayoutSetDimensionNV %View %view %u1 %u1",
        "OpTensorLayoutSetClampValueNV %Layout %view %u1",
        "OpTensorLayoutSetStrideNV %Layout %larger %u1 %u1",
        "OpTensorLayoutSliceNV %Larger %layout %u0 %u1 %u0 %u1 %u0 %u1",
        "OpCreateTensorLayoutNV %View",
        "OpCreateTensorViewNV %Layout",
    ] {
        let refused = lower(&with(wrong)).err();
        assert!(refused.is_some_and(|why| why.is(ErrorKind::Invalid)), "{wrong}");
    }
}
