//! The builder: appends instructions to a block and folds operations on constants.

use crate::eval;
use crate::function::{
    Block, BlockCall, Form, Function, InstData, MemoryOp, Slot, SourceLoc, Terminator, Value,
};
use crate::opcode::{Effect, Opcode};
use crate::types::{Scalar, Shape, Type};
use std::collections::HashMap;

/// Appends instructions to one block at a time.
///
/// Pure operations on constants are folded at once, and equal constants of one block are shared, so front
/// ends may write the general form of a computation and leave special cases to the builder.
pub struct Builder<'f> {
    /// The function that grows.
    pub function: &'f mut Function,
    block: Block,
    /// Given to each new instruction.
    pub loc: SourceLoc,
    constants: HashMap<(Scalar, u64), Value>,
}

impl<'f> Builder<'f> {
    /// A builder with no block yet; call [`Builder::switch_to`] first.
    pub fn new(function: &'f mut Function) -> Builder<'f> {
        Builder { function, block: Block::RESERVED, loc: SourceLoc::default(), constants: HashMap::new() }
    }

    /// Goes on at the end of `block`.
    pub fn switch_to(&mut self, block: Block) {
        if self.block != block {
            self.block = block;
            self.constants.clear();
        }
    }

    /// Appends `block` to the function's order and goes on there.
    pub fn start(&mut self, block: Block) {
        self.function.block_order.push(block);
        self.switch_to(block);
    }

    /// The block that grows.
    pub fn block(&self) -> Block {
        self.block
    }

    /// The type of a new value: in lane form always varying.
    fn make_type(&self, scalar: Scalar, shape: Shape) -> Type {
        match self.function.form {
            Form::Lane => Type::varying(scalar),
            Form::Mask => Type { scalar, shape },
        }
    }

    /// Appends an instruction whose result has the scalar type `scalar` (ignored when it gives none).
    pub fn emit(&mut self, op: Opcode, args: &[Value], imm: u64, scalar: Scalar) -> Option<Value> {
        let shape = self.function.result_shape(op, args);
        let ty = op.has_result().then(|| self.make_type(scalar, shape));
        if op.effect() == Effect::Pure
            && !args.is_empty()
            && shape_folds(op)
            && let Some(bits) = self.fold(op, args, imm, scalar)
        {
            let constant = self.constant(scalar, bits);
            let varying = self.function.form == Form::Mask && shape == Shape::Varying;
            return Some(if varying { self.splat(constant) } else { constant });
        }
        let inst = self.function.make_inst(op, args, imm, ty, self.loc);
        self.function.blocks[self.block].insts.push(inst);
        self.function.insts[inst].result.expand()
    }

    fn fold(&self, op: Opcode, args: &[Value], imm: u64, scalar: Scalar) -> Option<u64> {
        let mut bits = [0u64; 3];
        for (slot, &arg) in bits.iter_mut().zip(args) {
            *slot = self.function.const_bits(arg)?;
        }
        eval::pure(op, self.function.ty(args[args.len() - 1]).scalar, scalar, &bits[..args.len()], imm)
    }

    /// A constant of the given bits (truncated to the type). Uniform in mask form.
    pub fn constant(&mut self, scalar: Scalar, bits: u64) -> Value {
        let bits = bits & scalar.mask();
        if let Some(&value) = self.constants.get(&(scalar, bits)) {
            return value;
        }
        let ty = self.make_type(scalar, Shape::Uniform);
        let inst = self.function.make_inst(Opcode::Const, &[], bits, Some(ty), self.loc);
        self.function.blocks[self.block].insts.push(inst);
        let value = self.function.insts[inst].expect_result();
        self.constants.insert((scalar, bits), value);
        value
    }

    /// An `i32` constant.
    pub fn i32(&mut self, value: u32) -> Value {
        self.constant(Scalar::I32, value.into())
    }

    /// An `i64` constant.
    pub fn i64(&mut self, value: u64) -> Value {
        self.constant(Scalar::I64, value)
    }

    /// An `f32` constant.
    pub fn f32(&mut self, value: f32) -> Value {
        self.constant(Scalar::F32, value.to_bits().into())
    }

    /// An `f64` constant.
    pub fn f64(&mut self, value: f64) -> Value {
        self.constant(Scalar::F64, value.to_bits())
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(Scalar::I1, value.into())
    }

    /// An operation whose operands decide the result's type.
    ///
    /// # Panics
    /// When they do not ([`Function::result_scalar`]), or the operation gives no result.
    pub fn op(&mut self, op: Opcode, args: &[Value]) -> Value {
        let scalar = self.function.result_scalar(op, args).expect("operands decide the type");
        self.emit(op, args, 0, scalar).expect("gives a result")
    }

    /// A conversion to `scalar`.
    pub fn convert(&mut self, op: Opcode, arg: Value, scalar: Scalar) -> Value {
        self.emit(op, &[arg], 0, scalar).expect("conversions give a result")
    }

    /// The same bits as `scalar`; the value itself when it has that type already.
    pub fn bitcast(&mut self, arg: Value, scalar: Scalar) -> Value {
        if self.function.ty(arg).scalar == scalar { arg } else { self.convert(Opcode::Bitcast, arg, scalar) }
    }

    /// An entry argument.
    pub fn arg(&mut self, index: u64) -> Value {
        self.emit(Opcode::Arg, &[], index, Scalar::I64).expect("gives a result")
    }

    /// One scalar to all lanes (the value itself in lane form, or when it varies already).
    pub fn splat(&mut self, arg: Value) -> Value {
        if self.function.ty(arg).is_varying() { arg } else { self.op(Opcode::Splat, &[arg]) }
    }

    /// `condition ? then : otherwise`.
    pub fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        if then == otherwise {
            return then;
        }
        match self.function.const_bits(condition) {
            Some(0) => otherwise,
            Some(_) => then,
            None => self.op(Opcode::Select, &[condition, then, otherwise]),
        }
    }

    /// A load of `scalar` from `base + offset + displacement` where `predicate`.
    pub fn load(
        &mut self,
        scalar: Scalar,
        memory: MemoryOp,
        base: Value,
        offset: Value,
        predicate: Value,
    ) -> Value {
        self.emit(Opcode::Load, &[base, offset, predicate], memory.to_imm(), scalar).expect("gives a result")
    }

    /// A store of `value` to `base + offset + displacement` where `predicate`.
    pub fn store(&mut self, memory: MemoryOp, base: Value, offset: Value, value: Value, predicate: Value) {
        self.emit(Opcode::Store, &[base, offset, value, predicate], memory.to_imm(), Scalar::I1);
    }

    /// A read of a slot.
    pub fn slot_load(&mut self, scalar: Scalar, slot: Slot, offset: Value) -> Value {
        self.emit(Opcode::SlotLoad, &[offset], slot.as_u32().into(), scalar).expect("gives a result")
    }

    /// A write of a slot.
    pub fn slot_store(&mut self, slot: Slot, offset: Value, value: Value) {
        self.emit(Opcode::SlotStore, &[offset, value], slot.as_u32().into(), Scalar::I1);
    }

    /// A call of the function object at `function` with `argument`.
    pub fn call(&mut self, function: Value, argument: Value) {
        self.emit(Opcode::Call, &[function, argument], 0, Scalar::I1);
    }

    /// A call of the function at `function` with the call record in `slot`: an image function for the image
    /// and sampler records at these addresses, or another that takes these two words for something else.
    /// `writes`: the function may write other memory than the call record.
    pub fn slot_call(&mut self, slot: Slot, function: Value, image: Value, sampler: Value, writes: bool) {
        let reads_only = if writes { 0 } else { InstData::CALL_READS_ONLY };
        let imm = u64::from(slot.as_u32()) | reads_only;
        self.emit(Opcode::SlotCall, &[function, image, sampler], imm, Scalar::I1);
    }

    /// A call that only reads, of a function that keeps all registers (`pyro_abi::report`), with the call
    /// record in `slot` and two words for its header.
    pub fn report_call(&mut self, slot: Slot, function: Value, first: Value, second: Value) {
        let imm = u64::from(slot.as_u32()) | InstData::CALL_FLAGS;
        self.emit(Opcode::SlotCall, &[function, first, second], imm, Scalar::I1);
    }

    /// An operation without operands or result: [`Opcode::Fence`], [`Opcode::Suspend`].
    pub fn effect(&mut self, op: Opcode, imm: u64) {
        self.emit(op, &[], imm, Scalar::I1);
    }

    /// Ends the block. Does nothing when it has ended already.
    pub fn terminate(&mut self, terminator: Terminator) {
        let data = &mut self.function.blocks[self.block];
        if data.terminator == Terminator::None {
            data.terminator = terminator;
        }
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.terminate(Terminator::Jump(BlockCall::new(block, args)));
    }

    /// Ends the block with a branch.
    pub fn branch(&mut self, condition: Value, then: BlockCall, otherwise: BlockCall) {
        self.terminate(Terminator::Branch { condition, then, otherwise });
    }

    /// The instruction that defines `value`.
    pub fn def(&self, value: Value) -> Option<&InstData> {
        self.function.def_inst(value)
    }
}

/// Operations that [`Builder::emit`] may fold: those whose meaning is the same on one lane.
fn shape_folds(op: Opcode) -> bool {
    use crate::opcode::Signature as S;
    !matches!(op.signature(), S::Splat | S::MaskReduce | S::MaskFromBits)
}
