//! Words to a [`Module`], in one pass.
//!
//! Each instruction is held against the grammar, its ids against the bound, and what the tables of the
//! module need is noted on the way. Decorations and names are sorted at the end. All work and memory is
//! proportional to the count of words (sorting: n log n), except for the tables by id, which are
//! allocated for the whole bound but touched only where ids are.

use crate::decoration::DecorationRecord;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::ext::ExtInstSet;
use crate::function::{Block, Function, is_terminator};
use crate::grammar::supplement::{self, NewerOp};
use crate::grammar::{OpClass, OpInfo, Operands, Table, is_ext_inst, is_id_kind, table};
use crate::id::{FunctionIndex, Id, Inst};
use crate::limits;
use crate::module::{Header, Module, NameRecord, Record};
use crate::spirv::BuiltIn;
use crate::string::literal_string;
use pyro_util::PrimaryMap;
use spirv::{Capability, Decoration, Op};

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

impl Module {
    /// Decodes a module from its bytes, in either byte order.
    ///
    /// # Errors
    /// As [`Module::decode`], and when the count of bytes is not a multiple of four.
    pub fn decode_bytes(bytes: &[u8]) -> Result<Module, DecodeError> {
        let (chunks, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            let kind = DecodeErrorKind::ByteCount(bytes.len());
            return Err(DecodeError { word_offset: chunks.len(), op: None, kind });
        }
        decode(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }

    /// Decodes a module from its words, in either byte order.
    ///
    /// # Errors
    /// When the words do not follow the grammar, an id is out of bound or defined twice, a type contains
    /// itself, an instruction is outside the section or block where it may be, or a
    /// [limit](crate::limits) is exceeded.
    pub fn decode(words: &[u32]) -> Result<Module, DecodeError> {
        decode(words.to_vec())
    }
}

fn decode(mut words: Vec<u32>) -> Result<Module, DecodeError> {
    let header = header(&mut words)?;
    let bound = header.bound as usize;
    let decoder = Decoder {
        table: table(),
        position: Position::Module,
        forward_pointers: Vec::new(),
        is_forward: Vec::new(),
        group_decorations: Vec::new(),
        module: Module {
            records: Vec::new(),
            definitions: vec![0; bound],
            roles: vec![0; bound],
            decoration_starts: vec![0; bound],
            words,
            header,
            decorations: Vec::new(),
            names: Vec::new(),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            ext_inst_sets: Vec::new(),
            memory_model: None,
            entry_points: Vec::new(),
            execution_modes: Vec::new(),
            globals: Vec::new(),
            spec_constants: Vec::new(),
            workgroup_sizes: Vec::new(),
            functions: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            line_marks: Vec::new(),
            scope_marks: Vec::new(),
            function_section: u32::MAX,
        },
    };
    decoder.run()
}

fn header(words: &mut [u32]) -> Result<Header, DecodeError> {
    let error = |word_offset, kind| Err(DecodeError { word_offset, op: None, kind });
    if words.len() < HEADER_WORDS {
        return error(words.len(), DecodeErrorKind::TruncatedHeader);
    }
    if words.len() > limits::MODULE_WORD_COUNT_MAX {
        return error(0, DecodeErrorKind::TooLarge(words.len()));
    }
    if words[0] == MAGIC.swap_bytes() {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
    if words[0] != MAGIC {
        return error(0, DecodeErrorKind::Magic(words[0]));
    }
    let [_, minor, major, _] = words[1].to_le_bytes();
    if words[1] & 0xff00_00ff != 0 || major != 1 || minor > 6 {
        return error(1, DecodeErrorKind::Version(major, minor));
    }
    if words[3] == 0 || words[3] > limits::ID_BOUND_MAX {
        return error(3, DecodeErrorKind::Bound(words[3]));
    }
    Ok(Header { major, minor, generator: words[2], bound: words[3], schema: words[4] })
}

/// Where among functions the decoder is.
enum Position {
    /// Before the first function.
    Module,
    /// Between functions, or graphs.
    BetweenFunctions,
    /// After `OpGraphARM`.
    Graph,
    /// After `OpFunction`, before its first label.
    Parameters,
    /// Between blocks of a function.
    BetweenBlocks,
    /// In a block: its label, and the merge instruction once it was seen.
    Block { label: Id, label_inst: Inst, merge: Option<Inst> },
}

struct Decoder {
    table: &'static Table,
    module: Module,
    position: Position,
    /// Ids of `OpTypeForwardPointer`.
    forward_pointers: Vec<Id>,
    /// By id: whether it is among them; empty while there are none.
    is_forward: Vec<bool>,
    /// `OpGroupDecorate` and `OpGroupMemberDecorate`.
    group_decorations: Vec<Inst>,
}

type Step<T> = Result<T, DecodeErrorKind>;

impl Decoder {
    fn run(mut self) -> Result<Module, DecodeError> {
        // Words are lent out of the module while it is written to.
        let words = std::mem::take(&mut self.module.words);
        self.module.records = Vec::with_capacity(words.len() / 4);
        let mut offset = HEADER_WORDS;
        while offset < words.len() {
            let opcode = words[offset] as u16;
            let info = self.table.lookup(opcode);
            let result = self.instruction(&words, offset, info);
            match result {
                Ok(len) => offset += len,
                Err(kind) => {
                    return Err(DecodeError { word_offset: offset, op: info.map(|info| info.op), kind });
                }
            }
        }
        self.module.words = words;
        self.finish(offset)
    }

    /// Decodes the instruction at `offset` and gives the count of its words.
    fn instruction(
        &mut self,
        all_words: &[u32],
        offset: usize,
        info: Option<&'static OpInfo>,
    ) -> Step<usize> {
        let len = (all_words[offset] >> 16) as usize;
        if len == 0 {
            return Err(DecodeErrorKind::ZeroWordCount);
        }
        let left = all_words.len() - offset;
        if len > left {
            return Err(DecodeErrorKind::TruncatedInstruction(len, left));
        }
        let info = info.ok_or(DecodeErrorKind::UnknownOpcode(all_words[offset] as u16))?;
        let words = &all_words[offset..offset + len];
        let start = info.operands_start();
        if len < start + usize::from(info.word_count_min) {
            let missing = match info.operands.get((len.saturating_sub(start)).min(info.operands.len())) {
                Some(operand) if len >= start => operand.kind,
                _ => crate::grammar::OperandKind::IdResult,
            };
            return Err(crate::grammar::GrammarError::Missing(missing).into());
        }
        let inst = Inst::from_u32(self.module.records.len() as u32);
        self.module.records.push(Record {
            offset: offset as u32,
            op: info.op,
            has_result_type: info.has_result_type,
            has_result: info.has_result,
        });
        if info.has_result_type {
            self.check_id(words[1])?;
        }
        let mut result = Id::from_u32(0);
        if info.has_result {
            let word = words[1 + usize::from(info.has_result_type)];
            self.check_id(word)?;
            result = Id::from_u32(word);
            let definition = &mut self.module.definitions[word as usize];
            if *definition != 0 {
                return Err(DecodeErrorKind::DuplicateResult(result));
            }
            *definition = inst.as_u32() + 1;
        }
        let operands = &words[start..];
        match info.ids_max {
            Some(max) => {
                if operands.len() > usize::from(max) && max != u16::MAX {
                    let extra = operands.len() - usize::from(max);
                    return Err(crate::grammar::GrammarError::Extra(extra).into());
                }
                for &word in operands {
                    self.check_id(word)?;
                }
            }
            None => self.walk(all_words, info, words, operands)?,
        }
        let is_non_semantic = is_ext_inst(info.op)
            && self.module.ext_inst_set(Id::from_u32(words[3])).is_some_and(ExtInstSet::is_non_semantic);
        self.place(info, inst, result, is_non_semantic)?;
        self.note(info, inst, result, words, operands)?;
        Ok(len)
    }

    fn check_id(&self, word: u32) -> Step<()> {
        let bound = self.module.header.bound;
        // Zero wraps around to the greatest number.
        if word.wrapping_sub(1) < bound - 1 {
            Ok(())
        } else {
            Err(DecodeErrorKind::IdOutOfBound(word, bound))
        }
    }

    /// Walks operands that are not all ids.
    fn walk(
        &mut self,
        all_words: &[u32],
        info: &'static OpInfo,
        words: &[u32],
        operands: &[u32],
    ) -> Step<()> {
        match info.op {
            // The width of their literals is their type's; the switch's literals have the selector's.
            Op::Constant | Op::SpecConstant => {
                let expected = self.literal_words(all_words, Id::from_u32(words[1]))?;
                if operands.len() != expected {
                    return Err(DecodeErrorKind::LiteralWidth(operands.len(), expected));
                }
                return Ok(());
            }
            _ => {}
        }
        let mut context = crate::grammar::Context::default();
        match info.op {
            Op::Switch => {
                self.check_id(words[1])?;
                let selector = Id::from_u32(words[1]);
                let ty = match self.record_of(selector).filter(|record| record.has_result_type) {
                    Some(record) => Id::from_u32(all_words[record.offset as usize + 1]),
                    None => return Err(DecodeErrorKind::LiteralType(selector)),
                };
                context.switch_literal_words = self.literal_words(all_words, ty)?;
            }
            _ if is_ext_inst(info.op) => {
                if let Some(set) = self.module.ext_inst_set(Id::from_u32(words[3]))
                    && set.has_literal_operands()
                {
                    context.ext_operands = set.instruction_operands(words[4]);
                }
            }
            _ => {}
        }
        for operand in Operands::new(info, operands, context) {
            let operand = operand?;
            if is_id_kind(operand.kind) {
                self.check_id(operand.words[0])?;
            }
        }
        Ok(())
    }

    fn record_of(&self, id: Id) -> Option<Record> {
        let index = self.module.definitions.get(id.as_u32() as usize)?.checked_sub(1)?;
        self.module.records.get(index as usize).copied()
    }

    /// How many words a literal of a numeric type has.
    fn literal_words(&self, all_words: &[u32], ty: Id) -> Step<usize> {
        let record = self.record_of(ty);
        let numeric = [Op::TypeInt, Op::TypeFloat];
        match record.filter(|record| numeric.contains(&record.op)) {
            Some(record) => match all_words[record.offset as usize + 2] {
                1..=32 => Ok(1),
                33..=64 => Ok(2),
                _ => Err(DecodeErrorKind::LiteralType(ty)),
            },
            None => Err(DecodeErrorKind::LiteralType(ty)),
        }
    }

    /// Holds the instruction against where it stands, and builds functions and blocks.
    fn place(&mut self, info: &OpInfo, inst: Inst, result: Id, is_non_semantic: bool) -> Step<()> {
        let op = info.op;
        let outside = DecodeErrorKind::Layout;
        match op {
            Op::Function => {
                if !matches!(self.position, Position::Module | Position::BetweenFunctions) {
                    return Err(outside("OpFunction inside a function"));
                }
                self.module.function_section = self.module.function_section.min(inst.as_u32());
                self.position = Position::Parameters;
            }
            Op::FunctionParameter => {
                if !matches!(self.position, Position::Parameters) {
                    return Err(outside("OpFunctionParameter that does not follow OpFunction"));
                }
            }
            Op::FunctionEnd => {
                let ends = matches!(self.position, Position::Parameters | Position::BetweenBlocks);
                if !ends {
                    return Err(outside("OpFunctionEnd outside a function or inside a block"));
                }
                let blocks_end = self.module.blocks.len() as u32;
                let last = self.module.functions.len() - 1;
                let function = &mut self.module.functions[FunctionIndex::from_u32(last as u32)];
                if matches!(self.position, Position::Parameters) {
                    function.parameters.end = inst.as_u32();
                }
                function.blocks.end = blocks_end;
                function.end = inst;
                self.position = Position::BetweenFunctions;
            }
            Op::Label => match self.position {
                Position::Parameters | Position::BetweenBlocks => {
                    if matches!(self.position, Position::Parameters) {
                        let last = self.module.functions.len() - 1;
                        let function = &mut self.module.functions[FunctionIndex::from_u32(last as u32)];
                        function.parameters.end = inst.as_u32();
                    }
                    self.position = Position::Block { label: result, label_inst: inst, merge: None };
                }
                Position::Block { .. } => return Err(outside("OpLabel in a block that has not ended")),
                _ => return Err(outside("OpLabel outside a function")),
            },
            Op::GraphARM => {
                if !matches!(self.position, Position::Module | Position::BetweenFunctions) {
                    return Err(outside("OpGraphARM inside a graph or a function"));
                }
                // What is in a graph is not a part of the global section either.
                self.module.function_section = self.module.function_section.min(inst.as_u32());
                self.position = Position::Graph;
            }
            Op::GraphEndARM => {
                if !matches!(self.position, Position::Graph) {
                    return Err(outside("OpGraphEndARM outside a graph"));
                }
                self.position = Position::BetweenFunctions;
            }
            Op::GraphInputARM | Op::GraphSetOutputARM => {
                if !matches!(self.position, Position::Graph) {
                    return Err(outside("an instruction of a graph outside one"));
                }
            }
            Op::SelectionMerge | Op::LoopMerge => match &mut self.position {
                Position::Block { merge: merge @ None, .. } => *merge = Some(inst),
                Position::Block { .. } => return Err(outside("a second merge instruction in a block")),
                _ => return Err(outside("a merge instruction outside a block")),
            },
            _ if is_terminator(op) => {
                let Position::Block { label, label_inst, merge } = self.position else {
                    return Err(outside("a terminator outside a block"));
                };
                let function = FunctionIndex::from_u32(self.module.functions.len() as u32 - 1);
                let block = Block { label, label_inst, function, merge, terminator: inst };
                let index = self.module.blocks.push(block);
                self.module.roles[label.as_u32() as usize] = index.as_u32() + 1;
                self.position = Position::BetweenBlocks;
            }
            _ => match (info.class, &self.position) {
                (OpClass::Anywhere, _) => {}
                (_, Position::Block { merge: Some(_), .. }) => {
                    return Err(outside("an instruction between a merge instruction and the terminator"));
                }
                (OpClass::Block | OpClass::GlobalOrBlock, Position::Block { .. } | Position::Graph) => {}
                (OpClass::Block, Position::Module) => {
                    return Err(outside("an instruction of a block outside a function"));
                }
                (_, Position::Module) => {}
                (_, Position::Block { .. }) => {
                    return Err(outside("an instruction that belongs before the functions, in a block"));
                }
                // Slang ends a function's last scope behind its last block.
                (_, Position::BetweenBlocks) if is_non_semantic => {}
                // Debug information may stand between functions.
                (_, Position::BetweenFunctions) if is_ext_inst(op) || op == Op::GraphEntryPointARM => {}
                _ => return Err(outside("an instruction between blocks or functions")),
            },
        }
        Ok(())
    }

    /// Notes what the module's tables need.
    fn note(&mut self, info: &OpInfo, inst: Inst, result: Id, words: &[u32], operands: &[u32]) -> Step<()> {
        let op = info.op;
        let module = &mut self.module;
        match op {
            Op::Capability => {
                let known = Capability::from_u32(operands[0]);
                module.capabilities.extend(known.or_else(|| supplement::older_capability(operands[0])));
            }
            Op::Extension => module.extensions.push(inst),
            Op::ExtInstImport => {
                let set = ExtInstSet::from_name(&literal_string(operands));
                module.roles[result.as_u32() as usize] = module.ext_inst_sets.len() as u32 + 1;
                module.ext_inst_sets.push((result, set));
            }
            Op::MemoryModel => {
                if module.memory_model.is_some() {
                    return Err(DecodeErrorKind::SecondMemoryModel);
                }
                let addressing = spirv::AddressingModel::from_u32(operands[0]);
                module.memory_model = addressing.zip(spirv::MemoryModel::from_u32(operands[1]));
            }
            Op::EntryPoint => module.entry_points.push(inst),
            Op::ExecutionMode | Op::ExecutionModeId => {
                module.execution_modes.push((Id::from_u32(operands[0]), inst));
            }
            Op::Name => module.names.push(NameRecord { target: Id::from_u32(operands[0]), member: 0, inst }),
            Op::MemberName => {
                let member = operands[1].saturating_add(1);
                module.names.push(NameRecord { target: Id::from_u32(operands[0]), member, inst });
            }
            // Those that are newer than the enumeration say nothing that matters here.
            Op::Decorate | Op::DecorateId | Op::DecorateString
                if Decoration::from_u32(operands[1]).is_none() => {}
            Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT
                if Decoration::from_u32(operands[2]).is_none() => {}
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let target = Id::from_u32(operands[0]);
                module.decorations.push(DecorationRecord { target, member: 0, inst });
            }
            Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT => {
                let target = Id::from_u32(operands[0]);
                let member = operands[1].saturating_add(1);
                module.decorations.push(DecorationRecord { target, member, inst });
            }
            Op::GroupDecorate | Op::GroupMemberDecorate => self.group_decorations.push(inst),
            Op::Variable | Op::UntypedVariableKHR => {
                if matches!(self.position, Position::Module) {
                    module.globals.push(inst);
                }
            }
            Op::Line | Op::NoLine => module.line_marks.push(inst),
            _ if is_ext_inst(op) => {
                let set = module.ext_inst_set(Id::from_u32(operands[0]));
                if set == Some(ExtInstSet::NonSemanticShaderDebugInfo100) {
                    match operands[1] {
                        // DebugScope, DebugNoScope
                        23 | 24 => module.scope_marks.push(inst),
                        // DebugLine, DebugNoLine
                        103 | 104 => module.line_marks.push(inst),
                        _ => {}
                    }
                }
            }
            Op::Function => {
                let blocks_start = module.blocks.len() as u32;
                let function = module.functions.push(Function {
                    inst,
                    id: result,
                    result_type: Id::from_u32(words[1]),
                    control: spirv::FunctionControl::from_bits_retain(operands[0]),
                    function_type: Id::from_u32(operands[1]),
                    parameters: inst.as_u32() + 1..inst.as_u32() + 1,
                    blocks: blocks_start..blocks_start,
                    end: inst,
                });
                module.roles[result.as_u32() as usize] = function.as_u32() + 1;
            }
            Op::TypeForwardPointer => {
                let id = Id::from_u32(operands[0]);
                self.is_forward.resize(self.module.definitions.len(), false);
                if !std::mem::replace(&mut self.is_forward[operands[0] as usize], true) {
                    self.forward_pointers.push(id);
                }
            }
            _ if info.class == OpClass::Type => self.type_declaration(op, result, operands)?,
            _ => {}
        }
        Ok(())
    }

    /// Checks that a type does not contain itself and does not nest too deep, so that walks over types
    /// end: what it contains must be declared before; pointers contain nothing.
    fn type_declaration(&mut self, op: Op, result: Id, operands: &[u32]) -> Step<()> {
        let contained: &[u32] = match op {
            Op::TypePointer => {
                return self.set_depth(result, 1);
            }
            Op::TypeStruct => {
                if operands.len() > limits::STRUCT_MEMBER_COUNT_MAX {
                    return Err(DecodeErrorKind::MemberCount(operands.len()));
                }
                operands
            }
            Op::TypeFunction => operands,
            Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeSampledImage
            | Op::TypeImage
            | Op::TypeVectorIdEXT
            | Op::TypeCooperativeMatrixKHR
            | Op::TypeCooperativeMatrixNV
            | Op::TypeTensorARM
            | Op::TypeNodePayloadArrayAMDX => &operands[..1],
            _ => &[],
        };
        let mut depth = 0;
        for &word in contained {
            let id = Id::from_u32(word);
            if id == result {
                return Err(DecodeErrorKind::TypeOrder(id));
            }
            if self.module.definitions[word as usize] == 0 {
                // Only a pointer can be used before its declaration, and only when that is announced.
                if !self.is_forward.get(word as usize).is_some_and(|&is_forward| is_forward) {
                    return Err(DecodeErrorKind::TypeOrder(id));
                }
                continue;
            }
            let is_type = |record: Record| self.table.get(record.op).class == OpClass::Type;
            if self.record_of(id).is_some_and(is_type) {
                depth = depth.max(self.module.roles[word as usize]);
            }
        }
        self.set_depth(result, depth + 1)
    }

    fn set_depth(&mut self, result: Id, depth: u32) -> Step<()> {
        if depth > limits::TYPE_NESTING_DEPTH_MAX {
            return Err(DecodeErrorKind::TypeDepth);
        }
        self.module.roles[result.as_u32() as usize] = depth;
        Ok(())
    }

    fn finish(mut self, end: usize) -> Result<Module, DecodeError> {
        let fail = |word_offset, op, kind| Err(DecodeError { word_offset, op, kind });
        if !matches!(self.position, Position::Module | Position::BetweenFunctions) {
            return fail(end, None, DecodeErrorKind::Layout("the module ends inside a function or a graph"));
        }
        for &id in &self.forward_pointers {
            if let Some(inst) = self.module.definition(id) {
                if inst.op() != Op::TypePointer && inst.op() != Op::TypeUntypedPointerKHR {
                    return fail(inst.word_offset(), Some(inst.op()), DecodeErrorKind::TypeOrder(id));
                }
            } else {
                return fail(end, None, DecodeErrorKind::TypeOrder(id));
            }
        }
        if self.module.function_section == u32::MAX {
            self.module.function_section = self.module.records.len() as u32;
        }
        self.module.names.sort_unstable();
        self.module.execution_modes.sort_unstable();
        self.module.decorations.sort_unstable();
        if !self.group_decorations.is_empty() {
            self.resolve_groups()?;
        }
        let mut previous = None;
        for (index, record) in self.module.decorations.iter().enumerate() {
            if previous != Some(record.target) {
                self.module.decoration_starts[record.target.as_u32() as usize] = index as u32 + 1;
                previous = Some(record.target);
            }
        }
        let module = &mut self.module;
        for index in (0..module.function_section).map(Inst::from_u32) {
            let inst = module.inst(index);
            if inst.info().class != OpClass::Constant {
                continue;
            }
            let is_size = inst.result().is_some_and(|id| module.built_in(id) == Some(BuiltIn::WorkgroupSize));
            let is_spec =
                matches!(inst.op(), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
                    || inst.newer() == Some(NewerOp::SpecConstantData);
            module.workgroup_sizes.extend(is_size.then_some(index));
            module.spec_constants.extend(is_spec.then_some(index));
        }
        Ok(self.module)
    }

    /// Gives each target of a group the group's decorations.
    fn resolve_groups(&mut self) -> Result<(), DecodeError> {
        let module = &self.module;
        let count_max = module.words.len() * limits::GROUP_DECORATION_FACTOR_MAX;
        let mut resolved = Vec::new();
        for &index in &self.group_decorations {
            let inst = module.inst(index);
            let fail = |kind| Err(DecodeError { word_offset: inst.word_offset(), op: Some(inst.op()), kind });
            let group = inst.id(0);
            if module.definition(group).is_none_or(|found| found.op() != Op::DecorationGroup) {
                return fail(DecodeErrorKind::NoGroup(group));
            }
            let start = module.decorations.partition_point(|record| record.target < group);
            let len = module.decorations[start..].partition_point(|record| record.target == group);
            let of_group = &module.decorations[start..start + len];
            let targets = &inst.operand_words()[1..];
            let stride = if inst.op() == Op::GroupDecorate { 1 } else { 2 };
            if resolved.len() + targets.len() / stride * len > count_max {
                return fail(DecodeErrorKind::GroupDecorations);
            }
            for target in targets.chunks_exact(stride) {
                let member = target.get(1).map_or(0, |member| member.saturating_add(1));
                let target = Id::from_u32(target[0]);
                let records =
                    of_group.iter().map(|record| DecorationRecord { target, member, inst: record.inst });
                resolved.extend(records);
            }
        }
        self.module.decorations.extend(resolved);
        self.module.decorations.sort_unstable();
        Ok(())
    }
}
