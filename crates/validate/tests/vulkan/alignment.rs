//! Alignments and offsets that constants say.

use crate::common::*;
use pyro_validate::Device;

/// Loads and stores of a matrix of 4 rows and 8 columns of half floats from a buffer of these.
fn matrix(body: &str) -> Text {
    let mut text = buffer("StorageBuffer", "Block")
        .capability(
            "CooperativeMatrixKHR CooperativeMatrixNV Float16 StorageBuffer16BitAccess VulkanMemoryModel",
        )
        .declare("%half = OpTypeFloat 16\n%c8 = OpConstant %uint 8\n%c5 = OpConstant %uint 5")
        .declare("%M = OpTypeCooperativeMatrixKHR %half %c3 %c4 %c8 %c0\n%m = OpConstantNull %M")
        .declare("%N = OpTypeCooperativeMatrixNV %half %c3 %c4 %c8\n%n = OpConstantNull %N")
        .declare("%false = OpConstantFalse %bool\n%p_half = OpTypePointer StorageBuffer %half")
        .body("%cell = OpAccessChain %p_half %buffer %c0 %c0")
        .body(body)
        .holding_array();
    // The array is of what the matrix is of.
    text.declarations = text
        .declarations
        .replace(
            "%floats = OpTypeRuntimeArray %float",
            "%half = OpTypeFloat 16\n%floats = OpTypeRuntimeArray %half",
        )
        .replace("%p_float = OpTypePointer StorageBuffer %float\n%half = OpTypeFloat 16\n", "");
    text.decorations = text.decorations.replace("%floats ArrayStride 4", "%floats ArrayStride 2");
    text.memory = "Vulkan";
    text
}

fn vector(body: &str) -> Text {
    buffer("StorageBuffer", "Block")
        .capability("CooperativeVectorNV CooperativeVectorTrainingNV Float16")
        .declare("%half = OpTypeFloat 16\n%vector = OpTypeCooperativeVectorNV %half %c4")
        .declare("%input = OpConstantNull %vector\n%false = OpConstantFalse %bool")
        .declare("%c8 = OpConstant %uint 8\n%c16 = OpConstant %uint 16\n%c32 = OpConstant %uint 32")
        .declare("%c64 = OpConstant %uint 64\n%p_array = OpTypePointer StorageBuffer %floats")
        .body("%memory = OpAccessChain %p_array %buffer %c0")
        .body(body)
        .holding_array()
}

fn cooperative() -> Vec<Case> {
    let r = |rest: &str| &*format!("VUID-RuntimeSpirv-{rest}").leak();
    let product = |offset: &str, layout: &str, stride: &str| {
        let op = "OpCooperativeVectorMatrixMulNV %vector %input %c0 %memory";
        vector(&format!("%r = {op} {offset} %c0 %c4 %c4 {layout} %false {stride}"))
    };
    let sum = |offset: &str| {
        let op = "OpCooperativeVectorMatrixMulAddNV %vector %input %c0 %memory %c0 %c0 %memory";
        vector(&format!("%r = {op} {offset} %c0 %c4 %c4 %c0 %false %c16"))
    };
    let load = |offset: &str| vector(&format!("%r = OpCooperativeVectorLoadNV %vector %memory {offset}"));
    let store = |offset: &str| vector(&format!("OpCooperativeVectorStoreNV %memory {offset} %input"));
    let reduce =
        |offset: &str| vector(&format!("OpCooperativeVectorReduceSumAccumulateNV %memory {offset} %input"));
    let outer = |offset: &str| {
        let op = "OpCooperativeVectorOuterProductAccumulateNV %memory";
        vector(&format!("{op} {offset} %input %input %c3 %c0 %c4"))
    };
    // A line of eight columns has 16 bytes, one of four rows eight.
    let rows = |stride: &str| matrix(&format!("%r = OpCooperativeMatrixLoadKHR %M %cell %c0 {stride}"));
    let columns = |stride: &str| matrix(&format!("OpCooperativeMatrixStoreKHR %cell %m %c1 {stride}"));
    let old = |stride: &str| matrix(&format!("%r = OpCooperativeMatrixLoadNV %N %cell {stride} %false"));
    vec![
        pair(r("OpCooperativeMatrixLoadKHR-08986"), rows("%c4"), rows("%c8")),
        pair(r("OpCooperativeMatrixLoadKHR-08986"), columns("%c5"), columns("%c4")),
        pair(r("OpCooperativeMatrixLoadNV-06324"), old("%c4"), old("%c8")),
        pair(
            r("OpCooperativeVectorMatrixMulNV-10096"),
            product("%c0", "%c0", "%c8"),
            product("%c0", "%c0", "%c16"),
        ),
        // Of optimal layouts the stride does not matter.
        pair(
            r("OpCooperativeVectorMatrixMulNV-10096"),
            product("%c0", "%c1", "%c8"),
            product("%c0", "%c2", "%c8"),
        ),
        pair(
            r("OpCooperativeVectorMatrixMulNV-10097"),
            product("%c32", "%c0", "%c16"),
            product("%c64", "%c0", "%c16"),
        ),
        pair(r("OpCooperativeVectorMatrixMulAddNV-10098"), sum("%c8"), sum("%c16")),
        pair(r("OpCooperativeVectorLoadNV-10099"), load("%c8"), load("%c16")),
        pair(r("OpCooperativeVectorLoadNV-10099"), store("%c8"), store("%c16")),
        pair(r("OpCooperativeVectorReduceSumAccumulateNV-10100"), reduce("%c8"), reduce("%c16")),
        pair(r("OpCooperativeVectorOuterProductAccumulateNV-10101"), outer("%c16"), outer("%c64")),
    ]
}

/// A heap whose second descriptor is loaded; descriptors are 24 bytes apart.
fn heap(built_in: &str, ty: &str, body: &str) -> Text {
    compute()
        .capability("DescriptorHeapEXT UntypedPointersKHR TensorsARM RayQueryKHR")
        .decorate(&format!("OpDecorate %heap BuiltIn {built_in}\nOpDecorate %all ArrayStride 24"))
        .declare(&format!("%ty = {ty}\n%all = OpTypeRuntimeArray %ty"))
        .declare("%p_heap = OpTypeUntypedPointerKHR UniformConstant")
        .declare("%p_image = OpTypeUntypedPointerKHR Image\n%p_cell = OpTypeUntypedPointerKHR StorageBuffer")
        .declare("%heap = OpUntypedVariableKHR %p_heap UniformConstant")
        .listing("%heap")
        .body("%at = OpUntypedAccessChainKHR %p_heap %all %heap %c1")
        .body(body)
}

fn heaps() -> Vec<Case> {
    let r = |rest: &str| &*format!("VUID-RuntimeSpirv-{rest}").leak();
    let load = "%v = OpLoad %ty %at";
    let of = |rule, built_in, ty, name| limit(r(rule), heap(built_in, ty, load), name, 16, 8);
    let resources = "ResourceHeapEXT";
    let image = "OpTypeImage %uint 2D 0 0 0 2 R32ui";
    vec![
        of(
            "samplerDescriptorAlignment-11348",
            "SamplerHeapEXT",
            "OpTypeSampler",
            "samplerDescriptorAlignment",
        ),
        of("imageDescriptorAlignment-11349", resources, image, "imageDescriptorAlignment"),
        of("Result-11350", resources, "OpTypeAccelerationStructureKHR", "bufferDescriptorAlignment"),
        of(
            "tensorDescriptorAlignment-11481",
            resources,
            "OpTypeTensorARM %float %c2",
            "tensorDescriptorAlignment",
        ),
        limit(
            r("imageDescriptorAlignment-11383"),
            heap(resources, image, "%v = OpUntypedImageTexelPointerEXT %p_image %ty %at %zeros %c0"),
            "imageDescriptorAlignment",
            16,
            8,
        ),
        limit(
            r("bufferDescriptorAlignment-11384"),
            heap(resources, "OpTypeBufferEXT StorageBuffer", "%v = OpBufferPointerEXT %p_cell %at"),
            "bufferDescriptorAlignment",
            16,
            12,
        ),
    ]
}

/// Interpolates half a pixel aside.
fn interpolation(x: &str, y: &str) -> Text {
    let mut text = fragment().capability("InterpolationFunction");
    text.capabilities += "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    text.declare(&format!("%x = OpConstant %float {x}\n%y = OpConstant %float {y}"))
        .declare("%offset = OpConstantComposite %float2 %x %y")
        .decorate("OpDecorate %input Location 0")
        .variable("input", "Input", "%float4")
        .body("%r = OpExtInst %float4 %glsl InterpolateAtOffset %input %offset")
}

fn offsets() -> Vec<Case> {
    const RATES: [&str; 4] = [
        "pipelineFragmentShadingRate",
        "primitiveFragmentShadingRate",
        "attachmentFragmentShadingRate",
        "shadingRateImage",
    ];
    // With four bits, half a pixel is just out of reach to the right, and within it to the left.
    let device = |features: &[&str]| {
        let mut device = without(features);
        device.set_real("minInterpolationOffset", -0.5);
        device.set_real("maxInterpolationOffset", 0.4375);
        device.set_property("subPixelInterpolationOffsetBits", 4);
        device
    };
    let of = |number: &str, bad: [&str; 2]| Case {
        rule: format!("VUID-RuntimeSpirv-Offset-0{number}").leak(),
        bad: (interpolation(bad[0], bad[1]), device(&RATES)),
        good: (interpolation("-0.5", "0.4375"), device(&RATES)),
    };
    // Fragments of several pixels reach further.
    let wide: (Text, Device) = (interpolation("1.5", "0"), device(&[]));
    vec![
        of("6344", ["-0.625", "0"]),
        of("6345", ["0.5", "0"]),
        of("6346", ["0", "-0.625"]),
        of("6347", ["0", "0.5"]),
        Case {
            rule: "VUID-RuntimeSpirv-Offset-06345",
            bad: (interpolation("1.5", "0"), device(&RATES)),
            good: wide,
        },
    ]
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [cooperative(), heaps(), offsets()].into_iter().flatten().collect()
}
