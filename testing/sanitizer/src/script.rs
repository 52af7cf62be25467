//! Scripts: programs of several commands, and what stands between them.
//!
//! ```text
//! # What is wrong.
//! kind: race-command-buffer
//! first: fill compute-store      ways of the first access (see `way`)
//! second: compute-load           and of the second: all pairs that conflict
//! finding: second                the side that the finding is at (default), or a command's name
//! other: first
//! fresh                          buffer and image have not been written
//! layout: GENERAL                that of the image's descriptors
//! unwritten                      descriptors are not written
//! mapped                         the buffer's memory is mapped
//! secondary                      each access is in a secondary command buffer
//! --- bad
//! first
//! second
//! --- good
//! first
//! barrier first second
//! second
//! ```
//!
//! Lines: a way's name, `first`, `second`; `barrier SCOPE SCOPE`, `range SCOPE SCOPE` and `elsewhere SCOPE
//! SCOPE` (of the buffer, of another part of it); `transition OLD NEW SCOPE SCOPE`; `set SCOPE`, `wait SCOPE
//! SCOPE` (an event); `submit` (another batch), `idle` (and the host waits), `signal` and `after` (semaphores
//! between batches); `destroy` (the image's view), `retype array`, `retype float`, `retype format` (another
//! view), `compare` (a sampler with comparison), `host` (the host writes the buffer). A scope is `first`,
//! `second`, `all`, `none`, `STAGE` or `STAGE+ACCESS` with names of ways: `fill+compute-load` is the stage of
//! one with the access of another, and `fill+none` no access.

use crate::way::{WAYS, Way};
use std::collections::BTreeMap;

/// A line of a script.
pub type Step = Vec<String>;

/// A pair of scripts for each pair of ways.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The file's name without its ending.
    pub name: String,
    /// The kind of the finding.
    pub kind: String,
    /// Ways of the first access; empty where there is none.
    pub first: Vec<Way>,
    /// Ways of the second.
    pub second: Vec<Way>,
    /// Where the finding is.
    pub finding: String,
    /// Where the other side is; empty where there is none.
    pub other: String,
    /// Buffer and image have not been written.
    pub fresh: bool,
    /// Descriptors are not written.
    pub unwritten: bool,
    /// The buffer's memory is mapped.
    pub mapped: bool,
    /// Each access is in a secondary command buffer.
    pub secondary: bool,
    /// The layout of the image's descriptors.
    pub layout: String,
    /// Kinds that may be found beside it.
    pub also: Vec<String>,
    /// With the bug, and without.
    pub variants: BTreeMap<String, Vec<Step>>,
}

fn ways(text: &str) -> Result<Vec<Way>, String> {
    let mut list = Vec::new();
    for word in text.split_whitespace() {
        match word {
            "buffer-writes" => list.extend(WAYS.iter().filter(|way| !way.of_image && way.writes)),
            "buffer-reads" => list.extend(WAYS.iter().filter(|way| !way.of_image && !way.writes)),
            "image-writes" => list.extend(WAYS.iter().filter(|way| way.of_image && way.writes)),
            "image-reads" => list.extend(WAYS.iter().filter(|way| way.of_image && !way.writes)),
            name => list.push(Way::named(name).ok_or(format!("no way {name}"))?),
        }
    }
    Ok(list)
}

impl Script {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Says which line cannot be read.
    pub fn parse(name: &str, text: &str) -> Result<Script, String> {
        let mut script = Script {
            name: name.to_owned(),
            finding: "second".to_owned(),
            other: "first".to_owned(),
            layout: "GENERAL".to_owned(),
            ..Script::default()
        };
        let mut section: Option<String> = None;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(name) = line.strip_prefix("--- ") {
                section = Some(name.trim().to_owned());
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(section) = &section {
                let step = line.split_whitespace().map(str::to_owned).collect();
                script.variants.entry(section.clone()).or_default().push(step);
                continue;
            }
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.trim();
            match key {
                "kind" => script.kind = value.to_owned(),
                "first" => script.first = ways(value).map_err(|error| format!("{name}:{number}: {error}"))?,
                "second" => {
                    script.second = ways(value).map_err(|error| format!("{name}:{number}: {error}"))?
                }
                "finding" => script.finding = value.to_owned(),
                "other" => script.other = value.to_owned(),
                "layout" => script.layout = value.to_owned(),
                "also" => script.also = value.split_whitespace().map(str::to_owned).collect(),
                "fresh" => script.fresh = true,
                "mapped" => script.mapped = true,
                "unwritten" => script.unwritten = true,
                "secondary" => script.secondary = true,
                _ => return Err(format!("{name}:{number}: unknown key {key}")),
            }
        }
        let is_whole = !script.kind.is_empty()
            && !script.second.is_empty()
            && ["bad", "good"].iter().all(|name| script.variants.contains_key(*name));
        if is_whole { Ok(script) } else { Err(format!("{name}: no kind, no second way, no bad or no good")) }
    }

    /// The pairs of ways: of a first access those that conflict.
    pub fn pairs(&self) -> Vec<(Option<Way>, Way)> {
        if self.first.is_empty() {
            return self.second.iter().map(|&second| (None, second)).collect();
        }
        let mut pairs = Vec::new();
        for first in &self.first {
            let seconds =
                self.second.iter().filter(|second| first.conflicts(second) || self.kind == "image-layout");
            pairs.extend(seconds.map(|&second| (Some(*first), second)));
        }
        pairs
    }
}

/// All scripts of a folder, by name.
///
/// # Panics
/// When the folder cannot be read, or a file is malformed: a mistake of the corpus.
pub fn all(folder: &std::path::Path) -> Vec<Script> {
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of scripts") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "script") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().expect("a name").to_string_lossy();
            scripts.push(Script::parse(&name, &text).unwrap_or_else(|error| panic!("{error}")));
        }
    }
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    scripts
}
