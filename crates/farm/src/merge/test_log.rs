//! Test logs of dEQP (`.qpa`) as one.
//!
//! Problem: each process writes a log of its own; its cases come in dEQP's order, with times and its command
//! line. Approach: the log is cut at the cases, which are put into the order of the job; what tells of one
//! process or of a clock is left out, so that the joined log is the same for any number of workers. A case
//! whose process ended in it is closed as dEQP's own tools do.

use crate::job::{Kind, Section};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, HashMap};

const BEGIN: &[u8] = b"#beginTestCaseResult ";
const END: &[u8] = b"#endTestCaseResult";
const TERMINATE: &[u8] = b"#terminateTestCaseResult";
const SESSION: &[u8] = b"#sessionInfo ";
/// Session lines that differ from process to process.
const OF_PROCESS: &[u8] = b"#sessionInfo commandLineParameters ";

/// A log's session lines, and its cases with their lines from begin to end.
struct Log<'l> {
    session: Vec<&'l [u8]>,
    cases: Vec<(&'l str, Vec<u8>)>,
}

/// Whether a line is a time, which dEQP marks so.
fn is_time(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_start();
    trimmed.starts_with(b"<Number ") && trimmed.windows(10).any(|part| part == b"Tag=\"Time\"")
}

fn parse(bytes: &[u8]) -> Result<Log<'_>> {
    ensure!(bytes.starts_with(SESSION), "it is not a test log of dEQP: it has no session");
    let mut log = Log { session: Vec::new(), cases: Vec::new() };
    let mut is_open = false;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if let Some(name) = line.strip_prefix(BEGIN) {
            ensure!(!is_open, "a test case begins inside of another");
            let name = std::str::from_utf8(name.trim_ascii()).context("a test case's name is not UTF-8")?;
            log.cases.push((name, line.to_vec()));
            is_open = true;
        } else if let Some((_, lines)) = log.cases.last_mut().filter(|_| is_open) {
            is_open = !line.starts_with(END) && !line.starts_with(TERMINATE);
            if !is_time(line) {
                lines.extend_from_slice(line);
            }
        } else if line.starts_with(SESSION) && !line.starts_with(OF_PROCESS) {
            log.session.push(line);
        }
    }
    if let Some((_, lines)) = log.cases.last_mut().filter(|_| is_open) {
        if !lines.ends_with(b"\n") {
            lines.push(b'\n');
        }
        lines.extend_from_slice(TERMINATE);
        lines.extend_from_slice(b" Crash\n");
    }
    Ok(log)
}

/// Checks that a log can be joined.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(bytes: &[u8]) -> Result<()> {
    parse(bytes).map(drop)
}

/// The logs of a section's processes.
pub(super) struct Joined {
    places: HashMap<String, usize>,
    session: Vec<u8>,
    cases: BTreeMap<usize, Vec<u8>>,
}

impl Joined {
    /// No log yet of this section's cases.
    pub(super) fn new(section: &Section) -> Joined {
        let places = match &section.kind {
            Kind::Cases(cases) => cases.names.iter().cloned().zip(0..).collect(),
            _ => HashMap::new(),
        };
        Joined { places, session: Vec::new(), cases: BTreeMap::new() }
    }

    /// Adds the log of a process.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let log = parse(bytes)?;
        if self.session.is_empty() {
            self.session = log.session.concat();
        }
        for (name, lines) in log.cases {
            let place = *self.places.get(name).with_context(|| format!("it has no such case: {name}"))?;
            // A case has one log: that of the process that ended in it, or ran it to its end.
            self.cases.entry(place).or_insert(lines);
        }
        Ok(())
    }

    /// The joined log.
    pub(super) fn render(self) -> Vec<u8> {
        let mut out = self.session;
        out.extend_from_slice(b"\n#beginSession\n");
        for lines in self.cases.values() {
            out.push(b'\n');
            out.extend_from_slice(lines);
            if !lines.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
        out.extend_from_slice(b"\n#endSession\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    #[test]
    fn cases_come_in_the_order_of_the_job_without_times() {
        let folder = std::env::temp_dir().join(format!("pyro-farm-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("cases.txt"), "b\na\nc\n").unwrap();
        let text = "name = \"j\"\n[[units]]\nname = \"s\"\nkind = \"cases\"\nprogram = \"sh\"\n\
                    arguments = [\"{list}\", \"{output}/log\"]\nlist = \"cases.txt\"\nverdicts = \"deqp\"\n\
                    reports = [{ file = \"log\", join = \"deqp\" }]\n";
        let job = Job::parse(text, &folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let mut joined = Joined::new(&job.sections[0]);
        let case = |name: &str, end: &str| {
            format!("#beginTestCaseResult {name}\n<x/>\n <Number Name=\"T\" Tag=\"Time\">1</Number>\n{end}")
        };
        let head =
            "#sessionInfo releaseName r\n#sessionInfo commandLineParameters \"p\"\n\n#beginSession\n\n";
        joined.add([head, &case("c", "")].concat().as_bytes()).unwrap();
        let both = [head, &case("a", "#endTestCaseResult\n\n"), &case("b", "#endTestCaseResult\n")].concat();
        joined.add(both.as_bytes()).unwrap();
        assert!(joined.add([head, &case("d", "")].concat().as_bytes()).is_err());
        assert!(joined.add(b"nothing").is_err());
        assert!(check([head, &case("a", ""), &case("b", "")].concat().as_bytes()).is_err());
        let expected = "#sessionInfo releaseName r\n\n#beginSession\n\n#beginTestCaseResult b\n<x/>\n\
                        #endTestCaseResult\n\n#beginTestCaseResult a\n<x/>\n#endTestCaseResult\n\n\
                        #beginTestCaseResult c\n<x/>\n#terminateTestCaseResult Crash\n\n#endSession\n";
        assert_eq!(String::from_utf8(joined.render()).unwrap(), expected);
    }
}
