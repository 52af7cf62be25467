//! Descriptor set layouts, pools, sets, updates and templates.

pub(crate) mod fast_path;

use crate::call::{find, guard, guard_void, guard_void_cold, slice};
use crate::handle::thread::{self, Thread};
use crate::handle::{self, ReadGuard};
use crate::pointers::{Allocator, In, Out};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::AccelerationStructure;
use pyro_driver::buffer::{Buffer, BufferView};
use pyro_driver::descriptor::{
    BindingInfo, DescriptorPool, DescriptorSet, SetLayout, TemplateEntry, UpdateTemplate, buffer_words,
    copy_descriptors, image_address,
};
use pyro_driver::image::{ImageView, Sampler};
use pyro_driver::tensor::TensorView;
use pyro_driver::{Error, Result};
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// A pool and the handles of its sets.
pub(crate) struct Pool {
    pool: DescriptorPool,
    sets: Mutex<HashMap<u64, ()>>,
}

pub(crate) unsafe extern "system" fn create_descriptor_set_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateDescriptorSetLayout-pCreateInfo-parameter,
    // VUID-vkCreateDescriptorSetLayout-pAllocator-parameter,
    // VUID-vkCreateDescriptorSetLayout-pSetLayout-parameter).
    guard(CommandId::create_descriptor_set_layout, || unsafe {
        crate::entry::device::check(device)?;
        let layout = set_layout(&*info)?;
        *out = vk::DescriptorSetLayout::from_raw(handle::new(layout, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkDescriptorSetLayoutCreateInfo`, "Valid
/// Usage").
unsafe fn set_layout(info: &vk::DescriptorSetLayoutCreateInfo) -> Result<SetLayout> {
    // SAFETY: `binding_flags` has as many elements as counted; each structure of the chain is of the type
    // that its `sType` says, by the contract of this function.
    let flags = unsafe {
        find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo>(
            info.next,
            vk::StructureType::DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        )
        .map_or(&[][..], |flags| slice(flags.binding_flags, flags.binding_count))
    };
    // SAFETY: `pBindings` has as many elements as counted
    // (VUID-VkDescriptorSetLayoutCreateInfo-pBindings-parameter).
    let bindings = unsafe { slice(info.bindings, info.binding_count) };
    let s_type = vk::StructureType::MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let lists = unsafe { find::<vk::MutableDescriptorTypeCreateInfoEXT>(info.next, s_type) };
    // SAFETY: `mutable_descriptor_type_lists` has as many elements as counted, by the contract of this
    // function.
    let lists = lists.map_or(&[][..], |info| unsafe {
        slice(info.mutable_descriptor_type_lists, info.mutable_descriptor_type_list_count)
    });
    let infos = bindings.iter().enumerate().map(|(index, binding)| {
        let list = lists.get(index).filter(|_| binding.descriptor_type == vk::DescriptorType::MUTABLE_EXT);
        let types =
            // SAFETY: `descriptor_types` has as many elements as counted, by the contract of this function.
            list.map_or(&[][..], |list| unsafe { slice(list.descriptor_types, list.descriptor_type_count) });
        let with_sampler = matches!(
            binding.descriptor_type,
            vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        );
        let samplers = if with_sampler && !binding.immutable_samplers.is_null() {
            // SAFETY: `immutable_samplers` has as many elements as counted, by the contract of this function.
            unsafe { slice(binding.immutable_samplers, binding.descriptor_count) }
        } else {
            &[]
        };
        let samplers = samplers.iter().map(|sampler| handle::get::<Sampler>(sampler.as_raw()));
        Ok(BindingInfo {
            binding: binding.binding,
            ty: binding.descriptor_type,
            count: binding.descriptor_count,
            flags: flags.get(index).copied().unwrap_or_default(),
            mutable_types: types.to_vec(),
            immutable_samplers: samplers.collect::<Result<_>>()?,
        })
    });
    let infos = infos.collect::<Result<Vec<_>>>()?;
    let layout =
        SetLayout::new(infos, info.flags.contains(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR))?;
    let in_buffers = info.flags.contains(vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT);
    Ok(if in_buffers { layout.for_buffers() } else { layout })
}

crate::call::destroy_command!(destroy_descriptor_set_layout(DescriptorSetLayout), SetLayout);

pub(crate) unsafe extern "system" fn get_descriptor_set_layout_support(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo,
    out: *mut vk::DescriptorSetLayoutSupport,
) {
    // SAFETY: `info` and `out` are valid (VUID-vkGetDescriptorSetLayoutSupport-pCreateInfo-parameter,
    // VUID-vkGetDescriptorSetLayoutSupport-pSupport-parameter).
    guard_void(CommandId::get_descriptor_set_layout_support, || unsafe {
        crate::entry::device::check(device)?;
        let layout = set_layout(&*info);
        (*out).supported = layout.is_ok().into();
        let mut next = (*out).next.cast::<vk::BaseOutStructure>();
        while let Some(base) = next.as_mut() {
            if base.s_type == vk::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                let most = layout.as_ref().ok().and_then(|layout| layout.max_variable_count());
                let support = &mut *next.cast::<vk::DescriptorSetVariableDescriptorCountLayoutSupport>();
                support.max_variable_descriptor_count = most.unwrap_or(0);
            }
            next = base.next;
        }
        Ok(())
    });
}

pub(crate) fn create_descriptor_pool(
    device: vk::Device,
    info: In<'_, vk::DescriptorPoolCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::DescriptorPool>,
) -> vk::Result {
    guard(CommandId::create_descriptor_pool, || {
        crate::entry::device::check(device)?;
        let pool = DescriptorPool::new(info.max_sets);
        out.write(vk::DescriptorPool::from_raw(handle::create(
            Pool { pool, sets: Mutex::default() },
            allocator,
        )?));
        Ok(vk::Result::SUCCESS)
    })
}

impl Pool {
    fn clear(&self) {
        let mut sets = self.sets.lock();
        for (set, ()) in sets.drain() {
            // The application cannot have destroyed it: that is for the pool alone.
            // SAFETY: sets are allocated without callbacks.
            _ = unsafe { handle::destroy::<DescriptorSet>(set, std::ptr::null()) };
        }
        self.pool.reset();
    }
}

pub(crate) fn destroy_descriptor_pool(device: vk::Device, pool: vk::DescriptorPool, allocator: Allocator) {
    guard_void(CommandId::destroy_descriptor_pool, || {
        if pool.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        handle::get::<Pool>(pool.as_raw())?.clear();
        handle::remove::<Pool>(pool.as_raw(), allocator)
    });
}

pub(crate) fn reset_descriptor_pool(
    device: vk::Device,
    pool: vk::DescriptorPool,
    _flags: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    guard(CommandId::reset_descriptor_pool, || {
        crate::entry::device::check(device)?;
        handle::get::<Pool>(pool.as_raw())?.clear();
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn allocate_descriptor_sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `pDescriptorCounts` and `pSetLayouts` have as many elements as
    // counted; each structure of the chain is of the type that its `sType` says
    // (VUID-vkAllocateDescriptorSets-pAllocateInfo-parameter,
    // VUID-vkAllocateDescriptorSets-pDescriptorSets-parameter,
    // VUID-VkDescriptorSetVariableDescriptorCountAllocateInfo-pDescriptorCounts-parameter,
    // VUID-VkDescriptorSetAllocateInfo-pSetLayouts-parameter).
    guard(CommandId::allocate_descriptor_sets, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let pool = handle::get::<Pool>(info.descriptor_pool.as_raw())?;
        let counts = find::<vk::DescriptorSetVariableDescriptorCountAllocateInfo>(
            info.next,
            vk::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        )
        .map_or(&[][..], |counts| slice(counts.descriptor_counts, counts.descriptor_set_count));
        let layouts = slice(info.set_layouts, info.descriptor_set_count);
        let mut made: Vec<Arc<DescriptorSet>> = Vec::new();
        for (index, layout) in layouts.iter().enumerate() {
            let layout = handle::get::<SetLayout>(layout.as_raw())?;
            let count = layout.variable().map(|_| counts.get(index).copied().unwrap_or(0));
            match pool.pool.allocate(&layout, count) {
                Ok(set) => made.push(Arc::new(set)),
                Err(error) => {
                    made.iter().for_each(|_| pool.pool.free());
                    (0..layouts.len()).for_each(|index| *out.add(index) = vk::DescriptorSet::null());
                    return Err(error);
                }
            }
        }
        let mut sets = pool.sets.lock();
        for (index, set) in made.into_iter().enumerate() {
            let handle = handle::share(set)?;
            sets.insert(handle, ());
            *out.add(index) = vk::DescriptorSet::from_raw(handle);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn free_descriptor_sets(
    device: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    handles: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: `handles` has as many elements as counted
    // (VUID-vkFreeDescriptorSets-pDescriptorSets-parameter).
    guard(CommandId::free_descriptor_sets, || unsafe {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(pool.as_raw())?;
        let mut sets = pool.sets.lock();
        for set in slice(handles, count) {
            if sets.remove(&set.as_raw()).is_some() {
                pool.pool.free();
                handle::destroy::<DescriptorSet>(set.as_raw(), std::ptr::null())?;
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}

fn has_sampler(ty: vk::DescriptorType) -> bool {
    matches!(ty, vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
}

/// The addresses of the records that an image's descriptor of this type names, whose sampler may be the
/// layout's own.
fn image_words(
    read: &ReadGuard,
    info: &vk::DescriptorImageInfo,
    ty: vk::DescriptorType,
    own: bool,
) -> [u64; 2] {
    // A handle that there is no use for may be anything.
    let view = if ty == vk::DescriptorType::SAMPLER { 0 } else { info.image_view.as_raw() };
    let sampler = if has_sampler(ty) && !own { info.sampler.as_raw() } else { 0 };
    [
        read.get_or_report::<ImageView>(view).map_or(0, |view| image_address(&view, ty)),
        read.get_or_report::<Sampler>(sampler).map_or(0, |sampler| sampler.record_address()),
    ]
}

/// Where an array of structures lies, and how far they are apart in bytes.
#[derive(Clone, Copy)]
struct Strided {
    data: *const u8,
    stride: usize,
}

impl Strided {
    fn of<T>(array: *const T) -> Strided {
        Strided { data: array.cast(), stride: size_of::<T>() }
    }

    /// The element with this index.
    ///
    /// # Safety
    /// The array has so many elements, and they are of this type.
    #[inline]
    unsafe fn get<T: Copy>(self, index: u32) -> T {
        // SAFETY: the caller asks for one of the elements that the application has counted; they are `stride`
        // bytes apart.
        unsafe { self.data.add(index as usize * self.stride).cast::<T>().read_unaligned() }
    }
}

/// Writes the descriptors of a place (binding, first element, count).
///
/// # Safety
/// `infos` are of the type that the descriptor type says, and as many as counted.
#[inline]
unsafe fn write_strided(
    read: &ReadGuard,
    set: &DescriptorSet,
    place: (u32, u32, u32),
    ty: vk::DescriptorType,
    infos: Strided,
) -> Result<()> {
    match ty {
        vk::DescriptorType::UNIFORM_BUFFER
        | vk::DescriptorType::STORAGE_BUFFER
        | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
        | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => set.write_buffers(place, ty, |index| {
            // SAFETY: `write_records` asks for indices of the elements that the application has counted; the
            // descriptor type says their type.
            let info: vk::DescriptorBufferInfo = unsafe { infos.get(index) };
            let buffer = read.get_or_report::<Buffer>(info.buffer.as_raw());
            buffer.map_or(Ok([0; 3]), |buffer| buffer_words(&buffer, info.offset, info.range))
        }),
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => set
            .write_records(place, ty, |index| {
                // SAFETY: `write_records` asks for indices of the elements that the application has counted;
                // the descriptor type says their type.
                let view: vk::BufferView = unsafe { infos.get(index) };
                let view = read.get_or_report::<BufferView>(view.as_raw());
                Ok(view.map_or(0, |view| view.record_address()))
            }),
        vk::DescriptorType::SAMPLER
        | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        | vk::DescriptorType::SAMPLED_IMAGE
        | vk::DescriptorType::STORAGE_IMAGE
        | vk::DescriptorType::SAMPLE_WEIGHT_IMAGE_QCOM
        | vk::DescriptorType::BLOCK_MATCH_IMAGE_QCOM
        | vk::DescriptorType::INPUT_ATTACHMENT => set.write_images(place, ty, |index, own| {
            // SAFETY: `write_records` asks for indices of the elements that the application has counted; the
            // descriptor type says their type.
            Ok(image_words(read, &unsafe { infos.get(index) }, ty, own))
        }),
        vk::DescriptorType::ACCELERATION_STRUCTURE_KHR => set.write_records(place, ty, |index| {
            // SAFETY: `write_records` asks for indices of the elements that the application has counted; the
            // descriptor type says their type.
            let structure: vk::AccelerationStructureKHR = unsafe { infos.get(index) };
            let structure = read.get_or_report::<AccelerationStructure>(structure.as_raw());
            structure.map_or(Ok(0), |structure| structure.record_address())
        }),
        vk::DescriptorType::INLINE_UNIFORM_BLOCK => {
            let (binding, first, count) = place;
            // SAFETY: `data` has as many elements as counted, by the contract of this function.
            set.write_inline(binding, first, unsafe { slice(infos.data, count) })
        }
        vk::DescriptorType::TENSOR_ARM => set.write_records(place, ty, |index| {
            // SAFETY: `write_records` asks for indices of the elements that the application has counted; the
            // descriptor type says their type.
            let view: vk::TensorViewARM = unsafe { infos.get(index) };
            let view = read.get_or_report::<TensorView>(view.as_raw());
            Ok(view.map_or(0, |view| view.record_address()))
        }),
        other => Err(Error::unsupported(format!("descriptor type {other:?} is not supported"))),
    }
}

/// Applies one write to a set.
///
/// # Safety
/// `write` is valid, with its chain and all that it points to (`VkWriteDescriptorSet`, "Valid Usage").
pub(crate) unsafe fn write(
    read: &ReadGuard,
    set: &DescriptorSet,
    write: &vk::WriteDescriptorSet,
) -> Result<()> {
    let place = (write.dst_binding, write.dst_array_element, write.descriptor_count);
    let infos = match write.descriptor_type {
        vk::DescriptorType::UNIFORM_BUFFER
        | vk::DescriptorType::STORAGE_BUFFER
        | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
        | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => Strided::of(write.buffer_info),
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
            Strided::of(write.texel_buffer_view)
        }
        vk::DescriptorType::INLINE_UNIFORM_BLOCK => {
            let s_type = vk::StructureType::WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK;
            // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of
            // this function.
            let block = unsafe { find::<vk::WriteDescriptorSetInlineUniformBlock>(write.next, s_type) };
            let block =
                block.ok_or_else(|| Error::misuse("a descriptor write of an inline uniform block has no VkWriteDescriptorSetInlineUniformBlock"))?;
            // SAFETY: `pData` has as many elements as counted
            // (VUID-VkWriteDescriptorSetInlineUniformBlock-pData-parameter).
            let bytes = unsafe { slice(block.data.cast::<u8>(), block.data_size) };
            return set.write_inline(write.dst_binding, write.dst_array_element, bytes);
        }
        // SAFETY: `write` is valid by the contract of this function, as `written` requires.
        vk::DescriptorType::TENSOR_ARM => Strided::of(unsafe { crate::entry::tensor::written(write) }?),
        vk::DescriptorType::ACCELERATION_STRUCTURE_KHR => {
            let s_type = vk::StructureType::WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR;
            // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of
            // this function.
            let info = unsafe { find::<vk::WriteDescriptorSetAccelerationStructureKHR>(write.next, s_type) };
            let is_whole = |info: &&vk::WriteDescriptorSetAccelerationStructureKHR| {
                info.acceleration_structure_count >= write.descriptor_count
            };
            let info = info.filter(is_whole).ok_or_else(|| {
                Error::misuse(
                    "a descriptor write of acceleration structures has too few of them in its pNext chain (VUID-VkWriteDescriptorSet-descriptorType-02382)",
                )
            })?;
            Strided::of(info.acceleration_structures)
        }
        _ => Strided::of(write.image_info),
    };
    // SAFETY: `write` is valid by the contract of this function, as `write_strided` requires.
    unsafe { write_strided(read, set, place, write.descriptor_type, infos) }
}

pub(crate) unsafe extern "system" fn update_descriptor_sets(
    device: vk::Device,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet,
) {
    // Nothing is called before it is known what is left, and nothing of the arguments is kept until then: so
    // a call that leaves nothing saves few registers.
    if copy_count == 0
        && let Some(thread) = thread::placed()
        && thread.known.is_of(device.as_raw())
    {
        // SAFETY: the caller's contract.
        let (left, count) = unsafe { fast_path::write(thread, (writes, write_count)) };
        if count != 0 {
            // SAFETY: as above, for what is left.
            unsafe { rest(thread.known.device(), count, left, 0, std::ptr::null()) };
        }
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { rest(device, write_count, writes, copy_count, copies) };

    /// Gets to know what was not known for the next time, and goes on.
    ///
    /// # Safety
    /// `writes` has as many elements as counted and `copies` has as many elements as counted.
    #[cold]
    #[inline(never)]
    unsafe fn rest(
        device: vk::Device,
        write_count: u32,
        writes: *const vk::WriteDescriptorSet,
        copy_count: u32,
        copies: *const vk::CopyDescriptorSet,
    ) {
        let thread = thread::here();
        // SAFETY: `writes` and `copies` have as many elements as counted, by the contract of this function.
        let (mut writes, copies) = unsafe { (slice(writes, write_count), slice(copies, copy_count)) };
        while let Some(next) = writes.first()
            // SAFETY: `next` is one of the writes that the application passed, which are valid by the
            // contract of this function.
            && unsafe { fast_path::learn(thread, device, next) }
        {
            // SAFETY: the caller's contract; what is left of these writes.
            writes = unsafe {
                let (left, count) = fast_path::write(thread, (writes.as_ptr(), writes.len() as u32));
                slice(left, count)
            };
        }
        if !(writes.is_empty() && copies.is_empty()) {
            apply(thread, device, writes, copies);
        }
    }

    /// All kinds of writes, and copies.
    #[cold]
    #[inline(never)]
    fn apply(
        thread: &'static Thread,
        device: vk::Device,
        writes: &[vk::WriteDescriptorSet],
        copies: &[vk::CopyDescriptorSet],
    ) {
        guard_void(CommandId::update_descriptor_sets, || {
            crate::entry::device::check(device)?;
            let read = ReadGuard::on(thread);
            let mut last: Option<(u64, &DescriptorSet)> = None;
            for one in writes {
                // Mostly several in a row are for one set.
                let number = one.dst_set.as_raw();
                let set = match last {
                    Some((known, set)) if known == number => set,
                    _ => read.find::<DescriptorSet>(number)?.seen(),
                };
                // SAFETY: the writes are valid (VUID-vkUpdateDescriptorSets-pDescriptorWrites-parameter).
                unsafe { write(&read, set, one)? };
                last = Some((number, set));
            }
            copies.iter().try_for_each(|one| copy(&read, one))
        });
    }
}

#[cold]
fn copy(read: &ReadGuard, copy: &vk::CopyDescriptorSet) -> Result<()> {
    copy_descriptors(
        (&*read.find(copy.src_set.as_raw())?, copy.src_binding, copy.src_array_element),
        (&*read.find(copy.dst_set.as_raw())?, copy.dst_binding, copy.dst_array_element),
        copy.descriptor_count,
    )
}

pub(crate) fn create_descriptor_update_template(
    device: vk::Device,
    info: In<'_, vk::DescriptorUpdateTemplateCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::DescriptorUpdateTemplate>,
) -> vk::Result {
    guard(CommandId::create_descriptor_update_template, || {
        crate::entry::device::check(device)?;
        let entries = info.descriptor_update_entries().get();
        let entries = entries.iter().map(|entry| TemplateEntry {
            binding: entry.dst_binding,
            first: entry.dst_array_element,
            count: entry.descriptor_count,
            ty: entry.descriptor_type,
            offset: entry.offset,
            stride: entry.stride,
        });
        let layout = match info.template_type {
            vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET => {
                crate::call::get_or_report::<SetLayout>(info.descriptor_set_layout.as_raw())
            }
            _ => None,
        };
        let place = (info.pipeline_bind_point, info.set);
        let template = UpdateTemplate::new(entries.collect(), place, layout.as_deref());
        out.write(vk::DescriptorUpdateTemplate::from_raw(handle::create(template, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_descriptor_update_template(DescriptorUpdateTemplate), UpdateTemplate);

/// Applies a template to a set.
pub(crate) fn write_template(
    read: &ReadGuard,
    set: &DescriptorSet,
    template: &UpdateTemplate,
    data: *const c_void,
) -> Result<()> {
    for entry in &template.entries {
        let place = (entry.binding, entry.first, entry.count);
        // SAFETY: `data` is valid by the contract of this function, as `cast` requires.
        let infos = Strided { data: unsafe { data.cast::<u8>().add(entry.offset) }, stride: entry.stride };
        // SAFETY: the data of a template holds what its entries say
        // (VUID-vkUpdateDescriptorSetWithTemplate-pData-01685).
        unsafe { write_strided(read, set, place, entry.ty, infos)? };
    }
    Ok(())
}

pub(crate) unsafe extern "system" fn update_descriptor_set_with_template(
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    let thread = thread::here();
    // SAFETY: `data` is valid (VUID-vkUpdateDescriptorSetWithTemplate-pData-parameter).
    if unsafe { fast_path::write_template(thread, device, set, template, data) } {
        return;
    }
    guard_void_cold(CommandId::update_descriptor_set_with_template, || {
        crate::entry::device::check(device)?;
        let read = ReadGuard::on(thread);
        let template = read.find::<UpdateTemplate>(template.as_raw())?;
        write_template(&read, &*read.find(set.as_raw())?, &template, data)
    });
}
