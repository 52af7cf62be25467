//! Shader objects: `VkShaderCreateInfoEXT`, and those that are made at once.

use crate::common::*;
use crate::creations::{Change, Creation, MAPPING, Setup, mesh, of, task, tessellation, with_block};
use pyro_interface::pipeline::{Binding, DescriptorKind, Linking, PipelineLayout};
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_validate::create_info::*;

/// Shader objects, each of which says nothing yet.
fn objects(shaders: Vec<Text>) -> Setup {
    let info = vec![ObjectInfo::default(); shaders.len()];
    of(shaders).with(|setup| setup.linking = Some(Linking::Unlinked)).saying(info)
}

impl Setup {
    fn saying(mut self, info: Vec<ObjectInfo>) -> Setup {
        self.info.objects = info;
        self
    }
}

fn flag(setup: &mut Setup, place: usize, name: &str) {
    setup.info.objects[place].flags.insert(name);
}

fn link(setup: &mut Setup) {
    for object in &mut setup.info.objects {
        object.flags.insert("VK_SHADER_CREATE_LINK_STAGE_BIT_EXT");
    }
}

fn followed(setup: &mut Setup, place: usize, next: &[Model]) {
    setup.info.objects[place].next_stages = Some(next.to_vec());
}

fn off(setup: Setup, feature: &str) -> Setup {
    let mut setup = setup;
    setup.device.set_feature(feature, false);
    setup
}

fn case(rest: &str, base: Setup, bad: Change, good: Change) -> Creation {
    Creation { rule: format!("VUID-VkShaderCreateInfoEXT-{rest}").leak(), base, bad, good }
}

fn created(rest: &str, base: Setup, bad: Change, good: Change) -> Creation {
    Creation { rule: format!("VUID-vkCreateShadersEXT-{rest}").leak(), base, bad, good }
}

pub(crate) fn creations() -> Vec<Creation> {
    [codes(), flags(), nexts(), layouts(), linked()].into_iter().flatten().collect()
}

fn codes() -> Vec<Creation> {
    let one = || objects(vec![vertex()]);
    vec![
        case(
            "codeSize-08735",
            one(),
            |setup| setup.info.objects[0].code_size = Some(70),
            |setup| setup.info.objects[0].code_size = Some(72),
        ),
        case(
            "pCode-08492",
            one().with(|setup| setup.info.objects[0].is_binary = true),
            |setup| setup.info.objects[0].code_address = Some(0x1008),
            |setup| setup.info.objects[0].code_address = Some(0x1010),
        ),
        case(
            "pCode-08493",
            one(),
            |setup| setup.info.objects[0].code_address = Some(0x1002),
            |setup| setup.info.objects[0].code_address = Some(0x1004),
        ),
        case(
            "stage-08419",
            objects(tessellation()),
            |setup| setup.device = without(&["tessellationShader"]),
            |_| {},
        ),
        case(
            "stage-08420",
            objects(vec![crate::creations::geometry()]),
            |setup| setup.device = without(&["geometryShader"]),
            |_| {},
        ),
        case("stage-08421", objects(vec![task()]), |setup| setup.device = without(&["taskShader"]), |_| {}),
        case("stage-08422", objects(vec![mesh()]), |setup| setup.device = without(&["meshShader"]), |_| {}),
        case("stage-12445", objects(vec![ray("MissKHR")]), |_| {}, |setup| setup.shaders[0] = compute()),
    ]
}

fn flags() -> Vec<Creation> {
    let pixel = || objects(vec![fragment()]);
    let point = || objects(vec![vertex()]);
    let captures =
        || objects(vec![vertex().capability("TransformFeedback").mode("OpExecutionMode %main Xfb")]);
    const RATE: &str = "VK_SHADER_CREATE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_EXT";
    const DENSITY: &str = "VK_SHADER_CREATE_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT";
    vec![
        case("flags-08412", objects(vec![compute()]), link, |_| {}),
        case("flags-08486", point(), |setup| flag(setup, 0, RATE), |_| {}),
        case(
            "flags-08487",
            off(pixel(), "attachmentFragmentShadingRate"),
            |setup| flag(setup, 0, RATE),
            |_| {},
        ),
        case("flags-08488", point(), |setup| flag(setup, 0, DENSITY), |_| {}),
        case("flags-08489", off(pixel(), "fragmentDensityMap"), |setup| flag(setup, 0, DENSITY), |_| {}),
        case(
            "micromap-11623",
            off(pixel(), "micromap"),
            |setup| flag(setup, 0, "OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_EXT"),
            |_| {},
        ),
        case(
            "flags-11005",
            off(pixel(), "deviceGeneratedCommands"),
            |setup| flag(setup, 0, "INDIRECT_BINDABLE_EXT"),
            |_| {},
        ),
        case("flags-11006", captures(), |setup| flag(setup, 0, "INDIRECT_BINDABLE_EXT"), |_| {}),
        case(
            "flags-11758",
            off(pixel(), "shader64BitIndexing"),
            |setup| flag(setup, 0, "VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT"),
            |_| {},
        ),
        case("flags-08485", point(), |setup| flag(setup, 0, "DISPATCH_BASE_EXT"), |_| {}),
        case("flags-08414", point(), |setup| flag(setup, 0, "NO_TASK_SHADER_EXT"), |_| {}),
        case("stage-12428", objects(vec![compute()]), |setup| flag(setup, 0, "INDEPENDENT_SETS_KHR"), |_| {}),
    ]
}

fn nexts() -> Vec<Creation> {
    use Model::*;
    let only = |text: Text| objects(vec![text]);
    let [first, control, evaluation] =
        <[Text; 3]>::try_from(tessellation()).unwrap_or_else(|_| unreachable!());
    vec![
        case(
            "nextStage-08427",
            only(first.clone()),
            |setup| followed(setup, 0, &[TessellationEvaluation]),
            |setup| followed(setup, 0, &[TessellationControl, Geometry, Fragment]),
        ),
        case(
            "nextStage-08428",
            off(only(first.clone()), "tessellationShader"),
            |setup| followed(setup, 0, &[TessellationControl]),
            |setup| followed(setup, 0, &[Fragment]),
        ),
        case(
            "nextStage-08429",
            off(only(first), "geometryShader"),
            |setup| followed(setup, 0, &[Geometry, Fragment]),
            |setup| followed(setup, 0, &[Fragment]),
        ),
        case(
            "nextStage-08430",
            only(control),
            |setup| followed(setup, 0, &[Fragment]),
            |setup| followed(setup, 0, &[TessellationEvaluation]),
        ),
        case(
            "nextStage-08431",
            only(evaluation),
            |setup| followed(setup, 0, &[MeshEXT]),
            |setup| followed(setup, 0, &[Geometry]),
        ),
        case(
            "nextStage-08433",
            only(crate::creations::geometry()),
            |setup| followed(setup, 0, &[Geometry]),
            |setup| followed(setup, 0, &[Fragment]),
        ),
        case(
            "nextStage-08434",
            only(fragment()),
            |setup| followed(setup, 0, &[Fragment]),
            |setup| followed(setup, 0, &[]),
        ),
        case(
            "nextStage-08435",
            only(task()),
            |setup| followed(setup, 0, &[Fragment]),
            |setup| followed(setup, 0, &[MeshEXT]),
        ),
        case(
            "nextStage-08436",
            only(mesh()),
            |setup| followed(setup, 0, &[Geometry]),
            |setup| followed(setup, 0, &[Fragment]),
        ),
    ]
}

fn layouts() -> Vec<Creation> {
    let heap = || {
        objects(vec![with_block(vertex())])
            .with(|setup| flag(setup, 0, "VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT"))
    };
    let blocks = || {
        let text = vertex()
            .decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
            .decorate("OpDecorate %buffers DescriptorSet 0\nOpDecorate %buffers Binding 0")
            .declare("%Block = OpTypeStruct %float4\n%Blocks = OpTypeArray %Block %c2")
            .variable("buffers", "Uniform", "%Blocks");
        objects(vec![text])
    };
    fn bind(setup: &mut Setup, kind: DescriptorKind) {
        let bindings = vec![Binding::new(0, 0, kind, 32)];
        setup.layout = Some(PipelineLayout { bindings, push_constants: Vec::new() });
    }
    vec![
        case(
            "pPushConstantRanges-10063",
            objects(vec![vertex()]),
            |setup| {
                let ranges = vec![vec![Model::Vertex], vec![Model::Fragment, Model::Vertex]];
                setup.info.objects[0].push_constant_stages = Some(ranges);
            },
            |setup| {
                let ranges = vec![vec![Model::Vertex], vec![Model::Fragment]];
                setup.info.objects[0].push_constant_stages = Some(ranges);
            },
        ),
        case(
            "setLayoutCount-12257",
            objects(vec![vertex()]).with(|setup| setup.device.set_property("maxBoundDescriptorSets", 4)),
            |setup| setup.info.objects[0].set_layouts = Some((5, true)),
            |setup| setup.info.objects[0].set_layouts = Some((4, true)),
        ),
        case("flags-11290", heap(), |setup| setup.info.objects[0].set_layouts = Some((1, true)), |_| {}),
        case("flags-11291", heap(), |setup| setup.info.objects[0].set_layouts = Some((0, true)), |_| {}),
        case(
            "flags-11370",
            heap(),
            |setup| setup.info.objects[0].push_constant_stages = Some(vec![vec![Model::Vertex]]),
            |setup| setup.info.objects[0].push_constant_stages = Some(vec![]),
        ),
        case("flags-11292", heap(), |_| {}, |setup| setup.info.mappings = MAPPING),
        case("flags-12490", heap(), |setup| flag(setup, 0, "INDEPENDENT_SETS_KHR"), |_| {}),
        case(
            "codeType-10386",
            blocks(),
            |setup| bind(setup, DescriptorKind::InlineUniformBlock),
            |setup| bind(setup, DescriptorKind::Plain(pyro_interface::ResourceKind::UniformBuffer)),
        ),
    ]
}

fn linked() -> Vec<Creation> {
    let drawn = || objects(vec![vertex(), fragment()]);
    let meshed = || objects(vec![task(), mesh()]);
    const LINK: &str = "LINK_STAGE_EXT";
    vec![
        created("None-08400", drawn(), |setup| setup.device = without(&["shaderObject"]), |_| {}),
        created("pCreateInfos-08402", drawn(), |setup| flag(setup, 0, LINK), link),
        created("pCreateInfos-08403", meshed(), |setup| flag(setup, 0, LINK), link),
        created("pCreateInfos-08404", objects(vec![vertex(), mesh()]), link, |setup| flag(setup, 0, LINK)),
        created(
            "pCreateInfos-08405",
            meshed().with(link),
            |setup| flag(setup, 1, "NO_TASK_SHADER_EXT"),
            |_| {},
        ),
        created(
            "pCreateInfos-08409",
            drawn().with(link),
            |setup| followed(setup, 0, &[Model::Geometry, Model::Fragment]),
            |setup| followed(setup, 0, &[Model::Fragment]),
        ),
        created("pCreateInfos-08410", objects(vec![vertex(), vertex()]), link, |_| {}),
        created(
            "pCreateInfos-08411",
            drawn().with(link),
            |setup| setup.info.objects[1].is_binary = true,
            |_| {},
        ),
        created(
            "flags-11472",
            drawn().with(link),
            |setup| flag(setup, 0, "DESCRIPTOR_HEAP_EXT"),
            |setup| {
                flag(setup, 0, "DESCRIPTOR_HEAP_EXT");
                flag(setup, 1, "DESCRIPTOR_HEAP_EXT");
            },
        ),
    ]
}

#[test]
fn rules_on_stages_have_names_for_objects() {
    let covered = crate::covered_by_any();
    for (from, to) in renamed_rules() {
        assert!(covered.contains(*from), "{from} is not covered");
        assert!(crate::all_rules().contains(to), "{to} is no rule");
        assert_eq!(name_for_objects(from), *to);
    }
    assert_eq!(name_for_objects("VUID-StandaloneSpirv-None-04634"), "VUID-StandaloneSpirv-None-04634");
}
