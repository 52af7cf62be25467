//! What calls leave of semaphores and fences, and calls that bring new ones into such states.
//!
//! Work that is over matters to what comes later only by contents of memory and by these states, so a part of
//! a capture needs the states, not the submissions that led to them.

use crate::ReplayError;
use crate::edit;
use pyro_capture::encode;
use pyro_capture::record::{self, Call, Note, Record};
use pyro_capture::schema;
use std::collections::BTreeMap;
use vulkanalia_sys::{self as vk, Handle};

/// A semaphore or a fence, by its handle in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Primitive {
    Semaphore(u64),
    Fence(u64),
}

/// What happens to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is signaled; a semaphore with a counter gets this value.
    Signal(u64),
    /// A semaphore is waited for, or a fence is reset.
    Unsignal,
}

/// Elements that a pointer points at.
///
/// # Safety
/// The pointer is null or valid for so many.
pub(crate) unsafe fn elements<'a, T>(first: *const T, count: u32) -> &'a [T] {
    // SAFETY: the contract of this function.
    if first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, count as usize) } }
}

/// The structure of a type in a chain.
///
/// # Safety
/// The chain is valid, and the type is that of `T`.
pub(crate) unsafe fn chained<'a, T>(
    mut next: *const std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<&'a T> {
    // SAFETY: each structure of the chain begins as `VkBaseInStructure` does; the contract of this function.
    unsafe {
        while let Some(structure) = next.cast::<vk::BaseInStructure>().as_ref() {
            if structure.s_type == s_type {
                return next.cast::<T>().as_ref();
            }
            next = structure.next.cast();
        }
    }
    None
}

/// What a call changes of semaphores and fences, in order; none where that is not all that matters of it.
///
/// # Errors
/// When the call cannot be decoded.
pub(crate) fn changes(call: &Call<'_>) -> Result<Option<Vec<(Primitive, Change)>>, ReplayError> {
    let name = schema::commands().get(usize::from(call.command)).map_or("", |command| command.name);
    match name {
        "vkQueueBindSparse" | "vkSetEvent" | "vkResetEvent" => return Ok(None),
        _ if (call.result as u32 as i32) < 0 => return Ok(Some(Vec::new())),
        "vkQueueSubmit"
        | "vkQueueSubmit2"
        | "vkAcquireNextImageKHR"
        | "vkAcquireNextImage2KHR"
        | "vkQueuePresentKHR"
        | "vkSignalSemaphore"
        | "vkResetFences" => {}
        _ => return Ok(Some(Vec::new())),
    }
    let parameters = edit::decoded(call)?;
    let slots = &parameters.slots;
    let mut all = Vec::new();
    let mut semaphore = |semaphore: vk::Semaphore, change| {
        all.push((Primitive::Semaphore(semaphore.as_raw()), change));
    };
    // SAFETY: the parameters were decoded for these commands: arrays have the lengths that are beside them.
    unsafe {
        match name {
            "vkQueueSubmit" => {
                let infos = parameters.pointer(2).cast::<vk::SubmitInfo>();
                for info in elements(infos, slots[1] as u32) {
                    let waits = elements(info.wait_semaphores, info.wait_semaphore_count);
                    waits.iter().for_each(|one| semaphore(*one, Change::Unsignal));
                    let s_type = vk::StructureType::TIMELINE_SEMAPHORE_SUBMIT_INFO;
                    let values = chained::<vk::TimelineSemaphoreSubmitInfo>(info.next, s_type);
                    let values = values.map_or(&[][..], |values| {
                        elements(values.signal_semaphore_values, values.signal_semaphore_value_count)
                    });
                    let signals = elements(info.signal_semaphores, info.signal_semaphore_count);
                    for (index, one) in signals.iter().enumerate() {
                        semaphore(*one, Change::Signal(values.get(index).copied().unwrap_or(0)));
                    }
                }
                all.push((Primitive::Fence(slots[3]), Change::Signal(0)));
            }
            "vkQueueSubmit2" => {
                let infos = parameters.pointer(2).cast::<vk::SubmitInfo2>();
                for info in elements(infos, slots[1] as u32) {
                    for one in elements(info.wait_semaphore_infos, info.wait_semaphore_info_count) {
                        semaphore(one.semaphore, Change::Unsignal);
                    }
                    for one in elements(info.signal_semaphore_infos, info.signal_semaphore_info_count) {
                        semaphore(one.semaphore, Change::Signal(one.value));
                    }
                }
                all.push((Primitive::Fence(slots[3]), Change::Signal(0)));
            }
            "vkAcquireNextImageKHR" => {
                all.push((Primitive::Semaphore(slots[3]), Change::Signal(0)));
                all.push((Primitive::Fence(slots[4]), Change::Signal(0)));
            }
            "vkAcquireNextImage2KHR" => {
                if let Some(info) = parameters.pointer(1).cast::<vk::AcquireNextImageInfoKHR>().as_ref() {
                    all.push((Primitive::Semaphore(info.semaphore.as_raw()), Change::Signal(0)));
                    all.push((Primitive::Fence(info.fence.as_raw()), Change::Signal(0)));
                }
            }
            "vkQueuePresentKHR" => {
                if let Some(info) = parameters.pointer(1).cast::<vk::PresentInfoKHR>().as_ref() {
                    for one in elements(info.wait_semaphores, info.wait_semaphore_count) {
                        semaphore(*one, Change::Unsignal);
                    }
                    let s_type = vk::StructureType::SWAPCHAIN_PRESENT_FENCE_INFO_KHR;
                    let fences = chained::<vk::SwapchainPresentFenceInfoKHR>(info.next, s_type);
                    for fence in fences.map_or(&[][..], |info| elements(info.fences, info.swapchain_count)) {
                        all.push((Primitive::Fence(fence.as_raw()), Change::Signal(0)));
                    }
                }
            }
            "vkSignalSemaphore" => {
                if let Some(info) = parameters.pointer(1).cast::<vk::SemaphoreSignalInfo>().as_ref() {
                    semaphore(info.semaphore, Change::Signal(info.value));
                }
            }
            _ => {
                let fences = parameters.pointer(2).cast::<vk::Fence>();
                for fence in elements(fences, slots[1] as u32) {
                    all.push((Primitive::Fence(fence.as_raw()), Change::Unsignal));
                }
            }
        }
    }
    all.retain(|(one, _)| !matches!(one, Primitive::Semaphore(0) | Primitive::Fence(0)));
    Ok(Some(all))
}

/// The state of a semaphore or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Is {
        signaled: bool,
    },
    /// Of a semaphore with a counter.
    Counts(u64),
}

impl State {
    /// The state of one that a call makes; none for other calls.
    ///
    /// # Errors
    /// When the call cannot be decoded.
    pub(crate) fn made_by(call: &Call<'_>) -> Result<Option<State>, ReplayError> {
        let name = schema::commands().get(usize::from(call.command)).map_or("", |command| command.name);
        // SAFETY: the infos were decoded, with valid chains.
        unsafe {
            Ok(match name {
                "vkCreateFence" => {
                    let parameters = edit::decoded(call)?;
                    let info = parameters.pointer(1).cast::<vk::FenceCreateInfo>().as_ref();
                    let signaled =
                        info.is_some_and(|info| info.flags.contains(vk::FenceCreateFlags::SIGNALED));
                    Some(State::Is { signaled })
                }
                "vkCreateSemaphore" => {
                    let parameters = edit::decoded(call)?;
                    let info = parameters.pointer(1).cast::<vk::SemaphoreCreateInfo>().as_ref();
                    let s_type = vk::StructureType::SEMAPHORE_TYPE_CREATE_INFO;
                    let ty = info.and_then(|info| chained::<vk::SemaphoreTypeCreateInfo>(info.next, s_type));
                    Some(match ty {
                        Some(ty) if ty.semaphore_type == vk::SemaphoreType::TIMELINE => {
                            State::Counts(ty.initial_value)
                        }
                        _ => State::Is { signaled: false },
                    })
                }
                _ => None,
            })
        }
    }

    /// The state behind a change.
    pub(crate) fn after(self, change: Change) -> State {
        match (self, change) {
            (State::Counts(value), Change::Signal(signal)) => State::Counts(value.max(signal)),
            (State::Counts(_), Change::Unsignal) => self,
            (State::Is { .. }, change) => State::Is { signaled: change != Change::Unsignal },
        }
    }
}

/// Appends the record of a call that this crate makes; how many records that are.
///
/// # Safety
/// The slots are parameters of the command, with valid pointers.
unsafe fn append_call(name: &str, slots: &[u64], bytes: &mut Vec<u8>) -> usize {
    let Some(number) = schema::command_number(name) else { return 0 };
    let mut parameters = Vec::new();
    // SAFETY: the contract of this function.
    unsafe { encode::parameters(&schema::commands()[usize::from(number)], slots, &mut parameters) };
    record::append(
        &Record::Call(Call { command: number, thread: 0, result: 0, parameters: &parameters }),
        bytes,
    );
    1
}

fn address<T>(value: &T) -> u64 {
    std::ptr::from_ref(value).expose_provenance() as u64
}

/// Appends the records that bring what was just made from one state to the other: of each its device, and of
/// the device a queue. How many they are.
pub(crate) fn bring_about(
    states: &BTreeMap<Primitive, (State, State)>,
    device_and_queue: &impl Fn(Primitive) -> Option<(u64, u64)>,
    bytes: &mut Vec<u8>,
) -> usize {
    let mut count = 0;
    let mut has_submitted = false;
    for (primitive, (made, wanted)) in states {
        let Some((device, queue)) = device_and_queue(*primitive).filter(|_| made != wanted) else { continue };
        // SAFETY: the slots are as many as the commands have, and what they point at is alive.
        count += unsafe {
            match (*primitive, wanted) {
                (Primitive::Semaphore(semaphore), State::Counts(value)) => {
                    let semaphore = vk::Semaphore::from_raw(semaphore);
                    let info = vk::SemaphoreSignalInfo { semaphore, value: *value, ..Default::default() };
                    append_call("vkSignalSemaphore", &[device, address(&info)], bytes)
                }
                (Primitive::Semaphore(semaphore), State::Is { signaled: true }) => {
                    let info = vk::SubmitInfo {
                        signal_semaphore_count: 1,
                        signal_semaphores: (&raw const semaphore).cast(),
                        ..Default::default()
                    };
                    has_submitted = true;
                    append_call("vkQueueSubmit", &[queue, 1, address(&info), 0], bytes)
                }
                (Primitive::Fence(fence), State::Is { signaled: true }) => {
                    has_submitted = true;
                    append_call("vkQueueSubmit", &[queue, 0, 0, fence], bytes)
                }
                (Primitive::Fence(fence), _) => {
                    append_call("vkResetFences", &[device, 1, address(&fence)], bytes)
                }
                // Only a wait leaves it so, which it was made as.
                (Primitive::Semaphore(_), State::Is { signaled: false }) => 0,
            }
        };
    }
    if has_submitted {
        record::append(&Record::Note(Note::Idle), bytes);
        count += 1;
    }
    count
}
