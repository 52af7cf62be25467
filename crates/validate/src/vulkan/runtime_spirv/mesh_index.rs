//! Indices of mesh shaders, as far as constants say them and the counts of `OpSetMeshOutputsEXT`. A store
//! that never runs breaks no rule, but nobody writes such.

use crate::context::Verdict;
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op};
use pyro_spirv::{Id, Instruction};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07045", |s| {
        places(s, Some(BuiltIn::PrimitivePointIndicesEXT))
    }),
    ("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07051", |s| {
        places(s, Some(BuiltIn::PrimitiveLineIndicesEXT))
    }),
    ("VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07057", |s| {
        places(s, Some(BuiltIn::PrimitiveTriangleIndicesEXT))
    }),
    ("VUID-RuntimeSpirv-MeshEXT-12333", |s| places(s, None)),
    ("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-12335", |s| {
        values(s, BuiltIn::PrimitivePointIndicesEXT, vertex_count(s))
    }),
    ("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-12336", |s| {
        values(s, BuiltIn::PrimitiveLineIndicesEXT, vertex_count(s))
    }),
    ("VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-12337", |s| {
        values(s, BuiltIn::PrimitiveTriangleIndicesEXT, vertex_count(s))
    }),
    ("VUID-PrimitiveIndicesNV-PrimitiveIndicesNV-04341", |s| {
        let mode = s.cx.module.execution_mode(s.entry.function, Mode::OutputVertices);
        let count = mode.and_then(|mode| mode.operands.first().copied());
        values(s, BuiltIn::PrimitiveIndicesNV, count.filter(|_| s.model() == Model::MeshNV))
    }),
];

/// The greatest count that an operand of `OpSetMeshOutputsEXT` says; none when one is not constant.
fn count(stage: &Stage<'_, '_, '_>, position: usize) -> Option<u32> {
    let mut counts = Vec::new();
    stage.each_instruction(|inst| {
        if inst.op() == Op::SetMeshOutputsEXT {
            counts.push(inst.get_id(position).and_then(|id| stage.cx.constants.unsigned(id)));
        }
    });
    let counts: Option<Vec<u32>> = counts.into_iter().collect();
    counts?.into_iter().max()
}

fn vertex_count(stage: &Stage<'_, '_, '_>) -> Option<u32> {
    count(stage, 0).filter(|_| stage.model() == Model::MeshEXT)
}

/// Calls something with each store through a chain into a variable: the variable, the chain, the store.
fn each_store<'m>(stage: &Stage<'_, '_, 'm>, mut visit: impl FnMut(Id, Instruction<'m>, Instruction<'m>)) {
    let module = stage.cx.module;
    stage.each_instruction(|inst| {
        let chain = inst.get_id(0).filter(|_| inst.op() == Op::Store).and_then(|id| module.definition(id));
        if let Some(chain) = chain.filter(|chain| is_access_chain(chain.op()))
            && let Some(variable) = chain.get_id(0).and_then(|id| module.global(id))
        {
            visit(variable.id, chain, inst);
        }
    });
}

/// Whether a variable has one element for each primitive, and no indices.
fn is_per_primitive(stage: &Stage<'_, '_, '_>, variable: Id) -> bool {
    let module = stage.cx.module;
    let is_user =
        stage.interface.outputs.iter().any(|found| found.variable == variable && found.is_per_primitive);
    let indices = [
        BuiltIn::PrimitivePointIndicesEXT,
        BuiltIn::PrimitiveLineIndicesEXT,
        BuiltIn::PrimitiveTriangleIndicesEXT,
    ];
    let is_marked = module.has_decoration(variable, Decoration::PerPrimitiveEXT);
    is_user || is_marked && module.built_in(variable).is_none_or(|found| !indices.contains(&found))
}

/// Elements of primitives that are written lie below their count: those of a built-in, or of all others.
fn places(stage: &Stage<'_, '_, '_>, built_in: Option<BuiltIn>) -> Verdict {
    if stage.model() != Model::MeshEXT {
        return Ok(());
    }
    let Some(count) = count(stage, 1) else { return Ok(()) };
    let mut found = None;
    each_store(stage, |variable, chain, _| {
        let is_meant = match built_in {
            Some(built_in) => stage.cx.module.built_in(variable) == Some(built_in),
            None => is_per_primitive(stage, variable),
        };
        let index = chain.get_id(1).and_then(|id| stage.cx.constants.unsigned(id));
        found = found.or(index.filter(|index| is_meant && *index >= count).map(|index| (variable, index)));
    });
    let Some((variable, index)) = found else { return Ok(()) };
    stage.look_at(variable);
    Err(format!("the primitive {index} is written, but OpSetMeshOutputsEXT sets {count} primitives"))
}

/// Vertices that primitives name lie below their count.
fn values(stage: &Stage<'_, '_, '_>, built_in: BuiltIn, count: Option<u32>) -> Verdict {
    let Some(count) = count else { return Ok(()) };
    let constants = &stage.cx.constants;
    let mut found = None;
    each_store(stage, |variable, _, store| {
        let value = store.get_id(1).and_then(|id| constants.get(id));
        let Some(value) = value.filter(|_| stage.cx.module.built_in(variable) == Some(built_in)) else {
            return;
        };
        let parts = (0..3).filter_map(|index| constants.element(value, index));
        let numbers = parts.chain([value]).filter_map(|part| constants.scalar_of(part));
        found = found.or(numbers.filter(|index| *index >= count.into()).max().map(|index| (variable, index)));
    });
    let Some((variable, index)) = found else { return Ok(()) };
    stage.look_at(variable);
    Err(format!("a primitive has the vertex {index}, of {count}"))
}
