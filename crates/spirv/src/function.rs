//! Functions and their blocks.

use crate::facts::facts;
use crate::grammar::supplement::NewerOp;
use crate::id::{BlockIndex, FunctionIndex, Id, Ids, Inst};
use crate::instruction::Instruction;
use crate::module::Module;
use spirv::{FunctionControl, LoopControl, Op, SelectionControl};
use std::collections::BTreeSet;
use std::ops::Range;

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// `OpFunction`.
    pub inst: Inst,
    /// Its id.
    pub id: Id,
    /// What it returns: a type.
    pub result_type: Id,
    /// Hints to the compiler, such as on inlining.
    pub control: FunctionControl,
    /// `OpTypeFunction`.
    pub function_type: Id,
    /// Its `OpFunctionParameter`s and what debug instructions lie between.
    pub(crate) parameters: Range<u32>,
    /// Its blocks, the entry first.
    pub(crate) blocks: Range<u32>,
    /// `OpFunctionEnd`.
    pub end: Inst,
}

impl Function {
    /// Its blocks in the order of the words, the entry first; none for a declaration.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = BlockIndex> + ExactSizeIterator + use<> {
        self.blocks.clone().map(BlockIndex::from_u32)
    }

    /// The block where it begins; none for a declaration.
    pub fn entry(&self) -> Option<BlockIndex> {
        self.blocks().next()
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its label's id.
    pub label: Id,
    /// `OpLabel`.
    pub label_inst: Inst,
    /// The function that it belongs to.
    pub function: FunctionIndex,
    /// `OpSelectionMerge` or `OpLoopMerge`, if it has one.
    pub merge: Option<Inst>,
    /// The last instruction: a branch, a return or another terminator.
    pub terminator: Inst,
}

impl Block {
    /// The instructions between the label and the merge instruction, or the terminator when there is no
    /// merge instruction. Among them may be `OpLine`, `OpNoLine` and extended debug instructions.
    pub fn body(&self) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + use<> {
        let end = self.merge.unwrap_or(self.terminator);
        (self.label_inst.as_u32() + 1..end.as_u32()).map(Inst::from_u32)
    }
}

/// A merge instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// `OpSelectionMerge`
    Selection {
        /// Label where the branches meet.
        merge: Id,
        /// Hints.
        control: SelectionControl,
    },
    /// `OpLoopMerge`
    Loop {
        /// Label where control goes after the loop.
        merge: Id,
        /// Label of the continue target.
        continue_target: Id,
        /// Hints; their parameters are further operands of the instruction.
        control: LoopControl,
    },
}

impl Merge {
    /// The merge block's label.
    pub fn merge(self) -> Id {
        match self {
            Merge::Selection { merge, .. } | Merge::Loop { merge, .. } => merge,
        }
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub enum Terminator<'m> {
    /// `OpBranch`
    Branch {
        /// Label.
        target: Id,
    },
    /// `OpBranchConditional`
    BranchConditional {
        /// A boolean.
        condition: Id,
        /// Label when true.
        on_true: Id,
        /// Label when false.
        on_false: Id,
    },
    /// `OpSwitch`
    Switch {
        /// An integer.
        selector: Id,
        /// Label when no case fits.
        default: Id,
        /// Literals and labels.
        cases: SwitchCases<'m>,
    },
    /// `OpReturn`
    Return,
    /// `OpReturnValue`
    ReturnValue(Id),
    /// `OpKill`
    Kill,
    /// `OpTerminateInvocation`
    TerminateInvocation,
    /// `OpUnreachable`
    Unreachable,
    /// `OpAbortKHR`
    Abort {
        /// The type that says where the parts of the message are.
        ty: Id,
        /// A value of a type that matches it logically.
        message: Id,
    },
    /// `OpIgnoreIntersectionKHR`
    IgnoreIntersection,
    /// `OpTerminateRayKHR`
    TerminateRay,
    /// `OpEmitMeshTasksEXT`
    EmitMeshTasks {
        /// Group counts.
        groups: [Id; 3],
        /// The payload variable.
        payload: Option<Id>,
    },
}

/// The cases of a switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchCases<'m> {
    words: &'m [u32],
    literal_words: usize,
}

impl<'m> SwitchCases<'m> {
    /// How many cases there are, the default apart.
    pub fn len(self) -> usize {
        self.words.len() / (self.literal_words + 1)
    }

    /// Whether there is only the default.
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// Each case: the literal's bits (as its words hold them; for selectors narrower than 32 bits
    /// sign- or zero-extended by their signedness) and the label.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (u64, Id)> + Clone + 'm {
        self.words.chunks_exact(self.literal_words + 1).map(|case| {
            let (&label, literal) = case.split_last().expect("a case has words");
            (literal_bits(literal), Id::from_u32(label))
        })
    }
}

/// The bits of a literal of one or two words.
pub(crate) fn literal_bits(words: &[u32]) -> u64 {
    let low = u64::from(words.first().copied().unwrap_or(0));
    low | u64::from(words.get(1).copied().unwrap_or(0)) << 32
}

/// Whether the opcode ends a block.
pub fn is_terminator(op: Op) -> bool {
    facts(op).is_terminator
}

impl Module {
    /// The functions, in the order of the words.
    pub fn functions(&self) -> impl DoubleEndedIterator<Item = FunctionIndex> + ExactSizeIterator + use<> {
        self.functions.keys()
    }

    /// A function.
    #[inline]
    pub fn function(&self, function: FunctionIndex) -> &Function {
        &self.functions[function]
    }

    /// The function that an id names.
    pub fn function_of(&self, id: Id) -> Option<FunctionIndex> {
        let index = self.role(id)?;
        (self.definition(id)?.op() == Op::Function).then(|| FunctionIndex::from_u32(index))
    }

    /// The parameters of a function in order.
    pub fn parameters(&self, function: FunctionIndex) -> impl Iterator<Item = Instruction<'_>> {
        let range = self.functions[function].parameters.clone();
        let insts = range.map(|index| self.inst(Inst::from_u32(index)));
        insts.filter(|inst| inst.op() == Op::FunctionParameter)
    }

    /// How many blocks all functions have together.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// A block.
    #[inline]
    pub fn block(&self, block: BlockIndex) -> &Block {
        &self.blocks[block]
    }

    /// The block of a label.
    pub fn block_of(&self, label: Id) -> Option<BlockIndex> {
        let index = self.role(label)?;
        (self.definition(label)?.op() == Op::Label).then(|| BlockIndex::from_u32(index))
    }

    /// The block that an instruction is in, its label and terminator included.
    pub fn block_with(&self, inst: Inst) -> Option<BlockIndex> {
        // Blocks are in the order of the words and do not overlap.
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = (low + high) / 2;
            let block = BlockIndex::from_u32(middle as u32);
            if self.blocks[block].terminator < inst {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let block = BlockIndex::from_u32(low as u32);
        self.blocks.get(block).filter(|found| found.label_inst <= inst).map(|_| block)
    }

    /// The instructions of a block between its label and its merge instruction or terminator.
    pub fn body(
        &self,
        block: BlockIndex,
    ) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        self.blocks[block].body().map(|index| self.inst(index))
    }

    /// The merge instruction of a block.
    pub fn merge(&self, block: BlockIndex) -> Option<Merge> {
        let inst = self.inst(self.blocks[block].merge?);
        Some(match inst.op() {
            Op::SelectionMerge => Merge::Selection {
                merge: inst.id(0),
                control: SelectionControl::from_bits_retain(inst.word(1)),
            },
            _ => Merge::Loop {
                merge: inst.id(0),
                continue_target: inst.id(1),
                control: LoopControl::from_bits_retain(inst.word(2)),
            },
        })
    }

    /// How a block ends.
    pub fn terminator(&self, block: BlockIndex) -> Terminator<'_> {
        let inst = self.inst(self.blocks[block].terminator);
        match inst.op() {
            Op::Branch => Terminator::Branch { target: inst.id(0) },
            Op::BranchConditional => Terminator::BranchConditional {
                condition: inst.id(0),
                on_true: inst.id(1),
                on_false: inst.id(2),
            },
            Op::Switch => Terminator::Switch {
                selector: inst.id(0),
                default: inst.id(1),
                cases: SwitchCases {
                    words: &inst.operand_words()[2..],
                    literal_words: self.grammar_context(inst.op, inst.words).switch_literal_words,
                },
            },
            Op::Return => Terminator::Return,
            Op::ReturnValue => Terminator::ReturnValue(inst.id(0)),
            Op::Kill => Terminator::Kill,
            Op::TerminateInvocation => Terminator::TerminateInvocation,
            Op::IgnoreIntersectionKHR => Terminator::IgnoreIntersection,
            Op::TerminateRayKHR => Terminator::TerminateRay,
            Op::EmitMeshTasksEXT => Terminator::EmitMeshTasks {
                groups: [inst.id(0), inst.id(1), inst.id(2)],
                payload: inst.get_id(3),
            },
            _ if inst.newer() == Some(NewerOp::Abort) => {
                Terminator::Abort { ty: inst.id(0), message: inst.id(1) }
            }
            _ => Terminator::Unreachable,
        }
    }

    /// The labels that a block may go to, in operand order (a switch's default first); a label may occur
    /// more than once.
    pub fn successors(&self, block: BlockIndex) -> impl Iterator<Item = Id> + Clone {
        let (fixed, cases): (Ids<'_>, _) = match self.terminator(block) {
            Terminator::Branch { .. } => (self.inst(self.blocks[block].terminator).ids_from(0), None),
            Terminator::BranchConditional { .. } => {
                (Ids(&self.inst(self.blocks[block].terminator).operand_words()[1..3]), None)
            }
            Terminator::Switch { cases, .. } => {
                (Ids(&self.inst(self.blocks[block].terminator).operand_words()[1..2]), Some(cases))
            }
            _ => (Ids(&[]), None),
        };
        fixed.iter().chain(cases.into_iter().flat_map(|cases| cases.iter().map(|(_, label)| label)))
    }

    /// The ids of the functions that a function calls, for elements of cooperative matrices too, in the order
    /// of its calls, with repetitions.
    pub fn callees(&self, function: FunctionIndex) -> impl Iterator<Item = Id> + Clone {
        let function = &self.functions[function];
        let range = function.inst.as_u32()..function.end.as_u32();
        let calls = range.map(|index| self.inst(Inst::from_u32(index))).flat_map(|inst| match inst.op() {
            Op::FunctionCall => [inst.get_id(0), None],
            Op::CooperativeMatrixPerElementOpNV => [inst.get_id(1), None],
            Op::CooperativeMatrixReduceNV => [inst.get_id(2), None],
            Op::CooperativeMatrixLoadTensorNV => {
                let addressing = inst.tensor_addressing(3);
                [addressing.decode, addressing.decode_vector]
            }
            _ => [None, None],
        });
        calls.flatten()
    }

    /// Visits each instruction of a function and of those that it calls, directly or not; each function once.
    pub fn each_in_call_tree<'m>(&'m self, function: Id, mut visit: impl FnMut(Instruction<'m>)) {
        // Not a table of all functions: there may be as many entry points as functions.
        let mut seen = BTreeSet::new();
        let mut pending: Vec<FunctionIndex> = self.function_of(function).into_iter().collect();
        while let Some(function) = pending.pop() {
            if !seen.insert(function) {
                continue;
            }
            let range = self.function(function).inst.as_u32()..self.function(function).end.as_u32();
            range.for_each(|index| visit(self.inst(Inst::from_u32(index))));
            pending.extend(self.callees(function).filter_map(|id| self.function_of(id)));
        }
    }
}
