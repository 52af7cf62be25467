//! The sanitizer: checks that are made while a shader runs, of what the specifications leave undefined.
//!
//! # Problem
//! Find each use of something undefined, with its place and values, without a change of any result.
//!
//! # Approach
//! Before an instruction is lowered, [`Lowerer::sanitize`] gives it to the files of this folder, one for each
//! group of kinds. They look at its operands and emit a comparison and a report ([`crate::report`]) where it
//! is true. Lowering itself does not know of them, but for what is not an instruction: loops, ends of
//! invocations.
//!
//! # Invariants
//! * With no kind switched on, nothing is emitted: the code is the same.
//! * Checks only read. They compute from the operands that the instruction itself uses, so floats are not
//!   contracted in another way ([`special_value`] says how it keeps that).
//! * What a check needs and cannot find (a pointer that went through a phi, a function's parameter) is not
//!   checked: no finding is better than a false one.
//!
//! Must not know: what the runtime does with reports; Vulkan objects.

mod active_set;
mod assumption;
mod bit_definedness;
mod bit_field;
mod bounds;
mod buffer_shadow;
mod commands;
mod convergence;
mod conversion;
mod cooperative;
mod definedness;
mod division;
mod loops;
mod math;
pub(crate) mod mesh_definedness;
pub(crate) mod outputs;
mod patch_definedness;
mod payload_definedness;
mod precision;
mod recursion;
mod sampling;
mod shift;
mod special_value;
pub(crate) mod state;
mod texel;
mod tracking;
mod ways;
mod workgroup_definedness;
mod workgroup_shadow;

use crate::context::Lowerer;
use crate::error::Result;
use crate::limits::SANITIZED_READS_MAX;
use crate::report::{Message, Reported};
use pyro_abi::report::SiteKind;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::Instruction;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// Checks an instruction that is about to be lowered.
    pub(crate) fn sanitize(&mut self, inst: Instruction<'m>) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        self.sanitizer.definedness.current = Some(inst.index());
        let only_reads = matches!(inst.op(), Op::Load | Op::ImageFetch | Op::ImageRead);
        if only_reads && self.b.function.insts.len() > SANITIZED_READS_MAX {
            return Ok(());
        }
        self.sanitize_defined_operands(inst)?;
        match facts(inst.op()).family {
            Family::Arithmetic => self.sanitize_division(inst),
            Family::Bits => match inst.op() {
                Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                    self.sanitize_bit_field(inst)
                }
                _ => self.sanitize_shift(inst),
            },
            Family::Conversion => self.sanitize_conversion(inst),
            Family::Extended => self.sanitize_math(inst),
            Family::Composite => self.sanitize_composite(inst),
            Family::Memory | Family::Atomic | Family::Barrier | Family::Pointer => {
                self.sanitize_access(inst)?;
                self.sanitize_defined_store(inst)?;
                if facts(inst.op()).family == Family::Atomic {
                    self.define_workgroup_word(inst)?;
                }
                self.sanitize_synchronization(inst)
            }
            Family::Image => {
                self.sanitize_texel(inst)?;
                self.sanitize_defined_texel(inst)?;
                self.tell_image_access(inst)?;
                self.sanitize_implicit_level(inst)
            }
            Family::Group | Family::UniformGroup => {
                self.sanitize_active_set(inst)?;
                self.sanitize_group(inst)
            }
            Family::Cooperative => self.tell_unknown_write(inst),
            _ => Ok(()),
        }?;
        self.sanitize_derivative(inst)
    }

    /// Checks the result of an instruction that has been lowered.
    pub(crate) fn sanitize_result(&mut self, inst: Instruction<'m>) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        self.follow_result(inst)?;
        self.sanitize_precision(inst)?;
        self.sanitize_special_value(inst)
    }

    /// Reports a finding of a kind where a condition is true.
    fn find(
        &mut self,
        inst: Instruction<'m>,
        kind: Kind,
        condition: Value,
        text: impl Into<String>,
        values: Vec<Reported>,
    ) -> Result {
        let holds = self.not(condition);
        self.find_unless(inst, kind, (holds, None), text, values)
    }

    /// Reports a finding of a kind where something does not hold, unless the other condition does, which is
    /// computed only then.
    fn find_unless(
        &mut self,
        inst: Instruction<'m>,
        kind: Kind,
        (holds, unless): (Value, Option<Value>),
        text: impl Into<String>,
        values: Vec<Reported>,
    ) -> Result {
        let message = Message { kind: SiteKind::Finding(kind), text: text.into(), values };
        self.report_unless_holds(inst, holds, unless, &message)
    }

    /// The values of ids for a report, by what they are called there.
    fn reported_ids(&mut self, ids: &[(&str, pyro_spirv::Id)]) -> Result<Vec<Reported>> {
        let mut values = Vec::new();
        for &(name, id) in ids {
            values.extend(self.reported(name, id)?);
        }
        Ok(values)
    }

    /// Whether any of these conditions is true; false where there is none.
    fn any_of(&mut self, conditions: impl IntoIterator<Item = Value>) -> Value {
        let mut any = None;
        for condition in conditions {
            any = Some(match any {
                None => condition,
                Some(before) => self.b.op(Opcode::Or, &[before, condition]),
            });
        }
        any.unwrap_or_else(|| self.b.bool(false))
    }

    /// Whether a value equals a number.
    fn equals(&mut self, value: Value, number: u64) -> Value {
        let number = self.b.constant(self.scalar_type(value), number);
        self.b.op(Opcode::IEq, &[value, number])
    }

    /// Whether an unsigned integer is a number or greater.
    fn at_least(&mut self, value: Value, number: u64) -> Value {
        let scalar = self.scalar_type(value);
        if number > scalar.mask() {
            return self.b.bool(false);
        }
        let number = self.b.constant(scalar, number);
        self.b.op(Opcode::ULe, &[number, value])
    }

    fn not(&mut self, value: Value) -> Value {
        self.b.op(Opcode::Not, &[value])
    }

    /// A float constant of a type.
    fn float(&mut self, scalar: Scalar, value: f64) -> Value {
        let bits = match scalar {
            Scalar::F16 => {
                let single = self.b.f32(value as f32);
                return self.b.convert(Opcode::FConvert, single, Scalar::F16);
            }
            Scalar::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        self.b.constant(scalar, bits)
    }
}
