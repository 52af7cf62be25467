//! The resources of a run: what the shaders want, what was given, and defaults for the rest.

use super::data::{DESCRIPTORS_MAX, Slot, element_of, parse_data, parse_extent};
use super::shaders::Shader;
use crate::client::image::{Image, Numbers, Shape};
use crate::client::rays::{Primitives, Scene};
use crate::client::{Binding, Bound, Buffer, Gpu};
use anyhow::{Context, Result, bail};
use pyro_interface::{Resource, ResourceKind};
use pyro_shadertest::picture::Picture;
use pyro_spirv::spirv::{Dim, ImageFormat};
use pyro_spirv::{Id, Module, Type};
use std::collections::BTreeMap;
use std::path::Path;
use vulkanalia::vk;

/// Pixels of the built-in picture in each direction, and of a cell of its board.
const BOARD: (u32, u32) = (64, 8);
/// Elements that runtime arrays of descriptors have when none is given.
const RUNTIME_DESCRIPTORS: u32 = 1;
/// Texels of an image, at most.
const TEXELS_MAX: usize = 1 << 28;
/// Bytes of a buffer that nobody gave, at most.
const BUFFER_MAX: u64 = 1 << 26;

/// The type of an image.
#[derive(Clone, Copy, Debug)]
struct ImageKind {
    dim: Dim,
    is_arrayed: bool,
    is_multisampled: bool,
    numbers: Numbers,
    /// The format that the type names, and bytes of its texels.
    format: Option<(vk::Format, usize)>,
}

/// What the shaders want at a binding.
pub(super) struct Wanted {
    pub(super) kind: ResourceKind,
    name: String,
    /// Descriptors; none for a runtime array.
    count: Option<u32>,
    /// What a block holds that nobody gave: matrices are the identity, all else is zero.
    block: Vec<u8>,
    element_stride: Option<u64>,
    image: Option<ImageKind>,
    input_index: u32,
}

/// What was given for a descriptor.
#[derive(Default)]
pub(super) struct Given {
    pub(super) data: Option<Vec<u8>>,
    /// The data was given as that of a uniform buffer.
    pub(super) is_uniform: bool,
    pub(super) picture: Option<PictureData>,
    pub(super) sampler: Option<SamplerData>,
}

/// What an image holds.
#[derive(Clone)]
pub(super) enum PictureData {
    /// A picture, and whether its numbers are those of sRGB.
    Png(Picture, bool),
    /// Zeros.
    Blank([u32; 3]),
    /// Literals: of this size, of this type.
    Literals([u32; 3], String, Vec<u8>),
}

/// Reads `file.png`, `srgb:file.png`, `64x32`, `4x4:f32:1,2,…`.
pub(super) fn parse_picture(text: &str) -> Result<PictureData> {
    let (path, is_srgb) = match text.strip_prefix("srgb:") {
        Some(path) => (path, true),
        None => (text, false),
    };
    if path.to_ascii_lowercase().ends_with(".png") {
        return Ok(PictureData::Png(Picture::read(Path::new(path))?, is_srgb));
    }
    match text.split_once(':') {
        None => Ok(PictureData::Blank(
            parse_extent(text).with_context(|| format!("`{text}` is neither a .png nor a size"))?,
        )),
        Some((extent, data)) => {
            let extent = parse_extent(extent)?;
            let kind = data.split_once(':').map_or(data, |(kind, _)| kind);
            Ok(PictureData::Literals(extent, kind.to_owned(), parse_data(data)?.0))
        }
    }
}

/// How a sampler reads.
#[derive(Clone, Copy, Default)]
pub(super) struct SamplerData {
    filter: vk::Filter,
    address: vk::SamplerAddressMode,
    compares: bool,
}

/// Reads `nearest`, `linear,clamp`, `linear,clamp,compare`.
pub(super) fn parse_sampler(text: &str) -> Result<SamplerData> {
    let mut sampler =
        SamplerData { filter: vk::Filter::LINEAR, address: vk::SamplerAddressMode::REPEAT, compares: false };
    for word in text.split(',') {
        match word.trim() {
            "nearest" => sampler.filter = vk::Filter::NEAREST,
            "linear" => sampler.filter = vk::Filter::LINEAR,
            "repeat" => sampler.address = vk::SamplerAddressMode::REPEAT,
            "mirror" => sampler.address = vk::SamplerAddressMode::MIRRORED_REPEAT,
            "clamp" => sampler.address = vk::SamplerAddressMode::CLAMP_TO_EDGE,
            "border" => sampler.address = vk::SamplerAddressMode::CLAMP_TO_BORDER,
            "compare" => sampler.compares = true,
            word => bail!("`{word}` is not one of nearest linear repeat mirror clamp border compare"),
        }
    }
    Ok(sampler)
}

/// The format of a storage image, and bytes of its texels.
fn format_of(format: ImageFormat) -> Option<(vk::Format, usize)> {
    use vk::Format as F;
    Some(match format {
        ImageFormat::Rgba32f => (F::R32G32B32A32_SFLOAT, 16),
        ImageFormat::Rgba16f => (F::R16G16B16A16_SFLOAT, 8),
        ImageFormat::R32f => (F::R32_SFLOAT, 4),
        ImageFormat::Rgba8 => (F::R8G8B8A8_UNORM, 4),
        ImageFormat::Rgba8Snorm => (F::R8G8B8A8_SNORM, 4),
        ImageFormat::Rg32f => (F::R32G32_SFLOAT, 8),
        ImageFormat::Rg16f => (F::R16G16_SFLOAT, 4),
        ImageFormat::R11fG11fB10f => (F::B10G11R11_UFLOAT_PACK32, 4),
        ImageFormat::R16f => (F::R16_SFLOAT, 2),
        ImageFormat::Rgba16 => (F::R16G16B16A16_UNORM, 8),
        ImageFormat::Rgb10A2 => (F::A2B10G10R10_UNORM_PACK32, 4),
        ImageFormat::Rg16 => (F::R16G16_UNORM, 4),
        ImageFormat::Rg8 => (F::R8G8_UNORM, 2),
        ImageFormat::R16 => (F::R16_UNORM, 2),
        ImageFormat::R8 => (F::R8_UNORM, 1),
        ImageFormat::Rgba16Snorm => (F::R16G16B16A16_SNORM, 8),
        ImageFormat::Rg16Snorm => (F::R16G16_SNORM, 4),
        ImageFormat::Rg8Snorm => (F::R8G8_SNORM, 2),
        ImageFormat::R16Snorm => (F::R16_SNORM, 2),
        ImageFormat::R8Snorm => (F::R8_SNORM, 1),
        ImageFormat::Rgba32i => (F::R32G32B32A32_SINT, 16),
        ImageFormat::Rgba16i => (F::R16G16B16A16_SINT, 8),
        ImageFormat::Rgba8i => (F::R8G8B8A8_SINT, 4),
        ImageFormat::R32i => (F::R32_SINT, 4),
        ImageFormat::Rg32i => (F::R32G32_SINT, 8),
        ImageFormat::Rg16i => (F::R16G16_SINT, 4),
        ImageFormat::Rg8i => (F::R8G8_SINT, 2),
        ImageFormat::R16i => (F::R16_SINT, 2),
        ImageFormat::R8i => (F::R8_SINT, 1),
        ImageFormat::Rgba32ui => (F::R32G32B32A32_UINT, 16),
        ImageFormat::Rgba16ui => (F::R16G16B16A16_UINT, 8),
        ImageFormat::Rgba8ui => (F::R8G8B8A8_UINT, 4),
        ImageFormat::R32ui => (F::R32_UINT, 4),
        ImageFormat::Rgb10a2ui => (F::A2B10G10R10_UINT_PACK32, 4),
        ImageFormat::Rg32ui => (F::R32G32_UINT, 8),
        ImageFormat::Rg16ui => (F::R16G16_UINT, 4),
        ImageFormat::Rg8ui => (F::R8G8_UINT, 2),
        ImageFormat::R16ui => (F::R16_UINT, 2),
        ImageFormat::R8ui => (F::R8_UINT, 1),
        ImageFormat::R64ui => (F::R64_UINT, 8),
        ImageFormat::R64i => (F::R64_SINT, 8),
        _ => return None,
    })
}

/// Writes ones where the matrices of a type have their diagonals. `at`: where it begins.
fn identities(module: &Module, ty: Id, at: u64, stride: Option<u32>, depth: u32, bytes: &mut [u8]) {
    // Types are not nested deeper by any compiler, and arrays of many elements stay zero.
    const DEPTH_MAX: u32 = 8;
    const ELEMENTS_MAX: u64 = 1024;
    if depth > DEPTH_MAX {
        return;
    }
    match module.ty(ty) {
        Type::Struct { members } => {
            for (number, member) in (0..).zip(members.iter()) {
                let Some(layout) = module.member_layout(ty, number) else { continue };
                let stride = layout.matrix.map(|matrix| matrix.stride);
                identities(module, member, at + u64::from(layout.offset), stride, depth + 1, bytes);
            }
        }
        Type::Array { element, .. } => {
            let Some(each) = module.array_stride(ty).filter(|each| *each > 0) else { return };
            let room = (bytes.len() as u64).saturating_sub(at) / u64::from(each);
            let is_matrix = !matches!(module.ty(element), Type::Int { .. } | Type::Float { .. });
            for number in 0..room.min(ELEMENTS_MAX) * u64::from(is_matrix && depth < 4) {
                identities(module, element, at + number * u64::from(each), stride, depth + 1, bytes);
            }
        }
        Type::Matrix { column, count } => {
            let (Some(stride), Type::Vector { component, count: rows }) = (stride, module.ty(column)) else {
                return;
            };
            let one: &[u8] = match module.ty(component) {
                Type::Float { width: 16, .. } => &0x3c00_u16.to_le_bytes(),
                Type::Float { width: 32, .. } => &1.0_f32.to_le_bytes(),
                Type::Float { width: 64, .. } => &1.0_f64.to_le_bytes(),
                _ => return,
            };
            for place in 0..u64::from(count.min(rows)) {
                let start = at + place * (u64::from(stride) + one.len() as u64);
                let end = start + one.len() as u64;
                if let Some(there) = bytes.get_mut(start as usize..end as usize) {
                    there.copy_from_slice(one);
                }
            }
        }
        _ => {}
    }
}

/// What push constants hold beyond what was given: the block of any stage.
pub(super) fn push_constants(shaders: &[Shader], given: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for shader in shaders {
        let Some(block) = &shader.interface.push_constants else { continue };
        let mut own = vec![0; block.end.min(BUFFER_MAX) as usize];
        identities(&shader.module, block.ty, 0, None, 0, &mut own);
        if own.len() > bytes.len() {
            own[..bytes.len()].copy_from_slice(&bytes);
            bytes = own;
        }
    }
    let given = given.unwrap_or_default();
    bytes.resize(bytes.len().max(given.len()), 0);
    bytes[..given.len()].copy_from_slice(given);
    bytes
}

fn image_kind(shader: &Shader, resource: &Resource) -> Option<ImageKind> {
    let image = resource.image?;
    let numbers = match shader.module.ty(image.sampled_type) {
        Type::Int { signed: true, .. } => Numbers::Signed,
        Type::Int { signed: false, .. } => Numbers::Unsigned,
        _ if image.depth == 1 => Numbers::Depth,
        _ => Numbers::Float,
    };
    Some(ImageKind {
        dim: image.dim,
        is_arrayed: image.arrayed,
        is_multisampled: image.multisampled,
        numbers,
        format: resource.format().and_then(format_of),
    })
}

/// What all shaders want, by set and binding.
///
/// # Errors
/// When two of them want different things at one place, or something that cannot be given.
pub(super) fn wanted(shaders: &[Shader]) -> Result<BTreeMap<(u32, u32), Wanted>> {
    let mut all: BTreeMap<(u32, u32), Wanted> = BTreeMap::new();
    for shader in shaders {
        for resource in &shader.interface.resources {
            let (set, binding) = (resource.set, resource.binding);
            if resource.kind == ResourceKind::Tensor {
                bail!("{}: tensors cannot be given to a run: {}", shader.name, resource.label());
            }
            if resource.count.is_some_and(|count| count > u64::from(DESCRIPTORS_MAX)) {
                bail!("{}: {} has more than {DESCRIPTORS_MAX} elements", shader.name, resource.label());
            }
            if resource.block_size > BUFFER_MAX {
                bail!("{}: {} has {} bytes", shader.name, resource.label(), resource.block_size);
            }
            let mut block = vec![0; resource.block_size as usize];
            identities(&shader.module, resource.ty, 0, None, 0, &mut block);
            let own = Wanted {
                kind: resource.kind,
                name: resource.label(),
                count: resource.count.map(|count| count.min(u64::from(u32::MAX)) as u32),
                block,
                element_stride: resource.element_stride,
                image: image_kind(shader, resource),
                input_index: resource.input_attachment_index.unwrap_or(0),
            };
            let known =
                all.entry((set, binding)).or_insert_with(|| Wanted { block: Vec::new(), ..own.copy() });
            if known.kind != own.kind {
                bail!(
                    "{set}.{binding} is {} and {}: it cannot be both",
                    kind_name(known.kind),
                    kind_name(own.kind)
                );
            }
            if known.block.len() < own.block.len() {
                known.block = own.block;
            }
            known.count = known.count.zip(own.count).map(|(a, b)| a.max(b));
            known.element_stride = known.element_stride.max(own.element_stride);
        }
    }
    Ok(all)
}

impl Wanted {
    fn copy(&self) -> Wanted {
        Wanted { name: self.name.clone(), block: self.block.clone(), ..*self }
    }
}

/// What a person calls a kind.
fn kind_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Sampler => "a sampler",
        ResourceKind::CombinedImageSampler => "an image with a sampler",
        ResourceKind::SampledImage => "a sampled image",
        ResourceKind::StorageImage => "a storage image",
        ResourceKind::UniformTexelBuffer => "a uniform texel buffer",
        ResourceKind::StorageTexelBuffer => "a storage texel buffer",
        ResourceKind::UniformBuffer => "a uniform buffer",
        ResourceKind::StorageBuffer => "a storage buffer",
        ResourceKind::InputAttachment => "an input attachment",
        ResourceKind::AccelerationStructure => "an acceleration structure",
        ResourceKind::Tensor => "a tensor",
    }
}

/// Whether what was given is for such a resource.
fn check(slot: Slot, wanted: &Wanted, given: &Given) -> Result<()> {
    use ResourceKind as K;
    let kind = wanted.kind;
    let refuse = |option: &str| {
        bail!("{option} {slot}: {} is {}", wanted.name, kind_name(kind));
    };
    let is_buffer =
        matches!(kind, K::UniformBuffer | K::StorageBuffer | K::UniformTexelBuffer | K::StorageTexelBuffer);
    if given.data.is_some() && !is_buffer {
        return refuse(if given.is_uniform { "--uniform" } else { "--buffer" });
    }
    let is_image =
        matches!(kind, K::CombinedImageSampler | K::SampledImage | K::StorageImage | K::InputAttachment);
    if given.picture.is_some() && !is_image {
        return refuse("--image");
    }
    if given.sampler.is_some() && !matches!(kind, K::CombinedImageSampler | K::Sampler) {
        return refuse("--sampler");
    }
    if wanted.count.is_some_and(|count| slot.index >= count) {
        bail!("{slot}: {} has {} elements", wanted.name, wanted.count.unwrap_or(1));
    }
    Ok(())
}

/// The first storage image, and its size if it was given.
pub(super) fn first_storage_image(
    wanted: &BTreeMap<(u32, u32), Wanted>,
    given: &BTreeMap<Slot, Given>,
    size: [u32; 2],
) -> Option<(Slot, [u32; 3])> {
    let (&(set, binding), image) = wanted.iter().find(|(_, one)| one.kind == ResourceKind::StorageImage)?;
    let slot = Slot { set, binding, index: 0 };
    let picture = given.get(&slot).and_then(|given| given.picture.as_ref());
    Some((slot, extent(image.image.as_ref()?, picture, size)))
}

/// The size of an image, before it is known what of it are layers.
fn extent(kind: &ImageKind, picture: Option<&PictureData>, default: [u32; 2]) -> [u32; 3] {
    match picture {
        Some(PictureData::Png(picture, _)) => [picture.width, picture.height, 1],
        Some(PictureData::Blank(extent) | PictureData::Literals(extent, ..)) => *extent,
        None if kind.dim == Dim::Dim1D => [default[0], 1, 1],
        None => [default[0], default[1], 1],
    }
}

fn shape(
    kind: &ImageKind,
    format: (vk::Format, usize),
    [width, height, depth]: [u32; 3],
    usage: vk::ImageUsageFlags,
) -> Result<Shape> {
    use vk::ImageViewType as V;
    let arrayed = |array, single| if kind.is_arrayed { array } else { single };
    let (view, extent, layers) = match kind.dim {
        Dim::Dim1D => (arrayed(V::_1D_ARRAY, V::_1D), [width, 1, 1], height),
        Dim::Dim2D | Dim::DimSubpassData => (arrayed(V::_2D_ARRAY, V::_2D), [width, height, 1], depth),
        Dim::Dim3D => (V::_3D, [width, height, depth], 1),
        Dim::DimCube => (arrayed(V::CUBE_ARRAY, V::CUBE), [width, height, 1], depth.next_multiple_of(6)),
        dim => bail!("images of {dim:?} cannot be given to a run"),
    };
    if kind.dim == Dim::DimCube && width != height {
        bail!("the faces of a cube are squares, not {width}x{height}");
    }
    let layers = if kind.is_arrayed || kind.dim == Dim::DimCube { layers } else { 1 };
    let samples = if kind.is_multisampled { vk::SampleCountFlags::_4 } else { vk::SampleCountFlags::_1 };
    let (format, texel_bytes) = format;
    Ok(Shape { format, texel_bytes, numbers: kind.numbers, view, extent, layers, samples, usage })
}

/// The built-in picture: a board of cells, red to the right, green to the bottom.
fn board() -> Picture {
    let (size, cell) = BOARD;
    let pixel = |index: u32| {
        let (x, y) = (index % size, index / size);
        let blue = if (x / cell + y / cell) % 2 == 0 { 255 } else { 0 };
        [(x * 255 / (size - 1)) as u8, (y * 255 / (size - 1)) as u8, blue, 255]
    };
    Picture { width: size, height: size, pixels: (0..size * size).map(pixel).collect() }
}

/// How an image is filled: the format of the texels, their bytes, and bytes of one.
fn texels(numbers: Numbers, picture: &PictureData, count: usize) -> Result<(vk::Format, Vec<u8>)> {
    match picture {
        PictureData::Png(picture, is_srgb) => {
            let bytes: Vec<u8> = match numbers {
                Numbers::Float => picture.pixels.as_flattened().to_vec(),
                Numbers::Depth => picture
                    .pixels
                    .iter()
                    .flat_map(|pixel| (f32::from(pixel[0]) / 255.0).to_le_bytes())
                    .collect(),
                Numbers::Unsigned | Numbers::Signed => picture
                    .pixels
                    .as_flattened()
                    .iter()
                    .flat_map(|&one| u32::from(one).to_le_bytes())
                    .collect(),
            };
            let format = match (numbers, is_srgb) {
                (Numbers::Float, false) => vk::Format::R8G8B8A8_UNORM,
                (Numbers::Float, true) => vk::Format::R8G8B8A8_SRGB,
                _ => numbers.format(),
            };
            Ok((format, bytes))
        }
        PictureData::Blank(_) => Ok((numbers.format(), Vec::new())),
        PictureData::Literals(_, kind, data) => {
            let right = match numbers {
                Numbers::Float | Numbers::Depth => "f32",
                Numbers::Unsigned => "u32",
                Numbers::Signed => "i32",
            };
            if kind != right && !matches!(&kind[..], "zero" | "file") {
                element_of(kind)?;
                bail!("texels of this image are {right} here, not {kind}");
            }
            let channels = if numbers == Numbers::Depth { 1 } else { 4 };
            // Fewer channels than four: the others are as Vulkan fills them.
            let given = data.len() / 4 / count.max(1);
            if given == 0 || given > channels || data.len() != 4 * given * count {
                bail!("{} values are no 1 to {channels} for each of {count} texels", data.len() / 4);
            }
            let one = match numbers {
                Numbers::Float | Numbers::Depth => 1.0_f32.to_bits(),
                Numbers::Unsigned | Numbers::Signed => 1,
            };
            let filled = data.chunks_exact(4 * given).flat_map(|texel| {
                let mut whole = [0_u8; 16];
                whole[12..].copy_from_slice(&one.to_le_bytes());
                whole[..texel.len()].copy_from_slice(texel);
                whole.into_iter().take(4 * channels)
            });
            Ok((numbers.format(), filled.collect()))
        }
    }
}

/// Everything that descriptors refer to, freed at the end.
pub(super) struct Bank<'g, 'd> {
    gpu: &'g Gpu<'d>,
    buffers: BTreeMap<Slot, (Buffer, usize)>,
    images: BTreeMap<Slot, Image>,
    samplers: Vec<vk::Sampler>,
    views: Vec<vk::BufferView>,
    scene: Option<Scene>,
    pub(super) bindings: Vec<Binding>,
}

/// What defaults depend on.
pub(super) struct Defaults<'s> {
    /// Pixels of the picture.
    pub(super) size: [u32; 2],
    /// Elements of runtime arrays in buffers.
    pub(super) elements: u64,
    /// What acceleration structures are of.
    pub(super) scene: &'s [Primitives<'s>],
    /// No any-hit shader asks about triangles.
    pub(super) is_opaque: bool,
}

impl<'g, 'd> Bank<'g, 'd> {
    /// Makes all resources.
    ///
    /// # Errors
    /// When something was given that does not fit, or cannot be made.
    pub(super) fn new(
        gpu: &'g Gpu<'d>,
        wanted: &BTreeMap<(u32, u32), Wanted>,
        given: &mut BTreeMap<Slot, Given>,
        defaults: &Defaults<'_>,
    ) -> Result<Bank<'g, 'd>> {
        for (slot, given) in given.iter() {
            match wanted.get(&(slot.set, slot.binding)) {
                Some(wanted) => check(*slot, wanted, given)?,
                None if given.data.is_none() => bail!("no shader has an image or sampler at {slot}"),
                None => {}
            }
        }
        let mut bank = Bank {
            gpu,
            buffers: BTreeMap::new(),
            images: BTreeMap::new(),
            samplers: Vec::new(),
            views: Vec::new(),
            scene: None,
            bindings: Vec::new(),
        };
        for (&(set, binding), one) in wanted {
            let last = given.keys().rfind(|slot| (slot.set, slot.binding) == (set, binding));
            let count = one.count.unwrap_or(last.map_or(RUNTIME_DESCRIPTORS, |last| last.index + 1));
            for index in 0..count {
                let slot = Slot { set, binding, index };
                let own = given.remove(&slot).unwrap_or_default();
                let bound =
                    bank.bound(slot, one, own, defaults).with_context(|| format!("resource {slot}"))?;
                bank.bindings.push(Binding { set, binding, index, bound });
            }
        }
        // What no shader uses is bound all the same, and printed unchanged.
        for (slot, own) in std::mem::take(given) {
            let data = own.data.unwrap_or_default();
            let buffer = bank.buffer(slot, &data)?;
            let bound = if own.is_uniform { Bound::Uniform(buffer) } else { Bound::Storage(buffer) };
            bank.bindings.push(Binding { set: slot.set, binding: slot.binding, index: slot.index, bound });
        }
        Ok(bank)
    }

    fn buffer(&mut self, slot: Slot, data: &[u8]) -> Result<vk::Buffer> {
        let buffer = self.gpu.buffer(data)?;
        let handle = buffer.buffer;
        self.buffers.insert(slot, (buffer, data.len()));
        Ok(handle)
    }

    fn bound(&mut self, slot: Slot, wanted: &Wanted, given: Given, defaults: &Defaults<'_>) -> Result<Bound> {
        use ResourceKind as K;
        let data = |given: Option<Vec<u8>>| {
            given.unwrap_or_else(|| {
                let mut bytes = wanted.block.clone();
                let room = BUFFER_MAX.saturating_sub(bytes.len() as u64);
                let more = wanted.element_stride.unwrap_or(0).saturating_mul(defaults.elements).min(room);
                bytes.resize(bytes.len() + more as usize, 0);
                bytes
            })
        };
        Ok(match wanted.kind {
            K::UniformBuffer => Bound::Uniform(self.buffer(slot, &data(given.data))?),
            K::StorageBuffer => Bound::Storage(self.buffer(slot, &data(given.data))?),
            K::UniformTexelBuffer => Bound::UniformTexels(self.texel_buffer(slot, wanted, given, defaults)?),
            K::StorageTexelBuffer => Bound::StorageTexels(self.texel_buffer(slot, wanted, given, defaults)?),
            K::Sampler => Bound::Sampler(self.sampler(wanted, given.sampler)?),
            K::SampledImage => Bound::Texture(self.image(slot, wanted, given.picture, defaults)?.0),
            K::CombinedImageSampler => {
                let (view, _) = self.image(slot, wanted, given.picture, defaults)?;
                Bound::Combined(view, self.sampler(wanted, given.sampler)?)
            }
            K::StorageImage => Bound::StorageImage(self.image(slot, wanted, given.picture, defaults)?.0),
            K::InputAttachment => {
                let (view, format) = self.image(slot, wanted, given.picture, defaults)?;
                Bound::Input { view, index: wanted.input_index, format }
            }
            K::AccelerationStructure => {
                if self.scene.is_none() {
                    self.scene = Some(self.gpu.scene(defaults.scene, defaults.is_opaque)?);
                }
                let handle = self.scene.as_ref().and_then(Scene::handle);
                Bound::Structure(handle.context("the scene is empty")?)
            }
            K::Tensor => bail!("tensors cannot be given to a run"),
        })
    }

    fn texel_buffer(
        &mut self,
        slot: Slot,
        wanted: &Wanted,
        given: Given,
        defaults: &Defaults<'_>,
    ) -> Result<vk::BufferView> {
        let kind = wanted.image.context("a texel buffer has a type")?;
        let (format, bytes) = kind.format.unwrap_or((kind.numbers.format(), 16));
        let elements = defaults.elements.min(BUFFER_MAX / bytes as u64) as usize;
        let data = given.data.unwrap_or_else(|| vec![0; bytes * elements]);
        if data.is_empty() || !data.len().is_multiple_of(bytes) {
            bail!("{} bytes are no whole texels of {bytes}", data.len());
        }
        let buffer = self.buffer(slot, &data)?;
        let view = self.gpu.texel_view(buffer, format, data.len() as u64)?;
        self.views.push(view);
        Ok(view)
    }

    fn sampler(&mut self, wanted: &Wanted, given: Option<SamplerData>) -> Result<vk::Sampler> {
        let compares = wanted.image.is_some_and(|image| image.numbers == Numbers::Depth);
        let default =
            SamplerData { filter: vk::Filter::LINEAR, address: vk::SamplerAddressMode::REPEAT, compares };
        let SamplerData { filter, address, compares } = given.unwrap_or(default);
        let sampler = self.gpu.sampler(filter, address, compares)?;
        self.samplers.push(sampler);
        Ok(sampler)
    }

    /// An image's view, and its format.
    fn image(
        &mut self,
        slot: Slot,
        wanted: &Wanted,
        picture: Option<PictureData>,
        defaults: &Defaults<'_>,
    ) -> Result<(vk::ImageView, vk::Format)> {
        let kind = wanted.image.context("an image has a type")?;
        let is_storage = wanted.kind == ResourceKind::StorageImage;
        let usage = match wanted.kind {
            ResourceKind::StorageImage => vk::ImageUsageFlags::STORAGE,
            ResourceKind::InputAttachment => vk::ImageUsageFlags::INPUT_ATTACHMENT,
            _ => vk::ImageUsageFlags::SAMPLED,
        };
        let is_like_pass = wanted.kind == ResourceKind::InputAttachment;
        let default = || match (kind.is_multisampled, is_like_pass) {
            (false, false) => PictureData::Png(board(), false),
            _ => PictureData::Blank([defaults.size[0], defaults.size[1], 1]),
        };
        let picture = match picture {
            Some(picture) => picture,
            None if is_storage => PictureData::Blank(extent(&kind, None, defaults.size)),
            None => default(),
        };
        let extent = extent(&kind, Some(&picture), defaults.size);
        if is_like_pass && (extent[0] < defaults.size[0] || extent[1] < defaults.size[1]) {
            bail!("an input attachment is at least as large as what is drawn to (--size)");
        }
        let format = match (kind.format, &picture) {
            (Some(format), _) => format,
            (None, PictureData::Png(_, is_srgb)) if kind.numbers == Numbers::Float && !is_storage => {
                (if *is_srgb { vk::Format::R8G8B8A8_SRGB } else { vk::Format::R8G8B8A8_UNORM }, 4)
            }
            _ => (kind.numbers.format(), if kind.numbers == Numbers::Depth { 4 } else { 16 }),
        };
        let shape = shape(&kind, format, extent, usage)?;
        if shape.texel_count() > TEXELS_MAX {
            bail!("an image has at most {TEXELS_MAX} texels here, not {}", shape.texel_count());
        }
        let image = self.gpu.image(shape)?;
        let view = image.view;
        let layer_texels = match picture {
            PictureData::Png(..) => (extent[0] * extent[1]) as usize,
            _ => shape.texel_count(),
        };
        let filled = texels(kind.numbers, &picture, layer_texels).and_then(|(from, bytes)| {
            if bytes.is_empty() {
                return self.gpu.clear(&image);
            }
            // A picture is in every layer.
            let repeats = shape.texel_count() / layer_texels.max(1);
            self.gpu.fill(&image, from, &bytes.repeat(repeats.max(1)))
        });
        self.images.insert(slot, image);
        filled?;
        Ok((view, format.0))
    }

    /// The bytes at a descriptor: of a buffer, or the texels of an image.
    pub(super) fn bytes(&self, slot: Slot) -> Result<Vec<u8>> {
        if let Some((buffer, len)) = self.buffers.get(&slot) {
            return Ok(buffer.bytes()[..*len].to_vec());
        }
        let image = self.images.get(&slot).with_context(|| format!("no buffer or image at {slot}"))?;
        self.gpu.texels(image)
    }

    /// Whether there is something to print or write at a descriptor.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.buffers.contains_key(&slot) || self.images.contains_key(&slot)
    }

    /// The image at a descriptor: pixels across, what numbers it has, and four of each texel (of depth one).
    pub(super) fn picture(&self, slot: Slot) -> Result<(u32, Numbers, Vec<u8>)> {
        let image = self.images.get(&slot).with_context(|| format!("no image at {slot}"))?;
        Ok((image.shape.extent[0], image.shape.numbers, self.gpu.numbers(image)?))
    }
}

impl Drop for Bank<'_, '_> {
    fn drop(&mut self) {
        let gpu = self.gpu;
        self.samplers.drain(..).for_each(|sampler| gpu.destroy_sampler(sampler));
        self.views.drain(..).for_each(|view| gpu.destroy_texel_view(view));
        std::mem::take(&mut self.images).into_values().for_each(|image| gpu.destroy_image(image));
        std::mem::take(&mut self.buffers).into_values().for_each(|(buffer, _)| gpu.destroy(buffer));
        if let Some(scene) = self.scene.take() {
            gpu.destroy_scene(scene);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_samplers_are_read() {
        assert!(matches!(parse_picture("8x4"), Ok(PictureData::Blank([8, 4, 1]))));
        assert!(
            matches!(parse_picture("1x1:f32:0.5"), Ok(PictureData::Literals([1, 1, 1], kind, _)) if kind == "f32")
        );
        for bad in ["no.png", "srgb:8x8", "8x8:f32", "0x8", "picture.jpg"] {
            assert!(parse_picture(bad).is_err(), "{bad}");
        }
        let sampler = parse_sampler("nearest,clamp,compare").expect("a sampler");
        assert!(sampler.filter == vk::Filter::NEAREST && sampler.compares);
        assert!(parse_sampler("cubic").is_err());
    }

    #[test]
    fn literals_are_one_to_four_channels() {
        let literal = |values: &[f32]| {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            PictureData::Literals([2, 1, 1], "f32".to_owned(), bytes)
        };
        let (format, bytes) = texels(Numbers::Float, &literal(&[1.0, 2.0]), 2).expect("one channel");
        assert_eq!((format, bytes.len()), (vk::Format::R32G32B32A32_SFLOAT, 32));
        assert_eq!(bytes[16..20], 2.0_f32.to_le_bytes());
        assert_eq!(bytes[28..], 1.0_f32.to_le_bytes());
        assert!(texels(Numbers::Float, &literal(&[1.0, 2.0, 3.0]), 2).is_err());
        assert!(texels(Numbers::Unsigned, &literal(&[1.0, 2.0]), 2).is_err());
        assert_eq!(texels(Numbers::Depth, &literal(&[0.5, 1.0]), 2).expect("depth").1.len(), 8);
    }
}
