//! A live program: it is let go on from submission to submission, and stopped behind the one in which an
//! invocation comes to a breakpoint. What it did is walked in a replay, as with captures.

use super::{Events, Progress, Session, Stop};
use pyro_sanitizer::trace::{self, Quarry};
use std::sync::Arc;
use std::time::Duration;

/// What a live program did while it was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It runs.
    Running,
    /// It waits: an invocation has come to a breakpoint.
    Stopped(Stop),
    /// It has ended, with this exit code; none by a signal.
    Ended(Option<i32>),
}

impl Session {
    /// Whether a live program is debugged.
    pub fn is_live(&mut self) -> bool {
        self.replays.program().is_some()
    }

    /// Stops a live program at the first invocation that comes, of the target where there is one.
    pub fn pause(&mut self) {
        self.pauses = true;
    }

    /// Goes on in what was recorded of a live program; none: nothing more stops there, so the program is to
    /// be let go on ([`Session::advance`]).
    ///
    /// # Errors
    /// When the program cannot be replayed.
    pub fn go_on(&mut self) -> Result<Option<Stop>, String> {
        if self.is_running() {
            let stop = self.resume(true);
            if stop != Stop::End {
                return Ok(Some(stop));
            }
            // Other draws and dispatches of the submission.
            let (focus, _) = self.place();
            let after = self.timeline().invocations[focus].event.saturating_add(1);
            let last = (self.events.len() as u32).saturating_sub(1);
            if let Some(stop) = self.stop_between(after, last)? {
                return Ok(Some(stop));
            }
        }
        self.carry_changes()?;
        self.forget();
        Ok(None)
    }

    /// What was changed becomes a part of what the live program did: it gets the contents of memory that its
    /// last submission leaves with the changes, shaders that were reloaded among them.
    fn carry_changes(&mut self) -> Result<(), String> {
        if self.is_unchanged() || !self.is_live() || self.events.is_empty() {
            return Ok(());
        }
        let (changes, writes) = (std::mem::take(&mut self.changes), std::mem::take(&mut self.writes));
        let reloads = std::mem::take(&mut self.reloads);
        let known = self.events.clone();
        let (first, last) = (self.first_event(), Some(known.len() as u32 - 1));
        let before = Events { first, last, known: &known, writes: &[], reloads: &[] };
        let after = Events { writes: &writes, reloads: &reloads, ..before };
        self.recorder.set_targets(&[]);
        trace::install(Some(Arc::clone(&self.recorder)));
        let mut replayed = Vec::new();
        for (changes, events) in [(Vec::new(), before), (changes, after)] {
            self.recorder.set_changes(changes);
            drop(self.recorder.take());
            if let Some(program) = self.replays.program() {
                replayed.push(program.contents(&self.recorder, &events));
            }
        }
        trace::install(None);
        drop(self.recorder.take());
        self.recorder.set_changes(Vec::new());
        let contents = replayed.into_iter().collect::<Result<Vec<_>, String>>()?;
        if let ([before, after], Some(program)) = (&contents[..], self.replays.program()) {
            program.write_changes(before, after);
        }
        Ok(())
    }

    /// Nothing is shown any more: the program goes on.
    fn forget(&mut self) {
        self.timeline = None;
        self.machines.clear();
    }

    /// Lets a live program go on to its next submission, and waits for that for a time; it is called again
    /// and again as long as the program runs.
    ///
    /// # Errors
    /// When the program cannot be replayed.
    pub fn advance(&mut self, wait: Duration) -> Result<Advance, String> {
        trace::install(Some(Arc::clone(&self.recorder)));
        let advanced = self.advance_with_recorder(wait);
        trace::install(None);
        let (first, found) = match advanced? {
            Submission::None => return Ok(Advance::Running),
            Submission::Ended(code) => return Ok(Advance::Ended(code)),
            Submission::Found(first, found) => (first, found),
        };
        let last = (self.recorder.event_count() as u32).saturating_sub(1);
        let stop = match found {
            Found::Invocation(found) => self.stop_at(&found)?,
            Found::Finding(found) => Some(self.go_to_finding(&found, [first, last])?),
        };
        // Where no condition holds there, others may come.
        let stop = match stop {
            Some(stop) => Some(stop),
            None => self.stop_between(self.timeline().invocations[self.place().0].event + 1, last)?,
        };
        if stop.is_none() {
            self.forget();
        }
        Ok(stop.map_or(Advance::Running, Advance::Stopped))
    }

    fn advance_with_recorder(&mut self, wait: Duration) -> Result<Submission, String> {
        let Some(program) = self.replays.program() else { return Ok(Submission::Ended(None)) };
        if !program.is_followed() {
            self.recorder.set_changes(self.changes.clone());
            self.recorder.set_replacements(self.replacements.clone());
            self.recorder.set_targets(&[]);
            self.keep_events();
            let events = self.events.clone();
            if let Some(program) = self.replays.program() {
                program.follow(&self.recorder, &events)?;
            }
        }
        let Some(program) = self.replays.program() else { return Ok(Submission::Ended(None)) };
        match program.go_on(&self.recorder, wait)? {
            Progress::Busy => return Ok(Submission::None),
            Progress::Ended(code) => return Ok(Submission::Ended(code)),
            Progress::Submitted => {}
        }
        // Before the submission runs: shaders are compiled with their pipelines.
        self.learn_modules()?;
        self.resolve_more();
        let first = self.recorder.event_count() as u32;
        let lines = self.breakpoint_insts();
        let wanted = if lines.is_empty() || self.pauses { None } else { Some(lines) };
        let hunts = wanted.is_some() || self.pauses || self.wanted.says_invocation();
        let finds = self.recorder.finding_count();
        if hunts {
            self.recorder.set_targets(&self.wanted.targets(self.events_wanted(first, u32::MAX >> 1)));
            self.recorder.begin_hunt(wanted, self.wanted.means_last());
        } else {
            self.recorder.set_targets(&[]);
        }
        let played = match self.replays.program() {
            Some(program) => program.submit(&self.recorder),
            None => Ok(()),
        };
        let found = self.recorder.end_hunt();
        self.recorder.set_targets(&[]);
        played?;
        self.learn_modules()?;
        self.resolve_more();
        if self.stops_at_findings
            && let Some(found) = self.recorder.finding(finds)
        {
            return Ok(Submission::Found(first, Found::Finding(found)));
        }
        Ok(found.map_or(Submission::None, |found| Submission::Found(first, Found::Invocation(found))))
    }

    /// The events of a range that are wanted.
    fn events_wanted(&self, first: u32, last: u32) -> [u32; 2] {
        match self.wanted.event {
            Some(event) if (first..=last).contains(&event) => [event; 2],
            // None.
            Some(_) => [1, 0],
            None => [first, last],
        }
    }

    /// Goes to an invocation that was found, and to where it stops; none where no condition holds.
    fn stop_at(&mut self, found: &Quarry) -> Result<Option<Stop>, String> {
        self.go_to(found)?;
        let stop = if self.pauses || self.breakpoint_insts().is_empty() {
            Some(self.start(true)?)
        } else {
            self.position = 0;
            match self.resume(true) {
                Stop::End => self.stop_elsewhere(found)?,
                stop => Some(stop),
            }
        };
        self.pauses &= stop.is_none();
        Ok(stop)
    }

    /// Looks for another invocation that stops, in events of the submission.
    fn stop_between(&mut self, first: u32, last: u32) -> Result<Option<Stop>, String> {
        let mut first = first;
        while first <= last {
            let lines = self.breakpoint_insts();
            let wanted = if lines.is_empty() || self.pauses { None } else { Some(lines) };
            if wanted.is_none() && !self.pauses && !self.wanted.says_invocation() {
                return Ok(None);
            }
            let targets = self.wanted.targets(self.events_wanted(first, last));
            let Some(found) = self.hunt(&targets, wanted, last, self.wanted.means_last())? else {
                return Ok(None);
            };
            if let Some(stop) = self.stop_at(&found)? {
                return Ok(Some(stop));
            }
            first = found.event.saturating_add(1);
        }
        Ok(None)
    }
}

/// What there is in a submission.
enum Submission {
    /// None came, or nothing in it stops.
    None,
    /// The program has ended.
    Ended(Option<i32>),
    /// Something that stops, and the first event.
    Found(u32, Found),
}

enum Found {
    Invocation(Quarry),
    Finding(trace::FoundAt),
}
