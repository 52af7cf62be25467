//! `pyroclast farm run`: a whole job on an engine, followed to its end.

use super::inputs::{Opened, StoreArguments, progress, times};
use super::merge::merge;
use super::{EXIT_CODES, Front};
use crate::engine::shard::Shard;
use crate::engine::{Engine, WorkerCommand, kubernetes, local::Local, ray, slurm};
use crate::plan::{Plan, of_shard, unit_name};
use crate::record::{Record, record_name};
use crate::report;
use crate::worker::recorded;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How often the store is looked at.
const POLL: Duration = Duration::from_millis(300);

/// Where a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum On {
    /// Processes of this machine.
    Local,
    /// Tasks of a Ray cluster (Python package ray).
    Ray,
    /// A job array of Slurm (sbatch, squeue).
    Slurm,
    /// Writes the manifest of an Indexed Job to standard output, for kubectl apply -f -.
    K8s,
}

/// What to run, and where.
#[derive(clap::Args)]
#[command(after_long_help = EXIT_CODES)]
pub struct Arguments {
    /// The job file.
    job: PathBuf,
    #[command(flatten)]
    store: StoreArguments,
    /// Where to run it.
    #[arg(long, value_enum, default_value = "local")]
    on: On,
    /// How many workers; shards on a cluster [default: one for each processor].
    #[arg(long)]
    workers: Option<u64>,
    /// How often a lost worker is started again.
    #[arg(long, default_value_t = 3)]
    retries: u32,
    /// Recorded times, as `farm merge` writes them.
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,
    /// Merge the results into this folder at the end.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Seconds after which the units of a silent worker on another machine are done by others.
    #[arg(long, default_value_t = 60.0)]
    lease: f64,
    /// Print each unit's results as a line of JSON when they are there, and the summary as JSON.
    #[arg(long)]
    json: bool,
    /// Say more of what the engine does.
    #[arg(long)]
    verbose: bool,
    /// The program of the workers, where it is elsewhere on their machines.
    #[arg(long, value_name = "PROGRAM")]
    worker_program: Option<PathBuf>,
    #[command(flatten)]
    ray: RayArguments,
    /// Slurm: a further argument of sbatch, such as --partition=long.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    #[command(flatten)]
    kubernetes: KubernetesArguments,
}

/// Options of Ray.
#[derive(clap::Args)]
struct RayArguments {
    /// Ray: the Python interpreter that has the package ray.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Ray: the cluster, as auto or HOST:PORT [default: one of this machine, for this job].
    #[arg(long, default_value = "", hide_default_value = true)]
    ray_address: String,
    /// Ray: processors that a worker takes.
    #[arg(long, default_value_t = 1.0)]
    ray_cpus: f64,
}

/// Options of Kubernetes.
#[derive(clap::Args)]
struct KubernetesArguments {
    /// Kubernetes: the image with the program, the job file and what the job runs.
    #[arg(long, default_value = "", hide_default_value = true)]
    image: String,
    /// Kubernetes: the namespace.
    #[arg(long, default_value = "", hide_default_value = true)]
    namespace: String,
    /// Kubernetes: a persistent volume claim and where it is mounted: CLAIM:PATH.
    #[arg(long, value_name = "CLAIM:PATH")]
    volume: Option<String>,
    /// Kubernetes: a secret whose entries become environment variables.
    #[arg(long)]
    secret: Option<String>,
    /// Kubernetes: processors of a pod.
    #[arg(long, default_value = "1")]
    cpu: String,
    /// Kubernetes: memory of a pod.
    #[arg(long, default_value = "2Gi")]
    memory: String,
    /// Kubernetes: pods at a time [default: all].
    #[arg(long)]
    parallelism: Option<u64>,
}

impl Arguments {
    fn workers(&self) -> u64 {
        let processors = || std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        self.workers.unwrap_or_else(processors)
    }

    /// The command line of a worker. Those of a cluster may run in other folders.
    fn command(&self, front: &Front) -> Result<WorkerCommand> {
        let is_elsewhere = self.on == On::K8s;
        let absolute = |path: &Path| -> Result<OsString> {
            if is_elsewhere {
                return Ok(path.into());
            }
            Ok(std::path::absolute(path).with_context(|| format!("{}", path.display()))?.into_os_string())
        };
        let out: OsString = match self.store.out.contains("://") {
            true => self.store.out.clone().into(),
            false => absolute(Path::new(&self.store.out))?,
        };
        let mut before = front.arguments.clone();
        before.push("shard".into());
        let mut after: Vec<OsString> = vec![absolute(&self.job)?, "--out".into(), out];
        if let Some(key) = &self.store.key_file {
            after.extend(["--key-file".into(), absolute(key)?]);
        }
        after.extend(["--lease".into(), self.lease.to_string().into()]);
        if matches!(self.on, On::Local | On::Ray) {
            after.push("--steal".into());
        }
        let program = self.worker_program.clone().unwrap_or_else(|| match is_elsewhere {
            true => front.program.file_name().map_or_else(|| "pyroclast".into(), PathBuf::from),
            false => front.program.clone(),
        });
        Ok(WorkerCommand { program, before, after })
    }

    fn manifest(&self, command: &WorkerCommand, name: &str) -> Result<ExitCode> {
        let KubernetesArguments { image, namespace, volume, secret, cpu, memory, parallelism } =
            &self.kubernetes;
        let volume = volume.as_ref().map(|text| {
            let parts =
                text.split_once(':').filter(|(claim, path)| !claim.is_empty() && path.starts_with('/'));
            parts
                .map(|(claim, path)| (claim.to_owned(), path.to_owned()))
                .with_context(|| format!("--volume: {text:?} is not CLAIM:PATH with an absolute path"))
        });
        let options = kubernetes::Options {
            name: name.to_owned(),
            namespace: namespace.clone(),
            image: image.clone(),
            parallelism: parallelism.unwrap_or(self.workers()),
            retries: self.retries,
            cpu: cpu.clone(),
            memory: memory.clone(),
            volume: volume.transpose()?,
            secret: secret.clone(),
        };
        let manifest = kubernetes::manifest(command, self.workers(), &options)?;
        report::line(&format_args!("{manifest:#}"));
        Ok(ExitCode::SUCCESS)
    }
}

pub(super) fn run(arguments: &Arguments, front: &Front) -> Result<ExitCode> {
    ensure!(arguments.workers() > 0, "--workers: 0 do nothing");
    let command = arguments.command(front)?;
    if arguments.on == On::K8s {
        // The job file may be in the image alone: its name is all that is needed.
        let name = arguments.job.file_stem().context("the job file has no name")?.to_string_lossy();
        return arguments.manifest(&command, &name);
    }
    let opened = arguments.store.open(&arguments.job)?;
    let key = opened.key.as_ref();
    let times = times(arguments.times.as_deref())?;
    let plan = Plan::load_or_create(&opened.store, &opened.job, &times, key)?;
    let workers = arguments.workers().min(plan.units.len().max(1) as u64);
    let mut engine: Box<dyn Engine> = match arguments.on {
        On::Local => Box::new(Local::start(command, workers, arguments.retries)?),
        On::Ray => {
            let RayArguments { python, ray_address, ray_cpus } = &arguments.ray;
            let options = ray::Options {
                python: python.clone(),
                address: ray_address.clone(),
                cpus: *ray_cpus,
                retries: arguments.retries,
            };
            Box::new(ray::Ray::start(&command, workers, &options, arguments.verbose)?)
        }
        On::Slurm => {
            let options = slurm::Options {
                name: opened.job.name.clone(),
                arguments: arguments.sbatch.clone(),
                retries: arguments.retries,
            };
            let slurm = slurm::Slurm::start(&command, workers, &options)?;
            if arguments.verbose {
                report::error(&format_args!("slurm: job array {}", slurm.job()));
            }
            Box::new(slurm)
        }
        On::K8s => bail!("a manifest was to be written"),
    };
    follow(&opened, &plan, engine.as_mut(), workers, arguments.json)?;
    merge(&opened, &plan, arguments.into.as_deref(), false, arguments.json)
}

/// Follows the records in the store until all are there, or the engine can do no more.
fn follow(opened: &Opened, plan: &Plan, engine: &mut dyn Engine, workers: u64, streams: bool) -> Result<()> {
    let bar = progress("running", plan.units.len())?;
    let mut shown = BTreeSet::new();
    loop {
        // In this order: what has a record when the workers have ended is seen.
        let runs = engine.poll().inspect_err(|_| bar.abandon())?;
        let done = recorded(&opened.store, &opened.job)?;
        for &unit in done.difference(&shown.clone()) {
            bar.inc(1);
            if streams && unit < plan.units.len() {
                stream(opened, plan, unit)?;
            }
            shown.insert(unit);
        }
        let missing: Vec<usize> = (0..plan.units.len()).filter(|unit| !done.contains(unit)).collect();
        if missing.is_empty() && !runs {
            break;
        }
        if !runs && !engine.resubmit(&shards_of(plan, &missing, workers)?)? {
            bar.abandon();
            bail!(
                "the workers have ended, but {} of {} units have no record; run it again to do those",
                missing.len(),
                plan.units.len()
            );
        }
        std::thread::sleep(POLL);
    }
    bar.finish_and_clear();
    Ok(())
}

/// A unit's results as a line of JSON; a record that is refused is left to the merge.
fn stream(opened: &Opened, plan: &Plan, unit: usize) -> Result<()> {
    let Opened { job, store, key } = opened;
    let Some(bytes) = store.get(&record_name(job, unit))? else { return Ok(()) };
    if let Ok(record) = Record::decode(&bytes, key.as_ref(), job, plan, unit) {
        let unit = unit_name(unit);
        report::line(&json!({ "unit": unit, "section": record.section, "items": record.items }));
    }
    Ok(())
}

/// The shards that these units are of.
fn shards_of(plan: &Plan, units: &[usize], workers: u64) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    for index in 0..workers {
        let own = of_shard(&plan.units, Shard::new(index, workers)?);
        if own.iter().any(|unit| units.binary_search(unit).is_ok()) {
            found.push(index);
        }
    }
    Ok(found)
}
