//! A client of the Debug Adapter Protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A client, and the adapter's process.
pub(super) struct Client {
    child: Child,
    to: Box<dyn Write>,
    from: Box<dyn BufRead>,
    seq: i64,
    events: Vec<Value>,
}

impl Client {
    /// On standard input and output.
    pub(super) fn start(arguments: &[&str]) -> Client {
        Client::spawn(arguments, &[])
    }

    fn spawn(arguments: &[&str], environment: &[(&str, &str)]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
            .arg("debug")
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let to = Box::new(child.stdin.take().expect("its input"));
        let from = Box::new(BufReader::new(child.stdout.take().expect("its output")));
        Client { child, to, from, seq: 0, events: Vec::new() }
    }

    /// The same, with more variables in the environment.
    pub(super) fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Client {
        Client::spawn(arguments, environment)
    }

    /// The same, with what the sanitizer looks for.
    pub(super) fn start_with_sanitizer(arguments: &[&str], kinds: &str) -> Client {
        Client::spawn(arguments, &[("PYROCLAST_SANITIZE", kinds)])
    }

    /// On a TCP port.
    pub(super) fn connect(arguments: &[&str]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
            .args(["debug", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("the port");
        let port: u16 = line.trim().parse().expect("a port");
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        let to = Box::new(stream.try_clone().expect("a stream"));
        Client { child, to, from: Box::new(BufReader::new(stream)), seq: 0, events: Vec::new() }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).expect("a header"), 0, "the adapter has ended");
            match line.trim() {
                "" => break,
                line => {
                    length =
                        line.strip_prefix("Content-Length: ").expect("a length").parse().expect("a number")
                }
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("a message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The answer to a request.
    pub(super) fn try_request(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        self.seq += 1;
        let message =
            json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let message = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{message}", message.len()).expect("written");
        self.to.flush().expect("written");
        loop {
            let message = self.read();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], self.seq);
                return match message["success"].as_bool() {
                    Some(true) => Ok(message["body"].clone()),
                    _ => Err(message["message"].as_str().unwrap_or_default().to_owned()),
                };
            }
            self.events.push(message);
        }
    }

    /// The same of one that is answered well.
    pub(super) fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.try_request(command, arguments).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// The next event of a kind.
    pub(super) fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(index) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(index)["body"].clone();
            }
            let message = self.read();
            let is_end = message["event"] == "terminated" && name == "stopped";
            assert!(!is_end, "it has ended instead of {name}: {:?}", self.events);
            self.events.push(message);
        }
    }

    /// Launches, sets breakpoints by `set`, and waits for the first stop.
    pub(super) fn launch(&mut self, arguments: Value, set: impl FnOnce(&mut Client)) -> Value {
        self.request("initialize", json!({ "adapterID": "pyroclast", "linesStartAt1": true }));
        self.request("launch", arguments);
        self.event("initialized");
        set(self);
        self.request("configurationDone", json!({}));
        self.event("stopped")
    }

    /// Breakpoints by line of the tests' shader.
    pub(super) fn break_at(&mut self, breakpoints: Value) -> Value {
        let source = json!({ "path": "fine.wgsl" });
        self.request("setBreakpoints", json!({ "source": source, "breakpoints": breakpoints }))
    }

    /// Goes on, and waits for the stop.
    pub(super) fn go(&mut self, command: &str) -> Value {
        self.request(command, json!({}));
        self.event("stopped")
    }

    /// The frames where it stands.
    pub(super) fn frames(&mut self) -> Vec<Value> {
        let threads = self.request("threads", json!({}));
        assert!(threads["threads"].as_array().is_some_and(|threads| !threads.is_empty()));
        let stack = self.request("stackTrace", json!({}));
        stack["stackFrames"].as_array().expect("frames").clone()
    }

    /// The line where it stands.
    pub(super) fn line(&mut self) -> u64 {
        self.frames()[0]["line"].as_u64().expect("a line")
    }

    /// The value of an expression in the innermost function.
    pub(super) fn value(&mut self, expression: &str) -> String {
        let frame = self.frames()[0]["id"].clone();
        let arguments = json!({ "expression": expression, "frameId": frame });
        match self.try_request("evaluate", arguments) {
            Ok(body) => body["result"].as_str().expect("a result").to_owned(),
            Err(error) => format!("error: {error}"),
        }
    }

    /// The variables of a scope of the innermost function: name, value and type.
    pub(super) fn scope(&mut self, name: &str) -> Vec<(String, String, String)> {
        let frame = self.frames()[0]["id"].clone();
        let scopes = self.request("scopes", json!({ "frameId": frame }));
        let scopes = scopes["scopes"].as_array().expect("scopes").clone();
        let Some(scope) = scopes.iter().find(|scope| scope["name"] == name) else { return Vec::new() };
        self.variables(&scope["variablesReference"])
    }

    /// The variables of a reference.
    pub(super) fn variables(&mut self, reference: &Value) -> Vec<(String, String, String)> {
        let body = self.request("variables", json!({ "variablesReference": reference }));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let variables = body["variables"].as_array().expect("variables").iter();
        variables.map(|one| (text(&one["name"]), text(&one["value"]), text(&one["type"]))).collect()
    }

    /// Leaves.
    pub(super) fn end(mut self) {
        self.request("disconnect", json!({}));
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
