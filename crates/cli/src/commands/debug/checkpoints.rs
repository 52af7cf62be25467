//! Checkpoints: what memory held before some submissions, so that a later replay begins there and not at the
//! start. A replay from one makes the objects that the submissions need, writes the contents, and goes on
//! ([`pyro_replay::trim`]).

use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::Record;
use pyro_debugger::session::Events;
use pyro_replay::Player;
use pyro_replay::trim::{self, Snapshot};
use pyro_sanitizer::trace::TraceEvent;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long a replay goes on, at least, before its state is worth to be kept: beginning at a checkpoint costs
/// some milliseconds for the objects.
const EVERY: Duration = Duration::from_millis(100);
/// It goes on for so many times what the last checkpoint cost.
const COST: u32 = 8;
/// Checkpoints of a capture; of more, every second one goes.
const COUNT_MAX: usize = 16;
/// Bytes of contents of all checkpoints together.
const BYTES_MAX: usize = 1 << 29;

/// What memory held before a submission.
struct Checkpoint {
    /// The submission's record.
    record: usize,
    /// Submissions before it.
    submission: u64,
    contents: Snapshot,
}

impl Checkpoint {
    fn bytes(&self) -> usize {
        self.contents.iter().map(|(.., bytes)| bytes.len()).sum()
    }
}

/// A part that was made of a checkpoint.
struct Part {
    record: usize,
    last_submission: Option<u64>,
    capture: Rc<Capture>,
}

/// The checkpoints of a capture.
pub(super) struct Checkpoints {
    all: Vec<Checkpoint>,
    /// Only the newest is kept.
    keeps_newest: bool,
    /// A replay from one had other results.
    is_off: bool,
    /// Other shaders run than those of the program: what memory holds from now on is not what it has.
    is_frozen: bool,
    /// The last replay began at one.
    is_used: bool,
    /// How long has been replayed since the last one.
    busy: Duration,
    /// What the last one cost.
    cost: Duration,
    part: Option<Part>,
}

/// How many of the events are before a submission.
pub(super) fn events_before(events: &[TraceEvent], submission: u64) -> usize {
    events.partition_point(|event| event.submission < submission)
}

impl Checkpoints {
    /// None yet; of a program that goes on, only the newest is kept.
    pub(super) fn new(keeps_newest: bool) -> Checkpoints {
        Checkpoints {
            all: Vec::new(),
            keeps_newest,
            is_off: false,
            is_frozen: false,
            is_used: false,
            busy: Duration::ZERO,
            cost: Duration::ZERO,
            part: None,
        }
    }

    /// The submissions before which they are.
    pub(super) fn submissions(&self) -> Vec<u64> {
        self.all.iter().map(|one| one.submission).collect()
    }

    /// What memory holds is that of another replay.
    pub(super) fn forget(&mut self) {
        self.all.clear();
        self.part = None;
        self.busy = Duration::ZERO;
    }

    /// Those that there are stay, and no others come.
    pub(super) fn freeze(&mut self) {
        self.is_frozen = true;
        self.part = None;
    }

    /// A replay from a checkpoint has other results than the whole: no more of them, if the last one was.
    pub(super) fn distrust(&mut self) -> bool {
        let is_used = std::mem::take(&mut self.is_used);
        if is_used {
            self.is_off = true;
            self.forget();
        }
        is_used
    }

    /// A replay begins, or goes on, at this time.
    pub(super) fn spend(&mut self, time: Duration) {
        self.busy += time;
    }

    /// Keeps the state before a submission, if it is time for that. The device is idle.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub(super) fn lay(&mut self, player: &mut Player, record: usize) -> Result<(), String> {
        let is_new = self.all.last().is_none_or(|last| last.record < record);
        if self.is_off || self.is_frozen || !is_new || self.busy < EVERY.max(self.cost * COST) {
            return Ok(());
        }
        let start = Instant::now();
        let submission = player.counts().submissions;
        let contents = player.snapshot().map_err(|error| error.to_string())?;
        if self.keeps_newest {
            self.all.clear();
        }
        self.all.push(Checkpoint { record, submission, contents });
        let is_too_much = |all: &[Checkpoint]| {
            all.len() > COUNT_MAX || all.iter().map(Checkpoint::bytes).sum::<usize>() > BYTES_MAX
        };
        while is_too_much(&self.all) {
            // The newest stays, and what is before it at greater and greater distances.
            let count = self.all.len();
            let mut number = 0;
            self.all.retain(|_| {
                number += 1;
                count > 1 && (count - number).is_multiple_of(2)
            });
            self.is_off |= count == 1;
        }
        self.cost = start.elapsed();
        self.busy = Duration::ZERO;
        Ok(())
    }

    /// The newest before a submission, and before all from it on.
    fn before(&self, submission: u64) -> Option<&Checkpoint> {
        self.all.iter().rev().find(|one| one.submission <= submission)
    }

    /// The part of a capture that has the submissions of the events, from a checkpoint on, with how many
    /// events are before it; none where no checkpoint is before them.
    ///
    /// # Errors
    /// When the capture cannot be taken apart.
    pub(super) fn part(
        &mut self,
        capture: &Capture,
        events: &Events<'_>,
    ) -> Result<Option<(Rc<Capture>, usize)>, String> {
        self.is_used = false;
        let submission_of = |event: u32| events.known.get(event as usize).map(|event| event.submission);
        let Some(first) = submission_of(events.first) else { return Ok(None) };
        let last = match events.last {
            Some(last) => match submission_of(last) {
                Some(last) => Some(last),
                None => return Ok(None),
            },
            None => None,
        };
        let Some(checkpoint) = self.before(first) else { return Ok(None) };
        let before = events_before(events.known, checkpoint.submission);
        if let Some(part) = &self.part
            && (part.record, part.last_submission) == (checkpoint.record, last)
        {
            let found = (Rc::clone(&part.capture), before);
            self.is_used = true;
            return Ok(Some(found));
        }
        let text = |error: pyro_replay::ReplayError| error.to_string();
        let graph = Graph::new(capture).map_err(|error| error.to_string())?;
        let (start, contents) = (checkpoint.record, checkpoint.contents.clone());
        let bytes = match last {
            Some(last) => {
                let is_made = |at: &usize| match &graph.nodes[*at].record {
                    Record::Call(call) => call.result as u32 as i32 >= 0,
                    _ => false,
                };
                let made = graph.submissions.iter().map(|(at, _)| *at).filter(is_made);
                let Some(at) = made.into_iter().nth(last as usize) else { return Ok(None) };
                let part = start..graph.end_of(at).max(start);
                trim::with_contents(&graph, part, contents).map_err(text)?.encoded()
            }
            None => {
                let mut whole = trim::before_anything(&graph, start, contents).map_err(text)?;
                whole.kept[start..].fill(true);
                whole.encoded()
            }
        };
        let capture = Rc::new(Capture::of_records(bytes).map_err(|error| error.to_string())?);
        let record = checkpoint.record;
        self.part = Some(Part { record, last_submission: last, capture: Rc::clone(&capture) });
        self.is_used = true;
        Ok(Some((capture, before)))
    }

    /// What is before the newest: its record, the records, and how many of the events.
    ///
    /// # Errors
    /// When the capture cannot be taken apart.
    pub(super) fn newest(
        &self,
        capture: &Capture,
        events: &[TraceEvent],
    ) -> Result<Option<(usize, Capture, usize)>, String> {
        let Some(checkpoint) = self.all.last() else { return Ok(None) };
        let graph = Graph::new(capture).map_err(|error| error.to_string())?;
        let before = trim::before_anything(&graph, checkpoint.record, checkpoint.contents.clone())
            .map_err(|error| error.to_string())?;
        let records = Capture::of_records(before.encoded()).map_err(|error| error.to_string())?;
        Ok(Some((checkpoint.record, records, events_before(events, checkpoint.submission))))
    }
}
