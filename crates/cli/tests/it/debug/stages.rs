//! The stages of draws, each with a shader that is stepped. The draws are made in a child, under capture.

use super::client::Client;
use super::{Folder, script, text};
use pyro_sanitizer_corpus::case::{Case, Stage, Variant};
use pyro_sanitizer_corpus::module::{plain_shader, text as shader_text};
use pyro_sanitizer_corpus::program::draw;
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::scene::{Lab, Scene, With};
use serde_json::json;
use vulkanalia::vk;

/// The body of each stage's shader.
const CASE: &str = "\
# Sums.
kind: divide-by-zero
input: 5 7 11 13
--- bad
%sum = OpIAdd %uint %in0 %in1
%product = OpIMul %uint %sum %in2
%result = OpISub %uint %product %in3 ; <- finding
--- good
%result = OpIAdd %uint %in0 %in1
";

const STAGES: [(&str, Stage); 5] = [
    ("vertex", Stage::Vertex),
    ("tessellation control", Stage::Control),
    ("tessellation evaluation", Stage::Evaluation),
    ("geometry", Stage::Geometry),
    ("fragment", Stage::Fragment),
];

/// A loop whose third round divides by zero.
const DIVISION: &str = "\
# A quotient by what counts down.
kind: divide-by-zero
input: 5 2 0 0
--- bad
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %in1 %entry %less %latch
OpLoopMerge %merge %latch None
OpBranch %body
%body = OpLabel
%result = OpUDiv %uint %in0 %i ; <- finding
%is_last = OpIEqual %bool %i %uint_0
%less = OpISub %uint %i %uint_1
OpBranch %latch
%latch = OpLabel
OpBranchConditional %is_last %merge %header
%merge = OpLabel
--- good
%result = OpIAdd %uint %in0 %in1
";

#[test]
fn findings_of_the_sanitizer_stop() {
    let folder = Folder::new("finding");
    let file = capture(&folder, "finding");
    let mut client = Client::start_with_sanitizer(&[&file], "divide-by-zero");
    let stop = client.launch(json!({}), |client| {
        client.request("setExceptionBreakpoints", json!({ "filters": ["sanitizer"] }));
    });
    assert_eq!(stop["reason"], "exception");
    assert!(stop["description"].as_str().is_some_and(|text| text.starts_with("divide-by-zero: ")), "{stop}");
    // In the round in which it happens.
    assert_eq!(client.line(), 11);
    assert!(client.scope("Ids").iter().any(|one| one.1 == "0"));
    client.end();
    let mut client = Client::start_with_sanitizer(&[&file], "shift-width");
    client.request("initialize", json!({}));
    client.request("launch", json!({}));
    client.request("setExceptionBreakpoints", json!({ "filters": ["sanitizer"] }));
    client.request("configurationDone", json!({}));
    let told = client.event("output")["output"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("the sanitizer finds nothing"), "{told}");
    client.end();
}

/// Draws for the tests below.
#[test]
fn draw_for_other_tests() {
    if !is_child() {
        return;
    }
    // The capture is named for what is drawn.
    let file = std::env::var("PYROCLAST_CAPTURE").expect("it is captured");
    let wanted = std::path::Path::new(&file).file_stem().expect("a name").to_string_lossy().into_owned();
    if wanted == "finding" {
        let case = Case::parse("division", DIVISION).expect("a case");
        draw(
            &Lab::new(&[]),
            &case,
            (Stage::Vertex, Variant::Bad),
            &shader_text(&case, Stage::Vertex, Variant::Bad),
        );
        return;
    }
    if wanted == "plain" || wanted == "many" {
        return draw_plainly(if wanted == "many" { MANY_DRAWS } else { 1 });
    }
    if wanted == "samples" {
        return draw_samples();
    }
    let stage = STAGES.iter().find(|(name, _)| *name == wanted).expect("a stage").1;
    let case = Case::parse("sums", CASE).expect("a case");
    let words = draw(&Lab::new(&[]), &case, (stage, Variant::Bad), &shader_text(&case, stage, Variant::Bad));
    assert_eq!(words[64], (5 + 7) * 11 - 13);
}

/// Draws of the capture `many`.
pub(super) const MANY_DRAWS: u32 = 10_000;

/// Three triangles over everything, one behind the other, which are added to what is there.
fn draw_plainly(draws: u32) {
    let lab = Lab::new(&[]);
    let vertices: Vec<[[f32; 4]; 2]> = [0.375, 0.125, 0.25]
        .into_iter()
        .flat_map(|depth| {
            [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]: [f32; 2]| [[x, y, depth, 1.0], [0.0; 4]])
        })
        .collect();
    let mut scene = Scene::new(&plain_shader(Stage::Vertex), &plain_shader(Stage::Fragment), &vertices);
    scene.state.depth_test = true;
    scene.state.depth_write = true;
    scene.state.depth_compare = vk::CompareOp::LESS;
    scene.state.blend = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: vk::BlendFactor::ONE,
        color_write_mask: vk::ColorComponentFlags::all(),
        ..Default::default()
    };
    lab.draw_times(&scene, With::Pipeline, draws);
}

/// A triangle at the left and one at the right, which meet in the middle of the pixels of column 5, in two
/// layers.
fn draw_samples() {
    let lab = Lab::new(&[]);
    let edge = 5.5 / 8.0 - 1.0;
    let vertices: Vec<[[f32; 4]; 2]> = [-20.0, 20.0]
        .into_iter()
        .flat_map(|far| [[edge, -5.0], [edge, 5.0], [far, 0.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [0.0; 4]]))
        .collect();
    let mut scene = Scene::new(&plain_shader(Stage::Vertex), &plain_shader(Stage::Fragment), &vertices);
    scene.state.samples = 4;
    (scene.layers, scene.view_mask) = (2, 3);
    lab.draw_times(&scene, With::Pipeline, 1);
}

fn capture(folder: &Folder, stage: &str) -> String {
    let file = folder.path(&format!("{stage}.pyro"));
    let output = output_of_child(module_path!(), "draw_for_other_tests", &[("PYROCLAST_CAPTURE", &file)]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// A capture of a draw whose shader of a stage computes something.
pub(crate) fn capture_of(folder: &Folder, stage: &str) -> String {
    capture(folder, stage)
}

/// A capture of three triangles.
pub(crate) fn plain_draw(folder: &Folder) -> String {
    capture(folder, "plain")
}

#[test]
fn every_stage_is_stepped() {
    for (name, _) in STAGES {
        let folder = Folder::new(&name.replace(' ', "-"));
        let file = capture(&folder, name);
        let mut client = Client::start(&[&file]);
        let stop = client.launch(json!({ "target": { "stage": name } }), |client| {
            let source = json!({ "path": "sums.case" });
            let set = json!({ "source": source, "breakpoints": [{ "line": 6 }] });
            let set = client.request("setBreakpoints", set);
            assert_eq!(set["breakpoints"][0]["verified"], true, "{name}");
        });
        assert_eq!(stop["reason"], "breakpoint", "{name}");
        let has = |client: &mut Client, value: &str| client.scope("Ids").iter().any(|one| one.1 == value);
        assert_eq!(
            (client.line(), has(&mut client, "12"), has(&mut client, "132")),
            (6, true, false),
            "{name}"
        );
        client.go("next");
        assert_eq!((client.line(), has(&mut client, "132")), (7, true), "{name}");
        client.go("stepBack");
        assert_eq!(client.line(), 6, "{name}");
        client.end();
        // The same bits as without it.
        let output = script(&file, &["--target", &format!("stage {}", name.replace(' ', "_"))], "run\n");
        assert!(output.status.success());
        assert!(
            !text(&output.stdout).contains("are not those of the capture"),
            "{name}: {}",
            text(&output.stdout)
        );
    }
}
