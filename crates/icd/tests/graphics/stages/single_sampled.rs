//! Attachments of one sample that are rendered to with several
//! (`VK_EXT_multisampled_render_to_single_sampled`): what is left of them is what resolves leave.

use super::assembly::passing;
use super::samples::interpolating;
use pyro_test_kit::Client;
use pyro_test_kit::scene::{Lab, SIZE, Scene};
use vulkanalia::prelude::v1_3::*;

/// Two triangles that cut each other, with their edges between pixels.
fn triangles() -> Vec<[[f32; 4]; 2]> {
    let first = [[-0.85, -0.8, 0.1], [0.9, -0.35, 0.9], [-0.3, 0.95, 0.3]];
    let second = [[0.8, -0.9, 0.2], [0.7, 0.85, 0.2], [-0.95, 0.1, 0.7]];
    let vertex = |color: [f32; 4]| move |[x, y, z]: [f32; 3]| [[x, y, z, 1.0], color];
    let (red, green) = ([1.0, 0.0, 0.25, 1.0], [0.0, 1.0, 0.5, 0.5]);
    first.map(vertex(red)).into_iter().chain(second.map(vertex(green))).collect()
}

#[test]
fn attachments_of_one_sample_are_as_if_resolved() {
    let lab = Lab::new(&[]);
    for samples in [2, 4, 8, 16] {
        for is_loaded in [false, true] {
            let mut scene = Scene::new(&passing(), &interpolating(""), &triangles());
            scene.state.samples = samples;
            scene.state.depth_test = true;
            scene.state.depth_write = true;
            scene.state.depth_compare = vk::CompareOp::LESS;
            scene.clear = [0.0, 0.0, 1.0, 1.0];
            scene.is_loaded = is_loaded;
            let expected = lab.draw_both(&scene);
            scene.single_sampled = true;
            let found = lab.draw_both(&scene);
            assert!(found == expected, "{samples} samples, loaded: {is_loaded}");
            // Edges are of several samples, inner pixels of one triangle.
            let pixels = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
            let blues: Vec<f32> = pixels.map(|(x, y)| found.at(0, x, y)[2]).collect();
            let has = |blue: f32| blues.contains(&blue);
            let is_edge = |blue: &f32| ![0.25, 0.5, 1.0].contains(blue);
            assert!(has(0.25) && has(0.5) && has(1.0) && blues.iter().any(is_edge), "{blues:?}");
        }
    }
}

#[test]
fn resolves_of_all_formats_are_optimal() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    let mut query = vk::SubpassResolvePerformanceQueryEXT::default();
    let mut properties = vk::FormatProperties2::builder().push_next(&mut query).build();
    let (device, format) = (client.physical_device, vk::Format::R8G8B8A8_UNORM);
    unsafe { client.instance.get_physical_device_format_properties2(device, format, &mut properties) };
    assert_eq!(query.optimal, vk::TRUE);
}
