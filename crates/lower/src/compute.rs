//! The compute stage: workgroups, their built-in variables and barriers.
//!
//! A workgroup's invocations are numbered x first (`LocalInvocationIndex`), and cut into subgroups in that
//! order: lane `l` of subgroup `s` is invocation `s * lanes + l`. With `DerivativeGroupQuadsKHR` each four
//! lanes are a square of two by two invocations instead, and the squares are numbered x first.
//!
//! `LocalInvocationId` is written so that later passes see what is uniform and what grows by one from lane to
//! lane: where a row is a multiple of the subgroup, only x varies; where the subgroup is a multiple of a row
//! of a power of two, x and the row within the subgroup are bits of the lane number.

use crate::Lowered;
use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid, limit};
use crate::limits::WORKGROUP_INVOCATION_COUNT_MAX;
use crate::stage::Stage;
use crate::value::Scalars;
use pyro_abi::context::offset;
use pyro_abi::{Exit, KernelInfo, PipelineLayout};
use pyro_ir::{Form, Function, Opcode, Scalar, Value};
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel};
use pyro_spirv::{ConstantValues, Id, Module, Specialization};

/// How lanes are assigned to invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// By `LocalInvocationIndex`.
    Linear,
    /// In squares of two by two.
    Quads,
}

/// What the built-ins of shaders with workgroups depend on.
pub(crate) struct Compute {
    /// Invocations in x, y, z.
    size: [u32; 3],
    lanes: u32,
    numbering: Numbering,
}

/// Lowers a compute entry point.
pub(crate) fn lower(
    module: &Module,
    name: &str,
    specialization: &Specialization,
    layout: &PipelineLayout,
    lanes: u32,
) -> Result<Lowered> {
    check_lanes(lanes)?;
    let Some(entry) = module.entry_point(name, ExecutionModel::GLCompute) else {
        return invalid(format!("no compute entry point is named \"{name}\""));
    };
    let constants = ConstantValues::evaluate_for_subgroup(module, specialization, entry.function, lanes)?;
    let stage = Compute::new(module, &constants, entry.function, lanes)?;

    let mut function = Function::new(name, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry.function, constants, layout, &stage, &mut function);
    cx.read_float_modes(entry.function)?;
    cx.lower_entry_point(entry.function)?;
    let info = stage.info(&cx);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations })
}

/// The workgroup's size: the constant decorated `WorkgroupSize` comes before the execution modes.
fn workgroup_size(module: &Module, constants: &ConstantValues<'_>, entry: Id) -> Result<[u32; 3]> {
    for inst in module.global_insts() {
        let Some(id) = inst.result() else { continue };
        if module.built_in(id) == Some(BuiltIn::WorkgroupSize)
            && let Some(value) = constants.get(id)
        {
            let mut size = [0; 3];
            for (index, size) in size.iter_mut().enumerate() {
                let element = constants.element(value, index as u64);
                let bits = element.and_then(|element| constants.scalar_of(element));
                match bits.and_then(|bits| u32::try_from(bits).ok()) {
                    Some(bits) => *size = bits,
                    None => return invalid("WorkgroupSize is no vector of three integers"),
                }
            }
            return Ok(size);
        }
    }
    if let Some(mode) = module.execution_mode(entry, ExecutionMode::LocalSizeId) {
        let mut size = [0; 3];
        for (size, &id) in size.iter_mut().zip(mode.operands) {
            match constants.unsigned(Id::from_u32(id)) {
                Some(value) => *size = value,
                None => return invalid("LocalSizeId names what is no constant integer"),
            }
        }
        return Ok(size);
    }
    match module.execution_mode(entry, ExecutionMode::LocalSize).map(|mode| mode.operands) {
        Some(&[x, y, z]) => Ok([x, y, z]),
        _ => invalid("the entry point does not say how large its workgroups are"),
    }
}

impl Stage for Compute {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::GLCompute)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        let dimensions = 0..3u32;
        Ok(match built_in {
            BuiltIn::NumWorkgroups => {
                let dispatch = cx.b.arg(0);
                let field = offset::NUM_WORKGROUPS;
                dimensions.map(|i| cx.load_context(dispatch, field + 4 * i, Scalar::I32)).collect()
            }
            BuiltIn::WorkgroupId => Scalars::from_slice(&self.workgroup_id(cx)),
            BuiltIn::WorkgroupSize => self.size.iter().map(|&size| cx.b.i32(size)).collect(),
            BuiltIn::LocalInvocationId => Scalars::from_slice(&self.local_id(cx)),
            BuiltIn::GlobalInvocationId => {
                let (group, local) = (self.workgroup_id(cx), self.local_id(cx));
                let mut scalars = Scalars::new();
                for index in 0..3 {
                    let start = cx.scale(group[index], self.size[index].into());
                    scalars.push(add(cx, start, local[index]));
                }
                scalars
            }
            BuiltIn::LocalInvocationIndex => {
                let index = match self.numbering {
                    Numbering::Linear => self.linear_index(cx),
                    Numbering::Quads => {
                        let [x, y, z] = self.local_id(cx);
                        let plane = cx.scale(z, self.size[1].into());
                        let row = add(cx, plane, y);
                        let start = cx.scale(row, self.size[0].into());
                        add(cx, start, x)
                    }
                };
                Scalars::from_slice(&[index])
            }
            BuiltIn::SubgroupId | BuiltIn::WarpIDNV | BuiltIn::WarpIDARM => {
                Scalars::from_slice(&[self.subgroup_id(cx)])
            }
            BuiltIn::NumSubgroups => {
                let count = self.size.iter().product::<u32>().div_ceil(self.lanes);
                Scalars::from_slice(&[cx.b.i32(count)])
            }
            other => return cx.common_built_in(other),
        })
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>) -> Result {
        cx.b.effect(Opcode::Fence, 0);
        // The lanes of a single subgroup are together already.
        if self.size.iter().product::<u32>() > self.lanes {
            cx.b.effect(Opcode::Suspend, Exit::Barrier as u64);
            cx.has_barriers = true;
        }
        Ok(())
    }
}

/// `x + y`
fn add(cx: &mut Lowerer<'_, '_>, x: Value, y: Value) -> Value {
    binary(cx, Opcode::IAdd, x, y)
}

fn binary(cx: &mut Lowerer<'_, '_>, op: Opcode, x: Value, y: Value) -> Value {
    // Zeros come from dimensions of size one.
    if matches!(op, Opcode::IAdd) {
        if cx.b.function.const_bits(x) == Some(0) {
            return y;
        }
        if cx.b.function.const_bits(y) == Some(0) {
            return x;
        }
    }
    cx.b.op(op, &[x, y])
}

/// `x / divisor` and `x % divisor` of an `x` below `limit`.
pub(crate) fn divide(cx: &mut Lowerer<'_, '_>, x: Value, divisor: u32, limit: u32) -> (Value, Value) {
    if divisor >= limit {
        return (cx.b.i32(0), x);
    }
    if divisor.is_power_of_two() {
        let (amount, mask) = (cx.b.i32(divisor.trailing_zeros()), cx.b.i32(divisor - 1));
        return (cx.b.op(Opcode::LShr, &[x, amount]), cx.b.op(Opcode::And, &[x, mask]));
    }
    // x / d = x * m >> k with m = 2^k / d + 1, exact while x * (m * d - 2^k) < 2^k; m * d - 2^k <= d <= limit
    // and x < limit, so 2^k >= limit^2 is enough. As d is 3 at least, x * m < limit * (2^k / 3 + 1) fits 32
    // bits for limits up to 2048.
    let bits = 2 * limit.next_power_of_two().trailing_zeros();
    let quotient = if limit <= 2048 {
        let factor = cx.b.i32((1 << bits) / divisor + 1);
        let product = cx.b.op(Opcode::IMul, &[x, factor]);
        let amount = cx.b.i32(bits);
        cx.b.op(Opcode::LShr, &[product, amount])
    } else {
        let divisor = cx.b.i32(divisor);
        cx.b.op(Opcode::UDiv, &[x, divisor])
    };
    let start = cx.scale(quotient, divisor.into());
    (quotient, cx.b.op(Opcode::ISub, &[x, start]))
}

impl Compute {
    /// The workgroups of an entry point.
    pub(crate) fn new(
        module: &Module,
        constants: &ConstantValues<'_>,
        entry: Id,
        lanes: u32,
    ) -> Result<Compute> {
        let size = workgroup_size(module, constants, entry)?;
        let count = size.iter().fold(1u64, |count, &size| count.saturating_mul(size.into()));
        if size.contains(&0) {
            return invalid("a workgroup dimension is zero");
        }
        if count > WORKGROUP_INVOCATION_COUNT_MAX {
            return limit(format!("a workgroup of {} x {} x {} invocations", size[0], size[1], size[2]));
        }
        let quads = module.execution_mode(entry, ExecutionMode::DerivativeGroupQuadsKHR).is_some();
        if quads && (size[0] % 2 != 0 || size[1] % 2 != 0) {
            return invalid("DerivativeGroupQuadsKHR needs an even workgroup size in x and y");
        }
        let numbering = if quads { Numbering::Quads } else { Numbering::Linear };
        Ok(Compute { size, lanes, numbering })
    }

    /// Facts of a function that has been lowered.
    pub(crate) fn info(&self, cx: &Lowerer<'_, '_>) -> KernelInfo {
        KernelInfo {
            subgroup_size: self.lanes,
            workgroup_size: self.size,
            shared_bytes: cx.shared_bytes,
            zero_shared: cx.zero_shared,
            has_barriers: cx.has_barriers,
            images: cx.image.used(),
            ..KernelInfo::default()
        }
    }

    fn workgroup_id(&self, cx: &mut Lowerer<'_, '_>) -> [Value; 3] {
        let subgroup = cx.b.arg(1);
        [0, 4, 8].map(|byte| cx.load_context(subgroup, offset::WORKGROUP_ID + byte, Scalar::I32))
    }

    /// `SubgroupId`. Its limit is stated as an operation, so that bounds checks of what is indexed by it fold.
    fn subgroup_id(&self, cx: &mut Lowerer<'_, '_>) -> Value {
        let subgroup = cx.b.arg(1);
        let id = cx.load_context(subgroup, offset::SUBGROUP_ID, Scalar::I32);
        let count = self.size.iter().product::<u32>().div_ceil(self.lanes).max(1);
        let last = cx.b.i32(count - 1);
        cx.b.op(if count.is_power_of_two() { Opcode::And } else { Opcode::UMin }, &[id, last])
    }

    /// The number of the subgroup's first invocation; zero when there is one subgroup.
    fn first_index(&self, cx: &mut Lowerer<'_, '_>) -> Value {
        if self.size.iter().product::<u32>() <= self.lanes {
            return cx.b.i32(0);
        }
        let subgroup = self.subgroup_id(cx);
        cx.scale(subgroup, self.lanes.into())
    }

    /// The invocation's number: `LocalInvocationIndex`, unless invocations are numbered in squares.
    pub(crate) fn linear_index(&self, cx: &mut Lowerer<'_, '_>) -> Value {
        let first = self.first_index(cx);
        let lane = cx.b.op(Opcode::LaneId, &[]);
        add(cx, first, lane)
    }

    fn local_id(&self, cx: &mut Lowerer<'_, '_>) -> [Value; 3] {
        match self.numbering {
            Numbering::Linear => self.place(cx, self.size, self.lanes, |_, lane| lane),
            Numbering::Quads => {
                // The places of the squares, and the lane's place in its square.
                let [x, y, z] = self.size;
                let [square_x, square_y, z] =
                    self.place(cx, [x / 2, y / 2, z], self.lanes / 4, |cx, lane| {
                        let two = cx.b.i32(2);
                        cx.b.op(Opcode::LShr, &[lane, two])
                    });
                let lane = cx.b.op(Opcode::LaneId, &[]);
                let one = cx.b.i32(1);
                let right = cx.b.op(Opcode::And, &[lane, one]);
                let half = cx.b.op(Opcode::LShr, &[lane, one]);
                let down = cx.b.op(Opcode::And, &[half, one]);
                let (x, y) = (cx.scale(square_x, 2), cx.scale(square_y, 2));
                [add(cx, x, right), add(cx, y, down), z]
            }
        }
    }

    /// The place in a box of `size` of what has the number `subgroup * step + position`, where `position`,
    /// below `step`, comes from the lane's number.
    fn place(
        &self,
        cx: &mut Lowerer<'_, '_>,
        size: [u32; 3],
        step: u32,
        position: impl Fn(&mut Lowerer<'_, '_>, Value) -> Value,
    ) -> [Value; 3] {
        let [width, height, depth] = size;
        let count = width * height * depth;
        let lane = cx.b.op(Opcode::LaneId, &[]);
        let position = position(cx, lane);
        let zero = cx.b.i32(0);
        let single = count <= step;
        let subgroup = if single { zero } else { self.subgroup_id(cx) };
        let limit = count.next_multiple_of(step);
        if height == 1 && depth == 1 {
            let first = cx.scale(subgroup, step.into());
            return [add(cx, first, position), zero, zero];
        }
        if width.is_multiple_of(step) {
            // A subgroup lies in one row.
            let first = cx.scale(subgroup, step.into());
            let (row, start) = divide(cx, first, width, limit);
            let x = add(cx, start, position);
            let (z, y) = divide(cx, row, height, limit / width);
            return [x, y, z];
        }
        if step.is_multiple_of(width) {
            // A subgroup is some whole rows.
            let rows = step / width;
            let (row, x) = divide(cx, position, width, step);
            let first_row = cx.scale(subgroup, rows.into());
            let limit = limit / width;
            if depth == 1 {
                return [x, add(cx, first_row, row), zero];
            }
            if height.is_multiple_of(rows) {
                // In one plane.
                let (z, start) = divide(cx, first_row, height, limit);
                return [x, add(cx, start, row), z];
            }
            if rows.is_multiple_of(height) {
                // Some whole planes.
                let (plane, y) = divide(cx, row, height, rows);
                let first_plane = cx.scale(subgroup, (rows / height).into());
                return [x, y, add(cx, first_plane, plane)];
            }
            let row = add(cx, first_row, row);
            let (z, y) = divide(cx, row, height, limit);
            return [x, y, z];
        }
        let first = cx.scale(subgroup, step.into());
        let index = add(cx, first, position);
        let (row, x) = divide(cx, index, width, limit);
        let (z, y) = divide(cx, row, height, limit.div_ceil(width));
        [x, y, z]
    }
}
