//! Digests of contents and the operator's key: what damage and forgery are found by.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A BLAKE3 digest; as text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a file's contents.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_file(path: &Path) -> Result<Digest> {
        let read = || -> std::io::Result<Digest> {
            let mut hasher = blake3::Hasher::new();
            let mut file = File::open(path)?;
            let mut block = vec![0; 1 << 16];
            loop {
                let count = file.read(&mut block)?;
                if count == 0 {
                    return Ok(Digest(*hasher.finalize().as_bytes()));
                }
                hasher.update(&block[..count]);
            }
        };
        read().with_context(|| format!("cannot read {}", path.display()))
    }

    /// From 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Digest> {
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
        }
        Some(Digest(bytes))
    }

    /// The first 16 digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..16].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::parse(&text).ok_or_else(|| serde::de::Error::custom("a digest has 64 hexadecimal digits"))
    }
}

/// The operator's key, which plans and records are authenticated with. Without one they carry a plain digest,
/// which finds damage but no forgery.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// Bytes that a key file may have.
const KEY_FILE_BYTES_MAX: u64 = 4096;

impl Key {
    /// The key of a file: at least 32 bytes of any kind, of which nobody but the owner can read any.
    ///
    /// # Errors
    /// When the file cannot be read, has fewer bytes, or others may read it.
    pub fn read(path: &Path) -> Result<Key> {
        use std::os::unix::fs::MetadataExt;
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot read the key file {name}"))?;
        let found = file.metadata()?;
        if !found.is_file() || found.mode() & 0o077 != 0 {
            bail!("the key file {name} must be a regular file that only its owner can read (mode 0600)");
        }
        let mut bytes = Vec::new();
        file.take(KEY_FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() < 32 || bytes.len() as u64 > KEY_FILE_BYTES_MAX {
            bail!("the key file {name} has {} bytes; 32 to {KEY_FILE_BYTES_MAX} are needed", bytes.len());
        }
        Ok(Key(blake3::derive_key("pyroclast farm 2026 records and plans", &bytes)))
    }
}

/// The first line of a sealed text: what it is, how it is authenticated, and the code.
const SEAL: &str = "pyroclast-farm";

/// Puts a line before a text that authenticates it, or, without a key, guards it against damage.
#[must_use]
pub fn seal(key: Option<&Key>, what: &str, text: &str) -> String {
    let (kind, code) = code(key, what, text);
    format!("{SEAL} {what} {kind} {code}\n{text}")
}

/// The text behind the line of [`seal`].
///
/// # Errors
/// When the line does not fit the text, what it should be, or the key.
pub fn unseal<'t>(key: Option<&Key>, what: &str, sealed: &'t [u8]) -> Result<&'t str> {
    let sealed = std::str::from_utf8(sealed).context("it is not text")?;
    let (line, text) = sealed.split_once('\n').context("its first line is cut off")?;
    let parts: Vec<&str> = line.split(' ').collect();
    let [SEAL, found_what, found_kind, found_code] = parts[..] else {
        bail!("its first line does not name its digest");
    };
    if found_what != what {
        bail!("it is a {found_what}, not a {what}");
    }
    let (kind, code) = code(key, what, text);
    match (found_kind, kind) {
        ("keyed", "plain") => bail!("it is authenticated with a key, and no key is given (--key-file)"),
        ("plain", "keyed") => bail!("it is not authenticated with the key: forged, or written without it"),
        _ if found_kind != kind => bail!("'{found_kind}' is not a kind of digest"),
        _ => {}
    }
    if Digest::parse(found_code).is_none_or(|found| blake3::Hash::from(found.0) != code.0) {
        bail!(
            "its {} does not fit its contents: damaged{}",
            if kind == "keyed" { "authentication code" } else { "digest" },
            if kind == "keyed" { ", forged, or of another key" } else { "" }
        );
    }
    Ok(text)
}

fn code(key: Option<&Key>, what: &str, text: &str) -> (&'static str, Digest) {
    let (kind, mut hasher) = match key {
        Some(Key(key)) => ("keyed", blake3::Hasher::new_keyed(key)),
        None => ("plain", blake3::Hasher::new()),
    };
    hasher.update(what.as_bytes()).update(b"\n").update(text.as_bytes());
    (kind, Digest(*hasher.finalize().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_texts_are_refused_when_damaged_forged_or_mistaken() {
        let (key, other) = (Key([1; 32]), Key([2; 32]));
        let plain = seal(None, "record", "text");
        assert_eq!(unseal(None, "record", plain.as_bytes()).unwrap(), "text");
        let keyed = seal(Some(&key), "record", "text");
        assert_eq!(unseal(Some(&key), "record", keyed.as_bytes()).unwrap(), "text");
        let error = |key, what, sealed: &str| unseal(key, what, sealed.as_bytes()).unwrap_err().to_string();
        assert!(error(None, "plan", &plain).contains("not a plan"));
        assert!(error(None, "record", &plain.replace("text", "test")).contains("damaged"));
        assert!(error(Some(&key), "record", &plain).contains("not authenticated"));
        assert!(error(None, "record", &keyed).contains("no key is given"));
        assert!(error(Some(&other), "record", &keyed).contains("another key"));
        for cut in 0..keyed.len() {
            assert!(unseal(Some(&key), "record", &keyed.as_bytes()[..cut]).is_err());
        }
    }

    #[test]
    fn digests_as_text() {
        let digest = Digest::of(b"abc");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("xyz"), None);
        assert_eq!(Digest::parse(&"é".repeat(32)), None);
    }
}
