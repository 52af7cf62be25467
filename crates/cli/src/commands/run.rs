//! `pyroclast run`: the shaders of one pipeline (compute, graphics or ray tracing) on resources given as
//! literals or files.

pub(super) mod data;
mod output;
mod resources;
mod shaders;
mod triangles;
mod vertices;

use super::check::{StageArgument, parse_stage};
use super::test::drawing;
use crate::client::draw::{Drawing, FORMAT};
use crate::client::image::Numbers;
use crate::client::rays::Primitives;
use crate::client::{Driver, Gpu, Job, Needs, Times};
use crate::constants::{self, Constant};
use anyhow::{Context, Result, anyhow, bail};
use data::{Bytes, Slot};
use output::Output;
use pyro_shadertest::case::{AttributeCase, Case};
use pyro_shadertest::values::Element;
use pyro_spirv::Type;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel as Model};
use resources::{Bank, Defaults, Given};
use serde_json::{Value, json};
use shaders::{Kind, Shader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use triangles::Triangles;
use vulkanalia::vk;

/// What to run and on what.
#[derive(clap::Args)]
#[command(
    after_long_help = "DATA is TYPE:VALUE,VALUE,… (types u8 i8 u16 i16 u32 i32 u64 i64 f32 f64), zero:BYTES, \
or file:PATH.\nIMAGE is a .png (srgb:FILE.png: its numbers are those of sRGB), a size (WIDTHxHEIGHT[xDEPTH]: zeros), or \
SIZE:DATA with one to four 32-bit values for each texel.\nSAMPLER is words with commas: nearest linear repeat \
mirror clamp border compare.\n\nWhat is not given is made up from what the shaders want (docs/run/README.md).\n\n\
Examples:\n  pyroclast run double.comp --buffer 0.0=f32:1,2,3,4 --print 0.0=f32\n  \
pyroclast run blur.comp --image 0.0=in.png -o out.png\n  \
pyroclast run lit.vert lit.frag --mesh teapot.obj --depth -o teapot.png\n  \
pyroclast run main.rgen main.rmiss main.rchit -o rays.exr"
)]
pub(crate) struct Arguments {
    /// The shaders: .spv, .spvasm, .wgsl, .slang, GLSL and HLSL files.
    shaders: Vec<PathBuf>,
    /// A shader whose name does not say its stage: STAGE=FILE or STAGE=FILE:ENTRY.
    #[arg(long, value_name = "STAGE=FILE", value_parser = parse_stage)]
    stage: Vec<StageArgument>,
    /// Take entry points of these names only.
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    /// Workgroups of compute, task and mesh shaders: X, X,Y or X,Y,Z [default: what covers the first storage
    /// image, or 1].
    #[arg(long, value_parser = data::parse_groups)]
    groups: Option<[u32; 3]>,
    /// The first workgroup: X, X,Y or X,Y,Z. --groups then counts from there, to run a part of a larger
    /// dispatch.
    #[arg(long, default_value = "0", value_parser = data::parse_base)]
    base: [u32; 3],
    /// Pixels that are drawn, or for which rays are launched.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "256x256", value_parser = data::parse_size)]
    size: [u32; 2],
    /// A storage buffer, or a texel buffer: `SET.BINDING=DATA`, `SET.BINDING[ELEMENT]=DATA`.
    #[arg(long, value_name = "S.B=DATA", value_parser = data::parse_resource)]
    buffer: Vec<(Slot, Bytes)>,
    /// A uniform buffer: `SET.BINDING=DATA`.
    #[arg(long, value_name = "S.B=DATA", value_parser = data::parse_resource)]
    uniform: Vec<(Slot, Bytes)>,
    /// An image: `SET.BINDING=IMAGE`.
    #[arg(long, value_name = "S.B=IMAGE", value_parser = parse_image)]
    image: Vec<(Slot, resources::PictureData)>,
    /// A sampler: `SET.BINDING=SAMPLER` [default: linear,repeat].
    #[arg(long, value_name = "S.B=SAMPLER", value_parser = parse_sampler)]
    sampler: Vec<(Slot, resources::SamplerData)>,
    /// Triangles of an OBJ file: for inputs of the vertex shader, by their names, and for acceleration
    /// structures.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// An input of the vertex shader: `LOCATION=DATA`.
    #[arg(long, value_name = "LOCATION=DATA", value_parser = parse_attribute)]
    attribute: Vec<(u32, String)>,
    /// The same for each instance.
    #[arg(long, value_name = "LOCATION=DATA", value_parser = parse_attribute)]
    instance_attribute: Vec<(u32, String)>,
    /// Indices of vertices: u16:… or u32:….
    #[arg(long, value_name = "DATA")]
    indices: Option<String>,
    /// Vertices that are drawn [default: what the inputs have, or 3].
    #[arg(long, value_name = "COUNT")]
    vertices: Option<u32>,
    /// Instances that are drawn.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    instances: u32,
    /// What vertices make, as Vulkan names it: triangle_list, line_strip, … [default: triangle_list, or
    /// patch_list].
    #[arg(long)]
    topology: Option<String>,
    /// Vertices of a patch.
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    patch: u32,
    /// The color that is there before: RED,GREEN,BLUE,ALPHA.
    #[arg(long, value_name = "COLOR", default_value = "0,0,0,0", value_parser = data::parse_color)]
    clear: [f32; 4],
    /// Keep the nearest fragments.
    #[arg(long)]
    depth: bool,
    /// How colors are added to those that are there: alpha or add.
    #[arg(long)]
    blend: Option<String>,
    /// Push constants: DATA.
    #[arg(long, value_name = "DATA", value_parser = data::parse_data)]
    push: Option<Bytes>,
    /// A specialization constant, or an override of WGSL: CONSTANT=VALUE, by its number or name.
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = constants::parse)]
    spec: Vec<Constant>,
    /// Write the picture (.png, .exr): what is drawn, or of other pipelines the first storage image.
    /// LOCATION=FILE: another output of the fragment shader.
    #[arg(short, long, value_name = "[LOCATION=]FILE", value_parser = output::parse)]
    output: Vec<Output>,
    /// Print a buffer, or the texels of an image, afterwards: SET.BINDING=TYPE.
    #[arg(long, value_name = "S.B=TYPE", value_parser = data::parse_print)]
    print: Vec<(Slot, Element)>,
    /// Write a buffer or an image to a file afterwards: SET.BINDING=PATH. An image becomes a picture where
    /// the file ends in .png or .exr.
    #[arg(long, value_name = "S.B=PATH", value_parser = data::parse_save)]
    save: Vec<(Slot, PathBuf)>,
    /// Print the buffers and the times as JSON.
    #[arg(long)]
    json: bool,
}

fn parse_image(text: &str) -> Result<(Slot, resources::PictureData)> {
    let (slot, image) = data::split(text)?;
    Ok((data::parse_slot(slot)?, resources::parse_picture(image)?))
}

fn parse_sampler(text: &str) -> Result<(Slot, resources::SamplerData)> {
    let (slot, sampler) = data::split(text)?;
    Ok((data::parse_slot(slot)?, resources::parse_sampler(sampler)?))
}

fn parse_attribute(text: &str) -> Result<(u32, String)> {
    let (location, literal) = data::split(text)?;
    let location = location.parse().map_err(|_| anyhow!("`{location}` is not a location"))?;
    Ok((location, literal.to_owned()))
}

/// What was given, by descriptor.
fn given(arguments: &Arguments) -> Result<BTreeMap<Slot, Given>> {
    let mut all: BTreeMap<Slot, Given> = BTreeMap::new();
    let buffers = arguments.buffer.iter().map(|one| (one, false));
    for ((slot, bytes), is_uniform) in buffers.chain(arguments.uniform.iter().map(|one| (one, true))) {
        let own = all.entry(*slot).or_default();
        if own.data.is_some() {
            bail!("there are two buffers for {slot}");
        }
        (own.data, own.is_uniform) = (Some(bytes.0.clone()), is_uniform);
    }
    for (slot, picture) in &arguments.image {
        all.entry(*slot).or_default().picture = Some(picture.clone());
    }
    for (slot, sampler) in &arguments.sampler {
        all.entry(*slot).or_default().sampler = Some(*sampler);
    }
    Ok(all)
}

/// The color formats of a fragment shader's outputs by location.
fn colors(fragment: Option<&Shader>, outputs: &[Output]) -> Result<Vec<vk::Format>> {
    /// No device has more color attachments.
    const LOCATION_MAX: u32 = 7;
    let mut formats = Vec::new();
    let Some(fragment) = fragment else { return Ok(formats) };
    for variable in fragment.interface.outputs.iter().filter(|variable| variable.index == 0) {
        for leaf in &variable.leaves {
            if leaf.location > LOCATION_MAX {
                bail!("{}: the output {} is past location {LOCATION_MAX}", fragment.name, variable.label());
            }
            let location = leaf.location as usize;
            formats.resize(formats.len().max(location + 1), vk::Format::UNDEFINED);
            let is_wide = outputs.iter().any(|one| one.location == leaf.location && one.is_exr());
            formats[location] = match fragment.module.ty(leaf.scalar) {
                Type::Int { signed: true, .. } => Numbers::Signed.format(),
                Type::Int { signed: false, .. } => Numbers::Unsigned.format(),
                _ if is_wide => Numbers::Float.format(),
                _ => FORMAT,
            };
        }
    }
    Ok(formats)
}

/// What a graphics pipeline draws.
fn drawing_of(arguments: &Arguments, shaders: &[Shader], triangles: Option<&Triangles>) -> Result<Drawing> {
    let find = |model: Model| shaders.iter().find(|one| one.model == model);
    let before: Vec<_> =
        shaders.iter().filter(|one| one.model != Model::Fragment).filter_map(Shader::stage).collect();
    let inputs = find(Model::Vertex).map(vertices::inputs).transpose()?.unwrap_or_default();
    let attribute = |(location, data): &(u32, String), per_instance| {
        let input = inputs.get(location);
        let components = input.map(|input| input.components);
        let components =
            components.with_context(|| format!("no vertex shader has an input at location {location}"))?;
        Ok(AttributeCase { location: *location, components, data: data.clone(), per_instance })
    };
    let own = arguments.attribute.iter().map(|one| attribute(one, false));
    let own = own.chain(arguments.instance_attribute.iter().map(|one| attribute(one, true)));
    let attributes: Vec<AttributeCase> = own.collect::<Result<_>>()?;
    let is_given: Vec<u32> = attributes.iter().map(|one| one.location).collect();
    let built_in = Triangles::one();
    let defaults = vertices::defaults(&inputs, &is_given, triangles.unwrap_or(&built_in));
    let has_own = attributes.iter().any(|one| !one.per_instance);
    let made_up = defaults.iter().map(|one| one.data.len() as u32 / one.stride).min();
    let is_patch = find(Model::TessellationControl).is_some();
    let without = if is_patch { arguments.patch } else { 3 };
    let count = match (arguments.vertices, has_own || arguments.indices.is_some()) {
        (Some(count), _) => Some(count),
        (None, true) => None,
        (None, false) => Some(made_up.unwrap_or(without)),
    };
    let case = Case {
        size: Some(arguments.size),
        clear: Some(arguments.clear),
        depth: arguments.depth,
        blend: arguments.blend.clone(),
        topology: arguments.topology.clone(),
        patch: Some(arguments.patch),
        indices: arguments.indices.clone(),
        instances: Some(arguments.instances),
        groups: arguments.groups.unwrap_or([1; 3]).to_vec(),
        vertices: count,
        attributes,
        ..Case::default()
    };
    let mut drawing = drawing::with_stages(&case, before, &|text| Ok(data::parse_data(text)?.0))?;
    drawing.attributes.extend(defaults);
    drawing.colors = colors(find(Model::Fragment), &arguments.output)?;
    Ok(drawing)
}

/// Workgroups of a compute shader.
fn groups(arguments: &Arguments, shader: &Shader, image: Option<[u32; 3]>) -> [u32; 3] {
    let local = shader.interface.workgroup_size.unwrap_or([1; 3]);
    let covering = image.map(|extent| std::array::from_fn(|axis| extent[axis].div_ceil(local[axis].max(1))));
    arguments.groups.or(covering).unwrap_or([1; 3])
}

/// How many elements runtime arrays have that nobody gave: one for each invocation or pixel.
fn elements(arguments: &Arguments, kind: Kind, shaders: &[Shader], groups: [u32; 3]) -> u64 {
    let product = |numbers: [u32; 3]| numbers.iter().map(|&one| u64::from(one)).fold(1, u64::saturating_mul);
    match kind {
        Kind::Compute => {
            let local = shaders.first().and_then(|one| one.interface.workgroup_size).unwrap_or([1; 3]);
            product(groups).saturating_mul(product(local))
        }
        _ => product([arguments.size[0], arguments.size[1], 1]),
    }
    .max(1)
}

/// What rays hit.
fn scene<'t>(shaders: &[Shader], triangles: &'t [[f32; 3]], boxes: &'t [[f32; 3]]) -> Vec<Primitives<'t>> {
    let [of_triangles, of_boxes] = shaders::hit_groups(shaders);
    let mut parts = Vec::new();
    if of_triangles.is_some() || of_boxes.is_none() {
        parts.push(Primitives::Triangles(triangles, of_triangles.unwrap_or(0)));
    }
    if let Some(group) = of_boxes {
        parts.push(Primitives::Boxes(boxes, group));
    }
    parts
}

/// What a run has come to, beside its resources.
struct Ran {
    times: Times,
    /// The colors that were drawn, with their locations and formats.
    colors: Vec<(u32, vk::Format, Vec<u8>)>,
}

/// Runs the pipeline.
fn execute(
    gpu: &Gpu<'_>,
    arguments: &Arguments,
    (kind, shaders): (Kind, &[Shader]),
    (job, groups): (&Job<'_>, [u32; 3]),
    drawing: Option<&Drawing>,
) -> Result<Ran> {
    let none = |times| Ran { times, colors: Vec::new() };
    match (kind, drawing) {
        (Kind::Graphics, Some(drawing)) => {
            let (times, colors) = gpu.draw(job, drawing)?;
            let written = (0..).zip(&drawing.colors).filter(|(_, one)| **one != vk::Format::UNDEFINED);
            let colors = written.zip(colors).map(|((at, format), bytes)| (at, *format, bytes)).collect();
            Ok(Ran { times, colors })
        }
        (Kind::Rays, _) => {
            let [width, height] = arguments.size;
            Ok(none(gpu.trace(job, &shaders::stages(shaders), [width, height, 1])?))
        }
        _ => Ok(none(gpu.run(&Job { groups, ..*job })?)),
    }
}

/// Runs the shaders.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let own = arguments.shaders.iter().map(|path| (None, path.as_path()));
    let staged = arguments.stage.iter().map(|one| (Some(one.model), one.path.as_path()));
    let files: Vec<(Option<Model>, &Path)> = own.chain(staged).collect();
    if files.is_empty() {
        bail!("there is no shader: name a file");
    }
    let mut names = arguments.entry.clone();
    names.extend(arguments.stage.iter().filter_map(|one| one.entry.clone()));
    let (kind, shaders, values) = shaders::load(&files, &names, &arguments.spec)?;
    let uses_count = |one: &Shader| one.uses_built_in(BuiltIn::NumWorkgroups);
    if arguments.base != [0; 3] && (kind != Kind::Compute || shaders.iter().any(uses_count)) {
        bail!(
            "--base: {}",
            if kind == Kind::Compute {
                "the shader uses NumWorkgroups, which is the count of this part, not of the whole dispatch: it \
                 would compute something else"
            } else {
                "only a dispatch of compute shaders has a part"
            }
        );
    }
    let triangles = arguments.mesh.as_deref().map(Triangles::read).transpose()?;
    let drawing = match kind {
        Kind::Graphics => Some(drawing_of(arguments, &shaders, triangles.as_ref())?),
        _ => None,
    };
    let wanted = resources::wanted(&shaders)?;
    let mut given = given(arguments)?;
    let image = resources::first_storage_image(&wanted, &given, arguments.size);
    let groups = groups(arguments, &shaders[0], image.map(|(_, extent)| extent));
    output::check(&arguments.output, drawing.as_ref(), image.map(|(slot, _)| slot))?;

    let built_in = Triangles::cube_on_floor();
    let hit = triangles.as_ref().unwrap_or(&built_in);
    let boxes = match &triangles {
        Some(triangles) => triangles.boxes(),
        None => vec![[-1.0; 3], [1.0; 3]],
    };
    let scene = scene(&shaders, &hit.positions, &boxes);
    let has_scene =
        wanted.values().any(|one| one.kind == pyro_interface::ResourceKind::AccelerationStructure);
    let driver = Driver::open()?;
    let needs = Needs { meshes: shaders::has_meshes(&shaders), rays: kind == Kind::Rays || has_scene };
    let gpu = Gpu::with_needs(&driver, needs)?;
    let elements = elements(arguments, kind, &shaders, groups);
    let is_opaque = shaders.iter().all(|one| one.model != Model::AnyHitKHR);
    let defaults = Defaults { size: arguments.size, elements, scene: &scene, is_opaque };
    let bank = Bank::new(&gpu, &wanted, &mut given, &defaults)?;
    // Before running: a mistyped place should not cost a long run's result.
    let printed = arguments.print.iter().map(|(slot, _)| *slot);
    for slot in printed.chain(arguments.save.iter().map(|(slot, _)| *slot)) {
        if !bank.has(slot) {
            bail!("no buffer or image at {slot}");
        }
    }
    let push = resources::push_constants(&shaders, arguments.push.as_ref().map(|push| &push.0[..]));
    let empty = Vec::new();
    let main = match kind {
        Kind::Graphics => shaders.iter().find(|one| one.model == Model::Fragment),
        _ => shaders.first(),
    };
    let job = Job {
        words: main.map_or(&empty, |one| &one.words),
        entry_point: main.map_or("main", |one| &one.entry),
        constants: &values,
        push_constants: &push,
        bindings: &bank.bindings,
        base: arguments.base,
        groups,
    };
    let ran = execute(&gpu, arguments, (kind, &shaders), (&job, groups), drawing.as_ref())?;
    show(arguments, &bank, &ran, image.map(|(slot, _)| slot))
}

/// Prints and writes what was asked for.
fn show(arguments: &Arguments, bank: &Bank<'_, '_>, ran: &Ran, image: Option<Slot>) -> Result<()> {
    let mut printed = serde_json::Map::new();
    for &(slot, element) in &arguments.print {
        let values: Vec<Value> = bank
            .bytes(slot)?
            .chunks_exact(element.bytes())
            .map(|bytes| data::decode(element, bytes))
            .collect();
        if arguments.json {
            printed.insert(slot.to_string(), Value::Array(values));
        } else {
            let text: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "")).collect();
            println!("{slot}: {}", text.join(" "));
        }
    }
    for (slot, path) in &arguments.save {
        if output::is_picture(path) && !arguments.buffer.iter().any(|(own, _)| own == slot) {
            let (width, numbers, bytes) = bank.picture(*slot)?;
            output::write(path, width, numbers.into(), &bytes)?;
        } else {
            std::fs::write(path, bank.bytes(*slot)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    for one in &arguments.output {
        if let Some((_, format, bytes)) = ran.colors.iter().find(|(at, ..)| *at == one.location) {
            output::write(&one.path, arguments.size[0], output::Pixels::of(*format), bytes)?;
        } else if let Some(slot) = image {
            let (width, numbers, bytes) = bank.picture(slot)?;
            output::write(&one.path, width, numbers.into(), &bytes)?;
        }
    }
    let Times { compile, run } = ran.times;
    if arguments.json {
        let files: Vec<String> = arguments.output.iter().map(|one| one.path.display().to_string()).collect();
        let report = json!({
            "buffers": printed,
            "pictures": files,
            "compile_seconds": compile.as_secs_f64(),
            "run_seconds": run.as_secs_f64(),
        });
        println!("{report:#}");
    } else {
        eprintln!("compiled in {compile:.2?}, ran in {run:.2?}");
    }
    Ok(())
}
