//! The engine's record of a draw from the state of rendering.

use super::draw_batch::report_dropped_draw;
use super::rendering::Rendering;
use crate::caps::limits;
use crate::command::render_pass::Targets;
use crate::command::transfer::Rotation;
use crate::objects::device_core::DeviceCore;
use crate::objects::image::ImageView;
use crate::pipeline::graphics::{
    GraphicsPipeline, GraphicsState, Programs, SampleLocations, TargetFormats, TargetSamples, key, palettes,
};
use pyro_abi::DispatchContext;
use pyro_abi::graphics::{
    AttachmentRecord, DrawContext, DrawExtra, Rate, StencilValues, VERTEX_ATTRIBUTES_MAX, sample_positions,
};
use pyro_engine::graphics as engine;
use pyro_fixed::state::VertexInputState;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vulkanalia_sys as vk;

fn attachment(view: Option<&Arc<ImageView>>) -> AttachmentRecord {
    // What is left in tiles had no memory for rows of texels, and that is reported.
    let view = view.filter(|view| !view.image().is_tiled());
    view.map_or(AttachmentRecord::default(), |view| {
        let record = view.record();
        AttachmentRecord {
            address: record.address,
            row_pitch: record.row_pitch[0],
            layer_pitch: record.layer_pitch,
            sample_pitch: record.sample_pitch,
            extent: [record.width, record.height],
            ..AttachmentRecord::default()
        }
    })
}

fn format(view: Option<&Arc<ImageView>>) -> vk::Format {
    view.map_or(vk::Format::UNDEFINED, |view| view.info().format)
}

/// Samples of a pixel; zero where there is no view.
fn samples(view: Option<&Arc<ImageView>>) -> u8 {
    view.map_or(0, |view| view.record().samples as u8)
}

/// The attachments' samples, where one has fewer than are rasterized; code depends on nothing else of them.
fn mixed_samples(targets: &Targets, rasterized: u32) -> TargetSamples {
    let depth_stencil = targets.depth.as_ref().or(targets.stencil.as_ref());
    let is_mixed = |view: &Arc<ImageView>| u32::from(samples(Some(view))) < rasterized;
    if rasterized <= 1 || !targets.colors.iter().flatten().chain(depth_stencil).any(is_mixed) {
        return TargetSamples::default();
    }
    TargetSamples {
        colors: targets.colors.iter().map(|color| samples(color.as_ref())).collect(),
        depth_stencil: samples(depth_stencil),
    }
}

/// The standard locations of so many samples where the pixel is turned back by a rotation. One at an edge of
/// the pixel, of 16 samples, stays within it.
fn turned_back_locations(samples: u32, rotation: Rotation) -> SampleLocations {
    let mut all = SampleLocations::default();
    for (to, &(x, y)) in all.0.iter_mut().zip(sample_positions(samples)) {
        let [x, y] = rotation.place([x, y].map(u32::from), [17; 2]);
        *to = (x.min(15) as u8, y.min(15) as u8);
    }
    all
}

impl Rendering {
    /// The state of draws to turned attachments, whose samples lie where they do there, if it is another one.
    fn turned_state(&self, targets: &Targets) -> Option<GraphicsState> {
        let turned = targets.turned.as_ref()?;
        if self.state.samples <= 1 || self.state.sample_locations_enable {
            return None;
        }
        Some(GraphicsState {
            sample_locations_enable: true,
            sample_locations: turned_back_locations(self.state.samples, turned.rotation),
            ..self.state.clone()
        })
    }

    /// The attachments' formats.
    fn formats(&self) -> TargetFormats {
        let Some(targets) = self.drawn_targets() else { return TargetFormats::default() };
        TargetFormats {
            colors: targets.colors.iter().map(|color| format(color.as_ref())).collect(),
            depth: format(targets.depth.as_ref()),
            stencil: format(targets.stencil.as_ref()),
            samples: mixed_samples(targets, self.state.samples),
            view_mask: targets.view_mask,
            dither: targets.dither,
            shading_rate: targets.shading_rate.as_ref().map(|rates| rates.texels),
            moves_samples: targets.turned.is_some() && self.state.samples > 1,
        }
    }

    /// A draw with the state as it is; none when there is no pipeline or nothing to draw to, or its code
    /// cannot be compiled, which is reported.
    pub(super) fn new_draw(
        &mut self,
        device: &DeviceCore,
        command: engine::DrawCommand,
        indexed: bool,
    ) -> Option<engine::Draw> {
        let (pipeline, targets) = (self.pipeline(device)?, Arc::clone(self.drawn_targets()?));
        let turned = self.turned_state(&targets);
        let state = turned.as_ref().unwrap_or(&self.state);
        let programs = match pipeline.programs(state, &self.formats(), self.counting, device) {
            Ok(programs) => programs,
            Err(error) => {
                report_dropped_draw(device, &error, pipeline.name().get());
                return None;
            }
        };
        self.programs = Some(Arc::clone(&programs));
        let topology = key::topology(&self.state).ok()?;
        let dispatch = self.dispatch_context(&pipeline)?;
        let state = turned.as_ref().unwrap_or(&self.state);
        let extra = key::extra(state).map(Arc::new);
        let context = self.draw_context(&pipeline, &programs, &targets, dispatch, extra.as_deref());
        let area = self.drawn_pixels(&targets);
        let views = targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil);
        let depth_format = views.map(|view| view.format()).rfind(|format| format.has_depth());
        let count = state.viewports.len().min(state.scissors.len()).max(1);
        let scissors = self.scissors(count, area);
        let viewport = |index: usize| state.viewports.get(index).copied().unwrap_or_default();
        let shading_rate = self.shading_rate(&programs, &targets);
        // Without a geometry shader there is only stream 0.
        let is_of_no_stream =
            state.raster_stream != 0 && programs.stages.geometry.is_none() && programs.stages.mesh.is_none();
        let outputs = &programs.stages.outputs;
        let names_viewports = outputs.viewport_index.is_some()
            || outputs.viewport_mask.is_some()
            || programs.stages.mesh.as_ref().is_some_and(engine::MeshProgram::names_viewports);
        let per_view_viewports =
            targets.view_mask != 0 && !names_viewports && device.per_view_viewports.load(Ordering::Relaxed);
        let rasterizes = !state.rasterizer_discard && !is_of_no_stream;
        let mut fragment = programs.fragment.clone().filter(|_| rasterizes);
        if let Some(fragment) = &mut fragment {
            fragment.only_colors &= !self.has_statistics;
        }
        let mut raster = key::raster_state(state, depth_format);
        let is_default = state.line_mode == vk::LineRasterizationMode::DEFAULT;
        if is_default && device.relaxed_lines.load(Ordering::Relaxed) {
            raster.line_mode = engine::LineMode::Bresenham;
        }
        let state = engine::DrawState {
            context,
            stages: engine::PreRasterization {
                raster_stream: state.raster_stream,
                ..programs.stages.clone()
            },
            fragment,
            topology,
            tessellation_lower_left: state.tessellation_lower_left,
            primitive_restart: state.primitive_restart,
            indices: indexed.then(|| self.indices()),
            raster,
            viewports: (0..count).map(|index| key::viewport(&viewport(index))).collect(),
            area,
            layers: if targets.view_mask == 0 { targets.layers } else { 1 },
            view_mask: targets.view_mask,
            per_view_viewports,
            shading_rate,
            extra,
            counters: self.regions.as_ref().map(|regions| Arc::clone(&regions.values)),
        };
        Some(engine::Draw { resources: None, commands: smallvec![command], scissors, state: Arc::new(state) })
    }

    /// The pixels that may be drawn: those of one physical device where that is the only one.
    fn drawn_pixels(&self, targets: &Targets) -> engine::Rect {
        match self.devices.is_power_of_two() {
            true => targets.device_pixels(self.devices.trailing_zeros()),
            false => targets.pixels(),
        }
    }

    /// The first so many scissors. With none set nothing of the area is cut off; drawing so is misuse.
    pub(super) fn scissors(&self, count: usize, area: engine::Rect) -> SmallVec<[engine::Rect; 1]> {
        let scissors = &self.state.scissors;
        (0..count).map(|index| scissors.get(index).map_or(area, key::rect)).collect()
    }

    /// What all shaders of a draw read: sets, dynamic buffers, push constants, counters.
    fn dispatch_context(&mut self, pipeline: &GraphicsPipeline) -> Option<DispatchContext> {
        let mut dispatch = self.context.clone();
        self.sets.show(pipeline.layout(), &mut dispatch.sets)?;
        dispatch.dynamic_buffers = self.dynamic_buffers();
        let counting = self.instrumentation.as_ref();
        dispatch.instrumentation =
            counting.map_or(0, |(object, result)| object.table(*result, pipeline.instrumented()));
        Some(dispatch)
    }

    /// Where the sizes of fragments come from; none where all are of one pixel.
    fn shading_rate(&self, programs: &Programs, targets: &Targets) -> Option<engine::ShadingRate> {
        let state = &self.state;
        let by_image = state.shading_rate_image_enable && (programs.is_coarse() || programs.is_per_sample());
        if !by_image {
            return programs.is_coarse().then(|| shading_rate(state, targets));
        }
        let attachment = self.shading_rate_image.as_ref().map(|view| {
            let texel = limits::SHADING_RATE_IMAGE_TEXEL.ilog2();
            rate_attachment(view, [texel; 2], engine::RateTexels::PaletteIndices, true)
        });
        Some(engine::ShadingRate {
            attachment,
            palettes: Some(Arc::new(palettes(state))),
            per_sample: programs.is_per_sample(),
            ..engine::ShadingRate::default()
        })
    }

    /// The record that the functions of a draw read.
    fn draw_context(
        &self,
        pipeline: &GraphicsPipeline,
        programs: &Programs,
        targets: &Targets,
        dispatch: DispatchContext,
        extra: Option<&DrawExtra>,
    ) -> DrawContext {
        let state = &self.state;
        let mut context = DrawContext {
            dispatch,
            attributes: [Default::default(); VERTEX_ATTRIBUTES_MAX],
            colors: Default::default(),
            depth_stencil: attachment(targets.depth.as_ref().or(targets.stencil.as_ref())),
            stencil: [0, 1].map(|index: usize| StencilValues {
                reference: state.stencil[index].reference,
                compare_mask: state.stencil[index].compare_mask,
                write_mask: state.stencil[index].write_mask,
                reserved: 0,
            }),
            blend_constants: state.blend_constants,
            depth_bounds: state.depth_bounds,
            sample_mask: state.sample_mask[0],
            view_mask: targets.view_mask,
            extra: extra.map_or(0, |extra| (&raw const *extra).expose_provenance() as u64),
        };
        for (to, attribute) in context.attributes.iter_mut().zip(&programs.vertex_input.attributes) {
            let buffer = self.vertex_buffers.get(attribute.binding as usize);
            *to = VertexInputState::record(attribute, key::vertex_buffer(state, attribute.binding, buffer));
        }
        for (index, color) in targets.colors.iter().enumerate() {
            if let Some(location) = pipeline.locations(state).location(index) {
                context.colors[location] = attachment(color.as_ref());
            }
        }
        context
    }

    /// The index buffer; all indices are zero where none is bound.
    fn indices(&self) -> engine::IndexBuffer {
        let buffer = self.index_buffer.as_ref();
        let range = buffer.and_then(|buffer| buffer.range.as_ref());
        engine::IndexBuffer {
            address: range.map_or(0, |range| range.address()),
            size: range.map_or(0, |range| range.size()),
            kind: match buffer.map(|buffer| buffer.index_bytes) {
                Some(1) => engine::IndexType::Uint8,
                Some(2) => engine::IndexType::Uint16,
                _ => engine::IndexType::Uint32,
            },
            restart: buffer.and_then(|buffer| buffer.restart),
        }
    }
}

/// Where the sizes of fragments come from.
fn shading_rate(state: &GraphicsState, targets: &Targets) -> engine::ShadingRate {
    let densities =
        targets.shading_rate.as_ref().is_some_and(|rates| rates.texels == engine::RateTexels::Densities);
    let (pipeline, combiners) = match densities {
        // A map alone says how large fragments are.
        true => (Rate::PIXEL, [engine::Combiner::Keep, engine::Combiner::Replace]),
        false => (state.fragment_size, state.rate_combiners),
    };
    engine::ShadingRate {
        pipeline,
        combiners,
        attachment: targets.shading_rate.as_ref().map(|rates| {
            let by_layer = !densities || targets.view_mask != 0 || rates.is_layered;
            let texel = rates.texel.map(u32::ilog2);
            let attachment = rate_attachment(&rates.view, texel, rates.texels, by_layer);
            engine::RateAttachment { offsets: rates.offsets(), ..attachment }
        }),
        ..engine::ShadingRate::default()
    }
}

/// A view as the engine reads rates from it. `texel`: logarithms of the pixels that one stands for.
/// `by_layer`: layers have their own, where the view has several.
fn rate_attachment(
    view: &Arc<ImageView>,
    texel: [u32; 2],
    texels: engine::RateTexels,
    by_layer: bool,
) -> engine::RateAttachment {
    let record = attachment(Some(view));
    engine::RateAttachment {
        address: record.address,
        row_pitch: record.row_pitch,
        layer_pitch: if by_layer && view.layer_count() > 1 { record.layer_pitch } else { 0 },
        extent: record.extent,
        texel,
        texels,
        offsets: Arc::default(),
    }
}
