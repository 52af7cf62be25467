//! The stages of draws, each with a shader that is stepped. The draws are made in a child, under capture.

use super::client::Client;
use super::{Folder, script, text};
use pyro_sanitizer_corpus::case::{Case, Stage, Variant};
use pyro_sanitizer_corpus::module::plain_shader;
use pyro_sanitizer_corpus::program::Programs;
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
%result = OpISub %uint %product %in3
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

/// Draws for the tests below.
#[test]
fn draw_for_other_tests() {
    if !is_child() {
        return;
    }
    // The capture is named for what is drawn.
    let file = std::env::var("PYROCLAST_CAPTURE").expect("it is captured");
    let wanted = std::path::Path::new(&file).file_stem().expect("a name").to_string_lossy().into_owned();
    if wanted == "plain" {
        return draw_plainly();
    }
    let stage = STAGES.iter().find(|(name, _)| *name == wanted).expect("a stage").1;
    let case = Case::parse("sums", CASE).expect("a case");
    let words = Programs::new().run(&case, stage, Variant::Bad);
    assert_eq!(words[64], (5 + 7) * 11 - 13);
}

/// Three triangles over everything, one behind the other, which are added to what is there.
fn draw_plainly() {
    let lab = Lab::new(&[]);
    let vertices: Vec<[[f32; 4]; 2]> = [0.75, 0.25, 0.5]
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
    lab.draw(&scene, With::Pipeline);
}

fn capture(folder: &Folder, stage: &str) -> String {
    let file = folder.path(&format!("{stage}.pyro"));
    let output = output_of_child(module_path!(), "draw_for_other_tests", &[("PYROCLAST_CAPTURE", &file)]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// A capture of a draw whose shader of a stage computes something.
pub(super) fn capture_of(folder: &Folder, stage: &str) -> String {
    capture(folder, stage)
}

/// A capture of three triangles.
pub(super) fn plain_draw(folder: &Folder) -> String {
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
        assert_eq!((client.line(), client.value("%sum")), (6, "12".to_owned()), "{name}");
        client.go("next");
        assert_eq!((client.line(), client.value("%product")), (7, "132".to_owned()), "{name}");
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
