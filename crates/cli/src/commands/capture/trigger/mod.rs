//! What asks for a frame while a program runs: a key on the X server or of Windows, or a signal.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use anyhow::{Result, anyhow};
use system::Keyboard;

/// A key, by its symbol of X11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u32);

/// The symbol of F1; the others follow.
const F1: u32 = 0xffbe;

/// Reads `F12`, `Pause`, `c`.
pub(super) fn parse(text: &str) -> Result<Key> {
    let lower = text.to_ascii_lowercase();
    let symbol = match &lower[..] {
        "pause" => Some(0xff13),
        "print" => Some(0xff61),
        "insert" => Some(0xff63),
        // Symbols of these are their codes in Latin-1.
        _ if lower.len() == 1 => lower.bytes().next().filter(u8::is_ascii_alphanumeric).map(u32::from),
        _ => {
            let number = lower.strip_prefix('f').and_then(|number| number.parse::<u32>().ok());
            number.filter(|number| (1..=12).contains(number)).map(|number| F1 + number - 1)
        }
    };
    symbol
        .map(Key)
        .ok_or_else(|| anyhow!("`{text}` is not F1 to F12, Pause, Print, Insert, a letter or a digit"))
}

/// What asks for frames.
pub(super) struct Trigger {
    keyboard: Option<Keyboard>,
    has_signal: bool,
}

impl Trigger {
    /// A trigger by a key, by SIGUSR1, or both.
    ///
    /// # Errors
    /// When there is no X server, or no such key on its keyboard, and on Windows for the signal.
    pub(super) fn new(key: Option<Key>, has_signal: bool) -> Result<Trigger> {
        let keyboard = key.map(Keyboard::new).transpose()?;
        if has_signal {
            system::listen()?;
        }
        Ok(Trigger { keyboard, has_signal })
    }

    /// Whether a frame was asked for since the last call of this.
    ///
    /// # Errors
    /// When the X server is gone.
    pub(super) fn is_pulled(&mut self) -> Result<bool> {
        let by_key = self.keyboard.as_mut().map(Keyboard::is_pressed).transpose()?.unwrap_or(false);
        Ok(by_key | (self.has_signal && system::was_signalled()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_symbols() {
        assert_eq!(parse("F12").expect("a key"), Key(0xffc9));
        assert_eq!(parse("f1").expect("a key"), Key(0xffbe));
        assert_eq!(parse("C").expect("a key"), Key(0x63));
        assert_eq!(parse("Pause").expect("a key"), Key(0xff13));
        for bad in ["F0", "F13", "", "ß", "Escape?"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
