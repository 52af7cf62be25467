//! `SELECT`: one of two elements each, by a truth value.

use super::strided::Strided;
use super::{Built, Kernel};
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    cx.expect_element(0, E::Bool)?;
    let element = cx.same_of(1, &[E::Bool, E::I8, E::I16, E::I32, E::F16, E::Bf16, E::F32])?;
    cx.expect_element(2, element)?;
    cx.expect_broadcast(&[0, 1, 2])?;
    let places = [0, 1, 2].map(|operand| Strided::broadcast(cx.ty(operand).shape(), cx.result(0).shape()));
    Ok(Built::kernel(Select { bytes: element.bytes(), places }, &[0, 1, 2]))
}

struct Select {
    bytes: usize,
    places: [Strided; 3],
}

impl Kernel for Select {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        match self.bytes {
            1 => self.select::<1>(inputs, outputs[0], threads),
            2 => self.select::<2>(inputs, outputs[0], threads),
            _ => self.select::<4>(inputs, outputs[0], threads),
        }
    }
}

/// Elements of an input for those of an output.
pub(super) fn copy<const N: usize>(places: &Strided, input: &[u8], first: usize, output: &mut [[u8; N]]) {
    let input = input.as_chunks::<N>().0;
    places.runs(first, output.len(), |run| {
        let to = &mut output[run.to..run.to + run.count];
        match run.step {
            0 => to.fill(input[run.from]),
            1 => to.copy_from_slice(&input[run.from..run.from + run.count]),
            step => {
                let mut from = run.from as isize;
                for to in to {
                    *to = input[from as usize];
                    from += step;
                }
            }
        }
    });
}

impl Select {
    fn select<const N: usize>(&self, inputs: &[&[u8]], output: &mut [u8], threads: &dyn Threads) {
        const COUNT: usize = 512;
        divide(threads, output, N, 2, |first, output| {
            let (mut which, mut other) = ([[0; 1]; COUNT], [[0; N]; COUNT]);
            for (number, output) in output.as_chunks_mut::<N>().0.chunks_mut(COUNT).enumerate() {
                let (first, count) = (first + number * COUNT, output.len());
                copy(&self.places[0], inputs[0], first, &mut which[..count]);
                copy(&self.places[1], inputs[1], first, output);
                copy(&self.places[2], inputs[2], first, &mut other[..count]);
                for ((to, other), [is_first]) in output.iter_mut().zip(&other).zip(&which) {
                    *to = if *is_first == 0 { *other } else { *to };
                }
            }
        });
    }
}
