//! Findings as lines of JSON, for tools (`PYROCLAST_SANITIZE_OUTPUT`).
//!
//! Each line is an object. `{"id": …, "kind": …, …}` is the first occurrence of a finding; `{"id": …,
//! "count": …}` says how often it has occurred, and the last such line counts. `{"print": …}` is what a
//! shader printed.

use crate::finding::{Finding, OtherSide};
use pyro_abi::report::SitePlace;
use std::fmt::Write as _;

/// A string as JSON.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => *out += "\\\"",
            '\\' => *out += "\\\\",
            '\n' => *out += "\\n",
            '\r' => *out += "\\r",
            '\t' => *out += "\\t",
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A member of an object, behind others.
fn member(out: &mut String, name: &str, value: &str) {
    *out += ", ";
    string(out, name);
    *out += ": ";
    string(out, value);
}

fn place(out: &mut String, place: &SitePlace) {
    let SitePlace { file, line, column, text, function, word, instruction } = place;
    member(out, "file", file);
    let _ = write!(out, ", \"line\": {line}, \"column\": {column}, \"word\": {word}");
    if let Some(text) = text {
        member(out, "text", text);
    }
    member(out, "function", function);
    member(out, "instruction", instruction);
}

/// The first occurrence of a finding.
pub(crate) fn finding(id: u64, finding: &Finding) -> String {
    let Finding { kind, message, shader, module, stage, pipeline, place: at, invocation, values, other } =
        finding;
    let mut out = format!("{{\"id\": {id}");
    member(&mut out, "kind", kind.name());
    for (name, value) in [
        ("message", message),
        ("shader", shader),
        ("module", module),
        ("stage", stage),
        ("pipeline", pipeline),
        ("invocation", invocation),
    ] {
        member(&mut out, name, value);
    }
    place(&mut out, at);
    out += ", \"values\": {";
    for (index, (name, value)) in values.iter().enumerate() {
        if index > 0 {
            out += ", ";
        }
        string(&mut out, name);
        out += ": ";
        string(&mut out, value);
    }
    out.push('}');
    if let Some(OtherSide { message, place: at, invocation }) = other {
        out += ", \"other\": {\"message\": ";
        string(&mut out, message);
        member(&mut out, "invocation", invocation);
        place(&mut out, at);
        out.push('}');
    }
    out.push('}');
    out
}

/// How often a finding has occurred.
pub(crate) fn count(id: u64, count: u64) -> String {
    format!("{{\"id\": {id}, \"count\": {count}}}")
}

/// What a shader printed.
pub(crate) fn print(text: &str) -> String {
    let mut out = "{\"print\": ".to_owned();
    string(&mut out, text);
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_util::sanitize::Kind;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(print("a\"b\\c\n\u{1}ä"), r#"{"print": "a\"b\\c\n\u0001ä"}"#);
    }

    #[test]
    fn lines_have_all_that_findings_have() {
        let place = SitePlace {
            file: "a.comp".to_owned(),
            line: 3,
            text: Some("x".to_owned()),
            ..SitePlace::default()
        };
        let found = Finding {
            kind: Kind::ShiftWidth,
            message: "m".to_owned(),
            shader: "main".to_owned(),
            module: String::new(),
            stage: "compute".to_owned(),
            place: place.clone(),
            pipeline: "shading".to_owned(),
            invocation: "local (0, 0, 0)".to_owned(),
            values: vec![("shift".to_owned(), "33".to_owned())],
            other: Some(OtherSide { message: "o".to_owned(), place, invocation: String::new() }),
        };
        let line = finding(7, &found);
        assert!(line.starts_with("{\"id\": 7, \"kind\": \"shift-width\""), "{line}");
        assert!(
            line.contains("\"values\": {\"shift\": \"33\"}")
                && line.contains("\"other\": {\"message\": \"o\"")
        );
        assert!(!line.contains('\n'));
        assert_eq!(count(7, 12), "{\"id\": 7, \"count\": 12}");
    }
}
