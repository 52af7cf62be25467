//! Findings of the sanitizer as the driver writes them (`PYROCLAST_SANITIZE_OUTPUT`), and what a user does
//! not want to see of them.

pub(crate) mod junit;
pub(crate) mod suppressions;

use crate::report::{Finding, Instruction, Related};
use anyhow::{Context, Result};
use pyro_util::sanitize::Kind;
use pyro_validate::{Severity, SourceLine};
use serde_json::{Value, json};

/// A finding with what reports of `check` have no place for.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) finding: Finding,
    pub(crate) shader: String,
    pub(crate) stage: String,
    pub(crate) pipeline: String,
    pub(crate) invocation: String,
    pub(crate) values: Vec<(String, String)>,
    pub(crate) count: u64,
    id: u64,
}

/// What a run has written so far.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) found: Vec<Found>,
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// The instruction and its function, or a command of a queue.
fn instruction_text(value: &Value) -> String {
    let (instruction, function) = (text(value, "instruction"), text(value, "function"));
    if function.is_empty() { instruction } else { format!("{instruction} in {function}") }
}

fn source(value: &Value) -> Option<SourceLine> {
    let line = value["line"].as_u64().filter(|&line| line > 0)?;
    let column = value["column"].as_u64().unwrap_or(0);
    Some(SourceLine {
        file: text(value, "file"),
        line: u32::try_from(line).ok()?,
        column: u32::try_from(column).unwrap_or(0),
        text: value["text"].as_str().map(str::to_owned),
    })
}

/// The short name of a stage as `check` has it.
fn short_stage(stage: &str) -> Option<&'static str> {
    let known = [
        ("vertex", "vert"),
        ("tessellation control", "tesc"),
        ("tessellation evaluation", "tese"),
        ("geometry", "geom"),
        ("fragment", "frag"),
        ("compute", "comp"),
        ("task", "task"),
        ("mesh", "mesh"),
        ("ray generation", "rgen"),
        ("intersection", "rint"),
        ("any-hit", "rahit"),
        ("closest-hit", "rchit"),
        ("miss", "rmiss"),
        ("callable", "rcall"),
    ];
    known.into_iter().find(|(long, _)| *long == stage).map(|(_, short)| short)
}

impl Found {
    fn of(line: &Value) -> Found {
        let (shader, stage) = (text(line, "shader"), text(line, "stage"));
        let module = text(line, "module");
        // What stands for the module where its source is not known.
        let name = match (module.is_empty(), shader.is_empty()) {
            (false, _) => module,
            (true, false) => format!("shader \"{shader}\""),
            (true, true) => "commands".to_owned(),
        };
        let mut finding = Finding::new(&name, &text(line, "kind"), text(line, "message"));
        if Kind::from_name(&finding.rule).is_some_and(Kind::is_warning) {
            finding.severity = Severity::Warning;
        }
        finding.stage = short_stage(&stage);
        finding.source = source(line);
        let invocation = text(line, "invocation");
        let values: Vec<(String, String)> = line["values"]
            .as_object()
            .map(|values| values.iter().map(|(name, value)| (name.clone(), value_text(value))).collect())
            .unwrap_or_default();
        let mut ids = values.clone();
        let pipeline = text(line, "pipeline");
        if !pipeline.is_empty() {
            ids.push(("the pipeline".to_owned(), pipeline.clone()));
        }
        if !invocation.is_empty() {
            ids.push(("the invocation".to_owned(), invocation.clone()));
        }
        finding.instruction = Some(Instruction {
            word_offset: usize::try_from(line["word"].as_u64().unwrap_or(0)).unwrap_or(0),
            text: instruction_text(line),
            ids,
        });
        if let Some(other) = line.get("other") {
            let mut message = text(other, "message");
            let invocation = text(other, "invocation");
            if !invocation.is_empty() {
                message += &format!(" ({invocation})");
            }
            let instruction = text(other, "instruction");
            if text(other, "function").is_empty() && source(other).is_none() && !instruction.is_empty() {
                message += &format!(": {instruction}");
            }
            finding.related = Some(Related { file: name, message, source: source(other) });
        }
        let id = line["id"].as_u64().unwrap_or(0);
        Found { finding, shader, stage, pipeline, invocation, values, count: 1, id }
    }

    /// As JSON: the finding as `check` has it, with the shader, the invocation, the values and the count.
    pub(crate) fn json(&self) -> Value {
        let mut object = crate::report::json::finding(&self.finding);
        object["shader"] = json!(self.shader);
        object["stage"] = json!(self.stage);
        object["pipeline"] = json!(self.pipeline);
        object["invocation"] = json!(self.invocation);
        object["values"] = self.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        object["count"] = json!(self.count);
        object
    }
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Findings {
    /// All of a file.
    pub(crate) fn read(lines: &str) -> Result<Findings> {
        let mut findings = Findings::default();
        findings.add(lines)?;
        Ok(findings)
    }

    /// Adds what the driver has written since the last call: whole lines.
    pub(crate) fn add(&mut self, lines: &str) -> Result<()> {
        for line in lines.lines() {
            let line: Value =
                serde_json::from_str(line).with_context(|| format!("a line of the findings: {line}"))?;
            match (line.get("kind"), line.get("count")) {
                (Some(_), _) => self.found.push(Found::of(&line)),
                (None, Some(count)) => {
                    let id = line["id"].as_u64().unwrap_or(0);
                    let found = self.found.iter_mut().find(|found| found.id == id);
                    if let Some(found) = found {
                        found.count = count.as_u64().unwrap_or(1);
                    }
                }
                // Prints.
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_findings_with_counts() {
        let content = "{\"print\": \"hello\"}\n\
            {\"id\": 3, \"kind\": \"shift-width\", \"message\": \"m\", \"shader\": \"main\", \"module\": \"\", \
            \"stage\": \"compute\", \"invocation\": \"local (0, 0, 0)\", \"file\": \"a.comp\", \"line\": 7, \
            \"column\": 2, \"word\": 40, \"function\": \"main\", \"instruction\": \"OpShiftLeftLogical\", \
            \"values\": {\"shift\": \"33\"}, \"other\": {\"message\": \"o\", \"invocation\": \"i\", \
            \"file\": \"\", \"line\": 0}}\n";
        let mut findings = Findings::default();
        findings.add(content).expect("lines of JSON");
        findings.add("{\"id\": 3, \"count\": 12}\n").expect("a count");
        let [found] = &findings.found[..] else { panic!("one finding") };
        assert_eq!((found.count, found.stage.as_str(), found.finding.stage), (12, "compute", Some("comp")));
        assert_eq!(found.finding.rule, "shift-width");
        assert_eq!(found.finding.source.as_ref().map(|source| (source.line, source.column)), Some((7, 2)));
        let related = found.finding.related.as_ref().expect("the other side");
        assert_eq!((related.message.as_str(), related.source.is_none()), ("o (i)", true));
        assert_eq!(found.json()["values"]["shift"], "33");
        assert!(findings.add("not json\n").is_err());
    }
}
