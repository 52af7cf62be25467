//! What SSE4.1 does in ways of its own, or not at all: everything else is asked of NEON's instructions, which
//! [`crate::sse`] rewrites.

use super::Lanes;
use crate::asm::op::*;
use crate::asm::{Alu, Condition, Len, Shift, Size, VOp};
use crate::cpu::Level;
use crate::machine::fused::Signs;
use crate::machine::inst::{GENERAL, RmSlot, VECTOR};
use crate::machine::{Kind, NONE, Operands, Vector};
use crate::neon::op;
use crate::select::Selector;
use crate::select::vector::Spec;
use pyro_ir::{InstData, Opcode, Scalar, Signature, Type, Value};
use regalloc2::{Operand, VReg};

/// `pshufd`'s immediate that leaves all where it is.
const IN_ORDER: u8 = 0b11_10_01_00;

impl Selector<'_> {
    /// Whether code is for SSE4.1.
    pub(super) fn is_sse(&self) -> bool {
        self.features.level == Level::Sse41
    }

    /// Whether the runtime computes an operation on varying values, lane by lane.
    pub(super) fn sse_lacks(&self, data: &InstData, from: Scalar, to: Scalar) -> bool {
        use Signature as S;
        match data.op.signature() {
            S::FloatTernary => to == Scalar::F64,
            S::IntBinary | S::BitBinary if matches!(data.op, Opcode::Shl | Opcode::LShr | Opcode::AShr) => {
                to.bits() < 32 || (to.bits() == 64 && data.op == Opcode::AShr)
            }
            S::FloatToInt => from == Scalar::F64 || to == Scalar::I64,
            S::FloatToFloat => (from, to) == (Scalar::F64, Scalar::F16),
            S::IntToFloat => {
                (from == Scalar::I64 && to != Scalar::F64) || (from == Scalar::I32 && to == Scalar::F16)
            }
            _ => false,
        }
    }

    /// An instruction of two operands, the first in the result's register.
    fn sse2(&mut self, op: VOp, a: VReg, b: VReg) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, Some(a), b, None);
        to
    }

    fn sse_imm(&mut self, op: VOp, a: VReg, b: VReg, imm: u8) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, Some(a), b, Some(imm));
        to
    }

    fn sse1(&mut self, op: VOp, a: VReg) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, None, a, None);
        to
    }

    fn sse1_imm(&mut self, op: VOp, a: VReg, imm: u8) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, None, a, Some(imm));
        to
    }

    fn sse_vector(&mut self, op: VOp, to: VReg, first: Option<VReg>, second: VReg, imm: Option<u8>) {
        let mut operands = Operands::new();
        operands.push(if first.is_some() { Operand::reg_reuse_def(to, 1) } else { Operand::reg_def(to) });
        operands.extend(first.map(Operand::reg_use));
        operands.push(Operand::reg_use(second));
        let rm = RmSlot::Reg(operands.len() as u8 - 1);
        let vvvv = if first.is_some() { 1 } else { NONE };
        self.push(Kind::Vector(Vector { imm, ..Vector::new(op, Len::X, 0, vvvv, rm) }), &operands);
    }

    /// `a * b + c` of singles.
    pub(super) fn sse_fused(&mut self, signs: Signs, c: VReg, a: VReg, b: VReg) -> VReg {
        let to = self.code.vreg(VECTOR);
        let operands = [Operand::reg_def(to), Operand::reg_use(c), Operand::reg_use(a), Operand::reg_use(b)];
        self.push(Kind::Fused(signs), &operands);
        to
    }

    /// Signs of the lanes, in a general register.
    fn signs(&mut self, op: VOp, value: VReg) -> VReg {
        self.vector(Spec::unary(op, Len::X, value).class(GENERAL))
    }

    /// 1 if a lane of the mask, joined from its registers, is set, else 0.
    pub(super) fn sse_any(&mut self, joined: VReg) -> VReg {
        let signs = self.signs(VMOVMSKPS, joined);
        self.unary_to(Kind::CompareImm(Condition::NotEqual, Size::S32, 0), signs)
    }

    /// 1 if all four lanes are set, else 0.
    pub(super) fn sse_all(&mut self, joined: VReg) -> VReg {
        let signs = self.signs(VMOVMSKPS, joined);
        self.unary_to(Kind::CompareImm(Condition::Equal, Size::S32, 15), signs)
    }

    /// A bit for each lane.
    pub(super) fn sse_ballot(&mut self, mask: &[VReg]) -> VReg {
        if let &[only] = mask {
            return match self.lanes {
                4 => self.signs(VMOVMSKPS, only),
                lanes => {
                    let signs = self.signs(VMOVMSKPS, only);
                    self.alu_imm(Alu::And, Size::S32, signs, (1 << lanes) - 1)
                }
            };
        }
        let mut narrow: Lanes = mask.into();
        for op in [VPACKSSDW, VPACKSSWB] {
            narrow = narrow
                .chunks(2)
                .map(|pair| self.sse2(op, pair[0], *pair.last().expect("not empty")))
                .collect();
        }
        let mut bits = self.signs(VPMOVMSKB, narrow[0]);
        if self.lanes < 16 {
            return self.alu_imm(Alu::And, Size::S32, bits, (1 << self.lanes) - 1);
        }
        for (register, index) in narrow[1..].iter().copied().zip(1u8..) {
            let more = self.signs(VPMOVMSKB, register);
            let more = self.unary_tied(Kind::ShiftImm(Shift::Shl, Size::S64, 16 * index), more);
            bits = self.alu(Alu::Or, Size::S64, bits, more);
        }
        bits
    }

    /// Shifts by counts of each lane, of 32 or 64 bits, that are less than the width.
    pub(super) fn sse_shifts(&mut self, op: Opcode, bits: u32, a: &[VReg], counts: &[VReg]) -> Lanes {
        a.iter()
            .zip(counts)
            .map(|(&a, &count)| match (op, bits) {
                (Opcode::Shl, 32) => self.shift_words_left(a, count),
                (_, 32) => {
                    self.shift_words(if op == Opcode::AShr { VPSRAD_COUNT } else { VPSRLD_COUNT }, a, count)
                }
                _ => {
                    let op = if op == Opcode::Shl { VPSLLQ_COUNT } else { VPSRLQ_COUNT };
                    let second = self.v(op::DUP.lane(64, 1), &[count]);
                    let (low, high) = (self.sse2(op, a, count), self.sse2(op, a, second));
                    self.sse_imm(VPBLENDW, low, high, 0xf0)
                }
            })
            .collect()
    }

    /// By a product with a power of two, which is a float with the count as exponent. Of 2^31, which is none
    /// of the signed numbers, the conversion gives the bits that are wanted.
    fn shift_words_left(&mut self, a: VReg, count: VReg) -> VReg {
        let exponent = self.v(op::SHL.shift(32, 23), &[count]);
        let one = self.neon_constant(Scalar::F32, 1f32.to_bits().into());
        let power = self.v(op::ADD.of(32), &[exponent, one]);
        let power = self.sse1(VCVTTPS2DQ, power);
        self.v(op::MUL.of(32), &[a, power])
    }

    /// All lanes by the count of each, of which one lane is taken.
    fn shift_words(&mut self, op: VOp, a: VReg, count: VReg) -> VReg {
        let high = self.v(op::DUP.lane(64, 1), &[count]);
        let mut shifted = Lanes::new();
        for pair in [count, high] {
            let even = self.v(op::USHLL.shift(32, 0), &[pair]);
            let odd = self.v(op::USHR.shift(64, 32), &[pair]);
            shifted.push(self.sse2(op, a, even));
            shifted.push(self.sse2(op, a, odd));
        }
        let low = self.sse_imm(VPBLENDW, shifted[0], shifted[1], 0x0c);
        let high = self.sse_imm(VPBLENDW, shifted[2], shifted[3], 0xc0);
        self.sse_imm(VPBLENDW, low, high, 0xf0)
    }

    /// Zero bits above the highest one: the ones of what is left when all below it are set.
    pub(super) fn sse_leading_zeros(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        let mut filled: Lanes = value.into();
        let mut distance = 1;
        while distance < bits {
            let shifted = self.each_lane(op::USHR.shift(bits, distance), &filled);
            filled = self.each_pair(op::ORR.one(), &filled, &shifted);
            distance *= 2;
        }
        let above = self.each_lane(op::NOT.one(), &filled);
        self.integer_lanes(Opcode::PopCount, bits, &above)
    }

    /// Zero bits below the lowest one.
    pub(super) fn sse_trailing_zeros(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        let minus_one = self.neon_constant(Scalar::I8, 0xff);
        let less: Lanes = value.iter().map(|&value| self.v(op::ADD.of(bits), &[value, minus_one])).collect();
        let below = self.each_pair(op::BIC.one(), &less, value);
        self.integer_lanes(Opcode::PopCount, bits, &below)
    }

    /// What a conversion of a half to single converts where that was a single before: both are one rounding
    /// then.
    pub(in crate::select) fn rounded_to_half(&self, data: &InstData) -> Option<Value> {
        let converts = |data: &InstData, from: Scalar, to: Scalar| {
            let result = data.result.expand().map(|result| self.ty(result));
            data.op == Opcode::FConvert
                && self.ty(data.args[0]) == Type::varying(from)
                && result == Some(Type::varying(to))
        };
        if !self.is_sse() || !converts(data, Scalar::F16, Scalar::F32) {
            return None;
        }
        let half = self.def(data.args[0])?;
        (half.imm == 0 && converts(half, Scalar::F32, Scalar::F16)).then(|| half.args[0])
    }

    /// Singles rounded to the nearest that are halves, to even where two are.
    pub(super) fn sse_round_to_half(&mut self, value: &[VReg]) -> Lanes {
        // A number plus this many times its power of two has the last bit of a half as its own last one; and
        // so it has less than the sum of two such numbers, with a sign or without.
        let scale = self.neon_constant(Scalar::F32, (1.5 * 2f32.powi(13)).to_bits().into());
        let [exponent, least, most, up, down, kept, sign] = [
            f32::INFINITY.to_bits(),
            // The powers of two of denormal halves, and of the greatest.
            2f32.powi(-14).to_bits(),
            2f32.powi(15).to_bits(),
            // What makes 2^16 infinite, and back.
            2f32.powi(112).to_bits(),
            2f32.powi(-112).to_bits(),
            // Of NaN.
            0xffff_e000,
            1 << 31,
        ]
        .map(|bits| self.neon_constant(Scalar::I32, bits.into()));
        value
            .iter()
            .map(|&value| {
                let power = self.v(op::AND.one(), &[value, exponent]);
                let power = self.sse2(VMAXPS, power, least);
                let power = self.sse2(VMINPS, power, most);
                let scaled = self.v(op::FMUL.of(32), &[power, scale]);
                let sum = self.v(op::FADD.of(32), &[value, scaled]);
                let rounded = self.v(op::FSUB.of(32), &[sum, scaled]);
                let rounded = self.v(op::FMUL.of(32), &[rounded, up]);
                let rounded = self.v(op::FMUL.of(32), &[rounded, down]);
                let rounded = self.v(op::AND.one(), &[rounded, kept]);
                // Of zero, too.
                let sign = self.v(op::AND.one(), &[value, sign]);
                self.v(op::ORR.one(), &[rounded, sign])
            })
            .collect()
    }

    /// `a * b + c` of halves, in singles: the product is exact, and the sum is rounded to odd, which single
    /// has bits enough for.
    pub(super) fn sse_fused_halves(&mut self, args: &[Lanes]) -> Lanes {
        let wide: Vec<Lanes> = args.iter().map(|arg| self.half_to_float(arg)).collect();
        let zero = self.neon_constant(Scalar::I32, 0);
        let factors = wide[0].iter().zip(&wide[1]);
        let sums: Lanes = factors
            .zip(&wide[2])
            .map(|((&a, &b), &c)| {
                let product = self.v(op::FMUL.of(32), &[a, b]);
                let sum = self.v(op::FADD.of(32), &[product, c]);
                // What the sum lacks, exactly (Knuth's sum of two).
                let second = self.v(op::FSUB.of(32), &[sum, product]);
                let first = self.v(op::FSUB.of(32), &[sum, second]);
                let first = self.v(op::FSUB.of(32), &[product, first]);
                let second = self.v(op::FSUB.of(32), &[c, second]);
                let rest = self.v(op::FADD.of(32), &[first, second]);
                let size = self.v(op::FABS.of(32), &[rest]);
                // NaN, where the sum is not finite, is not greater.
                let inexact = self.v(op::FCMGT.of(32), &[size, zero]);
                // Where the signs differ, the sum is further from zero than what is exact.
                let away = self.v(op::EOR.one(), &[rest, sum]);
                let away = self.v(op::SSHR.shift(32, 31), &[away]);
                let away = self.v(op::AND.one(), &[away, inexact]);
                let sum = self.v(op::ADD.of(32), &[sum, away]);
                let odd = self.v(op::USHR.shift(32, 31), &[inexact]);
                self.v(op::ORR.one(), &[sum, odd])
            })
            .collect();
        self.float_to_half(&sums)
    }

    /// Sums of products of bytes or halves, where there are instructions for elements of so many bits.
    pub(super) fn sse_dot(&mut self, op: Opcode, bits: u32, a: &[VReg], b: &[VReg]) -> Option<Lanes> {
        let pairs = a.iter().zip(b);
        match op {
            Opcode::DotBytes if bits >= 16 => {
                Some(pairs.map(|(&a, &b)| self.sse2(VPMADDUBSW, a, b)).collect())
            }
            Opcode::DotHalves if bits >= 32 => {
                Some(pairs.map(|(&a, &b)| self.sse2(VPMADDWD, a, b)).collect())
            }
            Opcode::DotFourBytes if bits >= 32 => {
                Some(pairs.map(|(&a, &b)| self.sse_dot_four_bytes(a, b)).collect())
            }
            _ => None,
        }
    }

    /// As halves, whose products do not saturate: the even bytes and the odd ones.
    fn sse_dot_four_bytes(&mut self, a: VReg, b: VReg) -> VReg {
        let low = self.neon_constant(Scalar::I16, 0xff);
        let even = self.v(op::AND.one(), &[a, low]);
        let signed = self.v(op::SHL.shift(16, 8), &[b]);
        let signed = self.v(op::SSHR.shift(16, 8), &[signed]);
        let even = self.sse2(VPMADDWD, even, signed);
        let odd = self.v(op::USHR.shift(16, 8), &[a]);
        let signed = self.v(op::SSHR.shift(16, 8), &[b]);
        let odd = self.sse2(VPMADDWD, odd, signed);
        self.v(op::ADD.of(32), &[even, odd])
    }

    /// Words of registers of four, those of all counted through: for each lane the one of a known number.
    pub(super) fn sse_shuffle(&mut self, values: &[VReg], from: impl Fn(u32) -> u32) -> Lanes {
        (0..values.len() as u32)
            .map(|register| {
                // Lanes past the subgroup's take what is there.
                let of = |lane: u32| match register * 4 + lane {
                    lane if lane < self.lanes => from(lane),
                    lane => lane,
                };
                self.gathered_words(values, std::array::from_fn(|lane| of(lane as u32)))
            })
            .collect()
    }

    /// A register with four words of others.
    fn gathered_words(&mut self, values: &[VReg], from: [u32; 4]) -> VReg {
        let source = |lane: usize| values[(from[lane] / 4) as usize];
        let order = |lanes: [usize; 4]| {
            (0..).zip(lanes).fold(0, |order, (at, lane)| order | (from[lane] as u8 % 4) << (2 * at))
        };
        let all = order([0, 1, 2, 3]);
        if source(0) == source(1) && source(2) == source(3) {
            return match source(0) == source(2) {
                true if all == IN_ORDER => source(0),
                true => self.sse1_imm(VPSHUFD, source(0), all),
                false => self.sse_imm(VSHUFPS, source(0), source(2), all),
            };
        }
        if source(0) == source(2) && source(1) == source(3) {
            let words = [0, 1, 2, 3].map(|lane: usize| from[lane] % 4);
            match words {
                [0, 0, 1, 1] => return self.sse2(VPUNPCKLDQ, source(0), source(1)),
                [2, 2, 3, 3] => return self.sse2(VPUNPCKHDQ, source(0), source(1)),
                _ => {}
            }
        }
        // Each register's words where they belong, and one register after the other.
        let mut gathered: Option<VReg> = None;
        let mut done = [false; 4];
        for first in 0..4 {
            if done[first] {
                continue;
            }
            let (mut order, mut halves) = (0, 0);
            for lane in 0..4 {
                let is_here = source(lane) == source(first);
                let word = if is_here { from[lane] as u8 % 4 } else { lane as u8 };
                order |= word << (2 * lane);
                if is_here {
                    done[lane] = true;
                    halves |= 3 << (2 * lane);
                }
            }
            let moved = match order {
                IN_ORDER => source(first),
                _ => self.sse1_imm(VPSHUFD, source(first), order),
            };
            gathered = Some(match gathered {
                None => moved,
                Some(others) => self.sse_imm(VPBLENDW, others, moved, halves),
            });
        }
        gathered.expect("has lanes")
    }

    /// `a < b ? a : b`, which is what the instruction does, or the greater one.
    pub(super) fn sse_min_max(&mut self, op: Opcode, scalar: Scalar, a: &[VReg], b: &[VReg]) -> Lanes {
        let op = match (op, scalar) {
            (Opcode::FMin, Scalar::F32) => VMINPS,
            (Opcode::FMin, _) => VMINPD,
            (_, Scalar::F32) => VMAXPS,
            (_, _) => VMAXPD,
        };
        a.iter().zip(b).map(|(&a, &b)| self.sse2(op, a, b)).collect()
    }
}
