//! Names of stages, for people.

use pyro_spirv::spirv::ExecutionModel;

/// The name of a stage for users.
pub(crate) fn stage_name(model: ExecutionModel) -> &'static str {
    use ExecutionModel as M;
    match model {
        M::Vertex => "vertex",
        M::TessellationControl => "tessellation control",
        M::TessellationEvaluation => "tessellation evaluation",
        M::Geometry => "geometry",
        M::Fragment => "fragment",
        M::TaskEXT | M::TaskNV => "task",
        M::ClusterCullingHUAWEI => "cluster culling",
        M::MeshEXT | M::MeshNV => "mesh",
        M::RayGenerationKHR => "ray generation",
        M::IntersectionKHR => "intersection",
        M::AnyHitKHR => "any-hit",
        M::ClosestHitKHR => "closest-hit",
        M::MissKHR => "miss",
        M::CallableKHR => "callable",
        _ => "compute",
    }
}
