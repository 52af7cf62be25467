//! Files that a command makes for itself.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A path in the temporary folder that no other call of any process gets.
pub(crate) fn temporary(ending: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("pyroclast-{}-{count}.{ending}", std::process::id()))
}
