//! Vertex inputs against attributes, fragment outputs against colour attachments.

use super::{Attribute, Format, Numeric, Pipeline, PipelineFinding, PipelineStage, Rule};
use crate::location::Leaf;
use crate::stage::Variable;
use pyro_spirv::spirv::ExecutionModel as Model;

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-Input-07904", attribute_missing),
    ("VUID-VkGraphicsPipelineCreateInfo-Input-08733", attribute_numeric),
    ("VUID-VkGraphicsPipelineCreateInfo-pVertexInputState-08929", attribute_too_wide),
    ("VUID-VkGraphicsPipelineCreateInfo-pVertexInputState-08930", attribute_too_narrow),
    ("VUID-VkGraphicsPipelineCreateInfo-pVertexInputState-09198", attribute_components),
    ("Fragment output interface", output_fits_attachment),
];

/// What is wrong with an input's leaf and the attribute at its location.
type Misfit = fn(Numeric, &Leaf, Option<Format>) -> Option<String>;

fn each_input(pipeline: &Pipeline<'_>, rule: &'static str, misfit: Misfit, into: &mut Vec<PipelineFinding>) {
    let (Some(attributes), Some((place, stage))) = (&pipeline.attributes, pipeline.stage(Model::Vertex))
    else {
        return;
    };
    let format_at = |location: u32| {
        let found = attributes.iter().find(|attribute: &&Attribute| attribute.location == location);
        found.map(|attribute| attribute.format)
    };
    for input in &stage.interface.inputs {
        // Once for each location; a matrix has several.
        let mut reported = None;
        for leaf in &input.leaves {
            let Some(numeric) = numeric(stage, leaf) else { continue };
            let Some(message) = misfit(numeric, leaf, format_at(leaf.location)) else { continue };
            if reported.replace(leaf.location) == Some(leaf.location) {
                continue;
            }
            into.push(finding(rule, place, input, leaf, &message));
        }
    }
}

fn finding(
    rule: &'static str,
    place: usize,
    variable: &Variable,
    leaf: &Leaf,
    message: &str,
) -> PipelineFinding {
    let message = format!("{} at location {}: {message}", variable.label(), leaf.location);
    PipelineFinding {
        location: Some(leaf.location),
        ..PipelineFinding::at(rule, place, Some(variable.variable), message)
    }
}

fn numeric(stage: &PipelineStage<'_>, leaf: &Leaf) -> Option<Numeric> {
    Numeric::of(stage.module().ty(leaf.scalar))
}

fn kind_name(numeric: Numeric) -> &'static str {
    match numeric {
        Numeric::Float => "floats",
        Numeric::Signed => "signed integers",
        Numeric::Unsigned => "unsigned integers",
    }
}

fn attribute_missing(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let misfit: Misfit = |_, _, format| match format {
        None => Some("no vertex attribute has its location".to_owned()),
        Some(_) => None,
    };
    each_input(pipeline, rule, misfit, into);
}

fn attribute_numeric(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let misfit: Misfit = |numeric, _, format| {
        let found = format?.numeric;
        (found != numeric).then(|| {
            format!("the attribute holds {}, the shader reads {}", kind_name(found), kind_name(numeric))
        })
    };
    each_input(pipeline, rule, misfit, into);
}

fn attribute_too_wide(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let misfit: Misfit = |_, leaf, format| {
        (format?.is_wide && leaf.width != 64)
            .then(|| format!("the attribute has 64-bit components, the input {}-bit ones", leaf.width))
    };
    each_input(pipeline, rule, misfit, into);
}

fn attribute_too_narrow(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let misfit: Misfit = |_, leaf, format| {
        (!format?.is_wide && leaf.width == 64)
            .then(|| "the input has 64-bit components, the attribute has not".to_owned())
    };
    each_input(pipeline, rule, misfit, into);
}

fn attribute_components(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let misfit: Misfit = |_, leaf, format| {
        let format = format.filter(|format| format.is_wide && leaf.width == 64)?;
        let end = leaf.component / 2 + leaf.count;
        (end > format.components)
            .then(|| format!("the shader reads {end} components, the attribute has {}", format.components))
    };
    each_input(pipeline, rule, misfit, into);
}

/// A mismatch is not an error, but what the attachment then holds is undefined (Vulkan, "Fragment Output Interface").
fn output_fits_attachment(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let (Some(colors), Some((place, stage))) = (&pipeline.colors, pipeline.stage(Model::Fragment)) else {
        return;
    };
    for output in &stage.interface.outputs {
        for leaf in &output.leaves {
            let Some(numeric) = numeric(stage, leaf) else { continue };
            let Some(Some(format)) = colors.get(leaf.location as usize) else { continue };
            if format.numeric != numeric {
                let message = format!(
                    "the attachment holds {}, the shader writes {}: the result is undefined",
                    kind_name(format.numeric),
                    kind_name(numeric)
                );
                into.push(finding(rule, place, output, leaf, &message));
                break;
            }
        }
    }
    // Attachments whose components nothing writes get undefined values.
    for (location, format) in colors.iter().enumerate() {
        let Some(format) = format else { continue };
        let words = stage.interface.outputs.iter().flat_map(|output| &output.leaves);
        let written = words
            .filter(|leaf| leaf.location as usize == location)
            .fold(0u32, |mask, leaf| leaf.words().fold(mask, |mask, word| mask | 1 << word.min(31)));
        let wanted = (1u32 << format.components.min(4)) - 1;
        if written != 0 && wanted & !written != 0 {
            let names: String = "rgba"
                .chars()
                .enumerate()
                .filter(|(word, _)| wanted & !written & 1 << word != 0)
                .map(|(_, name)| name)
                .collect();
            let message = format!(
                "the attachment at location {location} has components '{names}' that are not written"
            );
            into.push(PipelineFinding {
                location: Some(location as u32),
                ..PipelineFinding::at(rule, place, None, message)
            });
        }
    }
}
