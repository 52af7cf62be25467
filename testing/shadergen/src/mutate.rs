//! Mutates SPIR-V modules: broken input that a compiler must survive.

use pyro_random::Random;
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Inst, Module};
use std::collections::HashMap;

/// Changes a few words: bits flipped, ids and literals replaced, instructions cut, swapped or doubled.
pub fn mutate(words: &mut Vec<u32>, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(words.len() as u32) as usize;
        match random.below(7) {
            0 => words[at] ^= 1 << random.below(32),
            1 => words[at] = random.below(words[3].min(4096) + 2),
            2 => words[at] = words[random.below(words.len() as u32) as usize],
            3 => words[at] = random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0x10000]),
            4 => words.truncate(at.max(1)),
            5 => {
                let other = random.below(words.len() as u32) as usize;
                words.swap(at, other);
            }
            _ => {
                let end = (at + random.below(12) as usize).min(words.len());
                let copy = words[at..end].to_vec();
                words.splice(at..at, copy);
            }
        }
        if words.len() < 5 {
            return;
        }
    }
}

/// Changes a few operands and constants of a valid module to others of their type, so that many of the
/// results are valid too, and mean something else.
pub fn mutate_gently(words: &mut [u32], random: &mut Random) {
    let Ok(module) = Module::decode(words) else { return };
    let mut by_type: HashMap<Id, Vec<Id>> = HashMap::new();
    let mut places: Vec<(usize, Id)> = Vec::new();
    let mut literals: Vec<usize> = Vec::new();
    for index in 0..module.inst_count() as u32 {
        let inst = module.inst(Inst::from_u32(index));
        let start = inst.word_offset();
        let end = start + (words[start] >> 16) as usize;
        if let (Some(ty), Some(result)) = (inst.result_type(), inst.result()) {
            by_type.entry(ty).or_default().push(result);
        }
        if inst.op() == Op::Constant {
            literals.extend(start + 3..end);
        }
        for (at, &word) in words.iter().enumerate().take(end).skip(start + 1) {
            let id = Id::from_u32(word);
            if let Some(ty) = module.type_of(id)
                && Some(id) != inst.result()
            {
                places.push((at, ty));
            }
        }
    }
    if places.is_empty() || literals.is_empty() {
        return;
    }
    for _ in 0..1 + random.below(4) {
        if random.one_in(4) {
            let at = literals[random.below(literals.len() as u32) as usize];
            words[at] = random.pick(&[0, 1, 3, 7, 31, 64, 1 << 20, u32::MAX, 0x8000_0000]);
            continue;
        }
        let (at, ty) = places[random.below(places.len() as u32) as usize];
        let others = &by_type[&ty];
        // Mostly one that is near, which is likely to be visible there.
        let near = others.iter().position(|&id| id.as_u32() == words[at]).unwrap_or(0);
        let other = if random.one_in(3) {
            random.below(others.len() as u32) as usize
        } else {
            (near + others.len() - random.below(6) as usize % others.len()) % others.len()
        };
        words[at] = others[other].as_u32();
    }
}
