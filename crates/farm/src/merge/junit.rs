//! Results as JUnit XML, which build servers read.

use super::Results;
use crate::record::Verdict;
use std::fmt::Write;

/// The results as JUnit XML. There are no times in it: the same results give the same bytes.
#[must_use]
pub fn junit(results: &Results) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"{}\">", escape(&results.job));
    for section in &results.sections {
        let count = |verdicts: &[Verdict]| {
            let counts = verdicts.iter().filter_map(|verdict| section.counts.get(verdict.name()));
            counts.sum::<usize>()
        };
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escape(&section.name),
            section.items.len(),
            count(&[Verdict::Fail]),
            count(&[Verdict::Crash, Verdict::Timeout, Verdict::Missing]),
            count(&[Verdict::Skip]),
        );
        for item in &section.items {
            let (class, name) = item.name.rsplit_once('.').unwrap_or((&section.name, &item.name));
            let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escape(class), escape(name));
            let element = match item.verdict {
                Verdict::Pass | Verdict::Warn => {
                    out.push_str("/>\n");
                    continue;
                }
                Verdict::Skip => "skipped",
                Verdict::Fail => "failure",
                Verdict::Crash | Verdict::Timeout | Verdict::Missing => "error",
            };
            let kind = match item.verdict {
                Verdict::Skip => String::new(),
                verdict => format!(" type=\"{}\"", verdict.name()),
            };
            let message = escape(&format!("{} {}", item.status, item.detail));
            let _ = writeln!(out, "><{element}{kind} message=\"{}\"/></testcase>", message.trim());
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Text for attributes. Characters that XML 1.0 does not have become U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::SectionResults;
    use crate::record::ItemResult;

    #[test]
    fn verdicts_and_texts_become_valid_xml() {
        let item = |name: &str, verdict, detail: &str| ItemResult {
            name: name.to_owned(),
            verdict,
            status: "S".to_owned(),
            detail: detail.to_owned(),
            outputs: Vec::new(),
        };
        let section = SectionResults {
            name: "s".to_owned(),
            counts: [("pass", 1), ("fail", 1), ("skip", 1)].into(),
            items: vec![
                item("a.b.c", Verdict::Pass, ""),
                item("d", Verdict::Fail, "<\"&\u{1}\n>"),
                item("e", Verdict::Skip, ""),
            ],
        };
        let xml = junit(&Results { job: "j".to_owned(), digest: String::new(), sections: vec![section] });
        assert!(xml.contains(r#"tests="3" failures="1" errors="0" skipped="1""#), "{xml}");
        assert!(xml.contains(r#"<testcase classname="a.b" name="c"/>"#), "{xml}");
        assert!(
            xml.contains(
                "<failure type=\"fail\" message=\"S &lt;&quot;&amp;\u{fffd}&#10;&gt;\"/></testcase>"
            ),
            "{xml}"
        );
        assert!(xml.contains(r#"<skipped message="S"/></testcase>"#), "{xml}");
    }
}
