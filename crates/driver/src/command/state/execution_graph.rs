//! The bind point of execution graphs, and how their nodes run and draw.

use super::bind_point::{DynamicBuffers, no_dynamic_buffers};
use super::sets::Sets;
use super::{CommandProcessor, Outcome, device_group};
use crate::execution::unsafe_engine;
use crate::pipeline::execution_graph::{GraphDispatch, GraphPipeline};
use crate::pipeline::graphics::{GraphicsPipeline, GraphicsState, SHADER_COUNT, ShaderObject};
use pyro_engine::execution_graph::NodeDraw;
use pyro_sanitizer::trace::EventKind;
use std::sync::Arc;

/// What is bound to the bind point of execution graphs.
pub(in crate::command) struct GraphState {
    pub(in crate::command) pipeline: Option<Arc<GraphPipeline>>,
    pub(in crate::command) sets: Sets,
    pub(in crate::command) dynamic: DynamicBuffers,
}

/// The state of draws, while nodes of a graph draw.
struct SavedGraphics {
    state: GraphicsState,
    pipeline: Option<Arc<GraphicsPipeline>>,
    shaders: [Option<Arc<ShaderObject>>; SHADER_COUNT],
}

impl CommandProcessor<'_> {
    /// The bind point of execution graphs.
    pub(in crate::command) fn graph(&mut self) -> &mut GraphState {
        self.graph.get_or_insert_with(|| {
            Box::new(GraphState { pipeline: None, sets: Sets::default(), dynamic: no_dynamic_buffers() })
        })
    }

    /// Runs the graph that is bound.
    pub(in crate::command) fn run_graph(&mut self, dispatch: &GraphDispatch) -> Outcome {
        let mut context = self.compute.context().clone();
        context.instrumentation = 0;
        context.device_index = device_group::first(self.devices);
        context.serial = self.device.reports().event_serial(EventKind::Graph, [1; 3]);
        self.compute.context().serial = context.serial;
        let state = self.graph();
        // Recording has reported a missing pipeline.
        let Some(pipeline) = state.pipeline.clone() else { return Outcome::Done };
        context.dynamic_buffers = state.dynamic.as_ptr() as u64;
        if state.sets.show(pipeline.layout(), &mut context.sets).is_none() {
            return self.lose();
        }
        let (engine, alive) = (self.engine(), self.alive);
        let saved = self.begin_nodes(&pipeline);
        let mut result = Ok(());
        pipeline.begin(alive.memory(), dispatch, &mut |inputs| {
            let (graph, mut draw) = (pipeline.graph(), |draws| self.draw_nodes(&pipeline, draws));
            let ran = unsafe_engine::run_graph(alive, engine, graph, &context, inputs, &mut draw);
            result = ran.map(|invocations| {
                let counted = &mut self.counters.compute_invocations;
                *counted = counted.saturating_add(invocations);
            });
            result.is_ok()
        });
        self.end_nodes(saved);
        self.outcome(result)
    }

    /// Where nodes draw, gives draws what is bound for graphs.
    fn begin_nodes(&mut self, pipeline: &GraphPipeline) -> Option<SavedGraphics> {
        if !pipeline.draws() {
            return None;
        }
        self.swap_sets();
        let rendering = &mut self.rendering;
        let shaders = std::mem::take(&mut rendering.shaders);
        Some(SavedGraphics { state: rendering.state.clone(), pipeline: rendering.pipeline.take(), shaders })
    }

    /// Runs the draws of mesh nodes.
    fn draw_nodes(
        &mut self,
        graph: &GraphPipeline,
        draws: Vec<NodeDraw>,
    ) -> Result<(), pyro_engine::DispatchError> {
        for draw in draws {
            let Some(pipeline) = graph.mesh(draw.node) else { continue };
            if self.rendering.batch.is_full() {
                self.close_draw_batch();
            }
            self.rendering.bind_pipeline(pipeline);
            self.rendering.draw_node(self.device, self.alive, draw.groups, draw.payload);
        }
        self.close_draw_batch();
        if self.device.is_lost() { Err(pyro_engine::DispatchError::Aborted) } else { Ok(()) }
    }

    fn end_nodes(&mut self, saved: Option<SavedGraphics>) {
        let Some(SavedGraphics { state, pipeline, shaders }) = saved else { return };
        self.swap_sets();
        let rendering = &mut self.rendering;
        (rendering.state, rendering.pipeline, rendering.shaders) = (state, pipeline, shaders);
        rendering.batch.changed();
    }

    /// Exchanges the sets of draws and graphs.
    fn swap_sets(&mut self) {
        self.graph();
        if let Some(graph) = &mut self.graph {
            std::mem::swap(&mut graph.sets, &mut self.rendering.sets);
            std::mem::swap(&mut *graph.dynamic, &mut *self.rendering.dynamic);
            self.rendering.dynamic_changed = true;
            self.rendering.batch.changed();
        }
    }
}
