//! Emission of loads and stores of lanes without masked moves and gathers (SSE4.1): see [`LaneAccess`].
//!
//! As on ARM, a register that is zero unless all lanes take part is asked first, and code for some lanes lies
//! behind the function.

use crate::asm::op::*;
use crate::asm::{Assembler, Condition, Evex, Gpr, Label, Len, Mem, Rm, Size, VOp};
use crate::neon::{LaneAccess, LanePlaces};

/// The code for some lanes.
pub(super) struct SomeLanes {
    access: LaneAccess,
    registers: Vec<u8>,
    start: Label,
    end: Label,
}

/// Emits the access; what is to be emitted behind the function is given back. The last register is a general
/// one that may be changed.
pub(super) fn emit(asm: &mut Assembler, access: LaneAccess, registers: Vec<u8>) -> Option<SomeLanes> {
    let masked = (access.mask_count > 0).then(|| {
        let (start, end) = (asm.label(), asm.label());
        let all = registers[access.registers as usize + 1];
        asm.test(Size::S32, all, all);
        asm.jump_if(Condition::Equal, start);
        (start, end)
    });
    match access.places {
        LanePlaces::Consecutive => whole(asm, &access, &registers),
        _ => (0..access.lanes).for_each(|number| {
            let mem = place(asm, &access, &registers, number);
            lane(asm, &access, registers[0], number, mem, number == 0);
        }),
    }
    masked.map(|(start, end)| {
        asm.bind(end);
        SomeLanes { access, registers, start, end }
    })
}

fn plain(op: VOp, reg: u8, rm: Rm) -> Evex {
    Evex::new(op, Len::X, reg, 0, rm)
}

/// All lanes of each register as one move.
fn whole(asm: &mut Assembler, access: &LaneAccess, registers: &[u8]) {
    let count = access.registers as usize;
    let (values, base, temporary) = (&registers[..count], registers[count], registers[registers.len() - 1]);
    for (&value, index) in values.iter().zip(0..) {
        let mem = Mem::base(base, access.displacement + 16 * index);
        let bytes = access.bytes();
        let (load, store) = match bytes {
            16 => (VMOVUPS, VMOVUPS_STORE),
            8 => (VMOVSD, VMOVSD_STORE),
            4 => (VMOVSS, VMOVSS_STORE),
            _ if access.is_store => {
                asm.vector(&plain(VMOVD_FROM, value, Rm::Reg(temporary)));
                asm.store(bytes * 8, mem, temporary);
                continue;
            }
            _ => {
                asm.movzx(bytes * 8, temporary, Rm::Mem(mem));
                asm.vector(&plain(VMOVD_TO, value, Rm::Reg(temporary)));
                continue;
            }
        };
        asm.vector(&plain(if access.is_store { store } else { load }, value, Rm::Mem(mem)));
    }
}

/// One lane between a register and memory. The first lane of a load clears the others.
fn lane(asm: &mut Assembler, access: &LaneAccess, value: u8, lane: u32, mem: Mem, clears: bool) {
    let rm = Rm::Mem(mem);
    let inserted = |op| Evex { imm: Some(lane as u8), ..Evex::new(op, Len::X, value, value, rm) };
    let extracted = |op| Evex { imm: Some(lane as u8), ..plain(op, value, rm) };
    let inst = match (access.is_store, access.bits) {
        (true, 32) if lane == 0 => plain(VMOVSS_STORE, value, rm),
        (true, 64) if lane == 0 => plain(VMOVSD_STORE, value, rm),
        (true, 8) => extracted(VPEXTRB),
        (true, 16) => extracted(VPEXTRW_STORE),
        (true, 32) => extracted(VPEXTRD),
        (true, _) => plain(VMOVHPS_STORE, value, rm),
        (false, 32) if clears => plain(VMOVSS, value, rm),
        (false, 64) if clears => plain(VMOVSD, value, rm),
        (false, 64) if lane == 1 => Evex::new(VMOVHPS, Len::X, value, value, rm),
        (false, bits) => {
            if clears {
                zero(asm, value);
            }
            match bits {
                8 => inserted(VPINSRB),
                16 => inserted(VPINSRW),
                32 => inserted(VPINSRD),
                _ => inserted(VPINSRQ),
            }
        }
    };
    asm.vector(&inst);
}

fn zero(asm: &mut Assembler, register: u8) {
    asm.vector(&Evex::new(VPXORD, Len::X, register, register, Rm::Reg(register)));
}

/// The place of a lane.
fn place(asm: &mut Assembler, access: &LaneAccess, registers: &[u8], lane: u32) -> Mem {
    let base = registers[access.registers as usize];
    let index = &registers[access.index_slot()..];
    let temporary = registers[registers.len() - 1];
    match access.places {
        LanePlaces::Consecutive => {
            // Registers are filled one behind the other.
            Mem::base(base, access.displacement + (lane * access.bits / 8) as i32)
        }
        LanePlaces::Strided(stride) => {
            let distance = i64::from(access.displacement) + i64::from(stride) * i64::from(lane);
            match i32::try_from(distance) {
                Ok(distance) => Mem::base(base, distance),
                Err(_) => {
                    asm.mov_imm(temporary, distance as u64);
                    Mem::Base { base, index: Some(temporary), shift: 0, displacement: 0 }
                }
            }
        }
        LanePlaces::Offsets { first } => {
            let number = first + lane;
            element(asm, false, temporary, index[(number / 4) as usize], number % 4);
            Mem::Base { base, index: Some(temporary), shift: 0, displacement: 0 }
        }
        LanePlaces::Pairs => {
            element(asm, false, temporary, index[0], 2 * lane);
            Mem::Base { base, index: Some(temporary), shift: 0, displacement: 0 }
        }
        LanePlaces::Addresses => {
            element(asm, true, temporary, index[(lane / 2) as usize], lane % 2);
            Mem::Base { base, index: Some(temporary), shift: 0, displacement: 0 }
        }
    }
}

/// An element of 32 or 64 bits in a general register, zero-extended.
fn element(asm: &mut Assembler, quads: bool, to: Gpr, vector: u8, number: u32) {
    let inst = match (quads, number) {
        (false, 0) => plain(VMOVD_FROM, vector, Rm::Reg(to)),
        (true, 0) => plain(VMOVQ_FROM, vector, Rm::Reg(to)),
        (false, _) => Evex { imm: Some(number as u8), ..plain(VPEXTRD, vector, Rm::Reg(to)) },
        (true, _) => Evex { imm: Some(number as u8), ..plain(VPEXTRQ, vector, Rm::Reg(to)) },
    };
    asm.vector(&inst);
}

impl SomeLanes {
    /// Emits it.
    pub(super) fn emit(&self, asm: &mut Assembler) {
        let SomeLanes { access, registers, start, end } = self;
        let count = access.registers as usize;
        let values = &registers[..count];
        let masks = &registers[count + 2..][..access.mask_count as usize];
        let temporary = registers[registers.len() - 1];
        asm.bind(*start);
        if !access.is_store {
            values.iter().for_each(|&value| zero(asm, value));
        }
        for number in 0..access.lanes * access.registers {
            let (value, within) = (values[(number / access.lanes) as usize], number % access.lanes);
            let next = asm.label();
            let in_mask = access.first_in_mask + number;
            element(asm, false, temporary, masks[(in_mask / 4) as usize], in_mask % 4);
            asm.test(Size::S32, temporary, temporary);
            asm.jump_if(Condition::Equal, next);
            let mem = place(asm, access, registers, number);
            lane(asm, access, value, within, mem, false);
            asm.bind(next);
        }
        asm.jump(*end);
    }
}
