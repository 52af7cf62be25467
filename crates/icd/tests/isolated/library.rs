//! The driver's shared library, opened as a loader would open it: the other tests have the driver linked in.

use crate::one_shader;
use pyro_test_environment::in_child;
use pyro_test_kit::canvas::{Canvas, SIZE, rectangle, viewport};
use pyro_test_kit::compute::shader;
use pyro_test_kit::use_library;
use std::path::PathBuf;
use vulkanalia::prelude::v1_3::*;

/// The library of the build that this test is of.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("this test's path");
    let name = format!("{}pyroclast_icd{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    program.with_file_name(name)
}

#[test]
fn the_shared_library_computes_and_draws() {
    if !in_child(module_path!(), "the_shared_library_computes_and_draws", &[]) {
        return;
    }
    use_library(&library()).expect("the driver's library");

    // Squares of the invocations' numbers.
    let text = shader(
        "%square = OpIMul %uint %gid %gid
         %place = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %place %square",
    );
    let words = one_shader::words(&text, 0, 64);
    assert_eq!(words, (0..64).map(|number| number * number).collect::<Vec<u32>>());

    // The lower left half of a square of eight pixels.
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_LIST, true);
    let corners = [[-1_f32, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let vertices: Vec<u32> = corners.iter().flat_map(|&[x, y]| [x, y, 0.0, 1.0].map(f32::to_bits)).collect();
    canvas.fill(0, &vertices);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        canvas.device.cmd_set_viewport(commands, 0, &[viewport(0.0, 0.0, 8.0, 8.0)]);
        canvas.device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, 8, 8)]);
        canvas.device.cmd_draw(commands, 3, 1, 0, 0);
    });
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        // Pixels' centers on the diagonal are on an edge that is neither a top nor a left one.
        assert_eq!(covered.at(x, y), x < y && y < 8, "{x} {y}");
    }
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}
