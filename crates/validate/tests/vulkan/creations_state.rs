//! Graphics pipelines: rasterization, multisample and depth-stencil state, shading rates and parts as
//! libraries.

use crate::common::*;
use crate::creations::{Creation, Setup, g, graphics};
use pyro_interface::ResourceKind;
use pyro_interface::pipeline::{Binding, DescriptorKind, PipelineLayout, PushConstantRange};
use pyro_validate::create_info::*;

pub(crate) fn creations() -> Vec<Creation> {
    [samples(), depth(), needed(), libraries(), rates(), rate_enums()].into_iter().flatten().collect()
}

fn case(rest: &str, base: Setup, bad: crate::creations::Change, good: crate::creations::Change) -> Creation {
    Creation { rule: g(rest), base, bad, good }
}

fn plain() -> Setup {
    graphics(vec![vertex(), fragment()])
}

/// A fragment shader with a colour of a type.
fn coloring(ty: &str) -> Text {
    user(fragment(), "Output", ty, &["Location 0"])
}

fn sampled(setup: &mut Setup, change: fn(&mut Multisample)) {
    let mut found = Multisample { samples: 4, ..Multisample::default() };
    change(&mut found);
    setup.state().multisample = State::Given(found);
}

fn samples() -> Vec<Creation> {
    let covering = |ty| {
        graphics(vec![vertex(), coloring(ty)])
            .with(|setup| sampled(setup, |found| found.has_alpha_to_coverage = true))
    };
    let at_sample = || {
        let mut text =
            user(fragment().capability("InterpolationFunction"), "Input", "%float", &["Location 0"])
                .body("%x = OpExtInst %float %glsl InterpolateAtSample %user %i0");
        text.capabilities += "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
        graphics(vec![vertex(), text])
    };
    vec![
        case(
            "alphaToCoverageEnable-08891",
            covering("%float3"),
            |_| {},
            |setup| setup.shaders[1] = coloring("%float4"),
        ),
        case(
            "pDynamicStates-07612",
            plain(),
            |setup| sampled(setup, |found| found.location_count = Some(2)),
            |setup| sampled(setup, |found| found.location_count = Some(4)),
        ),
        case(
            "sampleLocationsEnable-01524",
            at_sample(),
            |setup| sampled(setup, |found| found.location_count = Some(4)),
            |setup| sampled(setup, |_| {}),
        ),
        case(
            "lineRasterizationMode-02766",
            plain().with(|setup| setup.state().has_bresenham_or_smooth_lines = true),
            |setup| sampled(setup, |found| found.has_alpha_to_one = true),
            |setup| sampled(setup, |_| {}),
        ),
    ]
}

fn tested(setup: &mut Setup, change: fn(&mut DepthStencil)) {
    let mut found = DepthStencil::default();
    change(&mut found);
    setup.state().depth_stencil = State::Given(found);
}

fn depth() -> Vec<Creation> {
    let early = || fragment().mode("OpExecutionMode %main EarlyFragmentTests");
    let reading = |capability: &str, op: &str| {
        let text = early().capability(capability).body(&format!("%x = {op}"));
        graphics(vec![vertex(), text])
    };
    let mut bounded = plain();
    bounded.device.forget_extensions();
    vec![
        case(
            "pDynamicStates-02510",
            bounded,
            |setup| tested(setup, |found| found.bounds = Some((0.0, 1.5))),
            |setup| tested(setup, |found| found.bounds = Some((0.0, 1.0))),
        ),
        case(
            "pDynamicStates-10913",
            plain(),
            |setup| tested(setup, |found| found.bounds = Some((0.5, 0.25))),
            |setup| tested(setup, |found| found.bounds = Some((0.25, 0.5))),
        ),
        case(
            "flags-06591",
            graphics(vec![vertex(), early()]),
            |setup| tested(setup, |found| found.has_ordered_stencil = true),
            |setup| tested(setup, |_| {}),
        ),
        case(
            "pStages-08711",
            reading("TileImageDepthReadAccessEXT", "OpDepthAttachmentReadEXT %float"),
            |setup| tested(setup, |found| found.writes_depth = true),
            |setup| tested(setup, |found| found.stencil_write_mask = 1),
        ),
        case(
            "pStages-08712",
            reading("TileImageStencilReadAccessEXT", "OpStencilAttachmentReadEXT %uint"),
            |setup| tested(setup, |found| found.stencil_write_mask = 1),
            |setup| tested(setup, |found| found.writes_depth = true),
        ),
    ]
}

/// State that may be missing only where it is dynamic.
fn needed() -> Vec<Creation> {
    fn rendered(setup: &mut Setup, is_subpass: bool) {
        let subpass = is_subpass.then(Subpass::default);
        setup.state().rendering =
            Some(Rendering { subpass, has_depth_stencil: true, ..Rendering::default() });
    }
    fn all_dynamic(setup: &mut Setup) {
        for name in [
            "DEPTH_TEST_ENABLE",
            "DEPTH_WRITE_ENABLE",
            "DEPTH_COMPARE_OP",
            "DEPTH_BOUNDS_TEST_ENABLE",
            "STENCIL_TEST_ENABLE",
            "STENCIL_OP",
            "DEPTH_BOUNDS",
            "RASTERIZATION_SAMPLES",
            "SAMPLE_MASK",
            "ALPHA_TO_COVERAGE_ENABLE",
            "ALPHA_TO_ONE_ENABLE",
        ] {
            setup.state().dynamic.insert(&format!("VK_DYNAMIC_STATE_{name}"));
        }
    }
    let missing = || plain().with(|setup| setup.state().depth_stencil = State::Null);
    let unsampled = |text: Text| {
        graphics(vec![vertex(), text]).with(|setup| {
            setup.state().multisample = State::Null;
            rendered(setup, true);
        })
    };
    let per_sample =
        || user(fragment().capability("SampleRateShading"), "Input", "%float", &["Location 0", "Sample"]);
    vec![
        case("renderPass-09028", missing().with(|setup| rendered(setup, true)), |_| {}, all_dynamic),
        case("renderPass-09033", missing().with(|setup| rendered(setup, false)), |_| {}, all_dynamic),
        case(
            "renderPass-09035",
            missing().with(|setup| {
                rendered(setup, false);
                setup.state().parts = Parts { fragment_shader: true, ..Parts::NONE };
            }),
            |_| {},
            all_dynamic,
        ),
        case("renderpass-06631", unsampled(fragment()), |_| {}, all_dynamic),
        case("Input-06632", unsampled(per_sample()), |_| {}, |setup| setup.state().discards = true),
    ]
}

const VERTICES: Parts = Parts { vertex_input: true, pre_rasterization: true, ..Parts::NONE };
const FRAGMENTS: Parts = Parts { fragment_shader: true, fragment_output: true, ..Parts::NONE };

/// A layout for both sides of rasterization.
fn shared(kind: ResourceKind, size: u32) -> PipelineLayout {
    PipelineLayout {
        bindings: vec![Binding::new(0, 0, DescriptorKind::Plain(kind), 1)],
        push_constants: vec![PushConstantRange { stages: None, offset: 0, size }],
    }
}

fn library(setup: &mut Setup, parts: Parts, kind: ResourceKind, size: u32) {
    setup.state().libraries.push(Library { parts, layout: shared(kind, size) });
}

fn libraries() -> Vec<Creation> {
    use ResourceKind::{StorageBuffer, UniformBuffer};
    let mut old = graphics(vec![vertex()]).with(|setup| setup.state().vertex_input = State::Null);
    old.device.forget_extensions();
    let new = || graphics(vec![vertex()]).with(|setup| setup.state().vertex_input = State::Null);
    let rest = || {
        graphics(vec![fragment()]).with(|setup| {
            setup.state().parts = FRAGMENTS;
            setup.layout = Some(shared(UniformBuffer, 16));
        })
    };
    let linking = || graphics(vec![]).with(|setup| setup.state().parts = Parts::NONE);
    vec![
        case("pStages-08894", old, |_| {}, |setup| setup.state().vertex_input = State::Given(())),
        case(
            "flags-08897",
            new().with(|setup| setup.info.flags.insert("LIBRARY_KHR")),
            |_| {},
            |setup| setup.state().dynamic.insert("VERTEX_INPUT_EXT"),
        ),
        case(
            "flags-08899",
            graphics(vec![vertex()]).with(|setup| {
                setup.state().parts = Parts { pre_rasterization: true, ..Parts::NONE };
            }),
            |_| {},
            |setup| setup.state().linked.vertex_input = true,
        ),
        case(
            "flags-08909",
            graphics(vec![vertex()]).with(|setup| setup.state().parts = VERTICES),
            |setup| setup.state().linked.fragment_shader = true,
            |setup| setup.state().linked = FRAGMENTS,
        ),
        case(
            "flags-06618",
            rest(),
            |setup| library(setup, VERTICES, StorageBuffer, 16),
            |setup| library(setup, VERTICES, UniformBuffer, 16),
        ),
        case(
            "flags-06620",
            rest(),
            |setup| library(setup, VERTICES, UniformBuffer, 32),
            |setup| library(setup, VERTICES, UniformBuffer, 16),
        ),
        case(
            "pLibraries-06619",
            linking().with(|setup| library(setup, FRAGMENTS, UniformBuffer, 16)),
            |setup| library(setup, VERTICES, StorageBuffer, 16),
            |setup| library(setup, VERTICES, UniformBuffer, 16),
        ),
        case(
            "pLibraries-06621",
            linking().with(|setup| library(setup, FRAGMENTS, UniformBuffer, 16)),
            |setup| library(setup, VERTICES, UniformBuffer, 32),
            |setup| library(setup, VERTICES, UniformBuffer, 16),
        ),
    ]
}

fn rate(setup: &mut Setup, size: (u32, u32), combiners: [CombinerOp; 2]) {
    setup.state().shading_rate = Some(ShadingRate { size, combiners });
}

const KEEP: [CombinerOp; 2] = [CombinerOp::Keep; 2];

fn off(feature: &str) -> Setup {
    let mut setup = plain();
    setup.device.set_feature(feature, false);
    setup
}

fn rates() -> Vec<Creation> {
    let fine: crate::creations::Change = |setup| rate(setup, (2, 4), KEEP);
    vec![
        case("pDynamicState-04494", plain(), |setup| rate(setup, (0, 1), KEEP), fine),
        case("pDynamicState-04495", plain(), |setup| rate(setup, (1, 0), KEEP), fine),
        case("pDynamicState-04496", plain(), |setup| rate(setup, (3, 1), KEEP), fine),
        case("pDynamicState-04497", plain(), |setup| rate(setup, (1, 3), KEEP), fine),
        case("pDynamicState-04498", plain(), |setup| rate(setup, (8, 1), KEEP), fine),
        case(
            "pDynamicState-04499",
            plain(),
            |setup| rate(setup, (1, 8), KEEP),
            |setup| {
                rate(setup, (1, 8), KEEP);
                setup.state().dynamic.insert("VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR");
            },
        ),
        case("pDynamicState-04500", off("pipelineFragmentShadingRate"), fine, |setup| {
            rate(setup, (1, 1), KEEP)
        }),
        case(
            "pDynamicState-04501",
            off("primitiveFragmentShadingRate"),
            |setup| rate(setup, (1, 1), [CombinerOp::Replace, CombinerOp::Keep]),
            fine,
        ),
        case(
            "pDynamicState-04502",
            off("attachmentFragmentShadingRate"),
            |setup| rate(setup, (1, 1), [CombinerOp::Keep, CombinerOp::Mul]),
            fine,
        ),
        case(
            "fragmentShadingRateNonTrivialCombinerOps-04506",
            plain().with(|setup| setup.device.set_property("fragmentShadingRateNonTrivialCombinerOps", 0)),
            |setup| rate(setup, (1, 1), [CombinerOp::Max, CombinerOp::Keep]),
            |setup| rate(setup, (1, 1), [CombinerOp::Replace, CombinerOp::Keep]),
        ),
    ]
}

fn numbered(setup: &mut Setup, invocations: u32, is_one_per_pixel: bool, combiners: [CombinerOp; 2]) {
    let rate = ShadingRateEnum { is_enum: true, invocations, is_one_per_pixel, combiners };
    setup.state().shading_rate_enum = Some(rate);
}

fn rate_enums() -> Vec<Creation> {
    let fine: crate::creations::Change = |setup| numbered(setup, 1, true, KEEP);
    vec![
        case("pDynamicState-04569", off("fragmentShadingRateEnums"), fine, |_| {}),
        case(
            "pDynamicState-04570",
            off("pipelineFragmentShadingRate"),
            |setup| numbered(setup, 1, false, KEEP),
            fine,
        ),
        case(
            "pDynamicState-04571",
            off("primitiveFragmentShadingRate"),
            |setup| numbered(setup, 1, true, [CombinerOp::Min, CombinerOp::Keep]),
            fine,
        ),
        case(
            "pDynamicState-04572",
            off("attachmentFragmentShadingRate"),
            |setup| numbered(setup, 1, true, [CombinerOp::Keep, CombinerOp::Min]),
            fine,
        ),
        case(
            "fragmentShadingRateNonTrivialCombinerOps-04573",
            plain().with(|setup| setup.device.set_property("fragmentShadingRateNonTrivialCombinerOps", 0)),
            |setup| numbered(setup, 1, true, [CombinerOp::Mul, CombinerOp::Keep]),
            fine,
        ),
        case(
            "None-04574",
            off("supersampleFragmentShadingRates"),
            |setup| numbered(setup, 4, false, KEEP),
            fine,
        ),
        case(
            "None-04575",
            off("noInvocationFragmentShadingRates"),
            |setup| numbered(setup, 0, false, KEEP),
            fine,
        ),
    ]
}
