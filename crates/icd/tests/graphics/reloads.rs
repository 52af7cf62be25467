//! Shader modules that are replaced while pipelines and shader objects of them are bound in command buffers.

use crate::features::{self, LIBRARIES, Target};
use crate::shader_objects;
use pyro_sanitizer::trace::module_digest;
use pyro_spirv::asm::assemble;
use pyro_test_kit::canvas::{Canvas, FRAGMENT, VERTEX};
use pyro_test_kit::graphics::{self, Context};
use vulkanalia::prelude::v1_3::*;

/// A text that is no other test's.
fn own(text: &str, mark: u32) -> String {
    let constant =
        format!("%void = OpTypeVoid\n%unsigned = OpTypeInt 32 0\n%mark = OpConstant %unsigned {mark}\n");
    text.replace("%void = OpTypeVoid", &constant)
}

fn reload(from: &str, to: &str) -> Result<u32, String> {
    let [from, to] = [from, to].map(|text| assemble(text).expect("assembly"));
    pyroclast_icd::reload_module(module_digest(&from), &to)
}

/// The fragment shader, but blue.
fn blue(text: &str) -> String {
    text.replace("%vec4 %one %zero %zero %one", "%vec4 %zero %zero %one %one")
}

#[test]
fn recorded_draws_run_replaced_modules() {
    pyroclast_icd::keep_for_reload();
    let canvas = Canvas::new();
    shader_objects::triangle(&canvas);
    let (vertex, fragment) = (own(VERTEX, 7001), own(FRAGMENT, 7002));
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let pipeline = canvas.pipeline_from([&vertex, &fragment], topology, true, &[], 0);
    let drawn = canvas.draw(pipeline, |commands| unsafe { canvas.device.cmd_draw(commands, 3, 1, 0, 0) });
    let whole = drawn.count();
    assert!(whole > 0);
    assert_eq!(canvas.draw_again().count(), whole);
    assert_eq!(reload(&fragment, &blue(&fragment)), Ok(1));
    assert_eq!(canvas.draw_again().count(), 0);

    // A fragment shader that reads what no vertex shader writes.
    let reads = fragment
        .replace("\"main\" %color", "\"main\" %color %input")
        .replace(
            "%color = OpVariable",
            "%in_vec4 = OpTypePointer Input %vec4\n%input = OpVariable %in_vec4 Input\n%color = OpVariable",
        )
        .replace("OpDecorate %color Location 0", "OpDecorate %color Location 0\nOpDecorate %input Location 3")
        .replace("OpStore %color %red", "%read = OpLoad %vec4 %input\nOpStore %color %read");
    let error = reload(&blue(&fragment), &reads).expect_err("it does not fit");
    assert!(error.contains("VUID-RuntimeSpirv-OpEntryPoint-08743"), "{error}");
    assert_eq!(canvas.draw_again().count(), 0);

    assert_eq!(reload(&blue(&fragment), &fragment), Ok(1));
    // All corners at one point.
    let point = vertex
        .replace("OpStore %position %p", "%n = OpVectorShuffle %vec4 %p %p 3 3 3 3\nOpStore %position %n");
    assert_eq!(reload(&vertex, &point), Ok(1));
    assert_eq!(canvas.draw_again().count(), 0);
    assert_eq!(reload(&point, &vertex), Ok(1));
    assert_eq!(canvas.draw_again().count(), whole);
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn bound_shader_objects_run_replaced_modules() {
    pyroclast_icd::keep_for_reload();
    let canvas = Canvas::with(&[c"VK_EXT_shader_object"]);
    shader_objects::triangle(&canvas);
    let (vertex, fragment) = (own(VERTEX, 7003), own(FRAGMENT, 7004));
    let shaders =
        [shader_objects::from_words(&canvas, 0, &vertex), shader_objects::from_words(&canvas, 1, &fragment)];
    let whole = shader_objects::draw(&canvas, &shaders);
    assert!(whole > 0);
    assert_eq!(reload(&fragment, &blue(&fragment)), Ok(1));
    assert_eq!(canvas.draw_again().count(), 0);
    assert_eq!(reload(&blue(&fragment), &fragment), Ok(1));
    assert_eq!(canvas.draw_again().count(), whole);
    shader_objects::destroy(&canvas, &shaders);
}

/// Parts of pipelines have the new module, too: those that are linked already, and those to be linked.
#[test]
fn linked_pipelines_run_replaced_modules() {
    pyroclast_icd::keep_for_reload();
    let context = Context::with(&LIBRARIES);
    let target = Target::new(&context);
    let (whole, layout) = context.pipeline(vk::Format::R8G8B8A8_UNORM);
    let (vertex, fragment) = (own(graphics::VERTEX, 7005), own(graphics::FRAGMENT, 7006));
    // Half of the red that is pushed.
    let darker = fragment
        .replace("%int_0 = OpConstant", "%half = OpConstant %float 0.5\n%int_0 = OpConstant")
        .replace(
            "OpStore %color %value",
            "%less = OpVectorTimesScalar %vec4 %value %half\nOpStore %color %less",
        );
    let darkest = darker.replace("%float 0.5", "%float 0.25");
    let libraries = features::libraries(&context, layout, [&vertex, &fragment]);
    let greatest = |pipeline| features::drawn(&context, &target, (pipeline, layout)).into_iter().max();
    let before = features::link(&context, layout, &libraries);
    assert_eq!(greatest(before), Some(255));
    assert_eq!(reload(&fragment, &darker), Ok(1));
    assert_eq!(greatest(before), Some(128));
    let after = features::link(&context, layout, &libraries);
    assert_eq!(greatest(after), Some(128));
    assert_eq!(reload(&darker, &darkest), Ok(2));
    assert_eq!([before, after].map(greatest), [Some(64); 2]);
    let last = features::link(&context, layout, &libraries);
    assert_eq!(greatest(last), Some(64));
    unsafe {
        let all = libraries.into_iter().chain([before, after, last, whole]);
        all.for_each(|pipeline| context.device.destroy_pipeline(pipeline, None));
        context.device.destroy_pipeline_layout(layout, None);
    }
    target.destroy(&context);
}
