//! What lies at addresses: buffers and images of all devices of the process, and the views of images by the
//! addresses of the records that shaders read.

use pyro_image::SamplerKey;
use pyro_util::sync::RwLock;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A `VkBuffer`.
    Buffer,
    /// A `VkImage`.
    Image,
}

/// Where the texels of an image's subresources lie.
#[derive(Clone, Debug, Default)]
pub struct ImageShape {
    /// Bytes from the image's start to each level, and the bytes of the level in one layer.
    pub levels: Vec<(u64, u64)>,
    /// Bytes from one layer to the next.
    pub layer_pitch: u64,
    /// Layers.
    pub layers: u32,
    /// Texels lie in tiles, so that pitches do not lead to them.
    pub is_tiled: bool,
}

/// Levels and layers of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subresources {
    /// The first level.
    pub level: u32,
    /// Levels.
    pub levels: u32,
    /// The first layer.
    pub layer: u32,
    /// Layers.
    pub layers: u32,
}

impl Subresources {
    /// Whether they have some in common.
    pub(crate) fn overlaps(&self, other: &Subresources) -> bool {
        let meet = |(a, count_a): (u32, u32), (b, count_b): (u32, u32)| {
            a < b.saturating_add(count_b) && b < a.saturating_add(count_a)
        };
        meet((self.level, self.levels), (other.level, other.levels))
            && meet((self.layer, self.layers), (other.layer, other.layers))
    }
}

/// A buffer or image that is bound to memory.
#[derive(Debug)]
pub struct Resource {
    /// Differs from that of all others.
    pub id: u64,
    /// Buffer or image.
    pub kind: ResourceKind,
    /// Its addresses.
    pub range: Range<u64>,
    /// Of an image.
    pub shape: ImageShape,
    /// Its layout in the beginning.
    pub initial_layout: i32,
    name: OnceLock<String>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Resource {
    /// Its name, or what stands for it.
    pub fn text(&self) -> String {
        let kind = match self.kind {
            ResourceKind::Buffer => "buffer",
            ResourceKind::Image => "image",
        };
        match self.name.get() {
            Some(name) => format!("{kind} \"{name}\""),
            None => format!("{kind} {}", self.id),
        }
    }

    /// The addresses of subresources, sorted.
    pub fn ranges(&self, of: Subresources) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        for layer in of.layer..of.layer.saturating_add(of.layers).min(self.shape.layers) {
            for level in of.level..of.level.saturating_add(of.levels) {
                let Some(&(offset, bytes)) = self.shape.levels.get(level as usize) else { break };
                let start = self.range.start + offset + u64::from(layer) * self.shape.layer_pitch;
                ranges.push(start..start + bytes);
            }
        }
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    /// All of its subresources.
    pub fn whole(&self) -> Subresources {
        Subresources { level: 0, levels: self.shape.levels.len() as u32, layer: 0, layers: self.shape.layers }
    }
}

/// A view of an image or a texel buffer.
#[derive(Clone, Debug)]
pub struct View {
    /// The image and what it shows of it; none for a buffer.
    pub image: Option<(Arc<Resource>, Subresources)>,
    /// Bytes of a texel or block; zero where texels lie in tiles, and are not told apart.
    pub texel_bytes: u32,
    /// Texels of a block in x and y.
    pub block: [u32; 2],
    /// Its dimensions and the class of its texels ([`pyro_abi::report::declaration`]).
    pub declared: u32,
    /// The layouts that descriptors of it name.
    pub layouts: Vec<i32>,
    /// Its samples are converted from Y'CbCr, so that it is not known of which texels they are.
    pub converts: bool,
}

/// What is known of the texels of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewTexels {
    pub(crate) texel_bytes: u32,
    pub(crate) block: [u32; 2],
    pub(crate) declared: u32,
    pub(crate) converts: bool,
}

static RESOURCES: RwLock<BTreeMap<u64, Vec<Arc<Resource>>>> = RwLock::new(BTreeMap::new());
/// By the addresses of their records.
static VIEWS: RwLock<BTreeMap<u64, View>> = RwLock::new(BTreeMap::new());

/// A resource that can be found as long as this is alive.
#[derive(Debug)]
pub struct LiveResource(Arc<Resource>);

impl LiveResource {
    /// Makes a resource known.
    pub fn new(
        kind: ResourceKind,
        range: Range<u64>,
        shape: ImageShape,
        initial_layout: i32,
    ) -> LiveResource {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let name = OnceLock::new();
        let start = range.start;
        let resource = Arc::new(Resource { id, kind, range, shape, initial_layout, name });
        RESOURCES.write().entry(start).or_default().push(Arc::clone(&resource));
        LiveResource(resource)
    }

    /// The resource.
    pub fn resource(&self) -> &Arc<Resource> {
        &self.0
    }

    /// Gives it a name.
    pub fn set_name(&self, name: &str) {
        // The first name stays: findings may have it already.
        let _ = self.0.name.set(name.to_owned());
    }
}

impl Drop for LiveResource {
    fn drop(&mut self) {
        let mut resources = RESOURCES.write();
        if let Some(here) = resources.get_mut(&self.0.range.start) {
            here.retain(|other| other.id != self.0.id);
            if here.is_empty() {
                resources.remove(&self.0.range.start);
            }
        }
    }
}

/// A view that can be found by its record's address as long as this is alive.
#[derive(Debug)]
pub struct LiveView(u64);

impl LiveView {
    /// Makes the view with a record at an address known.
    pub fn new(record: u64, view: View) -> LiveView {
        VIEWS.write().insert(record, view);
        LiveView(record)
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        VIEWS.write().remove(&self.0);
    }
}

/// By the addresses of their records: what stands for the bytes of acceleration structures.
static STRUCTURES: RwLock<BTreeMap<u64, Range<u64>>> = RwLock::new(BTreeMap::new());

/// An acceleration structure that can be found by its record's address as long as this is alive.
#[derive(Debug)]
pub struct LiveStructure(u64);

impl LiveStructure {
    /// Makes the structure with a record at an address known, whose bytes `range` stands for.
    pub fn new(record: u64, range: Range<u64>) -> LiveStructure {
        STRUCTURES.write().insert(record, range);
        LiveStructure(record)
    }
}

impl Drop for LiveStructure {
    fn drop(&mut self) {
        STRUCTURES.write().remove(&self.0);
    }
}

/// What stands for the bytes of the structure with a record at an address.
pub(crate) fn structure(record: u64) -> Option<Range<u64>> {
    STRUCTURES.read().get(&record).cloned()
}

/// By the addresses of their records: what samplers are.
static SAMPLERS: RwLock<BTreeMap<u64, SamplerKey>> = RwLock::new(BTreeMap::new());

/// A sampler that can be found by its record's address as long as this is alive.
#[derive(Debug)]
pub struct LiveSampler(u64);

impl LiveSampler {
    /// Makes the sampler with a record at an address known.
    pub fn new(record: u64, key: SamplerKey) -> LiveSampler {
        SAMPLERS.write().insert(record, key);
        LiveSampler(record)
    }
}

impl Drop for LiveSampler {
    fn drop(&mut self) {
        SAMPLERS.write().remove(&self.0);
    }
}

/// What the sampler with a record at an address is; none where there is no such sampler.
pub(crate) fn sampler(record: u64) -> Option<SamplerKey> {
    SAMPLERS.read().get(&record).copied()
}

/// A descriptor of a view names a layout.
pub fn note_layout(record: u64, layout: i32) {
    if let Some(view) = VIEWS.write().get_mut(&record)
        && !view.layouts.contains(&layout)
    {
        view.layouts.push(layout);
    }
}

/// The view with a record at an address.
pub(crate) fn view(record: u64) -> Option<View> {
    VIEWS.read().get(&record).cloned()
}

/// The texels of the view with a record at an address; none where there is none, or they cannot be told
/// apart.
pub(crate) fn view_texels(record: u64) -> Option<ViewTexels> {
    let views = VIEWS.read();
    let &View { texel_bytes, block, declared, converts, .. } = views.get(&record)?;
    (texel_bytes != 0).then_some(ViewTexels { texel_bytes, block, declared, converts })
}

/// Whether the byte at an address is of an image whose texels lie in tiles.
pub(crate) fn is_tiled(address: u64) -> bool {
    resource_at(address).is_some_and(|resource| resource.shape.is_tiled)
}

/// Where the buffer ends that has the byte at an address.
pub fn buffer_end(address: u64) -> Option<u64> {
    let resource = resource_at(address)?;
    (resource.kind == ResourceKind::Buffer).then_some(resource.range.end)
}

/// The resource that a byte is of; the smallest, where several have it.
pub(crate) fn resource_at(address: u64) -> Option<Arc<Resource>> {
    let resources = RESOURCES.read();
    let mut best: Option<&Arc<Resource>> = None;
    // Few resources begin between a byte and the start of the one that has it.
    for (_, here) in resources.range(..=address).rev().take(64) {
        for resource in here.iter().filter(|resource| address < resource.range.end) {
            let size = |resource: &Resource| resource.range.end - resource.range.start;
            if best.is_none_or(|best| size(resource) < size(best)) {
                best = Some(resource);
            }
        }
        if best.is_some() {
            break;
        }
    }
    best.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_by_address_as_long_as_they_live() {
        // Far from what other tests use.
        const AT: u64 = 1 << 61;
        let shape =
            ImageShape { levels: vec![(0, 64), (64, 16)], layer_pitch: 128, layers: 2, is_tiled: false };
        let image = LiveResource::new(ResourceKind::Image, AT..AT + 256, shape, 0);
        image.set_name("shadow map");
        assert_eq!(resource_at(AT + 255).map(|found| found.text()).as_deref(), Some("image \"shadow map\""));
        let second = Subresources { level: 1, levels: 1, layer: 0, layers: 2 };
        assert_eq!(image.resource().ranges(second), [AT + 64..AT + 80, AT + 192..AT + 208]);
        let shown = Some((Arc::clone(image.resource()), second));
        let view = View {
            image: shown,
            texel_bytes: 4,
            block: [1, 1],
            declared: 0,
            layouts: Vec::new(),
            converts: false,
        };
        let view = LiveView::new(7, view);
        note_layout(7, 5);
        assert_eq!(super::view(7).map(|view| view.layouts), Some(vec![5]));
        drop(view);
        assert!(super::view(7).is_none());
        drop(image);
        assert!(resource_at(AT).is_none());
    }
}
