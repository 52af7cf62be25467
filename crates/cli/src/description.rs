//! Descriptions of pipelines, in JSON or TOML: shaders, layout, vertex attributes, attachments.

use crate::stage;
use anyhow::{Context, Result, anyhow, bail};
use pyro_interface::ResourceKind;
use pyro_interface::pipeline::{
    Attribute, Binding, DescriptorKind, Format, Linking, PipelineLayout, PushConstantRange,
};
use pyro_spirv::Specialization;
use pyro_spirv::spirv::ExecutionModel as Model;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the format is, for `--help`.
pub(crate) const FORMAT_HELP: &str = r#"A pipeline description is TOML or JSON of this form; all but the stages may be left out:

  env = "vulkan1.2"
  maintenance4 = true
  libraries = true              # parts compiled apart, whose interpolation must be equal
  shader_objects = "linked"     # or "unlinked": no pipeline, but shader objects
  [[stage]]
  stage = "vert"                # vert tesc tese geom frag comp task mesh rgen rint rahit rchit rmiss rcall
  file = "a.vert"               # .spv, .wgsl or GLSL; relative to the description
  entry = "main"
  specialization = { 0 = 4 }    # SpecId = number or boolean; give floats as floats
  [[binding]]
  set = 0
  binding = 1
  type = "UNIFORM_BUFFER"       # a VkDescriptorType without its prefix
  count = 1
  stages = ["vert", "frag"]     # all when left out
  [[push_constants]]
  offset = 0
  size = 16
  [[attribute]]
  location = 0
  format = "R32G32B32_SFLOAT"   # a VkFormat without its prefix
  [[color]]
  format = "R8G8B8A8_UNORM"     # "" for an unused attachment"#;

/// A shader of a pipeline.
pub(crate) struct Shader {
    pub(crate) model: Model,
    pub(crate) path: PathBuf,
    /// `None` takes `main`, or the only entry point of the stage.
    pub(crate) entry: Option<String>,
    pub(crate) specialization: Specialization,
}

/// A pipeline as its description says.
#[derive(Default)]
pub(crate) struct Description {
    pub(crate) env: Option<String>,
    pub(crate) maintenance4: Option<bool>,
    pub(crate) libraries: bool,
    pub(crate) objects: Option<Linking>,
    pub(crate) shaders: Vec<Shader>,
    pub(crate) layout: Option<PipelineLayout>,
    pub(crate) attributes: Option<Vec<Attribute>>,
    pub(crate) colors: Option<Vec<Option<Format>>>,
}

/// Reads a description; the ending tells the language.
pub(crate) fn read(path: &Path) -> Result<Description> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let value: Value = match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => toml::from_str(&text).with_context(|| format!("{name} is not TOML"))?,
        Some("json") => serde_json::from_str(&text).with_context(|| format!("{name} is not JSON"))?,
        _ => bail!("{name}: a pipeline description ends in .toml or .json"),
    };
    parse(&value, path.parent().unwrap_or(Path::new("")))
        .with_context(|| format!("{name} is no pipeline description (pyroclast check --help shows one)"))
}

fn parse(value: &Value, folder: &Path) -> Result<Description> {
    const KEYS: [&str; 9] = [
        "env",
        "maintenance4",
        "libraries",
        "shader_objects",
        "stage",
        "binding",
        "push_constants",
        "attribute",
        "color",
    ];
    only(value, &KEYS)?;
    let has = |key: &str| value.get(key).is_some();
    let mut description = Description {
        env: value["env"].as_str().map(str::to_owned),
        maintenance4: value["maintenance4"].as_bool(),
        libraries: value["libraries"].as_bool() == Some(true),
        objects: match value.get("shader_objects").map(|linking| linking.as_str()) {
            None => None,
            Some(Some("linked")) => Some(Linking::Linked),
            Some(Some("unlinked")) => Some(Linking::Unlinked),
            Some(_) => bail!("shader_objects is neither \"linked\" nor \"unlinked\""),
        },
        ..Description::default()
    };
    for entry in list(value, "stage")? {
        description.shaders.push(shader(entry, folder)?);
    }
    if description.shaders.is_empty() {
        bail!("it has no [[stage]]");
    }
    if has("binding") || has("push_constants") {
        let bindings = list(value, "binding")?.iter().map(binding).collect::<Result<_>>()?;
        let push_constants =
            list(value, "push_constants")?.iter().map(push_constants).collect::<Result<_>>()?;
        description.layout = Some(PipelineLayout { bindings, push_constants });
    }
    if has("attribute") {
        let attributes = list(value, "attribute")?.iter().map(|entry| {
            only(entry, &["location", "format"])?;
            let name = text(entry, "format")?;
            let format =
                Format::from_name(name).with_context(|| format!("'{name}' is no format of an attribute"))?;
            Ok(Attribute { location: number(entry, "location")?, format })
        });
        description.attributes = Some(attributes.collect::<Result<_>>()?);
    }
    if has("color") {
        let colors = list(value, "color")?.iter().map(|entry| {
            only(entry, &["format"])?;
            match text(entry, "format")? {
                "" | "UNDEFINED" => Ok(None),
                name => {
                    Format::from_name(name).map(Some).with_context(|| format!("'{name}' is no colour format"))
                }
            }
        });
        description.colors = Some(colors.collect::<Result<_>>()?);
    }
    Ok(description)
}

/// Refuses what a table does not have, so that a typing error is not passed over.
fn only(value: &Value, keys: &[&str]) -> Result<()> {
    let table = value.as_object().context("a table is expected")?;
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => bail!("'{key}' is not one of {}", keys.join(", ")),
        None => Ok(()),
    }
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v [Value]> {
    match value.get(key) {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => bail!("'{key}' is no list"),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value[key].as_str().with_context(|| format!("'{key}' is missing or no text"))
}

fn number<N: TryFrom<u64>>(value: &Value, key: &str) -> Result<N> {
    let number = value[key].as_u64().with_context(|| format!("'{key}' is missing or no whole number"))?;
    N::try_from(number).map_err(|_| anyhow!("'{key}' is too large"))
}

fn model(name: &str) -> Result<Model> {
    stage::from_name(name).with_context(|| format!("'{name}' is no stage ({})", stage::short_names()))
}

fn stages(value: &Value) -> Result<Option<Vec<Model>>> {
    if value.get("stages").is_none() {
        return Ok(None);
    }
    let names = list(value, "stages")?.iter().map(|name| model(name.as_str().context("a stage is no text")?));
    names.collect::<Result<_>>().map(Some)
}

fn shader(value: &Value, folder: &Path) -> Result<Shader> {
    only(value, &["stage", "file", "entry", "specialization"])?;
    let mut specialization = Specialization::new();
    for (id, number) in value["specialization"].as_object().into_iter().flatten() {
        let id = id.parse().with_context(|| format!("'{id}' is no SpecId"))?;
        specialization.set(id, bits(number)?);
    }
    Ok(Shader {
        model: model(text(value, "stage")?)?,
        path: folder.join(text(value, "file")?),
        entry: value["entry"].as_str().map(str::to_owned),
        specialization,
    })
}

/// The bits of a specialization constant of 32 bits.
fn bits(value: &Value) -> Result<u64> {
    match value {
        Value::Bool(value) => Ok(u64::from(*value)),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(value), ..) => Ok(value),
            (None, Some(value), _) => Ok(u64::from(value as i32 as u32)),
            (None, None, Some(value)) => Ok(u64::from((value as f32).to_bits())),
            _ => bail!("{number} is too large"),
        },
        _ => bail!("a specialization is neither a number nor a boolean"),
    }
}

fn binding(value: &Value) -> Result<Binding> {
    only(value, &["set", "binding", "type", "count", "stages"])?;
    let name = text(value, "type")?;
    Ok(Binding {
        set: number(value, "set")?,
        binding: number(value, "binding")?,
        kind: kind(name).with_context(|| format!("'{name}' is no descriptor type"))?,
        count: if value.get("count").is_some() { number(value, "count")? } else { 1 },
        stages: stages(value)?,
    })
}

fn kind(name: &str) -> Option<DescriptorKind> {
    use ResourceKind::*;
    let name = name.strip_prefix("VK_DESCRIPTOR_TYPE_").unwrap_or(name);
    Some(DescriptorKind::Plain(match name {
        "SAMPLER" => Sampler,
        "COMBINED_IMAGE_SAMPLER" => CombinedImageSampler,
        "SAMPLED_IMAGE" => SampledImage,
        "STORAGE_IMAGE" => StorageImage,
        "UNIFORM_TEXEL_BUFFER" => UniformTexelBuffer,
        "STORAGE_TEXEL_BUFFER" => StorageTexelBuffer,
        "UNIFORM_BUFFER" | "UNIFORM_BUFFER_DYNAMIC" => UniformBuffer,
        "STORAGE_BUFFER" | "STORAGE_BUFFER_DYNAMIC" => StorageBuffer,
        "INPUT_ATTACHMENT" => InputAttachment,
        "ACCELERATION_STRUCTURE_KHR" | "ACCELERATION_STRUCTURE" => AccelerationStructure,
        "TENSOR_ARM" | "TENSOR" => Tensor,
        "INLINE_UNIFORM_BLOCK" => return Some(DescriptorKind::InlineUniformBlock),
        "MUTABLE_EXT" | "MUTABLE" => return Some(DescriptorKind::Mutable),
        _ => return None,
    }))
}

fn push_constants(value: &Value) -> Result<PushConstantRange> {
    only(value, &["stages", "offset", "size"])?;
    Ok(PushConstantRange {
        stages: stages(value)?,
        offset: if value.get("offset").is_some() { number(value, "offset")? } else { 0 },
        size: number(value, "size")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read() {
        let text = r#"
            env = "vulkan1.1"
            [[stage]]
            stage = "vert"
            file = "a.spv"
            specialization = { 3 = -1, 4 = 0.5 }
            [[binding]]
            set = 1
            binding = 2
            type = "STORAGE_BUFFER"
            stages = ["vert"]
            [[push_constants]]
            size = 8
            [[attribute]]
            location = 0
            format = "R8_UINT"
            [[color]]
            format = ""
        "#;
        let value: Value = toml::from_str(text).expect("TOML");
        let found = parse(&value, Path::new("folder")).expect("a description");
        assert_eq!(found.shaders[0].path, Path::new("folder/a.spv"));
        assert_eq!(found.shaders[0].specialization.get(3), Some(0xffff_ffff));
        assert_eq!(found.shaders[0].specialization.get(4), Some(0x3f00_0000));
        let layout = found.layout.expect("a layout");
        assert_eq!((layout.bindings[0].set, layout.bindings[0].count), (1, 1));
        assert_eq!(layout.push_constants[0].size, 8);
        assert_eq!(found.colors, Some(vec![None]));
        for wrong in
            [r#"stages = 1"#, "[[stage]]\nstage = \"pixel\"\nfile = \"a\"", "[[stage]]\nstage = \"vert\""]
        {
            let value: Value = toml::from_str(wrong).expect("TOML");
            assert!(parse(&value, Path::new("")).is_err(), "{wrong}");
        }
    }
}
