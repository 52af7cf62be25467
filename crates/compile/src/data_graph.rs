//! Data graphs: from a module and what a pipeline is made from to a program of tensor operators.
//!
//! Nothing of a graph is compiled to machine code; a program is built in about the time in which the module
//! is checked. What caches keep is therefore what a program is built from ([`Recipe`]), so that an
//! application that has only an identifier gets its pipeline back.

use crate::cache::{Artifact, Digest, Session, Words};
use crate::{CompileError, ShaderModule, SpecConstant, rejected, specialization_of};
use pyro_tosa::Program;
use pyro_util::codec::{ByteCodec, Reader, write_bytes};
pub use pyro_validate::data_graph::{BoundTensor, GraphBinding, TensorDescription, TensorFormat};
use pyro_validate::data_graph::{GraphConstant, GraphPipeline, GraphResource, bound_graph, check_pipeline};
use std::sync::Arc;

/// A constant of a graph, with its elements packed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Its number in the module.
    pub id: u32,
    /// What the application says that it is.
    pub tensor: Option<TensorDescription>,
    /// Its elements.
    pub bytes: Arc<[u8]>,
}

/// A tensor that a graph takes or gives, as the application describes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The element of an array.
    pub array_element: u32,
    /// What the application says that it is.
    pub tensor: Option<TensorDescription>,
    /// How it lies in memory, which pipelines are known by: `tiling`, and the strides.
    pub placement: (i32, Vec<i64>),
}

/// What a program is built from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The module's words.
    pub words: Arc<[u32]>,
    /// The graph's name.
    pub entry_point: String,
    /// Specialization constants.
    pub specialization: Vec<SpecConstant>,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Tensors.
    pub resources: Vec<Resource>,
}

/// A program, and where its tensors are bound.
pub struct DataGraph {
    /// The program.
    pub program: Program,
    /// Of its inputs, in their order.
    pub inputs: Vec<BoundTensor>,
    /// Of its outputs, in their order.
    pub outputs: Vec<BoundTensor>,
}

impl Recipe {
    /// What pipelines made from this are known by.
    pub fn digest(&self) -> Digest {
        Digest::of(self)
    }

    /// Looks for this in a cache, where it counts as found, and keeps it there.
    ///
    /// # Errors
    /// [`CompileError::Required`] when no cache has it and it has to be there; and as of [`Recipe::build`].
    pub fn build_cached(
        self,
        session: &Session<'_>,
        module: Option<&ShaderModule>,
        layout: &[GraphBinding],
    ) -> Result<DataGraph, CompileError> {
        let recipe = session.artifact(self.digest(), || Ok(Arc::new(self)))?;
        recipe.build(module, layout)
    }

    /// The recipe of this digest, if a cache has it.
    ///
    /// # Errors
    /// [`CompileError::Required`] when none has.
    pub fn find(digest: Digest, session: &Session<'_>) -> Result<Arc<Recipe>, CompileError> {
        let found: Option<Arc<Recipe>> = session.find(digest)?;
        // Whoever made the cache may have said what it likes.
        found.filter(|recipe| recipe.digest() == digest).ok_or(CompileError::Required)
    }

    /// Builds the program. `module`: that of the words, if it is decoded already; `layout`: the bindings of
    /// the pipeline layout.
    ///
    /// # Errors
    /// When the module is not valid, or does not fit what the application says of constants and tensors.
    pub fn build(
        &self,
        module: Option<&ShaderModule>,
        layout: &[GraphBinding],
    ) -> Result<DataGraph, CompileError> {
        let own;
        let module = match module {
            Some(module) => module,
            None => {
                own = ShaderModule::of_words(Words(Arc::clone(&self.words)));
                &own
            }
        };
        let checked = module.checked(&specialization_of(&self.specialization))?;
        let constants = checked.constants();
        let described: Vec<GraphConstant> = self
            .constants
            .iter()
            .map(|constant| GraphConstant { id: constant.id, tensor: constant.tensor.clone() })
            .collect();
        let resources: Vec<GraphResource> = self
            .resources
            .iter()
            .map(|resource| GraphResource {
                set: resource.set,
                binding: resource.binding,
                array_element: resource.array_element,
                tensor: resource.tensor.clone(),
            })
            .collect();
        let pipeline = GraphPipeline {
            name: &self.entry_point,
            constants: &described,
            resources: &resources,
            layout: Some(layout),
        };
        let found = check_pipeline(&constants, &pipeline).map_err(CompileError::Invalid)?;
        if !found.is_empty() {
            return Err(rejected(found));
        }
        let given =
            self.constants.iter().map(|constant| (constant.id, Arc::clone(&constant.bytes))).collect();
        let bound = bound_graph(&constants, &self.entry_point, &given)
            .map_err(|diagnostic| rejected(vec![diagnostic]))?;
        let program = Program::new(bound.graph).map_err(|error| CompileError::Invalid(error.to_string()))?;
        Ok(DataGraph { program, inputs: bound.inputs, outputs: bound.outputs })
    }
}

/// The formats of elements, in the order of their numbers in caches.
const FORMATS: [TensorFormat; 15] = [
    TensorFormat::Bool,
    TensorFormat::Signed(8),
    TensorFormat::Signed(16),
    TensorFormat::Signed(32),
    TensorFormat::Signed(64),
    TensorFormat::Unsigned(8),
    TensorFormat::Unsigned(16),
    TensorFormat::Unsigned(32),
    TensorFormat::Unsigned(64),
    TensorFormat::Float(16),
    TensorFormat::Float(32),
    TensorFormat::Float(64),
    TensorFormat::BFloat16,
    TensorFormat::Float8E4M3,
    TensorFormat::Float8E5M2,
];

fn write_tensor(tensor: Option<&TensorDescription>, out: &mut Vec<u8>) {
    let number = tensor.and_then(|tensor| FORMATS.iter().position(|&format| format == tensor.format));
    number.map_or(u32::MAX, |number| number as u32).write(out);
    tensor.map(|tensor| tensor.dimensions.clone()).unwrap_or_default().write(out);
}

fn read_tensor(reader: &mut Reader<'_>) -> Option<Option<TensorDescription>> {
    let (number, dimensions) = (reader.value::<u32>()?, reader.value::<Vec<i64>>()?);
    if number == u32::MAX {
        return Some(None);
    }
    let format = *FORMATS.get(number as usize)?;
    Some(Some(TensorDescription { dimensions, format }))
}

impl Artifact for Arc<Recipe> {
    const KIND: &'static str = "data graph";

    fn encode(&self) -> Option<Vec<u8>> {
        let Recipe { words, entry_point, specialization, constants, resources } = &**self;
        let mut out = Vec::new();
        words.to_vec().write(&mut out);
        entry_point.write(&mut out);
        (specialization.len() as u32).write(&mut out);
        for SpecConstant { id, bytes } in specialization {
            id.write(&mut out);
            write_bytes(bytes, &mut out);
        }
        (constants.len() as u32).write(&mut out);
        for Constant { id, tensor, bytes } in constants {
            id.write(&mut out);
            write_tensor(tensor.as_ref(), &mut out);
            write_bytes(bytes, &mut out);
        }
        (resources.len() as u32).write(&mut out);
        for Resource { set, binding, array_element, tensor, placement } in resources {
            [set, binding, array_element].into_iter().for_each(|number| number.write(&mut out));
            write_tensor(tensor.as_ref(), &mut out);
            placement.0.write(&mut out);
            placement.1.write(&mut out);
        }
        Some(out)
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        let words: Vec<u32> = reader.value()?;
        let entry_point = reader.value()?;
        let mut recipe = Recipe {
            words: words.into(),
            entry_point,
            specialization: Vec::new(),
            constants: Vec::new(),
            resources: Vec::new(),
        };
        for _ in 0..reader.value::<u32>()? {
            let id = reader.value()?;
            recipe.specialization.push(SpecConstant { id, bytes: reader.byte_slice()?.to_vec() });
        }
        for _ in 0..reader.value::<u32>()? {
            let id = reader.value()?;
            let tensor = read_tensor(reader)?;
            recipe.constants.push(Constant { id, tensor, bytes: reader.byte_slice()?.into() });
        }
        for _ in 0..reader.value::<u32>()? {
            let [set, binding, array_element] = [reader.value()?, reader.value()?, reader.value()?];
            let tensor = read_tensor(reader)?;
            let placement = (reader.value()?, reader.value()?);
            recipe.resources.push(Resource { set, binding, array_element, tensor, placement });
        }
        Some(Arc::new(recipe))
    }
}
