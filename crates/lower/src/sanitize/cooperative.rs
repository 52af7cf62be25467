//! `bounds-buffer`, `bounds-workgroup` and `bounds-address` of cooperative matrices and vectors, which are
//! accessed whole: where the last of their elements lies.

use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase, Range, Size};
use crate::report::{Message, Reported};
use pyro_abi::report::{AccessKind, SiteKind, ValueType};
use pyro_ir::{Opcode, Scalar, Space, Value};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// Compares the end of what an instruction accesses with that of the memory.
    pub(crate) fn sanitize_end(
        &mut self,
        inst: Instruction<'m>,
        last: &Pointer,
        bytes: u64,
        what: &str,
    ) -> Result {
        match &last.base {
            PointerBase::Range(range) => {
                let inside = self.range_address(last, range, 0, bytes, Access::default()).predicate;
                self.find_past_end(inst, (last, range), inside, what)
            }
            PointerBase::Physical { .. } if self.sanitizer.is_on(Kind::BoundsAddress) => {
                let writes =
                    matches!(inst.op(), Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV);
                let access = if writes { AccessKind::Write } else { AccessKind::Read };
                let address = self.physical_address(last);
                let values = vec![Reported::new("address", ValueType::Address, address)];
                let kind = SiteKind::AddressAccess { access, bytes: bytes as u32 };
                self.report(inst, None, Message { kind, text: String::new(), values })
            }
            _ => Ok(()),
        }
    }

    /// The same where it is known already whether all bytes lie inside.
    pub(crate) fn sanitize_bytes(&mut self, pointer: &Pointer, inside: Value, what: &str) -> Result {
        let (PointerBase::Range(range), Some(current)) = (&pointer.base, self.sanitizer.definedness.current)
        else {
            return Ok(());
        };
        let inst = self.module.inst(current);
        self.find_past_end(inst, (pointer, range), inside, what)
    }

    fn find_past_end(
        &mut self,
        inst: Instruction<'m>,
        (pointer, range): (&Pointer, &Range),
        inside: Value,
        what: &str,
    ) -> Result {
        let kind = match range.space {
            Space::Shared => Kind::BoundsWorkgroup,
            _ => Kind::BoundsBuffer,
        };
        if !self.sanitizer.is_on(kind) {
            return Ok(());
        }
        // What null descriptors give is defined.
        let unless = (kind == Kind::BoundsBuffer && !matches!(range.size, Size::Known(_))).then(|| {
            let null = self.b.i64(0);
            self.b.op(Opcode::IEq, &[range.base, null])
        });
        let (at, size) = (self.range_offset_saturated(pointer, range), self.size_value(range.size));
        let values = [("byte offset", at), ("range", size)].map(|(name, value)| {
            let is_wide = self.scalar_type(value) == Scalar::I64;
            Reported::new(name, if is_wide { ValueType::Unsigned64 } else { ValueType::Unsigned }, value)
        });
        let text = format!("{what} ends past the end of its memory");
        self.find_unless(inst, kind, (inside, unless), text, values.into())
    }
}
