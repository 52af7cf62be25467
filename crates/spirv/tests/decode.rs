//! What decoding accepts, what it refuses and where, and that nothing makes it panic.

use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use pyro_spirv::{
    ConstantValues, DecodeErrorKind, Id, Merge, Module, Specialization, SpecializedModule, Terminator, Type,
    Value, disassemble, disassemble_named, layout,
};

fn module(text: &str) -> Module {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    Module::decode(&words).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> DecodeErrorKind {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    match Module::decode(&words) {
        Ok(_) => panic!("decoded:\n{text}"),
        Err(error) => error.kind,
    }
}

/// A compute shader with a loop, a switch, blocks, specialization and debug lines.
const COMPUTE: &str = include_str!("compute.spvasm");

/// Enumerants that the grammar files lack have names, parameters, and places of ids.
#[test]
fn enumerants_newer_than_the_grammar() {
    let text = "; Version: 1.6\nOpCapability Shader\nOpCapability RayTracingOpacityMicromapKHR\n\
                OpCapability RayTracingOpacityMicromapExecutionModeKHR\nOpExtension \"SPV_KHR_opacity_micromap\"\n\
                OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
                OpExecutionMode %main LocalSize 1 1 1\nOpExecutionModeId %main OpacityMicromapIdKHR %true\n\
                %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n\
                %true = OpConstantTrue %bool\n%main = OpFunction %void None %fn\n%entry = OpLabel\n\
                OpReturn\nOpFunctionEnd";
    let module = module(text);
    assert!(module.has_capability(Capability::RayTracingOpacityMicromapEXT));
    let main = module.entry_points().next().expect("an entry point").function;
    let modes: Vec<_> = module.execution_modes(main).map(|mode| mode.mode).collect();
    assert_eq!(modes, [ExecutionMode::LocalSize]);
    let again = disassemble(&module);
    assert!(again.contains("OpCapability RayTracingOpacityMicromapExecutionModeKHR"), "{again}");
    assert!(again.contains("OpacityMicromapIdKHR %"), "{again}");
    let without = text.replace("OpacityMicromapIdKHR %true", "OpacityMicromapIdKHR");
    let words = assemble(&without);
    assert!(words.is_err() || Module::decode(&words.expect("words")).is_err(), "the id is missing");
}

/// Extended instructions whose operands come later stand where others stand, and those of debug information
/// are read like others.
#[test]
fn extended_instructions_may_forward_reference() {
    let module = module(
        "; Version: 1.6\nOpCapability Shader\nOpExtension \"SPV_KHR_relaxed_extended_instruction\"\n\
         %set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n\
         %file = OpString \"a.hlsl\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n\
         %seven = OpConstant %uint 7\n%none = OpExtInstWithForwardRefsKHR %void %set DebugInfoNone\n\
         %source = OpExtInstWithForwardRefsKHR %void %set DebugSource %file\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n\
         %at = OpExtInstWithForwardRefsKHR %void %set DebugLine %source %seven %seven %seven %seven\n\
         OpReturn\nOpFunctionEnd",
    );
    let end = module.insts().find(|inst| inst.op() == Op::Return).unwrap();
    let location = module.location(end.index()).expect("a line");
    assert_eq!((location.line, location.column), (7, 7));
    assert_eq!(module.source_file(location.source).as_deref(), Some("a.hlsl"));
}

/// Instructions without a meaning may stand behind the last block of a function, as slangc writes the end of
/// a scope; others may not.
#[test]
fn debug_information_may_stand_behind_blocks() {
    let text = |set: &str, inst: &str| {
        format!(
            "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"{set}\"\n\
             OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
             OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%float = OpTypeFloat 32\n\
             %one = OpConstant %float 1\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n\
             %entry = OpLabel\nOpReturn\n{inst}\nOpFunctionEnd"
        )
    };
    let debug = module(&text("NonSemantic.Shader.DebugInfo.100", "%n = OpExtInst %void %set DebugNoScope"));
    let end = debug.insts().find(|inst| inst.op() == Op::Return).unwrap();
    assert_eq!(debug.inlined_at(end.index()), None);
    let other = assemble(&text("GLSL.std.450", "%n = OpExtInst %float %set Sqrt %one")).expect("words");
    assert!(Module::decode(&other).is_err());
}

#[test]
fn tables_of_a_module() {
    let module = module(COMPUTE);
    assert_eq!(module.header().version(), (1, 5));
    assert_eq!(module.capabilities(), [Capability::Shader, Capability::Int64]);
    assert!(module.has_extension("SPV_KHR_storage_buffer_storage_class"));
    assert!(!module.has_extension("SPV_KHR_storage"));
    let entry = module.entry_point("main", ExecutionModel::GLCompute).unwrap();
    assert_eq!(entry.name(), "main");
    assert_eq!(entry.interface.len(), 3);
    let mode = module.execution_mode(entry.function, ExecutionMode::LocalSize).unwrap();
    assert_eq!(mode.operands, [8, 4, 1]);
    assert!(module.entry_point("mai", ExecutionModel::GLCompute).is_none());

    let by_name = |name: &str| module.globals().find(|g| module.name(g.id).as_deref() == Some(name)).unwrap();
    let data = by_name("data");
    assert_eq!(data.class, StorageClass::StorageBuffer);
    assert_eq!(module.decoration_literal(data.id, Decoration::Binding), Some(3));
    let block = data.value_type.unwrap();
    assert!(module.has_decoration(block, Decoration::Block));
    assert_eq!(module.member_name(block, 1).as_deref(), Some("values"));
    assert_eq!(module.member_decoration_literal(block, 2, Decoration::Offset), Some(80));
    let Type::Struct { members } = module.ty(block) else { panic!("a block is a structure") };
    assert_eq!(members.len(), 3);
    assert!(matches!(module.ty(members.at(2)), Type::RuntimeArray { .. }));
    assert_eq!(module.member_layout(block, 0).unwrap().matrix.unwrap().stride, 16);
}

#[test]
fn functions_and_blocks() {
    let module = module(COMPUTE);
    let functions: Vec<_> = module.functions().collect();
    assert_eq!(functions.len(), 2);
    let main = module.function(functions[0]);
    assert_eq!(module.function_of(main.id), Some(functions[0]));
    assert_eq!(module.callees(functions[0]).count(), 1);
    assert_eq!(module.parameters(functions[1]).count(), 2);
    let entry = main.entry().unwrap();
    assert!(matches!(module.merge(entry), Some(Merge::Selection { .. })));
    let Terminator::Switch { cases, default, .. } = module.terminator(entry) else { panic!("a switch") };
    assert_eq!(cases.iter().map(|(literal, _)| literal).collect::<Vec<_>>(), [1, 5_000_000_000]);
    assert_eq!(module.successors(entry).next(), Some(default));
    assert_eq!(module.successors(entry).count(), 3);
    let header = module.function(functions[1]).blocks().nth(1).unwrap();
    let Some(Merge::Loop { merge, continue_target, .. }) = module.merge(header) else { panic!("a loop") };
    assert!(module.block_of(merge).is_some() && module.block_of(continue_target).is_some());
    for function in functions {
        for block in module.function(function).blocks() {
            assert_eq!(module.block_of(module.block(block).label), Some(block));
            for inst in module.body(block) {
                assert_eq!(module.block_with(inst.index()), Some(block));
            }
        }
    }
}

#[test]
fn lines_map_to_the_source() {
    let module = module(COMPUTE);
    let add = module.insts().find(|inst| inst.op() == Op::FAdd).unwrap();
    let location = module.location(add.index()).unwrap();
    assert_eq!((location.line, location.column), (7, 3));
    assert_eq!(module.source_file(location.source).as_deref(), Some("compute.glsl"));
    assert_eq!(module.source_text(location.source).as_deref(), Some("void main() {}\nfirst and second"));
    // OpNoLine ends it, and so does the block's end.
    let multiply = module.insts().find(|inst| inst.op() == Op::FMul).unwrap();
    assert_eq!(module.location(multiply.index()), None);
}

#[test]
fn debug_info_maps_to_the_source() {
    let module = module(include_str!("debuginfo.spvasm"));
    let add = module.insts().find(|inst| inst.op() == Op::IAdd).unwrap();
    let location = module.location(add.index()).unwrap();
    assert_eq!((location.line, location.end_line, location.column, location.end_column), (3, 3, 5, 9));
    assert_eq!(module.source_file(location.source).as_deref(), Some("kernel.slang"));
    assert_eq!(module.source_text(location.source).as_deref(), Some("one\ntwo\nthree"));
    let multiply = module.insts().find(|inst| inst.op() == Op::IMul).unwrap();
    assert_eq!(module.location(multiply.index()), None);
}

#[test]
fn groups_are_resolved() {
    let module = module(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
         OpDecorate %group Restrict\nOpDecorate %group Offset 12\n%group = OpDecorationGroup\n\
         OpGroupDecorate %group %a %b\nOpGroupMemberDecorate %group %s 1\nOpDecorate %a Binding 4\n\
         %int = OpTypeInt 32 1\n%s = OpTypeStruct %int %int\n%p = OpTypePointer Private %int\n\
         %a = OpVariable %p Private\n%b = OpVariable %p Private",
    );
    let [a, b] = [0, 1].map(|index| module.globals().nth(index).unwrap().id);
    assert!(module.has_decoration(a, Decoration::Restrict) && module.has_decoration(b, Decoration::Restrict));
    assert_eq!(module.decoration_literal(a, Decoration::Binding), Some(4));
    let s = module.insts().find(|inst| inst.op() == Op::TypeStruct).unwrap().result().unwrap();
    assert_eq!(module.member_decoration_literal(s, 1, Decoration::Offset), Some(12));
    assert_eq!(module.member_decoration(s, 0, Decoration::Offset), None);
    assert_eq!(module.decorations(s).count(), 0);
}

#[test]
fn text_and_words_are_inverse() {
    for text in [COMPUTE, include_str!("debuginfo.spvasm")] {
        let module = module(text);
        let numeric = disassemble(&module);
        assert_eq!(assemble(&numeric).unwrap(), module.words(), "{numeric}");
        let named = assemble(&disassemble_named(&module)).unwrap();
        let named = Module::decode(&named).unwrap();
        assert_eq!(named.inst_count(), module.inst_count());
        let ops = |module: &Module| module.insts().map(|inst| inst.op()).collect::<Vec<_>>();
        assert_eq!(ops(&named), ops(&module));
    }
}

#[test]
fn either_byte_order() {
    let words = assemble(COMPUTE).unwrap();
    let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
    assert_eq!(Module::decode(&swapped).unwrap().words(), words);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert_eq!(Module::decode_bytes(&bytes).unwrap().words(), words);
    assert_eq!(Module::decode_bytes(&bytes[..7]).unwrap_err().kind, DecodeErrorKind::ByteCount(7));
}

fn spec_value(text: &str, specialization: &Specialization) -> Result<Vec<u64>, String> {
    let prefix = "OpCapability Shader\nOpCapability Int64\nOpCapability Int8\nOpMemoryModel Logical GLSL450\n\
        OpDecorate %sa SpecId 1\nOpDecorate %sb SpecId 2\nOpDecorate %st SpecId 3\n\
        %bool = OpTypeBool\n%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n%long = OpTypeInt 64 1\n\
        %byte = OpTypeInt 8 1\n%float = OpTypeFloat 32\n%int2 = OpTypeVector %int 2\n\
        %int3 = OpTypeVector %int 3\n%bool2 = OpTypeVector %bool 2\n\
        %sa = OpSpecConstant %int 10\n%sb = OpSpecConstant %int -3\n%st = OpSpecConstantTrue %bool\n\
        %zero = OpConstant %int 0\n%lowest = OpConstant %int -2147483648\n%minus = OpConstant %int -1\n\
        %f = OpConstant %float 65521.0\n%tiny = OpConstant %float 1e-6\n\
        %v = OpSpecConstantComposite %int2 %sa %sb\n%null3 = OpConstantNull %int3\n";
    let module = module(&format!("{prefix}{text}\n"));
    let values = ConstantValues::evaluate(&module, specialization).map_err(|error| error.to_string())?;
    let last = module.insts().last().unwrap().result().unwrap();
    let mut pending = vec![values.get(last).unwrap()];
    let mut scalars = Vec::new();
    while let Some(value) = pending.pop() {
        match values.scalar_of(value) {
            Some(bits) => scalars.push(bits),
            None => pending.extend((0..8).rev().filter_map(|index| values.element(value, index))),
        }
    }
    Ok(scalars)
}

/// What an entry point decides shows in its values, and in nothing else.
#[test]
fn specialized_modules_have_the_constants_of_each_entry_point() {
    let text = |constants: &str| {
        format!(
            "; Version: 1.6\nOpCapability Shader\nOpCapability Float16\nOpCapability RoundingModeRTZ\n\
             OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %near \"near\"\n\
             OpEntryPoint GLCompute %zero \"zero\"\nOpExecutionMode %near LocalSize 4 2 1\n\
             OpExecutionMode %zero LocalSize 1 1 1\nOpExecutionMode %zero RoundingModeRTZ 16\n\
             OpDecorate %s SpecId 3\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n\
             %s = OpSpecConstant %float 1.0\n{constants}\
             %near = OpFunction %void None %fn\n%a = OpLabel\nOpReturn\nOpFunctionEnd\n\
             %zero = OpFunction %void None %fn\n%b = OpLabel\nOpReturn\nOpFunctionEnd\n"
        )
    };
    // 2049 lies halfway between two halves, and a little above that is nearer to the upper one.
    let given: Specialization = [(3, u64::from(2049.5f32.to_bits()))].into_iter().collect();
    for (constants, results) in
        [("", None), ("%h = OpSpecConstantOp %half FConvert %s\n", Some([0x6801, 0x6800]))]
    {
        let module = std::sync::Arc::new(module(&text(constants)));
        let specialized = SpecializedModule::new(std::sync::Arc::clone(&module), given.clone()).unwrap();
        assert_eq!(specialized.specialization(), &given);
        let ids: Vec<Id> = module.global_insts().filter_map(|inst| inst.result()).collect();
        for (place, entry) in module.entry_points().enumerate() {
            let found = specialized.constants_for(entry.function, 16).unwrap();
            let expected =
                ConstantValues::evaluate_for_subgroup(&module, &given, entry.function, 16).unwrap();
            assert!(ids.iter().all(|&id| found.get(id) == expected.get(id)));
            assert_eq!(found.workgroup_size(), [Some([4, 2, 1]), Some([1, 1, 1])][place]);
            if let Some(results) = results {
                assert_eq!(found.scalar(*ids.last().unwrap()), Some(results[place]));
            }
        }
        let plain = ConstantValues::evaluate(&module, &given).unwrap();
        assert!(ids.iter().all(|&id| specialized.constants().get(id) == plain.get(id)));
        assert_eq!(specialized.constants().workgroup_size(), None);
    }
}

#[test]
fn constants_are_evaluated() {
    let none = Specialization::new();
    let given: Specialization = [(1, 7), (2, 2), (3, 0)].into_iter().collect();
    let check = |text: &str, expected: &[i64]| {
        let expected: Vec<u64> = expected.iter().map(|&value| u64::from(value as u32)).collect();
        assert_eq!(spec_value(text, &none).as_deref(), Ok(expected.as_slice()), "{text}");
    };
    check("%r = OpSpecConstantOp %int IAdd %sa %sb", &[7]);
    check("%r = OpSpecConstantOp %int SDiv %sa %sb", &[-3]);
    check("%r = OpSpecConstantOp %int SRem %sa %sb", &[1]);
    check("%r = OpSpecConstantOp %int SMod %sa %sb", &[-2]);
    check("%r = OpSpecConstantOp %uint UMod %sb %sa", &[((1i64 << 32) - 3) % 10]);
    // What SPIR-V leaves open has a fixed result here, and must not trap.
    check("%r = OpSpecConstantOp %int SDiv %sa %zero", &[0]);
    check("%r = OpSpecConstantOp %int SMod %sa %zero", &[0]);
    check("%r = OpSpecConstantOp %int UDiv %sa %zero", &[0]);
    check("%r = OpSpecConstantOp %int SDiv %lowest %minus", &[-2_147_483_648]);
    check("%r = OpSpecConstantOp %int SRem %lowest %minus", &[0]);
    check("%r = OpSpecConstantOp %int SMod %lowest %minus", &[0]);
    check("%r = OpSpecConstantOp %int ShiftLeftLogical %sa %minus", &[0]);
    check("%one = OpConstant %int 1\n%r = OpSpecConstantOp %int ShiftRightArithmetic %sb %one", &[-2]);
    check("%r = OpSpecConstantOp %bool SLessThan %sb %sa", &[1]);
    check("%r = OpSpecConstantOp %bool ULessThan %sb %sa", &[0]);
    check("%r = OpSpecConstantOp %int Select %st %sa %sb", &[10]);
    check("%r = OpSpecConstantOp %int2 Select %st %v %v", &[10, -3]);
    check("%r = OpSpecConstantOp %int2 IMul %v %v", &[100, 9]);
    check("%r = OpSpecConstantOp %int3 VectorShuffle %v %null3 1 2 0", &[-3, 0, 10]);
    check("%r = OpSpecConstantOp %int CompositeExtract %v 1", &[-3]);
    check("%r = OpSpecConstantOp %int3 CompositeInsert %sa %null3 2", &[0, 0, 10]);
    check("%b8 = OpConstant %byte -2\n%r = OpSpecConstantOp %uint SConvert %b8", &[-2]);
    // 65521 rounds to infinity in half precision, and subnormal halves are flushed.
    check("%r = OpSpecConstantOp %float QuantizeToF16 %f", &[0x7f80_0000]);
    check("%r = OpSpecConstantOp %float QuantizeToF16 %tiny", &[0]);
    let sum = "%r = OpSpecConstantOp %int IAdd %sa %sb";
    assert_eq!(spec_value(sum, &given), Ok(vec![9]));
    assert_eq!(spec_value("%r = OpSpecConstantOp %int Select %st %sa %sb", &given), Ok(vec![2]));
    assert!(spec_value("%r = OpSpecConstantOp %float FAdd %f %f", &none).is_err());
    assert!(spec_value("%r = OpSpecConstantOp %int IAdd %sa %r", &none).is_err());
    assert!(spec_value("%r = OpSpecConstantOp %int CompositeExtract %v 2", &none).is_err());
    assert!(spec_value("%r = OpSpecConstantOp %int IAdd %sa %v", &none).is_err());
}

#[test]
fn huge_arrays_cost_nothing() {
    let module = module(
        "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n\
         %long = OpTypeInt 64 0\n%n = OpConstant %long 1099511627776\n%a = OpTypeArray %long %n\n\
         %aa = OpTypeArray %a %n\n%null = OpConstantNull %aa",
    );
    let values = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
    let null = module.insts().last().unwrap();
    let value = values.get(null.result().unwrap()).unwrap();
    let row = values.element(value, (1 << 40) - 1).unwrap();
    assert_eq!(values.element(row, 5), Some(Value::Scalar(0)));
    assert_eq!(values.element(value, 1 << 40), None);
    let mut layouts = layout::Layouts::new(&values, layout::LayoutKind::Logical);
    let ty = null.result_type().unwrap();
    assert_eq!(layouts.extent(ty), Err(layout::LayoutError::TooLarge(ty)));
}

const HEAD: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";

#[test]
fn malformed_words_are_refused() {
    let refused = |text: &str| refused(&format!("{HEAD}{text}"));
    use DecodeErrorKind as Kind;
    assert!(matches!(refused("%1 = OpTypeVoid\nOpNop\nOpLine !77 1 1"), Kind::IdOutOfBound(77, 2)));
    assert!(matches!(refused("%1 = OpTypeVoid\n%1 = OpTypeBool"), Kind::DuplicateResult(_)));
    assert!(matches!(refused("OpCapability !9999"), Kind::Grammar(_)));
    assert!(matches!(refused("%1 = OpTypePointer !9999 %1"), Kind::Grammar(_)));
    assert!(matches!(refused("%1 = OpTypeStruct %1"), Kind::TypeOrder(_)));
    assert!(matches!(refused("%1 = OpTypeStruct %2\n%2 = OpTypeVoid"), Kind::TypeOrder(_)));
    assert!(matches!(
        refused("OpTypeForwardPointer %2 Uniform\n%1 = OpTypeStruct %2\n%2 = OpTypeStruct %1"),
        Kind::TypeOrder(_)
    ));
    assert!(matches!(refused("OpMemoryModel Logical GLSL450"), Kind::SecondMemoryModel));
    assert!(matches!(refused("%1 = OpLabel"), Kind::Layout(_)));
    assert!(matches!(refused("OpReturn"), Kind::Layout(_)));
    assert!(matches!(refused("OpFunctionEnd"), Kind::Layout(_)));
    assert!(matches!(
        refused("%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpFunction %1 None %2\n%4 = OpLabel"),
        Kind::Layout(_)
    ));
    assert!(matches!(
        refused(
            "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpFunction %1 None %2\n%4 = OpLabel\n\
                 OpSelectionMerge %4 None\nOpNop\n%5 = OpUndef %1\nOpReturn\nOpFunctionEnd"
        ),
        Kind::Layout(_)
    ));
    assert!(matches!(refused("OpGroupDecorate %1 %1"), Kind::NoGroup(_)));
}

#[test]
fn malformed_headers_are_refused() {
    let words = assemble(HEAD).unwrap();
    let with = |index: usize, word: u32| {
        let mut words = words.clone();
        words[index] = word;
        Module::decode(&words).unwrap_err()
    };
    assert_eq!(Module::decode(&words[..4]).unwrap_err().kind, DecodeErrorKind::TruncatedHeader);
    assert_eq!(with(0, 0x0723_0204).kind, DecodeErrorKind::Magic(0x0723_0204));
    assert_eq!(with(1, 0x0002_0000).kind, DecodeErrorKind::Version(2, 0));
    assert_eq!(with(3, 0).kind, DecodeErrorKind::Bound(0));
    assert_eq!(with(3, 1 << 31).kind, DecodeErrorKind::Bound(1 << 31));
    assert_eq!(with(5, 17).kind, DecodeErrorKind::ZeroWordCount);
    assert_eq!(with(5, 2 << 16 | 65_000).kind, DecodeErrorKind::UnknownOpcode(65_000));
    let truncated = Module::decode(&words[..words.len() - 1]).unwrap_err();
    assert_eq!(truncated.kind, DecodeErrorKind::TruncatedInstruction(3, 2));
    assert_eq!((truncated.word_offset, truncated.op), (7, Some(Op::MemoryModel)));
}

#[test]
fn absurd_sizes_are_refused_or_cheap() {
    // The greatest bound, almost no ids.
    let sparse = module("; Bound: 4194303\nOpCapability Shader\n%4194302 = OpTypeVoid");
    assert_eq!(sparse.ty(Id::from_u32(4_194_302)), Type::Void);
    assert_eq!(sparse.definition(Id::from_u32(u32::MAX - 1)).map(|inst| inst.op()), None);
    // Types nested 1,000 deep.
    let mut deep = format!("{HEAD}%1 = OpTypeInt 32 0\n");
    for index in 2..1000 {
        deep += &format!("%{index} = OpTypeStruct %{}\n", index - 1);
    }
    assert_eq!(refused(&deep), DecodeErrorKind::TypeDepth);
    // A type of 2^200 leaves whose size is computed member by member.
    let mut wide = format!("{HEAD}%1 = OpTypeInt 32 0\n");
    for index in 2..200 {
        wide += &format!("%{index} = OpTypeStruct %{0} %{0}\n", index - 1);
    }
    let wide = module(&wide);
    let values = ConstantValues::evaluate(&wide, &Specialization::new()).unwrap();
    let mut layouts = layout::Layouts::new(&values, layout::LayoutKind::Logical);
    assert!(layouts.extent(Id::from_u32(199)).is_err());
    assert_eq!(layouts.extent(Id::from_u32(11)).map(|extent| extent.size), Ok(4096));
    // Groups that would multiply to millions of decorations.
    let mut groups = format!("{HEAD}%g = OpDecorationGroup\n");
    groups += &"OpDecorate %g Restrict\n".repeat(2000);
    groups += &format!("OpGroupDecorate %g{}\n", " %a".repeat(2000));
    groups += "%int = OpTypeInt 32 0\n%p = OpTypePointer Private %int\n%a = OpVariable %p Private";
    assert_eq!(refused(&groups), DecodeErrorKind::GroupDecorations);
}

/// Asks a module for everything; only that it ends and does not panic matters.
fn exercise(module: &Module) {
    for inst in module.insts() {
        let _ = (module.location(inst.index()), inst.used_ids().count(), inst.ext_inst());
        if let Some(id) = inst.result() {
            let _ = (module.ty(id), module.name(id), module.global(id), module.component(id));
            let _ =
                (module.all_decorations(id).count(), module.member_layout(id, 1), module.strip_arrays(id));
        }
    }
    for function in module.functions() {
        let _ = (module.callees(function).count(), module.parameters(function).count());
        for block in module.function(function).blocks() {
            let _ = (module.merge(block), module.successors(block).count(), module.body(block).count());
        }
    }
    let _ = module.entry_points().map(|e| module.execution_modes(e.function).count()).sum::<usize>();
    let _ = (disassemble(module), disassemble_named(module));
    if let Ok(values) = ConstantValues::evaluate(module, &Specialization::new()) {
        for kind in [layout::LayoutKind::Explicit, layout::LayoutKind::Logical] {
            let mut layouts = layout::Layouts::new(&values, kind);
            for id in 0..module.bound().min(1 << 16) as u32 {
                let _ = layouts.extent(Id::from_u32(id));
            }
        }
    }
}

#[test]
fn mutations_never_panic() {
    let originals: Vec<_> =
        [COMPUTE, include_str!("debuginfo.spvasm")].map(|text| assemble(text).unwrap()).into();
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut decoded = 0;
    for round in 0..6000 {
        let mut words = originals[round % originals.len()].clone();
        for _ in 0..1 + random.below(4) {
            let place = random.below(words.len());
            match random.below(6) {
                0 => words[place] ^= 1 << random.below(32),
                1 => words[place] = random.bits() as u32,
                2 => words[place] = random.below(150) as u32,
                3 => words.truncate(place),
                4 => {
                    let other = random.below(words.len());
                    words.swap(place, other);
                }
                _ => words[place] = words[random.below(words.len())],
            }
            if words.is_empty() {
                break;
            }
        }
        if let Ok(module) = Module::decode(&words) {
            decoded += 1;
            exercise(&module);
        }
    }
    // Small changes often leave a module that decodes; if none did, the test would show nothing.
    assert!(decoded > 200, "{decoded}");
    for _ in 0..2000 {
        let mut words = vec![0x0723_0203, 0x0001_0500, 0, 40, 0];
        for _ in 0..random.below(60) {
            let opcode = random.below(400) as u32;
            let len = 1 + random.below(6) as u32;
            words.push(len << 16 | opcode);
            words.extend((1..len).map(|_| random.below(42) as u32));
        }
        if let Ok(module) = Module::decode(&words) {
            exercise(&module);
        }
    }
}

#[test]
fn id_operand_places_match_a_full_walk() {
    // Operands that depend on more than their place: pairs, masks with parameters, enumerants with some,
    // strings, literals of the selector's width, operations inside operations.
    let text = r#"; Version: 1.6
        OpCapability Shader
        OpCapability Int64
        OpCapability VulkanMemoryModel
        OpCapability PhysicalStorageBufferAddresses
        %set = OpExtInstImport "GLSL.std.450"
        OpMemoryModel PhysicalStorageBuffer64 Vulkan
        OpEntryPoint Fragment %main "main" %in %out
        OpExecutionMode %main OriginUpperLeft
        OpExecutionModeId %main LocalSizeId %one %one %one
        %file = OpString "a file"
        OpSource GLSL 450 %file "text"
        OpName %main "main"
        OpMemberName %block 0 "member"
        OpDecorate %in Location 0
        OpDecorateId %in UniformId %one
        OpMemberDecorate %block 0 Offset 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %int = OpTypeInt 32 1
        %long = OpTypeInt 64 0
        %float = OpTypeFloat 32
        %vec4 = OpTypeVector %float 4
        %vec2 = OpTypeVector %float 2
        %block = OpTypeStruct %float
        %image = OpTypeImage %float 2D 0 0 0 1 Unknown
        %sampled = OpTypeSampledImage %image
        %p_in = OpTypePointer Input %vec4
        %p_out = OpTypePointer Output %vec4
        %p_local = OpTypePointer Function %vec4
        %p_image = OpTypePointer UniformConstant %sampled
        %one = OpConstant %int 1
        %big = OpConstant %long 5000000000
        %spec = OpSpecConstantOp %int IAdd %one %one
        %pair = OpSpecConstantOp %int Select %true %one %one
        %true = OpConstantTrue %bool
        %f = OpConstant %float 1
        %at = OpConstantComposite %vec2 %f %f
        %in = OpVariable %p_in Input
        %out = OpVariable %p_out Output
        %tex = OpVariable %p_image UniformConstant
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %local = OpVariable %p_local Function
        OpLine %file 3 4
        %x = OpLoad %vec4 %in Volatile|Aligned|MakePointerVisible|NonPrivatePointer 16 %one
        %y = OpLoad %vec4 %in Aligned 16
        OpStore %local %x
        OpCopyMemory %local %in Aligned 4 Aligned 4
        %t = OpLoad %sampled %tex
        %s = OpImageSampleExplicitLod %vec4 %t %at Grad|ConstOffset %at %at %at
        %e = OpExtInst %vec4 %set FClamp %x %x %x
        %c = OpCompositeExtract %float %x 1
        %shuffle = OpVectorShuffle %vec4 %x %y 0 1 4 5
        OpBranch %head
        %head = OpLabel
        %phi = OpPhi %float %c %entry %f %body
        OpLoopMerge %exit %body PeelCount|DontUnroll|MultipleWaitQueuesQCOM 4 3
        OpBranchConditional %true %body %exit 3 5
        %body = OpLabel
        OpBranch %head
        %exit = OpLabel
        OpSelectionMerge %end None
        OpSwitch %big %end 5000000000 %case 7 %case
        %case = OpLabel
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
    "#;
    let module = Module::decode(&assemble(text).expect("text")).expect("a module");
    let mut count = 0;
    for inst in module.insts() {
        let walked: Vec<Id> = inst.operands().filter_map(|operand| operand.id()).collect();
        assert_eq!(inst.id_operands().collect::<Vec<_>>(), walked, "{inst:?}");
        count += walked.len();
    }
    assert!(count > 60, "{count}");
}
