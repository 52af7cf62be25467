//! Handlers: one function for each operation and type, which computes all lanes.

mod arithmetic;
mod lanes;
mod memory;

use crate::decode::{Detail, Handler, Step};
use crate::machine::Machine;
use crate::registers::{Chunk, Class, Lane, WIDTH};
use pyro_ir::{Signature, eval};

/// The handler of an instruction.
pub(crate) fn handler(detail: &Detail) -> Handler {
    if detail.op.is_memory() {
        return memory::handler(detail);
    }
    let special = match detail.op.signature() {
        Signature::Arg
        | Signature::Clock
        | Signature::Effect
        | Signature::Call
        | Signature::Splat
        | Signature::MaskReduce
        | Signature::MaskToBits
        | Signature::MaskFromBits
        | Signature::LaneRead
        | Signature::Shuffle => lanes::handler(detail),
        _ if detail.args.iter().any(|place| place.class == Class::Mask) => lanes::mask_handler(detail),
        _ => arithmetic::handler(detail),
    };
    special.unwrap_or(reference)
}

/// Any pure operation, lane by lane, by its reference function.
fn reference(machine: &mut Machine<'_>, step: &Step) {
    let detail = &machine.program.details[step.detail as usize];
    let Some(dst) = detail.dst else { return };
    let count = if dst.class == Class::Uniform { 1 } else { machine.lanes };
    for lane in 0..count {
        let mut bits = [0; 3];
        for (bits, &place) in bits.iter_mut().zip(&detail.args) {
            *bits = machine.registers.lane(place, lane);
        }
        let result = eval::pure(detail.op, detail.from, detail.to, &bits[..detail.args.len()], detail.imm);
        machine.registers.set_lane(dst, lane, result.unwrap_or(0));
    }
}

/// `dst = f(a)` for all lanes.
#[inline(always)]
fn lanes1<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A) -> R) {
    for chunk in 0..machine.chunks {
        let a = A::read(&machine.registers, step.args[0] as usize + chunk);
        let mut result: Chunk<R> = [R::default(); WIDTH];
        for lane in 0..WIDTH {
            result[lane] = f(a[lane]);
        }
        R::write(&mut machine.registers, step.dst as usize + chunk, result);
    }
}

/// `dst = f(a, b)` for all lanes.
#[inline(always)]
fn lanes2<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A) -> R) {
    for chunk in 0..machine.chunks {
        let a = A::read(&machine.registers, step.args[0] as usize + chunk);
        let b = A::read(&machine.registers, step.args[1] as usize + chunk);
        let mut result: Chunk<R> = [R::default(); WIDTH];
        for lane in 0..WIDTH {
            result[lane] = f(a[lane], b[lane]);
        }
        R::write(&mut machine.registers, step.dst as usize + chunk, result);
    }
}

/// `dst = f(a, b, c)` for all lanes.
#[inline(always)]
fn lanes3<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A, A) -> R) {
    for chunk in 0..machine.chunks {
        let a = A::read(&machine.registers, step.args[0] as usize + chunk);
        let b = A::read(&machine.registers, step.args[1] as usize + chunk);
        let c = A::read(&machine.registers, step.args[2] as usize + chunk);
        let mut result: Chunk<R> = [R::default(); WIDTH];
        for lane in 0..WIDTH {
            result[lane] = f(a[lane], b[lane], c[lane]);
        }
        R::write(&mut machine.registers, step.dst as usize + chunk, result);
    }
}

/// A comparison: the mask of the lanes where `f(a, b)`.
#[inline(always)]
fn compare_lanes<A: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A) -> bool) {
    let mut mask = 0;
    for chunk in 0..machine.chunks {
        let a = A::read(&machine.registers, step.args[0] as usize + chunk);
        let b = A::read(&machine.registers, step.args[1] as usize + chunk);
        let mut truth: Chunk<u8> = [0; WIDTH];
        for lane in 0..WIDTH {
            truth[lane] = f(a[lane], b[lane]).into();
        }
        mask |= pack(truth) << (chunk * WIDTH);
    }
    machine.registers.words[step.dst as usize] = mask & machine.all;
}

/// Bit `i` is byte `i`; the bytes are 0 or 1.
#[inline(always)]
fn pack(truth: Chunk<u8>) -> u64 {
    let half = |bytes: &[u8]| {
        let word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        // Byte i meets the factor's bit 56 - 7 i in bit 56 + i, and no two products share a bit.
        word.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    half(&truth[..8]) | half(&truth[8..]) << 8
}

#[inline(always)]
fn word<A: Lane>(machine: &Machine<'_>, index: u32) -> A {
    A::from_bits(machine.registers.words[index as usize])
}

/// `dst = f(a)` for a uniform value.
#[inline(always)]
fn uniform1<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A) -> R) {
    machine.registers.words[step.dst as usize] = f(word(machine, step.args[0])).bits();
}

/// `dst = f(a, b)` for uniform values.
#[inline(always)]
fn uniform2<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A) -> R) {
    let [a, b] = [0, 1].map(|index| word(machine, step.args[index]));
    machine.registers.words[step.dst as usize] = f(a, b).bits();
}

/// `dst = f(a, b, c)` for uniform values.
#[inline(always)]
fn uniform3<A: Lane, R: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A, A) -> R) {
    let [a, b, c] = [0, 1, 2].map(|index| word(machine, step.args[index]));
    machine.registers.words[step.dst as usize] = f(a, b, c).bits();
}

/// A comparison of uniform values.
#[inline(always)]
fn compare_uniform<A: Lane>(machine: &mut Machine<'_>, step: &Step, f: impl Fn(A, A) -> bool) {
    let [a, b] = [0, 1].map(|index| word(machine, step.args[index]));
    machine.registers.words[step.dst as usize] = f(a, b).into();
}

/// Whether the operands are uniform values.
fn is_uniform(detail: &Detail) -> bool {
    detail.args.first().is_none_or(|place| place.class == Class::Uniform)
}
