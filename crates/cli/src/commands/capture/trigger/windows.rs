//! Keys of Windows. There are no signals.
#![allow(unsafe_code)] // a function of the system

use super::Key;
use anyhow::{Context, Result, bail};
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetAsyncKeyState, VK_F1, VK_INSERT, VK_PAUSE, VK_SNAPSHOT,
};

/// There is no signal.
///
/// # Errors
/// Always.
pub(super) fn listen() -> Result<()> {
    bail!("--on-signal is not available on Windows: --key is")
}

/// None came.
pub(super) fn was_signalled() -> bool {
    false
}

/// A key, and whether it was down when it was looked at last.
pub(super) struct Keyboard {
    code: u16,
    is_down: bool,
}

/// The system's code of a key by its symbol of X11.
fn code(symbol: u32) -> Option<u16> {
    const F1: u32 = super::F1;
    Some(match symbol {
        0xff13 => VK_PAUSE,
        0xff61 => VK_SNAPSHOT,
        0xff63 => VK_INSERT,
        F1.. => VK_F1 + u16::try_from(symbol - F1).ok()?,
        // Codes of letters and digits are those of their capitals in ASCII.
        _ => u8::try_from(symbol).ok()?.to_ascii_uppercase().into(),
    })
}

impl Keyboard {
    pub(super) fn new(key: Key) -> Result<Keyboard> {
        Ok(Keyboard { code: code(key.0).context("the keyboard has no such key")?, is_down: false })
    }

    /// Whether it was pressed since the last call of this.
    ///
    /// # Errors
    /// None here.
    pub(super) fn is_pressed(&mut self) -> Result<bool> {
        let was_down = self.is_down;
        // SAFETY: the function reads a key's state. Its highest bit says that the key is down.
        self.is_down = unsafe { GetAsyncKeyState(self.code.into()) } < 0;
        Ok(self.is_down && !was_down)
    }
}
