//! The rasterizer against slow and exact references.

use crate::support::{Picture, Random, Scene};
use pyro_abi::graphics::{VertexLayout, sample_positions};
use pyro_engine::graphics::{Conservative, CullMode, DrawCommand, LineMode, PolygonMode, Rect, Topology};
use smallvec::smallvec;

/// Whether a point (1/256 pixels) belongs to a triangle, by the top-left rule.
fn covers(triangle: [(i32, i32); 3], point: (i32, i32)) -> bool {
    let cross = |o: (i32, i32), p: (i32, i32), q: (i32, i32)| {
        i128::from(p.0 - o.0) * i128::from(q.1 - o.1) - i128::from(q.0 - o.0) * i128::from(p.1 - o.1)
    };
    let area = cross(triangle[0], triangle[1], triangle[2]);
    if area == 0 {
        return false;
    }
    let [a, b, c] = triangle;
    let corners = if area > 0 { [a, b, c] } else { [a, c, b] };
    (0..3).all(|at| {
        let (p, q) = (corners[at], corners[(at + 1) % 3]);
        let side = cross(p, q, point);
        // Going up is a left edge, going right along a row a top edge.
        let top_left = q.1 < p.1 || q.1 == p.1 && q.0 > p.0;
        side > 0 || side == 0 && top_left
    })
}

fn sample_point(x: u32, y: u32, position: (u8, u8)) -> (i32, i32) {
    (x as i32 * 256 + i32::from(position.0) * 16, y as i32 * 256 + i32::from(position.1) * 16)
}

fn check_triangles(scene: &Scene, triangles: &[[(i32, i32); 3]]) -> Picture {
    let picture = scene.run(1);
    assert_eq!(picture, scene.run(2), "threads change the picture");
    let samples = scene.draw.raster.samples;
    let scissor = scene.draw.scissors[0];
    for y in 0..scene.height {
        for x in 0..scene.width {
            for (sample, &position) in sample_positions(samples).iter().enumerate() {
                let point = sample_point(x, y, position);
                let inside = (scissor.x0..scissor.x1).contains(&(x as i32))
                    && (scissor.y0..scissor.y1).contains(&(y as i32));
                let (mut count, mut last) = (0, 0);
                for (id, &triangle) in triangles.iter().enumerate() {
                    if inside && covers(triangle, point) {
                        (count, last) = (count + 1, id as u32);
                    }
                }
                let got = picture.at(x, y, sample as u32);
                assert_eq!(got, [count, last], "pixel {x} {y} sample {sample}");
            }
        }
    }
    picture
}

fn scene_of(width: u32, height: u32, samples: u32, triangles: &[[(i32, i32); 3]]) -> Scene {
    let mut scene = Scene::new(width, height, samples);
    for &(x, y) in triangles.iter().flatten() {
        scene.vertex(x, y);
    }
    scene
}

#[test]
fn random_triangles_of_all_sizes() {
    let mut random = Random::new(7);
    for samples in [1, 2, 4, 8, 16] {
        let (width, height) = (128, 128);
        let mut triangles = Vec::new();
        for _ in 0..120 {
            let reach = [300, 2000, 9000, 40_000, 1_000_000][random.below(5) as usize];
            let (x, y) = (random.int(-2000, 35_000), random.int(-2000, 35_000));
            triangles.push([(); 3].map(|()| {
                // On the grid of half pixels, corners and edges meet samples.
                let snap = if random.below(3) == 0 { !127 } else { !0 };
                ((x + random.int(-reach, reach)) & snap, (y + random.int(-reach, reach)) & snap)
            }));
        }
        let picture = check_triangles(&scene_of(width, height, samples, &triangles), &triangles);
        let passed: u64 = picture.texels.iter().map(|texel| u64::from(texel[0])).sum();
        assert_eq!(picture.statistics.samples_passed, passed);
    }
}

/// Whether a triangle touches a pixel, or has all of it inside without a point in common with an edge.
fn covers_pixel(triangle: [(i32, i32); 3], x: i32, y: i32, whole: bool) -> bool {
    let wide = |value: i32| i64::from(value);
    let area = |o: (i32, i32), p: (i32, i32), q: (i32, i32)| {
        wide(p.0 - o.0) * wide(q.1 - o.1) - wide(q.0 - o.0) * wide(p.1 - o.1)
    };
    let [a, b, c] = triangle;
    let turned = match area(a, b, c) {
        0 => return false,
        area if area > 0 => [a, b, c],
        _ => [a, c, b],
    };
    let square = [(0, 0), (256, 0), (0, 256), (256, 256)].map(|(dx, dy)| (x * 256 + dx, y * 256 + dy));
    let by_edges = (0..3).all(|at| {
        let mut sides = square.iter().map(|&corner| area(turned[at], turned[(at + 1) % 3], corner));
        if whole { sides.all(|side| side > 0) } else { sides.any(|side| side >= 0) }
    });
    // Of a side that lies between two pixels, the pixel behind it counts.
    let apart = |place: i32, of: [i32; 3]| {
        let (least, most) = (of.into_iter().min().unwrap_or(0), of.into_iter().max().unwrap_or(0));
        place * 256 > most || (place + 1) * 256 <= least
    };
    by_edges && !apart(x, triangle.map(|corner| corner.0)) && !apart(y, triangle.map(|corner| corner.1))
}

#[test]
fn conservative_triangles_cover_whole_pixels() {
    let mut random = Random::new(5);
    for (samples, mode) in [
        (1, Conservative::Overestimate),
        (4, Conservative::Overestimate),
        (1, Conservative::Underestimate),
        (16, Conservative::Underestimate),
    ] {
        let mut triangles = Vec::new();
        for _ in 0..80 {
            let reach = [100, 1000, 5000, 20_000, 900_000][random.below(5) as usize];
            let (x, y) = (random.int(-2000, 18_000), random.int(-2000, 18_000));
            let snap = if random.below(3) == 0 { !255 } else { !0 };
            triangles.push(
                [(); 3].map(|()| {
                    ((x + random.int(-reach, reach)) & snap, (y + random.int(-reach, reach)) & snap)
                }),
            );
        }
        let mut scene = scene_of(64, 64, samples, &triangles);
        scene.draw.raster.conservative = mode;
        let picture = scene.run(1);
        assert_eq!(picture, scene.run(2), "threads change the picture");
        for (y, x) in (0..64).flat_map(|y| (0..64).map(move |x| (y, x))) {
            let (mut count, mut last) = (0, 0);
            for (id, &triangle) in triangles.iter().enumerate() {
                if covers_pixel(triangle, x, y, mode == Conservative::Underestimate) {
                    (count, last) = (count + 1, id as u32);
                }
            }
            for sample in 0..samples {
                let got = picture.at(x as u32, y as u32, sample);
                assert_eq!(got, [count, last], "{mode:?} pixel {x} {y} sample {sample}");
            }
        }
    }
}

#[test]
fn scissors_cut_pixels() {
    let triangles = [[(0, 0), (40_000, 0), (0, 40_000)], [(40_000, 40_000), (100, 900), (40_000, 77)]];
    let mut scene = scene_of(100, 90, 1, &triangles);
    scene.draw.scissors = smallvec![Rect { x0: 3, y0: 5, x1: 70, y1: 67 }];
    check_triangles(&scene, &triangles);
}

/// A mesh over the whole picture: every sample belongs to one triangle.
#[test]
fn meshes_cover_every_sample_once() {
    let mut random = Random::new(11);
    for (samples, cells) in [(1, 9), (1, 70), (4, 23)] {
        let size = 96;
        let mut points = Vec::new();
        for row in 0..=cells {
            for column in 0..=cells {
                let place = |at: i32, random: &mut Random| match at {
                    0 => -300,
                    at if at == cells => size * 256 + 300,
                    at => at * size * 256 / cells + random.int(-40, 40),
                };
                points.push((place(column, &mut random), place(row, &mut random)));
            }
        }
        let mut triangles = Vec::new();
        for row in 0..cells {
            for column in 0..cells {
                let at = |dx: i32, dy: i32| points[((row + dy) * (cells + 1) + column + dx) as usize];
                let (a, b, c, d) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
                if random.below(2) == 0 {
                    triangles.extend([[a, b, c], [c, b, d]]);
                } else {
                    triangles.extend([[a, b, d], [a, d, c]]);
                }
            }
        }
        let scene = scene_of(size as u32, size as u32, samples, &triangles);
        for threads in [1, 2] {
            let picture = scene.run(threads);
            assert!(picture.texels.iter().all(|texel| texel[0] == 1), "{samples} {cells}");
        }
    }
}

#[test]
fn facing_and_culling() {
    let clockwise = [(256, 256), (5000, 256), (256, 5000)];
    let counter = [(6000, 6000), (6000, 8000), (8000, 6000)];
    let triangles = [clockwise, counter];
    let kept = |cull, front_clockwise| {
        let mut scene = scene_of(40, 40, 1, &triangles);
        scene.draw.raster.cull = cull;
        scene.draw.raster.front_clockwise = front_clockwise;
        let picture = scene.run(1);
        [picture.at(3, 3, 0)[0], picture.at(25, 25, 0)[0]]
    };
    let (front, back) = (CullMode { front: true, back: false }, CullMode { front: false, back: true });
    assert_eq!(kept(CullMode::default(), true), [1, 1]);
    assert_eq!(kept(back, true), [1, 0]);
    assert_eq!(kept(back, false), [0, 1]);
    assert_eq!(kept(front, false), [1, 0]);
}

#[test]
fn clipping_against_w_and_distances() {
    // A triangle that reaches behind the eye: what is in front of it goes from the edge up to infinity.
    let mut scene = Scene::new(64, 64, 1);
    scene.draw.raster.depth_clip = true;
    for position in [[-4.0, 0.5, 0.5, 1.0], [4.0, 0.5, 0.5, 1.0], [0.0, -3.0, -0.5, -1.0]] {
        scene.clip_vertex(&position);
    }
    let picture = scene.run(1);
    for y in 0..64 {
        for x in 0..64 {
            // The edge y = 0.5 of clip space is the upper side of row 48.
            assert_eq!(picture.at(x, y, 0)[0], u32::from(y < 48), "pixel {x} {y}");
        }
    }
    // A clip distance of x: the right half stays; a cull distance that is negative everywhere removes all.
    let layout = VertexLayout { clip_distance: (4, 1), cull_distance: (5, 1), ..VertexLayout::default() };
    for (cull, left, right) in [(1.0, 0, 1), (-1.0, 0, 0)] {
        let mut scene = Scene::new(64, 64, 1);
        scene.outputs(6, layout.clone());
        for (x, y) in [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)] {
            scene.clip_vertex(&[x, y, 0.5, 1.0, x, cull]);
        }
        let picture = scene.run(2);
        for y in 0..64 {
            assert_eq!([picture.at(31, y, 0)[0], picture.at(32, y, 0)[0]], [left, right]);
        }
    }
}

#[test]
fn bad_positions_draw_nothing() {
    let mut scene = Scene::new(32, 32, 1);
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -1.0, f32::MAX, f32::MIN_POSITIVE, 1e-30];
    let mut random = Random::new(5);
    for _ in 0..600 {
        let mut word = || bad[random.below(8) as usize];
        scene.clip_vertex(&[word(), word(), word(), word()]);
    }
    for topology in [Topology::TriangleList, Topology::LineStrip, Topology::PointList, Topology::TriangleFan]
    {
        for mode in [PolygonMode::Fill, PolygonMode::Line, PolygonMode::Point, PolygonMode::FillRectangle] {
            scene.draw.topology = topology;
            scene.draw.raster.polygon_mode = mode;
            assert_eq!(scene.run(1), scene.run(2));
        }
    }
}

#[test]
fn points_are_squares() {
    let mut scene = Scene::new(32, 32, 1);
    scene.outputs(5, VertexLayout { point_size: Some(4), ..VertexLayout::default() });
    scene.draw.topology = Topology::PointList;
    // A point of four pixels around (8, 8).
    scene.clip_vertex(&[-0.5, -0.5, 0.0, 1.0, 4.0]);
    scene.clip_vertex(&[0.5 + 1.0 / 32.0, 0.5 + 1.0 / 32.0, 0.0, 1.0, 1.0]);
    let picture = scene.run(1);
    for y in 0..32 {
        for x in 0..32 {
            let square = (6..10).contains(&x) && (6..10).contains(&y);
            let pixel = (x, y) == (24, 24);
            assert_eq!(picture.at(x, y, 0)[0], u32::from(square || pixel), "{x} {y}");
        }
    }
}

#[test]
fn lines_in_both_modes() {
    for mode in [LineMode::Rectangular, LineMode::Bresenham] {
        let mut scene = Scene::new(64, 64, 1);
        scene.draw.topology = Topology::LineList;
        scene.draw.raster.line_mode = mode;
        for (x, y) in [(2, 2), (12, 2), (20, 18), (20, 28), (30, 30), (50, 40)] {
            scene.vertex(x * 256 + 128, y * 256 + 128);
        }
        let picture = scene.run(1);
        let pixels = |picture: &Picture, rows: std::ops::Range<u32>| {
            rows.map(|y| (0..64).map(|x| picture.at(x, y, 0)[0]).sum::<u32>()).collect::<Vec<_>>()
        };
        // Ten pixels in x, ten in y, twenty in x.
        assert_eq!(pixels(&picture, 0..5), [0, 0, 10, 0, 0], "{mode:?}");
        assert_eq!(pixels(&picture, 18..28), [1; 10]);
        let slanted: u32 = pixels(&picture, 30..64).iter().sum();
        // Every other column has its two nearest pixels within half a pixel of the line.
        let expected = if mode == LineMode::Bresenham { 20 } else { 30 };
        assert_eq!(slanted, expected, "{mode:?}");
        // Three wide.
        scene.draw.raster.line_width = 3.0;
        assert_eq!(pixels(&scene.run(2), 0..5), [0, 10, 10, 10, 0], "{mode:?}");
    }
}

#[test]
fn strips_fans_and_instances() {
    let mut scene = Scene::new(64, 64, 1);
    for (x, y) in [(0, 0), (64, 0), (0, 64), (64, 64)] {
        scene.vertex(x * 256, y * 256);
    }
    scene.draw.topology = Topology::TriangleStrip;
    let instances = 5;
    scene.draw.commands =
        smallvec![DrawCommand { count: 4, instance_count: instances, ..DrawCommand::default() }];
    let picture = scene.run(2);
    assert!(picture.texels.iter().all(|texel| texel[0] == instances));
    let statistics = picture.statistics;
    assert_eq!(statistics.vertex_shader_invocations, 4 * u64::from(instances));
    assert_eq!(statistics.input_assembly_vertices, 4 * u64::from(instances));
    assert_eq!(statistics.clipping_primitives, 2 * u64::from(instances));
    assert_eq!(statistics.fragment_shader_invocations, 64 * 64 * u64::from(instances));
}

#[test]
fn layers_and_views() {
    let mut scene = Scene::new(16, 16, 1);
    scene.outputs(5, VertexLayout { layer: Some(4), ..VertexLayout::default() });
    (scene.layers, scene.draw.layers) = (3, 3);
    for layer in [2u32, 7, 0] {
        for (x, y) in [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)] {
            scene.clip_vertex(&[x, y, 0.5, 1.0, f32::from_bits(layer)]);
        }
    }
    let picture = scene.run(1);
    let layer = |picture: &Picture, layer: usize| picture.texels[layer * 256..][..256].to_vec();
    assert!(layer(&picture, 0).iter().all(|texel| *texel == [1, 2]));
    assert!(layer(&picture, 1).iter().all(|texel| texel[0] == 0));
    assert!(layer(&picture, 2).iter().all(|texel| *texel == [1, 0]));
    scene.draw.view_mask = 0b110;
    let picture = scene.run(2);
    assert_eq!([0, 1, 2].map(|at| layer(&picture, at)[0][0]), [0, 3, 3]);
}
