//! Random pairs of shader stages whose interfaces match or nearly match.
//!
//! A [`Pair`] is a list of outputs of one stage and a list of inputs of the next. It begins with equal lists;
//! then one thing or two are changed on one side ([`Change`]): a type, a count of components, a location, a
//! decoration. [`Pair::modules`] writes all shaders of the pipeline as modules, and [`judge`] says what our
//! checker finds.

mod text;

use pyro_interface::pipeline::{self, Pipeline, PipelineStage};
use pyro_interface::{Interface, link};
pub use pyro_random::Random;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::{Device, Environment, LayoutFeatures, check};
use std::collections::BTreeSet;

/// The stages of a pipeline that may pass something on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// `Vertex`
    Vertex,
    /// `TessellationControl`
    Control,
    /// `TessellationEvaluation`
    Evaluation,
    /// `Geometry`
    Geometry,
    /// `TaskEXT`
    Task,
    /// `MeshEXT`
    Mesh,
    /// `Fragment`
    Fragment,
}

/// The pairs that are made: the stage that writes, and the one that reads. Between task and mesh shaders the
/// variables are the members of the payload; a single one that is in no block is all of it.
pub const NEIGHBOURS: [(Stage, Stage); 8] = [
    (Stage::Vertex, Stage::Fragment),
    (Stage::Vertex, Stage::Control),
    (Stage::Control, Stage::Evaluation),
    (Stage::Evaluation, Stage::Fragment),
    (Stage::Vertex, Stage::Geometry),
    (Stage::Geometry, Stage::Fragment),
    (Stage::Mesh, Stage::Fragment),
    (Stage::Task, Stage::Mesh),
];

/// The kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 32-bit float
    Float,
    /// 32-bit signed integer
    Int,
    /// 32-bit unsigned integer
    Uint,
    /// 64-bit float
    Double,
}

/// How an input of a fragment shader is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// `Flat`
    Flat,
    /// `NoPerspective`
    NoPerspective,
    /// `Centroid`
    Centroid,
    /// `Sample`
    Sample,
}

/// An output or input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// `Location`
    pub location: u32,
    /// `Component`
    pub component: u32,
    /// The scalar.
    pub scalar: Scalar,
    /// Components of a vector, or of a matrix's columns.
    pub components: u32,
    /// Columns of a matrix; one for what is none.
    pub columns: u32,
    /// Elements of an array; none for what is none.
    pub elements: Option<u32>,
    /// `Patch`, between tessellation stages.
    pub is_patch: bool,
    /// `PerPrimitiveEXT`, between mesh and fragment shaders.
    pub is_per_primitive: bool,
    /// How it is decorated, where the fragment shader reads.
    pub interpolation: Option<Interpolation>,
    /// Whether it is the one member of a block.
    pub is_block: bool,
    /// `RelaxedPrecision`
    pub is_relaxed: bool,
}

/// One change of a pair that matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Another scalar type.
    Scalar,
    /// More or fewer components.
    Components,
    /// More or fewer columns.
    Columns,
    /// An array, another length, or no array.
    Elements,
    /// Another location.
    Location,
    /// Another first component.
    Component,
    /// Left out.
    Removed,
    /// One more.
    Added,
    /// `Patch` or not.
    Patch,
    /// `PerPrimitiveEXT` or not.
    PerPrimitive,
    /// Interpolated otherwise.
    Interpolation,
    /// In a block or not.
    Block,
    /// `RelaxedPrecision` or not.
    Precision,
}

const CHANGES: [Change; 13] = [
    Change::Scalar,
    Change::Components,
    Change::Columns,
    Change::Elements,
    Change::Location,
    Change::Component,
    Change::Removed,
    Change::Added,
    Change::Patch,
    Change::PerPrimitive,
    Change::Interpolation,
    Change::Block,
    Change::Precision,
];

/// Two stages and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The stage that writes, and the one that reads.
    pub stages: (Stage, Stage),
    /// What is written.
    pub outputs: Vec<Variable>,
    /// What is read.
    pub inputs: Vec<Variable>,
    /// What was changed.
    pub changes: Vec<Change>,
}

impl Variable {
    /// Locations that it takes.
    pub fn locations(&self) -> u32 {
        let per_column = if self.scalar == Scalar::Double && self.components > 2 { 2 } else { 1 };
        per_column * self.columns * self.elements.unwrap_or(1)
    }

    /// Words of a location that a scalar takes.
    fn width(&self) -> u32 {
        if self.scalar == Scalar::Double { 2 } else { 1 }
    }

    /// Makes what no module may say into something near that one may.
    fn mend(&mut self, stages: (Stage, Stage)) {
        if self.columns > 1 {
            self.components = self.components.max(2);
            if matches!(self.scalar, Scalar::Int | Scalar::Uint) {
                self.columns = 1;
            }
        }
        if self.columns > 1 || self.component + self.components * self.width() > 4 {
            self.component = 0;
        }
        if self.width() == 2 {
            self.component &= 2;
        }
        if self.is_block {
            // One member whose component is that of its block.
            self.component = 0;
        }
        self.is_patch &= stages == (Stage::Control, Stage::Evaluation);
        self.is_per_primitive &= stages == (Stage::Mesh, Stage::Fragment);
        if stages.1 != Stage::Fragment {
            self.interpolation = None;
        } else if self.scalar != Scalar::Float {
            self.interpolation = Some(Interpolation::Flat);
        }
    }
}

impl Pair {
    /// A pair between two stages.
    pub fn random(random: &mut Random, stages: (Stage, Stage)) -> Pair {
        let mut outputs = Vec::new();
        let mut location = 0;
        for _ in 0..1 + random.below(3) {
            location += random.below(2);
            let variable = variable(random, stages, location);
            location += variable.locations();
            outputs.push(variable);
        }
        let mut pair = Pair { stages, inputs: outputs.clone(), outputs, changes: Vec::new() };
        for _ in 0..random.below(3) {
            pair.change(random);
        }
        pair
    }

    fn change(&mut self, random: &mut Random) {
        let change = random.pick(&CHANGES);
        let stages = self.stages;
        let side = if random.below(2) == 0 { &mut self.outputs } else { &mut self.inputs };
        self.changes.push(change);
        if change == Change::Added {
            let location = side.iter().map(|found| found.location + found.locations()).max().unwrap_or(0);
            side.push(variable(random, stages, location));
            return;
        }
        if side.is_empty() {
            return;
        }
        let place = random.below(side.len() as u32) as usize;
        let found = &mut side[place];
        match change {
            Change::Scalar => {
                found.scalar = random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Double]);
            }
            Change::Components => found.components = 1 + random.below(4),
            Change::Columns => found.columns = 1 + random.below(4),
            Change::Elements => found.elements = Some(random.below(4)).filter(|count| *count != 0),
            Change::Location => found.location = random.below(6),
            Change::Component => found.component = random.below(4),
            Change::Removed => {
                side.remove(place);
                return;
            }
            Change::Patch => found.is_patch = !found.is_patch,
            Change::PerPrimitive => found.is_per_primitive = !found.is_per_primitive,
            Change::Interpolation => found.interpolation = interpolation(random),
            Change::Block => found.is_block = !found.is_block,
            Change::Precision => found.is_relaxed = !found.is_relaxed,
            Change::Added => {}
        }
        side[place].mend(stages);
    }

    /// All shaders of the pipeline as modules, in the order of the stages.
    ///
    /// # Errors
    /// When the text does not assemble, which is our own bug.
    pub fn modules(&self) -> Result<Vec<(Stage, Vec<u32>)>, String> {
        let modules = text::stages(self).into_iter().map(|(stage, text)| {
            let words = pyro_spirv::asm::assemble(&text).map_err(|error| format!("{error}\n{text}"))?;
            Ok((stage, words))
        });
        modules.collect()
    }
}

fn interpolation(random: &mut Random) -> Option<Interpolation> {
    let all =
        [Interpolation::Flat, Interpolation::NoPerspective, Interpolation::Centroid, Interpolation::Sample];
    if random.below(2) == 0 { None } else { Some(random.pick(&all)) }
}

fn variable(random: &mut Random, stages: (Stage, Stage), location: u32) -> Variable {
    let mut variable = Variable {
        location,
        component: if random.below(4) == 0 { random.below(4) } else { 0 },
        scalar: random.pick(&[
            Scalar::Float,
            Scalar::Float,
            Scalar::Float,
            Scalar::Int,
            Scalar::Uint,
            Scalar::Double,
        ]),
        components: 1 + random.below(4),
        columns: if random.below(6) == 0 { 2 + random.below(3) } else { 1 },
        elements: (random.below(5) == 0).then(|| 1 + random.below(3)),
        is_patch: random.below(3) == 0,
        is_per_primitive: random.below(3) == 0,
        interpolation: interpolation(random),
        is_block: random.below(5) == 0,
        is_relaxed: random.below(8) == 0,
    };
    variable.mend(stages);
    variable
}

/// The rules that a pair breaks, as our checker finds them: each module by itself, then all together.
///
/// # Errors
/// When a module does not decode or has no interface.
pub fn judge(modules: &[(Stage, Vec<u32>)], maintenance4: bool) -> Result<BTreeSet<String>, String> {
    let mut device = Device::version(1, 3);
    device.set_feature("maintenance4", maintenance4);
    let environment = Environment {
        strict: true,
        layout: LayoutFeatures::of(&device),
        device: Some(device),
        ..Environment::default()
    };
    let mut found = BTreeSet::new();
    let decoded: Result<Vec<Module>, String> = modules
        .iter()
        .map(|(stage, words)| Module::decode(words).map_err(|error| format!("{stage:?}: {error}")))
        .collect();
    let decoded = decoded?;
    for module in &decoded {
        if let Err(broken) = check(module, &environment) {
            found.extend(broken.into_iter().map(|diagnostic| diagnostic.rule.to_string()));
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let mut constants = Vec::new();
    for module in &decoded {
        let values = ConstantValues::evaluate(module, &Specialization::new());
        constants.push(values.map_err(|error| error.to_string())?);
    }
    let mut interfaces = Vec::new();
    for (module, constants) in decoded.iter().zip(&constants) {
        let entry = module.entry_points().next().ok_or("no entry point")?;
        interfaces.push(Interface::of(constants, &entry).map_err(|error| error.to_string())?);
    }
    let stages = constants.iter().zip(&interfaces);
    let stages = stages.map(|(constants, interface)| PipelineStage { constants, interface }).collect();
    let options = link::Options { maintenance4, ..link::Options::default() };
    let whole = Pipeline { stages, options, ..Pipeline::default() };
    found.extend(pipeline::check(&whole).into_iter().map(|finding| finding.rule.to_owned()));
    Ok(found)
}
