//! Built-in variables of rays and hits.

use super::{RayStage, known_row, record_word};
use crate::context::Lowerer;
use crate::error::Result;
use crate::value::Scalars;
use pyro_abi::context::offset;
use pyro_abi::raytrace::ray_offset as at;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::BuiltIn;

/// Rows and columns of the matrices, as they lie in memory.
const ROWS: u32 = 3;
const COLUMNS: u32 = 4;

fn ray_word(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    record_word(cx, at::RAY, field)
}

fn hit_word(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    record_word(cx, at::HIT, field)
}

/// A word of the ray as `f32`.
fn ray_float(cx: &mut Lowerer<'_, '_>, field: u32) -> Value {
    let word = ray_word(cx, field);
    cx.b.bitcast(word, Scalar::F32)
}

/// Three words of the ray.
fn ray_vector(cx: &mut Lowerer<'_, '_>, field: u32) -> [Value; 3] {
    [0, 4, 8].map(|byte| ray_float(cx, field + byte))
}

/// An element of a matrix of the hit.
fn element(cx: &mut Lowerer<'_, '_>, field: u32, row: u32, column: u32) -> Value {
    let word = hit_word(cx, field + 4 * (COLUMNS * row + column));
    cx.b.bitcast(word, Scalar::F32)
}

/// Column by column.
fn matrix(cx: &mut Lowerer<'_, '_>, field: u32) -> Scalars {
    let places = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (row, column)));
    places.map(|(row, column)| element(cx, field, row, column)).collect()
}

/// A vector of the ray in the object's space; points are moved, too.
fn in_object_space(cx: &mut Lowerer<'_, '_>, vector: [Value; 3], is_point: bool) -> Scalars {
    let field = at::HIT_WORLD_TO_OBJECT;
    (0..ROWS)
        .map(|row| {
            let terms: Vec<Value> = (0..)
                .zip(vector)
                .map(|(column, value)| {
                    let factor = element(cx, field, row, column);
                    cx.b.op(Opcode::FMul, &[factor, value])
                })
                .collect();
            let mut sum = terms[0];
            for &term in &terms[1..] {
                sum = cx.b.op(Opcode::FAdd, &[sum, term]);
            }
            if is_point {
                let moved = element(cx, field, row, COLUMNS - 1);
                sum = cx.b.op(Opcode::FAdd, &[sum, moved]);
            }
            sum
        })
        .collect()
}

impl RayStage {
    /// The scalars of a built-in.
    pub(super) fn ray_built_in(&self, cx: &mut Lowerer<'_, '_>, built_in: BuiltIn) -> Result<Scalars> {
        let bytes = |field: u32, count: u32| (0..count).map(move |index| field + 4 * index);
        Ok(match built_in {
            BuiltIn::LaunchIdKHR => {
                (0..3).map(|axis| known_row(cx, at::LAUNCH_ID + 64 * axis, Scalar::I32)).collect()
            }
            BuiltIn::LaunchSizeKHR => {
                let dispatch = cx.b.arg(0);
                bytes(offset::NUM_WORKGROUPS, 3)
                    .map(|field| cx.load_context(dispatch, field, Scalar::I32))
                    .collect()
            }
            BuiltIn::WorldRayOriginKHR => ray_vector(cx, at::RAY_ORIGIN).as_slice().into(),
            BuiltIn::WorldRayDirectionKHR => ray_vector(cx, at::RAY_DIRECTION).as_slice().into(),
            BuiltIn::ObjectRayOriginKHR => {
                let origin = ray_vector(cx, at::RAY_ORIGIN);
                in_object_space(cx, origin, true)
            }
            BuiltIn::ObjectRayDirectionKHR => {
                let direction = ray_vector(cx, at::RAY_DIRECTION);
                in_object_space(cx, direction, false)
            }
            BuiltIn::RayTminKHR => [ray_float(cx, at::RAY_T_MIN)].as_slice().into(),
            BuiltIn::CurrentRayTimeNV => [ray_float(cx, at::RAY_TIME)].as_slice().into(),
            BuiltIn::IncomingRayFlagsKHR => [ray_word(cx, at::RAY_FLAGS)].as_slice().into(),
            BuiltIn::CullMaskKHR => [ray_word(cx, at::RAY_CULL_MASK)].as_slice().into(),
            BuiltIn::RayTmaxKHR | BuiltIn::HitTNV => {
                let word = hit_word(cx, at::HIT_T);
                [cx.b.bitcast(word, Scalar::F32)].as_slice().into()
            }
            BuiltIn::HitKindKHR => [hit_word(cx, at::HIT_KIND)].as_slice().into(),
            BuiltIn::PrimitiveId => [hit_word(cx, at::HIT_PRIMITIVE)].as_slice().into(),
            BuiltIn::RayGeometryIndexKHR => [hit_word(cx, at::HIT_GEOMETRY)].as_slice().into(),
            BuiltIn::InstanceId => [hit_word(cx, at::HIT_INSTANCE)].as_slice().into(),
            BuiltIn::InstanceCustomIndexKHR => [hit_word(cx, at::HIT_CUSTOM_INDEX)].as_slice().into(),
            BuiltIn::ObjectToWorldKHR => matrix(cx, at::HIT_OBJECT_TO_WORLD),
            BuiltIn::WorldToObjectKHR => matrix(cx, at::HIT_WORLD_TO_OBJECT),
            BuiltIn::HitTriangleVertexPositionsKHR => bytes(at::HIT_POSITIONS, 9)
                .map(|field| {
                    let word = hit_word(cx, field);
                    cx.b.bitcast(word, Scalar::F32)
                })
                .collect(),
            other => return cx.common_built_in(other),
        })
    }
}
