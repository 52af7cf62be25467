//! What the creation of pipelines and layouts says, beside their shaders.

use crate::common::*;
use pyro_interface::pipeline::{
    Binding, DescriptorKind, Format, Linking, Pipeline, PipelineLayout, PipelineStage, PushConstantRange,
};
use pyro_interface::{Interface, ResourceKind};
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::Device;
use pyro_validate::create_info::*;
use std::collections::BTreeSet;

/// A creation with its shaders.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) shaders: Vec<Text>,
    pub(crate) layout: Option<PipelineLayout>,
    pub(crate) colors: Option<Vec<Option<Format>>>,
    pub(crate) linking: Option<Linking>,
    pub(crate) info: CreateInfo<'static>,
    pub(crate) device: Device,
}

impl Setup {
    /// The state of the graphics pipeline.
    pub(crate) fn state(&mut self) -> &mut GraphicsState {
        self.info.graphics.get_or_insert_with(GraphicsState::default)
    }

    pub(crate) fn with(mut self, change: Change) -> Setup {
        change(&mut self);
        self
    }
}

pub(crate) type Change = fn(&mut Setup);

/// A rule, what it is about, and changes that break and keep it.
pub(crate) struct Creation {
    pub(crate) rule: &'static str,
    pub(crate) base: Setup,
    pub(crate) bad: Change,
    pub(crate) good: Change,
}

pub(crate) fn of(shaders: Vec<Text>) -> Setup {
    Setup {
        shaders,
        layout: None,
        colors: None,
        linking: None,
        info: CreateInfo::default(),
        device: Device::everything(),
    }
}

/// A graphics pipeline.
pub(crate) fn graphics(shaders: Vec<Text>) -> Setup {
    of(shaders).with(|setup| drop(setup.state().clone()))
}

/// The rules that a creation breaks.
pub(crate) fn found(setup: &Setup) -> Vec<&'static str> {
    let modules: Vec<Module> = setup
        .shaders
        .iter()
        .map(|text| {
            let words = assemble(&text.text()).unwrap_or_else(|error| panic!("{error}\n{}", text.text()));
            Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{}", text.text()))
        })
        .collect();
    let evaluate = |module| ConstantValues::evaluate(module, &Specialization::new()).expect("constants");
    let constants: Vec<_> = modules.iter().map(evaluate).collect();
    let interfaces: Vec<_> = constants
        .iter()
        .map(|constants| {
            let entry = constants.module().entry_points().next().expect("an entry point");
            Interface::of(constants, &entry).expect("an interface")
        })
        .collect();
    let stages = constants.iter().zip(&interfaces);
    let pipeline = Pipeline {
        stages: stages.map(|(constants, interface)| PipelineStage { constants, interface }).collect(),
        layout: setup.layout.clone(),
        colors: setup.colors.clone(),
        objects: setup.linking,
        ..Pipeline::default()
    };
    check(&pipeline, &setup.info, &setup.device).into_iter().map(|finding| finding.rule).collect()
}

/// The rule of a graphics pipeline of a name and number.
pub(crate) fn g(rest: &str) -> &'static str {
    format!("VUID-VkGraphicsPipelineCreateInfo-{rest}").leak()
}

pub(crate) fn tessellation() -> Vec<Text> {
    let stage = |model| Text::stage(model).capability("Tessellation");
    vec![
        vertex(),
        stage("TessellationControl").mode("OpExecutionMode %main OutputVertices 3"),
        stage("TessellationEvaluation").mode("OpExecutionMode %main Triangles"),
    ]
}

pub(crate) fn geometry() -> Text {
    Text::stage("Geometry").capability("Geometry").mode(
        "OpExecutionMode %main Triangles\nOpExecutionMode %main OutputTriangleStrip\n\
         OpExecutionMode %main OutputVertices 3",
    )
}

pub(crate) fn mesh() -> Text {
    Text::stage("MeshEXT").capability("MeshShadingEXT").mode(
        "OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 1\n\
         OpExecutionMode %main OutputTrianglesEXT",
    )
}

pub(crate) fn task() -> Text {
    Text::stage("TaskEXT").capability("MeshShadingEXT").mode("OpExecutionMode %main LocalSize 1 1 1")
}

/// A built-in output, written when a body is given.
pub(crate) fn writing(text: Text, built_in: &str, ty: &str, value: &str) -> Text {
    let text = text.variable("made", "Output", ty).decorate(&format!("OpDecorate %made BuiltIn {built_in}"));
    if value.is_empty() { text } else { text.body(&format!("OpStore %made {value}")) }
}

fn creations() -> Vec<Creation> {
    [
        layouts(),
        robustness(),
        attachments(),
        groups(),
        crate::creations_graphics::creations(),
        crate::creations_state::creations(),
        crate::creations_objects::creations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn creations_are_checked() {
    let mut wrong = Vec::new();
    for Creation { rule, base, bad, good } in creations() {
        let broken = found(&base.clone().with(bad));
        if !broken.contains(&rule) {
            wrong.push(format!("{rule} expected, found {broken:?}"));
        }
        let kept = found(&base.clone().with(good));
        if kept.contains(&rule) {
            wrong.push(format!("{rule} is kept, but found"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_on_creations_has_a_case() {
    let tested: BTreeSet<&str> =
        creations().iter().map(|creation| creation.rule).chain(LIMITS.iter().map(|limit| limit.0)).collect();
    let covered: BTreeSet<&str> = covered_vuids().into_iter().collect();
    let untested: Vec<_> = covered.difference(&tested).collect();
    assert!(untested.is_empty(), "{untested:?}");
    let unknown: Vec<_> = tested.difference(&covered).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn omitted_create_info_fields_cause_no_findings() {
    for shaders in
        [vec![vertex(), fragment()], tessellation(), vec![task(), mesh(), fragment()], vec![compute()]]
    {
        assert_eq!(found(&of(shaders.clone())), [] as [&str; 0]);
        if shaders[0].model != "GLCompute" {
            assert_eq!(found(&graphics(shaders)), [] as [&str; 0]);
        }
    }
}

use ResourceKind::*;

/// A rule, a kind of descriptor, whether its offset is dynamic, and the limits of which the greatest holds.
type LimitCase = (&'static str, Option<ResourceKind>, bool, &'static [&'static str]);

#[rustfmt::skip]
const LIMITS: &[LimitCase] = &[
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03016", Some(Sampler), false, &["maxPerStageDescriptorSamplers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03017", Some(UniformBuffer), true, &["maxPerStageDescriptorUniformBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03018", Some(StorageBuffer), false, &["maxPerStageDescriptorStorageBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-06939", Some(SampledImage), false, &["maxPerStageDescriptorSampledImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03020", Some(StorageImage), false, &["maxPerStageDescriptorStorageImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03021", Some(InputAttachment), false, &["maxPerStageDescriptorInputAttachments"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-02214", None, false, &["maxPerStageDescriptorInlineUniformBlocks"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03571", Some(AccelerationStructure), false, &["maxPerStageDescriptorAccelerationStructures"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09698", Some(Tensor), false, &["maxPerStageDescriptorSetStorageTensors"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03022", Some(CombinedImageSampler), false, &["maxPerStageDescriptorSamplers", "maxPerStageDescriptorUpdateAfterBindSamplers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03023", Some(UniformBuffer), false, &["maxPerStageDescriptorUniformBuffers", "maxPerStageDescriptorUpdateAfterBindUniformBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03024", Some(StorageBuffer), true, &["maxPerStageDescriptorStorageBuffers", "maxPerStageDescriptorUpdateAfterBindStorageBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03025", Some(UniformTexelBuffer), false, &["maxPerStageDescriptorSampledImages", "maxPerStageDescriptorUpdateAfterBindSampledImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03026", Some(StorageTexelBuffer), false, &["maxPerStageDescriptorStorageImages", "maxPerStageDescriptorUpdateAfterBindStorageImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03027", Some(InputAttachment), false, &["maxPerStageDescriptorInputAttachments", "maxPerStageDescriptorUpdateAfterBindInputAttachments"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-02215", None, false, &["maxPerStageDescriptorInlineUniformBlocks", "maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03572", Some(AccelerationStructure), false, &["maxPerStageDescriptorAccelerationStructures", "maxPerStageDescriptorUpdateAfterBindAccelerationStructures"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-09879", Some(Tensor), false, &["maxPerStageDescriptorSetStorageTensors", "maxPerStageDescriptorUpdateAfterBindStorageTensors"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03028", Some(Sampler), false, &["maxDescriptorSetSamplers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03029", Some(UniformBuffer), false, &["maxDescriptorSetUniformBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03030", Some(UniformBuffer), true, &["maxDescriptorSetUniformBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-maintenance7-10003", Some(UniformBuffer), true, &["maxDescriptorSetTotalUniformBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03031", Some(StorageBuffer), false, &["maxDescriptorSetStorageBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03032", Some(StorageBuffer), true, &["maxDescriptorSetStorageBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-maintenance7-10004", Some(StorageBuffer), true, &["maxDescriptorSetTotalStorageBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-None-10005", Some(StorageBuffer), true, &["maxDescriptorSetTotalBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03033", Some(SampledImage), false, &["maxDescriptorSetSampledImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03034", Some(StorageImage), false, &["maxDescriptorSetStorageImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03035", Some(InputAttachment), false, &["maxDescriptorSetInputAttachments"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-02216", None, false, &["maxDescriptorSetInlineUniformBlocks"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03573", Some(AccelerationStructure), false, &["maxDescriptorSetAccelerationStructures"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09699", Some(Tensor), false, &["maxDescriptorSetStorageTensors"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03036", Some(Sampler), false, &["maxDescriptorSetSamplers", "maxDescriptorSetUpdateAfterBindSamplers"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03037", Some(UniformBuffer), false, &["maxDescriptorSetUniformBuffers", "maxDescriptorSetUpdateAfterBindUniformBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03038", Some(UniformBuffer), true, &["maxDescriptorSetUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-maintenance7-10007", Some(UniformBuffer), true, &["maxDescriptorSetTotalUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03039", Some(StorageBuffer), false, &["maxDescriptorSetStorageBuffers", "maxDescriptorSetUpdateAfterBindStorageBuffers"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03040", Some(StorageBuffer), true, &["maxDescriptorSetStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-maintenance7-10008", Some(StorageBuffer), true, &["maxDescriptorSetTotalStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-10006", Some(UniformBuffer), true, &["maxDescriptorSetTotalBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalBuffersDynamic"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03041", Some(SampledImage), false, &["maxDescriptorSetSampledImages", "maxDescriptorSetUpdateAfterBindSampledImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03042", Some(StorageImage), false, &["maxDescriptorSetStorageImages", "maxDescriptorSetUpdateAfterBindStorageImages"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03043", Some(InputAttachment), false, &["maxDescriptorSetInputAttachments", "maxDescriptorSetUpdateAfterBindInputAttachments"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-02217", None, false, &["maxDescriptorSetInlineUniformBlocks", "maxDescriptorSetUpdateAfterBindInlineUniformBlocks"]),
    ("VUID-VkPipelineLayoutCreateInfo-descriptorType-03574", Some(AccelerationStructure), false, &["maxDescriptorSetAccelerationStructures", "maxDescriptorSetUpdateAfterBindAccelerationStructures"]),
    ("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09878", Some(Tensor), false, &["maxDescriptorSetStorageTensors", "maxDescriptorSetUpdateAfterBindStorageTensors"]),
];

/// Five bindings of one descriptor each.
fn five(kind: DescriptorKind) -> Vec<Binding> {
    (0..5).map(|binding| Binding::new(0, binding, kind, 1)).collect()
}

#[test]
fn descriptors_are_counted_against_limits() {
    for (rule, kind, is_dynamic, names) in LIMITS {
        let of_old = ["-03030", "-03032", "-03038", "-03040"].iter().any(|end| rule.ends_with(end));
        let mut setup = of(vec![compute()]);
        if of_old {
            setup.device.set_feature("maintenance7", false);
        }
        let mut bindings = five(kind.map_or(DescriptorKind::InlineUniformBlock, DescriptorKind::Plain));
        bindings.iter_mut().for_each(|binding| binding.is_dynamic = *is_dynamic);
        let with = |bindings: &[Binding], limits: &[i64]| {
            let mut setup = setup.clone();
            setup.layout = Some(PipelineLayout { bindings: bindings.to_vec(), push_constants: Vec::new() });
            names.iter().zip(limits).for_each(|(name, limit)| setup.device.set_property(name, *limit));
            found(&setup).contains(rule)
        };
        assert!(with(&bindings, &[4, 4]), "{rule}");
        assert!(!with(&bindings, &[5, 5]), "{rule}");
        if names.len() == 2 {
            assert!(!with(&bindings, &[4, 5]), "{rule}: the greater limit holds");
        }
        let mut later = bindings.clone();
        later.iter_mut().for_each(|binding| binding.is_update_after_bind = true);
        assert_eq!(with(&later, &[4, 4]), names.len() == 2, "{rule}: of sets updated after binding");
        let mut apart = bindings.clone();
        apart[0].stages = Some(vec![Model::Vertex]);
        apart[1..].iter_mut().for_each(|binding| binding.stages = Some(vec![Model::Fragment]));
        assert_eq!(with(&apart, &[4, 4]), !names[0].starts_with("maxPerStage"), "{rule}: of other stages");
    }
}

#[test]
fn mutable_descriptors_count_once_for_each_limit() {
    let mut setup = of(vec![compute()]);
    setup.device.set_property("maxPerStageDescriptorStorageImages", 4);
    setup.device.set_property("maxPerStageDescriptorStorageBuffers", 4);
    let mut mutable = Binding::new(0, 0, DescriptorKind::Mutable, 4);
    mutable.mutable_kinds = vec![StorageImage, StorageTexelBuffer, StorageBuffer];
    let layout = |bindings: Vec<Binding>| Some(PipelineLayout { bindings, push_constants: Vec::new() });
    setup.layout = layout(vec![mutable.clone()]);
    assert_eq!(found(&setup), [] as [&str; 0]);
    mutable.count = 5;
    setup.layout = layout(vec![mutable]);
    let expected =
        ["-03018", "-03020"].map(|end| format!("VUID-VkPipelineLayoutCreateInfo-descriptorType{end}"));
    assert_eq!(found(&setup), expected);
}

/// Limits that are counted otherwise, and resources for each stage.
fn layouts() -> Vec<Creation> {
    let l = |rest: &str| &*format!("VUID-VkPipelineLayoutCreateInfo-{rest}").leak();
    let bind = |kind, count| PipelineLayout {
        bindings: vec![Binding::new(0, 0, kind, count)],
        push_constants: Vec::new(),
    };
    let with_layout = |layout: PipelineLayout| Setup { layout: Some(layout), ..of(vec![compute()]) };
    let resources = |rule, shaders: Vec<Text>| Creation {
        rule,
        base: Setup { layout: Some(bind(DescriptorKind::Plain(StorageBuffer), 9)), ..of(shaders) },
        bad: |setup| setup.device.set_property("maxPerStageResources", 8),
        good: |setup| setup.device.set_property("maxPerStageResources", 9),
    };
    vec![
        Creation {
            rule: l("descriptorType-06531"),
            base: with_layout(bind(DescriptorKind::InlineUniformBlock, 256)),
            bad: |setup| setup.device.set_property("maxInlineUniformTotalSize", 128),
            good: |setup| setup.device.set_property("maxInlineUniformTotalSize", 256),
        },
        Creation {
            rule: l("descriptorType-02381"),
            base: with_layout(PipelineLayout {
                bindings: five(DescriptorKind::AccelerationStructureNv),
                push_constants: Vec::new(),
            }),
            bad: |setup| setup.device.set_property("maxDescriptorSetAccelerationStructures", 4),
            good: |setup| setup.device.set_property("maxDescriptorSetAccelerationStructures", 5),
        },
        resources("VUID-VkComputePipelineCreateInfo-layout-01687", vec![compute()]),
        resources(g("layout-01688"), vec![vertex(), fragment()]),
        resources("VUID-VkRayTracingPipelineCreateInfoKHR-layout-03428", vec![ray("RayGenerationKHR")]),
        Creation {
            base: resources("", vec![ray("RayGenerationKHR")])
                .base
                .with(|setup| setup.info.api = Api::RayTracingNv),
            ..resources("VUID-VkRayTracingPipelineCreateInfoNV-layout-03428", vec![])
        },
        Creation {
            base: resources("", vec![compute()]).base.with(|setup| setup.info.api = Api::ExecutionGraph),
            ..resources("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-09132", vec![])
        },
    ]
}

fn robustness() -> Vec<Creation> {
    let r = |rest: &str| &*format!("VUID-VkPipelineRobustnessCreateInfo-{rest}").leak();
    let none = || of(vec![compute()]).with(|setup| setup.info.robustness = vec![Robustness::default()]);
    let off = |feature: &str| {
        let mut setup = none();
        setup.device.set_feature(feature, false);
        setup
    };
    let case = |rule, base, bad| Creation { rule, base, bad, good: |_| {} };
    let later = || none().with(|setup| setup.device.set_property("robustBufferAccessUpdateAfterBind", 0));
    let robust: [Change; 4] = [
        |setup| setup.info.robustness[0].storage_buffers = Behavior::Robust2,
        |setup| setup.info.robustness[0].uniform_buffers = Behavior::Robust2,
        |setup| setup.info.robustness[0].vertex_inputs = Behavior::Robust2,
        |setup| setup.info.robustness[0].images = Behavior::Robust2,
    ];
    vec![
        case(r("pipelineRobustness-06926"), off("pipelineRobustness"), robust[0]),
        case(r("pipelineRobustness-06927"), off("pipelineRobustness"), robust[1]),
        case(r("pipelineRobustness-06928"), off("pipelineRobustness"), robust[2]),
        case(r("pipelineRobustness-06929"), off("pipelineRobustness"), robust[3]),
        case(r("robustImageAccess-06930"), off("robustImageAccess"), |setup| {
            setup.info.robustness[0].images = Behavior::Robust;
        }),
        case(r("robustBufferAccess2-06931"), off("robustBufferAccess2"), robust[0]),
        case(r("robustBufferAccess2-06932"), off("robustBufferAccess2"), robust[1]),
        case(r("robustBufferAccess2-06933"), off("robustBufferAccess2"), robust[2]),
        case(r("robustImageAccess2-06934"), off("robustImageAccess2"), robust[3]),
        case(r("storageBuffers-10636"), later(), robust[0]),
        case(r("uniformBuffers-10637"), later(), robust[1]),
        case(r("images-10638"), later(), robust[3]),
    ]
}

fn attachments() -> Vec<Creation> {
    let l = |rest: &str| &*format!("VUID-VkRenderingAttachmentLocationInfo-{rest}").leak();
    let i = |rest: &str| &*format!("VUID-VkRenderingInputAttachmentIndexInfo-{rest}").leak();
    let located = || {
        graphics(vec![vertex(), fragment()]).with(|setup| {
            setup.info.locations =
                Some(AttachmentLocations { colors: Some(vec![Some(0), Some(1)]), count: 2 });
        })
    };
    let read = || {
        graphics(vec![vertex(), fragment()]).with(|setup| {
            setup.info.input_indices = Some(InputAttachmentIndices {
                colors: Some(vec![None, None]),
                count: 2,
                depth: State::Given(None),
                stencil: State::Given(None),
            });
        })
    };
    let without_reads =
        |setup: Setup| setup.with(|setup| setup.device = without(&["dynamicRenderingLocalRead"]));
    fn indices(setup: &mut Setup) -> &mut InputAttachmentIndices {
        setup.info.input_indices.as_mut().expect("indices")
    }
    fn locate(setup: &mut Setup, colors: &[u32]) {
        let colors = Some(colors.iter().copied().map(Some).collect());
        setup.info.locations = Some(AttachmentLocations { colors, count: 2 });
    }
    let four = |setup: Setup| setup.with(|setup| setup.device.set_property("maxColorAttachments", 2));
    let case = |rule, base, bad, good| Creation { rule, base, bad, good };
    vec![
        case(
            l("dynamicRenderingLocalRead-09512"),
            without_reads(located()),
            |setup| locate(setup, &[1, 0]),
            |_| {},
        ),
        case(
            l("pColorAttachmentLocations-09513"),
            located(),
            |setup| locate(setup, &[1, 1]),
            |setup| locate(setup, &[1, 0]),
        ),
        case(
            l("colorAttachmentCount-09514"),
            four(located()),
            |setup| setup.info.locations = Some(AttachmentLocations { colors: None, count: 3 }),
            |_| {},
        ),
        case(
            l("pColorAttachmentLocations-09515"),
            four(located()),
            |setup| locate(setup, &[0, 2]),
            |setup| locate(setup, &[0, 1]),
        ),
        case(
            i("dynamicRenderingLocalRead-09519"),
            without_reads(read()),
            |setup| indices(setup).colors = Some(vec![Some(0)]),
            |_| {},
        ),
        case(
            i("dynamicRenderingLocalRead-09520"),
            without_reads(read()),
            |setup| indices(setup).depth = State::Given(Some(0)),
            |_| {},
        ),
        case(
            i("dynamicRenderingLocalRead-09521"),
            without_reads(read()),
            |setup| indices(setup).stencil = State::Null,
            |_| {},
        ),
        case(
            i("pColorAttachmentInputIndices-09522"),
            read(),
            |setup| indices(setup).colors = Some(vec![Some(3), Some(3)]),
            |setup| indices(setup).colors = Some(vec![Some(3), None]),
        ),
        case(
            i("pColorAttachmentInputIndices-09523"),
            read().with(|setup| indices(setup).colors = Some(vec![Some(3)])),
            |setup| indices(setup).depth = State::Given(Some(3)),
            |setup| indices(setup).depth = State::Given(Some(2)),
        ),
        case(
            i("pColorAttachmentInputIndices-09524"),
            read().with(|setup| indices(setup).colors = Some(vec![Some(3)])),
            |setup| indices(setup).stencil = State::Given(Some(3)),
            |setup| indices(setup).stencil = State::Given(Some(2)),
        ),
        case(i("colorAttachmentCount-09525"), four(read()), |setup| indices(setup).count = 3, |_| {}),
        case(
            i("pDepthInputAttachmentIndex-12274"),
            read().with(|setup| setup.device.set_property("maxPerStageDescriptorInputAttachments", 4)),
            |setup| indices(setup).depth = State::Given(Some(4)),
            |setup| indices(setup).depth = State::Given(Some(3)),
        ),
    ]
}

/// A block at set 0, binding 0.
pub(crate) fn with_block(text: Text) -> Text {
    text.decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
        .decorate("OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0")
        .declare("%Block = OpTypeStruct %float4")
        .variable("buffer", "Uniform", "%Block")
}

/// Push constants of sixteen bytes.
fn with_push(text: Text) -> Text {
    text.decorate("OpDecorate %Push Block\nOpMemberDecorate %Push 0 Offset 0")
        .declare("%Push = OpTypeStruct %float4")
        .variable("push", "PushConstant", "%Push")
}

pub(crate) const MAPPING: &[pyro_validate::stage::Mapping] = &[pyro_validate::stage::Mapping {
    set: 0,
    first_binding: 0,
    binding_count: 2,
    resource_mask: 0x7fff_ffff,
    source: pyro_validate::stage::MappingSource::ConstantOffset,
    offset: 0,
    has_embedded_sampler: false,
    heap_offset: 0,
    heap_array_stride: 0,
}];

/// A node that hands a payload of this type to so many nodes of its own name.
fn handing(ty: &str, count: u32) -> Text {
    compute()
        .capability("ShaderEnqueueAMDX")
        .decorate("OpDecorate %Given Block\nOpMemberDecorate %Given 0 Offset 0")
        .decorate("OpDecorateId %nodes PayloadNodeNameAMDX %name")
        .decorate("OpDecorateId %nodes PayloadNodeArraySizeAMDX %count")
        .declare(&format!(
            "%name = OpConstantStringAMDX \"main\"\n%count = OpConstant %uint {count}\n\
             %Given = OpTypeStruct {ty}\n%nodes = OpTypeNodePayloadArrayAMDX %Given"
        ))
}

/// A node that takes a payload of this type.
fn taking(ty: &str) -> Text {
    compute()
        .capability("ShaderEnqueueAMDX")
        .decorate("OpDecorate %Taken Block\nOpMemberDecorate %Taken 0 Offset 0")
        .declare(&format!("%Taken = OpTypeStruct {ty}"))
        .variable("taken", "NodePayloadAMDX", "%Taken")
}

fn range(setup: &mut Setup, size: u32, model: Model) {
    let push_constants = vec![PushConstantRange { stages: Some(vec![model]), offset: 0, size }];
    setup.layout = Some(PipelineLayout { bindings: Vec::new(), push_constants });
}

fn bind_for(setup: &mut Setup, binding: u32) {
    let binding = Binding::new(0, binding, DescriptorKind::Plain(UniformBuffer), 1);
    setup.layout = Some(PipelineLayout { bindings: vec![binding], push_constants: Vec::new() });
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn groups() -> Vec<Creation> {
    let rays = || of(["RayGenerationKHR", "ClosestHitKHR", "AnyHitKHR", "IntersectionKHR"].map(ray).into());
    let nv = |setup: Setup| setup.with(|setup| setup.info.api = Api::RayTracingNv);
    let graph = |setup: Setup| setup.with(|setup| setup.info.api = Api::ExecutionGraph);
    let name = |api: &str, rest: &str| &*format!("VUID-Vk{api}-{rest}").leak();
    let (khr_group, nv_group) = ("RayTracingShaderGroupCreateInfoKHR", "RayTracingShaderGroupCreateInfoNV");
    let (nv_pipeline, graph_pipeline) =
        ("RayTracingPipelineCreateInfoNV", "ExecutionGraphPipelineCreateInfoAMDX");
    let case = |rule, base, bad, good| Creation { rule, base, bad, good };
    fn group(setup: &mut Setup, group: ShaderGroup) {
        setup.info.groups = vec![group];
    }
    let general: [Change; 2] = [
        |setup| group(setup, ShaderGroup { general: Some(1), ..ShaderGroup::default() }),
        |setup| group(setup, ShaderGroup { general: Some(0), ..ShaderGroup::default() }),
    ];
    let procedural: [Change; 2] = [
        |setup| group(setup, ShaderGroup { ty: GroupType::ProceduralHit, ..ShaderGroup::default() }),
        |setup| {
            let ty = GroupType::ProceduralHit;
            group(setup, ShaderGroup { ty, intersection: Some(3), ..ShaderGroup::default() });
        },
    ];
    let closest: [Change; 2] = [
        |setup| {
            let ty = GroupType::TrianglesHit;
            group(setup, ShaderGroup { ty, closest_hit: Some(9), ..ShaderGroup::default() });
        },
        |setup| {
            let ty = GroupType::TrianglesHit;
            group(setup, ShaderGroup { ty, closest_hit: Some(1), ..ShaderGroup::default() });
        },
    ];
    let any: [Change; 2] = [
        |setup| {
            let ty = GroupType::TrianglesHit;
            group(setup, ShaderGroup { ty, any_hit: Some(1), ..ShaderGroup::default() });
        },
        |setup| {
            let ty = GroupType::TrianglesHit;
            group(setup, ShaderGroup { ty, any_hit: Some(2), ..ShaderGroup::default() });
        },
    ];
    let heap: [Change; 2] = [
        |setup| setup.info.flags.insert("VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT"),
        |setup| {
            setup.info.flags.insert("VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT");
            setup.info.mappings = MAPPING;
        },
    ];
    let has_ranges: [Change; 2] = [
        |setup| range(setup, 16, Model::Fragment),
        |setup| {
            range(setup, 16, Model::GLCompute);
            setup.layout.as_mut().expect("a layout").push_constants[0].stages = None;
        },
    ];
    let outside: [Change; 2] = [
        |setup| {
            range(setup, 8, Model::GLCompute);
            setup.layout.as_mut().expect("a layout").push_constants[0].stages = None;
        },
        has_ranges[1],
    ];
    let bound: [Change; 2] = [|setup| bind_for(setup, 1), |setup| bind_for(setup, 0)];
    let enqueuing = || compute().capability("ShaderEnqueueAMDX");
    let nodes = || graph(of(vec![enqueuing(), enqueuing()]));
    let raygen = || ray("RayGenerationKHR");
    vec![
        case(name(khr_group, "type-03474"), rays(), general[0], general[1]),
        case(name(nv_group, "type-02413"), nv(rays()), general[0], general[1]),
        case(name(khr_group, "type-03476"), rays(), procedural[0], procedural[1]),
        case(name(nv_group, "type-02415"), nv(rays()), procedural[0], procedural[1]),
        case(name(khr_group, "closestHitShader-03478"), rays(), closest[0], closest[1]),
        case(name(nv_group, "closestHitShader-02417"), nv(rays()), closest[0], closest[1]),
        case(name(khr_group, "anyHitShader-03479"), rays(), any[0], any[1]),
        case(name(nv_group, "anyHitShader-02418"), nv(rays()), any[0], any[1]),
        case(
            "VUID-VkComputePipelineCreateInfo-stage-00701",
            of(vec![compute()]),
            |setup| setup.shaders.push(fragment()),
            |_| {},
        ),
        case(
            "VUID-VkComputePipelineCreateInfo-flags-09178",
            of(vec![enqueuing()]),
            |_| {},
            |setup| setup.info.flags.insert("VK_PIPELINE_CREATE_LIBRARY_BIT_KHR"),
        ),
        case(
            "VUID-VkComputePipelineCreateInfo-flags-11312",
            of(vec![with_block(compute())]),
            heap[0],
            heap[1],
        ),
        case(g("flags-11312"), graphics(vec![with_block(vertex())]), heap[0], heap[1]),
        case(
            "VUID-VkRayTracingPipelineCreateInfoKHR-flags-11312",
            of(vec![with_block(raygen())]),
            heap[0],
            heap[1],
        ),
        case(name(nv_pipeline, "flags-11312"), nv(of(vec![with_block(raygen())])), heap[0], heap[1]),
        case(name(graph_pipeline, "flags-11312"), graph(of(vec![with_block(compute())])), heap[0], heap[1]),
        case(name(nv_pipeline, "stage-06232"), nv(rays()), |setup| drop(setup.shaders.remove(0)), |_| {}),
        case(name(nv_pipeline, "stage-06898"), nv(rays()), |setup| setup.shaders.push(compute()), |_| {}),
        case(name(graph_pipeline, "stage-09128"), nodes(), |setup| setup.shaders.push(vertex()), |_| {}),
        case(
            name(graph_pipeline, "StaticNumWorkgroupsAMDX-09138"),
            nodes(),
            |setup| {
                let text = setup.shaders[0].clone();
                setup.shaders[0] = text.mode("OpExecutionModeId %main StaticNumWorkgroupsAMDX %c1 %c1 %c1");
            },
            |_| {},
        ),
        case(
            name(graph_pipeline, "PayloadNodeNameAMDX-09139"),
            graph(of(vec![handing("%uint", 1), taking("%uint")])),
            |setup| setup.shaders[1] = taking("%float4"),
            |_| {},
        ),
        case(
            name(graph_pipeline, "flags-10184"),
            graph(of(vec![handing("%uint", 1), taking("%uint")])),
            |setup| setup.shaders[0] = handing("%uint", 2),
            |setup| {
                setup.shaders[0] = handing("%uint", 2);
                setup.info.flags.insert("VK_PIPELINE_CREATE_LIBRARY_BIT_KHR");
            },
        ),
        case(
            "VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-pGroups-02884",
            graphics(vec![vertex()]),
            |setup| {
                setup.info.generated_groups = vec![vec![Model::Vertex, Model::Fragment], vec![Model::Vertex]];
            },
            |setup| {
                setup.info.generated_groups =
                    vec![vec![Model::TaskEXT, Model::MeshEXT], vec![Model::MeshEXT]];
            },
        ),
        case(
            name(nv_pipeline, "layout-07987"),
            nv(of(vec![with_push(raygen())])),
            has_ranges[0],
            has_ranges[1],
        ),
        case(
            name(graph_pipeline, "layout-07987"),
            graph(of(vec![with_push(compute())])),
            has_ranges[0],
            has_ranges[1],
        ),
        case(name(nv_pipeline, "layout-10069"), nv(of(vec![with_push(raygen())])), outside[0], outside[1]),
        case(
            name(graph_pipeline, "layout-10069"),
            graph(of(vec![with_push(compute())])),
            outside[0],
            outside[1],
        ),
        case(name(nv_pipeline, "layout-07988"), nv(of(vec![with_block(raygen())])), bound[0], bound[1]),
        case(
            name(graph_pipeline, "layout-07988"),
            graph(of(vec![with_block(compute())])),
            bound[0],
            bound[1],
        ),
    ]
}

/// What the shaders of a hit group pass one another is of one type in all of them, and what they have of
/// triangles are two floats.
#[test]
fn shaders_of_a_hit_group_pass_the_same() {
    let shader = |model, attribute: &str, payload: Option<&str>| {
        let text = ray(model).variable("attribute", "HitAttributeKHR", attribute);
        payload.into_iter().fold(text, |text, ty| text.variable("payload", "IncomingRayPayloadKHR", ty))
    };
    let base = of(vec![
        ray("RayGenerationKHR"),
        shader("ClosestHitKHR", "%float2", Some("%float4")),
        shader("ClosestHitKHR", "%uint4", Some("%float4")),
        shader("AnyHitKHR", "%float2", Some("%float4")),
        shader("AnyHitKHR", "%float2", Some("%uint")),
        shader("IntersectionKHR", "%uint4", None),
    ]);
    let found = |ty, closest_hit, any_hit: Option<u32>, intersection| {
        let mut setup = base.clone();
        let closest_hit = Some(closest_hit);
        setup.info.groups = vec![ShaderGroup { ty, closest_hit, any_hit, intersection, general: None }];
        let found = self::found(&setup);
        let named =
            found.into_iter().filter_map(|rule| rule.strip_prefix("Ray Tracing Pipeline Interface: "));
        named.collect::<Vec<_>>()
    };
    let (triangles, boxes) = (GroupType::TrianglesHit, GroupType::ProceduralHit);
    assert_eq!(found(triangles, 1, Some(3), None), [] as [&str; 0]);
    assert_eq!(found(triangles, 1, Some(4), None), ["payloads"]);
    assert_eq!(found(triangles, 2, None, None), ["barycentric coordinates"]);
    assert_eq!(found(boxes, 2, None, Some(5)), [] as [&str; 0]);
    assert_eq!(found(boxes, 1, None, Some(5)), ["hit attributes"]);
}
