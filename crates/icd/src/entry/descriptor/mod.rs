//! Descriptor set layouts, pools, sets, updates and templates.

pub(crate) mod fast_path;
mod infos;

use crate::call::{guard, guard_void, guard_void_cold};
use crate::handle::thread::{self, Thread};
use crate::handle::{self, ReadGuard};
use crate::pointers::{Allocator, In, Out, Outputs, Slice, TemplateData};
use crate::registry::CommandId;
use infos::Infos;
use pyro_driver::descriptor::{
    BindingInfo, DescriptorPool, DescriptorSet, SetLayout, TemplateEntry, UpdateTemplate, copy_descriptors,
    image_address,
};
use pyro_driver::image::{ImageView, Sampler};
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

pub(crate) fn create_descriptor_set_layout(
    device: vk::Device,
    info: In<'_, vk::DescriptorSetLayoutCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::DescriptorSetLayout>,
) -> vk::Result {
    guard(CommandId::create_descriptor_set_layout, || {
        crate::entry::device::check(device)?;
        let layout = set_layout(info)?;
        out.write(vk::DescriptorSetLayout::from_raw(handle::create(layout, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// Where a binding's descriptors are in the memory of sets (`VK_VALVE_descriptor_set_host_mapping`).
pub(crate) fn get_descriptor_set_layout_host_mapping_info_valve(
    device: vk::Device,
    reference: In<'_, vk::DescriptorSetBindingReferenceVALVE>,
    mut out: Out<'_, vk::DescriptorSetLayoutHostMappingInfoVALVE>,
) {
    guard_void(CommandId::get_descriptor_set_layout_host_mapping_info_valve, || {
        crate::entry::device::check(device)?;
        let layout = handle::get::<SetLayout>(reference.descriptor_set_layout.as_raw())?;
        let binding = layout.bindings().get(reference.binding).ok_or_else(|| {
            Error::misuse("the layout has no binding of this number (VkDescriptorSetBindingReferenceVALVE)")
        })?;
        (out.descriptor_offset, out.descriptor_size) = (binding.offset as usize, binding.stride);
        Ok(())
    });
}

/// A set's memory, whose descriptors are plain words.
pub(crate) fn get_descriptor_set_host_mapping_valve(
    device: vk::Device,
    set: vk::DescriptorSet,
    mut out: Out<'_, *mut c_void>,
) {
    guard_void(CommandId::get_descriptor_set_host_mapping_valve, || {
        crate::entry::device::check(device)?;
        out.write(handle::get::<DescriptorSet>(set.as_raw())?.address() as *mut c_void);
        Ok(())
    });
}

fn set_layout(info: In<'_, vk::DescriptorSetLayoutCreateInfo>) -> Result<SetLayout> {
    let flags = info.find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo>();
    let flags = flags.map_or(Slice::empty(), |flags| flags.binding_flags());
    let lists = info.find::<vk::MutableDescriptorTypeCreateInfoEXT>();
    let lists = lists.map_or(Slice::empty(), |info| info.mutable_descriptor_type_lists());
    let infos = info.bindings().into_iter().enumerate().map(|(index, binding)| {
        let list = lists.at(index).filter(|_| binding.descriptor_type == vk::DescriptorType::MUTABLE_EXT);
        let types = list.map_or(Slice::empty(), |list| list.descriptor_types());
        let samplers = if has_sampler(binding.descriptor_type) {
            // SAFETY: the descriptors have samplers (VUID-VkDescriptorSetLayoutBinding-descriptorType-00282).
            unsafe { binding.immutable_samplers() }
        } else {
            Slice::empty()
        };
        let samplers = samplers.iter().map(|sampler| handle::get::<Sampler>(sampler.as_raw()));
        Ok(BindingInfo {
            binding: binding.binding,
            ty: binding.descriptor_type,
            count: binding.descriptor_count,
            flags: flags.get().get(index).copied().unwrap_or_default(),
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

pub(crate) fn get_descriptor_set_layout_support(
    device: vk::Device,
    info: In<'_, vk::DescriptorSetLayoutCreateInfo>,
    mut out: Out<'_, vk::DescriptorSetLayoutSupport>,
) {
    guard_void(CommandId::get_descriptor_set_layout_support, || {
        crate::entry::device::check(device)?;
        let layout = set_layout(info);
        out.supported = layout.is_ok().into();
        if let Some(mut support) = out.find_mut::<vk::DescriptorSetVariableDescriptorCountLayoutSupport>() {
            let most = layout.as_ref().ok().and_then(|layout| layout.max_variable_count());
            support.max_variable_descriptor_count = most.unwrap_or(0);
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
        // Sets have memory of their own: a pool needs no more for more of them.
        let is_unlimited = info.flags.contains(vk::DescriptorPoolCreateFlags::ALLOW_OVERALLOCATION_SETS_NV);
        let pool = DescriptorPool::new(if is_unlimited { u32::MAX } else { info.max_sets });
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
            _ = handle::remove::<DescriptorSet>(set, None);
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

pub(crate) fn allocate_descriptor_sets(
    device: vk::Device,
    info: In<'_, vk::DescriptorSetAllocateInfo>,
    mut out: Outputs<'_, vk::DescriptorSet>,
) -> vk::Result {
    guard(CommandId::allocate_descriptor_sets, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(info.descriptor_pool.as_raw())?;
        let counts = info.find::<vk::DescriptorSetVariableDescriptorCountAllocateInfo>();
        let counts = counts.map_or(Slice::empty(), |counts| counts.descriptor_counts());
        let mut made: Vec<Arc<DescriptorSet>> = Vec::new();
        for (index, layout) in info.set_layouts().iter().enumerate() {
            let layout = handle::get::<SetLayout>(layout.as_raw())?;
            let count = layout.variable().map(|_| counts.get().get(index).copied().unwrap_or(0));
            match pool.pool.allocate(&layout, count) {
                Ok(set) => made.push(Arc::new(set)),
                Err(error) => {
                    made.iter().for_each(|_| pool.pool.free());
                    out.fill(vk::DescriptorSet::null());
                    return Err(error);
                }
            }
        }
        let mut sets = pool.sets.lock();
        for (index, set) in made.into_iter().enumerate() {
            let handle = handle::share(set)?;
            sets.insert(handle, ());
            out.write(index, vk::DescriptorSet::from_raw(handle));
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn free_descriptor_sets(
    device: vk::Device,
    pool: vk::DescriptorPool,
    handles: Slice<'_, vk::DescriptorSet>,
) -> vk::Result {
    guard(CommandId::free_descriptor_sets, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(pool.as_raw())?;
        let mut sets = pool.sets.lock();
        for set in handles {
            if sets.remove(&set.as_raw()).is_some() {
                pool.pool.free();
                handle::remove::<DescriptorSet>(set.as_raw(), None)?;
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
    let image = read.get_or_report::<ImageView>(view).map_or(0, |view| image_address(&view, ty));
    if image != 0 && crate::entry::follow::is_on() {
        pyro_sanitizer::commands::resources::note_layout(image, info.image_layout.as_raw());
    }
    [image, read.get_or_report::<Sampler>(sampler).map_or(0, |sampler| sampler.record_address())]
}

/// Applies one write to a set.
pub(crate) fn write(
    read: &ReadGuard,
    set: &DescriptorSet,
    write: In<'_, vk::WriteDescriptorSet>,
) -> Result<()> {
    let place = (write.dst_binding, write.dst_array_element, write.descriptor_count);
    Infos::of_write(write)?.write(read, set, place, write.descriptor_type)
}

#[inline] // into its stub, which is in another module
pub(crate) fn update_descriptor_sets(
    device: vk::Device,
    writes: Slice<'_, vk::WriteDescriptorSet>,
    copies: Slice<'_, vk::CopyDescriptorSet>,
) {
    // Nothing is called before it is known what is left, and nothing of the arguments is kept until then: so
    // a call that leaves nothing saves few registers.
    if copies.is_empty()
        && let Some(thread) = thread::placed()
        && thread.known.is_of(device.as_raw())
    {
        let left = fast_path::write(thread, writes);
        if !left.is_empty() {
            rest(thread.known.device(), left, Slice::empty());
        }
        return;
    }
    rest(device, writes, copies);

    /// Gets to know what was not known for the next time, and goes on.
    #[cold]
    #[inline(never)]
    fn rest(
        device: vk::Device,
        mut writes: Slice<'_, vk::WriteDescriptorSet>,
        copies: Slice<'_, vk::CopyDescriptorSet>,
    ) {
        let thread = thread::here();
        while let Some((next, _)) = writes.split_first()
            && fast_path::learn(thread, device, next)
        {
            writes = fast_path::write(thread, writes);
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
        writes: Slice<'_, vk::WriteDescriptorSet>,
        copies: Slice<'_, vk::CopyDescriptorSet>,
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
                write(&read, set, one)?;
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
    data: TemplateData<'_>,
) -> Result<()> {
    template.entries.iter().try_for_each(|entry| {
        let place = (entry.binding, entry.first, entry.count);
        Infos::of_template(entry, data)?.write(read, set, place, entry.ty)
    })
}

#[inline] // into its stub, which is in another module
pub(crate) fn update_descriptor_set_with_template(
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: TemplateData<'_>,
) {
    let thread = thread::here();
    if fast_path::write_template(thread, device, set, template, data) {
        return;
    }
    guard_void_cold(CommandId::update_descriptor_set_with_template, || {
        crate::entry::device::check(device)?;
        let read = ReadGuard::on(thread);
        let template = read.find::<UpdateTemplate>(template.as_raw())?;
        write_template(&read, &*read.find(set.as_raw())?, &template, data)
    });
}
