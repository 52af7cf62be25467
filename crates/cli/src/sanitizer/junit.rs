//! Findings as JUnit XML, which continuous integration shows as failed tests.

use super::Found;
use pyro_shadertest::report::escaped;
use std::fmt::Write as _;

/// A suite with a failed case for each finding, and a passed one where there is none.
pub(crate) fn render(program: &str, found: &[Found], text: impl Fn(&Found) -> String) -> String {
    let count = found.len().max(1);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(
        out,
        "<testsuite name=\"pyroclast sanitize\" tests=\"{count}\" failures=\"{}\" errors=\"0\" skipped=\"0\">",
        found.len()
    );
    if found.is_empty() {
        let _ = writeln!(out, "  <testcase classname=\"{}\" name=\"no findings\"/>", escaped(program));
    }
    for one in found {
        let finding = &one.finding;
        let place = match &finding.source {
            Some(source) => format!("{}:{}", source.file, source.line),
            None => finding.file.clone(),
        };
        let name = format!("{} at {place}", finding.rule);
        let _ = writeln!(
            out,
            "  <testcase classname=\"{}\" name=\"{}\">",
            escaped(&finding.rule),
            escaped(&name)
        );
        let (message, text) = (escaped(&finding.message), escaped(&text(one)));
        let kind = escaped(&finding.rule);
        let _ = writeln!(out, "    <failure type=\"{kind}\" message=\"{message}\">{text}</failure>");
        out += "  </testcase>\n";
    }
    out += "</testsuite>\n";
    out
}

#[cfg(test)]
mod tests {
    use super::super::Findings;
    use super::*;

    #[test]
    fn findings_are_failed_cases() {
        let none = render("a.out", &[], |_| String::new());
        assert!(none.contains("tests=\"1\" failures=\"0\"") && none.contains("no findings"));
        let line = "{\"id\": 1, \"kind\": \"nan\", \"message\": \"a < b & \\\"c\\\"\", \"line\": 3}\n";
        let found = Findings::read(line).expect("a line").found;
        let some = render("a.out", &found, |_| "text\u{1}".to_owned());
        assert!(some.contains("failures=\"1\"") && some.contains("a &lt; b &amp; &quot;c&quot;"), "{some}");
        assert!(some.contains(">text\u{fffd}</failure>"));
    }
}
