//! Cooperative matrices and vectors. `bounds-buffer`, `bounds-workgroup` and `bounds-address`: they are
//! accessed whole, so where the last of their elements lies. `race-workgroup` and `uninitialized-workgroup`:
//! by element. `bounds-tensor-layout`: the elements that a tensor layout says.
//!
//! Which invocation accesses which element is this driver's choice, so two accesses of an element by the same
//! invocation are not told of, though nothing need order them elsewhere.

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

    /// Follows an element of a matrix in workgroup memory, which this invocation accesses where `made` holds.
    pub(crate) fn track_element(
        &mut self,
        pointer: &Pointer,
        bytes: u32,
        access: AccessKind,
        made: Option<Value>,
    ) -> Result {
        let (PointerBase::Range(range), Some(current)) = (&pointer.base, self.sanitizer.definedness.current)
        else {
            return Ok(());
        };
        if range.space != Space::Shared || !self.follows_shared() {
            return Ok(());
        }
        let inst = self.module.inst(current);
        let base = self.chain_of(inst.id(0)).base;
        let variable = self.module.global(base);
        let may_be_unwritten = variable.is_none_or(|it| it.initializer.is_some()) || self.workgroup.is_zeroed;
        let text = self.id_text(base);
        let accessed = (0, u64::from(bytes));
        self.track_shared_where(inst, pointer, accessed, (access, may_be_unwritten), (text, made))
    }

    /// Tells where a tensor layout without a clamp mode leads past the end of a dimension: `is_outside` of an
    /// element that is accessed where `made` holds.
    pub(crate) fn sanitize_layout(&mut self, is_outside: Value, made: Option<Value>) -> Result {
        let Some(current) = self.sanitizer.definedness.current else { return Ok(()) };
        let inst = self.module.inst(current);
        let is_outside = match made {
            Some(made) => self.b.op(Opcode::And, &[is_outside, made]),
            None => is_outside,
        };
        let text = "a cooperative matrix has elements past the end of a dimension of its tensor layout, \
                    whose clamp mode is Undefined";
        self.find(inst, Kind::BoundsTensorLayout, is_outside, text, Vec::new())
    }

    /// Compares what is accessed of a tensor with its dimensions: `is_inside` of all elements.
    pub(crate) fn sanitize_tensor(&mut self, inst: Instruction<'m>, is_inside: Value) -> Result {
        let tensor = self.scalar(inst.id(0))?;
        let none = self.b.i64(0);
        // What null descriptors give is defined.
        let is_null = self.b.op(Opcode::IEq, &[tensor, none]);
        let values = self.reported_ids(&[("coordinates", inst.id(1))])?;
        let text = match inst.op() {
            Op::TensorWriteARM => "elements past the end of a dimension of a tensor are written",
            _ => "elements past the end of a dimension of a tensor are read, without a value for them",
        };
        self.find_unless(inst, Kind::BoundsTensor, (is_inside, Some(is_null)), text, values)
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
