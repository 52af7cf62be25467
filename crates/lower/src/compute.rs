//! The compute stage: workgroups, their built-in variables and barriers.
//!
//! A workgroup's invocations are numbered x first (`LocalInvocationIndex`), and cut into subgroups in that
//! order: lane `l` of subgroup `s` is invocation `s * lanes + l`. With `DerivativeGroupQuadsKHR` each four
//! lanes are a square of two by two invocations instead, and the squares are numbered x first.
//!
//! `LocalInvocationId` is made by [`workgroup::place`].

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid, limit};
use crate::limits::WORKGROUP_INVOCATION_COUNT_MAX;
use crate::stage::Stage;
use crate::value::Scalars;
use crate::{Lowered, Shader};
use pyro_abi::context::offset;
use pyro_abi::{Exit, KernelInfo};
use pyro_ir::{Form, Function, Opcode, Scalar, Value};
use pyro_library::workgroup::{self, add};
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel};
use pyro_spirv::{ConstantValues, Id, Module};

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
    /// `TileShadingRateQCOM`
    tile_rate: Option<[u32; 3]>,
}

/// Lowers a compute entry point.
pub(crate) fn lower(shader: &Shader<'_>, lanes: u32) -> Result<Lowered> {
    check_lanes(lanes)?;
    let Shader { checked: module, entry_point: name, layout, .. } = *shader;
    let Some(entry) = module.entry_point(name, ExecutionModel::GLCompute) else {
        return invalid(format!("no compute entry point is named \"{name}\""));
    };
    let constants = module.constants_for(entry.function, lanes)?;
    let stage = Compute::new(module, &constants, entry.function, lanes)?;

    let mut function = Function::new(name, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry.function, constants, layout, &stage, &mut function)?;
    cx.tiles = shader.tiles;
    cx.lower_entry_point(entry.function)?;
    let info = stage.info(&mut cx);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
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
            BuiltIn::GlobalInvocationId => Scalars::from_slice(&self.global_id(cx)),
            BuiltIn::LocalInvocationIndex => {
                let index = match self.numbering {
                    Numbering::Linear => self.linear_index(cx),
                    Numbering::Quads => {
                        let [x, y, z] = self.local_id(cx);
                        let plane = cx.scale(z, self.size[1].into());
                        let row = add(&mut cx.b, plane, y);
                        let start = cx.scale(row, self.size[0].into());
                        add(&mut cx.b, start, x)
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

    /// That of subpass shading: an invocation for each pixel of the render area and each layer.
    fn framebuffer_place(&self, cx: &mut Lowerer<'_, '_>) -> Result<[Value; 3]> {
        let (id, dispatch) = (self.global_id(cx), cx.b.arg(0));
        let offset = [0, 4].map(|byte| cx.load_context(dispatch, offset::AREA_OFFSET + byte, Scalar::I32));
        Ok([add(&mut cx.b, id[0], offset[0]), add(&mut cx.b, id[1], offset[1]), id[2]])
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, fence: u64) -> Result {
        cx.b.effect(Opcode::Fence, fence);
        // The lanes of a single subgroup are together already.
        if self.size.iter().product::<u32>() > self.lanes {
            cx.b.effect(Opcode::Suspend, Exit::Barrier as u64);
            cx.workgroup.has_barriers = true;
        }
        Ok(())
    }
}

impl Compute {
    fn global_id(&self, cx: &mut Lowerer<'_, '_>) -> [Value; 3] {
        let (group, local) = (self.workgroup_id(cx), self.local_id(cx));
        std::array::from_fn(|index| {
            let start = cx.scale(group[index], self.size[index].into());
            add(&mut cx.b, start, local[index])
        })
    }

    /// The workgroups of an entry point.
    pub(crate) fn new(
        module: &Module,
        constants: &ConstantValues<'_>,
        entry: Id,
        lanes: u32,
    ) -> Result<Compute> {
        let Some(size) = constants.workgroup_size() else {
            return invalid("the entry point does not say how large its workgroups are");
        };
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
        let rate = module.execution_mode(entry, ExecutionMode::TileShadingRateQCOM);
        let tile_rate = match rate.map(|mode| mode.operands) {
            None => None,
            Some(&[x, y, z]) if ![x, y, z].contains(&0) => Some([x, y, z]),
            Some(_) => return invalid("TileShadingRateQCOM with a size of zero"),
        };
        Ok(Compute { size, lanes, numbering, tile_rate })
    }

    /// Facts of a function that has been lowered.
    pub(crate) fn info(&self, cx: &mut Lowerer<'_, '_>) -> KernelInfo {
        cx.finish_shadow();
        cx.finish_ways();
        KernelInfo {
            sites: cx.finish_reports(self.size),
            subgroup_size: self.lanes,
            workgroup_size: self.size,
            shared_bytes: cx.workgroup.bytes,
            exchange_bytes: cx.workgroup.exchange_bytes,
            zero_shared: cx.workgroup.is_zeroed,
            shadow_bytes: cx.workgroup.shadow_bytes,
            has_barriers: cx.workgroup.has_barriers,
            tile_rate: self.tile_rate,
            images: cx.image.used(),
            ..KernelInfo::default()
        }
    }

    /// Invocations of a workgroup.
    pub(crate) fn invocation_count(&self) -> u32 {
        self.size.iter().product()
    }

    fn workgroup_id(&self, cx: &mut Lowerer<'_, '_>) -> [Value; 3] {
        let subgroup = cx.b.arg(1);
        [0, 4, 8].map(|byte| cx.load_context(subgroup, offset::WORKGROUP_ID + byte, Scalar::I32))
    }

    /// `SubgroupId`. Its limit is stated as an operation, so that bounds checks of what is indexed by it
    /// fold.
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
        add(&mut cx.b, first, lane)
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
                [add(&mut cx.b, x, right), add(&mut cx.b, y, down), z]
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
        let lane = cx.b.op(Opcode::LaneId, &[]);
        let position = position(cx, lane);
        let single = size.iter().product::<u32>() <= step;
        let subgroup = if single { cx.b.i32(0) } else { self.subgroup_id(cx) };
        workgroup::place(&mut cx.b, size, step, subgroup, position)
    }
}
