//! Fused multiplications and additions of singles, which there are no instructions for: sums in double, and
//! the question which of them need care (see `machine::fused`).
//!
//! * The double nearest to the sum rounds to the right single unless it is half-way between two of them. In
//!   the range of normal singles the bits that a single lacks say so.
//! * Among denormals they do not. There, what is added must be a number below [`SMALL`] itself: the product
//!   has 48 bits, so where it is not small beside the sum, the sum is exact; and zero adds nothing.
//!
//! Both are asked once for several sums: the least of numbers that are the least one there is where a lane is
//! suspect. What several sums have in common (a number as double, a product) is made once, as long as it is
//! among the last ones.

use super::integer::{HIGH_HALF, LEFT};
use super::{Rewriter, Source};
use crate::asm::Constant;
use crate::asm::op::*;
use crate::machine::fused::{self, FusedCheck, SUMS_MAX, Signs};
use crate::machine::inst::GENERAL;
use crate::machine::{Kind, Operands};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, VReg};
use smallvec::SmallVec;

/// Numbers as double and products that are kept for what follows.
const DOUBLES_KEPT: usize = 2 * SUMS_MAX;
const PRODUCTS_KEPT: usize = SUMS_MAX;

/// The bits of a word that a double has and a single lacks less than it has: shifted out, they leave those,
/// which are [`HALF_WAY`] between two singles.
const HAS: u32 = 3;
const HALF_WAY: u32 = 1 << 31;

/// The bits of 2^-125.
const SMALL: u32 = 2 << 23;
/// Makes the shifted bits of a single, less one, a signed number in the order of unsigned ones. That of zero
/// is the greatest.
const ORDER: u32 = i32::MAX as u32;
/// That number of [`SMALL`].
const SMALL_IN_ORDER: u32 = (SMALL << 1).wrapping_add(ORDER);

/// `shufps`'s for the low words of four doubles.
const LOW_WORDS: u8 = 0x88;

/// `to = a * b + c`.
#[derive(Clone, Copy)]
struct Sum {
    to: VReg,
    signs: Signs,
    a: VReg,
    b: VReg,
    c: VReg,
}

/// Sums to be made, and what is known of earlier ones in this block.
#[derive(Default)]
pub(super) struct State {
    pending: SmallVec<[Sum; SUMS_MAX]>,
    doubles: Vec<(VReg, [VReg; 2])>,
    products: Vec<([VReg; 2], [VReg; 2])>,
}

impl State {
    pub(super) fn start_block(&mut self) {
        self.doubles.clear();
        self.products.clear();
    }
}

/// What several sums have least of.
#[derive(Default)]
struct Least {
    /// The bits of the double that the single lacks.
    lacking: Option<VReg>,
    /// What is added, in an order in which zero is the greatest; and of which it has been asked.
    size: Option<VReg>,
    sizes_of: SmallVec<[VReg; SUMS_MAX]>,
}

/// Appends, and forgets the oldest of more than `most`.
fn keep<T>(list: &mut Vec<T>, element: T, most: usize) {
    if list.len() == most {
        list.remove(0);
    }
    list.push(element);
}

impl Rewriter<'_> {
    /// `to = a * b + c` of four singles, rounded once; made with what follows, by [`Rewriter::finish_sums`].
    pub(super) fn fused(&mut self, to: VReg, signs: Signs, a: VReg, b: VReg, c: VReg) {
        let is_pending = |value: VReg| self.sums.pending.iter().any(|sum| sum.to == value);
        if self.sums.pending.len() == SUMS_MAX || [a, b, c].into_iter().any(is_pending) {
            self.finish_sums();
        }
        self.sums.pending.push(Sum { to, signs, a, b, c });
    }

    /// Makes the sums that were asked for.
    pub(super) fn finish_sums(&mut self) {
        let sums = std::mem::take(&mut self.sums.pending);
        if sums.is_empty() {
            return;
        }
        let mut least = Least::default();
        let rounded: SmallVec<[VReg; SUMS_MAX]> =
            sums.iter().map(|sum| self.rounded_sum(sum, &mut least)).collect();
        let half_way = self.pool_all(32, HALF_WAY.into());
        let mut suspects = self.two_new(VPCMPEQD, least.lacking.expect("there is a sum"), half_way);
        if let Some(least) = least.size {
            let small = self.pool_all(32, SMALL_IN_ORDER.into());
            let small = self.one_new(VMOVAPS, small);
            let small = self.two_new(VPCMPGTD, small, least);
            suspects = self.two_new(VPORD, suspects, small);
        }
        self.check(&sums, &rounded, suspects);
    }

    /// The sum, rounded twice. What says whether it is suspect is added to `least`.
    fn rounded_sum(&mut self, sum: &Sum, least: &mut Least) -> VReg {
        let product = self.product(sum.a, sum.b);
        let addend = self.doubles(sum.c);
        let [low, high] = [0, 1].map(|half| {
            let (product, addend) = (product[half], addend[half]);
            match (sum.signs.minus_product, sum.signs.minus_addend) {
                (false, false) => self.two_new(VADDPD, product, addend),
                (false, true) => self.two_new(VSUBPD, product, addend),
                (true, false) => {
                    let addend = self.loaded(addend);
                    self.two_new(VSUBPD, addend, product)
                }
                (true, true) => {
                    let sign = self.pool_all(64, 1 << 63);
                    let product = self.two_new(VPXORD, product, sign);
                    self.two_new(VSUBPD, product, addend)
                }
            }
        });
        let [low_singles, high_singles] = [low, high].map(|half| self.one_new(VCVTPD2PS, half));
        let rounded = self.two_new(VPUNPCKLQDQ, low_singles, high_singles);
        let lacking = self.two_imm_new(VSHUFPS, low, high, LOW_WORDS);
        let lacking = self.shift_new(VPSHIFT_D_IMM, LEFT, lacking, HAS);
        least.lacking = Some(self.lesser(least.lacking, lacking));
        if !least.sizes_of.contains(&sum.c) && !self.is_known_not_small(sum.c) {
            least.sizes_of.push(sum.c);
            let twice = self.two_new(VPADDD, sum.c, sum.c);
            let order = self.pool_all(32, ORDER.into());
            let size = self.two_new(VPADDD, twice, order);
            least.size = Some(self.lesser(least.size, size));
        }
        rounded
    }

    /// The lesser of signed words.
    fn lesser(&mut self, others: Option<VReg>, words: VReg) -> VReg {
        match others {
            None => words,
            Some(others) => self.two_new(VPMINSD, others, words),
        }
    }

    /// The instruction that corrects results of suspects.
    fn check(&mut self, sums: &[Sum], rounded: &[VReg], suspects: VReg) {
        let count = sums.len();
        let frame = self.sums_frame();
        let mut check = FusedCheck { signs: SmallVec::new(), constants: SmallVec::new(), frame };
        let mut operands = Operands::new();
        for (number, sum) in sums.iter().enumerate() {
            operands.push(Operand::reg_reuse_def(sum.to, count + number));
            check.signs.push(sum.signs);
        }
        operands.extend(rounded.iter().map(|&register| Operand::reg_use(register)));
        operands.push(Operand::reg_use(suspects));
        for value in sums.iter().flat_map(|sum| [sum.a, sum.b, sum.c]) {
            let constant = self.constants.get(&value).copied();
            check.constants.push(constant);
            if constant.is_none() {
                let anywhere = OperandConstraint::Any;
                operands.push(Operand::new(value, anywhere, OperandKind::Use, OperandPos::Late));
            }
        }
        operands.push(Operand::reg_temp(self.new.vreg(GENERAL)));
        self.new.push(Kind::FusedCheck(Box::new(check)), &operands, self.loc);
    }

    /// Room for the code behind the function: the same for all, since none runs while another does.
    fn sums_frame(&mut self) -> i32 {
        let frame = self.temporary_bytes.next_multiple_of(64);
        self.new.frame_bytes = self.new.frame_bytes.max(frame + fused::FRAME_BYTES);
        frame as i32
    }

    /// The words of a constant.
    fn constant_singles(&self, constant: Constant) -> [f32; 4] {
        let bytes = self.asm.constant_bytes(constant, 16);
        std::array::from_fn(|lane| {
            let word = &bytes[4 * lane..4 * lane + 4];
            f32::from_le_bytes([word[0], word[1], word[2], word[3]])
        })
    }

    fn is_known_not_small(&self, value: VReg) -> bool {
        self.constants.get(&value).is_some_and(|&constant| {
            let is_small = |single: &f32| *single != 0.0 && single.abs() < f32::from_bits(SMALL);
            !self.constant_singles(constant).iter().any(is_small)
        })
    }

    /// A number as doubles: two lanes, and two.
    fn doubles(&mut self, value: VReg) -> [Source; 2] {
        if let Some(&constant) = self.constants.get(&value) {
            let singles = self.constant_singles(constant);
            return [[singles[0], singles[1]], [singles[2], singles[3]]].map(|half| {
                let [first, second] = half.map(|single| f64::from(single).to_le_bytes());
                self.asm.constant(&[first, second].concat()).into()
            });
        }
        let known = self.sums.doubles.iter().position(|(known, _)| *known == value);
        let halves = match known {
            Some(position) => self.sums.doubles.remove(position).1,
            None => {
                let low = self.one_new(VCVTPS2PD, value);
                match self.is_same_in_all.contains(&value) {
                    true => [low, low],
                    false => {
                        let high = self.one_imm_new(VPSHUFD, value, HIGH_HALF);
                        [low, self.one_new(VCVTPS2PD, high)]
                    }
                }
            }
        };
        // The last that was used goes last.
        keep(&mut self.sums.doubles, (value, halves), DOUBLES_KEPT);
        halves.map(Source::Register)
    }

    fn product(&mut self, a: VReg, b: VReg) -> [VReg; 2] {
        let factors = [a.min(b), a.max(b)];
        if let Some(&(_, product)) = self.sums.products.iter().find(|(known, _)| *known == factors) {
            return product;
        }
        // A constant comes second.
        let (a, b) = if self.constants.contains_key(&a) { (b, a) } else { (a, b) };
        let (first, second) = (self.doubles(a), self.doubles(b));
        let product = [0, 1].map(|half| {
            let first = self.loaded(first[half]);
            self.two_new(VMULPD, first, second[half])
        });
        keep(&mut self.sums.products, (factors, product), PRODUCTS_KEPT);
        product
    }

    fn loaded(&mut self, source: Source) -> VReg {
        match source {
            Source::Register(register) => register,
            Source::Constant(constant) => self.one_new(VMOVAPS, constant),
        }
    }
}
