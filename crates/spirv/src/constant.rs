//! Values of constants under a specialization.
//!
//! [`ConstantValues::evaluate`] computes every constant of a module once, in the order of declaration.
//! Scalars are 64 bits each, zero-extended from their width; composites are ranges of one table; nulls
//! stay symbolic, so that a null array of 2^40 elements costs nothing.
//!
//! Where SPIR-V leaves a result undefined (division by zero, shifts by the width or more), the value is
//! fixed: quotients and remainders by zero are 0, shift counts are taken modulo the width.

use crate::float8::Float8;
use crate::float16;
use crate::function::literal_bits;
use crate::grammar::supplement::NewerOp;
use crate::id::{Id, Ids};
use crate::instruction::Instruction;
use crate::limits::CONSTANT_COPY_FACTOR_MAX;
use crate::microscaling::Microscaling;
use crate::module::Module;
use crate::spirv::BuiltIn;
use crate::spirv::FPEncoding;
use crate::types::Type;
use spirv::{ExecutionMode, Op, Scope};
use std::sync::Arc;

/// Bytes that each descriptor takes in a heap (`OpConstantSizeOfEXT`) of the device that entry points are
/// compiled for.
pub const HEAP_DESCRIPTOR_BYTES: u64 = 16;

/// Invocations of a workgroup in x, y and z that is dispatched over a tile (`TileShadingRateQCOM`): the
/// implementation's choice.
pub const TILE_WORKGROUP: [u32; 3] = [8, 8, 1];

/// Values that the application gives to specialization constants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// `SpecId` and bits, sorted.
    values: Vec<(u32, u64)>,
    /// `SpecId` and bytes of those that are not numbers, sorted.
    data: Vec<(u32, Arc<[u8]>)>,
}

impl Specialization {
    /// No values: every constant keeps its default.
    pub fn new() -> Self {
        Specialization::default()
    }

    /// Sets the value of a `SpecId`: the bits of the number, zero-extended; of a boolean, 0 or 1 (any
    /// other is true).
    pub fn set(&mut self, spec_id: u32, bits: u64) {
        match self.values.binary_search_by_key(&spec_id, |(id, _)| *id) {
            Ok(place) => self.values[place].1 = bits,
            Err(place) => self.values.insert(place, (spec_id, bits)),
        }
    }

    /// All values that were set: `SpecId` and bits, sorted.
    pub fn values(&self) -> &[(u32, u64)] {
        &self.values
    }

    /// Sets the value of a `SpecId` by its bytes: a number where there are 1, 2, 4 or 8, in the order of
    /// memory, else an array (`OpSpecConstantDataKHR`).
    pub fn set_bytes(&mut self, spec_id: u32, bytes: &[u8]) {
        if let Some(bits) = number_of(bytes) {
            return self.set(spec_id, bits);
        }
        match self.data.binary_search_by_key(&spec_id, |(id, _)| *id) {
            Ok(place) => self.data[place].1 = bytes.into(),
            Err(place) => self.data.insert(place, (spec_id, bytes.into())),
        }
    }

    /// All values that were set: `SpecId` and bytes, eight for a number, as [`Specialization::set_bytes`]
    /// takes them; numbers come first.
    pub fn to_bytes(&self) -> Vec<(u32, Vec<u8>)> {
        let numbers = self.values.iter().map(|(id, bits)| (*id, bits.to_le_bytes().to_vec()));
        numbers.chain(self.data.iter().map(|(id, bytes)| (*id, bytes.to_vec()))).collect()
    }

    /// The value of a `SpecId`, if it was set, as so many bytes; none where it has another size.
    fn bytes(&self, spec_id: u32, len: u64) -> Option<Vec<u8>> {
        if matches!(len, 1 | 2 | 4 | 8) {
            return Some(self.get(spec_id)?.to_le_bytes()[..len as usize].to_vec());
        }
        let place = self.data.binary_search_by_key(&spec_id, |(id, _)| *id).ok()?;
        Some(self.data[place].1.to_vec()).filter(|bytes| bytes.len() as u64 == len)
    }

    /// The value of a `SpecId`, if it was set.
    pub fn get(&self, spec_id: u32) -> Option<u64> {
        let place = self.values.binary_search_by_key(&spec_id, |(id, _)| *id).ok()?;
        Some(self.values[place].1)
    }
}

impl FromIterator<(u32, u64)> for Specialization {
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(values: I) -> Self {
        let mut specialization = Specialization::new();
        values.into_iter().for_each(|(id, bits)| specialization.set(id, bits));
        specialization
    }
}

/// The bits of a number, by its bytes in the order of memory; none where no number has so many.
fn number_of(bytes: &[u8]) -> Option<u64> {
    let mut all = [0; 8];
    all.get_mut(..bytes.len()).filter(|_| matches!(bytes.len(), 1 | 2 | 4 | 8))?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(all))
}

/// The value of a constant. [`ConstantValues::element`] takes composites apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Bits of a number, zero-extended; of a boolean, 0 or 1.
    Scalar(u64),
    /// A composite whose elements are in the table of parts.
    Composite(Parts),
    /// A composite whose elements all have the value of this constant.
    Splat(Id),
    /// Zero in all its parts, of this composite type (`OpConstantNull`).
    Null(Id),
    /// An undefined value of this type (`OpUndef`).
    Undef(Id),
    /// A constant whose value is the implementation's to choose, or that is not a value: a sampler, the
    /// size of descriptors where no entry point is compiled, a string, the length of a cooperative matrix, …
    Opaque,
}

/// Where a composite's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    start: u32,
    len: u32,
}

/// Why the constants of a module cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstantError {
    /// `OpSpecConstantOp` of an operation that cannot be evaluated.
    #[error("{id}: OpSpecConstantOp cannot evaluate Op{op:?}")]
    Unsupported {
        /// The constant.
        id: Id,
        /// The operation.
        op: Op,
    },
    /// Operands or types do not fit the operation.
    #[error("{id}: the operands of Op{op:?} do not fit it")]
    Malformed {
        /// The constant.
        id: Id,
        /// The operation.
        op: Op,
    },
    /// Constant data of another type than an array of integers.
    #[error("{0}: the type of constant data is not an array of integers")]
    DataType(Id),
    /// Constant data of another size than the type.
    #[error("{id}: the data are {found} words, but an array of its type takes {needed}")]
    DataSize {
        /// The constant.
        id: Id,
        /// Words that there are.
        found: usize,
        /// Words of the type.
        needed: u64,
    },
    /// Composites are copied too often.
    #[error("{0}: constants copy too many constituents")]
    TooLarge(Id),
}

/// The values of a module's constants. Clones share the values.
#[derive(Clone)]
pub struct ConstantValues<'m> {
    module: &'m Module,
    /// Whether conversions to floats of 16, 32 and 64 bits round towards zero.
    toward_zero: [bool; 3],
    /// Invocations of a subgroup, which share cooperative matrices; 0 where that is not known.
    matrix_lanes: u32,
    /// The entry point that constants are evaluated for; with one, sizes of descriptors are
    /// [`HEAP_DESCRIPTOR_BYTES`], and the invocations of its workgroups share matrices of that scope.
    entry_point: Option<Id>,
    table: Arc<Table>,
}

/// Values by id.
#[derive(Clone, Default)]
struct Table {
    /// By id: index in `values` plus one, or zero.
    by_id: Vec<u32>,
    values: Vec<Value>,
    parts: Vec<Value>,
    /// Parts that may still be made by copying.
    copies_left: usize,
    /// A value depends on the entry point or the subgroup size.
    depends_on_entry_point: bool,
}

/// The values of a module's constants under a specialization, together with the module: owned, and cheap to
/// clone.
#[derive(Clone)]
pub struct SpecializedModule {
    module: Arc<Module>,
    specialization: Specialization,
    table: Arc<Table>,
}

impl SpecializedModule {
    /// Evaluates all constants at module scope.
    ///
    /// # Errors
    /// As of [`ConstantValues::evaluate`].
    pub fn new(module: Arc<Module>, specialization: Specialization) -> Result<Self, ConstantError> {
        let table = ConstantValues::evaluate(&module, &specialization)?.table;
        Ok(SpecializedModule { module, specialization, table })
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The specialization.
    pub fn specialization(&self) -> &Specialization {
        &self.specialization
    }

    /// The values, for no particular entry point.
    pub fn constants(&self) -> ConstantValues<'_> {
        ConstantValues {
            module: &self.module,
            toward_zero: [false; 3],
            matrix_lanes: 0,
            entry_point: None,
            table: Arc::clone(&self.table),
        }
    }

    /// The values for an entry point whose subgroups have `lanes` invocations (0 where that is not known), as
    /// of [`ConstantValues::evaluate_for_subgroup`]. They are evaluated again only in modules where they may
    /// differ.
    ///
    /// # Errors
    /// As of [`ConstantValues::evaluate`].
    pub fn constants_for(&self, entry_point: Id, lanes: u32) -> Result<ConstantValues<'_>, ConstantError> {
        if self.table.depends_on_entry_point {
            let (module, specialization) = (&self.module, &self.specialization);
            return ConstantValues::evaluate_for_subgroup(module, specialization, entry_point, lanes);
        }
        let (toward_zero, matrix_lanes) = (rounds_toward_zero(&self.module, entry_point), lanes);
        let entry_point = Some(entry_point);
        Ok(ConstantValues { toward_zero, matrix_lanes, entry_point, ..self.constants() })
    }
}

/// By the execution modes of an entry point: whether conversions to floats of 16, 32 and 64 bits round
/// towards zero.
fn rounds_toward_zero(module: &Module, entry_point: Id) -> [bool; 3] {
    let mut toward_zero = [false; 3];
    for mode in module.execution_modes(entry_point) {
        if mode.mode == ExecutionMode::RoundingModeRTZ {
            match mode.operands {
                [16] => toward_zero[0] = true,
                [32] => toward_zero[1] = true,
                [64] => toward_zero[2] = true,
                _ => {}
            }
        }
    }
    toward_zero
}

impl<'m> ConstantValues<'m> {
    /// Evaluates all constants at module scope, in order.
    ///
    /// # Errors
    /// When an operand is not a constant declared before, does not fit, or an operation is not one that
    /// Vulkan allows.
    pub fn evaluate(module: &'m Module, specialization: &Specialization) -> Result<Self, ConstantError> {
        Self::evaluate_with(module, specialization, None, 0)
    }

    /// The same for an entry point: its execution modes say which conversions round towards zero.
    ///
    /// # Errors
    /// As of [`ConstantValues::evaluate`].
    pub fn evaluate_for(
        module: &'m Module,
        specialization: &Specialization,
        entry_point: Id,
    ) -> Result<Self, ConstantError> {
        Self::evaluate_for_subgroup(module, specialization, entry_point, 0)
    }

    /// The same for an entry point whose subgroups have so many invocations, so that cooperative matrices
    /// have a known number of elements in each; 0 where that is not known.
    ///
    /// # Errors
    /// As of [`ConstantValues::evaluate`].
    pub fn evaluate_for_subgroup(
        module: &'m Module,
        specialization: &Specialization,
        entry_point: Id,
        lanes: u32,
    ) -> Result<Self, ConstantError> {
        let toward_zero = rounds_toward_zero(module, entry_point);
        Self::evaluate_with(module, specialization, Some((entry_point, toward_zero)), lanes)
    }

    fn evaluate_with(
        module: &'m Module,
        specialization: &Specialization,
        entry_point: Option<(Id, [bool; 3])>,
        matrix_lanes: u32,
    ) -> Result<Self, ConstantError> {
        let mut values = ConstantValues {
            module,
            toward_zero: entry_point.map(|(_, toward_zero)| toward_zero).unwrap_or_default(),
            matrix_lanes,
            entry_point: entry_point.map(|(entry_point, _)| entry_point),
            table: Arc::new(Table {
                by_id: vec![0; module.bound()],
                copies_left: (module.words().len() * CONSTANT_COPY_FACTOR_MAX).min(u32::MAX as usize / 2),
                ..Table::default()
            }),
        };
        for inst in module.global_insts() {
            let (Some(result), Some(ty)) = (inst.result(), inst.result_type()) else { continue };
            let Some(value) = values.declaration(inst, result, ty, specialization)? else { continue };
            let table = values.table_mut();
            table.values.push(value);
            table.by_id[result.as_u32() as usize] = table.values.len() as u32;
        }
        Ok(values)
    }

    /// The table, to write to while constants are evaluated. Nothing shares it then, so that nothing is
    /// copied.
    fn table_mut(&mut self) -> &mut Table {
        Arc::make_mut(&mut self.table)
    }

    /// The module.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// The value of a constant at module scope.
    pub fn get(&self, id: Id) -> Option<Value> {
        let index = self.table.by_id.get(id.as_u32() as usize)?.checked_sub(1)?;
        Some(self.table.values[index as usize])
    }

    /// The bits of a scalar constant, zero-extended; an undefined one is zero.
    pub fn scalar(&self, id: Id) -> Option<u64> {
        self.scalar_of(self.get(id)?)
    }

    /// The bits of a scalar; an undefined one is zero.
    pub fn scalar_of(&self, value: Value) -> Option<u64> {
        match value {
            Value::Scalar(bits) => Some(bits),
            Value::Undef(ty) if self.module.ty(ty).is_scalar() => Some(0),
            _ => None,
        }
    }

    /// A scalar integer constant as the number that it is by its type's signedness.
    pub fn integer(&self, id: Id) -> Option<i128> {
        let bits = self.scalar(id)?;
        match self.module.value_type(id)? {
            Type::Int { width, signed: true } => Some(i128::from(sign_extend(bits, width))),
            Type::Int { signed: false, .. } => Some(i128::from(bits)),
            _ => None,
        }
    }

    /// A scalar integer constant that is not negative and fits: counts, indices, scopes, masks.
    pub fn unsigned(&self, id: Id) -> Option<u32> {
        u32::try_from(self.integer(id)?).ok()
    }

    /// A boolean constant.
    pub fn boolean(&self, id: Id) -> Option<bool> {
        match self.module.value_type(id)? {
            Type::Bool => Some(self.scalar(id)? != 0),
            _ => None,
        }
    }

    /// How many elements an array type has: at least one; none for what is not an array or has no known or
    /// no positive length.
    pub fn array_len(&self, ty: Id) -> Option<u64> {
        match self.module.ty(ty) {
            Type::Array { len, .. } => u64::try_from(self.integer(len)?).ok().filter(|&len| len != 0),
            _ => None,
        }
    }

    /// How many elements values of a composite type have.
    pub fn element_count(&self, ty: Id) -> Option<u64> {
        match self.module.ty(ty) {
            Type::Vector { count, .. } | Type::Matrix { count, .. } => Some(u64::from(count)),
            Type::CooperativeVector { count, .. } => Some(u64::from(self.unsigned(count)?)),
            Type::Array { .. } => self.array_len(ty),
            Type::Struct { members } => Some(members.len() as u64),
            Type::CooperativeMatrixKhr { .. } | Type::CooperativeMatrixNv { .. } => {
                let [rows, columns] = self.matrix_size(ty)?;
                let [lanes, subgroups] = self.matrix_sharing(ty)?;
                // Whole rows in each subgroup, where subgroups have whole rows.
                if columns.is_multiple_of(lanes) {
                    return Some(u64::from(rows.div_ceil(subgroups)) * u64::from(columns / lanes));
                }
                let count = u64::from(rows) * u64::from(columns);
                Some(count.div_ceil(lanes.into()).div_ceil(subgroups.into()))
            }
            _ => None,
        }
    }

    /// How large workgroups of the entry point are in x, y and z: the constant decorated `WorkgroupSize`
    /// comes before the execution modes; those of tiles are [`TILE_WORKGROUP`]. None where constants for that
    /// have no values, or there is no entry point.
    pub fn workgroup_size(&self) -> Option<[u32; 3]> {
        let module = self.module;
        let entry = self.entry_point?;
        for inst in module.global_insts() {
            let Some(id) = inst.result() else { continue };
            if module.built_in(id) == Some(BuiltIn::WorkgroupSize)
                && let Some(value) = self.get(id)
            {
                let side = |index| {
                    let element = self.element(value, index)?;
                    u32::try_from(self.scalar_of(element)?).ok()
                };
                return Some([side(0)?, side(1)?, side(2)?]);
            }
        }
        if let Some(mode) = module.execution_mode(entry, ExecutionMode::LocalSizeId) {
            let &[x, y, z] = mode.operands else { return None };
            let side = |id| self.unsigned(Id::from_u32(id));
            return Some([side(x)?, side(y)?, side(z)?]);
        }
        if module.execution_mode(entry, ExecutionMode::TileShadingRateQCOM).is_some() {
            return Some(TILE_WORKGROUP);
        }
        match module.execution_mode(entry, ExecutionMode::LocalSize).map(|mode| mode.operands) {
            Some(&[x, y, z]) => Some([x, y, z]),
            _ => None,
        }
    }

    /// How many invocations of each subgroup, and how many subgroups, share a cooperative matrix of a type:
    /// one subgroup, or all of the workgroup, where a single one may be a part of one. None where that is not
    /// known.
    pub fn matrix_sharing(&self, ty: Id) -> Option<[u32; 2]> {
        let scope = match self.module.ty(ty) {
            Type::CooperativeMatrixKhr { scope, .. } | Type::CooperativeMatrixNv { scope, .. } => scope,
            _ => return None,
        };
        if self.matrix_lanes == 0 {
            return None;
        }
        if self.unsigned(scope) != Some(Scope::Workgroup as u32) {
            return Some([self.matrix_lanes, 1]);
        }
        let size = self.workgroup_size()?.into_iter().try_fold(1, u32::checked_mul)?;
        let lanes = self.matrix_lanes.min(size);
        (lanes != 0).then(|| [lanes, size.div_ceil(lanes)])
    }

    /// Rows and columns of a cooperative matrix type.
    pub fn matrix_size(&self, ty: Id) -> Option<[u32; 2]> {
        match self.module.ty(ty) {
            Type::CooperativeMatrixKhr { rows, columns, .. }
            | Type::CooperativeMatrixNv { rows, columns, .. } => {
                Some([self.unsigned(rows)?, self.unsigned(columns)?])
            }
            _ => None,
        }
    }

    /// How many components a vector type has, one for a scalar type.
    pub fn component_count(&self, ty: Id) -> Option<u32> {
        match self.module.ty(ty) {
            Type::Vector { count, .. } => Some(count),
            Type::CooperativeVector { count, .. } => self.unsigned(count),
            other => other.is_scalar().then_some(1),
        }
    }

    /// The type of an element of a composite type.
    pub fn element_type(&self, ty: Id, index: u64) -> Option<Id> {
        if self.element_count(ty)? <= index {
            return None;
        }
        match self.module.ty(ty) {
            Type::Vector { component, .. }
            | Type::CooperativeVector { component, .. }
            | Type::CooperativeMatrixKhr { component, .. }
            | Type::CooperativeMatrixNv { component, .. } => Some(component),
            Type::Matrix { column, .. } => Some(column),
            Type::Array { element, .. } => Some(element),
            Type::Struct { members } => members.get(index as usize),
            _ => None,
        }
    }

    /// An element of a composite.
    pub fn element(&self, value: Value, index: u64) -> Option<Value> {
        match value {
            Value::Composite(parts) => (index < u64::from(parts.len))
                .then(|| self.table.parts[parts.start as usize + index as usize]),
            Value::Splat(element) => self.get(element),
            Value::Null(ty) => Some(self.null(self.element_type(ty, index)?)),
            Value::Undef(ty) => Some(Value::Undef(self.element_type(ty, index)?)),
            Value::Scalar(_) | Value::Opaque => None,
        }
    }

    fn null(&self, ty: Id) -> Value {
        if self.module.ty(ty).is_scalar() { Value::Scalar(0) } else { Value::Null(ty) }
    }

    fn declaration(
        &mut self,
        inst: Instruction<'m>,
        result: Id,
        ty: Id,
        specialization: &Specialization,
    ) -> Result<Option<Value>, ConstantError> {
        let malformed = || ConstantError::Malformed { id: result, op: inst.op() };
        let given = || {
            let spec_id = self.module.decoration_literal(result, spirv::Decoration::SpecId)?;
            specialization.get(spec_id)
        };
        Ok(Some(match inst.op() {
            Op::ConstantTrue => Value::Scalar(1),
            Op::ConstantFalse => Value::Scalar(0),
            Op::SpecConstantTrue => Value::Scalar(u64::from(given().is_none_or(|bits| bits != 0))),
            Op::SpecConstantFalse => Value::Scalar(u64::from(given().is_some_and(|bits| bits != 0))),
            Op::Constant | Op::SpecConstant => {
                let width = self.module.ty(ty).width().ok_or_else(malformed)?;
                let default = literal_bits(inst.operand_words());
                let bits = if inst.op() == Op::SpecConstant { given().unwrap_or(default) } else { default };
                Value::Scalar(truncate(bits, width))
            }
            _ if matches!(inst.newer(), Some(NewerOp::ConstantData | NewerOp::SpecConstantData)) => {
                self.constant_data(inst, result, ty, specialization)?
            }
            Op::ConstantNull => self.null(ty),
            Op::Undef => Value::Undef(ty),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts: Option<Vec<_>> = inst.ids_from(0).iter().map(|id| self.get(id)).collect();
                self.composite(parts.ok_or_else(malformed)?.into_iter())
            }
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                self.get(inst.id(0)).ok_or_else(malformed)?;
                Value::Splat(inst.id(0))
            }
            Op::SpecConstantOp => self.operation(inst, result, ty)?,
            Op::ConstantSizeOfEXT => {
                self.table_mut().depends_on_entry_point = true;
                if self.entry_point.is_some() { Value::Scalar(HEAP_DESCRIPTOR_BYTES) } else { Value::Opaque }
            }
            _ if inst.info().class == crate::grammar::OpClass::Constant => Value::Opaque,
            _ => return Ok(None),
        }))
    }

    /// `OpConstantDataKHR` and `OpSpecConstantDataKHR`: an array of integers by its words.
    fn constant_data(
        &mut self,
        inst: Instruction<'m>,
        result: Id,
        ty: Id,
        specialization: &Specialization,
    ) -> Result<Value, ConstantError> {
        let wrong_type = || ConstantError::DataType(result);
        let Type::Array { element, .. } = self.module.ty(ty) else { return Err(wrong_type()) };
        let Type::Int { width: width @ (8 | 16 | 32 | 64), .. } = self.module.ty(element) else {
            return Err(wrong_type());
        };
        let (bytes_each, count) = (u64::from(width / 8), self.element_count(ty).ok_or_else(wrong_type)?);
        let len = bytes_each.saturating_mul(count);
        let (found, needed) = (inst.operand_words().len(), len.div_ceil(4));
        if found == 0 || needed != found as u64 {
            return Err(ConstantError::DataSize { id: result, found, needed });
        }
        let given = match inst.newer() {
            Some(NewerOp::SpecConstantData) => {
                let spec_id = self.module.decoration_literal(result, spirv::Decoration::SpecId);
                spec_id.and_then(|spec_id| specialization.bytes(spec_id, len))
            }
            _ => None,
        };
        let own = || inst.operand_words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes: Vec<u8> = given.unwrap_or_else(own);
        let numbers = bytes[..len as usize].chunks_exact(bytes_each as usize);
        Ok(self.composite(numbers.map(|number| Value::Scalar(number_of(number).unwrap_or(0)))))
    }

    fn composite(&mut self, parts: impl ExactSizeIterator<Item = Value>) -> Value {
        let table = self.table_mut();
        let start = table.parts.len() as u32;
        let len = parts.len() as u32;
        table.parts.extend(parts);
        Value::Composite(Parts { start, len })
    }

    fn charge(&mut self, id: Id, count: u64) -> Result<(), ConstantError> {
        let table = self.table_mut();
        let left = usize::try_from(count).ok().and_then(|count| table.copies_left.checked_sub(count));
        table.copies_left = left.ok_or(ConstantError::TooLarge(id))?;
        Ok(())
    }

    /// `OpSpecConstantOp`.
    fn operation(&mut self, inst: Instruction<'m>, result: Id, ty: Id) -> Result<Value, ConstantError> {
        let op = Op::from_u32(inst.word(0)).expect("decoding has checked it");
        let malformed = ConstantError::Malformed { id: result, op };
        let operands = &inst.operand_words()[1..];
        let value = match op {
            Op::CompositeExtract => {
                let mut value = self.get(Id::from_u32(operands[0]));
                for &index in &operands[1..] {
                    value = value.and_then(|value| self.element(value, u64::from(index)));
                }
                value
            }
            Op::CompositeInsert => {
                let (object, composite) = (Id::from_u32(operands[0]), Id::from_u32(operands[1]));
                match (self.get(object), self.get(composite)) {
                    (Some(object), Some(composite)) => {
                        self.insert(result, object, composite, ty, &operands[2..])?
                    }
                    _ => None,
                }
            }
            Op::VectorShuffle => self.shuffle(result, operands)?,
            Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV => {
                self.table_mut().depends_on_entry_point = true;
                let length = self.element_count(Id::from_u32(operands[0]));
                Some(length.map_or(Value::Opaque, Value::Scalar))
            }
            _ if is_scalar_operation(op) => return self.component_wise(op, result, ty, Ids(operands)),
            _ => return Err(ConstantError::Unsupported { id: result, op }),
        };
        value.ok_or(malformed)
    }

    fn insert(
        &mut self,
        id: Id,
        object: Value,
        composite: Value,
        ty: Id,
        indices: &[u32],
    ) -> Result<Option<Value>, ConstantError> {
        let Some((&index, rest)) = indices.split_first() else { return Ok(Some(object)) };
        let (Some(count), Some(element_type)) =
            (self.element_count(ty), self.element_type(ty, u64::from(index)))
        else {
            return Ok(None);
        };
        self.charge(id, count)?;
        let Some(element) = self.element(composite, u64::from(index)) else { return Ok(None) };
        // As deep as types nest, which decoding limits.
        let Some(inserted) = self.insert(id, object, element, element_type, rest)? else { return Ok(None) };
        let mut parts = Vec::with_capacity(count as usize);
        for place in 0..count {
            let Some(element) = self.element(composite, place) else { return Ok(None) };
            parts.push(if place == u64::from(index) { inserted } else { element });
        }
        Ok(Some(self.composite(parts.into_iter())))
    }

    fn shuffle(&mut self, id: Id, operands: &[u32]) -> Result<Option<Value>, ConstantError> {
        let (left, right) = (Id::from_u32(operands[0]), Id::from_u32(operands[1]));
        let (Some(left_value), Some(right_value)) = (self.get(left), self.get(right)) else {
            return Ok(None);
        };
        let count = |id| self.module.type_of(id).and_then(|ty| self.element_count(ty));
        let (Some(left_count), Some(left_type)) = (count(left), self.module.type_of(left)) else {
            return Ok(None);
        };
        self.charge(id, operands.len() as u64)?;
        let mut parts = Vec::with_capacity(operands.len() - 2);
        for &index in &operands[2..] {
            let index = u64::from(index);
            let element = if index == u64::from(u32::MAX) {
                self.element_type(left_type, 0).map(Value::Undef)
            } else if index < left_count {
                self.element(left_value, index)
            } else {
                self.element(right_value, index - left_count)
            };
            let Some(element) = element else { return Ok(None) };
            parts.push(element);
        }
        Ok(Some(self.composite(parts.into_iter())))
    }

    /// An operation on scalars, or on each component of vectors.
    fn component_wise(&mut self, op: Op, id: Id, ty: Id, operands: Ids<'m>) -> Result<Value, ConstantError> {
        let malformed = || ConstantError::Malformed { id, op };
        let component = self.module.component(ty).ok_or_else(malformed)?.ty;
        let count = self.component_count(ty).ok_or_else(malformed)?;
        let is_vector = !self.module.ty(ty).is_scalar();
        let mut types = [Type::Bool; 3];
        let mut values = [Value::Opaque; 3];
        if operands.len() != operand_count(op) {
            return Err(malformed());
        }
        for (place, operand) in operands.iter().enumerate() {
            let operand_type = self.module.type_of(operand).ok_or_else(malformed)?;
            let operand_component = self.module.component(operand_type).ok_or_else(malformed)?.ty;
            // Select may choose whole vectors by one boolean.
            let one_for_all = op == Op::Select && place == 0 && self.module.ty(operand_type).is_scalar();
            if self.component_count(operand_type) != Some(count) && !one_for_all {
                return Err(malformed());
            }
            types[place] = operand_component;
            values[place] = self.get(operand).ok_or_else(malformed)?;
        }
        if values[..operands.len()].contains(&Value::Opaque) {
            return Ok(Value::Opaque);
        }
        self.charge(id, u64::from(count))?;
        let mut results = Vec::with_capacity(count as usize);
        for index in 0..u64::from(count) {
            let mut bits = [0; 3];
            for place in 0..operands.len() {
                let element = match values[place] {
                    Value::Scalar(bits) => Some(Value::Scalar(bits)),
                    Value::Undef(ty) if self.module.ty(ty).is_scalar() => Some(Value::Scalar(0)),
                    composite => self.element(composite, index),
                };
                let scalar = element.and_then(|element| self.scalar_of(element));
                bits[place] = scalar.ok_or_else(malformed)?;
            }
            let value = scalar_operation(op, component, &types, bits).ok_or_else(malformed)?;
            let value = match op {
                Op::FConvert => {
                    self.table_mut().depends_on_entry_point = true;
                    self.rounded(component, types[0], bits[0], value)
                }
                _ => value,
            };
            results.push(Value::Scalar(value));
        }
        Ok(if is_vector { self.composite(results.into_iter()) } else { results[0] })
    }
}

impl ConstantValues<'_> {
    /// The nearest float of a type in the type's rounding mode: a number that was rounded away from zero
    /// steps back.
    fn rounded(&self, to: Type<'_>, from: Type<'_>, bits: u64, nearest: u64) -> u64 {
        let toward_zero = match to {
            Type::Float { width: 16, encoding: None } => self.toward_zero[0],
            Type::Float { width: 32, encoding: None } => self.toward_zero[1],
            Type::Float { width: 64, encoding: None } => self.toward_zero[2],
            _ => false,
        };
        match (to_f64(from, bits), to_f64(to, nearest)) {
            (Some(exact), Some(rounded)) if toward_zero && rounded.abs() > exact.abs() => nearest - 1,
            _ => nearest,
        }
    }
}

/// The low `width` bits.
fn truncate(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

/// The number whose two's complement the low `width` bits are.
fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift) as i64 >> shift
}

fn operand_count(op: Op) -> usize {
    match op {
        Op::SConvert
        | Op::UConvert
        | Op::FConvert
        | Op::QuantizeToF16
        | Op::SNegate
        | Op::Not
        | Op::LogicalNot => 1,
        Op::Select => 3,
        _ => 2,
    }
}

fn is_scalar_operation(op: Op) -> bool {
    matches!(
        op,
        Op::SConvert
            | Op::UConvert
            | Op::FConvert
            | Op::QuantizeToF16
            | Op::SNegate
            | Op::Not
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::ShiftLeftLogical
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitwiseAnd
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalNot
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
    )
}

/// One scalar operation; none when the types do not fit it.
fn scalar_operation(op: Op, ty: Type<'_>, operands: &[Type<'_>; 3], bits: [u64; 3]) -> Option<u64> {
    let [a, b, c] = bits;
    match op {
        Op::LogicalOr | Op::LogicalAnd | Op::LogicalNot | Op::LogicalEqual | Op::LogicalNotEqual => {
            if operands[..operand_count(op)].iter().any(|ty| *ty != Type::Bool) || ty != Type::Bool {
                return None;
            }
            return Some(match op {
                Op::LogicalOr => a | b,
                Op::LogicalAnd => a & b,
                Op::LogicalNot => a ^ 1,
                Op::LogicalEqual => u64::from(a == b),
                _ => u64::from(a != b),
            });
        }
        Op::Select => {
            return (operands[0] == Type::Bool && operands[1] == ty && operands[2] == ty)
                .then_some(if a != 0 { b } else { c });
        }
        Op::FConvert => return from_f64(ty, to_f64(operands[0], a)?),
        Op::QuantizeToF16 => {
            let Type::Float { width: 32, encoding: None } = ty else { return None };
            let value = half::f16::from_f32(f32::from_bits(a as u32));
            // Values too small for a normal half become zeros of their sign.
            let is_small = value.to_f32().abs() < half::f16::MIN_POSITIVE.to_f32();
            let quantized = if is_small { 0f32.copysign(value.to_f32()) } else { value.to_f32() };
            return Some(u64::from(quantized.to_bits()));
        }
        _ => {}
    }
    let Type::Int { width, .. } = operands[0] else { return None };
    if operand_count(op) == 2 {
        let Type::Int { width: second, .. } = operands[1] else { return None };
        let is_shift = matches!(op, Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical);
        if second != width && !is_shift {
            return None;
        }
    }
    let (signed_a, signed_b) = (sign_extend(a, width), sign_extend(b, width));
    let compared = match op {
        Op::IEqual => Some(a == b),
        Op::INotEqual => Some(a != b),
        Op::ULessThan => Some(a < b),
        Op::SLessThan => Some(signed_a < signed_b),
        Op::UGreaterThan => Some(a > b),
        Op::SGreaterThan => Some(signed_a > signed_b),
        Op::ULessThanEqual => Some(a <= b),
        Op::SLessThanEqual => Some(signed_a <= signed_b),
        Op::UGreaterThanEqual => Some(a >= b),
        Op::SGreaterThanEqual => Some(signed_a >= signed_b),
        _ => None,
    };
    if let Some(compared) = compared {
        return (ty == Type::Bool).then_some(u64::from(compared));
    }
    let Type::Int { width: result_width, .. } = ty else { return None };
    let is_conversion = matches!(op, Op::SConvert | Op::UConvert);
    if result_width != width && !is_conversion {
        return None;
    }
    let shift = (b % u64::from(width.max(1))) as u32;
    let value = match op {
        Op::SConvert => signed_a as u64,
        Op::UConvert => a,
        Op::SNegate => a.wrapping_neg(),
        Op::Not => !a,
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(0),
        Op::UMod => a.checked_rem(b).unwrap_or(0),
        Op::SDiv if b == 0 => 0,
        Op::SDiv => signed_a.wrapping_div(signed_b) as u64,
        Op::SRem | Op::SMod if b == 0 => 0,
        Op::SRem => signed_a.wrapping_rem(signed_b) as u64,
        Op::SMod => {
            // The sign of the divisor, where the remainder has the dividend's.
            let remainder = signed_a.wrapping_rem(signed_b);
            let differs = remainder != 0 && (remainder < 0) != (signed_b < 0);
            (if differs { remainder.wrapping_add(signed_b) } else { remainder }) as u64
        }
        Op::ShiftRightLogical => a >> shift,
        Op::ShiftRightArithmetic => (signed_a >> shift) as u64,
        Op::ShiftLeftLogical => a << shift,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::BitwiseAnd => a & b,
        _ => return None,
    };
    Some(truncate(value, result_width))
}

fn to_f64(ty: Type<'_>, bits: u64) -> Option<f64> {
    Some(match ty {
        Type::Float { width: 16, encoding: None } => half::f16::from_bits(bits as u16).to_f64(),
        Type::Float { width: 16, encoding: Some(FPEncoding::BFloat16KHR) } => {
            half::bf16::from_bits(bits as u16).to_f64()
        }
        Type::Float { width: 32, encoding: None } => f64::from(f32::from_bits(bits as u32)),
        Type::Float { width: 64, encoding: None } => f64::from_bits(bits),
        Type::Float { encoding: Some(encoding), .. } => {
            let bits = bits as u8;
            let float8 = Float8::from_encoding(encoding).map(|kind| kind.decode(bits));
            float8.or_else(|| Some(Microscaling::from_encoding(encoding)?.decode(bits)))?
        }
        _ => return None,
    })
}

fn from_f64(ty: Type<'_>, value: f64) -> Option<u64> {
    Some(match ty {
        Type::Float { width: 16, encoding: None } => u64::from(float16::f16_bits(value)),
        Type::Float { width: 16, encoding: Some(FPEncoding::BFloat16KHR) } => {
            u64::from(float16::bf16_bits(value))
        }
        Type::Float { width: 32, encoding: None } => u64::from((value as f32).to_bits()),
        Type::Float { width: 64, encoding: None } => value.to_bits(),
        Type::Float { width: 8, encoding: Some(encoding) } => {
            u64::from(Float8::from_encoding(encoding)?.encode(value))
        }
        _ => return None,
    })
}
