//! Operators that only move elements: `RESHAPE`, `REVERSE`, `SLICE`, `TILE`, `TRANSPOSE`.

use super::select::copy;
use super::strided::Strided;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

/// What can be moved.
pub(super) const MOVED: [Element; 9] = [
    Element::Bool,
    Element::I8,
    Element::I16,
    Element::I32,
    Element::F8E4M3,
    Element::F8E5M2,
    Element::F16,
    Element::Bf16,
    Element::F32,
];

/// How far elements of a packed shape are apart along each dimension.
pub(super) fn steps(shape: &[u32]) -> Vec<isize> {
    let mut steps = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis] as isize;
    }
    steps
}

fn sizes(shape: &[u32]) -> impl Iterator<Item = usize> {
    shape.iter().map(|&size| size as usize)
}

/// A kernel that takes elements of an operand from these places, or none where they stay where they are.
fn moved(operand: usize, element: Element, places: Strided) -> Built {
    if places.is_identity() {
        return Built::Same(operand);
    }
    Built::kernel(Move { bytes: element.bytes(), places }, &[operand])
}

pub(crate) fn reshape(cx: &Operands<'_>) -> Result<Built> {
    cx.same_of(0, &MOVED)?;
    let shape = cx.ints(1, None)?;
    let (from, to) = (cx.ty(0), cx.result(0));
    let fits = shape.len() == to.rank() && shape.iter().zip(to.shape()).all(|(&a, &b)| a == i64::from(b));
    ensure!(fits, "the result is {to}, the shape is {shape:?}");
    ensure!(from.count() == to.count(), "{from} has not as many elements as {to}");
    Ok(Built::Same(0))
}

pub(crate) fn reverse(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(1, &MOVED)?;
    cx.expect_result_like(1)?;
    let shape = cx.ty(1).shape();
    let axis = cx.axis(0, shape.len())?;
    let mut steps = steps(shape);
    let base = (shape[axis] as usize - 1) * steps[axis] as usize;
    steps[axis] = -steps[axis];
    Ok(moved(1, element, Strided::new(sizes(shape).zip(steps), base)))
}

pub(crate) fn slice(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(0, &MOVED)?;
    let shape = cx.ty(0).shape();
    let (start, size) = (cx.ints(1, Some(shape.len()))?, cx.ints(2, Some(shape.len()))?);
    for (axis, &length) in shape.iter().enumerate() {
        let (start, size) = (start[axis], size[axis]);
        let end = start.checked_add(size);
        ensure!(
            start >= 0 && size > 0 && end.is_some_and(|end| end <= length.into()),
            "{size} elements from {start} on, along axis {axis} there are {length}"
        );
    }
    cx.expect_result(&size.iter().map(|&size| size as usize).collect::<Vec<_>>())?;
    let steps = steps(shape);
    let base = start.iter().zip(&steps).map(|(&start, &step)| start as usize * step as usize).sum();
    Ok(moved(0, element, Strided::new(sizes(cx.result(0).shape()).zip(steps), base)))
}

pub(crate) fn tile(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(0, &MOVED)?;
    let shape = cx.ty(0).shape();
    let multiples = cx.ints(1, Some(shape.len()))?;
    let result = cx.result(0);
    ensure!(result.rank() == shape.len(), "the result is {result}, the input {}", cx.ty(0));
    for ((&size, &multiple), &wanted) in shape.iter().zip(&multiples).zip(result.shape()) {
        let found = i64::from(size).checked_mul(multiple);
        ensure!(found == Some(wanted.into()), "{size} elements {multiple} times are not {wanted}");
    }
    let steps = steps(shape);
    let dims = multiples.iter().zip(shape.iter().zip(steps));
    let dims = dims.flat_map(|(&multiple, (&size, step))| [(multiple as usize, 0), (size as usize, step)]);
    Ok(moved(0, element, Strided::new(dims, 0)))
}

pub(crate) fn transpose(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(1, &MOVED)?;
    let shape = cx.ty(1).shape();
    let perms = cx.ints(0, Some(shape.len()))?;
    let mut used = vec![false; shape.len()];
    let mut axes = Vec::new();
    for &axis in &perms {
        let found = usize::try_from(axis).ok().filter(|&axis| axis < shape.len());
        ensure!(
            found.is_some_and(|axis| !std::mem::replace(&mut used[axis], true)),
            "{perms:?} is no permutation of {} dimensions",
            shape.len()
        );
        axes.push(axis as usize);
    }
    cx.expect_result(&axes.iter().map(|&axis| shape[axis] as usize).collect::<Vec<_>>())?;
    let steps = steps(shape);
    let dims = axes.iter().map(|&axis| (shape[axis] as usize, steps[axis]));
    Ok(moved(1, element, Strided::new(dims, 0)))
}

struct Move {
    bytes: usize,
    places: Strided,
}

impl Kernel for Move {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        divide(threads, outputs[0], self.bytes, 1, |first, output| match self.bytes {
            1 => copy::<1>(&self.places, inputs[0], first, output.as_chunks_mut().0),
            2 => copy::<2>(&self.places, inputs[0], first, output.as_chunks_mut().0),
            4 => copy::<4>(&self.places, inputs[0], first, output.as_chunks_mut().0),
            _ => copy::<8>(&self.places, inputs[0], first, output.as_chunks_mut().0),
        });
    }
}
