//! How the outputs of a stage meet the inputs of the next (Vulkan, "Interface Matching").

use crate::location::Leaf;
use crate::payload::{describe as type_text, same_shape};
use crate::pipeline::PipelineStage;
use crate::stage::{Direction, Variable};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Id, Type};

/// Which relaxations hold.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Vulkan 1.3 or `VK_KHR_maintenance4`: an output vector may have more components than the input.
    pub maintenance4: bool,
    /// The stages are libraries compiled apart, on a device without
    /// `graphicsPipelineLibraryIndependentInterpolationDecoration`: interpolation must be equal.
    pub same_interpolation: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { maintenance4: true, same_interpolation: false }
    }
}

/// What does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The rule: a VUID.
    pub rule: &'static str,
    /// The location of the input.
    pub location: u32,
    /// The name of the input; empty when the module does not say.
    pub input: String,
    /// The output at its place, in the other module; none when there is none.
    pub output: Option<Id>,
    /// What is wrong, in plain words.
    pub message: String,
}

/// Whether one stage can directly follow another in a pipeline.
pub fn can_follow(producer: ExecutionModel, consumer: ExecutionModel) -> bool {
    use ExecutionModel as M;
    matches!(
        (producer, consumer),
        (M::Vertex, M::TessellationControl | M::Geometry | M::Fragment)
            | (M::TessellationControl, M::TessellationEvaluation)
            | (M::TessellationEvaluation, M::Geometry | M::Fragment)
            | (M::Geometry, M::Fragment)
            | (M::TaskEXT, M::MeshEXT)
            | (M::TaskNV, M::MeshNV)
            | (M::MeshEXT | M::MeshNV, M::Fragment)
    )
}

/// Matches each user-defined input with the output at its place. Outputs that nothing reads are fine.
pub fn match_stages(
    producer: PipelineStage<'_>,
    consumer: PipelineStage<'_>,
    options: Options,
) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    let outputs: Vec<(&Variable, &Leaf)> = leaves(producer.interface.variables(Direction::Output));
    for (input, leaf) in leaves(consumer.interface.variables(Direction::Input)) {
        let mismatches_before = mismatches.len();
        let mut report = |output: Option<Id>, rule, message: String| {
            let (location, input) = (leaf.location, input.name.clone());
            mismatches.push(Mismatch { rule, location, input, output, message });
        };
        // By location, from the first that could hold the word; locations are sorted.
        let start = outputs.partition_point(|(_, output)| output.location < leaf.location);
        let mut found = outputs[start..].iter().take_while(|(_, output)| output.location == leaf.location);
        // Patches have locations of their own; one of the other kind is found only where there is none of this.
        let of_kind = found.clone().find(|(output, source)| {
            output.is_patch == input.is_patch && source.words().contains(&leaf.component)
        });
        let found = of_kind.or_else(|| found.find(|(_, output)| output.words().contains(&leaf.component)));
        let Some(&(output, source)) = found else {
            let message = format!(
                "no output of the {:?} shader is at location {}, component {}",
                producer.interface.model, leaf.location, leaf.component
            );
            report(None, "VUID-RuntimeSpirv-OpEntryPoint-08743", message);
            continue;
        };
        let at = Some(output.variable);
        let (from, to) = (producer.module().ty(source.scalar), consumer.module().ty(leaf.scalar));
        if from != to || source.component != leaf.component {
            let message =
                format!("the output is of {}, the input of {}", describe(from, source), describe(to, leaf));
            report(at, "VUID-RuntimeSpirv-OpEntryPoint-07754", message);
        } else if source.count != leaf.count && !(options.maintenance4 && source.count > leaf.count) {
            let message = format!("the output has {} components, the input {}", source.count, leaf.count);
            // Only a longer output is what the relaxation is about.
            let is_longer = source.count > leaf.count;
            let rule = if is_longer {
                "VUID-RuntimeSpirv-maintenance4-06817"
            } else {
                "VUID-RuntimeSpirv-OpEntryPoint-07754"
            };
            report(at, rule, message);
        }
        if input.leaves.first() == Some(leaf) && mismatches_before == mismatches.len() {
            mismatches.extend(declarations_match((producer, output, source), (consumer, input, leaf)).err());
        }
        let mut report = |output: Option<Id>, rule, message: String| {
            let (location, input) = (leaf.location, input.name.clone());
            mismatches.push(Mismatch { rule, location, input, output, message });
        };
        if output.is_patch != input.is_patch {
            report(
                at,
                "VUID-RuntimeSpirv-OpVariable-08746",
                "one is decorated Patch, the other not".to_owned(),
            );
        }
        if output.is_per_primitive != input.is_per_primitive {
            let message = "one is decorated PerPrimitiveEXT, the other not".to_owned();
            report(at, "VUID-RuntimeSpirv-OpVariable-08746", message);
        }
        if options.same_interpolation && output.interpolation != input.interpolation {
            let message = "interpolation decorations differ between separately compiled libraries".to_owned();
            report(at, "VUID-RuntimeSpirv-OpVariable-08746", message);
        }
    }
    mismatches
}

/// A stage, a variable of it or a member of a block, and its first scalar or vector.
type Declaration<'a> = (PipelineStage<'a>, &'a Variable, &'a Leaf);

/// Whether an input is declared as the output at its place is: the same arrays, matrices and structures ("equivalent
/// OpType* declaration"). Locations and components may agree where that does not hold, as those of a matrix and of an
/// array of its columns. Scalars and vectors are compared place by place.
fn declarations_match(
    (producer, output, source): Declaration<'_>,
    (consumer, input, leaf): Declaration<'_>,
) -> Result<(), Mismatch> {
    let is_single = output.leaves.len() == 1 && input.leaves.len() == 1;
    // The rule on types names variables and members of blocks as one kind of place; the chapter names declarations.
    let rule = if output.member.is_some() != input.member.is_some() {
        "VUID-RuntimeSpirv-OpEntryPoint-07754"
    } else {
        "Interface Matching"
    };
    let mismatch = |message: String| {
        let (location, name) = (leaf.location, input.name.clone());
        Err(Mismatch { rule, location, input: name, output: Some(output.variable), message })
    };
    if output.leaves.first() != Some(source) {
        return mismatch("the input is declared as a part of a larger output, not as all of it".to_owned());
    }
    let types = ((producer.constants, output.ty), (consumer.constants, input.ty));
    let is_one_wrapped = is_single && output.member.is_some() != input.member.is_some();
    if !is_one_wrapped && !same_shape(types.0, types.1) {
        let (from, to) = (type_text(types.0.0, output.ty), type_text(types.1.0, input.ty));
        return mismatch(format!("the output is declared as {from}, the input as {to}"));
    }
    Ok(())
}

/// Matches the inputs of a geometry shader that passes some of them on (`PassthroughNV`) with the outputs before it:
/// those must be there for each location and component, of the same type, and in the same decorations
/// (`VK_NV_geometry_shader_passthrough`, "Passthrough Interface Matching").
pub fn match_passthrough(producer: PipelineStage<'_>, consumer: PipelineStage<'_>) -> Vec<Mismatch> {
    // Its rules are those of other stages, but a longer output is never fine, as all of it is passed on.
    match_stages(producer, consumer, Options { maintenance4: false, same_interpolation: true })
}

fn leaves(variables: &[Variable]) -> Vec<(&Variable, &Leaf)> {
    let each = variables.iter().flat_map(|variable| variable.leaves.iter().map(move |leaf| (variable, leaf)));
    let mut found: Vec<_> = each.collect();
    found.sort_by_key(|(_, leaf)| (leaf.location, leaf.component));
    found
}

fn describe(ty: Type<'_>, leaf: &Leaf) -> String {
    let name = match ty {
        Type::Int { signed: true, .. } => "signed integers",
        Type::Int { signed: false, .. } => "unsigned integers",
        _ => "floats",
    };
    format!("{}-bit {name} from component {}", leaf.width, leaf.component)
}

/// Two variables of a direction that take the same word of a location (`VUID-StandaloneSpirv-OpEntryPoint-08721`,
/// `-08722`): the two and the location.
pub fn overlap(variables: &[Variable]) -> Option<(&Variable, &Variable, u32)> {
    let mut taken = std::collections::HashMap::new();
    for variable in variables {
        for leaf in &variable.leaves {
            for word in leaf.words() {
                // Patches have locations of their own.
                let place = (leaf.location + word / 4, word % 4, variable.index, variable.is_patch);
                if let Some(other) = taken.insert(place, variable) {
                    return Some((other, variable, place.0));
                }
            }
        }
    }
    None
}
