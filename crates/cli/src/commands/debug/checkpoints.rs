//! Checkpoints: what memory held before some submissions, and what was alive, so that a later replay begins
//! there and not at the start. A replay from one makes the objects that the submissions need, writes the
//! contents, and goes on ([`pyro_replay::state`], [`pyro_replay::trim`]).
//!
//! What is kept of a checkpoint is made of the one before and of the records since, so that neither a
//! checkpoint nor a replay from it costs more the longer the capture is.

use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::{self, Record};
use pyro_debugger::session::Events;
use pyro_replay::trim::{self, Snapshot};
use pyro_replay::{Player, ReplayError, state};
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

/// What was before a submission.
struct Checkpoint {
    /// The submission's record.
    record: usize,
    /// Submissions before it.
    submission: u64,
    /// What memory held.
    contents: Snapshot,
    /// Calls that make what was alive.
    objects: state::Records,
}

impl Checkpoint {
    fn bytes(&self) -> usize {
        self.contents.iter().map(|(.., bytes)| bytes.len()).sum::<usize>() + self.objects.bytes.len()
    }

    /// The calls, then the contents of memory.
    fn with_contents(&self) -> Vec<u8> {
        let mut bytes = self.objects.bytes.clone();
        for (memory, offset, contents) in &self.contents {
            record::append(&Record::Write { memory: *memory, offset: *offset, bytes: contents }, &mut bytes);
        }
        bytes
    }
}

/// A replay that begins at a checkpoint.
#[derive(Clone)]
pub(super) struct Part {
    /// What is replayed.
    pub(super) records: Rc<Capture>,
    /// The first of the records that is not about what was before the checkpoint.
    pub(super) first: usize,
    /// Submissions that are left out.
    pub(super) submissions: u64,
    /// The checkpoint's record in the whole.
    record: usize,
    last_submission: Option<u64>,
}

/// The checkpoints of a capture.
pub(super) struct Checkpoints {
    all: Vec<Checkpoint>,
    /// A program goes on to make the capture: only the newest is kept.
    is_live: bool,
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

fn text(error: impl Into<ReplayError>) -> String {
    error.into().to_string()
}

/// Whether a call of a submission was successful.
fn is_made_submission(record: &Record<'_>) -> bool {
    matches!(record, Record::Call(call) if super::submits(call.command) && call.result as u32 as i32 >= 0)
}

impl Checkpoints {
    /// None yet; of a program that goes on, only the newest is kept.
    pub(super) fn new(is_live: bool) -> Checkpoints {
        Checkpoints {
            all: Vec::new(),
            is_live,
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

    /// Other shaders run from now on: what memory holds is that of another replay. The program keeps its own,
    /// so what there is of a live one stays, and no others come.
    pub(super) fn forget(&mut self) {
        self.part = None;
        match self.is_live {
            true => self.is_frozen = true,
            false => self.clear(),
        }
    }

    fn clear(&mut self) {
        self.all.clear();
        self.part = None;
        self.busy = Duration::ZERO;
    }

    /// A replay from a checkpoint has other results than the whole: no more of them, if the last one was.
    pub(super) fn distrust(&mut self) -> bool {
        let is_used = std::mem::take(&mut self.is_used);
        if is_used {
            self.is_off = true;
            self.clear();
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
    /// When memory cannot be read, or the capture cannot be taken apart.
    pub(super) fn lay(&mut self, player: &mut Player, whole: &Capture, record: usize) -> Result<(), String> {
        let is_new = self.all.last().is_none_or(|last| last.record < record);
        if self.is_off || self.is_frozen || !is_new || self.busy < EVERY.max(self.cost * COST) {
            return Ok(());
        }
        let start = Instant::now();
        let submission = player.counts().submissions;
        let objects = self.objects_before(whole, record).map_err(text)?;
        let contents = player.snapshot().map_err(text)?;
        if self.is_live {
            self.all.clear();
        }
        self.all.push(Checkpoint { record, submission, contents, objects });
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

    /// What is alive before a record, from the last checkpoint on.
    fn objects_before(&self, whole: &Capture, record: usize) -> Result<state::Records, ReplayError> {
        let (first, mut bytes) = match self.all.last() {
            Some(last) => (last.record, last.with_contents()),
            None => (0, Vec::new()),
        };
        whole.records_from(first).take(record - first).for_each(|one| record::append(&one, &mut bytes));
        let records = Capture::of_records(bytes)?;
        state::behind(&Graph::new(&records)?)
    }

    /// The newest before a submission, and before all from it on.
    fn before(&self, submission: u64) -> Option<&Checkpoint> {
        self.all.iter().rev().find(|one| one.submission <= submission)
    }

    /// The part of a capture that has the submissions of the events, from a checkpoint on; none where no
    /// checkpoint is before them.
    ///
    /// # Errors
    /// When the capture cannot be taken apart.
    pub(super) fn part(&mut self, whole: &Capture, events: &Events<'_>) -> Result<Option<Part>, String> {
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
        let is_same = |part: &&Part| (part.record, part.last_submission) == (checkpoint.record, last);
        let part = match self.part.as_ref().filter(is_same) {
            Some(part) => Some(part.clone()),
            None => part_from(checkpoint, whole, last).map_err(text)?,
        };
        self.is_used = part.is_some();
        self.part.clone_from(&part);
        Ok(part)
    }

    /// What is before the newest, as a part without anything behind it, with the checkpoint's record.
    ///
    /// # Errors
    /// When the checkpoint is not one of records.
    pub(super) fn newest(&self) -> Result<Option<(Part, usize)>, String> {
        let Some(checkpoint) = self.all.last() else { return Ok(None) };
        let records = Capture::of_records(checkpoint.with_contents()).map_err(text)?;
        let (record, submissions) = (checkpoint.record, checkpoint.submission);
        let first = records.record_count();
        let records = Rc::new(records);
        let part = Part { records, first, submissions, record, last_submission: None };
        Ok(Some((part, record)))
    }
}

/// What is behind a checkpoint, up to a submission and with it; none where the submission was not successful.
fn part_from(
    checkpoint: &Checkpoint,
    whole: &Capture,
    last_submission: Option<u64>,
) -> Result<Option<Part>, ReplayError> {
    let Checkpoint { record, submission, .. } = *checkpoint;
    let made = |records, first| Part {
        records: Rc::new(records),
        first,
        submissions: submission,
        record,
        last_submission,
    };
    let Some(last) = last_submission else {
        let mut bytes = checkpoint.with_contents();
        whole.records_from(record).for_each(|one| record::append(&one, &mut bytes));
        let first = checkpoint.objects.count + checkpoint.contents.len();
        return Ok(Some(made(Capture::of_records(bytes)?, first)));
    };
    let mut bytes = checkpoint.objects.bytes.clone();
    let mut left = last - submission + 1;
    for one in whole.records_from(record) {
        let belongs =
            matches!(one, Record::Note(_) | Record::Groups { .. } | Record::Host(_) | Record::Seen { .. });
        if left == 0 && !belongs {
            break;
        }
        left -= u64::from(left > 0 && is_made_submission(&one));
        record::append(&one, &mut bytes);
    }
    if left > 0 {
        return Ok(None);
    }
    let records = Capture::of_records(bytes)?;
    let graph = Graph::new(&records)?;
    let part = checkpoint.objects.count..graph.nodes.len();
    let trimmed = trim::with_contents(&graph, part.clone(), checkpoint.contents.clone())?;
    let before = trimmed.kept[..part.start].iter().filter(|kept| **kept).count();
    Ok(Some(made(Capture::of_records(trimmed.encoded())?, before)))
}

impl Part {
    /// How many of the events are before it.
    pub(super) fn events_before(&self, events: &[TraceEvent]) -> usize {
        events.partition_point(|event| event.submission < self.submissions)
    }
}
