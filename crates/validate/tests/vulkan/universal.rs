//! SPIR-V's own rules that strict checking adds: extensions, modes, pointers.

use crate::common::*;
use crate::cooperative::{BOTH, decoding};
use crate::device::{geometry, mesh};

fn breaks(text: &Text, rule: &str) {
    let found = findings(text);
    assert!(found.iter().any(|found| found == rule), "{rule} expected, found {found:?}\n{}", text.own());
}

fn keeps(text: &Text) {
    assert_eq!(findings(text), [] as [&str; 0], "{}", text.own());
}

#[test]
fn capabilities_come_by_version_or_extension() {
    let rules = |version: &str, extension: &str| {
        let text = compute().capability("RayQueryKHR VulkanMemoryModel").text();
        let text = text.replace("OpExtension \"SPV_KHR_ray_query\"\n", extension);
        let text = text.replace("OpExtension \"SPV_KHR_vulkan_memory_model\"\n", "");
        let text = text.replace("; Version: 1.4", &format!("; Version: {version}"));
        let module = pyro_spirv::Module::decode(&pyro_spirv::asm::assemble(&text).unwrap()).unwrap();
        let environment = pyro_validate::Environment { strict: true, ..Default::default() };
        let found = pyro_validate::check(&module, &environment).err().unwrap_or_default();
        found.iter().filter(|found| found.rule == "Extensions").count()
    };
    // One by an extension only, the other by SPIR-V 1.5 too.
    let extension = "OpExtension \"SPV_KHR_ray_query\"\n";
    assert_eq!(
        [rules("1.4", ""), rules("1.5", ""), rules("1.4", extension), rules("1.5", extension)],
        [2, 1, 1, 0]
    );
}

#[test]
fn opcodes_and_enumerants_come_by_version_or_extension() {
    // The version, what is declared or decorated, the rule broken or not.
    let rules = |version: &str, extension: &str, text: &Text| {
        let text = text.text().replace("; Version: 1.4", &format!("; Version: {version}"));
        let text = text.replace("OpExtension \"SPV_KHR_maximal_reconvergence\"\n", "");
        let text = text.replacen("OpMemoryModel", &format!("{extension}\nOpMemoryModel"), 1);
        let module = pyro_spirv::Module::decode(&pyro_spirv::asm::assemble(&text).unwrap()).unwrap();
        let environment = pyro_validate::Environment { strict: true, ..Default::default() };
        let found = pyro_validate::check(&module, &environment).err().unwrap_or_default();
        found.iter().filter(|found| found.rule == "Extensions").map(|found| found.message.clone()).collect()
    };
    let none: [String; 0] = [];
    let needs = |name: &str, ways: &str| vec![format!("{name} needs {ways}")];
    let wrap = compute().decorate("OpDecorate %sum NoSignedWrap").body("%sum = OpIAdd %uint %c1 %c1");
    let brings_wrap = "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"";
    let broken: Vec<String> = rules("1.3", "", &wrap);
    assert_eq!(broken, needs("NoSignedWrap", &format!("{brings_wrap} or SPIR-V 1.4")));
    assert_eq!(rules("1.3", brings_wrap, &wrap), none);
    assert_eq!(rules("1.4", "", &wrap), none);
    let copy = compute()
        .declare(
            "%One = OpTypeStruct %uint\n%Other = OpTypeStruct %uint\n%one = OpConstantComposite %One %c1",
        )
        .body("%copy = OpCopyLogical %Other %one");
    assert_eq!(rules("1.3", "", &copy), needs("CopyLogical", "SPIR-V 1.4"));
    assert_eq!(rules("1.4", "", &copy), none);
    let converging = compute().mode("OpExecutionMode %main MaximallyReconvergesKHR");
    let brings_modes = "OpExtension \"SPV_KHR_maximal_reconvergence\"";
    assert_eq!(rules("1.6", "", &converging), needs("MaximallyReconvergesKHR", brings_modes));
    assert_eq!(rules("1.6", brings_modes, &converging), none);
}

#[test]
fn stages_have_their_modes() {
    breaks(&Text { modes: String::new(), ..fragment() }, "Execution modes");
    let without = |text: Text, mode: &str| {
        let modes: Vec<&str> = text.modes.lines().filter(|line| !line.contains(mode)).collect();
        Text { modes: modes.join("\n"), ..text.clone() }
    };
    breaks(&without(geometry(3, 1), "Triangles"), "Execution modes");
    breaks(&without(geometry(3, 1), "OutputTriangleStrip"), "Execution modes");
    breaks(&geometry(3, 1).mode("OpExecutionMode %main InputPoints"), "Execution modes");
    breaks(&without(mesh(3, 1), "OutputTriangles"), "Execution modes");
    let evaluation =
        |modes: &str| Text::stage("TessellationEvaluation").capability("Tessellation").mode(modes);
    let (equal, odd) = ("OpExecutionMode %main SpacingEqual", "OpExecutionMode %main SpacingFractionalOdd");
    breaks(&evaluation(&format!("{equal}\n{odd}")), "Execution modes");
    keeps(&evaluation(equal));
    keeps(&geometry(3, 1));
}

#[test]
fn variables_hold_few_pointers() {
    let holder = |class: &str| {
        compute()
            .capability("VariablePointers")
            .declare(&format!("%held = OpTypePointer {class} %uint"))
            .variable("holder", "Private", "%held")
    };
    breaks(&holder("Function"), "OpVariable");
    breaks(&holder("Input"), "OpVariable");
    keeps(&holder("Workgroup"));
}

#[test]
fn blocks_hold_no_blocks() {
    let nested = |decoration: &str| {
        buffer("StorageBuffer", "Block")
            .decorate(&format!("OpMemberDecorate %Outer 0 Offset 0\n{decoration}"))
            .declare("%Outer = OpTypeStruct %Block")
    };
    breaks(&nested("OpDecorate %Outer Block"), "OpTypeStruct");
    keeps(&nested(""));
}

#[test]
fn pointers_are_chosen_with_variable_pointers_only() {
    let chosen = || {
        shared()
            .declare("%other = OpVariable %p_shared Workgroup")
            .listing("%other")
            .body("%p = OpSelect %p_shared %true %shared %other\n%r = OpLoad %uint %p")
    };
    breaks(&chosen(), "OpSelect");
    keeps(&chosen().capability("VariablePointers VariablePointersStorageBuffer"));
}

#[test]
fn negative_constant_indices_are_refused() {
    let indexed = |index: i32| {
        compute()
            .declare("%four = OpTypeArray %uint %c4")
            .variable("memory", "Workgroup", "%four")
            .declare(&format!("%index = OpConstant %int {index}\n%p_uint = OpTypePointer Workgroup %uint"))
            .body("%p = OpAccessChain %p_uint %memory %index")
    };
    breaks(&indexed(-1), "OpAccessChain");
    keeps(&indexed(3));
}

#[test]
fn untyped_chains_follow_their_types() {
    let chain = |body: &str| {
        buffer("StorageBuffer", "Block")
            .capability("UntypedPointersKHR")
            .declare("%untyped = OpTypeUntypedPointerKHR StorageBuffer")
            .declare("%shared_untyped = OpTypeUntypedPointerKHR Workgroup")
            .body(body)
    };
    keeps(&chain("%p = OpUntypedAccessChainKHR %untyped %Block %buffer %c0"));
    for body in [
        "%p = OpUntypedAccessChainKHR %untyped %Block %buffer %c1",
        "%p = OpUntypedAccessChainKHR %untyped %Block %buffer %f1",
        "%p = OpUntypedAccessChainKHR %untyped %Block %c0 %c0",
        "%p = OpUntypedAccessChainKHR %untyped %uint %buffer %c0",
        "%p = OpUntypedAccessChainKHR %shared_untyped %Block %buffer %c0",
        "%p = OpUntypedAccessChainKHR %p_float %Block %buffer %c0",
    ] {
        breaks(&chain(body), "OpUntypedAccessChainKHR");
    }
}

#[test]
fn products_need_their_inputs() {
    let product = |capability: &str| {
        compute()
            .capability(&format!("DotProduct {capability}"))
            .body("%r = OpUDot %uint %packed %packed PackedVectorFormat4x8Bit")
            .declare("%packed = OpConstant %uint 77")
    };
    breaks(&product(""), "OpUDot");
    keeps(&product("DotProductInput4x8BitPacked"));
}

#[test]
fn memory_decorations_are_on_memory() {
    let text =
        |target: &str| buffer("StorageBuffer", "Block").decorate(&format!("OpDecorate {target} NonWritable"));
    keeps(&text("%buffer"));
    breaks(&text("%float"), "Memory decorations");
    let member =
        |kind: &str| buffer("StorageBuffer", "Block").decorate(&format!("OpMemberDecorate %Block 0 {kind}"));
    keeps(&member("Restrict"));
    breaks(&member("Aliased"), "Memory decorations");
}

#[test]
fn conversions_change_the_width() {
    let converted = |ty: &str| {
        compute()
            .capability("Int64")
            .declare("%long = OpTypeInt 64 1")
            .body(&format!("%r = OpSConvert {ty} %i1"))
    };
    breaks(&converted("%int"), "OpSConvert");
    keeps(&converted("%long"));
}

#[test]
fn storage_images_need_their_capabilities() {
    let read = |of: &str, capability: &str, coordinate: &str| {
        compute()
            .capability(&format!("Sampled1D SampledBuffer StorageImageExtendedFormats {capability}"))
            .decorate("OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 0")
            .declare(&format!("%type = OpTypeImage {of}"))
            .variable("image", "UniformConstant", "%type")
            .body(&format!("%value = OpLoad %type %image\n%texel = OpImageRead %float4 %value {coordinate}"))
    };
    for (of, capability, coordinate) in [
        ("%float 1D 0 0 0 2 Rgba8", "Image1D", "%i0"),
        ("%float Buffer 0 0 0 2 Rgba8", "ImageBuffer", "%i0"),
        ("%float 2D 0 0 0 2 Unknown", "StorageImageReadWithoutFormat", "%zeros"),
    ] {
        breaks(&read(of, "", coordinate), "OpImageRead");
        keeps(&read(of, capability, coordinate));
    }
    keeps(&read("%float 2D 0 0 0 2 Rgba8", "", "%zeros"));
}

#[test]
fn structures_hold_few_pointers() {
    let held = |class: &str| {
        shared()
            .capability("VariablePointers")
            .declare(&format!("%pointer = OpTypePointer {class} %float\n%S = OpTypeStruct %uint %pointer"))
            .declare("%p_S = OpTypePointer Private %S\n%private = OpVariable %p_S Private")
            .listing("%private")
    };
    breaks(&held("Output"), "OpVariable");
    keeps(&held("StorageBuffer"));
}

#[test]
fn cooperative_memory_is_behind_pointers() {
    let load = |pointer: &str, offset: &str| {
        buffer("StorageBuffer", "Block")
            .capability("CooperativeVectorNV Float16 Int16")
            .declare("%half = OpTypeFloat 16\n%vector = OpTypeCooperativeVectorNV %half %c4")
            .declare("%short = OpTypeInt 16 0\n%s0 = OpConstant %short 0")
            .declare("%p_array = OpTypePointer StorageBuffer %floats")
            .body("%memory = OpAccessChain %p_array %buffer %c0")
            .body(&format!("%r = OpCooperativeVectorLoadNV %vector {pointer} {offset}"))
            .holding_array()
    };
    keeps(&load("%memory", "%c0"));
    breaks(&load("%memory", "%s0"), "OpCooperativeVectorLoadNV");
    breaks(&load("%c0", "%c0"), "OpCooperativeVectorLoadNV");
    let matrix = |pointer: &str| {
        let mut text = buffer("StorageBuffer", "Block")
            .capability("CooperativeMatrixKHR VulkanMemoryModel")
            .declare("%M = OpTypeCooperativeMatrixKHR %float %c3 %c4 %c4 %c0")
            .body("%memory = OpAccessChain %p_float %buffer %c0 %c0")
            .body(&format!("%m = OpCooperativeMatrixLoadKHR %M {pointer} %c0 %c4"))
            .holding_array();
        text.memory = "Vulkan";
        text
    };
    keeps(&matrix("%memory"));
    breaks(&matrix("%c1"), "OpCooperativeMatrixLoadKHR");
}

#[test]
fn per_primitive_decorates_variables_only() {
    let text = |target: &str| {
        mesh(3, 1)
            .decorate(&format!("OpDecorate {target} PerPrimitiveEXT\nOpDecorate %colour Location 0"))
            .declare("%one = OpTypeArray %float4 %c1")
            .variable("colour", "Output", "%one")
    };
    keeps(&text("%colour"));
    breaks(&text("%float"), "Interpolation decorations");
}

#[test]
fn nothing_points_to_functions() {
    let pointer = |to: &str| {
        compute()
            .declare(&format!("%called = OpTypeFunction %void %uint\n%p_called = OpTypePointer Private {to}"))
    };
    breaks(&pointer("%called"), "OpTypePointer");
    keeps(&pointer("%uint"));
}

#[test]
fn chains_of_themselves_end() {
    // Code that nothing reaches may use what it does not define before.
    let text = buffer("StorageBuffer", "Block").body(
        "OpReturn\n%dead = OpLabel\n%a = OpAccessChain %p_float %b %c0\n%b = OpCopyObject %p_float %a\n\
         %value = OpLoad %float %a\nOpStore %a %value",
    );
    // Whatever is found, it is found.
    let _ = findings(&text);
}

#[test]
fn tensor_layouts_have_as_many_numbers_as_dimensions() {
    let text = |layout: &str, view: &str, body: &str| {
        let mut text = compute()
            .capability("TensorAddressingNV CooperativeMatrixKHR VulkanMemoryModel")
            .declare(&format!("%Layout = OpTypeTensorLayoutNV {layout}"))
            .declare(&format!("%View = OpTypeTensorViewNV {view}"))
            .body("%layout = OpCreateTensorLayoutNV %Layout\n%view = OpCreateTensorViewNV %View")
            .body(body);
        text.memory = "Vulkan";
        text
    };
    let (layout, view) = ("%c2 %c0", "%c2 %true %c1 %c0");
    keeps(&text(
        layout,
        view,
        "%a = OpTensorLayoutSetDimensionNV %Layout %layout %c4 %c4\n\
         %b = OpTensorLayoutSliceNV %Layout %a %c0 %c2 %c0 %c2\n\
         %c = OpTensorLayoutSetClampValueNV %Layout %b %c1\n%d = OpTensorViewSetClipNV %View %view %c0 %c1 %c0 %c1",
    ));
    for other in ["%c0 %c0", "%c6 %c0", "%c2 %c6", "%f1 %c0"] {
        breaks(&text(other, view, ""), "OpTypeTensorLayoutNV");
    }
    for other in ["%c2 %true %c1", "%c2 %true %c1 %c1", "%c2 %true %c2 %c0", "%c2 %c1 %c1 %c0"] {
        breaks(&text(layout, other, ""), "OpTypeTensorViewNV");
    }
    for (rule, operands) in [
        ("OpTensorLayoutSetDimensionNV", "%Layout %layout %c4"),
        ("OpTensorLayoutSetStrideNV", "%Layout %view %c4 %c4"),
        ("OpTensorLayoutSliceNV", "%Layout %layout %c0 %c2"),
        ("OpTensorLayoutSetBlockSizeNV", "%Layout %layout %f1 %c1"),
        ("OpTensorViewSetStrideNV", "%Layout %layout %c1 %c1"),
        ("OpTensorViewSetClipNV", "%View %layout %c0 %c1 %c0 %c1"),
    ] {
        breaks(&text(layout, view, &format!("%r = {rule} {operands}")), rule);
    }
}

#[test]
fn elements_of_tensors_are_decoded_by_functions_of_their_type() {
    let rule = "OpCooperativeMatrixLoadTensorNV";
    for vector in ["%float2", "%float4"] {
        keeps(&decoding(vector, "%many", BOTH, "%c1 %c4"));
    }
    keeps(&decoding("%float4", "%many", "DecodeFunc %decode", "%c1 %c4"));
    for (vector, ty, operands) in [
        ("%float3", "%many", BOTH),
        ("%uint4", "%many", BOTH),
        ("%float4", "%many_far", BOTH),
        ("%float4", "%many", "DecodeVectorFunc %decode_vector"),
        ("%float4", "%many", "DecodeFunc|DecodeVectorFunc %decode_vector %decode"),
        ("%float4", "%many", "DecodeFunc %f1"),
        ("%float4", "%many", "TensorView %start"),
    ] {
        breaks(&decoding(vector, ty, operands, "%c1 %c4"), rule);
    }
    let stored = |operands| {
        let mut text = decoding("%float4", "%many", "DecodeFunc %decode", "%c1 %c1");
        text.body = text
            .body
            .replace("%r = OpCooperativeMatrixLoadTensorNV %matrix", "OpCooperativeMatrixStoreTensorNV");
        text.body = text.body.replace("DecodeFunc %decode", operands);
        text
    };
    keeps(&stored("None"));
    breaks(&stored("DecodeFunc %decode"), "OpCooperativeMatrixStoreTensorNV");
    let mut text = decoding("%float4", "%many", BOTH, "%c1 %c4");
    text.capabilities = text.capabilities.replace("OpCapability CooperativeMatrixDecodeVectorNV\n", "");
    breaks(&text, "Capabilities");
}

#[test]
fn arrays_fit_matrices_and_each_other() {
    let text = |body: &str| {
        let mut text = compute()
            .capability("CooperativeMatrixKHR VulkanMemoryModel CooperativeMatrixConversionQCOM Float16")
            .declare("%half = OpTypeFloat 16\n%c8 = OpConstant %uint 8\n%c16 = OpConstant %uint 16")
            .declare("%a_matrix = OpTypeCooperativeMatrixKHR %half %c3 %c8 %c16 %c0\n%am = OpConstantNull %a_matrix")
            .declare("%b_matrix = OpTypeCooperativeMatrixKHR %half %c3 %c16 %c8 %c1\n%bm = OpConstantNull %b_matrix")
            .declare("%halves = OpTypeArray %half %c16\n%words = OpTypeArray %uint %c8")
            .declare("%few = OpTypeArray %half %c8\n%floats = OpTypeArray %float %c8")
            .declare("%h = OpConstantNull %halves\n%w = OpConstantNull %words\n%f = OpConstantNull %few")
            .declare("%i8 = OpConstant %int 8\n%i9 = OpConstant %int 9")
            .body(body);
        text.memory = "Vulkan";
        text
    };
    for kept in [
        "OpBitCastArrayQCOM %words %h",
        "OpBitCastArrayQCOM %halves %w",
        "OpBitCastArrayQCOM %floats %w",
        "OpExtractSubArrayQCOM %few %h %i8",
        "OpCompositeConstructCoopMatQCOM %a_matrix %h",
        "OpCompositeConstructCoopMatQCOM %b_matrix %w",
        "OpCompositeExtractCoopMatQCOM %words %am",
        "OpCompositeExtractCoopMatQCOM %halves %bm",
    ] {
        keeps(&text(&format!("%r = {kept}")));
    }
    for (rule, operands) in [
        ("OpBitCastArrayQCOM", "%words %f"),
        ("OpBitCastArrayQCOM", "%words %am"),
        ("OpExtractSubArrayQCOM", "%few %h %i9"),
        ("OpExtractSubArrayQCOM", "%few %h %c8"),
        ("OpExtractSubArrayQCOM", "%words %h %i0"),
        ("OpCompositeConstructCoopMatQCOM", "%a_matrix %f"),
        ("OpCompositeConstructCoopMatQCOM", "%halves %h"),
        ("OpCompositeExtractCoopMatQCOM", "%floats %am"),
        ("OpCompositeExtractCoopMatQCOM", "%few %bm"),
    ] {
        breaks(&text(&format!("%r = {rule} {operands}")), rule);
    }
}

#[test]
fn bfloat16_and_float8_need_their_capabilities() {
    let text = |more: &str| {
        let mut text = compute()
            .capability(&format!("BFloat16TypeKHR CooperativeMatrixKHR VulkanMemoryModel {more}"))
            .declare("%small = OpTypeFloat 16 BFloat16KHR\n%small2 = OpTypeVector %small 2");
        text.memory = "Vulkan";
        text
    };
    let matrix = |more: &str| text(more).declare("%M = OpTypeCooperativeMatrixKHR %small %c3 %c4 %c4 %c0");
    keeps(&matrix("BFloat16CooperativeMatrixKHR"));
    breaks(&matrix(""), "OpTypeCooperativeMatrixKHR");
    let product = |more: &str| {
        let values = "%u = OpUndef %small2\n%dot = OpDot %small %u %u";
        text(more).body(values)
    };
    keeps(&product("BFloat16DotProductKHR"));
    breaks(&product(""), "OpDot");
}

#[test]
fn broken_control_flow_hides_no_other_instruction() {
    let text = compute().body(
        "%part = OpCompositeExtract %float %v2 2\nOpBranchConditional %true %out %gone\n%gone = OpLabel\nOpBranch %out\n\
         %out = OpLabel\n%phi = OpPhi %float %f1 %entry",
    );
    let found = findings(&text);
    let rules = ["OpCompositeExtract", "Structured control flow"];
    assert!(rules.iter().all(|rule| found.iter().any(|found| found == rule)), "{found:?}");
    assert!(!found.iter().any(|found| found == "OpPhi"), "{found:?}");
}

#[test]
fn entry_points_list_what_they_use() {
    let text = |listed: &str| {
        let mut text = fragment()
            .decorate("OpDecorate %in Location 0\nOpDecorate %in Flat")
            .declare("%p_in = OpTypePointer Input %uint\n%in = OpVariable %p_in Input")
            .declare("%p_own = OpTypePointer Private %uint\n%own = OpVariable %p_own Private")
            .body("%value = OpLoad %uint %in\nOpStore %own %value");
        text.interface = listed.to_owned();
        text
    };
    keeps(&text("%in %own"));
    breaks(&text("%own"), "OpEntryPoint");
    // From version 1.4 on, all variables are listed.
    breaks(&text("%in"), "OpEntryPoint");
    let rules = |listed: &str| {
        let text = text(listed).text().replace("; Version: 1.4", "; Version: 1.3");
        let module = pyro_spirv::Module::decode(&pyro_spirv::asm::assemble(&text).unwrap()).unwrap();
        let environment = pyro_validate::Environment { strict: true, ..Default::default() };
        pyro_validate::check(&module, &environment).err().unwrap_or_default().len()
    };
    assert_eq!([rules("%in"), rules("")], [0, 1]);
}

#[test]
fn meshes_say_their_sizes() {
    keeps(&mesh(3, 1));
    for mode in ["OutputVertices", "OutputPrimitivesEXT"] {
        let mut text = mesh(3, 1);
        text.modes = text.modes.lines().filter(|line| !line.contains(mode)).collect::<Vec<_>>().join("\n");
        breaks(&text, "Execution modes");
    }
}

#[test]
fn forward_pointers_are_to_structures_and_declared_once() {
    let text = |ahead: &str, pointee: &str| {
        let mut text = compute()
            .capability("PhysicalStorageBufferAddresses Int64")
            .decorate("OpDecorate %Node Block\nOpMemberDecorate %Node 0 Offset 0")
            .declare(&format!(
                "{ahead}%Node = OpTypeStruct %next\n%next = OpTypePointer PhysicalStorageBuffer {pointee}"
            ));
        text.addressing = "PhysicalStorageBuffer64";
        text
    };
    let once = "OpTypeForwardPointer %next PhysicalStorageBuffer\n";
    keeps(&text(once, "%Node"));
    breaks(&text(&once.repeat(2), "%Node"), "OpTypeForwardPointer");
    breaks(&text(once, "%uint"), "OpTypeForwardPointer");
}

#[test]
fn members_have_no_index() {
    let text = |index: &str| {
        fragment()
            .decorate(&format!("OpDecorate %B Block\nOpMemberDecorate %B 0 Location 0\n{index}"))
            .declare("%B = OpTypeStruct %float4")
            .variable("b", "Input", "%B")
    };
    keeps(&text(""));
    assert!(!findings(&text("OpMemberDecorate %B 0 Index 0")).is_empty());
}

#[test]
fn runtime_arrays_end_blocks() {
    let text = |decoration: &str| {
        let mut text = compute()
            .capability("PhysicalStorageBufferAddresses Int64")
            .decorate(&format!("{decoration}OpDecorate %array ArrayStride 4\nOpMemberDecorate %S 0 Offset 0"))
            .declare("%array = OpTypeRuntimeArray %uint\n%S = OpTypeStruct %array")
            .declare("%pointer = OpTypePointer PhysicalStorageBuffer %S");
        text.addressing = "PhysicalStorageBuffer64";
        text
    };
    keeps(&text("OpDecorate %S Block\n"));
    breaks(&text(""), "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680");
    // Of buffers, uniform ones too (VK_EXT_shader_uniform_buffer_unsized_array).
    let of_class = |class: &str| {
        compute()
            .decorate("OpDecorate %user DescriptorSet 0\nOpDecorate %user Binding 0\nOpDecorate %S Block")
            .decorate("OpDecorate %array ArrayStride 16\nOpMemberDecorate %S 0 Offset 0")
            .declare("%array = OpTypeRuntimeArray %float4\n%S = OpTypeStruct %array")
            .variable("user", class, "%S")
    };
    keeps(&of_class("StorageBuffer"));
    keeps(&of_class("Uniform"));
}

#[test]
fn small_numbers_are_only_stored_without_arithmetic() {
    let text = |capability: &str, class: &str, body: &str| {
        compute()
            .capability(capability)
            .decorate("OpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0")
            .declare("%short = OpTypeInt 16 0\n%B = OpTypeStruct %short")
            .declare(&format!("%at = OpTypePointer {class} %short"))
            .variable("b", class, "%B")
            .body(&format!("%place = OpAccessChain %at %b %c0\n%value = OpLoad %short %place\n{body}"))
    };
    let (store, add) =
        ("%wide = OpUConvert %uint %value\nOpStore %place %value", "%sum = OpIAdd %short %value %value");
    keeps(&text("StorageBuffer16BitAccess", "StorageBuffer", store));
    keeps(&text("StorageBuffer16BitAccess Int16", "StorageBuffer", add));
    breaks(&text("StorageBuffer16BitAccess", "StorageBuffer", add), "Capabilities");
    // Uniform blocks have a capability of their own, which storage buffers come with.
    let wide = "%wide = OpUConvert %uint %value";
    keeps(&text("UniformAndStorageBuffer16BitAccess", "Uniform", wide));
    keeps(&text("UniformAndStorageBuffer16BitAccess", "StorageBuffer", wide));
    breaks(&text("StorageBuffer16BitAccess", "Uniform", wide), "Capabilities");
}
