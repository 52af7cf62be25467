//! What checking found, and how to show it: as text, JSON or SARIF.

pub(crate) mod html;
pub(crate) mod json;
mod picture;
pub(crate) mod sarif;
pub(crate) mod text;

use pyro_validate::{Diagnostic, Place, Severity, SourceLine};

/// One finding.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// A VUID, or a name of a rule of SPIR-V.
    pub(crate) rule: String,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
    /// The file checked.
    pub(crate) file: String,
    /// The stage, for findings of pipelines.
    pub(crate) stage: Option<&'static str>,
    /// The stage that it does not fit.
    pub(crate) other_stage: Option<&'static str>,
    /// The location that the stages disagree on.
    pub(crate) location: Option<u32>,
    /// Whether the location is that of an output.
    pub(crate) is_output: bool,
    pub(crate) instruction: Option<Instruction>,
    pub(crate) source: Option<SourceLine>,
    /// What it does not fit, in another shader.
    pub(crate) related: Option<Related>,
}

/// A place that a finding is also about.
#[derive(Clone, Debug)]
pub(crate) struct Related {
    /// The file checked.
    pub(crate) file: String,
    pub(crate) message: String,
    pub(crate) source: Option<SourceLine>,
}

/// The instruction at fault.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) word_offset: usize,
    pub(crate) text: String,
    /// Its ids, each with what it is.
    pub(crate) ids: Vec<(String, String)>,
}

impl Finding {
    /// A finding without a place.
    pub(crate) fn new(file: &str, rule: &str, message: String) -> Finding {
        Finding {
            severity: pyro_validate::severity(rule),
            hint: pyro_validate::fix_hint(rule),
            rule: rule.to_owned(),
            message,
            file: file.to_owned(),
            stage: None,
            other_stage: None,
            location: None,
            is_output: false,
            instruction: None,
            source: None,
            related: None,
        }
    }

    /// Says where it is.
    pub(crate) fn set_place(&mut self, place: Place) {
        let ids = place.ids.into_iter().map(|(id, what)| (id.to_string(), what)).collect();
        self.instruction = Some(Instruction { word_offset: place.word_offset, text: place.text, ids });
        self.source = place.source;
    }

    /// A finding of the validator.
    pub(crate) fn of(file: &str, diagnostic: Diagnostic) -> Finding {
        let mut finding = Finding::new(file, &diagnostic.rule, diagnostic.message);
        if let Some(place) = diagnostic.place {
            finding.set_place(place);
        }
        finding
    }
}

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Sarif,
}

/// All findings of a run.
#[derive(Default)]
pub(crate) struct Report {
    /// Files that were checked.
    pub(crate) file_count: usize,
    pub(crate) findings: Vec<Finding>,
}

impl Finding {
    /// `error` or `warning`.
    pub(crate) fn level(&self) -> &'static str {
        match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl Report {
    /// Whether a finding is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The report in a format, ready to be printed.
    pub(crate) fn render(&self, format: Format) -> String {
        match format {
            Format::Text => text::render(self),
            Format::Json => format!("{:#}\n", json::report(self)),
            Format::Sarif => format!("{:#}\n", sarif::report(self)),
        }
    }
}
