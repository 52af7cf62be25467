//! Outputs of mesh shaders as a structure of arrays (SoA): a column for each word of a value, in which
//! neighbouring vertices or primitives lie side by side, so that lanes that write neighbours write whole
//! registers.
//!
//! 16-bit floats are 32-bit ones there, narrower integers and booleans words, and 64-bit values two words.
//! That is how the columns of vertex functions are, too.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::range::Address;
use crate::memory::{Access, Leaf};
use crate::outputs::value_of_words;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, SoaLayout};
use crate::types::memory_bytes;
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::{Id, Type};

/// Columns that a scalar takes.
fn words(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 2 } else { 1 }
}

impl MemoryLayout {
    /// Bytes from one component of a vector to the next.
    pub(crate) fn component_stride(&self, scalar: Scalar) -> u32 {
        match self.soa {
            Some(soa) => soa.pitch * words(scalar),
            None => self.component_stride.unwrap_or_else(|| memory_bytes(scalar)),
        }
    }
}

impl Lowerer<'_, '_> {
    /// Columns that a value takes.
    fn column_count(&mut self, ty: Id) -> Result<u64> {
        Ok(self.type_scalars(ty)?.iter().map(|&scalar| u64::from(words(scalar))).sum())
    }

    /// Bytes from one element of an array or matrix to the next, and the elements' layout.
    pub(crate) fn soa_stride(
        &mut self,
        element: Id,
        soa: SoaLayout,
        layout: MemoryLayout,
    ) -> Result<(u64, MemoryLayout)> {
        if soa.is_whole {
            let soa = Some(SoaLayout { is_whole: false, ..soa });
            return Ok((4, MemoryLayout { soa, ..layout }));
        }
        Ok((self.column_count(element)? * u64::from(soa.pitch), layout))
    }

    /// Bytes from a structure to its member: to the member's own columns where the stage knows them.
    pub(crate) fn soa_offset_of_member(&mut self, ty: Id, member: usize, soa: SoaLayout) -> Result<u64> {
        let Type::Struct { members } = self.module.ty(ty) else {
            return invalid(format!("{ty} is not a structure"));
        };
        let column = match self.stage.member_column(self.module, ty, member as u32) {
            Some(column) => column.into(),
            None => {
                let mut column = 0u64;
                for before in members.iter().take(member) {
                    column += self.column_count(before)?;
                }
                column
            }
        };
        Ok(column * u64::from(soa.pitch))
    }

    /// A component's address, its word `word`.
    fn column_address(
        &mut self,
        (pointer, range, soa): (&Pointer, &Range, SoaLayout),
        leaf: &Leaf,
        (component, word): (u64, u32),
        access: Access,
    ) -> Address {
        let start = leaf.offset.wrapping_add(component * leaf.stride) + u64::from(word * soa.pitch);
        self.range_address(pointer, range, start, 4, access)
    }

    fn expect_soa(pointer: &Pointer) -> (&Pointer, &Range, SoaLayout) {
        let (PointerBase::Range(range), Some(soa)) = (&pointer.base, pointer.layout.soa) else {
            unreachable!("the caller has looked")
        };
        (pointer, range, soa)
    }

    pub(crate) fn column_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        access: Access,
        scalars: &mut Scalars,
    ) -> Result {
        let place = Self::expect_soa(pointer);
        for leaf in leaves {
            for component in 0..u64::from(leaf.count) {
                let mut word = 0;
                let mut next = |cx: &mut Lowerer<'_, '_>| {
                    let at = cx.column_address(place, leaf, (component, word), access);
                    word += 1;
                    cx.load_scalar(Scalar::I32, at)
                };
                scalars.push(match leaf.scalar {
                    Scalar::I1 => {
                        let (word, zero) = (next(self), self.b.i32(0));
                        self.b.op(Opcode::INe, &[word, zero])
                    }
                    scalar => value_of_words(self, scalar, &mut next)?,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn column_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
        access: Access,
    ) -> Result {
        let place = Self::expect_soa(pointer);
        let flags = self.mesh_flags(place.1);
        let mut value = value.iter();
        for leaf in leaves {
            for (component, &value) in (0..u64::from(leaf.count)).zip(value.by_ref()) {
                for (number, word) in (0..).zip(self.words_of(value)?) {
                    let mut at = self.column_address(place, leaf, (component, number), access);
                    at.memory.speculatable = false;
                    self.store_scalar(self.scalar_type(word), at, word);
                    if let Some(flags) = &flags {
                        let place = (pointer, flags, place.2);
                        let mut at = self.column_address(place, leaf, (component, number), access);
                        at.memory.speculatable = false;
                        let written = self.b.i32(1);
                        self.store_scalar(Scalar::I32, at, written);
                    }
                }
            }
        }
        Ok(())
    }

    /// A value as words of 32 bits.
    pub(crate) fn words_of(&mut self, value: Value) -> Result<Scalars> {
        Ok(match self.scalar_type(value) {
            Scalar::I32 | Scalar::F32 => smallvec::smallvec![value],
            Scalar::F16 => smallvec::smallvec![self.convert(Opcode::FConvert, value, Scalar::F32)?],
            Scalar::I1 | Scalar::I8 | Scalar::I16 => {
                smallvec::smallvec![self.convert(Opcode::ZeroExtend, value, Scalar::I32)?]
            }
            Scalar::I64 | Scalar::F64 => {
                let bits = self.b.bitcast(value, Scalar::I64);
                let amount = self.b.i64(32);
                let high = self.b.op(Opcode::LShr, &[bits, amount]);
                [bits, high].iter().map(|&part| self.b.convert(Opcode::Truncate, part, Scalar::I32)).collect()
            }
        })
    }
}
