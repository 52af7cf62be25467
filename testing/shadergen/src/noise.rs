//! Random words: noise, noise behind a header, and modules grown from random instructions that follow the
//! grammar.

use pyro_random::Random;
use pyro_spirv::grammar::{OpClass, OpInfo, OperandKind, OperandQuantifier, is_id_kind, table};
use pyro_spirv::spirv::{Capability, Op};
use pyro_spirv::{Id, Inst, Module, asm};
use std::collections::HashMap;
use std::fmt::Write;

const MAGIC: u32 = 0x0723_0203;
const VERSION: u32 = 0x0001_0600;

/// Any words.
pub fn words(random: &mut Random) -> Vec<u32> {
    let mut words: Vec<u32> = (0..random.below(100)).map(|_| random.bits() as u32).collect();
    if let Some(first) = words.first_mut()
        && random.one_in(2)
    {
        *first = MAGIC;
    }
    words
}

/// Random words behind a header. Most are instructions by their length and opcode, with small numbers as
/// operands, so that more of them are read.
pub fn behind_header(random: &mut Random) -> Vec<u32> {
    let bound = random.pick(&[0, 1, 8, 64, 4096, u32::MAX]);
    let mut words = vec![MAGIC, VERSION, 0, bound, 0];
    let is_noise = random.one_in(4);
    for _ in 0..random.below(80) {
        if is_noise || random.one_in(20) {
            words.push(random.bits() as u32);
            continue;
        }
        let len = 1 + random.below(6);
        words.push(len << 16 | random.below(450));
        words.extend((1..len).map(|_| random.below(64)));
    }
    words
}

/// Types of scalars and how their one and two are written.
const SCALARS: [(&str, &str, [&str; 4]); 11] = [
    ("i8", "OpTypeInt 8 1", ["0", "1", "2", "-1"]),
    ("u8", "OpTypeInt 8 0", ["0", "1", "2", "255"]),
    ("i16", "OpTypeInt 16 1", ["0", "1", "2", "-1"]),
    ("u16", "OpTypeInt 16 0", ["0", "1", "2", "65535"]),
    ("i32", "OpTypeInt 32 1", ["0", "1", "2", "-1"]),
    ("u32", "OpTypeInt 32 0", ["0", "1", "2", "264"]),
    ("i64", "OpTypeInt 64 1", ["0", "1", "2", "-1"]),
    ("u64", "OpTypeInt 64 0", ["0", "1", "2", "4294967296"]),
    ("f16", "OpTypeFloat 16", ["0", "1", "2", "-0.5"]),
    ("f32", "OpTypeFloat 32", ["0", "1", "2", "-0.5"]),
    ("f64", "OpTypeFloat 64", ["0", "1", "2", "-0.5"]),
];

/// The module that grows: types, constants, variables of several storage classes, an empty entry point.
#[allow(clippy::too_many_lines, reason = "one text")]
fn preamble() -> String {
    let mut text = String::from("; Version: 1.6\n");
    for capability in [
        "Shader",
        "Int8",
        "Int16",
        "Int64",
        "Float16",
        "Float64",
        "GroupNonUniform",
        "GroupNonUniformVote",
        "GroupNonUniformBallot",
        "GroupNonUniformArithmetic",
        "GroupNonUniformClustered",
        "GroupNonUniformShuffle",
        "GroupNonUniformShuffleRelative",
        "GroupNonUniformQuad",
        "GroupNonUniformRotateKHR",
        "GroupNonUniformPartitionedEXT",
        "Int64Atomics",
        "AtomicFloat16AddEXT",
        "AtomicFloat32AddEXT",
        "AtomicFloat64AddEXT",
        "AtomicFloat16MinMaxEXT",
        "AtomicFloat32MinMaxEXT",
        "AtomicFloat64MinMaxEXT",
        "DotProduct",
        "DotProductInputAll",
        "DotProductInput4x8Bit",
        "DotProductInput4x8BitPacked",
        "VariablePointers",
        "VulkanMemoryModel",
        "VulkanMemoryModelDeviceScope",
        "SubgroupVoteKHR",
        "SubgroupBallotKHR",
        "Groups",
        "ShaderClockKHR",
        "BitInstructions",
    ] {
        let _ = writeln!(text, "OpCapability {capability}");
    }
    text += "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical Vulkan\n\
             OpEntryPoint GLCompute %main \"main\" %id %data";
    let mut body = String::from(
        "%void = OpTypeVoid\n%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n",
    );
    let mut sinks = Vec::new();
    for (name, ty, values) in SCALARS {
        let _ = writeln!(body, "%{name} = {ty}");
        for (index, value) in values.iter().enumerate() {
            let _ = writeln!(body, "%{name}_{index} = OpConstant %{name} {value}");
        }
        sinks.push(name.to_owned());
    }
    for (name, size) in [
        ("u32", 2),
        ("u32", 3),
        ("u32", 4),
        ("i32", 3),
        ("f32", 2),
        ("f32", 3),
        ("f32", 4),
        ("u16", 2),
        ("i8", 4),
        ("u8", 4),
        ("f16", 2),
        ("f16", 4),
        ("u64", 2),
        ("f64", 3),
        ("bool", 2),
        ("bool", 4),
    ] {
        let _ = writeln!(
            body,
            "%{name}x{size} = OpTypeVector %{name} {size}\n%{name}x{size}_null = OpConstantNull %{name}x{size}"
        );
        sinks.push(format!("{name}x{size}"));
    }
    body += "%bool_sink = OpTypePointer Private %bool\n";
    for (name, column, count) in
        [("mat22", "f32x2", 2), ("mat34", "f32x4", 3), ("mat43", "f32x3", 4), ("mat3d", "f64x3", 3)]
    {
        let _ =
            writeln!(body, "%{name} = OpTypeMatrix %{column} {count}\n%{name}_null = OpConstantNull %{name}");
        sinks.push(name.to_owned());
    }
    body += "%u32_5 = OpConstant %u32 5\n%array = OpTypeArray %f32x3 %u32_5\n%pair_u = OpTypeStruct %u32 %u32\n%pair_i = OpTypeStruct %i32 %i32\n\
             %pair_f = OpTypeStruct %f32 %f32\n%pair_e = OpTypeStruct %f32 %i32\n%both = OpTypeStruct %u64 %array %mat22\n";
    for name in ["array", "pair_u", "pair_i", "pair_f", "pair_e", "both"] {
        let _ = writeln!(body, "%{name}_null = OpConstantNull %{name}");
        sinks.push(name.to_owned());
    }
    let mut interface = String::new();
    for (index, name) in sinks.iter().enumerate() {
        // All storage classes; what is in workgroup memory stays visible, so most lies there.
        let class = match index % 5 {
            _ if name.starts_with("bool") => "Private",
            0 => "Private",
            _ => "Workgroup",
        };
        let _ = writeln!(
            body,
            "%{name}_pointer = OpTypePointer {class} %{name}\n%{name}_variable = OpVariable %{name}_pointer {class}"
        );
        let _ = write!(interface, " %{name}_variable");
    }
    text += &interface;
    text += "\nOpExecutionMode %main LocalSize 20 1 1\nOpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %words ArrayStride 4\n\
             OpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\nOpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 0\n";
    text += &body;
    text += "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n%block_pointer = OpTypePointer StorageBuffer %block\n\
             %word_pointer = OpTypePointer StorageBuffer %u32\n%data = OpVariable %block_pointer StorageBuffer\n\
             %id_pointer = OpTypePointer Input %u32x3\n%id = OpVariable %id_pointer Input\n\
             %local_pointer = OpTypePointer Function %array\n%fn = OpTypeFunction %void\n\
             %main = OpFunction %void None %fn\n%entry = OpLabel\n%local = OpVariable %local_pointer Function\n\
             %invocation = OpLoad %u32x3 %id\n%x = OpCompositeExtract %u32 %invocation 0\n%fx = OpConvertUToF %f32 %x\n\
             %odd = OpBitwiseAnd %u32 %x %u32_1\n%is_odd = OpIEqual %bool %odd %u32_1\n";
    text
}

/// Opcodes that grow: what may stand in a block and is for shaders.
fn opcodes() -> Vec<&'static OpInfo> {
    let is_foreign = |info: &OpInfo| {
        let name = info.name;
        ["INTEL", "ALTERA", "QCOM", "ARM", "AMDX", "NV"].iter().any(|vendor| name.ends_with(vendor))
            || info.capabilities.contains(&Capability::Kernel)
                && !info.capabilities.contains(&Capability::Shader)
            || pyro_spirv::is_terminator(info.op)
            || matches!(info.op, Op::LoopMerge | Op::SelectionMerge | Op::Variable | Op::FunctionCall)
    };
    let all = (0..=u16::MAX).filter_map(|opcode| table().lookup(opcode));
    all.filter(|info| info.class == OpClass::Block || info.op == Op::ExtInst)
        .filter(|info| !is_foreign(info))
        .collect()
}

/// A value in scope.
#[derive(Clone, Copy)]
struct Known {
    id: u32,
    ty: u32,
}

/// A construct that is open, and what is written to close it.
struct Open {
    closing: Vec<u32>,
    /// Values known before it; none later is visible behind it.
    known: usize,
}

/// A module while it grows.
struct Growing {
    words: Vec<u32>,
    bound: u32,
    types: Vec<u32>,
    values: Vec<Known>,
    /// Variables by the type that they hold.
    variables: HashMap<u32, u32>,
    pointees: HashMap<u32, u32>,
    /// Small unsigned constants: scopes, semantics, indices.
    small: Vec<u32>,
    glsl: u32,
    bool_type: u32,
    open: Vec<Open>,
}

const RETURN: u32 = 1 << 16 | Op::Return as u32;
const FUNCTION_END: u32 = 1 << 16 | Op::FunctionEnd as u32;

impl Growing {
    fn new() -> Growing {
        let text = preamble();
        let words = asm::assemble(&format!("{text}OpReturn\nOpFunctionEnd\n")).expect("valid assembly");
        let module = Module::decode(&words).expect("a module");
        let mut growing = Growing {
            bound: words[3],
            types: Vec::new(),
            values: Vec::new(),
            variables: HashMap::new(),
            pointees: HashMap::new(),
            small: Vec::new(),
            glsl: 0,
            bool_type: 0,
            open: Vec::new(),
            words: Vec::new(),
        };
        for index in 0..module.inst_count() as u32 {
            let inst = module.inst(Inst::from_u32(index));
            let start = inst.word_offset();
            let Some(result) = inst.result().map(Id::as_u32) else { continue };
            match (inst.op(), inst.result_type().map(Id::as_u32)) {
                (Op::ExtInstImport, _) => growing.glsl = result,
                (Op::Function | Op::Label, _) => {}
                (Op::TypeBool, _) => {
                    growing.bool_type = result;
                    growing.types.push(result);
                }
                (Op::TypePointer, _) => {
                    growing.pointees.insert(result, words[start + 3]);
                    growing.types.push(result);
                }
                (_, None) => growing.types.push(result),
                (op, Some(ty)) => {
                    growing.values.push(Known { id: result, ty });
                    if op == Op::Variable {
                        growing.variables.insert(growing.pointees[&ty], result);
                    }
                    if op == Op::Constant && words[start] >> 16 == 4 && words[start + 3] < 300 {
                        growing.small.push(result);
                    }
                }
            }
        }
        growing.words = words;
        growing.words.truncate(growing.words.len() - 2);
        growing
    }

    /// The module as it would be with these instructions and all constructs closed.
    fn finished(&self, more: &[u32]) -> Vec<u32> {
        let mut words = self.words.clone();
        words[3] = self.bound + 1;
        words.extend_from_slice(more);
        for open in self.open.iter().rev() {
            words.extend_from_slice(&open.closing);
        }
        words.extend([RETURN, FUNCTION_END]);
        words
    }

    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Some value, rather a late one.
    fn value(&self, random: &mut Random) -> Known {
        let count = self.values.len() as u32;
        let at = if random.one_in(2) { count - 1 - random.below(count.min(12)) } else { random.below(count) };
        self.values[at as usize]
    }

    /// A value of a type, where one is found.
    fn value_of(&self, ty: u32, random: &mut Random) -> u32 {
        let count = self.values.len();
        let start = random.below(count as u32) as usize;
        let all = (0..count).map(|step| self.values[(start + count - step) % count]);
        all.into_iter().find(|known| known.ty == ty).map_or_else(|| self.value(random).id, |known| known.id)
    }

    /// An instruction of the opcode with operands that may fit.
    fn instruction(&self, info: &OpInfo, result: u32, random: &mut Random) -> (Vec<u32>, Option<Known>) {
        let mut words = vec![0];
        let main = self.value(random);
        let mut ty = if random.one_in(3) { random.pick(&self.types) } else { main.ty };
        if random.one_in(8) {
            ty = self.bool_type;
        }
        let pointer = self.values[random.below(self.values.len() as u32) as usize];
        if matches!(info.op, Op::Load | Op::AtomicLoad)
            && let Some(&pointee) = self.pointees.get(&pointer.ty)
        {
            words.extend([pointee, result, pointer.id]);
            words[0] = 4 << 16 | info.op as u32;
            if info.op == Op::Load {
                return (words, Some(Known { id: result, ty: pointee }));
            }
            words.truncate(1);
        }
        let known = (info.has_result_type && info.has_result).then_some(Known { id: result, ty });
        if info.has_result_type {
            words.push(ty);
        }
        if info.has_result {
            words.push(result);
        }
        let same = if random.one_in(2) { ty } else { main.ty };
        for operand in info.operands {
            let count = match operand.quantifier {
                OperandQuantifier::One => 1,
                OperandQuantifier::ZeroOrOne => random.below(2),
                OperandQuantifier::ZeroOrMore => random.below(5),
            };
            for _ in 0..count {
                self.operand(info.op, operand.kind, same, &mut words, random);
            }
            if count == 0 {
                break;
            }
        }
        words[0] = (words.len() as u32) << 16 | info.op as u32;
        (words, known)
    }

    fn operand(&self, op: Op, kind: OperandKind, same: u32, words: &mut Vec<u32>, random: &mut Random) {
        match kind {
            OperandKind::IdScope | OperandKind::IdMemorySemantics => words.push(random.pick(&self.small)),
            OperandKind::LiteralExtInstInteger => words.push(random.below(84)),
            OperandKind::IdRef if op == Op::ExtInst && words.len() == 3 => words.push(self.glsl),
            kind if is_id_kind(kind) => words.push(match random.below(16) {
                0..8 => self.value_of(same, random),
                8..12 => self.value(random).id,
                12..14 => random.pick(&self.small),
                14 => self.values[random.below(self.values.len() as u32) as usize].id,
                _ => random.below(self.bound),
            }),
            OperandKind::PairIdRefIdRef => words.extend([self.value(random).id, self.value(random).id]),
            OperandKind::PairIdRefLiteralInteger => words.extend([self.value(random).id, random.below(8)]),
            OperandKind::LiteralString => words.push(u32::from(b'x')),
            _ => words.push(if random.one_in(30) { random.bits() as u32 } else { random.below(5) }),
        }
    }

    /// A selection or a loop around what comes next, or the end of the innermost.
    fn construct(&mut self, random: &mut Random) -> Vec<u32> {
        let branch = |to: u32| [2 << 16 | Op::Branch as u32, to];
        let label = |id: u32| [2 << 16 | Op::Label as u32, id];
        if self.open.len() >= 4 || !self.open.is_empty() && random.one_in(2) {
            let open = self.open.pop().expect("one is open");
            self.values.truncate(open.known);
            return open.closing;
        }
        let condition = self.value_of(self.bool_type, random);
        let conditional =
            |then, otherwise| [4 << 16 | Op::BranchConditional as u32, condition, then, otherwise];
        let (inside, merge) = (self.fresh(), self.fresh());
        let known = self.values.len();
        let mut words = Vec::new();
        if random.one_in(2) {
            words.extend([3 << 16 | Op::SelectionMerge as u32, merge, 0]);
            words.extend(conditional(inside, merge));
            words.extend(label(inside));
            self.open.push(Open { closing: [branch(merge), label(merge)].concat(), known });
        } else {
            let (header, next) = (self.fresh(), self.fresh());
            words.extend(branch(header));
            words.extend(label(header));
            words.extend([4 << 16 | Op::LoopMerge as u32, merge, next, 0]);
            words.extend(branch(inside));
            words.extend(label(inside));
            // The condition does not change, so lanes leave at the first turn or are stopped by the step
            // limit.
            let mut closing = [branch(next), label(next)].concat();
            closing.extend(conditional(header, merge));
            closing.extend(label(merge));
            self.open.push(Open { closing, known });
        }
        words
    }
}

/// Grows a module by `tries` random instructions; those that `accept` refuses, given the whole module, are
/// left out. Gives the opcodes of those that were taken, too.
pub fn grow(tries: u32, random: &mut Random, accept: &mut dyn FnMut(&[u32]) -> bool) -> (Vec<u32>, Vec<Op>) {
    let opcodes = opcodes();
    let (mut growing, mut taken) = (Growing::new(), Vec::new());
    for _ in 0..tries {
        if random.one_in(40) {
            let words = growing.construct(random);
            growing.words.extend(words);
            continue;
        }
        let result = growing.fresh();
        let info = opcodes[random.below(opcodes.len() as u32) as usize];
        let (words, known) = growing.instruction(info, result, random);
        if !accept(&growing.finished(&words)) {
            continue;
        }
        growing.words.extend(&words);
        taken.push(info.op);
        let Some(known) = known else { continue };
        growing.values.push(known);
        if let Some(&variable) = growing.variables.get(&known.ty)
            && random.one_in(2)
        {
            let store = [3 << 16 | Op::Store as u32, variable, known.id];
            if accept(&growing.finished(&store)) {
                growing.words.extend(store);
            }
        }
    }
    (growing.finished(&[]), taken)
}
