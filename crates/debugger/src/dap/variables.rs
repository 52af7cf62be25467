//! Requests about values: scopes, variables, expressions.

use super::requests::text;
use super::{Answer, Server};
use crate::expression::{self, Evaluated};
use crate::view::{Context, Scope, Shown, Where};
use serde_json::{Value, json};

/// What a reference of the protocol stands for; they are numbered from 1.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// A frame.
    Frame(usize, usize),
    /// A group of variables of a frame.
    Scope(usize, usize, Scope),
    /// The parts of a value, and the expression that gives it.
    Parts(usize, usize, Shown, String),
}

impl Server<'_> {
    fn refer(&mut self, reference: Reference) -> usize {
        self.references.push(reference);
        self.references.len()
    }

    fn reference(&self, number: u64) -> Result<Reference, String> {
        let found = (number as usize).checked_sub(1).and_then(|index| self.references.get(index));
        found.cloned().ok_or_else(|| "a reference from before it went on".to_owned())
    }

    /// The reference of a frame; the outermost frame is 0.
    pub(super) fn frame_id(&mut self, invocation: usize, frame: usize) -> usize {
        let is_it = |one: &Reference| matches!(one, Reference::Frame(of, number) if *of == invocation && *number == frame);
        match self.references.iter().position(is_it) {
            Some(index) => index + 1,
            None => self.refer(Reference::Frame(invocation, frame)),
        }
    }

    /// The invocation and frame that arguments name; where it stands otherwise.
    pub(super) fn frame_of(&mut self, arguments: &Value) -> Result<(usize, Option<usize>), String> {
        let focus = self.running()?.place().0;
        if let Some(number) = arguments["frameId"].as_u64()
            && let Reference::Frame(invocation, frame) = self.reference(number)?
        {
            return Ok((invocation, Some(frame)));
        }
        if let Some(number) = arguments["variablesReference"].as_u64().filter(|&number| number != 0) {
            return Ok(match self.reference(number)? {
                Reference::Frame(invocation, frame)
                | Reference::Scope(invocation, frame, _)
                | Reference::Parts(invocation, frame, ..) => (invocation, Some(frame)),
            });
        }
        Ok((focus, None))
    }

    /// The expression that names a variable of a reference.
    pub(super) fn path_of(&self, reference: Option<u64>, name: &str) -> String {
        match reference.and_then(|number| self.reference(number).ok()) {
            Some(Reference::Parts(_, _, _, path)) if name.starts_with('[') => format!("{path}{name}"),
            Some(Reference::Parts(_, _, _, path)) => format!("{path}.{name}"),
            _ => name.to_owned(),
        }
    }

    pub(super) fn scopes(&mut self, arguments: &Value) -> Answer {
        let number = arguments["frameId"].as_u64().ok_or("the argument \"frameId\" is missing")?;
        let Reference::Frame(invocation, frame) = self.reference(number)? else {
            return Err("it is not a frame".to_owned());
        };
        let (position, _) = self.running()?.position_of(invocation);
        let has = |context: &Context<'_>| Scope::ALL.map(|scope| !context.scope(scope).is_empty());
        let has = self.running()?.with_state(invocation, position, Some(frame), has);
        let mut scopes = Vec::new();
        for (scope, has) in Scope::ALL.into_iter().zip(has) {
            if has || scope == Scope::Locals {
                let reference = self.refer(Reference::Scope(invocation, frame, scope));
                let hint = match scope {
                    Scope::Locals => "locals",
                    Scope::Ids => "registers",
                    _ => "globals",
                };
                scopes.push(json!({
                    "name": scope.name(), "variablesReference": reference, "presentationHint": hint,
                    "expensive": matches!(scope, Scope::Ids | Scope::Buffers | Scope::Images),
                }));
            }
        }
        Ok(json!({ "scopes": scopes }))
    }

    fn value_of(&mut self, at: (usize, usize), one: (Shown, String, String, u64), path: String) -> Value {
        let (shown, value, ty, count) = one;
        let name = shown.name.clone();
        let mut all = json!({ "name": name, "value": value, "type": ty, "evaluateName": path });
        // The components of texels have names.
        let is_image = matches!(shown.place, Where::Image(_));
        let is_array = match is_image {
            true => !ty.starts_with("vec4<") || ty.ends_with(']'),
            false => shown.name.starts_with('[') || ty.contains('['),
        };
        let reference = if count > 0 { self.refer(Reference::Parts(at.0, at.1, shown, path)) } else { 0 };
        all["variablesReference"] = json!(reference);
        if count > 0 && is_array {
            all["indexedVariables"] = json!(count);
        }
        all
    }

    pub(super) fn variables(&mut self, arguments: &Value) -> Answer {
        let number = arguments["variablesReference"].as_u64().ok_or("\"variablesReference\" is missing")?;
        let reference = self.reference(number)?;
        let (start, count) = (
            arguments["start"].as_u64().unwrap_or(0),
            arguments["count"].as_u64().filter(|&count| count > 0),
        );
        let (invocation, frame) = match &reference {
            Reference::Frame(..) => return Err("a frame has no variables of its own".to_owned()),
            Reference::Scope(invocation, frame, _) | Reference::Parts(invocation, frame, ..) => {
                (*invocation, *frame)
            }
        };
        let (position, _) = self.running()?.position_of(invocation);
        let look = |context: &Context<'_>| {
            let shown = match &reference {
                Reference::Scope(_, _, scope) => context.scope(*scope),
                Reference::Parts(_, _, shown, _) => context.parts(shown, start, count),
                Reference::Frame(..) => Vec::new(),
            };
            let describe = |shown: Shown| {
                let (text, ty, count) =
                    (context.text(&shown), context.type_name(&shown), context.count(&shown));
                (shown, text, ty, count)
            };
            shown.into_iter().map(describe).collect::<Vec<_>>()
        };
        let all = self.running()?.with_state(invocation, position, Some(frame), look);
        let mut values = Vec::new();
        for one in all {
            let path = self.path_of(Some(number), &one.0.name);
            values.push(self.value_of((invocation, frame), one, path));
        }
        Ok(json!({ "variables": values }))
    }

    pub(super) fn evaluate(&mut self, arguments: &Value) -> Answer {
        let expression = text(arguments, "expression")?.to_owned();
        let (invocation, frame) = self.frame_of(arguments)?;
        let session = self.running()?;
        let (position, _) = session.position_of(invocation);
        let (text, shown, innermost) = session.with_state(invocation, position, frame, |context| {
            let value = expression::evaluate(context, &expression)?;
            let text = expression::text(context, &value);
            let shown = match value {
                Evaluated::Shown(shown) => {
                    let (ty, count) = (context.type_name(&shown), context.count(&shown));
                    Some((shown, ty, count))
                }
                _ => None,
            };
            Ok::<_, String>((text, shown, context.frame))
        })?;
        let Some((shown, ty, count)) = shown else {
            return Ok(json!({ "result": text, "variablesReference": 0 }));
        };
        let value = self.value_of((invocation, innermost), (shown, text, ty, count), expression);
        Ok(json!({
            "result": value["value"], "type": value["type"], "variablesReference": value["variablesReference"],
            "indexedVariables": value["indexedVariables"],
        }))
    }

    pub(super) fn set_variable(&mut self, arguments: &Value) -> Answer {
        let reference = arguments["variablesReference"].as_u64();
        let path = self.path_of(reference, text(arguments, "name")?);
        self.set(arguments, &path)
    }

    pub(super) fn set_expression(&mut self, arguments: &Value) -> Answer {
        let path = text(arguments, "expression")?.to_owned();
        self.set(arguments, &path)
    }

    fn set(&mut self, arguments: &Value, path: &str) -> Answer {
        let value = text(arguments, "value")?.to_owned();
        let (invocation, frame) = self.frame_of(arguments)?;
        let session = self.running()?;
        session.set_focus(invocation);
        session.set_value(frame, path, &value)?;
        // The value is there once the instruction at hand runs.
        Ok(json!({ "value": value, "variablesReference": 0 }))
    }
}
