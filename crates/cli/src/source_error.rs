//! What compilers of GLSL, HLSL, Slang and WGSL, and our assembler, find wrong, error by error, each with its
//! line.

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
    /// `GLSL`, `HLSL`, `Slang`, `WGSL` or `SPIR-V assembly`.
    pub(crate) language: &'static str,
    /// At least one.
    pub(crate) errors: Vec<SourceError>,
}

impl SourceError {
    /// How to fix what compilers report in their own words.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        const HINTS: [(&str, &str); 3] = [
            (
                "valid destination for a store",
                "variables can be written in var<storage, read_write>, var<workgroup>, var<private> and functions",
            ),
            (
                "must be qualified as flat",
                "integers and 64-bit floats are not interpolated: declare the input flat",
            ),
            ("Only one push_constant block", "put the members of the blocks into one"),
        ];
        HINTS.iter().find(|(part, _)| self.message.contains(part)).map(|(_, hint)| *hint)
    }
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

/// A line of source and a place in it, which is a byte, from 1.
pub(crate) fn line_of_bytes(source: &str, path: &Path, line: u32, column: u32) -> SourceLine {
    let text = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    let bytes = (column as usize).saturating_sub(1).min(text.len());
    let before = text.char_indices().take_while(|(place, _)| *place < bytes).count();
    line_of(source, path, line, before as u32 + 1)
}

/// One error of naga. Those that it gives no place, and that are of an entry point, are at the entry point's
/// function.
pub(crate) fn of_naga(message: String, at: Option<SourceLocation>, source: &str, path: &Path) -> SourceError {
    let at = at.filter(|at| at.line_number > 0);
    let place = at.map(|at| line_of_bytes(source, path, at.line_number, at.line_position));
    let place = place.or_else(|| {
        let name = message.strip_prefix("Entry point ")?.split(' ').next()?;
        let start = source.find(&format!("fn {name}("))? + "fn ".len();
        let before = &source[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() as u32 + 1;
        Some(line_of_bytes(source, path, line, (start - line_start) as u32 + 1))
    });
    SourceError { message, place }
}

/// The errors that glslangValidator printed: `ERROR: FILE:LINE: 'TOKEN' : MESSAGE`. What follows from others,
/// such as that there is no entry point then, is left out.
pub(crate) fn of_glslang(output: &str, source: &str, path: &Path) -> Vec<SourceError> {
    let mut found = Vec::new();
    for line in output.lines() {
        let Some((file, number, rest)) = line.strip_prefix("ERROR: ").and_then(place_of_glslang) else {
            continue;
        };
        let rest = rest.trim();
        let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("' : "));
        let (token, message) = quoted.unwrap_or(("", rest));
        if message.trim() == "compilation terminated" {
            continue;
        }
        let mut place = if Path::new(file) == path {
            line_of(source, path, number, 0)
        } else {
            // A file that is included.
            line_of(&std::fs::read_to_string(file).unwrap_or_default(), Path::new(file), number, 0)
        };
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

/// `FILE:LINE: REST`, taken apart.
fn place_of_glslang(text: &str) -> Option<(&str, u32, &str)> {
    text.match_indices(':').find_map(|(at, _)| {
        let (number, rest) = text[at + 1..].split_once(':')?;
        Some((&text[..at], number.parse().ok()?, rest))
    })
}

/// The errors that slangc printed for machines: code, severity, file, line, column, their ends, and a
/// message, with tabs between. The spans that follow an error say more of it.
pub(crate) fn of_slang(output: &str, path: &Path) -> Vec<SourceError> {
    let mut found: Vec<SourceError> = Vec::new();
    for line in output.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [code, severity, file, line, column, _, _, message] = parts[..] else { continue };
        match (severity, found.last_mut()) {
            ("error" | "fatal error", _) => {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let number = line.parse().unwrap_or(0);
                let place = line_of(&text, Path::new(file), number, column.parse().unwrap_or(0));
                let place = Some(place).filter(|_| number != 0);
                found.push(SourceError { message: format!("{code}: {message}"), place });
            }
            ("span", Some(error))
                if message.starts_with(error.message.trim_start_matches(code).trim_start_matches(": ")) =>
            {
                error.message = format!("{code}: {message}");
            }
            ("span", Some(error)) => error.message += &format!("; {message}"),
            _ => {}
        }
    }
    if found.is_empty() {
        let message = format!("slangc refuses {}: {}", path.display(), output.trim());
        found.push(SourceError { message, place: None });
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
        let included =
            of_glslang("ERROR: x/common.glsl:7: 'a' : undeclared identifier \n", "", Path::new("b"));
        let place = included[0].place.as_ref().expect("a place");
        assert_eq!((&place.file[..], place.line), ("x/common.glsl", 7));
        assert_eq!(of_glslang("it died", "", Path::new("b"))[0].message, "it died");
    }

    #[test]
    fn errors_of_slang_have_lines() {
        let output = "E30015\terror\ta.slang\t5\t73\t5\t87\tundefined identifier\n\
                      E30015\tspan\ta.slang\t5\t73\t5\t87\tundefined identifier 'x'.\n\
                      E39999\twarning\ta.slang\t1\t1\t1\t2\tan import\n";
        let found = of_slang(output, Path::new("a.slang"));
        let [error] = &found[..] else { panic!("{found:?}") };
        assert_eq!(error.message, "E30015: undefined identifier 'x'.");
        assert_eq!(error.place.as_ref().map(|place| (place.line, place.column)), Some((5, 73)));
        assert_eq!(of_slang("it died", Path::new("b")).len(), 1);
    }
}
