//! Findings: what is wrong, where, in which invocation, with which values, and the other side of it.

use crate::report::{Record, value_text};
use pyro_abi::report::{Site, SiteKind, SitePlace};
use pyro_abi::shadow::Tracked;
use pyro_util::sanitize::Kind;
use std::fmt;

/// The other side of a finding, such as the access that one is not ordered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherSide {
    /// What it is.
    pub message: String,
    /// Where it is.
    pub place: SitePlace,
    /// Which invocation it is of; empty where it is none.
    pub invocation: String,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// The entry point's name.
    pub shader: String,
    /// The module's file, where it names one.
    pub module: String,
    /// The stage, as users know it.
    pub stage: String,
    /// The names of the pipelines that have the shader, where they have some.
    pub pipeline: String,
    /// Where it is.
    pub place: SitePlace,
    /// Which invocation.
    pub invocation: String,
    /// The values involved, by name.
    pub values: Vec<(String, String)>,
    /// The other side, where there is one.
    pub other: Option<OtherSide>,
}

impl Finding {
    /// A finding at a record's site, in one of its lanes.
    pub(crate) fn at(record: &Record, lane: u32, kind: Kind, message: String) -> Finding {
        let Site { place, .. } = record.site();
        Finding {
            kind,
            message,
            shader: record.sites.shader.clone(),
            module: record.sites.module.clone(),
            stage: record.sites.stage.clone(),
            pipeline: String::new(),
            place: place.clone(),
            invocation: record.invocation(lane),
            values: Vec::new(),
            other: None,
        }
    }

    /// The finding of a site that is one.
    pub(crate) fn of_site(record: &Record, kind: Kind) -> Option<Finding> {
        let lane = record.active_lanes().next()?;
        let mut finding = Finding::at(record, lane, kind, record.site().text.clone());
        let values = record.site_values(lane);
        finding.values =
            values.iter().map(|(value, bits)| (value.name.clone(), value_text(value.ty, bits))).collect();
        Some(finding)
    }

    /// The other side at a site of the same shader.
    pub(crate) fn with_other(
        mut self,
        record: &Record,
        site: u32,
        message: String,
        invocation: String,
    ) -> Finding {
        if let Some(site) = record.sites.sites.get(site as usize) {
            self.other = Some(OtherSide { message, place: site.place.clone(), invocation });
        }
        self
    }
}

/// File and line, or else the instruction.
pub(crate) struct PlaceText<'p>(pub(crate) &'p SitePlace);

impl fmt::Display for PlaceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SitePlace { file, line, column, function, word, instruction, .. } = self.0;
        match (*line, file.is_empty()) {
            // Not of a shader: a command.
            (0, _) if function.is_empty() => write!(f, "{instruction}")?,
            (0, _) => write!(f, "{instruction} (word {word}) in function {function}")?,
            (line, true) => write!(f, "line {line}")?,
            (line, false) => write!(f, "{file}:{line}")?,
        }
        if *line != 0 && *column != 0 {
            write!(f, ":{column}")?;
        }
        Ok(())
    }
}

/// For a person: several lines, as `pyroclast check` shows findings.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { kind, message, shader, stage, pipeline, place, invocation, values, other, .. } = self;
        let level = if kind.is_warning() { "warning" } else { "error" };
        writeln!(f, "{level}[{}]: {message}", kind.name())?;
        write!(f, " --> {}", PlaceText(place))?;
        if !shader.is_empty() {
            write!(f, " ({stage} shader \"{shader}\")")?;
        }
        if let Some(text) = &place.text {
            write!(f, "\n  | {}", text.trim_end())?;
        }
        if !pipeline.is_empty() {
            write!(f, "\n  = of the pipeline \"{pipeline}\"")?;
        }
        if !invocation.is_empty() {
            write!(f, "\n  = in the invocation {invocation}")?;
        }
        for (name, value) in values {
            write!(f, "\n  = {name}: {value}")?;
        }
        if let Some(other) = other {
            write!(f, "\n  = {}: {}", other.message, PlaceText(&other.place))?;
            if let Some(text) = &other.place.text {
                write!(f, "\n  | {}", text.trim_end())?;
            }
            if !other.invocation.is_empty() {
                write!(f, "\n  = there in the invocation {}", other.invocation)?;
            }
        }
        Ok(())
    }
}

/// What a site does, for messages about accesses.
pub(crate) fn access_name(kind: SiteKind) -> &'static str {
    use pyro_abi::report::AccessKind as A;
    match kind {
        SiteKind::WorkgroupAccess { tracked: Tracked { access, .. } }
        | SiteKind::BufferWord { tracked: Tracked { access, .. } }
        | SiteKind::BufferAccess { access, .. }
        | SiteKind::ImageAccess { access, .. }
        | SiteKind::AddressAccess { access, .. } => match access {
            A::Read => "read",
            A::Write => "write",
            A::Atomic => "atomic operation",
            A::AtomicStore | A::RelaxedStore => "atomic store",
        },
        SiteKind::SampleAccess { .. } | SiteKind::SampledTexels { .. } => "read",
        _ => "instruction",
    }
}

/// A noun with its indefinite article.
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
