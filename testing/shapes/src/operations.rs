//! Shapes of one operation many times, and of what stands around the code.

use crate::line;
use crate::text::{Stage, Text};

/// The name of the value before the first of a chain, or of this one.
fn before(at: usize, first: &str) -> String {
    if at == 0 { first.to_owned() } else { format!("v{}", at - 1) }
}

/// Fetches from an image.
pub(crate) fn fetches(n: usize) -> Text {
    let mut text = image("Sampled1D", "%float 2D 0 0 0 1 Unknown");
    for at in 0..n {
        line!(text.body, "%at{at} = OpCompositeConstruct %uint2 %{} %c1", before(at, "x"));
        line!(text.body, "%l{at} = OpImageFetch %float4 %view %at{at} Lod %c0");
        line!(text.body, "%e{at} = OpCompositeExtract %float %l{at} 0\n%v{at} = OpConvertFToU %uint %e{at}");
    }
    text.storing(format!("v{}", n - 1))
}

fn image(capability: &str, ty: &str) -> Text {
    let mut text = Text::new();
    line!(text.capabilities, "OpCapability {capability}");
    line!(text.decorations, "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 1");
    line!(text.types, "%image_type = OpTypeImage {ty}\n%p_image = OpTypePointer UniformConstant %image_type");
    line!(text.types, "%image = OpVariable %p_image UniformConstant");
    text.interface += " %image";
    line!(text.body, "%view = OpLoad %image_type %image");
    text
}

/// Samples of an image.
pub(crate) fn samples(n: usize) -> Text {
    let mut text = image("Sampled1D", "%float 2D 0 0 0 1 Unknown");
    line!(text.decorations, "OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 2");
    line!(
        text.types,
        "%sampler_type = OpTypeSampler\n%p_sampler = OpTypePointer UniformConstant %sampler_type"
    );
    line!(
        text.types,
        "%sampler = OpVariable %p_sampler UniformConstant\n%both = OpTypeSampledImage %image_type"
    );
    text.interface += " %sampler";
    line!(text.body, "%how = OpLoad %sampler_type %sampler\n%sampled = OpSampledImage %both %view %how");
    for at in 0..n {
        line!(text.body, "%at{at} = OpCompositeConstruct %float2 %{} %f1", before(at, "xf"));
        line!(text.body, "%l{at} = OpImageSampleExplicitLod %float4 %sampled %at{at} Lod %f0");
        line!(text.body, "%v{at} = OpCompositeExtract %float %l{at} 0");
    }
    line!(text.body, "%result = OpConvertFToU %uint %v{}", n - 1);
    text.storing("result")
}

/// Atomics on neighbouring words.
pub(crate) fn atomics(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %k{at}");
        line!(text.body, "%v{at} = OpAtomicIAdd %uint %p{at} %c1 %c0 %{}", before(at, "x"));
    }
    text.storing(format!("v{}", n - 1))
}

/// Reductions over the subgroup.
pub(crate) fn reductions(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.capabilities, "OpCapability GroupNonUniformArithmetic");
    for at in 0..n {
        line!(text.body, "%r{at} = OpGroupNonUniformIAdd %uint %c3 Reduce %{}", before(at, "x"));
        line!(text.body, "%v{at} = OpIAdd %uint %r{at} %x");
    }
    text.storing(format!("v{}", n - 1))
}

/// Products of matrices.
pub(crate) fn matrices(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.types, "%float4x4 = OpTypeMatrix %float4 4");
    line!(text.body, "%column = OpCompositeConstruct %float4 %xf %f1 %xf %f1");
    line!(text.body, "%m = OpCompositeConstruct %float4x4 %column %column %column %column");
    for at in 0..n {
        line!(text.body, "%v{at} = OpMatrixTimesMatrix %float4x4 %{} %m", before(at, "m"));
    }
    line!(
        text.body,
        "%last = OpCompositeExtract %float %v{} 0 0\n%result = OpConvertFToU %uint %last",
        n - 1
    );
    text.storing("result")
}

/// Functions of the extended instruction set.
pub(crate) fn functions_of_numbers(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        let name = ["Sin", "Exp", "Log", "Sqrt"][at % 4];
        line!(text.body, "%v{at} = OpExtInst %float %glsl {name} %{}", before(at, "xf"));
    }
    line!(text.body, "%result = OpConvertFToU %uint %v{}", n - 1);
    text.storing("result")
}

/// Divisions of 64 bits.
pub(crate) fn divisions(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.capabilities, "OpCapability Int64");
    line!(text.types, "%ulong = OpTypeInt 64 0");
    line!(text.body, "%wide = OpUConvert %ulong %x");
    for at in 0..n {
        line!(text.body, "%w{at} = OpIAdd %ulong %{} %wide", before(at, "wide"));
        line!(text.body, "%v{at} = OpUDiv %ulong %w{at} %wide");
    }
    line!(text.body, "%result = OpUConvert %uint %v{}", n - 1);
    text.storing("result")
}

/// Debug names, strings and lines.
pub(crate) fn names(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.names, "%file = OpString \"shape.comp\"");
    for at in 0..n {
        line!(text.names, "%string{at} = OpString \"some text number {at}\"");
    }
    for at in 0..n {
        line!(text.names, "OpName %v{at} \"value{at}\"");
        line!(text.body, "OpLine %file {} 1\n%v{at} = OpIMul %uint %{} %c7", at + 1, before(at, "x"));
    }
    text.storing(format!("v{}", n - 1))
}

/// Decorations of each value.
pub(crate) fn decorations(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.decorations, "OpDecorate %v{at} NoContraction\nOpDecorate %v{at} RelaxedPrecision");
        line!(text.body, "%v{at} = OpFAdd %float %{} %xf", before(at, "xf"));
    }
    line!(text.body, "%result = OpConvertFToU %uint %v{}", n - 1);
    text.storing("result")
}

/// A decoration group of as many values.
pub(crate) fn decoration_groups(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.decorations, "OpDecorate %group RelaxedPrecision\n%group = OpDecorationGroup");
    for at in 0..n {
        line!(text.decorations, "OpGroupDecorate %group %v{at}");
        line!(text.body, "%v{at} = OpFAdd %float %{} %xf", before(at, "xf"));
    }
    line!(text.body, "%result = OpConvertFToU %uint %v{}", n - 1);
    text.storing("result")
}

/// Entry points of one function each.
pub(crate) fn entry_points(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.entry_points, "OpEntryPoint GLCompute %main{at} \"main{at}\" %id");
        line!(text.modes, "OpExecutionMode %main{at} LocalSize 1 1 1");
        line!(text.functions, "%main{at} = OpFunction %void None %fn\n%l{at} = OpLabel");
        line!(text.functions, "%ids{at} = OpLoad %uint3 %id\nOpReturn\nOpFunctionEnd");
    }
    text
}

/// Shuffles of vectors.
pub(crate) fn shuffles(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.body, "%v0 = OpCompositeConstruct %float4 %xf %f1 %xf %f0");
    for at in 1..=n {
        let below = at - 1;
        line!(text.body, "%a{at} = OpVectorShuffle %float4 %v{below} %v{below} 1 2 7 0");
        line!(text.body, "%v{at} = OpFAdd %float4 %a{at} %v{below}");
    }
    line!(text.body, "%last = OpCompositeExtract %float %v{n} 0\n%result = OpConvertFToU %uint %last");
    text.storing("result")
}

/// Outputs of a vertex shader: the shader in front of a fragment shader that reads all of them.
pub(crate) fn outputs(n: usize) -> Text {
    let mut text = crate::data::inputs(n);
    text.stage = Stage::Vertex;
    text
}
