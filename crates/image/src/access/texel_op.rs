//! Operations at integer coordinates: fetch, read, write, atomics.
//!
//! Coordinates out of range, levels and samples that are not there: reads give zero words, which decode to
//! zeros and, where the format lacks alpha, alpha 1 (`robustImageAccess2`); writes are dropped.

use super::{Access, BuildError, Level, TexelLocation};
use crate::key::ViewType;
use crate::texel;
use pyro_abi::image::{AtomicOp, image_offset as field, record};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// A texel's place from the record's coordinates, and whether it is one. `with_level`: the level is in its
/// column (fetches, and writes that name it), else it is the first.
fn place(access: &mut Access, with_level: bool, with_offset: bool) -> (TexelLocation, Value) {
    let view = *access.view;
    let dimensions = view.view_type.dimensions();
    let mut coordinates: Vec<Value> =
        (0..dimensions).map(|index| access.column(record::COORDINATE + index as u32, Scalar::I32)).collect();
    if with_offset {
        for (index, coordinate) in coordinates.iter_mut().enumerate() {
            let offset = access.column(record::OFFSET + index as u32, Scalar::I32);
            *coordinate = access.b.iadd(*coordinate, offset);
        }
    }
    let mut inside = access.b.bool(true);
    let has_level = with_level && !view.multisampled && view.view_type != ViewType::Buffer;
    let level = if has_level {
        let level = access.column(record::LOD, Scalar::I32);
        let levels = access.field(Scalar::I32, field::LEVELS);
        inside = access.b.ult(level, levels);
        // Nor are there levels below the view's least level of detail.
        let least = access.least_level();
        let above = access.b.sle(least, level);
        inside = access.b.and(inside, above);
        if view.single_level {
            Level::First
        } else {
            // Levels that are not there index the record's arrays too: with any of the levels that are.
            let zero = access.b.i32(0);
            Level::Lane(access.b.select(inside, level, zero))
        }
    } else {
        Level::First
    };
    let mut bound = |access: &mut Access, index: Value, count: Value| {
        let below = access.b.ult(index, count);
        inside = access.b.and(inside, below);
    };
    for (dimension, &coordinate) in coordinates.iter().enumerate() {
        let extent = access.extent(dimension, level);
        bound(access, coordinate, extent);
    }
    let layered = view.view_type.is_array() || view.view_type.is_cube();
    let layer = layered.then(|| {
        let layer = access.column(record::COORDINATE + dimensions as u32, Scalar::I32);
        let layers = access.field(Scalar::I32, field::LAYERS);
        bound(access, layer, layers);
        layer
    });
    let sample = view.multisampled.then(|| {
        let sample = access.column(record::LOD, Scalar::I32);
        let samples = access.field(Scalar::I32, field::SAMPLES);
        bound(access, sample, samples);
        sample
    });
    let plane = access.plane_offset(level, layer, sample);
    (access.texel_place(plane, level, &coordinates), inside)
}

pub(super) fn fetch(access: &mut Access, offset: bool) -> Result<(), BuildError> {
    let (place, inside) = place(access, true, offset);
    access.note_residency(place, inside);
    let values = access.load_near(place, inside)?;
    let values = access.swizzle(values);
    access.store_texel(&values);
    Ok(())
}

pub(super) fn read(access: &mut Access) -> Result<(), BuildError> {
    let (place, inside) = place(access, false, false);
    access.note_residency(place, inside);
    let values = access.load_near(place, inside)?;
    access.store_texel(&values);
    Ok(())
}

/// A value of the texel columns, of the type that the format's values have.
fn operand(access: &mut Access, index: u32) -> Value {
    let scalar = texel::value_scalar(access.view.format, access.view.aspect);
    if scalar.bits() == 32 {
        return access.column(record::TEXEL + index, scalar);
    }
    let low = access.column(record::TEXEL + index, Scalar::I32);
    let high = access.column(record::TEXEL_HIGH + index, Scalar::I32);
    let (low, high) = (access.b.resize_u(low, Scalar::I64), access.b.resize_u(high, Scalar::I64));
    let shift = access.b.i64(32);
    let high = access.b.shl(high, shift);
    let value = access.b.or(low, high);
    access.b.bitcast(value, scalar)
}

pub(super) fn write(access: &mut Access, with_level: bool) -> Result<(), BuildError> {
    let format = access.view.format;
    if format.is_compressed() || format.is_depth_stencil() {
        return Err(BuildError::Invalid("a storage image of a compressed or depth-stencil format"));
    }
    let (place, inside) = place(access, with_level, false);
    let inside = access.resident(place, inside);
    let values = [0, 1, 2, 3].map(|index| operand(access, index));
    let words = texel::encode(access.b, format, values);
    let address = access.address();
    let memory = MemoryOp::new(Space::Global);
    texel::store_words(access.b, format, memory, address, place.offset, &words, inside);
    Ok(())
}

pub(super) fn atomic(access: &mut Access, op: AtomicOp) -> Result<(), BuildError> {
    let format = access.view.format;
    if !format.features().storage_atomic {
        return Err(BuildError::Invalid("an image atomic on a format without atomics"));
    }
    let scalar = texel::value_scalar(format, access.view.aspect);
    let opcode = match op {
        AtomicOp::IAdd => Opcode::AtomicAdd,
        AtomicOp::SMin => Opcode::AtomicSMin,
        AtomicOp::SMax => Opcode::AtomicSMax,
        AtomicOp::UMin => Opcode::AtomicUMin,
        AtomicOp::UMax => Opcode::AtomicUMax,
        AtomicOp::And => Opcode::AtomicAnd,
        AtomicOp::Or => Opcode::AtomicOr,
        AtomicOp::Xor => Opcode::AtomicXor,
        AtomicOp::Exchange => Opcode::AtomicExchange,
        AtomicOp::CompareExchange => Opcode::AtomicCompareExchange,
        AtomicOp::FAdd => Opcode::AtomicFAdd,
        AtomicOp::FMin => Opcode::AtomicFMin,
        AtomicOp::FMax => Opcode::AtomicFMax,
    };
    let float_op = matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
    if op != AtomicOp::Exchange && float_op != scalar.is_float() {
        return Err(BuildError::Invalid("an image atomic of another type than the format's"));
    }
    let (place, inside) = place(access, false, false);
    let inside = access.resident(place, inside);
    if format.has_vector_atomics() {
        return vector_atomic(access, opcode, place, inside);
    }
    let value = operand(access, 0);
    let address = access.address();
    let mut args = vec![address, place.offset];
    if op == AtomicOp::CompareExchange {
        args.push(operand(access, 1));
    }
    args.extend([value, inside]);
    let memory = MemoryOp::new(Space::Global).to_imm();
    let Some(old) = access.b.emit(opcode, &args, memory, scalar) else {
        return Err(BuildError::Invalid("an atomic without a result"));
    };
    access.store_texel(&[old]);
    Ok(())
}

/// An atomic on vectors of 16-bit floats: each component by itself (`VK_NV_shader_atomic_float16_vector`).
fn vector_atomic(
    access: &mut Access,
    opcode: Opcode,
    place: TexelLocation,
    inside: Value,
) -> Result<(), BuildError> {
    if opcode == Opcode::AtomicCompareExchange {
        return Err(BuildError::Invalid("a comparing exchange of vectors"));
    }
    let address = access.address();
    let count = access.view.format.block_bytes() / 2;
    let mut old = Vec::new();
    for index in 0..count {
        let value = operand(access, index);
        let value = access.b.convert(Opcode::FConvert, value, Scalar::F16);
        let memory = MemoryOp::new(Space::Global).at(2 * index as i32).to_imm();
        let component = access.b.emit(opcode, &[address, place.offset, value, inside], memory, Scalar::F16);
        let Some(component) = component else {
            return Err(BuildError::Invalid("an atomic without a result"));
        };
        old.push(access.b.convert(Opcode::FConvert, component, Scalar::F32));
    }
    access.store_texel(&old);
    Ok(())
}
