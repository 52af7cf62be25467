//! What a command buffer's rendering commands set, and what they do, while it runs.

use super::bind_point::DynamicBuffers;
use super::draw_batch::{DrawBatch, report_dropped_draw};
use super::sets::Sets;
use super::substitute_targets::SubstituteTargets;
use super::transform_feedback::TransformFeedback;
use crate::command::render_pass::{
    ClearView, ClearWords, ResolveView, RunningRegions, Step, Targets, layer_runs,
};
use crate::command::transfer;
use crate::error::Error;
use crate::objects::device_core::DeviceCore;
use crate::objects::image::ImageView;
use crate::pipeline::graphics::{
    AttachmentLocations, GraphicsPipeline, GraphicsState, IndexBuffer, Programs, SHADER_COUNT, ShaderObject,
    StateChange, VERTEX_BINDINGS_MAX, VertexBuffer, stage_index,
};
use crate::pipeline::instrumentation::ShaderInstrumentation;
use pyro_abi::DispatchContext;
use pyro_engine::graphics::{Dropped, Rect, RegionWork};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The state of rendering.
pub(in crate::command) struct Rendering {
    /// The push constants, and what never changes.
    pub(in crate::command) context: DispatchContext,
    /// The graphics bind point's sets.
    pub(in crate::command) sets: Sets,
    /// Its dynamic buffers, where the context points.
    pub(in crate::command) dynamic: DynamicBuffers,
    /// They may be others than those of the last draw.
    pub(in crate::command) dynamic_changed: bool,
    /// Everything that draws look at.
    pub(in crate::command) state: GraphicsState,
    /// The vertex buffers by binding.
    pub(in crate::command) vertex_buffers: [VertexBuffer; VERTEX_BINDINGS_MAX],
    /// The index buffer.
    pub(in crate::command) index_buffer: Option<IndexBuffer>,
    /// The shading rate image (`vkCmdBindShadingRateImageNV`).
    pub(in crate::command) shading_rate_image: Option<Arc<ImageView>>,
    /// What draws render to.
    pub(in crate::command) targets: Option<Arc<Targets>>,
    /// The same where some are replaced while they are rendered to.
    pub(in crate::command) substitute_targets: Option<Arc<SubstituteTargets>>,
    /// What they count by region.
    pub(in crate::command) regions: Option<RunningRegions>,
    /// The physical devices that draw, by device mask.
    pub(in crate::command) devices: u32,
    /// The pipeline.
    pub(in crate::command) pipeline: Option<Arc<GraphicsPipeline>>,
    /// The shaders in the order of their stages, where shader objects are bound.
    pub(in crate::command) shaders: [Option<Arc<ShaderObject>>; SHADER_COUNT],
    /// Its code for the state of the last draw.
    pub(in crate::command) programs: Option<Arc<Programs>>,
    /// An occlusion query is under way.
    pub(in crate::command) counting: bool,
    /// One was when this secondary command buffer began.
    pub(in crate::command) inherited_counting: bool,
    /// A query of statistics is under way, or one was when this secondary command buffer began: draws run all
    /// of their fragments, seen or not.
    pub(in crate::command) has_statistics: bool,
    pub(in crate::command) inherited_statistics: bool,
    /// Draws that have not run.
    pub(in crate::command) batch: DrawBatch,
    /// Transform feedback.
    pub(in crate::command) transform_feedback: TransformFeedback,
    /// Where shaders count, and the result index of the next draw.
    pub(in crate::command) instrumentation: Option<(Arc<ShaderInstrumentation>, u32)>,
}

impl Rendering {
    /// The state that a command buffer starts with.
    pub(in crate::command) fn new(context: DispatchContext, dynamic: DynamicBuffers) -> Rendering {
        Rendering {
            context,
            sets: Sets::default(),
            dynamic,
            dynamic_changed: true,
            state: GraphicsState::default(),
            vertex_buffers: Default::default(),
            index_buffer: None,
            shading_rate_image: None,
            targets: None,
            substitute_targets: None,
            regions: None,
            devices: 1,
            pipeline: None,
            shaders: Default::default(),
            programs: None,
            counting: false,
            inherited_counting: false,
            has_statistics: false,
            inherited_statistics: false,
            batch: DrawBatch::default(),
            transform_feedback: TransformFeedback::default(),
            instrumentation: None,
        }
    }

    /// What a secondary command buffer inherits: the attachments and the queries.
    pub(in crate::command) fn inherit(&mut self, from: &Rendering) {
        self.targets.clone_from(&from.targets);
        self.substitute_targets.clone_from(&from.substitute_targets);
        self.regions.clone_from(&from.regions);
        self.counting = from.counting;
        self.inherited_counting = from.counting;
        self.has_statistics = from.has_statistics;
        self.inherited_statistics = from.has_statistics;
    }

    /// Binds a shading rate image, or none.
    pub(in crate::command) fn bind_shading_rate_image(&mut self, view: Option<&Arc<ImageView>>) {
        self.shading_rate_image = view.cloned();
        self.batch.changed();
    }

    /// Binds a pipeline.
    pub(in crate::command) fn bind_pipeline(&mut self, pipeline: &Arc<GraphicsPipeline>) {
        let newest = pipeline.newest();
        let pipeline = newest.as_ref().unwrap_or(pipeline);
        let is_bound = self.pipeline.as_ref().is_some_and(|bound| Arc::ptr_eq(bound, pipeline));
        if is_bound && self.batch.same_state {
            // The last draw had it, and no state has changed since.
            return;
        }
        self.state.overwrite(pipeline.state(), pipeline.dynamic());
        self.pipeline = Some(Arc::clone(pipeline));
        self.shaders = Default::default();
        self.batch.changed();
    }

    /// Binds a shader object, or none. A pipeline is bound no more.
    pub(in crate::command) fn bind_shader(
        &mut self,
        stage: vk::ShaderStageFlags,
        shader: Option<&Arc<ShaderObject>>,
    ) {
        let newest = shader.and_then(|shader| shader.newest());
        let shader = newest.as_ref().or(shader);
        // There are none for other stages.
        if let Some(place) = stage_index(stage) {
            self.shaders[place] = shader.cloned();
        }
        self.pipeline = None;
        // No command sets these.
        (self.state.sample_shading, self.state.min_sample_shading) = (false, 0.0);
        self.state.discard_rectangle_count = u32::MAX;
        if let Some(shader) = shader {
            shader.defaults().apply(&mut self.state);
        }
        self.batch.changed();
    }

    /// The pipeline, which is made here where shader objects are bound.
    pub(in crate::command) fn pipeline(&mut self, device: &DeviceCore) -> Option<Arc<GraphicsPipeline>> {
        if self.pipeline.is_none() {
            let first = self.shaders.iter().flatten().next()?;
            let linked = first.linked(&self.shaders);
            let report = |error: &Error| report_dropped_draw(device, error, first.name().get());
            self.pipeline = linked.inspect_err(report).ok();
        }
        self.pipeline.clone()
    }

    /// What an attachment is while it is rendered to, if it is another image.
    fn substitute(&self, view: &Arc<ImageView>) -> Option<&Arc<ImageView>> {
        self.substitute_targets.as_ref()?.of(view)
    }

    /// What is done after the draws of a subpass. Attachments without memory are left alone.
    pub(in crate::command) fn resolves(&self, step: &Step) -> Vec<RegionWork> {
        let substitute = |view| self.substitute(view).unwrap_or(view);
        let lists = step.resolves.iter().filter_map(|resolve| {
            let (source, target) = (substitute(&resolve.source), substitute(&resolve.target));
            let (source, target) = (Arc::clone(source), Arc::clone(target));
            transfer::resolve_view(&ResolveView { source, target, ..resolve.clone() }).ok()
        });
        lists.flatten().collect()
    }

    /// Which attachments nobody needs after the draws that are pending, and within which pixels.
    pub(in crate::command) fn dropped(&self, step: &Step) -> (Vec<Dropped>, Rect) {
        let Some(targets) = self.targets.as_ref().filter(|_| self.batch.whole) else {
            return Default::default();
        };
        // What is replaced is written back whole, or not at all.
        let in_rows =
            step.dropped.iter().filter(|view| !view.image().is_tiled() && self.substitute(view).is_none());
        let dropped = in_rows.map(|view| {
            let texel_bytes = view.format().block_bytes();
            Dropped { address: view.record().address, texel_bytes }
        });
        (dropped.collect(), targets.pixels())
    }

    /// Counts samples of draws if another does.
    pub(in crate::command) fn count_samples_as(&mut self, other: &Rendering) {
        if (self.counting, self.has_statistics) != (other.counting, other.has_statistics) {
            self.batch.changed();
        }
        (self.counting, self.has_statistics) = (other.counting, other.has_statistics);
    }

    /// Goes on to the next subpass as another processor has, which has filled the attachments and clears
    /// them.
    pub(in crate::command) fn set_targets(
        &mut self,
        step: &Step,
        (substitutes, regions): (Option<Arc<SubstituteTargets>>, Option<RunningRegions>),
    ) {
        self.substitute_targets = substitutes;
        self.start(&Step { targets: step.targets.clone(), continues: step.continues, ..Step::default() });
        self.regions = regions;
        self.batch.whole = false;
    }

    /// Goes on to the next subpass, whose clears come with its first draws.
    pub(in crate::command) fn begin(&mut self, device: &DeviceCore, step: &Step) {
        self.substitute_targets =
            step.targets.as_ref().and_then(|targets| SubstituteTargets::load(device, targets, true));
        self.start(step);
    }

    /// Fills what attachments are replaced by once more, after something else than draws has written them.
    pub(in crate::command) fn load_substitutes(&mut self, device: &DeviceCore) {
        if self.substitute_targets.is_some() {
            self.substitute_targets =
                self.targets.as_ref().and_then(|targets| SubstituteTargets::load(device, targets, false));
            self.batch.changed();
        }
    }

    /// Draws go to these attachments, after their clears.
    fn start(&mut self, step: &Step) {
        for clear in &step.clears {
            let work = match self.substitute(&clear.view) {
                Some(image) => transfer::clear_view(&ClearView { view: Arc::clone(image), ..clear.clone() }),
                None => transfer::clear_view(clear),
            };
            self.batch.before.extend(work);
        }
        self.batch.whole = step.targets.is_some();
        self.targets.clone_from(&step.targets);
        if step.targets.is_some() && !step.continues {
            self.state.attachment_locations = AttachmentLocations::default();
        }
        if !step.continues {
            let regions = step.targets.as_ref().and_then(|targets| targets.regions.as_ref());
            self.regions = regions.map(RunningRegions::begin);
        }
    }

    /// What draws render to, in rows of texels.
    pub(super) fn drawn_targets(&self) -> Option<&Arc<Targets>> {
        self.substitute_targets.as_ref().map(|substitutes| substitutes.targets()).or(self.targets.as_ref())
    }

    /// Changes dynamic state.
    pub(in crate::command) fn set_state(&mut self, change: &StateChange) {
        let count = self.state.scissors.len();
        self.state.set(change);
        // Binding a pipeline again brings back what it fixes.
        let is_dynamic = |pipeline: &Arc<GraphicsPipeline>| {
            let dynamic = pipeline.dynamic();
            dynamic.contains(vk::DynamicState::SCISSOR)
                || dynamic.contains(vk::DynamicState::SCISSOR_WITH_COUNT)
        };
        match change {
            // Draws may share their state all the same.
            StateChange::Scissors(..)
                if self.state.scissors.len() == count && self.pipeline.as_ref().is_some_and(is_dynamic) =>
            {
                self.batch.extend = false;
            }
            _ => self.batch.changed(),
        }
    }

    /// Binds vertex buffers.
    pub(in crate::command) fn bind_vertex_buffers(&mut self, first: u32, buffers: &[VertexBuffer]) {
        let first = first as usize;
        for (index, buffer) in buffers.iter().enumerate() {
            let (bound, stride) =
                (&mut self.vertex_buffers[first + index], &mut self.state.strides[first + index]);
            if bound == buffer && (buffer.stride.is_none() || *stride == buffer.stride) {
                continue;
            }
            *stride = buffer.stride.or(*stride);
            bound.clone_from(buffer);
            self.batch.changed();
        }
    }

    /// Binds an index buffer.
    pub(in crate::command) fn bind_index_buffer(&mut self, buffer: &IndexBuffer) {
        if self.index_buffer.as_ref() != Some(buffer) {
            self.index_buffer = Some(buffer.clone());
            self.batch.changed();
        }
    }

    /// Has another index than the greatest restart primitives.
    pub(in crate::command) fn set_restart_index(&mut self, index: u32) {
        if let Some(buffer) = &mut self.index_buffer {
            buffer.restart = Some(index);
            self.batch.changed();
        }
    }

    /// Clears of parts of the attachments.
    pub(in crate::command) fn clear_attachments(
        &self,
        clears: &[(vk::ImageAspectFlags, u32, ClearWords)],
        rects: &[vk::ClearRect],
    ) -> Vec<RegionWork> {
        let mut works = Vec::new();
        let Some(targets) = self.drawn_targets() else { return works };
        let views = if targets.view_mask == 0 { u32::MAX } else { targets.view_mask };
        let mut run = |view: &Option<Arc<ImageView>>, aspects: vk::ImageAspectFlags, value| {
            let Some(view) = view else { return };
            for rect in rects {
                // With multiview the layers are the views, whatever the rectangle says.
                let layers = if targets.view_mask == 0 {
                    [(rect.base_array_layer, rect.layer_count)].into_iter().collect()
                } else {
                    layer_runs(views, targets.layers)
                };
                for (first_layer, layer_count) in layers {
                    let area = rect.rect;
                    let view = Arc::clone(view);
                    let clear = ClearView { view, aspects, area, first_layer, layer_count, value };
                    works.extend(transfer::clear_view(&clear));
                }
            }
        };
        for &(aspects, color, value) in clears {
            if aspects.contains(vk::ImageAspectFlags::COLOR) {
                let view = targets.colors.get(color as usize).unwrap_or(&None);
                run(view, vk::ImageAspectFlags::COLOR, value);
            }
            if aspects.contains(vk::ImageAspectFlags::DEPTH) {
                run(&targets.depth, vk::ImageAspectFlags::DEPTH, value);
            }
            if aspects.contains(vk::ImageAspectFlags::STENCIL) {
                run(&targets.stencil, vk::ImageAspectFlags::STENCIL, value);
            }
        }
        works
    }
}
