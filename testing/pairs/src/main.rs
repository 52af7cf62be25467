//! Holds our verdicts on random pairs of stages against those of the Khronos validation layer: `cargo run -p
//! pyro-pairs -- --count 2000`. The layer must be installed; which driver is below it does not matter, since
//! the layer refuses what is wrong before the driver sees it.

mod device;

use clap::Parser;
use device::Device;
use pyro_pairs::{NEIGHBOURS, Pair, Random, Stage, judge};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Compares verdicts on random pairs of stages with the Khronos validation layer's")]
struct Arguments {
    /// How many pairs.
    #[arg(long, default_value_t = 1000)]
    count: u32,
    /// Where the random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Without the feature maintenance4.
    #[arg(long)]
    no_maintenance4: bool,
    /// How many pairs of each kind of disagreement are shown.
    #[arg(long, default_value_t = 1)]
    show: usize,
    /// Write the modules of pairs that are shown into this folder.
    #[arg(long)]
    write: Option<PathBuf>,
}

/// Our rules and the layer's messages, when one of the two accepts what the other does not.
type Disagreement = (Vec<String>, Vec<String>);

fn run(arguments: &Arguments) -> Result<bool, String> {
    let maintenance4 = !arguments.no_maintenance4;
    let device = Device::open(maintenance4)?;
    println!("{}, maintenance4 {maintenance4}", device.name());
    let is_possible =
        |stages: &&(Stage, Stage)| device.has_meshes() || !matches!(stages.0, Stage::Task | Stage::Mesh);
    let neighbours: Vec<(Stage, Stage)> = NEIGHBOURS.iter().filter(is_possible).copied().collect();
    let mut random = Random::new(arguments.seed);
    let (mut accepted, mut refused) = (0u32, 0u32);
    let mut disagreements: BTreeMap<Disagreement, Vec<Pair>> = BTreeMap::new();
    for round in 0..arguments.count {
        let pair = Pair::random(&mut random, neighbours[round as usize % neighbours.len()]);
        let modules = pair.modules()?;
        let ours: Vec<String> = judge(&modules, maintenance4)?.into_iter().collect();
        let theirs: Vec<String> = device.messages(&modules)?.into_iter().collect();
        match (ours.is_empty(), theirs.is_empty()) {
            (true, true) => accepted += 1,
            (false, false) => refused += 1,
            _ => disagreements.entry((ours, theirs)).or_default().push(pair),
        }
    }
    println!("both accept {accepted}, both refuse {refused}");
    let mut shown = 0;
    for ((ours, theirs), pairs) in &disagreements {
        println!("{} pairs: ours {ours:?}, the layer's {theirs:?}", pairs.len());
        for pair in pairs.iter().take(arguments.show) {
            println!("  {pair:?}");
            if let Some(folder) = &arguments.write {
                write(folder, shown, pair)?;
                shown += 1;
            }
        }
    }
    Ok(disagreements.is_empty())
}

fn write(folder: &Path, number: usize, pair: &Pair) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (stage, words) in pair.modules()? {
        let path = folder.join(format!("{number:03}-{stage:?}.spv"));
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("  {}", path.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("pyro-pairs: {error}");
            ExitCode::from(2)
        }
    }
}
