//! Population counts, leading and trailing zeros, and bit reversal of all lanes.

use super::vector::{Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::*;
use crate::asm::{Len, VOp};
use pyro_ir::{Opcode, Scalar};
use regalloc2::VReg;

impl Selector<'_> {
    /// `op` is one of the four operations that look at single bits.
    pub(super) fn bit_operation(&mut self, op: Opcode, scalar: Scalar, from: Registers) -> Registers {
        let pieces = self.tiling(scalar);
        let bits = scalar.bits();
        match op {
            Opcode::PopCount => self.each(pieces, |this, piece| this.ones(scalar, pieces.len, from[piece])),
            Opcode::CountLeadingZeros if bits < 32 => {
                let wide = self.extend(from, scalar, Scalar::I32, false);
                let zeros = self.bit_operation(op, Scalar::I32, wide);
                let pieces = self.tiling(Scalar::I32);
                let less = self.each(pieces, |this, piece| {
                    let above = this.constant_source(Scalar::I32, (32 - bits).into(), VPSUBD);
                    this.v2(VPSUBD, pieces.len, zeros[piece], above)
                });
                self.truncate(less, Scalar::I32, scalar)
            }
            Opcode::CountLeadingZeros => {
                let op = if bits == 32 { VPLZCNTD } else { VPLZCNTQ };
                self.each(pieces, |this, piece| this.v1(op, pieces.len, from[piece]))
            }
            Opcode::CountTrailingZeros => {
                // The ones of !a & (a - 1) are the zeros below the lowest one.
                let add = match bits {
                    8 => VPADDB,
                    16 => VPADDW,
                    32 => VPADDD,
                    _ => VPADDQ,
                };
                let and_not = if bits == 64 { VPANDNQ } else { VPANDND };
                self.each(pieces, |this, piece| {
                    let minus_one = this.constant_source(scalar, scalar.mask(), add);
                    let less = this.v2(add, pieces.len, from[piece], minus_one);
                    let below = this.v2(and_not, pieces.len, from[piece], less);
                    this.ones(scalar, pieces.len, below)
                })
            }
            _ => self.each(pieces, |this, piece| this.reversed_bits(scalar, pieces.len, from[piece])),
        }
    }

    /// The number of ones in each lane.
    fn ones(&mut self, scalar: Scalar, len: Len, from: VReg) -> VReg {
        let bits = scalar.bits();
        if self.features.popcount(bits) {
            let op = match bits {
                8 => VPOPCNTB,
                16 => VPOPCNTW,
                32 => VPOPCNTD,
                _ => VPOPCNTQ,
            };
            return self.v1(op, len, from);
        }
        let count = |nibble: u8| nibble.count_ones() as u8;
        let bytes = self.by_nibbles(len, from, [&count, &count], VPADDB);
        if bits == 8 {
            return bytes;
        }
        if bits == 64 {
            let zero = self.zero();
            return self.v2(VPSADBW, len, bytes, zero);
        }
        let one = self.constant_source(Scalar::I8, 1, VPMADDUBSW);
        let words = self.v2(VPMADDUBSW, len, bytes, one);
        if bits == 16 {
            return words;
        }
        let one = self.constant_source(Scalar::I16, 1, VPMADDWD);
        self.v2(VPMADDWD, len, words, one)
    }

    /// The bits of each lane in reverse order: those within bytes by a transformation, the bytes by a
    /// shuffle.
    fn reversed_bits(&mut self, scalar: Scalar, len: Len, from: VReg) -> VReg {
        let reversed = if self.features.gfni {
            let matrix = self.asm.constant(&0x8040_2010_0804_0201u64.to_le_bytes());
            self.vector(Spec::binary(VGF2P8AFFINEQB, len, from, Source::Broadcast(matrix)).imm(0))
        } else {
            let low = |nibble: u8| nibble.reverse_bits();
            let high = |nibble: u8| nibble.reverse_bits() >> 4;
            self.by_nibbles(len, from, [&low, &high], VPORD)
        };
        let bytes = scalar.bytes() as u8;
        if bytes == 1 {
            return reversed;
        }
        let order: Vec<u8> =
            (0..64u8).map(|byte| (byte & 15) / bytes * bytes + (bytes - 1 - byte % bytes)).collect();
        let order = self.pool_vector(&order);
        self.v2(VPSHUFB, len, reversed, order)
    }

    /// `op(low(byte & 15), high(byte >> 4))` for each byte, by tables.
    fn by_nibbles(&mut self, len: Len, from: VReg, tables: [&dyn Fn(u8) -> u8; 2], op: VOp) -> VReg {
        let mut halves = [from, self.shift_imm(VPSHIFT_D_IMM, 2, len, from, 4)];
        for (half, table) in halves.iter_mut().zip(tables) {
            let mask = self.constant_source(Scalar::I8, 15, VPANDD);
            let index = self.v2(VPANDD, len, *half, mask);
            let bytes: Vec<u8> = (0..64).map(|index| table(index & 15)).collect();
            let table = self.pool_vector(&bytes);
            let table = self.v1(VMOVUPS, len, table);
            *half = self.v2(VPSHUFB, len, table, index);
        }
        self.v2(op, len, halves[0], halves[1])
    }
}
