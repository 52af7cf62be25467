//! Operations across lanes: ballots, lane reads, shuffles; and splats.

use super::is_uniform;
use crate::decode::{Detail, Handler, Step};
use crate::machine::Machine;
use crate::registers::{Bits, Chunk, Class, Lane, Place, WIDTH};
use pyro_ir::{Opcode as O, Signature};
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

/// Nanoseconds since the first call.
fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Handlers of operations that are not computed lane by lane.
pub(super) fn handler(detail: &Detail) -> Option<Handler> {
    let handler: Handler = match detail.op.signature() {
        Signature::Arg => |machine, step| {
            set_word(machine, step, machine.args[step.imm.min(2) as usize]);
        },
        Signature::Clock => |machine, step| set_word(machine, step, clock()),
        // The functions called are those that the runtime put there; what they return says nothing.
        Signature::Call => |machine, step| {
            machine.memory.call(arg(machine, step, 0), arg(machine, step, 1));
        },
        Signature::Effect => |_, _| fence(Ordering::SeqCst),
        Signature::MaskReduce => |machine, step| set_word(machine, step, (arg(machine, step, 0) != 0).into()),
        // Bits past the subgroup are cut off.
        Signature::MaskToBits | Signature::MaskFromBits => {
            |machine, step| set_word(machine, step, arg(machine, step, 0) & machine.all)
        }
        Signature::Splat => match detail.dst.map(|place| place.class) {
            Some(Class::Mask) => |machine, step| {
                set_word(machine, step, if arg(machine, step, 0) != 0 { machine.all } else { 0 });
            },
            Some(Class::W8) => splat::<u8>,
            Some(Class::W16) => splat::<u16>,
            Some(Class::W32) => splat::<u32>,
            _ => splat::<u64>,
        },
        Signature::LaneRead => |machine, step| {
            let lane = arg(machine, step, 1) as usize % machine.lanes;
            let place = machine.program.details[step.detail as usize].args[0];
            set_word(machine, step, machine.registers.lane(place, lane));
        },
        Signature::Shuffle => match detail.dst.map(|place| place.class) {
            Some(Class::Mask) => shuffle_mask,
            Some(Class::W8) => shuffle::<u8>,
            Some(Class::W16) => shuffle::<u16>,
            Some(Class::W32) => shuffle::<u32>,
            _ => shuffle::<u64>,
        },
        _ => return None,
    };
    Some(handler)
}

/// Handlers of operations on masks, and those that masks choose lanes for.
pub(super) fn mask_handler(detail: &Detail) -> Option<Handler> {
    let handler: Handler = match detail.op {
        O::And => |machine, step| mask2(machine, step, |a, b| a & b),
        O::Or => |machine, step| mask2(machine, step, |a, b| a | b),
        O::Xor | O::INe => |machine, step| mask2(machine, step, |a, b| a ^ b),
        O::AndNot => |machine, step| mask2(machine, step, |a, b| a & !b),
        O::Not => |machine, step| mask2(machine, step, |a, _| !a),
        O::IEq => |machine, step| mask2(machine, step, |a, b| !(a ^ b)),
        // False is less than true, and true as a signed bit (-1) less than false.
        O::ULt => |machine, step| mask2(machine, step, |a, b| !a & b),
        O::ULe => |machine, step| mask2(machine, step, |a, b| !a | b),
        O::SLt => |machine, step| mask2(machine, step, |a, b| a & !b),
        O::SLe => |machine, step| mask2(machine, step, |a, b| a | !b),
        O::Select if !is_uniform(detail) => match detail.args[1].class {
            Class::W8 => select::<u8>,
            Class::W16 => select::<u16>,
            Class::W32 => select::<u32>,
            Class::W64 => select::<u64>,
            _ => |machine, step| {
                let [mask, then, otherwise] = [0, 1, 2].map(|index| arg(machine, step, index));
                set_word(machine, step, mask & then | !mask & otherwise);
            },
        },
        O::ZeroExtend => |machine, step| extend(machine, step, 1),
        O::SignExtend => |machine, step| extend(machine, step, u64::MAX),
        _ => return None,
    };
    Some(handler)
}

fn arg(machine: &Machine<'_>, step: &Step, index: usize) -> u64 {
    machine.registers.words[step.args[index] as usize]
}

fn set_word(machine: &mut Machine<'_>, step: &Step, bits: u64) {
    machine.registers.words[step.dst as usize] = bits;
}

#[inline(always)]
fn mask2(machine: &mut Machine<'_>, step: &Step, f: impl Fn(u64, u64) -> u64) {
    let (a, b) = (arg(machine, step, 0), arg(machine, step, 1));
    set_word(machine, step, f(a, b) & machine.all);
}

fn splat<T: Lane>(machine: &mut Machine<'_>, step: &Step) {
    let value = T::from_bits(arg(machine, step, 0));
    for chunk in 0..machine.chunks {
        T::write(&mut machine.registers, step.dst as usize + chunk, [value; WIDTH]);
    }
}

fn shuffle<T: Bits>(machine: &mut Machine<'_>, step: &Step) {
    // The result lies elsewhere than the source, so that no lane is read after it has been written.
    for chunk in 0..machine.chunks {
        let index = machine.registers.w32[step.args[1] as usize + chunk];
        let mut result: Chunk<T> = [T::default(); WIDTH];
        for (lane, value) in result.iter_mut().enumerate() {
            // The subgroup size is a power of two, so that this is the lane's number modulo the size.
            let from = index[lane] as usize & (machine.lanes - 1);
            *value = T::chunk_mut(&mut machine.registers, step.args[0] as usize + from / WIDTH)[from % WIDTH];
        }
        *T::chunk_mut(&mut machine.registers, step.dst as usize + chunk) = result;
    }
}

fn shuffle_mask(machine: &mut Machine<'_>, step: &Step) {
    let source = arg(machine, step, 0);
    let mut mask = 0;
    for lane in 0..machine.lanes {
        let index = machine.registers.w32[step.args[1] as usize + lane / WIDTH][lane % WIDTH];
        mask |= (source >> (index as usize & (machine.lanes - 1)) & 1) << lane;
    }
    set_word(machine, step, mask);
}

fn select<T: Lane>(machine: &mut Machine<'_>, step: &Step) {
    let mask = arg(machine, step, 0);
    for chunk in 0..machine.chunks {
        let then = T::read(&machine.registers, step.args[1] as usize + chunk);
        let otherwise = T::read(&machine.registers, step.args[2] as usize + chunk);
        let bits = (mask >> (chunk * WIDTH)) as u32;
        let mut result: Chunk<T> = otherwise;
        for lane in 0..WIDTH {
            if bits & 1 << lane != 0 {
                result[lane] = then[lane];
            }
        }
        T::write(&mut machine.registers, step.dst as usize + chunk, result);
    }
}

/// The lanes of a mask as numbers: `set`, cut to the lanes' width, or 0.
fn extend(machine: &mut Machine<'_>, step: &Step, set: u64) {
    let mask = arg(machine, step, 0);
    let Some(dst) = machine.program.details[step.detail as usize].dst else { return };
    match dst.class {
        Class::W32 => {
            for chunk in 0..machine.chunks {
                let bits = (mask >> (chunk * WIDTH)) as u32;
                let lanes = &mut machine.registers.w32[dst.index as usize + chunk];
                for (lane, word) in lanes.iter_mut().enumerate() {
                    *word = if bits & 1 << lane != 0 { set as u32 } else { 0 };
                }
            }
        }
        _ => extend_lanes(machine, dst, mask, set),
    }
}

fn extend_lanes(machine: &mut Machine<'_>, dst: Place, mask: u64, set: u64) {
    for lane in 0..machine.lanes {
        machine.registers.set_lane(dst, lane, if mask >> lane & 1 != 0 { set } else { 0 });
    }
}
