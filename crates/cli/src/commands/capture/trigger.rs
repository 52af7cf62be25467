//! What asks for a frame while a program runs: a key on the X server, or a signal.
#![allow(unsafe_code)] // the signal's handler

use anyhow::{Context, Result, anyhow};
use std::sync::atomic::{AtomicBool, Ordering};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// The signal came.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

extern "C" fn signalled(_: libc::c_int) {
    SIGNALLED.store(true, Ordering::Relaxed);
}

/// A key, by its symbol of X11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u32);

/// Reads `F12`, `Pause`, `c`.
pub(super) fn parse(text: &str) -> Result<Key> {
    /// The symbol of F1; the others follow.
    const F1: u32 = 0xffbe;
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

/// A key of a server, and whether it was down when it was looked at last.
struct Keyboard {
    connection: RustConnection,
    code: u8,
    is_down: bool,
}

impl Keyboard {
    fn new(key: Key) -> Result<Keyboard> {
        let (connection, _) = x11rb::connect(None).context("--key needs an X server (DISPLAY)")?;
        let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let each = usize::from(mapping.keysyms_per_keycode).max(1);
        let codes = (first..=last).zip(mapping.keysyms.chunks(each));
        let code = codes.into_iter().find(|(_, symbols)| symbols.contains(&key.0)).map(|(code, _)| code);
        Ok(Keyboard { connection, code: code.context("the keyboard has no such key")?, is_down: false })
    }

    /// Whether it was pressed since the last call of this.
    fn is_pressed(&mut self) -> Result<bool> {
        let keys = self.connection.query_keymap()?.reply()?.keys;
        let was_down = self.is_down;
        self.is_down = keys[usize::from(self.code / 8)] & 1 << (self.code % 8) != 0;
        Ok(self.is_down && !was_down)
    }
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
    /// When there is no X server, or no such key on its keyboard.
    pub(super) fn new(key: Option<Key>, has_signal: bool) -> Result<Trigger> {
        let keyboard = key.map(Keyboard::new).transpose()?;
        if has_signal {
            let handler = signalled as extern "C" fn(libc::c_int);
            // SAFETY: the handler only stores into an atomic, and no other handler of this signal is in use.
            unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
            eprintln!("pyroclast: kill -USR1 {} captures a frame", std::process::id());
        }
        Ok(Trigger { keyboard, has_signal })
    }

    /// Whether a frame was asked for since the last call of this.
    ///
    /// # Errors
    /// When the X server is gone.
    pub(super) fn is_pulled(&mut self) -> Result<bool> {
        let by_key = self.keyboard.as_mut().map(Keyboard::is_pressed).transpose()?.unwrap_or(false);
        Ok(by_key | (self.has_signal && SIGNALLED.swap(false, Ordering::Relaxed)))
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
