//! How broken rules are mended, where that is known.

/// Rules and what usually mends them.
const HINTS: &[(&str, &str)] = &[
    ("Capabilities", "declare the capability with OpCapability, or let the compiler of the shader do so"),
    (
        "VUID-StandaloneSpirv-Flat-04744",
        "add `flat` (WGSL: `@interpolate(flat)`) to the input, and to the output that it comes from",
    ),
    (
        "VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128",
        "compilers of GLSL, HLSL and WGSL leave the capability out, and devices with the feature do not mind",
    ),
    ("VUID-StandaloneSpirv-Location-04917", "give the variable a layout(location = …)"),
    ("VUID-StandaloneSpirv-Location-04919", "give each member, or the block, a layout(location = …)"),
    ("VUID-StandaloneSpirv-UniformConstant-06677", "give the resource layout(set = …, binding = …)"),
    (
        "VUID-StandaloneSpirv-None-10684",
        "change the member's offset, or enable relaxed, scalar or uniform-standard block layout where the device has it",
    ),
    (
        "VUID-StandaloneSpirv-OpEntryPoint-08721",
        "give the variables locations or components that do not meet",
    ),
    (
        "VUID-StandaloneSpirv-OpEntryPoint-08722",
        "give the variables locations or components that do not meet",
    ),
    ("VUID-StandaloneSpirv-None-10685", "say layout(local_size_x = …) in;"),
    ("VUID-StandaloneSpirv-MemorySemantics-10866", "use AcquireRelease instead"),
    ("VUID-StandaloneSpirv-MemorySemantics-10870", "say which memory is meant, such as UniformMemory"),
    ("VUID-StandaloneSpirv-OpImageGather-04664", "gather from a constant component"),
    ("VUID-FragDepth-FragDepth-04216", "declare DepthReplacing: compilers do when gl_FragDepth is written"),
    (
        "VUID-RuntimeSpirv-OpEntryPoint-08743",
        "write an output at this location and component in the stage before, or take the input away",
    ),
    (
        "VUID-RuntimeSpirv-OpEntryPoint-07754",
        "give the output and the input the same component type; integers and floats do not convert",
    ),
    (
        "VUID-RuntimeSpirv-maintenance4-06817",
        "read as many components as are written, or enable maintenance4",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-layout-07988",
        "add the binding to the descriptor set layout, with the stage in its stageFlags",
    ),
    (
        "VUID-VkComputePipelineCreateInfo-layout-07988",
        "add the binding to the descriptor set layout, with the stage in its stageFlags",
    ),
    ("VUID-VkGraphicsPipelineCreateInfo-Input-07904", "add a vertex attribute for the location"),
    (
        "VUID-VkGraphicsPipelineCreateInfo-Input-08733",
        "use a format of the shader's kind of numbers, such as UINT for uint inputs",
    ),
    (
        "VUID-VkShaderModuleCreateInfo-pCode-08740",
        "enable one of the features or extensions named, or do without the capability",
    ),
    ("VUID-RuntimeSpirv-x-06432", "make the workgroup smaller"),
    ("VUID-StandaloneSpirv-None-04634", "replace the recursion by a loop"),
];

/// What usually mends a broken rule, where that is known.
pub fn hint(rule: &str) -> Option<&'static str> {
    HINTS.iter().find(|(found, _)| *found == rule).map(|(_, hint)| *hint)
}
