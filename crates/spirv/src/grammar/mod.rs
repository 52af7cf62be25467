//! The grammar of instructions, from `rspirv`'s tables of the Khronos grammar files.
//!
//! `rspirv` stores one entry an opcode in a list that is searched from its start, and gives the
//! parameters of enumerants as fresh vectors. Decoding wants neither, so both are taken into tables by opcode
//! ([`table`]) and by value when they are first met: a shader meets few of them, and a process that starts
//! wants to write to few pages. No fact about an opcode or enumerant is written down here; only the list of
//! operand kinds is.

mod places;
pub(crate) mod supplement;

use crate::id::Id;
use crate::string::literal_string_len;
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction as Entry, LogicalOperand};
use spirv::{Capability, Op};
use std::sync::OnceLock;

pub(crate) use places::{IdOperands, IdPlaces};
pub use rspirv::grammar::{OperandKind, OperandQuantifier};

/// What the grammar says of one opcode.
#[derive(Debug)]
pub struct OpInfo {
    /// The opcode; of one that the grammar lacks, what it is told as ([`supplement::OPS`]).
    pub op: Op,
    /// Its number in modules.
    pub opcode: u16,
    /// Its name, without the leading `Op`.
    pub name: &'static str,
    /// Any one of these capabilities allows it; none are needed when empty.
    pub capabilities: &'static [Capability],
    /// Any one of these extensions provides it, unless the version already does.
    pub extensions: &'static [&'static str],
    /// Whether the first operand is a result type.
    pub has_result_type: bool,
    /// Whether it defines a result id.
    pub has_result: bool,
    /// The operands after result type and result.
    pub operands: &'static [LogicalOperand],
    /// Where it may stand and what it declares.
    pub class: OpClass,
    /// Least count of operand words.
    pub(crate) word_count_min: u16,
    /// When every operand is a plain id: the greatest count of operand words (`u16::MAX` for any).
    pub(crate) ids_max: Option<u16>,
    /// Which operand words are ids.
    pub(crate) id_places: IdPlaces,
    full_name: OnceLock<Box<str>>,
}

impl OpInfo {
    /// Its name as in assembly, with the leading `Op`.
    pub fn full_name(&self) -> &str {
        self.full_name.get_or_init(|| format!("Op{}", self.name).into())
    }

    /// Whether every operand after result type and result is an id.
    pub fn takes_only_ids(&self) -> bool {
        self.ids_max.is_some()
    }

    /// The word, counted from the instruction's first, at which the operands after result type and
    /// result begin.
    pub fn operands_start(&self) -> usize {
        1 + usize::from(self.has_result_type) + usize::from(self.has_result)
    }
}

/// Where an instruction may stand and what it declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Before the functions: neither a type nor a constant nor a variable.
    Global,
    /// Declares a type.
    Type,
    /// Declares a constant at module scope.
    Constant,
    /// At module scope or in a block: variables and `OpUndef`.
    GlobalOrBlock,
    /// Anywhere: `OpNop`, `OpLine`, `OpNoLine`.
    Anywhere,
    /// Delimits functions and blocks.
    Function,
    /// In a block only.
    Block,
}

/// Whether an instruction is one of an extended set.
pub fn is_ext_inst(op: Op) -> bool {
    matches!(op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR)
}

impl OpClass {
    /// The grammar tables have no such field, but their naming is regular.
    fn of(op: Op, name: &str, has_result_type: bool, has_result: bool) -> OpClass {
        match op {
            Op::Nop | Op::Line | Op::NoLine => return OpClass::Anywhere,
            Op::Variable | Op::UntypedVariableKHR | Op::Undef => return OpClass::GlobalOrBlock,
            // Debug information stands outside functions too.
            _ if is_ext_inst(op) => return OpClass::GlobalOrBlock,
            Op::Function | Op::FunctionParameter | Op::FunctionEnd | Op::Label => return OpClass::Function,
            Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Name
            | Op::MemberName
            | Op::String
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::Capability
            | Op::TypeForwardPointer
            | Op::ModuleProcessed
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::ConditionalExtensionINTEL
            | Op::ConditionalEntryPointINTEL
            | Op::ConditionalCapabilityINTEL
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL
            | Op::AsmTargetINTEL
            | Op::SamplerImageAddressingModeNV
            | Op::GraphConstantARM
            | Op::GraphEntryPointARM => return OpClass::Global,
            _ => {}
        }
        if name.starts_with("Decorate") || name.starts_with("MemberDecorate") {
            OpClass::Global
        } else if name.starts_with("Type") {
            if has_result && !has_result_type { OpClass::Type } else { OpClass::Global }
        } else if name.starts_with("Constant") || name.starts_with("SpecConstant") {
            if has_result { OpClass::Constant } else { OpClass::Global }
        } else {
            OpClass::Block
        }
    }
}

/// The grammar by opcode. An entry is filled in when its opcode is first looked up.
pub struct Table {
    infos: [OnceLock<Option<Box<OpInfo>>>; OPCODE_END],
}

/// More than the opcodes.
const OPCODE_END: usize = 8192;

static TABLE: Table = Table { infos: [const { OnceLock::new() }; OPCODE_END] };

/// The parameters of a kind's enumerants, or of a mask's bits: asked for when they are first met.
struct Parameters<const COUNT: usize> {
    kind: OperandKind,
    lists: [OnceLock<Box<[OperandKind]>>; COUNT],
    /// See [`Parameters::bits`].
    bits: OnceLock<(u32, u32)>,
}

/// More than the enumerants of value enums that have parameters.
const VALUE_COUNT: usize = 8192;

static DECORATIONS: Parameters<VALUE_COUNT> = Parameters::of(OperandKind::Decoration);
static EXECUTION_MODES: Parameters<VALUE_COUNT> = Parameters::of(OperandKind::ExecutionMode);

impl<const COUNT: usize> Parameters<COUNT> {
    const fn of(kind: OperandKind) -> Self {
        Parameters { kind, lists: [const { OnceLock::new() }; COUNT], bits: OnceLock::new() }
    }

    /// Those of the enumerant with this value, whose place is `index`.
    fn get(&self, index: usize, value: u32) -> &[OperandKind] {
        let Some(list) = self.lists.get(index) else { return &[] };
        list.get_or_init(|| {
            if let Some(newer) = supplement::find(self.kind, value) {
                return newer.parameters.into();
            }
            let parameters = enumerant(self.kind, value).map(|operand| operand.additional_operands());
            parameters.unwrap_or_default().iter().map(|operand| operand.kind).collect()
        })
    }
}

impl Parameters<32> {
    /// The bits of the mask that have parameters which are ids, and those with others.
    fn bits(&self) -> (u32, u32) {
        *self.bits.get_or_init(|| {
            let bits_with = |are_ids: bool| {
                let has =
                    |bit: &usize| self.get(*bit, 1 << bit).iter().any(|&kind| is_id_kind(kind) == are_ids);
                (0..32).filter(has).fold(0, |bits, bit| bits | 1u32 << bit)
            };
            (bits_with(true), bits_with(false))
        })
    }
}

/// Calls `$mac!` with every enumerated operand kind: value enums, then masks.
macro_rules! enumerated_kinds {
    ($mac:ident) => {
        $mac! {
            values: [
                SourceLanguage, ExecutionModel, AddressingModel, MemoryModel, ExecutionMode, StorageClass,
                Dim, SamplerAddressingMode, SamplerFilterMode, ImageFormat, ImageChannelOrder,
                ImageChannelDataType, FPRoundingMode, FPDenormMode, QuantizationModes, FPOperationMode,
                OverflowModes, LinkageType, AccessQualifier, HostAccessQualifier,
                FunctionParameterAttribute, Decoration, BuiltIn, Scope, GroupOperation,
                KernelEnqueueFlags, Capability, RayQueryIntersection, RayQueryCommittedIntersectionType,
                RayQueryCandidateIntersectionType, PackedVectorFormat, CooperativeMatrixLayout,
                CooperativeMatrixUse, TensorClampMode, InitializationModeQualifier, LoadCacheControl,
                StoreCacheControl, NamedMaximumNumberOfRegisters, FPEncoding,
                CooperativeVectorMatrixLayout, ComponentType,
            ],
            masks: [
                ImageOperands, FPFastMathMode, SelectionControl, LoopControl, FunctionControl,
                MemorySemantics, MemoryAccess, KernelProfilingInfo, RayFlags, FragmentShadingRate,
                RawAccessChainOperands, CooperativeMatrixOperands, CooperativeMatrixReduce,
                TensorAddressingOperands, MatrixMultiplyAccumulateOperands, TensorOperands,
            ]
        }
    };
}

macro_rules! enum_functions {
    (values: [$($value:ident,)*], masks: [$($mask:ident,)*]) => {
        /// Whether `value` is an enumerant of `kind` (for a mask: has only known bits); true for kinds
        /// that are not enumerated.
        pub(crate) fn is_known_enumerant(kind: OperandKind, value: u32) -> bool {
            match kind {
                $(OperandKind::$value => {
                    crate::spirv::$value::from_u32(value).is_some() || supplement::find(kind, value).is_some()
                })*
                $(OperandKind::$mask => spirv::$mask::from_bits(supplement::older_bits(kind, value)).is_some(),)*
                _ => true,
            }
        }

        /// Whether the kind is a mask of bits.
        pub fn is_mask(kind: OperandKind) -> bool {
            matches!(kind, $(OperandKind::$mask)|*)
        }

        /// An enumerated operand as `rspirv`'s type, which knows its requirements; a mask without the bits
        /// that the grammar lacks.
        pub(crate) fn enumerant(kind: OperandKind, value: u32) -> Option<rspirv::dr::Operand> {
            use rspirv::dr::Operand;
            Some(match kind {
                $(OperandKind::$value => Operand::$value(spirv::$value::from_u32(value)?),)*
                $(OperandKind::$mask => {
                    Operand::$mask(spirv::$mask::from_bits(supplement::older_bits(kind, value))?)
                })*
                _ => return None,
            })
        }

        /// The enumerant's name as assembly writes it; of a mask's several bits, joined by `|`.
        pub fn enumerant_name(kind: OperandKind, value: u32) -> Option<String> {
            use rspirv::binary::Disassemble;
            if kind == OperandKind::Dim {
                // The enum's name is part of Rust's names, as these would begin with a digit.
                return Some(format!("{:?}", spirv::Dim::from_u32(value)?)[3..].to_owned());
            }
            match kind {
                $(OperandKind::$value => match crate::spirv::$value::from_u32(value) {
                    Some(known) => Some(format!("{known:?}")),
                    None => Some(supplement::find(kind, value)?.name.to_owned()),
                },)*
                $(OperandKind::$mask => {
                    let older = supplement::older_bits(kind, value);
                    let name = spirv::$mask::from_bits(older)?.disassemble();
                    Some(supplement::with_newer_bits(kind, value ^ older, name))
                })*
                _ => None,
            }
        }

        /// The number of the enumerant with a name, aliases included; of a mask, of one bit.
        pub fn enumerant_value(kind: OperandKind, name: &str) -> Option<u32> {
            if kind == OperandKind::Dim {
                return format!("Dim{name}").parse::<spirv::Dim>().ok().map(|value| value as u32);
            }
            match kind {
                $(OperandKind::$value => {
                    let known = name.parse::<crate::spirv::$value>().ok().map(|value| value as u32);
                    known.or_else(|| supplement::value(kind, name))
                })*
                _ if is_mask(kind) => mask_bit(kind, name),
                _ => None,
            }
        }

        /// The parameters of a mask's bits.
        fn mask_parameters(kind: OperandKind) -> Option<&'static Parameters<32>> {
            match kind {
                $(OperandKind::$mask => {
                    static BITS: Parameters<32> = Parameters::of(OperandKind::$mask);
                    Some(&BITS)
                })*
                _ => None,
            }
        }
    };
}
enumerated_kinds!(enum_functions);

/// The bit with a name. The vendor's suffix may be missing or, for what became core, still be there.
fn mask_bit(kind: OperandKind, name: &str) -> Option<u32> {
    let bare = |name: &str| {
        let suffixes = ["KHR", "EXT", "NV", "INTEL", "ALTERA", "ARM"];
        let suffix = suffixes.iter().find(|suffix| name.ends_with(*suffix)).map_or("", |suffix| suffix);
        name[..name.len() - suffix.len()].to_owned()
    };
    if bare(name) == "None" {
        return Some(0);
    }
    let bits = || (0..32).map(|bit| 1u32 << bit).filter_map(|bit| Some((bit, enumerant_name(kind, bit)?)));
    let exact = bits().find(|(_, known)| known == name);
    exact.or_else(|| bits().find(|(_, known)| bare(known) == bare(name))).map(|(bit, _)| bit)
}

/// Any one of these capabilities allows the enumerant; none are needed when empty. Of a capability: those
/// that declaring it declares too. Of a mask: of all its bits together.
pub fn enumerant_capabilities(kind: OperandKind, value: u32) -> Vec<Capability> {
    enumerant(kind, value).map(|operand| operand.required_capabilities()).unwrap_or_default()
}

/// The opcode with a name, with or without the leading `Op`, aliases included.
pub fn op_from_name(name: &str) -> Option<Op> {
    macro_rules! aliases {
        ($($name:ident)*) => {
            [$((stringify!($name), Op::$name)),*]
        };
    }
    static BY_NAME: OnceLock<Vec<(&'static str, Op)>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let aliases = aliases!(
            SDotKHR UDotKHR SUDotKHR SDotAccSatKHR UDotAccSatKHR SUDotAccSatKHR TypeCooperativeVectorNV
            GroupNonUniformPartitionNV ReportIntersectionNV TypeAccelerationStructureNV RayQueryGetClusterIdNV
            DemoteToHelperInvocationEXT DecorateStringGOOGLE MemberDecorateStringGOOGLE
        );
        let names = INSTRUCTION_TABLE.iter().map(|entry| (entry.opname, entry.opcode));
        let newer = supplement::OP_ALIASES.iter().copied();
        let mut names: Vec<_> = names.chain(aliases).chain(newer).collect();
        names.sort_unstable();
        names
    });
    let name = name.strip_prefix("Op").unwrap_or(name);
    let place = by_name.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(by_name[place].1)
}

/// The entry of the opcode with a name, as [`op_from_name`] finds it.
pub(crate) fn info_from_name(name: &str) -> Option<&'static OpInfo> {
    let bare = name.strip_prefix("Op").unwrap_or(name);
    match supplement::OPS.iter().find(|newer| newer.name == bare) {
        Some(newer) => table().lookup(newer.opcode),
        None => op_from_name(name).map(|op| table().get(op)),
    }
}

/// The table.
#[inline]
pub fn table() -> &'static Table {
    &TABLE
}

impl OpInfo {
    /// By the grammar's entry, and operands behind the result in place of the entry's.
    fn of(entry: &Entry<'static>, other_operands: Option<&'static [LogicalOperand]>) -> OpInfo {
        let kinds = entry.operands;
        let has_result_type = kinds.first().is_some_and(|o| o.kind == OperandKind::IdResultType);
        let has_result = kinds.iter().take(2).any(|o| o.kind == OperandKind::IdResult);
        let own = &kinds[usize::from(has_result_type) + usize::from(has_result)..];
        let operands = other_operands.unwrap_or(own);
        let is_one = |o: &&LogicalOperand| o.quantifier == OperandQuantifier::One;
        let word_count_min = operands.iter().filter(is_one).count() as u16;
        let all_ids = operands.iter().all(|o| is_id_kind(o.kind));
        let any_count = operands.iter().any(|o| o.quantifier == OperandQuantifier::ZeroOrMore);
        let ids_max = if any_count { u16::MAX } else { operands.len() as u16 };
        OpInfo {
            op: entry.opcode,
            opcode: entry.opcode as u16,
            name: entry.opname,
            class: OpClass::of(entry.opcode, entry.opname, has_result_type, has_result),
            capabilities: entry.capabilities,
            extensions: entry.extensions,
            has_result_type,
            has_result,
            operands,
            word_count_min,
            ids_max: all_ids.then_some(ids_max),
            id_places: IdPlaces::of(operands),
            full_name: OnceLock::new(),
        }
    }
}

impl Table {
    /// The entry of an opcode.
    #[inline]
    pub fn lookup(&self, opcode: u16) -> Option<&OpInfo> {
        let info = self.infos.get(usize::from(opcode))?;
        info.get_or_init(|| {
            let newer = supplement::newer(opcode);
            let known = newer.map_or(opcode, |newer| newer.told_as as u16);
            let entry = INSTRUCTION_TABLE.iter().find(|entry| entry.opcode as u16 == known)?;
            let operands = newer.map_or_else(|| supplement::operands(entry.opcode), |newer| newer.operands);
            let info = OpInfo::of(entry, operands);
            Some(Box::new(match newer {
                Some(newer) => OpInfo { opcode, name: newer.name, capabilities: &[], ..info },
                None => info,
            }))
        })
        .as_deref()
    }

    /// The entry of an opcode that a decoded instruction has.
    #[inline]
    pub fn get(&self, op: Op) -> &OpInfo {
        self.get_info(op as u16)
    }

    /// The entry of a decoded instruction.
    #[inline]
    pub(crate) fn get_info(&self, opcode: u16) -> &OpInfo {
        self.lookup(opcode).expect("a decoded opcode is in the table")
    }

    /// The kinds of an enumerant's parameters.
    #[inline]
    fn value_parameters(&self, kind: OperandKind, value: u32) -> &[OperandKind] {
        match kind {
            OperandKind::Decoration => DECORATIONS.get(value as usize, value),
            OperandKind::ExecutionMode => EXECUTION_MODES.get(value as usize, value),
            _ => &[],
        }
    }

    /// The bits of a mask that have parameters which are ids, and those with others.
    fn mask_parameter_bits(&self, kind: OperandKind) -> (u32, u32) {
        mask_parameters(kind).map_or((0, 0), Parameters::bits)
    }
}

/// Whether the kind is an id.
pub fn is_id_kind(kind: OperandKind) -> bool {
    matches!(
        kind,
        OperandKind::IdRef
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics
            | OperandKind::IdResult
            | OperandKind::IdResultType
    )
}

/// One operand: its kind and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'m> {
    /// The grammar's kind; pairs are given as their two parts.
    pub kind: OperandKind,
    /// Its words: one, but for strings and wide literals.
    pub words: &'m [u32],
}

impl Operand<'_> {
    /// The id, when it is one.
    pub fn id(self) -> Option<Id> {
        is_id_kind(self.kind).then(|| Id::from_u32(self.words[0]))
    }
}

/// Why operands do not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    /// The words end before the operands do.
    #[error("an operand of kind {0:?} is missing")]
    Missing(OperandKind),
    /// Words are left over.
    #[error("{0} words too many")]
    Extra(usize),
    /// A number that no enumerant has.
    #[error("{value} is not a known {kind:?}")]
    UnknownEnumerant {
        /// The enum.
        kind: OperandKind,
        /// The number.
        value: u32,
    },
    /// A string whose end is missing.
    #[error("a literal string does not end within its instruction")]
    UnendedString,
    /// `OpSpecConstantOp` with a number that is not an opcode, or with an opcode that it does not allow.
    #[error("opcode {0} cannot be used in OpSpecConstantOp")]
    SpecConstantOp(u32),
}

/// What the grammar leaves to other instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Words of each literal of `OpSwitch`, which has the width of its selector.
    pub(crate) switch_literal_words: usize,
    /// Operands of this `OpExtInst` instead of plain ids, for the sets that have literals.
    pub(crate) ext_operands: Option<&'static [LogicalOperand]>,
}

impl Default for Context {
    fn default() -> Self {
        Context { switch_literal_words: 1, ext_operands: None }
    }
}

/// The kinds of an instruction's operands, one after the other. What comes next can depend on what was
/// there: pairs, parameters of enumerants, the operation of `OpSpecConstantOp`.
pub(crate) struct Kinds {
    table: &'static Table,
    slots: &'static [LogicalOperand],
    /// Second half of a pair.
    pair: Option<OperandKind>,
    parameters: &'static [OperandKind],
    mask: Option<&'static Parameters<32>>,
    mask_bits: u32,
    ext_operands: Option<&'static [LogicalOperand]>,
}

impl Kinds {
    pub(crate) fn new(info: &'static OpInfo, ext_operands: Option<&'static [LogicalOperand]>) -> Self {
        Kinds {
            table: table(),
            slots: info.operands,
            pair: None,
            parameters: &[],
            mask: None,
            mask_bits: 0,
            ext_operands,
        }
    }

    /// The next operand's kind; `at_end` says that no more operands are there, which only optional ones
    /// allow.
    pub(crate) fn next(&mut self, at_end: bool) -> Option<OperandKind> {
        if let Some(kind) = self.pair.take() {
            return Some(kind);
        }
        loop {
            if let Some((&kind, rest)) = self.parameters.split_first() {
                self.parameters = rest;
                return Some(kind);
            }
            if self.mask_bits == 0 {
                break;
            }
            let bit = self.mask_bits.trailing_zeros();
            self.mask_bits &= self.mask_bits - 1;
            self.parameters = self.mask.map_or(&[], |bits| bits.get(bit as usize, 1 << bit));
        }
        let kind = loop {
            let (slot, rest) = self.slots.split_first()?;
            let is_absent = at_end && slot.quantifier != OperandQuantifier::One;
            if is_absent || slot.quantifier != OperandQuantifier::ZeroOrMore {
                self.slots = rest;
            }
            if !is_absent {
                break slot.kind;
            }
        };
        Some(match kind {
            OperandKind::PairIdRefIdRef => {
                self.pair = Some(OperandKind::IdRef);
                OperandKind::IdRef
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.pair = Some(OperandKind::LiteralInteger);
                OperandKind::IdRef
            }
            OperandKind::PairLiteralIntegerIdRef => {
                self.pair = Some(OperandKind::IdRef);
                OperandKind::LiteralContextDependentNumber
            }
            kind => kind,
        })
    }

    /// Whether the operand that [`Kinds::next`] gave is the first of a pair: for a context-dependent
    /// number, that it is a switch's.
    pub(crate) fn is_in_pair(&self) -> bool {
        self.pair.is_some()
    }

    /// Takes note of the first word of the operand that [`Kinds::next`] gave.
    pub(crate) fn accept(&mut self, kind: OperandKind, first: u32) -> Result<(), GrammarError> {
        match kind {
            OperandKind::LiteralSpecConstantOpInteger => {
                let info = u16::try_from(first).ok().and_then(|opcode| self.table.lookup(opcode));
                let info = info.filter(|info| info.has_result_type && info.has_result);
                let info = info.filter(|info| info.op != Op::SpecConstantOp && !is_ext_inst(info.op));
                self.slots = info.ok_or(GrammarError::SpecConstantOp(first))?.operands;
            }
            OperandKind::LiteralExtInstInteger => {
                if let Some(slots) = self.ext_operands {
                    self.slots = slots;
                }
            }
            _ if !is_known_enumerant(kind, first) => {
                return Err(GrammarError::UnknownEnumerant { kind, value: first });
            }
            OperandKind::Decoration => self.parameters = DECORATIONS.get(first as usize, first),
            OperandKind::ExecutionMode => self.parameters = EXECUTION_MODES.get(first as usize, first),
            _ if is_mask(kind) => {
                self.mask = mask_parameters(kind);
                self.mask_bits = if self.mask.is_some() { first } else { 0 };
            }
            _ => {}
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.slots = &[];
        self.parameters = &[];
        self.mask_bits = 0;
        self.pair = None;
    }
}

/// Walks the operands of an instruction, result type and result excluded.
pub struct Operands<'m> {
    kinds: Kinds,
    words: &'m [u32],
    switch_literal_words: usize,
}

impl<'m> Operands<'m> {
    pub(crate) fn new(info: &'static OpInfo, words: &'m [u32], context: Context) -> Self {
        let kinds = Kinds::new(info, context.ext_operands);
        Operands { kinds, words, switch_literal_words: context.switch_literal_words }
    }

    fn step(&mut self, kind: OperandKind) -> Result<Operand<'m>, GrammarError> {
        let Some(&first) = self.words.first() else { return Err(GrammarError::Missing(kind)) };
        let len = match kind {
            OperandKind::LiteralString => {
                literal_string_len(self.words).ok_or(GrammarError::UnendedString)?
            }
            OperandKind::LiteralContextDependentNumber if self.kinds.is_in_pair() => {
                self.switch_literal_words
            }
            OperandKind::LiteralContextDependentNumber => self.words.len(),
            _ => {
                self.kinds.accept(kind, first)?;
                1
            }
        };
        let (words, rest) = self.words.split_at_checked(len).ok_or(GrammarError::Missing(kind))?;
        self.words = rest;
        Ok(Operand { kind, words })
    }
}

impl<'m> Iterator for Operands<'m> {
    type Item = Result<Operand<'m>, GrammarError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(kind) = self.kinds.next(self.words.is_empty()) else {
            let extra = std::mem::take(&mut self.words).len();
            return (extra != 0).then_some(Err(GrammarError::Extra(extra)));
        };
        let result = self.step(kind);
        if result.is_err() {
            self.words = &[];
            self.kinds.stop();
        }
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_its_own_entry() {
        let mut count = 0;
        for entry in INSTRUCTION_TABLE.iter() {
            assert!((entry.opcode as usize) < OPCODE_END);
            assert_eq!(table().lookup(entry.opcode as u16).map(|info| info.name), Some(entry.opname));
            count += 1;
        }
        let known = (0..=u16::MAX).filter(|&opcode| table().lookup(opcode).is_some());
        assert_eq!(known.count(), count + supplement::OPS.len());
    }
}
