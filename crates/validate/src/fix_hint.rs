//! Hints for users: how a broken rule is usually fixed. Must not know the checks themselves; a rule without a
//! hint is fine.

const LEFT_OUT: &str =
    "compilers of GLSL, HLSL and WGSL leave the capability out, and devices with the feature do not mind";
const NON_UNIFORM: &str = "mark the index: nonuniformEXT(index) with GL_EXT_nonuniform_qualifier, NonUniformResourceIndex(index) in HLSL";
const WRITE_FIRST: &str = "write a value that holds where no other is written at the start of the shader";

/// Rules, and what usually fixes them.
const HINTS: &[(&str, &str)] = &[
    ("Capabilities", "declare the capability with OpCapability, or let the compiler of the shader do so"),
    (
        "VUID-StandaloneSpirv-Flat-04744",
        "add `flat` (WGSL: `@interpolate(flat)`) to the input, and to the output that it comes from",
    ),
    ("VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128", LEFT_OUT),
    ("VUID-StandaloneSpirv-UniformBufferArrayDynamicIndexing-10127", LEFT_OUT),
    ("VUID-StandaloneSpirv-StorageBufferArrayDynamicIndexing-10129", LEFT_OUT),
    ("VUID-StandaloneSpirv-StorageImageArrayDynamicIndexing-10130", LEFT_OUT),
    ("VUID-StandaloneSpirv-InputAttachmentArrayDynamicIndexing-10131", LEFT_OUT),
    ("VUID-StandaloneSpirv-UniformTexelBufferArrayDynamicIndexing-10132", LEFT_OUT),
    ("VUID-StandaloneSpirv-StorageTexelBufferArrayDynamicIndexing-10133", LEFT_OUT),
    ("VUID-RuntimeSpirv-UniformBufferArrayNonUniformIndexing-10134", NON_UNIFORM),
    ("VUID-RuntimeSpirv-SampledImageArrayNonUniformIndexing-10135", NON_UNIFORM),
    ("VUID-RuntimeSpirv-StorageBufferArrayNonUniformIndexing-10136", NON_UNIFORM),
    ("VUID-RuntimeSpirv-StorageImageArrayNonUniformIndexing-10137", NON_UNIFORM),
    ("VUID-RuntimeSpirv-UniformTexelBufferArrayNonUniformIndexing-10139", NON_UNIFORM),
    ("VUID-RuntimeSpirv-StorageTexelBufferArrayNonUniformIndexing-10140", NON_UNIFORM),
    ("VUID-RuntimeSpirv-subgroupSize-10149", NON_UNIFORM),
    ("VUID-RuntimeSpirv-None-10148", NON_UNIFORM),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-06685", WRITE_FIRST),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-06686", WRITE_FIRST),
    ("VUID-RuntimeSpirv-maintenance5-09190", WRITE_FIRST),
    ("VUID-RuntimeSpirv-maintenance5-10934", WRITE_FIRST),
    (
        "VUID-RuntimeSpirv-OpEntryPoint-08727",
        "give each input attachment an input_attachment_index of its own",
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
        "declare both with the same component type (integers and floats do not convert) and component, and write at least \
         as many components as are read",
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
    ("Offset and Stride Assignment", "make the block smaller, or end it with an array without length"),
    ("VUID-RuntimeSpirv-x-06432", "make the workgroup smaller"),
    ("Recursion", "replace the recursion by a loop"),
    ("Extensions", "declare the extension with OpExtension, or compile for a newer SPIR-V version"),
    (
        "VUID-VkShaderModuleCreateInfo-pCode-08737",
        "compile for an older version, as with glslangValidator --target-env or dxc -fspv-target-env",
    ),
    ("VUID-VkShaderModuleCreateInfo-pCode-08742", "enable the device extension or version that brings it"),
    (
        "VUID-VkPipelineShaderStageCreateInfo-pName-00707",
        "name an entry point that the module has for this stage; `pyroclast reflect` lists them",
    ),
    (
        "VUID-RuntimeSpirv-OpVariable-08746",
        "decorate output and input alike: Patch, PerPrimitiveEXT and, between libraries compiled apart, interpolation",
    ),
    ("VUID-RuntimeSpirv-x-06429", "make the workgroup narrower, or ask for a device with a larger limit"),
    ("VUID-RuntimeSpirv-y-06430", "make the workgroup narrower, or ask for a device with a larger limit"),
    ("VUID-RuntimeSpirv-z-06431", "make the workgroup narrower, or ask for a device with a larger limit"),
    (
        "VUID-RuntimeSpirv-Workgroup-06530",
        "shared variables need less memory: fewer elements, or smaller ones",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-layout-07990",
        "the binding's descriptorType must be that of the shader's variable",
    ),
    (
        "VUID-VkComputePipelineCreateInfo-layout-07990",
        "the binding's descriptorType must be that of the shader's variable",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-layout-10069",
        "make the range of push constants cover the block, for this stage",
    ),
    (
        "VUID-VkComputePipelineCreateInfo-layout-10069",
        "make the range of push constants cover the block, for this stage",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-layout-07987",
        "add a range of push constants to the pipeline layout",
    ),
    ("VUID-VkComputePipelineCreateInfo-layout-07987", "add a range of push constants to the pipeline layout"),
    (
        "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680",
        "only the last member of a storage block is without size",
    ),
    ("VUID-StandaloneSpirv-OpTypeImage-06924", "images in Vulkan are sampled (1) or storage (2)"),
    ("VUID-StandaloneSpirv-Flat-06202", "vertex attributes are not interpolated: drop the qualifier"),
    ("VUID-StandaloneSpirv-Flat-06201", "fragment outputs are not interpolated: drop the qualifier"),
    (
        "Structured control flow",
        "jumps may leave a construct only to its merge block, or to those of the loop or switch around it",
    ),
    ("Definitions must dominate uses", "define the value before both paths part, or choose it with OpPhi"),
    ("OpPhi", "name each block that branches here once, with a value of the phi's type"),
    ("OpStore", "convert the value to the type that the pointer is to"),
    ("OpLoad", "load the type that the pointer is to; parts of it through OpAccessChain"),
];

/// What usually fixes a broken rule; none for rules without a hint.
pub fn fix_hint(rule: &str) -> Option<&'static str> {
    HINTS.iter().find(|(found, _)| *found == rule).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_for_rules_that_are_checked() {
        let mut covered: Vec<String> = crate::covered_built_in_vuids();
        let others = [
            crate::covered_vuids(),
            crate::stage::covered_vuids(),
            pyro_interface::pipeline::covered_vuids(),
        ];
        covered.extend(others.into_iter().flatten().map(str::to_owned));
        for (rule, text) in HINTS.iter().filter(|(rule, _)| rule.starts_with("VUID-")) {
            assert!(covered.iter().any(|found| found == rule), "{rule}: {text}");
        }
        assert!(HINTS.len() >= 40);
        assert!(fix_hint("VUID-StandaloneSpirv-Flat-04744").is_some() && fix_hint("").is_none());
    }
}
