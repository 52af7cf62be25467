//! Images, their views, and samplers.

pub mod format;
mod known;
mod sampler;
mod view;

pub(crate) use known::class;
pub use known::subresources;
pub(crate) use sampler::cubic_weights;
pub use sampler::{Border, Sampler, SamplerInfo, Window};
pub use view::{ImageView, ImageViewInfo, Weights, YcbcrConversion};

use crate::caps::limits;
use crate::error::{Error, Result};
use crate::objects::memory::DeviceMemory;
use crate::objects::memory::mapped::Block;
use crate::objects::memory::sparse::{Quota, SPARSE_BLOCK_BYTES, SparseBinds, SparseMemory};
use pyro_image::layout::{ImageLayout, ImageShape, LayoutError, chain_levels};
use pyro_image::{Aspect, Format, Planar};
use pyro_sanitizer::commands::UNKNOWN_LAYOUT;
use pyro_sanitizer::commands::resources::{self, LiveResource, Resource, ResourceKind};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// What images ask of the offset they are bound at.
pub const IMAGE_ALIGNMENT: u64 = pyro_image::layout::ALIGNMENT as u64;
/// Offsets inside one image have 31 bits (`maxResourceSize`).
pub const IMAGE_BYTES_MAX: u64 = pyro_image::layout::BYTES_MAX as u64;

/// What an image is made from.
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo {
    /// Mutable format, cube compatible and so on.
    pub flags: vk::ImageCreateFlags,
    /// Its dimensions.
    pub ty: vk::ImageType,
    /// The format.
    pub format: vk::Format,
    /// Texels of the first level.
    pub extent: vk::Extent3D,
    /// Levels.
    pub levels: u32,
    /// Layers.
    pub layers: u32,
    /// Samples.
    pub samples: vk::SampleCountFlags,
    /// Tiling.
    pub tiling: vk::ImageTiling,
    /// What it may be used for.
    pub usage: vk::ImageUsageFlags,
    /// Where its planes lie, if whoever makes it says so (`VkImageDrmFormatModifierExplicitCreateInfoEXT`).
    pub places: Option<[PlanePlace; PLANES_MAX]>,
    /// Whether it shall take few bytes rather than be fast (`VkImageTilingControlCreateInfoEXT`).
    pub is_small: bool,
}

/// Planes of a format.
pub const PLANES_MAX: usize = 3;

/// Where a plane lies in memory for the whole image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanePlace {
    /// Its first byte.
    pub offset: u64,
    /// Bytes from one row of texels to the next.
    pub row_pitch: u64,
}

/// The number of samples that a flag stands for: 1 for none.
pub fn sample_count(flag: vk::SampleCountFlags) -> u32 {
    flag.bits().max(1)
}

/// A `VkImage`.
pub struct Image {
    info: ImageInfo,
    /// For multi-planar formats.
    planar: Option<&'static Planar>,
    /// One, but for multi-planar formats.
    planes: Vec<Plane>,
    /// What it is for the sanitizer, where that follows commands; none for multi-planar formats.
    resource: OnceLock<LiveResource>,
    /// Where memory is bound part by part.
    sparse: Option<SparseMemory>,
}

/// A plane of an image.
pub struct Plane {
    /// Its format.
    pub format: Format,
    /// Where its texels lie.
    pub layout: ImageLayout,
    /// Where it begins, with memory for all planes.
    offset: u64,
    bound: OnceLock<Bound>,
}

struct Bound {
    block: Arc<Block>,
    offset: u64,
    /// None of a sparse image.
    memory: Option<Arc<DeviceMemory>>,
}

/// Some layers of one level, as copies name them.
#[derive(Clone, Copy, Debug)]
pub struct Subresource {
    /// The plane.
    pub plane: usize,
    /// The level.
    pub level: u32,
    /// The first layer.
    pub layer: u32,
    /// Layers.
    pub layers: u32,
}

/// The aspects that a format has.
pub fn aspects(format: Format) -> vk::ImageAspectFlags {
    let mut flags = vk::ImageAspectFlags::empty();
    for (aspect, flag) in [
        (Aspect::Color, vk::ImageAspectFlags::COLOR),
        (Aspect::Depth, vk::ImageAspectFlags::DEPTH),
        (Aspect::Stencil, vk::ImageAspectFlags::STENCIL),
    ] {
        if format.has_aspect(aspect) {
            flags |= flag;
        }
    }
    flags
}

/// The plane that an aspect names; the first where it names none. Planes of memory are those of the format.
pub fn plane_of(flags: vk::ImageAspectFlags) -> usize {
    if flags.intersects(vk::ImageAspectFlags::PLANE_2 | vk::ImageAspectFlags::MEMORY_PLANE_2_EXT) {
        2
    } else {
        let second = vk::ImageAspectFlags::PLANE_1 | vk::ImageAspectFlags::MEMORY_PLANE_1_EXT;
        usize::from(flags.intersects(second))
    }
}

/// All planes.
const PLANES: vk::ImageAspectFlags =
    vk::ImageAspectFlags::PLANE_0.union(vk::ImageAspectFlags::PLANE_1).union(vk::ImageAspectFlags::PLANE_2);

/// The one aspect that a flag names, or all aspects of a format one after another.
pub fn aspect_list(flags: vk::ImageAspectFlags) -> impl Iterator<Item = Aspect> {
    [
        (vk::ImageAspectFlags::COLOR, Aspect::Color),
        (vk::ImageAspectFlags::DEPTH, Aspect::Depth),
        (vk::ImageAspectFlags::STENCIL, Aspect::Stencil),
    ]
    .into_iter()
    // A plane is a colour image of its own.
    .filter_map(move |(flag, aspect)| {
        let is_plane = aspect == Aspect::Color && flags.intersects(PLANES);
        (flags.contains(flag) || is_plane).then_some(aspect)
    })
}

/// A layout that whoever makes an image asks for, and that it cannot have.
fn layout_error(what: &'static str) -> Error {
    Error::new(vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT, what)
}

/// Checks extents, levels and layers of an image.
fn check_shape(info: &ImageInfo, limits: &vk::ImageFormatProperties) -> Result<()> {
    let (extent, most) = (info.extent, limits.max_extent);
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Err(Error::misuse("an empty image (VUID-VkImageCreateInfo-extent-00944)"));
    }
    if extent.width > most.width || extent.height > most.height || extent.depth > most.depth {
        return Err(Error::misuse("larger than maxExtent (VUID-VkImageCreateInfo-extent-02252)"));
    }
    if info.layers == 0 || info.layers > limits.max_array_layers {
        return Err(Error::misuse("more than maxArrayLayers (VUID-VkImageCreateInfo-arrayLayers-02256)"));
    }
    let largest = extent.width.max(extent.height).max(extent.depth);
    let is_corner_sampled = info.flags.contains(vk::ImageCreateFlags::CORNER_SAMPLED_NV);
    let is_flat = is_corner_sampled && (extent.width == 1 || extent.height == 1);
    if is_flat || is_corner_sampled && info.ty == vk::ImageType::_3D && extent.depth == 1 {
        return Err(Error::misuse(
            "a corner-sampled image of one texel in some dimension \
             (VUID-VkImageCreateInfo-flags-02052, VUID-VkImageCreateInfo-flags-02053)",
        ));
    }
    let is_morton = format::find(info.format).is_ok_and(Format::is_morton);
    if is_morton && !(extent.width.is_power_of_two() && extent.height.is_power_of_two()) {
        return Err(Error::misuse(
            "an image of PVRTC1 whose extents are no powers of two \
             (VUID-VkImageCreateInfo-format-09583, VUID-VkImageCreateInfo-format-09584)",
        ));
    }
    let chain = chain_levels(largest, is_corner_sampled);
    if info.levels == 0 || info.levels > limits.max_mip_levels || info.levels > chain {
        return Err(Error::misuse("too many levels (VUID-VkImageCreateInfo-mipLevels-00958)"));
    }
    Ok(())
}

impl Image {
    /// An image without memory.
    ///
    /// # Errors
    /// `VK_ERROR_FORMAT_NOT_SUPPORTED` for what [`format::image_properties`] refuses,
    /// `VK_ERROR_OUT_OF_DEVICE_MEMORY` for images of 4 GiB.
    pub fn new(info: ImageInfo) -> Result<Image> {
        let limits = format::image_properties(info.format, info.ty, info.tiling, info.usage, info.flags)?;
        check_shape(&info, &limits)?;
        let extent = info.extent;
        // Formats of 64 bits are no attachments, so they count as single-sampled; shaders can still fill such
        // images through storage views (`shaderStorageImageMultisample`, `shaderImageInt64Atomics`).
        let stored = info.ty == vk::ImageType::_2D
            && info.tiling == vk::ImageTiling::OPTIMAL
            && !info.flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY)
            && format::find(info.format).is_ok_and(Format::is_64_bit);
        let counts = if stored { crate::caps::limits::SAMPLE_COUNTS } else { limits.sample_counts };
        if info.samples.bits().count_ones() != 1 || !counts.contains(info.samples) {
            return Err(Error::misuse("not in sampleCounts (VUID-VkImageCreateInfo-samples-02258)"));
        }
        let planar = format::planar(info.format);
        let formats = match planar {
            Some(planar) => planar.planes,
            None => &[format::find(info.format)?],
        };
        let samples = sample_count(info.samples);
        let extent = [extent.width, extent.height, extent.depth];
        let mut planes = Vec::with_capacity(formats.len());
        let mut offset = 0;
        for (number, &format) in formats.iter().enumerate() {
            let shape = ImageShape {
                format,
                extent: planar.map_or(extent, |planar| planar.extent(number, extent)),
                levels: info.levels,
                layers: info.layers,
                samples,
                is_3d: info.ty == vk::ImageType::_3D,
                corner_sampled: info.flags.contains(vk::ImageCreateFlags::CORNER_SAMPLED_NV),
            };
            let place = info.places.map(|places| places[number]);
            let layout = match place {
                Some(place) => u32::try_from(place.row_pitch)
                    .map_err(|_| LayoutError::TooLarge)
                    .and_then(|row_pitch| ImageLayout::with_row_pitch(shape, row_pitch)),
                None if info.flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY) => {
                    ImageLayout::tiled(shape)
                }
                None if info.is_small => ImageLayout::dense(shape),
                None => ImageLayout::new(shape),
            };
            let layout = layout.map_err(|error| match error {
                LayoutError::Impossible if place.is_some() => {
                    layout_error("a row pitch that is less than a row, or not a whole number of texels")
                }
                LayoutError::Impossible => Error::misuse("an image of impossible shape"),
                LayoutError::TooLarge => Error::new(
                    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                    "an image of 4 GiB or more (maxResourceSize)",
                ),
            })?;
            let size = u64::from(layout.size).next_multiple_of(IMAGE_ALIGNMENT);
            if let Some(place) = place {
                if !place.offset.is_multiple_of(u64::from(format.block_bytes()))
                    || place.offset > IMAGE_BYTES_MAX
                {
                    return Err(layout_error(
                        "an offset of a plane that is no multiple of its texels' bytes",
                    ));
                }
                offset = place.offset;
            }
            planes.push(Plane { format, layout, offset, bound: OnceLock::new() });
            offset += size;
        }
        Ok(Image { info, planar, planes, resource: OnceLock::new(), sparse: None })
    }

    /// The multi-planar format.
    pub fn planar(&self) -> Option<&'static Planar> {
        self.planar
    }

    /// A plane.
    ///
    /// # Errors
    /// When there is no such plane.
    pub fn plane(&self, plane: usize) -> Result<&Plane> {
        self.planes.get(plane).ok_or_else(|| {
            Error::misuse("the image has no such plane (VUID-VkImageViewCreateInfo-image-01586)")
        })
    }

    /// The aspects that views and copies may name.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        let all =
            [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1, vk::ImageAspectFlags::PLANE_2];
        match self.planar {
            Some(planar) => {
                all[..planar.planes.len()].iter().fold(vk::ImageAspectFlags::COLOR, |all, &one| all | one)
            }
            None => aspects(self.format()),
        }
    }

    /// The aspects of a range that the image has. Those of a depth or stencil image may be named together
    /// whatever its format, as programs do that know no formats (Qt's renderer of scenes); that breaks
    /// VUID-VkImageViewCreateInfo-subresourceRange-09594, and other drivers take it.
    ///
    /// # Errors
    /// When it has none of them, or the range names other aspects too.
    pub fn aspects_of(&self, range: vk::ImageAspectFlags) -> Result<vk::ImageAspectFlags> {
        let depth_stencil = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let own = self.aspects();
        let found = if depth_stencil.contains(range) { range & own } else { range };
        if found.is_empty() || !own.contains(found) {
            return Err(Error::misuse(format!(
                "an image of {:?} lacks the aspects {range:?} (VUID-VkImageViewCreateInfo-subresourceRange-09594, \
                 VUID-vkCmdCopyImage-aspectMask-00142)",
                self.info.format
            )));
        }
        Ok(found)
    }

    /// What it was made from.
    pub fn info(&self) -> &ImageInfo {
        &self.info
    }

    /// Its format, or that of its first plane.
    pub fn format(&self) -> Format {
        self.planes[0].format
    }

    /// Where the texels of its first plane lie.
    pub fn layout(&self) -> &ImageLayout {
        &self.planes[0].layout
    }

    /// What memory it needs: for all planes, or for one of a disjoint image.
    ///
    /// # Errors
    /// When there is no such plane.
    pub fn requirements(&self, plane: Option<usize>) -> Result<vk::MemoryRequirements> {
        let size = |plane: &Plane| u64::from(plane.layout.size).next_multiple_of(IMAGE_ALIGNMENT);
        let size: u64 = match plane {
            Some(plane) => size(self.plane(plane)?),
            None => self.planes.iter().map(|plane| plane.offset + size(plane)).max().unwrap_or(0),
        };
        let alignment = if self.is_sparse() { SPARSE_BLOCK_BYTES } else { IMAGE_ALIGNMENT };
        Ok(vk::MemoryRequirements {
            size: size.next_multiple_of(alignment),
            alignment,
            memory_type_bits: limits::memory_type_bits(self.is_for_tiles()),
        })
    }

    /// Whether it may lie in tile memory.
    pub fn is_for_tiles(&self) -> bool {
        self.info.usage.contains(vk::ImageUsageFlags::TILE_MEMORY_QCOM)
    }

    /// Whether it does.
    pub(crate) fn is_in_tile_memory(&self) -> bool {
        let bound = self.planes[0].bound.get().and_then(|bound| bound.memory.as_ref());
        bound.is_some_and(|memory| memory.is_tile())
    }

    /// Whether its texels lie in tiles, of sparse residency.
    pub fn is_tiled(&self) -> bool {
        self.layout().tile.is_some()
    }

    /// `vkGetImageSparseMemoryRequirements`: of its one aspect; none without sparse residency.
    pub fn sparse_requirements(&self) -> Option<vk::SparseImageMemoryRequirements> {
        let layout = self.layout();
        let format_properties = format::sparse_aspect(self.format(), layout.tile?);
        let tail = layout.tail();
        // Each layer ends with its tail.
        let offset = layout.levels.get(tail as usize).map_or(layout.layer_pitch, |level| level.offset);
        Some(vk::SparseImageMemoryRequirements {
            format_properties,
            image_mip_tail_first_lod: tail,
            image_mip_tail_size: (layout.layer_pitch - offset).into(),
            image_mip_tail_offset: offset.into(),
            image_mip_tail_stride: layout.layer_pitch.into(),
        })
    }

    /// Adds the bindings of a region of a level to memory, or to none (`VkSparseImageMemoryBind`).
    ///
    /// # Errors
    /// When the image has no such region, or it is not one of whole tiles; as [`SparseMemory::bind`].
    pub fn bind_region(
        &self,
        binds: &mut SparseBinds,
        bind: &vk::SparseImageMemoryBind,
        memory: Option<Arc<DeviceMemory>>,
    ) -> Result<()> {
        let (sparse, layout) = (self.sparse()?, self.layout());
        let tile = layout.tile.ok_or_else(|| {
            Error::misuse("the image has no sparse residency (VUID-VkSparseImageMemoryBindInfo-image-02901)")
        })?;
        let subresource = bind.subresource;
        if subresource.aspect_mask.is_empty() || !aspects(self.format()).contains(subresource.aspect_mask) {
            return Err(Error::misuse(
                "the image has no such aspect (VUID-VkSparseImageMemoryBindInfo-subresource-01106)",
            ));
        }
        let level = layout.levels.get(subresource.mip_level as usize).ok_or_else(|| {
            Error::misuse("the image has no such level (VUID-VkSparseImageMemoryBindInfo-subresource-01722)")
        })?;
        if subresource.array_layer >= self.info.layers {
            return Err(Error::misuse(
                "the image has no such layer (VUID-VkSparseImageMemoryBindInfo-subresource-01723)",
            ));
        }
        let granularity = tile.extent(self.format());
        let offset =
            [bind.offset.x, bind.offset.y, bind.offset.z].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let extent = [bind.extent.width, bind.extent.height, bind.extent.depth];
        let mut tiles = [0..0, 0..0, 0..0];
        for axis in 0..3 {
            let (size, have) = (granularity[axis], level.extent[axis]);
            let end =
                offset[axis].checked_add(extent[axis]).filter(|&end| end <= have.next_multiple_of(size));
            let end = end.filter(|&end| end % size == 0 || end == have);
            let Some(end) = end.filter(|_| extent[axis] > 0 && offset[axis] % size == 0) else {
                return Err(Error::misuse(
                    "a sparse region is not of whole blocks of the level \
                     (VUID-VkSparseImageMemoryBind-offset-01107, VUID-VkSparseImageMemoryBind-extent-01108)",
                ));
            };
            tiles[axis] = offset[axis] / size..end.div_ceil(size);
        }
        let [across, down, deep] = tiles;
        let first =
            u64::from(layout.layer_pitch) * u64::from(subresource.array_layer) + u64::from(level.offset);
        let bytes = across.len() as u64 * SPARSE_BLOCK_BYTES;
        let mut place = bind.memory_offset;
        for (z, y) in deep.flat_map(|z| down.clone().map(move |y| (z, y))) {
            let row = first
                + u64::from(y) * u64::from(level.row_pitch)
                + u64::from(z) * u64::from(level.slice_pitch);
            let source = memory.clone().map(|memory| (memory, place));
            binds.push(sparse.bind(row + u64::from(across.start) * SPARSE_BLOCK_BYTES, bytes, source)?);
            place = place.saturating_add(bytes);
        }
        Ok(())
    }

    /// An image of rows of texels, like one level of some layers of this one, with as many samples or so
    /// many, as many columns and rows or so many, and with memory of its own that only the driver knows.
    ///
    /// # Errors
    /// When there is no memory.
    pub(crate) fn rows_of_level(
        &self,
        level: u32,
        layers: u32,
        samples: Option<vk::SampleCountFlags>,
        size: Option<[u32; 2]>,
    ) -> Result<Image> {
        use vk::ImageCreateFlags as F;
        let [width, height, depth] = self.layout().levels[level as usize].extent;
        let [width, height] = size.unwrap_or([width, height]);
        let image = Image::new(ImageInfo {
            flags: self.info.flags
                & !(F::SPARSE_BINDING
                    | F::SPARSE_RESIDENCY
                    | F::SPARSE_ALIASED
                    | F::CUBE_COMPATIBLE
                    | F::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT),
            extent: vk::Extent3D { width, height, depth },
            levels: 1,
            layers,
            samples: samples.unwrap_or(self.info.samples),
            tiling: vk::ImageTiling::OPTIMAL,
            places: None,
            ..self.info
        })?;
        let plane = &image.planes[0];
        let block = Block::zeroed(plane.layout.size.into(), IMAGE_ALIGNMENT as usize).ok_or_else(|| {
            Error::new(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, "no memory for a copy of the attachment")
        })?;
        // Nothing has bound it before.
        let _ = plane.bound.set(Bound { block: Arc::new(block), offset: 0, memory: None });
        Ok(image)
    }

    fn is_sparse(&self) -> bool {
        self.info.flags.contains(vk::ImageCreateFlags::SPARSE_BINDING)
    }

    /// Gives a sparse image its addresses.
    ///
    /// # Errors
    /// When no addresses are left.
    pub fn reserve(&mut self, quota: &Arc<Quota>) -> Result<()> {
        if self.is_sparse() {
            let sparse = SparseMemory::new(self.requirements(None)?.size, 0, quota)?;
            self.set_bound(&self.planes, None, sparse.block(), 0)?;
            self.sparse = Some(sparse);
        }
        Ok(())
    }

    /// Where its memory is bound part by part.
    ///
    /// # Errors
    /// When it is not sparse.
    pub fn sparse(&self) -> Result<&SparseMemory> {
        self.sparse.as_ref().ok_or_else(|| {
            Error::misuse(
                "the image is not sparse (VK_IMAGE_CREATE_SPARSE_BINDING_BIT, VUID-VkSparseImageOpaqueMemoryBindInfo-image-parameter)",
            )
        })
    }

    /// Gives all its planes, or one of a disjoint image, memory.
    ///
    /// # Errors
    /// When it has some already, or the memory does not suffice.
    pub fn bind(&self, plane: Option<usize>, memory: &Arc<DeviceMemory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(IMAGE_ALIGNMENT) {
            return Err(Error::misuse(
                "memoryOffset breaks the alignment (VUID-vkBindImageMemory-memoryOffset-01048)",
            ));
        }
        let planes = match plane {
            Some(plane) => std::slice::from_ref(self.plane(plane)?),
            None => &self.planes,
        };
        memory.check_use(self.is_for_tiles(), "VUID-vkBindImageMemory-memory-01047")?;
        for one in planes {
            let offset = if plane.is_some() { offset } else { offset.saturating_add(one.offset) };
            if memory.range(offset, one.layout.size.into()).is_none() {
                return Err(Error::misuse(
                    "the image does not fit into the memory (VUID-vkBindImageMemory-size-01049)",
                ));
            }
        }
        self.set_bound(planes, Some((memory, plane.is_some())), memory.block(), offset)
    }

    /// Puts planes into a block: all behind each other, or one (`memory`: with true).
    fn set_bound(
        &self,
        planes: &[Plane],
        memory: Option<(&Arc<DeviceMemory>, bool)>,
        block: &Arc<Block>,
        offset: u64,
    ) -> Result<()> {
        let mut is_external = false;
        for one in planes {
            let is_alone = memory.is_some_and(|(_, is_alone)| is_alone);
            let offset = if is_alone { offset } else { offset + one.offset };
            is_external |= memory.is_some_and(|(memory, _)| memory.is_external());
            let memory = memory.map(|(memory, _)| Arc::clone(memory));
            one.bound.set(Bound { block: Arc::clone(block), offset, memory }).map_err(|_| {
                Error::misuse("the image is bound already (VUID-vkBindImageMemory-image-07460)")
            })?;
        }
        if crate::objects::followed::is_on() && self.planar.is_none() {
            self.make_known(block.address() + offset, is_external);
        }
        Ok(())
    }

    /// Makes it known to the sanitizer; `is_external` if it is in memory of other devices, too.
    fn make_known(&self, start: u64, is_external: bool) {
        let layout = self.layout();
        let shape = resources::ImageShape {
            levels: layout.levels.iter().map(|level| (level.offset.into(), level.size.into())).collect(),
            layer_pitch: layout.layer_pitch.into(),
            layers: if self.info.ty == vk::ImageType::_3D { 1 } else { self.info.layers },
            is_tiled: self.is_tiled(),
        };
        let range = start..start + u64::from(layout.size);
        // Slices may have layouts of their own.
        let has_slices = self.info.ty == vk::ImageType::_3D
            && self.info.flags.contains(vk::ImageCreateFlags::_2D_ARRAY_COMPATIBLE);
        let is_unknown = is_external || has_slices;
        let layout = if is_unknown { UNKNOWN_LAYOUT } else { vk::ImageLayout::UNDEFINED.as_raw() };
        let _ = self.resource.set(LiveResource::new(ResourceKind::Image, range, shape, layout));
    }

    /// What it is for the sanitizer, where that follows commands.
    pub fn resource(&self) -> Option<&Arc<Resource>> {
        self.resource.get().map(LiveResource::resource)
    }

    /// Its name for the sanitizer's findings.
    pub fn set_name(&self, name: &str) {
        if let Some(resource) = self.resource.get() {
            resource.set_name(name);
        }
    }

    fn bound(&self, plane: usize) -> Result<&Bound> {
        let bound = self.plane(plane)?.bound.get();
        bound.ok_or_else(|| Error::misuse("the image is not bound to memory"))
    }

    /// The address of a plane's first byte.
    ///
    /// # Errors
    /// When it has no memory.
    pub fn address(&self, plane: usize) -> Result<u64> {
        let bound = self.bound(plane)?;
        Ok(bound.block.address() + bound.offset)
    }

    /// Gives it the memory of another image: of a swapchain's.
    ///
    /// # Errors
    /// When the other has none, or it has some already.
    pub fn bind_like(&self, other: &Image) -> Result<()> {
        let bound = other.bound(0)?;
        let memory = bound.memory.as_ref().ok_or_else(|| Error::misuse("the other image is sparse"))?;
        self.bind(None, memory, bound.offset)
    }

    /// A plane's memory, and where in it the plane begins.
    ///
    /// # Errors
    /// When it has none.
    pub fn memory(&self, plane: usize) -> Result<(&Arc<Block>, u64)> {
        let bound = self.bound(plane)?;
        Ok((&bound.block, bound.offset))
    }

    /// Layers of a range that may say `VK_REMAINING_ARRAY_LAYERS`: of a three-dimensional image that can be
    /// seen as an array, slices of the level.
    ///
    /// # Errors
    /// When the image has fewer.
    pub fn layer_count(&self, level: u32, first: u32, count: u32) -> Result<u32> {
        let slices =
            vk::ImageCreateFlags::_2D_ARRAY_COMPATIBLE | vk::ImageCreateFlags::_2D_VIEW_COMPATIBLE_EXT;
        let have = if self.info.ty == vk::ImageType::_3D && self.info.flags.intersects(slices) {
            self.slices(level)
        } else {
            self.info.layers
        };
        remaining(first, count, have, vk::REMAINING_ARRAY_LAYERS)
            .ok_or_else(|| Error::misuse("the image has fewer layers"))
    }

    /// The depth of a level; 0 when there is no such level.
    fn slices(&self, level: u32) -> u32 {
        self.layout().levels.get(level as usize).map_or(0, |level| level.extent[2])
    }

    /// Slices of a range of a level that may say `VK_REMAINING_3D_SLICES_EXT`.
    ///
    /// # Errors
    /// When the level has fewer.
    pub fn slice_count(&self, level: u32, first: u32, count: u32) -> Result<u32> {
        remaining(first, count, self.slices(level), vk::REMAINING_3D_SLICES_EXT).ok_or_else(|| {
            Error::misuse(
                "the level has fewer slices (VUID-VkImageViewSlicedCreateInfoEXT-sliceOffset-07868)",
            )
        })
    }

    /// Levels of a range that may say `VK_REMAINING_MIP_LEVELS`.
    ///
    /// # Errors
    /// When the image has fewer.
    pub fn level_count(&self, first: u32, count: u32) -> Result<u32> {
        remaining(first, count, self.info.levels, vk::REMAINING_MIP_LEVELS)
            .ok_or_else(|| Error::misuse("the image has fewer levels"))
    }

    /// `vkGetImageSubresourceLayout`.
    ///
    /// # Errors
    /// When the image has no such subresource.
    pub fn subresource_layout(&self, plane: usize, level: u32, layer: u32) -> Result<vk::SubresourceLayout> {
        let plane = self.plane(plane)?;
        let layout = &plane.layout;
        let level = layout.levels.get(level as usize).filter(|_| layer < self.info.layers);
        let level = level.ok_or_else(|| Error::misuse("the image has no such subresource"))?;
        let depth_pitch = u64::from(level.slice_pitch);
        let disjoint = self.info.flags.contains(vk::ImageCreateFlags::DISJOINT);
        let first = if disjoint { 0 } else { plane.offset };
        Ok(vk::SubresourceLayout {
            offset: first + u64::from(level.offset) + u64::from(layer) * u64::from(layout.layer_pitch),
            size: depth_pitch * u64::from(level.extent[2]),
            row_pitch: level.row_pitch.into(),
            array_pitch: layout.layer_pitch.into(),
            depth_pitch,
        })
    }
}

fn remaining(first: u32, count: u32, have: u32, rest: u32) -> Option<u32> {
    let left = have.checked_sub(first).filter(|&left| left > 0)?;
    let count = if count == rest { left } else { count };
    (count > 0 && count <= left).then_some(count)
}
