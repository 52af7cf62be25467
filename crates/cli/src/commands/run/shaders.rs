//! The shaders of a run: their files, entry points and interfaces, and which pipeline they make.

use crate::client::draw::StageShader;
use crate::client::rays;
use crate::commands::test::drawing::stage_flag;
use crate::constants::{self, Constant, Values};
use crate::sources::{self, Decoded, Request};
use crate::stage;
use anyhow::{Context, Result, anyhow, bail};
use pyro_interface::Interface;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel as Model};
use pyro_spirv::{ConstantValues, Module, Specialization};
use std::path::Path;
use vulkanalia::vk;

/// A shader of the pipeline.
pub(super) struct Shader {
    pub(super) name: String,
    pub(super) words: Vec<u32>,
    pub(super) module: Module,
    pub(super) entry: String,
    pub(super) model: Model,
    pub(super) interface: Interface,
}

/// What the shaders make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compute,
    Graphics,
    Rays,
}

/// The stage of ray tracing pipelines that a model is.
fn ray_stage(model: Model) -> Option<vk::ShaderStageFlags> {
    Some(match model {
        Model::RayGenerationKHR => vk::ShaderStageFlags::RAYGEN_KHR,
        Model::MissKHR => vk::ShaderStageFlags::MISS_KHR,
        Model::ClosestHitKHR => vk::ShaderStageFlags::CLOSEST_HIT_KHR,
        Model::AnyHitKHR => vk::ShaderStageFlags::ANY_HIT_KHR,
        Model::IntersectionKHR => vk::ShaderStageFlags::INTERSECTION_KHR,
        Model::CallableKHR => vk::ShaderStageFlags::CALLABLE_KHR,
        _ => return None,
    })
}

fn kind_of(model: Model) -> Option<Kind> {
    match model {
        Model::GLCompute => Some(Kind::Compute),
        Model::Fragment => Some(Kind::Graphics),
        _ if stage_flag(model).is_some() => Some(Kind::Graphics),
        _ => ray_stage(model).map(|_| Kind::Rays),
    }
}

impl Shader {
    /// Whether a variable of the module is this built-in.
    pub(super) fn uses_built_in(&self, built_in: BuiltIn) -> bool {
        self.module.globals().any(|global| self.module.built_in(global.id) == Some(built_in))
    }

    /// As a stage of a pipeline that is no compute pipeline.
    pub(super) fn stage(&self) -> Option<StageShader> {
        let stage = stage_flag(self.model).or_else(|| ray_stage(self.model))?;
        Some(StageShader { stage, words: self.words.clone(), entry_point: self.entry.clone() })
    }
}

/// A file's module, and the stage that is meant, where that is said.
fn read(
    path: &Path,
    model: Option<Model>,
    wanted: &[String],
    given: &[Constant],
) -> Result<(Decoded, Option<Model>)> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let named = path.file_stem().and_then(|stem| Path::new(stem).extension()).and_then(|stem| stem.to_str());
    let by_name = stage::from_name(ending).or_else(|| named.and_then(stage::from_name));
    // GLSL that says no stage is a compute shader.
    let default = (ending == "glsl").then_some(Model::GLCompute);
    let model = model.or(by_name);
    let entry = wanted.first().map(String::as_str);
    let wanted = Request { model: model.or(default), entry, constants: given, ..Request::TO_RUN };
    Ok((sources::decode(path, &wanted)?, model))
}

/// The entry points of a file that may be meant.
fn entry_points(
    Decoded { name, words, module, .. }: &Decoded,
    model: Option<Model>,
    wanted: &[String],
    specialization: &Specialization,
) -> Result<Vec<Shader>> {
    let constants =
        ConstantValues::evaluate(module, specialization).map_err(|error| anyhow!("{name}: {error}"))?;
    let mut found = Vec::new();
    for entry in module.entry_points() {
        let own = entry.name().into_owned();
        let fits = (wanted.is_empty() || wanted.contains(&own)) && model.is_none_or(|it| it == entry.model);
        if !fits {
            continue;
        }
        let interface = Interface::of(&constants, &entry).map_err(|error| anyhow!("{name}: {error}"))?;
        found.push((own, entry.model, interface));
    }
    if found.is_empty() {
        let all: Vec<_> = module.entry_points().map(|entry| described(&entry.name(), entry.model)).collect();
        bail!("{name} has no such entry point; it has {}", all.join(", "));
    }
    // Each is decoded anew: modules are not cloned.
    found
        .into_iter()
        .map(|(entry, model, interface)| {
            let module = Module::decode(words).map_err(|error| anyhow!("{name}: {error}"))?;
            Ok(Shader { name: name.clone(), words: words.clone(), module, entry, model, interface })
        })
        .collect()
}

fn described(entry: &str, model: Model) -> String {
    format!("'{entry}' ({})", stage::short_name(model))
}

fn list(shaders: &[Shader]) -> String {
    shaders.iter().map(|one| described(&one.entry, one.model)).collect::<Vec<_>>().join(", ")
}

/// The shaders of these files, the kind of pipeline that they make, and the values of the given constants.
/// `wanted` are names of entry points, of which only those are taken when there are any.
///
/// # Errors
/// When a file cannot be read or does not compile, or the shaders make no pipeline: why.
pub(super) fn load(
    files: &[(Option<Model>, &Path)],
    wanted: &[String],
    given: &[Constant],
) -> Result<(Kind, Vec<Shader>, Values)> {
    let files: Vec<(Decoded, Option<Model>)> =
        files.iter().map(|&(model, path)| read(path, model, wanted, given)).collect::<Result<_>>()?;
    let modules: Vec<&Decoded> = files.iter().map(|(module, _)| module).collect();
    let values = constants::resolve(given, &modules)?;
    let specialization = constants::specialization(&values);
    let mut all = Vec::new();
    for (module, model) in &files {
        all.extend(entry_points(module, *model, wanted, &specialization)?);
    }
    let kinds: Vec<Option<Kind>> = all.iter().map(|one| kind_of(one.model)).collect();
    if let Some(place) = kinds.iter().position(Option::is_none) {
        bail!("{}: shaders of the stage {:?} are not run by themselves", all[place].name, all[place].model);
    }
    let kind = kinds[0].context("there is no shader")?;
    if kinds.iter().any(|one| *one != Some(kind)) {
        bail!("these make no one pipeline: {}: say which by --entry", list(&all));
    }
    match kind {
        Kind::Compute => {
            if all.len() > 1
                && let Some(main) = all.iter().position(|one| one.entry == "main")
            {
                let main = all.swap_remove(main);
                all = vec![main];
            }
            if all.len() > 1 {
                bail!("there are several compute shaders: {}: say which by --entry", list(&all));
            }
        }
        Kind::Graphics => graphics(&mut all)?,
        Kind::Rays => {
            let count = all.iter().filter(|one| one.model == Model::RayGenerationKHR).count();
            if count != 1 {
                bail!("rays begin in one ray generation shader (rgen), not in {count}: {}", list(&all));
            }
        }
    }
    Ok((kind, all, values))
}

/// Orders the stages of a graphics pipeline, and says what is wrong with them.
fn graphics(all: &mut [Shader]) -> Result<()> {
    all.sort_by_key(|one| stage::order(one.model));
    if let Some(pair) = all.windows(2).find(|pair| pair[0].model == pair[1].model) {
        let stage = stage::short_name(pair[0].model);
        bail!("there are several shaders of the stage {stage}: {}: say which by --entry", list(all));
    }
    let has = |model: Model| all.iter().any(|one| one.model == model);
    let (vertex, mesh) = (has(Model::Vertex), has(Model::MeshEXT));
    let others = [Model::TessellationControl, Model::TessellationEvaluation, Model::Geometry];
    if vertex && mesh {
        bail!("a pipeline has a vertex shader or a mesh shader, not both");
    }
    if has(Model::TaskEXT) && !mesh {
        bail!("a task shader needs a mesh shader (mesh)");
    }
    if !vertex && let Some(one) = others.into_iter().find(|model| has(*model)) {
        bail!("the stage {} needs a vertex shader (vert)", stage::short_name(one));
    }
    if has(Model::TessellationControl) != has(Model::TessellationEvaluation) {
        bail!("tessellation needs both of its shaders (tesc, tese)");
    }
    Ok(())
}

/// What descriptors and push constants are for.
pub(super) fn has_meshes(shaders: &[Shader]) -> bool {
    shaders.iter().any(|one| matches!(one.model, Model::TaskEXT | Model::MeshEXT))
}

/// The shaders of a ray tracing pipeline as stages.
pub(super) fn stages(shaders: &[Shader]) -> Vec<StageShader> {
    shaders.iter().filter_map(Shader::stage).collect()
}

/// The first hit groups of triangles and of boxes.
pub(super) fn hit_groups(shaders: &[Shader]) -> [Option<u32>; 2] {
    rays::hit_groups(&stages(shaders))
}
