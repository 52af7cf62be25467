//! The command line.

use crate::device::Device;
use crate::picture::{BYTES, Header, Pictures, difference};
use crate::render::Renderer;
use crate::scene::{self, Scene};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Pixels in which two pictures of the same scene may differ: depths that are interpolated, and compared, may
/// decide otherwise along an edge.
const STRAY_PIXELS: usize = 8;

#[derive(Parser)]
#[command(about = "Draws random scenes on a Vulkan device and compares the pictures of several devices")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Draws scenes on the loader's first device.
    Draw {
        /// How many scenes.
        #[arg(long, default_value_t = 500)]
        count: u64,
        /// The first seed.
        #[arg(long, default_value_t = 1)]
        first: u64,
        /// These seeds instead.
        #[arg(long, value_delimiter = ',')]
        seeds: Vec<u64>,
        /// Only so many draws of each scene: to find the one that differs.
        #[arg(long)]
        draws: Option<usize>,
        /// The file for the pictures.
        #[arg(long)]
        out: PathBuf,
    },
    /// Compares the first file with the others.
    Compare {
        /// Files that `draw` wrote.
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
        /// Prints one JSON object instead of lines.
        #[arg(long)]
        json: bool,
        /// Writes the pictures of scenes that differ, side by side, into this folder as PPM files.
        #[arg(long)]
        pictures: Option<PathBuf>,
    },
    /// Prints the scene of a seed.
    Show {
        /// The seed.
        seed: u64,
    },
}

/// Does what the command line asks for.
pub(crate) fn run() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Draw { count, first, seeds, draws, out } => {
            let seeds = if seeds.is_empty() { (first..first + count).collect() } else { seeds };
            draw(&seeds, draws, &out)
        }
        Command::Compare { files, json, pictures } => compare(&files, json, pictures.as_deref()),
        Command::Show { seed } => {
            println!("{:#?}", Scene::new(seed));
            Ok(ExitCode::SUCCESS)
        }
    };
    outcome.unwrap_or_else(|why| {
        eprintln!("error: {why}");
        ExitCode::from(2)
    })
}

fn draw(seeds: &[u64], draws: Option<usize>, out: &Path) -> Result<ExitCode, String> {
    let renderer = Renderer::new(Device::open(pyro_test_loader::load()?)?)?;
    let mut header = Header {
        device: renderer.device().name().to_owned(),
        seeds: seeds.to_vec(),
        draws,
        refused: Vec::new(),
    };
    let mut pixels = Vec::with_capacity(seeds.len() * BYTES);
    for &seed in seeds {
        match renderer.draw(&Scene::new(seed).with_draws(draws)) {
            Ok(picture) => pixels.extend(picture),
            Err(why) => {
                header.refused.push((seed, why));
                pixels.extend([0; BYTES]);
            }
        }
    }
    println!("{} scenes on {}, {} refused", seeds.len(), header.device, header.refused.len());
    Pictures { header, pixels }.write(out).map_err(|error| format!("{}: {error}", out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// What comparing found, by seed.
#[derive(Default, serde::Serialize)]
struct Findings {
    devices: Vec<String>,
    equal: u64,
    /// The first device differs from all others, which agree.
    alone: Vec<String>,
    /// Some other device differs from the rest, not the first.
    others_disagree: u64,
    /// The first device is one of several answers.
    open: Vec<String>,
    refused: Vec<String>,
}

fn compare(files: &[PathBuf], json: bool, folder: Option<&Path>) -> Result<ExitCode, String> {
    let read = |path: &PathBuf| Pictures::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let all = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let header = &all[0].header;
    if all.iter().any(|pictures| pictures.header.draws != header.draws) {
        return Err("the files hold different parts of the scenes".to_owned());
    }
    let mut findings = Findings::default();
    findings.devices.extend(all.iter().map(|pictures| pictures.header.device.clone()));
    findings.refused.extend(header.refused.iter().map(|(seed, why)| format!("scene {seed}: {why}")));
    for &seed in &header.seeds {
        let Some(ours) = all[0].picture(seed) else { continue };
        let scene = Scene::new(seed).with_draws(header.draws);
        let others: Vec<&[u8]> = all[1..].iter().filter_map(|pictures| pictures.picture(seed)).collect();
        let agree = |a: &[u8], b: &[u8]| difference(&scene, a, b).0 <= STRAY_PIXELS;
        let supporters = others.iter().filter(|other| agree(ours, other)).count();
        let consensus = others.windows(2).all(|pair| agree(pair[0], pair[1]));
        if supporters == others.len() {
            findings.equal += 1;
            continue;
        }
        if supporters * 2 > others.len() {
            findings.others_disagree += 1;
            continue;
        }
        let said: Vec<String> = others
            .iter()
            .map(|other| {
                let (count, place) = difference(&scene, ours, other);
                format!("{count} from {:?}", place.unwrap_or_default())
            })
            .collect();
        let line = format!("scene {seed}: pixels that differ: {}", said.join("; "));
        if consensus {
            findings.alone.push(line)
        } else {
            findings.open.push(line)
        }
        if let Some(folder) = folder {
            let pictures: Vec<&[u8]> = std::iter::once(ours).chain(others.iter().copied()).collect();
            write_ppm(&folder.join(format!("{seed}.ppm")), &pictures).map_err(|error| error.to_string())?;
        }
    }
    report(&findings, json);
    Ok(ExitCode::from(u8::from(!findings.alone.is_empty())))
}

fn report(findings: &Findings, json: bool) {
    if json {
        println!("{}", serde_json::json!(findings));
        return;
    }
    println!("{} beside {}", findings.devices[0], findings.devices[1..].join(", "));
    for (what, lines) in
        [("refused", &findings.refused), ("one of several", &findings.open), ("alone", &findings.alone)]
    {
        lines.iter().for_each(|line| println!("{what}: {line}"));
    }
    println!(
        "{} equal, {} alone, {} with several answers, {} where another device is alone, {} refused",
        findings.equal,
        findings.alone.len(),
        findings.open.len(),
        findings.others_disagree,
        findings.refused.len()
    );
}

/// Writes pictures side by side.
fn write_ppm(path: &Path, pictures: &[&[u8]]) -> std::io::Result<()> {
    let size = scene::SIZE as usize;
    let mut file = format!("P6 {} {size} 255\n", size * pictures.len()).into_bytes();
    for row in 0..size {
        for picture in pictures {
            let row = &picture[row * size * 4..][..size * 4];
            file.extend(row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        }
    }
    std::fs::write(path, file)
}
