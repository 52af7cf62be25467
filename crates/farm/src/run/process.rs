//! One process: its lines, its end, its time.
//!
//! Problem: a program may hang, print without end, fork, or outlive a worker that is killed. Approach: it
//! leads a process group, which is killed when it says nothing new for too long and when it has ended; the
//! trampoline, this program itself, asks the kernel to kill it when the worker dies, then becomes it. Only
//! the ends of its output are kept.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes of a line; longer ones are cut in pieces.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// Bytes of the end of a stream that are kept.
const TAIL_BYTES_MAX: usize = 32 << 10;
/// How often the process is looked at while it says nothing.
const TICK: Duration = Duration::from_millis(50);
/// The trampoline's exit code when the program cannot be started.
const NOT_STARTED: u8 = 125;
/// The trampoline's message then.
const NOT_STARTED_MESSAGE: &str = "pyroclast farm: cannot start ";

/// How programs are started.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    /// The trampoline, a program that calls [`become_program`] with the arguments behind these; `None`:
    /// programs are started directly, and outlive a worker that is killed.
    pub trampoline: Option<(PathBuf, Vec<OsString>)>,
}

/// What to run.
#[derive(Debug)]
pub(crate) struct Invocation<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: &'a BTreeMap<String, String>,
    pub(crate) directory: &'a Path,
    /// It is killed when it makes no progress for so long.
    pub(crate) timeout: Duration,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Code(i32),
    Signal(i32),
    TimedOut,
}

impl std::fmt::Display for End {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Code(code) => write!(formatter, "exit code {code}"),
            End::Signal(signal) => write!(formatter, "{}", signal_name(*signal)),
            End::TimedOut => write!(formatter, "timeout"),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

/// What is left of a process.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    /// The ends of standard output and standard error.
    pub(crate) log: String,
}

/// A line of one of the streams.
enum Said {
    Output(String),
    Error(String),
}

/// Runs a program to its end. `progress` gets each line of standard output with the time at which it came,
/// and tells whether the line starts the timeout anew.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn run(
    launcher: &Launcher,
    invocation: &Invocation<'_>,
    mut progress: impl FnMut(Instant, &str) -> bool,
) -> Result<Finished> {
    let mut child = spawn(launcher, invocation)?;
    let (sender, receiver) = channel();
    let readers = [
        child.stdout.take().map(|stream| read_lines(stream, sender.clone(), Said::Output)),
        child.stderr.take().map(|stream| read_lines(stream, sender, Said::Error)),
    ];
    let mut tails = [Tail::default(), Tail::default()];
    let mut deadline = Instant::now() + invocation.timeout;
    let mut hear = |said: Said, deadline: &mut Instant| match said {
        Said::Output(line) => {
            let now = Instant::now();
            if progress(now, &line) {
                *deadline = now + invocation.timeout;
            }
            tails[0].push(&line);
        }
        Said::Error(line) => tails[1].push(&line),
    };
    let end = loop {
        match receiver.recv_timeout(TICK) {
            Ok(said) => hear(said, &mut deadline),
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait()? {
            break end_of(status);
        }
        if Instant::now() >= deadline {
            break End::TimedOut;
        }
    };
    // The group may have more processes, which hold the streams open.
    kill_group(&child);
    let _ = child.wait();
    drain(&receiver, |said| hear(said, &mut deadline));
    for reader in readers.into_iter().flatten() {
        let _ = reader.join();
    }
    let [output, error] = tails.map(Tail::text);
    if end == End::Code(i32::from(NOT_STARTED)) && error.starts_with(NOT_STARTED_MESSAGE) {
        bail!("{}", error.trim());
    }
    Ok(Finished { end, log: format!("{output}{error}") })
}

fn spawn(launcher: &Launcher, invocation: &Invocation<'_>) -> Result<Child> {
    let mut command = match &launcher.trampoline {
        Some((trampoline, arguments)) => {
            let mut command = Command::new(trampoline);
            command.args(arguments).arg(std::process::id().to_string()).arg(invocation.program);
            command
        }
        None => Command::new(invocation.program),
    };
    command
        .args(&invocation.arguments)
        .envs(invocation.environment)
        .current_dir(invocation.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command.spawn().with_context(|| {
        format!("cannot start {} in {}", invocation.program.display(), invocation.directory.display())
    })
}

/// Becomes a program that dies with the worker, the process `worker`: what the trampoline does. Returns only
/// when it cannot.
#[must_use]
pub fn become_program(worker: u32, program: &OsString, arguments: &[OsString]) -> ExitCode {
    let prepared = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // The worker may have died before the call; then this process has another parent.
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    if prepared.is_ok() && parent.and_then(|parent| u32::try_from(parent).ok()) != Some(worker) {
        return ExitCode::from(NOT_STARTED);
    }
    let error = Command::new(program).args(arguments).exec();
    crate::report::error(&format_args!("{NOT_STARTED_MESSAGE}{}: {error}", program.display()));
    ExitCode::from(NOT_STARTED)
}

fn read_lines(
    stream: impl Read + Send + 'static,
    sender: Sender<Said>,
    said: fn(String) -> Said,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            match reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
                Ok(1..) => {}
                Ok(0) | Err(_) => break,
            }
            if sender.send(said(String::from_utf8_lossy(&line).into_owned())).is_err() {
                break;
            }
        }
    })
}

fn drain(receiver: &Receiver<Said>, mut hear: impl FnMut(Said)) {
    // A process that left the group may hold the streams open: what it says is not waited for.
    let limit = Instant::now() + Duration::from_secs(1);
    while let Ok(said) = receiver.recv_timeout(limit.saturating_duration_since(Instant::now())) {
        hear(said);
    }
}

fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

/// The end of a stream.
#[derive(Default)]
struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        self.bytes += line.len();
        self.lines.push_back(line.to_owned());
        while self.bytes > TAIL_BYTES_MAX
            && let Some(first) = self.lines.pop_front()
        {
            self.bytes -= first.len();
        }
    }

    fn text(self) -> String {
        self.lines.into_iter().collect()
    }
}
