//! Rays through a landscape of triangles.

use super::{Scale, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::Gpu;

/// A point of the landscape.
fn point(size: usize, x: usize, z: usize) -> [f32; 3] {
    let (x, z) = (x as f32 / size as f32, z as f32 / size as f32);
    let height = 0.08 * (17.0 * x).sin() * (13.0 * z).cos()
        + 0.03 * (71.0 * x + 20.0 * z).sin()
        + 0.01 * (211.0 * z).cos();
    [x, height, z]
}

/// The closest of the triangles, in double precision.
fn closest(triangles: &[[[f64; 3]; 3]], origin: [f64; 3], direction: [f64; 3]) -> Option<f64> {
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let hits = triangles.iter().filter_map(|&[a, b, c]| {
        let (e1, e2) = (sub(b, a), sub(c, a));
        let p = cross(direction, e2);
        let det = dot(e1, p);
        let from = sub(origin, a);
        let q = cross(from, e1);
        let (u, v, t) = (dot(from, p) / det, dot(direction, q) / det, dot(e2, q) / det);
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
    });
    hits.min_by(f64::total_cmp)
}

/// Closest hits of a camera's rays, and a ray to the light from each.
pub(super) fn rays(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    if !gpu.rays() {
        return Err(Failure::Unsupported("ray queries".to_owned()));
    }
    // About 100,000 triangles.
    let size = scale.pick(224, 16);
    let (width, height): (usize, usize) = scale.pick((640, 480), (32, 32));
    let vertices: Vec<[f32; 3]> =
        (0..=size).flat_map(|z| (0..=size).map(move |x| point(size, x, z))).collect();
    let indices = (0..size).flat_map(|z| {
        (0..size).flat_map(move |x| {
            let a = (z * (size + 1) + x) as u32;
            let below = a + size as u32 + 1;
            [a, a + 1, below, below, a + 1, below + 1]
        })
    });
    let indices: Vec<u32> = indices.collect();
    let scene = gpu.scene(vertices.as_flattened(), &indices)?;
    if std::env::var_os("PYRO_BENCH_VERBOSE").is_some() {
        eprintln!("built in {:.2} ms", scene.build_seconds * 1e3);
    }
    let hits = gpu.buffer(2 * width * height)?;
    let groups = [(width / 8) as u32, (height / 8) as u32, 1];
    let push = [width as u32, height as u32];
    let commands = gpu.record_rays(&shader!("rays"), &hits, &scene, groups, &push)?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let triangles: Vec<[[f64; 3]; 3]> = indices
        .as_chunks::<3>()
        .0
        .iter()
        .map(|corners| corners.map(|corner| vertices[corner as usize].map(f64::from)))
        .collect();
    let found = hits.floats();
    let mut count = 0;
    for pixel in 0..width * height {
        let (t, lit) = (found[2 * pixel], found[2 * pixel + 1]);
        count += 1 + usize::from(t >= 0.0);
        // A sample of rows and columns, since each is compared with all triangles.
        if pixel % (scale.pick(4999, 7)) != 0 {
            continue;
        }
        let place =
            [(pixel % width, width), (pixel / width, height)].map(|(at, of)| (at as f64 + 0.5) / of as f64);
        let direction = [place[0] - 0.5, place[1] * -0.9, 0.8];
        let eye = [0.5, f64::from(0.7f32), f64::from(-0.4f32)];
        let expected = closest(&triangles, eye, direction);
        let near = match expected {
            Some(expected) => (f64::from(t) - expected).abs() < 1e-4 * expected.max(1.0),
            None => t < 0.0,
        };
        if !near || (lit != 0.0 && lit != 1.0) {
            return Err(Failure::Wrong(format!("rays: pixel {pixel} is at {t}, expected {expected:?}")));
        }
    }
    Ok(count as f64 / seconds / 1e6)
}
