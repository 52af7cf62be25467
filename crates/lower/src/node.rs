//! Nodes of execution graphs (`VK_AMDX_shader_enqueue`, `SPV_AMDX_shader_enqueue`): compute shaders that take
//! payloads and allocate some for other nodes.
//!
//! Around [`crate::compute`]: built-ins and payloads come from the record that workgroup memory begins with
//! ([`pyro_abi::node`]). Payloads are bounded ranges of memory: indices beyond an array reach nothing.
//!
//! What a workgroup allocates as a whole its first invocation allocates, between two barriers.

use crate::compute::Compute;
use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid, limit};
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Size};
use crate::stage::Stage;
use crate::value::Scalars;
use crate::{Lowered, Shader};
use pyro_abi::node::{
    ARRAY_HEADER_BYTES, NODE_WORKGROUP_BYTES, NodeInfo, NodeInput, NodeNames, NodeOutput, PAYLOAD_ALIGNMENT,
    PAYLOAD_BYTES_MAX, PAYLOAD_COUNT_MAX, PayloadGroups, offset,
};
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::layout::{LayoutKind, Layouts};
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, Scope, StorageClass};
use pyro_spirv::{ConstantValues, EntryPoint, GlobalVariable, Id, Instruction, Module, Type};
use pyro_validate::Checked;

/// A node's own part of lowering.
pub(crate) struct NodeStage<'n> {
    compute: Compute,
    info: NodeInfo,
    /// The types of the outputs, by their numbers.
    types: Vec<Id>,
    /// The nodes of the graph.
    nodes: &'n NodeNames,
}

/// What is known of a node's entry point.
pub(crate) fn info(module: &Checked, name: &str, model: ExecutionModel) -> Result<NodeInfo> {
    let entry = entry(module, name, model)?;
    let constants = module.constants_for(entry.function, 0)?;
    Ok(Reader { module, constants: &constants }.info(entry)?.0)
}

fn entry<'m>(module: &'m Module, name: &str, model: ExecutionModel) -> Result<EntryPoint<'m>> {
    match module.entry_point(name, model) {
        Some(entry) => Ok(entry),
        None => invalid(format!("no entry point of {model:?} is named \"{name}\"")),
    }
}

/// The index of a mesh node.
pub(crate) fn mesh_node_index(cx: &Lowerer<'_, '_>, entry: Id) -> Result<u32> {
    let said = cx.module.execution_mode(entry, ExecutionMode::ShaderIndexAMDX);
    let said = said.and_then(|mode| mode.operands.first()).map(|&id| cx.constant_operand(Id::from_u32(id)));
    Ok(cx.layout.options.node_index.or(said.transpose()?).unwrap_or(0))
}

/// Lowers a node's entry point, as a part of a graph of these nodes.
pub(crate) fn lower(shader: &Shader<'_>, lanes: u32, nodes: &NodeNames) -> Result<Lowered> {
    check_lanes(lanes)?;
    let Shader { checked: module, entry_point: name, layout, .. } = *shader;
    let entry = entry(module, name, ExecutionModel::GLCompute)?;
    let constants = module.constants_for(entry.function, lanes)?;
    let (info, types) = Reader { module, constants: &constants }.info(entry)?;
    let compute = Compute::new(module, &constants, entry.function, lanes)?;
    let stage = NodeStage { compute, info, types, nodes };
    let mut function = Function::new(name, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry.function, constants, layout, &stage, &mut function)?;
    cx.workgroup.bytes = NODE_WORKGROUP_BYTES;
    cx.lower_entry_point(entry.function)?;
    let info = stage.compute.info(&mut cx);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

/// Reads info.
pub(crate) struct Reader<'r, 'm> {
    pub(crate) module: &'m Module,
    pub(crate) constants: &'r ConstantValues<'m>,
}

impl<'m> Reader<'_, 'm> {
    fn number(&self, id: Id) -> Result<u32> {
        match self.constants.unsigned(id) {
            Some(number) => Ok(number),
            None => invalid(format!("{id} is not a constant that is zero or more")),
        }
    }

    fn name(&self, id: Id) -> Result<String> {
        let inst = self.module.definition(id);
        match inst.filter(|inst| matches!(inst.op(), Op::ConstantStringAMDX | Op::SpecConstantStringAMDX)) {
            Some(inst) => Ok(inst.string(0).into_owned()),
            None => invalid(format!("{id} is not a string")),
        }
    }

    fn numbers<const N: usize>(&self, entry: Id, mode: ExecutionMode) -> Result<Option<[u32; N]>> {
        let Some(mode) = self.module.execution_mode(entry, mode) else { return Ok(None) };
        let mut numbers = [0; N];
        for (number, &id) in numbers.iter_mut().zip(mode.operands) {
            *number = self.number(Id::from_u32(id))?;
        }
        Ok(Some(numbers))
    }

    fn info(&self, entry: EntryPoint<'m>) -> Result<(NodeInfo, Vec<Id>)> {
        use ExecutionMode as M;
        let (module, function) = (self.module, entry.function);
        let one = |mode| self.numbers(function, mode).map(|found| found.map(|[number]| number));
        let api = module.execution_mode(function, M::IsApiEntryAMDX).and_then(|mode| mode.operands.first());
        let is_internal =
            api.is_some_and(|&id| self.constants.scalar(Id::from_u32(id)).is_some_and(|is_api| is_api == 0));
        let shares_with = match module
            .execution_mode(function, M::SharesInputWithAMDX)
            .map(|mode| mode.operands)
        {
            Some(&[name, index]) => Some((self.name(Id::from_u32(name))?, self.number(Id::from_u32(index))?)),
            _ => None,
        };
        let mut info = NodeInfo {
            shader_index: one(M::ShaderIndexAMDX)?,
            coalesces: module.execution_mode(function, M::CoalescingAMDX).is_some(),
            static_workgroups: self.numbers(function, M::StaticNumWorkgroupsAMDX)?,
            max_workgroups: self.numbers(function, M::MaxNumWorkgroupsAMDX)?,
            max_recursion: one(M::MaxNodeRecursionAMDX)?.unwrap_or(0),
            is_internal,
            shares_with,
            ..NodeInfo::default()
        };
        let is_listed = |variable: &GlobalVariable<'_>| {
            variable.class == StorageClass::NodePayloadAMDX
                && entry.interface.iter().any(|listed| listed == variable.id)
        };
        if let Some(ty) = module.globals().find(is_listed).and_then(|variable| variable.value_type) {
            info.input = Some(self.input(ty)?);
        }
        // The types that are allocated, by the instructions of the functions that the entry point calls.
        let mut types = Vec::new();
        let mut bytes = 0_u64;
        for block in crate::instrument::blocks(module, function) {
            for inst in module.body(block).filter(|inst| inst.op() == Op::AllocateNodePayloadsAMDX) {
                let pointee =
                    inst.result_type().and_then(|ty| module.pointer(ty)).map(|(_, pointee)| pointee);
                let Some(ty) = pointee else { return invalid("payloads without a type") };
                if types.contains(&ty) {
                    continue;
                }
                let output = self.output(ty)?;
                let each = u64::from(output.stride) + u64::from(ARRAY_HEADER_BYTES);
                bytes += u64::from(output.max_count) * each;
                types.push(ty);
                info.outputs.push(output);
                if types.len() > pyro_abi::node::OUTPUT_NODES_MAX as usize {
                    return limit("payloads of more types than maxExecutionGraphShaderOutputNodes");
                }
            }
        }
        let payloads: u64 = info.outputs.iter().map(|output| u64::from(output.bytes)).sum();
        let greatest = info.outputs.iter().map(|output| output.max_count).max().unwrap_or(0);
        let input = info.input.map_or(0, |input| u64::from(input.bytes));
        if payloads.max(input) > PAYLOAD_BYTES_MAX.into() || greatest > PAYLOAD_COUNT_MAX {
            return limit(format!(
                "payloads of {} bytes, {greatest} of a type (maxExecutionGraphShaderPayloadSize, \
                 maxExecutionGraphShaderPayloadCount)",
                payloads.max(input)
            ));
        }
        info.output_bytes = bytes.next_multiple_of(64) as u32;
        Ok((info, types))
    }

    /// Size of a payload, and the distance of two in an array.
    pub(crate) fn extent(&self, array: Id, payload: Id) -> Result<(u32, u32)> {
        let mut layouts = Layouts::new(self.constants, LayoutKind::Explicit);
        let extent =
            layouts.extent(payload).map_err(|error| crate::LowerError::invalid(error.to_string()))?;
        let bytes = u32::try_from(extent.size).ok().filter(|&bytes| bytes <= PAYLOAD_BYTES_MAX);
        let Some(bytes) = bytes else { return limit(format!("a payload of {} bytes", extent.size)) };
        let stride = self.module.array_stride(array).filter(|&stride| stride >= bytes && stride != 0);
        let stride = stride.unwrap_or(bytes.next_multiple_of(PAYLOAD_ALIGNMENT).max(PAYLOAD_ALIGNMENT));
        if stride > 2 * PAYLOAD_BYTES_MAX {
            return limit(format!("payloads that lie {stride} bytes apart"));
        }
        Ok((bytes, stride))
    }

    fn input(&self, ty: Id) -> Result<NodeInput> {
        let payload = match self.module.ty(ty) {
            Type::NodePayloadArray { payload } => payload,
            _ => ty,
        };
        let (bytes, stride) = self.extent(ty, payload)?;
        let mut groups = None;
        if let Type::Struct { members } = self.module.ty(payload) {
            for (number, member) in (0..).zip(members.iter()) {
                if self
                    .module
                    .member_decoration(payload, number, Decoration::PayloadDispatchIndirectAMDX)
                    .is_none()
                {
                    continue;
                }
                let Some(place) = self.module.member_layout(payload, number) else { continue };
                let component = self.module.component(member).map(|component| component.ty);
                let Some(Type::Int { width, .. }) = component else {
                    return invalid("PayloadDispatchIndirectAMDX on something that is not an integer");
                };
                let count = match self.module.ty(member) {
                    Type::Vector { count, .. } => count.min(3),
                    _ => 1,
                };
                let found = PayloadGroups { offset: place.offset, component_bytes: width / 8, count };
                let end = u64::from(place.offset) + u64::from(count * found.component_bytes);
                if !matches!(width, 8 | 16 | 32) || end > bytes.into() {
                    return invalid(
                        "PayloadDispatchIndirectAMDX on something that is not a number of workgroups",
                    );
                }
                groups = Some(found);
            }
        }
        // Without the decoration, it begins with a `VkDispatchIndirectCommand`.
        let first = PayloadGroups { offset: 0, component_bytes: 4, count: (bytes / 4).min(3) };
        let tracks_finish = self.module.has_decoration(payload, Decoration::TrackFinishWritingAMDX);
        Ok(NodeInput { bytes, stride, groups: groups.or(Some(first)), tracks_finish })
    }

    fn output(&self, ty: Id) -> Result<NodeOutput> {
        let Type::NodePayloadArray { payload } = self.module.ty(ty) else {
            return invalid(format!("{ty} is not an array of payloads"));
        };
        let (bytes, stride) = self.extent(ty, payload)?;
        let id = |kind| self.module.decoration(ty, kind).and_then(|found| found.id());
        let number = |kind| id(kind).map(|id| self.number(id)).transpose();
        let Some(name) = id(Decoration::PayloadNodeNameAMDX) else {
            return invalid(format!("the payloads {ty} do not say which node they are for"));
        };
        let Some(max_count) = number(Decoration::NodeMaxPayloadsAMDX)? else {
            return invalid(format!("the payloads {ty} do not say how many they are at most"));
        };
        Ok(NodeOutput {
            name: self.name(name)?,
            array_size: number(Decoration::PayloadNodeArraySizeAMDX)?,
            is_sparse: self.module.has_decoration(ty, Decoration::PayloadNodeSparseArrayAMDX),
            max_count,
            bytes,
            stride,
        })
    }
}

impl NodeStage<'_> {
    /// A field of the record that workgroup memory begins with.
    fn field(&self, cx: &mut Lowerer<'_, '_>, field: u32, scalar: Scalar) -> Result<Value> {
        let base = cx.shared_base()?;
        cx.in_prologue(|cx| Ok(cx.load_context(base, field, scalar)))
    }

    /// Of the invocation, whether it is the workgroup's first.
    fn is_first(&self, cx: &mut Lowerer<'_, '_>) -> Value {
        let (index, zero) = (self.compute.linear_index(cx), cx.b.i32(0));
        cx.b.op(Opcode::IEq, &[index, zero])
    }
}

impl Stage for NodeStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::GLCompute)
    }

    fn lower_node<'m>(&self, cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        cx.lower_node(self, inst)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars> {
        let field = match built_in {
            BuiltIn::NumWorkgroups => {
                let words = [0, 4, 8].map(|byte| self.field(cx, offset::NUM_WORKGROUPS + byte, Scalar::I32));
                return words.into_iter().collect();
            }
            BuiltIn::ShaderIndexAMDX => offset::SHADER_INDEX,
            // The number was that of `CoalescedInputCountAMDX` before, which Vulkan has for shaders that
            // coalesce: of these the ones that are not recursive have no levels to ask for.
            BuiltIn::RemainingRecursionLevelsAMDX if self.info.coalesces && self.info.max_recursion == 0 => {
                offset::INPUT_COUNT
            }
            BuiltIn::RemainingRecursionLevelsAMDX => offset::REMAINING_RECURSION,
            other => return self.compute.built_in(cx, variable, other),
        };
        Ok(smallvec::smallvec![self.field(cx, field, Scalar::I32)?])
    }

    fn variable_place(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
    ) -> Result<Option<Pointer>> {
        let (StorageClass::NodePayloadAMDX, Some(ty)) = (variable.class, variable.value_type) else {
            return Ok(None);
        };
        let base = self.field(cx, offset::INPUT, Scalar::I64)?;
        let bytes = self.field(cx, offset::INPUT_BYTES, Scalar::I32)?;
        if cx.follows_definedness() {
            let written = self.field(cx, offset::INPUT_WRITTEN, Scalar::I64)?;
            cx.in_prologue(|cx| {
                let none = cx.b.i64(0);
                let is_followed = cx.b.op(Opcode::INe, &[written, none]);
                cx.sanitize_node_payload((base, bytes), (written, is_followed));
                Ok(())
            })?;
        }
        let size = Size::Value(bytes);
        let range = Range { base, size, hoisted: true, space: Space::Global, speculatable: false };
        Ok(Some(Pointer::new(PointerBase::Range(range), Some(ty), MemoryLayout::EXPLICIT)))
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, _: u64) -> Result {
        self.compute.workgroup_barrier(cx, 0)
    }
}

impl<'m> Lowerer<'m, '_> {
    /// The instructions of nodes.
    fn lower_node(&mut self, node: &NodeStage<'_>, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::AllocateNodePayloadsAMDX => self.allocate_payloads(node, inst),
            Op::EnqueueNodePayloadsAMDX => {
                let range = self.payload_range(inst.id(0))?;
                let (size, zero) = (self.size_value(range.size), self.b.i32(0));
                let (is_there, yes) = (self.b.op(Opcode::INe, &[size, zero]), self.b.i32(1));
                let memory = MemoryOp::new(Space::Global).at(-4);
                self.b.store(memory, range.base, zero, yes, is_there);
                Ok(())
            }
            Op::NodePayloadArrayLengthAMDX => {
                let pointer = self.pointer(inst.id(0))?;
                let Some(Type::NodePayloadArray { payload }) = pointer.pointee.map(|ty| self.module.ty(ty))
                else {
                    return invalid("the length of something that is not an array of payloads");
                };
                let stride = self.payload_stride(pointer.pointee.expect("it has one"), payload)?;
                let range = self.payload_range(inst.id(0))?;
                let (size, stride) = (self.size_value(range.size), self.b.i32(stride as u32));
                let length = self.b.op(Opcode::UDiv, &[size, stride]);
                let to = self.result_scalar(inst)?;
                let length = self.integer_of_width(length, to, false)?;
                self.define_scalar(inst, length)
            }
            Op::IsNodePayloadValidAMDX => {
                let index = self.node_index(inst.id(0), inst.id(1))?;
                let reader = Reader { module: self.module, constants: &self.constants };
                let name = self.module.decoration(inst.id(0), Decoration::PayloadNodeNameAMDX);
                let Some(name) = name.and_then(|name| name.id()) else {
                    return invalid("payloads that do not say which node they are for");
                };
                let name = reader.name(name)?;
                let mut valid = self.b.bool(false);
                for &[first, last] in node.nodes.get(&name).map_or(&[][..], Vec::as_slice) {
                    let (start, most) = (self.b.i32(first), self.b.i32(last - first));
                    let place = self.b.op(Opcode::ISub, &[index, start]);
                    let is_in = self.b.op(Opcode::ULe, &[place, most]);
                    valid = self.b.op(Opcode::Or, &[valid, is_in]);
                }
                self.define_scalar(inst, valid)
            }
            Op::FinishWritingNodePayloadAMDX => self.finish_writing(node, inst),
            _ => self.unsupported(inst),
        }
    }

    /// The memory of an array of payloads.
    fn payload_range(&mut self, id: Id) -> Result<Range> {
        match self.pointer(id)?.base {
            PointerBase::Range(range) => Ok(range),
            _ => invalid(format!("{id} points to no payloads")),
        }
    }

    /// The index of the node that a payload is for, `i32`.
    fn node_index(&mut self, ty: Id, index: Id) -> Result<Value> {
        let index = self.scalar(index)?;
        if !self.scalar_type(index).is_int() {
            return invalid("the index of a node is not an integer");
        }
        let index = self.integer_of_width(index, Scalar::I32, false)?;
        let base = self.module.decoration(ty, Decoration::PayloadNodeBaseIndexAMDX);
        let Some(base) = base.and_then(|base| base.id()) else { return Ok(index) };
        let base = self.constant_operand(base)?;
        let base = self.b.i32(base);
        Ok(self.b.op(Opcode::IAdd, &[index, base]))
    }

    fn allocate_payloads(&mut self, node: &NodeStage<'_>, inst: Instruction<'m>) -> Result {
        let result_type = self.result_type(inst)?;
        let Some((_, ty)) = self.module.pointer(result_type) else {
            return invalid("the result of OpAllocateNodePayloadsAMDX is not a pointer");
        };
        let Some(number) = node.types.iter().position(|&known| known == ty) else {
            return invalid(format!("{ty} is not an array of payloads"));
        };
        let output = &node.info.outputs[number];
        let is_shared = match self.scope(inst.id(0))? {
            Scope::Workgroup => true,
            Scope::Invocation => false,
            scope => return invalid(format!("payloads for the scope {scope:?}")),
        };
        let count = self.scalar(inst.id(1))?;
        if !self.scalar_type(count).is_int() {
            return invalid("the count of payloads is not an integer");
        }
        let index = self.node_index(ty, inst.id(2))?;
        let (base, zero) = (self.shared_base()?, self.b.i32(0));
        let output_base = node.field(self, offset::OUTPUT, Scalar::I64)?;
        let room = node.field(self, offset::OUTPUT_BYTES, Scalar::I64)?;

        let count = self.integer_of_width(count, Scalar::I32, false)?;
        let most = self.b.i32(output.max_count);
        let allowed = self.b.op(Opcode::ULe, &[count, most]);
        let count = self.b.select(allowed, count, zero);
        let size = self.scale(count, output.stride.into());
        let some = self.b.op(Opcode::INe, &[count, zero]);
        let header = self.b.i64(ARRAY_HEADER_BYTES.into());
        let wide_size = self.b.convert(Opcode::ZeroExtend, size, Scalar::I64);
        // Arrays behind each other keep the alignment, whatever the stride is.
        let (up, down) =
            (self.b.i64(u64::from(PAYLOAD_ALIGNMENT) - 1), self.b.i64(!(u64::from(PAYLOAD_ALIGNMENT) - 1)));
        let rounded = self.b.op(Opcode::IAdd, &[wide_size, up]);
        let rounded = self.b.op(Opcode::And, &[rounded, down]);
        let bytes = self.b.op(Opcode::IAdd, &[rounded, header]);

        let mut allocates = some;
        if is_shared {
            // Until all have read where the last array is.
            self.stage.workgroup_barrier(self, 0)?;
            let is_first = node.is_first(self);
            allocates = self.b.op(Opcode::And, &[some, is_first]);
        }
        let used = MemoryOp::new(Space::Shared).at(offset::OUTPUT_USED as i32);
        let args = [base, zero, bytes, allocates];
        let old = self.b.emit(Opcode::AtomicAdd, &args, used.to_imm(), Scalar::I64);
        let mut start = old.expect("atomics give a result");
        if is_shared {
            let place = MemoryOp::new(Space::Shared).at(offset::ARRAY as i32);
            self.b.store(place, base, zero, start, allocates);
            self.stage.workgroup_barrier(self, 0)?;
            let always = self.b.bool(true);
            start = self.b.load(Scalar::I64, place, base, zero, always);
        }
        let end = self.b.op(Opcode::IAdd, &[start, bytes]);
        let fits = self.b.op(Opcode::ULe, &[end, room]);
        let fits = self.b.op(Opcode::And, &[fits, some]);
        let size = self.b.select(fits, size, zero);
        let writes = self.b.op(Opcode::And, &[fits, allocates]);
        let at = self.b.convert(Opcode::Truncate, start, Scalar::I32);
        let number = self.b.i32(number as u32);
        for (place, word) in (0..).step_by(4).zip([number, count, index]) {
            self.b.store(MemoryOp::new(Space::Global).at(place), output_base, at, word, writes);
        }
        let address = self.b.op(Opcode::IAdd, &[output_base, start]);
        let address = self.b.op(Opcode::IAdd, &[address, header]);
        if self.follows_definedness() {
            let distance = node.field(self, offset::OUTPUT_WRITTEN, Scalar::I64)?;
            let (none, written) = (self.b.i64(0), self.b.op(Opcode::IAdd, &[address, distance]));
            let is_followed = self.b.op(Opcode::INe, &[distance, none]);
            self.sanitize_node_payload((address, size), (written, is_followed));
        }
        let range = Range {
            base: address,
            size: Size::Value(size),
            hoisted: false,
            space: Space::Global,
            speculatable: false,
        };
        self.define(inst, Pointer::new(PointerBase::Range(range), Some(ty), MemoryLayout::EXPLICIT).into())
    }

    /// `OpFinishWritingNodePayloadAMDX`: the workgroup that makes the last of the payload's be finished gets
    /// true.
    fn finish_writing(&mut self, node: &NodeStage<'_>, inst: Instruction<'m>) -> Result {
        let (base, zero) = (self.shared_base()?, self.b.i32(0));
        let unfinished = node.field(self, offset::UNFINISHED, Scalar::I64)?;
        let (null, less) = (self.b.i64(0), self.b.i32(u32::MAX));
        let is_tracked = self.b.op(Opcode::INe, &[unfinished, null]);
        // All invocations have written what they write.
        self.stage.workgroup_barrier(self, 0)?;
        let is_first = node.is_first(self);
        let asks = self.b.op(Opcode::And, &[is_tracked, is_first]);
        let memory = MemoryOp::new(Space::Global);
        let left =
            self.b.emit(Opcode::AtomicAdd, &[unfinished, zero, less, asks], memory.to_imm(), Scalar::I32);
        let one = self.b.i32(1);
        let is_last = self.b.op(Opcode::IEq, &[left.expect("atomics give a result"), one]);
        let is_last = self.b.convert(Opcode::ZeroExtend, is_last, Scalar::I32);
        let place = MemoryOp::new(Space::Shared).at(offset::FINISHED as i32);
        self.b.store(place, base, zero, is_last, asks);
        self.stage.workgroup_barrier(self, 0)?;
        let always = self.b.bool(true);
        let finished = self.b.load(Scalar::I32, place, base, zero, always);
        let finished = self.b.op(Opcode::INe, &[finished, zero]);
        self.define_scalar(inst, finished)
    }
}
