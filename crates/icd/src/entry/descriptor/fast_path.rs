//! Most of all writes: one buffer's descriptor, with nothing special about it.
//!
//! They run outside [`guard`](crate::call::guard()): nothing here can panic. Tables are indexed by numbers
//! that are reduced or compared first (`known_handles`, `SmallBuffers::place`), sums stay inside a buffer or
//! a set's memory, and nothing is allocated.
//!
//! They are checked as others are, but nothing is said of what fails: it is left to the way of all writes,
//! which does it or says why not. So a call needs no name for messages, and no result.

use crate::handle::ReadGuard;
use crate::handle::known_handles::KnownHandles;
use crate::handle::thread::Thread;
use crate::pointers::{In, Slice, TemplateData};
use pyro_driver::descriptor::{DescriptorSet, SmallBuffers, UpdateTemplate};
use vulkanalia_sys::{self as vk, Handle};

/// Applies writes, as long as they are simple and of sets and buffers of the device that is known; those that
/// are left.
#[inline(always)]
pub(super) fn write<'call>(
    thread: &'static Thread,
    writes: Slice<'call, vk::WriteDescriptorSet>,
) -> Slice<'call, vk::WriteDescriptorSet> {
    let known = &thread.known;
    let mut left = writes;
    let Some((mut one, mut rest)) = left.split_first() else { return left };
    let Some(read) = ReadGuard::anew(thread) else { return left };
    loop {
        let number = one.dst_set.as_raw();
        let set = read.found_again(&known.set, known.device.get(), number);
        let Some(set) = set.map(|set| set.seen().small_buffers()) else { return left };
        loop {
            if !write_one(known, set, one) {
                return left;
            }
            left = rest;
            let Some(next) = left.split_first() else { return left };
            (one, rest) = next;
            if one.dst_set.as_raw() != number {
                break;
            }
        }
    }
}

/// Gets to know the device and what a write is of, if these are what simple writes are of. False when there
/// is nothing new to know.
pub(super) fn learn(
    thread: &'static Thread,
    device: vk::Device,
    write: In<'_, vk::WriteDescriptorSet>,
) -> bool {
    let known = &thread.known;
    if !known.is_of(device.as_raw()) {
        return known.learn(thread, device.as_raw());
    }
    let buffer = {
        let read = ReadGuard::on(thread);
        let set = read.found_on::<DescriptorSet>(known.device.get(), write.dst_set.as_raw());
        let place = (write.dst_binding, write.dst_array_element);
        // What the write names is read only where the set has such a descriptor.
        let is_simple = set.is_some_and(|set| {
            write.descriptor_count == 1 && set.small_buffers().place(place, write.descriptor_type).is_some()
        });
        // SAFETY: the descriptor is a buffer (VUID-VkWriteDescriptorSet-descriptorType-00324).
        is_simple.then(|| unsafe { &*write.buffer_info }.buffer.as_raw())
    };
    buffer.is_some_and(|buffer| known.learn_buffer(thread, buffer))
}

/// Applies a write to the set that it is for, if it is simple and the buffer known.
#[inline(always)]
fn write_one(known: &KnownHandles, set: SmallBuffers<'_>, write: In<'_, vk::WriteDescriptorSet>) -> bool {
    let place = (write.dst_binding, write.dst_array_element);
    // A write of another type has no such structure, so the types are compared first.
    let Some(to) = set.place(place, write.descriptor_type).filter(|_| write.descriptor_count == 1) else {
        return false;
    };
    // SAFETY: the descriptor is a buffer (VUID-VkWriteDescriptorSet-descriptorType-00324).
    let info = unsafe { &*write.buffer_info };
    known.range(info).is_some_and(|(buffer, range)| to.write(buffer, range))
}

/// Applies a template, if it is simple.
#[inline(always)]
pub(super) fn write_template(
    thread: &'static Thread,
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: TemplateData<'_>,
) -> bool {
    let known = &thread.known;
    if !known.is_of(device.as_raw()) && !known.learn(thread, device.as_raw()) {
        return false;
    }
    let read = ReadGuard::on(thread);
    let Some(set) = read.found_on::<DescriptorSet>(known.device.get(), set.as_raw()) else { return false };
    let template = read.found_on::<UpdateTemplate>(known.device.get(), template.as_raw());
    let Some(template) = template else { return false };
    template.write_small(&set, |offset| {
        // SAFETY: the template says that such a structure is there.
        let info = unsafe { data.at(offset).cast::<vk::DescriptorBufferInfo>().read_unaligned() };
        match known.range(&info) {
            None if known.learn_buffer(thread, info.buffer.as_raw()) => known.range(&info),
            range => range,
        }
    })
}
