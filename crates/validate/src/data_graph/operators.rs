//! Graphs of a module as graphs of TOSA operators: what is valid in their bodies, and what runs.
//!
//! Values of a graph are tensors, or arrays and structures of them, which are taken apart here. Operands are
//! values, or constants of the module; those that an application gives when it makes a pipeline
//! (`OpGraphConstantARM`) are not known before.

use super::{Signature, signature};
use pyro_spirv::spirv::{FPEncoding, Op};
use pyro_spirv::{ConstantValues, ExtInstSet, Id, Inst, Instruction, Module, Type, Value};
use pyro_tosa::{Element, Graph, GraphError, Opcode, TensorType, ValueId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Bytes that the constants of a body may have that are in the module itself: by replication, they may have
/// many more elements than words.
const CONSTANT_BYTES_MAX: usize = 1 << 28;
/// Tensors that a graph may have among its inputs, and among its outputs.
const TENSOR_COUNT_MAX: usize = 1 << 16;

/// A tensor among a graph's inputs or outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GraphTensor {
    /// The number of the input or output.
    pub(super) index: u32,
    /// The element of an array, 0 for a single variable.
    pub(super) element: u32,
}

/// A graph's body.
pub(super) struct GraphBody {
    /// The operators.
    pub(super) graph: Graph,
    /// Which tensors its inputs are, in their order.
    pub(super) inputs: Vec<GraphTensor>,
    /// Which tensors its outputs are, in their order.
    pub(super) outputs: Vec<GraphTensor>,
}

/// What is wrong in a graph's body, and where.
#[derive(Debug)]
pub(super) struct GraphFault {
    /// The instruction.
    pub(super) inst: Inst,
    /// What.
    pub(super) error: GraphError,
}

/// The type of the elements of a tensor.
pub(super) fn element(ty: Type<'_>) -> Option<Element> {
    Some(match ty {
        Type::Bool => Element::Bool,
        Type::Int { width: 8, .. } => Element::I8,
        Type::Int { width: 16, .. } => Element::I16,
        Type::Int { width: 32, .. } => Element::I32,
        Type::Int { width: 64, .. } => Element::I48,
        Type::Float { width: 16, encoding: None } => Element::F16,
        Type::Float { width: 32, encoding: None } => Element::F32,
        Type::Float { encoding: Some(FPEncoding::BFloat16KHR), .. } => Element::Bf16,
        Type::Float { encoding: Some(FPEncoding::Float8E4M3EXT), .. } => Element::F8E4M3,
        Type::Float { encoding: Some(FPEncoding::Float8E5M2EXT), .. } => Element::F8E5M2,
        _ => return None,
    })
}

/// What an id of a body stands for.
#[derive(Clone, Debug)]
enum Meaning {
    Tensor(ValueId),
    /// Members of a structure or elements of an array.
    Group(Rc<[Meaning]>),
}

struct Builder<'b, 'm> {
    module: &'m Module,
    constants: &'b ConstantValues<'m>,
    /// The types of the graph's inputs and outputs.
    signature: Signature,
    /// `OpGraphConstantARM` by their numbers.
    given: &'b HashMap<u32, Arc<[u8]>>,
    graph: Graph,
    meanings: HashMap<Id, Meaning>,
    inputs: BTreeMap<GraphTensor, ValueId>,
    input_order: Vec<GraphTensor>,
    outputs: BTreeMap<GraphTensor, ValueId>,
    constant_bytes_left: usize,
}

fn invalid<T>(message: impl Into<String>) -> Result<T, GraphError> {
    Err(GraphError::Invalid(message.into()))
}

/// Builds the body of a graph (`OpGraphARM`). `given`: the constants of the pipeline, packed; without them,
/// operators that need one are not looked at in full.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn build(
    constants: &ConstantValues<'_>,
    graph: Inst,
    given: &HashMap<u32, Arc<[u8]>>,
) -> Result<GraphBody, GraphFault> {
    let module = constants.module();
    let signature = module.inst(graph).result_type().and_then(|ty| signature(module, ty));
    let mut builder = Builder {
        module,
        signature: signature.unwrap_or_default(),
        constants,
        given,
        graph: Graph::new(),
        meanings: HashMap::new(),
        inputs: BTreeMap::new(),
        input_order: Vec::new(),
        outputs: BTreeMap::new(),
        constant_bytes_left: CONSTANT_BYTES_MAX,
    };
    let body =
        (graph.as_u32() + 1..module.inst_count() as u32).map(|index| module.inst(Inst::from_u32(index)));
    for inst in body.take_while(|inst| inst.op() != Op::GraphEndARM) {
        builder.instruction(inst).map_err(|error| GraphFault { inst: inst.index(), error })?;
    }
    let Builder { mut graph, input_order, outputs, .. } = builder;
    outputs.values().for_each(|value| graph.output(*value));
    let outputs = outputs.into_keys().collect();
    Ok(GraphBody { graph, inputs: input_order, outputs })
}

impl<'m> Builder<'_, 'm> {
    fn instruction(&mut self, inst: Instruction<'m>) -> Result<(), GraphError> {
        match inst.op() {
            Op::GraphInputARM => {
                let tensor = self.place(inst, 0)?;
                let has_element = inst.get_id(1).is_some();
                let ty = self.result_type(inst)?;
                let wanted = self.declared(&self.signature.0, tensor, has_element)?;
                if ty != wanted {
                    return invalid(format!("by the graph's type, this input is of type {wanted}"));
                }
                let meaning = self.input(ty, tensor, has_element)?;
                self.define(inst, meaning);
            }
            Op::GraphSetOutputARM => {
                let tensor = self.place(inst, 1)?;
                let meaning = self.meaning(inst.id(0))?;
                let wanted = self.declared(&self.signature.1, tensor, inst.get_id(2).is_some())?;
                self.check_type(&meaning, wanted)?;
                self.output(&meaning, tensor)?;
            }
            Op::ExtInst => match inst.ext_inst() {
                Some((ExtInstSet::Tosa0010001, number)) => self.operator(inst, number)?,
                Some((set, _)) if set.is_non_semantic() => {}
                _ => return invalid("an instruction of a set that graphs have not"),
            },
            Op::CompositeExtract => {
                let mut meaning = self.meaning(inst.id(0))?;
                for &index in &inst.operand_words()[1..] {
                    let part = match &meaning {
                        Meaning::Group(parts) => parts.get(index as usize).cloned(),
                        Meaning::Tensor(_) => None,
                    };
                    meaning = part.ok_or_else(|| GraphError::Invalid(format!("there is no part {index}")))?;
                }
                self.check_type(&meaning, self.result_type(inst)?)?;
                self.define(inst, meaning);
            }
            Op::CompositeConstruct => {
                let parts = inst.ids_from(0).iter().map(|id| self.meaning(id));
                let meaning = Meaning::Group(parts.collect::<Result<_, _>>()?);
                self.check_type(&meaning, self.result_type(inst)?)?;
                self.define(inst, meaning);
            }
            Op::CopyObject => {
                let meaning = self.meaning(inst.id(0))?;
                self.check_type(&meaning, self.result_type(inst)?)?;
                self.define(inst, meaning);
            }
            Op::Line | Op::NoLine | Op::Nop => {}
            op => return invalid(format!("Op{op:?} is no instruction of graphs")),
        }
        Ok(())
    }

    fn define(&mut self, inst: Instruction<'m>, meaning: Meaning) {
        if let Some(result) = inst.result() {
            self.meanings.insert(result, meaning);
        }
    }

    fn result_type(&self, inst: Instruction<'m>) -> Result<Id, GraphError> {
        inst.result_type().ok_or_else(|| GraphError::Invalid("it has no type".into()))
    }

    /// The tensor that an instruction names by an index and, of an array, that of an element.
    fn place(&self, inst: Instruction<'m>, position: usize) -> Result<GraphTensor, GraphError> {
        let number = |position: usize| match inst.get_id(position) {
            None => Ok(0),
            Some(id) => self
                .constants
                .unsigned(id)
                .ok_or_else(|| GraphError::Invalid(format!("the index {id} is not constant"))),
        };
        Ok(GraphTensor { index: number(position)?, element: number(position + 1)? })
    }

    /// The type that the graph's type has for an input or output, or for an element of one.
    fn declared(&self, types: &[Id], tensor: GraphTensor, has_element: bool) -> Result<Id, GraphError> {
        let Some(&ty) = types.get(tensor.index as usize) else {
            return invalid(format!("the graph's type has {} of these, not {}", types.len(), tensor.index));
        };
        match self.module.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } if has_element => Ok(element),
            _ if has_element => invalid(format!("{ty} is not an array, so that it has no elements")),
            _ => Ok(ty),
        }
    }

    /// The type of a tensor with a shape.
    fn tensor_type(&self, ty: Id) -> Result<TensorType, GraphError> {
        let Type::Tensor { element: of, rank, shape: Some(shape) } = self.module.ty(ty) else {
            return invalid(format!("{ty} is no tensor with a shape"));
        };
        let of = element(self.module.ty(of));
        let of = of.ok_or_else(|| GraphError::Unsupported(format!("{ty} has elements that TOSA lacks")))?;
        let rank = rank.and_then(|rank| self.constants.unsigned(rank)).unwrap_or(0);
        let value = self.constants.get(shape);
        let size = |axis: u32| {
            let value = value.and_then(|value| self.constants.element(value, axis.into()));
            let size = value.and_then(|value| self.constants.scalar_of(value));
            size.and_then(|size| u32::try_from(size).ok())
        };
        if rank as usize > pyro_tosa::RANK_MAX {
            return Err(GraphError::Limit(format!("a tensor of {rank} dimensions")));
        }
        let sizes: Option<Vec<u32>> = (0..rank).map(size).collect();
        let sizes = sizes.ok_or_else(|| GraphError::Invalid(format!("the shape of {ty} is not known")))?;
        TensorType::new(of, &sizes)
    }

    fn input(&mut self, ty: Id, tensor: GraphTensor, has_element: bool) -> Result<Meaning, GraphError> {
        if let (Type::Array { element, .. }, false) = (self.module.ty(ty), has_element) {
            let count = self.constants.array_len(ty).unwrap_or(0);
            let count = u32::try_from(count).ok().filter(|&count| count as usize <= TENSOR_COUNT_MAX);
            let count = count.ok_or_else(|| GraphError::Limit("an array of too many tensors".into()))?;
            let parts = (0..count).map(|at| self.input(element, GraphTensor { element: at, ..tensor }, true));
            return Ok(Meaning::Group(parts.collect::<Result<_, _>>()?));
        }
        let ty = self.tensor_type(ty)?;
        if let Some(&value) = self.inputs.get(&tensor) {
            if *self.graph.ty(value) != ty {
                return invalid("an input is of two types");
            }
            return Ok(Meaning::Tensor(value));
        }
        if self.inputs.len() >= TENSOR_COUNT_MAX {
            return Err(GraphError::Limit("the graph has too many inputs".into()));
        }
        let value = self.graph.input(ty);
        self.inputs.insert(tensor, value);
        self.input_order.push(tensor);
        Ok(Meaning::Tensor(value))
    }

    fn output(&mut self, meaning: &Meaning, tensor: GraphTensor) -> Result<(), GraphError> {
        match meaning {
            Meaning::Tensor(value) => {
                if self.outputs.len() >= TENSOR_COUNT_MAX {
                    return Err(GraphError::Limit("the graph has too many outputs".into()));
                }
                if self.outputs.insert(tensor, *value).is_some() {
                    return invalid("an output is set twice");
                }
            }
            Meaning::Group(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.output(part, GraphTensor { element: at as u32, ..tensor })?;
                }
            }
        }
        Ok(())
    }

    /// Checks that what an id stands for is of its type.
    fn check_type(&self, meaning: &Meaning, ty: Id) -> Result<(), GraphError> {
        match (meaning, self.module.ty(ty)) {
            (Meaning::Tensor(value), _) => {
                let wanted = self.tensor_type(ty)?;
                let found = self.graph.ty(*value);
                if *found != wanted {
                    return invalid(format!("a tensor {found}, the type says {wanted}"));
                }
            }
            (Meaning::Group(parts), Type::Struct { members }) if members.len() == parts.len() => {
                parts.iter().zip(members.iter()).try_for_each(|(part, ty)| self.check_type(part, ty))?;
            }
            (Meaning::Group(parts), Type::Array { element, .. })
                if self.constants.array_len(ty) == Some(parts.len() as u64) =>
            {
                parts.iter().try_for_each(|part| self.check_type(part, element))?;
            }
            _ => return invalid(format!("{ty} has not as many parts")),
        }
        Ok(())
    }

    /// What an operand stands for: a value of the body, or a constant of the module.
    fn meaning(&mut self, id: Id) -> Result<Meaning, GraphError> {
        if let Some(meaning) = self.meanings.get(&id) {
            return Ok(meaning.clone());
        }
        let constant = self.constant(id)?;
        self.meanings.insert(id, constant.clone());
        Ok(constant)
    }

    fn constant(&mut self, id: Id) -> Result<Meaning, GraphError> {
        let Some(inst) = self.module.definition(id) else { return invalid(format!("{id} is not defined")) };
        let ty = self.result_type(inst)?;
        if inst.op() == Op::GraphConstantARM {
            let ty = self.tensor_type(ty)?;
            let bytes = self.given.get(&inst.word(0)).cloned();
            return Ok(Meaning::Tensor(self.graph.constant(ty, bytes)?));
        }
        let Some(value) = self.constants.get(id) else {
            return invalid(format!("{id} is neither a value of the graph nor a constant"));
        };
        let ty = match self.module.ty(ty) {
            Type::Tensor { .. } => self.tensor_type(ty)?,
            scalar => match element(scalar) {
                Some(element) => TensorType::scalar(element),
                None => return invalid(format!("{id} is no tensor")),
            },
        };
        let left = self.constant_bytes_left.checked_sub(ty.bytes());
        self.constant_bytes_left =
            left.ok_or_else(|| GraphError::Limit("the constants of the module are too large".into()))?;
        let mut bytes = Vec::new();
        let is_whole = self.elements(value, ty.shape(), ty.element().bytes(), &mut bytes).is_some();
        if !is_whole || bytes.len() != ty.bytes() {
            return invalid(format!("{id} has not the elements of its type"));
        }
        Ok(Meaning::Tensor(self.graph.constant(ty, Some(bytes.into()))?))
    }

    /// Appends the elements of a constant of a shape, of so many bytes each.
    fn elements(&self, value: Value, shape: &[u32], each: usize, bytes: &mut Vec<u8>) -> Option<()> {
        let size = || shape.iter().map(|&size| size as usize).product::<usize>() * each;
        match (value, shape) {
            (Value::Scalar(bits), []) => bytes.extend(&bits.to_le_bytes()[..each]),
            (Value::Null(_) | Value::Undef(_), _) => bytes.resize(bytes.len() + size(), 0),
            (Value::Composite(_), &[count, ref inner @ ..]) => {
                if self.constants.element(value, count.into()).is_some() {
                    return None;
                }
                for index in 0..count {
                    self.elements(self.constants.element(value, index.into())?, inner, each, bytes)?;
                }
            }
            (Value::Splat(id), &[_, ref inner @ ..]) => {
                let part = self.constants.get(id)?;
                let start = bytes.len();
                let inner = if matches!(part, Value::Scalar(_)) { &[] } else { inner };
                self.elements(part, inner, each, bytes)?;
                let length = bytes.len() - start;
                for _ in 1..size().checked_div(length)? {
                    bytes.extend_from_within(start..start + length);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn operator(&mut self, inst: Instruction<'m>, number: u32) -> Result<(), GraphError> {
        let Some(opcode) = Opcode::from_number(number) else {
            return invalid(format!("the set has no instruction {number}"));
        };
        let mut operands = Vec::new();
        for (at, id) in inst.ids_from(2).iter().enumerate() {
            if at < opcode.attribute_count() && self.constants.get(id).is_none() {
                return invalid(format!("{}: the attribute {id} is no constant", opcode.name()));
            }
            match self.meaning(id)? {
                Meaning::Tensor(value) => operands.push(value),
                Meaning::Group(_) => return invalid(format!("{}: {id} is no tensor", opcode.name())),
            }
        }
        let ty = self.result_type(inst)?;
        let results: Vec<TensorType> = match self.module.ty(ty) {
            Type::Struct { members } => {
                members.iter().map(|member| self.tensor_type(member)).collect::<Result<_, _>>()?
            }
            _ => vec![self.tensor_type(ty)?],
        };
        let first = match self.graph.apply(opcode, &operands, &results) {
            Err(GraphError::Unknown(operand)) => {
                let is_given = inst.get_id(2 + operand).and_then(|id| self.module.definition(id));
                if is_given.is_none_or(|given| given.op() != Op::GraphConstantARM) {
                    return invalid(format!("{}: the operand {operand} is no constant", opcode.name()));
                }
                self.graph.unknown(&results)
            }
            other => other?,
        };
        let meaning = match self.module.ty(ty) {
            Type::Struct { .. } => {
                Meaning::Group((0..results.len()).map(|at| Meaning::Tensor(first.offset(at))).collect())
            }
            _ => Meaning::Tensor(first),
        };
        self.define(inst, meaning);
        Ok(())
    }
}
