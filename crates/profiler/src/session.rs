//! Profiling this process: it begins with its first device, and its files are written when the process ends.

use crate::activity::{self, Activity};
use crate::code;
use crate::commands::{self, now_ns};
use crate::counters;
use crate::coverage;
use crate::profile::{Profile, Samples, Stack, Thread};
use pyro_codemem::sample;
use pyro_util::config;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How often samples are collected.
const COLLECT: Duration = Duration::from_millis(20);
/// When the files are first written while the process runs, in case that it is killed; then each time after
/// twice the time.
const FIRST_SAVE: Duration = Duration::from_secs(4);

/// What is collected so far.
struct Session {
    process: u32,
    begin_ns: u64,
    threads: Vec<Thread>,
    stacks: HashMap<Stack, (u64, u64)>,
    own_text: Range<u64>,
}

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Threads that run shaders at once.
static WORKERS: AtomicU32 = AtomicU32::new(0);

/// Where a device has been made: begins what the environment asks for. `workers`: threads that run shaders at
/// once.
pub fn begin(workers: usize) {
    let config = config::get();
    if config.profile.is_none() && config.coverage.is_none() {
        return;
    }
    WORKERS.fetch_max(workers as u32, Ordering::Relaxed);
    static BEGUN: OnceLock<()> = OnceLock::new();
    BEGUN.get_or_init(|| {
        *SESSION.lock() = Some(Session {
            process: std::process::id(),
            begin_ns: now_ns(),
            threads: Vec::new(),
            stacks: HashMap::new(),
            own_text: sample::own_text(),
        });
        if config.profile.is_some() && !sample::start(config.profile_interval) {
            pyro_util::report::to_stderr(&"no profile: this system or program leaves no signal for samples");
        }
        pyro_util::steps::observe(step);
        sample::at_exit(at_exit);
        // Without the thread the files are written at the end all the same.
        let _ = std::thread::Builder::new().name("pyro-profiler".to_owned()).spawn(collect);
    });
}

/// A step of the compiler begins on this thread, or the last one ends.
fn step(name: Option<&'static str>) {
    use std::cell::Cell;
    thread_local! {
        static UNDER_WAY: Cell<Option<(u32, Instant)>> = const { Cell::new(None) };
    }
    if let Some((number, begin)) = UNDER_WAY.take() {
        commands::step_ended(number, begin);
    }
    let number = name.map_or(0, commands::step);
    sample::set_tag(number);
    if name.is_some() {
        UNDER_WAY.set(Some((number, Instant::now())));
    }
}

/// The life of the thread that collects.
fn collect() {
    let _activity = activity::enter(Activity::Profiler);
    let (start, mut next) = (Instant::now(), FIRST_SAVE);
    loop {
        std::thread::sleep(COLLECT);
        let mut session = SESSION.lock();
        let Some(session) = session.as_mut() else { return };
        session.take_samples();
        if start.elapsed() >= next {
            next *= 2;
            session.save(false);
        }
    }
}

extern "C" fn at_exit() {
    let ended = std::panic::catch_unwind(|| {
        // A child that was forked has nothing of its own.
        let Some(mut session) = SESSION.lock().take_if(|session| session.process == std::process::id())
        else {
            return;
        };
        session.take_samples();
        sample::stop();
        session.take_samples();
        session.save(true);
    });
    if ended.is_err() {
        pyro_util::report::to_stderr(&"the profile was not written");
    }
}

impl Session {
    fn take_samples(&mut self) {
        self.threads.extend(sample::scan().into_iter().map(|(number, name)| Thread { number, name }));
        let Session { stacks, own_text, .. } = self;
        sample::drain(&mut |sample| {
            let own = code::find(sample.pc);
            // A return address is behind its call.
            let callers = sample.callers.iter().take_while(|&&address| address != 0);
            let callers = callers.filter_map(|&address| code::find(address - 1));
            let frames: Vec<_> = own.into_iter().chain(callers).map(|at| (at.function, at.place)).collect();
            let is_driver = own.is_some() || own_text.contains(&sample.pc);
            let stack = Stack {
                thread: sample.thread,
                activity: sample.activity,
                tag: sample.tag,
                frames,
                is_driver,
            };
            let (count, ns) = stacks.entry(stack).or_default();
            *count += 1;
            *ns += sample.weight_ns;
        });
    }

    fn profile(&self) -> Profile {
        let commands::Recorded { commands, passes, pipelines, events, lost_events, steps } =
            commands::recorded();
        let mut samples: Vec<Samples> = self
            .stacks
            .iter()
            .map(|(stack, &(count, ns))| Samples { stack: stack.clone(), count, ns })
            .collect();
        samples.sort_by(|a, b| {
            let key = |samples: &Samples| {
                let Stack { thread, activity, tag, frames, .. } = samples.stack.clone();
                (thread, activity, tag, frames)
            };
            b.ns.cmp(&a.ns).then_with(|| key(a).cmp(&key(b)))
        });
        Profile {
            program: std::env::args().next().unwrap_or_default(),
            process: self.process,
            begin_ns: self.begin_ns,
            end_ns: now_ns(),
            cpu_ns: sample::process_ns(),
            worker_count: WORKERS.load(Ordering::Relaxed),
            threads: self.threads.clone(),
            functions: code::all(),
            commands,
            passes,
            pipelines,
            events,
            lost_events,
            steps,
            samples,
            counts: counters::counts(),
        }
    }

    /// Writes the files; coverage, which is added to what is there, only at the end.
    fn save(&self, is_end: bool) {
        let config = config::get();
        let told = |path: &Path, result: std::io::Result<()>| {
            if let Err(error) = result {
                pyro_util::report::to_stderr(&format_args!("cannot write {}: {error}", path.display()));
            }
        };
        if let Some(path) = &config.profile {
            let path = self.own_path(path);
            told(&path, self.profile().save(&path));
        }
        if let Some(path) = config.coverage.as_ref().filter(|_| is_end) {
            told(path, coverage::merge_into(path, &counters::counts()));
        }
    }

    /// A path, with the process's number where another process has written there.
    fn own_path(&self, path: &Path) -> PathBuf {
        let is_own = Profile::load(path).map_or(!path.exists(), |profile| profile.process == self.process);
        if is_own {
            return path.to_owned();
        }
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", self.process));
        name.into()
    }
}
