//! Exact counts of a profile, and coverage: blocks count their invocations and the lanes of their subgroups,
//! branches which way was taken.
//!
//! Beside [`crate::instrument`], which is Vulkan's: here all blocks of a module have counters at a fixed
//! address, whatever the application asks for, and a branch counts by itself, since an invocation may become
//! a helper or end between a branch and the next block. Helper invocations do not count.

use crate::context::Lowerer;
use crate::error::Result;
use crate::shader_map::{Files, digest, function_name};
use crate::stage_name::stage_name;
use pyro_abi::PipelineLayout;
use pyro_abi::shader_map::NO_FILE;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_profiler::counters::{
    self, Block, Branch, BufferAccess, Counted, CountedFunction, CountedShader, LineCost,
};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{ExecutionModel, Op, StorageClass};
use pyro_spirv::{BlockIndex, Id, Inst, Instruction, Module, Terminator, Type};
use rustc_hash::FxHashMap;

/// The counters of the shader that is lowered.
pub(crate) struct Counting {
    counted: Counted,
    /// Numbers of blocks and branches, by block.
    blocks: FxHashMap<BlockIndex, u32>,
    branches: FxHashMap<BlockIndex, u32>,
    /// Numbers of accesses, by instruction.
    accesses: FxHashMap<Inst, u32>,
    /// The address of the counters, from the prologue.
    address: Option<Value>,
}

/// How many ways a block may end; fewer than two where it does not branch.
fn arms(module: &Module, block: BlockIndex) -> u32 {
    match module.terminator(block) {
        Terminator::BranchConditional { on_true, on_false, .. } if on_true != on_false => 2,
        Terminator::Switch { cases, .. } => cases.len() as u32 + 1,
        _ => 0,
    }
}

impl Counting {
    /// For a module's entry point, if its shaders are to count.
    pub(crate) fn new(
        module: &Module,
        entry_point: Id,
        layout: &PipelineLayout,
        model: Option<ExecutionModel>,
    ) -> Option<Counting> {
        if layout.options.counts == 0 {
            return None;
        }
        let stage = stage_name(model.unwrap_or(ExecutionModel::GLCompute));
        let name = module.entry_points().find(|entry| entry.function == entry_point)?.name().into_owned();
        let all = || module.functions().flat_map(|function| module.function(function).blocks());
        let counted = counters::of(digest(module), stage, &name, || describe(module, stage, &name));
        Some(Counting {
            counted,
            blocks: all().zip(0..).collect(),
            branches: all().filter(|&block| arms(module, block) > 1).zip(0..).collect(),
            accesses: all()
                .flat_map(|block| accesses(module, block))
                .map(|inst| inst.index())
                .zip(0..)
                .collect(),
            address: None,
        })
    }

    /// Offset of the counters of an access of buffers, if the instruction is one.
    pub(crate) fn access_offset(&self, inst: Inst) -> Option<u32> {
        self.accesses.get(&inst).map(|&number| self.counted.shader.access_offset(number))
    }
}

/// All that reports need to know of a module.
fn describe(module: &Module, stage: &str, entry_point: &str) -> CountedShader {
    let mut files = Files::new(module);
    let mut shader = CountedShader {
        module: digest(module),
        stage: stage.to_owned(),
        entry_point: entry_point.to_owned(),
        ..CountedShader::default()
    };
    for (number, function) in (0..).zip(module.functions()) {
        let first = shader.blocks.len() as u32;
        for block in module.function(function).blocks() {
            let index = shader.blocks.len() as u32;
            let arms = arms(module, block);
            if arms > 1 {
                let (file, line) = files.place_of(module.block(block).terminator);
                shader.branches.push(Branch { block: index, file, line, arms });
            }
            for inst in accesses(module, block) {
                let (file, line) = files.place_of(inst.index());
                shader.accesses.push(BufferAccess { function: number, file, line });
            }
            let lines = lines(module, block, &mut files);
            shader.blocks.push(Block { function: number, lines });
        }
        let declared = module.function_location(function).map(|at| (files.of(at.source), at.line));
        let (file, line) = declared.unwrap_or_else(|| first_line(&shader.blocks[first as usize..]));
        shader.functions.push(CountedFunction {
            name: function_name(module, function),
            file,
            line,
            block: first,
        });
    }
    shader.files = files.all;
    shader
}

/// The instructions of a block that read or write buffers.
fn accesses(module: &Module, block: BlockIndex) -> impl Iterator<Item = Instruction<'_>> {
    module.body(block).filter(|inst| {
        let is_access =
            matches!(inst.op(), Op::Load | Op::Store) || facts(inst.op()).family == Family::Atomic;
        let pointer = is_access.then(|| inst.get_id(0)).flatten();
        pointer.and_then(|id| module.type_of(id)).is_some_and(|ty| is_buffer(module, ty))
    })
}

/// The line that comes first in a function's blocks.
fn first_line(blocks: &[Block]) -> (u32, u32) {
    let mut lines = blocks.iter().flat_map(|block| &block.lines).filter(|cost| cost.file != NO_FILE);
    lines.next().map_or((NO_FILE, 0), |cost| (cost.file, cost.line))
}

/// What a block costs, line by line.
fn lines(module: &Module, block: BlockIndex, files: &mut Files<'_>) -> Vec<LineCost> {
    let mut lines: Vec<LineCost> = Vec::new();
    let terminator = module.inst(module.block(block).terminator);
    for inst in module.body(block).chain([terminator]) {
        let is_debug = inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
        let is_branch = inst.index() == terminator.index() && terminator.op() != Op::Branch;
        if is_debug || (facts(inst.op()).is_silent() && !is_branch) || inst.op() == Op::Variable {
            continue;
        }
        let (file, line) = files.place_of(inst.index());
        let found = lines.iter().position(|cost| (cost.file, cost.line) == (file, line));
        let index = found.unwrap_or_else(|| {
            lines.push(LineCost { file, line, ..LineCost::default() });
            lines.len() - 1
        });
        add(module, inst, &mut lines[index]);
    }
    lines
}

/// Adds what an instruction costs one invocation.
fn add(module: &Module, inst: Instruction<'_>, cost: &mut LineCost) {
    cost.instructions += 1;
    match facts(inst.op()).family {
        Family::Image | Family::ImageProcessing if facts(inst.op()).accesses() => cost.texels += 1,
        Family::Barrier => cost.barriers += 1,
        Family::Atomic => cost.atomics += 1,
        _ => {}
    }
    let bytes = |pointer: Id, ty: Option<Id>| {
        let outside = module.type_of(pointer).is_some_and(|ty| is_memory(module, ty));
        ty.filter(|_| outside).map_or(0, |ty| size(module, ty))
    };
    match inst.op() {
        Op::Load => cost.read_bytes += bytes(inst.id(0), inst.result_type()),
        Op::Store => cost.written_bytes += bytes(inst.id(0), module.type_of(inst.id(1))),
        op if facts(op).family == Family::Atomic => {
            let pointer = inst.get_id(0);
            let both = pointer.map_or(0, |pointer| bytes(pointer, inst.result_type()));
            cost.read_bytes += both;
            cost.written_bytes += if op == Op::AtomicLoad { 0 } else { both };
        }
        _ => {}
    }
}

/// Whether a pointer of this type is to memory outside of the invocation.
fn is_memory(module: &Module, pointer: Id) -> bool {
    let is_outside = |class| matches!(class, StorageClass::PushConstant | StorageClass::Workgroup);
    class_of(module, pointer).is_some_and(|class| is_buffer_class(class) || is_outside(class))
}

/// Whether a pointer of this type is to buffers.
fn is_buffer(module: &Module, pointer: Id) -> bool {
    class_of(module, pointer).is_some_and(is_buffer_class)
}

fn is_buffer_class(class: StorageClass) -> bool {
    use StorageClass as C;
    matches!(class, C::StorageBuffer | C::Uniform | C::PhysicalStorageBuffer)
}

fn class_of(module: &Module, pointer: Id) -> Option<StorageClass> {
    match module.ty(pointer) {
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => Some(class),
        _ => None,
    }
}

/// Bytes of a value of a type, without padding; of arrays those of one element, as loads of whole arrays are
/// rare and their lengths may depend on specialization.
fn size(module: &Module, ty: Id) -> u32 {
    match module.ty(ty) {
        Type::Int { width, .. } | Type::Float { width, .. } => width.div_ceil(8),
        Type::Bool => 4,
        Type::Vector { component, count } => count.saturating_mul(size(module, component)),
        Type::Matrix { column, count } => count.saturating_mul(size(module, column)),
        Type::Array { element, .. } | Type::RuntimeArray { element } => size(module, element),
        Type::Struct { members } => {
            members.iter().fold(0, |sum: u32, member| sum.saturating_add(size(module, member)))
        }
        Type::Pointer { .. } | Type::UntypedPointer { .. } => 8,
        _ => 0,
    }
}

impl Lowerer<'_, '_> {
    /// Whether blocks count, so that all of them have to be there.
    pub(crate) fn counts_blocks(&self) -> bool {
        self.instrumentation.is_some() || self.counting.is_some()
    }

    /// The lanes that count.
    pub(crate) fn counted_lanes(&mut self) -> Result<Value> {
        let stage = self.stage;
        let active = self.b.op(Opcode::Active, &[]);
        Ok(match stage.may_write(self) {
            Some(may_write) => self.b.op(Opcode::And, &[active, may_write]),
            None => active,
        })
    }

    /// Adds to the counter at an offset the number of lanes, or `lane_count` where there are any.
    pub(crate) fn add_to_counter(
        &mut self,
        address: Value,
        offset: u32,
        lanes: Value,
        lane_count: Option<u32>,
    ) {
        // One operation adds up the lanes, without a result for each.
        let (each, lanes) = match lane_count {
            None => (1, lanes),
            Some(count) => (count, self.first_of(lanes)),
        };
        let memory = MemoryOp::new(Space::Global);
        let (at, each) = (self.b.i32(offset), self.b.i64(each.into()));
        self.b.emit(Opcode::AtomicAdd, &[address, at, each, lanes], memory.to_imm(), Scalar::I64);
    }

    /// The first of some lanes.
    fn first_of(&mut self, lanes: Value) -> Value {
        let bits = self.b.op(Opcode::Ballot, &[lanes]);
        let first = self.b.op(Opcode::CountTrailingZeros, &[bits]);
        let first = self.b.convert(Opcode::Truncate, first, Scalar::I32);
        let lane = self.b.op(Opcode::LaneId, &[]);
        self.b.op(Opcode::IEq, &[lane, first])
    }

    /// The address of the counters.
    pub(crate) fn counter_address(&mut self) -> Result<Option<Value>> {
        let Some(counting) = &self.counting else { return Ok(None) };
        if let Some(address) = counting.address {
            return Ok(Some(address));
        }
        let counted = counting.counted;
        // The thread's own copy.
        let address = self.in_prologue(|cx| {
            let (core, mask) = (cx.core_word(), cx.b.i32(counters::copies() - 1));
            let copy = cx.b.op(Opcode::And, &[core, mask]);
            let copy = cx.b.convert(Opcode::ZeroExtend, copy, Scalar::I64);
            let bytes = cx.b.i64(counted.copy_bytes().into());
            let offset = cx.b.op(Opcode::IMul, &[copy, bytes]);
            let first = cx.b.i64(counted.address());
            Ok(cx.b.op(Opcode::IAdd, &[first, offset]))
        })?;
        if let Some(counting) = &mut self.counting {
            counting.address = Some(address);
        }
        Ok(Some(address))
    }

    /// Counts the run of a block, at its beginning.
    pub(crate) fn count_run(&mut self, block: BlockIndex) -> Result {
        let Some(address) = self.counter_address()? else { return Ok(()) };
        let Some(counting) = &self.counting else { return Ok(()) };
        let Some(&number) = counting.blocks.get(&block) else { return Ok(()) };
        let offset = counting.counted.shader.block_offset(number);
        let lanes = self.counted_lanes()?;
        let width = self.b.function.lanes;
        self.add_to_counter(address, offset, lanes, None);
        self.add_to_counter(address, offset + 8, lanes, Some(width));
        Ok(())
    }

    /// Counts which way a block ends, at its end.
    pub(crate) fn count_branch(&mut self, block: BlockIndex) -> Result {
        let Some(address) = self.counter_address()? else { return Ok(()) };
        let Some(counting) = &self.counting else { return Ok(()) };
        let Some(&number) = counting.branches.get(&block) else { return Ok(()) };
        let offset = counting.counted.shader.branch_offset(number);
        let lanes = self.counted_lanes()?;
        match self.module.terminator(block) {
            Terminator::BranchConditional { condition, .. } => {
                let condition = self.scalar(condition)?;
                if self.scalar_type(condition) != Scalar::I1 {
                    return crate::error::invalid("a branch on something that is not a boolean");
                }
                let taken = self.b.op(Opcode::And, &[lanes, condition]);
                self.add_to_counter(address, offset, taken, None);
                let not = self.b.op(Opcode::Not, &[condition]);
                let other = self.b.op(Opcode::And, &[lanes, not]);
                self.add_to_counter(address, offset + 8, other, None);
            }
            Terminator::Switch { selector, cases, .. } => {
                let selector = self.scalar(selector)?;
                let scalar = self.scalar_type(selector);
                if !scalar.is_int() {
                    return crate::error::invalid("a switch on something that is not an integer");
                }
                let mut rest = lanes;
                for (index, (literal, _)) in (0..).zip(cases.iter()) {
                    let literal = self.b.constant(scalar, literal & scalar.mask());
                    let is = self.b.op(Opcode::IEq, &[selector, literal]);
                    let taken = self.b.op(Opcode::And, &[lanes, is]);
                    self.add_to_counter(address, offset + 8 * index, taken, None);
                    let not = self.b.op(Opcode::Not, &[is]);
                    rest = self.b.op(Opcode::And, &[rest, not]);
                }
                self.add_to_counter(address, offset + 8 * cases.len() as u32, rest, None);
            }
            _ => {}
        }
        Ok(())
    }
}
