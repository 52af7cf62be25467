//! Graphs of operations on tensors, and the pipelines that run them.

use pyro_spirv::asm::assemble;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::data_graph::{
    GraphBinding, GraphConstant, GraphPipeline, GraphResource, TensorDescription, TensorFormat,
    check_pipeline, covered_vuids,
};
use pyro_validate::{Environment, check};
use std::collections::BTreeSet;

/// The rules on modules that the tests of this file break.
pub(crate) const TESTED: [&str; 2] =
    ["VUID-StandaloneSpirv-OpGraphInputARM-09931", "VUID-StandaloneSpirv-OpGraphSetOutputARM-09932"];

/// The sum of an input and a constant, of tensors whose types end so.
fn graph(shape: &str, constant_shape: &str, body: &str) -> String {
    format!(
        "; Version: 1.6\nOpCapability Shader\nOpCapability GraphARM\nOpCapability TensorsARM\n\
         OpCapability VulkanMemoryModel\n\
         OpExtension \"SPV_ARM_graph\"\nOpExtension \"SPV_ARM_tensors\"\n\
         OpMemoryModel Logical Vulkan\n\
         OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n\
         OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n\
         %uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n\
         %c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n%undef = OpUndef %uint\n\
         %array = OpTypeArray %uint %c2\n%shape = OpConstantComposite %array %c2 %c3\n\
         %T = OpTypeTensorARM %float %c2 {shape}\n\
         %C = OpTypeTensorARM %float %c2 {constant_shape} \n\
         %p = OpTypePointer UniformConstant %T\n\
         %in = OpVariable %p UniformConstant\n%out = OpVariable %p UniformConstant\n\
         %weights = OpGraphConstantARM %C 7\n\
         %G = OpTypeGraphARM 1 %T %T\n\
         OpGraphEntryPointARM %graph \"main\" %in %out\n\
         %graph = OpGraphARM %G\n{body}\nOpGraphEndARM\n"
    )
}

const BODY: &str = "%x = OpGraphInputARM %T %c0\n%w = OpCopyObject %C %weights\nOpGraphSetOutputARM %x %c0";

fn module(text: &str) -> Module {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rules(text: &str) -> Vec<String> {
    let module = module(text);
    let strict = Environment { strict: true, ..Environment::default() };
    match check(&module, &strict) {
        Ok(_) => Vec::new(),
        Err(found) => found.into_iter().map(|found| found.rule.to_string()).collect(),
    }
}

#[test]
fn graphs_are_checked() {
    let of = |body: &str| {
        rules(
            &graph("%shape", "%shape", body)
                .replace("%C = OpTypeTensorARM %float %c2 %shape \n", "")
                .replace("%C", "%T"),
        )
    };
    let body = BODY.replace("%C", "%T");
    assert_eq!(of(&body), [] as [&str; 0]);
    let set = "OpGraphSetOutputARM %x %c0";
    for (rule, bad) in [
        // The graph's type is known by the numbers of inputs and outputs, which are constants.
        (
            TESTED[0],
            body.replace("%T %c0", "%T %other").replace("%x =", "%other = OpCopyObject %uint %c0\n%x ="),
        ),
        (TESTED[1], body.replace(set, "%other = OpCopyObject %uint %c0\nOpGraphSetOutputARM %x %other")),
        ("OpGraphARM", body.replace("%T %c0", "%T %c1")),
        ("OpGraphARM", body.replace(set, "OpGraphSetOutputARM %x %c2")),
        ("OpGraphARM", body.replace(set, "")),
        ("OpGraphARM", body.replace(set, &format!("{set}\n{set}"))),
        ("OpGraphARM", body.replace(set, "OpGraphSetOutputARM %c1 %c0")),
    ] {
        let found = of(&bad);
        assert!(found.iter().any(|found| found == rule), "{rule} expected: {found:?}\n{bad}");
    }
    // Entry points list what the graph takes and gives.
    let text = graph("%shape", "", BODY).replace("\"main\" %in %out", "\"main\" %in");
    assert!(rules(&text).iter().any(|found| found == "OpGraphEntryPointARM"), "{:?}", rules(&text));
}

#[test]
fn operators_are_checked() {
    let of = |operator: &str| {
        let body = format!("%x = OpGraphInputARM %T %c0\n{operator}\nOpGraphSetOutputARM %y %c0");
        let import = "%tosa = OpExtInstImport \"TOSA.001000.1\"\nOpMemoryModel";
        rules(
            &graph("%shape", "%shape", &body)
                .replace("%C = OpTypeTensorARM %float %c2 %shape \n", "%bool = OpTypeBool\n")
                .replace("%C", "%T")
                .replace("OpMemoryModel", import),
        )
    };
    assert_eq!(of("%y = OpExtInst %T %tosa ADD %x %weights"), [] as [&str; 0]);
    assert_eq!(of("%z = OpExtInst %T %tosa EXP %x\n%y = OpExtInst %T %tosa REVERSE %c1 %z"), [] as [&str; 0]);
    for bad in [
        "%y = OpExtInst %T %tosa ADD %x",
        "%y = OpExtInst %T %tosa ADD %x %c1",
        "%y = OpExtInst %T %tosa BITWISE_AND %x %weights",
        "%y = OpExtInst %T %tosa REVERSE %c2 %x",
        "%y = OpExtInst %T %tosa REVERSE %x %x",
        "%y = OpExtInst %T %tosa REDUCE_SUM %c0 %x",
        "%y = OpExtInst %T %tosa 100 %x",
    ] {
        let found = of(bad);
        assert!(found.iter().any(|found| found == "TOSA.001000.1"), "{found:?}\n{bad}");
    }
}

#[test]
fn graphs_are_closed() {
    let open = graph("%shape", "%shape", BODY).replace("OpGraphEndARM\n", "");
    let words = assemble(&open).expect("assembly");
    assert!(Module::decode(&words).is_err());
    let twice = graph("%shape", "%shape", "%other = OpGraphARM %G");
    assert!(Module::decode(&assemble(&twice).expect("assembly")).is_err());
}

#[test]
fn pipelines_describe_their_tensors() {
    let tensor =
        |dimensions: &[i64], format| Some(TensorDescription { dimensions: dimensions.to_vec(), format });
    let fitting = || tensor(&[2, 3], TensorFormat::Float(32));
    let constant = |tensor| GraphConstant { id: 7, tensor };
    let resource = |binding, tensor| GraphResource { set: 0, binding, array_element: 0, tensor };
    let found = |text: &str, constants: &[GraphConstant], resources: &[GraphResource]| {
        let module = module(text);
        let values = ConstantValues::evaluate(&module, &Specialization::new()).expect("constants");
        let pipeline = GraphPipeline { name: "main", constants, resources, layout: None };
        let found = check_pipeline(&values, &pipeline).expect("a graph");
        found.into_iter().map(|found| found.rule.to_string()).collect::<Vec<_>>()
    };
    let shaped = graph("%shape", "%shape", BODY);
    let both = [resource(0, fitting()), resource(1, fitting())];
    let none: [&str; 0] = [];
    assert_eq!(found(&shaped, &[constant(fitting())], &both), none);
    let r = |number: &str| format!("VUID-RuntimeSpirv-pNext-{number}");
    let mut tested = BTreeSet::new();
    let mut breaks = |rule: String, found: Vec<String>| {
        assert!(found.contains(&rule), "{rule}: {found:?}");
        tested.insert(rule);
    };
    breaks(r("09919"), found(&graph("", "%shape", BODY), &[constant(fitting())], &both));
    breaks(r("09920"), found(&graph("%shape", "", BODY), &[constant(fitting())], &both));
    for wrong in [
        None,
        tensor(&[2], TensorFormat::Float(32)),
        tensor(&[3, 2], TensorFormat::Float(32)),
        tensor(&[2, 3], TensorFormat::Float(16)),
        tensor(&[2, 3], TensorFormat::Unsigned(32)),
    ] {
        breaks(r("09921"), found(&shaped, &[constant(wrong.clone())], &both));
        breaks(r("09923"), found(&shaped, &[constant(fitting())], &[both[0].clone(), resource(1, wrong)]));
    }
    breaks(r("09921"), found(&shaped, &[], &both));
    breaks(r("09921"), found(&shaped, &[constant(fitting()), constant(fitting())], &both));
    breaks(r("09923"), found(&shaped, &[constant(fitting())], &both[..1]));
    // The layout has a tensor for each, and all of an array.
    let bound = |text: &str, layout: &[GraphBinding]| {
        let module = module(text);
        let values = ConstantValues::evaluate(&module, &Specialization::new()).expect("constants");
        let constants = [constant(fitting())];
        let pipeline =
            GraphPipeline { name: "main", constants: &constants, resources: &both, layout: Some(layout) };
        let found = check_pipeline(&values, &pipeline).expect("a graph");
        found.into_iter().map(|found| found.rule.to_string()).collect::<Vec<_>>()
    };
    let binding = |binding, is_tensor, count| GraphBinding { set: 0, binding, is_tensor, count };
    let l = |number: &str| format!("VUID-VkDataGraphPipelineCreateInfoARM-layout-{number}");
    assert_eq!(bound(&shaped, &[binding(0, true, 1), binding(1, true, 1)]), none);
    breaks(l("09769"), bound(&shaped, &[binding(0, true, 1), binding(1, false, 1)]));
    breaks(l("09769"), bound(&shaped, &[binding(0, true, 1)]));
    let arrays = shaped
        .replace(
            "%p = OpTypePointer UniformConstant %T",
            "%A = OpTypeArray %T %c2\n%p = OpTypePointer UniformConstant %A",
        )
        .replace("OpTypeGraphARM 1 %T %T", "OpTypeGraphARM 1 %A %A")
        .replace("OpGraphInputARM %T %c0", "OpGraphInputARM %A %c0");
    assert_eq!(bound(&arrays, &[binding(0, true, 2), binding(1, true, 2)]), none);
    breaks(l("09934"), bound(&arrays, &[binding(0, true, 2), binding(1, true, 1)]));
    // Constants that the graph does not use need no description.
    let unused = graph("%shape", "%shape", &BODY.replace("%w = OpCopyObject %C %weights\n", ""));
    assert_eq!(found(&unused, &[], &both), none);
    assert_eq!(tested, covered_vuids().into_iter().map(str::to_owned).collect());
    let module = module(&shaped);
    let values = ConstantValues::evaluate(&module, &Specialization::new()).expect("constants");
    assert!(check_pipeline(&values, &GraphPipeline { name: "other", ..GraphPipeline::default() }).is_err());
}
