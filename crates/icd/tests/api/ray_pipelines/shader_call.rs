//! The scope `ShaderCallKHR`: what an invocation writes, the one that it calls by a trace sees, and the other
//! way round. The shaders are made of `shader_call.glsl`, each with its stage's name defined.

use super::*;

/// Writes and atomic operations around traces, in lanes that trace once, twice and thrice, come in the order
/// of the calls.
#[test]
fn calls_order_memory_at_the_scope_of_shader_calls() {
    let rays = Rays::new();
    let scene = rays.scene();
    let shaders = [
        (Stages::RAYGEN_KHR, include_str!("shader_call.rgen.spvasm")),
        (Stages::MISS_KHR, include_str!("shader_call.rmiss.spvasm")),
    ];
    let groups = [[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED]];
    let pipeline = rays.try_pipeline(&shaders, &groups, false, &[]).expect("a pipeline");
    let handles = rays.handles_of(pipeline, groups.len());
    let stride = 4 * HANDLE_WORDS as u64;
    let [raygen, miss] = [0, 1].map(|group: usize| Region {
        device_address: rays.data(&handles[group]),
        stride,
        size: stride,
    });
    let [x, y] = [SIZE[0], SIZE[1]];
    let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
        let none = Region::default();
        rays.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &none, &none, x, y, 1);
    });
    for invocation in 0..x * y {
        let first = 12 * invocation;
        let count = 1 + invocation % x % 3;
        let value = (0..count).fold(7 + first, |value, _| 3 * value + 1);
        let words = [0, 1, 2].map(|word: u32| found[(first + word) as usize].to_bits());
        assert_eq!(words, [value, 1 + 10 * count, value], "invocation {invocation}");
    }
}
