//! The Debug Adapter Protocol on a [`Session`]: requests in, responses and events out.
//!
//! A thread is an invocation. References of variables and frames hold until it goes on.

mod breakpoints;
mod requests;
mod variables;
mod wire;

pub use wire::{Message, Request};

use crate::session::{Advance, Replays, Session, Stop};
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;
use variables::Reference;

/// How long a live program is waited for before requests are looked at again.
const LIVE_WAIT: Duration = Duration::from_millis(20);
/// Requests that wait to be served, at most.
const REQUESTS_MAX: usize = 64;

/// Makes what replays the capture that the arguments of `launch` name.
pub type Launch<'a> = dyn FnMut(&Value) -> Result<Box<dyn Replays>, String> + 'a;

/// A debug adapter for one client.
pub struct Server<'a> {
    launch: &'a mut Launch<'a>,
    session: Option<Session>,
    output: &'a mut dyn Write,
    seq: i64,
    stop_on_entry: bool,
    lines_from_one: bool,
    references: Vec<Reference>,
    /// The invocation ended and that was said: going on ends the session.
    has_ended: bool,
    /// A live program is under way.
    is_under_way: bool,
    is_done: bool,
}

type Answer = Result<Value, String>;

impl<'a> Server<'a> {
    /// With what makes replays, and the stream to the client.
    pub fn new(launch: &'a mut Launch<'a>, output: &'a mut dyn Write) -> Server<'a> {
        Server {
            launch,
            session: None,
            output,
            seq: 0,
            stop_on_entry: false,
            lines_from_one: true,
            references: Vec::new(),
            has_ended: false,
            is_under_way: false,
            is_done: false,
        }
    }

    /// Serves a client until it leaves. Requests are read on a thread of their own, as a live program goes on
    /// meanwhile.
    ///
    /// # Errors
    /// Of the streams, and for what is not the protocol.
    pub fn run(&mut self, mut input: impl BufRead + Send + 'static) -> io::Result<()> {
        let (to, requests) = sync_channel(REQUESTS_MAX);
        std::thread::Builder::new().name("pyro-requests".to_owned()).spawn(move || {
            loop {
                let read = wire::read(&mut input).transpose();
                let Some(read) = read else { break };
                let is_error = read.is_err();
                if to.send(read).is_err() || is_error {
                    break;
                }
            }
        })?;
        while !self.is_done {
            let Some(bytes) = self.next_request(&requests)? else { break };
            let request: Request = serde_json::from_slice(&bytes?)?;
            self.serve(&request)?;
        }
        Ok(())
    }

    /// The next request; none at the end of the stream. A live program goes on until one comes.
    fn next_request(
        &mut self,
        requests: &Receiver<io::Result<Vec<u8>>>,
    ) -> io::Result<Option<io::Result<Vec<u8>>>> {
        while self.is_under_way {
            match requests.try_recv() {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => self.advance()?,
            }
        }
        Ok(requests.recv().ok())
    }

    /// Lets a live program go on for a moment.
    fn advance(&mut self) -> io::Result<()> {
        let Some(session) = &mut self.session else {
            self.is_under_way = false;
            return Ok(());
        };
        let advanced = session.advance(LIVE_WAIT);
        let placed = session.take_placed();
        for breakpoint in placed {
            let source = self.source_of_breakpoint(&breakpoint);
            let value = self.breakpoint_value(&breakpoint, source);
            self.event("breakpoint", json!({ "reason": "changed", "breakpoint": value }))?;
        }
        match advanced {
            Ok(Advance::Running) => self.tell_output(),
            Ok(Advance::Stopped(stop)) => {
                self.is_under_way = false;
                self.tell_stop(&stop)
            }
            Ok(Advance::Ended(code)) => {
                self.is_under_way = false;
                self.tell_output()?;
                self.event("exited", json!({ "exitCode": code.unwrap_or(-1) }))?;
                self.event("terminated", json!({}))
            }
            Err(error) => {
                self.is_under_way = false;
                self.event("output", json!({ "category": "stderr", "output": format!("{error}\n") }))?;
                self.event("terminated", json!({}))
            }
        }
    }

    /// Whether a live program is debugged.
    fn is_live(&mut self) -> bool {
        self.session.as_mut().is_some_and(Session::is_live)
    }

    /// Goes on with a live program: in what was recorded, or by letting it go on.
    fn go_live(&mut self) -> io::Result<()> {
        let Some(session) = &mut self.session else { return Ok(()) };
        match session.go_on() {
            Ok(Some(stop)) => self.tell_stop(&stop),
            Ok(None) => {
                self.is_under_way = true;
                self.has_ended = false;
                self.references.clear();
                self.tell_output()
            }
            Err(error) => {
                self.event("output", json!({ "category": "stderr", "output": format!("{error}\n") }))?;
                self.event("terminated", json!({}))
            }
        }
    }

    fn send(&mut self, make: impl FnOnce(i64) -> Message) -> io::Result<()> {
        self.seq += 1;
        let message = make(self.seq);
        wire::write(self.output, &message)
    }

    fn event(&mut self, event: &str, body: Value) -> io::Result<()> {
        self.send(|seq| Message::Event { seq, event: event.to_owned(), body })
    }

    fn serve(&mut self, request: &Request) -> io::Result<()> {
        let answer = self.answer(request);
        let (success, message, body) = match answer {
            Ok(body) => (true, None, body),
            Err(error) => {
                let body = json!({ "error": { "id": 1, "format": error, "showUser": true } });
                (false, Some(error), body)
            }
        };
        let command = request.command.clone();
        self.send(|seq| Message::Response {
            seq,
            request_seq: request.seq,
            success,
            command,
            message,
            body,
        })?;
        self.after(request, success)?;
        self.tell_output()
    }

    /// Says what the session has to say.
    fn tell_output(&mut self) -> io::Result<()> {
        let texts = self.session.as_mut().map(Session::take_output).unwrap_or_default();
        for text in texts {
            self.event("output", json!({ "category": "console", "output": format!("{text}\n") }))?;
        }
        Ok(())
    }

    /// What follows a response: events, and going on.
    fn after(&mut self, request: &Request, success: bool) -> io::Result<()> {
        match (request.command.as_str(), success) {
            ("launch" | "attach", true) => self.event("initialized", json!({})),
            ("launch" | "attach", false) => self.event("terminated", json!({})),
            ("configurationDone" | "continue", true) if self.is_live() => {
                if self.stop_on_entry
                    && let Some(session) = &mut self.session
                {
                    self.stop_on_entry = false;
                    session.pause();
                }
                self.go_live()
            }
            ("restart", true) if self.is_live() => self.event(
                "output",
                json!({
                    "category": "stderr", "output": "a live program begins again with another session\n",
                }),
            ),
            ("configurationDone", true) => {
                let stop_on_entry = self.stop_on_entry;
                self.go(|session| session.run(stop_on_entry))
            }
            ("restart", true) => {
                let stop_on_entry = self.stop_on_entry;
                self.go(|session| session.restart(stop_on_entry))
            }
            (
                "next" | "stepIn" | "stepOut" | "stepBack" | "continue" | "reverseContinue"
                | "pyroclast/barrier",
                true,
            ) => self.resume(request),
            ("setVariable" | "setExpression" | "pyroclast/reload" | "pyroclast/target" | "goto", true) => {
                let stop = if request.command == "goto" { "goto" } else { "entry" };
                self.stopped(stop, "", &[])
            }
            ("disconnect" | "terminate", _) => {
                // A live program ends with its session.
                self.is_under_way = false;
                self.session = None;
                self.is_done = request.command == "disconnect";
                if self.is_done { Ok(()) } else { self.event("terminated", json!({})) }
            }
            _ => Ok(()),
        }
    }

    /// Runs something that stops somewhere, and says where.
    fn go(&mut self, run: impl FnOnce(&mut Session) -> Result<Stop, String>) -> io::Result<()> {
        let Some(session) = &mut self.session else { return Ok(()) };
        match run(session) {
            Ok(stop) => self.tell_stop(&stop),
            Err(error) => {
                self.event("output", json!({ "category": "stderr", "output": format!("{error}\n") }))?;
                self.event("terminated", json!({}))
            }
        }
    }

    fn tell_stop(&mut self, stop: &Stop) -> io::Result<()> {
        self.tell_output()?;
        if *stop == Stop::End {
            if self.has_ended {
                return if self.is_live() { self.go_live() } else { self.event("terminated", json!({})) };
            }
            self.has_ended = true;
            return self.stopped("pause", "the end of the invocation", &[]);
        }
        self.has_ended = false;
        match stop {
            Stop::Entry => self.stopped("entry", "", &[]),
            Stop::Breakpoint(ids) => self.stopped("breakpoint", "", ids),
            Stop::Data(ids) => self.stopped("data breakpoint", "", ids),
            Stop::Finding(text) => self.stopped("exception", text, &[]),
            _ => self.stopped("step", "", &[]),
        }
    }

    fn stopped(&mut self, reason: &str, description: &str, breakpoints: &[u64]) -> io::Result<()> {
        self.references.clear();
        let thread = self.session.as_ref().map_or(0, |session| session.place().0 as u64 + 1);
        let mut body = json!({
            "reason": reason, "threadId": thread, "allThreadsStopped": true, "hitBreakpointIds": breakpoints,
        });
        if !description.is_empty() {
            body["description"] = json!(description);
        }
        self.event("stopped", body)
    }

    fn session(&mut self) -> Result<&mut Session, String> {
        self.session.as_mut().ok_or_else(|| "nothing is debugged yet: `launch` comes first".to_owned())
    }

    fn running(&mut self) -> Result<&mut Session, String> {
        let session = self.session()?;
        if session.is_running() { Ok(session) } else { Err("nothing was recorded yet".to_owned()) }
    }

    fn line_out(&self, line: u32) -> u32 {
        if self.lines_from_one { line } else { line.saturating_sub(1) }
    }

    fn line_in(&self, line: u64) -> u32 {
        u32::try_from(line).unwrap_or(u32::MAX).saturating_add(u32::from(!self.lines_from_one))
    }
}
