//! Keys of an X server, and a signal.
#![allow(unsafe_code)] // the signal's handler

use super::Key;
use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// The signal came.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

extern "C" fn signalled(_: libc::c_int) {
    SIGNALLED.store(true, Ordering::Relaxed);
}

/// Begins to count signals.
///
/// # Errors
/// None here.
pub(super) fn listen() -> Result<()> {
    let handler = signalled as extern "C" fn(libc::c_int);
    // SAFETY: the handler only stores into an atomic, and no other handler of this signal is in use.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    eprintln!("pyroclast: kill -USR1 {} captures a frame", std::process::id());
    Ok(())
}

/// Whether the signal came since the last call of this.
pub(super) fn was_signalled() -> bool {
    SIGNALLED.swap(false, Ordering::Relaxed)
}

/// A key of a server, and whether it was down when it was looked at last.
pub(super) struct Keyboard {
    connection: RustConnection,
    code: u8,
    is_down: bool,
}

impl Keyboard {
    pub(super) fn new(key: Key) -> Result<Keyboard> {
        let (connection, _) = x11rb::connect(None).context("--key needs an X server (DISPLAY)")?;
        let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let each = usize::from(mapping.keysyms_per_keycode).max(1);
        let codes = (first..=last).zip(mapping.keysyms.chunks(each));
        let code = codes.into_iter().find(|(_, symbols)| symbols.contains(&key.0)).map(|(code, _)| code);
        Ok(Keyboard { connection, code: code.context("the keyboard has no such key")?, is_down: false })
    }

    /// Whether it was pressed since the last call of this.
    pub(super) fn is_pressed(&mut self) -> Result<bool> {
        let keys = self.connection.query_keymap()?.reply()?.keys;
        let was_down = self.is_down;
        self.is_down = keys[usize::from(self.code / 8)] & 1 << (self.code % 8) != 0;
        Ok(self.is_down && !was_down)
    }
}
