//! Draws while a command buffer runs: collected, and handed to the engine when something else needs their
//! results.

use super::render::Rendering;
use crate::caps::limits::MAX_DYNAMIC_BUFFERS;
use crate::device::DeviceCore;
use crate::error::Error;
use crate::objects::image::ImageView;
use crate::pipeline::graphics::key;
use crate::pipeline::graphics::{Draw, DrawIndexed, DrawMesh, IndirectDraw, IndirectKind, TargetFormats};
use pyro_abi::BufferDescriptor;
use pyro_abi::graphics::{AttachmentRecord, DrawContext, MAX_VERTEX_ATTRIBUTES, Rate, StencilValues};
use pyro_compile::image_functions::Record;
use pyro_engine::graphics as engine;
use pyro_fixed::state::VertexInputState;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Draws that have not run.
#[derive(Default)]
pub(super) struct Pending {
    /// With the clears they are all that has happened since the render pass instance began.
    pub(super) whole: bool,
    /// Clears before them, in order.
    pub(super) before: Vec<engine::RegionWork>,
    /// The draws.
    pub(super) draws: Vec<engine::Draw>,
    /// The last of them has the state of the next.
    pub(super) extend: bool,
    /// It has all of the next's state but push constants and descriptors.
    pub(super) same_state: bool,
    /// Dynamic buffers that they look at.
    #[expect(clippy::vec_box, reason = "draws hold the arrays' addresses")]
    dynamics: Vec<Box<[BufferDescriptor; MAX_DYNAMIC_BUFFERS as usize]>>,
    /// Records that their code takes for what they are.
    records: Vec<Record>,
    /// Payloads that they look at.
    payloads: Vec<Box<[u8]>>,
}

/// Draws that are collected at most.
const MAX_PENDING: usize = 8192;

impl Pending {
    /// Whether it is time to run them.
    pub(super) fn is_full(&self) -> bool {
        self.draws.len() >= MAX_PENDING
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.whole = false;
        self.draws.clear();
        self.dynamics.clear();
        self.records.clear();
        self.payloads.clear();
        self.changed();
    }

    /// State has changed other than push constants and descriptors.
    pub(super) fn changed(&mut self) {
        (self.extend, self.same_state) = (false, false);
    }
}

/// Says why a draw is not done.
pub(super) fn report_dropped_draw(error: &Error) {
    if std::env::var_os("PYROCLAST_MESSAGES").is_some() {
        eprintln!("pyroclast: a draw is left out: {error}");
    }
}

fn attachment(view: Option<&Arc<ImageView>>) -> AttachmentRecord {
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

impl Rendering {
    /// Collects a draw.
    pub(super) fn draw(&mut self, device: &DeviceCore, draw: &Draw) {
        self.push(
            device,
            engine::DrawCommand {
                first: draw.first_vertex,
                count: draw.vertex_count,
                vertex_offset: 0,
                first_instance: draw.first_instance,
                instance_count: draw.instance_count,
                draw_index: draw.index,
                ..engine::DrawCommand::default()
            },
            false,
        );
    }

    /// Collects a draw with indices.
    pub(super) fn draw_indexed(&mut self, device: &DeviceCore, draw: &DrawIndexed) {
        self.push(
            device,
            engine::DrawCommand {
                first: draw.first_index,
                count: draw.index_count,
                vertex_offset: draw.vertex_offset,
                first_instance: draw.first_instance,
                instance_count: draw.instance_count,
                draw_index: draw.index,
                ..engine::DrawCommand::default()
            },
            true,
        );
    }

    /// Collects a draw of task or mesh workgroups.
    pub(super) fn draw_mesh(&mut self, device: &DeviceCore, draw: &DrawMesh) {
        let DrawMesh { groups, first, index } = *draw;
        let command =
            engine::DrawCommand { first, draw_index: index, groups, ..engine::DrawCommand::default() };
        self.push(device, command, false);
    }

    /// Collects a draw of mesh workgroups with a payload, which is kept until it has run.
    pub(super) fn draw_node(&mut self, device: &DeviceCore, groups: [u32; 3], payload: Box<[u8]>) {
        let bytes = payload.as_ptr().expose_provenance() as u64;
        let command = engine::DrawCommand {
            groups,
            payload: if payload.is_empty() { 0 } else { bytes },
            payload_bytes: payload.len() as u32,
            ..engine::DrawCommand::default()
        };
        self.pending.payloads.push(payload);
        self.push(device, command, false);
    }

    /// Collects what memory says now.
    pub(super) fn draw_indirect(&mut self, device: &DeviceCore, draw: &IndirectDraw) {
        let word = |range: &crate::objects::memory::mapped::Range, offset: u64| {
            let mut bytes = [0; 4];
            range.read(offset, &mut bytes);
            u32::from_ne_bytes(bytes)
        };
        let count = draw.count.as_ref().map_or(u32::MAX, |count| word(count, 0)).min(draw.max_count);
        for index in 0..count {
            let at = u64::from(index) * u64::from(draw.stride);
            let word = |number: u64| word(&draw.commands, at + 4 * number);
            match draw.kind {
                IndirectKind::Indices => {
                    let draw = DrawIndexed {
                        index_count: word(0),
                        instance_count: word(1),
                        first_index: word(2),
                        vertex_offset: word(3) as i32,
                        first_instance: word(4),
                        index,
                    };
                    self.draw_indexed(device, &draw);
                }
                IndirectKind::Vertices => {
                    let draw = Draw {
                        vertex_count: word(0),
                        instance_count: word(1),
                        first_vertex: word(2),
                        first_instance: word(3),
                        index,
                    };
                    self.draw(device, &draw);
                }
                IndirectKind::Mesh => {
                    let groups = [word(0), word(1), word(2)];
                    self.draw_mesh(device, &DrawMesh { groups, first: 0, index });
                }
                IndirectKind::MeshNv => {
                    self.draw_mesh(device, &DrawMesh { groups: [word(0), 1, 1], first: word(1), index });
                }
            }
        }
    }

    fn push(&mut self, device: &DeviceCore, command: engine::DrawCommand, indexed: bool) {
        let is_nothing = command.count == 0 || command.instance_count == 0;
        if is_nothing && command.groups.contains(&0) {
            return;
        }
        if self.pending.extend
            && let Some(last) = self.pending.draws.last_mut()
            && last.indices.is_some() == indexed
        {
            last.commands.push(command);
            self.capture(device);
            return;
        }
        let draw = match self.same_state_draw(command, indexed) {
            Some(draw) => Some(draw),
            None => self.prepare(command, indexed),
        };
        if let Some(mut draw) = draw {
            self.specialize(device, &mut draw);
            self.pending.draws.push(draw);
            (self.pending.extend, self.pending.same_state) = (true, true);
            self.capture(device);
        }
    }

    /// The attachments' formats.
    fn formats(&self) -> TargetFormats {
        let Some(targets) = &self.targets else { return TargetFormats::default() };
        TargetFormats {
            colors: targets.colors.iter().map(|color| format(color.as_ref())).collect(),
            depth: format(targets.depth.as_ref()),
            stencil: format(targets.stencil.as_ref()),
            view_mask: targets.view_mask,
            dither: targets.dither,
            shading_rate: targets.shading_rate.as_ref().map(|rates| rates.texels),
        }
    }

    /// A draw like the last one that waits but for push constants and descriptors, if that is what it is.
    fn same_state_draw(&mut self, command: engine::DrawCommand, indexed: bool) -> Option<engine::Draw> {
        let last = self.pending.draws.last().filter(|_| self.pending.same_state)?;
        if last.indices.is_some() != indexed {
            return None;
        }
        let (state, layout) = (Arc::clone(&last.state), self.pipeline.as_ref()?.layout());
        let sets = self.sets.addresses(layout).collect::<Option<_>>()?;
        let push_constants = &self.context.push_constants[..layout.push_constant_bytes()];
        let push_constants = SmallVec::from_slice(push_constants);
        let resources = engine::Resources { sets, dynamic_buffers: self.dynamic_buffers(), push_constants };
        Some(engine::Draw { resources: Some(resources), commands: smallvec![command], state })
    }

    /// Gives a draw the fragment function made for its descriptors, or the one that calls.
    fn specialize(&mut self, device: &DeviceCore, draw: &mut engine::Draw) {
        let (Some(pipeline), Some(programs)) = (&self.pipeline, &self.programs) else { return };
        if draw.fragment.is_none() || !programs.uses_images() {
            return;
        }
        let (width, height) = (draw.area.x1 - draw.area.x0, draw.area.y1 - draw.area.y0);
        let pixels = i64::from(width.max(0)) * i64::from(height.max(0));
        let sets = draw.resources.as_ref().map_or(&draw.context.dispatch.sets[..], |own| &own.sets);
        let keep = &mut self.pending.records;
        let specialized = pipeline.specialized(programs, device, sets, pixels as u64, keep);
        let fragment = specialized.or_else(|| programs.fragment.clone());
        let function = |fragment: &Option<engine::FragmentProgram>| {
            fragment.as_ref().map(|fragment| Arc::as_ptr(&fragment.multi_primitive).cast::<u8>())
        };
        if function(&fragment) != function(&draw.fragment) {
            draw.fragment = fragment;
        }
    }

    /// The dynamic buffers as they are: draws look at them later, when these may have changed.
    fn dynamic_buffers(&mut self) -> u64 {
        match self.pending.dynamics.last() {
            Some(last) if *last == self.dynamic => {}
            _ => self.pending.dynamics.push(self.dynamic.clone()),
        }
        self.pending.dynamics.last().map_or(0, |last| last.as_ptr() as u64)
    }

    /// A draw with the state as it is; none when there is no pipeline or nothing to draw to.
    fn prepare(&mut self, command: engine::DrawCommand, indexed: bool) -> Option<engine::Draw> {
        let (pipeline, targets) = (self.pipeline()?, self.targets.clone()?);
        let formats = self.formats();
        let programs = match pipeline.programs(&self.state, &formats, self.counting) {
            Ok(programs) => programs,
            Err(error) => {
                report_dropped_draw(&error);
                return None;
            }
        };
        self.programs = Some(Arc::clone(&programs));
        let topology = key::topology(&self.state).ok()?;
        let mut dispatch = self.context.clone();
        self.sets.show(pipeline.layout(), &mut dispatch.sets)?;
        dispatch.dynamic_buffers = self.dynamic_buffers();
        let counting = self.instrumentation.as_ref();
        dispatch.instrumentation =
            counting.map_or(0, |(object, result)| object.table(*result, pipeline.instrumented()));
        let state = &self.state;
        let extra = key::extra(state).map(Arc::new);
        let mut context = DrawContext {
            dispatch,
            attributes: [Default::default(); MAX_VERTEX_ATTRIBUTES],
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
            extra: extra.as_ref().map_or(0, |extra| (&raw const **extra).expose_provenance() as u64),
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
        let indices = indexed.then(|| {
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
        });
        let views = targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil);
        let area = targets.pixels();
        let mut depth_format = None;
        for view in views {
            depth_format = Some(view.format()).filter(|format| format.has_depth()).or(depth_format);
        }
        let count = state.viewports.len().min(state.scissors.len()).max(1);
        let viewport = |index: usize| state.viewports.get(index).copied().unwrap_or_default();
        // With no scissor set nothing is cut off; drawing so is misuse.
        let scissor = |index: usize| state.scissors.get(index).map_or(area, key::rect);
        let densities =
            targets.shading_rate.as_ref().is_some_and(|rates| rates.texels == engine::RateTexels::Densities);
        let (pipeline, combiners) = match densities {
            // A map alone says how large fragments are.
            true => (Rate::PIXEL, [engine::Combiner::Keep, engine::Combiner::Replace]),
            false => (state.fragment_size, state.rate_combiners),
        };
        let shading_rate = programs.is_coarse().then(|| engine::ShadingRate {
            pipeline,
            combiners,
            attachment: targets.shading_rate.as_ref().map(|rates| {
                let record = attachment(Some(&rates.view));
                engine::RateAttachment {
                    address: record.address,
                    row_pitch: record.row_pitch,
                    layer_pitch: if rates.view.layer_count() > 1 { record.layer_pitch } else { 0 },
                    extent: record.extent,
                    texel: rates.texel.map(u32::ilog2),
                    texels: rates.texels,
                }
            }),
        });
        // Without a geometry shader there is only stream 0.
        let is_of_no_stream =
            state.raster_stream != 0 && programs.stages.geometry.is_none() && programs.stages.mesh.is_none();
        let state = engine::DrawState {
            context,
            stages: engine::PreRasterization {
                raster_stream: state.raster_stream,
                ..programs.stages.clone()
            },
            fragment: if state.rasterizer_discard || is_of_no_stream {
                None
            } else {
                programs.fragment.clone()
            },
            topology,
            tessellation_lower_left: state.tessellation_lower_left,
            primitive_restart: state.primitive_restart,
            indices,
            raster: key::raster_state(state, depth_format),
            viewports: (0..count).map(|index| key::viewport(&viewport(index))).collect(),
            scissors: (0..count).map(scissor).collect(),
            area,
            layers: if targets.view_mask == 0 { targets.layers } else { 1 },
            view_mask: targets.view_mask,
            shading_rate,
            extra,
        };
        Some(engine::Draw { resources: None, commands: smallvec![command], state: Arc::new(state) })
    }
}
