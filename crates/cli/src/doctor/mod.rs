//! Why a program does not see the device: findings about the loader, manifests, layers, variables, and the
//! machine, each with what to do.
//!
//! Problem: between a program and the driver stand the loader, its search path, half a dozen variables,
//! layers, and sandboxes; each can hide the device, and none says so. Approach: a new process asks the
//! loader for its devices, as a program would; that decides the verdict. The other examinations explain it:
//! each is a function from variables and files to findings. Invariants: an examination never fails, since
//! what it cannot read is a finding; nothing is written. *Must not know*: how findings are shown.

pub(crate) mod layers;
pub(crate) mod loader;
pub(crate) mod machine;
pub(crate) mod manifest;
pub(crate) mod programs;
pub(crate) mod search;
pub(crate) mod variables;

use serde_json::{Value, json};
use std::ffi::OsString;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// As it should be.
    Good,
    /// Worth to know; hides nothing by itself.
    Note,
    /// Can hide the device or break it.
    Problem,
}

impl Severity {
    /// The word for it in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Severity::Good => "good",
            Severity::Note => "note",
            Severity::Problem => "problem",
        }
    }
}

/// One thing found out.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// What was examined: `loader`, `manifest`, `layer`, `variable`, `machine`, `permission`, `sandbox`,
    /// `device`.
    pub(crate) subject: &'static str,
    pub(crate) severity: Severity,
    /// What was found.
    pub(crate) text: String,
    /// What to do about it.
    pub(crate) fix: Option<String>,
}

impl Finding {
    pub(crate) fn good(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding { subject, severity: Severity::Good, text: text.into(), fix: None }
    }

    pub(crate) fn note(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding { subject, severity: Severity::Note, text: text.into(), fix: None }
    }

    pub(crate) fn problem(subject: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { subject, severity: Severity::Problem, text: text.into(), fix: Some(fix.into()) }
    }

    /// With what to do.
    pub(crate) fn with_fix(mut self, fix: impl Into<String>) -> Finding {
        self.fix = Some(fix.into());
        self
    }

    fn to_json(&self) -> Value {
        json!({
            "subject": self.subject, "severity": self.severity.name(), "text": self.text, "fix": self.fix,
        })
    }
}

/// How examinations read variables; tests give their own.
pub(crate) type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A variable as text, where it is set and not empty.
pub(crate) fn text(variables: Variables<'_>, name: &str) -> Option<String> {
    variables(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

/// All findings, and the verdict.
pub(crate) struct Diagnosis {
    /// Whether a program that uses the system's loader, started as this one, gets the device.
    pub(crate) is_device_seen: bool,
    pub(crate) findings: Vec<Finding>,
}

impl Diagnosis {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "device_seen": self.is_device_seen,
            "findings": self.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
            "programs": programs::to_json(),
        })
    }
}

/// Examines everything.
pub(crate) fn examine(variables: Variables<'_>) -> Diagnosis {
    let loader = loader::find(variables);
    let search = search::Search::new(variables);
    let manifests = search.manifests();
    let mut findings = vec![loader::finding(loader.as_ref())];
    findings.extend(manifest::examine(&search, &manifests));
    findings.extend(variables::examine(variables, loader.as_ref(), &manifests));
    findings.extend(layers::examine(variables));
    findings.extend(machine::examine(variables));
    let (is_device_seen, device) = loader::ask();
    findings.push(device);
    Diagnosis { is_device_seen, findings }
}
