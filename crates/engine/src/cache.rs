//! The processor's last cache: what a dispatch writes beyond its size will not be found there anyway.

use std::sync::OnceLock;

/// What is taken for the size where the system does not tell.
const USUAL_BYTES: u64 = 32 << 20;
/// Less is never called large, so that nobody asks the system for the sake of small dispatches.
const LEAST_BYTES: u64 = 4 << 20;

/// Whether so many bytes are more than the last cache holds.
pub(crate) fn is_exceeded_by(bytes: u64) -> bool {
    static SIZE: OnceLock<u64> = OnceLock::new();
    bytes > LEAST_BYTES && bytes > *SIZE.get_or_init(|| last_cache_bytes().unwrap_or(USUAL_BYTES))
}

/// The size of the first processor's last cache.
fn last_cache_bytes() -> Option<u64> {
    let sizes = (0..=8).filter_map(|index| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        parse(&std::fs::read_to_string(path).ok()?)
    });
    sizes.max()
}

/// A size as the kernel writes it: `32768K`.
fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, text.as_bytes()[text.len() - 1]),
        None => (text, b' '),
    };
    let shift = match unit {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse("32768K\n"), Some(32 << 20));
        assert_eq!(parse("1M"), Some(1 << 20));
        assert_eq!(parse("512"), Some(512));
        assert_eq!(parse("K"), None);
        assert!(!is_exceeded_by(LEAST_BYTES));
        assert!(is_exceeded_by(u64::MAX));
    }
}
