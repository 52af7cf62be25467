//! Whatever a client sends is answered or ends the session with an error; nothing panics.

use pyro_debugger::dap::Server;
use pyro_random::Random;
use pyro_test_environment::number;
use std::io::Cursor;

/// A session without a capture: the JSON of its messages.
const MESSAGES: [&str; 9] = [
    r#"{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x","linesStartAt1":true}}"#,
    r#"{"seq":2,"type":"request","command":"launch","arguments":{"capture":"a.pyro","stopOnEntry":true}}"#,
    r#"{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"a"},"breakpoints":[{"line":3}]}}"#,
    r#"{"seq":4,"type":"request","command":"configurationDone"}"#,
    r#"{"seq":5,"type":"request","command":"stackTrace","arguments":{"threadId":1,"startFrame":0,"levels":20}}"#,
    r#"{"seq":6,"type":"request","command":"variables","arguments":{"variablesReference":3,"start":0,"count":9}}"#,
    r#"{"seq":7,"type":"request","command":"evaluate","arguments":{"expression":"a[1].x + 2","frameId":0}}"#,
    r#"{"seq":8,"type":"request","command":"next","arguments":{"threadId":1}}"#,
    r#"{"seq":9,"type":"request","command":"source","arguments":{"sourceReference":1}}"#,
];

/// What is put into messages.
const TOKENS: [&str; 17] = [
    "-1",
    "18446744073709551616",
    "1e999",
    "null",
    "[]",
    "{}",
    "true",
    "[[[[[[[[",
    "\\u0000",
    "Content-Length: 5\r\n\r\n",
    "\r\n\r\n",
    "Content-Length: 99999999999\r\n\r\n",
    ",",
    ":",
    "}",
    "\"seq\":",
    "\u{ffff}",
];

#[test]
fn mutated_messages_do_not_panic() {
    let first: u64 = number("PYRO_SEED", 1);
    let rounds: u64 = number("PYRO_MUTATIONS", 4000);
    let mut answered = 0;
    for seed in first..first + rounds {
        let mut random = Random::new(seed);
        let mut stream = Vec::new();
        for message in MESSAGES {
            let mut message = message.as_bytes().to_vec();
            if random.one_in(3) {
                random.mutate(&mut message, &TOKENS);
            }
            let header = format!("Content-Length: {}\r\n\r\n", message.len());
            stream.extend(header.bytes().chain(message));
        }
        // Headers too.
        if random.one_in(4) {
            random.mutate(&mut stream, &TOKENS);
        }
        let mut output = Vec::new();
        let mut launch = |_: &serde_json::Value| Err("there is no capture".to_owned());
        // An error is an answer, too.
        let _ = Server::new(&mut launch, &mut output).run(Cursor::new(stream));
        answered += String::from_utf8(output).expect("text").matches("\"response\"").count();
    }
    assert!(answered as u64 > rounds, "most sessions answer something: {answered} answers");
}
