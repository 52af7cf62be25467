//! A client for the terminal, or for scripts: a command in each line, as debuggers have them.

use crate::program::Place;
use crate::session::{Advance, BreakpointKind, Session, StackFrame, Step, Stop};
use crate::target::Wanted;
use crate::timeline::Granularity;
use crate::view::Scope;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Duration;

/// Lines around the one at hand that `list` shows.
const LIST_LINES: u32 = 5;
/// How long a live program is waited for at once.
const LIVE_WAIT: Duration = Duration::from_millis(100);
/// Parts of a value that `print` shows.
const PARTS_SHOWN: u64 = 32;

const HELP: &str = "\
break FILE:LINE | LINE | FUNCTION [if CONDITION]   stop there
log FILE:LINE TEXT          say the text with the values of {expressions} there, without a stop
watch EXPRESSION            stop behind writes to a variable or a place in a buffer
findings [off]              `run` stops where the sanitizer finds something (PYROCLAST_SANITIZE)
delete [NUMBER], breakpoints
run                         begin: to the first breakpoint, else to the first line; a live program goes on
continue, reverse           to the next breakpoint, to the one before; a live program goes on
next, step, finish          a line over calls, into calls, out of the function
back, rstep, rfinish        the same backwards
barrier, rbarrier           to the next barrier of the workgroup, to the one before
stepi, backi                an instruction of SPIR-V
print EXPRESSION            the value of an expression
lanes EXPRESSION            its value in all invocations of the subgroup
set VARIABLE = VALUE        change a variable, and run the invocation again with it
locals, inputs, outputs, globals, shared, buffers, images, ids
where, list [LINE], disassemble
threads [all], thread NUMBER  the invocations under way, or all that were recorded
events, sources, functions
target pixel X Y [layer N] [sample N] | vertex N | primitive N | workgroup X Y Z | local X Y Z | ray X Y Z [event N] [stage S]
history X Y [EVENT]         every fragment that touched a pixel
reload FILE                 compile the shader from a file, and begin again with it
quit
An empty line does the last command again.
";

/// A client that reads commands.
pub struct Terminal<'a> {
    session: Session,
    output: &'a mut dyn Write,
    prompt: bool,
    /// The first command that failed, for the exit code.
    has_failed: bool,
}

impl<'a> Terminal<'a> {
    /// On a session; with a prompt where someone types.
    pub fn new(session: Session, output: &'a mut dyn Write, prompt: bool) -> Terminal<'a> {
        Terminal { session, output, prompt, has_failed: false }
    }

    /// Runs commands until there are no more; whether all were done.
    ///
    /// # Errors
    /// Of the streams.
    pub fn run(&mut self, input: &mut dyn BufRead) -> io::Result<bool> {
        let mut last = String::new();
        loop {
            if self.prompt {
                write!(self.output, "(pyroclast) ")?;
                self.output.flush()?;
            }
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(!self.has_failed);
            }
            let mut line = line.trim().to_owned();
            if line.starts_with('#') {
                continue;
            }
            if line.is_empty() {
                line.clone_from(&last);
            }
            if matches!(line.as_str(), "quit" | "q" | "exit") {
                return Ok(!self.has_failed);
            }
            let result = self.command(&line);
            for text in self.session.take_output() {
                writeln!(self.output, "{text}")?;
            }
            match result {
                Ok(text) => write!(self.output, "{text}")?,
                Err(error) => {
                    self.has_failed = true;
                    writeln!(self.output, "error: {error}")?;
                }
            }
            last = line;
        }
    }

    fn command(&mut self, line: &str) -> Result<String, String> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => Ok(String::new()),
            "help" | "h" | "?" => Ok(HELP.to_owned()),
            "break" | "b" => self.add_break(rest, None),
            "log" => {
                let (place, text) = rest.split_once(char::is_whitespace).ok_or("log FILE:LINE TEXT")?;
                self.add_break(place, Some(text.trim().to_owned()))
            }
            "watch" => {
                let (focus, _) = self.running()?.place();
                let watched = self.session.watched(focus, None, rest)?;
                let id = self.session.add_breakpoint(BreakpointKind::Data(watched), None, None, None).id;
                Ok(format!("breakpoint {id} on writes to {rest}\n"))
            }
            "findings" => {
                self.session.set_stops_at_findings(rest != "off");
                Ok(String::new())
            }
            "delete" | "d" => {
                match rest.parse::<u64>() {
                    Ok(number) => self.session.remove_breakpoints(|one| one.id == number),
                    Err(_) if rest.is_empty() => self.session.remove_breakpoints(|_| true),
                    Err(_) => return Err(format!("\"{rest}\" is not a number")),
                }
                Ok(String::new())
            }
            "breakpoints" => Ok(self.list_breakpoints()),
            "run" | "r" if self.session.is_live() => {
                if self.session.breakpoints().is_empty() && !self.session.is_running() {
                    self.session.pause();
                }
                self.go_live()
            }
            "continue" | "c" if self.session.is_live() => self.go_live(),
            "run" | "r" => {
                let has_none = self.session.breakpoints().is_empty();
                let stop = self.session.run(has_none)?;
                Ok(self.stopped(&stop))
            }
            "target" => {
                let wanted = parse_target(rest)?;
                let stop = self.session.retarget(wanted, true)?;
                Ok(self.stopped(&stop))
            }
            "reload" => {
                self.running()?;
                let stop = self.session.reload(Path::new(rest))?;
                Ok(self.stopped(&stop))
            }
            "continue" | "c" | "reverse" | "rc" => {
                let forwards = command.starts_with('c');
                let stop = self.running()?.resume(forwards);
                Ok(self.stopped(&stop))
            }
            "next" | "n" => self.step(Step::Over, Granularity::Line, rest),
            "step" | "s" => self.step(Step::In, Granularity::Line, rest),
            "finish" => self.step(Step::Out, Granularity::Line, rest),
            "back" => self.step(Step::Back, Granularity::Line, rest),
            "rstep" => self.step(Step::BackIn, Granularity::Line, rest),
            "rfinish" => self.step(Step::BackOut, Granularity::Line, rest),
            "barrier" => self.step(Step::Barrier, Granularity::Line, rest),
            "rbarrier" => self.step(Step::BackBarrier, Granularity::Line, rest),
            "stepi" | "si" => self.step(Step::In, Granularity::Instruction, rest),
            "backi" => self.step(Step::BackIn, Granularity::Instruction, rest),
            "print" | "p" => self.print(rest),
            "lanes" => self.lanes(rest),
            "set" => {
                let (name, value) = rest.split_once('=').ok_or("set VARIABLE = VALUE")?;
                self.running()?;
                let stop = self.session.set_value(None, name.trim(), value.trim())?;
                Ok(self.stopped(&stop))
            }
            "locals" | "inputs" | "outputs" | "globals" | "shared" | "buffers" | "images" | "ids" => {
                self.scope(command)
            }
            "where" | "bt" => self.backtrace(),
            "list" | "l" => self.list(rest),
            "disassemble" => self.disassemble(),
            "threads" => self.threads(rest == "all"),
            "thread" => {
                let number: usize = rest.parse().map_err(|_| format!("\"{rest}\" is not a thread"))?;
                let count = self.running()?.timeline().invocations.len();
                if number == 0 || number > count {
                    return Err(format!("there is no thread {number}: there are {count}"));
                }
                self.session.set_focus(number - 1);
                Ok(self.stopped(&Stop::Step))
            }
            "history" => self.history(rest),
            "events" => Ok(self.events()),
            "sources" => {
                let names = self.session.sources.iter().map(|source| format!("{}\n", source.source.name));
                Ok(names.collect())
            }
            "functions" => Ok(self.session.function_names().keys().map(|name| format!("{name}\n")).collect()),
            _ => Err(format!("there is no command \"{command}\": `help` lists them")),
        }
    }

    fn running(&mut self) -> Result<&mut Session, String> {
        if self.session.is_running() {
            Ok(&mut self.session)
        } else {
            Err("nothing runs yet: `run`".to_owned())
        }
    }

    /// Lets a live program go on until it stops or ends.
    fn go_live(&mut self) -> Result<String, String> {
        if let Some(stop) = self.session.go_on()? {
            return Ok(self.stopped(&stop));
        }
        loop {
            let advanced = self.session.advance(LIVE_WAIT)?;
            let mut out = String::new();
            for breakpoint in self.session.take_placed() {
                let line = breakpoint.line.map(|line| format!(" at line {line}")).unwrap_or_default();
                out += &format!("breakpoint {} is placed{line}\n", breakpoint.id);
            }
            for text in self.session.take_output() {
                out += &format!("{text}\n");
            }
            write!(self.output, "{out}").map_err(|error| error.to_string())?;
            match advanced {
                Advance::Running => {}
                Advance::Stopped(stop) => return Ok(self.stopped(&stop)),
                Advance::Ended(Some(code)) => return Ok(format!("the program has ended with {code}\n")),
                Advance::Ended(None) => return Ok("the program was ended by a signal\n".to_owned()),
            }
        }
    }

    fn step(&mut self, step: Step, granularity: Granularity, count: &str) -> Result<String, String> {
        let count: u32 = if count.is_empty() {
            1
        } else {
            count.parse().map_err(|_| format!("\"{count}\" is not a number"))?
        };
        let mut stop = Stop::Step;
        for _ in 0..count {
            stop = self.running()?.step(step, granularity);
            if matches!(stop, Stop::End | Stop::Entry) {
                break;
            }
        }
        if granularity == Granularity::Instruction {
            let (focus, position) = self.session.place();
            let timeline = self.session.timeline();
            let inst = timeline.step(focus, position).and_then(|step| {
                timeline.invocations[focus].program.inst(step.inst).map(pyro_spirv::instruction_text)
            });
            if let Some(inst) = inst {
                return Ok(format!("{}    {inst}\n", self.stopped(&stop)));
            }
        }
        Ok(self.stopped(&stop))
    }

    /// Where it stands, with the line.
    fn stopped(&mut self, stop: &Stop) -> String {
        let (focus, _) = self.session.place();
        let front = match stop {
            Stop::Breakpoint(ids) => format!("breakpoint {}, ", numbers(ids)),
            Stop::Data(ids) => format!("written: breakpoint {}, ", numbers(ids)),
            Stop::End => return format!("the end of {}\n", self.session.name_of(focus)),
            Stop::Changed => "changed, ".to_owned(),
            Stop::Finding(text) => format!("{text}\n"),
            Stop::Entry | Stop::Step => String::new(),
        };
        let name = self.session.name_of(focus);
        let frames = self.session.frames(focus);
        let Some(StackFrame { name: function, place, .. }) = frames.first() else {
            return format!("{front}{name}\n");
        };
        let digest = self.session.timeline().invocations[focus].program.digest;
        let shown = place.map(|place| self.place_text(digest, place)).unwrap_or_default();
        let line = place.and_then(|place| self.line_text(digest, place.source, place.line));
        let line = line.map_or(String::new(), |(line, text)| format!("{line:>5}  {text}\n"));
        format!("{front}{name}, {function} at {shown}\n{line}")
    }

    fn place_text(&self, digest: u64, place: Place) -> String {
        let source = self.source(digest, place.source);
        format!("{}:{}", source.map_or("?", |source| source.source.name.as_str()), place.line)
    }

    fn source(&self, digest: u64, number: usize) -> Option<&crate::session::SessionSource> {
        self.session.sources.iter().find(|source| source.modules.contains(&(digest, number)))
    }

    /// A line's text: of the module, or of the file.
    fn line_text(&self, digest: u64, number: usize, line: u32) -> Option<(u32, String)> {
        let source = self.source(digest, number)?;
        let at = (line as usize).checked_sub(1)?;
        let text = match &source.source.text {
            Some(text) => text.lines().nth(at)?.to_owned(),
            None => std::fs::read_to_string(&source.source.name).ok()?.lines().nth(at)?.to_owned(),
        };
        Some((line, text))
    }

    fn add_break(&mut self, rest: &str, log: Option<String>) -> Result<String, String> {
        let (place, condition) = match rest.split_once(" if ") {
            Some((place, condition)) => (place.trim(), Some(condition.trim().to_owned())),
            None => (rest, None),
        };
        let kind = match place.rsplit_once(':') {
            Some((file, line)) => {
                let line = line.parse().map_err(|_| format!("\"{line}\" is not a line"))?;
                let source = self.session.source_to_come(file);
                let source = source.ok_or_else(|| {
                    let known: Vec<&str> =
                        self.session.sources.iter().map(|source| source.source.name.as_str()).collect();
                    format!("no shader was compiled from \"{file}\": there are {}", known.join(", "))
                })?;
                BreakpointKind::Line { source, line }
            }
            None => match place.parse() {
                Ok(line) => BreakpointKind::Line { source: self.default_source()?, line },
                Err(_) => BreakpointKind::Function(place.to_owned()),
            },
        };
        let breakpoint = self.session.add_breakpoint(kind, condition, None, log).clone();
        if !breakpoint.is_at_code() && self.session.is_live() {
            return Ok(format!("breakpoint {} at {place}, once a shader has it\n", breakpoint.id));
        }
        if !breakpoint.is_at_code() {
            self.session.remove_breakpoints(|one| one.id == breakpoint.id);
            return Err(format!("no shader has code at {place}"));
        }
        let line = breakpoint.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        Ok(format!("breakpoint {} at {place}{line}\n", breakpoint.id))
    }

    /// The source of the shader at hand; before one runs the only one with lines.
    fn default_source(&mut self) -> Result<usize, String> {
        if self.session.is_running() {
            let (focus, _) = self.session.place();
            let digest = self.session.timeline().invocations[focus].program.digest;
            let place = self.session.frames(focus).first().and_then(|frame| frame.place);
            let number = place.map_or(0, |place| place.source);
            let is_it = |source: &crate::session::SessionSource| source.modules.contains(&(digest, number));
            return self.session.sources.iter().position(is_it).ok_or("the shader has no source".to_owned());
        }
        let is_text = |source: &crate::session::SessionSource| !source.source.name.ends_with(".spvasm");
        let mut texts =
            (0..self.session.sources.len()).filter(|&index| is_text(&self.session.sources[index]));
        match (texts.next(), texts.next()) {
            (Some(one), None) => Ok(one),
            _ if self.session.sources.len() == 1 => Ok(0),
            _ => Err("there are several sources: FILE:LINE says which".to_owned()),
        }
    }

    fn list_breakpoints(&self) -> String {
        let mut out = String::new();
        for breakpoint in self.session.breakpoints() {
            let what = match &breakpoint.kind {
                BreakpointKind::Line { source, line } => {
                    let name = &self.session.sources[*source].source.name;
                    format!("{name}:{}", breakpoint.line.unwrap_or(*line))
                }
                BreakpointKind::Function(name) => name.clone(),
                BreakpointKind::Instruction(_, inst) => format!("instruction {inst}"),
                BreakpointKind::Data(_) => "writes".to_owned(),
            };
            let condition =
                breakpoint.condition.as_ref().map(|text| format!(" if {text}")).unwrap_or_default();
            out += &format!("{:>3}  {what}{condition}\n", breakpoint.id);
        }
        out
    }

    fn print(&mut self, text: &str) -> Result<String, String> {
        let (focus, position) = self.running()?.place();
        self.session.with_state(focus, position, None, |context| {
            let value = crate::expression::evaluate(context, text)?;
            let mut out = format!("{text} = {}\n", crate::expression::text(context, &value));
            if let crate::expression::Evaluated::Shown(shown) = &value
                && context.count(shown) > 4
            {
                for part in context.parts(shown, 0, Some(PARTS_SHOWN)) {
                    out += &format!("  {} = {}\n", part.name, context.text(&part));
                }
            }
            Ok(out)
        })
    }

    fn lanes(&mut self, text: &str) -> Result<String, String> {
        let values = self.running()?.neighbours(text);
        let mut out = String::new();
        for (index, value) in values {
            let (_, is_active) = self.session.position_of(index);
            let mark = if is_active { ' ' } else { '-' };
            out += &format!(
                "{mark} {:>4}  {:<50} {}\n",
                index + 1,
                self.session.name_of(index),
                value.unwrap_or_else(|error| error)
            );
        }
        Ok(out)
    }

    /// The variables of the scope with this name.
    fn scope(&mut self, name: &str) -> Result<String, String> {
        let is_it = |scope: &Scope| scope.name().eq_ignore_ascii_case(name);
        let scope = Scope::ALL.into_iter().find(is_it).ok_or("there is no such scope")?;
        let (focus, position) = self.running()?.place();
        Ok(self.session.with_state(focus, position, None, |context| {
            let line = |shown: &crate::view::Shown| {
                format!("{} {} = {}\n", context.type_name(shown), shown.name, context.text(shown))
            };
            context.scope(scope).iter().map(line).collect()
        }))
    }

    fn backtrace(&mut self) -> Result<String, String> {
        let (focus, _) = self.running()?.place();
        let digest = self.session.timeline().invocations[focus].program.digest;
        let frames = self.session.frames(focus);
        let line = |(index, StackFrame { name, place, .. }): (usize, &StackFrame)| {
            let place = place.map(|place| self.place_text(digest, place)).unwrap_or_default();
            format!("#{index} {name} at {place}\n")
        };
        Ok(frames.iter().enumerate().map(line).collect())
    }

    fn list(&mut self, rest: &str) -> Result<String, String> {
        let (focus, _) = self.running()?.place();
        let digest = self.session.timeline().invocations[focus].program.digest;
        let frames = self.session.frames(focus);
        let place = frames.first().and_then(|frame| frame.place).ok_or("the shader has no source here")?;
        let middle = rest.parse().unwrap_or(place.line);
        let mut out = String::new();
        for line in middle.saturating_sub(LIST_LINES).max(1)..=middle.saturating_add(LIST_LINES) {
            let Some((line, text)) = self.line_text(digest, place.source, line) else { continue };
            let mark = if line == place.line { '>' } else { ' ' };
            out += &format!("{mark}{line:>5}  {text}\n");
        }
        if out.is_empty() {
            return Err("the text of the source is not in the module, and there is no such file".to_owned());
        }
        Ok(out)
    }

    fn disassemble(&mut self) -> Result<String, String> {
        let (focus, position) = self.running()?.place();
        let timeline = self.session.timeline();
        let program = &timeline.invocations[focus].program;
        let here = timeline.step(focus, position).map_or(0, |step| step.inst);
        let lines = here.saturating_sub(LIST_LINES)..=here.saturating_add(LIST_LINES);
        let line = |at: u32| {
            let mark = if at == here { '>' } else { ' ' };
            program.inst(at).map(|inst| format!("{mark}{at:>5}  {}\n", pyro_spirv::instruction_text(inst)))
        };
        Ok(lines.filter_map(line).collect())
    }

    fn threads(&mut self, all: bool) -> Result<String, String> {
        let (focus, _) = self.running()?.place();
        let mut out = String::new();
        let count = self.session.timeline().invocations.len();
        for index in if all { (0..count).collect() } else { self.session.under_way() } {
            let mark = if index == focus { '*' } else { ' ' };
            let (_, is_active) = self.session.position_of(index);
            let state = if is_active { "" } else { "  not active" };
            out += &format!("{mark}{:>5}  {}{state}\n", index + 1, self.session.name_of(index));
        }
        Ok(out)
    }

    fn history(&mut self, rest: &str) -> Result<String, String> {
        let numbers: Result<Vec<u32>, _> = rest.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|_| "history X Y [EVENT]".to_owned())?;
        let (&[x, y], event) = (numbers.first_chunk::<2>().ok_or("history X Y [EVENT]")?, numbers.get(2));
        let touches = self.session.history([x, y], event.copied())?;
        if touches.is_empty() {
            return Ok(format!("no fragment touches pixel ({x}, {y})\n"));
        }
        Ok(touches.iter().map(|touch| format!("{touch}\n")).collect())
    }

    fn events(&self) -> String {
        let line = |(number, event): (usize, &pyro_sanitizer::trace::TraceEvent)| {
            let [x, y, z] = event.size;
            format!("{number:>6}  submission {:>5}  {:?} {x} x {y} x {z}\n", event.submission, event.kind)
        };
        self.session.events.iter().enumerate().map(line).collect()
    }
}

fn numbers(ids: &[u64]) -> String {
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

/// What `target` and the command line say: words such as `pixel 3 4 event 7`.
///
/// # Errors
/// What is wrong with it.
pub fn parse_target(text: &str) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let mut number = || -> Result<u32, String> {
            let next = words.next().ok_or_else(|| format!("a number is missing behind \"{word}\""))?;
            next.parse().map_err(|_| format!("\"{next}\" is not a number"))
        };
        match word {
            "event" => wanted.event = Some(number()?),
            "pixel" => wanted.pixel = Some([number()?, number()?]),
            "layer" => wanted.layer = Some(number()?),
            "sample" => wanted.sample = Some(number()?),
            "vertex" => wanted.vertex = Some(number()?),
            "instance" => wanted.instance = Some(number()?),
            "primitive" | "patch" => wanted.primitive = Some(number()?),
            "workgroup" => wanted.workgroup = Some([number()?, number()?, number()?]),
            "local" => wanted.local = Some([number()?, number()?, number()?]),
            "ray" => wanted.ray = Some([number()?, number()?, number()?]),
            "stage" => {
                let stage = words.next().ok_or("a stage is missing behind \"stage\"")?;
                wanted.stage = Some(stage.replace('_', " "));
            }
            _ => return Err(format!("\"{word}\" is not part of a target")),
        }
    }
    wanted.check()?;
    Ok(wanted)
}
