//! Inputs of vertex shaders that nobody gave: what their names and types suggest, of triangles.

use super::shaders::Shader;
use super::triangles::Triangles;
use crate::client::draw::Attribute;
use anyhow::{Result, bail};
use pyro_spirv::Type;
use std::collections::BTreeMap;
use vulkanalia::vk;

/// What one location takes.
#[derive(Clone)]
pub(super) struct Input {
    /// The variable's name, or nothing.
    name: String,
    pub(super) components: u32,
    kind: Number,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Float,
    Signed,
    Unsigned,
}

/// The inputs of a vertex shader by location.
///
/// # Errors
/// When an input has other components than of 32 bits.
pub(super) fn inputs(shader: &Shader) -> Result<BTreeMap<u32, Input>> {
    let mut found: BTreeMap<u32, Input> = BTreeMap::new();
    for variable in &shader.interface.inputs {
        for leaf in &variable.leaves {
            let kind = match shader.module.ty(leaf.scalar) {
                Type::Float { width: 32, .. } => Number::Float,
                Type::Int { width: 32, signed: true } => Number::Signed,
                Type::Int { width: 32, signed: false } => Number::Unsigned,
                _ => bail!("{}: the input {} is not of 32-bit numbers", shader.name, variable.label()),
            };
            let input = found.entry(leaf.location).or_insert_with(|| Input {
                name: variable.name.to_lowercase(),
                components: 0,
                kind,
            });
            input.components = input.components.max(leaf.component + leaf.count);
        }
    }
    Ok(found)
}

/// What an input is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Position,
    Normal,
    Coordinates,
    Color,
    Nothing,
}

fn meaning(input: &Input) -> Meaning {
    let has = |parts: &[&str]| parts.iter().any(|part| input.name.contains(part));
    match () {
        () if input.kind != Number::Float => Meaning::Nothing,
        () if has(&["pos", "vertex"]) => Meaning::Position,
        () if has(&["normal"]) => Meaning::Normal,
        () if has(&["uv", "tex", "coord"]) => Meaning::Coordinates,
        () if has(&["col"]) => Meaning::Color,
        () => Meaning::Nothing,
    }
}

/// The inputs that are not `given`, from triangles.
pub(super) fn defaults(
    inputs: &BTreeMap<u32, Input>,
    given: &[u32],
    triangles: &Triangles,
) -> Vec<Attribute> {
    let mut meanings: BTreeMap<u32, Meaning> =
        inputs.iter().map(|(location, input)| (*location, meaning(input))).collect();
    // Without any name that says it, the first input of numbers is the position.
    if !meanings.values().any(|one| *one == Meaning::Position)
        && let Some((location, _)) = inputs.iter().find(|(location, input)| {
            input.kind == Number::Float && meanings.get(location) == Some(&Meaning::Nothing)
        })
    {
        meanings.insert(*location, Meaning::Position);
    }
    let wanted = inputs.iter().filter(|(location, _)| !given.contains(location));
    wanted
        .map(|(&location, input)| {
            let meaning = meanings.get(&location).copied().unwrap_or(Meaning::Nothing);
            attribute(location, input, meaning, triangles)
        })
        .collect()
}

fn attribute(location: u32, input: &Input, meaning: Meaning, triangles: &Triangles) -> Attribute {
    let components = input.components.clamp(1, 4) as usize;
    let corners = triangles.positions.iter().zip(&triangles.normals).zip(&triangles.coordinates);
    let mut data = Vec::new();
    for (number, ((position, normal), coordinates)) in corners.enumerate() {
        let [x, y, z] = *position;
        let whole: [f32; 4] = match meaning {
            Meaning::Position => [x, y, z, 1.0],
            Meaning::Normal => [normal[0], normal[1], normal[2], 0.0],
            Meaning::Coordinates => [coordinates[0], coordinates[1], 0.0, 0.0],
            Meaning::Color => {
                let mut color = [0.0, 0.0, 0.0, 1.0];
                color[number % 3] = 1.0;
                color
            }
            Meaning::Nothing => [0.0; 4],
        };
        data.extend(whole[..components].iter().flat_map(|value| value.to_le_bytes()));
    }
    let formats = match input.kind {
        Number::Float => [
            vk::Format::R32_SFLOAT,
            vk::Format::R32G32_SFLOAT,
            vk::Format::R32G32B32_SFLOAT,
            vk::Format::R32G32B32A32_SFLOAT,
        ],
        Number::Signed => [
            vk::Format::R32_SINT,
            vk::Format::R32G32_SINT,
            vk::Format::R32G32B32_SINT,
            vk::Format::R32G32B32A32_SINT,
        ],
        Number::Unsigned => [
            vk::Format::R32_UINT,
            vk::Format::R32G32_UINT,
            vk::Format::R32G32B32_UINT,
            vk::Format::R32G32B32A32_UINT,
        ],
    };
    let format = formats[components - 1];
    Attribute { location, format, stride: 4 * components as u32, is_per_instance: false, data }
}
