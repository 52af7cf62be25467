//! What takes another replay: changes, other shaders, other invocations, the history of a pixel.

use super::{BreakpointKind, Reload, Session, Stop};
use crate::history::{self, Touch};
use crate::target::Wanted;
use pyro_sanitizer::trace;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Records the same invocations again, and goes to a position in the same one.
    pub(super) fn record_again(&mut self, focus: usize, position: u32) -> Result<Stop, String> {
        let (ids, stage) = (self.timeline().invocations[focus].ids.clone(), self.stage_of(focus).to_owned());
        self.record()?;
        let timeline = self.timeline();
        let is_same = |&index: &usize| {
            let table = &timeline.trace.tables[timeline.invocations[index].table];
            timeline.invocations[index].ids == ids && table.stage == stage
        };
        let same =
            (0..timeline.invocations.len()).find(is_same).ok_or("the invocation does not run any more")?;
        self.position = position.min(timeline.length(same));
        self.focus = same;
        Ok(Stop::Changed)
    }

    /// Puts another module in the place of one, and starts again.
    ///
    /// # Errors
    /// When the module cannot be compiled.
    pub fn replace_module(&mut self, digest: u64, words: Vec<u32>) -> Result<Stop, String> {
        let original = self.replacements.iter().find(|(_, words)| trace::module_digest(words) == digest);
        let original = original.map_or(digest, |(original, _)| *original);
        let before = self.replacements.clone();
        let names: Vec<String> = self.sources.iter().map(|source| source.source.name.clone()).collect();
        self.replacements.insert(original, words.into());
        self.changes.clear();
        self.writes.clear();
        self.replays.forget();
        let first = self.first_event();
        let result = self.survey(first).and_then(|()| {
            self.resolve_again(&names);
            self.run(self.breakpoints.is_empty())
        });
        if result.is_err() {
            self.replacements = before;
            self.replays.forget();
        }
        result
    }

    /// Compiles the source of the shader that is debugged from a file, puts it in its place, and starts
    /// again.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn reload(&mut self, path: &Path) -> Result<Stop, String> {
        let (focus, _) = self.place();
        let program = &self.timeline().invocations[focus].program;
        if program.is_kernel() {
            return Err("CUDA kernels cannot be compiled anew: change the program's PTX".to_owned());
        }
        let digest = program.digest;
        let stage = self.stage_of(focus).to_owned();
        let words = self.replays.compile(path, &stage)?;
        match self.is_live() {
            true => self.reload_live(digest, words.into()),
            false => self.replace_module(digest, words),
        }
    }

    /// Has a live program go on with a module in the place of another, and begins its last submission again
    /// with that here.
    fn reload_live(&mut self, digest: u64, words: Arc<[u32]>) -> Result<Stop, String> {
        let program = self.replays.program().ok_or("there is no program")?;
        let count =
            program.reload(digest, &words).map_err(|why| format!("the program keeps its shader: {why}"))?;
        self.output.push(match count {
            0 => "the program has no pipeline of the shader now; those that it makes have the new one"
                .to_owned(),
            1 => "the program goes on with the shader: a pipeline was made again".to_owned(),
            _ => format!("the program goes on with the shader: {count} pipelines were made again"),
        });
        let new = trace::module_digest(&words);
        self.replaced.insert(digest);
        self.replaced.remove(&new);
        self.modules.retain(|program| program.digest != digest);
        for source in &mut self.sources {
            source.modules.retain(|(of, _)| *of != digest);
        }
        self.recorder.learn(&words);
        self.learn_modules()?;
        self.resolve_more();
        self.changes.clear();
        self.writes.clear();
        let event = self.first_event();
        self.reloads.push(Reload { event, digest, words });
        let stop = match self.run(self.breakpoints.is_empty()) {
            // Nothing comes to a breakpoint any more: where the first invocation begins.
            Err(_) if !self.breakpoints.is_empty() => self.run(true),
            stop => stop,
        };
        stop.map_err(|error| format!("the program has the shader, but {error}"))
    }

    /// Finds the places of breakpoints again, among other sources; `names` are those that there were.
    fn resolve_again(&mut self, names: &[String]) {
        let mut breakpoints = std::mem::take(&mut self.breakpoints);
        for breakpoint in &mut breakpoints {
            if let BreakpointKind::Line { source, .. } = &mut breakpoint.kind {
                *source = self.source_named(&names[*source]).unwrap_or(usize::MAX);
            }
            (breakpoint.line, breakpoint.insts) = self.resolve(&breakpoint.kind);
        }
        // What was on a source that is gone is gone.
        breakpoints.retain(|one| !matches!(one.kind, BreakpointKind::Line { source: usize::MAX, .. }));
        self.breakpoints = breakpoints;
    }

    /// Starts the same invocation again, without changes.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn restart(&mut self, stop_on_entry: bool) -> Result<Stop, String> {
        self.changes.clear();
        self.writes.clear();
        self.run(stop_on_entry)
    }

    /// Follows another invocation.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn retarget(&mut self, wanted: Wanted, stop_on_entry: bool) -> Result<Stop, String> {
        wanted.check()?;
        self.wanted = wanted;
        self.surveyed = None;
        self.changes.clear();
        self.writes.clear();
        self.run(stop_on_entry)
    }

    /// Every fragment that touched a pixel, in order, in one draw or in all.
    ///
    /// # Errors
    /// When the capture cannot be replayed.
    pub fn history(&mut self, pixel: [u32; 2], event: Option<u32>) -> Result<Vec<Touch>, String> {
        let events = event.map_or([0, u32::MAX >> 1], |event| [event; 2]);
        let wanted = Wanted { pixel: Some(pixel), ..Wanted::default() };
        self.recorder.set_targets(&wanted.targets(events));
        self.recorder.set_only_fragments(true);
        let trace = self.replay(events[0], event);
        self.recorder.set_only_fragments(false);
        let trace = trace?;
        if trace.is_full {
            self.output.push("the history is not complete: it is as large as it may be".to_owned());
        }
        Ok(history::of_pixel(&trace, pixel))
    }

    /// The names of the modules' functions, for completion.
    pub fn function_names(&self) -> BTreeMap<String, u64> {
        let mut names = BTreeMap::new();
        for program in &self.modules {
            let module = program.module();
            for function in module.functions() {
                names.insert(program.function_name(module.function(function).id), program.digest);
            }
        }
        names
    }
}
