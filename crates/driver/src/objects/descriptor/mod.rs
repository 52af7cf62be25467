//! Descriptor set layouts, pools and sets.
//!
//! A set is memory that shaders read directly (`pyro_abi::descriptor`): a header, then each binding at the
//! offset that its layout gave it. Null descriptors are zeros, and so is what was never written.

mod buffer_binding_table;
mod bytes;
pub(crate) mod heap;
pub(crate) mod heap_words;
mod pool;
mod set;
mod template;

pub use buffer_binding_table::{SmallBuffer, SmallBufferTable, SmallBuffers, SmallPlace};
pub use bytes::{DESCRIPTOR_BYTES, DescriptorSource};
pub(crate) use heap::HeapObjects;
pub use heap::{EMBEDDED_SAMPLERS_MAX, HEAP_ALIGNMENT, HEAP_BYTES_MAX};
pub use pool::DescriptorPool;
pub use set::{DescriptorSet, buffer_words, copy_descriptors, image_address};
pub use template::{TemplateEntry, UpdateTemplate};

use crate::caps::limits;
use crate::error::{Error, Result};
use crate::objects::image::Sampler;
use buffer_binding_table::Places;
use pyro_abi::descriptor::{BUFFER_DESCRIPTOR_BYTES, SET_HEADER_BYTES};
use pyro_abi::image::IMAGE_DESCRIPTOR_BYTES;
use pyro_abi::{BindingLayout, DescriptorKind};
use pyro_compile::cache::Digest;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// One binding, as the application describes it.
#[derive(Clone)]
pub struct BindingInfo {
    /// Its number.
    pub binding: u32,
    /// What it holds.
    pub ty: vk::DescriptorType,
    /// How many; bytes for an inline uniform block.
    pub count: u32,
    /// Update-after-bind and its kin.
    pub flags: vk::DescriptorBindingFlags,
    /// For a mutable binding: what each descriptor may become.
    pub mutable_types: Vec<vk::DescriptorType>,
    /// Samplers that are there from the start and cannot be changed; none, or one for each descriptor.
    pub immutable_samplers: Vec<Arc<Sampler>>,
}

/// One binding of a layout.
#[derive(Clone)]
pub struct Binding {
    /// What the application said.
    pub info: BindingInfo,
    /// What the compiler is told; none for a type it does not know.
    pub kind: DescriptorKind,
    /// Bytes from the start of the set to the first descriptor.
    pub offset: u32,
    /// Bytes from one descriptor to the next.
    pub stride: u32,
    /// For a dynamic buffer: how many dynamic descriptors of this set come before it.
    pub dynamic_first: Option<u32>,
}

/// The bindings of a layout.
pub struct Bindings {
    /// By number, ascending.
    list: Vec<Binding>,
    /// Those of small buffers.
    places: Places,
}

impl From<Vec<Binding>> for Bindings {
    fn from(list: Vec<Binding>) -> Bindings {
        let places = Places::of(&list);
        Bindings { list, places }
    }
}

impl Bindings {
    /// Where a binding is in the list.
    #[inline]
    fn index(&self, number: u32) -> Option<usize> {
        // Most layouts count from zero on, without gaps.
        let is_there = |binding: &Binding| binding.info.binding == number;
        match self.list.get(number as usize) {
            Some(binding) if is_there(binding) => Some(number as usize),
            _ => self.list.binary_search_by_key(&number, |binding| binding.info.binding).ok(),
        }
    }

    /// The binding of a number.
    pub fn get(&self, number: u32) -> Option<&Binding> {
        self.index(number).map(|index| &self.list[index])
    }

    /// All, by number.
    pub fn iter(&self) -> std::slice::Iter<'_, Binding> {
        self.list.iter()
    }
}

/// Descriptors one after the other in one binding.
#[derive(Clone, Copy)]
pub struct Run<'b> {
    /// The binding.
    pub binding: &'b Binding,
    /// Bytes from the start of the set to the first of them.
    pub place: u32,
    /// How many.
    pub count: u32,
}

/// A `VkDescriptorSetLayout`.
pub struct SetLayout {
    bindings: Bindings,
    size: u32,
    dynamic_count: u32,
    is_push: bool,
    /// Its sets lie in buffers.
    in_buffers: bool,
    digest: Digest,
}

/// Whether the type has a dynamic offset.
pub fn is_dynamic(ty: vk::DescriptorType) -> bool {
    matches!(ty, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
}

/// Whether a descriptor of a mutable binding may become one of this type.
fn may_be_mutable(ty: vk::DescriptorType) -> bool {
    let excluded = [vk::DescriptorType::MUTABLE_EXT, vk::DescriptorType::INLINE_UNIFORM_BLOCK];
    !is_dynamic(ty) && !excluded.contains(&ty) && kind_and_stride(ty).is_some()
}

impl BindingInfo {
    /// Whether a descriptor of this binding may hold what is of this type.
    #[inline]
    pub fn takes(&self, ty: vk::DescriptorType) -> bool {
        self.ty == ty || self.mutable_types.contains(&ty)
    }
}

/// A dynamic buffer's descriptor also says how many bytes its buffer has from the range's start on, for
/// offsets.
const DYNAMIC_DESCRIPTOR_BYTES: u32 = 32;
fn kind_and_stride(ty: vk::DescriptorType) -> Option<(DescriptorKind, u32)> {
    use DescriptorKind as Kind;
    Some(match ty {
        vk::DescriptorType::UNIFORM_BUFFER => (Kind::UniformBuffer, BUFFER_DESCRIPTOR_BYTES),
        vk::DescriptorType::STORAGE_BUFFER => (Kind::StorageBuffer, BUFFER_DESCRIPTOR_BYTES),
        vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC => (Kind::UniformBuffer, DYNAMIC_DESCRIPTOR_BYTES),
        vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => (Kind::StorageBuffer, DYNAMIC_DESCRIPTOR_BYTES),
        vk::DescriptorType::INLINE_UNIFORM_BLOCK => (Kind::InlineUniformBlock, 1),
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER => (Kind::UniformTexelBuffer, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::STORAGE_TEXEL_BUFFER => (Kind::StorageTexelBuffer, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::SAMPLER => (Kind::Sampler, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER => (Kind::CombinedImageSampler, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::SAMPLED_IMAGE
        | vk::DescriptorType::INPUT_ATTACHMENT
        | vk::DescriptorType::SAMPLE_WEIGHT_IMAGE_QCOM
        | vk::DescriptorType::BLOCK_MATCH_IMAGE_QCOM => (Kind::SampledImage, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::STORAGE_IMAGE => (Kind::StorageImage, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::TENSOR_ARM => (Kind::Tensor, IMAGE_DESCRIPTOR_BYTES),
        vk::DescriptorType::ACCELERATION_STRUCTURE_KHR
        | vk::DescriptorType::ACCELERATION_STRUCTURE_NV
        | vk::DescriptorType::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
            (Kind::AccelerationStructure, IMAGE_DESCRIPTOR_BYTES)
        }
        vk::DescriptorType::MUTABLE_EXT => {
            (Kind::Mutable, IMAGE_DESCRIPTOR_BYTES.max(BUFFER_DESCRIPTOR_BYTES))
        }
        _ => return None,
    })
}

impl SetLayout {
    /// It has no bindings.
    pub fn is_empty(&self) -> bool {
        self.bindings.list.is_empty()
    }

    /// Lays out a set.
    ///
    /// # Errors
    /// For unknown types, a binding number twice, and sets that are too large.
    pub fn new(mut infos: Vec<BindingInfo>, is_push: bool) -> Result<SetLayout> {
        infos.sort_by_key(|info| info.binding);
        let mut bindings: Vec<Binding> = Vec::with_capacity(infos.len());
        let mut end = u64::from(SET_HEADER_BYTES);
        let mut dynamic_count = 0;
        let last = infos.last().map(|info| info.binding);
        for info in infos {
            let number = info.binding;
            let (kind, stride) = kind_and_stride(info.ty)
                .ok_or_else(|| Error::unsupported(format!("descriptor type {:?}", info.ty)))?;
            let variable = info.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT);
            if variable && (last != Some(number) || is_dynamic(info.ty)) {
                return Err(Error::misuse(
                    "only the last binding can have a variable count, and no dynamic one \
                     (VUID-VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-03004)",
                ));
            }
            if info.ty == vk::DescriptorType::MUTABLE_EXT
                && (info.mutable_types.is_empty() || info.mutable_types.iter().any(|&ty| !may_be_mutable(ty)))
            {
                return Err(Error::unsupported(format!(
                    "a mutable binding of the types {:?} (VUID-VkMutableDescriptorTypeListEXT-pDescriptorTypes-04600)",
                    info.mutable_types
                )));
            }
            let inline = info.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
            if inline && info.count > limits::INLINE_UNIFORM_BLOCK_BYTES_MAX {
                return Err(Error::misuse(
                    "an inline uniform block above maxInlineUniformBlockSize \
                     (VUID-VkDescriptorSetLayoutBinding-descriptorType-08004)",
                ));
            }
            let samplers = info.immutable_samplers.len();
            if samplers != 0 && samplers != info.count as usize {
                return Err(Error::misuse("a binding with immutable samplers for some descriptors only"));
            }
            let offset = end;
            end += (u64::from(info.count) * u64::from(stride)).next_multiple_of(16);
            if end > 1 << 31 {
                return Err(Error::new(
                    vk::Result::ERROR_OUT_OF_HOST_MEMORY,
                    "a descriptor set of over 2 GiB",
                ));
            }
            let dynamic_first = is_dynamic(info.ty).then_some(dynamic_count);
            if dynamic_first.is_some() {
                dynamic_count += info.count;
            }
            let binding = Binding { info, kind, offset: offset as u32, stride, dynamic_first };
            if bindings.last().is_some_and(|last| last.info.binding == number) {
                return Err(Error::misuse(format!(
                    "binding {number} is there twice (VUID-VkDescriptorSetLayoutCreateInfo-binding-00279)"
                )));
            }
            bindings.push(binding);
        }
        if dynamic_count > limits::DYNAMIC_BUFFERS_MAX {
            return Err(Error::misuse("more dynamic buffers than the limits allow"));
        }
        let unique = Digest([0; 2]);
        let bindings = Bindings::from(bindings);
        let in_buffers = false;
        let mut layout =
            SetLayout { bindings, size: end as u32, dynamic_count, is_push, in_buffers, digest: unique };
        layout.digest = Digest::of(layout.abi(0));
        Ok(layout)
    }

    /// For sets that lie in buffers, which have no header: the first binding is at their start, where
    /// programs expect it that do not ask, and the binding of variable descriptor count has as many as the
    /// layout says at most.
    #[must_use]
    pub fn for_buffers(mut self) -> SetLayout {
        if !self.in_buffers {
            let mut list = core::mem::take(&mut self.bindings.list);
            list.iter_mut().for_each(|binding| binding.offset -= SET_HEADER_BYTES);
            self.bindings = Bindings::from(list);
            self.size -= SET_HEADER_BYTES;
            self.in_buffers = true;
        }
        self.digest = Digest::of(self.abi(0));
        self
    }

    /// Whether its sets begin with a header.
    pub fn has_header(&self) -> bool {
        !self.in_buffers
    }

    /// The bindings by number.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// Bytes of a set whose last binding, if it is variable, has `variable_count` descriptors, where sets say
    /// how many.
    pub fn size(&self, variable_count: Option<u32>) -> u32 {
        match (self.variable().filter(|_| self.has_header()), variable_count) {
            (Some(binding), Some(count)) => binding.offset + count.min(binding.info.count) * binding.stride,
            _ => self.size,
        }
    }

    /// Stands for all that shaders know of it: where which kinds of descriptors are.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// Dynamic buffers in it.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic_count
    }

    /// Whether its sets are pushed by commands.
    pub fn is_push(&self) -> bool {
        self.is_push
    }

    /// The binding of variable descriptor count.
    pub fn variable(&self) -> Option<&Binding> {
        let binding = self.bindings.list.last()?;
        binding.info.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT).then_some(binding)
    }

    /// How many descriptors (bytes, of an inline uniform block) the binding of variable count could have,
    /// whatever its layout says (`VkDescriptorSetVariableDescriptorCountLayoutSupport`); none when there is
    /// no such binding.
    pub fn max_variable_count(&self) -> Option<u32> {
        let variable = self.variable()?;
        if variable.info.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
            return Some(limits::INLINE_UNIFORM_BLOCK_BYTES_MAX);
        }
        let others = self.bindings.iter().filter(|one| one.info.binding != variable.info.binding);
        let taken = others.fold(0_u32, |sum, one| sum.saturating_add(one.info.count));
        Some(limits::DESCRIPTORS_MAX.saturating_sub(taken))
    }

    /// What the compiler is told, when `dynamic_before` dynamic buffers are in the sets before this one.
    pub fn abi(&self, dynamic_before: u32) -> pyro_abi::SetLayout {
        let bindings = self.bindings.iter().map(|binding| {
            let variable_count = !self.in_buffers
                && binding.info.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT);
            let layout = BindingLayout {
                kind: binding.kind,
                offset: binding.offset,
                count: binding.info.count,
                stride: binding.stride,
                dynamic_index: binding.dynamic_first.map(|first| dynamic_before + first),
                variable_count,
                known: None,
            };
            (binding.info.binding, layout)
        });
        pyro_abi::SetLayout { bindings: bindings.collect() }
    }

    /// Gives `each` the `count` descriptors from element `first` of `binding` on, binding by binding:
    /// consecutive updates run over into the bindings that follow, past empty ones.
    ///
    /// # Errors
    /// When there are not so many; then `each` gets none. And `each`'s.
    #[inline(always)]
    pub fn for_each_run<'b>(
        &'b self,
        binding: u32,
        first: u32,
        count: u32,
        mut each: impl FnMut(Run<'b>) -> Result<()>,
    ) -> Result<()> {
        let Some(index) = self.bindings.index(binding) else { return Err(outside(binding, first, count)) };
        let mut bindings = &self.bindings.list[index..];
        if u64::from(first) + u64::from(count) > u64::from(bindings[0].info.count)
            && !fits(bindings, first, count)
        {
            return Err(outside(binding, first, count));
        }
        let (mut element, mut left) = (first, count);
        while left != 0 {
            let Some((binding, rest)) = bindings.split_first() else { break };
            bindings = rest;
            if element >= binding.info.count {
                element -= binding.info.count;
                continue;
            }
            let count = left.min(binding.info.count - element);
            each(Run { binding, place: binding.offset + element * binding.stride, count })?;
            (element, left) = (0, left - count);
        }
        Ok(())
    }
}

/// Whether so many descriptors from element `first` of the first binding on are there.
#[cold]
fn fits(bindings: &[Binding], first: u32, count: u32) -> bool {
    let room: u64 = bindings.iter().map(|binding| u64::from(binding.info.count)).sum();
    u64::from(first) + u64::from(count) <= room
}

#[cold]
fn outside(binding: u32, first: u32, count: u32) -> Error {
    Error::misuse(format!(
        "binding {binding} and those after it have no descriptors {first} to {first}+{count} \
         (VUID-VkWriteDescriptorSet-dstArrayElement-00321)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(binding: u32, ty: vk::DescriptorType, count: u32) -> BindingInfo {
        BindingInfo {
            binding,
            ty,
            count,
            flags: vk::DescriptorBindingFlags::empty(),
            mutable_types: Vec::new(),
            immutable_samplers: Vec::new(),
        }
    }

    #[test]
    fn offsets_follow_binding_order() {
        let layout = SetLayout::new(
            vec![
                info(7, vk::DescriptorType::STORAGE_BUFFER, 3),
                info(2, vk::DescriptorType::INLINE_UNIFORM_BLOCK, 20),
                info(4, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, 2),
            ],
            false,
        )
        .unwrap();
        let offsets: Vec<_> = layout.bindings().iter().map(|binding| binding.offset).collect();
        assert_eq!(offsets, [16, 48, 112]);
        assert_eq!(layout.size(None), 160);
        assert_eq!(layout.abi(5).bindings[&4].dynamic_index, Some(5));
        let runs = |binding, first, count| {
            let mut runs = Vec::new();
            let each = |run: Run<'_>| {
                runs.push((run.place, run.count));
                Ok(())
            };
            layout.for_each_run(binding, first, count, each).map(|()| runs)
        };
        assert_eq!(runs(4, 1, 3).unwrap(), [(80, 1), (112, 2)]);
        assert_eq!(runs(4, 2, 1).unwrap(), [(112, 1)]);
        assert_eq!(runs(7, 3, 0).unwrap(), []);
        assert!(runs(7, 1, 3).is_err());
        assert!(runs(3, 0, 0).is_err());
    }

    #[test]
    fn sets_in_buffers_have_no_header() {
        let mut last = info(3, vk::DescriptorType::STORAGE_BUFFER, 4);
        last.flags = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let infos = vec![info(1, vk::DescriptorType::UNIFORM_BUFFER, 2), last];
        let layout = SetLayout::new(infos, false).unwrap();
        assert_eq!((layout.has_header(), layout.size(Some(1)), layout.size(None)), (true, 64, 112));
        let layout = layout.for_buffers().for_buffers();
        let offsets: Vec<_> = layout.bindings().iter().map(|binding| binding.offset).collect();
        assert_eq!(offsets, [0, 32]);
        // Shaders take the binding for as large as the layout says.
        assert_eq!((layout.has_header(), layout.size(Some(1)), layout.size(None)), (false, 96, 96));
        assert!(!layout.abi(0).bindings[&3].variable_count);
        let ty = vk::DescriptorType::UNIFORM_BUFFER;
        let set = DescriptorSet::new(Arc::new(layout), None).unwrap();
        assert!(set.write_buffers((1, 0, 1), ty, |_| Ok([0x1000, 8, 8])).is_ok());
        assert!(set.write_buffers((3, 3, 1), vk::DescriptorType::STORAGE_BUFFER, |_| Ok([0; 3])).is_ok());
    }

    #[test]
    fn doubled_bindings_are_refused() {
        let twice = vec![
            info(1, vk::DescriptorType::STORAGE_BUFFER, 1),
            info(1, vk::DescriptorType::STORAGE_BUFFER, 1),
        ];
        assert!(SetLayout::new(twice, false).is_err());
    }
}
