//! `NonSemantic.DebugPrintf`: prints are sites that always report.
//!
//! What is wrong with a format does no harm here: it is a finding of `pyroclast check`, and printed as it
//! stands. Values that cannot be shown are left out, and the conversion says so.

use crate::context::Lowerer;
use crate::error::Result;
use crate::report::{Message, Reported};
use pyro_abi::report::{SiteKind, ValueType};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

/// The number of `DebugPrintf` in its set.
pub(crate) const DEBUG_PRINTF: u32 = 1;

/// Values of one print; more are left out.
const VALUES_MAX: usize = 64;

impl<'m> Lowerer<'m, '_> {
    /// `DebugPrintf`: a format, and the values.
    pub(crate) fn lower_debug_printf(&mut self, inst: Instruction<'m>) -> Result {
        let mut operands = inst.ids_from(2).iter();
        let Some(format) = operands.next().and_then(|id| self.module.debug_string(id)) else { return Ok(()) };
        let format = format.into_owned();
        let mut values = Vec::new();
        for id in operands.take(VALUES_MAX) {
            if let Some(text) = self.module.debug_string(id).filter(|_| self.is_string(id)) {
                let number = self.reports.string(&text);
                let number = self.b.i32(number);
                values.push(Reported::new("", ValueType::String, number));
                continue;
            }
            let nothing =
                Reported { name: String::new(), ty: ValueType::Unsigned, scalars: Default::default() };
            values.push(self.reported("", id)?.unwrap_or(nothing));
        }
        self.report(inst, None, Message { kind: SiteKind::Print, text: format, values })
    }

    fn is_string(&self, id: pyro_spirv::Id) -> bool {
        self.module.definition(id).is_some_and(|inst| inst.op() == Op::String)
    }
}
