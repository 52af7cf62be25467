//! Descriptions of pipelines, in JSON or TOML: shaders, layout, vertex attributes, attachments.

use crate::constants::Constant;
use crate::{create_info, stage};
use anyhow::{Context, Result, anyhow, bail};
use pyro_interface::ResourceKind;
use pyro_interface::pipeline::{
    Attribute, Binding, DescriptorKind, Format, Linking, PipelineLayout, PushConstantRange,
};
use pyro_spirv::Specialization;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_validate::create_info::{CreateInfo, ObjectInfo};
use pyro_validate::stage::{Mapping, MappingSource};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the format is, for `--help`.
pub(crate) const FORMAT_HELP: &str = r#"A pipeline description is TOML or JSON of this form; all but the stages may be left out:

  env = "vulkan1.2"
  maintenance4 = true
  libraries = true              # parts compiled apart, whose interpolation must be equal
  shader_objects = "linked"     # or "unlinked": no pipeline, but shader objects
  view_mask = 3                 # multiview
  min_sample_shading = 0.5      # where sample shading is enabled
  flags = ["SKIP_TRIANGLES"]    # also SKIP_AABBS, ALLOW_MOTION, 64_BIT_INDEXING, FRAGMENT_REGION (of the subpass),
                                # LIBRARY, DESCRIPTOR_HEAP, EXECUTION_GRAPH, INDIRECT_BINDABLE_NV, INDIRECT_BINDABLE_EXT
  [[stage]]
  stage = "vert"                # vert tesc tese geom frag comp task mesh rgen rint rahit rchit rmiss rcall
  file = "a.vert"               # a shader in any language that check takes; relative to the description
  entry = "main"
  specialization = { 0 = 4 }    # SpecId = number or boolean; give floats as floats
  flags = ["REQUIRE_FULL_SUBGROUPS"]   # also ALLOW_VARYING_SUBGROUP_SIZE, and those of shader objects
  next_stages = ["frag"]        # of a shader object
  required_subgroup_size = 32
  [[binding]]
  set = 0
  binding = 1
  type = "UNIFORM_BUFFER"       # a VkDescriptorType without its prefix
  count = 1
  stages = ["vert", "frag"]     # all when left out
  ycbcr = false                 # its immutable samplers convert
  update_after_bind = false     # its set's layout is for pools with updates after binding
  mutable_types = []            # of type MUTABLE_EXT: the types that it may have
  [[push_constants]]
  offset = 0
  size = 16
  [[attribute]]
  location = 0
  format = "R32G32B32_SFLOAT"   # a VkFormat without its prefix
  [[color]]
  format = "R8G8B8A8_UNORM"     # "" for an unused attachment
  [[mapping]]                   # from sets and bindings to descriptor heaps
  set = 0
  first_binding = 0
  binding_count = 1
  source = "PUSH_DATA"          # a VkDescriptorMappingSourceEXT without its prefix
  resource_mask = 0x7fffffff    # of VkSpirvResourceTypeFlagBitsEXT; all when left out
  offset = 0                    # of push data or of the shader record's data
  embedded_sampler = false
  heap_offset = 0               # of the heap's descriptors
  heap_array_stride = 0"#;

/// A shader of a pipeline.
pub(crate) struct Shader {
    pub(crate) model: Model,
    pub(crate) path: PathBuf,
    /// `None` takes `main`, or the only entry point of the stage.
    pub(crate) entry: Option<String>,
    pub(crate) specialization: Specialization,
    /// The same as text, for overrides of WGSL.
    pub(crate) constants: Vec<Constant>,
    pub(crate) flags: StageFlags,
    pub(crate) object: ObjectInfo,
}

/// What a description says of a stage's creation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StageFlags {
    pub(crate) allows_varying_subgroup_size: bool,
    pub(crate) requires_full_subgroups: bool,
    pub(crate) required_subgroup_size: Option<u32>,
}

/// What a description says of a pipeline's creation that concerns its stages one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Creation {
    pub(crate) view_mask: u32,
    pub(crate) min_sample_shading: Option<f32>,
    pub(crate) skips_triangles: bool,
    pub(crate) skips_aabbs: bool,
    pub(crate) allows_motion: bool,
    pub(crate) has_64_bit_indexing: bool,
    pub(crate) shades_regions: bool,
    pub(crate) mappings: Vec<Mapping>,
}

/// A pipeline as its description says.
#[derive(Default)]
pub(crate) struct Description {
    pub(crate) env: Option<String>,
    pub(crate) maintenance4: Option<bool>,
    pub(crate) libraries: bool,
    pub(crate) objects: Option<Linking>,
    pub(crate) shaders: Vec<Shader>,
    /// None when nothing is said: of stages that are named on the command line.
    pub(crate) creation: Option<Creation>,
    /// What it says of the pipeline beside that.
    pub(crate) info: CreateInfo<'static>,
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
        .with_context(|| format!("{name} is not a pipeline description (pyroclast check --help shows one)"))
}

fn parse(value: &Value, folder: &Path) -> Result<Description> {
    const OWN: [&str; 13] = [
        "env",
        "maintenance4",
        "libraries",
        "shader_objects",
        "stage",
        "binding",
        "push_constants",
        "attribute",
        "color",
        "view_mask",
        "min_sample_shading",
        "flags",
        "mapping",
    ];
    only(value, &[&OWN[..], &create_info::KEYS].concat())?;
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
    let (creation, flags) = creation(value)?;
    description.info = create_info::read(value, &flags, creation.view_mask)?;
    description.creation = Some(creation);
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
            let format = Format::from_name(name)
                .with_context(|| format!("'{name}' is not a vertex attribute format"))?;
            Ok(Attribute { location: number(entry, "location")?, format })
        });
        description.attributes = Some(attributes.collect::<Result<_>>()?);
    }
    if has("color") {
        let colors = list(value, "color")?.iter().map(|entry| {
            only(entry, &["format"])?;
            match text(entry, "format")? {
                "" | "UNDEFINED" => Ok(None),
                name => Format::from_name(name)
                    .map(Some)
                    .with_context(|| format!("'{name}' is not a colour format")),
            }
        });
        description.colors = Some(colors.collect::<Result<_>>()?);
    }
    Ok(description)
}

/// Refuses what a table does not have, so that a typing error is not passed over.
pub(crate) fn only(value: &Value, keys: &[&str]) -> Result<()> {
    let table = value.as_object().context("a table is expected")?;
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => bail!("'{key}' is not one of {}", keys.join(", ")),
        None => Ok(()),
    }
}

pub(crate) fn list<'v>(value: &'v Value, key: &str) -> Result<&'v [Value]> {
    match value.get(key) {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => bail!("'{key}' is not a list"),
    }
}

pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value[key].as_str().with_context(|| format!("'{key}' is missing or no text"))
}

pub(crate) fn number<N: TryFrom<u64>>(value: &Value, key: &str) -> Result<N> {
    let number = value[key].as_u64().with_context(|| format!("'{key}' is missing or no whole number"))?;
    N::try_from(number).map_err(|_| anyhow!("'{key}' is too large"))
}

pub(crate) fn model(name: &str) -> Result<Model> {
    stage::from_name(name).with_context(|| format!("'{name}' is not a stage ({})", stage::short_names()))
}

fn stages(value: &Value) -> Result<Option<Vec<Model>>> {
    if value.get("stages").is_none() {
        return Ok(None);
    }
    let names =
        list(value, "stages")?.iter().map(|name| model(name.as_str().context("a stage is not a string")?));
    names.collect::<Result<_>>().map(Some)
}

/// Flags by their names, each of which must be one of those known.
fn flags<'v>(value: &'v Value, known: &[&str]) -> Result<Vec<&'v str>> {
    let names = list(value, "flags")?.iter().map(|flag| {
        let name = flag.as_str().context("a flag is not a string")?;
        if !known.contains(&name) {
            bail!("the flag '{name}' is not one of {}", known.join(", "));
        }
        Ok(name)
    });
    names.collect()
}

fn creation(value: &Value) -> Result<(Creation, Vec<&str>)> {
    const FLAGS: [&str; 10] = [
        "SKIP_TRIANGLES",
        "SKIP_AABBS",
        "ALLOW_MOTION",
        "64_BIT_INDEXING",
        "FRAGMENT_REGION",
        "LIBRARY",
        "DESCRIPTOR_HEAP",
        "EXECUTION_GRAPH",
        "INDIRECT_BINDABLE_NV",
        "INDIRECT_BINDABLE_EXT",
    ];
    let flags = flags(value, &FLAGS)?;
    let has = |name: &str| flags.contains(&name);
    let least = value.get("min_sample_shading");
    let least =
        least.map(|found| found.as_f64().context("'min_sample_shading' is not a number")).transpose()?;
    let creation = Creation {
        view_mask: if value.get("view_mask").is_some() { number(value, "view_mask")? } else { 0 },
        min_sample_shading: least.map(|least| least as f32),
        skips_triangles: has("SKIP_TRIANGLES"),
        skips_aabbs: has("SKIP_AABBS"),
        allows_motion: has("ALLOW_MOTION"),
        has_64_bit_indexing: has("64_BIT_INDEXING"),
        shades_regions: has("FRAGMENT_REGION"),
        mappings: list(value, "mapping")?.iter().map(mapping).collect::<Result<_>>()?,
    };
    Ok((creation, flags))
}

fn mapping(value: &Value) -> Result<Mapping> {
    only(
        value,
        &[
            "set",
            "first_binding",
            "binding_count",
            "source",
            "resource_mask",
            "offset",
            "embedded_sampler",
            "heap_offset",
            "heap_array_stride",
        ],
    )?;
    let or = |key: &str, default: u32| {
        if value.get(key).is_some() { number(value, key) } else { Ok(default) }
    };
    let name = text(value, "source")?;
    let short = name.strip_prefix("VK_DESCRIPTOR_MAPPING_SOURCE_").unwrap_or(name);
    let source = match short.strip_suffix("_EXT").unwrap_or(short) {
        "HEAP_WITH_CONSTANT_OFFSET" => MappingSource::ConstantOffset,
        "HEAP_WITH_PUSH_INDEX" => MappingSource::PushIndex,
        "HEAP_WITH_INDIRECT_INDEX" => MappingSource::IndirectIndex,
        "HEAP_WITH_INDIRECT_INDEX_ARRAY" => MappingSource::IndirectIndexArray,
        "RESOURCE_HEAP_DATA" => MappingSource::HeapData,
        "PUSH_DATA" => MappingSource::PushData,
        "PUSH_ADDRESS" => MappingSource::PushAddress,
        "INDIRECT_ADDRESS" => MappingSource::IndirectAddress,
        "HEAP_WITH_SHADER_RECORD_INDEX" => MappingSource::ShaderRecordIndex,
        "SHADER_RECORD_DATA" => MappingSource::ShaderRecordData,
        "SHADER_RECORD_ADDRESS" => MappingSource::ShaderRecordAddress,
        _ => bail!("'{name}' is not a mapping source"),
    };
    Ok(Mapping {
        set: number(value, "set")?,
        first_binding: number(value, "first_binding")?,
        binding_count: or("binding_count", 1)?,
        resource_mask: or("resource_mask", 0x7fff_ffff)?,
        source,
        offset: or("offset", 0)?,
        has_embedded_sampler: value["embedded_sampler"].as_bool() == Some(true),
        heap_offset: or("heap_offset", 0)?,
        heap_array_stride: or("heap_array_stride", 0)?,
    })
}

fn shader(value: &Value, folder: &Path) -> Result<Shader> {
    const KEYS: [&str; 7] =
        ["stage", "file", "entry", "specialization", "flags", "required_subgroup_size", "next_stages"];
    only(value, &KEYS)?;
    const FLAGS: [&str; 2] = ["ALLOW_VARYING_SUBGROUP_SIZE", "REQUIRE_FULL_SUBGROUPS"];
    let own = flags(value, &[&FLAGS[..], &create_info::OBJECT_FLAGS].concat())?;
    let object = create_info::object(value, &own)?;
    let size = "required_subgroup_size";
    let flags = StageFlags {
        allows_varying_subgroup_size: own.contains(&FLAGS[0]),
        requires_full_subgroups: own.contains(&FLAGS[1]),
        required_subgroup_size: value.get(size).map(|_| number(value, size)).transpose()?,
    };
    let (mut specialization, mut constants) = (Specialization::new(), Vec::new());
    for (key, value) in value["specialization"].as_object().into_iter().flatten() {
        let id = key.parse().with_context(|| format!("'{key}' is not a SpecId"))?;
        specialization.set(id, bits(value)?);
        constants.push(Constant { key: key.clone(), value: value.to_string() });
    }
    Ok(Shader {
        model: model(text(value, "stage")?)?,
        path: folder.join(text(value, "file")?),
        entry: value["entry"].as_str().map(str::to_owned),
        specialization,
        constants,
        flags,
        object,
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
    only(
        value,
        &["set", "binding", "type", "count", "stages", "ycbcr", "update_after_bind", "mutable_types"],
    )?;
    let name = text(value, "type")?;
    let mutable_kinds = list(value, "mutable_types")?.iter().map(|name| {
        let name = name.as_str().context("a descriptor type is not a string")?;
        match kind(name) {
            Some(DescriptorKind::Plain(kind)) => Ok(kind),
            _ => bail!("'{name}' is not a descriptor type that mutable descriptors can have"),
        }
    });
    let count = if value.get("count").is_some() { number(value, "count")? } else { 1 };
    let kind = kind(name).with_context(|| format!("'{name}' is not a descriptor type"))?;
    Ok(Binding {
        stages: stages(value)?,
        has_conversion: value["ycbcr"].as_bool() == Some(true),
        is_dynamic: name.ends_with("_DYNAMIC"),
        is_update_after_bind: value["update_after_bind"].as_bool() == Some(true),
        mutable_kinds: mutable_kinds.collect::<Result<_>>()?,
        ..Binding::new(number(value, "set")?, number(value, "binding")?, kind, count)
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
        "ACCELERATION_STRUCTURE_NV" => return Some(DescriptorKind::AccelerationStructureNv),
        "SAMPLE_WEIGHT_IMAGE_QCOM" => return Some(DescriptorKind::SampleWeightImage),
        "BLOCK_MATCH_IMAGE_QCOM" => return Some(DescriptorKind::BlockMatchImage),
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
            flags = ["SKIP_AABBS"]
            view_mask = 3
            [[mapping]]
            set = 1
            first_binding = 2
            source = "PUSH_DATA"
            [[stage]]
            stage = "vert"
            required_subgroup_size = 16
            flags = ["REQUIRE_FULL_SUBGROUPS"]
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
        let flags = found.shaders[0].flags;
        assert!(flags.requires_full_subgroups && !flags.allows_varying_subgroup_size);
        assert_eq!(flags.required_subgroup_size, Some(16));
        let creation = found.creation.expect("what is said of its creation");
        assert!(creation.skips_aabbs && !creation.skips_triangles);
        assert_eq!((creation.view_mask, creation.mappings.len()), (3, 1));
        assert_eq!(creation.mappings[0].source, MappingSource::PushData);
        let layout = found.layout.expect("a layout");
        assert_eq!((layout.bindings[0].set, layout.bindings[0].count), (1, 1));
        assert_eq!(layout.push_constants[0].size, 8);
        assert_eq!(found.colors, Some(vec![None]));
        for wrong in [
            r#"stages = 1"#,
            "flags = [\"SKIP\"]\n[[stage]]\nstage = \"vert\"\nfile = \"a\"",
            "[[stage]]\nstage = \"pixel\"\nfile = \"a\"",
            "[[stage]]\nstage = \"vert\"",
        ] {
            let value: Value = toml::from_str(wrong).expect("TOML");
            assert!(parse(&value, Path::new("")).is_err(), "{wrong}");
        }
    }
}
