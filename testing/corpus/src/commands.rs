//! Functions that the layer takes part in.
#![allow(unsafe_code)] // the program's own calls, handed on with the program's own parameters

use crate::chain::{Layered, device_of};
use crate::record::{Recorder, number};
use crate::times::{self, Pipeline};
use ash::vk;
use std::ffi::CStr;
use std::slice;

/// The next function of one of these names, as its type.
macro_rules! next {
    ($device:expr, $ty:ident, $($name:literal),+) => {
        [$($name),+].into_iter().find_map(|name| $device.next(name)).map(|next| {
            // SAFETY: the function has the type of its name.
            unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::$ty>(next) }
        })
    };
}

/// Notes something in the recorder of a device that is measured.
fn note(layered: &Layered, what: impl FnOnce(&mut Recorder)) {
    if let Some(recorder) = &layered.recorder {
        what(&mut recorder.lock());
    }
}

unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    let create = layered.device.fp_v1_0().create_shader_module;
    // SAFETY: the program's own call; its structure lives through it.
    unsafe {
        let result = create(device, info, allocator, module);
        if result == vk::Result::SUCCESS && layered.recorder.is_some() {
            let words = slice::from_raw_parts((*info).p_code, (*info).code_size / 4);
            layered.numbers.lock().insert(number(*module), note_module(&layered, words));
        }
        result
    }
}

/// The number of a module by its words.
fn note_module(layered: &Layered, words: &[u32]) -> u64 {
    let number = times::hash(&words);
    layered.words.lock().insert(number, words.len());
    if let Some(folder) = std::env::var_os("CORPUS_LAYER_MODULES") {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = std::path::Path::new(&folder).join(format!("{number:016x}.spv"));
        if let Err(error) = std::fs::write(&path, bytes) {
            eprintln!("corpus: {} is not written: {error}", path.display());
        }
    }
    number
}

/// A pipeline's number: that of its stages' modules, entry points and specialization.
unsafe fn note_stages(layered: &Layered, stages: &[vk::PipelineShaderStageCreateInfo<'_>]) -> u64 {
    let (mut modules, mut names, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let mut constants = String::new();
    for stage in stages {
        // SAFETY: the program's structures live through its call.
        let (name, specialization, inline) = unsafe {
            let name = CStr::from_ptr(stage.p_name).to_string_lossy().into_owned();
            let bytes = stage.p_specialization_info.as_ref().map_or(&[][..], |info| {
                if info.data_size == 0 {
                    return &[];
                }
                slice::from_raw_parts(info.p_data.cast::<u8>(), info.data_size)
            });
            let inline = inline_module(stage.p_next);
            (name, bytes, inline)
        };
        let module = match inline {
            Some(words) => note_module(layered, words),
            None => layered.numbers.lock().get(&number(stage.module)).copied().unwrap_or(0),
        };
        // SAFETY: as above.
        constants += &unsafe { constants_of(stage, specialization) };
        parts.push((module, stage.stage.as_raw(), name.clone(), specialization.to_vec()));
        names.push(format!("{:?} {name}", stage.stage));
        modules.push(module);
    }
    let all = times::hash(&parts);
    let words = layered.words.lock();
    let words = modules.iter().filter_map(|module| words.get(module)).sum();
    times::note_pipeline(all, Pipeline { stages: names.join(", "), modules, words });
    if let Some(folder) = std::env::var_os("CORPUS_LAYER_MODULES") {
        let path = std::path::Path::new(&folder).join(format!("{all:016x}.constants"));
        if let Err(error) = std::fs::write(&path, constants) {
            eprintln!("corpus: {} is not written: {error}", path.display());
        }
    }
    all
}

/// The constants of a stage as `spirv-opt --set-spec-const-default-value` takes them: a line of numbers and
/// bits.
unsafe fn constants_of(stage: &vk::PipelineShaderStageCreateInfo<'_>, bytes: &[u8]) -> String {
    // SAFETY: the program's structures live through its call.
    let entries = unsafe {
        stage
            .p_specialization_info
            .as_ref()
            .filter(|info| info.map_entry_count > 0)
            .map_or(&[][..], |info| slice::from_raw_parts(info.p_map_entries, info.map_entry_count as usize))
    };
    let word = |entry: &vk::SpecializationMapEntry| {
        let start = entry.offset as usize;
        let bits = bytes.get(start..start + entry.size.min(8))?;
        let value = bits.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
        Some(format!("{}:{value:#x}", entry.constant_id))
    };
    entries.iter().filter_map(word).collect::<Vec<_>>().join(" ") + "\n"
}

/// The words of a module that is part of a stage.
unsafe fn inline_module<'a>(mut next: *const std::ffi::c_void) -> Option<&'a [u32]> {
    while !next.is_null() {
        // SAFETY: structures of a chain begin so.
        let base = unsafe { &*next.cast::<vk::BaseInStructure<'_>>() };
        if base.s_type == vk::StructureType::SHADER_MODULE_CREATE_INFO {
            // SAFETY: what the structure says it is, with words that live as it does.
            return Some(unsafe {
                let info = &*next.cast::<vk::ShaderModuleCreateInfo<'_>>();
                slice::from_raw_parts(info.p_code, info.code_size / 4)
            });
        }
        next = base.p_next.cast();
    }
    None
}

unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    let create = layered.device.fp_v1_0().create_compute_pipelines;
    // SAFETY: the program's own call; its structures live through it.
    unsafe {
        let result = create(device, cache, count, infos, allocator, pipelines);
        if layered.recorder.is_some() {
            for index in 0..count as usize {
                let all = note_stages(&layered, slice::from_ref(&(*infos.add(index)).stage));
                layered.numbers.lock().insert(number(*pipelines.add(index)), all);
            }
        }
        result
    }
}

unsafe extern "system" fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    let create = layered.device.fp_v1_0().create_graphics_pipelines;
    // SAFETY: the program's own call; its structures live through it.
    unsafe {
        let result = create(device, cache, count, infos, allocator, pipelines);
        if layered.recorder.is_some() {
            for index in 0..count as usize {
                let info = &*infos.add(index);
                let stages = match info.stage_count {
                    0 => &[],
                    count => slice::from_raw_parts(info.p_stages, count as usize),
                };
                let all = note_stages(&layered, stages);
                layered.numbers.lock().insert(number(*pipelines.add(index)), all);
            }
        }
        result
    }
}

unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    buffers: *mut vk::CommandBuffer,
) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call.
    unsafe {
        let result = (layered.device.fp_v1_0().allocate_command_buffers)(device, info, buffers);
        if result == vk::Result::SUCCESS {
            let all = slice::from_raw_parts(buffers, (*info).command_buffer_count as usize);
            note(&layered, |recorder| recorder.allocate(&*info, all));
        }
        result
    }
}

unsafe extern "system" fn free_command_buffers(
    device: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    let Some(layered) = device_of(device) else { return };
    // SAFETY: the program's own call.
    unsafe {
        if count > 0 {
            let all = slice::from_raw_parts(buffers, count as usize);
            note(&layered, |recorder| all.iter().for_each(|&buffer| recorder.free(buffer)));
        }
        (layered.device.fp_v1_0().free_command_buffers)(device, pool, count, buffers);
    }
}

unsafe extern "system" fn destroy_command_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    let Some(layered) = device_of(device) else { return };
    note(&layered, |recorder| recorder.destroy_pool(pool));
    // SAFETY: the program's own call.
    unsafe { (layered.device.fp_v1_0().destroy_command_pool)(device, pool, allocator) };
}

unsafe extern "system" fn begin_command_buffer(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    let Some(layered) = device_of(buffer) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call.
    let result = unsafe { (layered.device.fp_v1_0().begin_command_buffer)(buffer, info) };
    if result == vk::Result::SUCCESS {
        note(&layered, |recorder| recorder.begin(buffer));
    }
    result
}

unsafe extern "system" fn cmd_bind_pipeline(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    let Some(layered) = device_of(buffer) else { return };
    let all = layered.numbers.lock().get(&number(pipeline)).copied().unwrap_or(0);
    note(&layered, |recorder| recorder.bind(buffer, point, all));
    // SAFETY: the program's own call.
    unsafe { (layered.device.fp_v1_0().cmd_bind_pipeline)(buffer, point, pipeline) };
}

/// Makes a dispatch as often as the layer is told, each time measured.
fn dispatched(layered: &Layered, buffer: vk::CommandBuffer, size: [u32; 3], dispatch: impl Fn()) {
    let Some(recorder) = &layered.recorder else { return dispatch() };
    for time in 0..layered.repeats {
        let mut recorder = recorder.lock();
        if time > 0 {
            recorder.barrier(buffer);
        }
        let is_measured = recorder.stamp_first(buffer);
        dispatch();
        if !is_measured {
            return;
        }
        recorder.after_dispatch(buffer, size);
    }
}

unsafe extern "system" fn cmd_dispatch(buffer: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    let Some(layered) = device_of(buffer) else { return };
    // SAFETY: the program's own call.
    dispatched(&layered, buffer, [x, y, z], || unsafe {
        (layered.device.fp_v1_0().cmd_dispatch)(buffer, x, y, z);
    });
}

unsafe extern "system" fn cmd_dispatch_indirect(
    buffer: vk::CommandBuffer,
    from: vk::Buffer,
    offset: vk::DeviceSize,
) {
    let Some(layered) = device_of(buffer) else { return };
    // SAFETY: the program's own call.
    dispatched(&layered, buffer, [0; 3], || unsafe {
        (layered.device.fp_v1_0().cmd_dispatch_indirect)(buffer, from, offset);
    });
}

unsafe extern "system" fn cmd_dispatch_base(
    buffer: vk::CommandBuffer,
    first_x: u32,
    first_y: u32,
    first_z: u32,
    x: u32,
    y: u32,
    z: u32,
) {
    let Some(layered) = device_of(buffer) else { return };
    let Some(next) = next!(layered, PFN_vkCmdDispatchBase, c"vkCmdDispatchBase", c"vkCmdDispatchBaseKHR")
    else {
        return;
    };
    // SAFETY: the program's own call.
    dispatched(&layered, buffer, [x, y, z], || unsafe {
        next(buffer, first_x, first_y, first_z, x, y, z);
    });
}

unsafe extern "system" fn cmd_draw(
    buffer: vk::CommandBuffer,
    vertices: u32,
    instances: u32,
    first_vertex: u32,
    first_instance: u32,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.draw(buffer, vertices.saturating_mul(instances)));
    let draw = layered.device.fp_v1_0().cmd_draw;
    // SAFETY: the program's own call.
    unsafe { draw(buffer, vertices, instances, first_vertex, first_instance) };
}

unsafe extern "system" fn cmd_draw_indexed(
    buffer: vk::CommandBuffer,
    indices: u32,
    instances: u32,
    first_index: u32,
    vertex_offset: i32,
    first_instance: u32,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.draw(buffer, indices.saturating_mul(instances)));
    let draw = layered.device.fp_v1_0().cmd_draw_indexed;
    // SAFETY: the program's own call.
    unsafe { draw(buffer, indices, instances, first_index, vertex_offset, first_instance) };
}

unsafe extern "system" fn cmd_draw_indirect(
    buffer: vk::CommandBuffer,
    from: vk::Buffer,
    offset: vk::DeviceSize,
    count: u32,
    stride: u32,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.draw(buffer, 0));
    let draw = layered.device.fp_v1_0().cmd_draw_indirect;
    // SAFETY: the program's own call.
    unsafe { draw(buffer, from, offset, count, stride) };
}

unsafe extern "system" fn cmd_draw_indexed_indirect(
    buffer: vk::CommandBuffer,
    from: vk::Buffer,
    offset: vk::DeviceSize,
    count: u32,
    stride: u32,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.draw(buffer, 0));
    let draw = layered.device.fp_v1_0().cmd_draw_indexed_indirect;
    // SAFETY: the program's own call.
    unsafe { draw(buffer, from, offset, count, stride) };
}

unsafe extern "system" fn cmd_begin_render_pass(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo<'_>,
    contents: vk::SubpassContents,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.begin_pass(buffer));
    // SAFETY: the program's own call.
    unsafe { (layered.device.fp_v1_0().cmd_begin_render_pass)(buffer, info, contents) };
}

unsafe extern "system" fn cmd_begin_render_pass2(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo<'_>,
    subpass: *const vk::SubpassBeginInfo<'_>,
) {
    let Some(layered) = device_of(buffer) else { return };
    note(&layered, |recorder| recorder.begin_pass(buffer));
    let next =
        next!(layered, PFN_vkCmdBeginRenderPass2, c"vkCmdBeginRenderPass2", c"vkCmdBeginRenderPass2KHR");
    if let Some(next) = next {
        // SAFETY: the program's own call.
        unsafe { next(buffer, info, subpass) };
    }
}

unsafe extern "system" fn cmd_begin_rendering(buffer: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>) {
    let Some(layered) = device_of(buffer) else { return };
    // SAFETY: the program's structure lives through its call.
    let flags = unsafe { (*info).flags };
    // What goes on in another command buffer, or from one, has no times of its own.
    if !flags.intersects(vk::RenderingFlags::SUSPENDING | vk::RenderingFlags::RESUMING) {
        note(&layered, |recorder| recorder.begin_pass(buffer));
    }
    let next = next!(layered, PFN_vkCmdBeginRendering, c"vkCmdBeginRendering", c"vkCmdBeginRenderingKHR");
    if let Some(next) = next {
        // SAFETY: the program's own call.
        unsafe { next(buffer, info) };
    }
}

unsafe extern "system" fn cmd_end_render_pass(buffer: vk::CommandBuffer) {
    let Some(layered) = device_of(buffer) else { return };
    // SAFETY: the program's own call.
    unsafe { (layered.device.fp_v1_0().cmd_end_render_pass)(buffer) };
    note(&layered, |recorder| recorder.end_pass(buffer));
}

unsafe extern "system" fn cmd_end_render_pass2(
    buffer: vk::CommandBuffer,
    info: *const vk::SubpassEndInfo<'_>,
) {
    let Some(layered) = device_of(buffer) else { return };
    let next = next!(layered, PFN_vkCmdEndRenderPass2, c"vkCmdEndRenderPass2", c"vkCmdEndRenderPass2KHR");
    if let Some(next) = next {
        // SAFETY: the program's own call.
        unsafe { next(buffer, info) };
    }
    note(&layered, |recorder| recorder.end_pass(buffer));
}

unsafe extern "system" fn cmd_end_rendering(buffer: vk::CommandBuffer) {
    let Some(layered) = device_of(buffer) else { return };
    let next = next!(layered, PFN_vkCmdEndRendering, c"vkCmdEndRendering", c"vkCmdEndRenderingKHR");
    if let Some(next) = next {
        // SAFETY: the program's own call.
        unsafe { next(buffer) };
    }
    note(&layered, |recorder| recorder.end_pass(buffer));
}

unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let Some(layered) = device_of(queue) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call; its structures live through it.
    unsafe {
        let all = if count == 0 { &[] } else { slice::from_raw_parts(submits, count as usize) };
        for submit in all.iter().filter(|submit| submit.command_buffer_count > 0) {
            let buffers =
                slice::from_raw_parts(submit.p_command_buffers, submit.command_buffer_count as usize);
            note(&layered, |recorder| recorder.submit(buffers.iter().copied()));
        }
        (layered.device.fp_v1_0().queue_submit)(queue, count, submits, fence)
    }
}

unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let Some(layered) = device_of(queue) else { return vk::Result::ERROR_UNKNOWN };
    let Some(next) = next!(layered, PFN_vkQueueSubmit2, c"vkQueueSubmit2", c"vkQueueSubmit2KHR") else {
        return vk::Result::ERROR_UNKNOWN;
    };
    // SAFETY: the program's own call; its structures live through it.
    unsafe {
        let all = if count == 0 { &[] } else { slice::from_raw_parts(submits, count as usize) };
        for submit in all.iter().filter(|submit| submit.command_buffer_info_count > 0) {
            let infos = submit.p_command_buffer_infos;
            let infos = slice::from_raw_parts(infos, submit.command_buffer_info_count as usize);
            note(&layered, |recorder| recorder.submit(infos.iter().map(|info| info.command_buffer)));
        }
        next(queue, count, submits, fence)
    }
}

unsafe extern "system" fn wait_for_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call.
    let result = unsafe { (layered.device.fp_v1_0().wait_for_fences)(device, count, fences, all, timeout) };
    note(&layered, Recorder::collect);
    result
}

unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    let Some(layered) = device_of(queue) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call.
    let result = unsafe { (layered.device.fp_v1_0().queue_wait_idle)(queue) };
    note(&layered, Recorder::collect);
    result
}

unsafe extern "system" fn device_wait_idle(device: vk::Device) -> vk::Result {
    let Some(layered) = device_of(device) else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: the program's own call.
    let result = unsafe { (layered.device.fp_v1_0().device_wait_idle)(device) };
    note(&layered, Recorder::collect);
    result
}

/// The layer's function of a name, if it takes part in it.
pub(crate) fn find(name: &CStr) -> vk::PFN_vkVoidFunction {
    macro_rules! named {
        ($($($name:literal)|+ => $function:ident: $ty:ident,)+) => {
            match name.to_bytes() {
                $($($name)|+ => {
                    let function: vk::$ty = $function;
                    // SAFETY: the caller casts it back to its type.
                    Some(unsafe { std::mem::transmute::<vk::$ty, unsafe extern "system" fn()>(function) })
                })+
                _ => None,
            }
        };
    }
    named! {
        b"vkCreateShaderModule" => create_shader_module: PFN_vkCreateShaderModule,
        b"vkCreateComputePipelines" => create_compute_pipelines: PFN_vkCreateComputePipelines,
        b"vkCreateGraphicsPipelines" => create_graphics_pipelines: PFN_vkCreateGraphicsPipelines,
        b"vkAllocateCommandBuffers" => allocate_command_buffers: PFN_vkAllocateCommandBuffers,
        b"vkFreeCommandBuffers" => free_command_buffers: PFN_vkFreeCommandBuffers,
        b"vkDestroyCommandPool" => destroy_command_pool: PFN_vkDestroyCommandPool,
        b"vkBeginCommandBuffer" => begin_command_buffer: PFN_vkBeginCommandBuffer,
        b"vkCmdBindPipeline" => cmd_bind_pipeline: PFN_vkCmdBindPipeline,
        b"vkCmdDispatch" => cmd_dispatch: PFN_vkCmdDispatch,
        b"vkCmdDispatchIndirect" => cmd_dispatch_indirect: PFN_vkCmdDispatchIndirect,
        b"vkCmdDispatchBase" | b"vkCmdDispatchBaseKHR" => cmd_dispatch_base: PFN_vkCmdDispatchBase,
        b"vkCmdDraw" => cmd_draw: PFN_vkCmdDraw,
        b"vkCmdDrawIndexed" => cmd_draw_indexed: PFN_vkCmdDrawIndexed,
        b"vkCmdDrawIndirect" => cmd_draw_indirect: PFN_vkCmdDrawIndirect,
        b"vkCmdDrawIndexedIndirect" => cmd_draw_indexed_indirect: PFN_vkCmdDrawIndexedIndirect,
        b"vkCmdBeginRenderPass" => cmd_begin_render_pass: PFN_vkCmdBeginRenderPass,
        b"vkCmdBeginRenderPass2" | b"vkCmdBeginRenderPass2KHR" =>
            cmd_begin_render_pass2: PFN_vkCmdBeginRenderPass2,
        b"vkCmdBeginRendering" | b"vkCmdBeginRenderingKHR" => cmd_begin_rendering: PFN_vkCmdBeginRendering,
        b"vkCmdEndRenderPass" => cmd_end_render_pass: PFN_vkCmdEndRenderPass,
        b"vkCmdEndRenderPass2" | b"vkCmdEndRenderPass2KHR" => cmd_end_render_pass2: PFN_vkCmdEndRenderPass2,
        b"vkCmdEndRendering" | b"vkCmdEndRenderingKHR" => cmd_end_rendering: PFN_vkCmdEndRendering,
        b"vkQueueSubmit" => queue_submit: PFN_vkQueueSubmit,
        b"vkQueueSubmit2" | b"vkQueueSubmit2KHR" => queue_submit2: PFN_vkQueueSubmit2,
        b"vkWaitForFences" => wait_for_fences: PFN_vkWaitForFences,
        b"vkQueueWaitIdle" => queue_wait_idle: PFN_vkQueueWaitIdle,
        b"vkDeviceWaitIdle" => device_wait_idle: PFN_vkDeviceWaitIdle,
    }
}
