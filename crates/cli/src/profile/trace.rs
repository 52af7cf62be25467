//! A profile's timeline as trace events (JSON), which Perfetto and Chromium's tracing page show: a track for
//! each queue, with passes around commands.

use pyro_profiler::commands::Event;
use pyro_profiler::profile::Profile;
use pyro_profiler::summary::command_name;
use serde_json::{Value, json};

/// The passes around one, outermost first.
fn passes(profile: &Profile, pass: u32) -> Vec<u32> {
    let (mut all, mut at) = (Vec::new(), pass);
    while at != 0 && all.len() < 64 {
        all.push(at);
        at = profile.passes.get(at as usize).map_or(0, |pass| pass.parent);
    }
    all.reverse();
    all
}

/// Consecutive events of a queue that are in one pass, as times of the pass: index, begin, end.
fn pass_times(profile: &Profile, events: &[Event]) -> Vec<(u32, u64, u64)> {
    let mut times: Vec<(u32, u64, u64)> = Vec::new();
    let mut open: Vec<(u32, u64, u64)> = Vec::new();
    for event in events {
        let around = passes(profile, event.pass);
        let same = open.iter().zip(&around).take_while(|(open, pass)| open.0 == **pass).count();
        times.extend(open.drain(same..));
        open.extend(around[same..].iter().map(|&pass| (pass, event.begin_ns, event.end_ns)));
        open.iter_mut().for_each(|open| open.2 = event.end_ns);
    }
    times.extend(open);
    times
}

fn slice(process: u32, queue: u32, name: &str, [begin, end]: [u64; 2], arguments: Value) -> Value {
    json!({
        "ph": "X", "pid": process, "tid": queue + 1, "name": name, "cat": "queue",
        "ts": begin as f64 / 1e3, "dur": end.saturating_sub(begin) as f64 / 1e3, "args": arguments,
    })
}

/// The trace of some processes.
pub(crate) fn render(profiles: &[Profile]) -> Value {
    let mut all = Vec::new();
    for profile in profiles {
        let process = profile.process;
        let meta = |tid: u32, what: &str, name: &str| json!({ "ph": "M", "pid": process, "tid": tid, "name": what, "args": { "name": name } });
        all.push(meta(0, "process_name", &profile.program));
        let mut queues: Vec<u32> = profile.events.iter().map(|event| event.queue).collect();
        queues.sort_unstable();
        queues.dedup();
        for queue in queues {
            all.push(meta(queue + 1, "thread_name", &format!("queue {queue}")));
            let mut events: Vec<Event> =
                profile.events.iter().filter(|event| event.queue == queue).copied().collect();
            events.sort_by_key(|event| event.begin_ns);
            for (pass, begin, end) in pass_times(profile, &events) {
                let name = profile.passes.get(pass as usize).map_or("", |pass| &pass.name);
                all.push(slice(process, queue, name, [begin, end], json!({})));
            }
            for event in events {
                let Some(command) = profile.commands.get(event.command as usize) else { continue };
                let pipeline = profile.pipelines.get(command.pipeline as usize).map_or("", |name| name);
                let name = command_name(&command.kind, command.size);
                let arguments = json!({ "pipeline": pipeline, "number": command.number });
                all.push(slice(process, queue, &name, [event.begin_ns, event.end_ns], arguments));
            }
        }
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_profiler::commands::Pass;

    #[test]
    fn passes_last_from_their_first_command_to_their_last() {
        let pass = |parent, name: &str| Pass { parent, name: name.to_owned() };
        let passes = vec![Pass::default(), pass(0, "frame"), pass(1, "shadow"), pass(1, "light")];
        let profile = Profile { passes, ..Profile::default() };
        let event = |pass, begin_ns| Event { pass, begin_ns, end_ns: begin_ns + 5, ..Event::default() };
        let events = [event(2, 0), event(2, 10), event(3, 20), event(0, 30), event(1, 40)];
        let mut times = pass_times(&profile, &events);
        times.sort_by_key(|time| (time.1, time.0));
        assert_eq!(times, [(1, 0, 25), (2, 0, 15), (3, 20, 25), (1, 40, 45)]);
    }
}
