//! Machine instructions over virtual registers, and the blocks that hold them.
//!
//! An instruction is a [`Kind`] and a range of operands in [`Code::operands`]; kinds refer to operands by
//! position ([`Slot`]), so register allocation may replace registers without knowing instructions. The order
//! of the operands is part of each kind's documentation: results first, then uses.

use super::fused::{FusedCheck, Signs};
use crate::asm::{Alu, Condition, Constant, Len, Rounding, Shift, Size, VOp};
use crate::cpu::Level;
use crate::neon::{Encoded, LaneAccess};
use pyro_ir::{SourceLoc, Space};
use regalloc2::{Operand, PRegSet, RegClass, VReg};

/// General registers.
pub const GENERAL: RegClass = RegClass::Int;
/// Vector registers, whose low elements also hold uniform floats.
pub const VECTOR: RegClass = RegClass::Float;
/// Mask registers.
pub const MASK: RegClass = RegClass::Vector;

/// A block of machine code.
pub type Block = u32;

/// Position of an operand in its instruction's list.
pub type Slot = u8;
/// No operand.
pub const NONE: Slot = Slot::MAX;

/// A memory operand over operand positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What it counts from.
    pub base: AddressBase,
    /// A general or vector register, or [`NONE`].
    pub index: Slot,
    /// Logarithm of the index's scale.
    pub shift: u8,
    /// Bytes.
    pub displacement: i32,
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// A general register.
    Operand(Slot),
    /// A constant.
    Pool(Constant),
    /// The function's temporary memory on the stack.
    Frame,
}

/// ModRM's operand over operand positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmSlot {
    /// A register.
    Reg(Slot),
    /// Memory.
    Mem(Address),
}

/// An instruction of the VEX and EVEX table over operand positions. Without VEX (SSE4.1) it is the same, but
/// the result's register is that of `vvvv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Which.
    pub op: VOp,
    /// Vector length.
    pub len: Len,
    /// ModRM.reg; opcode extensions are `extension`.
    pub reg: Slot,
    /// Opcode extension where `reg` is [`NONE`].
    pub extension: u8,
    /// vvvv.
    pub vvvv: Slot,
    /// ModRM.rm.
    pub rm: RmSlot,
    /// Write mask.
    pub mask: Slot,
    /// Zeroing.
    pub zero: bool,
    /// Broadcast from memory.
    pub broadcast: bool,
    /// Static rounding.
    pub rounding: Rounding,
    /// Immediate.
    pub imm: Option<u8>,
    /// A fourth operand, beside the immediate.
    pub fourth: Slot,
}

impl Vector {
    /// An instruction without mask and immediate.
    pub const fn new(op: VOp, len: Len, reg: Slot, vvvv: Slot, rm: RmSlot) -> Vector {
        Vector {
            op,
            len,
            reg,
            extension: 0,
            vvvv,
            rm,
            mask: NONE,
            zero: false,
            broadcast: false,
            rounding: Rounding::Default,
            imm: None,
            fourth: NONE,
        }
    }
}

/// What a loop over the lanes of a mask does with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOp {
    /// Reads memory into the results.
    Gather,
    /// Writes the values to memory.
    Scatter,
    /// Changes memory, old values into the results.
    Atomic(pyro_ir::Opcode),
}

/// A loop over the lanes of a mask in ascending order. Lane arrays lie in the frame.
///
/// Operands: mask bits, base, five temporaries (one of them `rax`), two vector temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLoop {
    /// What to do.
    pub op: LaneOp,
    /// Bits of an element.
    pub bits: u32,
    /// Whether other threads see the memory.
    pub locked: bool,
    /// The offsets: frame offset of the array, and whether elements are 64 bits wide. None: none to add.
    pub offsets: Option<(i32, bool)>,
    /// Frame offset of the values.
    pub values: i32,
    /// The value of every lane, where it is known; there are no others then. Only of sums at one place whose
    /// results nobody uses.
    pub same: Option<i32>,
    /// Frame offset of the comparators.
    pub comparators: i32,
    /// Frame offset of the results.
    pub results: i32,
    /// Added to every address.
    pub displacement: i32,
    /// Lanes of an array that lies one element behind the other in memory: where all take part, it is moved
    /// as a whole.
    pub consecutive: Option<u32>,
    /// Lanes of the subgroup.
    pub lanes: u32,
    /// Nobody uses the results, and there is no room for them: only where [`LaneLoop::combines`].
    pub unused: bool,
    /// What is stored, in registers, which are the last operands: first offsets, then values, each read last.
    /// Where all lanes take part they are taken from there; else they go to the frame first.
    pub in_registers: Option<LaneRegisters>,
    /// What lanes do goes to this table first; only where results are unused and elements have 32 bits.
    pub pending: Option<PendingAtomics>,
}

/// Registers of AVX2 with the offsets and the values of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRegisters {
    /// Position of the first operand.
    pub first: Slot,
    /// How many registers have offsets, and their length.
    pub offsets: (u8, Len),
    /// The same of values.
    pub values: (u8, Len),
    /// Lanes.
    pub lanes: u32,
    /// All of them take part.
    pub all: bool,
}

/// A table at the frame's start of what atomic operations of one kind have yet to do to memory.
///
/// Its entries are found by address, one place for each; what is there for another address is carried out
/// first. Threads that count in the same few places thus seldom take cache lines from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingAtomics {
    /// What is done to memory.
    pub op: Alu,
}

impl PendingAtomics {
    /// Entries, a power of two: as many as fit the first cache beside other data.
    pub const ENTRIES: i32 = 1024;
    /// Bytes of a table.
    pub const BYTES: u32 = 14 * Self::ENTRIES as u32 + 64;

    /// Frame offset of the addresses, 64 bits each, zero of entries that are not used.
    pub const ADDRESSES: i32 = 0;

    /// Frame offset of the second operands, 32 bits each.
    pub const OPERANDS: i32 = 8 * Self::ENTRIES;

    /// Frame offset of the numbers of the entries in use, 16 bits each.
    pub const USED: i32 = 12 * Self::ENTRIES;

    /// Frame offset of their count, 32 bits.
    pub const COUNT: i32 = 14 * Self::ENTRIES;

    /// Frame offset of the number of operations, 32 bits, that found an entry in use for another address,
    /// less [`PendingAtomics::TOLERATED_NUMERATOR`] of each [`PendingAtomics::TOLERATED_DENOMINATOR`]
    /// operations.
    pub const EVICTIONS: i32 = Self::COUNT + 4;

    /// With more evictions than this the table is not worth its time, and lanes pass it by.
    pub const EVICTIONS_MAX: i32 = 128;
    /// Evictions take about twice as long as an operation on memory and hits a fifth, if no other thread
    /// writes there; if one does, hits save much more.
    pub const TOLERATED_NUMERATOR: u32 = 3;
    /// See [`PendingAtomics::TOLERATED_NUMERATOR`].
    pub const TOLERATED_DENOMINATOR: u32 = 4;
}

impl LaneLoop {
    /// Whether atomic operations on memory of this kind are locked: workgroup and private memory belong to
    /// the one thread that runs the workgroup.
    pub fn is_locked(space: Space) -> bool {
        !matches!(space, Space::Shared | Space::Scratch | Space::Frame)
    }

    /// The instruction that changes memory by an atomic operation in any order of the lanes, if there is one.
    pub fn combines(op: LaneOp, bits: u32) -> Option<Alu> {
        use pyro_ir::Opcode as O;
        match op {
            _ if bits < 32 => None,
            LaneOp::Atomic(O::AtomicAdd) => Some(Alu::Add),
            LaneOp::Atomic(O::AtomicAnd) => Some(Alu::And),
            LaneOp::Atomic(O::AtomicOr) => Some(Alu::Or),
            LaneOp::Atomic(O::AtomicXor) => Some(Alu::Xor),
            _ => None,
        }
    }
}

/// A gather of sixteen words, which two masked loads do where lanes lie in at most two runs: some of them
/// behind the place of the first lane, and all others in front of the last lane's.
///
/// Operands: the result, a temporary vector, two temporary masks, two general temporaries; the address, whose
/// index is a vector, and the mask, all of which are read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunGather {
    /// Where from.
    pub address: Address,
    /// Which lanes, or [`NONE`] for all.
    pub mask: Slot,
    /// Four times the number of each lane.
    pub lanes: Constant,
    /// Asks for the lines first: masked loads may not.
    pub prefetches: bool,
}

/// A gather of AVX2 as loads of single lanes where all take part: some processors take several times as long
/// for the instruction.
///
/// Operands: the result, what it holds in other lanes, a temporary vector, three general temporaries; base,
/// index and mask, all of which are read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitGather {
    /// Where from.
    pub address: Address,
    /// Which lanes, or [`NONE`] for all.
    pub mask: Slot,
    /// Elements of 64 bits.
    pub quads: bool,
    /// The index has 64 bits.
    pub wide_index: bool,
    /// The length of the longer one of index and elements.
    pub len: Len,
}

impl SplitGather {
    /// How many lanes there are.
    pub fn lanes(&self) -> u32 {
        self.len.bytes() / if self.quads || self.wide_index { 8 } else { 4 }
    }
}

/// Functions of the runtime that generated code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Helper {
    /// [`crate::runtime::evaluate`].
    Evaluate,
    /// [`crate::runtime::shuffle`].
    Shuffle,
    /// [`crate::runtime::clock`].
    Clock,
}

pyro_util::codec_enum!(Helper { Evaluate, Shuffle, Clock });

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A VEX or EVEX encoded one.
    Vector(Vector),
    /// `[to]` = constant.
    Imm(u64),
    /// `[to, from]`: a copy between general registers.
    Move,
    /// `[to = a, a, b]`.
    Alu(Alu, Size),
    /// `[to = a, a]` with an immediate.
    AluImm(Alu, Size, i32),
    /// `[to = a, a]`: negation.
    Neg(Size),
    /// `[to = a, a]`: complement.
    Not(Size),
    /// `[to = a, a]`.
    ShiftImm(Shift, Size, u8),
    /// `[to = a, a, rcx]`.
    ShiftByCl(Shift, Size),
    /// `[to = a, a, b]`.
    Imul(Size),
    /// `[to, a]`.
    ImulImm(Size, i32),
    /// `[to, address…]`.
    Lea(Size, Address),
    /// `[to, address…]`: 8 to 64 bits, zero-extended.
    Load(u32, Address),
    /// `[from, address…]`: 8 to 64 bits.
    Store(u32, Address),
    /// `[to = value, value, address…]`: memory becomes the sum, and the register what it was. 8 to 64 bits;
    /// locked where other threads see the memory.
    FetchAdd {
        /// Bits of the element.
        bits: u32,
        /// Whether other threads see the memory.
        locked: bool,
        /// Where it is.
        address: Address,
    },
    /// `[to, from]`: zero-extends 8 or 16 bits.
    ZeroExtend(u32),
    /// `[to, from]`: sign-extends 8, 16 or 32 bits.
    SignExtend(u32, Size),
    /// `[to, a, b]`: 0 or 1.
    Compare(Condition, Size),
    /// `[to, a]`: 0 or 1.
    CompareImm(Condition, Size, i32),
    /// `[to = otherwise, otherwise, then, condition]`.
    Select(Size),
    /// `[to = otherwise, otherwise, then, a, b]`.
    SelectCompare(Condition, Size),
    /// `[to = otherwise, otherwise, then, a]`.
    SelectCompareImm(Condition, Size, i32),
    /// `[to, from]`: number of one bits.
    PopCount(Size),
    /// `[to, from]`.
    LeadingZeros(Size),
    /// `[to, from]`.
    TrailingZeros(Size),
    /// `[to = a, a]`.
    ByteSwap(Size),
    /// `[rdx, rax temporary, rax, b]`: high half of the product.
    MulHigh {
        /// Both factors are signed.
        signed: bool,
        /// Their size.
        size: Size,
    },
    /// `[rax, rdx, rax, b]`: quotient and remainder; `b` is neither 0 nor -1 where that would trap.
    Divide {
        /// Signed division.
        signed: bool,
        /// Operand size.
        size: Size,
    },
    /// `[rdi, rsi]`: the function's arguments.
    Args,
    /// Leaves with this code.
    Return(u32),
    /// Goes on at a block.
    Jump(Block),
    /// `[condition]`: goes to the first where it is not zero.
    Branch(Block, Block),
    /// `[a, b]`: goes to the first where the comparison holds.
    BranchCompare(Condition, Size, Block, Block),
    /// `[a]`: the same with an immediate.
    BranchCompareImm(Condition, Size, i32, Block, Block),
    /// Stops the process: never reached.
    Trap,
    /// `[rdi, rsi, rdx, rcx, r8…]`: a call of the runtime; the result, if any, is the first operand, in
    /// `rax`.
    CallHelper(Helper),
    /// `[rdi, rsi]`: a call of the `Callable` at the first.
    Call,
    /// The same where the function keeps all registers.
    CallKeeping,
    /// See [`LaneLoop`].
    LaneLoop(LaneLoop),
    /// See [`RunGather`].
    RunGather(RunGather),
    /// See [`SplitGather`].
    SplitGather(SplitGather),
    /// `[general temporary, vector temporary]`: empties a table without a look at what it holds.
    ClearPending,
    /// `[four general temporaries]`: carries out what a table holds.
    FlushPending(PendingAtomics),
    /// A store of a whole vector register, perhaps under a mask, that passes the caches by where the dispatch
    /// is streaming, all lanes are set, and the register is a line.
    StreamingStore {
        /// The store as it is otherwise.
        store: Vector,
        /// Position of the [`pyro_abi::DispatchContext`]'s address.
        dispatch: Slot,
        /// Position of a temporary general register.
        temporary: Slot,
    },
    /// `[address…]`: asks for the line there, whether or not it can be read.
    Prefetch(Address),
    /// `[value, mask, temporary, address…]`: stores the lanes of 32 or 64 bits in a vector mask. All lanes
    /// are the rule, and then a plain store is much cheaper on some processors.
    MaskedStore {
        /// Lanes of 64 bits.
        quads: bool,
        /// Vector length.
        len: Len,
        /// Where to.
        address: Address,
    },
    /// `[to, mask, temporary, address…]`: loads the lanes of 32 or 64 bits in a vector mask, zeros elsewhere.
    /// As for stores, a plain load of all lanes is much cheaper on some processors.
    MaskedLoad {
        /// Lanes of 64 bits.
        quads: bool,
        /// Vector length.
        len: Len,
        /// Where from.
        address: Address,
    },
    /// One of NEON's: see [`crate::neon`]. What it reads and writes is there twice: `[to = a, a, b, c]`.
    Neon(Encoded),
    /// `[to, address…]`: so many bytes, 1 to 16, into a vector register of NEON; the rest becomes zero.
    VectorLoad(u32, Address),
    /// `[from, address…]`: the low bytes, 1 to 16, of a vector register of NEON.
    VectorStore(u32, Address),
    /// `[to]`: 16 bytes of the pool into a vector register of NEON.
    VectorConstant(Constant),
    /// See [`LaneAccess`].
    LaneAccess(LaneAccess),
    /// `[to, c, a, b]`: `a * b + c` of four singles with these signs, rounded once, before it is rewritten
    /// for SSE4.1.
    Fused(Signs),
    /// `[results…, the same before…, suspects, a, b, c of each but constants…, general temporary]`: makes
    /// the results right if a lane is suspected; the operands are in registers or on the stack.
    FusedCheck(Box<FusedCheck>),
    /// Orders memory operations before it against those after it, where processors do not.
    Fence,
}

/// An instruction with its operands' range in [`Code::operands`].
#[derive(Clone, Debug)]
pub struct Inst {
    /// What it does.
    pub kind: Kind,
    /// First operand.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Where it comes from.
    pub loc: SourceLoc,
}

/// Operands of one instruction while it is made.
pub type Operands = smallvec::SmallVec<[Operand; 8]>;

/// One block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// First instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Parameters.
    pub params: Vec<VReg>,
    /// Successors in the terminator's order.
    pub successors: Vec<regalloc2::Block>,
    /// Arguments for each successor.
    pub arguments: Vec<Vec<VReg>>,
    /// Predecessors.
    pub predecessors: Vec<regalloc2::Block>,
    /// A loop's header: aligned.
    pub is_loop: bool,
}

/// A function over virtual registers.
#[derive(Debug, Default)]
pub struct Code {
    /// In emission order, the entry first.
    pub blocks: Vec<BlockData>,
    /// Of all blocks, in their order.
    pub insts: Vec<Inst>,
    /// Of all instructions.
    pub operands: Vec<Operand>,
    /// How many virtual registers there are.
    pub vreg_count: usize,
    /// Bytes of temporary memory on the stack.
    pub frame_bytes: u32,
    /// The vector instructions that it is made of.
    pub level: Level,
}

impl Code {
    /// A new virtual register.
    pub fn vreg(&mut self, class: RegClass) -> VReg {
        self.vreg_count += 1;
        VReg::new(self.vreg_count - 1, class)
    }

    /// The length of vector registers.
    pub fn vector_len(&self) -> Len {
        match self.level {
            Level::Neon | Level::Sse41 => Len::X,
            Level::Avx2 => Len::Y,
            Level::Avx512 => Len::Z,
        }
    }

    /// Appends an instruction.
    pub fn push(&mut self, kind: Kind, operands: &[Operand], loc: SourceLoc) {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let end = self.operands.len() as u32;
        self.insts.push(Inst { kind, start, end, loc });
    }
}

impl Kind {
    /// Whether it ends a block by going to others.
    pub const fn is_branch(&self) -> bool {
        matches!(
            self,
            Kind::Jump(_) | Kind::Branch(..) | Kind::BranchCompare(..) | Kind::BranchCompareImm(..)
        )
    }

    /// Whether it ends a block for good.
    pub const fn is_return(&self) -> bool {
        matches!(self, Kind::Return(_) | Kind::Trap)
    }

    /// Registers that change beside its operands.
    pub fn clobbers(&self, level: Level) -> PRegSet {
        match self {
            Kind::CallHelper(_) | Kind::Call => super::allocate::caller_saved(level),
            _ => PRegSet::empty(),
        }
    }
}
