//! A text's words.

use crate::error::{Result, invalid};

const RULE: &str = "Syntax";

/// A word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name: `%r1`, `foo`, `$L__BB0_2`.
    Name(&'a str),
    /// A word behind a dot, without it: `global`, `v4`, `shared::cta`.
    Dot(&'a str),
    /// An integer literal.
    Integer(u64),
    /// A binary32 literal's bits (`0f3F800000`).
    Single(u32),
    /// A binary64 literal's bits (`0d...`, `1.5`).
    Double(u64),
    /// What is between quotes.
    Text(&'a str),
    /// Any other character.
    Punctuation(char),
}

/// The words with their lines.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, u32)>> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut all = Vec::new();
    while let Some((token, line)) = lexer.next()? {
        all.push((token, line));
    }
    Ok(all)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes over blanks and comments.
    fn skip(&mut self) -> Result {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                (b'/', b'*') => {
                    let Some(length) = self.rest()[2..].find("*/") else {
                        return invalid(self.line, "Comments", "the comment does not end");
                    };
                    let comment = &self.rest()[..length + 4];
                    self.line += comment.bytes().filter(|&byte| byte == b'\n').count() as u32;
                    self.at += comment.len();
                }
                _ => return Ok(()),
            }
        }
    }

    fn next(&mut self) -> Result<Option<(Token<'a>, u32)>> {
        self.skip()?;
        let line = self.line;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let token = match first {
            '0'..='9' => self.number()?,
            '.' if is_name(self.peek(1)) => {
                self.at += 1;
                let mut length = self.name_length(0);
                while self.peek(length) == b':'
                    && self.peek(length + 1) == b':'
                    && is_name(self.peek(length + 2))
                {
                    length += 2 + self.name_length(length + 2);
                }
                Token::Dot(self.take(length))
            }
            '%' if is_name(self.peek(1)) => {
                let length = 1 + self.name_length(1);
                Token::Name(self.take(length))
            }
            'a'..='z' | 'A'..='Z' | '_' | '$' => {
                let length = self.name_length(0);
                Token::Name(self.take(length))
            }
            '"' => {
                let Some(length) = self.rest()[1..].find(['"', '\n']) else {
                    return invalid(line, RULE, "the text in quotes does not end");
                };
                let text = &self.rest()[1..1 + length];
                self.at += length + 1;
                if self.peek(0) != b'"' {
                    return invalid(line, RULE, "the text in quotes does not end on its line");
                }
                self.at += 1;
                Token::Text(text)
            }
            other => {
                self.at += other.len_utf8();
                Token::Punctuation(other)
            }
        };
        Ok(Some((token, line)))
    }

    fn name_length(&self, from: usize) -> usize {
        self.text.as_bytes()[self.at + from..].iter().take_while(|&&byte| is_name(byte)).count()
    }

    fn take(&mut self, length: usize) -> &'a str {
        let word = &self.rest()[..length];
        self.at += length;
        word
    }

    fn number(&mut self) -> Result<Token<'a>> {
        const RULE: &str = "Constants";
        let line = self.line;
        let length = self.name_length(0);
        let word = &self.rest()[..length];
        let wrong = |word: &str| invalid(line, RULE, format!("\"{word}\" is not a number"));
        let is_float = self.peek(length) == b'.' && self.peek(length + 1).is_ascii_digit()
            || word.contains(['e', 'E'])
                && !word.starts_with("0x")
                && !word.starts_with("0X")
                && !word.starts_with("0f")
                && !word.starts_with("0F")
                && !word.starts_with("0d")
                && !word.starts_with("0D")
            || self.peek(length) == b'.' && !is_name(self.peek(length + 1));
        if is_float {
            let bytes = &self.text.as_bytes()[self.at..];
            let mut length = 0;
            while let Some(&byte) = bytes.get(length) {
                let sign = matches!(byte, b'+' | b'-') && matches!(bytes[length - 1], b'e' | b'E');
                if !(byte.is_ascii_alphanumeric() || byte == b'.' || length > 0 && sign) {
                    break;
                }
                length += 1;
            }
            let word = self.take(length);
            return match word.parse::<f64>() {
                Ok(value) => Ok(Token::Double(value.to_bits())),
                Err(_) => wrong(word),
            };
        }
        self.at += length;
        let hexadecimal = |digits: &str, count: usize| {
            (digits.len() == count).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
        };
        if let Some(digits) = word.strip_prefix("0f").or(word.strip_prefix("0F")) {
            return match hexadecimal(digits, 8) {
                Some(bits) => Ok(Token::Single(bits as u32)),
                None => wrong(word),
            };
        }
        if let Some(digits) = word.strip_prefix("0d").or(word.strip_prefix("0D")) {
            return match hexadecimal(digits, 16) {
                Some(bits) => Ok(Token::Double(bits)),
                None => wrong(word),
            };
        }
        let digits = word.strip_suffix(['U', 'u']).unwrap_or(word);
        let (digits, radix) = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
            [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
            [b'0', _, ..] => (&digits[1..], 8),
            _ => (digits, 10),
        };
        match u64::from_str_radix(digits, radix) {
            Ok(value) => Ok(Token::Integer(value)),
            Err(_) => wrong(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines() {
        let text = "ld.global.u32 %r1, [%rd2+-4]; // x\n/* \n */ .shared::cta 0f3F800000 1.5 0x1Fu 017 0b101 \"a b\"";
        let all = tokens(text).unwrap();
        use Token::{Dot, Double, Integer, Name, Punctuation, Single, Text};
        let expected = [
            (Name("ld"), 1),
            (Dot("global"), 1),
            (Dot("u32"), 1),
            (Name("%r1"), 1),
            (Punctuation(','), 1),
            (Punctuation('['), 1),
            (Name("%rd2"), 1),
            (Punctuation('+'), 1),
            (Punctuation('-'), 1),
            (Integer(4), 1),
            (Punctuation(']'), 1),
            (Punctuation(';'), 1),
            (Dot("shared::cta"), 3),
            (Single(0x3f80_0000), 3),
            (Double(1.5f64.to_bits()), 3),
            (Integer(31), 3),
            (Integer(15), 3),
            (Integer(5), 3),
            (Text("a b"), 3),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn unknown_characters_are_lexer_errors() {
        for text in
            ["/* never", "\"never", "\"line\nline\"", "0f12", "12z", "0d00", "99999999999999999999", "0x"]
        {
            assert!(tokens(text).is_err(), "{text}");
        }
        assert_eq!(tokens("é").unwrap(), [(Token::Punctuation('é'), 1)]);
    }
}
