//! Rays a second through a landscape, one thread: `cargo run --release -p pyro-raytrace --example rays`.
#![allow(unsafe_code)]

use pyro_abi::ray::RayState;
use pyro_raytrace::input::Placement;
use pyro_raytrace::node::{GEOMETRY_OPAQUE, Triangle};
use pyro_raytrace::{AccelerationStructure, Content, OneThread, traverse};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let size = 224;
    let point = |x: usize, z: usize| {
        let (x, z) = (x as f32 / size as f32, z as f32 / size as f32);
        [x, 0.08 * (17.0 * x).sin() * (13.0 * z).cos() + 0.03 * (71.0 * x + 20.0 * z).sin(), z]
    };
    let mut mesh = Vec::new();
    for z in 0..size {
        for x in 0..size {
            let [a, b, c, d] = [point(x, z), point(x + 1, z), point(x, z + 1), point(x + 1, z + 1)];
            for vertices in [[a, b, c], [c, b, d]] {
                mesh.push(Triangle { vertices, primitive: mesh.len() as u32, geometry: GEOMETRY_OPAQUE });
            }
        }
    }
    let start = Instant::now();
    let content = Content::of_triangles(mesh, &OneThread);
    println!(
        "built in {:?}: {} nodes, {} blocks",
        start.elapsed(),
        content.nodes.len(),
        content.blocks.len()
    );
    let bottom = AccelerationStructure::new(0);
    bottom.set_content(Arc::new(content));
    let transform = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let placement = Placement {
        index: 0,
        transform,
        custom_index: 0,
        mask: 0xff,
        sbt_offset: 0,
        flags: 0,
        structure: bottom,
        motion: None,
    };
    let top = AccelerationStructure::new(0);
    top.set_content(Arc::new(Content::of_instances(vec![placement], &OneThread)));
    let (width, height) = (640, 480);
    let start = Instant::now();
    let mut hits = 0;
    for pixel in 0..width * height {
        let place = [(pixel % width) as f32 / width as f32, (pixel / width) as f32 / height as f32];
        let mut state = RayState {
            structure: top.record_address(),
            cull_mask: 0xff,
            origin: [0.5, 0.7, -0.4],
            direction: [place[0] - 0.5, place[1] * -0.9, 0.8],
            t_max: 1e9,
            ..RayState::default()
        };
        // SAFETY: the structures live until the end, and are not built again.
        unsafe {
            traverse::initialize(&mut state);
            traverse::proceed(&mut state);
        }
        hits += state.committed.kind;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.2} million rays a second, {hits} hits", f64::from(width * height) / seconds / 1e6);
}
