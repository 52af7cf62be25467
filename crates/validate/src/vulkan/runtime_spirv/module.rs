//! Rules on what modules declare (`VkShaderModuleCreateInfo`).

use crate::context::{Context, Verdict, ensure};
use crate::device::{capability_requirements, extension_requirements};
use crate::vulkan::declaration::{ModuleRule, Rule};
use pyro_spirv::Instruction;
use pyro_spirv::grammar::{self, OperandKind};
use pyro_spirv::spirv::{Capability, Op};

/// Rules on one `OpCapability` or `OpExtension`.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkShaderModuleCreateInfo-pCode-08739", capability_known),
    ("VUID-VkShaderModuleCreateInfo-pCode-08740", capability_allowed),
    ("VUID-RuntimeSpirv-shaderSampleRateInterpolationFunctions-06325", portable_interpolation),
    ("VUID-VkShaderModuleCreateInfo-pCode-08741", extension_known),
    ("VUID-VkShaderModuleCreateInfo-pCode-08742", extension_allowed),
];

/// Rules on the module as a whole.
pub(crate) const MODULE_RULES: &[(&str, ModuleRule)] = &[
    ("VUID-VkShaderModuleCreateInfo-pCode-08737", version),
    ("VUID-VkShaderModuleCreateInfo-pCode-08738", shader),
];

fn capability(inst: Instruction<'_>) -> Option<Capability> {
    (inst.op() == Op::Capability).then(|| Capability::from_u32(inst.word(0)))?
}

fn capability_known(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(capability) = capability(inst) else { return Ok(()) };
    ensure!(capability_requirements(capability).is_some(), "{capability:?} does not exist in Vulkan");
    Ok(())
}

fn capability_allowed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(device) = cx.environment.device.as_ref().filter(|_| inst.op() == Op::Capability) else {
        return Ok(());
    };
    match device.refusal_of_capability_value(inst.word(0)) {
        Some(requirements) => {
            let name = grammar::enumerant_name(OperandKind::Capability, inst.word(0)).unwrap_or_default();
            Err(format!("{name} needs one of {}", requirements.join(", ")))
        }
        None => Ok(()),
    }
}

fn portable_interpolation(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_asked = capability(inst) == Some(Capability::InterpolationFunction);
    // Only devices of the portability subset lack them.
    let device = cx.environment.device.as_ref().filter(|device| device.names_extensions());
    let is_portable = device.is_some_and(|device| device.has_extension("VK_KHR_portability_subset"));
    ensure!(
        !is_asked || !is_portable || !cx.lacks("shaderSampleRateInterpolationFunctions"),
        "InterpolationFunction needs the feature shaderSampleRateInterpolationFunctions"
    );
    Ok(())
}

fn extension_known(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::Extension {
        return Ok(());
    }
    let name = inst.string(0);
    ensure!(extension_requirements(&name).is_some(), "the extension {name} does not exist in Vulkan");
    Ok(())
}

fn extension_allowed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(device) = cx.environment.device.as_ref().filter(|_| inst.op() == Op::Extension) else {
        return Ok(());
    };
    let name = inst.string(0);
    match device.refusal_of_extension(&name) {
        Some(requirements) => Err(format!("{name} needs one of {}", requirements.join(", "))),
        None => Ok(()),
    }
}

fn version(cx: &Context<'_, '_>) -> Verdict {
    let Some(device) = &cx.environment.device else { return Ok(()) };
    let (found, newest) = (cx.module.header().version(), device.spirv_version());
    let (major, minor) = device.api_version;
    ensure!(
        found <= newest,
        "SPIR-V {}.{} is newer than Vulkan {major}.{minor} takes, which is {}.{}",
        found.0,
        found.1,
        newest.0,
        newest.1
    );
    Ok(())
}

fn shader(cx: &Context<'_, '_>) -> Verdict {
    let declared = crate::capabilities::declared(cx);
    ensure!(declared.contains(&Capability::Shader), "the module does not declare Shader");
    Ok(())
}
