//! Strings of the API.

use pyro_driver::{Error, Result};
use std::ffi::CStr;

/// A string that must be there.
///
/// # Errors
/// When it is null.
pub(crate) fn string(string: Option<&CStr>) -> Result<String> {
    let string = string.ok_or_else(|| Error::misuse("a string is null"))?;
    Ok(string.to_string_lossy().into_owned())
}
