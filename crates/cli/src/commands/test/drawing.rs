//! What a case draws: the stages before the fragment shader, vertices, and the states that a case may set.

use crate::client::draw::{Attribute, Drawing, StageShader};
use crate::commands::run::data::split_kind;
use crate::constants::Constant;
use crate::sources::{self, Decoded, Request};
use crate::stage;
use anyhow::{Context, Result, bail};
use pyro_shadertest::case::{AttributeCase, Case, Located};
use pyro_spirv::spirv::ExecutionModel as Model;
use std::path::PathBuf;
use vulkanalia::vk;

/// The topologies that a case may name.
const TOPOLOGIES: [(&str, vk::PrimitiveTopology); 11] = [
    ("point_list", vk::PrimitiveTopology::POINT_LIST),
    ("line_list", vk::PrimitiveTopology::LINE_LIST),
    ("line_strip", vk::PrimitiveTopology::LINE_STRIP),
    ("triangle_list", vk::PrimitiveTopology::TRIANGLE_LIST),
    ("triangle_strip", vk::PrimitiveTopology::TRIANGLE_STRIP),
    ("triangle_fan", vk::PrimitiveTopology::TRIANGLE_FAN),
    ("line_list_with_adjacency", vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY),
    ("line_strip_with_adjacency", vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY),
    ("triangle_list_with_adjacency", vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY),
    ("triangle_strip_with_adjacency", vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY),
    ("patch_list", vk::PrimitiveTopology::PATCH_LIST),
];

/// The stages that a case may name, in the pipeline's order.
const STAGES: [(&str, Model, vk::ShaderStageFlags); 6] = [
    ("vert", Model::Vertex, vk::ShaderStageFlags::VERTEX),
    ("tesc", Model::TessellationControl, vk::ShaderStageFlags::TESSELLATION_CONTROL),
    ("tese", Model::TessellationEvaluation, vk::ShaderStageFlags::TESSELLATION_EVALUATION),
    ("geom", Model::Geometry, vk::ShaderStageFlags::GEOMETRY),
    ("task", Model::TaskEXT, vk::ShaderStageFlags::TASK_EXT),
    ("mesh", Model::MeshEXT, vk::ShaderStageFlags::MESH_EXT),
];

/// The stage of a model among those before the fragment shader.
pub(in crate::commands) fn stage_flag(model: Model) -> Option<vk::ShaderStageFlags> {
    STAGES.iter().find(|(_, known, _)| *known == model).map(|(.., flag)| *flag)
}

/// Whether a case draws with mesh shaders.
pub(super) fn has_mesh(case: &Case) -> bool {
    case.stages.contains_key("mesh")
}

/// The formats of one to four elements of a type.
fn format(kind: &str, components: u32) -> Result<vk::Format> {
    let formats = match kind {
        "f32" => [
            vk::Format::R32_SFLOAT,
            vk::Format::R32G32_SFLOAT,
            vk::Format::R32G32B32_SFLOAT,
            vk::Format::R32G32B32A32_SFLOAT,
        ],
        "u32" => [
            vk::Format::R32_UINT,
            vk::Format::R32G32_UINT,
            vk::Format::R32G32B32_UINT,
            vk::Format::R32G32B32A32_UINT,
        ],
        "i32" => [
            vk::Format::R32_SINT,
            vk::Format::R32G32_SINT,
            vk::Format::R32G32B32_SINT,
            vk::Format::R32G32B32A32_SINT,
        ],
        "u8" => [
            vk::Format::R8_UNORM,
            vk::Format::R8G8_UNORM,
            vk::Format::R8G8B8_UNORM,
            vk::Format::R8G8B8A8_UNORM,
        ],
        _ => bail!("attributes are f32, u32, i32 or u8, not {kind}"),
    };
    let index = (components as usize).checked_sub(1).context("an attribute has components")?;
    formats.get(index).copied().context("an attribute has at most four components")
}

fn attribute(one: &AttributeCase, data: &dyn Fn(&str) -> Result<Vec<u8>>) -> Result<Attribute> {
    let (kind, _) = split_kind(&one.data)?;
    let format = format(kind, one.components)?;
    let stride = one.components * if kind == "u8" { 1 } else { 4 };
    let bytes = data(&one.data)?;
    if bytes.is_empty() || !bytes.len().is_multiple_of(stride as usize) {
        bail!("{} bytes are no whole elements of {stride} bytes", bytes.len());
    }
    Ok(Attribute { location: one.location, format, stride, is_per_instance: one.per_instance, data: bytes })
}

fn indices(text: &str, data: &dyn Fn(&str) -> Result<Vec<u8>>) -> Result<(vk::IndexType, Vec<u8>, u32)> {
    let (ty, size) = match split_kind(text)?.0 {
        "u16" => (vk::IndexType::UINT16, 2),
        "u32" => (vk::IndexType::UINT32, 4),
        kind => bail!("indices are u16 or u32, not {kind}"),
    };
    let bytes = data(text)?;
    let count = (bytes.len() / size) as u32;
    Ok((ty, bytes, count))
}

/// A stage before the fragment shader, and its module.
pub(super) type Stage = (vk::ShaderStageFlags, Model, Decoded);

/// The stages of a case before the fragment shader.
pub(super) fn stages(located: &Located, constants: &[Constant]) -> Result<Vec<Stage>> {
    let stage = |(name, path): (&String, &PathBuf)| {
        let known = STAGES.iter().find(|(known, ..)| known == name);
        let &(_, model, stage) = known.with_context(|| {
            let names: Vec<&str> = STAGES.iter().map(|(name, ..)| *name).collect();
            format!("`stages` has no stage `{name}`: it has {}", names.join(", "))
        })?;
        let wanted = Request { model: Some(model), constants, ..Request::TO_RUN };
        Ok((stage, model, sources::decode(&located.path(path), &wanted)?))
    };
    located.case.stages.iter().map(stage).collect()
}

fn shader((stage, model, of): Stage) -> Result<StageShader> {
    let mut found = of.module.entry_points().filter(|entry| entry.model == model);
    let first = found
        .next()
        .with_context(|| format!("{} has no entry point of `{}`", of.name, stage::short_name(model)))?;
    if found.next().is_some() {
        bail!("{} has several entry points of `{}`", of.name, stage::short_name(model));
    }
    let entry_point = first.name().into_owned();
    Ok(StageShader { stage, words: of.words, entry_point })
}

/// What is added to what is there.
fn blend(name: &str) -> Result<vk::PipelineColorBlendAttachmentState> {
    let (source, destination) = match name {
        "add" => (vk::BlendFactor::ONE, vk::BlendFactor::ONE),
        "alpha" => (vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA),
        _ => bail!("`blend` is \"add\" or \"alpha\", not \"{name}\""),
    };
    Ok(vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: source,
        dst_color_blend_factor: destination,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: destination,
        ..Default::default()
    })
}

fn topology(case: &Case, stages: &[StageShader]) -> Result<vk::PrimitiveTopology> {
    let has_patches = stages.iter().any(|one| one.stage == vk::ShaderStageFlags::TESSELLATION_CONTROL);
    let name = case.topology.as_deref().unwrap_or(if has_patches { "patch_list" } else { "triangle_list" });
    let found = TOPOLOGIES.iter().find(|(known, _)| *known == name).map(|(_, topology)| *topology);
    found.with_context(|| {
        let names: Vec<&str> = TOPOLOGIES.iter().map(|(name, _)| *name).collect();
        format!("there is no topology `{name}`: there are {}", names.join(", "))
    })
}

/// What a case draws with the stages before its fragment shader; `data` reads its literals.
pub(super) fn drawing(
    case: &Case,
    stages: Vec<Stage>,
    data: &dyn Fn(&str) -> Result<Vec<u8>>,
) -> Result<Drawing> {
    with_stages(case, stages.into_iter().map(shader).collect::<Result<_>>()?, data)
}

/// The same with shaders that are at hand.
pub(in crate::commands) fn with_stages(
    case: &Case,
    stages: Vec<StageShader>,
    data: &dyn Fn(&str) -> Result<Vec<u8>>,
) -> Result<Drawing> {
    let size = case.size.context("a fragment shader needs `size = [WIDTH, HEIGHT]`")?;
    let clear = case.clear.unwrap_or_default();
    let blend = case.blend.as_deref().map(blend).transpose()?;
    let group = |at: usize| case.groups.get(at).copied().unwrap_or(1);
    let groups = [group(0), group(1), group(2)];
    let whole = Drawing { clear, blend, groups, has_depth: case.depth, ..Drawing::whole_picture(size) };
    if stages.is_empty() {
        return Ok(whole);
    }
    if stages.iter().any(|one| one.stage == vk::ShaderStageFlags::MESH_EXT) {
        return Ok(Drawing { stages, ..whole });
    }
    let attributes: Vec<Attribute> = case
        .attributes
        .iter()
        .map(|one| attribute(one, data).with_context(|| format!("attribute {}", one.location)))
        .collect::<Result<_>>()?;
    let indices = case.indices.as_deref().map(|text| indices(text, data)).transpose().context("indices")?;
    let elements = attributes.iter().filter(|one| !one.is_per_instance);
    let elements = elements.map(|one| one.data.len() as u32 / one.stride).min();
    let count = indices.as_ref().map(|(.., count)| *count).or(elements);
    let vertex_count = case.vertices.or(count).context("say how many `vertices` are drawn")?;
    Ok(Drawing {
        topology: topology(case, &stages)?,
        stages,
        attributes,
        indices: indices.map(|(ty, bytes, _)| (ty, bytes)),
        patch: case.patch.unwrap_or(3),
        vertex_count,
        instance_count: case.instances.unwrap_or(1),
        ..whole
    })
}
