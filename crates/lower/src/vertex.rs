//! The vertex stage: attributes come from `pyro_fixed`, outputs go to columns.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid};
use crate::outputs::store_outputs;
use crate::stage::{InterpolateAt, Stage};
use crate::value::Scalars;
use crate::varyings::{VaryingLayout, interface_of, words};
use crate::{Lowered, Shader};
use pyro_fixed::{Vertex, VertexInputState};
use pyro_interface::{Interface, Variable};
use pyro_ir::{Form, Function, Opcode, Scalar, Value};
use pyro_spirv::Id;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel};
use std::cell::OnceCell;

/// A vertex shader's stage.
struct VertexStage<'s> {
    input: &'s VertexInputState,
    interface: Interface,
    vertex: OnceCell<Vertex>,
}

/// Lowers a vertex entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    lanes: u32,
    input: &VertexInputState,
    outputs: &VaryingLayout,
) -> Result<Lowered> {
    check_lanes(lanes)?;
    let interface = interface_of(shader.checked, shader.entry_point, ExecutionModel::Vertex)?;
    let entry = interface.function;
    let constants = shader.checked.constants_for(entry, 0)?;
    let stage = VertexStage { input, interface, vertex: OnceCell::new() };
    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(shader.checked, entry, constants, shader.layout, &stage, &mut function)?;
    let located = stage.interface.inputs.iter().flat_map(words);
    let missing: Vec<u32> = located.filter(|word| input.attribute_at(word / 4).is_none()).collect();
    cx.sanitize_inputs(&stage.interface, &missing);
    let vertex = *stage.vertex.get_or_init(|| Vertex::begin(&mut cx.b));
    let end = cx.make_block()?;
    cx.end = Some(end);
    cx.lower_entry_point(entry)?;
    cx.b.start(end);
    store_outputs(&mut cx, &stage.interface, outputs, 0, &mut |cx, column, value| {
        vertex.store_column(&mut cx.b, column, value);
    })?;
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let info = cx.subgroup_info(lanes);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

impl VertexStage<'_> {
    fn vertex(&self) -> &Vertex {
        self.vertex.get().expect("made before the shader is lowered")
    }

    /// A component of an attribute as the shader's type.
    fn component(cx: &mut Lowerer<'_, '_>, value: Value, to: Scalar) -> Result<Value> {
        let from = cx.scalar_type(value);
        if from == to {
            return Ok(value);
        }
        if from.is_float() && to.is_float() {
            return cx.convert(Opcode::FConvert, value, to);
        }
        if from.bits() == to.bits() {
            return cx.convert(Opcode::Bitcast, value, to);
        }
        // Types that do not match the format's give something.
        let bits = cx.b.bitcast(value, from.to_int());
        let bits = cx.integer_of_width(bits, to.to_int(), true)?;
        Ok(cx.b.bitcast(bits, to))
    }
}

impl Stage for VertexStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::Vertex)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        let vertex = self.vertex();
        Ok(smallvec::smallvec![match built_in {
            BuiltIn::VertexIndex => vertex.vertex_index,
            BuiltIn::InstanceIndex => vertex.instance_index,
            BuiltIn::BaseVertex => vertex.base_vertex,
            BuiltIn::BaseInstance => vertex.base_instance,
            BuiltIn::DrawIndex => vertex.draw_index,
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => self.view(cx)?,
            other => return cx.common_built_in(other),
        }])
    }

    fn view(&self, _: &mut Lowerer<'_, '_>) -> Result<Value> {
        Ok(self.vertex().view_index)
    }

    fn user_input(
        &self,
        cx: &mut Lowerer<'_, '_>,
        parts: &[&Variable],
        _: Option<InterpolateAt>,
    ) -> Result<Scalars> {
        let mut value = Scalars::new();
        for leaf in parts.iter().flat_map(|part| &part.leaves) {
            let scalar = cx.type_scalars(leaf.scalar)?.first().copied().unwrap_or(Scalar::I32);
            let first = leaf.component as usize / if leaf.width == 64 { 2 } else { 1 };
            let fetched = self
                .input
                .attribute_at(leaf.location)
                .map(|(index, _)| self.vertex().fetch(&mut cx.b, self.input, index));
            for index in first..first + leaf.count as usize {
                value.push(match fetched.as_ref().and_then(|components| components.get(index)) {
                    Some(&component) => Self::component(cx, component, scalar)?,
                    None => cx.b.constant(scalar, 0),
                });
            }
        }
        Ok(value)
    }

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>, _: u64) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}
