//! Artifacts in memory: the contents of a `VkPipelineCache`.

use super::{Artifact, Digest, SealKey};
use pyro_util::codec::Reader;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Value = Arc<dyn Any + Send + Sync>;

/// Makes the bytes of a value, if it has a form as bytes.
type Encode = fn(&Value) -> Option<Vec<u8>>;

/// One artifact: ready for use, as bytes, or both.
#[derive(Clone, Default)]
struct Entry {
    value: Option<Value>,
    bytes: Option<Arc<[u8]>>,
    encode: Option<Encode>,
}

/// Artifacts by key.
#[derive(Default)]
pub struct MemoryCache {
    entries: Mutex<BTreeMap<Digest, Entry>>,
}

fn encode<T: Artifact>(value: &Value) -> Option<Vec<u8>> {
    value.downcast_ref::<T>()?.encode()
}

impl MemoryCache {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Digest, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The artifact with this key.
    pub fn get<T: Artifact>(&self, key: Digest) -> Option<T> {
        let entry = self.lock().get(&key)?.clone();
        if let Some(value) = &entry.value {
            return value.downcast_ref::<T>().cloned();
        }
        let mut reader = Reader::new(entry.bytes.as_ref()?);
        let value = T::decode(&mut reader).filter(|_| reader.left() == 0)?;
        if let Some(entry) = self.lock().get_mut(&key) {
            entry.value = Some(Arc::new(value.clone()));
        }
        Some(value)
    }

    /// Whether there is something with this key.
    pub fn contains(&self, key: Digest) -> bool {
        self.lock().contains_key(&key)
    }

    /// Keeps an artifact.
    pub fn put<T: Artifact>(&self, key: Digest, value: &T) {
        let entry = Entry { value: Some(Arc::new(value.clone())), bytes: None, encode: Some(encode::<T>) };
        self.lock().entry(key).or_insert(entry);
    }

    /// Takes over what another one has.
    pub fn merge(&self, other: &MemoryCache) {
        if std::ptr::eq(self, other) {
            return;
        }
        let others = other.lock().clone();
        let mut entries = self.lock();
        for (key, entry) in others {
            entries.entry(key).or_insert(entry);
        }
    }

    /// How many artifacts there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything that has a form as bytes, sealed, in order of the keys.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut entries = self.lock();
        for (&key, entry) in entries.iter_mut() {
            if let (None, Some(value), Some(encode)) = (&entry.bytes, &entry.value, entry.encode) {
                entry.bytes = encode(value).map(Arc::from);
            }
            if let Some(bytes) = &entry.bytes {
                SealKey::of_user().seal(key, bytes, out);
            }
        }
    }

    /// Adds what [`MemoryCache::write`] wrote; artifacts that are damaged, or whose MAC is not of this user's
    /// key, are left out.
    pub fn read(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let (seal_key, mut reader) = (SealKey::of_user(), Reader::new(bytes));
        let mut entries = self.lock();
        while let Some((key, bytes)) = seal_key.unseal(&mut reader) {
            if let Some(bytes) = bytes {
                let entry = Entry { bytes: Some(bytes.into()), ..Entry::default() };
                entries.entry(key).or_insert(entry);
            }
        }
    }
}
