//! Modules with words changed at random are lowered or refused, without validation before: no panic, no hang.
//!
//! `PYRO_MUTATIONS` sets how many are tried (default 3,000), `PYRO_SEED` where to start, `PYRO_CORPUS` a
//! folder of `.spv` files to use beside the test shaders.

use pyro_fixed::state::ColorAttachmentKey;
use pyro_fixed::{FragmentOutputKey, Variant, VertexInputState};
use pyro_image::Format;
use pyro_lower::{Entry, Shader, StageRequest, VaryingLayout};
use pyro_random::Random;
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Module, Specialization, asm};
use pyro_test_environment::number;
use std::path::Path;

fn modules() -> Vec<Vec<u32>> {
    // Beside a program that was packed for another machine.
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let folder = if built.exists() { &built } else { Path::new("tests/shaders") };
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    if let Some(corpus) = pyro_test_environment::path("PYRO_CORPUS") {
        paths.extend(std::fs::read_dir(corpus).expect("the corpus").map(|e| e.expect("an entry").path()));
    }
    paths.sort();
    let mut modules = Vec::new();
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("spvasm") => {
                let text = std::fs::read_to_string(&path).expect("a text");
                modules.push(asm::assemble(&text).expect("assembly"));
            }
            Some("spv") => {
                let bytes = std::fs::read(&path).expect("a file");
                let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                modules.push(words.collect());
            }
            _ => {}
        }
    }
    modules
}

fn mutate(words: &mut [u32], random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let place = 5 + random.below(words.len() - 5);
        let other = words[5 + random.below(words.len() - 5)];
        let bound = words[3] as usize;
        words[place] = match random.below(5) {
            // Another id, another word of the module, another bit, another opcode of the same length.
            0 | 1 => random.below(bound) as u32,
            2 => other,
            3 => words[place] ^ 1 << random.below(32),
            _ => words[place] & 0xffff_0000 | random.below(450) as u32,
        };
    }
}

#[test]
fn mutated_modules_do_not_panic() {
    let modules = modules();
    let seed: u64 = number("PYRO_SEED", 1);
    let (mut lowered, mut refused, mut rejected) = (0, 0, 0);
    for round in 0..number("PYRO_MUTATIONS", 3_000) {
        let mut random = Random::new((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut words = modules[random.below(modules.len())].clone();
        if words.len() < 10 || words.len() > 20_000 {
            continue;
        }
        mutate(&mut words, &mut random);
        let Ok(module) = Module::decode(&words) else { continue };
        let Ok(checked) = crate::support::checked::check(&module, &Specialization::new()) else {
            rejected += 1;
            continue;
        };
        let layout = crate::support::layout::layout_of(&module);
        let Some(entry) = module.entry_points().next() else { continue };
        let lanes = [4, 8, 16, 32, 64][random.below(5)];
        let result = std::panic::catch_unwind(|| {
            let name = entry.name();
            let shader = Shader { checked: &checked, entry_point: &name, layout: &layout, tiles: false };
            let lower = |stage| pyro_lower::lower(&shader, lanes, &stage);
            match entry.model {
                ExecutionModel::Vertex => {
                    let outputs = VaryingLayout::new((&checked, &name), None)?;
                    lower(StageRequest::Vertex { input: &VertexInputState::default(), outputs: &outputs })
                }
                ExecutionModel::Geometry => {
                    let entry = Entry { checked: &checked, name: &name, model: ExecutionModel::Geometry };
                    let (inputs, outputs) =
                        (&VaryingLayout::default(), &VaryingLayout::between(&entry, None)?);
                    lower(StageRequest::Geometry { inputs, input_lanes: lanes, outputs })
                }
                ExecutionModel::Fragment => {
                    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
                    let format = Format::R32G32B32A32_SFLOAT;
                    key.colors[0] = Some(ColorAttachmentKey { format, blend: None, write_mask: 15 });
                    let inputs = &VaryingLayout::default();
                    lower(StageRequest::Fragment { key: &key, variant: Variant::PackedQuads, inputs })
                }
                _ => lower(StageRequest::Compute),
            }
        });
        match result {
            Ok(Ok(_)) => lowered += 1,
            Ok(Err(error)) => {
                let error = error.to_string();
                assert!(!error.contains("internal"), "round {round}: {error}");
                refused += 1;
            }
            Err(_) => panic!("round {round} panicked"),
        }
    }
    println!("{lowered} lowered, {refused} refused");
    assert!(lowered > 0 && rejected > 0);
}
