//! What convolutions share: their types, weights and biases.

use super::block::{Number, one};
use super::gemm::{Arithmetic, Columns, Packed};
use crate::error::ensure;
use crate::operands::{Accumulator, Operands, Result};
use crate::{Element, GraphError, Threads};
use std::sync::{Arc, OnceLock};

/// The types of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub(super) input: Element,
    pub(super) weight: Element,
    pub(super) output: Element,
}

/// Operands from the input on: input, weight, bias, zero points of input and weight. They lie behind the
/// attributes, of which the accumulator's type and `local_bound` are the last.
pub(super) fn types(cx: &Operands<'_>) -> Result<(Types, usize)> {
    use Accumulator as A;
    use Element as E;
    let first = cx.opcode.facts().attributes;
    let (input, weight, output) = (cx.element(first), cx.element(first + 1), cx.result(0).element());
    let accumulator = cx.accumulator(first - 2)?;
    // Sums of 32 bits are within the bounds of sums of 16 bits, and of the bias that it goes into, for every
    // `local_bound`.
    cx.boolean(first - 1)?;
    let fits = match (input, weight, output) {
        (E::I8, E::I8, E::I32) => accumulator == A::Int32,
        (E::I16, E::I8, E::I48) => accumulator == A::Int48,
        (E::F8E4M3, E::F8E4M3, E::F16) | (E::F8E5M2, E::F8E5M2, E::F16) => accumulator == A::Float16,
        (E::F16, E::F16, E::F16) => matches!(accumulator, A::Float16 | A::Float32),
        (E::Bf16, E::Bf16, E::Bf16) | (E::F32, E::F32, E::F32) => accumulator == A::Float32,
        _ => {
            let message = format!("no such operator from {input} and {weight} to {output}");
            return Err(GraphError::Unsupported(message));
        }
    };
    ensure!(fits, "sums of {input} are not of the type {accumulator:?}");
    cx.expect_element(first + 2, output)?;
    cx.zero_point(first + 3, input)?;
    cx.zero_point(first + 4, weight)?;
    Ok((Types { input, weight, output }, first))
}

/// Checks the bias: one element for all channels, or one for each.
pub(super) fn check_bias(cx: &Operands<'_>, operand: usize, channels: usize) -> Result<()> {
    let ty = cx.ty(operand);
    let fits = ty.rank() == 1 && (ty.count() == channels || ty.count() == 1);
    ensure!(fits, "the bias is {ty}, for {channels} channels");
    Ok(())
}

/// The numbers of a bias.
pub(super) fn bias<T: Number>(element: Element, bytes: &[u8]) -> Vec<T> {
    let mut values = vec![T::default(); bytes.len() / element.bytes()];
    T::load(element, bytes, &mut values);
    values
}

/// What is prepared of weights: once where they are constant, else whenever they are used.
pub(super) struct Prepared<T> {
    /// The weights and their zero point are the same in every run.
    is_constant: bool,
    kept: OnceLock<Arc<T>>,
}

impl<T> Prepared<T> {
    /// Of these operands, weight and zero point.
    pub(super) fn new(cx: &Operands<'_>, weight: usize, zero_point: usize) -> Prepared<T> {
        let is_constant = cx.constant(weight).is_some() && cx.constant(zero_point).is_some();
        Prepared { is_constant, kept: OnceLock::new() }
    }

    /// The prepared weights.
    pub(super) fn get(&self, prepare: impl FnOnce() -> T) -> Arc<T> {
        if !self.is_constant {
            return Arc::new(prepare());
        }
        if let Some(kept) = self.kept.get() {
            return Arc::clone(kept);
        }
        // Two queues may come here at once; one's work is for nothing then.
        let prepared = Arc::new(prepare());
        Arc::clone(self.kept.get_or_init(|| prepared))
    }
}

/// Packs weights whose outermost dimension is that of output channels.
pub(super) fn pack<A: Arithmetic>(
    (element, bytes): (Element, &[u8]),
    zero_point: &[u8],
    [depth, columns]: [usize; 2],
    threads: &dyn Threads,
) -> Packed<A> {
    let zero_point = one::<i32>(element, zero_point);
    Packed::new(&Columns { element, bytes, zero_point, depth, columns, by_column: true }, threads)
}
