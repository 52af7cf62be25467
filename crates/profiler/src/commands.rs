//! What work is done for: commands, the passes around them, their pipelines; and the compiler's steps. Each
//! gets a number, by which samples name it.

use pyro_util::codec_struct;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

/// Commands that are told apart, at most; later ones are told apart by pass, pipeline and kind only.
const COMMANDS_MAX: usize = 1 << 16;
/// Events that are kept, at most.
const EVENTS_MAX: usize = 1 << 19;

/// A command as it recurs, frame after frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CommandKey {
    /// What it is, such as `draw`.
    pub kind: &'static str,
    /// The queue that runs it.
    pub queue: u32,
    /// Its pass ([`pass`]).
    pub pass: u32,
    /// Its pipeline ([`pipeline`]); zero: it has none.
    pub pipeline: u32,
    /// How many commands are before it in its command buffer.
    pub number: u32,
    /// Its numbers: workgroups, or vertices and instances.
    pub size: [u32; 3],
}

/// A command in a profile. What is zero, or empty, is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// What it is, such as `draw`.
    pub kind: String,
    /// The queue that ran it.
    pub queue: u32,
    /// Index of its pass.
    pub pass: u32,
    /// Index of its pipeline; zero: it has none.
    pub pipeline: u32,
    /// How many commands are before it in its command buffer.
    pub number: u32,
    /// Its numbers.
    pub size: [u32; 3],
    /// How often it ran.
    pub count: u64,
    /// Time from its beginning to its end, of all times that it ran, in nanoseconds; zero for draws, which
    /// run together.
    pub wall_ns: u64,
}

/// A pass: a render pass, or a label of the application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Index of the pass around it; its own index where there is none.
    pub parent: u32,
    /// Its name.
    pub name: String,
}

/// Something that ran from one time to another, in nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The queue.
    pub queue: u32,
    /// Index of the pass.
    pub pass: u32,
    /// Index of the command; zero: draws of the pass.
    pub command: u32,
    /// When it began.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

/// A step of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub count: u64,
    /// Time that it took in all, in nanoseconds.
    pub wall_ns: u64,
}

codec_struct!(Command { kind, queue, pass, pipeline, number, size, count, wall_ns });
codec_struct!(Pass { parent, name });
codec_struct!(Event { queue, pass, command, begin_ns, end_ns });
codec_struct!(Step { name, count, wall_ns });

/// All that has happened.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// By number; the first stands for none.
    pub commands: Vec<Command>,
    /// By number; the first stands for none.
    pub passes: Vec<Pass>,
    /// Names by number; the first stands for none.
    pub pipelines: Vec<String>,
    /// In no order.
    pub events: Vec<Event>,
    /// Events that there was no room for.
    pub lost_events: u64,
    /// By number; the first stands for what is not one step.
    pub steps: Vec<Step>,
}

/// Numbers from 1 by key.
struct Numbers<K>(HashMap<K, u32>);

impl<K: Hash + Eq> Numbers<K> {
    /// The key's number, and whether it is new.
    fn of(&mut self, key: K) -> (u32, bool) {
        let next = self.0.len() as u32 + 1;
        let number = *self.0.entry(key).or_insert(next);
        (number, number == next)
    }
}

impl<K> Default for Numbers<K> {
    fn default() -> Numbers<K> {
        Numbers(HashMap::new())
    }
}

#[derive(Default)]
struct State {
    commands: Numbers<CommandKey>,
    passes: Numbers<(u32, String)>,
    pipelines: Numbers<String>,
    steps: Numbers<&'static str>,
    recorded: Recorded,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(body: impl FnOnce(&mut State) -> T) -> T {
    let mut state = STATE.lock();
    body(state.get_or_insert_with(|| {
        let mut state = State::default();
        state.recorded.commands.push(Command::default());
        state.recorded.passes.push(Pass::default());
        state.recorded.pipelines.push(String::new());
        state.recorded.steps.push(Step::default());
        state
    }))
}

/// The number of a command that begins to run once more.
pub fn command(key: CommandKey) -> u32 {
    with(|state| {
        let key = match state.commands.0.len() < COMMANDS_MAX {
            true => key,
            false => CommandKey { number: 0, size: [0; 3], ..key },
        };
        let (number, is_new) = state.commands.of(key);
        let commands = &mut state.recorded.commands;
        if is_new {
            let CommandKey { kind, queue, pass, pipeline, number, size } = key;
            let kind = kind.to_owned();
            commands.push(Command { kind, queue, pass, pipeline, number, size, count: 0, wall_ns: 0 });
        }
        commands[number as usize].count += 1;
        number
    })
}

/// The number of a pass of this name within another one (zero: within none).
pub fn pass(parent: u32, name: &str) -> u32 {
    with(|state| {
        let (number, is_new) = state.passes.of((parent, name.to_owned()));
        if is_new {
            state.recorded.passes.push(Pass { parent, name: name.to_owned() });
        }
        number
    })
}

/// The number of a pipeline of this name.
pub fn pipeline(name: String) -> u32 {
    with(|state| {
        let (number, is_new) = state.pipelines.of(name.clone());
        if is_new {
            state.recorded.pipelines.push(name);
        }
        number
    })
}

/// The number of a step of the compiler.
pub fn step(name: &'static str) -> u32 {
    with(|state| {
        let (number, is_new) = state.steps.of(name);
        if is_new {
            state.recorded.steps.push(Step { name: name.to_owned(), ..Step::default() });
        }
        number
    })
}

/// Says that a step of the compiler ran from `begin` until now.
pub fn step_ended(number: u32, begin: Instant) {
    let time = begin.elapsed().as_nanos() as u64;
    with(|state| {
        if let Some(step) = state.recorded.steps.get_mut(number as usize) {
            step.count += 1;
            step.wall_ns += time;
        }
    });
}

/// Nanoseconds of the monotonic clock, which events and samples have.
#[cfg(unix)]
pub fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds of the standard library's clock, which events have, since the first call.
#[cfg(not(unix))]
pub fn now_ns() -> u64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

/// Says that something ran.
pub fn event(event: Event) {
    with(|state| {
        let recorded = &mut state.recorded;
        if let Some(command) =
            recorded.commands.get_mut(event.command as usize).filter(|_| event.command != 0)
        {
            command.wall_ns += event.end_ns.saturating_sub(event.begin_ns);
        }
        match recorded.events.len() < EVENTS_MAX {
            true => recorded.events.push(event),
            false => recorded.lost_events += 1,
        }
    });
}

/// All that has happened so far.
pub fn recorded() -> Recorded {
    with(|state| state.recorded.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_recurs_has_the_same_number() {
        let pass_a = pass(0, "commands test a");
        let pass_b = pass(pass_a, "commands test b");
        assert_eq!((pass(0, "commands test a"), pass(pass_a, "commands test b")), (pass_a, pass_b));
        assert_ne!(pass(0, "commands test b"), pass_b);
        let key = CommandKey { kind: "draw", pass: pass_b, size: [3, 1, 0], ..CommandKey::default() };
        let number = command(key);
        assert_eq!(command(key), number);
        assert_ne!(command(CommandKey { number: 1, ..key }), number);
        event(Event { command: number, begin_ns: 5, end_ns: 9, ..Event::default() });
        let recorded = recorded();
        let command = &recorded.commands[number as usize];
        assert_eq!((command.count, command.wall_ns, command.pass), (2, 4, pass_b));
        assert_eq!(recorded.passes[pass_b as usize].parent, pass_a);
    }
}
