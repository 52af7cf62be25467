//! Tokens of SPIR-V assembly.

use super::AsmError;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'s> {
    /// `%name` or `%12`, without the sign.
    Id(&'s str),
    /// `=`
    Equals,
    /// A number, a name, a mask.
    Word(&'s str),
    /// `"text"`, unescaped.
    String(String),
    /// `!word`, given as it is.
    Raw(u32),
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind<'s>,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A comment's text, for the header's fields.
pub(super) type Comment<'s> = &'s str;

pub(super) fn tokens(text: &str) -> Result<(Vec<Token<'_>>, Vec<Comment<'_>>), AsmError> {
    let mut tokens = Vec::new();
    let mut comments = Vec::new();
    let mut rest = text;
    let (mut line, mut line_start) = (1u32, text.len());
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', ',']);
        rest = trimmed;
        let Some(first) = rest.chars().next() else { return Ok((tokens, comments)) };
        // `line_start` counts bytes from the end of the text, as `rest` does.
        let column = (line_start - rest.len()) as u32 + 1;
        let fail = |message: &str| AsmError { line, column, message: message.to_owned() };
        let kind = match first {
            '\n' => {
                rest = &rest[1..];
                line += 1;
                line_start = rest.len();
                continue;
            }
            ';' => {
                let end = rest.find('\n').unwrap_or(rest.len());
                comments.push(&rest[1..end]);
                rest = &rest[end..];
                continue;
            }
            '=' => {
                rest = &rest[1..];
                TokenKind::Equals
            }
            '"' => {
                let mut string = String::new();
                let mut characters = rest[1..].char_indices();
                let end = loop {
                    match characters.next() {
                        Some((at, '"')) => break at,
                        Some((_, '\\')) => match characters.next() {
                            Some((_, character)) => string.push(character),
                            None => return Err(fail("a string without end")),
                        },
                        Some((_, '\0')) => return Err(fail("a zero byte in a string")),
                        Some((_, character)) => string.push(character),
                        None => return Err(fail("a string without end")),
                    }
                };
                let consumed = &rest[..end + 2];
                rest = &rest[end + 2..];
                if let Some(newline) = consumed.rfind('\n') {
                    tokens.push(Token { kind: TokenKind::String(string), line, column });
                    line += consumed.matches('\n').count() as u32;
                    line_start = rest.len() + (consumed.len() - newline - 1);
                    continue;
                }
                TokenKind::String(string)
            }
            _ => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, ';' | '=' | '"' | ','))
                    .unwrap_or(rest.len());
                let word = &rest[..end];
                if word.is_empty() {
                    return Err(fail("a character that means nothing here"));
                }
                rest = &rest[end..];
                if let Some(name) = word.strip_prefix('%') {
                    if name.is_empty() {
                        return Err(fail("an id without a name"));
                    }
                    TokenKind::Id(name)
                } else if let Some(number) = word.strip_prefix('!') {
                    let number = crate::number::parse_integer(number, 32, false);
                    TokenKind::Raw(number.map_err(|message| fail(&message))? as u32)
                } else {
                    TokenKind::Word(word)
                }
            }
        };
        tokens.push(Token { kind, line, column });
    }
}
