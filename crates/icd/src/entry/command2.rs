//! The extensible forms of the commands that bind and push descriptors and constants (`VK_KHR_maintenance6`).
//! Stage flags say for which bind points; for those of several bind points at once, all is done for each.

use crate::call::recording::record;
use crate::entry::command::{
    cmd_bind_descriptor_sets, cmd_push_constants, cmd_push_descriptor_set,
    cmd_push_descriptor_set_with_template,
};
use crate::pointers::{self, In};
use crate::registry::CommandId;
use vulkanalia_sys as vk;

/// The bind points of some stages.
pub(crate) fn points(stages: vk::ShaderStageFlags) -> impl Iterator<Item = vk::PipelineBindPoint> {
    let graphics = vk::ShaderStageFlags::ALL_GRAPHICS
        | vk::ShaderStageFlags::TASK_EXT
        | vk::ShaderStageFlags::MESH_EXT
        | vk::ShaderStageFlags::CLUSTER_CULLING_HUAWEI;
    [
        (vk::ShaderStageFlags::COMPUTE, vk::PipelineBindPoint::COMPUTE),
        (graphics, vk::PipelineBindPoint::GRAPHICS),
        (vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI, vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI),
        (pyro_driver::raytrace::all_stages(), vk::PipelineBindPoint::RAY_TRACING_KHR),
    ]
    .into_iter()
    .filter_map(move |(of, point)| stages.intersects(of).then_some(point))
}

pub(crate) fn cmd_bind_descriptor_sets2(buffer: vk::CommandBuffer, info: In<'_, vk::BindDescriptorSetsInfo>) {
    let (sets, offsets) = (info.descriptor_sets(), info.dynamic_offsets());
    for point in points(info.stage_flags) {
        cmd_bind_descriptor_sets(buffer, point, info.layout, info.first_set, sets, offsets);
    }
}

pub(crate) fn cmd_push_constants2(buffer: vk::CommandBuffer, info: In<'_, vk::PushConstantsInfo>) {
    match info.find::<vk::PushConstantBankInfoNV>().map(|bank| bank.bank) {
        None | Some(0) => {
            cmd_push_constants(buffer, info.layout, info.stage_flags, info.offset, info.values());
        }
        Some(bank) => record(CommandId::cmd_push_constants2, buffer, |buffer| {
            buffer.push_bank_constants(bank, info.offset, info.values())
        }),
    }
}

pub(crate) fn cmd_push_descriptor_set2(buffer: vk::CommandBuffer, info: In<'_, vk::PushDescriptorSetInfo>) {
    for point in points(info.stage_flags) {
        cmd_push_descriptor_set(buffer, point, info.layout, info.set, info.descriptor_writes());
    }
}

pub(crate) fn cmd_push_descriptor_set_with_template2(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::PushDescriptorSetWithTemplateInfo>,
) {
    // SAFETY: the data has what the template says (VUID-VkPushDescriptorSetWithTemplateInfo-pData-01686).
    let data = unsafe { pointers::template_data(info.data) };
    let template = info.descriptor_update_template;
    cmd_push_descriptor_set_with_template(buffer, template, info.layout, info.set, data);
}
