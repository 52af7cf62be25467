//! Feeds the checker and the interfaces random and mutated words for a while: `cargo run --release -p
//! pyro-validate --example fuzz -- SECONDS SEED FILE…`. A file that starts with `@` holds one path a line.
//! Nothing may panic, hang or take much memory; what takes longer than half a second of processor time is
//! printed.

use pyro_interface::pipeline::{self, Pipeline, PipelineStage};
use pyro_interface::{Interface, builtin};
use pyro_random::Random;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::{Device, Environment, LayoutFeatures, check};
use std::time::{Duration, Instant};

/// Changes some words: bits, small numbers, instructions' lengths, blocks moved, cut or repeated.
fn mutate(words: &mut Vec<u32>, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        if words.len() < 7 {
            return;
        }
        let at = 5 + random.below(words.len() - 5);
        match random.below(8) {
            0 => words[at] ^= 1 << random.below(32),
            1 => words[at] = random.bits() as u32,
            2 => words[at] = random.below(64) as u32,
            3 => words[at] = words[at].wrapping_add(0x1_0000),
            4 => words.truncate(at),
            5 => {
                let end = (at + random.below(16)).min(words.len());
                words.drain(at..end);
            }
            6 => {
                let end = (at + random.below(16)).min(words.len());
                let copy = words[at..end].to_vec();
                words.splice(at..at, copy);
            }
            _ => {
                let other = 5 + random.below(words.len() - 5);
                words.swap(at, other);
            }
        }
    }
}

/// Time that this thread has run; zero where the system does not say.
fn thread_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Everything that reads modules; whether it decoded, and whether it passed.
fn feed(words: &[u32], environments: &[Environment]) -> (bool, bool) {
    let Ok(module) = Module::decode(words) else { return (false, false) };
    let mut passed = false;
    for environment in environments {
        passed = check(&module, environment).is_ok();
    }
    // Interfaces promise no panic even for modules that break rules.
    if let Ok(constants) = ConstantValues::evaluate(&module, &Specialization::new()) {
        let interfaces: Vec<Interface> = module
            .entry_points()
            .take(8)
            .filter_map(|entry| Interface::of(&constants, &entry).ok())
            .collect();
        for interface in &interfaces {
            let _ = builtin::check(&constants, interface);
        }
        let stages = interfaces.iter().map(|interface| PipelineStage { constants: &constants, interface });
        let _ = pipeline::check(&Pipeline { stages: stages.collect(), ..Pipeline::default() });
    }
    (true, passed)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let (seconds, seed) = (number(), number());
    let mut paths = Vec::new();
    for argument in arguments {
        match argument.strip_prefix('@') {
            Some(list) => paths
                .extend(std::fs::read_to_string(list).expect("a list of paths").lines().map(str::to_owned)),
            None => paths.push(argument),
        }
    }
    let mut random = Random::new(seed | 1);
    let mut bare = Device::bare(1, 1);
    bare.set_property("maxComputeWorkGroupInvocations", 128);
    let environments = [
        Environment::default(),
        Environment { strict: true, device: Some(Device::everything()), ..Environment::default() },
        Environment {
            strict: true,
            layout: LayoutFeatures::of(&bare),
            device: Some(bare),
            ..Environment::default()
        },
    ];
    let (start, mut counts) = (Instant::now(), [0u64; 3]);
    while start.elapsed() < Duration::from_secs(seconds) {
        let mut words = if paths.is_empty() || random.below(16) == 0 {
            let mut words = vec![0x0723_0203, 0x0001_0300, 0, 64, 0];
            // Lengths that fit make more of it decode.
            for _ in 0..random.below(64) {
                let len = 1 + random.below(6);
                words.push((len as u32) << 16 | random.below(400) as u32);
                words.extend((1..len).map(|_| random.below(64) as u32));
            }
            words
        } else {
            let Ok(bytes) = std::fs::read(&paths[random.below(paths.len())]) else { continue };
            bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect()
        };
        mutate(&mut words, &mut random);
        let began = thread_time();
        let (decoded, passed) = feed(&words, &environments);
        let spent = thread_time().saturating_sub(began);
        if spent > Duration::from_millis(500) {
            println!("{spent:.1?} for {} words", words.len());
        }
        counts[0] += 1;
        counts[1] += u64::from(decoded);
        counts[2] += u64::from(passed);
    }
    println!("{} inputs, {} decoded, {} passed", counts[0], counts[1], counts[2]);
}
