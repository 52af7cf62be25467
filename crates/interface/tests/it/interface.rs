//! The model of real-looking shaders, and what does not match between stages.

use pyro_interface::link::{Options, can_follow, match_stages, overlap};
use pyro_interface::pipeline::PipelineStage;
use pyro_interface::{Direction, Interface, ResourceKind, builtin};
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, StorageClass};
use pyro_spirv::{ConstantValues, Module, Specialization};

fn decode(text: &str) -> Module {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    Module::decode(&words).unwrap_or_else(|error| panic!("{error}"))
}

fn with<R>(
    module: &Module,
    specialization: Specialization,
    run: impl FnOnce(&ConstantValues<'_>, &Interface) -> R,
) -> R {
    let constants = ConstantValues::evaluate(module, &specialization).unwrap();
    let entry = module.entry_points().next().unwrap();
    let interface = Interface::of(&constants, &entry).unwrap();
    run(&constants, &interface)
}

const COMPUTE: &str = "
    ; Version: 1.3
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %gid
    OpExecutionMode %main LocalSize 8 4 2
    OpName %data \"data\"
    OpName %Push \"Push\"
    OpName %length \"length\"
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %length SpecId 5
    OpDecorate %half SpecId 2
    OpDecorate %Data Block
    OpMemberDecorate %Data 0 NonWritable
    OpMemberDecorate %Data 1 NonWritable
    OpMemberDecorate %Data 0 Offset 0
    OpMemberDecorate %Data 1 Offset 16
    OpDecorate %uints ArrayStride 8
    OpDecorate %data DescriptorSet 1
    OpDecorate %data Binding 4
    OpDecorate %Push Block
    OpMemberDecorate %Push 0 Offset 16
    OpMemberDecorate %Push 1 Offset 32
    OpDecorate %textures DescriptorSet 0
    OpDecorate %textures Binding 3
    OpDecorate %bindless DescriptorSet 0
    OpDecorate %bindless Binding 9
    OpDecorate %unused DescriptorSet 0
    OpDecorate %unused Binding 0
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %short = OpTypeInt 16 1
    %uint3 = OpTypeVector %uint 3
    %float4 = OpTypeVector %float 4
    %length = OpSpecConstant %uint 16
    %half = OpSpecConstant %short -2
    %three = OpConstant %uint 3
    %zero = OpConstant %uint 0
    %uints = OpTypeRuntimeArray %uint
    %Data = OpTypeStruct %float4 %uints
    %Push = OpTypeStruct %float4 %uint
    %shared_type = OpTypeArray %float4 %length
    %image = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled = OpTypeSampledImage %image
    %three_images = OpTypeArray %sampled %three
    %storage = OpTypeImage %float 2D 0 0 0 2 Rgba8
    %images = OpTypeRuntimeArray %storage
    %p_data = OpTypePointer StorageBuffer %Data
    %p_push = OpTypePointer PushConstant %Push
    %p_in = OpTypePointer Input %uint3
    %p_shared = OpTypePointer Workgroup %shared_type
    %p_textures = OpTypePointer UniformConstant %three_images
    %p_bindless = OpTypePointer UniformConstant %images
    %p_uint = OpTypePointer StorageBuffer %float4
    %data = OpVariable %p_data StorageBuffer
    %unused = OpVariable %p_data StorageBuffer
    %push = OpVariable %p_push PushConstant
    %gid = OpVariable %p_in Input
    %shared = OpVariable %p_shared Workgroup
    %textures = OpVariable %p_textures UniformConstant
    %bindless = OpVariable %p_bindless UniformConstant
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %call = OpFunctionCall %void %helper
    OpReturn
    OpFunctionEnd
    %helper = OpFunction %void None %fn
    %begin = OpLabel
    %a = OpAccessChain %p_uint %data %zero
    %b = OpCopyObject %p_push %push
    %c = OpCopyObject %p_shared %shared
    %d = OpCopyObject %p_textures %textures
    %e = OpCopyObject %p_bindless %bindless
    OpReturn
    OpFunctionEnd
";

#[test]
fn a_compute_shader() {
    let module = decode(COMPUTE);
    with(&module, Specialization::new(), |constants, interface| {
        assert_eq!((interface.model, interface.name.as_str()), (ExecutionModel::GLCompute, "main"));
        assert_eq!(interface.workgroup_size, Some([8, 4, 2]));
        assert_eq!(interface.workgroup_storage_size, 256);
        let push = interface.push_constants.as_ref().unwrap();
        assert_eq!((push.offset, push.end), (16, 36));
        assert!(interface.built_in(BuiltIn::GlobalInvocationId, StorageClass::Input).is_some());
        assert_eq!(builtin::check(constants, interface), []);
        let found: Vec<_> = interface.resources.iter().map(|r| (r.set, r.binding, r.kind, r.count)).collect();
        assert_eq!(
            found,
            [
                (0, 3, ResourceKind::CombinedImageSampler, Some(3)),
                (0, 9, ResourceKind::StorageImage, None),
                (1, 4, ResourceKind::StorageBuffer, Some(1)),
            ]
        );
        let data = &interface.resources[2];
        assert_eq!((data.name.as_str(), data.block_size, data.element_stride), ("data", 16, Some(8)));
        assert!(data.access.non_writable && !data.access.non_readable);
        let constants: Vec<_> =
            interface.spec_constants.iter().map(|c| (c.spec_id, c.size, c.bits, c.name.as_str())).collect();
        assert_eq!(constants, [(2, 2, 0xfffe, ""), (5, 4, 16, "length")]);
    });
    let larger = [(5, 64)].into_iter().collect();
    with(&module, larger, |_, interface| assert_eq!(interface.workgroup_storage_size, 1024));
}

#[test]
fn workgroup_sizes_from_constants() {
    let by_built_in = COMPUTE
        .replace("OpDecorate %gid BuiltIn", "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %gid BuiltIn")
        .replace(
            "%zero = OpConstant",
            "%size = OpSpecConstantComposite %uint3 %length %three %three\n%zero = OpConstant",
        );
    let module = decode(&by_built_in);
    with(&module, [(5, 32)].into_iter().collect(), |_, interface| {
        assert_eq!(interface.workgroup_size, Some([32, 3, 3]));
    });
    let by_id = COMPUTE.replace(
        "OpExecutionMode %main LocalSize 8 4 2",
        "OpExecutionModeId %main LocalSizeId %three %length %three",
    );
    let module = decode(&by_id);
    with(&module, Specialization::new(), |_, interface| {
        assert_eq!(interface.workgroup_size, Some([3, 16, 3]));
    });
}

/// A stage with these decorations and variables.
fn stage(model: &str, interface: &str, decorations: &str, declarations: &str) -> Module {
    decode(&format!(
        "; Version: 1.3\nOpCapability Shader\nOpCapability Float64\nOpCapability Geometry\nOpCapability Tessellation\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" {interface}\n{decorations}\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n\
         %float = OpTypeFloat 32\n%double = OpTypeFloat 64\n%float2 = OpTypeVector %float 2\n\
         %float3 = OpTypeVector %float 3\n%float4 = OpTypeVector %float 4\n%double3 = OpTypeVector %double 3\n\
         %mat2 = OpTypeMatrix %float2 2\n%c3 = OpConstant %uint 3\n%huge = OpConstant %uint 1000000\n\
         %c2 = OpConstant %uint 2\n%pair = OpTypeArray %float2 %c2\n%three = OpTypeArray %float2 %c3\n\
         {declarations}\n\
         %fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd"
    ))
}

#[test]
fn locations_of_types() {
    let module = stage(
        "Vertex",
        "%a %b %c %d",
        "OpDecorate %a Location 0\nOpDecorate %b Location 4\nOpDecorate %c Location 9\nOpDecorate %d Location 11\n\
         OpDecorate %d Component 2",
        "%mats = OpTypeArray %mat2 %c3\n%s = OpTypeStruct %float %double3 %uint\n\
         %pa = OpTypePointer Output %double3\n%pb = OpTypePointer Output %s\n%pc = OpTypePointer Output %float4\n\
         %pd = OpTypePointer Output %mats\n\
         %a = OpVariable %pa Output\n%b = OpVariable %pb Output\n%c = OpVariable %pc Output\n\
         %d = OpVariable %pd Output",
    );
    with(&module, Specialization::new(), |_, interface| {
        let places: Vec<Vec<_>> = interface
            .outputs
            .iter()
            .map(|v| v.leaves.iter().map(|leaf| (leaf.location, leaf.words())).collect())
            .collect();
        assert_eq!(places[0], [(0, 0..6)]);
        assert_eq!(places[1], [(4, 0..1), (5, 0..6), (7, 0..1)]);
        assert_eq!(places[2], [(9, 0..4)]);
        assert_eq!(places[3], (11..17).map(|location| (location, 2..4)).collect::<Vec<_>>());
        assert_eq!(interface.location_end(Direction::Output), 17);
        assert!(overlap(&interface.outputs).is_none());
    });
    let module = stage(
        "Vertex",
        "%a %b",
        "OpDecorate %a Location 0\nOpDecorate %b Location 1\nOpName %a \"wide\"\nOpName %b \"late\"",
        "%pa = OpTypePointer Output %double3\n%pb = OpTypePointer Output %float\n\
         %a = OpVariable %pa Output\n%b = OpVariable %pb Output",
    );
    with(&module, Specialization::new(), |_, interface| {
        let found =
            overlap(&interface.outputs).map(|(first, second, at)| (first.label(), second.label(), at));
        assert_eq!(found, Some(("'wide'".to_owned(), "'late'".to_owned(), 1)));
    });
    let module = stage(
        "Vertex",
        "%a",
        "OpDecorate %a Location 0",
        "%many = OpTypeArray %float %huge\n%pa = OpTypePointer Output %many\n%a = OpVariable %pa Output",
    );
    let constants = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
    assert!(Interface::of(&constants, &module.entry_points().next().unwrap()).is_err());
}

/// The mismatches between a vertex shader's output and a fragment shader's input, as rules.
fn mismatches(output: (&str, &str), input: (&str, &str), options: Options) -> Vec<&'static str> {
    let one = |model: &str, class: &str, (decorations, ty): (&str, &str)| {
        stage(
            model,
            "%v",
            decorations,
            &format!("%p = OpTypePointer {class} {ty}\n%v = OpVariable %p {class}"),
        )
    };
    rules(&one("Vertex", "Output", output), &one("Fragment", "Input", input), options)
}

/// The mismatches between two stages, as rules.
fn rules(vertex: &Module, fragment: &Module, options: Options) -> Vec<&'static str> {
    with(vertex, Specialization::new(), |values, producer| {
        with(fragment, Specialization::new(), |constants, consumer| {
            assert!(
                can_follow(producer.model, consumer.model) && !can_follow(consumer.model, producer.model)
            );
            let producer = PipelineStage { constants: values, interface: producer };
            let consumer = PipelineStage { constants, interface: consumer };
            match_stages(producer, consumer, options).into_iter().map(|mismatch| mismatch.rule).collect()
        })
    })
}

#[test]
fn stages_match() {
    let strict = Options { maintenance4: false, ..Options::default() };
    let at = |location: u32| format!("OpDecorate %v Location {location}");
    let check = |output: &str, input: &str| mismatches((&at(1), output), (&at(1), input), Options::default());
    assert_eq!(check("%float4", "%float4"), [] as [&str; 0]);
    assert_eq!(check("%float4", "%float3"), [] as [&str; 0]);
    assert_eq!(
        mismatches((&at(1), "%float4"), (&at(1), "%float3"), strict),
        ["VUID-RuntimeSpirv-maintenance4-06817"]
    );
    assert_eq!(check("%float3", "%float4"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    assert_eq!(check("%int", "%uint"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    assert_eq!(check("%float", "%int"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    assert_eq!(
        mismatches((&at(0), "%float"), (&at(1), "%float"), strict),
        ["VUID-RuntimeSpirv-OpEntryPoint-08743"]
    );
    // One column of a matrix is not all of it.
    assert_eq!(mismatches((&at(0), "%mat2"), (&at(1), "%float2"), strict), ["Interface Matching"]);
    // A variable and a member of a block are declared alike, but for the length of vectors.
    let into_block = |output: &str, input: &str| {
        let vertex = stage(
            "Vertex",
            "%v",
            "OpDecorate %v Location 0",
            &format!("%p = OpTypePointer Output {output}\n%v = OpVariable %p Output"),
        );
        let fragment = stage(
            "Fragment",
            "%v",
            "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Location 0",
            &format!(
                "%Block = OpTypeStruct {input}\n%p = OpTypePointer Input %Block\n%v = OpVariable %p Input"
            ),
        );
        rules(&vertex, &fragment, Options::default())
    };
    assert_eq!(into_block("%mat2", "%mat2"), [] as [&str; 0]);
    assert_eq!(into_block("%float4", "%float3"), [] as [&str; 0]);
    assert_eq!(into_block("%mat2", "%float2"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    assert_eq!(into_block("%pair", "%mat2"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    assert_eq!(into_block("%three", "%pair"), ["VUID-RuntimeSpirv-OpEntryPoint-07754"]);
    let flat = format!("{}\nOpDecorate %v Flat", at(1));
    assert_eq!(mismatches((&at(1), "%float"), (&flat, "%float"), strict), [] as [&str; 0]);
    let libraries = Options { same_interpolation: true, ..strict };
    assert_eq!(
        mismatches((&at(1), "%float"), (&flat, "%float"), libraries),
        ["VUID-RuntimeSpirv-OpVariable-08746"]
    );
}

/// Equal scalars at equal locations do not make types equal.
#[test]
fn declarations_of_inputs_and_outputs_are_equivalent() {
    let types = "%array_a = OpTypeArray %float2 %c2\n%array_b = OpTypeArray %float4 %c3\n\
                 %array_c = OpTypeArray %float4 %c2\n%both = OpTypeStruct %float4 %float4\n\
                 %same = OpTypeStruct %float4 %float4\n";
    let side = |model: &str, class: &str, variables: &[&str]| {
        let (mut names, mut decorations, mut text) = (Vec::new(), String::new(), types.to_owned());
        let mut location = 0;
        for (place, ty) in variables.iter().enumerate() {
            names.push(format!("%v{place}"));
            decorations += &format!("OpDecorate %v{place} Location {location}\n");
            text += &format!(
                "%p{place} = OpTypePointer {class} {ty}\n%v{place} = OpVariable %p{place} {class}\n"
            );
            location += if *ty == "%float4" { 1 } else { 2 };
        }
        stage(model, &names.join(" "), decorations.trim_end(), text.trim_end())
    };
    let check = |outputs: &[&str], inputs: &[&str]| {
        rules(&side("Vertex", "Output", outputs), &side("Fragment", "Input", inputs), Options::default())
    };
    for (output, input) in [("%mat2", "%array_a"), ("%array_b", "%array_c"), ("%both", "%array_c")] {
        assert_eq!(check(&[output], &[input]), ["Interface Matching"], "{output} {input}");
        assert_eq!(check(&[output], &[output]), [] as [&str; 0], "{output}");
    }
    assert_eq!(check(&["%both"], &["%same"]), [] as [&str; 0]);
    assert_eq!(check(&["%both"], &["%float4", "%float4"]), ["Interface Matching"; 2]);
    assert_eq!(check(&["%float4", "%float4"], &["%both"]), ["Interface Matching"]);
    // A second location that no output has is reported by itself.
    assert_eq!(check(&["%float4"], &["%both"])[..1], ["Interface Matching"]);
}

#[test]
fn arrayed_interfaces_and_blocks() {
    // A geometry shader's input has an element for each vertex, and a block's members their own locations.
    let module = stage(
        "Geometry",
        "%in %gl_in",
        "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Location 2\nOpMemberDecorate %Block 2 Location 7\n\
         OpMemberName %Block 1 \"second\"\nOpDecorate %PerVertex Block\n\
         OpMemberDecorate %PerVertex 0 BuiltIn Position\nOpMemberDecorate %PerVertex 1 BuiltIn PointSize",
        "%Block = OpTypeStruct %mat2 %float4 %uint\n%PerVertex = OpTypeStruct %float4 %float\n\
         %blocks = OpTypeArray %Block %c3\n%vertices = OpTypeArray %PerVertex %c3\n\
         %p = OpTypePointer Input %blocks\n%q = OpTypePointer Input %vertices\n\
         %in = OpVariable %p Input\n%gl_in = OpVariable %q Input",
    );
    with(&module, Specialization::new(), |constants, interface| {
        let members: Vec<_> =
            interface.inputs.iter().map(|v| (v.member, v.location, v.leaves.len(), v.is_arrayed)).collect();
        assert_eq!(
            members,
            [(Some(0), Some(2), 2, true), (Some(1), Some(4), 1, true), (Some(2), Some(7), 1, true)]
        );
        assert_eq!(interface.inputs[1].name, "second");
        let built_ins: Vec<_> = interface.built_ins.iter().map(|b| (b.built_in, b.member)).collect();
        assert_eq!(built_ins, [(BuiltIn::Position, Some(0)), (BuiltIn::PointSize, Some(1))]);
        assert_eq!(builtin::check(constants, interface), []);
    });
}

/// The elements of an array of blocks follow one another, and are interpolated as their members say.
#[test]
fn arrays_of_blocks_are_whole() {
    let module = stage(
        "Vertex",
        "%out",
        "OpDecorate %Block Block\nOpDecorate %out Location 3\nOpMemberDecorate %Block 0 NoPerspective\n\
         OpMemberDecorate %Block 1 NoPerspective\nOpMemberDecorate %Block 1 Centroid",
        "%Block = OpTypeStruct %float4 %mat2\n%blocks = OpTypeArray %Block %c3\n\
         %p = OpTypePointer Output %blocks\n%out = OpVariable %p Output",
    );
    with(&module, Specialization::new(), |_, interface| {
        let [output] = &interface.outputs[..] else { panic!("{:?}", interface.outputs) };
        let locations: Vec<_> = output.leaves.iter().map(|leaf| leaf.location).collect();
        assert_eq!(locations, [3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!((output.interpolation.no_perspective, output.interpolation.centroid), (true, false));
    });
}

#[test]
fn built_ins_are_checked() {
    let check = |model: &str, built_in: &str, class: &str, ty: &str| {
        let module = stage(
            model,
            "%v",
            &format!("OpDecorate %v BuiltIn {built_in}"),
            &format!(
                "%floats = OpTypeArray %float %c3\n%p = OpTypePointer {class} {ty}\n%v = OpVariable %p {class}"
            ),
        );
        with(&module, Specialization::new(), |constants, interface| {
            builtin::check(constants, interface).into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        })
    };
    let none: [&str; 0] = [];
    assert_eq!(check("Fragment", "FragCoord", "Input", "%float4"), none);
    assert_eq!(check("Vertex", "FragCoord", "Input", "%float4"), ["VUID-FragCoord-FragCoord-04210"]);
    assert_eq!(check("Fragment", "FragCoord", "Output", "%float4"), ["VUID-FragCoord-FragCoord-04211"]);
    assert_eq!(check("Fragment", "FragCoord", "Input", "%float3"), ["VUID-FragCoord-FragCoord-04212"]);
    assert_eq!(check("Vertex", "VertexIndex", "Input", "%int"), none);
    assert_eq!(check("Vertex", "VertexIndex", "Input", "%float"), ["VUID-VertexIndex-VertexIndex-04400"]);
    assert_eq!(check("Vertex", "ClipDistance", "Output", "%floats"), none);
    assert_eq!(check("Vertex", "ClipDistance", "Output", "%float"), ["VUID-ClipDistance-ClipDistance-04191"]);
    assert_eq!(check("Fragment", "FrontFacing", "Input", "%bool"), none);
    assert_eq!(check("Fragment", "FragDepth", "Output", "%uint"), ["VUID-FragDepth-FragDepth-04215"]);
}

#[test]
fn the_table_is_whole() {
    let table = builtin::table();
    assert!(table.len() > 100, "{}", table.len());
    for info in table {
        assert!(!info.uses.is_empty(), "{}", info.name);
        assert_eq!(builtin::info(info.built_in).map(|found| found.name), Some(info.name));
    }
    let position = builtin::info(BuiltIn::Position).unwrap();
    assert_eq!(position.ty, Some("float4"));
    assert_eq!(position.use_in(ExecutionModel::Vertex).unwrap().classes, [StorageClass::Output]);
    assert!(position.use_in(ExecutionModel::GLCompute).is_none());
    assert!(builtin::info(BuiltIn::SubgroupSize).unwrap().use_in(ExecutionModel::CallableKHR).is_some());
}
