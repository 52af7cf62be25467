//! Loads and stores of the lanes of one register that are not one plain move: under a mask, or scattered.
//!
//! Problem: NEON has neither masked moves nor gathers.
//!
//! Approach: nearly always all lanes take part. A register that is zero unless all of them do is asked first;
//! then the lanes are moved without questions, as a whole where they are consecutive. Code for some lanes
//! asks for each, and lies behind the function.

use super::asm::{Assembler, Label};
use super::op;

/// Where the lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePlaces {
    /// One behind the other from the base on.
    Consecutive,
    /// At the base plus 32-bit offsets, of which this one is the first lane's in the first register.
    Offsets {
        /// 0 to 3.
        first: u32,
    },
    /// In pairs of 32 bits, which are the lanes here: at the base plus every second of four 32-bit offsets.
    Pairs,
    /// The same number of bytes apart.
    Strided(i32),
    /// At 64-bit addresses plus the base.
    Addresses,
}

/// An access to the lanes of one vector register, or of several where lanes are consecutive.
///
/// Operands: the registers of the value; the base; under a mask, a register that is zero unless all lanes
/// take part, and the registers of the mask; the registers of offsets or addresses. All but the results of a
/// load are used late. For SSE4.1 a general register that may be changed comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneAccess {
    /// A store; else a load, in which lanes that take no part become zero.
    pub is_store: bool,
    /// Bits of an element.
    pub bits: u32,
    /// Registers of the value.
    pub registers: u32,
    /// Lanes of each.
    pub lanes: u32,
    /// Where they lie.
    pub places: LanePlaces,
    /// Added to the addresses of consecutive lanes and those a constant distance apart.
    pub displacement: i32,
    /// Registers of the mask; none: all lanes take part. The first lane's is `first_in_mask` there.
    pub mask_count: u32,
    /// 0 to 3.
    pub first_in_mask: u32,
}

/// The code for some lanes, to be emitted behind the function.
pub(super) struct SomeLanes {
    access: LaneAccess,
    registers: Vec<u8>,
    start: Label,
    end: Label,
}

impl LaneAccess {
    /// Where the registers of offsets or addresses begin among the operands.
    pub(crate) fn index_slot(&self) -> usize {
        let base = self.registers as usize;
        if self.mask_count == 0 { base + 1 } else { base + 2 + self.mask_count as usize }
    }

    /// Bytes of a register's lanes.
    pub(crate) fn bytes(&self) -> u32 {
        self.lanes * self.bits / 8
    }
}

/// Emits the access; what is to be emitted behind the function is given back.
pub(super) fn emit(asm: &mut Assembler, access: LaneAccess, registers: Vec<u8>) -> Option<SomeLanes> {
    let masked = (access.mask_count > 0).then(|| {
        let (start, end) = (asm.label(), asm.label());
        asm.jump_if_zero(32, registers[access.registers as usize + 1], start);
        (start, end)
    });
    match access.places {
        LanePlaces::Consecutive => whole(asm, &access, &registers),
        _ => all(asm, &access, &registers),
    }
    masked.map(|(start, end)| {
        asm.bind(end);
        SomeLanes { access, registers, start, end }
    })
}

/// All lanes of each register as one move.
fn whole(asm: &mut Assembler, access: &LaneAccess, registers: &[u8]) {
    let (values, base) = (&registers[..access.registers as usize], registers[access.registers as usize]);
    for (&value, index) in values.iter().zip(0..) {
        let at = access.displacement + 16 * index;
        move_bytes(asm, access.is_store, access.bytes(), value, base, at);
    }
}

/// 1 to 16 bytes between a vector register and memory; changes `x16` and `x17`.
pub(super) fn move_bytes(asm: &mut Assembler, is_store: bool, bytes: u32, value: u8, base: u8, at: i32) {
    let is_quad = bytes == 16;
    let bits = if is_quad { 8 } else { bytes * 8 };
    let (scaled, unscaled, index) = match (is_store, is_quad) {
        (false, true) => (op::LDR_QUAD, op::LDUR_QUAD, op::LDR_QUAD_INDEX),
        (false, false) => (op::LDR_VECTOR, op::LDUR_VECTOR, op::LDR_VECTOR_INDEX),
        (true, true) => (op::STR_QUAD, op::STUR_QUAD, op::STR_QUAD_INDEX),
        (true, false) => (op::STR_VECTOR, op::STUR_VECTOR, op::STR_VECTOR_INDEX),
    };
    if is_quad && at >= 0 && at % 16 == 0 && at / 16 < 4096 {
        asm.move_quad(is_store, at / 16, value, base);
    } else if at >= 0 && at % bytes as i32 == 0 && at / (bytes as i32) < 4096 {
        asm.put(scaled.imm(bits, at / bytes as i32), &[value, base]);
    } else if (-256..256).contains(&at) {
        asm.put(unscaled.imm(bits, at), &[value, base]);
    } else {
        asm.mov_imm(17, i64::from(at) as u64);
        asm.put(index.of(bits), &[value, base, 17]);
    }
}

/// One lane at the address in `x16`. The first lane of a load clears the others.
fn lane(asm: &mut Assembler, access: &LaneAccess, value: u8, lane: u32, clears: bool) {
    match (access.is_store, clears) {
        (true, _) => asm.put(op::ST1_LANE.lane(access.bits, lane), &[value, 16]),
        (false, true) => asm.put(op::LDR_VECTOR.imm(access.bits, 0), &[value, 16]),
        (false, false) => asm.put(op::LD1_LANE.lane(access.bits, lane), &[value, 16]),
    }
}

/// The address of a lane in `x16`. Of two offsets in one half of a register both are taken at once.
fn address(asm: &mut Assembler, access: &LaneAccess, registers: &[u8], base: u8, lane: u32, alone: bool) {
    let index = &registers[access.index_slot()..];
    match access.places {
        LanePlaces::Consecutive => {
            asm.add_imm(16, base, i64::from(access.displacement) + i64::from(lane * access.bits / 8));
        }
        LanePlaces::Strided(stride) => {
            asm.add_imm(16, base, i64::from(access.displacement) + i64::from(stride) * i64::from(lane));
        }
        LanePlaces::Offsets { first } => {
            let number = first + lane;
            let (register, number) = (index[(number / 4) as usize], number % 4);
            if alone {
                asm.put(op::UMOV.lane(32, number), &[16, register]);
                asm.put(op::ADD_EXTENDED.one(), &[16, base, 16]);
            } else if number % 2 == 0 {
                let op = if number == 0 { op::UMOV_QUAD } else { op::UMOV_QUAD_HIGH };
                asm.put(op.one(), &[17, register]);
                asm.put(op::ADD_EXTENDED.one(), &[16, base, 17]);
            } else {
                asm.put(op::ADD_HIGH.one(), &[16, base, 17]);
            }
        }
        LanePlaces::Pairs => {
            asm.put(op::UMOV.lane(32, 2 * lane), &[16, index[0]]);
            asm.put(op::ADD_EXTENDED.one(), &[16, base, 16]);
        }
        LanePlaces::Addresses => {
            let register = index[(lane / 2) as usize];
            let op = if lane.is_multiple_of(2) { op::UMOV_QUAD } else { op::UMOV_QUAD_HIGH };
            asm.put(op.one(), &[16, register]);
            asm.put(op::ADD_GENERAL.of(64), &[16, base, 16]);
        }
    }
}

/// All lanes, one after the other.
fn all(asm: &mut Assembler, access: &LaneAccess, registers: &[u8]) {
    let (value, base) = (registers[0], registers[1]);
    let alone = matches!(access.places, LanePlaces::Offsets { first } if first % 2 != 0 || access.lanes < 2);
    for number in 0..access.lanes {
        address(asm, access, registers, base, number, alone);
        lane(asm, access, value, number, number == 0);
    }
}

impl SomeLanes {
    /// Emits it.
    pub(super) fn emit(&self, asm: &mut Assembler) {
        let SomeLanes { access, registers, start, end } = self;
        let count = access.registers as usize;
        let (values, base) = (&registers[..count], registers[count]);
        let masks = &registers[count + 2..][..access.mask_count as usize];
        asm.bind(*start);
        if !access.is_store {
            values.iter().for_each(|&value| asm.put(op::MOVI.one(), &[value]));
        }
        for number in 0..access.lanes * access.registers {
            let (value, within) = (values[(number / access.lanes) as usize], number % access.lanes);
            let next = asm.label();
            let in_mask = access.first_in_mask + number;
            asm.put(op::UMOV.lane(32, in_mask % 4), &[16, masks[(in_mask / 4) as usize]]);
            asm.jump_if_zero(32, 16, next);
            address(asm, access, registers, base, number, true);
            lane(asm, access, value, within, false);
            asm.bind(next);
        }
        asm.jump(*end);
    }
}
