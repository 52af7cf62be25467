//! The names that the application gave its objects (`vkSetDebugUtilsObjectNameEXT`), by their
//! [`identity`](super::identity).

use pyro_util::sync::RwLock;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

static NAMES: RwLock<Option<HashMap<u64, CString>>> = RwLock::new(None);

/// Whether any object has a name: most applications name none.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Names an object; no name or an empty one takes its name away.
pub(crate) fn set(identity: u64, name: Option<CString>) {
    let mut names = NAMES.write();
    let names = names.get_or_insert_default();
    match name.filter(|name| !name.is_empty()) {
        Some(name) => names.insert(identity, name),
        None => names.remove(&identity),
    };
    NAMED.store(!names.is_empty(), Ordering::Relaxed);
}

/// Forgets the name of a destroyed object.
pub(crate) fn forget(identity: u64) {
    if NAMED.load(Ordering::Relaxed) {
        set(identity, None);
    }
}

/// All names.
pub(crate) fn all() -> HashMap<u64, CString> {
    NAMES.read().clone().unwrap_or_default()
}
