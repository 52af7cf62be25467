#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// A workgroup sums 1,024 floats: four loads per invocation, a subgroup sum, and one more of the sums.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Sums { float sums[]; };
layout(set = 0, binding = 1) readonly buffer Values { float values[]; };

shared float partial[256];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint first = gl_WorkGroupID.x * 1024u + lane;
    float sum = subgroupAdd((values[first] + values[first + 256u]) + (values[first + 512u] + values[first + 768u]));
    if (subgroupElect()) {
        partial[gl_SubgroupID] = sum;
    }
    barrier();
    if (gl_SubgroupID == 0u) {
        float total = 0.0;
        for (uint s = gl_SubgroupInvocationID; s < gl_NumSubgroups; s += gl_SubgroupSize) {
            total += partial[s];
        }
        total = subgroupAdd(total);
        if (subgroupElect()) {
            sums[gl_WorkGroupID.x] = total;
        }
    }
}
