//! Findings as SARIF 2.1.0, which code hosts and editors read.

use super::{Finding, Report};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn report(report: &Report) -> Value {
    let rules: BTreeSet<&str> = report.findings.iter().map(|finding| finding.rule.as_str()).collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    let results: Vec<Value> = report.findings.iter().map(|finding| result(finding, &rules)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pyroclast",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| json!({ "id": rule })).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Finding, rules: &[&str]) -> Value {
    let mut message = finding.message.clone();
    if let Some(hint) = finding.hint {
        message += &format!("\nHelp: {hint}");
    }
    // The source where it is known, or else the bytes of the module.
    let (file, region) = match (&finding.source, &finding.instruction) {
        (Some(source), _) => {
            let file = if source.file.is_empty() { &finding.file } else { &source.file };
            let mut region = json!({ "startLine": source.line.max(1) });
            if source.column != 0 {
                region["startColumn"] = json!(source.column);
            }
            if let Some(text) = &source.text {
                region["snippet"] = json!({ "text": text });
            }
            (file, Some(region))
        }
        (None, Some(instruction)) => {
            let region = json!({ "byteOffset": instruction.word_offset * 4, "byteLength": 4 });
            (&finding.file, Some(region))
        }
        (None, None) => (&finding.file, None),
    };
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(region) = region {
        place["region"] = region;
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rules.binary_search(&finding.rule.as_str()).unwrap_or(0),
        "level": finding.level(),
        "message": { "text": message },
        "locations": [{ "physicalLocation": place }],
    });
    if let Some(related) = &finding.related {
        let file = related.source.as_ref().map_or(&related.file, |source| &source.file);
        let file = if file.is_empty() { &related.file } else { file };
        let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(source) = &related.source {
            place["region"] = json!({ "startLine": source.line.max(1) });
        }
        result["relatedLocations"] =
            json!([{ "physicalLocation": place, "message": { "text": related.message } }]);
    }
    if let Some(instruction) = &finding.instruction {
        result["properties"] = json!({
            "module": finding.file, "word": instruction.word_offset, "instruction": instruction.text,
        });
    }
    result
}

/// A path as a reference that URIs allow.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    if out.starts_with('/') { format!("file://{out}") } else { out }
}
