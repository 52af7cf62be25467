//! `CONCAT`: tensors one behind the other along an axis.

use super::views::MOVED;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(1, &[&MOVED[..], &[Element::I48]].concat())?;
    let result = cx.result(0);
    let axis = cx.axis(0, result.rank())?;
    let mut sum = 0_u64;
    let inputs: Vec<usize> = (1..cx.count()).collect();
    for &operand in &inputs {
        cx.expect_element(operand, element)?;
        let ty = cx.ty(operand);
        ensure!(ty.rank() == result.rank(), "the operand {operand} is {ty}, the result {result}");
        let mut sizes = ty.shape().iter().zip(result.shape()).enumerate();
        let fits = sizes.all(|(at, (own, wanted))| at == axis || own == wanted);
        ensure!(fits, "the operand {operand} is {ty}, the result {result}, and the axis {axis}");
        sum += u64::from(ty.shape()[axis]);
    }
    let wanted = u64::from(result.shape()[axis]);
    ensure!(sum == wanted, "the operands have {sum} elements along the axis {axis}, the result {wanted}");
    let row = |operand| {
        let [_, size, inner] = cx.ty(operand).around(axis);
        size * inner * element.bytes()
    };
    let rows = inputs.iter().map(|&operand| row(operand)).collect();
    Ok(Built::kernel(Concat { rows }, &inputs))
}

struct Concat {
    /// Bytes that each input gives to one row of the output.
    rows: Vec<usize>,
}

impl Kernel for Concat {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        divide(threads, outputs[0], self.rows.iter().sum(), 1, |first, output| {
            for (number, mut output) in output.chunks_mut(self.rows.iter().sum()).enumerate() {
                for (input, &bytes) in inputs.iter().zip(&self.rows) {
                    let (to, rest) = output.split_at_mut(bytes);
                    to.copy_from_slice(&input[(first + number) * bytes..][..bytes]);
                    output = rest;
                }
            }
        });
    }
}
