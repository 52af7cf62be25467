//! Whether the sanitizer follows what commands do.
//!
//! *Must not know* objects, which ask.

/// Whether the sanitizer follows commands.
#[inline]
pub fn is_on() -> bool {
    pyro_sanitizer::commands::has_some(pyro_util::config::get().sanitize)
}
