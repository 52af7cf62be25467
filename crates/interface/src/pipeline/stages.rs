//! Which stages a pipeline has, and what they agree on.

use super::{Pipeline, PipelineFinding, PipelineStage, Rule};
use crate::link::{self, match_stages};
use crate::payload;
use crate::usage::accessed_globals;
use pyro_spirv::Id;
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::spirv::{
    BuiltIn, Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op, StorageClass,
};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-stage-06897", each_stage_once),
    ("VUID-VkGraphicsPipelineCreateInfo-stage-02096", vertex_or_mesh),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-02095", one_kind_of_geometry),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00729", evaluation_with_control),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00730", control_with_evaluation),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00732", subdivision_given),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00733", subdivision_equal),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00734", patch_size_given),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00735", patch_size_equal),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00739", geometry_takes_tessellated),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00740", geometry_writes_primitive_id),
    ("VUID-VkGraphicsPipelineCreateInfo-PrimitiveId-06264", mesh_writes_primitive_id),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-09631", draw_index_in_task),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-02317", one_stage_captures),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-02318", last_stage_captures),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-stage-03425", has_ray_generation),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-stage-06899", only_ray_stages),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-pStages-03426", ray_interfaces),
    ("VUID-RuntimeSpirv-MeshEXT-12380", task_payload_matches),
    ("VUID-VkGraphicsPipelineCreateInfo-None-04889", neighbours_match),
];

/// What [`neighbours_match`] reports: the rules of [`match_stages`].
pub(super) const NEIGHBOUR_RULES: [&str; 4] = [
    "VUID-RuntimeSpirv-OpEntryPoint-08743",
    "VUID-RuntimeSpirv-OpEntryPoint-07754",
    "VUID-RuntimeSpirv-OpVariable-08746",
    "VUID-RuntimeSpirv-maintenance4-06817",
];

const PRIMITIVE: [Model; 4] =
    [Model::Vertex, Model::TessellationControl, Model::TessellationEvaluation, Model::Geometry];

const MESH: [Model; 4] = [Model::TaskEXT, Model::MeshEXT, Model::TaskNV, Model::MeshNV];

fn place_of(pipeline: &Pipeline<'_>, models: &[Model]) -> Option<usize> {
    pipeline.stages.iter().position(|stage| models.contains(&stage.model()))
}

fn is_graphics(pipeline: &Pipeline<'_>) -> bool {
    place_of(pipeline, &PRIMITIVE).or(place_of(pipeline, &MESH)).is_some()
}

fn is_ray(pipeline: &Pipeline<'_>) -> bool {
    place_of(pipeline, &RAY_TRACING_STAGES).is_some()
}

fn mode<'a>(stage: &PipelineStage<'a>, mode: Mode) -> Option<&'a [u32]> {
    stage.module().execution_mode(stage.interface.function, mode).map(|found| found.operands)
}

fn each_stage_once(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if !is_graphics(pipeline) {
        return;
    }
    for (place, stage) in pipeline.stages.iter().enumerate() {
        if pipeline.stages[..place].iter().any(|other| other.model() == stage.model()) {
            let message = format!("there is more than one {:?} shader", stage.model());
            into.push(PipelineFinding::at(rule, place, None, message));
        }
    }
}

fn vertex_or_mesh(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let begins = place_of(pipeline, &[Model::Vertex, Model::MeshEXT, Model::MeshNV]);
    if is_graphics(pipeline) && begins.is_none() {
        into.push(PipelineFinding::whole(rule, "there is neither a vertex nor a mesh shader"));
    }
}

fn one_kind_of_geometry(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if let (Some(_), Some(mesh)) = (place_of(pipeline, &PRIMITIVE), place_of(pipeline, &MESH)) {
        let message = "mesh or task shaders stand beside vertex, tessellation or geometry shaders";
        into.push(PipelineFinding::at(rule, mesh, None, message));
    }
}

fn evaluation_with_control(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if let (Some(place), None) =
        (place_of(pipeline, &[Model::TessellationControl]), pipeline.stage(Model::TessellationEvaluation))
    {
        into.push(PipelineFinding::at(rule, place, None, "no tessellation evaluation shader follows"));
    }
}

fn control_with_evaluation(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if let (Some(place), None) =
        (place_of(pipeline, &[Model::TessellationEvaluation]), pipeline.stage(Model::TessellationControl))
    {
        into.push(PipelineFinding::at(rule, place, None, "no tessellation control shader comes before"));
    }
}

type Tessellation<'p, 'a> = ((usize, &'p PipelineStage<'a>), (usize, &'p PipelineStage<'a>));

fn tessellation<'p, 'a>(pipeline: &'p Pipeline<'a>) -> Option<Tessellation<'p, 'a>> {
    Some((pipeline.stage(Model::TessellationControl)?, pipeline.stage(Model::TessellationEvaluation)?))
}

fn subdivision(stage: &PipelineStage<'_>) -> Option<Mode> {
    [Mode::Triangles, Mode::Quads, Mode::Isolines].into_iter().find(|&found| mode(stage, found).is_some())
}

fn subdivision_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some(((_, control), (place, evaluation))) = tessellation(pipeline) else { return };
    if subdivision(control).or(subdivision(evaluation)).is_none() {
        into.push(PipelineFinding::at(
            rule,
            place,
            None,
            "neither tessellation shader declares the domain (Triangles, Quads or IsoLines)",
        ));
    }
}

fn subdivision_equal(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some(((first, control), (place, evaluation))) = tessellation(pipeline) else { return };
    if let (Some(one), Some(other)) = (subdivision(control), subdivision(evaluation))
        && one != other
    {
        let message = format!("the control shader subdivides into {one:?}, the evaluation shader {other:?}");
        into.push(PipelineFinding { other: Some(first), ..PipelineFinding::at(rule, place, None, message) });
    }
}

fn patch_size(stage: &PipelineStage<'_>) -> Option<u32> {
    mode(stage, Mode::OutputVertices)?.first().copied()
}

fn patch_size_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some(((place, control), (_, evaluation))) = tessellation(pipeline) else { return };
    if patch_size(control).or(patch_size(evaluation)).is_none() {
        into.push(PipelineFinding::at(
            rule,
            place,
            None,
            "neither tessellation shader declares OutputVertices",
        ));
    }
}

fn patch_size_equal(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some(((first, control), (place, evaluation))) = tessellation(pipeline) else { return };
    if let (Some(one), Some(other)) = (patch_size(control), patch_size(evaluation))
        && one != other
    {
        let message =
            format!("OutputVertices is {one} in the control shader and {other} in the evaluation shader");
        into.push(PipelineFinding { other: Some(first), ..PipelineFinding::at(rule, place, None, message) });
    }
}

fn geometry_takes_tessellated(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some(((_, control), (first, evaluation))) = tessellation(pipeline) else { return };
    let Some((place, geometry)) = pipeline.stage(Model::Geometry) else { return };
    let has = |found| mode(control, found).or(mode(evaluation, found)).is_some();
    let made = if has(Mode::PointMode) {
        Mode::InputPoints
    } else if has(Mode::Isolines) {
        Mode::InputLines
    } else {
        Mode::Triangles
    };
    if mode(geometry, made).is_none() {
        let message = format!("tessellation makes what {made:?} takes, but the geometry shader takes others");
        into.push(PipelineFinding { other: Some(first), ..PipelineFinding::at(rule, place, None, message) });
    }
}

fn built_in(stage: &PipelineStage<'_>, built_in: BuiltIn, class: StorageClass) -> bool {
    stage.interface.built_ins.iter().any(|found| (found.built_in, found.class) == (built_in, class))
}

fn writes_primitive_id(
    pipeline: &Pipeline<'_>,
    before: &[Model],
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
) {
    let Some((fragment, reader)) = pipeline.stage(Model::Fragment) else { return };
    let Some(place) = place_of(pipeline, before) else { return };
    if built_in(reader, BuiltIn::PrimitiveId, StorageClass::Input)
        && !built_in(&pipeline.stages[place], BuiltIn::PrimitiveId, StorageClass::Output)
    {
        let message = "the fragment shader reads PrimitiveId, which this shader does not write";
        into.push(PipelineFinding {
            other: Some(fragment),
            ..PipelineFinding::at(rule, place, None, message)
        });
    }
}

fn geometry_writes_primitive_id(
    pipeline: &Pipeline<'_>,
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
) {
    writes_primitive_id(pipeline, &[Model::Geometry], rule, into);
}

fn mesh_writes_primitive_id(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    writes_primitive_id(pipeline, &[Model::MeshEXT, Model::MeshNV], rule, into);
}

fn draw_index_in_task(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let (Some(_), Some((place, mesh))) = (pipeline.stage(Model::TaskEXT), pipeline.stage(Model::MeshEXT))
    else {
        return;
    };
    if built_in(mesh, BuiltIn::DrawIndex, StorageClass::Input) {
        let message = "a mesh shader after a task shader has no DrawIndex";
        into.push(PipelineFinding::at(rule, place, None, message));
    }
}

fn capturing(pipeline: &Pipeline<'_>) -> Vec<usize> {
    let captures =
        |stage: &PipelineStage<'_>| stage.model() != Model::Fragment && mode(stage, Mode::Xfb).is_some();
    (0..pipeline.stages.len()).filter(|&place| captures(&pipeline.stages[place])).collect()
}

fn one_stage_captures(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if let [_, second, ..] = capturing(pipeline)[..] {
        into.push(PipelineFinding::at(rule, second, None, "two stages capture transform feedback"));
    }
}

fn last_stage_captures(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    for place in capturing(pipeline) {
        let follows = pipeline
            .neighbours()
            .into_iter()
            .find(|&(from, to)| from == place && pipeline.stages[to].model() != Model::Fragment);
        if let Some((_, other)) = follows {
            let message = "a stage that is not the last before rasterization captures transform feedback";
            into.push(PipelineFinding {
                other: Some(other),
                ..PipelineFinding::at(rule, place, None, message)
            });
        }
    }
}

fn has_ray_generation(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if is_ray(pipeline) && pipeline.stage(Model::RayGenerationKHR).is_none() {
        into.push(PipelineFinding::whole(rule, "there is no ray generation shader"));
    }
}

fn only_ray_stages(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    if !is_ray(pipeline) {
        return;
    }
    for (place, stage) in pipeline.stages.iter().enumerate() {
        if !RAY_TRACING_STAGES.contains(&stage.model()) {
            let message = format!("a {:?} shader stands in a ray tracing pipeline", stage.model());
            into.push(PipelineFinding::at(rule, place, None, message));
        }
    }
}

/// Which storage class of a shader that is called takes what which class of the caller gives.
const HANDED_ON: [(StorageClass, StorageClass); 2] = [
    (StorageClass::IncomingRayPayloadKHR, StorageClass::RayPayloadKHR),
    (StorageClass::IncomingCallableDataKHR, StorageClass::CallableDataKHR),
];

fn ray_interfaces(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    // Which shader answers which trace or call is known at run time only, so that what is passed must be
    // equal to something that any caller passes.
    for (place, stage) in pipeline.stages.iter().enumerate() {
        for incoming in &stage.interface.payloads {
            let Some((_, given)) = HANDED_ON.iter().find(|(class, _)| *class == incoming.class) else {
                continue;
            };
            let mut callers = pipeline.stages.iter().enumerate().flat_map(|(other, caller)| {
                let payloads = caller.interface.payloads.iter().filter(|found| found.class == *given);
                payloads.map(move |found| (other, caller, found))
            });
            let Some((first, ..)) = callers.clone().next() else { continue };
            let is_given = callers.any(|(_, caller, found)| {
                payload::same_type((caller.constants, found.ty), (stage.constants, incoming.ty))
            });
            if !is_given {
                let message = format!(
                    "this shader's {:?} is of type {}, but no shader passes {given:?} of this type",
                    incoming.class,
                    payload::describe(stage.constants, incoming.ty)
                );
                into.push(PipelineFinding {
                    other: Some(first),
                    ..PipelineFinding::at(rule, place, Some(incoming.variable), message)
                });
            }
        }
    }
}

/// The payload that a task shader hands to the meshes that it emits.
fn emitted_payload(task: &PipelineStage<'_>) -> Option<Id> {
    let mut emitted = None;
    task.module().each_in_call_tree(task.interface.function, |inst| {
        if inst.op() == Op::EmitMeshTasksEXT {
            emitted = emitted.or(inst.get_id(3));
        }
    });
    emitted
}

fn task_payload_matches(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    let Some((place, mesh)) = pipeline.stage(Model::MeshEXT) else { return };
    let payload = |stage: &PipelineStage<'_>, is_wanted: &dyn Fn(Id) -> bool| {
        let mut payloads = stage.interface.payloads.iter();
        let class = StorageClass::TaskPayloadWorkgroupEXT;
        payloads.find(|found| found.class == class && is_wanted(found.variable)).cloned()
    };
    let accessed = accessed_globals(mesh.module(), mesh.interface.function);
    let Some(read) = payload(mesh, &|variable| accessed.contains(&variable)) else { return };
    let task = pipeline.stage(Model::TaskEXT);
    let given = task.map(|(_, task)| {
        let emitted = emitted_payload(task);
        (task, payload(task, &|variable| Some(variable) == emitted))
    });
    let message = match &given {
        None => "the mesh shader accesses a task payload, but there is no task shader".to_owned(),
        Some((_, None)) => {
            "the mesh shader accesses a payload, but the OpEmitMeshTasksEXT of the task shader passes none"
                .to_owned()
        }
        Some((task, Some(given)))
            if !payload::same_type((task.constants, given.ty), (mesh.constants, read.ty)) =>
        {
            let (from, to) =
                (payload::describe(task.constants, given.ty), payload::describe(mesh.constants, read.ty));
            format!(
                "the task shader passes a payload of type {from}, the mesh shader accesses one of type {to}"
            )
        }
        Some(_) => return,
    };
    into.push(PipelineFinding {
        other: task.map(|(place, _)| place),
        other_variable: given.and_then(|(_, given)| Some(given?.variable)),
        ..PipelineFinding::at(rule, place, Some(read.variable), message)
    });
}

fn neighbours_match(pipeline: &Pipeline<'_>, _rule: &'static str, into: &mut Vec<PipelineFinding>) {
    for (from, to) in pipeline.neighbours() {
        let (producer, consumer) = (pipeline.stages[from], pipeline.stages[to]);
        let is_passthrough = consumer
            .interface
            .used
            .iter()
            .any(|&id| consumer.module().has_decoration(id, Decoration::PassthroughNV));
        let mismatches = if is_passthrough {
            link::match_passthrough(producer, consumer)
        } else {
            match_stages(producer, consumer, pipeline.options)
        };
        for mismatch in mismatches {
            let named = consumer
                .interface
                .inputs
                .iter()
                .find(|input| input.leaves.iter().any(|leaf| leaf.location == mismatch.location));
            let name = named.map_or_else(|| "an input".to_owned(), |input| input.label());
            let message = format!("{name} at location {}: {}", mismatch.location, mismatch.message);
            into.push(PipelineFinding {
                other: Some(from),
                other_variable: mismatch.output,
                location: Some(mismatch.location),
                ..PipelineFinding::at(mismatch.rule, to, named.map(|input| input.variable), message)
            });
        }
    }
}
