//! What lies where: clusters, templates, structures of clusters and partitioned structures by their device
//! addresses.
//!
//! Nothing says when such an object is gone: its memory is overwritten, or freed. So each has the bytes from
//! its address on that the application was told it has, and is forgotten when another comes there, or when
//! the memory goes. What uses it may keep it for longer.

use crate::AccelerationStructure;
use crate::cluster::{Cluster, Template};
use crate::partition::Partitioned;
use pyro_util::sync::RwLock;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An object at a device address.
#[derive(Clone, Debug)]
pub enum Object {
    /// A cluster.
    Cluster(Arc<Cluster>),
    /// A template of clusters.
    Template(Arc<Template>),
    /// A structure of clusters, which instances name.
    Bottom(Arc<AccelerationStructure>),
    /// A partitioned structure of instances.
    Partitioned(Arc<Partitioned>),
}

impl Object {
    /// Of those that have one, what rays and instances find at the address.
    fn structure(&self) -> Option<&Arc<AccelerationStructure>> {
        match self {
            Object::Cluster(_) | Object::Template(_) => None,
            Object::Bottom(structure) => Some(structure),
            Object::Partitioned(partitioned) => Some(partitioned.structure()),
        }
    }
}

struct Entry {
    end: u64,
    object: Object,
}

static OBJECTS: RwLock<BTreeMap<u64, Entry>> = RwLock::new(BTreeMap::new());
/// There was one at some time.
static ARE_USED: AtomicBool = AtomicBool::new(false);

/// The object at an address, and its bytes.
pub fn find(address: u64) -> Option<(Object, u64)> {
    let objects = OBJECTS.read();
    objects.get(&address).map(|entry| (entry.object.clone(), entry.end - address))
}

/// The cluster at each address; none where there is none.
pub(crate) fn clusters(addresses: impl Iterator<Item = u64>) -> Vec<Arc<Cluster>> {
    let objects = OBJECTS.read();
    let cluster = |address: u64| match &objects.get(&address)?.object {
        Object::Cluster(cluster) => Some(Arc::clone(cluster)),
        _ => None,
    };
    addresses.filter_map(cluster).collect()
}

fn remove(objects: &mut BTreeMap<u64, Entry>, range: Range<u64>, removed: &mut Vec<Entry>) {
    let before = objects.range(..range.start).next_back();
    let before = before.filter(|(_, entry)| entry.end > range.start).map(|(&address, _)| address);
    let within = objects.range(range.start..range.end.max(range.start)).map(|(&address, _)| address);
    let all: Vec<u64> = before.into_iter().chain(within).collect();
    removed.extend(all.into_iter().filter_map(|address| objects.remove(&address)));
}

/// Nothing is found at the addresses of what was removed, though it may be in use; but for some.
fn retire(removed: Vec<Entry>, but: &[Arc<AccelerationStructure>]) {
    for structure in removed.iter().filter_map(|entry| entry.object.structure()) {
        if !but.iter().any(|one| Arc::ptr_eq(one, structure)) {
            structure.retire();
        }
    }
}

/// Puts objects at addresses, with so many bytes each. What overlaps them is gone.
pub fn put(new: impl IntoIterator<Item = (u64, u64, Object)>) {
    ARE_USED.store(true, Ordering::Release);
    let (mut removed, mut structures) = (Vec::new(), Vec::new());
    let mut objects = OBJECTS.write();
    for (address, bytes, object) in new {
        structures.extend(object.structure().cloned());
        let end = address.saturating_add(bytes.max(1));
        remove(&mut objects, address..end, &mut removed);
        objects.insert(address, Entry { end, object });
    }
    // What is removed is dropped without the lock.
    drop(objects);
    retire(removed, &structures);
}

/// Nothing is in a range of addresses any more.
pub fn forget(range: Range<u64>) {
    if !ARE_USED.load(Ordering::Acquire) {
        return;
    }
    let mut removed = Vec::new();
    let mut objects = OBJECTS.write();
    remove(&mut objects, range, &mut removed);
    drop(objects);
    retire(removed, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> Object {
        Object::Bottom(AccelerationStructure::new(7))
    }

    #[test]
    fn objects_are_gone_where_others_come() {
        let base = 1 << 60;
        let is_there = |offset: u64| find(base + offset).is_some();
        put([(base, 64, object()), (base + 64, 64, object()), (base + 128, 64, object())]);
        put([(base + 100, 40, object())]);
        assert!(is_there(0) && !is_there(64) && is_there(100) && !is_there(128));
        assert_eq!(find(base).map(|(_, bytes)| bytes), Some(64));
        forget(base + 139..base + 200);
        assert!(is_there(0) && !is_there(100));
        forget(base + 64..base + 200);
        assert!(is_there(0), "what ends there stays");
        forget(base..base + 1);
        assert!(!is_there(0));
    }
}
