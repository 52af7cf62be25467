//! `VkGraphicsPipelineCreateInfo`: the fragment shading rate.

use super::{CombinerOp, Cx, Report, Rule, ShadingRate, ShadingRateEnum};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04494", |cx, into| {
        size(cx, into, |rate| (rate.size.0 == 0).then(|| "fragmentSize.width is zero".into()));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04495", |cx, into| {
        size(cx, into, |rate| (rate.size.1 == 0).then(|| "fragmentSize.height is zero".into()));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04496", |cx, into| {
        size(cx, into, |rate| power_of_two(rate.size.0, "width"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04497", |cx, into| {
        size(cx, into, |rate| power_of_two(rate.size.1, "height"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04498", |cx, into| {
        size(cx, into, |rate| at_most_four(rate.size.0, "width"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04499", |cx, into| {
        size(cx, into, |rate| at_most_four(rate.size.1, "height"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04500", |cx, into| {
        let is_off = cx.lacks("pipelineFragmentShadingRate");
        size(cx, into, |rate| {
            (is_off && rate.size != (1, 1)).then(|| {
                "fragmentSize is not 1 by 1, and the feature pipelineFragmentShadingRate is off".into()
            })
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04501", |cx, into| {
        combiner(cx, into, rate_combiners(cx), 0, "primitiveFragmentShadingRate");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04502", |cx, into| {
        combiner(cx, into, rate_combiners(cx), 1, "attachmentFragmentShadingRate");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-fragmentShadingRateNonTrivialCombinerOps-04506", |cx, into| {
        trivial(cx, into, rate_combiners(cx));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04569", |cx, into| {
        let has = fixed_enum(cx).is_some_and(|rate| rate.is_enum) && cx.lacks("fragmentShadingRateEnums");
        into.when(has, "shadingRateType needs the feature fragmentShadingRateEnums");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04570", |cx, into| {
        let is_other = fixed_enum(cx).is_some_and(|rate| rate.is_enum && !rate.is_one_per_pixel);
        into.when(
            is_other && cx.lacks("pipelineFragmentShadingRate"),
            "shadingRate is not one invocation for each pixel, and pipelineFragmentShadingRate is off",
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04571", |cx, into| {
        combiner(cx, into, enum_combiners(cx), 0, "primitiveFragmentShadingRate");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04572", |cx, into| {
        combiner(cx, into, enum_combiners(cx), 1, "attachmentFragmentShadingRate");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-fragmentShadingRateNonTrivialCombinerOps-04573", |cx, into| {
        trivial(cx, into, enum_combiners(cx));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-None-04574", |cx, into| {
        let Some(rate) = rate_enum(cx) else { return };
        into.when(
            rate.is_enum && rate.invocations > 1 && cx.lacks("supersampleFragmentShadingRates"),
            "shadingRate is several invocations for each pixel, and supersampleFragmentShadingRates is off",
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-None-04575", |cx, into| {
        let Some(rate) = rate_enum(cx) else { return };
        into.when(
            rate.is_enum && rate.invocations == 0 && cx.lacks("noInvocationFragmentShadingRates"),
            "shadingRate is not an invocation, and the feature noInvocationFragmentShadingRates is off",
        );
    }),
];

/// Whether the rate is the pipeline's own.
fn is_fixed(cx: &Cx<'_>) -> bool {
    cx.graphics().is_some_and(|state| {
        let has_shaders = state.parts.pre_rasterization || state.parts.fragment_shader;
        has_shaders && !state.dynamic.has("FRAGMENT_SHADING_RATE")
    })
}

fn size(cx: &Cx<'_>, into: &mut Report<'_>, misfit: impl Fn(&ShadingRate) -> Option<String>) {
    let rate = cx.graphics().and_then(|state| state.shading_rate.as_ref()).filter(|_| is_fixed(cx));
    if let Some(message) = rate.and_then(misfit) {
        into.whole(message);
    }
}

fn power_of_two(side: u32, name: &str) -> Option<String> {
    (side != 0 && !side.is_power_of_two())
        .then(|| format!("fragmentSize.{name} {side} is not a power of two"))
}

fn at_most_four(side: u32, name: &str) -> Option<String> {
    (side > 4).then(|| format!("fragmentSize.{name} {side} is more than 4"))
}

fn rate_enum<'c>(cx: &Cx<'c>) -> Option<&'c ShadingRateEnum> {
    let state = cx.graphics()?;
    state.shading_rate_enum.as_ref().filter(|_| state.parts.fragment_shader)
}

fn fixed_enum<'c>(cx: &Cx<'c>) -> Option<&'c ShadingRateEnum> {
    rate_enum(cx).filter(|_| is_fixed(cx))
}

type Combiners = Option<[CombinerOp; 2]>;

fn rate_combiners(cx: &Cx<'_>) -> Combiners {
    Some(cx.graphics()?.shading_rate.as_ref().filter(|_| is_fixed(cx))?.combiners)
}

fn enum_combiners(cx: &Cx<'_>) -> Combiners {
    Some(fixed_enum(cx)?.combiners)
}

fn combiner(cx: &Cx<'_>, into: &mut Report<'_>, combiners: Combiners, index: usize, feature: &str) {
    let other = combiners.map(|found| found[index]).filter(|found| *found != CombinerOp::Keep);
    if let Some(found) = other.filter(|_| cx.lacks(feature)) {
        into.whole(format!("combinerOps[{index}] is {found:?}, and the feature {feature} is off"));
    }
}

fn trivial(cx: &Cx<'_>, into: &mut Report<'_>, combiners: Combiners) {
    if !cx.is_off("fragmentShadingRateNonTrivialCombinerOps") {
        return;
    }
    let mut combiners = combiners.into_iter().flatten();
    if let Some(found) = combiners.find(|op| !matches!(op, CombinerOp::Keep | CombinerOp::Replace)) {
        into.whole(format!(
            "a combiner is {found:?}, and the limit fragmentShadingRateNonTrivialCombinerOps is off"
        ));
    }
}
