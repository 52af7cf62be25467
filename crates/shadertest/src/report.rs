//! Outcomes of tests: as text, as JUnit, and as a page with pictures.

use std::fmt::Write as _;
use std::time::Duration;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is as expected.
    Passed,
    /// Something is not: what.
    Failed(String),
    /// It was left out: why.
    Skipped(String),
}

/// A case that has run.
#[derive(Clone, Debug)]
pub struct Result {
    /// The file and the case.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub time: Duration,
    /// Of a picture that differs: what was expected, what was drawn, and the difference, as PNG.
    pub pictures: Option<[Vec<u8>; 3]>,
}

/// Passed, failed and skipped cases.
pub fn counts(results: &[Result]) -> [usize; 3] {
    let count = |is: fn(&Outcome) -> bool| results.iter().filter(|result| is(&result.outcome)).count();
    [
        count(|outcome| *outcome == Outcome::Passed),
        count(|outcome| matches!(outcome, Outcome::Failed(_))),
        count(|outcome| matches!(outcome, Outcome::Skipped(_))),
    ]
}

/// Text as XML and HTML write it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            // XML has no other control characters.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JUnit XML.
pub fn junit(results: &[Result]) -> String {
    let [_, failed, skipped] = counts(results);
    let time: f64 = results.iter().map(|result| result.time.as_secs_f64()).sum();
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<testsuite name=\"pyroclast test\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" \
         time=\"{time:.3}\">",
        results.len()
    );
    for result in results {
        let (file, name) = result.name.rsplit_once("::").unwrap_or(("", &result.name));
        let _ = write!(
            out,
            "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(file),
            escaped(name),
            result.time.as_secs_f64()
        );
        let _ = match &result.outcome {
            Outcome::Passed => writeln!(out, "/>"),
            Outcome::Failed(why) => {
                let first = why.lines().next().unwrap_or_default();
                writeln!(
                    out,
                    ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
                    escaped(first),
                    escaped(why)
                )
            }
            Outcome::Skipped(why) => {
                writeln!(out, ">\n    <skipped message=\"{}\"/>\n  </testcase>", escaped(why))
            }
        };
    }
    out += "</testsuite>\n";
    out
}

/// Bytes in base 64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut word = [0; 3];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes([0, word[0], word[1], word[2]]);
        for digit in 0..4 {
            let is_there = digit <= chunk.len();
            let value = (word >> (18 - 6 * digit)) & 63;
            out.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    out
}

/// A page that needs nothing else: what failed, with pictures side by side.
pub fn page(results: &[Result]) -> String {
    let [passed, failed, skipped] = counts(results);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Shader tests</title>\n<style>\n\
         body {{ font: 14px/1.5 system-ui, sans-serif; margin: 24px auto; max-width: 1100px; color: #1d1d1f }}\n\
         h1 {{ font-size: 20px }} h2 {{ font-size: 15px; margin: 24px 0 4px }}\n\
         pre {{ background: #f6f6f8; padding: 8px; border-radius: 6px; white-space: pre-wrap }}\n\
         .pictures {{ display: flex; gap: 12px; flex-wrap: wrap }} figure {{ margin: 0 }}\n\
         figcaption {{ color: #6b6b70 }} img {{ image-rendering: pixelated; min-width: 128px; max-width: 340px;\n\
         border: 1px solid #d9d9de; background: repeating-conic-gradient(#eee 0 25%, #fff 0 50%) 0 / 16px 16px }}\n\
         .passed {{ color: #1a7f37 }} .failed {{ color: #b3261e }} .skipped {{ color: #6b6b70 }}\n\
         </style>\n<h1>{passed} passed, {failed} failed, {skipped} left out</h1>\n"
    );
    for result in results {
        let (class, text) = match &result.outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Failed(why) => ("failed", &why[..]),
            Outcome::Skipped(why) => ("skipped", &why[..]),
        };
        let name = escaped(&result.name);
        let _ = writeln!(
            out,
            "<h2 class=\"{class}\">{name}: {class}, {:.0} ms</h2>",
            1e3 * result.time.as_secs_f64()
        );
        if !text.is_empty() {
            let _ = writeln!(out, "<pre>{}</pre>", escaped(text));
        }
        if let Some(pictures) = &result.pictures {
            out += "<div class=\"pictures\">\n";
            for (picture, title) in pictures.iter().zip(["expected", "drawn", "difference"]) {
                let _ = writeln!(
                    out,
                    "<figure><img alt=\"{title}\" src=\"data:image/png;base64,{}\"><figcaption>{title}</figcaption></figure>",
                    base64(picture)
                );
            }
            out += "</div>\n";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Vec<Result> {
        let result = |name: &str, outcome, pictures| Result {
            name: name.to_owned(),
            outcome,
            time: Duration::from_millis(20),
            pictures,
        };
        vec![
            result("a.test.toml::first", Outcome::Passed, None),
            result(
                "a.test.toml::a < b",
                Outcome::Failed("x & y\nmore".to_owned()),
                Some([vec![1], vec![2], vec![3]]),
            ),
            result("b.test.toml::c", Outcome::Skipped("slow".to_owned()), None),
        ]
    }

    #[test]
    fn junit_counts_and_escapes() {
        let text = junit(&results());
        assert!(
            text.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0.060\""),
            "{text}"
        );
        assert!(text.contains("classname=\"a.test.toml\" name=\"a &lt; b\""), "{text}");
        assert!(text.contains("<failure message=\"x &amp; y\">x &amp; y\nmore</failure>"), "{text}");
        assert!(text.contains("<skipped message=\"slow\"/>"), "{text}");
    }

    #[test]
    fn pages_hold_pictures() {
        assert_eq!(
            (&base64(b"f")[..], &base64(b"fo")[..], &base64(b"foo")[..], &base64(b"foob")[..]),
            ("Zg==", "Zm8=", "Zm9v", "Zm9vYg==")
        );
        let text = page(&results());
        assert!(text.contains("1 passed, 1 failed, 1 left out"));
        assert!(text.contains("base64,AQ==") && text.contains("base64,Aw=="));
    }
}
