//! Scalar types by signature, shapes by form, immediates.

use super::{Entity, Verifier};
use crate::function::{Block, Form, Function, InstData, MemoryOp, Space, Terminator, Value};
use crate::opcode::{Effect, Opcode, Signature};
use crate::print::type_text;
use crate::types::{Scalar, Shape, Type};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    for &block in &function.block_order {
        let data = &function.blocks[block];
        let entity = Entity::Block(block);
        for &param in &data.params {
            if function.form == Form::Lane && function.ty(param).is_uniform() {
                verifier.error(entity, format!("{param} is uniform, which lane form does not know"));
            }
        }
        if function.form == Form::Mask && data.merge.is_some() {
            verifier.error(entity, "mask form has no merge information");
        }
        for &inst in &data.insts {
            let checker = InstChecker { function, data: &function.insts[inst] };
            let mut messages = Vec::new();
            checker.check(&mut messages);
            for message in messages {
                verifier.error(Entity::Inst(block, inst), message);
            }
        }
        terminator(verifier, block);
    }
}

fn terminator(verifier: &mut Verifier<'_>, block: Block) {
    let function = verifier.function;
    let entity = Entity::Block(block);
    let terminator = &function.blocks[block].terminator;
    if let Some(operand) = terminator.operand()
        && function.form == Form::Mask
        && function.ty(operand).is_varying()
    {
        verifier.error(entity, format!("{operand} is varying, but decides where the subgroup goes"));
    }
    match terminator {
        Terminator::Branch { condition, .. } if function.ty(*condition).scalar != Scalar::I1 => {
            verifier.error(entity, format!("the condition {condition} is not an i1"));
        }
        Terminator::Switch { selector, cases, .. } => {
            let scalar = function.ty(*selector).scalar;
            if !scalar.is_int() {
                verifier.error(entity, format!("the selector {selector} is not an integer"));
            }
            let mut literals: Vec<u64> = cases.iter().map(|case| case.0).collect();
            literals.sort_unstable();
            if let Some(pair) = literals.windows(2).find(|pair| pair[0] == pair[1]) {
                verifier.error(entity, format!("two cases have the literal {}", pair[0]));
            }
            if literals.last().is_some_and(|literal| literal & !scalar.mask() != 0) {
                verifier.error(entity, format!("a literal does not fit {}", scalar.name()));
            }
        }
        Terminator::Return(code) if function.form == Form::Lane && *code != 0 => {
            verifier.error(entity, "lane form returns 0");
        }
        _ => {}
    }
    for call in terminator.targets() {
        for (&arg, &param) in call.args.iter().zip(&function.blocks[call.block].params) {
            let (given, wanted) = (function.ty(arg), function.ty(param));
            if given != wanted {
                let [given, wanted] = [given, wanted].map(|ty| type_text(function.form, ty));
                verifier
                    .error(entity, format!("{arg} is {given}, but {param} of {} is {wanted}", call.block));
            }
        }
    }
}

/// One instruction, whose operands and result exist.
struct InstChecker<'f> {
    function: &'f Function,
    data: &'f InstData,
}

impl InstChecker<'_> {
    fn arg(&self, index: usize) -> Type {
        self.function.ty(self.data.args[index])
    }

    fn result(&self) -> Option<Type> {
        self.data.result.expand().map(|value| self.function.ty(value))
    }

    fn check(&self, out: &mut Vec<String>) {
        let before = out.len();
        self.scalars(out);
        self.report(out);
        self.immediate(out);
        match self.function.form {
            Form::Lane => self.lane_form(out),
            // Shapes of operands with wrong types would only repeat the complaint.
            Form::Mask if out.len() == before => self.shapes(out),
            Form::Mask => {}
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each signature")]
    fn scalars(&self, out: &mut Vec<String>) {
        use Signature as S;
        let any = |_: Scalar| true;
        let int = |scalar: Scalar| scalar.is_int();
        let bits = |scalar: Scalar| scalar.is_int() || scalar == Scalar::I1;
        let float = |scalar: Scalar| scalar.is_float();
        let memory = |scalar: Scalar| scalar != Scalar::I1;
        let signature = self.data.op.signature();
        let arg = |index: usize| self.arg(index).scalar;
        let result = self.result().map_or(Scalar::I1, |ty| ty.scalar);
        // All of one type, which is as wanted.
        let mut same = |what: &[Scalar], holds: &dyn Fn(Scalar) -> bool, wanted: &str| {
            if !what.iter().all(|&scalar| scalar == what[0]) {
                out.push("the types differ".to_owned());
            } else if !holds(what[0]) {
                out.push(format!("{} where {wanted} is expected", what[0].name()));
            }
        };
        match signature {
            S::Const => {}
            S::Arg | S::Clock => same(&[result, Scalar::I64], &any, ""),
            S::LaneId => same(&[result, Scalar::I32], &any, ""),
            S::Active => same(&[result, Scalar::I1], &any, ""),
            S::IntUnary => same(&[arg(0), result], &int, "an integer"),
            S::BitUnary => same(&[arg(0), result], &bits, "an integer or i1"),
            S::IntBinary => same(&[arg(0), arg(1), result], &int, "an integer"),
            S::BitBinary => same(&[arg(0), arg(1), result], &bits, "an integer or i1"),
            S::FloatUnary => same(&[arg(0), result], &float, "a float"),
            S::FloatBinary => same(&[arg(0), arg(1), result], &float, "a float"),
            S::FloatTernary => same(&[arg(0), arg(1), arg(2), result], &float, "a float"),
            S::IntCompare | S::FloatCompare => {
                if signature == S::IntCompare {
                    same(&[arg(0), arg(1)], &bits, "an integer or i1");
                } else {
                    same(&[arg(0), arg(1)], &float, "a float");
                }
                same(&[result, Scalar::I1], &any, "");
            }
            S::Select => {
                same(&[arg(0), Scalar::I1], &any, "");
                same(&[arg(1), arg(2), result], &any, "");
            }
            S::Truncate | S::Extend => {
                same(&[arg(0)], if signature == S::Extend { &bits } else { &int }, "an integer");
                same(&[result], &int, "an integer");
                let narrows = result.bits() < arg(0).bits();
                let widens = result.bits() > arg(0).bits();
                if !(if signature == S::Extend { widens } else { narrows }) {
                    out.push(format!("from {} to {}", arg(0).name(), result.name()));
                }
            }
            S::FloatToFloat => {
                same(&[arg(0)], &float, "a float");
                same(&[result], &float, "a float");
                if arg(0) == result {
                    out.push(format!("from {} to itself", result.name()));
                }
            }
            S::FloatToInt => {
                same(&[arg(0)], &float, "a float");
                same(&[result], &int, "an integer");
            }
            S::IntToFloat => {
                same(&[arg(0)], &int, "an integer");
                same(&[result], &float, "a float");
            }
            S::Bitcast => {
                same(&[arg(0)], &memory, "anything else");
                if arg(0).bits() != result.bits() {
                    out.push(format!("{} and {} differ in width", arg(0).name(), result.name()));
                }
            }
            S::FromBfloat => {
                same(&[arg(0), Scalar::I16], &any, "");
                same(&[result, Scalar::F32], &any, "");
            }
            S::ToBfloat => {
                same(&[arg(0), Scalar::F32], &any, "");
                same(&[result, Scalar::I16], &any, "");
            }
            S::FromSrgb => {
                same(&[arg(0), Scalar::I32], &any, "");
                same(&[result, Scalar::F32], &any, "");
            }
            S::ToSrgb => {
                same(&[arg(0), Scalar::F32], &any, "");
                same(&[result, Scalar::I32], &any, "");
            }
            S::Splat => same(&[arg(0), result], &any, ""),
            S::MaskReduce => same(&[arg(0), result, Scalar::I1], &any, ""),
            S::MaskToBits => {
                same(&[arg(0), Scalar::I1], &any, "");
                same(&[result, Scalar::I64], &any, "");
            }
            S::MaskFromBits => {
                same(&[arg(0), Scalar::I64], &any, "");
                same(&[result, Scalar::I1], &any, "");
            }
            S::LaneRead | S::Shuffle => {
                same(&[arg(0), result], &any, "");
                same(&[arg(1), Scalar::I32], &any, "");
            }
            S::SlotLoad | S::SlotStore => {
                same(&[arg(0), Scalar::I32], &any, "");
                let value = if signature == S::SlotLoad { result } else { arg(1) };
                // Booleans are for slots that become SSA values.
                if self.function.const_bits(self.data.args[0]).is_none() {
                    same(&[value], &memory, "anything else");
                }
            }
            S::Load | S::Store | S::Atomic | S::AtomicCompare => {
                same(&[arg(0), Scalar::I64], &any, "");
                let last = self.data.args.len() - 1;
                same(&[arg(last), Scalar::I1], &any, "");
                if !matches!(arg(1), Scalar::I32 | Scalar::I64) {
                    same(&[arg(1)], &|_| false, "an i32 or i64 offset");
                }
                match signature {
                    S::Load => same(&[result], &memory, "anything else"),
                    S::Store => same(&[arg(2)], &memory, "anything else"),
                    S::AtomicCompare => same(&[arg(2), arg(3), result], &int, "an integer"),
                    _ => match self.data.op {
                        Opcode::AtomicExchange => same(&[arg(2), result], &memory, "anything else"),
                        Opcode::AtomicFAdd | Opcode::AtomicFMin | Opcode::AtomicFMax => {
                            same(&[arg(2), result], &float, "a float");
                        }
                        _ => same(&[arg(2), result], &int, "an integer"),
                    },
                }
            }
            S::Effect | S::Report | S::Track => {}
            S::Call => same(&[arg(0), arg(1), Scalar::I64], &any, ""),
            S::SlotCall => same(&[arg(0), arg(1), arg(2), Scalar::I64], &any, ""),
        }
    }

    /// The scalar types of operations with any number of rows.
    fn report(&self, out: &mut Vec<String>) {
        let arg = |index: usize| self.arg(index).scalar;
        let last = self.data.args.len() - usize::from(!self.data.args.is_empty());
        let (addresses, rows, conditions) = match self.data.op.signature() {
            Signature::Report => (3, last - 2, last - 2),
            Signature::Track => (7, last - 1, last),
            _ => return,
        };
        let mut all = |range: std::ops::Range<usize>, wanted: Scalar| {
            if range.into_iter().any(|index| arg(index) != wanted) {
                out.push(format!("an operand is not {}", wanted.name()));
            }
        };
        all(0..addresses, Scalar::I64);
        all(addresses..rows, Scalar::I32);
        all(conditions..last + 1, Scalar::I1);
        if self.data.op == Opcode::Track && !matches!(arg(rows), Scalar::I32 | Scalar::I64) {
            out.push("the offset is neither i32 nor i64".to_owned());
        }
    }

    fn immediate(&self, out: &mut Vec<String>) {
        use Signature as S;
        let imm = self.data.imm;
        match self.data.op.signature() {
            S::Const => {
                let scalar = self.result().map_or(Scalar::I64, |ty| ty.scalar);
                if imm & !scalar.mask() != 0 {
                    out.push(format!("the constant does not fit {}", scalar.name()));
                }
            }
            S::Arg if imm > 2 => out.push("entry arguments are 0 to 2".to_owned()),
            S::FloatToFloat if imm > 1 => out.push("the rounding is 0 or 1".to_owned()),
            S::Effect if imm > u32::MAX.into() => out.push("the code does not fit 32 bits".to_owned()),
            S::Report if imm > u32::MAX.into() => out.push("the site does not fit 32 bits".to_owned()),
            S::Arg | S::FloatToFloat | S::Effect | S::Report | S::Track => {}
            S::SlotLoad | S::SlotStore => self.slot(out),
            S::SlotCall => self.call_slot(out),
            S::Call if imm == InstData::CALL_READS_ONLY || imm == InstData::CALL_FLAGS => {}
            S::Load | S::Store | S::Atomic | S::AtomicCompare => {
                let memory = MemoryOp::from_imm(imm);
                if memory.to_imm() != imm {
                    out.push("the immediate is not a memory operation".to_owned());
                }
                if self.data.op.effect() == Effect::Write && memory.space.is_read_only() {
                    out.push(format!("nothing writes {} memory", memory.space.name()));
                }
                let is_own = self.data.op == Opcode::Store && memory.space == Space::Scratch;
                if self.data.op.effect() == Effect::Write && memory.speculatable && !is_own {
                    out.push("only stores to scratch memory can be speculatable".to_owned());
                }
                if memory.whole_pairs && (self.data.op != Opcode::Store || !memory.pairs) {
                    out.push("only stores of pairs can be of whole pairs".to_owned());
                }
                if memory.streaming && (self.data.op != Opcode::Store || memory.space != Space::Global) {
                    out.push("only stores to global memory can be streaming".to_owned());
                }
                if memory.deferrable
                    && (self.data.op.signature() != S::Atomic
                        || memory.space != Space::Global
                        || memory.volatile)
                {
                    out.push("only atomic operations on global memory can be deferrable".to_owned());
                }
            }
            S::FloatBinary if imm == 1 && self.data.op.takes_no_contraction() => {}
            S::FloatTernary if imm & !(InstData::INTERPOLATES | InstData::MAY_ROUND_TWICE) == 0 => {}
            S::Bitcast if imm == InstData::RECORDS => {}
            _ if imm != 0 => out.push("the operation takes no immediate".to_owned()),
            _ => {}
        }
    }

    fn slot(&self, out: &mut Vec<String>) {
        let slot = u32::try_from(self.data.imm).ok().map(crate::function::Slot::from_u32);
        let Some(slot_data) = slot.and_then(|slot| self.function.slots.get(slot)) else {
            return out.push("there is no such slot".to_owned());
        };
        let value = if self.data.op == Opcode::SlotLoad { self.result() } else { Some(self.arg(1)) };
        let size = u64::from(value.map_or(1, |ty| ty.scalar.bytes()));
        if let Some(offset) = self.function.const_bits(self.data.args[0]) {
            if offset + size > slot_data.bytes.into() {
                out.push(format!("offset {offset} lies outside of the slot"));
            } else if offset % size != 0 {
                out.push(format!("offset {offset} is not aligned"));
            }
        }
    }

    fn call_slot(&self, out: &mut Vec<String>) {
        let slot =
            u32::try_from(self.data.imm & !InstData::CALL_FLAGS).ok().map(crate::function::Slot::from_u32);
        if slot.and_then(|slot| self.function.slots.get(slot)).is_none() {
            out.push("there is no such slot".to_owned());
        }
    }

    fn lane_form(&self, out: &mut Vec<String>) {
        if self.result().is_some_and(Type::is_uniform) {
            out.push("the result is uniform, which lane form does not know".to_owned());
        }
    }

    fn shapes(&self, out: &mut Vec<String>) {
        use Signature as S;
        let shape = |index: usize| self.arg(index).shape;
        let mut need = |what: &str, given: Shape, wanted: Shape| {
            if given != wanted {
                let name = if wanted == Shape::Uniform { "uniform" } else { "varying" };
                out.push(format!("the {what} must be {name}"));
            }
        };
        let args: &[Value] = &self.data.args;
        if let Some(result) = self.result() {
            need("result", result.shape, self.function.result_shape(self.data.op, args));
        }
        match self.data.op.signature() {
            S::Active | S::SlotLoad | S::SlotStore | S::SlotCall => {
                out.push("mask form does not have this operation".to_owned());
            }
            S::Const | S::Arg | S::LaneId | S::Clock | S::Effect => {}
            S::Call => {
                need("function", shape(0), Shape::Uniform);
                need("argument", shape(1), Shape::Uniform);
            }
            S::Report => {
                need("function", shape(0), Shape::Uniform);
                need("record", shape(1), Shape::Uniform);
                need("table", shape(2), Shape::Uniform);
                need("mask", shape(args.len() - 1), Shape::Varying);
            }
            S::Track => {
                (0..7).for_each(|index| need("address", shape(index), Shape::Uniform));
                need("mask", shape(args.len() - 1), Shape::Varying);
            }
            S::Splat | S::MaskFromBits => need("operand", shape(0), Shape::Uniform),
            S::MaskReduce | S::MaskToBits => need("operand", shape(0), Shape::Varying),
            S::LaneRead => {
                need("value", shape(0), Shape::Varying);
                need("lane number", shape(1), Shape::Uniform);
            }
            S::Shuffle => {
                need("value", shape(0), Shape::Varying);
                need("index", shape(1), Shape::Varying);
            }
            S::Load | S::Store => {
                let last = args.len() - 1;
                if self.data.op == Opcode::Store {
                    need("value", shape(2), shape(last));
                }
                if shape(last) == Shape::Uniform {
                    need("base", shape(0), Shape::Uniform);
                    need("offset", shape(1), Shape::Uniform);
                }
            }
            S::Atomic | S::AtomicCompare => {
                let last = args.len() - 1;
                if self.data.op == Opcode::AtomicAdd && shape(last) == Shape::Uniform {
                    need("base", shape(0), Shape::Uniform);
                    need("offset", shape(1), Shape::Uniform);
                    return need("value", shape(2), Shape::Uniform);
                }
                for value in 2..last {
                    need("value", shape(value), Shape::Varying);
                }
                need("predicate", shape(last), Shape::Varying);
            }
            _ => {
                if !args.iter().all(|&arg| self.function.ty(arg).shape == shape(0)) {
                    out.push("the operands' shapes differ".to_owned());
                }
            }
        }
    }
}
