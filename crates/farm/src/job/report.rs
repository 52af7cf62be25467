//! Reports: files that each process of a section may write beside its items' results, joined when merging.

use super::limits::REPORTS_MAX;
use super::{Kind, Section, Verdicts, check_output, template};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the reports of all processes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// LCOV: counts are added.
    Lcov,
    /// SARIF 2.1.0: equal results stand once, with the sum of their occurrences.
    Sarif,
    /// A test log of dEQP (`.qpa`): the cases in the order of the job.
    Deqp,
    /// Each is kept as a file of its own.
    Files,
}

/// A report that each process writes into `{output}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The name of its file.
    pub file: String,
    /// How those of all processes become one.
    pub join: Join,
}

/// Checks the reports of a section against its arguments.
///
/// # Errors
/// Names that lead elsewhere or stand twice, and programs that are not told where to write.
pub(super) fn check(section: &Section) -> Result<()> {
    let reports = &section.reports;
    ensure!(reports.len() <= REPORTS_MAX, "reports: more than {REPORTS_MAX}");
    let mut names = BTreeSet::new();
    for report in reports {
        check_output(&report.file).context("reports")?;
        ensure!(names.insert(&report.file), "reports: {} stands twice", report.file);
    }
    let says_where = section.arguments.iter().any(|argument| template::names(argument, "output"));
    let is_deqp = matches!(&section.kind, Kind::Cases(cases) if cases.verdicts == Verdicts::Deqp);
    ensure!(
        is_deqp || reports.iter().all(|report| report.join != Join::Deqp),
        "reports: test logs of dEQP are of cases with its verdicts"
    );
    ensure!(
        reports.is_empty() || says_where,
        "reports: no argument has `{{output}}`, the folder that they are written into"
    );
    Ok(())
}
