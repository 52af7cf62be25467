//! A bind point of compute pipelines: what is bound there, and the dispatch to come.

use super::Outcome;
use super::device_group;
use super::sets::Sets;
use crate::caps::limits::DYNAMIC_BUFFERS_MAX;
use crate::execution::unsafe_engine::{self, CommandListAlive};
use crate::objects::device_core::DeviceCore;
use crate::pipeline::ComputePipeline;
use crate::pipeline::instrumentation::ShaderInstrumentation;
use crate::report::Severity;
use pyro_abi::{BufferDescriptor, DispatchContext};
use pyro_engine::ComputeDispatch;
use pyro_sanitizer::trace::EventKind;
use std::sync::Arc;

/// The dynamic buffers of a bind point.
pub(in crate::command) type DynamicBuffers = Box<[BufferDescriptor; DYNAMIC_BUFFERS_MAX as usize]>;

/// Null descriptors for all dynamic buffers.
pub(in crate::command) fn no_dynamic_buffers() -> DynamicBuffers {
    Box::new([BufferDescriptor::default(); DYNAMIC_BUFFERS_MAX as usize])
}

/// The workgroups of a dispatch.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::command) struct Groups {
    /// The first.
    pub(in crate::command) base: [u32; 3],
    /// How many.
    pub(in crate::command) count: [u32; 3],
    /// The render area's first pixel, of a dispatch over one.
    pub(in crate::command) area_offset: [u32; 2],
}

/// A bind point.
pub(in crate::command) struct ComputeBindPoint {
    /// The dispatch to come; its kernel is that of `pipeline`.
    dispatch: Option<ComputeDispatch>,
    context: DispatchContext,
    pipeline: Option<Arc<ComputePipeline>>,
    sets: Sets,
    /// The context has the addresses of the sets that the pipeline wants.
    sets_shown: bool,
    dynamic: DynamicBuffers,
    /// Workgroups that a thread takes at a time; 0: as many as seem best.
    pub(in crate::command) batch: u32,
}

impl ComputeBindPoint {
    /// With these push constants, and nothing bound.
    pub(in crate::command) fn new(context: DispatchContext) -> ComputeBindPoint {
        let dynamic = no_dynamic_buffers();
        ComputeBindPoint {
            dispatch: None,
            context: DispatchContext { dynamic_buffers: dynamic.as_ptr() as u64, ..context },
            pipeline: None,
            sets: Sets::default(),
            sets_shown: false,
            dynamic,
            batch: 0,
        }
    }

    /// What shaders are called with.
    pub(in crate::command) fn context(&mut self) -> &mut DispatchContext {
        match &mut self.dispatch {
            Some(dispatch) => &mut dispatch.context,
            None => &mut self.context,
        }
    }

    /// Binds a pipeline, or none. One whose code cannot be compiled is reported, and is none.
    pub(in crate::command) fn bind_pipeline(
        &mut self,
        device: &DeviceCore,
        pipeline: Option<&Arc<ComputePipeline>>,
    ) {
        self.sets_shown = false;
        let newest = pipeline.and_then(|pipeline| pipeline.newest());
        let pipeline = newest.as_ref().or(pipeline);
        let kernel = pipeline.and_then(|pipeline| match pipeline.kernel() {
            Ok(kernel) => Some(Arc::clone(kernel)),
            Err(error) => {
                let message = format!("dispatches are dropped: {error}");
                device.reporter().report(Severity::Error, &message, pipeline.name().get());
                None
            }
        });
        self.pipeline = pipeline.filter(|_| kernel.is_some()).cloned();
        let Some(kernel) = kernel else { return };
        match &mut self.dispatch {
            Some(dispatch) => dispatch.kernel = kernel,
            None => self.dispatch = Some(ComputeDispatch { kernel, context: self.context.clone() }),
        }
    }

    /// The sets, to be changed.
    pub(in crate::command) fn sets(&mut self) -> &mut Sets {
        self.sets_shown = false;
        &mut self.sets
    }

    /// The dynamic buffers.
    pub(in crate::command) fn dynamic(&mut self) -> &mut DynamicBuffers {
        &mut self.dynamic
    }

    /// The pipeline.
    pub(in crate::command) fn pipeline(&self) -> Option<&Arc<ComputePipeline>> {
        self.pipeline.as_ref()
    }

    /// Runs workgroups of the pipeline on these physical devices, for a queue. Its shader counts where
    /// `counting` says. Adds the invocations to `invocations`.
    pub(in crate::command) fn run(
        &mut self,
        device: &DeviceCore,
        alive: CommandListAlive<'_>,
        (devices, queue): (u32, u32),
        groups: Groups,
        counting: Option<&(Arc<ShaderInstrumentation>, u32)>,
        invocations: &mut u64,
    ) -> Outcome {
        // Without a pipeline there is nothing to run: recording said so.
        let (Some(dispatch), Some(pipeline)) = (&mut self.dispatch, &self.pipeline) else {
            return Outcome::Done;
        };
        if dispatch.kernel.info().shades_tiles && dispatch.context.tile_size == [0; 2] {
            let message = "a dispatch is dropped: its shader declares TileShadingQCOM, and commands do not run \
                           for each tile (VUID-RuntimeSpirv-TileShadingQCOM-10701)";
            device.reporter().report(Severity::Error, message, pipeline.name().get());
            return Outcome::Done;
        }
        if !self.sets_shown {
            if self.sets.show(pipeline.layout(), &mut dispatch.context.sets).is_none() {
                device.lose();
                return Outcome::Stopped;
            }
            self.sets_shown = true;
        }
        let Groups { base, count, area_offset } = groups;
        dispatch.context.base_workgroup = base;
        dispatch.context.num_workgroups = count;
        dispatch.context.area_offset = area_offset;
        dispatch.context.serial = device.reports().event_serial(EventKind::Dispatch, count);
        dispatch.context.instrumentation =
            counting.map_or(0, |(object, result)| object.table(*result, pipeline.instrumented()));
        let groups = count.iter().fold(1_u64, |product, &count| product.saturating_mul(count.into()));
        let these = groups.saturating_mul(dispatch.kernel.info().invocation_count().into());
        *invocations = invocations.saturating_add(these);
        (dispatch.context.shadow, dispatch.context.shadow_first) = device.reports().buffer_shadow(these);
        dispatch.context.shadow_count = these as u32;
        // Records that the code takes for what they are stay until it has run.
        let mut keep = Vec::new();
        if pipeline.uses_images() {
            let sets = &dispatch.context.sets;
            let specialized = pipeline.specialized(device, sets, these, &mut keep);
            if let Some(kernel) = specialized.or_else(|| pipeline.kernel().ok().cloned()) {
                dispatch.kernel = kernel;
            }
        }
        dispatch.context.device_index = device_group::first(devices);
        let batch = self.batch;
        let run = || {
            if devices.is_power_of_two() || !dispatch.kernel.info().uses_device_index {
                return unsafe_engine::dispatch(alive, device.engine_of(devices), dispatch, batch);
            }
            let ran = device.for_each_device(devices, false, queue, |index, engine| {
                let context = DispatchContext { device_index: index, ..dispatch.context.clone() };
                let own = ComputeDispatch { kernel: Arc::clone(&dispatch.kernel), context };
                unsafe_engine::dispatch(alive, engine, &own, batch)
            });
            ran.into_iter().collect()
        };
        match pipeline.cost().filter(|_| groups != 0).map_or_else(run, |cost| cost.measure(groups, run)) {
            Ok(()) => Outcome::Done,
            Err(pyro_engine::DispatchError::Aborted) => {
                device.lose();
                Outcome::Stopped
            }
        }
    }
}
