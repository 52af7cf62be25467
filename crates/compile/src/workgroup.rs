//! Shaders that run in workgroups: with how many lanes, and with the loops over subgroups and workgroups in their code.

use crate::{
    CompileError, Executor, Origin, SubgroupSize, Tracer, finish_function, place_text, reborrow, width,
};
use pyro_abi::{Kernel, KernelInfo, PipelineLayout};
use pyro_ir::Function;
use pyro_lower::{LowerError, Lowered};
use pyro_passes::pipeline;
use pyro_spirv::Module;
use std::sync::Arc;

/// A checked compute, task or mesh shader.
pub(crate) struct Shader<'a> {
    pub(crate) module: &'a Module,
    pub(crate) entry_point: &'a str,
    pub(crate) layout: &'a PipelineLayout,
    pub(crate) subgroup_size: SubgroupSize,
    /// Lowers it for so many lanes.
    pub(crate) lower: &'a dyn Fn(u32) -> Result<Lowered, LowerError>,
}

impl Shader<'_> {
    /// Compiles it, showing every step to `tracer`.
    pub(crate) fn compile(
        &self,
        executor: Executor,
        mut tracer: Option<Tracer<'_>>,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        let lanes = self.subgroup_size.lanes()?;
        let is_free = self.is_free();
        let range = width::range(self.module, self.layout, executor);
        let mut lanes = if is_free { range.first } else { lanes };
        loop {
            let (function, info) = self.function(lanes, executor, None)?;
            let better = if is_free { width::for_function(&function) } else { None };
            if let Some(better) = better {
                lanes = better;
                continue;
            }
            lanes = function.lanes;
            let narrower = width::narrower(lanes, range).filter(|_| is_free);
            if let Some(better) = narrower
                && width::is_crowded(&function, executor)
            {
                lanes = better;
                continue;
            }
            let kernel = executor.make(function, info)?;
            match narrower.filter(|_| width::spills(&*kernel)) {
                Some(better) => lanes = better,
                None => {
                    if tracer.is_some() {
                        // Only what was chosen is shown.
                        let (function, info) = self.function(lanes, executor, reborrow(&mut tracer))?;
                        return executor.make_traced(function, info, &pipeline::Options::default(), tracer);
                    }
                    return Ok(kernel);
                }
            }
        }
    }

    fn is_free(&self) -> bool {
        self.subgroup_size == SubgroupSize::Default
    }

    /// The finished function with this many lanes; with fewer, where the size is free and subgroups would be partly
    /// filled.
    fn function(
        &self,
        lanes: u32,
        executor: Executor,
        tracer: Option<Tracer<'_>>,
    ) -> Result<(Function, KernelInfo), CompileError> {
        let mut lanes = lanes;
        let mut lowered = (self.lower)(lanes)?;
        let fitting = width::widest(lowered.info.invocation_count(), lanes);
        if self.is_free() && fitting < lanes {
            lanes = fitting;
            lowered = (self.lower)(lanes)?;
        }
        let info = &mut lowered.info;
        info.loops_over_workgroups = true;
        let options = pipeline::Options {
            full_subgroups: info.invocation_count().is_multiple_of(lanes),
            workgroup_loop: Some(pyro_passes::workgroup_loop::WorkgroupShape {
                subgroup_count: info.subgroup_count(),
                last_lanes: info.active_lanes(info.subgroup_count() - 1),
            }),
            promote_f16: executor.widens_halves(),
            ..pipeline::Options::default()
        };
        let Lowered { function, info, locations } = lowered;
        let place = |loc: pyro_ir::SourceLoc| place_text(self.module, *locations.get(loc.0 as usize)?);
        let origin = Origin { name: self.entry_point, place: &place };
        finish_function(function, info, Some(origin), tracer, &options)
    }
}
