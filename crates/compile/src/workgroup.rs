//! Shaders that run in workgroups: with how many lanes, and with the loops over subgroups and workgroups in
//! their code.

use crate::{
    Backend, CompileError, Finished, Origin, SubgroupSize, Tracer, finish_function, place_text, reborrow,
    simd_width,
};
use pyro_abi::Kernel;
use pyro_lower::{Lowered, Shader, StageRequest};
use pyro_passes::pipeline;
use pyro_spirv::spirv::ExecutionModel;
use std::sync::Arc;

/// Compiles a shader for a stage that runs in workgroups, showing every step to `tracer`. `lowered`: what
/// [`lower`] gave for the same, if it was called.
pub(crate) fn compile(
    shader: &Shader<'_>,
    stage: StageRequest<'_>,
    subgroup_size: SubgroupSize,
    backend: Backend,
    lowered: Option<Lowered>,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    Workgroups::new(shader, stage, subgroup_size, backend)?.compile(backend, lowered, tracer)
}

/// Lowers a shader for a stage that runs in workgroups, with the number of lanes that [`compile`] tries
/// first.
pub(crate) fn lower(
    shader: &Shader<'_>,
    stage: StageRequest<'_>,
    subgroup_size: SubgroupSize,
    backend: Backend,
) -> Result<Lowered, CompileError> {
    let workgroups = Workgroups::new(shader, stage, subgroup_size, backend)?;
    workgroups.lowered(workgroups.first_lanes)
}

/// A compute, task or mesh shader.
struct Workgroups<'a> {
    shader: &'a Shader<'a>,
    stage: StageRequest<'a>,
    /// The number of lanes that is tried first.
    first_lanes: u32,
    /// The lanes that it may run with, where it is free to have any.
    range: Option<simd_width::Range>,
}

impl<'a> Workgroups<'a> {
    fn new(
        shader: &'a Shader<'a>,
        stage: StageRequest<'a>,
        subgroup_size: SubgroupSize,
        backend: Backend,
    ) -> Result<Workgroups<'a>, CompileError> {
        let Shader { checked, entry_point, layout, .. } = *shader;
        let is_fixed = matches!(subgroup_size, SubgroupSize::Required(_)) || layout.options.fixed_lanes;
        let lanes = subgroup_size.lanes()?;
        if is_fixed {
            return Ok(Workgroups { shader, stage, first_lanes: lanes, range: None });
        }
        // Only shaders for computing gain from the shape.
        let entry = checked.entry_point(entry_point, ExecutionModel::GLCompute);
        let constants = entry.and_then(|entry| checked.constants_for(entry.function, 0).ok());
        let workgroup = constants.and_then(|constants| constants.workgroup_size());
        let range = simd_width::range(checked, layout, workgroup, backend);
        Ok(Workgroups { shader, stage, first_lanes: range.map_or(lanes, |range| range.first), range })
    }

    /// Compiles it with the number of lanes that suits it, where it is free to have any.
    fn compile(
        &self,
        backend: Backend,
        mut lowered: Option<Lowered>,
        mut tracer: Option<Tracer<'_>>,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        let mut lanes = self.first_lanes;
        loop {
            let lowered = lowered.take().map_or_else(|| self.lowered(lanes), Ok)?;
            let Finished { function, info, is_unrolled } = self.function(lowered, backend, None)?;
            let better = self.range.and_then(|_| simd_width::for_function(&function, backend));
            if let Some(better) = better {
                lanes = better;
                continue;
            }
            lanes = function.lanes;
            // Values of all subgroups live at once where these are unrolled; fewer lanes are more subgroups.
            let range = self.range.filter(|_| !is_unrolled);
            let narrower = range.and_then(|range| simd_width::narrower(lanes, range));
            if let Some(better) = narrower
                && simd_width::is_crowded(&function, backend)
            {
                lanes = better;
                continue;
            }
            let accepted = simd_width::instructions_per_spill(&function, backend);
            let kernel = backend.make(function, info)?;
            match narrower.filter(|_| simd_width::spills(&*kernel, accepted)) {
                Some(better) => lanes = better,
                None => {
                    if tracer.is_some() {
                        // Only what was chosen is shown.
                        let lowered = self.lowered(lanes)?;
                        let Finished { function, info, .. } =
                            self.function(lowered, backend, reborrow(&mut tracer))?;
                        return backend.make_traced(function, info, &pipeline::Options::default(), tracer);
                    }
                    return Ok(kernel);
                }
            }
        }
    }

    /// The lowered function with this many lanes; with fewer, where the size is free and subgroups would be
    /// partly filled.
    fn lowered(&self, lanes: u32) -> Result<Lowered, CompileError> {
        let lowered = pyro_lower::lower(self.shader, lanes, &self.stage)?;
        let fitting = simd_width::widest(lowered.info.invocation_count(), lanes);
        if self.range.is_some() && fitting < lanes {
            return Ok(pyro_lower::lower(self.shader, fitting, &self.stage)?);
        }
        Ok(lowered)
    }

    /// The finished function.
    fn function(
        &self,
        mut lowered: Lowered,
        backend: Backend,
        tracer: Option<Tracer<'_>>,
    ) -> Result<Finished, CompileError> {
        let lanes = lowered.function.lanes;
        let info = &mut lowered.info;
        info.loops_over_workgroups = true;
        let options = pipeline::Options {
            full_subgroups: info.invocation_count().is_multiple_of(lanes),
            workgroup_loop: Some(pyro_passes::workgroup_loop::WorkgroupShape {
                subgroup_count: info.subgroup_count(),
                last_lanes: info.active_lanes(info.subgroup_count() - 1),
            }),
            ..backend.pass_options()
        };
        let Lowered { function, info, locations, .. } = lowered;
        let place = |loc: pyro_ir::SourceLoc| place_text(self.shader.checked, locations.source(loc));
        let origin = Origin { name: self.shader.entry_point, place: &place };
        finish_function(function, info, Some(origin), tracer, &options)
    }
}
