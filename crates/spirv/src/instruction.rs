//! A view of one instruction.

use crate::ext::ExtInstSet;
use crate::facts::facts;
use crate::grammar::supplement::{self, NewerOp};
use crate::grammar::{self, Context, IdOperands, OpInfo, Operand, Operands};
use crate::id::{Id, Ids, Inst};
use crate::module::Module;
use crate::string::literal_string;
use spirv::{MemoryAccess, Op, TensorAddressingOperands};
use std::borrow::Cow;

/// One instruction of a decoded module. Its operand words follow the grammar: the operands that the
/// grammar requires are there, and each id is within the bound.
#[derive(Clone, Copy)]
pub struct Instruction<'m> {
    pub(crate) module: &'m Module,
    pub(crate) index: Inst,
    pub(crate) op: Op,
    pub(crate) has_result_type: bool,
    pub(crate) has_result: bool,
    /// All words, the first with opcode and length included.
    pub(crate) words: &'m [u32],
}

/// Tensor addressing operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorAddressing {
    /// The view of the operand `TensorView`, if there is one.
    pub view: Option<Id>,
    /// The function of the operand `DecodeFunc`, if there is one.
    pub decode: Option<Id>,
    /// The function of the operand `DecodeVectorFunc`, if there is one.
    pub decode_vector: Option<Id>,
}

impl<'m> Instruction<'m> {
    /// The opcode.
    #[inline]
    pub fn op(self) -> Op {
        self.op
    }

    /// The grammar of its opcode: operands, capabilities, class.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        grammar::table().get_info(self.words[0] as u16)
    }

    /// Whether it is `OpDispatchClusterHUAWEI`, whose opcode is told as `OpEmitVertex`.
    pub fn dispatches_cluster(self) -> bool {
        self.newer() == Some(NewerOp::DispatchCluster)
    }

    /// Which instruction it is, if the grammar lacks it: its opcode is told as another one.
    #[inline]
    pub fn newer(self) -> Option<NewerOp> {
        let opcode = self.words[0] as u16;
        if opcode == self.op as u16 { None } else { supplement::newer(opcode).map(|newer| newer.which) }
    }

    /// The capabilities that [`spirv::Capability`] lacks, by value, of which one allows the instruction; none
    /// are needed when empty.
    pub fn newer_capabilities(self) -> &'static [u32] {
        if self.op == Op::CooperativeMatrixLoadTensorNV && self.tensor_addressing(3).decode_vector.is_some() {
            return &[supplement::DECODE_VECTOR];
        }
        if self.op == Op::LoopMerge && self.word(2) & supplement::WAIT_QUEUES_CONTROL != 0 {
            return &[supplement::WAIT_QUEUES];
        }
        supplement::newer_needs(self.words[0] as u16, self.operand_words())
    }

    /// Its number in the module.
    #[inline]
    pub fn index(self) -> Inst {
        self.index
    }

    /// The module that it belongs to.
    pub fn module(self) -> &'m Module {
        self.module
    }

    /// Where its first word is, counted in words from the start of the module.
    pub fn word_offset(self) -> usize {
        self.module.word_offset(self.index)
    }

    /// All its words, the first with opcode and length included.
    pub fn words(self) -> &'m [u32] {
        self.words
    }

    /// The result's type, if the opcode has one.
    #[inline]
    pub fn result_type(self) -> Option<Id> {
        self.has_result_type.then(|| Id::from_u32(self.words[1]))
    }

    /// The id that it defines, if the opcode defines one.
    #[inline]
    pub fn result(self) -> Option<Id> {
        self.has_result.then(|| Id::from_u32(self.words[1 + usize::from(self.has_result_type)]))
    }

    /// The operand words after result type and result.
    #[inline]
    pub fn operand_words(self) -> &'m [u32] {
        &self.words[1 + usize::from(self.has_result_type) + usize::from(self.has_result)..]
    }

    /// The operand word at a position as an id. Positions count words after result type and result.
    ///
    /// # Panics
    /// When out of range; never for the operands that the grammar requires.
    #[track_caller]
    #[inline]
    pub fn id(self, position: usize) -> Id {
        Id::from_u32(self.operand_words()[position])
    }

    /// The operand word at a position as an id, if there are as many.
    #[inline]
    pub fn get_id(self, position: usize) -> Option<Id> {
        self.operand_words().get(position).map(|&word| Id::from_u32(word))
    }

    /// The pointer that an access chain of any form starts from; none of other instructions.
    pub fn chain_base(self) -> Option<Id> {
        facts(self.op).access_chain.and_then(|chain| self.get_id(chain.base))
    }

    /// The operand word at a position.
    ///
    /// # Panics
    /// When out of range; never for the operands that the grammar requires.
    #[track_caller]
    #[inline]
    pub fn word(self, position: usize) -> u32 {
        self.operand_words()[position]
    }

    /// The operand word at a position, if there are as many.
    #[inline]
    pub fn get_word(self, position: usize) -> Option<u32> {
        self.operand_words().get(position).copied()
    }

    /// The memory operands of a load or store, or those of the target of a copy: the mask, empty where there
    /// is none, and the position of the operands behind it.
    pub fn memory_access(self) -> (MemoryAccess, usize) {
        let operands = grammar::table().get(self.op).operands;
        let position = operands.iter().position(|operand| operand.kind == grammar::OperandKind::MemoryAccess);
        let mask = position.and_then(|position| self.get_word(position)).unwrap_or(0);
        (MemoryAccess::from_bits_retain(mask), position.map_or(0, |position| position + 1))
    }

    /// The tensor addressing operands of a load or store of a cooperative matrix whose memory operands begin
    /// at a position.
    pub fn tensor_addressing(self, position: usize) -> TensorAddressing {
        let memory = MemoryAccess::from_bits_retain(self.get_word(position).unwrap_or(0));
        let extra = MemoryAccess::ALIGNED
            | MemoryAccess::MAKE_POINTER_AVAILABLE
            | MemoryAccess::MAKE_POINTER_VISIBLE
            | MemoryAccess::ALIAS_SCOPE_INTEL_MASK
            | MemoryAccess::NO_ALIAS_INTEL_MASK;
        let mut next = position + 1 + (memory & extra).bits().count_ones() as usize;
        let operands = TensorAddressingOperands::from_bits_retain(self.get_word(next).unwrap_or(0));
        let mut take = |operand| {
            let is_there = operands.contains(operand);
            next += usize::from(is_there);
            self.get_id(next).filter(|_| is_there)
        };
        TensorAddressing {
            view: take(TensorAddressingOperands::TENSOR_VIEW),
            decode: take(TensorAddressingOperands::DECODE_FUNC),
            decode_vector: take(TensorAddressingOperands::from_bits_retain(supplement::DECODE_VECTOR_FUNC)),
        }
    }

    /// The operand words from a position on, as ids (for opcodes that end in a list of ids).
    #[inline]
    pub fn ids_from(self, position: usize) -> Ids<'m> {
        Ids(self.operand_words().get(position..).unwrap_or(&[]))
    }

    /// The literal string that starts at a position.
    pub fn string(self, position: usize) -> Cow<'m, str> {
        literal_string(self.operand_words().get(position..).unwrap_or(&[]))
    }

    /// All operands after result type and result, by the grammar.
    pub fn operands(self) -> impl Iterator<Item = Operand<'m>> + use<'m> {
        // Decoding has walked them all, so none is an error.
        self.try_operands().map_while(Result::ok)
    }

    pub(crate) fn try_operands(self) -> Operands<'m> {
        let info = self.info();
        Operands::new(info, self.operand_words(), self.context())
    }

    /// Every id that it uses: result type first, then the id operands; not its own result.
    #[inline]
    pub fn used_ids(self) -> impl Iterator<Item = Id> + use<'m> {
        self.result_type().into_iter().chain(self.id_operands())
    }

    /// Its id operands, result type and result excluded.
    #[inline]
    pub fn id_operands(self) -> impl Iterator<Item = Id> + use<'m> {
        let table = grammar::table();
        let words = self.operand_words();
        if grammar::is_ext_inst(self.op)
            && self.module.ext_inst_set(self.id(0)).is_some_and(ExtInstSet::has_literal_operands)
        {
            return IdOperands::walked(words, self.try_operands());
        }
        IdOperands::new(table, self.info().id_places, words, || self.try_operands())
    }

    /// For `OpExtInst` and `OpExtInstWithForwardRefsKHR`: the set and the number of the instruction in it.
    #[inline]
    pub fn ext_inst(self) -> Option<(ExtInstSet, u32)> {
        if !grammar::is_ext_inst(self.op) {
            return None;
        }
        Some((self.module.ext_inst_set(self.id(0))?, self.word(1)))
    }

    fn context(self) -> Context {
        self.module.grammar_context(self.op, self.words)
    }
}

impl std::fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(result) = self.result() {
            write!(f, "{result} = ")?;
        }
        write!(f, "Op{:?}", self.op)?;
        if let Some(result_type) = self.result_type() {
            write!(f, " {result_type}")?;
        }
        for operand in self.operands() {
            match operand.id() {
                Some(id) => write!(f, " {id}")?,
                None => write!(f, " {:?}", operand.words)?,
            }
        }
        Ok(())
    }
}
