//! Resources: the variables of a shader that stand for descriptors.

use pyro_spirv::layout::{LayoutKind, Layouts};
use pyro_spirv::spirv::{Decoration, Dim, ImageFormat, StorageClass};
use pyro_spirv::{ConstantValues, GlobalVariable, Id, ImageType, Type};

/// What a descriptor must be (`VkDescriptorType`, without dynamic offsets, which the shader does not see).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// `SAMPLER`
    Sampler,
    /// `COMBINED_IMAGE_SAMPLER`
    CombinedImageSampler,
    /// `SAMPLED_IMAGE`
    SampledImage,
    /// `STORAGE_IMAGE`
    StorageImage,
    /// `UNIFORM_TEXEL_BUFFER`
    UniformTexelBuffer,
    /// `STORAGE_TEXEL_BUFFER`
    StorageTexelBuffer,
    /// `UNIFORM_BUFFER` (or an inline uniform block)
    UniformBuffer,
    /// `STORAGE_BUFFER`
    StorageBuffer,
    /// `INPUT_ATTACHMENT`
    InputAttachment,
    /// `ACCELERATION_STRUCTURE_KHR`
    AccelerationStructure,
    /// `TENSOR_ARM`
    Tensor,
}

/// What a shader may do with a resource by its decorations; storage resources only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// `NonWritable`: of a block, all its members.
    pub non_writable: bool,
    /// `NonReadable`: of a block, all its members.
    pub non_readable: bool,
    /// `Coherent`: of a block, any of its members.
    pub coherent: bool,
    /// `Volatile`: of a block, any of its members.
    pub volatile: bool,
    /// `Restrict`
    pub restrict: bool,
}

/// A resource variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The variable.
    pub variable: Id,
    /// Its name, or its block's; empty when the module does not say.
    pub name: String,
    /// `DescriptorSet`
    pub set: u32,
    /// `Binding`
    pub binding: u32,
    /// What the descriptor must be.
    pub kind: ResourceKind,
    /// Descriptors: 1 for what is not an array; none for a runtime array.
    pub count: Option<u64>,
    /// The type of one: a structure, image, sampler, …
    pub ty: Id,
    /// Bytes of a block without the elements of its runtime array; zero for others.
    pub block_size: u64,
    /// `ArrayStride` in bytes of the runtime array that ends the block, when one does.
    pub element_stride: Option<u64>,
    /// For images: what the type says.
    pub image: Option<ImageType>,
    /// What the decorations allow.
    pub access: Access,
    /// `InputAttachmentIndex`
    pub input_attachment_index: Option<u32>,
    /// Whether invocations may use different ones of the array at once (`NonUniform`).
    pub is_non_uniform: bool,
    /// Whether it shows an attachment of a tile (`SPV_QCOM_tile_shading`).
    pub is_tile_attachment: bool,
}

impl Resource {
    /// What to call it: its name in quotes, or its id in modules without names.
    pub fn label(&self) -> String {
        if self.name.is_empty() { self.variable.to_string() } else { format!("'{}'", self.name) }
    }
}

impl Resource {
    /// The texel format that the type names, if any.
    pub fn format(&self) -> Option<ImageFormat> {
        self.image.map(|image| image.format).filter(|format| *format != ImageFormat::Unknown)
    }
}

/// The resource that a variable is, when it is one that descriptors give.
pub(crate) fn resource(constants: &ConstantValues<'_>, variable: &GlobalVariable<'_>) -> Option<Resource> {
    let module = constants.module();
    let (element, count) = match module.ty(variable.value_type?) {
        Type::Array { element, .. } => (element, constants.array_len(variable.value_type?)),
        Type::RuntimeArray { element } => (element, None),
        _ => (variable.value_type?, Some(1)),
    };
    let image_of = |ty| match module.ty(ty) {
        Type::Image(image) => Some(image),
        Type::SampledImage { image } => match module.ty(image) {
            Type::Image(image) => Some(image),
            _ => None,
        },
        _ => None,
    };
    let is_tile_attachment = variable.class == StorageClass::TileAttachmentQCOM;
    let class = if is_tile_attachment { StorageClass::UniformConstant } else { variable.class };
    let kind = match (class, module.ty(element)) {
        (StorageClass::UniformConstant, Type::Sampler) => ResourceKind::Sampler,
        (StorageClass::UniformConstant, Type::SampledImage { .. }) => match image_of(element)?.dim {
            Dim::DimBuffer => ResourceKind::UniformTexelBuffer,
            _ => ResourceKind::CombinedImageSampler,
        },
        (StorageClass::UniformConstant, Type::Image(image)) => match (image.dim, image.sampled) {
            (Dim::DimSubpassData, _) => ResourceKind::InputAttachment,
            (Dim::DimBuffer, 2) => ResourceKind::StorageTexelBuffer,
            (Dim::DimBuffer, _) => ResourceKind::UniformTexelBuffer,
            (_, 2) => ResourceKind::StorageImage,
            _ => ResourceKind::SampledImage,
        },
        (StorageClass::UniformConstant, Type::AccelerationStructure) => ResourceKind::AccelerationStructure,
        (StorageClass::UniformConstant, Type::Tensor { .. }) => ResourceKind::Tensor,
        (StorageClass::StorageBuffer, Type::Struct { .. }) => ResourceKind::StorageBuffer,
        (StorageClass::Uniform, Type::Struct { .. }) => {
            let is_storage = module.has_decoration(element, Decoration::BufferBlock);
            if is_storage { ResourceKind::StorageBuffer } else { ResourceKind::UniformBuffer }
        }
        _ => return None,
    };
    let literal = |decoration| module.decoration_literal(variable.id, decoration);
    let name = module.name(variable.id).filter(|name| !name.is_empty()).or_else(|| module.name(element));
    let (mut block_size, mut element_stride, mut member_count) = (0, None, 0);
    if let Type::Struct { members } = module.ty(element) {
        member_count = members.len();
        block_size =
            Layouts::new(constants, LayoutKind::Explicit).extent(element).map_or(0, |extent| extent.size);
        let last = members.iter().next_back();
        let array = last.filter(|&last| matches!(module.ty(last), Type::RuntimeArray { .. }));
        element_stride = array.and_then(|array| module.array_stride(array)).map(u64::from);
    }
    let members_with = |kind| {
        let of_members = module.all_decorations(element).filter(|found| found.member.is_some());
        of_members.filter(|found| found.kind == kind).count()
    };
    let has = |kind| module.has_decoration(variable.id, kind);
    let all = |kind| has(kind) || member_count != 0 && members_with(kind) >= member_count;
    let any = |kind| has(kind) || members_with(kind) != 0;
    let access = Access {
        non_writable: all(Decoration::NonWritable),
        non_readable: all(Decoration::NonReadable),
        coherent: any(Decoration::Coherent),
        volatile: any(Decoration::Volatile),
        restrict: any(Decoration::Restrict),
    };
    Some(Resource {
        variable: variable.id,
        name: name.map(|name| name.into_owned()).unwrap_or_default(),
        set: literal(Decoration::DescriptorSet).unwrap_or(0),
        binding: literal(Decoration::Binding).unwrap_or(0),
        kind,
        count,
        ty: element,
        block_size,
        element_stride,
        image: image_of(element),
        access,
        input_attachment_index: literal(Decoration::InputAttachmentIndex),
        is_non_uniform: false,
        is_tile_attachment,
    })
}
