//! Messages of the Debug Adapter Protocol: a header with the length, then JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Bytes of a message that is read, at most.
const MESSAGE_BYTES_MAX: usize = 1 << 26;

/// A request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// What it is.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Value,
}

/// What goes to the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Message {
    /// An answer.
    Response {
        /// Its number.
        seq: i64,
        /// The request's.
        request_seq: i64,
        /// Whether it was done.
        success: bool,
        /// The request's command.
        command: String,
        /// Why it was not done.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What it gives.
        body: Value,
    },
    /// Something that happened.
    Event {
        /// Its number.
        seq: i64,
        /// What.
        event: String,
        /// More of it.
        body: Value,
    },
}

/// Reads the JSON of a message; none at the end of the stream.
///
/// # Errors
/// Of the stream, and for what is not a message.
pub(super) fn read(stream: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut length = None;
    loop {
        let mut line = String::new();
        if io::Read::take(&mut *stream, 4096).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.ok_or_else(|| broken("a message without Content-Length"))?;
    if length > MESSAGE_BYTES_MAX {
        return Err(broken("a message that is too long"));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes a message.
///
/// # Errors
/// Of the stream.
pub(super) fn write(stream: &mut dyn Write, message: &Message) -> io::Result<()> {
    let text = serde_json::to_string(message)?;
    write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_a_length() {
        let mut bytes = Vec::new();
        let event = Message::Event { seq: 3, event: "initialized".to_owned(), body: Value::Null };
        write(&mut bytes, &event).expect("written");
        let mut stream = &bytes[..];
        let text = read(&mut stream).expect("read").expect("a message");
        let value: Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(value["type"], "event");
        assert_eq!(value["event"], "initialized");
        assert!(read(&mut stream).expect("the end").is_none());
    }

    #[test]
    fn broken_messages_are_errors() {
        for text in ["X: 1\r\n\r\n{}", "Content-Length: 99999999999\r\n\r\n", "Content-Length: 5\r\n\r\n{}"] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
