//! `precise-operand` (opt-in): a value that must not be contracted depends on a sum that may be, and that
//! comes out different where it is.
//!
//! # Invariant
//! The product is computed again, uncontracted: the shader's own gets no other use, and is fused as without.

use crate::context::Lowerer;
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{Decoration, Op};
use pyro_spirv::{Id, Instruction};
use pyro_util::sanitize::Kind;

/// Bit 0 of a float operation: not contracted.
const UNCONTRACTED: u64 = 1;

impl<'m> Lowerer<'m, '_> {
    /// After an instruction that is decorated `NoContraction`.
    pub(super) fn sanitize_precision(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::PreciseOperand)
            || !facts(inst.op()).is_float_arithmetic
            || !self.has_decoration(inst.result(), Decoration::NoContraction)
        {
            return Ok(());
        }
        for id in inst.id_operands() {
            let Some(sum) = self.module.definition(id) else { continue };
            if !matches!(sum.op(), Op::FAdd | Op::FSub) || !self.may_contract(sum) {
                continue;
            }
            let mut differs = Scalars::new();
            for place in 0..2 {
                let Some(product) = self.module.definition(sum.id(place)) else { continue };
                if product.op() == Op::FMul && self.may_contract(product) {
                    let parts = [product.id(0), product.id(1), sum.id(1 - place)];
                    self.differs_contracted(parts, (sum.op() == Op::FSub, place), &mut differs)?;
                }
            }
            if differs.is_empty() {
                continue;
            }
            let any = self.any_of(differs);
            let name = self.id_text(id);
            let line = self.module.location(sum.index());
            let line = line.map(|location| format!(" (line {})", location.line)).unwrap_or_default();
            let text = format!(
                "a value that is decorated NoContraction depends on {name}{line}, which is not, and which a \
                 fused multiplication and addition changes"
            );
            self.find(inst, Kind::PreciseOperand, any, text, Vec::new())?;
        }
        Ok(())
    }

    /// Where `a * b + c` is another value when it is contracted; of differences, `place` is that of the
    /// product.
    fn differs_contracted(
        &mut self,
        [a, b, c]: [Id; 3],
        (is_difference, place): (bool, usize),
        differs: &mut Scalars,
    ) -> Result {
        let mut parts = Vec::new();
        for id in [a, b, c] {
            let Operand::Data(scalars) = self.operand(id)? else { return Ok(()) };
            parts.push(scalars);
        }
        let is_single = |cx: &Self, value: Value| cx.scalar_type(value) == Scalar::F32;
        for ((&a, &b), &c) in parts[0].iter().zip(&parts[1]).zip(&parts[2]) {
            if !is_single(self, a) || !is_single(self, b) || !is_single(self, c) {
                continue;
            }
            let a = if is_difference && place == 1 { self.b.op(Opcode::FNeg, &[a]) } else { a };
            let c = if is_difference && place == 0 { self.b.op(Opcode::FNeg, &[c]) } else { c };
            let product = self.uncontracted(Opcode::FMul, &[a, b]);
            let sum = self.uncontracted(Opcode::FAdd, &[product, c]);
            let fused = self.b.op(Opcode::FFma, &[a, b, c]);
            let [sum, fused] = [sum, fused].map(|value| self.b.bitcast(value, Scalar::I32));
            differs.push(self.b.op(Opcode::INe, &[sum, fused]));
        }
        Ok(())
    }

    fn uncontracted(&mut self, op: Opcode, args: &[Value]) -> Value {
        self.b.emit(op, args, UNCONTRACTED, Scalar::F32).expect("it has a result")
    }
}
