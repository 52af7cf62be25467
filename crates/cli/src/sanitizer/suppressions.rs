//! Findings that a user knows and does not want to see.
//!
//! A file has one suppression in each line: a kind (`*` in it stands for anything), then any of `shader=`,
//! `stage=`, `pipeline=`, `file=`, `function=` and `line=` with what must be there, in which `*` stands for
//! anything too. `#` begins a comment.

use super::Found;
use anyhow::{Result, bail};
use pyro_util::sanitize::Kind;

/// What a suppression or filter may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Shader,
    Stage,
    Pipeline,
    File,
    Function,
    Line,
}

const KEYS: [(&str, Key); 6] = [
    ("shader", Key::Shader),
    ("stage", Key::Stage),
    ("pipeline", Key::Pipeline),
    ("file", Key::File),
    ("function", Key::Function),
    ("line", Key::Line),
];

/// A condition on a finding.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    key: Key,
    pattern: String,
}

impl Condition {
    /// From `KEY=PATTERN`.
    pub(crate) fn parse(text: &str) -> Result<Condition> {
        let names: Vec<_> = KEYS.iter().map(|(name, _)| *name).collect();
        let Some((name, pattern)) = text.split_once('=') else {
            bail!("'{text}' is not KEY=PATTERN with one of the keys {}", names.join(", "));
        };
        match KEYS.into_iter().find(|(known, _)| *known == name) {
            Some((_, key)) => Ok(Condition { key, pattern: pattern.to_owned() }),
            None => bail!("'{name}' is not one of the keys {}", names.join(", ")),
        }
    }

    /// Whether a finding is as it says.
    pub(crate) fn holds(&self, found: &Found) -> bool {
        let source = found.finding.source.as_ref();
        let text = match self.key {
            Key::Shader => found.shader.clone(),
            Key::Stage => found.stage.clone(),
            Key::Pipeline => found.pipeline.clone(),
            Key::File => source.map_or(&found.finding.file, |source| &source.file).clone(),
            Key::Function => {
                let text = found.finding.instruction.as_ref().map(|instruction| instruction.text.as_str());
                text.and_then(|text| text.split_once(" in ")).map_or("", |(_, function)| function).to_owned()
            }
            Key::Line => source.map_or(0, |source| source.line).to_string(),
        };
        matches(&self.pattern, &text)
    }
}

/// Whether a text is as a pattern says, in which `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// A line of a file.
#[derive(Clone, Debug)]
struct Suppression {
    kind: String,
    conditions: Vec<Condition>,
}

/// What a file suppresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suppressions(Vec<Suppression>);

impl Suppressions {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Names the line that cannot be read, and why.
    pub(crate) fn parse(text: &str) -> Result<Suppressions> {
        let mut suppressions = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let Some(kind) = words.next() else { continue };
            if !Kind::ALL.iter().any(|known| matches(kind, known.name())) {
                bail!("line {number}: '{kind}' is not a kind of finding");
            }
            let conditions = words.map(Condition::parse).collect::<Result<Vec<_>>>();
            let conditions = conditions.map_err(|error| error.context(format!("line {number}")))?;
            suppressions.push(Suppression { kind: kind.to_owned(), conditions });
        }
        Ok(Suppressions(suppressions))
    }

    /// Whether a finding is suppressed.
    pub(crate) fn hide(&self, found: &Found) -> bool {
        self.0.iter().any(|suppression| {
            matches(&suppression.kind, &found.finding.rule)
                && suppression.conditions.iter().all(|condition| condition.holds(found))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Findings;
    use super::*;

    fn found() -> Found {
        let line = "{\"id\": 1, \"kind\": \"race-workgroup\", \"message\": \"m\", \"shader\": \"main\", \
            \"stage\": \"compute\", \"file\": \"shaders/fine.wgsl\", \"line\": 70, \"function\": \"fill\", \
            \"instruction\": \"OpLoad\"}\n";
        Findings::read(line).expect("a line").found.remove(0)
    }

    #[test]
    fn suppressions_hide_what_they_name() {
        let hides = |text: &str| Suppressions::parse(text).expect("suppressions").hide(&found());
        assert!(!hides("# nothing\n\n"));
        assert!(hides("race-workgroup"));
        assert!(hides("race-* file=*fine.wgsl line=7* function=fill # known"));
        assert!(!hides("race-* file=*fine.wgsl line=8"));
        assert!(!hides("bounds-* shader=main"));
        assert!(hides("* stage=compute\nshift-width"));
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = Suppressions::parse("race-workgroup\nrays-workgroup").expect_err("no kind");
        assert!(error.to_string().contains("line 2"), "{error}");
        let error = format!("{:#}", Suppressions::parse("* colour=red").expect_err("no key"));
        assert!(error.contains("line 1") && error.contains("shader, stage"), "{error}");
    }

    #[test]
    fn patterns() {
        for (pattern, text, is) in [
            ("", "", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*b*c", "ac", false),
            ("*b*", "abc", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern} {text}");
        }
    }
}
