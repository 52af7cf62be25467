//! Cooperative matrices and vectors, tensors.

use crate::common::*;
use pyro_validate::Device;
use pyro_validate::device::{ComponentType, CooperativeMatrixProperties, CooperativeVectorProperties};

const F16: ComponentType = ComponentType::FLOAT16;
const F32: ComponentType = ComponentType::FLOAT32;

/// A device that lists one multiplication of matrices of half floats.
fn listing(size: [u32; 3], is_flexible: bool) -> Device {
    let mut device =
        if is_flexible { Device::everything() } else { without(&["cooperativeMatrixFlexibleDimensions"]) };
    device.cooperative_matrices =
        Some(vec![CooperativeMatrixProperties { size, types: [F16, F16, F32, F32], scope: 3, is_flexible }]);
    device
}

fn matrices() -> Text {
    let mut text = compute()
        .capability("CooperativeMatrixKHR Float16 VulkanMemoryModel")
        .declare("%half = OpTypeFloat 16\n%c8 = OpConstant %uint 8\n%c16 = OpConstant %uint 16")
        .declare("%A = OpTypeCooperativeMatrixKHR %half %c3 %c16 %c8 %c0")
        .declare("%B = OpTypeCooperativeMatrixKHR %half %c3 %c8 %c16 %c1")
        .declare("%C = OpTypeCooperativeMatrixKHR %float %c3 %c16 %c16 %c2")
        .declare("%a = OpConstantNull %A\n%b = OpConstantNull %B\n%c = OpConstantNull %C")
        .body("%r = OpCooperativeMatrixMulAddKHR %C %a %b %c");
    text.memory = "Vulkan";
    text
}

fn old_matrices() -> Text {
    compute()
        .capability("CooperativeMatrixNV Float16")
        .declare("%half = OpTypeFloat 16\n%c8 = OpConstant %uint 8\n%c16 = OpConstant %uint 16")
        .declare("%A = OpTypeCooperativeMatrixNV %half %c3 %c16 %c8\n%a = OpConstantNull %A")
        .declare("%B = OpTypeCooperativeMatrixNV %half %c3 %c8 %c16\n%b = OpConstantNull %B")
        .declare("%C = OpTypeCooperativeMatrixNV %float %c3 %c16 %c16\n%c = OpConstantNull %C")
        .body("%r = OpCooperativeMatrixMulAddNV %C %a %b %c")
}

/// Tensor addressing operands with both functions.
pub(crate) const BOTH: &str = "DecodeFunc|DecodeVectorFunc %decode %decode_vector";

/// A matrix of floats that is loaded in blocks of a size, with a function that decodes one element and
/// another with a result and a type.
pub(crate) fn decoding(vector: &str, vector_type: &str, operands: &str, block: &str) -> Text {
    let mut text = buffer("StorageBuffer", "Block")
        .capability(
            "CooperativeMatrixKHR VulkanMemoryModel PhysicalStorageBufferAddresses TensorAddressingNV",
        )
        .capability("CooperativeMatrixTensorAddressingNV CooperativeMatrixBlockLoadsNV")
        .declare("%c16 = OpConstant %uint 16\n%matrix = OpTypeCooperativeMatrixKHR %float %c3 %c16 %c16 %c2")
        .declare("%before = OpConstantNull %matrix\n%layout_type = OpTypeTensorLayoutNV %c2 %c0")
        .decorate("OpDecorate %Element Block\nOpMemberDecorate %Element 0 Offset 0")
        .declare("%Element = OpTypeStruct %uint\n%to_element = OpTypePointer PhysicalStorageBuffer %Element")
        .declare("%place = OpTypeArray %uint %c2\n%long_place = OpTypeArray %uint %c3")
        .declare("%one = OpTypeFunction %float %to_element %place %place")
        .declare(&format!("%many = OpTypeFunction {vector} %to_element %place %place"))
        .declare(&format!("%many_far = OpTypeFunction {vector} %to_element %place %long_place"))
        .declare(&format!("%decoded = OpConstantNull {vector}"))
        .body("%start = OpAccessChain %p_float %buffer %c0")
        .body("%layout_a = OpCreateTensorLayoutNV %layout_type")
        .body(&format!("%layout_b = OpTensorLayoutSetBlockSizeNV %layout_type %layout_a {block}"))
        .body("%layout_c = OpTensorLayoutSetDimensionNV %layout_type %layout_b %c16 %c16")
        .body(&format!(
            "%r = OpCooperativeMatrixLoadTensorNV %matrix %start %before %layout_c None {operands}"
        ));
    let place = if vector_type == "%many_far" { "%long_place" } else { "%place" };
    let end = format!(
        "OpReturn\nOpFunctionEnd\n%decode = OpFunction %float None %one
        %pa = OpFunctionParameter %to_element\n%pb = OpFunctionParameter %place
        %pc = OpFunctionParameter %place\n%decode_entry = OpLabel\nOpReturnValue %f1
        OpFunctionEnd\n%decode_vector = OpFunction {vector} None {vector_type}
        %va = OpFunctionParameter %to_element\n%vb = OpFunctionParameter %place
        %vc = OpFunctionParameter {place}\n%vector_entry = OpLabel\nOpReturnValue %decoded"
    );
    text = text.ending(end.leak());
    if operands.contains("Vector") {
        text = text.capability("CooperativeMatrixDecodeVectorNV");
    }
    text.addressing = "PhysicalStorageBuffer64";
    text.memory = "Vulkan";
    text
}

fn of_matrices() -> Vec<Case> {
    let (listed, other) = ([16, 16, 8], [8, 8, 8]);
    let of = |rule, text: Text, is_flexible, [bad, good]: [[u32; 3]; 2]| Case {
        rule,
        bad: (text.clone(), listing(bad, is_flexible)),
        good: (text, listing(good, is_flexible)),
    };
    // Each type is listed, but no multiplication has all three.
    let apart = |is_flexible| {
        let mut device = listing(listed, is_flexible);
        if let Some(list) = &mut device.cooperative_matrices {
            let row = list[0];
            *list = vec![
                CooperativeMatrixProperties { types: [F16, F32, F32, F32], ..row },
                CooperativeMatrixProperties { types: [F32, F16, F32, F32], ..row },
            ];
        }
        device
    };
    let product = |rule, text: Text, is_flexible| Case {
        rule,
        bad: (text.clone(), apart(is_flexible)),
        good: (text, listing(listed, is_flexible)),
    };
    let group = {
        let mut text = compute()
            .capability("CooperativeMatrixKHR VulkanMemoryModel VulkanMemoryModelDeviceScope")
            .declare("%A = OpTypeCooperativeMatrixKHR %float %c2 %c4 %c4 %c0")
            .declare("%many = OpTypeArray %float %c4")
            .variable("memory", "Workgroup", "%many");
        text.memory = "Vulkan";
        text
    };
    let shared = |limit: i64| {
        let mut device = with("maxComputeSharedMemorySize", limit);
        device.set_property("cooperativeMatrixWorkgroupScopeReservedSharedMemory", 16);
        device
    };
    let extract = |start: &str| {
        compute()
            .capability("CooperativeMatrixConversionQCOM")
            .declare("%eight = OpConstant %uint 8\n%Long = OpTypeArray %uint %eight")
            .declare("%Short = OpTypeArray %uint %c4\n%long = OpConstantNull %Long")
            .declare("%i2 = OpConstant %int 2\n%i4 = OpConstant %int 4")
            .body(&format!("%part = OpExtractSubArrayQCOM %Short %long {start}"))
    };
    vec![
        of("VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163", matrices(), false, [other, listed]),
        of(
            "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10165",
            matrices(),
            true,
            [[3, 8, 8], [8, 8, 8]],
        ),
        of("VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06316", old_matrices(), false, [other, listed]),
        product("VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060", matrices(), false),
        product("VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10166", matrices(), true),
        product("VUID-RuntimeSpirv-OpTypeCooperativeMatrixMulAddNV-10059", old_matrices(), false),
        limit(
            "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensionsMaxDimension-10167",
            matrices(),
            "cooperativeMatrixFlexibleDimensionsMaxDimension",
            15,
            16,
        ),
        limit(
            "VUID-RuntimeSpirv-cooperativeMatrixSupportedStages-08985",
            matrices(),
            "cooperativeMatrixSupportedStages",
            0x1,
            0x21,
        ),
        limit(
            "VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06322",
            old_matrices(),
            "cooperativeMatrixSupportedStages",
            0x1,
            0x20,
        ),
        Case {
            rule: "VUID-RuntimeSpirv-maxComputeSharedMemorySize-10168",
            bad: (group.clone(), shared(31)),
            good: (group, shared(32)),
        },
        pair(
            "VUID-RuntimeSpirv-OpCooperativeMatrixLoadTensorNV-12429",
            decoding("%float4", "%many", BOTH, "%c1 %c2"),
            decoding("%float4", "%many", BOTH, "%c2 %c4"),
        ),
        pair("VUID-RuntimeSpirv-OpExtractSubArrayQCOM-12354", extract("%i2"), extract("%i4")),
        of("VUID-RuntimeSpirv-NSize-12352", extract("%i4"), false, [[8, 16, 4], [16, 8, 4]]),
        of("VUID-RuntimeSpirv-KSize-12353", extract("%i4"), false, [[4, 8, 8], [16, 8, 4]]),
    ]
}

/// A multiplication of a vector of half floats by a matrix in a buffer.
fn product(interpretation: u32, layout: u32) -> Text {
    buffer("StorageBuffer", "Block")
        .capability("CooperativeVectorNV Float16 ReplicatedCompositesEXT")
        .declare("%half = OpTypeFloat 16\n%vector = OpTypeCooperativeVectorNV %half %c4")
        .declare(&format!("%kind = OpConstant %uint {interpretation}\n%layout = OpConstant %uint {layout}"))
        .declare("%input = OpConstantNull %vector\n%false = OpConstantFalse %bool")
        .declare("%p_array = OpTypePointer StorageBuffer %floats")
        .body("%matrix = OpAccessChain %p_array %buffer %c0")
        .body(
            "%r = OpCooperativeVectorMatrixMulNV %vector %input %c0 %matrix %c0 %kind %c4 %c4 %layout %false %c4",
        )
        .holding_array()
}

impl Text {
    /// Makes the member of the block a runtime array of floats.
    pub(crate) fn holding_array(mut self) -> Text {
        let array = "%floats = OpTypeRuntimeArray %float\n%Block = OpTypeStruct %floats";
        self.declarations = self.declarations.replace("%Block = OpTypeStruct %float", array);
        self.decorate("OpDecorate %floats ArrayStride 4")
    }
}

fn training(body: &str) -> Text {
    buffer("StorageBuffer", "Block")
        .capability("CooperativeVectorNV CooperativeVectorTrainingNV Float16 Float64")
        .declare("%half = OpTypeFloat 16\n%double = OpTypeFloat 64")
        .declare("%halves = OpTypeCooperativeVectorNV %half %c4\n%h = OpConstantNull %halves")
        .declare("%singles = OpTypeCooperativeVectorNV %float %c4\n%s = OpConstantNull %singles")
        .declare("%doubles = OpTypeCooperativeVectorNV %double %c4\n%d = OpConstantNull %doubles")
        .declare("%p_array = OpTypePointer StorageBuffer %floats")
        .body("%target = OpAccessChain %p_array %buffer %c0")
        .body(body)
        .holding_array()
}

fn of_vectors() -> Vec<Case> {
    let listing = |types: [ComponentType; 2]| {
        let mut device = Device::everything();
        device.cooperative_vectors = Some(vec![CooperativeVectorProperties {
            input: types[0],
            input_interpretation: F16,
            matrix_interpretation: types[1],
            bias_interpretation: F16,
            result: types[0],
            transpose: false,
        }]);
        device
    };
    let listed = |rule, bad, good| Case {
        rule,
        bad: (product(0, 0), listing(bad)),
        good: (product(0, 0), listing(good)),
    };
    let sum =
        |value: &str| training(&format!("OpCooperativeVectorReduceSumAccumulateNV %target %c0 {value}"));
    let outer = |vector: &str, layout: &str, kind: &str| {
        let op = "OpCooperativeVectorOuterProductAccumulateNV";
        training(&format!("{op} %target %c0 {vector} {vector} {layout} {kind} %c4"))
    };
    vec![
        listed("VUID-RuntimeSpirv-OpTypeCooperativeVector-10095", [F32, F16], [F16, F16]),
        listed("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089", [F16, F32], [F16, F16]),
        pair(
            "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10090",
            product(1_000_491_002, 0),
            product(1_000_491_002, 2),
        ),
        pair("VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092", sum("%d"), sum("%s")),
        pair(
            "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093",
            outer("%s", "%c3", "%c0"),
            outer("%h", "%c3", "%c0"),
        ),
        limit(
            "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093",
            outer("%h", "%c3", "%c1"),
            "cooperativeVectorTrainingFloat32Accumulation",
            0,
            1,
        ),
        pair(
            "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093",
            outer("%h", "%c2", "%c0"),
            outer("%h", "%c3", "%c0"),
        ),
        limit(
            "VUID-RuntimeSpirv-cooperativeVectorSupportedStages-10091",
            product(0, 0),
            "cooperativeVectorSupportedStages",
            0x10,
            0x20,
        ),
    ]
}

fn of_tensors() -> Vec<Case> {
    let read = || {
        compute()
            .capability("TensorsARM")
            .decorate("OpDecorate %tensor DescriptorSet 0\nOpDecorate %tensor Binding 0")
            .declare("%Tensor = OpTypeTensorARM %float %c2\n%Coordinates = OpTypeArray %uint %c2")
            .declare("%Values = OpTypeArray %float %c4\n%at = OpConstantNull %Coordinates")
            .variable("tensor", "UniformConstant", "%Tensor")
            .body("%t = OpLoad %Tensor %tensor\n%values = OpTensorReadARM %Values %t %at")
    };
    let property = |rule, name, bad, good| limit(rule, read(), name, bad, good);
    vec![
        property(
            "VUID-RuntimeSpirv-maxTensorShaderAccessArrayLength-09903",
            "maxTensorShaderAccessArrayLength",
            3,
            4,
        ),
        property("VUID-RuntimeSpirv-maxTensorShaderAccessSize-09904", "maxTensorShaderAccessSize", 15, 16),
        property(
            "VUID-RuntimeSpirv-shaderTensorSupportedStages-09901",
            "shaderTensorSupportedStages",
            0x10,
            0x20,
        ),
    ]
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [of_matrices(), of_vectors(), of_tensors()].into_iter().flatten().collect()
}
