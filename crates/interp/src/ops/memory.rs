//! Loads, stores and atomic operations.

use crate::decode::{Detail, Handler, Step};
use crate::machine::Machine;
use crate::registers::{Bits, Chunk, Class, WIDTH};
use pyro_ir::{Opcode, Signature, eval};

/// The handler of a memory operation.
pub(super) fn handler(detail: &Detail) -> Handler {
    let uniform = detail.args.last().is_some_and(|place| place.class == Class::Uniform);
    macro_rules! width {
        ($function:ident) => {
            match detail.from.bytes() {
                1 => $function::<u8>,
                2 => $function::<u16>,
                4 => $function::<u32>,
                _ => $function::<u64>,
            }
        };
    }
    match detail.op.signature() {
        Signature::Load if uniform => width!(load_uniform),
        Signature::Load if is_indexed(detail) => width!(load_indexed),
        Signature::Load => width!(load),
        Signature::Store if uniform => width!(store_uniform),
        Signature::Store if is_indexed(detail) => width!(store_indexed),
        Signature::Store => width!(store),
        _ if uniform => width!(atomic_uniform),
        _ => width!(atomic),
    }
}

/// Whether the base is uniform and the offsets have 32 bits: the usual case, which needs no list of
/// addresses.
fn is_indexed(detail: &Detail) -> bool {
    detail.args[0].class == Class::Uniform && detail.args[1].class == Class::W32
}

fn word(machine: &Machine<'_>, index: u32) -> u64 {
    machine.registers.words[index as usize]
}

/// The address of an access whose parts are all uniform.
fn uniform_address(machine: &Machine<'_>, step: &Step) -> u64 {
    word(machine, step.args[0]).wrapping_add(word(machine, step.args[1])).wrapping_add(step.imm)
}

/// The addresses of a chunk's lanes.
#[inline(always)]
fn addresses(machine: &Machine<'_>, step: &Step, chunk: usize) -> Chunk<u64> {
    let mut addresses = if step.address.base_varies {
        machine.registers.w64[step.args[0] as usize + chunk]
    } else {
        [word(machine, step.args[0]); WIDTH]
    };
    let index = step.args[1] as usize + chunk;
    match step.address.offset {
        Class::W32 => {
            let offsets = machine.registers.w32[index];
            for lane in 0..WIDTH {
                addresses[lane] = addresses[lane].wrapping_add(offsets[lane].into()).wrapping_add(step.imm);
            }
        }
        Class::W64 => {
            let offsets = machine.registers.w64[index];
            for lane in 0..WIDTH {
                addresses[lane] = addresses[lane].wrapping_add(offsets[lane]).wrapping_add(step.imm);
            }
        }
        _ => {
            let offset = word(machine, step.args[1]).wrapping_add(step.imm);
            addresses = addresses.map(|address| address.wrapping_add(offset));
        }
    }
    addresses
}

/// Calls `f` with the lanes of a chunk that the mask has, in ascending order.
#[inline(always)]
fn each_lane(mask: u64, chunk: usize, mut f: impl FnMut(usize)) {
    let mut bits = mask >> (chunk * WIDTH) & 0xffff;
    while bits != 0 {
        f(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

fn load_uniform<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let mut bits = 0;
    if word(machine, step.args[2]) != 0 {
        bits = machine.memory.load::<T>(uniform_address(machine, step)).bits();
    }
    machine.registers.words[step.dst as usize] = bits;
}

fn load<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let mask = word(machine, step.args[2]);
    for chunk in 0..machine.chunks {
        let addresses = addresses(machine, step, chunk);
        let lanes = T::chunk_mut(&mut machine.registers, step.dst as usize + chunk);
        machine.memory.gather(&addresses, mask >> (chunk * WIDTH), lanes);
    }
}

/// The same for [`is_indexed`] accesses.
fn load_indexed<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let mask = word(machine, step.args[2]);
    let base = word(machine, step.args[0]).wrapping_add(step.imm);
    for chunk in 0..machine.chunks {
        let offsets = machine.registers.w32[step.args[1] as usize + chunk];
        let lanes = T::chunk_mut(&mut machine.registers, step.dst as usize + chunk);
        machine.memory.gather((base, &offsets), mask >> (chunk * WIDTH), lanes);
    }
}

fn store_uniform<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    if word(machine, step.args[3]) != 0 {
        let value = T::from_bits(word(machine, step.args[2]));
        machine.memory.store(uniform_address(machine, step), value);
    }
}

fn store<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let mask = word(machine, step.args[3]);
    for chunk in 0..machine.chunks {
        let values = T::read(&machine.registers, step.args[2] as usize + chunk);
        machine.memory.scatter(&addresses(machine, step, chunk), mask >> (chunk * WIDTH), &values);
    }
}

/// The same for [`is_indexed`] accesses.
fn store_indexed<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let mask = word(machine, step.args[3]);
    let base = word(machine, step.args[0]).wrapping_add(step.imm);
    for chunk in 0..machine.chunks {
        let values = T::read(&machine.registers, step.args[2] as usize + chunk);
        let offsets = &machine.registers.w32[step.args[1] as usize + chunk];
        machine.memory.scatter((base, offsets), mask >> (chunk * WIDTH), &values);
    }
}

fn atomic_uniform<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let detail = &machine.program.details[step.detail as usize];
    let (op, scalar) = (detail.op, detail.from);
    let mut old = T::default();
    if word(machine, step.args[3]) != 0 {
        let value = word(machine, step.args[2]);
        let new = |old: T| eval::atomic(op, scalar, old.bits(), value).map_or(old, T::from_bits);
        old = machine.memory.update(uniform_address(machine, step), new);
    }
    machine.registers.words[step.dst as usize] = old.bits();
}

fn atomic<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    let detail = &machine.program.details[step.detail as usize];
    let (op, scalar) = (detail.op, detail.from);
    let compares = op == Opcode::AtomicCompareExchange;
    // Base, offset, perhaps a comparator, value, predicate.
    let value_arg = if compares { 3 } else { 2 };
    let mask = word(machine, step.args[value_arg + 1]);
    for chunk in 0..machine.chunks {
        let addresses = addresses(machine, step, chunk);
        let comparators = T::read(&machine.registers, step.args[2] as usize + chunk);
        let values = T::read(&machine.registers, step.args[value_arg] as usize + chunk);
        let mut result: Chunk<T> = [T::default(); WIDTH];
        each_lane(mask, chunk, |lane| {
            let new = |old: T| match compares {
                true if old == comparators[lane] => values[lane],
                true => old,
                // The verifier has seen that the operation takes the type.
                false => eval::atomic(op, scalar, old.bits(), values[lane].bits()).map_or(old, T::from_bits),
            };
            result[lane] = machine.memory.update(addresses[lane], new);
        });
        T::write(&mut machine.registers, step.dst as usize + chunk, result);
    }
}
