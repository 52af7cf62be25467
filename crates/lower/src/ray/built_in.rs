//! Built-in variables of rays and hits.

use super::{RayStage, known_column, record_word};
use crate::context::Lowerer;
use crate::error::Result;
use crate::value::Scalars;
use pyro_abi::context::offset;
use pyro_abi::ray::{VERTEX_COMPONENT_BYTES, hit_flags, ray_offset, sphere_component};
use pyro_abi::raytrace::ray_offset as at;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::BuiltIn;
use smallvec::smallvec;

/// Rows and columns of the matrices, as they lie in memory.
const ROWS: u32 = 3;
const COLUMNS: u32 = 4;

fn ray_word(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    record_word(cx, at::RAY, field)
}

fn hit_word(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    record_word(cx, at::HIT, field)
}

/// Words of a record as `f32`.
fn floats(
    cx: &mut Lowerer<'_, '_>,
    word: fn(&mut Lowerer<'_, '_>, u32) -> Value,
    field: u32,
    count: u32,
) -> Scalars {
    (0..count)
        .map(|index| {
            let word = word(cx, field + 4 * index);
            cx.b.bitcast(word, Scalar::F32)
        })
        .collect()
}

/// An address that the hit has.
fn hit_address(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    let [low, high] = [0, 4].map(|byte| {
        let word = hit_word(cx, field + byte);
        cx.b.convert(Opcode::ZeroExtend, word, Scalar::I64)
    });
    let amount = cx.b.i64(32);
    let high = cx.b.op(Opcode::Shl, &[high, amount]);
    cx.b.op(Opcode::Or, &[low, high])
}

/// Floats at these bytes behind an address that the hit has; zeros where it is zero.
fn behind(cx: &mut Lowerer<'_, '_>, field: u32, bytes: impl Iterator<Item = u32>) -> Scalars {
    let (address, null, zero) = (hit_address(cx, field), cx.b.i64(0), cx.b.i32(0));
    let is_there = cx.b.op(Opcode::INe, &[address, null]);
    let memory = MemoryOp::new(Space::Constant);
    bytes.map(|byte| cx.b.load(Scalar::F32, memory.at(byte as i32), address, zero, is_there)).collect()
}

/// Components of the sphere that was hit.
fn sphere(cx: &mut Lowerer<'_, '_>, first: u32, count: u32) -> Scalars {
    behind(cx, at::HIT_VERTICES, (first..first + count).map(|component| VERTEX_COMPONENT_BYTES * component))
}

/// Whether the hit has a flag.
fn has_flag(cx: &mut Lowerer<'_, '_>, flag: u32) -> Scalars {
    let (flags, flag, zero) = (hit_word(cx, at::HIT_FLAGS), cx.b.i32(flag), cx.b.i32(0));
    let found = cx.b.op(Opcode::And, &[flags, flag]);
    smallvec![cx.b.op(Opcode::INe, &[found, zero])]
}

/// A matrix of the instance, column by column.
fn matrix(cx: &mut Lowerer<'_, '_>, field: u32) -> Scalars {
    let places = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (row, column)));
    behind(cx, at::HIT_INSTANCE, places.map(|(row, column)| field + 4 * (COLUMNS * row + column)))
}

impl RayStage {
    /// The scalars of a built-in.
    pub(super) fn ray_built_in(&self, cx: &mut Lowerer<'_, '_>, built_in: BuiltIn) -> Result<Scalars> {
        Ok(match built_in {
            BuiltIn::LaunchIdKHR => {
                (0..3).map(|axis| known_column(cx, at::LAUNCH_ID + 64 * axis, Scalar::I32)).collect()
            }
            BuiltIn::LaunchSizeKHR => {
                let dispatch = cx.b.arg(0);
                (0..3)
                    .map(|axis| cx.load_context(dispatch, offset::NUM_WORKGROUPS + 4 * axis, Scalar::I32))
                    .collect()
            }
            BuiltIn::WorldRayOriginKHR => floats(cx, ray_word, at::RAY_ORIGIN, 3),
            BuiltIn::WorldRayDirectionKHR => floats(cx, ray_word, at::RAY_DIRECTION, 3),
            BuiltIn::ObjectRayOriginKHR => floats(cx, hit_word, at::HIT_OBJECT_ORIGIN, 3),
            BuiltIn::ObjectRayDirectionKHR => floats(cx, hit_word, at::HIT_OBJECT_DIRECTION, 3),
            BuiltIn::RayTminKHR => floats(cx, ray_word, at::RAY_T_MIN, 1),
            BuiltIn::CurrentRayTimeNV => floats(cx, ray_word, at::RAY_TIME, 1),
            BuiltIn::RayTmaxKHR | BuiltIn::HitTNV => floats(cx, hit_word, at::HIT_T, 1),
            BuiltIn::IncomingRayFlagsKHR => smallvec![ray_word(cx, at::RAY_FLAGS)],
            BuiltIn::CullMaskKHR => smallvec![ray_word(cx, at::RAY_CULL_MASK)],
            BuiltIn::HitKindKHR => smallvec![hit_word(cx, at::HIT_KIND)],
            BuiltIn::PrimitiveId => smallvec![hit_word(cx, at::HIT_PRIMITIVE)],
            BuiltIn::RayGeometryIndexKHR => smallvec![hit_word(cx, at::HIT_GEOMETRY)],
            BuiltIn::InstanceId => smallvec![hit_word(cx, at::HIT_INSTANCE_INDEX)],
            BuiltIn::InstanceCustomIndexKHR => smallvec![hit_word(cx, at::HIT_CUSTOM_INDEX)],
            BuiltIn::ObjectToWorldKHR => matrix(cx, ray_offset::OBJECT_TO_WORLD),
            BuiltIn::WorldToObjectKHR => matrix(cx, ray_offset::WORLD_TO_OBJECT),
            BuiltIn::HitTriangleVertexPositionsKHR => {
                behind(cx, at::HIT_VERTICES, (0..9).map(|component| VERTEX_COMPONENT_BYTES * component))
            }
            BuiltIn::HitIsSphereNV => has_flag(cx, hit_flags::SPHERE),
            BuiltIn::HitIsLSSNV => has_flag(cx, hit_flags::SWEPT_SPHERE),
            BuiltIn::HitSpherePositionNV => sphere(cx, sphere_component::CENTERS, 3),
            BuiltIn::HitSphereRadiusNV => sphere(cx, sphere_component::RADII, 1),
            BuiltIn::HitLSSPositionsNV => sphere(cx, sphere_component::CENTERS, 6),
            BuiltIn::HitLSSRadiiNV => sphere(cx, sphere_component::RADII, 2),
            BuiltIn::ClusterIDNV => {
                let (flags, vertices) = (hit_word(cx, at::HIT_FLAGS), hit_address(cx, at::HIT_VERTICES));
                smallvec![cx.cluster_id(flags, vertices)]
            }
            other => return cx.common_built_in(other),
        })
    }
}
