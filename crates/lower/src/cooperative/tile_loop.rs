//! Loops of products of matrices of bytes, which the runtime may run ahead by the processor's tiles
//! (`pyro_abi::tiles`).
//!
//! # Problem
//! Tiles pay where sums stay in them over many products, and where a factor is put in order once for several.
//! What a loop does with matrices is only known as a whole.
//!
//! # Approach
//! A loop is recognized in the module ([`TileLoop`]): its blocks follow each other, and they do nothing but
//! load matrices of bytes at places that are the same distance further in each iteration, add products of
//! these to matrices that go from iteration to iteration, and add to counters. In front of such a loop its
//! places are computed for the first and the second iteration, by lowering the instructions that compute them
//! with the counters' values there. The runtime gets them with the sums, runs some iterations, and says how
//! many. The loop itself stays as it is, and starts with the counters and sums behind them: with nothing left
//! to do where all went well, else as if nothing had been.
//!
//! # Invariants
//! - Nothing in such a loop writes memory, so its loads have no order.
//! - What is lowered in front of the loop has no effects; the loop's own lowering defines all ids again.
//! - Private variables that hold a counter or a sum are read and written like phis. Where others are written,
//!   the last iteration is left to the loop, which leaves in them what they should hold.

use super::Matrix;
use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::Access;
use crate::pointer::{Index, PointerBase, Size};
use crate::value::Scalars;
use pyro_abi::context::offset;
use pyro_abi::image::record;
use pyro_abi::tiles::{COUNTER, DONE, LIMIT, STEP, Shape, matrix, product};
use pyro_ir::{BlockCall, Opcode, Scalar, Slot, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{MemoryAccess, Op, StorageClass};
use pyro_spirv::{BlockIndex, Id, Instruction, Merge, Terminator, Type};
use rustc_hash::FxHashMap;
use std::collections::HashSet;

/// Blocks and instructions of a loop that are looked at.
const BLOCKS_MAX: usize = 16;
const INSTS_MAX: usize = 1024;

/// What a value in a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The same in all iterations.
    Same,
    /// An integer, or a pointer, that is the same distance further in each.
    Linear,
    /// What a cell holds when an iteration starts.
    Cell(usize),
    /// A counter and what it grows by.
    Next(usize, Id),
    /// A matrix that was loaded.
    Loaded(usize),
    /// A cell with products added.
    Sum(usize),
    /// A counter is less than a value, as signed numbers or not.
    Less(usize, Id, bool),
}

/// What goes from iteration to iteration.
#[derive(Clone, Copy, Debug)]
enum Place<'m> {
    /// A phi of the header.
    Phi(Instruction<'m>),
    /// A private variable that is stored to, with the instruction that loads it first, and the last one that
    /// stores to it.
    Variable { load: Instruction<'m>, store: Option<Instruction<'m>> },
}

/// What is done in front of the loop to find where matrices lie in an iteration.
#[derive(Clone, Copy, Debug)]
enum Step<'m> {
    /// The instruction as it is.
    Lower(Instruction<'m>),
    /// A load of what was stored before.
    Alias(Instruction<'m>, Id),
    /// A load of a cell.
    Cell(Instruction<'m>, usize),
}

/// A loop that may be run ahead.
struct TileLoop<'m> {
    cells: Vec<Place<'m>>,
    /// What each cell holds when an iteration ends.
    ends: Vec<Kind>,
    steps: Vec<Step<'m>>,
    /// Loads of first factors, and of second ones.
    loads: [Vec<Instruction<'m>>; 2],
    /// Numbers of the factors, and the cell.
    products: Vec<([usize; 2], usize)>,
    /// The condition: the counter, the limit, whether they are signed.
    condition: (usize, Id, bool),
    multiply: Instruction<'m>,
    leaves_last: bool,
}

/// The state of a look at a loop.
struct Search<'m> {
    kinds: FxHashMap<Id, Kind>,
    /// What private variables hold: cells or what was stored.
    variables: FxHashMap<Id, (Kind, Option<Id>)>,
    /// Private variables that the loop stores to.
    stored: HashSet<Id>,
    /// There has been a store.
    has_stored: bool,
    found: TileLoop<'m>,
}

impl<'m> Search<'m> {
    fn kind(&self, id: Id) -> Kind {
        self.kinds.get(&id).copied().unwrap_or(Kind::Same)
    }

    /// Of an integer or pointer: whether it is the same in all iterations, if it is one that is known.
    fn is_same(&self, id: Id) -> Option<bool> {
        match self.kind(id) {
            Kind::Same => Some(true),
            Kind::Linear | Kind::Cell(_) | Kind::Next(..) => Some(false),
            _ => None,
        }
    }
}

/// What an operation on integers gives.
fn integer_kind(inst: Instruction<'_>, search: &Search<'_>) -> Option<Kind> {
    Some(match inst.op() {
        Op::IAdd | Op::ISub => {
            let [a, b] = [inst.id(0), inst.id(1)];
            let both = [search.is_same(a)?, search.is_same(b)?];
            let is_add = inst.op() == Op::IAdd;
            match (search.kind(a), search.kind(b)) {
                (Kind::Cell(cell), Kind::Same) if is_add => Kind::Next(cell, b),
                (Kind::Same, Kind::Cell(cell)) if is_add => Kind::Next(cell, a),
                _ if both == [true; 2] => Kind::Same,
                _ => Kind::Linear,
            }
        }
        Op::IMul | Op::ShiftLeftLogical => {
            let both = [search.is_same(inst.id(0))?, search.is_same(inst.id(1))?];
            let is_linear = both[1] || both[0] && inst.op() == Op::IMul;
            match both {
                [true, true] => Kind::Same,
                _ if is_linear => Kind::Linear,
                _ => return None,
            }
        }
        Op::Bitcast | Op::CopyObject => {
            let is_same = search.is_same(inst.id(0))?;
            if is_same { Kind::Same } else { Kind::Linear }
        }
        Op::UDiv | Op::UMod | Op::ShiftRightLogical | Op::BitwiseAnd | Op::CompositeExtract => {
            let operands = inst.op() != Op::CompositeExtract;
            let all = search.is_same(inst.id(0))? && (!operands || search.is_same(inst.id(1))?);
            all.then_some(Kind::Same)?
        }
        _ => return None,
    })
}

impl<'m> Lowerer<'m, '_> {
    /// In front of a jump to a loop that may be run ahead: lets the runtime do that. Gives the jump with what
    /// is left to do.
    pub(crate) fn run_ahead(&mut self, target: Id, from: BlockIndex, call: BlockCall) -> Result<BlockCall> {
        if !self.tiles || !self.sanitizer.is_off() || !self.trace.is_off() || self.counts_blocks() {
            return Ok(call);
        }
        let Some(found) = self.tile_loop(target, from) else { return Ok(call) };
        match self.run_loop_ahead(&found, &call)? {
            Some(args) => Ok(BlockCall { block: call.block, args: args.into_iter().collect() }),
            None => Ok(call),
        }
    }

    /// The loop with this header, if it is one that may be run ahead.
    fn tile_loop(&self, header: Id, from: BlockIndex) -> Option<TileLoop<'m>> {
        let module = self.module;
        let first = module.block_of(header)?;
        let Merge::Loop { merge, .. } = module.merge(first)? else { return None };
        let mut blocks = vec![first];
        let mut condition = None;
        loop {
            let block = *blocks.last()?;
            let next = match module.terminator(block) {
                Terminator::Branch { target } => target,
                Terminator::BranchConditional { condition: on, on_true, on_false }
                    if condition.is_none() && on_false == merge =>
                {
                    condition = Some((on, blocks.len()));
                    on_true
                }
                _ => return None,
            };
            if next == header {
                break;
            }
            let next = module.block_of(next)?;
            if blocks.len() == BLOCKS_MAX || blocks.contains(&next) || next == from {
                return None;
            }
            blocks.push(next);
        }
        let (condition, tested) = condition?;
        // Most loops have no products: nothing else is looked at then.
        let mut insts = blocks.iter().flat_map(|&block| module.body(block));
        let multiply = insts.find(|inst| inst.op() == Op::CooperativeMatrixMulAddKHR)?;
        let stores = blocks.iter().flat_map(|&block| module.body(block));
        let stored = stores.filter(|inst| inst.op() == Op::Store).map(|inst| inst.id(0)).collect();
        let latch = module.block(*blocks.last()?).label;
        let mut search = Search {
            kinds: FxHashMap::default(),
            variables: FxHashMap::default(),
            stored,
            has_stored: false,
            found: TileLoop {
                cells: Vec::new(),
                ends: Vec::new(),
                steps: Vec::new(),
                loads: [Vec::new(), Vec::new()],
                products: Vec::new(),
                condition: (0, condition, false),
                multiply,
                leaves_last: false,
            },
        };
        let mut count = 0;
        for (place, &block) in blocks.iter().enumerate() {
            for inst in module.body(block) {
                count += 1;
                let is_phi = inst.op() == Op::Phi;
                if count > INSTS_MAX || is_phi && place != 0 {
                    return None;
                }
                if is_phi {
                    let cell = search.found.cells.len();
                    search.found.cells.push(Place::Phi(inst));
                    search.kinds.insert(inst.result()?, Kind::Cell(cell));
                } else if !facts(inst.op()).is_silent() {
                    self.look_at_step(inst, &mut search)?;
                }
            }
            // Nothing happens in an iteration that is not run.
            let has_products = !search.found.products.is_empty() || search.has_stored;
            if place + 1 == tested && has_products {
                return None;
            }
        }
        self.close(search, latch)
    }

    /// Takes an instruction of a loop in: none where the loop cannot be run ahead with it.
    fn look_at_step(&self, inst: Instruction<'m>, search: &mut Search<'m>) -> Option<()> {
        let same = |search: &Search<'m>, id: Id| search.is_same(id);
        let kind = match inst.op() {
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::ShiftLeftLogical
            | Op::Bitcast
            | Op::CopyObject
            | Op::UDiv
            | Op::UMod
            | Op::ShiftRightLogical
            | Op::BitwiseAnd
            | Op::CompositeExtract => {
                let kind = integer_kind(inst, search)?;
                search.found.steps.push(Step::Lower(inst));
                kind
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                if self.function_variable(inst.id(0)).is_some() || search.kind(inst.id(0)) != Kind::Same {
                    return None;
                }
                let mut all = true;
                for index in inst.ids_from(1).iter() {
                    all &= same(search, index)?;
                }
                search.found.steps.push(Step::Lower(inst));
                if all { Kind::Same } else { Kind::Linear }
            }
            Op::ULessThan | Op::SLessThan => match (search.kind(inst.id(0)), search.kind(inst.id(1))) {
                (Kind::Cell(cell), Kind::Same) => Kind::Less(cell, inst.id(1), inst.op() == Op::SLessThan),
                _ => return None,
            },
            Op::Load => self.look_at_load_step(inst, search)?,
            Op::Store => {
                let variable = self.function_variable(inst.id(0))?;
                let value = inst.id(1);
                let held = search.variables.get(&variable).copied();
                if let Some((Kind::Cell(cell) | Kind::Next(cell, _) | Kind::Sum(cell), _)) = held
                    && let Place::Variable { store, .. } = &mut search.found.cells[cell]
                {
                    *store = Some(inst);
                } else {
                    search.found.leaves_last = true;
                }
                search.variables.insert(variable, (search.kind(value), Some(value)));
                search.has_stored = true;
                return Some(());
            }
            Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixMulAddKHR => {
                self.look_at_matrices(inst, search)?
            }
            _ => return None,
        };
        search.kinds.insert(inst.result()?, kind);
        Some(())
    }

    /// A load of a matrix, or a product.
    fn look_at_matrices(&self, inst: Instruction<'m>, search: &mut Search<'m>) -> Option<Kind> {
        Some(match inst.op() {
            Op::CooperativeMatrixLoadKHR => {
                search.is_same(inst.id(0))?;
                let strides = inst.get_id(2).map(|stride| search.kind(stride));
                let access = MemoryAccess::from_bits_retain(inst.get_word(3).unwrap_or(0));
                if strides != Some(Kind::Same) || access.contains(MemoryAccess::VOLATILE) {
                    return None;
                }
                let use_ = self.matrix_use(inst.result_type()?)?;
                let loads = search.found.loads.get_mut(use_ as usize)?;
                loads.push(inst);
                Kind::Loaded(2 * (loads.len() - 1) + use_ as usize)
            }
            Op::CooperativeMatrixMulAddKHR => {
                let [a, b, c] = [0, 1, 2].map(|operand| search.kind(inst.id(operand)));
                let (Kind::Loaded(a), Kind::Loaded(b), Kind::Cell(cell) | Kind::Sum(cell)) = (a, b, c) else {
                    return None;
                };
                let operands = search.found.multiply.get_word(3);
                if a % 2 != 0 || b % 2 != 1 || inst.get_word(3) != operands {
                    return None;
                }
                search.found.products.push(([a / 2, b / 2], cell));
                Kind::Sum(cell)
            }
            _ => return None,
        })
    }

    /// A load: of a private variable, or of what no invocation writes.
    fn look_at_load_step(&self, inst: Instruction<'m>, search: &mut Search<'m>) -> Option<Kind> {
        let access = MemoryAccess::from_bits_retain(inst.get_word(1).unwrap_or(0));
        if access.contains(MemoryAccess::VOLATILE) {
            return None;
        }
        let pointer = inst.id(0);
        if let Some(variable) = self.function_variable(pointer) {
            if !search.stored.contains(&variable) {
                search.found.steps.push(Step::Lower(inst));
                return Some(Kind::Same);
            }
            let (kind, value) = *search.variables.entry(variable).or_insert_with(|| {
                search.found.cells.push(Place::Variable { load: inst, store: None });
                (Kind::Cell(search.found.cells.len() - 1), None)
            });
            match (value, kind) {
                (Some(value), _) => search.found.steps.push(Step::Alias(inst, value)),
                (None, Kind::Cell(cell)) => search.found.steps.push(Step::Cell(inst, cell)),
                _ => return None,
            }
            return Some(kind);
        }
        let Type::Pointer { class, .. } = self.module.ty(self.module.type_of(pointer)?) else { return None };
        let is_read_only =
            matches!(class, StorageClass::PushConstant | StorageClass::Uniform | StorageClass::Input);
        if !is_read_only || search.kind(pointer) != Kind::Same {
            return None;
        }
        search.found.steps.push(Step::Lower(inst));
        Some(Kind::Same)
    }

    /// The variable that a pointer is, if it is private to a function's call.
    fn function_variable(&self, pointer: Id) -> Option<Id> {
        let inst = self.module.definition(pointer)?;
        let is_function =
            inst.op() == Op::Variable && inst.get_word(0) == Some(StorageClass::Function as u32);
        is_function.then_some(pointer)
    }

    /// The use of a cooperative matrix type of bytes: 0 or 1, a factor.
    fn matrix_use(&self, ty: Id) -> Option<u32> {
        let Type::CooperativeMatrixKhr { component, usage, .. } = self.module.ty(ty) else { return None };
        let is_bytes = matches!(self.module.ty(component), Type::Int { width: 8, .. });
        self.constants.unsigned(usage).filter(|&usage| is_bytes && usage < 2)
    }

    /// What a loop leaves for its next iteration: whether that is what it should.
    fn close(&self, search: Search<'m>, latch: Id) -> Option<TileLoop<'m>> {
        let Search { kinds, variables, mut found, .. } = search;
        let kind = |id: Id| kinds.get(&id).copied().unwrap_or(Kind::Same);
        let Kind::Less(counter, limit, signed) = kind(found.condition.1) else { return None };
        found.condition = (counter, limit, signed);
        for (cell, place) in found.cells.iter().enumerate() {
            let end = match place {
                Place::Phi(inst) => {
                    let words = inst.ids_from(0).words();
                    let mut pairs = words.chunks_exact(2);
                    let value = pairs.find(|pair| pair[1] == latch.as_u32())?[0];
                    kind(Id::from_u32(value))
                }
                Place::Variable { load, .. } => variables.get(&load.id(0))?.0,
            };
            match end {
                Kind::Next(of, _) | Kind::Sum(of) if of == cell => {}
                _ => return None,
            }
            found.ends.push(end);
        }
        let is_counter = matches!(found.ends[counter], Kind::Next(..));
        let counts = [found.loads[0].len(), found.loads[1].len(), found.products.len(), found.cells.len()];
        let fits = counts.iter().all(|&count| (1..=Shape::COUNT_MAX).contains(&count));
        (is_counter && fits).then_some(found)
    }

    /// The loop's sizes, if tiles can multiply these.
    fn tile_shape(&mut self, found: &TileLoop<'m>) -> Result<Option<Shape>> {
        let signs = self.product_signs(found.multiply)?;
        let ty = self.result_type(found.multiply)?;
        let sum = self.matrix(ty)?;
        let whole = |matrix: &Matrix| matrix.subgroups == 1;
        let mut fits = sum.scalar == Scalar::I32 && whole(&sum) && !signs.saturate;
        let mut depth = 0;
        for (is_second, loads) in [false, true].into_iter().zip(&found.loads) {
            for &load in loads {
                let ty = self.result_type(load)?;
                let one = self.matrix(ty)?;
                let (size, own) = if is_second {
                    (sum.columns, [one.columns, one.rows])
                } else {
                    (sum.rows, [one.rows, one.columns])
                };
                depth = if depth == 0 { own[1] } else { depth };
                fits &= own == [size, depth] && whole(&one);
            }
        }
        fits &= [sum.rows, sum.columns, depth].iter().all(|size| size.is_multiple_of(16) && *size < 1 << 12);
        fits &= 64_u32.is_multiple_of(depth.max(1)) || depth.is_multiple_of(64);
        let sums = found.ends.iter().filter(|end| matches!(end, Kind::Sum(_))).count();
        Ok(fits.then_some(Shape {
            size: [sum.rows, sum.columns, depth],
            lanes: sum.lanes,
            firsts: found.loads[0].len() as u32,
            seconds: found.loads[1].len() as u32,
            products: found.products.len() as u32,
            sums: sums as u32,
            signed: [signs.a, signs.b, found.condition.2],
            leaves_last: found.leaves_last,
        }))
    }

    /// Lowers what finds the matrices of an iteration whose cells hold these values.
    fn place_matrices(
        &mut self,
        found: &TileLoop<'m>,
        values: &[Scalars],
    ) -> Result<Option<Vec<[Value; 3]>>> {
        for (cell, place) in found.cells.iter().enumerate() {
            if let Place::Phi(inst) = place {
                let ty = self.result_type(*inst)?;
                let operand = self.operand_of_type(ty, values[cell].clone())?;
                self.define(*inst, operand)?;
            }
        }
        for &step in &found.steps {
            match step {
                Step::Lower(inst) => self.lower_instruction(inst)?,
                Step::Alias(inst, value) => {
                    if matches!(self.module.ty(self.result_type(inst)?), Type::Int { .. }) {
                        let operand = self.operand(value)?;
                        self.define(inst, operand)?;
                    }
                }
                Step::Cell(inst, cell) => {
                    let ty = self.result_type(inst)?;
                    let operand = self.operand_of_type(ty, values[cell].clone())?;
                    self.define(inst, operand)?;
                }
            }
        }
        let mut places = Vec::new();
        for &load in found.loads.iter().flatten() {
            let pointer = self.pointer(load.id(0))?;
            let PointerBase::Range(range) = &pointer.base else { return Ok(None) };
            let is_narrow = self.offset_type(range) == Scalar::I32;
            if !is_narrow || pointer.volatile || pointer.non_uniform {
                return Ok(None);
            }
            let size = match range.size {
                Size::Known(size) => self.b.i32(size),
                Size::Value(size) => size,
            };
            let at = self.range_offset_saturated(&pointer, range);
            places.push([range.base, size, at]);
        }
        Ok(Some(places))
    }

    /// Describes the loop to the runtime, and takes what it has made of cells. Gives the arguments of the
    /// header.
    fn run_loop_ahead(&mut self, found: &TileLoop<'m>, call: &BlockCall) -> Result<Option<Vec<Value>>> {
        let Some(shape) = self.tile_shape(found)? else { return Ok(None) };
        // What cells hold first.
        let mut args = call.args.iter().copied();
        let mut values: Vec<Scalars> = Vec::new();
        for place in &found.cells {
            match place {
                Place::Phi(inst) => {
                    let ty = self.result_type(*inst)?;
                    let count = self.type_scalars(ty)?.len();
                    values.push(args.by_ref().take(count).collect());
                }
                Place::Variable { load, .. } => {
                    self.lower_instruction(*load)?;
                    let Some(id) = load.result() else { return invalid("a load without result") };
                    values.push(self.scalars(id)?);
                }
            }
        }
        let Some(first) = self.place_matrices(found, &values)? else { return Ok(None) };
        let mut next = values.clone();
        let mut growth = vec![None; values.len()];
        for (cell, end) in found.ends.iter().enumerate() {
            if let Kind::Next(_, step) = *end {
                let step = self.scalar(step)?;
                if self.scalar_type(step) != Scalar::I32 || values[cell].len() != 1 {
                    return Ok(None);
                }
                growth[cell] = Some(step);
                let after = self.b.op(Opcode::IAdd, &[values[cell][0], step]);
                next[cell] = Scalars::from_slice(&[after]);
            }
        }
        let limit = self.scalar(found.condition.1)?;
        let Some(second) = self.place_matrices(found, &next)? else { return Ok(None) };
        let (Some(step), [counter]) = (growth[found.condition.0], &values[found.condition.0][..]) else {
            return Ok(None);
        };
        let slot = self.loop_record(&shape);
        for (column, value) in [(COUNTER, *counter), (LIMIT, limit), (STEP, step)] {
            self.store_loop_column(slot, &shape, column, value);
        }
        self.store_matrices(found, slot, &shape, [&first, &second])?;
        let mut column = shape.sum_column(0);
        for (values, end) in values.iter().zip(&found.ends) {
            if matches!(end, Kind::Sum(_)) {
                for &value in values {
                    self.store_loop_column(slot, &shape, column, value);
                    column += 1;
                }
            }
        }
        self.call_loop(slot, &shape);
        let values = self.cells_behind(found, slot, &shape, &values, &growth)?;
        let phis = found.cells.iter().zip(&values).filter(|(place, _)| matches!(place, Place::Phi(_)));
        Ok(Some(phis.flat_map(|(_, values)| values.iter().copied()).collect()))
    }

    fn loop_record(&mut self, shape: &Shape) -> Slot {
        let bytes = record::column_slot_offset(shape.sum_column(shape.sums), shape.lanes);
        self.b.function.add_slot(bytes)
    }

    fn store_loop_column(&mut self, slot: Slot, shape: &Shape, column: u32, value: Value) {
        let offset = self.b.i32(record::column_slot_offset(column, shape.lanes));
        self.b.slot_store(slot, offset, value);
    }

    fn load_loop_column(&mut self, slot: Slot, shape: &Shape, column: u32) -> Value {
        let offset = self.b.i32(record::column_slot_offset(column, shape.lanes));
        self.b.slot_load(Scalar::I32, slot, offset)
    }

    /// Writes where matrices lie, and the products.
    fn store_matrices(
        &mut self,
        found: &TileLoop<'m>,
        slot: Slot,
        shape: &Shape,
        [first, second]: [&[[Value; 3]]; 2],
    ) -> Result {
        let loads = found.loads.iter().flatten();
        for (number, ((&load, first), second)) in (0..).zip(loads.zip(first).zip(second)) {
            let ty = self.result_type(load)?;
            let one = self.matrix(ty)?;
            let by_columns = self.is_column_major(load.id(1), false)?;
            let lines = self.lines(load, &one, load.get_id(2), Access::of(load, 3))?;
            let stride = match lines.stride {
                Index::Constant(stride) => self.b.i32(u32::try_from(stride).unwrap_or(u32::MAX)),
                Index::Dynamic(stride) => self.index_i32(stride),
            };
            let high = self.b.i64(32);
            let high = self.b.op(Opcode::LShr, &[first[0], high]);
            let [low, high] =
                [first[0], high].map(|half| self.b.convert(Opcode::Truncate, half, Scalar::I32));
            let unit = self.b.i32(lines.unit as u32 * 2 + u32::from(by_columns));
            let columns = [
                (matrix::BASE, low),
                (matrix::BASE_HIGH, high),
                (matrix::SIZE, first[1]),
                (matrix::FIRST, first[2]),
                (matrix::SECOND, second[2]),
                (matrix::STRIDE, stride),
                (matrix::UNIT, unit),
            ];
            for (column, value) in columns {
                self.store_loop_column(slot, shape, Shape::matrix_column(number) + column, value);
            }
        }
        let sums: Vec<usize> =
            (0..found.ends.len()).filter(|&cell| matches!(found.ends[cell], Kind::Sum(_))).collect();
        for (number, &([a, b], cell)) in (0..).zip(&found.products) {
            let sum = sums.iter().position(|&other| other == cell).unwrap_or(0);
            let word = self.b.i32(product(a as u32, b as u32, sum as u32));
            self.store_loop_column(slot, shape, shape.product_column(number), word);
        }
        Ok(())
    }

    fn call_loop(&mut self, slot: Slot, shape: &Shape) {
        let dispatch = self.b.arg(0);
        let function = self.load_context(dispatch, offset::TILE_LOOPS, Scalar::I64);
        let [first, second] = shape.to_words().map(|word| self.b.i64(word));
        self.b.slot_call(slot, function, first, second, false);
    }

    /// What cells hold behind the iterations that have been run; variables get it.
    fn cells_behind(
        &mut self,
        found: &TileLoop<'m>,
        slot: Slot,
        shape: &Shape,
        values: &[Scalars],
        growth: &[Option<Value>],
    ) -> Result<Vec<Scalars>> {
        let done = self.load_loop_column(slot, shape, DONE);
        let zero = self.b.i32(0);
        // The same in all lanes.
        let done = self.b.op(Opcode::LaneRead, &[done, zero]);
        let mut behind = Vec::new();
        let mut sum = 0;
        for (cell, place) in found.cells.iter().enumerate() {
            let after: Scalars = match (growth[cell], found.ends[cell]) {
                (Some(step), _) => {
                    let distance = self.b.op(Opcode::IMul, &[done, step]);
                    Scalars::from_slice(&[self.b.op(Opcode::IAdd, &[values[cell][0], distance])])
                }
                (None, Kind::Sum(_)) => {
                    let column = shape.sum_column(sum);
                    sum += 1;
                    let count = values[cell].len() as u32;
                    (column..column + count)
                        .map(|column| self.load_loop_column(slot, shape, column))
                        .collect()
                }
                _ => values[cell].clone(),
            };
            if let Place::Variable { store: Some(store), .. } = place {
                let Some(stored) = self.module.definition(store.id(1)) else {
                    return invalid("nothing is stored");
                };
                let ty = self.result_type(stored)?;
                let operand = self.operand_of_type(ty, after.clone())?;
                self.define(stored, operand)?;
                self.lower_instruction(*store)?;
            }
            behind.push(after);
        }
        Ok(behind)
    }
}
