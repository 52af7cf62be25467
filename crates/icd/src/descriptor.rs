//! Descriptor set layouts, pools, sets, updates and templates.

use crate::handle;
use crate::{find, guard, quiet, slice};
use pyro_driver::buffer::BufferView;
use pyro_driver::descriptor::{
    BindingInfo, DescriptorPool, DescriptorSet, SetLayout, TemplateEntry, UpdateTemplate, WriteSource,
    buffer_words, copy_descriptors, image_address,
};
use pyro_driver::image::{ImageView, Sampler};
use pyro_driver::{Error, Result};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use vulkanalia_sys::{self as vk, Handle};

/// A pool and the handles of its sets.
pub(crate) struct Pool {
    pool: DescriptorPool,
    sets: Mutex<HashMap<u64, ()>>,
}

pub(crate) unsafe extern "system" fn create_set_layout(
    handle_: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        let layout = set_layout(&*info)?;
        *out = vk::DescriptorSetLayout::from_raw(handle::new(layout, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

unsafe fn set_layout(info: &vk::DescriptorSetLayoutCreateInfo) -> Result<SetLayout> {
    let flags = unsafe {
        find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo>(
            info.next,
            vk::StructureType::DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        )
        .map_or(&[][..], |flags| slice(flags.binding_flags, flags.binding_count))
    };
    let bindings = unsafe { slice(info.bindings, info.binding_count) };
    let s_type = vk::StructureType::MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
    let lists = unsafe { find::<vk::MutableDescriptorTypeCreateInfoEXT>(info.next, s_type) };
    let lists = lists.map_or(&[][..], |info| unsafe {
        slice(info.mutable_descriptor_type_lists, info.mutable_descriptor_type_list_count)
    });
    let infos = bindings.iter().enumerate().map(|(index, binding)| {
        let list = lists.get(index).filter(|_| binding.descriptor_type == vk::DescriptorType::MUTABLE_EXT);
        let types =
            list.map_or(&[][..], |list| unsafe { slice(list.descriptor_types, list.descriptor_type_count) });
        let with_sampler = matches!(
            binding.descriptor_type,
            vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        );
        let samplers = if with_sampler && !binding.immutable_samplers.is_null() {
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

handle::destroy_command!(destroy_set_layout(DescriptorSetLayout), SetLayout);

pub(crate) unsafe extern "system" fn get_set_layout_support(
    handle_: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo,
    out: *mut vk::DescriptorSetLayoutSupport,
) {
    quiet(|| unsafe {
        crate::device::check(handle_)?;
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

pub(crate) unsafe extern "system" fn create_pool(
    handle_: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        let info = &*info;
        let pool = DescriptorPool::new(info.max_sets);
        *out = vk::DescriptorPool::from_raw(handle::new(Pool { pool, sets: Mutex::default() }, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

impl Pool {
    fn clear(&self) {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        for (set, ()) in sets.drain() {
            // The application cannot have destroyed it: that is for the pool alone.
            _ = unsafe { handle::destroy::<DescriptorSet>(set, std::ptr::null()) };
        }
        self.pool.reset();
    }
}

pub(crate) unsafe extern "system" fn destroy_pool(
    device: vk::Device,
    pool: vk::DescriptorPool,
    allocator: *const vk::AllocationCallbacks,
) {
    quiet(|| unsafe {
        if pool.is_null() {
            return Ok(());
        }
        crate::device::check(device)?;
        handle::get::<Pool>(pool.as_raw())?.clear();
        handle::destroy::<Pool>(pool.as_raw(), allocator)
    });
}

pub(crate) unsafe extern "system" fn reset_pool(
    handle_: vk::Device,
    pool: vk::DescriptorPool,
    _flags: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    guard(|| {
        crate::device::check(handle_)?;
        handle::get::<Pool>(pool.as_raw())?.clear();
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn allocate_sets(
    handle_: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
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
        let mut sets = pool.sets.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, set) in made.into_iter().enumerate() {
            let handle = handle::share(set)?;
            sets.insert(handle, ());
            *out.add(index) = vk::DescriptorSet::from_raw(handle);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn free_sets(
    handle_: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    handles: *const vk::DescriptorSet,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        let pool = handle::get::<Pool>(pool.as_raw())?;
        let mut sets = pool.sets.lock().unwrap_or_else(PoisonError::into_inner);
        for set in slice(handles, count) {
            if sets.remove(&set.as_raw()).is_some() {
                pool.pool.free();
                handle::destroy::<DescriptorSet>(set.as_raw(), std::ptr::null())?;
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}

fn image_words(info: &vk::DescriptorImageInfo, ty: vk::DescriptorType) -> [u64; 2] {
    let has_sampler = matches!(ty, vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER);
    // A handle that the type has no use for may be anything.
    let view = if ty == vk::DescriptorType::SAMPLER { 0 } else { info.image_view.as_raw() };
    let sampler = if has_sampler { info.sampler.as_raw() } else { 0 };
    [
        handle::peek_optional::<ImageView>(view).map_or(0, |view| image_address(&view, ty)),
        handle::peek_optional::<Sampler>(sampler).map_or(0, |sampler| sampler.record_address()),
    ]
}

/// Writes `count` descriptors whose infos start at `data`, `stride` bytes apart.
unsafe fn write_strided(
    set: &DescriptorSet,
    place: (u32, u32, u32),
    ty: vk::DescriptorType,
    data: *const u8,
    stride: usize,
) -> Result<()> {
    match ty {
        vk::DescriptorType::UNIFORM_BUFFER
        | vk::DescriptorType::STORAGE_BUFFER
        | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
        | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => {
            let mut info = |index: u32, words: &mut [u64; 3]| {
                let info = unsafe {
                    data.add(index as usize * stride).cast::<vk::DescriptorBufferInfo>().read_unaligned()
                };
                if let Some(buffer) = handle::peek_optional(info.buffer.as_raw()) {
                    *words = buffer_words(&buffer, info.offset, info.range)?;
                }
                Ok(())
            };
            set.write(place, ty, WriteSource::Buffers(&mut info))
        }
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
            let mut info = |index: u32, address: &mut u64| unsafe {
                let view = data.add(index as usize * stride).cast::<vk::BufferView>().read_unaligned();
                *address = handle::peek_optional::<BufferView>(view.as_raw())
                    .map_or(0, |view| view.record_address());
                Ok(())
            };
            set.write(place, ty, WriteSource::Texels(&mut info))
        }
        vk::DescriptorType::SAMPLER
        | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        | vk::DescriptorType::SAMPLED_IMAGE
        | vk::DescriptorType::STORAGE_IMAGE
        | vk::DescriptorType::INPUT_ATTACHMENT => {
            let immutable = set.layout().bindings().get(place.0);
            let immutable = immutable.is_some_and(|binding| !binding.info.immutable_samplers.is_empty());
            let mut info = |index: u32, addresses: &mut [u64; 2]| unsafe {
                let mut info =
                    data.add(index as usize * stride).cast::<vk::DescriptorImageInfo>().read_unaligned();
                if immutable {
                    info.sampler = vk::Sampler::null();
                }
                *addresses = image_words(&info, ty);
                Ok(())
            };
            set.write(place, ty, WriteSource::Images(&mut info))
        }
        vk::DescriptorType::INLINE_UNIFORM_BLOCK => {
            let bytes = unsafe { std::slice::from_raw_parts(data, place.2 as usize) };
            set.write(place, ty, WriteSource::Inline(bytes))
        }
        other => Err(Error::unsupported(format!("descriptors of type {other:?}"))),
    }
}

/// Applies one write to a set.
pub(crate) unsafe fn write(set: &DescriptorSet, write: &vk::WriteDescriptorSet) -> Result<()> {
    let place = (write.dst_binding, write.dst_array_element, write.descriptor_count);
    let ty = write.descriptor_type;
    unsafe {
        if ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
            let s_type = vk::StructureType::WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK;
            let block = find::<vk::WriteDescriptorSetInlineUniformBlock>(write.next, s_type);
            let block =
                block.ok_or_else(|| Error::misuse("a write of an inline uniform block without its data"))?;
            return set.write(
                place,
                ty,
                WriteSource::Inline(slice(block.data.cast::<u8>(), block.data_size)),
            );
        }
        if matches!(ty, vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER) {
            return write_strided(
                set,
                place,
                ty,
                write.texel_buffer_view.cast(),
                size_of::<vk::BufferView>(),
            );
        }
        let is_buffer = matches!(
            ty,
            vk::DescriptorType::UNIFORM_BUFFER
                | vk::DescriptorType::STORAGE_BUFFER
                | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
                | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
        );
        if is_buffer {
            let stride = size_of::<vk::DescriptorBufferInfo>();
            return write_strided(set, place, ty, write.buffer_info.cast(), stride);
        }
        write_strided(set, place, ty, write.image_info.cast(), size_of::<vk::DescriptorImageInfo>())
    }
}

pub(crate) unsafe extern "system" fn update_sets(
    handle_: vk::Device,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet,
) {
    quiet(|| unsafe {
        crate::device::check(handle_)?;
        let mut last: Option<(u64, Arc<DescriptorSet>)> = None;
        for one in slice(writes, write_count) {
            // Mostly several in a row are for one set.
            let number = one.dst_set.as_raw();
            let set = match last.take() {
                Some((known, set)) if known == number => set,
                _ => handle::get::<DescriptorSet>(number)?,
            };
            write(&set, one)?;
            last = Some((number, set));
        }
        for copy in slice(copies, copy_count) {
            let source = handle::get::<DescriptorSet>(copy.src_set.as_raw())?;
            let target = handle::get::<DescriptorSet>(copy.dst_set.as_raw())?;
            copy_descriptors(
                (&source, copy.src_binding, copy.src_array_element),
                (&target, copy.dst_binding, copy.dst_array_element),
                copy.descriptor_count,
            )?;
        }
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn create_template(
    handle_: vk::Device,
    info: *const vk::DescriptorUpdateTemplateCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::DescriptorUpdateTemplate,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        let info = &*info;
        let entries = slice(info.descriptor_update_entries, info.descriptor_update_entry_count);
        let entries = entries.iter().map(|entry| TemplateEntry {
            binding: entry.dst_binding,
            first: entry.dst_array_element,
            count: entry.descriptor_count,
            ty: entry.descriptor_type,
            offset: entry.offset,
            stride: entry.stride,
        });
        let template =
            UpdateTemplate { entries: entries.collect(), set: info.set, point: info.pipeline_bind_point };
        *out = vk::DescriptorUpdateTemplate::from_raw(handle::new(template, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

handle::destroy_command!(destroy_template(DescriptorUpdateTemplate), UpdateTemplate);

/// Applies a template to a set.
pub(crate) unsafe fn write_template(
    set: &DescriptorSet,
    template: &UpdateTemplate,
    data: *const c_void,
) -> Result<()> {
    for entry in &template.entries {
        let place = (entry.binding, entry.first, entry.count);
        unsafe { write_strided(set, place, entry.ty, data.cast::<u8>().add(entry.offset), entry.stride)? };
    }
    Ok(())
}

pub(crate) unsafe extern "system" fn update_set_with_template(
    handle_: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    quiet(|| unsafe {
        crate::device::check(handle_)?;
        let template = handle::get::<UpdateTemplate>(template.as_raw())?;
        write_template(&*handle::get::<DescriptorSet>(set.as_raw())?, &template, data)
    });
}
