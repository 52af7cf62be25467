//! What profiles say: where the time went, by activity, pass, command, pipeline, stage, source line and
//! instruction.
//!
//! Every sample is in one row of each table, and all rows of [`Summary::activities`] add up to the processor
//! time of the processes, as what no sample has is a row of its own.

use crate::activity::Activity;
use crate::code::Function;
use crate::counters::{CountedShader, ShaderCounts};
use crate::profile::{Profile, Stack};
use pyro_abi::shader_map::{NO_FILE, ShaderMap, ShaderPlace};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The activity of samples in generated code, which no [`Activity`] stands for.
pub const SHADERS: &str = "shaders";
/// What no sample has: threads that ended between two samples.
pub const NOT_SAMPLED: &str = "not sampled";

/// Time by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// Processor time in nanoseconds.
    pub ns: u64,
}

/// A command's time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRow {
    /// What it is, such as `draw`.
    pub kind: String,
    /// Its numbers.
    pub size: [u32; 3],
    /// How many commands are before it in its command buffer.
    pub number: u32,
    /// Names of its passes, outermost first.
    pub passes: Vec<String>,
    /// The name of its pipeline; empty: it has none.
    pub pipeline: String,
    /// How often it ran.
    pub count: u64,
    /// Processor time in nanoseconds.
    pub ns: u64,
    /// Of that, in shaders.
    pub shader_ns: u64,
    /// Time from beginning to end, of all times that it ran; zero for draws.
    pub wall_ns: u64,
}

/// A source line's time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRow {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Its text, where the module carries it.
    pub text: String,
    /// The stage.
    pub stage: String,
    /// The function.
    pub function: String,
    /// Processor time in nanoseconds.
    pub ns: u64,
    /// Exact counts, where they were asked for.
    pub counts: Option<LineCounts>,
}

/// Exact counts of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Invocations that ran it.
    pub invocations: u64,
    /// Lanes of the subgroups that did.
    pub lanes: u64,
    /// Instructions of SPIR-V.
    pub instructions: u64,
    /// Bytes read from buffers and workgroup memory.
    pub read_bytes: u64,
    /// Bytes written there.
    pub written_bytes: u64,
    /// Image operations.
    pub texels: u64,
    /// Barriers.
    pub barriers: u64,
    /// Atomic operations.
    pub atomics: u64,
    /// Reads and writes of buffers, each of all active lanes of a subgroup.
    pub buffer_accesses: u64,
    /// The cache lines in which they begin, counted once for each access.
    pub cache_lines: u64,
}

impl LineCounts {
    /// Of the lanes, how many were active; zero where nothing ran.
    pub fn active(&self) -> f64 {
        if self.lanes == 0 { 0.0 } else { self.invocations as f64 / self.lanes as f64 }
    }
}

/// An instruction's time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionRow {
    /// The shader.
    pub shader: String,
    /// The instruction as assembly.
    pub text: String,
    /// The file, and the line from 1; zero: not known.
    pub file: String,
    /// See `file`.
    pub line: u32,
    /// Processor time in nanoseconds.
    pub ns: u64,
}

/// Machine code that was made of a shader, or of an image function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeRow {
    /// Its name.
    pub name: String,
    /// Time in it, without what it calls.
    pub ns: u64,
    /// How many variants have been compiled.
    pub variants: u64,
    /// Bytes of machine code, of all variants.
    pub code_bytes: u64,
    /// Moves to and from the stack in them, where registers did not suffice.
    pub spills: u64,
}

/// A step of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepRow {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub count: u64,
    /// Time that it took, in nanoseconds.
    pub wall_ns: u64,
}

/// A source file that shaders were made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its text, where a module carries it.
    pub text: String,
}

/// A part of the time, with what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub name: String,
    /// Processor time in nanoseconds, its parts' included.
    pub ns: u64,
    /// Its parts.
    pub parts: BTreeMap<String, Frame>,
}

impl Frame {
    fn add(&mut self, path: &[String], ns: u64) {
        self.ns += ns;
        if let Some((first, rest)) = path.split_first() {
            let part = self.parts.entry(first.clone()).or_default();
            part.name.clone_from(first);
            part.add(rest, ns);
        }
    }
}

/// What profiles of some processes say together. Tables begin with what took most time.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The processes' programs.
    pub programs: Vec<String>,
    /// From the first process's beginning to the last one's end, in nanoseconds.
    pub wall_ns: u64,
    /// Processor time of all processes.
    pub cpu_ns: u64,
    /// How many samples there are.
    pub sample_count: u64,
    /// By what threads did.
    pub activities: Vec<Row>,
    /// By thread.
    pub threads: Vec<Row>,
    /// By queue.
    pub queues: Vec<Row>,
    /// By pass, those within it apart.
    pub passes: Vec<Row>,
    /// By command.
    pub commands: Vec<CommandRow>,
    /// By pipeline.
    pub pipelines: Vec<Row>,
    /// By the stage of a shader.
    pub stages: Vec<Row>,
    /// By shader and function, in shaders.
    pub functions: Vec<Row>,
    /// By source line, in shaders.
    pub lines: Vec<LineRow>,
    /// By instruction of SPIR-V, in shaders.
    pub instructions: Vec<InstructionRow>,
    /// Machine code, the greatest time first.
    pub code: Vec<CodeRow>,
    /// The compiler's steps.
    pub steps: Vec<StepRow>,
    /// Sources of shaders.
    pub sources: Vec<Source>,
    /// All of it, from what threads did down to lines.
    pub flame: Frame,
}

/// Sums by key.
type Sums<K> = HashMap<K, u64>;

/// A command: its name, size and number, the passes that it is in, and its pipeline.
type CommandKey = (String, [u32; 3], u32, Vec<String>, String);

/// A line: its file and number, its stage, and the function where the line is not known.
type LineKey = (String, u32, String, String);

/// The key of a line in a function.
fn line_key(file: &str, line: u32, stage: &str, function: &str) -> LineKey {
    let function = if line == 0 { function } else { "" };
    (file.to_owned(), line, stage.to_owned(), function.to_owned())
}

/// What a row of machine code is called.
fn code_name(function: &Function) -> String {
    function.map.as_ref().map_or_else(|| function.name.clone(), |map| map.name())
}

#[derive(Default)]
struct Tables {
    activities: Sums<String>,
    threads: Sums<String>,
    queues: Sums<String>,
    passes: Sums<String>,
    commands: HashMap<CommandKey, [u64; 4]>,
    pipelines: Sums<String>,
    stages: Sums<String>,
    functions: Sums<String>,
    lines: HashMap<LineKey, Line>,
    instructions: HashMap<(String, String, String, u32), u64>,
    /// Time, variants, bytes and spills, by name.
    code: HashMap<String, [u64; 4]>,
    steps: HashMap<String, [u64; 2]>,
    sources: BTreeMap<String, String>,
}

/// What is known of a line.
#[derive(Default)]
struct Line {
    /// The function of the source: samples know those whose calls are inlined, counts those of the module.
    function: String,
    is_of_sample: bool,
    ns: u64,
    counts: Option<LineCounts>,
}

/// The shader that a sample is in, with its place.
struct InShader<'p> {
    map: &'p ShaderMap,
    place: Option<&'p ShaderPlace>,
    /// A function that the shader called: an image function, or code of the driver.
    callee: Option<&'p str>,
}

impl InShader<'_> {
    fn file(&self) -> &str {
        let file = self.place.and_then(|place| self.map.files.get(place.file as usize));
        file.map_or("", |file| &file.name)
    }

    /// The functions that called one another up to that one, the entry point first.
    fn callers(&self) -> impl Iterator<Item = String> {
        let callers = self.place.and_then(|place| self.map.callers.get(place.callers as usize));
        let name = move |function: &u32| self.map.functions.get(*function as usize).cloned();
        callers.into_iter().flatten().filter_map(name)
    }

    fn function(&self) -> &str {
        let function = self.place.and_then(|place| self.map.functions.get(place.function as usize));
        function.map_or(&self.map.entry_point, |name| name)
    }
}

fn in_shader<'p>(profile: &'p Profile, stack: &Stack) -> Option<InShader<'p>> {
    let mut callee = None;
    for place in stack.places() {
        let function = profile.functions.get(place.function as usize)?;
        if let Some(map) = function.map.as_deref() {
            let place = map.places.get(place.place as usize).and_then(Option::as_ref);
            return Some(InShader { map, place, callee });
        }
        callee = callee.or(Some(&function.name[..]));
    }
    None
}

/// What a thread did, by name.
fn activity_name(stack: &Stack) -> &'static str {
    match stack.activity() {
        _ if !stack.frames.is_empty() => SHADERS,
        activity => activity.name(),
    }
}

/// The names of passes around one, outermost first.
fn pass_names(profile: &Profile, pass: u32) -> Vec<String> {
    let (mut names, mut at) = (Vec::new(), pass);
    while at != 0 && names.len() < 64 {
        let Some(pass) = profile.passes.get(at as usize) else { break };
        names.push(pass.name.clone());
        at = pass.parent;
    }
    names.reverse();
    names
}

fn pass_name(names: &[String]) -> String {
    if names.is_empty() { "(no pass)".to_owned() } else { names.join(" / ") }
}

/// A command by its kind and numbers.
pub fn command_name(kind: &str, size: [u32; 3]) -> String {
    match size {
        [0, 0, 0] => kind.to_owned(),
        [a, b, 0] => format!("{kind} {a} × {b}"),
        [a, b, c] => format!("{kind} {a} × {b} × {c}"),
    }
}

impl Tables {
    fn add(&mut self, profile: &Profile, flame: &mut Frame) {
        for function in &profile.functions {
            let [_, variants, code_bytes, spills] = self.code.entry(code_name(function)).or_default();
            *variants += 1;
            *code_bytes += function.code_bytes;
            *spills += function.spills;
        }
        for function in profile.functions.iter().filter_map(|function| function.map.as_ref()) {
            self.add_sources(function);
        }
        let mut sampled = 0;
        let commands_shown: Vec<Vec<String>> =
            profile.commands.iter().map(|command| pass_names(profile, command.pass)).collect();
        for (command, passes) in profile.commands.iter().zip(&commands_shown).skip(1) {
            let sums = self.command(profile, command, passes);
            sums[2] += command.wall_ns;
            sums[3] += command.count;
        }
        let names: HashMap<u32, &str> =
            profile.threads.iter().map(|thread| (thread.number, &thread.name[..])).collect();
        for samples in &profile.samples {
            sampled += samples.ns;
            let (stack, ns) = (&samples.stack, samples.ns);
            let activity = activity_name(stack);
            *self.activities.entry(activity.to_owned()).or_default() += ns;
            let thread = names.get(&stack.thread).copied().unwrap_or("?");
            *self.threads.entry(thread.to_owned()).or_default() += ns;
            let mut path = vec![activity.to_owned()];
            let has_command =
                matches!(stack.activity(), Activity::Engine | Activity::Queue) && stack.tag != 0;
            if has_command && let Some(command) = profile.commands.get(stack.tag as usize) {
                let passes = &commands_shown[stack.tag as usize];
                *self.queues.entry(format!("queue {}", command.queue)).or_default() += ns;
                *self.passes.entry(pass_name(passes)).or_default() += ns;
                let pipeline = profile.pipelines.get(command.pipeline as usize).cloned().unwrap_or_default();
                let sums = self.command(profile, command, passes);
                sums[0] += ns;
                sums[1] += if stack.frames.is_empty() { 0 } else { ns };
                path.extend(passes.iter().cloned());
                path.push(command_name(&command.kind, command.size));
                if !pipeline.is_empty() {
                    *self.pipelines.entry(pipeline).or_default() += ns;
                }
            }
            if stack.activity() == Activity::Compile
                && let Some(step) = profile.steps.get(stack.tag as usize).filter(|_| stack.tag != 0)
            {
                path.push(step.name.clone());
            }
            self.add_shader(profile, stack, ns, &mut path);
            flame.add(&path, ns);
        }
        let rest = profile.cpu_ns.saturating_sub(sampled);
        *self.activities.entry(NOT_SAMPLED.to_owned()).or_default() += rest;
        flame.add(&[NOT_SAMPLED.to_owned()], rest);
        for step in profile.steps.iter().skip(1) {
            let sums = self.steps.entry(step.name.clone()).or_default();
            sums[0] += step.count;
            sums[1] += step.wall_ns;
        }
        for counts in &profile.counts {
            self.add_counts(counts);
        }
    }

    fn command(
        &mut self,
        profile: &Profile,
        command: &crate::commands::Command,
        passes: &[String],
    ) -> &mut [u64; 4] {
        let pipeline = profile.pipelines.get(command.pipeline as usize).cloned().unwrap_or_default();
        let key = (command.kind.clone(), command.size, command.number, passes.to_vec(), pipeline);
        self.commands.entry(key).or_default()
    }

    fn add_sources(&mut self, map: &Arc<ShaderMap>) {
        for file in map.files.iter().filter(|file| !file.text.is_empty()) {
            self.sources.entry(file.name.clone()).or_insert_with(|| file.text.clone());
        }
    }

    fn add_shader(&mut self, profile: &Profile, stack: &Stack, ns: u64, path: &mut Vec<String>) {
        let Some(innermost) = stack.frames.first() else { return };
        if let Some(function) = profile.functions.get(innermost.0 as usize) {
            self.code.entry(code_name(function)).or_default()[0] += ns;
        }
        let Some(found) = in_shader(profile, stack) else {
            let name = profile.functions.get(innermost.0 as usize).map_or("?", |function| &function.name);
            *self.stages.entry("without a shader".to_owned()).or_default() += ns;
            *self.functions.entry(name.to_owned()).or_default() += ns;
            path.push(name.to_owned());
            return;
        };
        let InShader { map, place, callee } = &found;
        *self.stages.entry(map.stage.clone()).or_default() += ns;
        let (file, function) = (found.file().to_owned(), found.function().to_owned());
        *self.functions.entry(format!("{} ({})", function, map.name())).or_default() += ns;
        path.push(map.name());
        path.extend(found.callers());
        path.push(function.clone());
        let line = place.map_or(0, |place| place.line);
        if line == 0 {
            path.push("(no line)".to_owned());
        } else {
            path.push(format!("{file}:{line}"));
        }
        path.extend(callee.map(str::to_owned));
        let row = self.lines.entry(line_key(&file, line, &map.stage, &function)).or_default();
        row.ns += ns;
        (row.function, row.is_of_sample) = (function, true);
        let instruction = place.filter(|place| place.instruction != NO_FILE);
        let text = instruction.and_then(|place| map.instructions.get(place.instruction as usize));
        let text = text.map_or("(made by the compiler)", |text| text).to_owned();
        *self.instructions.entry((map.name(), text, file, line)).or_default() += ns;
    }

    fn add_counts(&mut self, counts: &ShaderCounts) {
        let shader = &counts.shader;
        for file in shader.files.iter().filter(|file| !file.text.is_empty()) {
            self.sources.entry(file.name.clone()).or_insert_with(|| file.text.clone());
        }
        // A line's invocations are those of the block of it that ran most often.
        let mut most: HashMap<(u32, u32, u32), (u64, u64)> = HashMap::new();
        for (number, block) in (0..).zip(&shader.blocks) {
            let (invocations, lanes) = (counts.invocations(number), counts.lanes(number));
            if invocations == 0 {
                continue;
            }
            for cost in block.lines.iter().filter(|cost| cost.line != 0) {
                let sum = self.counts_of(shader, block.function, cost.file, cost.line);
                let known = most.entry((block.function, cost.file, cost.line)).or_default();
                if invocations > known.0 {
                    sum.invocations += invocations - known.0;
                    sum.lanes = sum.lanes + lanes - known.1;
                    *known = (invocations, lanes);
                }
                let times = |each: u32| invocations.saturating_mul(each.into());
                sum.instructions += times(cost.instructions);
                sum.read_bytes += times(cost.read_bytes);
                sum.written_bytes += times(cost.written_bytes);
                sum.texels += times(cost.texels);
                sum.barriers += times(cost.barriers);
                sum.atomics += times(cost.atomics);
            }
        }
        for (number, access) in (0..).zip(&shader.accesses) {
            let (subgroups, lines) = counts.access(number);
            if subgroups == 0 || access.line == 0 {
                continue;
            }
            let sum = self.counts_of(shader, access.function, access.file, access.line);
            sum.buffer_accesses += subgroups;
            sum.cache_lines += lines;
        }
    }

    /// The counts of a line of a shader that counts.
    fn counts_of(&mut self, shader: &CountedShader, function: u32, file: u32, line: u32) -> &mut LineCounts {
        let name = shader.files.get(file as usize).map_or("", |file| &file.name);
        let function = shader.functions.get(function as usize).map_or("", |one| &one.name);
        let row = self.lines.entry(line_key(name, line, &shader.stage, function)).or_default();
        if !row.is_of_sample {
            function.clone_into(&mut row.function);
        }
        row.counts.get_or_insert_default()
    }
}

/// Rows of sums, the largest first.
fn rows(sums: Sums<String>) -> Vec<Row> {
    let mut rows: Vec<Row> =
        sums.into_iter().filter(|(_, ns)| *ns > 0).map(|(name, ns)| Row { name, ns }).collect();
    rows.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.name.cmp(&b.name)));
    rows
}

impl Summary {
    /// Of the profiles of some processes.
    pub fn of(profiles: &[Profile]) -> Summary {
        let mut tables = Tables::default();
        let mut flame = Frame { name: "all threads".to_owned(), ..Frame::default() };
        profiles.iter().for_each(|profile| tables.add(profile, &mut flame));
        let (begin, end) = profiles.iter().fold((u64::MAX, 0), |(begin, end), profile| {
            (profile.begin_ns.min(begin), profile.end_ns.max(end))
        });
        let mut summary = Summary {
            programs: profiles.iter().map(|profile| profile.program.clone()).collect(),
            wall_ns: end.saturating_sub(begin),
            cpu_ns: profiles.iter().map(|profile| profile.cpu_ns.max(profile.sampled_ns())).sum(),
            sample_count: profiles.iter().flat_map(|profile| &profile.samples).map(|one| one.count).sum(),
            activities: rows(tables.activities),
            threads: rows(tables.threads),
            queues: rows(tables.queues),
            passes: rows(tables.passes),
            pipelines: rows(tables.pipelines),
            stages: rows(tables.stages),
            functions: rows(tables.functions),
            flame,
            ..Summary::default()
        };
        let commands = tables.commands.into_iter().map(|((kind, size, number, passes, pipeline), sums)| {
            let [ns, shader_ns, wall_ns, count] = sums;
            CommandRow { kind, size, number, passes, pipeline, count, ns, shader_ns, wall_ns }
        });
        summary.commands = commands.collect();
        let code = tables.code.into_iter().map(|(name, [ns, variants, code_bytes, spills])| CodeRow {
            name,
            ns,
            variants,
            code_bytes,
            spills,
        });
        summary.code = code.collect();
        summary.code.sort_by(|a, b| (b.ns, &a.name).cmp(&(a.ns, &b.name)));
        summary.commands.sort_by(|a, b| {
            let key =
                |row: &CommandRow| (row.passes.clone(), row.number, row.kind.clone(), row.pipeline.clone());
            b.ns.cmp(&a.ns).then_with(|| key(a).cmp(&key(b)))
        });
        let sources = &tables.sources;
        let text = |file: &str, line: u32| {
            let text = sources.get(file)?;
            text.lines().nth(line.checked_sub(1)? as usize).map(|line| line.trim().to_owned())
        };
        let line = |((file, line, stage, _), Line { function, ns, counts, .. }): (LineKey, Line)| LineRow {
            text: text(&file, line).unwrap_or_default(),
            file,
            line,
            stage,
            function,
            ns,
            counts,
        };
        summary.lines = tables.lines.into_iter().map(line).collect();
        summary.lines.sort_by(|a, b| {
            let key = |row: &LineRow| (row.file.clone(), row.line, row.stage.clone(), row.function.clone());
            b.ns.cmp(&a.ns).then_with(|| key(a).cmp(&key(b)))
        });
        let instruction = |((shader, text, file, line), ns)| InstructionRow { shader, text, file, line, ns };
        summary.instructions = tables.instructions.into_iter().map(instruction).collect();
        summary
            .instructions
            .sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| (&a.shader, &a.text).cmp(&(&b.shader, &b.text))));
        let step = |(name, [count, wall_ns]): (String, [u64; 2])| StepRow { name, count, wall_ns };
        summary.steps = tables.steps.into_iter().map(step).collect();
        summary.steps.sort_by(|a, b| b.wall_ns.cmp(&a.wall_ns).then_with(|| a.name.cmp(&b.name)));
        let source = |(name, text)| Source { name, text };
        summary.sources = tables.sources.into_iter().map(source).collect();
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Function;
    use crate::commands::{Command, Pass, Step};
    use crate::profile::{Samples, Thread};
    use pyro_abi::shader_map::SourceFile;

    /// A dispatch in the pass `blur` whose shader has two lines, one of which is in a function that `main`
    /// calls, and calls an image function.
    fn profile() -> Profile {
        let place = |line, called, instruction| {
            Some(ShaderPlace { file: 0, line, column: 1, function: called, callers: called, instruction })
        };
        let map = ShaderMap {
            stage: "compute".to_owned(),
            entry_point: "main".to_owned(),
            files: vec![SourceFile { name: "a.comp".to_owned(), text: "first\n  second\n".to_owned() }],
            functions: vec!["main".to_owned(), "row".to_owned()],
            callers: vec![Vec::new(), vec![0]],
            instructions: vec!["%3 = OpFAdd".to_owned(), "%4 = OpImageFetch".to_owned()],
            places: vec![None, place(1, 0, 0), place(2, 1, 1)],
            ..ShaderMap::default()
        };
        let shader = Function { name: "main".to_owned(), map: Some(Arc::new(map)), ..Function::default() };
        let image = Function { name: "fetch rgba8".to_owned(), ..Function::default() };
        let sample = |activity: Activity, tag, frames, ns| Samples {
            stack: Stack { thread: 0, activity: activity as u32, tag, frames, is_driver: true },
            count: 1,
            ns,
        };
        let name = |text: &str| text.to_owned();
        Profile {
            cpu_ns: 1000,
            threads: vec![Thread { number: 0, name: name("pyro-worker-0") }],
            functions: vec![shader, image],
            commands: vec![
                Command::default(),
                Command {
                    kind: name("dispatch"),
                    size: [4, 2, 1],
                    pass: 1,
                    pipeline: 1,
                    count: 3,
                    ..Command::default()
                },
            ],
            passes: vec![Pass::default(), Pass { parent: 0, name: name("blur") }],
            pipelines: vec![String::new(), name("compute main (a.comp)")],
            steps: vec![Step::default(), Step { name: name("gvn"), count: 2, wall_ns: 90 }],
            samples: vec![
                sample(Activity::Engine, 1, vec![(0, 1)], 300),
                sample(Activity::Engine, 1, vec![(1, 0), (0, 2)], 200),
                sample(Activity::Engine, 1, vec![], 100),
                sample(Activity::Compile, 1, vec![], 80),
                sample(Activity::Application, 0, vec![], 270),
            ],
            ..Profile::default()
        }
    }

    #[test]
    fn every_nanosecond_is_in_one_row_of_each_table() {
        let summary = Summary::of(&[profile()]);
        let find =
            |rows: &[Row], name: &str| rows.iter().find(|row| row.name == name).map_or(0, |row| row.ns);
        assert_eq!(find(&summary.activities, SHADERS), 500);
        assert_eq!(find(&summary.activities, "engine"), 100);
        assert_eq!(find(&summary.activities, "compiler"), 80);
        assert_eq!(find(&summary.activities, NOT_SAMPLED), 50);
        assert_eq!(summary.activities.iter().map(|row| row.ns).sum::<u64>(), summary.cpu_ns);
        assert_eq!((summary.flame.ns, find(&summary.passes, "blur")), (1000, 600));
        let command = &summary.commands[0];
        assert_eq!((command.ns, command.shader_ns, command.count), (600, 500, 3));
        assert_eq!(command_name(&command.kind, command.size), "dispatch 4 × 2 × 1");
        assert_eq!(find(&summary.pipelines, "compute main (a.comp)"), 600);
    }

    #[test]
    fn image_functions_count_for_the_line_that_calls() {
        let summary = Summary::of(&[profile()]);
        let lines: Vec<_> = summary.lines.iter().map(|row| (row.line, &row.text[..], row.ns)).collect();
        assert_eq!(lines, [(1, "first", 300), (2, "second", 200)]);
        assert_eq!(summary.instructions[1].text, "%4 = OpImageFetch");
        let (mut at, mut names) = (&summary.flame, Vec::new());
        let is_wanted = |part: &Frame| part.name == SHADERS || part.name == "row";
        while let Some(part) = at.parts.values().min_by_key(|part| !is_wanted(part)) {
            names.push(&part.name[..]);
            at = part;
        }
        assert_eq!(names[..3], [SHADERS, "blur", "dispatch 4 × 2 × 1"]);
        assert_eq!(names[4..], ["main", "row", "a.comp:2", "fetch rgba8"]);
    }

    #[test]
    fn processes_are_added() {
        let summary = Summary::of(&[profile(), profile()]);
        assert_eq!((summary.cpu_ns, summary.lines[0].ns, summary.commands[0].count), (2000, 600, 6));
        assert_eq!(summary.steps[0], StepRow { name: "gvn".to_owned(), count: 4, wall_ns: 180 });
    }
}
