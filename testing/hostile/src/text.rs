//! Changes of SPIR-V assembly.

use crate::number;
use pyro_random::Random;
use std::collections::BTreeMap;

/// Built-ins of all stages.
const BUILT_INS: &[&str] = &[
    "Position",
    "PointSize",
    "ClipDistance",
    "CullDistance",
    "VertexIndex",
    "InstanceIndex",
    "PrimitiveId",
    "InvocationId",
    "Layer",
    "ViewportIndex",
    "TessLevelOuter",
    "TessLevelInner",
    "TessCoord",
    "PatchVertices",
    "FragCoord",
    "PointCoord",
    "FrontFacing",
    "SampleId",
    "SamplePosition",
    "SampleMask",
    "FragDepth",
    "HelperInvocation",
    "NumWorkgroups",
    "WorkgroupId",
    "LocalInvocationId",
    "GlobalInvocationId",
    "LocalInvocationIndex",
    "SubgroupSize",
    "SubgroupLocalInvocationId",
    "BaseVertex",
    "BaseInstance",
    "DrawIndex",
    "DeviceIndex",
    "ViewIndex",
    "FragStencilRefEXT",
    "PrimitivePointIndicesEXT",
    "PrimitiveLineIndicesEXT",
    "PrimitiveTriangleIndicesEXT",
    "CullPrimitiveEXT",
    "PrimitiveShadingRateKHR",
    "ShadingRateKHR",
    "BaryCoordKHR",
    "LaunchIdKHR",
    "LaunchSizeKHR",
    "WorldRayOriginKHR",
    "RayTmaxKHR",
    "HitKindKHR",
    "InstanceCustomIndexKHR",
    "ObjectToWorldKHR",
    "IncomingRayFlagsKHR",
];
const CLASSES: &[&str] = &[
    "Input",
    "Output",
    "Uniform",
    "UniformConstant",
    "StorageBuffer",
    "Private",
    "Function",
    "Workgroup",
    "PushConstant",
    "TaskPayloadWorkgroupEXT",
    "RayPayloadKHR",
    "IncomingRayPayloadKHR",
    "HitAttributeKHR",
    "CallableDataKHR",
    "IncomingCallableDataKHR",
    "ShaderRecordBufferKHR",
];
/// Decorations, with `#` for a number and `@` for a built-in.
const DECORATIONS: &[&str] = &[
    "Location #",
    "Component #",
    "Index #",
    "Binding #",
    "DescriptorSet #",
    "Stream #",
    "XfbBuffer #",
    "XfbStride #",
    "Offset #",
    "ArrayStride #",
    "MatrixStride #",
    "InputAttachmentIndex #",
    "BuiltIn @",
    "Flat",
    "NoPerspective",
    "Centroid",
    "Sample",
    "Patch",
    "PerPrimitiveEXT",
    "PerVertexKHR",
    "Invariant",
    "Block",
    "BufferBlock",
    "RowMajor",
    "ColMajor",
    "NonWritable",
    "NonReadable",
    "RelaxedPrecision",
    "NoContraction",
    "SpecId #",
];
/// Execution modes, with `#` for a number.
const MODES: &[&str] = &[
    "LocalSize # # #",
    "OutputVertices #",
    "OutputPrimitivesEXT #",
    "Invocations #",
    "Triangles",
    "Quads",
    "Isolines",
    "SpacingEqual",
    "SpacingFractionalOdd",
    "VertexOrderCcw",
    "PointMode",
    "OutputPoints",
    "OutputLinesEXT",
    "OutputTrianglesEXT",
    "OutputLineStrip",
    "OutputTriangleStrip",
    "InputPoints",
    "InputLines",
    "InputLinesAdjacency",
    "InputTrianglesAdjacency",
    "EarlyFragmentTests",
    "DepthReplacing",
    "DepthGreater",
    "OriginUpperLeft",
    "PixelCenterInteger",
    "Xfb",
    "PostDepthCoverage",
];
/// Instructions that stages have or do not have; `%` stands for any id.
const INSTRUCTIONS: &[&str] = &[
    "OpEmitVertex",
    "OpEndPrimitive",
    "OpKill",
    "OpTerminateInvocation",
    "OpDemoteToHelperInvocation",
    "OpIgnoreIntersectionKHR",
    "OpTerminateRayKHR",
    "OpEmitStreamVertex %",
    "OpEndStreamPrimitive %",
    "OpSetMeshOutputsEXT % %",
    "OpEmitMeshTasksEXT % % %",
    "OpExecuteCallableKHR % %",
    "OpControlBarrier % % %",
    "OpMemoryBarrier % %",
    "OpStore % %",
    "OpCopyMemory % %",
    "OpReturn",
    "OpUnreachable",
    "OpTraceRayKHR % % % % % % % % % % %",
];
const OPERATIONS: &[&str] = &[
    "OpFAdd",
    "OpFSub",
    "OpFMul",
    "OpFDiv",
    "OpFRem",
    "OpIAdd",
    "OpISub",
    "OpIMul",
    "OpUDiv",
    "OpSDiv",
    "OpUMod",
    "OpSRem",
    "OpShiftLeftLogical",
    "OpShiftRightLogical",
    "OpBitwiseAnd",
    "OpBitwiseOr",
];

fn is_id(word: &str) -> bool {
    word.starts_with('%')
}

fn is_number(word: &str) -> bool {
    word.parse::<i64>().is_ok() || word.parse::<f64>().is_ok()
}

/// The id that a line defines and its type, where it has one.
fn defined(words: &[String]) -> Option<(&str, Option<&str>)> {
    let [result, equals, op, rest @ ..] = words else { return None };
    let typed = !op.starts_with("OpType") && op != "OpLabel" && op != "OpString" && op != "OpExtInstImport";
    let ty = rest.first().filter(|ty| typed && is_id(ty)).map(String::as_str);
    (equals == "=").then_some((result, ty))
}

/// The words of a template, with numbers, built-ins and ids in place of its signs.
fn filled(template: &str, ids: &[String], random: &mut Random) -> Vec<String> {
    let word = |word: &str| match word {
        "#" => number(random).to_string(),
        "@" => random.pick(BUILT_INS).to_owned(),
        "%" => ids.get(random.below(ids.len())).cloned().unwrap_or_default(),
        word => word.to_owned(),
    };
    template.split(' ').map(word).collect()
}

/// A text as lines of words.
struct Lines {
    lines: Vec<Vec<String>>,
    ids: Vec<String>,
    /// Ids by the name of their type.
    by_type: BTreeMap<String, Vec<String>>,
}

impl Lines {
    fn new(text: &str) -> Lines {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let lines: Vec<_> = text.lines().map(words).filter(|words| !words.is_empty()).collect();
        let mut ids = Vec::new();
        let mut by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, ty) in lines.iter().filter_map(|words| defined(words)) {
            ids.push(id.to_owned());
            if let Some(ty) = ty {
                by_type.entry(ty.to_owned()).or_default().push(id.to_owned());
            }
        }
        Lines { lines, ids, by_type }
    }

    /// A line that begins with this, where there is one.
    fn any_line(&self, is_wanted: impl Fn(&[String]) -> bool, random: &mut Random) -> Option<usize> {
        let at: Vec<usize> = (0..self.lines.len()).filter(|&at| is_wanted(&self.lines[at])).collect();
        (!at.is_empty()).then(|| random.pick(&at))
    }

    /// A word of any line that is of this kind, behind what the line defines.
    fn any_word(&self, is_wanted: impl Fn(&str) -> bool, random: &mut Random) -> Option<(usize, usize)> {
        let has =
            |words: &[String]| !words[0].starts_with(';') && words.iter().skip(1).any(|word| is_wanted(word));
        let line = self.any_line(has, random)?;
        let words = &self.lines[line];
        let at: Vec<usize> = (1..words.len()).filter(|&at| is_wanted(&words[at])).collect();
        Some((line, random.pick(&at)))
    }

    /// Another id of the same type, or any.
    fn other_id(&mut self, keeps_type: bool, random: &mut Random) -> Option<()> {
        let (line, at) = self.any_word(is_id, random)?;
        let old = &self.lines[line][at];
        let of_type = self.by_type.values().find(|ids| ids.contains(old));
        let ids = of_type.filter(|_| keeps_type).unwrap_or(&self.ids);
        self.lines[line][at] = ids[random.below(ids.len())].clone();
        Some(())
    }

    /// One word for another of a list.
    fn other_of(&mut self, list: &[&str], random: &mut Random) -> Option<()> {
        let (line, at) = self.any_word(|word| list.contains(&word), random)?;
        self.lines[line][at] = random.pick(list).to_owned();
        Some(())
    }

    /// A new line behind one of a kind.
    fn insert(
        &mut self,
        words: Vec<String>,
        is_wanted: impl Fn(&[String]) -> bool,
        random: &mut Random,
    ) -> Option<()> {
        let line = self.any_line(is_wanted, random)?;
        self.lines.insert(line + 1, words);
        Some(())
    }

    fn change(&mut self, random: &mut Random) -> Option<()> {
        let op =
            |words: &[String]| words.get(if words.get(1).is_some_and(|w| w == "=") { 2 } else { 0 }).cloned();
        let is_in_function = |words: &[String]| {
            op(words).is_some_and(|op| {
                ["OpLoad", "OpStore", "OpAccessChain", "OpCompositeExtract"].contains(&&*op)
            })
        };
        match random.below(16) {
            0..=3 => self.other_id(true, random),
            4 => self.other_id(false, random),
            5 | 6 => {
                let (line, at) = self.any_word(is_number, random)?;
                self.lines[line][at] = number(random).to_string();
                Some(())
            }
            7 => self.other_of(BUILT_INS, random),
            8 => self.other_of(CLASSES, random),
            9 => self.other_of(OPERATIONS, random),
            10 => {
                let ids = [self.ids[random.below(self.ids.len())].clone()];
                let words = filled(&format!("OpDecorate % {}", random.pick(DECORATIONS)), &ids, random);
                self.insert(words, |words| words[0] == "OpDecorate", random)
            }
            11 => {
                let line = self.any_line(|words| words[0] == "OpEntryPoint", random)?;
                let main = self.lines[line].get(2)?.clone();
                let words = filled(&format!("OpExecutionMode % {}", random.pick(MODES)), &[main], random);
                self.insert(words, |words| words[0] == "OpEntryPoint", random)
            }
            12 | 13 => {
                let words = filled(random.pick(INSTRUCTIONS), &self.ids, random);
                self.insert(words, is_in_function, random)
            }
            14 => {
                let line = self.any_line(
                    |words| {
                        words[0] == "OpStore"
                            || words[0].starts_with("OpDecorate")
                            || words[0].starts_with("OpExecutionMode")
                    },
                    random,
                )?;
                self.lines.remove(line);
                Some(())
            }
            _ => {
                let line = self.any_line(|words| words[0] == "OpStore", random)?;
                let words = self.lines[line].clone();
                self.insert(words, is_in_function, random)
            }
        }
    }
}

/// Changes a few ids, numbers, decorations, modes and instructions of a text.
#[must_use]
pub fn mutated(text: &str, random: &mut Random) -> String {
    let mut lines = Lines::new(text);
    for _ in 0..1 + random.below(3) {
        lines.change(random);
    }
    lines.lines.iter().map(|words| words.join(" ") + "\n").collect()
}
