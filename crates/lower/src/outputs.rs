//! Values of inputs and outputs as words, and outputs as columns of a vertex.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::Access;
use crate::pointer::Index;
use crate::sanitize::outputs::Reader;
use crate::transform_feedback;
use crate::value::Scalars;
use crate::varyings::{VERTEX_BUILT_INS, VaryingLayout, built_in_columns};
use pyro_abi::graphics::graphics_offset::VIEW_MASK;
use pyro_interface::Interface;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::Id;
use pyro_spirv::spirv::{BuiltIn, StorageClass};

/// The value of a scalar type from the words that [`Lowerer::words_of`] makes of it, as `i32` or `f32`.
pub(crate) fn value_of_words(
    cx: &mut Lowerer<'_, '_>,
    scalar: Scalar,
    next_word: &mut dyn FnMut(&mut Lowerer<'_, '_>) -> Value,
) -> Result<Value> {
    let first = next_word(cx);
    Ok(match scalar {
        Scalar::F32 | Scalar::I32 => cx.b.bitcast(first, scalar),
        Scalar::F16 => {
            let wide = cx.b.bitcast(first, Scalar::F32);
            cx.b.convert(Opcode::FConvert, wide, Scalar::F16)
        }
        Scalar::I8 | Scalar::I16 => {
            let wide = cx.b.bitcast(first, Scalar::I32);
            cx.b.convert(Opcode::Truncate, wide, scalar)
        }
        Scalar::I64 | Scalar::F64 => {
            let second = next_word(cx);
            let [low, high] = [first, second].map(|part| {
                let part = cx.b.bitcast(part, Scalar::I32);
                cx.b.convert(Opcode::ZeroExtend, part, Scalar::I64)
            });
            let amount = cx.b.i64(32);
            let high = cx.b.op(Opcode::Shl, &[high, amount]);
            let bits = cx.b.op(Opcode::Or, &[low, high]);
            cx.b.bitcast(bits, scalar)
        }
        Scalar::I1 => return invalid("an input of booleans"),
    })
}

/// The scalars of an output variable or its member, at the shader's end.
pub(crate) fn output_scalars(
    cx: &mut Lowerer<'_, '_>,
    variable: Id,
    member: Option<u32>,
) -> Result<(Id, Scalars)> {
    let Some(global) = cx.module.global(variable) else {
        return invalid(format!("{variable} is not an output"));
    };
    let mut pointer = cx.global_variable(global)?;
    if let Some(member) = member {
        cx.step(&mut pointer, Index::Constant(member.into()))?;
    }
    let Some(ty) = pointer.pointee else { return invalid(format!("output {variable} has no type")) };
    let value = cx.load(&pointer, ty, Access::default())?;
    Ok((ty, cx.operand_scalars(value)?))
}

/// What a vertex has for the view that is drawn of a built-in with so many scalars for each view, or without
/// multiview what it has for all.
pub(crate) fn of_view(
    cx: &mut Lowerer<'_, '_>,
    plain: &[Value],
    per_view: &[Value],
    count: usize,
) -> Result<Scalars> {
    let (stage, context) = (cx.stage, cx.b.arg(0));
    let (view, mask) = (stage.view(cx)?, cx.load_context(context, VIEW_MASK, Scalar::I32));
    let zero = cx.b.i32(0);
    let has_views = cx.b.op(Opcode::INe, &[mask, zero]);
    let mut value: Scalars = per_view.iter().take(count).copied().collect();
    for (number, element) in (1..).zip(per_view.chunks_exact(count).skip(1)) {
        let number = cx.b.i32(number);
        let is_it = cx.b.op(Opcode::IEq, &[view, number]);
        for (value, &of_view) in value.iter_mut().zip(element) {
            *value = cx.b.select(is_it, of_view, *value);
        }
    }
    for (value, &plain) in value.iter_mut().zip(plain) {
        *value = cx.b.select(has_views, *value, plain);
    }
    Ok(value)
}

/// Stores what the output variables hold now as the columns of a vertex: calls `store_column` with each
/// column and its value. Of variables that share locations, those of the stream count.
pub(crate) fn store_outputs(
    cx: &mut Lowerer<'_, '_>,
    interface: &Interface,
    outputs: &VaryingLayout,
    stream: u32,
    store_column: &mut dyn FnMut(&mut Lowerer<'_, '_>, u32, Value),
) -> Result {
    for built_in in VERTEX_BUILT_INS {
        let Some((first, count)) = built_in_columns(&outputs.layout, built_in) else { continue };
        let found = interface.built_in(built_in, StorageClass::Output);
        let mut scalars = match found {
            Some(found) => {
                if built_in == BuiltIn::Position {
                    let place = (found.variable, found.member);
                    cx.sanitize_output(interface.function, place, Reader::Rasterization, |_| true)?;
                }
                output_scalars(cx, found.variable, found.member)?.1
            }
            None => Scalars::new(),
        };
        let per_view = match built_in {
            BuiltIn::Position => Some((BuiltIn::PositionPerViewNV, 4)),
            BuiltIn::ViewportMaskNV => Some((BuiltIn::ViewportMaskPerViewNV, 1)),
            _ => None,
        };
        let per_view = per_view
            .and_then(|(per_view, count)| Some((interface.built_in(per_view, StorageClass::Output)?, count)));
        if let Some((found, count)) = per_view {
            let all = output_scalars(cx, found.variable, found.member)?.1;
            scalars = of_view(cx, &scalars, &all, count)?;
        }
        for index in 0..count {
            let value = match scalars.get(index as usize) {
                Some(&value) => cx.words_of(value)?[0],
                None => cx.b.i32(0),
            };
            store_column(cx, first + index, value);
        }
    }
    for variable in &interface.outputs {
        let mut used =
            variable.leaves.iter().flat_map(|leaf| leaf.words().map(|word| 4 * leaf.location + word));
        if !used.any(|word| outputs.columns.contains_key(&word))
            || transform_feedback::stream(cx.module, variable.variable, variable.member) != stream
        {
            continue;
        }
        let mut reads = Vec::new();
        for leaf in &variable.leaves {
            let scale = if leaf.width == 64 { 2 } else { 1 };
            let first = 4 * leaf.location + leaf.component;
            let is_read = |index: u32| outputs.columns.contains_key(&(first + scale * index));
            reads.extend((0..leaf.count).map(is_read));
        }
        let place = (variable.variable, variable.member);
        cx.sanitize_output(interface.function, place, Reader::Stage("the next stage"), |index| {
            reads.get(index).copied().unwrap_or(false)
        })?;
        let (_, scalars) = output_scalars(cx, variable.variable, variable.member)?;
        let mut scalars = scalars.iter();
        for leaf in &variable.leaves {
            let mut word = 4 * leaf.location + leaf.component;
            for &scalar in scalars.by_ref().take(leaf.count as usize) {
                for value in cx.words_of(scalar)? {
                    if let Some(&column) = outputs.columns.get(&word) {
                        store_column(cx, column, value);
                    }
                    word += 1;
                }
            }
        }
    }
    Ok(())
}
