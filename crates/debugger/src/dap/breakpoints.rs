//! Requests about breakpoints.

use super::requests::{parse_reference, text};
use super::{Answer, Server};
use crate::session::{Breakpoint, BreakpointKind};
use serde_json::{Value, json};

/// A member of a breakpoint that is a text that is not empty.
fn option(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

impl Server<'_> {
    /// The source that arguments name.
    fn source_of(&mut self, source: &Value) -> Result<Option<usize>, String> {
        let session = self.session()?;
        if let Some(reference) = source["sourceReference"].as_u64().filter(|&reference| reference != 0) {
            return Ok((reference as usize).checked_sub(1).filter(|&number| number < session.sources.len()));
        }
        let name =
            source["path"].as_str().or_else(|| source["name"].as_str()).ok_or("a source without a path")?;
        Ok(session.source_to_come(name))
    }

    /// The source that a breakpoint is in.
    pub(super) fn source_of_breakpoint(&self, breakpoint: &Breakpoint) -> Option<usize> {
        match breakpoint.kind {
            BreakpointKind::Line { source, .. } => Some(source),
            _ => None,
        }
    }

    pub(super) fn breakpoint_value(&mut self, breakpoint: &Breakpoint, source: Option<usize>) -> Value {
        let is_at_code = breakpoint.is_at_code();
        let mut value = json!({ "id": breakpoint.id, "verified": is_at_code });
        if let Some(line) = breakpoint.line {
            value["line"] = json!(self.line_out(line));
        }
        if let Some(source) = source {
            value["source"] = self.source_value(source);
        }
        if !is_at_code && self.is_live() {
            value["message"] = json!("no shader that the program has made so far has it");
        } else if !is_at_code {
            value["message"] = json!(match &breakpoint.kind {
                BreakpointKind::Function(name) => format!("no shader has a function \"{name}\""),
                BreakpointKind::Line { line, .. } =>
                    format!("no shader has code in line {line} or behind it"),
                _ => "no shader has it".to_owned(),
            });
        }
        value
    }

    fn add(&mut self, kind: BreakpointKind, wanted: &Value, source: Option<usize>) -> Result<Value, String> {
        let breakpoint = self.session()?.add_breakpoint(
            kind,
            option(wanted, "condition"),
            option(wanted, "hitCondition"),
            option(wanted, "logMessage"),
        );
        let breakpoint = breakpoint.clone();
        Ok(self.breakpoint_value(&breakpoint, source))
    }

    pub(super) fn set_breakpoints(&mut self, arguments: &Value) -> Answer {
        let source = self.source_of(&arguments["source"])?;
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let Some(source) = source else {
            let name = arguments["source"]["path"].as_str().unwrap_or("?").to_owned();
            let message = format!("no shader of the capture was compiled from {name} with debug information");
            let missing = |_| json!({ "verified": false, "message": message });
            return Ok(json!({ "breakpoints": wanted.iter().map(missing).collect::<Vec<_>>() }));
        };
        self.session()?.remove_breakpoints(
            |one| matches!(one.kind, BreakpointKind::Line { source: of, .. } if of == source),
        );
        let mut all = Vec::new();
        for one in &wanted {
            let line = self.line_in(one["line"].as_u64().ok_or("a breakpoint without a line")?);
            all.push(self.add(BreakpointKind::Line { source, line }, one, Some(source))?);
        }
        Ok(json!({ "breakpoints": all }))
    }

    pub(super) fn set_function_breakpoints(&mut self, arguments: &Value) -> Answer {
        self.session()?.remove_breakpoints(|one| matches!(one.kind, BreakpointKind::Function(_)));
        let mut all = Vec::new();
        for one in arguments["breakpoints"].as_array().cloned().unwrap_or_default() {
            let name = text(&one, "name")?.to_owned();
            all.push(self.add(BreakpointKind::Function(name), &one, None)?);
        }
        Ok(json!({ "breakpoints": all }))
    }

    pub(super) fn set_instruction_breakpoints(&mut self, arguments: &Value) -> Answer {
        self.session()?.remove_breakpoints(|one| matches!(one.kind, BreakpointKind::Instruction(..)));
        let mut all = Vec::new();
        for one in arguments["breakpoints"].as_array().cloned().unwrap_or_default() {
            let (digest, inst) = parse_reference(text(&one, "instructionReference")?)?;
            let inst = i64::from(inst).saturating_add(one["offset"].as_i64().unwrap_or(0));
            let inst = u32::try_from(inst).map_err(|_| "an offset before the module's start")?;
            all.push(self.add(BreakpointKind::Instruction(digest, inst), &one, None)?);
        }
        Ok(json!({ "breakpoints": all }))
    }

    pub(super) fn data_breakpoint_info(&mut self, arguments: &Value) -> Answer {
        let name = text(arguments, "name")?.to_owned();
        let path = self.path_of(arguments["variablesReference"].as_u64(), &name);
        let (invocation, frame) = self.frame_of(arguments)?;
        Ok(match self.running()?.watched(invocation, frame, &path) {
            Ok(_) => json!({
                "dataId": format!("{invocation}/{}/{path}", frame.map_or("-".to_owned(), |frame| frame.to_string())),
                "description": path, "accessTypes": ["write"],
            }),
            Err(error) => json!({ "dataId": Value::Null, "description": error }),
        })
    }

    pub(super) fn set_data_breakpoints(&mut self, arguments: &Value) -> Answer {
        self.session()?.remove_breakpoints(|one| matches!(one.kind, BreakpointKind::Data(_)));
        let mut all = Vec::new();
        for one in arguments["breakpoints"].as_array().cloned().unwrap_or_default() {
            let id = text(&one, "dataId")?.to_owned();
            let mut parts = id.splitn(3, '/');
            let mut part = || parts.next().ok_or("a data breakpoint of another session");
            let (invocation, frame, path) = (part()?.parse().unwrap_or(0), part()?.parse().ok(), part()?);
            let watched = self.running()?.watched(invocation, frame, path)?;
            all.push(self.add(BreakpointKind::Data(watched), &one, None)?);
        }
        Ok(json!({ "breakpoints": all }))
    }

    pub(super) fn breakpoint_locations(&mut self, arguments: &Value) -> Answer {
        let Some(source) = self.source_of(&arguments["source"])? else {
            return Ok(json!({ "breakpoints": [] }));
        };
        let first = self.line_in(arguments["line"].as_u64().unwrap_or(1));
        let last = arguments["endLine"].as_u64().map_or(first, |line| self.line_in(line));
        let session = self.session()?;
        let mut lines = Vec::new();
        for &(digest, number) in &session.sources[source].modules {
            let program = session.modules.iter().find(|program| program.digest == digest);
            lines.extend(program.map(|program| program.code_lines(number)).unwrap_or_default());
        }
        lines.retain(|line| (first..=last).contains(line));
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<Value> =
            lines.into_iter().map(|line| json!({ "line": self.line_out(line) })).collect();
        Ok(json!({ "breakpoints": lines }))
    }
}
