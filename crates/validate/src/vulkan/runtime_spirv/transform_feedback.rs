//! Rules on streams of transform feedback that depend on the device.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use crate::vulkan::standalone_spirv::transform_feedback::each;
use pyro_spirv::spirv::{ExecutionMode, ExecutionModel, Op};
use std::collections::{BTreeMap, HashSet};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-XfbBuffer-06309", stream_data),
    ("VUID-RuntimeSpirv-transformFeedbackStreamsLinesTriangles-06311", streams_of_points),
];

/// Bytes of each buffer up to the end of what is captured, summed over the buffers of a stream.
fn stream_data(stage: &Stage<'_, '_, '_>) -> Verdict {
    let mut ends: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for found in each(stage) {
        let Some(buffer) = found.buffer else { continue };
        let end = ends.entry((found.stream, buffer)).or_default();
        *end = (*end).max(u64::from(found.offset).saturating_add(found.size));
    }
    let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
    for ((stream, _), end) in ends {
        let sum = sums.entry(stream).or_default();
        *sum = sum.saturating_add(end);
    }
    for (stream, sum) in sums {
        let what = format!("the count of bytes captured for stream {stream}");
        stage.cx.at_most(&what, sum, "maxTransformFeedbackStreamDataSize")?;
    }
    Ok(())
}

fn streams_of_points(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_off = stage.cx.property("transformFeedbackStreamsLinesTriangles") == Some(0);
    if stage.model() != ExecutionModel::Geometry || !is_off || stage.has_mode(ExecutionMode::OutputPoints) {
        return Ok(());
    }
    let mut streams = HashSet::new();
    stage.each_instruction(|inst| match inst.op() {
        Op::EmitVertex => {
            streams.insert(Some(0));
        }
        Op::EmitStreamVertex => {
            streams.insert(stage.cx.constants.unsigned(inst.id(0)));
        }
        _ => {}
    });
    ensure!(streams.len() <= 1, "vertices of primitives other than points go to {} streams", streams.len());
    Ok(())
}
