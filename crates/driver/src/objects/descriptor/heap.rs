//! What descriptors in heaps name (`VK_EXT_descriptor_heap`): views and samplers that no application holds.
//!
//! Descriptors are written from what views and samplers would be made from, and nobody says when they are
//! gone. So a sampler stays as long as the device, a view as long as its image; what is equal is made once,
//! and has the same descriptor.

use crate::caps::limits;
pub use crate::caps::limits::{EMBEDDED_SAMPLERS_MAX, HEAP_ALIGNMENT, HEAP_BYTES_MAX};
use crate::error::{Error, Result};
use crate::objects::device_core::DeviceCore;
use crate::objects::image::{Image, ImageView, ImageViewInfo, Sampler, SamplerInfo};
use pyro_abi::heap::HEAP_DESCRIPTOR_BYTES;
use pyro_compile::cache::Digest;
use pyro_util::sync::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use vulkanalia_sys as vk;

const _: () = assert!(HEAP_DESCRIPTOR_BYTES as usize == super::DESCRIPTOR_BYTES);

/// Views of one image, by digests of what they were made from.
type Views = Vec<(Digest, Arc<ImageView>)>;

/// The views and samplers of a device's heaps, by digests of what they were made from.
#[derive(Default)]
pub(crate) struct HeapObjects {
    samplers: Mutex<HashMap<Digest, Arc<Sampler>>>,
    /// By the address of their image, which they hold.
    views: Mutex<HashMap<usize, Views>>,
    /// The indices of custom border colours that are registered. Descriptors do not need them.
    border_colors: Mutex<BTreeSet<u32>>,
}

/// Stands for what something is made from. That holds floats, which have no hash; their text tells all of
/// them apart.
fn digest(info: &impl core::fmt::Debug) -> Digest {
    Digest::of(format!("{info:?}"))
}

impl DeviceCore {
    /// The sampler that is made from this.
    ///
    /// # Errors
    /// As of [`Sampler::new`].
    pub fn heap_sampler(&self, info: SamplerInfo) -> Result<Arc<Sampler>> {
        let mut samplers = self.heap_objects().samplers.lock();
        let key = digest(&info);
        if let Some(sampler) = samplers.get(&key) {
            return Ok(Arc::clone(sampler));
        }
        let sampler = Arc::new(Sampler::new(self.textures(), info)?);
        samplers.insert(key, Arc::clone(&sampler));
        Ok(sampler)
    }

    /// The view of an image that is made from this.
    ///
    /// # Errors
    /// As of [`ImageView::new`].
    pub fn heap_view(&self, image: Arc<Image>, info: ImageViewInfo) -> Result<Arc<ImageView>> {
        let mut views = self.heap_objects().views.lock();
        let (of, key) = (Arc::as_ptr(&image).addr(), digest(&info));
        let known = views.get(&of).and_then(|all| all.iter().find(|(other, _)| *other == key));
        if let Some((_, view)) = known {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(ImageView::new(self.textures(), image, info)?);
        views.entry(of).or_default().push((key, Arc::clone(&view)));
        Ok(view)
    }

    /// Registers a custom border colour as the wanted index or any; gives the index.
    ///
    /// # Errors
    /// `VK_ERROR_TOO_MANY_OBJECTS` when there are as many as may be,
    /// `VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS` when the wanted index is taken or none at all.
    pub fn register_border_color(&self, wanted: Option<u32>) -> Result<u32> {
        let mut all = self.heap_objects().border_colors.lock();
        let most = limits::limits().max_sampler_allocation_count;
        let index = match wanted {
            Some(index) if index < most && !all.contains(&index) => index,
            Some(index) => {
                let message = format!("the index {index} of a custom border colour is taken");
                return Err(Error::new(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, message));
            }
            None => {
                // The first that is not what it would be without gaps.
                let gap = all.iter().zip(0..).find(|(index, place)| *index != place);
                gap.map_or(all.len() as u32, |(_, place)| place)
            }
        };
        if index >= most {
            return Err(Error::new(
                vk::Result::ERROR_TOO_MANY_OBJECTS,
                "more custom border colours than maxCustomBorderColorSamplers",
            ));
        }
        all.insert(index);
        Ok(index)
    }

    /// Makes an index of a custom border colour free again.
    pub fn unregister_border_color(&self, index: u32) {
        self.heap_objects().border_colors.lock().remove(&index);
    }

    /// Forgets the views of images that nobody else holds.
    pub fn forget_heap_views(&self) {
        let mut views = self.heap_objects().views.lock();
        views.retain(|_, all| {
            // Each view holds its image once.
            all.first().is_some_and(|(_, view)| Arc::strong_count(view.image()) > all.len())
        });
    }
}

/// The samplers that a shader embeds.
struct StageSamplers {
    #[expect(dead_code, reason = "keeps the records")]
    samplers: Vec<Arc<Sampler>>,
    /// Of their records.
    addresses: Box<[u64]>,
}

/// The samplers that a pipeline's shaders embed, by the place of their stages' bits in
/// `VkShaderStageFlagBits`.
#[derive(Clone, Default)]
pub(crate) struct EmbeddedSamplers(BTreeMap<u32, Arc<StageSamplers>>);

impl EmbeddedSamplers {
    /// The tables of these shaders. Shaders of one stage (of ray tracing) share a table: their samplers
    /// follow one another in the order of the shaders.
    pub(crate) fn of<'s>(
        shaders: impl Iterator<Item = (vk::ShaderStageFlags, &'s [Arc<Sampler>])>,
    ) -> EmbeddedSamplers {
        let mut stages: BTreeMap<u32, Vec<Arc<Sampler>>> = BTreeMap::new();
        for (stage, samplers) in shaders.filter(|(_, samplers)| !samplers.is_empty()) {
            stages.entry(stage.bits().trailing_zeros()).or_default().extend_from_slice(samplers);
        }
        let table = |(stage, samplers): (u32, Vec<Arc<Sampler>>)| {
            let addresses = samplers.iter().map(|sampler| sampler.record_address()).collect();
            (stage, Arc::new(StageSamplers { samplers, addresses }))
        };
        EmbeddedSamplers(stages.into_iter().map(table).collect())
    }

    /// Of two pipelines' stages.
    pub(crate) fn union(&self, other: &EmbeddedSamplers) -> EmbeddedSamplers {
        let (own, theirs) = (self.0.iter(), other.0.iter());
        EmbeddedSamplers(own.chain(theirs).map(|(stage, samplers)| (*stage, Arc::clone(samplers))).collect())
    }

    /// The address of each stage's array of records' addresses.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(stage, table)| (*stage, table.addresses.as_ptr().expose_provenance() as u64))
    }
}
