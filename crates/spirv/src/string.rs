//! Literal strings: UTF-8 bytes, lowest byte of a word first, ended by a zero byte.

use std::borrow::Cow;

/// How many words the literal string at the start of `words` takes, or `None` when no byte of them
/// ends it.
pub fn literal_string_len(words: &[u32]) -> Option<usize> {
    words.iter().position(|&word| has_zero_byte(word)).map(|last| last + 1)
}

fn has_zero_byte(word: u32) -> bool {
    word.wrapping_sub(0x0101_0101) & !word & 0x8080_8080 != 0
}

/// The literal string at the start of `words`; bytes that are not UTF-8 become replacement
/// characters, a missing end is the end of `words`.
pub fn literal_string(words: &[u32]) -> Cow<'static, str> {
    let mut bytes = Vec::with_capacity(words.len() * 4);
    'words: for word in words {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                break 'words;
            }
            bytes.push(byte);
        }
    }
    Cow::Owned(match String::from_utf8(bytes) {
        Ok(string) => string,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Whether the literal string at the start of `words` is `expected`; makes no copy.
pub fn literal_string_eq(words: &[u32], expected: &str) -> bool {
    let mut bytes = words.iter().flat_map(|word| word.to_le_bytes());
    expected.bytes().all(|byte| byte != 0 && bytes.next() == Some(byte)) && bytes.next() == Some(0)
}

/// A string as the words of a literal.
pub fn string_words(string: &str) -> Vec<u32> {
    let bytes = string.as_bytes();
    let mut words = vec![0u32; bytes.len() / 4 + 1];
    for (index, &byte) in bytes.iter().enumerate() {
        words[index / 4] |= u32::from(byte) << (index % 4 * 8);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_round_trip() {
        for string in ["", "a", "abc", "main", "GLSL.std.450", "größe"] {
            let words = string_words(string);
            assert_eq!(literal_string_len(&words), Some(words.len()));
            assert_eq!(literal_string(&words), string);
            assert!(literal_string_eq(&words, string));
            assert!(!literal_string_eq(&words, "mai"));
        }
        assert_eq!(literal_string_len(&[0x6161_6161]), None);
        assert_eq!(literal_string_len(&[0x8080_8080, 0x0061_6161]), Some(2));
    }
}
