//! What compilers of GLSL and WGSL find wrong, error by error, each with its line.

use naga::SourceLocation;
use pyro_validate::SourceLine;
use std::path::Path;

/// An error in a shader's source.
#[derive(Clone, Debug)]
pub(crate) struct SourceError {
    /// What is wrong.
    pub(crate) message: String,
    /// Where, when the compiler says.
    pub(crate) place: Option<SourceLine>,
}

/// All that a compiler found wrong with a file.
#[derive(Clone, Debug)]
pub(crate) struct SourceErrors {
    /// `GLSL` or `WGSL`.
    pub(crate) language: &'static str,
    /// At least one.
    pub(crate) errors: Vec<SourceError>,
}

impl std::fmt::Display for SourceErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, error) in self.errors.iter().enumerate() {
            let separator = if place == 0 { "" } else { "\n" };
            match &error.place {
                Some(at) => write!(f, "{separator}{}:{}: {}", at.file, at.line, error.message)?,
                None => write!(f, "{separator}{}", error.message)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for SourceErrors {}

fn line_of(source: &str, path: &Path, line: u32, column: u32) -> SourceLine {
    let text = source.lines().nth(line.saturating_sub(1) as usize).map(str::to_owned);
    SourceLine { file: path.display().to_string(), line, column, text }
}

/// One error of naga.
pub(crate) fn of_naga(message: String, at: Option<SourceLocation>, source: &str, path: &Path) -> SourceError {
    let place = at.filter(|at| at.line_number > 0).map(|at| {
        // Its columns count bytes.
        let text = source.lines().nth(at.line_number as usize - 1).unwrap_or_default();
        let bytes = (at.line_position as usize).saturating_sub(1).min(text.len());
        let before = text.char_indices().take_while(|(place, _)| *place < bytes).count();
        line_of(source, path, at.line_number, before as u32 + 1)
    });
    SourceError { message, place }
}

/// The errors that glslangValidator printed: `ERROR: FILE:LINE: 'TOKEN' : MESSAGE`. What follows from others, such as
/// that there is no entry point then, is left out.
pub(crate) fn of_glslang(output: &str, source: &str, path: &Path) -> Vec<SourceError> {
    let file = format!("{}:", path.display());
    let mut found = Vec::new();
    for line in output.lines() {
        let Some(rest) = line.strip_prefix("ERROR: ").and_then(|rest| rest.strip_prefix(&file)) else {
            continue;
        };
        let Some((number, rest)) = rest.split_once(':') else { continue };
        let Ok(number) = number.trim().parse() else { continue };
        let rest = rest.trim();
        let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("' : "));
        let (token, message) = quoted.unwrap_or(("", rest));
        if message.trim() == "compilation terminated" {
            continue;
        }
        let mut place = line_of(source, path, number, 0);
        place.column = place.text.as_deref().and_then(|text| column_of(text, token)).unwrap_or(0);
        let message = match token {
            "" => message.trim().to_owned(),
            token => format!("'{token}': {}", message.trim()),
        };
        found.push(SourceError { message, place: Some(place) });
    }
    if found.is_empty() {
        let errors = output.lines().filter_map(|line| line.strip_prefix("ERROR: "));
        found.extend(errors.take(1).map(|message| SourceError { message: message.to_owned(), place: None }));
    }
    if found.is_empty() {
        found.push(SourceError { message: output.trim().to_owned(), place: None });
    }
    found
}

/// Where a token stands as a word of its own, from 1.
fn column_of(text: &str, token: &str) -> Option<u32> {
    if token.is_empty() {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let alone = |start: usize| {
        let (before, after) = (&text[..start], &text[start + token.len()..]);
        let begins = !token.starts_with(is_word) || !before.ends_with(is_word);
        begins && (!token.ends_with(is_word) || !after.starts_with(is_word))
    };
    let (start, _) = text.match_indices(token).find(|(start, _)| alone(*start))?;
    Some(text[..start].chars().count() as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_glslang_have_lines() {
        let source = "#version 450\n  in vec3 int_color; in int kind;\n";
        let output = "a.frag\nERROR: a.frag:2: 'int' : must be qualified as flat in\n\
                      ERROR: a.frag:2: '' : compilation terminated \nERROR: 2 compilation errors.  No code generated.\n";
        let found = of_glslang(output, source, Path::new("a.frag"));
        let [error] = &found[..] else { panic!("{found:?}") };
        assert_eq!(error.message, "'int': must be qualified as flat in");
        let place = error.place.as_ref().expect("a place");
        assert_eq!((place.line, place.column), (2, 25));
        assert_eq!(of_glslang("ERROR: no such file\n", "", Path::new("b")).len(), 1);
        assert_eq!(of_glslang("it died", "", Path::new("b"))[0].message, "it died");
    }
}
