//! The state of lowering one entry point, and how ids are looked up and defined.

use crate::block_order::BlockOrder;
use crate::error::{LowerError, Result, invalid, limit, unsupported};
use crate::float_mode::FloatModes;
use crate::inline::Frame;
use crate::instrument::Instrumentation;
use crate::limits::{BLOCK_COUNT_MAX, INST_COUNT_MAX, TOTAL_SCALAR_COUNT_MAX};
use crate::location::Locations;
use crate::pointer::Pointer;
use crate::memory::shared::has_shared_blocks;
use crate::stage::Stage;
use crate::types::Types;
use crate::value::{Operand, Scalars};
use pyro_abi::PipelineLayout;
use pyro_ir::{Block, Builder, Function, Opcode, Scalar, Signature, Value};
use pyro_spirv::spirv::{Capability, Decoration, ExecutionMode, Op};
use pyro_spirv::{ConstantValues, FunctionIndex, Id, Instruction, Module};
use pyro_validate::Checked;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Everything that lowering one entry point knows. The families of instructions are methods of it, each in
/// its own file.
pub(crate) struct Lowerer<'m, 'f> {
    pub(crate) module: &'m Module,
    /// The module with what checking has found.
    pub(crate) checked: &'m Checked,
    pub(crate) constants: ConstantValues<'m>,
    pub(crate) layout: &'m PipelineLayout,
    /// Sizes of storage buffers and offsets in them have 64 bits.
    pub(crate) indexing_64bit: bool,
    pub(crate) stage: &'m dyn Stage,
    pub(crate) types: Types<'m>,
    pub(crate) b: Builder<'f>,
    pub(crate) locations: Locations,
    /// The first block; see the crate's documentation.
    prologue: Block,
    /// Calls in progress, the entry point first.
    pub(crate) frames: Vec<Frame<'m>>,
    /// What the function returned that was called last for an element.
    pub(crate) returned: Option<Operand>,
    /// The structured order of each function, once needed.
    pub(crate) block_orders: FxHashMap<FunctionIndex, Rc<BlockOrder>>,
    /// Module-scope variables that were used.
    pub(crate) globals: FxHashMap<Id, Pointer>,
    /// Base and size of the descriptors that were used, by set, binding and index, from the prologue.
    pub(crate) descriptors: FxHashMap<(u32, u32, u64), (Value, Value)>,
    /// Bounds of indices by size, end and stride, from the prologue.
    pub(crate) index_counts: FxHashMap<(Value, u64, u64), Value>,
    /// Address of workgroup memory, from the prologue.
    pub(crate) shared_base: Option<Value>,
    pub(crate) shared_bytes: u32,
    /// How many of them cooperative matrices pass through.
    pub(crate) exchange_bytes: u32,
    /// Where cooperative matrices pass through workgroup memory, once needed.
    pub(crate) staging: Option<[u32; 4]>,
    /// Where the aliased blocks begin in workgroup memory.
    pub(crate) aliased_shared: Option<u64>,
    /// Workgroup variables are blocks: either all of a shader are (`WorkgroupMemoryExplicitLayoutKHR`) or none.
    pub(crate) has_shared_blocks: bool,
    pub(crate) zero_shared: bool,
    pub(crate) has_barriers: bool,
    /// Image and sampler records of descriptors that were used, by set, binding and index, from the prologue.
    pub(crate) resources: FxHashMap<(u32, u32, u64), (Value, Value)>,
    /// Records that may differ from lane to lane though lanes use them together (`NonUniform`).
    pub(crate) non_uniform: std::collections::HashSet<Value>,
    /// The variables whose values slots were filled with, for inputs.
    pub(crate) input_slots: FxHashMap<pyro_ir::Slot, pyro_spirv::GlobalVariable<'m>>,
    /// Where the invocation's returns go, in stages with something behind the shader.
    pub(crate) end: Option<Block>,
    /// The slot of the call record, once needed.
    pub(crate) call_record: Option<pyro_ir::Slot>,
    /// The image operation at hand, and what is known of records.
    pub(crate) image: crate::image::ImageState,
    /// `FPFastMathDefault` by float type.
    pub(crate) fast_math_defaults: Vec<(Id, u32)>,
    /// Rounding and denormals.
    pub(crate) float_modes: FloatModes,
    /// Operands and results of the instruction at hand are flushed.
    pub(crate) flushing: bool,
    /// The module has bfloat16.
    pub(crate) has_bfloat: bool,
    /// Operands and results of the instruction at hand are `f32` where the module says bfloat16.
    pub(crate) widening: bool,
    /// Blocks count their invocations.
    pub(crate) instrumentation: Option<Instrumentation>,
    /// Scalars that values have had so far.
    scalar_count: u64,
}

impl<'m, 'f> Lowerer<'m, 'f> {
    /// Starts with an empty prologue.
    pub(crate) fn new(
        checked: &'m Checked,
        entry_point: Id,
        constants: ConstantValues<'m>,
        layout: &'m PipelineLayout,
        stage: &'m dyn Stage,
        function: &'f mut Function,
    ) -> Self {
        let module = checked.module();
        let indexing_64bit = layout.options.indexing_64bit
            || module.execution_mode(entry_point, ExecutionMode::Shader64BitIndexingEXT).is_some();
        let mut b = Builder::new(function);
        let prologue = b.function.make_block();
        b.start(prologue);
        Lowerer {
            module,
            checked,
            constants,
            layout,
            indexing_64bit,
            stage,
            types: Types::new(module, indexing_64bit),
            b,
            locations: Locations::new(),
            prologue,
            frames: Vec::new(),
            returned: None,
            block_orders: FxHashMap::default(),
            globals: FxHashMap::default(),
            descriptors: FxHashMap::default(),
            index_counts: FxHashMap::default(),
            shared_base: None,
            shared_bytes: 0,
            exchange_bytes: 0,
            staging: None,
            aliased_shared: None,
            has_shared_blocks: has_shared_blocks(module),
            zero_shared: false,
            has_barriers: false,
            resources: FxHashMap::default(),
            non_uniform: Default::default(),
            input_slots: FxHashMap::default(),
            end: None,
            call_record: None,
            image: Default::default(),
            fast_math_defaults: Vec::new(),
            float_modes: FloatModes::default(),
            flushing: false,
            has_bfloat: module.has_capability(Capability::BFloat16TypeKHR),
            widening: false,
            instrumentation: layout.options.instrumented.then(|| Instrumentation::new(module, entry_point)),
            scalar_count: 0,
        }
    }

    /// Appends to the prologue; what is made there may be used everywhere.
    pub(crate) fn in_prologue<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (block, loc) = (self.b.block(), self.b.loc);
        self.b.switch_to(self.prologue);
        self.b.loc = pyro_ir::SourceLoc::default();
        let result = f(self);
        self.b.switch_to(block);
        self.b.loc = loc;
        result
    }

    /// Makes the current block, in which nothing of the shader is yet, the prologue.
    pub(crate) fn set_prologue(&mut self) {
        self.prologue = self.b.block();
    }

    /// The prologue's block.
    pub(crate) fn prologue(&self) -> Block {
        self.prologue
    }

    /// A new block, not in the order yet.
    pub(crate) fn make_block(&mut self) -> Result<Block> {
        if self.b.function.blocks.len() >= BLOCK_COUNT_MAX {
            return limit(format!(
                "the shader has more than {BLOCK_COUNT_MAX} blocks when calls are inlined"
            ));
        }
        Ok(self.b.function.make_block())
    }

    /// Ends runaway inlining.
    pub(crate) fn check_size(&self) -> Result {
        if self.b.function.insts.len() > INST_COUNT_MAX {
            return limit(format!(
                "the shader has more than {INST_COUNT_MAX} instructions when calls are inlined"
            ));
        }
        Ok(())
    }

    /// An instruction that is not implemented.
    pub(crate) fn unsupported<T>(&self, inst: Instruction<'_>) -> Result<T> {
        unsupported(format!("Op{:?}", inst.op()))
    }

    // Ids.

    /// The place of an id in the innermost frame, if it is defined in that function.
    fn local_index(&self, id: Id) -> Option<usize> {
        let index = self.module.definition_index(id)?.as_u32();
        let frame = self.calls.frames.last()?;
        (frame.insts.contains(&index)).then(|| (index - frame.insts.start) as usize)
    }

    /// What an id stands for.
    pub(crate) fn operand(&mut self, id: Id) -> Result<Operand> {
        if let Some(index) = self.local_index(id) {
            let frame = self.calls.frames.last().expect("a local id has a frame");
            return match &frame.values[index] {
                Some(operand) => Ok(operand.clone()),
                None => invalid(format!("{id} is used where it is not defined")),
            };
        }
        if let Some(variable) = self.module.global(id) {
            return Ok(self.global_variable(variable)?.into());
        }
        self.constant(id)
    }

    /// The scalars of a value; of a pointer, the scalars that carry it.
    pub(crate) fn scalars(&mut self, id: Id) -> Result<Scalars> {
        let operand = self.operand(id)?;
        let mut scalars = self.operand_scalars(operand)?;
        if self.float.widening && self.module.type_of(id).is_some_and(|ty| self.is_bfloat(ty)) {
            scalars.iter_mut().for_each(|value| *value = self.widened(*value));
        }
        Ok(scalars)
    }

    pub(crate) fn operand_scalars(&mut self, operand: Operand) -> Result<Scalars> {
        match operand {
            Operand::Data(mut scalars) => {
                if self.float.flushing {
                    scalars.iter_mut().for_each(|value| *value = self.flushed(*value));
                }
                Ok(scalars)
            }
            Operand::Pointer(pointer) => self.pointer_scalars(&pointer),
        }
    }

    /// A value of one scalar.
    pub(crate) fn scalar(&mut self, id: Id) -> Result<Value> {
        match self.scalars(id)?[..] {
            [value] => Ok(value),
            _ => invalid(format!("{id} is not a scalar")),
        }
    }

    /// A value of `N` scalars.
    pub(crate) fn array<const N: usize>(&mut self, id: Id) -> Result<[Value; N]> {
        let scalars = self.scalars(id)?;
        match <[Value; N]>::try_from(&scalars[..]) {
            Ok(array) => Ok(array),
            Err(_) => invalid(format!("{id} has {} scalars, not {N}", scalars.len())),
        }
    }

    /// A pointer.
    pub(crate) fn pointer(&mut self, id: Id) -> Result<Pointer> {
        match self.operand(id)? {
            Operand::Pointer(pointer) => Ok(*pointer),
            Operand::Data(_) => invalid(format!("{id} is not a pointer")),
        }
    }

    /// Gives an instruction's result its value. The value must fit the result's type.
    pub(crate) fn define(&mut self, inst: Instruction<'m>, mut operand: Operand) -> Result {
        if let (Operand::Data(scalars), true) = (&mut operand, self.float.flushing) {
            scalars.iter_mut().for_each(|value| *value = self.flushed(*value));
        }
        if let (Operand::Data(scalars), true) = (&mut operand, self.float.widening)
            && inst.result_type().is_some_and(|ty| self.is_bfloat(ty))
        {
            scalars.iter_mut().for_each(|value| *value = self.narrowed(*value));
        }
        let Some(result) = inst.result() else { return invalid(format!("Op{:?} has no result", inst.op())) };
        if let Operand::Data(scalars) = &operand {
            let ty = self.result_type(inst)?;
            let expected = self.types.scalars(&self.constants, ty)?;
            let fits = scalars.len() == expected.len()
                && scalars.iter().zip(&expected[..]).all(|(&v, &s)| self.b.function.ty(v).scalar == s);
            if !fits {
                return invalid(format!("the operands of {inst:?} do not fit its result type"));
            }
            self.scalar_count += scalars.len() as u64;
            if self.scalar_count > TOTAL_SCALAR_COUNT_MAX {
                return limit("the shader's values have too many components when calls are inlined");
            }
        }
        match self.local_index(result) {
            Some(index) => {
                let frame = self.calls.frames.last_mut().expect("a local id has a frame");
                frame.values[index] = Some(operand);
                Ok(())
            }
            None => Err(LowerError::internal(format!("{result} is defined outside of its function"))),
        }
    }

    /// Gives an instruction's result a value of one scalar.
    pub(crate) fn define_scalar(&mut self, inst: Instruction<'m>, value: Value) -> Result {
        self.define(inst, Operand::scalar(value))
    }

    // Types.

    /// The id of an instruction's result type.
    pub(crate) fn result_type(&self, inst: Instruction<'_>) -> Result<Id> {
        match inst.result_type() {
            Some(ty) => Ok(ty),
            None => invalid(format!("Op{:?} has no result type", inst.op())),
        }
    }

    /// The scalar of a result that is a scalar or vector.
    pub(crate) fn result_scalar(&self, inst: Instruction<'_>) -> Result<Scalar> {
        let ty = self.result_type(inst)?;
        match self.module.component(ty) {
            Some(_) if self.float.widening && self.is_bfloat(ty) => Ok(Scalar::F32),
            Some(component) => crate::types::scalar_of(self.module, component.id),
            None => invalid(format!("the result of Op{:?} is not a scalar or vector", inst.op())),
        }
    }

    /// The scalars of a result.
    pub(crate) fn result_scalars(&mut self, inst: Instruction<'_>) -> Result<Rc<[Scalar]>> {
        let ty = self.result_type(inst)?;
        self.type_scalars(ty)
    }

    /// The scalars of a type.
    pub(crate) fn type_scalars(&mut self, ty: Id) -> Result<Rc<[Scalar]>> {
        self.types.scalars(&self.constants, ty)
    }

    /// The id of a value's type.
    pub(crate) fn type_of(&self, id: Id) -> Result<Id> {
        match self.module.type_of(id) {
            Some(ty) => Ok(ty),
            None => invalid(format!("{id} is not a value")),
        }
    }

    /// The scalar type of an IR value.
    pub(crate) fn scalar_type(&self, value: Value) -> Scalar {
        self.b.function.ty(value).scalar
    }

    /// Whether an id has a decoration that takes no parameters.
    pub(crate) fn has_decoration(&self, id: Option<Id>, decoration: Decoration) -> bool {
        id.is_some_and(|id| self.module.has_decoration(id, decoration))
    }

    /// Whether an id is decorated `NonUniform`.
    pub(crate) fn is_non_uniform(&self, id: Option<Id>) -> bool {
        self.has_decoration(id, Decoration::NonUniform)
    }

    // Operations whose operand types come from the module.

    /// An operation whose operands decide its type, after a check that they fit it.
    pub(crate) fn op(&mut self, op: Opcode, args: &[Value]) -> Result<Value> {
        self.op_imm(op, args, 0)
    }

    /// The same with an immediate.
    pub(crate) fn op_imm(&mut self, op: Opcode, args: &[Value], imm: u64) -> Result<Value> {
        self.check_args(op, args)?;
        let scalar = self.b.function.result_scalar(op, args);
        let Some(scalar) = scalar else {
            return Err(LowerError::internal(format!("{} needs a type", op.name())));
        };
        Ok(self.b.emit(op, args, imm, scalar).expect("it gives a result"))
    }

    /// A conversion, after a check that it fits.
    pub(crate) fn convert(&mut self, op: Opcode, arg: Value, to: Scalar) -> Result<Value> {
        let from = self.scalar_type(arg);
        let fits = match op.signature() {
            Signature::Truncate => from.is_int() && to.is_int() && to.bits() < from.bits(),
            Signature::Extend => {
                (from.is_int() || from == Scalar::I1) && to.is_int() && to.bits() > from.bits()
            }
            Signature::FloatToFloat => from.is_float() && to.is_float() && from != to,
            Signature::FloatToInt => from.is_float() && to.is_int(),
            Signature::IntToFloat => from.is_int() && to.is_float(),
            Signature::Bitcast => from.bits() == to.bits() && from != Scalar::I1,
            _ => false,
        };
        if !fits {
            return invalid(format!("{} from {} to {}", op.name(), from.name(), to.name()));
        }
        Ok(self.b.convert(op, arg, to))
    }

    fn check_args(&self, op: Opcode, args: &[Value]) -> Result {
        let first = args.first().map_or(Scalar::I1, |&arg| self.scalar_type(arg));
        let same = args.iter().all(|&arg| self.scalar_type(arg) == first);
        let fits = match op.signature() {
            Signature::IntUnary | Signature::IntBinary => same && first.is_int(),
            Signature::BitUnary | Signature::BitBinary | Signature::IntCompare => same && !first.is_float(),
            Signature::FloatUnary
            | Signature::FloatBinary
            | Signature::FloatTernary
            | Signature::FloatCompare => same && first.is_float(),
            Signature::Select => {
                first == Scalar::I1 && self.scalar_type(args[1]) == self.scalar_type(args[2])
            }
            _ => true,
        };
        if !fits || args.len() != op.arg_count() {
            let types: Vec<_> = args.iter().map(|&arg| self.scalar_type(arg).name()).collect();
            return invalid(format!("{} of operands {}", op.name(), types.join(", ")));
        }
        Ok(())
    }

    /// An integer (or `i1`) as the integer type `to`; other types must be `to` already.
    pub(crate) fn integer_of_width(&mut self, value: Value, to: Scalar, signed: bool) -> Result<Value> {
        let from = self.scalar_type(value);
        if from == to {
            return Ok(value);
        }
        let op = match (to.bits() < from.bits(), signed) {
            (true, _) => Opcode::Truncate,
            (false, true) => Opcode::SignExtend,
            (false, false) => Opcode::ZeroExtend,
        };
        self.convert(op, value, to)
    }

    /// Fails unless every value is a float.
    pub(crate) fn expect_float(&self, inst: Instruction<'_>, values: &[Value]) -> Result {
        if values.iter().all(|&value| self.scalar_type(value).is_float()) {
            return Ok(());
        }
        invalid_operands(inst)
    }

    /// Fails unless every value is an integer.
    pub(crate) fn expect_int(&self, inst: Instruction<'_>, values: &[Value]) -> Result {
        if values.iter().all(|&value| self.scalar_type(value).is_int()) {
            return Ok(());
        }
        invalid_operands(inst)
    }

    /// Fails unless all values have one type.
    pub(crate) fn expect_same(&self, inst: Instruction<'_>, values: &[Value]) -> Result {
        let first = values.first().map(|&value| self.scalar_type(value));
        if values.iter().all(|&value| Some(self.scalar_type(value)) == first) {
            return Ok(());
        }
        invalid_operands(inst)
    }

    /// The component-wise result of a function of one scalar.
    pub(crate) fn map1(
        &mut self,
        inst: Instruction<'m>,
        mut f: impl FnMut(&mut Self, Value) -> Result<Value>,
    ) -> Result {
        let x = self.scalars(inst.id(0))?;
        let result: Result<Scalars> = x.iter().map(|&x| f(self, x)).collect();
        self.define(inst, Operand::Data(result?))
    }

    /// The component-wise result of a function of two scalars.
    pub(crate) fn map2(
        &mut self,
        inst: Instruction<'m>,
        mut f: impl FnMut(&mut Self, Value, Value) -> Result<Value>,
    ) -> Result {
        let (x, y) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        if x.len() != y.len() {
            return invalid_operands(inst);
        }
        let result: Result<Scalars> = x.iter().zip(&y).map(|(&x, &y)| f(self, x, y)).collect();
        self.define(inst, Operand::Data(result?))
    }

    /// A constant integer operand: a scope, semantics, a count.
    pub(crate) fn constant_operand(&self, id: Id) -> Result<u32> {
        match self.constants.unsigned(id) {
            Some(value) => Ok(value),
            None => invalid(format!("{id} is not a constant that is zero or more")),
        }
    }
}

/// The operands do not fit the instruction.
pub(crate) fn invalid_operands<T>(inst: Instruction<'_>) -> Result<T> {
    invalid(format!("the operands of {inst:?} do not fit it"))
}

/// Whether an instruction is one that lowering passes over.
pub(crate) fn is_skipped(op: Op) -> bool {
    matches!(op, Op::Nop | Op::Line | Op::NoLine | Op::Label | Op::Phi | Op::ModuleProcessed)
}
