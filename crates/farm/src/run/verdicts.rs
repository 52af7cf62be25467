//! Verdicts from what test programs print.

use crate::job::Verdicts;
use crate::record::Verdict;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'l> {
    /// A case starts.
    Start(&'l str),
    /// The case that started last ends.
    End(Verdict, &'l str, &'l str),
    /// A case started and ended.
    Whole(&'l str, Verdict, &'l str),
}

/// The events of a line.
pub(super) fn events(format: Verdicts, line: &str) -> Option<Event<'_>> {
    let line = line.trim_end_matches(['\n', '\r']);
    match format {
        Verdicts::Deqp => deqp(line),
        Verdicts::Libtest => libtest(line),
        Verdicts::ExitCode => None,
    }
}

/// dEQP's status words.
const DEQP: [(&str, Verdict); 12] = [
    ("Pass", Verdict::Pass),
    ("Fail", Verdict::Fail),
    ("QualityWarning", Verdict::Warn),
    ("CompatibilityWarning", Verdict::Warn),
    ("Pending", Verdict::Fail),
    ("NotSupported", Verdict::Skip),
    ("ResourceError", Verdict::Fail),
    ("InternalError", Verdict::Fail),
    ("Crash", Verdict::Crash),
    ("Timeout", Verdict::Timeout),
    ("Waiver", Verdict::Warn),
    ("DeviceLost", Verdict::Fail),
];

/// `Test case 'NAME'..`, then `  STATUS (text)`.
fn deqp(line: &str) -> Option<Event<'_>> {
    if let Some(rest) = line.strip_prefix("Test case '") {
        return rest.split_once("'..").map(|(name, _)| Event::Start(name));
    }
    let (status, rest) = line.strip_prefix("  ")?.split_once(" (")?;
    let (_, verdict) = DEQP.iter().find(|(known, _)| *known == status)?;
    Some(Event::End(*verdict, status, rest.strip_suffix(')')?))
}

/// `test NAME ... ok`, in one line or, where the test itself prints, in two.
fn libtest(line: &str) -> Option<Event<'_>> {
    let verdict = |text: &str| match text {
        "ok" => Some(Verdict::Pass),
        "FAILED" => Some(Verdict::Fail),
        _ if text == "ignored" || text.starts_with("ignored,") => Some(Verdict::Skip),
        _ => None,
    };
    if let Some((name, rest)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        return Some(match verdict(rest) {
            Some(found) => Event::Whole(name, found, rest),
            None => Event::Start(name),
        });
    }
    // What a test prints may stand before its verdict, or come between.
    verdict(line).map(|found| Event::End(found, line, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deqp_lines() {
        let event = |line| events(Verdicts::Deqp, line);
        assert_eq!(
            event("Test case 'dEQP-VK.api.smoke.triangle'..\n"),
            Some(Event::Start("dEQP-VK.api.smoke.triangle"))
        );
        assert_eq!(
            event("  Pass (Rendering (ok))\n"),
            Some(Event::End(Verdict::Pass, "Pass", "Rendering (ok)"))
        );
        let skipped = Event::End(Verdict::Skip, "NotSupported", "no");
        assert_eq!(event("  NotSupported (no)\r\n"), Some(skipped));
        for other in ["", "DONE!", "  Passed:        1/1 (100.0%)", "  Good (x)", "Pass (x)", "  Pass (x"] {
            assert_eq!(event(other), None, "{other}");
        }
    }

    #[test]
    fn libtest_lines() {
        let event = |line| events(Verdicts::Libtest, line);
        assert_eq!(event("test a::b ... ok\n"), Some(Event::Whole("a::b", Verdict::Pass, "ok")));
        assert_eq!(
            event("test c - should panic ... FAILED"),
            Some(Event::Whole("c", Verdict::Fail, "FAILED"))
        );
        assert_eq!(
            event("test d ... ignored, slow"),
            Some(Event::Whole("d", Verdict::Skip, "ignored, slow"))
        );
        assert_eq!(event("test e ... it prints"), Some(Event::Start("e")));
        assert_eq!(event("FAILED"), Some(Event::End(Verdict::Fail, "FAILED", "")));
        assert_eq!(event("running 3 tests"), None);
        assert_eq!(event("test result: ok. 3 passed"), None);
    }
}
