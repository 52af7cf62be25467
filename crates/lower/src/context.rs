//! The state of lowering one entry point, and the services that every family rests on: blocks, the prologue,
//! types, and operations whose operand types come from the module and so are checked.
//!
//! Must not know: families of instructions. What ids stand for is in [`crate::operand`], since that makes
//! variables and constants.

use crate::counting::Counting;
use crate::deferrable::DeferrablePointers;
use crate::error::{LowerError, Result, invalid, limit, unsupported};
use crate::float_mode::FloatState;
use crate::frame::CallState;
use crate::image::state::ImageState;
use crate::instrument::Instrumentation;
use crate::limits::{BLOCK_COUNT_MAX, INST_COUNT_MAX, SANITIZED_BLOCK_COUNT_MAX, SANITIZED_INST_COUNT_MAX};
use crate::location::Locations;
use crate::pointer::Pointer;
use crate::report_state::Reports;
use crate::sanitize::state::Sanitizer;
use crate::stage::Stage;
use crate::storage_buffers::StorageBuffers;
use crate::trace::Trace;
use crate::types::{Types, has_shared_blocks};
use pyro_abi::PipelineLayout;
use pyro_abi::context::offset;
use pyro_ir::{Block, Builder, Function, MemoryOp, Opcode, Scalar, Signature, Space, Value};
use pyro_spirv::spirv::{Decoration, ExecutionMode};
use pyro_spirv::{ConstantValues, Id, Instruction, Module};
use pyro_util::budget;
use pyro_validate::Checked;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::rc::Rc;

/// Everything that lowering one entry point knows. The families of instructions are methods of it, each in
/// its own file; here is what all of them rest on.
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
    pub(crate) calls: CallState<'m>,
    /// The sources of phis that have many, by the blocks that they come from.
    pub(crate) large_phis: FxHashMap<pyro_spirv::Inst, FxHashMap<u32, Id>>,
    /// Module-scope variables that were used.
    pub(crate) globals: FxHashMap<Id, Pointer>,
    /// The variables whose values slots were filled with, for inputs.
    pub(crate) input_slots: FxHashMap<pyro_ir::Slot, pyro_spirv::GlobalVariable<'m>>,
    pub(crate) descriptors: DescriptorCache,
    pub(crate) workgroup: WorkgroupMemory,
    /// Where the invocation's returns go, in stages with something behind the shader.
    pub(crate) end: Option<Block>,
    /// The slot of the call record, once needed.
    pub(crate) call_record: Option<pyro_ir::Slot>,
    /// The image operation at hand, and what is known of records.
    pub(crate) image: ImageState,
    pub(crate) float: FloatState,
    /// Blocks count their invocations.
    pub(crate) instrumentation: Option<Instrumentation>,
    /// Blocks and branches count how often they run.
    pub(crate) counting: Option<Counting>,
    /// The places that report.
    pub(crate) reports: Reports,
    /// What the sanitizer looks for, and what it keeps.
    pub(crate) sanitizer: Sanitizer,
    /// What is recorded for a debugger.
    pub(crate) trace: Trace,
    /// Loops of products of matrices are run ahead by the runtime.
    pub(crate) tiles: bool,
    /// Scalars that values have had so far.
    pub(crate) scalar_count: u64,
    /// Which atomic operations may wait, once something has asked.
    pub(crate) deferrable: Option<DeferrablePointers>,
    /// What is known of storage buffers, once there is one.
    pub(crate) storage_buffers: Option<StorageBuffers>,
}

/// Descriptors that were read in the prologue, by set, binding and index.
#[derive(Default)]
pub(crate) struct DescriptorCache {
    /// Base and size of buffers.
    pub(crate) buffers: FxHashMap<(u32, u32, u64), (Value, Value)>,
    /// Image and sampler records.
    pub(crate) records: FxHashMap<(u32, u32, u64), (Value, Value)>,
    /// Records that may differ from lane to lane though lanes use them together (`NonUniform`).
    pub(crate) non_uniform: HashSet<Value>,
    /// Records of storage images that are input attachments (`SPV_QCOM_tile_shading`): they are fetched from.
    pub(crate) fetched: HashSet<Value>,
    /// Bounds of indices by size, end and stride, from the prologue.
    pub(crate) index_counts: FxHashMap<(Value, u64, u64), Value>,
}

/// Workgroup memory as far as it has been given out.
#[derive(Default)]
pub(crate) struct WorkgroupMemory {
    /// Its address, from the prologue.
    pub(crate) base: Option<Value>,
    pub(crate) bytes: u32,
    /// How many of them cooperative matrices pass through.
    pub(crate) exchange_bytes: u32,
    /// Where cooperative matrices pass through it, once needed.
    pub(crate) staging: Option<[u32; 4]>,
    /// Where the aliased blocks begin.
    pub(crate) aliased: Option<u64>,
    /// Its variables are blocks: either all of a shader are (`WorkgroupMemoryExplicitLayoutKHR`) or none.
    pub(crate) has_blocks: bool,
    /// It is to be zero when the workgroup starts.
    pub(crate) is_zeroed: bool,
    /// How many of the last bytes are the sanitizer's, and are zero when the workgroup starts.
    pub(crate) shadow_bytes: u32,
    /// Invocations of the workgroup wait for each other.
    pub(crate) has_barriers: bool,
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
    ) -> Result<Self> {
        let module = checked.module();
        let indexing_64bit = layout.options.indexing_64bit
            || module.execution_mode(entry_point, ExecutionMode::Shader64BitIndexingEXT).is_some();
        let float = FloatState::of(module, &constants, entry_point)?;
        let mut b = Builder::new(function);
        let prologue = b.function.make_block();
        b.start(prologue);
        Ok(Lowerer {
            module,
            checked,
            constants,
            layout,
            indexing_64bit,
            stage,
            types: Types::new(module, indexing_64bit),
            b,
            locations: Locations::new(layout.options.map),
            prologue,
            calls: CallState::default(),
            large_phis: FxHashMap::default(),
            globals: FxHashMap::default(),
            input_slots: FxHashMap::default(),
            descriptors: DescriptorCache::default(),
            workgroup: WorkgroupMemory {
                has_blocks: has_shared_blocks(module),
                ..WorkgroupMemory::default()
            },
            end: None,
            call_record: None,
            image: ImageState::default(),
            float,
            instrumentation: layout.options.instrumented.then(|| Instrumentation::new(module, entry_point)),
            counting: Counting::new(module, entry_point, layout, stage.model()),
            reports: Reports::default(),
            sanitizer: Sanitizer::new(layout.options.sanitize),
            trace: Trace::new(layout.options.trace.as_ref(), module, entry_point, stage.model()),
            tiles: false,
            scalar_count: 0,
            deferrable: None,
            storage_buffers: None,
        })
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
        let most = if self.sanitizer.is_off() { BLOCK_COUNT_MAX } else { SANITIZED_BLOCK_COUNT_MAX };
        if self.b.function.blocks.len() >= most {
            return limit(format!("the shader has more than {most} blocks when calls are inlined"));
        }
        Ok(self.b.function.make_block())
    }

    /// Ends runaway inlining.
    pub(crate) fn check_size(&self) -> Result {
        budget::check_often()?;
        let most = if self.sanitizer.is_off() { INST_COUNT_MAX } else { SANITIZED_INST_COUNT_MAX };
        if self.b.function.insts.len() > most {
            return limit(format!("the shader has more than {most} instructions when calls are inlined"));
        }
        Ok(())
    }

    /// An instruction that is not implemented.
    pub(crate) fn unsupported<T>(&self, inst: Instruction<'_>) -> Result<T> {
        unsupported(format!("Op{:?}", inst.op()))
    }

    // Types.

    /// The id of an instruction's result type.
    pub(crate) fn result_type(&self, inst: Instruction<'_>) -> Result<Id> {
        match inst.result_type() {
            Some(ty) => Ok(ty),
            None => invalid(format!("Op{:?} has no result type", inst.op())),
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

impl<'m> Lowerer<'m, '_> {
    /// A field of one of the records that the shader is called with, or that they point to.
    pub(crate) fn load_context(&mut self, base: Value, byte: u32, scalar: Scalar) -> Value {
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let memory = MemoryOp::new(Space::Context).speculatable().at(byte as i32);
        self.b.load(scalar, memory, base, zero, always)
    }

    /// The address of workgroup memory.
    pub(crate) fn shared_base(&mut self) -> Result<Value> {
        if let Some(base) = self.workgroup.base {
            return Ok(base);
        }
        let base = self.in_prologue(|cx| {
            let subgroup = cx.b.arg(1);
            Ok(cx.load_context(subgroup, offset::SHARED, Scalar::I64))
        })?;
        Ok(*self.workgroup.base.insert(base))
    }
}
