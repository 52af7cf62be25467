//! `VkRenderingAttachmentLocationInfo` and `VkRenderingInputAttachmentIndexInfo`: to which location of the fragment
//! shader each attachment goes.

use super::{AttachmentLocations, Cx, InputAttachmentIndices, Report, Rule, State};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkRenderingAttachmentLocationInfo-dynamicRenderingLocalRead-09512", |cx, into| {
        let Some(colors) = locations(cx) else { return };
        let moved = colors.iter().enumerate().find(|(index, found)| **found != Some(*index as u32));
        if let Some((index, found)) = moved.filter(|_| cx.lacks("dynamicRenderingLocalRead")) {
            let found = found.map_or_else(|| "no location".to_owned(), |found| format!("location {found}"));
            into.whole(format!(
                "colour attachment {index} has {found}, which needs the feature dynamicRenderingLocalRead"
            ));
        }
    }),
    ("VUID-VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09513", |cx, into| {
        if let Some(twice) = locations(cx).and_then(repeated) {
            into.whole(format!("two colour attachments have location {twice}"));
        }
    }),
    ("VUID-VkRenderingAttachmentLocationInfo-colorAttachmentCount-09514", |cx, into| {
        if let Some(AttachmentLocations { count, .. }) = &cx.info.locations {
            at_most(cx, into, *count);
        }
    }),
    ("VUID-VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09515", |cx, into| {
        let (Some(colors), Some(most)) = (locations(cx), cx.limit("maxColorAttachments")) else { return };
        if let Some(found) = colors.iter().flatten().find(|found| u64::from(**found) >= most) {
            into.whole(format!("the location {found} is not below maxColorAttachments, which is {most}"));
        }
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-dynamicRenderingLocalRead-09519", |cx, into| {
        let Some(colors) = indices(cx).and_then(|info| info.colors.as_ref()) else { return };
        let has = cx.lacks("dynamicRenderingLocalRead") && colors.iter().any(Option::is_some);
        into.when(
            has,
            "a colour attachment has an input index without the feature dynamicRenderingLocalRead",
        );
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-dynamicRenderingLocalRead-09520", |cx, into| {
        unused(cx, into, "depth", |info| info.depth);
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-dynamicRenderingLocalRead-09521", |cx, into| {
        unused(cx, into, "stencil", |info| info.stencil);
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09522", |cx, into| {
        let colors = indices(cx).and_then(|info| info.colors.as_deref());
        if let Some(twice) = colors.and_then(repeated) {
            into.whole(format!("two colour attachments have the input index {twice}"));
        }
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09523", |cx, into| {
        shared(cx, into, "depth", |info| info.depth);
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09524", |cx, into| {
        shared(cx, into, "stencil", |info| info.stencil);
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-colorAttachmentCount-09525", |cx, into| {
        if let Some(info) = indices(cx) {
            at_most(cx, into, info.count);
        }
    }),
    ("VUID-VkRenderingInputAttachmentIndexInfo-pDepthInputAttachmentIndex-12274", |cx, into| {
        let (Some(info), Some(most)) = (indices(cx), cx.limit("maxPerStageDescriptorInputAttachments"))
        else {
            return;
        };
        let colors = info.colors.iter().flatten().copied();
        let others = [info.depth, info.stencil].into_iter().filter_map(|found| found.given().copied());
        if let Some(found) = colors.chain(others).flatten().find(|found| u64::from(*found) >= most) {
            into.whole(format!(
                "the input index {found} is not below maxPerStageDescriptorInputAttachments, which is {most}"
            ));
        }
    }),
];

fn locations<'c>(cx: &Cx<'c>) -> Option<&'c [Option<u32>]> {
    cx.info.locations.as_ref()?.colors.as_deref()
}

fn indices<'c>(cx: &Cx<'c>) -> Option<&'c InputAttachmentIndices> {
    cx.info.input_indices.as_ref()
}

/// A value that occurs twice.
fn repeated(values: &[Option<u32>]) -> Option<u32> {
    let mut sorted: Vec<u32> = values.iter().copied().flatten().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn at_most(cx: &Cx<'_>, into: &mut Report<'_>, count: u32) {
    let most = cx.limit("maxColorAttachments");
    if let Some(most) = most.filter(|most| u64::from(count) > *most) {
        into.whole(format!("{count} colour attachments are more than maxColorAttachments, which is {most}"));
    }
}

type Which = fn(&InputAttachmentIndices) -> State<Option<u32>>;

fn unused(cx: &Cx<'_>, into: &mut Report<'_>, what: &str, which: Which) {
    let Some(info) = indices(cx).filter(|_| cx.lacks("dynamicRenderingLocalRead")) else { return };
    // A null pointer stands for an input attachment without an index.
    let is_fine = matches!(which(info), State::Unknown | State::Given(None));
    into.when(
        !is_fine,
        format!("the {what} attachment is not an unused input without the feature dynamicRenderingLocalRead"),
    );
}

fn shared(cx: &Cx<'_>, into: &mut Report<'_>, what: &str, which: Which) {
    let Some(info) = indices(cx) else { return };
    let State::Given(Some(index)) = which(info) else { return };
    if info.colors.iter().flatten().any(|color| *color == Some(index)) {
        into.whole(format!("a colour attachment and the {what} attachment have the input index {index}"));
    }
}
