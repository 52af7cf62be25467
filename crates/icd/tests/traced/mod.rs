//! Tests that run while a debugger follows every invocation: their results must be the same.

use pyro_abi::trace::target::STAGES;
use pyro_sanitizer::trace::{self, Recorder, Target};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs a test so, in a process that has no device yet; gives the stages that were recorded to an end.
pub(crate) fn stages(test: impl FnOnce()) -> BTreeSet<String> {
    let recorder: Arc<Recorder> = Arc::default();
    let everything = |stage: &&str| Target {
        stage: (*stage).to_owned(),
        events: [0, u32::MAX >> 1],
        low: [0; 6],
        high: [u32::MAX; 6],
        samples: 0,
    };
    recorder.set_targets(&STAGES.iter().map(everything).collect::<Vec<_>>());
    trace::install(Some(Arc::clone(&recorder)));
    test();
    trace::install(None);
    let trace = recorder.take();
    let ends = trace.records.iter().filter_map(|record| {
        let sites = &trace.tables[record.table as usize];
        let segment = &sites.trace.as_ref()?.segments[record.segment as usize];
        let is_end = segment.steps.iter().any(|step| step.kind == pyro_abi::trace::StepKind::End);
        is_end.then(|| sites.stage.clone())
    });
    ends.collect()
}
