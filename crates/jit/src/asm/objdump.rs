//! A second judge of the encodings: GNU binutils' disassembler, where there is one.
//!
//! It is asked about the same bytes as the decoder in the other tests, and both have to say the same, once
//! each text is brought into one form: the two write sizes of memory, numbers and a few names differently.

use std::io::Write;
use std::process::Command;

/// How many differences a failure shows.
const SHOWN: usize = 30;

/// Instructions that objdump is to be asked about, with what the decoder says of them.
#[derive(Default)]
pub(super) struct Judge {
    bytes: Vec<u8>,
    texts: Vec<(usize, String)>,
}

impl Judge {
    /// Adds an instruction.
    pub(super) fn add(&mut self, bytes: &[u8], text: &str) {
        self.texts.push((self.bytes.len(), text.to_owned()));
        self.bytes.extend_from_slice(bytes);
    }

    /// Asks. Says so, and judges nothing, where there is no objdump.
    pub(super) fn agrees(&self) {
        let Some(listing) = self.listing() else {
            pyro_test_environment::skip!(pyro_test_environment::Need::Package("objdump of binutils"));
        };
        let mut lines = listing.lines().filter_map(parse_line);
        let mut differences = Vec::new();
        for (offset, text) in &self.texts {
            let (at, found) = lines.next().unwrap_or_default();
            let (expected, found) = (normal(text), normal(&found));
            if at != *offset {
                differences.push(format!("{offset:x}: {text}: the other is at {at:x}, {found}"));
                break;
            }
            if expected != found {
                differences.push(format!("{offset:x}: {expected} | {found}"));
            }
        }
        assert!(!self.texts.is_empty());
        let count = differences.len();
        differences.truncate(SHOWN);
        assert!(count == 0, "{count} of {} differ:\n{}", self.texts.len(), differences.join("\n"));
    }

    fn listing(&self) -> Option<String> {
        let path = std::env::temp_dir().join(format!("pyro-jit-encodings-{}", std::process::id()));
        let path = path.with_extension(format!("{:x}", self.bytes.as_ptr().addr()));
        std::fs::File::create(&path)
            .and_then(|mut file| file.write_all(&self.bytes))
            .expect("a temporary file");
        let arguments =
            ["-D", "-w", "-z", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn"];
        let output = Command::new("objdump").args(arguments).arg(&path).output();
        std::fs::remove_file(&path).expect("is there");
        let output = output.ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).expect("is text"))
    }
}

/// Offset and instruction of a line of the listing.
fn parse_line(line: &str) -> Option<(usize, String)> {
    let (offset, text) = line.trim().split_once(":\t")?;
    Some((usize::from_str_radix(offset.trim(), 16).ok()?, text.trim().to_owned()))
}

/// An instruction in a form that does not depend on who wrote it.
fn normal(text: &str) -> String {
    // Comments say what an address relative to the instruction comes to.
    let (text, comment) = text.split_once('#').unwrap_or((text, ""));
    let mut text = text.trim().to_lowercase();
    if let (Some(start), false) = (text.find("[rip"), comment.is_empty()) {
        let end = start + text[start..].find(']').expect("brackets are closed");
        text.replace_range(start..end, &format!("[rel {}", comment.trim()));
    }
    for size in [
        "zmmword", "ymmword", "xmmword", "zword", "yword", "oword", "tbyte", "qword", "dword", "word", "byte",
    ] {
        text = text.replace(&format!("{size} bcst "), "").replace(&format!("{size} ptr "), "");
        text = replace_word(&text, size);
    }
    for word in ["near", "short", "lock_"] {
        text = replace_word(&text, word);
    }
    for lanes in ["{1to2}", "{1to4}", "{1to8}", "{1to16}"] {
        text = text.replace(lanes, "");
    }
    let text = text
        .replace("{evex} ", "")
        .replace("{vex} ", "")
        .replace("movabs ", "mov ")
        .replace("cs:", "")
        .replace("ds:", "");
    let text = numbers(&text).replace("*1", "").replace("+0x0]", "]");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Either order of an exchange is the same.
    if let Some((one, other)) = text.strip_prefix("xchg ").and_then(|operands| operands.split_once(',')) {
        return format!("xchg {},{}", one.min(other), one.max(other));
    }
    text
}

/// The text without a word.
fn replace_word(text: &str, word: &str) -> String {
    text.replace(&format!(" {word} "), " ").replace(&format!(",{word} "), ",")
}

/// Numbers as `0x…` without leading zeros, whichever way they are written.
fn numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
        let (token, after) = from.split_at(end);
        out.push_str(before);
        let hexadecimal = token.strip_prefix("0x").or_else(|| {
            token.strip_suffix('h').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
        });
        let value = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => token.parse().ok(),
        };
        // Scales stay as they are.
        match value {
            Some(value) if !before.ends_with('*') => out.push_str(&format!("{value:#x}")),
            _ => out.push_str(token),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
