//! What an operator is applied to, and the rules that many operators share.

use crate::error::ensure;
use crate::graph::{Graph, ValueId};
use crate::operators::block::{load_f32, load_i64};
use crate::{Element, GraphError, Opcode, TensorType};
use std::sync::Arc;

pub(crate) type Result<T> = std::result::Result<T, GraphError>;

/// An operator's operands and the types that its results shall have.
pub(crate) struct Operands<'g> {
    graph: &'g Graph,
    pub(crate) opcode: Opcode,
    ids: &'g [ValueId],
    results: &'g [TensorType],
}

/// What becomes of NaN (`nan_propagation_mode_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NanMode {
    /// It goes on.
    Propagate,
    /// Numbers go before it.
    Ignore,
}

/// What sums are kept in (`acc_type_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accumulator {
    Int32,
    Float16,
    Float32,
    Int48,
}

impl<'g> Operands<'g> {
    pub(crate) fn new(
        graph: &'g Graph,
        opcode: Opcode,
        ids: &'g [ValueId],
        results: &'g [TensorType],
    ) -> Operands<'g> {
        Operands { graph, opcode, ids, results }
    }

    /// Checks how many operands and results there are.
    pub(crate) fn check_counts(&self) -> Result<()> {
        let (found, wanted) = (self.ids.len(), self.opcode.facts().operands);
        let fits = if self.opcode == Opcode::Concat { found >= wanted } else { found == wanted };
        ensure!(fits, "{found} operands, it takes {wanted}");
        let wanted = if matches!(self.opcode, Opcode::Fft2d | Opcode::Rfft2d) { 2 } else { 1 };
        ensure!(self.results.len() == wanted, "{} results, it has {wanted}", self.results.len());
        Ok(())
    }

    /// How many operands there are.
    pub(crate) fn count(&self) -> usize {
        self.ids.len()
    }

    /// The type of an operand.
    pub(crate) fn ty(&self, operand: usize) -> &'g TensorType {
        self.graph.ty(self.ids[operand])
    }

    /// The type of the elements of an operand.
    pub(crate) fn element(&self, operand: usize) -> Element {
        self.ty(operand).element()
    }

    /// The type of a result.
    pub(crate) fn result(&self, number: usize) -> &'g TensorType {
        &self.results[number]
    }

    /// Whether an operand is a constant whose bytes are known.
    pub(crate) fn constant(&self, operand: usize) -> Option<&'g Arc<[u8]>> {
        self.graph.bytes(self.ids[operand])
    }

    fn known(&self, operand: usize) -> Result<&'g [u8]> {
        self.constant(operand).map(|bytes| &bytes[..]).ok_or(GraphError::Unknown(operand))
    }

    /// The integers of an operand: as many as wanted, where that is said.
    pub(crate) fn ints(&self, operand: usize, count: Option<usize>) -> Result<Vec<i64>> {
        let ty = self.ty(operand);
        ensure!(ty.element().is_integer(), "the operand {operand} is {ty}, which has no integers");
        ensure!(ty.rank() <= 1, "the operand {operand} is {ty}, which is no list");
        if let Some(count) = count {
            ensure!(ty.count() == count, "the operand {operand} has {} elements, not {count}", ty.count());
        }
        let bytes = self.known(operand)?;
        let mut values = vec![0; ty.count()];
        load_i64(ty.element(), bytes, &mut values);
        Ok(values)
    }

    /// The same, of a number of integers that is known.
    pub(crate) fn array<const N: usize>(&self, operand: usize) -> Result<[i64; N]> {
        let values = self.ints(operand, Some(N))?;
        Ok(std::array::from_fn(|at| values[at]))
    }

    /// The one integer of an operand.
    pub(crate) fn int(&self, operand: usize) -> Result<i64> {
        Ok(self.array::<1>(operand)?[0])
    }

    /// The one truth value of an operand.
    pub(crate) fn boolean(&self, operand: usize) -> Result<bool> {
        let ty = self.ty(operand);
        ensure!(
            ty.element() == Element::Bool && ty.count() == 1,
            "the operand {operand} is {ty}, not one bool_t"
        );
        Ok(self.known(operand)?[0] != 0)
    }

    /// The one number of an operand of this type.
    pub(crate) fn number(&self, operand: usize, element: Element) -> Result<f64> {
        let ty = self.ty(operand);
        ensure!(
            ty.element() == element && ty.count() == 1,
            "the operand {operand} is {ty}, not one {element}"
        );
        let bytes = self.known(operand)?;
        if element.is_float() {
            let mut value = [0.0];
            load_f32(element, bytes, &mut value);
            return Ok(value[0].into());
        }
        let mut value = [0];
        load_i64(element, bytes, &mut value);
        Ok(value[0] as f64)
    }

    /// The mode of NaN that an operand says.
    pub(crate) fn nan_mode(&self, operand: usize) -> Result<NanMode> {
        match self.int(operand)? {
            1 => Ok(NanMode::Propagate),
            2 => Ok(NanMode::Ignore),
            other => Err(GraphError::Invalid(format!("{other} is no nan_mode"))),
        }
    }

    /// The accumulator that an operand says.
    pub(crate) fn accumulator(&self, operand: usize) -> Result<Accumulator> {
        match self.int(operand)? {
            1 => Ok(Accumulator::Int32),
            2 => Ok(Accumulator::Float16),
            3 => Ok(Accumulator::Float32),
            4 => Ok(Accumulator::Int48),
            other => Err(GraphError::Invalid(format!("{other} is no acc_type"))),
        }
    }

    /// An axis below a rank.
    pub(crate) fn axis(&self, operand: usize, rank: usize) -> Result<usize> {
        let axis = self.int(operand)?;
        let found = usize::try_from(axis).ok().filter(|&axis| axis < rank);
        found.ok_or_else(|| GraphError::Invalid(format!("the axis {axis} of a tensor of rank {rank}")))
    }

    /// The shape of an operand of this rank.
    pub(crate) fn shape<const N: usize>(&self, operand: usize) -> Result<[usize; N]> {
        dimensions(&format!("the operand {operand}"), self.ty(operand))
    }

    /// The shape of a result of this rank.
    pub(crate) fn result_shape<const N: usize>(&self, number: usize) -> Result<[usize; N]> {
        dimensions("the result", self.result(number))
    }

    /// Checks that the elements of an operand and of the (first) result are of one of these pairs of types.
    pub(crate) fn one_of(&self, operand: usize, pairs: &[(Element, Element)]) -> Result<(Element, Element)> {
        let found = (self.element(operand), self.result(0).element());
        if pairs.contains(&found) {
            return Ok(found);
        }
        Err(self.no_support(operand))
    }

    /// Checks that the elements of an operand and of the (first) result are of one of these types.
    pub(crate) fn same_of(&self, operand: usize, elements: &[Element]) -> Result<Element> {
        let element = self.element(operand);
        if elements.contains(&element) && self.result(0).element() == element {
            return Ok(element);
        }
        Err(self.no_support(operand))
    }

    /// That there is no such operator for the types.
    pub(crate) fn no_support(&self, operand: usize) -> GraphError {
        let (from, to) = (self.element(operand), self.result(0).element());
        GraphError::Unsupported(format!("no such operator from {from} to {to}"))
    }

    /// Checks that the elements of an operand are of a type.
    pub(crate) fn expect_element(&self, operand: usize, element: Element) -> Result<()> {
        let found = self.element(operand);
        ensure!(found == element, "the operand {operand} has elements of {found}, not {element}");
        Ok(())
    }

    /// Checks that the result has a shape.
    pub(crate) fn expect_result(&self, shape: &[usize]) -> Result<()> {
        let found = self.result(0);
        let fits = found.rank() == shape.len()
            && found.shape().iter().zip(shape).all(|(&found, &wanted)| found as usize == wanted);
        ensure!(fits, "the result is {found}, it has the shape {shape:?}");
        Ok(())
    }

    /// Checks that the result has the shape of an operand.
    pub(crate) fn expect_result_like(&self, operand: usize) -> Result<()> {
        let shape: Vec<usize> = self.ty(operand).shape().iter().map(|&size| size as usize).collect();
        self.expect_result(&shape)
    }

    /// Checks that operands, broadcast, have the shape of the result.
    pub(crate) fn expect_broadcast(&self, operands: &[usize]) -> Result<()> {
        let wanted = self.result(0);
        for &operand in operands {
            let ty = self.ty(operand);
            let fits = ty.rank() == wanted.rank()
                && ty.shape().iter().zip(wanted.shape()).all(|(&size, &wanted)| size == wanted || size == 1);
            ensure!(fits, "the operand {operand} is {ty}, which is not broadcast to {wanted}");
        }
        for (axis, &size) in wanted.shape().iter().enumerate() {
            let is_there = operands.iter().any(|&operand| self.ty(operand).shape()[axis] == size);
            ensure!(is_there, "the result is {wanted}, no operand has {size} elements along axis {axis}");
        }
        Ok(())
    }

    /// Checks a zero point: one element of the type, zero where known unless the type is `i8_t`.
    pub(crate) fn zero_point(&self, operand: usize, element: Element) -> Result<()> {
        self.expect_element(operand, element)?;
        let ty = self.ty(operand);
        ensure!(ty.count() == 1, "the zero point is {ty}, not one element");
        if element == Element::I8 {
            return Ok(());
        }
        let Some(bytes) = self.constant(operand) else { return Ok(()) };
        let mut is_zero = bytes.iter().all(|&byte| byte == 0);
        if element.is_float() {
            let mut value = [0.0];
            load_f32(element, bytes, &mut value);
            is_zero = value[0] == 0.0;
        }
        ensure!(is_zero, "a zero point of {element} other than zero");
        Ok(())
    }
}

fn dimensions<const N: usize>(what: &str, ty: &TensorType) -> Result<[usize; N]> {
    ensure!(ty.rank() == N, "{what} is {ty}, which is not of rank {N}");
    Ok(std::array::from_fn(|axis| ty.shape()[axis] as usize))
}

/// `idiv_check(size, stride) + 1`, the length of an output along an axis.
pub(crate) fn steps(size: i64, stride: i64) -> Result<i64> {
    ensure!(stride >= 1, "a stride of {stride}");
    ensure!(size >= 0, "the kernel is larger than the padded input");
    ensure!(size % stride == 0, "{size} is not a multiple of the stride {stride}");
    Ok(size / stride + 1)
}
