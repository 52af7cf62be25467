//! Cooperative matrices: `SPV_KHR_cooperative_matrix`, `SPV_NV_cooperative_matrix` and
//! `SPV_NV_cooperative_matrix2`, arrays of them ([`mod@array`]); cooperative vectors ([`vector`]).
//!
//! The lanes of a subgroup share a matrix: its elements, numbered row by row, are dealt out to the lanes one
//! after the other. Element `e` lies in lane `e % lanes`, as that lane's component `e / lanes`; what is left
//! of the last component has no meaning. That holds for all uses, so that conversions between uses are
//! nothing. A matrix whose columns are a multiple of the subgroup has a row, or a part of one, in each
//! component: rows are loaded as vectors, and the second factor of a product and its accumulator are just
//! there. Elements of the first factor are wanted by all lanes, one after the other: it goes to memory
//! ([`staging`]), from where processors read one element to all lanes at no cost.
//!
//! Of a matrix that a workgroup shares each subgroup has some of the rows, the first one the first, dealt out
//! as above ([`Matrix::row_blocks`]); where rows are no multiple of the subgroup, it has some of the
//! components instead. What subgroups exchange goes through the same memory, between barriers.

mod array;
mod element;
mod memory;
mod multiply;
mod reduce;
mod staging;
mod tensor;
mod tile_loop;
mod vector;

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::types::{scalar_of, type_text};
use pyro_ir::{BlockCall, Merge, Opcode, Scalar, Type as IrType, Value};
use pyro_spirv::spirv::{BuiltIn, Op, Scope};
use pyro_spirv::{Id, Instruction, Type};

/// A cooperative matrix type.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    /// The type of its elements.
    component: Id,
    /// What an element is here.
    scalar: Scalar,
    rows: u32,
    columns: u32,
    /// Invocations of a subgroup.
    lanes: u32,
    /// Subgroups that share it.
    subgroups: u32,
}

impl Matrix {
    /// Components of each lane.
    fn count(&self) -> u32 {
        match self.row_blocks() {
            Some(blocks) => self.own_rows() * blocks,
            None => (self.rows * self.columns).div_ceil(self.lanes).div_ceil(self.subgroups),
        }
    }

    /// How many components a row is, where these are whole.
    fn row_blocks(&self) -> Option<u32> {
        self.columns.is_multiple_of(self.lanes).then(|| self.columns / self.lanes)
    }

    /// Rows that each subgroup has, where [`row_blocks`](Self::row_blocks) are whole; the last ones may have
    /// fewer.
    fn own_rows(&self) -> u32 {
        self.rows.div_ceil(self.subgroups)
    }

    /// Elements between those of one subgroup's first component and those of the next one's.
    fn elements_each(&self) -> u32 {
        self.count() * self.lanes
    }

    /// With rows and columns exchanged.
    fn exchanged(&self) -> Matrix {
        Matrix { rows: self.columns, columns: self.rows, ..*self }
    }
}

impl<'m> Lowerer<'m, '_> {
    /// A cooperative matrix type's facts.
    fn matrix(&mut self, ty: Id) -> Result<Matrix> {
        let (component, scope) = match self.module.ty(ty) {
            Type::CooperativeMatrixKhr { component, scope, .. }
            | Type::CooperativeMatrixNv { component, scope, .. } => (component, scope),
            _ => return invalid(format!("{} is not a cooperative matrix", type_text(self.module, ty))),
        };
        let (Some([rows, columns]), Some([lanes, subgroups])) =
            (self.constants.matrix_size(ty), self.constants.matrix_sharing(ty))
        else {
            return invalid(format!("cooperative matrix type {ty} has no known size"));
        };
        match self.constants.unsigned(scope).and_then(Scope::from_u32) {
            Some(Scope::Subgroup) => {}
            Some(Scope::Workgroup) => {
                let size = self.constants.workgroup_size().map(|size| size.iter().product::<u32>());
                if size.is_none_or(|size| !size.is_multiple_of(lanes)) {
                    return unsupported("cooperative matrices of workgroups whose subgroups are not full");
                }
            }
            _ => return unsupported("cooperative matrices of another scope than Subgroup and Workgroup"),
        }
        // Fails where there are too many components, so that products of sizes fit below.
        if self.type_scalars(ty)?.is_empty() {
            return invalid(format!("cooperative matrix type {ty} has no elements"));
        }
        if u64::from(rows) * u64::from(columns) > 1 << 24 {
            return unsupported(format!("a cooperative matrix of {rows} by {columns}"));
        }
        let scalar = scalar_of(self.module, component)?;
        Ok(Matrix { component, scalar, rows, columns, lanes, subgroups })
    }

    /// The number of the subgroup, where several share a matrix.
    fn sharing_subgroup(&mut self, matrix: &Matrix) -> Result<Option<Value>> {
        if matrix.subgroups == 1 {
            return Ok(None);
        }
        let stage = self.stage;
        let scalars = self.in_prologue(|cx| stage.built_in(cx, Id::from_u32(0), BuiltIn::SubgroupId))?;
        Ok(scalars.first().copied())
    }

    /// Where several subgroups share a matrix, they wait for each other.
    fn exchange_barrier(&mut self, matrix: &Matrix) -> Result {
        if matrix.subgroups == 1 {
            return Ok(());
        }
        let stage = self.stage;
        stage.workgroup_barrier(self, 0)
    }

    /// A loop of `count` rounds, at least one. The body gets the round's number, an `i32`, and the values
    /// that go from round to round, and gives those for the next one; the last ones come out.
    fn counted_loop(
        &mut self,
        count: u32,
        carried: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        let (header, first) = (self.make_block()?, self.make_block()?);
        let (latch, behind) = (self.make_block()?, self.make_block()?);
        let zero = self.b.i32(0);
        let start: Vec<Value> = [zero].into_iter().chain(carried.iter().copied()).collect();
        self.b.jump(header, &start);
        self.b.start(header);
        let parameters: Vec<Value> = start
            .iter()
            .map(|&value| {
                let ty = IrType::varying(self.scalar_type(value));
                self.b.function.add_param(header, ty)
            })
            .collect();
        self.b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: latch });
        self.b.jump(first, &[]);
        self.b.start(first);
        let results = body(self, parameters[0], &parameters[1..])?;
        let (one, count) = (self.b.i32(1), self.b.i32(count));
        let next = self.b.op(Opcode::IAdd, &[parameters[0], one]);
        let more = self.b.op(Opcode::ULt, &[next, count]);
        let outcome: Vec<Value> = results
            .iter()
            .map(|&value| {
                let ty = IrType::varying(self.scalar_type(value));
                self.b.function.add_param(behind, ty)
            })
            .collect();
        self.b.branch(more, BlockCall::new(latch, &[]), BlockCall::new(behind, &results));
        self.b.start(latch);
        let again: Vec<Value> = [next].into_iter().chain(results).collect();
        self.b.jump(header, &again);
        self.b.start(behind);
        Ok(outcome)
    }

    /// Instructions on cooperative matrices and vectors as such; others take them as composites.
    pub(crate) fn lower_cooperative(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV => self.matrix_load(inst),
            Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV => self.matrix_store(inst),
            Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV => self.matrix_multiply_add(inst),
            Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV => {
                let matrix = self.matrix(inst.id(0))?;
                let scalar = self.result_scalar(inst)?;
                let length = self.b.constant(scalar, matrix.count().into());
                self.define_scalar(inst, length)
            }
            Op::CooperativeMatrixConvertNV => self.matrix_convert(inst),
            Op::CooperativeMatrixTransposeNV => self.matrix_transpose(inst),
            Op::CooperativeMatrixPerElementOpNV => self.matrix_per_element(inst),
            Op::CooperativeMatrixReduceNV => self.matrix_reduce(inst),
            Op::CooperativeMatrixLoadTensorNV => self.tensor_load(inst),
            Op::CooperativeMatrixStoreTensorNV => self.tensor_store(inst),
            Op::BitCastArrayQCOM => self.array_bit_cast(inst),
            Op::ExtractSubArrayQCOM => self.sub_array(inst),
            Op::CompositeConstructCoopMatQCOM => self.matrix_of_arrays(inst),
            Op::CompositeExtractCoopMatQCOM => self.array_of_matrix(inst),
            _ => self.lower_cooperative_vector(inst),
        }
    }
}
