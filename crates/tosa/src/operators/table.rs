//! `TABLE`: a function by its values.

use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

/// Values of a table of 16 bits, between which it is linear.
const WIDE_COUNT: usize = 513;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let (element, _) = cx.one_of(0, &[(Element::I8, Element::I8), (Element::I16, Element::I32)])?;
    cx.expect_result_like(0)?;
    cx.expect_element(1, element)?;
    let wanted = if element == Element::I8 { 256 } else { WIDE_COUNT };
    let table = cx.ty(1);
    ensure!(table.rank() == 1 && table.count() == wanted, "the table is {table}, not of {wanted} values");
    if element == Element::I8 {
        return Ok(Built::kernel(Bytes, &[0, 1]));
    }
    Ok(Built::kernel(Interpolated, &[0, 1]))
}

struct Bytes;

impl Kernel for Bytes {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        // From the number as it is signed to its place.
        let table: [u8; 256] = std::array::from_fn(|byte| inputs[1][byte ^ 0x80]);
        divide(threads, outputs[0], 1, 1, |first, output| {
            for (to, &from) in output.iter_mut().zip(&inputs[0][first..]) {
                *to = table[usize::from(from)];
            }
        });
    }
}

struct Interpolated;

impl Kernel for Interpolated {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let mut table = [0_i32; WIDE_COUNT];
        for (to, &from) in table.iter_mut().zip(inputs[1].as_chunks::<2>().0) {
            *to = i16::from_le_bytes(from).into();
        }
        divide(threads, outputs[0], 4, 2, |first, output| {
            let input = &inputs[0].as_chunks::<2>().0[first..];
            for (to, &from) in output.as_chunks_mut::<4>().0.iter_mut().zip(input) {
                let value = i32::from(i16::from_le_bytes(from));
                let (index, fraction) = ((value + 0x8000) as usize >> 7, value & 0x7f);
                let (base, next) = (table[index], table[index + 1]);
                *to = ((base << 7) + (next - base) * fraction).to_le_bytes();
            }
        });
    }
}
