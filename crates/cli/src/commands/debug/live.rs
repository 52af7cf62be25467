//! A live program: it records its calls, and waits behind each submission (`PYROCLAST_CAPTURE_GATE`) until
//! what it did has been replayed here.

use super::checkpoints::Checkpoints;
use super::{Played, compile, end, exec, is_submission, play_all, play_events, play_one};
use crate::commands::replay;
use anyhow::{Context, Result, bail};
use pyro_capture::file::{Capture, Reader};
use pyro_debugger::session::{Contents, Events, LiveProgram, Progress, Replays};
use pyro_replay::Player;
use pyro_sanitizer::trace::{Recorder, TraceEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take until it makes its first instance, before the debugger is ready without it.
const START: Duration = Duration::from_secs(10);
/// How often a program is looked at that has not come yet.
const LOOK: Duration = Duration::from_millis(5);

/// A program that runs under capture, and the replay beside it.
pub(super) struct LiveReplays {
    /// Removed at the end, with what is in it.
    folder: PathBuf,
    /// The program sees this driver as long as this is there.
    _manifest: exec::Manifest,
    child: Child,
    listener: UnixListener,
    gate: Option<UnixStream>,
    reader: Option<Reader<File>>,
    capture: Capture,
    /// The first block that the replay beside the program has not seen, and in it the records that it has.
    place: (usize, usize),
    follower: Option<Player>,
    /// How many records the follower has replayed, with those before the checkpoint at which it began.
    played: usize,
    checkpoints: Checkpoints,
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

impl LiveReplays {
    /// Starts a program, and waits until it makes an instance.
    ///
    /// # Errors
    /// When it cannot be started, or ends without one.
    pub(super) fn start(command: &[OsString]) -> Result<LiveReplays> {
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
        let mut live = LiveReplays {
            folder,
            _manifest: manifest,
            child,
            listener,
            gate: None,
            reader: None,
            capture: Capture::default(),
            place: (0, 0),
            follower: None,
            played: 0,
            checkpoints: Checkpoints::new(true),
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
        Ok(live)
    }

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

    /// Reads what the program has recorded since.
    fn read(&mut self) -> Result<()> {
        if self.reader.is_none() {
            let file = File::open(self.folder.join("live.pyro")).context("the capture")?;
            self.reader = Some(Reader::new(file)?);
        }
        if let Some(reader) = &mut self.reader {
            self.capture.read_more(reader)?;
        }
        Ok(())
    }

    /// Replays what the follower has not replayed, up to a submission or with it.
    fn play(&mut self, recorder: &Recorder, stops_at_submission: bool) -> Result<(), String> {
        let Some(player) = &mut self.follower else { return Ok(()) };
        let (block, seen) = self.place;
        let start = Instant::now();
        let mut records = self.capture.records_from(block);
        let mut count = 0;
        for _ in 0..seen {
            records.next();
        }
        loop {
            let is_submission = records.clone().next().is_some_and(|next| is_submission(&next));
            if stops_at_submission && is_submission {
                self.place = (block, seen + count);
                self.played += count;
                self.checkpoints.spend(start.elapsed());
                // A program at the gate has nothing under way, but for what waits for itself.
                return match self.is_idle {
                    true => self.checkpoints.lay(player, self.played),
                    false => Ok(()),
                };
            }
            let Some(record) = records.next() else { break };
            if let Played::Submission { is_idle } = play_one(player, recorder, &record, &records)? {
                self.is_idle = is_idle;
            }
            count += 1;
        }
        self.checkpoints.spend(start.elapsed());
        self.played += count;
        self.place = (self.capture.block_count(), 0);
        Ok(())
    }

    fn progress(&mut self, wait: Duration) -> Result<Progress> {
        if self.waits {
            self.waits = false;
            if let Some(gate) = &mut self.gate {
                for (memory, offset, bytes) in self.patches.drain(..) {
                    let length = (bytes.len() as u32).to_le_bytes();
                    let head = [&memory.to_le_bytes()[..], &offset.to_le_bytes(), &length].concat();
                    let _ = gate.write_all(&[b"w", &head[..], &bytes].concat());
                }
                // One that has ended is seen below.
                let _ = gate.write_all(b"g");
            }
        }
        self.connect()?;
        if self.comes(wait)? {
            self.waits = true;
            self.read()?;
            return Ok(Progress::Submitted);
        }
        match self.child.try_wait().context("the program")? {
            Some(status) => Ok(Progress::Ended(status.code())),
            None => Ok(Progress::Busy),
        }
    }
}

impl Drop for LiveReplays {
    fn drop(&mut self) {
        // Let go on, it can heed the request to end.
        self.gate = None;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            end(&mut self.child);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Replays for LiveReplays {
    fn replay(&mut self, recorder: &Recorder, events: &Events<'_>) -> Result<u64, String> {
        // Both would have memory at the same addresses.
        self.follower = None;
        play_all(&self.capture, &mut self.checkpoints, recorder, events)
    }

    fn begin_whole(&mut self) -> bool {
        self.checkpoints.distrust()
    }

    fn checkpoints(&self) -> Vec<u64> {
        self.checkpoints.submissions()
    }

    fn forget(&mut self) {
        self.checkpoints.freeze();
    }

    fn compile(&mut self, path: &Path, stage: &str) -> Result<Vec<u32>, String> {
        compile(path, stage)
    }

    fn program(&mut self) -> Option<&mut dyn LiveProgram> {
        Some(self)
    }
}

impl LiveProgram for LiveReplays {
    fn is_followed(&self) -> bool {
        self.follower.is_some()
    }

    fn follow(&mut self, recorder: &Recorder, events: &[TraceEvent]) -> Result<(), String> {
        let player = self.follower.insert(replay::player());
        (self.played, self.place, self.is_idle) = (0, (0, 0), false);
        if let Some((record, before, count)) = self.checkpoints.newest(&self.capture, events)? {
            recorder.begin_behind(&events[..count]);
            let mut records = before.records();
            while let Some(record) = records.next() {
                play_one(player, recorder, &record, &records)?;
            }
            (self.played, self.place) = (record, self.capture.place_of(record));
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
        self.follower = None;
        let mut player = play_events(&self.capture, &mut self.checkpoints, recorder, events)?;
        let contents = player.snapshot().map_err(|error| error.to_string());
        player.finish();
        contents
    }

    fn write_changes(&mut self, before: &Contents, after: &Contents) {
        self.patches.extend(differences(before, after));
    }

    fn submit(&mut self, recorder: &Recorder) -> Result<(), String> {
        self.play(recorder, false)
    }
}
