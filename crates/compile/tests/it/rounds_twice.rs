//! What processors without fused operations round twice where the user asks for it, and what stays fused.

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};
use pyro_shadertext::Shader;

/// `x * x + c` in four ways, one a word, with `x = 1 + 2^-12` and `c = -1 - 2^-11`: 2^-24 where the product
/// is not rounded, else zero.
fn shader() -> Vec<u32> {
    let text = Shader::compute(
        [16, 1, 1],
        "%from = OpAccessChain %buffer_uint %in %uint_0 %uint_0
        %zero = OpLoad %uint %from
        %xbits = OpBitwiseOr %uint %zero %x_word
        %cbits = OpBitwiseOr %uint %zero %c_word
        %obits = OpBitwiseOr %uint %zero %one_word
        %x = OpBitcast %float %xbits
        %c = OpBitcast %float %cbits
        %one = OpBitcast %float %obits
        %r0 = OpExtInst %float %glsl Fma %x %x %c
        %p1 = OpFMul %float %x %x
        %r1 = OpFAdd %float %p1 %c
        %v = OpCompositeConstruct %v2 %c %x
        %w = OpCompositeConstruct %v2 %one %x
        %r2 = OpDot %float %v %w
        %r3 = OpFmaKHR %float %x %x %c
        %to0 = OpAccessChain %buffer_uint %out %uint_0 %uint_0
        %to1 = OpAccessChain %buffer_uint %out %uint_0 %uint_1
        %to2 = OpAccessChain %buffer_uint %out %uint_0 %uint_2
        %to3 = OpAccessChain %buffer_uint %out %uint_0 %uint_3
        %b0 = OpBitcast %uint %r0
        %b1 = OpBitcast %uint %r1
        %b2 = OpBitcast %uint %r2
        %b3 = OpBitcast %uint %r3
        OpStore %to0 %b0
        OpStore %to1 %b1
        OpStore %to2 %b2
        OpStore %to3 %b3",
    )
    .capability("FMAKHR")
    .extension("SPV_KHR_fma")
    .buffers(&["in", "out"])
    .declare(
        "%x_word = OpConstant %uint 0x3f800800
        %c_word = OpConstant %uint 0xbf801000
        %one_word = OpConstant %uint 0x3f800000
        %v2 = OpTypeVector %float 2",
    )
    .text();
    let text = text.replace("OpMemoryModel", "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel");
    pyro_spirv::asm::assemble(&text).expect("valid assembly")
}

#[test]
fn products_are_rounded_where_a_shader_leaves_it_open() {
    let words = shader();
    let (exact, twice) = (0x3380_0000, 0);
    for (_, backend) in Backend::all() {
        if !backend.rounds_twice() {
            let (found, _) = run(&words, SubgroupSize::Default, backend, 0);
            assert_eq!(found[..4], [exact; 4], "{backend:?}");
        }
    }
    let has = Backend::all().iter().any(|&(name, _)| name == "sse4.1");
    if let Some(backend) = Backend::named("sse4.1+twice").filter(|_| has) {
        assert!(backend.rounds_twice());
        let (found, _) = run(&words, SubgroupSize::Default, backend, 0);
        assert_eq!(found[..4], [twice, twice, twice, exact]);
    }
    // No level with fused operations has the choice.
    let others = ["avx512+twice", "avx2+twice", "neon+twice", "interpreter+twice"];
    assert!(others.iter().all(|name| Backend::named(name).is_none()));
}
