//! Arguments and names with placeholders: `{frame}`, `{frame:05}`, and `{{` for a brace.

use anyhow::{Result, bail, ensure};
use std::collections::BTreeMap;

/// The largest width of a number, `{frame:20}`.
const WIDTH_MAX: usize = 20;

/// What placeholders stand for.
pub(crate) type Values = BTreeMap<&'static str, String>;

/// A text with placeholders, or its error.
fn parts(text: &str) -> Result<Vec<Part<'_>>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        found.push(Part::Text(&rest[..at]));
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            found.push(Part::Text(brace));
            rest = after;
            continue;
        }
        let Some((inner, after)) = after.split_once('}').filter(|_| brace == "{") else {
            bail!("`{text}` has a brace that is not closed or not opened; write {brace}{brace} for a brace");
        };
        let (name, width) = inner.split_once(':').unwrap_or((inner, "0"));
        match width.parse() {
            Ok(width) if width <= WIDTH_MAX => found.push(Part::Value { name, width }),
            _ => bail!("`{{{inner}}}` in `{text}` has no width from 0 to {WIDTH_MAX} behind its colon"),
        }
        rest = after;
    }
    found.push(Part::Text(rest));
    Ok(found)
}

enum Part<'t> {
    Text(&'t str),
    Value { name: &'t str, width: usize },
}

/// Whether a text has this placeholder.
pub(crate) fn names(text: &str, name: &str) -> bool {
    parts(text).is_ok_and(|parts| {
        parts.iter().any(|part| matches!(part, Part::Value { name: found, .. } if *found == name))
    })
}

/// Checks a text against the placeholders that exist where it stands.
///
/// # Errors
/// Unknown placeholders and braces without partner.
pub(crate) fn check(text: &str, known: &[&str]) -> Result<()> {
    for part in parts(text)? {
        if let Part::Value { name, .. } = part
            && !known.contains(&name)
        {
            let known: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
            bail!("`{{{name}}}` in `{text}` is not one of {}", known.join(", "));
        }
    }
    Ok(())
}

/// The text with values for its placeholders; numbers get leading zeros up to the width.
///
/// # Errors
/// Placeholders without value.
pub(crate) fn fill(text: &str, values: &Values) -> Result<String> {
    let mut filled = String::new();
    for part in parts(text)? {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Value { name, width } => match values.get(name) {
                Some(value) => filled.push_str(&format!("{value:0>width$}")),
                None => bail!("`{{{name}}}` in `{text}` has no value here"),
            },
        }
    }
    Ok(filled)
}

/// The text as a pattern of C's `printf` for the number that its one placeholder stands for.
///
/// # Errors
/// More than one placeholder, or none.
pub(crate) fn pattern(text: &str, number: &str) -> Result<String> {
    let mut pattern = String::new();
    let mut count = 0;
    for part in parts(text)? {
        match part {
            Part::Text(text) => pattern.push_str(&text.replace('%', "%%")),
            Part::Value { name, width } if name == number => {
                count += 1;
                pattern.push_str(&if width == 0 { "%d".to_owned() } else { format!("%0{width}d") });
            }
            Part::Value { name, .. } => bail!("`{{{name}}}` in `{text}` has no value here"),
        }
    }
    ensure!(count == 1, "`{text}` has `{{{number}}}` {count} times, not once");
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled() {
        let values = Values::from([("frame", "12".to_owned()), ("output", "/tmp/a".to_owned())]);
        assert_eq!(fill("{output}/f-{frame:05}.png", &values).unwrap(), "/tmp/a/f-00012.png");
        assert_eq!(fill("{{x}} {frame}", &values).unwrap(), "{x} 12");
        assert!(names("a{frame:3}", "frame") && !names("{{frame}}", "frame"));
        assert_eq!(pattern("a%-{{{frame:05}.png", "frame").unwrap(), "a%%-{%05d.png");
        assert!(pattern("a", "frame").is_err() && pattern("{frame}{frame}", "frame").is_err());
    }

    #[test]
    fn wrong_placeholders_are_named() {
        for (text, part) in [
            ("{seed}", "`{seed}`"),
            ("{frame", "not closed"),
            ("frame}", "not opened"),
            ("{frame:99}", "no width"),
            ("{frame:x}", "no width"),
        ] {
            let error = check(text, &["frame"]).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
