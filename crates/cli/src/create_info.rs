//! What descriptions of pipelines say beside shaders and layouts: state, rendering, rates, robustness,
//! groups.

use crate::description::{list, model, number, only, text};
use anyhow::{Context, Result, bail};
use pyro_validate::create_info::{
    AttachmentLocations, Behavior, CombinerOp, CreateInfo, DepthStencil, GraphicsState, GroupType,
    InputAttachment, InputAttachmentIndices, Multisample, Names, ObjectInfo, Parts, Rendering, Robustness,
    ShaderGroup, ShadingRate, State, Subpass, Topology,
};
use serde_json::Value;

/// The keys of a description that are read here.
pub(crate) const KEYS: [&str; 18] = [
    "topology",
    "dynamic",
    "null",
    "parts",
    "linked_parts",
    "patch_control_points",
    "viewport_count",
    "rasterizer_discard",
    "rasterization_stream",
    "multisample",
    "depth_stencil",
    "rendering",
    "subpass",
    "shading_rate",
    "color_locations",
    "input_indices",
    "robustness",
    "group",
];

/// Flags of a stage that only shader objects have.
pub(crate) const OBJECT_FLAGS: [&str; 10] = [
    "LINK_STAGE",
    "NO_TASK_SHADER",
    "DISPATCH_BASE",
    "FRAGMENT_SHADING_RATE_ATTACHMENT",
    "FRAGMENT_DENSITY_MAP_ATTACHMENT",
    "INDIRECT_BINDABLE",
    "64_BIT_INDEXING",
    "DESCRIPTOR_HEAP",
    "INDEPENDENT_SETS",
    "OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX",
];

/// The keys, for `--help`.
pub(crate) const HELP: &str = r#"

In front of the tables, what is known of the rest of the pipeline:

  topology = "TRIANGLE_LIST"    # a VkPrimitiveTopology without its prefix
  dynamic = ["VIEWPORT"]        # VkDynamicStates without their prefix
  null = ["TESSELLATION"]       # state that is not given; also VERTEX_INPUT, MULTISAMPLE, DEPTH_STENCIL
  parts = ["FRAGMENT_SHADER"]   # of a library; also VERTEX_INPUT_INTERFACE, PRE_RASTERIZATION_SHADERS,
                                # FRAGMENT_OUTPUT_INTERFACE; linked_parts: those of linked libraries
  patch_control_points = 3
  viewport_count = 1
  rasterizer_discard = false
  rasterization_stream = 0
  multisample = { samples = 4, sample_shading = false, alpha_to_coverage = false, alpha_to_one = false }
  depth_stencil = { depth_write = true, stencil_write_mask = 255, bounds = [0, 1] }
  rendering = { depth_stencil = true }   # dynamic rendering; or of a render pass:
  subpass = { depth_stencil = true, inputs = [{ aspects = ["DEPTH"], samples = 4 }, {}] }   # {}: unused
  shading_rate = { size = [1, 1], combiners = ["KEEP", "KEEP"] }
  color_locations = [0, 1]      # of each colour attachment; -1 for none
  input_indices = { color = [0, -1], depth = 1, stencil = -1 }
  robustness = { storage_buffers = "ROBUST_BUFFER_ACCESS_2" }  # also uniform_buffers, vertex_inputs, images
  [[group]]                     # of ray tracing shaders, by their place among the stages
  type = "TRIANGLES_HIT_GROUP"  # also GENERAL, PROCEDURAL_HIT_GROUP
  closest_hit = 1               # also general, any_hit, intersection"#;

/// What a description says of a pipeline's creation. The view mask and the flags are those that were read.
pub(crate) fn read(value: &Value, flags: &[&str], view_mask: u32) -> Result<CreateInfo<'static>> {
    let has_state = KEYS[..14].iter().chain(&["view_mask"]).any(|key| value.get(key).is_some());
    let mut info = CreateInfo { flags: flags.iter().copied().collect(), ..CreateInfo::default() };
    if has_state {
        info.graphics = Some(state(value, view_mask)?);
    }
    if value.get("color_locations").is_some() {
        let colors = places(list(value, "color_locations")?)?;
        info.locations = Some(AttachmentLocations { count: colors.len() as u32, colors: Some(colors) });
    }
    if let Some(indices) = value.get("input_indices") {
        only(indices, &["color", "depth", "stencil"])?;
        let of = |key: &str| match indices.get(key) {
            None => Ok(State::Unknown),
            Some(found) => place(found).map(State::Given),
        };
        let colors = places(list(indices, "color")?)?;
        let (count, has) = (colors.len() as u32, indices.get("color").is_some());
        let (depth, stencil) = (of("depth")?, of("stencil")?);
        info.input_indices =
            Some(InputAttachmentIndices { colors: has.then_some(colors), count, depth, stencil });
    }
    if let Some(robustness) = value.get("robustness") {
        info.robustness.push(read_robustness(robustness)?);
    }
    info.groups = list(value, "group")?.iter().map(group).collect::<Result<_>>()?;
    Ok(info)
}

/// What a stage says of the shader object that it is.
pub(crate) fn object(value: &Value, flags: &[&str]) -> Result<ObjectInfo> {
    let names = value.get("next_stages").map(|_| list(value, "next_stages")).transpose()?;
    let models = names.map(|names| {
        let models = names.iter().map(|name| model(name.as_str().context("a stage is not a string")?));
        models.collect::<Result<Vec<_>>>()
    });
    let flags: Names = flags.iter().copied().filter(|flag| OBJECT_FLAGS.contains(flag)).collect();
    Ok(ObjectInfo { flags, next_stages: models.transpose()?, ..ObjectInfo::default() })
}

fn state(value: &Value, view_mask: u32) -> Result<GraphicsState> {
    let mut state = GraphicsState::default();
    if value.get("topology").is_some() {
        let name = text(value, "topology")?;
        let found = Topology::from_name(name).with_context(|| format!("'{name}' is not a topology"))?;
        state.topology = Some(found);
    }
    for name in texts(value, "dynamic")? {
        state.dynamic.insert(name);
    }
    if value.get("parts").is_some() {
        state.parts = parts(texts(value, "parts")?)?;
    }
    state.linked = parts(texts(value, "linked_parts")?)?;
    if value.get("patch_control_points").is_some() {
        state.tessellation = State::Given(number(value, "patch_control_points")?);
    }
    if value.get("viewport_count").is_some() {
        state.viewport_count = Some(number(value, "viewport_count")?);
    }
    state.discards = is_true(value, "rasterizer_discard");
    if value.get("rasterization_stream").is_some() {
        state.stream = number(value, "rasterization_stream")?;
    }
    if let Some(found) = value.get("multisample") {
        state.multisample = State::Given(multisample(found)?);
    }
    if let Some(found) = value.get("depth_stencil") {
        state.depth_stencil = State::Given(depth_stencil(found)?);
    }
    for name in texts(value, "null")? {
        match name {
            "VERTEX_INPUT" => state.vertex_input = State::Null,
            "TESSELLATION" => state.tessellation = State::Null,
            "MULTISAMPLE" => state.multisample = State::Null,
            "DEPTH_STENCIL" => state.depth_stencil = State::Null,
            _ => bail!("'{name}' is not a state that may be missing"),
        }
    }
    if let Some(found) = value.get("shading_rate") {
        state.shading_rate = Some(shading_rate(found)?);
    }
    state.rendering = rendering(value, view_mask)?;
    Ok(state)
}

fn rendering(value: &Value, view_mask: u32) -> Result<Option<Rendering>> {
    let (subpass, dynamic) = (value.get("subpass"), value.get("rendering"));
    let known = value.get("color").map(|_| list(value, "color")).transpose()?;
    let mut found = Rendering { view_mask, ..Rendering::default() };
    match (subpass, dynamic) {
        (Some(_), Some(_)) => bail!("it has both a subpass and dynamic rendering"),
        (Some(own), None) => {
            only(own, &["depth_stencil", "inputs", "external_format", "flags"])?;
            let flags: Names = texts(own, "flags")?.into_iter().collect();
            let inputs = own.get("inputs").map(|_| list(own, "inputs")).transpose()?;
            let inputs = inputs.map(|all| all.iter().map(input).collect::<Result<Vec<_>>>()).transpose()?;
            found.subpass = Some(Subpass {
                inputs,
                shades_regions: flags.has("FRAGMENT_REGION"),
                has_ordered_depth: flags.has("RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS"),
                has_ordered_stencil: flags.has("RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS"),
            });
            found.has_depth_stencil = is_true(own, "depth_stencil");
            found.has_external_format = is_true(own, "external_format");
        }
        (None, Some(own)) => {
            only(own, &["depth_stencil", "external_format"])?;
            found.has_depth_stencil = is_true(own, "depth_stencil");
            found.has_external_format = is_true(own, "external_format");
            found.color_count = known.map(|colors| colors.len() as u32);
        }
        (None, None) if view_mask == 0 => return Ok(None),
        (None, None) => {}
    }
    Ok(Some(found))
}

/// An input attachment; none when nothing is said of it.
fn input(value: &Value) -> Result<Option<InputAttachment>> {
    only(value, &["samples", "aspects"])?;
    if value.as_object().is_some_and(|table| table.is_empty()) {
        return Ok(None);
    }
    let aspects = texts(value, "aspects")?;
    Ok(Some(InputAttachment {
        samples: if value.get("samples").is_some() { number(value, "samples")? } else { 0 },
        has_depth: aspects.contains(&"DEPTH"),
        has_stencil: aspects.contains(&"STENCIL"),
    }))
}

fn multisample(value: &Value) -> Result<Multisample> {
    only(value, &["samples", "sample_shading", "alpha_to_coverage", "alpha_to_one", "sample_locations"])?;
    let count = value.get("sample_locations").map(|_| number(value, "sample_locations"));
    Ok(Multisample {
        samples: if value.get("samples").is_some() { number(value, "samples")? } else { 1 },
        has_sample_shading: is_true(value, "sample_shading"),
        has_alpha_to_coverage: is_true(value, "alpha_to_coverage"),
        has_alpha_to_one: is_true(value, "alpha_to_one"),
        location_count: count.transpose()?,
    })
}

fn depth_stencil(value: &Value) -> Result<DepthStencil> {
    only(value, &["depth_write", "stencil_write_mask", "bounds", "flags"])?;
    let mask = "stencil_write_mask";
    let flags: Names = texts(value, "flags")?.into_iter().collect();
    let bounds = list(value, "bounds")?.iter().map(|bound| bound.as_f64().context("a bound is not a number"));
    let bounds = match bounds.collect::<Result<Vec<_>>>()?[..] {
        [] => None,
        [least, most] => Some((least as f32, most as f32)),
        _ => bail!("'bounds' are not two numbers"),
    };
    Ok(DepthStencil {
        writes_depth: is_true(value, "depth_write"),
        stencil_write_mask: if value.get(mask).is_some() { number(value, mask)? } else { 0 },
        bounds,
        has_ordered_depth: flags.has("RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS"),
        has_ordered_stencil: flags.has("RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS"),
    })
}

fn shading_rate(value: &Value) -> Result<ShadingRate> {
    only(value, &["size", "combiners"])?;
    let size = list(value, "size")?.iter().map(|side| side.as_u64().and_then(|side| side.try_into().ok()));
    let size = match size.collect::<Vec<Option<u32>>>()[..] {
        [] => (1, 1),
        [Some(width), Some(height)] => (width, height),
        _ => bail!("'size' is not a width and a height"),
    };
    let combiners = texts(value, "combiners")?.into_iter().map(|name| {
        Ok(match name {
            "KEEP" => CombinerOp::Keep,
            "REPLACE" => CombinerOp::Replace,
            "MIN" => CombinerOp::Min,
            "MAX" => CombinerOp::Max,
            "MUL" => CombinerOp::Mul,
            _ => bail!("'{name}' is not a combiner operation"),
        })
    });
    let combiners = match combiners.collect::<Result<Vec<_>>>()?[..] {
        [] => [CombinerOp::Keep; 2],
        [first, second] => [first, second],
        _ => bail!("'combiners' are not two"),
    };
    Ok(ShadingRate { size, combiners })
}

fn read_robustness(value: &Value) -> Result<Robustness> {
    only(value, &["storage_buffers", "uniform_buffers", "vertex_inputs", "images"])?;
    let of = |key: &str| {
        if value.get(key).is_none() {
            return Ok(Behavior::DeviceDefault);
        }
        Ok(match text(value, key)? {
            "DEVICE_DEFAULT" => Behavior::DeviceDefault,
            "DISABLED" => Behavior::Disabled,
            "ROBUST_BUFFER_ACCESS" | "ROBUST_IMAGE_ACCESS" => Behavior::Robust,
            "ROBUST_BUFFER_ACCESS_2" | "ROBUST_IMAGE_ACCESS_2" => Behavior::Robust2,
            name => bail!("'{name}' is not a behaviour of out-of-bounds accesses"),
        })
    };
    Ok(Robustness {
        stage: None,
        storage_buffers: of("storage_buffers")?,
        uniform_buffers: of("uniform_buffers")?,
        vertex_inputs: of("vertex_inputs")?,
        images: of("images")?,
    })
}

fn group(value: &Value) -> Result<ShaderGroup> {
    only(value, &["type", "general", "closest_hit", "any_hit", "intersection"])?;
    let of = |key: &str| value.get(key).map(|_| number(value, key)).transpose();
    Ok(ShaderGroup {
        ty: match text(value, "type")? {
            "GENERAL" => GroupType::General,
            "TRIANGLES_HIT_GROUP" => GroupType::TrianglesHit,
            "PROCEDURAL_HIT_GROUP" => GroupType::ProceduralHit,
            name => bail!("'{name}' is not a shader group type"),
        },
        general: of("general")?,
        closest_hit: of("closest_hit")?,
        any_hit: of("any_hit")?,
        intersection: of("intersection")?,
    })
}

fn parts(names: Vec<&str>) -> Result<Parts> {
    let mut found = Parts::NONE;
    for name in names {
        match name {
            "VERTEX_INPUT_INTERFACE" => found.vertex_input = true,
            "PRE_RASTERIZATION_SHADERS" => found.pre_rasterization = true,
            "FRAGMENT_SHADER" => found.fragment_shader = true,
            "FRAGMENT_OUTPUT_INTERFACE" => found.fragment_output = true,
            _ => bail!("'{name}' is not a part of a pipeline"),
        }
    }
    Ok(found)
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

fn texts<'v>(value: &'v Value, key: &str) -> Result<Vec<&'v str>> {
    let all = list(value, key)?.iter();
    all.map(|name| name.as_str().with_context(|| format!("'{key}' has an element that is not a string")))
        .collect()
}

/// A place; none for -1.
fn place(value: &Value) -> Result<Option<u32>> {
    match value.as_i64() {
        Some(-1) => Ok(None),
        Some(place) => Ok(Some(u32::try_from(place).context("a place is too large")?)),
        None => bail!("a place is not a whole number"),
    }
}

fn places(values: &[Value]) -> Result<Vec<Option<u32>>> {
    values.iter().map(place).collect()
}
