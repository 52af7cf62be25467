//! What there is of cooperative matrices and vectors, and conversions of the matrices that vectors are
//! multiplied with.

use crate::call::guard;
use crate::call::recording::record;
use crate::entry::instance::physical_device_object;
use crate::pointers::{DeviceOrHostAddress, Enumeration, In, Slice};
use crate::registry::CommandId;
use pyro_driver::caps::cooperative;
use pyro_driver::command::TransferCommand;
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::registry_supplement::{
    COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_EXT, CooperativeMatrixProperties2EXT,
    PhysicalDeviceCooperativeMatrixInfo2EXT,
};
use pyro_driver::transfer::MatrixConversion;
use pyro_driver::{Error, Result};
use std::cell::Cell;
use vulkanalia_sys as vk;

pub(crate) fn get_physical_device_cooperative_matrix_properties_khr(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::CooperativeMatrixPropertiesKHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_cooperative_matrix_properties_khr, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&cooperative::products(), |out, product| {
            [out.m_size, out.n_size, out.k_size] = product.size;
            [out.a_type, out.b_type, out.c_type, out.result_type] = product.types;
            out.saturating_accumulation = product.saturating.into();
            out.scope = vk::ScopeKHR::SUBGROUP;
        }))
    })
}

pub(crate) fn get_physical_device_cooperative_matrix_properties_nv(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::CooperativeMatrixPropertiesNV>,
) -> vk::Result {
    guard(CommandId::get_physical_device_cooperative_matrix_properties_nv, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&cooperative::products_nv(), |out, product| {
            [out.m_size, out.n_size, out.k_size] = product.size;
            [out.a_type, out.b_type, out.c_type, out.d_type] = product.types;
            out.scope = vk::ScopeKHR::SUBGROUP;
        }))
    })
}

pub(crate) fn get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::CooperativeMatrixFlexibleDimensionsPropertiesNV>,
) -> vk::Result {
    guard(CommandId::get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&cooperative::flexible_products(), |out, (product, invocations)| {
            [out.m_granularity, out.n_granularity, out.k_granularity] = product.size;
            [out.a_type, out.b_type, out.c_type, out.result_type] = product.types;
            out.saturating_accumulation = product.saturating.into();
            out.scope = if invocations.is_some() { vk::ScopeKHR::WORKGROUP } else { vk::ScopeKHR::SUBGROUP };
            out.workgroup_invocations = invocations.unwrap_or(0);
        }))
    })
}

/// Sizes of any subgroup are the same: `subgroupSize` selects nothing.
pub(crate) fn get_physical_device_cooperative_matrix_properties2_ext(
    physical_device: vk::PhysicalDevice,
    info: In<'_, PhysicalDeviceCooperativeMatrixInfo2EXT>,
    mut out: Enumeration<'_, CooperativeMatrixProperties2EXT>,
) -> vk::Result {
    guard(CommandId::get_physical_device_cooperative_matrix_properties2_ext, || {
        physical_device_object(physical_device)?;
        let workgroup = (info.scope == vk::ScopeKHR::WORKGROUP).then_some(info.invocations);
        let is_known = workgroup.is_some() || info.scope == vk::ScopeKHR::SUBGROUP;
        let saturating = info.flags & COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_EXT != 0;
        let products = if is_known { cooperative::products_of(workgroup, saturating) } else { Vec::new() };
        Ok(out.fill(&products, |out, product| {
            [out.m_granularity, out.n_granularity, out.k_granularity] = product.size;
            [out.a_type, out.b_type, out.c_type, out.result_type] = product.types;
        }))
    })
}

pub(crate) fn get_physical_device_cooperative_vector_properties_nv(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::CooperativeVectorPropertiesNV>,
) -> vk::Result {
    guard(CommandId::get_physical_device_cooperative_vector_properties_nv, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&cooperative::vector_products(), |out, product| {
            out.input_type = product.input;
            out.input_interpretation = product.interpretation;
            out.matrix_interpretation = product.matrix;
            out.bias_interpretation = product.bias;
            out.result_type = product.result;
            out.transpose = product.transpose.into();
        }))
    })
}

type Info<'call> = In<'call, vk::ConvertCooperativeVectorMatrixInfoNV>;

/// Where the size of the destination stands.
fn target_size(info: Info<'_>) -> Result<&Cell<usize>> {
    info.dst_size().ok_or_else(|| {
        Error::misuse("pDstSize is null (VUID-VkConvertCooperativeVectorMatrixInfoNV-pDstSize-parameter)")
    })
}

fn conversion(source: u64, target: u64, info: Info<'_>) -> Result<MatrixConversion> {
    let conversion = MatrixConversion::new(&info, source, target)?;
    if !conversion.has_source() {
        return Err(Error::misuse(
            "srcSize is smaller than the source matrix (VUID-vkConvertCooperativeVectorMatrixNV-pInfo-10074)",
        ));
    }
    Ok(conversion)
}

pub(crate) fn convert_cooperative_vector_matrix_nv(
    device: vk::Device,
    info: In<'_, vk::ConvertCooperativeVectorMatrixInfoNV>,
) -> vk::Result {
    guard(CommandId::convert_cooperative_vector_matrix_nv, || {
        crate::entry::device::check(device)?;
        let size = MatrixConversion::target_size(&info)? as usize;
        let out_size = target_size(info)?;
        if info.dst_data.host() == 0 {
            out_size.set(size);
            return Ok(vk::Result::SUCCESS);
        }
        if out_size.get() < size {
            return Ok(vk::Result::INCOMPLETE);
        }
        // SAFETY: both are host memory of these sizes
        // (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcData-parameter,
        // VUID-VkConvertCooperativeVectorMatrixInfoNV-dstData-parameter).
        let memory = unsafe { DeviceAddresses::trusted() };
        conversion(info.src_data.host(), info.dst_data.host(), info)?.run(memory);
        out_size.set(size);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn cmd_convert_cooperative_vector_matrix_nv(
    commands: vk::CommandBuffer,
    infos: Slice<'_, vk::ConvertCooperativeVectorMatrixInfoNV>,
) {
    record(CommandId::cmd_convert_cooperative_vector_matrix_nv, commands, |commands| {
        let mut conversions = Vec::new();
        for info in infos {
            let (source, target) = (info.src_data.device(), info.dst_data.device());
            let conversion = conversion(source, target, info)?;
            if [source, target].contains(&0) {
                return Err(Error::misuse(
                    "a device address is null (VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10083, VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10895)",
                ));
            }
            if (target_size(info)?.get() as u64) < MatrixConversion::target_size(&info)? {
                return Err(Error::misuse(
                    "the destination is smaller than its matrix (VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10087)",
                ));
            }
            conversions.push(conversion);
        }
        commands.push(TransferCommand::ConvertMatrices(conversions.into()))
    });
}
