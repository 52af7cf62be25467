//! Sets of pipelines or shader objects that generated commands choose from (`VkIndirectExecutionSetEXT`).

use super::graphics::{GraphicsPipeline, ShaderObject};
use super::raytrace::RayPipeline;
use super::{ComputePipeline, Pipeline, PipelineKind};
use crate::caps::limits::EXECUTION_SET_COUNT_MAX;
use crate::error::{Error, Result};
use crate::primitives::Mutex;
use std::sync::Arc;

/// What sequences may choose.
#[derive(Clone)]
pub(crate) enum Choice {
    Compute(Arc<ComputePipeline>),
    Graphics(Arc<GraphicsPipeline>),
    Rays(Arc<RayPipeline>),
    Shader(Arc<ShaderObject>),
}

impl Choice {
    fn pipeline(pipeline: &Pipeline) -> Result<Choice> {
        match &pipeline.kind {
            PipelineKind::Compute(pipeline) => Ok(Choice::Compute(Arc::clone(pipeline))),
            PipelineKind::Graphics(pipeline) => Ok(Choice::Graphics(Arc::clone(pipeline))),
            PipelineKind::RayTracing(pipeline) if !pipeline.is_library() => {
                Ok(Choice::Rays(Arc::clone(pipeline)))
            }
            _ => Err(Error::misuse("an execution set holds pipelines for compute, graphics or ray tracing")),
        }
    }
}

/// The places of a set as they were at one time.
#[derive(Clone)]
pub(crate) struct Choices(Arc<Vec<Option<Choice>>>);

impl Choices {
    /// One place.
    pub(crate) fn one(choice: Choice) -> Choices {
        Choices(Arc::new(vec![Some(choice)]))
    }

    /// What is in a place.
    pub(crate) fn get(&self, place: usize) -> Option<&Choice> {
        self.0.get(place)?.as_ref()
    }

    /// Whether both are the same moment's.
    pub(crate) fn is_same(&self, other: &Choices) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A `VkIndirectExecutionSetEXT`.
pub struct IndirectExecutionSet {
    places: Mutex<Choices>,
}

impl IndirectExecutionSet {
    fn new(count: u32, first: impl Iterator<Item = Result<Choice>>) -> Result<IndirectExecutionSet> {
        let first = first.collect::<Result<Vec<_>>>()?;
        if count > EXECUTION_SET_COUNT_MAX || first.len() > count as usize || first.is_empty() {
            return Err(Error::misuse(format!(
                "an execution set has 1 to {EXECUTION_SET_COUNT_MAX} places, of which some are filled; this one has \
                 {count}, and {} are filled",
                first.len()
            )));
        }
        let mut places: Vec<_> = first.into_iter().map(Some).collect();
        places.resize(count as usize, None);
        Ok(IndirectExecutionSet { places: Mutex::new(Choices(Arc::new(places))) })
    }

    /// A set of so many pipelines, the first of which is this one.
    ///
    /// # Errors
    /// When it is not of a kind that generated commands use, or there are too many.
    pub fn of_pipelines(initial: &Pipeline, count: u32) -> Result<IndirectExecutionSet> {
        IndirectExecutionSet::new(count, [Choice::pipeline(initial)].into_iter())
    }

    /// A set of so many shader objects, the first of which are these.
    ///
    /// # Errors
    /// When there are too many.
    pub fn of_shaders(initial: Vec<Arc<ShaderObject>>, count: u32) -> Result<IndirectExecutionSet> {
        IndirectExecutionSet::new(count, initial.into_iter().map(|shader| Ok(Choice::Shader(shader))))
    }

    /// Puts pipelines in places.
    ///
    /// # Errors
    /// When there is no such place, or the pipeline is of another kind than those of the set.
    pub fn put_pipelines(&self, writes: impl Iterator<Item = Result<(u32, Arc<Pipeline>)>>) -> Result<()> {
        self.put(writes.map(|write| write.and_then(|(index, one)| Ok((index, Choice::pipeline(&one)?)))))
    }

    /// Puts shader objects in places.
    ///
    /// # Errors
    /// When there is no such place, or the set is one of pipelines.
    pub fn put_shaders(&self, writes: impl Iterator<Item = Result<(u32, Arc<ShaderObject>)>>) -> Result<()> {
        self.put(writes.map(|write| write.map(|(index, shader)| (index, Choice::Shader(shader)))))
    }

    fn put(&self, writes: impl Iterator<Item = Result<(u32, Choice)>>) -> Result<()> {
        let writes = writes.collect::<Result<Vec<_>>>()?;
        let mut places = self.places.lock();
        // A command buffer that runs keeps what was there.
        let places = Arc::make_mut(&mut places.0);
        for (index, choice) in writes {
            let kind = places[0].as_ref().map(std::mem::discriminant);
            let place = places.get_mut(index as usize).ok_or_else(|| {
                Error::misuse(format!(
                    "place {index} of an execution set does not exist \
                     (VUID-VkWriteIndirectExecutionSetPipelineEXT-index-11026)"
                ))
            })?;
            if kind != Some(std::mem::discriminant(&choice)) {
                return Err(Error::misuse("an execution set holds one kind of pipelines, or shader objects"));
            }
            *place = Some(choice);
        }
        Ok(())
    }

    pub(crate) fn choices(&self) -> Choices {
        self.places.lock().clone()
    }
}
