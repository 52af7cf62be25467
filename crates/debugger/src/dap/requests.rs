//! What each request does, breakpoints and variables apart.

use super::{Answer, Request, Server};
use crate::session::{Session, StackFrame, Step};
use crate::target::Wanted;
use crate::timeline::Granularity;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// Instructions that a request for the disassembly gets, at most.
const INSTRUCTIONS_MAX: u64 = 4096;

/// The filter of exceptions that stands for findings of the sanitizer.
const FINDINGS: &str = "sanitizer";

/// What the adapter can do.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsEvaluateForHovers": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsVariablePaging": true,
        "exceptionBreakpointFilters": [{
            "filter": FINDINGS, "label": "What the sanitizer finds", "default": false,
            "description": "Stop where the sanitizer finds something (PYROCLAST_SANITIZE says what it looks for)",
        }],
    })
}

fn granularity(arguments: &Value) -> Granularity {
    match arguments["granularity"].as_str() {
        Some("instruction") => Granularity::Instruction,
        _ => Granularity::Line,
    }
}

pub(super) fn text<'v>(arguments: &'v Value, name: &str) -> Result<&'v str, String> {
    arguments[name].as_str().ok_or_else(|| format!("the argument \"{name}\" is missing"))
}

impl Server<'_> {
    /// A thread of the arguments, as an invocation.
    pub(super) fn thread(&mut self, arguments: &Value) -> Result<usize, String> {
        let session = self.running()?;
        let number = arguments["threadId"].as_u64().unwrap_or(session.place().0 as u64 + 1);
        let invocation = (number as usize).wrapping_sub(1);
        if invocation < session.timeline().invocations.len() {
            Ok(invocation)
        } else {
            Err(format!("there is no thread {number}"))
        }
    }

    pub(super) fn answer(&mut self, request: &Request) -> Answer {
        let arguments = &request.arguments;
        match request.command.as_str() {
            "initialize" => {
                self.lines_from_one = arguments["linesStartAt1"].as_bool().unwrap_or(true);
                Ok(capabilities())
            }
            "launch" | "attach" => self.launch_request(arguments),
            "configurationDone" => self.session().map(|_| json!({})),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments),
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments),
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments),
            "setDataBreakpoints" => self.set_data_breakpoints(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments["filters"].as_array().cloned().unwrap_or_default();
                let stops = filters.iter().any(|filter| filter == FINDINGS);
                self.session()?.set_stops_at_findings(stops);
                Ok(json!({ "breakpoints": [] }))
            }
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "setVariable" => self.set_variable(arguments),
            "setExpression" => self.set_expression(arguments),
            "source" => self.source(arguments),
            "loadedSources" => {
                let count = self.session()?.sources.len();
                let is_there = |server: &Self, number: usize| {
                    server.session.as_ref().is_some_and(|session| !session.sources[number].modules.is_empty())
                };
                let numbers: Vec<usize> = (0..count).filter(|&number| is_there(self, number)).collect();
                let sources: Vec<Value> =
                    numbers.into_iter().map(|number| self.source_value(number)).collect();
                Ok(json!({ "sources": sources }))
            }
            "disassemble" => self.disassemble(arguments),
            "continue" if self.is_under_way => Ok(json!({ "allThreadsContinued": true })),
            "next" | "stepIn" | "stepOut" | "stepBack" | "continue" | "reverseContinue"
            | "pyroclast/barrier" => {
                let invocation = self.thread(arguments)?;
                self.running()?.set_focus(invocation);
                Ok(json!({ "allThreadsContinued": true }))
            }
            "pause" if self.is_live() => {
                self.session()?.pause();
                Ok(json!({}))
            }
            "pause" => self.running().map(|_| json!({})),
            "restart" | "disconnect" | "terminate" => Ok(json!({})),
            "pyroclast/events" => self.events(),
            "pyroclast/target" | "pyroclast/reload" | "pyroclast/pixelHistory" if self.is_under_way => {
                Err("the program runs: it must be stopped or paused first".to_owned())
            }
            "pyroclast/pixelHistory" => {
                let number = |name: &str| {
                    let value = arguments[name].as_u64().and_then(|value| u32::try_from(value).ok());
                    value.ok_or_else(|| format!("the argument \"{name}\" is missing"))
                };
                let (pixel, event) = ([number("x")?, number("y")?], number("event").ok());
                let touches = self.session()?.history(pixel, event)?;
                Ok(json!({ "fragments": touches }))
            }
            "pyroclast/target" => {
                let wanted: Wanted =
                    serde_json::from_value(arguments.clone()).map_err(|error| error.to_string())?;
                self.session()?.retarget(wanted, true).map(|_| json!({}))
            }
            "pyroclast/reload" => {
                let path = text(arguments, "path")?.to_owned();
                self.running()?.reload(Path::new(&path)).map(|_| json!({}))
            }
            "pyroclast/subgroup" => {
                let expression = text(arguments, "expression")?.to_owned();
                let invocation = self.thread(arguments)?;
                let session = self.running()?;
                session.set_focus(invocation);
                let values = session.neighbours(&expression);
                let value = |(index, value): (usize, Result<String, String>)| {
                    let (_, is_active) = session.position_of(index);
                    let (text, error) = match value {
                        Ok(text) => (Some(text), None),
                        Err(error) => (None, Some(error)),
                    };
                    json!({ "threadId": index + 1, "name": session.name_of(index), "active": is_active,
                            "value": text, "error": error })
                };
                Ok(json!({ "values": values.into_iter().map(value).collect::<Vec<_>>() }))
            }
            other => Err(format!("the request \"{other}\" is not known")),
        }
    }

    fn launch_request(&mut self, arguments: &Value) -> Answer {
        let wanted: Wanted = serde_json::from_value(arguments["target"].clone())
            .or_else(|error| if arguments["target"].is_null() { Ok(Wanted::default()) } else { Err(error) })
            .map_err(|error| format!("the target: {error}"))?;
        self.stop_on_entry = arguments["stopOnEntry"].as_bool().unwrap_or(false);
        let replays = (self.launch)(arguments)?;
        self.session = Some(Session::new(replays, wanted)?);
        Ok(json!({}))
    }

    /// Goes on as a request says, and says where it stops.
    pub(super) fn resume(&mut self, request: &Request) -> io::Result<()> {
        let granularity = granularity(&request.arguments);
        let step = match request.command.as_str() {
            "next" => Some(Step::Over),
            "stepIn" => Some(Step::In),
            "stepOut" => Some(Step::Out),
            "stepBack" => Some(Step::Back),
            "pyroclast/barrier" if request.arguments["backwards"] == true => Some(Step::BackBarrier),
            "pyroclast/barrier" => Some(Step::Barrier),
            _ => None,
        };
        let forwards = request.command == "continue";
        self.go(|session| {
            Ok(match step {
                Some(step) => session.step(step, granularity),
                None => session.resume(forwards),
            })
        })
    }

    fn events(&mut self) -> Answer {
        let event = |(number, event): (usize, &pyro_sanitizer::trace::TraceEvent)| {
            json!({ "event": number, "kind": format!("{:?}", event.kind), "size": event.size,
                    "submission": event.submission })
        };
        let session = self.session()?;
        let events: Vec<Value> = session.events.iter().enumerate().map(event).collect();
        Ok(json!({ "events": events, "checkpoints": session.checkpoints() }))
    }

    fn threads(&mut self) -> Answer {
        let is_under_way = self.is_under_way;
        let session = self.session()?;
        if !session.is_running() {
            // Something that can be paused.
            let program = json!([{ "id": 1, "name": "the program" }]);
            return Ok(json!({ "threads": if is_under_way { program } else { json!([]) } }));
        }
        let thread = |index: usize| {
            let (_, is_active) = session.position_of(index);
            let state = if is_active { "" } else { " (not active)" };
            json!({ "id": index + 1, "name": format!("{}{state}", session.name_of(index)) })
        };
        Ok(json!({ "threads": session.under_way().into_iter().map(thread).collect::<Vec<_>>() }))
    }

    fn stack_trace(&mut self, arguments: &Value) -> Answer {
        let invocation = self.thread(arguments)?;
        let (start, levels) =
            (arguments["startFrame"].as_u64().unwrap_or(0), arguments["levels"].as_u64().unwrap_or(0));
        let levels = if levels == 0 { usize::MAX } else { levels as usize };
        let session = self.running()?;
        let frames = session.frames(invocation);
        let digest = session.timeline().invocations[invocation].program.digest;
        let count = frames.len();
        let mut shown = Vec::new();
        for (index, StackFrame { name, place, inst }) in
            frames.into_iter().enumerate().skip(start as usize).take(levels)
        {
            let mut frame = json!({
                "id": self.frame_id(invocation, count - 1 - index),
                "name": name, "line": 0, "column": 0,
                "instructionPointerReference": format!("{digest:x}:{inst}"),
            });
            if let Some(place) = place {
                let number = self.session_source(digest, place.source);
                frame["source"] = number.map_or(Value::Null, |number| self.source_value(number));
                frame["line"] = json!(self.line_out(place.line));
                frame["column"] = json!(place.column);
            }
            shown.push(frame);
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": count }))
    }

    /// The number in the session of a module's source.
    pub(super) fn session_source(&self, digest: u64, number: usize) -> Option<usize> {
        let session = self.session.as_ref()?;
        let is_it = |source: &crate::session::SessionSource| source.modules.contains(&(digest, number));
        session.sources.iter().position(is_it)
    }

    /// A source for the client: with its path where it is a file there.
    pub(super) fn source_value(&self, number: usize) -> Value {
        let Some(source) = self.session.as_ref().and_then(|session| session.sources.get(number)) else {
            return Value::Null;
        };
        let name = &source.source.name;
        let short = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut value = json!({ "name": short });
        match std::path::absolute(name) {
            Ok(path) if path.is_file() => value["path"] = json!(path),
            _ => {
                value["path"] = json!(name);
                value["sourceReference"] = json!(number + 1);
            }
        }
        value
    }

    fn source(&mut self, arguments: &Value) -> Answer {
        let reference =
            arguments["sourceReference"].as_u64().or_else(|| arguments["source"]["sourceReference"].as_u64());
        let number = (reference.unwrap_or(0) as usize).wrapping_sub(1);
        let session = self.session()?;
        let source = session.sources.get(number).ok_or("there is no such source")?;
        match &source.source.text {
            Some(text) => Ok(json!({ "content": text })),
            None => Err(format!(
                "the module does not carry the text of {}, and there is no such file: compile the shader with its \
                 source (-gVS of glslangValidator, -fspv-debug=vulkan-with-source of DXC)",
                source.source.name
            )),
        }
    }

    fn disassemble(&mut self, arguments: &Value) -> Answer {
        let (digest, inst) = parse_reference(text(arguments, "memoryReference")?)?;
        let offset = arguments["instructionOffset"].as_i64().unwrap_or(0);
        let count = arguments["instructionCount"].as_u64().unwrap_or(1).min(INSTRUCTIONS_MAX);
        let session = self.session()?;
        let program = session.modules.iter().find(|program| program.digest == digest);
        let program = program.ok_or("there is no such module")?.clone();
        let first = i64::from(inst).saturating_add(offset);
        let line = |at: i64| {
            let inst = u32::try_from(at).ok().and_then(|at| program.inst(at));
            let Some(inst) = inst else {
                return json!({ "address": format!("{digest:x}:{at}"), "instruction": "", "presentationHint": "invalid" });
            };
            let mut value = json!({
                "address": format!("{digest:x}:{at}"), "instruction": pyro_spirv::instruction_text(inst),
            });
            if let Some(place) = program.place(at as u32).filter(|_| program.has_lines()) {
                value["line"] = json!(place.line);
            }
            value
        };
        let lines: Vec<Value> = (0..count as i64).map(|index| line(first.saturating_add(index))).collect();
        Ok(json!({ "instructions": lines }))
    }
}

/// A module's digest and an instruction's number, as references of the disassembly name them.
pub(super) fn parse_reference(text: &str) -> Result<(u64, u32), String> {
    let wrong = || format!("\"{text}\" names no instruction");
    let (digest, inst) = text.split_once(':').ok_or_else(wrong)?;
    Ok((u64::from_str_radix(digest, 16).map_err(|_| wrong())?, inst.parse().map_err(|_| wrong())?))
}
