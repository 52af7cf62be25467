//! Traces for debuggers through the entry points: that nothing changes when nobody debugs, and no result when
//! somebody does. What debuggers do with them is tested with the command line.

use crate::one_shader;
use pyro_sanitizer::trace::{self, Recorder, Target};
use pyro_test_environment::in_child;
use pyro_test_kit::compute::shader;
use std::sync::Arc;

/// A product that is fused with a sum: rounded twice the result would be zero. It goes through a variable, as
/// in code that is not optimized.
const FUSED: &str = "
    %first = OpAccessChain %word %buffer %uint_0 %uint_0
    %bits = OpLoad %uint %first
    %x = OpBitcast %float %bits
    %square = OpFMul %float %x %x
    OpStore %variable %square
    %again = OpLoad %float %variable
    %rest = OpFSub %float %again %rounded
    %left = OpBitcast %uint %rest
    %second = OpAccessChain %word %buffer %uint_0 %uint_1
    OpStore %second %left";

fn text() -> String {
    shader(FUSED)
        .replace(
            "%main = OpFunction",
            "%float = OpTypeFloat 32\n%own = OpTypePointer Function %float\n\
             %rounded = OpConstant %float 1.000000238418579\n%main = OpFunction",
        )
        .replace("%entry = OpLabel", "%entry = OpLabel\n%variable = OpVariable %own Function")
}

/// Runs the shader on 1 + 2^-23; gives what it leaves, and the data of a pipeline cache.
fn run() -> (u32, Vec<u8>) {
    one_shader::run(&text(), 1_f32.to_bits() + 1, 1)
}

#[test]
fn code_and_caches_are_the_same_when_nobody_debugs() {
    if !in_child(module_path!(), "code_and_caches_are_the_same_when_nobody_debugs", &[]) {
        return;
    }
    let (plain, plain_data) = run();
    assert_eq!(f32::from_bits(plain), 2_f32.powi(-46), "the product is fused");
    let recorder: Arc<Recorder> = Arc::default();
    trace::install(Some(Arc::clone(&recorder)));
    // Compiled to be traced, but no invocation is in the target.
    recorder.set_targets(&[]);
    let (untraced, other_data) = run();
    assert_eq!(untraced, plain);
    assert_ne!(other_data, plain_data);
    assert!(recorder.take().records.is_empty());
    // And traced.
    recorder.set_targets(&[Target {
        stage: "compute".to_owned(),
        events: [0, 9],
        low: [0; 6],
        high: [u32::MAX; 6],
        samples: 0,
    }]);
    let (traced, _) = run();
    assert_eq!(traced, plain);
    let trace = recorder.take();
    assert_eq!((trace.events.len(), trace.is_full), (1, false));
    assert!(!trace.records.is_empty() && !trace.snapshots.is_empty());
    trace::install(None);
    assert_eq!(run(), (plain, plain_data));
}
