//! Findings as JSON.

use super::{Finding, Report};
use pyro_validate::SourceLine;
use serde_json::{Map, Value, json};

pub(super) fn report(report: &Report) -> Value {
    json!({
        "tool": "pyroclast check",
        "version": env!("CARGO_PKG_VERSION"),
        "files": report.file_count,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

/// One finding; what it does not have is null.
pub(crate) fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "severity": finding.level(),
        "message": finding.message,
        "hint": finding.hint,
        "file": finding.file,
        "stage": finding.stage,
        "other_stage": finding.other_stage,
        "location": finding.location,
        "instruction": finding.instruction.as_ref().map(|instruction| json!({
            "word": instruction.word_offset, "text": instruction.text, "ids": ids(&instruction.ids),
        })),
        "source": finding.source.as_ref().map(source),
        "related": finding.related.as_ref().map(|related| json!({
            "file": related.file, "message": related.message, "source": related.source.as_ref().map(source),
        })),
    })
}

fn source(source: &SourceLine) -> Value {
    json!({
        "file": source.file,
        "line": source.line,
        "column": (source.column != 0).then_some(source.column),
        "text": source.text,
    })
}

fn ids(ids: &[(String, String)]) -> Value {
    ids.iter().map(|(id, what)| (id.clone(), Value::from(what.as_str()))).collect::<Map<_, _>>().into()
}
