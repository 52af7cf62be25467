//! Strict mode: what modules, stages and whole pipelines break of Vulkan's rules, as text that is ready to be
//! shown.
//!
//! The caller describes its device ([`Environment`], [`Device`]), pipelines ([`Pipeline`]) and creations
//! ([`CreateInfo`], [`StageInfo`]) in the checker's terms, which are given here again, so that it need not
//! know the crates that read SPIR-V. Modules are decoded once ([`ShaderModule`]).

use crate::{ShaderModule, SpecConstant, specialization_of};
use pyro_interface::Interface;
pub use pyro_interface::ResourceKind;
use pyro_interface::pipeline::PipelineStage;
pub use pyro_interface::pipeline::{
    Attribute, Binding, DescriptorKind, Format, Pipeline, PipelineLayout, PushConstantRange,
};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{ConstantValues, Specialization};
use pyro_validate::create_info::name_for_objects;
pub use pyro_validate::create_info::{
    Api, AttachmentLocations, CreateInfo, DepthStencil, GraphicsState, GroupType, Multisample, Names,
    ShaderGroup, State, Topology,
};
pub use pyro_validate::device::{ComponentType, CooperativeMatrixProperties, CooperativeVectorProperties};
pub use pyro_validate::stage::{MapEntry, StageInfo};
pub use pyro_validate::{Device, Environment, LayoutFeatures};
use pyro_validate::{Severity, create_info, place_of, severity, stage};

/// What a module breaks; nothing when it keeps every rule.
pub fn module_findings(module: &ShaderModule, environment: &Environment) -> Vec<String> {
    match module.module() {
        Err(error) => vec![format!("VUID-VkShaderModuleCreateInfo-pCode-08736: {error}")],
        // Warnings are about what their authors can do nothing about.
        Ok(module) => match pyro_validate::check(module, environment) {
            Ok(_) => Vec::new(),
            Err(found) => found.iter().map(|diagnostic| diagnostic.render()).collect(),
        },
    }
}

/// The rules that a stage of a pipeline breaks; nothing for a module that cannot be read, which was reported
/// when it was made.
pub fn stage_findings(
    module: &ShaderModule,
    constants: &[SpecConstant],
    info: &StageInfo<'_>,
    environment: &Environment,
) -> Vec<String> {
    let specialization = specialization_of(constants);
    let Ok(module) = module.module() else { return Vec::new() };
    let (Ok(values), Some(device)) = (ConstantValues::evaluate(module, &specialization), &environment.device)
    else {
        return Vec::new();
    };
    let found = stage::check(&values, info, device);
    found.iter().map(|finding| format!("{}: {}", finding.rule, finding.message)).collect()
}

/// A finding about a module or a stage, by the rules' names for shader objects.
pub fn named_for_objects(finding: &str) -> String {
    let names = finding.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let renamed = names.map(|word| {
        let name = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let rest = &word[name.len()..];
        [name_for_objects(name), rest].concat()
    });
    renamed.collect()
}

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineShader<'a> {
    /// Its module.
    pub module: &'a ShaderModule,
    /// The entry point's name.
    pub entry_point: &'a str,
    /// Which stage.
    pub model: ExecutionModel,
    /// Specialization constants.
    pub specialization: &'a [SpecConstant],
}

/// What the stages of a pipeline break: those with specialization constants by themselves, and all of them
/// against each other, the layout, attributes and attachments. `whole` is the pipeline without its stages,
/// `said` what its creation says beside.
pub fn pipeline_findings(
    shaders: &[PipelineShader<'_>],
    whole: Pipeline<'_>,
    said: &CreateInfo<'_>,
    environment: &Environment,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut sound = Vec::new();
    for shader in shaders {
        let specialization = specialization_of(shader.specialization);
        if let Ok(module) = shader.module.module()
            && is_sound(shader, &specialization, environment, &mut found)
            && let Ok(constants) = ConstantValues::evaluate(module, &specialization)
            && let Some(entry) = module.entry_point(shader.entry_point, shader.model)
            && let Ok(interface) = Interface::of(&constants, &entry)
        {
            sound.push((constants, interface));
        }
    }
    // Stages that could not be read would seem to be missing.
    if sound.len() != shaders.len() {
        return found;
    }
    let stages = sound.iter().map(|(constants, interface)| PipelineStage { constants, interface }).collect();
    let whole = Pipeline { stages, ..whole };
    let of_creation = environment.device.as_ref().map(|device| create_info::check(&whole, said, device));
    let of_interfaces = pyro_interface::pipeline::check(&whole);
    for finding in of_interfaces.into_iter().chain(of_creation.into_iter().flatten()) {
        if severity(finding.rule) == Severity::Warning {
            continue;
        }
        let mut text = format!("{}: {}", finding.rule, finding.message);
        if let Some(stage) = finding.stage {
            let (constants, interface) = &sound[stage];
            text += &format!(" ({:?} shader", interface.model);
            if let Some(other) = finding.other {
                text += &format!(", against the {:?} shader", sound[other].1.model);
            }
            text.push(')');
            let place = finding.variable.and_then(|variable| place_of(constants.module(), variable));
            if let Some(place) = place {
                text += &format!("\n  at word {}: {}", place.word_offset, place.text);
            }
        }
        found.push(text);
    }
    found
}

/// Whether an interface can be computed; what specialization breaks goes to `found`.
fn is_sound(
    shader: &PipelineShader<'_>,
    specialization: &Specialization,
    environment: &Environment,
    found: &mut Vec<String>,
) -> bool {
    let Ok(module) = shader.module.module() else { return false };
    let specialized = Environment { specialization: specialization.clone(), ..environment.clone() };
    let broken = pyro_validate::check(module, &specialized).err().unwrap_or_default();
    let is_sound = broken.iter().all(|broken| broken.rule.starts_with("VUID"));
    if !broken.is_empty() && !shader.specialization.is_empty() {
        let before = pyro_validate::check(module, environment).err().unwrap_or_default();
        let new = broken.iter().filter(|broken| !before.contains(broken));
        found.extend(new.map(|broken| broken.render().trim_end().to_owned()));
    }
    is_sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names_for_objects() {
        let finding =
            "VUID-VkPipelineShaderStageCreateInfo-pName-00707: no entry point \"x\"\n (VUID-Of-other-1)";
        let renamed = "VUID-VkShaderCreateInfoEXT-pName-08440: no entry point \"x\"\n (VUID-Of-other-1)";
        assert_eq!(named_for_objects(finding), renamed);
    }
}
