//! Values that stages before rasterization hand on by vertex or by patch.
//!
//! They lie as a structure of arrays (SoA) in memory of the stage that writes them: a column for each 32-bit
//! word, in which the vertices of a subgroup lie side by side. Column `c` of the vertex in lane `l` is at `c
//! * column_bytes + 4 * l` from where the subgroup's columns begin. All four words of a location have
//! columns, one behind the other, and so have consecutive locations: so a dynamic index into an array of
//! locations is a multiplication. Narrow components take a word (floats as `f32`), wide ones two.

use crate::context::Lowerer;
use crate::error::{Result, invalid, limit, unsupported};
use crate::outputs::value_of_words;
use crate::pointer::{
    Index, MemoryLayout, Pointer, PointerBase, SoaLevel, SoaPointer, SoaSource, VertexPlaces,
};
use crate::types::{element_count, element_type, scalar_of};
use crate::value::Scalars;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::{GlobalVariable, Id, Type};

/// Words that one load or store of such values has at most.
const COLUMN_COUNT_MAX: usize = 1 << 12;

impl<'m> Lowerer<'m, '_> {
    /// A pointer to a variable whose values lie in columns; none for others.
    pub(crate) fn soa_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Option<Pointer>> {
        let stage = self.stage;
        let Some(interface) = stage.interface() else { return Ok(None) };
        let is_arrayed =
            interface.built_ins.iter().any(|found| found.variable == variable.id && found.is_arrayed)
                || (interface.inputs.iter().chain(&interface.outputs))
                    .any(|found| found.variable == variable.id && found.is_arrayed);
        let Some(source) = stage.soa_source(self, variable, is_arrayed)? else { return Ok(None) };
        let mut pointer = Pointer::new(
            PointerBase::Soa(SoaPointer {
                source,
                variable: variable.id,
                at: SoaLevel::Vertices,
                place: None,
                is_missing: false,
            }),
            variable.value_type,
            MemoryLayout::LOGICAL,
        );
        if !is_arrayed {
            self.enter_element(&mut pointer, source.first)?;
        }
        if let (Some(initializer), Some(ty)) = (variable.initializer, variable.value_type) {
            self.in_prologue(|cx| {
                let value = cx.scalars(initializer)?;
                cx.soa_store(&pointer, ty, &value)
            })?;
        }
        Ok(Some(pointer))
    }

    /// The pointer has come to one vertex, or to a patch.
    fn enter_element(&mut self, pointer: &mut Pointer, place: Value) -> Result {
        let PointerBase::Soa(soa) = &mut pointer.base else { return invalid("not a pointer to SoA columns") };
        soa.place = Some(place);
        let stage = self.stage;
        let variable = soa.variable;
        let has_members = stage.interface().is_some_and(|interface| {
            interface.built_ins.iter().any(|found| found.variable == variable && found.member.is_some())
                || (interface.inputs.iter().chain(&interface.outputs))
                    .any(|found| found.variable == variable && found.member.is_some())
        });
        if has_members {
            soa.at = SoaLevel::Block;
            return Ok(());
        }
        self.enter_value(pointer, None)
    }

    /// The pointer has come to a variable's or a member's value.
    fn enter_value(&mut self, pointer: &mut Pointer, member: Option<u32>) -> Result {
        let PointerBase::Soa(soa) = &mut pointer.base else { return invalid("not a pointer to SoA columns") };
        let first = self.stage.first_column(soa.variable, member)?;
        soa.at = SoaLevel::Value { is_built_in: first.is_built_in };
        soa.is_missing = first.column.is_none();
        pointer.offset = first.column.unwrap_or(0).into();
        Ok(())
    }

    /// Goes from a pointer into columns to a part of what it points to.
    pub(crate) fn soa_step(&mut self, pointer: &mut Pointer, index: Index) -> Result {
        let (PointerBase::Soa(soa), Some(ty)) = (&pointer.base, pointer.pointee) else {
            return invalid("an access chain on a pointer without a type");
        };
        let (source, at) = (soa.source, soa.at);
        match at {
            SoaLevel::Vertices => {
                let element = element_type(self.module, ty)?;
                let index = match index {
                    Index::Constant(index) => self.b.i32(u32::try_from(index).unwrap_or(u32::MAX)),
                    Index::Dynamic(index) => self.index_i32(index),
                };
                let one = self.b.i32(1);
                let last = self.b.op(Opcode::ISub, &[source.vertex_count, one]);
                let index = self.b.op(Opcode::UMin, &[index, last]);
                let place = self.vertex_place(&source, index);
                pointer.pointee = Some(element);
                self.enter_element(pointer, place)
            }
            SoaLevel::Block => {
                let (Type::Struct { members }, Index::Constant(member)) = (self.module.ty(ty), index) else {
                    return unsupported("arrays of blocks whose members have places of their own");
                };
                let member = u32::try_from(member).unwrap_or(u32::MAX);
                let Some(member_ty) = members.get(member as usize) else {
                    return invalid(format!("structure {ty} has no member {member}"));
                };
                pointer.pointee = Some(member_ty);
                self.enter_value(pointer, Some(member))
            }
            SoaLevel::Value { is_built_in } => match self.module.ty(ty) {
                Type::Struct { members } => {
                    let Index::Constant(member) = index else {
                        return invalid("a dynamic index of a structure");
                    };
                    let member = usize::try_from(member).unwrap_or(usize::MAX);
                    let Some(member_ty) = members.get(member) else {
                        return invalid(format!("structure {ty} has no member {member}"));
                    };
                    for before in members.iter().take(member) {
                        pointer.offset += self.columns_of_element(before, is_built_in)?;
                    }
                    pointer.pointee = Some(member_ty);
                    Ok(())
                }
                _ => {
                    let count = element_count(&self.constants, ty)?;
                    let element = element_type(self.module, ty)?;
                    let stride = match self.module.ty(ty) {
                        Type::Vector { .. } => component_columns(scalar_of(self.module, element)?),
                        _ => self.columns_of_element(element, is_built_in)?,
                    };
                    self.add_index(pointer, index, stride, Some(count));
                    pointer.pointee = Some(element);
                    Ok(())
                }
            },
        }
    }

    /// Where a vertex begins: bytes, `i32`.
    fn vertex_place(&mut self, source: &SoaSource, index: Value) -> Value {
        let stride = match source.vertices {
            VertexPlaces::Consecutive => 4,
            VertexPlaces::Table { stride, .. } => stride,
        };
        let offset = self.scale(index, stride.into());
        let place = self.b.op(Opcode::IAdd, &[source.first, offset]);
        match source.vertices {
            VertexPlaces::Consecutive => place,
            VertexPlaces::Table { table, .. } => {
                let always = self.b.bool(true);
                self.b.load(Scalar::I32, MemoryOp::new(Space::Constant), table, place, always)
            }
        }
    }

    /// The word of a column of a vertex that there is, `i32`.
    pub(crate) fn vertex_word(&mut self, source: &SoaSource, vertex: u32, column: u32) -> Value {
        let index = self.b.i32(vertex);
        let (place, always) = (self.vertex_place(source, index), self.b.bool(true));
        let memory = MemoryOp::new(source.space).at((column * source.column_bytes) as i32);
        self.b.load(Scalar::I32, memory, source.base, place, always)
    }

    /// Columns from an element of a type to the next.
    fn columns_of_element(&self, ty: Id, is_built_in: bool) -> Result<u64> {
        if is_built_in {
            return Ok(match self.module.ty(ty) {
                Type::Vector { .. } | Type::Array { .. } => {
                    let element = element_type(self.module, ty)?;
                    element_count(&self.constants, ty)?
                        .saturating_mul(self.columns_of_element(element, true)?)
                }
                _ => 1,
            });
        }
        match pyro_interface::location_count(&self.constants, ty) {
            Some(count) => Ok(4 * count),
            None => invalid(format!("{ty} has no locations")),
        }
    }

    /// The scalars of a type, and the column of each from the first.
    fn column_scalars(&self, ty: Id, is_built_in: bool, first: u64, into: &mut Vec<(u64, Scalar)>) -> Result {
        if into.len() >= COLUMN_COUNT_MAX {
            return limit("an access to too many values of a vertex or patch");
        }
        match self.module.ty(ty) {
            Type::Struct { members } => {
                let mut first = first;
                for member in members.iter() {
                    self.column_scalars(member, is_built_in, first, into)?;
                    first += self.columns_of_element(member, is_built_in)?;
                }
            }
            Type::Vector { component, .. } => {
                let scalar = scalar_of(self.module, component)?;
                let count = element_count(&self.constants, ty)?;
                into.extend((0..count).map(|index| (first + index * component_columns(scalar), scalar)));
            }
            Type::Matrix { .. } | Type::Array { .. } => {
                let element = element_type(self.module, ty)?;
                let stride = self.columns_of_element(element, is_built_in)?;
                for index in 0..element_count(&self.constants, ty)? {
                    self.column_scalars(element, is_built_in, first + index * stride, into)?;
                }
            }
            _ => into.push((first, scalar_of(self.module, ty)?)),
        }
        Ok(())
    }

    /// Calls `each` with pointers to the values that a pointer stands for, and their types.
    fn each_value(
        &mut self,
        pointer: &Pointer,
        ty: Id,
        each: &mut dyn FnMut(&mut Self, &Pointer, Id) -> Result,
    ) -> Result {
        let PointerBase::Soa(soa) = &pointer.base else { return invalid("not a pointer to SoA columns") };
        let count = match (soa.at, self.module.ty(ty)) {
            (SoaLevel::Value { .. }, _) => return each(self, pointer, ty),
            (SoaLevel::Block, Type::Struct { members }) => members.len() as u64,
            _ => element_count(&self.constants, ty)?,
        };
        for index in 0..count {
            let mut part = pointer.clone();
            self.soa_step(&mut part, Index::Constant(index as i64))?;
            let Some(part_ty) = part.pointee else { return invalid("a part without a type") };
            self.each_value(&part, part_ty, each)?;
        }
        Ok(())
    }

    /// The operands of an access to a column: base, offset, and the operation's immediate.
    fn word_address(&mut self, pointer: &Pointer, soa: &SoaPointer, column: u64) -> (MemoryOp, Value, Value) {
        let source = soa.source;
        let place = soa.place.unwrap_or(source.first);
        let offset = match self.dynamic_offset(pointer) {
            Some(dynamic) => {
                let dynamic = self.scale(dynamic, source.column_bytes.into());
                self.b.op(Opcode::IAdd, &[place, dynamic])
            }
            None => place,
        };
        let displacement = column.wrapping_mul(source.column_bytes.into());
        let memory = MemoryOp::new(source.space).at(i32::try_from(displacement).unwrap_or(0));
        (memory, source.base, offset)
    }

    /// Reads values.
    pub(crate) fn soa_load(&mut self, pointer: &Pointer, ty: Id, scalars: &mut Scalars) -> Result {
        self.each_value(pointer, ty, &mut |cx, pointer, ty| {
            let PointerBase::Soa(soa) = &pointer.base else { return invalid("not a pointer to SoA columns") };
            let SoaLevel::Value { is_built_in } = soa.at else {
                return invalid("a pointer to a whole vertex or block");
            };
            let mut places = Vec::new();
            cx.column_scalars(ty, is_built_in, pointer.offset, &mut places)?;
            let always = cx.b.bool(true);
            for (column, scalar) in places {
                if soa.is_missing {
                    scalars.push(cx.b.constant(scalar, 0));
                    continue;
                }
                let mut next = column;
                let value = value_of_words(cx, scalar, &mut |cx| {
                    let (memory, base, offset) = cx.word_address(pointer, soa, next);
                    next += 1;
                    cx.b.load(Scalar::I32, memory, base, offset, always)
                })?;
                if let Some(distance) = soa.source.written {
                    let (memory, base, offset) = cx.word_address(pointer, soa, column + u64::from(distance));
                    let written = cx.b.load(Scalar::I32, memory, base, offset, always);
                    cx.sanitize_column_load(value, written);
                }
                scalars.push(value);
            }
            Ok(())
        })
    }

    /// Writes values.
    pub(crate) fn soa_store(&mut self, pointer: &Pointer, ty: Id, value: &[Value]) -> Result {
        let mut value = value.iter();
        self.each_value(pointer, ty, &mut |cx, pointer, ty| {
            let PointerBase::Soa(soa) = &pointer.base else { return invalid("not a pointer to SoA columns") };
            let SoaLevel::Value { is_built_in } = soa.at else {
                return invalid("a pointer to a whole vertex or block");
            };
            if soa.source.space.is_read_only() {
                return invalid("a write to an input");
            }
            let mut places = Vec::new();
            cx.column_scalars(ty, is_built_in, pointer.offset, &mut places)?;
            let always = cx.b.bool(true);
            for (column, _) in places {
                let Some(&scalar) = value.next() else { return invalid("a store of too few values") };
                if soa.is_missing {
                    continue;
                }
                for (column, word) in (column..).zip(cx.words_of(scalar)?) {
                    let (memory, base, offset) = cx.word_address(pointer, soa, column);
                    let bits = cx.b.bitcast(word, Scalar::I32);
                    cx.b.store(memory, base, offset, bits, always);
                    if let Some(distance) = soa.source.written {
                        let column = column + u64::from(distance);
                        let (memory, base, offset) = cx.word_address(pointer, soa, column);
                        let written = cx.b.i32(1);
                        cx.b.store(memory, base, offset, written, always);
                    }
                }
            }
            Ok(())
        })
    }
}

/// Columns of a component.
fn component_columns(scalar: Scalar) -> u64 {
    if scalar.bits() == 64 { 2 } else { 1 }
}
