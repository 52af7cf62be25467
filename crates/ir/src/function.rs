//! Functions, blocks, instructions and values.

use crate::opcode::{Effect, Opcode};
use crate::types::{Scalar, Shape, Type};
use pyro_util::{PackedOption, PrimaryMap, entity};
use smallvec::SmallVec;
use std::sync::Arc;

entity! {
    /// A basic block.
    Block, "block"
}

entity! {
    /// An instruction.
    Inst, "inst"
}

entity! {
    /// An SSA value.
    Value, "v"
}

entity! {
    /// A private variable of a function in lane form.
    Slot, "slot"
}

/// Which form a function is in; see the crate's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// What one invocation does.
    Lane,
    /// What the subgroup does.
    Mask,
}

/// A position in the source, as an index into the front end's table; 0 when unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLoc(pub u32);

/// Which memory an access may touch: accesses to different spaces never alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Space {
    /// The context records, descriptor tables, push constants: nothing writes them during a dispatch.
    Context = 0,
    /// Uniform buffers and other memory that the shader only reads.
    Constant = 1,
    /// Storage buffers and device addresses.
    Global = 2,
    /// Workgroup memory.
    Shared = 3,
    /// Private arrays of the subgroup's lanes.
    Scratch = 4,
    /// Values kept across suspend points, and the rows through which stages of ray tracing pass theirs.
    Frame = 5,
    /// Storage buffers that the shader only reads: nothing writes them during a dispatch.
    Input = 6,
}

impl Space {
    /// All spaces, by number.
    pub const ALL: [Space; 7] = [
        Space::Context,
        Space::Constant,
        Space::Global,
        Space::Shared,
        Space::Scratch,
        Space::Frame,
        Space::Input,
    ];

    /// Its name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Context => "context",
            Space::Constant => "constant",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Scratch => "scratch",
            Space::Frame => "frame",
            Space::Input => "input",
        }
    }

    /// Nothing writes it while a shader runs.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Space::Context | Space::Constant | Space::Input)
    }
}

/// The immediate of a memory operation.
///
/// Where an access has a 32-bit offset, that of every lane that takes part in it (whose predicate holds) is
/// below 2^31. So executors may extend it either way; buffers and images are small enough for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOp {
    /// The memory space that the base address points into.
    pub space: Space,
    /// Bytes added to the address.
    pub displacement: i32,
    /// Neither merged nor removed.
    pub volatile: bool,
    /// Safe for any lane whose own predicate holds, whether or not the lane is active: `linearize` may leave
    /// the predicate as it is, and a uniform load under divergence stays uniform. Of writes only stores to
    /// scratch memory can be, where nobody reads what the other lanes write.
    pub speculatable: bool,
    /// Lanes come in pairs: the second's element is the one behind the first's. Holds for the offsets of both
    /// lanes where one of them takes part.
    pub pairs: bool,
    /// Of a store of lanes in pairs: where one lane of a pair takes part, the other's element may be written
    /// too, with what it holds. Nobody else writes these elements meanwhile.
    pub whole_pairs: bool,
    /// Of a store: where the dispatch writes more than caches hold
    /// ([`DispatchContext::streaming`](../pyro_abi/struct.DispatchContext.html#structfield.streaming)), it
    /// may pass them by.
    pub streaming: bool,
    /// Of an atomic operation on global memory whose result nobody uses: it is unordered, and nothing else in
    /// the function accesses the memory object but operations of the same kind, so it may be carried out any
    /// time until the call ends, together with others on the same place.
    pub deferrable: bool,
    /// Its base is the address of a memory object that accesses with other bases do not reach: two such
    /// accesses with different bases never overlap.
    pub apart: bool,
}

impl MemoryOp {
    /// An ordinary access.
    pub const fn new(space: Space) -> MemoryOp {
        MemoryOp {
            space,
            displacement: 0,
            volatile: false,
            speculatable: false,
            pairs: false,
            whole_pairs: false,
            streaming: false,
            deferrable: false,
            apart: false,
        }
    }

    /// The same with a displacement.
    pub const fn at(self, displacement: i32) -> MemoryOp {
        MemoryOp { displacement, ..self }
    }

    /// The same, safe without the execution mask.
    pub const fn speculatable(self) -> MemoryOp {
        MemoryOp { speculatable: true, ..self }
    }

    /// The same for lanes in pairs.
    pub const fn pairs(self) -> MemoryOp {
        MemoryOp { pairs: true, ..self }
    }

    /// The same for lanes in pairs that may be written whole.
    pub const fn whole_pairs(self) -> MemoryOp {
        MemoryOp { pairs: true, whole_pairs: true, ..self }
    }

    /// As an instruction's immediate.
    #[inline]
    pub const fn to_imm(self) -> u64 {
        (self.displacement as u32 as u64)
            | (self.space as u64) << 32
            | (self.volatile as u64) << 40
            | (self.speculatable as u64) << 41
            | (self.pairs as u64) << 42
            | (self.streaming as u64) << 43
            | (self.whole_pairs as u64) << 44
            | (self.deferrable as u64) << 45
            | (self.apart as u64) << 46
    }

    /// From an instruction's immediate.
    #[inline]
    pub fn from_imm(imm: u64) -> MemoryOp {
        MemoryOp {
            space: Space::ALL[((imm >> 32) & 0xff) as usize % Space::ALL.len()],
            displacement: imm as u32 as i32,
            volatile: imm >> 40 & 1 != 0,
            speculatable: imm >> 41 & 1 != 0,
            pairs: imm >> 42 & 1 != 0,
            streaming: imm >> 43 & 1 != 0,
            whole_pairs: imm >> 44 & 1 != 0,
            deferrable: imm >> 45 & 1 != 0,
            apart: imm >> 46 & 1 != 0,
        }
    }
}

/// One instruction. Operands and immediate are as [`Opcode::signature`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstData {
    /// The operation.
    pub op: Opcode,
    /// Operands.
    pub args: SmallVec<[Value; 4]>,
    /// Constant bits, entry argument, slot number, exit code, or a [`MemoryOp`]; 0 when unused.
    pub imm: u64,
    /// The result, if it gives one.
    pub result: PackedOption<Value>,
    /// Where it comes from.
    pub loc: SourceLoc,
}

impl InstData {
    /// In the immediate of a call (`call`, `slot_call`): the function writes its call record, which is
    /// scratch memory, and nothing else.
    pub const CALL_READS_ONLY: u64 = 1 << 32;
    /// In the immediate of a call, beside [`InstData::CALL_READS_ONLY`]: the function keeps all registers, so
    /// what surrounds a call that is seldom made need not.
    pub const CALL_KEEPS_REGISTERS: u64 = 1 << 33;
    /// Both.
    pub const CALL_FLAGS: u64 = InstData::CALL_READS_ONLY | InstData::CALL_KEEPS_REGISTERS;
    /// Immediate of a fence that orders accesses to workgroup memory only.
    pub const ORDERS_SHARED: u64 = 1;
    /// Immediate of a `FFma` that ends an interpolation: `y * a + (x - x * a)` may be computed in another way
    /// that is as close to that without rounding.
    pub const INTERPOLATES: u64 = 1;
    /// In the immediate of a `FFma`: whoever asks for it leaves open whether the product is rounded, too. It
    /// is not, but by `pyro_passes::round_twice`.
    pub const MAY_ROUND_TWICE: u64 = 2;
    /// Immediate of a `Bitcast` of a float that is only recorded (`pyro_abi::trace`): not a use that decides
    /// how the float is computed.
    pub const RECORDS: u64 = 1;

    /// The result of an instruction whose opcode always has one.
    ///
    /// # Panics
    /// When there is none: a mistake of the caller.
    #[inline]
    #[track_caller]
    pub fn expect_result(&self) -> Value {
        self.result.expand().expect("the instruction has a result")
    }

    /// Whether an access to a space may see another value behind the instruction than before it, or is
    /// ordered by it: what may not be moved over it, nor merged across it.
    #[inline]
    pub fn orders(&self, space: Space) -> bool {
        match self.op.effect() {
            Effect::Pure | Effect::Convergent | Effect::Read => false,
            Effect::Write => self.op.is_memory() && MemoryOp::from_imm(self.imm).space == space,
            Effect::Barrier => match self.op {
                Opcode::Call | Opcode::SlotCall if self.imm & Self::CALL_READS_ONLY != 0 => {
                    space == Space::Scratch
                }
                Opcode::Fence if self.imm == Self::ORDERS_SHARED => space == Space::Shared,
                _ => !space.is_read_only(),
            },
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an instruction.
    Inst(Inst),
    /// A block's parameter, by position.
    Param(Block, u32),
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
}

/// A jump target with the values for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCall {
    /// The target.
    pub block: Block,
    /// One value for each parameter.
    pub args: SmallVec<[Value; 2]>,
}

impl BlockCall {
    /// A jump to `block` with `args`.
    pub fn new(block: Block, args: &[Value]) -> BlockCall {
        BlockCall { block, args: SmallVec::from_slice(args) }
    }
}

/// How a block ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Terminator {
    /// The block has not been ended yet.
    #[default]
    None,
    /// Goes on at a block.
    Jump(BlockCall),
    /// Goes to the first where the `i1` condition is true, else to the second.
    Branch {
        /// The condition.
        condition: Value,
        /// Where it holds.
        then: BlockCall,
        /// Where it does not.
        otherwise: BlockCall,
    },
    /// Goes to the case that equals the integer, else to the default.
    Switch {
        /// The selector.
        selector: Value,
        /// Distinct literals (zero-extended bits) and where they go.
        cases: Vec<(u64, BlockCall)>,
        /// Where all others go.
        default: BlockCall,
    },
    /// Ends the invocation (lane form: the code is 0) or the call (mask form: a `pyro_abi::Exit` code).
    Return(u32),
    /// Never reached.
    Unreachable,
}

impl Terminator {
    /// The targets in order.
    #[inline]
    pub fn targets(&self) -> impl Iterator<Item = &BlockCall> {
        let (head, cases, tail): (Option<&BlockCall>, &[(u64, BlockCall)], Option<&BlockCall>) = match self {
            Terminator::Jump(to) => (Some(to), &[], None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), &[], Some(otherwise)),
            Terminator::Switch { cases, default, .. } => (None, cases, Some(default)),
            Terminator::None | Terminator::Return(_) | Terminator::Unreachable => (None, &[], None),
        };
        head.into_iter().chain(cases.iter().map(|(_, to)| to)).chain(tail)
    }

    /// The targets in order, to change.
    #[inline]
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut BlockCall> {
        let (head, cases, tail): (Option<&mut BlockCall>, &mut [(u64, BlockCall)], Option<&mut BlockCall>) =
            match self {
                Terminator::Jump(to) => (Some(to), &mut [], None),
                Terminator::Branch { then, otherwise, .. } => (Some(then), &mut [], Some(otherwise)),
                Terminator::Switch { cases, default, .. } => (None, cases, Some(default)),
                Terminator::None | Terminator::Return(_) | Terminator::Unreachable => (None, &mut [], None),
            };
        head.into_iter().chain(cases.iter_mut().map(|(_, to)| to)).chain(tail)
    }

    /// The target with this number in [`Terminator::targets`], found at once; numbers past the last give the
    /// last.
    #[inline]
    pub fn target(&self, ordinal: u32) -> Option<&BlockCall> {
        match self {
            Terminator::Switch { cases, default, .. } => {
                Some(cases.get(ordinal as usize).map_or(default, |(_, to)| to))
            }
            Terminator::Jump(to) => Some(to),
            Terminator::Branch { then, otherwise, .. } => Some(if ordinal == 0 { then } else { otherwise }),
            Terminator::None | Terminator::Return(_) | Terminator::Unreachable => None,
        }
    }

    /// Like [`Terminator::target`], for changing it.
    pub fn target_mut(&mut self, ordinal: u32) -> Option<&mut BlockCall> {
        match self {
            Terminator::Switch { cases, default, .. } => match cases.get_mut(ordinal as usize) {
                Some((_, to)) => Some(to),
                None => Some(default),
            },
            Terminator::Jump(to) => Some(to),
            Terminator::Branch { then, otherwise, .. } => Some(if ordinal == 0 { then } else { otherwise }),
            Terminator::None | Terminator::Return(_) | Terminator::Unreachable => None,
        }
    }

    /// The condition or selector.
    #[inline]
    pub fn operand(&self) -> Option<Value> {
        match self {
            Terminator::Branch { condition, .. } => Some(*condition),
            Terminator::Switch { selector, .. } => Some(*selector),
            _ => None,
        }
    }

    /// Calls `f` on every value that the terminator uses, to read or replace it.
    #[inline]
    pub fn for_each_value_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Terminator::Branch { condition, .. } => f(condition),
            Terminator::Switch { selector, .. } => f(selector),
            _ => {}
        }
        for target in self.targets_mut() {
            target.args.iter_mut().for_each(&mut f);
        }
    }

    /// Calls `f` on every value that the terminator uses.
    #[inline]
    pub fn for_each_value(&self, mut f: impl FnMut(Value)) {
        self.operand().into_iter().for_each(&mut f);
        for target in self.targets() {
            target.args.iter().copied().for_each(&mut f);
        }
    }
}

/// How the lanes that a header splits meet again. Lane form only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// An `if` or `switch`; its lanes meet at `merge`.
    Selection {
        /// Behind the construct.
        merge: Block,
    },
    /// This block is a loop's header.
    Loop {
        /// Behind the loop.
        merge: Block,
        /// Where lanes that go round again meet; its construct holds the back edge.
        continue_target: Block,
    },
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockData {
    /// Parameters: the block's phis.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// Where control goes from its end.
    pub terminator: Terminator,
    /// The construct that the block is the header of, if it is one.
    pub merge: Option<Merge>,
}

/// A private variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Bytes for one lane. Every access lies inside, at an offset that its own size divides, and accesses
    /// that overlap have the same offset and size. A slot that holds `i1` is accessed at constant offsets
    /// only (it becomes SSA values, never memory).
    pub bytes: u32,
    /// Where a `slot_call` uses it: what it has of lanes that have not come there must stay as it is (a ray
    /// query's state), while else nobody reads that (operands and results).
    pub keeps: bool,
}

/// One shader entry point with everything inlined.
#[derive(Clone, Debug)]
pub struct Function {
    /// For messages and listings; of no meaning.
    pub name: String,
    /// Lane or mask form.
    pub form: Form,
    /// Lanes in the subgroup: 4, 8, 16, 32 or 64.
    pub lanes: u32,
    /// All blocks; those not in the order are dead.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// All instructions; those in no block are dead.
    pub insts: PrimaryMap<Inst, InstData>,
    /// All values.
    pub values: PrimaryMap<Value, ValueData>,
    /// Private variables.
    pub slots: PrimaryMap<Slot, SlotData>,
    /// The blocks in order, the entry first.
    pub block_order: Vec<Block>,
    /// Bytes of scratch memory that one subgroup needs (set by the pass that lowers slots).
    pub scratch_bytes: u32,
    /// Bytes of frame memory that one subgroup needs (set by the `suspend` pass).
    pub frame_bytes: u32,
    /// Read-only memory whose address is entry argument 2 (set by the `constant_table` pass).
    pub constants: Option<Arc<[u64]>>,
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<String>, form: Form, lanes: u32) -> Function {
        Function {
            name: name.into(),
            form,
            lanes,
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            slots: PrimaryMap::new(),
            block_order: Vec::new(),
            scratch_bytes: 0,
            frame_bytes: 0,
            constants: None,
        }
    }

    /// The entry block.
    #[inline]
    pub fn entry(&self) -> Block {
        self.block_order[0]
    }

    /// A value's type.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// A new block, not in the order yet.
    pub fn make_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// A new parameter at the end of a block's list. In lane form the type must be varying.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let position = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, position) });
        self.blocks[block].params.push(value);
        value
    }

    /// A new parameter of a block in the place of another one, whose uses stay what they are.
    pub fn replace_param(&mut self, block: Block, position: usize, ty: Type) -> Value {
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, position as u32) });
        self.blocks[block].params[position] = value;
        value
    }

    /// A new private variable of `bytes` bytes per lane.
    pub fn add_slot(&mut self, bytes: u32) -> Slot {
        self.slots.push(SlotData { bytes, keeps: false })
    }

    /// A new private variable that calls change for the lanes that come to them, and keep for the others.
    pub fn add_kept_slot(&mut self, bytes: u32) -> Slot {
        self.slots.push(SlotData { bytes, keeps: true })
    }

    /// A new instruction, not in any block yet. `ty` is the result's type for operations that give one.
    pub fn make_inst(
        &mut self,
        op: Opcode,
        args: &[Value],
        imm: u64,
        ty: Option<Type>,
        loc: SourceLoc,
    ) -> Inst {
        debug_assert!(op.takes(args.len()), "{} with {} operands", op.name(), args.len());
        debug_assert_eq!(ty.is_some(), op.has_result(), "{}", op.name());
        let inst = self.insts.push(InstData {
            op,
            args: SmallVec::from_slice(args),
            imm,
            result: PackedOption::default(),
            loc,
        });
        if let Some(ty) = ty {
            self.insts[inst].result = self.values.push(ValueData { ty, def: ValueDef::Inst(inst) }).into();
        }
        inst
    }

    /// The instruction that defines a value, if one does.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Inst(inst) => Some(&self.insts[inst]),
            ValueDef::Param(..) => None,
        }
    }

    /// The bits of a constant (through `splat`).
    #[inline]
    pub fn const_bits(&self, value: Value) -> Option<u64> {
        let data = self.def_inst(value)?;
        match data.op {
            Opcode::Const => Some(data.imm),
            Opcode::Splat => {
                self.def_inst(data.args[0]).and_then(|data| (data.op == Opcode::Const).then_some(data.imm))
            }
            _ => None,
        }
    }

    /// The result's type of a pure operation on operands of these types in mask form, and in lane form
    /// (where everything is varying). `scalar` is the result's scalar type.
    pub fn result_shape(&self, op: Opcode, args: &[Value]) -> Shape {
        use crate::opcode::Signature as S;
        if self.form == Form::Lane {
            return Shape::Varying;
        }
        match op.signature() {
            S::Const | S::Arg | S::Clock | S::MaskReduce | S::MaskToBits | S::LaneRead => Shape::Uniform,
            S::LaneId | S::Active | S::Splat | S::MaskFromBits | S::Shuffle | S::AtomicCompare => {
                Shape::Varying
            }
            S::Load => self.ty(args[2]).shape,
            S::Atomic => self.ty(args[3]).shape,
            _ => args.first().map_or(Shape::Uniform, |&arg| self.ty(arg).shape),
        }
    }

    /// The result's scalar type where the operands decide it; `None` where the caller must say.
    pub fn result_scalar(&self, op: Opcode, args: &[Value]) -> Option<Scalar> {
        use crate::opcode::Signature as S;
        Some(match op.signature() {
            S::LaneId => Scalar::I32,
            S::Arg | S::Clock | S::MaskToBits => Scalar::I64,
            S::Active | S::IntCompare | S::FloatCompare | S::MaskReduce | S::MaskFromBits => Scalar::I1,
            S::IntUnary
            | S::BitUnary
            | S::IntBinary
            | S::BitBinary
            | S::FloatUnary
            | S::FloatBinary
            | S::FloatTernary
            | S::Splat
            | S::LaneRead
            | S::Shuffle => self.ty(args[0]).scalar,
            S::Select => self.ty(args[1]).scalar,
            S::Atomic | S::AtomicCompare => self.ty(args[2]).scalar,
            S::FromBfloat => Scalar::F32,
            S::ToBfloat => Scalar::I16,
            S::FromSrgb => Scalar::F32,
            S::ToSrgb => Scalar::I32,
            _ => return None,
        })
    }
}
