//! Graphics pipelines, their creation and first use together.

use std::time::Instant;

use super::{Draw, Graphics, Resources, Work, stage};
use crate::bench::generate::{Program, WORKGROUP_SIZE};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Blend, State};

/// Pixels of a side of the square that each pipeline draws; as many as the generator's invocations.
const SIDE: u32 = 8;
const _: () = assert!((SIDE * SIDE) as usize == WORKGROUP_SIZE);

/// Squares in a row of the target.
const COLUMNS: u32 = 10;

/// The pipelines of [`graphics_pipelines`], all created and none used.
pub(crate) fn graphics_pipelines_unused(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count: u32 = scale.pick(60, 3);
    let modules: Vec<_> =
        (0..count).map(|seed| Program::for_fragments(1 + u64::from(seed), 400).spirv()).collect();
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target([COLUMNS * SIDE; 2], false, 1)?;
    let source = gpu.buffer(1024)?;
    let vertex = stage!("screen.vert");
    let start = Instant::now();
    for (i, fragment) in modules.iter().enumerate() {
        let state = State { blend: blending(i), ..State::new(&vertex, fragment) };
        graphics.program(&target, &state, &Resources { buffers: &[&source], ..Resources::default() })?;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

/// Sixty pipelines of distinct fragment shaders, every second one blends: all created, all drawn with once.
pub(crate) fn graphics_pipelines(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let count: u32 = scale.pick(60, 3);
    let programs: Vec<_> = (0..count).map(|seed| Program::for_fragments(1 + u64::from(seed), 400)).collect();
    let modules: Vec<_> = programs.iter().map(Program::spirv).collect();
    let mut random = Random::new(9);
    let input: Vec<u32> = (0..1024).map(|_| random.word()).collect();
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target([COLUMNS * SIDE, count.div_ceil(COLUMNS) * SIDE], false, 1)?;
    let source = gpu.buffer_of(&input)?;
    let vertex = stage!("screen.vert");
    let push = [0.0; 8];

    let start = Instant::now();
    let pipelines: Vec<_> = modules
        .iter()
        .enumerate()
        .map(|(i, fragment)| {
            let state = State { blend: blending(i), ..State::new(&vertex, fragment) };
            graphics.program(&target, &state, &Resources { buffers: &[&source], ..Resources::default() })
        })
        .collect::<Result<_, _>>()?;
    let draws: Vec<_> = (0u32..)
        .zip(&pipelines)
        .map(|(i, program)| Draw {
            push: &push,
            area: Some([i % COLUMNS * SIDE, i / COLUMNS * SIDE, SIDE, SIDE]),
            ..Draw::new(program, 3)
        })
        .collect();
    gpu.run(&graphics.record(&[Work::Render(&target, &draws)])?)?;
    let seconds = start.elapsed().as_secs_f64();

    let pixels = gpu.pixels(&target.color)?;
    for (i, program) in (0u32..).zip(&programs) {
        for (lane, word) in (0u32..).zip(program.evaluate(&input)) {
            let (x, y) = (i % COLUMNS * SIDE + lane % SIDE, i / COLUMNS * SIDE + lane / SIDE);
            let got = pixels[(y * COLUMNS * SIDE + x) as usize];
            // The shader's alpha is 1, so blending keeps the source.
            if got != word | 0xff00_0000 {
                return Err(Failure::Wrong(format!(
                    "pipeline {i}: pixel {x}, {y} is {got:#x}, expected {:#x}",
                    word | 0xff00_0000
                )));
            }
        }
    }
    Ok(f64::from(count) / seconds)
}

/// Every other pipeline blends.
fn blending(number: usize) -> Blend {
    if number % 2 == 1 { Blend::Alpha } else { Blend::None }
}
