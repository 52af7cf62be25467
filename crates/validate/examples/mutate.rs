//! Writes mutated modules, to hold the verdicts of checkers against one another: `cargo run --release -p
//! pyro-validate --example mutate -- SEED COUNT FOLDER FILE…`. Each output differs from one of the files in
//! one decoration, type, id, literal, enumerant or instruction; what no longer decodes is left out.

use pyro_random::Random;
use pyro_spirv::Module;
use std::path::Path;

/// Changes one thing of a module; which kind comes second.
fn mutate(module: &Module, random: &mut Random) -> Option<(Vec<u32>, &'static str)> {
    let insts: Vec<_> = module.insts().collect();
    let chosen = insts[random.below(insts.len())];
    let mut words = module.words().to_vec();
    let start = chosen.word_offset();
    let len = chosen.words().len();
    let name = chosen.info().name;
    let kind = match random.below(6) {
        // Leaves an instruction out.
        0 => {
            words.drain(start..start + len);
            "removed"
        }
        // Puts one in twice: decorations, modes, capabilities, stores.
        1 if chosen.result().is_none() => {
            let copy = words[start..start + len].to_vec();
            words.splice(start..start, copy);
            "doubled"
        }
        // Swaps two neighbours.
        2 if chosen.index().as_u32() > 0 => {
            let before = insts[chosen.index().as_u32() as usize - 1];
            let first = before.word_offset();
            words[first..start + len].rotate_left(start - first);
            "swapped"
        }
        // Changes an id to another, or a literal or enumerant a little.
        _ => {
            let operands: Vec<_> = chosen.operands().collect();
            if let Some(ty) = chosen.result_type().filter(|_| operands.is_empty() || random.below(6) == 0) {
                let types: Vec<u32> = insts
                    .iter()
                    .filter(|inst| inst.info().name.starts_with("Type"))
                    .filter_map(|inst| inst.result().map(|id| id.as_u32()))
                    .filter(|id| *id != ty.as_u32())
                    .collect();
                words[start + 1] = *types.get(random.below(types.len()))?;
                "result type"
            } else {
                let place = random.below(operands.len());
                let operand = operands.get(place)?;
                let offset = chosen.words().len() - chosen.operand_words().len()
                    + operands[..place].iter().map(|operand| operand.words.len()).sum::<usize>();
                let word = &mut words[start + offset];
                if operand.id().is_some() {
                    *word = 1 + random.below(module.bound() - 1) as u32;
                    "id"
                } else if name.contains("Name") || name.contains("Source") || name == "String" {
                    return None;
                } else {
                    *word = match random.below(3) {
                        0 => word.wrapping_add(1),
                        1 => word.wrapping_sub(1),
                        _ => *word ^ 1 << random.below(7),
                    };
                    "literal"
                }
            }
        }
    };
    Some((words, kind))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count, folder, files @ ..] = &arguments[..] else {
        eprintln!("usage: mutate SEED COUNT FOLDER FILE…");
        std::process::exit(2);
    };
    let mut random = Random::new(seed.parse::<u64>().expect("a number") | 1);
    let count: usize = count.parse().expect("a number");
    std::fs::create_dir_all(folder).expect("a folder");
    let mut written = 0;
    while written < count {
        let file = &files[random.below(files.len())];
        let Ok(module) = Module::decode_bytes(&std::fs::read(file).expect("a file")) else { continue };
        let Some((words, kind)) = mutate(&module, &mut random) else { continue };
        if Module::decode(&words).is_err() {
            continue;
        }
        let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = Path::new(folder).join(format!("{written:05}-{}-{stem}.spv", kind.replace(' ', "_")));
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        std::fs::write(path, bytes).expect("a file to write");
        written += 1;
    }
}
