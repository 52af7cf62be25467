//! Runs the corpus through the system's Vulkan loader, on whatever driver and layers the environment names,
//! and counts what they find: so that the sanitizer stands beside GPU-assisted validation.
//!
//! ```sh
//! VK_ICD_FILENAMES=…/lvp_icd.x86_64.json VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
//!     VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT pyro-corpus
//! ```
//!
//! A bug is *found* where the program with it gives an error that its twin does not give; a *false* alarm is
//! an error of a twin. Errors are what messengers of `VK_EXT_debug_utils` hear while the program is compiled
//! and runs; those that begin with one of the `--ignore` texts do not count.
//!
//! Programs run in processes of their own (`--worker`), which a program may end.
#![allow(clippy::print_stdout)] // its output

use clap::Parser;
use pyro_sanitizer_corpus::case::{self, Case, Stage, Variant};
use pyro_sanitizer_corpus::player::Player;
use pyro_sanitizer_corpus::program::Programs;
use pyro_sanitizer_corpus::script::{self, Script};
use pyro_sanitizer_corpus::way::{Action, Way};
use pyro_test_kit::{Client, Messages, use_system_loader};
use pyro_util::sanitize::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Vulkan 1.3.
const VERSION: u32 = 1 << 22 | 3 << 12;

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The arguments.
#[derive(Parser)]
#[command(about = "Runs the sanitizer's corpus through the system's loader and counts what is found")]
struct Arguments {
    /// Only programs whose name has this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// Errors that do not count, by how their identity begins.
    #[arg(long, value_delimiter = ',')]
    ignore: Vec<String>,
    /// Prints what became of each program, too.
    #[arg(long)]
    list: bool,
    /// Runs programs in this process, from the one of this number.
    #[arg(long, hide = true)]
    worker: Option<usize>,
}

/// A pair of programs.
struct Pair {
    name: String,
    kind: Kind,
    what: What,
}

enum What {
    Case(Box<Case>, Stage),
    Script(Box<Script>, (Option<Way>, Way)),
}

/// Cases of kinds that are opt-in are left out: twins of others have them.
fn pairs(filter: &str) -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kind = |name: &str| Kind::from_name(name).filter(|kind| !kind.is_opt_in());
    let mut pairs = Vec::new();
    for case in case::all(&folder.join("cases")) {
        let Some(kind) = kind(&case.kind) else { continue };
        for &stage in &case.stages {
            let name = format!("{} in {}", case.name, stage.name());
            pairs.push(Pair { name, kind, what: What::Case(Box::new(case.clone()), stage) });
        }
    }
    for script in script::all(&folder.join("scripts")) {
        let Some(kind) = kind(&script.kind) else { continue };
        for ways in script.pairs() {
            let name = format!("{} {} {}", script.name, ways.0.map_or("", |way| way.name), ways.1.name);
            pairs.push(Pair { name, kind, what: What::Script(Box::new(script.clone()), ways) });
        }
    }
    pairs.retain(|pair| pair.name.contains(filter));
    pairs
}

/// What became of a pair.
enum Outcome {
    /// The driver lacks what it needs.
    Lacking(String),
    /// The process ended, or the program did not.
    Died,
    /// The times of both, and the errors of both.
    Ran([Duration; 2], [BTreeSet<String>; 2]),
}

/// What runs pairs in this process.
struct Worker {
    client: Client,
    heard: Messages,
    programs: Programs,
    player: Option<Player>,
}

impl Worker {
    /// The extension that a pair needs and the driver lacks.
    fn lacks(&self, pair: &Pair) -> Option<String> {
        let rays = c"VK_KHR_ray_tracing_pipeline";
        let mesh = c"VK_EXT_mesh_shader";
        let needed = match &pair.what {
            What::Case(case, stage) => match stage {
                Stage::Compute if case.capabilities.iter().any(|name| name == "TensorsARM") => {
                    vec![c"VK_ARM_tensors"]
                }
                Stage::Compute
                | Stage::Vertex
                | Stage::Control
                | Stage::Evaluation
                | Stage::Geometry
                | Stage::Fragment => vec![],
                Stage::Node => vec![c"VK_AMDX_shader_enqueue"],
                Stage::Kernel => vec![c"VK_NV_cuda_kernel_launch"],
                // One device is for all of these.
                _ => vec![mesh, rays],
            },
            What::Script(_, ways) => ways
                .0
                .iter()
                .chain([&ways.1])
                .filter_map(|way| match way.action {
                    Action::Mesh(_) => Some(mesh),
                    Action::Rays(_) => Some(rays),
                    Action::Fragment(body) if body.contains("Interlock") => {
                        Some(c"VK_EXT_fragment_shader_interlock")
                    }
                    _ => None,
                })
                .collect(),
        };
        let missing = needed.into_iter().find(|name| !self.client.has_extension(name));
        missing.map(|name| name.to_string_lossy().into_owned())
    }

    fn run_variant(&mut self, pair: &Pair, variant: Variant) {
        match &pair.what {
            What::Case(case, stage) => drop(self.programs.run(case, *stage, variant)),
            What::Script(script, ways) => {
                let variant = if variant == Variant::Good { "good" } else { "bad" };
                self.player.get_or_insert_with(Player::of_any_driver).run(script, *ways, variant);
            }
        }
    }

    /// What a device needs is not a program's.
    fn prepare(&mut self, pair: &Pair) {
        match &pair.what {
            What::Case(_, stage) => self.programs.prepare(*stage),
            What::Script(..) => {
                self.player.get_or_insert_with(Player::of_any_driver);
            }
        }
        drop(self.heard.take());
    }

    /// A line for [`read`].
    fn run(&mut self, pair: &Pair) -> String {
        if let Some(missing) = self.lacks(pair) {
            return format!("lacking {missing}");
        }
        let mut line = "ran".to_owned();
        for variant in [Variant::Good, Variant::Bad] {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                self.prepare(pair);
                let start = Instant::now();
                self.run_variant(pair, variant);
                start.elapsed()
            }));
            let time = match ran {
                Ok(time) => time,
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map_or("something", String::as_str);
                    return format!("lacking {}", text.lines().next().unwrap_or_default());
                }
            };
            let ids: BTreeSet<String> = self.heard.take_ids().into_iter().collect();
            let ids: Vec<String> = ids.into_iter().map(|id| id.replace(char::is_whitespace, "_")).collect();
            line += &format!(" {} {}", time.as_micros(), ids.join(",") + ";");
        }
        line
    }
}

/// Runs pairs from the one of a number, and prints what becomes of each.
fn work(pairs: &[Pair], first: usize) -> Result<(), String> {
    let heard = use_system_loader()?;
    std::panic::set_hook(Box::new(|_| {}));
    let client = Client::new(VERSION, &[]);
    let mut worker = Worker { client, heard, programs: Programs::of_any_driver(), player: None };
    for (number, pair) in pairs.iter().enumerate().skip(first) {
        println!("begin {number}");
        println!("{}", worker.run(pair));
    }
    println!("end");
    // What is destroyed at the end may be what a layer or driver cannot destroy after errors.
    std::process::exit(0);
}

/// What a worker's line says.
fn read(line: &str) -> Option<Outcome> {
    if let Some(missing) = line.strip_prefix("lacking ") {
        return Some(Outcome::Lacking(missing.to_owned()));
    }
    let words: Vec<&str> = line.strip_prefix("ran ")?.split(' ').collect();
    let [good, of_good, bad, of_bad] = words[..] else { return None };
    let time = |word: &str| word.parse().ok().map(Duration::from_micros);
    let ids = |word: &str| {
        let list = word.trim_end_matches(';').split(',').filter(|id| !id.is_empty());
        list.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    Some(Outcome::Ran([time(good)?, time(bad)?], [ids(of_good), ids(of_bad)]))
}

/// Runs all pairs in as many processes as it takes.
fn run_all(arguments: &Arguments, count: usize) -> Result<Vec<Outcome>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    while outcomes.len() < count {
        let before = outcomes.len();
        let mut child = Command::new(&program)
            .args(["--filter", &arguments.filter, "--worker", &before.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let reader = std::thread::spawn(move || {
            output.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        let mut began = false;
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            if line.starts_with("begin ") {
                began = true;
            } else if let Some(outcome) = read(&line).filter(|_| began) {
                outcomes.push(outcome);
                began = false;
            }
        }
        // It has ended, or it does not.
        let _ = child.kill();
        let _ = reader.join();
        let status = child.wait().map_err(|error| error.to_string())?;
        if began {
            outcomes.push(Outcome::Died);
        }
        if outcomes.len() == before {
            return Err(format!("the worker ran nothing ({status})"));
        }
    }
    Ok(outcomes)
}

/// The counts of a group of kinds.
#[derive(Default)]
struct Row {
    pairs: usize,
    ran: usize,
    found: usize,
    stray: usize,
    died: usize,
    time: Duration,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.pairs += other.pairs;
        self.ran += other.ran;
        self.found += other.found;
        self.stray += other.stray;
        self.died += other.died;
        self.time += other.time;
    }
}

fn print_row(name: &str, row: &Row) {
    let not_run = row.pairs - row.ran - row.died;
    let Row { pairs, ran, found, stray, died, time } = row;
    println!(
        "| {name} | {pairs} | {not_run} | {died} | {ran} | {found} | {stray} | {:.1} |",
        time.as_secs_f64()
    );
}

fn report(arguments: &Arguments, pairs: &[Pair], outcomes: &[Outcome]) {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for (pair, outcome) in pairs.iter().zip(outcomes) {
        let mut row = Row { pairs: 1, ..Row::default() };
        let mut what = String::new();
        match outcome {
            Outcome::Lacking(missing) => what += &format!("not run: {missing}"),
            Outcome::Died => {
                row.died = 1;
                what += "died";
            }
            Outcome::Ran(times, errors) => {
                let counts = |id: &&String| !arguments.ignore.iter().any(|start| id.starts_with(start));
                let [good, bad] =
                    errors.each_ref().map(|ids| ids.iter().filter(counts).collect::<BTreeSet<_>>());
                row.ran = 1;
                row.time = times[0] + times[1];
                row.found = usize::from(bad.difference(&good).next().is_some());
                row.stray = usize::from(!good.is_empty());
                what += if row.found == 1 { "found" } else { "missed" };
                what += &format!(" {bad:?}, twin {good:?}");
            }
        }
        if arguments.list {
            println!("{} ({}): {what}", pair.name, pair.kind.name());
        }
        rows.entry(pair.kind.group().name()).or_default().add(&row);
    }
    println!("| group | pairs | not run | died | ran | found | false | seconds |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all = Row::default();
    for (name, row) in &rows {
        print_row(name, row);
        all.add(row);
    }
    print_row("all", &all);
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let pairs = pairs(&arguments.filter);
    if let Some(first) = arguments.worker {
        return match work(&pairs, first) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        };
    }
    match run_all(&arguments, pairs.len()) {
        Ok(outcomes) => {
            report(&arguments, &pairs, &outcomes);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
