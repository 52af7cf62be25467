//! Names of shader stages on the command line, in file names and in pipeline descriptions.

use pyro_spirv::spirv::ExecutionModel as Model;

/// Short name (also the file ending of GLSL), `VkShaderStageFlagBits` without prefix and suffix, and the
/// model.
const STAGES: [(&str, &str, Model); 15] = [
    ("cluster", "CLUSTER_CULLING", Model::ClusterCullingHUAWEI),
    ("vert", "VERTEX", Model::Vertex),
    ("tesc", "TESSELLATION_CONTROL", Model::TessellationControl),
    ("tese", "TESSELLATION_EVALUATION", Model::TessellationEvaluation),
    ("geom", "GEOMETRY", Model::Geometry),
    ("frag", "FRAGMENT", Model::Fragment),
    ("comp", "COMPUTE", Model::GLCompute),
    ("task", "TASK", Model::TaskEXT),
    ("mesh", "MESH", Model::MeshEXT),
    ("rgen", "RAYGEN", Model::RayGenerationKHR),
    ("rint", "INTERSECTION", Model::IntersectionKHR),
    ("rahit", "ANY_HIT", Model::AnyHitKHR),
    ("rchit", "CLOSEST_HIT", Model::ClosestHitKHR),
    ("rmiss", "MISS", Model::MissKHR),
    ("rcall", "CALLABLE", Model::CallableKHR),
];

/// The stage of a short or long name, in either case; `None` for what names no stage.
pub(crate) fn from_name(name: &str) -> Option<Model> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("vk_shader_stage_").unwrap_or(&name);
    let name = ["_bit", "_bit_ext", "_bit_khr", "_bit_huawei"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    let fits = |(short, long, _): &&(&str, &str, Model)| *short == name || long.to_ascii_lowercase() == name;
    STAGES.iter().find(fits).map(|(.., model)| *model)
}

/// The short name of a stage.
pub(crate) fn short_name(model: Model) -> &'static str {
    STAGES.iter().find(|(.., found)| *found == model).map_or("shader", |(short, ..)| short)
}

/// All short names, for messages.
pub(crate) fn short_names() -> String {
    STAGES.map(|(short, ..)| short).join(", ")
}

/// Where a stage stands in a pipeline: fragment shaders come after meshes too.
pub(crate) fn order(model: Model) -> usize {
    match model {
        Model::Fragment => STAGES.len(),
        _ => STAGES.iter().position(|(.., found)| *found == model).unwrap_or(STAGES.len() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for name in ["frag", "FRAGMENT", "fragment", "VK_SHADER_STAGE_FRAGMENT_BIT"] {
            assert_eq!(from_name(name), Some(Model::Fragment), "{name}");
        }
        assert_eq!(from_name("VK_SHADER_STAGE_MESH_BIT_EXT"), Some(Model::MeshEXT));
        assert!(
            order(Model::MeshEXT) < order(Model::Fragment) && order(Model::Vertex) < order(Model::Fragment)
        );
        assert_eq!(from_name("pixel"), None);
        assert_eq!(short_name(Model::RayGenerationKHR), "rgen");
    }
}
