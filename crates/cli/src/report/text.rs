//! Findings for a person: rule and message, the line of source with a caret, the instruction, a hint.

use super::{Finding, Report};
use pyro_validate::SourceLine;
use std::fmt::Write as _;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        one(&mut out, finding);
        out.push('\n');
    }
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let files = count(report.file_count, "file");
    let of = |level| report.findings.iter().filter(|finding| finding.level() == level).count();
    let _ = match (of("error"), of("warning")) {
        (0, 0) => writeln!(out, "{files} checked: no findings"),
        (errors, 0) => writeln!(out, "{files} checked: {}", count(errors, "finding")),
        (0, warnings) => writeln!(out, "{files} checked: {}", count(warnings, "warning")),
        (errors, warnings) => {
            writeln!(out, "{files} checked: {}, {}", count(errors, "finding"), count(warnings, "warning"))
        }
    };
    out
}

/// One finding.
pub(crate) fn finding(finding: &Finding) -> String {
    let mut out = String::new();
    one(&mut out, finding);
    out
}

fn one(out: &mut String, finding: &Finding) {
    let _ = writeln!(out, "{}[{}]: {}", finding.level(), finding.rule, finding.message);
    let stage = match (finding.stage, finding.other_stage) {
        (Some(stage), Some(other)) => format!(" ({stage} shader, against the {other} shader)"),
        (Some(stage), None) => format!(" ({stage} shader)"),
        _ => String::new(),
    };
    match &finding.source {
        Some(source) => source_line(out, source, &finding.file, &stage),
        None => {
            let _ = writeln!(out, " --> {}{stage}", finding.file);
        }
    }
    if let Some(related) = &finding.related {
        let _ = writeln!(out, "  = {}:", related.message);
        match &related.source {
            Some(source) => source_line(out, source, &related.file, ""),
            None => {
                let _ = writeln!(out, " --> {}", related.file);
            }
        }
    }
    if let Some(instruction) = &finding.instruction {
        let _ = writeln!(out, "  = word {}: {}", instruction.word_offset, instruction.text);
        for (id, what) in &instruction.ids {
            let _ = writeln!(out, "  = where {id} is {what}");
        }
    }
    if let Some(hint) = finding.hint {
        let _ = writeln!(out, "  = help: {hint}");
    }
}

/// The file and the line of source, with a caret under the column.
fn source_line(out: &mut String, source: &SourceLine, checked: &str, stage: &str) {
    let file = if source.file.is_empty() { checked } else { &source.file };
    let number = source.line.to_string();
    let gutter = " ".repeat(number.len());
    let _ = write!(out, "{gutter}--> {file}:{number}");
    if source.column != 0 {
        let _ = write!(out, ":{}", source.column);
    }
    let _ = writeln!(out, "{stage}");
    if let Some(text) = &source.text {
        let _ = writeln!(out, "{gutter} |\n{number} | {text}");
        // Without a column, the whole line is meant.
        let start = match source.column {
            0 => text.chars().take_while(|c| c.is_whitespace()).count(),
            column => column as usize - 1,
        };
        // Tabs stay tabs, so that the caret is under its character.
        let indent: String = text.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let rest = text.trim_end().chars().count().saturating_sub(start);
        let mark = if source.column == 0 { "^".repeat(rest.max(1)) } else { "^".to_owned() };
        let _ = writeln!(out, "{gutter} | {indent}{mark}");
    }
    if file != checked {
        let _ = writeln!(out, "{gutter} = in {checked}");
    }
}
