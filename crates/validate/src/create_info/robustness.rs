//! `VkPipelineRobustnessCreateInfo`: which behaviour the device's features allow.

use super::{Behavior, Cx, Report, Robustness, Rule};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkPipelineRobustnessCreateInfo-pipelineRobustness-06926", |cx, into| {
        of_device(cx, into, "storageBuffers", |found| found.storage_buffers);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-pipelineRobustness-06927", |cx, into| {
        of_device(cx, into, "uniformBuffers", |found| found.uniform_buffers);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-pipelineRobustness-06928", |cx, into| {
        of_device(cx, into, "vertexInputs", |found| found.vertex_inputs);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-pipelineRobustness-06929", |cx, into| {
        of_device(cx, into, "images", |found| found.images);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-robustImageAccess-06930", |cx, into| {
        supported(cx, into, Behavior::Robust, "robustImageAccess", "images", |found| found.images);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-robustBufferAccess2-06931", |cx, into| {
        let of = |found: &Robustness| found.storage_buffers;
        supported(cx, into, Behavior::Robust2, "robustBufferAccess2", "storageBuffers", of);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-robustBufferAccess2-06932", |cx, into| {
        let of = |found: &Robustness| found.uniform_buffers;
        supported(cx, into, Behavior::Robust2, "robustBufferAccess2", "uniformBuffers", of);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-robustBufferAccess2-06933", |cx, into| {
        let of = |found: &Robustness| found.vertex_inputs;
        supported(cx, into, Behavior::Robust2, "robustBufferAccess2", "vertexInputs", of);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-robustImageAccess2-06934", |cx, into| {
        supported(cx, into, Behavior::Robust2, "robustImageAccess2", "images", |found| found.images);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-storageBuffers-10636", |cx, into| {
        let features = [
            "descriptorBindingStorageBufferUpdateAfterBind",
            "descriptorBindingStorageTexelBufferUpdateAfterBind",
        ];
        after_bind(cx, into, &features, "storageBuffers", |found| found.storage_buffers);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-uniformBuffers-10637", |cx, into| {
        let features = [
            "descriptorBindingInlineUniformBlockUpdateAfterBind",
            "descriptorBindingUniformBufferUpdateAfterBind",
            "descriptorBindingUniformTexelBufferUpdateAfterBind",
        ];
        after_bind(cx, into, &features, "uniformBuffers", |found| found.uniform_buffers);
    }),
    ("VUID-VkPipelineRobustnessCreateInfo-images-10638", |cx, into| {
        let features =
            ["descriptorBindingStorageImageUpdateAfterBind", "descriptorBindingSampledImageUpdateAfterBind"];
        after_bind(cx, into, &features, "images", |found| found.images);
    }),
];

/// Reports where a behaviour is broken, at the stage that says it.
fn each(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    is_broken: impl Fn(Behavior) -> bool,
    of: fn(&Robustness) -> Behavior,
    message: &str,
) {
    for found in cx.info.robustness.iter().filter(|found| is_broken(of(found))) {
        let message = message.replace("{}", &format!("{:?}", of(found)));
        match found.stage {
            Some(stage) => into.at(stage, message),
            None => into.whole(message),
        }
    }
}

fn of_device(cx: &Cx<'_>, into: &mut Report<'_>, what: &str, of: fn(&Robustness) -> Behavior) {
    if cx.lacks("pipelineRobustness") {
        let message = format!("{what} is {{}}, but the feature pipelineRobustness is off");
        each(cx, into, |found| found != Behavior::DeviceDefault, of, &message);
    }
}

fn supported(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    behavior: Behavior,
    feature: &str,
    what: &str,
    of: fn(&Robustness) -> Behavior,
) {
    if cx.lacks(feature) {
        let message = format!("{what} is {{}}, which the device has no {feature} for");
        each(cx, into, |found| found == behavior, of, &message);
    }
}

fn after_bind(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    features: &[&str],
    what: &str,
    of: fn(&Robustness) -> Behavior,
) {
    let updates = features.iter().any(|feature| cx.device.has_feature(feature));
    if updates && cx.is_off("robustBufferAccessUpdateAfterBind") {
        let message = format!(
            "{what} is {{}} where descriptors may be updated after they are bound, and \
             robustBufferAccessUpdateAfterBind is off"
        );
        each(cx, into, |found| matches!(found, Behavior::Robust | Behavior::Robust2), of, &message);
    }
}
