//! What surrounds draws: before the first of each tile, and after the last.

use crate::support::{Random, Scene};
use pyro_abi::Memory;
use pyro_abi::graphics::AttachmentRecord;
use pyro_engine::Engine;
use pyro_engine::graphics::{DrawCommand, Dropped, Frame, Rect, RegionWork, Resources, Shift};
use smallvec::smallvec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const WIDTH: u32 = 150;
const HEIGHT: u32 = 134;

fn pixels(rect: Rect) -> impl Iterator<Item = u32> {
    (rect.y0..rect.y1).flat_map(move |y| (rect.x0..rect.x1).map(move |x| y as u32 * WIDTH + x as u32))
}

/// What a texel holds before.
const OLD: [u32; 2] = [7; 2];

/// Draws a scene between a clear of the counts to 1000 and a step that takes them as they are then; gives
/// them, and the attachment. `drops`: nobody needs that.
fn counts_after(scene: &Scene, area: Rect, threads: usize, drops: bool) -> (Vec<u32>, Vec<[u32; 2]>) {
    let engine = Engine::new(threads);
    let mut texels = vec![OLD; (WIDTH * HEIGHT) as usize];
    let address = texels.as_mut_ptr().expose_provenance() as u64;
    let mut draws = Vec::new();
    if !scene.vertices.is_empty() {
        let mut draw = scene.draw.clone();
        draw.context.colors[0] =
            AttachmentRecord { address, row_pitch: WIDTH * 8, ..AttachmentRecord::default() };
        draw.context.attributes[0].address = scene.vertices.as_ptr().expose_provenance() as u64;
        // Many draws, some of which share their state, with what is their own or without.
        let vertex_count = scene.vertices.len() as u32 / scene.vertex_words;
        let together = if vertex_count < 1000 { 3 } else { 3000 };
        for (number, first) in (0..vertex_count).step_by(together).enumerate() {
            if number % 7 == 0 {
                draw.state = Arc::new((*draw.state).clone());
            }
            draw.resources = (number % 5 != 0).then(|| Resources {
                sets: smallvec![number as u64],
                push_constants: smallvec![number as u8; 20],
                ..Resources::default()
            });
            let count = (vertex_count - first).min(together as u32);
            draw.commands =
                smallvec![DrawCommand { first, count, instance_count: 1, ..DrawCommand::default() }];
            draws.push(draw.clone());
        }
    }
    let place = move |pixel: u32, [x, y]: Shift| {
        address + 8 * u64::from(pixel.wrapping_add_signed(x + y * WIDTH as i32))
    };
    // SAFETY: only texels are accessed, each by one thread at a time.
    #[allow(unsafe_code)]
    let memory = unsafe { Memory::new() };
    let clear = move |rect, shift| pixels(rect).for_each(|pixel| memory.store(place(pixel, shift), 1000u32));
    let taken: Arc<Vec<AtomicU32>> = Arc::new((0..WIDTH * HEIGHT).map(|_| AtomicU32::new(0)).collect());
    let take = {
        let taken = Arc::clone(&taken);
        move |rect, shift| {
            for pixel in pixels(rect) {
                let count: u32 = memory.load(place(pixel, shift));
                assert_eq!(taken[pixel as usize].swap(count, Ordering::Relaxed), 0, "each pixel once");
            }
        }
    };
    let frame = Frame {
        before: vec![RegionWork { area, attachment: address, run: Box::new(clear) }],
        draws,
        after: vec![RegionWork { area, attachment: address, run: Box::new(take) }],
        dropped: if drops { vec![Dropped { address, texel_bytes: 8 }] } else { Vec::new() },
        dropped_area: area,
    };
    // SAFETY: vertices and attachment are large enough, and there until the draws have ended.
    #[allow(unsafe_code)]
    let ran = match engine.overlaps_draws() {
        true => {
            // SAFETY: as above.
            let pending = unsafe { engine.begin_draws(frame) };
            if scene.vertices.len().is_multiple_of(2) {
                // They may be far by then, or not.
                std::thread::yield_now();
            }
            pending.finish()
        }
        // SAFETY: as above.
        false => unsafe { engine.render(frame) },
    };
    ran.expect("ends");
    (taken.iter().map(|count| count.load(Ordering::Relaxed)).collect(), texels)
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
            let (counts, _) = counts_after(&scene, area, threads, false);
            for (pixel, &count) in (0..).zip(&counts) {
                let (x, y) = ((pixel % WIDTH) as i32, (pixel / WIDTH) as i32);
                let inside = x >= area.x0 && x < area.x1 && y >= area.y0 && y < area.y1;
                let drawn = picture.as_ref().map_or(0, |picture| picture.at(x as u32, y as u32, 0)[0]);
                assert_eq!(count, if inside { 1000 + drawn } else { 0 }, "pixel {x} {y}, {threads} threads");
            }
        }
    }
}

/// What is dropped has ended, or never begins: nobody writes to memory that is gone then.
#[test]
fn dropped_draws_have_ended() {
    let engine = Engine::new(4);
    for round in 0..2000 {
        let area = Rect { x0: 0, y0: 0, x1: 200, y1: 200 };
        let busy = Arc::new(AtomicU32::new(0));
        let run = {
            let busy = Arc::clone(&busy);
            move |_, _| {
                busy.fetch_add(1, Ordering::SeqCst);
                (0..round % 50).for_each(|_| std::hint::spin_loop());
                busy.fetch_sub(1, Ordering::SeqCst);
            }
        };
        let frame = Frame {
            before: vec![RegionWork { area, attachment: 0, run: Box::new(run) }],
            ..Frame::default()
        };
        // SAFETY: nothing is drawn.
        #[allow(unsafe_code)]
        let pending = unsafe { engine.begin_draws(frame) };
        if round % 3 == 0 {
            std::thread::yield_now();
        }
        drop(pending);
        assert_eq!(busy.load(Ordering::SeqCst), 0);
        assert_eq!(Arc::strong_count(&busy), 1, "nobody can run them any more");
    }
}

#[test]
fn transient_attachments_use_per_thread_tiles() {
    let mut random = Random::new(12);
    let area = Rect { x0: 0, y0: 0, x1: WIDTH as i32 - 1, y1: HEIGHT as i32 };
    // One batch, and several.
    for triangles in [90, 70_000] {
        let mut scene = Scene::new(WIDTH, HEIGHT, 1);
        scene.draw.area = area;
        for _ in 0..triangles {
            let (x, y) = (random.int(0, 256 * WIDTH as i32), random.int(0, 256 * HEIGHT as i32));
            let reach = if triangles > 90 { 600 } else { 12_000 };
            for _ in 0..3 {
                scene.vertex(x + random.int(-reach, reach), y + random.int(-reach, reach));
            }
        }
        let (expected, kept) = counts_after(&scene, area, 1, false);
        // With five threads there is not a tile for each.
        for threads in [1, 3, 5] {
            let (counts, dropped) = counts_after(&scene, area, threads, true);
            assert_eq!(counts, expected, "{threads} threads");
            let outside = dropped.iter().skip(WIDTH as usize - 1).step_by(WIDTH as usize);
            assert!(outside.into_iter().all(|texel| *texel == OLD), "nothing outside changes");
            let last = (WIDTH * HEIGHT) as usize - 2;
            let moved = triangles == 90 && threads < 5;
            assert_eq!(dropped[last], if moved { OLD } else { kept[last] }, "{threads} threads");
        }
    }
}
