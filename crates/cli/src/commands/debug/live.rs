//! A live program: it records its calls, and waits behind each submission (`PYROCLAST_CAPTURE_GATE`) until
//! what it did has been replayed here.

use super::checkpoints::Checkpoints;
use super::{Origin, Played, Replayed, end, exec, is_submission, play_events, play_one};
use crate::commands::replay;
use anyhow::{Context, Result, bail};
use pyro_capture::file::{Capture, Reader};
use pyro_debugger::session::{Contents, Events, LiveProgram, Progress};
use pyro_replay::Player;
use pyro_sanitizer::trace::{Recorder, TraceEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take until it makes its first instance, before the debugger is ready without it.
const START: Duration = Duration::from_secs(10);
/// How long a program may take to make its pipelines again.
const RELOAD: Duration = Duration::from_secs(120);
/// How often a program is looked at that has not come yet.
const LOOK: Duration = Duration::from_millis(5);

/// A program that runs under capture, and the replay beside it.
pub(super) struct Live {
    /// Removed at the end, with what is in it.
    folder: PathBuf,
    /// The program sees this driver as long as this is there.
    _manifest: exec::Manifest,
    child: Child,
    listener: UnixListener,
    gate: Option<UnixStream>,
    reader: Option<Reader<File>>,
    follower: Option<Player>,
    /// How many records the follower has replayed, with those before the checkpoint at which it began.
    played: usize,
    /// The last submission was waited for.
    is_idle: bool,
    /// The program waits.
    waits: bool,
    /// What it is to write into its memory before it goes on.
    patches: Contents,
}

/// Bytes of memory that are compared at once.
const PAGE_BYTES: usize = 4096;

/// What is to be written where memory holds one so that it holds the other.
fn differences(before: &Contents, after: &Contents) -> Contents {
    let pages = |contents: &Contents| -> BTreeMap<(u64, u64), Vec<u8>> {
        let of_one = |(memory, offset, bytes): &(u64, u64, Vec<u8>)| {
            let (memory, offset) = (*memory, *offset);
            let pages = bytes.chunks(PAGE_BYTES).enumerate();
            let pages =
                pages.map(|(page, bytes)| ((memory, offset + (page * PAGE_BYTES) as u64), bytes.to_vec()));
            pages.collect::<Vec<_>>()
        };
        contents.iter().flat_map(of_one).collect()
    };
    let (before, after) = (pages(before), pages(after));
    let places: BTreeSet<&(u64, u64)> = before.keys().chain(after.keys()).collect();
    let mut differences = Vec::new();
    for place in places {
        // Pages of zeros are left out.
        let length = before.get(place).or(after.get(place)).map_or(0, Vec::len);
        let zeros = vec![0; length];
        let (old, new) = (before.get(place).unwrap_or(&zeros), after.get(place).unwrap_or(&zeros));
        let differs = |(old, new): (&u8, &u8)| old != new;
        let mut bytes = old.iter().zip(new);
        let Some(first) = bytes.clone().position(differs) else { continue };
        let last = bytes.rposition(differs).unwrap_or(first);
        differences.push((place.0, place.1 + first as u64, new[first..=last].to_vec()));
    }
    differences
}

/// Starts a program, and waits until it makes an instance.
///
/// # Errors
/// When it cannot be started, or ends without one.
pub(super) fn start(command: &[OsString]) -> Result<Replayed<Live>> {
    let folder = std::env::temp_dir().join(format!("pyroclast-debug-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let manifest = exec::Manifest::write()?;
    let mut program = manifest.command(command)?;
    let socket = folder.join("gate");
    let listener = UnixListener::bind(&socket).context("the gate")?;
    listener.set_nonblocking(true)?;
    // Standard output may be the protocol's.
    program
        .env("PYROCLAST_CAPTURE", folder.join("live.pyro"))
        .env("PYROCLAST_CAPTURE_GATE", &socket)
        .stdin(Stdio::null())
        .stdout(std::io::stderr());
    let child = program.spawn().with_context(|| exec::cannot_run(command))?;
    let mut live = Live {
        folder,
        _manifest: manifest,
        child,
        listener,
        gate: None,
        reader: None,
        follower: None,
        played: 0,
        is_idle: false,
        waits: false,
        patches: Vec::new(),
    };
    let start = Instant::now();
    while !live.connect()? && start.elapsed() < START {
        if live.child.try_wait().context("the program")?.is_some() && !live.connect()? {
            bail!("the program made no Vulkan instance on this driver, so there is nothing to debug");
        }
        std::thread::sleep(LOOK);
    }
    Ok(Replayed { capture: Capture::default(), checkpoints: Checkpoints::new(true), origin: live })
}

impl Live {
    /// Takes the program's connection; whether there is one.
    fn connect(&mut self) -> Result<bool> {
        if self.gate.is_none() {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    self.gate = Some(stream);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error).context("the gate"),
            }
        }
        Ok(self.gate.is_some())
    }

    /// Waits for the program at the gate for a time; whether it is there.
    fn comes(&mut self, wait: Duration) -> Result<bool> {
        let Some(gate) = &mut self.gate else {
            std::thread::sleep(wait);
            return Ok(false);
        };
        gate.set_read_timeout(Some(wait))?;
        match gate.read(&mut [0]) {
            Ok(1) => Ok(true),
            // It has ended, or is about to.
            Ok(_) => {
                std::thread::sleep(LOOK);
                Ok(false)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionReset) => {
                Ok(false)
            }
            Err(error) => Err(error).context("the gate"),
        }
    }

    /// Has the program put a module in the place of another; how many pipelines it has made again.
    fn reload(&mut self, digest: u64, words: &[u32]) -> Result<u32, String> {
        let gate = self.gate.as_mut().filter(|_| self.waits).ok_or("it does not wait")?;
        let words: Vec<u8> = std::iter::once(words.len() as u32)
            .chain(words.iter().copied())
            .flat_map(u32::to_le_bytes)
            .collect();
        let mut ask = || -> std::io::Result<Result<u32, String>> {
            gate.write_all(&[b"r", &digest.to_le_bytes()[..], &words].concat())?;
            gate.set_read_timeout(Some(RELOAD))?;
            let (mut kind, mut number) = ([0], [0; 4]);
            gate.read_exact(&mut kind)?;
            gate.read_exact(&mut number)?;
            let number = u32::from_le_bytes(number);
            if kind == *b"r" {
                return Ok(Ok(number));
            }
            let mut why = Vec::new();
            Read::take(&mut *gate, number.into()).read_to_end(&mut why)?;
            Ok(Err(String::from_utf8_lossy(&why).into_owned()))
        };
        ask().map_err(|error| format!("it does not answer ({error})"))?
    }

    /// Lets the program go on, with what it is to write before.
    fn let_go_on(&mut self) {
        if !std::mem::take(&mut self.waits) {
            return;
        }
        if let Some(gate) = &mut self.gate {
            for (memory, offset, bytes) in self.patches.drain(..) {
                let length = (bytes.len() as u32).to_le_bytes();
                let head = [&memory.to_le_bytes()[..], &offset.to_le_bytes(), &length].concat();
                let _ = gate.write_all(&[b"w", &head[..], &bytes].concat());
            }
            // One that has ended is seen by who waits for it.
            let _ = gate.write_all(b"g");
        }
    }
}

impl Replayed<Live> {
    /// Reads what the program has recorded since.
    fn read(&mut self) -> Result<()> {
        let live = &mut self.origin;
        if live.reader.is_none() {
            let file = File::open(live.folder.join("live.pyro")).context("the capture")?;
            live.reader = Some(Reader::new(file)?);
        }
        if let Some(reader) = &mut live.reader {
            self.capture.read_more(reader)?;
        }
        Ok(())
    }

    /// Replays what the follower has not replayed, up to a submission or with it.
    fn play(&mut self, recorder: &Recorder, stops_at_submission: bool) -> Result<(), String> {
        let Replayed { capture, checkpoints, origin: live } = self;
        let Some(player) = &mut live.follower else { return Ok(()) };
        let start = Instant::now();
        let mut records = capture.records_from(live.played);
        loop {
            let is_submission = records.clone().next().is_some_and(|next| is_submission(&next));
            if stops_at_submission && is_submission {
                checkpoints.spend(start.elapsed());
                // A program at the gate has nothing under way, but for what waits for itself.
                return match live.is_idle {
                    true => checkpoints.lay(player, capture, live.played),
                    false => Ok(()),
                };
            }
            let Some(record) = records.next() else { break };
            if let Played::Submission { is_idle } = play_one(player, recorder, &record, &records)? {
                live.is_idle = is_idle;
            }
            live.played += 1;
        }
        checkpoints.spend(start.elapsed());
        Ok(())
    }

    fn progress(&mut self, wait: Duration) -> Result<Progress> {
        let live = &mut self.origin;
        live.let_go_on();
        live.connect()?;
        if live.comes(wait)? {
            live.waits = true;
            self.read()?;
            return Ok(Progress::Submitted);
        }
        match live.child.try_wait().context("the program")? {
            Some(status) => Ok(Progress::Ended(status.code())),
            None => Ok(Progress::Busy),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Let go on, it can heed the request to end.
        self.gate = None;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            end(&mut self.child);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Origin for Live {
    fn end_other_replay(&mut self) {
        self.follower = None;
    }

    fn program(of: &mut Replayed<Live>) -> Option<&mut dyn LiveProgram> {
        Some(of)
    }
}

impl LiveProgram for Replayed<Live> {
    fn is_followed(&self) -> bool {
        self.origin.follower.is_some()
    }

    fn follow(&mut self, recorder: &Recorder, events: &[TraceEvent]) -> Result<(), String> {
        let player = self.origin.follower.insert(replay::player());
        (self.origin.played, self.origin.is_idle) = (0, false);
        if let Some((part, record)) = self.checkpoints.newest()? {
            recorder.begin_behind(&events[..part.events_before(events)]);
            let mut records = part.records.records();
            while let Some(record) = records.next() {
                play_one(player, recorder, &record, &records)?;
            }
            player.set_submissions(part.submissions);
            self.origin.played = record;
        }
        self.play(recorder, false)
    }

    fn go_on(&mut self, recorder: &Recorder, wait: Duration) -> Result<Progress, String> {
        let progress = self.progress(wait).map_err(|error| format!("{error:#}"))?;
        if progress == Progress::Submitted {
            self.play(recorder, true)?;
        }
        Ok(progress)
    }

    fn contents(&mut self, recorder: &Recorder, events: &Events<'_>) -> Result<Contents, String> {
        self.origin.end_other_replay();
        let mut player = play_events(&self.capture, &mut self.checkpoints, recorder, events)?;
        let contents = player.snapshot().map_err(|error| error.to_string());
        player.finish();
        contents
    }

    fn write_changes(&mut self, before: &Contents, after: &Contents) {
        self.origin.patches.extend(differences(before, after));
    }

    fn reload(&mut self, digest: u64, words: &[u32]) -> Result<u32, String> {
        self.origin.reload(digest, words)
    }

    fn submit(&mut self, recorder: &Recorder) -> Result<(), String> {
        self.play(recorder, false)
    }
}
