//! Whether the sanitizer follows what commands do.
//!
//! *Must not know* objects, which ask.

use pyro_util::sanitize::Kind;

/// Whether the sanitizer follows commands, or needs to know what lies at addresses: to find races of texels,
/// it has to know views and samplers.
#[inline]
pub fn is_on() -> bool {
    let kinds = pyro_util::config::get().sanitize;
    pyro_sanitizer::commands::has_some(kinds) || kinds.contains(Kind::RaceImage)
}
