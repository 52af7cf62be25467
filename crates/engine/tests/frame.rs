//! What surrounds draws: before the first of each tile, and after the last.

mod support;

use pyro_abi::Memory;
use pyro_abi::graphics::AttachmentRecord;
use pyro_engine::Engine;
use pyro_engine::graphics::{DrawCommand, Frame, Rect, RegionWork};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use support::{Random, Scene};

const WIDTH: u32 = 150;
const HEIGHT: u32 = 134;

fn pixels(rect: Rect) -> impl Iterator<Item = u32> {
    (rect.y0..rect.y1).flat_map(move |y| (rect.x0..rect.x1).map(move |x| y as u32 * WIDTH + x as u32))
}

/// Draws a scene between a clear of the counts to 1000 and a step that takes them as they are then.
fn counts_after(scene: &Scene, area: Rect, threads: usize) -> Vec<u32> {
    let engine = Engine::new(threads);
    let mut texels = vec![[7u32; 2]; (WIDTH * HEIGHT) as usize];
    let address = texels.as_mut_ptr().expose_provenance() as u64;
    let mut draws = Vec::new();
    if !scene.vertices.is_empty() {
        let mut draw = scene.draw.clone();
        draw.context.colors[0] =
            AttachmentRecord { address, row_pitch: WIDTH * 8, ..AttachmentRecord::default() };
        draw.context.attributes[0].address = scene.vertices.as_ptr().expose_provenance() as u64;
        draw.commands = vec![DrawCommand {
            count: (scene.vertices.len() as u32) / scene.vertex_words,
            instance_count: 1,
            ..DrawCommand::default()
        }];
        draws.push(draw);
    }
    let place = move |pixel: u32| address + 8 * u64::from(pixel);
    // SAFETY: only texels are accessed, each by one thread at a time.
    #[allow(unsafe_code)]
    let memory = unsafe { Memory::new() };
    let clear = move |rect| pixels(rect).for_each(|pixel| memory.store(place(pixel), 1000u32));
    let taken: Arc<Vec<AtomicU32>> = Arc::new((0..WIDTH * HEIGHT).map(|_| AtomicU32::new(0)).collect());
    let take = {
        let taken = Arc::clone(&taken);
        move |rect| {
            for pixel in pixels(rect) {
                let count: u32 = memory.load(place(pixel));
                assert_eq!(taken[pixel as usize].swap(count, Ordering::Relaxed), 0, "each pixel once");
            }
        }
    };
    let frame = Frame {
        before: vec![RegionWork { area, run: Box::new(clear) }],
        draws,
        after: vec![RegionWork { area, run: Box::new(take) }],
    };
    // SAFETY: vertices and attachment are large enough.
    #[allow(unsafe_code)]
    unsafe { engine.render(frame) }.expect("ends");
    taken.iter().map(|count| count.load(Ordering::Relaxed)).collect()
}

#[test]
fn tiles_are_cleared_before_and_taken_after_all_draws() {
    let mut random = Random::new(11);
    let area = Rect { x0: 5, y0: 3, x1: 140, y1: 131 };
    // Nothing, one batch, and several.
    for triangles in [0, 50, 70_000] {
        let mut scene = Scene::new(WIDTH, HEIGHT, 1);
        for _ in 0..triangles {
            let (x, y) = (random.int(0, 256 * WIDTH as i32), random.int(0, 256 * HEIGHT as i32));
            let reach = if triangles > 50 { 600 } else { 12_000 };
            for _ in 0..3 {
                scene.vertex(x + random.int(-reach, reach), y + random.int(-reach, reach));
            }
        }
        let picture = (triangles != 0).then(|| scene.run(1));
        for threads in [1, 3] {
            let counts = counts_after(&scene, area, threads);
            for (pixel, &count) in (0..).zip(&counts) {
                let (x, y) = ((pixel % WIDTH) as i32, (pixel / WIDTH) as i32);
                let inside = x >= area.x0 && x < area.x1 && y >= area.y0 && y < area.y1;
                let drawn = picture.as_ref().map_or(0, |picture| picture.at(x as u32, y as u32, 0)[0]);
                assert_eq!(count, if inside { 1000 + drawn } else { 0 }, "pixel {x} {y}, {threads} threads");
            }
        }
    }
}
