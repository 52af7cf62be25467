//! Programs as SPIR-V assembly.

mod bug;
mod typed;

use crate::program::*;
use std::fmt::Write;

/// Capabilities, types, constants and variables that every program has.
const PREAMBLE: &str = "
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformRotateKHR
OpCapability GroupNonUniformPartitionedEXT
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability DotProduct
OpCapability DotProductInput4x8BitPacked
OpExtension \"SPV_KHR_integer_dot_product\"
OpExtension \"SPV_KHR_subgroup_rotate\"
OpExtension \"SPV_NV_shader_subgroup_partitioned\"
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %global_id %local_index %lane_id %workgroup_id %lane_count
";

const DECORATIONS: &str = "
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %local_index BuiltIn LocalInvocationIndex
OpDecorate %lane_id BuiltIn SubgroupLocalInvocationId
OpDecorate %workgroup_id BuiltIn WorkgroupId
OpDecorate %lane_count BuiltIn SubgroupSize
OpDecorate %words ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer BufferBlock
OpDecorate %input DescriptorSet 0
OpDecorate %input Binding 0
OpDecorate %output DescriptorSet 0
OpDecorate %output Binding 1
OpDecorate %counter DescriptorSet 0
OpDecorate %counter Binding 2
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%i8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 0
%i64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f64 = OpTypeFloat 64
%true = OpConstantTrue %bool
%int_zero = OpConstantNull %int
%f16_zero = OpConstantNull %f16
%f32_zero = OpConstantNull %float
%f64_zero = OpConstantNull %f64
%f16_one = OpConstant %f16 1
%i64_high = OpConstant %i64 32
%i64_widening = OpConstant %i64 11400714819323198485
%uint3 = OpTypeVector %uint 3
%uint4 = OpTypeVector %uint 4
%product = OpTypeStruct %uint %uint
%words = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %words
%buffer_pointer = OpTypePointer Uniform %buffer
%word_pointer = OpTypePointer Uniform %uint
%in_uint3 = OpTypePointer Input %uint3
%in_uint = OpTypePointer Input %uint
%local_pointer = OpTypePointer Function %uint
%shared_pointer = OpTypePointer Workgroup %uint
%main_type = OpTypeFunction %void
%call_type = OpTypeFunction %uint %uint %uint
%global_id = OpVariable %in_uint3 Input
%workgroup_id = OpVariable %in_uint3 Input
%local_index = OpVariable %in_uint Input
%lane_id = OpVariable %in_uint Input
%lane_count = OpVariable %in_uint Input
%input = OpVariable %buffer_pointer Uniform
%output = OpVariable %buffer_pointer Uniform
%counter = OpVariable %buffer_pointer Uniform
";

/// The program as text for [`pyro_spirv::asm::assemble`]; SPIR-V 1.3, storage buffers at bindings 0 (input),
/// 1 (output) and 2 (counter) of set 0.
pub fn write(program: &Program) -> String {
    let mut writer = Writer {
        program,
        constants: Vec::new(),
        body: String::new(),
        variables: String::new(),
        next: 0,
        loops: Vec::new(),
        in_function: false,
    };
    for (number, function) in program.functions.iter().enumerate() {
        writer.function(number, function);
    }
    writer.entry_point();
    let mut text = format!(
        "; Version: 1.3\n{PREAMBLE}OpExecutionMode %main LocalSize {} 1 1{DECORATIONS}",
        program.workgroup_size
    );
    let size = writer.constant(program.workgroup_size);
    let array = writer.constant(ARRAY_WORDS);
    for &constant in &writer.constants {
        let _ = writeln!(text, "%c{constant} = OpConstant %uint {constant}");
    }
    let _ = writeln!(text, "%array = OpTypeArray %uint {array}");
    let _ = writeln!(text, "%array_pointer = OpTypePointer Function %array");
    let _ = writeln!(text, "%array_zero = OpConstantNull %array");
    let _ = writeln!(text, "%shared_array = OpTypeArray %uint {size}");
    let _ = writeln!(text, "%shared_array_pointer = OpTypePointer Workgroup %shared_array");
    let _ = writeln!(text, "%shared = OpVariable %shared_array_pointer Workgroup");
    if writer.body.contains(bug::FILE) {
        let file = format!("{} = OpString \"{}\"\nOpDecorate", bug::FILE, crate::inject::FILE);
        text = text.replacen("OpDecorate", &file, 1);
    }
    text + &writer.body
}

/// As [`write()`], with what the evaluator's answers rest on written out for devices that would otherwise be
/// free: maximal reconvergence, the signs of zeros, and no remainder of a negative number (undefined before
/// `VK_KHR_maintenance8`).
pub fn strict(program: &Program) -> String {
    let mut modes = String::from("OpExecutionMode %main MaximallyReconvergesKHR\n");
    for width in [16, 32, 64] {
        let _ = writeln!(modes, "OpExecutionMode %main SignedZeroInfNanPreserve {width}");
    }
    let extensions = "OpCapability SignedZeroInfNanPreserve\nOpExtension \"SPV_KHR_float_controls\"\n\
                      OpExtension \"SPV_KHR_maximal_reconvergence\"\nOpExtension";
    let modes = modes + "OpExecutionMode";
    let text = write(program).replacen("OpExtension", extensions, 1).replacen("OpExecutionMode", &modes, 1);
    text.lines().map(|line| remainder_by_division(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// `OpSMod` written as a truncating division, whose remainder is moved up where it is negative.
fn remainder_by_division(line: &str) -> Option<String> {
    let (result, operation) = line.split_once(" = OpSMod ")?;
    let mut operands = operation.split_whitespace();
    let (kind, a, b) = (operands.next()?, operands.next()?, operands.next()?);
    Some(format!(
        "{result}_q = OpSDiv {kind} {a} {b}\n{result}_p = OpIMul {kind} {result}_q {b}\n\
         {result}_r = OpISub {kind} {a} {result}_p\n{result}_u = OpIAdd {kind} {result}_r {b}\n\
         {result}_n = OpSLessThan %bool {result}_r %int_zero\n{result} = OpSelect {kind} {result}_n {result}_u {result}_r\n",
    ))
}

struct Writer<'p> {
    program: &'p Program,
    constants: Vec<u32>,
    /// Finished functions, then the current one's blocks.
    body: String,
    /// The current function's variables.
    variables: String,
    next: u32,
    /// Merge and continue labels of the loops around.
    loops: Vec<(String, String)>,
    in_function: bool,
}

impl Writer<'_> {
    fn constant(&mut self, value: u32) -> String {
        if !self.constants.contains(&value) {
            self.constants.push(value);
        }
        format!("%c{value}")
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("%{kind}_{}", self.next)
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// `%new = text`
    fn let_(&mut self, text: &str) -> String {
        let id = self.fresh("v");
        self.line(&format!("{id} = {text}"));
        id
    }

    fn variable(&mut self, kind: &str) -> String {
        let id = self.fresh(kind);
        let _ = writeln!(self.variables, "{id} = OpVariable %local_pointer Function");
        id
    }

    /// Puts the variables, which must come first, into the function that `start` opened.
    fn finish_function(&mut self, start: usize) {
        let at = start + self.body[start..].find("OpLabel\n").map_or(0, |label| label + "OpLabel\n".len());
        let variables = std::mem::take(&mut self.variables);
        self.body.insert_str(at, &variables);
        self.line("OpFunctionEnd");
    }

    fn function(&mut self, number: usize, function: &Function) {
        let start = self.body.len();
        self.in_function = true;
        self.line(&format!("%f{number} = OpFunction %uint None %call_type"));
        self.line(&format!("%f{number}_a = OpFunctionParameter %uint"));
        self.line(&format!("%f{number}_b = OpFunctionParameter %uint"));
        self.line(&format!("%f{number}_entry = OpLabel"));
        for index in 0..FUNCTION_VARIABLES {
            let _ = writeln!(self.variables, "%f{number}_x{index} = OpVariable %local_pointer Function");
            let initial = match index {
                0 => format!("%f{number}_a"),
                1 => format!("%f{number}_b"),
                _ => self.constant(0),
            };
            self.line(&format!("OpStore %f{number}_x{index} {initial}"));
        }
        let prefix = format!("f{number}_x");
        self.block(&function.body, &prefix);
        let result = self.value(&function.result, &prefix);
        self.line(&format!("OpReturnValue {result}"));
        self.finish_function(start);
        self.in_function = false;
    }

    fn entry_point(&mut self) {
        let start = self.body.len();
        self.line("%main = OpFunction %void None %main_type");
        self.line("%main_entry = OpLabel");
        for index in 0..VARIABLES {
            let _ = writeln!(self.variables, "%x{index} = OpVariable %local_pointer Function");
        }
        let _ = writeln!(self.variables, "%elements = OpVariable %array_pointer Function");
        let zero = self.constant(0);
        for index in 0..VARIABLES {
            self.line(&format!("OpStore %x{index} {zero}"));
        }
        self.line("OpStore %elements %array_zero");
        let program = self.program;
        self.block(&program.body, "x");
        self.line("OpReturn");
        self.finish_function(start);
    }

    fn block(&mut self, statements: &[Statement], prefix: &str) {
        for statement in statements {
            self.statement(statement, prefix);
        }
    }

    fn label(&mut self, label: &str) {
        self.line(&format!("{label} = OpLabel"));
    }

    /// Goes to `target` where the condition holds, else on in a new block.
    fn leave_if(&mut self, condition: &Condition, target: &str, prefix: &str) {
        let condition = self.condition(condition, prefix);
        let next = self.fresh("next");
        self.line(&format!("OpSelectionMerge {next} None"));
        self.line(&format!("OpBranchConditional {condition} {target} {next}"));
        self.label(&next);
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    fn statement(&mut self, statement: &Statement, prefix: &str) {
        match statement {
            Statement::Set(variable, value) => {
                let value = self.value(value, prefix);
                self.line(&format!("OpStore %{prefix}{variable} {value}"));
            }
            Statement::SetElement(index, value) => {
                let (index, value) = (self.value(index, prefix), self.value(value, prefix));
                let pointer = self.element(&index);
                self.line(&format!("OpStore {pointer} {value}"));
            }
            Statement::Output(word, value) => {
                let value = self.value(value, prefix);
                let (stride, word) = (self.constant(OUTPUT_WORDS), self.constant(*word));
                let id = self.value(&Expression::GlobalId, prefix);
                let row = self.let_(&format!("OpIMul %uint {id} {stride}"));
                let index = self.let_(&format!("OpIAdd %uint {row} {word}"));
                let zero = self.constant(0);
                let pointer = self.let_(&format!("OpAccessChain %word_pointer %output {zero} {index}"));
                self.line(&format!("OpStore {pointer} {value}"));
            }
            Statement::AtomicAdd(value) => {
                let value = self.value(value, prefix);
                let (zero, one) = (self.constant(0), self.constant(1));
                let pointer = self.let_(&format!("OpAccessChain %word_pointer %counter {zero} {zero}"));
                self.let_(&format!("OpAtomicIAdd %uint {pointer} {one} {zero} {value}"));
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.condition(condition, prefix);
                let (yes, no, merge) = (self.fresh("then"), self.fresh("else"), self.fresh("merge"));
                self.line(&format!("OpSelectionMerge {merge} None"));
                self.line(&format!("OpBranchConditional {condition} {yes} {no}"));
                for (label, body) in [(&yes, then), (&no, otherwise)] {
                    self.label(label);
                    self.block(body, prefix);
                    self.line(&format!("OpBranch {merge}"));
                }
                self.label(&merge);
            }
            Statement::Loop(count, body) => {
                let (counter, limit) = (self.variable("counter"), self.variable("limit"));
                let count = self.value(count, prefix);
                let zero = self.constant(0);
                self.line(&format!("OpStore {limit} {count}"));
                self.line(&format!("OpStore {counter} {zero}"));
                let labels = ["header", "test", "body", "continue", "merge"].map(|kind| self.fresh(kind));
                let [header, test, inside, next, merge] = labels;
                self.line(&format!("OpBranch {header}"));
                self.label(&header);
                self.line(&format!("OpLoopMerge {merge} {next} None"));
                self.line(&format!("OpBranch {test}"));
                self.label(&test);
                let done = self.let_(&format!("OpLoad %uint {counter}"));
                let limit = self.let_(&format!("OpLoad %uint {limit}"));
                let goes_on = self.let_(&format!("OpULessThan %bool {done} {limit}"));
                self.line(&format!("OpBranchConditional {goes_on} {inside} {merge}"));
                self.label(&inside);
                self.loops.push((merge.clone(), next.clone()));
                self.block(body, prefix);
                self.loops.pop();
                self.line(&format!("OpBranch {next}"));
                self.label(&next);
                let one = self.constant(1);
                let done = self.let_(&format!("OpLoad %uint {counter}"));
                let sum = self.let_(&format!("OpIAdd %uint {done} {one}"));
                self.line(&format!("OpStore {counter} {sum}"));
                self.line(&format!("OpBranch {header}"));
                self.label(&merge);
            }
            Statement::Break(condition) | Statement::Continue(condition) => {
                // The shrinker may have taken the loop away.
                let Some((merge, next)) = self.loops.last().cloned() else { return };
                let target = if matches!(statement, Statement::Break(_)) { merge } else { next };
                self.leave_if(condition, &target, prefix);
            }
            Statement::Switch(selector, cases, default) => {
                let selector = self.value(selector, prefix);
                let count = self.constant(cases.len() as u32 + 1);
                let selector = self.let_(&format!("OpUMod %uint {selector} {count}"));
                let (otherwise, merge) = (self.fresh("default"), self.fresh("merge"));
                let labels: Vec<String> = cases.iter().map(|_| self.fresh("case")).collect();
                self.line(&format!("OpSelectionMerge {merge} None"));
                let targets: Vec<String> =
                    labels.iter().enumerate().map(|(number, label)| format!(" {number} {label}")).collect();
                self.line(&format!("OpSwitch {selector} {otherwise}{}", targets.concat()));
                for (number, case) in cases.iter().enumerate() {
                    self.label(&labels[number]);
                    self.block(&case.body, prefix);
                    let next =
                        labels.get(number + 1).filter(|_| case.falls_through).unwrap_or(&merge).clone();
                    self.line(&format!("OpBranch {next}"));
                }
                self.label(&otherwise);
                self.block(default, prefix);
                self.line(&format!("OpBranch {merge}"));
                self.label(&merge);
            }
            Statement::Return(condition, value) => {
                let condition = self.condition(condition, prefix);
                let (leave, next) = (self.fresh("leave"), self.fresh("next"));
                self.line(&format!("OpSelectionMerge {next} None"));
                self.line(&format!("OpBranchConditional {condition} {leave} {next}"));
                self.label(&leave);
                let value = self.value(value, prefix);
                if self.in_function {
                    self.line(&format!("OpReturnValue {value}"));
                } else {
                    self.line("OpReturn");
                }
                self.label(&next);
            }
            Statement::Call(variable, function, first, second) => {
                let (first, second) = (self.value(first, prefix), self.value(second, prefix));
                let result = self.let_(&format!("OpFunctionCall %uint %f{function} {first} {second}"));
                self.line(&format!("OpStore %{prefix}{variable} {result}"));
            }
            Statement::Group(variable, group, value) => {
                let value = self.value(value, prefix);
                let result = self.group(*group, &value);
                self.line(&format!("OpStore %{prefix}{variable} {result}"));
            }
            Statement::TypedGroup(variable, ty, combine, extent, value) => {
                let value = self.value(value, prefix);
                let result = self.typed_group(*ty, *combine, *extent, &value);
                self.line(&format!("OpStore %{prefix}{variable} {result}"));
            }
            Statement::Lane(variable, ty, source, value) => {
                let value = self.value(value, prefix);
                let result = self.other_lane(*ty, *source, &value);
                self.line(&format!("OpStore %{prefix}{variable} {result}"));
            }
            Statement::Partitioned(variable, key, value) => {
                let (key, value) = (self.value(key, prefix), self.value(value, prefix));
                let (three, scope) = (self.constant(3), self.constant(3));
                let key = self.let_(&format!("OpBitwiseAnd %uint {key} {three}"));
                let lanes = self.let_(&format!("OpGroupNonUniformPartitionEXT %uint4 {key}"));
                let result = self.let_(&format!(
                    "OpGroupNonUniformIAdd %uint {scope} PartitionedReduceEXT {value} {lanes}"
                ));
                self.line(&format!("OpStore %{prefix}{variable} {result}"));
            }
            Statement::Bug(bug) => self.bug(*bug),
            Statement::Exchange(variable, distance, value) => {
                let value = self.value(value, prefix);
                let index = self.let_("OpLoad %uint %local_index");
                let (scope, semantics) = (self.constant(2), self.constant(0x108));
                let pointer = self.let_(&format!("OpAccessChain %shared_pointer %shared {index}"));
                self.line(&format!("OpStore {pointer} {value}"));
                self.line(&format!("OpControlBarrier {scope} {scope} {semantics}"));
                let (distance, size) = (self.constant(*distance), self.constant(self.program.workgroup_size));
                let sum = self.let_(&format!("OpIAdd %uint {index} {distance}"));
                let other = self.let_(&format!("OpUMod %uint {sum} {size}"));
                let pointer = self.let_(&format!("OpAccessChain %shared_pointer %shared {other}"));
                let loaded = self.let_(&format!("OpLoad %uint {pointer}"));
                self.line(&format!("OpStore %{prefix}{variable} {loaded}"));
                self.line(&format!("OpControlBarrier {scope} {scope} {semantics}"));
            }
        }
    }

    fn element(&mut self, index: &str) -> String {
        let count = self.constant(ARRAY_WORDS);
        let index = self.let_(&format!("OpUMod %uint {index} {count}"));
        self.let_(&format!("OpAccessChain %local_pointer %elements {index}"))
    }

    /// 1 where a truth value holds, else 0.
    fn number(&mut self, truth: &str) -> String {
        let (one, zero) = (self.constant(1), self.constant(0));
        self.let_(&format!("OpSelect %uint {truth} {one} {zero}"))
    }

    fn group(&mut self, group: Group, value: &str) -> String {
        let scope = self.constant(3);
        let one = self.constant(1);
        let zero = self.constant(0);
        let odd = |writer: &mut Self| {
            let bit = writer.let_(&format!("OpBitwiseAnd %uint {value} {one}"));
            writer.let_(&format!("OpINotEqual %bool {bit} {zero}"))
        };
        let arithmetic = |operation: &str, kind: &str| format!("{operation} %uint {scope} {kind} {value}");
        match group {
            Group::Elect => {
                let elected = self.let_(&format!("OpGroupNonUniformElect %bool {scope}"));
                self.number(&elected)
            }
            Group::All | Group::Any => {
                let odd = odd(self);
                let operation =
                    if group == Group::All { "OpGroupNonUniformAll" } else { "OpGroupNonUniformAny" };
                let truth = self.let_(&format!("{operation} %bool {scope} {odd}"));
                self.number(&truth)
            }
            Group::AllEqual => {
                let truth = self.let_(&format!("OpGroupNonUniformAllEqual %bool {scope} {value}"));
                self.number(&truth)
            }
            Group::BroadcastFirst => {
                self.let_(&format!("OpGroupNonUniformBroadcastFirst %uint {scope} {value}"))
            }
            Group::Ballot | Group::BallotBitCount => {
                let odd = odd(self);
                let ballot = self.let_(&format!("OpGroupNonUniformBallot %uint4 {scope} {odd}"));
                if group == Group::Ballot {
                    self.let_(&format!("OpCompositeExtract %uint {ballot} 0"))
                } else {
                    self.let_(&format!("OpGroupNonUniformBallotBitCount %uint {scope} Reduce {ballot}"))
                }
            }
            Group::IAddReduce => self.let_(&arithmetic("OpGroupNonUniformIAdd", "Reduce")),
            Group::IAddInclusiveScan => self.let_(&arithmetic("OpGroupNonUniformIAdd", "InclusiveScan")),
            Group::IAddExclusiveScan => self.let_(&arithmetic("OpGroupNonUniformIAdd", "ExclusiveScan")),
            Group::UMinReduce => self.let_(&arithmetic("OpGroupNonUniformUMin", "Reduce")),
            Group::SMaxInclusiveScan => self.let_(&arithmetic("OpGroupNonUniformSMax", "InclusiveScan")),
            Group::BitwiseXorReduce => self.let_(&arithmetic("OpGroupNonUniformBitwiseXor", "Reduce")),
            Group::IMulExclusiveScan => self.let_(&arithmetic("OpGroupNonUniformIMul", "ExclusiveScan")),
        }
    }

    fn value(&mut self, expression: &Expression, prefix: &str) -> String {
        match expression {
            Expression::Constant(bits) => self.constant(*bits),
            Expression::Variable(variable) => self.let_(&format!("OpLoad %uint %{prefix}{variable}")),
            Expression::GlobalId | Expression::WorkgroupId => {
                let source =
                    if matches!(expression, Expression::GlobalId) { "%global_id" } else { "%workgroup_id" };
                let vector = self.let_(&format!("OpLoad %uint3 {source}"));
                self.let_(&format!("OpCompositeExtract %uint {vector} 0"))
            }
            Expression::LocalIndex => self.let_("OpLoad %uint %local_index"),
            Expression::LaneId => self.let_("OpLoad %uint %lane_id"),
            Expression::Input(index) => {
                let index = self.value(index, prefix);
                let (count, zero) = (self.constant(INPUT_WORDS), self.constant(0));
                let index = self.let_(&format!("OpUMod %uint {index} {count}"));
                let pointer = self.let_(&format!("OpAccessChain %word_pointer %input {zero} {index}"));
                self.let_(&format!("OpLoad %uint {pointer}"))
            }
            Expression::Element(index) => {
                let index = self.value(index, prefix);
                let pointer = self.element(&index);
                self.let_(&format!("OpLoad %uint {pointer}"))
            }
            Expression::Unary(operation, operand) => {
                let x = self.value(operand, prefix);
                match operation {
                    Unary::FindUMsb => self.let_(&format!("OpExtInst %uint %glsl FindUMsb {x}")),
                    Unary::FindILsb => self.let_(&format!("OpExtInst %uint %glsl FindILsb {x}")),
                    _ => self.let_(&format!("Op{operation:?} %uint {x}")),
                }
            }
            Expression::Binary(operation, first, second) => {
                let (a, b) = (self.value(first, prefix), self.value(second, prefix));
                self.binary(*operation, &a, &b)
            }
            Expression::Typed(ty, operation, first, second) => {
                let (a, b) = (self.value(first, prefix), self.value(second, prefix));
                self.typed_binary(*ty, *operation, &a, &b)
            }
            Expression::Select(condition, then, otherwise) => {
                let condition = self.condition(condition, prefix);
                let (then, otherwise) = (self.value(then, prefix), self.value(otherwise, prefix));
                self.let_(&format!("OpSelect %uint {condition} {then} {otherwise}"))
            }
        }
    }

    fn binary(&mut self, operation: Binary, a: &str, b: &str) -> String {
        match operation {
            Binary::UDiv | Binary::UMod => {
                let one = self.constant(1);
                let odd = self.let_(&format!("OpBitwiseOr %uint {b} {one}"));
                self.let_(&format!("Op{operation:?} %uint {a} {odd}"))
            }
            Binary::SDiv | Binary::SMod => {
                let (eight, one, byte) = (self.constant(8), self.constant(1), self.constant(0xff));
                let small = self.let_(&format!("OpShiftRightArithmetic %int {a} {eight}"));
                let low = self.let_(&format!("OpBitwiseAnd %uint {b} {byte}"));
                let positive = self.let_(&format!("OpIAdd %int {low} {one}"));
                let result = self.let_(&format!("Op{operation:?} %int {small} {positive}"));
                self.let_(&format!("OpBitcast %uint {result}"))
            }
            Binary::ShiftLeftLogical | Binary::ShiftRightLogical | Binary::ShiftRightArithmetic => {
                let mask = self.constant(31);
                let amount = self.let_(&format!("OpBitwiseAnd %uint {b} {mask}"));
                self.let_(&format!("Op{operation:?} %uint {a} {amount}"))
            }
            Binary::UMin | Binary::SMax => self.let_(&format!("OpExtInst %uint %glsl {operation:?} {a} {b}")),
            Binary::FAdd | Binary::FMul => {
                let mask = self.constant(if operation == Binary::FAdd { 0xffff } else { 0x7ff });
                let floats = [a, b].map(|word| {
                    let low = self.let_(&format!("OpBitwiseAnd %uint {word} {mask}"));
                    self.let_(&format!("OpConvertUToF %float {low}"))
                });
                let result = self.let_(&format!("Op{operation:?} %float {} {}", floats[0], floats[1]));
                self.let_(&format!("OpConvertFToU %uint {result}"))
            }
            Binary::UMulHigh => {
                let pair = self.let_(&format!("OpUMulExtended %product {a} {b}"));
                self.let_(&format!("OpCompositeExtract %uint {pair} 1"))
            }
            Binary::SDot | Binary::UDot | Binary::SUDot => {
                self.let_(&format!("Op{operation:?} %uint {a} {b} PackedVectorFormat4x8Bit"))
            }
            Binary::SDotAccSat | Binary::UDotAccSat | Binary::SUDotAccSat => {
                self.let_(&format!("Op{operation:?} %uint {a} {b} {a} PackedVectorFormat4x8Bit"))
            }
            _ => self.let_(&format!("Op{operation:?} %uint {a} {b}")),
        }
    }

    fn condition(&mut self, condition: &Condition, prefix: &str) -> String {
        match condition {
            Condition::Compare(compare, first, second) => {
                let (a, b) = (self.value(first, prefix), self.value(second, prefix));
                self.let_(&format!("Op{compare:?} %bool {a} {b}"))
            }
            Condition::And(first, second) | Condition::Or(first, second) => {
                let operation = if matches!(condition, Condition::And(..)) { "And" } else { "Or" };
                let (a, b) = (self.condition(first, prefix), self.condition(second, prefix));
                self.let_(&format!("OpLogical{operation} %bool {a} {b}"))
            }
            Condition::Not(inner) => {
                let inner = self.condition(inner, prefix);
                self.let_(&format!("OpLogicalNot %bool {inner}"))
            }
        }
    }
}
