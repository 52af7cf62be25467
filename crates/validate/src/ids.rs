//! Every id that is used is defined, by something of the right kind, where the use can see it (SPIR-V,
//! 2.16.1 and 2.16.2).

use crate::context::Context;
use crate::structured_cfg::StructuredCfg;
use pyro_spirv::facts::facts;
use pyro_spirv::grammar::OpClass;
use pyro_spirv::spirv::Op;
use pyro_spirv::{BlockIndex, ExtInstSet, FunctionIndex, Id, Inst, Instruction, Module};

const DEFINED: &str = "Every id must be defined";
const ORDER: &str = "Ids must be defined before use";
const DOMINANCE: &str = "Definitions must dominate uses";

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something with a type: constants, variables, parameters and results.
    Value,
    /// A result of type void, which is not a value; only [`Kinds`] tells such apart.
    Void,
    /// A type.
    Type,
    /// A block.
    Label,
    /// A function.
    Function,
    /// Strings, imports, groups and what else is not a part of execution.
    Other,
}

impl Kind {
    /// With its article, for messages.
    fn name(self) -> &'static str {
        match self {
            Kind::Value => "a value",
            Kind::Void => "a result of type void",
            Kind::Type => "a type",
            Kind::Label => "a label",
            Kind::Function => "a function",
            Kind::Other => "something else (a string, an import or a group)",
        }
    }
}

/// What an instruction defines.
pub(crate) fn kind_of(inst: Instruction<'_>) -> Kind {
    match inst.op() {
        Op::Function => Kind::Function,
        Op::Label => Kind::Label,
        Op::ConstantStringAMDX | Op::SpecConstantStringAMDX => Kind::Other,
        _ if inst.info().class == OpClass::Type => Kind::Type,
        _ if inst.result_type().is_some() => Kind::Value,
        _ => Kind::Other,
    }
}

/// What every id of a module names, in one table.
pub(crate) struct Kinds {
    /// By id; none for ids that nothing defines.
    kinds: Vec<Option<Kind>>,
}

impl Kinds {
    /// Reads them off all definitions.
    pub(crate) fn of(module: &Module) -> Kinds {
        let mut kinds = vec![None; module.bound()];
        let mut void_types: Vec<Id> = Vec::new();
        for inst in module.insts() {
            let Some(result) = inst.result() else { continue };
            let kind = match kind_of(inst) {
                Kind::Value if inst.result_type().is_some_and(|ty| void_types.contains(&ty)) => Kind::Void,
                kind => kind,
            };
            // A valid module has one.
            if inst.op() == Op::TypeVoid && void_types.len() < 4 {
                void_types.push(result);
            }
            kinds[result.as_u32() as usize] = Some(kind);
        }
        Kinds { kinds }
    }

    #[inline]
    fn get(&self, id: Id) -> Option<Kind> {
        self.kinds.get(id.as_u32() as usize).copied().flatten()
    }
}

/// Instructions before the functions use only what is defined before them, but for those whose purpose is
/// to speak of what comes.
pub(crate) fn check_globals(cx: &Context<'_, '_>, kinds: &Kinds) {
    // By id, once there is one.
    let mut is_forward: Vec<bool> = Vec::new();
    for inst in cx.module.global_insts() {
        if cx.is_full() {
            return;
        }
        match inst.op() {
            Op::TypeForwardPointer => {
                is_forward.resize(cx.module.bound(), false);
                is_forward[inst.id(0).as_u32() as usize] = true;
            }
            Op::ExtInstImport
                if cx.module.ext_inst_set(inst.result().unwrap_or(Id::RESERVED))
                    == Some(ExtInstSet::Unknown) =>
            {
                let message = format!("the set \"{}\" is not known", inst.string(0));
                cx.report("OpExtInstImport", inst.index(), message);
            }
            _ => {}
        }
        let is_ahead = |id: Id| is_forward.get(id.as_u32() as usize).is_some_and(|&is_forward| is_forward);
        let may_be_ahead = matches!(
            inst.op(),
            Op::Decorate
                | Op::MemberDecorate
                | Op::DecorateId
                | Op::DecorateString
                | Op::MemberDecorateString
                | Op::MemberDecorateIdEXT
                | Op::GroupDecorate
                | Op::GroupMemberDecorate
                | Op::EntryPoint
                | Op::GraphEntryPointARM
                | Op::ExecutionMode
                | Op::ExecutionModeId
                | Op::Name
                | Op::MemberName
                | Op::TypeForwardPointer
                // Members may be pointers that are declared ahead; decoding has checked that.
                | Op::TypeStruct
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::ExtInst
                | Op::ExtInstWithForwardRefsKHR
        ) || inst.op() == Op::TypePointer
            && !cx.environment.strict
            && inst.result().is_some_and(is_ahead);
        for id in inst.used_ids() {
            match cx.module.definition_index(id) {
                None => cx.report(DEFINED, inst.index(), format!("nothing defines {id}")),
                // A pointer to a pointer that is declared ahead.
                Some(_) if inst.op() == Op::TypePointer && is_ahead(id) => {}
                // Elements of arrays may be such pointers, but lengths are constants.
                Some(index)
                    if index >= inst.index()
                        && (!may_be_ahead || inst.op() == Op::TypeArray && inst.id(1) == id) =>
                {
                    cx.report(ORDER, inst.index(), format!("{id} is defined after this use"));
                }
                Some(_) => {}
            }
        }
        if let Some(ty) = inst.result_type()
            && kinds.get(ty) != Some(Kind::Type)
        {
            cx.report(DEFINED, inst.index(), format!("the result type {ty} is not a type"));
        }
    }
}

/// Instructions in functions: every id is defined by something of the right kind. Says nothing of order.
pub(crate) fn check_functions(cx: &Context<'_, '_>, kinds: &Kinds) {
    let start = cx.module.global_insts().len() as u32;
    for index in start..cx.module.inst_count() as u32 {
        if cx.is_full() {
            return;
        }
        let inst = cx.module.inst(Inst::from_u32(index));
        if let Some(ty) = inst.result_type()
            && kinds.get(ty) != Some(Kind::Type)
        {
            cx.report(DEFINED, inst.index(), format!("the result type {ty} is not a type"));
        }
        let is_non_semantic = inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
        for (position, id) in inst.id_operands().enumerate() {
            let kind = kinds.get(id);
            // Most operands are values, and may be.
            if kind == Some(Kind::Value) && takes_values_only(inst.op()) {
                continue;
            }
            let Some(kind) = kind else {
                cx.report(DEFINED, inst.index(), format!("nothing defines {id}"));
                continue;
            };
            if is_non_semantic {
                continue;
            }
            let expected = expected_kind(inst.op(), position);
            if kind == Kind::Void && expected.is_none_or(|expected| expected == Kind::Value) {
                cx.report(DEFINED, inst.index(), format!("{id} is void, so that it has no value"));
                continue;
            }
            if let Some(expected) = expected.filter(|&expected| expected != kind) {
                let message = format!("{id} is {}, but this must be {}", kind.name(), expected.name());
                cx.report(DEFINED, inst.index(), message);
            }
        }
    }
}

/// Whether every id operand is a value; a quick answer for what is common.
#[inline]
fn takes_values_only(op: Op) -> bool {
    use Op::*;
    let number = op as u32;
    matches!(op, Load | Store | AccessChain | InBoundsAccessChain | ReturnValue)
        || (VectorExtractDynamic as u32..=Transpose as u32).contains(&number)
        || (ConvertFToU as u32..=Bitcast as u32).contains(&number)
        || (SNegate as u32..=FwidthCoarse as u32).contains(&number)
}

/// What the id operand at a position (counting only ids) must name; none when it may be several things.
fn expected_kind(op: Op, position: usize) -> Option<Kind> {
    let kind = match op {
        Op::Branch | Op::SelectionMerge | Op::LoopMerge => Kind::Label,
        Op::BranchConditional | Op::Switch if position > 0 => Kind::Label,
        Op::Phi if position % 2 == 1 => Kind::Label,
        Op::Function if position == 0 => Kind::Type,
        Op::FunctionCall if position == 0 => Kind::Function,
        Op::ExtInst | Op::ExtInstWithForwardRefsKHR if position == 0 => Kind::Other,
        Op::Line => Kind::Other,
        // `OpAbortKHR`, which is told so, begins with the type of its message.
        Op::Unreachable if position == 0 => Kind::Type,
        // Untyped access chains begin with the type that the base points to.
        op if position == 0 && facts(op).access_chain.is_some_and(|chain| chain.base == 1) => Kind::Type,
        Op::UntypedArrayLengthKHR
        | Op::CooperativeMatrixLengthKHR
        | Op::CooperativeMatrixLengthNV
        | Op::IsNodePayloadValidAMDX
            if position == 0 =>
        {
            Kind::Type
        }
        // These take types or functions among their operands.
        Op::UntypedVariableKHR
        | Op::CooperativeMatrixPerElementOpNV
        | Op::CooperativeMatrixReduceNV
        | Op::CooperativeMatrixLoadTensorNV
        | Op::CooperativeMatrixStoreTensorNV
        | Op::UntypedImageTexelPointerEXT
        | Op::ConstantSizeOfEXT
        | Op::SizeOf
        | Op::EnqueueKernel
        | Op::GetKernelNDrangeSubGroupCount
        | Op::GetKernelNDrangeMaxSubGroupSize
        | Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelLocalSizeForSubgroupCount
        | Op::GetKernelMaxNumSubgroups
        | Op::AsmINTEL
        | Op::AsmCallINTEL
        | Op::TaskSequenceCreateALTERA => return None,
        _ => Kind::Value,
    };
    Some(kind)
}

/// In each function, what a block defines is used only where that block dominates; blocks come after their
/// dominators in the words.
pub(crate) fn check_dominance(cx: &Context<'_, '_>, structures: &[Option<StructuredCfg>]) {
    let mut places = vec![Place::GLOBAL; cx.module.bound()];
    for function in cx.module.functions() {
        for parameter in cx.module.parameters(function) {
            if let Some(id) = parameter.result() {
                places[id.as_u32() as usize] = Place::parameter(function);
            }
        }
        for block in cx.module.function(function).blocks() {
            for inst in cx.module.body(block) {
                if let Some(id) = inst.result() {
                    places[id.as_u32() as usize] = Place::block(block);
                }
            }
        }
    }
    for function in cx.module.functions() {
        if let Some(structure) = &structures[function.as_u32() as usize] {
            check_function(cx, function, structure, &places);
        }
    }
}

/// Where an id is defined: at module scope (or as a label or function), as a parameter, or in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const GLOBAL: Place = Place(0);
    const IS_PARAMETER: u32 = 1 << 31;

    fn parameter(function: FunctionIndex) -> Place {
        Place(function.as_u32() | Self::IS_PARAMETER)
    }

    fn block(block: BlockIndex) -> Place {
        Place(block.as_u32() + 1)
    }
}

fn check_function(
    cx: &Context<'_, '_>,
    function: FunctionIndex,
    structure: &StructuredCfg,
    places: &[Place],
) {
    let blocks = cx.module.function(function).blocks();
    let mut ends = cx.module.function(function).blocks();
    let Some(first) = ends.next() else { return };
    let last = ends.next_back().unwrap_or(first);
    for block in blocks {
        if cx.is_full() {
            return;
        }
        if structure.idom(block).is_some_and(|idom| idom > block) {
            let label = cx.module.block(block).label_inst;
            cx.report("Order of blocks", label, "the block comes before the one that dominates it");
        }
        // Uses in code that never runs need not be dominated, but must be of this function.
        let is_reachable = structure.is_reachable(block);
        let terminator = cx.module.block(block).terminator;
        let merge = cx.module.block(block).merge;
        let tail = merge.into_iter().chain([terminator]).map(|index| cx.module.inst(index));
        for inst in cx.module.body(block).chain(tail) {
            for (position, id) in inst.id_operands().enumerate() {
                let place = places[id.as_u32() as usize];
                if place == Place::GLOBAL || place == Place::parameter(function) {
                    continue;
                }
                let found = BlockIndex::from_u32(place.0.wrapping_sub(1));
                if place.0 & Place::IS_PARAMETER != 0 || !(first..=last).contains(&found) {
                    cx.report(DOMINANCE, inst.index(), format!("{id} is of another function"));
                    continue;
                }
                // Of what is in the same block, mostly: earlier there.
                let is_before =
                    || cx.module.definition_index(id).is_some_and(|definition| definition < inst.index());
                let is_visible = if inst.op() == Op::Phi {
                    phi_source(cx, inst, position).is_none_or(|source| {
                        !structure.is_reachable(source) || structure.dominates(found, source)
                    })
                } else if found == block {
                    is_before()
                } else {
                    structure.dominates(found, block)
                };
                if is_visible || !is_reachable {
                    continue;
                }
                let is_debug = inst.ext_inst().is_some_and(|(set, _)| {
                    set == ExtInstSet::NonSemanticShaderDebugInfo100 || set.is_non_semantic()
                });
                if !is_debug {
                    let message = format!("{id} is not defined on every path to this use");
                    cx.report(DOMINANCE, inst.index(), message);
                }
            }
        }
    }
}

/// The block that a phi's value at an operand position comes from, when it is of the same function.
fn phi_source(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<BlockIndex> {
    let label: Id = inst.get_id(position | 1)?;
    let source = cx.module.block_of(label)?;
    let block = cx.module.block_with(inst.index())?;
    (cx.module.block(source).function == cx.module.block(block).function).then_some(source)
}
