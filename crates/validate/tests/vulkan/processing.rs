//! Image processing, tile attachments, and rules that few devices break.

use crate::common::*;
use crate::device::geometry;
use crate::standalone::captured;
use pyro_validate::Device;

/// Two sampled images that are matched, compared or filtered.
fn processing(class: &str, shape: &str, decoration: &str, op: &str) -> Text {
    let decorate = |text: Text, name: &str, binding: u32| {
        let text = if class == "TileAttachmentQCOM" {
            text
        } else {
            text.decorate(&format!(
                "OpDecorate %{name} DescriptorSet 0\nOpDecorate %{name} Binding {binding}"
            ))
        };
        let text = text.variable(name, class, "%Sampled");
        if decoration.is_empty() { text } else { text.decorate(&format!("OpDecorate %{name} {decoration}")) }
    };
    let text = fragment()
        .capability(
            "TextureSampleWeightedQCOM TextureBoxFilterQCOM TextureBlockMatchQCOM TextureBlockMatch2QCOM",
        )
        .declare(&format!(
            "%Image = OpTypeImage %float {shape} Unknown\n%Sampled = OpTypeSampledImage %Image"
        ))
        .declare("%uint2 = OpTypeVector %uint 2\n%place = OpConstantComposite %uint2 %c0 %c0")
        .declare("%block = OpConstantComposite %uint2 %c4 %c4\n%half = OpConstant %float 0.5")
        .declare("%low = OpConstantComposite %float2 %f1 %half");
    let text = decorate(decorate(text, "first", 0), "second", 1);
    text.body("%x = OpLoad %Sampled %first\n%y = OpLoad %Sampled %second").body(op)
}

const MATCH: &str = "%r = OpImageBlockMatchSADQCOM %float4 %x %place %y %place %block";
const WINDOW: &str = "%r = OpImageBlockMatchWindowSSDQCOM %float4 %x %place %y %place %block";
const WEIGHT: &str = "%r = OpImageSampleWeightedQCOM %float4 %x %v2 %y";

fn images() -> Vec<Case> {
    let (flat, layers) = ("2D 0 0 0 1", "2D 0 1 0 1");
    let uniform = "UniformConstant";
    let of = |shape, decoration, op| processing(uniform, shape, decoration, op);
    let (matching, weights) = ("BlockMatchTextureQCOM", "WeightTextureQCOM");
    let filter = |op| of(flat, "", op);
    let region = |rule, op, name| limit(rule, of(flat, matching, op), name, 3, 4);
    vec![
        pair(
            "VUID-RuntimeSpirv-OpImageSampleWeightedQCOM-06980",
            of(flat, weights, WEIGHT),
            of(layers, weights, WEIGHT),
        ),
        pair(
            "VUID-RuntimeSpirv-OpImageSampleWeightedQCOM-06981",
            of(layers, "", WEIGHT),
            of(layers, weights, WEIGHT),
        ),
        pair(
            "VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06983",
            of(layers, matching, MATCH),
            of(flat, matching, MATCH),
        ),
        pair(
            "VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06984",
            of(flat, "", MATCH),
            of(flat, matching, MATCH),
        ),
        pair(
            "VUID-RuntimeSpirv-OpImageBlockMatchWindow-09220",
            of(layers, matching, WINDOW),
            of(flat, matching, WINDOW),
        ),
        pair(
            "VUID-RuntimeSpirv-OpImageBlockMatchWindow-09221",
            of(flat, "", WINDOW),
            of(flat, matching, WINDOW),
        ),
        region("VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06988", MATCH, "maxBlockMatchRegion.width"),
        region("VUID-RuntimeSpirv-maxBlockMatchRegion-09225", WINDOW, "maxBlockMatchRegion.height"),
        pair(
            "VUID-RuntimeSpirv-OpImageBoxFilterQCOM-06989",
            filter("%r = OpImageBoxFilterQCOM %float4 %x %v2 %low"),
            filter("%r = OpImageBoxFilterQCOM %float4 %x %v2 %v2"),
        ),
    ]
}

fn tiles() -> Vec<Case> {
    let tile = |text: Text| {
        text.capability("TileShadingQCOM")
            .decorate("OpDecorate %tile DescriptorSet 0\nOpDecorate %tile Binding 0")
            .declare("%Tile = OpTypeImage %uint 2D 0 0 0 2 R32ui")
            .variable("tile", "TileAttachmentQCOM", "%Tile")
            .declare("%p_texel = OpTypePointer Image %uint")
    };
    let mut filtered =
        processing("TileAttachmentQCOM", "2D 0 0 0 1", "", "%r = OpImageBoxFilterQCOM %float4 %x %v2 %v2")
            .capability("TileShadingQCOM");
    for (binding, name) in ["first", "second"].into_iter().enumerate() {
        filtered = filtered
            .decorate(&format!("OpDecorate %{name} DescriptorSet 0\nOpDecorate %{name} Binding {binding}"));
    }
    vec![
        feature(
            "VUID-RuntimeSpirv-OpImage-10706",
            tile(fragment()).body("%p = OpImageTexelPointer %p_texel %tile %zeros %c0"),
            &["tileShadingAtomicOps"],
        ),
        feature(
            "VUID-RuntimeSpirv-tileShadingImageProcessing-10712",
            filtered,
            &["tileShadingImageProcessing"],
        ),
    ]
}

/// Devices of a version without extensions.
fn early(major: u32, minor: u32, extension: &str) -> [Device; 2] {
    let bare = || {
        let mut device = Device::bare(major, minor);
        ["shaderZeroInitializeWorkgroupMemory", "maintenance4"]
            .iter()
            .for_each(|name| device.set_feature(name, true));
        ["VK_KHR_spirv_1_4", "VK_KHR_shader_float_controls"]
            .iter()
            .for_each(|name| device.add_extension(name));
        device
    };
    let mut good = bare();
    good.add_extension(extension);
    [bare(), good]
}

fn versions() -> Vec<Case> {
    let of = |rule, text: Text, extension| {
        let [bad, good] = early(1, 1, extension);
        Case { rule, bad: (text.clone(), bad), good: (text, good) }
    };
    let mut portable = without(&["shaderSampleRateInterpolationFunctions"]);
    portable.forget_extensions();
    portable.add_extension("VK_KHR_portability_subset");
    let mut whole = portable.clone();
    whole.set_feature("shaderSampleRateInterpolationFunctions", true);
    let interpolation = fragment().capability("InterpolationFunction");
    vec![
        of(
            "VUID-RuntimeSpirv-LocalSizeId-06433",
            Text { modes: "OpExecutionModeId %main LocalSizeId %c1 %c1 %c1".into(), ..compute() },
            "VK_KHR_maintenance4",
        ),
        of(
            "VUID-RuntimeSpirv-OpVariable-06373",
            compute()
                .declare("%nil = OpConstantNull %uint\n%p_shared = OpTypePointer Workgroup %uint")
                .declare("%shared = OpVariable %p_shared Workgroup %nil")
                .listing("%shared"),
            "VK_KHR_zero_initialize_workgroup_memory",
        ),
        Case {
            rule: "VUID-RuntimeSpirv-shaderSampleRateInterpolationFunctions-06325",
            bad: (interpolation.clone(), portable),
            good: (interpolation, whole),
        },
    ]
}

/// A structure whose member is a descriptor in a heap, or another opaque type.
fn heap(capability: &str, member: &str, decoration: &str) -> Text {
    compute()
        .capability("DescriptorHeapEXT UntypedPointersKHR")
        .capability(capability)
        .decorate(decoration)
        .declare(&format!("%member = {member}\n%S = OpTypeStruct %uint %member"))
}

fn decorations() -> Vec<Case> {
    let mut cases = Vec::new();
    for (width, number) in [(16u32, "09560"), (32, "09562"), (64, "09564")] {
        let property = format!("shaderSignedZeroInfNanPreserveFloat{width}");
        let text = compute()
            .capability("FloatControls2 Float16 Float64")
            .decorate("OpDecorate %sum FPFastMathMode NotNaN")
            .declare(&if width == 32 { String::new() } else { format!("%narrow = OpTypeFloat {width}") })
            .declare(&format!("%one = OpConstant {} 1", if width == 32 { "%float" } else { "%narrow" }))
            .body(&format!("%sum = OpFAdd {} %one %one", if width == 32 { "%float" } else { "%narrow" }));
        let rule = format!("VUID-RuntimeSpirv-{property}-{number}");
        cases.push(limit(rule.leak(), text, &property, 0, 1));
    }
    for (rule, property, capability, member) in [
        ("samplerDescriptorAlignment-11476", "samplerDescriptorAlignment", "", "OpTypeSampler"),
        (
            "imageDescriptorAlignment-11477",
            "imageDescriptorAlignment",
            "",
            "OpTypeImage %float 2D 0 0 0 1 Unknown",
        ),
        ("bufferDescriptorAlignment-11478", "bufferDescriptorAlignment", "", "OpTypeBufferEXT StorageBuffer"),
        (
            "bufferDescriptorAlignment-11479",
            "bufferDescriptorAlignment",
            "RayQueryKHR",
            "OpTypeAccelerationStructureKHR",
        ),
        (
            "tensorDescriptorAlignment-11480",
            "tensorDescriptorAlignment",
            "TensorsARM",
            "OpTypeTensorARM %float %c2",
        ),
    ] {
        let offsets = "OpMemberDecorate %S 0 Offset 0\nOpMemberDecorate %S 1 Offset 32";
        let rule = format!("VUID-RuntimeSpirv-{rule}");
        cases.push(limit(rule.leak(), heap(capability, member, offsets), property, 64, 32));
    }
    cases.push(pair(
        "VUID-StandaloneSpirv-DescriptorHeapEXT-11482",
        heap("RayQueryKHR", "OpTypeRayQueryKHR", ""),
        heap("", "OpTypeSampler", ""),
    ));
    cases
}

fn streams() -> Vec<Case> {
    let two = captured([0, 0, 64, 0], [16, 1, 64, 0], "%float4");
    let block = |first: u32, scalars: &str| {
        vertex()
            .capability("TransformFeedback Float64")
            .mode("OpExecutionMode %main Xfb")
            .decorate("OpDecorate %B Block\nOpDecorate %v Location 0\nOpDecorate %v XfbBuffer 0")
            .decorate(&format!("OpDecorate %v XfbStride 64\nOpMemberDecorate %B 0 Offset {first}"))
            .decorate(&format!(
                "OpMemberDecorate %B 1 Offset {}",
                if scalars.ends_with("float") { 12 } else { 16 }
            ))
            .declare(&format!("%double = OpTypeFloat 64\n%B = OpTypeStruct {scalars}"))
            .variable("v", "Output", "%B")
    };
    let emitting = |second: &str| {
        geometry(4, 1)
            .capability("TransformFeedback GeometryStreams")
            .body(&format!("OpEmitStreamVertex %c0\nOpEmitStreamVertex {second}"))
    };
    let off = with("transformFeedbackStreamsLinesTriangles", 0);
    vec![
        // Sixteen bytes of one buffer, thirty-two of the other.
        limit("VUID-RuntimeSpirv-XfbBuffer-06309", two, "maxTransformFeedbackStreamDataSize", 47, 48),
        pair("VUID-StandaloneSpirv-Offset-04690", block(4, "%float %double"), block(8, "%float %double")),
        // The block begins at its other member.
        pair("VUID-StandaloneSpirv-Offset-04690", block(12, "%float %double"), block(28, "%float %double")),
        pair("VUID-StandaloneSpirv-Offset-04690", block(12, "%float %double"), block(24, "%double %float")),
        Case {
            rule: "VUID-RuntimeSpirv-transformFeedbackStreamsLinesTriangles-06311",
            bad: (emitting("%c1"), off.clone()),
            good: (emitting("%c0"), off),
        },
    ]
}

fn memory() -> Vec<Case> {
    let sized = |count: &str| {
        buffer("StorageBuffer", "Block")
            .capability("LongVectorEXT")
            .decorate("OpDecorate %many SpecId 0\nOpDecorate %Long ArrayStride 16")
            .declare("%many = OpSpecConstant %uint 4")
            .declare(&format!("%long = OpTypeVectorIdEXT %float {count}\n%Long = OpTypeArray %long %c2"))
            .holding("%Long")
    };
    let rows = |matrix: &str, body: &str| {
        physical()
            .decorate(&format!("OpMemberDecorate %M 0 {matrix}\nOpMemberDecorate %M 0 MatrixStride 16"))
            .decorate("OpMemberDecorate %M 0 Offset 0\nOpDecorate %M Block")
            .declare("%float2x2 = OpTypeMatrix %float2 2\n%M = OpTypeStruct %float2x2")
            .declare("%p_M = OpTypePointer PhysicalStorageBuffer %M")
            .declare("%p_column = OpTypePointer PhysicalStorageBuffer %float2")
            .declare("%p_cell = OpTypePointer PhysicalStorageBuffer %float")
            .body("%m = OpConvertUToPtr %p_M %address\n%column = OpAccessChain %p_column %m %c0 %c1")
            .body(body)
    };
    let further = "%cell = OpAccessChain %p_cell %column %c0";
    let texel = |format: &str| {
        compute()
            .capability("DescriptorHeapEXT UntypedPointersKHR StorageImageExtendedFormats")
            .decorate("OpDecorate %heap BuiltIn ResourceHeapEXT")
            .declare(&format!("%I = OpTypeImage %uint 2D 0 0 0 2 {format}"))
            .declare(
                "%p_heap = OpTypeUntypedPointerKHR UniformConstant\n%p_image = OpTypeUntypedPointerKHR Image",
            )
            .declare("%heap = OpUntypedVariableKHR %p_heap UniformConstant")
            .listing("%heap")
            .body("%p = OpUntypedImageTexelPointerEXT %p_image %I %heap %zeros %c0")
    };
    vec![
        pair("VUID-StandaloneSpirv-Function-12294", sized("%many"), sized("%c4")),
        pair(
            "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04709",
            rows("RowMajor", further),
            rows("ColMajor", further),
        ),
        pair(
            "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04709",
            rows("RowMajor", further),
            rows("RowMajor", "%r = OpLoad %float2 %column Aligned 4"),
        ),
        pair("VUID-StandaloneSpirv-OpUntypedImageTexelPointerEXT-11416", texel("Rg32ui"), texel("R32ui")),
    ]
}

impl Text {
    /// Gives the block another member.
    fn holding(mut self, member: &str) -> Text {
        // Its type is declared before the block.
        let block = "%Block = OpTypeStruct %float\n";
        let at = self.declarations.find(block).unwrap_or(0);
        let rest = self.declarations.split_off(at).replacen(block, "", 1);
        let (own, after) = rest.split_at(rest.find("%many").unwrap_or(0));
        self.declarations = format!("{}{after}%Block = OpTypeStruct {member}\n{own}", self.declarations);
        self
    }
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [images(), tiles(), versions(), decorations(), streams(), memory()].into_iter().flatten().collect()
}

/// Gathers by modes are of flat images, with a constant mode that is declared, and with offsets alone.
#[test]
fn gathers_by_modes_are_checked() {
    let text = |shape: &str, capabilities: &str, op: &str| {
        processing("UniformConstant", shape, "", op).capability(capabilities)
    };
    let (flat, both) = ("2D 0 0 0 1", "ImageGatherLinearQCOM ImageGatherExtendedModesQCOM");
    let gather = |mode: &str| format!("%r = OpImageGatherQCOM %float4 %x %v2 %c0 {mode}");
    for mode in ["%c0", "%c1", "%c2", "%c3", "%c1 ConstOffset %zeros"] {
        assert_eq!(findings(&text(flat, both, &gather(mode))), [] as [&str; 0], "{mode}");
    }
    for (shape, capabilities, mode) in [
        ("Cube 0 0 0 1", both, "%c0"),
        (flat, both, "%c4"),
        (flat, both, "%c0 Lod %f1"),
        (flat, "ImageGatherLinearQCOM", "%c1"),
        (flat, "ImageGatherExtendedModesQCOM", "%c0"),
    ] {
        let found = findings(&text(shape, capabilities, &gather(mode)));
        assert!(found.iter().any(|rule| rule.contains("OpImageGather")), "{shape} {mode}: {found:?}");
    }
}
