//! Whether the sanitizer follows what commands do.
//!
//! *Must not know* objects, which ask.

/// Whether the sanitizer follows commands.
#[inline]
pub fn is_on() -> bool {
    pyro_util::config::get().sanitize.has_any(&pyro_sanitizer::commands::KINDS)
}
