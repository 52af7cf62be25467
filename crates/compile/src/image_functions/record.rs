//! The records of views and samplers that are alive, by address: so a descriptor's addresses can be looked up
//! instead of followed, since descriptors that shaders do not use may name what is gone.

use pyro_abi::{ImageRecord, KnownImage, SamplerRecord};
use pyro_image::{SamplerKey, ViewKey};
use pyro_util::record_pool::RecordPool;
use pyro_util::sync::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A record, which stays where it is as long as somebody holds it.
#[derive(Clone, Debug)]
pub enum Record {
    /// A view's, followed by those of its other planes.
    Image(Arc<[ImageRecord]>),
    /// A sampler's.
    Sampler(Arc<[SamplerRecord]>),
}

impl Record {
    fn address(&self) -> u64 {
        match self {
            Record::Image(records) => records.as_ptr().expose_provenance() as u64,
            Record::Sampler(record) => record.as_ptr().expose_provenance() as u64,
        }
    }
}

/// The code of a view whose operations can be part of a shader, else zero.
pub(super) fn view_code(key: &ViewKey) -> u32 {
    key.code().filter(|_| !key.format.is_compressed()).unwrap_or(0)
}

/// The code of a sampler whose operations can be part of a shader, else zero.
pub(super) fn sampler_code(key: &SamplerKey) -> u32 {
    if key.anisotropic { 0 } else { key.code() }
}

/// The records that were published, with their codes, and the memory of all records.
#[derive(Default)]
pub(super) struct Records {
    by_address: Mutex<FxHashMap<u64, (Record, u32)>>,
    pub(super) images: RecordPool<ImageRecord>,
    pub(super) samplers: RecordPool<SamplerRecord>,
}

impl Records {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<u64, (Record, u32)>> {
        self.by_address.lock()
    }

    pub(super) fn publish(&self, record: Record, code: u32) -> u64 {
        let address = record.address();
        self.lock().insert(address, (record, code));
        address
    }

    pub(super) fn forget(&self, address: u64) {
        self.lock().remove(&address);
    }

    pub(super) fn known(
        &self,
        descriptors: impl Iterator<Item = [u64; 2]>,
        keep: &mut Vec<Record>,
    ) -> Vec<KnownImage> {
        let by_address = self.lock();
        let mut code = |address: u64| match by_address.get(&address) {
            Some((record, code)) if *code != 0 => {
                keep.push(record.clone());
                *code
            }
            _ => 0,
        };
        descriptors.map(|[image, sampler]| KnownImage { view: code(image), sampler: code(sampler) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_image::{Aspect, Format, ViewType};

    #[test]
    fn only_what_is_alive_is_known() {
        let records = Records::default();
        let key = ViewKey::new(Format::R8G8B8A8_UNORM, Aspect::Color, ViewType::D2, 1);
        let image: Arc<[ImageRecord]> = Arc::new([ImageRecord::default()]);
        let sampler: Arc<[SamplerRecord]> = Arc::new([SamplerRecord::default()]);
        let at = records.publish(Record::Image(image), view_code(&key));
        let sampler_at = records.publish(Record::Sampler(sampler), sampler_code(&SamplerKey::default()));
        let mut keep = Vec::new();
        let known = records.known([[at, sampler_at], [0, 1]].into_iter(), &mut keep);
        assert_eq!(ViewKey::from_code(known[0].view), Some(key));
        assert_eq!(SamplerKey::from_code(known[0].sampler), Some(SamplerKey::default()));
        assert_eq!(known[1], KnownImage::default());
        assert_eq!(keep.len(), 2);
        records.forget(at);
        assert_eq!(records.known([[at, 0]].into_iter(), &mut keep)[0], KnownImage::default());
    }

    #[test]
    fn uninlinable_operations_have_no_inlined_code() {
        let key = ViewKey::new(Format::BC7_UNORM_BLOCK, Aspect::Color, ViewType::D2, 1);
        assert_eq!(view_code(&key), 0);
        assert_eq!(sampler_code(&SamplerKey { anisotropic: true, ..SamplerKey::default() }), 0);
    }
}
