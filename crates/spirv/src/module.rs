//! The decoded module.

use crate::decoration::DecorationRecord;
use crate::ext::ExtInstSet;
use crate::function::{Block, Function};
use crate::grammar::Context;
use crate::id::{BlockIndex, FunctionIndex, Id, Ids, Inst};
use crate::instruction::Instruction;
use crate::spirv::ExecutionModel;
use crate::string::{literal_string, literal_string_eq, literal_string_len};
use pyro_util::PrimaryMap;
use spirv::{AddressingModel, Capability, ExecutionMode, MemoryModel, Op};
use std::borrow::Cow;
use std::ops::Range;

/// The fields of a module's header, the first five words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
    /// The tool that wrote the module: the high half is its registered number.
    pub generator: u32,
    /// Every id is below it.
    pub bound: u32,
    /// The schema word, reserved and zero.
    pub schema: u32,
}

impl Header {
    /// Major and minor version, to compare.
    pub fn version(&self) -> (u8, u8) {
        (self.major, self.minor)
    }
}

/// Where an instruction lies and how its first words read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) offset: u32,
    pub(crate) op: Op,
    pub(crate) has_result_type: bool,
    pub(crate) has_result: bool,
}

/// A name of an id or of a member of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameRecord {
    pub(crate) target: Id,
    /// Member plus one; zero for the id itself.
    pub(crate) member: u32,
    pub(crate) inst: Inst,
}

/// A SPIR-V module that follows the grammar: see the [crate's documentation](crate) for what decoding
/// promises.
///
/// The words are kept as they are (in this machine's byte order); everything else is indices into them.
/// Tables by id are allocated zeroed, so that memory that no id touches is never committed.
pub struct Module {
    pub(crate) words: Vec<u32>,
    pub(crate) header: Header,
    pub(crate) records: Vec<Record>,
    /// By id: the instruction that defines it plus one, or zero.
    pub(crate) definitions: Vec<u32>,
    /// By id: index of the function, block, ext-inst set or type's nesting depth plus one, or zero.
    pub(crate) roles: Vec<u32>,
    /// By id: where its decorations begin in `decorations` plus one, or zero.
    pub(crate) decoration_starts: Vec<u32>,
    /// Sorted by target and member.
    pub(crate) decorations: Vec<DecorationRecord>,
    /// Sorted.
    pub(crate) names: Vec<NameRecord>,
    pub(crate) capabilities: Vec<Capability>,
    pub(crate) extensions: Vec<Inst>,
    pub(crate) ext_inst_sets: Vec<(Id, ExtInstSet)>,
    pub(crate) memory_model: Option<(AddressingModel, MemoryModel)>,
    pub(crate) entry_points: Vec<Inst>,
    /// Sorted by entry point.
    pub(crate) execution_modes: Vec<(Id, Inst)>,
    pub(crate) globals: Vec<Inst>,
    pub(crate) spec_constants: Vec<Inst>,
    pub(crate) workgroup_sizes: Vec<Inst>,
    pub(crate) functions: PrimaryMap<FunctionIndex, Function>,
    pub(crate) blocks: PrimaryMap<BlockIndex, Block>,
    /// Instructions that set or end a source location, in order.
    pub(crate) line_marks: Vec<Inst>,
    /// `DebugScope` and `DebugNoScope`, in the order of words.
    pub(crate) scope_marks: Vec<Inst>,
    /// Where the functions begin: the count of instructions before the first.
    pub(crate) function_section: u32,
}

/// An entry point.
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint<'m> {
    /// `OpEntryPoint`.
    pub inst: Instruction<'m>,
    /// The stage.
    pub model: ExecutionModel,
    /// The function.
    pub function: Id,
    /// The global variables that it lists.
    pub interface: Ids<'m>,
}

impl<'m> EntryPoint<'m> {
    fn new(inst: Instruction<'m>) -> Self {
        let words = inst.operand_words();
        let name_len = literal_string_len(&words[2..]).unwrap_or(words.len() - 2);
        EntryPoint {
            inst,
            model: ExecutionModel::from_u32(words[0]).unwrap_or(ExecutionModel::Kernel),
            function: inst.id(1),
            interface: inst.ids_from(2 + name_len),
        }
    }

    /// Its name.
    pub fn name(&self) -> Cow<'m, str> {
        self.inst.string(2)
    }
}

/// An execution mode of an entry point.
#[derive(Clone, Copy, Debug)]
pub struct Mode<'m> {
    /// `OpExecutionMode` or `OpExecutionModeId`.
    pub inst: Instruction<'m>,
    /// The entry point's function.
    pub entry_point: Id,
    /// The mode.
    pub mode: ExecutionMode,
    /// The words of its parameters: ids of constants for `OpExecutionModeId`, literals otherwise.
    pub operands: &'m [u32],
}

impl Mode<'_> {
    /// Whether the operands are ids of constants.
    pub fn operands_are_ids(&self) -> bool {
        self.inst.op() == Op::ExecutionModeId
    }
}

/// A variable at module scope.
#[derive(Clone, Copy, Debug)]
pub struct GlobalVariable<'m> {
    /// `OpVariable` or `OpUntypedVariableKHR`.
    pub inst: Instruction<'m>,
    /// Its id.
    pub id: Id,
    /// Its type: a pointer.
    pub pointer_type: Id,
    /// Storage class.
    pub class: spirv::StorageClass,
    /// The type of what it holds; none for an untyped variable that does not say.
    pub value_type: Option<Id>,
    /// A constant, or a module-scope variable.
    pub initializer: Option<Id>,
}

impl Module {
    /// The words, the header's five included, in this machine's byte order.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Every id is below it; a table by id has this length.
    pub fn bound(&self) -> usize {
        self.header.bound as usize
    }

    /// How many instructions.
    pub fn inst_count(&self) -> usize {
        self.records.len()
    }

    /// All instructions in order.
    pub fn insts(&self) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        (0..self.records.len() as u32).map(|index| self.inst(Inst::from_u32(index)))
    }

    /// The instructions of a range of indices.
    pub fn insts_in(
        &self,
        range: Range<Inst>,
    ) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        (range.start.as_u32()..range.end.as_u32()).map(|index| self.inst(Inst::from_u32(index)))
    }

    /// The instructions before the first function.
    pub fn global_insts(&self) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        self.insts_in(Inst::from_u32(0)..Inst::from_u32(self.function_section))
    }

    /// An instruction.
    #[inline]
    pub fn inst(&self, index: Inst) -> Instruction<'_> {
        let record = self.records[index.as_u32() as usize];
        let words = &self.words[record.offset as usize..];
        Instruction {
            module: self,
            index,
            op: record.op,
            has_result_type: record.has_result_type,
            has_result: record.has_result,
            words: &words[..(words[0] >> 16) as usize],
        }
    }

    /// Where an instruction's first word is, counted in words from the start of the module.
    pub fn word_offset(&self, inst: Inst) -> usize {
        self.records[inst.as_u32() as usize].offset as usize
    }

    /// The instruction that defines an id; none for ids that nothing defines.
    #[inline]
    pub fn definition(&self, id: Id) -> Option<Instruction<'_>> {
        match self.definitions.get(id.as_u32() as usize) {
            None | Some(0) => None,
            Some(&index) => Some(self.inst(Inst::from_u32(index - 1))),
        }
    }

    /// The index of the instruction that defines an id.
    #[inline]
    pub fn definition_index(&self, id: Id) -> Option<Inst> {
        match self.definitions.get(id.as_u32() as usize) {
            None | Some(0) => None,
            Some(&index) => Some(Inst::from_u32(index - 1)),
        }
    }

    #[inline]
    pub(crate) fn role(&self, id: Id) -> Option<u32> {
        self.roles.get(id.as_u32() as usize).and_then(|role| role.checked_sub(1))
    }

    /// What the grammar needs to know of other instructions to read this one's operands.
    pub(crate) fn grammar_context(&self, op: Op, words: &[u32]) -> Context {
        let mut context = Context::default();
        match op {
            Op::Switch => {
                let selector = Id::from_u32(words[1]);
                let width = self.value_type(selector).and_then(|ty| ty.width());
                context.switch_literal_words = if width.is_some_and(|width| width > 32) { 2 } else { 1 };
            }
            _ if crate::grammar::is_ext_inst(op) => {
                let set = self.ext_inst_set(Id::from_u32(words[3]));
                if let Some(set) = set.filter(|set| set.has_literal_operands()) {
                    context.ext_operands = set.instruction_operands(words[4]);
                }
            }
            _ => {}
        }
        context
    }

    /// The capabilities that it declares, in order. Those that these imply are not among them.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// Whether it declares a capability.
    #[inline]
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether it declares `ClusterCullingShadingHUAWEI`, which the enumeration of capabilities lacks.
    pub fn has_cluster_culling_capability(&self) -> bool {
        self.has_capability_value(crate::grammar::supplement::CLUSTER_CULLING_CAPABILITY)
    }

    /// Whether it declares a capability that the enumeration may lack, by value.
    pub fn has_capability_value(&self, value: u32) -> bool {
        // They are the first instructions of a module.
        let mut declared = self.global_insts().take_while(|inst| inst.op() == Op::Capability);
        declared.any(|inst| inst.word(0) == value)
    }

    /// The extensions that it declares, in order.
    pub fn extensions(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.extensions.iter().map(|&inst| self.inst(inst).string(0))
    }

    /// Whether it declares an extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|&inst| literal_string_eq(self.inst(inst).operand_words(), name))
    }

    /// The extended instruction sets that it imports.
    pub fn ext_inst_sets(&self) -> &[(Id, ExtInstSet)] {
        &self.ext_inst_sets
    }

    /// The set that an `OpExtInstImport`'s id names.
    #[inline]
    pub fn ext_inst_set(&self, id: Id) -> Option<ExtInstSet> {
        let index = self.role(id)?;
        let (import, set) = *self.ext_inst_sets.get(index as usize)?;
        (import == id).then_some(set)
    }

    /// The addressing and memory model; none when the module does not say.
    pub fn memory_model(&self) -> Option<(AddressingModel, MemoryModel)> {
        self.memory_model
    }

    /// The entry points in order.
    pub fn entry_points(&self) -> impl ExactSizeIterator<Item = EntryPoint<'_>> {
        self.entry_points.iter().map(|&inst| EntryPoint::new(self.inst(inst)))
    }

    /// The entry point of a name and stage.
    pub fn entry_point(&self, name: &str, model: ExecutionModel) -> Option<EntryPoint<'_>> {
        self.entry_points()
            .find(|entry| entry.model == model && literal_string_eq(&entry.inst.operand_words()[2..], name))
    }

    /// The entry point that an instruction declares.
    pub fn entry_point_at(&self, inst: Inst) -> Option<EntryPoint<'_>> {
        // They are in the order of the words.
        self.entry_points.binary_search(&inst).is_ok().then(|| EntryPoint::new(self.inst(inst)))
    }

    /// `OpSpecConstant`, `OpSpecConstantTrue` and `OpSpecConstantFalse`, in order.
    pub fn spec_constants(&self) -> impl Iterator<Item = Instruction<'_>> {
        self.spec_constants.iter().map(|&inst| self.inst(inst))
    }

    /// The constants that are decorated with `WorkgroupSize`, in order.
    pub fn workgroup_sizes(&self) -> impl Iterator<Item = Instruction<'_>> {
        self.workgroup_sizes.iter().map(|&inst| self.inst(inst))
    }

    /// The execution modes of an entry point's function, in order.
    pub fn execution_modes(&self, entry_point: Id) -> impl Iterator<Item = Mode<'_>> {
        let start = self.execution_modes.partition_point(|(id, _)| *id < entry_point);
        let rest = self.execution_modes[start..].iter().take_while(move |(id, _)| *id == entry_point);
        rest.filter_map(|&(entry_point, index)| {
            let inst = self.inst(index);
            // Those that are newer than the grammar change nothing in how a shader runs.
            let mode = ExecutionMode::from_u32(inst.word(1))?;
            Some(Mode { inst, entry_point, mode, operands: &inst.operand_words()[2..] })
        })
    }

    /// An execution mode of an entry point's function.
    pub fn execution_mode(&self, entry_point: Id, mode: ExecutionMode) -> Option<Mode<'_>> {
        self.execution_modes(entry_point).find(|found| found.mode == mode)
    }

    /// The name that the debug information gives an id; the first when there are several.
    pub fn name(&self, id: Id) -> Option<Cow<'_, str>> {
        self.find_name(id, 0).map(|inst| inst.string(1))
    }

    /// The name that the debug information gives a member of a structure.
    pub fn member_name(&self, ty: Id, member: u32) -> Option<Cow<'_, str>> {
        self.find_name(ty, member.checked_add(1)?).map(|inst| inst.string(2))
    }

    fn find_name(&self, target: Id, member: u32) -> Option<Instruction<'_>> {
        let start = self.names.partition_point(|name| (name.target, name.member) < (target, member));
        let found = self.names.get(start)?;
        (found.target == target && found.member == member).then(|| self.inst(found.inst))
    }

    /// The variables at module scope, in order.
    pub fn globals(&self) -> impl ExactSizeIterator<Item = GlobalVariable<'_>> {
        self.globals.iter().map(|&index| self.variable_of(self.inst(index)))
    }

    /// The module-scope variable that an id names.
    #[inline]
    pub fn global(&self, id: Id) -> Option<GlobalVariable<'_>> {
        let inst = self.definition(id)?;
        let is_variable = matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR);
        (is_variable && inst.index().as_u32() < self.function_section).then(|| self.variable_of(inst))
    }

    fn variable_of<'m>(&'m self, inst: Instruction<'m>) -> GlobalVariable<'m> {
        let untyped = inst.op() == Op::UntypedVariableKHR;
        let pointer_type = inst.result_type().expect("a variable has a type");
        GlobalVariable {
            inst,
            id: inst.result().expect("a variable has a result"),
            pointer_type,
            class: spirv::StorageClass::from_u32(inst.word(0)).expect("decoding has checked it"),
            value_type: if untyped {
                inst.get_id(1)
            } else {
                self.pointer(pointer_type).map(|(_, pointee)| pointee)
            },
            initializer: inst.get_id(if untyped { 2 } else { 1 }),
        }
    }

    /// The string of an `OpString`.
    pub fn debug_string(&self, id: Id) -> Option<Cow<'_, str>> {
        let inst = self.definition(id)?;
        (inst.op() == Op::String).then(|| literal_string(inst.operand_words()))
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("header", &self.header).field("insts", &self.inst_count()).finish()
    }
}
