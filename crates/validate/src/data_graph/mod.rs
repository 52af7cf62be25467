//! Graphs of operations on tensors (`SPV_ARM_graph`), and what a data graph pipeline says of one
//! (`VkDataGraphPipelineCreateInfoARM`). A rule is one function, listed with its VUID.

mod operators;

use crate::context::{Context, Verdict, ensure};
use crate::diagnostic::Diagnostic;
use pyro_spirv::spirv::{Capability, Decoration, FPEncoding, Op, StorageClass};
use pyro_spirv::{ConstantValues, Id, Inst, Instruction, Module, Type};

use operators::GraphFault;
use pyro_tosa::Graph;
use std::collections::HashMap;
use std::sync::Arc;

/// The rule of what is wrong with operators: the specification's name.
const OPERATORS: &str = "TOSA.001000.1";
const GRAPH: &str = "OpGraphARM";
const INPUT: &str = "VUID-StandaloneSpirv-OpGraphInputARM-09931";
const OUTPUT: &str = "VUID-StandaloneSpirv-OpGraphSetOutputARM-09932";

/// The VUIDs of [`check`].
pub(crate) const RULES: [&str; 2] = [INPUT, OUTPUT];

/// The types of a graph's inputs and outputs.
type Signature = (Vec<Id>, Vec<Id>);

fn signature(module: &Module, ty: Id) -> Option<Signature> {
    let inst = module.definition(ty).filter(|inst| inst.op() == Op::TypeGraphARM)?;
    let all: Vec<Id> = inst.ids_from(1).iter().collect();
    let input_count = inst.word(0) as usize;
    let (inputs, outputs) = all.split_at_checked(input_count)?;
    Some((inputs.to_vec(), outputs.to_vec()))
}

/// Holds the graphs of a module against the rules of SPIR-V and Vulkan on them.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let module = cx.module;
    if !cx.has_capability(Capability::GraphARM) {
        return;
    }
    let graphs = module.insts().filter(|inst| inst.op() == Op::GraphARM);
    for graph in graphs {
        if cx.is_full() {
            return;
        }
        if let Err(GraphFault { inst, error }) =
            operators::build(&cx.constants, graph.index(), &HashMap::new())
        {
            cx.report(OPERATORS, inst, error.to_string());
        }
    }
    // The graph at hand, and which of its outputs are set.
    let mut graph: Option<(Signature, Vec<bool>)> = None;
    for inst in module.insts() {
        if cx.is_full() {
            return;
        }
        let verdict = match inst.op() {
            Op::GraphEntryPointARM => {
                entry_point(cx, inst).map_err(|message| ("OpGraphEntryPointARM", message))
            }
            Op::GraphARM => match inst.result_type().and_then(|ty| signature(module, ty)) {
                Some(found) => {
                    let is_set = vec![false; found.1.len()];
                    graph = Some((found, is_set));
                    Ok(())
                }
                None => Err((GRAPH, "the result type is not a graph type with these inputs".to_owned())),
            },
            Op::GraphInputARM => match &graph {
                Some(((inputs, _), _)) => input(cx, inst, inputs),
                None => Ok(()),
            },
            Op::GraphSetOutputARM => match &mut graph {
                Some(((_, outputs), is_set)) => output(cx, inst, outputs, is_set),
                None => Ok(()),
            },
            Op::GraphEndARM => {
                let missing = graph.take().and_then(|(_, is_set)| is_set.iter().position(|is_set| !is_set));
                match missing {
                    Some(index) => Err((GRAPH, format!("nothing sets the output {index}"))),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        };
        if let Err((rule, message)) = verdict {
            cx.report(rule, inst.index(), message);
        }
    }
}

type Finding = Result<(), (&'static str, String)>;

/// A constant index of 32 bits.
fn index(cx: &Context<'_, '_>, rule: &'static str, id: Id) -> Result<Option<u32>, (&'static str, String)> {
    if !cx.is_constant(id) {
        return Err((rule, format!("the index {id} is not constant")));
    }
    let is_word = matches!(cx.value_type(id), Ok(Type::Int { width: 32, .. }));
    if is_word {
        Ok(cx.constants.unsigned(id))
    } else {
        Err((GRAPH, format!("{id} is not a 32-bit integer")))
    }
}

/// The type of an input or output, or of one of its elements when that has an index of its own.
fn part(
    cx: &Context<'_, '_>,
    rule: &'static str,
    inst: Instruction<'_>,
    (position, types): (usize, &[Id]),
) -> Result<Option<(usize, Id)>, (&'static str, String)> {
    let fail = |message: String| Err((GRAPH, message));
    let Some(place) = inst.get_id(position) else { return Ok(None) };
    let Some(place) = index(cx, rule, place)? else { return Ok(None) };
    let Some(&ty) = types.get(place as usize) else {
        return fail(format!("the graph's type has {} of these, the index is {place}", types.len()));
    };
    let Some(element) = inst.get_id(position + 1) else { return Ok(Some((place as usize, ty))) };
    let element = index(cx, rule, element)?;
    match cx.ty(ty) {
        Type::Array { element: inner, .. } => {
            let is_inside =
                element.zip(cx.constants.array_len(ty)).is_none_or(|(at, len)| u64::from(at) < len);
            if is_inside {
                Ok(Some((place as usize, inner)))
            } else {
                fail("the element is beyond the array".into())
            }
        }
        Type::RuntimeArray { element: inner } => Ok(Some((place as usize, inner))),
        _ => fail(format!("{ty} is not an array, so that it has no elements")),
    }
}

fn input(cx: &Context<'_, '_>, inst: Instruction<'_>, inputs: &[Id]) -> Finding {
    let Some((_, ty)) = part(cx, INPUT, inst, (0, inputs))? else { return Ok(()) };
    if inst.result_type() == Some(ty) {
        return Ok(());
    }
    Err((GRAPH, format!("by the graph's type, this input is of type {ty}")))
}

fn output(cx: &Context<'_, '_>, inst: Instruction<'_>, outputs: &[Id], is_set: &mut [bool]) -> Finding {
    let has_element = inst.get_id(2).is_some();
    let Some((place, ty)) = part(cx, OUTPUT, inst, (1, outputs))? else { return Ok(()) };
    if cx.module.type_of(inst.id(0)) != Some(ty) {
        return Err((GRAPH, format!("by the graph's type, this output is of type {ty}")));
    }
    // Elements of an output are set one by one.
    if std::mem::replace(&mut is_set[place], true) && !has_element {
        return Err((GRAPH, format!("the output {place} is set twice")));
    }
    Ok(())
}

fn entry_point(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let module = cx.module;
    let graph = module.definition(inst.id(0)).filter(|graph| graph.op() == Op::GraphARM);
    let Some(ty) = graph.and_then(|graph| graph.result_type()) else {
        return Err(format!("{} is not a graph", inst.id(0)));
    };
    let Some((inputs, outputs)) = signature(module, ty) else { return Ok(()) };
    let interface = interface(inst);
    let count = inputs.len() + outputs.len();
    ensure!(interface.len() == count, "it lists {} variables, the graph has {count}", interface.len());
    for (id, wanted) in interface.into_iter().zip(inputs.into_iter().chain(outputs)) {
        let variable = module.global(id).filter(|variable| variable.class == StorageClass::UniformConstant);
        let Some(variable) = variable else { return Err(format!("{id} is not a UniformConstant variable")) };
        ensure!(variable.value_type == Some(wanted), "{id} is not of the graph's type for it, {wanted}");
    }
    Ok(())
}

/// The ids behind the name.
fn interface(inst: Instruction<'_>) -> Vec<Id> {
    inst.id_operands().skip(1).collect()
}

/// An element of a tensor, as formats tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorFormat {
    /// `R8_BOOL_ARM`
    Bool,
    /// `R8_SINT` to `R64_SINT`: bits.
    Signed(u32),
    /// `R8_UINT` to `R64_UINT`: bits.
    Unsigned(u32),
    /// `R16_SFLOAT` to `R64_SFLOAT`: bits.
    Float(u32),
    /// `R16_SFLOAT_FPENCODING_BFLOAT16_ARM`
    BFloat16,
    /// `R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM`
    Float8E4M3,
    /// `R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM`
    Float8E5M2,
}

impl TensorFormat {
    /// Whether tensors of the format may have elements of a type.
    fn gives(self, ty: Type<'_>) -> bool {
        match (ty, self) {
            (Type::Bool, TensorFormat::Bool) => true,
            (Type::Int { width, .. }, TensorFormat::Signed(bits)) => width == bits,
            (Type::Int { width, signed: false }, TensorFormat::Unsigned(bits)) => width == bits,
            (Type::Float { width, encoding: None }, TensorFormat::Float(bits)) => width == bits,
            (Type::Float { encoding, .. }, _) => {
                encoding
                    == match self {
                        TensorFormat::BFloat16 => Some(FPEncoding::BFloat16KHR),
                        TensorFormat::Float8E4M3 => Some(FPEncoding::Float8E4M3EXT),
                        TensorFormat::Float8E5M2 => Some(FPEncoding::Float8E5M2EXT),
                        _ => return false,
                    }
            }
            _ => false,
        }
    }
}

/// `VkTensorDescriptionARM`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorDescription {
    /// `pDimensions`, of which there are `dimensionCount`.
    pub dimensions: Vec<i64>,
    /// `format`
    pub format: TensorFormat,
}

/// `VkDataGraphPipelineConstantARM`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphConstant {
    /// `id`
    pub id: u32,
    /// The description that is chained.
    pub tensor: Option<TensorDescription>,
}

/// `VkDataGraphPipelineResourceInfoARM`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphResource {
    /// `descriptorSet`
    pub set: u32,
    /// `binding`
    pub binding: u32,
    /// `arrayElement`
    pub array_element: u32,
    /// The description that is chained.
    pub tensor: Option<TensorDescription>,
}

/// A binding of the pipeline layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphBinding {
    /// `VkDescriptorSetLayout`'s number in the layout.
    pub set: u32,
    /// `binding`
    pub binding: u32,
    /// `descriptorType` is `VK_DESCRIPTOR_TYPE_TENSOR_ARM`.
    pub is_tensor: bool,
    /// `descriptorCount`
    pub count: u32,
}

/// What a data graph pipeline is made of besides the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPipeline<'a> {
    /// `pName`
    pub name: &'a str,
    /// `pConstants`
    pub constants: &'a [GraphConstant],
    /// `pResourceInfos`
    pub resources: &'a [GraphResource],
    /// The bindings of `layout`, where they are known.
    pub layout: Option<&'a [GraphBinding]>,
}

struct Cx<'c> {
    pipeline: &'c GraphPipeline<'c>,
    module: &'c Module,
    constants: &'c ConstantValues<'c>,
    /// The graph's type.
    ty: Id,
    /// `OpGraphConstantARM` that the graph uses.
    used_constants: Vec<Instruction<'c>>,
    interface: Vec<Id>,
}

type PipelineRule = fn(&Cx<'_>) -> Verdict;

const PIPELINE_RULES: [(&str, PipelineRule); 6] = [
    ("VUID-RuntimeSpirv-pNext-09919", shaped_types),
    ("VUID-RuntimeSpirv-pNext-09920", shaped_constants),
    ("VUID-RuntimeSpirv-pNext-09921", described_constants),
    ("VUID-RuntimeSpirv-pNext-09923", described_resources),
    ("VUID-VkDataGraphPipelineCreateInfoARM-layout-09769", bound_types),
    ("VUID-VkDataGraphPipelineCreateInfoARM-layout-09934", bound_counts),
];

/// Every VUID that [`check_pipeline`] may report, sorted.
pub fn covered_vuids() -> Vec<&'static str> {
    PIPELINE_RULES.iter().map(|(rule, _)| *rule).collect()
}

/// Holds a data graph pipeline against the graph that its name says; the module must have passed validation.
///
/// # Errors
/// When the module has no graph of that name.
pub fn check_pipeline(
    constants: &ConstantValues<'_>,
    pipeline: &GraphPipeline<'_>,
) -> Result<Vec<Diagnostic>, String> {
    let module = constants.module();
    let is_named =
        |inst: &Instruction<'_>| inst.op() == Op::GraphEntryPointARM && inst.string(1) == pipeline.name;
    let entry = module.insts().find(is_named);
    let entry = entry.ok_or_else(|| format!("the module has no graph '{}'", pipeline.name))?;
    let graph = module.definition(entry.id(0)).filter(|graph| graph.op() == Op::GraphARM);
    let ty = graph.and_then(|graph| graph.result_type()).ok_or("the entry point names no graph")?;
    let start = graph.map_or(0, |graph| graph.index().as_u32());
    let body = (start + 1..module.inst_count() as u32).map(|index| module.inst(Inst::from_u32(index)));
    let mut used: Vec<Id> =
        body.take_while(|inst| inst.op() != Op::GraphEndARM).flat_map(|inst| inst.id_operands()).collect();
    used.sort_unstable();
    used.dedup();
    let definitions = used.into_iter().filter_map(|id| module.definition(id));
    let used_constants = definitions.filter(|inst| inst.op() == Op::GraphConstantARM).collect();
    let cx = Cx { pipeline, module, constants, ty, used_constants, interface: interface(entry) };
    let broken = PIPELINE_RULES.iter().filter_map(|(rule, function)| Some((*rule, function(&cx).err()?)));
    let place = Some(crate::diagnostic::Place::of(module, entry.index()));
    let found = broken.map(|(rule, message)| Diagnostic { rule: rule.into(), message, place: place.clone() });
    Ok(found.collect())
}

/// A tensor that a descriptor names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundTensor {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The element of an array.
    pub element: u32,
}

/// A graph of operators, and where its tensors are bound.
pub struct BoundGraph {
    /// The graph.
    pub graph: Graph,
    /// Of its inputs, in their order.
    pub inputs: Vec<BoundTensor>,
    /// Of its outputs, in their order.
    pub outputs: Vec<BoundTensor>,
}

/// The graph of this name, with the constants that are given for it, packed, by their numbers.
///
/// # Errors
/// What is wrong with it; the module must have passed validation.
#[expect(clippy::result_large_err, reason = "one error for a pipeline")]
pub fn bound_graph(
    constants: &ConstantValues<'_>,
    name: &str,
    given: &HashMap<u32, Arc<[u8]>>,
) -> Result<BoundGraph, Diagnostic> {
    let module = constants.module();
    let diagnostic = |rule: &'static str, message: String, inst: Option<Inst>| {
        let place = inst.map(|inst| crate::diagnostic::Place::of(module, inst));
        Diagnostic { rule: rule.into(), message, place }
    };
    let is_named = |inst: &Instruction<'_>| inst.op() == Op::GraphEntryPointARM && inst.string(1) == name;
    let entry = module.insts().find(is_named).ok_or_else(|| {
        let rule = "VUID-VkDataGraphPipelineShaderModuleCreateInfoARM-pName-09872";
        diagnostic(rule, format!("the module has no graph '{name}'"), None)
    })?;
    let at_entry = |message: String| diagnostic("OpGraphEntryPointARM", message, Some(entry.index()));
    let graph = module.definition(entry.id(0)).filter(|graph| graph.op() == Op::GraphARM);
    let graph = graph.ok_or_else(|| at_entry(format!("{} is not a graph", entry.id(0))))?;
    let ty = graph.result_type().and_then(|ty| signature(module, ty));
    let (inputs, outputs) = ty.ok_or_else(|| at_entry("the graph has no graph type".into()))?;
    let interface = interface(entry);
    if interface.len() != inputs.len() + outputs.len() {
        return Err(at_entry(format!("it lists {} variables", interface.len())));
    }
    let types: Vec<Id> = inputs.iter().chain(&outputs).copied().collect();
    let body = operators::build(constants, graph.index(), given)
        .map_err(|GraphFault { inst, error }| diagnostic(OPERATORS, error.to_string(), Some(inst)))?;
    let bound = |tensor: &operators::GraphTensor, first: usize, count: usize| {
        let at = (tensor.index as usize) < count;
        let at = at.then_some(first + tensor.index as usize);
        let at = at.ok_or_else(|| at_entry(format!("the graph has no tensor {}", tensor.index)))?;
        let variable = module.global(interface[at]);
        let is_fine = variable.is_some_and(|variable| {
            variable.class == StorageClass::UniformConstant && variable.value_type == Some(types[at])
        });
        let literal = |kind| module.decoration_literal(interface[at], kind);
        match (literal(Decoration::DescriptorSet), literal(Decoration::Binding)) {
            (Some(set), Some(binding)) if is_fine => {
                Ok(BoundTensor { set, binding, element: tensor.element })
            }
            _ => {
                Err(at_entry(format!("{} is no variable of the graph's type with a binding", interface[at])))
            }
        }
    };
    let inputs_of = |tensor| bound(tensor, 0, inputs.len());
    let outputs_of = |tensor| bound(tensor, inputs.len(), outputs.len());
    let every_output = (0..outputs.len() as u32).all(|index| {
        let first = operators::GraphTensor { index, element: 0 };
        body.outputs.binary_search(&first).is_ok()
    });
    if !every_output {
        return Err(at_entry("the graph does not set all of its outputs".into()));
    }
    Ok(BoundGraph {
        inputs: body.inputs.iter().map(inputs_of).collect::<Result<_, _>>()?,
        outputs: body.outputs.iter().map(outputs_of).collect::<Result<_, _>>()?,
        graph: body.graph,
    })
}

/// A tensor type: its element, rank and shape.
fn tensor<'m>(cx: &Cx<'m>, ty: Id) -> Option<(Type<'m>, Option<Id>, Option<Id>)> {
    let ty = match cx.module.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => element,
        _ => ty,
    };
    match cx.module.ty(ty) {
        Type::Tensor { element, rank, shape } => Some((cx.module.ty(element), rank, shape)),
        _ => None,
    }
}

fn shaped_types(cx: &Cx<'_>) -> Verdict {
    let (inputs, outputs) = signature(cx.module, cx.ty).unwrap_or_default();
    for ty in inputs.into_iter().chain(outputs) {
        let is_shaped = tensor(cx, ty).is_none_or(|(.., shape)| shape.is_some());
        ensure!(is_shaped, "the graph's type has {ty}, a tensor without shape");
    }
    Ok(())
}

fn shaped_constants(cx: &Cx<'_>) -> Verdict {
    for inst in &cx.used_constants {
        let is_shaped =
            inst.result_type().and_then(|ty| tensor(cx, ty)).is_none_or(|(.., shape)| shape.is_some());
        ensure!(is_shaped, "the constant {} of the graph is a tensor without shape", inst.word(0));
    }
    Ok(())
}

/// Why a description does not fit a tensor type; nothing when it does.
fn misfit(cx: &Cx<'_>, ty: Id, description: Option<&TensorDescription>) -> Option<String> {
    let (element, rank, shape) = tensor(cx, ty)?;
    let Some(description) = description else { return Some("no VkTensorDescriptionARM is chained".into()) };
    let rank = rank.and_then(|rank| cx.constants.unsigned(rank));
    let count = description.dimensions.len();
    if rank.is_some_and(|rank| rank as usize != count) {
        return Some(format!("{count} dimensions are described, the rank is {}", rank.unwrap_or(0)));
    }
    let value = shape.and_then(|shape| cx.constants.get(shape));
    for (place, found) in description.dimensions.iter().enumerate() {
        let wanted = value.and_then(|value| cx.constants.element(value, place as u64));
        let wanted = wanted.and_then(|value| cx.constants.scalar_of(value));
        if wanted.is_some_and(|wanted| u64::try_from(*found) != Ok(wanted)) {
            return Some(format!("the dimension {place} is described as {found}, the shape has {}", wanted?));
        }
    }
    let is_fine = description.format.gives(element);
    (!is_fine)
        .then(|| format!("{:?} is described, which does not fit the elements' type", description.format))
}

fn described_constants(cx: &Cx<'_>) -> Verdict {
    for inst in &cx.used_constants {
        let Some(ty) = inst.result_type().filter(|ty| tensor(cx, *ty).is_some()) else { continue };
        let id = inst.word(0);
        let found: Vec<_> = cx.pipeline.constants.iter().filter(|constant| constant.id == id).collect();
        let [only] = found[..] else {
            return Err(format!("the constant {id} of the graph is given {} times", found.len()));
        };
        if let Some(message) = misfit(cx, ty, only.tensor.as_ref()) {
            return Err(format!("the constant {id} of the graph: {message}"));
        }
    }
    Ok(())
}

/// The tensors that the graph takes and gives: type, set and binding.
fn resources<'c>(cx: &'c Cx<'_>) -> impl Iterator<Item = (Id, u32, u32)> + 'c {
    cx.interface.iter().filter_map(|&variable| {
        let ty = cx.module.global(variable)?.value_type?;
        tensor(cx, ty)?;
        let literal = |kind| cx.module.decoration_literal(variable, kind).unwrap_or(0);
        Some((ty, literal(Decoration::DescriptorSet), literal(Decoration::Binding)))
    })
}

/// The binding of these numbers.
fn bound(layout: &[GraphBinding], set: u32, binding: u32) -> Option<&GraphBinding> {
    layout.iter().find(|found| (found.set, found.binding) == (set, binding))
}

fn bound_types(cx: &Cx<'_>) -> Verdict {
    let Some(layout) = cx.pipeline.layout else { return Ok(()) };
    for (_, set, binding) in resources(cx) {
        let found = bound(layout, set, binding);
        ensure!(
            found.is_some_and(|found| found.is_tensor),
            "the layout has no tensors at set {set}, binding {binding}"
        );
    }
    Ok(())
}

fn bound_counts(cx: &Cx<'_>) -> Verdict {
    let Some(layout) = cx.pipeline.layout else { return Ok(()) };
    for (ty, set, binding) in resources(cx) {
        let found = bound(layout, set, binding);
        let (Some(found), Some(len)) = (found, cx.constants.array_len(ty)) else { continue };
        ensure!(
            u64::from(found.count) >= len,
            "the array at set {set}, binding {binding} has {len} tensors, the layout has {}",
            found.count
        );
    }
    Ok(())
}

fn described_resources(cx: &Cx<'_>) -> Verdict {
    for (ty, set, binding) in resources(cx) {
        let found = cx.pipeline.resources.iter().filter(|found| (found.set, found.binding) == (set, binding));
        let found: Vec<_> = found.filter(|found| found.array_element == 0).collect();
        let [only] = found[..] else {
            return Err(format!("the tensor at set {set}, binding {binding} is given {} times", found.len()));
        };
        if let Some(message) = misfit(cx, ty, only.tensor.as_ref()) {
            return Err(format!("the tensor at set {set}, binding {binding}: {message}"));
        }
    }
    Ok(())
}
