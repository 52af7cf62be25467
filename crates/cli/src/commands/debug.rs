//! `pyroclast debug CAPTURE`, `pyroclast debug -- PROGRAM`: the shader debugger, for editors by the Debug
//! Adapter Protocol and for the terminal.

mod checkpoints;
#[cfg(unix)]
mod live;

use checkpoints::Checkpoints;

use super::{capture, exec, replay};
use crate::sources::{self, Request};
use crate::{stage, system};
use anyhow::{Context, Result, bail};
use pyro_capture::file::{Capture, Records};
use pyro_capture::record::{Note, Record};
use pyro_capture::schema;
use pyro_debugger::dap::Server;
use pyro_debugger::session::{Events, LiveProgram, Replays, Session};
use pyro_debugger::target::Wanted;
use pyro_debugger::terminal::{Terminal, parse_target};
use pyro_replay::Player;
use pyro_sanitizer::trace::Recorder;
use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufReader, IsTerminal};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::time::{Duration, Instant};

/// Exit code when a command of a script failed.
const COMMAND_FAILED: u8 = 1;
/// Exit code when nothing can be debugged.
const FAILED: u8 = 2;

/// What to debug, and how one talks to the debugger.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The capture. Without one and without a program the client's `launch` request names it.
    #[arg(conflicts_with = "command")]
    capture: Option<PathBuf>,
    /// Read commands from the terminal, or from a script on standard input.
    #[arg(long)]
    terminal: bool,
    /// Wait for a client of the Debug Adapter Protocol on this port of 127.0.0.1 instead of standard input;
    /// 0 takes a free one, which is printed.
    #[arg(long, value_name = "PORT", conflicts_with = "terminal")]
    port: Option<u16>,
    /// Which invocation, such as "pixel 320 200", "vertex 7 event 3", "workgroup 0 0 0 local 5 0 0", "ray 3 4
    /// 0".
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Do not halt the program: end it after so many seconds, and debug what it did.
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,
    /// A program, which is halted where a shader comes to a breakpoint, and its arguments.
    #[arg(last = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// A capture that is replayed for the debugger, and where it comes from.
struct Replayed<O> {
    capture: Capture,
    checkpoints: Checkpoints,
    origin: O,
}

/// Where a capture comes from.
trait Origin: Sized {
    /// Another replay begins: both would have memory at the same addresses.
    fn end_other_replay(&mut self) {}

    /// The program that makes the capture meanwhile, if one does.
    fn program(_: &mut Replayed<Self>) -> Option<&mut dyn LiveProgram> {
        None
    }
}

impl<O: Origin> Replays for Replayed<O> {
    fn replay(&mut self, recorder: &Recorder, events: &Events<'_>) -> Result<u64, String> {
        self.origin.end_other_replay();
        let mut player = play_events(&self.capture, &mut self.checkpoints, recorder, events)?;
        player.finish();
        Ok(player.counts().different)
    }

    fn begin_whole(&mut self) -> bool {
        self.checkpoints.distrust()
    }

    fn checkpoints(&self) -> Vec<u64> {
        self.checkpoints.submissions()
    }

    fn forget(&mut self) {
        self.checkpoints.forget();
    }

    fn compile(&mut self, path: &Path, stage: &str) -> Result<Vec<u32>, String> {
        compile(path, stage)
    }

    fn program(&mut self) -> Option<&mut dyn LiveProgram> {
        O::program(self)
    }
}

/// A file; one with a path here is removed at the end.
struct CaptureFile(Option<PathBuf>);

impl Origin for CaptureFile {}

impl Drop for CaptureFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Compiles a shader's source for hot reload.
fn compile(path: &Path, stage: &str) -> Result<Vec<u32>, String> {
    let name = stage.replace([' ', '-'], "_");
    let name = if name == "ray_generation" { "raygen".to_owned() } else { name };
    let model = stage::from_name(&name);
    let wanted = Request { model, version: Request::NEWEST, ..Request::TO_RUN };
    let source = sources::decode(path, &wanted).map_err(|error| format!("{error:#}"))?;
    Ok(source.words)
}

/// Replays a capture from its start, or from a checkpoint before the first of the events, at most to the end
/// of the submission in which the last is, or an invocation that is looked for.
fn play_events(
    capture: &Capture,
    checkpoints: &mut Checkpoints,
    recorder: &Recorder,
    events: &Events<'_>,
) -> Result<Player, String> {
    // What is changed before an event is there for those behind it.
    let written = events.writes.iter().map(|write| write.event);
    let changed = written.chain(events.reloads.iter().map(|reload| reload.event));
    let first = changed.fold(events.first, u32::min);
    let events = &Events { first, ..*events };
    let part = checkpoints.part(capture, events)?;
    if let Some(part) = &part {
        recorder.begin_behind(&events.known[..part.events_before(events.known)]);
    }
    // What a changed invocation leaves is not what the others find.
    let is_changed = recorder.has_changes() || !events.writes.is_empty() || !events.reloads.is_empty();
    let lays = part.is_none() && !is_changed;
    let mut player = replay::player();
    let whole = match &part {
        Some(part) => &part.records,
        None => capture,
    };
    let mut records = whole.records();
    let (mut number, mut is_idle, mut start) = (0, true, Instant::now());
    while let Some(record) = records.next() {
        if lays && is_idle && number > 0 && is_submission(&record) {
            checkpoints.spend(start.elapsed());
            checkpoints.lay(&mut player, capture, number)?;
            start = Instant::now();
        }
        if let Some(part) = part.as_ref().filter(|part| part.first == number) {
            player.set_submissions(part.submissions);
        }
        if is_submission(&record) {
            change_before(&mut player, recorder, events, is_idle)?;
        }
        let ran = play_one(&mut player, recorder, &record, &records)?;
        number += 1;
        is_idle = match ran {
            Played::Submission { is_idle } => is_idle,
            Played::Other => is_idle || record == Record::Note(Note::Idle),
        };
        let is_last = |last: u32| recorder.event_count() > last as usize;
        if matches!(ran, Played::Submission { .. })
            && (events.last.is_some_and(is_last) || recorder.is_hunt_over())
        {
            break;
        }
    }
    Ok(player)
}

/// Changes what is to be changed before the submission that comes, if its events are among those.
fn change_before(
    player: &mut Player,
    recorder: &Recorder,
    events: &Events<'_>,
    is_idle: bool,
) -> Result<(), String> {
    let next = recorder.event_count();
    let submission_of = |event: usize| events.known.get(event).map(|event| event.submission);
    // Submissions without events before it have it changed, too: it stays.
    let is_here = |event: u32| next <= event as usize && submission_of(next) == submission_of(event as usize);
    for reload in events.reloads.iter().filter(|reload| is_here(reload.event)) {
        pyroclast_icd::reload_module(reload.digest, &reload.words)?;
    }
    for write in events.writes.iter().filter(|write| is_here(write.event)) {
        if !is_idle {
            return Err(
                "memory cannot be changed there: the device still works before that submission".to_owned()
            );
        }
        player.write_at(write.address, &write.bytes).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What a record was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Played {
    /// A submission, and whether it was waited for.
    Submission {
        is_idle: bool,
    },
    Other,
}

fn is_submission(record: &Record<'_>) -> bool {
    matches!(record, Record::Call(call) if submits(call.command))
}

/// Replays a record, and of a submission waits for its end, where it ended before the program's next call:
/// events are counted as they come, one submission after the other.
fn play_one(
    player: &mut Player,
    recorder: &Recorder,
    record: &Record<'_>,
    following: &Records<'_>,
) -> Result<Played, String> {
    let is_submission = is_submission(record);
    if is_submission {
        recorder.set_submission(player.counts().submissions);
    }
    player.play(record, &mut following.clone()).map_err(|error| error.to_string())?;
    let is_call = |record: &Record<'_>| matches!(record, Record::Call(_));
    let mut before_call = following.clone().take_while(|record| !is_call(record));
    if !is_submission {
        return Ok(Played::Other);
    }
    let is_idle = before_call.any(|record| record == Record::Note(Note::Idle));
    if is_idle {
        let idle = Record::Note(Note::Idle);
        player.play(&idle, &mut std::iter::empty()).map_err(|error| error.to_string())?;
    }
    Ok(Played::Submission { is_idle })
}

/// Whether a command hands work to a queue.
fn submits(command: u16) -> bool {
    let name = schema::commands().get(usize::from(command)).map_or("", |command| command.name);
    name.starts_with("vkQueueSubmit")
}

fn open(path: &Path, is_temporary: bool) -> Result<Replayed<CaptureFile>> {
    let capture = capture::open(path)?;
    let origin = CaptureFile(is_temporary.then(|| path.to_owned()));
    Ok(Replayed { capture, checkpoints: Checkpoints::new(false), origin })
}

/// Ends a program: first by asking.
fn end(child: &mut Child) {
    let is_asked = system::ask_to_end(child);
    let start = Instant::now();
    while is_asked && start.elapsed() < Duration::from_secs(2) {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Runs a program under capture, to its end or for so many seconds, and gives what it did.
fn run_program(command: &[OsString], seconds: f64) -> Result<Replayed<CaptureFile>> {
    let path = std::env::temp_dir().join(format!("pyroclast-debug-{}.pyro", std::process::id()));
    let manifest = exec::Manifest::write()?;
    let mut program = manifest.command(command)?;
    // Standard output may be the protocol's.
    program.env("PYROCLAST_CAPTURE", &path).stdin(std::process::Stdio::null()).stdout(std::io::stderr());
    let mut child = program.spawn().with_context(|| exec::cannot_run(command))?;
    let start = Instant::now();
    loop {
        if child.try_wait().context("the program")?.is_some() {
            break;
        }
        if start.elapsed().as_secs_f64() >= seconds {
            end(&mut child);
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    if !path.exists() {
        bail!("the program made no Vulkan instance on this driver, so there is nothing to debug");
    }
    open(&path, true)
}

/// A program, live, or with a limit of seconds what it did.
fn of_program(command: &[OsString], seconds: Option<f64>) -> Result<Box<dyn Replays>> {
    Ok(match seconds {
        Some(seconds) => Box::new(run_program(command, seconds)?),
        #[cfg(unix)]
        None => Box::new(live::start(command)?),
        #[cfg(windows)]
        None => bail!(
            "programs cannot be halted on Windows: --seconds debugs what one did, a capture what it recorded"
        ),
    })
}

/// What the arguments of `launch` name, or the command line does.
fn launch(arguments: &Arguments, request: &Value) -> Result<Box<dyn Replays>> {
    if let Some(list) = request["command"].as_array() {
        let command: Vec<OsString> = list.iter().filter_map(|one| one.as_str().map(OsString::from)).collect();
        return of_program(&command, request["seconds"].as_f64().or(arguments.seconds));
    }
    if let Some(path) = request["capture"].as_str().or_else(|| request["program"].as_str()) {
        return Ok(Box::new(open(Path::new(path), false)?));
    }
    match &arguments.capture {
        Some(path) => Ok(Box::new(open(path, false)?)),
        None if !arguments.command.is_empty() => of_program(&arguments.command, arguments.seconds),
        None => bail!("nothing to debug: `launch` wants \"capture\", a file, or \"command\", a program"),
    }
}

fn terminal(arguments: &Arguments) -> Result<ExitCode> {
    let wanted = match &arguments.target {
        Some(text) => parse_target(text).map_err(anyhow::Error::msg)?,
        None => Wanted::default(),
    };
    let replays = launch(arguments, &Value::Null)?;
    let session = Session::new(replays, wanted).map_err(anyhow::Error::msg)?;
    let input = std::io::stdin();
    let mut output = std::io::stdout();
    let done = Terminal::new(session, &mut output, input.is_terminal()).run(&mut input.lock())?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::from(COMMAND_FAILED) })
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.terminal {
        return terminal(arguments);
    }
    let mut make = |request: &Value| {
        let mut request = request.clone();
        if request.is_null() {
            request = Value::Object(serde_json::Map::new());
        }
        launch(arguments, &request).map_err(|error| format!("{error:#}"))
    };
    match arguments.port {
        Some(port) => {
            let listener = TcpListener::bind(("127.0.0.1", port)).context("the port")?;
            println!("{}", listener.local_addr()?.port());
            let (stream, _) = listener.accept().context("the client")?;
            stream.set_nodelay(true)?;
            let mut output = stream.try_clone()?;
            Server::new(&mut make, &mut output).run(BufReader::new(stream))?;
        }
        None => {
            let mut output = std::io::stdout();
            Server::new(&mut make, &mut output).run(BufReader::new(std::io::stdin()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Debugs; the exit code says whether a command of a script failed (1) or nothing can be debugged (2).
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(FAILED)
    })
}
