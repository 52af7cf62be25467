//! Execution graphs: the payloads that nodes hand to nodes. Groups of shaders that commands made by the
//! device choose from.

use super::{Api, Cx, MESH, Rule, mode};
use pyro_interface::pipeline::PipelineStage;
use pyro_spirv::layout::{LayoutKind, Layouts};
use pyro_spirv::spirv::{Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op, StorageClass};
use pyro_spirv::{Id, Type};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139", |cx, into| {
        each_output(cx, |place, output| {
            for (node, size) in cx.nodes_of(&output.name).filter_map(|node| Some((node, input_size(node)?))) {
                if size != output.size {
                    let (name, own) = (&node.interface.name, output.size);
                    let message =
                        format!("it hands {own} bytes to the node '{name}', whose payload has {size}");
                    into.at(place, message);
                    return;
                }
            }
        });
    }),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184", |cx, into| {
        // What libraries bring is not looked into.
        if cx.info.flags.has("LIBRARY") || cx.info.library_shader_count != 0 {
            return;
        }
        each_output(cx, |place, output| {
            let Some(count) = output.dense_count else { return };
            let has = |index: u64| cx.nodes_of(&output.name).any(|node| node_index(node) == Some(index));
            // As many as there are nodes can be there at most.
            let missing = (0..count).take(cx.pipeline.stages.len() + 1).find(|&index| !has(index));
            if let Some(index) = missing {
                let name = &output.name;
                let message =
                    format!("it may go to {count} nodes '{name}', and there is none with the index {index}");
                into.at(place, message);
            }
        });
    }),
    ("VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-pGroups-02884", |cx, into| {
        let Some(first) = cx.info.generated_groups.first() else { return };
        for (index, group) in cx.info.generated_groups.iter().enumerate() {
            let is_mesh = |stages: &[Model]| stages.iter().any(|stage| MESH.contains(stage));
            let is_same = group.len() == first.len() && group.iter().all(|stage| first.contains(stage));
            // With mesh shaders, the task shader may be there or not.
            if !(is_same || is_mesh(group) && is_mesh(first)) {
                into.whole(format!("group {index} has the stages {group:?}, group 0 has {first:?}"));
            }
        }
    }),
];

/// A payload that a node makes for others (`OpTypeNodePayloadArrayAMDX` that says for which).
struct Output {
    /// Their name.
    name: String,
    /// Bytes of one payload.
    size: u64,
    /// How many of them there must be; none where only some need to be there.
    dense_count: Option<u64>,
}

fn size_of(stage: &PipelineStage<'_>, ty: Id) -> Option<u64> {
    let mut layouts = Layouts::new(stage.constants, LayoutKind::Logical);
    layouts.extent(ty).ok().map(|extent| extent.size)
}

fn each_output(cx: &Cx<'_>, mut check: impl FnMut(usize, Output)) {
    if cx.info.api != Api::ExecutionGraph {
        return;
    }
    for (place, stage) in cx.pipeline.stages.iter().enumerate() {
        let module = stage.module();
        for inst in module.insts().filter(|inst| inst.op() == Op::TypeNodePayloadArrayAMDX) {
            let Some(ty) = inst.result() else { continue };
            let decoration = |kind| module.decorations(ty).find(|found| found.kind == kind);
            let name = decoration(Decoration::PayloadNodeNameAMDX).and_then(|name| name.id());
            let name = name.and_then(|name| module.definition(name)).map(|name| name.string(0).into_owned());
            let (Some(name), Some(size)) = (name, size_of(stage, inst.id(0))) else { continue };
            let count = decoration(Decoration::PayloadNodeArraySizeAMDX).and_then(|count| count.id());
            let is_dense = decoration(Decoration::PayloadNodeSparseArrayAMDX).is_none();
            let dense_count = count.filter(|_| is_dense).and_then(|count| stage.constants.unsigned(count));
            check(place, Output { name, size, dense_count: dense_count.map(u64::from) });
        }
    }
}

/// Bytes of the payload that a node takes.
fn input_size(node: &PipelineStage<'_>) -> Option<u64> {
    let module = node.module();
    let mut payloads = module.globals().filter(|global| global.class == StorageClass::NodePayloadAMDX);
    let ty = payloads.next()?.value_type?;
    let payload = match module.ty(ty) {
        Type::NodePayloadArray { payload } => payload,
        _ => ty,
    };
    size_of(node, payload)
}

/// A node's index among those of its name.
fn node_index(node: &PipelineStage<'_>) -> Option<u64> {
    match mode(node, Mode::ShaderIndexAMDX) {
        Some(operands) => node.constants.unsigned(Id::from_u32(*operands.first()?)).map(u64::from),
        None => Some(0),
    }
}

impl<'c> Cx<'c> {
    /// The nodes of a name.
    fn nodes_of<'n>(&self, name: &'n str) -> impl Iterator<Item = &'c PipelineStage<'c>> + use<'c, 'n> {
        self.pipeline.stages.iter().filter(move |stage| stage.interface.name == name)
    }
}
