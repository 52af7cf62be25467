//! Geometry shaders that pass their inputs on (`VK_NV_geometry_shader_passthrough`): the primitives are those
//! that would be drawn without them, with what the shader says of each.

use super::assembly::rectangle;
use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("geometry/", $name, ".spvasm"))
    };
}

/// Pictures without and with a geometry shader. In the fragment shader's second attachment there is what that
/// says.
fn pictures(
    vertex: &str,
    geometry: &str,
    topology: vk::PrimitiveTopology,
    vertices: &[[[f32; 4]; 2]],
) -> (Picture, Picture) {
    let lab = Lab::new(&[c"VK_NV_geometry_shader_passthrough"]);
    let mut scene = Scene::new(vertex, shader!("passed.frag"), vertices);
    scene.formats.push(scene.formats[0]);
    scene.state.topology = topology;
    scene.layers = 2;
    let without = lab.draw_both(&scene);
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, geometry.into())];
    (without, lab.draw_both(&scene))
}

fn floats(words: [u32; 4]) -> [f32; 4] {
    words.map(f32::from_bits)
}

/// The pixels of a layer that either picture has, and their colours: those of the first picture with ten
/// times the primitive's number. Gives how many there are.
fn same_pixels(
    (without, with): &(Picture, Picture),
    layer: impl Fn(u32) -> u32,
    extra: impl Fn(u32) -> [f32; 4],
) -> u32 {
    let mut count = 0;
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let [red, green, blue, primitive] = floats(without.words_at(0, x, y, 0));
        let is_drawn = blue != 0.0;
        let primitive = primitive as u32;
        for at in 0..2 {
            let is_here = is_drawn && at == layer(primitive);
            let color = [red, green, blue, 10.0 * primitive as f32];
            let expected = if is_here { (color, extra(primitive)) } else { ([0.0; 4], [0.0; 4]) };
            let found = [0, 1].map(|attachment| floats(with.words_at(attachment, x, y, at)));
            assert_eq!((found[0], found[1]), expected, "{x} {y} {at}");
        }
        count += u32::from(is_drawn);
    }
    count
}

/// A vertex that lies here, with this colour.
fn vertex(x: f32, y: f32, w: f32, red: f32, green: f32) -> [[f32; 4]; 2] {
    [[x * w, y * w, 0.5 * w, w], [red, green, 1.0, 1.0]]
}

#[test]
fn triangles_keep_their_attributes_and_distances() {
    // Two triangles side by side, at different depths, which the first colour's sign clips.
    let vertices = [
        vertex(-1.0, -1.0, 1.0, 3.0, 0.25),
        vertex(-1.0, 1.0, 2.0, 5.0, 0.5),
        vertex(0.0, 1.0, 4.0, -2.0, 0.75),
        vertex(0.0, -1.0, 1.0, -1.0, 0.0),
        vertex(1.0, 1.0, 3.0, 7.0, 1.0),
        vertex(1.0, -1.0, 0.5, 9.0, 0.5),
    ];
    let found = pictures(
        shader!("distance.vert"),
        shader!("pass_triangles.geom"),
        vk::PrimitiveTopology::TRIANGLE_LIST,
        &vertices,
    );
    let red = |index: u32| vertices[index as usize][1][0];
    let count = same_pixels(
        &found,
        |primitive| primitive & 1,
        |primitive| [red(3 * primitive + primitive % 3), red(3 * primitive + 2), primitive as f32, 1.0],
    );
    // Whole, they would have 128.
    assert!((60..128).contains(&count), "{count}");
}

#[test]
fn strips_keep_their_order() {
    let vertices: Vec<_> = (0..7_u8)
        .map(|index| {
            let x = f32::from(index) / 3.0 - 1.0;
            vertex(x, if index % 2 == 0 { -1.0 } else { 1.0 }, 1.0 + f32::from(index), 1.0 + x, x * x)
        })
        .collect();
    let found = pictures(
        shader!("distance.vert"),
        shader!("pass_triangles.geom"),
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        &vertices,
    );
    let red = |index: u32| vertices[index as usize][1][0];
    // Odd triangles of a strip have their last two vertices in the other order.
    let corners = |primitive: u32| match primitive % 2 {
        0 => [primitive, primitive + 1, primitive + 2],
        _ => [primitive, primitive + 2, primitive + 1],
    };
    let count = same_pixels(
        &found,
        |primitive| primitive & 1,
        |primitive| {
            let corners = corners(primitive);
            [red(corners[(primitive % 3) as usize]), red(corners[2]), primitive as f32, 1.0]
        },
    );
    assert!(count > 150, "{count}");
}

#[test]
fn lines_and_points_pass_too() {
    let vertices: Vec<_> = (0..6_u8)
        .map(|index| {
            let (x, y) = (f32::from(index % 2) * 1.5 - 0.8, f32::from(index) / 3.0 - 0.9);
            vertex(x, y, 1.0, f32::from(index + 1), f32::from(index / 2))
        })
        .collect();
    let red = |index: u32| vertices[index as usize][1][0];
    let topology = vk::PrimitiveTopology::LINE_LIST;
    let found = pictures(shader!("pass.vert"), shader!("pass_lines.geom"), topology, &vertices);
    let of_line = |line: u32| [red(2 * line), red(2 * line + 1), line as f32, 1.0];
    let count = same_pixels(&found, |_| 0, of_line);
    assert!(count > 30, "{count}");

    let vertices: Vec<_> = (0..5_u8)
        .map(|index| {
            let place = f32::from(index) / 2.5 - 0.8;
            vertex(place, place, 1.0, f32::from(index + 1), f32::from(1 + index % 3))
        })
        .collect();
    let topology = vk::PrimitiveTopology::POINT_LIST;
    let found = pictures(shader!("sized.vert"), shader!("pass_points.geom"), topology, &vertices);
    let of_point = |point: u32| {
        let [place, color] = vertices[point as usize];
        [color[0], place[0], point as f32, 1.0]
    };
    // Points are as many pixels wide as their second colour says.
    assert_eq!(same_pixels(&found, |_| 0, of_point), 1 + 4 + 9 + 1 + 4);
}

#[test]
fn positions_of_views_pass_too() {
    let lab = Lab::new(&[
        c"VK_NVX_multiview_per_view_attributes",
        c"VK_NV_geometry_shader_passthrough",
        c"VK_NV_viewport_array2",
    ]);
    // The upper left quarter, which view 2 has a quarter of the width further to the right.
    let vertices = rectangle([-1.0, -1.0, 0.0, 0.0], 0.5, [7.0, 0.5, 1.0, 1.0]);
    let mut scene = Scene::new(shader!("per_view.vert"), shader!("passed.frag"), &vertices);
    scene.formats.push(scene.formats[0]);
    // The language has no way to say that the block passes as it is, but for one that it is declared with.
    let decoration = "OpDecorate %color PassthroughNV";
    let both = format!("{decoration}\nOpDecorate %gl_in PassthroughNV");
    let geometry = shader!("pass_views.geom").replace(decoration, &both);
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, geometry)];
    (scene.layers, scene.view_mask) = (3, 0b111);
    let picture = lab.draw(&scene, With::Pipeline);
    for (layer, x, y) in
        (0..3).flat_map(|layer| (0..SIZE).flat_map(move |y| (0..SIZE).map(move |x| (layer, x, y))))
    {
        let is_drawn = y < 8
            && match layer {
                0 => x < 8,
                2 => (4..12).contains(&x),
                _ => false,
            };
        let found = [0, 1].map(|attachment| floats(picture.words_at(attachment, x, y, layer)));
        let primitive = found[0][3];
        let first = if primitive == 0.0 { -0.5 } else { vertices[3][0][0] + 0.5 };
        let expected = match is_drawn {
            true => [[7.0, 0.5, 1.0, primitive], [first, 7.0, primitive, 1.0]],
            false => [[0.0; 4]; 2],
        };
        assert_eq!(found, expected, "{x} {y} {layer}");
        assert!(primitive <= 1.0);
    }
}
