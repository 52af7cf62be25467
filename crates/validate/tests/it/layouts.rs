//! Explicit layouts, row by row: what each class of memory and each feature asks of offsets and strides
//! (Vulkan, "Offset and Stride Assignment").

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Environment, LayoutFeatures, check};

const STRICT: LayoutFeatures =
    LayoutFeatures { relaxed: false, uniform_standard: false, scalar: false, workgroup_scalar: false };
const RELAXED: LayoutFeatures = LayoutFeatures { relaxed: true, ..STRICT };
const STANDARD: LayoutFeatures = LayoutFeatures { uniform_standard: true, ..RELAXED };
const SCALAR: LayoutFeatures = LayoutFeatures { scalar: true, workgroup_scalar: true, ..STANDARD };

/// A block in some memory: its members with their offsets.
#[derive(Clone)]
struct Block {
    /// `Uniform`, `StorageBuffer`, `PushConstant`, `Workgroup`.
    classes: &'static [&'static str],
    capabilities: &'static str,
    /// Strides of the arrays `%floats`, `%vectors`, `%structs`.
    strides: [u32; 3],
    /// Stride of the matrix `%matrix` of two columns of two floats.
    matrix: (u32, &'static str),
    members: &'static [(&'static str, u32)],
}

const STORAGE: Block = Block {
    classes: &["StorageBuffer"],
    capabilities: "",
    strides: [4, 16, 16],
    matrix: (8, "ColMajor"),
    members: &[("%float", 0)],
};

impl Block {
    fn text(&self) -> String {
        let mut text = format!("; Version: 1.4\nOpCapability Shader\n{}", self.capabilities);
        let names: Vec<String> = (0..self.classes.len()).map(|index| format!(" %v{index}")).collect();
        text += &format!(
            "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"{}\n\
             OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %Block Block\nOpMemberDecorate %Inner 0 Offset 0\n\
             OpMemberDecorate %Pair 0 Offset 0\n",
            names.concat()
        );
        for (name, stride) in ["%floats", "%vectors", "%structs"].iter().zip(self.strides) {
            text += &format!("OpDecorate {name} ArrayStride {stride}\n");
        }
        for (index, (member, offset)) in self.members.iter().enumerate() {
            text += &format!("OpMemberDecorate %Block {index} Offset {offset}\n");
            if *member == "%matrix" {
                let (stride, major) = self.matrix;
                text += &format!("OpMemberDecorate %Block {index} {major}\n");
                text += &format!("OpMemberDecorate %Block {index} MatrixStride {stride}\n");
            }
        }
        for (index, class) in self.classes.iter().enumerate() {
            if matches!(*class, "Uniform" | "StorageBuffer") {
                text +=
                    &format!("OpDecorate %v{index} DescriptorSet 0\nOpDecorate %v{index} Binding {index}\n");
            }
        }
        let members: Vec<&str> = self.members.iter().map(|(member, _)| *member).collect();
        text += &format!(
            "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n\
             %double = OpTypeFloat 64\n%two = OpConstant %uint 2\n%float2 = OpTypeVector %float 2\n\
             %float3 = OpTypeVector %float 3\n%float4 = OpTypeVector %float 4\n%double2 = OpTypeVector %double 2\n\
             %double3 = OpTypeVector %double 3\n%Inner = OpTypeStruct %float3\n%Pair = OpTypeStruct %float2\n\
             %Empty = OpTypeStruct\n%floats = OpTypeArray %float %two\n%vectors = OpTypeArray %float3 %two\n\
             %structs = OpTypeArray %Pair %two\n%matrix = OpTypeMatrix %float2 2\n%Block = OpTypeStruct {}\n",
            members.join(" ")
        );
        for (index, class) in self.classes.iter().enumerate() {
            text += &format!(
                "%p{index} = OpTypePointer {class} %Block\n%v{index} = OpVariable %p{index} {class}\n"
            );
        }
        text + "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n"
    }

    fn is_refused(&self, layout: LayoutFeatures) -> bool {
        let text =
            self.text().replacen("OpCapability Shader", "OpCapability Shader\nOpCapability Float64", 1);
        let words = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"));
        match check(&module, &Environment { strict: true, layout, ..Environment::default() }) {
            Ok(_) => false,
            Err(found) => {
                assert_eq!(found[0].rule, "VUID-StandaloneSpirv-None-10684", "{}\n{text}", found[0]);
                true
            }
        }
    }
}

/// A member at offsets that are fine and at offsets that are not.
fn offsets(block: Block, member: &'static str, layout: LayoutFeatures, fine: &[u32], wrong: &[u32]) {
    for (list, is_wrong) in [(fine, false), (wrong, true)] {
        for &offset in list {
            let members: &'static [_] = vec![(member, offset)].leak();
            let block = Block { members, ..block.clone() };
            assert_eq!(block.is_refused(layout.clone()), is_wrong, "{member} at {offset} with {layout:?}");
        }
    }
}

fn uniform() -> Block {
    Block { classes: &["Uniform"], strides: [16, 16, 16], matrix: (16, "ColMajor"), ..STORAGE }
}

#[test]
fn base_alignment() {
    offsets(STORAGE, "%float", STRICT, &[0, 4, 12], &[1, 2, 6]);
    offsets(STORAGE, "%double", STRICT, &[0, 8], &[4, 12]);
    offsets(STORAGE, "%float2", STRICT, &[0, 8, 24], &[4, 12]);
    offsets(STORAGE, "%float3", STRICT, &[0, 16], &[4, 8, 12]);
    offsets(STORAGE, "%float4", STRICT, &[0, 32], &[4, 8, 24]);
    offsets(STORAGE, "%double2", STRICT, &[0, 16], &[8, 24]);
    // Arrays and structures as what they hold.
    offsets(STORAGE, "%floats", STRICT, &[0, 4], &[2]);
    offsets(STORAGE, "%Inner", STRICT, &[0, 16], &[4, 8]);
    offsets(STORAGE, "%Pair", STRICT, &[0, 8], &[4]);
    offsets(STORAGE, "%matrix", STRICT, &[0, 8], &[4]);
}

#[test]
fn empty_structures() {
    offsets(STORAGE, "%Empty", STRICT, &[0, 4], &[2, 3]);
    let bytes = "OpCapability StorageBuffer8BitAccess\nOpExtension \"SPV_KHR_8bit_storage\"\n";
    offsets(Block { capabilities: bytes, ..STORAGE }, "%Empty", STRICT, &[0, 1, 2, 4], &[]);
}

#[test]
fn extended_alignment() {
    for layout in [STRICT, RELAXED] {
        for member in ["%floats", "%structs", "%Pair", "%matrix"] {
            offsets(uniform(), member, layout.clone(), &[0, 16, 32], &[4, 8, 24]);
        }
        // Scalars and vectors are not rounded up.
        offsets(uniform(), "%float2", layout, &[0, 8], &[2]);
    }
}

#[test]
fn vectors_do_not_straddle() {
    offsets(STORAGE, "%float2", RELAXED, &[0, 4, 8, 16], &[12, 28]);
    offsets(STORAGE, "%float3", RELAXED, &[0, 4, 16, 20], &[8, 12]);
    offsets(STORAGE, "%float4", RELAXED, &[0, 16], &[4, 8, 12]);
    offsets(STORAGE, "%double2", RELAXED, &[0, 16], &[8, 24]);
    // Larger ones begin at a multiple.
    offsets(STORAGE, "%double3", RELAXED, &[0, 16, 32], &[8, 24]);
    offsets(STORAGE, "%double3", SCALAR, &[0, 8, 24], &[4]);
}

#[test]
fn vectors_align_to_scalars() {
    for layout in [RELAXED, STANDARD] {
        offsets(STORAGE, "%float3", layout.clone(), &[4], &[2]);
        offsets(uniform(), "%float3", layout, &[4], &[2]);
    }
}

#[test]
fn scalar_layout() {
    offsets(STORAGE, "%float4", SCALAR, &[0, 4, 8, 12], &[2]);
    offsets(Block { strides: [4, 12, 8], ..STORAGE }, "%vectors", SCALAR, &[0, 4, 12], &[2]);
    offsets(Block { classes: &["Uniform"], ..STORAGE }, "%floats", SCALAR, &[0, 4], &[]);
    // Workgroup memory has a feature of its own.
    let shared = "OpCapability WorkgroupMemoryExplicitLayoutKHR\n\
                  OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
    let shared = Block { classes: &["Workgroup"], capabilities: shared, ..STORAGE };
    let without = LayoutFeatures { workgroup_scalar: false, ..SCALAR };
    offsets(shared.clone(), "%float4", without, &[0, 16], &[4]);
    offsets(shared, "%float4", SCALAR, &[0, 4, 16], &[]);
}

#[test]
fn uniform_blocks_without_the_standard_layout() {
    let tight = || Block { strides: [4, 16, 8], matrix: (8, "ColMajor"), ..uniform() };
    for member in ["%floats", "%structs", "%matrix"] {
        offsets(tight(), member, RELAXED, &[], &[0, 16]);
        offsets(tight(), member, STANDARD, &[0, 8, 16], &[]);
    }
    // Old storage blocks in uniform memory and other classes follow the base alignment.
    offsets(Block { classes: &["PushConstant"], ..STORAGE }, "%floats", STRICT, &[0, 4], &[2]);
}

#[test]
fn strides_are_multiples() {
    for (strides, member) in [([2, 16, 16], "%floats"), ([4, 12, 16], "%vectors"), ([4, 16, 12], "%structs")]
    {
        offsets(Block { strides, ..STORAGE }, member, RELAXED, &[], &[0]);
    }
    // Elements do not overlap either.
    offsets(Block { strides: [4, 16, 4], ..STORAGE }, "%structs", SCALAR, &[], &[0]);
    offsets(Block { matrix: (4, "ColMajor"), ..STORAGE }, "%matrix", RELAXED, &[], &[0]);
    offsets(Block { matrix: (16, "RowMajor"), ..STORAGE }, "%matrix", RELAXED, &[0], &[]);
}

#[test]
fn nothing_lies_in_a_tail() {
    for (first, next, is_wrong) in
        [("%Inner", 12, true), ("%Inner", 16, false), ("%vectors", 28, true), ("%vectors", 32, false)]
    {
        let members: &'static [_] = vec![(first, 0), ("%float", next)].leak();
        let block = Block { members, ..STORAGE };
        assert_eq!(block.is_refused(RELAXED), is_wrong, "{first}, then a float at {next}");
        assert!(!block.is_refused(SCALAR) || next < 16, "{first}, then a float at {next}");
    }
    // Not so behind vectors.
    assert!(!Block { members: &[("%float3", 0), ("%float", 12)], ..STORAGE }.is_refused(RELAXED));
}

#[test]
fn every_class_of_memory_counts() {
    let members: &[(&str, u32)] = &[("%floats", 4)];
    assert!(!Block { members, ..STORAGE }.is_refused(RELAXED));
    assert!(Block { members, classes: &["StorageBuffer", "Uniform"], ..STORAGE }.is_refused(RELAXED));
    assert!(!Block { members, classes: &["StorageBuffer", "Uniform"], ..STORAGE }.is_refused(STANDARD));
}
