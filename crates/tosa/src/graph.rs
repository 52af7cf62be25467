//! Graphs of operators, built in their order.

use crate::error::ensure;
use crate::operands::Operands;
use crate::operators::{self, Built, Kernel};
use crate::{GraphError, OPERATOR_COUNT_MAX, Opcode, TensorType};
use smallvec::SmallVec;
use std::sync::Arc;

/// A value of a graph: an input, a constant, or the result of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);

impl ValueId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The value so many behind this one, of the results of one operator.
    #[must_use]
    pub fn offset(self, by: usize) -> ValueId {
        ValueId(self.0 + by as u32)
    }
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// An input of the graph.
    Input,
    /// These bytes, where they are known.
    Constant(Option<Arc<[u8]>>),
    /// An operator's result.
    Result,
    /// The bytes of another value, which is no such itself.
    Same(ValueId),
    /// An operator's result that nothing computes, since an operand was not known.
    Unknown,
}

pub(crate) struct Value {
    pub(crate) ty: TensorType,
    pub(crate) source: Source,
}

/// An operator of a graph.
pub(crate) struct Node {
    pub(crate) opcode: Opcode,
    pub(crate) kernel: Box<dyn Kernel>,
    /// What the kernel reads.
    pub(crate) reads: SmallVec<[ValueId; 4]>,
    /// Its results: the first one, and how many.
    pub(crate) first: ValueId,
    pub(crate) count: usize,
}

/// A graph: values in the order in which they come to be.
#[derive(Default)]
pub struct Graph {
    pub(crate) values: Vec<Value>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: Vec<ValueId>,
    pub(crate) outputs: Vec<ValueId>,
    /// The types of the outputs: those of the values that were named, which can be other shapes of the same
    /// bytes.
    pub(crate) output_types: Vec<TensorType>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    fn push(&mut self, ty: TensorType, source: Source) -> ValueId {
        self.values.push(Value { ty, source });
        ValueId(self.values.len() as u32 - 1)
    }

    /// Adds an input, the next one.
    pub fn input(&mut self, ty: TensorType) -> ValueId {
        let id = self.push(ty, Source::Input);
        self.inputs.push(id);
        id
    }

    /// Adds a constant: its bytes, packed, unless they are not known yet.
    ///
    /// # Errors
    /// When there are not as many bytes as the type has.
    pub fn constant(&mut self, ty: TensorType, bytes: Option<Arc<[u8]>>) -> Result<ValueId, GraphError> {
        let found = bytes.as_ref().map_or(ty.bytes(), |bytes| bytes.len());
        ensure!(found == ty.bytes(), "a constant of {found} bytes, the type has {}", ty.bytes());
        Ok(self.push(ty, Source::Constant(bytes)))
    }

    /// Adds an operator. Gives the first of its results, which lie one behind the other.
    ///
    /// # Errors
    /// When a rule of the operator is broken, with its name; [`GraphError::Unknown`] when that cannot be told
    /// since an operand is not known.
    pub fn apply(
        &mut self,
        opcode: Opcode,
        operands: &[ValueId],
        results: &[TensorType],
    ) -> Result<ValueId, GraphError> {
        if self.nodes.len() >= OPERATOR_COUNT_MAX {
            return Err(GraphError::Limit("the graph has too many operators".into()));
        }
        let named = |message: String| format!("{}: {message}", opcode.name());
        let built =
            operators::build(&Operands::new(self, opcode, operands, results)).map_err(
                |error| match error {
                    GraphError::Invalid(message) => GraphError::Invalid(named(message)),
                    GraphError::Unsupported(message) => GraphError::Unsupported(named(message)),
                    GraphError::Limit(message) => GraphError::Limit(named(message)),
                    GraphError::Unknown(operand) => GraphError::Unknown(operand),
                },
            )?;
        match built {
            Built::Kernel { kernel, reads } => {
                let reads = reads.iter().map(|&operand| self.root(operands[operand])).collect();
                let first = ValueId(self.values.len() as u32);
                for ty in results {
                    self.push(ty.clone(), Source::Result);
                }
                self.nodes.push(Node { opcode, kernel, reads, first, count: results.len() });
                Ok(first)
            }
            Built::Same(operand) => {
                let root = self.root(operands[operand]);
                Ok(self.push(results[0].clone(), Source::Same(root)))
            }
        }
    }

    /// Adds the results of an operator that cannot be told yet.
    pub fn unknown(&mut self, results: &[TensorType]) -> ValueId {
        let first = ValueId(self.values.len() as u32);
        for ty in results {
            self.push(ty.clone(), Source::Unknown);
        }
        first
    }

    /// Says that a value is the graph's next output.
    pub fn output(&mut self, value: ValueId) {
        let root = self.root(value);
        self.output_types.push(self.ty(value).clone());
        self.outputs.push(root);
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &TensorType {
        &self.values[value.index()].ty
    }

    /// Operators that compute something.
    pub fn operator_count(&self) -> usize {
        self.nodes.len()
    }

    /// The value whose bytes this one has.
    pub(crate) fn root(&self, value: ValueId) -> ValueId {
        match self.values[value.index()].source {
            Source::Same(root) => root,
            _ => value,
        }
    }

    /// The bytes of a constant that is known.
    pub(crate) fn bytes(&self, value: ValueId) -> Option<&Arc<[u8]>> {
        match &self.values[self.root(value).index()].source {
            Source::Constant(bytes) => bytes.as_ref(),
            _ => None,
        }
    }
}
