//! Shaders declare what cases of all kinds may use; drivers and layers that lack some of it get what each
//! shader uses.

/// A capability, the extension that it comes with, and texts one of which a shader has that uses it.
const USES: [(&str, &str, &[&str]); 16] = [
    ("Int64", "", &["OpTypeInt 64"]),
    ("Float64", "", &["OpTypeFloat 64"]),
    ("ImageQuery", "", &["OpImageQuery"]),
    ("GroupNonUniform", "", &["OpGroupNonUniform", "BuiltIn Subgroup"]),
    ("GroupNonUniformBallot", "", &["OpGroupNonUniformBallot", "OpGroupNonUniformBroadcast"]),
    ("GroupNonUniformShuffle", "", &["OpGroupNonUniformShuffle "]),
    ("GroupNonUniformShuffleRelative", "", &["ShuffleUp", "ShuffleDown"]),
    ("GroupNonUniformQuad", "", &["OpGroupNonUniformQuad"]),
    ("DerivativeControl", "", &["Fine", "Coarse"]),
    ("SampledBuffer", "", &[" Buffer "]),
    ("ExpectAssumeKHR", "SPV_KHR_expect_assume", &["OpAssumeTrueKHR", "OpExpectKHR"]),
    ("Tessellation", "", &["OpEntryPoint Tessellation"]),
    ("Geometry", "", &["OpEntryPoint Geometry"]),
    ("MeshShadingEXT", "SPV_EXT_mesh_shader", &["OpEntryPoint TaskEXT", "OpEntryPoint MeshEXT"]),
    (
        "RayTracingKHR",
        "SPV_KHR_ray_tracing",
        &["GenerationKHR", "MissKHR", "HitKHR", "IntersectionKHR", "CallableKHR"],
    ),
    ("StorageBufferStorageClass", "SPV_KHR_storage_buffer_storage_class", &["StorageBuffer"]),
];

/// A shader without the capabilities and extensions that it does not use, of SPIR-V 1.3 where that is enough.
pub(crate) fn used(text: &str) -> String {
    let is_kept = |line: &&str| {
        let line = line.trim();
        let name = line.strip_prefix("OpCapability ").or_else(|| line.strip_prefix("OpExtension "));
        let Some(name) = name.map(|name| name.trim_matches('"')) else { return true };
        let known = USES.iter().find(|known| known.0 == name || known.1 == name);
        known.is_none_or(|(_, _, uses)| uses.iter().any(|&it| text.lines().any(|line| uses_it(line, it))))
    };
    let text: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    // Entry points of SPIR-V 1.4 and later list all variables, those of the corpus what is in and out.
    let needs_more =
        ["MeshShadingEXT", "RayTracingKHR", "PhysicalStorageBufferAddresses", "ShaderEnqueueAMDX"];
    let is_new = needs_more.iter().any(|name| text.contains(name));
    if is_new { text } else { format!("; Version: 1.3\n{text}") }
}

/// Whether a line that declares neither a capability nor an extension has a text.
fn uses_it(line: &str, text: &str) -> bool {
    let line = line.trim();
    !line.starts_with("OpCapability") && !line.starts_with("OpExtension") && line.contains(text)
}
