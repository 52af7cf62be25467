//! Checking files and pipelines: what `pyroclast check` and `pyroclast reflect` share.

use crate::description::{Creation, Description, Shader, StageFlags};
use crate::report::{Finding, Related};
use crate::source_error::{SourceError, SourceErrors};
use crate::sources::{self, Assembly, Request, Source};
use crate::stage;
use anyhow::{Context, Result};
use pyro_interface::pipeline::{self, Pipeline, PipelineFinding, PipelineStage};
use pyro_interface::{Interface, link};
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_spirv::{ConstantValues, Id, Module, Specialization};
use pyro_validate::create_info::{self, CreateInfo, ObjectInfo};
use pyro_validate::stage::StageInfo;
use pyro_validate::{Environment, Place, check, place_of};
use std::path::Path;

/// Checks one file by itself.
pub(crate) fn file(path: &Path, environment: &Environment) -> Vec<Finding> {
    let name = path.display().to_string();
    match decode(path, &Request::TO_RUN, environment) {
        Ok((module, assembly)) => module_findings(&name, &module, assembly.as_ref(), environment),
        Err(error) => unreadable(&name, &error),
    }
}

/// What does not compile or decode breaks the language's rules, whichever those are.
fn unreadable(name: &str, error: &anyhow::Error) -> Vec<Finding> {
    let Some(SourceErrors { language, errors }) = error.downcast_ref() else {
        let rule = if error.is::<pyro_spirv::DecodeError>() { "SPIR-V" } else { "Source" };
        return vec![Finding::new(name, rule, format!("{error:#}"))];
    };
    let finding = |error: &SourceError| {
        let mut finding = Finding::new(name, language, error.message.clone());
        finding.source = error.place.clone();
        finding.hint = error.hint();
        finding
    };
    errors.iter().map(finding).collect()
}

fn decode(
    path: &Path,
    wanted: &Request<'_>,
    environment: &Environment,
) -> Result<(Module, Option<Assembly>)> {
    let version = environment.device.as_ref().map_or((1, 6), |device| device.spirv_version());
    let wanted = Request { version, is_check: true, ..*wanted };
    let Source { bytes, assembly, .. } = sources::load(path, &wanted)?;
    Ok((Module::decode_bytes(&bytes)?, assembly))
}

fn module_findings(
    name: &str,
    module: &Module,
    assembly: Option<&Assembly>,
    environment: &Environment,
) -> Vec<Finding> {
    let mut found = match check(module, environment) {
        Ok(warnings) => warnings,
        Err(found) => found,
    };
    if let Some(assembly) = assembly {
        found.iter_mut().filter_map(|found| found.place.as_mut()).for_each(|place| assembly.locate(place));
    }
    found.into_iter().map(|diagnostic| Finding::of(name, diagnostic)).collect()
}

/// A shader of a pipeline, decoded.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) model: Model,
    pub(crate) module: Module,
    assembly: Option<Assembly>,
    entry: Option<String>,
    specialization: Specialization,
    flags: StageFlags,
    object: ObjectInfo,
    /// Its place in the description.
    place: usize,
}

impl Loaded {
    fn place_of(&self, id: Id) -> Option<Place> {
        let mut place = place_of(&self.module, id)?;
        if let Some(assembly) = &self.assembly {
            assembly.locate(&mut place);
        }
        Some(place)
    }
}

/// A shader with its interface.
pub(crate) struct Reflected<'m> {
    pub(crate) loaded: &'m Loaded,
    pub(crate) constants: ConstantValues<'m>,
    pub(crate) interface: Interface,
}

/// Decodes the shaders of a pipeline; what cannot be read becomes a finding.
pub(crate) fn load_all(shaders: Vec<Shader>, environment: &Environment) -> (Vec<Loaded>, Vec<Finding>) {
    let (mut loaded, mut findings) = (Vec::new(), Vec::new());
    for (place, shader) in shaders.into_iter().enumerate() {
        let name = shader.path.display().to_string();
        let (model, entry) = (Some(shader.model), shader.entry.as_deref());
        let wanted = Request { model, entry, constants: &shader.constants, ..Request::TO_RUN };
        match decode(&shader.path, &wanted, environment) {
            Ok((module, assembly)) => loaded.push(Loaded {
                name,
                model: shader.model,
                module,
                assembly,
                entry: shader.entry,
                specialization: shader.specialization,
                flags: shader.flags,
                object: shader.object,
                place,
            }),
            Err(error) => findings.extend(unreadable(&name, &error)),
        }
    }
    loaded.sort_by_key(|shader| stage::order(shader.model));
    (loaded, findings)
}

/// The interface of a shader.
///
/// # Errors
/// When it has no such entry point, or has no interface.
pub(crate) fn reflect(loaded: &Loaded) -> Result<Reflected<'_>> {
    let constants = ConstantValues::evaluate(&loaded.module, &loaded.specialization)?;
    let mut of_stage = loaded.module.entry_points().filter(|entry| entry.model == loaded.model);
    let wanted = loaded.entry.as_deref();
    let named = loaded.module.entry_point(wanted.unwrap_or("main"), loaded.model);
    let entry = match (named, wanted) {
        (Some(entry), _) => entry,
        (None, None) => {
            of_stage.next().with_context(|| format!("it has no {:?} entry point", loaded.model))?
        }
        (None, Some(name)) => {
            let names: Vec<_> = of_stage.map(|entry| format!("'{}'", entry.name())).collect();
            anyhow::bail!("it has no {:?} entry point '{name}', but {}", loaded.model, names.join(", "));
        }
    };
    let interface = Interface::of(&constants, &entry)?;
    Ok(Reflected { loaded, constants, interface })
}

/// What findings of a pipeline as a whole are told of when no file describes it.
pub(crate) const UNNAMED_PIPELINE: &str = "the pipeline";

/// Checks the shaders of a pipeline, each by itself and all together; `name` is that of the file that
/// describes it.
pub(crate) fn pipeline(
    name: &str,
    description: Description,
    environment: &Environment,
) -> (usize, Vec<Finding>) {
    let count = description.shaders.len();
    let Description {
        maintenance4,
        libraries,
        objects,
        shaders,
        creation,
        info,
        layout,
        attributes,
        colors,
        ..
    } = description;
    let (loaded, mut findings) = load_all(shaders, environment);
    let mut reflected = Vec::new();
    for shader in &loaded {
        let environment =
            Environment { specialization: shader.specialization.clone(), ..environment.clone() };
        let mut own = module_findings(&shader.name, &shader.module, shader.assembly.as_ref(), &environment);
        own.iter_mut().for_each(|finding| finding.stage = Some(stage::short_name(shader.model)));
        // Interfaces are computed from modules that keep the rules of SPIR-V.
        let is_sound = own.iter().all(|finding| finding.rule.starts_with("VUID"));
        findings.append(&mut own);
        match reflect(shader) {
            Ok(found) if is_sound => reflected.push(found),
            Ok(_) => {}
            Err(error) => {
                let rule = "VUID-VkPipelineShaderStageCreateInfo-pName-00707";
                let mut finding = Finding::new(&shader.name, rule, format!("{error:#}"));
                finding.stage = Some(stage::short_name(shader.model));
                findings.push(finding);
            }
        }
    }
    if let Some(creation) = &creation {
        for shader in &reflected {
            findings.extend(stage_findings(shader, creation, objects.is_some(), environment));
        }
    }
    // Stages that could not be read would seem to be missing.
    if reflected.len() == count {
        let has_maintenance4 = environment
            .device
            .as_ref()
            .is_none_or(|device| device.api_version >= (1, 3) || device.has_feature("maintenance4"));
        let options = link::Options {
            maintenance4: maintenance4.unwrap_or(has_maintenance4),
            same_interpolation: libraries,
        };
        let whole = Pipeline { stages: stages(&reflected), layout, attributes, colors, options, objects };
        findings.extend(pipeline::check(&whole).iter().map(|found| finding(name, found, &reflected)));
        if let Some(device) = environment.device.as_ref().filter(|_| creation.is_some()) {
            let mappings = creation.as_ref().map_or(&[][..], |creation| &creation.mappings);
            let info = in_order(CreateInfo { mappings, ..info }, &reflected);
            let found = create_info::check(&whole, &info, device);
            findings.extend(found.iter().map(|found| finding(name, found, &reflected)));
        }
    }
    if objects.is_some() {
        for finding in &mut findings {
            finding.rule = create_info::name_for_objects(&finding.rule).to_owned();
        }
    }
    (count, findings)
}

/// A creation whose groups and objects name the stages in the order in which they are checked.
fn in_order<'a>(mut info: CreateInfo<'a>, reflected: &[Reflected<'_>]) -> CreateInfo<'a> {
    info.objects = reflected.iter().map(|shader| shader.loaded.object.clone()).collect();
    let moved = |index: &mut Option<u32>| {
        let place = |index: u32| reflected.iter().position(|shader| shader.loaded.place == index as usize);
        *index = index.map(|index| place(index).map_or(index, |place| place as u32));
    };
    for group in &mut info.groups {
        [&mut group.general, &mut group.closest_hit, &mut group.any_hit, &mut group.intersection]
            .into_iter()
            .for_each(moved);
    }
    info
}

/// What a pipeline's description says of a stage's creation, held against the stage.
fn stage_findings(
    shader: &Reflected<'_>,
    creation: &Creation,
    is_shader_object: bool,
    environment: &Environment,
) -> Vec<Finding> {
    let Some(device) = &environment.device else { return Vec::new() };
    let loaded = shader.loaded;
    let info = StageInfo {
        allows_varying_subgroup_size: loaded.flags.allows_varying_subgroup_size,
        requires_full_subgroups: loaded.flags.requires_full_subgroups,
        required_subgroup_size: loaded.flags.required_subgroup_size,
        skips_triangles: creation.skips_triangles,
        skips_aabbs: creation.skips_aabbs,
        allows_motion: creation.allows_motion,
        has_64_bit_indexing: creation.has_64_bit_indexing,
        view_mask: creation.view_mask,
        mappings: &creation.mappings,
        is_shader_object,
        shades_regions: creation.shades_regions,
        min_sample_shading: creation.min_sample_shading,
        ..StageInfo::new(loaded.model, &shader.interface.name)
    };
    let found = pyro_validate::stage::check(&shader.constants, &info, device).into_iter();
    let finding = found.map(|found| {
        let mut finding = Finding::new(&loaded.name, found.rule, found.message);
        finding.stage = Some(stage::short_name(loaded.model));
        finding
    });
    finding.collect()
}

fn stages<'a>(reflected: &'a [Reflected<'_>]) -> Vec<PipelineStage<'a>> {
    let stage = |shader: &'a Reflected<'_>| PipelineStage {
        constants: &shader.constants,
        interface: &shader.interface,
    };
    reflected.iter().map(stage).collect()
}

/// The findings between shaders, and of what a description says of their pipeline beside them.
pub(crate) fn mismatches(reflected: &[Reflected<'_>], description: Option<Description>) -> Vec<Finding> {
    let Description { maintenance4, libraries, objects, layout, attributes, colors, .. } =
        description.unwrap_or_default();
    let options = link::Options { maintenance4: maintenance4.unwrap_or(true), same_interpolation: libraries };
    let whole = Pipeline { stages: stages(reflected), layout, attributes, colors, options, objects };
    pipeline::check(&whole).iter().map(|found| finding(UNNAMED_PIPELINE, found, reflected)).collect()
}

fn finding(pipeline: &str, found: &PipelineFinding, reflected: &[Reflected<'_>]) -> Finding {
    let at = found.stage.and_then(|place| reflected.get(place));
    let file = at.map_or(pipeline, |shader| &shader.loaded.name);
    let mut finding = Finding::new(file, found.rule, found.message.clone());
    let name = |place: usize| Some(stage::short_name(reflected.get(place)?.loaded.model));
    finding.stage = found.stage.and_then(name);
    finding.other_stage = found.other.and_then(name);
    finding.location = found.location;
    finding.is_output = at.is_some_and(|shader| {
        shader.interface.outputs.iter().any(|output| Some(output.variable) == found.variable)
    });
    if let (Some(shader), Some(variable)) = (at, found.variable)
        && let Some(place) = shader.loaded.place_of(variable)
    {
        finding.set_place(place);
    }
    let other = found.other.and_then(|place| reflected.get(place));
    if let (Some(shader), Some(variable)) = (other, found.other_variable)
        && let Some(place) = shader.loaded.place_of(variable)
    {
        let message = format!("the {} shader's side of it", stage::short_name(shader.loaded.model));
        finding.related = Some(Related { file: shader.loaded.name.clone(), message, source: place.source });
    }
    finding
}
