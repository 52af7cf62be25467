//! Calls of a capture with some of their parameters changed.
//!
//! A call is decoded as for a replay, with the handles of the capture, changed in memory, and encoded again.

use crate::ReplayError;
use pyro_capture::decode::{self, Parameters, Same};
use pyro_capture::encode;
use pyro_capture::record::Call;
use pyro_capture::schema::{self, Command};
use vulkanalia_sys::{self as vk, Handle};

/// The parameters of a call after a change.
///
/// # Errors
/// When they cannot be decoded.
fn changed(call: &Call<'_>, change: impl FnOnce(&mut Parameters)) -> Result<Vec<u8>, ReplayError> {
    let mut parameters = decoded(call)?;
    change(&mut parameters);
    let mut bytes = Vec::new();
    // SAFETY: the decoder made the parameters, and a change leaves them valid.
    unsafe { encode::parameters(command_of(call)?, &parameters.slots, &mut bytes) };
    Ok(bytes)
}

fn command_of(call: &Call<'_>) -> Result<&'static Command, ReplayError> {
    let command = schema::commands().get(usize::from(call.command));
    command.ok_or(ReplayError::Command(u64::from(call.command)))
}

/// The parameters of a call, with the handles of the capture.
///
/// # Errors
/// When they cannot be decoded.
pub(crate) fn decoded(call: &Call<'_>) -> Result<Parameters, ReplayError> {
    let command = command_of(call)?;
    let mut parameters = Parameters::default();
    decode::parameters(command, call.parameters, &mut Same, &mut parameters)
        .map_err(|source| ReplayError::Decode { call: 0, command: command.name, source })?;
    Ok(parameters)
}

/// The elements of an array of `T` that a slot points at, with their number in the slot before.
///
/// # Safety
/// The parameters are those of a command with such an array, decoded.
unsafe fn elements<T>(parameters: &mut Parameters, slot: usize) -> &mut [T] {
    let (first, count) = (parameters.pointer(slot).cast::<T>(), parameters.slots[slot - 1] as u32 as usize);
    if first.is_null() {
        return &mut [];
    }
    // SAFETY: the decoder made so many, by the contract of this function.
    unsafe { std::slice::from_raw_parts_mut(first, count) }
}

/// A submission with those of its command buffers that are wanted, by their place among all of the call.
///
/// # Errors
/// When the call cannot be decoded.
pub fn submission(call: &Call<'_>, mut is_wanted: impl FnMut(usize) -> bool) -> Result<Vec<u8>, ReplayError> {
    let is_second = schema::command_number("vkQueueSubmit2") == Some(call.command);
    changed(call, |parameters| {
        let mut place = 0;
        let mut wanted = || {
            place += 1;
            is_wanted(place - 1)
        };
        // SAFETY: parameters of a command that submits; arrays have the lengths that are beside them, and are
        // made shorter in place.
        unsafe {
            if is_second {
                for info in elements::<vk::SubmitInfo2>(parameters, 2) {
                    info.command_buffer_info_count = compact(
                        info.command_buffer_infos.cast_mut(),
                        info.command_buffer_info_count,
                        &mut wanted,
                    );
                }
            } else {
                for info in elements::<vk::SubmitInfo>(parameters, 2) {
                    let kept: Vec<bool> = (0..info.command_buffer_count).map(|_| wanted()).collect();
                    let mut next = kept.iter().copied();
                    let mut keep = || next.next().unwrap_or(false);
                    info.command_buffer_count =
                        compact(info.command_buffers.cast_mut(), info.command_buffer_count, &mut keep);
                    // Device masks, one for each command buffer.
                    let chain = &raw mut info.next;
                    let s_type = vk::StructureType::DEVICE_GROUP_SUBMIT_INFO;
                    if let Some(group) = crate::adapt::unlink::<vk::DeviceGroupSubmitInfo>(chain, s_type) {
                        let mut next = kept.iter().copied();
                        let mut keep = || next.next().unwrap_or(false);
                        (*group).command_buffer_count = compact(
                            (*group).command_buffer_device_masks.cast_mut(),
                            (*group).command_buffer_count,
                            &mut keep,
                        );
                        (*group).next = info.next;
                        info.next = group.cast();
                    }
                }
            }
        }
    })
}

/// Keeps the wanted elements of an array; their number.
///
/// # Safety
/// The array is null or has so many elements.
unsafe fn compact<T: Copy>(array: *mut T, count: u32, wanted: &mut impl FnMut() -> bool) -> u32 {
    let mut kept = 0;
    for index in 0..if array.is_null() { 0 } else { count as usize } {
        if wanted() {
            // SAFETY: both are elements of the array.
            unsafe { array.add(kept).write(array.add(index).read()) };
            kept += 1;
        }
    }
    kept as u32
}

/// What becomes of the contents of attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// They are written to memory behind the render pass, whatever the program asked for.
    Store,
    /// They are those from before the render pass, and are written to memory behind it.
    LoadAndStore,
}

impl Contents {
    fn operations(
        self,
        load: &mut vk::AttachmentLoadOp,
        store: &mut vk::AttachmentStoreOp,
        layout: Option<(&mut vk::ImageLayout, vk::ImageLayout)>,
    ) {
        *store = vk::AttachmentStoreOp::STORE;
        if self == Contents::LoadAndStore {
            *load = vk::AttachmentLoadOp::LOAD;
            if let Some((layout, last)) = layout.filter(|(layout, _)| **layout == vk::ImageLayout::UNDEFINED)
            {
                *layout = last;
            }
        }
    }
}

/// A call that makes or begins a render pass, with other operations on attachments; none for other calls.
///
/// # Errors
/// When the call cannot be decoded.
pub fn attachments(call: &Call<'_>, contents: Contents) -> Result<Option<Vec<u8>>, ReplayError> {
    let name = schema::commands().get(usize::from(call.command)).map_or("", |command| command.name);
    let change: fn(&mut Parameters, Contents) = match name {
        "vkCreateRenderPass" => render_pass,
        "vkCreateRenderPass2" => render_pass_2,
        "vkCmdBeginRendering" => rendering,
        _ => return Ok(None),
    };
    changed(call, |parameters| change(parameters, contents)).map(Some)
}

fn render_pass(parameters: &mut Parameters, contents: Contents) {
    let info = parameters.pointer(1).cast::<vk::RenderPassCreateInfo>();
    // SAFETY: the info was decoded, with as many attachments as it says.
    unsafe {
        let Some(info) = info.as_mut() else { return };
        let count = if info.attachments.is_null() { 0 } else { info.attachment_count as usize };
        for index in 0..count {
            let one = &mut *info.attachments.cast_mut().add(index);
            let last = one.final_layout;
            contents.operations(&mut one.load_op, &mut one.store_op, Some((&mut one.initial_layout, last)));
            contents.operations(&mut one.stencil_load_op, &mut one.stencil_store_op, None);
        }
    }
}

fn render_pass_2(parameters: &mut Parameters, contents: Contents) {
    let info = parameters.pointer(1).cast::<vk::RenderPassCreateInfo2>();
    // SAFETY: as above.
    unsafe {
        let Some(info) = info.as_mut() else { return };
        let count = if info.attachments.is_null() { 0 } else { info.attachment_count as usize };
        for index in 0..count {
            let one = &mut *info.attachments.cast_mut().add(index);
            let last = one.final_layout;
            contents.operations(&mut one.load_op, &mut one.store_op, Some((&mut one.initial_layout, last)));
            contents.operations(&mut one.stencil_load_op, &mut one.stencil_store_op, None);
        }
    }
}

fn rendering(parameters: &mut Parameters, contents: Contents) {
    let info = parameters.pointer(1).cast::<vk::RenderingInfo>();
    // SAFETY: the info was decoded, with as many attachments as it says.
    unsafe {
        let Some(info) = info.as_mut() else { return };
        let count = if info.color_attachments.is_null() { 0 } else { info.color_attachment_count as usize };
        let colors = (0..count).map(|index| info.color_attachments.cast_mut().add(index));
        let others = [info.depth_attachment.cast_mut(), info.stencil_attachment.cast_mut()];
        for one in colors.chain(others) {
            if let Some(one) = one.as_mut().filter(|one| !one.image_view.is_null()) {
                contents.operations(&mut one.load_op, &mut one.store_op, None);
            }
        }
    }
}

/// A call that makes a shader module, with other code; none for other calls.
///
/// # Errors
/// When the call cannot be decoded.
pub fn shader_code(call: &Call<'_>, words: &[u32]) -> Result<Option<Vec<u8>>, ReplayError> {
    if schema::command_number("vkCreateShaderModule") != Some(call.command) {
        return Ok(None);
    }
    changed(call, |parameters| {
        let info = parameters.pointer(1).cast::<vk::ShaderModuleCreateInfo>();
        // SAFETY: the info was decoded; the words outlive the encoding.
        if let Some(info) = unsafe { info.as_mut() } {
            info.code_size = size_of_val(words);
            info.code = words.as_ptr();
        }
    })
    .map(Some)
}

/// The code of a shader module that a call makes.
pub fn code_of(call: &Call<'_>) -> Option<Vec<u32>> {
    if schema::command_number("vkCreateShaderModule") != Some(call.command) {
        return None;
    }
    let mut words = Vec::new();
    changed(call, |parameters| {
        let info = parameters.pointer(1).cast::<vk::ShaderModuleCreateInfo>();
        // SAFETY: the info was decoded, with as many words as it says.
        unsafe {
            if let Some(info) = info.as_ref().filter(|info| !info.code.is_null()) {
                words = std::slice::from_raw_parts(info.code, info.code_size / 4).to_vec();
            }
        }
    })
    .ok()?;
    Some(words)
}

/// The label of a call that begins or inserts one, in a command buffer or a queue.
pub fn label(call: &Call<'_>) -> Option<String> {
    let name = schema::commands().get(usize::from(call.command))?.name;
    let is_marker = name.starts_with("vkCmdDebugMarker");
    if !is_marker && !name.ends_with("DebugUtilsLabelEXT") || name.contains("End") {
        return None;
    }
    let mut label = None;
    changed(call, |parameters| {
        let info = parameters.pointer(1);
        // SAFETY: the info was decoded; strings end in zero. Both structures begin with `sType`, `pNext` and
        // the name.
        unsafe {
            let info = info.cast::<vk::DebugUtilsLabelEXT>();
            if let Some(info) = info.as_ref().filter(|info| !info.label_name.is_null()) {
                label = Some(std::ffi::CStr::from_ptr(info.label_name).to_string_lossy().into_owned());
            }
        }
    })
    .ok()?;
    label
}
